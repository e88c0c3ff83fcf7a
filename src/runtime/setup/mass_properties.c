/* SPDX-License-Identifier: MIT */
/* Mass properties of a body: what the shape or the body states is taken, what
 * is missing follows from the corners of a polytope, or is integrated
 * (moments.h), and the values are checked. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/geometry/dents.h"
#include "runtime/geometry/moments.h"
#include "runtime/geometry/polytope.h"
#include "runtime/joints/joints.h"
#include "runtime/numerics/vec3.h"
#include "runtime/setup/setup_priv.h"
#include "runtime/tape/functions.h"

/* The slack of J1 + J2 >= J3 for data of 6 digits; thin disks reach equality.
 */
#define TRIANGLE_SLACK 1e-6
/* The user is told when the error of integrated moments is above this. */
#define MOMENTS_WARN 1e-9
/* The inverse inertia (times mass, 1/m^2) of a body that has none: a length of
 * 1e-30 m, whose square is a number. A motion that joints leave to it is loose
 * where a unit moment turns it (times mass) by more than a length of 1e-12 m
 * would allow. */
#define POINT_INVINERTIA 0x1p200
#define POINT_LOOSE 1e24
#define POINT_LITTLE 0x1p-90
/* Centre and centroid differ when they are farther apart than this share of
 * the size. */
#define CENTRE_SAME 1e-12
/* Moments that are integrated have a mass centre to rounding, in sizes. */
#define PLACE_SAME 1e-9

/* -- symmetric 3 x 3: xx yy zz xy xz yz -------------------------------------
 */

static bool
sym_diagonal(const double s[6])
{
    return s[3] == 0 && s[4] == 0 && s[5] == 0;
}

/* The eigenvalues in ascending order, by Jacobi rotations. */
static void
sym_eigen(const double matrix[6], double values[3])
{
    assert(isfinite(matrix[0] + matrix[1] + matrix[2]));
    static const int P[3] = {0, 0, 1}, Q[3] = {1, 2, 2};
    double rotated[3][3] = {{matrix[0], matrix[3], matrix[4]},
                            {matrix[3], matrix[1], matrix[5]},
                            {matrix[4], matrix[5], matrix[2]}};
    for (int sweep = 0; sweep < 30 && !sym_diagonal(matrix); sweep++)
        for (int k = 0; k < 3; k++) {
            int first = P[k], second = Q[k];
            if (rotated[first][second] == 0)
                continue;
            double th = (rotated[second][second] - rotated[first][first]) /
                        (2 * rotated[first][second]);
            double t = (th < 0 ? -1 : 1) / (fabs(th) + sqrt(th * th + 1));
            double c = 1 / sqrt(t * t + 1), n = t * c;
            for (int i = 0; i < 3; i++) {
                double x = rotated[i][first], y = rotated[i][second];
                rotated[i][first] = c * x - n * y;
                rotated[i][second] = n * x + c * y;
            }
            for (int i = 0; i < 3; i++) {
                double x = rotated[first][i], y = rotated[second][i];
                rotated[first][i] = c * x - n * y;
                rotated[second][i] = n * x + c * y;
            }
        }
    for (int i = 0; i < 3; i++)
        values[i] = rotated[i][i];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (values[j] > values[j + 1]) {
                double x = values[j];
                values[j] = values[j + 1];
                values[j + 1] = x;
            }
}

/* -- checks
 * --------------------------------------------------------------------- */

static const char *
name_of(const struct rt *run, uint32_t body)
{
    return imp_text(run->im, rt_body(run, body)->name);
}

static int
check_positive(struct rt *run, uint32_t body, double x, enum diag_code code,
               imp_range where, const char *what, const char *help)
{
    if (x > 0 && isfinite(x))
        return IMP_OK;
    char text[NUM_TEXT];
    num_digits(text, x, 6);
    struct diag *diag = diag_add(run->ds, code, where, "the %s of `%s` is %s",
                                 what, name_of(run, body), text);
    diag_label(run->ds, diag, "must be positive");
    diag_help(run->ds, diag, "%s", help);
    return IMP_BADMODEL;
}

/* Is this mass or moment one that forces can be divided by, and `share` times
 * as large a force as well? Near the ends of what numbers hold, 1/x is none, or
 * has lost its digits. */
