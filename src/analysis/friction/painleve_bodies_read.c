/* SPDX-License-Identifier: MIT */
/* A point of contact between bodies of the plane as `painleve` reads it. Its
 * coordinates are places and angles of the bodies that move. Rows of gap and
 * slip come from the series of the motion (runtime/modes), and so do their
 * derivatives: along a motion with the velocity of one coordinate alone the
 * first coefficient of a row is its derivative by that coordinate. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "runtime/gap/closest_points.h"
#include "runtime/modes/friction_rows.h"

/* A rate of the gap below this share of the slip counts as 0, as in
 * analysis/simulate. */
#define BODIES_STILL 1e-9
#define BODY_COORDINATES 3 /* x, y and the angle */
#define COORDINATES_MOST (2 * BODY_COORDINATES)
/* steps of Newton's method that close a gap along the normal */
#define CLOSE_STEPS 20

struct reader_of_bodies {
    struct painleve_reader reader;
    struct contact_point spot;
    int side[2]; /* per body that moves: 0 or 1, its place in the contact */
    double mass[COORDINATES_MOST]; /* the diagonal of M */
};

static const imp_body *
body_of(const struct reader_of_bodies *of, uint32_t j)
{
    const struct rt *run = of->reader.analysis->rt;
    return rt_body(run, rt_contact(run, of->spot.contact)
                            ->body[of->side[j / BODY_COORDINATES]]);
}

/* Coefficient k of what coordinate j does to the gap, or to the slip. */
static double
entry_of(const struct reader_of_bodies *of, struct taylor (*open)[6],
         uint32_t j, int k)
{
    uint32_t c = j % BODY_COORDINATES;
    return open[of->side[j / BODY_COORDINATES]][c < 2 ? c : 5].c[k];
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

/* Accelerations of the coordinates, from the motion that was looked at. */
static void
read_accelerations(struct reader_of_bodies *of)
{
    const struct rt *run = of->reader.analysis->rt;
    for (uint32_t j = 0; j < of->reader.n; j += BODY_COORDINATES) {
        const imp_body *body = body_of(of, j);
        const double *work = run->persistent_memory->own[body->block], *pose[4];
        for (int k = 0; k < 4; k++)
            pose[k] =
                work + (size_t)body->pose[k] * IMP_ROW_STRIDE + IMP_ROW_PAD;
        of->reader.acc[j] = 2.0 * pose[0][2];
        of->reader.acc[j + 1] = 2.0 * pose[1][2];
        of->reader.acc[j + 2] =
            2.0 * (pose[2][0] * pose[3][2] - pose[3][0] * pose[2][2]);
    }
}

static int
read_here(struct painleve_reader *reader, bool jerk,
          struct painleve_instant *out)
{
    struct reader_of_bodies *of = (struct reader_of_bodies *)reader;
    struct rt *run = reader->analysis->rt;
    const imp_contact *contact = rt_contact(run, reader->contact);
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
        reader->by_normal[j] = reader->normal[j] / of->mass[j];
        reader->by_along[j] = reader->along[j] / of->mass[j];
    }
    read_accelerations(of);
    return IMP_OK;
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

/* Derivatives of both rows: by time (d_t, c_t), and by each coordinate (d_q,
 * c_q, n x n). The state is as before afterwards. */
static int
read_rows(struct reader_of_bodies *of, double *d_t, double *c_t, double *d_q,
          double *c_q)
{
    uint32_t n = of->reader.n;
    double state[2 * COORDINATES_MOST], unit[COORDINATES_MOST] = {0.0},
                                        normal[COORDINATES_MOST],
                                        along[COORDINATES_MOST];
    painleve_reader_keep(&of->reader, state);
    int st = rows_along(of, NULL, d_t, c_t);
    for (uint32_t k = 0; k < n && !st; k++) {
        unit[k] = 1.0;
        st = rows_along(of, unit, normal, along);
        unit[k] = 0.0;
        for (uint32_t i = 0; i < n && !st; i++) {
            d_q[i * n + k] = normal[i] - d_t[i];
            c_q[i * n + k] = along[i] - c_t[i];
        }
    }
    painleve_reader_enter(&of->reader, state);
    return st;
}

/* The sum over i of x_i y_i/M_ii. */
static double
by_mass(const struct reader_of_bodies *of, const double *x, const double *y)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < of->reader.n; i++)
        sum += x[i] * y[i] / of->mass[i];
    return sum;
}

