/* SPDX-License-Identifier: MIT */
/* The modes of a group with friction (friction_modes.h). At one instant every
 * point has a normal and a tangential row; W, the free accelerations of the
 * rows and the slip velocities go to friction_choose. What it takes is held:
 * points that stick at both rows, points that slip at the normal row, pushed
 * along the edge of the cone. */
#include "runtime/modes/friction_rows.h"
#include "runtime/modes/mode_select.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/friction/paradox.h"
#include "runtime/gap/tolerance.h"
#include "runtime/impact/friction_law.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/vec3.h"
#include "runtime/rubbing/rubbing.h"

bool
friction_modes_contact(const struct rt *run, uint32_t contact)
{
    assert(run);
    const imp_contact *of = rt_contact(run, contact);
    const double *env = run->env + of->env_contact;
    return of->system == IMP_NO_SYSTEM && (of->flags & IMP_CONTACTF_FRICTION) &&
           (of->rub != IMP_NO_TAPE || of->own != IMP_NO_TAPE ||
            env[IMP_CONTACT_MU] != 0.0 || env[IMP_CONTACT_MU_STATIC] != 0.0 ||
            env[IMP_CONTACT_MU_IMPACT] != 0.0);
}

/* Have joints of the bodies of a contact friction? */
static bool
joints_rub(const struct rt *run, uint32_t contact)
{
    const imp_contact *of = rt_contact(run, contact);
    for (int side = 0; side < 2; side++)
        if (contact_point_body_moves(run, of->body[side]) &&
            rubbing_moves(run, of->body[side]))
            return true;
    return false;
}

bool
friction_modes_any(const struct rt *run, const struct contact_point *spot,
                   int n)
{
    assert(spot != NULL || n == 0);
    for (int i = 0; i < n; i++)
        if (friction_modes_contact(run, spot[i].contact) ||
            contact_compliance_gives(run, spot[i].contact) ||
            joints_rub(run, spot[i].contact))
            return true;
    return false;
}

bool
friction_modes_may_yield(const struct rt *run, const struct contact_point *spot)
{
    assert(run != NULL && spot != NULL);
    const imp_contact *contact = rt_contact(run, spot->contact);
    return contact->press != IMP_NO_TAPE &&
           run->env[contact->env_contact + IMP_CONTACT_SOFT] == CONTACT_RIGID;
}

/* -- what was held until now ----------------------------------------------- */

/* The series of the forces of a group are of the beginning of this piece of the
 * motion: how far it has come. Where others have been made since of what moves
 * (a look at where a face ends), they are made anew. */
static int
forces_now(struct rt *run, struct persistent_group *group, double *ahead)
{
    *ahead = rt_time(run) - group->kept_time;
    if (group->kept_order > 0 && group->kept_touched == group->touched)
        return IMP_OK;
    *ahead = 0.0;
    return persistent_group_series(run, group, 1, UINT32_MAX);
}

static double
force_now(const struct persistent_group *group, double ahead,
          const struct taylor *force)
{
    return ahead == 0.0
               ? force->c[0]
               : polynomial_value(force->c, group->kept_order - 1, ahead);
}

/* How fast the forces change now, for what has been remembered last. */
static int
remember_rates(struct rt *run)
{
    struct persistent_set *set = run->persistent_memory;
    struct persistent_group *group = NULL;
    int n = persistent_count(run), k = set ? set->until.n : 0, st = IMP_OK;
    for (int i = n - 1; i >= 0 && !st; i--) {
        const struct persistent_row *row = set->row[i];
        if (!row->friction || !row->on)
            continue;
        if (group != persistent_group_of(run, row->spot.contact)) {
            group = persistent_group_of(run, row->spot.contact);
            st = persistent_group_series(run, group, 3, UINT32_MAX);
        }
        struct persistent_mode *mode = &set->until.mode[--k];
        mode->rate[0] = row->force.c[1];
        mode->rate[1] = row->friction->force.c[1];
    }
    return st;
}

