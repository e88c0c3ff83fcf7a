/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coulomb's friction of a contact: its coefficients, and in a system the slip
 * that it acts against.
 *
 *   contact tip {
 *     gap      = Y - l*sin(theta)
 *     slide    = X + l*cos(theta)        # or slide' = X' - l*sin(theta)*theta'
 *     friction = coulomb(static = .5, dynamic = .4)
 *   }
 *
 * A coefficient is a number, or a formula of t and `slip`, the speed of slip,
 * and of the coordinates, or of places and velocities of both bodies. */
#include <assert.h>
#include <string.h>

#include "check/model/system_priv.h"

/* The two coefficients of coulomb(static, dynamic) in this order, by name or
 * by place. False: an error has been reported. */
static bool
coulomb_args(struct check *ck, const struct ast_expr *call,
             const struct ast_expr *out[2])
{
    static const char *const name[2] = {"static", "dynamic"};
    out[0] = out[1] = NULL;
    bool ok = call->n_args == 2;
    for (size_t i = 0; ok && i < 2; i++) {
        const struct ast_arg *arg = &call->args[i];
        size_t at = i;
        if (arg->name.text)
            at = !strcmp(arg->name.text, name[0])   ? 0
                 : !strcmp(arg->name.text, name[1]) ? 1
                                                    : 2;
        ok = at < 2 && !out[at] && !arg->in;
        if (ok)
            out[at] = arg->value;
    }
    if (ok)
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0380, call->range,
                    "`coulomb` takes the static and the dynamic coefficient");
    CHECK_HELP(ck, diag, "coulomb(static = 0.5, dynamic = 0.4)");
    return false;
}

struct reads {
    const struct check *ck;
    const struct tm_contact *contact;
    bool other;
};
static void
read_leaf(void *ctx, const expr *leaf)
{
    struct reads *reads = ctx;
    const uint32_t *body = reads->contact->body;
    reads->other |= leaf->sym == SYM_BODY
                        ? leaf->i != body[0] && leaf->i != body[1]
                        : leaf->sym != SYM_PARAM && leaf->sym != SYM_TIME &&
                              leaf->sym != SYM_SLIP &&
                              !leaf_is_given(reads->ck, leaf);
}

/* May the friction between two bodies read this? Reports what it may not. */
static bool
body_formula_ok(struct check *ck, const struct tm_contact *contact,
                const expr *mu, const struct ast_expr *node)
{
    struct reads reads = {.ck = ck, .contact = contact};
    ex_leaves(ck->g, &mu, 1, read_leaf, &reads);
    if (!reads.other)
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0319, node->range,
                    "the friction of two bodies cannot depend on this");
    CHECK_HELP(ck, diag,
               "it may depend on `slip`, t, params, and places and velocities "
               "of these two bodies");
    return false;
}

/* Is a coefficient stated as the angle of a slope? Reports that. */
static bool
is_angle(struct check *ck, const struct ast_expr *node)
{
    node = ast_unwrap(node);
    const struct ast_expr *unit = node->unit;
    if (!unit || unit->kind != AST_NAME ||
        (strcmp(unit->name.text, "deg") && strcmp(unit->name.text, "rad")))
        return false;
    const char *tangent =
        arena_printf(ck->arena, "tan(%s)", expr_label(ck, node));
    struct diag *diag =
        check_error(ck, DIAG_E0381, node->range,
                    "a coefficient of friction is a ratio of forces, but this "
                    "is an angle");
    CHECK_HELP(ck, diag,
               "on a slope of this angle a body begins to slide at the "
               "coefficient %s",
               tangent);
    diag_fix(ck->ds, diag, node->range, tangent);
    return true;
}

/* One coefficient of friction; NULL: an error has been reported. */
static const expr *
checked(struct check *ck, const struct value *value, const expr *mu,
        const struct ast_expr *node, const struct tm_system *system,
        const struct tm_contact *contact)
{
    if (system ? !system_formula_ok(ck, system, mu, false, node,
                                    "a coefficient of friction")
               : !body_formula_ok(ck, contact, mu, node))
        return NULL;
    if (is_angle(ck, node))
        return NULL;
    double number = ex_is_const(mu) ? mu->num : 0.0;
    if (value->kind == VALUE_ANY || number >= 0)
        return mu;
    struct diag *diag = check_error(
        ck, DIAG_E0381, node->range,
        "a coefficient of friction is not negative, but this is %g", number);
    CHECK_HELP(ck, diag,
               "friction acts against the slip by itself, whatever its "
               "direction");
    return NULL;
}

