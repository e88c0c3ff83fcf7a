/* SPDX-License-Identifier: MIT */
/* The log of events and remarks of `simulate`, and its recorded rows: the
 * expressions of `record` at the times asked for and at every event (before and
 * after an impact). The summary, made from the log. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/along/along.h"
#include "analysis/command/lists.h"
#include "analysis/simulate/simulate_priv.h"
#include "analysis/trace/run_log.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/num.h"
#include "runtime/friction/paradox.h"
#include "runtime/instance/contact_table.h"
#include "runtime/instance/saved_state.h"

const char *
simulate_names(struct simulation *sim, const uint32_t *contact, uint32_t n)
{
    struct rt *run = sim->run;
    const char *list = "";
    for (uint32_t i = 0; i < n && i < 16; i++)
        list =
            arena_printf(run->arena, "%s%s`%s`", list,
                         i == 0       ? ""
                         : i + 1 == n ? " and "
                                      : ", ",
                         imp_text(run->im, rt_contact(run, contact[i])->name));
    return n > 16 ? arena_printf(run->arena, "%s ...", list) : list;
}

/* The name of two bodies' contact, for as long as the record. */
static const char *
pair_name(const struct simulation *sim, const uint32_t *body)
{
    const struct rt *run = sim->run;
    uint32_t one = body[0] < body[1] ? body[0] : body[1],
             two = body[0] < body[1] ? body[1] : body[0];
    return arena_printf(record_arena(sim->analysis), "%s|%s",
                        imp_text(run->im, rt_body(run, one)->name),
                        imp_text(run->im, rt_body(run, two)->name));
}

const char *
simulate_contact_name(const struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    const imp_contact *of = rt_contact(sim->run, contact);
    /* the text of one that was made changes with its bodies */
    return contact < contact_table_stated(sim->run)
               ? imp_text(sim->run->im, of->name)
               : pair_name(sim, of->body);
}

const char *
simulate_paradox_choices(struct rt *run, uint32_t contact, unsigned policies)
{
    assert(run != NULL);
    static const uint32_t order[] = {PARADOX_COMPLIANT, PARADOX_LIFTOFF,
                                     PARADOX_STICK, PARADOX_JUMP,
                                     PARADOX_BRANCH};
    struct arena *arena = run->brief;
    const char *list = NULL;
    if (rt_contact(run, contact)->compliance != IMP_NO_TAPE)
        policies |= 1u << PARADOX_COMPLIANT;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!(policies & 1u << order[i]))
            continue;
        const char *word = paradox_word(order[i]);
        list = list ? arena_printf(arena, "%s, or %s", list, word)
                    : arena_printf(arena, "world { paradox = %s }", word);
    }
    return list ? arena_printf(arena, "choose what goes on: %s", list)
                : "let the contact yield: its `compliance`, and world { "
                  "paradox = compliant } (no other policy has something to "
                  "choose here)";
}

/* -- the summary -----------------------------------------------------------
 * One sentence per contact, rotor and joint that took part in an event:
 *
 *   bump: 13 impacts from 0.451524 s to 1.90821 s, limit of chatter at
 *   1.90859 s, lasting contact at 1.90859 s, closed at the end */

/* The kinds of events (field `event_kinds`) as a summary names them. */
static const struct {
    const char *kind, *one, *several;
    enum { NEITHER, BEGINS, ENDS } contact; /* that lasts */
} kind_names[] = {
    {"impact", "impact", "impacts", NEITHER},
    {"touch", "tangential touch", "tangential touches", NEITHER},
    {"overlap begins", "begin of overlap", "begins of overlap", NEITHER},
    {"overlap ends", "end of overlap", "ends of overlap", NEITHER},
    {"chatter", "limit of chatter", "limits of chatter", NEITHER},
    {"slide", "lasting contact", "lasting contacts", BEGINS},
    {"leave", "release", "releases", ENDS},
    {"stop", "stop", "stops", NEITHER},
    {"slip", "begin of slip", "begins of slip", BEGINS},
    {"stick", "begin of stick", "begins of stick", BEGINS},
    {"reverse", "reversal of slip", "reversals of slip", NEITHER},
    {"liftoff", "lift-off", "lift-offs", ENDS},
    {"undecided", "motion that is not determined",
     "motions that are not determined", NEITHER},
    {"impact without collision", "impact without collision",
     "impacts without collision", ENDS},
    {"jam", "jam", "jams", NEITHER},
    {"compliant", "change to a compliant contact",
     "changes to a compliant contact", ENDS},
    {"pressed", "begin of compression", "begins of compression", BEGINS},
    {"held", "rest while pressed in", "rests while pressed in", NEITHER},
    {"rebound", "begin of the way back", "begins of the way back", NEITHER},
    {"rigid", "change to a rigid contact", "changes to a rigid contact",
     NEITHER},
};
enum { N_KINDS = sizeof kind_names / sizeof *kind_names };

