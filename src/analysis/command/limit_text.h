/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts, in words, and remarks on a run. */
#ifndef IMP_ANALYSIS_COMMAND_LIMIT_TEXT_H
#define IMP_ANALYSIS_COMMAND_LIMIT_TEXT_H

#include "analysis/command/analysis.h"
#include "runtime/ballistic/ballistic.h"

/* What a limit rests on, in one word; a static text. */
const char *limit_evidence_word(enum limit_evidence m);
/* The gap of a contact of a system as the model writes it, and where:
 * "h + phi (rod.imp:8:10)". In the memory of the run; empty where the contact
 * has no source text. */
const char *gap_source_text(struct analysis *analysis, uint32_t contact);
/* Joins remarks "t = 2 s: ..." that say the same of several times: the first
 * one stays, with how often and until when it holds again. Numbers may differ
 * outside of quoted names and brackets; of one quantity the greatest is told. n
 * remarks in their order; returns how many are left. New texts are made in the
 * arena. */
size_t remarks_join(const char **text, size_t n, struct arena *arena);

#endif
