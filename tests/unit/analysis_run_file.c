/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run files. The poses that are read from one are those that the same run
 * records, by every engine that moves something; pieces cover the run without
 * gap and overlap; a run gives the same record whether it is traced or not; a
 * file that was cut short or changed is refused or read as what it is, and is
 * never trusted. */
#include "analysis_help.h"

#include <float.h>

#include "analysis/trace/run_bytes.h"
#include "analysis/trace/run_read.h"
#include "base/crc.h"
#include "runtime/numerics/random.h"

/* A random number below n. */
static size_t
random_below(size_t n)
{
    static uint64_t drawn;
    return (size_t)(random_bits(15.0, drawn++, 0) % n);
}

/* The share of the greatest coordinate by which poses may differ. */
#define POSE_CLOSE 1e-13

struct example {
    const char *text; /* %s: options of `simulate` */
    const char *mover[4];
    double joint; /* poses are moved onto joints after each step, by this */
};
static const struct example examples[] = {
    /* vertices of a polytope on a plane, then rest */
    {"use shapes\nworld { gravity = (0, 0, -9.81) }\n"
     "body floor : half_space { fixed = true }\n"
     "body b : box(0.4, 0.3, 0.2) { mass = 1  position = (0, 0, 1)\n"
     "  velocity = (0.3, 0, 0)  spin = (1, 2, 0.5) }\n"
     "contact c : floor | b { restitution = 0.5 }\n"
     "let r = simulate { until = 1  every = 0.01  record = (b.position, "
     "b.quaternion) %s }\n",
     {"b.position", "b.quaternion"},
     0},
    /* two smooth bodies in space, torque-free */
    {"use shapes\nbody a : ellipsoid(2, 1.5, 1) { mass = 1  velocity = (1, 0, "
     "0)  spin = "
     "(1, 2, 3) }\n"
     "body b : ellipsoid(1, 1.2, 1.1) { mass = 2  position = (6, 0.5, 0.2)  "
     "spin = (0.3, -1, 2) }\n"
     "contact c : a | b { restitution = 1 }\n"
     "let r = simulate { until = 9  every = 0.09  record = (a.position, "
     "a.quaternion, b.position, b.quaternion) %s }\n",
     {"a.position", "a.quaternion", "b.position", "b.quaternion"},
     0},
    /* discs that chatter on a line and on each other */
    {"use shapes\nworld { gravity = (0, -9.81)  law = sequential }\n"
     "body floor : half_plane { fixed = true }\n"
     "body a : circle(0.3) { mass = 1  position = (0, 1)  velocity = (0.4, 0) "
     "}\n"
     "body b : circle(0.2) { mass = 2  position = (1.5, 0.9)  velocity = (-1, "
     "0)  spin = 3 }\n"
     "contacts { restitution = 0.4 }\n"
     "let r = simulate { until = 2.5  every = 0.01  record = (a.position, "
     "a.angle, b.position, b.angle) %s }\n",
     {"a.position", "a.angle", "b.position", "b.angle"},
     0},
    /* a body on a floor that a formula moves */
    {"use shapes\nworld { gravity = (0, -9.81) }\n"
     "body floor : half_plane { fixed = true  position = (0, (0.1 [m])*sin((12 "
     "[1/s])*t)) }\n"
     "body a : circle(0.3) { mass = 1  position = (0, 1) }\n"
     "contact c : floor | a { restitution = 0.6 }\n"
     "let r = simulate { until = 2  every = 0.01  record = (a.position, "
     "floor.position) %s }\n",
     {"a.position", "floor.position"},
     0},
    /* joints */
    {"use shapes\nworld { gravity = (0, -9.81) }\n"
     "body one : ellipse(0.5, 0.1) { mass = 1  position = (0.5, 0) }\n"
     "body two : ellipse(0.5, 0.1) { mass = 1  position = (1.5, 0) }\n"
     "joint p : hinge(one, world) { at = (0, 0) }\n"
     "joint q : hinge(two, one) { at = (1, 0) }\n"
     "let r = simulate { until = 2  every = 0.01  record = (one.position, "
     "one.angle, two.position, two.angle) %s }\n",
     {"one.position", "one.angle", "two.position", "two.angle"},
     1e-12},
    /* a system along parabolas, with a limit of impacts */
    {"system ball {\n  coordinate x, y\n  kinetic = (x'^2 + y'^2)/2\n"
     "  potential = (9.81 [m/s^2])*y\n  contact floor { gap = y  restitution = "
     "0.7 }\n"
     "  start { y = 1 [m]  x' = 0.5 } }\n"
     "let r = simulate { until = 4  every = 0.01  record = (ball.x, ball.y) %s "
     "}\n",
     {"ball.x", "ball.y"},
     0},
    /* a system along Taylor series, which comes to rest on a limit */
    {"system pendulum {\n  coordinate theta\n  kinetic = theta'^2/2\n"
     "  potential = -(9.81 [1/s^2])*cos(theta)\n"
     "  contact wall { gap = theta + 0.2  restitution = 0.6 }\n"
     "  start { theta = 1.2 } }\n"
     "let r = simulate { until = 6  every = 0.01  record = (pendulum.theta) %s "
     "}\n",
     {"pendulum.theta"},
     0},
    /* discs with local events: friction, bounces on a floor that come to a
     * limit, so that the general search and the local one take turns */
    {"use shapes\nworld { gravity = (0, -9.81)  law = sequential }\n"
     "body low : half_plane { fixed = true }\n"
     "body left : half_plane { fixed = true  angle = -90 [deg] }\n"
     "body right : half_plane { fixed = true  angle = 90 [deg]  position = (4, "
     "0) }\n"
     "body ball[i in 0 .. 9] : circle(0.15) { mass = 1\n"
     "  position = (0.3 + 0.37*i, 0.6 + 0.31*(i*i - 7*floor(i*i/7)))\n"
     "  velocity = (cos(2.4*i), sin(2.4*i))  spin = i - 4 }\n"
     "contacts { restitution = 0.5  friction = 0.2 }\n"
     "let r = simulate { until = 1.5  every = 0.01  record = "
     "(ball[0].position, ball[3].angle, ball[9].position) %s }\n",
     {"ball[0].position", "ball[3].angle", "ball[9].position"},
     0},
    /* balls with local events, which turn */
    {"use shapes\nbody wall : half_space { fixed = true }\n"
     "body ball[i in 0 .. 11] : sphere(0.4) { mass = 1 + i\n"
     "  position = (i - 4*floor(i/4), floor(i/4), 0.6 + i/10)\n"
     "  velocity = (cos(2.4*i), sin(2.4*i), -1)  spin = (i, 40 - i, 3) }\n"
     "contacts { }\n"
     "let r = simulate { until = 3  every = 0.02  record = (ball[0].position, "
     "ball[0].quaternion, ball[7].position, ball[7].quaternion) %s }\n",
     {"ball[0].position", "ball[0].quaternion", "ball[7].position",
      "ball[7].quaternion"},
     0},
};
enum { N_EXAMPLES = sizeof examples / sizeof *examples };