/* the events of one kind at one contact */
struct tally {
    size_t count;
    double first, last; /* times, s */
};

struct contact_summary {
    struct tally kind[N_KINDS];
    int order[N_KINDS]; /* kinds by the time of their first event */
    int n;              /* kinds that occurred */
    bool closed;        /* a lasting contact began and was not released */
};

static int
kind_number(const char *kind)
{
    for (int i = 0; i < N_KINDS; i++)
        if (!strcmp(kind_names[i].kind, kind))
            return i;
    assert(!"a kind of event without a name");
    return 0;
}

static void
count_event(struct contact_summary *summary, const char *kind, double time)
{
    int number = kind_number(kind);
    struct tally *tally = &summary->kind[number];
    if (tally->count++ == 0) {
        tally->first = time;
        summary->order[summary->n++] = number;
    }
    tally->last = time;
    if (kind_names[number].contact)
        summary->closed = kind_names[number].contact == BEGINS;
}

/* Where not every event is kept, they are counted as they come: those of
 * rotors and joints, of contacts of the model, and of made pairs, the first
 * CONTACT_PAIRS_TOLD by themselves and all with the contact of their block. */
struct event_tallies {
    struct contact_summary **of; /* NULL: no event */
    size_t n;
};

/* The tally of a number of the log; NULL for a pair behind those that are told
 * by themselves. */
static struct contact_summary **
tally_of(const struct simulation *sim, uint32_t number)
{
    const struct rt *run = sim->run;
    uint32_t others = run->im->rotors.n + run->im->joints.n;
    size_t place = number >= UINT32_MAX - others ? UINT32_MAX - number
                                                 : (size_t)others + 1 + number;
    return place < sim->log.tallies->n ? &sim->log.tallies->of[place] : NULL;
}

static void
tally_event(struct simulation *sim, uint32_t number, const char *kind)
{
    const struct rt *run = sim->run;
    if (!sim->log.tallies) {
        size_t n = (size_t)run->im->rotors.n + run->im->joints.n + 1 +
                   contact_table_stated(run) +
                   (run->table ? CONTACT_PAIRS_TOLD : 0);
        sim->log.tallies = NEW(run->arena, struct event_tallies);
        sim->log.tallies->of = NEW_N(run->arena, struct contact_summary *, n);
        sim->log.tallies->n = n;
    }
    struct contact_summary **tally = tally_of(sim, number);
    if (tally && !*tally)
        *tally = NEW(run->arena, struct contact_summary);
    if (tally)
        count_event(*tally, kind, rt_told_time(rt_time(run)));
}

/* A pair whose contact was made counts with the contact of its block, too. */
static void
tally_contact(struct simulation *sim, uint32_t contact, const uint32_t *body,
              const char *kind)
{
    const struct rt *run = sim->run;
    uint32_t rule = body ? contact : contact_table_rule(run, contact),
             number = !body ? contact_table_number(run, contact)
                      : rt_contact(run, contact)->flags & IMP_CONTACTF_RULE
                          ? contact_table_early(sim->run, body[0], body[1])
                          : contact;
    if (number != NO_CONTACT)
        tally_event(sim, number, kind);
    if (number != rule)
        tally_event(sim, rule, kind);
}

void
simulate_remark(struct simulation *sim, const char *text)
{
    assert(sim != NULL && text != NULL);
    VEC_PUSH(&sim->log.remarks,
             arena_strdup(record_arena(sim->analysis), text));
}

