/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object cache: SHA-256 against published values, round trips, corrupt,
 * foreign and linked files, the bound, several processes at once. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/code/cache.h"

static char root[64], dir[96];

static int
setup(void **state)
{
    (void)state;
    strcpy(root, "/tmp/imp-cache-XXXXXX");
    if (!mkdtemp(root))
        return 1;
    snprintf(dir, sizeof dir, "%s/a/imp", root);
    return 0;
}

static int
teardown(void **state)
{
    char cmd[128];
    (void)state;
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", root);
    return system(cmd);
}

static struct cache_key
key(int i)
{
    struct cache_key k;
    struct sha256 s;
    sha256_init(&s);
    sha256_add(&s, &i, sizeof i);
    sha256_end(&s, k.hash);
    return k;
}

static void
path_of(const struct cache_key *k, char *p, size_t n)
{
    int at = snprintf(p, n, "%s/", dir);
    for (int i = 0; i < SHA256_SIZE; i++)
        at += snprintf(p + at, n - (size_t)at, "%02x", k->hash[i]);
}

static int
holds(const struct cache_key *k, const char *want)
{
    size_t n = 0;
    char *s = cache_get_in(dir, k, &n);
    int yes = s && n == strlen(want) && !memcmp(s, want, n);
    free(s);
    return yes;
}

static void
test_sha(void **state)
{
    static const struct {
        const char *text, *hex;
    } t[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb924"
             "27ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223"
                "b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        unsigned char out[SHA256_SIZE];
        char hex[65];
        struct sha256 s;
        sha256_init(&s);
        for (const char *p = t[i].text; *p; p++)
            sha256_add(&s, p, 1);
        sha256_end(&s, out);
        for (int k = 0; k < SHA256_SIZE; k++)
            snprintf(hex + 2 * k, 3, "%02x", out[k]);
        assert_string_equal(hex, t[i].hex);
    }
    /* a million times "a", in uneven pieces */
    char a[997];
    struct sha256 s;
    unsigned char out[SHA256_SIZE];
    memset(a, 'a', sizeof a);
    sha256_init(&s);
    for (size_t left = 1000000; left;) {
        size_t n = left < sizeof a ? left : sizeof a;
        sha256_add(&s, a, n);
        left -= n;
    }
    sha256_end(&s, out);
    assert_int_equal(out[0], 0xcd);
    assert_int_equal(out[31], 0xd0);
}

