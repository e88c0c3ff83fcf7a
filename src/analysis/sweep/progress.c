/* SPDX-License-Identifier: MIT */
/* The line on the standard error that shows how far a sweep is. A thread of its
 * own draws it at most ten times a second, so that it moves while one run takes
 * long, and it is wiped at the end. A sweep that is over before the first line
 * shows none. The time that is left is estimated from the mean time of a run.
 */
#include <assert.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "analysis/sweep/sweep_priv.h"
#include "base/io.h"

#define LINE_SECONDS 0.1
enum {
    BAR = 20,
    LINE = 120,
    NARROW = 70 /* columns: narrower terminals get no
                 * line */
};

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
clock_text(char *s, size_t n, double t)
{
    long k = (long)(t + 0.5);
    if (k >= 3600)
        snprintf(s, n, "%ld:%02ld:%02ld", k / 3600, k / 60 % 60, k % 60);
    else
        snprintf(s, n, "%ld:%02ld", k / 60, k % 60);
}

static void
draw(struct sweep_progress *progress)
{
    const struct sweep *sweep = progress->sweep;
    uint64_t done = atomic_load(&sweep->shared.done),
             fresh = done - sweep->resumed;
    char bar[BAR + 1] = {0}, left[40] = "", time[24], text[LINE];
    int share = (int)((double)BAR * (double)done / (double)sweep->grid.total);
    for (int k = 0; k < BAR; k++)
        bar[k] = k < share ? '#' : '.';
    if (fresh) {
        double each = (now() - progress->begun) / (double)fresh;
        clock_text(time, sizeof time,
                   (double)(sweep->grid.total - done) * each);
        snprintf(left, sizeof left, ", %s left", time);
    }
    int n = snprintf(text, sizeof text, "\rsweep [%s] %llu of %llu%s\033[K",
                     bar, (unsigned long long)done,
                     (unsigned long long)sweep->grid.total, left);
    (void)io_write(
        STDERR_FILENO, text,
        (size_t)n); /* There is no place where a failure could be reported. */
    progress->drawn = true;
}

static void *
main_of(void *ctx)
{
    struct sweep_progress *progress = ctx;
    pthread_mutex_lock(&progress->lock);
    while (!progress->over) {
        double t = now() + LINE_SECONDS;
        struct timespec until = {(time_t)t, 0};
        until.tv_nsec = (long)(1e9 * (t - (double)until.tv_sec));
        if (pthread_cond_timedwait(&progress->wake, &progress->lock, &until) &&
            !progress->over)
            draw(progress);
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void
sweep_progress_begin(struct sweep_progress *progress, const struct sweep *sweep)
{
    assert(progress != NULL && sweep != NULL);
    struct winsize w;
    pthread_condattr_t at;
    *progress = (struct sweep_progress){.sweep = sweep, .begun = now()};
    if (!sweep->analysis->sweeps.progress ||
        (!ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col &&
         w.ws_col < NARROW))
        return;
    pthread_condattr_init(&at);
    pthread_condattr_setclock(&at, CLOCK_MONOTONIC);
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->wake, &at);
    pthread_condattr_destroy(&at);
    progress->made = true;
    progress->running =
        !pthread_create(&progress->thread, NULL, main_of, progress);
}

void
sweep_progress_end(struct sweep_progress *progress)
{
    if (!progress->made)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->over = true;
    pthread_cond_signal(&progress->wake);
    pthread_mutex_unlock(&progress->lock);
    if (progress->running)
        pthread_join(progress->thread, NULL);
    if (progress->drawn)
        (void)io_write(STDERR_FILENO, "\r\033[K", 4);
    pthread_cond_destroy(&progress->wake);
    pthread_mutex_destroy(&progress->lock);
    progress->made = false;
}