void
simulate_log_event(struct simulation *sim, uint32_t contact, const char *kind,
                   const char *class, double impulse)
{
    simulate_log_pair(sim, contact, NULL, kind, class, impulse);
}

void
simulate_log_pair(struct simulation *sim, uint32_t contact,
                  const uint32_t *body, const char *kind, const char *class,
                  double impulse)
{
    assert(sim != NULL && contact < sim->n_contacts);
    assert(kind != NULL && class != NULL);
    assert(sim->log.time.n == sim->log.kind.n);
    const struct rt *run = sim->run;
    if (!run->table)
        body = NULL; /* the contact is that of the pair */
    sim->log.total++;
    if (sim->along)
        along_event(sim->along, contact);
    if (sim->trace)
        run_log_event(sim->trace, contact, body, kind, class, impulse);
    if (sim->options.keep != 1)
        tally_contact(sim, contact, body, kind);
    if (sim->options.keep == 0 || sim->log.total % sim->options.keep != 0)
        return;
    uint32_t number = body ? contact_table_number_of(sim->run, body[0], body[1])
                           : contact_table_number(run, contact);
    VEC_PUSH(&sim->log.time, rt_told_time(rt_time(run)));
    VEC_PUSH(&sim->log.kind, kind);
    VEC_PUSH(&sim->log.class, class);
    VEC_PUSH(&sim->log.contact,
             body ? pair_name(sim, body) : simulate_contact_name(sim, contact));
    VEC_PUSH(&sim->log.number, number);
    VEC_PUSH(&sim->log.impulse, impulse);
}

/* Rotors are numbered behind the contacts, joints behind the rotors. */
static void
log_other(struct simulation *sim, uint32_t number, imp_str name,
          const char *kind)
{
    sim->log.total++;
    if (sim->options.keep != 1)
        tally_event(sim, UINT32_MAX - number, kind);
    if (sim->options.keep == 0 || sim->log.total % sim->options.keep != 0)
        return;
    VEC_PUSH(&sim->log.time, rt_told_time(rt_time(sim->run)));
    VEC_PUSH(&sim->log.kind, kind);
    VEC_PUSH(&sim->log.class, "");
    VEC_PUSH(&sim->log.contact, imp_text(sim->run->im, name));
    VEC_PUSH(&sim->log.number, UINT32_MAX - number);
    VEC_PUSH(&sim->log.impulse, 0.0);
}

void
simulate_log_rotor(struct simulation *sim, uint32_t rotor, const char *kind)
{
    assert(sim != NULL && rotor < sim->run->im->rotors.n && kind != NULL);
    log_other(
        sim, rotor,
        IMP_ARRAY(sim->run->im, sim->run->im->rotors, imp_rotor)[rotor].name,
        kind);
}

void
simulate_log_joint(struct simulation *sim, uint32_t joint, const char *kind)
{
    assert(sim != NULL && joint < sim->run->im->joints.n && kind != NULL);
    log_other(
        sim, sim->run->im->rotors.n + joint,
        IMP_ARRAY(sim->run->im, sim->run->im->joints, imp_joint)[joint].name,
        kind);
}

int *
simulate_joint_modes(struct simulation *sim)
{
    assert(sim != NULL);
    uint32_t n = sim->run->im->joints.n;
    int *mode = NEW_N(sim->run->brief, int, n + 1);
    for (uint32_t i = 0; i < n; i++)
        mode[i] = rubbing_mode(sim->run, i);
    return mode;
}

bool
simulate_log_joint_modes(struct simulation *sim, const int *before)
{
    assert(sim != NULL && before != NULL);
    bool any = false;
    for (uint32_t i = 0; i < sim->run->im->joints.n; i++) {
        int now = rubbing_mode(sim->run, i);
        if (now == before[i])
            continue;
        any = true;
        simulate_log_joint(sim, i,
                           now == CONTACT_TOLD_STICK         ? "stick"
                           : before[i] == CONTACT_TOLD_STICK ? "slip"
                                                             : "reverse");
    }
    return any;
}

/* How many numbers of a row it has: what is told of a whole run has none. */
static size_t
item_size(const imp_val *value)
{
    if (value->kind == IMP_VAL_ALONG)
        return 0;
    return (size_t)(value->rows ? value->rows : 1) *
           (value->cols ? value->cols : 1);
}

