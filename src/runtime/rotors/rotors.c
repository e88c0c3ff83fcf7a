/* SPDX-License-Identifier: MIT */
/* Rotors of bodies (rotors.h). */
#include "runtime/rotors/rotors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/simd.h"
#include "runtime/numerics/vec3.h"

/* A rate is that of a rotor at rest if it is the rounding of its terms. */
#define ROTOR_STILL 0x1p-48
/* The acceleration with which a slip begins is 0 if it is this share of its
 * terms: the end of the stick is a root. */
#define ROTOR_ONSET 0x1p-36
/* the order of a series of which only the first coefficient is read; closed
 * contacts need two more */
#define FEW_TERMS 4

static const imp_rotor *
rotor_of(const struct rt *run, uint32_t rotor)
{
    assert(rotor < run->im->rotors.n);
    return IMP_ARRAY(run->im, run->im->rotors, imp_rotor) + rotor;
}

static double *
entries(const struct rt *run, const imp_rotor *rotor)
{
    return run->env + rotor->env_rotor;
}

/* The part of the body's spin about the axis; *terms: the size of its terms. */
static double
axial_spin(const struct rt *run, const imp_rotor *rotor, double *terms)
{
    const double *axis = entries(run, rotor) + IMP_ROTOR_AXIS,
                 *state = run->env + rt_body(run, rotor->body)->env_state;
    if (run->im->dim == 2) {
        *terms = fabs(state[5]);
        return state[5];
    }
    const double *w = state + 10;
    *terms = 0.0;
    for (int i = 0; i < 3; i++)
        *terms += fabs(axis[i] * w[i]);
    return axis[0] * w[0] + axis[1] * w[1] + axis[2] * w[2];
}

static void
set_z(struct rt *run, const imp_rotor *rotor, double z)
{
    run->env[rotor->env_state] = z;
    run->state_lo[rotor->env_state - run->im->layout.state] = 0.0;
}

/* -- the inertia of a body ------------------------------------------------- */

/* The inertia of the body without its rotors that are not held; false if it is
 * not positive definite. */
static bool
write_inertia(struct rt *run, uint32_t body)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1},
                     column[6] = {0, 1, 2, 1, 2, 2};
    double *to = run->env + rt_body(run, body)->env_body, J[6];
    bool any = false;
    for (uint32_t i = 0; i < run->im->rotors.n; i++) {
        const imp_rotor *rotor = rotor_of(run, i);
        const double *e = entries(run, rotor), *u = e + IMP_ROTOR_AXIS;
        if (rotor->body != body)
            continue;
        if (!any)
            memcpy(J, e + IMP_ROTOR_WHOLE, sizeof J);
        any = true;
        if (e[IMP_ROTOR_HELD] != 0.0)
            continue;
        if (run->im->dim == 2)
            J[0] -= e[IMP_ROTOR_INERTIA];
        for (int k = 0; k < 6 && run->im->dim == 3; k++)
            J[k] -= e[IMP_ROTOR_INERTIA] * u[row[k]] * u[column[k]];
    }
    if (!any)
        return true;
    memcpy(to + IMP_BODY_INERTIA, J, sizeof J);
    if (run->im->dim == 2) {
        to[IMP_BODY_INVINERTIA] = 1.0 / J[0];
        return J[0] > 0.0;
    }
    sym3_inverse(J, to + IMP_BODY_INVINERTIA);
    sym3_near_1(J, J);
    double minor = J[0] * J[1] - J[3] * J[3];
    double det = J[2] * minor - J[0] * J[5] * J[5] - J[1] * J[4] * J[4] +
                 2.0 * J[3] * J[4] * J[5];
    return J[0] > 0.0 && minor > 0.0 && det > 0.0;
}

static void
set_held(struct rt *run, const imp_rotor *rotor, bool held)
{
    entries(run, rotor)[IMP_ROTOR_HELD] = held;
    write_inertia(run, rotor->body);
}

