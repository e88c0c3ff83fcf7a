/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the image that repeat what the model declares: sources, params,
 * bodies, blocks, joints, coordinates, systems, random numbers. */
#include "base/source.h"

#include "mechanics/mech_priv.h"
#include <assert.h>
#include <string.h>

imp_ref
image_sources(struct mech *mech)
{
    assert(mech);
    const struct sources *s = mech->model->sources;
    uint32_t count = s ? sources_count(s) : 0;
    imp_source *table = NEW_N(mech->arena, imp_source, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct source *f = source_get(s, i + 1);
        table[i].name = image_text(mech->image, f->name);
        table[i].text = image_textn(mech->image, f->text, f->len);
    }
    return image_array(mech->image, table, count, sizeof *table);
}

imp_ref
image_params(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_params;
    imp_param *table = NEW_N(mech->arena, imp_param, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_param *param = mech->model->params + i;
        table[i] = (imp_param){
            .name = image_text(mech->image, param->name),
            .doc = image_text(mech->image, param->doc ? param->doc : ""),
            .unit = image_text(mech->image, param->unit ? param->unit : ""),
            .dflt = param->dflt,
            .lo = param->lo,
            .hi = param->hi,
            .structural = param->structural,
            .has_range = param->has_range,
            .range = param->range};
    }
    return image_array(mech->image, table, count, sizeof *table);
}

/* A table of the image that was made for it alone, and goes. */
static imp_ref
image_once(struct mech *mech, const void *table, size_t n, size_t size)
{
    imp_ref ref = image_array(mech->image, table, n, size);
    arena_drop(mech->arena, table);
    return ref;
}

static imp_body
image_body(const struct mech *mech, uint32_t which)
{
    const struct mbody *body = mech->bodies + which;
    const struct tm_body *decl = body->decl;
    imp_body image = {.flags = body->flags,
                      .orient = body->orient,
                      .raw = which * IMP_RAW_SIZE,
                      .env_body = body->env.body,
                      .env_state = body->env.state,
                      .block = body->block,
                      .g0 = body->tape.g0,
                      .g2 = body->tape.g2,
                      .g3 = body->tape.g3,
                      .kinematics = body->tape.kinematics,
                      .pull = body->tape.pull,
                      .energy = body->tape.energy,
                      .refresh = body->tape.refresh,
                      .sides = decl->sides,
                      .kind = contact_kinds_surface(mech, which),
                      .first_draw = decl->first_draw,
                      .n_draw = decl->n_draw,
                      .n_point = decl->shape.n_point,
                      .n_plane = decl->shape.n_point ? 0 : decl->shape.n_plane,
                      .env_poly = body->env.poly,
                      .range = decl->range};
    for (int j = 0; j < 7; j++)
        image.pose[j] = body->row.pose[j];
    return image;
}

static imp_places
places_of(const struct tm_body *decl)
{
    imp_range range = decl->range;
    return (imp_places){
        .shape = mech_range(decl->shape.range, range),
        .mass = mech_range(decl->stated.mass.e ? decl->stated.mass.range
                                               : decl->stated.density.range,
                           range),
        .inertia = mech_range(decl->stated.inertia.range, range),
        .centre = mech_range(decl->stated.centre.range, range),
        .position = mech_range(decl->start.position.range, range),
        .orient = mech_range(decl->start.orient.range, range),
        .velocity = mech_range(decl->start.velocity.range, range),
        .spin = mech_range(decl->start.spin.range, range)};
}

/* The places where bodies are stated; those of members of a family are the
 * same. which: per body. */
static imp_ref
image_places(struct mech *mech, uint32_t *which)
{
    struct {
        imp_places *v;
        size_t n, cap;
    } table = {NULL, 0, 0};
    for (size_t i = 0; i < mech->model->n_bodies; i++) {
        imp_places places = places_of(mech->bodies[i].decl);
        if (!table.n ||
            memcmp(table.v + table.n - 1, &places, sizeof places) != 0)
            VEC_PUSH_IN(mech->arena, &table, places);
        which[i] = (uint32_t)table.n - 1;
    }
    return image_array(mech->image, table.v, table.n, sizeof *table.v);
}