void
simulate_progress(struct simulation *sim, double now)
{
    assert(sim != NULL && sim->options.until > 0.0);
    double done = fmin(1.0, now / sim->options.until);
    atomic_store_explicit(&sim->done, done, memory_order_relaxed);
    rt_progress(sim->run, done);
}

int
simulate_read_items(struct simulation *sim)
{
    assert(sim != NULL && sim->rows.width == 0);
    const imp_val *value =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_record);
    if (!value)
        return IMP_OK;
    sim->rows.item =
        value->kind == IMP_VAL_LIST ? val_items(sim->analysis, value) : value;
    sim->rows.n_items = value->kind == IMP_VAL_LIST ? value->items.n : 1;
    for (uint32_t i = 0; i < sim->rows.n_items; i++)
        sim->rows.width += item_size(&sim->rows.item[i]);
    sim->along = along_new(sim->analysis, sim->rows.item, sim->rows.n_items,
                           sim->options.until);
    return IMP_OK;
}

/* Systems beside bodies whose event this is. */
static int
systems_now(struct simulation *sim)
{
    return sim->run->im->bodies.n && sim->run->im->systems.n
               ? simulate_systems_at(sim, rt_time(sim->run))
               : IMP_OK;
}

/* No row is kept, but what is told of the whole run takes note. */
static int
look_along(struct simulation *sim)
{
    int st = systems_now(sim);
    return st ? st : simulate_look_along(sim);
}

int
simulate_row(struct simulation *sim)
{
    assert(sim != NULL);
    assert(sim->rows.values.n == sim->rows.time.n * sim->rows.width);
    if (sim->trace && !sim->behind)
        run_log_instant(sim->trace);
    bool again = sim->rows.jumped;
    sim->rows.jumped = false;
    if (sim->rows.fresh)
        return IMP_OK;
    if ((sim->options.keep != 1 || sim->rows.only) && !sim->rows.asked)
        return sim->along ? look_along(sim) : IMP_OK;
    if (sim->rows.buffer == NULL)
        sim->rows.buffer = NEW_N(sim->run->arena, double, sim->rows.width + 3);
    double *row = sim->rows.buffer, *next = row;
    int systems = systems_now(sim);
    if (systems)
        return systems;
    if (sim->rows.n_items && sim->run->im->dim && !sim->tells) {
        int told = friction_modes_tell(sim->run);
        if (!told)
            told = rubbing_tell(sim->run);
        if (told)
            return told;
        bool ceases;
        if (!again && friction_modes_outside(sim->run, &ceases) >= 0) {
            sim->rows.jumped = sim->rows.asked;
            return IMP_OK;
        }
    }
    if (sim->along) {
        int st = simulate_look_along(sim);
        if (st)
            return st;
    }
    for (uint32_t i = 0; i < sim->rows.n_items; i++) {
        if (sim->rows.item[i].kind == IMP_VAL_ALONG)
            continue;
        int st = arg_numbers(sim->analysis, &sim->rows.item[i], next);
        if (st)
            return st;
        next += item_size(&sim->rows.item[i]);
    }
    VEC_PUSH(&sim->rows.time, rt_told_time(rt_time(sim->run)));
    for (size_t k = 0; k < sim->rows.width; k++)
        VEC_PUSH(&sim->rows.values, row[k]);
    sim->rows.fresh = true;
    return IMP_OK;
}

void
simulate_keep_state(struct simulation *sim)
{
    assert(sim != NULL);
    const struct rt *run = sim->run;
    const double *state = run->env + run->im->layout.state;
    for (size_t i = 0; sim->rows.keeps_states && i < rt_state_size(run); i++)
        VEC_PUSH(&sim->rows.states, state[i]);
}

/* Where rows are those of the times alone, a time that was asked for several
 * times has as many rows: data may be measured twice at one time. */
