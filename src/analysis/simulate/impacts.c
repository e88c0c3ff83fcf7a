/* SPDX-License-Identifier: MIT */
/* Impacts of `simulate`. Contacts that close at one time, and those that touch
 * then, form one impact as far as moving bodies connect them, directly or by
 * joints; what is not connected is another impact. One contact of two free
 * bodies goes to its handler, all else to runtime/impact/impact.h under the
 * world's law. Contacts that touch but do not approach only push: what would
 * pull at one is not asked of it. Where the law does not decide, nothing is
 * applied and the run stops (I4). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/numerics/vec3.h"

/* I1: energy and momentum of one impact, relative */
#define GROUP_CONSERVES 1e-12
/* roundings of impulses times velocities */
#define GROUP_ROUND 256.0
/* normal velocities up to this share of the speeds are none, as in impact.c */
#define GROUP_RESTS 1e-9
/* Impulses this many times the momenta push and pull against each other; the
 * energy is then told no better than to this share of it: no digit is sure. */
#define GROUP_PULLS 1e3
#define GROUP_KNOWN 1e-6
/* remarks of one impact */
#define GROUP_REMARKS 32

enum part {
    PART_UNKNOWN,
    PART_OUT, /* open, let through, stated, or of no use here */
    PART_TOUCHES,
    PART_HIT,
    PART_DONE /* belongs to an impact of this event */
};
struct group {
    struct simulation *s;
    unsigned char *part; /* per contact */
    bool *body;          /* per body: moved by this impact */
    uint32_t *contact, n;
};

static bool
moving(const struct rt *r, uint32_t body)
{
    return body != IMP_WORLD && !(rt_body(r, body)->flags & IMP_BODYF_FIXED);
}

/* does contact c, which is not of the event, touch now? */
static bool
touches(struct group *g, uint32_t c)
{
    struct simulation *s = g->s;
    struct closest_points cl;
    double tol, rate;
    if (g->part[c] == PART_UNKNOWN) {
        const struct simulated_contact *k = &s->ct[c];
        bool out = k->watch == WATCH_OFF || k->through || k->overlap ||
                   closest_points_find(s->a->rt, c, &cl, false);
        if (!out) {
            gap_tolerances(s->a->rt, c, &tol, &rate);
            out = cl.gap > tol;
        }
        g->part[c] = out ? PART_OUT : PART_TOUCHES;
    }
    return g->part[c] == PART_TOUCHES || g->part[c] == PART_HIT;
}

static bool
enter(struct group *g, uint32_t body)
{
    if (!moving(g->s->a->rt, body) || g->body[body])
        return false;
    return g->body[body] = true;
}

/* all that is connected to contact c, which is of the event */
static void
gather(struct group *g, uint32_t c)
{
    struct rt *r = g->s->a->rt;
    const imp_joint *j = IMP_ARRAY(r->im, r->im->joints, imp_joint);
    memset(g->body, 0, sizeof *g->body * r->im->bodies.n);
    g->n = 0;
    for (int k = 0; k < 2; k++)
        enter(g, rt_contact(r, c)->body[k]);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < r->im->joints.n; i++) {
            bool one = moving(r, j[i].body[0]) && g->body[j[i].body[0]],
                 two = moving(r, j[i].body[1]) && g->body[j[i].body[1]];
            if (one != two)
                more |= enter(g, j[i].body[one ? 1 : 0]);
        }
        for (uint32_t i = 0; i < g->s->n_contacts; i++) {
            const imp_contact *k = rt_contact(r, i);
            bool one = moving(r, k->body[0]) && g->body[k->body[0]],
                 two = moving(r, k->body[1]) && g->body[k->body[1]];
            if (one == two || !touches(g, i))
                continue;
            more |= enter(g, k->body[one ? 1 : 0]);
        }
    }
    /* in the order of the model, whatever led to them */
    for (uint32_t i = 0; i < g->s->n_contacts; i++) {
        const imp_contact *k = rt_contact(r, i);
        bool on = (moving(r, k->body[0]) && g->body[k->body[0]]) ||
                  (moving(r, k->body[1]) && g->body[k->body[1]]);
        if (on && touches(g, i))
            g->contact[g->n++] = i;
    }
}

