/* SPDX-License-Identifier: MIT */
/* The memory of persistent contacts: groups of points that are held closed. For
 * the rooms motion and modes, which make and follow them; others ask
 * persistent.h. */
#ifndef IMP_RUNTIME_MOTION_PERSISTENT_GROUP_H
#define IMP_RUNTIME_MOTION_PERSISTENT_GROUP_H

#include "runtime/friction/friction.h"
#include "runtime/motion/persistent.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/taylor.h"
#include "runtime/tape/eval.h"

/* What friction adds to a point of a group, in the plane. The tangent t is the
 * normal from the first to the second body, turned by -90 degrees; slip is the
 * velocity of the second body's point against the first, along t, and `force`
 * acts on the second body along t. */
struct persistent_friction {
    double mu_static, mu_dynamic;
    /* The coefficients are formulas (imp_contact.rub): their series at the
     * slip of this point. */
    bool varies, looked; /* looked: no mode has been chosen */
    struct taylor dynamic_along, static_along;
    double speed[IMP_ROW_STRIDE], *work; /* input and rows of that tape */
    uint32_t work_rows;                  /* room */
    enum contact_mode mode;
    /* Of a point that sticks: 0, or the sign of its force, which is kept on the
     * edge of its cone, because other points hold the slip (points that depend
     * on each other). */
    int tied;
    double guess;        /* of the force, when the modes were chosen */
    double drift;        /* N/s: how it grows from there on */
    struct taylor slip;  /* m/s */
    struct taylor shift; /* its integral (m), measured from `anchor` */
    /* in the axes of body 0, where the face is of body 1; then arms of the
     * force on each body, and the relative spin */
    struct taylor point[3], normal[3], reach[2], spin;
    struct taylor arm[2], velocity[2], turning[2]; /* made of these */
    struct taylor open[2][6]; /* how fast the bodies make the slip, as `open` of
                                 the point */
    struct taylor push[2][6]; /* while the point slips: what a unit of normal
                                 force does together with its friction */
    struct taylor force;      /* N */
    double place, anchor; /* where a vertex is on its face along t, and where it
                             sticks (m) */
    bool anchored;        /* `anchor` is set */
    double onset; /* the time at which slip began at exactly 0, or NAN */
    /* the force grows as (t* - t)^exponent, t* being jam_left ahead (s) */
    double jam_left, jam_exponent;
    /* at the limit of a jam: its time, and the last force before it (N) */
    double jam_time, jam_force;
    double small; /* then an acceleration of the slip below this is none */
};
/* the mode that a point had until some instant */
struct persistent_mode {
    struct contact_point spot;
    enum contact_mode mode;
    int tied;
    bool onset;      /* slip began at this instant */
    double force[2]; /* normal and tangential (N) */
    double rate[2];  /* how fast they change (N/s) */
    double drift[2]; /* and their guesses, which were made at this instant, too;
                        NAN: these do not */
};
/* One point of a group: its gap, and how fast a motion of its two bodies opens
 * it, by velocity (entries 0..2, world axes) and by spin (3..5, body axes; in
 * the plane entry 5). */
struct persistent_row {
    struct contact_point spot;
    bool on;    /* the point pushes */
    bool balls; /* this row is by the formulas of two balls (ball_point.c) */
    struct taylor gap, open[2][6];
    struct taylor place[3]; /* POINT_VERTEX: in the axes of the face's body */
    struct contact_point_crossing *crossing; /* memory of POINT_EDGES */
    struct taylor force;                     /* N */
    double valid; /* the time for which the series hold */
    double end;   /* where a feature ends them: the time until its end, a little
                     less than `valid`; else infinite */
    double guess; /* with friction: `force` when the modes were chosen */
    double drift; /* N/s: how it grows from there on */
    struct persistent_friction *friction; /* NULL: without friction */
    struct persistent_friction *spare;    /* its memory */
    /* CONTACT_PRESSED or CONTACT_SLACK: the contact yields, and `force` is what
     * its compliance says, or none; CONTACT_HELD: it keeps its depth; else
     * CONTACT_RIGID */
    enum contact_softness soft;
    struct persistent_press *press; /* its memory */
};
/* A point of a contact that yields: its law as a series, where it is negative,
 * too; input and rows of the tape imp_contact.press. */
