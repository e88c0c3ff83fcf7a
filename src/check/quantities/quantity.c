/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model may ask of a body (one.position) or a contact (touch.gap):
 * leaves of the graph, SYM_BODY and SYM_CONTACT, that mechanics/ replaces. In
 * the plane spin, angular momentum and inertia are their component 0. */
#include <assert.h>
#include <string.h>

#include "check/quantities/quantities.h"

/* -- quantities of a body ------------------------------------------------- */

const struct keydef body_values[] = {
    {"position", "of the mass centre"},
    {"velocity", "of the mass centre"},
    {"spin", "angular velocity, world axes"},
    {"angle", "in the plane"},
    {"energy", "kinetic and potential energy"},
    {"momentum", "mass times velocity"},
    {"angular_momentum", "about the world's origin"},
    {"mass", "mass"},
    {"volume", "of the shape (area in the plane)"},
    {"inertia", "about the mass centre, in the shape's axes"},
    {"centre", "mass centre in the shape's axes"},
    {"quaternion", "orientation in space, (w, x, y, z)"},
    {"axes", "orientation as a matrix R whose columns are the body's axes; "
             "transpose(R)*R' is the matrix of body_spin"},
    {"body_velocity", "velocity of the mass centre, body axes"},
    {"body_spin", "angular velocity, body axes"},
    {"body_momentum", "mass times velocity, body axes"},
    {"body_angular_momentum", "about the mass centre, body axes: J w"},
    {"twist", "screw of 6: spin, and velocity of the mass centre"},
    {"momentum_screw", "screw of 6: momentum, and angular momentum about the "
                       "mass centre; M*twist"},
    {"M", "6 x 6, [0, m; J, 0] in world axes: twist to momentum screw"},
    {"Q", "6 x f: the motions [spin; velocity] that its joint to what is fixed "
          "leaves free; all of a free body"},
    {"S", "6 x (6 - f): the reactions [force; moment] of that joint about the "
          "mass centre"},
    {"M_red", "f x f: transpose(Q)*eta*M*Q"},
};
const size_t n_body_values = sizeof body_values / sizeof body_values[0];

/* The quantities that are leaves, in the order of body_values. */
static const struct body_row {
    enum body_quantity q;
    int8_t m, kg, s;
    char size; /* d: vector, w: spin-like, 1, i: inertia, a, q, R */
} body_rows[] = {
    {BODYQ_POSITION, 1, 0, 0, 'd'},
    {BODYQ_VELOCITY, 1, 0, -1, 'd'},
    {BODYQ_SPIN, 0, 0, -1, 'w'},
    {BODYQ_ANGLE, 0, 0, 0, 'a'},
    {BODYQ_ENERGY, 2, 1, -2, '1'},
    {BODYQ_MOMENTUM, 1, 1, -1, 'd'},
    {BODYQ_ANGULAR_MOMENTUM, 2, 1, -1, 'w'},
    {BODYQ_MASS, 0, 1, 0, '1'},
    {BODYQ_VOLUME, 0, 0, 0, 'v'},
    {BODYQ_INERTIA, 2, 1, 0, 'i'},
    {BODYQ_CENTRE, 1, 0, 0, 'd'},
    {BODYQ_QUATERNION, 0, 0, 0, 'q'},
    {BODYQ_AXES, 0, 0, 0, 'R'},
    {BODYQ_BODY_VELOCITY, 1, 0, -1, 'd'},
    {BODYQ_BODY_SPIN, 0, 0, -1, 'w'},
    {BODYQ_BODY_MOMENTUM, 1, 1, -1, 'd'},
    {BODYQ_BODY_ANGULAR_MOMENTUM, 2, 1, -1, 'w'},
};

