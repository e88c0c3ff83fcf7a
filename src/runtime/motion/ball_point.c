/* SPDX-License-Identifier: MIT */
/* Points where two smooth bodies touch: by the tape of their contact, or, where
 * discs and spheres touch each other or a fixed plane, written down. There the
 * normal is the line of the centres, or that of the plane, and no closest
 * points are searched for. At the end: how long the series of other surfaces
 * hold. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/support.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/polynomial.h"

struct ball_side {
    bool moves;
    double radius;                      /* 0: a plane */
    double centre[3], normal[3], level; /* plane: normal . x = level on it */
    struct taylor x[3], turn[2];        /* centre; in the plane: cosine, sine */
};

/* Reads a row of the body's pose. */
static void
pose_row(const struct rt *run, const imp_body *body, uint32_t i, int order,
         struct taylor *out)
{
    const double *work = run->rows.block[body->block];
    memcpy(out->c, work + (size_t)body->pose[i] * IMP_ROW_STRIDE + IMP_ROW_PAD,
           sizeof(double) * (size_t)(order + 1));
}

/* Shapes are those of the set-up: a radius is asked for once. */
static double
radius_of(struct rt *run, uint32_t body)
{
    struct motion_plan *plan = run->motion;
    uint32_t n = run->im->bodies.n;
    if (!plan->radius)
        plan->radius = NEW_N(run->own, double, n);
    if (plan->radius_of != run->start.version) {
        for (uint32_t i = 0; i < n; i++)
            plan->radius[i] = NAN;
        plan->radius_of = run->start.version;
    }
    if (isnan(plan->radius[body]))
        plan->radius[body] = support_ball_radius(run, body);
    return plan->radius[body];
}

/* A body that rests for ever. False: it is no ball and no plane. */
static bool
fixed_side(struct rt *run, uint32_t index, int order, struct ball_side *side)
{
    const imp_body *body = rt_body(run, index);
    struct support_body support;
    struct support_point point;
    if (!(body->flags & IMP_BODYF_FIXED) || !(body->flags & IMP_BODYF_SHAPE) ||
        body->flags & (IMP_BODYF_PRESCRIBED | IMP_BODYF_GTIME))
        return false;
    support_body_get(run, index, &support);
    memcpy(side->centre, support.c, sizeof side->centre);
    for (uint32_t i = 0; i < run->im->dim; i++)
        taylor_const(order, support.c[i], &side->x[i]);
    if (!(body->flags & IMP_BODYF_FLAT)) {
        side->radius = radius_of(run, index);
        return side->radius > 0.0;
    }
    double x[3] = {support.centre[0], support.centre[1], support.centre[2]};
    if (support_level(&support, x, &point) != SUPPORT_FINE ||
        !(point.norm > 0.0))
        return false;
    support_rotate(&support, point.g, side->normal);
    side->level = -point.G / point.norm;
    for (uint32_t i = 0; i < run->im->dim; i++) {
        side->normal[i] /= point.norm;
        side->level += side->normal[i] * support.c[i];
    }
    return true;
}

static bool
side_of(struct rt *run, uint32_t index, int order, struct ball_side *side)
{
    uint32_t dim = run->im->dim;
    side->moves = contact_point_body_moves(run, index);
    side->radius = 0.0;
    if (index == IMP_WORLD)
        return false;
    if (!side->moves)
        return fixed_side(run, index, order, side);
    const imp_body *body = rt_body(run, index);
    side->radius = radius_of(run, index);
    for (uint32_t i = 0; i < dim && side->radius > 0.0; i++)
        pose_row(run, body, i, order, &side->x[i]);
    return side->radius > 0.0;
}