struct persistent_press {
    double scale;
    struct taylor law;
    double input[4 * IMP_ROW_STRIDE], *work; /* contact_compliance.h */
    uint32_t work_rows;                      /* room */
};
/* An unknown force of a group, and the condition that it meets: the second
 * derivative of `value` is 0. */
struct persistent_unknown {
    struct persistent_row *row;
    const struct taylor *value;
    struct taylor (*open)[6]; /* how fast bodies change the value */
    struct taylor (*push)[6]; /* what a unit of the force does */
    struct taylor *force;
    double guess; /* where forces are not unique, those nearest to these are
                     taken */
    double drift; /* and those that grow most nearly so, where the group has
                     such rates */
};
enum persistent_unknowns {
    UNKNOWN_FORCES,  /* of the modes: normal forces, with friction where points
                        slip, and tangential forces of points that stick */
    UNKNOWN_HELD,    /* along the gaps and tangents that are held */
    UNKNOWN_NORMALS, /* every point: the normal */
    UNKNOWN_ROWS /* every point: the normal, and with friction the tangent */
};
/* The blocks that a group moves, and all bodies of these blocks that move. */
struct persistent_blocks {
    uint32_t *block, n_block, block_room;
    uint32_t *body, n_body, body_room;
};
/* The Delassus matrix G of the unknowns (n_unknown x n_unknown) and its rank.
 * Entry [i n + j] is what force i does to condition j; G is symmetric where no
 * point slips with friction. `few`: it has many rows of few entries, of clear
 * rank, and `sparse` solves; `sure`: its rank is beyond doubt, and `factors`
 * solve; `clear`: it is clear, and `square` solves; else its singular values
 * do. */
struct persistent_delassus {
    int rank;
    bool few, sure, clear;
    bool chosen;  /* the rank is lower than that of G: see persistent_share */
    double given; /* persistent_soft_given */
    struct sparse_least *sparse;
    struct semidefinite factors;
    struct least_square square;
    double *G, *U, *V, *s, *room;
    double *of; /* the G of which the factors are, */
    int n_of;   /* of so many rows; 0: of none that is known */
};
/* n_unknown each: room for what is being solved */
struct persistent_scratch {
    double *a, *b, *c, *x, *near, *work; /* work: 3 each */
};
/* The bodies of a condition, by their places in the group, and its rows. */
struct persistent_reach {
    bool moves[2];
    uint32_t place[2];
    int next[2]; /* the next condition that this body has; -1: there is none */
    double open[2][6];
};
/* What the answer of all bodies to a force does along the condition. */
static inline double
persistent_along(const struct persistent_reach *on, const double *answer)
{
    double g = 0.0;
    for (int e = 0; e < 2; e++)
        for (int c = 0; c < 6 && on->moves[e]; c++)
            g += on->open[e][c] * answer[6 * (size_t)on->place[e] + (size_t)c];
    return g;
}
/* Pieces that are taken although no series leads on: when the last one was, and
 * how many of them follow each other. */
struct motion_brief {
    double time;
    int many;
};
/* One group: points that move bodies of the same blocks. Groups do not feel
 * each other. Each has its own Delassus matrix, and is chosen, followed and
 * ended by itself. */
