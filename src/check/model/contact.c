/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts between two bodies: of their surfaces, found along the motion, or
 * stated at a point with a normal (or a direction that keeps its length). */
#include <assert.h>
#include <string.h>

#include "check/model/model_priv.h"

enum {
    K_RESTITUTION,
    K_FRICTION,
    K_IMPACT_FRICTION,
    K_LAW,
    K_AT,
    K_NORMAL,
    K_DIRECTION,
    K_PRIORITY,
    K_STIFFNESS,
    K_EXPONENT,
    K_COMPLIANCE,
    K_SCALE,
    K_GAP,
    K_SLIDE,
    N_KEYS
};
const struct keydef contact_keys[] = {
/* The laws that a contact may state; then the number that may stand alone. */
#define LAW_WORD_0(word)
#define LAW_WORD_1(word) #word "(e), "
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) LAW_WORD_##args(word)
    {"restitution",
#include "abi/laws.def"
     "or the coefficient of restitution alone (1), which may read `approach`, "
     "the speed of the impact"},
#undef LAW_WORD_0
#undef LAW_WORD_1
    {"friction", "coefficient of friction (0), which may read `slip`, or "
                 "coulomb(static, dynamic)"},
    {"impact_friction", "coefficient of friction of impacts (as friction)"},
    {"law", "an impact law of its own: normal and tangential impulse, of "
            "`approach`, `slip`, `restitution`, `friction`, `A`, `B`, `C`"},
    {"at", "the point, in world axes at the start"},
    {"normal", "from the first to the second body; without `at`: which one "
               "holds where corners meet corners"},
    {"direction", "as normal, but keeps its length"},
    {"priority", "order among simultaneous contacts"},
    {"stiffness", "of its bond beside the others, for the law lzb"},
    {"exponent", "of that bond: the power of its depth in its force (3/2)"},
    {"compliance", "what `paradox = compliant`, `portrait` and `resolvable` "
                   "take it for: the normal force, a formula of `depth` and "
                   "`speed`"},
    {"scale",
     "of compliance: depths are so many times those of its formula (1)"},
    {"gap", "in a system: the gap as a formula"},
    {"slide", "in a system: the tangential coordinate"},
};
const size_t n_contact_keys = sizeof contact_keys / sizeof contact_keys[0];

bool
is_body(const struct check *ck, const char *name)
{
    assert(ck && name);
    for (size_t i = 0; i < ck->lists.bodies.n; i++)
        if (ck->notes.body_decls.v[i]->name == name)
            return true;
    return false;
}

bool
contact_bodies(struct check *ck, const struct env *env,
               const struct ast_expr *node, uint32_t *first, uint32_t *count)
{
    assert(ck && env && node && first);
    if (node->kind == AST_NAME && !strcmp(node->name.text, "world")) {
        struct diag *diag =
            check_error(ck, DIAG_E0324, node->range,
                        "the world has no surface; a contact is "
                        "between two bodies");
        CHECK_HELP(ck, diag,
                   "declare what does not move: body ground { fixed = "
                   "true }");
        return false;
    }
    bool reported = false;
    if (node->kind == AST_NAME && !is_body(ck, node->name.text) &&
        !scope_find(ck, env->module, node->name.text, WANT_ANY, node->range,
                    &reported)) {
        const char *name = node->name.text;
        if (reported)
            return false;
        /* families by their own names, too, of which each is given once */
        size_t n_names = 0;
        const char **names =
            NEW_N(ck->arena, const char *, 2 * ck->lists.bodies.n + 1);
        for (size_t i = 0; i < ck->lists.bodies.n; i++) {
            const char *family = ck->notes.body_decls.v[i]->name;
            names[n_names++] = ck->lists.bodies.v[i].name;
            if (count && family != names[n_names - 1] &&
                (i == 0 || family != ck->notes.body_decls.v[i - 1]->name))
                names[n_names++] = family;
        }
        struct diag *diag = check_error(ck, DIAG_E0101, node->range,
                                        "there is no body `%s`", name);
        if (!check_suggest(ck, diag, node->range, name, names, n_names))
            CHECK_HELP(ck, diag,
                       "declare it, for example: body %s : %s { fixed = "
                       "true }",
                       name, ck->m->dim == 3 ? "half_space" : "half_plane");
        return false;
    }
    struct value value = check_expr(ck, env, node);
    if (value.kind == VALUE_POISON)
        return false;
    bool family = value.kind == VALUE_FAMILY && value.field;
    *first = value.ref;
    if (count)
        *count = family ? value.rows : 1;
    if (value.kind == VALUE_BODY || (family && count))
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0324, node->range,
                    "a contact is between two bodies, but this is %s",
                    value_kind_text(ck, &value));
    if (family)
        CHECK_HELP(ck, diag,
                   "name one of them, as %s, or make a contact of each: "
                   "contact touch[i in %u .. %u] : one | %s[i] { }, or "
                   "contacts between one, %s { }",
                   ck->lists.bodies.v[value.ref].name, value.cols,
                   value.cols + value.rows - 1, value.text, value.text);
    else
        CHECK_HELP(ck, diag,
                   value.kind == VALUE_SYSTEM
                       ? "contacts of a system stand in its block: contact c { "
                         "gap = y }, or of its point and a surface, contact c "
                         ": tip | floor { }"
                   : count ? "contacts(one, two) { } names bodies"
                           : "contact touch : one | two");
    return false;
}