static const expr *
coefficient(struct check *ck, const struct env *env,
            const struct ast_expr *node, const struct tm_system *system,
            const struct tm_contact *contact)
{
    struct value value = check_expr(ck, env, node);
    if (!value_need_scalar(ck, &value, node, dim_pure(ck->dims),
                           "a coefficient of friction"))
        return NULL;
    return checked(ck, &value, value.e[0], node, system, contact);
}

static const expr *
no_slip(void *ctx, const expr *leaf)
{
    return leaf->sym == SYM_SLIP ? ex_num(ctx, 0) : NULL;
}

/* slips that are above 0 and change no coefficient that is continuous there by
 * more than rounding */
static const double slip_begins[2] = {1e-300, 1e-200};
/* of formulas that are meant to be equal */
#define SLIP_ROUNDING 1e-12

struct slip_of {
    struct graph *graph;
    double speed;
};

static const expr *
slip_is(void *ctx, const expr *leaf)
{
    const struct slip_of *of = ctx;
    return leaf->sym == SYM_SLIP ? ex_num(of->graph, of->speed) : NULL;
}

bool
friction_less_at_rest(struct check *ck, const expr *sticks, const expr *slips)
{
    assert(ck && sticks && slips);
    sticks = ex_subst(ck->g, sticks, no_slip, ck->g);
    struct slip_of begin = {ck->g, slip_begins[0]},
                   later = {ck->g, slip_begins[1]};
    const expr *first = ex_subst(ck->g, slips, slip_is, &begin);
    if (!ex_is_const(sticks) || sticks->num < 0.0)
        return false;
    if (ex_is_const(first))
        return sticks->num < first->num * (1.0 - SLIP_ROUNDING);
    return sticks->num == 0.0 && slips != first &&
           first == ex_subst(ck->g, slips, slip_is, &later);
}

/* Does a formula jump up where the slip begins, as sign(slip) and
 * mu*sign(slip) do? Of two coefficients the static one may be above, not below.
 */
static bool
jumps_up(struct check *ck, const expr *sticks, const expr *slips,
         const struct ast_expr *const arg[2])
{
    if (!friction_less_at_rest(ck, sticks, slips))
        return false;
    sticks = ex_subst(ck->g, sticks, no_slip, ck->g);
    struct diag *diag = check_error(ck, DIAG_E0381, arg[0]->range,
                                    "friction is %g where a point does not "
                                    "slip, and more as soon as it slips",
                                    sticks->num);
    CHECK_HELP(ck, diag,
               "`slip` is a speed, and friction acts against the slip by "
               "itself, without a factor sign(slip); at rest a point bears at "
               "least what it bears when it slips");
    return true;
}

/* Takes the coefficients of a point that sticks and of one that slips. */
static bool
take_both(struct check *ck, const expr *sticks, const expr *slips,
          const struct ast_expr *const arg[2], struct tm_contact *contact)
{
    if (!sticks || !slips)
        return false;
    contact->mu = (struct tm_num){slips, arg[1]->range};
    contact->mu_static =
        (struct tm_num){ex_subst(ck->g, sticks, no_slip, ck->g), arg[0]->range};
    if (!ex_is_const(sticks) || !ex_is_const(slips))
        return !jumps_up(ck, sticks, slips, arg);
    if (sticks->num >= slips->num)
        return true;
    struct diag *diag = check_error(ck, DIAG_E0381, arg[0]->range,
                                    "static friction %g is below the dynamic "
                                    "one, %g",
                                    sticks->num, slips->num);
    CHECK_NOTE(ck, diag, arg[1]->range, "the dynamic coefficient");
    CHECK_HELP(ck, diag,
               "a point that sticks bears at least what it bears when it "
               "slips: exchange the two");
    return false;
}

/* friction = coulomb(static = a, dynamic = b) */
static bool
take_coulomb(struct check *ck, const struct env *env,
             const struct ast_expr *call, const struct tm_system *system,
             struct tm_contact *contact)
{
    const struct ast_expr *arg[2];
    if (!coulomb_args(ck, call, arg))
        return false;
    const expr *sticks = coefficient(ck, env, arg[0], system, contact);
    const expr *slips = coefficient(ck, env, arg[1], system, contact);
    return take_both(ck, sticks, slips, arg, contact);
}

