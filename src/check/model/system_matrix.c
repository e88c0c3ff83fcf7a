/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrices of a system: masses, and stiffness, which is a potential energy
 * q.K q/2. A matrix is written out by rows, or diag(...), whose entries may
 * have dimensions of their own; or it is any value that is a matrix of the
 * right size. */
#include <assert.h>
#include <string.h>

#include "check/model/system_priv.h"

/* What one of the two keys asks for. */
struct matrix_wanted {
    const struct ast_item *key;
    const char *name, *matrix, *entry; /* for messages */
    int seconds; /* of an entry, energy s^this/(q_i q_j) */
};

static const struct dim *
entry_dim(struct check *ck, const struct system_work *work,
          const struct tm_system *system, const struct matrix_wanted *wanted,
          uint32_t row, uint32_t column)
{
    const struct dim *dim = dim_mul(ck->dims, work->energy,
                                    dim_mks(ck->dims, 0, 0, wanted->seconds));
    dim = dim_div(ck->dims, dim,
                  ck->notes.coordinate_dims.v[system->first + row]);
    return dim_div(ck->dims, dim,
                   ck->notes.coordinate_dims.v[system->first + column]);
}

static bool
wrong_size(struct check *ck, const struct tm_system *system,
           const struct matrix_wanted *wanted)
{
    struct diag *diag = check_error(ck, DIAG_E0365, wanted->key->value->range,
                                    "%s of this system is %u x %u",
                                    wanted->matrix, system->n, system->n);
    CHECK_HELP(ck, diag,
               "written out by rows, [m, 0; 0, m*l^2], or diag(m, m*l^2), or a "
               "value that is such a matrix");
    return false;
}

/* Takes one entry, a number. */
static bool
take_entry(struct check *ck, const struct system_work *work,
           const struct tm_system *system, const struct matrix_wanted *wanted,
           struct value *value, const struct ast_expr *node, uint32_t at,
           const expr **out)
{
    uint32_t row = at / system->n, column = at % system->n;
    bool good =
        value_need_scalar(ck, value, node,
                          entry_dim(ck, work, system, wanted, row, column),
                          wanted->entry) &&
        system_formula_ok(ck, system, value->e[0], false, node, wanted->matrix);
    if (good)
        out[at] = value->e[0];
    return good;
}

/* A matrix that is written out: its entries are checked one by one, each in its
 * own dimension. */
static bool
written(struct check *ck, struct system_work *work,
        const struct tm_system *system, const struct matrix_wanted *wanted,
        const struct ast_expr *inner, bool diagonal, const expr **out)
{
    bool ok = true;
    for (uint32_t at = 0; at < system->n * system->n; at++) {
        uint32_t row = at / system->n, column = at % system->n;
        if (diagonal && row != column)
            continue;
        const struct ast_expr *node =
            diagonal ? inner->args[row].value : inner->list[at];
        struct value value = check_expr(ck, &work->env, node);
        ok &= take_entry(ck, work, system, wanted, &value, node, at, out);
    }
    return ok;
}

/* A value that is a matrix. */
static bool
computed(struct check *ck, struct system_work *work,
         const struct tm_system *system, const struct matrix_wanted *wanted,
         const expr **out)
{
    const struct ast_expr *node = wanted->key->value;
    struct value value = check_expr(ck, &work->env, node);
    bool ok = true;
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind == VALUE_ANY) /* in a pattern that is checked by itself */
        return true;
    if (value.kind != VALUE_NUM || value.rows != system->n ||
        value.cols != system->n)
        return wrong_size(ck, system, wanted);
    for (uint32_t at = 0; at < system->n * system->n && ok; at++) {
        struct value entry = value;
        const struct dim *dim = matrix_dim(ck, &value, at);
        if (!dim)
            continue; /* an exact 0 fits everywhere */
        entry.rows = entry.cols = 1;
        entry.e = value.e + at;
        entry.dims = NULL;
        entry.dim = dim;
        ok = take_entry(ck, work, system, wanted, &entry, node, at, out);
    }
    return ok;
}

