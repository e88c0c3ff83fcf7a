/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a model in a child process and reads its record. A crash or a hang of
 * the child is a result like any other. */
#ifndef SOAK_RUN_H
#define SOAK_RUN_H

#include "model.h"

enum { EXIT_SIGNAL = 1000, EXIT_TIME = 1001 };

/* How to run Imp. */
struct runner {
    const char *imp;     /* path of the program */
    const char *backend; /* "eval", "jit"; "build": a simulator */
    int opt;             /* of machine code */
    int threads;         /* of a sweep; 0: as Imp chooses */
    unsigned seconds;    /* of processor time before the child is ended */
    uint64_t memory;     /* bytes of address space; 0: any */
    bool plain;          /* text instead of JSON */
    const char *folder;  /* from which it may read files; NULL: none */
};

struct state {
    double position[3], velocity[3], spin[3];
    double turn[3][3];    /* body axes as columns */
    double quaternion[4]; /* in space */
    double angle;         /* in the plane */
};

struct event {
    double time, impulse;
    char kind[20], class[16];
    int contact; /* -1: a joint, a rotor */
    bool guest;  /* of what `beside` and `doubled` add */
};

/* Where a system is. */
struct place {
    double q[MAX_COORDINATES], rate[MAX_COORDINATES];
};

/* What a contact with friction carries. */
struct force {
    double normal, friction, slip, work;
    int mode; /* as Imp numbers them: 0 open, 1 stick, 2 and 3 slip */
};

/* What a joint with friction carries: a force on its first body, a moment on it
 * about the joint, and of these what friction gives, along the axis of a slider
 * or about the pin of a hinge. */
struct bearing {
    double rate, work, force[3], moment, friction;
    double across; /* the force of a slider across its axis */
    int mode;      /* 1 stick, 2 and 3 slip; -1: not recorded */
};

/* What `chatter` says. */
struct answer {
    char verdict[24]; /* "" if there is none */
    bool fitted;      /* by averages: ratio and exponent are rough */
    double time, error, ratio, ratio_error, exponent, exponent_error;
};

/* A limit of chatter. */
struct limit {
    double time, sum, error;
    double before; /* what may be off because of what came before */
    double depth;  /* 2: a limit of limits */
    int contact;   /* the first of it */
};

struct result {
    int status; /* of the child; EXIT_SIGNAL, EXIT_TIME */
    int signal;
    char *out, *err; /* what it printed */
    bool read;       /* the record was found and understood */
    char done[16];   /* "done", "stopped", "failed" */
    double time;
    double decided; /* from here on an order that the model does not state has
                       decided, and a warning says so; INFINITY: never */
    int rows;
    double *t, *energy;
    double sums_from, sums_until; /* the audit sums up rates over rows that lie
                                     between these times */
    double energy_before, energy_after;
    struct answer answer;
    struct state *state;     /* [row*bodies + body] */
    struct place *place;     /* [row*MAX_SYSTEMS + system] */
    double *gap;             /* [row*contacts + contact]; NaN if not recorded */
    struct force *force;     /* the same; NaN if not recorded */
    double *rotor;           /* rates, [row*bodies + body]; NaN: none */
    struct bearing *bearing; /* [row*joints + joint] */
    double loads; /* from here on the motion is one of many, by how points share
                     their loads, and a warning says so; INFINITY: never */
    double choices; /* from here on the modes of closed contacts are among more
                       than are tried */
    bool shared;    /* the forces are not determined, the motion is */
    struct place *observed; /* what observers of the coordinates say */
    bool gains;             /* a warning says that an impact adds energy */
    int bodies, contacts, joints;
    int events;
    struct event *event;
    int limits;
    struct limit *limit;
    char code[8]; /* of the first error or of a warning that ends the
                     run, "" if there is none */
};

/* Runs the text; fills status, out and err alone. */
void run_text(const struct runner *runner, const char *text,
              struct result *result);
/* Formats the text by `imp fmt`, and frees it; the caller frees the result,
 * which is empty if that fails. */
char *run_format(const struct runner *runner, char *text);
/* Runs the model and reads the record of its `simulate`. */
void run_model(const struct runner *runner, const struct model *model,
               struct result *result);
void result_free(struct result *result);
/* The contact of that name in a record of the model; -1: there is none. */
int contact_named(const struct model *model, const char *name);

static inline const struct state *
result_state(const struct result *result, int row, int body)
{
    return &result->state[row * result->bodies + body];
}

/* The direction of a slider's axis, of length 1, which turns with its second
 * body from the first row on. */
void slider_axis(const struct model *model, const struct result *result,
                 int row, const struct joint *joint, double out[3]);

#endif
