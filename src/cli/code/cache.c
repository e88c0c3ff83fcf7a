/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file per object, named by its key in hexadecimal:
 *   "IMPOBJ1
 * " | key (32) | SHA-256 of the object (32) | object
 * It is written under a temporary name and renamed. So readers see whole files
 * only, and writers of the same key replace each other's equal bytes. Code from
 * the folder is executed, so the folder must belong to the user and be closed
 * to others; files are opened without following links. */
#include "cli/code/cache.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/code/load.h"
#include "cli/code/processor.h"
#include "cli/code/version.h"
#include "cli/code/where.h"
#include "codegen/gen.h"

#define MAGIC "IMPOBJ1\n"
#define HEAD (8 + 2 * SHA256_SIZE)
#define NAME_MAX_ (2 * SHA256_SIZE + 1)
#define TMP_PREFIX ".new-"
#define TMP_SECONDS                                                            \
    3600 /* files that killed processes left behind are removed after this     \
            time */

static void
add_ref(struct sha256 *sha, const imp_image *image, imp_ref r, size_t size)
{
    sha256_add(sha, &r.n, sizeof r.n);
    sha256_add(sha, imp_at(image, r.off), r.n * size);
}

static void
add_text(struct sha256 *sha, const char *text)
{
    sha256_add(sha, text, strlen(text) + 1);
}

/* The processor that the code is for. False: that is known to the code
 * generator alone, which is not there. */
static bool
add_processor(struct sha256 *sha, const struct gen_api *api, const char *cpu)
{
    if (cpu && strcmp(cpu, "host")) {
        add_text(sha, cpu);
        return true;
    }
    if (processor_add(sha))
        return true;
    if (api)
        add_text(sha, api->host_cpu());
    return api != NULL;
}

/* The time of the generator's file tells its builds apart, and with its version
 * the LLVM that it was built with. */
static void
add_generator(struct sha256 *sha)
{
    char path[WHERE_MAX];
    struct stat st;

    add_text(sha, version_of_imp());
    add_text(sha, version_of_llvm());
    if (!where_is(CODEGEN_FILE, path) || stat(path, &st))
        return;
    sha256_add(sha, &st.st_dev, sizeof st.st_dev);
    sha256_add(sha, &st.st_ino, sizeof st.st_ino);
    sha256_add(sha, &st.st_size, sizeof st.st_size);
    sha256_add(sha, &st.st_mtim.tv_sec, sizeof st.st_mtim.tv_sec);
    sha256_add(sha, &st.st_mtim.tv_nsec, sizeof st.st_mtim.tv_nsec);
}

bool
cache_key(struct cache_key *key, const imp_image *image,
          const struct gen_api *api, const struct gen_options *options)
{
    assert(key && image && options);
    const imp_tape *tape = IMP_ARRAY(image, image->tapes, imp_tape);
    uint32_t abi = IMP_ABI_VERSION, n_tapes = image->tapes.n;
    struct sha256 sha;

    sha256_init(&sha);
    sha256_add(&sha, &abi, sizeof abi);
    add_generator(&sha);
    if (!add_processor(&sha, api, options->cpu))
        return false;
    int option[4] = {options->opt, options->with_image, options->pic,
                     options->lanes};
    sha256_add(&sha, option, sizeof option);
    sha256_add(&sha, &n_tapes, sizeof n_tapes);
    for (uint32_t i = 0; i < n_tapes; i++, tape++) {
        uint32_t head[4] = {tape->series, tape->n_local, tape->n_rows,
                            tape->symmetric};
        sha256_add(&sha, head, sizeof head);
        add_ref(&sha, image, tape->code, sizeof(imp_instr));
        add_ref(&sha, image, tape->consts, sizeof(double));
        add_ref(&sha, image, tape->pool, sizeof(uint32_t));
        add_ref(&sha, image, tape->outs, sizeof(uint32_t));
        add_ref(&sha, image, tape->unknowns, sizeof(uint32_t));
        add_ref(&sha, image, tape->residual, sizeof(uint32_t));
        add_ref(&sha, image, tape->jacobian, sizeof(uint32_t));
    }
    if (options->with_image)
        sha256_add(&sha, image, image->size);
    sha256_end(&sha, key->hash);
    return true;
}

static void
file_name(const struct cache_key *key, char name[NAME_MAX_])
{
    for (int i = 0; i < SHA256_SIZE; i++)
        snprintf(name + 2 * i, 3, "%02x", key->hash[i]);
}

/* Makes the folder and the folders above it. */
static bool
make_folders(const char *dir)
{
    char path[4096];
    size_t n = strlen(dir);

    if (n + 1 > sizeof path || dir[0] != '/')
        return false;
    memcpy(path, dir, n + 1);
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            if (mkdir(path, 0700) && errno != EEXIST)
                return false;
            *p = '/';
        }
    return !mkdir(path, 0700) || errno == EEXIST;
}

/* Opens the folder, which must belong to the user and be closed to others; -1
 * if it is not so. */
static int
open_folder(const char *dir)
{
    struct stat st;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0 &&
        (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 077))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool
