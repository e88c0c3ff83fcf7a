/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graph to tape. The nodes that are needed are listed, sorted by id (operands
 * before users, and the same order in every run), and become one instruction
 * each; sums of products in series tapes become DOTs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "calculus/image.h"
#include "calculus/tape_priv.h"

#define NO_REG UINT32_MAX

struct tape_node *
tape_node(struct tape_make *m, const expr *e)
{
    struct tape_scratch *s = m->sc;
    if (e->id >= s->cap) {
        uint32_t cap = s->cap ? s->cap : 256;
        while (cap <= e->id)
            cap *= 2;
        struct tape_node *v = NEW_N(m->g->arena, struct tape_node, cap);
        if (s->cap)
            memcpy(v, s->v, s->cap * sizeof *v);
        s->v = v;
        s->cap = cap;
    }
    struct tape_node *n = &s->v[e->id];
    if (n->stamp != s->epoch)
        *n = (struct tape_node){.stamp = s->epoch, .reg = NO_REG};
    return n;
}

static void
grow(struct graph *g, const expr ***v, uint32_t n, uint32_t *cap)
{
    if (n < *cap)
        return;
    uint32_t c = *cap ? *cap * 2 : 256;
    const expr **to = NEW_N(g->arena, const expr *, c);
    if (n)
        memcpy(to, *v, n * sizeof *to);
    *v = to;
    *cap = c;
}

void
tape_push(struct tape_make *m, const expr *e)
{
    grow(m->g, &m->todo.v, m->todo.n, &m->todo.cap);
    m->todo.v[m->todo.n++] = e;
}

void
tape_list(struct tape_make *m, const expr *e)
{
    grow(m->g, &m->list.v, m->list.n, &m->list.cap);
    m->list.v[m->list.n++] = e;
}

void
tape_need(struct tape_make *m, const expr *e, bool series)
{
    struct tape_node *n = tape_node(m, e);
    uint32_t want = TM_NEED0;
    if (series && (n->marks & TM_VARIES))
        want |= TM_NEED1;
    if ((n->marks & want) == want)
        return;
    if (!(n->marks & TM_NEED0))
        tape_list(m, e);
    n->marks |= want;
    tape_push(m, e);
}

/* everything that the nodes in todo need; a node may pass twice, first for
 * order 0, then for its series */
static void
close_needs(struct tape_make *m)
{
    while (m->todo.n) {
        const expr *e = m->todo.v[--m->todo.n];
        if (e->a)
            tape_need(m, e->a, false);
        if (e->b)
            tape_need(m, e->b, false);
        if (e->c)
            tape_need(m, e->c, false);
        if (tape_node(m, e)->marks & TM_NEED1)
            tape_need_series(m, e);
    }
}

