/* SPDX-License-Identifier: MIT */
/* `impact c1, c2, ...`: contacts with shapes are followed to their touch,
 * stated ones are where they are; the problem of runtime/impact/impact.h is
 * built and solved under the law asked for. Where the law gives no unique
 * motion none is applied, and the choices are told (I4). */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/normal_choices.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/events/event.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/gap/tolerance.h"
#include "runtime/numerics/vec3.h"
#include "runtime/setup/new_run.h"

const char *const impact_law_name[] = {
    "newton",
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) #word,
#include "abi/laws.def"
};
/* said of several contacts with unequal restitutions */
static const char *const unequal_remark[] = {
    "",
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) unequal,
#include "abi/laws.def"
};

/* normal velocities up to this share of the speeds are none, as in impact.c */
#define RESTS 1e-9

bool
impact_is_plain(const struct rt *r, uint32_t contact)
{
    const imp_contact *k = rt_contact(r, contact);
    if (k->flags & (IMP_CONTACTF_STATED | IMP_CONTACTF_CORNERS))
        return false;
    const imp_joint *j = IMP_ARRAY(r->im, r->im->joints, imp_joint);
    for (uint32_t i = 0; i < r->im->joints.n; i++)
        for (int s = 0; s < 4; s++)
            if (j[i].body[s & 1] == k->body[s >> 1])
                return false;
    return true;
}

/* "newton, poisson, ... or rest" */
static const char *
law_list(struct analysis *a)
{
    const char *list = impact_law_name[IMP_IMPACT_NEWTON];
    for (int i = IMP_IMPACT_NEWTON + 1; i < IMP_IMPACT_COUNT; i++)
        list = arena_printf(a->rt->arena, "%s%s%s", list,
                            i + 1 < IMP_IMPACT_COUNT ? ", " : " or ",
                            impact_law_name[i]);
    return list;
}

int
impact_law_of_command(struct analysis *a, const imp_command *c,
                      enum imp_impact_law *law)
{
    const imp_val *v = arg_option(a, c, IMP_OPT_impact_law);
    *law = (enum imp_impact_law)a->rt->im->impact_law;
    if (!v)
        return IMP_OK;
    const char *word = imp_text(a->rt->im, v->text);
    for (int i = IMP_IMPACT_NEWTON; i < IMP_IMPACT_COUNT; i++)
        if (!strcmp(word, impact_law_name[i])) {
            *law = (enum imp_impact_law)i;
            return IMP_OK;
        }
    struct diag *d =
        diag_add(a->ds, DIAG_E0705, v->range, "`%s` is no law of impact", word);
    const char *near = suggest(word, impact_law_name + 1, IMP_IMPACT_COUNT - 1);
    diag_help(a->ds, d, "%s%s%s%s", near ? "did you mean `" : "",
              near ? near : "", near ? "`? " : "", law_list(a));
    return IMP_BADMODEL;
}

/* what of a body touches */
static const char *
feature_name(const struct rt *r, unsigned char kind)
{
    switch (kind) {
    case FEATURE_VERTEX:
        return "a corner";
    case FEATURE_EDGE:
        return "an edge";
    case FEATURE_FACE:
        return r->im->dim == 2 ? "a side" : "a face";
    default:
        return "the surface";
    }
}

static const char *
direction(const struct rt *r, const double n[3])
{
    char x[3][NUM_TEXT];
    for (int i = 0; i < 3; i++)
        num_digits(x[i], n[i], 6);
    return r->im->dim == 2
               ? arena_printf(r->brief, "(%s, %s)", x[0], x[1])
               : arena_printf(r->brief, "(%s, %s, %s)", x[0], x[1], x[2]);
}

