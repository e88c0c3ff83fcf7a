/* SPDX-License-Identifier: MIT */
/* Which closed contacts of a system push, stick and slip from now on:
 * friction_choose decides, and here its answer becomes modes of the flow. Where
 * no motion is singled out nothing changes; told is what is consistent (I4). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/choice/choice.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/friction/painleve.h"
#include "runtime/friction/paradox.h"
#include "runtime/numerics/polynomial.h"

/* After so many changes of modes at one time what they do next is asked, as of
 * bodies. */
#define MODES_NEXT 1

void
friction_note(struct flow *flow, uint32_t i, const char *word)
{
    struct taylor_friction *friction = flow->taylor->friction;
    assert(word != NULL && i < flow->m);
    if (friction->n_change < 4 * flow->m)
        friction->change[friction->n_change++] =
            (struct flow_change){flow->sys->contact + i, word};
}

void
friction_undecided(struct flow *flow, struct flow_event *event, const char *why)
{
    assert(event);
    event->kind = FLOW_UNDECIDED;
    event->why = why;
    event->open_loads = flow->taylor->friction->loads_open;
    if (flow->last.n_contacts > 0)
        return;
    for (uint32_t i = 0; i < flow->m; i++)
        if (flow->taylor->contacts.closed[i]) {
            flow->last.contacts[flow->last.n_contacts] = flow->sys->contact + i;
            flow->last.impulse[flow->last.n_contacts++] = 0.0;
        }
    event->n = flow->last.n_contacts;
    event->contact = event->n ? flow->last.contacts[0] : flow->sys->contact;
}

/* The contacts that take part, with their part of the rows. */
struct candidates {
    int n, *contact;
    bool *ceased; /* its force has just come to zero */
    struct friction_point *point;
    struct friction_instant instant;
    double *terms; /* 2 n: those of the instant, but for what held forces add */
    bool later; /* nothing presses now, and what does so begins to grow from 0:
                   the instant has first coefficients of gaps and slips in place
                   of accelerations */
    bool *floats; /* n: of these, gaps without an acceleration */
};

double
friction_present_slip(const struct flow *flow, uint32_t i)
{
    assert(flow);
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    double slip = rows->speed[2 * i + 1];
    bool sticks =
        flow->taylor->contacts.closed[i] && friction->mode[i] == CONTACT_STICK;
    return sticks || friction->zero[i] || friction->rub[i] < 0 ||
                   fabs(slip) <=
                       TAYLOR_NOISE * DBL_EPSILON * rows->speed_terms[2 * i + 1]
               ? 0.0
               : slip;
}

/* How large the normal force of contact i was on the present piece, or, where
 * that has just begun, on the last one, too. */
static double
force_size(const struct flow *flow, size_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    double size = polynomial_size(flow->taylor->piece.force + i * ROW,
                                  MOTION_STEP_ORDER, friction->elapsed);
    return friction_is_brief(flow, friction->elapsed)
               ? fmax(size, friction->n_size[i])
               : size;
}

/* How large the acceleration of gap i without its own force was on the present
 * piece: what that force has held. Near a jam it is far less than the part of
 * the normal force alone. */
static double
held_size(const struct flow *flow, size_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    const double *normal = rows->W + 2 * i * (2 * (size_t)flow->m + 1);
    double rubs = friction_sign(friction->mode[i]) * rows->slip[i].mu;
    return fabs(normal[0] - (rubs != 0.0 ? rubs * normal[1] : 0.0)) *
           force_size(flow, i);
}

bool
friction_unloaded(const struct flow *flow, uint32_t i)
{
    assert(flow && i < flow->m);
    return fabs(polynomial_value(flow->taylor->piece.force + (size_t)i * ROW,
                                 MOTION_STEP_ORDER,
                                 flow->taylor->friction->elapsed)) <=
           FRICTION_TOGETHER * force_size(flow, i);
}

