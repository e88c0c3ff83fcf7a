/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints in motion. Each joint is a few scalar conditions phi = 0 on the poses
 * of its two bodies, or psi = 0 on their velocities (a user's constraint);
 * what is fixed to a body is carried along with two derivatives,
 *   x = R x_b,  x' = R (w x x_b),  x'' = R (w' x x_b + w x (w x x_b)),
 * w in body axes, so phi' and phi'' are exact and as short as by hand. With C =
 * d phi'/d(v, w), linear, the bodies of a block move by
 *   v' = force/m + gravity + C_v^T lambda/m
 *   w' = J^-1 (torque - w x J w + C_w^T lambda)
 * and the multipliers lambda make phi'' = 0: the implicit block of the motion
 * tape, whose matrix is C M^-1 C^T. Prescribed bodies enter through t.
 *
 * Rows that are literally zero (z in the plane) are no conditions; rows that
 * depend on others are left to imp_gram_factor. */
#include "mechanics/mech_priv.h"

/* a vector fixed to a body, or a point of one, and its derivatives in time */
struct jet {
    vec3 x, dx, ddx;
};

/* what a side of a joint is: a body, or the world (NULL) */
struct side {
    const struct mbody *b;
    uint32_t arm, frame; /* entries of env */
};

struct row {
    const expr *phi, *dphi, *ddphi; /* phi NULL: velocities only */
};
enum { ROWS_MAX = 6 };
struct rows {
    struct row v[ROWS_MAX];
    uint32_t n;
};

static vec3
env3(struct mech *k, uint32_t at)
{
    vec3 r = v3_zero(k->g);
    for (uint32_t i = 0; i < k->d; i++)
        r.v[i] = sym_env(k, at + i);
    return r;
}

/* direction i of the frame of a side, its own axes; in the plane the last is z
 */
static vec3
frame_row(struct mech *k, const struct side *s, uint32_t i)
{
    if (k->d == 2 && i == 2)
        return v3(sc_zero(k->g), sc_zero(k->g), ex_num(k->g, 1.0));
    return env3(k, s->frame + 3 * i);
}

static struct jet
carried(struct mech *k, const struct side *s, vec3 x)
{
    struct graph *g = k->g;
    const struct mbody *b = s->b;
    struct jet j = {x, v3_zero(g), v3_zero(g)};
    if (!b)
        return j;
    vec3 y = v3_cross(g, b->w_body, x);
    vec3 z = v3_add(g, v3_cross(g, b->alpha, x), v3_cross(g, b->w_body, y));
    j.x = m3_apply(g, b->pose.R, x);
    j.dx = m3_apply(g, b->pose.R, y);
    j.ddx = m3_apply(g, b->pose.R, z);
    return j;
}

static struct jet
point_of(struct mech *k, const struct side *s)
{
    struct graph *g = k->g;
    struct jet j = carried(k, s, env3(k, s->arm));
    if (!s->b)
        return j;
    j.x = v3_add(g, s->b->pose.c, j.x);
    j.dx = v3_add(g, s->b->v, j.dx);
    j.ddx = v3_add(g, s->b->acc, j.ddx);
    return j;
}

static struct jet
jet_sub(struct graph *g, struct jet a, struct jet b)
{
    return (struct jet){v3_sub(g, a.x, b.x), v3_sub(g, a.dx, b.dx),
                        v3_sub(g, a.ddx, b.ddx)};
}

static void
add_row(struct rows *r, const expr *phi, const expr *dphi, const expr *ddphi)
{
    if (!sc_is_zero(dphi))
        r->v[r->n++] = (struct row){phi, dphi, ddphi};
}

