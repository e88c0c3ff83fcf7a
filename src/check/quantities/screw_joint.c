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

/* Makes the unit vector along an axis, carried with its body. */
static void
axis_of(struct sides *sides, const struct tm_vec *axis, uint32_t body,
        screw_vec out)
{
    struct check *ck = sides->ck;
    screw_vec along;
    screw_pad(ck, axis, along);
    if (!axis->n)
        along[2] = num(ck, 1); /* Makes a hinge in the plane. */
    const expr *n = ex_mul(ck->g, along[0], along[0]);
    for (int i = 1; i < 3; i++)
        n = ex_add(ck->g, n, ex_mul(ck->g, along[i], along[i]));
    n = ex_op(ck->g, IMP_OP_SQRT, n, NULL, NULL);
    for (int i = 0; i < 3; i++)
        along[i] = ex_div(ck->g, along[i], n);
    if (axis->n)
        carry_vector(ck, body, (const expr *const *)along, out);
    else
        memcpy(out, along, sizeof along);
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

/* Makes two vectors that are perpendicular to the unit vector `axis`. `second`
 * is made from y where the axis is nearest to x, from x otherwise. */
static void
basis(struct check *ck, const expr *const axis[3], screw_vec second,
      screw_vec third)
{
    struct graph *graph = ck->g;
    const expr *m[3];
    for (int i = 0; i < 3; i++)
        m[i] = ex_op(graph, IMP_OP_ABS, axis[i], NULL, NULL);
    const expr *rest = ex_op(graph, IMP_OP_MAX, m[1], m[2], NULL);
    const expr *x = ex_op(graph, IMP_OP_LE, rest, m[0], NULL);
    const expr *e[3] = {ex_op(graph, IMP_OP_SELECT, x, num(ck, 0), num(ck, 1)),
                        ex_op(graph, IMP_OP_SELECT, x, num(ck, 1), num(ck, 0)),
                        num(ck, 0)};
    const expr *d = ex_op(graph, IMP_OP_SELECT, x, axis[1], axis[0]);
    for (int i = 0; i < 3; i++)
        second[i] = ex_sub(graph, e[i], ex_mul(graph, d, axis[i]));
    unit(ck, second);
    screw_cross(ck, axis, (const expr *const *)second, third);
}

/* -- the kinds ------------------------------------------------------------ */

static void
free_motions(struct sides *sides, struct list *list)
{
    struct check *ck = sides->ck;
    screw_vec axis, a2, second, third;
    axis_of(sides, &sides->j->axis, sides->carrier, axis);
    switch (sides->j->kind) {
    case IMP_JOINT_BALL:
        for (int i = 0; i < 3; i++) {
            screw_vec e = {num(ck, i == 0), num(ck, i == 1), num(ck, i == 2)};
            push(sides, list, e, NULL);
        }
        break;
    case IMP_JOINT_HINGE:
        push(sides, list, axis, NULL);
        break;
    case IMP_JOINT_SLIDER:
        push(sides, list, NULL, axis);
        break;
    case IMP_JOINT_CYLINDER:
        push(sides, list, axis, NULL);
        push(sides, list, NULL, axis);
        break;
    case IMP_JOINT_UNIVERSAL:
        axis_of(sides, &sides->j->axis2, sides->other, a2);
        push(sides, list, axis, NULL);
        push(sides, list, a2, NULL);
        break;
    case IMP_JOINT_PLANAR:
        basis(ck, (const expr *const *)axis, second, third);
        push(sides, list, axis, NULL);
        push(sides, list, NULL, second);
        push(sides, list, NULL, third);
        break;
    default: /* A weld leaves nothing free, and a `constraint` is read by
                user(). */
        break;
    }
}

static void
reactions(struct sides *sides, struct list *list)
{
    struct check *ck = sides->ck;
    enum imp_joint_kind kind = sides->j->kind;
    screw_vec axis, a2, second, third;
    axis_of(sides, &sides->j->axis, sides->carrier, axis);
    basis(ck, (const expr *const *)axis, second, third);
    bool point = kind == IMP_JOINT_BALL || kind == IMP_JOINT_HINGE ||
                 kind == IMP_JOINT_UNIVERSAL || kind == IMP_JOINT_WELD;
    int most = sides->plane ? 2 : 3;
    for (int i = 0; point && i < most; i++) {
        screw_vec e = {num(ck, i == 0), num(ck, i == 1), num(ck, i == 2)};
        push(sides, list, e, NULL);
    }
    if (kind == IMP_JOINT_PLANAR)
        push(sides, list, axis, NULL);
    if (kind == IMP_JOINT_SLIDER || kind == IMP_JOINT_CYLINDER) {
        push(sides, list, second, NULL);
        if (!sides->plane)
            push(sides, list, third, NULL);
    }
    if (kind == IMP_JOINT_WELD || kind == IMP_JOINT_SLIDER)
        for (int i = sides->plane ? 2 : 0; i < 3; i++) {
            screw_vec e = {num(ck, i == 0), num(ck, i == 1), num(ck, i == 2)};
            push(sides, list, NULL, e);
        }
    if (!sides->plane &&
        (kind == IMP_JOINT_HINGE || kind == IMP_JOINT_CYLINDER ||
         kind == IMP_JOINT_PLANAR)) {
        push(sides, list, NULL, second);
        push(sides, list, NULL, third);
    }
    if (kind == IMP_JOINT_UNIVERSAL) {
        axis_of(sides, &sides->j->axis2, sides->other, a2);
        screw_cross(ck, (const expr *const *)axis, (const expr *const *)a2,
                    second);
        unit(ck, second);
        push(sides, list, NULL, second);
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

/* Gauss-Jordan elimination. The pivot is the greatest entry of each row, the
 * rows come in their order, and each is first scaled to length 1. */
static void
eliminate(struct user *user)
{
    for (int row = 0; row < user->n; row++) {
        double *entries = user->row[row], size = 0, most = 0;
        for (int c = 0; c < user->cols; c++)
            size = fmax(size, fabs(entries[c]));
        for (int c = 0; c < user->cols && size > 0; c++)
            entries[c] /= size;
        for (int k = 0; k < row; k++) {
            double factor = user->pivot[k] < 0 ? 0 : entries[user->pivot[k]];
            for (int c = 0; c < user->cols && factor != 0; c++)
                entries[c] = c == user->pivot[k]
                                 ? 0
                                 : entries[c] - factor * user->row[k][c];
        }
        user->pivot[row] = -1;
        for (int c = 0; c < user->cols; c++)
            if (fabs(entries[c]) > fmax(most, SCREW_ZERO)) {
                most = fabs(entries[c]);
                user->pivot[row] = c;
            }
        if (user->pivot[row] < 0)
            continue;
        double p = entries[user->pivot[row]];
        for (int c = 0; c < user->cols; c++)
            entries[c] = c == user->pivot[row] ? 1 : entries[c] / p;
        for (int k = 0; k < row; k++) {
            double factor = user->row[k][user->pivot[row]];
            for (int c = 0;
                 c < user->cols && user->pivot[k] >= 0 && factor != 0; c++)
                user->row[k][c] = c == user->pivot[row]
                                      ? 0
                                      : user->row[k][c] - factor * entries[c];
        }
    }
}

/* Reads the screws as numbers. False: an error has been reported. */
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
            if (!check_fixed(sides->ck, sides->j->user[6 * i + c],
                             &user->s[i][c])) {
                check_error(sides->ck, DIAG_E0217, range,
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
    if (motion && !turns) { /* The column is per unit of a displacement. */
        p->da = dim_div(ck->dims, p->da, length);
        p->db = dim_pure(ck->dims);
    } else if (!motion && !first) {
        p->db = dim_pure(ck->dims);
    }
}

static bool
user(struct sides *sides, struct list *list, bool want_q, imp_range range)
{
    struct user given = {0};
    if (!user_rows(sides, &given, range))
        return false;
    if (!want_q) {
        for (int i = 0; i < given.n; i++)
            if (given.pivot[i] >= 0)
                user_push(sides, list, given.s[i], false, false);
        return true;
    }
    for (int column = 0; column < given.cols; column++) {
        double x[6] = {0};
        bool held = false;
        for (int i = 0; i < given.n; i++)
            held |= given.pivot[i] == column;
        if (held)
            continue;
        x[given.of[column]] = 1;
        for (int i = 0; i < given.n; i++)
            if (given.pivot[i] >= 0)
                x[given.of[given.pivot[i]]] = -given.row[i][column];
        user_push(sides, list, x, true, given.of[column] < 3);
    }
    return true;
}

/* -- Q and S -------------------------------------------------------------- */

/* Makes Q or S of a joint about the mass centre of `body`. */
static struct value
screw_of_joint(struct check *ck, uint32_t joint, uint32_t body, bool want_q,
               imp_range range)
{
    const struct tm_joint *described = &ck->lists.joints.v[joint];
    struct sides sides = {ck, described, described->carrier, described->body[1],
                          ck->m->dim == 2};
    struct list list = {.n = 0};
    screw_vec at, arm, moment;
    if (!described->at.n)
        return value_poison(
            range); /* The joint's point was wrong, which has been reported. */
    graph_origin(ck->g, range);
    if (described->kind == IMP_JOINT_CONSTRAINT) {
        if (!described->n_user || !user(&sides, &list, want_q, range))
            return value_poison(range);
    } else if (want_q) {
        free_motions(&sides, &list);
    } else {
        reactions(&sides, &list);
    }
    if (!list.n) {
        struct diag *diag = check_error(
            ck, DIAG_E0345, range,
            want_q
                ? "the joint `%s` leaves nothing free, so its Q has no columns"
                : "the joint `%s` holds nothing, so its S has no columns",
            described->name);
        CHECK_NOTE(ck, diag, described->range, "declared here");
        CHECK_HELP(ck, diag,
                   want_q ? "it has S, the reactions: %s.S" : "it has Q: %s.Q",
                   described->name);
        return value_poison(range);
    }
    screw_pad(ck, &described->at, at);
    carry_arm(ck, body, sides.carrier, (const expr *const *)at, arm);
    struct value value = matrix_array(ck, 6, list.n, range);
    for (uint32_t i = 0; i < list.n; i++) {
        struct pair *p = &list.v[i];
        screw_cross(ck, (const expr *const *)arm, (const expr *const *)p->a,
                    moment);
        for (int k = 0; k < 3; k++)
            moment[k] = ex_add(ck->g, p->b[k], moment[k]);
        screw_put(&value, i, (const expr *const *)p->a, p->da,
                  (const expr *const *)moment, p->db);
    }
    return matrix_done(ck, value);
}

/* -- of a body ------------------------------------------------------------ */

static struct value
free_body(struct check *ck, uint32_t body, bool Q, imp_range range)
{
    const struct tm_body *b = &ck->lists.bodies.v[body];
    if (!Q) {
        struct diag *diag = check_error(
            ck, DIAG_E0345, range,
            "`%s` is free: no joint bears on it, so its S has no columns",
            b->name);
        CHECK_NOTE(ck, diag, b->range, "declared here");
        CHECK_HELP(ck, diag, "its Q has all motions: %s.Q", b->name);
        return value_poison(range);
    }
    bool plane = ck->m->dim == 2;
    struct value value = matrix_array(ck, 6, plane ? 3 : 6, range);
    for (uint32_t i = 0; i < 6 * value.cols; i++) {
        value.e[i] =
            num(ck, i / value.cols == i % value.cols + (plane ? 2 : 0));
        value.dims[i] = dim_pure(ck->dims);
    }
    return matrix_done(ck, value);
}

static struct value
not_constant(struct check *ck, uint32_t body,
             const struct tm_joint *const *joints, size_t count, bool want_q,
             imp_range range)
{
    const struct tm_body *checked = &ck->lists.bodies.v[body];
    const char *coordinate = want_q ? "Q" : "S";
    struct diag *diag =
        count > 1
            ? check_error(ck, DIAG_E0345, range,
                          "`%s` is held by %zu joints, and %s is that of one",
                          checked->name, count, coordinate)
            : check_error(
                  ck, DIAG_E0345, range,
                  "the joint of `%s` is to a body that moves, so its "
                  "own motions are not those that the joint leaves free",
                  checked->name);
    for (size_t i = 0; i < count && i < 2; i++)
        CHECK_NOTE(ck, diag, joints[i]->range, "this joint");
    CHECK_HELP(
        ck, diag,
        "ask the joint for the relative motion: %s.%s; an impact takes all "
        "joints into account",
        joints[0]->name, coordinate);
    return value_poison(range);
}

struct value
screw_held(struct check *ck, uint32_t body, bool want_q, imp_range range)
{
    assert(ck);
    assert(body < ck->lists.bodies.n);
    const struct tm_joint *found[2];
    size_t count = 0;
    uint32_t at = 0;
    if (!ck->progress.joined) {
        struct diag *diag =
            check_error(ck, DIAG_E0319, range,
                        "what is given at the start, and forces, "
                        "cannot depend on joints");
        CHECK_HELP(ck, diag,
                   "Q, S, M_red and G stand in commands and in `let`");
        return value_poison(range);
    }
    for (uint32_t i = 0; i < ck->lists.joints.n; i++) {
        const struct tm_joint *joint = &ck->lists.joints.v[i];
        if (joint->body[0] != body && joint->body[1] != body)
            continue;
        if (count < 2)
            found[count] = joint;
        count++;
        at = i;
    }
    if (!count)
        return free_body(ck, body, want_q, range);
    const struct tm_joint *j = found[0];
    uint32_t other = j->body[0] == body ? j->body[1] : j->body[0];
    bool still = other == IMP_WORLD || ck->lists.bodies.v[other].fixed;
    if (j->carrier != body && j->carrier != IMP_WORLD)
        still &= ck->lists.bodies.v[j->carrier].fixed;
    if (count > 1 || !still)
        return not_constant(ck, body, found, count, want_q, range);
    return screw_of_joint(ck, at, body, want_q, range);
}

/* -- fields --------------------------------------------------------------- */

/* those of friction in the order of told[] below */
const struct keydef joint_values[] = {
    {"Q", "6 x f: the motions it leaves free, columns [spin; velocity] of the "
          "first body against the second, at the first one's mass centre"},
    {"S", "6 x (6 - f): what it bears, columns [force; moment] about the same "
          "point; transpose(S)*eta*Q is 0"},
    {"force", "the force on the first body (of a slider of the plane without "
              "friction alone)"},
    {"friction_moment", "hinge with friction: its moment on the first body"},
    {"normal_force", "slider of the plane: force on the first body across the "
                     "axis, along the axis turned by 90 degrees"},
    {"moment", "the moment on the first body about `at` (of a hinge of the "
               "plane its friction alone has one)"},
    {"friction_force",
     "slider with friction: its force on the first body along "
     "the axis"},
    {"rate", "with friction: spin or speed of the first body against the "
             "second"},
    {"work", "with friction: the work it has done so far"},
    {"mode", "with friction: 1 stick, 2 slip forward, 3 slip backward"},
};
const size_t n_joint_values = sizeof joint_values / sizeof joint_values[0];

/* What a run tells of a joint with friction: its entry of env, and of which
 * kinds of joints. */
static const struct told {
    uint32_t entry, size;
    bool hinge, slider;
    int length, time; /* dimension, of mass 1 but for rate and mode */
} told[] = {{IMP_JOINT_FORCE, 2, true, false, 1, -2},
            {IMP_JOINT_FRICTION, 1, true, false, 2, -2},
            {IMP_JOINT_FORCE, 1, false, true, 1, -2},
            {IMP_JOINT_FORCE + 1, 1, false, true, 2, -2},
            {IMP_JOINT_FRICTION, 1, false, true, 1, -2},
            {IMP_JOINT_SLIP, 1, true, true, 0, -1},
            {IMP_JOINT_WORK, 1, true, true, 2, -2},
            {IMP_JOINT_MODE, 1, true, true, 0, 0}};

/* What a joint without friction tells (imp_block.told). False: this is told by
 * friction alone. */
static bool
told_smooth(struct check *ck, uint32_t joint, const char *name, imp_range range,
            struct value *out)
{
    struct tm_joint *decl = &ck->lists.joints.v[joint];
    bool plane = ck->m->dim == 2, force = !strcmp(name, "force"),
         moment = !strcmp(name, "moment"),
         across = plane && decl->kind == IMP_JOINT_SLIDER &&
                  !strcmp(name, "normal_force");
    if (decl->mu.e || !(force || moment || across))
        return false;
    *out = value_poison(range);
    if (decl->friction_wrong)
        return true;
    decl->told = true;
    uint32_t entry = force    ? IMP_JOINT_FORCE
                     : across ? IMP_JOINT_ACROSS
                     : plane  ? IMP_JOINT_MOMENT_PLANE
                              : IMP_JOINT_MOMENT,
             size = force             ? ck->m->dim
                    : across || plane ? 1
                                      : 3;
    const struct dim *dim = dim_mks(ck->dims, moment ? 2 : 1, 1, -2);
    if (size == 1) {
        *out =
            value_num(ck, ex_sym(ck->g, SYM_JOINT, joint, entry), dim, range);
        return true;
    }
    *out = value_array(ck, size, 1, dim, range);
    for (uint32_t i = 0; i < size; i++)
        out->e[i] = ex_sym(ck->g, SYM_JOINT, joint, entry + i);
    return true;
}

static struct value
told_field(struct check *ck, uint32_t joint, const struct told *what,
           const char *name, imp_range name_range, imp_range range)
{
    struct value smooth;
    if (told_smooth(ck, joint, name, range, &smooth))
        return smooth;
    const struct tm_joint *decl = &ck->lists.joints.v[joint];
    bool hinge = decl->kind == IMP_JOINT_HINGE,
         slider = decl->kind == IMP_JOINT_SLIDER;
    struct diag *diag;
    if (!(hinge && what->hinge) && !(slider && what->slider)) {
        diag = check_error(ck, DIAG_E0112, name_range,
                           "the joint `%s` has no `%s`", decl->name, name);
        CHECK_HELP(ck, diag, "%s",
                   hinge ? "a hinge with friction has force, "
                           "friction_moment, rate, work and mode"
                   : slider
                       ? "a slider with friction has normal_force, moment, "
                         "friction_force, rate, work and mode"
                       : "hinges and sliders alone have friction; it has "
                         "force, moment, Q and S");
        return value_poison(range);
    }
    if (!decl->mu.e && decl->friction_wrong)
        return value_poison(range);
    if (!decl->mu.e) {
        diag = check_error(ck, DIAG_E0384, name_range,
                           "the joint `%s` has no friction", decl->name);
        CHECK_NOTE(ck, diag, decl->range, "declared here");
        if (ck->m->dim == 3)
            CHECK_HELP(ck, diag,
                       "joints of space have none: %s.force and %s.moment are "
                       "told, `impact` tells joint_impulses",
                       decl->name, decl->name);
        else
            CHECK_HELP(ck, diag,
                       "%s.force is told without it; friction, rate, work and "
                       "mode with it, and its coefficient may be a param that "
                       "is 0: friction = mu  %s = 0.01, and param mu = 0",
                       decl->name, hinge ? "radius" : "length");
        return value_poison(range);
    }
    bool pure = what->entry == IMP_JOINT_MODE || what->entry == IMP_JOINT_SLIP;
    const struct dim *dim = dim_mks(
        ck->dims, what->entry == IMP_JOINT_SLIP && slider ? 1 : what->length,
        pure ? 0 : 1, what->time);
    if (what->size == 1)
        return value_num(ck, ex_sym(ck->g, SYM_JOINT, joint, what->entry), dim,
                         range);
    struct value value = value_array(ck, what->size, 1, dim, range);
    for (uint32_t i = 0; i < what->size; i++)
        value.e[i] = ex_sym(ck->g, SYM_JOINT, joint, what->entry + i);
    return value;
}

/* What friction tells of the joints of a family: a row for each. */
static struct value
told_of_all(struct check *ck, uint32_t joint, uint32_t count,
            const struct told *what, const char *name, imp_range name_range,
            imp_range range)
{
    struct value all = value_poison(range);
    for (uint32_t i = 0; i < count; i++) {
        struct value one =
            told_field(ck, joint + i, what, name, name_range, range);
        if (one.kind != VALUE_NUM)
            return value_poison(range);
        if (i == 0)
            all = value_array(ck, count, one.rows, one.dim, range);
        for (uint32_t k = 0; k < one.rows; k++)
            all.e[i * one.rows + k] = one.e[k];
    }
    return all;
}

struct value
joint_field(struct check *ck, uint32_t joint, uint32_t count, const char *name,
            imp_range name_range, imp_range range)
{
    assert(ck && name && count);
    const char *names[sizeof joint_values / sizeof joint_values[0]];
    size_t which = 0;
    while (which < n_joint_values && strcmp(joint_values[which].name, name))
        which++;
    if (which == n_joint_values) {
        struct diag *diag = check_error(ck, DIAG_E0112, name_range,
                                        "a joint has no `%s`", name);
        for (size_t i = 0; i < n_joint_values; i++)
            names[i] = joint_values[i].name;
        if (!check_suggest(ck, diag, name_range, name, names, n_joint_values))
            CHECK_HELP(
                ck, diag,
                "it has force, moment, Q and S, with friction rate, work and "
                "mode; its impulses are in the record of an impact: "
                "r.joint_impulses");
        return value_poison(range);
    }
    if (!ck->progress.joined) {
        struct diag *diag =
            check_error(ck, DIAG_E0319, range,
                        "what is given at the start, and forces, "
                        "cannot depend on joints");
        CHECK_HELP(
            ck, diag,
            "Q and S stand in commands and in `let`; in the friction of a "
            "joint `slip` is the speed of its rate");
        return value_poison(range);
    }
    if (which >= 2 && count > 1)
        return told_of_all(ck, joint, count, &told[which - 2], name, name_range,
                           range);
    if (count > 1) {
        struct diag *diag = check_error(
            ck, DIAG_E0212, range,
            "`%s` is asked of one joint, but this is a family", name);
        CHECK_HELP(ck, diag, "name one of them: %s.%s",
                   ck->lists.joints.v[joint].name, name);
        return value_poison(range);
    }
    if (which >= 2)
        return told_field(ck, joint, &told[which - 2], name, name_range, range);
    return screw_of_joint(ck, joint, ck->lists.joints.v[joint].body[0],
                          name[0] == 'Q', range);
}