int
friction_modes_remember(struct rt *run, enum choice_cause cause)
{
    assert(run);
    struct persistent_set *set = run->persistent_memory;
    int n = persistent_count(run), st = IMP_OK;
    if (!set || n == 0)
        return IMP_OK;
    if (set->until.time != rt_time(run))
        set->until.n = 0;
    set->until.time = rt_time(run);
    struct persistent_group *group = NULL;
    double ahead = 0.0;
    for (int i = 0; i < n; i++) {
        const struct persistent_row *row = set->row[i];
        if (!row->friction || !row->on)
            continue;
        if (group != persistent_group_of(run, row->spot.contact)) {
            group = persistent_group_of(run, row->spot.contact);
            if ((st = forces_now(run, group, &ahead)))
                return st;
        }
        bool drifts = group->drifts == rt_time(run);
        if (set->until.n == set->until.room) {
            int room = 2 * set->until.room + 8;
            struct persistent_mode *more =
                NEW_N(run->own, struct persistent_mode, (size_t)room);
            if (set->until.n)
                memcpy(more, set->until.mode,
                       sizeof *more * (size_t)set->until.n);
            set->until.mode = more;
            set->until.room = room;
        }
        set->until.mode[set->until.n++] = (struct persistent_mode){
            .spot = row->spot,
            .mode = row->friction->mode,
            .tied = row->friction->tied,
            .onset = row->friction->onset == rt_time(run),
            .force = {force_now(group, ahead, &row->force),
                      force_now(group, ahead, &row->friction->force)},
            .drift = {drifts ? row->drift : NAN,
                      drifts ? row->friction->drift : NAN}};
    }
    return cause == CHOICE_CONE || cause == CHOICE_UNLOADED
               ? remember_rates(run)
               : IMP_OK;
}

/* These points have been chosen anew: at this time they have no modes and
 * forces of before any more but those in which they are held from now on. */
static void
forget_chosen(const struct friction_rows *in)
{
    struct persistent_set *set = in->run->persistent_memory;
    int left = 0;
    for (int k = 0; set && k < set->until.n; k++) {
        bool chosen = false;
        for (int i = 0; i < friction_rows_spots(in) && !chosen; i++)
            chosen = !memcmp(&set->until.mode[k].spot, &in->spot[i],
                             sizeof *in->spot);
        if (!chosen)
            set->until.mode[left++] = set->until.mode[k];
    }
    if (set)
        set->until.n = left;
}

void
friction_modes_forget(struct rt *run)
{
    if (run->persistent_memory)
        run->persistent_memory->until.n = 0;
}

const struct persistent_mode *
friction_rows_before(const struct rt *run, const struct contact_point *spot)
{
    assert(run);
    const struct persistent_set *set = run->persistent_memory;
    if (!set || set->until.time != rt_time(run))
        return NULL;
    for (int i = set->until.n - 1; i >= 0; i--)
        if (!memcmp(&set->until.mode[i].spot, spot, sizeof *spot))
            return &set->until.mode[i];
    return NULL;
}

/* -- what the choice is told ----------------------------------------------- */

/* Does the joint that is point i hold itself at rest from now on? */
static bool
joint_holds(const struct friction_rows *in, int i)
{
    const struct rubbing_joint *joint =
        in->joint + (i - friction_rows_spots(in));
    return rubbing_joint_holds(joint);
}

/* What was held at point i until now, if that is a contact. */
static const struct persistent_mode *
mode_before(const struct friction_rows *in, int i)
{
    return i < friction_rows_spots(in)
               ? friction_rows_before(in->run, &in->spot[i])
               : NULL;
}

/* Was point i held at the edge of its cone, by others? */
static bool
was_tied(const struct friction_rows *in, int i)
{
    const struct persistent_mode *mode = mode_before(in, i);
    int joint = i - friction_rows_spots(in);
    return joint >= 0 ? rubbing_joint_tied(in->joint + joint)
                      : mode && mode->tied;
}

/* -- what is taken --------------------------------------------------------- */

struct taken {
    const struct friction_set *set;
    int *order, n_on, n; /* points that push, then those that stay closed */
    const double *drift; /* 2 per point: how its forces grow; NULL: unknown */
};

