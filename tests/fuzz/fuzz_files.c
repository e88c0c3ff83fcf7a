/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer entry on the files that Imp reads back: the journal of a sweep
 * (--resume) and the cache's objects. An input is a way to damage an honest
 * one: its first byte says which file and how it is put back (enum mode), then
 * come edits of four bytes. What must hold, beside no crash and no leak:
 *   - whatever bytes a journal has, the table of the resumed sweep is that of
 *     an undisturbed one, or nothing is resumed and the message says why;
 *   - frames of other contents with right checksums, which Imp never writes,
 *     end with some table or a message;
 *   - an object comes out of the cache as it was put in, or not at all. */
#include <ftw.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/buf.h"
#include "cli/code/cache.h"
#include "cli/session/session.h"
#include "output/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum mode { /* bits of the first byte */
            MODE_CACHE = 1,
            MODE_FORGED = 2, /* frames get right checksums */
            MODE_HEAD = 4,   /* magic and key are left alone */
            MODE_AGAIN = 8   /* another process went on with it before */
};

static const char model[] = "use chatter\n"
                            "param gamma = 0.1 in [0, 1]\n"
                            "system rod : small_rod(0.3, gamma)\n"
                            "let s = sweep {\n"
                            "  over   = (gamma in linspace(0.02, 0.98, 40))\n"
                            "  run    = chatter rod { events = 100 }\n"
                            "  record = (verdict, impacts, because, time)\n"
                            "  save   = \"s.csv\"\n"
                            "}\n";

static char folder[] = "/tmp/fuzz-files-XXXXXX";
static struct buf whole, object, table; /* honest: journal, object, CSV */
static struct cache_key key;
static const char code[] = "object code, or what stands for it here; long "
                           "enough that edits fall into it, too";

/* -- files ------------------------------------------------------------------
 */

static const char *
path(const char *name)
{
    static char p[sizeof folder + 80];
    snprintf(p, sizeof p, "%s/%s", folder, name);
    return p;
}

static void
load(const char *name, struct buf *b)
{
    char s[4096];
    FILE *f = fopen(path(name), "rb");
    buf_clear(b);
    for (size_t n; f && (n = fread(s, 1, sizeof s, f)) > 0;)
        buf_put(b, s, n);
    if (f)
        fclose(f);
}

static void
store(const char *name, const struct buf *b)
{
    FILE *f = fopen(path(name), "wb");
    if (!f || fwrite(b->n ? b->s : "", 1, b->n, f) != b->n || fclose(f))
        abort();
}

/* -- the sweep --------------------------------------------------------------
 */

static int
nowhere(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    (void)s;
    (void)n;
    return 0;
}

/* compiled once, run again and again; no guard: memory's end is not tried here
 */
static struct session asked = {.sink.write = nowhere};

static void
compile(void)
{
    struct session_options o;
    session_defaults(&o);
    o.backend = SESSION_EVAL;
    o.dir = folder;
    o.sweeps.threads = 1;
    session_open(&asked, &o);
    session_add_text(&asked, "model.imp", model, sizeof model - 1, false);
    if (session_check(&asked) || session_compile(&asked))
        abort();
}

static int
sweep(bool resume)
{
    asked.o.sweeps.resume = resume;
    int status = session_run(&asked);
    if ((status == IMP_EXIT_OK) != !asked.ds.errors)
        abort();
    return status;
}

/* The journal of the whole sweep, a frame for each thread: what a sweep leaves
 * that cannot write its table. */
static void
make_whole(void)
{
    asked.o.sweeps.threads = 3;
    if (mkdir(path("s.csv"), 0700) || sweep(false) != IMP_EXIT_RUN)
        abort();
    asked.o.sweeps.threads = 1;
    load("s.csv.part", &whole);
    unlink(path("s.csv.part"));
    rmdir(path("s.csv"));
    if (whole.n < 16)
        abort();
}

static const char *
object_name(void)
{
    static char name[2 * SHA256_SIZE + 3] = "c/";
    for (int i = 0; i < SHA256_SIZE; i++)
        snprintf(name + 2 + 2 * i, 3, "%02x", key.hash[i]);
    return name;
}

static int
away(const char *p, const struct stat *st, int what, struct FTW *at)
{
    (void)st;
    (void)what;
    (void)at;
    return remove(p);
}

static void
at_end(void)
{
    nftw(folder, away, 8, FTW_DEPTH | FTW_PHYS);
    session_close(&asked);
    buf_free(&whole);
    buf_free(&object);
    buf_free(&table);
}

