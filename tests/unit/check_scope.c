/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and turns: `use` of relative files, the same file by two ways, circles,
 * clashes between files; redefinition and earlier results, as the REPL needs
 * them; names for completion. */
#include <unistd.h>

#include "check_common.h"

static char dir[64];

static void
put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}
static void
load(struct checked *c, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/main.imp", dir);
    put("main.imp", text);
    check_text_as(c, path, text);
    c->m = check_model(&c->in);
}
static int
make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/imp-check-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}
static int
drop_dir(void **state)
{
    (void)state;
    static const char *const names[] = {"main.imp", "a.imp", "b.imp", "c.imp"};
    char path[128];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    return rmdir(dir);
}

static void
test_diamond(void **state)
{
    (void)state;
    struct checked c;
    put("a.imp", "use \"c.imp\"\nfn twice(x) = 2*base(x)\n");
    put("b.imp", "use \"c.imp\"\nuse shapes\n"
                 "body ball : circle(size) { density = 1 }\n");
    put("c.imp", "param size = 1\nfn base(x) = x\n");
    load(&c, "use \"a.imp\"\nuse \"b.imp\"\nuse \"a.imp\"\n"
             "show twice(ball.position.x)\n");
    assert_non_null(c.m);
    assert_int_equal(c.m->n_bodies, 1);
    assert_int_equal(c.m->n_params, 1);
    assert_string_equal(c.m->params[0].unit, "m");
    checked_free(&c);
    /* what a used file uses is not visible further up */
    load(&c, "use \"a.imp\"\nshow base(1)\n");
    assert_null(c.m);
    assert_string_equal(diag_code_name(c.ds.first->code), "E0102");
    checked_free(&c);
}

static void
test_circle(void **state)
{
    (void)state;
    struct checked c;
    put("a.imp", "use \"b.imp\"\n");
    put("b.imp", "use \"main.imp\"\n");
    load(&c, "use \"a.imp\"\n");
    assert_int_equal(c.ds.errors, 1);
    assert_string_equal(diag_code_name(c.ds.first->code), "E0110");
    checked_free(&c);
    load(&c, "use \"main.imp\"\n");
    assert_string_equal(diag_code_name(c.ds.first->code), "E0110");
    checked_free(&c);
}

static void
test_clash(void **state)
{
    (void)state;
    struct checked c;
    put("a.imp", "param k = 1\nshow k\n");
    load(&c, "use \"a.imp\"\nparam k = 2\n");
    assert_int_equal(c.ds.errors, 1);
    assert_string_equal(diag_code_name(c.ds.first->code), "W0101");
    assert_string_equal(diag_code_name(c.ds.first->next->code), "E0103");
    checked_free(&c);
    load(&c, "use \"a.imp\"\nshow k\n");
    assert_non_null(c.m);
    assert_int_equal(c.m->n_commands, 1);
    assert_int_equal(c.ds.warnings, 1);
    checked_free(&c);
}

/* two turns of a REPL: files in order, later declarations win */
static void
test_redefine(void **state)
{
    (void)state;
    struct checked c;
    check_text_as(&c, "one",
                  "use shapes\nparam k = 1\nlet a = 2*k\n"
                  "body b : circle(1) { density = 1 }\n"
                  "world { seed = 1 }\n");
    const char *two = "param k = 5\nbody b : circle(2) { mass = 3 }\n"
                      "world { seed = 2 }\nshow a, r.D\n"
                      "let r = simulate { until = 1 record = b.energy }\n"
                      "plot r, b.energy\n";
    const struct ast_file *files[2] = {c.in.files[0], NULL};
    uint32_t f = sources_add(c.sources, "two", two, strlen(two));
    files[1] = parse_file(c.arena, c.names, &c.ds, f, false);
    struct tm_field fields[1] = {{.name = "D",
                                  .unit = "m/s^2",
                                  .doc = "",
                                  .kind = IMP_FIELD_NUM,
                                  .width = 1}};
    struct tm_command old = {
        .id = IMP_CMD_classify, .fields = fields, .n_fields = 1};
    struct check_prior prior = {"r", &old};
    c.in.files = files;
    c.in.n_files = 2;
    c.in.redefine = true;
    c.in.priors = &prior;
    c.in.n_priors = 1;
    c.m = check_model(&c.in);
    assert_non_null(c.m);
    assert_int_equal(c.m->n_params, 1);
    assert_true(c.m->params[0].dflt == 5);
    assert_int_equal(c.m->n_bodies, 1);
    assert_non_null(c.m->bodies[0].stated.mass.e);
    assert_true(ex_is_num(c.m->world.seed.e, 2));
    assert_int_equal(c.m->n_commands, 4);
    assert_true(c.m->commands[0].done && !c.m->commands[1].done);
    assert_int_equal(c.m->slots[0].command, 0);
    assert_int_equal(c.m->commands[3].args[0].ref, 2);
    checked_free(&c);
}

struct seen_names {
    int names, units, keys, parts, fields, commands, functions, keywords;
    bool mine;
};
static void
each(void *ctx, const char *kind, const char *name)
{
    struct seen_names *s = ctx;
    s->names += !strcmp(kind, "name");
    s->units += !strcmp(kind, "unit");
    s->keys += kind[strlen(kind) - 1] == '{';
    s->parts += kind[strlen(kind) - 1] == '.';
    s->fields += !strcmp(kind, "field");
    s->commands += !strcmp(kind, "command");
    s->functions += !strcmp(kind, "function");
    s->keywords += !strcmp(kind, "keyword");
    s->mine |= !strcmp(name, "mine") && !strcmp(kind, "let");
}
static void
test_names(void **state)
{
    (void)state;
    struct checked c;
    struct seen_names s = {0};
    check_text_as(&c, "test.imp", "let mine = nothing\n");
    check_names(&c.in, each, &s);
    assert_int_equal(c.ds.errors, 0);
    assert_true(s.mine && s.names > 0 && s.units > 20 && s.keys > 25);
    assert_true(s.parts > 10 && s.fields > 40);
    assert_true(s.commands >= 8 && s.functions > 50 && s.keywords > 10);
    checked_free(&c);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diamond), cmocka_unit_test(test_circle),
        cmocka_unit_test(test_clash),   cmocka_unit_test(test_redefine),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
