/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The typed model: what the checker guarantees to everything behind it. Names
 * are resolved, dimensions agree, kinds fit, every number is a node of the
 * graph in SI units, user functions and shapes are expanded. User errors of
 * the text end here; errors that depend on values (mass <= 0, overlap) come at
 * set-up. All memory: the model's arena. */
#ifndef IMP_CHECK_CONTEXT_TYPED_MODEL_H
#define IMP_CHECK_CONTEXT_TYPED_MODEL_H

#include "abi/image.h"
#include "abi/lists.h"
#include "base/diag.h"
#include "base/intern.h"
#include "calculus/expr.h"
#include "syntax/ast.h"

/* an expression field with its place; e NULL when absent */
struct tm_num {
    const expr *e;
    imp_range range;
};
struct tm_vec {
    const expr *const *e;
    uint32_t n; /* 0 when absent */
    imp_range range;
};

struct tm_param {
    const char *name, *doc;
    const char *unit; /* SI text */
    double dflt, lo, hi;
    bool has_range, structural;
    imp_range range;
};

/* The shape of a body, and what the shape states about itself. */
struct tm_shape {
    /* level set in SYM_LOCAL 0..d-1 (x, y, z), TIME and params; NULL if the
     * body has none */
    const expr *level_set;
    bool uses_z;
    imp_range range;
    struct tm_num volume;
    struct tm_vec centre;  /* d entries */
    struct tm_vec inertia; /* per unit density about the centroid: 1 entry, or
                              6: xx yy zz xy xz yz */
    /* a convex polytope: n_point points of d entries (no level set then), or
     * n_plane linear pieces of the level set max(..), d coefficients and the
     * bound: a.x <= b, d + 1 entries each. Expressions of params */
    const expr **poly;
    uint32_t n_point, n_plane;
};
/* What a body states about its mass. */
struct tm_mass {
    struct tm_num mass, density;
    struct tm_vec inertia, centre;
};
/* Where a body is at the start, and how it moves there. */
struct tm_start {
    struct tm_vec position; /* d entries, defaults to 0 */
    enum imp_orient orient_kind;
    struct tm_vec orient;         /* 1, 4, 9, or 4 (axis, angle) */
    struct tm_vec velocity, spin; /* d; 1 or 3 */
};
struct tm_body {
    const char *name, *doc;
    imp_range range;
    struct tm_shape shape;
    struct tm_mass stated;
    struct tm_start start;
    struct tm_vec force, torque; /* d; 1 or 3; world axes; may read t and
                                    SYM_BODY leaves */
    bool fixed;
    /* Of a drawn position: its least distance to other bodies (e NULL: not
     * stated), and how many random numbers it is made of. SYM_DRAW in its start
     * are numbered from first_draw on: so members of a family share formulas.
     */
    struct tm_num apart;
    uint32_t first_draw, n_draw;
    uint32_t sides; /* bits 2 k and 2 k + 1: of rule k of contacts, on its first
                       side, on its second */
};
struct tm_contact {
    const char *name, *doc;
    imp_range range;
    uint32_t body[2];
    enum imp_law law;
    bool law_named; /* a bare number names none */
    /* 1 + the number of the rule that it is: it stands for all pairs of bodies
     * of its sides (tm_body.sides) that have no contact of their own; 0: of one
     * pair alone */
    uint32_t rule;
    bool tells_point;     /* its p or b is recorded */
    bool tells_slip;      /* of bodies: its slip is recorded */
    bool tells_load;      /* without friction: its force or mode is recorded */
    bool tells_stored;    /* its stored energy is recorded */
    struct tm_num own[2]; /* an impact law of its own, or NULL: impulses */
    struct tm_num e;      /* default 1 */
    bool sticks; /* of bodies: an impact takes all of the velocity; e is 0 */
    /* Coefficients of friction of a point that slips, of one that sticks, and
     * of an impact: default 0; mu_impact NULL: mu. In a system they may read
     * SYM_SLIP, the speed of slip */
    struct tm_num mu, mu_static, mu_impact;
    bool no_mu; /* what it states of these is wrong, as was told */
    /* of a system, e NULL where not stated: the normal force of a compliant
     * contact, of its arguments (enum contact_argument, without the slip) and
     * params, and its scale (default 1) */
    struct tm_num compliance, scale;
    bool yields;    /* states a compliance, which may be wrong */
    bool remembers; /* the compliance, or a record, reads its impulses */
    /* stated contacts: point and direction in world axes at the start; the
     * direction is of length 1 when `normal` was given, kept as it is when
     * `direction` was. n = 0: not stated. A direction without `at`: which
     * normal holds where corners leave it open (IMP_CONTACTF_NORMAL) */
    struct tm_vec at, direction;
    struct tm_num priority;
    /* of its bond under the law `lzb`; e NULL: not stated, and 3/2 */
    struct tm_num stiffness, exponent;
    /* of a system: 1 + its number, and the gap in its coordinates (body is
     * then IMP_WORLD twice); 0: between bodies */
    uint32_t system;
    struct tm_num gap;
    const char *gap_unit;
    const struct dim *gap_dim; /* the checker's own */
    /* of a system, with a polygon whose corners are no numbers yet: its corners
     * (pairs), of which set-up asks whether each is one; else none */
    const expr *const *corner;
    uint32_t n_corner;
    imp_range range_corner;
    /* of a system, e NULL where not stated: the slip velocity, linear in the
     * rates of its coordinates, and the place it is the rate of (NULL where the
     * velocity itself is stated) */
    struct tm_num slip, slide;
    bool slides_freely; /* of a system: yields, without friction and without a
                           slip of its own; the slip is the rate of the gap */
    const struct dim *slip_dim, *energy_dim; /* the checker's own */
};
/* a generalised coordinate; SYM_COORD i, numbered over all systems */
struct tm_coordinate {
    const char *name;
    const char *unit, *rate_unit;    /* SI text */
    struct tm_num start, start_rate; /* 0 by default */
    /* an observer variable: its highest derivative (1 or 2; 0: a coordinate) as
     * a formula, and what an impact adds to value and rate (NULL: nothing) */
    uint32_t order;
    struct tm_num equation, jump, jump_rate;
    imp_range range;
};
/* Motion in generalised coordinates q: d/dt dT/dq' - d(T - V)/dq + dD/dq' =
 * force from the energies (kinetic T, potential V, Rayleigh's D), or
 * mass q'' = force as stated. All read SYM_COORD of this system, t, params. */
