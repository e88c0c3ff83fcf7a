/* SPDX-License-Identifier: MIT */
/* The factored way to G: rows of joints and contacts, their Gram matrix, its
 * Cholesky factors and what the joints leave of the contacts. See impact.h.
 *
 * Rows are taken in blocks: a joint is a block of up to six, all contacts
 * together are the last. A block is eliminated as a panel: line k holds column
 * k of the factor for all its rows side by side (`lanes`), from the first joint
 * that it is coupled with. Each line is then a sum over earlier lines, the same
 * few operations for every lane. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/vec3.h"

#define SIX 6 /* lanes of a panel */

/* Six numbers side by side: a reaction on a body, or a line of a panel. They go
 * through the same operations, in the same order, as one number after the other
 * would. */
typedef double pair __attribute__((vector_size(16)));
struct six {
    pair a, b, c;
};

static inline pair
get2(const double *x)
{
    pair p;
    memcpy(&p, x, sizeof p);
    return p;
}

static inline struct six
get(const double *x)
{
    return (struct six){get2(x), get2(x + 2), get2(x + 4)};
}

static inline void
put(double *x, struct six s)
{
    memcpy(x, &s.a, sizeof s.a);
    memcpy(x + 2, &s.b, sizeof s.b);
    memcpy(x + 4, &s.c, sizeof s.c);
}

static inline struct six
add(struct six y, double l, struct six x)
{
    pair k = {l, l};
    return (struct six){y.a + k * x.a, y.b + k * x.b, y.c + k * x.c};
}

static inline struct six
scale(struct six x, double l)
{
    pair k = {l, l};
    return (struct six){k * x.a, k * x.b, k * x.c};
}

void
delassus_factor_new(struct impact_work *work, size_t nb, size_t nc, size_t nj)
{
    assert(work);
    struct impact_joint_factors *joints = &work->joint;
    size_t nr = 6 * nj, ldw = (nc + SIX - 1) / SIX * SIX;
    struct arena *arena = work->arena;
    joints->ldw = (int)ldw;
    joints->first_of = NEW_N(arena, int, 2 * nj + 1);
    joints->start = joints->first_of + nj + 1;
    joints->at = NEW_N(arena, size_t, nj + 1);
    joints->panel = NEW_N(arena, double, SIX *nr *(nj + 1) / 2 + SIX * nr + 1);
    joints->rd = NEW_N(arena, double, 2 * nr + nc + 1);
    joints->ref = joints->rd + nr;
    joints->W = NEW_N(arena, double, (nr + 1) * ldw + 1);
    joints->place = NEW_N(arena, int, 2 * nc + 1);
    joints->link = NEW_N(arena, int, 2 * (nj > nc ? nj : nc) + 1);
    joints->head = NEW_N(arena, int, 2 * nb + 1);
    joints->mass_root = NEW_N(arena, double, nb + 1);
}

static inline double
dot6(const double *a, const double *b)
{
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) +
           (a[4] * b[4] + a[5] * b[5]);
}

/* Writes the six numbers of the reaction [force; moment about r from the mass
 * centre] on a body. g is the root of the inverse mass, with the sign. */
static inline void
six_of(const struct impact_body *b, double g, double sign, const double f[3],
       const double t[3], const double r[3], double out[6])
{
    double moment[3] = {t[0], t[1], t[2]};
    vec3_add_scaled_cross(1.0, r, f, moment);
    for (int i = 0; i < 3; i++) {
        out[i] = g * f[i];
        out[3 + i] =
            sign * (b->root[i] * moment[0] + b->root[3 + i] * moment[1] +
                    b->root[6 + i] * moment[2]);
    }
}

/* Writes one side of n_rows rows. `screws` holds force and moment about `at`.
 */
