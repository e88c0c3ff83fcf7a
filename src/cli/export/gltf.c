/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as glTF 2.0 (Khronos, ISO/IEC 12113:2022), for programs that draw and
 * render. Its numbers are floats: keys that are nearer than these tell apart
 * become one, so it is for pictures, and a limit of impacts is to be looked at
 * in the page of the run. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "cli/export/gltf_priv.h"

#define KEYS_PER_SECOND 120.0
#define KEYS_LEAST 240.0
#define KEYS_MOST 20000.0

/* Begins the next item of a list; returns its number. */
static size_t
gltf_next(struct gltf_list *list)
{
    assert(list);
    if (list->n)
        buf_puts(&list->text, ",\n");
    return list->n++;
}

/* A view of n bytes at the end of the block, which are to follow. */
static size_t
view(struct gltf *gltf, size_t n, int target)
{
    while (gltf->bytes.n % 4)
        buf_putc(&gltf->bytes, 0);
    size_t which = gltf_next(&gltf->views);
    buf_printf(&gltf->views.text,
               "{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu",
               gltf->bytes.n, n);
    if (target)
        buf_printf(&gltf->views.text, ", \"target\": %d", target);
    buf_putc(&gltf->views.text, '}');
    return which;
}

/* Bytes of a number of four bytes, little-endian. */
static void
put_four(struct buf *to, uint32_t bits)
{
    for (int i = 0; i < 4; i++)
        buf_putc(to, (char)(bits >> 8 * i & 0xff));
}

static void
put_bounds(struct buf *text, const char *name, const float *x, int width,
           size_t n, bool greatest)
{
    char digits[NUM_TEXT];
    buf_printf(text, ", \"%s\": [", name);
    for (int k = 0; k < width; k++) {
        float most = x[k];
        for (size_t i = 1; i < n; i++) {
            float y = x[i * (size_t)width + (size_t)k];
            most = greatest == (y > most) ? y : most;
        }
        buf_printf(text, "%s%s", k ? ", " : "",
                   num_shortest(digits, (double)most));
    }
    buf_putc(text, ']');
}

/* n vectors of `width` floats as an accessor, with its bounds where asked for;
 * returns its number. */
static size_t
gltf_floats(struct gltf *gltf, const float *x, int width, size_t n, bool bounds,
            bool vertices)
{
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    assert(gltf && x && n && width <= 4);
    size_t from = view(gltf, 4 * n * (size_t)width, vertices ? 34962 : 0);
    for (size_t i = 0; i < n * (size_t)width; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        put_four(&gltf->bytes, bits);
    }
    size_t which = gltf_next(&gltf->accessors);
    struct buf *text = &gltf->accessors.text;
    buf_printf(text,
               "{\"bufferView\": %zu, \"componentType\": 5126, \"count\": %zu, "
               "\"type\": \"%s\"",
               from, n, types[width]);
    if (bounds) {
        put_bounds(text, "min", x, width, n, false);
        put_bounds(text, "max", x, width, n, true);
    }
    buf_putc(text, '}');
    return which;
}

static size_t
gltf_indices(struct gltf *gltf, const uint32_t *x, size_t n)
{
    assert(gltf && x && n);
    size_t from = view(gltf, 4 * n, 34963);
    for (size_t i = 0; i < n; i++)
        put_four(&gltf->bytes, x[i]);
    size_t which = gltf_next(&gltf->accessors);
    buf_printf(&gltf->accessors.text,
               "{\"bufferView\": %zu, \"componentType\": 5125, \"count\": %zu, "
               "\"type\": \"SCALAR\"}",
               from, n);
    return which;
}

/* -- bodies -------------------------------------------------------------------
 */

