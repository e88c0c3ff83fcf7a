/* SPDX-License-Identifier: MIT */
/* A run: memory of one compiled model in motion, and the one door to its
 * tapes (generated code if there is any, else the evaluator).
 *
 * Invariants: r->work[b] and r->event_work[c] are zeroed once and only ever
 * written by series functions (IMP_ROW_PAD entries before coefficient 0 stay
 * zero). r->state0 holds the state at time 0 after set-up. No value that is
 * not finite goes on from here without a status (I5). */
#include "runtime/instance/run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/tape/eval.h"

void
rt_brief_end(struct rt *r)
{
    arena_clear(r->brief);
}

struct rt_kept {
    struct rt_kept *next;
    const void *key;
    uint32_t number;
    struct arena *arena;
    void *p;
};

/* apart: what is asked for in every run is there but once */
__attribute__((noinline)) static void *
keep_more(struct rt *r, const void *key, uint32_t number, size_t size,
          struct arena **arena)
{
    struct rt_kept *k = NEW(r->own, struct rt_kept);
    *k = (struct rt_kept){r->kept, key, number, NULL, NULL};
    k->p = arena_alloc(r->own, size);
    *arena = k->arena = arena_new();
    r->kept = k;
    return k->p;
}

void *
rt_keep(struct rt *r, const void *key, uint32_t number, size_t size,
        struct arena **arena)
{
    for (struct rt_kept *k = r->kept; k; k = k->next)
        if (k->key == key && k->number == number) {
            *arena = k->arena;
            return k->p;
        }
    return keep_more(r, key, number, size, arena);
}

void
rt_free(struct rt *r)
{
    if (r == NULL)
        return;
    for (struct rt_kept *k = r->kept; k; k = k->next)
        arena_free(k->arena);
    arena_free(r->arena);
    arena_free(r->brief);
    arena_free(r->own); /* r lies in it */
}

/* Work of the evaluator: one unit for an instruction at order 0, and so many
 * for one at each higher order (measured: about 3 ns and 10 ns). */
#define WORK_SERIES 3.0

static void
work_hard(struct rt *r, double units)
{
    struct rt_tier *t = r->tier;
    t->spent += units;
    while (r->code == NULL && t->spent >= t->limit) {
        double was = t->limit;
        r->code = t->more(t);
        if (r->code == NULL && !(t->limit > was))
            t->limit = INFINITY;
    }
}

int
rt_eval(struct rt *r, uint32_t tape, const double *local, double *out)
{
    if (r->code == NULL && r->tier != NULL)
        work_hard(r, rt_tape(r, tape)->code.n);
    if (r->code != NULL)
        return r->code->eval[tape](r->env, local, out);
    return eval_tape(r->im, rt_tape(r, tape), r->env, local, out);
}

int
rt_series(struct rt *r, uint32_t tape, const double *local,
          const double *const *rows, double *work, int order)
{
    if (r->code == NULL && r->tier != NULL)
        work_hard(r, rt_tape(r, tape)->code.n * (1 + WORK_SERIES * order));
    if (r->code != NULL)
        return r->code->series[tape](r->env, local, rows, work, order);
    return eval_series(r->im, rt_tape(r, tape), r->env, local, rows, work,
                       order);
}

/* why an operator gave no finite number; numbers in s, t */
static const char *
reason(struct rt *r, enum imp_op op, double a, double b)
{
    char s[NUM_TEXT], t[NUM_TEXT];
    num_digits(s, a, 6);
    num_digits(t, b, 6);
    switch (op) {
    case IMP_OP_DIV:
        if (b == 0.0)
            return a == 0.0 ? "zero divided by zero" : "division by zero";
        return arena_printf(r->arena, "%s / %s is too large", s, t);
    case IMP_OP_SQRT:
        return arena_printf(r->arena, "square root of %s, which is negative",
                            s);
    case IMP_OP_LOG:
    case IMP_OP_LOG2:
    case IMP_OP_LOG10:
        return arena_printf(r->arena, "logarithm of %s, which is not positive",
                            s);
    case IMP_OP_LOG1P:
        return arena_printf(r->arena,
                            "logarithm of 1 + (%s), which is not "
                            "positive",
                            s);
    case IMP_OP_POW:
        if (a < 0.0 && b != floor(b))
            return arena_printf(r->arena,
                                "%s is negative and has no real "
                                "power %s",
                                s, t);
        /* fall through */
    case IMP_OP_ABSPOW:
    case IMP_OP_SGNPOW:
        if (a == 0.0 && b < 0.0)
            return arena_printf(r->arena, "zero to the negative power %s", t);
        return arena_printf(r->arena, "%s to the power %s is too large", s, t);
    case IMP_OP_ASIN:
    case IMP_OP_ACOS:
        return arena_printf(r->arena,
                            "arc function of %s, which is not "
                            "between -1 and 1",
                            s);
    case IMP_OP_ATANH:
        return arena_printf(r->arena,
                            "atanh of %s, which is not between -1 "
                            "and 1",
                            s);
    case IMP_OP_ACOSH:
        return arena_printf(r->arena, "acosh of %s, which is below 1", s);
    case IMP_OP_GAMMA:
    case IMP_OP_LGAMMA:
        return arena_printf(r->arena,
                            "gamma function of %s: a pole, or too "
                            "large",
                            s);
    case IMP_OP_MOD:
        return "remainder of a division by zero";
    case IMP_OP_EXP:
    case IMP_OP_EXP2:
    case IMP_OP_EXPM1:
    case IMP_OP_SINH:
    case IMP_OP_COSH:
        return arena_printf(r->arena, "the exponential of %s is too large", s);
    case IMP_OP_ADD:
    case IMP_OP_SUB:
    case IMP_OP_MUL:
    case IMP_OP_DOT:
        return arena_printf(r->arena, "the result of %s and %s is too large", s,
                            t);
    case IMP_OP_ENV:
    case IMP_OP_LOCAL:
        return "a value that is not a finite number goes in";
    default:
        return arena_printf(r->arena, "no finite value at %s", s);
    }
}

