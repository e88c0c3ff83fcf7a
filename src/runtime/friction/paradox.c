/* SPDX-License-Identifier: MIT */
/* What a policy takes where the motion is open, and the impact without
 * collision (paradox.h). */
#include "runtime/friction/paradox.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "base/arena.h"

/* Two rows act on each other if the entry of W is more than this share of the
 * geometric mean of their own. */
#define PARADOX_COUPLED (64.0 * DBL_EPSILON)

const char *
paradox_word(uint32_t paradox)
{
    static const char *const word[] = {
#define PARADOX(ID, word, doc) #word,
#include "abi/paradox.def"
    };
    return paradox < PARADOX_COUNT ? word[paradox] : NULL;
}

const char *
loads_word(uint32_t loads)
{
    static const char *const word[] = {
#define LOADS(ID, word, doc) #word,
#include "abi/loads.def"
    };
    return loads < LOADS_COUNT ? word[loads] : NULL;
}

void
loads_of_impact(uint32_t loads, struct friction_group_impact *impact)
{
    assert(impact != NULL && loads < LOADS_COUNT);
    if (loads == LOADS_REPORT && impact->loads && !impact->why)
        impact->why = "they depend on how the points share the impulses, and "
                      "`loads = report`; least_norm takes the least ones";
}

/* The motion is open, with so many ways: which does the run take? -1: it
 * branches here, and the names (which outlive the run) are kept. */
static int
paradox_way(struct paradox_forks *forks, const char *const *name, int ways)
{
    assert(forks != NULL && name != NULL && ways > 0);
    int met = forks->met++;
    if (met < forks->n)
        return forks->take[met] < ways ? forks->take[met] : ways - 1;
    if (forks->ways > 0)
        return -1; /* it has branched */
    forks->ways = ways < PARADOX_WAYS_MOST ? ways : PARADOX_WAYS_MOST;
    for (int k = 0; k < forks->ways; k++)
        forks->name[k] = name[k];
    return -1;
}

/* The modes of a choice in the letters of `painleve`, point by point. */
static const char *
choice_name(struct arena *arena, const struct friction_set *set, int n)
{
    static const char *const letter[] = {[CONTACT_FREE] = "F",
                                         [CONTACT_SLIDE] = "S",
                                         [CONTACT_STICK] = "T",
                                         [CONTACT_SLIP_POSITIVE] = "S+",
                                         [CONTACT_SLIP_NEGATIVE] = "S-"};
    const char *text = "";
    for (int i = 0; i < n; i++)
        text = arena_printf(arena, "%s%s", text, letter[set->mode[i]]);
    return text;
}

int
paradox_branch(struct paradox_forks *forks, struct arena *names,
               const struct friction_choice *choice, int n, int *jump)
{
    assert(names != NULL && choice != NULL && jump != NULL);
    const char *name[FRICTION_SETS_MOST + 1];
    int ways = 0;
    for (; ways < choice->n && choice->verdict == FRICTION_SEVERAL; ways++)
        name[ways] = choice_name(names, choice->set + ways, n);
    int sets = ways;
    if (*jump >= 0)
        name[ways++] = "IWC";
    int taken = ways ? paradox_way(forks, name, ways) : -1;
    if (taken < 0 || taken < sets)
        *jump = -1;
    return taken < sets ? taken : -1;
}

enum friction_paradox
paradox_after_jam(struct paradox_forks *forks, bool may_open)
{
    static const char *const name[] = {"IWC", "T", "F"};
    static const enum friction_paradox policy[] = {PARADOX_JUMP, PARADOX_STICK,
                                                   PARADOX_LIFTOFF};
    int taken = paradox_way(forks, name, may_open ? 3 : 2);
    return taken < 0 ? PARADOX_REPORT : policy[taken];
}

/* Do all choices give this point the same mode? */
static bool
agreed(const struct friction_choice *choice, int point)
{
    for (int i = 1; i < choice->n; i++)
        if (choice->set[i].mode[point] != choice->set[0].mode[point])
            return false;
    return true;
}