/* friction = mu, or a pair (static, dynamic) */
static bool
take_value(struct check *ck, const struct env *env, const struct ast_expr *node,
           const struct tm_system *system, struct tm_contact *contact)
{
    struct value value = check_expr(ck, env, node);
    if (value.kind == VALUE_NUM && value.rows * value.cols == 2 &&
        !value.dims) {
        const struct ast_expr *arg[2] = {node, node}, *in = ast_unwrap(node);
        for (size_t i = 0; i < 2 && in->kind == AST_TUPLE; i++)
            arg[i] = in->list[i];
        if (!value_need_dim(ck, &value, node, dim_pure(ck->dims),
                            "a coefficient of friction"))
            return false;
        const expr *sticks =
            checked(ck, &value, value.e[0], arg[0], system, contact);
        const expr *slips =
            checked(ck, &value, value.e[1], arg[1], system, contact);
        return take_both(ck, sticks, slips, arg, contact);
    }
    if (!value_need_scalar(ck, &value, node, dim_pure(ck->dims),
                           "a coefficient of friction"))
        return false;
    const expr *mu = checked(ck, &value, value.e[0], node, system, contact);
    const struct ast_expr *both[2] = {node, node};
    return take_both(ck, mu, mu, both, contact);
}

bool
contact_friction(struct check *ck, const struct env *env,
                 const struct ast_item *friction, const struct ast_item *impact,
                 const struct tm_system *system, struct tm_contact *contact)
{
    assert(ck && env && contact);
    const expr *none = ex_num(ck->g, 0);
    contact->mu = contact->mu_static = contact->mu_impact =
        (struct tm_num){none, contact->range};
    if (friction) {
        const struct ast_expr *inner = ast_unwrap(friction->value);
        bool reported = false;
        if (inner->kind == AST_CALL && inner->a->kind == AST_NAME &&
            !strcmp(inner->a->name.text, "coulomb") &&
            !scope_find(ck, env->module, "coulomb", WANT_CALL, inner->range,
                        &reported) &&
            !reported) {
            contact->no_mu = !take_coulomb(ck, env, inner, system, contact);
        } else {
            contact->no_mu =
                !take_value(ck, env, friction->value, system, contact);
        }
        if (contact->no_mu)
            return false;
        contact->mu_impact = contact->mu;
    }
    if (impact) {
        const expr *mu = coefficient(ck, env, impact->value, system, contact);
        if (!mu)
            return false;
        contact->mu_impact = (struct tm_num){mu, impact->value->range};
    }
    return true;
}

/* -- compliance ------------------------------------------------------------ */

struct compliance_reads {
    const struct check *ck;
    bool depth, memory, other;
};
static void
compliance_leaf(void *ctx, const expr *leaf)
{
    struct compliance_reads *reads = ctx;
    if (leaf->sym != SYM_SLIP)
        reads->other |=
            leaf->sym != SYM_PARAM && !leaf_is_given(reads->ck, leaf);
    else if (leaf->i == ARGUMENT_DEPTH)
        reads->depth = true;
    else
        reads->memory |=
            leaf->i == ARGUMENT_IMPULSE || leaf->i == ARGUMENT_COMPRESSION;
}

/* scale = 1e-4 */
static void
take_scale(struct check *ck, const struct env *env,
           const struct ast_item *scale, struct tm_contact *contact)
{
    struct value value = check_expr(ck, env, scale->value);
    if (!value_need_scalar(ck, &value, scale->value, dim_pure(ck->dims),
                           "the scale of a compliance"))
        return;
    struct compliance_reads reads = {.ck = ck};
    ex_leaves(ck->g, &value.e[0], 1, compliance_leaf, &reads);
    if (reads.other || (ex_is_const(value.e[0]) && !(value.e[0]->num > 0.0))) {
        struct diag *diag =
            check_error(ck, DIAG_E0386, scale->value->range,
                        "the scale of a compliance is a positive number");
        CHECK_HELP(ck, diag,
                   "depths are scale times those of the formula: 1 is the "
                   "formula itself, 1e-4 a contact 10000 times as stiff");
        return;
    }
    contact->scale = (struct tm_num){value.e[0], scale->value->range};
}