static int
check_divides(struct rt *run, uint32_t body, double x, double share,
              enum diag_code code, imp_range where, const char *what)
{
    if (isnormal(x / share) && isnormal(1.0 / x))
        return IMP_OK;
    char text[NUM_TEXT], low[NUM_TEXT], high[NUM_TEXT];
    struct diag *diag =
        diag_add(run->ds, code, where, "the %s of `%s` is %s", what,
                 name_of(run, body), num_digits(text, x, 6));
    diag_label(run->ds, diag, "must lie between %s and %s",
               num_digits(low, share * DBL_MIN, 3),
               num_digits(high, 1.0 / DBL_MIN, 3));
    diag_help(run->ds, diag,
              "forces are divided by it, and the result must be a number: "
              "write `mass` and `inertia`, or choose other units of mass");
    return IMP_BADMODEL;
}

/* Has the body no inertia at all, so that joints must make its motion regular
 * (setup_check_spins)? */
static bool
is_point(const struct rt *run, uint32_t body, const double J[6])
{
    bool none = rt_body(run, body)->flags & IMP_BODYF_HELD;
    for (int i = 0; i < 6; i++)
        none &= J[i] == 0.0;
    return none;
}

static int
check_inertia(struct rt *run, uint32_t body, const double J[6], bool own)
{
    const imp_body *spec = rt_body(run, body);
    if (own && is_point(run, body, J))
        return IMP_OK;
    imp_range where = own ? imp_places_of(run->im, spec)->inertia
                          : imp_places_of(run->im, spec)->shape;
    enum diag_code code = own ? DIAG_E0515 : DIAG_E0528;
    if (run->im->dim == 2) {
        int st = check_positive(run, body, J[0], code, where, "inertia",
                                "the inertia about the mass centre is a "
                                "positive number");
        return st ? st
                  : check_divides(run, body, J[0], 1.0, code, where, "inertia");
    }
    double e[3];
    sym_eigen(J, e);
    bool positive = e[0] > 0 && isfinite(e[2]);
    if (positive && e[0] + e[1] >= e[2] * (1 - TRIANGLE_SLACK)) {
        const char *what = "principal moment of inertia";
        int st = check_divides(run, body, e[0], 1.0, code, where, what);
        return st ? st : check_divides(run, body, e[2], 1.0, code, where, what);
    }
    char texts[3][NUM_TEXT];
    for (int i = 0; i < 3; i++)
        num_digits(texts[i], e[i], 6);
    struct diag *diag;
    if (!positive) {
        diag = diag_add(run->ds, code, where,
                        "the inertia of `%s` is not positive definite",
                        name_of(run, body));
        diag_note(run->ds, diag, IMP_NOWHERE,
                  "its principal moments are %s, %s and %s", texts[0], texts[1],
                  texts[2]);
        diag_help(run->ds, diag,
                  "every principal moment of inertia is positive");
        return IMP_BADMODEL;
    }
    diag = diag_add(run->ds, own ? DIAG_E0516 : DIAG_E0528, where,
                    "no distribution of mass has the inertia of `%s`",
                    name_of(run, body));
    diag_note(run->ds, diag, IMP_NOWHERE,
              "its principal moments are %s, %s and %s, and %s + %s < %s",
              texts[0], texts[1], texts[2], texts[0], texts[1], texts[2]);
    diag_help(run->ds, diag,
              "the two smaller principal moments add up to at least the "
              "largest");
    return IMP_BADMODEL;
}

static int
check_origin(struct rt *run, uint32_t body)
{
    static const double origin[3] = {0, 0, 0};
    const imp_body *spec = rt_body(run, body);
    if (spec->g0 == IMP_NO_TAPE || (spec->flags & IMP_BODYF_FLAT))
        return IMP_OK;
    double value = ray_level(run, body, origin);
    if (value < 0)
        return IMP_OK;
    char text[NUM_TEXT];
    num_digits(text, value, 6);
    struct diag *diag = diag_add(
        run->ds, isnan(value) ? DIAG_E0526 : DIAG_E0522,
        imp_places_of(run->im, spec)->shape,
        isnan(value) ? "the level set of `%s` is not a number at its origin"
                     : "the origin of `%s` is not inside its level set",
        name_of(run, body));
    if (!isnan(value))
        diag_label(run->ds, diag, "is %s at (0, 0%s)", text,
                   run->im->dim == 3 ? ", 0" : "");
    diag_help(run->ds, diag,
              "a level set is negative inside: turn its sign, or move the "
              "formula so that the origin lies inside (a ring or a bowl is no "
              "body: weld convex ones)");
    return IMP_BADMODEL;
}

