/* SPDX-License-Identifier: MIT */
/* Inside the room: what the commands `balance` and `painleve` ask of bodies and
 * of systems. */
#ifndef IMP_ANALYSIS_FRICTION_FRICTION_PRIV_H
#define IMP_ANALYSIS_FRICTION_FRICTION_PRIV_H

#include "analysis/command/command.h"
#include "runtime/balance/balance.h"
#include "runtime/friction/painleve.h"
#include "runtime/motion/contact_point.h"

/* -- balance_system.c -------------------------------------------------------
 */

/* The problem of `balance` at contacts of a system; tells what cannot be asked.
 */
int balance_of_system(struct analysis *analysis, const imp_command *command,
                      const uint32_t *contact, uint32_t n,
                      struct balance_problem *in);

/* -- painleve_system.c ------------------------------------------------------
 */

struct painleve_reader;
/* A contact at the instant that is asked for. */
struct painleve_instant {
    struct painleve_point point;
    double time, gap, rate; /* s, m, m/s */
    bool closed;            /* gap and rate are 0 to rounding */
    double jerk;            /* third derivative of the gap in free motion */
    struct painleve_reader *reader; /* has read this instant */
};
/* Brings the system of a contact to the time `at` (NAN: its start, or where
 * the gap is open there its first closure), and reads the contact there. */
int painleve_of_system(struct analysis *analysis, const imp_command *command,
                       uint32_t contact, double at,
                       struct painleve_instant *out);

/* What a unit force at one of two contacts does at the other. */
struct painleve_cross {
    double normal; /* a normal force to the other gap */
    double gap[2]; /* friction at the other one to the gap of this one, and a
                      normal force here to the slip there */
    double slip;   /* friction to the other slip */
};
/* The same for two contacts of a system. */
int painleve_pair_of_system(struct analysis *analysis,
                            const imp_command *command,
                            const uint32_t contact[2], double at,
                            struct painleve_instant out[2],
                            struct painleve_cross *cross);

/* -- painleve.c, painleve_two.c ---------------------------------------------
 */

/* the paper's letters: F, T, S+, S-; S without friction */
const char *painleve_letter(enum contact_mode mode);
/* Fills the record of two contacts at their instant. IMP_BADMODEL after a
 * diagnostic: they are not both closed. */
int painleve_put_two(struct analysis *analysis, const imp_command *command,
                     const struct painleve_instant instant[2],
                     const struct painleve_cross *cross, struct record *out);

/* -- painleve_beside.c ------------------------------------------------------
 */

/* W0747 where another contact is closed, too, and acts on those (1 or 2) that
 * were read. */
void painleve_tell_beside(struct analysis *analysis, const imp_command *command,
                          const struct painleve_instant *instant, int n);

/* -- painleve_reader.c ------------------------------------------------------
 */

/* What derivatives `painleve` asks for at the present state. With n coordinates
 * q and the mass matrix M, the free accelerations f, d = dgap/dq and c =
 * dslip/dq': C = d.M^-1 d, B = d.M^-1 c; b is the second derivative of the gap
 * in free motion. */
struct painleve_derivatives {
    uint32_t n;
    double *all;
    double C, B, C_t, B_t;
    double b_c, b_d; /* db/dq'.M^-1 c, db/dq'.M^-1 d */
    double mu, mu_t, mu_speed; /* the last: by the slip's speed */
    const double *mu_v;        /* by the other velocities (n); NULL: by none */
    bool mu_moves; /* mu depends on the slip velocity, or on others */
    const double *C_q, *B_q, *mu_q; /* n each */
    const double *f_q, *d_q, *c_q;  /* n x n each: of the generalised forces */
};
/* A contact that is read again and again, at the state that env has. Whether
 * it is one of a system (painleve_system.c) or of bodies (painleve_bodies.c)
 * only these functions know. */
