/* SPDX-License-Identifier: MIT */
/* What both ways of flow.h share, and the way of parabolas: the event that
 * comes next is found on a copy, so that nothing has to be undone. */
#include "runtime/flow.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow_priv.h"
#include "runtime/motion.h"

/* gaps at the start that are closed by less than this share of the terms they
 * are made of touch: data of 9 digits */
#define FLOW_CLOSED 1e-9

int
flow_jammed(struct rt *r, uint32_t contact, double time)
{
    char t[NUM_TEXT];
    struct diag *d = diag_add(
        r->ds, DIAG_E0731, rt_contact(r, contact)->range,
        "no forces or impulses >= 0 keep the contacts of `%s` closed "
        "at t = %s",
        imp_text(r->im, rt_system(r, rt_contact(r, contact)->system)->name),
        num_digits(t, time, 9));
    diag_help(r->ds, d,
              "gaps that exclude each other hold the system from both sides; "
              "look at their signs");
    return IMP_FAILED;
}

static void
read_state(struct flow *f)
{
    memcpy(f->q, f->r->env + f->s->env_state, f->n * sizeof *f->q);
    memcpy(f->v, f->r->env + f->s->env_state + f->n, f->n * sizeof *f->v);
}

int
flow_instant(struct flow *f)
{
    const double *q = f->r->env + f->s->env_state;
    int st = system_mass(f->r, f->system, f->mass);
    for (uint32_t i = 0; i < f->m && !st; i++) {
        double *N = f->N + (size_t)i * f->n;
        st = system_gap(f->r, f->system, i, &f->gap[i], &f->rate[i], N);
        f->c[i] = f->gap[i];
        for (uint32_t j = 0; j < f->n && !st; j++)
            f->c[i] -= N[j] * q[j];
        f->e[i] = f->r->env[rt_contact(f->r, f->s->contact + i)->env_contact +
                            IMP_CONTACT_E];
    }
    return st;
}

struct line_model
flow_model(const struct flow *f)
{
    return (struct line_model){.n = (int)f->n,
                               .m = (int)f->m,
                               .mass = f->mass,
                               .acc = f->acc,
                               .N = f->N,
                               .bias = f->bias,
                               .c = f->c,
                               .e = f->e};
}

void
flow_tell(struct flow *f, const struct line *l, enum line_event what,
          struct flow_event *e)
{
    static const enum flow_kind kinds[] = {[LINE_END] = FLOW_NONE,
                                           [LINE_FREE] = FLOW_NONE,
                                           [LINE_IMPACT] = FLOW_IMPACT,
                                           [LINE_SEVERAL] = FLOW_SEVERAL,
                                           [LINE_UNDECIDED] = FLOW_UNDECIDED,
                                           [LINE_CHATTER] = FLOW_CHATTER,
                                           [LINE_JAMMED] = FLOW_JAMMED};
    e->kind = kinds[what];
    e->time = l->t;
    e->chatter = l->chatter;
    f->n_contacts = 0;
    for (uint32_t i = 0; i < f->m; i++) {
        bool part = what == LINE_CHATTER     ? l->group[i]
                    : what == LINE_UNDECIDED ? l->hits[i]
                                             : l->impulse[i] != 0.0;
        if (!part && (int)i != l->hit)
            continue;
        f->contacts[f->n_contacts] = f->s->contact + i;
        f->impulse[f->n_contacts++] = l->impulse[i];
    }
    e->n = f->n_contacts;
    e->contact = f->s->contact + (uint32_t)(l->hit < 0 ? 0 : l->hit);
    e->impulse = l->hit < 0 ? 0.0 : l->impulse[l->hit];
    f->impacts = l->impacts;
}

/* -- parabolas --------------------------------------------------------------
 */

static int
line_peek(struct flow *f, double until, double *time)
{
    if (f->known && f->next->t <= until) {
        *time = f->next->t;
        return IMP_OK;
    }
    line_copy(f->next, f->line);
    f->what = line_next(f->next, until);
    f->known = true;
    *time = f->what == LINE_FREE ? until : f->next->t;
    return IMP_OK;
}

static void
active_flags(struct flow *f, const bool *on)
{
    for (uint32_t i = 0; i < f->m; i++)
        f->r->env[rt_contact(f->r, f->s->contact + i)->env_contact +
                  IMP_CONTACT_ACTIVE] = on[i];
}

static int
line_apply(struct flow *f, struct flow_event *e)
{
    struct line *l = f->line;
    f->line = f->next;
    f->next = l;
    f->known = false;
    flow_tell(f, f->line, f->what, e);
    active_flags(f, f->line->on);
    return IMP_OK;
}

static void
line_at(struct flow *f, double t)
{
    line_between(f->line, f->known && f->what == LINE_CHATTER ? f->next : NULL,
                 t, f->q, f->v);
}

static bool
line_eventful(const struct flow *f)
{
    return f->known && f->what != LINE_END && f->what != LINE_FREE;
}

static const struct flow_way line_way = {line_peek, line_apply, line_at,
                                         line_eventful};

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

