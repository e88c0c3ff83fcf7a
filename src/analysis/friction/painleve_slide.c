/* SPDX-License-Identifier: MIT */
/* A vertex on a face of bodies of the plane while it slides. A wedge asks for
 * the coefficients of a contact some ten thousand times, and for nothing that
 * lies ahead, so that series would be made for nothing: gap and slip, their
 * rows, and the second derivative of the gap and the first of the slip where
 * nothing accelerates, are known in closed form. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "runtime/geometry/polytope.h"
#include "runtime/tape/functions.h"

/* One of both bodies. */
struct side {
    const double *state; /* in env: x, y, angle, and their rates if it moves */
    bool moves;
    uint32_t at; /* of its x among the coordinates, if it moves */
};
struct painleve_slide {
    struct rt *run;
    struct side side[2];
    int face_of;
    const double *vertex, *normal; /* of body 1 - face_of, and of face_of */
    double depth;                  /* the face is normal.x = depth */
};

struct painleve_slide *
painleve_slide_new(struct rt *run, const struct contact_point *spot,
                   const struct painleve_mechanism *mechanism)
{
    assert(run != NULL && spot != NULL && mechanism != NULL);
    const imp_contact *contact = rt_contact(run, spot->contact);
    const struct polytope *polytope[2];
    if (spot->kind != POINT_VERTEX || contact->slide == IMP_NO_TAPE ||
        contact->body[0] == IMP_WORLD || contact->body[1] == IMP_WORLD)
        return NULL;
    for (int e = 0; e < 2; e++)
        polytope[e] = run->polytope[contact->body[e]];
    if (!polytope[0] || !polytope[1])
        return NULL;
    struct painleve_slide *out = NEW(run->arena, struct painleve_slide);
    const struct polytope_face *face =
        polytope[spot->face_of]->face + spot->face;
    *out = (struct painleve_slide){
        .run = run,
        .face_of = spot->face_of,
        .vertex = polytope[1 - spot->face_of]->vertex[spot->vertex],
        .normal = face->n,
        .depth = face->d};
    for (int e = 0; e < 2; e++) {
        struct side *side = &out->side[e];
        /* what is driven has rates, and rates of these, that series tell */
        if (rt_body(run, contact->body[e])->flags & IMP_BODYF_PRESCRIBED)
            return NULL;
        side->state = run->env + rt_body(run, contact->body[e])->env_state;
        side->moves = contact_point_body_moves(run, contact->body[e]);
        for (uint32_t b = 0; b < mechanism->n_body; b++)
            if (mechanism->body[b] == contact->body[e])
                side->at = PAINLEVE_PER_BODY * b;
    }
    return out;
}

static double
dot(const double x[2], const double y[2])
{
    return x[0] * y[0] + x[1] * y[1];
}

static double
cross(const double x[2], const double y[2])
{
    return x[0] * y[1] - x[1] * y[0];
}

static double
product(uint32_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < n; j++)
        sum += x[j] * y[j];
    return sum;
}

/* Puts a direction at a place of both bodies into a row: body 0 is moved
 * against it. */
static void
put_row(const struct painleve_slide *slide, const double direction[2],
        double arm[2][2], double *row)
{
    for (int e = 0; e < 2; e++) {
        const struct side *side = &slide->side[e];
        double sign = e ? 1.0 : -1.0;
        if (!side->moves)
            continue;
        row[side->at] = sign * direction[0];
        row[side->at + 1] = sign * direction[1];
        row[side->at + 2] = sign * cross(arm[e], direction);
    }
}

/* Rows, gap and rates; second[0, 1]: the second derivative of the gap and the
 * first of the slip where nothing accelerates. */