int
paradox_choose(const struct friction_choice *choice, int n,
               enum friction_paradox paradox)
{
    assert(choice != NULL && n > 0);
    enum contact_mode wanted =
        paradox == PARADOX_STICK ? CONTACT_STICK : CONTACT_FREE;
    int found = -1;
    if (choice->verdict != FRICTION_SEVERAL ||
        (paradox != PARADOX_STICK && paradox != PARADOX_LIFTOFF))
        return -1;
    for (int i = 0; i < choice->n; i++) {
        bool fits = true;
        for (int k = 0; k < n; k++)
            fits &= agreed(choice, k) || choice->set[i].mode[k] == wanted;
        if (fits && found >= 0)
            return -1;
        if (fits)
            found = i;
    }
    return found;
}

unsigned
paradox_policies(const struct friction_choice *choice, int n, bool jumps)
{
    assert(choice != NULL && n > 0);
    unsigned found = jumps ? 1u << PARADOX_JUMP : 0;
    if (paradox_choose(choice, n, PARADOX_LIFTOFF) >= 0)
        found |= 1u << PARADOX_LIFTOFF;
    if (paradox_choose(choice, n, PARADOX_STICK) >= 0)
        found |= 1u << PARADOX_STICK;
    if (jumps || choice->verdict == FRICTION_SEVERAL)
        found |= 1u << PARADOX_BRANCH;
    return found;
}

unsigned
paradox_policies_after_jam(bool may_open)
{
    return 1u << PARADOX_JUMP | 1u << PARADOX_STICK | 1u << PARADOX_BRANCH |
           (may_open ? 1u << PARADOX_LIFTOFF : 0);
}

/* Does another point act on this one, or it on another? */
static bool
alone(const struct friction_instant *in, int point)
{
    size_t rows = 2 * (size_t)in->n, first = 2 * (size_t)point;
    for (size_t r = first; r < first + 2; r++)
        for (size_t c = 0; c < rows; c++)
            if (c / 2 != (size_t)point &&
                fabs(in->W[r * rows + c]) >
                    PARADOX_COUPLED *
                        sqrt(in->W[r * rows + r] * in->W[c * rows + c]))
                return false;
    return true;
}

int
paradox_jump_of(const struct friction_instant *in, const double *mu)
{
    assert(in != NULL && mu != NULL);
    int found = -1;
    size_t rows = 2 * (size_t)in->n;
    for (int i = 0; i < in->n; i++) {
        double slip = in->point[i].slip;
        size_t N = 2 * (size_t)i;
        double C = in->W[N * rows + N], B = in->W[N * rows + N + 1];
        double sign = slip > 0.0 ? 1.0 : -1.0;
        if (slip == 0.0 || !(C - sign * mu[i] * B < 0.0) || !alone(in, i))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

void
paradox_jump(double A, double B, double C,
             const struct friction_impact_point *point,
             struct friction_impact *out)
{
    assert(point != NULL && out != NULL && point->slip != 0.0);
    double sign = point->slip > 0.0 ? 1.0 : -1.0, mu = point->mu, e = point->e;
    double p = C - sign * mu * B, k = mu * A - sign * B;
    /* p is 0 to rounding at a jam; at most one of p+, p-, k+, k- is <= 0 */
    p = fmin(p, 0.0);
    assert(k > 0.0);
    double sigma = (A * C - B * B) / A;
    double slipping = fabs(point->slip) / k; /* impulse until the slip ends */
    double deepest = p * slipping;           /* normal velocity then */
    double sticking = -deepest / sigma;      /* impulse until that is 0 */
    double squeezed = 0.5 * deepest * (slipping + sticking); /* work, < 0 */
    double back = point->law == FRICTION_NEWTON ? 0.0
                  : point->law == FRICTION_POISSON
                      ? e * (slipping + sticking)
                      : e * sqrt(-2.0 * squeezed / sigma);
    *out = (struct friction_impact){.region = sign > 0.0 ? 5 : 6};
    out->normal[0] = slipping + sticking;
    out->normal[1] = back;
    out->tangential = -sign * mu * slipping - B / A * (sticking + back);
    out->after[0] = sigma * back;
    out->work[0] = squeezed + 0.5 * sigma * back * back;
    /* the rest of the change of energy, P.(w + w')/2 */
    out->work[1] = 0.5 * (out->normal[0] + back) * out->after[0] +
                   0.5 * out->tangential * point->slip - out->work[0];
}
