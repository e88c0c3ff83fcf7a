/* SPDX-License-Identifier: MIT */
/* A line on the standard error that shows how far a command is, and the time
 * that is left. A thread of its own draws it ten times a second, so that it
 * moves while one piece of the work takes long, and it is wiped at the end. */
#ifndef IMP_ANALYSIS_COMMAND_PROGRESS_H
#define IMP_ANALYSIS_COMMAND_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Which share of the work is done, and in words; *fresh: the share that was
 * done since the beginning. The thread of the line calls it. */
typedef double (*progress_look)(void *ctx, double *fresh, char *text,
                                size_t size);
struct progress {
    const char *word;
    double first, begun;
    progress_look look;
    void *ctx;
    bool made, running, over, drawn;
    pthread_t thread;
    pthread_mutex_t lock; /* of over */
    pthread_cond_t wake;
};
/* word: what is done. No line comes within the `first` seconds, or on a narrow
 * terminal; the caller knows that there is a terminal. */
void progress_begin(struct progress *progress, const char *word, double first,
                    progress_look look, void *ctx);
/* May be called for a progress that is all 0. */
void progress_end(struct progress *progress);

#endif
