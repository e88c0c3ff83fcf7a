/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of a model of which only restitutions have changed
 * (runtime/setup/restart.h): after a row of random params env is that of a
 * fresh run, bit by bit, whatever a run has left in it, and `chatter` answers
 * the same; the short way is taken where it may be and nowhere else; rt_laws
 * gives the restitutions of such a start without making it. */
#include "analysis_help.h"
#include "runtime/instance/run.h"
#include "runtime/setup/new_run.h"

#define MOST 4 /* params */

struct model {
    const char *text;
    int n; /* params */
    double lo[MOST], hi[MOST];
    bool light[MOST]; /* restitutions are all that the param enters */
};

#define ROD "  kinetic = (rho^2*phi'^2 + h'^2)/2\n"
static const struct model models[] = {
    {"param rho = 0.3\nparam gamma = 0.1\n"
     "system s {\n  coordinate phi, h\n" ROD
     "  contact a { gap = h + phi  restitution = gamma }\n"
     "  contact b { gap = h - phi  restitution = gamma }\n"
     "}\nlet r = chatter s\n",
     2,
     {0.1, -0.1},
     {1, 1.1},
     {false, true}},
    /* restitutions that differ, from formulas; one that is fixed, one of a
     * param that is in the mass, too */
    {"param rho = 0.3\nparam gamma = 0.1\nparam k = 2\n"
     "system s {\n  coordinate phi, h\n" ROD
     "  contact a { gap = h + phi  restitution = sqrt(gamma) }\n"
     "  contact b { gap = h - phi\n"
     "    restitution = if gamma < 0.5 then k*gamma^2 else gamma/k - 0.1 }\n"
     "  contact c { gap = h - 2*phi  restitution = 0.25 }\n"
     "  contact d { gap = h + 2*phi  restitution = rho }\n"
     "}\nlet r = chatter s\nexpect gamma < 2\n",
     3,
     {0.1, -0.1, 0.5},
     {1, 1.1, 3},
     {false, true, true}},
    /* one param each in a start, a gap, the mass; restitutions of them, too */
    {"param x = 1\nparam y = 0.1\nparam z = 1\nparam e = 0.2\n"
     "system s {\n  coordinate h\n  kinetic = z*h'^2/2\n"
     "  contact a { gap = h - y  restitution = x/4 + y/8 + z/8 + e/2 }\n"
     "  start { h = x  h' = -1 [1/s] }\n}\nlet r = chatter s\n",
     4,
     {0.5, 0.05, 0.5, 0},
     {1, 0.2, 1, 1},
     {false, false, false, true}},
    /* motion that is no parabola */
    {"param g = 1 [1/s^2]\nparam e = 0.5\n"
     "system s {\n  coordinate h\n  kinetic = h'^2/2\n  potential = g*sin(h)\n"
     "  contact a { gap = h  restitution = e }\n  start { h = 1 }\n}\n"
     "simulate { until = 1 [s] }\n",
     2,
     {0.5, 0},
     {2, 1},
     {false, true}},
    /* energy may be gained */
    {"world { gain = allowed }\nparam e = 0.5\n"
     "system s {\n  coordinate h\n  kinetic = h'^2/2\n"
     "  contact a { gap = h  restitution = 1/e }\n"
     "  start { h = 1  h' = -1 [1/s] }\n}\nlet r = chatter s\n",
     1,
     {-0.2},
     {2},
     {true}},
    /* a number that is drawn; a body: nothing is light */
    {"param e = 0.5\n"
     "system s {\n  coordinate h\n  kinetic = h'^2/2\n"
     "  contact a { gap = h  restitution = e }\n"
     "  start { h = random(1, 2)  h' = -1 [1/s] }\n}\nlet r = chatter s\n",
     1,
     {0},
     {1},
     {false}},
    {"use shapes\nparam e = 0.5\n"
     "body b : sphere(1 [m]) { mass = 1 [kg]  position = (0, 0, 2) [m]\n"
     "  velocity = (0, 0, -1) [m/s] }\n"
     "body f : half_space() { fixed = true }\n"
     "contact a : b | f { restitution = e }\nimpact a\n",
     1,
     {0},
     {1},
     {false}},
};

static double
next(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*s >> 11) * 0x1p-53;
}

static int
cases(int n)
{
    const char *e = getenv("IMP_TEST_CASES");
    return e ? atoi(e) : n;
}

/* as a run may leave it */
static void
spoil(struct rt *r, uint64_t *s)
{
    const imp_layout *l = &r->im->layout;
    for (uint32_t i = 0; i < l->n_env; i++)
        if (i < l->params || i >= l->params + r->im->params.n)
            r->env[i] = next(s);
    r->world.seed = 1e6 * next(s);
}

static void
same_start(const struct rt *x, const struct rt *y)
{
    const imp_layout *l = &x->im->layout;
    assert_memory_equal(x->env, y->env, l->n_env * sizeof *x->env);
    assert_memory_equal(x->start.state, y->start.state,
                        (l->contact - l->state) * sizeof *x->start.state);
    assert_memory_equal(x->world.gravity, y->world.gravity,
                        sizeof x->world.gravity);
    assert_memory_equal(&x->world.tolerance, &y->world.tolerance,
                        sizeof x->world.tolerance);
    assert_memory_equal(&x->world.seed, &y->world.seed, sizeof x->world.seed);
}

