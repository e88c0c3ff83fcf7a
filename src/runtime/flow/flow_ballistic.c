/* SPDX-License-Identifier: MIT */
/* The ballistic method of flow.h. The next event is found on a copy, so that
 * nothing has to be undone.
 *
 * Memory and matrices stay from run to run of a model (a sweep). The tapes
 * that give the matrices are functions of the entries of env that they read;
 * while these are the same, nothing is made anew, and the bits are the same.
 * Invariant: what is kept belongs to the values in `was`, or `made` is false.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/lists.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/flow/flow_priv.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/motion/motion.h"
#include "runtime/trace/trace.h"

/* The greatest size of gradients and accelerations: its square is still a
 * finite number. */
#define RANGE 0x1p460

/* What stays from run to run of one system. */
struct flow_kept {
    struct flow flow;
    struct arena *arena;
    struct ballistic *line, *next,
        *row;        /* these two are made when they are first asked for */
    uint32_t *reads; /* the entries of env that the matrices are made of */
    uint64_t *was;   /* the bits of their values */
    uint32_t n_reads;
    bool by_params; /* all of these are params */
    bool made;
    uint32_t *contact; /* m: where the contacts lie in env */
    double *start; /* time and state at the start of the last run, whose gaps
                      were open */
    unsigned long setup; /* rt.start.version of the last run */
    bool begun;
};
static const char kept_key = 0;

static struct flow_kept *
kept_of(struct rt *run, uint32_t system)
{
    struct arena *arena;
    struct flow_kept *kept =
        rt_keep(run, &kept_key, system, sizeof *kept, &arena);
    kept->arena = arena;
    return kept;
}

/* -- the matrices -----------------------------------------------------------
 */

static void
note_reads(struct rt *run, uint32_t tape, unsigned char *seen)
{
    const imp_tape *code_of =
        IMP_ARRAY(run->im, run->im->tapes, imp_tape) + tape;
    const imp_instr *in = IMP_ARRAY(run->im, code_of->code, imp_instr);
    for (uint32_t i = 0; i < code_of->code.n; i++)
        if (in[i].op == IMP_OP_ENV || in[i].op == IMP_OP_TIME ||
            in[i].op == IMP_OP_STATE)
            seen[in[i].a] = 1;
        else if (in[i].op == IMP_OP_PLACE || in[i].op == IMP_OP_ENTRY)
            memset(seen + in[in[i].b].a, 1, in[i].c & ~IMP_TABLE_BELOW);
}

/* Finds what the matrices are made of. Time and the system's own state do not
 * count: no matrix of a ballistic system depends on them (IMP_SYSTEMF_LINE),
 * and the offsets of the gaps are taken at the state 0. */
static void
find_reads(struct flow_kept *kept, struct rt *run, const imp_system *sys)
{
    uint32_t n_env = run->im->layout.n_env;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + sys->block;
    unsigned char *seen = NEW_N(kept->arena, unsigned char, n_env + 1);
    note_reads(run, sys->mass, seen);
    note_reads(run, block->motion, seen);
    for (uint32_t i = 0; i < sys->n_contact; i++)
        note_reads(run, rt_contact(run, sys->contact + i)->gradient, seen);
    seen[run->im->layout.time] = 0;
    memset(seen + sys->env_state, 0, 2 * (size_t)sys->n);
    kept->reads = NEW_N(kept->arena, uint32_t, n_env + 1);
    kept->was = NEW_N(kept->arena, uint64_t, n_env + 1);
    const imp_layout *layout = &run->im->layout;
    kept->by_params = true;
    for (uint32_t i = 0; i < n_env; i++)
        if (seen[i]) {
            kept->reads[kept->n_reads++] = i;
            kept->by_params &=
                i >= layout->params && i < layout->params + run->im->params.n;
        }
}

/* Notes the values that are read. Are they the same as last time? */
static bool
same_reads(struct flow_kept *kept, const struct rt *run)
{
    uint64_t other = 0, x;
    for (uint32_t i = 0; i < kept->n_reads; i++) {
        memcpy(&x, run->env + kept->reads[i], sizeof x);
        other |= x ^ kept->was[i];
        kept->was[i] = x;
    }
    return kept->made && !other;
}

