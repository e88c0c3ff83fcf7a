/* SPDX-License-Identifier: MIT */
/* A point of contact between bodies of the plane as `painleve` reads it. Its
 * coordinates are places and angles of all bodies that move together with its
 * two (painleve_mechanism.c). Rows of gap and slip come from the series of the
 * motion (runtime/modes), and so do their derivatives: along a motion with the
 * velocity of one coordinate alone the first coefficient of a row is its
 * derivative by that coordinate.
 *
 * A unit force d makes the accelerations z of the joints' reactions l, M z = d
 * + G^T l, G z = 0. So where the mass matrix does not change, a quadratic form
 * changes by d(d.z) = 2 z.dd + 2 l.dG z, and d.q'' = z.f + l.(what the
 * conditions have of rates). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/touch.h"
#include "analysis/friction/friction_priv.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/friction_rows.h"

/* A rate of the gap below this share of the slip counts as 0, as in
 * analysis/simulate. */
#define BODIES_STILL 1e-9
/* room for the points of another contact */
#define POINTS_MOST 64
/* steps of Newton's method that close a gap, and what joints hold */
#define CLOSE_STEPS 20
/* roundings of the places of bodies within which that is closed */
#define CLOSE_ROUNDINGS 16.0

/* How the others follow an angle that is turned: may their angles stay, and is
 * the gap closed again? */
enum way { WAY_NONE, WAY_SHIFTS, WAY_JOINTS, WAY_TURNS, WAY_FREE, WAYS };

struct reader_of_bodies {
    struct painleve_reader reader;
    struct contact_point spot;
    struct painleve_mechanism *mechanism;
    int *side;           /* per body: 0 or 1, its place in the contact;
                            -1: none */
    double *multipliers; /* 2 n_row: what the joints do under unit forces
                            along `normal` and `along` */
    double *spare;       /* 2 n + 3 (n_row + 2), of one call */
    struct painleve_slide *slide; /* NULL: the series tell all */
    enum way way;
};

static const imp_body *
body_of(const struct reader_of_bodies *of, uint32_t j)
{
    return rt_body(of->reader.analysis->rt,
                   of->mechanism->body[j / PAINLEVE_PER_BODY]);
}

/* Coefficient k of what coordinate j does to the gap, or to the slip. */
static double
entry_of(const struct reader_of_bodies *of, struct taylor (*open)[6],
         uint32_t j, int k)
{
    uint32_t c = j % PAINLEVE_PER_BODY;
    int side = of->side[j / PAINLEVE_PER_BODY];
    return side < 0 ? 0.0 : open[side][c < 2 ? c : 5].c[k];
}

/* -- rows ------------------------------------------------------------------ */

/* IMP_DIVERGED, which is not told, where bodies are so far in each other that
 * they have no closest points. */
static int
findable(const struct reader_of_bodies *of)
{
    struct closest_points points;
    if (of->spot.kind != POINT_SURFACE && of->spot.kind != POINT_SMOOTH)
        return IMP_OK;
    return closest_points_find(of->reader.analysis->rt, of->spot.contact,
                               &points, false)
               ? IMP_DIVERGED
               : IMP_OK;
}

/* Looks at the point at the present state. */
static int
look_at(struct reader_of_bodies *of, int order, struct persistent_row **row)
{
    struct rt *run = of->reader.analysis->rt;
    rt_brief_end(run);
    int st = findable(of);
    if (st)
        return st;
    struct persistent_group *group = persistent_look_at(run, &of->spot, 1);
    *row = &group->row[0];
    return persistent_instant(run, group, order, UNKNOWN_ROWS, NULL);
}

/* Accelerations of the coordinates, from the motion that was looked at: the
 * first coefficients of the rates. */
