/* SPDX-License-Identifier: MIT */
/* `impact` at contacts of a system: rates of the coordinates before and after,
 * impulses, energies. As with bodies the contacts must touch, at the start or
 * at the end of a motion that is followed as far as `until` allows. With
 * N = dgap/dq:  q'+ = q'- + M^-1 N^T P, the law between N q'- and N q'+ gives
 * P (runtime/ballistic/ballistic.h); at one contact it is a map U of the rates.
 */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/instance/system.h"
#include "runtime/numerics/dense.h"

/* gaps at the start closed by less than this share of what the coordinates make
 * of them touch, as in flow.c */
#define STRIKE_CLOSED 1e-9
/* events that are followed on the way to the impact */
#define STRIKE_EVENTS 100000

struct strike {
    struct analysis *a;
    const imp_command *c;
    const imp_system *s;
    uint32_t system, n, m;
    int *hit; /* contacts of the system that close, in the order asked for */
    int n_hit;
    bool *rests;               /* m: closed, and neither closing nor opening */
    double *gap, *rate, *size; /* m: at the instant; of the gap's terms */
};

static const char *
name_of(const struct strike *k, int i)
{
    const struct rt *r = k->a->rt;
    return imp_text(r->im, rt_contact(r, k->s->contact + (uint32_t)i)->name);
}

static int
gaps(struct strike *k)
{
    struct rt *r = k->a->rt;
    const double *q = r->env + k->s->env_state;
    double *N = NEW_N(r->arena, double, k->n + 1);
    for (uint32_t i = 0; i < k->m; i++) {
        int st = system_gap(r, k->system, i, &k->gap[i], &k->rate[i], N);
        if (st)
            return st;
        k->size[i] = fabs(k->gap[i]);
        for (uint32_t j = 0; j < k->n; j++)
            k->size[i] = fmax(k->size[i], fabs(N[j] * q[j]));
    }
    return IMP_OK;
}

static bool
closed(const struct strike *k, int i)
{
    return k->gap[i] <= STRIKE_CLOSED * k->size[i];
}

static int
not_closed(struct strike *k, int i)
{
    char g[NUM_TEXT], t[NUM_TEXT];
    struct analysis *a = k->a;
    bool start = rt_time(a->rt) == 0.0;
    struct diag *d = diag_add(
        a->ds, DIAG_E0709, k->c->range,
        start ? "`%s` does not touch at the start: its gap is %s"
              : "`%s` has no impact until t = %s",
        name_of(k, i),
        start ? num_digits(g, k->gap[i], 6) : num_digits(t, rt_time(a->rt), 9));
    diag_help(a->ds, d,
              start ? "let the start close it, or say how far its motion is to "
                      "be followed: until = 2"
                    : "a larger `until` follows the motion further");
    return IMP_FAILED;
}

/* -- when -------------------------------------------------------------------
 */

/* was one of the contacts asked for among those of the last event? Then these
 * are all that close */
static bool
struck(struct strike *k, const struct flow *f, const struct flow_event *e)
{
    const double *impulse;
    const uint32_t *c = flow_contacts(f, &impulse);
    bool asked = false;
    for (uint32_t j = 0; j < e->n; j++)
        for (int i = 0; i < k->n_hit; i++)
            asked |= c[j] == k->s->contact + (uint32_t)k->hit[i];
    for (uint32_t j = 0; j < e->n && asked; j++) {
        int i = 0, x = (int)(c[j] - k->s->contact);
        while (i < k->n_hit && k->hit[i] != x)
            i++;
        if (i == k->n_hit)
            k->hit[k->n_hit++] = x;
    }
    return asked;
}

static int
endless(struct strike *k, const struct flow_event *e)
{
    char t[NUM_TEXT];
    struct diag *d = diag_add(k->a->ds, DIAG_E0709, k->c->range,
                              "before `%s` the motion comes to the limit of "
                              "infinitely many impacts, t = %s",
                              name_of(k, k->hit[0]), num_digits(t, e->time, 9));
    diag_help(k->a->ds, d,
              "an impact is asked for before it: give a start nearer to it");
    return IMP_FAILED;
}

/* along the motion to the first impact at one of them; the state is that before
 * it */
static int
follow(struct strike *k, double until)
{
    struct rt *r = k->a->rt;
    double *time = r->env + r->im->layout.time, t;
    double *env = r->env + k->s->env_state;
    double *before = NEW_N(r->arena, double, 2 * k->n + 1);
    struct flow *f = flow_new(r, k->system, simultaneous_policy(k->a));
    struct flow_event e;
    if (!f)
        return IMP_BADMODEL;
    for (long events = 0; events < STRIKE_EVENTS && !rt_stopped(r);) {
        int st = flow_peek(f, until, &t);
        if (st)
            return st;
        *time = t;
        bool eventful = flow_eventful(f);
        if (!eventful && !(t < until))
            return not_closed(k, k->hit[0]);
        if ((st = flow_at(f, t)))
            return st;
        memcpy(before, env, 2 * (size_t)k->n * sizeof *env);
        if ((st = flow_apply(f, &e)))
            return st;
        events += eventful;
        bool hits = e.kind == FLOW_IMPACT || e.kind == FLOW_SEVERAL ||
                    e.kind == FLOW_UNDECIDED;
        if (e.kind == FLOW_JAMMED)
            return flow_jammed(r, e.contact, e.time);
        if (hits && struck(k, f, &e)) {
            *time = t;
            memcpy(env, before, 2 * (size_t)k->n * sizeof *env);
            return IMP_OK;
        }
        if (e.kind == FLOW_CHATTER && struck(k, f, &e))
            return endless(k, &e);
        if (e.kind == FLOW_UNDECIDED)
            return not_closed(k, k->hit[0]);
    }
    return rt_stopped(r) ? IMP_STOPPED : not_closed(k, k->hit[0]);
}

