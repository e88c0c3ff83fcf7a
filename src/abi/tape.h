/* SPDX-License-Identifier: MIT */
/* Tapes are the serialised graph: the evaluator interprets them, codegen/
 * lowers the same tapes to machine code. Here is what a tape is made of, and
 * the functions that machine code has for it. */
#ifndef IMP_ABI_TAPE_H
#define IMP_ABI_TAPE_H

#include <stdint.h>

#include "abi/range.h"

typedef struct imp_ref { /* n items at byte offset off */
    uint32_t off, n;
} imp_ref;
typedef struct imp_str { /* NUL-terminated UTF-8, n bytes without the NUL */
    uint32_t off, n;
} imp_str;

enum imp_op {
#define OP(name, word, arity, dim, series, guard, eval, deriv) IMP_OP_##name,
#include "abi/ops.def"
    IMP_OP_COUNT
};

/* Series rows. A row holds coefficient k at row[IMP_ROW_PAD + k]; entries
 * before coefficient 0 are zero always, and the three entries after the last
 * coefficient of an output are zero, so that sums may run in blocks of four.
 * Rows of registers that are no outputs belong to the series function: the
 * evaluator fills them, generated code only those it needs. */
#define IMP_ORDER_MAX 24
#define IMP_ROW_PAD 4
#define IMP_ROW_STRIDE 32

/* One instruction defines one register, in SSA form. Operand registers have
 * lower numbers, except where it is said below.
 *   CONST   a: index in consts          ENV  a: index in env
 *   LOCAL   a: index in local           TIME a: index of t in env (slope 1)
 *   ROW     a: source (0, 1, ..), b: row in that source   (series tapes)
 *   STATE   a: index in env (order 0), b: register of the derivative (forward
 *           reference allowed): c_k = b_{k-1}/k           (series tapes)
 *   UNKNOWN a: index in local (order 0); order k from the implicit block
 *   DOT     a: first entry in pool, b: number of triples (sign 0/1, reg, reg)
 *   CHAIN ops (exp, sin ...) in series tapes: c = register w with y' = w u'
 *           (forward reference allowed: only lower orders of w are read)
 *   PLACE, ENTRY  b: the ENV of the table's first number, c: how many it has
 * others: a, b, c operands. */
typedef struct imp_instr {
    uint16_t op;    /* enum imp_op */
    uint16_t flags; /* IMP_INSTR_* */
    uint32_t a, b, c;
    uint32_t row; /* series tapes: row in work, IMP_NO_ROW if it needs none */
} imp_instr;
#define IMP_INSTR_CONST 1u    /* does not change in time: orders >= 1 vanish */
#define IMP_INSTR_IMPLICIT 2u /* depends on an UNKNOWN: in the block */
#define IMP_INSTR_ORDER0 4u   /* wanted at order 0 only (Jacobian entries) */
#define IMP_NO_ROW 0xffffffffu

/* most unknowns of a symmetric block (conditions of joints, spins) */
#define IMP_UNKNOWN_MAX 512

/* the Jacobian of an implicit block, and who factors it */
enum imp_jacobian {
    IMP_JACOBIAN_GENERAL,      /* imp_lu_factor */
    IMP_JACOBIAN_SEMIDEFINITE, /* imp_ldlt_factor */
    IMP_JACOBIAN_SADDLE,       /* imp_saddle_factor */
    IMP_JACOBIAN_RANK          /* imp_rank_factor */
};

typedef struct imp_tape {
    imp_str name;    /* for :ir, --emit and error messages */
    uint32_t series; /* 1: also has a series function */
    uint32_t n_local;
    uint32_t n_rows; /* rows of work; work has n_rows*IMP_ROW_STRIDE doubles */
    imp_ref code;    /* imp_instr */
    imp_ref consts;  /* double */
    imp_ref pool;    /* uint32_t */
    imp_ref outs;    /* uint32_t: register of each output */
    imp_ref origins; /* imp_range per instruction */
    /* implicit block (n unknowns; empty if n = 0): F(u) = 0 order by order */
    imp_ref unknowns; /* uint32_t: registers of the UNKNOWN instructions */
    imp_ref residual; /* uint32_t: registers of F, as many */
    imp_ref jacobian; /* uint32_t: registers of dF_i/du_j, row-major n*n */
    /* enum imp_jacobian; where it is not GENERAL, F(u) = 0 has a solution: rows
     * that depend on others (redundant joints) are left out, their unknowns do
     * not change */
    uint32_t symmetric;
} imp_tape;

/* order-0 value of the outputs (and of nothing else). out[i] finite or the
 * status is IMP_NONFINITE. */
typedef int (*imp_eval_fn)(const double *env, const double *local, double *out);
/* fills work rows up to `order` (<= IMP_ORDER_MAX). rows[s] is the work array
 * of source s (for ROW). Outputs are found in work at the row of their
 * register. The caller zeroes work once when it allocates it. */
typedef int (*imp_series_fn)(const double *env, const double *local,
                             const double *const *rows, double *work,
                             int order);
/* what codegen produces: one entry per tape; series NULL where series == 0 */
typedef struct imp_code {
    const imp_eval_fn *eval;
    const imp_series_fn *series;
    uint32_t n_tapes;
} imp_code;

#endif
