/* SPDX-License-Identifier: MIT */
/* The state of a system that Taylor series follow. It moves along the present
 * piece; one instant of it is handed to the law of ballistic.h and taken back.
 * What comes next is the question of flow_taylor.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/choice/choice.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/instance/compensated.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/relays/relays.h"

/* An instant has the accelerations of gaps, and no higher derivatives. The
 * motion is made to one order more: where its series does not exist, the
 * parabola that stands for it is compared with what comes behind it. */
#define INSTANT_ORDER 2

void
taylor_to_env(struct flow *flow)
{
    assert(flow);
    const struct taylor_flow *taylor = flow->taylor;
    flow->run->env[flow->run->im->layout.time] = taylor->now;
    memcpy(flow->run->env + flow->sys->env_state, taylor->x,
           2 * flow->n * sizeof *taylor->x);
}

/* The state is that of env: how near to its touch the law of a contact that is
 * pressed in is asked for (contact_compliance_beside). */
static void
put_beside(struct flow *flow, uint32_t i)
{
    assert(flow && flow->taylor->friction);
    const struct taylor_flow *taylor = flow->taylor;
    uint32_t contact = flow->sys->contact + i;
    double gap[2];
    if (taylor->friction->soft[i] != CONTACT_PRESSED ||
        !contact_compliance_rough(flow->run, contact) ||
        system_gap(flow->run, flow->system, i, &gap[0], &gap[1], NULL))
        return;
    contact_compliance_beside(flow->run, contact, taylor->friction->scale[i],
                              TAYLOR_NOISE * DBL_EPSILON *
                                  taylor->terms.gap_max[i],
                              gap, switching_least(flow->run));
}

/* Tells the tapes the modes of the contacts `on` (m; NULL: none). */
static void
set_modes(struct flow *flow, const bool *on)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    for (uint32_t i = 0; i < flow->m; i++) {
        double *env =
            flow->run->env +
            rt_contact(flow->run, flow->sys->contact + i)->env_contact;
        bool closed = on && on[i] && friction->rub[i] >= 0;
        env[IMP_CONTACT_STICK] =
            closed && friction->mode[i] == CONTACT_STICK ? 1.0 : 0.0;
        env[IMP_CONTACT_SIGN] = closed ? friction_sign(friction->mode[i]) : 0.0;
        env[IMP_CONTACT_SOFT] = friction->soft[i];
        for (uint32_t k = 0; k < 2; k++)
            env[IMP_CONTACT_PUSHED + k] = friction->memory[2 * i + k];
        put_beside(flow, i);
    }
}

void
flow_set_active(struct flow *flow, const bool *on)
{
    const imp_contact *contact =
        flow->m ? rt_contact(flow->run, flow->sys->contact) : NULL;
    for (uint32_t i = 0; i < flow->m; i++)
        flow->run->env[contact[i].env_contact + IMP_CONTACT_ACTIVE] =
            on ? on[i] : 0.0;
    if (flow->taylor && flow->taylor->friction)
        set_modes(flow, on);
}

void
taylor_set_active(struct flow *flow)
{
    assert(flow);
    flow_set_active(flow, flow->taylor->contacts.closed);
}

/* The integral of a product of series up to `elapsed`, term by term: beside a
 * touch at which a law has no series, products of its coefficients are too
 * large for doubles. */
static double
work_of(const double *force, const double *slip, double elapsed)
{
    double term[2][ROW], power = 1.0, sum = 0.0;
    for (int k = 0; k < ROW; k++, power *= elapsed) {
        term[0][k] = force[k] * power;
        term[1][k] = slip[k] * power;
    }
    for (int a = ROW - 1; a >= 0; a--)
        for (int b = ROW - 1; b >= 0; b--)
            sum += term[0][a] * term[1][b] / (a + b + 1);
    return sum * elapsed;
}

