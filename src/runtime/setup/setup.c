/* SPDX-License-Identifier: MIT */
/* Set-up of a run: params into env, the set-up tape (the user's expressions),
 * then mass properties and initial states of all bodies, with the checks that
 * depend on values. All bodies are checked before giving up, so that several
 * mistakes are reported at once. */
#include "runtime/setup/setup_priv.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/joints/joints.h"
#include "runtime/numerics/random.h"
#include "runtime/numerics/vec3.h"
#include "runtime/rotors/rotors.h"
#include "runtime/rubbing/rubbing.h"

/* outputs of the set-up tape for the world: gravity (3), tolerance, seed */
#define WORLD_OUTS 5
#define TOLERANCE_LEAST 1e-15
#define TOLERANCE_MOST 1e-2
/* of the numbers of a state, so that products of three of them are finite; and
 * of an angle (rad), which has 16 digits */
#define STATE_MOST 1e100
#define ANGLE_MOST 1e15

/* -- states
 * -------------------------------------------------------------------- */

/* E0601 where gaps and impacts, which are made of products of the numbers of a
 * state, would not be finite; or where an angle leaves no digit of the turn. */
static int
state_in_range(struct rt *run, const imp_body *body, const double *raw)
{
    static const struct {
        int first, plane, space; /* numbers of it */
        double most;
        const char *what, *unit;
    } part[] = {{IMP_RAW_POSITION, 2, 3, STATE_MOST, "position", "m"},
                {IMP_RAW_VELOCITY, 2, 3, STATE_MOST, "velocity", "m/s"},
                {IMP_RAW_SPIN, 1, 3, STATE_MOST, "spin", "rad/s"},
                {IMP_RAW_ORIENT, 1, 0, ANGLE_MOST, "angle", "rad"}};
    char number[NUM_TEXT], most[NUM_TEXT];
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        int n = run->im->dim == 2 ? part[i].plane : part[i].space;
        bool angle = part[i].first == IMP_RAW_ORIENT;
        if (angle && body->orient == IMP_ORIENT_NONE)
            continue;
        for (const double *x = raw + part[i].first; n > 0; n--, x++) {
            if (fabs(*x) <= part[i].most)
                continue;
            struct diag *diag = diag_add(
                run->ds, DIAG_E0601, body->range, "the %s of `%s` is %s %s: %s",
                part[i].what, imp_text(run->im, body->name),
                num_digits(number, *x, 6), part[i].unit,
                angle ? "no digit of the turn is left"
                      : "products of such numbers are not finite");
            diag_help(run->ds, diag, "numbers up to %s are possible%s",
                      num_digits(most, part[i].most, 3),
                      angle ? "" : "; put the origin near the motion");
            return IMP_BADMODEL;
        }
    }
    return IMP_OK;
}

int
setup_state(struct rt *run, uint32_t body)
{
    assert(body < run->im->bodies.n);
    const imp_body *spec = rt_body(run, body);
    const double *raw = setup_raw(run, spec);
    double *state = run->env + spec->env_state;
    int st = state_in_range(run, spec, raw);
    if (st)
        return st;
    if (run->im->dim == 2) {
        memcpy(state, raw + IMP_RAW_POSITION, 2 * sizeof *state);
        state[2] = spec->orient == IMP_ORIENT_NONE ? 0 : raw[IMP_RAW_ORIENT];
        memcpy(state + 3, raw + IMP_RAW_VELOCITY, 2 * sizeof *state);
        state[5] = raw[IMP_RAW_SPIN];
    } else {
        memcpy(state, raw + IMP_RAW_POSITION, 3 * sizeof *state);
        st = setup_orientation(run, spec, state + 3);
        if (st != IMP_OK)
            return st;
        memcpy(state + 7, raw + IMP_RAW_VELOCITY, 3 * sizeof *state);
        quaternion_rotate_back(state + 3, raw + IMP_RAW_SPIN, state + 10);
    }
    if (spec->refresh == IMP_NO_TAPE)
        return IMP_OK;
    if (rt_eval(run, spec->refresh, NULL, state) == IMP_OK)
        return IMP_OK;
    rt_nonfinite(run, spec->refresh, NULL);
    return IMP_FAILED;
}

/* -- contacts and world
 * ------------------------------------------------------------ */