static void
run_example(struct run *r, const struct example *example, const char *option)
{
    char text[2000];
    snprintf(text, sizeof text, example->text, option);
    run(r, text, false);
    fine(r);
}

static const struct record *
record_of(const struct run *r)
{
    for (uint32_t i = 0; i < r->im->commands.n; i++)
        if (r->d.recs[i])
            return r->d.recs[i];
    return NULL;
}

static const struct json *
nth(const struct json *list, size_t i)
{
    const struct json *item = list->first;
    while (i--)
        item = item->next;
    return item;
}

/* Which mover, and which of its numbers, a recorded column shows. */
static size_t
mover_of(const struct run_read *file, const char *name, size_t *row)
{
    const char *dot = strchr(name, '.');
    size_t n = (size_t)(dot - name);
    const char *what = dot + 1;
    *row = !strcmp(what, "angle") ? 2 : !strcmp(what, "quaternion") ? 3 : 0;
    for (size_t i = 0; i < file->n_bodies; i++) {
        const char *body =
            json_get(nth(json_get(file->top, "bodies"), i), "name")->text;
        if (strlen(body) == n && !strncmp(body, name, n))
            return i;
    }
    const struct json *coordinates =
        json_get(json_get(file->top, "systems")->first, "coordinates");
    for (*row = 0; *row < coordinates->n; ++*row)
        if (!strcmp(json_get(nth(coordinates, *row), "name")->text, what))
            return file->n_bodies;
    fail_msg("%s is no mover", name);
    return 0;
}

/* Is there an event within the rounding of time t? There the motion is one
 * thing before and another after. */
static bool
eventful(const struct run_read *file, double t)
{
    const struct json *times = json_get(json_get(file->top, "events"), "t");
    for (size_t i = 0; i < file->n_events; i++)
        if (fabs(run_read_number(file, times, i) - t) <= 1e-9)
            return true;
    return false;
}

