/* SPDX-License-Identifier: MIT */
/* See journal.h. A last frame that is torn, because the process was killed or
 * the disk was full, has a wrong length or checksum and is cut off before
 * anything is appended. When an append returns the kernel has the data, so a
 * process that is killed afterwards loses none of them. */
#include "output/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/io.h"
#include "output/out_priv.h"

#define MAGIC UINT64_C(0x33304c4a504d49) /* "IMPJL03" */
enum { HEAD = 16, FRAME = 16 };
#define FRAME_MOST ((uint64_t)1 << 30) /* bytes of one payload */

uint64_t
journal_hash(uint64_t h, const void *bytes, size_t n)
{
    assert(bytes != NULL || n == 0);
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(1099511628211);
    return h;
}

/* the checksum of a frame's payload, eight bytes at a time */
static uint64_t
frame_hash(uint64_t n, const char *p)
{
    uint64_t h = journal_hash(JOURNAL_HASH, &n, sizeof n), x, k = n;
    for (; k >= sizeof x; k -= sizeof x, p += sizeof x) {
        memcpy(&x, p, sizeof x);
        h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return journal_hash(h, p, k);
}

/* reads n bytes at an offset; false: there are fewer */
static bool
get(int fd, void *to, size_t size, uint64_t at)
{
    assert(to);
    char *p = to;
    while (size) {
        ssize_t k = pread(fd, p, size, (off_t)at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        at += (uint64_t)k;
        size -= (size_t)k;
    }
    return true;
}

/* reads the payload of a frame at `at` into b; false: there is no whole frame
 */
static bool
frame_at(int fd, uint64_t at, struct buf *buf)
{
    uint64_t size, sum;
    char piece[4096];
    if (!get(fd, &size, sizeof size, at) || size == 0 || size > FRAME_MOST)
        return false;
    buf_clear(buf);
    for (uint64_t k = 0; k < size; k += sizeof piece) {
        size_t m = size - k < sizeof piece ? (size_t)(size - k) : sizeof piece;
        if (!get(fd, piece, m, at + 8 + k))
            return false;
        buf_put(buf, piece, m);
    }
    return get(fd, &sum, sizeof sum, at + 8 + size) &&
           sum == frame_hash(size, buf->s);
}

static enum journal_state
look(int fd, uint64_t key)
{
    uint64_t head[2];
    struct buf buf = {0};
    if (!get(fd, head, sizeof head, 0) || head[0] != MAGIC)
        return JOURNAL_NEW;
    bool any = frame_at(fd, HEAD, &buf);
    buf_free(&buf);
    return !any ? JOURNAL_NEW : head[1] == key ? JOURNAL_SAME : JOURNAL_OTHER;
}

/* Is this the beginning of a journal whose writer was killed at once? */
static bool
torn_head(int fd, size_t size)
{
    const uint64_t magic = MAGIC;
    char begin[HEAD];
    return get(fd, begin, size, 0) &&
           !memcmp(begin, &magic, size < sizeof magic ? size : sizeof magic);
}

/* May a journal be written to this file? It is empty, or begins as a journal
 * does. Whatever else has the name belongs to somebody. */
static bool
is_ours(int fd)
{
    struct stat stat;
    uint64_t head[2];
    if (fstat(fd, &stat) || !S_ISREG(stat.st_mode))
        return false;
    return stat.st_size == 0 ||
           (get(fd, head, sizeof head, 0) && head[0] == MAGIC) ||
           (stat.st_size < HEAD && torn_head(fd, (size_t)stat.st_size));
}

/* E0852: something else has the journal's name */
static int
refuse_foreign(struct diags *ds, imp_range where, const char *file)
{
    struct diag *diag =
        diag_add(ds, DIAG_E0852, where,
                 "\"%s.part\", in which the runs of \"%s\" are kept until "
                 "it is complete, is a file of another kind",
                 file, file);
    diag_help(ds, diag, "move that file away, or save under another name");
    return IMP_FAILED;
}

static char *
path_of(const struct output *output, const char *file)
{
    size_t n = strlen(output->dir) + strlen(file) + 8;
    char *p = mem_alloc(n);
    snprintf(p, n, "%s/%s.part", output->dir, file);
    return p;
}

enum journal_state
journal_look(const struct output *output, const char *file, uint64_t key)
{
    assert(output->dir && file);
    char *p = path_of(output, file);
    int fd = open(p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct oom_guard guard;
    free(p);
    if (fd < 0)
        return JOURNAL_NEW;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        close(fd);
        oom_raise();
    }
    oom_enter(&guard);
    enum journal_state s = look(fd, key);
    oom_leave(&guard);
    close(fd);
    return s;
}

/* hands over all whole frames; returns where the next one goes */
static uint64_t
frames(int fd, void (*frame)(void *ctx, const char *s, size_t n), void *ctx)
{
    struct buf buf = {0};
    uint64_t at = HEAD;
    while (frame_at(fd, at, &buf)) {
        frame(ctx, buf.s, buf.n);
        at += FRAME + buf.n;
    }
    buf_free(&buf);
    return at;
}

int
journal_open(struct output *output, struct diags *ds, imp_range where,
             const char *file, uint64_t key, bool resume,
             void (*frame)(void *ctx, const char *s, size_t n), void *ctx,
             struct journal *journal)
{
    assert(output->dir && file && (frame || !resume));
    uint64_t head[2] = {MAGIC, key};
    *journal = (struct journal){.fd = -1};
    int failure = out_folders(output, file);
    char *path = path_of(output, file);
    /* a link would lead to a file that is not under --out */
    int fd =
        failure
            ? -1
            : open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                   0644);
    if (!failure && fd < 0)
        failure = errno;
    bool foreign = failure == ELOOP || failure == EISDIR || failure == ENXIO ||
                   (fd >= 0 && !is_ours(fd));
    if (foreign && fd >= 0)
        close(fd);
    if (fd < 0 || foreign) {
        free(path);
        if (foreign)
            return refuse_foreign(ds, where, file);
        out_cannot_write(ds, where, file, failure);
        return IMP_FAILED;
    }
    /* now it is open: where memory ends, the holder of j closes it */
    journal->fd = fd;
    journal->path = path;
    pthread_mutex_init(&journal->lock, NULL);
    if (flock(fd, LOCK_EX | LOCK_NB)) /* another process has it open */
        failure = errno == EWOULDBLOCK ? EBUSY : errno;
    bool same = !failure && resume && look(fd, key) == JOURNAL_SAME;
    uint64_t size = same ? frames(fd, frame, ctx) : 0;
    if (!failure && (ftruncate(fd, (off_t)size) || lseek(fd, 0, SEEK_END) < 0))
        failure = errno;
    if (!failure && !same)
        failure = io_write(fd, head, sizeof head);
    journal->size = same ? size : HEAD;
    if (!failure)
        return IMP_OK;
    journal_close(journal, false);
    out_cannot_write(ds, where, file, failure);
    return IMP_FAILED;
}

int
journal_append(struct journal *journal, const char *s, size_t size)
{
    assert(journal->fd >= 0);
    uint64_t len = size, sum = frame_hash(size, s);
    if (!size)
        return 0;
    pthread_mutex_lock(&journal->lock);
    int failure = io_write(journal->fd, &len, sizeof len);
    if (!failure)
        failure = io_write(journal->fd, s, size);
    if (!failure)
        failure = io_write(journal->fd, &sum, sizeof sum);
    if (!failure)
        journal->size += FRAME + size;
    else if (ftruncate(journal->fd, (off_t)journal->size) ||
             lseek(journal->fd, 0, SEEK_END) < 0)
        failure = errno ? errno : failure;
    pthread_mutex_unlock(&journal->lock);
    return failure;
}

void
journal_close(struct journal *journal, bool remove)
{
    if (journal->fd < 0)
        return;
    close(journal->fd);
    if (remove)
        unlink(journal->path);
    free(journal->path);
    pthread_mutex_destroy(&journal->lock);
    *journal = (struct journal){.fd = -1};
}
