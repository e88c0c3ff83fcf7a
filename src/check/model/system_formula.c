/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the block of a system says about its motion: energies, forces or the
 * mass matrix, the gaps of its contacts. Coordinates have the dimensions that
 * these formulas give them; energies and forces of one system need only agree
 * with one another. In a pattern that is checked by itself arguments have no
 * values (V_ANY): then dimensions, names and what is read are looked at. */
#include <string.h>

#include "check/model/system_priv.h"

enum { C_GAP, C_RESTITUTION, C_FRICTION, C_SLIDE, N_CONTACT };
const struct keydef system_contact_keys[] = {
    {"gap", "the gap as a formula in the coordinates"},
    {"restitution", "coefficient of restitution (1), or a law"},
    {"friction", "coefficient of friction (0)"},
    {"slide", "the tangential coordinate"},
};
const size_t n_system_contact_keys = N_CONTACT;

struct reads {
    const struct tm_system *s;
    bool rate, other, result;
    const expr *observer; /* a variable of the system's observers */
};
static void
read_leaf(void *ctx, const expr *l)
{
    struct reads *r = ctx;
    if (l->sym == SYM_COORD && l->i >= r->s->first &&
        l->i < r->s->first + r->s->n)
        r->rate |= l->j > 0;
    else if (l->sym == SYM_COORD && l->i >= r->s->first &&
             l->i < r->s->first + r->s->n + r->s->n_observer)
        r->observer = l;
    else if (l->sym == SYM_SLOT)
        r->result = true;
    else
        r->other |= l->sym != SYM_PARAM && l->sym != SYM_TIME;
}

/* what a formula of a system may read; rates: of the coordinates too */
static bool
formula_ok(struct check *ck, const struct tm_system *s, const expr *e,
           bool rates, const struct ast_expr *at, const char *what)
{
    struct reads r = {.s = s};
    if (ex_depends(ck->g, e, SYM_LOCAL, UINT32_MAX, UINT32_MAX))
        return true; /* of arguments without values: nothing is known */
    ex_leaves(ck->g, &e, 1, read_leaf, &r);
    if (r.observer) {
        const struct tm_coordinate *u = &ck->coordinates.v[r.observer->i];
        struct diag *d =
            ck_error(ck, DIAG_E0370, at->range,
                     "%s reads the observer variable `%s`", what, u->name);
        CK_NOTE(ck, d, u->range,
                "an observer feels the motion and does not act on it");
        CK_HELP(ck, d,
                "make it a coordinate with an energy of its own: coordinate "
                "%s in the system's block",
                u->name);
        return false;
    }
    if (!r.other && !r.result && (rates || !r.rate))
        return true;
    struct diag *d =
        r.other || r.result
            ? ck_error(ck, DIAG_E0364, at->range, "%s reads %s", what,
                       r.result ? "the result of a command"
                                : "the motion of something else")
            : ck_error(ck, DIAG_E0364, at->range,
                       "%s depends on the rate of a coordinate", what);
    CK_HELP(ck, d, "it may depend on the system's coordinates%s, t and params",
            rates ? ", their rates" : "");
    return false;
}

/* Dimensions that are still open are told by their ratio (E0202). `of` is the
 * formula from which `dim` comes; false: reported */
static bool
agrees(struct check *ck, const struct value *v, const struct ast_expr *e,
       const struct dim *dim, const struct ast_item *of, const char *what)
{
    if (v->kind == V_POISON || v->bare || v->dims || !v_is_scalar(v) || !of ||
        dim_unify(ck->dims, v->dim, dim, e->range))
        return v->kind != V_POISON;
    const struct dim *ratio = dim_div(ck->dims, v->dim, dim);
    if (dim_known(ck->dims, dim) || !dim_known(ck->dims, ratio))
        return true; /* the usual message can say it */
    struct diag *d = ck_error(ck, DIAG_E0202, e->range,
                              "%s is [%s] times what the kinetic energy asks "
                              "for",
                              what, dim_text(ck->dims, ratio));
    CK_NOTE(ck, d, of->value->range, "the kinetic energy");
    CK_HELP(ck, d,
            "energies of one system agree in dimension, and a force is an "
            "energy over its coordinate; give factors their units");
    return false;
}

static bool
energy_key(struct check *ck, struct system_work *w, const struct tm_system *s,
           int key, const struct dim *dim, struct tm_num *out)
{
    const struct ast_item *k = w->keys[key];
    static const char *const what[] = {"the kinetic energy",
                                       "the potential energy",
                                       "the dissipation function"};
    if (!k)
        return true;
    struct value v = ck_expr(ck, &w->env, k->value);
    if (!agrees(ck, &v, k->value, dim,
                key == K_KINETIC ? NULL : w->keys[K_KINETIC], what[key]) ||
        !v_need_scalar(ck, &v, k->value, dim, what[key]) ||
        !formula_ok(ck, s, v.e[0], key != K_POTENTIAL, k->value, what[key]))
        return false;
    take_num(out, &v, k->value);
    return true;
}

