/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the last run of a handle has found (include/imp/imp.h). */
#include <stdlib.h>
#include <string.h>

#include "cli/api_priv.h"

/* Finds `name.field` or `name.field[i]`; i begins at 0, negative numbers count
 * from the end. */
static const struct field_value *
find(const imp *handle, const char *path, const imp_field **field,
     bool *indexed, long *index)
{
    const char *dot = path ? strchr(path, '.') : NULL;

    if (!handle || !handle->s.result.recs || !handle->s.image || !dot)
        return NULL;
    const imp_image *image = handle->s.image;
    const imp_command *command = IMP_ARRAY(image, image->commands, imp_command);
    const char *bracket = strchr(dot, '[');
    size_t len = bracket ? (size_t)(bracket - dot - 1) : strlen(dot + 1);
    *indexed = bracket != NULL;
    if (bracket) {
        char *end;
        *index = strtol(bracket + 1, &end, 10);
        if (end == bracket + 1 || strcmp(end, "]") != 0)
            return NULL;
    }
    for (uint32_t i = image->commands.n; i-- > 0;) {
        const struct record *r = handle->s.result.recs[i];
        if (!r || !r->present || command[i].bound.n != (size_t)(dot - path) ||
            memcmp(imp_text(image, command[i].bound), path,
                   command[i].bound.n) != 0)
            continue;
        for (size_t k = 0; k < r->n; k++)
            if (r->schema[k].name.n == len &&
                memcmp(imp_text(image, r->schema[k].name), dot + 1, len) == 0) {
                *field = &r->schema[k];
                return r->v[k].why ? NULL : &r->v[k];
            }
        return NULL;
    }
    return NULL;
}

static bool
place(long index, bool indexed, size_t n, size_t *k)
{
    if (!indexed) {
        *k = 0;
        return n == 1;
    }
    if (index < 0)
        index += (long)n;
    *k = (size_t)index;
    return index >= 0 && (size_t)index < n;
}

int
imp_get(const imp *handle, const char *path, double *number)
{
    const imp_field *field;
    bool indexed;
    long index = 0;
    size_t k;
    const struct field_value *value =
        find(handle, path, &field, &indexed, &index);

    if (!number || !value || !value->num || field->kind == IMP_FIELD_TEXT ||
        field->kind == IMP_FIELD_TEXTS ||
        !place(index, indexed, field_value_count(field, value), &k))
        return IMP_MODEL_WRONG;
    *number = value->num[k];
    return IMP_FINE;
}

/* All of a result, of whatever kind. */
static const struct field_value *
find_whole(const imp *handle, const char *path, const imp_field **field)
{
    bool indexed;
    long index;
    const struct field_value *value =
        find(handle, path, field, &indexed, &index);

    return value && !indexed ? value : NULL;
}

size_t
imp_count(const imp *handle, const char *path, size_t *width)
{
    const imp_field *field;
    const struct field_value *value = find_whole(handle, path, &field);

    if (width)
        *width = 1;
    if (!value)
        return 0;
    if (width && field->kind == IMP_FIELD_VECS)
        *width = field->width;
    if (width && field->kind == IMP_FIELD_MAT)
        *width = value->cols;
    return field->kind == IMP_FIELD_TEXT ? 1 : field_value_count(field, value);
}

const double *
imp_get_list(const imp *handle, const char *path)
{
    const imp_field *field;
    const struct field_value *value = find_whole(handle, path, &field);

    if (!value || field->kind == IMP_FIELD_TEXT ||
        field->kind == IMP_FIELD_TEXTS || field_value_count(field, value) == 0)
        return NULL;
    return value->num;
}

const char *
imp_get_text(const imp *handle, const char *path)
{
    const imp_field *field;
    bool indexed;
    long index = 0;
    size_t k;
    const struct field_value *value =
        find(handle, path, &field, &indexed, &index);

    if (!value)
        return NULL;
    if (field->kind == IMP_FIELD_TEXT && !indexed)
        return value->text;
    if (field->kind == IMP_FIELD_TEXTS && place(index, indexed, value->n, &k))
        return value->texts[k];
    return NULL;
}
