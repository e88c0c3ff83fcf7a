/* SPDX-License-Identifier: MIT */
/* `painleve` of two contacts at one instant: which modes are consistent, and of
 * two that slip the class of Varkonyi, stability and impacts without collision
 * (specification painleve.md, 12). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "runtime/compliance/fast_motion.h"
#include "runtime/instance/contact_compliance.h"

/* -- what is asked -----------------------------------------------------------
 */

/* Both contacts as points of one instant, 4 rows. */
struct pair {
    struct friction_point point[2];
    double W[16], free[4], terms[4];
    struct painleve_two_in in; /* where both slip */
    uint32_t contact[2];
    bool slip;
};

static void
make_pair(const struct painleve_instant instant[2],
          const struct painleve_cross *cross, struct pair *out)
{
    *out = (struct pair){.slip = true};
    for (int k = 0; k < 2; k++) {
        const struct painleve_point *point = &instant[k].point;
        double *own = out->W + 10 * k, *beside = out->W + 2 + 6 * k;
        out->point[k] = (struct friction_point){
            .mu_static = fmax(point->mu, point->mu_static),
            .mu_dynamic = point->mu,
            .slip = point->slip};
        own[0] = point->C;
        own[1] = own[4] = point->B;
        own[5] = point->A;
        beside[0] = cross->normal;
        beside[1] = cross->gap[k];
        beside[4] = cross->gap[1 - k];
        beside[5] = cross->slip;
        out->free[2 * k] = point->b;
        out->free[2 * k + 1] = point->a;
        out->terms[2 * k] = point->b_terms;
        out->terms[2 * k + 1] = point->a_terms;
        out->contact[k] = instant[k].reader->contact;
        out->slip &= point->slip != 0.0;
    }
    for (int k = 0; k < 2; k++) {
        out->in.b[k] = out->free[2 * k];
        out->in.b_terms[k] = out->terms[2 * k];
        for (int j = 0; j < 2; j++) {
            const struct painleve_point *by = &instant[j].point;
            const double *entry = out->W + 8 * k + 2 * j;
            double rub = by->slip > 0.0 ? -by->mu : by->mu;
            out->in.p[2 * k + j] = entry[0] + rub * entry[1];
            out->in.p_terms[2 * k + j] = fabs(entry[0]) + fabs(rub * entry[1]);
        }
    }
}

/* -- the record -------------------------------------------------------------
 */

static void
put_modes(struct analysis *analysis, const struct friction_choice *choice,
          struct record *out)
{
    struct arena *arena = record_arena(analysis);
    size_t n = (size_t)choice->n;
    const char **mode = NEW_N(arena, const char *, n + 1);
    double *normal = NEW_N(arena, double, 2 * n + 1),
           *friction = NEW_N(arena, double, 2 * n + 1),
           *acc = NEW_N(arena, double, 4 * n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct friction_set *set = choice->set + i;
        mode[i] = arena_printf(arena, "%s%s", painleve_letter(set->mode[0]),
                               painleve_letter(set->mode[1]));
        for (size_t k = 0; k < 2; k++) {
            normal[2 * i + k] = set->normal[k];
            friction[2 * i + k] = set->tangential[k];
            acc[4 * i + 2 * k] = set->acc[2 * k + 1];
            acc[4 * i + 2 * k + 1] = set->acc[2 * k];
        }
    }
    SET_TEXT("verdict", friction_verdict_name(choice->verdict));
    SET_TEXTS("modes", mode, n);
    SET_LIST("normal_forces", normal, 2 * n);
    SET_LIST("friction_forces", friction, 2 * n);
    SET_MAT("accelerations", acc, n, 4);
}

static const char *
class_text(struct analysis *analysis, const int class[3])
{
    return arena_printf(record_arena(analysis), "%d%d%d", class[0], class[1],
                        class[2]);
}

static void
put_stability(struct analysis *analysis, const struct painleve_two *two,
              const struct friction_choice *choice, struct record *out)
{
    static const char *const name[] = {"stable", "unstable", "undecided"};
    static const enum painleve_two_mode of[2][2] = {{PAINLEVE_FF, PAINLEVE_FS},
                                                    {PAINLEVE_SF, PAINLEVE_SS}};
    size_t n = (size_t)choice->n;
    const char **how = NEW_N(record_arena(analysis), const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const enum contact_mode *mode = choice->set[i].mode;
        how[i] = name[two->stability[of[mode[0] != CONTACT_FREE]
                                       [mode[1] != CONTACT_FREE]]];
    }
    SET_TEXTS("stability", how, n);
}

/* -- the fast motion where both push ----------------------------------------
 */

/* the compliance that a contact states */
struct stated {
    struct rt *run;
    uint32_t contact;
};

static bool
stated_law(void *ctx, const struct fast_push *push, double out[3])
{
    const struct stated *stated = ctx;
    double at[COMPLIANCE_ROWS] = {push->depth, push->speed, push->impulse,
                                  push->compression},
           all[4];
    if (contact_compliance_law(stated->run, stated->contact, at, all))
        return false;
    memcpy(out, all, 3 * sizeof *out);
    return isfinite(all[0]);
}

/* Stiffness and damping of both compliances under the loads of this choice, in
 * which both push. False: one has none, or never bears its load. */
