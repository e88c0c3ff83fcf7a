/* SPDX-License-Identifier: MIT */
/* Arenas: one per lifetime (model, command, run); nothing is freed singly.
 * Callers need not handle memory that runs out: arena_alloc and mem_* never
 * return NULL. They longjmp to the recovery point that oom_guard has set in
 * this thread; where there is none, they print one line and _Exit(3). */
#ifndef IMP_BASE_ARENA_H
#define IMP_BASE_ARENA_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena); /* may be NULL */
/* Forgets all that the arena holds and keeps room for about as much, up to 17
 * MiB. So a lifetime that comes again and again allocates nothing after the
 * first few times. */
void arena_clear(struct arena *arena);
/* zeroed, aligned to 16; owned by the arena */
void *arena_alloc(struct arena *arena, size_t size);
/* Gives back a piece that is so large that it has a block of its own, as large
 * lists have that have grown; of others and of NULL nothing happens. Nobody may
 * read it any more. */
void arena_drop(struct arena *arena, const void *p);
/* A piece of `size` bytes that begins with the n bytes of the piece p (NULL: 0)
 * and goes on with zeros; nobody may read p any more. Such large pieces are not
 * copied, so that there are never two of them. */
void *arena_enlarge(struct arena *arena, void *p, size_t n, size_t size);
/* Gives a piece of n bytes, or its first n, to another arena: where it has such
 * a block of its own, the block changes its owner, else it is copied. Returns
 * where the piece is from then on. */
void *arena_give(struct arena *arena, const void *p, size_t n,
                 struct arena *to);
void *arena_copy(struct arena *arena, const void *p, size_t n);
char *arena_strndup(struct arena *arena, const char *s, size_t n);
char *arena_strdup(struct arena *arena, const char *s);
char *arena_printf(struct arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define NEW_N(arena, type, n)                                                  \
    ((type *)arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* growable arrays on the heap (owned by the holder of the struct):
 *   struct { T *v; size_t n, cap; } xs = {0};  VEC_PUSH(&xs, x); */
void *mem_grow(void *p, size_t *cap, size_t want, size_t item);
void *mem_alloc(size_t n); /* zeroed; free() it */
/* NULL when memory runs out, for code that handles it itself (bison) */
void *mem_try(size_t n);
#define VEC_PUSH(vec, ...)                                                     \
    do {                                                                       \
        if ((vec)->n == (vec)->cap)                                            \
            (vec)->v = mem_grow((vec)->v, &(vec)->cap, (vec)->n + 1,           \
                                sizeof *(vec)->v);                             \
        (vec)->v[(vec)->n++] = (__VA_ARGS__);                                  \
    } while (0)

/* The same in an arena; the old array stays there until the arena goes. */
void *arena_grow(struct arena *arena, const void *p, size_t *cap, size_t n,
                 size_t item);
#define VEC_PUSH_IN(arena, vec, ...)                                           \
    do {                                                                       \
        if ((vec)->n == (vec)->cap)                                            \
            (vec)->v = arena_grow((arena), (vec)->v, &(vec)->cap, (vec)->n,    \
                                  sizeof *(vec)->v);                           \
        (vec)->v[(vec)->n++] = (__VA_ARGS__);                                  \
    } while (0)

/* Recovery point of this thread: `struct oom_guard g; if (setjmp(g.env)) {
 * out of memory: clean up, oom_leave(&g) } else { oom_enter(&g); ...;
 * oom_leave(&g); }`. Guards nest. */
struct buf;
struct oom_guard {
    jmp_buf env;
    struct oom_guard *outer;
    struct buf *held; /* freed by a jump (buf.h) */
};
void oom_enter(struct oom_guard *guard);
void oom_leave(struct oom_guard *guard);
_Noreturn void oom_raise(void);
/* While `flag` is not NULL, allocations of this thread from arenas look at it
 * and jump to the innermost guard when it is not 0, as if memory had run out:
 * Ctrl-C while a model is compiled, which holds nothing that is worth keeping.
 * Returns the flag that was looked at before. A guard that does not jump on
 * calls oom_watch(NULL) before anything else. */
atomic_int *oom_watch(atomic_int *flag);
/* Looks at that flag: for long work that allocates nothing. */
void oom_look(void);
/* Was the last jump of this thread made by oom_watch? */
bool oom_stopped(void);
/* For buf.c: the innermost guard takes responsibility for a buffer; the
 * buffer's guard gives it up. */
void oom_hold(struct buf *buf);
void oom_let_go(struct buf *buf);
/* For tests: the n-th allocation of this thread from now on fails (0: never).
 * Returns whether an earlier call still waits for its allocation. */
bool oom_fail_at(long n);

#endif