/* Contacts that separate have nothing to reverse under most laws and are no
 * part of the impact: true when one was taken out. */
static bool
drop_open(struct group *g, const struct impact_of_run *in,
          const struct impact_solver *m, enum imp_impact_law law)
{
    bool dropped = false;
    if (imp_impact_law_traits(law) & IMP_LAW_TRAIT_SEPARATING)
        return false;
    for (uint32_t i = 0; i < g->n; i++) {
        bool all = g->part[g->contact[i]] == PART_TOUCHES;
        for (int c = 0; c < m->nc; c++)
            all &= in->contact[c] != g->contact[i] || m->open[c];
        if (all) {
            g->part[g->contact[i]] = PART_OUT;
            dropped = true;
        }
    }
    return dropped;
}

/* The law, where contacts at rest only push: those with an impulse that pulls
 * are let go, those that approach then are held again. The motion that comes
 * out does not depend on the order (a complementarity problem with a
 * semidefinite matrix). False: it did not settle. */
static bool
solve(struct impact_solver *m, enum imp_impact_law law)
{
    bool may_pull = !(imp_impact_law_traits(law) & IMP_LAW_TRAIT_PUSHES);
    double still = GROUP_RESTS * m->speed;
    for (int round = 0; round < 4 * m->nc + 8; round++) {
        int worst = -1;
        double most = 0, big = 0;
        impact_solver_solve(m, law);
        if (!may_pull || !m->applied)
            return true;
        for (int c = 0; c < m->nc; c++)
            big = fmax(big, fabs(m->P[c] * m->length[c]));
        for (int c = 0; c < m->nc; c++) {
            if (fabs(m->v0[c]) > still)
                continue;
            double off = m->open[c]
                             ? -m->after[c] / m->length[c] / fmax(still, 1e-300)
                             : -m->P[c] * m->length[c] / (GROUP_RESTS * big);
            if (off > 1 && off > most) {
                most = off;
                worst = c;
            }
        }
        if (worst < 0)
            return true;
        m->open[worst] = !m->open[worst];
    }
    return false;
}

/* work of what drives prescribed bodies and surfaces that move over theirs,
 * against impulse c */
static double
driven(const struct impact_of_run *in, const struct impact_solver *m, int c)
{
    const struct impact_contact *k = &in->p.contact[c];
    double v = k->recede * m->length[c];
    for (int s = 0; s < 2; s++) {
        const struct impact_body *b = &in->p.body[k->body[s]];
        double r[3], u[3];
        if (k->body[s] == IMP_WORLD || b->invmass > 0)
            continue;
        vec3_sub(s ? k->q : k->p, b->centre, r);
        vec3_copy(b->vel, u);
        vec3_add_scaled_cross(1.0, b->spin, r, u);
        v += (s ? 1 : -1) * vec3_dot(k->dir, u);
    }
    return m->P[c] * v;
}

/* work of all impulses, from the terms; what it may be off by: a share of the
 * energies, and rounding of the terms, which cancel where the impulses of near
 * points push and pull */
