/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of checked expressions: how they are made, and what they are. */
#include <assert.h>

#include "check/values/values.h"

/* -- making --------------------------------------------------------------- */

struct value
value_poison(imp_range range)
{
    return (struct value){.kind = VALUE_POISON, .range = range};
}
struct value
value_array(struct check *ck, uint32_t rows, uint32_t cols,
            const struct dim *dim, imp_range range)
{
    assert(ck);
    return (struct value){
        .kind = VALUE_NUM,
        .rows = rows,
        .cols = cols,
        .e = NEW_N(ck->arena, const expr *, (size_t)rows *cols),
        .dim = dim,
        .range = range};
}
struct value
value_column(struct check *ck, const struct value *matrix, uint32_t column,
             imp_range range)
{
    assert(ck && matrix && column < matrix->cols);
    struct value result = value_array(ck, matrix->rows, 1, matrix->dim, range);
    result.bare = matrix->bare;
    const struct dim **dims =
        matrix->dims ? NEW_N(ck->arena, const struct dim *, matrix->rows)
                     : NULL;
    for (uint32_t i = 0; i < matrix->rows; i++) {
        result.e[i] = matrix->e[i * matrix->cols + column];
        if (dims)
            dims[i] = matrix->dims[i * matrix->cols + column];
    }
    result.dims = dims;
    return result;
}

struct value
value_num(struct check *ck, const expr *expression, const struct dim *dim,
          imp_range range)
{
    assert(ck && expression);
    struct value value = value_array(ck, 1, 1, dim, range);
    value.e[0] = expression;
    return value;
}
struct value
value_truth(struct check *ck, const expr *expression, imp_range range)
{
    assert(ck && expression);
    struct value value = value_num(ck, expression, dim_pure(ck->dims), range);
    value.kind = VALUE_TRUTH;
    return value;
}
/* the leaf of a formal of a definition that is checked by itself */
#define FORMAL 1000u

struct value
value_any(struct check *ck, const struct dim *dim, imp_range range)
{
    assert(ck && dim);
    struct value value =
        value_num(ck, ex_sym(ck->g, SYM_LOCAL, FORMAL, 0), dim, range);
    value.kind = VALUE_ANY;
    return value;
}

bool
value_is_open(struct check *ck, const struct value *value)
{
    assert(ck && value);
    return value->kind == VALUE_ANY ||
           ((value->kind == VALUE_TRUTH || value->kind == VALUE_NUM) &&
            ex_depends(ck->g, value->e[0], SYM_LOCAL, FORMAL, UINT32_MAX));
}

/* -- asking --------------------------------------------------------------- */

bool
value_is_scalar(const struct value *value)
{
    assert(value);
    return value->kind == VALUE_ANY ||
           (value->kind == VALUE_NUM && value->rows == 1 && value->cols == 1);
}
bool
value_is_vector(const struct value *value)
{
    assert(value);
    return value->kind == VALUE_ANY ||
           (value->kind == VALUE_NUM && value->rows > 1 && value->cols == 1);
}
bool
value_const(const struct value *value, double *x)
{
    assert(value && x);
    if (value->kind != VALUE_NUM || value->rows != 1 || value->cols != 1 ||
        !ex_is_const(value->e[0]))
        return false;
    *x = value->e[0]->num;
    return true;
}
static void
note_cell(void *ctx, const expr *leaf)
{
    *(bool *)ctx |= leaf->sym == SYM_CELL;
}
bool
value_is_entry(struct check *ck, const struct value *value)
{
    assert(ck && value);
    bool found = false;
    if (value->kind == VALUE_NUM && value->e)
        for (size_t i = 0; i < (size_t)value->rows * value->cols; i++)
            if (value->e[i])
                ex_leaves(ck->g, &value->e[i], 1, note_cell, &found);
    return found;
}

const char *
value_kind_text(struct check *ck, const struct value *value)
{
    assert(ck && value);
    switch (value->kind) {
    case VALUE_NUM:
        if (value->cols == 1 && value_is_entry(ck, value))
            return value->rows == 1
                       ? "a list of numbers"
                       : arena_printf(ck->arena,
                                      "a list of vectors of %u numbers",
                                      value->rows);
        if (value->rows == 1 && value->cols == 1)
            return "a number";
        if (value->cols == 1)
            return arena_printf(ck->arena, "a vector of %u numbers",
                                value->rows);
        return arena_printf(ck->arena, "a %u x %u matrix", value->rows,
                            value->cols);
    case VALUE_TRUTH:
        return "a truth value";
    case VALUE_TEXT:
        return "a text";
    case VALUE_LIST:
        return "a list of numbers";
    case VALUE_BODY:
        return arena_printf(ck->arena, "the body `%s`",
                            ck->lists.bodies.v[value->ref].name);
    case VALUE_SYSTEM:
        return arena_printf(ck->arena, "the system `%s`",
                            ck->lists.systems.v[value->ref].name);
    case VALUE_ROTOR:
        return arena_printf(ck->arena, "the rotor `%s`",
                            ck->lists.rotors.v[value->ref].name);
    case VALUE_FAMILY:
        return arena_printf(ck->arena, "the family of %s `%s`",
                            value->field ? "bodies" : "contacts", value->text);
    case VALUE_CONTACT:
        return arena_printf(ck->arena, "the contact `%s`",
                            ck->lists.contacts.v[value->ref].name);
    case VALUE_COLUMN:
        return value->truth      ? "a list of conditions"
               : value->rows > 1 ? "a list of vectors"
                                 : "a list of numbers";
    case VALUE_TABLE:
        return arena_printf(ck->arena, "the data `%s`",
                            ck->lists.tables.v[value->ref].name);
    case VALUE_WORDS:
        return value->table == IMP_RECORD_TEXTS ? "a list of texts of a result"
                                                : "a column of texts";
    case VALUE_RESULT:
        return "the record of a command";
    case VALUE_FIELD:
        switch (ck->lists.commands.v[value->ref].fields[value->field].kind) {
        case IMP_FIELD_TEXT:
            return "a text of a result";
        case IMP_FIELD_TEXTS:
            return "a list of texts of a result";
        case IMP_FIELD_LIST:
            return "a list of numbers of a result";
        case IMP_FIELD_VECS:
            return "a list of vectors of a result";
        default:
            return "a part of a result";
        }
    default:
        return "a value";
    }
}
