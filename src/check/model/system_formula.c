/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the block of a system says about its motion: energies, forces or the
 * mass matrix, the gaps of its contacts. Coordinates have the dimensions that
 * these formulas give them; energies and forces of one system need only agree
 * with one another. In a pattern that is checked by itself arguments have no
 * values (VALUE_ANY): then dimensions, names and what is read are looked at. */
#include <assert.h>
#include <string.h>

#include "check/model/system_priv.h"

enum {
    C_GAP,
    C_RESTITUTION,
    C_FRICTION,
    C_IMPACT_FRICTION,
    C_SLIDE,
    C_SLIP,
    C_COMPLIANCE,
    C_SCALE,
    C_LAW,
    C_STIFFNESS,
    C_EXPONENT,
    N_CONTACT
};
const struct keydef system_contact_keys[] = {
    {"gap", "the gap as a formula in the coordinates"},
    {"restitution", "coefficient of restitution (1), which may read "
                    "`approach`, or a law"},
    {"friction", "coefficient of friction (0), which may read `slip`, or "
                 "coulomb(static, dynamic)"},
    {"impact_friction", "coefficient of friction of impacts (as friction)"},
    {"slide", "the place along the tangent, whose rate is the slip"},
    {"slide'", "the slip itself, linear in the rates"},
    {"compliance", "what `paradox = compliant`, `portrait` and `resolvable` "
                   "take it for: the normal force, a formula of `depth` and "
                   "`speed`"},
    {"scale", "of compliance: depths are so many times those of its formula, "
              "speeds its square root times (1)"},
    {"law", "an impact law of its own: normal and tangential impulse, of "
            "`approach`, `slip`, `restitution`, `friction`, `A`, `B`, `C`"},
    {"stiffness", "of its bond beside the others, for the law lzb"},
    {"exponent", "of that bond: the power of its depth in its force (3/2)"},
};
const size_t n_system_contact_keys = N_CONTACT;

/* Reports two dimensions that are not known yet by their ratio (E0202). `of` is
 * the formula from which `dim` comes. False: it has been reported. */
static bool
agrees(struct check *ck, const struct value *value, const struct ast_expr *node,
       const struct dim *dim, const struct ast_item *of, const char *what)
{
    if (value->kind == VALUE_POISON || value->bare || value->dims ||
        !value_is_scalar(value) || !of ||
        dim_unify(ck->dims, value->dim, dim, node->range))
        return value->kind != VALUE_POISON;
    const struct dim *ratio = dim_div(ck->dims, value->dim, dim);
    if (dim_known(ck->dims, dim) || !dim_known(ck->dims, ratio))
        return true; /* The usual message can name both dimensions. */
    struct diag *diag =
        check_error(ck, DIAG_E0202, node->range,
                    "%s is [%s] times what the kinetic energy asks "
                    "for",
                    what, dim_text(ck->dims, ratio));
    CHECK_NOTE(ck, diag, of->value->range, "the kinetic energy");
    CHECK_HELP(ck, diag,
               "energies of one system agree in dimension, and a force is an "
               "energy over its coordinate; give factors their units");
    return false;
}

/* One number of the dimension that the kinetic energy asks for. */
static bool
asked_by(struct check *ck, struct value *value, const struct ast_expr *node,
         const struct dim *dim, const struct ast_item *kin, const char *what)
{
    struct diag *last = ck->ds->last;
    bool fits = value_need_scalar(ck, value, node, dim, what);
    if (!fits && kin && ck->ds->last != last)
        CHECK_NOTE(ck, ck->ds->last, kin->value->range,
                   "as the kinetic energy asks for");
    return fits;
}

