/* SPDX-License-Identifier: MIT */
/* The shapes of bodies, as they are drawn. Polytopes are exact. A level set
 * becomes the points where rays from its mass centre leave it, which lie on
 * G = 0 to rounding, with the gradient as normal: a sphere of triangles in
 * space, an outline in the plane. Directions are stretched by how far the body
 * reaches along its axes, so that long bodies have no coarse ends. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/run_log_priv.h"
#include "runtime/geometry/polytope.h"
#include "runtime/geometry/ray.h"
#include "runtime/geometry/support.h"

/* an octahedron whose sides are cut into so many parts */
#define MESH_PARTS 24
#define MESH_CORNERS (4 * MESH_PARTS * MESH_PARTS + 2)
#define MESH_TRIANGLES (8 * MESH_PARTS * MESH_PARTS)
#define OUTLINE_CORNERS 360

/* -- the sphere of directions -----------------------------------------------
 */

/* Ring k of the sphere, counted from the upper pole, has 4 min(k, 2 n - k)
 * corners, one at the poles. */
static int
ring_size(int k)
{
    int less = k < MESH_PARTS ? k : 2 * MESH_PARTS - k;
    return less ? 4 * less : 1;
}

static int
ring_first(int k)
{
    int first = 0;
    for (int i = 0; i < k; i++)
        first += ring_size(i);
    return first;
}

static void
directions(double (*to)[3])
{
    const double pi = acos(-1.0);
    for (int k = 0; k <= 2 * MESH_PARTS; k++) {
        double polar = pi * k / (2.0 * MESH_PARTS);
        int size = ring_size(k);
        for (int i = 0; i < size; i++, to++) {
            double turn = 2.0 * pi * i / size;
            (*to)[0] = sin(polar) * cos(turn);
            (*to)[1] = sin(polar) * sin(turn);
            (*to)[2] = cos(polar);
        }
    }
}

/* The strip between rings k and k + 1: in each quarter the ring that is nearer
 * to the equator has one side more. */
static uint16_t *
strip(uint16_t *to, int k)
{
    bool grows = k < MESH_PARTS;
    int outer = grows ? k + 1 : k, inner = grows ? k : k + 1;
    int n_outer = ring_size(outer), n_inner = ring_size(inner);
    int sides = n_outer / 4, o = ring_first(outer), i = ring_first(inner);
    for (int quarter = 0; quarter < 4; quarter++)
        for (int s = 0; s < sides; s++) {
            int out = quarter * sides + s, in = quarter * (sides - 1) + s;
            int a = o + out, b = o + (out + 1) % n_outer;
            int c = i + in % n_inner, d = i + (in + 1) % n_inner;
            int one[3] = {a, grows ? b : c, grows ? c : b};
            for (int j = 0; j < 3; j++)
                *to++ = (uint16_t)one[j];
            if (s + 1 == sides)
                continue;
            int two[3] = {b, grows ? d : c, grows ? c : d};
            for (int j = 0; j < 3; j++)
                *to++ = (uint16_t)two[j];
        }
    return to;
}

void
run_triangles(struct run_bytes *bytes)
{
    uint16_t *corner = mem_alloc(3 * MESH_TRIANGLES * sizeof *corner);
    uint16_t *end = corner;
    for (int k = 0; k < 2 * MESH_PARTS; k++)
        end = strip(end, k);
    assert(end == corner + 3 * (size_t)MESH_TRIANGLES);
    run_u16(bytes, corner, 3 * (size_t)MESH_TRIANGLES);
    free(corner);
}

/* -- level sets -------------------------------------------------------------
 */

/* Where rays from the mass centre leave the body, about it, and the unit
 * normals there. False: it is no surface around its mass centre. */
