/* SPDX-License-Identifier: MIT */
/* The bodies of the plane that move together with those of a contact: what
 * their joints let them do. Of all motions that the joints allow, forces make
 * the one that the principle of Gauss tells: with conditions A x = t it is the
 * least of x.M x/2 - f.x. Its equations are those of the motion of bodies with
 * joints (mechanics/joint.c), in which nothing is divided by a moment of
 * inertia. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "runtime/motion/contact_point.h"
#include "runtime/numerics/factors.h"

/* Conditions hold where what is left is below this share of their terms. */
#define HOLDS 1e-9
/* conditions beside those of joints: gap and slip */
#define OTHER_ROWS 2
/* numbers of the tape before the forces, and per condition before its
 * gradient (imp_contact.instant) */
#define HEAD 2
#define ROW_HEAD 2

static const imp_block *
block_at(const struct rt *run, uint32_t number)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + number;
}

/* The blocks of both bodies, each once. Returns how many. */
static uint32_t
blocks_of(const struct rt *run, const imp_contact *contact, uint32_t out[2])
{
    uint32_t n = 0;
    for (int e = 0; e < 2; e++) {
        if (!contact_point_body_moves(run, contact->body[e]))
            continue;
        uint32_t block = rt_body(run, contact->body[e])->block;
        if (n == 0 || out[0] != block)
            out[n++] = block;
    }
    return n;
}

struct painleve_mechanism *
painleve_mechanism_new(struct rt *run, const imp_contact *contact)
{
    assert(run != NULL && contact != NULL);
    struct painleve_mechanism *out = NEW(run->arena, struct painleve_mechanism);
    uint32_t block[2], n_block = blocks_of(run, contact, block);
    *out = (struct painleve_mechanism){
        .run = run, .tape = contact->instant, .slide_tape = contact->slide};
    for (uint32_t k = 0; k < n_block; k++) {
        out->n_body += block_at(run, block[k])->bodies.n;
        out->n_row += block_at(run, block[k])->n_condition;
    }
    uint32_t n = out->n = PAINLEVE_PER_BODY * out->n_body, at = 0;
    out->body = NEW_N(run->arena, uint32_t, out->n_body + 1);
    for (uint32_t k = 0; k < n_block; k++) {
        const imp_block *of = block_at(run, block[k]);
        const uint32_t *body = IMP_ARRAY(run->im, of->bodies, uint32_t);
        for (uint32_t i = 0; i < of->bodies.n; i++)
            out->body[at++] = body[i];
    }
    size_t rows = (size_t)out->n_row + OTHER_ROWS, size = rows + out->n_body;
    out->mass = NEW_N(run->arena, double, n + 1);
    for (uint32_t j = 0; j < n; j++) {
        const double *constants =
            run->env + rt_body(run, out->body[j / PAINLEVE_PER_BODY])->env_body;
        out->mass[j] =
            1.0 / (j % PAINLEVE_PER_BODY < 2 ? constants[IMP_BODY_INVMASS]
                                             : constants[IMP_BODY_INVINERTIA]);
    }
    if (out->tape == IMP_NO_TAPE)
        return out;
    size_t count = HEAD + 3 * (size_t)n + 2 * (size_t)n * n +
                   (out->n_row ? (size_t)(ROW_HEAD + n) * out->n_row +
                                     (size_t)n * n + 2 * (size_t)n
                               : 0);
    out->slide =
        NEW_N(run->arena, double, 1 + n + (1 + (size_t)n) * out->n_row);
    out->local = NEW_N(run->arena, double, 1 + (size_t)out->n_row);
    out->all = NEW_N(run->arena, double, count);
    out->rows = NEW_N(run->arena, double, rows *n);
    out->matrix = NEW_N(run->arena, double, size *size + size);
    out->answer = out->matrix + size * size;
    out->pivot = NEW_N(run->arena, int, size);
    out->stays = NEW_N(run->arena, bool, out->n_body + 1);
    return out;
}

int
painleve_mechanism_read(struct painleve_mechanism *of, double slip,
                        const double *multipliers)
{
    assert(of != NULL && of->tape != IMP_NO_TAPE);
    size_t n = of->n;
    of->local[0] = fabs(slip);
    for (uint32_t i = 0; i < of->n_row; i++)
        of->local[1 + i] = multipliers ? multipliers[i] : 0.0;
    int st = rt_eval(of->run, of->tape, of->local, of->all);
    if (st == IMP_NONFINITE)
        rt_nonfinite(of->run, of->tape, of->local);
    const double *at = of->all;
    of->mu_t = at[0];
    of->mu_speed = at[1];
    of->mu_q = at + HEAD;
    of->mu_v = of->mu_q + n;
    of->force = of->mu_v + n;
    of->force_q = of->force + n;
    of->force_v = of->force_q + n * n;
    of->condition = of->force_v + n * n;
    of->pull_q = of->condition + (ROW_HEAD + n) * of->n_row;
    of->pull_t = of->pull_q + n * n;
    of->change_v = of->pull_t + n;
    return st;
}