void
impact_report_open_normal(struct analysis *a, const struct impact_of_run *in,
                          enum diag_code code, imp_range where)
{
    struct rt *r = a->rt;
    const imp_contact *k = rt_contact(r, in->open);
    const struct contact_manifold *t = in->choice;
    struct normal_choices o;
    const char *name[2], *of[2];
    char at[NUM_TEXT];
    for (int s = 0; s < 2; s++) {
        name[s] = imp_text(r->im, rt_body(r, k->body[s])->name);
        of[s] = feature_name(r, t->pair.kind[s]);
    }
    struct diag *d = diag_add(
        a->ds, code, k->range,
        "the normal of `%s` is set-valued: %s of `%s` touches %s of "
        "`%s`%s",
        imp_text(r->im, k->name), of[0], name[0], of[1], name[1],
        t->pair.kind[0] == FEATURE_EDGE && t->pair.kind[1] == FEATURE_EDGE
            ? ", along it"
            : "");
    diag_note(a->ds, d, where, "asked here, at t = %s s",
              num_digits(at, rt_time(r), 9));
    bool known = !normal_choices_read(a, in->open, t, &o);
    for (int i = 0; i < t->n_choice; i++) {
        const char *n = direction(r, t->choice[i]), *v = "";
        char x[NUM_TEXT];
        if (known && fabs(o.v[i]) > o.v_tol)
            v = arena_printf(r->brief, "; normal velocity %s m/s",
                             num_digits(x, o.v[i], 6));
        else if (known && fabs(o.D[i]) > o.D_tol)
            v = arena_printf(
                r->brief,
                "; normal velocity 0, the gap's second derivative %s "
                "m/s^2",
                num_digits(x, o.D[i], 6));
        else if (known)
            v = "; normal velocity 0";
        if (t->choice_body[i] == MANIFOLD_CROSSING)
            diag_note(
                a->ds, d, IMP_NOWHERE,
                "%s: the common normal of an edge of `%s` and one of `%s`%s", n,
                name[0], name[1], v);
        else
            diag_note(a->ds, d, IMP_NOWHERE, "%s: the normal of %s of `%s`%s",
                      n, feature_name(r, FEATURE_FACE),
                      name[t->choice_body[i] & 1u], v);
    }
    if (known)
        diag_note(a->ds, d, IMP_NOWHERE, "%s", normal_choices_text(&o));
    diag_help(a->ds, d,
              "state one of these, or one between them, in the contact: "
              "contact %s : %s | %s { normal = %s }",
              imp_text(r->im, k->name), name[0], name[1],
              t->n_choice ? direction(r, t->choice[0]) : "...");
}