/* Gaps at q = 0 from the gaps there, not from those of the state: feet that
 * cannot all be closed by the rounding of a difference would end a chatter at
 * that height. */
static int
offsets(struct flow *f)
{
    double *q = f->r->env + f->s->env_state, rate;
    int st = IMP_OK;
    memset(q, 0, f->n * sizeof *q);
    for (uint32_t i = 0; i < f->m && !st; i++)
        st = system_gap(f->r, f->system, i, &f->c[i], &rate, NULL);
    memcpy(q, f->q, f->n * sizeof *q);
    return st;
}

int
flow_line_new(struct flow *f)
{
    double h;
    int st = offsets(f);
    if (st || (st = motion_series(f->r, f->s->block, 2, &h)))
        return st;
    const imp_block *b =
        IMP_ARRAY(f->r->im, f->r->im->blocks, imp_block) + f->s->block;
    const uint32_t *row = IMP_ARRAY(f->r->im, b->rows, uint32_t);
    for (uint32_t j = 0; j < f->n; j++)
        f->acc[j] = f->r->work[f->s->block][row[f->n + j] * IMP_ROW_STRIDE +
                                            IMP_ROW_PAD + 1];
    struct line_model m = flow_model(f);
    m.bias = NULL;
    if (line_new(f->r->arena, &m, &f->line) ||
        line_new(f->r->arena, &m, &f->next))
        return not_definite(f);
    f->line->policy = f->next->policy = f->policy;
    read_state(f);
    if (!line_start(f->line, rt_time(f->r), f->q, f->v, 0.0))
        return flow_jammed(f->r, f->s->contact, rt_time(f->r));
    active_flags(f, f->line->on);
    f->way = &line_way;
    return IMP_OK;
}

/* -- both -------------------------------------------------------------------
 */

/* no gap may be closed at the start by more than rounding of its data */
static int
start_open(struct flow *f)
{
    for (uint32_t i = 0; i < f->m; i++) {
        double size = fabs(f->c[i]), x;
        char g[NUM_TEXT];
        for (uint32_t j = 0; j < f->n; j++) {
            x = fabs(f->N[(size_t)i * f->n + j] * f->q[j]);
            size = x > size ? x : size;
        }
        if (f->gap[i] >= -FLOW_CLOSED * size)
            continue;
        const imp_contact *k = rt_contact(f->r, f->s->contact + i);
        struct diag *d =
            diag_add(f->r->ds, DIAG_E0620, k->range,
                     "`%s` is closed at the start: its gap is %s",
                     imp_text(f->r->im, k->name), num_digits(g, f->gap[i], 6));
        diag_help(f->r->ds, d,
                  "a gap is positive while the bodies are apart; "
                  "look at start { ... } and at its sign");
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

struct flow *
flow_new(struct rt *r, uint32_t system, enum line_policy policy)
{
    struct flow *f = NEW(r->arena, struct flow);
    f->r = r;
    f->system = system;
    f->s = rt_system(r, system);
    f->n = f->s->n;
    f->m = f->s->n_contact;
    f->policy = policy;
    size_t n = f->n, m = f->m;
    f->q = NEW_N(r->arena, double, n + 1);
    f->v = NEW_N(r->arena, double, n + 1);
    f->impulse = NEW_N(r->arena, double, m + 1);
    f->contacts = NEW_N(r->arena, uint32_t, m + 1);
    f->mass = NEW_N(r->arena, double, n *n + 1);
    f->acc = NEW_N(r->arena, double, n + 1);
    f->N = NEW_N(r->arena, double, n *m + 1);
    f->c = NEW_N(r->arena, double, m + 1);
    f->bias = NEW_N(r->arena, double, m + 1);
    f->e = NEW_N(r->arena, double, m + 1);
    f->gap = NEW_N(r->arena, double, m + 1);
    f->rate = NEW_N(r->arena, double, m + 1);
    active_flags(f, NEW_N(r->arena, bool, m + 1));
    int st = flow_instant(f);
    read_state(f);
    if (st || start_open(f))
        return NULL;
    st = f->s->flags & IMP_SYSTEMF_LINE ? flow_line_new(f) : flow_series_new(f);
    return st ? NULL : f;
}

int
flow_peek(struct flow *f, double until, double *time)
{
    return f->way->peek(f, until, time);
}

bool
flow_eventful(const struct flow *f)
{
    return f->way->eventful(f);
}

int
flow_apply(struct flow *f, struct flow_event *e)
{
    memset(e, 0, sizeof *e);
    return f->way->apply(f, e);
}

void
flow_at(struct flow *f, double t)
{
    double *env = f->r->env + f->s->env_state;
    f->way->at(f, t);
    memcpy(env, f->q, f->n * sizeof *env);
    memcpy(env + f->n, f->v, f->n * sizeof *env);
}

const uint32_t *
flow_contacts(const struct flow *f, const double **impulse)
{
    *impulse = f->impulse;
    return f->contacts;
}

struct line *
flow_line(struct flow *f)
{
    return f->way == &line_way ? f->line : NULL;
}

long
flow_impacts(const struct flow *f)
{
    return f->impacts;
}