static void
build_side(struct impact_solver *solver, int n_rows, struct impact_row *row,
           int side, uint32_t body, double sign, const double *screws,
           const double at[3])
{
    const struct impact_body *problem_body = &solver->in.body[body];
    if (body == IMP_WORLD || !(problem_body->invmass > 0)) {
        for (int i = 0; i < n_rows; i++)
            row[i].body[side] = IMP_WORLD;
        return;
    }
    double r[3], g = sign * solver->w->joint.mass_root[body];
    for (int i = 0; i < 3; i++)
        r[i] = at[i] - problem_body->centre[i];
    for (int i = 0; i < n_rows; i++) {
        row[i].body[side] = body;
        six_of(problem_body, g, sign, screws + 6 * i, screws + 6 * i + 3, r,
               row[i].b[side]);
    }
}

static void
build_rows(struct impact_solver *solver)
{
    const struct impact_problem *in = &solver->in;
    struct impact_work *work = solver->w;
    struct impact_row *row = work->row;
    for (uint32_t b = 0; b < in->n_body; b++)
        work->joint.mass_root[b] = sqrt(in->body[b].invmass);
    for (uint32_t j = 0; j < in->n_joint; j++) {
        const struct impact_joint *k = &in->joint[j];
        work->joint.first_of[j] = (int)(row - work->row);
        for (int s = 0; s < 2; s++)
            build_side(solver, k->n, row, s, k->body[s], s ? -1 : 1, k->S[0],
                       k->at);
        row += k->n;
    }
    solver->nr = work->joint.first_of[in->n_joint] = (int)(row - work->row);
    for (uint32_t c = 0; c < in->n_contact; c++, row++) {
        const struct impact_contact *k = &in->contact[c];
        double n = solver->approach.length[c] = vec3_norm(k->dir);
        double u[6] = {k->dir[0] / n, k->dir[1] / n, k->dir[2] / n};
        for (int s = 0; s < 2; s++)
            build_side(solver, 1, row, s, k->body[s], s ? 1 : -1, u,
                       s ? k->q : k->p);
    }
    solver->nc = (int)in->n_contact;
}

/* -- panels ----------------------------------------------------------------
 */

/* Computes T := L^-1 T for lines of rows, from joint `from` to joint `to`.
 * Lines are ld numbers apart; `f` is the first row of joint `from`. */
static void
forward(const struct impact_work *work, int from, int to, double *T, int ld)
{
    const struct impact_joint_factors *joints = &work->joint;
    int f = joints->first_of[from];
    for (int j = from; j < to; j++) {
        int s = joints->start[j], m0 = s > f ? s : f, r0 = joints->first_of[j];
        const double *p = joints->panel + joints->at[j] + SIX * (m0 - s) - r0;
        double *t = T + (r0 - f) * ld;
        for (int k = r0; k < joints->first_of[j + 1]; k++, t += ld) {
            const double *l = p + k, *u = T + (m0 - f) * ld;
            struct six y = get(t);
            for (; u < t; u += ld, l += SIX)
                y = add(y, -*l, get(u));
            put(t, scale(y, joints->rd[k]));
        }
    }
}

/* Computes the products of the joint's rows with the rows of all joints from
 * `start[joint]` to itself. */
static void
gram_of_joint(struct impact_solver *solver, int joint, double *products)
{
    static const double none[6] = {0};
    const struct impact_work *work = solver->w;
    const struct impact_joint_factors *joints = &work->joint;
    int r0 = joints->first_of[joint], n_rows = joints->first_of[joint + 1] - r0,
        first_row = joints->start[joint];
    memset(products, 0,
           sizeof *products * SIX * (size_t)(r0 + n_rows - first_row));
    for (int side = 0; side < 2 && n_rows; side++) {
        uint32_t body = work->row[r0].body[side];
        const double *x[SIX];
        struct six component[6];
        if (body == IMP_WORLD)
            continue;
        for (int i = 0; i < SIX; i++)
            x[i] = i < n_rows ? work->row[r0 + i].b[side] : none;
        for (int c = 0; c < 6; c++)
            component[c] = (struct six){
                {x[0][c], x[1][c]}, {x[2][c], x[3][c]}, {x[4][c], x[5][c]}};
        for (int e = joints->head[body]; e >= 0; e = joints->link[e]) {
            int first = joints->first_of[e >> 1],
                last = joints->first_of[(e >> 1) + 1];
            for (int k = first; k < last; k++) {
                const double *l = work->row[k].b[e & 1];
                double *t = products + SIX * (k - first_row);
                struct six y = get(t);
                y = add(add(y, l[0], component[0]), l[1], component[1]);
                y = add(add(y, l[2], component[2]), l[3], component[3]);
                put(t, add(add(y, l[4], component[4]), l[5], component[5]));
            }
        }
    }
}