/* What a system looks like: a rod, a disc ... at places that are formulas of
 * its coordinates. */
struct tm_drawing {
    const char *name;
    enum imp_drawing_kind kind;
    const expr *e[4]; /* places x, y, then lengths, then angles */
    uint32_t n;
    /* of an outline: n_point corners x, y, or n_plane half-planes (two
     * coefficients and the bound), or a level set at SYM_LOCAL 0, 1 */
    const expr *level_set;
    const expr *const *poly;
    uint32_t n_point, n_plane;
    imp_range range;
};
struct tm_system {
    const char *name, *doc;
    imp_range range;
    uint32_t first, n;   /* coordinates; the variables of its */
    uint32_t n_observer; /* observers follow them */
    imp_range range_observer;
    uint32_t contact, n_contact;                   /* its contacts */
    struct tm_num kinetic, potential, dissipation; /* e NULL when absent */
    const expr **force; /* n generalised forces, or NULL */
    const expr **mass;  /* n x n, row-major, or NULL */
    imp_range range_mass;
    const char *energy_unit;
    struct tm_drawing *drawings; /* of draw { ... } */
    uint32_t n_drawings;
};
struct tm_joint {
    const char *name, *doc;
    imp_range range;
    enum imp_joint_kind kind;
    uint32_t body[2];              /* IMP_WORLD possible */
    struct tm_vec at, axis, axis2; /* d or 3 entries */
    struct tm_vec rate;            /* see IMP_JOINT_RATE */
    const expr **user;             /* n_user * 6 */
    uint32_t n_user;
    /* the body that its point and screws go with (IMP_WORLD possible): the
     * first one, unless a constraint states another */
    uint32_t carrier;
    /* Coulomb's friction in the plane (e NULL: none): formulas as of a contact
     * of both bodies; radius of the pin, or length of the bush */
    struct tm_num mu, mu_static, width;
    bool friction_wrong; /* what is wrong with it has been reported */
    bool told;           /* without friction: a command reads its force */
};

/* A wheel within a body. Torques are about its axis and may read t, params, its
 * body and its own rate (SYM_ROTOR); friction also SYM_SLIP, its speed. */
struct tm_rotor {
    const char *name, *doc;
    imp_range range;
    uint32_t body;
    struct tm_vec axis; /* body axes; n = 0 in the plane */
    struct tm_num inertia, rate;
    struct tm_num friction, friction_static; /* e NULL: none */
    struct tm_num motor;                     /* e NULL: none */
    bool holds;                              /* the motor holds the rate */
};

