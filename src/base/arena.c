/* SPDX-License-Identifier: MIT */
/* Arenas, growable arrays and the out-of-memory machinery. Everything that
 * allocates in this project comes through here, so that "the n-th allocation
 * fails" can be tried for every n (oom_fail_at), and a failure always ends at
 * the innermost oom_guard of the thread.
 *
 * Invariants: blocks are linked newest first; `used` counts bytes from the
 * first 16-aligned byte after the block's header; memory handed out is zero. */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#ifndef __EMSCRIPTEN__
#include <sys/mman.h>
#endif

/* Where the address sanitizer looks on, it knows what each piece holds: a gap
 * behind it, and what an arena has not handed out, must not be touched. */
#ifdef __SANITIZE_ADDRESS__ /* gcc */
#define WATCHED 1
#elif defined __has_feature /* clang */
#define WATCHED __has_feature(address_sanitizer)
#else
#define WATCHED 0
#endif
#if WATCHED
#include <sanitizer/asan_interface.h>
enum { GAP = 32 };
#else
#define ASAN_POISON_MEMORY_REGION(from, size) ((void)(from), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(from, size) ((void)(from), (void)(size))
enum { GAP = 0 };
#endif

/* block sizes double from 4 KiB to 1 MiB: small models stay small */
enum { FIRST_BLOCK = 4096, LAST_BLOCK = 1 << 20, ALIGNMENT = 16 };
/* blocks of the last size that an arena keeps when it is cleared: what is
 * cleared often would else be asked of the system again, page by page */
enum { MOST_SPARE = 16 };
/* lists that grow have blocks of their own from this size on, which go back
 * when they grow again: what they leave would else be as large as they are */
enum { OWN_LEAST = 1 << 17 };

struct block {
    struct block *next;
    size_t used, cap;
    size_t mapped; /* bytes that the system has mapped for it; 0: on the heap */
};
_Static_assert(sizeof(struct block) % ALIGNMENT == 0, "block data aligned");

struct arena {
    struct block *first, *spare;
    size_t next_cap, n_spare;
};

/* the thread's innermost recovery point, and its allocation countdown */
static _Thread_local struct oom_guard *guard_top;
static _Thread_local long fail_countdown;
/* the flag of oom_watch, and whether it has ended the work of this thread */
static _Thread_local atomic_int *watched;
static _Thread_local bool stopped;

void
oom_enter(struct oom_guard *guard)
{
    assert(guard);
    guard->outer = guard_top;
    guard->held = NULL;
    guard_top = guard;
}

void
oom_hold(struct buf *buf)
{
    assert(buf && !buf->link);
    struct oom_guard *guard = guard_top;
    if (!guard)
        return;
    buf->next = guard->held;
    buf->link = &guard->held;
    if (buf->next)
        buf->next->link = &buf->next;
    guard->held = buf;
}

void
oom_let_go(struct buf *buf)
{
    assert(buf);
    if (!buf->link)
        return;
    *buf->link = buf->next;
    if (buf->next)
        buf->next->link = buf->link;
    buf->link = NULL;
}

void
oom_leave(struct oom_guard *guard)
{
    assert(guard);
    /* after a longjmp the guard is no longer in the list */
    if (guard_top != guard)
        return;
    while (guard->held)
        oom_let_go(guard->held);
    guard_top = guard->outer;
}

_Noreturn void
oom_raise(void)
{
    struct oom_guard *guard = guard_top;
    if (guard) {
        while (guard->held)
            buf_free(guard->held);
        guard_top = guard->outer;
        longjmp(guard->env, 1);
    }
    fputs("imp: out of memory\n", stderr);
    _Exit(3);
}

atomic_int *
oom_watch(atomic_int *flag)
{
    atomic_int *before = watched;
    watched = flag;
    if (flag)
        stopped = false;
    return before;
}

void
oom_look(void)
{
    if (!watched || !guard_top ||
        !atomic_load_explicit(watched, memory_order_relaxed))
        return;
    stopped = true;
    oom_raise();
}

bool
oom_stopped(void)
{
    return stopped;
}

bool
oom_fail_at(long n)
{
    bool waits = fail_countdown > 0;
    fail_countdown = n > 0 ? n : 0;
    return waits;
}

/* Must the allocation that is about to happen fail? */
static bool
must_fail(void)
{
    return fail_countdown > 0 && --fail_countdown == 0;
}

static size_t
checked_product(size_t a, size_t b)
{
    if (b != 0 && a > SIZE_MAX / 2 / b)
        oom_raise();
    return a * b;
}

struct arena *
arena_new(void)
{
    struct arena *arena = mem_alloc(sizeof *arena);
    arena->next_cap = FIRST_BLOCK;
    return arena;
}

