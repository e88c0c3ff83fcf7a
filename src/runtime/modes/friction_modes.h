/* SPDX-License-Identifier: MIT */
/* Contact modes of a group of points with Coulomb friction, in the plane: which
 * points push, which of those stick, and which slip (runtime/friction decides;
 * this room asks it and holds the points). */
#ifndef IMP_RUNTIME_MODES_FRICTION_MODES_H
#define IMP_RUNTIME_MODES_FRICTION_MODES_H

#include "runtime/choice/choice.h"
#include "runtime/friction/painleve.h"
#include "runtime/motion/persistent.h"

struct contact_point_state;

/* Has the contact friction? */
bool friction_modes_contact(const struct rt *run, uint32_t contact);
/* Does the contact of this point state a compliance, and is it rigid now? */
bool friction_modes_may_yield(const struct rt *run,
                              const struct contact_point *spot);
/* Has one of the points friction? */
bool friction_modes_any(const struct rt *run, const struct contact_point *spot,
                        int n);

struct friction_modes {
    struct friction_choice choice;
    enum choice_cause cause;
    int which;
    bool inner;         /* friction_instant */
    bool next;          /* forces are at edges of their cones: what they do next
                           decides, too (friction_goes_on) */
    bool without_doubt; /* slips in doubt (friction_modes_doubt) are none, also
                           where modes go with them */
    bool ends_slips;    /* where no modes go with the slips, the slowest ones
                           end, until modes go with what is left */
    bool doubted;       /* slips in doubt were taken for none */
    double ended;       /* the fastest slip that ended so (m/s), or 0 */
    /* After the choice, of n points each: modes, forces along the normals and
     * tangents, and slip before. */
    enum contact_mode *mode;
    double *slip;
    bool shared; /* forces are not unique, the motion is */
    /* `loads = report`: the bounds of forces that are not unique; else NULL */
    struct friction_range *range;
    bool changed; /* the choice has changed a mode, or nothing is singled out */
    struct painleve_verdict *found; /* n: where it has */
    bool by_policy; /* the policy `paradox` of the run has chosen */
    bool stays;     /* of several motions that one is taken in which slips stay
                       at rest that have just ended, as slow ones are to end */
    /* where nothing is taken: the point at which an impact without collision is
     * possible; -1: there is none. jumps: the run takes it */
    int jump;
    bool jumps;
    bool yields; /* nothing is taken: points yield from here on instead */
};
/* From now on these points of one group, which are closed and have no rate,
 * have the modes that runtime/friction chooses; those that need no force are
 * let go. modes->cause, modes->which,
 * modes->inner, modes->next, modes->without_doubt and modes->ends_slips are
 * read. Where choice.taken is -1 nothing is held. Status of the tapes. */
int friction_modes_select(struct rt *run, const struct contact_point *spot,
                          int count, struct friction_modes *modes);

/* The modes of points that have been held until this instant are remembered:
 * what was consistent and still is goes on. Where a force has come to an edge
 * (cause), so are the rates of all forces. Status of the tapes. */
int friction_modes_remember(struct rt *run, enum choice_cause cause);
/* What impacts do ends that. */
void friction_modes_forget(struct rt *run);
/* So does an impact at n points, of these contacts. Where it has left no slip,
 * none is read from the velocities at this instant: what is there is the
 * rounding of velocities that may have been much greater before. */
void friction_modes_struck(struct rt *run, int n, const uint32_t *contact,
                           const struct friction_group_impact *impact);

/* The impact at n points, of which the first n_hit come down and the others are
 * held; a rate up to rest[i] (m/s) is none. Applies it under the law, unless
 * out->why says why not. Status of the tapes. */
int friction_modes_impact(struct rt *run, const struct contact_point *spot,
                          int n, int n_hit, const double *rest,
                          enum imp_impact_law law,
                          struct friction_group_impact *out);

/* Impacts at the contact are lost in rounding at this instant: a slip up to
 * `slip` (m/s) is none. */
void friction_modes_lost(struct rt *run, uint32_t contact, double slip);
/* Where no modes go with a slip up to this speed (m/s), it is none: a limit of
 * impacts that several contacts share does not know in which order the last
 * ones come, and a run may state how slow impacts are that do not count. */
void friction_modes_doubt(struct rt *run, uint32_t contact, double slip);

