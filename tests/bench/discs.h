/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equal hard discs in a square box, written by hand for this motion alone: what
 * imp-bench many compares with. Elastic impacts, no gravity. */
#ifndef IMP_BENCH_DISCS_H
#define IMP_BENCH_DISCS_H

struct discs;

/* n discs of this radius and of mass 1, in the box 0 .. side x 0 .. side, at
 * x[i] with velocity v[i]. Free the result by discs_free. */
struct discs *discs_new(int n, double radius, double side, double (*x)[2],
                        double (*v)[2]);
void discs_free(struct discs *all);
/* Goes on to the time `until`. Returns the number of impacts. */
long discs_run(struct discs *all, double until);
/* the kinetic energy */
double discs_energy(const struct discs *all);

#endif
