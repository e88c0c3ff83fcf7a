/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relation `surfaces`: shapes by formulas of their own. Bodies with corners
 * are the greatest of linear functions, one for each face; round ones have
 * another formula of the same surface, which is that of no disc any more. */
#include "surfaces.h"

#include <math.h>
#include <string.h>

#include "print.h"
#include "random.h"
#include "solid.h"

/* Formulas that are 0 where Q = 1, and have their sign. */
static const char *const round_forms[] = {"exp(Q - 1) - 1", "(Q - 1)*(Q + 2)",
                                          "3*(Q - 1)", "sqrt(Q + 3) - 2"};
enum { ROUND_FORMS = sizeof round_forms / sizeof *round_forms };

/* The exponent of a round shape. */
static int
power_of(const struct body *body)
{
    return body->shape == SHAPE_SUPERELLIPSE ? 4 : 2;
}

static bool
is_round(const struct body *body)
{
    return body->shape == SHAPE_BALL || body->shape == SHAPE_ELLIPSE ||
           body->shape == SHAPE_SUPERELLIPSE;
}

static double
radius(const struct body *body, int axis)
{
    return body->size[body->shape == SHAPE_BALL ? 0 : axis];
}

/* "max(a, max(b, c))" of all faces; each has a factor of its own */
static void
print_faces(const struct model *model, const struct body *body, FILE *out)
{
    static const char *const axes[] = {"*x", "*y", "*z"};
    struct random random = random_start((uint64_t)body->surface, 2);
    struct solid solid;
    solid_make(body, model->dimension, &solid);
    for (int i = 0; i < solid.faces; i++) {
        double factor = random_in(&random, 0.5, 2), top = -INFINITY;
        for (int k = 0; k < solid.corners; k++) {
            double height = 0;
            for (int m = 0; m < 3; m++)
                height += solid.face[i][m] * solid.corner[k][m];
            top = fmax(top, height);
        }
        fputs(i + 1 < solid.faces ? "max(" : "", out);
        for (int m = 0; m < model->dimension; m++) {
            fprintf(out, "%s(", m ? " + " : "");
            print_number(out, factor * solid.face[i][m]);
            fprintf(out, ")%s", axes[m]);
        }
        fputs(" - ", out);
        print_number(out, factor * top);
        fputs(" [m]", out);
        fputs(i + 1 < solid.faces ? ", " : "", out);
    }
    for (int i = 0; i + 1 < solid.faces; i++)
        fputs(")", out);
    fputs("\n", out);
}

/* Another formula of the same surface. */
static void
print_round(const struct model *model, const struct body *body, FILE *out)
{
    const char *form = round_forms[body->surface % ROUND_FORMS];
    for (; *form; form++) {
        if (*form != 'Q') {
            fputc(*form, out);
            continue;
        }
        for (int k = 0; k < model->dimension; k++) {
            fprintf(out, "%s(%c/(", k ? " + " : "(", "xyz"[k]);
            print_number(out, radius(body, k));
            fprintf(out, " [m]))^%d", power_of(body));
        }
        fputs(")", out);
    }
}

/* Its volume, and the moments of inertia of unit density. */
static void
print_moments(const struct model *model, const struct body *body, FILE *out)
{
    int n = model->dimension;
    double one = 1.0 / power_of(body), volume = 1, square[3] = {0}, sum = 0;
    for (int k = 0; k < n; k++) {
        square[k] = radius(body, k) * radius(body, k);
        sum += square[k];
        volume *= 2 * radius(body, k) * tgamma(1 + one);
    }
    volume /= tgamma(1 + n * one);
    double mean = tgamma(3 * one) * tgamma(1 + n * one) /
                  (tgamma(one) * tgamma(1 + (n + 2) * one)) * volume;
    fputs(" {\n  volume = ", out);
    print_number(out, volume);
    fputs(n == 2 ? " [m^2]" : " [m^3]", out);
    fputs("\n  centre = ", out);
    print_vector(model, out, (double[3]){0, 0, 0});
    fputs("\n  inertia = ", out);
    if (n == 2) {
        print_number(out, mean * sum);
        fputs(" [m^4]", out);
    }
    for (int k = 0; n == 3 && k < 3; k++) {
        fputs(k ? ", " : "diag(", out);
        print_number(out, mean * (sum - square[k]));
        fputs(" [m^5]", out);
    }
    fputs(n == 3 ? ")\n}\n" : "\n}\n", out);
}

void
print_surface(const struct model *model, const struct body *body, FILE *out)
{
    fprintf(out, "shape own_%s() = ", body->name);
    if (is_round(body)) {
        print_round(model, body, out);
        print_moments(model, body, out);
    } else {
        print_faces(model, body, out);
    }
}

bool
make_surfaces(struct trial *trial)
{
    struct model *other = &trial->other;
    bool any = false;
    for (int i = 0; i < other->bodies; i++) {
        struct body *body = &other->body[i];
        if (!body->there || (!is_round(body) && body->shape != SHAPE_BOX &&
                             body->shape != SHAPE_HULL))
            continue;
        any = true;
        body->surface = 1 + random_whole(&trial->random, 1000);
    }
    /* corners come in another order */
    trial->to = fmin(trial->to, trial->result->choices);
    return any;
}

bool
make_functions(struct trial *trial)
{
    struct model *other = &trial->other;
    for (int i = 0; i < other->systems; i++)
        other->system[i].formulas.own = true;
    trial->same_energy = true;
    return other->systems > 0;
}