/* The gap, and the normal from body 0 to body 1. False: the centres meet. */
static bool
gap_of(int dim, int order, const struct ball_side side[2],
       const struct taylor apart[3], struct taylor *gap,
       struct taylor normal[3])
{
    int plane = side[0].radius == 0.0 ? 0 : side[1].radius == 0.0 ? 1 : -1;
    struct taylor square, length, term;
    if (plane >= 0) {
        const struct ball_side *ball = &side[1 - plane], *flat = &side[plane];
        taylor_const(order, -flat->level - ball->radius, gap);
        for (int i = 0; i < dim; i++) {
            taylor_const(order, plane == 0 ? flat->normal[i] : -flat->normal[i],
                         &normal[i]);
            taylor_scale(order, flat->normal[i], &ball->x[i], &term);
            taylor_add(order, gap, &term, gap);
        }
        return true;
    }
    taylor_const(order, 0.0, &square);
    for (int i = 0; i < dim; i++) {
        taylor_mul(order, &apart[i], &apart[i], &term);
        taylor_add(order, &square, &term, &square);
    }
    if (!(square.c[0] > 0.0))
        return false;
    taylor_sqrt(order, &square, &length);
    for (int i = 0; i < dim; i++)
        taylor_div(order, &apart[i], &length, &normal[i]);
    *gap = length;
    gap->c[0] -= side[0].radius + side[1].radius;
    return true;
}

/* Both bodies, the gap, and the normal from body 0 to body 1. False: not two
 * balls, nor a ball and a plane that rests. */
static bool
ball_gap(struct rt *run, const imp_contact *contact, int order,
         struct ball_side side[2], struct taylor *gap, struct taylor normal[3])
{
    int dim = (int)run->im->dim;
    struct taylor apart[3];
    if (contact->flags & IMP_CONTACTF_STATED)
        return false;
    for (int s = 0; s < 2; s++)
        if (!side_of(run, contact->body[s], order, &side[s]))
            return false;
    for (int i = 0; i < dim; i++)
        taylor_sub(order, &side[1].x[i], &side[0].x[i], &apart[i]);
    return gap_of(dim, order, side, apart, gap, normal);
}

/* The row of two balls, or of a ball and a plane, whose coefficients below
 * `from` stand: those from there on alone, by the same arithmetic. */
static void
ball_row_on(struct rt *run, struct persistent_row *row, int from, int order)
{
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    int dim = (int)run->im->dim, ball = 0;
    struct taylor x[2][3], apart[3], normal, square, length, term;
    bool moves[2], flat = false;
    for (int s = 0; s < 2; s++) {
        const imp_body *body = rt_body(run, contact->body[s]);
        moves[s] = contact_point_body_moves(run, contact->body[s]);
        if (moves[s])
            ball = s;
        flat = flat || (!moves[s] && body->flags & IMP_BODYF_FLAT);
        for (int i = 0; i < dim; i++)
            if (moves[s])
                pose_row(run, body, (uint32_t)i, order, &x[s][i]);
            else
                taylor_const(order, run->env[body->env_state + (uint32_t)i],
                             &x[s][i]);
    }
    for (int k = from; k <= order; k++)
        for (int i = 0; i < 12; i++)
            row->open[i / 6][i % 6].c[k] = 0.0;
    if (flat) {
        taylor_const_from(from, order, 0.0, &row->gap);
        for (int i = 0; i < dim; i++) {
            taylor_scale_from(from, order, row->open[ball][i].c[0], &x[ball][i],
                              &term);
            taylor_add_from(from, order, &row->gap, &term, &row->gap);
        }
        return;
    }
    square.c[0] = 0.0;
    taylor_const_from(from, order, 0.0, &square);
    for (int i = 0; i < dim; i++) {
        taylor_sub(order, &x[1][i], &x[0][i], &apart[i]);
        taylor_mul_from(0, 0, &apart[i], &apart[i], &term);
        taylor_mul_from(from, order, &apart[i], &apart[i], &term);
        square.c[0] += term.c[0];
        taylor_add_from(from, order, &square, &term, &square);
    }
    /* the gap is the length less the radii, which are no part of its rates */
    length = row->gap;
    length.c[0] = sqrt(square.c[0]);
    taylor_sqrt_from(from, order, &square, &length);
    memcpy(row->gap.c + from, length.c + from,
           sizeof(double) * (size_t)(order + 1 - from));
    for (int i = 0; i < dim; i++) {
        taylor_scale(from - 1, ball ? 1.0 : -1.0, &row->open[ball][i], &normal);
        taylor_div_from(from, order, &apart[i], &length, &normal);
        for (int s = 0; s < 2; s++)
            if (moves[s])
                taylor_scale_from(from, order, s ? 1.0 : -1.0, &normal,
                                  &row->open[s][i]);
    }
}