/* Adds `factor` times a row, two numbers at once. */
typedef double pair __attribute__((vector_size(16)));
static inline void
add_times(double *sum, double factor, const double *row)
{
    const pair by = {factor, factor};
    int k = 0;
    for (; k + 1 < ROW; k += 2) {
        pair x, y;
        memcpy(&x, row + k, sizeof x);
        memcpy(&y, sum + k, sizeof y);
        y += by * x;
        memcpy(sum + k, &y, sizeof y);
    }
    if (k < ROW)
        sum[k] += factor * row[k];
}

/* The work of the friction of contact i, which slips, on the present piece. */
static double
slip_work(const struct friction_piece *piece, size_t i, double elapsed)
{
    const double *friction = piece->friction + i * ROW,
                 *slip = piece->slip + i * ROW;
    double power[2 * ROW] = {0}, sum = 0.0;
    for (int a = 0; a < ROW; a++)
        add_times(power + a, friction[a], slip);
    for (int k = 2 * ROW - 2; k >= 0; k--)
        sum = (sum + power[k] / (k + 1)) * elapsed;
    return isfinite(sum) ? sum : work_of(friction, slip, elapsed);
}

void
friction_tell_stored(struct flow *flow, double t)
{
    assert(flow);
    const struct taylor_flow *taylor = flow->taylor;
    for (uint32_t i = 0; i < flow->m; i++) {
        const imp_contact *contact =
            rt_contact(flow->run, flow->sys->contact + i);
        double *told =
                   flow->run->env + contact->env_contact + IMP_CONTACT_STORED,
               gap = flow->instant.gap[i];
        if (!(contact->flags & IMP_CONTACTF_STORED))
            continue;
        *told = 0.0;
        if (taylor->next.known)
            gap = polynomial_value(taylor->piece.gap + i * ROW,
                                   MOTION_STEP_ORDER, t - taylor->now);
        if (taylor->friction->soft[i] == CONTACT_PRESSED ||
            friction_held(flow, i))
            contact_compliance_energy(flow->run, flow->sys->contact + i, gap,
                                      told);
    }
}

void
friction_work(const struct flow *flow, double elapsed, double *work)
{
    assert(flow);
    const struct taylor_flow *taylor = flow->taylor;
    struct friction_worked *worked = &taylor->friction->worked;
    bool known = worked->elapsed == elapsed;
    for (uint32_t i = 0; i < flow->m; i++) {
        if (!taylor->contacts.closed[i] ||
            !friction_slips(taylor->friction->mode[i]))
            continue;
        if (!known)
            worked->sum[i] = slip_work(&taylor->friction->piece, i, elapsed);
        work[i] += worked->sum[i];
    }
    worked->elapsed = elapsed;
}

/* Adds the normal impulses of slips, `elapsed` from the beginning of the piece.
 */
static void
pass_impulses(struct flow *flow, double elapsed)
{
    struct taylor_flow *taylor = flow->taylor;
    for (uint32_t i = 0; i < flow->m; i++) {
        double sum = 0.0;
        if (!taylor->contacts.closed[i] ||
            !friction_slips(taylor->friction->mode[i]))
            continue;
        for (int k = MOTION_STEP_ORDER; k >= 0; k--)
            sum = (sum + taylor->piece.force[i * ROW + (uint32_t)k] / (k + 1)) *
                  elapsed;
        taylor->friction->watch.pushed[i] += sum;
    }
}

/* -- what contacts remember that yield ----------------------------------------
 * The impulse along the normal since they touched, and the part of it that came
 * while they were pressed in. Both are rows of the modal tape
 * (imp_system.n_memory), so laws may read them as they read depth and speed. */

void
friction_memory_expand(struct flow *flow)
{
    assert(flow && flow->taylor->friction);
    flow->taylor->friction->worked.elapsed = NAN;
    double *to = flow->taylor->friction->piece.memory;
    uint32_t next = 0;
    for (uint32_t i = 0; i < flow->m; i++, to += 2 * ROW) {
        if (!(rt_contact(flow->run, flow->sys->contact + i)->flags &
              IMP_CONTACTF_REMEMBERS))
            continue;
        const double *row = system_memory_row(flow->run, flow->system, next++);
        for (int k = 0; k < 2; k++)
            memcpy(to + k * ROW, row + k * IMP_ROW_STRIDE + IMP_ROW_PAD,
                   ROW * sizeof *to);
    }
}