static int
not_definite(struct flow *flow)
{
    struct diag *diag =
        diag_add(flow->run->ds, DIAG_E0546, flow->sys->range_mass,
                 "the mass matrix of `%s` is not positive definite at t = 0",
                 imp_text(flow->run->im, flow->sys->name));
    diag_help(flow->run->ds, diag,
              "every motion of the coordinates must have kinetic energy; look "
              "at the signs of the terms and at the values of params");
    return IMP_BADMODEL;
}

static int
out_of_range(struct flow *flow, uint32_t i, const char *what, double x)
{
    char time_text[NUM_TEXT];
    const imp_contact *contact = rt_contact(flow->run, flow->sys->contact + i);
    struct diag *diag = diag_add(
        flow->run->ds, DIAG_E0748, contact->range,
        "the gap of `%s` %s %s (SI units), which is beyond what can be "
        "calculated with",
        imp_text(flow->run->im, contact->name), what,
        num_digits(time_text, x, 3));
    diag_help(flow->run->ds, diag,
              "write it in lengths, times and masses that are nearer to those "
              "of the motion");
    return IMP_BADMODEL;
}

/* The squares of accelerations, and of gradients over roots of masses, must be
 * finite numbers above 0. Otherwise an impulse or a flight would silently be 0
 * or infinite. */
static int
in_range(struct flow *flow)
{
    for (uint32_t contact = 0; contact < flow->m; contact++) {
        double steep = 0.0, acc = 0.0;
        for (uint32_t j = 0; j < flow->n; j++) {
            double N = fabs(flow->instant.N[(size_t)contact * flow->n + j]);
            steep = fmax(
                steep, N / sqrt(flow->instant.mass[(size_t)j * (flow->n + 1)]));
            acc = fmax(acc, N * fabs(flow->instant.acc[j]));
        }
        if (steep != 0.0 && !(steep > 1.0 / RANGE && steep < RANGE))
            return out_of_range(
                flow, contact,
                "changes with a coordinate, over the root of a mass, by",
                steep);
        if (acc != 0.0 && !(acc > 1.0 / RANGE && acc < RANGE))
            return out_of_range(flow, contact, "accelerates by", acc);
    }
    return IMP_OK;
}

/* Makes the matrices at the state 0. There the offsets are the gaps
 * themselves; at another state they would be small differences, and feet that
 * cannot all be closed because of their rounding would end a chatter at its
 * height. */
static int
matrices(struct flow *flow)
{
    const imp_block *block =
        IMP_ARRAY(flow->run->im, flow->run->im->blocks, imp_block) +
        flow->sys->block;
    const uint32_t *row = IMP_ARRAY(flow->run->im, block->rows, uint32_t);
    double step, *state = flow->run->env + flow->sys->env_state;
    memcpy(flow->q, state, flow->n * sizeof *state);
    memcpy(flow->v, state + flow->n, flow->n * sizeof *state);
    memset(state, 0, 2 * (size_t)flow->n * sizeof *state);
    int st = flow_instant(flow);
    /* Beyond this range the accelerations would not be finite. */
    for (uint32_t j = 0; j < flow->n && !st; j++)
        if (!(flow->instant.mass[(size_t)j * flow->n + j] > 0.0))
            st = not_definite(flow);
    if (!st)
        st = motion_series(flow->run, flow->sys->block, 2, &step);
    for (uint32_t j = 0; j < flow->n && !st; j++)
        flow->instant.acc[j] =
            flow->run->rows
                .block[flow->sys->block]
                      [row[flow->n + j] * IMP_ROW_STRIDE + IMP_ROW_PAD + 1];
    memcpy(state, flow->q, flow->n * sizeof *state);
    memcpy(state + flow->n, flow->v, flow->n * sizeof *state);
    return st ? st : in_range(flow);
}

static void
active_flags(const struct flow_kept *kept, const bool *on)
{
    double *env = kept->flow.run->env;
    for (uint32_t i = 0; i < kept->flow.m; i++)
        env[kept->contact[i] + IMP_CONTACT_ACTIVE] = on[i];
}

