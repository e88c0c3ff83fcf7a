/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model may ask of a rotor: w.rate. */
#include <assert.h>
#include <string.h>

#include "check/quantities/quantities.h"

/* in the order of enum rotor_quantity */
const struct keydef rotor_values[] = {
    {"rate", "how fast it turns against its body, about its axis"},
    {"momentum", "its angular momentum about its axis, with the body's spin"},
};
const size_t n_rotor_values = sizeof rotor_values / sizeof rotor_values[0];

struct value
rotor_field(struct check *ck, uint32_t rotor, const char *name,
            imp_range name_range, imp_range range)
{
    assert(ck && name && rotor < ck->lists.rotors.n);
    const char *names[sizeof rotor_values / sizeof rotor_values[0]];
    for (uint32_t i = 0; i < n_rotor_values; i++) {
        names[i] = rotor_values[i].name;
        if (!strcmp(name, names[i]))
            return value_num(ck, ex_sym(ck->g, SYM_ROTOR, rotor, i),
                             i == ROTORQ_RATE ? dim_mks(ck->dims, 0, 0, -1)
                                              : dim_mks(ck->dims, 2, 1, -1),
                             range);
    }
    struct diag *diag =
        check_error(ck, DIAG_E0112, name_range, "a rotor has no `%s`", name);
    if (!check_suggest(ck, diag, name_range, name, names, n_rotor_values))
        CHECK_HELP(ck, diag, "it has %s",
                   check_join(ck, names, n_rotor_values, "and"));
    return value_poison(range);
}
