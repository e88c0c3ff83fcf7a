/* SPDX-License-Identifier: MIT */
/* Points whose contact yields (persistent_group.h): their normal force is that
 * of the compliance which the contact states, a function of how deep it is
 * pressed in, and how fast. Order k of the force follows from the gap up to
 * order k + 1, which is known when order k of the forces is asked for. So such
 * a force is no unknown: its equation in G gives it, and the others feel it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/motion/switching.h"

void
persistent_soft_read(struct rt *run, struct persistent_row *row)
{
    assert(run != NULL && row != NULL);
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    row->soft = CONTACT_RIGID;
    if (contact->press == IMP_NO_TAPE)
        return;
    int soft = (int)run->env[contact->env_contact + IMP_CONTACT_SOFT];
    if (soft != CONTACT_PRESSED && soft != CONTACT_SLACK &&
        soft != CONTACT_HELD)
        return;
    row->soft = (enum contact_softness)soft;
    if (!row->press)
        row->press = NEW(run->own, struct persistent_press);
    uint32_t n_rows = persistent_tape(run, contact->press)->n_rows + 1;
    if (n_rows > row->press->work_rows) {
        row->press->work =
            NEW_N(run->own, double, (size_t)n_rows *IMP_ROW_STRIDE);
        row->press->work_rows = n_rows;
    }
    /* the law has been looked at when the run began */
    if (contact_compliance_scale(run, row->spot.contact, &row->press->scale))
        row->press->scale = 1.0;
}

/* The impulse of the contact since it touched, and that of its compression. */
static double *
memory_of(struct rt *run, const struct persistent_row *row)
{
    return run->env + rt_contact(run, row->spot.contact)->env_contact +
           IMP_CONTACT_PUSHED;
}

/* Does the present force add to entry m of it? */
static bool
adds(const struct persistent_row *row, uint32_t m)
{
    const double *gap = row->gap.c;
    return row->soft == CONTACT_PRESSED &&
           (m == 0 || gap[1] < 0.0 || (gap[1] == 0.0 && gap[2] < 0.0));
}

void
persistent_soft_pass(struct rt *run, const struct persistent_row *row,
                     int order, double dt)
{
    assert(run != NULL && row != NULL && order >= 1);
    double *memory = memory_of(run, row), more = 0.0;
    if (row->soft != CONTACT_PRESSED)
        return;
    for (int k = order - 1; k >= 0; k--)
        more = dt * (more + row->press->law.c[k] / (k + 1.0));
    for (uint32_t m = 0; m < 2; m++)
        memory[m] += adds(row, m) ? more : 0.0;
}

/* Depth, speed and memory, scaled, as the tape reads them. Where the contact
 * just begins to be pressed in from rest, the speed has the sign that it gets:
 * a law that differs on the way back must not begin with that. */
static const double *
input_of(struct rt *run, struct persistent_row *row, int order)
{
    struct persistent_press *press = row->press;
    double *depth = press->input + IMP_ROW_PAD, *speed = depth + IMP_ROW_STRIDE,
           root = sqrt(press->scale);
    for (int k = 0; k <= order; k++) {
        depth[k] = 0.0 - row->gap.c[k] / press->scale;
        speed[k] = 0.0 - (k + 1.0) * row->gap.c[k + 1] / root;
    }
    /* what it remembers, by the orders of the force that are known */
    double *memory = speed + IMP_ROW_STRIDE, *kept = memory_of(run, row);
    for (uint32_t m = 0; m < 2; m++, memory += IMP_ROW_STRIDE) {
        memory[0] = kept[m] / root;
        for (int k = 1; k <= order; k++)
            memory[k] = adds(row, m) ? press->law.c[k - 1] / (k * root) : 0.0;
    }
    double low, rate;
    gap_rounding(run, row->spot.contact, &low, &rate);
    contact_compliance_beside(run, row->spot.contact, press->scale, low,
                              row->gap.c, switching_least(run));
    if (fabs(row->gap.c[0]) <= low)
        depth[0] = fmax(depth[0], 0.0);
    if (fabs(row->gap.c[0]) <= low && fabs(row->gap.c[1]) <= rate &&
        row->gap.c[2] != 0.0)
        speed[0] = copysign(rate / root, 0.0 - row->gap.c[2]);
    return press->input;
}

/* The law of a row that yields as a series to `order`; its gap is known to one
 * more. Status of the tape. */
static int
persistent_soft_law(struct rt *run, struct persistent_row *row, int order)
{
    assert(run != NULL && row->soft != CONTACT_RIGID && order >= 0);
    struct persistent_press *press = row->press;
    uint32_t number = rt_contact(run, row->spot.contact)->press;
    const double *rows[1] = {input_of(run, row, order)};
    int st = rt_series(run, number, NULL, rows, press->work, order);
    taylor_const(IMP_ORDER_MAX, 0.0, &press->law);
    if (st) {
        rt_nonfinite_series(run, number, NULL, rows, press->work, order);
        return IMP_FAILED;
    }
    const imp_tape *tape = persistent_tape(run, number);
    const uint32_t *outs = IMP_ARRAY(run->im, tape->outs, uint32_t);
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    memcpy(press->law.c,
           press->work + (size_t)code[outs[0]].row * IMP_ROW_STRIDE +
               IMP_ROW_PAD,
           sizeof(double) * (size_t)(order + 1));
    return IMP_OK;
}