/* n numbers, each of its own dimension energy/coordinate */
static bool
force_key(struct check *ck, struct system_work *w, struct tm_system *s)
{
    const struct ast_item *k = w->keys[K_FORCE];
    if (!k)
        return true;
    const struct ast_expr *p = ast_unwrap(k->value);
    bool tuple = p->kind == AST_TUPLE && !p->unit;
    size_t n = tuple ? p->n_list : 1;
    if (n != s->n) {
        struct diag *d =
            ck_error(ck, DIAG_E0365, k->value->range,
                     "this system has %u coordinate%s, but the force has %zu "
                     "entr%s",
                     s->n, s->n == 1 ? "" : "s", n, n == 1 ? "y" : "ies");
        CK_HELP(ck, d, "one generalised force per coordinate, in their order");
        return false;
    }
    bool ok = true;
    s->force = NEW_N(ck->arena, const expr *, s->n);
    s->range_force = k->value->range;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct ast_expr *e = tuple ? p->list[i] : k->value;
        struct value v = ck_expr(ck, &w->env, e);
        const struct dim *d =
            dim_div(ck->dims, w->energy, ck->coordinate_dims.v[s->first + i]);
        bool good = agrees(ck, &v, e, d, w->keys[K_KINETIC],
                           "this generalised force") &&
                    v_need_scalar(ck, &v, e, d, "this generalised force") &&
                    formula_ok(ck, s, v.e[0], true, e, "a force");
        s->force[i] = good ? v.e[0] : NULL;
        ok &= good;
    }
    return ok;
}

/* entry i, j of the mass matrix: energy time^2/(q_i q_j) */
static const struct dim *
mass_dim(struct check *ck, const struct system_work *w,
         const struct tm_system *s, uint32_t i, uint32_t j)
{
    const struct dim *d =
        dim_mul(ck->dims, w->energy, dim_mks(ck->dims, 0, 0, 2));
    d = dim_div(ck->dims, d, ck->coordinate_dims.v[s->first + i]);
    return dim_div(ck->dims, d, ck->coordinate_dims.v[s->first + j]);
}

static bool
mass_key(struct check *ck, struct system_work *w, struct tm_system *s)
{
    const struct ast_item *k = w->keys[K_MASS];
    if (!k)
        return true;
    const struct ast_expr *p = ast_unwrap(k->value);
    bool matrix = p->kind == AST_MATRIX && !p->unit;
    bool call = p->kind == AST_CALL && p->a->kind == AST_NAME &&
                !strcmp(p->a->name.text, "diag");
    size_t want = matrix ? (size_t)s->n * s->n : s->n;
    size_t got = matrix ? p->n_list : call ? p->n_args : 1;
    if (got != want) {
        struct diag *d =
            ck_error(ck, DIAG_E0365, k->value->range,
                     "the mass matrix of this system is %u x %u", s->n, s->n);
        CK_HELP(ck, d,
                "written out by rows, [m, 0; 0, m*l^2], or diag(m, m*l^2)");
        return false;
    }
    bool ok = true;
    s->mass = NEW_N(ck->arena, const expr *, (size_t)s->n * s->n);
    s->range_mass = k->value->range;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < s->n; j++) {
            uint32_t at = i * s->n + j;
            s->mass[at] = ex_num(ck->g, 0);
            if (!matrix && i != j)
                continue;
            const struct ast_expr *e = matrix ? p->list[at]
                                       : call ? p->args[i].value
                                              : k->value;
            struct value v = ck_expr(ck, &w->env, e);
            bool good = v_need_scalar(ck, &v, e, mass_dim(ck, w, s, i, j),
                                      "this entry of the mass matrix") &&
                        formula_ok(ck, s, v.e[0], false, e, "the mass matrix");
            s->mass[at] = good ? v.e[0] : s->mass[at];
            ok &= good;
            const expr *t = j < i ? s->mass[j * s->n + i] : NULL;
            if (good && t && t != v.e[0] && ex_is_const(t) &&
                ex_is_const(v.e[0])) {
                ck_error(ck, DIAG_E0318, e->range,
                         "a mass matrix is symmetric, but its entries above "
                         "and below the diagonal differ");
                ok = false;
            }
        }
    return ok;
}

static bool
inertia_ok(struct check *ck, const struct system_work *w,
           const struct tm_system *s)
{
    const struct ast_item *kin = w->keys[K_KINETIC], *mass = w->keys[K_MASS];
    struct diag *d;
    if (kin && mass) {
        d = ck_error(ck, DIAG_E0366, mass->name.range,
                     "a system has a kinetic energy or a mass matrix, not "
                     "both");
        CK_NOTE(ck, d, kin->name.range, "the kinetic energy");
        return false;
    }
    if (!kin && !mass) {
        d = ck_error(ck, DIAG_E0366, w->pattern->range,
                     "the system `%s` has no kinetic energy", w->pattern->name);
        CK_HELP(ck, d,
                "add kinetic = ..., or the equations themselves: mass = "
                "[...]  force = (...)");
        return false;
    }
    bool open = s->kinetic.e && ex_depends(ck->g, s->kinetic.e, SYM_LOCAL,
                                           UINT32_MAX, UINT32_MAX);
    for (uint32_t i = 0; kin && s->kinetic.e && !open && i < s->n; i++)
        if (!ex_depends(ck->g, s->kinetic.e, SYM_COORD, s->first + i, 1)) {
            const char *q = ck->coordinates.v[s->first + i].name;
            d = ck_error(ck, DIAG_E0366, kin->value->range,
                         "the kinetic energy does not depend on %s'", q);
            CK_NOTE(ck, d, ck->coordinates.v[s->first + i].range,
                    "so this coordinate has no inertia");
            CK_HELP(ck, d, "add its term, or leave the coordinate out");
            return false;
        }
    return true;
}