static int
gather(const struct flow *flow, struct arena *arena, const bool *on,
       const bool *ended, struct candidates *all)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    size_t contacts = flow->m, n = 0;
    int st;
    all->contact = NEW_N(arena, int, contacts + 1);
    all->ceased = NEW_N(arena, bool, contacts + 1);
    all->point = NEW_N(arena, struct friction_point, contacts + 1);
    for (uint32_t i = 0; i < contacts; i++) {
        if (!on[i])
            continue;
        bool held = taylor->contacts.closed[i];
        all->point[n] = (struct friction_point){
            .mu_static = rows->slip[i].mu_static,
            .mu_dynamic = rows->slip[i].mu,
            .slip = friction_present_slip(flow, i),
            .held = held,
            .before = friction->mode[i],
            .varies = rt_contact(flow->run, flow->sys->contact + i)->flags &
                      IMP_CONTACTF_VARIES,
            .given = friction_given(flow, i)};
        /* a slip that an impact has brought to 0 has ended, too */
        all->point[n].ended =
            held &&
            (ended[i] || (friction_slips(friction->mode[i]) &&
                          all->point[n].slip == 0.0 && !friction->onset[i]));
        if (all->point[n].given &&
            (st = friction_soft_force(flow, i, &all->point[n].normal)))
            return st;
        all->point[n].fuzz = all->point[n].given ? friction->fuzz[i] : 0.0;
        all->ceased[n] =
            held && ended[i] && !friction->zero[i] &&
            (friction->mode[i] != CONTACT_STICK || friction_unloaded(flow, i));
        all->contact[n++] = (int)i;
    }
    all->terms = NEW_N(arena, double, 2 * n + 1);
    double *W = NEW_N(arena, double, 4 * n * n + 1);
    double *free = NEW_N(arena, double, 4 * n + 2), *terms = free + 2 * n + 1;
    for (size_t r = 0; r < 2 * n; r++) {
        size_t row = 2 * (size_t)all->contact[r / 2] + r % 2;
        free[r] = rows->free[row];
        terms[r] = rows->terms[row];
        all->terms[r] = rows->parts[row];
        /* where a mode has ended the free acceleration may be 0 by terms that
         * cancel within the equations of the motion */
        if (r % 2 == 0 && all->point[r / 2].ended)
            terms[r] =
                fmax(terms[r], held_size(flow, (size_t)all->contact[r / 2]));
        for (size_t c = 0; c < 2 * n; c++)
            W[r * 2 * n + c] = rows->W[row * 2 * contacts +
                                       2 * (size_t)all->contact[c / 2] + c % 2];
    }
    all->n = (int)n;
    all->later = false;
    all->floats = NEW_N(arena, bool, n + 1);
    all->instant = (struct friction_instant){
        .n = (int)n, .point = all->point, .W = W, .free = free, .terms = terms};
    return IMP_OK;
}

/* Does what presses contacts begin to grow from 0 at this instant? */
static int
look_later(struct flow *flow, struct candidates *all)
{
    for (int k = 0; k < all->n; k++) {
        double none = CHOICE_NONE * all->instant.terms[2 * k];
        if (all->instant.free[2 * k] < -none || all->point[k].given)
            return IMP_OK;
        all->floats[k] = all->instant.free[2 * k] <= none;
        all->later |= all->floats[k];
    }
    return all->later ? friction_presses_later(flow, all->contact, all->n,
                                               &all->instant, &all->later)
                      : IMP_OK;
}

static const char *
contact_name(const struct flow *flow, int i)
{
    return imp_text(
        flow->run->im,
        rt_contact(flow->run, flow->sys->contact + (uint32_t)i)->name);
}

/* The candidates as runtime/choice asks for them. */
static struct choice_group
group_of(const struct flow *flow, const struct candidates *all)
{
    return (struct choice_group){.arena = flow->run->brief,
                                 .instant = all->instant,
                                 .point = all->point,
                                 .cause = CHOICE_OTHER,
                                 .which = -1};
}

/* The names of the candidates. */
static const char **
names_of(const struct flow *flow, const struct candidates *all)
{
    const char **name =
        NEW_N(flow->run->brief, const char *, (size_t)all->n + 1);
    for (int k = 0; k < all->n; k++)
        name[k] = contact_name(flow, all->contact[k]);
    return name;
}

/* Between which bounds the forces of a choice may lie, contact by contact. */
static const char *
ranges_text(const struct flow *flow, const struct candidates *all,
            const struct friction_set *set)
{
    struct choice_group group = group_of(flow, all);
    return choice_ranges_text(flow->run->arena, &group, names_of(flow, all),
                              set);
}

