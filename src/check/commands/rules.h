/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of commands that have some of their own, beside those of the command
 * table (abi/commands.def, column RULES). A function that is NULL is not
 * needed. */
#ifndef IMP_CHECK_COMMANDS_RULES_H
#define IMP_CHECK_COMMANDS_RULES_H

#include "check/quantities/quantities.h"

enum option_taken {
    OPTION_PLAIN, /* the command table tells how to take it */
    OPTION_GOOD,  /* taken */
    OPTION_WRONG, /* wrong, which has been reported */
    OPTION_WAITS  /* `options` or `arguments` takes it */
};

struct command_rules {
    /* one option of the block; *out is its value */
    enum option_taken (*option)(struct check *ck, uint32_t command,
                                const struct option_row *row,
                                const struct ast_item *key, struct tm_val *out);
    /* helps who left out an option that must be given */
    void (*missing)(struct check *ck, struct diag *d,
                    const struct option_row *row, const struct ast_item *it);
    /* when all options are known and right; false: reported */
    bool (*options)(struct check *ck, uint32_t command,
                    const struct ast_item *it);
    /* argument number i. false: the command table tells how to take it; else
     * *good: it is right, or an error has been reported */
    bool (*argument)(struct check *ck, uint32_t command, size_t i,
                     const struct ast_expr *e, bool *good);
    /* values are columns that have been recorded, and results */
    bool recorded;
    /* when all arguments are known and right; false: reported */
    bool (*arguments)(struct check *ck, uint32_t command,
                      const struct ast_item *it);
    /* when the whole model has been read: params are known */
    void (*late)(struct check *ck, const struct tm_command *c);
};

extern const struct command_rules command_rules_sweep, command_rules_plot,
    command_rules_save, command_rules_threshold, command_rules_painleve,
    command_rules_fit, command_rules_minimise, command_rules_impact,
    command_rules_portrait, command_rules_resolvable;

#endif
