/* SPDX-License-Identifier: MIT */
/* `chatter S`: the run of a linear system from its start to the verdict, and
 * what the eigenvalues of its relabelled maps say of every run
 * (spec/chatter.md part 2). Systems whose motion is no parabola are refused:
 * `simulate` follows them. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter_priv.h"
#include "base/num.h"
#include "runtime/dense.h"
#include "runtime/flow.h"

/* entries of `order` that are kept */
#define ORDER_MOST 1000
/* contacts without a symmetry for which a drop is looked for: the work grows
 * with the third power */
#define DROP_MOST 200

static int
not_linear(struct analysis *a, const imp_system *s, imp_range where)
{
    struct diag *d =
        diag_add(a->ds, DIAG_E0732, where,
                 "`%s` is not linear: its mass matrix or its acceleration "
                 "change with the state, or a gap is not linear",
                 imp_text(a->rt->im, s->name));
    diag_note(a->ds, d, s->range, "the system");
    diag_help(a->ds, d,
              "simulate { until = ... } follows it and finds limits of "
              "chatter too; for small rotations write sin(phi) as phi");
    return IMP_BADMODEL;
}

/* -- the nearly flat drop ---------------------------------------------------
 */

/* does start { ... } say nothing that moves the system? */
static bool
unstated(const struct analysis *a, const imp_system *s)
{
    const imp_image *im = a->rt->im;
    const imp_coordinate *c =
        IMP_ARRAY(im, im->coordinates, imp_coordinate) + s->first;
    const double *v = a->rt->env + s->env_state + s->n;
    for (uint32_t i = 0; i < s->n; i++)
        if (v[i] != 0.0 ||
            memcmp(&c[i].range, &c[i].range_start, sizeof c[i].range))
            return false;
    return true;
}

/* matrices of the system at its start, without looking at its state */
static int
matrices(struct analysis *a, uint32_t system, struct line **l)
{
    struct rt *r = a->rt;
    const imp_system *s = rt_system(r, system);
    size_t n = s->n, m = s->n_contact;
    double h, rate, *M = NEW_N(r->arena, double, n *n + n * m + n + 2 * m + 1);
    double *N = M + n * n, *acc = N + n * m, *c = acc + n, *e = c + m;
    const double *q = r->env + s->env_state;
    int st = system_mass(r, system, M);
    if (!st)
        st = motion_series(r, s->block, 2, &h);
    const imp_block *b = IMP_ARRAY(r->im, r->im->blocks, imp_block) + s->block;
    const uint32_t *row = IMP_ARRAY(r->im, b->rows, uint32_t);
    for (size_t j = 0; j < n && !st; j++)
        acc[j] =
            r->work[s->block][row[n + j] * IMP_ROW_STRIDE + IMP_ROW_PAD + 1];
    for (uint32_t i = 0; i < m && !st; i++) {
        st = system_gap(r, system, i, &c[i], &rate, N + i * n);
        for (size_t j = 0; j < n; j++)
            c[i] -= N[i * n + j] * q[j];
        e[i] =
            r->env[rt_contact(r, s->contact + i)->env_contact + IMP_CONTACT_E];
    }
    if (st)
        return st;
    struct line_model model = {.n = (int)n,
                               .m = (int)m,
                               .mass = M,
                               .acc = acc,
                               .N = N,
                               .c = c,
                               .e = e};
    if (!line_new(r->arena, &model, l))
        return IMP_OK;
    *l = NULL; /* flow_new tells what is wrong */
    return IMP_OK;
}

/* y with sum of N_i^T y_i/sqrt(W_ii) as near to the gaps g as can be, by the
 * modes of the symmetry: the cosines are F F^T, F^T F is diagonal */
static void
by_modes(const struct line *l, const struct relabel *f, const double *g,
         double *y)
{
    int m = f->m, r = f->rank;
    for (int i = 0; i < m; i++)
        y[i] = 0.0;
    for (int k = 0; k < r; k++) {
        double s = 0.0;
        for (int i = 0; i < m; i++) {
            int c = f->order[i];
            s += f->F[i * r + k] * g[c] / sqrt(l->k.W[c * (m + 1)]);
        }
        s /= f->mode[k] * f->mode[k];
        for (int i = 0; i < m; i++)
            y[f->order[i]] += f->F[i * r + k] * s;
    }
}

/* the same without a symmetry */
static void
by_svd(struct analysis *a, const struct line *l, const double *g, double *y)
{
    int m = l->model.m;
    size_t um = (size_t)m;
    double *C = NEW_N(a->rt->arena, double, 2 * um * um + 3 * um);
    double *V = C + um * um, *s = V + um * um, *b = s + um, *w = b + um;
    for (int i = 0; i < m; i++) {
        b[i] = g[i] / sqrt(l->k.W[i * (m + 1)]);
        for (int j = 0; j < m; j++)
            C[j * m + i] = l->k.W[i * m + j] /
                           sqrt(l->k.W[i * (m + 1)] * l->k.W[j * (m + 1)]);
    }
    int rank = 0;
    dense_svd(m, m, C, V, s);
    /* data of 9 digits: feet on a circle given so have rank 3 */
    while (rank < m && s[rank] > 1e-9 * s[0])
        rank++;
    dense_svd_solve(m, m, C, V, s, rank, b, y, w);
}