/* the user's text of a range, shortened, one line; "" if there is none */
static const char *
source_text(struct rt *r, imp_range where)
{
    if (where.file == 0 || where.file > r->im->sources.n)
        return "";
    const imp_source *s =
        IMP_ARRAY(r->im, r->im->sources, imp_source) + (where.file - 1);
    if (where.lo >= where.hi || where.hi > s->text.n)
        return "";
    size_t n = where.hi - where.lo;
    bool cut = n > 60;
    if (cut) {
        n = 57;
        /* never inside a UTF-8 character */
        while (n > 0 && ((unsigned char)imp_text(r->im, s->text)[where.lo + n] &
                         0xc0) == 0x80)
            n--;
    }
    char *t = arena_strndup(r->arena, imp_text(r->im, s->text) + where.lo, n);
    for (char *p = t; *p; p++)
        if (*p == '\n' || *p == '\r' || *p == '\t')
            *p = ' ';
    return cut ? arena_printf(r->arena, "%s...", t) : t;
}

/* where the formula is written whose series is the first that is not finite, at
 * the least order; IMP_NOWHERE: it is not known */
static imp_range
not_smooth(const struct rt *r, const imp_tape *t, const double *work, int order)
{
    const imp_instr *code = IMP_ARRAY(r->im, t->code, imp_instr);
    const imp_range *origin = IMP_ARRAY(r->im, t->origins, imp_range);
    for (int k = 1; work && k <= order; k++)
        for (uint32_t i = 0; i < t->origins.n; i++) {
            size_t at = (size_t)code[i].row * IMP_ROW_STRIDE + IMP_ROW_PAD;
            if (code[i].row == IMP_NO_ROW || origin[i].file == 0 ||
                code[i].op == IMP_OP_STATE)
                continue;
            if (!isfinite(work[at + (size_t)k]))
                return origin[i];
        }
    return IMP_NOWHERE;
}

void
rt_nonfinite(struct rt *r, uint32_t tape, const double *local)
{
    rt_nonfinite_series(r, tape, local, NULL, 0);
}

void
rt_nonfinite_series(struct rt *r, uint32_t tape, const double *local,
                    const double *work, int order)
{
    const imp_tape *t = rt_tape(r, tape);
    imp_range where = IMP_NOWHERE;
    enum imp_op op = IMP_OP_CONST;
    double a = 0.0, b = 0.0;
    char now[NUM_TEXT];
    num_digits(now, rt_time(r), 6);
    if (eval_trace(r->im, t, r->env, local, &where, &op, &a, &b) >= 0) {
        const char *text = source_text(r, where);
        struct diag *d =
            *text ? diag_add(r->ds, DIAG_E0601, where, "%s in `%s`",
                             reason(r, op, a, b), text)
                  : diag_add(r->ds, DIAG_E0601, where, "%s in `%s`",
                             reason(r, op, a, b), imp_text(r->im, t->name));
        diag_label(r->ds, d, "not finite at t = %s", now);
        diag_help(r->ds, d,
                  "change the parameters or the formula so that it has a "
                  "finite value here; `if ... then ... else` may choose "
                  "another one");
        return;
    }
    /* the value is finite, a coefficient of its time series is not */
    where = not_smooth(r, t, work, order);
    for (uint32_t i = 0; i < t->origins.n && where.file == 0; i++)
        where = IMP_ARRAY(r->im, t->origins, imp_range)[i];
    struct diag *d =
        diag_add(r->ds, DIAG_E0602, where,
                 "a time derivative of `%s` is not finite at t = %s",
                 imp_text(r->im, t->name), now);
    diag_help(r->ds, d,
              "the motion meets a point where a formula is not smooth, such "
              "as a root of zero, or a mass matrix is singular, or it grows "
              "without bound; keep it away from there");
}
