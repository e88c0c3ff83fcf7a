/* SPDX-License-Identifier: MIT */
/* The command `similar S`: self-similar motions, in which every impact is the
 * one before, turned and smaller (Definition 10; chatter.md 3.3, 3.4).
 * runtime/returnmap/self_similar.h finds them from masses and contacts alone.
 * This file turns them into states of the coordinates and follows the first
 * feasible one for a round of all contacts, to verify that it repeats. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/flow/flow.h"
#include "runtime/numerics/dense.h"
#include "runtime/returnmap/self_similar.h"

/* Accelerations of gaps that differ by less than this share are equal, because
 * users give nine digits (as cosines in runtime/returnmap/symmetry.c). */
#define SELF_SIMILAR_SAME 1e-9
/* Multipliers nearer to 1 than this are neutral: next to a double eigenvalue
 * only half of the digits are right. */
#define SELF_SIMILAR_NEUTRAL 1e-7

struct ask {
    struct analysis *analysis;
    const imp_system *system;
    imp_range where;
    struct ballistic *ballistic;
    const struct symmetry *symmetry;
    struct self_similar found;
    double flight, acc;
    int *word, n_word; /* the contacts of the option `order`; NULL: the symmetry
                        * gives the order */
    double lunit, vunit, eunit; /* units of q, p and energies, in SI units */
    double *q, *v;              /* positions and rates of the coordinates, a row
                                 * per motion */
};

/* -- what cannot be asked ---------------------------------------------------
 */

static int
refuse(struct ask *question, const char *why, const char *help)
{
    struct diag *diag = diag_add(
        question->analysis->ds, DIAG_E0736, question->where,
        "`%s` has no self-similar motions: %s",
        imp_text(question->analysis->rt->im, question->system->name), why);
    diag_note(question->analysis->ds, diag, question->system->range,
              "the system");
    diag_help(question->analysis->ds, diag, "%s", help);
    return IMP_BADMODEL;
}

/* Finds the common acceleration of all gaps over sqrt(W_ii). */
static int
acceleration(struct ask *question)
{
    const struct contact_matrices *c = &question->ballistic->matrices;
    int n_contacts = question->ballistic->model.m, least = 0, most = 0;
    double *scaled = NEW_N(question->analysis->rt->arena, double,
                           (size_t)n_contacts + 1),
           sum = 0.0;
    for (int i = 0; i < n_contacts; i++) {
        scaled[i] = c->gap_acc[i] / sqrt(c->W[i * (n_contacts + 1)]);
        least = scaled[i] < scaled[least] ? i : least;
        most = scaled[i] > scaled[most] ? i : most;
        sum += scaled[i];
    }
    question->acc =
        chatter_accelerates(question->ballistic) ? sum / n_contacts : 0.0;
    double size = fmax(fabs(scaled[least]), fabs(scaled[most]));
    if (question->acc == 0.0 && !chatter_accelerates(question->ballistic))
        return IMP_OK;
    if (scaled[most] - scaled[least] <= SELF_SIMILAR_SAME * size)
        return IMP_OK;
    return refuse(
        question,
        arena_printf(
            question->analysis->rt->arena,
            "the gaps of %s and %s accelerate differently, "
            "so the motion cannot turn from one to the next",
            chatter_contact(question->analysis, question->system, least),
            chatter_contact(question->analysis, question->system, most)),
        "accelerations must have the symmetry of masses and "
        "contacts; without gravity there are motions of their own");
}

static int
closes(struct ask *question)
{
    for (int i = 0; i < question->ballistic->model.m; i++)
        if (question->ballistic->matrices.gap_offset[i] != 0.0)
            return refuse(
                question,
                arena_printf(
                    question->analysis->rt->arena,
                    "the gap of %s cannot be closed together with the "
                    "others, so nothing can shrink towards it",
                    chatter_contact(question->analysis, question->system, i)),
                "look at the constants in the gaps");
    return IMP_OK;
}