/* E0112: no body has this part. */
static void
no_body_quantity(struct check *ck, const char *name, imp_range name_range)
{
    const char *names[32];
    for (size_t k = 0; k < n_body_values; k++)
        names[k] = body_values[k].name;
    struct diag *diag =
        check_error(ck, DIAG_E0112, name_range, "a body has no `%s`", name);
    if (strlen(name) == 1 && strchr("xyz", *name))
        CHECK_HELP(ck, diag, "its place is a vector: position.%s", name);
    else if (strlen(name) == 2 && strchr("vw", name[0]) &&
             strchr("xyz", name[1]))
        CHECK_HELP(ck, diag, "it is an entry of a vector: %s.%c",
                   name[0] == 'v' ? "velocity" : "spin", name[1]);
    else if (!strcmp(name, "speed"))
        CHECK_HELP(ck, diag,
                   "it is the length of a vector, as in norm(ball.velocity)");
    else if (!strncmp(name, "acc", 3))
        CHECK_HELP(ck, diag,
                   "the rate of its velocity is velocity', "
                   "that of its spin spin'");
    else if (!strcmp(name, "rotation") || !strcmp(name, "orientation") ||
             !strcmp(name, "euler") || !strcmp(name, "rpy"))
        CHECK_HELP(ck, diag,
                   "in the plane it is `angle`, in space `axes`, a matrix, or "
                   "`quaternion`");
    else if (!strcmp(name, "force") || !strcmp(name, "torque"))
        CHECK_HELP(
            ck, diag,
            "what is stated has a name of its own where a let gives it "
            "one, let F = ..., as in %s = F; all that acts, contacts and "
            "joints too, is %s",
            name, *name == 'f' ? "mass*velocity'" : "angular_momentum'");
    else if (!strcmp(name, "kinetic_energy") ||
             !strcmp(name, "potential_energy"))
        CHECK_HELP(ck, diag,
                   "`energy` is the sum of both; `%s` without a body is that "
                   "of all bodies and systems",
                   name);
    else if (!check_suggest(ck, diag, name_range, name, names, n_body_values))
        CHECK_HELP(ck, diag, "it has %s",
                   check_join(ck, names, n_body_values, "and"));
}

/* Makes the leaves of a quantity of body number body_no, in a model of this
 * dimension. */
static struct value
body_leaves(struct check *ck, uint32_t body_no, const struct body_row *row,
            imp_range range)
{
    uint32_t dimension = ck->m->dim;
    char size = row->size;
    uint32_t count = size == 'd'   ? dimension
                     : size == 'w' ? (dimension == 2 ? 1 : 3)
                     : size == 'q' ? 4
                                   : 1;
    int metres = size == 'v' ? (int)dimension : row->m;
    const struct dim *dim = dim_mks(ck->dims, metres, row->kg, row->s);
    uint32_t base = (uint32_t)row->q * BODYQ_STRIDE;
    if (size == 'i' && dimension == 3) {
        static const uint32_t at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
        struct value value = value_array(ck, 3, 3, dim, range);
        for (int k = 0; k < 9; k++)
            value.e[k] = ex_sym(ck->g, SYM_BODY, body_no, base + at[k]);
        return value;
    }
    struct value leaves = value_array(ck, size == 'R' ? dimension : count,
                                      size == 'R' ? dimension : 1, dim, range);
    for (uint32_t k = 0; k < leaves.rows * leaves.cols; k++)
        leaves.e[k] = ex_sym(ck->g, SYM_BODY, body_no, base + k);
    return leaves;
}

struct value
body_field(struct check *ck, uint32_t body_no, const char *name,
           imp_range name_range, imp_range range)
{
    assert(ck && name);
    assert(body_no < ck->lists.bodies.n);
    const struct tm_body *body = &ck->lists.bodies.v[body_no];
    size_t which = 0;
    while (which < n_body_values && strcmp(body_values[which].name, name))
        which++;
    if (which == n_body_values) {
        no_body_quantity(ck, name, name_range);
        return value_poison(range);
    }
    uint32_t dim = ck->m->dim;
    if (!dim) { /* The dimension is not known yet because shapes are being read.
                 */
        struct diag *diag =
            check_error(ck, DIAG_E0319, range,
                        "a shape cannot depend on the motion of "
                        "bodies");
        CHECK_HELP(ck, diag, "it may depend on params, constants and t");
        return value_poison(range);
    }
    struct value screw;
    if (which >= sizeof body_rows / sizeof body_rows[0])
        return screw_of_body(ck, body_no, name, range, &screw)
                   ? screw
                   : value_poison(range);
    char size = body_rows[which].size;
    if ((size == 'a' && dim == 3) || (size == 'q' && dim == 2)) {
        struct diag *diag =
            check_error(ck, DIAG_E0313, name_range, "`%s` is for bodies in %s",
                        name, dim == 3 ? "the plane" : "space");
        CHECK_HELP(ck, diag,
                   dim == 3 ? "in space there is `quaternion`"
                            : "in the plane there is `angle`");
        return value_poison(range);
    }
    if (size == 'v' && !body->shape.level_set && !body->shape.n_point) {
        if (ck->notes.body_decls.v[body_no]->item->head1)
            return value_poison(range);
        check_error(ck, DIAG_E0112, name_range,
                    "the body `%s` has no shape and so no volume", body->name);
        return value_poison(range);
    }
    return body_leaves(ck, body_no, &body_rows[which], range);
}

