/* SPDX-License-Identifier: MIT */
/* The commands and their options by number, and what each command is, from the
 * one table abi/commands.def. */
#ifndef IMP_ABI_COMMANDS_H
#define IMP_ABI_COMMANDS_H

#define IMP_SWEEP_MOST 1e8 /* runs of one sweep */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum imp_command_id {
#define COMMAND(name, args, avail, rules, traits, doc) IMP_CMD_##name,
#include "abi/commands.def"
    IMP_CMD_COUNT
};
enum imp_option_id {
#define OPTION(command, key, kind, limits, unit, dflt, doc)                    \
    IMP_OPT_##command##_##key,
#include "abi/commands.def"
    IMP_OPT_COUNT
};
/* what each trait says: abi/commands.def */
enum imp_command_trait {
    IMP_TRAIT_RECORD = 1,
    IMP_TRAIT_ROWS = 2,
    IMP_TRAIT_RECORDS_MOTION = 4,
    IMP_TRAIT_APPLIES_IMPACT = 8,
    IMP_TRAIT_FOLLOWS_GAP = 16,
    IMP_TRAIT_CONTACTS_OF_SYSTEM = 32,
    IMP_TRAIT_ASKED_OF_IMPACT = 64,
    IMP_TRAIT_COLUMN_PER_CONTACT = 128,
    IMP_TRAIT_COLUMN_PER_COORDINATE = 256,
    IMP_TRAIT_VARIES_PARAMS = 512,
    IMP_TRAIT_CLOSED_CONTACTS = 1024
};

/* Has the command with this number (enum imp_command_id) the trait? A number
 * outside the table has none. */
static inline bool
imp_command_has(uint32_t id, enum imp_command_trait trait)
{
    enum {
        RECORD = IMP_TRAIT_RECORD,
        ROWS = IMP_TRAIT_ROWS,
        RECORDS_MOTION = IMP_TRAIT_RECORDS_MOTION,
        APPLIES_IMPACT = IMP_TRAIT_APPLIES_IMPACT,
        FOLLOWS_GAP = IMP_TRAIT_FOLLOWS_GAP,
        CONTACTS_OF_SYSTEM = IMP_TRAIT_CONTACTS_OF_SYSTEM,
        ASKED_OF_IMPACT = IMP_TRAIT_ASKED_OF_IMPACT,
        COLUMN_PER_CONTACT = IMP_TRAIT_COLUMN_PER_CONTACT,
        COLUMN_PER_COORDINATE = IMP_TRAIT_COLUMN_PER_COORDINATE,
        VARIES_PARAMS = IMP_TRAIT_VARIES_PARAMS,
        CLOSED_CONTACTS = IMP_TRAIT_CLOSED_CONTACTS
    };
    static const uint16_t traits_of[] = {
#define COMMAND(name, args, avail, rules, traits, doc) traits,
#include "abi/commands.def"
    };
    return id < IMP_CMD_COUNT && (traits_of[id] & (unsigned)trait) != 0;
}

/* the word of a command, static text; NULL for a number outside the table */
static inline const char *
imp_command_word(uint32_t id)
{
    static const char *const words[] = {
#define COMMAND(name, args, avail, rules, traits, doc) #name,
#include "abi/commands.def"
    };
    return id < IMP_CMD_COUNT ? words[id] : NULL;
}

#endif