/* -- the start ------------------------------------------------------------- */

static int
bad_inertia(struct rt *run, const imp_rotor *rotor, double inertia)
{
    char text[NUM_TEXT];
    const char *name = imp_text(run->im, rotor->name);
    struct diag *diag;
    int of_body = 0;
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        of_body += rotor_of(run, i)->body == rotor->body;
    if (inertia > 0.0) {
        const char *body = imp_text(run->im, rt_body(run, rotor->body)->name);
        diag =
            of_body > 1
                ? diag_add(run->ds, DIAG_E0557, rotor->range_inertia,
                           "the rotors of the body `%s` have together more "
                           "inertia about an axis than the body",
                           body)
                : diag_add(run->ds, DIAG_E0557, rotor->range_inertia,
                           "the rotor `%s` has more inertia than its body `%s`",
                           name, body);
        diag_help(run->ds, diag,
                  "the inertia of a body counts its rotors as if they turned "
                  "with it: what is left without them must be positive");
    } else {
        diag = diag_add(run->ds, DIAG_E0557, rotor->range_inertia,
                        "the inertia of the rotor `%s` is %s", name,
                        num_digits(text, inertia, 6));
        diag_help(run->ds, diag, "it is about the axis, and positive");
    }
    return IMP_BADMODEL;
}

static int
setup_rotor(struct rt *run, const imp_rotor *rotor, const double *raw)
{
    double *e = entries(run, rotor), *axis = e + IMP_ROTOR_AXIS;
    memcpy(e, raw, IMP_ROTOR_RAW * sizeof *e);
    double size = hypot(hypot(axis[0], axis[1]), axis[2]);
    if (!(size > 0.0)) {
        struct diag *diag = diag_add(run->ds, DIAG_E0540, rotor->range_axis,
                                     "the axis of rotor `%s` is zero",
                                     imp_text(run->im, rotor->name));
        diag_help(run->ds, diag, "an axis is a direction");
        return IMP_BADMODEL;
    }
    for (int i = 0; i < 3; i++)
        axis[i] /= size;
    memcpy(e + IMP_ROTOR_WHOLE,
           run->env + rt_body(run, rotor->body)->env_body + IMP_BODY_INERTIA,
           6 * sizeof *e);
    if (!(e[IMP_ROTOR_INERTIA] > 0.0))
        return bad_inertia(run, rotor, e[IMP_ROTOR_INERTIA]);
    return IMP_OK;
}

int
rotors_setup(struct rt *run, const double *raw)
{
    assert(run && raw);
    int st = IMP_OK;
    for (uint32_t i = 0; i < run->im->rotors.n && !st; i++)
        st = setup_rotor(run, rotor_of(run, i), raw + i * IMP_ROTOR_RAW);
    for (uint32_t i = 0; i < run->im->rotors.n && !st; i++)
        if (!write_inertia(run, rotor_of(run, i)->body))
            st = bad_inertia(run, rotor_of(run, i), 1.0);
    return st;
}

void
rotors_reset(struct rt *run)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->rotors.n; i++) {
        const imp_rotor *rotor = rotor_of(run, i);
        double *e = entries(run, rotor), rate = e[IMP_ROTOR_RATE];
        e[IMP_ROTOR_SIGN] = (rate > 0.0) - (rate < 0.0);
        e[IMP_ROTOR_FREED] = -1.0;
        set_held(run, rotor, rotor->flags & IMP_ROTORF_HOLDS);
    }
}

void
rotors_start(struct rt *run)
{
    assert(run);
    double terms;
    rotors_reset(run);
    for (uint32_t i = 0; i < run->im->rotors.n; i++) {
        const imp_rotor *rotor = rotor_of(run, i);
        double rate = entries(run, rotor)[IMP_ROTOR_RATE];
        if (!(rotor->flags & IMP_ROTORF_HOLDS))
            rate += axial_spin(run, rotor, &terms);
        set_z(run, rotor, rate);
    }
}

