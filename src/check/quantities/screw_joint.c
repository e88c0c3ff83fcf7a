/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints as screws (spec screws 1.A): Q, what stays free, and S, what the joint
 * bears, about the mass centre C of a body. With c = O - C (O: the joint's
 * point) a free motion [w; v_O] has the column [w; v_O + c x w] of Q and a
 * reaction [f; m_O] the column [f; m_O + c x f] of S, so that S^T eta Q =
 * f.v_O + m_O.w, which is 0 for each pair. Bases and order are those of
 * runtime/impact/joint_screws.c; a user's screws are numbers when compiled, Q
 * is their null space (the motions on which they do no work) with as many ones
 * in it as there can be. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/quantities/screw_priv.h"

/* a screw that is a sum of others to this share of its size adds nothing */
#define SCREW_ZERO 1e-12

struct pair { /* two halves, about the joint's point */
    screw_vec a, b;
    const struct dim *da, *db;
};
struct list {
    struct pair v[6];
    uint32_t n;
};

struct sides {
    struct check *ck;
    const struct tm_joint *j;
    uint32_t carrier, other;
    bool plane;
};

static const expr *
num(struct check *ck, double number)
{
    return ex_num(ck->g, number);
}

static void
push(struct sides *sides, struct list *list, const expr *const *a,
     const expr *const *b)
{
    struct pair *p = &list->v[list->n++];
    const struct dim *pure = dim_pure(sides->ck->dims);
    for (int i = 0; i < 3; i++) {
        p->a[i] = a ? a[i] : num(sides->ck, 0);
        p->b[i] = b ? b[i] : num(sides->ck, 0);
    }
    p->da = pure;
    p->db = a ? dim_mks(sides->ck->dims, 1, 0, 0) : pure;
}

/* unit vector along an axis, carried with its body */
static void
axis_of(struct sides *sides, const struct tm_vec *v, uint32_t body,
        screw_vec out)
{
    struct check *ck = sides->ck;
    screw_vec x;
    screw_pad(ck, v, x);
    if (!v->n)
        x[2] = num(ck, 1); /* a hinge in the plane */
    const expr *n = ex_mul(ck->g, x[0], x[0]);
    for (int i = 1; i < 3; i++)
        n = ex_add(ck->g, n, ex_mul(ck->g, x[i], x[i]));
    n = ex_op(ck->g, IMP_OP_SQRT, n, NULL, NULL);
    for (int i = 0; i < 3; i++)
        x[i] = ex_div(ck->g, x[i], n);
    if (v->n)
        carry_vector(ck, body, (const expr *const *)x, out);
    else
        memcpy(out, x, sizeof x);
}

static void
unit(struct check *ck, screw_vec v)
{
    const expr *n = ex_mul(ck->g, v[0], v[0]);
    for (int i = 1; i < 3; i++)
        n = ex_add(ck->g, n, ex_mul(ck->g, v[i], v[i]));
    n = ex_op(ck->g, IMP_OP_SQRT, n, NULL, NULL);
    for (int i = 0; i < 3; i++)
        v[i] = ex_div(ck->g, v[i], n);
}

/* b, c perpendicular to the unit vector u: b from y where u is nearest to x,
 * from x otherwise */
static void
basis(struct check *ck, const expr *const u[3], screw_vec b, screw_vec c)
{
    struct graph *graph = ck->g;
    const expr *m[3];
    for (int i = 0; i < 3; i++)
        m[i] = ex_op(graph, IMP_OP_ABS, u[i], NULL, NULL);
    const expr *rest = ex_op(graph, IMP_OP_MAX, m[1], m[2], NULL);
    const expr *x = ex_op(graph, IMP_OP_LE, rest, m[0], NULL);
    const expr *e[3] = {ex_op(graph, IMP_OP_SELECT, x, num(ck, 0), num(ck, 1)),
                        ex_op(graph, IMP_OP_SELECT, x, num(ck, 1), num(ck, 0)),
                        num(ck, 0)};
    const expr *d = ex_op(graph, IMP_OP_SELECT, x, u[1], u[0]);
    for (int i = 0; i < 3; i++)
        b[i] = ex_sub(graph, e[i], ex_mul(graph, d, u[i]));
    unit(ck, b);
    screw_cross(ck, u, (const expr *const *)b, c);
}

/* -- the kinds ------------------------------------------------------------ */