/* E0325: no law that a contact can state has this name. */
static void
no_such_law(struct check *ck, const struct ast_expr *at)
{
    const char *words[IMP_LAW_COUNT], *calls = "";
    for (uint32_t i = 0; i < IMP_LAW_COUNT; i++) {
        words[i] = imp_impact_law_word(IMP_IMPACT_NEWTON + i);
        calls = arena_printf(ck->arena, "%s%s%s(e)", calls, i ? ", " : "",
                             words[i]);
    }
    struct diag *diag =
        check_error(ck, DIAG_E0325, at->range, "there is no law of impact `%s`",
                    at->name.text);
    if (!check_suggest(ck, diag, at->range, at->name.text, words,
                       IMP_LAW_COUNT))
        CHECK_HELP(ck, diag, "laws are %s; a bare number is Newton's", calls);
}

/* Is it `sticking`, the word of bodies whose points keep no velocity after an
 * impact? *contact is then told so; of a system E0325. */
static bool
sticking(struct check *ck, const struct env *env, const struct ast_expr *inner,
         struct tm_contact *contact)
{
    bool reported;
    if (inner->kind != AST_NAME || strcmp(inner->name.text, "sticking") != 0 ||
        scope_find(ck, env->module, "sticking", WANT_VALUE, inner->range,
                   &reported) ||
        reported)
        return false;
    if (!env->system) {
        contact->sticks = true;
        contact->e.e = ex_num(ck->g, 0);
        return true;
    }
    struct diag *diag =
        check_error(ck, DIAG_E0325, inner->range,
                    "`restitution = sticking` is for contacts of bodies");
    CHECK_HELP(ck, diag,
               "in a system state where it slips, and its law: slide = ..., "
               "use friction, and restitution = 0  law = sticking");
    return true;
}

bool
contact_sticks_alone(struct check *ck, const struct tm_contact *contact,
                     const struct ast_item *const beside[], size_t n)
{
    assert(ck && contact && (n == 0 || beside));
    for (size_t i = 0; i < n && contact->sticks; i++) {
        if (!beside[i])
            continue;
        struct diag *diag = check_error(
            ck, DIAG_E0325, beside[i]->name.range,
            "a contact whose impacts stick has no `%s`", beside[i]->name.text);
        CHECK_HELP(
            ck, diag,
            "all of the velocity of its points goes, whatever impulse "
            "that takes: leave it out, or state a number as restitution");
    }
    return contact->sticks;
}

