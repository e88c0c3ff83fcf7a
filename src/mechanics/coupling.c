/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bodies move together: those whose forces read each other's state, and
 * those that joints connect. All others move alone. */
#include "mechanics/mech_priv.h"

static uint32_t
root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Puts a and b into one set; the smaller number stays the root. */
static void
together(void *ctx, uint32_t a, uint32_t b)
{
    uint32_t *parent = ctx;
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

struct couple {
    struct mech *mech;
    uint32_t *parent, body;
    imp_range range;
    bool ok;
};

static void
join(struct couple *couple, uint32_t other)
{
    if (couple->mech->bodies[other].fixed)
        return;
    together(couple->parent, couple->body, other);
}

/* Does this quantity of a body stay the same while the body moves? */
static bool
is_constant(uint32_t quantity)
{
    return quantity == BODYQ_MASS || quantity == BODYQ_VOLUME ||
           quantity == BODYQ_INERTIA || quantity == BODYQ_CENTRE;
}

static void
couple_leaf(void *ctx, const expr *leaf)
{
    struct couple *couple = ctx;
    if (leaf->sym == SYM_BODY && !is_constant(leaf->j / BODYQ_STRIDE))
        join(couple, leaf->i);
    if (leaf->sym == SYM_ROTOR)
        join(couple, couple->mech->model->rotors[leaf->i].body);
    if (leaf->sym == SYM_SERIES)
        ex_leaves(couple->mech->graph, &couple->mech->model->series[leaf->i].e,
                  1, couple_leaf, couple);
    if (leaf->sym == SYM_TOTAL)
        for (uint32_t i = 0; i < couple->mech->model->n_bodies; i++)
            join(couple, i);
    if ((leaf->sym != SYM_CONTACT && leaf->sym != SYM_JOINT &&
         leaf->sym != SYM_SLOT) ||
        mech_leaf_given(couple->mech, leaf) || !couple->ok)
        return;
    couple->ok = false;
    struct diag *diag =
        diag_add(couple->mech->diags, DIAG_E0508,
                 mech_range(leaf->origin, couple->range),
                 leaf->sym == SYM_CONTACT
                     ? "the force on `%s` reads what a contact tells"
                 : leaf->sym == SYM_JOINT
                     ? "the force on `%s` reads a force of a joint"
                     : "the force on `%s` reads the result of a command",
                 couple->mech->bodies[couple->body].decl->name);
    diag_help(couple->mech->diags, diag,
              "a force may read t, params and the position, velocity, angle "
              "and spin of bodies, of which a distance can be made");
}

static bool
couple_bodies(struct mech *mech, uint32_t *parent)
{
    bool ok = true;
    for (uint32_t i = 0; i < mech->model->n_bodies; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < mech->model->n_bodies; i++) {
        const struct tm_body *decl = mech->bodies[i].decl;
        if (mech->bodies[i].fixed)
            continue;
        const struct tm_vec *f[2] = {&decl->force, &decl->torque};
        for (int n = 0; n < 2; n++) {
            struct couple c = {mech, parent, i,
                               mech_range(f[n]->range, decl->range), true};
            ex_leaves(mech->graph, f[n]->e, f[n]->n, couple_leaf, &c);
            ok &= c.ok;
        }
    }
    joint_couple(mech, together, parent);
    return ok;
}

/* Gives each moving body its block; the block of a set of bodies has the
 * place of the first of them. */
static void
make_blocks(struct mech *mech, uint32_t *parent)
{
    size_t n_body = mech->model->n_bodies;
    mech->blocks = NEW_N(mech->arena, struct mblock,
                         n_body + 2 * mech->model->n_systems + 1);
    uint32_t *count = NEW_N(mech->arena, uint32_t, n_body + 1);
    for (uint32_t i = 0; i < n_body; i++)
        count[root_of(parent, i)]++;
    for (uint32_t which = 0; which < n_body; which++) {
        struct mbody *body = mech->bodies + which;
        body->block = IMP_NO_BLOCK;
        if (body->fixed)
            continue;
        uint32_t root = root_of(parent, which);
        assert(root <= which);
        if (root == which) {
            body->block = (uint32_t)mech->n_blocks++;
            mech->blocks[body->block].bodies =
                NEW_N(mech->arena, uint32_t, count[root]);
        } else {
            body->block = mech->bodies[root].block;
        }
        struct mblock *block = mech->blocks + body->block;
        block->bodies[block->n++] = which;
    }
}

bool
coupling_build(struct mech *mech)
{
    assert(mech && mech->bodies && mech->n_blocks == 0);
    uint32_t *parent = NEW_N(mech->arena, uint32_t, mech->model->n_bodies + 1);
    if (!couple_bodies(mech, parent))
        return false;
    make_blocks(mech, parent);
    return true;
}