/* What was found where nothing is singled out. */
static const char *
verdict_text(const struct flow *flow, const struct candidates *all,
             const struct friction_choice *choice)
{
    struct choice_group group = group_of(flow, all);
    return choice_verdict_text(flow->run->arena, &group, names_of(flow, all),
                               choice);
}

/* The point of an impact without collision that is possible, or -1. */
static int
jump_of(const struct flow *flow, const struct candidates *all)
{
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    double *mu = NEW_N(flow->run->brief, double, (size_t)all->n);
    for (int k = 0; k < all->n; k++)
        mu[k] = rows->slip[all->contact[k]].mu_impact;
    return paradox_jump_of(&all->instant, mu);
}

void
friction_tell_verdict(struct flow *flow, uint32_t i,
                      struct painleve_verdict verdict)
{
    struct taylor_friction *friction = flow->taylor->friction;
    assert(i < flow->m);
    if (friction->n_told < 2 * flow->m)
        friction->told[friction->n_told++] =
            (struct flow_verdict){flow->sys->contact + i, verdict};
}

static void
tell_choice(struct flow *flow, const struct candidates *all,
            const struct friction_choice *choice)
{
    struct arena *brief = flow->run->brief;
    for (int k = 0; k < all->n; k++)
        friction_tell_verdict(
            flow, (uint32_t)all->contact[k],
            painleve_verdict_of(brief, &all->instant, all->terms, choice, k));
}

/* Does this choice change a mode? */
static bool
changes(const struct flow *flow, const struct candidates *all,
        const struct friction_set *set)
{
    const struct taylor_flow *taylor = flow->taylor;
    for (int k = 0; k < all->n; k++) {
        size_t i = (size_t)all->contact[k];
        if (set->mode[k] != (taylor->contacts.closed[i]
                                 ? taylor->friction->mode[i]
                                 : CONTACT_FREE))
            return true;
    }
    return false;
}

/* Nothing is singled out. Does the model's policy choose? Where choice->taken
 * stays -1 an impact without collision is to be made, or the run is told what
 * is possible. */
static void
by_policy(struct flow *flow, const struct candidates *all,
          struct friction_choice *choice, struct flow_event *event)
{
    struct taylor_friction *friction = flow->taylor->friction;
    int jump =
        choice->verdict == FRICTION_SEVERAL || choice->verdict == FRICTION_NONE
            ? jump_of(flow, all)
            : -1;
    const char *why = verdict_text(flow, all, choice);
    tell_choice(flow, all, choice);
    if (jump >= 0)
        why =
            arena_printf(flow->run->arena,
                         "%s; an impact without collision at `%s` is possible",
                         why, contact_name(flow, all->contact[jump]));
    why = arena_printf(
        flow->run->arena, "%s%s", why,
        all->n == 1
            ? choice_coefficients_text(flow->run->arena,
                                       &friction->told[friction->n_told - 1].is)
            : "");
    enum friction_paradox policy = (enum friction_paradox)flow->run->paradox;
    bool jumps = choice_by_policy(choice, all->n, policy, flow->run->forks,
                                  flow->run->ds->arena, &jump);
    if (jumps)
        friction->jump = all->contact[jump];
    if (policy == PARADOX_COMPLIANT && choice->taken < 0)
        friction_soft_yields(flow, all->contact, all->n);
    if (choice->taken >= 0)
        friction->open = why;
    else
        friction_undecided(flow, event, why);
    event->policies = paradox_policies(choice, all->n, jump >= 0);
}

static const char *
change_word(enum contact_mode before, enum contact_mode after)
{
    switch (after) {
    case CONTACT_FREE:
        return "liftoff";
    case CONTACT_SLIDE:
        return "slide";
    case CONTACT_STICK:
        return "stick";
    default:
        return friction_slips(before) ? "reverse" : "slip";
    }
}