struct persistent_group {
    int n, n_on, room; /* points, those that push, room for points */
    bool steady;       /* forces did not change in the last series */
    double holds; /* and do not for this time (s) to rounding; else infinite */
    struct persistent_row *row; /* those that push come first */
    bool friction;              /* a point has friction */
    struct motion_brief brief;  /* of persistent_series_short, */
    bool parabola;              /* which has made the series */
    bool first;                 /* forces of order 0 alone are found now */
    struct series_rest *rest;   /* per block that it moves: what rests in the
                                   series that are made; NULL: nothing does */
    bool leaps;    /* the last series are those of persistent_let_go */
    bool branches; /* `holds` is where a coefficient of friction changes its
                      branch */
    double drifts; /* the time from which on guesses of its forces grow by
                      `drift`; NAN: they do not */
    bool yields;   /* the contact of a point yields */
    bool varies;   /* that is a formula */
    bool rubs;     /* joints of the blocks that it moves have friction, */
    bool leaves;   /* forces along a velocity leave rest in this series */
    bool solves;   /* which answers in G now */
    struct persistent_unknown *unknown; /* of the last persistent_unknowns */
    int n_unknown;
    /* While the series are made order by order: how many coefficients of poses
     * are final, and with them those of rows. Else 0. */
    int known;
    int driven; /* for the forces of which order (1, 2, ..) the motion was made
                   last; 0: the first one, or another motion */
    int made;   /* orders of forces that stand from the last series; 0: none */
    /* what the last persistent_series of all blocks has made: its order (0:
     * nothing that stands), at which time, and how often rows had been made of
     * this group until then */
    int kept_order;
    double kept_time;
    unsigned long touched, kept_touched;
    unsigned long born; /* another number each time that points are chosen */
    struct contact_point_poses **poses; /* of contact_point.c */
    int n_poses, poses_room;
    uint32_t pass; /* how often its rows were asked for (contact_point.c) */
    /* corners of polygons under their weight, carried on order by order: NULL:
     * it is not so; carried: what is being made is */
    struct persistent_plane *plane, *plane_memory;
    bool carried;
    double *answer; /* per unknown and body of `moved`: 6, what a unit force
                       does; room for n_answer */
    size_t n_answer;
    struct persistent_reach *reach; /* per unknown; room for n_reach */
    int n_reach;
    int *reached; /* per body of `moved`: its first condition, or -1 */
    uint32_t n_reached;
    bool spreads; /* other bodies than the two of a force answer to it */
    struct persistent_blocks moved;
    struct persistent_delassus delassus;
    struct persistent_scratch scratch;
    struct persistent_shares *shares; /* memory of persistent_share */
};
/* The first condition that the body at this place has, or with `all` of all,
 * and the next one after another, in their order; -1: there is none. */
static inline int
persistent_first(const struct persistent_group *group, uint32_t place, bool all)
{
    return !all ? group->reached[place] : group->n_unknown > 0 ? 0 : -1;
}
static inline int
persistent_next(const struct persistent_group *group, uint32_t place, bool all,
                int after)
{
    const struct persistent_reach *on = group->reach + after;
    if (all)
        return after + 1 < group->n_unknown ? after + 1 : -1;
    return on->next[!(on->moves[0] && on->place[0] == place)];
}
/* what the impacts of an instant have left of a contact's slip */
struct persistent_stuck {
    double time, slip; /* up to this speed it is none */
    double doubt;      /* up to this speed it may be none */
};
/* all groups, and what they share */
struct persistent_set {
    int n, n_spare;
    /* how often rows of accelerations were begun, and how often they had been
     * when series of all groups were made the last time */
    unsigned long uses, series_uses;
    unsigned long births; /* persistent_group.born */
    struct persistent_group *
        *group; /* n that are held, at most one per block */
    struct persistent_group **spare;
    struct persistent_group *
        *of; /* per block: the group that holds it, or NULL */
    struct persistent_group *look; /* points that are only looked at */
    struct {                       /* what was held until `time` */
        double time;
        int n, room;
        struct persistent_mode *mode;
        double lasts; /* the last time at which shares of forces that last
                         longest have been taken (runtime/choice) */
        int lasted;   /* how often then */
    } until;
    struct persistent_stuck *stuck; /* per contact, or NULL */
    bool rough; /* the motion, or a coefficient of friction, had no series */
    double strained; /* persistent_strained */
    uint32_t strained_at;
    struct persistent_row **row; /* rows of all groups that are held */
    int n_row, room;
    double *change;  /* per body: 6, what one force does */
    uint32_t *place; /* per body: where it stands among those of its group */
    unsigned char *simple; /* per block, of persistent_plane.c */
    double **push;   /* per block: rows of accelerations, input of driven */
    double **driven; /* per block: rows of the driven tape */
    double **own; /* per block: stands in for run->rows.block while a group is
                     solved */
};