/* -- the question of the model, if it is `chatter` --------------------------
 */

static struct record *
ask(struct rt *r, struct diags *ds, int *st)
{
    const imp_command *c = IMP_ARRAY(r->im, r->im->commands, imp_command);
    struct output out = {.width = 80};
    struct analysis an = {
        .rt = r,
        .out = &out,
        .ds = ds,
        .recs = NEW_N(r->arena, struct record *, r->im->commands.n),
        .commands = all_commands};
    struct record *rec = record_new(r->arena, r->im, c);
    *st = all_commands[c->id]->run(&an, c, rec);
    return rec;
}

static bool
same_text(const char *x, const char *y)
{
    return x && y ? !strcmp(x, y) : x == y;
}

static void
same_records(const struct record *x, const struct record *y)
{
    for (size_t i = 0; i < x->n; i++) {
        const struct field_value *u = &x->v[i], *v = &y->v[i];
        size_t n = u->cols && u->n ? u->cols * u->n : u->n;
        assert_true(same_text(u->why, v->why) && same_text(u->text, v->text));
        assert_true(u->n == v->n && u->cols == v->cols);
        assert_true(!u->num == !v->num && !u->texts == !v->texts);
        if (u->num && n)
            assert_memory_equal(u->num, v->num, n * sizeof *u->num);
        for (size_t k = 0; u->texts && k < u->n; k++)
            assert_string_equal(u->texts[k], v->texts[k]);
    }
}

/* asked once, and once more from the same start */
static void
same_answers(struct rt *r, struct rt *fresh, struct diags *ds)
{
    const imp_command *c = IMP_ARRAY(r->im, r->im->commands, imp_command);
    int st, again;
    if (c->id != IMP_CMD_chatter)
        return;
    struct record *answer = ask(fresh, ds, &st);
    for (int k = 0; k < 2; k++) {
        struct record *x = ask(r, ds, &again);
        assert_int_equal(st, again);
        if (!st)
            same_records(x, answer);
        rt_reset(r);
    }
}

struct row {
    const struct model *m;
    struct rt *r;
    struct diags *ds;
    double p[MOST], was[MOST]; /* was: of the last full set-up */
    bool any;                  /* some param is light */
    int starts, taken;
};

/* One more start: the same as a fresh one, by the way that it should take */
static void
start(struct row *w, uint64_t *s)
{
    uint32_t n = w->r->im->contacts.n;
    double e[8], *env = NEW_N(w->r->arena, double, w->r->im->layout.n_env);
    bool light = w->any && w->starts > 1;
    for (int i = 0; i < w->m->n; i++)
        light &= w->m->light[i] || w->p[i] == w->was[i];
    unsigned long version = w->r->start.version;
    spoil(w->r, s);
    size_t size = w->r->im->layout.n_env * sizeof *env;
    memcpy(env, w->r->env, size);
    bool laws = rt_laws(w->r, w->p, e);
    assert_memory_equal(env, w->r->env, size);
    int errors = w->ds->errors;
    int st = rt_restart(w->r, w->p);
    int said = w->ds->errors - errors;
    errors = w->ds->errors;
    struct rt *fresh = rt_new(w->r->im, NULL, w->p, w->ds, NULL);
    assert_int_equal(st == IMP_OK, fresh != NULL);
    assert_int_equal(said, w->ds->errors - errors);
    assert_true(laws == (light && !st));
    if (!fresh)
        return;
    same_start(w->r, fresh);
    assert_true((w->r->start.version == version) == light);
    for (uint32_t c = 0; c < n && laws; c++)
        assert_memory_equal(&e[c],
                            fresh->env + rt_contact(fresh, c)->env_contact +
                                IMP_CONTACT_E,
                            sizeof *e);
    same_answers(w->r, fresh, w->ds);
    w->taken += light;
    w->starts++;
    if (!light)
        memcpy(w->was, w->p, sizeof w->was);
    rt_free(fresh);
}

static void
row(const struct model *m, uint64_t s)
{
    struct run r;
    compile(&r, m->text);
    struct row w = {.m = m, .ds = &r.ds};
    for (int i = 0; i < m->n; i++) {
        w.p[i] = 0.5 * (m->lo[i] + m->hi[i]);
        w.any |= m->light[i];
    }
    w.r = rt_new(r.im, NULL, w.p, w.ds, NULL);
    assert_non_null(w.r);
    w.starts = 1;
    memcpy(w.was, w.p, sizeof w.was);
    for (int k = 0; k < cases(200); k++) {
        for (int i = 0; i < m->n; i++)
            if (next(&s) < (m->light[i] ? 0.8 : 0.1))
                w.p[i] = m->lo[i] + (m->hi[i] - m->lo[i]) * next(&s);
        start(&w, &s);
    }
    if (w.any)
        assert_true(w.taken > w.starts / 4);
    else
        assert_int_equal(w.taken, 0);
    rt_free(w.r);
    arena_free(r.a);
}

static void
starts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        row(&models[i], 1000 + i);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(starts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
