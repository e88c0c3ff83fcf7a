/* SPDX-License-Identifier: MIT */
/* Changes of branch (switching.h): where a switching function u leaves the side
 * that was picked. The series follows the branch that u at order 0 has picked,
 * and holds while the polynomial of u keeps that sign, up to the rounding of
 * its terms. Where u starts within its rounding, the side on which the motion
 * goes on is that of the first time at which u is beyond it; if that is not the
 * side picked, the step ends there. So each step ends on a side that the next
 * one picks, and the state is wrong by no more than the difference of both
 * branches within a time of rounding. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"

/* u counts as 0 within this many rounding errors of its terms */
#define SWITCHING_NOISE 4.0
/* the terms of u that are left out, as a share of its size */
#define SWITCHING_TRUNCATION 4e-16
#define SWITCHING_TRUNCATION_LOG2 (-51.15) /* to ROUGH_ERROR */
/* so many orders before the last one are looked at, if there are more */
#define SWITCHING_GAP 7
/* A step leads back over the change from which the last one came if it is
 * shorter than this many times what rounding and the least step make of it;
 * or, where both sides lead along the change, than this share of the time and
 * of the length of the series. */
#define SWITCHING_SHORT 16.0
#define SWITCHING_SHARE 1e-9
/* after this many such steps in a row the motion counts as held at the change
 */
#define SWITCHING_BACK 32
/* the same for steps that are only short */
#define SWITCHING_BRIEF 1e-3
#define SWITCHING_MANY 20000
/* Where a guard has no series (a root of 0), the first step is the least one,
 * and each further one in a row is longer by this power of 2. */
#define SWITCHING_BLIND 20

/* The least step, in rounding errors of the time, so that the time advances. */
#define STEP_LEAST 4.0
/* the same where the time is 0 */
#define STEP_FIRST 1e-100

struct switching {
    double *work, *aside; /* rows of the tape, twice */
    double *most; /* per guard: the greatest size of its terms in this run; u at
                     rest is known to the rounding of that */
    double last;  /* time of the last series with a step that leads back */
    int *back;    /* per guard: how many steps in a row led back to it, or to
                     others */
    int brief;    /* number of short steps in a row */
    bool *left_out; /* per guard: it ends no step */
    /* the last time at which a guard had a value but no series, and how many
     * steps in a row began so */
    double blind_time;
    int blind;
};

static const imp_block *
block_of(const struct rt *run, uint32_t block)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
}

double
switching_least(const struct rt *run)
{
    assert(run != NULL);
    return fmax(STEP_LEAST * DBL_EPSILON * fabs(rt_time(run)), STEP_FIRST);
}

struct branched
branched_block(const struct rt *run, uint32_t block)
{
    const imp_block *image_block = block_of(run, block);
    return (struct branched){image_block->guard, image_block->guards.n,
                             IMP_ARRAY(run->im, image_block->guards, imp_guard),
                             run->switching ? run->switching + block : NULL};
}

static struct branched
of_contact(const struct rt *run, uint32_t contact)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    return (struct branched){
        image_contact->rub_guard, image_contact->rub_guards.n,
        IMP_ARRAY(run->im, image_contact->rub_guards, imp_guard),
        run->switching ? run->switching + run->im->blocks.n + contact : NULL};
}

static struct branched
of_compliance(const struct rt *run, uint32_t contact)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    return (struct branched){
        image_contact->press_guard, image_contact->press_guards.n,
        IMP_ARRAY(run->im, image_contact->press_guards, imp_guard),
        run->switching ? run->switching + run->im->blocks.n +
                             rt_contact_room(run) + contact
                       : NULL};
}

/* all blocks, then all contacts twice: their friction, their compliance */
static struct branched
one_of(const struct rt *run, uint32_t i)
{
    uint32_t blocks = run->im->blocks.n, contacts = run->im->contacts.n;
    return i < blocks              ? branched_block(run, i)
           : i - blocks < contacts ? of_contact(run, i - blocks)
                                   : of_compliance(run, i - blocks - contacts);
}