/* The velocity of a place that is a formula in the coordinates of the system.
 */
static const expr *
velocity_of(struct check *ck, const struct tm_system *system, const expr *place)
{
    const expr *rate = ex_diff(ck->g, place, ex_sym(ck->g, SYM_TIME, 0, 0));
    for (uint32_t i = 0; i < system->n; i++)
        rate = ex_add(
            ck->g, rate,
            ex_mul(ck->g,
                   ex_diff(ck->g, place,
                           ex_sym(ck->g, SYM_COORD, system->first + i, 0)),
                   ex_sym(ck->g, SYM_COORD, system->first + i, 1)));
    return rate;
}

/* A contact of a system that yields follows the laws of friction, here with the
 * coefficient 0, so that any slip does: the rate of its gap, where it states
 * none. */
static void
slide_freely(struct check *ck, const struct dim *gap,
             struct tm_contact *contact)
{
    contact->slides_freely = true;
    if (contact->slip.e || !contact->gap.e)
        return;
    contact->slip = (struct tm_num){
        velocity_of(ck, &ck->lists.systems.v[contact->system - 1],
                    contact->gap.e),
        contact->gap.range};
    contact->slip_dim = dim_div(ck->dims, gap, dim_mks(ck->dims, 0, 0, 1));
}

/* compliance = (1000 [N/m])*depth + (2 [N*s/m])*speed, and scale = 1e-4 */
void
contact_compliance(struct check *ck, const struct env *env,
                   const struct ast_item *law, const struct ast_item *scale,
                   const struct dim *gap, const struct dim *energy,
                   struct tm_contact *contact)
{
    assert(ck && env && contact);
    const char *name[] = {"depth", "speed", "impulse", "compression"};
    struct value argument[sizeof name / sizeof *name];
    struct env inner = {.up = env,
                        .module = env->module,
                        .names = name,
                        .vals = argument,
                        .n = sizeof name / sizeof *name,
                        .system = contact->system != 0};
    if (!law && scale) {
        struct diag *diag = check_error(
            ck, DIAG_E0386, scale->name.range,
            "`scale` belongs to a `compliance`, which is not there");
        CHECK_HELP(ck, diag,
                   "add compliance = (1000 [N/m])*depth, or leave `scale` out");
    }
    contact->yields = law != NULL;
    if (!law || !gap)
        return;
    const struct dim *second = dim_mks(ck->dims, 0, 0, 1),
                     *force = dim_div(ck->dims, energy, gap),
                     *impulse = dim_mul(ck->dims, force, second);
    const struct dim *of[] = {gap, dim_div(ck->dims, gap, second), impulse,
                              impulse};
    for (uint32_t k = 0; k < sizeof name / sizeof *name; k++)
        argument[k] =
            value_num(ck, ex_sym(ck->g, SYM_SLIP, ARGUMENT_DEPTH + k, 0), of[k],
                      contact->range);
    struct value value = check_expr(ck, &inner, law->value);
    if (!value_need_scalar(ck, &value, law->value, force,
                           "the force of a compliant contact"))
        return;
    struct compliance_reads reads = {.ck = ck};
    bool open =
        ex_depends(ck->g, value.e[0], SYM_LOCAL, UINT32_MAX, UINT32_MAX);
    ex_leaves(ck->g, &value.e[0], 1, compliance_leaf, &reads);
    if (!open && (reads.other || !reads.depth)) {
        struct diag *diag = check_error(
            ck, DIAG_E0386, law->value->range,
            reads.other ? "a compliance depends on depth, speed, impulse, "
                          "compression and "
                          "params alone"
                        : "this compliance does not depend on the depth");
        CHECK_HELP(
            ck, diag,
            "the deeper and the faster the contact is pressed in, the "
            "greater is its force: (1000 [N/m])*depth + (2 [N*s/m])*speed");
        return;
    }
    if (!contact->system && ck->m->dim != 2) {
        struct diag *diag = check_error(
            ck, DIAG_E0386, law->name.range,
            "the contact `%s` is to yield, and is in space", contact->name);
        CHECK_HELP(ck, diag,
                   "bodies yield in the plane alone; in space state the force "
                   "of a spring as `force` of a body");
        return;
    }
    if (contact->system && !contact_has_friction(contact))
        slide_freely(ck, gap, contact);
    contact->compliance = (struct tm_num){value.e[0], law->value->range};
    contact->scale = (struct tm_num){ex_num(ck->g, 1), law->value->range};
    contact->remembers = reads.memory;
    if (scale)
        take_scale(ck, env, scale, contact);
}