/* x (coordinates) with N x as near to g as can be, least in the metric of M */
static void
reach(struct analysis *a, const struct line *l, const struct relabel *f,
      const double *g, double *x)
{
    int m = l->model.m, n = l->model.n;
    double *y = NEW_N(a->rt->arena, double, (size_t)m);
    if (f->found == RELABEL_YES)
        by_modes(l, f, g, y);
    else
        by_svd(a, l, g, y);
    for (int j = 0; j < n; j++)
        x[j] = 0.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            x[j] += l->k.B[i * n + j] * y[i] / sqrt(l->k.W[i * (m + 1)]);
}

/* Puts the drop into the state. False: no motion has all gaps open and
 * closing. */
static bool
drop(struct analysis *a, const imp_system *s, const struct line *l,
     const struct relabel *f)
{
    static const double turn = 6.28318530717958647692;
    int m = l->model.m, n = l->model.n;
    double *g = NEW_N(a->rt->arena, double, 2 * (size_t)m + 2 * (size_t)n);
    double *u = g + m, *q = u + m, *v = q + n;
    bool found = f->found == RELABEL_YES;
    for (int k = 0; k < m; k++) {
        int i = found ? f->order[k] : k;
        double co = cos(turn * k / m),
               si = 2 * k == m ? 0.0 : sin(turn * k / m);
        double size =
            found ? sqrt(l->k.W[i * (m + 1)] / l->k.W[f->order[0] * (m + 1)])
                  : 1.0;
        g[i] = size * (1.0 + 0.01 * co + 0.02 * si) - l->k.c0[i];
        u[i] = -size * (1.0 + 0.05 * co + 0.03 * si);
    }
    if (!found && m > DROP_MOST)
        return false;
    reach(a, l, f, g, q);
    reach(a, l, f, u, v);
    for (int i = 0; i < m; i++) {
        const double *N = l->model.N + i * n;
        double gap = l->k.c0[i], rate = 0.0;
        for (int j = 0; j < n; j++) {
            gap += N[j] * q[j];
            rate += N[j] * v[j];
        }
        if (!(gap > 0.0) || !(rate < 0.0))
            return false;
    }
    double *env = a->rt->env + s->env_state;
    for (int j = 0; j < n; j++) {
        env[j] = l->k.origin[j] + q[j];
        env[n + j] = v[j];
    }
    return true;
}

static int
no_drop(struct analysis *a, const imp_system *s, imp_range where)
{
    struct diag *d = diag_add(
        a->ds, DIAG_E0733, where,
        "`%s` has no start, and no nearly flat drop was found in which "
        "all its gaps are open and close",
        imp_text(a->rt->im, s->name));
    diag_note(a->ds, d, s->range, "the system");
    diag_help(a->ds, d, "state one: start { h = 1  h' = -1 }");
    return IMP_BADMODEL;
}

/* -- the record of the run --------------------------------------------------
 */

static void
set_number(struct analysis *a, struct rec *out, const char *field, double x,
           const char *absent)
{
    if (absent)
        SET_ABSENT(field, absent);
    else
        SET_NUM(field, x);
}

static void
set_names(struct analysis *a, const imp_system *s,
          const struct chatter_run *run, struct rec *out)
{
    size_t n = run->n_order < ORDER_MOST ? run->n_order : ORDER_MOST, k = 0;
    const char **name = NEW_N(a->rt->arena, const char *, n + s->n_contact + 1);
    for (size_t i = 0; i < n; i++)
        name[i] = chatter_contact(a, s, run->order[i]);
    SET_TEXTS("order", name, n);
    for (uint32_t i = 0; i < s->n_contact; i++)
        if (run->group[i])
            name[n + k++] = chatter_contact(a, s, (int)i);
    SET_TEXTS("group", name + n, k);
}

static void
set_after(struct analysis *a, const imp_system *s,
          const struct chatter_run *run, struct rec *out)
{
    char t[NUM_TEXT];
    switch (run->after) {
    case CHATTER_NOTHING:
        SET_ABSENT("afterwards", "the chatter is not partial");
        return;
    case CHATTER_FREE:
        SET_TEXT("afterwards", "no contact closes again");
        return;
    case CHATTER_CLOSES:
        SET_TEXT("afterwards",
                 arena_printf(rec_arena(a), "%s closes at t = %s s",
                              chatter_contact(a, s, run->after_contact),
                              num_digits(t, run->after_time, 9)));
        return;
    case CHATTER_TOGETHER:
        SET_TEXT("afterwards",
                 arena_printf(rec_arena(a),
                              "%s closes at t = %s s while others are closed: "
                              "simultaneous impacts, what follows depends on "
                              "their order",
                              chatter_contact(a, s, run->after_contact),
                              num_digits(t, run->after_time, 9)));
    }
}

/* what the reader should know: a run that theory excludes, sums of orders that
 * do not repeat */
