/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the checker knows of an instance of a system while it reads the model.
 */
#ifndef IMP_CHECK_QUANTITIES_SYSTEMS_H
#define IMP_CHECK_QUANTITIES_SYSTEMS_H

#include "check/quantities/quantities.h"

enum system_key {
    K_KINETIC,
    K_POTENTIAL,
    K_DISSIPATION,
    K_FORCE,
    K_MASS,
    K_STIFFNESS,
    N_SYSTEM_KEYS
};

/* a contact, or a family, of an instance */
struct member {
    const struct ast_item *item;
    uint32_t first, count; /* contacts */
    int lo;                /* index of the first */
    bool family;
    bool open; /* checked by itself: one member stands for all */
};
/* point P = (X, Y), or a family of such, or let k = ... */
struct named_value {
    const struct ast_item *item;
    struct value *value; /* count of them: places of points */
    uint32_t count;
    int lo; /* index of the first */
    bool family, open;
};
/* start { ... } and the names its values may use */
struct start_block {
    const struct ast_item *item;
    struct env *env;
};
struct system_work {
    struct decl *decl;    /* the instance */
    struct decl *pattern; /* whose block it is; may be decl */
    const struct ast_item *keys[N_SYSTEM_KEYS];
    bool misnamed;    /* a key of the block is none, as was told */
    struct env env;   /* arguments, then coordinates */
    struct env *args; /* of the pattern */
    const struct dim *energy;
    struct {
        struct member *v;
        size_t n, cap;
    } members;
    struct {
        struct named_value *v;
        size_t n, cap;
    } named; /* in the order of the block: later ones may read earlier ones */
    struct {
        struct start_block *v;
        size_t n, cap;
    } own_starts, starts; /* the pattern's, then those of what stands for it: a
                             later one replaces an earlier one, key by key */
    struct {
        const struct ast_item **v;
        size_t n, cap;
    } observers;                 /* blocks */
    const struct ast_item *draw; /* the block draw { ... }; NULL: none */
    bool open; /* a pattern checked by itself: arguments have no values */
    bool broken;
};

/* of the instance with this number; NULL: none */
const struct system_work *system_work_of(const struct check *ck,
                                         uint32_t system);

#endif