/* The memory goes on by `elapsed` on the piece. */
static void
friction_memory_pass(struct flow *flow, double elapsed)
{
    assert(flow && elapsed >= 0.0);
    struct taylor_friction *friction = flow->taylor->friction;
    if (flow->sys->n_memory == 0)
        return;
    for (size_t k = 0; k < 2 * (size_t)flow->m && elapsed > 0.0; k++)
        friction->memory[k] +=
            elapsed * polynomial_value(friction->piece.memory + k * ROW + 1,
                                       MOTION_STEP_ORDER - 1, elapsed);
}

void
friction_memory_tell(struct flow *flow, double t)
{
    assert(flow);
    const struct taylor_flow *taylor = flow->taylor;
    const double *row = taylor->friction->piece.memory;
    for (uint32_t i = 0; i < flow->m; i++)
        for (uint32_t k = 0; k < 2; k++, row += ROW) {
            const imp_contact *contact =
                rt_contact(flow->run, flow->sys->contact + i);
            double more = 0.0, elapsed = t - taylor->now;
            if (!(contact->flags & IMP_CONTACTF_REMEMBERS))
                continue;
            if (taylor->next.known && elapsed > 0.0)
                more = elapsed * polynomial_value(
                                     row + 1, MOTION_STEP_ORDER - 1, elapsed);
            flow->run->env[contact->env_contact + IMP_CONTACT_IMPULSE + k] =
                taylor->friction->memory[2 * i + k] + more;
        }
}

/* -- the present piece ------------------------------------------------------
 */

/* A compliant contact goes on by `elapsed`: its gap and rate are rounded as the
 * greatest of their terms on the way. */
static void
sizes_on_the_way(struct flow *flow, uint32_t i, double elapsed)
{
    struct taylor_flow *taylor = flow->taylor;
    const double *gap = taylor->piece.gap + i * ROW;
    double rate[ROW];
    if (!friction_soft(flow, i) || !(elapsed > 0.0))
        return;
    int n = polynomial_derivative(gap, MOTION_STEP_ORDER, rate);
    taylor->terms.gap_max[i] =
        fmax(taylor->terms.gap_max[i],
             polynomial_size(gap, MOTION_STEP_ORDER, elapsed));
    taylor->terms.rate_max[i] =
        fmax(taylor->terms.rate_max[i], polynomial_size(rate, n, elapsed));
}

bool
friction_is_brief(const struct flow *flow, double elapsed)
{
    assert(flow && elapsed >= 0.0);
    return elapsed <= FRICTION_TICKS * DBL_EPSILON * fabs(flow->taylor->now);
}

/* The state goes on by `elapsed` on the present piece: notes the work of
 * friction, the forces there and the sizes of the rates. */
static void
pass_friction(struct flow *flow, double elapsed)
{
    const struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    friction_work(flow, elapsed, friction->work);
    pass_impulses(flow, elapsed);
    friction_memory_pass(flow, elapsed);
    for (uint32_t i = 0; i < flow->m; i++)
        sizes_on_the_way(flow, i, elapsed);
    friction->elapsed = elapsed;
    for (uint32_t i = 0; i < flow->m && elapsed > 0.0; i++) {
        double size = taylor->contacts.closed[i]
                          ? polynomial_size(taylor->piece.force + i * ROW,
                                            MOTION_STEP_ORDER, elapsed)
                          : 0.0;
        friction->n_size[i] = friction_is_brief(flow, elapsed)
                                  ? fmax(size, friction->n_size[i])
                                  : size;
    }
    for (uint32_t i = 0; i < flow->m && taylor->next.known; i++) {
        if (friction->rub[i] < 0 || !taylor->contacts.closed[i])
            continue;
        friction->normal_now[i] = polynomial_value(
            taylor->piece.force + i * ROW, MOTION_STEP_ORDER, elapsed);
        friction->tangential_now[i] = polynomial_value(
            friction->piece.friction + i * ROW, MOTION_STEP_ORDER, elapsed);
    }
    for (uint32_t j = 0; j < flow->n && elapsed > 0.0; j++) {
        const double *c = taylor->piece.state + (flow->n + j) * ROW;
        double size = 0.0;
        for (int k = MOTION_STEP_ORDER; k >= 0; k--)
            size = size * elapsed + fabs(c[k]);
        friction->v_size[j] = size;
    }
}