/* The flow goes on in these modes. */
static void
go_on(struct flow *flow, const struct candidates *all,
      const struct friction_set *set)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    for (int k = 0; k < all->n; k++) {
        uint32_t i = (uint32_t)all->contact[k];
        enum contact_mode before =
            taylor->contacts.closed[i] ? friction->mode[i] : CONTACT_FREE;
        friction->mode[i] = set->mode[k];
        friction->normal[i] = friction->normal_now[i] =
            all->later ? 0.0 : set->normal[k];
        friction->tangential[i] = friction->tangential_now[i] =
            all->later ? 0.0 : set->tangential[k];
        taylor->contacts.closed[i] = set->mode[k] != CONTACT_FREE;
        taylor->contacts.opening[i] = friction->still[i] =
            set->mode[k] == CONTACT_FREE;
        if (friction->still[i] &&
            (all->later ? all->floats[k]
                        : fabs(set->acc[2 * k]) <=
                              CHOICE_FLOATS *
                                  choice_row_size(&all->instant, set, 2 * k)))
            taylor->contacts.released[i] = true;
        friction->onset[i] =
            friction_slips(set->mode[k]) && all->point[k].slip == 0.0;
        if (before != set->mode[k])
            friction_note(flow, i, change_word(before, set->mode[k]));
    }
    friction->struck = false;
    taylor_set_active(flow);
}

/* What the run is told where forces are not unique; NULL: nothing. */
static const char *
loads_text(const struct flow *flow, const struct candidates *all,
           const struct friction_choice *choice)
{
    struct arena *arena = flow->run->arena;
    if (choice->verdict == FRICTION_LOADS)
        return arena_printf(
            arena,
            "accelerations depend on how the contacts share the loads, %s; "
            "the forces of least norm are taken",
            choice_spread_text(arena, choice, 6, ""));
    if (choice->verdict != FRICTION_SHARED)
        return NULL;
    if (flow->run->loads != LOADS_REPORT)
        return flow_open_forces(flow, all->contact,
                                choice->set[choice->taken].mode, all->n);
    return arena_printf(arena, "the motion is one, the loads are not: %s",
                        ranges_text(flow, all, choice->set + choice->taken));
}

/* The forces until now (2 n); NULL: there were none, or an impact has ended
 * them. */
static const double *
forces_until(const struct flow *flow, struct arena *arena,
             const struct candidates *all)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    double *force = NEW_N(arena, double, 2 * (size_t)all->n);
    bool any = false;
    for (int k = 0; k < all->n; k++) {
        int i = all->contact[k];
        if (!all->point[k].held)
            continue;
        any = true;
        force[2 * k] = friction->normal_now[i];
        force[2 * k + 1] = friction->tangential_now[i];
    }
    return any && !friction->struck ? force : NULL;
}

/* Which choice goes on. */
static struct friction_choice *
choose(const struct flow *flow, struct arena *arena,
       const struct candidates *all)
{
    struct choice_group group = group_of(flow, all);
    struct friction_choice *choice = NEW(arena, struct friction_choice);
    choice_make(&group, choice);
    /* Where accelerations depend on loads these are the least ones, as the
     * series have them, and what carries nothing has to be let go: also where
     * no other loads are possible (choice_take_least). */
    if (choice->verdict != FRICTION_SEVERAL || all->later)
        return choice;
    group.until = forces_until(flow, arena, all);
    choice_keep(&group, choice);
    return choice;
}

/* Modes have taken turns at this instant: what forces at the edges of their
 * cones do next decides, too (friction_goes_on). The accelerations change as
 * the series of the last of these modes say, which begin here. */
static void
choose_next(const struct flow *flow, const struct candidates *all,
            struct friction_set *set)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor->friction;
    struct choice_group group = group_of(flow, all);
    size_t rows = 2 * (size_t)all->n;
    double *rate = NEW_N(group.arena, double, 2 * rows), *force = rate + rows;
    bool *held = NEW_N(group.arena, bool, all->n);
    struct friction_going next;
    if (friction->elapsed != 0.0 || friction->struck || all->later ||
        friction->repeats <= MODES_NEXT)
        return;
    for (size_t k = 0; k < rows / 2; k++) {
        size_t i = (size_t)all->contact[k];
        if (all->point[k].given || all->point[k].varies)
            return;
        held[k] = taylor->contacts.closed[i];
        if (!held[k] && all->point[k].slip != 0.0) { /* it rests, and is open */
            rate[2 * k] = 6.0 * taylor->piece.gap[i * ROW + 3];
            held[k] = true;
            continue;
        }
        if (!held[k])
            continue;
        force[2 * k] = taylor->piece.force[i * ROW + 1];
        if (friction->rub[i] < 0)
            continue;
        rate[2 * k + 1] = 2.0 * friction->piece.slip[i * ROW + 2];
        force[2 * k + 1] = friction->piece.friction[i * ROW + 1];
    }
    choice_rates(&group, held, rate, force, NULL);
    /* forces that are shared are those of least norm here, not those found */
    if (friction_goes_on(group.arena, &group.instant, rate, &next) &&
        !next.set.shared)
        *set = next.set;
}

