/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random models of boxes that rest on each other from the start, under loads
 * that change; and of corners that are rounded. */
#include <math.h>

#include "fictitious.h"
#include "generate_priv.h"
#include "solid.h"

/* m/s^2 */
static const double GRAVITY = 9.81;

static struct body *
add_block(struct random *random, struct model *out, double width, double height)
{
    struct body *body = scene_add_body(out, "block");
    body->shape = SHAPE_BOX;
    body->size[0] = width;
    body->size[1] = height;
    body->density = random_in(random, 0.5, 3) / (width * height);
    return body;
}

/* Values up to 1.3 of what is stated at some times, and straights between. */
static void
random_pulses(struct random *random, struct table *out)
{
    double time = random_in(random, -0.1, 0.2);
    out->knots = 3 + random_whole(random, 3);
    for (int i = 0; i < out->knots; i++) {
        out->at[i] = time;
        out->value[i] =
            random_chance(random, 0.3) ? 0 : random_in(random, -1.3, 1.3);
        time += random_in(random, 0.02, 0.2);
    }
}

/* Loads of the size of the weight, along each direction one that swings or one
 * of a table, and now and then a torque that stays. */
static void
add_load(struct random *random, bool swings, struct body *body)
{
    struct load *load = &body->load;
    double weight = body->density * body->size[0] * body->size[1] * GRAVITY;
    if (swings && random_chance(random, 0.7)) {
        load->wave[0] = weight * random_in(random, -0.8, 0.8);
        load->wave[1] = weight * random_in(random, -1.2, 1.2);
        load->frequency = random_in(random, 3, 20);
        load->phase = random_in(random, -3, 3);
    }
    if (random_chance(random, 0.6)) {
        random_pulses(random, &load->table);
        load->pull[0] = weight * random_in(random, -0.8, 0.8);
        load->pull[1] = weight * random_in(random, -1.2, 1.2);
    }
    if (random_chance(random, 0.3))
        load->torque[2] =
            weight * body->size[0] / 2 * random_in(random, -0.7, 0.7);
}

static void
stack(struct random *random, struct model *out, int count)
{
    double height = 0;
    for (int i = 0; i < count; i++) {
        double high = random_in(random, 0.1, 0.4);
        struct body *body =
            add_block(random, out, random_in(random, 0.2, 0.6), high);
        body->position[0] = random_in(random, -0.05, 0.05);
        body->position[1] = height + high / 2;
        height += high;
    }
}

static void
row(struct random *random, struct model *out, int count)
{
    double right = 0;
    for (int i = 0; i < count; i++) {
        double high = random_in(random, 0.15, 0.5),
               wide = random_in(random, 0.3, 0.6);
        struct body *body = add_block(random, out, wide, high);
        body->position[0] = right + wide / 2;
        body->position[1] = high / 2;
        right += wide;
    }
}

/* Two posts and a slab on them. */
static void
bridge(struct random *random, struct model *out)
{
    double high = random_in(random, 0.2, 0.4), thick = 0.125;
    for (int i = 0; i < 2; i++) {
        struct body *post =
            add_block(random, out, random_in(random, 0.15, 0.25), high);
        post->position[0] = (i ? 1 : -1) * random_in(random, 0.2, 0.3);
        post->position[1] = high / 2;
    }
    struct body *slab = add_block(random, out, 1, thick);
    slab->position[0] = random_in(random, -0.1, 0.1);
    slab->position[1] = high + thick / 2;
}

/* Where sums of heights round, nothing is closed to the last bit; all of them
 * are multiples of 2^-20. */
static void
to_grid(struct model *out)
{
    for (int i = 0; i < out->bodies; i++)
        for (int k = 0; k < 2; k++) {
            struct body *body = &out->body[i];
            body->position[k] = round(body->position[k] * 0x1p20) * 0x1p-20;
            body->size[k] = round(body->size[k] * 0x1p19) * 0x1p-19;
        }
}

/* Moves each body down and to the left until it touches what was meant to be
 * below or beside it. */
static void
close_up(struct model *out, bool beside)
{
    int axis = beside ? 0 : 1;
    for (int i = 2; i < out->bodies; i++) {
        struct body *body = &out->body[i], *last = &out->body[i - 1];
        body->position[axis] =
            last->position[axis] + last->size[axis] / 2 + body->size[axis] / 2;
    }
    for (int i = 1; i < out->bodies; i++)
        if (beside || i == 1)
            out->body[i].position[1] = out->body[i].size[1] / 2;
}