/* The same of the slip of a point that sticks. */
static void
hold_slip_terms(struct flow *flow, uint32_t i, double length)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    size_t at = (size_t)i * ROW, row = 2 * (size_t)i + 1;
    const double *W = friction->rows.W + row * 2 * (size_t)flow->m,
                 *force = flow->taylor->piece.force + at;
    double tangential = polynomial_size(friction->piece.friction + at,
                                        MOTION_STEP_ORDER, length),
           normal = polynomial_size(force, MOTION_STEP_ORDER, length),
           load = friction->rows.terms[row] + W[row] * tangential +
                  fabs(W[row - 1]) * normal,
           *held = flow->taylor->terms.slip_held + i;
    *held = fmax(*held, load * length);
}

void
taylor_hold_terms(struct flow *flow, uint32_t i, double length)
{
    assert(flow && i < flow->m && length >= 0.0);
    struct taylor_flow *taylor = flow->taylor;
    if (!taylor->contacts.closed[i])
        return;
    double load = taylor->friction ? taylor->friction->rows.terms[2 * (size_t)i]
                                   : taylor->instant->matrices.gap_acc_terms[i];
    double *gap = taylor->terms.gap_held + i,
           *rate = taylor->terms.rate_held + i;
    *rate = fmax(*rate, load * length);
    *gap = fmax(*gap, load * length * length);
    if (taylor->friction && taylor->friction->mode[i] == CONTACT_STICK)
        hold_slip_terms(flow, i, length);
}

void
taylor_advance(struct flow *flow, double time)
{
    assert(time >= flow->taylor->now);
    struct taylor_flow *taylor = flow->taylor;
    double s = time - taylor->now, *x = taylor->x, *lo = taylor->lo;
    if (taylor->friction)
        pass_friction(flow, s);
    for (uint32_t i = 0; i < flow->m; i++)
        taylor_hold_terms(flow, i, s);
    for (uint32_t j = 0; j < 2 * flow->n; j++) {
        const double *c = taylor->piece.state + j * ROW;
        double d = 0.0;
        for (int k = taylor->piece.order; k >= 1; k--)
            d = (d + c[k]) * s;
        state_add(&x[j], &lo[j], d);
    }
    taylor->now = time;
    taylor->next.known = false;
}

void
taylor_take_back(struct flow *flow)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    double *x = taylor->x, *lo = taylor->lo;
    ballistic_state(taylor->instant, flow->q, flow->v);
    for (uint32_t j = 0; j < flow->n; j++) {
        if (flow->q[j] != x[j]) {
            x[j] = flow->q[j];
            lo[j] = 0.0;
        }
        x[flow->n + j] = flow->v[j];
        lo[flow->n + j] = 0.0;
    }
    for (uint32_t i = 0; i < flow->m; i++) {
        taylor->contacts.closed[i] = taylor->instant->mode.persistent[i];
        taylor->contacts.opening[i] = taylor->instant->just_hit[i];
    }
    taylor_set_active(flow);
}

void
taylor_refresh(struct taylor_flow *taylor, const bool *fresh, uint32_t m)
{
    for (uint32_t i = 0; i < m; i++)
        taylor->contacts.opening[i] |= fresh[i] && !taylor->contacts.closed[i];
}

