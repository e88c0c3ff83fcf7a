/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tapes as text, for `:ir`: one line per instruction, registers as %n. */
#include <assert.h>
#include <string.h>

#include "abi/lists.h"
#include "base/buf.h"
#include "base/num.h"
#include "cli/repl/repl_priv.h"

static const char *const op_names[] = {
#define OP(name, word, arity, dim, series, guard, eval, deriv) #name,
#include "abi/ops.def"
};
static const int op_arity[] = {
#define OP(name, word, arity, dim, series, guard, eval, deriv) arity,
#include "abi/ops.def"
};

static void
instruction(struct buf *buf, const imp_image *image, const imp_tape *tape,
            uint32_t i)
{
    const imp_instr *instr = IMP_ARRAY(image, tape->code, imp_instr) + i;
    char num[NUM_TEXT];

    buf_printf(buf, "  %%%u = %s", i, op_names[instr->op]);
    switch ((enum imp_op)instr->op) {
    case IMP_OP_CONST:
        buf_printf(buf, " %s",
                   num_shortest(
                       num, IMP_ARRAY(image, tape->consts, double)[instr->a]));
        break;
    case IMP_OP_ENV:
    case IMP_OP_LOCAL:
    case IMP_OP_TIME:
    case IMP_OP_UNKNOWN:
        buf_printf(buf, " [%u]", instr->a);
        break;
    case IMP_OP_ROW:
        buf_printf(buf, " [%u][%u]", instr->a, instr->b);
        break;
    case IMP_OP_STATE:
        buf_printf(buf, " [%u] rate %%%u", instr->a, instr->b);
        break;
    case IMP_OP_DOT:
        for (uint32_t k = 0; k < instr->b; k++) {
            const uint32_t *p =
                IMP_ARRAY(image, tape->pool, uint32_t) + instr->a + 3 * k;
            buf_printf(buf, " %c %%%u*%%%u", p[0] ? '-' : '+', p[1], p[2]);
        }
        break;
    case IMP_OP_PLACE:
    case IMP_OP_ENTRY:
        buf_printf(buf, " %%%u of %u from %%%u", instr->a,
                   instr->c & ~IMP_TABLE_BELOW, instr->b);
        break;
    default:
        if (op_arity[instr->op] > 0)
            buf_printf(buf, " %%%u", instr->a);
        if (op_arity[instr->op] > 1)
            buf_printf(buf, " %%%u", instr->b);
        if (op_arity[instr->op] > 2)
            buf_printf(buf, " %%%u", instr->c);
        break;
    }
    if (tape->series && instr->row != IMP_NO_ROW)
        buf_printf(buf, "  ; row %u", instr->row);
    if (instr->flags & IMP_INSTR_CONST)
        buf_puts(buf, tape->series ? "  ; constant" : "");
    buf_putc(buf, '\n');
}

static void
tape(struct buf *buf, const imp_image *image, const imp_tape *tape)
{
    buf_printf(buf, "tape %s: %s, %u locals, %u instructions, %u outputs\n",
               imp_text(image, tape->name), tape->series ? "series" : "values",
               tape->n_local, tape->code.n, tape->outs.n);
    for (uint32_t i = 0; i < tape->code.n; i++)
        instruction(buf, image, tape, i);
    buf_puts(buf, "  out");
    for (uint32_t i = 0; i < tape->outs.n; i++)
        buf_printf(buf, " %%%u", IMP_ARRAY(image, tape->outs, uint32_t)[i]);
    buf_putc(buf, '\n');
}

bool
ir_tapes(const imp_image *image, const char *name, struct buf *out)
{
    assert(image && name && out);
    const imp_tape *tapes = IMP_ARRAY(image, image->tapes, imp_tape);
    size_t n = strlen(name);
    bool any = n == 0;

    for (uint32_t i = 0; i < image->tapes.n; i++) {
        const char *s = imp_text(image, tapes[i].name);
        if (n == 0) {
            buf_printf(out, "%s  (%u instructions%s)\n", s, tapes[i].code.n,
                       tapes[i].series ? ", series" : "");
        } else if (strncmp(s, name, n) == 0 &&
                   (s[n] == 0 || s[n] == '.' || s[n] == ' ')) {
            tape(out, image, &tapes[i]);
            any = true;
        }
    }
    return any;
}
