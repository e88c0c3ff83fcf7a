/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one symbol that libimpgen.so exports. */
#include "codegen/emit.h"

static const struct gen_api api = {
    .version = GEN_API_VERSION,
    .emit = gen_emit,
    .load = gen_load_object,
    .unload = gen_unload,
    .host_cpu = gen_host_cpu,
};

__attribute__((visibility("default"))) const struct gen_api *
imp_gen_entry(void);

const struct gen_api *
imp_gen_entry(void)
{
    return &api;
}