static void
law_of(struct check *ck, const struct env *env, const struct ast_item *key,
       struct tm_contact *contact)
{
    const struct ast_expr *node = key->value;
    const struct ast_expr *inner = ast_unwrap(node);
    if (sticking(ck, env, inner, contact))
        return;
    if (inner->kind == AST_CALL && inner->a->kind == AST_NAME) {
        const char *name = inner->a->name.text;
        bool reported;
        for (uint32_t i = 0; i < IMP_LAW_COUNT; i++)
            if (!strcmp(name, imp_impact_law_word(IMP_IMPACT_NEWTON + i))) {
                contact->law = (enum imp_law)i;
                contact->law_named = true;
                if (inner->n_args != 1 || inner->args[0].name.text) {
                    check_error(ck, DIAG_E0214, inner->range,
                                "%s takes one number, the coefficient of "
                                "restitution",
                                name);
                    return;
                }
                node = inner->args[0].value;
            }
        if (node == key->value &&
            !scope_find(ck, env->module, name, WANT_CALL, inner->range,
                        &reported) &&
            !reported && !builtin_find(name)) {
            no_such_law(ck, inner->a);
            return;
        }
    }
    double number;
    struct value value = check_expr(ck, env, node);
    if (!value_need_scalar(ck, &value, node, dim_pure(ck->dims),
                           "a coefficient of restitution") ||
        !check_leaves(ck, value.e, 1, MAY_PARAMS, node, "the restitution"))
        return;
    if (value_const(&value, &number) &&
        (number < 0 || (number > 1 && !ck->m->world.gain_allowed))) {
        struct diag *diag = check_error(
            ck, DIAG_E0323, node->range,
            "a coefficient of restitution is between 0 and 1, but this is %g",
            number);
        if (number > 1)
            CHECK_HELP(
                ck, diag,
                "to let impacts add energy, say world { gain = allowed }");
        else
            CHECK_HELP(ck, diag, "0 is a plastic, 1 an elastic impact");
        return;
    }
    take_num(&contact->e, &value, node);
}

void
contact_restitution(struct check *ck, const struct env *env,
                    const struct ast_item *restitution, const struct dim *speed,
                    struct tm_contact *contact)
{
    assert(ck && env && speed && contact);
    const char *name[1] = {"approach"};
    struct value approach =
        value_num(ck, ex_sym(ck->g, SYM_APPROACH, 0, 0), speed, contact->range);
    struct env inner = {.up = env,
                        .module = env->module,
                        .names = name,
                        .vals = &approach,
                        .n = 1,
                        .system = env->system};
    contact->e.e = ex_num(ck->g, 1);
    contact->e.range = contact->range;
    if (restitution)
        law_of(ck, &inner, restitution, contact);
}

void
body_friction(struct check *ck, const struct env *env,
              const struct ast_item *friction, const struct ast_item *impact,
              struct tm_contact *contact)
{
    assert(ck && env && contact);
    const char *name[1] = {"slip"};
    struct value speed = value_num(ck, ex_sym(ck->g, SYM_SLIP, 0, 0),
                                   dim_mks(ck->dims, 1, 0, -1), contact->range);
    struct env inner = {.up = env,
                        .module = env->module,
                        .names = name,
                        .vals = &speed,
                        .n = 1};
    env = &inner;
    if (contact_friction(ck, env, friction, impact, NULL, contact) &&
        contact_has_friction(contact) && ck->m->dim == 3)
        check_unavailable(ck, (friction ? friction : impact)->name.range,
                          "friction between bodies in space",
                          "leave `friction` out, or, if all moves in a plane, "
                          "describe it there: circle, rectangle, half_plane, "
                          "positions of two numbers");
}

struct law_dims
law_dims_of_bodies(struct check *ck)
{
    assert(ck);
    const struct dim *speed = dim_mks(ck->dims, 1, 0, -1);
    return (struct law_dims){speed, speed, dim_mks(ck->dims, 2, 1, -2)};
}

void
body_law(struct check *ck, const struct env *env, const struct ast_item *law,
         struct tm_contact *contact)
{
    assert(ck && env && contact);
    struct module *home;
    if (ck->m->dim != 2) {
        const struct ast_item *of = law ? law : world_law(ck, &home);
        if (of)
            check_unavailable(ck, of->name.range,
                              "an impact law of its own between bodies in "
                              "space",
                              "state `restitution` in place of `law`: a "
                              "number, poisson(0.5), energetic(0.5); of "
                              "impacts at several contacts "
                              "world { law = sequential }");
        return;
    }
    struct law_dims dims = law_dims_of_bodies(ck);
    contact_law(ck, env, law, &dims, contact);
}