/* What does not change from run to run. */
static void
know(struct flow_kept *kept, struct rt *run, uint32_t system)
{
    struct flow *flow = &kept->flow;
    flow_memory(flow, run, system, kept->arena);
    find_reads(kept, run, flow->sys);
    kept->contact = NEW_N(kept->arena, uint32_t, flow->m + 1);
    kept->start = NEW_N(kept->arena, double, 2 * (size_t)flow->n + 1);
    for (uint32_t i = 0; i < flow->m; i++) {
        assert(contact_is_plain(run, flow->sys->contact + i, 0));
        kept->contact[i] = rt_contact(run, flow->sys->contact + i)->env_contact;
    }
}

static int
make_anew(struct flow_kept *kept)
{
    struct flow *flow = &kept->flow;
    kept->made = kept->begun = false;
    int st = matrices(flow);
    if (st)
        return st;
    struct ballistic_model model = flow_model(flow);
    model.bias = NULL;
    if (kept->line ? ballistic_renew(kept->line, &model)
                   : ballistic_new(kept->arena, &model, &kept->line))
        return not_definite(flow);
    kept->made = true;
    return IMP_OK;
}

static int
make(struct flow_kept *kept, struct rt *run, uint32_t system)
{
    if (!kept->flow.sys)
        know(kept, run, system);
    const uint32_t *c = kept->contact;
    double *env = run->env, *e = kept->flow.instant.e;
    for (uint32_t i = 0, m = kept->flow.m; i < m; i++) {
        env[c[i] + IMP_CONTACT_ACTIVE] = 0.0;
        e[i] = env[c[i] + IMP_CONTACT_E];
    }
    if (!same_reads(kept, run))
        return make_anew(kept);
    ballistic_restitutions(kept->line, e);
    return IMP_OK;
}

int
flow_matrices(struct rt *run, uint32_t system, struct ballistic **l)
{
    assert(rt_system(run, system)->flags & IMP_SYSTEMF_LINE);
    struct flow_kept *kept = kept_of(run, system);
    int st = make(kept, run, system);
    *l = st ? NULL : kept->line;
    return st;
}

const struct ballistic *
flow_batch_ahead(struct rt *run, uint32_t system, const double *e, int n,
                 int apart)
{
    assert(n >= 0 && apart >= 0);
    struct flow_kept *kept = kept_of(run, system);
    if (!kept->made)
        return NULL;
    ballistic_batch_prepare(kept->line, e, n, apart);
    return kept->by_params && kept->setup == run->start.version ? kept->line
                                                                : NULL;
}

bool
flow_by_params(struct rt *run, uint32_t system)
{
    const struct flow_kept *kept = kept_of(run, system);
    return kept->made && kept->by_params;
}

/* -- from event to event ----------------------------------------------------
 */

static bool
line_eventful(const struct flow *flow)
{
    return flow->parabola.known && flow->parabola.what != BALLISTIC_END &&
           flow->parabola.what != BALLISTIC_FREE;
}

/* The parabola begins at the last event, whatever times are asked for since:
 * two gaps that close together do so at every time of asking. A limit is taken
 * when nobody asks for a time before it. */
static int
line_peek(struct flow *flow, double until, double *time)
{
    struct flow_parabola *parabola = &flow->parabola;
    if (!line_eventful(flow) || parabola->next->t > until) {
        if (!parabola->next) {
            struct flow_kept *kept = kept_of(flow->run, flow->system);
            if (!kept->next)
                kept->next =
                    ballistic_memory(kept->arena, (int)flow->n, (int)flow->m);
            parabola->next = kept->next;
        }
        ballistic_copy(parabola->next, parabola->now);
        parabola->what = accumulation_next(parabola->next, until);
        parabola->known = true;
    }
    *time = line_eventful(flow) ? parabola->next->t : until;
    return IMP_OK;
}

