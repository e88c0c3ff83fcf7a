/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the room: a glTF while it is made. Lists of its JSON grow as texts
 * beside their lengths; numbers go to the block of bytes, through accessors. */
#ifndef IMP_CLI_EXPORT_GLTF_PRIV_H
#define IMP_CLI_EXPORT_GLTF_PRIV_H

#include <stdint.h>

#include "base/arena.h"
#include "cli/export/export.h"
#include "cli/export/shape.h"

struct gltf_list {
    struct buf text;
    size_t n;
};
struct gltf {
    struct shape_scene scene;
    struct buf bytes;
    struct gltf_list views, accessors, meshes, materials, nodes, samplers,
        channels;
};

#endif
