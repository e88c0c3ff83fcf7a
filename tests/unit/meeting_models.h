/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models of bodies with corners that meet again and again between walls,
 * as text for Imp and as shapes for dense_look.h. */
#ifndef IMP_TESTS_MEETING_MODELS_H
#define IMP_TESTS_MEETING_MODELS_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "dense_look.h"

#define MEETING_BODIES 12
#define MEETING_PAIRS 32

enum meeting_kind {
    MEETING_POLYGONS,      /* two polygons in a trough of half-planes */
    MEETING_ALIGNED,       /* rectangles and rods, flat, parallel, in line */
    MEETING_DISCS,         /* a polygon and an ellipse */
    MEETING_BOXES,         /* two boxes in a room of half-spaces */
    MEETING_POLYHEDRA,     /* two polyhedra there */
    MEETING_ALIGNED_BOXES, /* boxes, flat, parallel, in line */
    MEETING_BALLS,         /* a polyhedron and an ellipsoid */
    MEETING_THREE,         /* three polygons */
    MEETING_WALLS,         /* two polygons between fixed rectangles */
    MEETING_KINDS
};
struct meeting {
    uint64_t seed;
    char text[8192];
    size_t n;
    int dim, n_body, n_pair;
    double until, gravity[3];
    struct look_shape shape[MEETING_BODIES];
    struct look_pose pose[MEETING_BODIES];
    struct look_pair pair[MEETING_PAIRS];
    double e[MEETING_PAIRS];
    char name[MEETING_BODIES][8], contact[MEETING_PAIRS][8];
    bool round; /* numbers have two digits */
    bool soft;  /* restitutions are far below 1: bodies come to rest */
};