/* The row of a body's angle among those of its block: IMP_NO_ROW if it has none
 * of its own. */
static uint32_t
angle_row(const struct rt *run, const imp_body *body)
{
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + body->block;
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t),
                   *rows = IMP_ARRAY(run->im, block->rows, uint32_t);
    for (uint32_t i = 0; i < block->state.n; i++)
        if (state[i] == body->env_state + 2)
            return rows[i];
    return IMP_NO_ROW;
}

/* Have all bodies of the contact that move such a row? */
static bool
angles_known(const struct rt *run, const imp_contact *contact)
{
    for (int s = 0; s < 2; s++)
        if (contact_point_body_moves(run, contact->body[s]) &&
            angle_row(run, rt_body(run, contact->body[s])) == IMP_NO_ROW)
            return false;
    return true;
}

/* Sets coefficients [from, order) of the rate of a place, and the last one,
 * which would need the next one of the place, to 0. */
static void
rate_of(int from, int order, const double *place, struct taylor *rate)
{
    for (int k = from; k < order; k++)
        rate->c[k] = (k + 1.0) * place[k + 1];
    rate->c[order] = 0.0;
}

/* Friction of two balls, or of a ball and a plane that rests, in the plane.
 * With the normal n from body 0 to body 1 and the tangent t = (n1, -n0), the
 * point where they touch lies r0 n off centre 0 and -r1 n off centre 1:
 *     slip = t . (c1' - c0') + r1 w1 + r0 w0
 * A coefficient of a rate follows from the next one of a place. */
static int
ball_friction(struct rt *run, struct persistent_row *row, int from, int order)
{
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    struct persistent_friction *friction = row->friction;
    int first = from - (from > 0);
    struct taylor rate, term, *slip = &friction->slip;
    taylor_const_from(first, order, 0.0, slip);
    for (int s = 0; s < 2; s++) {
        if (!contact_point_body_moves(run, contact->body[s]))
            continue;
        const imp_body *body = rt_body(run, contact->body[s]);
        const double *work = run->rows.block[body->block] + IMP_ROW_PAD;
        double radius = radius_of(run, contact->body[s]);
        taylor_const_from(from, order, s ? -radius : radius,
                          &friction->reach[s]);
        for (size_t i = 0; i < 2; i++) {
            /* row->open is the normal of body 1, minus the normal of body 0:
             * with it the sides differ by no sign */
            rate_of(0, order, work + (size_t)body->pose[i] * IMP_ROW_STRIDE,
                    &rate);
            taylor_mul_from(first, order, &row->open[s][1 - i], &rate, &term);
            if (i == 0)
                taylor_add_from(first, order, slip, &term, slip);
            else
                taylor_sub_from(first, order, slip, &term, slip);
        }
        rate_of(first, order,
                work + (size_t)angle_row(run, body) * IMP_ROW_STRIDE, &rate);
        taylor_scale_from(first, order, radius, &rate, &rate);
        taylor_add_from(first, order, slip, &rate, slip);
    }
    return persistent_friction_rows(run, row, from, order);
}

static bool
ball_row(struct rt *run, struct persistent_row *row, int from, int order)
{
    assert(row != NULL && order >= 0);
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    int dim = (int)run->im->dim;
    struct ball_side side[2];
    struct taylor normal[3];
    if (from > 0 && row->balls) {
        ball_row_on(run, row, from, order);
        return true;
    }
    row->balls = (!row->friction ||
                  (run->im->dim == 2 && contact->press == IMP_NO_TAPE &&
                   angles_known(run, contact))) &&
                 ball_gap(run, contact, order, side, &row->gap, normal);
    if (!row->balls)
        return false;
    for (int i = 0; i < 12; i++)
        taylor_const(order, 0.0, &row->open[i / 6][i % 6]);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < dim && side[s].moves; i++)
            taylor_scale(order, s ? 1.0 : -1.0, &normal[i], &row->open[s][i]);
    return true;
}