/* a.b - constant = 0 */
static void
row_dot(struct mech *k, struct rows *r, struct jet a, struct jet b,
        const expr *constant)
{
    struct graph *g = k->g;
    const expr *twice = sc_mul(g, ex_num(g, 2.0), v3_dot(g, a.dx, b.dx));
    add_row(r, sc_sub(g, v3_dot(g, a.x, b.x), constant),
            sc_add(g, v3_dot(g, a.dx, b.x), v3_dot(g, a.x, b.dx)),
            sc_add(g, sc_add(g, v3_dot(g, a.ddx, b.x), v3_dot(g, a.x, b.ddx)),
                   twice));
}

static void
row_point(struct rows *r, struct jet d)
{
    for (int i = 0; i < 3; i++)
        add_row(r, d.x.v[i], d.dx.v[i], d.ddx.v[i]);
}

/* -- a user's screws ------------------------------------------------------- */

/* velocity of the matter of a side at the point p, and its derivative along
 * p's own motion; spin and its derivative: all in world axes */
struct twist {
    vec3 v, dv, w, dw;
};
static struct twist
twist_at(struct mech *k, const struct side *s, struct jet p)
{
    struct graph *g = k->g;
    vec3 z = v3_zero(g);
    if (!s->b)
        return (struct twist){z, z, z, z};
    struct twist t = {.w = s->b->w,
                      .dw = m3_apply(g, s->b->pose.R, s->b->alpha)};
    vec3 r = v3_sub(g, p.x, s->b->pose.c), dr = v3_sub(g, p.dx, s->b->v);
    t.v = v3_add(g, s->b->v, v3_cross(g, t.w, r));
    t.dv = v3_add(g, s->b->acc, v3_cross(g, t.dw, r));
    t.dv = v3_add(g, t.dv, v3_cross(g, t.w, dr));
    return t;
}

/* f.(v0 - v1) + m.(w0 - w1) = 0 at the point, screw and point carried by one
 * of the bodies (impact_of_run.c says by which) */
static void
rows_user(struct mech *k, const struct tm_joint *t, uint32_t env,
          const struct side s[2], struct rows *r)
{
    struct graph *g = k->g;
    const struct side *by = t->body[0] == IMP_WORLD ? s + 1 : s;
    struct jet p = point_of(k, by);
    struct twist a = twist_at(k, s, p), b = twist_at(k, s + 1, p);
    vec3 v = v3_sub(g, a.v, b.v), dv = v3_sub(g, a.dv, b.dv);
    vec3 w = v3_sub(g, a.w, b.w), dw = v3_sub(g, a.dw, b.dw);
    for (uint32_t i = 0; i < t->n_user; i++) {
        vec3 part[2] = {v3_zero(g), v3_zero(g)};
        for (uint32_t c = 0; c < 6; c++) {
            const expr *x = t->user[6 * i + c];
            if (sc_is_zero(x))
                continue;
            if (!ex_is_const(x))
                x = sym_env(k, env + IMP_JOINT_USER + 6 * i + c);
            part[c / 3] =
                v3_add(g, part[c / 3], v3_scale(g, x, frame_row(k, by, c % 3)));
        }
        struct jet f = carried(k, by, part[0]), m = carried(k, by, part[1]);
        const expr *psi = sc_add(g, v3_dot(g, f.x, v), v3_dot(g, m.x, w));
        const expr *d = sc_add(g, v3_dot(g, f.dx, v), v3_dot(g, f.x, dv));
        d = sc_add(g, d, sc_add(g, v3_dot(g, m.dx, w), v3_dot(g, m.x, dw)));
        add_row(r, NULL, psi, d);
    }
}

/* -- the kinds --------------------------------------------------------------
 */