static void
read_accelerations(struct reader_of_bodies *of)
{
    const struct rt *run = of->reader.analysis->rt;
    for (uint32_t j = 0; j < of->reader.n; j++) {
        const imp_body *body = body_of(of, j);
        const imp_block *block =
            IMP_ARRAY(run->im, run->im->blocks, imp_block) + body->block;
        const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t),
                       *state = IMP_ARRAY(run->im, block->state, uint32_t);
        uint32_t entry = body->env_state + PAINLEVE_PER_BODY +
                         j % PAINLEVE_PER_BODY,
                 rate = 0;
        /* other bodies may stand between those of the block */
        while (rate < block->state.n && state[rate] != entry)
            rate++;
        assert(rate < block->state.n);
        const double *series = run->persistent_memory->own[body->block] +
                               (size_t)row[rate] * IMP_ROW_STRIDE + IMP_ROW_PAD;
        of->reader.acc[j] = series[1];
    }
}

/* What unit forces along both rows do to all bodies. */
static int
respond(struct reader_of_bodies *of, double slip)
{
    struct painleve_mechanism *mechanism = of->mechanism;
    struct painleve_reader *reader = &of->reader;
    if (reader->unknown || mechanism->n_row == 0) {
        for (uint32_t j = 0; j < reader->n; j++) {
            reader->by_normal[j] = reader->normal[j] / mechanism->mass[j];
            reader->by_along[j] = reader->along[j] / mechanism->mass[j];
        }
        return IMP_OK;
    }
    int st = painleve_mechanism_read(mechanism, slip, NULL);
    for (uint32_t i = 0; i < mechanism->n_row && !st; i++)
        painleve_mechanism_row(mechanism, i);
    memset(mechanism->stays, 0, mechanism->n_body * sizeof *mechanism->stays);
    if (st || (st = painleve_mechanism_factor(mechanism, mechanism->n_row)))
        return st;
    painleve_mechanism_solve(mechanism, reader->normal, NULL, reader->by_normal,
                             of->multipliers);
    painleve_mechanism_solve(mechanism, reader->along, NULL, reader->by_along,
                             of->multipliers + mechanism->n_row);
    return IMP_OK;
}

static int
read_here(struct painleve_reader *reader, bool jerk,
          struct painleve_instant *out)
{
    struct reader_of_bodies *of = (struct reader_of_bodies *)reader;
    struct rt *run = reader->analysis->rt;
    const imp_contact *contact = rt_contact(run, reader->contact);
    if (!jerk && of->slide)
        return painleve_slide_read(of->slide, reader, of->mechanism,
                                   of->multipliers, out);
    struct friction_rows rows = {.run = run, .n = 1, .spot = &of->spot};
    rt_brief_end(run);
    int st = findable(of);
    if (st || (st = friction_rows_read(&rows)))
        return st;
    struct persistent_row *row = &rows.group->row[0];
    out->point = (struct painleve_point){
        .C = rows.W[0],
        .B = rows.W[1],
        .A = rows.W[3],
        .b = rows.free[0],
        .a = rows.free[1],
        .b_terms = rows.parts[0],
        .a_terms = rows.parts[1],
        .mu = rows.point[0].mu_dynamic,
        .mu_static = rows.point[0].mu_static,
        .slip = rows.point[0].slip,
        .restitution = run->env[contact->env_contact + IMP_CONTACT_E],
        .law = painleve_law(run, contact)};
    out->gap = row->gap.c[0];
    out->rate = rows.rate[0];
    out->jerk = jerk ? 6.0 * row->gap.c[3] : (double)NAN;
    out->closed =
        fabs(rows.rate[0]) <= BODIES_STILL * fabs(rows.rate[1]) + rows.size[0];
    for (uint32_t j = 0; j < reader->n; j++) {
        reader->normal[j] = entry_of(of, row->open, j, 0);
        reader->along[j] =
            row->friction ? entry_of(of, row->friction->open, j, 0) : 0.0;
    }
    read_accelerations(of);
    return respond(of, out->point.slip);
}