static inline double
meeting_uniform(struct meeting *m, double lo, double hi)
{
    /* splitmix64 */
    uint64_t z = (m->seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}
/* the same, as it is written: with two digits, or all of them */
static inline double
meeting_number(struct meeting *m, double lo, double hi)
{
    double x = meeting_uniform(m, lo, hi);
    return m->round ? round(100 * x) / 100 : x;
}
static inline bool
meeting_chance(struct meeting *m, double p)
{
    return meeting_uniform(m, 0, 1) < p;
}
static inline void
meeting_add(struct meeting *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    m->n +=
        (size_t)vsnprintf(m->text + m->n, sizeof m->text - m->n, format, args);
    va_end(args);
    assert(m->n < sizeof m->text);
}

static inline void
meeting_normal(struct meeting *m, double x[3])
{
    for (int k = 0; k < 3; k++) {
        x[k] = 0;
        for (int i = 0; i < 6; i++)
            x[k] += meeting_uniform(m, -0.7, 0.7);
    }
}

/* vertices of a rectangle or box of these sizes */
static inline void
meeting_box(struct look_shape *s, int dim, const double *size)
{
    s->kind = LOOK_POLYTOPE;
    s->dim = dim;
    s->n = 0;
    for (int i = 0; i < (dim == 2 ? 4 : 8); i++) {
        s->vertex[s->n][0] = (i & 1 ? 0.5 : -0.5) * size[0];
        s->vertex[s->n][1] = (i & 2 ? 0.5 : -0.5) * size[1];
        s->vertex[s->n][2] = dim == 2 ? 0 : (i & 4 ? 0.5 : -0.5) * size[2];
        s->n++;
    }
    look_hull(s);
}

/* is every vertex a corner of the hull? */
static inline bool
meeting_corners(const struct look_shape *s)
{
    for (int v = 0; v < s->n; v++) {
        bool on = false;
        for (int i = 0; i < s->n_plane; i++)
            for (int k = 0; k < 3; k++)
                on |= s->plane[i].v[k] == v;
        if (!on)
            return false;
    }
    return true;
}

/* a random polygon or polyhedron within about this radius */
static inline void
meeting_hull(struct meeting *m, struct look_shape *s, double size)
{
    int n = (int)meeting_uniform(m, m->dim == 2 ? 3 : 4, m->dim == 2 ? 8 : 9);
    double flat = meeting_chance(m, 0.2) ? meeting_uniform(m, 0.1, 0.4) : 1;
    s->kind = LOOK_POLYTOPE;
    s->dim = m->dim;
    s->n = n;
    for (int i = 0; i < n; i++) {
        double x[3] = {0, 0, 0}, u;
        if (m->dim == 2) {
            u = 6.283185307179586 * (i + meeting_uniform(m, 0.1, 0.9)) / n;
            x[0] = cos(u);
            x[1] = flat * sin(u);
        } else {
            /* the first corners stand around the centre */
            meeting_normal(m, x);
            for (int k = 0; k < 3 && i < 4; k++)
                x[k] = 0.3 * x[k] + (i == 0 || i == k + 1 ? 1 : -1);
            u = look_norm(x);
            for (int k = 0; k < 3; k++)
                x[k] *= (k == 2 ? flat : 1) / u;
        }
        for (int k = 0; k < m->dim; k++) {
            s->vertex[i][k] = size * x[k];
            if (m->round)
                s->vertex[i][k] = round(100 * s->vertex[i][k]) / 100;
        }
        for (int k = m->dim; k < 3; k++)
            s->vertex[i][k] = 0;
    }
    look_hull(s);
}

static inline void
meeting_vector(struct meeting *m, const double *x, int n)
{
    for (int k = 0; k < n; k++)
        meeting_add(m, "%s%.17g", k ? ", " : "(", x[k]);
    meeting_add(m, ")");
}

static inline void
meeting_write_shape(struct meeting *m, const struct look_shape *s)
{
    static const char *const flat[] = {"half_plane", "half_space"};
    if (s->kind == LOOK_FLAT) {
        meeting_add(m, "%s", flat[s->dim == 3]);
    } else if (s->kind == LOOK_SMOOTH) {
        meeting_add(m, s->dim == 2 ? "ellipse" : "ellipsoid");
        meeting_vector(m, s->semi, s->dim);
    } else {
        meeting_add(m, s->dim == 2 ? "polygon(" : "polyhedron(");
        for (int i = 0; i < s->n; i++) {
            meeting_add(m, i ? ", " : "");
            meeting_vector(m, s->vertex[i], s->dim);
        }
        meeting_add(m, ")");
    }
}

/* a wall: a half-plane or half-space with this normal through a place */
static inline int
meeting_wall(struct meeting *m, const double *x, const double *n)
{
    int i = m->n_body++;
    struct look_shape *s = &m->shape[i];
    struct look_pose *p = &m->pose[i];
    memset(s, 0, sizeof *s);
    memset(p, 0, sizeof *p);
    s->kind = LOOK_FLAT;
    s->dim = m->dim;
    s->fixed = true;
    memcpy(p->x, x, sizeof p->x);
    double up[3] = {0, m->dim == 2, m->dim == 3}, axis[3], angle;
    look_cross(up, n, axis);
    double sine = look_norm(axis), cosine = look_dot(up, n);
    angle = atan2(sine, cosine);
    if (!(sine > 1e-12)) {
        axis[0] = m->dim == 3;
        axis[1] = 0;
        axis[2] = m->dim == 2;
        sine = 1;
    }
    p->q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++)
        p->q[1 + k] = sin(angle / 2) * axis[k] / sine;
    snprintf(m->name[i], sizeof m->name[i], "w%d", i);
    meeting_add(m, "body w%d : ", i);
    meeting_write_shape(m, s);
    meeting_add(m, " { fixed = true  position = ");
    meeting_vector(m, x, m->dim);
    if (m->dim == 2)
        meeting_add(m, "  angle = %.17g }\n", axis[2] < 0 ? -angle : angle);
    else {
        meeting_add(m, "  rotation = (");
        meeting_vector(m, axis, 3);
        meeting_add(m, ", %.17g) }\n", angle);
    }
    return i;
}

/* writes a body whose shape and pose are set; its mass and moments of inertia
 * are those of a bar of its size, its centre that of the vertices' frame */