/* A body without inertia is not held by its joints. */
static int
loose_point(struct rt *run, uint32_t body)
{
    const imp_body *spec = rt_body(run, body);
    struct diag *diag =
        diag_add(run->ds, DIAG_E0515, imp_places_of(run->im, spec)->inertia,
                 "the inertia of `%s` is 0, and its joints leave it a motion "
                 "without any inertia",
                 name_of(run, body));
    diag_label(run->ds, diag, "must be positive");
    diag_help(run->ds, diag,
              "a joint away from the mass centre makes the motion of a point "
              "regular; state the inertia of the body otherwise");
    return IMP_BADMODEL;
}

/* -- mass properties
 * -------------------------------------------------------------- */

struct shape_data {
    double volume, centre[3], inertia[6]; /* for density 1 */
    bool has_volume, has_centre, has_inertia;
};

/* Takes what the shape states. The centre of a point-symmetric shape is its
 * origin. */
static void
stated(const struct rt *run, const imp_body *body, struct shape_data *shape)
{
    const double *raw = setup_raw(run, body);
    const uint32_t all =
        run->im->dim == 2
            ? IMP_BODYF_MIRROR_X | IMP_BODYF_MIRROR_Y
            : IMP_BODYF_MIRROR_X | IMP_BODYF_MIRROR_Y | IMP_BODYF_MIRROR_Z;
    memset(shape, 0, sizeof *shape);
    shape->has_volume = (body->flags & IMP_BODYF_SVOLUME) != 0;
    shape->has_inertia = (body->flags & IMP_BODYF_SINERTIA) != 0;
    shape->has_centre =
        (body->flags & (IMP_BODYF_SCENTRE | IMP_BODYF_FLAT)) != 0 ||
        (body->flags & all) == all;
    shape->volume = raw[IMP_RAW_VOLUME];
    if (body->flags & IMP_BODYF_SCENTRE)
        memcpy(shape->centre, raw + IMP_RAW_SCENTRE, sizeof shape->centre);
    memcpy(shape->inertia, raw + IMP_RAW_SINERTIA, sizeof shape->inertia);
}

/* Integrates what is not stated. `why` names what it is needed for; where
 * `why` is NULL it is only wanted, and NaN if it cannot be had. */
static int
integrate(struct rt *run, uint32_t body, struct shape_data *shape,
          const char *why)
{
    struct moments moments = {.error = 0};
    double bad[3] = {0, 0, 0};
    enum ray_fault fault = RAY_OK;
    if (run->polytope[body])
        polytope_moments(run->polytope[body], &moments.volume, moments.centre,
                         moments.inertia);
    else
        fault = moments_find(run, body, &moments, bad);
    if (fault != RAY_OK && why) {
        ray_diag(run, body, fault, bad, why);
        return IMP_BADMODEL;
    }
    if (fault != RAY_OK) {
        if (!shape->has_volume)
            shape->volume = (double)NAN;
        return IMP_OK;
    }
    if (moments.error > MOMENTS_WARN && why) {
        char e[NUM_TEXT];
        num_bound(e, moments.error, 2);
        struct diag *diag = diag_add(
            run->ds, DIAG_W0501,
            imp_places_of(run->im, rt_body(run, body))->shape,
            "the %s of `%s` are known to %s only", why, name_of(run, body), e);
        diag_help(run->ds, diag,
                  "state volume, centre and inertia in the shape to "
                  "have them exact");
    }
    if (!shape->has_volume)
        shape->volume = moments.volume;
    if (!shape->has_centre)
        memcpy(shape->centre, moments.centre, sizeof shape->centre);
    if (!shape->has_inertia)
        memcpy(shape->inertia, moments.inertia, sizeof shape->inertia);
    shape->has_volume = shape->has_centre = shape->has_inertia = true;
    return IMP_OK;
}

/* Is it a shape, and not a half-plane or half-space? */
static bool
has_extent(const imp_body *body)
{
    return (body->flags & (IMP_BODYF_SHAPE | IMP_BODYF_POLYTOPE)) != 0 &&
           !(body->flags & IMP_BODYF_FLAT);
}

/* What of the shape is needed, in words; NULL if nothing is. */
static const char *
needed(const imp_body *body, const struct shape_data *shape, bool volume,
       bool centre, bool inertia)
{
    if (!has_extent(body) || (body->flags & IMP_BODYF_FIXED))
        return NULL;
    if (inertia && !shape->has_inertia)
        return "volume and inertia";
    if (volume && !shape->has_volume)
        return "volume";
    return centre && !shape->has_centre ? "centre of mass" : NULL;
}