int
painleve_mechanism_slide(struct painleve_mechanism *of, double slip,
                         double *target)
{
    assert(of != NULL && of->slide_tape != IMP_NO_TAPE && target != NULL);
    size_t n = of->n;
    double speed = fabs(slip);
    int st = rt_eval(of->run, of->slide_tape, &speed, of->slide);
    if (st == IMP_NONFINITE)
        rt_nonfinite(of->run, of->slide_tape, &speed);
    if (st || of->n_row == 0)
        return st;
    const double *from = of->slide + 1 + n;
    for (size_t i = 0; i < of->n_row; i++, from += n + 1) {
        memcpy(of->rows + i * n, from, n * sizeof *of->rows);
        target[i] = -from[n];
    }
    memset(of->stays, 0, of->n_body * sizeof *of->stays);
    return painleve_mechanism_factor(of, of->n_row);
}

double
painleve_mechanism_row(struct painleve_mechanism *of, uint32_t i)
{
    assert(of != NULL && i < of->n_row);
    const double *from = of->condition + (ROW_HEAD + of->n) * i;
    memcpy(of->rows + (size_t)i * of->n, from + ROW_HEAD,
           of->n * sizeof *of->rows);
    return from[1] != 0.0 ? from[0] : (double)NAN;
}

int
painleve_mechanism_factor(struct painleve_mechanism *of, uint32_t n_row)
{
    assert(of != NULL && n_row <= of->n_row + OTHER_ROWS);
    uint32_t n = of->n, size = n_row + of->n_body;
    double *K = of->matrix;
    of->n_factored = n_row;
    memset(K, 0, (size_t)size * size * sizeof *K);
    for (uint32_t i = 0; i < n_row; i++)
        for (uint32_t j = i; j < n_row; j++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < n; k++)
                if (k % PAINLEVE_PER_BODY < 2)
                    sum +=
                        of->rows[i * n + k] * of->rows[j * n + k] / of->mass[k];
            K[i * size + j] = K[j * size + i] = sum;
        }
    for (uint32_t b = 0; b < of->n_body; b++) {
        uint32_t at = n_row + b, angle = PAINLEVE_PER_BODY * b + 2;
        K[at * size + at] = of->stays[b] ? -1.0 : -of->mass[angle];
        for (uint32_t i = 0; i < n_row && !of->stays[b]; i++)
            K[i * size + at] = K[at * size + i] = of->rows[i * n + angle];
    }
    return imp_saddle_factor((int)size, K, of->pivot) ? IMP_NONFINITE : IMP_OK;
}

/* Does x meet the conditions? Places are compared with the greatest of them,
 * and so are angles. */
static bool
meets(const struct painleve_mechanism *of, uint32_t n_row, const double *target,
      const double *x)
{
    double far[2] = {0.0, 0.0};
    bool holds = true;
    for (uint32_t k = 0; k < of->n; k++) {
        double *most = &far[k % PAINLEVE_PER_BODY == 2];
        *most = fmax(*most, fabs(x[k]));
    }
    for (uint32_t i = 0; i < n_row; i++) {
        double off = target ? -target[i] : 0.0, terms = fabs(off);
        for (uint32_t k = 0; k < of->n; k++) {
            double entry = of->rows[i * of->n + k];
            off += entry * x[k];
            terms += fabs(entry) * far[k % PAINLEVE_PER_BODY == 2];
        }
        holds &= fabs(off) <= HOLDS * terms;
    }
    return holds;
}

bool
painleve_mechanism_solve(struct painleve_mechanism *of, const double *force,
                         const double *target, double *out, double *multipliers)
{
    assert(of != NULL && out != NULL);
    uint32_t n = of->n, n_row = of->n_factored, size = n_row + of->n_body;
    double *x = of->answer;
    for (uint32_t i = 0; i < n_row; i++) {
        x[i] = target ? target[i] : 0.0;
        for (uint32_t k = 0; k < n && force; k++)
            if (k % PAINLEVE_PER_BODY < 2)
                x[i] -= of->rows[i * n + k] * force[k] / of->mass[k];
    }
    for (uint32_t b = 0; b < of->n_body; b++)
        x[n_row + b] =
            force && !of->stays[b] ? -force[PAINLEVE_PER_BODY * b + 2] : 0.0;
    imp_saddle_solve((int)size, of->matrix, of->pivot, x);
    for (uint32_t k = 0; k < n; k++) {
        if (k % PAINLEVE_PER_BODY == 2) {
            out[k] = x[n_row + k / PAINLEVE_PER_BODY];
            continue;
        }
        double sum = force ? force[k] : 0.0;
        for (uint32_t i = 0; i < n_row; i++)
            sum += of->rows[i * n + k] * x[i];
        out[k] = sum / of->mass[k];
    }
    if (multipliers)
        memcpy(multipliers, x, n_row * sizeof *x);
    return meets(of, n_row, target, out);
}