/* Colours that can be told apart, in linear shares of red, green and blue. */
static size_t
material(struct gltf *gltf, size_t body, bool moves)
{
    static const double tints[][3] = {{0.08, 0.27, 0.63}, {0.75, 0.25, 0.04},
                                      {0.10, 0.37, 0.14}, {0.46, 0.16, 0.33},
                                      {0.58, 0.36, 0.02}, {0.15, 0.20, 0.68}};
    static const double grey[3] = {0.32, 0.38, 0.43};
    const double *c =
        moves ? tints[body % (sizeof tints / sizeof *tints)] : grey;
    char digits[3][NUM_TEXT];
    size_t which = gltf_next(&gltf->materials);
    buf_printf(&gltf->materials.text,
               "{\"doubleSided\": true, \"pbrMetallicRoughness\": "
               "{\"metallicFactor\": 0, "
               "\"baseColorFactor\": [%s, %s, %s, 1]}}",
               num_shortest(digits[0], c[0]), num_shortest(digits[1], c[1]),
               num_shortest(digits[2], c[2]));
    return which;
}

/* The pose at a time, as glTF has it: place, and quaternion x, y, z, w next to
 * the one before. */
static void
pose_at(const struct gltf *gltf, size_t body, double t, float place[3],
        float turn[4])
{
    double pose[7] = {0}, q[4] = {0, 0, 0, 1}, length = 0.0, side = 0.0;
    bool flat = gltf->scene.run->dim == 2;
    run_read_pose(gltf->scene.run, body, t, false, pose, 7);
    if (flat) {
        q[2] = sin(0.5 * pose[2]);
        q[3] = cos(0.5 * pose[2]);
    } else {
        for (int k = 0; k < 4; k++)
            q[(k + 3) % 4] = pose[3 + k];
    }
    for (int k = 0; k < 4; k++) {
        length = hypot(length, q[k]);
        side += q[k] * (double)turn[k];
    }
    for (int k = 0; k < 4; k++)
        turn[k] = (float)((side < 0.0 ? -q[k] : q[k]) /
                          (length > 0.0 ? length : 1.0));
    for (int k = 0; k < 3; k++)
        place[k] = flat && k == 2 ? 0.0f : (float)pose[k];
}

static bool
moves(const struct json *body)
{
    const struct json *kind = json_get(body, "kind");
    return kind && kind->kind == JSON_TEXT && strcmp(kind->text, "fixed") != 0;
}

static const char *
put_node(struct gltf *gltf, const struct json *body, size_t number)
{
    struct shape_surface surface = {0};
    const char *why = shape_surface(&gltf->scene, body, &surface);
    const struct json *line = json_get(body, "line");
    float place[3], turn[4] = {0, 0, 0, 1};
    char digits[NUM_TEXT];
    struct buf *text = &gltf->nodes.text;
    size_t mesh = gltf->meshes.n;
    if (why)
        return why;
    if (surface.triangles.n) {
        size_t at = gltf_floats(gltf, surface.at.v, 3, surface.at.n / 3, true,
                                true),
               normal = gltf_floats(gltf, surface.normal.v, 3,
                                    surface.normal.n / 3, false, true),
               triangles =
                   gltf_indices(gltf, surface.triangles.v, surface.triangles.n),
               colour = material(gltf, number, moves(body));
        gltf_next(&gltf->meshes);
        buf_printf(&gltf->meshes.text,
                   "{\"primitives\": [{\"attributes\": {\"POSITION\": %zu, "
                   "\"NORMAL\": %zu}, "
                   "\"indices\": %zu, \"material\": %zu}]}",
                   at, normal, triangles, colour);
    }
    gltf_next(&gltf->nodes);
    const char *name = json_get(body, "name")->text;
    buf_puts(text, "{\"name\": ");
    buf_json(text, name, strlen(name));
    if (surface.triangles.n)
        buf_printf(text, ", \"mesh\": %zu", mesh);
    pose_at(gltf, number, 0.0, place, turn);
    buf_puts(text, ", \"translation\": [");
    for (int k = 0; k < 3; k++)
        buf_printf(text, "%s%s", k ? ", " : "",
                   num_shortest(digits, (double)place[k]));
    buf_puts(text, "], \"rotation\": [");
    for (int k = 0; k < 4; k++)
        buf_printf(text, "%s%s", k ? ", " : "",
                   num_shortest(digits, (double)turn[k]));
    buf_putc(text, ']');
    if (line && line->kind == JSON_NUMBER)
        buf_printf(text, ", \"extras\": {\"line\": %.0f}", line->number);
    buf_putc(text, '}');
    return NULL;
}