/* Is this coefficient of friction of a contact a number that is not negative?
 */
static int
setup_friction(struct rt *run, uint32_t c, uint32_t entry)
{
    const imp_contact *contact = rt_contact(run, c);
    double friction = run->env[contact->env_contact + entry];
    char text[NUM_TEXT];
    if (friction >= 0.0 && isfinite(friction))
        return IMP_OK;
    num_digits(text, friction, 6);
    struct diag *diag = diag_add(run->ds, DIAG_E0518, contact->range_mu,
                                 "the friction of contact `%s` is %s",
                                 imp_text(run->im, contact->name), text);
    diag_label(run->ds, diag, "must not be negative");
    diag_help(run->ds, diag,
              "0 is a contact without friction; friction acts against the "
              "slip by itself, whatever its direction");
    return IMP_BADMODEL;
}

/* Is the static coefficient of friction at least the dynamic one? A formula has
 * the value 0 here: it is asked where the contact does not slip
 * (contact_friction_at_rest). */
static int
setup_static_friction(struct rt *run, uint32_t number)
{
    const imp_contact *contact = rt_contact(run, number);
    const double *env = run->env + contact->env_contact;
    char of_stick[NUM_TEXT], of_slip[NUM_TEXT];
    if (env[IMP_CONTACT_MU_STATIC] >= env[IMP_CONTACT_MU] ||
        env[IMP_CONTACT_MU_STATIC] == 0.0)
        return IMP_OK;
    num_digits(of_stick, env[IMP_CONTACT_MU_STATIC], 6);
    num_digits(of_slip, env[IMP_CONTACT_MU], 6);
    struct diag *diag =
        diag_add(run->ds, DIAG_E0518, contact->range_mu,
                 "the static friction of contact `%s` is %s, "
                 "and the dynamic one %s",
                 imp_text(run->im, contact->name), of_stick, of_slip);
    diag_label(run->ds, diag, "static friction is not below dynamic friction");
    diag_help(run->ds, diag,
              "what slips cannot rub harder than what sticks; exchange them");
    return IMP_BADMODEL;
}

/* the greatest exponent of a bond: beyond it depths count for nothing until
 * they count for all, and steps of the law `lzb` become very short */
#define BOND_EXPONENT_MOST 10.0

/* The bond that a contact states for the law `lzb`. */
static int
setup_bond(struct rt *run, uint32_t number)
{
    const imp_contact *contact = rt_contact(run, number);
    const double *env = run->env + contact->env_contact;
    bool stated = contact->flags & IMP_CONTACTF_BOND;
    double stiffness = stated ? env[IMP_CONTACT_STIFFNESS] : 1.0,
           exponent = env[IMP_CONTACT_EXPONENT];
    char text[NUM_TEXT];
    if (stiffness > 0.0 && isfinite(stiffness) && exponent >= 1.0 &&
        exponent <= BOND_EXPONENT_MOST)
        return IMP_OK;
    bool soft = !(stiffness > 0.0 && isfinite(stiffness));
    struct diag *diag = diag_add(
        run->ds, DIAG_E0561, contact->range, "the %s of contact `%s` is %s",
        soft ? "stiffness" : "exponent", imp_text(run->im, contact->name),
        num_digits(text, soft ? stiffness : exponent, 6));
    diag_help(run->ds, diag,
              soft ? "a stiffness is above 0; only its ratio to those of other "
                     "contacts matters"
                   : "the force of a bond is its stiffness times this power of "
                     "its depth: 1 of a spring, 3/2 of round bodies (Hertz), "
                     "at most 10");
    return IMP_BADMODEL;
}

static int
setup_contact(struct rt *run, uint32_t number)
{
    const imp_contact *contact = rt_contact(run, number);
    double restitution = run->env[contact->env_contact + IMP_CONTACT_E];
    char text[NUM_TEXT];
    int st = IMP_OK;
    if (!(restitution >= 0) || (restitution > 1 && !run->im->gain_allowed)) {
        num_digits(text, restitution, 6);
        struct diag *diag = diag_add(
            run->ds, DIAG_E0517, contact->range_e,
            "the restitution of contact `%s` is %s%s",
            imp_text(run->im, contact->name), text,
            contact->bounce == IMP_NO_TAPE ? "" : " for a vanishing approach");
        diag_label(run->ds, diag, "must lie between 0 and 1");
        diag_help(run->ds, diag,
                  restitution > 1
                      ? "more than 1 creates energy; if that is meant, say "
                        "`world { gain = allowed }`"
                      : "0 is a plastic, 1 an elastic impact");
        st = IMP_BADMODEL;
    }
    static const uint32_t coefficient[] = {
        IMP_CONTACT_MU, IMP_CONTACT_MU_STATIC, IMP_CONTACT_MU_IMPACT};
    for (int i = 0; i < 3 && !st; i++)
        st = setup_friction(run, number, coefficient[i]);
    if (!st)
        st = setup_bond(run, number);
    return st ? st : setup_static_friction(run, number);
}