static int
suits(struct ask *question)
{
    const struct symmetry *symmetry = question->symmetry;
    struct arena *arena = question->analysis->rt->arena;
    if (question->word && chatter_accelerates(question->ballistic))
        return refuse(question,
                      "under acceleration those of a given order are not "
                      "looked for",
                      "leave out `order`, or the acceleration");
    if (question->word)
        return closes(question);
    if (symmetry->found != SYMMETRY_YES && symmetry->found != SYMMETRY_SINGLE)
        return refuse(
            question,
            arena_printf(arena, "masses and contacts have no symmetry (%s)",
                         chatter_symmetry_text(question->analysis,
                                               question->system, symmetry)),
            "without a symmetry say in which order the contacts are hit: order "
            "= (...); `chatter` follows any linear system");
    int st = closes(question);
    if (!st)
        st = acceleration(question);
    if (!st && question->acc != 0.0 && symmetry->rank > SELF_SIMILAR_RANK)
        return refuse(
            question,
            arena_printf(arena,
                         "not known: the gaps move in %d dimensions, and under "
                         "acceleration at most %d are looked at",
                         symmetry->rank, SELF_SIMILAR_RANK),
            "without acceleration any number can be asked for");
    return st;
}

/* -- states -----------------------------------------------------------------
 */

/* Sets x (n) to the coordinates in which the gaps over sqrt(W_ii) are F z. */
static void
coordinates(const struct ask *question, const double *z, double scale,
            double *x)
{
    const struct symmetry *symmetry = question->symmetry;
    const struct ballistic *ballistic = question->ballistic;
    int n_contacts = symmetry->m, n_coordinates = ballistic->model.n,
        rank = symmetry->rank;
    for (int j = 0; j < n_coordinates; j++)
        x[j] = 0.0;
    for (int i = 0; i < n_contacts; i++) {
        int c = symmetry->order[i];
        double y = 0.0;
        for (int j = 0; j < rank; j++)
            y += symmetry->F[i * rank + j] * z[j] / symmetry->mode[j];
        for (int j = 0; j < n_coordinates; j++)
            x[j] += ballistic->matrices.B[c * n_coordinates + j] * y /
                    sqrt(ballistic->matrices.W[c * (n_contacts + 1)]);
    }
    for (int j = 0; j < n_coordinates; j++)
        x[j] *= scale;
}

static void
cosines(const struct ballistic *ballistic, double *C)
{
    int n_contacts = ballistic->model.m;
    for (int i = 0; i < n_contacts; i++)
        for (int j = 0; j < n_contacts; j++)
            C[j * n_contacts + i] =
                i == j ? 1.0
                       : ballistic->matrices.W[i * n_contacts + j] /
                             sqrt(ballistic->matrices.W[i * (n_contacts + 1)] *
                                  ballistic->matrices.W[j * (n_contacts + 1)]);
}

/* The same where the gaps over sqrt(W_ii) are g: by the singular values of the
 * matrix of cosines C = U S V^T. */
static void
from_gaps(const struct ask *question, const double *g, double scale, double *x)
{
    const struct ballistic *ballistic = question->ballistic;
    int n_contacts = ballistic->model.m, n_coordinates = ballistic->model.n;
    size_t um = (size_t)n_contacts;
    double *C =
        NEW_N(question->analysis->rt->arena, double, 2 * um * um + 3 * um);
    double *V = C + um * um, *singular = V + um * um, *y = singular + um,
           *room = y + um;
    cosines(ballistic, C);
    dense_svd(n_contacts, n_contacts, C, V, singular);
    dense_svd_solve(n_contacts, n_contacts, C, V, singular,
                    ballistic->matrices.rank, g, y, room);
    for (int j = 0; j < n_coordinates; j++)
        x[j] = 0.0;
    for (int i = 0; i < n_contacts; i++)
        for (int j = 0; j < n_coordinates; j++)
            x[j] += scale * ballistic->matrices.B[i * n_coordinates + j] *
                    y[i] / sqrt(ballistic->matrices.W[i * (n_contacts + 1)]);
}

static double
kinetic(const struct ballistic *ballistic, const double *v)
{
    double s = 0.0;
    for (int i = 0; i < ballistic->model.n; i++)
        for (int j = 0; j < ballistic->model.n; j++)
            s += 0.5 * v[i] *
                 ballistic->model.mass[i * ballistic->model.n + j] * v[j];
    return s;
}

