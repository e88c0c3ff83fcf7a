/* SPDX-License-Identifier: MIT */
/* A run: the memory of one compiled model in motion, and the one door to its
 * tapes, which are machine code if there is any, else interpreted by the
 * evaluator.
 *
 * Invariants: run->rows.block[b] and run->rows.contact[c] are zeroed once and
 * only written by series functions; the IMP_ROW_PAD entries before coefficient
 * 0 stay zero. run->start.state holds the state at time 0 after set-up. No
 * number that is not finite goes on from here without a status (I5). */
#include "runtime/instance/run.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/tape/eval.h"

/* Many least steps from the start (1e-100 s) are no time that is told. */
#define TIME_BEGUN 1e-90

void
rt_brief_end(struct rt *run)
{
    assert(run->brief != NULL);
    arena_clear(run->brief);
}

struct rt_kept {
    struct rt_kept *next;
    const void *key;
    uint32_t number;
    struct arena *arena;
    void *p;
};

/* In a function of its own, so that the search, which is asked in every run,
 * stays small. */
__attribute__((noinline)) static void *
keep_more(struct rt *run, const void *key, uint32_t number, size_t size,
          struct arena **arena)
{
    struct rt_kept *kept = NEW(run->own, struct rt_kept);
    *kept = (struct rt_kept){run->kept, key, number, NULL, NULL};
    kept->p = arena_alloc(run->own, size);
    *arena = kept->arena = arena_new();
    run->kept = kept;
    return kept->p;
}

void *
rt_keep(struct rt *run, const void *key, uint32_t number, size_t size,
        struct arena **arena)
{
    assert(key != NULL && size > 0);
    for (struct rt_kept *kept = run->kept; kept; kept = kept->next)
        if (kept->key == key && kept->number == number) {
            *arena = kept->arena;
            return kept->p;
        }
    return keep_more(run, key, number, size, arena);
}

void
rt_free(struct rt *run)
{
    assert(run == NULL || run->own != NULL);
    if (run == NULL)
        return;
    for (struct rt_kept *kept = run->kept; kept; kept = kept->next)
        arena_free(kept->arena);
    arena_free(run->arena);
    arena_free(run->brief);
    arena_free(run->own); /* the run itself lies in it */
}

/* The work of the evaluator: one unit for an instruction at order 0, and
 * WORK_SERIES units at each higher order (the ratio of the measured times). */
#define WORK_SERIES 3.0

/* Where the work ahead is not known, the code comes when the evaluator has
 * worked for as long as it costs: no run then takes more than twice the time of
 * the better choice. Where it is foreseen, the code comes as soon as a part of
 * its cost has been worked, if it saves about its cost: it is 2 to 3 times as
 * fast as the evaluator. A forecast that never comes true counts no longer. */
#define TIER_TRUSTED 0.25
#define TIER_PAYS 1.5
#define TIER_DOUBTED 4.0

bool
rt_tier_due(const struct rt_tier *tier)
{
    assert(tier != NULL);
    if (!tier->foreseen)
        return tier->spent >= tier->limit;
    return tier->spent >= TIER_DOUBTED * tier->limit ||
           (tier->spent >= TIER_TRUSTED * tier->limit &&
            tier->ahead >= TIER_PAYS * tier->limit);
}

void
rt_progress(struct rt *run, double done)
{
    assert(run != NULL && done >= 0.0 && done <= 1.0);
    struct rt_tier *tier = run->tier;
    if (tier == NULL || tier->part || run->code != NULL)
        return;
    if (done == 0.0)
        tier->from = tier->spent;
    tier->foreseen = done > 0.0;
    if (tier->foreseen)
        tier->ahead = (tier->spent - tier->from) * (1.0 - done) / done;
}

static void
work_hard(struct rt *run, double units)
{
    struct rt_tier *tier = run->tier;
    tier->spent += units;
    while (run->code == NULL && rt_tier_due(tier)) {
        double was = tier->limit;
        run->code = tier->more(tier);
        if (run->code == NULL && !(tier->limit > was))
            tier->limit = INFINITY;
    }
}

