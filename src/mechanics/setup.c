/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of the set-up: the values of the user's expressions for bodies,
 * contacts, joints and the world, in the order of imp_image.setup. In the plane
 * vectors get z = 0, and axes are along z. */
#include "mechanics/mech_priv.h"

#include <assert.h>

static void
raw_vec(const expr **raw, uint32_t at, const struct tm_vec *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        raw[at + i] = v->e[i];
}

/* An inertia as xx yy zz xy xz yz, from 1, 3 (diagonal), 6 or 9 entries. */
static void
raw_inertia(const expr **raw, uint32_t at, const struct tm_vec *v)
{
    static const uint8_t of9[6] = {0, 4, 8, 1, 2, 5};
    for (uint32_t i = 0; i < 6 && v->n == 9; i++)
        raw[at + i] = v->e[of9[i]];
    if (v->n != 9)
        raw_vec(raw, at, v);
}

static void
raw_body(const struct tm_body *decl, const expr **raw)
{
    if (decl->stated.mass.e || decl->stated.density.e)
        raw[IMP_RAW_MASS] =
            decl->stated.mass.e ? decl->stated.mass.e : decl->stated.density.e;
    if (decl->shape.volume.e)
        raw[IMP_RAW_VOLUME] = decl->shape.volume.e;
    raw_vec(raw, IMP_RAW_SCENTRE, &decl->shape.centre);
    raw_inertia(raw, IMP_RAW_SINERTIA, &decl->shape.inertia);
    raw_vec(raw, IMP_RAW_CENTRE, &decl->stated.centre);
    raw_inertia(raw, IMP_RAW_INERTIA, &decl->stated.inertia);
    raw_vec(raw, IMP_RAW_POSITION, &decl->start.position);
    raw_vec(raw, IMP_RAW_ORIENT, &decl->start.orient);
    raw_vec(raw, IMP_RAW_VELOCITY, &decl->start.velocity);
    raw_vec(raw, IMP_RAW_SPIN, &decl->start.spin);
    if (decl->apart.e)
        raw[IMP_RAW_APART] = decl->apart.e;
}

/* -- contacts and joints --------------------------------------------------- */

/* Coefficients that are formulas follow from tapes of their own. */
static const expr *
friction_number(struct mech *mech, const expr *mu)
{
    return friction_varies(mech, mu) ? sc_zero(mech->graph) : mu;
}

static void
raw_contact(struct mech *mech, const struct tm_contact *contact,
            const expr **out)
{
    out[0] = contact->e.e ? restitution_at_rest(mech, contact->e.e)
                          : ex_num(mech->graph, 1.0);
    if (contact->mu.e)
        out[1] = friction_number(mech, contact->mu.e);
    raw_vec(out, 2, &contact->at);
    raw_vec(out, 5, &contact->direction);
    if (contact->priority.e)
        out[8] = contact->priority.e;
    if (contact->mu_static.e)
        out[9] = friction_number(mech, contact->mu_static.e);
    if (contact->mu_impact.e)
        out[10] = friction_number(mech, contact->mu_impact.e);
    if (contact->stiffness.e)
        out[11] = contact->stiffness.e;
    out[12] =
        contact->exponent.e ? contact->exponent.e : ex_num(mech->graph, 1.5);
}

/* A joint, IMP_JOINT_RAW entries; a screw of the plane is (fx, fy, moment). */
static void
raw_joint(struct mech *mech, const struct tm_joint *joint, const expr **out)
{
    raw_vec(out, IMP_JOINT_AT, &joint->at);
    raw_vec(out, IMP_JOINT_AXIS, &joint->axis);
    raw_vec(out, IMP_JOINT_AXIS2, &joint->axis2);
    raw_vec(out, IMP_JOINT_RATE, &joint->rate);
    if (mech->dim == 2 && joint->kind == IMP_JOINT_HINGE)
        out[IMP_JOINT_AXIS + 2] = ex_num(mech->graph, 1.0);
    for (uint32_t i = 0; i < 6 * joint->n_user; i++)
        out[IMP_JOINT_USER + i] = joint->user[i];
    if (!joint->mu.e)
        return;
    out[IMP_JOINT_WIDTH] = joint->width.e;
    out[IMP_JOINT_MU] = friction_number(mech, joint->mu.e);
    out[IMP_JOINT_MU_STATIC] = friction_number(mech, joint->mu_static.e);
}

static void
raw_rotor(struct mech *mech, const struct tm_rotor *rotor, const expr **out)
{
    raw_vec(out, IMP_ROTOR_AXIS, &rotor->axis);
    if (mech->dim == 2)
        out[IMP_ROTOR_AXIS + 2] = ex_num(mech->graph, 1.0);
    out[IMP_ROTOR_INERTIA] = rotor->inertia.e;
    if (rotor->rate.e)
        out[IMP_ROTOR_RATE] = rotor->rate.e;
}

/* Vertices or half-spaces of a polytope. */
static void
raw_poly(struct mech *mech, const struct tm_body *decl, const expr **out)
{
    size_t n = decl->shape.n_point ? decl->shape.n_point : decl->shape.n_plane;
    size_t wide = decl->shape.n_point ? 3 : 4;
    const expr *const *e = decl->shape.poly;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < mech->dim; j++)
            out[i * wide + j] = *e++;
        if (!decl->shape.n_point)
            out[i * wide + 3] = *e++;
    }
}