/* a value in a command; mirrors imp_val, with expressions instead of tapes */
struct tm_val {
    enum imp_val_kind kind;
    imp_range range;
    uint32_t rows, cols;
    const expr **e; /* rows*cols; expect with compare: truth, left, right */
    bool compare;
    bool truth;     /* COLUMN: of truth values */
    uint32_t words; /* COLUMN: 1 + table whose column `field` has these words
                       (imp_val.words) */
    bool listed; /* constants are listed, not made a tape (imp_val.numbers) */
    uint32_t ref, field;
    struct tm_val *items;
    size_t n_items;
    const char *text, *label, *unit, *name;
};
/* mirrors imp_list */
struct tm_list {
    enum imp_list_kind kind;
    uint32_t width;
    uint32_t command, field, table, column;
    struct tm_val *inputs;
    size_t n_inputs;
    const char *text, *name;
    imp_range range;
    bool given; /* made of data, params and numbers: known before any motion */
    bool moves; /* made of what changes along the motion, too */
};
/* data NAME = "file": its columns, in SI units; NaN: missing */
struct tm_table_column {
    const char *name, *unit, *header;
    double unit_num, unit_den; /* of the file's numbers */
    const char *stated, *said; /* by the model and by the file, or NULL */
    const double *x;
    bool text;          /* texts: x are their numbers */
    const char **words; /* n_words of them */
    size_t n_words;
};
struct tm_table {
    const char *name, *doc, *file;
    const char *missing; /* or NULL */
    imp_range range;
    struct tm_table_column *columns;
    size_t n_columns, n_rows;
    bool whole; /* the model holds for this many rows alone */
};
struct tm_opt {
    enum imp_option_id id;
    struct tm_val val;
};
struct tm_field {
    const char *name, *unit, *doc;
    enum imp_field_kind kind;
    uint32_t column, width, member;
    int32_t first; /* index of the first member */
};
struct tm_command {
    enum imp_command_id id;
    const char *bound; /* "" if unbound */
    imp_range range;
    struct tm_val *args;
    size_t n_args;
    struct tm_opt *opts;
    size_t n_opts;
    struct tm_field *fields;
    size_t n_fields;
    bool done, inner; /* computed before; asked by a sweep only */
};
struct tm_slot {
    enum imp_slot_kind kind;
    uint32_t command, field;
    int32_t index;
    uint32_t n; /* how many numbers: more than 1 of a table */
    const char *text;
    imp_range range;
    bool given; /* of such a list: bodies and systems may read it, too */
    bool moves; /* of a list that changes along the motion */
};

/* an expression whose Taylor coefficients in t are SYM_SERIES leaves; it may
 * read series of lower numbers */
struct tm_series {
    const expr *e;
    uint32_t order; /* highest coefficient that is ever wanted */
    uint32_t depth; /* orders its own leaves need beyond those of its series */
    imp_range range;
};

/* random(lo, hi) in a start; SYM_DRAW */
struct tm_draw {
    const expr *lo, *hi;
    imp_range range;
};

struct tm_model {
    struct arena *arena;
    struct graph *graph;
    const struct sources *sources;
    const char *name;
    uint32_t dim; /* 2, 3; 0 without bodies */
    struct tm_param *params;
    size_t n_params;
    struct tm_body *bodies;
    size_t n_bodies;
    struct tm_contact *contacts;
    size_t n_contacts;
    struct tm_joint *joints;
    size_t n_joints;
    struct tm_rotor *rotors;
    size_t n_rotors;
    struct tm_coordinate *coordinates;
    size_t n_coordinates;
    struct tm_system *systems;
    size_t n_systems;
    struct tm_command *commands;
    size_t n_commands;
    struct tm_slot *slots;
    size_t n_slots;
    struct tm_series *series;
    size_t n_series;
    struct tm_draw *draws;
    size_t n_draws;
    struct tm_list *lists;
    size_t n_lists;
    struct tm_table *tables;
    size_t n_tables;
    struct {
        struct tm_vec gravity;   /* d entries, 0 by default */
        struct tm_num tolerance; /* relative; NULL when not given */
        struct tm_num seed;
        enum imp_policy policy;
        bool has_policy, gain_allowed, start_projected;
        uint32_t forbid; /* IMP_FORBID_... */
        enum imp_impact_law impact_law;
        uint32_t paradox; /* row of abi/paradox.def */
        uint32_t loads;   /* row of abi/loads.def */
        uint32_t corners; /* row of abi/corners.def */
    } world;
};

#endif