/* Returns the contact at a place of the order in which gaps and F are numbered.
 */
static int
contact_at(const struct ask *question, int place)
{
    return question->word ? place : question->symmetry->order[place];
}

/* Returns the contact that impact i hits. */
static int
hit(const struct ask *question, long i)
{
    assert(i >= 0);
    return question->word
               ? question->word[i % question->n_word]
               : question->symmetry
                     ->order[i * question->found.step % question->symmetry->m];
}

static void
states(struct ask *question)
{
    int n_coordinates = question->ballistic->model.n, first = hit(question, 0);
    double unit =
        1.0 / sqrt(question->ballistic->matrices
                       .W[first * (question->ballistic->model.m + 1)]);
    bool free = question->found.kind == SELF_SIMILAR_FREE;
    question->vunit = free ? unit : question->flight;
    question->lunit = question->vunit * question->flight;
    question->eunit = question->vunit * question->vunit;
    question->q = NEW_N(question->analysis->rt->arena, double,
                        (size_t)(2 * question->found.n * n_coordinates) + 1);
    question->v = question->q + question->found.n * n_coordinates;
    for (int i = 0; i < question->found.n; i++) {
        struct self_similar_motion *motion = &question->found.v[i];
        double *q = question->q + i * n_coordinates,
               *v = question->v + i * n_coordinates;
        (question->word ? from_gaps : coordinates)(question, motion->q,
                                                   question->lunit, q);
        (question->word ? from_gaps : coordinates)(question, motion->p,
                                                   question->vunit, v);
        if (question->word)
            motion->energy = kinetic(question->ballistic, v) / question->eunit;
        for (int j = 0; j < n_coordinates; j++)
            q[j] += question->ballistic->matrices.origin[j];
    }
}

/* -- following it -----------------------------------------------------------
 */

/* The greatest relative difference of flights and impact speeds from those of
 * the motion, in two periods of the order or a round of the symmetry. Infinity:
 * another contact was hit; *wrong is its number, or the number of contacts when
 * several were. */
static double
deviation(struct ask *question, const struct self_similar_motion *motion,
          int *wrong)
{
    assert(question->found.n > 0);
    struct ballistic *ballistic = question->ballistic;
    int n_contacts = ballistic->model.m,
        period = question->word ? question->n_word : 1;
    int last = question->word ? 2 * period : n_contacts;
    double *speeds =
               NEW_N(question->analysis->rt->arena, double, 2 * (size_t)period),
           *flights = speeds + period;
    double worst = 0.0;
    *wrong = -1;
    ballistic->policy = BALLISTIC_REPORT;
    if (!ballistic_start(ballistic, 0.0, question->q, question->v, 0.0))
        return INFINITY;
    flights[0] = question->flight;
    for (int impact = 0; impact <= last; impact++) {
        int contact = hit(question, impact), ex;
        enum ballistic_event what = accumulation_next(ballistic, INFINITY);
        if (what != BALLISTIC_IMPACT || ballistic->event.contact != contact) {
            *wrong = what == BALLISTIC_IMPACT ? ballistic->event.contact
                                              : n_contacts;
            return INFINITY;
        }
        /* The rate is found from the impulse, because a contact without
         * restitution has none afterwards. */
        double found = ballistic->event.impulse[contact] *
                       sqrt(ballistic->matrices.W[contact * (n_contacts + 1)]);
        if (impact < period)
            speeds[impact] = found;
        worst =
            fmax(worst, fabs(found / (speeds[impact % period] *
                                      pow(motion->bp, (int)(impact / period))) -
                             1.0));
        if (!impact)
            continue;
        found = impact_history_last_flight(ballistic, &ex);
        found = ldexp(found, ex);
        if (impact > 1 && impact <= period)
            flights[impact - 1] = found;
        double ratio = pow(motion->bt, (int)((impact - 1) / period));
        worst =
            fmax(worst,
                 fabs(found / (flights[(impact - 1) % period] * ratio) - 1.0));
    }
    return worst;
}

/* -- the record -------------------------------------------------------------
 */

