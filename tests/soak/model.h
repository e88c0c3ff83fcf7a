/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model as data. Generators make it, relations transform it, the shrinker
 * deletes parts of it, and model_print writes it as a text of Imp. Plain data
 * without pointers: assignment copies it. Bodies and contacts keep their index
 * through all transformations, whatever the text calls them and in whatever
 * order it lists them, so results are compared by index. */
#ifndef SOAK_MODEL_H
#define SOAK_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "formula.h"
#include "rail.h"
#include "ride.h"
#include "tabled.h"

enum {
    MAX_BODIES = 32,
    MAX_CORNERS = 12,
    MAX_CONTACTS = 256,
    MAX_TIMES = 1100,
    MAX_SYSTEMS = 2,
    MAX_JOINTS = 8,
    NAME_SIZE = 16
};

enum shape {
    SHAPE_HALF,         /* half_plane, half_space */
    SHAPE_BALL,         /* circle(size[0]), sphere(size[0]) */
    SHAPE_ELLIPSE,      /* ellipse, ellipsoid: size = semi-axes */
    SHAPE_SUPERELLIPSE, /* superellipse, superellipsoid of exponent 4 */
    SHAPE_BOX,          /* rectangle, box: size = full widths */
    SHAPE_NONE,
    SHAPE_HULL /* polygon, polyhedron: corner[] */
};

/* How a drag goes with the velocity v: -drag*v; -drag*v*norm(v), of a stream;
 * -drag*v/norm(v), of one size, which ends the motion against it. */
enum drag_law { DRAG_LINEAR, DRAG_SQUARE, DRAG_CONSTANT, DRAG_LAWS };

/* Forces on a body. All parts are zero unless stated. */
struct load {
    double constant[3];
    double spring; /* -spring*(position - anchor - anchor_rate*t) */
    double anchor[3], anchor_rate[3];
    double drag; /* -drag*v, v = velocity - wind */
    enum drag_law drag_law;
    double wind[3];
    double wave[3]; /* wave*sin(frequency*t + phase) */
    double frequency, phase;
    struct table table; /* pull times what the table says */
    double pull[3];
    double torque[3];
    double torque_drag; /* -torque_drag*spin */
    struct rail rail;
};

/* A wheel in a body of the plane, which motor*sin(frequency*t + phase) drives.
 */
struct rotor {
    double inertia; /* 0: there is none */
    double rate, friction;
    double motor, frequency, phase;
};

struct body {
    bool there;
    char
        name[NAME_SIZE]; /* of a member of the family `fam`, fam[0] and so on */
    int member;          /* 1 + its number there; 0: it is none */
    enum shape shape;
    double size[3];
    int corners;
    double corner[MAX_CORNERS][3];
    int surface; /* not 0: the shape is a formula of the model's own, which that
                    number draws */
    bool fixed;
    double density;       /* 0: mass and inertia are stated instead */
    double mass, inertia; /* in the plane */
    double moments[3];    /* in space */
    double position[3];
    double carry[3]; /* a fixed body is at position + carry*t +
                        swing*sin(swing_rate*t + swing_phase) */
    double swing[3], swing_rate, swing_phase;
    struct table path; /* it moves at along times what the table says, too */
    double along[3];
    double angle;         /* in the plane */
    struct ride turning;  /* in the plane a fixed body turns so about its own
                             place; it has no acceleration */
    double quaternion[4]; /* in space */
    double velocity[3], spin[3];
    struct load load;
    struct rotor rotor;
    int half;     /* 1 + the other half of a body that is cut in two, this one
                     is the first; its record is read as that of the whole */
    double share; /* of the whole that it is */
};

/* How a restitution falls with the quotient v of the approach: e/(1 + v);
 * e/(1 + v)^(1/4); e up to v = 1, and then e/v^(1/4); e*exp(-v); the greater of
 * e*(1 - v/4) and e/2. */
enum approach {
    APPROACH_OVER,
    APPROACH_ROOT,
    APPROACH_KINK,
    APPROACH_EXP,
    APPROACH_FLOOR,
    APPROACHES
};

struct contact {
    bool there;
    char name[NAME_SIZE];
    int first, second; /* bodies */
    int row;      /* 1 + its number in a family of contacts, which is called
                     after its first body: row0[i]; 0: it is none */
    int system;   /* 1 + its number; 0: of bodies */
    int gap;      /* formula, of a system */
    bool swapped; /* print `second | first` */
    double restitution;
    const char *restitution_law; /* NULL, "newton", "poisson", "energetic" */
    bool sticks;                 /* `restitution = sticking` */
    double approach_speed;       /* not 0: the restitution is that number over
                                    1 + approach/approach_speed, */
    enum approach approach;      /* or another function of this quotient */
    bool own_newton;             /* Newton's law without friction, as a law of
                                    the contact's own */
    const char *own_law;         /* of the library `friction`; NULL: none */
    double own_share;            /* its number; `sticking` has none */
    bool rough;                  /* has Coulomb's friction */
    double friction;             /* the dynamic coefficient */
    double static_friction;      /* 0: the same */
    double impact_friction;      /* 0: the same */
    double stribeck_speed;       /* not 0: the coefficient falls from the static
                                    to the dynamic one about this slip */
    int slide;                   /* formula of the place along the ground, of a
                                    system */
    double belt;                 /* speed of the ground of a system */
};

