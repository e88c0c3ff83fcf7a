/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `imp repl` on a terminal: prompt, several lines, completion, Ctrl-C at the
 * prompt and in a command, Ctrl-D, the history file. Drives the program
 * through a pseudo-terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct term {
    int fd;
    pid_t pid;
    char all[1 << 17];
    size_t n, seen;
    char dir[64];
};

static void
start(struct term *t)
{
    struct winsize ws = {.ws_row = 24, .ws_col = 120};

    memset(t, 0, sizeof *t);
    strcpy(t->dir, "/tmp/imp-repl-XXXXXX");
    assert_non_null(mkdtemp(t->dir));
    t->pid = forkpty(&t->fd, NULL, NULL, &ws);
    assert_true(t->pid >= 0);
    if (t->pid == 0) {
        setenv("XDG_STATE_HOME", t->dir, 1);
        setenv("TERM", "vt100", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        setenv("NO_COLOR", "1", 1);
        execl(IMP_BINARY_DIR "/imp", "imp", "repl", "--backend=eval",
              (char *)NULL);
        _exit(127);
    }
}

/* what has come since the last look contains `text`, within 10 s */
static bool
sees(struct term *t, const char *text)
{
    for (int i = 0; i < 1000; i++) {
        t->all[t->n] = 0;
        char *at = strstr(t->all + t->seen, text);
        if (at) {
            t->seen = (size_t)(at - t->all) + strlen(text);
            return true;
        }
        struct pollfd p = {.fd = t->fd, .events = POLLIN};
        if (poll(&p, 1, 10) <= 0)
            continue;
        ssize_t n = read(t->fd, t->all + t->n, sizeof t->all - 1 - t->n);
        if (n <= 0)
            break;
        t->n += (size_t)n;
    }
    t->all[t->n] = 0;
    printf("waited for '%s', got:\n%s\n", text, t->all + t->seen);
    return false;
}

static void
type(struct term *t, const char *s)
{
    assert_int_equal(write(t->fd, s, strlen(s)), (ssize_t)strlen(s));
}

static int
end(struct term *t)
{
    int status;
    char buf[4096];

    while (read(t->fd, buf, sizeof buf) > 0)
        ;
    close(t->fd);
    assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void
test_terminal(void **state)
{
    static struct term t;
    char path[128];
    struct stat st;

    (void)state;
    start(&t);
    assert_true(sees(&t, "imp> "));
    type(&t, "1000 + 234\r");
    assert_true(sees(&t, "1234"));
    /* more is asked for */
    assert_true(sees(&t, "imp> "));
    type(&t, "fn half(\r");
    assert_true(sees(&t, "...> "));
    type(&t, "x) = x/2\r");
    assert_true(sees(&t, "imp> "));
    type(&t, "half(8642)\r");
    assert_true(sees(&t, "4321"));
    /* an error, and on */
    type(&t, "nothing\r");
    assert_true(sees(&t, "error["));
    assert_true(sees(&t, "imp> "));
    /* completion of a name */
    type(&t, "let zeta_long = 777\r");
    assert_true(sees(&t, "imp> "));
    type(&t, "show ze\t");
    assert_true(sees(&t, "ta_long "));
    type(&t, "\r");
    assert_true(sees(&t, "777"));
    /* Ctrl-C at the prompt clears the line and what came before it */
    assert_true(sees(&t, "imp> "));
    type(&t, "fn f(\r");
    assert_true(sees(&t, "...> "));
    type(&t, "rubbish\003");
    assert_true(sees(&t, "imp> "));
    type(&t, "5000 + 555\r");
    assert_true(sees(&t, "5555"));
    /* Ctrl-C in a command; the session goes on */
    type(&t, "use shapes\r");
    type(&t,
         "body top : ellipsoid(1, 2, 3) { density = 1 spin = (1, 9, 2) }\r");
    assert_true(sees(&t, "ellipsoid"));
    assert_true(sees(&t, "imp> "));
    type(&t, "simulate { until = 1e6 every = 1 record = top.spin }\r");
    assert_true(sees(&t, "}"));
    usleep(300000);
    type(&t, "\003");
    assert_true(sees(&t, "E0717"));
    assert_true(sees(&t, "imp> "));
    type(&t, "6000 + 666\r");
    assert_true(sees(&t, "6666"));
    assert_true(sees(&t, "imp> "));
    type(&t, "\004");
    assert_int_equal(end(&t), 0);
    /* history: kept, and for its owner only */
    snprintf(path, sizeof path, "%s/imp/history", t.dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(st.st_size > 50);
    unlink(path);
    snprintf(path, sizeof path, "%s/imp", t.dir);
    rmdir(path);
    rmdir(t.dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terminal)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
