/* SPDX-License-Identifier: MIT */
/* `similar S`: motions in which every impact is the one before, turned and
 * smaller (spec/chatter.md 3.3, 3.4). What they are is found by
 * runtime/returnmap/self_similar.h from masses and contacts alone; here they
 * become states of the coordinates, and those that are feasible are followed
 * for a round of all contacts, to see that they do repeat. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/flow/flow.h"
#include "runtime/numerics/dense.h"
#include "runtime/returnmap/self_similar.h"

/* accelerations of gaps that differ by less than this share are alike: data of
 * 9 digits, as cosines in symmetry.c */
#define SELF_SIMILAR_SAME 1e-9
/* multipliers nearer to 1 than this are neutral: next to a double eigenvalue
 * rounding leaves half of the digits */
#define SELF_SIMILAR_NEUTRAL 1e-7

struct ask {
    struct analysis *a;
    const imp_system *s;
    imp_range where;
    struct ballistic *l;
    const struct symmetry *sym;
    struct self_similar found;
    double flight, acc;
    int *word, n_word; /* a given order of contacts; NULL: by the symmetry */
    double lunit, vunit, eunit; /* of q, p and energies in SI units */
    double *q, *v;              /* found.n x n: states of the coordinates */
};

/* -- what cannot be asked ---------------------------------------------------
 */

static int
refuse(struct ask *k, const char *why, const char *help)
{
    struct diag *d = diag_add(k->a->ds, DIAG_E0736, k->where,
                              "`%s` has no self-similar motions: %s",
                              imp_text(k->a->rt->im, k->s->name), why);
    diag_note(k->a->ds, d, k->s->range, "the system");
    diag_help(k->a->ds, d, "%s", help);
    return IMP_BADMODEL;
}

/* the common acceleration of all gaps over sqrt(W_ii) */
static int
acceleration(struct ask *k)
{
    const struct contact_matrices *c = &k->l->k;
    int m = k->l->model.m, least = 0, most = 0;
    double *x = NEW_N(k->a->rt->arena, double, (size_t)m + 1), sum = 0.0;
    for (int i = 0; i < m; i++) {
        x[i] = c->nf[i] / sqrt(c->W[i * (m + 1)]);
        least = x[i] < x[least] ? i : least;
        most = x[i] > x[most] ? i : most;
        sum += x[i];
    }
    k->acc = chatter_accelerates(k->l) ? sum / m : 0.0;
    double size = fmax(fabs(x[least]), fabs(x[most]));
    if (k->acc == 0.0 && !chatter_accelerates(k->l))
        return IMP_OK;
    if (x[most] - x[least] <= SELF_SIMILAR_SAME * size)
        return IMP_OK;
    return refuse(k,
                  arena_printf(k->a->rt->arena,
                               "the gaps of %s and %s accelerate differently, "
                               "so the motion cannot turn from one to the next",
                               chatter_contact(k->a, k->s, least),
                               chatter_contact(k->a, k->s, most)),
                  "accelerations must have the symmetry of masses and "
                  "contacts; without gravity there are motions of their own");
}

static int
closes(struct ask *k)
{
    for (int i = 0; i < k->l->model.m; i++)
        if (k->l->k.c0[i] != 0.0)
            return refuse(
                k,
                arena_printf(k->a->rt->arena,
                             "the gap of %s cannot be closed together with the "
                             "others, so nothing can shrink towards it",
                             chatter_contact(k->a, k->s, i)),
                "look at the constants in the gaps");
    return IMP_OK;
}

static int
suits(struct ask *k)
{
    const struct symmetry *s = k->sym;
    struct arena *ar = k->a->rt->arena;
    if (k->word && chatter_accelerates(k->l))
        return refuse(k,
                      "under acceleration those of a given order are not "
                      "looked for",
                      "leave out `order`, or the acceleration");
    if (k->word)
        return closes(k);
    if (s->found != SYMMETRY_YES && s->found != SYMMETRY_SINGLE)
        return refuse(
            k,
            arena_printf(ar, "masses and contacts have no symmetry (%s)",
                         chatter_symmetry_text(k->a, k->s, s)),
            "without a symmetry say in which order the contacts are hit: order "
            "= (...); `chatter` follows any linear system");
    int st = closes(k);
    if (!st)
        st = acceleration(k);
    if (!st && k->acc != 0.0 && s->rank > SELF_SIMILAR_RANK)
        return refuse(
            k,
            arena_printf(ar,
                         "not known: the gaps move in %d dimensions, and under "
                         "acceleration at most %d are looked at",
                         s->rank, SELF_SIMILAR_RANK),
            "without acceleration any number can be asked for");
    return st;
}