bool
contact_point_balls(const struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    const imp_contact *of = rt_contact(run, contact);
    bool are = of->system == IMP_NO_SYSTEM &&
               !(of->flags & (IMP_CONTACTF_STATED | IMP_CONTACTF_CORNERS));
    for (int s = 0; s < 2 && are; s++) {
        uint32_t flags =
            of->body[s] == IMP_WORLD ? 0 : rt_body(run, of->body[s])->flags;
        are = flags & IMP_BODYF_BALL ||
              (flags & IMP_BODYF_FIXED && flags & IMP_BODYF_FLAT);
    }
    return are;
}

bool
contact_point_balls_gap(struct rt *run, uint32_t contact, int order,
                        double *gap)
{
    assert(gap != NULL && order >= 0);
    struct ball_side side[2];
    struct taylor series, normal[3];
    if (!contact_point_balls(run, contact) ||
        !ball_gap(run, rt_contact(run, contact), order, side, &series, normal))
        return false;
    memcpy(gap, series.c, sizeof *gap * (size_t)(order + 1));
    return true;
}

bool
contact_point_balls_now(struct rt *run, uint32_t contact, double *gap)
{
    assert(gap != NULL);
    if (!contact_point_balls(run, contact))
        return false;
    const uint32_t *body = rt_contact(run, contact)->body;
    struct ball_side side[2];
    const double *x[2];
    double sum = 0.0;
    int plane = -1;
    for (int s = 0; s < 2; s++) {
        bool moves = contact_point_body_moves(run, body[s]);
        x[s] = run->env + rt_body(run, body[s])->env_state;
        side[s].radius = 0.0;
        if (moves)
            side[s].radius = radius_of(run, body[s]);
        else if (!fixed_side(run, body[s], 0, &side[s]))
            return false;
        if (side[s].radius > 0.0)
            continue;
        if (moves || plane >= 0)
            return false;
        plane = s;
    }
    for (uint32_t i = 0; i < run->im->dim; i++) {
        double apart = x[1][i] - x[0][i];
        sum +=
            plane < 0 ? apart * apart : side[plane].normal[i] * x[1 - plane][i];
    }
    *gap = plane < 0 ? sqrt(sum) - side[0].radius - side[1].radius
                     : sum - side[plane].level - side[1 - plane].radius;
    return true;
}

/* so many times what takes part in an impact is apart, whatever the rounding */
#define FAR_WIDER 4.0

bool
contact_point_balls_apart(struct rt *run, uint32_t contact, double reach)
{
    double gap;
    return (persistent_any(run) || reach > 0.0) &&
           contact_point_balls_now(run, contact, &gap) &&
           gap > FAR_WIDER * fmax(reach, gap_hit(run, contact));
}

int
contact_point_surface(struct rt *run, const struct persistent_group *group,
                      struct persistent_row *row, int order)
{
    assert(run != NULL && group != NULL && row != NULL && order >= 0);
    uint32_t contact = row->spot.contact, dim = run->im->dim;
    const imp_contact *image_contact = rt_contact(run, contact);
    int from = persistent_stands(group, row, order);
    if (ball_row(run, row, from, order))
        return row->friction ? ball_friction(run, row, from, order) : IMP_OK;
    const imp_tape *tape =
        IMP_ARRAY(run->im, run->im->tapes, imp_tape) + image_contact->opening;
    const double *rows[2] = {NULL, NULL};
    struct closest_points points;
    int st =
        from > 0 ? IMP_OK : closest_points_find(run, contact, &points, true);
    if (st)
        return st;
    for (int i = 0; i < 2; i++)
        if (contact_point_body_moves(run, image_contact->body[i]))
            rows[i] =
                run->rows.block[rt_body(run, image_contact->body[i])->block];
    double *work = run->rows.opening[contact];
    if (!work)
        work = run->rows.opening[contact] = NEW_N(
            run->own, double, ((size_t)tape->n_rows + 1) * IMP_ROW_STRIDE);
    contact_bodies_enter(run, image_contact);
    st = rt_series_from(run, image_contact->opening,
                        run->closest.unknowns + 8 * (size_t)contact, rows, work,
                        from, order);
    if (st)
        return st;
    const uint32_t *outs = IMP_ARRAY(run->im, tape->outs, uint32_t);
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    size_t bytes = sizeof(double) * (size_t)(order + 1), n = 0;
    for (int i = 0; i < 12; i++)
        taylor_const(order, 0.0, &row->open[i / 6][i % 6]);
    for (int i = -1; i < (int)(dim == 2 ? 6 : 12); i++, n++) {
        int per = dim == 2 ? 3 : 6, s = i < 0 ? 0 : i / per, e = i % per;
        struct taylor *to = i < 0                ? &row->gap
                            : dim == 2 && e == 2 ? &row->open[s][5]
                                                 : &row->open[s][e];
        memcpy(to->c,
               work + (size_t)code[outs[n]].row * IMP_ROW_STRIDE + IMP_ROW_PAD,
               bytes);
    }
    if (!row->friction)
        return IMP_OK;
    assert(tape->outs.n == n + 8);
    struct taylor tangent[8];
    for (int i = 0; i < 8; i++, n++)
        memcpy(tangent[i].c,
               work + (size_t)code[outs[n]].row * IMP_ROW_STRIDE + IMP_ROW_PAD,
               bytes);
    return persistent_friction_series(run, row, from, order, tangent,
                                      tangent + 2, false, tangent + 4,
                                      tangent + 6);
}

