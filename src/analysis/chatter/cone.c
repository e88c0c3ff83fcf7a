/* SPDX-License-Identifier: MIT */
/* The command `cone S`: an effectively invariant cone of the relabelled maps U
 * R^-k of a linear system (Definition 9, Theorem 5; chatter.md 2.5, 2.9):
 * the search, and a certificate that can be checked from the record or from a
 * file alone. runtime/returnmap/invariant_cone.h has the geometry, in
 * coordinates of its own; this file translates them into rates of the user's
 * coordinates. */
#include "analysis/chatter/cone_priv.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/num.h"
#include "runtime/flow/flow.h"

/* A circle is larger than a regular polygon with n corners on it by the share
 * 6.6/n^2. */
#define ROUND_EDGE 6.6
/* Entries of maps and facets are sums of some ten products: so many rounding
 * errors count as 0. */
#define CLEAN 16.0
/* images that a record holds at most; a file holds all */
#define IMAGES_MOST 1000

/* -- coordinates ------------------------------------------------------------
 */

/* The matrices between x (invariant_cone.h) and rates of the coordinates: from
 * x to the rates that are least in the kinetic metric among those which give
 * the gaps these rates, and back. x_0 is the mean rate of the gaps, in units of
 * the first contact's. */
static void
carriers(struct cone_question *question)
{
    const struct symmetry *symmetry = question->symmetry;
    const struct ballistic *ballistic = question->ballistic;
    int n_coordinates = question->n, n_contacts = symmetry->m,
        rank = symmetry->rank;
    double first =
        sqrt(ballistic->matrices.W[symmetry->order[0] * (n_contacts + 1)]);
    question->to_user =
        NEW_N(question->analysis->rt->arena, double, 6 * (size_t)n_coordinates);
    question->from_user = question->to_user + 3 * n_coordinates;
    for (int component = 0; component < rank; component++)
        for (int i = 0; i < n_contacts; i++) {
            int contact = symmetry->order[i];
            double weight =
                       sqrt(ballistic->matrices.W[contact * (n_contacts + 1)]),
                   y = 0.0, back = 0.0;
            for (int j = 0; j < rank; j++) {
                double f = symmetry->F[i * rank + j] / symmetry->mode[j];
                y += f * question->problem.back[3 * j + component];
                back += f * question->problem.to[3 * component + j];
            }
            for (int j = 0; j < n_coordinates; j++) {
                question->to_user[j * 3 + component] +=
                    ballistic->matrices.B[contact * n_coordinates + j] * y /
                    (weight * first);
                question->from_user[component * n_coordinates + j] +=
                    ballistic->model.N[contact * n_coordinates + j] * back *
                    first / weight;
            }
        }
}

void
cone_to_user(const struct cone_question *question, const double *x, double *v)
{
    for (int j = 0; j < question->n; j++) {
        v[j] = 0.0;
        for (int c = 0; c < question->problem.dim; c++)
            v[j] += question->to_user[j * 3 + c] * x[c];
    }
}

double *
cone_points(struct cone_question *question, const struct polygon2d_point *v,
            int n)
{
    assert(n >= 0);
    double *out = NEW_N(question->analysis->rt->arena, double,
                        (size_t)n *(size_t)question->n + 1);
    for (int i = 0; i < n; i++) {
        double x[3] = {-1.0, v[i].x, v[i].y};
        cone_to_user(question, x, out + i * question->n);
    }
    return out;
}

/* Sets entries to 0 that are rounding errors of the greatest one. */
static void
clean(double *x, int n)
{
    assert(n >= 0);
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) <= CLEAN * DBL_EPSILON * most)
            x[i] = 0.0;
}

/* Motions that no contact feels are dropped from the map. */
void
cone_user_map(const struct cone_question *question, int j, double *map)
{
    assert(j > 0 && j < question->problem.m);
    const double *A = question->problem.flight[j].map;
    int n_coordinates = question->n;
    for (int column = 0; column < n_coordinates; column++) {
        double x[3] = {0}, image[3], rate;
        for (int i = 0; i < 3; i++)
            x[i] = i < question->problem.dim
                       ? question->from_user[i * n_coordinates + column]
                       : 0.0;
        for (int i = 0; i < 3; i++)
            image[i] =
                A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
        for (int i = 0; i < n_coordinates; i++) {
            rate = 0.0;
            for (int d = 0; d < question->problem.dim; d++)
                rate += question->to_user[i * 3 + d] * image[d];
            map[i * n_coordinates + column] = rate;
        }
    }
    clean(map, n_coordinates * n_coordinates);
}