static int
read_gap(struct painleve_reader *reader, double *gap)
{
    struct reader_of_bodies *of = (struct reader_of_bodies *)reader;
    struct persistent_row *row;
    int st = look_at(of, 1, &row);
    if (st)
        return st;
    *gap = row->gap.c[0];
    for (uint32_t j = 0; j < reader->n; j++)
        reader->normal[j] = entry_of(of, row->open, j, 0);
    return st;
}

/* -- derivatives ----------------------------------------------------------- */

/* The derivatives of both rows along a motion with these velocities (n; NULL:
 * 0). */
static int
rows_along(struct reader_of_bodies *of, const double *velocity, double *normal,
           double *along)
{
    struct painleve_reader *reader = &of->reader;
    uint32_t n = reader->n;
    for (uint32_t j = 0; j < n; j++)
        *reader->entry[n + j] = velocity ? velocity[j] : 0.0;
    struct persistent_row *row;
    int st = look_at(of, 2, &row);
    for (uint32_t j = 0; j < n && !st; j++) {
        normal[j] = entry_of(of, row->open, j, 1);
        along[j] =
            row->friction ? entry_of(of, row->friction->open, j, 1) : 0.0;
    }
    return st;
}

/* What is read and made of it, in the memory of the derivatives. */
struct work {
    double *state, *unit, *normal, *along; /* 2n + 1, n, n, n */
    double *C_q, *B_q, *b_v, *d_t, *c_t;   /* n each */
    double *d_q, *c_q;                     /* n x n each */
};

static struct work
work_of(struct reader_of_bodies *of, struct painleve_derivatives *out)
{
    size_t n = of->reader.n;
    if (!out->all)
        out->all = NEW_N(of->reader.analysis->rt->arena, double,
                         PAINLEVE_STATE(n) + 8 * n + 2 * n * n);
    double *at = out->all + 1;
    return (struct work){.state = out->all,
                         .unit = at + 2 * n,
                         .normal = at + 3 * n,
                         .along = at + 4 * n,
                         .C_q = at + 5 * n,
                         .B_q = at + 6 * n,
                         .b_v = at + 7 * n,
                         .d_t = at + 8 * n,
                         .c_t = at + 9 * n,
                         .d_q = at + 10 * n,
                         .c_q = at + 10 * n + n * n};
}

static bool
is_angle(uint32_t j)
{
    return j % PAINLEVE_PER_BODY == PAINLEVE_PER_BODY - 1;
}

/* What is rounding beside the entries that a row has there: unit normals and
 * slides turn with the angle, arms change as places do. Two places have the
 * curvature of surfaces alone. */
#define ROW_NOISE (32.0 * DBL_EPSILON)

static double
cleared(const struct reader_of_bodies *of, uint32_t i, uint32_t k, double x)
{
    double size = is_angle(i) != is_angle(k) ? 1.0 : 0.0;
    if (is_angle(i) && is_angle(k))
        size = hypot(of->reader.normal[i], of->reader.along[i]);
    return fabs(x) <= ROW_NOISE * size ? 0.0 : x;
}

/* Derivatives of both rows: by time (d_t, c_t), and by each coordinate (d_q,
 * c_q, n x n); those of bodies that do not touch there are 0. The state is as
 * before afterwards. */
