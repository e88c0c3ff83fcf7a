/* SPDX-License-Identifier: MIT */
/* The way of parabolas of flow.h: the event that comes next is found on a copy,
 * so that nothing has to be undone. Memory and matrices stay from run to run of
 * a model (a sweep): the tapes that give the matrices are functions of the
 * entries of env that they read, so where these are the same nothing is made
 * anew, to the same bits. Invariant: what is kept is that of the values in
 * `was`, or `made` is false. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_priv.h"
#include "runtime/motion/motion.h"

/* of gradients and accelerations: its square is a number */
#define RANGE 0x1p460

/* what stays of the last run of one system */
struct flow_kept {
    struct flow f;
    struct arena *arena;
    struct ballistic *line, *next; /* next: made when it is first asked for */
    uint32_t *reads; /* entries of env that the matrices come from */
    uint64_t *was;   /* bits of their values */
    uint32_t n_reads;
    bool by_params; /* these are params */
    bool made;
    uint32_t *contact;   /* m: entries of env of the contacts */
    double *start;       /* of the last run: time, state; its gaps were open */
    unsigned long setup; /* of the last run that was begun */
    bool begun;
};
static const char kept_key = 0;

static struct flow_kept *
kept_of(struct rt *r, uint32_t system)
{
    struct arena *a;
    struct flow_kept *k = rt_keep(r, &kept_key, system, sizeof *k, &a);
    k->arena = a;
    return k;
}

/* -- the matrices -----------------------------------------------------------
 */

static void
note_reads(struct rt *r, uint32_t tape, unsigned char *seen)
{
    const imp_tape *t = IMP_ARRAY(r->im, r->im->tapes, imp_tape) + tape;
    const imp_instr *in = IMP_ARRAY(r->im, t->code, imp_instr);
    for (uint32_t i = 0; i < t->code.n; i++)
        if (in[i].op == IMP_OP_ENV || in[i].op == IMP_OP_TIME ||
            in[i].op == IMP_OP_STATE)
            seen[in[i].a] = 1;
}

/* Neither time nor the system's own state: nothing of the matrices depends on
 * them (IMP_SYSTEMF_LINE), and the offsets are those of the state 0. */
static void
find_reads(struct flow_kept *k, struct rt *r, const imp_system *s)
{
    uint32_t n = r->im->layout.n_env;
    const imp_block *b = IMP_ARRAY(r->im, r->im->blocks, imp_block) + s->block;
    unsigned char *seen = NEW_N(k->arena, unsigned char, n + 1);
    note_reads(r, s->mass, seen);
    note_reads(r, b->motion, seen);
    for (uint32_t i = 0; i < s->n_contact; i++)
        note_reads(r, rt_contact(r, s->contact + i)->gradient, seen);
    seen[r->im->layout.time] = 0;
    memset(seen + s->env_state, 0, 2 * (size_t)s->n);
    k->reads = NEW_N(k->arena, uint32_t, n + 1);
    k->was = NEW_N(k->arena, uint64_t, n + 1);
    const imp_layout *l = &r->im->layout;
    k->by_params = true;
    for (uint32_t i = 0; i < n; i++)
        if (seen[i]) {
            k->reads[k->n_reads++] = i;
            k->by_params &= i >= l->params && i < l->params + r->im->params.n;
        }
}

/* notes the values that are read; were they the same? */
static bool
same_reads(struct flow_kept *k, const struct rt *r)
{
    uint64_t other = 0, x;
    for (uint32_t i = 0; i < k->n_reads; i++) {
        memcpy(&x, r->env + k->reads[i], sizeof x);
        other |= x ^ k->was[i];
        k->was[i] = x;
    }
    return k->made && !other;
}

static int
not_definite(struct flow *f)
{
    struct diag *d =
        diag_add(f->r->ds, DIAG_E0546, f->s->range_mass,
                 "the mass matrix of `%s` is not positive definite at t = 0",
                 imp_text(f->r->im, f->s->name));
    diag_help(f->r->ds, d,
              "every motion of the coordinates must have kinetic energy; look "
              "at the signs of the terms and at the values of params");
    return IMP_BADMODEL;
}

static int
out_of_range(struct flow *f, uint32_t i, const char *what, double x)
{
    char t[NUM_TEXT];
    const imp_contact *c = rt_contact(f->r, f->s->contact + i);
    struct diag *d = diag_add(
        f->r->ds, DIAG_E0748, c->range,
        "the gap of `%s` %s %s (SI units), which is beyond what can be "
        "calculated with",
        imp_text(f->r->im, c->name), what, num_digits(t, x, 3));
    diag_help(f->r->ds, d,
              "write it in lengths, times and masses that are nearer to those "
              "of the motion");
    return IMP_BADMODEL;
}