/* -- states -----------------------------------------------------------------
 */

/* x (n) := the coordinates in which the gaps over sqrt(W_ii) are F z */
static void
coordinates(const struct ask *k, const double *z, double scale, double *x)
{
    const struct symmetry *s = k->sym;
    const struct ballistic *l = k->l;
    int m = s->m, n = l->model.n, r = s->rank;
    for (int j = 0; j < n; j++)
        x[j] = 0.0;
    for (int i = 0; i < m; i++) {
        int c = s->order[i];
        double y = 0.0;
        for (int j = 0; j < r; j++)
            y += s->F[i * r + j] * z[j] / s->mode[j];
        for (int j = 0; j < n; j++)
            x[j] += l->k.B[c * n + j] * y / sqrt(l->k.W[c * (m + 1)]);
    }
    for (int j = 0; j < n; j++)
        x[j] *= scale;
}

static void
cosines(const struct ballistic *l, double *C)
{
    int m = l->model.m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            C[j * m + i] =
                i == j ? 1.0
                       : l->k.W[i * m + j] /
                             sqrt(l->k.W[i * (m + 1)] * l->k.W[j * (m + 1)]);
}

/* the same for gaps g (m) over sqrt(W_ii) */
static void
from_gaps(const struct ask *k, const double *g, double scale, double *x)
{
    const struct ballistic *l = k->l;
    int m = l->model.m, n = l->model.n;
    size_t um = (size_t)m;
    double *C = NEW_N(k->a->rt->arena, double, 2 * um * um + 3 * um);
    double *V = C + um * um, *s = V + um * um, *y = s + um, *room = y + um;
    cosines(l, C);
    dense_svd(m, m, C, V, s);
    dense_svd_solve(m, m, C, V, s, l->k.r, g, y, room);
    for (int j = 0; j < n; j++)
        x[j] = 0.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            x[j] +=
                scale * l->k.B[i * n + j] * y[i] / sqrt(l->k.W[i * (m + 1)]);
}

static double
kinetic(const struct ballistic *l, const double *v)
{
    double s = 0.0;
    for (int i = 0; i < l->model.n; i++)
        for (int j = 0; j < l->model.n; j++)
            s += 0.5 * v[i] * l->model.mass[i * l->model.n + j] * v[j];
    return s;
}

/* contact at a place of the order in which gaps and F are numbered */
static int
contact_at(const struct ask *k, int place)
{
    return k->word ? place : k->sym->order[place];
}

/* contact of impact i */
static int
hit(const struct ask *k, long i)
{
    return k->word ? k->word[i % k->n_word]
                   : k->sym->order[i * k->found.step % k->sym->m];
}

static void
states(struct ask *k)
{
    int n = k->l->model.n, first = hit(k, 0);
    double unit = 1.0 / sqrt(k->l->k.W[first * (k->l->model.m + 1)]);
    bool free = k->found.kind == SELF_SIMILAR_FREE;
    k->vunit = free ? unit : k->flight;
    k->lunit = k->vunit * k->flight;
    k->eunit = k->vunit * k->vunit;
    k->q = NEW_N(k->a->rt->arena, double, (size_t)(2 * k->found.n * n) + 1);
    k->v = k->q + k->found.n * n;
    for (int i = 0; i < k->found.n; i++) {
        struct self_similar_motion *o = &k->found.v[i];
        double *q = k->q + i * n, *v = k->v + i * n;
        (k->word ? from_gaps : coordinates)(k, o->q, k->lunit, q);
        (k->word ? from_gaps : coordinates)(k, o->p, k->vunit, v);
        if (k->word)
            o->energy = kinetic(k->l, v) / k->eunit;
        for (int j = 0; j < n; j++)
            q[j] += k->l->k.origin[j];
    }
}

/* -- following it -----------------------------------------------------------
 */

/* how far flights and impact speeds are from the motion's, in two periods of
 * the order or a round of the symmetry; *wrong: the contact that came instead
 * of the right one, m: several */
