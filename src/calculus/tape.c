/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graph to tape. The nodes that are needed are listed and sorted by id, so
 * operands come before users and the order is the same in every run. Each
 * becomes one instruction; in series tapes sums of products become DOT
 * instructions. */
#include <assert.h>
#include <stdlib.h>

#include "calculus/image.h"
#include "calculus/tape_priv.h"

/* Marks everything that the nodes in todo need. A node may pass twice, first
 * for order 0, then for its series. */
static void
close_needs(struct tape_make *make)
{
    while (make->todo->n) {
        const expr *node = make->todo->v[--make->todo->n];
        if (node->a)
            tape_need(make, node->a, false);
        if (node->b)
            tape_need(make, node->b, false);
        if (node->c)
            tape_need(make, node->c, false);
        if (tape_node(make, node)->marks & TM_NEED1)
            tape_need_series(make, node);
    }
}

static void
need_roots(struct tape_make *make, const expr *const *e, size_t n, bool series,
           uint32_t marks)
{
    if (make->spec->series)
        tape_classify(make, e, n);
    for (size_t i = 0; i < n; i++) {
        tape_need(make, e[i], series);
        tape_node(make, e[i])->marks |= marks;
    }
}

static int
by_id(const void *x, const void *y)
{
    uint32_t a = (*(const expr *const *)x)->id;
    uint32_t b = (*(const expr *const *)y)->id;
    return (a > b) - (a < b);
}

static void
count_uses(struct tape_make *make)
{
    for (uint32_t i = 0; i < make->list->n; i++) {
        const expr *node = make->list->v[i];
        if (node->a)
            tape_node(make, node->a)->uses++;
        if (node->b)
            tape_node(make, node->b)->uses++;
        if (node->c)
            tape_node(make, node->c)->uses++;
    }
}

/* -- emission -------------------------------------------------------------- */

struct code {
    struct arena *arena;
    imp_instr *v;
    imp_range *origin;
    uint32_t n, cap;
    double *consts;
    uint32_t n_consts;
    uint32_t *pool;
    uint32_t n_pool, n_rows;
};

static uint32_t
emit(struct code *code, imp_instr in, imp_range origin)
{
    if (code->n == code->cap) {
        uint32_t cap = code->cap ? code->cap * 2 : 64;
        code->v = arena_enlarge(code->arena, code->v, code->n * sizeof *code->v,
                                cap * sizeof *code->v);
        code->origin = arena_enlarge(code->arena, code->origin,
                                     code->n * sizeof *code->origin,
                                     cap * sizeof *code->origin);
        code->cap = cap;
    }
    code->v[code->n] = in;
    code->origin[code->n] = origin;
    return code->n++;
}

static uint16_t
flags_of(uint32_t marks)
{
    unsigned f = 0;
    if (marks & TM_IMPLICIT)
        f |= IMP_INSTR_IMPLICIT;
    if (!(marks & TM_VARIES))
        f |= IMP_INSTR_CONST;
    else if (!(marks & TM_NEED1))
        f |= IMP_INSTR_ORDER0;
    return (uint16_t)f;
}

static imp_instr
leaf(struct tape_make *make, struct code *code, const expr *node)
{
    imp_instr in = {.row = IMP_NO_ROW};
    bool series = make->spec->series;
    if (node->op == IMP_OP_CONST) {
        in.op = IMP_OP_CONST;
        in.a = code->n_consts;
        code->consts[code->n_consts++] = node->num;
        return in;
    }
    in.op = IMP_OP_ENV;
    in.a = node->i;
    switch ((enum expr_sym)node->sym) {
    case SYM_ENV:
        break;
    case SYM_STATE:
        if (series && (tape_node(make, node)->marks & TM_VARIES))
            in.op = IMP_OP_STATE; /* The operand b is set when all expressions
                                     have registers. */
        break;
    case SYM_LOCAL:
        in.op = IMP_OP_LOCAL;
        break;
    case SYM_UNKNOWN:
        in.op = series ? IMP_OP_UNKNOWN : IMP_OP_LOCAL;
        break;
    case SYM_ROW:
        assert(series && "rows are read by series tapes only");
        in.op = IMP_OP_ROW;
        in.b = node->j;
        break;
    case SYM_TIME:
        in.op = IMP_OP_TIME;
        in.a = make->spec->env_of(make->spec->ctx, node);
        break;
    case SYM_PARAM:
    case SYM_CONTACT:
    case SYM_JOINT:
    case SYM_SLOT:
    case SYM_SERIES:
    case SYM_DRAW:
        in.a = make->spec->env_of(make->spec->ctx, node);
        break;
    case SYM_BODY:
    case SYM_TOTAL:
    case SYM_COORD:
    case SYM_SYSTEM:
    case SYM_SLIP:
    case SYM_CELL:
    case SYM_ROTOR:
    case SYM_APPROACH:
        assert(0 && "symbols of bodies and systems must be substituted before");
        break;
    }
    return in;
}

