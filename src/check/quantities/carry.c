/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points and directions that the model states in world axes at the start go
 * with a body: where they are now, on the graph. R is the body's rotation now,
 * R0 at the start: a direction d is R R0^T d, a point p at c + R R0^T (p - c0).
 * The start is that of runtime/setup/setup.c (t = 0, quaternions normalised,
 * `axes` through the quaternion nearest to them). In the plane all is padded
 * with zeros and turns by the angle now less that at the start. */
#include <assert.h>
#include <string.h>

#include "check/quantities/quantities.h"

static const expr *
mul(struct check *ck, const expr *a, const expr *b)
{
    return ex_mul(ck->g, a, b);
}

/* Returns the sum of a[i * sa] b[i] over three terms. */
static const expr *
dot3(struct check *ck, const expr *const *a, size_t sa, const expr *const *b)
{
    return ex_add(ck->g,
                  ex_add(ck->g, mul(ck, a[0], b[0]), mul(ck, a[sa], b[1])),
                  mul(ck, a[2 * sa], b[2]));
}

static const expr *
at_start(void *ctx, const expr *leaf)
{
    struct check *ck = ctx;
    return leaf->sym == SYM_TIME ? ex_num(ck->g, 0) : NULL;
}
static const expr *
start(struct check *ck, const expr *expression)
{
    return ex_subst(ck->g, expression, at_start, ck);
}

/* Does this body stay where the model put it? */
static bool
stays(struct check *ck, uint32_t body)
{
    const struct tm_body *b =
        body == IMP_WORLD ? NULL : &ck->lists.bodies.v[body];
    if (!b)
        return true;
    bool moves = !b->fixed;
    for (uint32_t i = 0; i < b->start.position.n; i++)
        moves |= ex_depends(ck->g, b->start.position.e[i], SYM_TIME, UINT32_MAX,
                            UINT32_MAX);
    for (uint32_t i = 0; i < b->start.orient.n; i++)
        moves |= ex_depends(ck->g, b->start.orient.e[i], SYM_TIME, UINT32_MAX,
                            UINT32_MAX);
    return !moves;
}

/* Makes the rotation matrix, by rows, of the unit quaternion q. */
static void
rotation_of(struct check *ck, const expr *const q[4], const expr *rotation[9])
{
    struct graph *graph = ck->g;
    const expr *two = ex_num(graph, 2), *one = ex_num(graph, 1);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        const expr *a = mul(ck, q[1 + j], q[1 + j]);
        const expr *b = mul(ck, q[1 + k], q[1 + k]);
        rotation[4 * i] = ex_sub(graph, one, mul(ck, two, ex_add(graph, a, b)));
        /* The entry in row i and column j, and its mirror. */
        const expr *product = mul(ck, q[1 + i], q[1 + j]);
        const expr *t = mul(ck, q[0], q[1 + k]);
        rotation[3 * i + j] = mul(ck, two, ex_sub(graph, product, t));
        rotation[3 * j + i] = mul(ck, two, ex_add(graph, product, t));
    }
}

