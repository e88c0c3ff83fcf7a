/* SPDX-License-Identifier: MIT */
/* Inside the room: columns of a file that is read. */
#ifndef IMP_HDF5_H5TABLE_H
#define IMP_HDF5_H5TABLE_H

#include "table/h5.h"

extern const struct table_h5 h5_table;

#endif
