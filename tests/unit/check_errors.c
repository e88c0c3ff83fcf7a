/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each code of the checker once: a model with one mistake gives one error, of
 * the right code, and nothing after it. */
#include "check_common.h"

#define AB                                                                     \
    "use shapes\n"                                                             \
    "body a : circle(1) { density = 1 }\n"                                     \
    "body b : circle(1) { density = 1 position = (3, 0) }\n"                   \
    "contact c : a | b { restitution = 1 }\n"
#define S3 "use shapes\nbody a : sphere(1) { mass = 1 "

#define TWO                                                                    \
    "body a { mass = 2 inertia = diag(0.5, 0.4, 0.3) }\n"                      \
    "body b { mass = 3 inertia = diag(0.7, 0.6, 0.5) position = (0, 1, 0) }\n"
#define AT0 "contact c : a | b { at = (0, 0, 0) normal = (0, 0, 1) }\n"

/* two calls each: 2^24 expansions if nobody counts */
#define TWICE(f, g) "fn " #f "(x) = " #g "(x) + " #g "(x + 1)\n"
#define BLOW                                                                   \
    "fn a(x) = x + 1\n" TWICE(b, a) TWICE(c, b) TWICE(d, c) TWICE(f, d)        \
        TWICE(h, f) TWICE(i, h) TWICE(j, i) TWICE(k, j) TWICE(l, k)            \
            TWICE(m, l) TWICE(n, m) TWICE(o, n) TWICE(p, o) TWICE(q, p)        \
                TWICE(r, q) TWICE(s, r) TWICE(u, s) TWICE(v, u) TWICE(w, v)    \
                    TWICE(x, w) TWICE(y, x) TWICE(z, y) TWICE(aa, z)           \
                        TWICE(bb, aa) "let yy = bb(1)"

