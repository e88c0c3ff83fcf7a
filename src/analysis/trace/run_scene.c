/* SPDX-License-Identifier: MIT */
/* What a run file says of the model: params, bodies with their shapes and first
 * poses, systems with their coordinates, contacts and joints. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/trace/run_log_priv.h"
#include "runtime/instance/system.h"

static void
open_list(struct run_bytes *bytes, const char *key)
{
    run_key(bytes, key);
    buf_putc(&bytes->json, '[');
}

/* The beginning of an object in a list, with its name and place. */
static void
open_named(struct run_log *log, struct run_bytes *bytes, imp_str name,
           imp_range where)
{
    run_comma(bytes);
    buf_putc(&bytes->json, '{');
    run_key(bytes, "name");
    run_text(bytes, run_name(log, name));
    run_place(log, bytes, where);
}

static void
params(struct run_log *log, struct run_bytes *bytes)
{
    const imp_image *im = log->run->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param);
    open_list(bytes, "params");
    for (uint32_t i = 0; i < im->params.n; i++) {
        open_named(log, bytes, param[i].name, param[i].range);
        run_key(bytes, "value");
        run_number(bytes, log->run->env[im->layout.params + i]);
        run_key(bytes, "unit");
        run_text(bytes, run_name(log, param[i].unit));
        buf_putc(&bytes->json, '}');
    }
    buf_putc(&bytes->json, ']');
}

static void
bodies(struct run_log *log, struct run_bytes *bytes)
{
    struct rt *run = log->run;
    open_list(bytes, "bodies");
    for (uint32_t i = 0; i < run->im->bodies.n; i++) {
        const imp_body *body = rt_body(run, i);
        const double *env = run->env + body->env_body;
        open_named(log, bytes, body->name, body->range);
        run_key(bytes, "kind");
        run_text(bytes, body->flags & IMP_BODYF_PRESCRIBED ? "prescribed"
                        : body->block == IMP_NO_BLOCK      ? "fixed"
                                                           : "moving");
        run_key(bytes, "pose");
        run_numbers(bytes, run->env + body->env_state,
                    run->im->dim == 2 ? 3 : 7);
        if (!(body->flags & IMP_BODYF_FIXED)) {
            run_key(bytes, "mass");
            run_number(bytes, env[IMP_BODY_MASS]);
        }
        run_key(bytes, "radius"); /* null: it has no bounds */
        run_number(bytes, env[IMP_BODY_RADIUS]);
        run_key(bytes, "shape");
        run_shape(log, bytes, i);
        buf_putc(&bytes->json, '}');
    }
    buf_putc(&bytes->json, ']');
}

static void
systems(struct run_log *log, struct run_bytes *bytes)
{
    const imp_image *im = log->run->im;
    const imp_coordinate *all = IMP_ARRAY(im, im->coordinates, imp_coordinate);
    open_list(bytes, "systems");
    for (uint32_t i = 0; i < im->systems.n; i++) {
        const imp_system *system = rt_system(log->run, i);
        open_named(log, bytes, system->name, system->range);
        open_list(bytes, "coordinates");
        for (uint32_t j = 0; j < system->n; j++) {
            const imp_coordinate *of = all + system->first + j;
            open_named(log, bytes, of->name, of->range);
            run_key(bytes, "unit");
            run_text(bytes, run_name(log, of->unit));
            buf_putc(&bytes->json, '}');
        }
        buf_puts(&bytes->json, "]}");
    }
    buf_putc(&bytes->json, ']');
}

/* A body of a contact or joint: its number, or -1 for the world. */
static void
pair(struct run_bytes *bytes, const uint32_t body[2])
{
    double number[2];
    for (int i = 0; i < 2; i++)
        number[i] = body[i] == IMP_WORLD ? -1.0 : body[i];
    run_key(bytes, "bodies");
    run_numbers(bytes, number, 2);
}

static void
contacts(struct run_log *log, struct run_bytes *bytes)
{
    struct rt *run = log->run;
    open_list(bytes, "contacts");
    imp_range last = {0};
    for (uint32_t i = 0; i < run->im->contacts.n; i++) {
        const imp_contact *contact = rt_contact(run, i);
        run_comma(bytes);
        buf_putc(&bytes->json, '{');
        run_key(bytes, "name");
        run_text(bytes, run_name(log, contact->name));
        /* many may be declared at one place, which is told once */
        if (memcmp(&last, &contact->range, sizeof last) != 0)
            run_place(log, bytes, contact->range);
        last = contact->range;
        if (contact->flags & IMP_CONTACTF_RULE) {
            pair(bytes, (const uint32_t[2]){IMP_WORLD, IMP_WORLD});
            run_key(bytes, "all"); /* pairs without a contact of their own */
            buf_puts(&bytes->json, "true");
        } else if (contact->system == IMP_NO_SYSTEM) {
            pair(bytes, contact->body);
        } else {
            run_key(bytes, "system");
            run_number(bytes, contact->system);
        }
        buf_putc(&bytes->json, '}');
    }
    buf_putc(&bytes->json, ']');
}

static void
joints(struct run_log *log, struct run_bytes *bytes)
{
    static const char *const kinds[] = {"ball",     "hinge",     "slider",
                                        "cylinder", "universal", "planar",
                                        "weld",     "constraint"};
    struct rt *run = log->run;
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    open_list(bytes, "joints");
    for (uint32_t i = 0; i < run->im->joints.n; i++) {
        const double *env = run->env + joint[i].env_joint;
        open_named(log, bytes, joint[i].name, joint[i].range);
        run_key(bytes, "kind");
        run_text(bytes, kinds[joint[i].kind]);
        pair(bytes, joint[i].body);
        if (joint[i].carrier != joint[i].body[0]) {
            run_key(bytes, "on");
            run_number(bytes, joint[i].carrier == IMP_WORLD
                                  ? -1.0
                                  : (double)joint[i].carrier);
        }
        /* on the body that they go with, about its mass centre */
        run_key(bytes, "point");
        run_numbers(bytes, env + IMP_JOINT_CARRIER_ARM, 3);
        run_key(bytes, "axis");
        run_numbers(bytes, env + IMP_JOINT_CARRIER_FRAME, 3);
        buf_putc(&bytes->json, '}');
    }
    buf_putc(&bytes->json, ']');
}

void
run_scene(struct run_log *log, struct run_bytes *bytes)
{
    assert(log != NULL && bytes->json.n == 0);
    const imp_image *im = log->run->im;
    const char *path = imp_text(im, im->name), *slash = strrchr(path, '/');
    buf_puts(&bytes->json, "{\"format\": \"imp run\"");
    run_key(bytes, "version");
    run_number(bytes, RUN_FILE_VERSION);
    run_key(bytes, "model");
    run_text(bytes, slash ? slash + 1 : path);
    run_key(bytes, "dim");
    run_number(bytes, im->dim);
    run_key(bytes, "gravity");
    run_numbers(bytes, log->run->world.gravity, 3);
    params(log, bytes);
    if (im->dim == 3) {
        run_key(bytes, "triangles");
        run_triangles(bytes);
    }
    bodies(log, bytes);
    systems(log, bytes);
    contacts(log, bytes);
    joints(log, bytes);
}
