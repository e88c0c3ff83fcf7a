/* SPDX-License-Identifier: MIT */
/* Blocks that are linear with constant coefficients: x' = A x + b.
 *
 * The tape of their equations tells whether they are so: each of its registers
 * is constant, linear in the variables, or neither. A and b are what the tape
 * gives for unit vectors. A step h, a power of two, is as long as |A| h <= 1
 * allows. Times shorter than h are the series of exp(A s), whose terms fall as
 * 1/k! at least; the steps before that are powers of exp(A h) by repeated
 * squaring, as sums of two numbers, since each squaring doubles the error of
 * the one before. So the variables are known to rounding at any time, and
 * depend on no other time at which they were asked for. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/compensated.h"
#include "runtime/linear/linear_priv.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/switching.h"

/* more variables are followed by their series */
#define LINEAR_MOST 16
/* squarings; h times this power of two is longer than any run */
#define LINEAR_SQUARINGS 50
/* Unit vectors are made so large that b is below the rounding of A, where A is
 * not 0. */
#define LINEAR_UNIT 0x1p200
/* most terms of exp(A s), |A s| <= 1, in double precision and in twice that */
#define LINEAR_TERMS 24
#define LINEAR_TERMS_TWICE 32
/* terms below this share of their sum are none in that */
#define LINEAR_LITTLE 0x1p-110
#define LINEAR_BALANCINGS 20
/* In this share of a step the first order of exp(A s) - 1 is all but 1e-3. */
#define LINEAR_SHORT 0x1p-10

/* A number as the sum of two. */
struct twice {
    double hi, lo;
};
struct linear_block {
    struct rt *run;
    uint32_t block, env;
    uint32_t p, n;  /* variables; with the constant 1 where b is not 0 */
    double *matrix; /* n x n */
    /* its entries that are not 0, row by row */
    struct entry {
        uint32_t row, column;
        double value;
    } * entry;
    uint32_t entries;
    double h;  /* the step */
    int known; /* powers: exp(A h)^(2^k), n x n each */
    struct twice *power[LINEAR_SQUARINGS];
    double *term, *next, *sum; /* n */
    struct twice *state, *moved, *column, *next_column;
};

/* -- are they linear? ------------------------------------------------------ */

enum degree { CONSTANT, LINEAR, OTHER };

static enum degree
larger(enum degree a, enum degree b)
{
    return a > b ? a : b;
}

static enum degree
product(enum degree a, enum degree b)
{
    return a == CONSTANT ? b : b == CONSTANT ? a : OTHER;
}

/* The degree of a sum of products. */
static enum degree
dot_degree(const uint32_t *triple, uint32_t n, const unsigned char *degree)
{
    enum degree most = CONSTANT;
    for (uint32_t i = 0; i < n; i++, triple += 3)
        most = larger(most, product((enum degree)degree[triple[1]],
                                    (enum degree)degree[triple[2]]));
    return most;
}

/* What other operators make of their operands. */
static enum degree
other_degree(const imp_instr *instr, const unsigned char *degree)
{
    static const unsigned char arity[] = {
#define OP(name, word, arity, dim, series, guard, eval, deriv) arity,
#include "abi/ops.def"
    };
    const uint32_t operand[] = {instr->a, instr->b, instr->c};
    for (int i = 0; i < arity[instr->op]; i++)
        if (degree[operand[i]] != CONSTANT)
            return OTHER;
    return arity[instr->op] > 0 ? CONSTANT : OTHER;
}

