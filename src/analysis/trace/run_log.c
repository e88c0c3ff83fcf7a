/* SPDX-License-Identifier: MIT */
/* The log of a traced run while it goes, and its end (run_log.h). */
#include "analysis/trace/run_log.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/trace/run_file.h"
#include "analysis/trace/run_log_priv.h"
#include "base/num.h"
#include "base/source.h"
#include "runtime/gap/closest_points.h"
#include "runtime/geometry/polytope.h"
#include "runtime/geometry/pose.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/instance/contact_table.h"
#include "runtime/instance/system.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/numerics/vec3.h"

/* Whoever stops a run does not wait for a file that nobody has asked for: it is
 * made of a log of up to this share of its limit, in less than half a second.
 */
#define STOPPED_SHARE 16

/* The movers of the trace: bodies, then systems. */
static struct trace *
new_trace(struct run_log *log, size_t limit)
{
    static const unsigned char plane[3] = {0, 0, 1},
                               space[7] = {0, 0, 0, 1, 1, 1, 1};
    const imp_image *im = log->run->im;
    uint32_t n = im->bodies.n + im->systems.n, widest = 0;
    struct trace_mover *movers = mem_alloc((n + 1) * sizeof *movers);
    for (uint32_t i = 0; i < im->systems.n; i++)
        widest = rt_system(log->run, i)->n > widest ? rt_system(log->run, i)->n
                                                    : widest;
    log->groups = mem_alloc(widest + 1);
    for (uint32_t j = 0; j < widest; j++)
        log->groups[j] = (unsigned char)(j & 0xff);
    for (uint32_t i = 0; i < im->bodies.n; i++)
        movers[i] = im->dim == 2 ? (struct trace_mover){3, plane}
                                 : (struct trace_mover){7, space};
    for (uint32_t i = 0; i < im->systems.n; i++)
        movers[im->bodies.n + i] =
            (struct trace_mover){rt_system(log->run, i)->n, log->groups};
    struct trace *trace = trace_new(movers, n, limit);
    free(movers);
    return trace;
}

void
run_log_free(struct run_log *log)
{
    if (!log)
        return;
    trace_free(log->run->trace);
    log->run->trace = NULL;
    free(log->events.v);
    free(log->points.v);
    free(log->energies.v);
    free(log->forces.v);
    free(log->held.v);
    free(log->gaps.v);
    free(log->balls.v);
    free(log->groups);
    run_bytes_free(&log->scene);
    free(log);
}

void
run_log_begin(struct run_log *log)
{
    assert(log != NULL && log->scene.json.n == 0);
    run_scene(log, &log->scene);
}

/* Counts bytes that are about to be kept. False: the log is full. */
static bool
counted(struct run_log *log, size_t bytes)
{
    if (trace_full(log->run->trace))
        return false;
    trace_count(log->run->trace, bytes);
    return true;
}

void
run_log_point(struct run_log *log, uint32_t contact, const double at[3],
              const double normal[3], double impulse)
{
    assert(log != NULL && at != NULL && normal != NULL);
    struct run_point point = {.contact = contact, .impulse = impulse};
    memcpy(point.at, at, sizeof point.at);
    memcpy(point.normal, normal, sizeof point.normal);
    if (!counted(log, sizeof point))
        return;
    VEC_PUSH(&log->points, point);
}

void
run_log_impact(struct run_log *log, const struct impact_of_run *problem,
               int number, double impulse)
{
    assert(problem != NULL && number >= 0 &&
           (uint32_t)number < problem->p.n_contact);
    const struct impact_contact *contact = &problem->p.contact[number];
    double at[3], normal[3], length = vec3_norm(contact->dir);
    for (int i = 0; i < 3; i++) {
        at[i] = contact->p[i] + problem->origin[i];
        normal[i] = contact->dir[i] / length;
    }
    run_log_point(log, problem->contact[number], at, normal, impulse);
}

/* The closest points of a contact, which leave the state and the starts of
 * later searches as they are. */
static bool
closest(struct run_log *log, uint32_t contact, struct closest_points *found)
{
    const imp_contact *of = rt_contact(log->run, contact);
    if (of->system != IMP_NO_SYSTEM || of->flags & IMP_CONTACTF_STATED)
        return false;
    int st = closest_points_look(log->run, contact, found);
    return st == IMP_OK || st == IMP_SINGULAR;
}

/* Moves the points of this contact that wait to the event. The others wait
 * for theirs; points that wait longer than an instant are forgotten. */