/* -- rotations, of any body -------------------------------------------------
 */

void
body_rotation(const struct rt *run, uint32_t body, int from, int order,
              struct taylor R[9])
{
    assert(run != NULL && from >= 0 && from <= order && R != NULL);
    const imp_body *image_body = rt_body(run, body);
    const double *work = run->rows.block[image_body->block];
    struct taylor q[4], product[16];
    bool plane = run->im->dim == 2;
    for (int i = 2; i < 9 && plane; i++)
        if (i % 3 == 2 || i >= 6)
            taylor_const_from(from, order, i == 8, &R[i]);
    for (int i = 0; i < (plane ? 2 : 4); i++)
        memcpy(q[i].c,
               work +
                   (size_t)image_body->pose[(plane ? 2 : 3) + i] *
                       IMP_ROW_STRIDE +
                   IMP_ROW_PAD,
               sizeof(double) * (size_t)(order + 1));
    if (plane) {
        R[0] = R[4] = q[0];
        R[3] = q[1];
        taylor_scale_from(from, order, -1.0, &q[1], &R[1]);
        return;
    }
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++)
            taylor_mul_from(from, order, &q[i], &q[j], &product[4 * i + j]);
    for (int row = 0; row < 3; row++) {
        int next = (row + 1) % 3, k = (row + 2) % 3;
        /* 1 - 2 (qj qj + qk qk) */
        taylor_add_from(from, order, &product[5 * (next + 1)],
                        &product[5 * (k + 1)], &R[4 * row]);
        taylor_scale_from(from, order, -2.0, &R[4 * row], &R[4 * row]);
        if (from == 0)
            R[4 * row].c[0] += 1.0;
        /* 2 (qi qj -+ q0 qk) */
        int lo = row < next ? row : next, hi = row < next ? next : row;
        struct taylor *xy = &product[4 * (lo + 1) + hi + 1],
                      *w = &product[k + 1];
        taylor_sub_from(from, order, xy, w, &R[3 * row + next]);
        taylor_scale_from(from, order, 2.0, &R[3 * row + next],
                          &R[3 * row + next]);
        taylor_add_from(from, order, xy, w, &R[3 * next + row]);
        taylor_scale_from(from, order, 2.0, &R[3 * next + row],
                          &R[3 * next + row]);
    }
}

/* -- single bodies of the plane ------------------------------------------- */

/* Is this register of a driven tape the row of what forces do to velocity
 * `number`, or (*sum) a constant plus that? */
static bool
is_pushed(const imp_instr *code, uint32_t reg, uint32_t number, bool *sum)
{
    const imp_instr *in = &code[reg];
    *sum = in->op == IMP_OP_ADD;
    if (*sum) {
        bool first = (code[in->a].flags & IMP_INSTR_CONST) != 0;
        if (!first && !(code[in->b].flags & IMP_INSTR_CONST))
            return false;
        in = &code[first ? in->b : in->a];
    }
    return in->op == IMP_OP_ROW && in->a == 0 && in->b == number;
}

