/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `imp repl` on a terminal: prompt, several lines, completion, Ctrl-C at the
 * prompt and in a command, Ctrl-D, the history file. Signals and
 * keys typed ahead. Drives the program through a pseudo-terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* No wait is longer than this, and none is for a time: each is for something
 * the program shows or does. */
#define PATIENCE 30 /* s */

struct term {
    int fd;
    pid_t pid;
    char all[1 << 17];
    size_t n, seen;
    char dir[64];
};

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
start_in(struct term *t, const char *locale)
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
        setenv("LC_ALL", locale, 1);
        setenv("NO_COLOR", "1", 1);
        execl(IMP_BINARY_DIR "/imp", "imp", "repl", "--backend=eval",
              (char *)NULL);
        _exit(127);
    }
}

static void
start(struct term *t)
{
    start_in(t, "C.UTF-8");
}

/* the test is over: nothing is left running or lying about */
static void
stop(struct term *t)
{
    char path[128];

    if (t->pid > 0) {
        kill(t->pid, SIGKILL);
        waitpid(t->pid, NULL, 0);
        close(t->fd);
    }
    snprintf(path, sizeof path, "%s/imp/history", t->dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/imp", t->dir);
    rmdir(path);
    rmdir(t->dir);
}

static void
give_up(struct term *t, const char *what)
{
    t->all[t->n] = 0;
    printf("waited %d s for %s; since then came:\n%s\n", PATIENCE, what,
           t->all + t->seen);
    stop(t);
    fail();
}

/* takes what has come, waiting for it shortly; false at the end of it all */
static bool
take(struct term *t)
{
    struct pollfd p = {.fd = t->fd, .events = POLLIN};

    if (poll(&p, 1, 10) <= 0)
        return true;
    ssize_t n = read(t->fd, t->all + t->n, sizeof t->all - 1 - t->n);
    if (n > 0)
        t->n += (size_t)n;
    return n > 0;
}

/* what has come since the last look contains `text` */
static void
sees(struct term *t, const char *text)
{
    double end = now() + PATIENCE;

    for (bool more = true; more && now() < end; more = take(t)) {
        t->all[t->n] = 0;
        char *at = strstr(t->all + t->seen, text);
        if (at) {
            t->seen = (size_t)(at - t->all) + strlen(text);
            return;
        }
    }
    give_up(t, text);
}

/* The program is at work: at the prompt it takes keys one by one, while a
 * command runs the terminal takes lines. */
static void
works(struct term *t)
{
    double end = now() + PATIENCE;
    struct termios tio;

    while (now() < end) {
        assert_int_equal(tcgetattr(t->fd, &tio), 0);
        if (tio.c_lflag & ICANON)
            return;
        (void)take(t);
    }
    give_up(t, "the command to begin");
}

static void
type(struct term *t, const char *s)
{
    assert_int_equal(write(t->fd, s, strlen(s)), (ssize_t)strlen(s));
}

/* types an entry and waits for the prompt behind what it prints */
static void
enter(struct term *t, const char *s)
{
    type(t, s);
    sees(t, "\n");
    sees(t, "imp> ");
}

/* the program ends by itself; its status */
static int
ends(struct term *t)
{
    double end = now() + PATIENCE;
    int status;
    pid_t got = 0;

    while (got == 0 && now() < end) {
        if (!take(t))
            usleep(1000);
        got = waitpid(t->pid, &status, WNOHANG);
    }
    if (got != t->pid)
        give_up(t, "the program to end");
    t->pid = 0;
    close(t->fd);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#define FOREVER "simulate { until = 1e6 every = 1 record = top.spin }\r"

static void
begin_top(struct term *t)
{
    enter(t, "use shapes\r");
    enter(t, "body top : ellipsoid(1, 2, 3) { density = 1 "
             "spin = (1, 9, 2) }\r");
}

static void
test_terminal(void **state)
{
    static struct term t;
    char path[128];
    struct stat st;

    (void)state;
    start(&t);
    sees(&t, "imp> ");
    type(&t, "1000 + 234\r");
    sees(&t, "1234");
    /* more is asked for */
    sees(&t, "imp> ");
    type(&t, "fn half(\r");
    sees(&t, "...> ");
    enter(&t, "x) = x/2\r");
    type(&t, "half(8642)\r");
    sees(&t, "4321");
    /* an error, and on */
    sees(&t, "imp> ");
    type(&t, "nothing\r");
    sees(&t, "error[");
    sees(&t, "imp> ");
    /* completion of a name */
    enter(&t, "let zeta_long = 777\r");
    type(&t, "show ze\t");
    sees(&t, "ta_long ");
    type(&t, "\r");
    sees(&t, "777");
    sees(&t, "imp> ");
    /* letters of several bytes */
    enter(&t, "let \xce\xb8\xcc\x82 = 888\r");
    type(&t, "\xce\xb8\xcc\x82\r");
    sees(&t, "888");
    sees(&t, "imp> ");
    type(&t, "\004");
    assert_int_equal(ends(&t), 0);
    /* history: kept, and for its owner only */
    snprintf(path, sizeof path, "%s/imp/history", t.dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(st.st_size > 50);
    stop(&t);
}

/* Lines that are pasted may be empty, and end in two characters; an empty line
 * that is typed ends an entry. Letters are UTF-8 in the locale C, too. */
static void
test_paste(void **state)
{
    static struct term t;

    (void)state;
    start_in(&t, "C");
    sees(&t, "imp> ");
    type(&t, "use shapes\r\n"
             "body ball : circle(0.1) {\r\n"
             "  mass = 1\r\n"
             "\r\n"
             "  position = (0, 7)\r\n"
             "}\r\n"
             "ball.position[1]\r\n");
    sees(&t, "= 7 m");
    sees(&t, "imp> ");
    type(&t, "fn half(\r");
    sees(&t, "...> ");
    type(&t, "\r");
    sees(&t, "error[");
    sees(&t, "imp> ");
    enter(&t, "let \xce\xb8 = 888\r");
    type(&t, "\xce\xb8 + 1\r");
    sees(&t, "889");
    sees(&t, "imp> ");
    /* a text is shown, but documents a declaration that is pasted with it */
    type(&t, "\"radius of the disc\"\r\n"
             "param rho = 0.3\r\n"
             "\"no more\"\r\n"
             "rho + 1\r\n");
    sees(&t, "\nno more\r\n");
    sees(&t, "= 1.3");
    sees(&t, "imp> ");
    type(&t, "?rho\r");
    sees(&t, "\n  radius of the disc");
    sees(&t, "imp> ");
    type(&t, "\004");
    assert_int_equal(ends(&t), 0);
    stop(&t);
}

static void
test_interrupt(void **state)
{
    static struct term t;

    (void)state;
    start(&t);
    sees(&t, "imp> ");
    /* Ctrl-C at the prompt clears the line and what came before it */
    type(&t, "fn f(\r");
    sees(&t, "...> ");
    type(&t, "rubbish\003");
    sees(&t, "imp> ");
    type(&t, "5000 + 555\r");
    sees(&t, "5555");
    sees(&t, "imp> ");
    /* in a command: well in it, and in its first moment; the session goes on */
    begin_top(&t);
    for (int i = 0; i < 6; i++) {
        type(&t, FOREVER);
        works(&t);
        usleep(i % 2 ? 0 : 100000);
        type(&t, "\003");
        sees(&t, "E0717");
        sees(&t, "imp> ");
    }
    type(&t, "6000 + 666\r");
    sees(&t, "6666");
    sees(&t, "imp> ");
    type(&t, "\004");
    assert_int_equal(ends(&t), 0);
    stop(&t);
}

/* keys typed while a command runs are kept for the prompt */
static void
test_ahead(void **state)
{
    static struct term t;

    (void)state;
    start(&t);
    sees(&t, "imp> ");
    begin_top(&t);
    type(&t, "simulate { until = 100 every = 0.1 record = top.spin }\r");
    works(&t);
    type(&t, "7000 + 777\r\004");
    sees(&t, "7777");
    assert_int_equal(ends(&t), 0);
    stop(&t);
}

/* a request to end is obeyed at the prompt and in a command */
static void
test_terminated(void **state)
{
    static struct term t;

    (void)state;
    for (int i = 0; i < 2; i++) {
        start(&t);
        sees(&t, "imp> ");
        if (i) {
            begin_top(&t);
            type(&t, FOREVER);
            works(&t);
        }
        kill(t.pid, SIGTERM);
        assert_int_equal(ends(&t), 0);
        stop(&t);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal),   cmocka_unit_test(test_paste),
        cmocka_unit_test(test_interrupt),  cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_terminated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