/* Bodies may be many: they are written some at a time, after their names. */
#define AT_ONCE 64
_Static_assert(sizeof(imp_body) * AT_ONCE % 16 == 0,
               "parts of a table follow each other without a gap");
imp_ref
image_bodies(struct mech *mech, imp_ref *places)
{
    assert(mech && places);
    size_t count = mech->model->n_bodies;
    imp_str *name = NEW_N(mech->arena, imp_str, count + 1);
    for (size_t i = 0; i < count; i++)
        name[i] = image_text(mech->image, mech->bodies[i].decl->name);
    uint32_t *which = NEW_N(mech->arena, uint32_t, count + 1);
    *places = image_places(mech, which);
    imp_ref table = {0, 0};
    for (size_t from = 0; from < count; from += AT_ONCE) {
        size_t n = count - from < AT_ONCE ? count - from : AT_ONCE;
        imp_body part[AT_ONCE];
        for (size_t i = 0; i < n; i++) {
            part[i] = image_body(mech, (uint32_t)(from + i));
            part[i].name = name[from + i];
            part[i].places = which[from + i];
        }
        imp_ref at = image_array(mech->image, part, n, sizeof *part);
        assert(!from || at.off == table.off + table.n * sizeof *part);
        table.off = from ? table.off : at.off;
        table.n += at.n;
    }
    return table;
}

imp_ref
image_blocks(struct mech *mech)
{
    assert(mech);
    imp_block *table = NEW_N(mech->arena, imp_block, mech->n_blocks + 1);
    for (size_t i = 0; i < mech->n_blocks; i++)
        table[i] = mech->blocks[i].out;
    return image_once(mech, table, mech->n_blocks, sizeof *table);
}

imp_ref
image_joints(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_joints;
    imp_joint *table = NEW_N(mech->arena, imp_joint, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_joint *joint = mech->model->joints + i;
        bool varies =
            joint->mu.e &&
            (friction_varies(mech, joint->mu.e) ||
             (joint->mu_static.e && friction_varies(mech, joint->mu_static.e)));
        table[i] = (imp_joint){
            .flags = (joint->mu.e ? IMP_JOINTF_RUBS : 0) |
                     (varies ? IMP_JOINTF_VARIES : 0),
            .block = IMP_NO_BLOCK,
            .range_friction = mech_range(joint->mu.range, joint->range),
            .range_width = mech_range(joint->width.range, joint->range),
            .name = image_text(mech->image, joint->name),
            .kind = (uint32_t)joint->kind,
            .body = {joint->body[0], joint->body[1]},
            .carrier = joint->carrier,
            .env_joint = mech->layout.joint + (uint32_t)i * IMP_JOINT_SIZE,
            .n_rate = joint->rate.n,
            .n_user = joint->n_user,
            .range = joint->range,
            .range_at = mech_range(joint->at.range, joint->range),
            .range_axis = mech_range(joint->axis.range, joint->range),
            .range_axis2 = mech_range(joint->axis2.range, joint->range),
            .range_rate = mech_range(joint->rate.range, joint->range)};
    }
    for (uint32_t b = 0; b < mech->n_blocks; b++) {
        const struct mblock *block = mech->blocks + b;
        for (uint32_t i = 0; i < block->n_told; i++) {
            imp_joint *joint = table + block->told[i].joint;
            joint->flags = IMP_JOINTF_TELLS;
            joint->block = b;
            memcpy(joint->rows, block->told[i].rows, sizeof joint->rows);
        }
        for (uint32_t i = 0; i < block->n_rub; i++) {
            const struct mrub *rub = block->rub + i;
            imp_joint *joint = table + rub->joint;
            joint->block = b;
            joint->friction = block->first_rub + i;
            joint->force = rub->force;
            memcpy(joint->rows, rub->rows, sizeof joint->rows);
        }
    }
    return image_array(mech->image, table, count, sizeof *table);
}