/* Tells that a vector is zero where a direction is needed. */
static int
no_direction(struct rt *run, imp_range at, const char *what, const char *name)
{
    struct diag *diag =
        diag_add(run->ds, DIAG_E0540, at, "the %s `%s` is zero", what, name);
    diag_help(run->ds, diag, "give a direction, such as (0, 0, 1)");
    return IMP_BADMODEL;
}

static bool
is_zero(const double *v, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i] != 0)
            return false;
    return true;
}

/* What a contact states about itself; out: IMP_CONTACT_OUTS outputs of the
 * set-up tape. */
static int
setup_stated(struct rt *run, uint32_t number, const double *out)
{
    const imp_contact *contact = rt_contact(run, number);
    double *env = run->env + contact->env_contact;
    env[IMP_CONTACT_E] = out[0];
    env[IMP_CONTACT_MU] = out[1];
    memcpy(env + IMP_CONTACT_AT, out + 2, 3 * sizeof *out);
    memcpy(env + IMP_CONTACT_DIRECTION, out + 5, 3 * sizeof *out);
    env[IMP_CONTACT_PRIORITY] = out[8];
    env[IMP_CONTACT_MU_STATIC] = out[9];
    env[IMP_CONTACT_MU_IMPACT] = out[10];
    env[IMP_CONTACT_STIFFNESS] = out[11];
    env[IMP_CONTACT_EXPONENT] = out[12];
    int st = setup_contact(run, number);
    if (!(contact->flags & IMP_CONTACTF_STATED) || !is_zero(out + 5, 3))
        return st;
    return no_direction(run, contact->range_direction, "normal of contact",
                        imp_text(run->im, contact->name));
}

/* Are two vectors parallel? The cross product of their unit vectors is then
 * below AXES_SLACK. */
static bool
parallel(const double *a, const double *b)
{
    double u[3], v[3], x[3], s = 0;
    memcpy(u, a, sizeof u);
    memcpy(v, b, sizeof v);
    setup_normalise(u, 3);
    setup_normalise(v, 3);
    vec3_cross(u, v, x);
    for (int i = 0; i < 3; i++)
        s += x[i] * x[i];
    return s < AXES_SLACK * AXES_SLACK;
}

/* Has what rubs in a joint with friction a size? */
static int
setup_joint_width(struct rt *run, const imp_joint *joint, double width)
{
    char text[NUM_TEXT];
    if (!(joint->flags & IMP_JOINTF_RUBS) || (width > 0.0 && isfinite(width)))
        return IMP_OK;
    struct diag *diag = diag_add(
        run->ds, DIAG_E0349, joint->range_width, "the %s of joint `%s` is %s m",
        joint->kind == IMP_JOINT_HINGE ? "radius" : "length",
        imp_text(run->im, joint->name), num_digits(text, width, 6));
    diag_help(run->ds, diag,
              "it is positive; a joint without friction has `friction = 0`");
    return IMP_BADMODEL;
}

