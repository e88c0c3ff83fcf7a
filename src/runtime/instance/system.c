/* SPDX-License-Identifier: MIT */
/* See system.h. The forces of closed contacts are the unknowns of the implicit
 * block of the modal tape. The equations are linear, so one solution at order
 * 0 is exact up to rounding, and a second one corrects it. */
#include "runtime/instance/system.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/relays.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/numerics/factors.h"
#include "runtime/tape/cancelled.h"
#include "runtime/tape/eval.h"
#include "runtime/tape/functions.h"

/* the most sets of rows that a block has (runtime/derivatives, crossing.c), and
 * one more */
#define SLID_MOST 4

struct system_run {
    double *work;    /* rows of the modal tape */
    double *lambda;  /* u: m normal forces, then friction where there is any */
    double *out;     /* residual u, Jacobian u x u, which is factored there */
    double *factors; /* u x u: kept while the residual is made again */
    double *step;    /* u */
    int *piv;
    double *gap;     /* of one contact: gap, rate, gradient */
    double *felt;    /* 3n rows: system_felt; NULL without observers */
    uint32_t n_felt; /* so many of these, the first ones, are read */
    double *memory;  /* 2 n_memory rows */
    /* the relays of the block, NULL without any beside contacts; do they take
     * part now? Rows of their modal tape, and those of system_relays_aside. */
    const imp_relays *relays;
    bool joined;
    double *joined_work, *joined_aside;
    /* are there powers of rates that may cancel (cancelled.h) in what is solved
     * without and with the relays? */
    bool powers, joined_powers;
    /* rows of the block that may hold a series of the modal tape: a block may
     * have other rows for a while, and those that were put aside keep theirs */
    const double *slid[SLID_MOST];
    uint32_t n_slid;
};

uint32_t
system_of_block(const struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    for (uint32_t s = 0; s < run->im->systems.n; s++)
        if (rt_system(run, s)->block == block ||
            rt_system(run, s)->observer == block)
            return s;
    return IMP_NO_SYSTEM;
}

/* The tapes beside closed contacts: with relays, while these take part. */
struct modal {
    uint32_t tape, solve;
    imp_ref rows;
    int n; /* unknowns */
    bool general, powers;
    double *work;
};

static struct modal
modal_of(const struct rt *run, uint32_t system)
{
    const imp_system *sys = rt_system(run, system);
    const struct system_run *own = run->system + system;
    int n = (int)(sys->n_contact + sys->n_rub);
    if (!own->joined)
        return (struct modal){.tape = sys->modal,
                              .solve = sys->solve,
                              .rows = sys->rows,
                              .n = n,
                              .general = sys->n_rub != 0,
                              .powers = own->powers,
                              .work = own->work};
    return (struct modal){.tape = own->relays->modal,
                          .solve = own->relays->solve,
                          .rows = own->relays->modal_rows,
                          .n = n + (int)own->relays->n,
                          .general = true,
                          .powers = own->joined_powers,
                          .work = own->joined_work};
}