static int
read_rows(struct reader_of_bodies *of, struct work *work)
{
    uint32_t n = of->reader.n;
    double speed = 0.0;
    for (uint32_t k = 0; k < n; k++)
        if (!is_angle(k) && of->side[k / PAINLEVE_PER_BODY] >= 0)
            speed = fmax(speed, fabs(*of->reader.entry[n + k]));
    painleve_reader_keep(&of->reader, work->state);
    memset(work->unit, 0, n * sizeof *work->unit);
    int st = rows_along(of, NULL, work->d_t, work->c_t);
    for (uint32_t k = 0; k < n && !st; k++) {
        bool touches = of->side[k / PAINLEVE_PER_BODY] >= 0;
        work->unit[k] = 1.0;
        if (touches)
            st = rows_along(of, work->unit, work->normal, work->along);
        work->unit[k] = 0.0;
        for (uint32_t i = 0; i < n && !st; i++) {
            work->d_q[i * n + k] =
                touches ? cleared(of, i, k, work->normal[i] - work->d_t[i])
                        : 0.0;
            work->c_q[i * n + k] =
                touches ? cleared(of, i, k, work->along[i] - work->c_t[i])
                        : 0.0;
        }
    }
    /* arms change with time as fast as what moves there, or not at all */
    for (uint32_t i = 0; i < n && !st; i++) {
        if (is_angle(i) && fabs(work->d_t[i]) <= ROW_NOISE * speed)
            work->d_t[i] = 0.0;
        if (is_angle(i) && fabs(work->c_t[i]) <= ROW_NOISE * speed)
            work->c_t[i] = 0.0;
    }
    painleve_reader_enter(&of->reader, work->state);
    return st;
}

static double
dot(uint32_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* x.(column k of an n x n matrix) */
static double
by_column(uint32_t n, const double *x, const double *matrix, uint32_t k)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * matrix[i * n + k];
    return sum;
}

/* Derivatives of C and B, and of b by velocities, without what joints add. */
static void
of_rows(const struct reader_of_bodies *of, const struct work *work,
        struct painleve_derivatives *out)
{
    const struct painleve_reader *reader = &of->reader;
    uint32_t n = reader->n;
    const double *z_d = reader->by_normal, *z_c = reader->by_along,
                 *force_v = of->mechanism->force_v;
    out->C_t = 2.0 * dot(n, z_d, work->d_t);
    out->B_t = dot(n, z_c, work->d_t) + dot(n, z_d, work->c_t);
    for (uint32_t k = 0; k < n; k++) {
        work->C_q[k] = 2.0 * by_column(n, z_d, work->d_q, k);
        work->B_q[k] =
            by_column(n, z_c, work->d_q, k) + by_column(n, z_d, work->c_q, k);
        /* b is d.q'' + v.d_q.v + 2 v.d_t + d2gap/dt2 */
        work->b_v[k] = 2.0 * work->d_t[k] + by_column(n, z_d, force_v, k);
        for (uint32_t i = 0; i < n; i++)
            work->b_v[k] += 2.0 * work->d_q[k * n + i] * *reader->entry[n + i];
    }
}

/* Adds what the joints do while a unit force acts along a row; z: what the
 * force along the other row does. */
static int
of_joints(struct reader_of_bodies *of, bool along, struct work *work,
          double slip, struct painleve_derivatives *out)
{
    struct painleve_mechanism *mechanism = of->mechanism;
    const struct painleve_reader *reader = &of->reader;
    uint32_t n = reader->n;
    const double *z_d = reader->by_normal, *z_c = reader->by_along;
    int st = painleve_mechanism_read(
        mechanism, slip, of->multipliers + (along ? mechanism->n_row : 0));
    if (st)
        return st;
    const double *other = along ? z_d : z_c, *pull_q = mechanism->pull_q;
    out->B_t += dot(n, mechanism->pull_t, other);
    if (!along)
        out->C_t += 2.0 * dot(n, mechanism->pull_t, z_d);
    for (uint32_t k = 0; k < n; k++) {
        work->B_q[k] += by_column(n, other, pull_q, k);
        if (along)
            continue;
        work->C_q[k] += 2.0 * by_column(n, z_d, pull_q, k);
        work->b_v[k] += mechanism->change_v[k];
    }
    return IMP_OK;
}