/* Makes the Cholesky factors of the joints' part, as dense_cholesky does.
 * Returns the smallest ratio of a kept pivot to its row's size; pivots at or
 * under tol are dropped. */
static double
factor_joints(struct impact_solver *solver, double tol)
{
    struct impact_work *work = solver->w;
    struct impact_joint_factors *joints = &work->joint;
    double worst = 1;
    size_t room = 0;
    solver->delassus.joint_rank = 0;
    for (uint32_t b = 0; b < solver->in.n_body; b++)
        joints->head[b] = -1;
    for (int joint = 0; joint < (int)solver->in.n_joint; joint++) {
        int r0 = joints->first_of[joint],
            n_rows = joints->first_of[joint + 1] - r0, from = joint;
        for (int s = 0; s < 2 && n_rows; s++) {
            uint32_t body = work->row[r0].body[s];
            int *oldest = joints->head + solver->in.n_body + body;
            if (body == IMP_WORLD)
                continue;
            if (joints->head[body] < 0)
                *oldest = joint;
            joints->link[2 * joint + s] = joints->head[body];
            joints->head[body] = 2 * joint + s;
            from = *oldest < from ? *oldest : from;
        }
        int first_row = joints->start[joint] = joints->first_of[from];
        double *products = joints->panel + room,
               *square = products + SIX * (r0 - first_row);
        joints->at[joint] = room;
        room += SIX * (size_t)(r0 + n_rows - first_row);
        gram_of_joint(solver, joint, products);
        for (int i = 0; i < n_rows; i++)
            joints->ref[r0 + i] = square[SIX * i + i];
        forward(work, from, joint, products, SIX);
        for (int k = 0; k < n_rows; k++) {
            const double *t = products;
            struct six y = get(square + SIX * k);
            for (; t < square + SIX * k; t += SIX)
                y = add(y, -t[k], get(t));
            put(square + SIX * k, y);
            double d = square[SIX * k + k], ref = joints->ref[r0 + k];
            bool kept = d > tol * ref;
            joints->rd[r0 + k] = kept ? 1 / sqrt(d) : 0;
            put(square + SIX * k, scale(y, joints->rd[r0 + k]));
            if (kept) {
                worst = d < worst * ref ? d / ref : worst;
                solver->delassus.joint_rank++;
            }
        }
    }
    return worst;
}

/* -- contacts --------------------------------------------------------------
 */

/* Orders the contacts by the first joint that they feel (`place`: the contact
 * at each place), so that the contacts which a joint concerns come first.
 * first[] by place: that joint. */
static void
order_contacts(struct impact_solver *solver, int *first)
{
    struct impact_work *work = solver->w;
    int nc = solver->nc, nj = (int)solver->in.n_joint,
        *place = work->joint.place;
    for (int contact = 0; contact < nc; contact++) {
        const struct impact_row *r = &work->row[solver->nr + contact];
        int f = nj, at = contact;
        for (int s = 0; s < 2; s++)
            if (r->body[s] != IMP_WORLD && work->joint.head[r->body[s]] >= 0) {
                int o = work->joint.head[solver->in.n_body + r->body[s]];
                f = o < f ? o : f;
            }
        for (; at > 0 && first[at - 1] > f; at--) {
            first[at] = first[at - 1];
            place[at] = place[at - 1];
        }
        first[at] = f;
        place[at] = contact;
    }
}

