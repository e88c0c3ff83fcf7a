/* SPDX-License-Identifier: MIT */
/* The summary of a run: one sentence per contact that took part in an event,
 * made from the log of events alone:
 *
 *   bump: 13 impacts from 0.451524 s to 1.90821 s, limit of chatter at
 *   1.90859 s, lasting contact at 1.90859 s, closed at the end */
#include <assert.h>
#include <string.h>

#include "analysis/simulate/simulate_priv.h"
#include "base/arena.h"
#include "base/buf.h"

/* The kinds of events (field `event_kinds`) as a summary names them. */
static const struct {
    const char *kind, *one, *several;
} kind_names[] = {
    {"impact", "impact", "impacts"},
    {"touch", "tangential touch", "tangential touches"},
    {"overlap begins", "begin of overlap", "begins of overlap"},
    {"overlap ends", "end of overlap", "ends of overlap"},
    {"chatter", "limit of chatter", "limits of chatter"},
    {"slide", "lasting contact", "lasting contacts"},
    {"leave", "release", "releases"},
    {"stop", "stop", "stops"},
    {"slip", "begin of slip", "begins of slip"},
    {"stick", "begin of stick", "begins of stick"},
    {"reverse", "reversal of slip", "reversals of slip"},
    {"liftoff", "lift-off", "lift-offs"},
    {"undecided", "motion that is not determined",
     "motions that are not determined"},
    {"impact without collision", "impact without collision",
     "impacts without collision"},
    {"jam", "jam", "jams"},
    {"compliant", "change to a compliant contact",
     "changes to a compliant contact"},
    {"pressed", "begin of compression", "begins of compression"},
    {"rigid", "change to a rigid contact", "changes to a rigid contact"},
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
    if (!strcmp(kind, "slide") || !strcmp(kind, "slip") ||
        !strcmp(kind, "stick") || !strcmp(kind, "pressed"))
        summary->closed = true;
    else if (!strcmp(kind, "leave") || !strcmp(kind, "liftoff") ||
             !strcmp(kind, "compliant") ||
             !strcmp(kind, "impact without collision"))
        summary->closed = false;
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

void
simulate_put_summary(struct simulation *sim, struct record *out)
{
    assert(sim != NULL && out != NULL);
    const struct event_log *log = &sim->log;
    struct arena *arena = sim->run->brief; /* the record copies the texts */
    uint32_t all = sim->n_contacts + sim->run->im->rotors.n;
    const imp_rotor *rotor =
        IMP_ARRAY(sim->run->im, sim->run->im->rotors, imp_rotor);
    struct contact_summary *of = NEW_N(arena, struct contact_summary, all + 1);
    const char **texts = NEW_N(arena, const char *, all + 1);
    size_t count = 0;
    for (size_t i = 0; i < log->time.n; i++)
        count_event(&of[log->number.v[i]], log->kind.v[i], log->time.v[i]);
    for (uint32_t i = 0; i < all; i++) {
        if (of[i].n == 0)
            continue;
        struct buf text = {0};
        bool contact = i < sim->n_contacts;
        of[i].closed &= contact;
        describe(&text,
                 contact ? simulate_contact_name(sim, i)
                         : imp_text(sim->run->im,
                                    rotor[i - sim->n_contacts].name),
                 &of[i]);
        texts[count++] = arena_strdup(arena, buf_str(&text));
        buf_free(&text);
    }
    SET_TEXTS("summary", texts, count);
}
