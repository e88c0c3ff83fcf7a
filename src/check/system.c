/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems in generalised coordinates:
 *
 *   system rod(m, l) { coordinate X, theta  kinetic = ...  contact tip {..} }
 *   system one : rod(1 [kg], 2 [m]) { start { theta = 1 } }
 *
 * A system with arguments is a pattern that is expanded by each instance, as
 * functions are; one without arguments is its own instance. Coordinates have
 * the dimensions that the formulas give them; energies and forces of one system
 * need only agree with one another. Families of contacts are written out here,
 * one contact per index. What depends on values (a singular mass matrix) is
 * found at set-up and on the way. */
#include <math.h>
#include <string.h>

#include "check/check_priv.h"

enum { K_KINETIC, K_POTENTIAL, K_DISSIPATION, K_FORCE, K_MASS, N_KEYS };
const struct keydef system_keys[] = {
    {"kinetic", "kinetic energy in the coordinates and their rates"},
    {"potential", "potential energy in the coordinates (0)"},
    {"dissipation", "Rayleigh's function: half the power lost (0)"},
    {"force", "generalised forces, one per coordinate (0)"},
    {"mass", "mass matrix; with `force`, instead of the energies"},
};
const size_t n_system_keys = sizeof system_keys / sizeof system_keys[0];

const struct keydef system_values[] = {
    {"energy", "kinetic and potential energy"},
    {"kinetic_energy", "kinetic energy"},
    {"potential_energy", "potential energy"},
};
const size_t n_system_values = sizeof system_values / sizeof system_values[0];

enum { C_GAP, C_RESTITUTION, C_FRICTION, C_SLIDE, N_CONTACT };
static const struct keydef system_contact_keys[N_CONTACT] = {
    {"gap", "the gap as a formula in the coordinates"},
    {"restitution", "coefficient of restitution (1), or a law"},
    {"friction", "coefficient of friction (0)"},
    {"slide", "the tangential coordinate"},
};

#define FAMILY_MAX 10000
#define COORDINATES_MAX 64

/* a contact, or a family, of an instance */
struct member {
    const struct ast_item *item;
    uint32_t first, count; /* contacts */
    int lo;                /* index of the first */
    bool family;
};
struct system_work {
    struct decl *decl;    /* the instance */
    struct decl *pattern; /* whose block it is; may be decl */
    const struct ast_item *keys[N_KEYS];
    struct env env; /* arguments, then coordinates */
    struct env args;
    const struct dim *energy;
    struct {
        struct member *v;
        size_t n, cap;
    } members;
    struct {
        const struct ast_item **v;
        size_t n, cap;
    } starts;
    bool broken;
};

static const struct ast_item *
block_of(const struct system_work *w)
{
    return w->pattern->item;
}

/* -- declaring ------------------------------------------------------------ */

/* the pattern that an instance names; NULL: reported */
static struct decl *
pattern_of(struct check *ck, struct decl *d)
{
    const struct ast_expr *head = d->item->head1;
    const struct ast_expr *callee = head->kind == AST_CALL ? head->a : head;
    struct decl *p = NULL;
    if (callee->kind == AST_NAME) {
        bool reported = false;
        p = scope_find(ck, d->module, callee->name.text, WANT_ANY,
                       callee->range, &reported);
        if (!p && !reported) {
            struct env env = {.module = d->module};
            scope_unknown(ck, &env, callee->name.text, callee->range, WANT_ANY);
        }
    } else if (callee->kind == AST_FIELD && callee->a->kind == AST_NAME) {
        struct module *lib = scope_library(d->module, callee->a->name.text);
        struct env le = {.module = lib};
        p = lib ? scope_own(lib, callee->name.text) : NULL;
        if (lib && !p)
            scope_unknown(ck, &le, callee->name.text, callee->name.range,
                          WANT_ANY);
        if (!lib)
            ck_error(ck, DIAG_E0113, callee->a->range,
                     "no library `%s` is in use", callee->a->name.text);
    }
    if (!p)
        return NULL;
    if (p->kind != D_SYSTEM || p->item->head1) {
        struct diag *x = ck_error(ck, DIAG_E0360, head->range,
                                  "`%s` is a %s, not a pattern of a system",
                                  p->name, decl_kind_name(p->kind));
        CK_NOTE(ck, x, p->range, "declared here");
        CK_HELP(ck, x, "as in system %s : rod(1, 2) { start { ... } }",
                d->name);
        return NULL;
    }
    return p;
}