static int
read_derivatives(struct painleve_reader *reader, double slip,
                 struct painleve_derivatives *out)
{
    struct reader_of_bodies *of = (struct reader_of_bodies *)reader;
    struct painleve_mechanism *mechanism = of->mechanism;
    uint32_t n = out->n = reader->n;
    struct painleve_instant here;
    struct work work = work_of(of, out);
    int st = read_rows(of, &work);
    if (st || (st = read_here(reader, false, &here)) ||
        (st = painleve_mechanism_read(mechanism, slip, NULL)))
        return st;
    out->C = here.point.C;
    out->B = here.point.B;
    out->mu = here.point.mu;
    of_rows(of, &work, out);
    if (mechanism->n_row > 0 &&
        ((st = of_joints(of, false, &work, slip, out)) ||
         (st = of_joints(of, true, &work, slip, out))))
        return st;
    out->b_c = dot(n, work.b_v, reader->by_along);
    out->b_d = dot(n, work.b_v, reader->by_normal);
    out->mu_t = mechanism->mu_t;
    out->mu_q = mechanism->mu_q;
    out->mu_speed = mechanism->mu_speed;
    out->mu_v = mechanism->mu_v;
    out->mu_moves = mechanism->mu_speed != 0.0;
    for (uint32_t k = 0; k < n; k++)
        out->mu_moves |= mechanism->mu_v[k] != 0.0;
    out->C_q = work.C_q;
    out->B_q = work.B_q;
    out->f_q = mechanism->force_q;
    out->d_q = work.d_q;
    out->c_q = work.c_q;
    return IMP_OK;
}

static int
held(struct painleve_reader *reader, const double force[2], double *stiffness,
     const double **rows, uint32_t *n_rows)
{
    struct reader_of_bodies *of = (struct reader_of_bodies *)reader;
    struct painleve_mechanism *mechanism = of->mechanism;
    uint32_t n = reader->n;
    double *all = of->spare, *rest = all + n, *multipliers = rest + n;
    *rows = mechanism->rows;
    *n_rows = mechanism->n_row;
    if (mechanism->n_row == 0)
        return IMP_OK;
    for (uint32_t k = 0; k < n; k++)
        all[k] = mechanism->force[k] + force[0] * reader->normal[k] +
                 force[1] * reader->along[k];
    painleve_mechanism_solve(mechanism, all, NULL, rest, multipliers);
    int st = painleve_mechanism_read(mechanism, 0.0, multipliers);
    for (uint32_t k = 0; k < n * n && !st; k++)
        stiffness[k] += mechanism->pull_q[k];
    return st;
}

/* -- over an angle ----------------------------------------------------------
 */

/* The angle of a body: its name stands before the dot. */
static uint32_t
coordinate_of(const struct painleve_reader *reader, const char *name,
              size_t length, const char **unit)
{
    const struct reader_of_bodies *of = (const struct reader_of_bodies *)reader;
    const char *dot = memchr(name, '.', length);
    assert(dot != NULL);
    size_t own = (size_t)(dot - name);
    *unit = "";
    for (uint32_t j = 0; j < reader->n; j += PAINLEVE_PER_BODY) {
        const char *full =
            imp_text(reader->analysis->rt->im, body_of(of, j)->name);
        if (strlen(full) == own && !strncmp(full, name, own))
            return j + 2;
    }
    assert(!"the checker knows the body");
    return UINT32_MAX;
}

/* Puts the conditions that hold places into the rows, that of the gap last.
 * off: what they are off; size: the sizes of their terms. */
static int
conditions(struct reader_of_bodies *of, bool gap, double *off, double *size,
           uint32_t *n_row)
{
    struct painleve_mechanism *mechanism = of->mechanism;
    const struct painleve_reader *reader = &of->reader;
    uint32_t n = reader->n, count = 0;
    double far = 0.0;
    int st = mechanism->n_row ? painleve_mechanism_read(mechanism, 0.0, NULL)
                              : IMP_OK;
    for (uint32_t i = 0; i < mechanism->n_row && !st; i++) {
        double is = painleve_mechanism_row(mechanism, i);
        if (isnan(is))
            continue;
        if (count < i)
            memcpy(mechanism->rows + (size_t)count * n,
                   mechanism->rows + (size_t)i * n,
                   n * sizeof *mechanism->rows);
        off[count++] = is;
    }
    if (gap && !st) {
        st = read_gap(&of->reader, &off[count]);
        memcpy(mechanism->rows + (size_t)count++ * n, reader->normal,
               n * sizeof *mechanism->rows);
    }
    for (uint32_t k = 0; k < n; k++)
        far = fmax(far, fabs(*reader->entry[k]));
    for (uint32_t i = 0; i < count; i++) {
        size[i] = fabs(off[i]);
        for (uint32_t k = 0; k < n; k++)
            size[i] += fabs(mechanism->rows[i * n + k]) * far;
    }
    *n_row = count;
    return st;
}

