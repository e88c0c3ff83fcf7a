/* SPDX-License-Identifier: MIT */
/* What is told of bodies where Coulomb's law leaves their motion open: several
 * motions obey it, or none does, a slip jams, or forces are not unique. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/friction/paradox.h"

static const char *
cause_text(enum friction_verdict verdict)
{
    switch (verdict) {
    case FRICTION_NONE:
        return "no choice of stick, slip and separation obeys Coulomb's law";
    case FRICTION_SEVERAL:
        return "several motions obey Coulomb's law";
    case FRICTION_LOADS:
        return "the motion depends on how the points share the loads";
    default:
        return "no motion was found that obeys Coulomb's law, and it was not "
               "shown that there is none";
    }
}

/* one line per point of a choice */
static void
list_set(struct simulation *sim, struct diag *diag, int number,
         const struct friction_set *set, const struct contact_point *spot,
         int n)
{
    char normal[NUM_TEXT], along[NUM_TEXT], opens[NUM_TEXT], slips[NUM_TEXT];
    for (int i = 0; i < n; i++)
        diag_note(sim->analysis->ds, diag,
                  rt_contact(sim->run, spot[i].contact)->range,
                  "motion %d: `%s` %s, normal force %s N, friction %s N, "
                  "accelerations of gap and slip %s and %s m/s^2",
                  number, simulate_contact_name(sim, spot[i].contact),
                  contact_mode_name(set->mode[i]),
                  num_digits(normal, set->normal[i], 6),
                  num_digits(along, set->tangential[i], 6),
                  num_digits(opens, set->acc[2 * i], 6),
                  num_digits(slips, set->acc[2 * i + 1], 6));
}

/* "least to greatest" */
static const char *
range_text(struct arena *arena, const double range[2])
{
    char least[NUM_TEXT], greatest[NUM_TEXT];
    return arena_printf(arena, "%s to %s", num_digits(least, range[0], 6),
                        num_digits(greatest, range[1], 6));
}

/* `loads = report`: one line per point of the bounds of its forces. */
static void
list_ranges(struct simulation *sim, struct diag *diag,
            const struct friction_range *range,
            const struct contact_point *spot, int n)
{
    struct arena *arena = sim->run->brief;
    for (int i = 0; i < n && range; i++)
        diag_note(sim->analysis->ds, diag,
                  rt_contact(sim->run, spot[i].contact)->range,
                  "`%s` may bear a normal force of %s N and friction of %s N; "
                  "acceleration of its slip: %s m/s^2",
                  simulate_contact_name(sim, spot[i].contact),
                  range_text(arena, range[i].normal),
                  range_text(arena, range[i].tangential),
                  range_text(arena, range[i].slip));
}

void
simulate_paradox_policy(struct simulation *sim, uint32_t contact,
                        const struct friction_choice *choice)
{
    assert(sim != NULL && choice != NULL);
    char t[NUM_TEXT];
    if (sim->log.remarks.n >= SIMULATE_REMARKS) {
        sim->log.left_out++;
        return;
    }
    simulate_remark(
        sim, arena_printf(sim->run->brief,
                          "t = %s s: friction leaves the motion at `%s` open "
                          "(%s), and paradox = %s chooses",
                          num_digits(t, rt_time(sim->run), 9),
                          simulate_contact_name(sim, contact),
                          cause_text(choice->verdict),
                          paradox_word(sim->run->paradox)));
}

/* Does the run branch at this instant? Then others go on from here, and nothing
 * is to be told. */
static bool
branches(const struct simulation *sim)
{
    return sim->run->forks && sim->run->forks->ways > 0;
}

/* The coefficients of one point, its cell and its margin. */
static void
note_coefficients(struct simulation *sim, struct diag *diag, uint32_t contact,
                  const struct painleve_verdict *found)
{
    char tangential[NUM_TEXT], normal[NUM_TEXT], plus[NUM_TEXT],
        minus[NUM_TEXT], margin[NUM_TEXT];
    diag_note(
        sim->analysis->ds, diag, rt_contact(sim->run, contact)->range,
        "a = %s m/s^2, b = %s m/s^2, p+ = %s 1/kg, p- = %s 1/kg%s%s; "
        "margin %s",
        num_digits(tangential, found->a, 6), num_digits(normal, found->b, 6),
        num_digits(plus, found->p_plus, 6),
        num_digits(minus, found->p_minus, 6), *found->cell ? ", cell " : "",
        found->cell, num_digits(margin, found->margin, 3));
}

