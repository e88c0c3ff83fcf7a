/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded: the allocation with the number IMP_FAIL_AT, counted from
 * the start of the process, fails, and all behind it too if IMP_FAIL_ON is
 * set. At the end IMP_COUNT, a file, gets the number of allocations. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static long count, fail_at = -1;
static int go_on;

static int
fails(void)
{
    if (fail_at < 0) {
        const char *at = getenv("IMP_FAIL_AT");
        fail_at = at ? strtol(at, NULL, 10) : 0;
        go_on = getenv("IMP_FAIL_ON") != NULL;
    }
    count++;
    if (fail_at == 0 || (go_on ? count < fail_at : count != fail_at))
        return 0;
    errno = ENOMEM;
    return 1;
}

__attribute__((visibility("default"))) void *
malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}
__attribute__((visibility("default"))) void *
calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}
__attribute__((visibility("default"))) void *
realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}

__attribute__((destructor)) static void
tell(void)
{
    const char *file = getenv("IMP_COUNT");
    FILE *f = file ? fopen(file, "w") : NULL;
    if (f) {
        fprintf(f, "%ld\n", count);
        fclose(f);
    }
}