int
friction_choose_modes(struct flow *flow, const bool *on, const bool *ended,
                      struct flow_event *event)
{
    assert(on && ended && event);
    struct taylor_friction *friction = flow->taylor->friction;
    struct arena *arena = flow->run->brief;
    struct candidates all;
    int st = gather(flow, arena, on, ended, &all);
    if (st || (st = look_later(flow, &all)))
        return st;
    memset(friction->zero, 0, flow->m * sizeof *friction->zero);
    friction->shared = false;
    friction->loads = NULL;
    friction->loads_matter = false;
    if (all.n == 0)
        return IMP_OK;
    struct friction_choice *choice = choose(flow, arena, &all);
    struct choice_group group = group_of(flow, &all);
    bool loads = choice->verdict == FRICTION_LOADS;
    /* before the points that bear nothing are let go */
    const char *text = loads ? loads_text(flow, &all, choice) : NULL;
    if (loads && (flow->run->loads == LOADS_REPORT ||
                  !choice_take_least(&group, choice->set + choice->taken))) {
        tell_choice(flow, &all, choice);
        friction->loads_open = true;
        friction_undecided(flow, event, verdict_text(flow, &all, choice));
        return IMP_OK;
    }
    bool open = choice->taken < 0;
    if (open) {
        by_policy(flow, &all, choice, event);
        if (choice->taken < 0)
            return IMP_OK;
    }
    struct friction_choice *taken =
        loads ? choice
        : friction->shares_end
            ? choice_without_idle(&group, choice)
            : choice_with_floating(&group, all.ceased, choice);
    if (!loads)
        choose_next(flow, &all, taken->set + taken->taken);
    choice_name_at_rest(&group, taken->set + taken->taken);
    if (!open && changes(flow, &all, taken->set + taken->taken))
        tell_choice(flow, &all, choice);
    /* also of one of several motions, which was chosen or went on until now,
     * and of one that is not shown to be the only one */
    friction->shared = !loads && taken->set[taken->taken].shared;
    friction->loads = loads ? text : loads_text(flow, &all, taken);
    friction->loads_matter = loads;
    go_on(flow, &all, taken->set + taken->taken);
    return IMP_OK;
}

/* The present modes with their forces, after friction_rows within a piece;
 * NULL: they do not go on. *known: it could be evaluated. fails (m, or NULL):
 * what does not; apart: of parts that do not act on each other. */
static const struct friction_set *
present_set(struct flow *flow, struct candidates *all, bool *known, bool *fails,
            bool apart)
{
    struct arena *arena = flow->run->brief;
    bool *ended = NEW_N(arena, bool, flow->m + 1);
    *known = !gather(flow, arena, flow->taylor->contacts.closed, ended, all);
    *known = *known && all->n > 0; /* the last one may just have opened */
    if (!*known)
        return NULL;
    for (int k = 0; k < all->n; k++)
        if (friction_slips(all->point[k].before) && all->point[k].slip == 0.0) {
            all->point[k].slip = friction_sign(all->point[k].before) * DBL_MIN;
            all->point[k].ended = false;
        }
    struct friction_choice *choice = NEW(arena, struct friction_choice);
    all->instant.brief = true;
    friction_choose(arena, &all->instant, choice);
    struct friction_set *set =
        choice->taken < 0 ? NULL : choice->set + choice->taken;
    struct choice_group group = group_of(flow, all);
    bool *ends = NEW_N(arena, bool, (size_t)all->n + 1), any = !set;
    if (set)
        choice_name_at_rest(&group, set);
    else if (apart)
        choice_failing(&group, ends);
    for (int k = 0; k < all->n; k++) {
        bool other = set && set->mode[k] != all->point[k].before;
        any |= other;
        /* a slip without an acceleration may be one in name alone */
        ends[k] |=
            other &&
            !(friction_slips(set->mode[k]) &&
              fabs(set->acc[2 * k + 1]) <=
                  CHOICE_NONE * choice_row_size(&all->instant, set, 2 * k + 1));
        if (fails)
            fails[all->contact[k]] = ends[k];
    }
    return any ? NULL : set;
}