static void
set_warnings(struct analysis *a, const struct chatter_run *run,
             const struct chatter_says *says, struct rec *out)
{
    const char *w[3];
    size_t n = 0;
    bool complete = run->limit && run->verdict == CHATTER_COMPLETE;
    bool partial = run->verdict == CHATTER_PARTIAL;
    if ((complete && !strcmp(says->stable, "no")) ||
        (partial && !strcmp(says->partially, "no")))
        w[n++] = "the run contradicts `because`: the restitution is near the "
                 "critical one, or rounding has decided";
    if (says->predicted && run->verdict != CHATTER_SIMULTANEOUS &&
        run->verdict != CHATTER_ENDLESS &&
        complete != (says->predicted[0] == 'c'))
        w[n++] = "the run contradicts Theorem 3: the velocity at the start is "
                 "near the border, or rounding has decided";
    if (run->limit && run->chatter.error >= 1.0)
        w[n++] = "the flights have not come to one ratio; what remains is "
                 "below the rounding of the time, and ratio and exponent are "
                 "fitted";
    SET_TEXTS("warnings", w, n);
}

static int
set_run(struct analysis *a, const imp_system *s, const struct chatter_run *run,
        struct rec *out)
{
    static const char *const word[] = {[CHATTER_COMPLETE] = "complete",
                                       [CHATTER_PARTIAL] = "partial",
                                       [CHATTER_INCOMPLETE] = "incomplete",
                                       [CHATTER_SIMULTANEOUS] = "simultaneous"};
    if (run->verdict == CHATTER_ENDLESS)
        SET_ABSENT("verdict", arena_printf(rec_arena(a),
                                           "still going on after %ld impacts; "
                                           "raise `events`",
                                           run->impacts));
    else
        SET_TEXT("verdict", word[run->verdict]);
    SET_NUM("impacts", (double)run->impacts);
    SET_NUM("time", run->time);
    set_number(a, out, "last_impact", run->last,
               isnan(run->last) ? "no impact" : NULL);
    const char *none = run->limit ? NULL : "no infinite sequence of impacts";
    set_number(a, out, "remaining", run->chatter.remaining, none);
    set_number(a, out, "period", run->chatter.period, none);
    set_number(a, out, "ratio", run->chatter.ratio, none);
    set_number(a, out, "error", run->chatter.error, none);
    set_number(a, out, "speed_ratio", run->speed,
               none               ? none
               : run->speed > 0.0 ? NULL
                                  : "the order never repeats, or is made of "
                                    "limits itself");
    set_number(a, out, "exponent", run->exponent,
               none ? none : run->no_exponent);
    set_names(a, s, run, out);
    set_after(a, s, run, out);
    return IMP_OK;
}

/* what the run itself tells: a sweep may want no more, and the stability costs
 * many times as much */
static const char *const of_run[] = {
    "verdict", "start", "impacts",     "time",  "last_impact", "remaining",
    "period",  "ratio", "speed_ratio", "error", "exponent",    "afterwards"};

int
cmd_chatter(struct analysis *a, const imp_command *c, struct rec *out)
{
    struct rt *r = a->rt;
    uint32_t system = arg_items(a, c)[0].ref;
    const imp_system *s = rt_system(r, system);
    struct line *l;
    struct relabel sym;
    struct chatter_run run;
    struct chatter_says says;
    enum line_policy policy;
    double resolve, most;
    int st;
    if (!(s->flags & IMP_SYSTEMF_LINE))
        return not_linear(a, s, arg_items(a, c)[0].range);
    if ((st = arg_number(a, c, IMP_OPT_chatter_resolve, 16.0, &resolve)) ||
        (st = arg_number(a, c, IMP_OPT_chatter_events, 1e5, &most)) ||
        (st = system_policy(a, c->range, &policy)))
        return st;
    bool flat = unstated(a, s);
    if (flat) {
        if ((st = matrices(a, system, &l)))
            return st;
        if (l) {
            chatter_symmetry(a, l, &sym);
            if (!drop(a, s, l, &sym))
                return no_drop(a, s, arg_items(a, c)[0].range);
        }
    }
    struct flow *f = flow_new(r, system, policy);
    if (!f)
        return IMP_BADMODEL;
    l = flow_line(f);
    chatter_symmetry(a, l, &sym);
    double *u = NEW_N(r->arena, double, (size_t)l->model.m + 1);
    for (int i = 0; i < l->model.m; i++)
        u[i] = line_rate(l, i, NULL);
    bool stability =
        rec_wants_beyond(r->im, out, of_run, sizeof of_run / sizeof *of_run);
    if (stability && (st = chatter_stability(a, s, l, &sym, u, out, &says)))
        return st;
    chatter_follow(r->arena, l, (long)fmin(resolve, 1e9), (long)fmin(most, 1e9),
                   &run);
    if (run.verdict == CHATTER_JAMMED)
        return flow_jammed(r, s->contact, run.time);
    if (stability)
        set_warnings(a, &run, &says, out);
    SET_TEXT("start", flat ? "nearly flat drop" : "given");
    return set_run(a, s, &run, out);
}