/* Returns the groups of this run, none at first. */
struct persistent_set *persistent_set_of(struct rt *run);

static inline const imp_block *
persistent_block(const struct rt *run, uint32_t block)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
}

static inline const imp_tape *
persistent_tape(const struct rt *run, uint32_t tape)
{
    return IMP_ARRAY(run->im, run->im->tapes, imp_tape) + tape;
}

/* Returns the number of velocities of a body. */
static inline uint32_t
persistent_per_body(const struct rt *run)
{
    return run->im->dim == 2 ? 3 : 6;
}

/* Returns the entry of `open` that belongs to velocity c of a body. */
static inline uint32_t
persistent_entry(const struct rt *run, uint32_t c)
{
    return run->im->dim == 2 && c == 2 ? 5 : c;
}

/* Sets `out` to M^-1 wrench for one body; entries 0..2 are the velocity, 3..5
 * the spin (plane: 5), or the moment itself where joints hold the spin
 * (IMP_BODYF_HELD): the equations of the joints give the spin, and no inertia
 * is divided by. */
static inline void
persistent_by_mass(const struct rt *run, uint32_t body, const double wrench[6],
                   double out[6])
{
    assert(body < run->im->bodies.n && wrench != out);
    const double *constants = run->env + rt_body(run, body)->env_body;
    const double *inverse = constants + IMP_BODY_INVINERTIA;
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < 3; i++)
        out[i] = constants[IMP_BODY_INVMASS] * wrench[i];
    if (run->im->dim == 2)
        out[2] = 0.0;
    if (rt_body(run, body)->flags & IMP_BODYF_HELD) {
        memcpy(out + 3, wrench + 3, 3 * sizeof *out);
        return;
    }
    if (run->im->dim == 2) {
        out[5] = inverse[0] * wrench[5];
        return;
    }
    out[3] = inverse[0] * wrench[3] + inverse[3] * wrench[4] +
             inverse[4] * wrench[5];
    out[4] = inverse[3] * wrench[3] + inverse[1] * wrench[4] +
             inverse[5] * wrench[5];
    out[5] = inverse[4] * wrench[3] + inverse[5] * wrench[4] +
             inverse[2] * wrench[5];
}

/* -- persistent_group.c -- */
/* Returns the group for looking, filled anew with n points, all of which push.
 */
struct persistent_group *
persistent_look_at(struct rt *run, const struct contact_point *spot, int n);
/* Returns a new group of n points that is held; nothing may hold its blocks so
 * far. */
struct persistent_group *
persistent_hold(struct rt *run, const struct contact_point *spot, int n);
/* Returns the group that holds bodies of a contact, or NULL. */
struct persistent_group *persistent_group_of(const struct rt *run,
                                             uint32_t contact);

/* -- persistent.c -- */
/* The series to `order`, whose forces of orders below `made` stand from the
 * last call; 0: none does. */
int persistent_orders(struct rt *run, struct persistent_group *group, int made,
                      int order, uint32_t block);
/* The motion of the blocks of a group to order 2 as if nothing held them, but
 * for the forces themselves, which stay as they are; friction does no work. */
int persistent_let_go(struct rt *run, struct persistent_group *group);
/* Makes the rows of all points to `order` without forces, their answers, and G
 * over these unknowns (may be NULL). */
