/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shared libraries of this program that are loaded when they are first
 * needed: LLVM costs every process that is linked with it 20 ms and more, HDF5
 * about 10 ms, and most commands need neither; GSL is needed for a second
 * opinion alone. Each library is loaded once and
 * never unloaded; all threads share it. */
#ifndef IMP_CLI_CODE_LOAD_H
#define IMP_CLI_CODE_LOAD_H

struct gen_api;
struct h5_api;
struct gsl_api;
struct table_h5;

#define CODEGEN_FILE "libimpgen.so"

/* The code generator libimpgen.so, what writes and reads HDF5 files,
 * libimph5.so, or the second engine of motion libimpgsl.so, found as where.h
 * says. NULL and *error (static) where it cannot be loaded. */
const struct gen_api *load_codegen(const char **error);
const struct h5_api *load_hdf5(const char **error);
const struct table_h5 *load_tables(const char **error); /* of load_hdf5 */
const struct gsl_api *load_gsl(const char **error);

#endif
