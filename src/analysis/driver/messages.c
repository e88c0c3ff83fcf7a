/* SPDX-License-Identifier: MIT */
/* What programs need around a run, and the C API does not: messages on the
 * standard error, and signals. */
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/io.h"

void
driver_print_messages(const struct diags *ds, enum diag_format format)
{
    assert(ds);
    struct buf buf = {0};
    const char *no = getenv("NO_COLOR");
    bool colour = isatty(STDERR_FILENO) && !(no && *no);

    diags_print(ds, &buf, format, colour);
    (void)io_write(
        STDERR_FILENO, buf_str(&buf),
        buf.n); /* There is nobody to whom a failure could be told. */
    buf_free(&buf);
}

bool
driver_message_format(const char *word, enum diag_format *format)
{
    assert(word && format);
    static const char *const words[] = {"text", "lines", "json"};
    static const enum diag_format formats[] = {DIAG_TEXT, DIAG_LINES,
                                               DIAG_JSON};

    for (int i = 0; i < 3; i++)
        if (!strcmp(word, words[i])) {
            *format = formats[i];
            return true;
        }
    return false;
}

/* The number of the signal that asked the process to stop. It is static because
 * a signal handler has no other place to write to. */
static atomic_int stop;

static void
on_signal(int sig)
{
    static const char text[] = "interrupted again: ended at once, what was "
                               "not printed yet is lost\n";
    if (atomic_exchange(&stop, sig)) {
        (void)io_write(STDERR_FILENO, text, sizeof text - 1);
        _exit(IMP_EXIT_RUN);
    }
}

atomic_int *
driver_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL); /* a limit of files: EFBIG is told */
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* the terminal is gone; nohup lets a program live on */
    struct sigaction before;
    if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    return &stop;
}