static size_t
take_points(struct run_log *log, uint32_t contact)
{
    size_t first = log->told;
    for (size_t i = first; i < log->points.n; i++)
        if (log->points.v[i].contact == contact) {
            struct run_point point = log->points.v[i];
            log->points.v[i] = log->points.v[log->told];
            log->points.v[log->told++] = point;
        }
    return log->told - first;
}

void
run_log_event(struct run_log *log, uint32_t contact, const uint32_t *body,
              const char *kind, const char *class, double impulse)
{
    assert(log != NULL && kind != NULL && class != NULL);
    const uint32_t *of = body ? body : rt_contact(log->run, contact)->body;
    struct run_event event = {.time = rt_time(log->run),
                              .impulse = impulse,
                              .contact = contact_table_rule(log->run, contact),
                              .body = {of[0], of[1]},
                              .kind = kind,
                              .class = class};
    if (!counted(log, sizeof event))
        return;
    event.n_points = take_points(log, contact);
    struct closest_points found;
    if (!event.n_points && closest(log, contact, &found)) {
        run_log_point(log, contact, found.P, found.n, impulse);
        event.n_points = take_points(log, contact);
    }
    VEC_PUSH(&log->events, event);
}

/* Where a held point is: a vertex of a polytope, or the closest point of the
 * first body. */
static void
place(const struct rt *run, const struct contact_point *point,
      const struct closest_points *found, double at[3])
{
    const imp_contact *contact = rt_contact(run, point->contact);
    uint32_t body = contact->body[!point->face_of];
    memcpy(at, found->P, 3 * sizeof *at);
    if (point->kind != POINT_VERTEX || body == IMP_WORLD ||
        !run->polytope[body])
        return;
    const double *vertex = run->polytope[body]->vertex[point->vertex];
    const double *centre = run->env + rt_body(run, body)->env_state;
    double R[9];
    pose_rotation(run, body, R);
    for (int i = 0; i < 3; i++)
        at[i] = (i < (int)run->im->dim ? centre[i] : 0.0) +
                R[3 * i] * vertex[0] + R[3 * i + 1] * vertex[1] +
                R[3 * i + 2] * vertex[2];
}

/* The number of the point: the same one as long as it is held, also by another
 * step. */
static uint32_t
point_number(struct run_log *log, const struct contact_point *point)
{
    for (uint32_t i = 0; i < log->held.n; i++)
        if (contact_point_same(&log->held.v[i], point))
            return i;
    VEC_PUSH(&log->held, *point);
    return (uint32_t)log->held.n - 1;
}

/* At several times of a step: the forces at the points that are held now. A
 * search goes back and begins again, so what was kept of later times goes. */
static void
keep_forces(void *ctx, int order, double ahead)
{
    struct run_log *log = ctx;
    struct rt *run = log->run;
    double now = rt_time(run);
    while (log->forces.n && ahead == 0.0) {
        const struct run_force *last = &log->forces.v[log->forces.n - 1];
        if (last->time < now || (last->time == now && last->since > 0.0))
            break;
        log->forces.n--;
    }
    for (int i = 0; persistent_any(run) && i < persistent_count(run); i++) {
        bool on;
        double amount[2];
        struct run_force force = {.time = now, .since = ahead};
        struct closest_points found;
        const struct contact_point *point = persistent_point(run, i, &on, NULL);
        force.contact = contact_table_rule(run, point->contact);
        if (!on || !closest(log, point->contact, &found))
            continue;
        persistent_force(run, i, order, ahead, amount);
        force.number = point_number(log, point);
        force.force = amount[0];
        place(run, point, &found, force.at);
        memcpy(force.normal, found.n, sizeof force.normal);
        if (!counted(log, sizeof force))
            return;
        force.friction[0] = amount[1] * found.n[1];
        force.friction[1] = -amount[1] * found.n[0];
        VEC_PUSH(&log->forces, force);
    }
}

struct run_log *
run_log_new(struct analysis *analysis, size_t limit)
{
    assert(analysis != NULL && analysis->rt->trace == NULL);
    struct run_log *log = mem_alloc(sizeof *log);
    log->analysis = analysis;
    log->run = analysis->rt;
    log->limit = limit;
    log->run->trace = new_trace(log, limit);
    trace_listen(log->run->trace, keep_forces, log);
    return log;
}