static enum degree
degree_of(const struct rt *run, const imp_tape *tape, const imp_instr *instr,
          const unsigned char *degree)
{
    uint32_t params = run->im->layout.params;
    switch (instr->op) {
    case IMP_OP_CONST:
        return CONSTANT;
    case IMP_OP_ENV:
        return instr->a >= params && instr->a - params < run->im->params.n
                   ? CONSTANT
                   : OTHER;
    case IMP_OP_STATE:
        return LINEAR;
    case IMP_OP_NEG:
        return (enum degree)degree[instr->a];
    case IMP_OP_ADD:
    case IMP_OP_SUB:
        return larger((enum degree)degree[instr->a],
                      (enum degree)degree[instr->b]);
    case IMP_OP_MUL:
        return product((enum degree)degree[instr->a],
                       (enum degree)degree[instr->b]);
    case IMP_OP_DIV:
        return degree[instr->b] == CONSTANT ? (enum degree)degree[instr->a]
                                            : OTHER;
    case IMP_OP_DOT:
        return dot_degree(IMP_ARRAY(run->im, tape->pool, uint32_t) + instr->a,
                          instr->b, degree);
    default:
        return other_degree(instr, degree);
    }
}

/* Are the rates of all variables linear in them, and of nothing else? */
static bool
is_linear(struct rt *run, const imp_tape *tape)
{
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    unsigned char *degree =
        NEW_N(run->brief, unsigned char, (size_t)tape->code.n + 1);
    for (uint32_t i = 0; i < tape->code.n; i++)
        degree[i] = (unsigned char)degree_of(run, tape, code + i, degree);
    for (uint32_t i = 0; i < tape->code.n; i++)
        if (code[i].op == IMP_OP_STATE && degree[code[i].b] == OTHER)
            return false;
    return true;
}

/* -- their matrix ---------------------------------------------------------- */

/* Writes the rates at these variables. */
static bool
rates_at(const struct linear_block *linear, const double *x, double *rate)
{
    struct rt *run = linear->run;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + linear->block;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    memcpy(run->env + linear->env, x, linear->p * sizeof *x);
    if (motion_rows(run, linear->block, 1) != IMP_OK)
        return false;
    for (uint32_t i = 0; i < linear->p; i++) {
        rate[i] =
            run->rows.block[linear->block]
                           [(size_t)row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD + 1];
        if (!isfinite(rate[i]))
            return false;
    }
    return true;
}

static bool
read_matrix(struct linear_block *linear)
{
    uint32_t p = linear->p;
    double *unit = linear->term, *rate = linear->next, *b = linear->sum;
    memset(unit, 0, p * sizeof *unit);
    if (!rates_at(linear, unit, b))
        return false;
    linear->n = p;
    for (uint32_t i = 0; i < p; i++)
        linear->n = b[i] != 0.0 ? p + 1 : linear->n;
    for (uint32_t i = 0; i < p && linear->n > p; i++)
        linear->matrix[(size_t)i * linear->n + p] = b[i];
    for (uint32_t j = 0; j < p; j++) {
        unit[j] = LINEAR_UNIT;
        if (!rates_at(linear, unit, rate))
            return false;
        unit[j] = 0.0;
        for (uint32_t i = 0; i < p; i++)
            linear->matrix[(size_t)i * linear->n + j] =
                (rate[i] - b[i]) / LINEAR_UNIT;
    }
    return true;
}

static void
list_entries(struct linear_block *linear)
{
    uint32_t n = linear->n;
    linear->entry =
        NEW_N(linear->run->arena, struct entry, (size_t)linear->p * n);
    for (uint32_t i = 0; i < linear->p; i++)
        for (uint32_t j = 0; j < n; j++) {
            double value = linear->matrix[(size_t)i * n + j];
            if (value != 0.0)
                linear->entry[linear->entries++] = (struct entry){i, j, value};
        }
}

