/* SPDX-License-Identifier: MIT */
/* `cone S`: an effectively invariant cone of the relabelled maps of a linear
 * system (spec/chatter.md 2.9): the search, and a proof that can be checked
 * again from the record or a file. The geometry is that of
 * runtime/returnmap/invariant_cone.h; here its coordinates become rates of the
 * user's own. */
#include "analysis/chatter/cone_priv.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/num.h"
#include "runtime/flow/flow.h"

/* a circle is larger than a polygon of n corners in it by this share over n^2
 */
#define ROUND_EDGE 6.6
/* entries of maps and facets are sums of some ten products */
#define CLEAN 16.0
/* images of a certificate that records hold */
#define IMAGES_MOST 1000

/* -- coordinates ------------------------------------------------------------
 */

/* From x (invariant_cone.h) to rates of the coordinates, the least in the
 * kinetic metric that give the gaps these rates; and back. x_0 is the mean rate
 * of the gaps, in units of the first one's. */
static void
carriers(struct cone_question *k)
{
    const struct symmetry *s = k->sym;
    const struct ballistic *l = k->l;
    int n = k->n, m = s->m, r = s->rank;
    double first = sqrt(l->k.W[s->order[0] * (m + 1)]);
    k->to_user = NEW_N(k->a->rt->arena, double, 6 * (size_t)n);
    k->from_user = k->to_user + 3 * n;
    for (int c = 0; c < r; c++)
        for (int i = 0; i < m; i++) {
            int contact = s->order[i];
            double w = sqrt(l->k.W[contact * (m + 1)]), y = 0.0, z = 0.0;
            for (int j = 0; j < r; j++) {
                double f = s->F[i * r + j] / s->mode[j];
                y += f * k->p.back[3 * j + c];
                z += f * k->p.to[3 * c + j];
            }
            for (int j = 0; j < n; j++) {
                k->to_user[j * 3 + c] +=
                    l->k.B[contact * n + j] * y / (w * first);
                k->from_user[c * n + j] +=
                    l->model.N[contact * n + j] * z * first / w;
            }
        }
}

void
cone_to_user(const struct cone_question *k, const double *x, double *v)
{
    for (int j = 0; j < k->n; j++) {
        v[j] = 0.0;
        for (int c = 0; c < k->p.dim; c++)
            v[j] += k->to_user[j * 3 + c] * x[c];
    }
}

double *
cone_points(struct cone_question *k, const struct polygon2d_point *v, int n)
{
    double *out = NEW_N(k->a->rt->arena, double, (size_t)n *(size_t)k->n + 1);
    for (int i = 0; i < n; i++) {
        double x[3] = {-1.0, v[i].x, v[i].y};
        cone_to_user(k, x, out + i * k->n);
    }
    return out;
}

/* sums that are nothing but rounding beside the others become 0 */
static void
clean(double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) <= CLEAN * DBL_EPSILON * most)
            x[i] = 0.0;
}

/* U_0 R^-j between rates of the coordinates; what no contact feels is dropped
 */
void
cone_user_map(const struct cone_question *k, int j, double *map)
{
    const double *A = k->p.flight[j].map;
    int n = k->n;
    for (int c = 0; c < n; c++) {
        double x[3] = {0}, y[3], v;
        for (int i = 0; i < 3; i++)
            x[i] = i < k->p.dim ? k->from_user[i * n + c] : 0.0;
        for (int i = 0; i < 3; i++)
            y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
        for (int i = 0; i < n; i++) {
            v = 0.0;
            for (int d = 0; d < k->p.dim; d++)
                v += k->to_user[i * 3 + d] * y[d];
            map[i * n + c] = v;
        }
    }
    clean(map, n * n);
}

void
cone_user_facet(const struct cone_question *k,
                const struct invariant_cone_plane *h, double *f)
{
    for (int c = 0; c < k->n; c++) {
        f[c] = 0.0;
        for (int i = 0; i < k->p.dim; i++)
            f[c] += h->c[i] * k->from_user[i * k->n + c];
    }
    clean(f, k->n);
    double size = 0.0;
    for (int c = 0; c < k->n; c++)
        size = hypot(size, f[c]);
    for (int c = 0; c < k->n; c++)
        f[c] /= size;
}

/* -- what is asked ----------------------------------------------------------
 */

static int
bad_option(struct analysis *a, const imp_command *c, enum imp_option_id id,
           const char *text, double x)
{
    const imp_val *v = arg_option(a, c, id);
    char t[NUM_TEXT];
    diag_add(a->ds, DIAG_E0405, v ? v->range : c->range, "%s, but this is %s",
             text, num_shortest(t, x));
    return IMP_BADMODEL;
}

