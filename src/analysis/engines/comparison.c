/* SPDX-License-Identifier: MIT */
/* By how much two runs differ: the states at the recorded times, quantity by
 * quantity, and the events, contact by contact. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/engines/second.h"
#include "base/arena.h"
#include "base/num.h"

/* Times are the same within this share of the run's time. */
#define SAME_TIME 1e-9
/* Limits of chatter are the same within this share. */
#define SAME_LIMIT 1e-6
/* The two runs have an event at slightly different times, and velocities jump
 * there. So states are not compared within this many times the greatest such
 * difference of an event. */
#define NEAR_EVENT 2.0
/* How many digits a sentence gives of a difference. */
#define DIGITS 3

/* one quantity: numbers of the state that belong together */
struct quantity {
    const char *name;
    uint32_t env, n;
    bool attitude; /* a quaternion: q and -q are the same */
    double least;  /* a size below this is none: of angles and spins */
    double difference, size, time;
};

/* the events of one contact */
struct contact_comparison {
    bool matched;          /* both runs have events */
    double off, time;      /* greatest difference of times, and when */
    const char *unmatched; /* first event of one run alone; NULL: none */
    double unmatched_time;
};

struct comparison {
    const struct simulation *other, *own; /* own: the record's */
    const struct comparison_names *names;
    struct arena *arena;
    struct quantity *quantity;
    size_t n;
    size_t rows, compared; /* recorded states, and those that are compared */
    double event_off;      /* greatest difference of the times of events */
    struct contact_comparison *contact; /* per contact of the model */
};

/* -- quantities
 * ----------------------------------------------------------------- */

static void
add(struct comparison *all, const char *name, uint32_t env, uint32_t n,
    bool attitude, double least)
{
    all->quantity[all->n++] = (struct quantity){
        .name = name, .env = env, .n = n, .attitude = attitude, .least = least};
}

static void
list(struct comparison *all)
{
    const struct rt *run = all->own->run;
    const imp_image *im = run->im;
    uint32_t dim = im->dim;
    /* a body that turns by less than a radian in all, or not at all */
    double turns = 1.0, turning = 1.0 / all->own->options.until;
    all->quantity = NEW_N(all->arena, struct quantity,
                          4 * im->bodies.n + 2 * im->coordinates.n + 1);
    for (uint32_t b = 0; b < im->bodies.n; b++) {
        const imp_body *body = rt_body(run, b);
        const char *name = imp_text(im, body->name);
        uint32_t at = body->env_state, turn = dim == 2 ? 1 : 4;
        if (body->block == IMP_NO_BLOCK)
            continue;
        add(all, arena_printf(all->arena, "%s.position", name), at, dim, false,
            0.0);
        add(all,
            arena_printf(all->arena, "%s.%s", name,
                         dim == 2 ? "angle" : "attitude"),
            at + dim, turn, dim == 3, turns);
        add(all, arena_printf(all->arena, "%s.velocity", name), at + dim + turn,
            dim, false, 0.0);
        add(all, arena_printf(all->arena, "%s.spin", name), at + 2 * dim + turn,
            dim == 2 ? 1 : 3, false, turning);
    }
    const imp_coordinate *coordinate =
        IMP_ARRAY(im, im->coordinates, imp_coordinate);
    for (uint32_t s = 0; s < im->systems.n; s++) {
        const imp_system *system = IMP_ARRAY(im, im->systems, imp_system) + s;
        const char *name = imp_text(im, system->name);
        for (uint32_t i = 0; i < system->n + system->n_observer; i++) {
            const imp_coordinate *one = &coordinate[system->first + i];
            const char *word = imp_text(im, one->name);
            add(all, arena_printf(all->arena, "%s.%s", name, word), one->env, 1,
                false, 0.0);
            if (one->env_rate != IMP_NO_RATE)
                add(all, arena_printf(all->arena, "%s.%s'", name, word),
                    one->env_rate, 1, false, 0.0);
        }
    }
}

/* -- states
 * --------------------------------------------------------------------- */