void
cone_user_facet(const struct cone_question *question,
                const struct invariant_cone_plane *h, double *facet)
{
    for (int c = 0; c < question->n; c++) {
        facet[c] = 0.0;
        for (int i = 0; i < question->problem.dim; i++)
            facet[c] += h->c[i] * question->from_user[i * question->n + c];
    }
    clean(facet, question->n);
    double size = 0.0;
    for (int c = 0; c < question->n; c++)
        size = hypot(size, facet[c]);
    for (int c = 0; c < question->n; c++)
        facet[c] /= size;
}

/* -- what is asked ----------------------------------------------------------
 */

static int
bad_option(struct analysis *analysis, const imp_command *command,
           enum imp_option_id id, const char *text, double x)
{
    const imp_val *value = arg_option(analysis, command, id);
    char digits[NUM_TEXT];
    diag_add(analysis->ds, DIAG_E0405, value ? value->range : command->range,
             "%s, but this is %s", text, num_shortest(digits, x));
    return IMP_BADMODEL;
}

static int
read_options(struct analysis *analysis, const imp_command *command,
             struct invariant_cone_options *options)
{
    double most, any;
    int st = arg_number(analysis, command, IMP_OPT_cone_any_order, 0.0, &any);
    options->any_order = any != 0.0;
    if (!st)
        st = arg_number(analysis, command, IMP_OPT_cone_tolerance, 1e-5,
                        &options->tolerance);
    if (st || (st = arg_number(analysis, command, IMP_OPT_cone_iterations,
                               1000.0, &most)))
        return st;
    if (!(options->tolerance > 0.0 && options->tolerance < 1.0))
        return bad_option(analysis, command, IMP_OPT_cone_tolerance,
                          "`tolerance` is a share between 0 and 1",
                          options->tolerance);
    if (!(most >= 1.0 && most <= 1e5) || most != floor(most))
        return bad_option(analysis, command, IMP_OPT_cone_iterations,
                          "`iterations` is a whole number from 1 to 100000",
                          most);
    options->iterations = (int)most;
    return IMP_OK;
}

/* Reads the velocities of the option `from` as points of the plane. */
static int
start(struct cone_question *question, const imp_command *command,
      struct invariant_cone_options *options)
{
    struct analysis *analysis = question->analysis;
    const imp_val *value = arg_option(analysis, command, IMP_OPT_cone_from);
    if (!value)
        return IMP_OK;
    const imp_val *item = val_items(analysis, value);
    uint32_t most = value->items.n;
    struct polygon2d_point *from =
        NEW_N(analysis->rt->arena, struct polygon2d_point, most + 1);
    double *rate = NEW_N(analysis->rt->arena, double, (size_t)question->n + 1);
    for (uint32_t which = 0; which < most; which++) {
        if (item[which].rows != (uint32_t)question->n) {
            diag_add(analysis->ds, DIAG_E0405, item[which].range,
                     "a velocity of `%s` has %d entries, one per coordinate, "
                     "but this has %u",
                     imp_text(analysis->rt->im, question->system->name),
                     question->n, item[which].rows);
            return IMP_BADMODEL;
        }
        double point[3] = {0};
        int st = arg_eval(analysis, &item[which], rate);
        if (st)
            return st;
        for (int r = 0; r < question->problem.dim; r++)
            for (int j = 0; j < question->n; j++)
                point[r] += question->from_user[r * question->n + j] * rate[j];
        if (!(point[0] < 0.0)) {
            struct diag *diag =
                diag_add(analysis->ds, DIAG_E0405, item[which].range,
                         "this velocity does not close the gaps on the mean");
            diag_help(analysis->ds, diag,
                      "cones are looked for where it does: what opens the "
                      "gaps on the mean is hit no more");
            return IMP_BADMODEL;
        }
        from[which] = (struct polygon2d_point){-point[1] / point[0],
                                               -point[2] / point[0], false, 0};
    }
    options->from = from;
    options->n_from = (int)most;
    question->from = true;
    return IMP_OK;
}