static void
not_in_system(struct check *ck, const struct ast_item *it)
{
    struct diag *d =
        ck_error(ck, DIAG_E0361, it->head.file ? it->head : it->range,
                 "this cannot stand in the block of a system");
    CK_HELP(ck, d,
            "a system has coordinates, energies or forces, contacts with a "
            "`gap`, and start { ... }");
}

static void
add_coordinates(struct check *ck, struct system_work *w, struct tm_system *s,
                const struct ast_item *it)
{
    for (size_t i = 0; i < it->n_names; i++) {
        const struct ast_name *n = &it->names[i];
        bool twice = false;
        for (uint32_t k = s->first; k < s->first + s->n; k++)
            if (!strcmp(ck->coordinates.v[k].name, n->text)) {
                struct diag *d = ck_error(ck, DIAG_E0362, n->range,
                                          "the coordinate `%s` is declared "
                                          "twice",
                                          n->text);
                CK_NOTE(ck, d, ck->coordinates.v[k].range, "first here");
                twice = true;
            }
        if (name_is_reserved(n->text)) {
            ck_error(ck, DIAG_E0105, n->range,
                     "`%s` cannot be declared: it is %s", n->text,
                     !strcmp(n->text, "t") ? "time, everywhere" : "a constant");
            twice = true;
        }
        w->broken |= twice;
        if (twice)
            continue;
        if (s->n == COORDINATES_MAX) {
            ck_error(ck, DIAG_E0362, n->range,
                     "a system has at most %d coordinates", COORDINATES_MAX);
            w->broken = true;
            return;
        }
        struct tm_coordinate c = {
            .name = n->text, .unit = "", .rate_unit = "", .range = n->range};
        c.start.e = c.start_rate.e = ex_num(ck->g, 0);
        c.start.range = c.start_rate.range = n->range;
        APUSH(ck, &ck->coordinates, c);
        APUSH(ck, &ck->coordinate_dims, dim_fresh(ck->dims, n->range));
        s->n++;
    }
}

/* coordinates come into the scope of the system's formulas */
static void
open_scope(struct check *ck, struct system_work *w, const struct tm_system *s)
{
    w->env = (struct env){.up = &w->args,
                          .module = w->pattern->module,
                          .names = NEW_N(ck->arena, const char *, s->n + 1),
                          .vals = NEW_N(ck->arena, struct value, s->n + 1),
                          .n = s->n,
                          .system = true};
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t k = s->first + i;
        w->env.names[i] = ck->coordinates.v[k].name;
        w->env.vals[i] =
            v_num(ck, ex_sym(ck->g, SYM_COORD, k, 0), ck->coordinate_dims.v[k],
                  ck->coordinates.v[k].range);
    }
}

/* lo .. hi of a family; false: reported */
static bool
family_range(struct check *ck, const struct system_work *w,
             const struct ast_item *it, int *lo, uint32_t *count)
{
    double x[2];
    const struct ast_expr *e[2] = {it->lo, it->hi};
    imp_range r = it->lo->range;
    r.hi = it->hi->range.hi;
    for (int i = 0; i < 2; i++) {
        struct value v = ck_expr(ck, &w->args, e[i]);
        if (!v_need_scalar(ck, &v, e[i], dim_pure(ck->dims),
                           "the index of a family"))
            return false;
        if (!ck_fixed(ck, v.e[0], &x[i]) || x[i] != floor(x[i]) ||
            fabs(x[i]) > 1e6) {
            struct diag *d = ck_error(ck, DIAG_E0363, e[i]->range,
                                      "the index of a family runs over whole "
                                      "numbers made of literals and params");
            CK_HELP(ck, d, "as in contact foot[i in 0 .. n-1] { ... }");
            return false;
        }
    }
    if (x[1] < x[0] || x[1] - x[0] >= FAMILY_MAX) {
        ck_error(ck, DIAG_E0363, r,
                 x[1] < x[0] ? "this family is empty: its index runs from %g "
                               "to %g"
                             : "this family is too large: its index runs from "
                               "%g to %g",
                 x[0], x[1]);
        return false;
    }
    *lo = (int)x[0];
    *count = (uint32_t)(x[1] - x[0]) + 1;
    return true;
}

