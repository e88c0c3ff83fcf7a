/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints bodies as one family, `body fam[i in 0 .. n-1]`, and their contacts
 * with one other body as families. Numbers that differ are chosen by the index.
 */
#include <stdlib.h>
#include <string.h>

#include "print.h"

/* Prints one number or vector of a member. */
typedef void print_part(const struct model *model, int index, int part,
                        FILE *out);

/* "if i == 0 then A else B", or one of them if all are the same text. index: of
 * the n members. */
static void
by_index(const struct model *model, const int *index, int n, int part,
         print_part *print, FILE *out)
{
    char *text[MAX_BODIES];
    bool alike = true;
    for (int i = 0; i < n; i++) {
        size_t size;
        FILE *memory = open_memstream(&text[i], &size);
        print(model, index[i], part, memory);
        fclose(memory);
        alike &= !strcmp(text[i], text[0]);
    }
    for (int i = 0; i < n; i++) {
        if (!alike && i + 1 < n)
            fprintf(out, "if i == %d then %s else ", i, text[i]);
        else if (i + 1 == n)
            fputs(text[i], out);
    }
    for (int i = 0; i < n; i++)
        free(text[i]);
}

static void
print_size(const struct model *model, int index, int part, FILE *out)
{
    print_number(out, model->body[index].size[part]);
}

static void
print_corner(const struct model *model, int index, int part, FILE *out)
{
    print_vector(model, out, model->body[index].corner[part]);
}

static void
print_density(const struct model *model, int index, int part, FILE *out)
{
    (void)part;
    print_number(out, model->body[index].density);
}

static void
print_mass(const struct model *model, int index, int part, FILE *out)
{
    (void)part;
    print_number(out, model->body[index].mass);
}

static void
print_inertia(const struct model *model, int index, int part, FILE *out)
{
    (void)part;
    if (model->dimension == 2) {
        print_number(out, model->body[index].inertia);
        return;
    }
    fputs("diag", out);
    print_vector(model, out, model->body[index].moments);
}

static void
print_place(const struct model *model, int index, int part, FILE *out)
{
    const struct body *body = &model->body[index];
    print_vector(model, out, part ? body->velocity : body->position);
}

static void
print_turn(const struct model *model, int index, int part, FILE *out)
{
    const struct body *body = &model->body[index];
    if (model->dimension == 2) {
        print_number(out, part ? body->spin[2] : body->angle);
    } else if (part) {
        print_vector(model, out, body->spin);
    } else {
        fputs("(", out);
        for (int k = 0; k < 4; k++) {
            fputs(k ? ", " : "", out);
            print_number(out, body->quaternion[k]);
        }
        fputs(")", out);
    }
}

static void
print_shape_of_all(const struct model *model, const int *index, int n,
                   FILE *out)
{
    static const char *const names[][2] = {
        [SHAPE_BALL] = {"circle", "sphere"},
        [SHAPE_ELLIPSE] = {"ellipse", "ellipsoid"},
        [SHAPE_SUPERELLIPSE] = {"superellipse", "superellipsoid"},
        [SHAPE_BOX] = {"rectangle", "box"},
        [SHAPE_HULL] = {"polygon", "polyhedron"}};
    const struct body *first = &model->body[index[0]];
    if (first->shape == SHAPE_NONE)
        return;
    bool hull = first->shape == SHAPE_HULL;
    int count = hull                         ? first->corners
                : first->shape == SHAPE_BALL ? 1
                                             : model->dimension;
    fprintf(out, " : %s(", names[first->shape][model->dimension == 3]);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        by_index(model, index, n, i, hull ? print_corner : print_size, out);
    }
    fputs(")", out);
}

