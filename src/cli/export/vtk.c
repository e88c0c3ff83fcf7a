/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as files of VTK (PolyData in XML, VTK 9's file formats), for ParaView
 * and for programs that calculate with the surfaces. Numbers are doubles. A
 * file holds all bodies at one time; a collection (.pvd) names the times. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cli/export/export.h"
#include "cli/export/shape.h"

/* Files of one run, in all, at most (bytes). */
#define VTK_MOST 1e9
/* corners of a disc of a drawing */
#define DISC_CORNERS 48

struct reals {
    double *v;
    size_t n, cap;
};
struct wholes {
    int64_t *v;
    size_t n, cap;
};
/* Cells of one kind: the points of all, and behind the last of each. */
struct cells {
    struct wholes points, ends;
};
/* One file. Cells come in the order of VTK: vertices, lines, polygons. */
struct poly {
    struct arena *arena;
    struct reals at;
    struct cells cells[3];
    struct wholes owner[3]; /* per cell: the body, or what the kind says */
};
enum { CELL_VERTEX, CELL_LINE, CELL_POLYGON };

static int64_t
point(struct poly *poly, double x, double y, double z)
{
    VEC_PUSH_IN(poly->arena, &poly->at, x);
    VEC_PUSH_IN(poly->arena, &poly->at, y);
    VEC_PUSH_IN(poly->arena, &poly->at, z);
    return (int64_t)(poly->at.n / 3 - 1);
}

static void
corner(struct poly *poly, int kind, int64_t number)
{
    VEC_PUSH_IN(poly->arena, &poly->cells[kind].points, number);
}

static void
cell_end(struct poly *poly, int kind, int64_t owner)
{
    VEC_PUSH_IN(poly->arena, &poly->cells[kind].ends,
                (int64_t)poly->cells[kind].points.n);
    VEC_PUSH_IN(poly->arena, &poly->owner[kind], owner);
}

/* -- the bytes --------------------------------------------------------------
 * Arrays stand behind the XML as raw bytes, each after its length. */

struct writing {
    struct buf xml, block;
};

static void
array_head(struct writing *to, const char *type, const char *name, int width,
           size_t bytes)
{
    buf_printf(&to->xml,
               "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
               "format=\"appended\" offset=\"%zu\"/>\n",
               type, name, width, to->block.n);
    uint64_t n = bytes;
    for (int i = 0; i < 8; i++)
        buf_putc(&to->block, (char)(n >> 8 * i & 0xff));
}

static void
put_word(struct buf *block, uint64_t bits)
{
    char *to = buf_room(block, 8);
    for (int i = 0; i < 8; i++)
        to[i] = (char)(bits >> 8 * i & 0xff);
}

static void
put_reals(struct writing *to, const char *name, int width,
          const struct reals *x)
{
    array_head(to, "Float64", name, width, 8 * x->n);
    for (size_t i = 0; i < x->n; i++) {
        uint64_t bits;
        memcpy(&bits, &x->v[i], sizeof bits);
        put_word(&to->block, bits);
    }
}

static void
put_wholes(struct writing *to, const char *name, const struct wholes *list,
           size_t lists)
{
    size_t n = 0;
    for (size_t k = 0; k < lists; k++)
        n += list[k].n;
    array_head(to, "Int64", name, 1, 8 * n);
    for (size_t k = 0; k < lists; k++)
        for (size_t i = 0; i < list[k].n; i++)
            put_word(&to->block, (uint64_t)list[k].v[i]);
}

struct field {
    const char *name;
    int width;
    const struct reals *x; /* per point */
};

/* The whole file of one time. owner: the name of what owners of cells are. */
static void
put_file(struct poly *poly, double t, const char *owner,
         const struct field *fields, size_t n_fields, struct buf *out)
{
    static const char *const kinds[] = {"Verts", "Lines", "Polys"};
    struct writing to = {0};
    struct reals time = {&t, 1, 0};
    buf_puts(&to.xml, "<VTKFile type=\"PolyData\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\" "
                      "header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n");
    buf_printf(&to.xml,
               "<DataArray type=\"Float64\" Name=\"TimeValue\" "
               "NumberOfTuples=\"1\" format=\"appended\" offset=\"%zu\"/>\n",
               to.block.n);
    put_word(&to.block, 8);
    memcpy(buf_room(&to.block, 8), time.v, 8);
    buf_printf(
        &to.xml,
        "</FieldData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" "
        "NumberOfLines=\"%zu\" NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n"
        "<PointData>\n",
        poly->at.n / 3, poly->owner[0].n, poly->owner[1].n, poly->owner[2].n);
    for (size_t i = 0; i < n_fields; i++)
        put_reals(&to, fields[i].name, fields[i].width, fields[i].x);
    buf_puts(&to.xml, "</PointData>\n<CellData>\n");
    put_wholes(&to, owner, poly->owner, 3);
    buf_puts(&to.xml, "</CellData>\n<Points>\n");
    put_reals(&to, "Points", 3, &poly->at);
    buf_puts(&to.xml, "</Points>\n");
    for (int kind = 0; kind < 3; kind++) {
        buf_printf(&to.xml, "<%s>\n", kinds[kind]);
        put_wholes(&to, "connectivity", &poly->cells[kind].points, 1);
        put_wholes(&to, "offsets", &poly->cells[kind].ends, 1);
        buf_printf(&to.xml, "</%s>\n", kinds[kind]);
    }
    buf_puts(&to.xml, "</Piece>\n</PolyData>\n<AppendedData "
                      "encoding=\"raw\">\n_");
    buf_put(out, to.xml.s, to.xml.n);
    buf_put(out, to.block.s, to.block.n);
    buf_puts(out, "\n</AppendedData>\n</VTKFile>\n");
    buf_free(&to.xml);
    buf_free(&to.block);
}

/* -- bodies and drawings ----------------------------------------------------
 */

/* The rotation matrix of a pose, by rows. */
static void
rotation(int dim, const double pose[7], double R[9])
{
    double q[4] = {1, 0, 0, 0}, n = 0.0;
    if (dim == 2) {
        q[0] = cos(0.5 * pose[2]);
        q[3] = sin(0.5 * pose[2]);
    } else {
        memcpy(q, pose + 3, sizeof q);
    }
    for (int i = 0; i < 4; i++)
        n += q[i] * q[i];
    double s = n > 0.0 ? 2.0 / n : 0.0, w = q[0], x = q[1], y = q[2], z = q[3];
    double of[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),
                    s * (x * z + w * y),     s * (x * y + w * z),
                    1 - s * (x * x + z * z), s * (y * z - w * x),
                    s * (x * z - w * y),     s * (y * z + w * x),
                    1 - s * (x * x + y * y)};
    memcpy(R, of, sizeof of);
}

