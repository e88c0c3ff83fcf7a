/* SPDX-License-Identifier: MIT */
/* Shared inside the analysis room: the commands, arguments, and what every
 * question about a touch has in common. */
#ifndef IMP_ANALYSIS_COMMAND_ANALYSIS_PRIV_H
#define IMP_ANALYSIS_COMMAND_ANALYSIS_PRIV_H

#include "analysis/collision/tangency_formulas.h"
#include "analysis/command/analysis.h"
#include "base/arena.h"
#include "runtime/ballistic/ballistic.h"
#include "runtime/events/event.h"
#include "runtime/motion/motion.h"

/* records and what they hold live in the arena of the diagnostics: they are
 * read after the run (REPL, C API) */
static inline struct arena *
record_arena(const struct analysis *a)
{
    return a->ds->arena;
}
/* short forms of the record setters */
#define SET_NUM(f, x) record_set_number(out, f, x)
#define SET_BOOL(f, x) record_set_bool(out, f, x)
#define SET_VEC(f, x) record_set_vector(out, f, x)
#define SET_LIST(f, x, n) record_set_list(out, f, x, n)
#define SET_MAT(f, x, r, c) record_set_matrix(out, f, x, r, c)
#define SET_TEXT(f, s) record_set_text(out, f, s)
#define SET_TEXTS(f, s, n) record_set_texts(out, f, s, n)
#define SET_ABSENT(f, s) record_set_absent(out, f, s)

/* -- arguments (args.c) ---------------------------------------------------- */

static inline const imp_val *
arg_items(const struct analysis *a, const imp_command *c)
{
    return IMP_ARRAY(a->rt->im, c->args, imp_val);
}
static inline const imp_val *
val_items(const struct analysis *a, const imp_val *v)
{
    return IMP_ARRAY(a->rt->im, v->items, imp_val);
}
/* the value of an option; NULL if it is not given */
const imp_val *arg_option(const struct analysis *a, const imp_command *c,
                          enum imp_option_id id);
/* numbers of a value at the present state (fills slots, gaps) */
int arg_numbers(struct analysis *a, const imp_val *v, double *out);
/* NUM option as one number, or dflt */
int arg_number(struct analysis *a, const imp_command *c, enum imp_option_id id,
               double dflt, double *out);
/* the contact a CONTACT argument names */
uint32_t arg_contact(const struct analysis *a, const imp_command *c,
                     uint32_t i);
/* fills the contact entries and slots a value's tape reads */
int arg_ready(struct analysis *a, const imp_val *v);
/* the tape of a value, with the diagnostic of I5 */
int arg_eval(struct analysis *a, const imp_val *v, double *out);
/* the record a result or field belongs to; NULL after a diagnostic when it is
 * not there */
const struct record *arg_record(struct analysis *a, const imp_val *v);
/* TEXT or WORD option, or dflt */
const char *arg_text(const struct analysis *a, const imp_command *c,
                     enum imp_option_id id, const char *dflt);
/* Does any tape of the model read this param? */
bool model_reads_param(const imp_image *im, uint32_t param);

/* -- answers (answer.c) -----------------------------------------------------
 */

/* "r = impact a, b": the name of the result, if there is one, and the words of
 * the command; in the run's memory */
const char *command_label(const struct analysis *a, const imp_command *c);
/* Adds the diagnostic of a runtime call that failed, where none was given yet.
 * `what` says what was being calculated. Returns the status of the command. */
int command_failed(struct analysis *a, int status, imp_range where,
                   const char *what);

/* -- columns (columns.c) --------------------------------------------------- */

struct columns {
    struct out_column *v;
    size_t n, cap;
    bool texts; /* columns of texts are wanted, too */
};
/* appends the columns of a value (fields, recorded columns, whole records), in
 * the run's memory; `time`, if not NULL, receives the natural horizontal axis
 * (n = 0: none) */
int columns_of_value(struct analysis *a, const imp_val *v, struct columns *cols,
                     struct out_column *time);
/* the columns of one field of a record, texts too, into v; how many */
size_t columns_of_field(struct analysis *a, const struct record *r,
                        size_t field, struct out_column *v);

/* -- touches (touch.c) ------------------------------------------------------
 */

/* all that motion changes, kept to go back to it */
struct saved_state {
    double *v;
    size_t n;
};
struct saved_state saved_state_take(struct analysis *a);
void saved_state_restore(struct analysis *a, const struct saved_state *m);

