/* SPDX-License-Identifier: MIT */
/* Is a contact what its numbers in env say? A fast way of motion asks here
 * before it takes restitution and friction from there. */
#ifndef IMP_RUNTIME_INSTANCE_CONTACT_PLAIN_H
#define IMP_RUNTIME_INSTANCE_CONTACT_PLAIN_H

#include "runtime/instance/run.h"

/* What a contact may have that IMP_CONTACT_E and IMP_CONTACT_MU to
 * IMP_CONTACT_MU_IMPACT do not tell. Whoever adds a law of contact adds it here
 * and to contact_is_plain: then all ways that do not know it refuse it. */
enum contact_law {
    CONTACT_LAW_APPROACH = 1, /* restitution that depends on the speed */
    CONTACT_LAW_OWN = 2,      /* impulses by the user's formula */
    CONTACT_LAW_FRICTION =
        4, /* coefficients by formulas; friction of systems */
    CONTACT_LAW_COMPLIANCE = 8, /* a force while it is pressed in */
    CONTACT_LAW_STICKS = 16     /* an impact takes the slip, too */
};

/* Has the contact, of bodies or of a system, no law but those in `known` (enum
 * contact_law), which the caller follows by itself? Numbers tell the rest. */
bool contact_is_plain(const struct rt *run, uint32_t contact, unsigned known);

#endif