static void
put_body(struct poly *poly, const struct run_read *run, size_t body,
         const struct shape_surface *surface, double t)
{
    double pose[7] = {0}, R[9];
    run_read_pose(run, body, t, false, pose, 7);
    rotation(run->dim, pose, R);
    int64_t first = (int64_t)(poly->at.n / 3);
    for (size_t i = 0; i < surface->at.n; i += 3) {
        const float *p = surface->at.v + i;
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = (k < run->dim ? pose[k] : 0.0) + R[3 * k] * (double)p[0] +
                   R[3 * k + 1] * (double)p[1] + R[3 * k + 2] * (double)p[2];
        point(poly, x[0], x[1], x[2]);
    }
    for (size_t i = 0; i < surface->triangles.n; i += 3) {
        for (int k = 0; k < 3; k++)
            corner(poly, CELL_POLYGON,
                   first + (int64_t)surface->triangles.v[i + (size_t)k]);
        cell_end(poly, CELL_POLYGON, (int64_t)body);
    }
    if (!surface->triangles.n) { /* a body without a shape */
        bool flat = run->dim == 2;
        corner(poly, CELL_VERTEX,
               point(poly, pose[0], pose[1], flat ? 0.0 : pose[2]));
        cell_end(poly, CELL_VERTEX, (int64_t)body);
    }
}