void
rt_enter(struct rt *run, uint32_t body)
{
    assert(run != NULL && body < run->im->bodies.n);
    const imp_body *from = rt_body(run, body);
    if (!(from->flags & IMP_BODYF_ALIKE))
        return;
    double *to = run->env + run->im->layout.self;
    memcpy(to, run->env + from->env_body, IMP_BODY_SIZE * sizeof *to);
    memcpy(to + IMP_BODY_SIZE, run->env + from->env_state,
           (run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE) *
               sizeof *to);
}

int
rt_eval(struct rt *run, uint32_t tape, const double *local, double *out)
{
    assert(tape < run->im->tapes.n);
    if (run->code == NULL && run->tier != NULL)
        work_hard(run, rt_tape(run, tape)->code.n);
    /* a long set-up has no code */
    if (run->code != NULL && run->code->eval[tape] != NULL)
        return run->code->eval[tape](run->env, local, out);
    return eval_tape(run->im, rt_tape(run, tape), run->env, local, out);
}

/* What the evaluator has read of the tape. */
static const struct series_plan *
plan_of(struct rt *run, uint32_t tape)
{
    if (!run->plans)
        run->plans = NEW_N(run->own, struct series_plan *, run->im->tapes.n);
    if (!run->plans[tape])
        run->plans[tape] =
            eval_series_plan(run->im, rt_tape(run, tape), run->own);
    return run->plans[tape];
}

int
rt_series(struct rt *run, uint32_t tape, const double *local,
          const double *const *rows, double *work, int order)
{
    return rt_series_from(run, tape, local, rows, work, 0, order);
}

int
rt_series_from(struct rt *run, uint32_t tape, const double *local,
               const double *const *rows, double *work, int from, int order)
{
    assert(tape < run->im->tapes.n);
    assert(work != NULL && order >= 0 && order < IMP_ROW_STRIDE - IMP_ROW_PAD);
    assert(from >= 0 && from <= order);
    if (run->code == NULL && run->tier != NULL)
        work_hard(
            run, rt_tape(run, tape)->code.n *
                     (1 + WORK_SERIES * (from > 1 ? order - from + 1 : order)));
    if (run->code != NULL)
        return run->code->series[tape](run->env, local, rows, work, order);
    return eval_series_planned(run->im, rt_tape(run, tape), plan_of(run, tape),
                               run->env, local, rows, work, from, order);
}

int
rt_series_resting(struct rt *run, uint32_t tape, const double *local,
                  const double *const *rows, double *work, int order,
                  const struct series_rest *rest)
{
    assert(tape < run->im->tapes.n && work != NULL && order >= 0);
    return eval_series_resting(run->im, rt_tape(run, tape), plan_of(run, tape),
                               run->env, local, rows, work, order, rest);
}

int
rt_series_cancelled(struct rt *run, uint32_t tape, const double *local,
                    const double *const *rows, double *work, int order)
{
    assert(tape < run->im->tapes.n && work != NULL && order >= 0);
    return eval_series_cancelled(run->im, rt_tape(run, tape),
                                 plan_of(run, tape), run->env, local, rows,
                                 work, order);
}

