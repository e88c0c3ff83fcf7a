/* SPDX-License-Identifier: MIT */
/* `classify`: what kind of collision the first touch of two bodies is
 * (Palffy-Muhoray et al. 2018; corrected flow chart, tangential.md 0.D).
 *
 *   v > 0            separating
 *   v < 0            C-   normal collision, an impact follows
 *   v = 0, D > 0     C0+  touch without overlap
 *          D < 0     C0-  overlap before and after: not realisable
 *          D = 0     C00  j* < 0: apart before, overlap after (the paradox);
 *                         j* > 0: overlap before, not realisable;
 *                         j* = 0: higher orders decide
 *
 * "= 0" means within `tolerance` times the size of the terms that make the
 * coefficient. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/normal_choices.h"
#include "analysis/collision/penetration_depth.h"
#include "base/num.h"

struct remarks {
    const char *v[8];
    size_t n;
};

static void
remark(struct remarks *r, const char *s)
{
    if (s && r->n < sizeof r->v / sizeof *r->v)
        r->v[r->n++] = s;
}

static int
apart(struct analysis *analysis, const struct touch *touch, struct record *out)
{
    char s[NUM_TEXT];
    const char *why =
        touch->found == TOUCH_NEVER
            ? "the bodies never touch"
            : arena_printf(record_arena(analysis), "no touch until t = %s s",
                           rt_told(s, touch->time, 6));
    for (size_t i = 0; i < out->n; i++)
        SET_ABSENT(imp_text(analysis->rt->im, out->schema[i].name), why);
    SET_TEXT("class", "apart");
    SET_NUM("tolerance", analysis->rt->world.tolerance);
    SET_TEXTS("warnings", &why, 1);
    return IMP_OK;
}

static void
set_curvatures(const struct touch *touch, struct record *out)
{
    size_t n = (size_t)touch->tangency.nt;
    if (!touch->formulas) {
        SET_ABSENT("curvatures_1", touch->no_formulas);
        SET_ABSENT("curvatures_2", touch->no_formulas);
        return;
    }
    SET_LIST("curvatures_1", touch->tangency.kappa1, n);
    SET_LIST("curvatures_2", touch->tangency.kappa2, n);
}

/* Sets the fields that the formulas give and the series does not. */
static void
set_points(const struct touch *touch, const struct verdict *verdict,
           struct record *out)
{
    static const char *const all[] = {"a_P", "a_Q",   "j_P",
                                      "j_Q", "max_P", "max_Q"};
    if (!touch->formulas) {
        record_set_absent_all(out, all, 6, touch->no_formulas);
        return;
    }
    SET_NUM("a_P", touch->tangency.a_P);
    SET_NUM("a_Q", touch->tangency.a_Q);
    if (fabs(verdict->v) <= verdict->v_tol) {
        SET_NUM("j_P", touch->tangency.j_P);
        SET_NUM("j_Q", touch->tangency.j_Q);
    } else {
        record_set_absent_all(
            out, all + 2, 2,
            "third-order coefficients of the contact points are "
            "those of a tangential touch, where v = 0");
    }
    SET_NUM("max_P", touch->tangency.max_P);
    SET_NUM("max_Q", touch->tangency.max_Q);
}

static void
set_verdict(struct analysis *analysis, const struct touch *touch,
            const struct verdict *verdict, struct record *out,
            struct remarks *rm)
{
    static const char *const types[] = {"", "I", "II", "III"};
    static const char *const who[] = {"none", "P", "Q", "both"};
    SET_TEXT("class", touch_class_name[verdict->class]);
    if (verdict->type)
        SET_TEXT("type", types[verdict->type]);
    else
        SET_ABSENT("type", verdict->class == CLASS_00 ? touch->no_formulas
                                                      : "only C00 has a type");

    if (verdict->class == CLASS_MINUS)
        SET_ABSENT("enters", "an impact keeps the points out");
    else if (verdict->class == CLASS_SEPARATING)
        SET_TEXT("enters", "none");
    else if (touch->formulas)
        SET_TEXT("enters",
                 who[(verdict->in_P ? 1 : 0) + (verdict->in_Q ? 2 : 0)]);
    else
        SET_ABSENT("enters", touch->no_formulas);