/* The size of a block for one piece alone, by which is_own knows it. */
static size_t
own_size(size_t size)
{
    size_t cap = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    return cap == LAST_BLOCK ? cap + ALIGNMENT : cap;
}

/* Is it the block of one large piece alone? */
static bool
is_own(const struct block *block)
{
    return block->cap > LAST_BLOCK ||
           (block->mapped && block->cap != LAST_BLOCK);
}

/* A block of cap bytes, which are zero, or NULL. Pages of a block for one large
 * piece come from the system and go back to it, each when it is first touched:
 * who asks for more room than he uses pays for what he uses, also where the
 * heap has pieces to give that were used before. Large are `least` bytes. (The
 * address sanitizer sees no pointers in such pages.) */
static struct block *
new_block(size_t cap, size_t least)
{
    size_t size = sizeof(struct block) + cap;
    struct block *block = NULL;
#ifndef __EMSCRIPTEN__
    if (cap >= least && !WATCHED) {
        void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            return NULL;
        block = pages;
        block->mapped = size;
    }
#endif
    if (!block)
        block = calloc(1, size);
    if (block)
        block->cap = cap;
    return block;
}

static void
free_block(struct block *block)
{
#ifndef __EMSCRIPTEN__
    if (block && block->mapped) {
        munmap(block, block->mapped);
        return;
    }
#endif
    free(block);
}

static void
free_blocks(struct block *first)
{
    for (struct block *b = first, *next; b; b = next) {
        next = b->next;
        free_block(b);
    }
}

void
arena_free(struct arena *arena)
{
    if (!arena)
        return;
    free_blocks(arena->first);
    free_blocks(arena->spare);
    free(arena);
}

/* Makes the block empty: all of it is zero, and none of it may be touched. */
static void
make_empty(struct block *block)
{
    ASAN_UNPOISON_MEMORY_REGION(block + 1, block->used);
    memset(block + 1, 0, block->used);
    ASAN_POISON_MEMORY_REGION(block + 1, block->cap);
    block->used = 0;
}

/* Keeps the block for later, empty, or gives it back. */
static void
set_aside(struct arena *arena, struct block *block)
{
    if (block->cap != LAST_BLOCK || arena->n_spare == MOST_SPARE) {
        free_block(block);
        return;
    }
    make_empty(block);
    block->next = arena->spare;
    arena->spare = block;
    arena->n_spare++;
}

void
arena_clear(struct arena *arena)
{
    assert(arena);
    struct block *keep = arena->first;

    if (!keep || (!keep->used && !keep->next))
        return;
    for (struct block *b = keep->next, *next; b; b = next) {
        next = b->next;
        set_aside(arena, b);
    }
    keep->next = NULL;
    if (is_own(keep)) {
        free_block(keep);
        arena->first = NULL;
        return;
    }
    make_empty(keep);
}

/* Puts a block behind the first one, if there is one. */
static void
add_behind(struct arena *arena, struct block *added)
{
    struct block **at = arena->first ? &arena->first->next : &arena->first;
    added->next = *at;
    *at = added;
}

static void
add_block(struct arena *arena, size_t n)
{
    size_t cap = arena->next_cap;
    if (arena->spare && n <= LAST_BLOCK) {
        struct block *spare = arena->spare;
        arena->spare = spare->next;
        arena->n_spare--;
        spare->next = arena->first;
        arena->first = spare;
        return;
    }
    if (arena->next_cap < LAST_BLOCK)
        arena->next_cap *= 2;
    bool own = n > cap;
    if (own)
        cap = n;
    struct block *added = new_block(cap, LAST_BLOCK);
    if (!added)
        oom_raise();
    ASAN_POISON_MEMORY_REGION(added + 1, cap);
    /* a block made for one large piece goes behind the block that still has
     * room */
    if (own) {
        add_behind(arena, added);
    } else {
        added->next = arena->first;
        arena->first = added;
    }
}

