/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of events in a form that two runs of one motion share. */
#ifndef SOAK_EVENTS_H
#define SOAK_EVENTS_H

#include "frame.h"
#include "run.h"

/* In order of time; events at one time in order of contacts. Events within the
 * windows are left out: before a limit of chatter, how many impacts are
 * resolved one by one is the program's choice. */
struct event_list {
    int count, windows;
    struct event *event;
    struct window {
        double begin, end;
        double at;   /* the time of the limit */
        bool vague;  /* when modes begin there, two runs may tell otherwise */
        bool limit;  /* of chatter: impacts alone are left out */
        bool nested; /* of limits of chatter: these are, too */
        int contact; /* of the limit */
    } * window;
};

/* Is that contact of the other run one of what the frame leaves out? */
bool is_guest(const struct frame *frame, const struct result *a, int contact);
/* Lists of both results, times and windows those of a. The frame tells how b
 * sees a. The caller frees them by event_lists_free. */
void event_lists(const struct result *a, const struct result *b,
                 const struct frame *frame, struct event_list out[2]);
/* Where a contact grazes in one run and is hit in the other: the rounding of a
 * gap decides which, and is a speed of its square root, 1e-8 and more. From
 * there on the runs are two motions. INFINITY: nowhere. */
double first_graze(const struct result *a, const struct result *b,
                   const struct frame *frame);
/* The time of the first limit of chatter that another impact follows within so
 * little time that what is hit first behind it is not known. INFINITY: none. */
double first_followed(const struct result *result);
/* From here on bodies come together for ever. INFINITY: nowhere. */
double first_collapse(const struct result *result);
/* Of an impact at which some contact is closed already. INFINITY: none. */
double first_joint_impact(const struct result *result);
void event_lists_free(struct event_list list[2]);
/* Leaves out what lies within these windows, too. */
void event_list_leave_out(struct event_list *list, const struct window *window,
                          int count);
/* Forgets what is before that time. */
void event_list_begin(struct event_list *list, double time);
/* Is the event nearer than that to the beginning of a window of one of both
 * lists, or to its end where that is no limit? What is in the window in one run
 * may be outside in the other. */
bool event_list_at_edge(const struct event_list list[2],
                        const struct event *event, double within);
/* same kind, class and contact */
bool event_same(const struct event *a, const struct event *b);
/* The first event that both results do not have alike, to the last bit; -1:
 * there is none. */
int first_event_apart(const struct result *a, const struct result *b);
/* "impact C- of c1 at t = 0.5"; event may be NULL */
void event_text(const struct model *model, const struct event *event, char *out,
                size_t size);

#endif