static bool
energy_key(struct check *ck, struct system_work *work,
           const struct tm_system *system, int key, const struct dim *dim,
           struct tm_num *out)
{
    const struct ast_item *item = work->keys[key];
    static const char *const what[] = {"the kinetic energy",
                                       "the potential energy",
                                       "the dissipation function"};
    if (!item)
        return true;
    const struct ast_item *kin =
        key == K_KINETIC ? NULL : work->keys[K_KINETIC];
    struct value value = check_expr(ck, &work->env, item->value);
    if (!agrees(ck, &value, item->value, dim, kin, what[key]) ||
        !asked_by(ck, &value, item->value, dim, kin, what[key]) ||
        !system_formula_ok(ck, system, value.e[0], key != K_POTENTIAL,
                           item->value, what[key]))
        return false;
    take_num(out, &value, item->value);
    return true;
}

static bool
force_size(struct check *ck, const struct tm_system *system,
           const struct ast_item *key, size_t count)
{
    struct diag *diag = check_error(
        ck, DIAG_E0365, key->value->range,
        "this system has %u coordinate%s, but the force has %zu "
        "entr%s",
        system->n, system->n == 1 ? "" : "s", count, count == 1 ? "y" : "ies");
    CHECK_HELP(ck, diag,
               "one generalised force per coordinate, in their order");
    return false;
}

/* Takes the force of coordinate i, whose dimension is energy/coordinate. */
static bool
force_entry(struct check *ck, const struct system_work *work,
            struct tm_system *system, uint32_t i, struct value *value,
            const struct ast_expr *node)
{
    const struct dim *dim = dim_div(
        ck->dims, work->energy, ck->notes.coordinate_dims.v[system->first + i]);
    const struct ast_item *kin = work->keys[K_KINETIC];
    bool good =
        agrees(ck, value, node, dim, kin, "this generalised force") &&
        asked_by(ck, value, node, dim, kin, "this generalised force") &&
        system_formula_ok(ck, system, value->e[0], true, node, "a force");
    system->force[i] = good ? value->e[0] : NULL;
    return good;
}

/* Takes n numbers, each with its own dimension: a tuple, or any vector. */
static bool
force_key(struct check *ck, struct system_work *work, struct tm_system *system)
{
    const struct ast_item *key = work->keys[K_FORCE];
    if (!key)
        return true;
    const struct ast_expr *inner = ast_unwrap(key->value);
    bool tuple = inner->kind == AST_TUPLE && !inner->unit, ok = true;
    if (tuple && inner->n_list != system->n)
        return force_size(ck, system, key, inner->n_list);
    system->force = NEW_N(ck->arena, const expr *, system->n);
    for (uint32_t i = 0; i < system->n && tuple; i++) {
        struct value value = check_expr(ck, &work->env, inner->list[i]);
        ok &= force_entry(ck, work, system, i, &value, inner->list[i]);
    }
    if (tuple)
        return ok;
    struct value value = check_expr(ck, &work->env, key->value);
    if (value.kind == VALUE_ANY && system->n > 1)
        return true; /* in a pattern that is checked by itself */
    if (value.kind == VALUE_POISON)
        return false;
    size_t count =
        value.kind == VALUE_NUM ? (size_t)value.rows * value.cols : 1;
    if (count != system->n || value.cols > 1)
        return force_size(ck, system, key, count);
    for (uint32_t i = 0; i < system->n; i++) {
        struct value entry = value;
        if (system->n > 1 && !(entry.dim = matrix_dim(ck, &value, i))) {
            system->force[i] = value.e[i]; /* an exact 0 fits everywhere */
            continue;
        }
        if (system->n > 1) {
            entry.rows = entry.cols = 1;
            entry.e = value.e + i;
            entry.dims = NULL;
        }
        ok &= force_entry(ck, work, system, i, &entry, key->value);
    }
    return ok;
}