int
taylor_no_mass(struct flow *flow)
{
    assert(flow);
    struct rt *run = flow->run;
    char time_text[NUM_TEXT];
    struct diag *diag = diag_add(run->ds, DIAG_E0546, flow->sys->range_mass,
                                 "the mass matrix of `%s` is not positive "
                                 "definite at t = %s",
                                 imp_text(run->im, flow->sys->name),
                                 rt_told(time_text, flow->taylor->now, 9));
    diag_help(run->ds, diag,
              "every motion of the coordinates must have kinetic energy; look "
              "at the signs of the terms and at the values of params");
    return IMP_FAILED;
}

/* A piece leaves roundings of the terms of a gap, of what the force of a
 * contact holds it from, and of places that are 0. More than this share of the
 * terms, and than the tolerance of verdicts, is none. */
#define PLACE_OFF 0x1p-20

static bool
is_off(const struct flow *flow, uint32_t i)
{
    const struct taylor_flow *taylor = flow->taylor;
    double off = fabs(flow->instant.gap[i]);
    return taylor->contacts.closed[i] && !friction_soft(flow, i) &&
           off > RT_TOLERANCE &&
           off > PLACE_OFF *
                     (taylor->terms.gap_max[i] + taylor->terms.gap_held[i]);
}

int
taylor_has_place(struct flow *flow)
{
    assert(flow);
    struct rt *run = flow->run;
    char time_text[NUM_TEXT];
    uint32_t off = 0;
    while (off < flow->m && !is_off(flow, off))
        off++;
    if (off == flow->m)
        return IMP_OK;
    const imp_contact *contact = rt_contact(run, flow->sys->contact + off);
    struct diag *diag =
        diag_add(run->ds, DIAG_E0603, contact->range,
                 "the motion of `%s` cannot be continued beyond t = %s: this "
                 "contact and others that are closed leave it no place",
                 imp_text(run->im, flow->sys->name),
                 rt_told(time_text, flow->taylor->now, 9));
    diag_help(run->ds, diag,
              "their gaps cannot all be 0 there, as between walls that come "
              "together: let what moves them stop before, or give way");
    return IMP_FAILED;
}

int
taylor_free_instant(struct flow *flow)
{
    assert(flow);
    struct rt *run = flow->run;
    double h;
    taylor_to_env(flow);
    taylor_set_active(flow);
    int st = flow->taylor->relays ? taylor_relays_settle(flow) : IMP_OK;
    bool freeze = flow->taylor->relays && system_slides(run, flow->system);
    flow_set_active(flow, NULL);
    if (freeze)
        relays_freeze(run, flow->sys->block);
    if (!st)
        st = motion_series(run, flow->sys->block, INSTANT_ORDER + 1, &h);
    if (freeze)
        relays_thaw(run, flow->sys->block);
    taylor_set_active(flow);
    bool known = flow->taylor->looked_at;
    flow->taylor->looked_at = false;
    if (st || (!known && (st = flow_instant(flow))))
        return st;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + flow->sys->block;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    for (uint32_t j = 0; j < flow->n; j++)
        flow->instant.acc[j] =
            run->rows.block[flow->sys->block]
                           [(size_t)row[flow->n + j] * IMP_ROW_STRIDE +
                            IMP_ROW_PAD + 1];
    return IMP_OK;
}

/* What rounding leaves of the coefficients of a gap (m/s^k), or of a length
 * that a point slips, whose acceleration is a sum of terms of size `terms`:
 * what it takes from these goes to later orders as fast as they grow. */
static void
still_later(const double *length, double terms, double *still)
{
    for (int k = 3; k <= CHOICE_LATER_MOST; k++) {
        double pace = 0.0;
        for (int j = k; j <= CHOICE_LATER_MOST && terms > 0.0; j++)
            pace = fmax(pace, pow(fabs(length[j]) / terms, 1.0 / (j - 2)));
        still[k] = TAYLOR_NOISE * DBL_EPSILON * terms * pow(pace, k - 2);
    }
}

/* The series of gap and slip of n contacts without forces of contacts, and what
 * of them is rounding. */