static const char *
verdict_text(struct ask *question, const struct self_similar_motion *motion)
{
    struct arena *arena = record_arena(question->analysis);
    const char *worst =
        motion->worst < 0
            ? "?"
            : chatter_contact(question->analysis, question->system,
                              contact_at(question, motion->worst));
    switch (motion->verdict) {
    case SELF_SIMILAR_FEASIBLE:
        return "feasible";
    case SELF_SIMILAR_RECEDES:
        return arena_printf(arena, "%s would move away instead of being hit",
                            chatter_contact(question->analysis,
                                            question->system,
                                            hit(question, 0)));
    case SELF_SIMILAR_BACK:
        return "a flight would go back in time: the contacts come in another "
               "order";
    case SELF_SIMILAR_BELOW:
        return arena_printf(arena, "%s would be below the ground", worst);
    case SELF_SIMILAR_DIPS:
        return arena_printf(arena, "%s would go below the ground in flight",
                            worst);
    case SELF_SIMILAR_UNBOUNDED:
        break;
    }
    return "its state is not finite: the ratio is an eigenvalue of the "
           "impacts";
}

static double
greatest(const struct self_similar_motion *motion)
{
    return motion->n_multiplier
               ? hypot(motion->multiplier[0], motion->multiplier_im[0])
               : 0.0;
}

static const char *
because(const struct ask *question)
{
    bool free = question->found.kind == SELF_SIMILAR_FREE;
    if (question->word)
        return question->found.n
                   ? "real positive eigenvalues of a period: one of its "
                     "impacts, by which velocities shrink, and a smaller one "
                     "of "
                     "the flights between them, by which gaps do"
                   : "the impacts and flights of a period have no two "
                     "eigenvalues that are real and positive, the flights' "
                     "the smaller one, or a contact of the order recedes";
    if (question->found.n)
        return free ? "pairs of real positive eigenvalues of the relabelled "
                      "map: velocities shrink by the greater one, gaps by the "
                      "smaller one"
                    : "roots of pi(b) between 0 and 1: velocities and flights "
                      "shrink by b, gaps by b^2";
    if (question->symmetry->e >= 1.0)
        return "no energy is lost";
    if (free && question->symmetry->m == 1)
        return "without acceleration one contact is hit once";
    return free ? "the relabelled map has no two eigenvalues that are real, "
                  "positive and different"
                : "pi(b) has no root between 0 and 1";
}

static void
set_lists(struct ask *question, struct record *record)
{
    struct analysis *analysis = question->analysis;
    size_t motions = (size_t)question->found.n,
           coordinates = (size_t)question->ballistic->model.n;
    double *lists = NEW_N(analysis->rt->arena, double, 7 * motions + 1);
    const char **verdicts =
        NEW_N(analysis->rt->arena, const char *, motions + 1);
    for (size_t i = 0; i < motions; i++) {
        const struct self_similar_motion *motion = &question->found.v[i];
        verdicts[i] = verdict_text(question, motion);
        lists[i] = motion->bp;
        lists[motions + i] = motion->bq;
        lists[2 * motions + i] = motion->bt;
        lists[3 * motions + i] = motion->error;
        lists[4 * motions + i] = motion->exponent;
        lists[5 * motions + i] = greatest(motion);
        lists[6 * motions + i] = motion->margin;
    }
    record_set_texts(record, "verdicts", verdicts, motions);
    record_set_list(record, "speed_ratios", lists, motions);
    record_set_list(record, "gap_ratios", lists + motions, motions);
    record_set_list(record, "flight_ratios", lists + 2 * motions, motions);
    record_set_list(record, "errors", lists + 3 * motions, motions);
    record_set_list(record, "exponents", lists + 4 * motions, motions);
    record_set_list(record, "greatest_multipliers", lists + 5 * motions,
                    motions);
    record_set_list(record, "margins", lists + 6 * motions, motions);
    record_set_matrix(record, "positions", question->q, motions, coordinates);
    record_set_matrix(record, "rates", question->v, motions, coordinates);
}