/* -- stated contacts ------------------------------------------------------ */

bool
take_direction(struct check *ck, const struct env *env,
               const struct ast_expr *node, const char *what,
               const struct dim *dim, struct tm_vec *out)
{
    assert(ck && env && node && what && out);
    struct value value = check_expr(ck, env, node);
    uint32_t count = ck->m->dim;
    bool zero = true;
    if (!value_need_vector(ck, &value, node, count,
                           dim ? dim : dim_fresh(ck->dims, node->range),
                           what) ||
        value.kind != VALUE_NUM ||
        !check_leaves(ck, value.e, count, MAY_PARAMS, node, what))
        return false;
    for (uint32_t i = 0; i < count; i++)
        zero &= ex_is_num(value.e[i], 0);
    if (zero) {
        struct diag *diag =
            check_error(ck, DIAG_E0340, node->range,
                        "%s is a direction, so it cannot be zero", what);
        CHECK_HELP(ck, diag, count == 2 ? "as in (0, 1)" : "as in (0, 0, 1)");
        return false;
    }
    take_vec(out, &value, node);
    return true;
}

/* Is this a polytope, but neither a half-plane nor a half-space? */
static bool
polytope(const struct tm_body *body)
{
    return body->shape.n_point || body->shape.n_plane > 1;
}

static bool
both_have_corners(const struct check *ck, const struct tm_contact *contact)
{
    return polytope(&ck->lists.bodies.v[contact->body[0]]) &&
           polytope(&ck->lists.bodies.v[contact->body[1]]);
}

/* A pure number of params. False: an error has been reported. */
static bool
pure_key(struct check *ck, const struct env *env, const struct ast_item *key,
         const char *what, struct tm_num *out)
{
    if (!key)
        return true;
    struct value value = check_expr(ck, env, key->value);
    bool ok =
        value_need_scalar(ck, &value, key->value, dim_pure(ck->dims), what) &&
        check_leaves(ck, value.e, 1, MAY_PARAMS, key->value, what);
    if (ok)
        take_num(out, &value, key->value);
    return ok;
}

void
contact_bond(struct check *ck, const struct env *env,
             const struct ast_item *stiffness, const struct ast_item *exponent,
             struct tm_contact *contact)
{
    assert(ck && env && contact);
    struct value value = stiffness ? check_expr(ck, env, stiffness->value)
                                   : value_poison(contact->range);
    if (value.kind == VALUE_NUM && !value.bare && !value.dims &&
        dim_known(ck->dims, value.dim) && !dim_is_pure(ck->dims, value.dim)) {
        struct diag *diag =
            check_error(ck, DIAG_E0203, stiffness->value->range,
                        "`stiffness` compares the bonds of `law = lzb` with "
                        "each other: a pure number, but this is %s",
                        dim_say(ck->dims, value.dim));
        CHECK_HELP(ck, diag,
                   "a contact that yields states its force: compliance = "
                   "%s*depth",
                   stiffness->value->unit
                       ? arena_printf(ck->arena, "(%s)",
                                      expr_label(ck, stiffness->value))
                       : expr_label(ck, stiffness->value));
    } else
        pure_key(ck, env, stiffness, "a stiffness beside others",
                 &contact->stiffness);
    pure_key(ck, env, exponent, "an exponent", &contact->exponent);
}

/* Takes the keys at, normal, direction and priority. False: an error has been
 * reported. */
