/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints systems as texts of Imp. */
#include "print.h"

#include <math.h>
#include <stdlib.h>

#include "vector.h"

static void
print_force(const struct coordinate_system *system, FILE *out)
{
    /* derivatives are made in a copy, which has room of its own */
    struct formulas *formulas = malloc(sizeof *formulas);
    *formulas = system->formulas;
    fputs("  force = ", out);
    for (int i = 0; i < system->coordinates; i++) {
        int slope = formula_derivative(formulas, system->potential, i);
        fputs(i ? ", " : system->coordinates > 1 ? "(" : "", out);
        fputs("(-1 [1/s^2])*", out);
        formula_print(formulas, slope, (char(*)[16])(void *)system->coordinate,
                      out);
    }
    fputs(system->coordinates > 1 ? ")\n" : "\n", out);
    free(formulas);
}

static void
print_formula(const struct coordinate_system *system, const char *key, int root,
              FILE *out)
{
    fprintf(out, "  %s", key);
    formula_print(&system->formulas, root,
                  (char(*)[16])(void *)system->coordinate, out);
    fputs("\n", out);
}

static void
print_start(const struct coordinate_system *system, FILE *out)
{
    fputs("  start {", out);
    for (int i = 0; i < system->coordinates; i++) {
        fprintf(out, " %s = ", system->coordinate[i]);
        print_number(out, system->start[i]);
        fprintf(out, " %s' = ", system->coordinate[i]);
        print_number(out, system->rate[i]);
    }
    fputs(" }\n", out);
}

void
print_system(const struct model *model, int index, FILE *out)
{
    const struct coordinate_system *system = &model->system[index];
    fprintf(out, "system %s {\n  coordinate ", system->name);
    for (int i = 0; i < system->coordinates; i++)
        fprintf(out, "%s%s", i ? ", " : "", system->coordinate[i]);
    fputs("\n", out);
    print_formula(system, "kinetic = ", system->kinetic, out);
    if (system->potential && system->as_force)
        print_force(system, out);
    else if (system->potential)
        print_formula(system, "potential = (1 [1/s^2])*", system->potential,
                      out);
    if (system->dissipation)
        print_formula(system, "dissipation = (1 [1/s])*", system->dissipation,
                      out);
    for (int k = 0; k < model->contacts; k++) {
        int i = model->reversed ? model->contacts - 1 - k : k;
        const struct contact *contact = &model->contact[i];
        if (!contact->there || contact->system != index + 1)
            continue;
        fprintf(out, "  contact %s { gap = ", contact->name);
        formula_print(&system->formulas, contact->gap,
                      (char(*)[16])(void *)system->coordinate, out);
        fputs("  restitution = ", out);
        print_number(out, contact->restitution);
        fputs(" }\n", out);
    }
    print_start(system, out);
    fputs("}\n", out);
}

static double
ball_mass(const struct model *model, int index)
{
    const struct body *body = &model->body[index];
    double size = body->size[0];
    if (body->density == 0)
        return body->mass;
    return body->density * acos(-1) * size * size *
           (model->dimension == 3 ? 4 * size / 3 : 1);
}

static void
print_energies(const struct model *model, FILE *out)
{
    bool begun = false;
    fputs("  kinetic = ", out);
    for (int i = 0; i < model->bodies; i++)
        for (int k = 0; k < model->dimension && body_moves(model, i); k++) {
            fputs(begun ? " + " : "", out);
            print_number(out, ball_mass(model, i));
            fprintf(out, "*%c%d'^2/2", "xyz"[k], i);
            begun = true;
        }
    fputs("\n  potential = (1 [1/s^2])*(0", out);
    for (int i = 0; i < model->bodies; i++)
        for (int k = 0; k < model->dimension && body_moves(model, i); k++) {
            fputs(" + (", out);
            print_number(out, -ball_mass(model, i) * model->gravity[k]);
            fprintf(out, ")*%c%d", "xyz"[k], i);
        }
    fputs(")\n", out);
}

/* a coordinate of a body, or the number where a fixed one is */
static void
print_place(const struct model *model, int body, int axis, FILE *out)
{
    if (body_moves(model, body)) {
        fprintf(out, "%c%d", "xyz"[axis], body);
        return;
    }
    fputs("(", out);
    print_number(out, model->body[body].position[axis]);
    fputs(")", out);
}

static void
print_ball_gap(const struct model *model, const struct contact *contact,
               FILE *out)
{
    int first = contact->first, second = contact->second;
    bool wall = model->body[first].shape == SHAPE_HALF;
    double turn[3][3],
        normal[3] = {0, model->dimension == 2, model->dimension == 3};
    if (model->dimension == 2)
        angle_matrix(model->body[first].angle, turn);
    else
        quaternion_matrix(model->body[first].quaternion, turn);
    rotate(turn, normal, normal);
    fputs(wall ? "" : "sqrt(", out);
    for (int k = 0; k < model->dimension; k++) {
        fputs(k ? " + " : "", out);
        if (wall) {
            fputs("(", out);
            print_number(out, normal[k]);
            fputs(")*", out);
        }
        fputs("(", out);
        print_place(model, second, k, out);
        fputs(" - ", out);
        print_place(model, first, k, out);
        fputs(wall ? ")" : ")^2", out);
    }
    fputs(wall ? " - " : ") - ", out);
    print_number(out, model->body[second].size[0] +
                          (wall ? 0 : model->body[first].size[0]));
}

void
print_balls_as_system(const struct model *model, FILE *out)
{
    bool begun = false;
    fputs("system all {\n  coordinate ", out);
    for (int i = 0; i < model->bodies; i++)
        for (int k = 0; k < model->dimension && body_moves(model, i); k++) {
            fprintf(out, "%s%c%d", begun ? ", " : "", "xyz"[k], i);
            begun = true;
        }
    fputs("\n", out);
    print_energies(model, out);
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        if (!contact->there)
            continue;
        fprintf(out, "  contact %s { gap = ", contact->name);
        print_ball_gap(model, contact, out);
        fputs("  restitution = ", out);
        print_number(out, contact->restitution);
        fputs(" }\n", out);
    }
    fputs("  start {", out);
    for (int i = 0; i < model->bodies; i++)
        for (int k = 0; k < model->dimension && body_moves(model, i); k++) {
            fprintf(out, " %c%d = ", "xyz"[k], i);
            print_number(out, model->body[i].position[k]);
            fprintf(out, " %c%d' = ", "xyz"[k], i);
            print_number(out, model->body[i].velocity[k]);
        }
    fputs(" }\n}\n", out);
}