/* Row number i of its outputs. */
static const double *
modal_row(const struct rt *run, uint32_t system, uint32_t i)
{
    struct modal modal = modal_of(run, system);
    const uint32_t *row = IMP_ARRAY(run->im, modal.rows, uint32_t);
    assert(i < modal.rows.n);
    return modal.work + (size_t)row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

/* How many rows of what observers feel a tape reads: the last one, and all
 * before it. */
static uint32_t
felt_by_tape(const struct rt *run, uint32_t tape)
{
    uint32_t most = 0;
    if (tape == IMP_NO_TAPE)
        return 0;
    const imp_ref code = rt_tape(run, tape)->code;
    const imp_instr *in = IMP_ARRAY(run->im, code, imp_instr);
    for (uint32_t i = 0; i < code.n; i++)
        if (in[i].op == IMP_OP_ROW && in[i].a == SYSTEM_FELT_SOURCE &&
            in[i].b >= most)
            most = in[i].b + 1;
    return most;
}

/* The same of all formulas of a block of observers. */
static uint32_t
felt_by_block(const struct rt *run, uint32_t block)
{
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    uint32_t motion = felt_by_tape(run, of->motion),
             guard = felt_by_tape(run, of->guard),
             most = motion > guard ? motion : guard;
    if (of->relays.n == 0)
        return most;
    uint32_t held =
        felt_by_tape(run, IMP_ARRAY(run->im, of->relays, imp_relays)->tape);
    return held > most ? held : most;
}

struct system_run *
system_new(struct rt *run)
{
    assert(run);
    uint32_t n = run->im->systems.n;
    struct system_run *own = NEW_N(run->own, struct system_run, n + 1);
    for (uint32_t which = 0; which < n; which++) {
        const imp_system *sys = rt_system(run, which);
        size_t n_unknown = (size_t)sys->n_contact + sys->n_rub;
        const imp_block *block =
            IMP_ARRAY(run->im, run->im->blocks, imp_block) + sys->block;
        const imp_relays *relays =
            block->relays.n ? IMP_ARRAY(run->im, block->relays, imp_relays)
                            : NULL;
        own[which].gap = NEW_N(run->own, double, sys->n + 5);
        if (sys->observer != IMP_NO_BLOCK) {
            own[which].felt =
                NEW_N(run->own, double, system_felt_size(sys) + 1);
            own[which].n_felt = felt_by_block(run, sys->observer);
        }
        own[which].memory = NEW_N(
            run->own, double, 2 * (size_t)sys->n_memory * IMP_ROW_STRIDE + 1);
        if (sys->modal == IMP_NO_TAPE)
            continue;
        const imp_tape *tape =
            IMP_ARRAY(run->im, run->im->tapes, imp_tape) + sys->modal;
        own[which].work =
            NEW_N(run->own, double, (tape->n_rows + 1) * IMP_ROW_STRIDE);
        own[which].powers = cancelled_may(run->im, rt_tape(run, sys->solve));
        size_t n_local = n_unknown;
        if (relays && relays->modal != IMP_NO_TAPE) {
            own[which].relays = relays;
            own[which].joined_powers =
                cancelled_may(run->im, rt_tape(run, relays->solve));
            size_t size =
                (rt_tape(run, relays->modal)->n_rows + 1) * IMP_ROW_STRIDE;
            own[which].joined_work = NEW_N(run->own, double, size);
            own[which].joined_aside = NEW_N(run->own, double, size);
            n_unknown += relays->n;
            n_local = n_unknown + 2 * (size_t)relays->n;
        }
        own[which].lambda = NEW_N(run->own, double, n_local + 1);
        own[which].step = NEW_N(run->own, double, n_unknown + 1);
        own[which].out =
            NEW_N(run->own, double, n_unknown *(n_unknown + 1) + 1);
        own[which].factors = NEW_N(run->own, double, n_unknown *n_unknown + 1);
        own[which].piv = NEW_N(run->own, int, n_unknown + 1);
    }
    return own;
}

static double *
active(const struct rt *run, uint32_t contact)
{
    return run->env + rt_contact(run, contact)->env_contact +
           IMP_CONTACT_ACTIVE;
}

bool
system_holds(const struct rt *run, uint32_t system, uint32_t i)
{
    const imp_system *sys = rt_system(run, system);
    assert(i < sys->n_contact);
    return *active(run, sys->contact + i) != 0.0 ||
           run->env[rt_contact(run, sys->contact + i)->env_contact +
                    IMP_CONTACT_SOFT] == CONTACT_PRESSED;
}

bool
system_slides(const struct rt *run, uint32_t system)
{
    assert(system < run->im->systems.n);
    for (uint32_t i = 0; i < rt_system(run, system)->n_contact; i++)
        if (system_holds(run, system, i))
            return true;
    return false;
}

/* The Jacobian of friction is not symmetric. */
static int
factor(const struct modal *modal, double *jacobian, int *piv)
{
    return modal->general ? imp_rank_factor(modal->n, jacobian, piv)
                          : imp_ldlt_factor(modal->n, jacobian, piv);
}

/* Makes residual and Jacobian at lambda; the latter does not depend on it, so
 * it is factored in the first of two rounds. cancels: steep powers of sums of
 * rates that cancel are 0; IMP_NONFINITE: there are none. */
static int
residual(struct rt *run, const struct modal *modal, struct system_run *own,
         int round, bool cancels)
{
    int n = modal->n;
    double *jacobian = own->out + n;
    size_t size = (size_t)(n * n) * sizeof *jacobian;
    if (round > 0)
        memcpy(own->factors, jacobian, size);
    int st = cancels ? eval_tape_cancelled(run->im, rt_tape(run, modal->solve),
                                           run->env, own->lambda, own->out)
                     : rt_eval(run, modal->solve, own->lambda, own->out);
    if (st && cancels)
        return st;
    if (st == IMP_NONFINITE) {
        rt_nonfinite(run, modal->solve, own->lambda);
        return IMP_FAILED;
    }
    if (round > 0)
        memcpy(jacobian, own->factors, size);
    else if (!st && factor(modal, jacobian, own->piv))
        st = IMP_NONFINITE;
    return st;
}

static int
solve(struct rt *run, const struct modal *modal, struct system_run *own,
      bool cancels)
{
    int n_unknown = modal->n;
    double *jacobian = own->out + n_unknown;
    memset(own->lambda, 0, (size_t)n_unknown * sizeof *own->lambda);
    for (int round = 0; round < 2; round++) {
        int st = residual(run, modal, own, round, cancels);
        if (st)
            return st;
        for (int i = 0; i < n_unknown; i++)
            own->step[i] = -own->out[i];
        if (modal->general)
            imp_rank_solve(n_unknown, jacobian, own->piv, own->step);
        else
            imp_ldlt_solve(n_unknown, jacobian, own->piv, own->step);
        for (int i = 0; i < n_unknown; i++)
            own->lambda[i] += own->step[i];
    }
    return IMP_OK;
}

/* The memory of contacts along the motion: by the modal tape (`slides`), or as
 * it is, while nothing is pressed in. */
static void
keep_memory(struct rt *run, uint32_t system, bool slides)
{
    const imp_system *sys = rt_system(run, system);
    if (sys->n_memory == 0)
        return;
    struct system_run *own = run->system + system;
    size_t next = 0, first = 2 * (size_t)sys->n + sys->n_contact +
                             4 * (size_t)sys->n_rub + sys->n_soft;
    for (uint32_t i = 0; i < sys->n_contact; i++) {
        const imp_contact *contact = rt_contact(run, sys->contact + i);
        if (!(contact->flags & IMP_CONTACTF_REMEMBERS))
            continue;
        for (uint32_t k = 0; k < 2; k++, next++) {
            double *to = own->memory + next * IMP_ROW_STRIDE;
            memset(to, 0, IMP_ROW_STRIDE * sizeof *to);
            if (slides)
                memcpy(to + IMP_ROW_PAD,
                       modal_row(run, system, (uint32_t)(first + next)),
                       (IMP_ROW_STRIDE - IMP_ROW_PAD) * sizeof *to);
            else
                to[IMP_ROW_PAD] =
                    run->env[contact->env_contact + IMP_CONTACT_PUSHED + k];
        }
    }
}

/* These rows may hold a series of the modal tape now. */
static void
note_slid(struct system_run *own, const double *rows)
{
    for (uint32_t i = 0; i < own->n_slid; i++)
        if (own->slid[i] == rows)
            return;
    assert(own->n_slid < SLID_MOST);
    own->slid[own->n_slid++] = rows;
}

/* These rows will hold none any more. Did they? */
static bool
clear_slid(struct system_run *own, const double *rows)
{
    for (uint32_t i = 0; i < own->n_slid; i++)
        if (own->slid[i] == rows) {
            own->slid[i] = own->slid[--own->n_slid];
            return true;
        }
    return false;
}

/* system_series; rest: of rows of the modal tape (NULL: nothing rests). */
static int
series(struct rt *run, uint32_t system, int order,
       const struct series_rest *rest)
{
    const imp_system *sys = rt_system(run, system);
    struct system_run *own = run->system + system;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + sys->block;
    struct modal modal = modal_of(run, system);
    const uint32_t *from = IMP_ARRAY(run->im, modal.rows, uint32_t);
    const uint32_t *to = IMP_ARRAY(run->im, block->rows, uint32_t);
    int st =
        rest || !modal.powers ? IMP_NONFINITE : solve(run, &modal, own, true);
    if (!st)
        st = rt_series_cancelled(run, modal.tape, own->lambda, NULL, modal.work,
                                 order);
    bool cancels = st == IMP_OK;
    if (!cancels && (st = solve(run, &modal, own, false)))
        return st;
    st = cancels ? IMP_OK
         : rest
             ? rt_series_resting(run, modal.tape, own->lambda, NULL, modal.work,
                                 order, rest)
             : rt_series(run, modal.tape, own->lambda, NULL, modal.work, order);
    note_slid(own, run->rows.block[sys->block]);
    /* of a series that is not finite the first orders may be */
    for (uint32_t i = 0;
         i < 2 * sys->n && (st == IMP_OK || st == IMP_NONFINITE); i++)
        memcpy(run->rows.block[sys->block] + (size_t)to[i] * IMP_ROW_STRIDE,
               modal.work + (size_t)from[i] * IMP_ROW_STRIDE,
               IMP_ROW_STRIDE * sizeof(double));
    if (st == IMP_OK)
        keep_memory(run, system, true);
    return st;
}

int
system_series(struct rt *run, uint32_t system, int order)
{
    assert(system < run->im->systems.n);
    return series(run, system, order, NULL);
}

int
system_series_resting(struct rt *run, uint32_t system, int order,
                      const bool *rests, double *left)
{
    assert(system < run->im->systems.n && rests && left);
    const imp_system *sys = rt_system(run, system);
    struct modal modal = modal_of(run, system);
    const uint32_t *row = IMP_ARRAY(run->im, modal.rows, uint32_t);
    size_t n_rows = rt_tape(run, modal.tape)->n_rows;
    struct series_rest rest = {
        NEW_N(run->brief, bool, n_rows + 1),
        NEW_N(run->brief, double, (n_rows + 1) * IMP_ROW_STRIDE), order};
    for (uint32_t i = 0; i < 2 * sys->n; i++)
        rest.row[row[i]] = rests[i];
    int st = series(run, system, order, &rest);
    for (uint32_t i = 0; i < 2 * sys->n; i++)
        memcpy(left + (size_t)i * IMP_ROW_STRIDE,
               rest.left + (size_t)row[i] * IMP_ROW_STRIDE,
               IMP_ROW_STRIDE * sizeof *left);
    return st;
}

void
system_relays_aside(const struct rt *run, uint32_t system)
{
    assert(system < run->im->systems.n);
    struct system_run *own = run->system + system;
    double *work = own->joined_work;
    own->joined_work = own->joined_aside;
    own->joined_aside = work;
}

void
system_series_nonfinite(struct rt *run, uint32_t system, int order)
{
    assert(system < run->im->systems.n);
    const struct system_run *own = run->system + system;
    struct modal modal = modal_of(run, system);
    rt_nonfinite_series(run, modal.tape, own->lambda, NULL, modal.work, order);
}

void
system_series_cut(struct rt *run, uint32_t system, int from, int to)
{
    assert(from >= 1 && to <= IMP_ORDER_MAX);
    struct modal modal = modal_of(run, system);
    uint32_t n_rows = rt_tape(run, modal.tape)->n_rows;
    for (uint32_t i = 0; i < n_rows; i++)
        for (int k = from; k <= to; k++)
            modal.work[(size_t)i * IMP_ROW_STRIDE + IMP_ROW_PAD + (size_t)k] =
                0.0;
}

uint32_t
system_n_forces(const struct rt *run, uint32_t system)
{
    const imp_system *sys = rt_system(run, system);
    return sys->n_contact + 4 * sys->n_rub;
}

bool
system_force_is_slip(const struct rt *run, uint32_t system, uint32_t row)
{
    uint32_t first = rt_system(run, system)->n_contact;
    return row >= first && (row - first) % 4 == SYSTEM_RUB_SLIP;
}

void
system_forces(const struct rt *run, uint32_t system, double *out)
{
    assert(run && out);
    uint32_t first = 2 * rt_system(run, system)->n;
    for (uint32_t i = 0; i < system_n_forces(run, system); i++)
        out[i] = modal_row(run, system, first + i)[0];
}

void
system_forces_through(struct rt *run, uint32_t system, double step,
                      const double *halfway, const double *end)
{
    assert(run && step > 0.0 && halfway && end);
    struct modal modal = modal_of(run, system);
    const uint32_t *row = IMP_ARRAY(run->im, modal.rows, uint32_t) +
                          2 * (size_t)rt_system(run, system)->n;
    for (uint32_t i = 0; i < system_n_forces(run, system); i++) {
        double *c = modal.work + (size_t)row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
        double change = (end[i] - c[0]) / step,
               bend = 2.0 * (c[0] - 2.0 * halfway[i] + end[i]) / (step * step);
        c[1] = change - bend * step;
        c[2] = bend;
    }
}

void
system_unslide(struct rt *run, uint32_t system)
{
    assert(run);
    const imp_system *sys = rt_system(run, system);
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + sys->block;
    const uint32_t *to = IMP_ARRAY(run->im, block->rows, uint32_t);
    struct system_run *own = run->system + system;
    bool slid = clear_slid(own, run->rows.block[sys->block]);
    for (uint32_t i = 0; i < 2 * sys->n && slid; i++)
        memset(run->rows.block[sys->block] + (size_t)to[i] * IMP_ROW_STRIDE, 0,
               IMP_ROW_STRIDE * sizeof(double));
    keep_memory(run, system, false);
}

double *
system_felt(const struct rt *run, uint32_t system)
{
    assert(system < run->im->systems.n);
    assert(rt_system(run, system)->observer != IMP_NO_BLOCK);
    return run->system[system].felt;
}

uint32_t
system_n_felt(const struct rt *run, uint32_t system)
{
    assert(system < run->im->systems.n);
    return run->system[system].n_felt;
}

const double *
system_felt_by(const struct rt *run, uint32_t block)
{
    uint32_t system = system_of_block(run, block);
    return system != IMP_NO_SYSTEM && rt_system(run, system)->observer == block
               ? run->system[system].felt
               : NULL;
}

void
system_felt_rates(struct rt *run, uint32_t system, int order)
{
    assert(order >= 1 && order <= IMP_ORDER_MAX);
    static const double times[IMP_ORDER_MAX] = {1,  2,  3,  4,  5,  6,  7,  8,
                                                9,  10, 11, 12, 13, 14, 15, 16,
                                                17, 18, 19, 20, 21, 22, 23, 24};
    uint32_t n = rt_system(run, system)->n;
    double *felt = system_felt(run, system);
    for (uint32_t i = 0; 2 * n + i < run->system[system].n_felt; i++) {
        const double *rate =
            felt + (size_t)(n + i) * IMP_ROW_STRIDE + IMP_ROW_PAD;
        double *acceleration = felt + (size_t)(2 * n + i) * IMP_ROW_STRIDE;
        memset(acceleration, 0, IMP_ROW_STRIDE * sizeof *acceleration);
        for (int k = 0; k < order; k++)
            acceleration[IMP_ROW_PAD + k] = times[k] * rate[k + 1];
    }
}

void
system_feel(struct rt *run, uint32_t system, int order)
{
    const imp_system *sys = rt_system(run, system);
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + sys->block;
    const uint32_t *from = IMP_ARRAY(run->im, block->rows, uint32_t);
    double *felt = system_felt(run, system);
    uint32_t n = run->system[system].n_felt > 0 ? 2 * sys->n : 0;
    for (uint32_t i = 0; i < n; i++) {
        double *to = felt + (size_t)i * IMP_ROW_STRIDE;
        memset(to, 0, IMP_ROW_STRIDE * sizeof *to);
        memcpy(to + IMP_ROW_PAD,
               run->rows.block[sys->block] + (size_t)from[i] * IMP_ROW_STRIDE +
                   IMP_ROW_PAD,
               (size_t)(order + 1) * sizeof *to);
    }
    system_felt_rates(run, system, order);
}

static uint32_t
observer_tape(const struct rt *run, uint32_t system)
{
    return IMP_ARRAY(run->im, run->im->blocks,
                     imp_block)[rt_system(run, system)->observer]
        .motion;
}

int
system_observed(struct rt *run, uint32_t system, int order)
{
    const double *rows[] = {NULL, [SYSTEM_FELT_SOURCE] =
                                      system_felt(run, system)};
    return rt_series(run, observer_tape(run, system), NULL, rows,
                     run->rows.block[rt_system(run, system)->observer], order);
}

void
system_observed_nonfinite(struct rt *run, uint32_t system, int order)
{
    const double *rows[] = {NULL, [SYSTEM_FELT_SOURCE] =
                                      system_felt(run, system)};
    rt_nonfinite_series(run, observer_tape(run, system), NULL, rows,
                        run->rows.block[rt_system(run, system)->observer],
                        order);
}

const double *
system_force(const struct rt *run, uint32_t system, uint32_t i)
{
    assert(i < rt_system(run, system)->n_contact);
    return modal_row(run, system, 2 * rt_system(run, system)->n + i);
}

const double *
system_rub(const struct rt *run, uint32_t system, uint32_t k,
           enum system_rub_row which)
{
    const imp_system *sys = rt_system(run, system);
    assert(k < sys->n_rub);
    return modal_row(run, system, 2 * sys->n + sys->n_contact + 4 * k + which);
}

const double *
system_pressed_row(const struct rt *run, uint32_t system, uint32_t k)
{
    const imp_system *sys = rt_system(run, system);
    assert(k < sys->n_soft);
    return modal_row(run, system,
                     2 * sys->n + sys->n_contact + 4 * sys->n_rub + k);
}

/* -- relays beside closed contacts ----------------------------------------- */

bool
system_relays_fit(const struct rt *run, uint32_t system)
{
    assert(system < run->im->systems.n);
    return run->system[system].relays != NULL;
}

void
system_relays_join(struct rt *run, uint32_t system, const bool *held,
                   const double *side)
{
    assert(system < run->im->systems.n);
    struct system_run *own = run->system + system;
    own->joined = held != NULL;
    if (!held)
        return;
    assert(own->relays && side);
    double *local = own->lambda + modal_of(run, system).n;
    for (uint32_t i = 0; i < own->relays->n; i++) {
        local[i] = held[i];
        local[own->relays->n + i] = side[i];
    }
}

const double *
system_relays_row(const struct rt *run, uint32_t system, uint32_t i)
{
    const imp_system *sys = rt_system(run, system);
    return modal_row(run, system,
                     2 * sys->n + sys->n_contact + 4 * sys->n_rub +
                         sys->n_soft + 2 * sys->n_memory + i);
}

int
system_relays_rates(struct rt *run, uint32_t system, const double *side,
                    double *rate, double *slope, double *terms, double *lift)
{
    const imp_system *sys = rt_system(run, system);
    struct system_run *own = run->system + system;
    static const bool held[IMP_RELAYS_MAX] = {true, true, true, true,
                                              true, true, true, true};
    bool joined = own->joined;
    system_relays_join(run, system, held, side);
    struct modal modal = modal_of(run, system);
    own->joined = joined;
    int n = modal.n, m = (int)own->relays->n, n_force = n - m;
    double *A = own->out + n, *forces = own->factors, *column = own->step;
    memset(own->lambda, 0, (size_t)n * sizeof *own->lambda);
    int st = rt_eval(run, modal.solve, own->lambda, own->out);
    if (st)
        return st;
    for (int i = 0; i < n_force; i++)
        for (int j = 0; j < n_force; j++)
            forces[i * n_force + j] = A[i * n + j];
    if (n_force != (int)(sys->n_contact + sys->n_rub) ||
        imp_rank_factor(n_force, forces, own->piv))
        return IMP_NONFINITE;
    for (int i = 0; i < m; i++) {
        double sum = 0.0, size = 0.0;
        for (uint32_t k = 0; k < sys->n_contact; k++) {
            sum += A[(n_force + i) * n + (int)k];
            size += fabs(A[(n_force + i) * n + (int)k]);
        }
        lift[i] = size == 0.0 || fabs(sum) < 0.5 * size ? 0.0
                  : sum > 0.0                           ? 1.0
                                                        : -1.0;
    }
    for (int j = -1; j < m; j++) { /* no relay, then each */
        for (int i = 0; i < n_force; i++)
            column[i] = j < 0 ? own->out[i] : A[i * n + n_force + j];
        imp_rank_solve(n_force, forces, own->piv, column);
        for (int i = 0; i < m; i++) {
            const double *row = A + (n_force + i) * n;
            double sum = j < 0 ? own->out[n_force + i] : row[n_force + j];
            for (int k = 0; k < n_force; k++) {
                sum -= row[k] * column[k];
                if (j < 0)
                    terms[i] += fabs(row[k] * column[k]);
            }
            if (j < 0)
                rate[i] = sum;
            else
                slope[i * m + j] = sum;
        }
    }
    return IMP_OK;
}

const double *
system_memory_row(const struct rt *run, uint32_t system, uint32_t k)
{
    assert(k < rt_system(run, system)->n_memory);
    return run->system[system].memory + 2 * (size_t)k * IMP_ROW_STRIDE;
}

const double *
system_memory_by(const struct rt *run, uint32_t block)
{
    uint32_t system = system_of_block(run, block);
    return system != IMP_NO_SYSTEM && rt_system(run, system)->block == block
               ? run->system[system].memory
               : NULL;
}

/* Turns the status of a tape that gave no finite number into a diagnostic. */
static int
with_message(struct rt *run, int st, uint32_t tape)
{
    if (st != IMP_NONFINITE)
        return st;
    rt_nonfinite(run, tape, NULL);
    return IMP_FAILED;
}

int
system_mass(struct rt *run, uint32_t system, double *mass)
{
    assert(system < run->im->systems.n && mass != NULL);
    uint32_t tape = rt_system(run, system)->mass;
    return with_message(run, rt_eval(run, tape, NULL, mass), tape);
}

int
system_gap(struct rt *run, uint32_t system, uint32_t i, double *gap,
           double *rate, double *gradient)
{
    assert(i < rt_system(run, system)->n_contact);
    const imp_system *sys = rt_system(run, system);
    uint32_t tape = rt_contact(run, sys->contact + i)->gradient;
    double *out = run->system[system].gap;
    int st = with_message(run, rt_eval(run, tape, NULL, out), tape);
    if (st)
        return st;
    *gap = out[0];
    *rate = out[1];
    if (gradient)
        memcpy(gradient, out + 2, sys->n * sizeof *gradient);
    return IMP_OK;
}

int
system_slip(struct rt *run, uint32_t system, uint32_t i,
            struct system_slip *slip, double *gradient)
{
    assert(i < rt_system(run, system)->n_contact && slip);
    const imp_system *sys = rt_system(run, system);
    uint32_t tape = rt_contact(run, sys->contact + i)->slip;
    assert(tape != IMP_NO_TAPE);
    double *out = run->system[system].gap;
    int st = with_message(run, rt_eval(run, tape, NULL, out), tape);
    if (st)
        return st;
    *slip = (struct system_slip){out[0], out[1], out[2], out[3], out[4]};
    if (gradient)
        memcpy(gradient, out + 5, sys->n * sizeof *gradient);
    return IMP_OK;
}

/* The last order, at most this one, of which a variable of the system has a
 * coefficient: the series that is followed may be one of a lower order. */
static int
last_order(const struct rt *run, const imp_system *sys, int order)
{
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + sys->block;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    for (; order > 1; order--)
        for (uint32_t i = 0; i < block->state.n; i++)
            if (run->rows.block[sys->block][(size_t)row[i] * IMP_ROW_STRIDE +
                                            IMP_ROW_PAD + (size_t)order] != 0.0)
                return order;
    return order;
}

int
system_gap_series(struct rt *run, uint32_t system, uint32_t i, int order,
                  double *series)
{
    assert(i < rt_system(run, system)->n_contact);
    const imp_system *sys = rt_system(run, system);
    uint32_t contact = sys->contact + i, tape = rt_contact(run, contact)->event;
    const double *rows[1] = {run->rows.block[sys->block]};
    double *work = run->rows.contact[contact];
    int made = order, st = rt_series(run, tape, NULL, rows, work, order);
    if (st == IMP_NONFINITE && (made = last_order(run, sys, order)) < order)
        st = rt_series(run, tape, NULL, rows, work, made);
    if ((st = with_message(run, st, tape)))
        return st;
    const imp_tape *t = IMP_ARRAY(run->im, run->im->tapes, imp_tape) + tape;
    const imp_instr *code = IMP_ARRAY(run->im, t->code, imp_instr);
    uint32_t row = code[IMP_ARRAY(run->im, t->outs, uint32_t)[0]].row;
    memcpy(series, work + (size_t)row * IMP_ROW_STRIDE + IMP_ROW_PAD,
           (size_t)(made + 1) * sizeof *series);
    for (int k = made + 1; k <= order; k++)
        series[k] = 0.0;
    return IMP_OK;
}
