/* SPDX-License-Identifier: MIT */
/* The beta distribution: shares of Student's t and of order statistics. */
#ifndef IMP_ANALYSIS_COMMAND_BETA_H
#define IMP_ANALYSIS_COMMAND_BETA_H

/* The share of the beta distribution (a, b) below x, which is the regularised
 * incomplete beta function I_x(a, b) (DLMF 8.17.2); a, b > 0. */
double beta_below(double a, double b, double x);

#endif