static int
options(struct analysis *a, const imp_command *c,
        struct invariant_cone_options *o)
{
    double most, any;
    int st = arg_number(a, c, IMP_OPT_cone_any_order, 0.0, &any);
    o->any_order = any != 0.0;
    if (!st)
        st = arg_number(a, c, IMP_OPT_cone_tolerance, 1e-5, &o->tolerance);
    if (st || (st = arg_number(a, c, IMP_OPT_cone_iterations, 1000.0, &most)))
        return st;
    if (!(o->tolerance > 0.0 && o->tolerance < 1.0))
        return bad_option(a, c, IMP_OPT_cone_tolerance,
                          "`tolerance` is a share between 0 and 1",
                          o->tolerance);
    if (!(most >= 1.0 && most <= 1e5) || most != floor(most))
        return bad_option(a, c, IMP_OPT_cone_iterations,
                          "`iterations` is a whole number from 1 to 100000",
                          most);
    o->iterations = (int)most;
    return IMP_OK;
}

/* the generators of `from` into the plane */
static int
start(struct cone_question *k, const imp_command *c,
      struct invariant_cone_options *o)
{
    struct analysis *a = k->a;
    const imp_val *v = arg_option(a, c, IMP_OPT_cone_from);
    if (!v)
        return IMP_OK;
    const imp_val *item = val_items(a, v);
    uint32_t most = v->items.n;
    struct polygon2d_point *from =
        NEW_N(a->rt->arena, struct polygon2d_point, most + 1);
    double *rate = NEW_N(a->rt->arena, double, (size_t)k->n + 1);
    for (uint32_t i = 0; i < most; i++) {
        if (item[i].rows != (uint32_t)k->n) {
            diag_add(a->ds, DIAG_E0405, item[i].range,
                     "a velocity of `%s` has %d entries, one per coordinate, "
                     "but this has %u",
                     imp_text(a->rt->im, k->s->name), k->n, item[i].rows);
            return IMP_BADMODEL;
        }
        double x[3] = {0};
        int st = arg_eval(a, &item[i], rate);
        if (st)
            return st;
        for (int r = 0; r < k->p.dim; r++)
            for (int j = 0; j < k->n; j++)
                x[r] += k->from_user[r * k->n + j] * rate[j];
        if (!(x[0] < 0.0)) {
            struct diag *d =
                diag_add(a->ds, DIAG_E0405, item[i].range,
                         "this velocity does not close the gaps on the mean");
            diag_help(a->ds, d,
                      "cones are looked for where it does: what opens the "
                      "gaps on the mean is hit no more");
            return IMP_BADMODEL;
        }
        from[i] =
            (struct polygon2d_point){-x[1] / x[0], -x[2] / x[0], false, 0};
    }
    o->from = from;
    o->n_from = (int)most;
    k->from = true;
    return IMP_OK;
}

/* why there is no cone to look for; NULL: there is one */
static const char *
refused(struct cone_question *k)
{
    struct analysis *a = k->a;
    struct arena *ar = record_arena(a);
    const struct symmetry *s = k->sym;
    enum invariant_cone_refused why =
        invariant_cone_problem(a->rt->arena, s, &k->p);
    for (int i = 0; i < s->m; i++)
        if (k->l->k.c0[i] != 0.0)
            return arena_printf(ar,
                                "the gap of %s cannot be closed together with "
                                "the others",
                                chatter_contact(a, k->s, i));
    switch (why) {
    case INVARIANT_CONE_FITS:
        return NULL;
    case INVARIANT_CONE_NO_SYMMETRY:
        return s->found == SYMMETRY_SINGLE
                   ? "one contact is hit again and again: there is nothing to "
                     "relabel"
                   : arena_printf(ar,
                                  "masses and contacts have no symmetry that "
                                  "relabels the impacts (%s)",
                                  chatter_symmetry_text(a, k->s, s));
    case INVARIANT_CONE_NO_MEAN:
        return "the symmetry leaves no sum of the gaps alone: they cannot all "
               "open together, so that no cone shows that they never do";
    case INVARIANT_CONE_DIMENSION:
        return arena_printf(ar,
                            "the gaps move in %d dimensions; cones are looked "
                            "for in 2 and 3",
                            s->rank);
    case INVARIANT_CONE_ALIKE:
        return arena_printf(ar, "%s and %s open and close together",
                            chatter_contact(a, k->s, k->p.first),
                            chatter_contact(a, k->s, k->p.second));
    case INVARIANT_CONE_TOO_MANY:
        return arena_printf(ar, "more than %d contacts",
                            INVARIANT_CONE_CONTACTS);
    case INVARIANT_CONE_NO_REBOUND:
        return "without restitution a contact stays closed, and the next "
               "impact is one of several";
    }
    return NULL;
}