/* Points that push come first, then those that the others keep closed. */
static void
sort_out(const struct friction_rows *in, struct taken *taken)
{
    const struct friction_set *set = taken->set;
    taken->order = NEW_N(in->run->brief, int, (size_t)in->n + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < friction_rows_spots(in); i++) {
            size_t row = 2 * (size_t)i;
            bool pushes = choice_pushes(&in->choice, set, i);
            bool stays = taken->n_on > 0 && !pushes &&
                         set->acc[row] <= CHOICE_NONE * in->terms[row];
            if (pass == 0 ? pushes : stays)
                taken->order[taken->n++] = i;
        }
        if (pass == 0)
            taken->n_on = taken->n;
    }
}

/* Points at the edge of their cones stick there if others hold their slip;
 * point `first`, whose force has just met its cone, before the others. */
static void
tie(const struct friction_rows *in, const struct taken *taken, int first,
    struct persistent_group *group)
{
    bool *on = NEW_N(in->run->brief, bool, 2 * in->n), *sticks = on + in->n;
    int *side = NEW_N(in->run->brief, int, in->n);
    for (int i = 0; i < taken->n_on; i++) {
        const struct persistent_friction *friction = group->row[i].friction;
        int point = taken->order[i];
        on[point] = true;
        sticks[point] = friction && friction->mode == CONTACT_STICK;
        side[point] = friction ? friction->tied : 0;
    }
    for (int i = friction_rows_spots(in); i < in->n; i++)
        on[i] = sticks[i] = joint_holds(in, i);
    choice_tie(&in->choice, taken->set, taken->drift, first, taken->order,
               taken->n_on, on, sticks, side);
    for (int i = 0; i < taken->n_on; i++)
        if (group->row[i].friction)
            group->row[i].friction->tied = side[taken->order[i]];
}

/* The size of the terms of a slip's acceleration. The force of a point that
 * yields may be far greater than what rigid bodies ask for. */
static double
slip_terms(const struct friction_rows *in, const struct friction_set *set,
           int point)
{
    size_t rows = 2 * (size_t)in->n, along = 2 * (size_t)point + 1;
    double size = in->terms[along];
    if (!in->point[point].given)
        return size;
    const double *by = in->W + along * rows;
    return size + fabs(by[along - 1] * set->normal[point]) +
           fabs(by[along] * set->tangential[point]);
}

/* What friction of joint i, which sticks, is of the greatest. */
static double
share_of(const struct friction_rows *in, const struct friction_set *set, int i)
{
    double most = in->point[i].mu_static * in->point[i].normal;
    return most > 0.0 ? fmax(-1.0, fmin(1.0, set->tangential[i] / most)) : 0.0;
}

/* The modes of joints, from the choice. Those that stick hold themselves, but
 * not without friction, where other joints hold them, or at the edges of their
 * cones (`all`: wherever they are in them) and contacts hold them, too; joint
 * `first` before the others: there they bear what they bear now. */
static void
hold_joints(const struct friction_rows *in, const struct taken *taken,
            int first, bool all)
{
    int n_spot = friction_rows_spots(in);
    const struct friction_set *set = taken->set;
    bool *sticks = NEW_N(in->run->brief, bool, 3 * in->n), *on = sticks + in->n,
         *only = on + in->n;
    for (int i = 0; i < in->n; i++) {
        sticks[i] =
            set->mode[i] == CONTACT_STICK &&
            !(i >= n_spot && rubbing_joint_smooth(in->joint + i - n_spot));
        on[i] = i >= n_spot;
    }
    for (int i = 0; i < taken->n_on; i++)
        on[taken->order[i]] = true;
    for (int k = n_spot - 1; k < in->n; k++) {
        int i = k < n_spot ? first : k;
        if (i >= n_spot && sticks[i] &&
            (all || choice_at_edge(&in->point[i], set, i)) &&
            choice_depends(&in->choice, on, sticks, i))
            sticks[i] = false;
    }
    bool *among = NEW_N(in->run->brief, bool, in->n);
    for (int i = n_spot; i < in->n; i++) {
        among[i] = sticks[i];
        only[i] = true;
    }
    for (int i = n_spot; i < in->n; i++)
        if (among[i] && choice_depends(&in->choice, only, among, i))
            among[i] = false;
    for (int i = n_spot; i < in->n; i++) {
        struct rubbing_joint *joint = in->joint + (i - n_spot);
        bool sticks_now = set->mode[i] == CONTACT_STICK;
        rubbing_joint_set(joint, set->mode[i],
                          sticks_now && !among[i] ? share_of(in, set, i) : NAN);
        if (!sticks_now && in->point[i].slip == 0.0)
            rubbing_joint_begins(joint,
                                 CHOICE_NONE * 10.0 * slip_terms(in, set, i));
    }
}

