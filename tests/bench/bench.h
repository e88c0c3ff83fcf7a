/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imp-bench: medians and ratios of what the project promises about speed. One
 * file per promise; main.c is the table. Every benchmark also checks that what
 * it times is right. */
#ifndef IMP_BENCH_H
#define IMP_BENCH_H

#include <stdbool.h>

#include "cli/session/session.h"
#include "runtime/instance/run.h"

/* seconds of a steady clock; CPU seconds of this process */
double bench_now(void);
double bench_cpu(void);
/* median of n numbers (sorts them) */
double bench_median(double *x, int n);
/* one line of the report: name, value with unit, the promise; `ok` false: the
 * promise was not kept, and the program's exit status says so */
void bench_line(const char *name, double value, const char *unit,
                const char *promise, bool ok);
void bench_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* a model from text, compiled and loaded; `opt` < 0: the evaluator. Exits with
 * the diagnostics when something is wrong. */
struct model {
    struct session s;
    struct rt *rt;
    const imp_code *code;
};
void bench_model(struct model *m, const char *text, int opt);
void bench_model_free(struct model *m);
/* index of the param `name` */
uint32_t bench_param(const struct model *m, const char *name);

/* counter-free random numbers, the same in every run */
struct bench_random {
    unsigned long long s;
};
double bench_uniform(struct bench_random *r, double lo, double hi);
void bench_direction(struct bench_random *r, double d[3]);

/* two ellipsoids that touch: axes, pose and motion as params, in this order:
 * a1 b1 c1 a2 b2 c2, position 3, quaternion 4, velocity 3, spins 3 + 3 */
#define BENCH_PAIR 22
extern const char bench_pair_text[];
void bench_pair_draw(struct bench_random *r, double p[BENCH_PAIR]);

/* Wall-clock and processor seconds. */
struct bench_spent {
    double wall, cpu;
};
/* Runs the program `imp` with these arguments, which end with NULL; its output
 * goes to the file `to`. Exits when it fails. */
struct bench_spent bench_run(const char *imp, char *const *args,
                             const char *to);

void bench_top(void);
void bench_gyro(void);
void bench_gap(void);
void bench_classify(void);
void bench_multi(void);
void bench_linkage(void);
void bench_chatter(void);
void bench_box(void);
void bench_sweep(const char *folder);
void bench_process(const char *folder);
void bench_friction(void);
void bench_painleve(const char *folder);
void bench_drops(const char *folder);
void bench_stacks(const char *folder);
void bench_many(const char *folder);

#endif