static void
unit_of(struct check *ck, const expr **v, size_t count)
{
    struct graph *graph = ck->g;
    const expr *sum = mul(ck, v[0], v[0]);
    for (size_t i = 1; i < count; i++)
        sum = ex_add(graph, sum, mul(ck, v[i], v[i]));
    sum = ex_op(graph, IMP_OP_SQRT, sum, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        v[i] = ex_div(graph, v[i], sum);
}

/* Makes the quaternion of a rotation matrix that is given by rows. It is the
 * row of 4 q q^T with the greatest diagonal entry (`diagonal` holds these
 * entries less 1), made a unit vector. Its sign does not matter. */
static void
quaternion_of(struct check *ck, const expr *const rotation[9], const expr *q[4])
{
    struct graph *graph = ck->g;
    const expr *one = ex_num(graph, 1), *row[4][4];
    const expr *diag[3] = {rotation[0], rotation[4], rotation[8]}, *diagonal[4];
    for (int k = 0; k < 4; k++) {
        diagonal[k] = ex_num(graph, 0);
        for (int i = 0; i < 3; i++)
            diagonal[k] = k == 0 || k == i + 1
                              ? ex_add(graph, diagonal[k], diag[i])
                              : ex_sub(graph, diagonal[k], diag[i]);
        row[k][k] = ex_add(graph, one, diagonal[k]);
    }
    row[0][1] = row[1][0] = ex_sub(graph, rotation[7], rotation[5]);
    row[0][2] = row[2][0] = ex_sub(graph, rotation[2], rotation[6]);
    row[0][3] = row[3][0] = ex_sub(graph, rotation[3], rotation[1]);
    row[1][2] = row[2][1] = ex_add(graph, rotation[1], rotation[3]);
    row[1][3] = row[3][1] = ex_add(graph, rotation[2], rotation[6]);
    row[2][3] = row[3][2] = ex_add(graph, rotation[5], rotation[7]);
    const expr *best = diagonal[0];
    memcpy(q, row[0], sizeof row[0]);
    for (int k = 1; k < 4; k++) {
        const expr *more = ex_op(graph, IMP_OP_LT, best, diagonal[k], NULL);
        best = ex_op(graph, IMP_OP_MAX, best, diagonal[k], NULL);
        for (int i = 0; i < 4; i++)
            q[i] = ex_op(graph, IMP_OP_SELECT, more, row[k][i], q[i]);
    }
    unit_of(ck, q, 4);
}

/* Makes the rotation of a body in space at the start, and its quaternion q.
 * False: the body has none. */
static bool
rotation_start(struct check *ck, const struct tm_body *body,
               const expr *rotation[9])
{
    struct graph *graph = ck->g;
    const expr *orient[9], *q[4];
    for (uint32_t i = 0; i < body->start.orient.n; i++)
        orient[i] = start(ck, body->start.orient.e[i]);
    switch (body->start.orient_kind) {
    case IMP_ORIENT_QUATERNION:
        memcpy(q, orient, sizeof q);
        unit_of(ck, q, 4);
        break;
    case IMP_ORIENT_AXES:
        quaternion_of(ck, orient, q);
        break;
    case IMP_ORIENT_AXISANGLE: {
        const expr *half = mul(ck, ex_num(graph, 0.5), orient[3]);
        const expr *sine = ex_op(graph, IMP_OP_SIN, half, NULL, NULL);
        unit_of(ck, orient, 3);
        q[0] = ex_op(graph, IMP_OP_COS, half, NULL, NULL);
        for (int i = 0; i < 3; i++)
            q[i + 1] = mul(ck, sine, orient[i]);
        break;
    }
    default:
        return false;
    }
    rotation_of(ck, q, rotation);
    return true;
}

static const expr *
leaf(struct check *ck, uint32_t body, enum body_quantity q, uint32_t i)
{
    return ex_sym(ck->g, SYM_BODY, body, (uint32_t)q * BODYQ_STRIDE + i);
}

void
carry_rotation(struct check *ck, uint32_t body, const expr *rotation[9])
{
    assert(ck && rotation);
    struct graph *graph = ck->g;
    if (ck->m->dim == 2) {
        const expr *a = leaf(ck, body, BODYQ_ANGLE, 0), *z = ex_num(graph, 0);
        const expr *c = ex_op(graph, IMP_OP_COS, a, NULL, NULL);
        const expr *sine = ex_op(graph, IMP_OP_SIN, a, NULL, NULL);
        const expr *m[9] = {c, ex_neg(graph, sine), z, sine, c, z, z,
                            z, ex_num(graph, 1)};
        memcpy(rotation, m, sizeof m);
        return;
    }
    const expr *q[4];
    for (uint32_t i = 0; i < 4; i++)
        q[i] = leaf(ck, body, BODYQ_QUATERNION, i);
    rotation_of(ck, q, rotation);
}

void
carry_vector(struct check *ck, uint32_t body, const expr *const vector[3],
             const expr *out[3])
{
    assert(ck && vector && out);
    struct graph *graph = ck->g;
    const expr *local[3] = {vector[0], vector[1], vector[2]}, *rotation[9];
    memcpy(out, local, sizeof local);
    if (stays(ck, body))
        return;
    const struct tm_body *moved = &ck->lists.bodies.v[body];
    if (ck->m->dim == 2) {
        const expr *a = leaf(ck, body, BODYQ_ANGLE, 0);
        if (moved->start.orient_kind == IMP_ORIENT_ANGLE)
            a = ex_sub(graph, a, start(ck, moved->start.orient.e[0]));
        const expr *c = ex_op(graph, IMP_OP_COS, a, NULL, NULL);
        const expr *sine = ex_op(graph, IMP_OP_SIN, a, NULL, NULL);
        out[0] = ex_sub(graph, mul(ck, c, local[0]), mul(ck, sine, local[1]));
        out[1] = ex_add(graph, mul(ck, sine, local[0]), mul(ck, c, local[1]));
        return;
    }
    if (rotation_start(ck, moved, rotation))
        for (size_t i = 0; i < 3; i++)
            local[i] = dot3(ck, rotation + i, 3, vector);
    carry_rotation(ck, body, rotation);
    for (size_t i = 0; i < 3; i++)
        out[i] = dot3(ck, rotation + 3 * i, 1, local);
}

/* The mass centre of a body, now or at the start. */
static void
centre(struct check *ck, uint32_t body, bool now, const expr *c[3])
{
    const struct tm_body *b = &ck->lists.bodies.v[body];
    for (uint32_t i = 0; i < 3; i++)
        c[i] = i >= ck->m->dim           ? ex_num(ck->g, 0)
               : now                     ? leaf(ck, body, BODYQ_POSITION, i)
               : i < b->start.position.n ? start(ck, b->start.position.e[i])
                                         : ex_num(ck->g, 0);
}

static void
carry_point(struct check *ck, uint32_t body, const expr *const x[3],
            const expr *out[3])
{
    const expr *c[3], *d[3];
    memcpy(out, x, 3 * sizeof *out);
    if (stays(ck, body))
        return;
    centre(ck, body, false, c);
    for (int i = 0; i < 3; i++)
        d[i] = ex_sub(ck->g, x[i], c[i]);
    carry_vector(ck, body, d, out);
    centre(ck, body, true, c);
    for (int i = 0; i < 3; i++)
        out[i] = ex_add(ck->g, c[i], out[i]);
}

void
carry_arm(struct check *ck, uint32_t body, uint32_t carrier,
          const expr *const point[3], const expr *out[3])
{
    assert(ck && point && out);
    const expr *origin[3], *place[3];
    if (body == carrier && !stays(ck, body)) {
        centre(ck, body, false, origin);
        for (int i = 0; i < 3; i++)
            place[i] = ex_sub(ck->g, point[i], origin[i]);
        carry_vector(ck, body, place, out);
        return;
    }
    carry_point(ck, carrier, point, place);
    centre(ck, body, true, origin);
    for (int i = 0; i < 3; i++)
        out[i] = ex_sub(ck->g, place[i], origin[i]);
}