void
simulate_repeat_rows(struct simulation *sim)
{
    assert(sim != NULL);
    struct recorded_rows *rows = &sim->rows;
    size_t n = rows->time.n, width = rows->width, next = rows->again.n;
    double sign = sim->options.until < 0.0 ? -1.0 : 1.0;
    if ((sim->options.keep == 1 && !rows->only) || next == 0)
        return;
    rows->again.n = 0;
    for (size_t k = 0; k < next; k++) {
        VEC_PUSH(&rows->time, 0.0);
        for (size_t i = 0; i < width; i++)
            VEC_PUSH(&rows->values, 0.0);
    }
    size_t to = rows->time.n;
    while (n-- > 0) {
        double time = sign * rows->time.v[n];
        while (next > 0 && rows->again.v[next - 1] > time)
            next--; /* the run ended before */
        bool more;
        do {
            to--;
            rows->time.v[to] = rows->time.v[n];
            memmove(rows->values.v + to * width, rows->values.v + n * width,
                    width * sizeof *rows->values.v);
            more = next > 0 && rows->again.v[next - 1] == time;
            next -= more;
        } while (more);
    }
    memmove(rows->time.v, rows->time.v + to,
            (rows->time.n - to) * sizeof *rows->time.v);
    memmove(rows->values.v, rows->values.v + to * width,
            (rows->values.n - to * width) * sizeof *rows->values.v);
    rows->time.n -= to;
    rows->values.n -= to * width;
}

void
simulate_put_rows(struct simulation *sim, struct record *out)
{
    assert(sim != NULL && out != NULL);
    struct analysis *analysis = sim->analysis;
    simulate_repeat_rows(sim);
    size_t n_rows = sim->rows.time.n, at = 0;
    SET_LIST("t", sim->rows.time.v, n_rows);
    if (sim->along)
        along_put(sim->along, out);
    for (uint32_t i = 0; i < sim->rows.n_items; i++) {
        if (sim->rows.item[i].kind == IMP_VAL_ALONG)
            continue;
        size_t w = item_size(&sim->rows.item[i]);
        double *x = NEW_N(analysis->rt->arena, double, n_rows *w + 1);
        for (size_t k = 0; k < n_rows; k++)
            memcpy(x + k * w, sim->rows.values.v + k * sim->rows.width + at,
                   w * sizeof *x);
        at += w;
        for (size_t f = 0; f < out->n; f++)
            if (out->schema[f].column == i + 1)
                SET_LIST(imp_text(analysis->rt->im, out->schema[f].name), x,
                         n_rows);
    }
}

void
simulate_tell_low(struct simulation *sim, double speed)
{
    assert(sim != NULL && speed > 0.0);
    char t[NUM_TEXT], v[NUM_TEXT];
    if (sim->reported.low)
        return;
    sim->reported.low = true;
    simulate_remark(
        sim,
        arena_printf(
            sim->run->arena,
            "t = %s s: points come down at one time from less than the "
            "tolerance of a gap, at up to %s m/s, and the model names no law "
            "of impacts at several points: `energetic`, or `complementarity` "
            "where none has friction, was taken, here and wherever it happens "
            "again",
            rt_told(t, rt_time(sim->run), 9), num_digits(v, speed, 3)));
}

double
simulate_next_step(const struct simulation *sim)
{
    assert(sim != NULL);
    double now = rt_time(sim->run), end = sim->options.until,
           k = floor(now / end * SIMULATE_STEPS) + 1.0;
    double next = end * k / SIMULATE_STEPS;
    if (next <= now) /* by rounding of the share */
        next = end * (k + 1.0) / SIMULATE_STEPS;
    return fmin(next, end);
}

double
simulate_last_step(const struct simulation *sim, double t)
{
    assert(sim != NULL && t >= 0.0);
    double end = sim->options.until;
    return fmin(end * floor(t / end * SIMULATE_STEPS) / SIMULATE_STEPS, end);
}

/* -- rows on the way --------------------------------------------------------
 *
 * Times that are asked for do not stop the motion: the states there are read
 * off its series (motion_looks). */

/* States on the way take so many numbers at most. */
#define ROWS_ROOM 4000000

double
simulate_rows_ahead(const struct simulation *sim, double target)
{
    assert(sim != NULL);
    const struct numbers *times = &sim->rows.times;
    size_t next = sim->rows.next,
           room = ROWS_ROOM / (saved_state_size(sim->run) + 1) + 1;
    /* limits of systems are asked for up to there; alone they move alike
     * whatever is asked for */
    if (sim->run->im->systems.n && sim->run->im->bodies.n)
        target = fmin(target, simulate_next_step(sim));
    else if (sim->run->im->systems.n)
        room = 0;
    if (next >= times->n || !(sim->rows.n_items || sim->rows.keeps_states))
        return target;
    return room < times->n - next ? fmin(target, times->v[next + room])
                                  : target;
}