static void
free_motions(struct sides *sides, struct list *list)
{
    struct check *ck = sides->ck;
    screw_vec a, a2, b, c;
    axis_of(sides, &sides->j->axis, sides->carrier, a);
    switch (sides->j->kind) {
    case IMP_JOINT_BALL:
        for (int i = 0; i < 3; i++) {
            screw_vec e = {num(ck, i == 0), num(ck, i == 1), num(ck, i == 2)};
            push(sides, list, e, NULL);
        }
        break;
    case IMP_JOINT_HINGE:
        push(sides, list, a, NULL);
        break;
    case IMP_JOINT_SLIDER:
        push(sides, list, NULL, a);
        break;
    case IMP_JOINT_CYLINDER:
        push(sides, list, a, NULL);
        push(sides, list, NULL, a);
        break;
    case IMP_JOINT_UNIVERSAL:
        axis_of(sides, &sides->j->axis2, sides->other, a2);
        push(sides, list, a, NULL);
        push(sides, list, a2, NULL);
        break;
    case IMP_JOINT_PLANAR:
        basis(ck, (const expr *const *)a, b, c);
        push(sides, list, a, NULL);
        push(sides, list, NULL, b);
        push(sides, list, NULL, c);
        break;
    default: /* a weld; constraint: user() */
        break;
    }
}

static void
reactions(struct sides *sides, struct list *list)
{
    struct check *ck = sides->ck;
    enum imp_joint_kind k = sides->j->kind;
    screw_vec a, a2, b, c;
    axis_of(sides, &sides->j->axis, sides->carrier, a);
    basis(ck, (const expr *const *)a, b, c);
    bool point = k == IMP_JOINT_BALL || k == IMP_JOINT_HINGE ||
                 k == IMP_JOINT_UNIVERSAL || k == IMP_JOINT_WELD;
    int most = sides->plane ? 2 : 3;
    for (int i = 0; point && i < most; i++) {
        screw_vec e = {num(ck, i == 0), num(ck, i == 1), num(ck, i == 2)};
        push(sides, list, e, NULL);
    }
    if (k == IMP_JOINT_PLANAR)
        push(sides, list, a, NULL);
    if (k == IMP_JOINT_SLIDER || k == IMP_JOINT_CYLINDER) {
        push(sides, list, b, NULL);
        if (!sides->plane)
            push(sides, list, c, NULL);
    }
    if (k == IMP_JOINT_WELD || k == IMP_JOINT_SLIDER)
        for (int i = sides->plane ? 2 : 0; i < 3; i++) {
            screw_vec e = {num(ck, i == 0), num(ck, i == 1), num(ck, i == 2)};
            push(sides, list, NULL, e);
        }
    if (!sides->plane && (k == IMP_JOINT_HINGE || k == IMP_JOINT_CYLINDER ||
                          k == IMP_JOINT_PLANAR)) {
        push(sides, list, NULL, b);
        push(sides, list, NULL, c);
    }
    if (k == IMP_JOINT_UNIVERSAL) {
        axis_of(sides, &sides->j->axis2, sides->other, a2);
        screw_cross(ck, (const expr *const *)a, (const expr *const *)a2, b);
        unit(ck, b);
        push(sides, list, NULL, b);
    }
}

/* -- a user's screws ------------------------------------------------------ */

struct user {
    int n, cols;      /* rows; freedoms of a body: 6, in the plane 3 */
    int of[6];        /* entry of a twist that column c stands for */
    double row[6][6]; /* what a row does on a twist: reduced */
    int pivot[6];     /* column of row i, -1: it adds nothing */
    double s[6][6];   /* as given: force, moment */
};

/* Gauss-Jordan with the greatest entry of each row as pivot, rows in order; a
 * row is scaled to length 1 first */
static void
eliminate(struct user *user)
{
    for (int i = 0; i < user->n; i++) {
        double *r = user->row[i], size = 0, most = 0;
        for (int c = 0; c < user->cols; c++)
            size = fmax(size, fabs(r[c]));
        for (int c = 0; c < user->cols && size > 0; c++)
            r[c] /= size;
        for (int k = 0; k < i; k++) {
            double f = user->pivot[k] < 0 ? 0 : r[user->pivot[k]];
            for (int c = 0; c < user->cols && f != 0; c++)
                r[c] = c == user->pivot[k] ? 0 : r[c] - f * user->row[k][c];
        }
        user->pivot[i] = -1;
        for (int c = 0; c < user->cols; c++)
            if (fabs(r[c]) > fmax(most, SCREW_ZERO)) {
                most = fabs(r[c]);
                user->pivot[i] = c;
            }
        if (user->pivot[i] < 0)
            continue;
        double p = r[user->pivot[i]];
        for (int c = 0; c < user->cols; c++)
            r[c] = c == user->pivot[i] ? 1 : r[c] / p;
        for (int k = 0; k < i; k++) {
            double f = user->row[k][user->pivot[i]];
            for (int c = 0; c < user->cols && user->pivot[k] >= 0 && f != 0;
                 c++)
                user->row[k][c] =
                    c == user->pivot[i] ? 0 : user->row[k][c] - f * r[c];
        }
    }
}