/* -- the slip of a contact of a system ------------------------------------- */

/* Is the velocity linear in the rates of the coordinates, and does it read one?
 */
static bool
linear_slip(struct check *ck, const struct tm_system *system,
            const expr *velocity, const struct ast_expr *node)
{
    bool moves = false, linear = true;
    for (uint32_t i = 0; i < system->n; i++) {
        const expr *rate = ex_sym(ck->g, SYM_COORD, system->first + i, 1);
        const expr *slope = ex_diff(ck->g, velocity, rate);
        moves |= !ex_is_num(slope, 0);
        for (uint32_t j = 0; j < system->n; j++)
            linear &=
                !ex_depends(ck->g, slope, SYM_COORD, system->first + j, 1);
    }
    if (moves && linear)
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0382, node->range,
                    moves ? "this slip is not linear in the rates"
                          : "this slip does not depend on the coordinates");
    CHECK_HELP(ck, diag,
               moves ? "a velocity is: slide' = X' + Y*theta'"
                     : "friction could not change it; the slip is a formula in "
                       "%s",
               ck->lists.coordinates.v[system->first].name);
    return false;
}

bool
system_slide(struct check *ck, const struct env *env,
             const struct tm_system *system, const struct ast_item *slide,
             const struct ast_item *velocity, struct tm_contact *contact)
{
    assert(ck && env && system && contact);
    const struct ast_item *key = slide ? slide : velocity;
    if (!key)
        return true;
    if (slide && velocity) {
        struct diag *diag = check_error(
            ck, DIAG_E0382, velocity->name.range,
            "a contact states `slide` or its rate `slide'`, not both");
        CHECK_NOTE(ck, diag, slide->name.range, "the place is stated here");
        CHECK_HELP(ck, diag,
                   "the rate follows from the place; only a slip that is the "
                   "rate of no formula needs slide'");
        return false;
    }
    const struct ast_expr *node = key->value;
    struct value value = check_expr(ck, env, node);
    const struct dim *dim = dim_fresh(ck->dims, node->range);
    if (!value_need_scalar(ck, &value, node, dim, "a slip") ||
        !system_formula_ok(ck, system, value.e[0], !slide, node, "a slip"))
        return false;
    const expr *rate = value.e[0];
    if (slide) {
        contact->slide = (struct tm_num){rate, node->range};
        dim = dim_mul(ck->dims, dim, dim_mks(ck->dims, 0, 0, -1));
        rate = velocity_of(ck, system, rate);
    }
    /* the arguments of a pattern that nothing instantiates have no values */
    if (!ex_depends(ck->g, value.e[0], SYM_LOCAL, UINT32_MAX, UINT32_MAX) &&
        !linear_slip(ck, system, rate, node))
        return false;
    contact->slip = (struct tm_num){rate, node->range};
    contact->slip_dim = dim;
    return true;
}

/* -- impact laws of a contact's own -----------------------------------------
 */

/* E0387: what stands there is no pair of impulses. */
static void
no_pair(struct check *ck, const struct ast_expr *node)
{
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind == AST_TEXT) {
        struct diag *text = check_error(
            ck, DIAG_E0387, node->range,
            "a law of impact is named without quotes, or is two impulses");
        CHECK_HELP(ck, text, "law = %s, where a law of this name is declared",
                   inner->text);
        return;
    }
    struct diag *diag = check_error(ck, DIAG_E0387, node->range,
                                    "a law of impact gives two impulses, the "
                                    "normal and the tangential one");
    CHECK_HELP(ck, diag,
               "as in law = ((1 + restitution)*approach/C, 0), or use friction "
               "and law = sticking");
}