struct painleve_reading {
    /* Coefficients, gap and rate at this state (out->closed is not told); then
     * normal ... acc of the reader. whole: with the jerk, the sizes of terms
     * and what the contact states of impacts, and a slip that is rounding is
     * 0; else these may be missing. Status, perhaps after a diagnostic. */
    int (*read)(struct painleve_reader *reader, bool whole,
                struct painleve_instant *out);
    /* the gap and `normal` alone */
    int (*gap)(struct painleve_reader *reader, double *gap);
    /* *out is zero, or of the call before. Status of the tapes. */
    int (*derivatives)(struct painleve_reader *reader, double slip,
                       struct painleve_derivatives *out);
    /* The number of a coordinate that the checker knows, and its unit. */
    uint32_t (*coordinate)(const struct painleve_reader *reader,
                           const char *name, size_t length, const char **unit);
    /* Moves what the joints hold, and the contact back onto a closed gap if
     * `gap`, after one or two of the coordinates have been set, and fills the
     * change of all coordinates by each of them (n_asked x n). Angles that may
     * stay do. IMP_DIVERGED, which is not told: they cannot be so. NULL: the
     * others stay as they are. */
    int (*close)(struct painleve_reader *reader, const uint32_t *asked,
                 uint32_t n_asked, bool gap, double *along);
    /* Changes the rates, which are those of a motion that the joints allow, as
     * little as must be, by the kinetic energy of the change, so that
     * coordinate j has this one, the gap keeps closed and the slip is this
     * fast. IMP_DIVERGED, which is not told: it cannot be so. */
    int (*begin)(struct painleve_reader *reader, uint32_t j, double rate,
                 double slip);
    /* Adds to a stiffness (n x n, without its sign) what the joints do while
     * these forces of the contact, and all others, are in balance; the rows
     * that they hold are *rows, *n_rows x n. NULL: there are none. Derivatives
     * have been read before. Status of the tapes. */
    int (*held)(struct painleve_reader *reader, const double force[2],
                double *stiffness, const double **rows, uint32_t *n_rows);
    /* Is this other contact closed now, so that its forces act on the one that
     * was read? */
    bool (*beside)(struct painleve_reader *reader, uint32_t other);
    /* The number of a joint with friction that holds its bodies; UINT32_MAX:
     * there is none. NULL: there are no joints. */
    uint32_t (*rubbing)(const struct painleve_reader *reader);
};
struct painleve_reader {
    struct analysis *analysis;
    const imp_command *command;
    uint32_t contact, n;
    const struct painleve_reading *by;
    double **entry; /* 2n: where env has the coordinates, then their rates */
    /* n each: gradients of gap and slip, M^-1 times both, accelerations without
     * forces of contacts */
    double *normal, *along, *by_normal, *by_along, *acc;
    /* why derivatives are not known; NULL: they are */
    const char *unknown;
};
/* Room for n coordinates, in the memory of the run. */
void painleve_reader_room(struct painleve_reader *reader, uint32_t n);
/* The law of one impact at the contact: its own, or the world's. */
enum friction_law painleve_law(const struct rt *run,
                               const imp_contact *contact);
/* Coordinates and rates of the present state, and the time (2n + 1), and back.
 */
#define PAINLEVE_STATE(n) (2 * (size_t)(n) + 1)
void painleve_reader_keep(const struct painleve_reader *reader, double *state);
void painleve_reader_enter(struct painleve_reader *reader, const double *state);
/* After a read: free * (accelerations without contacts) + M^-1 (normal d +
 * tangential c), n entries. */
void painleve_accelerations(const struct painleve_reader *reader, double free,
                            double normal, double tangential, double *out);

/* -- wedge.c ----------------------------------------------------------------
 */

/* The field `wedge`: rates of coordinate j from which the present slip jams.
 * Status of the tapes. */
int painleve_put_wedge(const struct painleve_instant *instant, uint32_t j,
                       struct record *out);

/* -- painleve_instant.c ---------------------------------------------------- */

/* Fills the fields of one contact that ask for derivatives: where p and b
 * lead, the least mu_P, stability at rest. The state of the run is that of the
 * instant. Status of the tapes, or after a diagnostic. */
int painleve_put_instant(const struct painleve_instant *instant,
                         const struct painleve *found, struct record *out);

/* -- painleve_least.c ------------------------------------------------------ */

/* The fields of the options `over` and `wedge`. The state of the run is that of
 * the instant, and again so afterwards. Status of the tapes, or after a
 * diagnostic. */
int painleve_over(const struct painleve_instant *instant,
                  const struct painleve *found, struct record *out);

/* dp/ds = alpha[0] p + alpha[3] b, db/ds = alpha[1] p + alpha[2] b at what was
 * read and derived; alpha[3] is 0 where friction does not depend on velocities.
 */