static double
deviation(struct ask *k, const struct self_similar_motion *o, int *wrong)
{
    struct ballistic *l = k->l;
    int m = l->model.m, n = k->word ? k->n_word : 1;
    int last = k->word ? 2 * n : m;
    double *u = NEW_N(k->a->rt->arena, double, 2 * (size_t)n), *t = u + n;
    double worst = 0.0;
    *wrong = -1;
    l->policy = BALLISTIC_REPORT;
    if (!ballistic_start(l, 0.0, k->q, k->v, 0.0))
        return INFINITY;
    t[0] = k->flight;
    for (int i = 0; i <= last; i++) {
        int c = hit(k, i), ex;
        enum ballistic_event what = accumulation_next(l, INFINITY);
        if (what != BALLISTIC_IMPACT || l->hit != c) {
            *wrong = what == BALLISTIC_IMPACT ? l->hit : m;
            return INFINITY;
        }
        /* by the impulse: a contact without restitution has no rate left */
        double x = l->impulse[c] * sqrt(l->k.W[c * (m + 1)]);
        if (i < n)
            u[i] = x;
        worst =
            fmax(worst, fabs(x / (u[i % n] * pow(o->bp, (int)(i / n))) - 1.0));
        if (!i)
            continue;
        x = impact_history_last_flight(l, &ex);
        x = ldexp(x, ex);
        if (i > 1 && i <= n)
            t[i - 1] = x;
        double ratio = pow(o->bt, (int)((i - 1) / n));
        worst = fmax(worst, fabs(x / (t[(i - 1) % n] * ratio) - 1.0));
    }
    return worst;
}

/* -- the record -------------------------------------------------------------
 */

static const char *
verdict_text(struct ask *k, const struct self_similar_motion *o)
{
    struct arena *ar = record_arena(k->a);
    const char *worst =
        o->worst < 0 ? "?"
                     : chatter_contact(k->a, k->s, contact_at(k, o->worst));
    switch (o->verdict) {
    case SELF_SIMILAR_FEASIBLE:
        return "feasible";
    case SELF_SIMILAR_RECEDES:
        return arena_printf(ar, "%s would move away instead of being hit",
                            chatter_contact(k->a, k->s, hit(k, 0)));
    case SELF_SIMILAR_BACK:
        return "a flight would go back in time: the contacts come in another "
               "order";
    case SELF_SIMILAR_BELOW:
        return arena_printf(ar, "%s would be below the ground", worst);
    case SELF_SIMILAR_DIPS:
        return arena_printf(ar, "%s would go below the ground in flight",
                            worst);
    case SELF_SIMILAR_UNBOUNDED:
        break;
    }
    return "its state is not finite: the ratio is an eigenvalue of the "
           "impacts";
}

static double
greatest(const struct self_similar_motion *o)
{
    return o->n_multiplier ? hypot(o->multiplier[0], o->multiplier_im[0]) : 0.0;
}

static const char *
because(const struct ask *k)
{
    bool free = k->found.kind == SELF_SIMILAR_FREE;
    if (k->word)
        return k->found.n
                   ? "real positive eigenvalues of a period: one of its "
                     "impacts, by which velocities shrink, and a smaller one "
                     "of "
                     "the flights between them, by which gaps do"
                   : "the impacts and flights of a period have no two "
                     "eigenvalues that are real and positive, the flights' "
                     "the smaller one, or a contact of the order recedes";
    if (k->found.n)
        return free ? "pairs of real positive eigenvalues of the relabelled "
                      "map: velocities shrink by the greater one, gaps by the "
                      "smaller one"
                    : "roots of pi(b) between 0 and 1: velocities and flights "
                      "shrink by b, gaps by b^2";
    if (k->sym->e >= 1.0)
        return "no energy is lost";
    if (free && k->sym->m == 1)
        return "without acceleration one contact is hit once";
    return free ? "the relabelled map has no two eigenvalues that are real, "
                  "positive and different"
                : "pi(b) has no root between 0 and 1";
}