void *
arena_alloc(struct arena *arena, size_t size)
{
    assert(arena && arena->next_cap >= FIRST_BLOCK);
    if (size > SIZE_MAX / 2 || must_fail())
        oom_raise();
    oom_look();
    size_t step = (size + GAP + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct block *b = arena->first;
    if (!b || b->cap - b->used < step) {
        add_block(arena, step);
        b = arena->first;
        if (b->cap - b->used < step)
            b = b->next;
    }
    void *p = (char *)(b + 1) + b->used;
    b->used += step;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    return p;
}

/* Where the arena points to the block that a piece has for itself alone. NULL:
 * it has none. */
static struct block **
own_block(struct arena *arena, const void *p)
{
    /* most pieces that are given back are young and small: they lie in the
     * block that still has room, and the others need no look */
    const struct block *first = arena->first;
    if (first && !is_own(first) && (const char *)p > (const char *)first &&
        (const char *)p < (const char *)(first + 1) + first->used)
        return NULL;
    for (struct block **at = &arena->first; *at; at = &(*at)->next) {
        struct block *block = *at;
        if ((const void *)(block + 1) == p)
            return is_own(block) ? at : NULL;
    }
    return NULL;
}

/* Takes such a block out of the arena. NULL: there is none. */
static struct block *
take_block(struct arena *arena, const void *p)
{
    struct block **at = own_block(arena, p), *block = at ? *at : NULL;
    if (block)
        *at = block->next;
    return block;
}

/* Makes a block whose pages the system has mapped larger, which moves it, but
 * not its bytes, of which n are kept. False: that cannot be done. */
static bool
remap(struct block **at, size_t n, size_t size)
{
#ifdef MREMAP_MAYMOVE
    struct block *block = *at;
    size_t whole = sizeof *block + size;
    if (!block->mapped || whole < block->mapped)
        return false;
    void *pages = mremap(block, block->mapped, whole, MREMAP_MAYMOVE);
    if (pages == MAP_FAILED)
        return false;
    block = *at = pages;
    if (n < block->used)
        memset((char *)(block + 1) + n, 0, block->used - n);
    block->mapped = whole;
    block->cap = block->used = size;
    return true;
#else
    (void)at;
    (void)n;
    (void)size;
    return false;
#endif
}

/* A piece of a list that grows. */
static void *
alloc_list(struct arena *arena, size_t size)
{
    size_t cap = own_size(size);
    if (size < OWN_LEAST || size > SIZE_MAX / 2 || WATCHED)
        return arena_alloc(arena, size);
    if (must_fail())
        oom_raise();
    oom_look();
    struct block *block = new_block(cap, OWN_LEAST);
    if (!block)
        oom_raise();
    block->used = cap;
    add_behind(arena, block);
    return block + 1;
}

void *
arena_enlarge(struct arena *arena, void *p, size_t n, size_t size)
{
    assert(arena && (p || n == 0) && n <= size);
    struct block **at = p ? own_block(arena, p) : NULL;
    if (at && size <= SIZE_MAX / 2) {
        if (must_fail())
            oom_raise();
        oom_look();
        if (remap(at, n, own_size(size)))
            return *at + 1;
    }
    void *q = alloc_list(arena, size);
    if (n)
        memcpy(q, p, n);
    arena_drop(arena, p);
    return q;
}

void
arena_drop(struct arena *arena, const void *p)
{
    assert(arena);
    free_block(take_block(arena, p));
}

void *
arena_give(struct arena *arena, const void *p, size_t n, struct arena *to)
{
    assert(arena && p && to && arena != to);
    struct block *block = take_block(arena, p);
    if (!block)
        return arena_copy(to, p, n);
    struct block **at = to->first ? &to->first->next : &to->first;
    block->next = *at;
    *at = block;
    return block + 1;
}

void *
arena_copy(struct arena *arena, const void *p, size_t n)
{
    assert(p || n == 0);
    void *q = arena_alloc(arena, n);
    if (n)
        memcpy(q, p, n);
    return q;
}

char *
arena_strndup(struct arena *arena, const char *s, size_t n)
{
    assert(s || n == 0);
    char *q = arena_alloc(arena, n + 1);
    if (n)
        memcpy(q, s, n);
    return q;
}

char *
arena_strdup(struct arena *arena, const char *s)
{
    assert(s);
    return arena_strndup(arena, s, strlen(s));
}

char *
arena_printf(struct arena *arena, const char *fmt, ...)
{
    assert(arena && fmt);
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) {
        va_end(again);
        oom_raise();
    }
    char *s = arena_alloc(arena, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}

void *
mem_grow(void *p, size_t *cap, size_t want, size_t item)
{
    assert(cap && item > 0);
    if (want <= *cap)
        return p;
    size_t n = *cap < 8 ? 8 : *cap + *cap / 2;
    if (n < want)
        n = want;
    size_t bytes = checked_product(n, item);
    void *q = must_fail() ? NULL : realloc(p, bytes);
    if (!q)
        oom_raise();
    *cap = n;
    return q;
}

void *
arena_grow(struct arena *arena, const void *p, size_t *cap, size_t n,
           size_t item)
{
    assert(cap && item > 0 && (p || n == 0));
    size_t most = n < 8 ? 8 : checked_product(n, 2);
    void *q = arena_alloc(arena, checked_product(most, item));
    if (n)
        memcpy(q, p, n * item);
    *cap = most;
    return q;
}

void *
mem_try(size_t n)
{
    return must_fail() ? NULL : calloc(1, n ? n : 1);
}

void *
mem_alloc(size_t n)
{
    void *p = mem_try(n);
    if (!p)
        oom_raise();
    return p;
}