/* Fills the change of all coordinates by each of those that are asked for. */
static int
changes(struct reader_of_bodies *of, const uint32_t *asked, uint32_t n_asked,
        uint32_t n_row, double *target, double *along)
{
    struct painleve_mechanism *mechanism = of->mechanism;
    uint32_t n = of->reader.n;
    for (uint32_t a = 0; a < n_asked; a++) {
        for (uint32_t i = 0; i < n_row; i++)
            target[i] = -mechanism->rows[i * n + asked[a]];
        if (!painleve_mechanism_solve(mechanism, NULL, target, along + a * n,
                                      NULL))
            return IMP_DIVERGED;
        along[a * n + asked[a]] = 1.0;
    }
    return IMP_OK;
}

/* One way to follow the angles: Newton's method, in steps that move the bodies
 * as little as they can, by their masses. */
static int
follow(struct reader_of_bodies *of, const uint32_t *asked, uint32_t n_asked,
       bool gap, bool stay, double *along)
{
    struct painleve_mechanism *mechanism = of->mechanism;
    struct painleve_reader *reader = &of->reader;
    uint32_t n = reader->n, room = mechanism->n_row + 1, n_row;
    double *work = of->spare, *off = work + n, *size = off + room,
           *target = size + room;
    for (int step = 0; step < CLOSE_STEPS; step++) {
        bool closed = true;
        int st = conditions(of, gap, off, size, &n_row);
        for (uint32_t b = 0; b < mechanism->n_body; b++)
            mechanism->stays[b] = stay;
        for (uint32_t a = 0; a < n_asked; a++)
            mechanism->stays[asked[a] / PAINLEVE_PER_BODY] = true;
        if (st || (st = painleve_mechanism_factor(mechanism, n_row)))
            return st;
        for (uint32_t i = 0; i < n_row; i++) {
            closed &= fabs(off[i]) <= CLOSE_ROUNDINGS * DBL_EPSILON * size[i];
            target[i] = -off[i];
        }
        if (closed)
            return changes(of, asked, n_asked, n_row, target, along);
        if (!painleve_mechanism_solve(mechanism, NULL, target, work, NULL))
            return IMP_DIVERGED;
        for (uint32_t k = 0; k < n; k++)
            *reader->entry[k] += work[k];
    }
    return IMP_DIVERGED;
}

/* The first way that is possible is kept. With joints, angles of other bodies
 * stay where they can, as the other coordinates of a system do, and the gap is
 * closed where that moves no angle. */
static int
close_gap(struct painleve_reader *reader, const uint32_t *asked,
          uint32_t n_asked, bool gap, double *along)
{
    struct reader_of_bodies *of = (struct reader_of_bodies *)reader;
    if (of->way != WAY_NONE)
        return follow(of, asked, n_asked,
                      gap && (of->way == WAY_SHIFTS || of->way == WAY_TURNS),
                      of->way == WAY_SHIFTS || of->way == WAY_JOINTS, along);
    double *state =
        NEW_N(reader->analysis->rt->arena, double, PAINLEVE_STATE(reader->n));
    int st = IMP_DIVERGED;
    painleve_reader_keep(reader, state);
    for (enum way way = WAY_SHIFTS; way < WAYS && st == IMP_DIVERGED; way++) {
        painleve_reader_enter(reader, state);
        of->way = way;
        st = close_gap(reader, asked, n_asked, gap, along);
    }
    if (st)
        of->way = WAY_NONE;
    return st;
}