static bool
state_contact(struct check *ck, const struct env *env, const struct decl *decl,
              const struct ast_item *const *keys, struct tm_contact *contact)
{
    const struct ast_item *at = keys[K_AT], *normal = keys[K_NORMAL],
                          *direction = keys[K_DIRECTION];
    if (normal && direction) {
        struct diag *diag =
            check_error(ck, DIAG_E0333, direction->name.range,
                        "a contact has a `normal` or a `direction`, "
                        "not both");
        CHECK_NOTE(ck, diag, normal->name.range, "the normal");
        CHECK_HELP(ck, diag,
                   "`normal` is made a unit vector; `direction` keeps its "
                   "length, which divides the impulse");
        return false;
    }
    if (!normal)
        normal = direction;
    if (at && !normal) {
        struct diag *diag = check_error(
            ck, DIAG_E0333, at->name.range,
            "the contact `%s` has a point, but no normal", decl->name);
        CHECK_HELP(ck, diag,
                   "add `normal = ...`, from the first body to the second");
        return false;
    }
    if (normal && !at &&
        !(normal != direction && both_have_corners(ck, contact))) {
        struct diag *diag =
            check_error(ck, DIAG_E0333, normal->name.range,
                        "the contact `%s` has a %s, but no point", decl->name,
                        normal->name.text);
        CHECK_HELP(
            ck, diag,
            "add `at = ...`, the point in world axes at the start; only a "
            "`normal` of two bodies with corners stands alone");
        return false;
    }
    bool ok =
        pure_key(ck, env, keys[K_PRIORITY], "a priority", &contact->priority);
    if (!normal || !ck->m->dim)
        return ok;
    if (!at) {
        if (take_direction(ck, env, normal->value, "the normal of a contact",
                           NULL, &contact->direction))
            normalised(ck, &contact->direction);
        return ok && contact->direction.n;
    }
    const struct ast_expr *point = at->value;
    struct value place = check_expr(ck, env, point);
    if (!value_need_vector(ck, &place, point, ck->m->dim,
                           dim_mks(ck->dims, 1, 0, 0),
                           "the point of a contact") ||
        !check_leaves(ck, place.e, ck->m->dim, MAY_PARAMS, point,
                      "the point of a contact") ||
        !take_direction(ck, env, normal->value,
                        normal == direction ? "the direction of a contact"
                                            : "the normal of a contact",
                        normal == direction ? dim_pure(ck->dims) : NULL,
                        &contact->direction))
        return false;
    take_vec(&contact->at, &place, point);
    if (normal != direction)
        normalised(ck, &contact->direction);
    return ok;
}

/* max(0, u) or min(0, u): what else it is made of; NULL: it is none. */
static const expr *
clipped(const expr *node)
{
    if (!node || (node->op != IMP_OP_MAX && node->op != IMP_OP_MIN))
        return NULL;
    return ex_is_num(node->a, 0)   ? node->b
           : ex_is_num(node->b, 0) ? node->a
                                   : NULL;
}

/* A power of max(0, u) of at least 2, which has no edge where u is 0: u. NULL:
 * it is none. */
static const expr *
smooth_power(const expr *node)
{
    const expr *a = node->a, *b = node->b;
    if (node->op == IMP_OP_POW)
        return ex_is_const(b) && b->num >= 2 ? clipped(a) : NULL;
    if (node->op != IMP_OP_MUL ||
        (a != b && (b->op != IMP_OP_MUL || b->a != a || b->b != a)))
        return NULL;
    return clipped(a);
}

/* Does the level set have edges, that is max or min in its formula? */
static bool
has_corners(struct check *ck, const expr *expression, unsigned char *seen)
{
    for (; expression && !seen[expression->id]; expression = expression->c) {
        seen[expression->id] = 1;
        if ((expression->op == IMP_OP_MAX || expression->op == IMP_OP_MIN) &&
            ex_depends(ck->g, expression, SYM_LOCAL, UINT32_MAX, UINT32_MAX))
            return true;
        if (expression->op == IMP_OP_CONST || expression->op == IMP_OP_ENV)
            return false;
        const expr *inner = smooth_power(expression);
        if (inner)
            return has_corners(ck, inner, seen);
        if (has_corners(ck, expression->a, seen) ||
            has_corners(ck, expression->b, seen))
            return true;
    }
    return false;
}

/* A linear formula that reads t is a half-plane which moves within its own
 * axes. */
static bool
moving_plane(struct check *ck, const expr *expression)
{
    if (!expression ||
        !ex_depends(ck->g, expression, SYM_TIME, UINT32_MAX, UINT32_MAX))
        return false;
    for (uint32_t i = 0; i < ck->m->dim; i++)
        if (ex_depends(
                ck->g,
                ex_diff(ck->g, expression, ex_sym(ck->g, SYM_LOCAL, i, 0)),
                SYM_LOCAL, UINT32_MAX, UINT32_MAX))
            return false;
    return true;
}

