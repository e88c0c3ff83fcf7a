/* SPDX-License-Identifier: MIT */
/* Values and records: what commands return, what output prints. */
#ifndef IMP_RUNTIME_INSTANCE_RECORD_H
#define IMP_RUNTIME_INSTANCE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/image.h"

struct arena;

/* data of a field: kind from its schema. `why` set: absent, with the reason */
struct fieldval {
    const char *why;
    const double *num; /* NUM, BOOL 1; VEC, SPIN width; LIST n; VECS n*width;
                          MAT n*cols */
    size_t n, cols;
    const char *text;         /* TEXT */
    bool lasting;             /* text stays where it is, and as it is */
    const char *const *texts; /* TEXTS, n */
};
struct rec {
    const imp_command *command;
    const imp_field *schema; /* n fields */
    struct fieldval *v;
    size_t n;
    bool present;      /* the command has run */
    bool partial;      /* it failed, and this is what it found until then */
    size_t hint;       /* field after the one found last: where to look first */
    size_t first, end; /* fields that have been set lie between */
    const bool *wanted; /* per field: nobody looks at the others; NULL: all */
};
struct rec *rec_new(struct arena *a, const imp_image *im, const imp_command *c);
/* empty again, for the same command and the same fields wanted */
void rec_again(struct rec *r);
/* setters by field name; a name that the schema lacks is our own mistake:
 * abort with both names. Data are copied into the arena. */
void rec_num(struct arena *a, const imp_image *im, struct rec *r,
             const char *field, double x);
void rec_bool(struct arena *a, const imp_image *im, struct rec *r,
              const char *field, bool x);
void rec_vec(struct arena *a, const imp_image *im, struct rec *r,
             const char *field, const double *x);
void rec_list(struct arena *a, const imp_image *im, struct rec *r,
              const char *field, const double *x, size_t n);
void rec_mat(struct arena *a, const imp_image *im, struct rec *r,
             const char *field, const double *x, size_t rows, size_t cols);
void rec_text(struct arena *a, const imp_image *im, struct rec *r,
              const char *field, const char *s);
void rec_texts(struct arena *a, const imp_image *im, struct rec *r,
               const char *field, const char *const *s, size_t n);
void rec_absent(struct arena *a, const imp_image *im, struct rec *r,
                const char *field, const char *why);
/* the text of a field by its number, which outlives the record: kept as it is
 */
void rec_word(struct rec *r, size_t field, const char *s);
/* Is this one wanted? Setters of others do nothing. */
bool rec_wants(const imp_image *im, const struct rec *r, const char *field);
/* Is a field beyond these wanted? Otherwise what is costly may be left out. */
bool rec_wants_beyond(const imp_image *im, const struct rec *r,
                      const char *const *fields, size_t n);
int rec_index(const imp_image *im, const struct rec *r, const char *field);

#endif
