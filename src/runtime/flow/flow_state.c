/* SPDX-License-Identifier: MIT */
/* What both ways of flow.h share: the memory of a flow, the matrices of one
 * instant, the check that all gaps are open at the start, and the report of an
 * event. Nothing here knows how the motion goes on. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_priv.h"

/* A gap at the start that is negative by less than this share of the terms it
 * is made of counts as 0: data of 9 digits. */
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

void
flow_read_state(struct flow *f)
{
    memcpy(f->q, f->r->env + f->s->env_state, f->n * sizeof *f->q);
    memcpy(f->v, f->r->env + f->s->env_state + f->n, f->n * sizeof *f->v);
}

int
flow_instant(struct flow *f)
{
    const double *q = f->r->env + f->s->env_state, *v = q + f->n;
    int st = system_mass(f->r, f->system, f->mass);
    for (uint32_t i = 0; i < f->m && !st; i++) {
        double *N = f->N + (size_t)i * f->n;
        st = system_gap(f->r, f->system, i, &f->gap[i], &f->rate[i], N);
        f->c[i] = f->gap[i];
        double drift = f->rate[i], size = fabs(drift);
        for (uint32_t j = 0; j < f->n && !st; j++) {
            f->c[i] -= N[j] * q[j];
            drift -= N[j] * v[j];
            size += fabs(N[j] * v[j]);
        }
        /* rounding of a gap without the time */
        f->drift[i] =
            fabs(drift) <= 4.0 * (f->n + 1) * DBL_EPSILON * size ? 0.0 : drift;
        f->e[i] = f->r->env[rt_contact(f->r, f->s->contact + i)->env_contact +
                            IMP_CONTACT_E];
    }
    return st;
}

struct ballistic_model
flow_model(const struct flow *f)
{
    return (struct ballistic_model){.n = (int)f->n,
                                    .m = (int)f->m,
                                    .mass = f->mass,
                                    .acc = f->acc,
                                    .N = f->N,
                                    .bias = f->bias,
                                    .drift = f->drift,
                                    .c = f->c,
                                    .e = f->e};
}

void
flow_tell(struct flow *f, const struct ballistic *l, enum ballistic_event what,
          struct flow_event *e)
{
    static const enum flow_kind kinds[] = {
        [BALLISTIC_END] = FLOW_NONE,
        [BALLISTIC_FREE] = FLOW_NONE,
        [BALLISTIC_IMPACT] = FLOW_IMPACT,
        [BALLISTIC_SEVERAL] = FLOW_SEVERAL,
        [BALLISTIC_UNDECIDED] = FLOW_UNDECIDED,
        [BALLISTIC_ACCUMULATION] = FLOW_CHATTER,
        [BALLISTIC_JAMMED] = FLOW_JAMMED};
    e->kind = kinds[what];
    e->time = l->t;
    e->chatter = l->chatter;
    f->n_contacts = 0;
    for (uint32_t i = 0; i < f->m; i++) {
        bool part = what == BALLISTIC_ACCUMULATION ? l->group[i]
                    : what == BALLISTIC_UNDECIDED  ? l->hits[i]
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

int
flow_start_open(struct flow *f)
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

void
flow_memory(struct flow *f, struct rt *r, uint32_t system, struct arena *a)
{
    f->r = r;
    f->system = system;
    f->s = rt_system(r, system);
    f->n = f->s->n;
    f->m = f->s->n_contact;
    size_t n = f->n, m = f->m;
    f->q = NEW_N(a, double, n + 1);
    f->v = NEW_N(a, double, n + 1);
    f->impulse = NEW_N(a, double, m + 1);
    f->contacts = NEW_N(a, uint32_t, m + 1);
    f->mass = NEW_N(a, double, n *n + 1);
    f->acc = NEW_N(a, double, n + 1);
    f->N = NEW_N(a, double, n *m + 1);
    f->c = NEW_N(a, double, m + 1);
    f->bias = NEW_N(a, double, m + 1);
    f->drift = NEW_N(a, double, m + 1);
    f->e = NEW_N(a, double, m + 1);
    f->gap = NEW_N(a, double, m + 1);
    f->rate = NEW_N(a, double, m + 1);
}
