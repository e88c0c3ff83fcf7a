/* SPDX-License-Identifier: MIT */
/* `painleve c`: one contact with friction at one instant, in the terms of
 * Champneys and Varkonyi: its coefficients, whether it has one motion, several
 * or none, and what may happen. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "base/num.h"
#include "runtime/friction/painleve.h"
#include "runtime/setup/new_run.h"

static void
put_coefficients(const struct painleve_instant *instant,
                 const struct painleve *found, struct record *out)
{
    const struct painleve_point *point = &instant->point;
    if (isfinite(found->mu_P))
        SET_NUM("mu_P", found->mu_P);
    else
        SET_ABSENT("mu_P", "B is 0: no friction is enough");
    SET_NUM("a", point->a);
    SET_NUM("b", point->b);
    SET_NUM("A", point->A);
    SET_NUM("B", point->B);
    SET_NUM("C", point->C);
    SET_NUM("D", found->D);
    SET_NUM("p_plus", found->p_plus);
    SET_NUM("p_minus", found->p_minus);
    SET_NUM("k_plus", found->k_plus);
    SET_NUM("k_minus", found->k_minus);
    SET_NUM("sigma", found->sigma);
}

static const char *const of_chatter[] = {"chatter_ratio", "chatter_region",
                                         "chatter_case"};

static void
put_chatter(const struct painleve *found, struct record *out)
{
    static const char *const impacts[] = {
        "the slip goes on", "it comes to stick in restitution",
        "it comes to stick in compression", "it turns back in restitution",
        "it turns back in compression"};
    if (!isfinite(found->chatter)) {
        record_set_absent_all(out, of_chatter, 3,
                              "b >= 0: nothing presses the contact");
        return;
    }
    assert(found->chatter_region >= 1 && found->chatter_region <= 10);
    SET_NUM("chatter_ratio", found->chatter);
    SET_NUM("chatter_region", found->chatter_region);
    SET_TEXT("chatter_case", impacts[(found->chatter_region - 1) / 2]);
}

const char *
painleve_letter(enum contact_mode mode)
{
    static const char *const letter[] = {[CONTACT_FREE] = "F",
                                         [CONTACT_SLIDE] = "S",
                                         [CONTACT_STICK] = "T",
                                         [CONTACT_SLIP_POSITIVE] = "S+",
                                         [CONTACT_SLIP_NEGATIVE] = "S-"};
    return letter[mode];
}

static void
put_modes(struct analysis *analysis, const struct painleve *found,
          struct record *out)
{
    struct arena *arena = record_arena(analysis);
    int n = found->choice.n;
    const char **mode = NEW_N(arena, const char *, n + 1);
    double *normal = NEW_N(arena, double, n + 1),
           *friction = NEW_N(arena, double, n + 1),
           *acc = NEW_N(arena, double, 2 * n + 1);
    for (int i = 0; i < n; i++) {
        const struct friction_set *set = found->choice.set + i;
        mode[i] = painleve_letter(set->mode[0]);
        normal[i] = set->normal[0];
        friction[i] = set->tangential[0];
        acc[2 * i] = set->acc[1];
        acc[2 * i + 1] = set->acc[0];
    }
    SET_TEXT("verdict", friction_verdict_name(found->choice.verdict));
    SET_TEXTS("modes", mode, (size_t)n);
    SET_LIST("normal_forces", normal, (size_t)n);
    SET_LIST("friction_forces", friction, (size_t)n);
    SET_MAT("accelerations", acc, (size_t)n, 2);
    if (found->row > 0)
        SET_TEXT("cell", painleve_cell(found));
    else
        SET_ABSENT("cell", "a coefficient that decides is 0");
}

static void
put_outcomes(struct analysis *analysis, const struct painleve *found,
             struct record *out)
{
    static const struct {
        enum painleve_outcome bit;
        const char *name;
    } all[] = {{PAINLEVE_LIFTOFF, "F"},
               {PAINLEVE_STICK, "T"},
               {PAINLEVE_SLIP_POSITIVE, "S+"},
               {PAINLEVE_SLIP_NEGATIVE, "S-"},
               {PAINLEVE_IMPACT, "IWC"}};
    size_t n = 0, most = sizeof all / sizeof *all;
    const char **name = NEW_N(record_arena(analysis), const char *, most);
    for (size_t i = 0; i < most; i++)
        if (found->outcomes & all[i].bit)
            name[n++] = all[i].name;
    SET_TEXTS("outcomes", name, n);
}

static const char *const of_two[] = {
    "class",      "dual", "matrix", "loads", "stability", "impacts_possible",
    "eigenvalues"};

/* -- one contact ------------------------------------------------------------
 */