/* Slips that have been ended may have turned points that part into points that
 * approach. Pushes these of n points of one group apart, while those that are
 * held, those that stick, and those whose gap changes no faster than `slow`
 * (m/s) keep no rate: the least change of the motion.
 * False: none approach, or nothing was found. */
bool friction_modes_apart(struct rt *run, const struct contact_point *spot,
                          int n, double slow);
/* Impulses along the normals after which none of n points of one group
 * approaches. p (n): room, and then states of before. Status of the tapes. */
int mode_push_apart(struct rt *run, const struct contact_point *spot, int n,
                    struct contact_point_state *p);

/* An impact without collision at point `which` of n: ends its slip. plastic:
 * without restitution. *impulse: along the normal. Status of the tapes. */
int friction_modes_jump(struct rt *run, const struct contact_point *spot, int n,
                        int which, bool plastic, double *impulse);

/* A jam: the motion comes to an end where the normal force goes as
 * (t* - t)^exponent. */
struct friction_jam {
    struct contact_point spot;
    double exponent; /* 0: the force has a limit */
    double slip;     /* there */
    struct painleve_verdict found;
    bool limit;  /* the state is at t*; false: the point is not alone, or no
                    impulse leads to b = 0 */
    bool stops;  /* no jam: the slip comes to rest just before, and the
                    state is there */
    bool opens;  /* without a force the gap would open there */
    bool beside; /* other points are held beside it: that its own p comes to 0
                    is not shown, and `found` has what it is without them */
};
/* After FRICTION_JAMS of row `which`: takes the run to the time t*, and gives
 * the point the impulse that is left. Status of the tapes. */
int friction_modes_jam(struct rt *run, int which, struct friction_jam *out);

/* -- the next change, of row `index` of those that are held ---------------- */

enum friction_change {
    FRICTION_GOES_ON,
    FRICTION_SLIP_ENDS, /* the slip velocity has a root */
    FRICTION_JAMS, /* p falls to zero: then, or so soon after it that the limit
                      can be taken; the row knows what is left */
    FRICTION_STICK_ENDS /* the force meets the edge of its cone */
};
/* The first such change within `span` of now (s), after the series of the
 * motion have been made to `order`. Status of the tapes. */
int friction_modes_change(struct rt *run, int index, int order, double span,
                          enum friction_change *what, double *time);
/* Returns the mode of a contact, that of its first point that pushes, or
 * CONTACT_FREE. */
enum contact_mode friction_modes_of(const struct rt *run, uint32_t contact);

/* Writes forces, slip and mode of each contact of bodies that has friction at
 * the present instant into env. Status of the tapes. */
int friction_modes_tell(struct rt *run);
/* After friction_modes_tell: the first row whose force no mode has that it is
 * in, as loads have jumped at this instant; -1: none. *ceases: it would pull;
 * else it sticks with a force outside its cone. */
int friction_modes_outside(const struct rt *run, bool *ceases);

/* -- points whose contact yields and that are at rest, pressed in, under a
 * force between both that their law has there (contact_compliance_sides) -- */

/* What a point would do whose rate is 0 at this instant. */
enum held_side {
    HELD_BACK = -1, /* it goes back */
    HELD_RESTS,     /* its law holds it */
    HELD_IN,        /* it is pressed in further */
    HELD_NOT        /* the law does not jump there, or leads away from rest */
};

/* Sets the forces of the law on the way back and on the way in at this gap.
 * False: it does not jump up between them. */
bool held_points_sides(struct rt *run, uint32_t contact, double gap,
                       double force[2]);
/* What would the point do, which is one of the contact's own, if the points
 * that are held with it stayed so? Changes nothing. Status of the tapes. */
int held_points_try(struct rt *run, const struct contact_point *spot,
                    enum held_side *side);
/* Gives the gap of the point this rate (m/s), and no other place. */
int held_points_rate(struct rt *run, const struct contact_point *spot,
                     double rate);
enum held_next {
    HELD_GOES_ON,
    HELD_HOLDS, /* it comes to rest where its law jumps */
    HELD_GIVES  /* the force that holds it leaves the interval of its law */
};
/* What comes first of a row whose contact yields, within span (s) of now, after
 * its series has been made to `order`? *time: then. */
enum held_next held_points_next(struct rt *run, int index, int order,
                                double span, double *time);

#endif
