/* SPDX-License-Identifier: MIT */
/* Contacts of a system at their common touch, and their impact. */
#ifndef IMP_ANALYSIS_IMPACT_SYSTEM_AT_TOUCH_H
#define IMP_ANALYSIS_IMPACT_SYSTEM_AT_TOUCH_H

#include "analysis/impact/impact_priv.h"
#include "runtime/flow/flow.h"

struct strike {
    struct analysis *analysis;
    const imp_command *command;
    const imp_system *image_system;
    uint32_t system, n_coordinates, n_contacts;
    int *hit; /* contacts of the system that close, in the order asked for */
    int n_hit;
    int *approaching; /* those of them that approach: they alone are hit */
    int n_approaching;
    /* per contact */
    bool *rests;        /* closed, and neither closing nor opening */
    double *gap, *rate; /* at the impact */
    double *size;       /* of the terms of the gap, at the start and here */
    double *speed;      /* of the terms of its rate */
};

/* Brings the contacts that a command names, which are those of one system, to
 * their common touch; `until` is the option that says how far. Status after a
 * diagnostic otherwise. */
int strike_bring(struct analysis *analysis, const imp_command *command,
                 enum imp_option_id until, struct strike *strike);
/* The impact there of the contacts that are named, and of those that rest
 * beside them, as a problem whose solver is prepared; *motion holds the
 * matrices. *rests: there are such contacts, which only push. */
int strike_problem(struct strike *strike, struct ballistic **motion,
                   struct flow_impact *impact, bool *rests);
/* Answers `impact` at contacts of a system that has friction. */
int impact_of_rubbing_system(struct strike *strike, enum imp_impact_law law,
                             struct record *out);
/* Answers `compare` at such contacts. */
int impact_compare_rubbing_system(struct strike *strike, struct record *out);
/* The number of a contact of the system among those that take part in an impact
 * with friction; -1: it does not. */
int strike_place(const struct flow_friction_impact *impact, int contact);
/* The rates of the coordinates after the impulses that the solver has found. */
void strike_rates_after(const struct strike *strike,
                        const struct ballistic *motion,
                        const struct flow_impact *impact, double *rates);
/* The kinetic energy with these rates of the coordinates. IMP_FAILED after a
 * diagnostic. */
int strike_energy(struct strike *strike, const double *rates, double *energy);
const char *strike_name(const struct strike *strike, int contact);
/* Is the gap of a contact negative beyond its rounding? */
bool strike_overlaps(const struct strike *strike, int contact);
/* Returns -1: the contact approaches, 1: it separates, 0: neither. */
int strike_sense(const struct strike *strike, int contact);

#endif