static void
rows_of(struct mech *k, const struct tm_joint *t, uint32_t env,
        const struct side s[2], struct rows *r)
{
    const expr *zero = sc_zero(k->g);
    struct jet a[3], b[3],
        d = jet_sub(k->g, point_of(k, s), point_of(k, s + 1));
    for (uint32_t i = 0; i < 3; i++) {
        a[i] = carried(k, s, frame_row(k, s, i));
        b[i] = carried(k, s + 1, frame_row(k, s + 1, i));
    }
    enum imp_joint_kind kind = t->kind;
    if (kind == IMP_JOINT_BALL || kind == IMP_JOINT_HINGE ||
        kind == IMP_JOINT_UNIVERSAL || kind == IMP_JOINT_WELD)
        row_point(r, d);
    if (kind == IMP_JOINT_SLIDER || kind == IMP_JOINT_CYLINDER) {
        row_dot(k, r, b[1], d, zero);
        row_dot(k, r, b[2], d, zero);
    }
    if (kind == IMP_JOINT_PLANAR)
        row_dot(k, r, b[0], d, zero);
    if (kind == IMP_JOINT_HINGE || kind == IMP_JOINT_CYLINDER ||
        kind == IMP_JOINT_PLANAR) {
        /* hinges of the plane turn about z: literally zero */
        if (k->d == 3) {
            row_dot(k, r, a[0], b[1], zero);
            row_dot(k, r, a[0], b[2], zero);
        }
    }
    if (kind == IMP_JOINT_UNIVERSAL)
        row_dot(k, r, a[0], b[0], sym_env(k, env + IMP_JOINT_COSINE));
    if (kind == IMP_JOINT_SLIDER || kind == IMP_JOINT_WELD) {
        row_dot(k, r, a[0], b[1], zero);
        row_dot(k, r, a[1], b[2], zero);
        row_dot(k, r, a[2], b[0], zero);
    }
    if (kind == IMP_JOINT_CONSTRAINT)
        rows_user(k, t, env, s, r);
}

static bool
moves(const struct mech *k, uint32_t body)
{
    return body != IMP_WORLD && !k->bodies[body].fixed;
}

/* the block a joint belongs to; IMP_NO_BLOCK if it holds nothing that moves */
static uint32_t
block_of(const struct mech *k, const struct tm_joint *t)
{
    for (int i = 0; i < 2; i++)
        if (moves(k, t->body[i]))
            return k->bodies[t->body[i]].block;
    return IMP_NO_BLOCK;
}

/* conditions of all joints of block o; rows NULL: only how many */
static uint32_t
block_rows(struct mech *k, uint32_t block, struct row *rows)
{
    uint32_t n = 0;
    for (size_t i = 0; i < k->m->n_joints; i++) {
        const struct tm_joint *t = k->m->joints + i;
        if (block_of(k, t) != block)
            continue;
        uint32_t env = k->layout.joint + (uint32_t)i * IMP_JOINT_SIZE;
        struct side s[2];
        for (uint32_t j = 0; j < 2; j++)
            s[j] = (struct side){
                t->body[j] == IMP_WORLD ? NULL : k->bodies + t->body[j],
                env + IMP_JOINT_ARM + 3 * j, env + IMP_JOINT_FRAME + 9 * j};
        struct rows r = {.n = 0};
        graph_origin(k->g, t->range);
        rows_of(k, t, env, s, &r);
        for (uint32_t j = 0; j < r.n; j++, n++)
            if (rows)
                rows[n] = r.v[j];
    }
    return n;
}

/* -- equations of a block ----------------------------------------------------
 */

/* velocity of body b in leaf c: v, then w */
static uint32_t
velocity_leaf(const struct mech *k, const struct mbody *b, uint32_t c)
{
    return b->env_state + (k->d == 2 ? 3 : 7) + c;
}

/* C: per row, body of the block and velocity (3 in the plane, 6 in space) */
static void
gradients(struct mech *k, struct mblock *o, const struct row *rows)
{
    uint32_t nv = k->d == 2 ? 3 : 6;
    o->C = NEW_N(k->arena, const expr *, (size_t)o->n_row * o->n * nv + 1);
    for (uint32_t i = 0, at = 0; i < o->n_row; i++)
        for (uint32_t j = 0; j < o->n; j++)
            for (uint32_t c = 0; c < nv; c++)
                o->C[at++] = ex_diff(
                    k->g, rows[i].dphi,
                    sym_state(k,
                              velocity_leaf(k, k->bodies + o->bodies[j], c)));
}