static bool
symmetric(struct check *ck, const struct tm_system *system,
          const struct matrix_wanted *wanted, const expr *const *entries)
{
    const struct ast_expr *inner = ast_unwrap(wanted->key->value);
    const char *what =
        arena_printf(ck->arena, "a %s matrix is symmetric", wanted->name);
    for (uint32_t row = 0; row < system->n; row++)
        for (uint32_t column = 0; column < row; column++) {
            imp_range at = inner->kind == AST_MATRIX
                               ? inner->list[row * system->n + column]->range
                               : wanted->key->value->range;
            if (!symmetric_entry(ck, entries, system->n, row, column, at, what))
                return false;
        }
    return true;
}

/* Reads the matrix into n x n expressions. NULL: an error has been reported. */
static const expr **
read_matrix(struct check *ck, struct system_work *work,
            const struct tm_system *system, const struct matrix_wanted *wanted)
{
    size_t n = system->n;
    const struct ast_expr *inner = ast_unwrap(wanted->key->value);
    bool matrix = inner->kind == AST_MATRIX && !inner->unit;
    bool diagonal = inner->kind == AST_CALL && inner->a->kind == AST_NAME &&
                    !strcmp(inner->a->name.text, "diag");
    const expr **entries = NEW_N(ck->arena, const expr *, n *n + 1);
    for (size_t at = 0; at < n * n; at++)
        entries[at] = ex_num(ck->g, 0);
    if ((matrix && inner->n_list != n * n) ||
        (diagonal && inner->n_args != n)) {
        wrong_size(ck, system, wanted);
        return NULL;
    }
    bool ok = matrix || diagonal
                  ? written(ck, work, system, wanted, inner, diagonal, entries)
                  : computed(ck, work, system, wanted, entries);
    return ok && symmetric(ck, system, wanted, entries) ? entries : NULL;
}

bool
system_mass_key(struct check *ck, struct system_work *work,
                struct tm_system *system)
{
    assert(ck && work && system);
    struct matrix_wanted wanted = {work->keys[K_MASS], "mass",
                                   "the mass matrix",
                                   "this entry of the mass matrix", 2};
    if (!wanted.key)
        return true;
    system->mass = read_matrix(ck, work, system, &wanted);
    system->range_mass = wanted.key->value->range;
    return system->mass != NULL;
}

/* The sum of `count` terms, as deep as the logarithm of their number. */
static const expr *
sum(struct check *ck, const expr *const *terms, size_t count)
{
    size_t half = count / 2;
    return count == 0   ? ex_num(ck->g, 0)
           : count == 1 ? terms[0]
                        : ex_add(ck->g, sum(ck, terms, half),
                                 sum(ck, terms + half, count - half));
}

bool
system_stiffness_key(struct check *ck, struct system_work *work,
                     struct tm_system *system)
{
    assert(ck && work && system);
    struct matrix_wanted wanted = {work->keys[K_STIFFNESS], "stiffness",
                                   "the stiffness matrix",
                                   "this entry of the stiffness matrix", 0};
    if (!wanted.key)
        return true;
    const expr **entries = read_matrix(ck, work, system, &wanted);
    if (!entries)
        return false;
    size_t n = system->n, count;
    const expr **rows = NEW_N(ck->arena, const expr *, n + 2),
               **terms = NEW_N(ck->arena, const expr *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const expr *half_q =
            ex_mul(ck->g, ex_num(ck->g, 0.5),
                   ex_sym(ck->g, SYM_COORD, system->first + i, 0));
        count = 0;
        for (uint32_t j = 0; j < n; j++)
            if (!ex_is_num(entries[i * n + j], 0))
                terms[count++] =
                    ex_mul(ck->g, entries[i * n + j],
                           ex_sym(ck->g, SYM_COORD, system->first + j, 0));
        rows[i] = ex_mul(ck->g, half_q, sum(ck, terms, count));
    }
    count = n;
    if (system->potential.e)
        rows[count++] = system->potential.e;
    else
        system->potential.range = wanted.key->value->range;
    system->potential.e = sum(ck, rows, count);
    return true;
}