/* Returns why no cone can be searched for, or NULL. */
static const char *
refused(struct cone_question *question)
{
    struct analysis *analysis = question->analysis;
    struct arena *arena = record_arena(analysis);
    const struct symmetry *symmetry = question->symmetry;
    enum invariant_cone_refused why = invariant_cone_problem(
        analysis->rt->arena, symmetry, &question->problem);
    for (int i = 0; i < symmetry->m; i++)
        if (question->ballistic->matrices.gap_offset[i] != 0.0)
            return arena_printf(arena,
                                "the gap of %s cannot be closed together with "
                                "the others",
                                chatter_contact(analysis, question->system, i));
    switch (why) {
    case INVARIANT_CONE_FITS:
        return NULL;
    case INVARIANT_CONE_NO_SYMMETRY:
        return symmetry->found == SYMMETRY_SINGLE
                   ? "one contact is hit again and again: there is nothing to "
                     "relabel"
                   : arena_printf(arena,
                                  "masses and contacts have no symmetry that "
                                  "relabels the impacts (%s)",
                                  chatter_symmetry_text(
                                      analysis, question->system, symmetry));
    case INVARIANT_CONE_NO_MEAN:
        return "the symmetry leaves no sum of the gaps alone: they cannot all "
               "open together, so that no cone shows that they never do";
    case INVARIANT_CONE_DIMENSION:
        return arena_printf(arena,
                            "the gaps move in %d dimensions; cones are looked "
                            "for in 2 and 3",
                            symmetry->rank);
    case INVARIANT_CONE_ALIKE:
        return arena_printf(arena, "%s and %s open and close together",
                            chatter_contact(analysis, question->system,
                                            question->problem.first),
                            chatter_contact(analysis, question->system,
                                            question->problem.second));
    case INVARIANT_CONE_TOO_MANY:
        return arena_printf(arena, "more than %d contacts",
                            INVARIANT_CONE_CONTACTS);
    case INVARIANT_CONE_NO_REBOUND:
        return "without restitution a contact stays closed, and the next "
               "impact is one of several";
    }
    return NULL;
}

static const char *
because(const struct cone_question *question)
{
    struct arena *arena = record_arena(question->analysis);
    const struct invariant_cone_result *result = &question->result;
    const char *to = "";
    char digits[NUM_TEXT];
    if (result->contact)
        to = chatter_contact(question->analysis, question->system,
                             question->symmetry->order[result->contact]);
    switch (result->verdict) {
    case INVARIANT_CONE_YES:
        return arena_printf(arena,
                            "the cone of `generators` holds the images of all "
                            "its flights with a margin of %s of its depth, so "
                            "a motion that is in it after an impact is hit "
                            "again for ever (Theorem %d)",
                            num_digits(digits, result->margin, 3),
                            question->any_order ? 4 : 5);
    case INVARIANT_CONE_NO:
        if (!result->iterations)
            return "after the first impact of a flat drop the gaps open on the "
                   "mean";
        return arena_printf(
            arena,
            "every such cone that holds %s holds, %d impacts later, one that "
            "opens the gaps on the mean (at %s)",
            question->from
                ? "the velocities of `from`"
                : "the velocity of a flat drop after its first impact",
            result->iterations, to);
    case INVARIANT_CONE_OPEN:
        return arena_printf(arena,
                            "the cone is still growing after %d iterations; "
                            "raise `iterations`",
                            result->iterations);
    case INVARIANT_CONE_STOPPED:
        return arena_printf(arena, "stopped after %d iterations",
                            result->iterations);
    case INVARIANT_CONE_LEVEL:
        return arena_printf(arena,
                            "at %s an image neither opens nor closes the gaps "
                            "on the mean, within rounding",
                            to);
    case INVARIANT_CONE_LOOSE:
        return "the cone has ceased to grow, but none around it could be shown "
               "to hold its images: the maps hardly contract, as next to the "
               "critical restitution";
    }
    return "";
}

/* -- the record -------------------------------------------------------------
 */

static bool
wants(const struct record *out, const char *const *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!out->wanted || out->wanted[record_index(out, f[i])])
            return true;
    return false;
}
#define WANTS(f) wants(record, f, sizeof(f) / sizeof *(f))

