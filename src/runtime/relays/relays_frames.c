/* SPDX-License-Identifier: MIT */
/* Frames of discs (abi/relays.h). Where closed contacts or joints leave a
 * velocity u at rest a line or a plane, its shares are unique along these
 * alone: the frame of the disc is turned so that some of its axes span what is
 * left, and the others are held by the contacts, as along x on a floor. What is
 * left is what shares can do to u: the range of K. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/relays/relays_priv.h"

/* How many relays this disc has. */
static uint32_t
size_of(const struct rt *run, const struct relays *relays, uint32_t first)
{
    uint32_t m = 0;
    while (first + m < relays->of->n &&
           disc_of(run, relays, first + m) == first)
        m++;
    assert(m <= DISC_MAX);
    return m;
}

/* axis: m x m, in rows; NULL: those of the formula. */
static void
set_frame(struct rt *run, const struct relays *relays, uint32_t first,
          uint32_t m, const double *axis)
{
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < m; j++)
            run->env[frame_of(run, relays, first + i) + j] =
                axis ? axis[i * m + j] : i == j;
}

void
relays_frames_reset(struct rt *run, const struct relays *relays)
{
    for (uint32_t i = 0; i < relays->of->n; i++)
        if (disc_of(run, relays, i) == i)
            set_frame(run, relays, i, size_of(run, relays, i), NULL);
}

static bool
is_turned(const struct rt *run, const struct relays *relays, uint32_t first,
          uint32_t m)
{
    bool turned = false;
    for (uint32_t i = 0; i < m; i++)
        turned |= run->env[frame_of(run, relays, first + i) + i] != 1.0;
    return turned;
}

/* Takes from a vector what it has along n orthonormal ones, in rows, and
 * returns the length of what is left. */
static double
off(uint32_t m, uint32_t n, const double *axis, double *v)
{
    double square = 0.0;
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t k = 0; k < n; k++) {
            double dot = 0.0;
            for (uint32_t i = 0; i < m; i++)
                dot += axis[k * m + i] * v[i];
            for (uint32_t i = 0; i < m; i++)
                v[i] -= dot * axis[k * m + i];
        }
    for (uint32_t i = 0; i < m; i++)
        square += v[i] * v[i];
    return sqrt(square);
}

/* Appends what the columns of A (m x m) add to n orthonormal vectors, the
 * longest part first, as long as that is more than `none`. Returns how many
 * there are then. */
static uint32_t
span(uint32_t m, const double *A, double none, uint32_t n, double *axis)
{
    while (n < m) {
        double best[DISC_MAX] = {0.0}, most = 0.0;
        for (uint32_t j = 0; j < m; j++) {
            double v[DISC_MAX];
            for (uint32_t i = 0; i < m; i++)
                v[i] = A[i * m + j];
            double length = off(m, n, axis, v);
            if (length > most) {
                most = length;
                memcpy(best, v, sizeof best);
            }
        }
        if (!(most > none))
            break;
        for (uint32_t i = 0; i < m; i++)
            axis[n * m + i] = best[i] / most;
        n++;
    }
    return n;
}

/* The axes, in the frame of now, of what shares can do to u, and then of the
 * rest. False: the frame of now has such axes. */
static bool
axes(const struct relays *relays, uint32_t first, uint32_t m, double *axis)
{
    double K[DISC_MAX * DISC_MAX], one[DISC_MAX * DISC_MAX] = {0.0}, none = 0.0;
    uint32_t rows = 0;
    for (uint32_t i = 0; i < m; i++) {
        double size = relays->terms[first + i];
        for (uint32_t j = 0; j < relays->of->n; j++)
            size += fabs(raw_slopes(relays, first + i)[j]);
        none = fmax(none, RELAY_JUMP * size);
        one[i * m + i] = 1.0;
        for (uint32_t j = 0; j < m; j++)
            K[i * m + j] = slopes(relays, first + i)[first + j];
    }
    for (uint32_t i = 0; i < m; i++) {
        double most = 0.0;
        for (uint32_t j = 0; j < m; j++)
            most = fmax(most, fabs(K[i * m + j]));
        rows += most > none;
    }
    uint32_t n = span(m, K, none, 0, axis);
    if (n == 0 || rows == n)
        return false;
    return span(m, one, 0.0, n, axis) == m;
}

bool
relays_frames_turn(struct rt *run, const struct relays *relays, double least)
{
    bool any = false;
    for (uint32_t first = 0; first < relays->of->n; first++) {
        if (disc_of(run, relays, first) != first)
            continue;
        uint32_t m = size_of(run, relays, first);
        double axis[DISC_MAX * DISC_MAX], new[DISC_MAX * DISC_MAX];
        bool small = true;
        for (uint32_t i = 0; i < m; i++)
            small &= relays_is_small(relays, first + i, least);
        if (!small && is_turned(run, relays, first, m)) {
            set_frame(run, relays, first, m, NULL);
            any = true;
        }
        if (!small || !axes(relays, first, m, axis))
            continue;
        for (uint32_t i = 0; i < m; i++)
            for (uint32_t j = 0; j < m; j++) {
                new[i * m + j] = 0.0;
                for (uint32_t k = 0; k < m; k++)
                    new[i * m + j] +=
                        axis[i * m + k] *
                        run->env[frame_of(run, relays, first + k) + j];
            }
        set_frame(run, relays, first, m, new);
        any = true;
    }
    return any;
}