/* Writes the products of the contacts' rows with those of joints into W, by
 * place. */
static void
gram_of_contacts(struct impact_solver *solver)
{
    struct impact_work *work = solver->w;
    struct impact_joint_factors *joints = &work->joint;
    memset(joints->W, 0,
           sizeof *joints->W * (size_t)solver->nr * (size_t)joints->ldw);
    for (int p = 0; p < solver->nc; p++) {
        const struct impact_row *r = &work->row[solver->nr + joints->place[p]];
        for (int s = 0; s < 2; s++) {
            if (r->body[s] == IMP_WORLD)
                continue;
            for (int e = joints->head[r->body[s]]; e >= 0;
                 e = joints->link[e]) {
                int last = joints->first_of[(e >> 1) + 1];
                for (int k = joints->first_of[e >> 1]; k < last; k++)
                    joints->W[k * joints->ldw + p] +=
                        dot6(r->b[s], work->row[k].b[e & 1]);
            }
        }
    }
}

/* Writes the products of the contacts' rows among themselves: the lower
 * triangle of G without joints. */
static void
gram_of_free(struct impact_solver *solver)
{
    struct impact_work *work = solver->w;
    struct impact_joint_factors *joints = &work->joint;
    memset(solver->delassus.G, 0,
           sizeof *solver->delassus.G * (size_t)solver->nc *
               (size_t)solver->nc);
    for (uint32_t b = 0; b < solver->in.n_body; b++)
        joints->head[b] = -1;
    for (int contact = 0; contact < solver->nc; contact++) {
        const struct impact_row *row = &work->row[solver->nr + contact];
        double *products = solver->delassus.G + contact * solver->nc;
        for (int s = 0; s < 2; s++)
            if (row->body[s] != IMP_WORLD) {
                joints->link[2 * contact + s] = joints->head[row->body[s]];
                joints->head[row->body[s]] = 2 * contact + s;
            }
        for (int s = 0; s < 2; s++)
            if (row->body[s] != IMP_WORLD)
                for (int e = joints->head[row->body[s]]; e >= 0;
                     e = joints->link[e])
                    products[e >> 1] += dot6(
                        row->b[s], work->row[solver->nr + (e >> 1)].b[e & 1]);
        joints->ref[solver->nr + contact] = products[contact];
    }
}

/* Subtracts W^T W from G, for the three contacts from row_place on and six
 * contacts from column_place on. */
static void
reduce_tile(struct impact_solver *solver, int row_place, int column_place,
            int from)
{
    const struct impact_work *work = solver->w;
    const struct impact_joint_factors *joints = &work->joint;
    const double *x = joints->W + from * joints->ldw,
                 *end = joints->W + solver->nr * joints->ldw;
    struct six s0 = {{0}, {0}, {0}}, s1 = s0, s2 = s0;
    double sum[3][SIX];
    for (; x < end; x += joints->ldw) {
        struct six y = get(x + column_place);
        s0 = add(s0, x[row_place], y);
        s1 = add(s1, x[row_place + 1], y);
        s2 = add(s2, x[row_place + 2], y);
    }
    put(sum[0], s0);
    put(sum[1], s1);
    put(sum[2], s2);
    for (int i = 0; i < 3 && row_place + i < solver->nc; i++)
        for (int k = 0; k < SIX && column_place + k <= row_place + i; k++) {
            int c = joints->place[row_place + i],
                d = joints->place[column_place + k];
            solver->delassus
                .G[c > d ? c * solver->nc + d : d * solver->nc + c] -=
                sum[i][k];
        }
}

