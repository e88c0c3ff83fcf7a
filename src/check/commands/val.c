/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of expressions as values of the typed model, which commands take. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "check/commands/commands_priv.h"

void
val_set_unit(struct check *ck, struct tm_val *out, const struct dim *dim)
{
    assert(ck && out);
    out->unit = "";
    if (dim)
        APUSH(ck, &ck->notes.units, (struct pending){&out->unit, dim, NULL, 0});
}

/* Writes the dimensions of all entries; exact zeros have none. */
const struct dim **
val_entry_dims(struct check *ck, const struct value *value)
{
    assert(ck && value);
    size_t count = (size_t)value->rows * value->cols;
    const struct dim **d = NEW_N(ck->arena, const struct dim *, count);
    for (size_t i = 0; i < count; i++)
        d[i] = matrix_dim(ck, value, i);
    return d;
}

/* Names end with this many bytes, and one word more at most. */
#define NAME_MOST 200

const char *
val_name(struct check *ck, const char *label, bool sign)
{
    assert(ck && label);
    char text[NAME_MOST + 4];
    size_t count = 0;
    if (*label == '-' && (isalpha((unsigned char)label[1]) || label[1] == '(' ||
                          (label[1] & 0x80)))
        count = (size_t)snprintf(text, sizeof text, "minus_");
    for (const char *p = label; *p && count < sizeof text - 4; p++) {
        bool minus = *p == '-' && p > label && p[-1] &&
                     strchr(sign ? "([ */" : "( */", p[-1]) && p[1] != ' ';
        if (minus && count < sizeof text - 10)
            count +=
                (size_t)snprintf(text + count, 8, "%sminus_",
                                 count && text[count - 1] != '_' ? "_" : "");
        else if (isalnum((unsigned char)*p) || (*p & 0x80))
            text[count++] = *p;
        else if (*p == '\'' && count < sizeof text - 8)
            count += (size_t)snprintf(text + count, 5, "%s",
                                      count && text[count - 1] == '_' ? "dot"
                                                                      : "_dot");
        else if (count && text[count - 1] != '_')
            text[count++] = '_';
    }
    while (count && (text[count - 1] & 0xc0) == 0x80 && label[0] &&
           count >= sizeof text - 6)
        count--; /* The last character may have been cut in the middle. */
    while (count && text[count - 1] == '_')
        count--;
    text[count] = 0;
    if (!count || isdigit((unsigned char)text[0]))
        return arena_printf(ck->arena, "c_%s", text);
    return arena_strdup(ck->arena, text);
}

/* The word of an operator that stands at p in a label between two values. */
static const char *
operator_word(const char *label, const char *p)
{
    static const struct {
        char sign;
        const char *word;
    } words[] = {{'-', " minus "}, {'+', " plus "},  {'*', " times "},
                 {'/', " over "},  {'<', " below "}, {'>', " above "}};
    const char *before = p;
    while (before > label && before[-1] == ' ')
        before--;
    bool exponent = before == p && p - label > 1 &&
                    (p[-1] == 'e' || p[-1] == 'E') &&
                    isdigit((unsigned char)p[-2]);
    if (before == label || exponent ||
        !(isalnum((unsigned char)before[-1]) || (before[-1] & 0x80) ||
          strchr(")]'_", before[-1])))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*p == words[i].sign)
            return words[i].word;
    return NULL;
}

const char *
val_name_in_words(struct check *ck, const char *label)
{
    assert(ck && label);
    const char *text = "";
    for (const char *p = label; *p; p++) {
        const char *word = operator_word(label, p);
        text = word ? arena_printf(ck->arena, "%s%s", text, word)
                    : arena_printf(ck->arena, "%s%c", text, *p);
    }
    return val_name(ck, text, true);
}

void
val_of(struct check *ck, const struct value *value, const struct ast_expr *node,
       struct tm_val *out)
{
    assert(ck && value && node && out);
    memset(out, 0, sizeof *out);
    out->range = node->range;
    out->label = expr_label(ck, node);
    out->name = val_name(ck, out->label, false);
    out->text = "";
    out->unit = "";
    out->ref = value->ref;
    out->field = value->field;
    switch (value->kind) {
    case VALUE_NUM:
    case VALUE_LIST:
        out->kind = IMP_VAL_NUM;
        out->rows = value->rows;
        out->cols = value->cols;
        out->e = value->e;
        val_set_unit(ck, out,
                     value->bare || value->series || value->dims ? NULL
                                                                 : value->dim);
        if (value->dims)
            APUSH(ck, &ck->notes.units,
                  (struct pending){&out->unit, NULL, val_entry_dims(ck, value),
                                   (size_t)value->rows * value->cols});
        if (value->series) {
            const char *u = dim_text(ck->dims, value->series);
            out->unit =
                arena_printf(ck->arena, strchr(u, '/') ? "(%s)/s^k" : "%s/s^k",
                             *u ? u : "1");
        }
        break;
    case VALUE_WORDS:
    case VALUE_COLUMN:
        out->kind = IMP_VAL_COLUMN;
        out->words = value->kind == VALUE_WORDS ? value->table + 1 : 0;
        out->rows = value->rows;
        out->cols = 1;
        out->e = value->e;
        out->truth = value->truth;
        val_set_unit(ck, out, value->bare || value->dims ? NULL : value->dim);
        if (value->dims)
            APUSH(ck, &ck->notes.units,
                  (struct pending){&out->unit, NULL, val_entry_dims(ck, value),
                                   value->rows});
        break;
    case VALUE_TRUTH:
        out->kind = IMP_VAL_BOOL;
        out->rows = out->cols = 1;
        out->e = value->e;
        break;
    case VALUE_TEXT:
        out->kind = IMP_VAL_TEXT;
        out->text = value->text;
        break;
    case VALUE_BODY:
        out->kind = IMP_VAL_BODY;
        break;
    case VALUE_CONTACT:
        out->kind = IMP_VAL_CONTACT;
        break;
    case VALUE_SYSTEM:
        out->kind = IMP_VAL_SYSTEM;
        break;
    case VALUE_RESULT:
        out->kind = IMP_VAL_RESULT;
        break;
    case VALUE_FIELD:
        out->kind = IMP_VAL_FIELD;
        out->unit = ck->lists.commands.v[value->ref].fields[value->field].unit;
        break;
    default:
        break;
    }
}
