/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the room: a glTF while it is made. Lists of its JSON grow as texts
 * beside their lengths; numbers go to the block of bytes, through accessors. */
#ifndef IMP_CLI_EXPORT_GLTF_PRIV_H
#define IMP_CLI_EXPORT_GLTF_PRIV_H

#include <stdint.h>

#include "base/arena.h"
#include "cli/export/export.h"

struct gltf_list {
    struct buf text;
    size_t n;
};
struct gltf {
    struct arena *arena;
    const struct run_read *run;
    double reach; /* how far half-spaces are drawn */
    struct buf bytes;
    struct gltf_list views, accessors, meshes, materials, nodes, samplers,
        channels;
};
/* Begins the next item of a list; returns its number. */
size_t gltf_next(struct gltf_list *list);
/* n vectors of `width` floats as an accessor, with its bounds where asked for;
 * returns its number. */
size_t gltf_floats(struct gltf *gltf, const float *x, int width, size_t n,
                   bool bounds, bool vertices);
size_t gltf_indices(struct gltf *gltf, const uint32_t *x, size_t n);

/* A surface as triangles with a normal at each corner. */
struct gltf_surface {
    struct {
        float *v;
        size_t n, cap;
    } at, normal;
    struct {
        uint32_t *v;
        size_t n, cap;
    } triangles;
};
/* gltf_shape.c: the surface of a body, empty where it has none. NULL, or what
 * is wrong with the run. */
const char *gltf_shape(struct gltf *gltf, const struct json *body,
                       struct gltf_surface *surface);

#endif