static const char *const of_eigen[] = {"dominant", "predicted", "agrees"};
static const char *const of_search[] = {"iterations", "growth", "solid_angle",
                                        "least",      "exists", "origin"};
static const char *const of_proof[] = {
    "generators", "corners", "solid_angle_enlarged",
    "enlarged",   "margin",  "rounding"};
static const char *const of_certificate[] = {"flights", "clipped", "images",
                                             "parts",   "weights", "residual"};
static const char *const of_maps[] = {"maps", "facets", "facet_flights"};

/* Sets criterion (iii) of Conjecture 1 and whether it agrees with the verdict.
 */
static int
set_eigen(struct cone_question *question, struct record *record)
{
    struct analysis *analysis = question->analysis;
    struct eigen e;
    double map[9];
    symmetry_map(question->symmetry, 1, map);
    if (eigen_solve(analysis->rt->arena, question->symmetry->rank, map, &e))
        return command_failed(analysis, IMP_NONFINITE, (imp_range){0},
                              "the eigenvalues");
    struct eigen_cone cone = eigen_cone(&e);
    static const char *const word[] = {"zero", "real positive", "real negative",
                                       "complex"};
    bool positive = cone.dominant == EIGEN_POSITIVE && cone.cone;
    record_set_text(record, "dominant",
                    cone.tied ? arena_printf(record_arena(analysis), "%s, tied",
                                             word[cone.dominant])
                              : word[cone.dominant]);
    record_set_text(record, "predicted",
                    cone.tied  ? "not known"
                    : positive ? "yes"
                               : "no");
    if (cone.tied)
        record_set_absent(record, "agrees",
                          "eigenvalues are dominant alike within rounding");
    else if (question->result.verdict != INVARIANT_CONE_YES &&
             question->result.verdict != INVARIANT_CONE_NO)
        record_set_absent(record, "agrees", "the search has no verdict");
    else
        record_set_bool(record, "agrees",
                        positive ==
                            (question->result.verdict == INVARIANT_CONE_YES));
    return IMP_OK;
}

static const char *
no_proof(const struct cone_question *question)
{
    return question->result.verdict == INVARIANT_CONE_NO
               ? "there is no such cone"
               : "no cone was shown to be invariant";
}

static void
set_search(struct cone_question *question, struct record *record)
{
    const struct invariant_cone_result *result = &question->result;
    if (result->n_origin) {
        double *points =
            cone_points(question, result->origin, result->n_origin);
        for (int i = 0; i < result->n_origin; i++)
            clean(points + i * question->n, question->n);
        record_set_matrix(record, "origin", points, (size_t)result->n_origin,
                          (size_t)question->n);
    } else {
        record_set_absent(record, "origin",
                          "after the first impact of a flat drop the gaps "
                          "open on the mean");
    }
    record_set_number(record, "iterations", result->iterations);
    record_set_number(record, "growth", result->growth);
    if (result->verdict == INVARIANT_CONE_YES ||
        result->verdict == INVARIANT_CONE_NO)
        record_set_bool(record, "exists",
                        result->verdict == INVARIANT_CONE_YES);
    else
        record_set_absent(record, "exists", "not known");
    if (result->verdict == INVARIANT_CONE_NO) {
        record_set_absent(record, "solid_angle", "there is no such cone");
        record_set_absent(record, "least", "there is no such cone");
        return;
    }
    record_set_number(record, "solid_angle", result->least.angle);
    record_set_matrix(record, "least",
                      cone_points(question, result->least.v, result->least.n),
                      (size_t)result->least.n, (size_t)question->n);
}

static void
set_proof(struct cone_question *question, struct record *record)
{
    const struct invariant_cone_result *result = &question->result;
    if (result->verdict != INVARIANT_CONE_YES) {
        record_set_absent_all(record, of_proof,
                              sizeof of_proof / sizeof *of_proof,
                              no_proof(question));
        return;
    }
    record_set_matrix(record, "generators",
                      cone_points(question, result->proven.v, result->proven.n),
                      (size_t)result->proven.n, (size_t)question->n);
    record_set_number(record, "corners", result->proven.n);
    record_set_number(record, "solid_angle_enlarged", result->proven.angle);
    record_set_number(record, "enlarged", result->enlarged);
    record_set_number(record, "margin", result->margin);
    record_set_number(record, "rounding", result->rounding);
}