/* Why an operator with these operands gave no finite number. */
static const char *
reason(struct rt *run, enum imp_op op, double first, double second)
{
    char first_text[NUM_TEXT], second_text[NUM_TEXT];
    num_digits(first_text, first, 6);
    num_digits(second_text, second, 6);
    switch (op) {
    case IMP_OP_DIV:
        if (second == 0.0)
            return first == 0.0 ? "zero divided by zero" : "division by zero";
        return arena_printf(run->arena, "%s / %s is too large", first_text,
                            second_text);
    case IMP_OP_SQRT:
        return arena_printf(run->arena, "square root of %s, which is negative",
                            first_text);
    case IMP_OP_LOG:
    case IMP_OP_LOG2:
    case IMP_OP_LOG10:
        return arena_printf(
            run->arena, "logarithm of %s, which is not positive", first_text);
    case IMP_OP_LOG1P:
        return arena_printf(run->arena,
                            "logarithm of 1 + (%s), which is not positive",
                            first_text);
    case IMP_OP_POW:
        if (first < 0.0 && second != floor(second))
            return arena_printf(run->arena,
                                "%s is negative and has no real power %s",
                                first_text, second_text);
        /* fall through */
    case IMP_OP_ABSPOW:
    case IMP_OP_SGNPOW:
        if (first == 0.0 && second < 0.0)
            return arena_printf(run->arena, "zero to the negative power %s",
                                second_text);
        return arena_printf(run->arena, "%s to the power %s is too large",
                            first_text, second_text);
    case IMP_OP_ASIN:
    case IMP_OP_ACOS:
        return arena_printf(run->arena,
                            "arc function of %s, which is not between -1 and 1",
                            first_text);
    case IMP_OP_ATANH:
        return arena_printf(run->arena,
                            "atanh of %s, which is not between -1 and 1",
                            first_text);
    case IMP_OP_ACOSH:
        return arena_printf(run->arena, "acosh of %s, which is below 1",
                            first_text);
    case IMP_OP_GAMMA:
    case IMP_OP_LGAMMA:
        return arena_printf(run->arena,
                            "gamma function of %s: a pole, or too large",
                            first_text);
    case IMP_OP_MOD:
        return "remainder of a division by zero";
    case IMP_OP_EXP:
    case IMP_OP_EXP2:
    case IMP_OP_EXPM1:
    case IMP_OP_SINH:
    case IMP_OP_COSH:
        return arena_printf(run->arena, "the exponential of %s is too large",
                            first_text);
    case IMP_OP_ADD:
    case IMP_OP_SUB:
    case IMP_OP_MUL:
    case IMP_OP_DOT:
        return arena_printf(run->arena, "the result of %s and %s is too large",
                            first_text, second_text);
    case IMP_OP_ENV:
    case IMP_OP_LOCAL:
        return "a value that is read here is not a finite number";
    default:
        return arena_printf(run->arena, "no finite value at %s", first_text);
    }
}

/* The user's text of a range, shortened and on one line; "" if there is none.
 */
static const char *
source_text(struct rt *run, imp_range where)
{
    if (where.file == 0 || where.file > run->im->sources.n)
        return "";
    const imp_source *source =
        IMP_ARRAY(run->im, run->im->sources, imp_source) + (where.file - 1);
    if (where.lo >= where.hi || where.hi > source->text.n)
        return "";
    size_t length = where.hi - where.lo;
    bool cut = length > 60;
    if (cut) {
        length = 57;
        /* do not cut inside a UTF-8 character */
        while (length > 0 && ((unsigned char)imp_text(
                                  run->im, source->text)[where.lo + length] &
                              0xc0) == 0x80)
            length--;
    }
    char *t = arena_strndup(run->arena,
                            imp_text(run->im, source->text) + where.lo, length);
    for (char *p = t; *p; p++)
        if (*p == '\n' || *p == '\r' || *p == '\t')
            *p = ' ';
    return cut ? arena_printf(run->arena, "%s...", t) : t;
}

/* Where the formula is written whose series is the first, at the least order,
 * that is not finite. IMP_NOWHERE if this is not known. */
static imp_range
not_smooth(const struct rt *run, const imp_tape *tape, const double *work,
           int order)
{
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    const imp_range *origin = IMP_ARRAY(run->im, tape->origins, imp_range);
    for (int k = 1; work && k <= order; k++)
        for (uint32_t i = 0; i < tape->origins.n; i++) {
            size_t at = (size_t)code[i].row * IMP_ROW_STRIDE + IMP_ROW_PAD;
            if (code[i].row == IMP_NO_ROW || origin[i].file == 0 ||
                code[i].op == IMP_OP_STATE)
                continue;
            if (!isfinite(work[at + (size_t)k]))
                return origin[i];
        }
    return IMP_NOWHERE;
}