void
generate_loaded(struct random *random, struct model *out)
{
    int scene = random_whole(random, 3), count = 1 + random_whole(random, 3);
    out->gravity[1] = -GRAVITY;
    out->exact_start = true;
    scene_add_wall(out, random, 0);
    if (scene == 0)
        stack(random, out, count);
    else if (scene == 1)
        row(random, out, count);
    else
        bridge(random, out);
    to_grid(out);
    if (scene < 2)
        close_up(out, scene == 1);
    else
        for (int i = 1; i < out->bodies; i++)
            out->body[i].position[1] =
                (i == 3 ? out->body[1].size[1] : 0) + out->body[i].size[1] / 2;
    bool swings = random_chance(random, 0.5);
    for (int i = 1; i < out->bodies; i++)
        if (random_chance(random, 0.8))
            add_load(random, swings, &out->body[i]);
    scene_add_contacts(out, random, 1);
    if (random_chance(random, 0.8))
        scene_add_friction(random, out);
    for (int i = 0; i < out->contacts; i++)
        out->contact[i].restitution =
            random_chance(random, 0.8) ? 0 : random_in(random, 0, 0.3);
    static const char *const laws[] = {"complementarity", "poisson", "rest"};
    out->law = laws[random_whole(random, 3)];
    out->until = 0.5;
}

/* Boxes and polygons that fall onto each other, whose corners are rounded by a
 * radius that tends to 0, with friction or without. */
void
generate_rounded(struct random *random, struct model *out)
{
    do {
        *out = (struct model){.dimension = 2, .record_gaps = true};
        if (random_chance(random, 0.5))
            generate_tables(random, out);
        else
            generate_troughs(random, out);
    } while (out->dimension == 3);
    out->rounded = true;
    if (random_chance(random, 0.5))
        scene_add_friction(random, out);
}

/* Scenes of other kinds on a ground that turns or is pushed along. */
void
generate_riding(struct random *random, struct model *out)
{
    static void (*const kinds[])(struct random *, struct model *) = {
        generate_smooth, generate_rough, generate_slopes, generate_loaded,
        generate_bodies};
    kinds[random_whole(random, 5)](random, out);
    out->ground = random_ride(random, out->dimension);
    for (int i = 0; i < out->bodies && ride_turns(&out->ground); i++)
        for (int k = 0; k < 3; k++)
            out->body[i].carry[k] = 0;
    /* what grows as their square would soon be all that there is */
    out->until = fmin(out->until, 1.2);
}

/* Scenes of other kinds whose restitutions fall with the approach by one of
 * several laws. */
void
generate_approaches(struct random *random, struct model *out)
{
    static void (*const kinds[])(struct random *, struct model *) = {
        generate_smooth, generate_rough, generate_driven, generate_bodies,
        generate_polytopes};
    kinds[random_whole(random, 5)](random, out);
    enum approach law = (enum approach)random_whole(random, APPROACHES);
    double speed = random_in(random, 0.2, 5),
           restitution = random_in(random, 0.2, 0.95);
    for (int i = 0; i < out->contacts; i++) {
        struct contact *contact = &out->contact[i];
        contact->approach = law;
        contact->approach_speed = speed;
        contact->restitution = restitution;
    }
}

/* Scenes of other kinds whose bodies differ in their densities by factors of up
 * to a million. */
void
generate_unequal(struct random *random, struct model *out)
{
    static void (*const kinds[])(struct random *, struct model *) = {
        generate_polytopes, generate_troughs, generate_tables, generate_rough,
        generate_slopes,    generate_smooth,  generate_discs};
    kinds[random_whole(random, 7)](random, out);
    for (int i = 0; i < out->bodies; i++)
        out->body[i].density *= pow(2, random_whole(random, 21) - 10);
}

/* Drags of the size of weights at the speeds of these scenes, about 1 m/s. */
void
generate_dragged(struct random *random, struct model *out)
{
    static void (*const kinds[])(struct random *, struct model *) = {
        generate_bodies, generate_polytopes, generate_tables,
        generate_rough,  generate_smooth,    generate_discs};
    kinds[random_whole(random, 6)](random, out);
    for (int i = 0; i < out->bodies; i++) {
        struct body *body = &out->body[i];
        struct solid own;
        if (body->fixed || !random_chance(random, 0.7))
            continue;
        solid_make(body, out->dimension, &own);
        body->load.drag_law =
            (enum drag_law)random_whole(random, (int)DRAG_LAWS);
        body->load.drag = random_in(random, 0.5, 8) * body->density *
                          pow(own.radius, out->dimension);
        for (int k = 0; k < out->dimension && random_chance(random, 0.5); k++)
            body->load.wind[k] = random_in(random, -1, 1);
    }
}