static void
set_certificate(struct cone_question *question, struct record *record)
{
    struct analysis *analysis = question->analysis;
    const struct invariant_cone_result *result = &question->result;
    size_t coordinates = (size_t)question->n, images = (size_t)result->n_image;
    bool no = result->verdict == INVARIANT_CONE_NO && result->n_image;
    if (result->verdict != INVARIANT_CONE_YES && !no) {
        record_set_absent_all(
            record, of_certificate,
            sizeof of_certificate / sizeof *of_certificate,
            result->verdict != INVARIANT_CONE_NO ? no_proof(question)
            : result->n_origin ? "the last image opens the gaps by too little"
                               : "the gaps open at once");
        return;
    }
    if (images > IMAGES_MOST) {
        record_set_absent_all(
            record, of_certificate,
            sizeof of_certificate / sizeof *of_certificate,
            arena_printf(record_arena(analysis),
                         "it has %zu images: save = \"cone.csv\" "
                         "writes them",
                         images));
        return;
    }
    double *of =
        NEW_N(analysis->rt->arena, double, images *(2 * coordinates + 7) + 1);
    double *image = of + images * coordinates,
           *part = image + images * coordinates, *weight = part + 3 * images;
    double *flight = weight + 3 * images, worst = 0.0;
    for (size_t which = 0; which < images; which++) {
        const struct invariant_cone_image *im = &result->image[which];
        double x[3] = {-1.0, im->of.x, im->of.y};
        cone_to_user(question, x, of + which * coordinates);
        cone_to_user(question, im->x, image + which * coordinates);
        if (no) {
            clean(of + which * coordinates, question->n);
            clean(image + which * coordinates, question->n);
        }
        for (int c = 0; c < 3; c++) {
            part[3 * which + (size_t)c] = im->g[c];
            weight[3 * which + (size_t)c] = im->weight[c];
        }
        flight[which] = im->j;
        worst = fmax(worst, im->residual);
    }
    record_set_list(record, "flights", flight, images);
    record_set_matrix(record, "clipped", of, images, coordinates);
    record_set_matrix(record, "images", image, images, coordinates);
    record_set_matrix(record, "parts", part, images, 3);
    record_set_matrix(record, "weights", weight, images, 3);
    record_set_number(record, "residual", worst);
}

static void
set_maps(struct cone_question *question, struct record *record)
{
    struct analysis *analysis = question->analysis;
    size_t coordinates = (size_t)question->n,
           contacts = (size_t)question->problem.m, facets = 0;
    for (size_t j = 1; j < contacts; j++)
        facets += (size_t)question->problem.flight[j].n;
    double *map =
        NEW_N(analysis->rt->arena, double,
              contacts *coordinates *coordinates + facets * (coordinates + 1));
    double *facet = map + contacts * coordinates * coordinates,
           *of = facet + facets * coordinates;
    size_t f = 0;
    for (size_t j = 1; j < contacts; j++) {
        cone_user_map(question, (int)j,
                      map + (j - 1) * coordinates * coordinates);
        for (int i = 0; i < question->problem.flight[j].n; i++, f++) {
            cone_user_facet(question, &question->problem.flight[j].h[i],
                            facet + f * coordinates);
            of[f] = (double)j;
        }
    }
    record_set_matrix(record, "maps", map, (contacts - 1) * coordinates,
                      coordinates);
    record_set_matrix(record, "facets", facet, facets, coordinates);
    record_set_list(record, "facet_flights", of, facets);
}

static void
set_names(struct cone_question *question, struct record *record)
{
    struct analysis *analysis = question->analysis;
    const imp_coordinate *q =
        IMP_ARRAY(analysis->rt->im, analysis->rt->im->coordinates,
                  imp_coordinate) +
        question->system->first;
    size_t n = (size_t)question->n, m = (size_t)question->symmetry->m;
    const char **t = NEW_N(analysis->rt->arena, const char *, n + m + 1);
    for (size_t i = 0; i < n; i++)
        t[i] = imp_text(analysis->rt->im, q[i].name);
    for (size_t i = 0; i < m; i++)
        t[n + i] = chatter_contact(analysis, question->system,
                                   question->symmetry->order[i]);
    record_set_texts(record, "coordinates", t, n);
    record_set_texts(record, "contacts", t + n, m);
    record_set_text(
        record, "symmetry",
        chatter_symmetry_text(analysis, question->system, question->symmetry));
}