static void
begin(void)
{
    struct sha256 s;
    if (!mkdtemp(folder))
        abort();
    atexit(at_end);
    compile();
    if (sweep(false) != IMP_EXIT_OK)
        abort();
    load("s.csv", &table);
    unlink(path("s.csv"));
    make_whole();
    sha256_init(&s);
    sha256_add(&s, "key", 3);
    sha256_end(&s, key.hash);
    if (!cache_put_in(path("c"), &key, code, sizeof code, CACHE_BYTES))
        abort();
    load(object_name(), &object);
}

/* -- damage -----------------------------------------------------------------
 */

/* edits of four bytes: what, two for where (from the end when odd), with what
 */
static void
edit(struct buf *b, const uint8_t *p, size_t n)
{
    for (; n >= 4 && b->n; p += 4, n -= 4) {
        size_t at = ((size_t)p[1] << 8 | p[2]) % b->n, k = 1 + p[3] % 64;
        switch (p[0] % 8) {
        case 0:
            b->s[at] = (char)p[3];
            break;
        case 1:
            b->s[at] = (char)(b->s[at] ^ 1 << p[3] % 8);
            break;
        case 2: /* cut off */
            b->n = at;
            break;
        case 3: /* taken out */
            k = k < b->n - at ? k : b->n - at;
            memmove(b->s + at, b->s + at + k, b->n - at - k);
            b->n -= k;
            break;
        case 4: /* doubled, at the end */
            k = 16 * k < b->n - at ? 16 * k : b->n - at;
            buf_room(b, k);
            b->n -= k;
            memcpy(b->s + b->n, b->s + at, k);
            b->n += k;
            break;
        case 5: /* a length: a word of 4 or 8 bytes */
            k = b->n - at < 8 ? b->n - at : p[3] & 1 ? 4 : 8;
            memset(b->s + at, p[3] & 2 ? 0xff : p[3], k);
            break;
        case 6:
            k = k < b->n - at ? k : b->n - at;
            memset(b->s + at, p[3], k);
            break;
        default:
            buf_put(b, (const char *)p, 4);
        }
    }
}

/* the same payloads, as far as lengths allow, with right checksums */
static void
forge(const struct buf *b)
{
    struct output o = {.dir = folder};
    struct diags ds;
    struct arena *a = arena_new();
    struct journal j;
    uint64_t head[2];
    diags_init(&ds, a, sources_new(a));
    memcpy(head, whole.s, sizeof head);
    if (journal_open(&o, &ds, IMP_NOWHERE, "s.csv", head[1], false, NULL, NULL,
                     &j))
        abort();
    for (size_t at = 16; at + 8 < b->n;) {
        uint64_t n;
        memcpy(&n, b->s + at, sizeof n);
        at += 8;
        if (n > b->n - at)
            n = b->n - at;
        journal_append(&j, b->s + at, (size_t)n);
        at += (size_t)n + 8;
    }
    journal_close(&j, false);
    arena_free(a);
}

static void
try_journal(uint8_t mode, struct buf *b)
{
    struct buf got = {0};
    if (mode & MODE_HEAD && b->n >= 16)
        memcpy(b->s, whole.s, 16);
    if (mode & MODE_FORGED)
        forge(b);
    else
        store("s.csv.part", b);
    int status = sweep(true);
    if (status == IMP_EXIT_OK && mode & MODE_AGAIN)
        status = sweep(true); /* nothing is left to resume */
    load("s.csv", &got);
    if (status == IMP_EXIT_OK && !(mode & MODE_FORGED) &&
        (got.n != table.n || memcmp(got.s, table.s, got.n)))
        abort();
    if (status == IMP_EXIT_OK && access(path("s.csv.part"), F_OK) == 0)
        abort();
    /* of another key, or every run failed: says so, and keeps it */
    if (status != IMP_EXIT_OK && status != IMP_EXIT_RUN)
        abort();
    unlink(path("s.csv"));
    unlink(path("s.csv.part"));
    buf_free(&got);
}

static void
try_cache(const struct buf *b)
{
    size_t n = 0;
    store(object_name(), b);
    char *got = cache_get_in(path("c"), &key, &n);
    if (got && (n != sizeof code || memcmp(got, code, n)))
        abort();
    free(got);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static bool ready;
    if (n == 0)
        return 0;
    if (!ready)
        begin();
    ready = true;
    const struct buf *from = data[0] & MODE_CACHE ? &object : &whole;
    struct buf b = {0};
    buf_put(&b, from->s, from->n);
    edit(&b, data + 1, n - 1);
    if (data[0] & MODE_CACHE)
        try_cache(&b);
    else
        try_journal(data[0], &b);
    buf_free(&b);
    return 0;
}