static void
set_lists(struct ask *k, struct record *out)
{
    struct analysis *a = k->a;
    size_t n = (size_t)k->found.n, c = (size_t)k->l->model.n;
    double *x = NEW_N(a->rt->arena, double, 7 * n + 1);
    const char **t = NEW_N(a->rt->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct self_similar_motion *o = &k->found.v[i];
        t[i] = verdict_text(k, o);
        x[i] = o->bp;
        x[n + i] = o->bq;
        x[2 * n + i] = o->bt;
        x[3 * n + i] = o->error;
        x[4 * n + i] = o->exponent;
        x[5 * n + i] = greatest(o);
        x[6 * n + i] = o->margin;
    }
    record_set_texts(out, "verdicts", t, n);
    record_set_list(out, "speed_ratios", x, n);
    record_set_list(out, "gap_ratios", x + n, n);
    record_set_list(out, "flight_ratios", x + 2 * n, n);
    record_set_list(out, "errors", x + 3 * n, n);
    record_set_list(out, "exponents", x + 4 * n, n);
    record_set_list(out, "greatest_multipliers", x + 5 * n, n);
    record_set_list(out, "margins", x + 6 * n, n);
    record_set_matrix(out, "positions", k->q, n, c);
    record_set_matrix(out, "rates", k->v, n, c);
}

static void
set_first(struct ask *k, struct record *out)
{
    static const char *const fields[] = {
        "speed_ratio", "gap_ratio",   "flight_ratio",   "remaining",
        "exponent",    "energy",      "energy_upper",   "energy_lower",
        "stable",      "multipliers", "multipliers_im", "greatest_multiplier",
        "deviation"};
    struct analysis *a = k->a;
    const char *w[2];
    size_t n = 0;
    if (k->found.tied)
        w[n++] = "eigenvalues that cannot be told from equal ones were left "
                 "out: the restitution is a critical one within rounding";
    if (!k->found.feasible) {
        record_set_absent_all(out, fields, sizeof fields / sizeof *fields,
                              k->found.n ? "no motion is feasible"
                                         : "there is no such motion");
        record_set_texts(out, "warnings", w, n);
        return;
    }
    const struct self_similar_motion *o = &k->found.v[0];
    double left = k->flight * o->period / (1.0 - o->bt),
           energy = o->energy * k->eunit;
    double upper = energy * pow(left, -o->exponent), g = greatest(o);
    record_set_number(out, "speed_ratio", o->bp);
    record_set_number(out, "gap_ratio", o->bq);
    record_set_number(out, "flight_ratio", o->bt);
    record_set_number(out, "remaining", left);
    record_set_number(out, "exponent", o->exponent);
    record_set_number(out, "energy", energy);
    if (k->word) {
        record_set_absent(out, "energy_upper", "a period has several impacts");
        record_set_absent(out, "energy_lower", "a period has several impacts");
    } else {
        record_set_number(out, "energy_upper", upper);
        record_set_number(out, "energy_lower", upper * o->bp * o->bp);
    }
    record_set_text(out, "stable",
                    fabs(g - 1.0) <= SELF_SIMILAR_NEUTRAL ? "neutral"
                    : g < 1.0                             ? "yes"
                                                          : "no");
    record_set_list(out, "multipliers", o->multiplier, (size_t)o->n_multiplier);
    record_set_list(out, "multipliers_im", o->multiplier_im,
                    (size_t)o->n_multiplier);
    record_set_number(out, "greatest_multiplier", g);
    int wrong;
    accumulation_resolve(k->l, 1L << 60); /* no limit in between */
    double d = deviation(k, o, &wrong);
    accumulation_resolve(k->l, ACCUMULATION_RESOLVE);
    if (isfinite(d))
        record_set_number(out, "deviation", d);
    else
        record_set_absent(out, "deviation",
                          wrong >= 0 && wrong < k->l->model.m
                              ? arena_printf(record_arena(a),
                                             "%s comes first instead",
                                             chatter_contact(a, k->s, wrong))
                              : "several contacts close together");
    if (!isfinite(d))
        w[n++] = "the motion does not repeat when it is followed from its "
                 "state";
    record_set_texts(out, "warnings", w, n);
}

