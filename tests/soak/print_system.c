/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints systems as texts of Imp. */
#include "print.h"

#include <stdlib.h>

/* The potential as a force, and with it what goes with absolute values of
 * rates. */
static void
print_force(const struct coordinate_system *system, FILE *out)
{
    /* derivatives are made in a copy, which has room of its own */
    struct formulas *formulas = malloc(sizeof *formulas);
    *formulas = system->formulas;
    fputs("  force = ", out);
    for (int i = 0; i < system->coordinates; i++) {
        int slope = formula_derivative(formulas, system->potential, i);
        if (system->dry)
            slope = formula_two(
                formulas, OP_ADD, slope,
                formula_derivative(formulas, system->dry, RATE_PLACE + i));
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

/* Variables that the motion drives as it drives the coordinates. */
static void
print_observer(const struct coordinate_system *system, FILE *out)
{
    fputs("  observer {\n    coordinate ", out);
    for (int i = 0; i < system->coordinates; i++)
        fprintf(out, "%sw%d", i ? ", " : "", i);
    for (int i = 0; i < system->coordinates; i++)
        fprintf(out, "\n    w%d'' = %s''", i, system->coordinate[i]);
    fputs("\n    jump {", out);
    for (int i = 0; i < system->coordinates; i++)
        fprintf(out, " w%d' = jump(%s')", i, system->coordinate[i]);
    fputs(" }\n  }\n", out);
}

/* The contacts of the system as k[0], k[1], ... */
static void
print_family(const struct model *model, int index, FILE *out)
{
    const struct coordinate_system *system = &model->system[index];
    char(*names)[16] = (char(*)[16])(void *)system->coordinate;
    fprintf(out, "  contact k[i in 0 .. %d] {", model->contacts - 1);
    for (int key = 0; key < 2; key++) {
        fputs(key ? "  restitution =" : " gap =", out);
        for (int i = 0; i < model->contacts; i++) {
            const struct contact *contact = &model->contact[i];
            if (i + 1 < model->contacts)
                fprintf(out, " if i == %d then ", i);
            else
                fputs(" ", out);
            if (key)
                print_number(out, contact->restitution);
            else
                formula_print(&system->formulas, contact->gap, names, out);
            fputs(i + 1 < model->contacts ? " else" : "", out);
        }
    }
    fputs(" }\n", out);
}

static void
print_start(const struct model *model, const struct coordinate_system *system,
            FILE *out)
{
    fputs("  start {", out);
    for (int i = 0; i < system->coordinates; i++) {
        fprintf(out, " %s = ", system->coordinate[i]);
        print_number(out, system->start[i]);
        fprintf(out, " %s' = ", system->coordinate[i]);
        print_number(out, system->rate[i]);
        if (!model->observed)
            continue;
        fprintf(out, " w%d = ", i);
        print_number(out, system->start[i]);
        fprintf(out, " w%d' = ", i);
        print_number(out, system->rate[i]);
    }
    fputs(" }\n", out);
}

/* The place along the ground, `slide = F - V*t`, or its rate. */
static void
print_slide(const struct model *model, const struct coordinate_system *system,
            const struct contact *contact, FILE *out)
{
    struct formulas *formulas;
    char(*names)[16] = (char(*)[16])(void *)system->coordinate;
    bool begun = false;
    if (!contact->rough && !model->zero_friction)
        return;
    if (!contact->rough) {
        /* any slip that is one, and not the gap, for a coefficient of 0 */
        fprintf(out, "  slide = 1.5*%s",
                system->coordinate[system->coordinates - 1]);
        return;
    }
    if (!model->slide_rates) {
        fputs("  slide = ", out);
        formula_print(&system->formulas, contact->slide, names, out);
    } else {
        formulas = malloc(sizeof *formulas);
        *formulas = system->formulas;
        fputs("  slide' = ", out);
        for (int i = 0; i < system->coordinates; i++) {
            int slope = formula_derivative(formulas, contact->slide, i);
            fputs(begun ? " + " : "", out);
            begun = true;
            formula_print(formulas, slope, names, out);
            fprintf(out, "*%s'", names[i]);
        }
        if (formula_has_time(formulas, contact->slide)) {
            int slope =
                formula_derivative(formulas, contact->slide, TIME_PLACE);
            fputs(" + (1 [1/s])*", out);
            formula_print(formulas, slope, names, out);
        }
        free(formulas);
    }
    if (contact->belt != 0) {
        fputs(" - (", out);
        print_number(out, contact->belt);
        fputs(model->slide_rates ? " [1/s])" : " [1/s])*t", out);
    }
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
    bool dry = system->dry && !(system->as_force && system->potential);
    if (system->dissipation && !dry)
        print_formula(system, "dissipation = (1 [1/s])*", system->dissipation,
                      out);
    if (system->dissipation && dry) {
        fputs("  dissipation = (1 [1/s])*", out);
        formula_print(&system->formulas, system->dissipation,
                      (char(*)[16])(void *)system->coordinate, out);
        fputs("\n", out);
        print_formula(system, "  + (1 [1/s^2])*", system->dry, out);
    } else if (dry)
        print_formula(system, "dissipation = (1 [1/s^2])*", system->dry, out);
    for (int k = 0; k < model->contacts; k++) {
        int i = model->reversed ? model->contacts - 1 - k : k;
        const struct contact *contact = &model->contact[i];
        if (!contact->there || contact->system != index + 1 || model->families)
            continue;
        fprintf(out, "  contact %s { gap = ", contact->name);
        formula_print(&system->formulas, contact->gap,
                      (char(*)[16])(void *)system->coordinate, out);
        fputs("  restitution = ", out);
        print_restitution(contact, out);
        print_slide(model, system, contact, out);
        print_friction(model, contact, out);
        fputs(" }\n", out);
    }
    if (model->families)
        print_family(model, index, out);
    if (model->observed)
        print_observer(system, out);
    print_start(model, system, out);
    fputs("}\n", out);
}