void
print_bodies_as_family(const struct model *model, FILE *out)
{
    int index[MAX_BODIES], n = 0;
    for (int i = 0; i < model->bodies; i++)
        if (model->body[i].member)
            index[n++] = i;
    const struct body *first = &model->body[index[0]];
    struct key {
        const char *name;
        print_part *print;
        int part;
        bool there;
    } keys[] = {
        {"density", print_density, 0, first->density != 0},
        {"mass", print_mass, 0, first->density == 0},
        {"inertia", print_inertia, 0, first->density == 0},
        {"position", print_place, 0, true},
        {model->dimension == 2 ? "angle" : "quaternion", print_turn, 0, true},
        {"velocity", print_place, 1, !body_is_jointed(model, index[0])},
        {"spin", print_turn, 1, !body_is_jointed(model, index[0])}};
    fprintf(out, "body fam[i in 0 .. %d]", n - 1);
    print_shape_of_all(model, index, n, out);
    fputs(" {", out);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (!keys[k].there)
            continue;
        fprintf(out, "\n  %s = ", keys[k].name);
        by_index(model, index, n, keys[k].part, keys[k].print, out);
    }
    fputs(" }\n", out);
}

static void
print_law(const struct model *model, int index, int part, FILE *out)
{
    const struct contact *contact = &model->contact[index];
    if (part)
        print_number(out, contact->friction);
    else
        print_restitution(contact, out);
}

void
print_contacts_as_family(const struct model *model, int first, FILE *out)
{
    const struct contact *contact = &model->contact[first];
    int index[MAX_BODIES], n = 0;
    for (int i = first; i < model->contacts; i++)
        if (model->contact[i].row && model->contact[i].first == contact->first)
            index[n++] = i;
    fprintf(out, "contact row%d[i in 0 .. %d] : %s | fam[i] {", contact->first,
            n - 1, model->body[contact->first].name);
    fputs("  restitution = ", out);
    by_index(model, index, n, 0, print_law, out);
    if (contact->rough) {
        fputs("  friction = ", out);
        by_index(model, index, n, 1, print_law, out);
    }
    fputs(" }\n", out);
}

/* -- which bodies and contacts -------------------------------------------- */

static bool
is_member(const struct model *model, int body, const struct body *first)
{
    static const struct load none;
    const struct body *one = &model->body[body];
    return body_moves(model, body) && one->shape == first->shape &&
           one->corners == first->corners &&
           (one->density == 0) == (first->density == 0) &&
           body_is_jointed(model, body) ==
               body_is_jointed(model, (int)(first - model->body)) &&
           !memcmp(&one->load, &none, sizeof none) && one->rotor.inertia == 0;
}

static bool
is_simple(const struct contact *contact, bool rough)
{
    return contact->there && !contact->system && !contact->restitution_law &&
           !contact->sticks && !contact->own_law && contact->rough == rough &&
           contact->static_friction == 0 && contact->impact_friction == 0 &&
           contact->stribeck_speed == 0;
}

/* The contacts of this body with all members become a row, if there is one for
 * each and all are alike but for their numbers. */
static void
make_row(struct model *model, int body)
{
    int at[MAX_BODIES + 1] = {0}, members = 0, found = 0;
    bool simple = true, rough = false;
    for (int i = 0; i < model->bodies; i++)
        members += model->body[i].member != 0;
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        if (!contact->there || contact->system || contact->first != body ||
            !model->body[contact->second].member)
            continue;
        rough = found ? rough : contact->rough;
        simple &= is_simple(contact, rough);
        at[found++] = i;
    }
    for (int k = 0; k < found; k++) /* in the order of the members */
        simple &= model->body[model->contact[at[k]].second].member == k + 1;
    if (found < members || !simple)
        return;
    for (int k = 0; k < found; k++) {
        struct contact *contact = &model->contact[at[k]];
        contact->row = k + 1;
        contact->swapped = false;
        snprintf(contact->name, NAME_SIZE, "row%d[%d]", body % 100, k % 100);
    }
}

bool
make_members(struct model *model)
{
    for (int first = 0; first < model->bodies; first++) {
        int n = 0;
        if (!is_member(model, first, &model->body[first]))
            continue;
        for (int i = first; i < model->bodies; i++)
            n += is_member(model, i, &model->body[first]);
        if (n < 2)
            continue;
        n = 0;
        for (int i = first; i < model->bodies; i++)
            if (is_member(model, i, &model->body[first])) {
                model->body[i].member = ++n;
                snprintf(model->body[i].name, NAME_SIZE, "fam[%d]", n - 1);
            }
        for (int i = 0; i < model->bodies; i++)
            if (!model->body[i].member)
                make_row(model, i);
        return true;
    }
    return false;
}
