/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fuzz target without libFuzzer, for every compiler and every test run:
 * round MUTATIONS FILE... gives it each file as it is, with every first byte of
 * "0", "4" and "~", then so many mutations, each of a file or of another
 * mutation. They are the same ones every time, or, with a number in the
 * environment variable IMP_FUZZ_SEED, those of this seed. An input that takes
 * longer than LIMIT seconds ends the round; on any end by a signal the input is
 * left in round-failed.imp, and the seed is told. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4000, KEPT = 256, LIMIT = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);
__attribute__((weak)) size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed);
__attribute__((weak)) size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b,
                          size_t nb, uint8_t *out, size_t most, unsigned seed);

struct input {
    uint8_t s[MOST];
    size_t n;
};

static struct input now, kept[KEPT];
static size_t n_kept, n_files;
static uint64_t state = 1;
static const char *seed_text; /* NULL: none is asked for */

static uint64_t
draw(size_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (state >> 33) % n;
}

/* Takes the draws of another seed, which begin far from those of its
 * neighbours. False: this is no number. */
static bool
take_seed(void)
{
    char *end;
    seed_text = getenv("IMP_FUZZ_SEED");
    if (!seed_text)
        return true;
    uint64_t z = strtoull(seed_text, &end, 10);
    if (*seed_text < '0' || *seed_text > '9' || *end)
        return false;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    state = z ^ (z >> 31) ^ 1;
    return true;
}

/* bytes, where the target has no mutator of its own */
size_t
LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most)
{
    for (size_t k = 1 + draw(4); k > 0 && n; k--) {
        size_t at = draw(n);
        switch (draw(3)) {
        case 0:
            data[at] = (uint8_t)(data[at] ^ 1u << draw(8));
            break;
        case 1:
            memmove(data + at, data + at + 1, --n - at);
            break;
        default:
            if (n < most) {
                memmove(data + at + 1, data + at, n++ - at);
                data[at] = (uint8_t)draw(256);
            }
        }
    }
    return n;
}

/* mostly a file as it is: mutations of mutations seldom mean anything */
static const struct input *
some(void)
{
    return &kept[draw(draw(4) ? n_files : n_kept)];
}

static void
failed(int sig)
{
    FILE *f = fopen("round-failed.imp", "wb");
    if (f) {
        fwrite(now.s, 1, now.n, f);
        fclose(f);
    }
    fprintf(stderr, "round: signal %d, seed %s: see round-failed.imp\n", sig,
            seed_text ? seed_text : "none");
    signal(sig, SIG_DFL);
    raise(sig);
}

static void
go(void)
{
    /* the target may not read behind the end: memory of the right size */
    uint8_t *p = malloc(now.n + 1);
    if (!p)
        exit(3);
    memcpy(p, now.s, now.n);
    alarm(LIMIT);
    LLVMFuzzerTestOneInput(p, now.n);
    alarm(0);
    free(p);
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if (!take_seed()) {
        fprintf(stderr, "round: IMP_FUZZ_SEED is no whole number\n");
        return 2;
    }
    signal(SIGABRT, failed);
    signal(SIGSEGV, failed);
    signal(SIGALRM, failed);
    for (int i = 2; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f)
            return 2;
        size_t n = fread(now.s + 1, 1, MOST - 1, f);
        fclose(f);
        now.n = n + 1;
        for (const char *mode = "04~"; *mode; mode++) {
            now.s[0] = (uint8_t)*mode;
            go();
        }
        if (n_files < KEPT / 2)
            kept[n_files++] = now;
    }
    n_kept = n_files;
    for (long k = strtol(argv[1], NULL, 10); k > 0; k--) {
        const struct input *a = some(), *b = some();
        unsigned seed = (unsigned)draw(UINT32_MAX);
        now = *a;
        if (LLVMFuzzerCustomCrossOver && k % 4 == 0)
            now.n = LLVMFuzzerCustomCrossOver(a->s, a->n, b->s, b->n, now.s,
                                              MOST, seed);
        if (LLVMFuzzerCustomMutator)
            now.n = LLVMFuzzerCustomMutator(now.s, now.n, MOST, seed);
        else
            now.n = LLVMFuzzerMutate(now.s, now.n, MOST);
        go();
        if (n_kept < KEPT)
            kept[n_kept++] = now;
        else if (k % 4 == 0)
            kept[n_files + draw(KEPT - n_files)] = now;
    }
    return 0;
}