int persistent_instant(struct rt *run, struct persistent_group *group,
                       int order, enum persistent_unknowns which, double *G);
/* Makes the rows of the points that push, to order 1, with G and its factors
 * over what is held, without forces. factored: those of the last call stand. */
int persistent_rates(struct rt *run, struct persistent_group *group,
                     bool factored);
/* Returns how many coefficients of a row, which is made to `order`, stand since
 * the rows were last asked for. */
static inline int
persistent_stands(const struct persistent_group *group,
                  const struct persistent_row *row, int order)
{
    if (row->friction && row->friction->varies)
        return 0;
    return group->known < order ? group->known : order;
}

/* -- persistent_loads.c -- */
/* The greatest entry of G if no joint answered. Where joints that stick hold
 * all, G is the rounding of that. */
double persistent_unheld(const struct rt *run,
                         const struct persistent_group *group);
/* Factors G by its entries that are not 0, if these are few of many, and its
 * rank is clear. symmetric: G is. */
bool persistent_factor_few(struct rt *run, struct persistent_group *group,
                           bool symmetric);
/* Finds the least x with G x = -b, n_unknown entries each. */
void persistent_solve(const struct persistent_group *group, const double *b,
                      double *x);
/* What each unknown force does to all bodies, and G (the Delassus matrix) over
 * all unknowns. It is made symmetric where each force acts along its own
 * condition. */
int persistent_answers(struct rt *run, struct persistent_group *group,
                       double *G, bool *is_symmetric);
/* Finds coefficient `term` of all unknown forces, n_unknown entries, which meet
 * the conditions with right sides -scratch.b. Where friction acts and the
 * points depend on each other, the forces are at every instant those nearest to
 * the guesses: only these are sure to obey Coulomb's law. Orders follow each
 * other. */
void persistent_share(struct rt *run, struct persistent_group *group, int term,
                      double *answer);

/* -- persistent_friction.c: velocities that closed contacts hold at 0. All
 * forces together do not move them, at any order. As series they are 0, not the
 * rounding of what cancels: a power below 1 of such a speed has no series. */
/* Which velocities of the blocks that the group moves rest under the forces of
 * the series that was made last, to order 0? They become 0. 0: none; else
 * group->rest is made. pushed: contacts have forces. */
uint32_t persistent_rest_begin(struct rt *run, struct persistent_group *group,
                               bool pushed);
/* From now on coefficients up to this order of them are 0. */
void persistent_rest_to(struct persistent_group *group, int order);
/* In the series made last all forces are known up to order term - 1. Do they
 * still cancel? A velocity that they move rests no longer. */
bool persistent_rest_stays(struct rt *run, struct persistent_group *group,
                           int term);
/* Leaves of velocities what they are up to order - 1: what acts beyond may be
 * infinite as long as not all forces are known. Is that finite? */
bool persistent_rest_cut(struct rt *run, uint32_t block, int order);
/* Leaves of the state and the poses what accelerations tell. Are they finite?
 */
bool persistent_rates_cut(struct rt *run, uint32_t block);

/* persistent_loads.c: contacts that yield */
/* Reads whether the contact of a row yields now. IMP_BADMODEL after E0386. */
void persistent_soft_read(struct rt *run, struct persistent_row *row);
/* Adds the impulse of the next dt seconds to what the contact remembers. */
void persistent_soft_pass(struct rt *run, const struct persistent_row *row,
                          int order, double dt);
/* In G, which forces of points that yield are given: force i is -b_i / (the
 * greatest entry), which is returned. */
double persistent_soft_given(const struct persistent_group *group, double *G);
/* What the laws say of order `term` of these forces, into group->scratch.b. */
int persistent_soft_forces(struct rt *run, struct persistent_group *group,
                           int term);
/* Laws of all rows that yield to order - 1, after their gaps have been made to
 * `order`; shortens *holds to where a law changes its branch. */
int persistent_soft_laws(struct rt *run, struct persistent_group *group,
                         int order, double *holds);