/* Are outputs 6 and 7 of a driven tape the cosine and the sine of output 2? */
static bool
turns(const imp_instr *code, const uint32_t *out)
{
    const imp_instr *cosine = &code[out[6]], *sine = &code[out[7]];
    return cosine->op == IMP_OP_COS && cosine->a == out[2] &&
           sine->op == IMP_OP_SIN && sine->a == out[2] && sine->c == out[6] &&
           code[cosine->c].op == IMP_OP_NEG && code[cosine->c].a == out[7];
}

/* Does a block hold one body, whose rates are constants plus what forces do? */
static bool
look_at_block(const struct rt *run, uint32_t index, bool sum[3])
{
    const imp_block *block = persistent_block(run, index);
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t);
    if (block->bodies.n != 1 || block->state.n != 6 ||
        block->driven_rows.n != 8 || block->n_unknown || block->n_rub)
        return false;
    const imp_body *body =
        rt_body(run, *IMP_ARRAY(run->im, block->bodies, uint32_t));
    const imp_tape *tape = persistent_tape(run, block->driven);
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    const uint32_t *out = IMP_ARRAY(run->im, tape->outs, uint32_t);
    bool simple = tape->outs.n == 8 && tape->unknowns.n == 0 &&
                  body->pose[2] != IMP_NO_ROW && body->pose[3] != IMP_NO_ROW;
    for (uint32_t i = 0; i < 6 && simple; i++)
        simple = state[i] == body->env_state + i &&
                 code[out[i]].op == IMP_OP_STATE &&
                 code[out[i]].a == state[i] &&
                 (i < 3 ? code[out[i]].b == out[i + 3]
                        : is_pushed(code, code[out[i]].b, i - 3, &sum[i - 3]));
    return simple && turns(code, out);
}

bool
persistent_simple(const struct rt *run, uint32_t index, bool sum[3])
{
    assert(run != NULL && index < run->im->blocks.n);
    enum { ASKED = 8, SIMPLE = 16 };
    unsigned char *known = &run->persistent_memory->simple[index];
    if (!*known) {
        bool of[3] = {false, false, false};
        bool simple = look_at_block(run, index, of);
        *known = (unsigned char)(ASKED | (simple ? SIMPLE : 0) | of[0] |
                                 of[1] << 1 | of[2] << 2);
    }
    for (int i = 0; i < 3 && sum; i++)
        sum[i] = *known >> i & 1;
    return (*known & SIMPLE) != 0;
}

/* -- branches of surfaces ---------------------------------------------------
 *
 * On |x|^p the closest point of a body that has turned by s past the point at
 * x = 0 goes as x = sgn(s) |s|^(q-1), 1/p + 1/q = 1. Where q is an odd number
 * (p = 3/2: x = sgn(s) s^2) that is a power of s on both sides, each with the
 * sign of its side. The series of one side converges beyond x = 0, and there it
 * is that of a surface which the body does not have. No guard tells so, as x
 * touches 0 and comes back. So the gaps of closed contacts are asked as values
 * at the end of a step: it may be no longer than these stay closed to rounding.
 */

/* What a gap may be off at the end of a step: so many bounds of its rounding */
#define BRANCH_ROUNDING 4.0
/* Times are looked for down to this share of the step. */
#define BRANCH_LEAST 0x1p-40
/* Behind the change of branch gaps go wrong by a power of the time since. The
 * times at which they are off by three multiples of what they may be, each so
 * many times the one before, tell when it was, */
#define BRANCH_FIRST 32.0
#define BRANCH_TIMES 8.0
/* and the step ends behind it by this share of the time to the first of them,
 * where it is off by far less than rounding. */
#define BRANCH_BEHIND 0x1p-6

