/* SPDX-License-Identifier: MIT */
/* The level set of a body as functions of the shading language of WebGL (GLSL
 * ES 3.00), out of its tapes: the page marches along rays through the formula
 * itself. Its floats have 24 bits, so it is for pictures. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/run_log_priv.h"
#include "base/num.h"

/* A formula that is longer is not worth the time of the graphics card, which
 * asks it a hundred times for a pixel. */
#define GLSL_MOST 2000

struct glsl {
    const imp_image *im;
    const imp_tape *tape;
    const double *env;
    uint32_t time; /* the place of the time in env */
    unsigned char *used;
    struct buf *text;
};

/* Operators in terms of %a, %b, %c; none where the language has none such.
 * Functions with a capital are those of `marching.js`, which are right where
 * the language's own leave the value open. */
static const char *const operators[IMP_OP_COUNT] = {
    [IMP_OP_ADD] = "%a + %b",
    [IMP_OP_SUB] = "%a - %b",
    [IMP_OP_NEG] = "-%a",
    [IMP_OP_MUL] = "%a * %b",
    [IMP_OP_DIV] = "%a / %b",
    [IMP_OP_SQRT] = "sqrt(%a)",
    [IMP_OP_CBRT] = "sign(%a) * pow(abs(%a), 1.0 / 3.0)",
    [IMP_OP_POW] = "Power(%a, %b)",
    [IMP_OP_ABSPOW] = "AbsPower(%a, %b)",
    [IMP_OP_SGNPOW] = "sign(%a) * AbsPower(%a, %b)",
    [IMP_OP_HYPOT] = "length(vec2(%a, %b))",
    [IMP_OP_EXP] = "exp(%a)",
    [IMP_OP_EXP2] = "exp2(%a)",
    [IMP_OP_EXPM1] = "exp(%a) - 1.0",
    [IMP_OP_LOG] = "log(%a)",
    [IMP_OP_LOG2] = "log2(%a)",
    [IMP_OP_LOG10] = "log(%a) * 0.43429448",
    [IMP_OP_LOG1P] = "log(1.0 + %a)",
    [IMP_OP_SIN] = "sin(%a)",
    [IMP_OP_COS] = "cos(%a)",
    [IMP_OP_TAN] = "tan(%a)",
    [IMP_OP_ASIN] = "asin(%a)",
    [IMP_OP_ACOS] = "acos(%a)",
    [IMP_OP_ATAN] = "atan(%a)",
    [IMP_OP_ATAN2] = "atan(%a, %b)",
    [IMP_OP_SINH] = "sinh(%a)",
    [IMP_OP_COSH] = "cosh(%a)",
    [IMP_OP_TANH] = "tanh(%a)",
    [IMP_OP_ASINH] = "asinh(%a)",
    [IMP_OP_ACOSH] = "acosh(%a)",
    [IMP_OP_ATANH] = "atanh(%a)",
    [IMP_OP_ABS] = "abs(%a)",
    [IMP_OP_MIN] = "min(%a, %b)",
    [IMP_OP_MAX] = "max(%a, %b)",
    [IMP_OP_SIGN] = "sign(%a)",
    [IMP_OP_FLOOR] = "floor(%a)",
    [IMP_OP_CEIL] = "ceil(%a)",
    [IMP_OP_ROUND] = "sign(%a) * floor(abs(%a) + 0.5)",
    [IMP_OP_TRUNC] = "trunc(%a)",
    [IMP_OP_MOD] = "%a - %b * trunc(%a / %b)",
    [IMP_OP_LT] = "float(%a < %b)",
    [IMP_OP_LE] = "float(%a <= %b)",
    [IMP_OP_EQ] = "float(%a == %b)",
    [IMP_OP_NE] = "float(%a != %b)",
    [IMP_OP_AND] = "float(%a != 0.0 && %b != 0.0)",
    [IMP_OP_OR] = "float(%a != 0.0 || %b != 0.0)",
    [IMP_OP_NOT] = "float(%a == 0.0)",
    [IMP_OP_SELECT] = "%a != 0.0 ? %b : %c",
};

static bool
put_literal(struct buf *text, double x)
{
    char digits[NUM_TEXT];
    if (!(fabs(x) < 1e38))
        return false;
    num_digits(digits, x, 9);
    bool whole = !strpbrk(digits, ".e");
    buf_printf(text, "(%s%s)", digits, whole ? ".0" : "");
    return true;
}

static void
put_operator(struct buf *text, const char *form, const imp_instr *in)
{
    for (; *form; form++) {
        if (*form != '%') {
            buf_putc(text, *form);
            continue;
        }
        form++;
        buf_printf(text, "r%u",
                   *form == 'a'   ? in->a
                   : *form == 'b' ? in->b
                                  : in->c);
    }
}