/* Which ends of the bushes of sliders push where follows from the forces, with
 * those of the contacts; friction changes these by less than they are. */
static int
turn_bushes(const struct friction_rows *in, struct persistent_group *group)
{
    int st = IMP_OK;
    bool turns = true;
    for (int round = 0; round <= 2 * in->n_joint && turns && !st; round++) {
        turns = false;
        for (int i = 0; i < in->n_joint; i++)
            turns |= rubbing_joint_turns(in->joint + i);
        if (turns)
            st = persistent_group_series(in->run, group, 2, UINT32_MAX);
    }
    return st;
}

/* Where joints and contacts nearly hold the same, rounding may decide what each
 * of them bears: does a point that pushes by the choice pull, or a joint that
 * sticks by it bear more than its friction can give? */
static bool
keeps_law(const struct friction_rows *in, const struct taken *taken,
          const struct persistent_group *group)
{
    for (int i = 0; i < taken->n_on; i++)
        if (group->row[i].force.c[0] <
            -CHOICE_NONE * taken->set->normal[taken->order[i]])
            return false;
    for (int i = 0; i < in->n_joint; i++)
        if (rubbing_joint_overloaded(in->joint + i))
            return false;
    return true;
}

/* Holds the points with their modes. Where slip is 0, it is made so exactly
 * before a point sticks or begins to slip. first: see tie. *lawful: beside
 * joints, the forces are those of these modes. */
static int
hold(struct friction_rows *in, struct taken *taken, int first, bool *lawful)
{
    struct rt *run = in->run;
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, (size_t)taken->n + 1);
    *lawful = true;
    if (taken->n_on == 0)
        return IMP_OK;
    for (int i = 0; i < taken->n; i++)
        spot[i] = in->spot[taken->order[i]];
    struct persistent_group *group = persistent_hold(run, spot, taken->n);
    for (int i = 0; i < taken->n; i++)
        if (group->row[i].friction)
            group->row[i].friction->mode =
                in->point[taken->order[i]].slip == 0.0 ? CONTACT_STICK
                                                       : CONTACT_SLIP_POSITIVE;
    /* all of them are closed, whether they push or not */
    persistent_project_group(run, group);
    group->n_on = taken->n_on;
    for (int i = 0; i < taken->n; i++) {
        struct persistent_row *row = &group->row[i];
        row->on = i < taken->n_on;
        row->guess = in->later ? 0.0 : taken->set->normal[taken->order[i]];
        if (taken->drift) {
            group->drifts = rt_time(run);
            row->drift = taken->drift[2 * taken->order[i]];
        }
        if (!row->friction)
            continue;
        row->friction->guess =
            in->later ? 0.0 : taken->set->tangential[taken->order[i]];
        if (taken->drift)
            row->friction->drift = taken->drift[2 * taken->order[i] + 1];
        const struct friction_point *point = &in->point[taken->order[i]];
        enum contact_mode mode = taken->set->mode[taken->order[i]];
        row->friction->mode = mode;
        row->friction->onset =
            row->on && point->slip == 0.0 && mode != CONTACT_STICK
                ? rt_time(run)
                : NAN;
        row->friction->small =
            CHOICE_NONE * 10.0 * slip_terms(in, taken->set, taken->order[i]);
    }
    tie(in, taken, first, group);
    persistent_project_group(run, group);
    int st = persistent_group_series(run, group, 2, UINT32_MAX);
    if (!st)
        st = turn_bushes(in, group);
    *lawful = st || in->n_joint == 0 || keeps_law(in, taken, group);
    for (int i = 0; i < taken->n_on && !st; i++) {
        struct persistent_friction *friction = group->row[i].friction;
        if (!friction || friction->mode != CONTACT_STICK)
            continue;
        friction->anchor = friction->place;
        friction->anchored = group->row[i].spot.kind == POINT_VERTEX;
    }
    return st;
}

