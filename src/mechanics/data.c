/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of a model that must not depend on its motion: gravity, masses,
 * restitutions, places of joints ... They may read params, and some of them t.
 */
#include "mechanics/mech_priv.h"

/* the first leaf that is neither a param nor, where time_ok, t */
struct search {
    const struct mech *mech;
    bool time_ok;
    const expr *found;
};

static void
search_leaf(void *ctx, const expr *leaf)
{
    struct search *search = ctx;
    bool constant = leaf->sym == SYM_PARAM || leaf->sym == SYM_DRAW ||
                    mech_leaf_given(search->mech, leaf) ||
                    (leaf->sym == SYM_TIME && search->time_ok);
    if (!constant && !search->found)
        search->found = leaf;
}

/* A leaf of the n expressions e (NULL: not stated) that makes them depend on
 * the motion; NULL if there is none. */
static const expr *
moving_leaf(struct mech *mech, const expr *const *e, size_t n, bool time_ok)
{
    struct search search = {mech, time_ok, NULL};
    for (size_t i = 0; i < n && !search.found; i++)
        if (e[i])
            ex_leaves(mech->graph, e + i, 1, search_leaf, &search);
    return search.found;
}

/* -- bodies ---------------------------------------------------------------- */

static bool
body_entry_ok(struct mech *mech, const struct tm_body *decl,
              const expr *const *e, size_t n, imp_range range)
{
    const expr *leaf = moving_leaf(mech, e, n, true);
    if (!leaf)
        return true;
    range = mech_range(range, decl->range);
    struct diag *diag =
        diag_add(mech->diags, DIAG_E0503, mech_range(leaf->origin, range),
                 "the data of `%s` read the motion of the model", decl->name);
    diag_help(mech->diags, diag,
              "masses, inertias and initial states are known before anything "
              "moves: write them in numbers, params and (for fixed bodies) t");
    return false;
}

bool
data_body_ok(struct mech *mech, const struct tm_body *decl)
{
    assert(mech && decl);
    const struct tm_num *nums[] = {&decl->shape.volume, &decl->stated.mass,
                                   &decl->stated.density};
    const struct tm_vec *vecs[] = {&decl->shape.centre,   &decl->shape.inertia,
                                   &decl->stated.inertia, &decl->stated.centre,
                                   &decl->start.position, &decl->start.orient,
                                   &decl->start.velocity, &decl->start.spin};
    bool ok = true;
    for (size_t i = 0; i < sizeof nums / sizeof *nums; i++)
        ok &= body_entry_ok(mech, decl, &nums[i]->e, 1, nums[i]->range);
    for (size_t i = 0; i < sizeof vecs / sizeof *vecs; i++)
        ok &= body_entry_ok(mech, decl, vecs[i]->e, vecs[i]->n, vecs[i]->range);
    return ok;
}

/* -- the world, contacts and joints ---------------------------------------- */

static bool
entry_ok(struct mech *mech, const char *what, const expr *const *e, size_t n,
         imp_range range, bool time_ok)
{
    const expr *leaf = moving_leaf(mech, e, n, time_ok);
    if (!leaf)
        return true;
    struct diag *diag =
        diag_add(mech->diags, DIAG_E0513, mech_range(leaf->origin, range),
                 "%s does not stay what it is during the motion", what);
    diag_help(mech->diags, diag, "write %s in numbers and params%s", what,
              time_ok ? " and t" : "");
    return false;
}

static bool
num_ok(struct mech *mech, const char *what, const struct tm_num *num,
       imp_range otherwise)
{
    return entry_ok(mech, what, &num->e, 1, mech_range(num->range, otherwise),
                    false);
}

static bool
vec_ok(struct mech *mech, const char *what, const struct tm_vec *vec,
       imp_range otherwise, bool time_ok)
{
    return entry_ok(mech, what, vec->e, vec->n,
                    mech_range(vec->range, otherwise), time_ok);
}

static bool
contact_data_ok(struct mech *mech, const struct tm_contact *decl)
{
    imp_range range = decl->range;
    struct tm_num e = decl->e;
    e.e = e.e ? restitution_at_rest(mech, e.e) : NULL;
    bool ok = num_ok(mech, "a restitution", &e, range);
    ok &= vec_ok(mech, "the point of a contact", &decl->at, range, true);
    ok &=
        vec_ok(mech, "the normal of a contact", &decl->direction, range, false);
    ok &= num_ok(mech, "a priority", &decl->priority, range);
    ok &= num_ok(mech, "a stiffness", &decl->stiffness, range);
    ok &= num_ok(mech, "an exponent", &decl->exponent, range);
    return ok;
}

static bool
joint_data_ok(struct mech *mech, const struct tm_joint *decl)
{
    imp_range range = decl->range;
    bool ok = vec_ok(mech, "the point of a joint", &decl->at, range, true);
    ok &= vec_ok(mech, "the axis of a joint", &decl->axis, range, false);
    ok &= vec_ok(mech, "the axis of a joint", &decl->axis2, range, false);
    ok &= vec_ok(mech, "the rate of a joint", &decl->rate, range, false);
    ok &= entry_ok(mech, "the screws of a joint", decl->user, 6 * decl->n_user,
                   range, false);
    return ok;
}

static bool
rotor_data_ok(struct mech *mech, const struct tm_rotor *decl)
{
    imp_range range = decl->range;
    bool ok = vec_ok(mech, "the axis of a rotor", &decl->axis, range, false);
    ok &= num_ok(mech, "the inertia of a rotor", &decl->inertia, range);
    ok &= num_ok(mech, "the rate of a rotor", &decl->rate, range);
    return ok;
}

bool
data_world_ok(struct mech *mech)
{
    assert(mech && mech->model);
    const struct tm_model *model = mech->model;
    bool ok =
        entry_ok(mech, "gravity", model->world.gravity.e,
                 model->world.gravity.n, model->world.gravity.range, true);
    ok &= entry_ok(mech, "the tolerance", &model->world.tolerance.e, 1,
                   model->world.tolerance.range, false);
    ok &= entry_ok(mech, "the seed", &model->world.seed.e, 1,
                   model->world.seed.range, false);
    for (size_t i = 0; i < model->n_contacts; i++)
        ok &= contact_data_ok(mech, model->contacts + i);
    for (size_t i = 0; i < model->n_joints; i++)
        ok &= joint_data_ok(mech, model->joints + i);
    for (size_t i = 0; i < model->n_rotors; i++)
        ok &= rotor_data_ok(mech, model->rotors + i);
    return ok;
}