static int
later_series(struct flow *flow, const int *contact, int n,
             struct choice_later *out)
{
    struct rt *run = flow->run;
    const struct taylor_friction *friction = flow->taylor->friction;
    const double **gap = NEW_N(run->brief, const double *, 4 * (size_t)n + 1),
                 **slip = gap + n, **still = slip + n, **rests = still + n;
    int st = system_series(run, flow->system, CHOICE_LATER_MOST);
    for (int k = 0; k < n && !st; k++) {
        uint32_t i = (uint32_t)contact[k];
        double *row = NEW_N(run->brief, double, 4 * ROW), *rate = row + ROW,
               length[ROW] = {0.0};
        st = system_gap_series(run, flow->system, i, CHOICE_LATER_MOST, row);
        if (friction->rub[i] >= 0)
            slip[k] =
                memcpy(rate,
                       system_rub(run, flow->system, (uint32_t)friction->rub[i],
                                  SYSTEM_RUB_SLIP),
                       ROW * sizeof *rate);
        for (int order = 1; order <= CHOICE_LATER_MOST; order++)
            length[order] = rate[order - 1] / order;
        gap[k] = row;
        still[k] = row + 2 * ROW;
        rests[k] = row + 3 * ROW;
        still_later(row, friction->rows.terms[2 * i], row + 2 * ROW);
        still_later(length, friction->rows.terms[2 * i + 1], row + 3 * ROW);
    }
    *out = (struct choice_later){n, 3, gap, still, rests, slip};
    return st;
}

int
friction_presses_later(struct flow *flow, const int *contact, int n,
                       struct friction_instant *instant, bool *grows)
{
    assert(flow && flow->taylor->friction && contact && instant && grows);
    struct rt *run = flow->run;
    struct choice_later later;
    bool freeze = flow->taylor->relays && system_slides(run, flow->system);
    taylor_to_env(flow);
    flow_set_active(flow, NULL);
    if (freeze)
        relays_freeze(run, flow->sys->block);
    int st = later_series(flow, contact, n, &later);
    if (freeze)
        relays_thaw(run, flow->sys->block);
    taylor_set_active(flow);
    *grows = false;
    if (st)
        return st == IMP_NONFINITE ? IMP_OK : st;
    size_t rows = 2 * (size_t)n;
    double *free = NEW_N(run->brief, double, 2 * rows + 1),
           *terms = free + rows;
    memcpy(free, instant->free, rows * sizeof *free);
    memcpy(terms, instant->terms, rows * sizeof *terms);
    *grows =
        choice_presses_later(run->brief, &later, instant->point, free, terms);
    if (*grows) {
        instant->free = free;
        instant->terms = terms;
    }
    return IMP_OK;
}

int
taylor_instant_on(struct flow *flow, const bool *on)
{
    assert(flow && on);
    struct taylor_flow *taylor = flow->taylor;
    double *state = taylor->x;
    struct ballistic_model model = flow_model(flow);
    int st = IMP_OK;
    if (!taylor->instant &&
        ballistic_new(flow->run->arena, &model, &taylor->instant))
        st = 1;
    else
        st = ballistic_instant(taylor->instant, &model, taylor->now, state,
                               state + flow->n, on);
    if (!st) {
        taylor->instant->policy = flow->policy;
        taylor->instant->law = flow->law;
        return IMP_OK;
    }
    return taylor_no_mass(flow);
}

int
taylor_instant(struct flow *flow, const bool *on)
{
    assert(on != NULL);
    struct rt *run = flow->run;
    double gap[ROW];
    int st = taylor_free_instant(flow);
    if (st)
        return st;
    for (uint32_t i = 0; i < flow->m; i++) {
        if ((st = system_gap_series(run, flow->system, i, INSTANT_ORDER, gap)))
            return st;
        flow->instant.bias[i] = 2.0 * gap[2];
        for (uint32_t j = 0; j < flow->n; j++)
            flow->instant.bias[i] -=
                flow->instant.N[(size_t)i * flow->n + j] * flow->instant.acc[j];
    }
    return taylor_instant_on(flow, on);
}

