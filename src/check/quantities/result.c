/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of commands as values: fields of a record, their entries and
 * reductions. A number of a result is a SYM_SLOT leaf, filled before the tape
 * that reads it runs (abi/image.h, imp_slot). Entries are counted from 0; in
 * lists -1 is the last. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check/quantities/quantities.h"

/* -- slots ---------------------------------------------------------------- */

static const expr *
slot(struct check *ck, enum imp_slot_kind kind, uint32_t command,
     uint32_t field, int32_t index, const char *text, imp_range range)
{
    for (size_t i = 0; i < ck->slots.n; i++) {
        const struct tm_slot *s = &ck->slots.v[i];
        if (s->kind == kind && s->command == command && s->field == field &&
            s->index == index &&
            (text ? s->text && !strcmp(text, s->text) : !s->text))
            return ex_sym(ck->g, SYM_SLOT, (uint32_t)i, 0);
    }
    uint32_t n = (uint32_t)ck->slots.n;
    APUSH(ck, &ck->slots,
          (struct tm_slot){kind, command, field, index, text, range});
    return ex_sym(ck->g, SYM_SLOT, n, 0);
}

/* the param that the option `over` of a threshold names; NULL: not known */
static const struct decl *
param_of(const struct check *ck, const struct tm_command *c)
{
    for (size_t i = 0; i < c->n_opts; i++)
        if (c->opts[i].id == IMP_OPT_threshold_over)
            return ck->param_decls.v[c->opts[i].val.ref];
    return NULL;
}

/* dimension of a field's entry; "s^k" in a unit: k is the entry's index, any
 * dimension where it is not known (UINT32_MAX) */
const struct dim *
field_dim(struct check *ck, const struct tm_command *c,
          const struct tm_field *f, uint32_t index, imp_range range)
{
    char text[64];
    struct unit u;
    const char *k = strstr(f->unit, "^k");
    if (!strncmp(f->name, "twists", 6) && f->width)
        return index != UINT32_MAX &&
                       index % f->width < (f->width == 3 ? 1u : 3u)
                   ? dim_mks(ck->dims, 0, 0, -1)
                   : dim_mks(ck->dims, 1, 0, -1);
    if (!strcmp(f->name, "joint_impulses") && f->width)
        return index != UINT32_MAX &&
                       index % f->width < (f->width == 3 ? 2u : 3u)
                   ? dim_mks(ck->dims, 1, 1, -1)
                   : dim_mks(ck->dims, 2, 1, -1);
    if (f->column) {
        const struct record *r = &ck->records.v[c - ck->commands.v];
        if (r->dims && r->dims[f->column - 1].own && index != UINT32_MAX)
            return r->dims[f->column - 1].own[index % f->width];
        if (r->dims)
            return r->dims[f->column - 1].all;
    }
    if (!strcmp(f->unit, "param")) {
        const struct decl *p = param_of(ck, c);
        return p && !p->broken && p->state == DECL_DONE
                   ? p->val.dim
                   : dim_fresh(ck->dims, range);
    }
    if (k) {
        if (index == UINT32_MAX)
            return dim_fresh(ck->dims, range);
        snprintf(text, sizeof text, "%.*s^%u%s", (int)(k - f->unit), f->unit,
                 index, k + 2);
    } else {
        snprintf(text, sizeof text, "%s", f->unit);
    }
    if (!unit_of_text(ck->dims, text, &u))
        return dim_fresh(ck->dims, range);
    return u.dim;
}

struct value
result_field(struct check *ck, uint32_t command, const char *name,
             imp_range name_range, imp_range range)
{
    const struct tm_command *c = &ck->commands.v[command];
    uint32_t i = 0;
    while (i < c->n_fields && strcmp(c->fields[i].name, name))
        i++;
    if (i == c->n_fields) {
        const char **names = NEW_N(ck->arena, const char *, c->n_fields + 1);
        for (size_t k = 0; k < c->n_fields; k++)
            names[k] = c->fields[k].name;
        struct diag *d = ck_error(ck, DIAG_E0408, name_range,
                                  "the record of `%s` has no field `%s`",
                                  imp_command_word(c->id), name);
        if (!ck_suggest(ck, d, name_range, name, names, c->n_fields)) {
            if (c->n_fields)
                CK_HELP(ck, d, "its fields are %s",
                        ck_join(ck, names, c->n_fields, "and"));
            else
                CK_HELP(ck, d, "this command gives no record");
        }
        return v_poison(range);
    }
    const struct tm_field *f = &c->fields[i];
    struct value v = {
        .kind = V_FIELD, .ref = command, .field = i, .range = range};
    if (f->kind == IMP_FIELD_NUM || f->kind == IMP_FIELD_VEC ||
        f->kind == IMP_FIELD_SPIN) {
        uint32_t n = f->width ? f->width : 1;
        v = v_array(ck, n, 1, field_dim(ck, c, f, UINT32_MAX, range), range);
        for (uint32_t k = 0; k < n; k++)
            v.e[k] =
                slot(ck, IMP_SLOT_NUM, command, i, (int32_t)k, NULL, range);
    } else if (f->kind == IMP_FIELD_BOOL) {
        v = v_truth(ck, slot(ck, IMP_SLOT_NUM, command, i, 0, NULL, range),
                    range);
    }
    return v;
}