static bool
near_event(const struct event_log *log, double t, double window)
{
    size_t low = 0, high = log->time.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (log->time.v[middle] < t - window)
            low = middle + 1;
        else
            high = middle;
    }
    return low < log->time.n && log->time.v[low] <= t + window;
}

/* Marks the times (of n) between the last impact at a contact and the limit
 * into which a run has summed up those that follow: there it has the mean
 * motion. */
static void
mark_limits(const struct event_log *log, const double *t, size_t n, bool *mean)
{
    for (size_t k = 0; k < log->time.n; k++) {
        size_t i = k;
        if (strcmp(log->kind.v[k], "chatter"))
            continue;
        while (i > 0 && (log->number.v[i] != log->number.v[k] ||
                         strcmp(log->kind.v[i], "impact")))
            i--;
        size_t low = 0, high = n;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (t[middle] <= log->time.v[i])
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < n && t[low] <= log->time.v[k]; low++)
            mean[low] = true;
    }
}

static void
compare_states(struct comparison *all)
{
    const struct rt *run = all->own->run;
    const struct recorded_rows *other = &all->other->rows,
                               *own = &all->own->rows;
    size_t width = rt_state_size(run), n = other->times.n;
    double window = SAME_TIME * all->own->options.until;
    window = fmax(window, NEAR_EVENT * all->event_off);
    bool *mean = NEW_N(all->arena, bool, n + 1);
    mark_limits(&all->other->log, other->times.v, n, mean);
    mark_limits(&all->own->log, other->times.v, n, mean);
    for (size_t k = 0; k < n && width > 0; k++) {
        if ((k + 1) * width > other->states.n ||
            (k + 1) * width > own->states.n)
            break;
        double t = other->times.v[k];
        all->rows++;
        if (near_event(&all->other->log, t, window) ||
            near_event(&all->own->log, t, window) || mean[k])
            continue;
        all->compared++;
        for (size_t i = 0; i < all->n; i++) {
            struct quantity *one = &all->quantity[i];
            size_t at = k * width + (one->env - run->im->layout.state);
            double off = 0.0, size = 0.0, plus = 0.0;
            for (uint32_t j = 0; j < one->n; j++) {
                double x = other->states.v[at + j], y = own->states.v[at + j];
                off += (x - y) * (x - y);
                plus += (x + y) * (x + y);
                size += x * x;
            }
            off = sqrt(one->attitude ? fmin(off, plus) : off);
            one->size = fmax(one->size, sqrt(size));
            if (off > one->difference || !(off == off)) {
                one->difference = off;
                one->time = t;
            }
        }
    }
}

/* -- events
 * --------------------------------------------------------------------- */

/* The next event of a contact at or behind number `from`. */
static size_t
next_event(const struct simulation *of, uint32_t contact, size_t from)
{
    while (from < of->log.time.n && of->log.number.v[from] != contact)
        from++;
    return from;
}

/* Is event k an impact that the other run has summed up into a limit, of this
 * contact or of one that is hit in turn with it? It lies between the last
 * impact there and the limit. */
static bool
is_summed(const struct event_log *log, size_t k, const struct event_log *other,
          double same)
{
    if (k >= log->time.n || strcmp(log->kind.v[k], "impact"))
        return false;
    double t = log->time.v[k];
    for (size_t i = 0; i < other->time.n; i++) {
        size_t last = i;
        if (strcmp(other->kind.v[i], "chatter") || other->time.v[i] < t - same)
            continue;
        while (last > 0 && (other->number.v[last] != other->number.v[i] ||
                            strcmp(other->kind.v[last], "impact")))
            last--;
        if (other->time.v[last] <= t + same)
            return true;
    }
    return false;
}

/* Is event k a limit that the other run has as well, at another contact? One
 * motion ends there, and runs may count different contacts to it. */
