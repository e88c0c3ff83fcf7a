/* SPDX-License-Identifier: MIT */
/* A line on the standard error that shows how far a command is (progress.h). */
#include "analysis/command/progress.h"

#include <assert.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/stack.h"

#define LINE_SECONDS 0.1
enum {
    BAR = 20,
    LINE = 160,
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
draw(struct progress *progress)
{
    char bar[BAR + 1] = {0}, left[40] = "", time[24], text[LINE], of[64];
    double fresh, done = progress->look(progress->ctx, &fresh, of, sizeof of);
    for (int k = 0; k < BAR; k++)
        bar[k] = k < (int)(BAR * done) ? '#' : '.';
    if (fresh > 0.0) {
        clock_text(time, sizeof time,
                   (now() - progress->begun) * (1.0 - done) / fresh);
        snprintf(left, sizeof left, ", %s left", time);
    }
    int n = snprintf(text, sizeof text, "\r%s [%s] %s%s\033[K", progress->word,
                     bar, of, left);
    (void)io_write(
        STDERR_FILENO, text,
        (size_t)n); /* There is no place where a failure could be reported. */
    progress->drawn = true;
}

static void *
main_of(void *ctx)
{
    struct progress *progress = ctx;
    double t = progress->begun + progress->first;
    pthread_mutex_lock(&progress->lock);
    while (!progress->over) {
        struct timespec until = {(time_t)t, 0};
        until.tv_nsec = (long)(1e9 * (t - (double)until.tv_sec));
        if (pthread_cond_timedwait(&progress->wake, &progress->lock, &until) &&
            !progress->over)
            draw(progress);
        t = now() + LINE_SECONDS;
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void
progress_begin(struct progress *progress, const char *word, double first,
               progress_look look, void *ctx)
{
    assert(progress && word && look);
    struct winsize w;
    pthread_condattr_t at;
    *progress = (struct progress){
        .word = word, .first = first, .look = look, .ctx = ctx, .begun = now()};
    if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col && w.ws_col < NARROW)
        return;
    pthread_condattr_init(&at);
    pthread_condattr_setclock(&at, CLOCK_MONOTONIC);
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->wake, &at);
    pthread_condattr_destroy(&at);
    progress->made = true;
    progress->running = stack_thread(&progress->thread, main_of, progress);
}

void
progress_end(struct progress *progress)
{
    assert(progress);
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