/* Squares of gradients over roots of masses, and of accelerations, must be
 * numbers: else an impulse, or a flight, would silently be 0 or infinite. */
static int
in_range(struct flow *f)
{
    for (uint32_t i = 0; i < f->m; i++) {
        double steep = 0.0, acc = 0.0;
        for (uint32_t j = 0; j < f->n; j++) {
            double N = fabs(f->N[(size_t)i * f->n + j]);
            steep = fmax(steep, N / sqrt(f->mass[(size_t)j * (f->n + 1)]));
            acc = fmax(acc, N * fabs(f->acc[j]));
        }
        if (steep != 0.0 && !(steep > 1.0 / RANGE && steep < RANGE))
            return out_of_range(
                f, i, "changes with a coordinate, over the root of a mass, by",
                steep);
        if (acc != 0.0 && !(acc > 1.0 / RANGE && acc < RANGE))
            return out_of_range(f, i, "accelerates by", acc);
    }
    return IMP_OK;
}

/* At the state 0, so that the offsets are gaps and not what is left of a
 * difference: feet that cannot all be closed by that would end a chatter at its
 * height. */
static int
matrices(struct flow *f)
{
    const imp_block *b =
        IMP_ARRAY(f->r->im, f->r->im->blocks, imp_block) + f->s->block;
    const uint32_t *row = IMP_ARRAY(f->r->im, b->rows, uint32_t);
    double h, *state = f->r->env + f->s->env_state;
    memcpy(f->q, state, f->n * sizeof *state);
    memcpy(f->v, state + f->n, f->n * sizeof *state);
    memset(state, 0, 2 * (size_t)f->n * sizeof *state);
    int st = flow_instant(f);
    /* or the accelerations would be what is not finite */
    for (uint32_t j = 0; j < f->n && !st; j++)
        if (!(f->mass[(size_t)j * f->n + j] > 0.0))
            st = not_definite(f);
    if (!st)
        st = motion_series(f->r, f->s->block, 2, &h);
    for (uint32_t j = 0; j < f->n && !st; j++)
        f->acc[j] = f->r->work[f->s->block][row[f->n + j] * IMP_ROW_STRIDE +
                                            IMP_ROW_PAD + 1];
    memcpy(state, f->q, f->n * sizeof *state);
    memcpy(state + f->n, f->v, f->n * sizeof *state);
    return st ? st : in_range(f);
}

static void
active_flags(const struct flow_kept *k, const bool *on)
{
    double *env = k->f.r->env;
    for (uint32_t i = 0; i < k->f.m; i++)
        env[k->contact[i] + IMP_CONTACT_ACTIVE] = on[i];
}

/* what does not change from run to run */
static void
know(struct flow_kept *k, struct rt *r, uint32_t system)
{
    struct flow *f = &k->f;
    flow_memory(f, r, system, k->arena);
    find_reads(k, r, f->s);
    k->contact = NEW_N(k->arena, uint32_t, f->m + 1);
    k->start = NEW_N(k->arena, double, 2 * (size_t)f->n + 1);
    for (uint32_t i = 0; i < f->m; i++)
        k->contact[i] = rt_contact(r, f->s->contact + i)->env_contact;
}

static int
make_anew(struct flow_kept *k)
{
    struct flow *f = &k->f;
    k->made = k->begun = false;
    int st = matrices(f);
    if (st)
        return st;
    struct ballistic_model m = flow_model(f);
    m.bias = NULL;
    if (k->line ? ballistic_renew(k->line, &m)
                : ballistic_new(k->arena, &m, &k->line))
        return not_definite(f);
    k->made = true;
    return IMP_OK;
}

static int
make(struct flow_kept *k, struct rt *r, uint32_t system)
{
    if (!k->f.s)
        know(k, r, system);
    const uint32_t *c = k->contact;
    double *env = r->env, *e = k->f.e;
    for (uint32_t i = 0, m = k->f.m; i < m; i++) {
        env[c[i] + IMP_CONTACT_ACTIVE] = 0.0;
        e[i] = env[c[i] + IMP_CONTACT_E];
    }
    if (!same_reads(k, r))
        return make_anew(k);
    ballistic_restitutions(k->line, e);
    return IMP_OK;
}

int
flow_matrices(struct rt *r, uint32_t system, struct ballistic **l)
{
    struct flow_kept *k = kept_of(r, system);
    int st = make(k, r, system);
    *l = st ? NULL : k->line;
    return st;
}

const struct ballistic *
flow_ahead(struct rt *r, uint32_t system, const double *e, int n, int apart)
{
    struct flow_kept *k = kept_of(r, system);
    if (!k->made)
        return NULL;
    ballistic_batch_prepare(k->line, e, n, apart);
    return k->by_params && k->setup == r->setup_version ? k->line : NULL;
}

