/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of runs of many bodies: what a run touches grows with the pairs that
 * are near each other, not with those for which there is room. */
#include "analysis_help.h"

#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define WATCHED 1
#elif defined __has_feature
#define WATCHED                                                                \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define WATCHED 0
#endif

#define BODIES 1500

/* Bytes per body that a run may take: a little more than it does take */
#define MOST_FAR 4500
#define MOST_FAR_SPACE 4400
#define MOST_FAR_CORNERS 3000
#define MOST_NEAR 5600
#define MOST_NEAR_SPACE 7900

/* Resident memory of this process, bytes; 0 where nobody tells it. */
static double
resident(void)
{
    long pages = 0, whole;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%ld %ld", &whole, &pages) != 2)
        pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* A large piece that is dropped costs nothing any more, and one of which little
 * is touched costs little, also where the C library would put both on the heap
 * below pieces that stay. */
static void
untouched(void **state)
{
    (void)state;
    const size_t large = (size_t)1 << 23;
    struct arena *arena = arena_new();
    free(mem_alloc(2 * large)); /* glibc maps no smaller ones from then on */
    double before = resident();
    char *used = arena_alloc(arena, large);
    memset(used, 1, large);
    void *behind = mem_alloc(64);
    arena_drop(arena, used);
    char *piece = arena_alloc(arena, large / 2);
    piece[0] = piece[large / 2 - 1] = 1;
    double more = resident() - before;
    arena_free(arena);
    free(behind);
    if (WATCHED || before == 0)
        skip();
    assert_true(more < (double)large / 16);
}

/* The most that was resident since it was last asked; 0 where nobody tells it.
 */
static double
most_resident(void)
{
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmHWM:", 6))
            kilobytes = strtod(line + 6, NULL);
    if (file)
        fclose(file);
    file = fopen("/proc/self/clear_refs", "w");
    if (!file)
        return 0;
    bool reset = fputs("5", file) >= 0;
    return fclose(file) == 0 && reset ? kilobytes * 1024 : 0;
}

/* Bytes that a run takes per body. `near`: bodies have neighbours at a distance
 * of 3 radii; else none is in reach. */
static double
per_body(const char *shape, bool space, bool near)
{
    char text[1024];
    struct run r;
    (void)snprintf(text, sizeof text,
                   "use shapes\n"
                   "body ball[i in 0 .. %d] : %s { mass = 1\n"
                   "  position = %g*(i - 10*floor(i/10), floor(i/10) -\n"
                   "    %d*floor(i/%d)%s)\n"
                   "  velocity = (cos(i*i), sin(i*i)%s) }\n"
                   "contacts { }\n"
                   "simulate { until = 0.01 }\n",
                   BODIES - 1, shape, near ? 1.0 : 50.0, space ? 10 : 1000,
                   space ? 100 : 10000, space ? ", floor(i/100)" : "",
                   space ? ", 0" : "");
    compile(&r, text);
    double *params = NEW_N(r.a, double, driver_n_params(r.im) + 1);
    driver_defaults(r.im, params);
    struct driver_options options = {.write = collect, .ctx = &r.out};
    (void)most_resident();
    double before = resident();
    r.status = driver_open(&r.d, r.im, NULL, params, &options, &r.ds);
    if (r.status == IMP_EXIT_OK)
        r.status = driver_run_commands(&r.d);
    double most = most_resident();
    fine(&r);
    done(&r);
    return WATCHED || before == 0 || most == 0 ? 0 : (most - before) / BODIES;
}

/* What a run takes is bounded by pairs that are near, not by those for which
 * there is room: one entry (272 bytes) for each of the 64 contacts for which a
 * sphere has room would be 17 kB; and what bodies of one kind have in common is
 * there once. The image, which they also need, is not counted twice. */
static void
bodies(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        bool space, near;
        double most;
    } kind[] = {{"circle(0.2)", false, false, MOST_FAR},
                {"sphere(0.2)", true, false, MOST_FAR_SPACE},
                {"circle(0.2)", false, true, MOST_NEAR},
                {"sphere(0.2)", true, true, MOST_NEAR_SPACE},
                {"regular_polygon(5, 0.2)", false, false, MOST_FAR_CORNERS}};
    enum { KINDS = sizeof kind / sizeof *kind };
    double each[KINDS];
    for (int i = 0; i < KINDS; i++) {
        each[i] = per_body(kind[i].shape, kind[i].space, kind[i].near);
        if (each[i] == 0)
            skip();
        print_message("%.0f bytes per %s\n", each[i], kind[i].shape);
    }
    for (int i = 0; i < KINDS; i++)
        assert_true(each[i] < kind[i].most);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(untouched),
                                       cmocka_unit_test(bodies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