/* Terms of a series that are this large before one of them is not finite have
 * grown beyond all numbers: time is infinitely short for this motion. A formula
 * that is not smooth fails with terms of the size of the motion. */
#define GROWN 1e100

/* Is a term of these rows not finite? *most: the largest of those that are, up
 * to the least order of one that is not. */
static bool
is_broken(const imp_tape *tape, const imp_image *image, const double *work,
          int order, double *most)
{
    const imp_instr *code = IMP_ARRAY(image, tape->code, imp_instr);
    bool broken = false;
    *most = 0.0;
    for (int k = 0; work && k <= order && !broken; k++)
        for (uint32_t i = 0; i < tape->code.n; i++) {
            size_t at = (size_t)code[i].row * IMP_ROW_STRIDE + IMP_ROW_PAD;
            if (code[i].row == IMP_NO_ROW)
                continue;
            double term = fabs(work[at + (size_t)k]);
            broken |= !isfinite(term);
            *most = isfinite(term) ? fmax(*most, term) : *most;
        }
    return broken;
}

/* The divisor of such a quotient dies out so many times faster than that
 * changes. */
#define DIES_OUT 1e3

/* Does the series break where both sides of a quotient come to 0 together, as
 * in v/norm(v), which keeps its size, or are they 0 there? grown: its terms are
 * so large before. */
static bool
is_unit_at_rest(const imp_tape *tape, const imp_image *image,
                const double *work, bool grown)
{
    const imp_instr *code = IMP_ARRAY(image, tape->code, imp_instr);
    for (uint32_t i = 0; i < tape->code.n; i++) {
        if (code[i].op != IMP_OP_DIV || code[i].row == IMP_NO_ROW ||
            code[code[i].b].row == IMP_NO_ROW)
            continue;
        const double *quotient = work + (size_t)code[i].row * IMP_ROW_STRIDE +
                                 IMP_ROW_PAD,
                     *by = work + (size_t)code[code[i].b].row * IMP_ROW_STRIDE +
                           IMP_ROW_PAD;
        if (by[0] == 0.0 && isnan(quotient[0]) &&
            (code[code[i].b].op == IMP_OP_SQRT ||
             code[code[i].b].op == IMP_OP_HYPOT))
            return true;
        if (grown && quotient[0] != 0.0 &&
            fabs(by[1] * quotient[0]) > DIES_OUT * fabs(by[0] * quotient[1]))
            return true;
    }
    return false;
}

/* Why a series is not finite, as far as its terms before that say. */
static const char *
series_reason(const imp_tape *tape, const imp_image *image, const double *work,
              int order)
{
    double most;
    if (!is_broken(tape, image, work, order, &most))
        return "the motion meets a point where a formula is not smooth, such "
               "as a root of zero, or a mass matrix is singular, or it grows "
               "without bound; keep it away from there";
    if (is_unit_at_rest(tape, image, work, most > GROWN))
        return "a force has the direction of a velocity that comes to 0, as "
               "-F*v/norm(v), and no value at rest. It is held there where "
               "forces are sums of such terms, but not of observers, nor "
               "beside joints with friction; along one line write -F*sign(v); "
               "v/sqrt(norm(v)^2 + v0^2) is smooth";
    return most > GROWN
               ? "a force or a speed grows without bound, so that the motion "
                 "has an end in finite time; end the run before it (`until`), "
                 "or keep the motion away from there"
               : "the motion meets a point where a formula is not smooth, such "
                 "as a root of zero, or a mass matrix is singular; keep it "
                 "away from there";
}

/* Are all numbers given that the tape reads beside the environment? */
static bool
inputs_known(const imp_image *im, const imp_tape *tape, const double *local,
             const double *const *rows)
{
    const imp_instr *code = IMP_ARRAY(im, tape->code, imp_instr);
    bool known = local != NULL || tape->n_local == 0;
    for (uint32_t i = 0; i < tape->code.n; i++)
        known &= rows != NULL || code[i].op != IMP_OP_ROW;
    return known;
}