static int
bring(struct strike *k)
{
    const imp_val *v = arg_option(k->a, k->c, IMP_OPT_impact_until);
    double until;
    int st = gaps(k);
    if (st)
        return st;
    int open = -1;
    for (int i = 0; i < k->n_hit; i++)
        open = closed(k, k->hit[i]) ? open : k->hit[i];
    if (open < 0)
        return IMP_OK;
    if (!v)
        return not_closed(k, open);
    if ((st = touch_option_until(k->a, k->c, IMP_OPT_impact_until, &until)) ||
        (st = follow(k, until)))
        return st;
    if ((st = gaps(k)))
        return st;
    for (int i = 0; i < k->n_hit; i++) /* closed to rounding: those that hit */
        k->size[k->hit[i]] = INFINITY;
    return IMP_OK;
}

/* -- the record -------------------------------------------------------------
 */

static int
kinetic(struct strike *k, const double *v, double *e)
{
    struct rt *r = k->a->rt;
    double both[2];
    memcpy(r->env + k->s->env_state + k->n, v, k->n * sizeof *v);
    int st = rt_eval(r, k->s->energy, NULL, both);
    if (st == IMP_NONFINITE)
        rt_nonfinite(r, k->s->energy, NULL);
    *e = both[0];
    return st ? IMP_FAILED : IMP_OK;
}

static void
undetermined(struct strike *k, struct record *out)
{
    static const char *const fields[] = {"impulses", "normal_velocities_after",
                                         "rates", "energy_after",
                                         "energy_loss"};
    struct analysis *a = k->a;
    record_set_absent_all(out, fields, sizeof fields / sizeof *fields,
                          "the outcome depends on the order of the contacts");
    struct diag *d =
        diag_add(a->ds, DIAG_W0730, k->c->range,
                 "several contacts close at one time, and no law says what "
                 "follows");
    diag_help(a->ds, d,
              "choose: law = sequential takes one after the other, "
              "complementarity all at once, rest stops them");
}

/* what one contact makes of the rates: I - (1 + e) M^-1 N^T N/(N M^-1 N^T) */
static void
map(struct strike *k, const struct ballistic *l, struct record *out)
{
    struct analysis *a = k->a;
    size_t n = k->n;
    int i = k->hit[0];
    if (k->n_hit > 1) {
        SET_ABSENT("map", "several contacts: it depends on the approach which "
                          "of them push");
        SET_ABSENT("effective_mass", "several contacts");
        return;
    }
    double W = l->matrices.W[i * ((int)k->m + 1)],
           *U = NEW_N(a->rt->arena, double, n *n + 1);
    for (size_t x = 0; x < n; x++)
        for (size_t y = 0; y < n; y++)
            U[x * n + y] = (x == y) - (1.0 + l->model.e[i]) *
                                          l->matrices.B[(size_t)i * n + x] *
                                          l->model.N[(size_t)i * n + y] / W;
    SET_MAT("map", U, n, n);
    SET_NUM("effective_mass", 1.0 / W);
}

/* Are there impulses of the contacts hit that move nothing? Then those of laws
 * that take all at once are one choice of many. */
static bool
dependent(struct strike *k, const double *G)
{
    int h = k->n_hit, rank;
    struct arena *ar = k->a->rt->arena;
    double *a = NEW_N(ar, double, (size_t)h *((size_t)h + 1) + 1);
    int *first = NEW_N(ar, int, (size_t)h + 1);
    memcpy(a, G, (size_t)h * (size_t)h * sizeof *a);
    dense_cholesky(h, a, h, first, NULL, dense_tolerance(h, h), a + h * h,
                   &rank);
    return rank < h;
}