struct switching *
switching_new(struct rt *run)
{
    /* contacts that are made have no branches (runtime/local) */
    uint32_t count = run->im->blocks.n + 2 * run->im->contacts.n, i = 0;
    while (i < count && one_of(run, i).tape == IMP_NO_TAPE)
        i++;
    if (i == count)
        return NULL;
    run->switching =
        NEW_N(run->own, struct switching,
              run->im->blocks.n + 2 * (size_t)rt_contact_room(run));
    for (; i < count; i++) {
        struct branched formulas = one_of(run, i);
        if (formulas.tape == IMP_NO_TAPE)
            continue;
        const imp_tape *tape =
            IMP_ARRAY(run->im, run->im->tapes, imp_tape) + formulas.tape;
        struct switching *own = one_of(run, i).own;
        own->work =
            NEW_N(run->own, double, (tape->n_rows + 1) * IMP_ROW_STRIDE);
        own->aside =
            NEW_N(run->own, double, (tape->n_rows + 1) * IMP_ROW_STRIDE);
        own->most = NEW_N(run->own, double, formulas.n);
        own->back = NEW_N(run->own, int, formulas.n);
        own->left_out = NEW_N(run->own, bool, formulas.n);
        own->last = own->blind_time = -INFINITY;
    }
    return run->switching;
}

uint32_t
switching_count(const struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    return block_of(run, block)->guard == IMP_NO_TAPE
               ? 0
               : block_of(run, block)->guards.n;
}

void
switching_reset(struct rt *run)
{
    uint32_t count = run->im->blocks.n + 2 * run->im->contacts.n;
    for (uint32_t i = 0; run->switching && i < count; i++) {
        struct branched formulas = one_of(run, i);
        formulas.own->last = formulas.own->blind_time = -INFINITY;
        formulas.own->brief = formulas.own->blind = 0;
        for (uint32_t k = 0; k < formulas.n && formulas.own->most; k++) {
            formulas.own->most[k] = 0.0;
            formulas.own->back[k] = 0;
        }
    }
}

/* A bound of all roots of c +- noise (Fujiwara), because an infinite step
 * needs an end. */
static double
bound(const double *c, int n, double noise)
{
    double b = 0.0;
    while (n > 0 && c[n] == 0.0)
        n--;
    for (int k = 0; k < n; k++) {
        double a = fabs(c[k]) + (k == 0 ? noise : 0.0);
        if (a > 0.0)
            b = fmax(b, exp((log(a) - log(fabs(c[n]))) / (n - k)));
    }
    return 2.0 * b;
}

/* The time for which the last terms of u stay below SWITCHING_TRUNCATION of
 * its size. Where these are 0 by symmetry, the terms before them say how far
 * the series holds. A branch that is not followed shortens no step otherwise.
 */
static double
reach(const double *c, int n, double size)
{
    double h = INFINITY, root = log(SWITCHING_TRUNCATION);
    for (int k = 1; k <= n && size == 0.0; k++)
        size = fabs(c[k]);
    struct rough_terms terms;
    rough_terms_make(&terms, c, n - SWITCHING_GAP, n,
                     SWITCHING_TRUNCATION_LOG2);
    uint32_t asked = rough_least(&terms, size);
    for (int k = n - SWITCHING_GAP; k <= n; k++)
        if (c[k] != 0.0 && rough_asks(asked, k))
            h = fmin(h, exp((log(size) - log(fabs(c[k]))) / k +
                            root / (k < n - 1 ? n : k)));
    return h;
}

/* When does u = series[0] + series[1] s + ... leave the side that its sign at 0
 * has picked? */
static struct branch_end
leaves(const double *series, int order, double span, double noise, double least)
{
    double negated[POLYNOMIAL_MAX + 1], up, down;
    struct branch_end end = {INFINITY, false, -1};
    if (noise == 0.0 && motion_zeros(series, 0, order))
        return end;
    if (!isfinite(span))
        span = fmax(bound(series, order, noise), least);
    if (!isfinite(span))
        return end;
    for (int k = 0; k <= order; k++)
        negated[k] = -series[k];
    if (fabs(series[0]) > noise) {
        if (polynomial_below(series[0] > 0.0 ? series : negated, order, 0.0,
                             span, -noise, &end.s)) {
            double near = noise / fabs(series[1]) + least;
            end.s = fmax(end.s, least);
            end.back =
                end.s <= SWITCHING_SHORT * near &&
                fabs(series[0]) <= SWITCHING_SHORT * fabs(series[1]) * near;
        } else {
            end.s = INFINITY;
        }
        return end;
    }
    bool rises = polynomial_below(negated, order, 0.0, span, -noise, &up);
    bool falls = polynomial_below(series, order, 0.0, span, -noise, &down);
    if (!rises && !falls)
        return end;
    bool above = rises && (!falls || up < down);
    double out = above ? up : down;
    if (above ? series[0] > 0.0 : series[0] < 0.0) {
        if (!polynomial_below(above ? series : negated, order, out, span,
                              -noise, &end.s))
            end.s = INFINITY;
        return end;
    }
    end.s = fmax(out, least);
    end.back = true;
    return end;
}