void
rt_nonfinite(struct rt *run, uint32_t tape, const double *local)
{
    rt_nonfinite_series(run, tape, local, NULL, NULL, 0);
}

/* The rows of every instruction, from the evaluator: machine code leaves out
 * those that nothing else needs, and where a series breaks must not depend on
 * who computed it. */
static const double *
all_rows(struct rt *run, const imp_tape *tape, const double *local,
         const double *const *rows, int order)
{
    double *work =
        NEW_N(run->arena, double, (size_t)tape->n_rows *IMP_ROW_STRIDE + 1);
    eval_series(run->im, tape, run->env, local, rows, work, order);
    return work;
}

double
rt_told_time(double time)
{
    return fabs(time) <= TIME_BEGUN ? 0.0 : time;
}

char *
rt_told(char text[NUM_TEXT], double time, int digits)
{
    assert(digits > 0);
    return num_digits(text, rt_told_time(time), digits);
}

void
rt_nonfinite_series(struct rt *run, uint32_t tape, const double *local,
                    const double *const *rows, const double *work, int order)
{
    assert(tape < run->im->tapes.n);
    const imp_tape *code_of = rt_tape(run, tape);
    imp_range where = IMP_NOWHERE;
    enum imp_op op = IMP_OP_CONST;
    double first = 0.0, second = 0.0;
    char now[NUM_TEXT];
    rt_told(now, rt_time(run), 6);
    if (inputs_known(run->im, code_of, local, rows) &&
        eval_trace(run->im, code_of, run->env, local, rows, &where, &op, &first,
                   &second) >= 0) {
        const char *text = source_text(run, where);
        /* nothing is divided in the text itself */
        bool derived = op == IMP_OP_DIV && *text && !strchr(text, '/');
        struct diag *diag =
            *text ? diag_add(run->ds, DIAG_E0601, where, "%s in `%s`%s",
                             reason(run, op, first, second), text,
                             derived ? " or in a derivative of it" : "")
                  : diag_add(run->ds, DIAG_E0601, where, "%s in `%s`",
                             reason(run, op, first, second),
                             imp_text(run->im, code_of->name));
        diag_label(run->ds, diag, "not finite at t = %s", now);
        diag_help(run->ds, diag, "%s",
                  derived
                      ? "lengths and roots have no derivative, and unit "
                        "vectors no direction, where they are 0: keep the "
                        "motion away from there, or write a formula that is "
                        "smooth there, such as x^2 + y^2 - r^2"
                      : "change the parameters or the formula so that it has a "
                        "finite value here; `if ... then ... else` may choose "
                        "another one");
        return;
    }
    /* the value is finite, but a coefficient of its time series is not */
    if (is_broken(code_of, run->im, work, order, &first) &&
        inputs_known(run->im, code_of, local, rows))
        work = all_rows(run, code_of, local, rows, order);
    where = not_smooth(run, code_of, work, order);
    for (uint32_t i = 0; i < code_of->origins.n && where.file == 0; i++)
        where = IMP_ARRAY(run->im, code_of->origins, imp_range)[i];
    struct diag *d =
        diag_add(run->ds, DIAG_E0602, where,
                 "a time derivative of `%s` is not finite at t = %s",
                 imp_text(run->im, code_of->name), now);
    diag_help(run->ds, d, "%s", series_reason(code_of, run->im, work, order));
}

struct rt_passing
rt_passing(const struct rt *run, const char *name)
{
    assert(run && name);
    const char *bar = strchr(name, '|');
    if (!bar)
        return (struct rt_passing){name, ""};
    return (struct rt_passing){
        "touch", arena_printf(run->ds->arena,
                              ", once the pair has that name: contact touch : "
                              "%.*s | %s { }",
                              (int)(bar - name), name, bar + 1)};
}
