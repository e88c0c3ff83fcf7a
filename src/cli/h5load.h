/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IMP_CLI_H5LOAD_H
#define IMP_CLI_H5LOAD_H

/* loads libimph5.so as genload does libimpgen.so; NULL and *error (static) */
struct h5_api;
const struct h5_api *h5load(const char **error);

#endif