/* Is the force of a row that of a compliance? One that is held (CONTACT_HELD)
 * keeps its depth, and has the force that this takes. */
static inline bool
persistent_soft_given_row(const struct persistent_row *row)
{
    return row->soft != CONTACT_RIGID && row->soft != CONTACT_HELD;
}
/* Is the unknown a normal force that a compliance gives? */
static inline bool
persistent_soft_unknown(const struct persistent_unknown *unknown)
{
    return persistent_soft_given_row(unknown->row) &&
           unknown->value == &unknown->row->gap;
}

/* -- motion_plan.c -- */
/* Does what persistent_series does, for one group. */
int persistent_group_series(struct rt *run, struct persistent_group *group,
                            int order, uint32_t block);

/* -- persistent_group.c -- */
/* Makes polynomials of the series: all that says how the group moves. */
void persistent_cut(struct rt *run, struct persistent_group *group, int order);
/* The series of the group have been made to this order now, for all its blocks;
 * 0: they do not stand. */
void persistent_keeps(const struct rt *run, struct persistent_group *group,
                      int order);
/* Do they, at least to this order, and is the state still the same? */
bool persistent_kept(const struct rt *run, const struct persistent_group *group,
                     int order);

/* Have they left rows of points, all of corners, that are those to this order,
 * under all forces? */
bool persistent_points_kept(const struct rt *run,
                            const struct persistent_group *group, int order);

/* -- persistent_friction.c -- */
/* The force along the tangent per force along the normal, where it is on the
 * edge of the cone; not of friction that varies. */
double persistent_friction_share(const struct persistent_friction *friction);
/* Lists the unknowns of a group in group->unknown. UNKNOWN_NORMALS, _ROWS: of
 * all points; else of those that push. */
void persistent_unknowns(struct persistent_group *group,
                         enum persistent_unknowns which);
/* Where guesses of forces grow: makes them what they are by now. */
void persistent_drift(const struct rt *run, struct persistent_group *group);
/* Reads the coefficients of friction of the point's contact; row->friction is
 * NULL where they are 0. looked: its impacts count, too, not only what it does
 * while it is held. */
void persistent_friction_read(struct rt *run, struct persistent_row *row,
                              bool looked);
/* The slip of a point, and what changes it, as series to `order`, from the
 * place of the point, the normal from body 0 to body 1 and the centre of body
 * 1, all in the axes of body 0, and the cosine and sine of the angle of body 1
 * in them. Of these the coefficients below `from` are those of the last call;
 * the normal may be `constant`. Status of the tape of its friction. */
int persistent_friction_series(struct rt *run, struct persistent_row *row,
                               int from, int order,
                               const struct taylor place[2],
                               const struct taylor normal[2], bool constant,
                               const struct taylor centre[2],
                               const struct taylor turn[2]);
/* The same where `slip` and `reach` of the row's friction are made, and `open`
 * of the row. */
int persistent_friction_rows(struct rt *run, struct persistent_row *row,
                             int from, int order);
/* Shortens group->holds to the time for which the series of the coefficients of
 * friction hold, made to this order, and to where they change their branch.
 * IMP_FAILED where the motion is held at such a change. */
int persistent_friction_holds(struct rt *run, struct persistent_group *group,
                              int order);
/* The time for which the series of the forces hold, made to this order, and
 * those of slips on ground that is driven. A body that rests under loads that
 * change has no motion that tells, and ground that is driven along itself no
 * force. */
double persistent_forces_hold(const struct rt *run,
                              const struct persistent_group *group, int order);
/* Fills the tangential forces of the points that slip, after the normal forces
 * are known. */
void persistent_friction_forces(struct persistent_group *group);
/* How many rows of the driven tape of a block stand for joints with friction.
 */
size_t persistent_joint_rows(const imp_block *block);
/* Copies what stands in these rows; from is the first of them. */
void persistent_joints_over(struct rt *run, uint32_t b, const uint32_t *from,
                            double *to);