/* One of the two impulses. */
static bool
take_impulse(struct check *ck, const struct value *pair, int which,
             const struct ast_expr *node, const struct dim *dim,
             struct tm_num *out)
{
    static const char *const what[2] = {"the normal impulse of a law",
                                        "the tangential impulse of a law"};
    struct value one = *pair;
    one.rows = one.cols = 1;
    one.e = pair->e + which;
    one.dim = pair->dims ? pair->dims[which] : pair->dim;
    one.dims = NULL;
    if (!one.dim) /* an exact 0 has any dimension */
        one.dim = dim;
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind == AST_TUPLE)
        node = inner->list[which];
    if (!value_need_scalar(ck, &one, node, dim, what[which]) ||
        !check_leaves(ck, one.e, 1, MAY_PARAMS, node, what[which]))
        return false;
    *out = (struct tm_num){one.e[0], node->range};
    return true;
}

static const char *const law_argument[IMPACT_ARGUMENTS] = {
    "approach", "slip", "restitution", "friction", "A", "B", "C"};

static bool
is_law_argument(const char *name)
{
    for (uint32_t i = 0; i < IMPACT_ARGUMENTS; i++)
        if (!strcmp(name, law_argument[i]))
            return true;
    return false;
}

struct decl *
law_named(struct check *ck, struct module *module, const struct ast_expr *value)
{
    assert(ck && module && value);
    const struct ast_expr *node = ast_unwrap(value);
    bool reported = false;
    if (node->kind == AST_CALL)
        node = node->a;
    if (node->kind != AST_NAME)
        return NULL;
    struct decl *decl = scope_find(ck, module, node->name.text, WANT_CALL,
                                   node->range, &reported);
    return decl && decl->item && decl->item->kind == AST_LAW ? decl : NULL;
}

