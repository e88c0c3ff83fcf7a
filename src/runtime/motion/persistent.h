/* SPDX-License-Identifier: MIT */
/* Contacts of bodies that stay closed: points at which bodies slide, roll or
 * rest on each other, without friction. Forces lambda along the normals keep
 * the gaps of the points at 0; they are found order by order together with the
 * Taylor series of the motion, so that event search and records go on as in
 * free flight (motion.c asks here). Which points push is a complementarity
 * problem of the instant; its motion is unique, its forces need not be.
 *
 * Points: of two smooth bodies or of one and a plane (imp_contact.opening), of
 * a smooth body on a polytope, of a polytope's vertices on a plane or on a
 * face, of edges that cross (the corners of what two faces share, an edge over
 * which a body tips). They are held in groups: points that move the same
 * bodies, or bodies of one block; groups do not feel each other. Invariant:
 * between calls the gap and its rate at every point that pushes are 0 to
 * rounding (persistent_project after each step). */
#ifndef IMP_RUNTIME_MOTION_PERSISTENT_H
#define IMP_RUNTIME_MOTION_PERSISTENT_H

#include "runtime/instance/run.h"

/* most points of one group */
#define CONTACT_POINTS_MOST 64

enum contact_point_kind {
    POINT_SURFACE, /* imp_contact.opening */
    POINT_SMOOTH,  /* a smooth body on a polytope's nearest feature */
    POINT_VERTEX,  /* a vertex on a plane or a face */
    POINT_EDGES    /* edges that cross */
};
struct contact_point {
    uint32_t contact;
    enum contact_point_kind kind;
    /* VERTEX: whose face, 0 or 1; the other's vertex. EDGES: of body 0 and 1;
     * face_of 1: their normal is -d0 x d1 */
    int face_of;
    uint32_t face, vertex;
};
/* Points of a contact that are closer than `reach` and may come to touch: of
 * vertices those over the plane or the face that others touch (within tol) now.
 * -1 as contact_set_points */
int contact_set_near(struct rt *run, uint32_t contact, double tol, double reach,
                     struct contact_point *out, int most);
/* a point at the present instant */
struct contact_point_state {
    struct contact_point spot;
    double gap, rate, speed; /* speed: size of the rate's terms */
    double free;             /* acceleration of the gap without any force */
    double jerk;             /* its derivative */
    double force;            /* after mode_select */
    bool on;
};

/* Points of a contact that are closed within tol (m); at most `most`. -1: the
 * touch is none that can be followed (edges against edges, open normals). */
int contact_set_points(struct rt *run, uint32_t contact, double tol,
                       struct contact_point *out, int most);
/* Gap, rate, free acceleration of points, and their matrix G (n x n): what a
 * unit force at one does to the gap's acceleration at the other, joints
 * included. G may be NULL. */
int contact_point_states(struct rt *run, const struct contact_point *spot,
                         int n, struct contact_point_state *out, double *G);

/* Rates up to this share of the speeds, or of what the accelerations make of
 * rest over one length, are none, as in polytope_verdict.c */
#define MODE_STILL 1e-9
/* what that is for the points of a contact whose gap is accelerated so (m/s) */
double mode_still_rate(struct rt *run, uint32_t contact, double acceleration);

enum mode_choice {
    MODE_FREE,   /* none pushes */
    MODE_HOLDS,  /* some do; forces and motion are unique */
    MODE_SHARED, /* the motion is unique, its forces are not */
    MODE_JAMMED  /* no forces >= 0 keep the gaps closed */
};
/* From now on these points of one group, closed and without rate, stay closed
 * where that takes a push; the others are let go, and all that was held of
 * their bodies before. left: index of a point whose force has just ceased, or
 * -1. Status of the tapes. */
int mode_select(struct rt *run, const struct contact_point *spot, int n,
                int left, enum mode_choice *choice);
/* Impulses along the normals of the points of the last contact_point_states
 * with a G. */