/* -- the choice ------------------------------------------------------------ */

static void
release(struct rt *run, const struct contact_point *spot, int count)
{
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1);
    for (int i = 0; i < count; i++)
        persistent_mark(run, spot[i].contact, block);
    persistent_release(run, block);
}

/* Nothing is singled out: what the policy of the run takes. */
static int
by_policy(const struct friction_rows *in, struct friction_modes *modes)
{
    struct friction_choice *choice = &modes->choice;
    double *mu = NEW_N(in->run->brief, double, (size_t)in->n);
    for (int i = 0; i < friction_rows_spots(in); i++) {
        double now[3];
        int st = contact_friction_now(in->run, in->spot[i].contact,
                                      fabs(modes->slip[i]), now);
        if (st)
            return st;
        mu[i] = now[2];
    }
    if (in->n_joint == 0 && (choice->verdict == FRICTION_SEVERAL ||
                             choice->verdict == FRICTION_NONE))
        modes->jump = paradox_jump_of(&in->choice.instant, mu);
    enum friction_paradox policy = (enum friction_paradox)in->run->paradox;
    if (policy == PARADOX_COMPLIANT) {
        for (int i = 0; i < friction_rows_spots(in); i++)
            modes->yields |= friction_modes_may_yield(in->run, in->spot + i);
        return IMP_OK;
    }
    modes->jumps = choice_by_policy(choice, in->n, policy, in->run->forks,
                                    in->run->ds->arena, &modes->jump);
    modes->by_policy = choice->taken >= 0 || modes->jumps;
    return IMP_OK;
}

/* `loads = report`: where forces are not unique, between which bounds they lie;
 * nothing is taken where the motion depends on them. */
static void
report_loads(const struct friction_rows *in, struct friction_modes *modes)
{
    struct arena *arena = in->run->brief;
    struct friction_choice *choice = &modes->choice;
    bool matter = choice->verdict == FRICTION_LOADS;
    if (in->run->loads != LOADS_REPORT || choice->taken < 0 ||
        !(matter || modes->shared))
        return;
    modes->range = NEW_N(arena, struct friction_range, in->n);
    friction_ranges(arena, &in->choice.instant, choice->set + choice->taken,
                    modes->range);
    choice->taken = matter ? -1 : choice->taken;
}

/* Does the choice change a mode, or is there none? */
static bool
changes(const struct friction_rows *in, const struct friction_choice *choice)
{
    for (int i = 0; i < in->n && choice->taken >= 0; i++) {
        const struct friction_point *point = &in->point[i];
        enum contact_mode now = choice->set[choice->taken].mode[i];
        if (now != (point->held ? point->before : CONTACT_FREE))
            return true;
    }
    return choice->taken < 0;
}

/* The mode of a joint has just ended: it takes the place of the point that
 * whoever asks has not named. */
static void
find_ended_joint(struct friction_rows *in, struct friction_modes *modes)
{
    int n_spot = friction_rows_spots(in);
    for (int k = 0; k < in->n_joint && modes->which < 0; k++) {
        enum rubbing_end end = rubbing_joint_end(in->joint + k);
        if (end == RUBBING_HOLDS)
            continue;
        modes->which = n_spot + k;
        modes->cause = end == RUBBING_GAVE_WAY ? CHOICE_CONE : CHOICE_STOPPED;
    }
}

/* No modes go with the slips: those that are in doubt are none; and where the
 * run may end others, the slowest ones, until modes go with what is left. */
static int
end_slips(struct friction_rows *in, struct friction_modes *modes)
{
    bool any = false;
    int st = IMP_OK;
    if (!modes->without_doubt)
        st = friction_rows_without_doubt(in, &any);
    if (!st && any)
        choice_again(&in->choice, &modes->choice);
    modes->doubted |= any;
    while (!st && modes->ends_slips && choice_is_empty(&modes->choice)) {
        double speed;
        if ((st = friction_rows_end_slowest(in, &speed)) || speed == 0.0)
            return st;
        modes->doubted = true;
        modes->ended = fmax(modes->ended, speed);
        choice_again(&in->choice, &modes->choice);
    }
    return st;
}

