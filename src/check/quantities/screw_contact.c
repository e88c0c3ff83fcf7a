/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts as screws (spec screws 1.A): U(body, a, b, ...) with the columns
 * [u; CA x u], u the direction of a contact (from its first body to its second,
 * of length 1 unless `direction` stated it), A its point; and
 * G_i = U^T eta Q M_red^-1 Q^T eta U, summed over the bodies where none is
 * named. In G a contact whose second body this is counts with -u: the rate of
 * the gap is u.(v_2 - v_1). That shows only where a body is the first of one
 * contact and the second of another. M_red is positive definite: L D L^T. */
#include <assert.h>
#include <string.h>

#include "check/quantities/screw_priv.h"

/* direction, and arm from the body's mass centre to the point */
static void
contact_line(struct check *ck, uint32_t body, uint32_t number,
             screw_vec direction, screw_vec arm)
{
    const struct tm_contact *contact = &ck->lists.contacts.v[number];
    struct graph *graph = ck->g;
    if (contact->at.n) {
        uint32_t carrier = contact->body[0];
        if (carrier != IMP_WORLD && contact->body[1] != IMP_WORLD &&
            ck->lists.bodies.v[carrier].fixed)
            carrier = contact->body[1];
        screw_vec at, d;
        screw_pad(ck, &contact->at, at);
        screw_pad(ck, &contact->direction, d);
        carry_arm(ck, body, carrier, (const expr *const *)at, arm);
        carry_vector(ck, carrier, (const expr *const *)d, direction);
        return;
    }
    uint32_t point = contact->body[0] == body ? IMP_CONTACT_P : IMP_CONTACT_Q;
    for (uint32_t i = 0; i < 3; i++) {
        bool in = i < ck->m->dim;
        direction[i] =
            in ? ex_sym(graph, SYM_CONTACT, number, IMP_CONTACT_NORMAL + i)
               : ex_num(graph, 0);
        arm[i] =
            in ? ex_sub(graph, ex_sym(graph, SYM_CONTACT, number, point + i),
                        ex_sym(graph, SYM_BODY, body,
                               BODYQ_POSITION * BODYQ_STRIDE + i))
               : ex_num(graph, 0);
    }
}

static bool
touches(const struct check *ck, uint32_t body, uint32_t c)
{
    const uint32_t *b = ck->lists.contacts.v[c].body;
    return b[0] == body || b[1] == body;
}

/* Makes the columns of U. sign < 0: a contact counts with -u where the body is
 * its second. Contacts of other bodies have columns of zeros. */
static struct value
U_of(struct check *ck, uint32_t body, const struct value *c, size_t count,
     bool sign, imp_range range)
{
    struct value value = matrix_array(ck, 6, (uint32_t)count, range);
    for (uint32_t i = 0; i < count; i++) {
        screw_vec u, arm, m;
        for (int k = 0; k < 3; k++)
            u[k] = arm[k] = ex_num(ck->g, 0);
        if (touches(ck, body, c[i].ref))
            contact_line(ck, body, c[i].ref, u, arm);
        if (sign && ck->lists.contacts.v[c[i].ref].body[1] == body)
            for (int k = 0; k < 3; k++)
                u[k] = ex_neg(ck->g, u[k]);
        screw_cross(ck, (const expr *const *)arm, (const expr *const *)u, m);
        screw_put(&value, i, (const expr *const *)u, dim_pure(ck->dims),
                  (const expr *const *)m, dim_mks(ck->dims, 1, 0, 0));
    }
    return matrix_done(ck, value);
}

/* Computes X^T A^-1 X for a symmetric positive definite A (order x order) and X
 * (order x count). With A = L D L^T, D diagonal, and Y = L^-1 X it is Y^T D^-1
 * Y. */
static void
congruence(struct check *ck, const struct value *A, const struct value *X,
           const expr **out)
{
    struct graph *graph = ck->g;
    uint32_t order = A->rows, count = X->cols;
    const expr *L[6][6], *D[6],
        **Y = NEW_N(ck->arena, const expr *, order *count);
    for (uint32_t j = 0; j < order; j++) {
        for (uint32_t i = j; i < order; i++) {
            const expr *sum = A->e[i * order + j];
            for (uint32_t k = 0; k < j; k++)
                sum = ex_sub(
                    graph, sum,
                    ex_mul(graph, ex_mul(graph, L[i][k], L[j][k]), D[k]));
            if (i == j)
                D[j] = sum;
            else
                L[i][j] = ex_div(graph, sum, D[j]);
        }
        for (uint32_t c = 0; c < count; c++) {
            const expr *sum = X->e[j * count + c];
            for (uint32_t k = 0; k < j; k++)
                sum = ex_sub(graph, sum,
                             ex_mul(graph, L[j][k], Y[k * count + c]));
            Y[j * count + c] = sum;
        }
    }
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a; b < count; b++) {
            const expr *sum = ex_num(graph, 0);
            for (uint32_t k = 0; k < order; k++)
                sum = ex_add(
                    graph, sum,
                    ex_div(graph,
                           ex_mul(graph, Y[k * count + a], Y[k * count + b]),
                           D[k]));
            out[a * count + b] = out[b * count + a] = sum;
        }
}