/* the same with column k of an n x n matrix */
static double
by_column(const struct reader_of_bodies *of, const double *x,
          const double *matrix, uint32_t k)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < of->reader.n; i++)
        sum += x[i] * matrix[i * of->reader.n + k] / of->mass[i];
    return sum;
}

/* Derivatives of the free accelerations by coordinates (times M: of the forces)
 * and by velocities; 0 where nothing but weight acts. */
static int
read_forces(struct reader_of_bodies *of, double *f_q, double *acc_v)
{
    struct rt *run = of->reader.analysis->rt;
    uint32_t n = of->reader.n,
             tape = rt_contact(run, of->spot.contact)->instant;
    double all[2 * COORDINATES_MOST * COORDINATES_MOST] = {0.0}, unused = 0.0;
    int st = IMP_OK;
    if (tape != IMP_NO_TAPE)
        st = rt_eval(run, tape, &unused, all);
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, tape, &unused);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            f_q[i * n + k] = of->mass[i] * all[i * n + k];
            acc_v[i * n + k] = all[(n + i) * n + k];
        }
    return st;
}

/* b is d.f + v.d_q.v + 2 v.d_t + d2gap/dt2, with the velocities v. */
static void
derivatives_of_b(const struct reader_of_bodies *of, const double *d_t,
                 const double *d_q, const double *acc_v,
                 struct painleve_derivatives *out)
{
    const struct painleve_reader *reader = &of->reader;
    uint32_t n = reader->n;
    double b_v[COORDINATES_MOST];
    for (uint32_t k = 0; k < n; k++) {
        b_v[k] = 2.0 * d_t[k];
        for (uint32_t i = 0; i < n; i++)
            b_v[k] += 2.0 * d_q[k * n + i] * *reader->entry[n + i] +
                      reader->normal[i] * acc_v[i * n + k];
    }
    out->b_c = by_mass(of, b_v, reader->along);
    out->b_d = by_mass(of, b_v, reader->normal);
}

static int
read_derivatives(struct painleve_reader *reader, double slip,
                 struct painleve_derivatives *out)
{
    struct reader_of_bodies *of = (struct reader_of_bodies *)reader;
    uint32_t n = out->n = reader->n;
    struct painleve_instant here;
    (void)slip; /* a coefficient of friction here is a number */
    if (!out->all)
        out->all = NEW_N(reader->analysis->rt->arena, double,
                         5 * (size_t)n + 4 * (size_t)n * n);
    double *C_q = out->all, *B_q = C_q + n, *mu_q = B_q + n, *d_t = mu_q + n,
           *c_t = d_t + n, *d_q = c_t + n, *c_q = d_q + n * n,
           *f_q = c_q + n * n, *acc_v = f_q + n * n;
    const double *d = reader->normal, *c = reader->along;
    int st = read_rows(of, d_t, c_t, d_q, c_q);
    if (st || (st = read_here(reader, false, &here)) ||
        (st = read_forces(of, f_q, acc_v)))
        return st;
    out->C = here.point.C;
    out->B = here.point.B;
    out->mu = here.point.mu;
    out->mu_t = out->mu_speed = 0.0;
    out->C_t = 2.0 * by_mass(of, d, d_t);
    out->B_t = by_mass(of, c, d_t) + by_mass(of, d, c_t);
    for (uint32_t k = 0; k < n; k++) {
        C_q[k] = 2.0 * by_column(of, d, d_q, k);
        B_q[k] = by_column(of, c, d_q, k) + by_column(of, d, c_q, k);
        mu_q[k] = 0.0;
    }
    derivatives_of_b(of, d_t, d_q, acc_v, out);
    out->C_q = C_q;
    out->B_q = B_q;
    out->mu_q = mu_q;
    out->f_q = f_q;
    out->d_q = d_q;
    out->c_q = c_q;
    return IMP_OK;
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
    for (uint32_t j = 0; j < reader->n; j += BODY_COORDINATES) {
        const char *full =
            imp_text(reader->analysis->rt->im, body_of(of, j)->name);
        if (strlen(full) == own && !strncmp(full, name, own))
            return j + 2;
    }
    assert(!"the checker knows the body");
    return UINT32_MAX;
}