bool
rotors_at_rest(const struct rt *run)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        if ((rotor_of(run, i)->flags & IMP_ROTORF_RUBS) &&
            entries(run, rotor_of(run, i))[IMP_ROTOR_SIGN] == 0.0)
            return true;
    return false;
}

/* Its slip in the direction in which it has slipped: negative, it has turned
 * round; 0 where it sticks. */
static double
slip_on(const struct rt *run, const imp_rotor *rotor)
{
    double terms,
        rate = run->env[rotor->env_state] - axial_spin(run, rotor, &terms);
    return entries(run, rotor)[IMP_ROTOR_SIGN] * rate;
}

bool
rotors_keep_sign(const struct rt *run)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        if ((rotor_of(run, i)->flags & IMP_ROTORF_RUBS) &&
            !(slip_on(run, rotor_of(run, i)) > 0.0))
            return false;
    return true;
}

bool
rotors_turn_on(const struct rt *run)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        if ((rotor_of(run, i)->flags & IMP_ROTORF_RUBS) &&
            !rotors_sticks(run, i) && slip_on(run, rotor_of(run, i)) < 0.0)
            return false;
    return true;
}

/* -- modes ----------------------------------------------------------------- */

bool
rotors_rub(const struct rt *run)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        if (rotor_of(run, i)->flags & IMP_ROTORF_RUBS)
            return true;
    return false;
}

bool
rotors_sticks(const struct rt *run, uint32_t rotor)
{
    const imp_rotor *of = rotor_of(run, rotor);
    return (of->flags & IMP_ROTORF_RUBS) &&
           entries(run, of)[IMP_ROTOR_HELD] != 0.0;
}

static void
let_go(struct rt *run, const imp_rotor *rotor)
{
    double terms;
    set_held(run, rotor, false);
    set_z(run, rotor, axial_spin(run, rotor, &terms));
}

void
rotors_release(struct rt *run)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        if (rotors_sticks(run, i)) {
            let_go(run, rotor_of(run, i));
            entries(run, rotor_of(run, i))[IMP_ROTOR_SIGN] = 0.0;
        }
}

/* The rows of the motion that the series of a rotor is made of. */
struct rotor_rows {
    const double *z, *spin[3];
};
static struct rotor_rows
rows_of(const struct rt *run, const imp_rotor *rotor)
{
    const imp_body *body = rt_body(run, rotor->body);
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + body->block;
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t);
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    uint32_t spin = body->env_state + (run->im->dim == 2 ? 5 : 10);
    /* in the plane the spin is that about the third axis */
    uint32_t n = run->im->dim == 2 ? 1 : 3, first = 3 - n;
    const double *all = run->rows.block[body->block] + IMP_ROW_PAD;
    struct rotor_rows rows = {0};
    /* spins and rotors stand at the end */
    uint32_t z = rotor->env_state, missing = n + 1;
    for (uint32_t i = block->state.n; i-- > 0 && missing > 0;)
        if (state[i] == z) {
            rows.z = all + (size_t)row[i] * IMP_ROW_STRIDE;
            missing--;
        } else if (state[i] - spin < n) {
            rows.spin[first + state[i] - spin] =
                all + (size_t)row[i] * IMP_ROW_STRIDE;
            missing--;
        }
    return rows;
}

/* Coefficient k of the axial spin. */
static double
spin_coefficient(const struct rt *run, const imp_rotor *rotor,
                 const struct rotor_rows *rows, int k)
{
    const double *axis = entries(run, rotor) + IMP_ROTOR_AXIS;
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        if (rows->spin[i])
            sum += axis[i] * rows->spin[i][k];
    return sum;
}

/* The series of the rate of a rotor in the direction of its friction, whose
 * spin has the coefficients of spin_coefficient; two orders at a time. One
 * number may stand in `rate` behind the last order. */
