/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See seams.c. */
#ifndef SOAK_SEAMS_H
#define SOAK_SEAMS_H

#include "relations.h"

/* Is the law of the world another one where a contact is two? */
bool law_counts_contacts(const struct model *model);
bool make_seams(struct trial *trial);
/* Have both bodies corners, or a flat side without an end? */
bool contact_of_polytopes(const struct model *model,
                          const struct contact *contact);
/* Is its restitution, or its friction, a formula of the speed? Formulas of two
 * contacts are never taken as the same, whatever they say. */
bool contact_by_formulas(const struct contact *contact);

#endif