static int
result(struct strike *k, const struct ballistic *l, enum ballistic_event what,
       const char *law, struct record *out)
{
    struct analysis *a = k->a;
    struct arena *ar = a->rt->arena;
    size_t n = k->n, h = (size_t)k->n_hit;
    const char **name = NEW_N(ar, const char *, n + h + 1);
    const char **warn = NEW_N(ar, const char *, k->m + 2);
    double *x = NEW_N(ar, double, 2 * n + h * (h + 3) + 1), *y = x + 2 * n;
    double e0, e1, *q = NEW_N(ar, double, n + 1);
    size_t n_warn = 0;
    const imp_coordinate *c =
        IMP_ARRAY(a->rt->im, a->rt->im->coordinates, imp_coordinate) +
        k->s->first;
    memcpy(x, a->rt->env + k->s->env_state + n, n * sizeof *x);
    ballistic_state(l, q, x + n);
    for (size_t i = 0; i < n; i++)
        name[i] = imp_text(a->rt->im, c[i].name);
    SET_TEXTS("coordinates", name, n);
    for (size_t i = 0; i < h; i++) {
        int j = k->hit[i];
        name[n + i] = name_of(k, j);
        y[i] = k->rate[j];
        y[h + i] = ballistic_rate(l, j, NULL);
        y[2 * h + i] = l->event.impulse[j];
        for (size_t g = 0; g < h; g++)
            y[3 * h + i * h + g] = l->matrices.W[j * (int)k->m + k->hit[g]];
        if (k->rate[j] >= 0.0)
            warn[n_warn++] = arena_printf(ar,
                                          "%s does not approach: the law "
                                          "has nothing to reverse",
                                          name[n + i]);
    }
    for (uint32_t i = 0; i < k->m; i++)
        if (k->rests[i] && l->event.impulse[i] != 0.0)
            warn[n_warn++] = arena_printf(
                ar, "%s touches already and is pushed too", name_of(k, (int)i));
    int st = kinetic(k, x + n, &e1);
    if (st || (st = kinetic(k, x, &e0)))
        return st;
    SET_NUM("time", rt_time(a->rt));
    SET_TEXTS("contacts", name + n, h);
    SET_LIST("normal_velocities_before", y, h);
    SET_NUM("energy_before", e0);
    SET_TEXT("law", law);
    SET_MAT("G", y + 3 * h, h, h);
    map(k, l, out);
    bool several = what == BALLISTIC_SEVERAL &&
                   l->policy != BALLISTIC_SEQUENTIAL && dependent(k, y + 3 * h);
    if (several)
        warn[n_warn++] = "the motion is unique, the impulses are not: a least "
                         "set is given";
    SET_TEXT("determined", what == BALLISTIC_UNDECIDED ? "no"
                           : several                   ? "motion only"
                                                       : "yes");
    SET_TEXTS("warnings", warn, n_warn);
    if (what == BALLISTIC_UNDECIDED) {
        undetermined(k, out);
        return IMP_OK;
    }
    SET_LIST("normal_velocities_after", y + h, h);
    SET_LIST("impulses", y + 2 * h, h);
    SET_MAT("rates", x, 2, n);
    SET_NUM("energy_after", e1);
    SET_NUM("energy_loss", e0 - e1);
    return IMP_OK;
}

int
impact_of_system(struct analysis *a, const imp_command *c, struct record *out)
{
    struct rt *r = a->rt;
    struct strike k = {.a = a, .c = c, .n_hit = (int)c->args.n};
    enum imp_impact_law law;
    enum ballistic_event what;
    struct ballistic *l;
    const imp_val *own = arg_option(a, c, IMP_OPT_impact_impulse);
    if (own) {
        struct diag *d = diag_add(a->ds, DIAG_E0705, own->range,
                                  "an impulse of your own is asked of contacts "
                                  "between bodies");
        diag_help(a->ds, d,
                  "leave `impulse` out: `map` and `G` of the record "
                  "tell what any impulse does");
        return IMP_BADMODEL;
    }
    k.system = rt_contact(r, arg_contact(a, c, 0))->system;
    k.s = rt_system(r, k.system);
    k.n = k.s->n;
    k.m = k.s->n_contact;
    k.hit = NEW_N(r->arena, int, k.m + 1);
    k.rests = NEW_N(r->arena, bool, k.m + 1);
    k.gap = NEW_N(r->arena, double, 3 * (size_t)k.m + 1);
    k.rate = k.gap + k.m;
    k.size = k.rate + k.m;
    for (int i = 0; i < k.n_hit; i++)
        k.hit[i] = (int)(arg_contact(a, c, (uint32_t)i) - k.s->contact);
    int st = impact_law_of_command(a, c, &law);
    if (st || (st = bring(&k)))
        return st;
    for (uint32_t i = 0; i < k.m; i++)
        k.rests[i] = closed(&k, (int)i) && k.rate[i] == 0.0;
    for (int i = 0; i < k.n_hit; i++)
        k.rests[k.hit[i]] = false;
    if ((st = flow_impact_now(r, k.system, impact_law_policy(law), k.hit,
                              k.n_hit, k.rests, &l, &what)))
        return st;
    if (what == BALLISTIC_JAMMED)
        return flow_jammed(r, k.s->contact + (uint32_t)k.hit[0], rt_time(r));
    const imp_contact *one = rt_contact(r, k.s->contact + (uint32_t)k.hit[0]);
    const char *word = law != IMP_IMPACT_UNDECLARED ? impact_law_name[law]
                       : k.n_hit > 1
                           ? "none"
                           : impact_law_name[IMP_IMPACT_NEWTON + one->law];
    return result(&k, l, what, word, out);
}
