/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of expressions as values of the typed model, which commands take. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "check/commands/commands_priv.h"

void
val_set_unit(struct check *ck, struct tm_val *out, const struct dim *dim)
{
    out->unit = "";
    if (dim)
        APUSH(ck, &ck->pending, (struct pending){&out->unit, dim, NULL, 0});
}

/* dimensions of all entries, exact zeros without one */
const struct dim **
val_entry_dims(struct check *ck, const struct value *v)
{
    size_t n = (size_t)v->rows * v->cols;
    const struct dim **d = NEW_N(ck->arena, const struct dim *, n);
    for (size_t i = 0; i < n; i++)
        d[i] = mx_dim(ck, v, i);
    return d;
}

/* an identifier made of an expression's text: gap(touch) -> gap_touch */
static const char *
identifier(struct check *ck, const char *label)
{
    char s[48];
    size_t n = 0;
    for (const char *p = label; *p && n < sizeof s - 4; p++) {
        if (isalnum((unsigned char)*p) || (*p & 0x80))
            s[n++] = *p;
        else if (*p == '\'' && n < sizeof s - 8)
            n += (size_t)snprintf(s + n, 5, "%s",
                                  n && s[n - 1] == '_' ? "dot" : "_dot");
        else if (n && s[n - 1] != '_')
            s[n++] = '_';
    }
    while (n && (s[n - 1] & 0xc0) == 0x80 && label[0] && n >= sizeof s - 6)
        n--; /* a character may have been cut */
    while (n && s[n - 1] == '_')
        n--;
    s[n] = 0;
    if (!n || isdigit((unsigned char)s[0]))
        return arena_printf(ck->arena, "c_%s", s);
    return arena_strdup(ck->arena, s);
}

void
val_of(struct check *ck, const struct value *v, const struct ast_expr *e,
       struct tm_val *out)
{
    memset(out, 0, sizeof *out);
    out->range = e->range;
    out->label = ck_label(ck, e);
    out->name = identifier(ck, out->label);
    out->text = "";
    out->unit = "";
    out->ref = v->ref;
    out->field = v->field;
    switch (v->kind) {
    case V_NUM:
    case V_LIST:
        out->kind = IMP_VAL_NUM;
        out->rows = v->rows;
        out->cols = v->cols;
        out->e = v->e;
        val_set_unit(ck, out, v->bare || v->series || v->dims ? NULL : v->dim);
        if (v->dims)
            APUSH(ck, &ck->pending,
                  (struct pending){&out->unit, NULL, val_entry_dims(ck, v),
                                   (size_t)v->rows * v->cols});
        if (v->series) {
            const char *u = dim_text(ck->dims, v->series);
            out->unit =
                arena_printf(ck->arena, strchr(u, '/') ? "(%s)/s^k" : "%s/s^k",
                             *u ? u : "1");
        }
        break;
    case V_TRUTH:
        out->kind = IMP_VAL_BOOL;
        out->rows = out->cols = 1;
        out->e = v->e;
        break;
    case V_TEXT:
        out->kind = IMP_VAL_TEXT;
        out->text = v->text;
        break;
    case V_BODY:
        out->kind = IMP_VAL_BODY;
        break;
    case V_CONTACT:
        out->kind = IMP_VAL_CONTACT;
        break;
    case V_SYSTEM:
        out->kind = IMP_VAL_SYSTEM;
        break;
    case V_RESULT:
        out->kind = IMP_VAL_RESULT;
        break;
    case V_FIELD:
        out->kind = IMP_VAL_FIELD;
        out->unit = ck->commands.v[v->ref].fields[v->field].unit;
        break;
    default:
        break;
    }
}
