/* SPDX-License-Identifier: MIT */
/* Limits of chatter in the record of `simulate`: when, which contacts and by
 * which gaps, how many impacts were resolved, what the limit rests on, how well
 * it is known. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/command/limit_text.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/flow/flow.h"

struct limit_table {
    size_t n, cap;
    double *time, *impacts, *ratio, *remaining, *error, *depth;
    const char **contacts, **means, **gaps;
};

/* names, or gaps without those that were said, of n contacts */
static const char *
list(struct simulation *s, const uint32_t *c, uint32_t n, bool gaps)
{
    struct arena *a = s->a->rt->arena;
    const char *text = "", *last = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const struct imp_contact *k = rt_contact(s->a->rt, c[i]);
        const char *word = gaps ? gap_source_text(s->a, c[i])
                                : imp_text(s->a->rt->im, k->name);
        if (gaps && last && !strcmp(last, word))
            continue;
        text = arena_printf(a, "%s%s%s", text,
                            !*text                ? ""
                            : !gaps && i + 1 == n ? " and "
                                                  : ", ",
                            word);
        last = word;
    }
    return text;
}

static void
grow(struct arena *a, struct limit_table *l)
{
    double **x[] = {&l->time,      &l->impacts, &l->ratio,
                    &l->remaining, &l->error,   &l->depth};
    const char ***t[] = {&l->contacts, &l->means, &l->gaps};
    if (l->n < l->cap)
        return;
    l->cap = l->cap ? 2 * l->cap : 8;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        double *new = NEW_N(a, double, l->cap);
        if (l->n)
            memcpy(new, *x[i], l->n * sizeof *new);
        *x[i] = new;
    }
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const char **new = NEW_N(a, const char *, l->cap);
        if (l->n)
            memcpy(new, *t[i], l->n * sizeof *new);
        *t[i] = new;
    }
}

static void
remark(struct simulation *s, const struct flow_event *e, const char *who,
       const char *gaps)
{
    const struct accumulation_limit *c = &e->chatter;
    char q[NUM_TEXT], t[NUM_TEXT], rest[NUM_TEXT];
    if (++s->chatters > SIMULATE_REMARKS) {
        s->left_out++;
        return;
    }
    simulate_remark(
        s, arena_printf(s->a->rt->arena,
                        "chatter of %s ends at t = %s s: after %ld "
                        "impacts the flights shrink by %s each%s%s, the "
                        "last %s s are their sum; %s",
                        who, num_digits(t, e->time, 9), c->impacts,
                        num_digits(q, c->ratio, 6),
                        c->period > 1    ? " pattern"
                        : c->period == 0 ? " on the average"
                                         : "",
                        c->depth > 1 ? " of limits" : "",
                        num_digits(rest, c->remaining, 6), gaps));
}

void
simulate_limit_add(struct simulation *s, const struct flow_event *e,
                   const uint32_t *c)
{
    struct arena *a = s->a->rt->arena;
    if (!s->limits)
        s->limits = NEW(a, struct limit_table);
    struct limit_table *l = s->limits;
    const char *who = list(s, c, e->n, false), *gaps = list(s, c, e->n, true);
    grow(a, l);
    l->time[l->n] = e->time;
    l->impacts[l->n] = (double)e->chatter.impacts;
    l->ratio[l->n] = e->chatter.ratio;
    l->remaining[l->n] = e->chatter.remaining;
    l->error[l->n] =
        e->chatter.error * e->chatter.remaining + DBL_EPSILON * fabs(e->time);
    l->depth[l->n] = e->chatter.depth;
    l->contacts[l->n] = who;
    l->means[l->n] = limit_evidence_word(e->chatter.evidence);
    l->gaps[l->n] = gaps;
    l->n++;
    for (uint32_t i = 0; i < e->n; i++)
        simulate_log_event(s, c[i], "chatter", "", 0.0);
    remark(s, e, who, gaps);
}

void
simulate_put_limits(struct simulation *s, struct record *out)
{
    struct limit_table none = {0}, *l = s->limits ? s->limits : &none;
    SET_LIST("limit_times", l->time, l->n);
    SET_TEXTS("limit_contacts", l->contacts, l->n);
    SET_TEXTS("limit_gaps", l->gaps, l->n);
    SET_LIST("limit_impacts", l->impacts, l->n);
    SET_LIST("limit_ratios", l->ratio, l->n);
    SET_LIST("limit_sums", l->remaining, l->n);
    SET_LIST("limit_errors", l->error, l->n);
    SET_LIST("limit_depths", l->depth, l->n);
    SET_TEXTS("limit_means", l->means, l->n);
}