bool
flow_by_params(struct rt *r, uint32_t system)
{
    const struct flow_kept *k = kept_of(r, system);
    return k->made && k->by_params;
}

/* -- from event to event ----------------------------------------------------
 */

static int
line_peek(struct flow *f, double until, double *time)
{
    if (f->known && f->next->t <= until) {
        *time = f->next->t;
        return IMP_OK;
    }
    if (!f->next) {
        struct flow_kept *k = kept_of(f->r, f->system);
        if (!k->next)
            k->next = ballistic_memory(k->arena, (int)f->n, (int)f->m);
        f->next = k->next;
    }
    ballistic_copy(f->next, f->line);
    f->what = ballistic_next(f->next, until);
    f->known = true;
    *time = f->what == BALLISTIC_FREE ? until : f->next->t;
    return IMP_OK;
}

static int
line_apply(struct flow *f, struct flow_event *e)
{
    struct ballistic *l = f->line;
    f->line = f->next;
    f->next = l;
    f->known = false;
    flow_tell(f, f->line, f->what, e);
    active_flags(kept_of(f->r, f->system), f->line->on);
    return IMP_OK;
}

static void
line_at(struct flow *f, double t)
{
    ballistic_between(
        f->line, f->known && f->what == BALLISTIC_ACCUMULATION ? f->next : NULL,
        t, f->q, f->v);
}

static bool
line_eventful(const struct flow *f)
{
    return f->known && f->what != BALLISTIC_END && f->what != BALLISTIC_FREE;
}

static bool
line_limit(const struct flow *f, double *time)
{
    bool limit = f->known && f->what == BALLISTIC_ACCUMULATION;
    if (limit)
        *time = f->next->t;
    return limit;
}

static const struct flow_way line_way = {line_peek, line_apply, line_at,
                                         line_eventful, line_limit};

/* nor a fall to the floor take 0 or for ever */
static int
start_in_range(struct flow *f)
{
    for (uint32_t i = 0; i < f->m; i++) {
        double a = fabs(f->line->k.nf[i]), g = fabs(f->gap[i]), p = a * g;
        char t[NUM_TEXT];
        if (a > 0.0 && g > 0.0 &&
            !(p > 1.0 / RANGE / RANGE && p < RANGE * RANGE))
            return out_of_range(f, i,
                                arena_printf(f->r->arena,
                                             "accelerates by %s and is at the "
                                             "start",
                                             num_digits(t, a, 3)),
                                g);
    }
    return IMP_OK;
}

/* gaps of the state at the start */
static void
gaps(struct flow *f)
{
    for (uint32_t i = 0; i < f->m; i++) {
        const double *N = f->N + (size_t)i * f->n;
        f->gap[i] = f->c[i];
        for (uint32_t j = 0; j < f->n; j++)
            f->gap[i] += N[j] * f->q[j];
    }
}

/* Is this the start of the run before, whose gaps were open? What they are made
 * of has not changed (make). */
static bool
same_start(const struct flow_kept *k, double t, const double *state)
{
    return k->begun && k->start[0] == t &&
           !memcmp(k->start + 1, state, 2 * (size_t)k->f.n * sizeof *state);
}

static int
check_start(struct flow_kept *k, double t, const double *state)
{
    struct flow *f = &k->f;
    k->begun = false;
    flow_read_state(f);
    gaps(f);
    if (flow_start_open(f) || start_in_range(f))
        return IMP_BADMODEL;
    k->start[0] = t;
    memcpy(k->start + 1, state, 2 * (size_t)f->n * sizeof *state);
    k->begun = true;
    return IMP_OK;
}

struct flow *
flow_line_new(struct rt *r, uint32_t system, enum ballistic_policy policy)
{
    struct flow_kept *k = kept_of(r, system);
    struct flow *f = &k->f;
    k->setup = 0;
    if (make(k, r, system))
        return NULL;
    double t = rt_time(r);
    const double *state = r->env + f->s->env_state;
    f->policy = policy;
    f->line = k->line;
    f->next = k->next;
    f->known = false;
    f->n_contacts = 0;
    f->impacts = 0;
    f->way = &line_way;
    if (!same_start(k, t, state) && check_start(k, t, state))
        return NULL;
    f->line->policy = policy;
    accumulation_resolve(f->line, ACCUMULATION_RESOLVE);
    accumulation_accept_error(f->line, 0.0);
    accumulation_doubt(f->line, 0);
    accumulation_verdict_only(f->line, false);
    accumulation_skip_rates(f->line, false);
    if (!ballistic_start(f->line, t, state, state + f->n, 0.0)) {
        flow_jammed(r, f->s->contact, t);
        return NULL;
    }
    if (f->line->n_on)
        active_flags(k, f->line->on);
    k->setup = r->setup_version;
    return f;
}