/* Where corners touch is found for convex polytopes. Other shapes with corners,
 * such as the greatest of curved functions, are refused. */
bool
contact_is_searched(struct check *ck, const char *name,
                    const struct tm_contact *contact)
{
    assert(ck && name && contact);
    for (int i = 0; i < 2; i++) {
        const struct tm_body *body = &ck->lists.bodies.v[contact->body[i]];
        const struct tm_body *other = &ck->lists.bodies.v[contact->body[1 - i]];
        const expr *expression = body->shape.level_set;
        struct diag *diag;
        if (polytope(other) && moving_plane(ck, expression)) {
            diag =
                check_error(ck, DIAG_E0901, contact->range,
                            "corners of `%s` against the flat shape of `%s`, "
                            "which contains t, are not available yet",
                            other->name, body->name);
            CHECK_HELP(
                ck, diag,
                "let the body move instead: a fixed body whose `position` "
                "contains t");
            return false;
        }
        if (!expression || body->shape.n_plane ||
            ck->notes.body_decls.v[contact->body[i]]->broken ||
            !has_corners(ck, expression,
                         NEW_N(ck->arena, unsigned char, expression->id + 1)))
            continue;
        /* A plane shape among bodies in space has already been reported, and
         * so has one in space among those of the plane. */
        if (ck->ds->errors && body->shape.uses_z != (ck->m->dim == 3))
            continue;
        diag = check_error(
            ck, DIAG_E0901, contact->range,
            "finding where the corners and edges of `%s` touch is not "
            "available yet: its shape is no convex polytope",
            body->name);
        CHECK_NOTE(
            ck, diag, body->shape.range,
            "a polytope is the greatest of linear functions of x, y and z, "
            "without t; or made by polygon or polyhedron");
        CHECK_HELP(ck, diag,
                   "state it: contact %s : %s | %s { at = ...  normal = ... }",
                   name, ck->lists.bodies.v[contact->body[0]].name,
                   ck->lists.bodies.v[contact->body[1]].name);
        return false;
    }
    return true;
}

void
body_compliance(struct check *ck, const struct env *env,
                const struct ast_item *law, const struct ast_item *scale,
                struct tm_contact *contact)
{
    assert(ck && env && contact);
    const struct dim *length = dim_mks(ck->dims, 1, 0, 0);
    contact_compliance(ck, env, law, scale, length, dim_mks(ck->dims, 2, 1, -2),
                       contact);
    if (!contact->compliance.e || (ck->m->dim != 3 && !contact->at.n))
        return;
    /* in space its friction has been refused already */
    if (contact->at.n) {
        struct diag *diag =
            check_error(ck, DIAG_E0386, law->name.range,
                        "the contact `%s` is stated by `at`", contact->name);
        CHECK_HELP(ck, diag,
                   "leave `at` and `normal` out: how deep the bodies are "
                   "pressed in follows from their shapes");
    }
    contact->compliance.e = NULL;
}

/* E0301: a key that contacts of systems alone have. */
static void
of_systems(struct check *ck, const struct ast_item *key)
{
    struct diag *diag =
        check_error(ck, DIAG_E0301, key->name.range,
                    "a contact of bodies has no key `%s`", key->name.text);
    CHECK_HELP(
        ck, diag,
        "how far bodies are apart, and how they slip, follows from their "
        "shapes and their `position`: leave it out; contacts of a system "
        "state it");
}