static void
rate_series(const struct rt *run, const imp_rotor *rotor,
            const struct rotor_rows *rows, int order, double *rate)
{
    const double *own = entries(run, rotor), *spin[3];
    pair sign = pair_of(own[IMP_ROTOR_SIGN]), axis[3];
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (rows->spin[i]) {
            axis[n] = pair_of(own[IMP_ROTOR_AXIS + i]);
            spin[n++] = rows->spin[i];
        }
    for (int k = 0; k <= order; k += 2) {
        pair sum = pair_of(0.0);
        for (int i = 0; i < n; i++)
            sum += axis[i] * pair_load(spin[i] + k);
        pair_store(rate + k, sign * (pair_load(rows->z + k) - sum));
    }
}

/* A sum of sizes counts this much more for what rounding may do to it. */
#define SIZES_SPARE 1.01

/* What the sizes of the terms k = 1 .. order of a rotor's series come to at
 * h, divided by h: of sum c_k h^k or, `rate`, of its derivative. Their
 * coefficients are those of z, if it is not NULL, and of the spins times the
 * axis. Every fourth term is summed apart; entries behind the order
 * are 0. */
static double
sizes(const struct rt *run, const imp_rotor *rotor, const double *z,
      const struct rotor_rows *rows, int order, bool rate, double h)
{
    const double *own = entries(run, rotor), *spin[3];
    pair axis[3];
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (rows->spin[i] && own[IMP_ROTOR_AXIS + i] != 0.0) {
            axis[n] = pair_of(own[IMP_ROTOR_AXIS + i]);
            spin[n++] = rows->spin[i];
        }
    pair sum[2] = {pair_of(0.0), pair_of(0.0)}, h4 = pair_of(h * h * h * h);
    for (int k = (order - 1) / 4 * 4 + 1; k >= 1; k -= 4)
        for (int half = 0; half < 2; half++) {
            int at = k + 2 * half;
            pair size = pair_of(0.0), factor = {at, at + 1};
            if (z)
                size = pair_abs(pair_load(z + at));
            for (int i = 0; i < n; i++)
                size += pair_abs(axis[i] * pair_load(spin[i] + at));
            if (rate)
                size *= factor;
            sum[half] = sum[half] * h4 + size;
        }
    return (sum[0][0] + sum[0][1] * h) + (sum[1][0] + sum[1][1] * h) * h * h;
}

/* Does the rate in the direction of the friction stay above 0 until h, as the
 * sizes of its terms show? So it is in nearly all steps. */
static bool
turns_on(const struct rt *run, const imp_rotor *rotor,
         const struct rotor_rows *rows, int order, double h)
{
    double rate = rows->z[0] - spin_coefficient(run, rotor, rows, 0);
    return entries(run, rotor)[IMP_ROTOR_SIGN] * rate >
           SIZES_SPARE * sizes(run, rotor, rows->z, rows, order, false, h) * h;
}

/* Does friction of at least this torque hold the rotor until h, as the sizes of
 * the terms of its spin show? */
static bool
sticks_on(const struct rt *run, const imp_rotor *rotor,
          const struct rotor_rows *rows, int order, double h, double torque)
{
    return torque > SIZES_SPARE * entries(run, rotor)[IMP_ROTOR_INERTIA] *
                        sizes(run, rotor, NULL, rows, order, true, h);
}

/* The torque of the friction that keeps a held rotor at rest now, after a
 * series of the motion; *most: the greatest that there is. */
static int
holding(struct rt *run, uint32_t which, double *needed, double *most)
{
    const imp_rotor *rotor = rotor_of(run, which);
    struct rotor_rows rows = rows_of(run, rotor);
    double law[3];
    int st = rt_eval(run, rotor->law, NULL, law);
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, rotor->law, NULL);
    if (st)
        return IMP_FAILED;
    *needed = entries(run, rotor)[IMP_ROTOR_INERTIA] *
                  spin_coefficient(run, rotor, &rows, 1) -
              law[2];
    *most = law[1];
    return IMP_OK;
}