/* -- all of them ------------------------------------------------------------
 */

/* Bodies and random numbers may be many: their expressions are listed some at a
 * time. */
#define AT_ONCE 512
/* From so many bodies on the numbers are kept as runs. */
#define MANY 16

/* Where expressions of the set-up go: all into a list, whose entries are the
 * outputs of the tape, or into a table. */
struct numbers {
    struct setup_table *table; /* NULL: all are outputs */
    const expr **out;
    size_t n;
};

/* Room for `count` expressions that come next, which are 0 until they are set.
 */
static const expr **
next_numbers(struct mech *mech, struct numbers *numbers, size_t count)
{
    const expr **out =
        numbers->table ? numbers->out : numbers->out + numbers->n;
    for (size_t i = 0; i < count; i++)
        out[i] = sc_zero(mech->graph);
    numbers->n += count;
    return out;
}

/* They have been set: rows of `width`. */
static void
take_numbers(struct mech *mech, const struct numbers *numbers, size_t rows,
             uint32_t width)
{
    if (numbers->table)
        setup_rows(mech, numbers->table, numbers->out, rows, width);
}

struct draws {
    struct mech *mech;
    uint32_t first;
};
static const expr *
draw_leaf(void *ctx, const expr *leaf)
{
    const struct draws *draws = ctx;
    return leaf->sym == SYM_DRAW
               ? ex_sym(draws->mech->graph, SYM_DRAW, draws->first + leaf->i, 0)
               : NULL;
}

/* Formulas with random numbers of the start of a body, counted over all. Those
 * that are such a number are left as they are where `alone`. */
static void
own_draws(struct mech *mech, const struct tm_body *decl, bool alone,
          const expr **raw)
{
    struct draws draws = {mech, decl->first_draw};
    for (int i = 0; mech->model->n_draws && i < IMP_RAW_SIZE; i++)
        if (!ex_is_const(raw[i]) &&
            !(alone && !raw[i]->a && raw[i]->sym == SYM_DRAW))
            raw[i] = ex_subst(mech->graph, raw[i], draw_leaf, &draws);
}

static void
bodies_numbers(struct mech *mech, struct numbers *numbers)
{
    const struct tm_model *model = mech->model;
    for (size_t i = 0; i < model->n_bodies; i += AT_ONCE) {
        size_t n =
            model->n_bodies - i < AT_ONCE ? model->n_bodies - i : AT_ONCE;
        const expr **out = next_numbers(mech, numbers, n * IMP_RAW_SIZE);
        uint32_t first_draw[AT_ONCE];
        for (size_t k = 0; k < n; k++) {
            const struct tm_body *decl = model->bodies + i + k;
            first_draw[k] = decl->first_draw;
            raw_body(decl, out + k * IMP_RAW_SIZE);
            own_draws(mech, decl, numbers->table, out + k * IMP_RAW_SIZE);
        }
        if (numbers->table)
            numbers->table->first_draw = first_draw;
        take_numbers(mech, numbers, n, IMP_RAW_SIZE);
        if (numbers->table)
            numbers->table->first_draw = NULL;
    }
}

static void
contacts_numbers(struct mech *mech, struct numbers *numbers)
{
    const struct tm_model *model = mech->model;
    const expr **out =
        next_numbers(mech, numbers, IMP_CONTACT_OUTS * model->n_contacts);
    for (size_t i = 0; i < model->n_contacts; i++)
        raw_contact(mech, model->contacts + i, out + i * IMP_CONTACT_OUTS);
    take_numbers(mech, numbers, model->n_contacts, IMP_CONTACT_OUTS);
    out = next_numbers(mech, numbers, IMP_JOINT_RAW * model->n_joints);
    for (size_t i = 0; i < model->n_joints; i++)
        raw_joint(mech, model->joints + i, out + i * IMP_JOINT_RAW);
    take_numbers(mech, numbers, model->n_joints, IMP_JOINT_RAW);
    out = next_numbers(mech, numbers, IMP_ROTOR_RAW * model->n_rotors);
    for (size_t i = 0; i < model->n_rotors; i++)
        raw_rotor(mech, model->rotors + i, out + i * IMP_ROTOR_RAW);
    take_numbers(mech, numbers, model->n_rotors, IMP_ROTOR_RAW);
}

static void
world_numbers(struct mech *mech, struct numbers *numbers)
{
    const struct tm_model *model = mech->model;
    const expr **out = next_numbers(mech, numbers, 5);
    for (uint32_t i = 0; i < 3; i++)
        out[i] = mech->gravity.v[i];
    if (model->world.tolerance.e)
        out[3] = model->world.tolerance.e;
    if (model->world.seed.e)
        out[4] = model->world.seed.e;
    take_numbers(mech, numbers, 1, 5);
}