/* The state on the present piece after `elapsed`, into x (2n). */
static void
state_after(const struct flow *flow, double elapsed, double *x)
{
    for (uint32_t j = 0; j < 2 * flow->n; j++)
        x[j] = polynomial_value(flow->taylor->piece.state + j * ROW,
                                MOTION_STEP_ORDER, elapsed);
}

double
friction_stays(struct flow *flow, double elapsed, const double *rate,
               bool *fails, bool apart, double within)
{
    assert(flow && rate);
    struct taylor_flow *taylor = flow->taylor;
    struct arena *arena = flow->run->brief;
    double now = taylor->now, *x = taylor->x, room = -INFINITY;
    bool known = taylor->next.known, evaluated;
    struct taylor_friction *friction = taylor->friction;
    struct friction_rows kept = friction->rows;
    double *there = NEW_N(arena, double, 2 * (size_t)flow->n);
    friction_rows_new(flow, arena, &friction->rows);
    state_after(flow, elapsed, there);
    taylor->x = there;
    taylor->now = now + elapsed;
    struct candidates all;
    const struct friction_set *set = NULL;
    /* what cannot be evaluated is found by the motion */
    if (friction_rows(flow) ||
        (!(set = present_set(flow, &all, &evaluated, fails, apart)) &&
         !evaluated))
        room = INFINITY;
    if (set) {
        double *of = NEW_N(arena, double, 2 * (size_t)all.n + 1);
        for (int k = 0; k < 2 * all.n; k++)
            of[k] = rate[2 * all.contact[k / 2] + k % 2];
        room = friction_room(arena, &all.instant, set, of);
        struct choice_group group = group_of(flow, &all);
        bool *ends = NEW_N(arena, bool, (size_t)all.n + 1);
        if (within > 0.0)
            choice_at_cones(&group, set, of, within, ends);
        for (int k = 0; k < all.n && within > 0.0; k++)
            fails[all.contact[k]] = ends[k];
    }
    taylor->now = now;
    taylor->x = x;
    taylor->next.known = known;
    friction->rows = kept;
    return room;
}

int
friction_try_modes(struct flow *flow, const bool *on, const bool *ended,
                   double *normal, enum contact_mode *mode)
{
    assert(on && ended && normal && mode);
    struct arena *arena = flow->run->brief;
    struct candidates all;
    int st = gather(flow, arena, on, ended, &all);
    for (uint32_t i = 0; i < flow->m; i++)
        normal[i] = NAN;
    if (st || all.n == 0)
        return st;
    struct friction_choice *choice = NEW(arena, struct friction_choice);
    all.instant.brief = true;
    friction_choose(arena, &all.instant, choice);
    for (int k = 0; k < all.n && choice->taken >= 0; k++) {
        const struct friction_set *set = choice->set + choice->taken;
        normal[all.contact[k]] = set->normal[k];
        mode[all.contact[k]] = set->mode[k];
    }
    return IMP_OK;
}

/* -- what is told ---------------------------------------------------------- */

static double
told_mode(const struct flow *flow, uint32_t i)
{
    static const double told[] = {
        [CONTACT_FREE] = CONTACT_TOLD_FREE,
        [CONTACT_SLIDE] = CONTACT_TOLD_SLIDE,
        [CONTACT_STICK] = CONTACT_TOLD_STICK,
        [CONTACT_SLIP_POSITIVE] = CONTACT_TOLD_SLIP_POSITIVE,
        [CONTACT_SLIP_NEGATIVE] = CONTACT_TOLD_SLIP_NEGATIVE};
    return flow->taylor->contacts.closed[i]
               ? told[flow->taylor->friction->mode[i]]
               : CONTACT_TOLD_FREE;
}

