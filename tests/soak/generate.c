/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models: which kind a seed makes. */
#include "generate.h"

#include <string.h>

#include "generate_priv.h"

static const struct kind {
    const char *name;
    void (*make)(struct random *random, struct model *out);
    int share;
} kind_table[] = {
    {"bodies", generate_bodies, 5},
    {"polytopes", generate_polytopes, 2},
    {"hits", generate_hits, 2},
    {"pendulum", generate_pendulum, 1},
    {"linkage", generate_linkage, 1},
    {"system", generate_general_system, 3},
    {"kepler", generate_kepler, 1},
    {"chain", generate_chain, 1},
    {"resting", generate_resting, 1},
    {"feet", generate_feet, 2},
    {"rough", generate_rough, 3},
    {"slopes", generate_slopes, 2},
    {"rough-system", generate_rough_system, 2},
    /* by their names alone */
    {"polygons", generate_polygons, 0},
    {"polyhedra", generate_polyhedra, 0},
    {"stacks", generate_stacks, 0},
    {"tables", generate_tables, 0},
    {"troughs", generate_troughs, 0},
    {"discs", generate_discs, 0},
    {"laws", generate_laws, 0},
    {"system-laws", generate_system_laws, 0},
    {"mixtures", generate_mixtures, 0},
    {"mechanisms", generate_mechanisms, 0},
    {"rotors", generate_rotors, 0},
    {"driven", generate_driven, 0},
    {"belts", generate_belts, 0},
    {"crowd", generate_crowd, 0},
    {"several", generate_several, 0},
    {"smooth", generate_smooth, 0},
    {"tabled", generate_tabled, 0},
    {"loaded", generate_loaded, 0},
    {"rounded", generate_rounded, 0},
    {"riding", generate_riding, 0},
    {"approaches", generate_approaches, 0},
    {"pendula", generate_pendula, 0},
    {"stones", generate_stones, 0},
    {"dry", generate_dry, 0},
    {"unequal", generate_unequal, 0},
    {"dragged", generate_dragged, 0},
    {"grounds", generate_grounds, 0},
    {"bearings", generate_bearings, 0},
    {"plates", generate_plates, 0},
    {"supports", generate_supports, 0},
    {"powers", generate_powers, 0},
    {"valleys", generate_valleys, 0},
    {"carts", generate_carts, 0},
};
enum { KINDS = sizeof kind_table / sizeof *kind_table };

bool
generate(uint64_t seed, const char *kind, struct model *out)
{
    struct random random = random_start(seed, 0);
    int sum = 0, chosen = -1;
    for (int i = 0; i < KINDS; i++) {
        sum += kind_table[i].share;
        if (kind && !strcmp(kind, kind_table[i].name))
            chosen = i;
    }
    int pick = random_whole(&random, sum);
    for (int i = 0; i < KINDS && !kind; i++) {
        if (pick >= 0 && pick < kind_table[i].share)
            chosen = i;
        pick -= kind_table[i].share;
    }
    *out = (struct model){
        .dimension = 2, .record_gaps = true, .record_pushes = true};
    if (chosen < 0)
        return false;
    kind_table[chosen].make(&random, out);
    model_set_times(out, 33);
    return true;
}