static bool
in_a_contact(const struct rt *run, uint32_t body)
{
    bool touches = rt_body(run, body)->sides != 0;
    for (uint32_t c = 0; c < run->im->contacts.n; c++)
        touches |= rt_contact(run, c)->body[0] == body ||
                   rt_contact(run, c)->body[1] == body;
    return touches;
}

/* Does anything that the model asks depend on the inertia of this body? A
 * planar body that touches nothing, or is only classified, keeps its spin. */
static bool
inertia_matters(const struct rt *run, uint32_t body)
{
    if (run->im->dim == 3)
        return true;
    bool impacts = false;
    const imp_command *k = IMP_ARRAY(run->im, run->im->commands, imp_command);
    for (uint32_t i = 0; i < run->im->commands.n; i++) {
        bool through = false;
        const imp_opt *o = IMP_ARRAY(run->im, k[i].opts, imp_opt);
        for (uint32_t j = 0; j < k[i].opts.n; j++)
            through |= o[j].id == IMP_OPT_simulate_through;
        impacts |=
            imp_command_has(k[i].id, IMP_TRAIT_APPLIES_IMPACT) && !through;
    }
    return impacts && in_a_contact(run, body);
}

static void
warn_centre(struct rt *run, uint32_t body, const struct shape_data *shape,
            const double *centre)
{
    const imp_body *spec = rt_body(run, body);
    double d2 = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        double x = centre[i] - shape->centre[i];
        d2 += x * x;
        size = fmax(size, shape->inertia[i]);
    }
    if (!shape->has_centre || !shape->has_volume ||
        !(sqrt(d2) > CENTRE_SAME * sqrt(size / shape->volume)) ||
        !inertia_matters(run, body))
        return;
    struct diag *diag =
        diag_add(run->ds, DIAG_W0502, imp_places_of(run->im, spec)->centre,
                 "`%s` has its mass centre off the centroid of "
                 "its shape, but no `inertia`",
                 name_of(run, body));
    diag_note(run->ds, diag, IMP_NOWHERE,
              "the inertia of the homogeneous shape about its centroid is "
              "taken for the one about the mass centre");
    diag_help(run->ds, diag, "state `inertia`, about the mass centre");
}

/* May the search for closest points meet this body, which is the first of its
 * level set that it may meet? */
static bool
first_of_its_surface(const struct rt *run, uint32_t body)
{
    bool watched = rt_body(run, body)->sides != 0;
    for (uint32_t c = 0; c < run->im->contacts.n; c++) {
        const imp_contact *contact = rt_contact(run, c);
        watched |= contact->system == IMP_NO_SYSTEM &&
                   !(contact->flags & IMP_CONTACTF_STATED) &&
                   (contact->body[0] == body || contact->body[1] == body);
    }
    for (uint32_t other = 0; other < body && watched; other++)
        watched = rt_body(run, other)->g2 != rt_body(run, body)->g2;
    return watched;
}

static void
warn_dents(struct rt *run, uint32_t body)
{
    double far;
    char beyond[NUM_TEXT];
    if (!first_of_its_surface(run, body) || !shape_has_dents(run, body, &far))
        return;
    run->dents = true;
    struct diag *diag = diag_add(
        run->ds, DIAG_W0508, imp_places_of(run->im, rt_body(run, body))->shape,
        "`%s` is not convex: parts of its surface lie up to %s m beyond "
        "tangents at others",
        name_of(run, body), num_digits(beyond, far, 3));
    diag_note(run->ds, diag, IMP_NOWHERE,
              "contacts follow one pair of closest points: what comes near a "
              "dent is refused (E0611), and a second lobe may come in unseen "
              "while the first one is followed");
    diag_help(run->ds, diag,
              "make it of convex bodies that are welded: joint w : weld(a, b) "
              "{}");
}

/* What is less than this share of a body's size prints as 0. */
#define WRITTEN_SAME 1e-13

/* Writes the point as the model would state it. */
static const char *
written(struct rt *run, const double *point, double size)
{
    char one[NUM_TEXT], *out = arena_printf(run->brief, "(");
    for (uint32_t i = 0; i < run->im->dim; i++) {
        num_digits(one, fabs(point[i]) < WRITTEN_SAME * size ? 0 : point[i],
                   12);
        out = arena_printf(run->brief, "%s%s%s", out, i ? ", " : "", one);
    }
    return arena_printf(run->brief, "%s)", out);
}