static int
setup_joint(struct rt *run, const imp_joint *joint, const double *out)
{
    const char *name = imp_text(run->im, joint->name);
    memcpy(run->env + joint->env_joint, out, IMP_JOINT_RAW * sizeof *out);
    int st = setup_joint_width(run, joint, out[IMP_JOINT_WIDTH]);
    if (st)
        return st;
    switch ((enum imp_joint_kind)joint->kind) {
    case IMP_JOINT_BALL:
    case IMP_JOINT_WELD:
        return IMP_OK;
    case IMP_JOINT_CONSTRAINT:
        for (uint32_t i = 0; i < joint->n_user; i++)
            if (is_zero(out + IMP_JOINT_USER + 6 * i, 6)) {
                struct diag *diag =
                    diag_add(run->ds, DIAG_E0540, joint->range,
                             "screw %u of joint `%s` is zero", i + 1, name);
                diag_help(run->ds, diag,
                          "a zero screw constrains nothing: leave it out");
                return IMP_BADMODEL;
            }
        return IMP_OK;
    default:
        break;
    }
    if (is_zero(out + IMP_JOINT_AXIS, 3))
        return no_direction(run, joint->range_axis, "axis of joint", name);
    if (joint->kind != IMP_JOINT_UNIVERSAL)
        return IMP_OK;
    if (is_zero(out + IMP_JOINT_AXIS2, 3))
        return no_direction(run, joint->range_axis2, "second axis of joint",
                            name);
    if (!parallel(out + IMP_JOINT_AXIS, out + IMP_JOINT_AXIS2))
        return IMP_OK;
    struct diag *d =
        diag_add(run->ds, DIAG_E0541, joint->range_axis2,
                 "the two axes of the universal joint `%s` are parallel", name);
    diag_help(run->ds, d, "they are usually at right angles");
    return IMP_BADMODEL;
}

static int
setup_world(struct rt *run, const double *world)
{
    memcpy(run->world.gravity, world, sizeof run->world.gravity);
    run->world.tolerance = RT_TOLERANCE;
    run->world.seed = world[4];
    if (!run->im->has_tolerance)
        return IMP_OK;
    run->world.tolerance = world[3];
    if (world[3] >= TOLERANCE_LEAST && world[3] <= TOLERANCE_MOST)
        return IMP_OK;
    char text[NUM_TEXT];
    num_digits(text, world[3], 6);
    struct diag *diag = diag_add(run->ds, DIAG_E0527, run->im->range_tolerance,
                                 "the tolerance is %s", text);
    diag_label(run->ds, diag, "must lie between 1e-15 and 0.01");
    diag_help(run->ds, diag, "data of d digits allow 100 * 10^-d");
    return IMP_BADMODEL;
}

static int
worse(int a, int b)
{
    return a == IMP_OK ? b : a;
}

/* Writes the starts of systems into env: value and rate of each coordinate and
 * of each variable of an observer. */
static void
setup_systems(struct rt *run, const double *start)
{
    const imp_coordinate *c =
        IMP_ARRAY(run->im, run->im->coordinates, imp_coordinate);
    for (uint32_t i = 0; i < run->im->coordinates.n; i++, start += 2) {
        run->env[c[i].env] = start[0];
        if (c[i].env_rate != IMP_NO_RATE)
            run->env[c[i].env_rate] = start[1];
    }
}

/* Room for the numbers of the set-up, and for the outputs of its tape behind
 * them where these are others. */
static double *
outputs(struct rt *run)
{
    size_t n = run->im->n_setup;
    if (run->im->fills.n)
        n += rt_tape(run, run->im->setup)->outs.n;
    if (!run->scratch)
        run->scratch = NEW_N(run->own, double, n + 1);
    return run->scratch;
}

/* so many outputs are kept for the next start: less than what arena_drop gives
 * back */
#define OUTPUTS_KEPT ((size_t)1 << 17)
static void
outputs_drop(struct rt *run)
{
    if (!run->scratch || run->im->n_setup <= OUTPUTS_KEPT)
        return;
    arena_drop(run->own, run->scratch);
    run->scratch = NULL;
}

/* Where the outputs of the set-up tape for the coordinates begin. */
static double *
starts_of(struct rt *run)
{
    const imp_image *im = run->im;
    const imp_layout *layout = &im->layout;
    return run->scratch + (size_t)im->bodies.n * IMP_RAW_SIZE +
           IMP_CONTACT_OUTS * (size_t)im->contacts.n +
           (size_t)im->joints.n * IMP_JOINT_RAW +
           (size_t)im->rotors.n * IMP_ROTOR_RAW + WORLD_OUTS +
           (layout->slots - layout->poly);
}

/* Are all outputs of the set-up tape finite, except those of the starts? */
static bool
numbers_but_starts(struct rt *run)
{
    const imp_image *im = run->im;
    const double *start = starts_of(run);
    const double *bounds = start + 2 * (size_t)im->coordinates.n;
    for (const double *x = run->scratch; x < bounds + 2 * im->draws.n; x++)
        if (!isfinite(*x) && (x < start || x >= bounds))
            return false;
    return true;
}