static void
add_contacts(struct check *ck, struct system_work *w, uint32_t system,
             const struct ast_item *it)
{
    struct member m = {.item = it,
                       .first = (uint32_t)ck->contacts.n,
                       .count = 1,
                       .family = it->index.text != NULL};
    if (it->head1 || it->head2) {
        struct diag *d = ck_error(ck, DIAG_E0361, it->head,
                                  "a contact in a system has a gap of its "
                                  "own, not two bodies");
        CK_HELP(ck, d, "contact %s { gap = ... }", it->name.text);
        w->broken = true;
        return;
    }
    for (size_t i = 0; i < w->members.n; i++)
        if (!strcmp(w->members.v[i].item->name.text, it->name.text)) {
            struct diag *d = ck_error(ck, DIAG_E0103, it->name.range,
                                      "`%s` is declared twice", it->name.text);
            CK_NOTE(ck, d, w->members.v[i].item->name.range,
                    "first declared here, as a contact");
            w->broken = true;
            return;
        }
    if (m.family && !family_range(ck, w, it, &m.lo, &m.count)) {
        w->broken = true;
        return;
    }
    const char *owner = ck->systems.v[system].name;
    for (uint32_t i = 0; i < m.count; i++) {
        struct tm_contact c = {.doc = it->doc ? it->doc : "",
                               .range = it->name.range,
                               .body = {IMP_WORLD, IMP_WORLD},
                               .gap_unit = "",
                               .system = 1 + system};
        c.name = m.family
                     ? arena_printf(ck->arena, "%s.%s[%d]", owner,
                                    it->name.text, m.lo + (int)i)
                     : arena_printf(ck->arena, "%s.%s", owner, it->name.text);
        APUSH(ck, &ck->contacts, c);
    }
    APUSH(ck, &w->members, m);
}

/* keys of the pattern's block, everything else left out */
static void
collect_keys(struct check *ck, struct system_work *w)
{
    struct ast_item only = *block_of(w);
    only.block = NEW_N(ck->arena, struct ast_item *, only.n_block + 1);
    only.n_block = 0;
    for (size_t i = 0; i < block_of(w)->n_block; i++)
        if (block_of(w)->block[i]->kind == AST_KEY)
            only.block[only.n_block++] = block_of(w)->block[i];
    block_keys(ck, &only, system_keys, n_system_keys, "system", w->keys);
}

static void
declare_items(struct check *ck, struct system_work *w, uint32_t system)
{
    const struct ast_item *b = block_of(w);
    struct tm_system *s = &ck->systems.v[system];
    for (size_t i = 0; i < b->n_block; i++)
        if (b->block[i]->kind == AST_COORDINATE)
            add_coordinates(ck, w, s, b->block[i]);
    s->contact = (uint32_t)ck->contacts.n;
    for (int own = 0; own < 2; own++) {
        const struct ast_item *it = own ? w->decl->item : b;
        if (own && w->decl == w->pattern)
            break;
        for (size_t i = 0; i < it->n_block; i++) {
            const struct ast_item *x = it->block[i];
            bool start = x->kind == AST_BLOCK && !strcmp(x->name.text, "start");
            if (start) {
                APUSH(ck, &w->starts, x);
            } else if (x->kind == AST_BLOCK &&
                       !strcmp(x->name.text, "observer")) {
                ck_unavailable(ck, x->name.range, "`observer`");
            } else if (own) {
                struct diag *d =
                    ck_error(ck, DIAG_E0361, x->head.file ? x->head : x->range,
                             "an instance has start { ... } only");
                CK_NOTE(ck, d, w->pattern->range,
                        "everything else is in the pattern");
            } else if (x->kind == AST_CONTACT) {
                add_contacts(ck, w, system, x);
            } else if (x->kind != AST_KEY && x->kind != AST_COORDINATE) {
                not_in_system(ck, x);
            }
        }
    }
    ck->systems.v[system].n_contact =
        (uint32_t)ck->contacts.n - ck->systems.v[system].contact;
    collect_keys(ck, w);
}