/* A hinge, a slider, a weld, or in space also a ball joint, between two bodies,
 * or a body and the world. */
struct joint {
    bool there;
    char name[NAME_SIZE];
    int first, second; /* bodies; second is -1: the world */
    double at[3];
    bool ball, slider, weld;
    double axis[3];       /* of a hinge in space; of a slider */
    double rate;          /* spin of the first against the second; of a slider a
                             speed */
    double friction, arm; /* in the plane: coefficient; radius of the pin, or
                             length of the bush */
    double static_friction; /* 0: the same */
    bool swapped;           /* print `second, first` */
    double spin[3];         /* the same, of a ball joint */
};

/* A system in generalised coordinates, without dimensions. */
struct coordinate_system {
    bool there;
    char name[NAME_SIZE];
    int coordinates;
    char coordinate[MAX_COORDINATES][16];
    struct formulas formulas;
    int kinetic, potential, dissipation; /* roots; 0: none */
    int dry; /* dissipation of dry friction, by absolute values of rates */
    double start[MAX_COORDINATES], rate[MAX_COORDINATES];
    bool as_force; /* write the potential as a force */
};

/* The question that the model asks. */
enum question { ASK_SIMULATE, ASK_CHATTER };

struct model {
    int dimension;
    double gravity[3];
    struct ride ground;  /* of the fixed bodies; it turns, or is pushed along */
    struct ride carried; /* forces move the others as if they were carried by
                            it; gravity turns with it */
    double tolerance;    /* of verdicts; 0: none is stated */
    const char *law;     /* of the world; NULL: none is stated */
    struct body body[MAX_BODIES];
    int bodies;
    struct contact contact[MAX_CONTACTS];
    int contacts;
    struct joint joint[MAX_JOINTS];
    int joints;
    struct coordinate_system system[MAX_SYSTEMS];
    int systems;
    enum question question;
    bool exact_start; /* contacts are closed: do not move it */
    double until;
    double at[MAX_TIMES];
    int times;
    bool reversed;      /* contacts of systems in reversed order */
    bool second;        /* followed by the second engine, `engine = gsl` */
    bool record_gaps;   /* besides the state of each body */
    bool record_pushes; /* the normal forces of contacts without friction, and
                           what joints with friction bear */
    bool observed;      /* an observer follows each coordinate of the systems */
    bool families;      /* contacts of systems are one family, k[i] */
    const char *ask;    /* commands instead of `simulate`; NULL: none */
    bool as_screws;     /* joints are constraints by the screws that they bear;
                           bodies on them state their motions */
    bool as_params;     /* numbers before the commands are params */
    bool in_feet;       /* numbers have units that are not those of SI */
    bool formatted;     /* by `imp fmt` */
    bool as_data;       /* numbers and tables come from files */
    char folder[32];    /* where these lie; "": nowhere yet */
    bool slide_rates;   /* systems state `slide'` instead of `slide` */
    bool zero_friction; /* contacts without friction state a coefficient that is
                           a param of value 0 */
    bool all_pairs;     /* `search = all` */
    bool perturbed;     /* `engine = perturbed` */
    bool bent;          /* gaps have corners (bends.c) */
    bool rounded;       /* `corners = rounded` */
    bool found; /* the contacts are those of blocks `contacts`, which have
                   the laws of the first */
    bool split; /* blocks for the bodies that are marked, for the others,
                   and between both; else there is one for all */
    bool side[MAX_BODIES];
    bool as_system;                  /* the bodies are a system called `all` */
    bool guest_left_out[MAX_BODIES]; /* by the shrinker, of the bodies that
                                        `beside` adds */
    uint64_t shuffle; /* not 0: order of declarations, comments, blanks */
};

/* Can it be printed as a system? Balls, and in the plane ellipses and convex
 * polygons, on half-planes and half-spaces that may swing or turn, and balls on
 * balls, in the plane under loads that have no branch, too, and what hangs on
 * hinges and sliders without friction. */
bool can_be_system(const struct model *model);
/* Writes the text of the model. */
void model_print(const struct model *model, FILE *out);
/* The whole text; the caller frees it. Writes the files of a model that takes
 * data from its folder. */
char *model_text(const struct model *model);
/* moves, and is asked for in the record */
/* Has any rotor friction? Has any joint? */
bool model_has_rotors(const struct model *model);
bool model_has_rough_joints(const struct model *model);
/* has a joint, so its velocity and spin follow from rates */
bool body_is_jointed(const struct model *model, int body);
bool body_moves(const struct model *model, int body);
/* Are forces, slip and work of that contact recorded? */
bool contact_records(const struct model *model, int contact);
/* Is it one of a system whose ground moves, by a gap or a slide that depends on
 * the time? (A belt has a speed of its own.) */
bool contact_is_driven(const struct model *model, int contact);
/* Newton's restitution of an impact at that speed of approach. */
double contact_restitution(const struct contact *contact, double approach);
/* The coefficient of friction at that slip. */
double contact_friction(const struct contact *contact, double slip);
/* Has any contact, joint or rotor friction? */
bool model_is_rough(const struct model *model);
/* Sets `count` equal steps from 0 to until as times of the record. */
void model_set_times(struct model *model, int count);

#endif