/* Says that a friction that is negative now pushes. */
static int
pushes(struct rt *run, const imp_rotor *rotor, double friction)
{
    char text[NUM_TEXT], time[NUM_TEXT];
    struct diag *diag =
        diag_add(run->ds, DIAG_E0558, rotor->range_friction,
                 "the friction of the rotor `%s` is %s N*m at t = %s s",
                 imp_text(run->im, rotor->name), num_digits(text, friction, 6),
                 rt_told(time, rt_time(run), 9));
    diag_help(run->ds, diag,
              "friction is not negative: a torque that drives is the `motor`");
    return IMP_FAILED;
}

/* Evaluates the torques of its law, and whether they are friction. */
static int
check_friction(struct rt *run, const imp_rotor *rotor, double law[3])
{
    int st = rt_eval(run, rotor->law, NULL, law);
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, rotor->law, NULL);
    if (st)
        return IMP_FAILED;
    for (int i = 0; i < 2; i++)
        if (law[i] < 0.0)
            return pushes(run, rotor, law[i]);
    return IMP_OK;
}

/* Is the rotor without a rate, to rounding? Otherwise its sign is set. */
static bool
at_rest(struct rt *run, const imp_rotor *rotor)
{
    double *e = entries(run, rotor), terms,
           spin = axial_spin(run, rotor, &terms),
           z = run->env[rotor->env_state], rate = z - spin;
    if (fabs(rate) <= ROTOR_STILL * (fabs(z) + terms))
        return true;
    e[IMP_ROTOR_SIGN] = rate > 0.0 ? 1.0 : -1.0;
    return false;
}

void
rotors_struck(struct rt *run)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->rotors.n; i++) {
        const imp_rotor *rotor = rotor_of(run, i);
        if (!(rotor->flags & IMP_ROTORF_RUBS) || rotors_sticks(run, i))
            continue;
        bool released = entries(run, rotor)[IMP_ROTOR_SIGN] == 0.0;
        /* the impact may have turned the slip of the others round */
        if (at_rest(run, rotor) && released) {
            set_held(run, rotor, true);
            set_z(run, rotor, 0.0);
        }
    }
}

/* The rotor whose friction is furthest from holding it; IMP_NO_ROTOR: all can.
 */
static int
too_weak(struct rt *run, uint32_t *which)
{
    double step, worst = 0.0, needed, most;
    bool known = false;
    *which = IMP_NO_ROTOR;
    for (uint32_t i = 0; i < run->im->rotors.n; i++) {
        int st = IMP_OK;
        if (!rotors_sticks(run, i))
            continue;
        if (!known)
            st = motion_series_all(run, FEW_TERMS, &step);
        known = true;
        if (st || (st = holding(run, i, &needed, &most)))
            return st;
        if (fabs(needed) - most > worst) {
            worst = fabs(needed) - most;
            *which = i;
        }
    }
    return IMP_OK;
}

/* Lets go of a rotor that friction cannot hold, after a series of the motion.
 */
static void
give_way(struct rt *run, uint32_t which)
{
    double needed = 0.0, most;
    holding(run, which, &needed, &most);
    let_go(run, rotor_of(run, which));
    double *e = entries(run, rotor_of(run, which));
    e[IMP_ROTOR_SIGN] = needed > 0.0 ? -1.0 : 1.0;
    e[IMP_ROTOR_FREED] = rt_time(run);
}