/* Does the tape hold what has branches, or no series at 0? */
static bool
has_branches(const struct rt *run, uint32_t tape)
{
    if (tape == IMP_NO_TAPE)
        return false;
    const imp_ref *code = &rt_tape(run, tape)->code;
    const imp_instr *instr = IMP_ARRAY(run->im, *code, imp_instr);
    for (uint32_t i = 0; i < code->n; i++)
        switch (instr[i].op) {
        case IMP_OP_POW:
        case IMP_OP_ABSPOW:
        case IMP_OP_SGNPOW:
        case IMP_OP_ABS:
        case IMP_OP_SIGN:
            return true;
        default:
            break;
        }
    return false;
}

/* Is this a point of a surface whose formula has branches? */
static bool
asked(const struct rt *run, const struct persistent_group *group, int which)
{
    const struct persistent_row *row = group->row + which;
    return !group->leaps && row->on && row->soft == CONTACT_RIGID &&
           row->spot.kind == POINT_SURFACE && !row->balls &&
           has_branches(run, rt_contact(run, row->spot.contact)->kkt);
}

/* Is the gap of this point at the present state what its series says at `step`,
 * to so many times what it may be off? Where there are no closest points the
 * series is as good as what is known. */
static bool
agrees(struct rt *run, const struct persistent_row *row, int order, double step,
       double times)
{
    struct closest_points now;
    double gap, rate;
    if (closest_points_look(run, row->spot.contact, &now) != IMP_OK)
        return true;
    gap_rounding(run, row->spot.contact, &gap, &rate);
    return fabs(now.gap - polynomial_value(row->gap.c, order, step)) <=
           times * BRANCH_ROUNDING * gap;
}

/* Do the series of all such points hold until `step`, to so many times what
 * they may be off? */
static bool
hold(struct rt *run, int order, double step, double times,
     contact_point_look *look, const struct saved_state *here)
{
    const struct persistent_set *set = run->persistent_memory;
    double time = rt_time(run);
    bool all = true;
    look(run, order, step, time + step);
    for (int i = 0; i < set->n && all; i++)
        for (int k = 0; k < set->group[i]->n && all; k++)
            if (motion_lets(run, *set->group[i]->moved.block) &&
                asked(run, set->group[i], k))
                all = agrees(run, set->group[i]->row + k, order, step, times);
    saved_state_restore(run, here);
    return all;
}

static bool
any_asked(const struct rt *run)
{
    const struct persistent_set *set = run->persistent_memory;
    for (int i = 0; i < set->n; i++)
        for (int k = 0; k < set->group[i]->n; k++)
            if (motion_lets(run, *set->group[i]->moved.block) &&
                asked(run, set->group[i], k))
                return true;
    return false;
}

/* How long they hold to so many times what they may be off; 0: not at all. */
static double
held_for(struct rt *run, int order, double step, double times,
         contact_point_look *look, const struct saved_state *here)
{
    double good = 0.0, bad = step, least = BRANCH_LEAST * step;
    if (hold(run, order, bad, times, look, here))
        return bad;
    while (bad - good > least) {
        double middle = (good + bad) / 2.0;
        if (hold(run, order, middle, times, look, here))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

void
contact_point_surfaces_end(struct rt *run, int order, double *step,
                           contact_point_look *look)
{
    assert(run && step && look);
    if (order < MOTION_STEP_ORDER || !persistent_any(run) ||
        !(*step > 0.0 && isfinite(*step)) || !any_asked(run))
        return;
    struct saved_state here = saved_state_take(run);
    if (hold(run, order, *step, 1.0, look, &here))
        return;
    double end[3], times = BRANCH_FIRST;
    for (int i = 0; i < 3; i++, times *= BRANCH_TIMES)
        end[i] = held_for(run, order, *step, times, look, &here);
    double whole = held_for(run, order, *step, 1.0, look, &here);
    double first = end[1] - end[0], second = end[2] - end[1];
    /* end[i] - change grows by one ratio; where it does not, the step ends
     * where gaps are still right */
    double change = second > first && first > 0.0
                        ? fmax(0.0, end[0] - first * first / (second - first))
                        : 0.0;
    if (change > 0.0 && change < whole)
        *step = change + BRANCH_BEHIND * (whole - change);
    /* where nothing holds it is not a branch that is in the way */
    else if (whole > 0.0)
        *step = whole;
}
