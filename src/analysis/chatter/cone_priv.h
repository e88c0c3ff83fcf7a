/* SPDX-License-Identifier: MIT */
/* Inside `cone`: the command (cone.c) and its file (cone_file.c). */
#ifndef IMP_ANALYSIS_CHATTER_CONE_PRIV_H
#define IMP_ANALYSIS_CHATTER_CONE_PRIV_H

#include "analysis/chatter/chatter_priv.h"
#include "runtime/returnmap/invariant_cone.h"

struct cone_question {
    struct analysis *a;
    const imp_system *s;
    struct ballistic *l;
    const struct symmetry *sym;
    struct invariant_cone_problem p;
    struct invariant_cone_result r;
    bool any_order;    /* flights from all velocities */
    bool from;         /* the search starts from the user's velocities */
    int n;             /* coordinates */
    double *to_user;   /* n x 3: rates = to_user x */
    double *from_user; /* 3 x n: x = from_user rates */
};

/* x as rates of the coordinates (n) */
void cone_to_user(const struct cone_question *question, const double *x,
                  double *v);
/* the same of n points of the plane; memory: the run's arena */
double *cone_points(struct cone_question *question,
                    const struct polygon2d_point *v, int n);
/* U_0 R^-j, n x n */
void cone_user_map(const struct cone_question *question, int j, double *map);
/* f.rates >= 0 (n) */
void cone_user_facet(const struct cone_question *question,
                     const struct invariant_cone_plane *h, double *f);
/* writes the certificate under --out */
int cone_save(struct cone_question *question, imp_range where,
              const char *file);

#endif