static inline int
meeting_body(struct meeting *m, bool turns)
{
    int i = m->n_body++;
    struct look_shape *s = &m->shape[i];
    struct look_pose *p = &m->pose[i];
    double size[3] = {0, 0, 0}, r[3] = {0, 0, 1}, angle;
    if (s->kind == LOOK_SMOOTH) {
        s->radius = 0;
        for (int k = 0; k < s->dim; k++) {
            s->radius = fmax(s->radius, s->semi[k]);
            size[k] = 2 * s->semi[k];
        }
    } else {
        for (int v = 0; v < s->n; v++)
            for (int k = 0; k < 3; k++)
                size[k] = fmax(size[k], 2 * fabs(s->vertex[v][k]));
    }
    if (!s->fixed)
        s->mass = meeting_number(m, 0.2, 2);
    for (int k = 0; k < 3; k++) {
        double a = size[(k + 1) % 3], b = size[(k + 2) % 3];
        s->inertia[k] = s->mass * (a * a + b * b) / 12;
    }
    if (m->dim == 3)
        meeting_normal(m, r);
    angle = turns ? meeting_number(m, 0, 6.28) : 0;
    double l = look_norm(r);
    p->q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++)
        p->q[1 + k] = sin(angle / 2) * r[k] / l;
    snprintf(m->name[i], sizeof m->name[i], "%s%d", s->fixed ? "w" : "b", i);
    meeting_add(m, "body %s : ", m->name[i]);
    meeting_write_shape(m, s);
    meeting_add(m, " { ");
    if (s->fixed)
        meeting_add(m, "fixed = true");
    else if (m->dim == 2)
        meeting_add(m, "mass = %.17g  inertia = %.17g  centre = (0, 0)",
                    s->mass, s->inertia[2]);
    else {
        meeting_add(m, "mass = %.17g  inertia = ", s->mass);
        meeting_vector(m, s->inertia, 3);
        meeting_add(m, "  centre = (0, 0, 0)");
    }
    meeting_add(m, "  position = ");
    meeting_vector(m, p->x, m->dim);
    if (m->dim == 2)
        meeting_add(m, "  angle = %.17g", angle);
    else {
        meeting_add(m, "  rotation = (");
        meeting_vector(m, r, 3);
        meeting_add(m, ", %.17g)", angle);
    }
    if (!s->fixed) {
        meeting_add(m, "  velocity = ");
        meeting_vector(m, p->v, m->dim);
        if (m->dim == 2)
            meeting_add(m, "  spin = %.17g", p->w[2]);
        else {
            meeting_add(m, "  spin = ");
            meeting_vector(m, p->w, 3);
        }
    }
    meeting_add(m, " }\n");
    return i;
}

static inline void
meeting_contact(struct meeting *m, int a, int b, double e)
{
    int i = m->n_pair++;
    m->pair[i] = (struct look_pair){{a, b}, {0, 0, 0}};
    m->e[i] = e;
    snprintf(m->contact[i], sizeof m->contact[i], "c%d", i);
    meeting_add(m, "contact c%d : %s | %s { restitution = %.17g }\n", i,
                m->name[a], m->name[b], e);
}

static inline void
meeting_walls(struct meeting *m, double high)
{
    const double w = 0.9;
    bool upright = meeting_chance(m, 0.3);
    double s = upright ? 0 : -0.029, c = sqrt(1 - s * s);
    double floor[3] = {0, 0, 0}, up[3] = {0, 0, 0};
    floor[m->dim - 1] = -1;
    up[m->dim - 1] = 1;
    meeting_wall(m, floor, up);
    for (int k = 0; k < m->dim - 1; k++)
        for (int side = -1; side <= 1; side += 2) {
            double x[3] = {0, 0, 0}, n[3] = {0, 0, 0};
            x[k] = side * w;
            n[k] = -side * c;
            n[m->dim - 1] = s;
            meeting_wall(m, x, n);
        }
    (void)high;
}

static inline void
meeting_throw(struct meeting *m, struct look_pose *p, double height,
              bool aligned, bool turns)
{
    memset(p, 0, sizeof *p);
    for (int k = 0; k < m->dim - 1; k++)
        p->x[k] = aligned && meeting_chance(m, 0.5)
                      ? 0
                      : meeting_number(m, -0.3, 0.3);
    p->x[m->dim - 1] = height;
    for (int k = 0; k < m->dim; k++)
        p->v[k] = aligned ? (k == m->dim - 1 || meeting_chance(m, 0.3)
                                 ? meeting_number(m, -1, 1)
                                 : 0)
                  : meeting_chance(m, 0.5) ? meeting_number(m, -1, 1)
                                           : 0;
    for (int k = m->dim == 2 ? 2 : 0; k < 3 && turns; k++)
        p->w[k] = meeting_number(m, -2, 2) * (meeting_chance(m, 0.2) ? 5 : 1);
}