static void
set_first(struct ask *question, struct record *record)
{
    static const char *const fields[] = {
        "speed_ratio", "gap_ratio",   "flight_ratio",   "remaining",
        "exponent",    "energy",      "energy_upper",   "energy_lower",
        "stable",      "multipliers", "multipliers_im", "greatest_multiplier",
        "deviation"};
    struct analysis *analysis = question->analysis;
    const char *warning[2];
    size_t n_warnings = 0;
    if (question->found.tied)
        warning[n_warnings++] =
            "eigenvalues that cannot be told from equal ones were left "
            "out: the restitution is a critical one within rounding";
    if (!question->found.feasible) {
        record_set_absent_all(record, fields, sizeof fields / sizeof *fields,
                              question->found.n ? "no motion is feasible"
                                                : "there is no such motion");
        record_set_texts(record, "warnings", warning, n_warnings);
        return;
    }
    const struct self_similar_motion *motion = &question->found.v[0];
    double left = question->flight * motion->period / (1.0 - motion->bt),
           energy = motion->energy * question->eunit;
    double upper = energy * pow(left, -motion->exponent),
           multiplier = greatest(motion);
    record_set_number(record, "speed_ratio", motion->bp);
    record_set_number(record, "gap_ratio", motion->bq);
    record_set_number(record, "flight_ratio", motion->bt);
    record_set_number(record, "remaining", left);
    record_set_number(record, "exponent", motion->exponent);
    record_set_number(record, "energy", energy);
    if (question->word) {
        record_set_absent(record, "energy_upper",
                          "a period has several impacts");
        record_set_absent(record, "energy_lower",
                          "a period has several impacts");
    } else {
        record_set_number(record, "energy_upper", upper);
        record_set_number(record, "energy_lower",
                          upper * motion->bp * motion->bp);
    }
    record_set_text(record, "stable",
                    fabs(multiplier - 1.0) <= SELF_SIMILAR_NEUTRAL ? "neutral"
                    : multiplier < 1.0                             ? "yes"
                                                                   : "no");
    record_set_list(record, "multipliers", motion->multiplier,
                    (size_t)motion->n_multiplier);
    record_set_list(record, "multipliers_im", motion->multiplier_im,
                    (size_t)motion->n_multiplier);
    record_set_number(record, "greatest_multiplier", multiplier);
    int wrong;
    accumulation_resolve(question->ballistic,
                         1L << 60); /* every impact is resolved, no limit is
                                     * taken */
    double difference = deviation(question, motion, &wrong);
    accumulation_resolve(question->ballistic, ACCUMULATION_RESOLVE);
    if (isfinite(difference))
        record_set_number(record, "deviation", difference);
    else
        record_set_absent(
            record, "deviation",
            wrong >= 0 && wrong < question->ballistic->model.m
                ? arena_printf(
                      record_arena(analysis), "%s comes first instead",
                      chatter_contact(analysis, question->system, wrong))
                : "several contacts close together");
    if (!isfinite(difference))
        warning[n_warnings++] =
            "the motion does not repeat when it is followed from its "
            "state";
    record_set_texts(record, "warnings", warning, n_warnings);
}

static int
set_record(struct ask *question, struct record *record)
{
    static const char *const kind[] = {[SELF_SIMILAR_FREE] = "free",
                                       [SELF_SIMILAR_FALLING] = "falling",
                                       [SELF_SIMILAR_SLIDING] = "sliding"};
    struct analysis *analysis = question->analysis;
    int m = question->ballistic->model.m, n_order = question->n_word;
    for (int i = 0;
         !question->word && (i == 0 || hit(question, i) != hit(question, 0));
         i++)
        n_order = i + 1;
    const char **t =
        NEW_N(analysis->rt->arena, const char *, (size_t)(n_order + m));
    for (int i = 0; i < n_order; i++)
        t[i] = chatter_contact(analysis, question->system, hit(question, i));
    record_set_text(record, "kind", kind[question->found.kind]);
    record_set_text(
        record, "symmetry",
        chatter_symmetry_text(analysis, question->system, question->symmetry));
    record_set_texts(record, "order", t, (size_t)n_order);
    record_set_number(record, "found", question->found.n);
    record_set_number(record, "feasible", question->found.feasible);
    record_set_text(record, "because", because(question));
    set_lists(question, record);
    set_first(question, record);
    return IMP_OK;
}