void
linear_balance(double *matrix, uint32_t p, int *exponent)
{
    assert(matrix || p == 0);
    bool changed = true;
    for (int round = 0; round < LINEAR_BALANCINGS && changed; round++) {
        changed = false;
        for (uint32_t i = 0; i < p; i++) {
            double column = 0.0, row = 0.0;
            for (uint32_t j = 0; j < p; j++)
                if (j != i) {
                    column += fabs(matrix[(size_t)j * p + i]);
                    row += fabs(matrix[(size_t)i * p + j]);
                }
            if (!(column > 0.0 && row > 0.0))
                continue;
            int unit = (ilogb(row) - ilogb(column)) / 2;
            changed |= unit != 0;
            if (exponent)
                exponent[i] += unit;
            for (uint32_t j = 0; j < p && unit; j++)
                if (j != i) {
                    matrix[(size_t)j * p + i] =
                        ldexp(matrix[(size_t)j * p + i], unit);
                    matrix[(size_t)i * p + j] =
                        ldexp(matrix[(size_t)i * p + j], -unit);
                }
        }
    }
}

/* The longest power of two with |A| h <= 1, whatever the units. */
static double
step_of(const struct linear_block *linear, double *room)
{
    uint32_t p = linear->p;
    double norm = 0.0;
    for (uint32_t i = 0; i < p; i++)
        memcpy(room + (size_t)i * p, linear->matrix + (size_t)i * linear->n,
               p * sizeof *room);
    linear_balance(room, p, NULL);
    for (uint32_t i = 0; i < p; i++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < p; j++)
            sum += fabs(room[(size_t)i * p + j]);
        norm = fmax(norm, sum);
    }
    return norm > 0.0 ? ldexp(0.5, -ilogb(norm)) : INFINITY;
}

struct linear_block *
linear_block_new(struct rt *run, uint32_t block, uint32_t env, uint32_t p)
{
    assert(run && block < run->im->blocks.n);
    size_t n = (size_t)p + 1;
    uint32_t tape =
        IMP_ARRAY(run->im, run->im->blocks, imp_block)[block].motion;
    if (p > LINEAR_MOST || tape == IMP_NO_TAPE ||
        switching_count(run, block) > 0 || !is_linear(run, rt_tape(run, tape)))
        return NULL;
    struct linear_block *linear = NEW(run->arena, struct linear_block);
    double *variables = run->env + env,
           *kept = NEW_N(run->brief, double, n + n * n);
    linear->run = run;
    linear->block = block;
    linear->env = env;
    linear->p = p;
    linear->matrix = NEW_N(run->arena, double, n *n);
    linear->term = NEW_N(run->arena, double, 3 * n);
    linear->next = linear->term + n;
    linear->sum = linear->next + n;
    linear->state = NEW_N(run->arena, struct twice, 4 * n);
    linear->moved = linear->state + n;
    linear->column = linear->moved + n;
    linear->next_column = linear->column + n;
    memcpy(kept, variables, p * sizeof *kept);
    bool read = read_matrix(linear);
    memcpy(variables, kept, p * sizeof *kept);
    if (!read)
        return NULL;
    list_entries(linear);
    linear->h = step_of(linear, kept + n);
    return linear;
}

const double *
linear_block_matrix(const struct linear_block *linear, struct arena **arena,
                    uint32_t *p, uint32_t *ld)
{
    assert(linear && arena && p && ld);
    *arena = linear->run->arena;
    *p = linear->p;
    *ld = linear->n;
    return linear->n > linear->p ? NULL : linear->matrix;
}

/* -- sums of two numbers --------------------------------------------------- */

/* a + b without loss (Knuth). */
static inline struct twice
sum_of(double a, double b)
{
    double s = a + b, back = s - a;
    return (struct twice){s, (a - (s - back)) + (b - back)};
}

/* a b without loss (Dekker 1971). */
static inline struct twice
product_of(double a, double b)
{
    double c = 134217729.0 * a, d = 134217729.0 * b, p = a * b;
    double a_hi = c - (c - a), b_hi = d - (d - b), a_lo = a - a_hi,
           b_lo = b - b_hi;
    return (struct twice){p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) +
                                 a_lo * b_lo};
}

