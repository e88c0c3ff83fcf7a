/* SPDX-License-Identifier: MIT */
/* An impact at one point, without friction there, of bodies whose joints have
 * friction. Coulomb's law holds for impulses as it does for forces: while the
 * normal impulse grows, each joint answers with its own impulses, and its
 * friction is mu times them, against its rate, or keeps it at rest (the impulse
 * process, as of contacts that stick beside an impact). Rates change along
 * straight lines until one of them comes to 0, where modes are chosen anew.
 * Compression ends when the points no longer approach; what then follows says
 * the restitution: by Newton's, Poisson's or the energetic law. Other forces
 * are finite, and do nothing meanwhile. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/rubbing/rubbing_priv.h"

/* Most pieces of one impact: each ends with a rate that comes to 0, and no
 * joint does so often. */
#define BLOW_PIECES (8 * PINS_MOST)

/* One piece of an impact: what a unit of the normal impulse does. */
struct piece {
    double *change;   /* to all bodies, as of joints_response */
    double rate;      /* to the gap */
    double until;     /* it holds for so much impulse */
    struct pin *ends; /* whose rate comes to 0 there; NULL: none */
};

/* The blocks of both bodies, each once. Returns how many. */
static int
blocks_of(const struct rt *run, const struct rubbing_blow *blow,
          uint32_t block[2])
{
    int n = 0;
    for (int side = 0; side < 2; side++) {
        if (!contact_point_body_moves(run, blow->body[side]))
            continue;
        uint32_t of = rt_body(run, blow->body[side])->block;
        if (n == 0 || block[0] != of)
            block[n++] = of;
    }
    return n;
}

static const imp_block *
block_at(const struct rt *run, uint32_t block)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
}

/* What joints with friction answer: chooses their modes, and finds the first
 * rate that comes to 0. */
static int
answer_with_friction(struct rt *run, uint32_t block, struct piece *piece,
                     bool *determined)
{
    struct pins *pins = rubbing_pins(run, block);
    const uint32_t *body =
        IMP_ARRAY(run->im, block_at(run, block)->bodies, uint32_t);
    enum rubbing_verdict verdict;
    pins->impulse = piece->change;
    int st = rubbing_choose(pins, &verdict);
    pins->impulse = NULL;
    *determined = verdict == RUBBING_ONE;
    if (st || !*determined)
        return st;
    const double *x = joint_friction_unknowns(run, block);
    for (uint32_t i = 0; i < pins->n; i++) {
        struct pin *pin = pins->pin + i;
        double sign = pin->env[IMP_JOINT_SIGN],
               rate = joint_friction_told(run, block, i)[IMP_RUB_RATE],
               change = joint_friction_change(run, block, i);
        pin->impulse = pin_rests(pin) ? 0.0 : x[pin->joint->friction];
        pin->change = change;
        if (pin->still || pin_rests(pin) || !(sign * change < 0.0))
            continue;
        double until = fmax(0.0, -rate / change);
        if (until < piece->until) {
            piece->until = until;
            piece->ends = pin;
        }
    }
    for (uint32_t b = 0; b < block_at(run, block)->bodies.n; b++)
        if (rt_body(run, body[b])->flags & IMP_BODYF_HELD)
            piece->change[6 * (size_t)body[b] + 5] = 0.0;
    return joint_friction_push(run, block, x, piece->change);
}

/* Makes the next piece. */
static int
next_piece(struct rt *run, const struct rubbing_blow *blow, struct piece *piece,
           bool *determined)
{
    uint32_t block[2];
    int n = blocks_of(run, blow, block), st = IMP_OK;
    double out[6];
    memset(piece->change, 0, sizeof(double) * 6 * run->im->bodies.n);
    piece->until = INFINITY;
    piece->ends = NULL;
    *determined = true;
    for (int side = 0; side < 2; side++) {
        if (!contact_point_body_moves(run, blow->body[side]))
            continue;
        persistent_by_mass(run, blow->body[side], blow->open[side], out);
        memcpy(piece->change + 6 * (size_t)blow->body[side], out, sizeof out);
    }
    for (int i = 0; i < n && !st && *determined; i++)
        st = block_at(run, block[i])->n_rub
                 ? answer_with_friction(run, block[i], piece, determined)
                 : joints_response(run, block[i], piece->change);
    piece->rate = 0.0;
    for (int side = 0; side < 2 && !st; side++)
        for (int c = 0;
             c < 6 && contact_point_body_moves(run, blow->body[side]); c++)
            piece->rate +=
                blow->open[side][c] *
                piece->change[6 * (size_t)blow->body[side] + (size_t)c];
    return st;
}

/* Lets this much of the impulse act. */
static void
act(struct rt *run, struct rubbing_blow *blow, const struct piece *piece,
    double impulse)
{
    uint32_t block[2];
    int n = blocks_of(run, blow, block);
    for (int k = 0; k < n; k++) {
        const imp_block *of = block_at(run, block[k]);
        const uint32_t *body = IMP_ARRAY(run->im, of->bodies, uint32_t);
        struct pins *pins = of->n_rub ? rubbing_pins(run, block[k]) : NULL;
        for (uint32_t i = 0; pins && i < pins->n; i++) {
            struct pin *pin = pins->pin + i;
            double rate = joint_friction_told(run, block[k], i)[IMP_RUB_RATE],
                   work = pin->impulse * impulse *
                          (rate + 0.5 * pin->change * impulse);
            pin->env[IMP_JOINT_WORK] += work;
        }
        for (uint32_t b = 0; b < of->bodies.n; b++) {
            double change[6];
            for (int c = 0; c < 6; c++)
                change[c] =
                    impulse * piece->change[6 * (size_t)body[b] + (size_t)c];
            joints_shift_body(run, body[b], change, true);
        }
    }
    blow->work += impulse * (blow->rate + 0.5 * piece->rate * impulse);
    blow->rate += piece->rate * impulse;
    blow->impulse += impulse;
}