static void
declare_one(struct check *ck, struct decl *d)
{
    struct system_work w = {.decl = d, .pattern = d};
    struct env caller = {.module = d->module};
    struct frame f;
    if (d->item->head1 && !(w.pattern = pattern_of(ck, d))) {
        d->broken = true;
        return;
    }
    const struct ast_item *p = w.pattern->item;
    if (d->item->head1) {
        if (!call_bind(ck, w.pattern, p->formals, p->n_formals, d->item->head1,
                       &caller, &w.args)) {
            d->broken = true;
            return;
        }
    } else {
        w.args = (struct env){.module = d->module};
    }
    uint32_t index = (uint32_t)ck->systems.n;
    struct tm_system s = {.name = d->name,
                          .doc = d->item->doc ? d->item->doc : "",
                          .range = d->range,
                          .first = (uint32_t)ck->coordinates.n,
                          .energy_unit = ""};
    APUSH(ck, &ck->systems, s);
    w.energy = dim_fresh(ck->dims, d->range);
    if (!call_enter(ck, w.pattern,
                    d->item->head1 ? d->item->head1->range : IMP_NOWHERE, &f))
        w.broken = true;
    else {
        declare_items(ck, &w, index);
        call_leave(ck, &f);
    }
    if (ck->systems.v[index].n == 0 && !w.broken) {
        struct diag *x =
            ck_error(ck, DIAG_E0362, w.pattern->range,
                     "the system `%s` has no coordinate", w.pattern->name);
        CK_HELP(ck, x, "name them: coordinate X, theta");
        w.broken = true;
    }
    d->index = index;
    d->broken |= w.broken;
    APUSH(ck, &ck->system_works, w);
}

void
systems_declare(struct check *ck)
{
    for (struct module *m = ck->modules; m; m = m->next)
        for (struct decl *d = m->first; d; d = d->next)
            if (d->kind == D_SYSTEM && !d->item->has_formals)
                declare_one(ck, d);
    for (size_t i = 0; i < ck->system_works.n; i++)
        open_scope(ck, &ck->system_works.v[i], &ck->systems.v[i]);
}

/* -- formulas ------------------------------------------------------------- */