static bool
inertia_ok(struct check *ck, const struct system_work *work,
           const struct tm_system *system)
{
    const struct ast_item *kin = work->keys[K_KINETIC],
                          *mass = work->keys[K_MASS];
    struct diag *diag;
    if (kin && mass) {
        diag =
            check_error(ck, DIAG_E0366, mass->name.range,
                        "a system has a kinetic energy or a mass matrix, not "
                        "both");
        CHECK_NOTE(ck, diag, kin->name.range, "the kinetic energy");
        return false;
    }
    if (!kin && !mass) {
        if (work->misnamed)
            return false; /* the key that was meant may be this one */
        diag = check_error(ck, DIAG_E0366, work->pattern->range,
                           "the system `%s` has no kinetic energy",
                           work->pattern->name);
        CHECK_HELP(ck, diag,
                   "add kinetic = ..., or the equations themselves: mass = "
                   "[...]  force = (...)");
        return false;
    }
    bool open =
        system->kinetic.e &&
        ex_depends(ck->g, system->kinetic.e, SYM_LOCAL, UINT32_MAX, UINT32_MAX);
    for (uint32_t i = 0; kin && system->kinetic.e && !open && i < system->n;
         i++)
        if (!ex_depends(ck->g, system->kinetic.e, SYM_COORD, system->first + i,
                        1)) {
            const char *coordinate =
                ck->lists.coordinates.v[system->first + i].name;
            diag = check_error(ck, DIAG_E0366, kin->value->range,
                               "the kinetic energy does not depend on %s'",
                               coordinate);
            CHECK_NOTE(ck, diag,
                       ck->lists.coordinates.v[system->first + i].range,
                       "so this coordinate has no inertia");
            CHECK_HELP(ck, diag, "add its term, or leave the coordinate out");
            return false;
        }
    return true;
}

/* -- contacts ------------------------------------------------------------- */

/* Is this an absolute value, or a sum of such, times what is not negative? Then
 * its least value 0 is where its branches meet. */
static bool
never_negative(const expr *expression)
{
    switch (expression->op) {
    case IMP_OP_ABS:
        return true;
    case IMP_OP_ADD:
        return never_negative(expression->a) && never_negative(expression->b);
    case IMP_OP_MUL:
        return ex_is_const(expression->a) && expression->a->num > 0.0 &&
               never_negative(expression->b);
    case IMP_OP_DIV:
        return ex_is_const(expression->b) && expression->b->num > 0.0 &&
               never_negative(expression->a);
    default:
        return false;
    }
}

/* friction and impact_friction of a contact, and its slide where no surface
 * gives it */
static void
slip_and_friction(struct check *ck, struct env *env,
                  const struct tm_system *system, const struct ast_item *item,
                  const struct ast_item *const *keys,
                  struct tm_contact *contact)
{
    if (!contact->slip.e &&
        !system_slide(ck, env, system, keys[C_SLIDE], keys[C_SLIP], contact))
        return;
    const char *name[1] = {"slip"};
    const struct ast_item *friction = keys[C_FRICTION],
                          *impact = keys[C_IMPACT_FRICTION];
    if (!friction)
        friction = impact;
    struct value speed = value_poison(contact->range);
    struct env inner = {.up = env,
                        .module = env->module,
                        .names = name,
                        .vals = &speed,
                        .n = contact->slip.e ? 1 : 0,
                        .system = true};
    if (contact->slip.e)
        speed = value_num(ck, ex_sym(ck->g, SYM_SLIP, 0, 0), contact->slip_dim,
                          contact->range);
    if (!contact_friction(ck, &inner, keys[C_FRICTION], impact, system,
                          contact) ||
        !contact_has_friction(contact))
        return;
    if (contact->slip.e)
        return;
    if (contact->gap.e) {
        check_error(ck, DIAG_E0382, friction->name.range,
                    "friction acts against a slip, but no coordinate moves "
                    "this point along the surface");
        return;
    }
    for (size_t i = 0; i < item->n_block; i++)
        if (item->block[i]->name.text &&
            !strcmp(item->block[i]->name.text, "slip"))
            return; /* `slide` is meant, which has been told */
    struct diag *diag = check_error(
        ck, DIAG_E0383, friction->name.range,
        "friction acts against a slip, but this contact states none");
    CHECK_HELP(ck, diag,
               "add slide = ..., the place along the ground where it touches; "
               "its rate is the slip");
}

