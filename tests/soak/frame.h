/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another way to look at the same motion: another place, direction, hand,
 * speed, start of time, and other units. */
#ifndef SOAK_FRAME_H
#define SOAK_FRAME_H

#include "run.h"

/* Everything moves by size*sin(rate*t + phase), too. */
struct sway {
    double size[3], rate, phase;
};

/* A state (x, v) at time t becomes, at time (t - start)*time,
 * x' = length*(turn*x + shift + boost*t), and so on. With time = -1 it is the
 * motion backwards. */
struct frame {
    double length, time, mass; /* factors of numbers */
    double angle;              /* of the turn in the plane */
    double quaternion[4];      /* of the turn in space */
    bool mirror;               /* x is reflected before the turn */
    double shift[3], boost[3];
    double start;
    struct sway sway;  /* in the model, before all of that */
    struct ride ride;  /* the same */
    bool places_alone; /* nothing is known of classes, and of turns and spins in
                          space */
    bool closures_untold; /* the events of contacts that close without an impact
                             have other names, or none */
    bool limits_untold;   /* limits of further corners of contacts that are
                             closed are told in one of the runs alone */
    bool guests; /* more bodies, systems and contacts follow those of the model;
                    what happens to them is left out */
    /* of systems: q = chart.matrix*q' + chart.offset, where q' are the
     * coordinates in the frame; the rates follow */
    struct substitution chart[MAX_SYSTEMS];
    bool charted;
};

struct frame frame_same(void);
/* The model as it looks in the frame. The state at t = start must have been put
 * into the model before (model_restart). */
void frame_apply(const struct frame *frame, struct model *model);
/* The state of a body in the frame, brought back: as it would stand in the
 * result of the model that was transformed. `time` is that of the model. */
void frame_undo(const struct frame *frame, int dimension, double time,
                const struct state *in, struct state *out);
void frame_undo_place(const struct frame *frame, const struct model *model,
                      int system, const struct place *in, struct place *out);
void sway_at(const struct sway *sway, double time, double place[3],
             double rate[3]);
double frame_time(const struct frame *frame, double time);
double frame_undo_time(const struct frame *frame, double time);
/* Lets the model begin with the state of a row of its result, at that row's
 * time; `until` and the times of the record are what is left. The prescribed
 * motions go on. */
void model_restart(struct model *model, const struct result *result, int row);

#endif