static bool
stated_slopes(struct analysis *analysis, const uint32_t contact[2],
              const struct friction_set *set, double stiffness[2],
              double damping[2])
{
    for (int k = 0; k < 2; k++) {
        struct stated stated = {analysis->rt, contact[k]};
        struct fast_law law = {stated_law, &stated};
        double at_rest[3];
        if (rt_contact(analysis->rt, contact[k])->compliance == IMP_NO_TAPE)
            return false;
        double depth = fast_depth(&law, set->normal[k]);
        struct fast_push rests = fast_pressed(depth, 0.0);
        if (!isfinite(depth) || !stated_law(&stated, &rests, at_rest))
            return false;
        stiffness[k] = at_rest[1];
        damping[k] = at_rest[2];
    }
    return true;
}

static void
put_eigenvalues(struct analysis *analysis, const struct pair *pair,
                const struct friction_choice *choice, struct record *out)
{
    double *eigen = NEW_N(record_arena(analysis), double, 8),
           stiffness[2] = {1.0, 1.0}, damping[2] = {1.0, 1.0};
    for (int i = 0; i < choice->n; i++)
        if (choice->set[i].mode[0] != CONTACT_FREE &&
            choice->set[i].mode[1] != CONTACT_FREE &&
            !stated_slopes(analysis, pair->contact, choice->set + i, stiffness,
                           damping))
            stiffness[0] = stiffness[1] = damping[0] = damping[1] = 1.0;
    if (painleve_two_eigenvalues(record_arena(analysis), &pair->in, stiffness,
                                 damping, eigen))
        SET_MAT("eigenvalues", eigen, 4, 2);
    else
        SET_ABSENT("eigenvalues", "the iteration came to no end");
}

/* What is asked of two contacts that slip. */
static void
put_slipping(struct analysis *analysis, const struct pair *pair,
             const struct friction_choice *choice, struct record *out)
{
    static const char *const border =
        "a vector lies on a border between two classes";
    struct painleve_two two;
    const char *impact[3];
    size_t n = 0;
    painleve_two_find(&pair->in, &two);
    SET_NUM("margin", two.margin);
    SET_MAT("matrix", pair->in.p, 2, 2);
    SET_LIST("loads", pair->in.b, 2);
    if (two.class[0]) {
        SET_TEXT("class", class_text(analysis, two.class));
        SET_TEXT("dual", class_text(analysis, two.dual));
    } else {
        SET_ABSENT("class", border);
        SET_ABSENT("dual", border);
    }
    put_stability(analysis, &two, choice, out);
    if (two.first)
        impact[n++] = "IF";
    if (two.second)
        impact[n++] = "FI";
    if (two.both)
        impact[n++] = "II";
    SET_TEXTS("impacts_possible", impact, n);
    put_eigenvalues(analysis, pair, choice, out);
}

static void
put_at_rest(const struct friction_choice *choice, struct record *out)
{
    static const char *const of_slip[] = {"class",      "dual",
                                          "matrix",     "loads",
                                          "stability",  "impacts_possible",
                                          "eigenvalues"};
    record_set_absent_all(out, of_slip, sizeof of_slip / sizeof *of_slip,
                          "not both contacts slip");
    if (choice->verdict == FRICTION_UNIQUE)
        SET_NUM("margin", choice->margin);
    else
        SET_ABSENT("margin", "it is that of one choice of modes with unique "
                             "forces");
}

static int
refuse_open(struct analysis *analysis, const imp_command *command,
            const struct painleve_instant *instant)
{
    const struct rt *run = analysis->rt;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0743, command->range,
        "`painleve` asks about two contacts that are closed; `%s` is "
        "not",
        imp_text(run->im, rt_contact(run, instant->reader->contact)->name));
    diag_help(analysis->ds, diag,
              "ask about each by itself, or about another instant: at = 1");
    return IMP_BADMODEL;
}

int
painleve_put_two(struct analysis *analysis, const imp_command *command,
                 const struct painleve_instant instant[2],
                 const struct painleve_cross *cross, struct record *out)
{
    static const char *const of_one[] = {"slip",
                                         "friction",
                                         "cell",
                                         "outcomes",
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
                                         "beta",
                                         "panel",
                                         "jam",
                                         "stable",
                                         "stable_conditions"};
    assert(analysis && command && instant && cross && out);
    for (int k = 0; k < 2; k++)
        if (!instant[k].closed)
            return refuse_open(analysis, command, &instant[k]);
    struct arena *arena = analysis->rt->arena;
    struct pair *pair = NEW(arena, struct pair);
    struct friction_choice *choice = NEW(arena, struct friction_choice);
    make_pair(instant, cross, pair);
    struct friction_instant both = {.n = 2,
                                    .point = pair->point,
                                    .W = pair->W,
                                    .free = pair->free,
                                    .terms = pair->terms};
    friction_choose(arena, &both, choice);
    SET_NUM("time", instant[0].time);
    SET_NUM("gap", instant[0].gap);
    record_set_absent_all(out, of_one, sizeof of_one / sizeof *of_one,
                          "two contacts are asked about");
    put_modes(analysis, choice, out);
    if (pair->slip)
        put_slipping(analysis, pair, choice, out);
    else
        put_at_rest(choice, out);
    return IMP_OK;
}
