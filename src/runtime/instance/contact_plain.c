/* SPDX-License-Identifier: MIT */
/* See contact_plain.h. */
#include "runtime/instance/contact_plain.h"

#include <assert.h>

bool
contact_is_plain(const struct rt *run, uint32_t contact, unsigned known)
{
    assert(run != NULL);
    const imp_contact *of = rt_contact(run, contact);
    unsigned laws = 0;
    if (of->bounce != IMP_NO_TAPE)
        laws |= CONTACT_LAW_APPROACH;
    if (of->own != IMP_NO_TAPE)
        laws |= CONTACT_LAW_OWN;
    /* a system has its coefficients on the tape of the slip */
    if (of->rub != IMP_NO_TAPE || of->rub_now != IMP_NO_TAPE ||
        (of->system != IMP_NO_SYSTEM && (of->flags & IMP_CONTACTF_FRICTION)))
        laws |= CONTACT_LAW_FRICTION;
    if (of->compliance != IMP_NO_TAPE)
        laws |= CONTACT_LAW_COMPLIANCE;
    if (of->flags & IMP_CONTACTF_STICKS)
        laws |= CONTACT_LAW_STICKS;
    return (laws & ~known) == 0;
}