/* How much more impulse restitution takes, in this piece. */
static double
left_to_give(const struct rubbing_blow *blow, const struct piece *piece)
{
    if (blow->law == IMP_LAW_NEWTON)
        return fmax(0.0, (blow->target - blow->rate) / piece->rate);
    if (blow->law == IMP_LAW_POISSON)
        return fmax(0.0, blow->target - blow->impulse);
    double work = fmax(0.0, blow->target - blow->work);
    return 2.0 * work /
           (blow->rate +
            sqrt(blow->rate * blow->rate + 2.0 * piece->rate * work));
}

/* At the end of compression: what ends restitution, a rate, an impulse, or a
 * work. */
static void
turn(struct rubbing_blow *blow)
{
    blow->rate = 0.0;
    blow->target = blow->law == IMP_LAW_NEWTON ? blow->e * blow->approach
                   : blow->law == IMP_LAW_POISSON
                       ? (1.0 + blow->e) * blow->impulse
                       : (1.0 - blow->e * blow->e) * blow->work;
}

/* Which joints have no rate. */
static int
begin(struct rt *run, const struct rubbing_blow *blow)
{
    uint32_t block[2];
    int n = blocks_of(run, blow, block), st = IMP_OK;
    for (int k = 0; k < n && !st; k++) {
        if (!block_at(run, block[k])->n_rub)
            continue;
        struct pins *pins = rubbing_pins(run, block[k]);
        for (uint32_t i = 0; i < pins->n; i++) {
            pins->pin[i].still = pin_rests(pins->pin + i);
            pins->pin[i].freed = false;
        }
        st = joint_friction_read(run, block[k], NULL);
    }
    return st;
}

/* After a piece: a joint has come to rest, or those that were at rest have
 * begun to move. */
static int
between(struct rt *run, const struct rubbing_blow *blow, const struct pin *ends)
{
    uint32_t block[2];
    int n = blocks_of(run, blow, block), st = IMP_OK;
    for (int k = 0; k < n && !st; k++) {
        if (!block_at(run, block[k])->n_rub)
            continue;
        struct pins *pins = rubbing_pins(run, block[k]);
        for (uint32_t i = 0; i < pins->n; i++) {
            struct pin *pin = pins->pin + i;
            pin->still = pin == ends || pin_rests(pin);
            pin->freed = false;
        }
        st = joint_friction_read(run, block[k], NULL);
    }
    return st;
}

int
rubbing_impact(struct rt *run, struct rubbing_blow *blow, bool *determined)
{
    assert(run && blow && determined && blow->approach > 0.0);
    struct piece piece = {
        .change = NEW_N(run->brief, double, 6 * (size_t)run->im->bodies.n + 1)};
    bool expands = false, ended = false;
    blow->impulse = blow->work = blow->target = 0.0;
    blow->rate = -blow->approach;
    int st = begin(run, blow);
    for (int count = 0; !ended && !st; count++) {
        st = next_piece(run, blow, &piece, determined);
        *determined &= piece.rate > 0.0 && count < BLOW_PIECES;
        if (st || !*determined)
            return st;
        double left =
            expands ? left_to_give(blow, &piece) : -blow->rate / piece.rate;
        bool turns = !expands && left <= piece.until;
        ended = expands && left <= piece.until;
        act(run, blow, &piece, fmin(left, piece.until));
        if (turns) {
            turn(blow);
            expands = true;
            ended = blow->e == 0.0;
        }
        if (!ended)
            st = between(run, blow, left < piece.until ? NULL : piece.ends);
    }
    return st;
}

int
rubbing_after_impact(struct rt *run, const uint32_t body[2], bool *determined)
{
    assert(run && body && determined);
    struct rubbing_blow blow = {.body = {body[0], body[1]}};
    uint32_t block[2];
    enum rubbing_verdict verdict;
    int n = blocks_of(run, &blow, block), st = IMP_OK;
    *determined = true;
    for (int k = 0; k < n && !st && *determined; k++) {
        if (!block_at(run, block[k])->n_rub)
            continue;
        struct pins *pins = rubbing_pins(run, block[k]);
        st = joint_friction_read(run, block[k], NULL);
        for (uint32_t i = 0; i < pins->n; i++) {
            struct pin *pin = pins->pin + i;
            pin->still = pin_rests(pin);
            pin->freed = false;
            if (pin->still)
                pin->env[IMP_JOINT_PLACE] =
                    joint_friction_told(run, block[k], i)[IMP_RUB_PLACE];
        }
        *determined = !st && rubbing_hold(pins);
        joints_project(run);
        if (!st && *determined) {
            st = rubbing_choose(pins, &verdict);
            *determined = verdict == RUBBING_ONE;
        }
    }
    return st;
}
