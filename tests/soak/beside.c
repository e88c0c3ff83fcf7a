/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relations `beside`: another random mechanism far away in the same model,
 * and `doubled`: the same mechanism once more, so that all that happens to one
 * happens to the other at the same time. Nothing joins the two, so the first
 * one must move as it does alone. */
#include "beside.h"

#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "generate.h"
#include "vector.h"

/* How far away the guests are, in the units of the generator, where bodies stay
 * within some tens of the origin. */
static const double AWAY = 1000;

/* Kinds that are drawn more often: those with friction, joints, many contacts.
 */
static const char *const special[] = {"rough",   "slopes", "rough-system",
                                      "linkage", "discs",  "laws"};

static bool
fits(const struct model *model, const struct model *guests)
{
    bool dimension = !model->bodies || !guests->bodies ||
                     model->dimension == guests->dimension;
    return dimension && model->bodies + guests->bodies <= MAX_BODIES &&
           model->contacts + guests->contacts <= MAX_CONTACTS &&
           model->joints + guests->joints <= MAX_JOINTS &&
           model->systems + guests->systems <= MAX_SYSTEMS;
}

static bool
draw_guests(struct random *random, const struct model *model,
            struct model *guests)
{
    for (int tries = 0; tries < 20; tries++) {
        const char *kind = random_chance(random, 0.5)
                               ? special[random_whole(random, 6)]
                               : NULL;
        uint64_t seed = random_bits(random);
        if (generate(seed, kind, guests) && fits(model, guests))
            return true;
    }
    return false;
}

static void
rename_guest(char name[NAME_SIZE])
{
    char old[NAME_SIZE];
    memcpy(old, name, NAME_SIZE);
    snprintf(name, NAME_SIZE, "%s%.10s", GUEST, old);
}

/* What the shrinker has left out. */
static void
leave_out(const struct model *model, struct model *guests)
{
    for (int i = 0; i < guests->bodies; i++)
        if (model->guest_left_out[i])
            guests->body[i].there = false;
    for (int i = 0; i < guests->contacts; i++) {
        struct contact *contact = &guests->contact[i];
        if (!contact->system && (!guests->body[contact->first].there ||
                                 !guests->body[contact->second].there))
            contact->there = false;
    }
    for (int i = 0; i < guests->joints; i++) {
        struct joint *joint = &guests->joint[i];
        if (!guests->body[joint->first].there ||
            (joint->second >= 0 && !guests->body[joint->second].there))
            joint->there = false;
    }
}

static void
append(struct model *model, const struct model *guests)
{
    for (int i = 0; i < guests->contacts; i++) {
        struct contact *contact = &model->contact[model->contacts + i];
        *contact = guests->contact[i];
        rename_guest(contact->name);
        if (contact->system) {
            contact->system += model->systems;
        } else {
            contact->first += model->bodies;
            contact->second += model->bodies;
        }
    }
    for (int i = 0; i < guests->joints; i++) {
        struct joint *joint = &model->joint[model->joints + i];
        *joint = guests->joint[i];
        rename_guest(joint->name);
        joint->first += model->bodies;
        joint->second += joint->second >= 0 ? model->bodies : 0;
    }
    for (int i = 0; i < guests->bodies; i++) {
        model->body[model->bodies + i] = guests->body[i];
        rename_guest(model->body[model->bodies + i].name);
    }
    for (int i = 0; i < guests->systems; i++) {
        model->system[model->systems + i] = guests->system[i];
        rename_guest(model->system[model->systems + i].name);
    }
    model->bodies += guests->bodies;
    model->contacts += guests->contacts;
    model->joints += guests->joints;
    model->systems += guests->systems;
}

bool
make_beside(struct trial *trial)
{
    struct model *other = &trial->other;
    static struct model guests;
    struct frame away = frame_same();
    if (other->question != ASK_SIMULATE || !ride_is_rest(&other->ground) ||
        !draw_guests(&trial->random, other, &guests))
        return false;
    if (other->bodies) {
        memcpy(guests.gravity, other->gravity, sizeof guests.gravity);
    } else {
        memcpy(other->gravity, guests.gravity, sizeof other->gravity);
        other->dimension = guests.dimension;
    }
    leave_out(other, &guests);
    away.shift[0] = AWAY;
    frame_apply(&away, &guests);
    append(other, &guests);
    trial->frame.guests = true;
    return true;
}

bool
make_doubled(struct trial *trial)
{
    struct model *other = &trial->other;
    static struct model guests;
    guests = *other;
    if (other->question != ASK_SIMULATE || !ride_is_rest(&other->ground) ||
        !fits(other, &guests))
        return false;
    /* at the same place: bodies pass through each other, as no contact says
     * otherwise. Far away gaps are rounded more, and times differ. */
    append(other, &guests);
    trial->frame.guests = true;
    return true;
}

/* Is that line of the text, counted from 1, one of a guest? */
static bool
is_guest_line(const char *text, int line)
{
    while (--line > 0 && (text = strchr(text, '\n')))
        text++;
    size_t length = text ? strcspn(text, "\n") : 0;
    const char *found = text ? strstr(text, GUEST) : NULL;
    return found && found < text + length;
}

bool
guests_are_named(const struct model *model, const struct result *result)
{
    const char *place = strstr(result->err, "<stdin>:");
    int line = 0;
    if (strstr(result->err, GUEST))
        return true;
    if (!place || sscanf(place, "<stdin>:%d:", &line) != 1)
        return false;
    char *text = model_text(model);
    bool guest = is_guest_line(text, line);
    free(text);
    return guest;
}
