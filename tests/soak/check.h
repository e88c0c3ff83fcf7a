/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One model under one check: an audit of its run, or a relation. */
#ifndef SOAK_CHECK_H
#define SOAK_CHECK_H

#include "compare.h"
#include "relations.h"

/* Checks are numbered: 0 the audit, then the relations of the table, then
 * those between commands and those of whole outputs. */
int check_count(void);
/* the first of those of whole outputs */
int check_ways(void);
const char *check_name(int check);

/* A model with its runs: what all checks of it share. */
struct subject {
    struct model model;
    uint64_t seed;
    struct result result; /* of the first relation on */
    struct growth growth;
    bool run, grown; /* result and growth are known */
    int meetings;    /* of the audit: impacts of the pair that meets most often,
                        of bodies that both move */
};

void subject_make(const struct model *model, uint64_t seed,
                  struct subject *out);
void subject_free(struct subject *subject);

/* Applies the check; finding->kind is "" if all is well. *other, if not NULL,
 * becomes the text of the second model; the caller frees it. */
void check_run(const struct runner *runner, struct subject *subject, int check,
               struct finding *finding, char **other);

#endif