struct value
family_field(struct check *ck, const struct value *family, const char *name,
             imp_range name_range, imp_range range)
{
    assert(ck && family && family->kind == VALUE_FAMILY && family->rows > 0);
    struct value all = value_poison(range);
    uint32_t width = 0;
    for (uint32_t i = 0; i < family->rows; i++) {
        struct value one = (family->field ? body_field : contact_field)(
            ck, family->ref + i, name, name_range, range);
        if (one.kind == VALUE_POISON)
            return one;
        if (one.kind != VALUE_NUM || one.dims) {
            struct diag *diag = check_error(
                ck, DIAG_E0112, name_range,
                "a family has no `%s`: its entries differ in dimension", name);
            CHECK_HELP(ck, diag, "ask a member of it, %s.%s",
                       family->field ? ck->lists.bodies.v[family->ref].name
                                     : ck->lists.contacts.v[family->ref].name,
                       name);
            return value_poison(range);
        }
        if (i == 0) {
            width = one.rows * one.cols;
            all = value_array(ck, family->rows, width, one.dim, range);
        }
        for (uint32_t k = 0; k < width; k++)
            all.e[(size_t)i * width + k] = one.e[k];
    }
    return all;
}

/* -- quantities of a contact ---------------------------------------------- */

const struct keydef contact_values[] = {
    {"gap", "signed distance of the two surfaces"},
    {"P", "closest point on the first body"},
    {"Q", "closest point on the second body"},
    {"normal", "outward normal of the first body"},
    {"frame", "matrix of columns: the normal, from the first to the second "
              "body, and the tangents that make it right-handed"},
    {"normal_force", "the force along the normal, not negative"},
    {"friction_force", "with friction: its force along the tangent"},
    {"slip", "velocity along the tangent"},
    {"work", "with friction: the work it has done so far"},
    {"mode", "0 free, 1 stick, 2 slip forward, 3 slip backward, 4 closed "
             "without friction"},
    {"p", "with friction, closed: what a unit normal force does to the gap in "
          "this slip; where there is none, the lesser of both directions"},
    {"b", "with friction, closed: acceleration of the gap without forces of "
          "contacts"},
    {"stored", "with a compliance: the energy that it gives back if it is let "
               "go slowly, the work of its law at speed 0"},
    {"impulse", "with a compliance: the impulse along the normal since it "
                "touched"},
    {"compression", "with a compliance: the part of that impulse that came "
                    "while it was being pressed in"},
};
const size_t n_contact_values =
    sizeof contact_values / sizeof contact_values[0];

struct value
no_surface(struct check *ck, uint32_t c, imp_range range)
{
    assert(ck);
    const struct tm_contact *contact = &ck->lists.contacts.v[c];
    struct diag *diag =
        check_error(ck, DIAG_E0343, range,
                    "the contact `%s` is stated at a point, so it "
                    "has no surfaces and no gap",
                    contact->name);
    CHECK_NOTE(ck, diag, contact->at.range, "the point");
    CHECK_HELP(ck, diag,
               "leave out `at` and `normal` to have the surfaces found");
    return value_poison(range);
}

/* Makes the columns e1 = normal, e2, e3 = normal x e2 (in the plane e2 is the
 * normal turned by 90 degrees). The tangent is that of Duff et al., Building an
 * orthonormal basis, revisited (JCGT 6, 2017). It is smooth but for a jump
 * where the z of the normal changes its sign. */