read_all(int fd, char *p, size_t n)
{
    while (n) {
        ssize_t got = read(fd, p, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static void
checksum(const char *p, size_t n, unsigned char out[SHA256_SIZE])
{
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, p, n);
    sha256_end(&s, out);
}

/* The object in an open file, if its key and checksum are right; NULL
 * otherwise. */
static char *
read_object(int fd, const struct cache_key *key, size_t *size)
{
    unsigned char sum[SHA256_SIZE];
    char head[HEAD], *object;
    struct stat st;

    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & 022) || st.st_size <= HEAD ||
        (uint64_t)st.st_size > CACHE_BYTES || !read_all(fd, head, HEAD) ||
        memcmp(head, MAGIC, 8) || memcmp(head + 8, key->hash, SHA256_SIZE))
        return NULL;
    *size = (size_t)st.st_size - HEAD;
    object = malloc(*size);
    if (!object)
        return NULL;
    if (read_all(fd, object, *size)) {
        checksum(object, *size, sum);
        if (!memcmp(sum, head + 8 + SHA256_SIZE, SHA256_SIZE))
            return object;
    }
    free(object);
    return NULL;
}

char *
cache_get_in(const char *dir, const struct cache_key *key, size_t *size)
{
    assert(dir && key && size);
    char name[NAME_MAX_], *object = NULL;
    int folder = open_folder(dir), fd;

    if (folder < 0)
        return NULL;
    file_name(key, name);
    fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        object = read_object(fd, key, size);
        if (object)
            futimens(fd, NULL); /* mark the file as used just now */
        close(fd);
    }
    close(folder);
    return object;
}

/* -- bound ----------------------------------------------------------------- */

struct entry {
    char name[NAME_MAX_ + 32];
    struct timespec time;
    size_t size;
};

static int
older(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->time;
    const struct timespec *y = &((const struct entry *)b)->time;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* When the files pass the bound, removes those that were not used for longest,
 * down to three quarters of the bound; and what killed processes left behind.
 */
static void
evict(int folder, size_t bound)
{
    struct entry *files = NULL;
    size_t n_files = 0, cap = 0, total = 0;
    int fd = dup(folder);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *found;
    time_t now = time(NULL);

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    rewinddir(dir);
    while ((found = readdir(dir))) {
        struct stat st;
        if (strlen(found->d_name) >= sizeof files->name ||
            fstatat(folder, found->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(st.st_mode))
            continue;
        if (!strncmp(found->d_name, TMP_PREFIX, strlen(TMP_PREFIX))) {
            if (now - st.st_mtime > TMP_SECONDS)
                unlinkat(folder, found->d_name, 0);
            continue;
        }
        if (n_files == cap) {
            size_t more = cap ? 2 * cap : 64;
            struct entry *w = realloc(files, more * sizeof *files);
            if (!w)
                break;
            files = w;
            cap = more;
        }
        strcpy(files[n_files].name, found->d_name);
        files[n_files].time = st.st_mtim;
        files[n_files++].size = (size_t)st.st_size;
        total += (size_t)st.st_size;
    }
    closedir(dir);
    if (total > bound) {
        qsort(files, n_files, sizeof *files, older);
        for (size_t i = 0; i < n_files && total > bound / 4 * 3; i++)
            if (!unlinkat(folder, files[i].name, 0))
                total -= files[i].size;
    }
    free(files);
}

bool
cache_put_in(const char *dir, const struct cache_key *key, const char *object,
             size_t size, size_t bound)
{
    assert(dir && key && object && size > 0);
    static atomic_uint counter;
    unsigned char sum[SHA256_SIZE];
    char name[NAME_MAX_], temp[64];
    bool ok;
    int folder, fd;

    if (size + HEAD > bound || !make_folders(dir))
        return false;
    folder = open_folder(dir);
    if (folder < 0)
        return false;
    file_name(key, name);
    snprintf(temp, sizeof temp, TMP_PREFIX "%ld-%u", (long)getpid(),
             atomic_fetch_add(&counter, 1u));
    fd = openat(folder, temp,
                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    ok = fd >= 0;
    if (ok) {
        checksum(object, size, sum);
        ok = !io_write(fd, MAGIC, 8) && !io_write(fd, key->hash, SHA256_SIZE) &&
             !io_write(fd, sum, SHA256_SIZE) && !io_write(fd, object, size);
        ok = !close(fd) && ok;
        ok = ok && !renameat(folder, temp, folder, name);
        if (!ok)
            unlinkat(folder, temp, 0);
    }
    evict(folder, bound);
    close(folder);
    return ok;
}

/* The user's folder; false if there is none. */
static bool
user_folder(char dir[4096])
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;

    if (xdg && xdg[0] == '/')
        n = snprintf(dir, 4096, "%s/imp", xdg);
    else if (home && home[0] == '/')
        n = snprintf(dir, 4096, "%s/.cache/imp", home);
    else
        return false;
    return n > 0 && n < 4096;
}

char *
cache_get(const struct cache_key *key, size_t *size)
{
    assert(key != NULL && size != NULL);
    char dir[4096];

    return user_folder(dir) ? cache_get_in(dir, key, size) : NULL;
}

void
cache_put(const struct cache_key *key, const char *object, size_t n)
{
    assert(object != NULL && n > 0);
    char dir[4096];

    if (user_folder(dir))
        cache_put_in(dir, key, object, n, CACHE_BYTES);
}