/* Returns the same for a u that passes whole numbers, or halves of them. */
static struct branch_end
passes(const double *series, int order, double span, double noise, double least,
       uint32_t kind)
{
    double shifted[POLYNOMIAL_MAX + 1],
        half = kind == IMP_GUARD_HALF ? 0.5 : 0.0;
    if (kind == IMP_GUARD_ROW)
        return (struct branch_end){INFINITY, false, -1};
    if (kind == IMP_GUARD_SIGN || kind == IMP_GUARD_GROWTH_SIGN ||
        kind == IMP_GUARD_END)
        return leaves(series, order, span, noise, least);
    struct branch_end first = {INFINITY, false, -1};
    for (int k = 0; k <= order; k++)
        shifted[k] = series[k];
    for (int side = -1; side <= 1; side++) {
        shifted[0] = series[0] - (nearbyint(series[0] - half) + side + half);
        struct branch_end end = leaves(shifted, order, span, noise, least);
        if (end.s < first.s)
            first = end;
    }
    return first;
}

/* Does the guard stand in the compliance of a contact? */
static bool
in_compliance(const struct rt *run, const imp_guard *g)
{
    for (uint32_t i = 0; i < run->im->contacts.n; i++) {
        const imp_contact *contact = rt_contact(run, i);
        const imp_range *law = &contact->range_compliance;
        if (contact->compliance != IMP_NO_TAPE && g->range.file == law->file &&
            g->range.lo >= law->lo && g->range.hi <= law->hi)
            return true;
    }
    return false;
}

static int
held(struct rt *run, const imp_guard *g)
{
    char t[NUM_TEXT];
    struct diag *diag =
        diag_add(run->ds, DIAG_E0735, g->range,
                 "the motion is held where this changes its branch, at t = %s",
                 rt_told(t, rt_time(run), 9));
    if (in_compliance(run, g)) {
        diag_note(run->ds, diag, g->range,
                  "the force that the load asks for lies between both "
                  "branches: where a law jumps at speed 0, a contact rests "
                  "under it; at another speed it would creep");
        diag_help(run->ds, diag,
                  "let the law jump at speed 0, or go from one branch to the "
                  "other within a small speed v0: (1 + e^2)/2 + (1 - "
                  "e^2)/2*tanh((speed - v1)/v0) in the place of (if speed > "
                  "v1 then 1 else e^2)");
        return IMP_FAILED;
    }
    diag_help(run->ds, diag,
              "on both sides it is driven back, as by dry friction where a "
              "speed comes to zero: state that as `friction` of a contact or "
              "joint, which sticks (imp explain E0735 has a force F against "
              "x'), or smoothly, tanh(v/v0) instead of sign(v)");
    return IMP_FAILED;
}

static bool
grows(const imp_guard *guard)
{
    return guard->kind == IMP_GUARD_GROWTH_SIGN ||
           guard->kind == IMP_GUARD_GROWTH_WHOLE;
}

