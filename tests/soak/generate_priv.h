/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of random models. Each fills an empty model, except for the times
 * of its record. */
#ifndef SOAK_GENERATE_PRIV_H
#define SOAK_GENERATE_PRIV_H

#include "model.h"
#include "random.h"

void generate_bodies(struct random *random, struct model *out);
void generate_polytopes(struct random *random, struct model *out);
void generate_polygons(struct random *random, struct model *out);
void generate_polyhedra(struct random *random, struct model *out);
void generate_stacks(struct random *random, struct model *out);
void generate_tables(struct random *random, struct model *out);
void generate_troughs(struct random *random, struct model *out);
void generate_hits(struct random *random, struct model *out);
void generate_pendulum(struct random *random, struct model *out);
void generate_general_system(struct random *random, struct model *out);
void generate_dry(struct random *random, struct model *out);
void generate_linkage(struct random *random, struct model *out);
void generate_kepler(struct random *random, struct model *out);
void generate_chain(struct random *random, struct model *out);
void generate_resting(struct random *random, struct model *out);
void generate_feet(struct random *random, struct model *out);
void generate_rough(struct random *random, struct model *out);
void generate_slopes(struct random *random, struct model *out);
void generate_discs(struct random *random, struct model *out);
void generate_mixtures(struct random *random, struct model *out);
void generate_laws(struct random *random, struct model *out);
void generate_system_laws(struct random *random, struct model *out);
void generate_rough_system(struct random *random, struct model *out);
void generate_mechanisms(struct random *random, struct model *out);
void generate_pendula(struct random *random, struct model *out);
void generate_rotors(struct random *random, struct model *out);
void generate_driven(struct random *random, struct model *out);
void generate_belts(struct random *random, struct model *out);
void generate_crowd(struct random *random, struct model *out);
void generate_several(struct random *random, struct model *out);
void generate_smooth(struct random *random, struct model *out);
void generate_stones(struct random *random, struct model *out);
void generate_tabled(struct random *random, struct model *out);
void generate_loaded(struct random *random, struct model *out);
void generate_rounded(struct random *random, struct model *out);
void generate_riding(struct random *random, struct model *out);
void generate_approaches(struct random *random, struct model *out);
void generate_unequal(struct random *random, struct model *out);
void generate_dragged(struct random *random, struct model *out);
void generate_grounds(struct random *random, struct model *out);
void generate_bearings(struct random *random, struct model *out);
void generate_plates(struct random *random, struct model *out);
void generate_valleys(struct random *random, struct model *out);
void generate_powers(struct random *random, struct model *out);
void generate_carts(struct random *random, struct model *out);
void generate_supports(struct random *random, struct model *out);

/* Parts of scenes of bodies. */

/* Corners that are all corners of their hull. */
void scene_random_hull(struct random *random, int dimension, double size,
                       struct body *out);
/* A body called after `letter`, all of whose data are 0. */
struct body *scene_add_body(struct model *model, const char *letter);
/* A fixed half-plane or half-space whose normal is turned from "up". */
struct body *scene_add_wall(struct model *model, struct random *random,
                            double tilt);
/* Tries places for the last body within `reach` until it is apart from all
 * others; false: there was none. */
bool scene_place(struct model *model, struct random *random, double reach);
/* Contacts between that share of all pairs of which one body moves. */
void scene_add_contacts(struct model *model, struct random *random,
                        double share);

/* Coulomb's friction for all contacts. */
void scene_add_friction(struct random *random, struct model *out);
/* Coefficients that fall as the slip grows, for those that stick more. */
void scene_add_stribeck(struct random *random, struct model *out);
/* The same restitution that falls with the approach for all contacts. */
void scene_add_approach(struct random *random, struct model *out);
/* A law of the world for several impacts at one time, or none. */
void scene_choose_law(struct random *random, struct model *out);

#endif