static int
line_apply(struct flow *flow, struct flow_event *event)
{
    struct flow_parabola *parabola = &flow->parabola;
    struct ballistic *ballistic = parabola->now;
    event->time = flow->ahead;
    if (!line_eventful(flow))
        return IMP_OK;
    parabola->now = parabola->next;
    parabola->next = ballistic;
    parabola->known = false;
    flow_report(flow, parabola->now, parabola->what, event);
    active_flags(kept_of(flow->run, flow->system),
                 parabola->now->mode.persistent);
    return IMP_OK;
}

static bool
line_limit(const struct flow *flow, double *time)
{
    bool limit =
        flow->parabola.known && flow->parabola.what == BALLISTIC_ACCUMULATION;
    if (limit)
        *time = flow->parabola.next->t;
    return limit;
}

/* The state at a time before the limit that comes next: its impacts are
 * followed until then. */
static void
flights_at(struct flow *flow, double time)
{
    struct flow_kept *kept = kept_of(flow->run, flow->system);
    if (!kept->row)
        kept->row = ballistic_memory(kept->arena, (int)flow->n, (int)flow->m);
    ballistic_copy(kept->row, flow->parabola.now);
    enum ballistic_event what;
    do
        what = accumulation_next(kept->row, time);
    while (what == BALLISTIC_IMPACT || what == BALLISTIC_SEVERAL ||
           what == BALLISTIC_ACCUMULATION);
    ballistic_between(kept->row, NULL, time, flow->q, flow->v);
}

static void
line_at(struct flow *flow, double time)
{
    if (flow->flights && line_limit(flow, &(double){0.0}) &&
        time > flow->parabola.now->t && time < flow->parabola.next->t) {
        flights_at(flow, time);
        return;
    }
    ballistic_between(flow->parabola.now,
                      flow->parabola.known &&
                              flow->parabola.what == BALLISTIC_ACCUMULATION
                          ? flow->parabola.next
                          : NULL,
                      time, flow->q, flow->v);
}

/* Along a parabola the velocity is a line, so its values at both ends give the
 * acceleration but for their rounding. Up to a limit of impacts the motion is
 * that parabola projected, which is one, too. */
static void
line_trace(struct flow *flow, double time)
{
    double from = flow->parabola.now->t, dt = time - from;
    double *c = trace_room(flow->run->trace);
    line_at(flow, time);
    for (uint32_t j = 0; j < flow->n; j++)
        c[3 * j + 2] = flow->v[j];
    line_at(flow, from);
    for (uint32_t j = 0; j < flow->n; j++) {
        c[3 * j] = flow->q[j];
        c[3 * j + 1] = flow->v[j];
        c[3 * j + 2] = 0.5 * (c[3 * j + 2] - flow->v[j]) / dt;
    }
    trace_piece(flow->run->trace, flow->run->im->bodies.n + flow->system, from,
                fmax(from, flow->traced), time, 2);
}

/* Writes the parabola of the flight on which `ballistic` is, which begins with
 * coordinates q and rates v, into 2n rows of IMP_ROW_STRIDE. */
static void flow_parabola_rows(const struct flow *flow,
                               const struct ballistic *ballistic,
                               const double *q, const double *v, double *rows);

static double
line_series(struct flow *flow, double time, double *rows)
{
    line_at(flow, time);
    if (rows)
        flow_parabola_rows(flow, flow->parabola.now, flow->q, flow->v, rows);
    return line_eventful(flow) ? flow->parabola.next->t : INFINITY;
}

static const struct flow_method line_way = {
    line_peek,     line_apply,  line_at,    line_eventful,
    line_eventful, line_series, line_limit, line_trace};

/* The time of a fall to the ground must be neither 0 nor infinite. */
static int
start_in_range(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->m; i++) {
        double a = fabs(flow->parabola.now->matrices.gap_acc[i]),
               g = fabs(flow->instant.gap[i]), p = a * g;
        char time_text[NUM_TEXT];
        if (a > 0.0 && g > 0.0 &&
            !(p > 1.0 / RANGE / RANGE && p < RANGE * RANGE))
            return out_of_range(flow, i,
                                arena_printf(flow->run->arena,
                                             "accelerates by %s and is at the "
                                             "start",
                                             num_digits(time_text, a, 3)),
                                g);
    }
    return IMP_OK;
}

