/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shapes of a run file as triangles. */
#ifndef IMP_CLI_EXPORT_SHAPE_H
#define IMP_CLI_EXPORT_SHAPE_H

#include <stdint.h>

#include "analysis/trace/run_read.h"
#include "base/arena.h"

struct shape_scene {
    struct arena *arena;
    const struct run_read *run;
    double reach; /* how far half-spaces are drawn */
};
/* Coordinates are the body's axes about its mass centre. */
struct shape_surface {
    struct {
        float *v;
        size_t n, cap;
    } at, normal;
    struct {
        uint32_t *v;
        size_t n, cap;
    } triangles;
};
/* The scene of a run, whose half-spaces reach farther than its bodies go. */
struct shape_scene shape_scene(struct arena *arena, const struct run_read *run);
/* The surface of a body of the run, with a normal at each corner; empty where
 * it has none. NULL, or what is wrong with the run. */
const char *shape_surface(const struct shape_scene *scene,
                          const struct json *body,
                          struct shape_surface *surface);

#endif