/* Emits the DOT of a gathered sum and the additions of its other terms; returns
 * the register of the sum. */
static uint32_t
emit_gathered(struct tape_make *make, struct code *code, const expr *node)
{
    const struct tape_term *first =
        make->terms.v + (tape_node(make, node)->gather - 1);
    uint32_t need = TM_VARIES | TM_NEED1, marks = need;
    imp_instr in = {.op = IMP_OP_DOT, .a = code->n_pool, .row = code->n_rows++};
    for (const struct tape_term *t = first; t->a; t++) {
        if (!t->b)
            continue;
        const struct tape_node *operand = tape_node(make, t->a);
        uint32_t ra = operand->reg, ma = operand->marks;
        const struct tape_node *b = tape_node(make, t->b);
        code->pool[code->n_pool++] = t->minus;
        code->pool[code->n_pool++] = ra;
        code->pool[code->n_pool++] = b->reg;
        marks |= (ma | b->marks) & TM_IMPLICIT;
        in.b++;
    }
    in.flags = flags_of(marks);
    uint32_t acc = emit(code, in, node->origin);
    for (const struct tape_term *t = first; t->a; t++) {
        if (t->b)
            continue;
        const struct tape_node *operand = tape_node(make, t->a);
        marks |= operand->marks & TM_IMPLICIT;
        acc = emit(code,
                   (imp_instr){.op = t->minus ? IMP_OP_SUB : IMP_OP_ADD,
                               .flags = flags_of(marks),
                               .a = acc,
                               .b = operand->reg,
                               .row = code->n_rows++},
                   node->origin);
    }
    return acc;
}

static void
emit_all(struct tape_make *make, struct code *code)
{
    bool series = make->spec->series;
    for (uint32_t i = 0; i < make->list->n; i++) {
        const expr *formula = make->list->v[i];
        struct tape_node *node = tape_node(make, formula);
        if (node->marks & TM_ABSORBED)
            continue;
        if (node->gather) {
            node->reg = emit_gathered(make, code, formula);
        } else if (!formula->a) {
            node->reg = emit(code, leaf(make, code, formula), formula->origin);
        } else {
            imp_instr in = {.op = formula->op, .row = IMP_NO_ROW};
            in.a = tape_node(make, formula->a)->reg;
            if (formula->b)
                in.b = tape_node(make, formula->b)->reg;
            if (formula->c)
                in.c = tape_node(make, formula->c)->reg;
            else if (formula->op == IMP_OP_PLACE || formula->op == IMP_OP_ENTRY)
                in.c = formula->b->j;
            node->reg = emit(code, in, formula->origin);
        }
        if (!series)
            continue;
        imp_instr *in = &code->v[node->reg];
        in->flags = flags_of(node->marks);
        if (in->row == IMP_NO_ROW && (node->marks & (TM_ROW | TM_NEED1)))
            in->row = code->n_rows++;
    }
    /* These operands have got their registers only now. */
    for (uint32_t i = 0; series && i < make->list->n; i++) {
        const expr *formula = make->list->v[i];
        const struct tape_node *node = tape_node(make, formula);
        if (!(node->marks & TM_NEED1) || (node->marks & TM_ABSORBED))
            continue;
        if (node->w)
            code->v[node->reg].c = tape_node(make, node->w)->reg;
        if (node->state && code->v[node->reg].op == IMP_OP_STATE)
            code->v[node->reg].b =
                tape_node(make, make->spec->rates[node->state - 1])->reg;
    }
}

