/* SPDX-License-Identifier: MIT */
/* Values and records: what commands return, what output prints. */
#ifndef IMP_RUNTIME_INSTANCE_RECORD_H
#define IMP_RUNTIME_INSTANCE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/image.h"

struct arena;

/* The data of a field; its kind stands in the schema. Where `why` is set the
 * field is absent, for that reason. */
struct field_value {
    const char *why;
    const double *num; /* NUM, BOOL 1; VEC, SPIN width; LIST n; VECS n*width;
                          MAT n*cols */
    size_t n, cols;
    const char *text; /* TEXT */
    bool lasting;     /* the text outlives the record and is not copied */
    const char *const *texts; /* TEXTS, n */
};
struct record {
    const imp_image *image; /* whose command it is */
    const imp_command *command;
    const imp_field *schema; /* n fields */
    struct field_value *v;
    size_t n;
    bool present; /* the command has been run */
    bool
        partial; /* the command failed, and this is what it had found by then */
    size_t hint; /* where the search for a field begins: after the one that was
                    found last */
    size_t first, end;   /* the fields that have been set lie between these */
    struct arena *arena; /* where the setters copy values to */
    const void *motion; /* the bytes of a run file; NULL: it was not traced */
    size_t n_motion;
    const bool *wanted;  /* per field: is it asked for? NULL: all fields are */
    size_t *asked, n_asked; /* the numbers of the fields that are, if wanted */
    uint64_t letters;       /* a bit per first letter of their names */
};
struct record *record_new(struct arena *arena, const imp_image *im,
                          const imp_command *command);
/* From now on only these fields are asked for (one entry per field, which
 * outlives the record); the setters of all others do nothing. */
void record_want(struct record *record, const bool *wanted);
/* Empties a record, for the same command and the same wanted fields. */
void record_clear(struct record *record);
/* Setters by field name. A name that the schema lacks is our own mistake: the
 * program aborts and prints both names. The data are copied into the record's
 * arena. */
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
                      const char *const *texts, size_t n);
void record_set_absent(struct record *record, const char *field,
                       const char *why);
/* Makes n fields absent, for one reason. */
void record_set_absent_all(struct record *record, const char *const *fields,
                           size_t n, const char *why);
/* Sets the text of a field by the field's number. The text outlives the record
 * and is not copied. */
void record_set_lasting_text(struct record *record, size_t field,
                             const char *s);
/* Is one of these n fields wanted? If not, what they take may be left out. */
bool record_wants_any(const struct record *record, const char *const *fields,
                      size_t n);
/* Is any field wanted beyond these n? If not, costly work may be left out. */
bool record_wants_beyond(const struct record *record, const char *const *fields,
                         size_t n);
int record_index(const struct record *record, const char *field);
/* How many numbers (or texts) a value of this field has. */
size_t field_value_count(const imp_field *field,
                         const struct field_value *value);

#endif