static const char *
because(const struct cone_question *k)
{
    struct arena *ar = record_arena(k->a);
    const struct invariant_cone_result *r = &k->r;
    const char *to = "";
    char t[NUM_TEXT];
    if (r->contact)
        to = chatter_contact(k->a, k->s, k->sym->order[r->contact]);
    switch (r->verdict) {
    case INVARIANT_CONE_YES:
        return arena_printf(ar,
                            "the cone of `generators` holds the images of all "
                            "its flights with a margin of %s of its depth, so "
                            "a motion that is in it after an impact is hit "
                            "again for ever (Theorem %d)",
                            num_digits(t, r->margin, 3), k->any_order ? 4 : 5);
    case INVARIANT_CONE_NO:
        if (!r->iterations)
            return "after the first impact of a flat drop the gaps open on the "
                   "mean";
        return arena_printf(
            ar,
            "every such cone that holds %s holds, %d impacts later, one that "
            "opens the gaps on the mean (at %s)",
            k->from ? "the velocities of `from`"
                    : "the velocity of a flat drop after its first impact",
            r->iterations, to);
    case INVARIANT_CONE_OPEN:
        return arena_printf(ar,
                            "the cone is still growing after %d iterations; "
                            "raise `iterations`",
                            r->iterations);
    case INVARIANT_CONE_STOPPED:
        return arena_printf(ar, "stopped after %d iterations", r->iterations);
    case INVARIANT_CONE_LEVEL:
        return arena_printf(ar,
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
#define WANTS(f) wants(out, f, sizeof(f) / sizeof *(f))

static const char *const of_eigen[] = {"dominant", "predicted", "agrees"};
static const char *const of_search[] = {"iterations", "growth", "solid_angle",
                                        "least",      "exists", "origin"};
static const char *const of_proof[] = {
    "generators", "corners", "solid_angle_enlarged",
    "enlarged",   "margin",  "rounding"};
static const char *const of_certificate[] = {"flights", "clipped", "images",
                                             "parts",   "weights", "residual"};
static const char *const of_maps[] = {"maps", "facets", "facet_flights"};

/* criterion (iii) of Conjecture 1 beside the verdict */
static int
set_eigen(struct cone_question *k, struct record *out)
{
    struct analysis *a = k->a;
    struct eigen e;
    double map[9];
    symmetry_map(k->sym, 1, map);
    if (eigen_solve(a->rt->arena, k->sym->rank, map, &e))
        return command_failed(a, IMP_NONFINITE, (imp_range){0},
                              "the eigenvalues");
    struct eigen_cone c = eigen_cone(&e);
    static const char *const word[] = {"zero", "real positive", "real negative",
                                       "complex"};
    bool positive = c.dominant == EIGEN_POSITIVE && c.cone;
    record_set_text(
        out, "dominant",
        c.tied ? arena_printf(record_arena(a), "%s, tied", word[c.dominant])
               : word[c.dominant]);
    record_set_text(out, "predicted",
                    c.tied     ? "not known"
                    : positive ? "yes"
                               : "no");
    if (c.tied)
        record_set_absent(out, "agrees",
                          "eigenvalues are dominant alike within rounding");
    else if (k->r.verdict != INVARIANT_CONE_YES &&
             k->r.verdict != INVARIANT_CONE_NO)
        record_set_absent(out, "agrees", "the search has no verdict");
    else
        record_set_bool(out, "agrees",
                        positive == (k->r.verdict == INVARIANT_CONE_YES));
    return IMP_OK;
}

static const char *
no_proof(const struct cone_question *k)
{
    return k->r.verdict == INVARIANT_CONE_NO
               ? "there is no such cone"
               : "no cone was shown to be invariant";
}

static void
set_search(struct cone_question *k, struct record *out)
{
    const struct invariant_cone_result *r = &k->r;
    if (r->n_origin) {
        double *points = cone_points(k, r->origin, r->n_origin);
        for (int i = 0; i < r->n_origin; i++)
            clean(points + i * k->n, k->n);
        record_set_matrix(out, "origin", points, (size_t)r->n_origin,
                          (size_t)k->n);
    } else {
        record_set_absent(out, "origin",
                          "after the first impact of a flat drop the gaps "
                          "open on the mean");
    }
    record_set_number(out, "iterations", r->iterations);
    record_set_number(out, "growth", r->growth);
    if (r->verdict == INVARIANT_CONE_YES || r->verdict == INVARIANT_CONE_NO)
        record_set_bool(out, "exists", r->verdict == INVARIANT_CONE_YES);
    else
        record_set_absent(out, "exists", "not known");
    if (r->verdict == INVARIANT_CONE_NO) {
        record_set_absent(out, "solid_angle", "there is no such cone");
        record_set_absent(out, "least", "there is no such cone");
        return;
    }
    record_set_number(out, "solid_angle", r->least.angle);
    record_set_matrix(out, "least", cone_points(k, r->least.v, r->least.n),
                      (size_t)r->least.n, (size_t)k->n);
}

static void
set_proof(struct cone_question *k, struct record *out)
{
    const struct invariant_cone_result *r = &k->r;
    if (r->verdict != INVARIANT_CONE_YES) {
        record_set_absent_all(out, of_proof, sizeof of_proof / sizeof *of_proof,
                              no_proof(k));
        return;
    }
    record_set_matrix(out, "generators",
                      cone_points(k, r->proven.v, r->proven.n),
                      (size_t)r->proven.n, (size_t)k->n);
    record_set_number(out, "corners", r->proven.n);
    record_set_number(out, "solid_angle_enlarged", r->proven.angle);
    record_set_number(out, "enlarged", r->enlarged);
    record_set_number(out, "margin", r->margin);
    record_set_number(out, "rounding", r->rounding);
}

static void
set_certificate(struct cone_question *k, struct record *out)
{
    struct analysis *a = k->a;
    const struct invariant_cone_result *r = &k->r;
    size_t n = (size_t)k->n, m = (size_t)r->n_image;
    bool no = r->verdict == INVARIANT_CONE_NO && r->n_image;
    if (r->verdict != INVARIANT_CONE_YES && !no) {
        record_set_absent_all(
            out, of_certificate, sizeof of_certificate / sizeof *of_certificate,
            r->verdict != INVARIANT_CONE_NO ? no_proof(k)
            : r->n_origin ? "the last image opens the gaps by too little"
                          : "the gaps open at once");
        return;
    }
    if (m > IMAGES_MOST) {
        record_set_absent_all(
            out, of_certificate, sizeof of_certificate / sizeof *of_certificate,
            arena_printf(record_arena(a),
                         "it has %zu images: save = \"cone.csv\" "
                         "writes them",
                         m));
        return;
    }
    double *of = NEW_N(a->rt->arena, double, m *(2 * n + 7) + 1);
    double *image = of + m * n, *part = image + m * n, *weight = part + 3 * m;
    double *flight = weight + 3 * m, worst = 0.0;
    for (size_t i = 0; i < m; i++) {
        const struct invariant_cone_image *im = &r->image[i];
        double x[3] = {-1.0, im->of.x, im->of.y};
        cone_to_user(k, x, of + i * n);
        cone_to_user(k, im->x, image + i * n);
        if (no) {
            clean(of + i * n, k->n);
            clean(image + i * n, k->n);
        }
        for (int c = 0; c < 3; c++) {
            part[3 * i + (size_t)c] = im->g[c];
            weight[3 * i + (size_t)c] = im->weight[c];
        }
        flight[i] = im->j;
        worst = fmax(worst, im->residual);
    }
    record_set_list(out, "flights", flight, m);
    record_set_matrix(out, "clipped", of, m, n);
    record_set_matrix(out, "images", image, m, n);
    record_set_matrix(out, "parts", part, m, 3);
    record_set_matrix(out, "weights", weight, m, 3);
    record_set_number(out, "residual", worst);
}

static void
set_maps(struct cone_question *k, struct record *out)
{
    struct analysis *a = k->a;
    size_t n = (size_t)k->n, m = (size_t)k->p.m, facets = 0;
    for (size_t j = 1; j < m; j++)
        facets += (size_t)k->p.flight[j].n;
    double *map = NEW_N(a->rt->arena, double, m *n *n + facets * (n + 1));
    double *facet = map + m * n * n, *of = facet + facets * n;
    size_t f = 0;
    for (size_t j = 1; j < m; j++) {
        cone_user_map(k, (int)j, map + (j - 1) * n * n);
        for (int i = 0; i < k->p.flight[j].n; i++, f++) {
            cone_user_facet(k, &k->p.flight[j].h[i], facet + f * n);
            of[f] = (double)j;
        }
    }
    record_set_matrix(out, "maps", map, (m - 1) * n, n);
    record_set_matrix(out, "facets", facet, facets, n);
    record_set_list(out, "facet_flights", of, facets);
}

static void
set_names(struct cone_question *k, struct record *out)
{
    struct analysis *a = k->a;
    const imp_coordinate *q =
        IMP_ARRAY(a->rt->im, a->rt->im->coordinates, imp_coordinate) +
        k->s->first;
    size_t n = (size_t)k->n, m = (size_t)k->sym->m;
    const char **t = NEW_N(a->rt->arena, const char *, n + m + 1);
    for (size_t i = 0; i < n; i++)
        t[i] = imp_text(a->rt->im, q[i].name);
    for (size_t i = 0; i < m; i++)
        t[n + i] = chatter_contact(a, k->s, k->sym->order[i]);
    record_set_texts(out, "coordinates", t, n);
    record_set_texts(out, "contacts", t + n, m);
    record_set_text(out, "symmetry", chatter_symmetry_text(a, k->s, k->sym));
}

static void
set_warnings(struct cone_question *k, struct record *out)
{
    struct analysis *a = k->a;
    const char *w[2];
    size_t n = 0;
    char t[NUM_TEXT];
    if (chatter_accelerates(k->l))
        w[n++] = "the gaps accelerate: the cone is that of the motion without "
                 "acceleration, and says of this one only what the impacts do";
    if (k->r.slack > 0.0 && k->r.verdict != INVARIANT_CONE_NO) {
        double c = k->r.least.n;
        w[n++] = arena_printf(
            record_arena(a),
            "the cone has a round edge, of which %d corners were kept: "
            "solid_angle is low by up to some %s of it",
            k->r.least.n, num_digits(t, ROUND_EDGE / (c * c), 1));
    }
    record_set_texts(out, "warnings", w, n);
}

/* every field but those of set_names, the warnings and the verdict: there is
 * nothing to look for */
static void
set_nothing(struct record *out, const char *why)
{
#define NOTHING(f) record_set_absent_all(out, f, sizeof(f) / sizeof *(f), why)
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
cmd_cone(struct analysis *a, const imp_command *c, struct record *out)
{
    const imp_val *arg = &arg_items(a, c)[0];
    struct cone_question k = {.a = a, .s = rt_system(a->rt, arg->ref)};
    struct invariant_cone_options o = {0};
    const char *file = arg_text(a, c, IMP_OPT_cone_save, NULL);
    int st;
    if (!(k.s->flags & IMP_SYSTEMF_LINE))
        return chatter_not_linear(a, k.s, arg->range);
    if ((st = options(a, c, &o)) || (st = flow_matrices(a->rt, arg->ref, &k.l)))
        return st;
    k.n = k.l->model.n;
    k.sym = chatter_symmetry(a, arg->ref, k.l);
    const char *why = refused(&k);
    record_set_number(out, "tolerance", o.tolerance);
    set_names(&k, out);
    if (why) {
        set_warnings(&k, out);
        record_set_text(out, "verdict", "not known");
        record_set_text(out, "because", why);
        set_nothing(out, why);
        return IMP_OK;
    }
    k.any_order = o.any_order;
    carriers(&k);
    if ((st = start(&k, c, &o)))
        return st;
    o.stop = stopped;
    o.stop_arg = a->rt;
    invariant_cone_find(a->rt->arena, &k.p, &o, file || WANTS(of_certificate),
                        &k.r);
    record_set_text(out, "verdict",
                    k.r.verdict == INVARIANT_CONE_YES  ? "yes"
                    : k.r.verdict == INVARIANT_CONE_NO ? "no"
                                                       : "not known");
    static const char *const reason[] = {"because"};
    if (WANTS(reason))
        record_set_text(out, "because", because(&k));
    set_search(&k, out);
    set_warnings(&k, out);
    if (WANTS(of_proof))
        set_proof(&k, out);
    if (WANTS(of_certificate))
        set_certificate(&k, out);
    if (WANTS(of_maps))
        set_maps(&k, out);
    if (WANTS(of_eigen) && (st = set_eigen(&k, out)))
        return st;
    if (k.r.verdict == INVARIANT_CONE_STOPPED)
        return IMP_STOPPED;
    return file ? cone_save(&k, c->range, file) : IMP_OK;
}

const struct command_functions command_cone = {.run = cmd_cone};