/* -- persistent_group.c -- */
/* Adds to coefficient `term` of the accelerations p of a body what an unknown
 * force of lower orders does there. */
void persistent_push_lower(const struct rt *run,
                           const struct persistent_unknown *unknown, int side,
                           int term, double *p);
/* The accelerations that the forces give to the gaps of each point, which
 * cancel where bodies rest: the greatest among the points of its bodies.
 * `terms` has room for one per unknown. */
void persistent_force_terms(const struct rt *run,
                            const struct persistent_group *group,
                            double *terms);
/* Do the gap and the direction of one force stay as they are, to rounding?
 * terms: the accelerations that cancel. *holds: the time for which rounding of
 * the speeds does not move levers by more than rounding. */
bool persistent_steady_force(const struct rt *run,
                             const struct persistent_unknown *unknown,
                             double terms, int order, double *holds);
/* Are all its points those of polytopes? The search for closest points of
 * smooth bodies goes on at each call, to the last bits. */
bool persistent_corners_only(const struct persistent_group *group);

/* -- persistent_plane.c: corners of plane polygons under their weight, order by
 * order. What is made anew from order 0 at each order elsewhere is carried on
 * by one order, with the same operations in the same order; but on a face of a
 * body 0 that does not move normal and tangent are constants. -- */
/* Does a block hold one body of the plane, whose rates are constants plus what
 * forces do? Asked of the tape once (ball_point.c). sum (may be NULL): which of
 * the rates have such constants. */
bool persistent_simple(const struct rt *run, uint32_t index, bool sum[3]);
/* Before series are made: group->plane says whether the group is one of these.
 */
void persistent_plane_begin(struct rt *run, struct persistent_group *group);
/* Does what contact_point_series does, for the first n points of such a group.
 * False: it is none, or a number is not finite. */
bool persistent_plane_points(struct rt *run, struct persistent_group *group,
                             int n, int order);
/* After order 0 has been made without forces: notes the accelerations. */
void persistent_plane_note(struct rt *run, struct persistent_group *group);
/* Makes of the points what the equations for forces of order `term` >= 1 read.
 * Lower orders stand, made here (group->carried) or not. False: a number is not
 * finite. */
bool persistent_plane_order(struct rt *run, struct persistent_group *group,
                            int term);
/* Adds forces of order `term` to the accelerations, and if there is `more` to
 * come, to those of the next order what all forces so far do there. */
void persistent_plane_settle(struct persistent_group *group, int term,
                             bool more);
/* For any body of the plane whose spin no joint holds: adds to coefficient
 * `term` of its accelerations p what an unknown force of lower orders does
 * there. */
void persistent_plane_push(const struct rt *run,
                           const struct persistent_unknown *unknown, int side,
                           int term, double *p);
/* Ends a series that was carried on to this order. */
void persistent_plane_end(struct rt *run, struct persistent_group *group,
                          int order);

/* -- constraint_projection.c -- */
/* How fast points of the group move over smooth surfaces beside their slip, as
 * a multiple of what they would on bodies as round as they are large: the
 * greatest one. 0 where no step leads over a flat point (persistent_leap_time).
 */
double persistent_flatness(const struct rt *run,
                           const struct persistent_group *group);
/* Moves poses and velocities of a group onto its closed gaps. */
void persistent_project_group(struct rt *run, struct persistent_group *group);

/* How many orders of forces stand for a series of a higher order. A friction
 * that varies was not made for the last order. Rows of corners go on from
 * there, and so do those of balls. */
static inline int
persistent_orders_made(const struct persistent_group *group, int last)
{
    bool balls = true;
    for (int i = 0; i < group->n_on; i++)
        balls = balls && group->row[i].balls &&
                group->row[i].spot.kind == POINT_SURFACE;
    return !group->varies && (balls || persistent_corners_only(group))
               ? last + 1
               : 0;
}

#endif