/* The gaps at the start. */
static void
gaps(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->m; i++) {
        const double *N = flow->instant.N + (size_t)i * flow->n;
        flow->instant.gap[i] = flow->instant.c[i];
        for (uint32_t j = 0; j < flow->n; j++)
            flow->instant.gap[i] += N[j] * flow->q[j];
    }
}

/* Is this the start of the last run, whose gaps were open? The matrices are
 * the same (see make). */
static bool
same_start(const struct flow_kept *kept, double time, const double *state)
{
    return kept->begun && kept->start[0] == time &&
           !memcmp(kept->start + 1, state,
                   2 * (size_t)kept->flow.n * sizeof *state);
}

static int
check_start(struct flow_kept *kept, double time, const double *state)
{
    struct flow *flow = &kept->flow;
    kept->begun = false;
    flow_read_state(flow);
    gaps(flow);
    if (flow_start_open(flow) || start_in_range(flow))
        return IMP_BADMODEL;
    kept->start[0] = time;
    memcpy(kept->start + 1, state, 2 * (size_t)flow->n * sizeof *state);
    kept->begun = true;
    return IMP_OK;
}

struct flow *
flow_ballistic_new(struct rt *run, uint32_t system,
                   enum ballistic_policy policy)
{
    assert(rt_system(run, system)->flags & IMP_SYSTEMF_LINE);
    struct flow_kept *kept = kept_of(run, system);
    struct flow *flow = &kept->flow;
    kept->setup = 0;
    if (make(kept, run, system))
        return NULL;
    double time = rt_time(run);
    const double *state = run->env + flow->sys->env_state;
    flow->policy = policy;
    flow->parabola.now = kept->line;
    flow->parabola.next = kept->next;
    flow->parabola.known = false;
    flow->last.n_contacts = 0;
    flow_audit_begin(flow);
    flow->impacts = 0;
    flow->method = &line_way;
    if (!same_start(kept, time, state) && check_start(kept, time, state))
        return NULL;
    flow->law =
        policy == BALLISTIC_BY_LAW ? flow_law_new(run->arena, flow) : NULL;
    flow->parabola.now->policy = policy;
    flow->parabola.now->law = flow->law;
    flow->parabola.now->stop = run->stop;
    accumulation_resolve(flow->parabola.now, ACCUMULATION_RESOLVE);
    accumulation_accept_error(flow->parabola.now, 0.0);
    accumulation_doubt(flow->parabola.now, 0);
    accumulation_verdict_only(flow->parabola.now, false);
    accumulation_skip_rates(flow->parabola.now, false);
    if (!ballistic_start(flow->parabola.now, time, state, state + flow->n,
                         0.0)) {
        flow_jammed(run, flow->sys->contact, time);
        return NULL;
    }
    if (flow->parabola.now->mode.n_persistent)
        active_flags(kept, flow->parabola.now->mode.persistent);
    kept->setup = run->start.version;
    return flow;
}

void
flow_parabola_write(const struct flow *flow, const struct ballistic *ballistic,
                    const double *q, const double *v, double *rows)
{
    assert(ballistic != NULL && q != NULL && v != NULL && rows != NULL);
    for (uint32_t j = 0; j < flow->n; j++) {
        double *place = rows + (size_t)j * IMP_ROW_STRIDE + IMP_ROW_PAD,
               *rate = place + (size_t)flow->n * IMP_ROW_STRIDE;
        place[0] = q[j];
        place[1] = rate[0] = v[j];
        rate[1] = ballistic_acceleration(ballistic, (int)j);
        place[2] = 0.5 * rate[1];
    }
}

static void
flow_parabola_rows(const struct flow *flow, const struct ballistic *ballistic,
                   const double *q, const double *v, double *rows)
{
    assert(ballistic != NULL && q != NULL && v != NULL && rows != NULL);
    memset(rows, 0, 2 * (size_t)flow->n * IMP_ROW_STRIDE * sizeof *rows);
    flow_parabola_write(flow, ballistic, q, v, rows);
}