/* The greatest difference between the pose that is read and the recorded
 * numbers, as a share of their size. */
static double
pose_error(const struct run_read *file, size_t mover, size_t row, double t,
           bool before, const double *x, size_t width)
{
    double pose[16], size = 1.0, length = 0.0, error = 0.0;
    run_read_pose(file, mover, t, before, pose, 16);
    for (size_t k = 0; width == 4 && k < 4; k++)
        length = hypot(length, pose[3 + k]);
    for (size_t k = 0; width == 4 && k < 4; k++)
        pose[3 + k] /= length;
    for (size_t k = 0; k < width; k++)
        size = fmax(size, fabs(x[k]));
    for (size_t k = 0; k < width; k++)
        error = fmax(error, fabs(pose[row + k] - x[k]) / size);
    return error;
}

/* Where two pieces meet, a row belongs to either: a system whose limit of
 * impacts is ahead slides from a time that was asked for, and not from before.
 */
static void
compare_column(const struct record *record, const struct run_read *file,
               const char *name, double joint)
{
    size_t row, mover = mover_of(file, name, &row);
    const struct field_value *t = &record->v[record_index(record, "t")];
    const struct field_value *x = NULL;
    size_t width = 1, seen = 0;
    char column[40];
    snprintf(column, sizeof column, "%s", name);
    char *to = column;
    for (const char *from = name; *from; from++)
        if (*from != ']')
            *to++ = strchr(".[", *from) ? '_' : *from;
    *to = '\0';
    for (size_t i = 0; i < record->n; i++)
        if (record->schema[i].column &&
            !strcmp(imp_text(record->image, record->schema[i].name), column)) {
            x = &record->v[i];
            width = record->schema[i].kind == IMP_FIELD_VECS
                        ? record->schema[i].width
                        : 1;
        }
    if (!x)
        fail_msg("no column %s", column);
    for (size_t i = 0; i < t->n; i++) {
        if (eventful(file, t->num[i]))
            continue;
        seen++;
        double error = fmin(pose_error(file, mover, row, t->num[i], false,
                                       x->num + i * width, width),
                            pose_error(file, mover, row, t->num[i], true,
                                       x->num + i * width, width));
        if (!(error <= fmax(POSE_CLOSE, joint)))
            fail_msg("%s at t = %.17g is %g off", name, t->num[i], error);
    }
    assert_true(seen > 50);
}

static void
test_poses_are_those_recorded(void **state)
{
    (void)state;
    for (size_t e = 0; e < N_EXAMPLES; e++) {
        struct run r;
        struct run_read file;
        run_example(&r, &examples[e], "trace = true");
        const struct record *record = record_of(&r);
        assert_non_null(record->motion);
        assert_null(run_read(r.a, record->motion, record->n_motion, &file));
        for (size_t k = 0; k < 4 && examples[e].mover[k]; k++)
            compare_column(record, &file, examples[e].mover[k],
                           examples[e].joint);
        done(&r);
    }
}

/* Do the pieces of each mover follow one another from 0 to the end? */
static void
pieces_cover(const struct run_read *file)
{
    size_t moving = 0;
    for (const struct json *m = json_get(file->top, "motion")->first; m;
         m = m->next) {
        const struct json *begin = json_get(m, "begin"),
                          *end = json_get(m, "end");
        size_t n = run_read_count(begin);
        if (!n)
            continue;
        moving++;
        assert_true(run_read_number(file, begin, 0) == 0.0);
        assert_true(run_read_number(file, end, n - 1) == file->end);
        for (size_t i = 1; i < n; i++)
            assert_true(run_read_number(file, begin, i) ==
                        run_read_number(file, end, i - 1));
        for (size_t i = 0; i < n; i++)
            assert_true(run_read_number(file, begin, i) <
                        run_read_number(file, end, i));
    }
    assert_true(moving > 0);
}

static void
test_pieces_cover_the_run(void **state)
{
    (void)state;
    for (size_t e = 0; e < N_EXAMPLES; e++) {
        struct run r;
        struct run_read file;
        run_example(&r, &examples[e], "trace = true");
        const struct record *record = record_of(&r);
        assert_null(run_read(r.a, record->motion, record->n_motion, &file));
        pieces_cover(&file);
        done(&r);
    }
}