static const struct {
    const char *code, *text;
} cases[] = {
    {"E0101", "let a = 2\nshow b"},
    {"E0101", "show e"},
    {"E0101", "show x"},
    {"E0102", "use shapes\nbody one : elipse(2, 1) { density = 1 }"},
    {"E0102", "body one : ellipse(2, 1) { density = 1 }"},
    {"E0103", "param a = 1\nlet a = 2"},
    {"E0103", "fn f(x, x) = x"},
    {"E0104", "use shapes\nshape circle(r) = x^2 + y^2 - r^2\n"
              "body b : circle(1) { mass = 1 }"},
    {"E0105", "param t = 3"},
    {"E0105", "fn sin(x) = x"},
    {"E0105", "shape s(x) = x + y - 1"},
    {"E0106", "let a = b + 1\nlet b = a - 1"},
    {"E0107", "fn f(n) = n*f(n - 1)"},
    {"E0107", "fn f(n) = g(n)\nfn g(n) = f(n)\nlet a = f(2)"},
    {"E0108", "use \"there-is-no-such-file.imp\""},
    {"E0109", "use shapez"},
    {"E0111", "use shapes\nlet r = circle(1)"},
    {"E0112", "body b { mass = 1 planar = true }\nshow b.speed"},
    {"E0112", "let v = (1, 2)\nshow v.z"},
    {"E0113", "body b : shapes.circle(1) { mass = 1 }"},
    {"E0114", "let v = (1, 2)\nlet a = v.x(3)"},
    {"E0201", "let a = 1 [m] + 1 [s]"},
    {"E0201", "let a = (1 [m], 2 [s])"},
    {"E0201", "let a = 1 [m] < 1 [s]"},
    {"E0201", "param r = 1\nlet a = r + 1 [m]\nlet b = r + 1 [s]"},
    {"E0201", "fn f(x) = 1 [m] + 1 [s]"},
    {"E0202", "body b { mass = 2 [s] planar = true }"},
    {"E0202", "body b { mass = 2*pi*(1 [m]) planar = true }"},
    {"E0203", "let a = sin(2 [m])"},
    {"E0204", "let a = 2^(3 [s])"},
    {"E0205", "param p = 2\nlet a = (1 [m])^p"},
    {"E0206", "let a = 3 [meter]"},
    {"E0207", "let a = 3 [m]\nlet b = (2*a) [m]"},
    {"E0208", "let a = 3 [2*m]"},
    {"E0209", "let a = \"one\" + 1"},
    {"E0209", "body b { mass = (1, 2) planar = true }"},
    {"E0210", "let a = (1, 2) + (1, 2, 3)"},
    {"E0210", "let a = (1, 2)^2"},
    {"E0211", "let a = (1, 2)*(3, 4)"},
    {"E0212", "let v = (1, 2)\nshow v[2]"},
    {"E0213", "let a = if 1 then 2 else 3"},
    {"E0214", "use shapes\nbody b : ellipse(2) { density = 1 }"},
    {"E0214", "let a = sin(1, 2)"},
    {"E0215", "use shapes\nbody b : circle(radius = 1) { density = 1 }"},
    {"E0216", "let a = 1/(2 - 2)"},
    {"E0216", "let a = inv([1, 2; 2, 4])"},
    {"E0217", "let a = sqrt(-1)"},
    {"E0217", "let a = log(0)"},
    {"E0218", "let a = dot(1, 2)"},
    {"E0218", "let a = gap(3)"},
    {"E0219", "let a = det([1, 2, 3; 4, 5, 6])"},
    {"E0220", "let a = ((1 [m])^9999)^9999"},
    {"E0221", "let a = (1, 2) == (1, 2)"},
    {"E0222", "let a = 0 .. 2.5"},
    {"E0222", "let a = linspace(0, 1, t/(1 [s]))"},
    {"E0223", "let a = if t < 1 then 1 else (1, 2)"},
    {"E0224", AB "let r = classify c\nshow r + 1"},
    {"E0224", AB "let r = classify c\nshow 2*r"},
    {"E0303", "body b { mass = 2 planar = true world { seed = 1 } }"},
    {"E0305", "wrld { seed = 1 }"},
    {"E0301", "body b { mas = 2 planar = true }"},
    {"E0302", "body b { mass = 2 mass = 3 planar = true }"},
    {"E0304", "world { seed = 1 }\nworld { seed = 2 }"},
    {"E0306", "param a = 1\nparam b = 2*a"},
    {"E0307", "param a = 3 in [0, 1]"},
    {"E0308", "param a = 1 in [2, 0]"},
    {"E0309", "use shapes\nbody b : circle(1) { position = (0, 1) }"},
    {"E0310", "use shapes\nbody b : circle(1) { mass = 1 density = 1 }"},
    {"E0311", "body b { density = 1 planar = true }"},
    {"E0312", S3 "quaternion = (1, 0, 0, 0) axes = diag(1, 1, 1) }"},
    {"E0313", S3 "angle = 30 [deg] }"},
    {"E0313", "use shapes\nbody b : circle(1) { mass = 1 "
              "quaternion = (1, 0, 0, 0) }"},
    {"E0314", S3 "position = (0, 1) }"},
    {"E0314", "use shapes\nbody b : circle(1) { mass = 1 velocity = 3 }"},
    {"E0315", "use shapes\nbody a : sphere(1) { mass = 1 }\n"
              "body b : circle(1) { mass = 1 }"},
    {"E0316", "use shapes\nbody w : half_plane { fixed = true "
              "velocity = (1, 0) }"},
    {"E0317", "use shapes\nbody b : circle(1) { mass = 0 }"},
    {"E0317", "use shapes\nbody b : sphere(-1) { density = 1 }"},
    {"E0318", "body b { mass = 1 inertia = [1, 0.1, 0; 0, 1, 0; 0, 0, 1] }"},
    {"E0319", "use shapes\nbody b : circle(1) { density = 1 "
              "position = (t*(1 [m/s]), 0) }"},
    {"E0319", "use shapes\nbody a : circle(1) { density = 1 }\n"
              "body b : circle(1) { density = 1 position = a.position }"},
    {"E0320", AB "contact d : a | a"},
    {"E0321", "use shapes\nbody a : half_plane { fixed = true }\n"
              "body b : circle(1) { fixed = true }\ncontact c : a | b"},
    {"E0322", "use shapes\nbody a { mass = 1 planar = true }\n"
              "body b : circle(1) { mass = 1 }\ncontact c : a | b"},
    {"E0323", AB "contact d : b | a { restitution = 1.2 }"},
    {"E0323", AB "contact d : b | a { restitution = poisson(-0.1) }"},
    {"E0324", AB "param k = 2\ncontact d : a | k"},
    {"E0325", AB "contact d : b | a { restitution = neuton(0.5) }"},
    {"E0326", "world { policy = \"halt\" }"},
    {"E0327", "shape s(r) = x^2 + y^2 < r^2"},
    {"E0327", "shape s(r) = r^2 - 1"},
    {"E0328", "fn f(a) = a\nbody b : f(1) { mass = 1 }"},
    {"E0329", "param a : [mm] = 3"},
    {"E0330", "body b { mass = 1 planar = true fixed = 1 }"},
    {"E0330", S3 "rotation = (0, 0, 1) }"},
    {"E0332", S3 "axes = [1, 0, 0; 0, 1, 0; 0, 0, -1] }"},
    {"E0401", "simulate { until = 1 untill = 1 }"},
    {"E0402", "simulate { until = 1 until = 2 }"},
    {"E0403", AB "simulate c { until = 1 }"},
    {"E0404", AB "classify a"},
    {"E0405", "simulate { until = 1  every = -1 }"},
    {"E0405", AB "classify c { order = 3 }"},
    {"E0406", AB "simulate { record = gap(c) }"},
    {"E0407", AB "show r\nlet r = classify c"},
    {"E0408", AB "let r = classify c\nshow r.jrek"},
    {"E0409", AB "simulate { until = 1 }\nplot gap(c)"},
    {"E0410", "expect 1"},
    {"E0411", AB "let r = classify c\nplot r.D"},
    {"E0412", AB "let r = classify c\nexpect r.class < \"C00\""},
    {"E0413", AB "let r = simulate { until = 1 }\nplot r"},
    {"E0414", AB "let r = classify c\nsave r { file = \"/tmp/r.csv\" }"},
    {"E0415", "let s = show 1"},
    {"E0416", TWO AT0 "compare c"},
    {"E0416", TWO AT0 "compare classify c"},
    {"E0403", TWO AT0 "compare impact c, c"},
    {"E0371", "system s { coordinate q kinetic = q'^2/2 observer { y = 1 } }"},
    {"E0901", "use shapes\n"
              "body a : sphere(1) { density = 1 }\n"
              "body b : sphere(1) { density = 1  position = (3, 0, 0) }\n"
              "contact c : a | b { friction = 0.3 }"},
    {"E0351", "body b : polygon(1) { mass = 1 }"},
    {"E0901",
     "use shapes\nshape lens(w) = max((x/w)^2 + y^2/w^2, abs(x)/w) - 1\n"
     "body a : lens(1) { mass = 1  inertia = 1 }\n"
     "body b : circle(1) { mass = 1 }\ncontact c : a | b"},
    {"E0105", "body world { fixed = true }"},
    {"E0103", TWO "joint a : weld(a, b) { }"},
    {"E0202", TWO "joint o : cylinder(a, b) { at = (0, 0, 0) "
                  "axis = (0, 0, 1) rate = (1 [1/s], 2 [1/s]) }"},
    {"E0202", TWO "let r = (1, 2) [1/s]\njoint o : cylinder(a, b) { "
                  "at = (0, 0, 0) axis = (0, 0, 1) rate = r }"},
    {"E0314", TWO "joint o : hinge(a, b) { at = (0, 0, 0) axis = (0, 0, 1) "
                  "rate = (1, 2) }"},
    {"E0314", TWO "joint o : planar(a, b) { axis = (0, 0, 1) "
                  "rate = (1, 2, 0) }"},
    {"E0314", TWO "joint o : ball(a, b) { at = (0, 0) }"},
    {"E0319", TWO "joint o : ball(a, b) { at = (0, t*(1 [m/s]), 0) }"},
    {"E0323", TWO "contact c : a | b { at = (0, 0, 0) normal = (0, 0, 1) "
                  "restitution = -1 }"},
    {"E0324", TWO "contact c : a | world { at = (0, 0, 0) "
                  "normal = (0, 0, 1) }"},
    {"E0326", "world { law = neuton }"},
    {"E0326", TWO AT0 "impact c { law = moreau }"},
    {"E0333", TWO "contact c : a | b { at = (0, 0, 0) }"},
    {"E0333", TWO "contact c : a | b { normal = (0, 0, 1) }"},
    {"E0333", TWO "contact c : a | b { at = (0, 0, 0) normal = (0, 0, 1) "
                  "direction = (0, 0, 2) }"},
    {"E0334", TWO "joint o : hinhe(a, b) { at = (0, 0, 0) }"},
    {"E0335", TWO "joint o : ball(a, a) { at = (0, 0, 0) }"},
    {"E0335", TWO "joint o : ball(world, a) { at = (0, 0, 0) }"},
    {"E0335", TWO "joint o : ball(world, world) { at = (0, 0, 0) }"},
    {"E0335", TWO "joint o : ball(a) { at = (0, 0, 0) }"},
    {"E0335", TWO "joint o : ball { at = (0, 0, 0) }"},
    {"E0335", TWO "joint o : ball(a, b, world) { at = (0, 0, 0) }"},
    {"E0335", TWO "joint o : ball(a, 3) { at = (0, 0, 0) }"},
    {"E0335", TWO "joint o : ball(a, second = b) { at = (0, 0, 0) }"},
    {"E0336", "body g { fixed = true }\n"
              "joint o : ball(g, world) { at = (0, 0, 0) }"},
    {"E0337", TWO "joint o : ball(a, b) { at = (0, 0, 0) axis = (0, 0, 1) }"},
    {"E0337", TWO "joint o : weld(a, b) { rate = 1 }"},
    {"E0337", AB "joint o : hinge(a, b) { at = (0, 0) axis = (0, 1) }"},
    {"E0338", TWO "joint o : hinge(a, b) { at = (0, 0, 0) }"},
    {"E0338", TWO "joint o : universal(a, b) { at = (0, 0, 0) "
                  "axis = (0, 0, 1) }"},
    {"E0339", AB "joint o : ball(a, b) { at = (0, 0) }"},
    {"E0340", TWO "joint o : slider(a, b) { axis = (0, 0, 0) }"},
    {"E0340", TWO "joint o : universal(a, b) { at = (0, 0, 0) "
                  "axis = (0, 0, 1) axis2 = (0, 0, -2) }"},
    {"E0340", TWO "contact c : a | b { at = (0, 0, 0) normal = (0, 0, 0) }"},
    {"E0340", TWO "joint o : constraint(a, b) { at = (0, 0, 0) "
                  "screws = [0, 0, 0, 0, 0, 0] }"},
    {"E0341", TWO "joint o : constraint(a, b) { at = (0, 0, 0) "
                  "screws = (1, 0, 0) }"},
    {"E0341", TWO "joint o : constraint(a, b) { at = (0, 0, 0) "
                  "screws = [1, 0, 0; 0, 1, 0] }"},
    {"E0343", TWO AT0 "show gap(c)"},
    {"E0343", TWO AT0 "show c.gap"},
    {"E0343", TWO AT0 "classify c"},
    {"E0344", TWO "joint o : weld(a, b) { }\nshow o"},
    {"E0910", BLOW},
};

