/* SPDX-License-Identifier: MIT */
/* Inside the room: what a log holds. */
#ifndef IMP_ANALYSIS_TRACE_RUN_LOG_PRIV_H
#define IMP_ANALYSIS_TRACE_RUN_LOG_PRIV_H

#include "analysis/trace/run_bytes.h"
#include "analysis/trace/run_log.h"
#include "runtime/motion/contact_point.h"
#include "runtime/trace/trace.h"

struct run_event {
    double time, impulse;
    uint32_t contact, body[2];
    const char *kind, *class;
    size_t n_points; /* of the points, in their order */
};
struct run_point {
    double at[3], normal[3], impulse;
    uint32_t contact;
};
struct run_energy {
    double time, kinetic, potential;
};
/* A force that keeps a point of a contact closed: along the normal, and of
 * friction on the second body (N). */
struct run_force {
    double time, since; /* since: the beginning of its step (s) */
    double at[3], normal[3], force, friction[2];
    uint32_t contact, number; /* of the point, in `held` */
};
/* The shape of a ball, as it stands in the JSON of the scene. */
struct run_ball {
    double radius;
    size_t from, to;
};
struct run_log {
    struct analysis *analysis;
    struct rt *run;
    size_t limit; /* bytes */
    struct {
        struct run_event *v;
        size_t n, cap;
    } events;
    struct {
        struct run_point *v;
        size_t n, cap;
    } points;
    size_t told; /* points that belong to events; the others wait */
    struct {
        struct run_energy *v;
        size_t n, cap;
    } energies;
    struct {
        struct run_force *v;
        size_t n, cap;
    } forces;
    struct {
        struct contact_point *v;
        size_t n, cap;
    } held; /* all points that were held at some time */
    struct {
        double *v;
        size_t n, cap;
    } gaps; /* per instant in `energies`: a gap per contact, NaN: not known */
    struct {
        struct run_ball *v;
        size_t n, cap;
    } balls;                /* of different radii */
    struct run_bytes scene; /* made at the start; the file grows from it */
    unsigned char *groups;  /* for the movers of systems */
};

/* Text of a name of the image. */
static inline const char *
run_name(const struct run_log *log, imp_str name)
{
    return imp_text(log->run->im, name);
}
/* `"line": N, "text": "..."`: the line of the model where something stands. */
void run_place(struct run_log *log, struct run_bytes *bytes, imp_range where);

/* Are there so few contacts that their gaps are kept? Each instant asks for
 * the closest points of all of them. */
#define RUN_GAPS_MOST 64
/* Does a contact stand for many pairs? Then each event says which two met. */
bool run_has_rule(const struct rt *run);
static inline bool
run_keeps_gaps(const struct run_log *log)
{
    return log->run->im->contacts.n <= RUN_GAPS_MOST && !run_has_rule(log->run);
}

/* -- run_scene.c: the file from its beginning, up to the end of "joints" ----
 */
void run_scene(struct run_log *log, struct run_bytes *bytes);

/* -- run_mesh.c: "shape" of a body ------------------------------------------
 */
void run_shape(struct run_log *log, struct run_bytes *bytes, uint32_t body);
/* "surfaces" of level sets that change with the time, up to the time `end`. */
void run_surfaces(struct run_log *log, struct run_bytes *bytes, double end);
/* The triangles that all meshes share. */
void run_triangles(struct run_bytes *bytes);

/* -- run_glsl.c: "formula" of a level set, for a graphics card; nothing where
 * its language lacks an operator, or the formula is long --------------------
 */
void run_glsl(struct run_log *log, struct run_bytes *bytes, uint32_t body);

/* -- run_outline.c: "shape" of a drawing ------------------------------------
 */
void run_outline(struct run_log *log, struct run_bytes *bytes,
                 const imp_system *system, const imp_drawing *drawing);

/* -- run_pieces.c: "motion", up to the time `end` ---------------------------
 */
void run_pieces(struct run_log *log, struct run_bytes *bytes, double end);

/* -- run_events.c -----------------------------------------------------------
 */
void run_events(struct run_log *log, struct run_bytes *bytes);
/* limits and recorded columns of the record */
void run_columns(struct run_log *log, struct run_bytes *bytes,
                 const struct record *record);

#endif