static struct value
contact_frame(struct check *ck, const expr *const *normal, imp_range range)
{
    struct graph *graph = ck->g;
    uint32_t d = ck->m->dim;
    struct value frame = value_array(ck, d, d, dim_pure(ck->dims), range);
    graph_origin(graph, range);
    if (d == 2) {
        const expr *m[4] = {normal[0], ex_neg(graph, normal[1]), normal[1],
                            normal[0]};
        memcpy(frame.e, m, sizeof m);
        return frame;
    }
    const expr *zero = ex_num(graph, 0), *one = ex_num(graph, 1);
    const expr *sign = ex_op(graph, IMP_OP_SELECT,
                             ex_op(graph, IMP_OP_LT, normal[2], zero, NULL),
                             ex_neg(graph, one), one);
    const expr *a =
        ex_neg(graph, ex_div(graph, one, ex_add(graph, sign, normal[2])));
    const expr *t[3] = {
        ex_mul(graph, ex_mul(graph, normal[0], normal[1]), a),
        ex_add(graph, sign,
               ex_mul(graph, ex_mul(graph, normal[1], normal[1]), a)),
        ex_neg(graph, normal[1])};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t p = (i + 1) % 3, q = (i + 2) % 3;
        frame.e[3 * i] = normal[i];
        frame.e[3 * i + 1] = t[i];
        frame.e[3 * i + 2] = ex_sub(graph, ex_mul(graph, normal[p], t[q]),
                                    ex_mul(graph, normal[q], t[p]));
    }
    return frame;
}

/* Returns v/|v|, where v is first scaled by its greatest entry. The zero vector
 * stays zero, so that set-up can find it. */
void
normalised(struct check *ck, struct tm_vec *vec)
{
    assert(ck && vec);
    struct graph *graph = ck->g;
    const expr *big = ex_num(graph, 0), *sum = ex_num(graph, 0),
               *one = ex_num(graph, 1),
               **e = NEW_N(ck->arena, const expr *, vec->n + 1);
    graph_origin(graph, vec->range);
    for (uint32_t i = 0; i < vec->n; i++)
        big = ex_op(graph, IMP_OP_MAX, big,
                    ex_op(graph, IMP_OP_ABS, vec->e[i], NULL, NULL), NULL);
    const expr *some = ex_op(graph, IMP_OP_LT, ex_num(graph, 0), big, NULL);
    big = ex_op(graph, IMP_OP_SELECT, some, big, one);
    for (uint32_t i = 0; i < vec->n; i++) {
        e[i] = ex_div(graph, vec->e[i], big);
        sum = ex_add(graph, sum, ex_mul(graph, e[i], e[i]));
    }
    sum = ex_op(graph, IMP_OP_SELECT, some,
                ex_op(graph, IMP_OP_SQRT, sum, NULL, NULL), one);
    for (uint32_t i = 0; i < vec->n; i++)
        e[i] = ex_div(graph, e[i], sum);
    vec->e = e;
}

/* Makes what the contact states, as it is at the start, with the normal as a
 * unit vector. */
static struct value
stated_field(struct check *ck, const struct tm_contact *contact, bool is_point,
             imp_range range)
{
    struct tm_vec v = is_point ? contact->at : contact->direction;
    if (!is_point)
        normalised(ck, &v);
    struct value result = value_array(
        ck, v.n, 1, is_point ? dim_mks(ck->dims, 1, 0, 0) : dim_pure(ck->dims),
        range);
    for (uint32_t k = 0; k < v.n; k++)
        result.e[k] = v.e[k];
    return result;
}

struct value
contact_gap(struct check *ck, uint32_t c, imp_range range)
{
    assert(ck);
    const struct tm_contact *contact = &ck->lists.contacts.v[c];
    if (contact->system)
        return system_gap_value(ck, c, range);
    return value_num(ck, ex_sym(ck->g, SYM_CONTACT, c, IMP_CONTACT_GAP),
                     dim_mks(ck->dims, 1, 0, 0), range);
}

/* The dimension of a quantity of friction, IMP_CONTACT_NORMAL_FORCE to
 * IMP_CONTACT_LOAD. A force of a system is its energy over the gap, or over
 * the way of the slip. */