double
persistent_soft_given(const struct persistent_group *group, double *G)
{
    assert(group != NULL && G != NULL);
    int n = group->n_unknown;
    double size = 0.0;
    for (int i = 0; i < n * n; i++)
        size = fmax(size, fabs(G[i]));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n && persistent_soft_unknown(&group->unknown[j]);
             i++)
            G[i * n + j] = i == j ? size : 0.0;
    return size;
}

int
persistent_soft_forces(struct rt *run, struct persistent_group *group, int term)
{
    assert(run != NULL && group->yields && term >= 0);
    int st = IMP_OK;
    for (int i = 0; i < group->n_unknown && !st; i++) {
        struct persistent_row *row = group->unknown[i].row;
        if (!persistent_soft_unknown(&group->unknown[i]))
            continue;
        st = persistent_soft_law(run, row, term);
        group->scratch.b[i] =
            row->soft == CONTACT_PRESSED && !st
                ? -group->delassus.given * row->press->law.c[term]
                : 0.0;
    }
    return st;
}

int
persistent_soft_laws(struct rt *run, struct persistent_group *group, int order,
                     double *holds)
{
    assert(run != NULL && group != NULL && order >= 1 && holds != NULL);
    int st = IMP_OK;
    for (int i = 0; i < group->n_on && !st; i++) {
        struct persistent_row *row = &group->row[i];
        if (row->soft == CONTACT_RIGID || row->soft == CONTACT_HELD)
            continue;
        st = persistent_soft_law(run, row, order - 1);
        const double *rows[1] = {row->press->input};
        if (!st && order > 2)
            st = switching_of_compliance(run, row->spot.contact, rows,
                                         order - 1, holds);
    }
    return st;
}

/* -- what series remember ----------------------------------------------------
 */

/* of a joint with friction: from here on it has modes, and what a solution of
 * its forces leaves to the next one */
enum {
    JOINT_FROM = IMP_JOINT_STICK,
    JOINT_ENTRIES = IMP_JOINT_SIZE - JOINT_FROM
};

struct persistent_memory {
    struct closest_points_memory *closest;
    double *joints;
    int n;
    struct group_memory {
        bool steady;
        struct motion_brief brief;
        /* of points beside joints with friction, NULL without: the search for
         * their forces begins with the last series */
        struct persistent_row *row;
        struct persistent_friction *friction;
    } group[];
};

static void
remember_rows(struct rt *run, const struct persistent_group *group,
              struct group_memory *memory)
{
    size_t n = (size_t)group->n;
    memory->row = arena_copy(run->brief, group->row, n * sizeof *group->row);
    memory->friction = NEW_N(run->brief, struct persistent_friction, n + 1);
    for (size_t i = 0; i < n; i++)
        if (group->row[i].friction)
            memory->friction[i] = *group->row[i].friction;
}

static void
recall_rows(struct persistent_group *group, const struct group_memory *memory)
{
    size_t n = (size_t)group->n;
    memcpy(group->row, memory->row, n * sizeof *group->row);
    for (size_t i = 0; i < n; i++)
        if (group->row[i].friction)
            *group->row[i].friction = memory->friction[i];
}

static void
copy_joints(struct rt *run, double *kept, bool back)
{
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n; i++, kept += JOINT_ENTRIES) {
        double *env = run->env + joint[i].env_joint + JOINT_FROM;
        memcpy(back ? env : kept, back ? kept : env,
               JOINT_ENTRIES * sizeof *env);
    }
}

struct persistent_memory *
persistent_remember(struct rt *run)
{
    assert(run != NULL);
    const struct persistent_set *set = run->persistent;
    int n = set ? set->n : 0;
    struct persistent_memory *memory = arena_alloc(
        run->brief, sizeof *memory + (size_t)n * sizeof *memory->group);
    memory->closest = closest_points_remember(run);
    memory->joints =
        NEW_N(run->brief, double, JOINT_ENTRIES *(size_t)run->im->joints.n + 1);
    copy_joints(run, memory->joints, false);
    memory->n = n;
    for (int i = 0; i < n; i++) {
        memory->group[i].steady = set->group[i]->steady;
        memory->group[i].brief = set->group[i]->brief;
        if (set->group[i]->rubs)
            remember_rows(run, set->group[i], &memory->group[i]);
    }
    return memory;
}

void
persistent_recall(struct rt *run, const struct persistent_memory *memory)
{
    assert(run != NULL && memory != NULL);
    struct persistent_set *set = run->persistent;
    assert(memory->n == (set ? set->n : 0));
    closest_points_recall(run, memory->closest);
    copy_joints(run, memory->joints, true);
    for (int i = 0; i < memory->n; i++) {
        set->group[i]->steady = memory->group[i].steady;
        set->group[i]->brief = memory->group[i].brief;
        if (memory->group[i].row)
            recall_rows(set->group[i], &memory->group[i]);
    }
}

bool
persistent_varies(const struct rt *run)
{
    assert(run != NULL);
    const struct persistent_set *set = run->persistent;
    bool varies = false;
    for (int i = 0; set && i < set->n; i++)
        varies = varies || set->group[i]->varies;
    return varies;
}