static int
set_record(struct ask *k, struct record *out)
{
    static const char *const kind[] = {[SELF_SIMILAR_FREE] = "free",
                                       [SELF_SIMILAR_FALLING] = "falling",
                                       [SELF_SIMILAR_SLIDING] = "sliding"};
    struct analysis *a = k->a;
    int m = k->l->model.m, n = k->n_word;
    for (int i = 0; !k->word && (i == 0 || hit(k, i) != hit(k, 0)); i++)
        n = i + 1;
    const char **t = NEW_N(a->rt->arena, const char *, (size_t)(n + m));
    for (int i = 0; i < n; i++)
        t[i] = chatter_contact(a, k->s, hit(k, i));
    record_set_text(out, "kind", kind[k->found.kind]);
    record_set_text(out, "symmetry", chatter_symmetry_text(a, k->s, k->sym));
    record_set_texts(out, "order", t, (size_t)n);
    record_set_number(out, "found", k->found.n);
    record_set_number(out, "feasible", k->found.feasible);
    record_set_text(out, "because", because(k));
    set_lists(k, out);
    set_first(k, out);
    return IMP_OK;
}

static int
steps(struct ask *k, const imp_command *c, int *step)
{
    double x;
    int m = k->sym->m, st = arg_number(k->a, c, IMP_OPT_similar_step, 1.0, &x);
    if (st)
        return st;
    *step = m > 1 ? (int)x : 0;
    if (x == floor(x) && x >= 1.0 && x <= fmax(m - 1, 1))
        return IMP_OK;
    const imp_val *v = arg_option(k->a, c, IMP_OPT_similar_step);
    diag_add(k->a->ds, DIAG_E0405, v ? v->range : c->range,
             "`step` is a whole number from 1 to %d, one less than there are "
             "contacts",
             m > 1 ? m - 1 : 1);
    return IMP_BADMODEL;
}

/* the contacts of `order`, numbers within the system */
static int
read_order(struct ask *k, const imp_command *c)
{
    struct analysis *a = k->a;
    const imp_val *v = arg_option(a, c, IMP_OPT_similar_order);
    if (!v)
        return IMP_OK;
    const imp_val *item = val_items(a, v);
    int n = (int)v->items.n;
    k->word = NEW_N(a->rt->arena, int, (size_t)n + 1);
    k->n_word = n;
    for (int i = 0; i < n; i++) {
        k->word[i] = (int)(item[i].ref - k->s->contact);
        if (item[i].ref >= k->s->contact && k->word[i] < k->l->model.m)
            continue;
        struct diag *d = diag_add(
            a->ds, DIAG_E0405, item[i].range, "`%s` is no contact of `%s`",
            imp_text(a->rt->im, rt_contact(a->rt, item[i].ref)->name),
            imp_text(a->rt->im, k->s->name));
        diag_note(a->ds, d, k->s->range, "the system");
        return IMP_BADMODEL;
    }
    const imp_val *step = arg_option(a, c, IMP_OPT_similar_step);
    if (!step)
        return IMP_OK;
    diag_add(a->ds, DIAG_E0405, step->range,
             "`order` and `step` both say which contact comes next");
    return IMP_BADMODEL;
}

static int
find(struct ask *k, const imp_command *c)
{
    struct arena *ar = k->a->rt->arena;
    int step, m = k->l->model.m;
    if (k->word) {
        double *C = NEW_N(ar, double, (size_t)(m * m));
        cosines(k->l, C);
        return self_similar_order(ar, m, k->l->k.r, C, k->l->model.e, k->word,
                                  k->n_word, &k->found)
                   ? IMP_NONFINITE
                   : IMP_OK;
    }
    int st = steps(k, c, &step);
    if (st)
        return st;
    return self_similar_find(ar, k->sym, step, k->acc, &k->found)
               ? IMP_NONFINITE
               : IMP_OK;
}

static int
cmd_similar(struct analysis *a, const imp_command *c, struct record *out)
{
    const imp_val *arg = &arg_items(a, c)[0];
    struct ask k = {
        .a = a, .s = rt_system(a->rt, arg->ref), .where = arg->range};
    int st;
    if (!(k.s->flags & IMP_SYSTEMF_LINE))
        return chatter_not_linear(a, k.s, k.where);
    if ((st = arg_number(a, c, IMP_OPT_similar_flight, 1.0, &k.flight)) ||
        (st = flow_matrices(a->rt, arg->ref, &k.l)) || (st = read_order(&k, c)))
        return st;
    k.sym = chatter_symmetry(a, arg->ref, k.l);
    if ((st = suits(&k)))
        return st;
    st = find(&k, c);
    if (st == IMP_NONFINITE)
        return command_failed(a, st, c->range, "the eigenvalues");
    if (st)
        return st;
    states(&k);
    return set_record(&k, out);
}

const struct command_functions command_similar = {.run = cmd_similar};