/* The row of an output of the tape. */
static const double *
row_of(const struct rt *run, const struct branched *formulas,
       const double *work, uint32_t out)
{
    const imp_tape *tape =
        IMP_ARRAY(run->im, run->im->tapes, imp_tape) + formulas->tape;
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    const uint32_t *outs = IMP_ARRAY(run->im, tape->outs, uint32_t);
    return work + (size_t)code[outs[out]].row * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

/* The series and the size of guard i, from the rows of the tape. NULL: it is
 * not finite, and so belongs to a branch that is not followed; or the guard has
 * a value here but no series (*blind), as the root of 0. */
static const double *
argument(const struct rt *run, const struct branched *formulas, uint32_t guard,
         int order, double *size, bool *blind)
{
    struct switching *switching = formulas->own;
    const double *series = row_of(run, formulas, switching->work, guard);
    *size = *row_of(run, formulas, switching->work, formulas->n + guard);
    if (!isfinite(*size))
        return NULL;
    for (int k = 0; k <= order; k++)
        if (!isfinite(series[k])) {
            *blind |= k > 0 && !grows(&formulas->guard[guard]);
            return NULL;
        }
    /* what has grown in another place says nothing about the rounding here */
    if (!grows(&formulas->guard[guard]))
        *size = switching->most[guard] = fmax(switching->most[guard], *size);
    return series;
}

/* Shortens *step to where the series of the guards end, whose tape is made.
 * Right behind a place where a guard is not smooth that is less than the clock
 * sees: steps of the clock lead on there. */
static void
reaches(const struct rt *run, const struct branched *formulas, int order,
        double *step)
{
    double size;
    bool blind = false;
    const double *series;
    for (uint32_t i = 0; i < formulas->n && order > SWITCHING_GAP; i++)
        if (formulas->guard[i].kind != IMP_GUARD_END &&
            (series = argument(run, formulas, i, order, &size, &blind)))
            *step = fmin(
                *step, fmax(reach(series, order, size), switching_least(run)));
}

/* The longest step from here where a guard has no series: it is looked at again
 * behind a short one. A motion that stays there goes on by ever longer ones. */
static double
blind_step(const struct rt *run, struct switching *own)
{
    double now = rt_time(run);
    if (now < own->blind_time)
        own->blind = 0;
    if (now > own->blind_time && own->blind_time > -INFINITY)
        own->blind++;
    own->blind_time = now;
    return ldexp(switching_least(run), SWITCHING_BLIND * own->blind);
}

int
branched_first_end(struct rt *run, const struct branched *formulas,
                   const double *const *rows, int order, bool parabola,
                   double *step, struct branch_end *first,
                   struct branch_end *soft)
{
    assert(step && first && soft);
    int st =
        rt_series(run, formulas->tape, NULL, rows, formulas->own->work, order);
    if (st && st != IMP_NONFINITE)
        return st;
    reaches(run, formulas, order, step);
    double size, least = switching_least(run), span = *step;
    const double *series;
    bool blind = false;
    *first = *soft = (struct branch_end){INFINITY, false, -1};
    for (uint32_t guard = 0; guard < formulas->n; guard++) {
        if (formulas->own->left_out[guard] ||
            !(series = argument(run, formulas, guard, order, &size, &blind)))
            continue;
        struct branch_end end =
            passes(series, order, *step, SWITCHING_NOISE * DBL_EPSILON * size,
                   least, formulas->guard[guard].kind);
        end.guard = (int)guard;
        if (grows(&formulas->guard[guard])) {
            /* a parabola that begins at 0 has been followed beyond it */
            if (parabola && series[0] == 0.0)
                continue;
            if (end.s < *step) /* the step ends, and no branch does */
                *first = (struct branch_end){INFINITY, false, -1};
            *step = fmin(*step, fmax(end.s, least));
            continue;
        }
        if (!formulas->guard[guard].gap &&
            (end.s <= least || (parabola && end.s <= span)))
            *soft = end;
        else if (end.s < *step ||
                 (isfinite(end.s) && end.s == *step && first->guard < 0)) {
            *step = end.s;
            *first = end;
        }
    }
    double most = blind ? blind_step(run, formulas->own) : INFINITY;
    if (!blind) {
        formulas->own->blind = 0;
        formulas->own->blind_time = -INFINITY;
    } else if (most < *step) {
        *step = most;
        *first = (struct branch_end){INFINITY, false, -1};
    }
    return IMP_OK;
}

double
branched_next(struct rt *run, const struct branched *formulas,
              const double *const *rows, int order, double span,
              const bool *skip)
{
    assert(rows != NULL && skip != NULL);
    double *work = formulas->own->aside, next = INFINITY;
    int st = rt_series(run, formulas->tape, NULL, rows, work, order);
    if (st && st != IMP_NONFINITE)
        return INFINITY;
    for (uint32_t i = 0; i < formulas->n; i++) {
        const imp_guard *guard = formulas->guard + i;
        const double *series = row_of(run, formulas, work, i);
        double size = *row_of(run, formulas, work, formulas->n + i);
        bool finite = isfinite(size);
        for (int k = 0; k <= order && finite; k++)
            finite = isfinite(series[k]);
        if (!finite || skip[i] || grows(guard) || guard->kind == IMP_GUARD_END)
            continue;
        size = fmax(size, formulas->own->most[i]);
        struct branch_end end =
            passes(series, order, span, SWITCHING_NOISE * DBL_EPSILON * size,
                   switching_least(run), guard->kind);
        next = end.s <= span ? fmin(next, end.s) : next;
    }
    return next;
}

/* Counts the steps in a row that lead back to the change of branch from which
 * they came, for each guard by itself: many guards may change at one time (a
 * row of balls that touch), each of them once. True if the motion is held. */
static bool
held_at(struct switching *switching, uint32_t n_guard, int guard, bool back,
        bool brief, double now)
{
    if (now == switching->last)
        return false;
    if (!back || now < switching->last)
        memset(switching->back, 0, n_guard * sizeof *switching->back);
    if (back)
        switching->back[guard]++;
    switching->brief =
        brief ? (now > switching->last ? switching->brief + 1 : 1) : 0;
    switching->last = now;
    return (back && switching->back[guard] > SWITCHING_BACK) ||
           switching->brief > SWITCHING_MANY;
}

const double *
branched_series(const struct rt *run, const struct branched *formulas,
                const double *work, int guard)
{
    assert(formulas && guard >= 0 && (uint32_t)guard < formulas->n);
    return row_of(run, formulas, work ? work : formulas->own->work,
                  (uint32_t)guard);
}

void
branched_leave_out(const struct branched *formulas, int guard)
{
    assert(formulas && guard < (int)formulas->n);
    if (guard < 0)
        memset(formulas->own->left_out, 0,
               formulas->n * sizeof *formulas->own->left_out);
    else
        formulas->own->left_out[guard] = true;
}

bool
branched_returns(const struct branched *formulas, int guard)
{
    assert(formulas && guard >= 0 && (uint32_t)guard < formulas->n);
    return formulas->own->back[guard] > SWITCHING_BACK / 2;
}

bool
branched_lingers(const struct branched *formulas, int guard)
{
    return branched_returns(formulas, guard) ||
           formulas->own->brief > SWITCHING_BACK;
}

int
branched_held(struct rt *run, const struct branched *formulas,
              const struct branch_end *end, double span, double step)
{
    assert(end != NULL);
    double now = rt_time(run), share = fmin(span, fabs(now));
    bool any = end->guard >= 0;
    bool back =
        any && (end->back || end->s <= SWITCHING_SHARE * share) &&
        (step <= SWITCHING_SHORT * end->s || step <= SWITCHING_BRIEF * share);
    bool brief = any && end->s <= SWITCHING_BRIEF * share;
    return held_at(formulas->own, formulas->n, end->guard, back, brief, now)
               ? held(run, formulas->guard + end->guard)
               : IMP_OK;
}

/* Shortens the step to where a formula of a contact changes its branch. */
static int
end_of(struct rt *run, const struct branched *formulas,
       const double *const *rows, int order, double *step)
{
    struct branch_end first, soft;
    double span = *step;
    if (formulas->tape == IMP_NO_TAPE)
        return IMP_OK;
    int st = branched_first_end(run, formulas, rows, order, false, step, &first,
                                &soft);
    if (st)
        return st;
    if (soft.guard >= 0) {
        first = soft;
        *step = fmin(*step, soft.s);
    }
    /* a length that is 0 at rest, and rounding from there on, holds nothing */
    if (first.guard >= 0 &&
        formulas->guard[first.guard].kind == IMP_GUARD_END &&
        branched_series(run, formulas, NULL, first.guard)[0] == 0.0)
        return IMP_OK;
    if (first.guard >= 0)
        run->contact_switch = fmin(run->contact_switch, rt_time(run) + *step);
    return branched_held(run, formulas, &first, span, *step);
}

int
switching_of_friction(struct rt *run, uint32_t contact,
                      const double *const *rows, int order, double *step)
{
    assert(step != NULL && contact < run->im->contacts.n);
    struct branched formulas = of_contact(run, contact);
    return end_of(run, &formulas, rows, order, step);
}

int
switching_of_compliance(struct rt *run, uint32_t contact,
                        const double *const *rows, int order, double *step)
{
    assert(step != NULL && contact < run->im->contacts.n);
    struct branched formulas = of_compliance(run, contact);
    return end_of(run, &formulas, rows, order, step);
}

/* The side on which a guard is whose argument is u, with this rounding. */
static double
side_of(double u, double noise, uint32_t kind)
{
    if (kind == IMP_GUARD_ROW)
        return u;
    double change = kind == IMP_GUARD_WHOLE  ? nearbyint(u)
                    : kind == IMP_GUARD_HALF ? floor(u) + 0.5
                                             : 0.0,
           off = u - change;
    return !(fabs(off) > noise) ? NAN : copysign(0.5, off) + change;
}

void
branched_sides(struct rt *run, const struct branched *formulas,
               const double *const *rows, double *side)
{
    assert(rows != NULL && side != NULL);
    int st = rt_series(run, formulas->tape, NULL, rows, formulas->own->work, 1);
    for (uint32_t i = 0; i < formulas->n; i++) {
        const imp_guard *guard = formulas->guard + i;
        bool blind = false, changes = !grows(guard) &&
                                      guard->kind != IMP_GUARD_END &&
                                      (st == IMP_OK || st == IMP_NONFINITE);
        double size;
        const double *u =
            changes ? argument(run, formulas, i, 0, &size, &blind) : NULL;
        side[i] =
            u ? side_of(u[0], SWITCHING_NOISE * DBL_EPSILON * size, guard->kind)
              : NAN;
    }
}