/* The numbers that are not made by the tape, and its outputs where they
 * belong. */
static int
fill_numbers(struct rt *run)
{
    const imp_image *im = run->im;
    const imp_fill *fill = IMP_ARRAY(im, im->fills, imp_fill);
    double *out = outputs(run), *made = out + im->n_setup;
    const double *const from[] = {[IMP_FILL_NUMBER] =
                                      IMP_ARRAY(im, im->numbers, double),
                                  [IMP_FILL_ENV] = run->env,
                                  [IMP_FILL_TAPE] = made};
    int st = rt_eval(run, im->setup, NULL, made);
    memset(out, 0, im->n_setup * sizeof *out);
    for (uint32_t i = 0; i < im->fills.n; i++, fill++) {
        const double *number = from[fill->kind] + fill->from;
        double *to = out + fill->to;
        for (uint32_t k = 0; k < fill->n; k++)
            to[(size_t)k * fill->to_step] = number[(size_t)k * fill->from_step];
    }
    return st;
}

/* Runs the set-up tape. Before the random numbers are drawn they are 0 in env,
 * and the starts that are made of them do not count. */
static int
setup_tape(struct rt *run, bool drawn)
{
    int st = run->im->fills.n
                 ? fill_numbers(run)
                 : rt_eval(run, run->im->setup, NULL, outputs(run));
    if (st == IMP_NONFINITE && !drawn && numbers_but_starts(run))
        return IMP_OK;
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, run->im->setup, NULL);
    return st == IMP_OK ? IMP_OK : IMP_BADMODEL;
}

/* Draws the random numbers of the starts, then calculates the starts, which
 * may depend on them. The streams lie beyond those of a sweep's params. */
#define DRAW_STREAM (UINT64_C(1) << 32)
/* what a number is drawn from once more lies beyond all these */
#define DRAW_AGAIN (UINT64_C(1) << 34)
void
setup_draw(struct rt *run, uint64_t number, uint32_t which, uint32_t again,
           const double bounds[2])
{
    assert(run && which < run->im->draws.n && bounds[0] < bounds[1]);
    double u = random_unit(run->world.seed, number,
                           DRAW_STREAM + which + DRAW_AGAIN * again);
    run->env[run->im->layout.draws + which] =
        bounds[0] + (bounds[1] - bounds[0]) * u;
}

const double *
setup_draw_bounds(struct rt *run)
{
    assert(run);
    return starts_of(run) + 2 * (size_t)run->im->coordinates.n;
}

int
setup_drawn(struct rt *run)
{
    assert(run);
    return setup_tape(run, true);
}

/* The numbers between both bounds are not all finite, or their distance is not.
 */
static int
draw_infinite(struct rt *run, imp_range where, const double bounds[2])
{
    char lo[NUM_TEXT], hi[NUM_TEXT];
    struct diag *diag =
        diag_add(run->ds, DIAG_E0601, where,
                 "a random number between %s and %s is not finite",
                 num_digits(lo, bounds[0], 6), num_digits(hi, bounds[1], 6));
    diag_help(run->ds, diag, "their distance must be finite, too");
    return IMP_BADMODEL;
}

static int
setup_draws(struct rt *rt, uint64_t run)
{
    const imp_draw *draws = IMP_ARRAY(rt->im, rt->im->draws, imp_draw);
    const double *bounds = setup_draw_bounds(rt);
    int st = IMP_OK;
    for (uint32_t i = 0; i < rt->im->draws.n; i++, bounds += 2) {
        char lo[NUM_TEXT], hi[NUM_TEXT];
        if (bounds[0] < bounds[1]) {
            setup_draw(rt, run, i, 0, bounds);
            if (!isfinite(rt->env[rt->im->layout.draws + i]))
                st = draw_infinite(rt, draws[i].range, bounds);
            continue;
        }
        struct diag *diag = diag_add(rt->ds, DIAG_E0556, draws[i].range,
                                     "there is no number between %s and %s",
                                     num_digits(lo, bounds[0], 6),
                                     num_digits(hi, bounds[1], 6));
        diag_help(rt->ds, diag,
                  "the lower bound comes first; look at the values "
                  "of params");
        st = IMP_BADMODEL;
    }
    if (!st && rt->im->draws.n)
        st = setup_tape(rt, true);
    if (!st)
        setup_systems(rt, starts_of(rt));
    return st;
}