/* Runs an example whose trace may take so many bytes. */
static void
run_bounded(struct run *r, const struct example *example, size_t limit)
{
    char text[2000];
    snprintf(text, sizeof text, example->text, "trace = true");
    compile(r, text);
    double *p = NEW_N(r->a, double, driver_n_params(r->im) + 1);
    driver_defaults(r->im, p);
    struct driver_options o = {.write = collect, .ctx = &r->out};
    assert_int_equal(driver_open(&r->d, r->im, NULL, p, &o, &r->ds), 0);
    r->d.analysis.trace_limit = limit;
    assert_int_equal(driver_run_commands(&r->d), 0);
}

static void
same_poses(const struct run_read *one, const struct run_read *other, double end)
{
    for (size_t mover = 0; mover < one->n_bodies + one->n_systems; mover++)
        for (int i = 0; i <= 20; i++) {
            double a[16], b[16];
            size_t n = run_read_pose(one, mover, end * i / 20, true, a, 16);
            assert_int_equal(
                n, run_read_pose(other, mover, end * i / 20, true, b, 16));
            for (size_t j = 0; j < n; j++)
                assert_true(fabs(a[j] - b[j]) <= POSE_CLOSE);
        }
}

/* What a run may keep is bounded. Where the bound is reached, all movers are
 * known up to one time, a warning tells it, and the output is that of a run
 * without a bound. */
static void
test_a_full_log_ends_the_motion(void **state)
{
    (void)state;
    for (size_t e = 0; e < N_EXAMPLES; e++) {
        struct run r, cut;
        struct run_read whole, part;
        run_example(&r, &examples[e], "trace = true");
        const struct record *record = record_of(&r);
        assert_null(run_read(r.a, record->motion, record->n_motion, &whole));
        size_t limit = record->n_motion, tries = 0;
        for (;; done(&cut)) {
            limit /= 4;
            run_bounded(&cut, &examples[e], limit);
            record = record_of(&cut);
            assert_null(
                run_read(cut.a, record->motion, record->n_motion, &part));
            assert_true(tries++ < 40);
            if (part.end < 0.5 * whole.end)
                break;
        }
        assert_int_equal(cut.ds.warnings, r.ds.warnings + 1);
        assert_string_equal(buf_str(&cut.out), buf_str(&r.out));
        assert_true(part.end > 0.0);
        pieces_cover(&part);
        const struct json *t = json_get(json_get(part.top, "events"), "t");
        for (size_t i = 0; i < part.n_events; i++)
            assert_true(run_read_number(&part, t, i) <= part.end);
        same_poses(&part, &whole, part.end);
        done(&cut);
        done(&r);
    }
}

/* `every` makes the engine stop often; the motion between is the same, and the
 * file must not grow by it. */
static void
test_recorded_times_make_no_pieces(void **state)
{
    (void)state;
    static const char model[] =
        "use shapes\nworld { gravity = (0, -9.81) }\n"
        "body floor : half_plane { fixed = true }\n"
        "body a : circle(0.3) { mass = 1  position = (0, 1) }\n"
        "contact c : floor | a { restitution = 0.6 }\n"
        "let r = simulate { until = 1  every = %s  record = a.position  trace "
        "= true }\n";
    size_t n[2];
    for (int k = 0; k < 2; k++) {
        char text[1000];
        struct run r;
        struct run_read file;
        snprintf(text, sizeof text, model, k ? "0.0005" : "1");
        run(&r, text, false);
        fine(&r);
        const struct record *record = record_of(&r);
        assert_null(run_read(r.a, record->motion, record->n_motion, &file));
        n[k] = run_read_count(
            json_get(nth(json_get(file.top, "motion"), 1), "begin"));
        done(&r);
    }
    assert_int_equal(n[0], n[1]);
}

/* A run that is traced records the same bits, and one that is not keeps
 * nothing. */
static void
test_a_trace_changes_nothing(void **state)
{
    (void)state;
    for (size_t e = 0; e < N_EXAMPLES; e++) {
        struct run with, without;
        run_example(&with, &examples[e], "trace = true");
        run_example(&without, &examples[e], "");
        const struct record *a = record_of(&with), *b = record_of(&without);
        assert_null(b->motion);
        assert_int_equal(a->n, b->n);
        for (size_t i = 0; i < a->n; i++) {
            size_t n =
                a->v[i].num ? field_value_count(&a->schema[i], &a->v[i]) : 0;
            assert_true(!a->v[i].num == !b->v[i].num);
            if (!a->v[i].num)
                continue;
            assert_int_equal(n, field_value_count(&b->schema[i], &b->v[i]));
            assert_memory_equal(a->v[i].num, b->v[i].num, n * sizeof(double));
        }
        done(&with);
        done(&without);
    }
}