static int
ask_one(struct analysis *analysis, const imp_command *command,
        const struct painleve_instant *instant, struct record *out)
{
    if (!(instant->point.C > 0.0)) {
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0743, command->range,
                     "`painleve` asks what forces at a contact do, but joints "
                     "hold the gap of this one: no force moves it");
        diag_help(analysis->ds, diag,
                  "ask about a contact whose bodies can part");
        return IMP_FAILED;
    }
    static const char *const of_closed[] = {
        "verdict",       "modes", "normal_forces", "friction_forces",
        "accelerations", "cell",  "outcomes",      "margin"};
    struct painleve *found = NEW(analysis->rt->arena, struct painleve);
    painleve_find(analysis->rt->arena, &instant->point, found);
    /* in the order of the record: its fields are then found at once */
    SET_NUM("time", instant->time);
    SET_NUM("gap", instant->gap);
    SET_NUM("slip", instant->point.slip);
    SET_NUM("friction", instant->point.mu);
    if (instant->closed) {
        put_modes(analysis, found, out);
        put_outcomes(analysis, found, out);
        SET_NUM("margin", found->margin);
    } else {
        record_set_absent_all(
            out, of_closed, sizeof of_closed / sizeof *of_closed,
            instant->gap > 0.0 ? "the contact is open at this time"
                               : "the contact closes with a speed: an "
                                 "impact comes first");
    }
    put_coefficients(instant, found, out);
    put_chatter(found, out);
    int st = painleve_put_instant(instant, found, out);
    if (st)
        return st;
    record_set_absent_all(out, of_two, sizeof of_two / sizeof *of_two,
                          "one contact is asked about");
    return IMP_OK;
}

static int
cmd_painleve(struct analysis *analysis, const imp_command *command,
             struct record *out)
{
    assert(analysis != NULL && command != NULL && command->args.n >= 1);
    struct painleve_instant instant[2];
    uint32_t contact[2] = {arg_contact(analysis, command, 0), 0};
    struct painleve_cross cross;
    double at;
    int n = (int)command->args.n,
        st = arg_instant(analysis, command, IMP_OPT_painleve_at, &at);
    if (st)
        return st;
    rt_reset(analysis->rt);
    analysis->rt->paradox = analysis->rt->im->paradox;
    analysis->rt->loads = analysis->rt->im->loads;
    if (n == 2)
        contact[1] = arg_contact(analysis, command, 1);
    if (rt_contact(analysis->rt, contact[0])->system == IMP_NO_SYSTEM)
        st = painleve_of_bodies(analysis, command, at, instant, &n, &cross);
    else if (n == 2)
        st = painleve_pair_of_system(analysis, command, contact, at, instant,
                                     &cross);
    else
        st = painleve_of_system(analysis, command, contact[0], at, &instant[0]);
    if (st)
        return st;
    painleve_tell_beside(analysis, command, instant, n);
    return n == 2 ? painleve_put_two(analysis, command, instant, &cross, out)
                  : ask_one(analysis, command, &instant[0], out);
}

const struct command_functions command_painleve = {.run = cmd_painleve};