/* -- motion -------------------------------------------------------------------
 */

/* Times of keys. Poses are asked at the exact time: next to a limit of impacts
 * rounding would lead to the other side of it. */
struct key_times {
    struct {
        float *v;
        size_t n, cap;
    } shown;
    struct {
        double *v;
        size_t n, cap;
    } exact;
};

/* Adds a time if it is greater than the one before as a float, too. */
static void
add_time(struct arena *arena, struct key_times *times, double t)
{
    if (times->shown.n && (float)t <= times->shown.v[times->shown.n - 1])
        return;
    VEC_PUSH_IN(arena, &times->shown, (float)t);
    VEC_PUSH_IN(arena, &times->exact, t);
}

/* Evenly, and at events. */
static struct key_times
key_times(const struct gltf *gltf)
{
    const struct run_read *run = gltf->scene.run;
    const struct json *events = json_get(json_get(run->top, "events"), "t");
    struct key_times times = {0};
    double n =
        fmin(fmax(ceil(KEYS_PER_SECOND * run->end), KEYS_LEAST), KEYS_MOST);
    size_t event = 0;
    for (double k = 0.0; k <= n; k++) {
        double grid = k < n ? run->end * k / n : run->end;
        for (; event < run->n_events; event++) {
            double t = run_read_number(run, events, event);
            if (t > grid)
                break;
            add_time(gltf->scene.arena, &times, t);
        }
        add_time(gltf->scene.arena, &times, grid);
    }
    return times;
}

static void
put_channel(struct gltf *gltf, size_t node, size_t times, size_t values,
            const char *path)
{
    size_t sampler = gltf_next(&gltf->samplers);
    buf_printf(&gltf->samplers.text, "{\"input\": %zu, \"output\": %zu}", times,
               values);
    gltf_next(&gltf->channels);
    buf_printf(
        &gltf->channels.text,
        "{\"sampler\": %zu, \"target\": {\"node\": %zu, \"path\": \"%s\"}}",
        sampler, node, path);
}

static void
put_motion(struct gltf *gltf)
{
    struct key_times times = key_times(gltf);
    const struct json *body = json_get(gltf->scene.run->top, "bodies")->first;
    float *place = NEW_N(gltf->scene.arena, float, 3 * times.shown.n),
          *turn = NEW_N(gltf->scene.arena, float, 4 * times.shown.n);
    size_t input = SIZE_MAX;
    for (size_t i = 0; body; body = body->next, i++) {
        if (!moves(body) || times.shown.n < 2)
            continue;
        if (input == SIZE_MAX)
            input =
                gltf_floats(gltf, times.shown.v, 1, times.shown.n, true, false);
        float now[4] = {0, 0, 0, 1};
        for (size_t k = 0; k < times.shown.n; k++) {
            pose_at(gltf, i, times.exact.v[k], place + 3 * k, now);
            memcpy(turn + 4 * k, now, sizeof now);
        }
        put_channel(gltf, i, input,
                    gltf_floats(gltf, place, 3, times.shown.n, false, false),
                    "translation");
        put_channel(gltf, i, input,
                    gltf_floats(gltf, turn, 4, times.shown.n, false, false),
                    "rotation");
    }
}

/* -- the file
 * ------------------------------------------------------------------ */

static void
put_list(struct buf *json, const char *name, struct gltf_list *list)
{
    if (list->n) /* glTF has no empty lists */
        buf_printf(json, ",\n\"%s\": [%s]", name, buf_str(&list->text));
    buf_free(&list->text);
}