/* A rod that slides on its tip: what is drawn there is rounding about a zero,
 * and the drawing goes on to the end all the same. */
static void
test_a_drawing_at_a_closed_contact(void **state)
{
    (void)state;
    struct run r;
    struct run_read file;
    run(&r,
        "system rod {\n  coordinate X, Y, theta\n"
        "  kinetic = (1 [kg])*(X'^2 + Y'^2 + (1 [m^2])*theta'^2/3)/2\n"
        "  potential = (9.81 [N])*Y\n"
        "  contact tip { gap = Y - (1 [m])*sin(theta)\n"
        "    slide = X + (1 [m])*cos(theta)  friction = 0.2 }\n"
        "  start { theta = 1.2  Y = (1 [m])*sin(1.2)  X' = 1 }\n"
        "  draw { rod = rod((X - (1 [m])*cos(theta), Y + (1 [m])*sin(theta)),\n"
        "    (X + (1 [m])*cos(theta), Y - (1 [m])*sin(theta))) } }\n"
        "let r = simulate { until = 0.3  trace = true }\n",
        false);
    fine(&r);
    assert_int_equal(r.ds.warnings, 0);
    const struct record *record = record_of(&r);
    assert_null(run_read(r.a, record->motion, record->n_motion, &file));
    assert_int_equal(file.n_drawings, 1);
    const struct run_read_mover *drawn = &file.drawings[0].mover;
    assert_true(drawn->n > 0 && drawn->n < 200);
    assert_true(run_read_number(&file, drawn->end, drawn->n - 1) == file.end);
    for (int i = 0; i <= 30; i++) {
        double t = file.end * i / 30, q[3], x[4];
        run_read_pose(&file, 0, t, false, q, 3);
        run_read_mover_at(&file, drawn, t, false, x, 4);
        assert_true(fabs(x[2] - q[0] - cos(q[2])) < 1e-13);
        assert_true(fabs(x[3] - q[1] + sin(q[2])) < 1e-13);
    }
    done(&r);
}

/* Events of a box that lands flat have all its corners, and the impulses of the
 * points are that of the event. */
static void
test_events_have_their_points(void **state)
{
    (void)state;
    struct run r;
    struct run_read file;
    run(&r,
        "use shapes\nworld { gravity = (0, 0, -10) }\n"
        "body floor : half_space { fixed = true }\n"
        "body b : box(2, 2, 2) { mass = 1  position = (0, 0, 6) }\n"
        "contact c : floor | b { restitution = 0 }\n"
        "let r = simulate { until = 1.2  trace = true }\n",
        false);
    fine(&r);
    const struct record *record = record_of(&r);
    assert_null(run_read(r.a, record->motion, record->n_motion, &file));
    const struct json *events = json_get(file.top, "events"),
                      *point = json_get(events, "point");
    double n = run_read_number(&file, json_get(events, "points"), 0), sum = 0;
    assert_true(n >= 3.0);
    for (size_t i = 0; i < (size_t)n; i++) {
        assert_true(fabs(run_read_number(&file, point, 7 * i + 2)) < 1e-12);
        assert_true(fabs(fabs(run_read_number(&file, point, 7 * i)) - 1) <
                    1e-12);
        assert_true(run_read_number(&file, point, 7 * i + 5) == 1.0);
        sum += run_read_number(&file, point, 7 * i + 6);
    }
    assert_true(fabs(sum - 10.0) < 1e-12);
    done(&r);
}

/* -- damaged files ----------------------------------------------------------
 */

static void
test_damage_is_told(void **state)
{
    (void)state;
    struct run r;
    struct run_read file;
    run_example(&r, &examples[5], "trace = true");
    const struct record *record = record_of(&r);
    size_t n = record->n_motion;
    struct arena *arena = arena_new();
    for (size_t cut = 0; cut < n; cut += 1 + cut / 64) {
        char *copy = malloc(cut + 1); /* so that valgrind sees what is read */
        memcpy(copy, record->motion, cut);
        assert_non_null(run_read(arena, copy, cut, &file));
        free(copy);
    }
    char *copy = malloc(n);
    for (int i = 0; i < 1000; i++) {
        memcpy(copy, record->motion, n);
        copy[random_below(n)] ^= (char)(1u << random_below(8));
        assert_non_null(run_read(arena, copy, n, &file));
        if (i % 100 == 0)
            arena_clear(arena);
    }
    free(copy);
    arena_free(arena);
    done(&r);
}