static bool
is_same_limit(const struct event_log *log, size_t k,
              const struct event_log *other, double same)
{
    if (k >= log->time.n || strcmp(log->kind.v[k], "chatter"))
        return false;
    for (size_t i = 0; i < other->time.n; i++)
        if (!strcmp(other->kind.v[i], "chatter") &&
            fabs(other->time.v[i] - log->time.v[k]) <= same)
            return true;
    return false;
}

static void
unmatched(struct comparison *all, const struct simulation *in, size_t k,
          const char *who)
{
    const struct simulation *other = in == all->own ? all->other : all->own;
    struct contact_comparison *contact = &all->contact[in->log.number.v[k]];
    double t = in->log.time.v[k], window = SAME_TIME * in->options.until;
    /* what the other run has not come to is no difference */
    if (t > other->reached - window ||
        (other->stopped && other->log.time.n &&
         t > other->log.time.v[other->log.time.n - 1] + window))
        return;
    contact->unmatched_time = t;
    contact->unmatched =
        arena_printf(all->arena, "%s at %s, of %s alone", in->log.kind.v[k],
                     simulate_contact_name(in, in->log.number.v[k]), who);
}

/* The events of one contact, one after the other, until they are not the same
 * kind. end: what lies behind it has not been reached by both runs. */
static void
compare_contact(struct comparison *all, uint32_t contact, double end)
{
    const struct event_log *other = &all->other->log, *own = &all->own->log;
    double window = SAME_TIME * all->own->options.until;
    double limit = SAME_LIMIT * all->own->options.until;
    struct contact_comparison *here = &all->contact[contact];
    size_t i = 0, k = 0;
    for (;;) {
        i = next_event(all->other, contact, i);
        k = next_event(all->own, contact, k);
        bool same = i < other->time.n && k < own->time.n &&
                    !strcmp(other->kind.v[i], own->kind.v[k]);
        /* impacts that one run has summed up come before its limit, which the
         * other run may have at another contact */
        bool more = !same && is_summed(own, k, other, window);
        if (!same && (is_summed(other, i, own, window) ||
                      (!more && is_same_limit(other, i, own, limit)))) {
            i++;
            continue;
        }
        if (more || (!same && is_same_limit(own, k, other, limit))) {
            k++;
            continue;
        }
        bool have = i < other->time.n && other->time.v[i] <= end - window,
             has = k < own->time.n && own->time.v[k] <= end - window;
        if (!have && !has)
            return;
        if (!have || !has || strcmp(other->kind.v[i], own->kind.v[k]))
            break;
        double off = fabs(other->time.v[i] - own->time.v[k]);
        if (!here->matched || off > here->off)
            *here = (struct contact_comparison){
                .matched = true, .off = off, .time = own->time.v[k]};
        all->event_off = fmax(all->event_off, off);
        i++;
        k++;
    }
    bool first = k >= own->time.n ||
                 (i < other->time.n && other->time.v[i] <= own->time.v[k]);
    if (first)
        unmatched(all, all->other, i, all->names->other);
    else
        unmatched(all, all->own, k, all->names->own);
}

/* -- the record
 * ----------------------------------------------------------------- */

static const char *
greatest(struct comparison *all)
{
    const struct quantity *most = NULL;
    double share = -1.0;
    char off[NUM_TEXT], size[NUM_TEXT], t[NUM_TEXT];
    for (size_t i = 0; i < all->n; i++) {
        const struct quantity *one = &all->quantity[i];
        double scale = fmax(one->size, one->least),
               s = scale > 0.0 ? one->difference / scale : one->difference;
        if (s > share) {
            share = s;
            most = one;
        }
    }
    if (!most || all->compared == 0)
        return all->rows ? "no state was compared: all that are recorded are "
                           "nearer to events than their times differ"
                         : "no state was compared";
    const char *some = "";
    if (all->compared < all->rows)
        some = arena_printf(all->arena, " (%zu of %zu recorded ones)",
                            all->compared, all->rows);
    if (most->difference == 0.0)
        return arena_printf(all->arena, "the states of both %ss are the same%s",
                            all->names->kind, some);
    return arena_printf(
        all->arena,
        "the states differ most in %s: by %s at t = %s s (its size is %s)%s",
        most->name, num_digits(off, most->difference, DIGITS),
        rt_told(t, most->time, 6), num_digits(size, most->size, DIGITS), some);
}