static double
work(const struct impact_of_run *in, const struct impact_solver *m, double *low)
{
    double sum = 0, terms = 0;
    for (int c = 0; c < m->nc; c++) {
        sum += 0.5 * m->P[c] * (m->before[c] + m->after[c]) - driven(in, m, c);
        terms += fabs(m->P[c]) * fmax(fabs(m->before[c]), fabs(m->after[c]));
    }
    *low = GROUP_CONSERVES * fmax(m->energy[0], m->energy[1]) +
           GROUP_ROUND * DBL_EPSILON * terms;
    /* joints: what their velocities are off by does work */
    for (uint32_t j = 0; j < in->p.n_joint; j++) {
        const struct impact_joint *k = &in->p.joint[j];
        const double *F = m->xi + 6 * j;
        for (int s = 0; s < 2; s++) {
            if (k->body[s] == IMP_WORLD)
                continue;
            const struct impact_body *b = &in->p.body[k->body[s]];
            const double *t = m->twist + 6 * k->body[s];
            double r[3], w[3], v[3];
            vec3_sub(k->at, b->centre, r);
            for (int i = 0; i < 3; i++) {
                w[i] = 0.5 * (t[i] + b->spin[i]);
                v[i] = 0.5 * (t[3 + i] + b->vel[i]);
            }
            vec3_add_scaled_cross(1.0, w, r, v);
            sum += (s ? -1 : 1) * (vec3_dot(F, v) + vec3_dot(F + 3, w));
        }
    }
    return sum;
}

/* greatest impulse over the momenta of the bodies before */
static double
share(const struct impact_solver *m)
{
    double big = 0.0, sum = 0.0;
    for (int c = 0; c < m->nc; c++)
        big = fmax(big, fabs(m->P[c] * m->length[c]));
    for (uint32_t b = 0; b < m->in.n_body; b++)
        if (m->in.body[b].invmass > 0.0)
            sum += m->in.body[b].mass * (vec3_norm(m->in.body[b].vel) +
                                         vec3_norm(m->twist + 6 * b + 3));
    return sum > 0.0 ? big / sum : 0.0;
}

/* A law with impulses of either sign, at points that are so near each other
 * that it takes huge ones to turn the bodies as it says: their energy is
 * rounding. */
static int
pulls(struct simulation *s, const struct group *g,
      const struct impact_of_run *in, const struct impact_solver *m)
{
    double apart = INFINITY;
    char p[NUM_TEXT], t[NUM_TEXT], l[NUM_TEXT];
    for (int i = 0; i < m->nc; i++)
        for (int j = 0; j < i; j++) {
            double d[3];
            vec3_sub(in->p.contact[i].p, in->p.contact[j].p, d);
            apart = fmin(apart, vec3_norm(d));
        }
    struct diag *d = diag_add(
        s->a->ds, DIAG_E0747, rt_contact(s->a->rt, g->contact[0])->range,
        "`%s` asks for impulses of %s times the momentum at t = %s s, which "
        "push and pull",
        impact_law_name[m->law], num_digits(p, share(m), 3),
        num_digits(t, rt_time(s->a->rt), 9));
    diag_note(
        s->a->ds, d, s->c->range,
        "of %d points that touch two are only %s m apart; what is left of "
        "such impulses is rounding",
        m->nc, num_digits(l, apart, 3));
    diag_help(s->a->ds, d,
              "under `law = complementarity` no impulse pulls: write it in "
              "`world`");
    return IMP_FAILED;
}

static int
audit(struct simulation *s, const struct group *g,
      const struct impact_of_run *in, const struct impact_solver *m)
{
    double low, W = work(in, m, &low), got = m->energy[1] - m->energy[0];
    bool sure = low <= GROUP_KNOWN * fmax(m->energy[0], m->energy[1]);
    bool kept =
        fabs(got - W) <= low + DBL_MIN && m->momentum_error <= GROUP_CONSERVES;
    if (kept && sure)
        return IMP_OK;
    if (m->nc > 1 && share(m) > GROUP_PULLS)
        return pulls(s, g, in, m);
    if (kept)
        return IMP_OK;
    char e[NUM_TEXT], p[NUM_TEXT];
    struct diag *d = diag_add(
        s->a->ds, DIAG_E0714, rt_contact(s->a->rt, g->contact[0])->range,
        "the impact of %u contacts changes the energy by %s J more than its "
        "impulses do and the momentum by %s (relative)",
        g->n, num_digits(e, got - W, 3), num_digits(p, m->momentum_error, 3));
    diag_help(s->a->ds, d,
              "look at the masses and inertias: a body may be "
              "extremely thin or light");
    return IMP_FAILED;
}