/* One bit that changes anywhere in a small file, and each other value of each
 * byte of its head. */
static void
test_every_byte_counts(void **state)
{
    (void)state;
    struct run r;
    struct run_read file;
    run(&r,
        "system ball {\n  coordinate h\n  kinetic = h'^2/2\n"
        "  draw { size = disc((0, h), 0.1) } }\n"
        "let r = simulate { until = 0.1  trace = true }\n",
        false);
    fine(&r);
    const struct record *record = record_of(&r);
    size_t n = record->n_motion;
    unsigned char *copy = malloc(n);
    struct arena *arena = arena_new();
    memcpy(copy, record->motion, n);
    assert_null(run_read(arena, copy, n, &file));
    for (size_t i = 0; i < n; i++)
        for (int by = 1; by < (i < RUN_FILE_HEAD ? 256 : 2); by++) {
            unsigned char was = copy[i];
            copy[i] ^= (unsigned char)(by << (i < RUN_FILE_HEAD ? 0 : i % 8));
            assert_non_null(run_read(arena, copy, n, &file));
            copy[i] = was;
            arena_clear(arena);
        }
    arena_free(arena);
    free(copy);
    done(&r);
}

/* Gives the bytes of a run file the checksum that they need. */
static void
sign(unsigned char *file, size_t n)
{
    uint32_t crc = crc32_of(0, file + RUN_FILE_HEAD, n - RUN_FILE_HEAD);
    for (int k = 0; k < 4; k++)
        file[24 + k] = (unsigned char)(crc >> 8 * k);
}

/* A file of a version that is not known yet is refused by its number. */
static void
test_a_newer_version_is_told(void **state)
{
    (void)state;
    struct run r;
    struct run_read file;
    run_example(&r, &examples[5], "trace = true");
    const struct record *record = record_of(&r);
    static const char was[] = "\"version\": 1,";
    unsigned char *copy = malloc(record->n_motion);
    memcpy(copy, record->motion, record->n_motion);
    size_t at = RUN_FILE_HEAD;
    while (memcmp(copy + at, was, sizeof was - 1) != 0)
        at++;
    copy[at + sizeof was - 3] = '2';
    sign(copy, record->n_motion);
    const char *why = run_read(r.a, copy, record->n_motion, &file);
    assert_non_null(why);
    assert_string_equal(why, "it has version 2, and this program reads 1");
    free(copy);
    done(&r);
}

/* A file whose checksum fits what is written in it may hold anything. It is
 * refused, or all that is asked of it lies within its bytes (the address
 * sanitizer looks). */
static void
test_forged_files_are_read_safely(void **state)
{
    (void)state;
    struct run r;
    run_example(&r, &examples[6], "trace = true");
    const struct record *record = record_of(&r);
    size_t n = record->n_motion, n_json = 0, read = 0;
    for (int i = 7; i >= 0; i--)
        n_json = n_json << 8 | ((const unsigned char *)record->motion)[8 + i];
    struct arena *arena = arena_new();
    for (int i = 0; i < 1500; i++) {
        unsigned char *copy = malloc(n);
        struct run_read file;
        static const char signs[] = "0123456789{}[]\",:.-e tf\\u";
        memcpy(copy, record->motion, n);
        for (size_t k = 0; k <= random_below(3); k++)
            copy[RUN_FILE_HEAD + random_below(n_json)] =
                (unsigned char)signs[random_below(sizeof signs - 1)];
        sign(copy, n);
        if (!run_read(arena, copy, n, &file)) {
            double pose[8];
            read++;
            for (size_t m = 0; m < file.n_bodies + file.n_systems; m++)
                for (int t = -1; t < 8; t++)
                    run_read_pose(&file, m, t, t & 1, pose, 8);
        }
        free(copy);
        arena_clear(arena);
    }
    assert_true(read > 30); /* changes of texts and numbers */
    arena_free(arena);
    done(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poses_are_those_recorded),
        cmocka_unit_test(test_pieces_cover_the_run),
        cmocka_unit_test(test_a_full_log_ends_the_motion),
        cmocka_unit_test(test_recorded_times_make_no_pieces),
        cmocka_unit_test(test_a_trace_changes_nothing),
        cmocka_unit_test(test_a_drawing_at_a_closed_contact),
        cmocka_unit_test(test_events_have_their_points),
        cmocka_unit_test(test_damage_is_told),
        cmocka_unit_test(test_every_byte_counts),
        cmocka_unit_test(test_a_newer_version_is_told),
        cmocka_unit_test(test_forged_files_are_read_safely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