/* E0388: a parameter of the law that has no value. */
static void
no_argument(struct check *ck, const struct decl *decl,
            const struct ast_formal *formal, imp_range range)
{
    struct diag *diag = check_error(ck, DIAG_E0388, range,
                                    "the law `%s` asks for `%s`, which no "
                                    "impact knows",
                                    decl->name, formal->name.text);
    CHECK_NOTE(ck, diag, formal->name.range, "declared here");
    static const struct {
        const char *word, *ours;
    } row[] = {{"v", "approach"},
               {"vn", "approach"},
               {"v_n", "approach"},
               {"speed", "approach"},
               {"velocity", "approach"},
               {"vt", "slip"},
               {"v_t", "slip"},
               {"u", "slip"},
               {"sliding", "slip"},
               {"e", "restitution"},
               {"eps", "restitution"},
               {"mu", "friction"},
               {"m", "1/C"},
               {"mass", "1/C"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(row[i].word, formal->name.text)) {
            CHECK_HELP(ck, diag,
                       "an impact has it under the name %s; its others are "
                       "approach, slip, restitution, friction, A, B and C",
                       row[i].ours);
            return;
        }
    CHECK_HELP(ck, diag,
               "give it: %s(%s = 0.5); an impact itself has approach, slip, "
               "restitution, friction, A, B and C",
               decl->name, formal->name.text);
}

/* The law with what an impact knows in place of arguments that are not given.
 */
static const struct ast_expr *
with_arguments(struct check *ck, const struct decl *decl,
               const struct ast_expr *value)
{
    const struct ast_expr *node = ast_unwrap(value);
    const struct ast_item *it = decl->item;
    bool called = node->kind == AST_CALL;
    size_t given = called ? node->n_args : 0;
    struct ast_expr *call = NEW(ck->arena, struct ast_expr);
    *call = (struct ast_expr){.kind = AST_CALL,
                              .range = node->range,
                              .a = called ? node->a : (struct ast_expr *)node,
                              .n_args = given};
    call->args = NEW_N(ck->arena, struct ast_arg, given + it->n_formals + 1);
    size_t placed = 0;
    for (size_t i = 0; i < given; i++) {
        call->args[i] = node->args[i];
        placed += !node->args[i].name.text && !node->args[i].in;
    }
    for (size_t i = placed; i < it->n_formals; i++) {
        const char *name = it->formals[i].name.text;
        bool there = false;
        for (size_t k = 0; k < given && !there; k++)
            there = node->args[k].name.text &&
                    !strcmp(node->args[k].name.text, name);
        if (there || (it->formals[i].dflt && !is_law_argument(name)))
            continue;
        if (!is_law_argument(name)) {
            no_argument(ck, decl, it->formals + i, node->range);
            return NULL;
        }
        struct ast_expr *argument = NEW(ck->arena, struct ast_expr);
        *argument = (struct ast_expr){.kind = AST_NAME,
                                      .range = node->range,
                                      .name = {name, node->range}};
        call->args[call->n_args++] =
            (struct ast_arg){.name = {name, node->range}, .value = argument};
    }
    return call;
}

/* E0111: the name of a function stands where one of a law is wanted. */
static bool
function_for_law(struct check *ck, struct module *module,
                 const struct ast_expr *node)
{
    node = ast_unwrap(node);
    bool reported = false;
    if (node->kind != AST_NAME || is_law_argument(node->name.text))
        return false;
    const struct decl *decl = scope_find(ck, module, node->name.text, WANT_CALL,
                                         node->range, &reported);
    if (!decl || !decl->item || decl->item->kind != AST_FN)
        return false;
    struct diag *diag =
        check_error(ck, DIAG_E0111, node->range,
                    "`%s` is a function, not an impact law", decl->name);
    CHECK_NOTE(ck, diag, decl->range, "declared here");
    CHECK_HELP(ck, diag,
               "declare it as one: law %s(...) = (normal, tangential); what "
               "an impact knows is filled in where a parameter has its name",
               decl->name);
    diag_fix(ck->ds, diag, decl->item->head, "law");
    return true;
}

bool
impact_law(struct check *ck, const struct env *env, const struct ast_expr *node,
           const struct law_dims *dims, struct tm_num own[2])
{
    assert(ck && env && node && dims && own);
    const struct dim *pure = dim_pure(ck->dims);
    const struct dim *N = dim_div(ck->dims, dims->energy, dims->rate),
                     *T = dim_div(ck->dims, dims->energy, dims->slip);
    const struct dim *of[IMPACT_ARGUMENTS] = {dims->rate,
                                              dims->slip,
                                              pure,
                                              pure,
                                              dim_div(ck->dims, dims->slip, T),
                                              dim_div(ck->dims, dims->rate, T),
                                              dim_div(ck->dims, dims->rate, N)};
    struct value argument[IMPACT_ARGUMENTS];
    for (uint32_t i = 0; i < IMPACT_ARGUMENTS; i++)
        argument[i] = value_num(ck, ex_sym(ck->g, SYM_APPROACH, i, 0), of[i],
                                node->range);
    struct env inner = {.up = env,
                        .module = env->module,
                        .names = (const char **)law_argument,
                        .vals = argument,
                        .n = IMPACT_ARGUMENTS,
                        .system = env->system};
    const struct decl *decl = law_named(ck, env->module, node);
    const struct ast_expr *asked = decl ? with_arguments(ck, decl, node) : node;
    if (!asked || (!decl && function_for_law(ck, env->module, node)))
        return false;
    struct value pair = check_expr(ck, &inner, asked);
    if (pair.kind == VALUE_POISON || pair.kind == VALUE_ANY)
        return false;
    if (pair.kind != VALUE_NUM || pair.rows * pair.cols != 2) {
        no_pair(ck, node);
        return false;
    }
    return take_impulse(ck, &pair, 0, node, N, &own[0]) &&
           take_impulse(ck, &pair, 1, node, T, &own[1]);
}

void
no_slip_for_law(struct check *ck, imp_range law, bool of_contact,
                imp_range contact)
{
    struct diag *diag = check_error(
        ck, DIAG_E0383, law,
        "a law of impact has a tangential impulse, but this contact states "
        "no slip");
    if (!of_contact)
        CHECK_NOTE(ck, diag, contact, "the contact");
    CHECK_HELP(ck, diag,
               "add slide = ..., the place along the ground where it "
               "touches; a law of the normal direction alone is a "
               "restitution of `approach`");
}

void
contact_law(struct check *ck, const struct env *env, const struct ast_item *law,
            const struct law_dims *dims, struct tm_contact *contact)
{
    assert(ck && env && dims && contact);
    struct env home = {0};
    struct tm_num own[2];
    if (!law && (law = world_law(ck, &home.module)))
        env = &home;
    if (!law)
        return;
    if (!dims->slip) {
        no_slip_for_law(ck, law->name.range, env != &home, contact->range);
        return;
    }
    if (impact_law(ck, env, law->value, dims, own)) {
        contact->own[0] = own[0];
        contact->own[1] = own[1];
    }
}