/* the law's remarks go to the record */
static void
remarks(struct simulation *s, const struct impact_of_run *in,
        const struct impact_solver *m)
{
    const char *text[GROUP_REMARKS];
    char t[NUM_TEXT];
    size_t n = impact_remarks(s->a, in, m, text, GROUP_REMARKS);
    num_digits(t, rt_time(s->a->rt), 9);
    for (size_t i = 0; i < n; i++) {
        if (s->remarks.n >= SIMULATE_REMARKS)
            s->left_out++;
        else
            simulate_remark(
                s, arena_printf(s->a->rt->brief, "t = %s s: %s", t, text[i]));
    }
}

static int
stop(struct simulation *s, const struct group *g, const char *why)
{
    char t[NUM_TEXT];
    for (uint32_t i = 0; i < g->n; i++)
        if (g->part[g->contact[i]] == PART_HIT)
            simulate_log_event(s, g->contact[i], "stop", "C-", 0.0);
    s->stopped = true;
    simulate_remark(s, arena_printf(s->a->rt->arena,
                                    "stopped before an impact at t = %s s: %s",
                                    num_digits(t, rt_time(s->a->rt), 9), why));
    return IMP_OK;
}

static const char *
names(struct simulation *s, const struct group *g)
{
    struct rt *r = s->a->rt;
    const char *list = "";
    for (uint32_t i = 0; i < g->n && i < 16; i++)
        list =
            arena_printf(r->arena, "%s%s`%s`", list,
                         i == 0          ? ""
                         : i + 1 == g->n ? " and "
                                         : ", ",
                         imp_text(r->im, rt_contact(r, g->contact[i])->name));
    return g->n > 16 ? arena_printf(r->arena, "%s ...", list) : list;
}

static int
undetermined(struct simulation *s, const struct group *g,
             const struct impact_solver *m)
{
    char t[NUM_TEXT];
    struct diag *d = impact_undetermined(s->a, s->c->range, m);
    diag_note(s->a->ds, d, rt_contact(s->a->rt, g->contact[0])->range,
              "the impact of %s at t = %s s; the run stops before it",
              names(s, g), num_digits(t, rt_time(s->a->rt), 9));
    diag_help(s->a->ds, d,
              "in a simulation the law stands in the model: world { law = "
              "complementarity }, sequential or least_norm");
    return stop(s, g, "its outcome is not determined");
}

static int
forbidden(struct simulation *s, const struct group *g,
          const struct impact_of_run *in, const struct impact_solver *m)
{
    char t[NUM_TEXT];
    const char *text[GROUP_REMARKS];
    struct diag *d = diag_add(s->a->ds, DIAG_W0723, s->c->range,
                              "the world forbids the impact of %s at t = %s "
                              "s: the run stops before it",
                              names(s, g), num_digits(t, rt_time(s->a->rt), 9));
    size_t n = impact_remarks(s->a, in, m, text, GROUP_REMARKS);
    for (size_t i = 0; i < n; i++)
        diag_note(s->a->ds, d, IMP_NOWHERE, "%s", text[i]);
    diag_help(s->a->ds, d,
              "name another `law`, or forbid less: `forbid` and `policy = "
              "stop` of the world");
    return stop(s, g, "the world forbids it");
}