static void
test_codes(void **state)
{
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct checked c;
        check_text(&c, cases[i].text);
        bool good = !c.m && c.ds.errors == 1 && c.ds.first &&
                    !strcmp(diag_code_name(c.ds.first->code), cases[i].code);
        if (!good) {
            struct buf b = {0};
            diags_print(&c.ds, &b, DIAG_TEXT, false);
            print_message("-- wanted one %s of:\n%s\n-- got %d:\n%s\n",
                          cases[i].code, cases[i].text, c.ds.errors,
                          buf_str(&b));
            buf_free(&b);
            bad++;
        }
        checked_free(&c);
    }
    assert_int_equal(bad, 0);
}

/* several mistakes are found in one run */
static void
test_several(void **state)
{
    (void)state;
    struct checked c;
    check_text(&c, AB "let p = 1 [m] + 1 [s]\nlet q = p + 1\nshow nothing\n"
                      "let r = classify c { oder = 8 }\nshow r.D\n"
                      "body d : circle(1) { mass = 1 [m] }\n");
    assert_int_equal(c.ds.errors, 4);
    checked_free(&c);
}

/* a warning is told, and the model stands */
static void
test_warnings(void **state)
{
    (void)state;
    struct checked c;
    check_text(&c, "use shapes\nbody b : circle(1) { mass = 1 angle = -90 }");
    assert_non_null(c.m);
    assert_int_equal(c.ds.warnings, 1);
    assert_string_equal(diag_code_name(c.ds.first->code), "W0301");
    checked_free(&c);
    check_text(&c, "use shapes\nbody b : circle(1) { mass = 1 angle = 3 }");
    assert_int_equal(c.ds.warnings, 0);
    checked_free(&c);
    check_text(&c, "use shapes\nbody b : box(1, 1, 1) { mass = 1 "
                   "rotation = ((0, 0, 1), 45) }");
    assert_int_equal(c.ds.warnings, 1);
    assert_string_equal(diag_code_name(c.ds.first->code), "W0301");
    checked_free(&c);
}

