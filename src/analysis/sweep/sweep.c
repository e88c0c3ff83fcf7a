/* SPDX-License-Identifier: MIT */
/* `sweep`: one question at many values of params. The axes become a grid of
 * runs (the last param fastest, repetitions fastest of all); a run that fails
 * is a row with a reason and costs no other. With `save` and --out a journal
 * stands beside the file until that is complete, and --resume goes on with it.
 * Runs: threads.c. */
#include "analysis/sweep/sweep_priv.h"

#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/numerics/random.h"

double
sweep_axis_value(const struct sweep *s, size_t k, uint64_t i)
{
    const struct sweep_axis *x = &s->axis[k];
    if (x->random)
        return x->x[0] + (x->x[1] - x->x[0]) * random_unit(s->seed, i, k);
    i /= s->repeat;
    for (size_t j = s->n_axes; j-- > k + 1;)
        if (!s->axis[j].random)
            i /= s->axis[j].n;
    return x->x[i % x->n];
}

void
sweep_place_jump(const struct sweep *s, struct sweep_place *p, uint64_t i)
{
    p->run = i;
    p->turn = i % s->repeat;
    i /= s->repeat;
    for (size_t k = s->n_axes; k-- > 0;)
        if (!s->axis[k].random) {
            p->digit[k] = i % s->axis[k].n;
            i /= s->axis[k].n;
        }
}

/* -- the plan ---------------------------------------------------------------
 */