/* The corners of an outline; NULL: the item is none, or has no end. */
static const struct json *
outline_corners(const struct json *item)
{
    const struct json *shape = json_get(item, "shape");
    return shape ? json_get(shape, "corners") : NULL;
}

static void
put_outline(struct poly *poly, const struct run_read *run,
            const struct json *corners, const double x[3])
{
    for (size_t i = 0; i < run_read_count(corners) / 2; i++) {
        double u = run_read_number(run, corners, 2 * i),
               v = run_read_number(run, corners, 2 * i + 1);
        corner(poly, CELL_POLYGON,
               point(poly, x[0] + cos(x[2]) * u - sin(x[2]) * v,
                     x[1] + sin(x[2]) * u + cos(x[2]) * v, 0.0));
    }
}

/* Rods and springs as lines, discs and outlines as polygons, marks as vertices.
 */
static void
put_drawing(struct poly *poly, const struct run_read *run,
            const struct run_read_drawing *drawing, double t, int64_t owner)
{
    const struct json *ends = drawing->mover.end;
    size_t pieces = run_read_count(ends);
    if (!pieces || t > run_read_number(run, ends, pieces - 1))
        return; /* it has ended */
    double *x = NEW_N(poly->arena, double, drawing->mover.rows + 1);
    run_read_mover_at(run, &drawing->mover, t, false, x, drawing->mover.rows);
    for (const struct json *item = drawing->items->first; item;
         item = item->next) {
        size_t n = (size_t)json_get(item, "numbers")->number;
        const char *kind = json_get(item, "kind")->text;
        if (n >= 4) {
            corner(poly, CELL_LINE, point(poly, x[0], x[1], 0.0));
            corner(poly, CELL_LINE, point(poly, x[2], x[3], 0.0));
            cell_end(poly, CELL_LINE, owner);
        } else if (n == 3 && outline_corners(item)) {
            put_outline(poly, run, outline_corners(item), x);
            cell_end(poly, CELL_POLYGON, owner);
        } else if (n == 3 && !strcmp(kind, "disc")) {
            for (int k = 0; k < DISC_CORNERS; k++) {
                double angle = 2.0 * acos(-1.0) * k / DISC_CORNERS;
                corner(poly, CELL_POLYGON,
                       point(poly, x[0] + x[2] * cos(angle),
                             x[1] + x[2] * sin(angle), 0.0));
            }
            cell_end(poly, CELL_POLYGON, owner);
        } else if (n >= 2) {
            corner(poly, CELL_VERTEX, point(poly, x[0], x[1], 0.0));
            cell_end(poly, CELL_VERTEX, owner);
        }
        x += n;
    }
}

static void
scene_at(struct arena *arena, const struct run_read *run,
         const struct shape_surface *surfaces, double t, struct buf *out)
{
    struct poly poly = {.arena = arena};
    for (size_t i = 0; i < run->n_bodies; i++)
        put_body(&poly, run, i, &surfaces[i], t);
    for (size_t i = 0; i < run->n_drawings; i++)
        put_drawing(&poly, run, &run->drawings[i], t,
                    (int64_t)(run->n_bodies + i));
    put_file(&poly, t, "body", NULL, 0, out);
}

/* -- events and forces ------------------------------------------------------
 */

struct marks {
    struct poly poly;
    struct reals normal, impulse, force, friction;
};

