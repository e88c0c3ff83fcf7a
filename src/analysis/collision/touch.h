/* SPDX-License-Identifier: MIT */
/* A touch of two bodies and its coefficients: found by following the motion
 * from the start (first_touch.c), read at the present state (touch.c). */
#ifndef IMP_ANALYSIS_COLLISION_TOUCH_H
#define IMP_ANALYSIS_COLLISION_TOUCH_H

#include "analysis/collision/tangency_formulas.h"
#include "analysis/command/command.h"

#define JET_MAX 20 /* highest order of the gap's series */

enum touch_found {
    TOUCH_YES,  /* the model is at the touch */
    TOUCH_NONE, /* there is no touch up to the horizon */
    TOUCH_NEVER /* a touch is excluded for ever */
};

struct touch {
    uint32_t contact;
    enum touch_found found;
    bool at_start;  /* the bodies touch at time 0: nothing was searched */
    double time;    /* of the touch; without one, how far was searched; s */
    double length;  /* size of both bodies, m */
    double gap;     /* at the touch, within its tolerance, m */
    double gap_tol; /* a gap at or below it counts as closed, m */
    double still;   /* a rate up to this one counts as none in any case, m/s */
    double P[3], Q[3], n[3]; /* contact points; normal of the first body */
    int order;               /* of the series; -1: there is none */
    double jet[JET_MAX + 1]; /* Taylor coefficients of the gap */
    const char *no_jet;      /* why the series ends before its order, or NULL */
    bool open;               /* of polytopes: the normal is not unique */
    const char *open_text;   /* what the choices of the normal come to; also set
                                where the model states one of them */
    bool formulas; /* `tangency` holds the coefficients of the paper */
    const char *no_formulas; /* why not, or NULL */
    struct tangency tangency;
    /* The same without the spins of discs and spheres about their centres,
     * which move no surface: v, D, j* and the sizes of their terms. */
    struct tangency calm;
};

/* Resets the model and moves it to the first touch of `contact` before `until`
 * (NaN: the horizon of the model), and fills `t`. IMP_OK also when there is no
 * touch. IMP_BADMODEL after the diagnostic of an overlap at the start. */
int touch_find(struct analysis *analysis, uint32_t contact, double until,
               struct touch *touch);
/* Reads the coefficients at the present state, which is a touch of t->contact;
 * t->contact, t->length and t->gap_tol are set. order: of the gap's series, at
 * most JET_MAX. IMP_FAILED after the diagnostic of a flat contact. */
int touch_read(struct analysis *analysis, struct touch *touch, int order);
/* May time pass before an impact at this contact? IMP_FAILED after E0722 when
 * the contact is stated at the start. */
int touch_require_movable(struct analysis *analysis, uint32_t contact);
/* The option `until` of a command, in s; NaN, which stands for the horizon,
 * when it is not given. IMP_BADMODEL after a diagnostic when it is negative. */
int touch_option_until(struct analysis *analysis, const imp_command *command,
                       enum imp_option_id id, double *until);
/* The gap at the present state in m, and its rate in m/s unless `rate` is NULL.
 * Status of the closest points and of the series. */
int touch_gap(struct analysis *analysis, uint32_t contact, double *gap,
              double *rate);

#endif