static imp_ref
registers(struct tape_make *make, struct image_builder *ib,
          const expr *const *e, size_t n)
{
    uint32_t *v = NEW_N(make->g->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = tape_node(make, e[i])->reg;
    imp_ref ref = image_shared(ib, v, n, sizeof *v);
    arena_drop(make->g->arena, v);
    return ref;
}

static uint32_t
finish(struct tape_make *make, struct image_builder *ib, struct code *code,
       const expr *const *unknown, uint32_t *rows)
{
    const struct tape_spec *spec = make->spec;
    imp_tape tape = {.name = image_text(ib, spec->name),
                     .series = spec->series,
                     .n_local = spec->n_local,
                     .n_rows = code->n_rows,
                     .symmetric = spec->symmetric};
    tape.code = image_shared(ib, code->v, code->n, sizeof *code->v);
    tape.consts =
        image_shared(ib, code->consts, code->n_consts, sizeof *code->consts);
    tape.pool = image_shared(ib, code->pool, code->n_pool, sizeof *code->pool);
    tape.origins =
        image_shared(ib, code->origin, code->n, sizeof *code->origin);
    tape.outs = registers(make, ib, spec->outs, spec->n_outs);
    if (spec->series && spec->n_unknown) {
        tape.unknowns = registers(make, ib, unknown, spec->n_unknown);
        tape.residual = registers(make, ib, spec->residual, spec->n_unknown);
        tape.jacobian = registers(make, ib, spec->jacobian,
                                  spec->n_unknown * spec->n_unknown);
    }
    for (size_t i = 0; rows && i < spec->n_outs; i++)
        rows[i] = spec->series
                      ? code->v[tape_node(make, spec->outs[i])->reg].row
                      : IMP_NO_ROW;
    return image_add_tape(ib, &tape);
}

/* Room that has been used for a tape and is as large as this goes back, for
 * tapes after it may be small; less is kept for them. */
#define LARGE_ROOM ((size_t)1 << 20)
static bool
gives_back(struct graph *graph, const void *p, size_t n, size_t size)
{
    if (n * size <= LARGE_ROOM)
        return false;
    arena_drop(graph->arena, p);
    return true;
}

static void
give_back(struct graph *graph, struct tape_scratch *scratch)
{
    if (gives_back(graph, scratch->v, scratch->cap, sizeof *scratch->v)) {
        scratch->v = NULL;
        scratch->cap = 0;
    }
    if (gives_back(graph, scratch->code, scratch->code_cap,
                   sizeof *scratch->code)) {
        arena_drop(graph->arena, scratch->origin);
        scratch->code = NULL;
        scratch->origin = NULL;
        scratch->code_cap = 0;
    }
    struct tape_list *list[] = {&scratch->list, &scratch->todo};
    for (int i = 0; i < 2; i++)
        if (gives_back(graph, list[i]->v, list[i]->cap, sizeof *list[i]->v))
            *list[i] = (struct tape_list){0};
}

uint32_t
tape_build(struct graph *graph, struct image_builder *ib,
           const struct tape_spec *spec, uint32_t *rows)
{
    assert(graph && ib && spec && spec->env_of &&
           (spec->outs || spec->n_outs == 0));
    if (!graph->tapes)
        graph->tapes = NEW(graph->arena, struct tape_scratch);
    graph->tapes->epoch++;
    struct tape_scratch *scratch = graph->tapes;
    struct tape_make make = {.g = graph,
                             .spec = spec,
                             .sc = scratch,
                             .list = &scratch->list,
                             .todo = &scratch->todo};
    scratch->list.n = scratch->todo.n = 0;
    const expr **unknown = NULL;
    uint32_t keep = TM_ROOT | TM_ROW;
    if (!spec->series) {
        need_roots(&make, spec->outs, spec->n_outs, false, TM_ROOT);
        close_needs(&make);
    } else {
        size_t n_unknown = spec->n_unknown;
        for (size_t i = 0; i < spec->n_states; i++)
            tape_node(&make, spec->states[i])->state = (uint32_t)i + 1;
        for (size_t i = 0; i < spec->n_states; i++)
            tape_classify(&make, &spec->rates[i], 1);
        need_roots(&make, spec->outs, spec->n_outs, true, keep);
        if (n_unknown) {
            unknown = NEW_N(graph->arena, const expr *, n_unknown);
            for (size_t i = 0; i < n_unknown; i++)
                unknown[i] = ex_sym(graph, SYM_UNKNOWN, (uint32_t)i, 0);
            need_roots(&make, unknown, n_unknown, true, keep);
            need_roots(&make, spec->residual, n_unknown, true, keep);
            need_roots(&make, spec->jacobian, n_unknown * n_unknown, false,
                       TM_ROOT);
        }
        close_needs(&make);
    }
    qsort(make.list->v, make.list->n, sizeof *make.list->v, by_id);
    struct code code = {.arena = graph->arena,
                        .v = scratch->code,
                        .origin = scratch->origin,
                        .cap = scratch->code_cap};
    uint32_t muls = 0, nums = 0;
    for (uint32_t i = 0; i < make.list->n; i++) {
        muls += make.list->v[i]->op == IMP_OP_MUL;
        nums += make.list->v[i]->op == IMP_OP_CONST;
    }
    code.consts = NEW_N(graph->arena, double, nums + 1);
    code.pool = NEW_N(graph->arena, uint32_t, 3 * muls + 1);
    if (spec->series) {
        tape_rows(&make);
        count_uses(&make);
        tape_gather(&make);
    }
    emit_all(&make, &code);
    scratch->code = code.v;
    scratch->origin = code.origin;
    scratch->code_cap = code.cap;
    uint32_t number = finish(&make, ib, &code, unknown, rows);
    arena_drop(graph->arena, code.consts);
    arena_drop(graph->arena, code.pool);
    give_back(graph, scratch);
    return number;
}