#define PAINLEVE_ALPHA 4
void painleve_alpha(const struct painleve_reader *reader,
                    const struct painleve_derivatives *of,
                    const struct painleve_instant *instant,
                    double alpha[PAINLEVE_ALPHA]);
const char *painleve_alpha_outcome(const double alpha[PAINLEVE_ALPHA], double p,
                                   double b);

/* -- painleve_bodies.c ------------------------------------------------------
 */

/* The same for the one or two contacts of the command, which are of bodies in
 * the plane. *n: the points that are read, 1 or 2; one contact may touch at
 * two. cross: of two, as in painleve_pair_of_system. */
int painleve_of_bodies(struct analysis *analysis, const imp_command *command,
                       double at, struct painleve_instant out[2], int *n,
                       struct painleve_cross *cross);

/* -- painleve_mechanism.c --------------------------------------------------
 */

#define PAINLEVE_PER_BODY 3 /* x, y and the angle */
/* All bodies that move together with those of a contact, in the memory of the
 * run. Conditions stand in `rows`: those of joints, and up to two more. */
struct painleve_mechanism {
    struct rt *run;
    uint32_t tape; /* imp_contact.instant */
    uint32_t n_body, *body, n, n_row;
    double *mass; /* n: the diagonal of M */
    double *local, *all;
    /* of the last read, as imp_contact.instant has it; the last four with the
     * multipliers that it was given, where n_row > 0 */
    double mu_t, mu_speed;
    const double *mu_q, *mu_v, *force, *force_q, *force_v;
    const double *condition, *pull_q, *pull_t, *change_v;
    double *rows; /* (n_row + 2) x n */
    bool *stays;  /* per body: its angle does not change */
    double *matrix, *answer;
    int *pivot;
    uint32_t n_factored;
    /* of the last call of painleve_mechanism_slide, as imp_contact.slide has it
     */
    uint32_t slide_tape;
    double *slide;
};
struct painleve_mechanism *painleve_mechanism_new(struct rt *run,
                                                  const imp_contact *contact);
/* Needs a tape. multipliers: n_row, or NULL: 0. Status of the tape. */
int painleve_mechanism_read(struct painleve_mechanism *of, double slip,
                            const double *multipliers);
/* The forces of the present state into the slide, n at `slide` + 1, and the
 * conditions of the joints into the rows, factored. target (n_row): what they
 * ask of accelerations. Status of the tape. */
int painleve_mechanism_slide(struct painleve_mechanism *of, double slip,
                             double *target);
/* After a read: puts condition i of the joints into its row. Returns what it is
 * off; NAN where it is one of velocities only. */
double painleve_mechanism_row(struct painleve_mechanism *of, uint32_t i);
/* Takes the first n_row rows as conditions A x = t, with the angles that stay.
 * Status. */
int painleve_mechanism_factor(struct painleve_mechanism *of, uint32_t n_row);
/* The x (n) of least x.M x/2 - force.x that meets them; multipliers (n_row):
 * M x = force + A^T multipliers. NULL for force, target: 0. False: nothing
 * meets them. */
bool painleve_mechanism_solve(struct painleve_mechanism *of,
                              const double *force, const double *target,
                              double *out, double *multipliers);

/* -- painleve_slide.c ------------------------------------------------------ */

/* A vertex on a face while it slides, in closed form: what a reader of bodies
 * tells at each step of a slip, without series. NULL: it is another kind of
 * point. */
struct painleve_slide;
struct painleve_slide *
painleve_slide_new(struct rt *run, const struct contact_point *spot,
                   const struct painleve_mechanism *mechanism);
/* Fills what painleve_reading.read does, without what is for a whole read.
 * multipliers (2 n_row): what joints do under unit forces along both rows.
 * Status of the tapes. */
int painleve_slide_read(const struct painleve_slide *slide,
                        struct painleve_reader *reader,
                        struct painleve_mechanism *mechanism,
                        double *multipliers, struct painleve_instant *out);

/* -- painleve_bodies_read.c ------------------------------------------------ */

/* A reader of this point, in the memory of the run. */
struct painleve_reader *
painleve_bodies_reader(struct analysis *analysis, const imp_command *command,
                       const struct contact_point *spot);
/* What forces at one of two points do at the other one. Status of the tapes. */
int painleve_bodies_cross(struct rt *run, const struct contact_point spot[2],
                          struct painleve_cross *cross);

#endif