/* M^-1 C^T of row i for body j of the block */
static void
response(struct mech *k, const struct mblock *o, uint32_t i, uint32_t j,
         vec3 *v, vec3 *w)
{
    struct graph *g = k->g;
    uint32_t nv = k->d == 2 ? 3 : 6;
    const struct mbody *b = k->bodies + o->bodies[j];
    const expr *const *c = o->C + ((size_t)i * o->n + j) * nv;
    *v = v3_zero(g);
    *w = v3_zero(g);
    for (uint32_t x = 0; x < k->d; x++)
        v->v[x] = sc_mul(g, b->invmass, c[x]);
    if (k->d == 2)
        w->v[2] = c[2];
    else
        *w = v3(c[3], c[4], c[5]);
    *w = m3_apply(g, b->invJ, *w);
}

/* J = C M^-1 C^T, row-major; entries above and below the diagonal the same */
static void
gram(struct mech *k, struct mblock *o)
{
    struct graph *g = k->g;
    uint32_t n = o->n_row, nv = k->d == 2 ? 3 : 6;
    o->J = NEW_N(k->arena, const expr *, (size_t)n *n + 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i; j < n; j++) {
            const expr *s = sc_zero(g);
            for (uint32_t b = 0; b < o->n; b++) {
                const expr *const *c = o->C + ((size_t)i * o->n + b) * nv;
                vec3 v, w, cw;
                response(k, o, j, b, &v, &w);
                cw = k->d == 2 ? v3(sc_zero(g), sc_zero(g), c[2])
                               : v3(c[3], c[4], c[5]);
                for (uint32_t x = 0; x < k->d; x++)
                    s = sc_add(g, s, sc_mul(g, c[x], v.v[x]));
                s = sc_add(g, s, v3_dot(g, cw, w));
            }
            o->J[i * n + j] = o->J[j * n + i] = s;
        }
}

/* accelerations of the bodies of o with the multipliers */
static void
reactions(struct mech *k, struct mblock *o)
{
    struct graph *g = k->g;
    for (uint32_t j = 0; j < o->n; j++) {
        struct mbody *b = k->bodies + o->bodies[j];
        for (uint32_t i = 0; i < o->n_row; i++) {
            const expr *l = ex_sym(g, SYM_UNKNOWN, i, 0);
            vec3 v, w;
            response(k, o, i, j, &v, &w);
            b->acc = v3_add(g, b->acc, v3_scale(g, l, v));
            b->alpha = v3_add(g, b->alpha, v3_scale(g, l, w));
        }
    }
}

static bool
too_many(struct mech *k, const struct mblock *o)
{
    if (o->n_row <= IMP_UNKNOWN_MAX)
        return false;
    const struct tm_body *b = k->bodies[o->bodies[0]].tm;
    struct diag *d =
        diag_add(k->ds, DIAG_E0545, b->range,
                 "the joints of the bodies connected with `%s` are %u "
                 "conditions; at most %d are followed together",
                 b->name, o->n_row, IMP_UNKNOWN_MAX);
    diag_help(k->ds, d,
              "take joints that leave more free, or separate the mechanism "
              "where it is held by a fixed body");
    return true;
}

bool
joint_rates(struct mech *k, uint32_t block)
{
    struct mblock *o = k->blocks + block;
    o->n_row = block_rows(k, block, NULL);
    if (o->n_row == 0)
        return true;
    if (too_many(k, o))
        return false;
    struct row *rows = NEW_N(k->arena, struct row, o->n_row);
    block_rows(k, block, rows);
    gradients(k, o, rows);
    gram(k, o);
    reactions(k, o);
    block_rows(k, block, rows); /* now with the multipliers in phi'' */
    o->phi = NEW_N(k->arena, const expr *, o->n_row);
    o->dphi = NEW_N(k->arena, const expr *, o->n_row);
    o->ddphi = NEW_N(k->arena, const expr *, o->n_row);
    for (uint32_t i = 0; i < o->n_row; i++) {
        o->phi[i] = rows[i].phi;
        o->dphi[i] = rows[i].dphi;
        o->ddphi[i] = rows[i].ddphi;
    }
    return true;
}

