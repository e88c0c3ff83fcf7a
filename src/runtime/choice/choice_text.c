/* SPDX-License-Identifier: MIT */
/* A choice of modes as text (choice.h). */
#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/choice/choice.h"

/* Extremes that differ by so small a share are one: LINEAR_PROGRAM_ZERO. */
#define RANGE_POINT 1e-9

/* One choice of modes with its forces. */
static const char *
set_text(struct arena *arena, int n, const char *const *name,
         const struct friction_set *set)
{
    const char *text = "";
    for (int i = 0; i < n; i++) {
        char N[NUM_TEXT], T[NUM_TEXT];
        text = arena_printf(arena, "%s%s`%s` %s", text, i ? ", " : "", name[i],
                            contact_mode_name(set->mode[i]));
        if (set->mode[i] != CONTACT_FREE)
            text = arena_printf(arena, "%s (normal force %s, friction %s)",
                                text, num_digits(N, set->normal[i], 6),
                                num_digits(T, set->tangential[i], 6));
    }
    return text;
}

const char *
choice_range_text(struct arena *arena, const double range[2], const char *unit)
{
    assert(arena && range && unit);
    char least[NUM_TEXT], greatest[NUM_TEXT];
    double size = fmax(fabs(range[0]), fabs(range[1]));
    num_digits(least, range[0], 6);
    num_digits(greatest, range[1], 6);
    if (!isfinite(range[0]) && !isfinite(range[1]))
        return "any size";
    if (!isfinite(size))
        return isfinite(range[0])
                   ? arena_printf(arena, "%s%s and more", least, unit)
                   : arena_printf(arena, "%s%s and less", greatest, unit);
    return range[1] - range[0] <= RANGE_POINT * size
               ? arena_printf(arena, "%s%s", greatest, unit)
               : arena_printf(arena, "%s to %s%s", least, greatest, unit);
}

const char *
choice_ranges_text(struct arena *arena, const struct choice_group *group,
                   const char *const *name, const struct friction_set *set)
{
    assert(arena && group && name && set);
    int n = group->instant.n;
    struct friction_range *range =
        NEW_N(group->arena, struct friction_range, (size_t)n);
    friction_ranges(group->arena, &group->instant, set, range);
    const char *text = "";
    for (int i = 0; i < n; i++)
        text = arena_printf(
            arena, "%s%s`%s` %s: normal force %s, friction %s, slip'' %s", text,
            i ? "; " : "", name[i], contact_mode_name(set->mode[i]),
            choice_range_text(arena, range[i].normal, ""),
            choice_range_text(arena, range[i].tangential, ""),
            choice_range_text(arena, range[i].slip, ""));
    return text;
}

const char *
choice_spread_text(struct arena *arena, const struct friction_choice *choice,
                   int digits, const char *unit)
{
    assert(arena && choice && unit);
    char text[NUM_TEXT];
    double spread = friction_spread(arena, choice, INFINITY);
    return isfinite(spread)
               ? arena_printf(arena, "by up to %s%s",
                              num_digits(text, spread, digits), unit)
               : "by any amount";
}

const char *
choice_verdict_text(struct arena *arena, const struct choice_group *group,
                    const char *const *name,
                    const struct friction_choice *choice)
{
    assert(arena && group && name && choice);
    const char *text = friction_verdict_name(choice->verdict);
    if (choice->n == 0)
        return arena_printf(arena,
                            "%s: no choice of modes keeps the laws of contact "
                            "and friction",
                            text);
    if (choice->verdict == FRICTION_LOADS)
        return arena_printf(
            arena,
            "%s: the contacts can share their loads in many ways, and the "
            "motion depends on how (accelerations differ %s): %s; "
            "with forces of least norm %s",
            text, choice_spread_text(arena, choice, 6, ""),
            choice_ranges_text(arena, group, name, choice->set),
            set_text(arena, group->instant.n, name, choice->set));
    text = arena_printf(arena, "%s: ", text);
    for (int i = 0; i < choice->n; i++)
        text = arena_printf(
            arena, "%s%s%s", text, i ? "; or " : "",
            set_text(arena, group->instant.n, name, choice->set + i));
    return text;
}

const char *
choice_coefficients_text(struct arena *arena,
                         const struct painleve_verdict *found)
{
    assert(arena && found);
    char tangential[NUM_TEXT], normal[NUM_TEXT], plus[NUM_TEXT],
        minus[NUM_TEXT], margin[NUM_TEXT];
    return arena_printf(
        arena, " (a = %s, b = %s, p+ = %s, p- = %s%s%s; margin %s)",
        num_digits(tangential, found->a, 6), num_digits(normal, found->b, 6),
        num_digits(plus, found->p_plus, 6),
        num_digits(minus, found->p_minus, 6), *found->cell ? ", cell " : "",
        found->cell, num_digits(margin, found->margin, 3));
}