void
simulate_rows_look(struct simulation *sim, struct motion_looks *looks)
{
    assert(sim != NULL && looks != NULL);
    const struct recorded_rows *rows = &sim->rows;
    if (rows->n_items || rows->keeps_states)
        looks_begin(sim->run, looks, rows->times.v + rows->next,
                    rows->times.n - rows->next);
}

int
simulate_asked_row(struct simulation *sim)
{
    assert(sim != NULL && sim->rows.next < sim->rows.times.n);
    sim->rows.asked = true;
    int st = sim->rows.n_items ? simulate_row(sim) : IMP_OK;
    sim->rows.asked = false;
    sim->rows.jumped &= sim->rows.n_items > 0; /* what no row tells is none */
    if (st || sim->rows.jumped)
        return st;
    simulate_keep_state(sim);
    sim->rows.next++;
    return IMP_OK;
}

static void
describe(struct buf *text, const char *contact,
         const struct contact_summary *summary)
{
    buf_printf(text, "%s:", contact);
    for (int i = 0; i < summary->n; i++) {
        const struct tally *tally = &summary->kind[summary->order[i]];
        if (i)
            buf_puts(text, ",");
        if (tally->count == 1)
            buf_printf(text, " %s at %.6g s", kind_names[summary->order[i]].one,
                       tally->first);
        else
            buf_printf(text, " %zu %s from %.6g s to %.6g s", tally->count,
                       kind_names[summary->order[i]].several, tally->first,
                       tally->last);
    }
    if (summary->closed)
        buf_puts(text, ", closed at the end");
}

/* A summary of more sentences than MOST has FIRST of them, and one of all
 * others. */
enum { SENTENCES_FIRST = 12, SENTENCES_MOST = 16 };

/* Adds the events of one contact to those of others. */
static void
add_events(struct contact_summary *sum, const struct contact_summary *one)
{
    for (int i = 0; i < one->n; i++) {
        const struct tally *from = &one->kind[one->order[i]];
        struct tally *tally = &sum->kind[one->order[i]];
        if (tally->count == 0 || from->first < tally->first)
            tally->first = from->first;
        if (tally->count == 0 || from->last > tally->last)
            tally->last = from->last;
        tally->count += from->count;
    }
    /* kinds by the time of their first event */
    sum->n = 0;
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (sum->kind[kind].count == 0)
            continue;
        int at = sum->n++;
        for (; at > 0 &&
               sum->kind[sum->order[at - 1]].first > sum->kind[kind].first;
             at--)
            sum->order[at] = sum->order[at - 1];
        sum->order[at] = kind;
    }
}

/* The sentence on all contacts behind the first ones. */
static const char *
describe_rest(struct arena *arena, const struct contact_summary *sum,
              size_t count, size_t closed)
{
    struct buf text = {0}, name = {0};
    buf_printf(&name, "%zu more", count);
    describe(&text, buf_str(&name), sum);
    if (closed)
        buf_printf(&text, ", %zu of them closed at the end", closed);
    const char *kept = arena_strdup(arena, buf_str(&text));
    buf_free(&name);
    buf_free(&text);
    return kept;
}

/* The name of a rotor or a joint, as log_other numbers them. */
static const char *
other_name(const struct simulation *sim, uint32_t number)
{
    const imp_image *im = sim->run->im;
    if (number < im->rotors.n)
        return imp_text(im, IMP_ARRAY(im, im->rotors, imp_rotor)[number].name);
    return imp_text(
        im, IMP_ARRAY(im, im->joints, imp_joint)[number - im->rotors.n].name);
}

/* What a summary is of, in the order of the record: contacts of the model, made
 * pairs by their bodies, rotors, joints. */
struct told {
    uint32_t pair[2];
    uint32_t number;
};

static int
by_bodies(const void *one, const void *two)
{
    const struct told *a = one, *b = two;
    for (int i = 0; i < 2; i++)
        if (a->pair[i] != b->pair[i])
            return a->pair[i] < b->pair[i] ? -1 : 1;
    return 0;
}