/* Computes G = A_cc - W^T W, where W = L^-1 A_jc. */
static void
reduce_contacts(struct impact_solver *solver)
{
    struct impact_work *work = solver->w;
    int nc = solver->nc, nj = (int)solver->in.n_joint,
        *first = work->joint.place + nc;
    order_contacts(solver, first);
    gram_of_contacts(solver);
    gram_of_free(solver);
    for (int p = 0; p < nc && first[p] < nj; p += SIX) {
        int f = work->joint.first_of[first[p]];
        forward(work, first[p], nj, work->joint.W + f * work->joint.ldw + p,
                work->joint.ldw);
        for (int i = p; i < p + SIX && i < nc; i += 3)
            for (int q = 0; q <= p; q += SIX)
                reduce_tile(solver, i, q, work->joint.first_of[first[i]]);
    }
    for (int c = 0; c < nc; c++) {
        int ff = c;
        for (int d = c; d >= 0; d--) {
            double x = solver->delassus.G[d * nc + c] =
                solver->delassus.G[c * nc + d];
            if (x != 0)
                ff = d;
        }
        work->contact.Ffirst[c] = ff;
    }
}

/* Makes G, sizes and lengths of a problem of rows. */
static void
products_of_rows(struct impact_solver *solver)
{
    const struct impact_problem *in = &solver->in;
    assert(in->n_body == 0 && in->n_joint == 0);
    int nc = solver->nc = (int)in->n_contact, length = (int)in->row_length;
    solver->nr = solver->delassus.joint_rank = 0;
    for (int i = 0; i < nc; i++) {
        const double *row = in->row + (size_t)i * in->row_length;
        for (int j = 0; j <= i; j++)
            solver->delassus.G[i * nc + j] = solver->delassus.G[j * nc + i] =
                dense_dot(length, row, in->row + (size_t)j * in->row_length);
        solver->w->joint.ref[i] = solver->delassus.G[i * (nc + 1)];
        solver->w->contact.Ffirst[i] = 0;
        solver->approach.length[i] = vec3_norm(in->contact[i].dir);
    }
}

double
delassus_factor(struct impact_solver *solver, double tol)
{
    assert(solver != NULL && tol >= 0.0);
    if (solver->in.row) {
        products_of_rows(solver);
        return 1;
    }
    build_rows(solver);
    double worst = factor_joints(solver, tol);
    reduce_contacts(solver);
    return worst;
}

/* Solves L^T xi = -W P. */
void
impact_joint_impulses(struct impact_solver *solver, const double *P, double *xi)
{
    assert(solver);
    const struct impact_work *work = solver->w;
    const struct impact_joint_factors *joints = &work->joint;
    double x[IMPACT_CONTACTS_MAX];
    for (int p = 0; p < solver->nc; p++)
        x[p] = P[joints->place[p]];
    /* Contacts at place p and behind it do not feel joint j. */
    const int *first = joints->place + solver->nc;
    for (int j = 0, p = 0; j < (int)solver->in.n_joint; j++) {
        while (p < solver->nc && first[p] <= j)
            p++;
        for (int k = joints->first_of[j]; k < joints->first_of[j + 1]; k++)
            xi[k] = -dense_dot(p, joints->W + k * joints->ldw, x);
    }
    for (int j = (int)solver->in.n_joint - 1; j >= 0; j--) {
        int r0 = joints->first_of[j], n = joints->first_of[j + 1] - r0,
            begin = joints->start[j];
        const double *panel = joints->panel + joints->at[j];
        double y[SIX] = {0};
        for (int i = n - 1; i >= 0; i--) {
            const double *s = panel + SIX * (r0 - begin + i);
            double sum = xi[r0 + i];
            for (int k = i + 1; k < n; k++)
                sum -= s[k] * y[k];
            xi[r0 + i] = y[i] = sum * joints->rd[r0 + i];
        }
        for (int k = begin; k < r0; k++, panel += SIX)
            xi[k] -= dot6(panel, y);
    }
}