static void
need_roots(struct tape_make *m, const expr *const *e, size_t n, bool series,
           uint32_t marks)
{
    if (m->spec->series)
        tape_classify(m, e, n);
    for (size_t i = 0; i < n; i++) {
        tape_need(m, e[i], series);
        tape_node(m, e[i])->marks |= marks;
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
count_uses(struct tape_make *m)
{
    for (uint32_t i = 0; i < m->list.n; i++) {
        const expr *e = m->list.v[i];
        if (e->a)
            tape_node(m, e->a)->uses++;
        if (e->b)
            tape_node(m, e->b)->uses++;
        if (e->c)
            tape_node(m, e->c)->uses++;
    }
}

/* ---- emission ------------------------------------------------------------ */

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
emit(struct code *c, imp_instr in, imp_range origin)
{
    if (c->n == c->cap) {
        uint32_t cap = c->cap ? c->cap * 2 : 64;
        imp_instr *v = NEW_N(c->arena, imp_instr, cap);
        imp_range *o = NEW_N(c->arena, imp_range, cap);
        if (c->n) {
            memcpy(v, c->v, c->n * sizeof *v);
            memcpy(o, c->origin, c->n * sizeof *o);
        }
        c->v = v;
        c->origin = o;
        c->cap = cap;
    }
    c->v[c->n] = in;
    c->origin[c->n] = origin;
    return c->n++;
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
leaf(struct tape_make *m, struct code *c, const expr *e)
{
    imp_instr in = {.row = IMP_NO_ROW};
    bool series = m->spec->series;
    if (e->op == IMP_OP_CONST) {
        in.op = IMP_OP_CONST;
        in.a = c->n_consts;
        c->consts[c->n_consts++] = e->num;
        return in;
    }
    in.op = IMP_OP_ENV;
    in.a = e->i;
    switch ((enum expr_sym)e->sym) {
    case SYM_ENV:
        break;
    case SYM_STATE:
        if (series && (tape_node(m, e)->marks & TM_VARIES))
            in.op = IMP_OP_STATE; /* b: set when all have registers */
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
        in.b = e->j;
        break;
    case SYM_TIME:
        in.op = IMP_OP_TIME;
        in.a = m->spec->env_of(m->spec->ctx, e);
        break;
    case SYM_PARAM:
    case SYM_CONTACT:
    case SYM_SLOT:
    case SYM_SERIES:
    case SYM_DRAW:
        in.a = m->spec->env_of(m->spec->ctx, e);
        break;
    case SYM_BODY:
    case SYM_TOTAL:
    case SYM_COORD:
    case SYM_SYSTEM:
        assert(0 && "symbols of bodies and systems must be substituted before");
        break;
    }
    return in;
}

/* the DOT of a gathered sum and the additions of its other terms; the register
 * of the sum */
static uint32_t
emit_gathered(struct tape_make *m, struct code *c, const expr *e)
{
    const struct tape_term *first = m->terms.v + (tape_node(m, e)->gather - 1);
    uint32_t need = TM_VARIES | TM_NEED1, marks = need;
    imp_instr in = {.op = IMP_OP_DOT, .a = c->n_pool, .row = c->n_rows++};
    for (const struct tape_term *t = first; t->a; t++) {
        if (!t->b)
            continue;
        const struct tape_node *a = tape_node(m, t->a);
        uint32_t ra = a->reg, ma = a->marks;
        const struct tape_node *b = tape_node(m, t->b);
        c->pool[c->n_pool++] = t->minus;
        c->pool[c->n_pool++] = ra;
        c->pool[c->n_pool++] = b->reg;
        marks |= (ma | b->marks) & TM_IMPLICIT;
        in.b++;
    }
    in.flags = flags_of(marks);
    uint32_t acc = emit(c, in, e->origin);
    for (const struct tape_term *t = first; t->a; t++) {
        if (t->b)
            continue;
        const struct tape_node *a = tape_node(m, t->a);
        marks |= a->marks & TM_IMPLICIT;
        acc = emit(c,
                   (imp_instr){.op = t->minus ? IMP_OP_SUB : IMP_OP_ADD,
                               .flags = flags_of(marks),
                               .a = acc,
                               .b = a->reg,
                               .row = c->n_rows++},
                   e->origin);
    }
    return acc;
}

static void
emit_all(struct tape_make *m, struct code *c)
{
    bool series = m->spec->series;
    for (uint32_t i = 0; i < m->list.n; i++) {
        const expr *e = m->list.v[i];
        struct tape_node *n = tape_node(m, e);
        if (n->marks & TM_ABSORBED)
            continue;
        if (n->gather) {
            n->reg = emit_gathered(m, c, e);
        } else if (!e->a) {
            n->reg = emit(c, leaf(m, c, e), e->origin);
        } else {
            imp_instr in = {.op = e->op, .row = IMP_NO_ROW};
            in.a = tape_node(m, e->a)->reg;
            if (e->b)
                in.b = tape_node(m, e->b)->reg;
            if (e->c)
                in.c = tape_node(m, e->c)->reg;
            n->reg = emit(c, in, e->origin);
        }
        if (!series)
            continue;
        imp_instr *in = &c->v[n->reg];
        in->flags = flags_of(n->marks);
        if (in->row == IMP_NO_ROW && (n->marks & (TM_ROW | TM_NEED1)))
            in->row = c->n_rows++;
    }
    /* forward references */
    for (uint32_t i = 0; series && i < m->list.n; i++) {
        const expr *e = m->list.v[i];
        const struct tape_node *n = tape_node(m, e);
        if (!(n->marks & TM_NEED1) || (n->marks & TM_ABSORBED))
            continue;
        if (n->w)
            c->v[n->reg].c = tape_node(m, n->w)->reg;
        if (n->state && c->v[n->reg].op == IMP_OP_STATE)
            c->v[n->reg].b = tape_node(m, m->spec->rates[n->state - 1])->reg;
    }
}

static imp_ref
registers(struct tape_make *m, struct image_builder *ib, const expr *const *e,
          size_t n)
{
    uint32_t *v = NEW_N(m->g->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = tape_node(m, e[i])->reg;
    return image_array(ib, v, n, sizeof *v);
}

static uint32_t
finish(struct tape_make *m, struct image_builder *ib, struct code *c,
       const expr *const *unknown, uint32_t *rows)
{
    const struct tape_spec *s = m->spec;
    imp_tape t = {.name = image_text(ib, s->name),
                  .series = s->series,
                  .n_local = s->n_local,
                  .n_rows = c->n_rows,
                  .symmetric = s->symmetric};
    t.code = image_array(ib, c->v, c->n, sizeof *c->v);
    t.consts = image_array(ib, c->consts, c->n_consts, sizeof *c->consts);
    t.pool = image_array(ib, c->pool, c->n_pool, sizeof *c->pool);
    t.origins = image_array(ib, c->origin, c->n, sizeof *c->origin);
    t.outs = registers(m, ib, s->outs, s->n_outs);
    if (s->series && s->n_unknown) {
        t.unknowns = registers(m, ib, unknown, s->n_unknown);
        t.residual = registers(m, ib, s->residual, s->n_unknown);
        t.jacobian = registers(m, ib, s->jacobian, s->n_unknown * s->n_unknown);
    }
    for (size_t i = 0; rows && i < s->n_outs; i++)
        rows[i] =
            s->series ? c->v[tape_node(m, s->outs[i])->reg].row : IMP_NO_ROW;
    return image_add_tape(ib, &t);
}

uint32_t
tape_build(struct graph *g, struct image_builder *ib,
           const struct tape_spec *spec, uint32_t *rows)
{
    if (!g->tapes)
        g->tapes = NEW(g->arena, struct tape_scratch);
    g->tapes->epoch++;
    struct tape_make m = {.g = g, .spec = spec, .sc = g->tapes};
    const expr **unknown = NULL;
    uint32_t keep = TM_ROOT | TM_ROW;
    if (!spec->series) {
        need_roots(&m, spec->outs, spec->n_outs, false, TM_ROOT);
        close_needs(&m);
    } else {
        size_t n = spec->n_unknown;
        for (size_t i = 0; i < spec->n_states; i++)
            tape_node(&m, spec->states[i])->state = (uint32_t)i + 1;
        for (size_t i = 0; i < spec->n_states; i++)
            tape_classify(&m, &spec->rates[i], 1);
        need_roots(&m, spec->outs, spec->n_outs, true, keep);
        if (n) {
            unknown = NEW_N(g->arena, const expr *, n);
            for (size_t i = 0; i < n; i++)
                unknown[i] = ex_sym(g, SYM_UNKNOWN, (uint32_t)i, 0);
            need_roots(&m, unknown, n, true, keep);
            need_roots(&m, spec->residual, n, true, keep);
            need_roots(&m, spec->jacobian, n * n, false, TM_ROOT);
        }
        close_needs(&m);
    }
    qsort(m.list.v, m.list.n, sizeof *m.list.v, by_id);
    struct code c = {.arena = g->arena};
    uint32_t muls = 0, nums = 0;
    for (uint32_t i = 0; i < m.list.n; i++) {
        muls += m.list.v[i]->op == IMP_OP_MUL;
        nums += m.list.v[i]->op == IMP_OP_CONST;
    }
    c.consts = NEW_N(g->arena, double, nums + 1);
    c.pool = NEW_N(g->arena, uint32_t, 3 * muls + 1);
    if (spec->series) {
        tape_rows(&m);
        count_uses(&m);
        tape_gather(&m);
    }
    emit_all(&m, &c);
    return finish(&m, ib, &c, unknown, rows);
}
