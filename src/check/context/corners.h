/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes that take any number of corners, as the standard library and users
 * declare them:
 *
 *   shape polygon(corners) = hull(corners, 2) { example = "..." }
 *
 * A shape whose value is `hull` of its only argument is the convex hull of the
 * points that stand in its call: pairs where the second argument of hull is 2,
 * triples where it is 3. Such a shape of the standard library is known without
 * `use`. */
#ifndef IMP_CHECK_CONTEXT_CORNERS_H
#define IMP_CHECK_CONTEXT_CORNERS_H

#include "check/context/context.h"

struct corner_shape {
    const char *name;
    uint32_t dim, least; /* entries of a corner; corners of the simplest one */
    const char *args;    /* for the documentation: "p1, p2, p3, ..." */
    const char *doc;     /* on one line */
    const char *example; /* a body of this shape */
};

/* Does the declaration take any number of corners? Then *shape is it. The texts
 * belong to the checker's arena. */
bool corner_shape_of(struct check *ck, const struct decl *decl,
                     struct corner_shape *shape);
/* a shape whose value is written with `hull`, rightly or not */
bool corner_shape_wanted(const struct decl *decl);
/* the n-th of the standard library; NULL after the last */
struct decl *corner_shape_library(struct check *ck, size_t count);
/* the one of the standard library with this name; NULL: there is none */
struct decl *corner_shape_find(struct check *ck, const char *name);

#endif
