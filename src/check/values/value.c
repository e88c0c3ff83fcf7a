/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of checked expressions: how they are made, and what they are. */
#include "check/values/values.h"

/* -- making --------------------------------------------------------------- */

struct value
v_poison(imp_range r)
{
    return (struct value){.kind = V_POISON, .range = r};
}
struct value
v_array(struct check *ck, uint32_t rows, uint32_t cols, const struct dim *d,
        imp_range r)
{
    return (struct value){
        .kind = V_NUM,
        .rows = rows,
        .cols = cols,
        .e = NEW_N(ck->arena, const expr *, (size_t)rows *cols),
        .dim = d,
        .range = r};
}
struct value
v_num(struct check *ck, const expr *e, const struct dim *d, imp_range r)
{
    struct value v = v_array(ck, 1, 1, d, r);
    v.e[0] = e;
    return v;
}
struct value
v_truth(struct check *ck, const expr *e, imp_range r)
{
    struct value v = v_num(ck, e, dim_pure(ck->dims), r);
    v.kind = V_TRUTH;
    return v;
}
struct value
v_any(struct check *ck, const struct dim *d, imp_range r)
{
    struct value v = v_num(ck, ex_sym(ck->g, SYM_LOCAL, 1000, 0), d, r);
    v.kind = V_ANY;
    return v;
}

/* -- asking --------------------------------------------------------------- */

bool
v_is_scalar(const struct value *v)
{
    return v->kind == V_ANY ||
           (v->kind == V_NUM && v->rows == 1 && v->cols == 1);
}
bool
v_is_vector(const struct value *v)
{
    return v->kind == V_ANY ||
           (v->kind == V_NUM && v->rows > 1 && v->cols == 1);
}
bool
v_const(const struct value *v, double *x)
{
    if (v->kind != V_NUM || v->rows != 1 || v->cols != 1 ||
        !ex_is_const(v->e[0]))
        return false;
    *x = v->e[0]->num;
    return true;
}
const char *
v_kind(struct check *ck, const struct value *v)
{
    switch (v->kind) {
    case V_NUM:
        if (v->rows == 1 && v->cols == 1)
            return "a number";
        if (v->cols == 1)
            return arena_printf(ck->arena, "a vector of %u numbers", v->rows);
        return arena_printf(ck->arena, "a %u x %u matrix", v->rows, v->cols);
    case V_TRUTH:
        return "a truth value";
    case V_TEXT:
        return "a text";
    case V_LIST:
        return "a list of numbers";
    case V_BODY:
        return arena_printf(ck->arena, "the body `%s`",
                            ck->bodies.v[v->ref].name);
    case V_SYSTEM:
        return arena_printf(ck->arena, "the system `%s`",
                            ck->systems.v[v->ref].name);
    case V_FAMILY:
        return arena_printf(ck->arena, "the family of contacts `%s`", v->text);
    case V_CONTACT:
        return arena_printf(ck->arena, "the contact `%s`",
                            ck->contacts.v[v->ref].name);
    case V_RESULT:
        return "the record of a command";
    case V_FIELD:
        switch (ck->commands.v[v->ref].fields[v->field].kind) {
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