/* the screws as numbers; false: reported */
static bool
user_rows(struct sides *sides, struct user *user, imp_range range)
{
    static const int space[6] = {0, 1, 2, 3, 4, 5}, plane[3] = {2, 3, 4};
    user->n = (int)sides->j->n_user;
    user->cols = sides->plane ? 3 : 6;
    memcpy(user->of, sides->plane ? plane : space,
           (size_t)user->cols * sizeof(int));
    for (int i = 0; i < user->n; i++)
        for (int c = 0; c < 6; c++)
            if (!ck_fixed(sides->ck, sides->j->user[6 * i + c],
                          &user->s[i][c])) {
                ck_error(sides->ck, DIAG_E0217, range,
                         "the screws of `%s` have no finite value",
                         sides->j->name);
                return false;
            }
    for (int i = 0; i < user->n; i++)
        for (int c = 0; c < user->cols; c++)
            user->row[i][c] = user->s[i][(user->of[c] + 3) % 6];
    eliminate(user);
    return true;
}

static void
user_push(struct sides *sides, struct list *list, const double x[6],
          bool motion, bool turns)
{
    struct check *ck = sides->ck;
    screw_vec h[2], carried[2];
    bool first = false;
    for (int i = 0; i < 6; i++) {
        h[i / 3][i % 3] = num(ck, x[i]);
        first |= i < 3 && x[i] != 0;
    }
    for (int k = 0; k < 2; k++)
        carry_vector(ck, sides->carrier, (const expr *const *)h[k], carried[k]);
    push(sides, list, carried[0], carried[1]);
    struct pair *p = &list->v[list->n - 1];
    const struct dim *length = dim_mks(ck->dims, 1, 0, 0);
    if (motion && !turns) { /* per unit of a displacement */
        p->da = dim_div(ck->dims, p->da, length);
        p->db = dim_pure(ck->dims);
    } else if (!motion && !first) {
        p->db = dim_pure(ck->dims);
    }
}

static bool
user(struct sides *sides, struct list *list, bool Q, imp_range range)
{
    struct user u = {0};
    if (!user_rows(sides, &u, range))
        return false;
    if (!Q) {
        for (int i = 0; i < u.n; i++)
            if (u.pivot[i] >= 0)
                user_push(sides, list, u.s[i], false, false);
        return true;
    }
    for (int c = 0; c < u.cols; c++) {
        double x[6] = {0};
        bool held = false;
        for (int i = 0; i < u.n; i++)
            held |= u.pivot[i] == c;
        if (held)
            continue;
        x[u.of[c]] = 1;
        for (int i = 0; i < u.n; i++)
            if (u.pivot[i] >= 0)
                x[u.of[u.pivot[i]]] = -u.row[i][c];
        user_push(sides, list, x, true, u.of[c] < 3);
    }
    return true;
}

/* -- Q and S -------------------------------------------------------------- */

/* Q or S of a joint about the mass centre of `body` */
static struct value
screw_of_joint(struct check *ck, uint32_t joint, uint32_t body, bool Q,
               imp_range range)
{
    const struct tm_joint *j = &ck->joints.v[joint];
    struct sides s = {ck, j, j->body[0], j->body[1], ck->m->dim == 2};
    struct list l = {.n = 0};
    screw_vec at, c, x;
    if (!j->at.n)
        return v_poison(range); /* its point was wrong */
    graph_origin(ck->g, range);
    if (j->kind == IMP_JOINT_CONSTRAINT) {
        if (!j->n_user || !user(&s, &l, Q, range))
            return v_poison(range);
    } else if (Q) {
        free_motions(&s, &l);
    } else {
        reactions(&s, &l);
    }
    if (!l.n) {
        struct diag *diag = ck_error(
            ck, DIAG_E0345, range,
            Q ? "the joint `%s` leaves nothing free, so its Q has no columns"
              : "the joint `%s` holds nothing, so its S has no columns",
            j->name);
        CK_NOTE(ck, diag, j->range, "declared here");
        CK_HELP(ck, diag,
                Q ? "it has S, the reactions: %s.S" : "it has Q: %s.Q",
                j->name);
        return v_poison(range);
    }
    screw_pad(ck, &j->at, at);
    carry_arm(ck, body, s.carrier, (const expr *const *)at, c);
    struct value value = mx_array(ck, 6, l.n, range);
    for (uint32_t i = 0; i < l.n; i++) {
        struct pair *p = &l.v[i];
        screw_cross(ck, (const expr *const *)c, (const expr *const *)p->a, x);
        for (int k = 0; k < 3; k++)
            x[k] = ex_add(ck->g, p->b[k], x[k]);
        screw_put(&value, i, (const expr *const *)p->a, p->da,
                  (const expr *const *)x, p->db);
    }
    return mx_done(ck, value);
}