/* keys of contacts that no command reads are told, once each, where a run goes
 * by the restitution alone */
static void
test_unread_keys(void **state)
{
    (void)state;
#define FALLS                                                                  \
    "use shapes\nparam mu = 0\nworld { gravity = (0, -9.81) }\n"               \
    "body floor : half_plane { fixed = true }\n"                               \
    "body b[i in 0 .. 1] : circle(0.1) { mass = 1 position = (i, 1) }\n"
#define YIELDS                                                                 \
    "contact c[i in 0 .. 1] : floor | b[i] { friction = mu "                   \
    "compliance = (1000 [N/m])*depth }\n"
#define BONDS "contact c[i in 0 .. 1] : floor | b[i] { stiffness = 1000 }\n"
    static const struct {
        const char *text;
        unsigned warnings;
    } row[] = {
        {FALLS YIELDS "simulate { until = 1 }", 1},
        {FALLS YIELDS, 0},
        {FALLS YIELDS
         "simulate { until = 1 }\nsimulate { until = 1 compliant = "
         "true }",
         0},
        {FALLS YIELDS "simulate { until = 1 paradox = compliant }", 0},
        {FALLS YIELDS "simulate { until = 1 paradox = jump }", 1},
        {FALLS BONDS "simulate { until = 1 }", 1},
        {FALLS BONDS "impact c[0]", 1},
        {FALLS BONDS "impact c[0] { law = lzb }", 0},
        {FALLS BONDS "compare impact c[0]", 0},
        {FALLS "contact c : floor | b[0] { exponent = 1 }\nimpact c", 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct checked c;
        check_text(&c, row[i].text);
        assert_non_null(c.m);
        assert_int_equal(c.ds.warnings, row[i].warnings);
        if (row[i].warnings)
            assert_string_equal(diag_code_name(c.ds.first->code), "W0302");
        checked_free(&c);
    }
#undef FALLS
#undef YIELDS
#undef BONDS
}

/* two contacts of one pair of bodies are told, whatever their order, unless
 * stated points tell them apart */
static void
test_same_pair(void **state)
{
    (void)state;
#define APART                                                                  \
    "use shapes\nbody floor : half_plane { fixed = true }\n"                   \
    "body b[i in 0 .. 1] : circle(0.1) { mass = 1 position = (i, 1) }\n"
    static const struct {
        const char *text;
        unsigned warnings;
    } row[] = {
        {APART "contact c : floor | b[0]\ncontact d : floor | b[1]", 0},
        {APART "contact c : floor | b[0] { restitution = 0.8 }\n"
               "contact d : floor | b[0] { restitution = 0.5 }",
         1},
        {APART "contact c : floor | b[0]\ncontact d : b[0] | floor", 1},
        {APART "contact c[i in 0 .. 1] : floor | b[i]\n"
               "contact d[i in 0 .. 1] : floor | b[i]",
         1},
        {APART "contact c : b[0] | b[1] { at = (0.5, 1) normal = (1, 0) }\n"
               "contact d : b[0] | b[1] { at = (0.5, 1.1) normal = (1, 0) }",
         0},
        {APART "contact c : floor | b[0]\ncontacts { restitution = 0.5 }", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct checked c;
        check_text(&c, row[i].text);
        assert_non_null(c.m);
        assert_int_equal(c.ds.warnings, row[i].warnings);
        if (row[i].warnings)
            assert_string_equal(diag_code_name(c.ds.first->code), "W0303");
        checked_free(&c);
    }
#undef APART
}

/* W0305: a rule that adds its variable to itself; one that doubles it, and
 * those that say what it becomes by a difference, are as they are meant. */
static void
test_jumps_that_add(void **state)
{
    (void)state;
#define RULE(rule)                                                             \
    "system s { coordinate h kinetic = h'^2/2 contact c { gap = h }\n"         \
    "observer { coordinate n n' = 0 jump { n = " rule " } }\n"                 \
    "start { h = 1 h' = -1 } }"
    static const struct {
        const char *text;
        size_t warnings;
    } row[] = {
        {RULE("n + 1"), 1},
        {RULE("1 + n"), 1},
        {RULE("(before(n) + 1)"), 1},
        {RULE("1"), 0},
        {RULE("n"), 0},
        {RULE("max(before(n), 2) - before(n)"), 0},
        {RULE("2 - n"), 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct checked c;
        check_text(&c, row[i].text);
        assert_non_null(c.m);
        assert_int_equal(c.ds.warnings, row[i].warnings);
        if (row[i].warnings)
            assert_string_equal(diag_code_name(c.ds.first->code), "W0305");
        checked_free(&c);
    }
#undef RULE
}

/* W0306: two values of a sweep in square brackets, which are a range elsewhere,
 * or the whole numbers of a param that is none;
 * other lists, and the bounds of `random`, are as they are meant. */
static void
test_ranges_of_sweeps(void **state)
{
    (void)state;
#define SWEEP(axes)                                                            \
    "param e = 0.5 in [0, 1]\n"                                                \
    "system s { coordinate h kinetic = h'^2/2 start { h' = e } }\n"            \
    "let w = sweep { " axes " run = simulate { until = 1 } }"
    static const struct {
        const char *text;
        size_t warnings;
    } row[] = {
        {SWEEP("over = (e in [0, 1])"), 1},
        {SWEEP("over = (e in (0, 1))"), 0},
        {SWEEP("over = (e in [0, 0.5, 1])"), 0},
        {SWEEP("over = (e in linspace(0, 1, 2))"), 0},
        {SWEEP("over = (e in 0 .. 1)"), 1},
        {"param n = 3\nsystem s { coordinate h kinetic = h'^2/2 start { h' = "
         "n } }\nlet w = sweep { over = (n in 1 .. 2) run = simulate { until = "
         "1 } }",
         0},
        {SWEEP("random = (e in [0, 1])"), 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct checked c;
        check_text(&c, row[i].text);
        assert_non_null(c.m);
        assert_int_equal(c.ds.warnings, row[i].warnings);
        if (row[i].warnings)
            assert_string_equal(diag_code_name(c.ds.first->code), "W0306");
        checked_free(&c);
    }
#undef SWEEP
}

/* W0304: two lists in brackets, without `against`; curves beside each other, a
 * list and a number, and one list over another are as they are meant. */
static void
test_lists_in_brackets(void **state)
{
    (void)state;
#define RUN                                                                    \
    "use shapes\nbody b : circle(1) { mass = 1 velocity = (1, 0) }\n"          \
    "let r = simulate { until = 1 record = b.position }\n"
    static const struct {
        const char *text;
        size_t warnings;
    } row[] = {
        {RUN "plot(r.b_position.x, r.b_position.y)", 1},
        {RUN "plot r.b_position.x, r.b_position.y", 0},
        {RUN "plot r.b_position.y { against = r.b_position.x }", 0},
        {RUN "plot (r.b_position.x, r.b_position.y) { against = r.t }", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct checked c;
        check_text(&c, row[i].text);
        assert_non_null(c.m);
        assert_int_equal(c.ds.warnings, row[i].warnings);
        if (row[i].warnings)
            assert_string_equal(diag_code_name(c.ds.first->code), "W0304");
        checked_free(&c);
    }
#undef RUN
}

/* W0308: a range that is written out downwards, once where it is checked again;
 * one whose end a param moves, and a slice to the end, may be empty. */
static void
test_ranges_downwards(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t warnings;
    } row[] = {
        {"let a = 5 .. 1\nshow a, 2*a, length(a)", 1},
        {"let b = linspace(0, 1, 5)\nshow b[3 .. 2]", 1},
        {"let b = linspace(0, 1, 5)\nshow b[2 .. -1], -2 .. -1, 3 .. 3", 0},
        {"param n = 0\nlet a = 0 .. n - 1\nshow a", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct checked c;
        check_text(&c, row[i].text);
        assert_non_null(c.m);
        assert_int_equal(c.ds.warnings, row[i].warnings);
        if (row[i].warnings)
            assert_string_equal(diag_code_name(c.ds.first->code), "W0308");
        checked_free(&c);
    }
}

/* what later versions will carry out is told so, and nothing else */
static void
test_later(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "use shapes\n"
        "body a : sphere(1) { density = 1 }\n"
        "body b : sphere(1) { density = 1  position = (3, 0, 0) }\n"
        "contact c : a | b { friction = 0.3 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct checked c;
        check_text(&c, texts[i]);
        assert_null(c.m);
        assert_true(c.ds.errors > 0);
        for (const struct diag *d = c.ds.first; d; d = d->next) {
            assert_string_equal(diag_code_name(d->code), "E0901");
            assert_true(d->range.hi > d->range.lo);
        }
        checked_free(&c);
    }
}

/* every code of this room has a title and an explanation with an example */
static void
test_explanations(void **state)
{
    (void)state;
    int n = 0;
    for (int k = 1; k < DIAG_COUNT; k++) {
        const char *name = diag_code_name((enum diag_code)k);
        if (name[0] != 'E' || name[1] != '0' || name[2] < '1' || name[2] > '4')
            continue;
        n++;
        assert_true(strlen(diag_code_title((enum diag_code)k)) > 8);
        assert_true(strlen(diag_code_text((enum diag_code)k)) > 60);
    }
    assert_true(n >= 80);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_unread_keys),
        cmocka_unit_test(test_same_pair),
        cmocka_unit_test(test_lists_in_brackets),
        cmocka_unit_test(test_ranges_downwards),
        cmocka_unit_test(test_jumps_that_add),
        cmocka_unit_test(test_ranges_of_sweeps),
        cmocka_unit_test(test_later),
        cmocka_unit_test(test_explanations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