static void
put_mark(struct marks *marks, const double at[7], bool event,
         const double friction[2], double contact)
{
    struct arena *arena = marks->poly.arena;
    corner(&marks->poly, CELL_VERTEX, point(&marks->poly, at[0], at[1], at[2]));
    cell_end(&marks->poly, CELL_VERTEX, (int64_t)contact);
    for (int k = 0; k < 3; k++) {
        VEC_PUSH_IN(arena, &marks->normal, at[3 + k]);
        VEC_PUSH_IN(arena, &marks->impulse, event ? at[6] * at[3 + k] : 0.0);
        VEC_PUSH_IN(arena, &marks->force, event ? 0.0 : at[6] * at[3 + k]);
        VEC_PUSH_IN(arena, &marks->friction,
                    friction && k < 2 ? friction[k] : 0.0);
    }
}

/* Where the walk through events and forces stands. */
struct walk {
    size_t event, point, force;
};

static void
seven(const struct run_read *run, const struct json *list, size_t i,
      double at[7])
{
    for (size_t k = 0; k < 7; k++)
        at[k] = run_read_number(run, list, 7 * i + k);
}

/* Events up to the time t that have not been told. */
static void
events_until(struct marks *marks, const struct run_read *run, double t,
             struct walk *walk)
{
    const struct json *events = json_get(run->top, "events");
    for (; walk->event < run->n_events; walk->event++) {
        size_t i = walk->event;
        if (run_read_number(run, json_get(events, "t"), i) > t)
            return;
        double n = run_read_number(run, json_get(events, "points"), i), at[7];
        for (double k = 0.0; k < n; k++) {
            seven(run, json_get(events, "point"), walk->point++, at);
            put_mark(marks, at, true, NULL,
                     run_read_number(run, json_get(events, "contact"), i));
        }
    }
}

/* The forces at points that are held at time t: of each, the last entry up to
 * t, if the next one of this point continues it. */
static void
forces_at(struct marks *marks, const struct run_read *run, double t,
          struct walk *walk)
{
    const struct json *forces = json_get(run->top, "forces"),
                      *time = json_get(forces, "t"),
                      *since = json_get(forces, "since"),
                      *number = json_get(forces, "number"),
                      *rub = json_get(forces, "friction");
    size_t n = run_read_count(time);
    if (run_read_count(json_get(forces, "point")) != 7 * n ||
        run_read_count(since) != n || run_read_count(number) != n ||
        run_read_count(rub) != 2 * n ||
        run_read_count(json_get(forces, "contact")) != n)
        return;
    while (walk->force < n && run_read_number(run, time, walk->force) <= t)
        walk->force++;
    /* the entries of one instant stand together */
    double now = walk->force ? run_read_number(run, time, walk->force - 1) : 0;
    double later =
        walk->force < n ? run_read_number(run, time, walk->force) : 0;
    for (size_t i = walk->force;
         i-- > 0 && run_read_number(run, time, i) == now;) {
        double at[7], next[7], pair[2];
        size_t j = walk->force;
        while (j < n && run_read_number(run, time, j) == later &&
               run_read_number(run, number, j) !=
                   run_read_number(run, number, i))
            j++;
        bool goes_on =
            j < n && run_read_number(run, time, j) == later &&
            run_read_number(run, since, j) > run_read_number(run, since, i);
        if (!goes_on && now < t)
            continue;
        double share = 0.0;
        if (goes_on)
            share = (t - now) / (later - now);
        seven(run, json_get(forces, "point"), i, at);
        seven(run, json_get(forces, "point"), goes_on ? j : i, next);
        for (int k = 0; k < 7; k++)
            at[k] += share * (next[k] - at[k]);
        for (size_t k = 0; k < 2; k++) {
            double here = run_read_number(run, rub, 2 * i + k);
            pair[k] =
                here +
                share * (run_read_number(run, rub, 2 * (goes_on ? j : i) + k) -
                         here);
        }
        put_mark(marks, at, false, pair,
                 run_read_number(run, json_get(forces, "contact"), i));
    }
}