/* Turns a point of the shape's axes as the body is turned. Returns as
 * setup_body. */
static int
turned(struct rt *run, const imp_body *spec, const double point[3],
       double out[3])
{
    double quat[4] = {1, 0, 0, 0}, R[9];
    double angle = spec->orient == IMP_ORIENT_NONE
                       ? 0
                       : setup_raw(run, spec)[IMP_RAW_ORIENT];
    if (run->im->dim == 2) {
        out[0] = imp_cos(angle) * point[0] - imp_sin(angle) * point[1];
        out[1] = imp_sin(angle) * point[0] + imp_cos(angle) * point[1];
        return IMP_OK;
    }
    int st = setup_orientation(run, spec, quat);
    if (st != IMP_OK)
        return st;
    mat3_of_quaternion(quat, R);
    for (int i = 0; i < 3; i++)
        out[i] = vec3_dot(R + 3 * i, point);
    return IMP_OK;
}

/* Where nothing states the position, the mass centre stands at the origin, and
 * corners do not stand where the model writes them. */
static int
warn_place(struct rt *run, uint32_t body)
{
    const imp_body *spec = rt_body(run, body);
    const double *out = run->env + spec->env_body,
                 *centre = out + IMP_BODY_CENTRE;
    double radius = out[IMP_BODY_RADIUS], off = 0;
    for (uint32_t i = 0; i < run->im->dim; i++)
        off = hypot(off, centre[i]);
    if ((spec->flags & (IMP_BODYF_PLACED | IMP_BODYF_CENTRE)) ||
        !(off > PLACE_SAME * radius) || isinf(radius) ||
        !in_a_contact(run, body))
        return IMP_OK;
    double place[3];
    int st = turned(run, spec, centre, place);
    if (st != IMP_OK)
        return st;
    bool fixed = (spec->flags & IMP_BODYF_FIXED) != 0;
    struct diag *diag =
        diag_add(run->ds, DIAG_W0507, imp_places_of(run->im, spec)->shape,
                 "the surface of `%s` does not stand where its "
                 "shape says: `position`, 0 "
                 "by default, is that of the mass centre",
                 name_of(run, body));
    diag_note(run->ds, diag, IMP_NOWHERE,
              "in the shape's own coordinates the mass centre is %s",
              written(run, centre, radius));
    diag_help(
        run->ds, diag, "state it: position = %s%s", written(run, place, radius),
        !fixed              ? ""
        : run->im->dim == 2 ? ", or, of a fixed body, centre = (0, 0)"
                            : ", or, of a fixed body, centre = (0, 0, 0)");
    return IMP_OK;
}

/* Density or mass, and inertia, of a free body. */
static int
mass_and_inertia(struct rt *run, uint32_t body, const struct shape_data *shape)
{
    const imp_body *spec = rt_body(run, body);
    const double *raw = setup_raw(run, spec);
    double *out = run->env + spec->env_body, inertia[6] = {0};
    bool own = (spec->flags & IMP_BODYF_INERTIA) != 0;
    bool density = (spec->flags & IMP_BODYF_DENSITY) != 0;
    int st = check_positive(run, body, raw[IMP_RAW_MASS], DIAG_E0514,
                            imp_places_of(run->im, spec)->mass,
                            density ? "density" : "mass",
                            "a body that nothing can move says `fixed = true`");
    if (st == IMP_OK && (density || !own))
        st = check_positive(run, body, shape->volume, DIAG_E0525,
                            imp_places_of(run->im, spec)->shape,
                            run->im->dim == 2 ? "area" : "volume",
                            "check the arguments of the shape");
    if (st != IMP_OK)
        return st;
    double mass = raw[IMP_RAW_MASS];
    if (density)
        mass *= shape->volume;
    for (int i = 0; i < 6; i++)
        inertia[i] = own ? raw[IMP_RAW_INERTIA + i]
                         : shape->inertia[i] * mass / shape->volume;
    bool point = own && is_point(run, body, inertia);
    st = check_divides(run, body, mass, point ? POINT_INVINERTIA : 1.0,
                       DIAG_E0514, imp_places_of(run->im, spec)->mass, "mass");
    if (st != IMP_OK)
        return st;
    out[IMP_BODY_MASS] = mass;
    out[IMP_BODY_INVMASS] = 1 / mass;
    st = check_inertia(run, body, inertia, own);
    if (st != IMP_OK)
        return st;
    memcpy(out + IMP_BODY_INERTIA, inertia, sizeof inertia);
    /* The inverse stands for a spin that only joints hold back. Joints divide
     * by no inertia, so any number does that is far beyond all others. */
    if (point)
        for (uint32_t i = 0; i < 3; i++)
            out[IMP_BODY_INVINERTIA + i] = POINT_INVINERTIA / mass;
    else if (run->im->dim == 2)
        out[IMP_BODY_INVINERTIA] = 1 / inertia[0];
    else
        sym3_inverse(inertia, out + IMP_BODY_INVINERTIA);
    return IMP_OK;
}