/* -- what a contact is now, for others ------------------------------------
 */

/* The rounding of the acceleration of a gap is below this many roundings of its
 * terms. */
#define PRESS_NOISE 64.0

static void
contact_with_friction(const struct flow *flow, uint32_t i,
                      struct flow_contact *out)
{
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    size_t N = 2 * (size_t)i;
    *out = (struct flow_contact){
        .closed = flow->taylor->contacts.closed[i],
        .rate = rows->speed[N],
        .approach = flow->taylor->friction->approach[i],
        .e = flow->instant.e[i],
        .W = rows->W[N * (2 * (size_t)flow->m + 1)],
        .pressed =
            fabs(rows->free[N]) > PRESS_NOISE * DBL_EPSILON * rows->terms[N]};
}

void
flow_contact_read(const struct flow *flow, uint32_t i, struct flow_contact *out)
{
    assert(flow && flow->taylor && out && i < flow->m);
    if (flow->taylor->friction) {
        contact_with_friction(flow, i, out);
        return;
    }
    const struct ballistic *instant = flow->taylor->instant;
    const struct contact_matrices *matrices = &instant->matrices;
    double free = 0.0, terms = 0.0;
    for (uint32_t j = 0; j < flow->n; j++) {
        double term =
            instant->model.N[(size_t)i * flow->n + j] * instant->model.acc[j];
        free += term;
        terms += fabs(term);
    }
    *out = (struct flow_contact){
        .closed = instant->mode.persistent[i],
        .rate = instant->rate[i],
        .e = instant->model.e[i],
        .W = matrices->W[i * (flow->m + 1)],
        .pressed = matrices->gap_acc[i] != 0.0 &&
                   fabs(free) > PRESS_NOISE * DBL_EPSILON * terms};
    for (uint32_t k = 0; k < flow->last.n_contacts; k++)
        if (flow->last.contacts[k] == flow->sys->contact + i)
            out->approach = flow->last.impulse[k] * out->W / (1.0 + out->e);
}

double
taylor_pushed(const struct flow *flow, uint32_t j)
{
    assert(flow && j < flow->n);
    const struct taylor_flow *taylor = flow->taylor;
    double push = 0.0;
    const struct taylor_friction *friction = taylor->friction;
    for (uint32_t i = 0; i < flow->m && friction; i++)
        if (taylor->contacts.closed[i])
            push += fabs(friction->normal[i] *
                         friction->rows.B[2 * (size_t)i * flow->n + j]) +
                    fabs(friction->tangential[i] *
                         friction->rows.B[(2 * (size_t)i + 1) * flow->n + j]);
    for (uint32_t i = 0; i < flow->m && taylor->instant; i++)
        if (taylor->contacts.closed[i])
            push += fabs(system_force(flow->run, flow->system, i)[0] *
                         taylor->instant->matrices.B[(size_t)i * flow->n + j]);
    return push;
}

/* -- relays ---------------------------------------------------------------- */

/* What is left of a rate that a relay takes to 0 is rounding within this share
 * of it. */
#define RELAY_REST 0x1p-33

int
taylor_relays_settle(struct flow *flow)
{
    assert(flow && flow->taylor->relays);
    struct taylor_flow *taylor = flow->taylor;
    double *change = taylor->relays;
    int st = relays_settle(flow->run, flow->sys->block,
                           switching_least(flow->run), change);
    bool any = false;
    for (uint32_t j = 0; j < 2 * flow->n && change && !st; j++) {
        if (change[j] == 0.0)
            continue;
        any = true;
        taylor->x[j] += taylor->lo[j] + change[j];
        taylor->lo[j] = 0.0;
        if (fabs(taylor->x[j]) <= RELAY_REST * fabs(change[j]))
            taylor->x[j] = 0.0;
    }
    if (any)
        taylor_to_env(flow);
    return st;
}
