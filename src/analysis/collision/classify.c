/* SPDX-License-Identifier: MIT */
/* `classify`: what kind of collision the first touch of two bodies is
 * (Palffy-Muhoray et al. 2018; corrected flow chart, spec 0.D).
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
apart(struct analysis *a, const struct touch *t, struct record *out)
{
    char s[NUM_TEXT];
    const char *why =
        t->found == TOUCH_NEVER
            ? "the bodies never touch"
            : arena_printf(record_arena(a), "no touch until t = %s s",
                           num_digits(s, t->time, 6));
    for (size_t i = 0; i < out->n; i++)
        SET_ABSENT(imp_text(a->rt->im, out->schema[i].name), why);
    SET_TEXT("class", "apart");
    SET_NUM("tolerance", a->rt->tolerance);
    SET_TEXTS("warnings", &why, 1);
    return IMP_OK;
}

static void
set_curvatures(const struct touch *t, struct record *out)
{
    size_t n = (size_t)t->t.nt;
    if (!t->formulas) {
        SET_ABSENT("curvatures_1", t->no_formulas);
        SET_ABSENT("curvatures_2", t->no_formulas);
        return;
    }
    SET_LIST("curvatures_1", t->t.kappa1, n);
    SET_LIST("curvatures_2", t->t.kappa2, n);
}

/* what only the formulas give */
static void
set_points(const struct touch *t, const struct verdict *v, struct record *out)
{
    static const char *const all[] = {"a_P", "a_Q",   "j_P",
                                      "j_Q", "max_P", "max_Q"};
    if (!t->formulas) {
        record_set_absent_all(out, all, 6, t->no_formulas);
        return;
    }
    SET_NUM("a_P", t->t.a_P);
    SET_NUM("a_Q", t->t.a_Q);
    if (fabs(v->v) <= v->v_tol) {
        SET_NUM("j_P", t->t.j_P);
        SET_NUM("j_Q", t->t.j_Q);
    } else {
        record_set_absent_all(
            out, all + 2, 2,
            "third-order coefficients of the contact points are "
            "those of a tangential touch, where v = 0");
    }
    SET_NUM("max_P", t->t.max_P);
    SET_NUM("max_Q", t->t.max_Q);
}

static void
set_verdict(struct analysis *a, const struct touch *t, const struct verdict *v,
            struct record *out, struct remarks *rm)
{
    static const char *const types[] = {"", "I", "II", "III"};
    static const char *const who[] = {"none", "P", "Q", "both"};
    SET_TEXT("class", touch_class_name[v->class]);
    if (v->type)
        SET_TEXT("type", types[v->type]);
    else
        SET_ABSENT("type", v->class == CLASS_00 ? t->no_formulas
                                                : "only C00 has a type");

    if (v->class == CLASS_MINUS)
        SET_ABSENT("enters", "an impact keeps the points out");
    else if (v->class == CLASS_SEPARATING)
        SET_TEXT("enters", "none");
    else if (t->formulas)
        SET_TEXT("enters", who[(v->in_P ? 1 : 0) + (v->in_Q ? 2 : 0)]);
    else
        SET_ABSENT("enters", t->no_formulas);

    switch (v->class) {
    case CLASS_SEPARATING:
        SET_ABSENT("realisable", "the bodies separate: how they came to touch "
                                 "is not known");
        break;
    case CLASS_00:
        if (v->jerk_zero) {
            SET_ABSENT("realisable", "the third derivative of the gap is zero "
                                     "too: higher orders decide");
            remark(rm, "v, D and j* are all zero within tolerance: the fourth "
                       "derivative of the gap decides, see gap_series");
            break;
        }
        SET_BOOL("realisable", v->jerk < 0.0);
        remark(rm, v->jerk < 0.0
                       ? "paradox: apart before, and free motion leads into "
                         "overlap; no impulse conserves energy (C00, j* < 0)"
                       : "the bodies overlap before the touch (C00, j* > 0)");
        break;
    default:
        SET_BOOL("realisable", v->class != CLASS_0_MINUS);
    }
    if (v->margin > 1e-2 && v->margin < 1e2)
        remark(rm, "the deciding coefficient is within a factor 100 of its "
                   "tolerance: the verdict depends on the last digits of the "
                   "data");
    if (t->no_jet)
        remark(rm, t->no_jet);
    bool corners = rt_contact(a->rt, t->contact)->flags & IMP_CONTACTF_CORNERS;
    if (t->open) {
        remark(rm, "the shapes leave the normal open here: v and D are those "
                   "along the choice with the fastest approach, or the fastest "
                   "way out where there is none");
        remark(rm, t->open_text);
    }
    if (!t->formulas && !corners)
        remark(rm, t->no_formulas);
}