imp_ref
image_draws(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_draws;
    imp_draw *table = NEW_N(mech->arena, imp_draw, count + 1);
    for (size_t i = 0; i < count; i++)
        table[i] = (imp_draw){.range = mech->model->draws[i].range};
    return image_array(mech->image, table, count, sizeof *table);
}

imp_ref
image_coordinates(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_coordinates;
    imp_coordinate *table = NEW_N(mech->arena, imp_coordinate, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_coordinate *coordinate = mech->model->coordinates + i;
        table[i] = (imp_coordinate){
            .name = image_text(mech->image, coordinate->name),
            .unit = image_text(mech->image, coordinate->unit),
            .rate_unit = image_text(mech->image, coordinate->rate_unit),
            .env = system_env(mech, (uint32_t)i, 0),
            .env_rate = coordinate->order == 1
                            ? IMP_NO_RATE
                            : system_env(mech, (uint32_t)i, 1),
            .range = coordinate->range,
            .range_start = coordinate->start.range};
    }
    return image_array(mech->image, table, count, sizeof *table);
}

/* Have both drawings one shape, as those of a family have? */
static bool
same_outline(const struct tm_drawing *one, const struct tm_drawing *two)
{
    if (one->level_set != two->level_set || one->n_point != two->n_point ||
        one->n_plane != two->n_plane)
        return false;
    for (size_t i = 0; i < 2 * (size_t)one->n_point; i++)
        if (one->poly[i] != two->poly[i])
            return false;
    return true;
}

static imp_ref
image_drawings(struct mech *mech, const struct tm_system *decl)
{
    imp_drawing *table = NEW_N(mech->arena, imp_drawing, decl->n_drawings + 1);
    for (uint32_t i = 0; i < decl->n_drawings; i++) {
        bool again =
            i > 0 && same_outline(&decl->drawings[i - 1], &decl->drawings[i]);
        table[i] = (imp_drawing){
            .name = image_text(mech->image, decl->drawings[i].name),
            .kind = (uint32_t)decl->drawings[i].kind,
            .n = decl->drawings[i].n,
            .shape = again ? table[i - 1].shape : system_outline(mech, decl, i),
            .n_point = decl->drawings[i].n_point,
            .n_plane = decl->drawings[i].n_plane,
            .range = decl->drawings[i].range};
    }
    return image_array(mech->image, table, decl->n_drawings, sizeof *table);
}

imp_ref
image_systems(struct mech *mech)
{
    assert(mech);
    size_t count = mech->model->n_systems;
    imp_system *table = NEW_N(mech->arena, imp_system, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_system *decl = mech->model->systems + i;
        const struct msystem *system = mech->systems + i;
        imp_range range_mass =
            decl->mass ? decl->range_mass : decl->kinetic.range;
        table[i] = (imp_system){
            .name = image_text(mech->image, decl->name),
            .energy_unit = image_text(mech->image, decl->energy_unit),
            .first = decl->first,
            .n = decl->n,
            .env_state = system->env_state,
            .block = system->block,
            .contact = decl->contact,
            .n_contact = decl->n_contact,
            .energy = system->energy,
            .mass = system->mass,
            .pull = system->pull,
            .flags = system->flags,
            .modal = system->modal,
            .solve = system->solve,
            .n_rub = system_rubbing(mech, decl),
            .n_soft = system_compliant(mech, decl),
            .n_memory = system_remembering(mech, decl),
            .rows = system->rows,
            .n_observer = decl->n_observer,
            .n_observed = system->n_observed,
            .observer = system->observer,
            .jump = system->jump,
            .draw = system->draw,
            .drawings = image_drawings(mech, decl),
            .range_observer = decl->range_observer,
            .range = decl->range,
            .range_mass = mech_range(range_mass, decl->range)};
    }
    return image_array(mech->image, table, count, sizeof *table);
}