/* rows, events, what comes next */
static int
after(struct simulation *s, const struct group *g,
      const struct impact_of_run *in, const struct impact_solver *m,
      const char *const *class)
{
    double big = 0;
    int st;
    for (int c = 0; c < m->nc; c++)
        big = fmax(big, fabs(m->P[c] * m->length[c]));
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t k = g->contact[i];
        double P = 0;
        for (int c = 0; c < m->nc; c++)
            if (in->contact[c] == k)
                P += m->P[c] * m->length[c];
        s->ct[k].watch = WATCH_LEAVE;
        /* one that touched before and takes no impulse had no event */
        if (g->part[k] == PART_HIT || fabs(P) > GROUP_CONSERVES * big)
            simulate_log_event(s, k, "impact", class[k] ? class[k] : "rest", P);
    }
    if ((st = simulate_row(s)))
        return st;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->part[g->contact[i]] == PART_HIT &&
            (st = simulate_count_impact(s, g->contact[i])))
            return st;
    return IMP_OK;
}

static int
together(struct simulation *s, struct group *g, uint32_t c,
         const char *const *class)
{
    struct analysis *a = s->a;
    enum imp_impact_law law = (enum imp_impact_law)a->rt->im->impact_law;
    struct impact_of_run in;
    struct impact_solver *m;
    int st;
    do {
        gather(g, c);
        if (g->n == 1 && impact_is_plain(a->rt, c)) {
            double impulse, nMn;
            if ((st = simulate_apply_handler(s, c, NULL, &impulse, &nMn)))
                return st;
            simulate_log_event(s, c, "impact", class[c], impulse);
            s->ct[c].watch = WATCH_LEAVE;
            return (st = simulate_row(s)) ? st : simulate_count_impact(s, c);
        }
        if ((st = impact_read(a, g->contact, g->n, &in)))
            return st;
        if (in.open != IMP_WORLD) {
            impact_report_open_normal(a, &in, DIAG_W0724, s->c->range);
            return stop(
                s, g,
                arena_printf(
                    a->rt->arena, "the normal of `%s` is set-valued",
                    imp_text(a->rt->im, rt_contact(a->rt, in.open)->name)));
        }
        if ((st = impact_prepare(a, &in, &m)))
            return st;
    } while (drop_open(g, &in, m, law));
    if ((st = impact_law_of_contacts(a, s->c->range, g->contact, g->n, &law)))
        return st;
    if (!solve(m, law)) {
        m->applied = false;
        m->fault = IMPACT_UNSETTLED;
    }
    if (m->applied && impact_forbidden(a, m))
        return forbidden(s, g, &in, m);
    remarks(s, &in, m);
    if (!m->applied)
        return undetermined(s, g, m);
    if ((st = audit(s, g, &in, m)))
        return st;
    if (m->gained > 0 && !a->rt->im->gain_allowed && !s->told_gain) {
        char e[NUM_TEXT], t[NUM_TEXT];
        s->told_gain = true;
        diag_add(a->ds, DIAG_W0721, s->c->range,
                 "the impact of %s at t = %s s raises the energy by %s J under "
                 "`%s`; more of this kind: see `warnings`",
                 names(s, g), num_digits(t, rt_time(a->rt), 9),
                 num_digits(e, m->gained, 6), impact_law_name[m->law]);
    }
    impact_of_run_write(a->rt, &in, m->twist);
    s->row_fresh = false;
    return after(s, g, &in, m, class);
}

int
simulate_impacts(struct simulation *s, const uint32_t *hit, uint32_t n,
                 const char *const *class, bool *done)
{
    struct rt *r = s->a->rt;
    struct group g = {.s = s};
    g.part = NEW_N(r->brief, unsigned char, s->n_contacts + 1);
    g.body = NEW_N(r->brief, bool, r->im->bodies.n + 1);
    g.contact = NEW_N(r->brief, uint32_t, s->n_contacts + 1);
    for (uint32_t i = 0; i < n; i++)
        g.part[hit[i]] = PART_HIT;
    for (uint32_t i = 0; i < n; i++) {
        if (g.part[hit[i]] != PART_HIT)
            continue;
        int st = together(s, &g, hit[i], class);
        if (st)
            return st;
        for (uint32_t k = 0; k < g.n; k++) {
            g.part[g.contact[k]] = PART_DONE;
            done[g.contact[k]] = true;
        }
    }
    return IMP_OK;
}