/* Places of bodies that are made of random numbers. */
static int
setup_drawn_bodies(struct rt *run, uint64_t number)
{
    const imp_image *im = run->im;
    int st = IMP_OK;
    for (uint32_t b = 0; b < im->bodies.n; b++)
        st = worse(st, setup_state(run, b));
    if (st != IMP_OK || (st = setup_apart(run, number)))
        return st;
    joints_start(run);
    if ((st = start_joints(run)))
        return st;
    rotors_start(run);
    st = setup_check_spins(run);
    return st ? st : rubbing_start(run);
}

/* Starts that are made of random numbers. */
static int
setup_random(struct rt *rt, uint64_t run)
{
    int st = setup_tape(rt, false);
    st = st ? st : setup_draws(rt, run);
    return st ? st : setup_drawn_bodies(rt, run);
}

int
rt_seed(struct rt *rt, double seed, uint64_t run)
{
    assert(rt);
    const imp_layout *layout = &rt->im->layout;
    rt->world.seed = seed;
    if (!rt->im->draws.n)
        return IMP_OK;
    rt->start.version++;
    rt_reset(rt);
    int st = setup_random(rt, run);
    outputs_drop(rt);
    if (st)
        return st;
    memcpy(rt->start.state, rt->env + layout->state,
           sizeof(double) * (layout->contact - layout->state));
    return IMP_OK;
}

static int
set_up(struct rt *run, const double *params)
{
    const imp_image *im = run->im;
    const imp_layout *layout = &im->layout;
    memset(run->env, 0, layout->n_env * sizeof *run->env);
    for (uint32_t i = 0; i < im->params.n; i++)
        run->env[layout->params + i] = params[i];
    const double *out = outputs(run);
    assert(!im->given.n || run->given);
    int st = im->given.n ? run->given->fill(run, run->given->ctx) : IMP_OK;
    if (st != IMP_OK || (st = setup_tape(run, !im->draws.n)) != IMP_OK)
        return st;
    const double *at = out + (size_t)im->bodies.n * IMP_RAW_SIZE;
    for (uint32_t c = 0; c < im->contacts.n; c++, at += IMP_CONTACT_OUTS)
        st = worse(st, setup_stated(run, c, at));
    const imp_joint *joint = IMP_ARRAY(im, im->joints, imp_joint);
    for (uint32_t i = 0; i < im->joints.n; i++, at += IMP_JOINT_RAW)
        st = worse(st, setup_joint(run, joint + i, at));
    double *rotor = NEW_N(run->brief, double, im->rotors.n *IMP_ROTOR_RAW + 1);
    memcpy(rotor, at, im->rotors.n * IMP_ROTOR_RAW * sizeof *at);
    at += im->rotors.n * IMP_ROTOR_RAW;
    st = worse(st, setup_world(run, at));
    memcpy(run->env + layout->poly, at + WORLD_OUTS,
           (layout->slots - layout->poly) * sizeof *out);
    for (uint32_t c = 0; c < im->contacts.n; c++)
        st = worse(st, polytope_surface_setup(run, c));
    st = worse(st, setup_draws(run, 0));
    memset(run->polytope, 0, im->bodies.n * sizeof *run->polytope);
    for (uint32_t b = 0; b < im->bodies.n; b++) {
        int s = setup_body(run, b);
        st = worse(st, s == IMP_OK ? setup_state(run, b) : s);
    }
    st = st ? st : setup_apart(run, 0);
    for (uint32_t c = 0; st == IMP_OK && c < im->contacts.n; c++)
        st = setup_surfaces(run, c);
    if (st != IMP_OK)
        return st;
    if ((st = rotors_setup(run, rotor)))
        return st;
    joints_start(run);
    if ((st = start_joints(run)))
        return st;
    rotors_start(run);
    st = setup_check_spins(run);
    return st ? st : rubbing_start(run);
}

int
rt_setup(struct rt *run, const double *params)
{
    assert(run->im->setup < run->im->tapes.n);
    int st = set_up(run, params);
    outputs_drop(run);
    return st;
}
