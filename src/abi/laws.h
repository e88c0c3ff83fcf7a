/* SPDX-License-Identifier: MIT */
/* The laws of impact by number, from the one table abi/laws.def. */
#ifndef IMP_ABI_LAWS_H
#define IMP_ABI_LAWS_H

#include <stddef.h>
#include <stdint.h>

/* the law of an impact at several contacts */
enum imp_impact_law {
    IMP_IMPACT_UNDECLARED, /* newton; where it does not determine the motion,
                              nothing is applied (I4) */
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) IMP_IMPACT_##ID,
#include "abi/laws.def"
    IMP_IMPACT_COUNT
};

/* the law that a contact states in `restitution`: IMP_IMPACT_NEWTON + law is
 * the same one as a law of impacts at several contacts */
enum imp_law {
#define IMP_LAW_ROW_0(ID)
#define IMP_LAW_ROW_1(ID) IMP_LAW_##ID,
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) IMP_LAW_ROW_##args(ID)
#include "abi/laws.def"
#undef IMP_LAW_ROW_0
#undef IMP_LAW_ROW_1
    IMP_LAW_COUNT
};

/* what holds of every impact under a law, whatever the contacts */
enum imp_law_trait {
    IMP_LAW_TRAIT_NONE = 0,
    /* contacts that separate before the impact take part all the same; under
     * the other laws they take no impulse */
    IMP_LAW_TRAIT_SEPARATING = 1,
    IMP_LAW_TRAIT_PUSHES = 2, /* no impulse is negative */
    IMP_LAW_TRAIT_PARTS = 4,  /* no contact approaches after the impact */
    /* `compare` leaves the law out */
    IMP_LAW_TRAIT_NOT_COMPARED = 8,
    /* asks for the stiffness of each contact, and for no friction; `compare`
     * leaves it out where one states none */
    IMP_LAW_TRAIT_STIFFNESS = 16
};

/* The traits of a law (enum imp_impact_law; an undeclared law is Newton's). */
static inline unsigned
imp_impact_law_traits(uint32_t law)
{
    static const unsigned traits[] = {
        IMP_LAW_TRAIT_NONE,
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) TRAITS,
#include "abi/laws.def"
    };
    return law < IMP_IMPACT_COUNT ? traits[law] : 0;
}

/* The word of a law (enum imp_impact_law), static text; an undeclared law is
 * Newton's. NULL for a number outside the table. */
static inline const char *
imp_impact_law_word(uint32_t law)
{
    static const char *const words[] = {
        "newton",
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) #word,
#include "abi/laws.def"
    };
    return law < IMP_IMPACT_COUNT ? words[law] : NULL;
}

#endif
