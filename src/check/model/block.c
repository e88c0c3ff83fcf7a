/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of keys, { mass = 1  position = (0, 1) }: which keys are there, and
 * what they give, as entries of the typed model. */
#include <string.h>

#include "check/model/model_priv.h"

bool
block_keys(struct check *ck, const struct ast_item *item,
           const struct keydef *known, size_t n, const char *what,
           const struct ast_item **out)
{
    const char *names[48];
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        out[i] = NULL;
        names[i] = known[i].name;
    }
    for (size_t b = 0; b < item->n_block; b++) {
        const struct ast_item *k = item->block[b];
        if (k->kind == AST_SYSTEM || k->kind == AST_JOINT ||
            k->kind == AST_POINT || k->kind == AST_COORDINATE) {
            ck_unavailable(ck, k->head, "such a declaration in a block");
            continue;
        }
        if (k->kind != AST_KEY || k->command || !k->value) {
            struct diag *d =
                ck_error(ck, DIAG_E0303, k->head.file ? k->head : k->range,
                         "this cannot stand in the block of a %s", what);
            CK_HELP(ck, d, "a %s has keys: %s", what,
                    ck_join(ck, names, n, "and"));
            continue;
        }
        size_t i = 0;
        while (i < n && strcmp(known[i].name, k->name.text))
            i++;
        if (i == n) {
            struct diag *d =
                ck_error(ck, DIAG_E0301, k->name.range, "a %s has no key `%s`",
                         what, k->name.text);
            if (!ck_suggest(ck, d, k->name.range, k->name.text, names, n))
                CK_HELP(ck, d, "its keys are %s", ck_join(ck, names, n, "and"));
            ok = false;
        } else if (out[i]) {
            struct diag *d =
                ck_error(ck, DIAG_E0302, k->name.range,
                         "the key `%s` is given twice", k->name.text);
            CK_NOTE(ck, d, out[i]->name.range, "first here");
        } else {
            out[i] = k;
        }
    }
    return ok;
}

int
key_word(struct check *ck, const struct ast_item *key, const char *const *words,
         size_t n)
{
    const struct ast_expr *e = ast_unwrap(key->value);
    const char *w = e->kind == AST_NAME   ? e->name.text
                    : e->kind == AST_TEXT ? e->text
                                          : NULL;
    for (size_t i = 0; w && i < n; i++)
        if (!strcmp(w, words[i]))
            return (int)i;
    struct diag *d = ck_error(ck, DIAG_E0326, e->range, "`%s` is one of %s",
                              key->name.text, ck_join(ck, words, n, "or"));
    if (w)
        ck_suggest(ck, d, e->range, w, words, n);
    return -1;
}

void
take_num(struct tm_num *out, const struct value *v, const struct ast_expr *e)
{
    out->e = v->e[0];
    out->range = e->range;
}
void
take_vec(struct tm_vec *out, const struct value *v, const struct ast_expr *e)
{
    out->n = v->rows * v->cols;
    for (uint32_t i = 0; i < out->n && i < 9; i++)
        out->e[i] = v->e[i];
    out->range = e->range;
}

bool
take_inertia(struct check *ck, struct value *v, const struct ast_expr *e,
             uint32_t d, const struct dim *dim, const char *what,
             struct tm_vec *out)
{
    if (v->kind == V_POISON)
        return false;
    bool diagonal = v->kind == V_NUM && v->rows == 3 && v->cols == 1;
    bool matrix = v->kind == V_NUM && v->rows == 3 && v->cols == 3;
    if (v->kind != V_ANY && !(d == 2 ? v_is_scalar(v) : diagonal || matrix)) {
        struct diag *x =
            ck_error(ck, DIAG_E0314, e->range, "%s is %s, but this is %s", what,
                     d == 2 ? "one number in the plane"
                            : "three numbers or a 3 x 3 matrix in space",
                     v_kind(ck, v));
        if (d == 3)
            CK_HELP(ck, x, "write diag(0.5, 0.4, 0.3)");
        return false;
    }
    if (!v_need_dim(ck, v, e, dim, what))
        return false;
    if (v->kind == V_ANY)
        return true;
    out->range = e->range;
    if (d == 2) {
        out->n = 1;
        out->e[0] = v->e[0];
        return true;
    }
    const expr *zero = ex_num(ck->g, 0);
    out->n = 6;
    if (diagonal) {
        for (int i = 0; i < 6; i++)
            out->e[i] = i < 3 ? v->e[i] : zero;
        return true;
    }
    static const int upper[6] = {0, 4, 8, 1, 2, 5};
    static const int lower[6] = {0, 4, 8, 3, 6, 7};
    for (int i = 0; i < 6; i++) {
        const expr *a = v->e[upper[i]], *b = v->e[lower[i]];
        out->e[i] = a;
        if (a != b && ex_is_const(a) && ex_is_const(b) && a->num != b->num) {
            ck_error(ck, DIAG_E0318, e->range,
                     "%s is a symmetric matrix, but its entries above and "
                     "below the diagonal differ",
                     what);
            return false;
        }
    }
    return true;
}