static struct told *
list_told(struct simulation *sim, uint32_t told, uint32_t all)
{
    uint32_t stated = contact_table_stated(sim->run);
    struct told *list = NEW_N(sim->run->brief, struct told, all + 1);
    for (uint32_t i = 0; i < all; i++) {
        list[i].number = i;
        if (i >= stated && i < told)
            contact_table_pair(sim->run, i, list[i].pair);
    }
    qsort(list + stated, told - stated, sizeof *list, by_bodies);
    return list;
}

/* The number of an event as list_told counts them. */
static uint32_t
told_as(const struct rt *run, uint32_t number, uint32_t told, bool whole)
{
    uint32_t pair[2];
    if (number >= UINT32_MAX - (run->im->rotors.n + run->im->joints.n))
        return told + (UINT32_MAX - number);
    if (!whole || number < contact_table_stated(run))
        return number;
    contact_table_pair(run, number, pair);
    return contact_table_rule_of(run, pair[0], pair[1]);
}

/* A contact of a system tells itself whether it is closed: a limit closes it
 * without an event of its own, and an impact elsewhere may open it. */
static void
system_closed(const struct rt *run, uint32_t number,
              struct contact_summary *summary)
{
    const imp_contact *contact = rt_contact(run, number);
    if (contact->system == IMP_NO_SYSTEM ||
        summary->kind[kind_number("compliant")].count ||
        summary->kind[kind_number("pressed")].count)
        return;
    summary->closed =
        run->env[contact->env_contact + IMP_CONTACT_ACTIVE] != 0.0;
}

void
simulate_put_summary(struct simulation *sim, struct record *out)
{
    assert(sim != NULL && out != NULL);
    const struct event_log *log = &sim->log;
    struct rt *run = sim->run;
    struct arena *arena = run->brief; /* the record copies the texts */
    uint32_t stated = contact_table_stated(run), told = contact_table_told(run);
    bool whole = told - stated > CONTACT_PAIRS_TOLD;
    told = whole ? stated : told;
    uint32_t all = told + run->im->rotors.n + run->im->joints.n;
    struct contact_summary *of = NEW_N(arena, struct contact_summary, all + 1);
    const struct told *list = list_told(sim, told, all);
    const char **texts = NEW_N(arena, const char *, all + 1);
    struct contact_summary *rest = NEW(arena, struct contact_summary);
    size_t count = 0, closed = 0;
    for (size_t i = 0; i < log->time.n && !log->tallies; i++)
        count_event(&of[told_as(run, log->number.v[i], told, whole)],
                    log->kind.v[i], log->time.v[i]);
    for (uint32_t i = 0; i < all && log->tallies; i++) {
        struct contact_summary **tally =
            tally_of(sim, i < told ? i : UINT32_MAX - (i - told));
        bool sum = i < stated && rt_contact(run, i)->flags & IMP_CONTACTF_RULE;
        if (tally && *tally && (whole || !sum))
            of[i] = **tally;
    }
    for (uint32_t k = 0; k < all; k++) {
        uint32_t i = list[k].number;
        if (of[i].n == 0)
            continue;
        struct buf text = {0};
        bool listed = count < SENTENCES_FIRST;
        bool block = whole && i < stated &&
                     rt_contact(run, i)->flags & IMP_CONTACTF_RULE;
        of[i].closed &= i < told && !block;
        if (i < stated)
            system_closed(run, i, &of[i]);
        if (block)
            buf_printf(&text, "many pairs, such as ");
        describe(&text,
                 i >= told    ? other_name(sim, i - told)
                 : i < stated ? simulate_contact_name(sim, i)
                              : pair_name(sim, list[k].pair),
                 &of[i]);
        texts[count++] = arena_strdup(arena, buf_str(&text));
        buf_free(&text);
        if (listed)
            continue;
        add_events(rest, &of[i]);
        closed += of[i].closed;
    }
    if (count > SENTENCES_MOST) {
        texts[SENTENCES_FIRST] =
            describe_rest(arena, rest, count - SENTENCES_FIRST, closed);
        count = SENTENCES_FIRST + 1;
    }
    SET_TEXTS("summary", texts, count);
}
