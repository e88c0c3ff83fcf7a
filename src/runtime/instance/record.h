/* SPDX-License-Identifier: MIT */
/* Values and records: what commands return, what output prints. */
#ifndef IMP_RUNTIME_INSTANCE_RECORD_H
#define IMP_RUNTIME_INSTANCE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/image.h"

struct arena;

/* data of a field: kind from its schema. `why` set: absent, with the reason */
struct field_value {
    const char *why;
    const double *num; /* NUM, BOOL 1; VEC, SPIN width; LIST n; VECS n*width;
                          MAT n*cols */
    size_t n, cols;
    const char *text;         /* TEXT */
    bool lasting;             /* text stays where it is, and as it is */
    const char *const *texts; /* TEXTS, n */
};
struct record {
    const imp_image *image; /* whose command it is */
    const imp_command *command;
    const imp_field *schema; /* n fields */
    struct field_value *v;
    size_t n;
    bool present;      /* the command has run */
    bool partial;      /* it failed, and this is what it found until then */
    size_t hint;       /* field after the one found last: where to look first */
    size_t first, end; /* fields that have been set lie between */
    struct arena *arena; /* where the setters copy values to */
    const bool *wanted;  /* per field: nobody looks at the others; NULL: all */
};
struct record *record_new(struct arena *arena, const imp_image *im,
                          const imp_command *command);
/* empty again, for the same command and the same fields wanted */
void record_clear(struct record *record);
/* setters by field name; a name that the schema lacks is our own mistake:
 * abort with both names. Data are copied into the record's arena. */
void record_set_number(struct record *record, const char *field, double x);
void record_set_bool(struct record *record, const char *field, bool x);
void record_set_vector(struct record *record, const char *field,
                       const double *x);
void record_set_list(struct record *record, const char *field, const double *x,
                     size_t n);
void record_set_matrix(struct record *record, const char *field,
                       const double *x, size_t rows, size_t cols);
void record_set_text(struct record *record, const char *field, const char *s);
void record_set_texts(struct record *record, const char *field,
                      const char *const *s, size_t n);
void record_set_absent(struct record *record, const char *field,
                       const char *why);
/* n fields, for one reason */
void record_set_absent_all(struct record *record, const char *const *fields,
                           size_t n, const char *why);
/* the text of a field by its number, which outlives the record: kept as it is
 */
void record_set_lasting_text(struct record *record, size_t field,
                             const char *s);
/* Is this one wanted? Setters of others do nothing. */
bool record_wants(const struct record *record, const char *field);
/* Is a field beyond these wanted? Otherwise what is costly may be left out. */
bool record_wants_beyond(const struct record *record, const char *const *fields,
                         size_t n);
int record_index(const struct record *record, const char *field);

#endif