/* -- rates that the joints allow --------------------------------------------
 */

static int
begin(struct painleve_reader *reader, uint32_t j, double rate, double slip)
{
    struct reader_of_bodies *of = (struct reader_of_bodies *)reader;
    struct painleve_mechanism *mechanism = of->mechanism;
    struct painleve_instant here;
    uint32_t n = reader->n, n_row = mechanism->n_row;
    double *const *v = reader->entry + n, more = rate - *v[j];
    *v[j] = rate;
    int st = read_here(reader, false, &here);
    if (st)
        return st;
    double *target = of->spare, *change = target + n_row + 2;
    for (uint32_t i = 0; i < n_row; i++)
        target[i] = -more * mechanism->rows[i * n + j];
    memcpy(mechanism->rows + (size_t)n_row * n, reader->normal,
           n * sizeof *mechanism->rows);
    memcpy(mechanism->rows + (size_t)(n_row + 1) * n, reader->along,
           n * sizeof *mechanism->rows);
    target[n_row] = -here.rate;
    target[n_row + 1] = slip - here.point.slip;
    mechanism->stays[j / PAINLEVE_PER_BODY] = true;
    st = painleve_mechanism_factor(mechanism, n_row + 2);
    if (st)
        return st;
    if (!painleve_mechanism_solve(mechanism, NULL, target, change, NULL))
        return IMP_DIVERGED;
    for (uint32_t k = 0; k < n; k++)
        *v[k] += change[k];
    return IMP_OK;
}

/* -- a reader -------------------------------------------------------------- */

/* -- other contacts ---------------------------------------------------------
 */

static bool
closed_beside(struct painleve_reader *reader, uint32_t other)
{
    struct reader_of_bodies *of = (struct reader_of_bodies *)reader;
    struct rt *run = reader->analysis->rt;
    const imp_contact *contact = rt_contact(run, other);
    struct contact_point spot[2] = {of->spot};
    double gap, tolerance, rate;
    bool shares = false;
    for (uint32_t b = 0; b < of->mechanism->n_body; b++)
        shares |= contact->body[0] == of->mechanism->body[b] ||
                  contact->body[1] == of->mechanism->body[b];
    if (!shares || (contact->flags & IMP_CONTACTF_STATED) ||
        touch_gap(reader->analysis, other, &gap, NULL))
        return false;
    gap_tolerances(run, other, &tolerance, &rate);
    if (gap > tolerance)
        return false;
    /* where it cannot be read it may push all the same */
    struct contact_point found[POINTS_MOST];
    if (contact_set_points(run, other, tolerance, found, POINTS_MOST) <= 0)
        return true;
    spot[1] = found[0];
    struct painleve_reader *there =
        painleve_bodies_reader(reader->analysis, reader->command, &spot[1]);
    struct painleve_instant instant;
    struct painleve_cross cross;
    if (there->by->read(there, false, &instant) || !instant.closed ||
        painleve_bodies_cross(run, spot, &cross))
        return false;
    return cross.normal != 0.0 || cross.gap[0] != 0.0 || cross.gap[1] != 0.0 ||
           cross.slip != 0.0;
}

static uint32_t
rubbing_joint(const struct painleve_reader *reader)
{
    const struct reader_of_bodies *of = (const struct reader_of_bodies *)reader;
    const struct rt *run = reader->analysis->rt;
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        for (uint32_t b = 0; b < of->mechanism->n_body; b++)
            if ((joint[i].flags & IMP_JOINTF_RUBS) &&
                (joint[i].body[0] == of->mechanism->body[b] ||
                 joint[i].body[1] == of->mechanism->body[b]))
                return i;
    return UINT32_MAX;
}