struct reads {
    const struct tm_system *s;
    bool rate, other, result;
};
static void
read_leaf(void *ctx, const expr *l)
{
    struct reads *r = ctx;
    if (l->sym == SYM_COORD && l->i >= r->s->first &&
        l->i < r->s->first + r->s->n)
        r->rate |= l->j > 0;
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
    ex_leaves(ck->g, &e, 1, read_leaf, &r);
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
    if (!v_need_scalar(ck, &v, k->value, dim, what[key]) ||
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
        bool good = v_need_scalar(ck, &v, e, d, "this generalised force") &&
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
    for (uint32_t i = 0; kin && s->kinetic.e && i < s->n; i++)
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

/* -- contacts, starts ----------------------------------------------------- */

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
    bool moves = false;
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
    take_num(&c->gap, &v, e);
    c->gap_dim = dim;
    APUSH(ck, &ck->pending,
          (struct pending){.unit = &ck->contacts.v[m->first + i].gap_unit,
                           .dim = dim});
}

static void
start_key(struct check *ck, struct system_work *w, const struct tm_system *s,
          const struct ast_item *k, const struct ast_item **seen)
{
    struct env env = {.module = w->decl->module};
    const char *name = k->name.text;
    size_t len = strlen(name);
    bool rate = len > 1 && name[len - 1] == '\'';
    uint32_t i = 0;
    for (; i < s->n; i++) {
        const char *q = ck->coordinates.v[s->first + i].name;
        size_t l = strlen(q);
        if (!strncmp(q, name, l) && l + rate == len)
            break;
    }
    if (i == s->n) {
        const char **names = NEW_N(ck->arena, const char *, s->n);
        for (uint32_t j = 0; j < s->n; j++)
            names[j] = ck->coordinates.v[s->first + j].name;
        struct diag *d = ck_error(ck, DIAG_E0368, k->name.range,
                                  "`%s` is no coordinate of this system, nor "
                                  "a rate",
                                  name);
        if (!ck_suggest(ck, d, k->name.range, name, names, s->n))
            CK_HELP(ck, d, "its coordinates are %s",
                    ck_join(ck, names, s->n, "and"));
        return;
    }
    const struct ast_item **first = &seen[2 * i + rate];
    if (*first) {
        struct diag *d = ck_error(ck, DIAG_E0302, k->name.range,
                                  "the key `%s` is given twice", name);
        CK_NOTE(ck, d, (*first)->name.range, "first here");
        return;
    }
    *first = k;
    const struct dim *dim = ck->coordinate_dims.v[s->first + i];
    if (rate)
        dim = dim_mul(ck->dims, dim, dim_mks(ck->dims, 0, 0, -1));
    const char *what = rate ? "the rate of this coordinate at the start"
                            : "this coordinate at the start";
    struct value v =
        ck_expr(ck, w->decl == w->pattern ? &w->args : &env, k->value);
    if (!v_need_scalar(ck, &v, k->value, dim, what) ||
        !check_leaves(ck, v.e, 1, MAY_PARAMS, k->value, what))
        return;
    struct tm_coordinate *c = &ck->coordinates.v[s->first + i];
    take_num(rate ? &c->start_rate : &c->start, &v, k->value);
}

/* the instance's own block comes after the pattern's and replaces it */
static void
start_blocks(struct check *ck, struct system_work *w, const struct tm_system *s)
{
    for (size_t b = 0; b < w->starts.n; b++) {
        const struct ast_item **seen =
            NEW_N(ck->arena, const struct ast_item *, 2 * s->n + 1);
        for (size_t i = 0; i < w->starts.v[b]->n_block; i++) {
            const struct ast_item *k = w->starts.v[b]->block[i];
            if (k->kind == AST_KEY && k->value && !k->command)
                start_key(ck, w, s, k, seen);
            else
                ck_error(ck, DIAG_E0361, k->head.file ? k->head : k->range,
                         "a start has coordinates and rates only: h = 1  "
                         "h' = -1");
        }
    }
}

static void
system_one(struct check *ck, uint32_t i)
{
    struct system_work *w = &ck->system_works.v[i];
    uint32_t index = w->decl->index;
    struct tm_system s = ck->systems.v[index];
    struct frame f;
    if (w->broken ||
        !call_enter(ck, w->pattern,
                    w->decl->item->head1 ? w->decl->item->head1->range
                                         : IMP_NOWHERE,
                    &f))
        return;
    bool ok = energy_key(ck, w, &s, K_KINETIC, w->energy, &s.kinetic);
    ok &= energy_key(ck, w, &s, K_POTENTIAL, w->energy, &s.potential);
    ok &= energy_key(ck, w, &s, K_DISSIPATION,
                     dim_mul(ck->dims, w->energy, dim_mks(ck->dims, 0, 0, -1)),
                     &s.dissipation);
    ok &= force_key(ck, w, &s);
    ok &= mass_key(ck, w, &s);
    if (ok)
        inertia_ok(ck, w, &s);
    for (size_t m = 0; m < w->members.n; m++)
        for (uint32_t c = 0; c < w->members.v[m].count; c++)
            one_contact(ck, w, &s, &w->members.v[m], c);
    call_leave(ck, &f);
    start_blocks(ck, w, &s);
    ck->systems.v[index] = s;
}

void
check_systems(struct check *ck)
{
    for (uint32_t i = 0; i < ck->system_works.n; i++)
        system_one(ck, i);
    for (uint32_t i = 0; i < ck->coordinates.n; i++) {
        struct tm_coordinate *c = &ck->coordinates.v[i];
        const struct dim *d = ck->coordinate_dims.v[i];
        APUSH(ck, &ck->pending, (struct pending){.unit = &c->unit, .dim = d});
        APUSH(ck, &ck->pending,
              (struct pending){
                  .unit = &c->rate_unit,
                  .dim = dim_mul(ck->dims, d, dim_mks(ck->dims, 0, 0, -1))});
    }
    for (size_t i = 0; i < ck->system_works.n; i++)
        APUSH(ck, &ck->pending,
              (struct pending){
                  .unit = &ck->systems.v[ck->system_works.v[i].decl->index]
                               .energy_unit,
                  .dim = ck->system_works.v[i].energy});
}

/* -- values --------------------------------------------------------------- */

struct value
system_field(struct check *ck, uint32_t system, const char *name,
             imp_range name_range, imp_range range)
{
    const struct tm_system *s = &ck->systems.v[system];
    const struct system_work *w = NULL;
    for (size_t i = 0; i < ck->system_works.n; i++)
        if (ck->system_works.v[i].decl->index == system)
            w = &ck->system_works.v[i];
    if (!w || w->broken)
        return v_poison(range);
    for (uint32_t i = s->first; i < s->first + s->n; i++)
        if (!strcmp(ck->coordinates.v[i].name, name))
            return v_num(ck, ex_sym(ck->g, SYM_COORD, i, 0),
                         ck->coordinate_dims.v[i], range);
    for (size_t i = 0; i < w->members.n; i++) {
        const struct member *m = &w->members.v[i];
        if (strcmp(m->item->name.text, name))
            continue;
        return (struct value){.kind = m->family ? V_FAMILY : V_CONTACT,
                              .ref = m->first,
                              .rows = m->count,
                              .cols = (uint32_t)m->lo,
                              .text = m->item->name.text,
                              .range = range};
    }
    for (uint32_t i = 0; i < n_system_values; i++)
        if (!strcmp(system_values[i].name, name))
            return v_num(ck, ex_sym(ck->g, SYM_SYSTEM, system, i), w->energy,
                         range);
    const char **names =
        NEW_N(ck->arena, const char *, s->n + w->members.n + n_system_values);
    size_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        names[n++] = ck->coordinates.v[s->first + i].name;
    for (size_t i = 0; i < w->members.n; i++)
        names[n++] = w->members.v[i].item->name.text;
    for (size_t i = 0; i < n_system_values; i++)
        names[n++] = system_values[i].name;
    struct diag *d = ck_error(ck, DIAG_E0112, name_range,
                              "the system `%s` has no `%s`", s->name, name);
    if (!ck_suggest(ck, d, name_range, name, names, n))
        CK_HELP(ck, d, "it has %s", ck_join(ck, names, n, "and"));
    return v_poison(range);
}

struct value
family_index(struct check *ck, const struct env *env, const struct value *f,
             const struct ast_expr *e)
{
    int lo = (int)f->cols;
    double x;
    if (e->n_list != 1) {
        ck_error(ck, DIAG_E0212, e->range, "a family has one index");
        return v_poison(e->range);
    }
    struct value v = ck_expr(ck, env, e->list[0]);
    if (!v_need_scalar(ck, &v, e->list[0], dim_pure(ck->dims), "an index"))
        return v_poison(e->range);
    if (!ck_fixed(ck, v.e[0], &x) || x != floor(x) || x < lo ||
        x >= lo + (double)f->rows) {
        struct diag *d = ck_error(ck, DIAG_E0212, e->range,
                                  "there is no such member of `%s`", f->text);
        CK_HELP(ck, d, "its index runs over %d .. %d", lo,
                lo + (int)f->rows - 1);
        return v_poison(e->range);
    }
    return (struct value){.kind = V_CONTACT,
                          .ref = f->ref + (uint32_t)(x - lo),
                          .range = e->range};
}