/* Shifts the body that has turned along the normal until it touches again. */
static int
close_gap(struct painleve_reader *reader, uint32_t j, double *along)
{
    uint32_t first = j - j % BODY_COORDINATES;
    const double *d = reader->normal + first;
    double gap = INFINITY, size = 0.0;
    for (int k = 0; k < CLOSE_STEPS; k++) {
        int st = read_gap(reader, &gap);
        if (st)
            return st;
        size = fabs(*reader->entry[first]) + fabs(*reader->entry[first + 1]);
        double square = d[0] * d[0] + d[1] * d[1];
        if (fabs(gap) <= 4.0 * DBL_EPSILON * size)
            break;
        *reader->entry[first] -= gap * d[0] / square;
        *reader->entry[first + 1] -= gap * d[1] / square;
    }
    double square = d[0] * d[0] + d[1] * d[1];
    for (uint32_t i = 0; i < reader->n; i++)
        along[i] = 0.0;
    along[j] = 1.0;
    along[first] = -reader->normal[j] * d[0] / square;
    along[first + 1] = -reader->normal[j] * d[1] / square;
    return IMP_OK;
}

/* -- a reader -------------------------------------------------------------- */

static const struct painleve_reading of_bodies = {.read = read_here,
                                                  .gap = read_gap,
                                                  .derivatives =
                                                      read_derivatives,
                                                  .coordinate = coordinate_of,
                                                  .close = close_gap};

/* Why are derivatives not known? */
static const char *
unknown(const struct reader_of_bodies *of)
{
    const struct rt *run = of->reader.analysis->rt;
    const imp_contact *contact = rt_contact(run, of->spot.contact);
    bool weight = true;
    for (uint32_t j = 0; j < of->reader.n; j += BODY_COORDINATES) {
        const imp_body *body = body_of(of, j);
        const imp_block *block =
            IMP_ARRAY(run->im, run->im->blocks, imp_block) + body->block;
        if (block->n_unknown)
            return "joints hold the bodies";
        weight &= (body->flags & IMP_BODYF_WEIGHT) != 0;
    }
    return !(contact->flags & IMP_CONTACTF_FRICTION)
               ? "the contact has no friction"
           : contact->rub != IMP_NO_TAPE
               ? "the friction of the bodies is a formula"
           : !weight && contact->instant == IMP_NO_TAPE
               ? "forces on the bodies depend on other bodies"
               : NULL;
}

struct painleve_reader *
painleve_bodies_reader(struct analysis *analysis, const imp_command *command,
                       const struct contact_point *spot)
{
    assert(analysis != NULL && command != NULL && spot != NULL);
    struct rt *run = analysis->rt;
    const imp_contact *contact = rt_contact(run, spot->contact);
    struct reader_of_bodies *of = NEW(run->arena, struct reader_of_bodies);
    *of = (struct reader_of_bodies){.reader = {.analysis = analysis,
                                               .command = command,
                                               .contact = spot->contact,
                                               .by = &of_bodies},
                                    .spot = *spot};
    uint32_t n = 0;
    for (int e = 0; e < 2; e++)
        if (contact_point_body_moves(run, contact->body[e]))
            of->side[n++] = e;
    painleve_reader_room(&of->reader, BODY_COORDINATES * n);
    for (uint32_t j = 0; j < of->reader.n; j++) {
        const imp_body *body = body_of(of, j);
        const double *constants = run->env + body->env_body;
        uint32_t c = j % BODY_COORDINATES;
        double *state = run->env + body->env_state + c;
        of->reader.entry[j] = state;
        of->reader.entry[of->reader.n + j] = state + BODY_COORDINATES;
        of->mass[j] = 1.0 / (c < 2 ? constants[IMP_BODY_INVMASS]
                                   : constants[IMP_BODY_INVINERTIA]);
    }
    of->reader.unknown = unknown(of);
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
