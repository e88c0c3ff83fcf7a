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

/* The run for ParaView and other readers of VTK: a collection of times (.pvd)
 * and, per time, a file of polygons in the folder beside it, of which `write`
 * is given each with its name below that folder. Times: 0, every, ..., the end.
 * Bodies are triangles, drawings of systems lines and figures; each cell says
 * of which body it is. In files of their own: the points of events since the
 * time before, with normal and impulse, and of closed contacts, with force and
 * friction. NULL, or what is wrong; *wrote is false where a write has failed
 * and said so. */
typedef bool export_write_fn(void *ctx, const char *name,
                             const struct buf *bytes);
const char *export_vtk(struct arena *arena, const struct run_read *run,
                       const char *folder, double every, export_write_fn *write,
                       void *ctx, struct buf *pvd, bool *wrote);

/* The run as the content of an HDF5 file (output/h5.h): the pieces of all
 * movers, their poses at the times 0, every, ..., the end, shapes, events,
 * forces, energies, limits and recorded columns. Memory: the arena. */
struct h5_content;
const struct h5_content *export_hdf5(struct arena *arena,
                                     const struct run_read *run, double every);

#endif