/* Returns sum + a b. */
static inline struct twice
add_product(struct twice sum, struct twice a, struct twice b)
{
    struct twice p = product_of(a.hi, b.hi), s = sum_of(sum.hi, p.hi);
    double low = s.lo + (sum.lo + p.lo + (a.hi * b.lo + a.lo * b.hi));
    struct twice result = {s.hi + low, 0.0};
    result.lo = low - (result.hi - s.hi);
    return result;
}

static inline struct twice
divided(struct twice a, double by)
{
    double hi = a.hi / by;
    struct twice back = product_of(hi, by);
    return sum_of(hi, ((a.hi - back.hi) - back.lo + a.lo) / by);
}

/* -- moving ---------------------------------------------------------------- */

/* Writes the matrix a b. */
static void
multiply(uint32_t n, const struct twice *a, const struct twice *b,
         struct twice *out)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            struct twice sum = {0.0, 0.0};
            for (uint32_t k = 0; k < n; k++)
                sum = add_product(sum, a[(size_t)i * n + k],
                                  b[(size_t)k * n + j]);
            out[(size_t)i * n + j] = sum;
        }
}

/* Column j of exp(A h). */
static void
exponential_of(struct linear_block *linear, uint32_t j, struct twice *power)
{
    uint32_t n = linear->n;
    struct twice *term = linear->column, *next = linear->next_column;
    for (uint32_t i = 0; i < n; i++) {
        term[i] = (struct twice){i == j, 0.0};
        power[(size_t)i * n + j] = term[i];
    }
    bool goes_on = true;
    for (int order = 1; order <= LINEAR_TERMS_TWICE && goes_on; order++) {
        memset(next, 0, n * sizeof *next);
        for (uint32_t k = 0; k < linear->entries; k++) {
            const struct entry *entry = linear->entry + k;
            next[entry->row] = add_product(
                next[entry->row], (struct twice){entry->value * linear->h, 0.0},
                term[entry->column]);
        }
        goes_on = (uint32_t)order < n;
        for (uint32_t i = 0; i < n; i++) {
            struct twice *sum = power + (size_t)i * n + j;
            term[i] = divided(next[i], order);
            *sum = add_product(*sum, term[i], (struct twice){1.0, 0.0});
            goes_on |= fabs(term[i].hi) > LINEAR_LITTLE * fabs(sum->hi);
        }
    }
}

/* exp(A h)^(2^k), which is made when it is first asked for. */
static const struct twice *
power_of(struct linear_block *linear, int k)
{
    uint32_t n = linear->n;
    for (; linear->known <= k; linear->known++) {
        struct twice *power = linear->power[linear->known] =
            NEW_N(linear->run->arena, struct twice, (size_t)n * n);
        const struct twice *last =
            linear->known ? linear->power[linear->known - 1] : NULL;
        if (last)
            multiply(n, last, last, power);
        for (uint32_t j = 0; j < n && !last; j++)
            exponential_of(linear, j, power);
    }
    return linear->power[k];
}

/* Takes linear->state so many steps on. */
static void
whole_steps(struct linear_block *linear, double steps)
{
    uint32_t n = linear->n;
    unsigned long long left = (unsigned long long)steps;
    for (int k = 0; left > 0; k++, left >>= 1) {
        if (!(left & 1))
            continue;
        const struct twice *power = power_of(linear, k);
        struct twice *before = linear->state;
        for (uint32_t i = 0; i < n; i++) {
            struct twice sum = {0.0, 0.0};
            for (uint32_t j = 0; j < n; j++)
                if (power[(size_t)i * n + j].hi != 0.0)
                    sum = add_product(sum, power[(size_t)i * n + j], before[j]);
            linear->moved[i] = sum;
        }
        linear->state = linear->moved;
        linear->moved = before;
    }
}

/* Does what last_part says for n numbers, at most LINEAR_FEW: so few stay in
 * registers, and entries that are 0 cost less than a list of the others. */