static const struct dim *
friction_dim(struct check *ck, const struct tm_contact *contact, uint32_t entry)
{
    if (entry == IMP_CONTACT_MODE)
        return dim_pure(ck->dims);
    const struct dim *energy = contact->system
                                   ? system_energy(ck, contact->system - 1)
                                   : dim_mks(ck->dims, 2, 1, -2);
    const struct dim *slip =
        contact->system ? contact->slip_dim : dim_mks(ck->dims, 1, 0, -1);
    if (!energy || (contact->system && !contact->gap_dim))
        return NULL;
    const struct dim *gap =
        contact->system ? contact->gap_dim : dim_mks(ck->dims, 1, 0, 0);
    if (entry == IMP_CONTACT_NORMAL_FORCE)
        return dim_div(ck->dims, energy, gap);
    if (entry == IMP_CONTACT_IMPULSE || entry == IMP_CONTACT_COMPRESSION)
        return dim_mul(ck->dims, dim_div(ck->dims, energy, gap),
                       dim_mks(ck->dims, 0, 0, 1));
    if (!slip)
        return NULL;
    switch (entry) {
    case IMP_CONTACT_FRICTION_FORCE:
        return dim_div(ck->dims, energy,
                       dim_mul(ck->dims, slip, dim_mks(ck->dims, 0, 0, 1)));
    case IMP_CONTACT_SLIP:
        return slip;
    case IMP_CONTACT_MOBILITY: /* acceleration over force */
        return dim_div(ck->dims,
                       dim_mul(ck->dims, dim_mul(ck->dims, gap, gap),
                               dim_mks(ck->dims, 0, 0, -2)),
                       energy);
    case IMP_CONTACT_LOAD:
        return dim_mul(ck->dims, gap, dim_mks(ck->dims, 0, 0, -2));
    default:
        return energy;
    }
}

static struct value
without_compliance(struct check *ck, const struct tm_contact *contact,
                   imp_range name_range, imp_range range)
{
    if (contact->yields)
        return value_poison(range); /* what is wrong has been reported */
    struct diag *diag =
        check_error(ck, DIAG_E0386, name_range,
                    "the contact `%s` states no compliance", contact->name);
    CHECK_NOTE(ck, diag, contact->range, "declared here");
    CHECK_HELP(ck, diag,
               "a rigid contact stores no energy, and has its impulses in no "
               "time, which the record of simulate tells by itself: "
               "r.event_impulses; a compliance is a force: compliance = (1000 "
               "[N/m])*depth");
    return value_poison(range);
}

/* Does the range stand in the declaration of the contact of this name? */
static bool
stands_in_contact(const struct check *ck, const char *name, imp_range range)
{
    for (struct module *module = ck->modules.first; module;
         module = module->next) {
        const struct decl *decl = scope_own(module, name);
        if (decl && decl->kind == DECL_CONTACT && decl->item &&
            decl->item->range.file == range.file &&
            decl->item->range.lo <= range.lo &&
            range.hi <= decl->item->range.hi)
            return true;
    }
    return false;
}

/* Forces, slip, work and mode of a contact: what a run has written into env,
 * and the slip of a system, which is a formula. */
static struct value
friction_field(struct check *ck, uint32_t number, uint32_t entry,
               imp_range name_range, imp_range range)
{
    const struct tm_contact *contact = &ck->lists.contacts.v[number];
    bool rubs = contact_has_friction(contact) && !contact->slides_freely;
    bool formula = entry == IMP_CONTACT_SLIP && contact->system &&
                   contact->slip.e && !contact->slides_freely;
    if ((contact->system && !contact->gap_dim) || contact->no_mu)
        return value_poison(range); /* what is wrong has been reported */
    /* a contact without friction has a normal force and may be closed */
    bool load = entry == IMP_CONTACT_NORMAL_FORCE || entry == IMP_CONTACT_MODE;
    if (!rubs && !formula && entry == IMP_CONTACT_SLIP &&
        stands_in_contact(ck, contact->name, name_range)) {
        struct diag *diag = check_error(
            ck, DIAG_E0384, name_range,
            "the friction of `%s` is not known while its own formula is read",
            contact->name);
        CHECK_HELP(ck, diag, "there its speed of slip is `slip`");
        diag_fix(ck->ds, diag, range, "slip");
        return value_poison(range);
    }
    bool remembered =
        entry == IMP_CONTACT_IMPULSE || entry == IMP_CONTACT_COMPRESSION;
    bool yields = remembered || entry == IMP_CONTACT_STORED;
    if (yields && !contact->compliance.e)
        return without_compliance(ck, contact, name_range, range);
    if (!rubs && !formula && !load && !yields) {
        struct diag *diag =
            check_error(ck, DIAG_E0384, name_range,
                        "the contact `%s` has no friction", contact->name);
        CHECK_NOTE(ck, diag, contact->range, "declared here");
        CHECK_HELP(ck, diag,
                   ck->m->dim == 3 && !contact->system
                       ? "in space contacts of bodies have none: they tell "
                         "normal_force and mode"
                       : "without friction a contact has normal_force and "
                         "mode; the coefficient of friction may be a param "
                         "that is 0");
        return value_poison(range);
    }
    const struct dim *dim = friction_dim(ck, contact, entry);
    if (!dim)
        return value_poison(range); /* the system is wrong, as was told */
    ck->lists.contacts.v[number].tells_stored |= entry == IMP_CONTACT_STORED;
    ck->lists.contacts.v[number].remembers |= remembered;
    ck->lists.contacts.v[number].tells_load |=
        load && !contact_has_friction(contact);
    if (entry == IMP_CONTACT_MOBILITY || entry == IMP_CONTACT_LOAD)
        ck->lists.contacts.v[number].tells_point = true;
    if (entry == IMP_CONTACT_SLIP && !formula)
        ck->lists.contacts.v[number].tells_slip = true;
    return value_num(ck,
                     formula ? contact->slip.e
                             : ex_sym(ck->g, SYM_CONTACT, number, entry),
                     dim, range);
}

