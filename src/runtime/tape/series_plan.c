/* SPDX-License-Identifier: MIT */
/* What a sweep over the instructions of a series tape does (series_plan.h). */
#include "runtime/tape/series_plan.h"

#include <assert.h>

static const bool rule_steps[] = {
#define RULE_LEAF false
#define RULE_LINEAR false
#define RULE_CONV false
#define RULE_DIV false
#define RULE_CHAIN false
#define RULE_HELPER false
#define RULE_PICK true
#define RULE_STEP true
#define OP(name, word, arity, dim, series, guard, eval, deriv) RULE_##series,
#include "abi/ops.def"
};

/* Returns the sum over the pairs of +- a_i b_j, the first with its sign. */
static double
one_lane(const double *work, const struct dot_pair *of, uint32_t n, int i,
         int j)
{
    double sum = (work + of->x)[i] * (work + of->y)[j];
    if (of->minus)
        sum = -sum;
    for (uint32_t m = 1; m < n; m++) {
        double term = (work + of[m].x)[i] * (work + of[m].y)[j];
        sum = of[m].minus ? sum - term : sum + term;
    }
    return sum;
}

/* Returns the inner terms of coefficient k of a sum of +- products. */
static double
inner_lanes(const double *work, const struct dot_pair *of, uint32_t n, int k)
{
    struct lanes lane = {{0, 0}, {0, 0}};
    for (int j = 1; j < k; j += 4) {
        struct lanes sum = four_terms(work + of->x, work + of->y, j, k);
        if (of->minus) {
            sum.lo = -sum.lo;
            sum.hi = -sum.hi;
        }
        for (uint32_t m = 1; m < n; m++) {
            struct lanes sums =
                four_terms(work + of[m].x, work + of[m].y, j, k);
            if (of[m].minus) {
                sum.lo -= sums.lo;
                sum.hi -= sums.hi;
            } else {
                sum.lo += sums.lo;
                sum.hi += sums.hi;
            }
        }
        lane.lo += sum.lo;
        lane.hi += sum.hi;
    }
    return lanes_sum(lane);
}

double
dot_coefficient(const double *work, const struct dot_pair *of, uint32_t n,
                int k)
{
    double inner = 0.0, empty = 0.0, ends = 0.0;
    if (k >= ORDER_LANES) {
        inner = inner_lanes(work, of, n, k);
    } else if (k > 1) {
        inner = 0.0 + one_lane(work, of, n, 1, k - 1);
        if (k == 4)
            inner += 0.0 + one_lane(work, of, n, 3, 1);
        if (k > 2)
            inner += 0.0 + one_lane(work, of, n, 2, k - 2);
    }
    for (uint32_t m = 0; m < n; m++) {
        const double *x = work + of[m].x, *y = work + of[m].y;
        double e = x[0] * y[k] + x[k] * y[0];
        empty += 0.0 * y[0];
        ends = m == 0        ? (of[m].minus ? -e : e)
               : of[m].minus ? ends - e
                             : ends + e;
    }
    return (k < ORDER_LANES ? inner + empty : inner) + ends;
}

static uint32_t
row_at(uint32_t row)
{
    return row * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

static uint32_t
row_of(const imp_instr *code, uint32_t number)
{
    assert(code[number].row != IMP_NO_ROW);
    return row_at(code[number].row);
}

static bool
varies(const imp_instr *in)
{
    return !(in->flags & (IMP_INSTR_CONST | IMP_INSTR_ORDER0));
}

size_t
series_plan_room(const imp_tape *tape)
{
    assert(tape != NULL);
    size_t n = tape->code.n,
           bytes = n * (sizeof(struct series_step) + 4 * sizeof(uint32_t)) +
                   tape->pool.n / 3 * sizeof(struct dot_pair);
    return bytes / sizeof(double) + 1;
}

/* Takes the operands of an instruction that varies. */
static void
resolve(const imp_instr *code, const uint32_t *pool, struct series_plan *plan,
        uint32_t *pairs, struct series_step *step)
{
    const imp_instr *in = &code[step->number];
    bool first, second;
    step->kind = STEP_OTHER;
    step->a = in->a;
    step->b = in->b;
    step->x = step->y = 0;
    step->row = row_of(code, step->number);
    switch ((enum imp_op)in->op) {
    case IMP_OP_ROW:
        step->kind = STEP_ROW;
        step->x = row_at(in->b);
        break;
    case IMP_OP_TIME:
        step->kind = STEP_TIME;
        break;
    case IMP_OP_STATE:
        step->kind = STEP_STATE;
        step->x = row_of(code, in->b);
        break;
    case IMP_OP_ADD:
        step->kind = STEP_ADD;
        break;
    case IMP_OP_SUB:
        step->kind = STEP_SUB;
        break;
    case IMP_OP_NEG:
        step->kind = STEP_NEG;
        break;
    case IMP_OP_MUL:
        first = code[in->a].flags & IMP_INSTR_CONST;
        second = code[in->b].flags & IMP_INSTR_CONST;
        if (first || second) {
            step->kind = STEP_SCALE;
            step->a = first ? in->a : in->b;
            step->b = first ? in->b : in->a;
            break;
        }
        step->kind = STEP_MUL;
        step->x = row_of(code, in->a);
        step->y = row_of(code, in->b);
        break;
    case IMP_OP_DOT:
        step->kind = STEP_DOT;
        step->a = *pairs;
        for (uint32_t m = 0; m < in->b; m++) {
            const uint32_t *entry = pool + in->a + 3 * m;
            plan->pair[(*pairs)++] = (struct dot_pair){
                row_of(code, entry[1]), row_of(code, entry[2]), entry[0]};
        }
        break;
    default:
        plan->plain = false;
        break;
    }
}

void
series_plan_make(const imp_image *im, const imp_tape *tape,
                 struct series_plan *plan, double *room)
{
    assert(im != NULL && tape != NULL && plan != NULL && room != NULL);
    const imp_instr *code = IMP_ARRAY(im, tape->code, imp_instr);
    const uint32_t *pool = IMP_ARRAY(im, tape->pool, uint32_t);
    uint32_t n = tape->code.n, pairs = 0;
    struct series_step *step = (void *)room;
    struct dot_pair *pair_room = (void *)(step + n);
    uint32_t *numbers = (void *)(pair_room + tape->pool.n / 3);
    *plan = (struct series_plan){.step = step,
                                 .pair = pair_room,
                                 .block = numbers,
                                 .fixed = numbers + n,
                                 .row = (void *)(numbers + 2 * n),
                                 .plain = tape->unknowns.n == 0};
    for (uint32_t i = 0; i < n; i++) {
        const imp_instr *in = &code[i];
        if (in->row != IMP_NO_ROW) {
            plan->row[plan->n_row][0] = i;
            plan->row[plan->n_row++][1] = row_at(in->row);
        }
        if (!varies(in)) {
            /* constant may be what is chosen by something that varies */
            plan->plain &=
                !(in->flags & IMP_INSTR_ORDER0) && !rule_steps[in->op];
            plan->fixed[plan->n_fixed++] = i;
            continue;
        }
        step[plan->n].number = i;
        resolve(code, pool, plan, &pairs, &step[plan->n++]);
        if ((in->flags & IMP_INSTR_IMPLICIT) && in->op != IMP_OP_UNKNOWN)
            plan->block[plan->n_block++] = i;
    }
}