static bool
surface(struct rt *run, uint32_t body, const double (*along)[3], int n,
        float *corner, float *normal)
{
    const double *centre =
        run->env + rt_body(run, body)->env_body + IMP_BODY_CENTRE;
    int dim = (int)run->im->dim;
    double reach[3] = {1.0, 1.0, 1.0}, guess = 0.0;
    for (int i = 0; i < dim; i++) {
        double ray[3] = {0}, far = 0.0;
        for (int side = -1; side <= 1; side += 2) {
            struct ray_hit hit;
            ray[i] = side;
            if (ray_hit(run, body, centre, ray, 0.0, &hit) != RAY_OK)
                return false;
            far = fmax(far, hit.rho);
        }
        reach[i] = far;
    }
    for (int k = 0; k < n; k++) {
        double ray[3] = {0}, length = 0.0, steep = 0.0;
        struct ray_hit hit;
        for (int i = 0; i < dim; i++)
            length = hypot(length, ray[i] = along[k][i] * reach[i]);
        for (int i = 0; i < dim; i++)
            ray[i] /= length;
        if (ray_hit(run, body, centre, ray, guess, &hit) != RAY_OK)
            return false;
        guess = hit.rho;
        for (int i = 0; i < dim; i++)
            steep = hypot(steep, hit.g[i]);
        for (int i = 0; i < dim; i++) {
            corner[dim * k + i] = (float)(hit.rho * ray[i]);
            normal[dim * k + i] =
                (float)(steep > 0.0 ? hit.g[i] / steep : ray[i]);
        }
    }
    return true;
}

/* Where the rays go that make the surface of a level set; how many they are. */
static int
rays(bool plane, double (*along)[3])
{
    if (!plane) {
        directions(along);
        return MESH_CORNERS;
    }
    for (int k = 0; k < OUTLINE_CORNERS; k++) {
        along[k][0] = cos(2.0 * acos(-1.0) * k / OUTLINE_CORNERS);
        along[k][1] = sin(2.0 * acos(-1.0) * k / OUTLINE_CORNERS);
    }
    return OUTLINE_CORNERS;
}

/* The radius of a disc or ball about its mass centre (m); 0: it is none. */
static double
ball_radius(const struct rt *run, uint32_t body)
{
    const imp_body *of = rt_body(run, body);
    const double *centre = run->env + of->env_body + IMP_BODY_CENTRE;
    bool middle = true;
    for (uint32_t i = 0; i < run->im->dim; i++)
        middle &= centre[i] == 0.0;
    return middle && of->flags & IMP_BODYF_BALL
               ? run->env[of->env_body + IMP_BODY_RADIUS]
               : 0.0;
}

/* Writes what an earlier body has as shape, if both are balls of one radius:
 * their corners need not be calculated again. */
static bool
same_ball(struct run_log *log, struct run_bytes *bytes, uint32_t body)
{
    double radius = ball_radius(log->run, body);
    for (size_t i = 0; radius > 0.0 && i < log->balls.n; i++)
        if (log->balls.v[i].radius == radius) {
            size_t n = log->balls.v[i].to - log->balls.v[i].from;
            char *to = buf_room(&bytes->json, n); /* may move the text */
            memcpy(to, bytes->json.s + log->balls.v[i].from, n);
            return true;
        }
    return false;
}

static bool
level_set(struct rt *run, struct run_bytes *bytes, uint32_t body)
{
    bool plane = run->im->dim == 2;
    int n = plane ? OUTLINE_CORNERS : MESH_CORNERS;
    size_t numbers = (size_t)n * run->im->dim;
    double(*along)[3] = mem_alloc((size_t)n * sizeof *along);
    float *corner = mem_alloc(2 * numbers * sizeof *corner);
    rays(plane, along);
    bool good = surface(run, body, (const double(*)[3])along, n, corner,
                        corner + numbers);
    if (good) {
        run_text(bytes, plane ? "outline" : "mesh");
        run_key(bytes, "corners");
        run_f32_once(bytes, corner, numbers);
    }
    if (good && !plane) {
        run_key(bytes, "normals");
        run_f32_once(bytes, corner + numbers, numbers);
    }
    free(along);
    free(corner);
    return good;
}

/* -- level sets that change -------------------------------------------------
 * They are kept at times that lie evenly in the run, so many that corners
 * half-way between two of them are where straight lines lead, up to MOVING_OFF
 * of the body's reach, if `most` times do. */