static void
put_json(struct gltf *gltf, struct buf *json)
{
    size_t bodies = gltf->scene.run->n_bodies;
    /* glTF's y axis points up; in space ours is z */
    gltf_next(&gltf->nodes);
    buf_puts(&gltf->nodes.text, "{\"name\": \"run\", ");
    if (gltf->scene.run->dim == 3)
        buf_puts(
            &gltf->nodes.text,
            "\"rotation\": [-0.7071067811865476, 0, 0, 0.7071067811865476], ");
    buf_puts(&gltf->nodes.text, "\"children\": [");
    for (size_t i = 0; i < bodies; i++)
        buf_printf(&gltf->nodes.text, "%s%zu", i ? ", " : "", i);
    buf_puts(&gltf->nodes.text, "]}");
    buf_printf(json,
               "{\"asset\": {\"version\": \"2.0\", \"generator\": "
               "\"imp\"},\n\"scene\": 0, "
               "\"scenes\": [{\"nodes\": [%zu]}]",
               bodies);
    if (gltf->bytes.n)
        buf_printf(json, ",\n\"buffers\": [{\"byteLength\": %zu}]",
                   gltf->bytes.n);
    put_list(json, "nodes", &gltf->nodes);
    put_list(json, "meshes", &gltf->meshes);
    put_list(json, "materials", &gltf->materials);
    put_list(json, "bufferViews", &gltf->views);
    put_list(json, "accessors", &gltf->accessors);
    if (gltf->channels.n) {
        buf_puts(json, ",\n\"animations\": [{\"name\": \"run\"");
        put_list(json, "samplers", &gltf->samplers);
        put_list(json, "channels", &gltf->channels);
        buf_puts(json, "}]");
    }
    buf_puts(json, "}");
    while (json->n % 4)
        buf_putc(json, ' ');
}

/* Is the motion less than the 4 GB of a binary glTF? A key has 28 bytes. */
static bool
fits(const struct run_read *run)
{
    double keys = fmin(fmax(KEYS_PER_SECOND * run->end, KEYS_LEAST), KEYS_MOST);
    return 28.0 * (keys + (double)run->n_events) * (double)run->n_bodies <
           4.0e9;
}

const char *
export_gltf(struct arena *arena, const struct run_read *run, struct buf *out)
{
    assert(arena && run && out);
    struct gltf gltf = {.scene = shape_scene(arena, run)};
    struct buf json = {0};
    if (!run->n_bodies)
        return "it has no bodies, and systems have no surfaces";
    if (!fits(run))
        return "its keys are more than the 4 GB that a glTF may have";
    size_t i = 0;
    for (const struct json *body = json_get(run->top, "bodies")->first; body;
         body = body->next) {
        const char *why = put_node(&gltf, body, i++);
        if (why) {
            struct gltf_list *lists[] = {&gltf.views, &gltf.accessors,
                                         &gltf.meshes, &gltf.materials,
                                         &gltf.nodes};
            for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
                buf_free(&lists[k]->text);
            buf_free(&gltf.bytes);
            return why;
        }
    }
    put_motion(&gltf);
    while (gltf.bytes.n % 4)
        buf_putc(&gltf.bytes, 0);
    put_json(&gltf, &json);
    bool block = gltf.bytes.n > 0;
    put_four(out, 0x46546c67);
    put_four(out, 2);
    put_four(out, (uint32_t)(20 + json.n + (block ? 8 + gltf.bytes.n : 0)));
    put_four(out, (uint32_t)json.n);
    put_four(out, 0x4e4f534a);
    buf_put(out, json.s, json.n);
    if (block) {
        put_four(out, (uint32_t)gltf.bytes.n);
        put_four(out, 0x004e4942);
        buf_put(out, gltf.bytes.s, gltf.bytes.n);
    }
    buf_free(&json);
    buf_free(&gltf.bytes);
    return NULL;
}
