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

/* the paper's letters */
static const char *
mode_letter(enum contact_mode mode)
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
        mode[i] = mode_letter(set->mode[0]);
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

/* -- two contacts -----------------------------------------------------------
 */

static const char *
class_text(struct analysis *analysis, const int class[3])
{
    return class[0] ? arena_printf(record_arena(analysis), "%d%d%d", class[0],
                                   class[1], class[2])
                    : "";
}

static void
put_two(struct analysis *analysis, const struct painleve_two_in *in,
        const double slip[2], struct record *out)
{
    static const char *const stability[] = {"stable", "unstable", "undecided"};
    static const double one[2] = {1.0, 1.0};
    struct arena *arena = record_arena(analysis);
    struct painleve_two two;
    painleve_two_find(in, &two);
    const char **mode = NEW_N(arena, const char *, PAINLEVE_TWO_MODES),
               **how = NEW_N(arena, const char *, PAINLEVE_TWO_MODES),
               **impact = NEW_N(arena, const char *, 3);
    double *force = NEW_N(arena, double, 2 * PAINLEVE_TWO_MODES),
           *eigen = NEW_N(arena, double, 8);
    size_t n = 0, impacts = 0;
    for (int m = 0; m < PAINLEVE_TWO_MODES; m++) {
        if (!two.consistent[m])
            continue;
        bool pushes[2] = {m == PAINLEVE_SS || m == PAINLEVE_SF,
                          m == PAINLEVE_SS || m == PAINLEVE_FS};
        const char *letter[2];
        for (int k = 0; k < 2; k++)
            letter[k] = !pushes[k] ? "F" : slip[k] > 0.0 ? "S+" : "S-";
        mode[n] = arena_printf(arena, "%s%s", letter[0], letter[1]);
        how[n] = stability[two.stability[m]];
        force[2 * n] = two.force[2 * m];
        force[2 * n + 1] = two.force[2 * m + 1];
        n++;
    }
    if (two.first)
        impact[impacts++] = "IF";
    if (two.second)
        impact[impacts++] = "FI";
    if (two.both)
        impact[impacts++] = "II";
    SET_TEXT("verdict", n == 0   ? "inconsistent"
                        : n == 1 ? "consistent"
                                 : "indeterminate");
    SET_TEXTS("modes", mode, n);
    SET_TEXTS("stability", how, n);
    SET_LIST("normal_forces", force, 2 * n);
    SET_TEXTS("impacts_possible", impact, impacts);
    SET_MAT("matrix", in->p, 2, 2);
    SET_LIST("loads", in->b, 2);
    if (two.class[0]) {
        SET_TEXT("class", class_text(analysis, two.class));
        SET_TEXT("dual", class_text(analysis, two.dual));
    } else {
        SET_ABSENT("class", "a vector lies on a border between two classes");
        SET_ABSENT("dual", "a vector lies on a border between two classes");
    }
    if (painleve_two_eigenvalues(arena, in, one, one, eigen))
        SET_MAT("eigenvalues", eigen, 4, 2);
    else
        SET_ABSENT("eigenvalues", "the iteration came to no end");
}

/* cross: what forces at one do to the gap at the other */
static int
ask_two(struct analysis *analysis, const imp_command *command,
        const struct painleve_instant instant[2], const double cross[4],
        struct record *out)
{
    static const char *const of_one[] = {"slip",
                                         "friction",
                                         "friction_forces",
                                         "accelerations",
                                         "cell",
                                         "outcomes",
                                         "margin",
                                         "mu_P",
                                         "a",
                                         "b",
                                         "A",
                                         "B",
                                         "C",
                                         "D",
                                         "p_plus",
                                         "p_minus",
                                         "k_plus",
                                         "k_minus",
                                         "sigma",
                                         "chatter_ratio",
                                         "chatter_region",
                                         "chatter_case",
                                         "mu_P_least",
                                         "mu_P_least_at",
                                         "mu_P_least_posture",
                                         "wedge",
                                         "alpha",
                                         "panel",
                                         "jam",
                                         "stable",
                                         "stable_conditions"};
    for (int k = 0; k < 2; k++) {
        const char *name = imp_text(
            analysis->rt->im,
            rt_contact(analysis->rt, instant[k].reader->contact)->name);
        bool slips = instant[k].point.slip != 0.0;
        if (instant[k].closed && slips)
            continue;
        struct diag *diag =
            command->args.n == 2
                ? diag_add(analysis->ds, DIAG_E0743, command->range,
                           "`painleve` asks about two contacts that slip; "
                           "`%s` %s",
                           name, slips ? "is not closed" : "does not slip")
                : diag_add(analysis->ds, DIAG_E0743, command->range,
                           "`%s` touches at two points, and `painleve` asks "
                           "about two that slip; these do not",
                           name);
        diag_help(analysis->ds, diag, "%s",
                  command->args.n == 2
                      ? "ask about each by itself, or about another instant: "
                        "at = 1"
                      : "ask about another instant, at = 1, or turn the body a "
                        "little, so that one corner touches");
        return IMP_BADMODEL;
    }
    struct painleve_two_in in;
    double slip[2];
    for (int k = 0; k < 2; k++) {
        const struct painleve_point *point = &instant[k].point,
                                    *other = &instant[1 - k].point;
        slip[k] = point->slip;
        in.b[k] = point->b;
        in.p[2 * k + k] =
            point->C - (point->slip > 0.0 ? 1.0 : -1.0) * point->mu * point->B;
        in.p[2 * k + 1 - k] = cross[2 * k] - (other->slip > 0.0 ? 1.0 : -1.0) *
                                                 other->mu * cross[2 * k + 1];
    }
    SET_NUM("time", instant[0].time);
    SET_NUM("gap", instant[0].gap);
    record_set_absent_all(out, of_one, sizeof of_one / sizeof *of_one,
                          "two contacts are asked about");
    put_two(analysis, &in, slip, out);
    return IMP_OK;
}

/* -- one contact ------------------------------------------------------------
 */

static int
ask_one(struct analysis *analysis, const struct painleve_instant *instant,
        struct record *out)
{
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
    double at, cross[4];
    int n = (int)command->args.n,
        st = arg_number(analysis, command, IMP_OPT_painleve_at, NAN, &at);
    if (st)
        return st;
    rt_reset(analysis->rt);
    analysis->rt->paradox = analysis->rt->im->paradox;
    analysis->rt->loads = analysis->rt->im->loads;
    if (n == 2)
        contact[1] = arg_contact(analysis, command, 1);
    if (rt_contact(analysis->rt, contact[0])->system == IMP_NO_SYSTEM)
        st = painleve_of_bodies(analysis, command, at, instant, &n, cross);
    else if (n == 2)
        st = painleve_pair_of_system(analysis, command, contact, at, instant,
                                     cross);
    else
        st = painleve_of_system(analysis, command, contact[0], at, &instant[0]);
    if (st)
        return st;
    return n == 2 ? ask_two(analysis, command, instant, cross, out)
                  : ask_one(analysis, &instant[0], out);
}

const struct command_functions command_painleve = {.run = cmd_painleve};