/* row i of a matrix, an entry of a list of vectors: w numbers */
static struct value
row_of(struct check *ck, const struct value *v, const struct tm_command *c,
       const struct tm_field *f, int32_t i, uint32_t w, imp_range range)
{
    bool mat = f->kind == IMP_FIELD_MAT;
    bool own = w > 1 && (mat || (f->column && f->width > 1));
    struct value r = v_array(
        ck, w, 1,
        field_dim(ck, c, f, i < 0 || own ? UINT32_MAX : (uint32_t)i, range),
        range);
    r.dims = own ? NEW_N(ck->arena, const struct dim *, w) : NULL;
    for (uint32_t k = 0; k < w; k++) {
        r.e[k] = slot(ck, mat ? IMP_SLOT_NUM : IMP_SLOT_ITEM, v->ref, v->field,
                      i * (int32_t)w + (int32_t)k, NULL, range);
        if (own)
            r.dims[k] = field_dim(ck, c, f, k, range);
    }
    return mx_done(ck, r);
}

bool
field_takes_indices(struct check *ck, const struct value *v, size_t n,
                    imp_range range)
{
    const struct tm_field *f = &ck->commands.v[v->ref].fields[v->field];
    bool mat = f->kind == IMP_FIELD_MAT;
    if (f->kind != IMP_FIELD_TEXT && (n == 1 || (mat && n == 2)))
        return true;
    ck_error(ck, DIAG_E0212, range,
             mat ? "a matrix has two indices, M[0, 1], or one for a row"
             : f->kind == IMP_FIELD_TEXT ? "a text has no entries"
                                         : "a list has one index: r[0]");
    return false;
}

struct value
field_entry(struct check *ck, const struct value *v, const int32_t *index,
            size_t n, imp_range range)
{
    const struct tm_command *c = &ck->commands.v[v->ref];
    const struct tm_field *f = &c->fields[v->field];
    bool mat = f->kind == IMP_FIELD_MAT, row = mat && n == 1;
    int32_t i = index[0], j = n > 1 ? index[1] : 0;
    if (mat) {
        if (i < 0 || j < 0 || j >= (int32_t)f->width) {
            ck_error(ck, DIAG_E0212, range,
                     "this matrix has rows from 0 and columns 0 .. %u",
                     f->width - 1);
            return v_poison(range);
        }
        if (row)
            return row_of(ck, v, c, f, i, f->width, range);
        int32_t k = i * (int32_t)f->width + j;
        return v_num(ck,
                     slot(ck, IMP_SLOT_NUM, v->ref, v->field, k, NULL, range),
                     field_dim(ck, c, f, (uint32_t)k, range), range);
    }
    if (f->kind == IMP_FIELD_TEXTS) {
        /* an entry: a text that comparisons understand */
        struct value r = *v;
        r.range = range;
        r.rows = 1;
        r.cols = (uint32_t)i;
        return r;
    }
    return row_of(ck, v, c, f, i, f->kind == IMP_FIELD_VECS ? f->width : 1,
                  range);
}

bool
field_reduce(struct check *ck, const char *op, const struct value *v,
             imp_range range, struct value *out)
{
    const struct tm_command *c = &ck->commands.v[v->ref];
    const struct tm_field *f = &c->fields[v->field];
    static const struct {
        const char *op;
        enum imp_slot_kind kind;
    } ops[] = {{"min", IMP_SLOT_MIN},
               {"max", IMP_SLOT_MAX},
               {"sum", IMP_SLOT_SUM},
               {"length", IMP_SLOT_LENGTH}};
    for (int i = 0; i < 4; i++) {
        if (strcmp(ops[i].op, op))
            continue;
        bool list = f->kind == IMP_FIELD_LIST;
        bool any = list || ((f->kind == IMP_FIELD_TEXTS && !v->rows) ||
                            f->kind == IMP_FIELD_VECS);
        if (i == 3 ? !any : !list)
            return false;
        *out =
            v_num(ck, slot(ck, ops[i].kind, v->ref, v->field, 0, NULL, range),
                  i == 3 ? dim_pure(ck->dims)
                         : field_dim(ck, c, f, UINT32_MAX, range),
                  range);
        return true;
    }
    return false;
}

struct value
field_compare(struct check *ck, const struct ast_expr *at,
              const struct value *v, const struct value *text)
{
    const struct tm_field *f = &ck->commands.v[v->ref].fields[v->field];
    bool item = f->kind == IMP_FIELD_TEXTS && v->rows;
    if ((f->kind != IMP_FIELD_TEXT && !item) || text->kind != V_TEXT ||
        v->kind != V_FIELD) {
        struct diag *d = ck_error(ck, DIAG_E0412, at->range,
                                  "a text of a result is compared with a "
                                  "text that is written out");
        CK_HELP(ck, d, "as in r.class == \"C00\"");
        return v_poison(at->range);
    }
    if (at->op != AST_EQ && at->op != AST_NE) {
        struct diag *d = ck_error(ck, DIAG_E0412, at->op_range,
                                  "texts are equal or not; they have no order");
        CK_HELP(ck, d, "use == or !=");
        return v_poison(at->range);
    }
    const expr *e =
        slot(ck, item ? IMP_SLOT_TEXTITEMEQ : IMP_SLOT_TEXTEQ, v->ref, v->field,
             item ? (int32_t)v->cols : 0, text->text, at->range);
    if (at->op == AST_NE)
        e = ex_op(ck->g, IMP_OP_NOT, e, NULL, NULL);
    return v_truth(ck, e, at->range);
}
