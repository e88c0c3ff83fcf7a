/* SPDX-License-Identifier: MIT */
/* `threshold S over x in [lo, hi]`: where chatter stops bringing a system to
 * rest as one param changes, by the eigenvalues of its relabelled maps and by
 * runs from its start, or from several, side by side (spec/chatter.md 2.2, 2.6,
 * 2.7): of several the most unfavourable decides. Both are sides of a line for
 * every value of x (threshold_search.c). */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/threshold_priv.h"
#include "base/arena.h"
#include "base/num.h"

/* -- the record -------------------------------------------------------------
 */

static void
set_change(struct record *out, const char *value, const char *interval,
           const struct threshold_change *c, const char *none)
{
    if (!c) {
        record_set_absent(out, value, none);
        if (interval)
            record_set_absent(out, interval, none);
        return;
    }
    record_set_number(out, value, threshold_change_middle(c));
    if (interval)
        record_set_list(out, interval, ((double[]){c->lo, c->hi}), 2);
}

static void
set_all(struct threshold_search *h, struct record *out, const char *field,
        const struct threshold_changes *c)
{
    struct analysis *a = h->a;
    double *x = NEW_N(a->rt->arena, double, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        x[i] = threshold_change_middle(&c->v[i]);
    record_set_list(out, field, x, c->n);
}

static const char *
no_change(const struct threshold_changes *c, const char *yes, const char *no,
          const char *neither)
{
    return c->yes ? yes : c->no ? no : neither;
}

static const char *
because(struct threshold_search *h)
{
    struct arena *ar = record_arena(h->a);
    if (h->no_symmetry)
        return arena_printf(ar, "%smasses and contacts have no symmetry: %s",
                            h->symmetric ? "not everywhere in the range: " : "",
                            h->no_symmetry);
    if (h->polygon == 2)
        return "Theorem 2: rest is possible if rho <= (1 - sqrt(e))/(1 + "
               "sqrt(e)), that is, both eigenvalues are real and positive";
    if (h->polygon)
        return arena_printf(
            ar,
            "Conjecture 1 (%d feet): rest is possible if the dominant "
            "eigenvalue is real and positive",
            h->polygon);
    if (h->symmetric)
        return "the dominant eigenvalue alone: Conjecture 1 is about feet of "
               "regular polygons";
    return "the model cannot be asked for in this range";
}

static bool
meet(const struct threshold_change *a, const struct threshold_change *b)
{
    return a->lo <= b->hi && b->lo <= a->hi;
}

static void
set_warnings(struct threshold_search *h, const struct threshold_changes *e,
             const struct threshold_changes *s,
             const struct threshold_change *by_e,
             const struct threshold_change *by_s,
             const struct threshold_change *by_m, struct record *out)
{
    struct analysis *a = h->a;
    const char *w[7];
    size_t n = 0;
    char x[NUM_TEXT];
    if (h->failed)
        w[n++] = arena_printf(record_arena(a),
                              "nothing is known at %s and maybe "
                              "elsewhere: %s",
                              num_digits(x, h->failed_at, 6), h->failed);
    if (e->n > 1)
        w[n++] = "the eigenvalue changes several times: changes_by_eigenvalue";
    if (s->n > 1)
        w[n++] = "the runs change several times: changes_by_simulation";
    if (by_e && !s->n && s->no && !h->accelerates && h->starts == 1)
        w[n++] = "the eigenvalue changes and the runs do not: two changes may "
                 "lie within one step; a greater `grid` looks closer";
    if (h->symmetric && h->accelerates)
        w[n++] = "by_eigenvalue is about motion without acceleration; the runs "
                 "have one";
    bool plain = !(h->symmetric && h->accelerates);
    if (by_m && by_s && plain && meet(by_m, by_s))
        w[n++] = "the runs come to rest in the order 0, 2, 1, 2, ...: "
                 "by_simulation is mirrored_by_eigenvalue";
    else if (by_e && by_s && plain && !meet(by_e, by_s))
        w[n++] = "by_eigenvalue lies outside of simulation_interval: the start "
                 "of the runs decides, or rounding next to the threshold";
    record_set_texts(out, "warnings", w, n);
}

static const char *
verdict_at(struct threshold_search *h, double x)
{
    switch (threshold_run_verdict(h, x, h->worst)) {
    case CHATTER_COMPLETE:
        return "complete";
    case CHATTER_PARTIAL:
        return "partial";
    default:
        return "incomplete";
    }
}

static void
set_sides(struct threshold_search *h, const struct threshold_change *c,
          const char *none, struct record *out)
{
    if (!c) {
        record_set_absent(out, "below", none);
        record_set_absent(out, "above", none);
        return;
    }
    record_set_text(out, "below", verdict_at(h, c->lo));
    record_set_text(out, "above", verdict_at(h, c->hi));
}

/* of several starts: the most unfavourable one at *c, and where the last of
 * them stops coming to rest */
static void
set_starts(struct threshold_search *h, const struct threshold_change *c,
           const struct threshold_changes *best, const char *none,
           struct record *out)
{
    static const char *const one = "there is one start: `starts` takes more";
    record_set_number(out, "starts", (double)h->starts);
    bool several = h->starts > 1, some = several && c;
    const struct threshold_change *last = threshold_nearest_change(best, c);
    if (several && last)
        record_set_number(out, "by_simulation_best",
                          threshold_change_middle(last));
    else
        record_set_absent(out, "by_simulation_best", several ? none : one);
    /* on the side that does not rest */
    if (some &&
        threshold_side_by_simulation(h, c->below == SIDE_YES ? c->hi : c->lo) ==
            SIDE_NO &&
        threshold_run_start(h, threshold_change_middle(c), h->worst)) {
        const double *q = h->rt->env + h->s->env_state;
        record_set_number(out, "worst_start", (double)h->worst);
        record_set_list(out, "worst_positions", q, h->s->n);
        record_set_list(out, "worst_rates", q + h->s->n, h->s->n);
    } else {
        record_set_absent(out, "worst_start", several ? none : one);
        record_set_absent(out, "worst_positions", several ? none : one);
        record_set_absent(out, "worst_rates", several ? none : one);
    }
}

static void
set_difference(struct record *out, const char *field,
               const struct threshold_change *e,
               const struct threshold_change *s)
{
    if (e && s)
        record_set_number(out, field,
                          threshold_change_middle(s) -
                              threshold_change_middle(e));
    else
        record_set_absent(out, field, "one of both is absent");
}

static int
search(struct threshold_search *h, struct record *out)
{
    struct threshold_changes e =
        threshold_find_changes(h, threshold_side_by_eigenvalue, 0.0);
    struct threshold_changes s =
        threshold_find_changes(h, threshold_side_by_simulation, h->width);
    struct threshold_changes pe =
        threshold_find_changes(h, threshold_side_pair_of_three, 0.0);
    struct threshold_changes m = threshold_find_changes(
                                 h, threshold_side_mirrored, 0.0),
                             ps = {0}, best = {0};
    if (h->starts > 1)
        best = threshold_find_changes(h, threshold_side_any_rests, h->width);
    if (s.yes || best.yes)
        ps = threshold_find_changes(h, threshold_side_partial, h->width);
    if (h->status)
        return h->status;
    const struct threshold_change *by_e = e.n ? &e.v[0] : NULL;
    const struct threshold_change *by_s = threshold_nearest_change(&s, by_e);
    const struct threshold_change *by_m = threshold_nearest_change(&m, by_e);
    const struct threshold_change *part_e = pe.n ? &pe.v[0] : NULL;
    const struct threshold_change *part_s =
        threshold_nearest_change(&ps, part_e);
    const char *no_s =
        h->starts > 1 && !s.yes
            ? "nowhere in this range do the runs from all "
              "starts come to rest"
            : no_change(&s,
                        h->failed ? "all runs that could be made come to rest"
                                  : "the runs come to rest in the whole range",
                        h->failed ? "no run that could be made comes to rest"
                                  : "no run comes to rest in this range",
                        "no run has a verdict");
    set_change(
        out, "by_eigenvalue", "eigenvalue_interval", by_e,
        h->no_symmetry
            ? because(h)
            : no_change(
                  &e,
                  h->failed ? "it is real and positive where it is known"
                            : "it is real and positive in the whole range",
                  "it is nowhere real and positive in this range", because(h)));
    set_change(out, "by_simulation", "simulation_interval", by_s, no_s);
    set_difference(out, "difference", by_e, by_s);
    set_starts(h, by_s, &best, no_s, out);
    set_sides(h, by_s, no_s, out);
    set_change(out, "mirrored_by_eigenvalue", NULL, by_m,
               no_change(&m, "they are real and positive in the whole range",
                         "they are nowhere real and positive in this range",
                         "the contacts are not those of three feet"));
    set_change(out, "partial_by_eigenvalue", NULL, part_e,
               no_change(&pe, "two feet can chatter alone in the whole range",
                         "two feet can nowhere chatter alone in this range",
                         "only feet of a triangle push their neighbours down"));
    set_change(out, "partial_by_simulation", "partial_interval", part_s,
               no_change(&ps, "all runs that come to rest are partial",
                         "no run is partial", "no run comes to rest"));
    set_difference(out, "partial_difference", part_e, part_s);
    set_all(h, out, "changes_by_eigenvalue", &e);
    set_all(h, out, "changes_by_simulation", &s);
    record_set_text(out, "because", because(h));
    if (h->runs)
        record_set_text(out, "start", h->flat ? "nearly flat drop" : "given");
    else
        record_set_absent(out, "start", "no run was made");
    record_set_number(out, "step", (h->hi - h->lo) / (double)h->grid);
    record_set_number(out, "runs", (double)h->runs);
    record_set_number(out, "inconclusive", (double)h->inconclusive);
    record_set_number(out, "impacts", (double)h->impacts);
    set_warnings(h, &e, &s, by_e, by_s, by_m, out);
    return IMP_OK;
}

/* -- what is asked ----------------------------------------------------------
 */

static int
wrong_bounds(struct threshold_search *h, imp_range where, const imp_param *p)
{
    struct analysis *a = h->a;
    char x[NUM_TEXT], y[NUM_TEXT];
    const char *name = imp_text(a->rt->im, p->name);
    struct diag *d;
    if (p->structural)
        d = diag_add(a->ds, DIAG_E0425, where,
                     "`%s` is structural: nothing lies between two values of "
                     "it",
                     name);
    else if (!(h->lo < h->hi))
        d = diag_add(a->ds, DIAG_E0425, where,
                     "there is nothing between %s and %s",
                     num_shortest(x, h->lo), num_shortest(y, h->hi));
    else
        d = diag_add(a->ds, DIAG_E0425, where,
                     "this is not within the range [%s, %s] of the param `%s`",
                     num_shortest(x, p->lo), num_shortest(y, p->hi), name);
    diag_note(a->ds, d, p->range, "the param");
    return IMP_BADMODEL;
}

static int
bounds(struct threshold_search *h)
{
    struct analysis *a = h->a;
    const imp_val *o = arg_option(a, h->c, IMP_OPT_threshold_over);
    const imp_param *p =
        IMP_ARRAY(a->rt->im, a->rt->im->params, imp_param) + o->ref;
    double b[2] = {p->lo, p->hi};
    h->param = o->ref;
    if (o->items.n) {
        const imp_val *v = val_items(a, o);
        int st = IMP_OK;
        if (v->numbers.n)
            memcpy(b, IMP_ARRAY(a->rt->im, v->numbers, double), sizeof b);
        else
            st = arg_numbers(a, v, b);
        if (st)
            return st;
    }
    h->lo = b[0];
    h->hi = b[1];
    if (p->structural || !(b[0] < b[1]) || !isfinite(b[1] - b[0]) ||
        (p->has_range && (b[0] < p->lo || b[1] > p->hi)))
        return wrong_bounds(h, o->range, p);
    if (!model_reads_param(a->rt->im, o->ref)) {
        struct diag *d = diag_add(a->ds, DIAG_W0745, o->range,
                                  "nothing in the model depends on `%s`, so "
                                  "all its values give the same runs",
                                  imp_text(a->rt->im, p->name));
        diag_note(a->ds, d, p->range, "the param");
        diag_help(a->ds, d, "name a param that the system reads");
    }
    return IMP_OK;
}

static int
wrong_option(struct threshold_search *h, enum imp_option_id id,
             const char *what)
{
    const imp_val *v = arg_option(h->a, h->c, id);
    diag_add(h->a->ds, DIAG_E0405, v ? v->range : h->c->range, "%s", what);
    return IMP_BADMODEL;
}

static int
one_start(struct threshold_search *h)
{
    const imp_val *v = arg_option(h->a, h->c, IMP_OPT_threshold_starts);
    struct diag *d = diag_add(h->a->ds, DIAG_E0405, v ? v->range : h->c->range,
                              "`%s` has one start: nothing in it is drawn",
                              imp_text(h->a->rt->im, h->s->name));
    diag_note(h->a->ds, d, h->s->range, "the system");
    diag_help(h->a->ds, d,
              "draw something, start { h' = -1  phi' = random(-0.1, 0.1) }, or "
              "leave the start out: then nearly flat drops are drawn");
    return IMP_BADMODEL;
}

static int
options(struct threshold_search *h)
{
    struct analysis *a = h->a;
    double tol, grid, most, starts;
    int st;
    if ((st = arg_number(a, h->c, IMP_OPT_threshold_tolerance, 1e-9, &tol)) ||
        (st = arg_number(a, h->c, IMP_OPT_threshold_grid, 64.0, &grid)) ||
        (st = arg_number(a, h->c, IMP_OPT_threshold_events, 1e5, &most)) ||
        (st = arg_number(a, h->c, IMP_OPT_threshold_starts, 1.0, &starts)) ||
        (st = bounds(h)))
        return st;
    if (!(starts >= 1.0 && starts <= 1e6) || starts != floor(starts))
        return wrong_option(h, IMP_OPT_threshold_starts,
                            "`starts` is a whole number from 1 to 1e6");
    h->starts = (long)starts;
    if (h->starts > 1 && !a->rt->im->draws.n && !flat_drop_needed(a, h->system))
        return one_start(h);
    if (!(tol > 0.0 && tol < 1.0))
        return wrong_option(h, IMP_OPT_threshold_tolerance,
                            "`tolerance` is between 0 and 1");
    if (!(grid >= 1.0 && grid <= 1e6) || grid != floor(grid))
        return wrong_option(h, IMP_OPT_threshold_grid,
                            "`grid` is a whole number from 1 to 1e6");
    h->policy = simultaneous_policy(a);
    h->width = tol * (h->hi - h->lo);
    h->grid = (size_t)grid;
    h->events = (long)fmin(fmax(most, 1.0), 1e9);
    return IMP_OK;
}

static int
ask(struct threshold_search *h, struct record *out)
{
    const imp_image *im = h->a->rt->im;
    const imp_val *arg = &arg_items(h->a, h->c)[0];
    h->system = arg->ref;
    h->s = rt_system(h->a->rt, arg->ref);
    if (!(h->s->flags & IMP_SYSTEMF_LINE))
        return chatter_not_linear(h->a, h->s, arg->range);
    int st = options(h);
    if (st)
        return st;
    h->arena = arena_new();
    h->params = arena_copy(h->a->rt->arena, h->a->rt->env + im->layout.params,
                           (im->params.n + 1) * sizeof(double));
    return search(h, out);
}

static void
end(struct threshold_search *h)
{
    if (h->rt)
        rt_free(h->rt);
    arena_free(h->arena);
}

static int
cmd_threshold(struct analysis *a, const imp_command *c, struct record *out)
{
    struct threshold_search *h = NEW(a->rt->arena, struct threshold_search);
    struct oom_guard g;
    *h = (struct threshold_search){.a = a, .c = c};
    if (setjmp(g.env)) {
        oom_leave(&g);
        end(h);
        oom_raise();
    }
    oom_enter(&g);
    int st = ask(h, out);
    oom_leave(&g);
    end(h);
    return st;
}

const struct command_functions command_threshold = {.run = cmd_threshold};