/* Does a unit moment about each axis turn a body that has no inertia no more
 * than its joints let it? For this question it has a little. */
static bool
is_held(struct rt *run, uint32_t body)
{
    const imp_body *spec = rt_body(run, body);
    size_t n = 6 * (size_t)run->im->bodies.n;
    double *change = NEW_N(run->brief, double, n),
           *inertia = run->env + spec->env_body + IMP_BODY_INERTIA,
           mass = run->env[spec->env_body + IMP_BODY_MASS];
    bool plane = run->im->dim == 2, held = true;
    for (int i = 0; i < (plane ? 1 : 3); i++)
        inertia[i] = mass * POINT_LITTLE;
    for (int i = plane ? 5 : 3; i < 6 && held; i++) {
        double *spin = change + 6 * (size_t)body + i;
        memset(change, 0, n * sizeof *change);
        *spin = 1.0;
        held = joints_response(run, spec->block, change) == IMP_OK &&
               fabs(*spin) * mass <= POINT_LOOSE;
    }
    memset(inertia, 0, 3 * sizeof *inertia);
    return held;
}

int
setup_check_spins(struct rt *run)
{
    assert(run != NULL);
    for (uint32_t b = 0; b < run->im->bodies.n && run->joints; b++) {
        const imp_body *spec = rt_body(run, b);
        if ((spec->flags & IMP_BODYF_INERTIA) &&
            !(spec->flags & IMP_BODYF_FIXED) &&
            is_point(run, b, run->env + spec->env_body + IMP_BODY_INERTIA) &&
            !is_held(run, b))
            return loose_point(run, b);
    }
    return IMP_OK;
}

int
setup_body(struct rt *run, uint32_t body)
{
    assert(body < run->im->bodies.n);
    const imp_body *spec = rt_body(run, body);
    const double *raw = setup_raw(run, spec);
    double *out = run->env + spec->env_body;
    bool fixed = (spec->flags & IMP_BODYF_FIXED) != 0;
    bool own_centre = (spec->flags & IMP_BODYF_CENTRE) != 0;
    bool own_inertia = (spec->flags & IMP_BODYF_INERTIA) != 0;
    memset(out, 0, IMP_BODY_SIZE * sizeof *out);
    int st = check_origin(run, body);
    if (st == IMP_OK)
        st = polytope_setup(run, body);
    if (st != IMP_OK)
        return st;

    struct shape_data shape;
    stated(run, spec, &shape);
    const char *why =
        needed(spec, &shape, (spec->flags & IMP_BODYF_DENSITY) || !own_inertia,
               !own_centre, !own_inertia);
    bool wanted = has_extent(spec) &&
                  (!shape.has_volume || (!shape.has_centre && !own_centre));
    if (why || wanted) {
        st = integrate(run, body, &shape, why);
        if (st != IMP_OK)
            return st;
    }
    out[IMP_BODY_VOLUME] =
        spec->flags & IMP_BODYF_FLAT ? (double)INFINITY : shape.volume;
    memcpy(out + IMP_BODY_CENTRE,
           own_centre ? raw + IMP_RAW_CENTRE : shape.centre, 3 * sizeof *out);
    if (!fixed) {
        if (own_centre && !own_inertia)
            warn_centre(run, body, &shape, raw + IMP_RAW_CENTRE);
        st = mass_and_inertia(run, body, &shape);
        if (st != IMP_OK)
            return st;
    }
    polytope_centre(run, body);
    out[IMP_BODY_RADIUS] = setup_radius(run, body, out + IMP_BODY_CENTRE);
    st = warn_place(run, body);
    if (st == IMP_OK)
        warn_dents(run, body);
    return st;
}