#define MOVING_LEAST 16
#define MOVING_MOST_OUTLINES 1024
#define MOVING_MOST_MESHES 64 /* 55 kB each */
#define MOVING_OFF 1e-3

struct moving {
    struct rt *run;
    uint32_t body;
    const double (*along)[3];
    int n_rays, most;
    double end;
    size_t numbers; /* of one frame: corners, then normals */
    float
        *frames; /* most + 1 of them; those at multiples of a step are known */
};

/* Makes frame k of 0 .. most. False: there is no surface around the mass centre
 * then. */
static bool
frame(const struct moving *moving, int k)
{
    double *time = &moving->run->env[moving->run->im->layout.time], now = *time;
    float *to = moving->frames + (size_t)k * moving->numbers;
    *time = moving->end * k / moving->most;
    bool good = surface(moving->run, moving->body, moving->along,
                        moving->n_rays, to, to + moving->numbers / 2);
    *time = now;
    return good;
}

/* How far the corners of frame k lie from the middle between frames k - step
 * and k + step, as a share of how far the body reaches. */
static double
bend(const struct moving *moving, int k, int step)
{
    const float *here = moving->frames + (size_t)k * moving->numbers,
                *before = here - (size_t)step * moving->numbers,
                *after = here + (size_t)step * moving->numbers;
    double most = 0.0, far = 0.0;
    for (size_t i = 0; i < moving->numbers / 2; i++) {
        double middle = 0.5 * ((double)before[i] + (double)after[i]);
        far = fmax(far, fabs((double)here[i]));
        most = fmax(most, fabs((double)here[i] - middle));
    }
    return far > 0.0 ? most / far : 0.0;
}

/* Makes as many frames as are needed. Returns the step between those that are
 * kept; 0: there are none. *off: how far straight lines between them lead
 * astray. */
static int
frames(const struct moving *moving, double *off)
{
    int step = moving->most / MOVING_LEAST;
    for (int k = 0; k <= moving->most; k += step)
        if (!frame(moving, k))
            return 0;
    *off = INFINITY;
    while (step > 1 && *off > MOVING_OFF) {
        *off = 0.0;
        for (int k = step / 2; k < moving->most; k += step) {
            if (!frame(moving, k))
                return 0;
            *off = fmax(*off, bend(moving, k, step / 2));
        }
        step /= 2;
    }
    return step;
}

static void
put_moving(struct run_bytes *bytes, const struct moving *moving, int step,
           double off)
{
    size_t n = (size_t)(moving->most / step) + 1, half = moving->numbers / 2;
    float *part = mem_alloc(n * half * sizeof *part);
    run_comma(bytes);
    buf_puts(&bytes->json, "{\"body\": ");
    run_number(bytes, moving->body);
    run_key(bytes, "frames");
    run_number(bytes, (double)n);
    run_key(bytes, "off");
    run_number(bytes, off);
    for (int which = 0; which < (moving->run->im->dim == 3 ? 2 : 1); which++) {
        for (size_t i = 0; i < n; i++)
            memcpy(part + i * half,
                   moving->frames + i * (size_t)step * moving->numbers +
                       (size_t)which * half,
                   half * sizeof *part);
        run_key(bytes, which ? "normals" : "corners");
        run_f32(bytes, part, n * half);
    }
    buf_putc(&bytes->json, '}');
    free(part);
}

void
run_surfaces(struct run_log *log, struct run_bytes *bytes, double end)
{
    assert(log != NULL && bytes != NULL);
    struct rt *run = log->run;
    bool plane = run->im->dim == 2;
    int n = plane ? OUTLINE_CORNERS : MESH_CORNERS;
    double(*along)[3] = mem_alloc((size_t)n * sizeof *along);
    struct moving moving = {.run = run,
                            .along = (const double(*)[3])along,
                            .n_rays = rays(plane, along),
                            .most = plane ? MOVING_MOST_OUTLINES
                                          : MOVING_MOST_MESHES,
                            .end = end,
                            .numbers = 2 * (size_t)n * run->im->dim};
    run_key(bytes, "surfaces");
    buf_putc(&bytes->json, '[');
    for (uint32_t i = 0; i < run->im->bodies.n && end > 0.0; i++) {
        uint32_t flags = rt_body(run, i)->flags;
        double off = 0.0;
        if (!(flags & IMP_BODYF_GTIME) || flags & IMP_BODYF_FLAT ||
            (run->polytope && run->polytope[i]))
            continue;
        moving.body = i;
        moving.frames = mem_alloc(((size_t)moving.most + 1) * moving.numbers *
                                  sizeof *moving.frames);
        int step = frames(&moving, &off);
        if (step)
            put_moving(bytes, &moving, step, off);
        free(moving.frames);
    }
    buf_putc(&bytes->json, ']');
    free(along);
}