/* How forces grow that have just been chosen (friction_rows_next), and go on in
 * the same modes without a contact that bears nothing and opens at the same
 * time: to choose them anew, without it, might press it again. NULL: it is not
 * so. */
static const double *
growth_before(const struct friction_rows *in,
              const struct friction_modes *modes, const struct taken *taken)
{
    double *drift = NEW_N(in->run->brief, double, 2 * (size_t)in->n);
    if (modes->cause != CHOICE_LEFT || modes->choice.verdict != FRICTION_LOADS)
        return NULL;
    for (int i = 0; i < taken->n_on; i++) {
        int point = taken->order[i];
        const struct persistent_mode *before = mode_before(in, point);
        if (!before || isnan(before->drift[0]) ||
            before->mode != taken->set->mode[point])
            return NULL;
        memcpy(drift + 2 * point, before->drift, sizeof before->drift);
    }
    return drift;
}

/* Holds the points in the modes that are taken, or in those that go on. */
static int
hold_taken(struct friction_rows *in, struct friction_modes *modes)
{
    struct rt *run = in->run;
    struct friction_set *set = modes->choice.set + modes->choice.taken;
    choice_name_held(&in->choice, set);
    modes->mode = set->mode;
    struct taken taken = {.set = set};
    sort_out(in, &taken);
    taken.drift = growth_before(in, modes, &taken);
    int first = modes->cause == CHOICE_CONE ? modes->which : -1;
    if (in->n_joint) {
        hold_joints(in, &taken, first, false);
        joints_project(run);
    }
    struct friction_going next;
    bool goes_on = false;
    bool lawful;
    int st = hold(in, &taken, first, &lawful);
    if (!st && !lawful) {
        release(run, in->spot, friction_rows_spots(in));
        hold_joints(in, &taken, first, true);
        joints_project(run);
        st = hold(in, &taken, first, &lawful);
    }
    /* shares that last keep off the edges, however little they do, but for
     * those of points that they leave without any; growth that has just been
     * chosen goes on */
    if (!st && !taken.drift && (!in->choice.lasts || taken.n_on < taken.n))
        st = friction_rows_next(in, modes->next, &goes_on, &next);
    if (st || !goes_on)
        return st;
    release(run, in->spot, friction_rows_spots(in));
    *set = next.set;
    modes->mode = set->mode;
    taken = (struct taken){.set = set, .drift = next.drift};
    sort_out(in, &taken);
    return hold(in, &taken, first, &lawful);
}

/* The group of points as runtime/choice asks for it. */
static void
read_choice(struct friction_rows *in, const struct friction_modes *modes)
{
    bool *tied = NEW_N(in->run->brief, bool, (size_t)in->n);
    for (int i = 0; i < in->n; i++)
        tied[i] = was_tied(in, i);
    double *rate = NULL, soon = mode_still_now(in->run, 1.0);
    const double *until = friction_rows_until(in, &rate);
    const struct persistent_set *set = in->run->persistent_memory;
    bool again = set->until.lasts == rt_time(in->run);
    if (again && set->until.lasted > 1)
        rate = NULL; /* what has not lasted twice is no longer asked */
    in->choice = (struct choice_group){.arena = in->run->brief,
                                       .instant = {.n = in->n,
                                                   .point = in->point,
                                                   .W = in->W,
                                                   .free = in->free,
                                                   .terms = in->terms,
                                                   .inner = modes->inner},
                                       .point = in->point,
                                       .n_grip = in->n_joint,
                                       .grip = in->grip,
                                       .tied = tied,
                                       .until = until,
                                       .rate = rate,
                                       .soon = soon,
                                       .again = again,
                                       .cause = modes->cause,
                                       .which = modes->which,
                                       .slow = modes->ends_slips};
}

/* The time at which a force ceases is rounded, and with it the accelerations
 * then: where nothing else acts on the bodies, they are nothing else. */
