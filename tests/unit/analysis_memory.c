/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of runs of many bodies: what a run touches grows with the pairs that
 * are near each other, not with those for which there is room. */
#include "analysis_help.h"

#include <sys/resource.h>
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
/* Bytes per sphere. A sphere takes some 11 kB; one entry (272 bytes) for each
 * of the 64 contacts for which there is room would be 17 kB more. */
#define MOST_PER_SPHERE 14e3

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

static void
spheres(void **state)
{
    (void)state;
    char text[1024];
    struct run r;
    struct rusage usage;
    (void)snprintf(text, sizeof text,
                   "use shapes\n"
                   "body ball[i in 0 .. %d] : sphere(0.2) { mass = 1\n"
                   "  position = (i - 10*floor(i/10), floor(i/10) -\n"
                   "    10*floor(i/100), floor(i/100))\n"
                   "  velocity = (cos(i*i), sin(i*i), 0) }\n"
                   "contacts { }\n"
                   "simulate { until = 0.01 }\n",
                   BODIES - 1);
    compile(&r, text);
    double before = resident();
    if (WATCHED || before == 0)
        skip();
    double *params = NEW_N(r.a, double, driver_n_params(r.im) + 1);
    driver_defaults(r.im, params);
    struct driver_options options = {.write = collect, .ctx = &r.out};
    r.status = driver_open(&r.d, r.im, NULL, params, &options, &r.ds);
    if (r.status == IMP_EXIT_OK)
        r.status = driver_run_commands(&r.d);
    fine(&r);
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    double each = ((double)usage.ru_maxrss * 1024 - before) / BODIES;
    print_message("%.0f bytes per sphere\n", each);
    assert_true(each > 0 && each < MOST_PER_SPHERE);
    done(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(untouched),
                                       cmocka_unit_test(spheres)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