static int
check_axis(struct analysis *a, const struct sweep_axis *x)
{
    const imp_image *im = a->rt->im;
    const imp_param *p = IMP_ARRAY(im, im->params, imp_param) + x->param;
    const char *name = imp_text(im, p->name);
    char v[NUM_TEXT], lo[NUM_TEXT], hi[NUM_TEXT];
    for (size_t i = 0; i < x->n; i++) {
        if (!p->has_range || (x->x[i] >= p->lo && x->x[i] <= p->hi))
            continue;
        struct diag *d =
            diag_add(a->ds, DIAG_E0423, x->range,
                     "%s is outside the range [%s, %s] of the param `%s`",
                     num_shortest(v, x->x[i]), num_shortest(lo, p->lo),
                     num_shortest(hi, p->hi), name);
        diag_note(a->ds, d, p->range, "the range is stated here");
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

static int
plan_axes(struct sweep *s, const imp_val *v, bool random)
{
    struct analysis *a = s->a;
    const imp_val *item = v ? val_items(a, v) : NULL;
    for (uint32_t k = 0; v && k < v->items.n; k++) {
        double *x = NEW_N(a->rt->arena, double, item[k].rows + 1);
        int st = IMP_OK;
        if (item[k].numbers.n)
            memcpy(x, IMP_ARRAY(a->rt->im, item[k].numbers, double),
                   item[k].numbers.n * sizeof *x);
        else
            st = arg_numbers(a, &item[k], x);
        if (st)
            return st;
        struct sweep_axis *ax = &s->axis[s->n_axes++];
        *ax = (struct sweep_axis){.param = item[k].ref,
                                  .random = random,
                                  .x = x,
                                  .n = item[k].rows,
                                  .range = item[k].range};
        if ((st = check_axis(a, ax)))
            return st;
        if (!random)
            s->total *= ax->n;
    }
    return IMP_OK;
}

/* A param that nothing depends on gives the same run again and again; of models
 * that are not made yet nothing is known. */
static void
tell_idle(struct sweep *s)
{
    const imp_image *im = s->a->rt->im;
    const imp_param *p = IMP_ARRAY(im, im->params, imp_param);
    for (size_t k = 0; k < s->n_axes && s->n_models == 1; k++) {
        const struct sweep_axis *x = &s->axis[k];
        if (x->structural || model_reads_param(im, x->param))
            continue;
        const char *name = imp_text(im, p[x->param].name);
        struct diag *d = diag_add(s->a->ds, DIAG_W0745, x->range,
                                  "nothing in the model depends on `%s`, so "
                                  "all its values give the same runs",
                                  name);
        diag_note(s->a->ds, d, p[x->param].range, "the param");
        diag_help(s->a->ds, d,
                  "use it in a body, a system or the question, or sweep "
                  "another one");
    }
}

/* fields of the question that a value reads */
static void
wanted_by(struct sweep *s, const imp_val *v)
{
    const imp_image *im = s->a->rt->im;
    const uint32_t *k = IMP_ARRAY(im, v->slots, uint32_t);
    for (uint32_t i = 0; i < v->slots.n; i++) {
        const imp_slot *x = IMP_ARRAY(im, im->slots, imp_slot) + k[i];
        if (IMP_ARRAY(im, im->commands, imp_command) + x->command ==
            s->question)
            s->wanted[x->field] = true;
    }
}

static void
plan_fields(struct sweep *s, const imp_val *kept)
{
    struct analysis *a = s->a;
    const imp_val *item = val_items(a, kept);
    const imp_field *f = IMP_ARRAY(a->rt->im, s->question->fields, imp_field);
    size_t total = (size_t)s->total;
    s->n_fields = kept->items.n;
    s->field = NEW_N(a->rt->arena, struct sweep_field, s->n_fields + 1);
    s->wanted = NEW_N(a->rt->arena, bool, s->question->fields.n + 1);
    for (size_t k = 0; k < s->n_fields; k++) {
        struct sweep_field *t = &s->field[k];
        const imp_field *x = &f[item[k].field];
        *t = (struct sweep_field){.width = 1};
        if (item[k].kind != IMP_VAL_FIELD) {
            t->calculated = s->calculates = true;
            t->width = item[k].rows;
            wanted_by(s, &item[k]);
        } else {
            t->field = item[k].field;
            s->wanted[t->field] = true;
            if (x->kind == IMP_FIELD_VEC || x->kind == IMP_FIELD_SPIN)
                t->width = x->width;
            if (x->kind == IMP_FIELD_TEXT)
                t->text = NEW_N(a->rt->arena, uint32_t, total);
        }
        s->n_text += t->text != NULL;
        s->n_num += t->text ? 0 : t->width;
        if (!t->text) /* the record of a whole sweep points to them */
            t->num = NEW_N(record_arena(a), double, total * t->width);
    }
}

static int
plan(struct sweep *s)
{
    struct analysis *a = s->a;
    const imp_image *im = a->rt->im;
    const imp_opt *o = IMP_ARRAY(im, s->c->opts, imp_opt);
    const imp_val *kept = arg_option(a, s->c, IMP_OPT_sweep_record);
    const imp_val *run = arg_option(a, s->c, IMP_OPT_sweep_run);
    double repeat;
    int st = arg_number(a, s->c, IMP_OPT_sweep_repeat, 1, &repeat);
    size_t n = 0;
    for (uint32_t k = 0; k < s->c->opts.n; k++)
        n += o[k].val.items.n;
    s->axis = NEW_N(a->rt->arena, struct sweep_axis, n + 1);
    s->total = s->repeat = (uint64_t)repeat;
    /* in the order of the block, as the checker made the columns */
    for (uint32_t k = 0; k < s->c->opts.n && !st; k++)
        if (o[k].id == IMP_OPT_sweep_over || o[k].id == IMP_OPT_sweep_random)
            st = plan_axes(s, &o[k].val, o[k].id == IMP_OPT_sweep_random);
    if (st)
        return st;
    double summary;
    if ((st = arg_number(a, s->c, IMP_OPT_sweep_summary, 0, &summary)))
        return st;
    s->summary = summary > 0;
    s->question = IMP_ARRAY(im, im->commands, imp_command) + run->ref;
    s->seed = a->rt->seed;
    s->params = a->rt->env + im->layout.params;
    s->save = arg_text(a, s->c, IMP_OPT_sweep_save, NULL);
    if ((st = sweep_models_plan(s)))
        return st;
    tell_idle(s);

    plan_fields(s, kept);
    s->error = NEW_N(a->rt->arena, uint32_t, (size_t)s->total);
    s->state = NEW_N(a->rt->arena, unsigned char, (size_t)s->total);
    return IMP_OK;
}

/* -- the journal ------------------------------------------------------------
 */

static int
begin_journal(struct sweep *s)
{
    struct analysis *a = s->a;
    bool resume = a->sweeps.resume;
    if (!s->save || !a->out->dir)
        return IMP_OK;
    uint64_t key = sweep_key(s);
    enum journal_state was = journal_look(a->out, s->save, key);
    if (was == JOURNAL_SAME && !resume) {
        struct diag *d = diag_add(
            a->ds, DIAG_E0740, s->c->range,
            "an earlier run of this sweep was ended before its time; what it "
            "had done is in \"%s.part\"",
            s->save);
        diag_help(a->ds, d,
                  "--resume goes on with it; remove the file to begin anew");
        return IMP_FAILED;
    }
    if (was == JOURNAL_OTHER) {
        struct diag *d =
            diag_add(a->ds, resume ? DIAG_E0741 : DIAG_W0741, s->c->range,
                     "\"%s.part\" is of another sweep: the model, a param or "
                     "the seed has changed since",
                     s->save);
        if (resume) {
            diag_help(a->ds, d, "without --resume the sweep begins anew");
            return IMP_FAILED;
        }
        diag_note(a->ds, d, IMP_NOWHERE, "the sweep begins anew");
    }
    return journal_open(a->out, a->ds, s->c->range, s->save, key, resume,
                        sweep_unpack, s, &s->journal);
}

/* -- what was found ---------------------------------------------------------
 */

/* "rho = 0.1, gamma = 0.2" */
static const char *
run_name(const struct sweep *s, uint64_t i)
{
    const imp_image *im = s->a->rt->im;
    const imp_param *p = IMP_ARRAY(im, im->params, imp_param);
    struct buf b = {0};
    char x[NUM_TEXT];
    for (size_t k = 0; k < s->n_axes; k++)
        buf_printf(&b, "%s%s = %s", k ? ", " : "",
                   imp_text(im, p[s->axis[k].param].name),
                   num_digits(x, sweep_axis_value(s, k, i), 6));
    if (s->repeat > 1)
        buf_printf(&b, "%srepeat = %llu", s->n_axes ? ", " : "",
                   (unsigned long long)(i % s->repeat));
    const char *t = arena_strdup(s->a->rt->arena, buf_str(&b));
    buf_free(&b);
    return t;
}

static void
tell_warnings(struct sweep *s, const struct sweep_warnings *w)
{
    struct diags *ds = s->a->ds;
    for (size_t k = 0; k < w->n; k++) {
        const struct sweep_warning *x = &w->v[k];
        struct diag *d = diag_add(ds, x->code, x->range, "%s", x->message);
        diag_note(ds, d, s->c->range, "%s %llu of the runs of this sweep%s %s",
                  x->n == 1 ? "in" : "warnings like this one:",
                  (unsigned long long)x->n, x->n == 1 ? ":" : "; this one at",
                  run_name(s, x->run));
    }
}

static int
tell_failures(struct sweep *s, size_t rows, size_t failed)
{
    struct diags *ds = s->a->ds;
    uint64_t i = 0;
    if (!failed)
        return IMP_OK;
    while (s->state[i] != SWEEP_DONE || !s->error[i])
        i++;
    bool all = failed == rows;
    struct diag *d =
        all ? diag_add(ds, DIAG_E0742, s->c->range,
                       "every run of this sweep failed")
            : diag_add(ds, DIAG_W0740, s->c->range,
                       "%zu of %zu runs of this sweep failed", failed, rows);
    diag_note(ds, d, IMP_NOWHERE, "at %s: %s", run_name(s, i),
              s->texts.v[s->error[i]]);
    diag_help(ds, d,
              all ? "ask the question once, outside of the sweep, for the "
                    "whole message"
                  : "the column `error` has the reason of each");
    return all ? IMP_FAILED : IMP_OK;
}

static int
save(struct sweep *s, const struct record *out)
{
    struct analysis *a = s->a;
    const imp_image *im = a->rt->im;
    size_t n = 0;
    for (size_t i = 0; i < out->n; i++)
        n += out->schema[i].width > 1 ? out->schema[i].width : 1;
    struct out_column *v = NEW_N(a->rt->arena, struct out_column, n + 1);
    n = 0;
    for (uint32_t k = 1; k <= out->n + 1; k++) {
        bool last = k == out->n + 1; /* the reasons come last */
        for (size_t i = 0; i < out->n; i++) {
            const imp_field *f = &out->schema[i];
            if (last ? strcmp(imp_text(im, f->name), "error") || f->column
                     : f->column != k)
                continue;
            n += columns_of_field(a, out, i, v + n);
        }
    }
    size_t axes = 0;
    uint64_t *shape = NEW_N(a->rt->arena, uint64_t, s->n_axes + 1);
    bool repeats = s->repeat > 1 && !s->summary;
    struct out_grid g = {.n_varying = s->n_axes + repeats,
                         .shape = shape,
                         .threads = s->threads};
    if (s->summary)
        for (size_t k = 0; k < s->n_axes; k++)
            g.n_varying -= s->axis[k].random;
    for (size_t k = 0; k < s->n_axes && !s->axis[k].random; k++)
        shape[axes++] = s->axis[k].n;
    if (repeats && axes == s->n_axes)
        shape[axes++] = s->repeat;
    if (axes == g.n_varying)
        g.n_axes = axes;
    return out_save_grid(a->out, a->ds, s->c->range, s->save, v, n, &g);
}

/* after Ctrl-C, a full disk */
static void
tell_rest(struct sweep *s, int st, size_t rows)
{
    struct analysis *a = s->a;
    int e = atomic_load(&s->error_io);
    if (e) {
        char *part = arena_printf(a->rt->arena, "%s.part", s->save);
        out_cannot_write(a->ds, s->c->range, part, e);
    }
    if (s->journal.fd < 0 || st == IMP_OK)
        return;
    struct diag *d = diag_add(a->ds, DIAG_W0742, s->c->range,
                              "%zu of %llu runs are done and kept in "
                              "\"%s.part\"",
                              rows, (unsigned long long)s->total, s->save);
    diag_help(a->ds, d, "--resume goes on with them");
}

static int
sweep(struct sweep *s, struct record *out)
{
    struct analysis *a = s->a;
    struct sweep_warnings w = {0};
    int st = plan(s);
    if (!st && s->save)
        st = out_save_name(a->out, a->ds, s->c->range, s->save);
    if (st)
        return st;
    sweep_texts_init(&s->texts);
    if ((st = begin_journal(s)))
        return st;
    sweep_models_count(s);
    st = sweep_run_all(s, &w);
    size_t rows = 0, failed = (size_t)atomic_load(&s->failed);
    for (uint64_t i = 0; i < s->total; i++)
        rows += s->state[i] == SWEEP_DONE;
    sweep_fill_record(s, out, rows, failed);
    tell_warnings(s, &w);
    int bad = tell_failures(s, rows, failed);
    if (!st && s->save)
        st = save(s, out);
    tell_rest(s, st, rows);
    journal_close(&s->journal, st == IMP_OK);
    return st ? st : bad;
}

static int
cmd_sweep(struct analysis *a, const imp_command *c, struct record *out)
{
    struct sweep *s = NEW(a->rt->arena, struct sweep);
    struct oom_guard g;
    *s = (struct sweep){.a = a, .c = c, .journal = {.fd = -1}};
    if (setjmp(g.env)) {
        oom_leave(&g);
        journal_close(&s->journal, false);
        sweep_texts_free(&s->texts);
        sweep_models_free(s);
        oom_raise();
    }
    oom_enter(&g);
    int st = sweep(s, out);
    oom_leave(&g);
    journal_close(&s->journal, false);
    sweep_texts_free(&s->texts);
    sweep_models_free(s);
    return st;
}

const struct command_functions command_sweep = {.run = cmd_sweep};