static void
still_at_end(struct friction_rows *in)
{
    for (int i = 0; i < friction_rows_spots(in); i++) {
        const struct persistent_row *row = &in->group->row[i];
        if (fabs(in->free[2 * i]) <=
            mode_still_now(in->run, 6.0 * row->gap.c[3]))
            in->free[2 * i] = 0.0;
        if (row->friction &&
            fabs(in->free[2 * i + 1]) <=
                mode_still_now(in->run, 2.0 * row->friction->slip.c[2]))
            in->free[2 * i + 1] = 0.0;
    }
}

/* Nothing presses now. Where what presses some of the points begins to grow
 * from 0 at this instant, the rows become those of the first coefficients that
 * say so. */
static int
look_later(struct friction_rows *in)
{
    for (int i = 0; i < in->n; i++)
        if (in->free[2 * i] < -CHOICE_NONE * in->terms[2 * i] ||
            in->point[i].given)
            return IMP_OK;
    if (in->n_joint)
        return IMP_OK;
    struct choice_later later;
    int st =
        mode_later_series(in->run, in->group, in->spot, in->n, true, &later);
    if (st)
        return st == IMP_NONFINITE ? IMP_OK : st;
    in->later = choice_presses_later(in->run->brief, &later, in->point,
                                     in->free, in->terms);
    return IMP_OK;
}

int
friction_modes_select(struct rt *run, const struct contact_point *spot,
                      int count, struct friction_modes *modes)
{
    assert(run->im->dim == 2 && count > 0 && modes->which < count);
    struct friction_rows in = {
        .run = run, .n = count, .still = true, .with_joints = true};
    struct contact_point *at =
        NEW_N(run->brief, struct contact_point, (size_t)count);
    memcpy(at, spot, sizeof *at * (size_t)count);
    in.spot = at;
    int st = friction_modes_remember(run, modes->cause);
    release(run, at, count);
    if (!st)
        st = friction_rows_read(&in);
    if (st)
        return st;
    if (modes->which >= 0 && modes->cause != CHOICE_UNLOADED)
        in.point[modes->which].slip = 0.0;
    if (modes->which < 0)
        find_ended_joint(&in, modes);
    still_at_end(&in);
    if ((st = look_later(&in)))
        return st;
    modes->doubted = false;
    modes->ended = 0.0;
    if (modes->without_doubt &&
        (st = friction_rows_without_doubt(&in, &modes->doubted)))
        return st;
    read_choice(&in, modes);
    struct friction_choice *choice = &modes->choice;
    choice_make(&in.choice, choice);
    if (in.choice.lasts) {
        struct persistent_set *set = run->persistent_memory;
        set->until.lasted = in.choice.again ? set->until.lasted + 1 : 1;
        set->until.lasts = rt_time(run);
    }
    if (choice_is_empty(choice) && (st = end_slips(&in, modes)))
        return st;
    choice_keep(&in.choice, choice);
    modes->stays = in.choice.stays;
    modes->shared = choice->verdict == FRICTION_SHARED;
    modes->slip = NEW_N(run->brief, double, (size_t)in.n);
    for (int i = 0; i < in.n; i++)
        modes->slip[i] = in.point[i].slip;
    modes->jump = -1;
    modes->range = NULL;
    modes->changed = changes(&in, choice);
    modes->found = NEW_N(run->brief, struct painleve_verdict, (size_t)count);
    for (int i = 0; modes->changed && i < count; i++)
        modes->found[i] = painleve_verdict_of(run->brief, &in.choice.instant,
                                              in.parts, choice, i);
    if (choice->taken < 0 && (st = by_policy(&in, modes)))
        return st;
    report_loads(&in, modes);
    if (choice->taken < 0)
        return IMP_OK;
    modes->shared |= choice->verdict == FRICTION_SEVERAL &&
                     choice->set[choice->taken].shared;
    st = hold_taken(&in, modes);
    if (!st)
        forget_chosen(&in);
    return st;
}

enum contact_mode
friction_modes_of(const struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    const struct persistent_group *group = persistent_group_of(run, contact);
    for (int i = 0; group && i < group->n_on; i++)
        if (group->row[i].spot.contact == contact)
            return group->row[i].friction ? group->row[i].friction->mode
                                          : CONTACT_SLIDE;
    return CONTACT_FREE;
}