static const char *
jump_text(struct analysis *a, double before, double after)
{
    char b[NUM_TEXT], f[NUM_TEXT];
    double least = RT_TOLERANCE * fmax(fabs(before), fabs(after));
    before = fabs(before) <= least ? 0.0 : before;
    after = fabs(after) <= least ? 0.0 : after;
    return arena_printf(record_arena(a),
                        "other features of the bodies take over at the touch: "
                        "the gap's second derivative jumps from %s to %s "
                        "m/s^2; the verdict is that of what follows",
                        num_digits(b, before, 6), num_digits(f, after, 6));
}

static int
cmd_classify(struct analysis *a, const imp_command *c, struct record *out)
{
    static const char *const deep[] = {
        "depth_predicted", "depth_measured", "depth_time",    "exponent",
        "overlap_end",     "depth_max",      "depth_max_time"};
    struct touch t;
    struct verdict v;
    struct remarks rm = {0};
    double until, order;
    int st;
    if ((st = touch_option_until(a, c, IMP_OPT_classify_until, &until)) ||
        (st = arg_number(a, c, IMP_OPT_classify_order, 8.0, &order)))
        return st;
    if (!(order >= 6.0 && order <= JET_MAX) || order != floor(order)) {
        char s[NUM_TEXT];
        diag_add(a->ds, DIAG_E0705,
                 arg_option(a, c, IMP_OPT_classify_order)->range,
                 "`order` is %s: it must be a whole number from 6 to %d",
                 num_shortest(s, order), JET_MAX);
        return IMP_BADMODEL;
    }
    if ((st = touch_find(a, arg_contact(a, c, 0), until, &t)))
        return st;
    if (t.found != TOUCH_YES)
        return apart(a, &t, out);
    if (t.order >= 0 && (int)order > t.order && !t.no_jet &&
        (st = touch_read(a, &t, (int)order)))
        return st;
    if ((st = touch_agree(a, &t)))
        return st;
    double before;
    bool jumps = touch_sides(a, &t, &before);
    touch_verdict(a, &t, &v);
    if (jumps && fabs(v.v) <= v.v_tol)
        remark(&rm, jump_text(a, before, v.D));

    /* in the order of the record: each field is found where it is looked for */
    SET_NUM("time", t.time);
    set_verdict(a, &t, &v, out, &rm);
    SET_NUM("v", v.v);
    SET_NUM("D", v.D);
    SET_NUM("jerk", v.jerk);
    set_points(&t, &v, out);
    SET_VEC("P", t.P);
    SET_VEC("Q", t.Q);
    SET_VEC("normal", t.n);
    set_curvatures(&t, out);
    SET_NUM("tolerance", a->rt->tolerance);
    SET_NUM("margin", v.margin);
    if (t.order >= 1) {
        int top = t.order < (int)order ? t.order : (int)order;
        SET_LIST("gap_series", t.jet, (size_t)top + 1);
    } else {
        SET_ABSENT("gap_series", t.no_jet);
    }

    bool overlaps = !t.open && (v.class == CLASS_0_MINUS ||
                                (v.class == CLASS_00 && !v.jerk_zero));
    if (overlaps) {
        const char *more;
        if ((st = penetration_depth_measure(a, &t, &v, out, &more)))
            return command_failed(a, st, c->range, "following the overlap");
        remark(&rm, more);
    } else {
        record_set_absent_all(out, deep, 7,
                              t.open ? "the normal is open"
                                     : "only C00 and C0- lead to an overlap");
    }
    SET_TEXTS("warnings", rm.v, rm.n);
    return IMP_OK;
}

const struct command_functions command_classify = {.run = cmd_classify};