/* Series of the greatest torque of its friction, and of the motor. */
static int
torques(struct rt *run, uint32_t which, int order, const double **hardest,
        const double **motor)
{
    const imp_rotor *rotor = rotor_of(run, which);
    struct arena *arena;
    static const char key = 0;
    size_t size = sizeof(double) * IMP_ROW_STRIDE *
                  (rt_tape(run, rotor->along)->n_rows + 1);
    double *work = rt_keep(run, &key, which, size, &arena);
    const double *from[1] = {run->rows.block[rt_body(run, rotor->body)->block]};
    int st = rt_series(run, rotor->along, NULL, from, work, order);
    if (st == IMP_NONFINITE)
        rt_nonfinite_series(run, rotor->along, NULL, from, work, order);
    *hardest = work + (size_t)rotor->rows[1] * IMP_ROW_STRIDE + IMP_ROW_PAD;
    *motor = work + (size_t)rotor->rows[2] * IMP_ROW_STRIDE + IMP_ROW_PAD;
    return st ? IMP_FAILED : IMP_OK;
}

/* Where friction has given way a rate begins without an acceleration, to
 * rounding, and behind that, in steps that may be short, it is none. Takes that
 * rounding out of its series; z: that of the spin of the rotor. */
static int
begins(struct rt *run, uint32_t which, const double *z, double *rate)
{
    const double *e = entries(run, rotor_of(run, which)), *hardest, *motor;
    double since = rt_time(run) - e[IMP_ROTOR_FREED];
    if (!(e[IMP_ROTOR_FREED] >= 0.0 && since >= 0.0))
        return IMP_OK;
    if (torques(run, which, 1, &hardest, &motor))
        return IMP_FAILED;
    double small = ROTOR_ONSET *
                   (fabs(z[1]) + fabs(z[1] - rate[1]) +
                    (fabs(hardest[0]) + fabs(motor[0])) / e[IMP_ROTOR_INERTIA]);
    if (rate[1] < -small) /* it falls in earnest */
        return IMP_OK;
    if (fabs(rate[0]) <= small * since + ROTOR_STILL * fabs(z[0]))
        rate[0] = 0.0;
    if (rate[0] == 0.0 && fabs(rate[1]) <= small)
        rate[1] = 0.0;
    return IMP_OK;
}

/* A slip that has begun from rest: does it go on, though its rate is no more
 * than rounding at the time of something else? */
static int
slips_on(struct rt *run, uint32_t which, bool *on)
{
    const imp_rotor *rotor = rotor_of(run, which);
    double rate[IMP_ORDER_MAX + 2], step;
    *on = false;
    if (!(entries(run, rotor)[IMP_ROTOR_FREED] >= 0.0))
        return IMP_OK;
    int st = motion_series_all(run, FEW_TERMS, &step);
    if (st)
        return st;
    struct rotor_rows rows = rows_of(run, rotor);
    rate_series(run, rotor, &rows, FEW_TERMS, rate);
    rate[0] = 0.0;
    st = begins(run, which, rows.z, rate);
    for (int k = 1; k <= FEW_TERMS && !*on && rate[k] >= 0.0; k++)
        *on = rate[k] > 0.0;
    return st;
}

int
rotors_settle(struct rt *run)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->rotors.n; i++) {
        const imp_rotor *rotor = rotor_of(run, i);
        if (!(rotor->flags & IMP_ROTORF_RUBS))
            continue;
        /* one that has just given way has no rate yet, and a sign */
        bool on = true;
        double law[3];
        int st = IMP_OK;
        if (!rotors_sticks(run, i) &&
            entries(run, rotor)[IMP_ROTOR_FREED] != rt_time(run) &&
            at_rest(run, rotor))
            st = slips_on(run, i, &on);
        if (!st && !on) {
            set_held(run, rotor, true);
            set_z(run, rotor, 0.0);
        }
        if (st || (st = check_friction(run, rotor, law)))
            return st;
    }
    uint32_t worst;
    do { /* Those that friction cannot hold are let go, the worst first. */
        int st = too_weak(run, &worst);
        if (st)
            return st;
        if (worst != IMP_NO_ROTOR)
            give_way(run, worst);
    } while (worst != IMP_NO_ROTOR);
    return IMP_OK;
}