int
impact_law_of_contacts(struct analysis *a, imp_range where,
                       const uint32_t *contact, uint32_t n,
                       enum imp_impact_law *law)
{
    const imp_contact *first = rt_contact(a->rt, contact[0]);
    if (*law != IMP_IMPACT_UNDECLARED)
        return IMP_OK;
    *law = (enum imp_impact_law)(IMP_IMPACT_NEWTON + first->law);
    for (uint32_t i = 1; i < n; i++) {
        const imp_contact *k = rt_contact(a->rt, contact[i]);
        if (k->law == first->law)
            continue;
        struct diag *d =
            diag_add(a->ds, DIAG_E0723, where,
                     "the contacts of this impact carry different laws");
        const imp_contact *of[] = {first, k};
        for (int j = 0; j < 2; j++)
            diag_note(a->ds, d, of[j]->range_e, "`%s`: %s",
                      imp_text(a->rt->im, of[j]->name),
                      impact_law_name[IMP_IMPACT_NEWTON + of[j]->law]);
        diag_help(a->ds, d,
                  "one impact has one law: name it, as in `law = %s`, in the "
                  "command or in `world`",
                  impact_law_name[IMP_IMPACT_NEWTON + k->law]);
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

int
impact_read(struct analysis *a, const uint32_t *contact, uint32_t n,
            struct impact_of_run *in)
{
    int st = impact_of_run_read(a->rt, contact, n, in);
    return st ? command_failed(a, st, rt_contact(a->rt, contact[0])->range,
                               "the closest points")
              : IMP_OK;
}

int
impact_prepare(struct analysis *a, const struct impact_of_run *in,
               struct impact_solver **m)
{
    imp_range where = rt_contact(a->rt, in->contact[0])->range;
    uint32_t n = in->p.n_contact;
    if (n > IMPACT_CONTACTS_MAX) {
        diag_add(a->ds, DIAG_E0721, where,
                 "one impact takes at most %d contact points; here are %u",
                 IMPACT_CONTACTS_MAX, n);
        return IMP_BADMODEL;
    }
    *m = impact_solver_new(a->rt->brief, in->p.n_body, n, in->p.n_joint);
    if (impact_solver_prepare(*m, &in->p)) {
        diag_add(a->ds, DIAG_E0700, where,
                 "the singular values of this impact did not settle");
        return IMP_FAILED;
    }
    return IMP_OK;
}

/* the first contact with shapes is followed to its touch; the others must be
 * closed then */
static int
together(struct analysis *a, const imp_command *c, const uint32_t *contact,
         uint32_t n, double until)
{
    struct rt *r = a->rt;
    uint32_t lead = n;
    struct touch t;
    int st;
    for (uint32_t i = 0; i < n && lead == n; i++)
        if (!(rt_contact(r, contact[i])->flags & IMP_CONTACTF_STATED))
            lead = i;
    rt_reset(r);
    if (lead == n)
        return IMP_OK;
    if ((st = touch_find(a, contact[lead], until, &t)))
        return st;
    const char *name = imp_text(r->im, rt_contact(r, contact[lead])->name);
    if (t.found != TOUCH_YES) {
        struct diag *d = diag_add(
            a->ds, DIAG_E0709, c->range,
            "the bodies of `%s` do not touch, so there is no impact", name);
        diag_help(a->ds, d, "`classify` says how far the motion was followed");
        return IMP_FAILED;
    }
    for (uint32_t i = 0; i < n; i++) {
        const imp_contact *k = rt_contact(r, contact[i]);
        double gap, tol, rate;
        if (!t.at_start && (st = touch_require_movable(a, contact[i])))
            return st;
        if (i == lead || k->flags & IMP_CONTACTF_STATED)
            continue;
        if ((st = touch_gap(a, contact[i], &gap, NULL)))
            return command_failed(a, st, k->range, "the closest points");
        gap_tolerances(r, contact[i], &tol, &rate);
        if (fabs(gap) <= tol)
            continue;
        char g[NUM_TEXT], at[NUM_TEXT];
        struct diag *d = diag_add(
            a->ds, DIAG_E0718, k->range,
            "`%s` is not closed when `%s` touches, at t = %s s",
            imp_text(r->im, k->name), name, num_digits(at, rt_time(r), 9));
        diag_note(a->ds, d, c->range, "its gap is %s m then",
                  num_digits(g, gap, 6));
        diag_help(a->ds, d,
                  "ask for the impact of `%s` alone, or place the "
                  "bodies so that both touch",
                  name);
        return IMP_FAILED;
    }
    return IMP_OK;
}

int
impact_bring_to_touch(struct analysis *a, const imp_command *c,
                      enum imp_option_id until, struct impact_of_run *in,
                      struct impact_solver **m)
{
    uint32_t n = c->args.n;
    uint32_t *contact = NEW_N(a->rt->arena, uint32_t, n + 1);
    double end;
    int st;
    if (n > IMPACT_CONTACTS_MAX) {
        diag_add(a->ds, DIAG_E0721, c->range,
                 "one impact takes at most %d contacts; here are %u",
                 IMPACT_CONTACTS_MAX, n);
        return IMP_BADMODEL;
    }
    for (uint32_t i = 0; i < n; i++)
        contact[i] = arg_contact(a, c, i);
    if ((st = touch_option_until(a, c, until, &end)) ||
        (st = together(a, c, contact, n, end)))
        return st;
    if ((st = impact_read(a, contact, n, in)))
        return st;
    if (in->open == IMP_WORLD)
        return impact_prepare(a, in, m);
    impact_report_open_normal(a, in, DIAG_E0724, c->range);
    return IMP_FAILED;
}

/* -- remarks ---------------------------------------------------------------
 */

static const char *
why_none(const struct impact_solver *m)
{
    switch (m->fault) {
    case IMPACT_INCONSISTENT:
        return "the law's normal velocities contradict each other: the bodies "
               "and joints cannot take them all (see residual)";
    case IMPACT_AMBIGUOUS:
        return "the impulses until peak compression are not unique, and with "
               "different restitutions the motion depends on how they share";
    case IMPACT_JAMMED:
        return "the bodies are jammed: no impulses >= 0 give the law's "
               "velocities";
    case IMPACT_ENDLESS:
        return "the contacts still approach after 100000 single impacts";
    case IMPACT_UNSETTLED:
        return "the iteration of this law did not settle";
    default:
        return "nothing was applied";
    }
}

/* `c`, and where it is if the contact has several points */
static const char *
point_name(struct analysis *a, const struct impact_of_run *in, int c)
{
    const struct imp_contact *k = rt_contact(a->rt, in->contact[c]);
    const double *p = in->p.contact[c].p;
    const char *name =
        arena_printf(record_arena(a), "`%s`", imp_text(a->rt->im, k->name));
    char x[3][NUM_TEXT];
    for (int i = 0; i < (int)in->p.n_contact; i++)
        if (i != c && in->contact[i] == in->contact[c]) {
            for (int d = 0; d < 3; d++)
                num_digits(x[d], p[d], 6);
            return arena_printf(record_arena(a), "%s at (%s, %s%s%s)", name,
                                x[0], x[1], a->rt->im->dim == 3 ? ", " : "",
                                a->rt->im->dim == 3 ? x[2] : "");
        }
    return name;
}

size_t
impact_remarks(struct analysis *a, const struct impact_of_run *in,
               const struct impact_solver *m, const char **text, size_t most)
{
    struct arena *ar = record_arena(a);
    size_t n = 0, more = 0;
    char x[NUM_TEXT];
    double big = 0;
    bool equal = true;
#define SAY(...)                                                               \
    do {                                                                       \
        if (n < most)                                                          \
            text[n++] = arena_printf(ar, __VA_ARGS__);                         \
        else                                                                   \
            more++;                                                            \
    } while (0)
    for (int c = 0; c < m->nc; c++) {
        big = fmax(big, fabs(m->P[c]));
        equal &= in->p.contact[c].e == in->p.contact[0].e;
    }
    if (!m->applied)
        SAY("no motion is applied under `%s`: %s", impact_law_name[m->law],
            why_none(m));
    else if (m->fault == IMPACT_INCONSISTENT)
        SAY("the law's normal velocities cannot all be had: least squares");
    if (m->joint_rank < m->nr)
        SAY("%d of %d constraints of the joints %s redundant: the least "
            "joint impulses are given",
            m->nr - m->joint_rank, m->nr,
            m->nr - m->joint_rank == 1 ? "is" : "are");
    if (m->applied && m->determined == IMPACT_MOTION_UNIQUE)
        SAY("the motion is unique, the impulses are not: a least set is given");
    if (m->tie && in->contact[m->tied[0]] == in->contact[m->tied[1]])
        SAY("points of `%s` approach alike and act on each other: the order "
            "of the points decided (other laws take them at once)",
            imp_text(a->rt->im,
                     rt_contact(a->rt, in->contact[m->tied[0]])->name));
    else if (m->tie)
        SAY("two contacts approach alike and act on each other: the order "
            "given decided (state `priority`)");
    if (*unequal_remark[m->law] && m->nc > 1 && !equal)
        SAY("%s", unequal_remark[m->law]);
    if (m->applied && m->gained > 0)
        SAY("the impact raises the energy by %s J",
            num_digits(x, m->gained, 6));
    for (int c = 0; c < m->nc; c++) {
        const char *name = point_name(a, in, c);
        if (m->open[c] && !impact_separates(m, c))
            SAY("%s touches, does not approach and would be pulled: it takes "
                "no impulse",
                name);
        else if (m->open[c])
            SAY("%s separates before the impact, at %s m/s%s", name,
                num_digits(x, m->before[c], 6),
                imp_impact_law_traits(m->law) & IMP_LAW_TRAIT_SEPARATING
                    ? ""
                    : ": it takes no impulse");
        if (m->applied && m->P[c] < -1e-12 * big)
            SAY("the impulse at %s is negative (%s N*s): it pulls", name,
                num_digits(x, m->P[c], 6));
        if (m->applied && m->after[c] < -RESTS * m->speed * m->length[c] &&
            !(imp_impact_law_traits(m->law) & IMP_LAW_TRAIT_PARTS))
            SAY("%s approaches after the impact, at %s m/s", name,
                num_digits(x, m->after[c], 6));
    }
#undef SAY
    if (more)
        text[most - 1] =
            arena_printf(ar, "and %zu remarks more on its points", more + 1);
    return n;
}

bool
impact_separates(const struct impact_solver *m, int i)
{
    return m->open[i] && m->v0[i] > RESTS * m->speed;
}

uint32_t
impact_forbidden(const struct analysis *a, const struct impact_solver *m)
{
    double big = 0;
    uint32_t did = m->gained > 0 ? IMP_FORBID_GAIN : 0;
    if (!m->applied)
        return 0;
    for (int c = 0; c < m->nc; c++)
        big = fmax(big, fabs(m->P[c]));
    for (int c = 0; c < m->nc; c++) {
        did |= impact_separates(m, c) ? IMP_FORBID_SEPARATING : 0;
        did |= m->P[c] < -1e-12 * big ? IMP_FORBID_NEGATIVE : 0;
    }
    return did & a->rt->im->forbid;
}

/* -- the record ------------------------------------------------------------
 */

/* a row per body: spin, velocity */
static void
set_twists(struct analysis *a, const struct impact_of_run *in,
           struct record *out, const char *field, const double *twist)
{
    bool plane = a->rt->im->dim == 2;
    size_t n = 0, nb = in->p.n_body;
    double *x = NEW_N(a->rt->arena, double, 6 * nb + 1);
    for (size_t b = 0; b < nb; b++)
        for (size_t i = 0; i < 6; i++)
            if (!plane || (i >= 2 && i < 5))
                x[n++] = twist[6 * b + i];
    SET_MAT(field, x, nb, plane ? 3 : 6);
}

static void
set_joints(struct analysis *a, const struct impact_of_run *in,
           const struct impact_solver *m, struct record *out)
{
    bool plane = a->rt->im->dim == 2;
    size_t nj = a->rt->im->joints.n, w = plane ? 3 : 6;
    double *x = NEW_N(a->rt->arena, double, w *nj + 1);
    for (uint32_t j = 0; j < in->p.n_joint; j++)
        for (size_t i = 0, k = 0; i < 6; i++)
            if (!plane || i < 2 || i == 5)
                x[w * in->joint[j] + k++] = m->xi[6 * j + i];
    SET_MAT("joint_impulses", x, nj, w);
}

/* whose rows the matrices have */
static void
set_names(struct analysis *a, const struct impact_of_run *in,
          struct record *out)
{
    const imp_image *im = a->rt->im;
    const imp_joint *j = IMP_ARRAY(im, im->joints, imp_joint);
    size_t nb = in->p.n_body, nj = im->joints.n;
    const char **name =
        NEW_N(a->rt->arena, const char *, (nb > nj ? nb : nj) + 1);
    for (size_t b = 0; b < nb; b++)
        name[b] = imp_text(im, rt_body(a->rt, in->body[b])->name);
    SET_TEXTS("bodies", name, nb);
    for (size_t k = 0; k < nj; k++)
        name[k] = imp_text(im, j[k].name);
    SET_TEXTS("joints", name, nj);
}

/* both centres on the line of impact? of the bodies that an impulse moves */
static const char *
kind_of(const struct impact_of_run *in)
{
    const struct impact_contact *c = &in->p.contact[0];
    for (int s = 0; s < 2; s++) {
        if (c->body[s] == IMP_WORLD || !(in->p.body[c->body[s]].invmass > 0))
            continue;
        const double *x = s ? c->q : c->p;
        double r[3], torque[3], off = 0, arm = 0, dir = 0;
        for (int i = 0; i < 3; i++) {
            r[i] = x[i] - in->p.body[c->body[s]].centre[i];
            arm += r[i] * r[i];
            dir += c->dir[i] * c->dir[i];
        }
        vec3_cross(r, c->dir, torque);
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(torque[i]));
        if (off > 1e-9 * sqrt(arm * dir))
            return "eccentric";
    }
    return "central";
}

/* where the impulses act, as points of the first bodies, and along what */
static void
set_points(struct analysis *a, const struct impact_of_run *in,
           const struct impact_solver *m, struct record *out)
{
    size_t d = a->rt->im->dim, nc = (size_t)m->nc;
    double *x = NEW_N(a->rt->arena, double, 2 * d * nc + 1), *y = x + d * nc;
    const char **name = NEW_N(a->rt->arena, const char *, nc + 1);
    for (size_t i = 0; i < nc; i++) {
        const struct impact_contact *c = &in->p.contact[i];
        for (size_t k = 0; k < d; k++) {
            x[d * i + k] = c->p[k];
            y[d * i + k] = c->dir[k] / m->length[i];
        }
        name[i] = imp_text(a->rt->im, rt_contact(a->rt, in->contact[i])->name);
    }
    SET_MAT("points", x, nc, d);
    SET_MAT("normals", y, nc, d);
    SET_TEXTS("point_contacts", name, nc);
}

void
impact_record(struct analysis *a, const struct impact_of_run *in,
              struct impact_solver *m, struct record *out, bool skip_main)
{
    static const char *const word[] = {"yes", "motion only", "no"};
    size_t nc = (size_t)m->nc;
    struct arena *ar = a->rt->arena;
    double *x = NEW_N(ar, double, nc *nc + nc + 1), *y = x + nc * nc;
    const char *why = m->applied ? NULL : why_none(m);
    set_names(a, in, out);
    if (!skip_main) {
        double *twist = NEW_N(ar, double, 6 * in->p.n_body + 1);
        for (uint32_t b = 0; b < in->p.n_body; b++) {
            memcpy(twist + 6 * b, in->p.body[b].spin, 3 * sizeof *x);
            memcpy(twist + 6 * b + 3, in->p.body[b].vel, 3 * sizeof *x);
        }
        SET_NUM("time", rt_time(a->rt));
        set_twists(a, in, out, "twists_before", twist);
        SET_LIST("normal_velocities_before", m->before, nc);
        SET_NUM("energy_before", m->energy[0]);
        SET_ABSENT("energy_price", "the touch is not tangential, or there are "
                                   "several contacts");
        if (nc == 1 && m->G[0] > 0)
            SET_NUM("effective_mass",
                    1 / (m->G[0] * m->length[0] * m->length[0]));
        else
            SET_ABSENT("effective_mass",
                       nc == 1 ? "nothing can move at the contact"
                               : "there are several contact points: see G");
        if (why) {
            static const char *const after[] = {
                "impulses",     "twists_after", "normal_velocities_after",
                "energy_after", "energy_loss",  "momentum_error"};
            record_set_absent_all(out, after, 6, why);
        } else {
            SET_LIST("impulses", m->P, nc);
            set_twists(a, in, out, "twists_after", m->twist);
            SET_LIST("normal_velocities_after", m->after, nc);
            SET_NUM("energy_after", m->energy[1]);
            SET_NUM("energy_loss", m->energy[0] - m->energy[1]);
            SET_NUM("momentum_error", m->momentum_error);
        }
    }
    if (why)
        SET_ABSENT("joint_impulses", why);
    else
        set_joints(a, in, m, out);
    if (m->applied && m->peak) {
        SET_LIST("normal_velocities_peak", m->at_peak, nc);
        set_twists(a, in, out, "twists_peak", m->peak_twist);
        SET_LIST("loading_impulses", m->load, nc);
        SET_LIST("unloading_impulses", m->unload, nc);
    } else {
        static const char *const peak[] = {"normal_velocities_peak",
                                           "twists_peak", "loading_impulses",
                                           "unloading_impulses"};
        record_set_absent_all(
            out, peak, 4,
            why ? why
                : "this law has no common peak of compression for "
                  "these contacts");
    }
    if (nc == 1)
        SET_TEXT("contact_kind", kind_of(in));
    else
        SET_ABSENT("contact_kind", "there are several contact points");
    set_points(a, in, m, out);
    SET_TEXT("law", impact_law_name[m->law]);
    for (size_t i = 0; i < nc; i++)
        for (size_t j = 0; j < nc; j++)
            x[nc * i + j] = m->G[nc * i + j] * m->length[i] * m->length[j];
    SET_MAT("G", x, nc, nc);
    SET_TEXT("determined", word[m->determined]);
    memcpy(y, m->residual, nc * sizeof *y);
    SET_LIST("residual", y, nc);
    /* last: G is now taken from the singular values */
    if (impact_solver_measure(m)) {
        static const char *const sv[] = {"rank", "null_space", "condition"};
        record_set_absent_all(out, sv, 3, "the singular values did not settle");
        return;
    }
    SET_NUM("rank", m->rank);
    SET_MAT("null_space", m->null, nc - (size_t)m->rank, nc);
    if (m->rank)
        SET_NUM("condition", m->condition);
    else
        SET_ABSENT("condition", "nothing can move at the contacts");
}

struct diag *
impact_undetermined(struct analysis *a, imp_range where,
                    const struct impact_solver *m)
{
    struct diag *d = diag_add(a->ds, DIAG_W0722, where,
                              "the outcome of this impact is not determined, "
                              "so no motion is applied");
    diag_note(a->ds, d, IMP_NOWHERE, "`%s`: %s", impact_law_name[m->law],
              why_none(m));
    diag_help(a->ds, d,
              "choose: `law = complementarity` (impulses never pull), "
              "`law = sequential` (one contact at a time, by `priority`), "
              "`law = least_norm` (least squares); `compare impact` shows them "
              "side by side");
    return d;
}

int
impact_at_contacts(struct analysis *a, const imp_command *c, struct record *out)
{
    struct impact_of_run in;
    struct impact_solver *m;
    enum imp_impact_law law;
    const char *text[64];
    const imp_val *own = arg_option(a, c, IMP_OPT_impact_impulse);
    int st;
    if (own) {
        struct diag *d = diag_add(a->ds, DIAG_E0705, own->range,
                                  "`impulse` is for one contact of two free "
                                  "bodies with shapes");
        diag_help(a->ds, d, "leave it out, or name a `law`");
        return IMP_BADMODEL;
    }
    if ((st = impact_law_of_command(a, c, &law)) ||
        (st = impact_bring_to_touch(a, c, IMP_OPT_impact_until, &in, &m)) ||
        (st = impact_law_of_contacts(a, c->range, in.contact, in.p.n_contact,
                                     &law)))
        return st;
    impact_solver_solve(m, law);
    size_t n = impact_remarks(a, &in, m, text, 64);
    if (!m->applied)
        impact_undetermined(a, c->range, m);
    if (m->applied && m->gained > 0 && !a->rt->im->gain_allowed) {
        char g[NUM_TEXT];
        diag_add(a->ds, DIAG_W0721, c->range,
                 "this impact raises the energy by %s J under `%s`",
                 num_digits(g, m->gained, 6), impact_law_name[m->law]);
    }
    if (impact_forbidden(a, m)) {
        struct diag *d = diag_add(a->ds, DIAG_E0719, c->range,
                                  "the world forbids this impact");
        for (size_t i = 0; i < n; i++)
            diag_note(a->ds, d, IMP_NOWHERE, "%s", text[i]);
        diag_help(a->ds, d,
                  "name another `law`, or forbid less: `forbid` and "
                  "`policy = stop` of the world");
        return IMP_FAILED;
    }
    impact_record(a, &in, m, out, false);
    SET_TEXTS("warnings", text, n);
    return IMP_OK;
}