struct value
contact_field(struct check *ck, uint32_t number, const char *name,
              imp_range name_range, imp_range range)
{
    assert(ck && name);
    enum { GAP, P, Q, NORMAL, FRAME, NORMAL_FORCE };
    static const uint32_t rubbing[] = {
        IMP_CONTACT_NORMAL_FORCE, IMP_CONTACT_FRICTION_FORCE,
        IMP_CONTACT_SLIP,         IMP_CONTACT_WORK,
        IMP_CONTACT_MODE,         IMP_CONTACT_MOBILITY,
        IMP_CONTACT_LOAD,         IMP_CONTACT_STORED,
        IMP_CONTACT_IMPULSE,      IMP_CONTACT_COMPRESSION};
    static const uint32_t at[] = {IMP_CONTACT_GAP, IMP_CONTACT_P, IMP_CONTACT_Q,
                                  IMP_CONTACT_NORMAL, IMP_CONTACT_NORMAL};
    size_t which = 0;
    while (which < n_contact_values && strcmp(contact_values[which].name, name))
        which++;
    if (which == n_contact_values) {
        const char *names[16];
        for (size_t k = 0; k < n_contact_values; k++)
            names[k] = contact_values[k].name;
        struct diag *diag = check_error(ck, DIAG_E0112, name_range,
                                        "a contact has no `%s`", name);
        if (!strcmp(name, "penetration") || !strcmp(name, "depth"))
            CHECK_HELP(ck, diag,
                       "how far it is pressed in is the gap below 0: max(0 "
                       "[m], -gap(c)), as in sup(-gap(c))");
        else if (strstr(name, "impulse"))
            CHECK_HELP(ck, diag,
                       "those of impacts are in the record of simulate, "
                       "r.event_impulses, and of `impact`, r.impulses and "
                       "r.friction_impulses; of a lasting contact it is "
                       "integral(c.normal_force) in `record`");
        else if (!check_suggest(ck, diag, name_range, name, names,
                                n_contact_values))
            CHECK_HELP(ck, diag, "it has %s",
                       check_join(ck, names, n_contact_values, "and"));
        return value_poison(range);
    }
    const struct tm_contact *contact = &ck->lists.contacts.v[number];
    if (contact->at.n && which == GAP)
        return no_surface(ck, number, name_range);
    if (which == 0)
        return contact_gap(ck, number, range);
    if (which >= NORMAL_FORCE)
        return friction_field(ck, number, rubbing[which - NORMAL_FORCE],
                              name_range, range);
    if (ck->lists.contacts.v[number].system) {
        struct diag *diag =
            check_error(ck, DIAG_E0112, name_range,
                        "the contact `%s` of a system has a gap, no "
                        "points",
                        ck->lists.contacts.v[number].name);
        CHECK_HELP(ck, diag, "its gap is the formula of the system");
        return value_poison(range);
    }
    const struct dim *dim =
        which >= NORMAL ? dim_pure(ck->dims) : dim_mks(ck->dims, 1, 0, 0);
    if (which && !ck->m->dim)
        return value_poison(range);
    struct value value = value_array(ck, which ? ck->m->dim : 1, 1, dim, range);
    if (contact->at.n)
        value = stated_field(ck, contact, which < NORMAL, range);
    else
        for (uint32_t k = 0; k < value.rows; k++)
            value.e[k] = ex_sym(ck->g, SYM_CONTACT, number, at[which] + k);
    return which == FRAME ? contact_frame(ck, value.e, range) : value;
}