int
simulate_paradox_undecided(struct simulation *sim,
                           const struct contact_point *spot, int n,
                           const struct friction_modes *modes)
{
    assert(sim != NULL && spot != NULL && n > 0 && modes != NULL);
    char t[NUM_TEXT];
    const struct friction_choice *choice = &modes->choice;
    const char *verdict = friction_verdict_name(choice->verdict);
    num_digits(t, rt_time(sim->run), 9);
    simulate_log_event(sim, spot[0].contact, "undecided", verdict, 0.0);
    simulate_remark(sim,
                    arena_printf(sim->run->arena, "stopped at t = %s s: %s", t,
                                 cause_text(choice->verdict)));
    sim->stopped = true;
    if (branches(sim))
        return IMP_OK;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_W0727,
        rt_contact(sim->run, spot[0].contact)->range,
        "the motion of the bodies of `%s` is %s at t = %s s: the run stops",
        simulate_contact_name(sim, spot[0].contact), verdict, t);
    diag_label(sim->analysis->ds, diag, "%s", cause_text(choice->verdict));
    if (n == 1)
        note_coefficients(sim, diag, spot[0].contact, &modes->found[0]);
    for (int k = 0; k < choice->n; k++)
        list_set(sim, diag, k + 1, &choice->set[k], spot, n);
    list_ranges(sim, diag, modes->range, spot, n);
    if (modes->jump >= 0)
        diag_note(sim->analysis->ds, diag,
                  rt_contact(sim->run, spot[modes->jump].contact)->range,
                  "an impact without collision at `%s` is possible",
                  simulate_contact_name(sim, spot[modes->jump].contact));
    if (choice->verdict == FRICTION_LOADS)
        diag_help(sim->analysis->ds, diag,
                  "rigid points do not say how they share loads: leave out a "
                  "contact, or take the forces of least norm: world { loads = "
                  "least_norm }");
    else
        diag_help(
            sim->analysis->ds, diag,
            "Coulomb friction at rigid bodies has such states (Painleve): "
            "use less friction, an `until` before that time, or choose: "
            "world { paradox = liftoff }, stick or jump");
    return IMP_OK;
}

void
simulate_paradox_choice(struct simulation *sim, uint32_t contact,
                        const struct friction_choice *choice)
{
    assert(sim != NULL && choice != NULL);
    char t[NUM_TEXT], spread[NUM_TEXT];
    const char *name = simulate_contact_name(sim, contact);
    num_digits(t, rt_time(sim->run), 9);
    if (choice->verdict == FRICTION_LOADS && !sim->reported.loads) {
        sim->reported.loads = true;
        simulate_remark(
            sim, arena_printf(sim->run->brief,
                              "t = %s s: accelerations at `%s` and what it "
                              "touches depend on how the points share the "
                              "loads, by up to %s m/s^2; the forces of least "
                              "norm are taken",
                              t, name, num_digits(spread, choice->spread, 3)));
    }
    if (choice->verdict == FRICTION_NOT_SHOWN && !sim->reported.not_shown) {
        sim->reported.not_shown = true;
        simulate_remark(
            sim,
            arena_printf(sim->run->brief,
                         "t = %s s: the points at `%s` and what it touches "
                         "have more than %ld choices of modes; a motion that "
                         "obeys Coulomb's law was found, and was not shown to "
                         "be the only one",
                         t, name, FRICTION_CHOICES_TRIED));
    }
}

void
simulate_paradox_ranges(struct simulation *sim,
                        const struct contact_point *spot, int n,
                        const struct friction_range *range)
{
    assert(sim != NULL && spot != NULL);
    struct arena *arena = sim->run->brief;
    char t[NUM_TEXT];
    const char *list = "";
    if (!range || sim->reported.shared_forces)
        return;
    sim->reported.shared_forces = true;
    for (int i = 0; i < n; i++)
        list = arena_printf(arena, "%s%s%s: normal force %s N, friction %s N",
                            list, i ? "; " : "",
                            simulate_contact_name(sim, spot[i].contact),
                            range_text(arena, range[i].normal),
                            range_text(arena, range[i].tangential));
    simulate_remark(sim,
                    arena_printf(arena,
                                 "t = %s s: the motion is one, the loads "
                                 "are not: %s",
                                 num_digits(t, rt_time(sim->run), 9), list));
}

void
simulate_paradox_jam(struct simulation *sim, const struct friction_jam *jam,
                     bool stops)
{
    assert(sim != NULL && jam != NULL);
    char t[NUM_TEXT], slip[NUM_TEXT];
    struct arena *arena = sim->run->arena;
    uint32_t contact = jam->spot.contact;
    const char *force = painleve_jam_force(arena, jam->exponent, NAN);
    const char *text = arena_printf(
        arena,
        "`%s` jams at t = %s s: p falls to 0 in slip, the normal force %s, and "
        "the slip is %s m/s; %san impact without collision, or a jump into "
        "stick may follow",
        simulate_contact_name(sim, contact),
        num_digits(t, rt_time(sim->run), 9), force,
        num_digits(slip, jam->slip, 9), jam->opens ? "lift-off, " : "");
    simulate_log_event(sim, contact, "jam", "", 0.0);
    simulate_verdict(sim, contact, &jam->found);
    simulate_remark(
        sim, arena_printf(arena, "%s%s", text, stops ? ": the run stops" : ""));
    if (!stops)
        return;
    sim->stopped = true;
    if (branches(sim))
        return;
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_W0727,
                 rt_contact(sim->run, contact)->range, "%s", text);
    diag_help(sim->analysis->ds, diag,
              "use less friction, an `until` before that time, or choose: "
              "world { paradox = liftoff }, stick or jump");
}