static void
test_round_trip(void **state)
{
    struct cache_key k = key(1), other = key(2);
    struct stat st;
    (void)state;
    assert_false(holds(&k, "x"));
    assert_true(cache_put_in(dir, &k, "object", 6, 1 << 20));
    assert_true(holds(&k, "object"));
    assert_false(holds(&other, "object"));
    assert_true(cache_put_in(dir, &k, "again", 5, 1 << 20));
    assert_true(holds(&k, "again"));
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void
test_corrupt(void **state)
{
    struct cache_key k = key(3), k2 = key(4);
    char p[256], q[256];
    (void)state;
    path_of(&k, p, sizeof p);
    path_of(&k2, q, sizeof q);
    /* every byte of the file counts */
    for (int at = 0; at < 8 + 64 + 6; at++) {
        assert_true(cache_put_in(dir, &k, "object", 6, 1 << 20));
        int fd = open(p, O_RDWR);
        char c;
        assert_int_equal(pread(fd, &c, 1, at), 1);
        c ^= 1;
        assert_int_equal(pwrite(fd, &c, 1, at), 1);
        close(fd);
        assert_false(holds(&k, "object"));
    }
    /* cut short, empty */
    for (int n = 77; n >= 0; n -= 7) {
        assert_true(cache_put_in(dir, &k, "object", 6, 1 << 20));
        assert_int_equal(truncate(p, n), 0);
        assert_false(holds(&k, "object"));
    }
    /* under another key's name */
    assert_true(cache_put_in(dir, &k, "object", 6, 1 << 20));
    assert_int_equal(rename(p, q), 0);
    assert_false(holds(&k2, "object"));
    /* a link, a folder, a file that others may write */
    assert_true(cache_put_in(dir, &k, "object", 6, 1 << 20));
    unlink(q);
    assert_int_equal(symlink(p, q), 0);
    assert_false(holds(&k2, "object"));
    assert_int_equal(chmod(p, 0666), 0);
    assert_false(holds(&k, "object"));
    unlink(p);
    assert_int_equal(mkdir(p, 0700), 0);
    assert_false(holds(&k, "object"));
    assert_false(cache_put_in(dir, &k, "object", 6, 1 << 20));
}

static void
test_folder(void **state)
{
    struct cache_key k = key(5);
    size_t n;
    (void)state;
    assert_true(cache_put_in(dir, &k, "object", 6, 1 << 20));
    assert_int_equal(chmod(dir, 0755), 0);
    assert_false(holds(&k, "object"));
    assert_false(cache_put_in(dir, &k, "object", 6, 1 << 20));
    assert_int_equal(chmod(dir, 0700), 0);
    assert_true(holds(&k, "object"));
    assert_null(cache_get_in("relative", &k, &n));
    assert_false(cache_put_in("relative", &k, "x", 1, 1 << 20));
    assert_false(cache_put_in("/proc/none", &k, "x", 1, 1 << 20));
    /* without a home there is no cache, and no failure */
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    cache_put(&k, "x", 1);
    assert_null(cache_get(&k, &n));
    setenv("XDG_CACHE_HOME", root, 1);
    cache_put(&k, "x", 1);
    char *s = cache_get(&k, &n);
    assert_non_null(s);
    free(s);
}

static void
test_bound(void **state)
{
    char *big = calloc(1, 10000);
    int kept = 0;
    size_t n;
    (void)state;
    for (int i = 0; i < 30; i++) {
        struct cache_key k = key(100 + i);
        char p[256];
        assert_true(cache_put_in(dir, &k, big, 10000, 100000));
        path_of(&k, p, sizeof p);
        struct timespec t[2] = {{1000 + i, 0}, {1000 + i, 0}};
        utimensat(AT_FDCWD, p, t, 0);
    }
    for (int i = 0; i < 30; i++) {
        struct cache_key k = key(100 + i);
        char *s = cache_get_in(dir, &k, &n);
        kept += s != NULL;
        if (i == 29)
            assert_non_null(s);
        if (i == 0)
            assert_null(s);
        free(s);
    }
    assert_in_range(kept, 5, 9);
    struct cache_key k = key(9);
    assert_false(cache_put_in(dir, &k, big, 10000, 9999));
    free(big);
}

static void
test_processes(void **state)
{
    (void)state;
    for (int p = 0; p < 4; p++) {
        pid_t pid = fork();
        if (pid == 0) {
            for (int i = 0; i < 300; i++) {
                struct cache_key k = key(200 + i % 5);
                char want[40];
                size_t n = 0;
                memset(want, 'a' + i % 5, sizeof want);
                char *s = cache_get_in(dir, &k, &n);
                if (s && (n != sizeof want || memcmp(s, want, n)))
                    _exit(1);
                free(s);
                cache_put_in(dir, &k, want, sizeof want, 500);
            }
            _exit(0);
        }
        assert_true(pid > 0);
    }
    for (int p = 0; p < 4; p++) {
        int status = 1;
        wait(&status);
        assert_int_equal(status, 0);
    }
    DIR *d = opendir(dir);
    struct dirent *e;
    while ((e = readdir(d)))
        assert_int_not_equal(strncmp(e->d_name, ".new-", 5), 0);
    closedir(d);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha),
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_corrupt, setup, teardown),
        cmocka_unit_test_setup_teardown(test_folder, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bound, setup, teardown),
        cmocka_unit_test_setup_teardown(test_processes, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