/* -- changes of a mode ----------------------------------------------------- */

/* After how long the friction that holds a rotor gives way; *holds: what is
 * known of that, which may be less than h. */
static int
stick_ends(struct rt *run, uint32_t which, int order, double h, double *holds,
           double *ends)
{
    const imp_rotor *rotor = rotor_of(run, which);
    struct rotor_rows rows = rows_of(run, rotor);
    double over[IMP_ORDER_MAX + 1], under[IMP_ORDER_MAX + 1];
    const double *hardest, *motor;
    if (torques(run, which, order - 1, &hardest, &motor))
        return IMP_FAILED;
    for (int k = 0; k < order; k++) {
        double turn = entries(run, rotor)[IMP_ROTOR_INERTIA] * (k + 1) *
                      spin_coefficient(run, rotor, &rows, k + 1);
        double needed = turn - motor[k];
        over[k] = hardest[k] - needed;
        under[k] = hardest[k] + needed;
    }
    double most = fabs(hardest[0]) + fabs(motor[0]);
    *holds = polynomial_holds(over, order - 1,
                              polynomial_holds(under, order - 1, h));
    *ends = fmin(polynomial_falls(over, order - 1, *holds, most),
                 polynomial_falls(under, order - 1, *holds, most));
    return IMP_OK;
}

/* After how long the mode of the rotor ends, within h; infinite: it does not,
 * as far as *holds, where the step is to end. */
static int
mode_ends(struct rt *run, uint32_t which, int order, double h, double *holds,
          double *ends)
{
    const imp_rotor *rotor = rotor_of(run, which);
    double rate[IMP_ORDER_MAX + 2], law[3];
    int st = check_friction(run, rotor, law);
    if (st)
        return st;
    struct rotor_rows rows = rows_of(run, rotor);
    *holds = h;
    *ends = INFINITY;
    if (rotors_sticks(run, which))
        return rotor->flags & IMP_ROTORF_STEADY &&
                       sticks_on(run, rotor, &rows, order, h,
                                 law[1] - fabs(law[2]))
                   ? IMP_OK
                   : stick_ends(run, which, order, h, holds, ends);
    if (turns_on(run, rotor, &rows, order, h))
        return IMP_OK;
    rate_series(run, rotor, &rows, order, rate);
    *ends = polynomial_falls(rate, order, h, 0.0);
    if (*ends > 0.0)
        return IMP_OK;
    st = begins(run, which, rows.z, rate);
    *ends = polynomial_falls(rate, order, h, 0.0);
    return st;
}

int
rotors_peek(struct rt *run, int order, double *end, uint32_t *which)
{
    assert(run && end && which);
    double step, now = rt_time(run), holds, ends;
    int st = motion_series_all(run, order, &step);
    *which = IMP_NO_ROTOR;
    if (st)
        return st;
    if (now + step < *end)
        *end = now + step;
    for (uint32_t i = 0; i < run->im->rotors.n; i++) {
        if (!(rotor_of(run, i)->flags & IMP_ROTORF_RUBS))
            continue;
        if ((st = mode_ends(run, i, order, *end - now, &holds, &ends)))
            return st;
        if (now + holds < *end) {
            *end = now + holds;
            *which = IMP_NO_ROTOR;
        }
        if (now + ends <= *end) {
            *end = now + ends;
            *which = i;
        }
    }
    return IMP_OK;
}

int
rotors_change(struct rt *run, uint32_t which)
{
    const imp_rotor *rotor = rotor_of(run, which);
    double step;
    if (!rotors_sticks(run, which)) { /* its rate has come to 0 */
        set_held(run, rotor, true);
        set_z(run, rotor, 0.0);
        return rotors_settle(run);
    }
    int st = motion_series_all(run, FEW_TERMS, &step);
    if (st)
        return st;
    give_way(run, which);
    return rotors_settle(run);
}