#define JET_MAX 20
enum touch_found {
    TOUCH_YES,  /* the model is at the touch */
    TOUCH_NONE, /* none up to the horizon */
    TOUCH_NEVER /* excluded for ever */
};
struct touch {
    uint32_t contact;
    enum touch_found found;
    bool at_start;  /* touching at time 0: nothing was searched */
    double time;    /* of the touch, or how far was looked */
    double length;  /* size of both bodies, gap_length */
    double gap;     /* at the touch, within the tolerance */
    double gap_tol; /* at or under it the gap counts as closed */
    double P[3], Q[3], n[3];
    int order; /* of the jet; -1: not available */
    double jet[JET_MAX + 1];
    const char *no_jet;    /* why not */
    bool open;             /* of corners: the normal is not unique */
    const char *open_text; /* what the choices come to; also if one is stated */
    bool formulas;         /* t holds the paper's coefficients */
    const char *no_formulas; /* why not */
    struct tangency t;
};
enum touch_class {
    CLASS_SEPARATING,
    CLASS_MINUS,
    CLASS_0_PLUS,
    CLASS_0_MINUS,
    CLASS_00
};
extern const char *const touch_class_name[];
/* the verdict of spec 0.D on coefficients v, D, j* */
struct verdict {
    enum touch_class class;
    double v, D, jerk;          /* best values */
    double v_tol, D_tol, j_tol; /* absolute */
    double margin;
    bool jerk_zero;  /* C00 whose jerk is zero too */
    int type;        /* 0 none, 1, 2, 3 */
    bool in_P, in_Q; /* the contact points that enter the other body */
    bool open;       /* the normal is not unique (simulate) */
};
/* moves the model from its start to the first touch; diagnostics: overlap at
 * the start, flat contact */
int touch_find(struct analysis *a, uint32_t contact, double until,
               struct touch *t);
/* May time pass before an impact at this contact? IMP_FAILED after E0722 when
 * it is stated at the start. */
int touch_require_movable(struct analysis *a, uint32_t contact);
/* coefficients at the present state, which is a touch; `order` of the jet */
int touch_read(struct analysis *a, struct touch *t, int order);
/* compares the two computations: IMP_FAILED after a diagnostic when they
 * disagree beyond rounding */
int touch_agree(struct analysis *a, const struct touch *t);
void touch_verdict(const struct analysis *a, const struct touch *t,
                   struct verdict *v);
/* An open normal (set_valued_normal.c): velocity and second derivative of the
 * separation along each choice, at the present state */
struct contact_manifold;
struct normal_choices {
    int n;
    double v[16], D[16]; /* MANIFOLD_CHOICES */
    double v_tol, D_tol;
    int closing; /* choices under which the bodies approach */
    int pressed; /* without velocity, and D < 0 */
    int apart;   /* under which they separate */
    int blind;   /* without a series: 0 stands there */
};
int normal_choices_read(struct analysis *a, uint32_t contact,
                        const struct contact_manifold *c,
                        struct normal_choices *out);
/* what follows from them, in words */
const char *normal_choices_text(const struct normal_choices *o);
/* A time after which features that change at a touch have done so, at a small
 * share of the way; 0: nothing moves. *speed: of the bodies against each other
 */
double touch_time_aside(struct analysis *a, uint32_t contact, double *speed);
/* Does the gap's second derivative jump at a touch of corners, which the model
 * is at? Then t->jet becomes the series of what follows, and *before is the
 * derivative that held until then. */
bool touch_sides(struct analysis *a, struct touch *t, double *before);
/* normal velocity that counts as zero */
double touch_velocity_tolerance(const struct analysis *a,
                                const struct touch *t);
/* moves the model to the root of the derivative that decides (spec 0.F) */
int touch_polish(struct analysis *a, struct touch *t);
/* option `until` of a command: NaN, which stands for the horizon, when it is
 * not given */
int touch_option_until(struct analysis *a, const imp_command *c,
                       enum imp_option_id id, double *until);
/* gap at the present state, and its rate when `rate` is not NULL */
int touch_gap(struct analysis *a, uint32_t contact, double *gap, double *rate);

/* -- systems (systems.c) --------------------------------------------------
 */

/* the world's policy for contacts of one system that close at one time */
enum ballistic_policy simultaneous_policy(const struct analysis *a);

/* -- limits of chatter (accumulation_record.c)
 * -----------------------------------------
 */

/* what a limit rests on, in a word */
const char *limit_evidence_word(enum limit_evidence m);
/* the gap of a contact of a system as it is written, and where: "h + phi
 * (rod.imp:8:10)" */
const char *gap_source_text(struct analysis *a, uint32_t contact);

/* -- depth (penetration_depth.c)
 * --------------------------------------------------------
 */

/* the depth fields of `classify`, for C00 and C0-; the model is at the touch */
int penetration_depth_measure(struct analysis *a, const struct touch *t,
                              const struct verdict *v, struct record *out,
                              const char **remark);

/* -- impact (impact.c) ------------------------------------------------------
 */

/* the impact handler at the present state: IMP_CS_SIZE outputs; alpha NULL:
 * the law */
int impact_handler_compute(struct analysis *a, uint32_t contact,
                           const double *alpha, double cs[IMP_CS_SIZE]);
/* the velocities after it go into the state */
void impact_handler_apply(struct analysis *a, uint32_t contact,
                          const double cs[IMP_CS_SIZE]);
/* Largest relative change of momentum and angular momentum, the constraint
 * impulses of fixed bodies counted (I1). */
double impact_handler_momentum_error(struct analysis *a, uint32_t contact,
                                     const double cs[IMP_CS_SIZE]);

#endif