    switch (verdict->class) {
    case CLASS_SEPARATING:
        SET_ABSENT("realisable", "the bodies separate: how they came to touch "
                                 "is not known");
        break;
    case CLASS_00:
        if (verdict->jerk_zero) {
            SET_ABSENT("realisable", "the third derivative of the gap is zero "
                                     "too: higher orders decide");
            remark(rm, "v, D and j* are all zero within tolerance: the fourth "
                       "derivative of the gap decides, see gap_series");
            break;
        }
        SET_BOOL("realisable", verdict->jerk < 0.0);
        remark(rm, verdict->jerk < 0.0
                       ? "paradox: apart before, and free motion leads into "
                         "overlap; no impulse conserves energy (C00, j* < 0)"
                       : "the bodies overlap before the touch (C00, j* > 0)");
        break;
    default:
        SET_BOOL("realisable", verdict->class != CLASS_0_MINUS);
    }
    if (verdict->margin > 1e-2 && verdict->margin < 1e2)
        remark(rm, "the deciding coefficient is within a factor 100 of its "
                   "tolerance: the verdict depends on the last digits of the "
                   "data");
    if (touch->no_jet)
        remark(rm, touch->no_jet);
    bool corners =
        rt_contact(analysis->rt, touch->contact)->flags & IMP_CONTACTF_CORNERS;
    if (touch->open) {
        remark(rm, "the shapes leave the normal open here: v and D are those "
                   "along the choice with the fastest approach, or the fastest "
                   "way out where there is none");
        remark(rm, touch->open_text);
    }
    if (!touch->formulas && !corners)
        remark(rm, touch->no_formulas);
}

static const char *
jump_text(struct analysis *analysis, double before, double after)
{
    char b[NUM_TEXT], f[NUM_TEXT];
    double least = RT_TOLERANCE * fmax(fabs(before), fabs(after));
    before = fabs(before) <= least ? 0.0 : before;
    after = fabs(after) <= least ? 0.0 : after;
    return arena_printf(record_arena(analysis),
                        "other features of the bodies take over at the touch: "
                        "the gap's second derivative jumps from %s to %s "
                        "m/s^2; the verdict is that of what follows",
                        num_digits(b, before, 6), num_digits(f, after, 6));
}

/* Reads the option `order`: up to which order the series of the gap is read. */
static int
read_order(struct analysis *analysis, const imp_command *command, double *order)
{
    int st = arg_number(analysis, command, IMP_OPT_classify_order, 8.0, order);
    if (st || (*order >= 6.0 && *order <= JET_MAX && *order == floor(*order)))
        return st;
    char text[NUM_TEXT];
    diag_add(analysis->ds, DIAG_E0705,
             arg_option(analysis, command, IMP_OPT_classify_order)->range,
             "`order` is %s: it must be a whole number from 6 to %d",
             num_shortest(text, *order), JET_MAX);
    return IMP_BADMODEL;
}

static int
cmd_classify(struct analysis *analysis, const imp_command *command,
             struct record *out)
{
    static const char *const deep[] = {
        "depth_predicted", "depth_measured", "depth_time",    "exponent",
        "overlap_end",     "depth_max",      "depth_max_time"};
    struct touch touch;
    struct verdict verdict;
    struct remarks rm = {0};
    double until, order;
    int st;
    if ((st = touch_option_until(analysis, command, IMP_OPT_classify_until,
                                 &until)) ||
        (st = read_order(analysis, command, &order)))
        return st;
    if ((st = touch_find(analysis, arg_contact(analysis, command, 0), until,
                         &touch)))
        return st;
    if (touch.found != TOUCH_YES)
        return apart(analysis, &touch, out);
    if (touch.order >= 0 && (int)order > touch.order && !touch.no_jet &&
        (st = touch_read(analysis, &touch, (int)order)))
        return st;
    if ((st = touch_agree(analysis, &touch)))
        return st;
    double before;
    bool jumps = touch_sides(analysis, &touch, &before);
    touch_verdict(analysis, &touch, &verdict);
    if (jumps && fabs(verdict.v) <= verdict.v_tol)
        remark(&rm, jump_text(analysis, before, verdict.D));

    /* The fields are set in the order of the record, so that the search for
     * each ends at once. */
    SET_NUM("time", touch.time);
    set_verdict(analysis, &touch, &verdict, out, &rm);
    SET_NUM("v", verdict.v);
    SET_NUM("D", verdict.D);
    SET_NUM("jerk", verdict.jerk);
    set_points(&touch, &verdict, out);
    SET_VEC("P", touch.P);
    SET_VEC("Q", touch.Q);
    SET_VEC("normal", touch.n);
    set_curvatures(&touch, out);
    SET_NUM("tolerance", analysis->rt->world.tolerance);
    SET_NUM("margin", verdict.margin);
    if (touch.order >= 1) {
        int top = touch.order < (int)order ? touch.order : (int)order;
        SET_LIST("gap_series", touch.jet, (size_t)top + 1);
    } else {
        SET_ABSENT("gap_series", touch.no_jet);
    }

    bool overlaps =
        !touch.open && (verdict.class == CLASS_0_MINUS ||
                        (verdict.class == CLASS_00 && !verdict.jerk_zero));
    if (overlaps) {
        const char *more;
        if ((st = penetration_depth_measure(analysis, &touch, &verdict, out,
                                            &more)))
            return command_failed(analysis, st, command->range,
                                  "following the overlap");
        remark(&rm, more);
    } else {
        record_set_absent_all(out, deep, 7,
                              touch.open
                                  ? "the normal is open"
                                  : "only C00 and C0- lead to an overlap");
    }
    SET_TEXTS("warnings", rm.v, rm.n);
    return IMP_OK;
}

const struct command_functions command_classify = {.run = cmd_classify};
