/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tapes as text, for `:ir`: one line per instruction, registers as %n. */
#include <string.h>

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
instruction(struct buf *b, const imp_image *im, const imp_tape *t, uint32_t i)
{
    const imp_instr *c = IMP_ARRAY(im, t->code, imp_instr) + i;
    char num[NUM_TEXT];

    buf_printf(b, "  %%%u = %s", i, op_names[c->op]);
    switch ((enum imp_op)c->op) {
    case IMP_OP_CONST:
        buf_printf(b, " %s",
                   num_shortest(num, IMP_ARRAY(im, t->consts, double)[c->a]));
        break;
    case IMP_OP_ENV:
    case IMP_OP_LOCAL:
    case IMP_OP_TIME:
    case IMP_OP_UNKNOWN:
        buf_printf(b, " [%u]", c->a);
        break;
    case IMP_OP_ROW:
        buf_printf(b, " [%u][%u]", c->a, c->b);
        break;
    case IMP_OP_STATE:
        buf_printf(b, " [%u] rate %%%u", c->a, c->b);
        break;
    case IMP_OP_DOT:
        for (uint32_t k = 0; k < c->b; k++) {
            const uint32_t *p = IMP_ARRAY(im, t->pool, uint32_t) + c->a + 3 * k;
            buf_printf(b, " %c %%%u*%%%u", p[0] ? '-' : '+', p[1], p[2]);
        }
        break;
    default:
        if (op_arity[c->op] > 0)
            buf_printf(b, " %%%u", c->a);
        if (op_arity[c->op] > 1)
            buf_printf(b, " %%%u", c->b);
        if (op_arity[c->op] > 2)
            buf_printf(b, " %%%u", c->c);
        break;
    }
    if (t->series && c->row != IMP_NO_ROW)
        buf_printf(b, "  ; row %u", c->row);
    if (c->flags & IMP_INSTR_CONST)
        buf_puts(b, t->series ? "  ; constant" : "");
    buf_putc(b, '\n');
}

static void
tape(struct buf *b, const imp_image *im, const imp_tape *t)
{
    buf_printf(b, "tape %s: %s, %u locals, %u instructions, %u outputs\n",
               imp_text(im, t->name), t->series ? "series" : "values",
               t->n_local, t->code.n, t->outs.n);
    for (uint32_t i = 0; i < t->code.n; i++)
        instruction(b, im, t, i);
    buf_puts(b, "  out");
    for (uint32_t i = 0; i < t->outs.n; i++)
        buf_printf(b, " %%%u", IMP_ARRAY(im, t->outs, uint32_t)[i]);
    buf_putc(b, '\n');
}

bool
ir_tapes(const imp_image *im, const char *name, struct buf *out)
{
    const imp_tape *t = IMP_ARRAY(im, im->tapes, imp_tape);
    size_t n = strlen(name);
    bool any = n == 0;

    for (uint32_t i = 0; i < im->tapes.n; i++) {
        const char *s = imp_text(im, t[i].name);
        if (n == 0) {
            buf_printf(out, "%s  (%u instructions%s)\n", s, t[i].code.n,
                       t[i].series ? ", series" : "");
        } else if (strncmp(s, name, n) == 0 &&
                   (s[n] == 0 || s[n] == '.' || s[n] == ' ')) {
            tape(out, im, &t[i]);
            any = true;
        }
    }
    return any;
}