void
friction_tell(struct flow *flow, double t)
{
    assert(flow);
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor->friction;
    double elapsed = taylor->next.known ? t - taylor->now : 0.0;
    double *work = NEW_N(flow->run->brief, double, flow->m + 1);
    memcpy(work, friction->work, flow->m * sizeof *work);
    if (elapsed > 0.0)
        friction_work(flow, elapsed, work);
    for (uint32_t i = 0; i < flow->m; i++) {
        double *env =
            flow->run->env +
            rt_contact(flow->run, flow->sys->contact + i)->env_contact;
        if (friction->rub[i] < 0)
            continue;
        bool closed = taylor->contacts.closed[i];
        bool series = closed && taylor->next.known;
        env[IMP_CONTACT_NORMAL_FORCE] =
            series   ? polynomial_value(taylor->piece.force + i * ROW,
                                        MOTION_STEP_ORDER, elapsed)
            : closed ? friction->normal_now[i]
                     : 0.0;
        env[IMP_CONTACT_FRICTION_FORCE] =
            series   ? polynomial_value(friction->piece.friction + i * ROW,
                                        MOTION_STEP_ORDER, elapsed)
            : closed ? friction->tangential_now[i]
                     : 0.0;
        env[IMP_CONTACT_WORK] = work[i];
        env[IMP_CONTACT_MODE] = told_mode(flow, i);
    }
}

/* p of the slip that there is, or the lesser of both, and b, of contact i. */
static void
tell_point(struct flow *flow, uint32_t i)
{
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    double *env = flow->run->env +
                  rt_contact(flow->run, flow->sys->contact + i)->env_contact;
    size_t all = 2 * (size_t)flow->m, N = 2 * (size_t)i;
    double C = rows->W[N * all + N],
           rubs = rows->slip[i].mu * rows->W[N * all + N + 1],
           sign = friction_sign(flow->taylor->friction->mode[i]);
    env[IMP_CONTACT_MOBILITY] = C - (sign != 0.0 ? sign * rubs : fabs(rubs));
    env[IMP_CONTACT_LOAD] = rows->free[N];
}

/* Does a record ask for the coefficients of contact i? */
static bool
asks_point(const struct flow *flow, uint32_t i)
{
    return flow->taylor->friction->rub[i] >= 0 &&
           rt_contact(flow->run, flow->sys->contact + i)->flags &
               IMP_CONTACTF_POINT;
}

/* Forces that the contacts share: the series has those of least norm, which
 * need not obey the law of friction. Told are the least ones that do. */
static void
tell_shares(struct flow *flow)
{
    struct candidates all;
    bool known;
    const struct friction_set *set =
        present_set(flow, &all, &known, NULL, false);
    for (int k = 0; k < all.n && set; k++) {
        const imp_contact *contact = rt_contact(
            flow->run, flow->sys->contact + (uint32_t)all.contact[k]);
        double *env = flow->run->env + contact->env_contact;
        bool rubs = flow->taylor->friction->rub[all.contact[k]] >= 0;
        if (rubs || contact->flags & IMP_CONTACTF_LOAD)
            env[IMP_CONTACT_NORMAL_FORCE] = set->normal[k];
        if (rubs)
            env[IMP_CONTACT_FRICTION_FORCE] = set->tangential[k];
    }
}

int
friction_tell_points(struct flow *flow, double t)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    struct rt *run = flow->run;
    bool shared = friction->shared, any = shared;
    for (uint32_t i = 0; i < flow->m; i++) {
        if (!asks_point(flow, i))
            continue;
        double *env =
            run->env + rt_contact(run, flow->sys->contact + i)->env_contact;
        env[IMP_CONTACT_MOBILITY] = env[IMP_CONTACT_LOAD] = 0.0;
        any |= taylor->contacts.closed[i];
    }
    if (!any)
        return IMP_OK;
    double now = taylor->now, *x = taylor->x;
    bool known = taylor->next.known;
    struct friction_rows kept = friction->rows;
    double *there = NEW_N(run->brief, double, 4 * (size_t)flow->n);
    friction_rows_new(flow, run->brief, &friction->rows);
    double *env = run->env + flow->sys->env_state, *told = there + 2 * flow->n;
    memcpy(told, env, 2 * flow->n * sizeof *told);
    memcpy(there, taylor->x, 2 * flow->n * sizeof *there);
    if (known && t > now)
        state_after(flow, t - now, there);
    taylor->x = there;
    taylor->now = t;
    int st = friction_rows(flow);
    for (uint32_t i = 0; i < flow->m && !st; i++)
        if (asks_point(flow, i) && taylor->contacts.closed[i])
            tell_point(flow, i);
    if (shared && !st)
        tell_shares(flow);
    memcpy(env, told, 2 * flow->n * sizeof *told);
    taylor->now = now;
    taylor->x = x;
    taylor->next.known = known;
    friction->rows = kept;
    return st;
}