static void
contact(struct check *ck, struct decl *decl, uint32_t member)
{
    const struct ast_item *keys[N_KEYS], *it = decl->item;
    struct tm_contact *checked = &ck->lists.contacts.v[decl->index + member];
    struct member_env of;
    member_env(ck, decl, member, &of);
    struct env env = of.env;
    block_keys(ck, it, contact_keys, n_contact_keys, "contact", keys);
    if (!it->head1 || !it->head2) {
        struct diag *diag =
            check_error(ck, DIAG_E0324, decl->range,
                        "the contact `%s` names no bodies", decl->name);
        if (keys[K_GAP])
            CHECK_HELP(ck, diag,
                       "a gap that is a formula is that of a system's "
                       "contact, in its block; of bodies a stop is a body in "
                       "the way: contact %s : arm | stop",
                       decl->name);
        else
            CHECK_HELP(ck, diag, "contact %s : one | two", decl->name);
        return;
    }
    bool ok = contact_bodies(ck, &env, it->head1, &checked->body[0], NULL);
    ok &= contact_bodies(ck, &env, it->head2, &checked->body[1], NULL);
    bool stated = keys[K_AT] || keys[K_GAP];
    if (ok && !state_contact(ck, &env, decl, keys, checked))
        ok = false;
    if (ok && checked->body[0] == checked->body[1]) {
        imp_range range = it->head1->range;
        range.hi = it->head2->range.hi;
        struct diag *diag = check_error(ck, DIAG_E0320, range,
                                        "a body has no contact with itself");
        CHECK_HELP(ck, diag, "name two different bodies");
        ok = false;
    }
    for (int i = 0; ok && !stated && i < 2; i++) {
        struct decl *b = ck->notes.body_decls.v[checked->body[i]];
        if (b->item->head1)
            continue;
        ok = false;
        if (block_has_shape(b->item))
            continue;
        struct diag *diag = check_error(
            ck, DIAG_E0322, (i ? it->head2 : it->head1)->range,
            "the body `%s` has no shape, so it cannot touch anything", b->name);
        CHECK_NOTE(ck, diag, b->range, "declared here");
        CHECK_HELP(ck, diag,
                   "give it one, as in body %s : %s(1), or state where they "
                   "touch: contact %s : %s | %s { at = ...  normal = ... }",
                   b->name, ck->m->dim == 3 ? "sphere" : "circle", decl->name,
                   ck->lists.bodies.v[checked->body[0]].name,
                   ck->lists.bodies.v[checked->body[1]].name);
    }
    if (ok && ck->lists.bodies.v[checked->body[0]].fixed &&
        ck->lists.bodies.v[checked->body[1]].fixed) {
        struct diag *diag =
            check_error(ck, DIAG_E0321, decl->range,
                        "both bodies of this contact are fixed");
        CHECK_HELP(ck, diag, "an impact needs a body that can move");
    }
    if (ok && !stated)
        contact_is_searched(ck, decl->name, checked);
    for (int i = K_GAP; i < N_KEYS; i++)
        if (keys[i])
            of_systems(ck, keys[i]);
    contact_restitution(ck, &env, keys[K_RESTITUTION],
                        dim_mks(ck->dims, 1, 0, -1), checked);
    const struct ast_item *beside[] = {keys[K_FRICTION],
                                       keys[K_IMPACT_FRICTION], keys[K_LAW],
                                       keys[K_COMPLIANCE]};
    if (!contact_sticks_alone(ck, checked, beside, 4)) {
        body_friction(ck, &env, keys[K_FRICTION], keys[K_IMPACT_FRICTION],
                      checked);
        body_law(ck, &env, keys[K_LAW], checked);
    }
    contact_bond(ck, &env, keys[K_STIFFNESS], keys[K_EXPONENT], checked);
    if (ok && !checked->sticks)
        body_compliance(ck, &env, keys[K_COMPLIANCE], keys[K_SCALE], checked);
}

/* Adds a contact, or all contacts of a family. */
static void
declare_contacts(struct check *ck, struct decl *decl)
{
    family_declare(ck, decl, (uint32_t)ck->lists.contacts.n);
    for (uint32_t i = 0; i < decl->count; i++) {
        struct tm_contact c = {.name = member_name(ck, decl, i),
                               .doc = decl->item->doc ? decl->item->doc : "",
                               .range = decl->range};
        APUSH(ck, &ck->lists.contacts, c);
    }
}

void
contacts_declare(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_CONTACT)
                declare_contacts(ck, decl);
}

void
check_contacts(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            /* a mistake is told of one member of a family */
            for (uint32_t i = 0, errors = (uint32_t)ck->ds->errors;
                 decl->kind == DECL_CONTACT && i < decl->count &&
                 (uint32_t)ck->ds->errors == errors;
                 i++)
                contact(ck, decl, i);
}