static struct value
G_of(struct check *ck, uint32_t body, const struct value *c, size_t count,
     imp_range range)
{
    struct value Q = screw_held(ck, body, true, range);
    struct value reduced = screw_reduced(ck, body, &Q, range);
    if (reduced.kind == VALUE_POISON)
        return reduced;
    struct value U = U_of(ck, body, c, count, true, range);
    struct value eta = screw_eta(ck, range), QT = screw_transpose(ck, &Q);
    U = screw_mul(ck, &eta, &U);
    struct value X = screw_mul(ck, &QT, &U);
    struct value result = value_array(ck, (uint32_t)count, (uint32_t)count,
                                      dim_mks(ck->dims, 0, -1, 0), range);
    if (X.kind == VALUE_POISON)
        return X;
    congruence(ck, &reduced, &X, result.e);
    return result;
}

/* -- the calls ------------------------------------------------------------ */

static struct value
wrong_argument(struct check *ck, const struct ast_expr *node, size_t i,
               const struct value *value, bool G)
{
    struct diag *diag = check_error(
        ck, DIAG_E0218, node->args[i].value->range,
        i || G ? "%s takes %scontacts, but this is %s"
               : "%s takes a body%.0s first, and then contacts, but this is %s",
        G ? "G" : "U", i ? "" : "a body or ", value_kind_text(ck, value));
    CHECK_HELP(ck, diag,
               G ? "as in G(one, a1, a2), or G(a1, a2)"
                 : "as in U(one, a1, a2)");
    return value_poison(node->range);
}

static struct value
G_sum(struct check *ck, const struct ast_expr *node,
      const struct value *contacts, size_t count)
{
    struct value sum = value_array(ck, (uint32_t)count, (uint32_t)count,
                                   dim_mks(ck->dims, 0, -1, 0), node->range);
    for (size_t k = 0; k < count * count; k++)
        sum.e[k] = ex_num(ck->g, 0);
    bool any = false;
    for (uint32_t b = 0; b < ck->lists.bodies.n; b++) {
        bool in = false;
        for (size_t i = 0; i < count; i++)
            in |= touches(ck, b, contacts[i].ref);
        if (!in || ck->lists.bodies.v[b].fixed)
            continue;
        struct value g = G_of(ck, b, contacts, count, node->range);
        if (g.kind == VALUE_POISON)
            return g;
        for (size_t k = 0; k < count * count; k++)
            sum.e[k] = ex_add(ck->g, sum.e[k], g.e[k]);
        any = true;
    }
    if (any)
        return sum;
    struct diag *diag = check_error(ck, DIAG_E0345, node->range,
                                    "both bodies are fixed, so there is no G");
    CHECK_HELP(ck, diag,
               "an impulse moves a body that is free or held by a joint");
    return value_poison(node->range);
}

struct value
screw_contacts(struct check *ck, const struct ast_expr *node,
               const struct value *left, size_t count, bool want_g)
{
    assert(ck && node && left);
    bool named = left[0].kind == VALUE_BODY;
    if (!named && !(want_g && left[0].kind == VALUE_CONTACT))
        return wrong_argument(ck, node, 0, &left[0], want_g);
    for (size_t entry = named; entry < count; entry++) {
        if (left[entry].kind != VALUE_CONTACT)
            return wrong_argument(ck, node, entry, &left[entry], want_g);
        if (!contact_of_bodies(ck, left[entry].ref, want_g ? "G" : "U",
                               node->args[entry].value->range))
            return value_poison(node->range);
        for (size_t k = named; k < entry; k++)
            if (left[k].ref == left[entry].ref) {
                struct diag *diag =
                    check_error(ck, DIAG_E0346, node->args[entry].value->range,
                                "the contact `%s` stands here twice",
                                ck->lists.contacts.v[left[entry].ref].name);
                CHECK_NOTE(ck, diag, node->args[k].value->range, "first here");
                CHECK_HELP(ck, diag, "name each contact once");
                return value_poison(node->range);
            }
        if (!named || touches(ck, left[0].ref, left[entry].ref))
            continue;
        const struct tm_contact *contact =
            &ck->lists.contacts.v[left[entry].ref];
        struct diag *d =
            check_error(ck, DIAG_E0346, node->args[entry].value->range,
                        "`%s` is no contact of `%s`", contact->name,
                        ck->lists.bodies.v[left[0].ref].name);
        CHECK_NOTE(ck, d, contact->range, "it is between `%s` and `%s`",
                   ck->lists.bodies.v[contact->body[0]].name,
                   ck->lists.bodies.v[contact->body[1]].name);
        CHECK_HELP(ck, d, "name one of its bodies, or a contact of `%s`",
                   ck->lists.bodies.v[left[0].ref].name);
        return value_poison(node->range);
    }
    if (named && count == 1) {
        struct diag *diag =
            check_error(ck, DIAG_E0214, node->range,
                        "%s takes a body and its contacts, but no "
                        "contact is named",
                        want_g ? "G" : "U");
        CHECK_HELP(ck, diag,
                   want_g ? "as in G(one, a1, a2)" : "as in U(one, a1, a2)");
        return value_poison(node->range);
    }
    if (named && want_g && ck->lists.bodies.v[left[0].ref].fixed) {
        struct diag *diag =
            check_error(ck, DIAG_E0345, node->args[0].value->range,
                        "`%s` is fixed, so it has no G: nothing "
                        "moves it",
                        ck->lists.bodies.v[left[0].ref].name);
        CHECK_HELP(ck, diag,
                   "leave it out: G of contacts leaves out what is fixed");
        return value_poison(node->range);
    }
    if (!named)
        return G_sum(ck, node, left, count);
    return want_g
               ? G_of(ck, left[0].ref, left + 1, count - 1, node->range)
               : U_of(ck, left[0].ref, left + 1, count - 1, false, node->range);
}