/* The gap that the key states. */
static void
system_gap(struct check *ck, const struct env *env,
           const struct tm_system *system, const struct ast_expr *node,
           struct tm_contact *contact)
{
    struct value value = check_expr(ck, env, node);
    const struct dim *dim = dim_fresh(ck->dims, node->range);
    if (!value_need_scalar(ck, &value, node, dim, "a gap") ||
        !system_formula_ok(ck, system, value.e[0], false, node, "a gap"))
        return;
    bool moves =
        ex_depends(ck->g, value.e[0], SYM_LOCAL, UINT32_MAX, UINT32_MAX);
    for (uint32_t q = 0; q < system->n; q++)
        moves |= ex_depends(ck->g, value.e[0], SYM_COORD, system->first + q, 0);
    if (!moves) {
        struct diag *diag = check_error(ck, DIAG_E0367, node->range,
                                        "this gap does not depend on the "
                                        "coordinates");
        CHECK_HELP(
            ck, diag,
            "an impulse could not change it; a gap is a formula in %s, or "
            "in one more coordinate along the normal, with a potential "
            "that presses the contact together",
            ck->lists.coordinates.v[system->first].name);
        return;
    }
    if (never_negative(value.e[0])) {
        struct diag *diag =
            check_error(ck, DIAG_E0375, node->range,
                        "this gap is never negative, and where it is "
                        "0 an impulse has no direction");
        CHECK_HELP(ck, diag,
                   "write what is inside: h for what is above a floor, -h for "
                   "what is below it; an obstacle of some width is abs(h) - w");
        return;
    }
    take_num(&contact->gap, &value, node);
    contact->gap_dim = dim;
}

/* A slip that is the rate of the gap is 0 while the contact is closed. */
static void
slip_is_across(struct check *ck, const struct tm_contact *contact)
{
    const expr *gap = contact->gap.e, *slide = contact->slide.e;
    if (!gap || !slide || (slide != gap && slide != ex_neg(ck->g, gap)) ||
        ex_depends(ck->g, gap, SYM_LOCAL, UINT32_MAX, UINT32_MAX))
        return; /* arguments of a pattern alone have no values */
    struct diag *diag = check_error(ck, DIAG_E0382, contact->slide.range,
                                    "this slip is the rate of the gap");
    CHECK_NOTE(ck, diag, contact->gap.range, "the gap");
    CHECK_HELP(
        ck, diag,
        "a contact that is closed has none, so that friction would never "
        "act: `slide` is the place along the ground, across the gap");
}

/* Coefficients of friction are ratios of forces, which are energies over gaps
 * and over places along the ground. */
static void
same_forces(struct check *ck, const struct tm_contact *contact)
{
    if (!contact->gap_dim || !contact->slip_dim ||
        !contact_has_friction(contact))
        return;
    const struct dim *slide =
        dim_mul(ck->dims, contact->slip_dim, dim_mks(ck->dims, 0, 0, 1));
    if (dim_unify(ck->dims, slide, contact->gap_dim, contact->slip.range))
        return;
    struct diag *diag = check_error(
        ck, DIAG_E0202, contact->slip.range,
        "friction needs a slip in the unit of the gap, %s, but "
        "this place is %s",
        dim_say(ck->dims, contact->gap_dim), dim_say(ck->dims, slide));
    CHECK_NOTE(ck, diag, contact->gap.range, "the gap");
    CHECK_HELP(ck, diag,
               "its force is what does work on the place along the ground: of "
               "a wheel that is radius*angle");
}

/* The unit of a gap is written when all dimensions are known. */
static void
gap_unit(struct check *ck, uint32_t contact)
{
    struct tm_contact *of = &ck->lists.contacts.v[contact];
    if (of->gap_dim)
        APUSH(ck, &ck->notes.units,
              (struct pending){.unit = &of->gap_unit, .dim = of->gap_dim});
}