static void
set_warnings(struct cone_question *question, struct record *record)
{
    struct analysis *analysis = question->analysis;
    const char *warning[2];
    size_t n_warnings = 0;
    char digits[NUM_TEXT];
    if (chatter_accelerates(question->ballistic))
        warning[n_warnings++] =
            "the gaps accelerate: the cone is that of the motion without "
            "acceleration, and says of this one only what the impacts do";
    if (question->result.slack > 0.0 &&
        question->result.verdict != INVARIANT_CONE_NO) {
        double c = question->result.least.n;
        warning[n_warnings++] = arena_printf(
            record_arena(analysis),
            "the cone has a round edge, of which %d corners were kept: "
            "solid_angle is low by up to some %s of it",
            question->result.least.n,
            num_digits(digits, ROUND_EDGE / (c * c), 1));
    }
    record_set_texts(record, "warnings", warning, n_warnings);
}

/* No cone can be searched for. Sets every field absent except for names,
 * warnings and verdict. */
static void
set_nothing(struct record *record, const char *why)
{
#define NOTHING(f)                                                             \
    record_set_absent_all(record, f, sizeof(f) / sizeof *(f), why)
    NOTHING(of_eigen);
    NOTHING(of_search);
    NOTHING(of_proof);
    NOTHING(of_certificate);
    NOTHING(of_maps);
}

static bool
stopped(const void *rt)
{
    return rt_stopped(rt);
}

static int
cmd_cone(struct analysis *analysis, const imp_command *command,
         struct record *record)
{
    const imp_val *arg = &arg_items(analysis, command)[0];
    struct cone_question question = {
        .analysis = analysis, .system = rt_system(analysis->rt, arg->ref)};
    struct invariant_cone_options options = {0};
    const char *file = arg_text(analysis, command, IMP_OPT_cone_save, NULL);
    int st;
    if (!(question.system->flags & IMP_SYSTEMF_LINE))
        return chatter_not_linear(analysis, question.system, arg->range);
    if ((st = read_options(analysis, command, &options)) ||
        (st = flow_matrices(analysis->rt, arg->ref, &question.ballistic)))
        return st;
    question.n = question.ballistic->model.n;
    question.symmetry =
        chatter_symmetry(analysis, arg->ref, question.ballistic);
    const char *why = refused(&question);
    record_set_number(record, "tolerance", options.tolerance);
    set_names(&question, record);
    if (why) {
        set_warnings(&question, record);
        record_set_text(record, "verdict", "not known");
        record_set_text(record, "because", why);
        set_nothing(record, why);
        return IMP_OK;
    }
    question.any_order = options.any_order;
    carriers(&question);
    if ((st = start(&question, command, &options)))
        return st;
    options.stop = stopped;
    options.stop_arg = analysis->rt;
    invariant_cone_find(analysis->rt->arena, &question.problem, &options,
                        file || WANTS(of_certificate), &question.result);
    record_set_text(record, "verdict",
                    question.result.verdict == INVARIANT_CONE_YES ? "yes"
                    : question.result.verdict == INVARIANT_CONE_NO
                        ? "no"
                        : "not known");
    static const char *const reason[] = {"because"};
    if (WANTS(reason))
        record_set_text(record, "because", because(&question));
    set_search(&question, record);
    set_warnings(&question, record);
    if (WANTS(of_proof))
        set_proof(&question, record);
    if (WANTS(of_certificate))
        set_certificate(&question, record);
    if (WANTS(of_maps))
        set_maps(&question, record);
    if (WANTS(of_eigen) && (st = set_eigen(&question, record)))
        return st;
    if (question.result.verdict == INVARIANT_CONE_STOPPED)
        return IMP_STOPPED;
    return file ? cone_save(&question, command->range, file) : IMP_OK;
}

const struct command_functions command_cone = {.run = cmd_cone};