static void
read_rows(const struct painleve_slide *slide, struct painleve_reader *reader,
          struct painleve_instant *out, double second[2])
{
    int of = slide->face_of;
    double sign = of == 0 ? 1.0 : -1.0, c[2], s[2], v[2][2], spin[2], arm[2][2],
           n[2], t[2], place[2], moved[2], past[2];
    for (int e = 0; e < 2; e++) {
        const double *state = slide->side[e].state;
        bool moves = slide->side[e].moves;
        c[e] = imp_cos(state[2]);
        s[e] = imp_sin(state[2]);
        v[e][0] = moves ? state[3] : 0.0;
        v[e][1] = moves ? state[4] : 0.0;
        spin[e] = moves ? state[5] : 0.0;
    }
    const double *corner = slide->side[1 - of].state, *vertex = slide->vertex;
    place[0] = corner[0] + c[1 - of] * vertex[0] - s[1 - of] * vertex[1];
    place[1] = corner[1] + s[1 - of] * vertex[0] + c[1 - of] * vertex[1];
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 2; k++)
            arm[e][k] = place[k] - slide->side[e].state[k];
    /* from body 0 to body 1, and that turned by -90 degrees */
    n[0] = sign * (c[of] * slide->normal[0] - s[of] * slide->normal[1]);
    n[1] = sign * (s[of] * slide->normal[0] + c[of] * slide->normal[1]);
    t[0] = n[1];
    t[1] = -n[0];
    put_row(slide, n, arm, reader->normal);
    put_row(slide, t, arm, reader->along);
    /* how the vertex moves, and what the material of body 1 does there, seen
     * from that of body 0 */
    moved[0] = v[1 - of][0] - spin[1 - of] * arm[1 - of][1];
    moved[1] = v[1 - of][1] + spin[1 - of] * arm[1 - of][0];
    past[0] = v[1][0] - v[0][0] - spin[1] * arm[1][1] + spin[0] * arm[0][1];
    past[1] = v[1][1] - v[0][1] + spin[1] * arm[1][0] - spin[0] * arm[0][0];
    out->gap = sign * dot(n, arm[of]) - slide->depth;
    out->rate = dot(n, past);
    out->point.slip = dot(t, past);
    /* the normal turns with the face: n' is spin times n turned by 90 degrees,
     * which is -t, and t' is spin times n */
    double turn = spin[of],
           from[2] = {moved[0] - v[of][0], moved[1] - v[of][1]};
    second[0] =
        sign * (-turn * turn * dot(n, arm[of]) - 2.0 * turn * dot(t, from) -
                spin[1 - of] * spin[1 - of] * dot(n, arm[1 - of]));
    second[1] = turn * dot(n, past);
    for (int e = 0; e < 2; e++) {
        double away[2] = {moved[0] - v[e][0], moved[1] - v[e][1]};
        second[1] += (e ? 1.0 : -1.0) * spin[e] * cross(away, t);
    }
}

int
painleve_slide_read(const struct painleve_slide *slide,
                    struct painleve_reader *reader,
                    struct painleve_mechanism *mechanism, double *multipliers,
                    struct painleve_instant *out)
{
    assert(slide && reader && mechanism && multipliers && out);
    uint32_t n = reader->n, m = mechanism->n_row;
    double second[2], target[IMP_UNKNOWN_MAX];
    assert(m <= IMP_UNKNOWN_MAX);
    *out = (struct painleve_instant){.jerk = (double)NAN};
    read_rows(slide, reader, out, second);
    int st = painleve_mechanism_slide(mechanism, out->point.slip, target);
    if (st)
        return st;
    const double *force = mechanism->slide + 1;
    if (m > 0) {
        painleve_mechanism_solve(mechanism, reader->normal, NULL,
                                 reader->by_normal, multipliers);
        painleve_mechanism_solve(mechanism, reader->along, NULL,
                                 reader->by_along, multipliers + m);
        painleve_mechanism_solve(mechanism, force, target, reader->acc, NULL);
    } else {
        for (uint32_t j = 0; j < n; j++) {
            reader->by_normal[j] = reader->normal[j] / mechanism->mass[j];
            reader->by_along[j] = reader->along[j] / mechanism->mass[j];
            reader->acc[j] = force[j] / mechanism->mass[j];
        }
    }
    struct painleve_point *point = &out->point;
    point->mu = point->mu_static = mechanism->slide[0];
    point->C = product(n, reader->normal, reader->by_normal);
    point->B = product(n, reader->normal, reader->by_along);
    point->A = product(n, reader->along, reader->by_along);
    point->b = second[0] + product(n, reader->normal, reader->acc);
    point->a = second[1] + product(n, reader->along, reader->acc);
    return IMP_OK;
}