/* The restitution and the law, whose `approach` is a rate of the gap. */
static void
system_impacts(struct check *ck, const struct env *env,
               const struct ast_item *const *keys, const struct dim *energy,
               struct tm_contact *contact)
{
    const struct dim *length = contact->gap_dim
                                   ? contact->gap_dim
                                   : dim_fresh(ck->dims, contact->range);
    const struct dim *rate =
        dim_mul(ck->dims, length, dim_mks(ck->dims, 0, 0, -1));
    contact_restitution(ck, env, keys[C_RESTITUTION], rate, contact);
    contact_bond(ck, env, keys[C_STIFFNESS], keys[C_EXPONENT], contact);
    contact->energy_dim = energy;
    const struct law_dims dims = {
        rate, contact->slip.e ? contact->slip_dim : NULL, energy};
    contact_law(ck, env, keys[C_LAW], &dims, contact);
}

static void
one_contact(struct check *ck, struct system_work *work,
            const struct tm_system *system, const struct member *member,
            uint32_t index)
{
    const struct ast_item *keys[N_CONTACT];
    struct tm_contact *contact = &ck->lists.contacts.v[member->first + index];
    const char *name[1] = {member->item->index.text};
    struct value val = value_num(ck, ex_num(ck->g, member->lo + (int)index),
                                 dim_pure(ck->dims), member->item->index.range);
    struct env env = work->env, inner = {.up = &work->env,
                                         .module = work->env.module,
                                         .names = name,
                                         .vals = &val,
                                         .n = 1,
                                         .system = true};
    val.bare = true;
    if (member->open)
        val = value_any(ck, dim_pure(ck->dims), member->item->index.range);
    if (member->family)
        env = inner;
    block_keys(ck, member->item, system_contact_keys, N_CONTACT, "contact",
               keys);
    if (member->item->head1) {
        const struct ast_item *stated = keys[C_GAP]     ? keys[C_GAP]
                                        : keys[C_SLIDE] ? keys[C_SLIDE]
                                                        : keys[C_SLIP];
        if (system_surface(ck, work, &env, system, member->item, stated,
                           contact)) {
            slip_and_friction(ck, &env, system, member->item, keys, contact);
            contact_compliance(ck, &env, keys[C_COMPLIANCE], keys[C_SCALE],
                               contact->gap_dim, work->energy, contact);
            system_impacts(ck, &env, keys, work->energy, contact);
            gap_unit(ck, member->first + index);
        }
        return;
    }
    slip_and_friction(ck, &env, system, member->item, keys, contact);
    if (!keys[C_GAP]) {
        struct diag *diag =
            check_error(ck, DIAG_E0367, member->item->name.range,
                        "the contact `%s` has no gap", member->item->name.text);
        CHECK_HELP(ck, diag,
                   "add gap = ..., positive while the bodies are apart");
        return;
    }
    system_gap(ck, &env, system, keys[C_GAP]->value, contact);
    slip_is_across(ck, contact);
    same_forces(ck, contact);
    contact_compliance(ck, &env, keys[C_COMPLIANCE], keys[C_SCALE],
                       contact->gap_dim, work->energy, contact);
    system_impacts(ck, &env, keys, work->energy, contact);
    gap_unit(ck, member->first + index);
}

void
system_formulas(struct check *ck, struct system_work *work,
                struct tm_system *system)
{
    assert(ck && work && system);
    bool ok =
        energy_key(ck, work, system, K_KINETIC, work->energy, &system->kinetic);
    ok &= energy_key(ck, work, system, K_POTENTIAL, work->energy,
                     &system->potential);
    ok &=
        energy_key(ck, work, system, K_DISSIPATION,
                   dim_mul(ck->dims, work->energy, dim_mks(ck->dims, 0, 0, -1)),
                   &system->dissipation);
    ok &= force_key(ck, work, system);
    ok &= system_mass_key(ck, work, system);
    ok &= system_stiffness_key(ck, work, system);
    if (ok)
        inertia_ok(ck, work, system);
    for (size_t m = 0; m < work->members.n; m++)
        for (uint32_t c = 0; c < work->members.v[m].count; c++)
            one_contact(ck, work, system, &work->members.v[m], c);
}