/* The gap of a contact at the present state; NaN: it has none. */
static double
gap_now(struct run_log *log, uint32_t contact)
{
    const imp_contact *of = rt_contact(log->run, contact);
    struct closest_points found = {.gap = (double)NAN};
    double rate;
    if (of->system == IMP_NO_SYSTEM)
        return closest(log, contact, &found) ? found.gap : (double)NAN;
    const imp_system *system = rt_system(log->run, of->system);
    double *gradient = mem_alloc((system->n + 1) * sizeof *gradient);
    int st = system_gap(log->run, of->system, contact - system->contact,
                        &found.gap, &rate, gradient);
    free(gradient);
    return st ? (double)NAN : found.gap;
}

void
run_log_instant(struct run_log *log)
{
    assert(log != NULL);
    struct motion_totals totals;
    struct diags quiet, *ds = log->run->ds;
    diags_init(&quiet, log->run->arena, ds->sources);
    log->run->ds = &quiet;
    int st = motion_totals(log->run, &totals);
    log->run->ds = ds;
    log->points.n = log->told;
    struct run_energy now = {rt_time(log->run), totals.kinetic,
                             totals.potential};
    if (st || (log->energies.n && !memcmp(&log->energies.v[log->energies.n - 1],
                                          &now, sizeof now)))
        return;
    if (!counted(log, sizeof now))
        return;
    VEC_PUSH(&log->energies, now);
    trace_count(log->run->trace, run_keeps_gaps(log) * sizeof(double) *
                                     log->run->im->contacts.n);
    for (uint32_t i = 0; i < log->run->im->contacts.n && run_keeps_gaps(log);
         i++)
        VEC_PUSH(&log->gaps, gap_now(log, i));
}

void
run_place(struct run_log *log, struct run_bytes *bytes, imp_range where)
{
    assert(log);
    const struct sources *sources = log->run->ds->sources;
    const struct source *source =
        where.file && sources ? source_get(sources, where.file) : NULL;
    if (!source || where.lo > source->len)
        return;
    size_t lo = where.lo, hi = where.lo;
    while (lo > 0 && source->text[lo - 1] != '\n')
        lo--;
    while (hi < source->len && source->text[hi] != '\n')
        hi++;
    run_key(bytes, "line");
    run_number(bytes, source_pos(sources, where.file, where.lo).line);
    run_key(bytes, "text");
    buf_json(&bytes->json, source->text + lo, hi - lo);
}

/* The log of pieces was full: what is missing is said. */
static void
warn_full(struct run_log *log, const struct record *out)
{
    char time[NUM_TEXT], size[NUM_TEXT];
    struct diag *diag = diag_add(
        log->analysis->ds, DIAG_W0753, out->command->range,
        "the motion is kept up to t = %s s only: its pieces and events take %s "
        "MB",
        rt_told(time, trace_full_time(log->run->trace), 9),
        num_digits(size, (double)log->limit / (1 << 20), 3));
    diag_help(log->analysis->ds, diag,
              "end the run earlier with `until`, or trace fewer bodies");
}

/* Takes away what is later than the motion: of a step that was cut short, or
 * behind the limit of the log. */
static void
end_at(struct run_log *log, double end)
{
    while (log->events.n && log->events.v[log->events.n - 1].time > end)
        log->told -= log->events.v[--log->events.n].n_points;
    while (log->energies.n && log->energies.v[log->energies.n - 1].time > end) {
        log->energies.n--;
        if (run_keeps_gaps(log))
            log->gaps.n -= log->run->im->contacts.n;
    }
    while (log->forces.n && log->forces.v[log->forces.n - 1].time > end)
        log->forces.n--;
}

void
run_log_end(struct run_log *log, double until, struct record *out)
{
    assert(log != NULL && out != NULL && log->scene.json.n > 0);
    struct run_bytes *bytes = &log->scene;
    double end = rt_time(log->run);
    if (rt_stopped(log->run) && !run_file_asked(log->analysis, out->command) &&
        trace_size(log->run->trace) > log->limit / STOPPED_SHARE)
        return;
    if (trace_full(log->run->trace)) {
        warn_full(log, out);
        end = fmin(end, trace_full_time(log->run->trace));
    }
    end_at(log, end);
    run_key(bytes, "until");
    run_number(bytes, until);
    run_key(bytes, "end");
    run_number(bytes, end);
    run_pieces(log, bytes, end);
    run_surfaces(log, bytes, end);
    run_events(log, bytes);
    run_columns(log, bytes, out);
    buf_putc(&bytes->json, '}');
    struct buf file = {0};
    run_bytes_join(bytes, &file);
    out->motion = arena_copy(out->arena, file.s, file.n);
    out->n_motion = file.n;
    buf_free(&file);
}