/* -- contacts ------------------------------------------------------------- */

/* an absolute value, or a sum of such, times what is not negative: its least
 * value 0 is where its branches meet */
static bool
never_negative(const expr *e)
{
    switch (e->op) {
    case IMP_OP_ABS:
        return true;
    case IMP_OP_ADD:
        return never_negative(e->a) && never_negative(e->b);
    case IMP_OP_MUL:
        return ex_is_const(e->a) && e->a->num > 0.0 && never_negative(e->b);
    case IMP_OP_DIV:
        return ex_is_const(e->b) && e->b->num > 0.0 && never_negative(e->a);
    default:
        return false;
    }
}

static void
one_contact(struct check *ck, struct system_work *w, const struct tm_system *s,
            const struct member *m, uint32_t i)
{
    const struct ast_item *k[N_CONTACT];
    struct tm_contact *c = &ck->contacts.v[m->first + i];
    const char *name[1] = {m->item->index.text};
    struct value val = v_num(ck, ex_num(ck->g, m->lo + (int)i),
                             dim_pure(ck->dims), m->item->index.range);
    struct env env = w->env, inner = {.up = &w->env,
                                      .module = w->env.module,
                                      .names = name,
                                      .vals = &val,
                                      .n = 1,
                                      .system = true};
    val.bare = true;
    if (m->open)
        val = v_any(ck, dim_pure(ck->dims), m->item->index.range);
    if (m->family)
        env = inner;
    block_keys(ck, m->item, system_contact_keys, N_CONTACT, "contact", k);
    if (k[C_SLIDE])
        ck_unavailable(ck, k[C_SLIDE]->name.range,
                       "the key `slide` of a contact");
    contact_numbers(ck, &env, k[C_RESTITUTION], k[C_FRICTION], c);
    if (!k[C_GAP]) {
        struct diag *d =
            ck_error(ck, DIAG_E0367, m->item->name.range,
                     "the contact `%s` has no gap", m->item->name.text);
        CK_HELP(ck, d, "add gap = ..., positive while the bodies are apart");
        return;
    }
    const struct ast_expr *e = k[C_GAP]->value;
    struct value v = ck_expr(ck, &env, e);
    const struct dim *dim = dim_fresh(ck->dims, e->range);
    if (!v_need_scalar(ck, &v, e, dim, "a gap") ||
        !formula_ok(ck, s, v.e[0], false, e, "a gap"))
        return;
    bool moves = ex_depends(ck->g, v.e[0], SYM_LOCAL, UINT32_MAX, UINT32_MAX);
    for (uint32_t q = 0; q < s->n; q++)
        moves |= ex_depends(ck->g, v.e[0], SYM_COORD, s->first + q, 0);
    if (!moves) {
        struct diag *d = ck_error(ck, DIAG_E0367, e->range,
                                  "this gap does not depend on the "
                                  "coordinates");
        CK_HELP(ck, d,
                "an impulse could not change it; a gap is a formula in %s",
                ck->coordinates.v[s->first].name);
        return;
    }
    if (never_negative(v.e[0])) {
        struct diag *d = ck_error(ck, DIAG_E0375, e->range,
                                  "this gap is never negative, and where it is "
                                  "0 an impulse has no direction");
        CK_HELP(ck, d,
                "write what is inside: h for what is above a floor, -h for "
                "what is below it; an obstacle of some width is abs(h) - w");
        return;
    }
    take_num(&c->gap, &v, e);
    c->gap_dim = dim;
    APUSH(ck, &ck->pending,
          (struct pending){.unit = &ck->contacts.v[m->first + i].gap_unit,
                           .dim = dim});
}

void
system_formulas(struct check *ck, struct system_work *w, struct tm_system *s)
{
    bool ok = energy_key(ck, w, s, K_KINETIC, w->energy, &s->kinetic);
    ok &= energy_key(ck, w, s, K_POTENTIAL, w->energy, &s->potential);
    ok &= energy_key(ck, w, s, K_DISSIPATION,
                     dim_mul(ck->dims, w->energy, dim_mks(ck->dims, 0, 0, -1)),
                     &s->dissipation);
    ok &= force_key(ck, w, s);
    ok &= mass_key(ck, w, s);
    if (ok)
        inertia_ok(ck, w, s);
    for (size_t m = 0; m < w->members.n; m++)
        for (uint32_t c = 0; c < w->members.v[m].count; c++)
            one_contact(ck, w, s, &w->members.v[m], c);
}