#define LINEAR_FEW 3
static inline __attribute__((always_inline)) void
last_part_of(struct linear_block *linear, const int n, double time)
{
    double term[LINEAR_FEW], next[LINEAR_FEW], sum[LINEAR_FEW],
        A[LINEAR_FEW][LINEAR_FEW];
    bool goes_on = linear->entries > 0;
    for (int i = 0; i < n; i++) {
        term[i] = linear->state[i].hi;
        sum[i] = 0.0;
        for (int j = 0; j < n; j++)
            A[i][j] = i < (int)linear->p ? linear->matrix[i * n + j] : 0.0;
    }
    for (int order = 1; order <= LINEAR_TERMS && goes_on; order++) {
        double step = time / order;
        goes_on = order < n;
        for (int i = 0; i < n; i++) {
            next[i] = 0.0;
            for (int j = 0; j < n; j++)
                next[i] += A[i][j] * term[j];
        }
        for (int i = 0; i < n; i++) {
            double last = sum[i];
            term[i] = next[i] * step;
            sum[i] += term[i];
            goes_on |= sum[i] != last;
        }
    }
    for (int i = 0; i < n; i++)
        linear->sum[i] = sum[i];
}

/* What a time shorter than a step adds to linear->state, into linear->sum. */
static void
last_part(struct linear_block *linear, double time)
{
    if (linear->n == 2) {
        last_part_of(linear, 2, time);
        return;
    }
    if (linear->n == 3) {
        last_part_of(linear, 3, time);
        return;
    }
    uint32_t n = linear->n;
    double *term = linear->term, *next = linear->next, *sum = linear->sum;
    bool goes_on = linear->entries > 0;
    for (uint32_t i = 0; i < n; i++) {
        term[i] = linear->state[i].hi;
        sum[i] = next[i] = 0.0;
    }
    for (int order = 1; order <= LINEAR_TERMS && goes_on; order++) {
        const struct entry *entry = linear->entry;
        double step = time / order;
        goes_on = (uint32_t)order < n;
        for (uint32_t k = 0; k < linear->entries; k++, entry++)
            next[entry->row] += entry->value * term[entry->column];
        for (uint32_t i = 0; i < n; i++) {
            double last = sum[i];
            term[i] = next[i] * step;
            next[i] = 0.0;
            sum[i] += term[i];
            goes_on |= sum[i] != last;
        }
    }
}

bool
linear_block_move(struct linear_block *linear, double time, double *x,
                  double *lo)
{
    assert(linear && x && lo && time >= 0.0);
    uint32_t p = linear->p;
    double steps = time >= linear->h ? floor(time / linear->h) : 0.0;
    if (!(steps < ldexp(1.0, LINEAR_SQUARINGS)))
        return false;
    for (uint32_t i = 0; i < p; i++)
        linear->state[i] = (struct twice){x[i], lo[i]};
    if (linear->n > p)
        linear->state[p] = (struct twice){1.0, 0.0};
    whole_steps(linear, steps);
    last_part(linear, steps > 0.0 ? time - steps * linear->h : time);
    for (uint32_t i = 0; i < p; i++)
        if (!isfinite(linear->state[i].hi + linear->sum[i]) ||
            !isfinite(linear->state[i].lo))
            return false;
    for (uint32_t i = 0; i < p; i++) {
        x[i] = linear->state[i].hi;
        lo[i] = linear->state[i].lo;
        state_add(&x[i], &lo[i], linear->sum[i]);
    }
    return true;
}

double
linear_block_later(const struct linear_block *linear, const double *sum,
                   double *off)
{
    assert(linear && sum && off);
    memset(off, 0, linear->p * sizeof *off);
    for (uint32_t k = 0; k < linear->entries; k++) {
        const struct entry *entry = linear->entry + k;
        if (entry->column < linear->p)
            off[entry->row] += fabs(entry->value) * sum[entry->column];
    }
    return LINEAR_SHORT * linear->h;
}
