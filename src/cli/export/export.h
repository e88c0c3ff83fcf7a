/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs in the formats of other programs. */
#ifndef IMP_CLI_EXPORT_EXPORT_H
#define IMP_CLI_EXPORT_EXPORT_H

#include "analysis/trace/run_read.h"
#include "base/buf.h"

/* Appends the run as glTF 2.0 in one binary file (.glb): a node per body with
 * its mesh and, for each body that moves, keys of its pose at least 120 times a
 * second and at events. Numbers there are floats. NULL, or what is wrong with
 * the run: static text or text of the arena. */
const char *export_gltf(struct arena *arena, const struct run_read *run,
                        struct buf *out);

#endif
