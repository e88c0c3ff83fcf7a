/* SPDX-License-Identifier: MIT */
/* Inside the room: what the commands `balance` and `painleve` ask of bodies and
 * of systems. */
#ifndef IMP_ANALYSIS_FRICTION_FRICTION_PRIV_H
#define IMP_ANALYSIS_FRICTION_FRICTION_PRIV_H

#include "analysis/command/command.h"
#include "runtime/friction/balance.h"
#include "runtime/friction/painleve.h"

/* -- balance_system.c -------------------------------------------------------
 */

/* The problem of `balance` at contacts of a system; tells what cannot be asked.
 */
int balance_of_system(struct analysis *analysis, const imp_command *command,
                      const uint32_t *contact, uint32_t n,
                      struct balance_problem *in);

/* -- painleve_system.c ------------------------------------------------------
 */

/* A contact at the instant that is asked for. */
struct painleve_instant {
    struct painleve_point point;
    double time, gap, rate; /* s, m, m/s */
    bool closed;            /* gap and rate are 0 to rounding */
    double jerk; /* of a system: third derivative of the gap in free motion */
};
/* Brings the system of a contact to the time `at` (NAN: its start, or where
 * the gap is open there its first closure), and reads the contact there. */
int painleve_of_system(struct analysis *analysis, const imp_command *command,
                       uint32_t contact, double at,
                       struct painleve_instant *out);

/* The same for two contacts of a system. cross: what a unit normal force, and a
 * unit friction force, at the other contact do to the gap: of the first, then
 * of the second. */
int painleve_pair_of_system(struct analysis *analysis,
                            const imp_command *command,
                            const uint32_t contact[2], double at,
                            struct painleve_instant out[2], double cross[4]);

/* A contact of a system that is read again and again, at the state that env
 * has. In the memory of the run. */
struct painleve_reader;
struct painleve_reader *painleve_reader_new(struct analysis *analysis,
                                            const imp_command *command,
                                            uint32_t contact);
/* Coefficients, gap and rate at this state, the jerk where it is asked for
 * (out->closed is not told). Status, perhaps after a diagnostic. */
int painleve_read_here(struct painleve_reader *reader, bool jerk,
                       struct painleve_instant *out);
/* After it: the gradients of gap and slip (n each). */
void painleve_gradients(const struct painleve_reader *reader,
                        const double **gap, const double **slip);
/* After it: free * (accelerations without contacts) + M^-1 (normal d +
 * tangential c), n entries. */
void painleve_accelerations(const struct painleve_reader *reader, double free,
                            double normal, double tangential, double *out);

/* -- wedge.c ----------------------------------------------------------------
 */

/* The field `wedge`: rates of coordinate j of the system from which the present
 * slip jams. Status of the tapes. */
int painleve_put_wedge(struct analysis *analysis,
                       struct painleve_reader *reader, uint32_t contact,
                       uint32_t j, const struct painleve_instant *instant,
                       struct record *out);

/* -- painleve_instant.c ---------------------------------------------------- */

/* Fills the fields of one contact of a system that ask for derivatives: where p
 * and b lead, the least mu_P, stability at rest. The state of the run is that
 * of the instant. Status of the tapes, or after a diagnostic. */
int painleve_put_instant(struct analysis *analysis, const imp_command *command,
                         uint32_t contact,
                         const struct painleve_instant *instant,
                         const struct painleve *found, struct record *out);

/* -- painleve_least.c ------------------------------------------------------ */

/* The tape imp_contact.instant at the present state. */
struct painleve_derivatives {
    uint32_t n;
    double *all;
    double C, B, C_t, B_t, b_c, b_d, mu, mu_t, mu_speed;
    const double *C_q, *B_q, *mu_q, *f_q, *d_q, *c_q;
};
/* Fills them (*out is zero, or of the call before). Status of the tape. */
int painleve_derivatives(struct rt *run, const imp_contact *contact,
                         double slip, struct painleve_derivatives *out);
/* The fields of the options `over` and `wedge`. The state of the run is that of
 * the instant, and again so afterwards. Status of the tapes, or after a
 * diagnostic. */
int painleve_over(struct analysis *analysis, const imp_command *command,
                  uint32_t contact, const struct painleve_instant *instant,
                  const struct painleve *found, struct record *out);

/* The numbers alpha of a slip at this state (painleve_instant.c), and what they
 * lead to: "jam ...", "liftoff", "slip". */
void painleve_alpha(const struct painleve_derivatives *of, const double *rates,
                    const struct painleve_instant *instant, double alpha[3]);
const char *painleve_alpha_outcome(const double alpha[3], double p, double b);

/* -- painleve_bodies.c ------------------------------------------------------
 */

/* The same for a contact between bodies in the plane; `at` is 0 or NAN. */
int painleve_of_bodies(struct analysis *analysis, const imp_command *command,
                       uint32_t contact, double at,
                       struct painleve_instant *out);

#endif