static void
put_states(const struct comparison *all, struct record *out)
{
    size_t n = all->n;
    const char **names = NEW_N(all->arena, const char *, n + 1);
    double *x = NEW_N(all->arena, double, 3 * n + 1);
    for (size_t i = 0; i < n; i++) {
        names[i] = all->quantity[i].name;
        x[i] = all->quantity[i].difference;
        x[n + i] = all->quantity[i].size;
        x[2 * n + i] = all->quantity[i].time;
    }
    SET_TEXTS("difference_columns", names, n);
    SET_LIST("differences", x, n);
    SET_LIST("difference_sizes", x + n, n);
    SET_LIST("difference_times", x + 2 * n, n);
}

static void
put_contacts(const struct comparison *all, struct record *out)
{
    uint32_t n = all->own->n_contacts, n_both = 0, n_alone = 0;
    const char **both = NEW_N(all->arena, const char *, n + 1),
               **alone = NEW_N(all->arena, const char *, n + 1);
    double *x = NEW_N(all->arena, double, 3 * (size_t)n + 1), *off = x,
           *time = x + n, *alone_time = x + 2 * (size_t)n;
    for (uint32_t c = 0; c < n; c++) {
        const struct contact_comparison *one = &all->contact[c];
        if (one->matched) {
            off[n_both] = one->off;
            time[n_both] = one->time;
            both[n_both++] = simulate_contact_name(all->own, c);
        }
        if (one->unmatched) {
            alone_time[n_alone] = one->unmatched_time;
            alone[n_alone++] = one->unmatched;
        }
    }
    SET_TEXTS("compared_contacts", both, n_both);
    SET_LIST("event_differences", off, n_both);
    SET_LIST("event_difference_times", time, n_both);
    SET_TEXTS("unmatched_events", alone, n_alone);
    SET_LIST("unmatched_times", alone_time, n_alone);
}

/* Sentences on events; returns how many. */
static size_t
tell_events(const struct comparison *all, const char **text)
{
    char off[NUM_TEXT], t[NUM_TEXT];
    const struct contact_comparison *most = NULL, *first = NULL;
    size_t n = 0;
    for (uint32_t c = 0; c < all->own->n_contacts; c++) {
        const struct contact_comparison *one = &all->contact[c];
        if (one->matched && (!most || one->off > most->off))
            most = one;
        if (one->unmatched &&
            (!first || one->unmatched_time < first->unmatched_time))
            first = one;
    }
    if (most)
        text[n++] = arena_printf(
            all->arena,
            "the times of events differ by %s s at most, at t = %s s",
            num_digits(off, most->off, DIGITS), rt_told(t, most->time, 6));
    if (first)
        text[n++] = arena_printf(all->arena,
                                 "first event of one %s alone: %s, t = %s s",
                                 all->names->kind, first->unmatched,
                                 rt_told(t, first->unmatched_time, 9));
    return n;
}

void
comparison_put(const struct simulation *other, const struct simulation *own,
               const struct comparison_names *names, const char *ended,
               struct record *out)
{
    assert(other != NULL && own != NULL && names != NULL && out != NULL);
    struct comparison all = {.other = other,
                             .own = own,
                             .names = names,
                             .arena = own->run->arena,
                             .contact = NEW_N(own->run->arena,
                                              struct contact_comparison,
                                              own->n_contacts + 1)};
    const char *text[4];
    size_t n = 0;
    double end = fmin(other->reached, own->reached);
    list(&all);
    for (uint32_t c = 0; c < own->n_contacts; c++)
        compare_contact(&all, c, end);
    compare_states(&all);
    text[n++] = greatest(&all);
    n += tell_events(&all, text + n);
    put_contacts(&all, out);
    if (ended)
        text[n++] = ended;
    put_states(&all, out);
    SET_TEXTS("comparison", text, n);
}