void
joint_conditions(struct mech *k, uint32_t block, const expr **out)
{
    struct row *rows = NEW_N(k->arena, struct row, k->blocks[block].n_row + 1);
    block_rows(k, block, rows);
    for (uint32_t i = 0; i < k->blocks[block].n_row; i++)
        out[i] = rows[i].ddphi;
}

/* -- the tapes that the runtime holds joints with ---------------------------
 */

static uint32_t
named_tape(struct mech *k, const struct mblock *o, const char *what,
           uint32_t n_local, const expr *const *out, size_t n)
{
    const char *body = k->bodies[o->bodies[0]].tm->name;
    return mech_eval_tape(k, arena_printf(k->arena, "%s.%s", body, what),
                          n_local, out, n);
}

void
joint_tapes(struct mech *k, struct mblock *o)
{
    struct graph *g = k->g;
    uint32_t n = o->n_row, nv = k->d == 2 ? 3 : 6;
    o->out.solve = o->out.hold = o->out.push = IMP_NO_TAPE;
    o->out.n_unknown = n;
    if (n == 0)
        return;
    graph_origin(g, k->bodies[o->bodies[0]].tm->range);
    size_t most = (size_t)n * (n + 1) + 2 * (size_t)n + (size_t)o->n * nv;
    const expr **out = NEW_N(k->arena, const expr *, most);
    for (uint32_t i = 0; i < n; i++)
        out[i] = o->ddphi[i];
    for (uint32_t i = 0; i < n * n; i++)
        out[n + i] = o->J[i];
    o->out.solve = named_tape(k, o, "solve", n, out, (size_t)n * (n + 1));

    for (uint32_t i = 0; i < n; i++) {
        const expr *e = o->phi[i] ? o->phi[i] : sc_zero(g);
        for (uint32_t c = 0; o->phi[i] && c < o->n * nv; c++)
            e = sc_add(g, e,
                       sc_mul(g, o->C[(size_t)i * o->n * nv + c],
                              ex_sym(g, SYM_LOCAL, c, 0)));
        out[i] = e;
        out[n + i] = o->dphi[i];
    }
    o->out.hold = named_tape(k, o, "hold", o->n * nv, out, 2 * (size_t)n);

    for (uint32_t j = 0; j < o->n; j++) {
        vec3 dv = v3_zero(g), dw = v3_zero(g);
        for (uint32_t i = 0; i < n; i++) {
            const expr *l = ex_sym(g, SYM_UNKNOWN, i, 0);
            vec3 v, w;
            response(k, o, i, j, &v, &w);
            dv = v3_add(g, dv, v3_scale(g, l, v));
            dw = v3_add(g, dw, v3_scale(g, l, w));
        }
        const expr **to = out + (size_t)j * nv;
        for (uint32_t x = 0; x < k->d; x++)
            to[x] = dv.v[x];
        for (uint32_t x = k->d == 2 ? 2 : 0; x < 3; x++)
            to[nv - 3 + x] = dw.v[x];
    }
    o->out.push = named_tape(k, o, "push", n, out, (size_t)o->n * nv);
}

void
joint_couple(struct mech *k,
             void (*together)(void *ctx, uint32_t a, uint32_t b), void *ctx)
{
    for (size_t i = 0; i < k->m->n_joints; i++) {
        const uint32_t *b = k->m->joints[i].body;
        if (moves(k, b[0]) && moves(k, b[1]))
            together(ctx, b[0], b[1]);
    }
}