static int
steps(struct ask *question, const imp_command *command, int *step)
{
    double x;
    int contacts = question->symmetry->m,
        st = arg_number(question->analysis, command, IMP_OPT_similar_step, 1.0,
                        &x);
    if (st)
        return st;
    *step = contacts > 1 ? (int)x : 0;
    if (x == floor(x) && x >= 1.0 && x <= fmax(contacts - 1, 1))
        return IMP_OK;
    const imp_val *value =
        arg_option(question->analysis, command, IMP_OPT_similar_step);
    diag_add(question->analysis->ds, DIAG_E0405,
             value ? value->range : command->range,
             "`step` is a whole number from 1 to %d, one less than there are "
             "contacts",
             contacts > 1 ? contacts - 1 : 1);
    return IMP_BADMODEL;
}

/* Reads the contacts of the option `order` as numbers within the system. */
static int
read_order(struct ask *question, const imp_command *command)
{
    struct analysis *analysis = question->analysis;
    const imp_val *value = arg_option(analysis, command, IMP_OPT_similar_order);
    if (!value)
        return IMP_OK;
    const imp_val *item = val_items(analysis, value);
    int n = (int)value->items.n;
    question->word = NEW_N(analysis->rt->arena, int, (size_t)n + 1);
    question->n_word = n;
    for (int i = 0; i < n; i++) {
        question->word[i] = (int)(item[i].ref - question->system->contact);
        if (item[i].ref >= question->system->contact &&
            question->word[i] < question->ballistic->model.m)
            continue;
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0405, item[i].range,
                     "`%s` is no contact of `%s`",
                     imp_text(analysis->rt->im,
                              rt_contact(analysis->rt, item[i].ref)->name),
                     imp_text(analysis->rt->im, question->system->name));
        diag_note(analysis->ds, diag, question->system->range, "the system");
        return IMP_BADMODEL;
    }
    const imp_val *step = arg_option(analysis, command, IMP_OPT_similar_step);
    if (!step)
        return IMP_OK;
    diag_add(analysis->ds, DIAG_E0405, step->range,
             "`order` and `step` both say which contact comes next");
    return IMP_BADMODEL;
}

static int
find(struct ask *question, const imp_command *command)
{
    struct arena *arena = question->analysis->rt->arena;
    int step, m = question->ballistic->model.m;
    if (question->word) {
        double *C = NEW_N(arena, double, (size_t)(m * m));
        cosines(question->ballistic, C);
        return self_similar_order(arena, m, question->ballistic->matrices.rank,
                                  C, question->ballistic->model.e,
                                  question->word, question->n_word,
                                  &question->found)
                   ? IMP_NONFINITE
                   : IMP_OK;
    }
    int st = steps(question, command, &step);
    if (st)
        return st;
    return self_similar_find(arena, question->symmetry, step, question->acc,
                             &question->found)
               ? IMP_NONFINITE
               : IMP_OK;
}

static int
cmd_similar(struct analysis *analysis, const imp_command *command,
            struct record *record)
{
    const imp_val *arg = &arg_items(analysis, command)[0];
    struct ask question = {.analysis = analysis,
                           .system = rt_system(analysis->rt, arg->ref),
                           .where = arg->range};
    int st;
    if (!(question.system->flags & IMP_SYSTEMF_LINE))
        return chatter_not_linear(analysis, question.system, question.where);
    if ((st = arg_number(analysis, command, IMP_OPT_similar_flight, 1.0,
                         &question.flight)) ||
        (st = flow_matrices(analysis->rt, arg->ref, &question.ballistic)) ||
        (st = read_order(&question, command)))
        return st;
    question.symmetry =
        chatter_symmetry(analysis, arg->ref, question.ballistic);
    if ((st = suits(&question)))
        return st;
    st = find(&question, command);
    if (st == IMP_NONFINITE)
        return command_failed(analysis, st, command->range, "the eigenvalues");
    if (st)
        return st;
    states(&question);
    return set_record(&question, record);
}

const struct command_functions command_similar = {.run = cmd_similar};