/* Polytopes with as many entries as those beside them are rows. */
static void
poly_numbers(struct mech *mech, struct numbers *numbers)
{
    const struct tm_model *model = mech->model;
    size_t n = 0;
    for (size_t i = 0; i < model->n_bodies; i += n) {
        const struct tm_body *decl = model->bodies + i;
        uint32_t size = poly_size(decl);
        for (n = 1; i + n < model->n_bodies && n < AT_ONCE &&
                    n * size < (size_t)AT_ONCE * IMP_RAW_SIZE / 2 &&
                    poly_size(decl + n) == size;)
            n++;
        if (!size)
            continue;
        const expr **out = next_numbers(mech, numbers, n * size);
        for (size_t k = 0; k < n; k++)
            raw_poly(mech, decl + k, out + k * size);
        take_numbers(mech, numbers, n, size);
    }
}

/* The corners of polygons that points of systems touch. */
static void
corners_numbers(struct mech *mech, struct numbers *numbers)
{
    const struct tm_model *model = mech->model;
    for (size_t i = 0; i < model->n_contacts; i++) {
        const struct tm_contact *decl = model->contacts + i;
        if (!decl->n_corner)
            continue;
        const expr **out = next_numbers(mech, numbers, corners_size(decl));
        for (size_t k = 0; k < 2 * (size_t)decl->n_corner; k++)
            out[3 * (k / 2) + k % 2] = decl->corner[k];
        take_numbers(mech, numbers, decl->n_corner, 3);
    }
}

static void
starts_numbers(struct mech *mech, struct numbers *numbers)
{
    const struct tm_model *model = mech->model;
    const expr **out = next_numbers(mech, numbers, 2 * model->n_coordinates);
    for (size_t i = 0; i < model->n_coordinates; i++) {
        out[2 * i] = model->coordinates[i].start.e;
        out[2 * i + 1] = model->coordinates[i].start_rate.e;
    }
    take_numbers(mech, numbers, model->n_coordinates, 2);
}

/* How many random numbers from `first` on are those of one member of a family:
 * then the text has the same one again. */
static size_t
draws_period(const struct tm_model *model, size_t first)
{
    imp_range of = model->draws[first].range;
    for (size_t n = 1; first + n < model->n_draws && n < AT_ONCE; n++) {
        imp_range at = model->draws[first + n].range;
        if (at.lo == of.lo && at.file == of.file)
            return n;
    }
    return 1;
}

static void
draws_numbers(struct mech *mech, struct numbers *numbers)
{
    const struct tm_model *model = mech->model;
    size_t n = 0;
    for (size_t i = 0; i < model->n_draws; i += n) {
        size_t period = draws_period(model, i);
        size_t most = AT_ONCE * IMP_RAW_SIZE / 2 / period * period;
        for (n = period; n < most && i + n < model->n_draws &&
                         model->draws[i + n].range.lo ==
                             model->draws[i + n - period].range.lo;)
            n++;
        n -= n % period;
        const expr **out = next_numbers(mech, numbers, 2 * n);
        for (size_t k = 0; k < n; k++) {
            out[2 * k] = model->draws[i + k].lo;
            out[2 * k + 1] = model->draws[i + k].hi;
        }
        take_numbers(mech, numbers, n / period, 2 * (uint32_t)period);
    }
}

void
setup_tape(struct mech *mech, imp_image *head)
{
    assert(mech && mech->bodies && head);
    const struct tm_model *model = mech->model;
    struct setup_table table = {.n = 0};
    bool many = model->n_bodies >= MANY;
    struct numbers numbers = {.table = many ? &table : NULL};
    size_t beside = IMP_CONTACT_OUTS * model->n_contacts +
                    IMP_JOINT_RAW * model->n_joints +
                    IMP_ROTOR_RAW * model->n_rotors + mech->layout.slots -
                    mech->layout.poly + 2 * model->n_coordinates;
    size_t count = (many ? AT_ONCE : model->n_bodies) * IMP_RAW_SIZE + 5 +
                   beside + (many ? 0 : 2 * model->n_draws);
    numbers.out = NEW_N(mech->arena, const expr *, count);
    bodies_numbers(mech, &numbers);
    contacts_numbers(mech, &numbers);
    world_numbers(mech, &numbers);
    poly_numbers(mech, &numbers);
    corners_numbers(mech, &numbers);
    starts_numbers(mech, &numbers);
    draws_numbers(mech, &numbers);
    if (many && !table.outs.n)
        VEC_PUSH_IN(mech->arena, &table.outs, sc_zero(mech->graph));
    head->n_setup = (uint32_t)numbers.n;
    head->setup =
        many ? mech_eval_tape(mech, "setup", 0, table.outs.v, table.outs.n)
             : mech_eval_tape(mech, "setup", 0, numbers.out, numbers.n);
    head->fills = image_array(mech->image, table.fills.v, table.fills.n,
                              sizeof *table.fills.v);
    head->numbers = image_array(mech->image, table.numbers.v, table.numbers.n,
                                sizeof *table.numbers.v);
    arena_drop(mech->arena, numbers.out);
    arena_drop(mech->arena, table.fills.v);
    arena_drop(mech->arena, table.numbers.v);
    arena_drop(mech->arena, table.outs.v);
}