/* -- all shapes -------------------------------------------------------------
 */

static void
polytope(struct run_bytes *bytes, const struct polytope *shape)
{
    run_text(bytes, "polytope");
    run_key(bytes, "corners");
    run_f64_once(bytes, shape->n_vertex ? shape->vertex[0] : NULL,
                 3 * (size_t)shape->n_vertex);
    run_key(bytes, "faces");
    buf_putc(&bytes->json, '[');
    for (uint32_t i = 0; i < shape->n_face; i++) {
        run_comma(bytes);
        buf_putc(&bytes->json, '[');
        for (uint32_t j = 0; j < shape->face[i].count; j++) {
            run_comma(bytes);
            run_number(bytes, shape->loop[shape->face[i].first + j]);
        }
        buf_putc(&bytes->json, ']');
    }
    buf_putc(&bytes->json, ']');
}

static void
half_space(struct run_bytes *bytes, const double normal[3], double offset)
{
    run_text(bytes, "half-space");
    run_key(bytes, "normal");
    run_numbers(bytes, normal, 3);
    run_key(bytes, "offset");
    run_number(bytes, offset);
}

/* The half-space of a level set that is linear: gradient and value at the mass
 * centre, which is the origin of a body without bounds. */
static bool
flat(struct rt *run, struct run_bytes *bytes, uint32_t body)
{
    const double *centre =
        run->env + rt_body(run, body)->env_body + IMP_BODY_CENTRE;
    struct support_body of;
    struct support_point at;
    support_body_get(run, body, &of);
    if (support_level(&of, centre, &at) != SUPPORT_FINE || !(at.norm > 0.0))
        return false;
    double normal[3] = {at.g[0] / at.norm, at.g[1] / at.norm,
                        at.g[2] / at.norm};
    half_space(bytes, normal, -at.G / at.norm);
    return true;
}

void
run_shape(struct run_log *log, struct run_bytes *bytes, uint32_t body)
{
    assert(log != NULL && body < log->run->im->bodies.n);
    struct rt *run = log->run;
    const imp_body *image_body = rt_body(run, body);
    const struct polytope *corners = run->polytope ? run->polytope[body] : NULL;
    bool known = true,
         again = false; /* again: an earlier body has this shape */
    buf_puts(&bytes->json, "{\"kind\": ");
    if (corners && corners->n_vertex)
        polytope(bytes, corners);
    else if (corners)
        half_space(bytes, corners->face[0].n, corners->face[0].d);
    else if (!(image_body->flags & IMP_BODYF_SHAPE))
        known = false;
    else if (image_body->flags & IMP_BODYF_FLAT)
        known = flat(run, bytes, body);
    else if (!(again = same_ball(log, bytes, body))) {
        struct run_ball ball = {ball_radius(run, body), bytes->json.n, 0};
        known = level_set(run, bytes, body);
        ball.to = bytes->json.n;
        if (known && ball.radius > 0.0)
            VEC_PUSH(&log->balls, ball);
    }
    if (!known)
        run_text(bytes,
                 image_body->flags & IMP_BODYF_SHAPE ? "unknown" : "none");
    if (image_body->flags & IMP_BODYF_SHAPE && !corners &&
        !(image_body->flags & IMP_BODYF_FLAT) && !again)
        run_glsl(log, bytes, body);
    if (image_body->flags & IMP_BODYF_GTIME) {
        run_key(bytes, "moves");
        buf_puts(&bytes->json, "true");
    }
    buf_putc(&bytes->json, '}');
}