static const struct painleve_reading of_bodies = {.read = read_here,
                                                  .gap = read_gap,
                                                  .derivatives =
                                                      read_derivatives,
                                                  .coordinate = coordinate_of,
                                                  .close = close_gap,
                                                  .begin = begin,
                                                  .held = held,
                                                  .beside = closed_beside,
                                                  .rubbing = rubbing_joint};

/* Why are derivatives not known? */
static const char *
unknown(const struct reader_of_bodies *of)
{
    const struct rt *run = of->reader.analysis->rt;
    const imp_contact *contact = rt_contact(run, of->spot.contact);
    if (!(contact->flags & IMP_CONTACTF_FRICTION))
        return "the contact has no friction";
    if (contact->instant != IMP_NO_TAPE)
        return NULL;
    for (uint32_t j = 0; j < of->reader.n; j += PAINLEVE_PER_BODY)
        if ((IMP_ARRAY(run->im, run->im->blocks, imp_block) +
             body_of(of, j)->block)
                ->n_rub)
            return "joints of the bodies have friction: it grows with the size "
                   "of their forces, so that the gap's acceleration is no "
                   "linear function of the normal force, whose p and b these "
                   "fields derive";
    return "rotors turn in the bodies, or too many joints hold them";
}

/* Where env has the coordinates and their rates, and which of the bodies touch
 * there. */
static void
find_entries(struct reader_of_bodies *of)
{
    struct rt *run = of->reader.analysis->rt;
    const imp_contact *contact = rt_contact(run, of->spot.contact);
    of->side = NEW_N(run->arena, int, of->mechanism->n_body + 1);
    for (uint32_t j = 0; j < of->reader.n; j++) {
        uint32_t b = j / PAINLEVE_PER_BODY, body = of->mechanism->body[b];
        double *state =
            run->env + rt_body(run, body)->env_state + j % PAINLEVE_PER_BODY;
        of->reader.entry[j] = state;
        of->reader.entry[of->reader.n + j] = state + PAINLEVE_PER_BODY;
        of->side[b] = body == contact->body[0]   ? 0
                      : body == contact->body[1] ? 1
                                                 : -1;
    }
}

struct painleve_reader *
painleve_bodies_reader(struct analysis *analysis, const imp_command *command,
                       const struct contact_point *spot)
{
    assert(analysis != NULL && command != NULL && spot != NULL);
    struct rt *run = analysis->rt;
    struct reader_of_bodies *of = NEW(run->arena, struct reader_of_bodies);
    *of = (struct reader_of_bodies){.reader = {.analysis = analysis,
                                               .command = command,
                                               .contact = spot->contact,
                                               .by = &of_bodies},
                                    .spot = *spot,
                                    .mechanism = painleve_mechanism_new(
                                        run, rt_contact(run, spot->contact))};
    painleve_reader_room(&of->reader, of->mechanism->n);
    of->multipliers =
        NEW_N(run->arena, double, 2 * (size_t)of->mechanism->n_row + 1);
    of->spare = NEW_N(run->arena, double,
                      2 * (size_t)of->mechanism->n +
                          3 * ((size_t)of->mechanism->n_row + 2));
    find_entries(of);
    of->reader.unknown = unknown(of);
    if (!of->reader.unknown)
        of->slide = painleve_slide_new(run, spot, of->mechanism);
    return &of->reader;
}

int
painleve_bodies_cross(struct rt *run, const struct contact_point spot[2],
                      struct painleve_cross *cross)
{
    assert(run != NULL && spot != NULL && cross != NULL);
    struct friction_rows rows = {.run = run, .n = 2, .spot = spot};
    rt_brief_end(run);
    int st = friction_rows_read(&rows);
    if (st)
        return st;
    /* row 2 i is normal, 2 i + 1 tangential */
    *cross =
        (struct painleve_cross){.normal = rows.W[0 * 4 + 2],
                                .gap = {rows.W[0 * 4 + 3], rows.W[2 * 4 + 1]},
                                .slip = rows.W[1 * 4 + 3]};
    return IMP_OK;
}