static void
marks_at(struct arena *arena, const struct run_read *run, double t,
         struct walk *walk, struct buf *out)
{
    struct marks marks = {.poly = {.arena = arena}};
    events_until(&marks, run, t, walk);
    forces_at(&marks, run, t, walk);
    struct field fields[] = {{"normal", 3, &marks.normal},
                             {"impulse", 3, &marks.impulse},
                             {"force", 3, &marks.force},
                             {"friction", 3, &marks.friction}};
    put_file(&marks.poly, t, "contact", fields, 4, out);
}

/* -- the collection ---------------------------------------------------------
 */

static void
put_name(struct buf *pvd, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            buf_puts(pvd, "&amp;");
        else if (*text == '<')
            buf_puts(pvd, "&lt;");
        else if (*text == '"')
            buf_puts(pvd, "&quot;");
        else
            buf_putc(pvd, *text);
    }
}

/* One file and its line in the collection. */
static bool
put_part(struct buf *pvd, const char *folder, const char *name, double t,
         int part, export_write_fn *write, void *ctx, const struct buf *bytes)
{
    char time[NUM_TEXT];
    buf_printf(pvd, "<DataSet timestep=\"%s\" part=\"%d\" file=\"",
               num_shortest(time, t), part);
    put_name(pvd, folder);
    buf_printf(pvd, "/%s\"/>\n", name);
    return write(ctx, name, bytes);
}

/* The surfaces of all bodies. *bytes: of one file of them. */
static const char *
surfaces_of(struct arena *arena, const struct run_read *run,
            struct shape_surface **list, double *bytes)
{
    struct shape_scene scene = shape_scene(arena, run);
    struct shape_surface *to = *list =
        NEW_N(arena, struct shape_surface, run->n_bodies + 1);
    *bytes = 2000.0;
    for (const struct json *body = json_get(run->top, "bodies")->first; body;
         body = body->next, to++) {
        const char *why = shape_surface(&scene, body, to);
        if (why)
            return why;
        *bytes += 8.0 * (double)(to->at.n + to->triangles.n) +
                  16.0 / 3.0 * (double)to->triangles.n;
    }
    return NULL;
}

const char *
export_vtk(struct arena *arena, const struct run_read *run, const char *folder,
           double every, export_write_fn *write, void *ctx, struct buf *pvd,
           bool *wrote)
{
    assert(arena && run && folder && write && pvd && wrote && every > 0.0);
    struct shape_surface *surfaces;
    double size, frames = floor(run->end / every * (1.0 + 1e-12));
    const char *why = surfaces_of(arena, run, &surfaces, &size);
    *wrote = true;
    if (why)
        return why;
    if (!run->n_bodies && !run->n_drawings)
        return "it has neither bodies nor systems with a drawing";
    if (size * (frames + 2.0) > VTK_MOST)
        return arena_printf(arena,
                            "its %.0f times would take %.0f GB: choose a "
                            "longer --every",
                            frames + 1.0, size * frames / 1e9);
    buf_puts(pvd, "<VTKFile type=\"Collection\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\">\n<Collection>\n");
    struct walk walk = {0};
    struct arena *brief = arena_new();
    for (double k = 0.0; k <= frames + 1.0 && *wrote; k++) {
        double t = k > frames ? run->end : fmin(k * every, run->end);
        char name[40];
        struct buf bodies = {0}, marks = {0};
        if (k > frames && frames * every >= run->end)
            break;
        scene_at(brief, run, surfaces, t, &bodies);
        marks_at(brief, run, t, &walk, &marks);
        snprintf(name, sizeof name, "bodies_%06.0f.vtp", k);
        *wrote = put_part(pvd, folder, name, t, 0, write, ctx, &bodies);
        snprintf(name, sizeof name, "contacts_%06.0f.vtp", k);
        *wrote =
            *wrote && put_part(pvd, folder, name, t, 1, write, ctx, &marks);
        buf_free(&bodies);
        buf_free(&marks);
        arena_clear(brief);
    }
    arena_free(brief);
    buf_puts(pvd, "</Collection>\n</VTKFile>\n");
    return NULL;
}