/* The value of one instruction. False: the language cannot say it. */
static bool
put_value(struct glsl *glsl, const imp_instr *in)
{
    struct buf *text = glsl->text;
    const uint32_t *pool = IMP_ARRAY(glsl->im, glsl->tape->pool, uint32_t);
    const char *form;
    switch ((enum imp_op)in->op) {
    case IMP_OP_CONST:
        return put_literal(
            text, IMP_ARRAY(glsl->im, glsl->tape->consts, double)[in->a]);
    case IMP_OP_TIME:
    case IMP_OP_ENV:
        if (in->op == IMP_OP_TIME || in->a == glsl->time) {
            buf_puts(text, "time");
            return true;
        }
        return put_literal(text, glsl->env[in->a]);
    case IMP_OP_LOCAL:
        buf_printf(text, "p.%c", "xyz"[in->a]);
        return in->a < 3;
    case IMP_OP_DOT:
        buf_puts(text, "0.0");
        for (uint32_t k = 0; k < in->b; k++)
            buf_printf(text, " %c r%u * r%u", pool[in->a + 3 * k] ? '-' : '+',
                       pool[in->a + 3 * k + 1], pool[in->a + 3 * k + 2]);
        return true;
    default:
        form = operators[in->op];
        if (form)
            put_operator(text, form, in);
        return form != NULL;
    }
}

/* Marks what the outputs from .. to - 1 need, from the last instruction on. */
static void
mark(struct glsl *glsl, uint32_t from, uint32_t to)
{
    static const unsigned char arity[] = {
#define OP(name, word, n, dim, series, guard, eval, deriv) n,
#include "abi/ops.def"
    };
    const imp_instr *code = IMP_ARRAY(glsl->im, glsl->tape->code, imp_instr);
    const uint32_t *pool = IMP_ARRAY(glsl->im, glsl->tape->pool, uint32_t),
                   *outs = IMP_ARRAY(glsl->im, glsl->tape->outs, uint32_t);
    memset(glsl->used, 0, glsl->tape->code.n);
    for (uint32_t i = from; i < to; i++)
        glsl->used[outs[i]] = 1;
    for (uint32_t i = glsl->tape->code.n; i-- > 0;) {
        const imp_instr *in = &code[i];
        const uint32_t operand[] = {in->a, in->b, in->c};
        for (int k = 0; glsl->used[i] && k < arity[in->op]; k++)
            glsl->used[operand[k]] = 1;
        for (uint32_t k = 0; glsl->used[i] && in->op == IMP_OP_DOT && k < in->b;
             k++)
            glsl->used[pool[in->a + 3 * k + 1]] =
                glsl->used[pool[in->a + 3 * k + 2]] = 1;
    }
}

/* A function of the point p, in the shape's coordinates, that gives the outputs
 * from .. to - 1: one is a float, three are a vec3. */
static bool
put_function(struct glsl *glsl, const char *head, uint32_t from, uint32_t to)
{
    const imp_instr *code = IMP_ARRAY(glsl->im, glsl->tape->code, imp_instr);
    const uint32_t *outs = IMP_ARRAY(glsl->im, glsl->tape->outs, uint32_t);
    if (glsl->tape->outs.n < to || glsl->tape->unknowns.n)
        return false;
    mark(glsl, from, to);
    buf_printf(glsl->text, "%s(vec3 p) {\n", head);
    for (uint32_t i = 0; i < glsl->tape->code.n; i++) {
        if (!glsl->used[i])
            continue;
        buf_printf(glsl->text, "float r%u = ", i);
        if (!put_value(glsl, &code[i]))
            return false;
        buf_puts(glsl->text, ";\n");
    }
    buf_printf(glsl->text, "return %s(", to - from > 1 ? "vec3" : "float");
    for (uint32_t i = from; i < to; i++)
        buf_printf(glsl->text, "%sr%u", i > from ? ", " : "", outs[i]);
    buf_puts(glsl->text, to - from == 2 ? ", 0.0);\n}\n" : ");\n}\n");
    return true;
}

void
run_glsl(struct run_log *log, struct run_bytes *bytes, uint32_t body)
{
    assert(log != NULL && bytes != NULL);
    struct rt *run = log->run;
    const imp_body *of = rt_body(run, body);
    const double *centre = run->env + of->env_body + IMP_BODY_CENTRE;
    const imp_tape *value = rt_tape(run, of->g0), *all = rt_tape(run, of->g2);
    struct buf text = {0};
    struct glsl glsl = {.im = run->im,
                        .tape = value,
                        .env = run->env,
                        .time = run->im->layout.time,
                        .used = mem_alloc(all->code.n + value->code.n + 1),
                        .text = &text};
    bool good = value->code.n <= GLSL_MOST &&
                put_function(&glsl, "float levelSet", 0, 1);
    glsl.tape = all;
    good = good && all->code.n <= 4 * GLSL_MOST &&
           put_function(&glsl, "vec3 levelGradient", 1, 1 + run->im->dim);
    if (good) {
        run_key(bytes, "formula"); /* of a point in the shape's coordinates */
        buf_json(&bytes->json, text.s, text.n);
        run_key(bytes, "centre");
        run_numbers(bytes, centre, run->im->dim);
    }
    buf_free(&text);
    free(glsl.used);
}