/* -- of a body ------------------------------------------------------------ */

static struct value
free_body(struct check *ck, uint32_t body, bool Q, imp_range range)
{
    const struct tm_body *b = &ck->bodies.v[body];
    if (!Q) {
        struct diag *diag = ck_error(
            ck, DIAG_E0345, range,
            "`%s` is free: no joint bears on it, so its S has no columns",
            b->name);
        CK_NOTE(ck, diag, b->range, "declared here");
        CK_HELP(ck, diag, "its Q has all motions: %s.Q", b->name);
        return v_poison(range);
    }
    bool plane = ck->m->dim == 2;
    struct value value = mx_array(ck, 6, plane ? 3 : 6, range);
    for (uint32_t i = 0; i < 6 * value.cols; i++) {
        value.e[i] =
            num(ck, i / value.cols == i % value.cols + (plane ? 2 : 0));
        value.dims[i] = dim_pure(ck->dims);
    }
    return mx_done(ck, value);
}

static struct value
not_constant(struct check *ck, uint32_t body, const struct tm_joint *const *j,
             size_t count, bool Q, imp_range range)
{
    const struct tm_body *b = &ck->bodies.v[body];
    const char *coordinate = Q ? "Q" : "S";
    struct diag *diag =
        count > 1
            ? ck_error(ck, DIAG_E0345, range,
                       "`%s` is held by %zu joints, and %s is that of one",
                       b->name, count, coordinate)
            : ck_error(ck, DIAG_E0345, range,
                       "the joint of `%s` is to a body that moves, so its "
                       "own motions are not those that the joint leaves free",
                       b->name);
    for (size_t i = 0; i < count && i < 2; i++)
        CK_NOTE(ck, diag, j[i]->range, "this joint");
    CK_HELP(ck, diag,
            "ask the joint for the relative motion: %s.%s; an impact takes all "
            "joints into account",
            j[0]->name, coordinate);
    return v_poison(range);
}

struct value
screw_held(struct check *ck, uint32_t body, bool Q, imp_range range)
{
    assert(ck);
    assert(body < ck->bodies.n);
    const struct tm_joint *found[2];
    size_t count = 0;
    uint32_t at = 0;
    if (!ck->joined) {
        struct diag *diag = ck_error(ck, DIAG_E0319, range,
                                     "what is given at the start, and forces, "
                                     "cannot depend on joints");
        CK_HELP(ck, diag, "Q, S, M_red and G stand in commands and in `let`");
        return v_poison(range);
    }
    for (uint32_t i = 0; i < ck->joints.n; i++) {
        const struct tm_joint *joint = &ck->joints.v[i];
        if (joint->body[0] != body && joint->body[1] != body)
            continue;
        if (count < 2)
            found[count] = joint;
        count++;
        at = i;
    }
    if (!count)
        return free_body(ck, body, Q, range);
    const struct tm_joint *j = found[0];
    uint32_t other = j->body[0] == body ? j->body[1] : j->body[0];
    if (count > 1 || (other != IMP_WORLD && !ck->bodies.v[other].fixed))
        return not_constant(ck, body, found, count, Q, range);
    return screw_of_joint(ck, at, body, Q, range);
}

/* -- fields --------------------------------------------------------------- */

const struct keydef joint_values[] = {
    {"Q", "6 x f: the motions it leaves free, columns [spin; velocity] of the "
          "first body against the second, at the first one's mass centre"},
    {"S", "6 x (6 - f): what it bears, columns [force; moment] about the same "
          "point; transpose(S)*eta*Q is 0"},
};
const size_t n_joint_values = sizeof joint_values / sizeof joint_values[0];

struct value
joint_field(struct check *ck, uint32_t joint, const char *name,
            imp_range name_range, imp_range range)
{
    assert(ck && name);
    if (strcmp(name, "Q") != 0 && strcmp(name, "S") != 0) {
        struct diag *diag =
            ck_error(ck, DIAG_E0112, name_range, "a joint has no `%s`", name);
        CK_HELP(ck, diag,
                "it has Q and S; its impulses are in the record of an impact: "
                "r.joint_impulses");
        return v_poison(range);
    }
    if (!ck->joined) {
        struct diag *diag = ck_error(ck, DIAG_E0319, range,
                                     "what is given at the start, and forces, "
                                     "cannot depend on joints");
        CK_HELP(ck, diag, "Q and S stand in commands and in `let`");
        return v_poison(range);
    }
    return screw_of_joint(ck, joint, ck->joints.v[joint].body[0],
                          name[0] == 'Q', range);
}