static inline void
meeting_shape(struct meeting *m, enum meeting_kind kind, int which,
              struct look_shape *s)
{
    double size[3] = {0.1, 0.1, 0.1};
    memset(s, 0, sizeof *s);
    for (int k = 0; k < m->dim; k++) {
        size[k] = meeting_number(m, 0.2, 0.7);
        if (meeting_chance(m, 0.15))
            size[k] = 0.05;
    }
    switch (kind) {
    case MEETING_ALIGNED:
    case MEETING_ALIGNED_BOXES:
        if (which && meeting_chance(m, 0.3)) {
            *s = m->shape[m->n_body - 1]; /* equal bodies */
            s->mass = 0;
            return;
        }
        meeting_box(s, m->dim, size);
        return;
    case MEETING_BOXES:
        meeting_box(s, m->dim, size);
        return;
    case MEETING_DISCS:
    case MEETING_BALLS:
        if (which == 0)
            break;
        s->kind = LOOK_SMOOTH;
        s->dim = m->dim;
        for (int k = 0; k < m->dim; k++)
            s->semi[k] = meeting_chance(m, 0.4) && k ? s->semi[0]
                                                     : 0.5 * fmax(size[k], 0.2);
        return;
    default:
        break;
    }
    meeting_hull(m, s, meeting_number(m, 0.2, 0.45));
}

static inline void
meeting_model(struct meeting *m, enum meeting_kind kind, uint64_t seed,
              double until, const char *options)
{
    bool soft = m->soft;
    memset(m, 0, sizeof *m);
    m->soft = soft;
    m->seed = seed * 0x2545f4914f6cdd1du + (uint64_t)kind;
    m->round = meeting_chance(m, 0.5);
    m->dim = kind == MEETING_BOXES || kind == MEETING_POLYHEDRA ||
                     kind == MEETING_ALIGNED_BOXES || kind == MEETING_BALLS
                 ? 3
                 : 2;
    m->until = until;
    m->gravity[m->dim - 1] = -5;
    meeting_add(m, "use shapes\nworld { gravity = (%s0, -5)%s }\n",
                m->dim == 3 ? "0, " : "",
                meeting_chance(m, 0.3) ? "  law = complementarity" : "");
    bool aligned = kind == MEETING_ALIGNED || kind == MEETING_ALIGNED_BOXES;
    bool turns = !aligned || meeting_chance(m, 0.4);
    if (kind == MEETING_WALLS) {
        static const double at[3][4] = {
            {0, -1.1, 2.2, 0.2}, {-1.1, 0, 0.2, 3}, {1.1, 0, 0.2, 3}};
        for (int i = 0; i < 3; i++) {
            struct look_shape *s = &m->shape[m->n_body];
            memset(s, 0, sizeof *s);
            memset(&m->pose[m->n_body], 0, sizeof m->pose[0]);
            meeting_box(s, 2, at[i] + 2);
            s->fixed = true;
            memcpy(m->pose[m->n_body].x, at[i], 2 * sizeof(double));
            meeting_body(m, false);
        }
    } else {
        meeting_walls(m, 0);
    }
    int walls = m->n_body, many = kind == MEETING_THREE ? 3 : 2;
    double height = -0.45;
    for (int i = 0; i < many; i++) {
        meeting_shape(m, kind, i, &m->shape[m->n_body]);
        meeting_throw(m, &m->pose[m->n_body], height, aligned, turns);
        meeting_body(m, turns && !(aligned && meeting_chance(m, 0.5)));
        height += 1.1;
    }
    double wall_e = m->soft                  ? meeting_number(m, 0, 0.95)
                    : meeting_chance(m, 0.7) ? 1
                                             : meeting_number(m, 0.7, 1);
    double pair_e = !m->soft                 ? 0.98
                    : meeting_chance(m, 0.2) ? 0
                                             : meeting_number(m, 0.05, 0.95);
    for (int b = walls; b < m->n_body; b++)
        for (int w = 0; w < walls; w++)
            meeting_contact(m, w, b, wall_e);
    for (int a = walls; a < m->n_body; a++)
        for (int b = a + 1; b < m->n_body; b++)
            meeting_contact(m, a, b, pair_e);
    meeting_add(m, "simulate { until = %.17g %s\n  record = (", until, options);
    for (int b = walls; b < m->n_body; b++)
        meeting_add(m,
                    m->dim == 2
                        ? "%s%s.position, %s.velocity, %s.angle, %s.spin"
                        : "%s%s.position, %s.velocity, %s.quaternion, %s.spin",
                    b > walls ? ", " : "", m->name[b], m->name[b], m->name[b],
                    m->name[b]);
    meeting_add(m, ") }\n");
}

#endif