void persistent_apply_impulses(struct rt *run, const double *impulse);
/* Velocities and positions onto these rates and gaps of the points, NULL: onto
 * none, as an impact that keeps them all closed (what is left of infinitely
 * many). Momenta of spins stay when poses are moved. */
int persistent_close(struct rt *run, const struct contact_point *spot, int n,
                     const double *gap, const double *rate);
/* groups of marked blocks are free again; NULL: all */
void persistent_release(struct rt *run, const bool *block);
/* Splits points into groups: those of one stand together, in their order, the
 * i-th up to end[i] (room for n). How many groups */
int persistent_split(struct rt *run, struct contact_point *spot, int n,
                     int *end);

/* -- what is held now -- */
static inline bool
persistent_any(const struct rt *run)
{
    return run->persistent != NULL;
}
bool persistent_holds(const struct rt *run, uint32_t contact);
/* is anything held of its bodies, or of those connected to them? */
bool persistent_near_held(const struct rt *run, uint32_t contact);
/* Marks the blocks of a contact's bodies and of all that is held together with
 * marked ones. True: the contact's were not all marked */
bool persistent_mark(const struct rt *run, uint32_t contact, bool *block);
bool persistent_marked(const struct rt *run, uint32_t contact,
                       const bool *block);
/* does a force of contacts act on bodies of this block? */
bool persistent_moves(const struct rt *run, uint32_t block);
int persistent_count(const struct rt *run);
/* points of all groups and their forces at the instant of the last series */
const struct contact_point *persistent_point(const struct rt *run, int i,
                                             bool *on, double *force);

/* sizes of what forces at the points do to bodies of this block, at the instant
 * of the last series: accelerations of centres, of spins */
void persistent_accelerations(const struct rt *run, uint32_t block,
                              double push[2]);

/* Motion series to `order` < IMP_ORDER_MAX, into r->work[block], of one block
 * that is held or of all (UINT32_MAX) */
int persistent_series(struct rt *run, int order, uint32_t block);
void persistent_project(struct rt *run);

/* Vertices over one plane, or over a face whose plane keeps the bodies apart,
 * each looked at by its own gap: nothing counts as closed that is not closed to
 * rounding. Those marked are closed by definition at this time: they rise, or
 * have no rate and were let go. */
#define RELEASED_MOST 64
struct released_vertices {
    struct contact_point base; /* the plane; `vertex` means nothing */
    double time;
    int n;
    uint32_t vertex[RELEASED_MOST];
    bool still[RELEASED_MOST];
};
/* is the contact one of a polytope over a plane? */
bool contact_set_plane(const struct rt *run, uint32_t contact,
                       struct contact_point *base);
/* Do the bodies of a contact touch, within tol, by vertices of the one on a
 * face of the other, and are all its vertices beyond the plane of that, those
 * near it between its sides? */
bool contact_set_face(struct rt *run, uint32_t contact, double tol,
                      struct contact_point *base);
/* vertices that are closed to rounding now, and come down faster than that; or
 * those that have no rate, to rounding */
int contact_set_closed(struct rt *run, const struct contact_point *base,
                       bool still, struct contact_point *out, int most);

enum mode_change_kind {
    CHANGE_NONE,    /* the end of the series, or `until` */
    CHANGE_CEASES,  /* the force of point `which` falls through 0 */
    CHANGE_CLOSES,  /* another vertex of `contact` comes down */
    CHANGE_SINKS,   /* point `which`, which did not push, has to */
    CHANGE_HITS,    /* vertex `which` of `contact`, one of `over` */
    CHANGE_BESIDE,  /* a vertex of `contact` comes down beside the face */
    CHANGE_FACE_END /* point `which` comes to the end of its face */
};
struct mode_change {
    enum mode_change_kind what;
    double time;
    int which;
    uint32_t contact;
};
/* what comes first, at or before `until`, within one expansion, of what is held
 * and of the planes over[0..n_over); contacts of which nothing is asked are set
 * in `blind` (NULL: none) */
int mode_change_next(struct rt *run, double until, const bool *blind,
                     const struct released_vertices *over, uint32_t n_over,
                     struct mode_change *out);

#endif
