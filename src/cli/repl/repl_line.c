/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the entries come from: a terminal, through libedit, with history and
 * completion; or a pipe, which is read whole and cut into entries where the
 * grammar says that an entry is complete. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "abi/status.h"
#include "base/arena.h"
#include "cli/code/version.h"
#include "cli/repl/repl_priv.h"
#include "cli/session/args.h"
#include "syntax/parse.h"

static bool
is_colon(const char *s, size_t n)
{
    size_t i = 0;

    while (i < n && (s[i] == ' ' || s[i] == '\t'))
        i++;
    return i < n && (s[i] == ':' || s[i] == '?');
}

static bool
is_blank(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strchr(" \t\r\n", s[i]))
            return false;
    return true;
}

static bool
is_comment(const char *s, size_t n)
{
    size_t i = 0;

    while (i < n && (s[i] == ' ' || s[i] == '\t'))
        i++;
    return i < n && s[i] == '#';
}

/* -- a pipe ---------------------------------------------------------------- */

static size_t
line_length(const char *s, size_t n)
{
    const char *e = memchr(s, '\n', n);

    return e ? (size_t)(e - s) + 1 : n;
}

/* Does the line at s go on with the entry [from, s)? It does if it can go on
 * with an entry but cannot begin one, such as a `{` of its own or an operator.
 */
static bool
goes_on(const char *from, const char *s, size_t rest)
{
    size_t n = line_length(s, rest);

    if (is_blank(s, n) || is_colon(s, n))
        return false;
    return parse_probe(s, n) == PARSE_WRONG &&
           parse_probe(from, (size_t)(s - from) + n) != PARSE_WRONG;
}

/* at most so many lines stand between a text and what it documents */
enum { MOST_TEXTS = 100 };

/* The length of the entry that begins at s, in whole lines. Texts that stand
 * alone belong to the declaration that follows, if one does. */
static size_t
entry_length(const char *s, size_t rest)
{
    size_t len = line_length(s, rest);

    if (is_colon(s, len))
        return len;
    enum parse_state p = parse_probe(s, len);
    while (len < rest &&
           (p == PARSE_MORE ||
            (p == PARSE_DONE && goes_on(s, s + len, rest - len)))) {
        len += line_length(s + len, rest - len);
        p = parse_probe(s, len);
    }
    if (!parse_is_documentation(s, len))
        return len;
    size_t with = len;
    for (int lines = 0; with < rest && lines < MOST_TEXTS; lines++) {
        size_t line = line_length(s + with, rest - with);
        if (!is_blank(s + with, line) && !is_comment(s + with, line) &&
            !parse_is_documentation(s + with, line))
            break;
        with += line;
    }
    if (with < rest &&
        !parse_is_documentation(s + with, line_length(s + with, rest - with)))
        with += entry_length(s + with, rest - with);
    return parse_probe(s, with) == PARSE_DONE ? with : len;
}

/* Takes an entry; a declaration that others follow may wait for them. */
static void
take_or_hold(struct repl *repl, const char *text, size_t n, bool more)
{
    if (more && !is_colon(text, n) && repl_hold(repl, text, n))
        return;
    repl_flush(repl);
    if (!repl->quit)
        (void)repl_entry(repl, text, n);
}

int
repl_lines_pipe(struct repl *repl)
{
    assert(repl);
    const char *text;
    size_t used;

    session_close(&repl->s);
    session_open(&repl->s, &repl->o);
    repl->s.stop = cli_stop_flag();
    bool ok = session_read(&repl->s, "-", &text, &used);
    char *all = ok ? mem_alloc(used + 1) : NULL;
    if (ok && used)
        memcpy(all, text, used);
    repl_say(repl);
    session_close(&repl->s);
    if (!ok)
        return IMP_EXIT_MODEL;
    size_t at = 0;
    while (at < used && !repl->quit) {
        size_t len = line_length(all + at, used - at);
        if (is_blank(all + at, len)) {
            at += len;
            continue;
        }
        len = entry_length(all + at, used - at);
        take_or_hold(repl, all + at, len, true);
        at += len;
    }
    repl_flush(repl);
    free(all);
    return repl->worst;
}

/* -- a terminal ------------------------------------------------------------ */

struct tty {
    EditLine *el;
    History *hist;
    struct repl *r;
    struct buf entry; /* lines so far */
    size_t texts;     /* of these, that of texts that may document what comes */
    bool cleared;     /* Ctrl-C at the prompt */
    char *file;       /* history */
};

static struct tty *
of(EditLine *el)
{
    struct tty *tty;

    el_get(el, EL_CLIENTDATA, &tty);
    return tty;
}

static char *
prompt(EditLine *el)
{
    static char first[] = "imp> ", more[] = "...> ";

    return of(el)->entry.n ? more : first;
}

static unsigned char
on_interrupt(EditLine *el, int ch)
{
    (void)ch;
    of(el)->cleared = true;
    fputs("^C", stdout);
    return CC_NEWLINE;
}

/* Can something be read within this time? */
static bool
input_comes(int milliseconds)
{
    struct pollfd poll_in = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&poll_in, 1, milliseconds) > 0 && (poll_in.revents & POLLIN);
}

/* The end of what was pasted has come in the midst of a line. */
static void
take_held(EditLine *el)
{
    const LineInfo *li = el_line(el);
    bool begun = li->lastchar != li->buffer;

    if (begun)
        fputc('\n', stdout);
    bool fine = repl_flush(of(el)->r);
    fflush(stdout);
    if (begun || !fine)
        el_set(el, EL_REFRESH, NULL);
}

/* Reads one character; 0 at the end of the input, -1 and errno on errors. A
 * signal makes it return EINTR, also a signal that came before: signals are
 * blocked outside ppoll, so none is lost between the test of the flag and the
 * wait. (libedit goes on after the first EINTR.) */
static int
read_key(EditLine *el, wchar_t *key)
{
    struct pollfd poll_in = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t block, before;
    mbstate_t state = {0};
    int got = -1;

    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    sigaddset(&block, SIGTERM);
    sigaddset(&block, SIGHUP);
    sigprocmask(SIG_BLOCK, &block, &before);
    for (;;) {
        char byte;
        if (of(el)->r->held.n && !input_comes(0))
            take_held(el);
        if (atomic_load(cli_stop_flag())) {
            errno = EINTR;
            break;
        }
        if (ppoll(&poll_in, 1, NULL, &before) < 0) {
            if (errno == EINTR) /* a signal that we handle, or the window has
                                   changed its size */
                continue;
            break;
        }
        ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n <= 0) {
            got = (int)n;
            break;
        }
        size_t k = mbrtowc(key, &byte, 1, &state);
        if (k == (size_t)-2)
            continue;
        if (k == (size_t)-1) {
            state = (mbstate_t){0};
            continue;
        }
        got = 1;
        break;
    }
    int e = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = e;
    return got;
}

/* Puts the common beginning of all candidates in. If that adds nothing, shows
 * the list. */
static unsigned char
on_complete(EditLine *el, int ch)
{
    struct tty *tty = of(el);
    const LineInfo *li = el_line(el);
    struct completions found = {0};
    struct buf text = {0};
    size_t word, common = 0;
    unsigned char what = CC_ERROR;

    (void)ch;
    buf_put(&text, buf_str(&tty->entry), tty->entry.n);
    buf_put(&text, li->buffer, (size_t)(li->cursor - li->buffer));
    repl_complete(tty->r, buf_str(&text), text.n, &found, &word);
    size_t typed = text.n - word;
    if (found.n)
        common = strlen(found.v[0]);
    for (size_t i = 1; i < found.n; i++) {
        size_t k = 0;
        while (k < common && found.v[i][k] == found.v[0][k])
            k++;
        common = k;
    }
    bool symbol = found.n == 1 && typed && buf_str(&text)[word] == '\\';
    if (symbol) {
        el_deletestr(el, (int)typed);
        el_insertstr(el, found.v[0]);
        what = CC_REFRESH;
    } else if (found.n && common > typed) {
        char *s = mem_alloc(common - typed + 2);
        memcpy(s, found.v[0] + typed, common - typed);
        if (found.n == 1 && s[common - typed - 1] != '(')
            s[common - typed] = ' ';
        el_insertstr(el, s);
        free(s);
        what = CC_REFRESH;
    } else if (found.n > 1) {
        size_t col = 0;
        putchar('\n');
        for (size_t i = 0; i < found.n; i++) {
            size_t w = strlen(found.v[i]) + 2;
            if (col && col + w > 78) {
                putchar('\n');
                col = 0;
            }
            printf("%s  ", found.v[i]);
            col += w;
        }
        putchar('\n');
        fflush(stdout);
        what = CC_REDISPLAY;
    }
    completions_free(&found);
    buf_free(&text);
    return what;
}

/* The file of the history, $XDG_STATE_HOME/imp/history, readable by its owner
 * only; NULL if there is none. */
static char *
history_file(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct buf text = {0};

    if (state && state[0] == '/')
        buf_puts(&text, state);
    else if (home && home[0] == '/')
        buf_printf(&text, "%s/.local/state", home);
    else
        return NULL;
    buf_puts(&text, "/imp");
    for (size_t i = 1; i <= text.n; i++) {
        if (text.s[i] != '/' && text.s[i] != 0)
            continue;
        char c = text.s[i];
        text.s[i] = 0;
        (void)mkdir(text.s, 0700);
        text.s[i] = c;
    }
    buf_puts(&text, "/history");
    int fd = open(text.s, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        buf_free(&text);
        return NULL;
    }
    (void)fchmod(fd, 0600);
    close(fd);
    return buf_take(&text);
}

static void
remember(struct tty *tty, const char *s)
{
    HistEvent ev;

    if (tty->hist && s[0] && !is_blank(s, strlen(s)))
        history(tty->hist, &ev, H_ENTER, s);
}

static bool
tty_open(struct tty *tty)
{
    HistEvent ev;

    /* models are UTF-8, whatever the locale; without one it is C, where a key
     * is a byte */
    setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
    tty->el = el_init("imp", stdin, stdout, stderr);
    if (!tty->el)
        return false;
    tty->hist = history_init();
    el_set(tty->el, EL_CLIENTDATA, tty);
    el_set(tty->el, EL_PROMPT, prompt);
    el_set(tty->el, EL_EDITOR, "emacs");
    el_set(tty->el, EL_SIGNAL, 0);
    el_set(tty->el, EL_GETCFN, read_key);
    if (tty->hist) {
        history(tty->hist, &ev, H_SETSIZE, 2000);
        history(tty->hist, &ev, H_SETUNIQUE, 1);
        el_set(tty->el, EL_HIST, history, tty->hist);
        tty->file = history_file();
        if (tty->file)
            history(tty->hist, &ev, H_LOAD, tty->file);
    }
    el_set(tty->el, EL_ADDFN, "imp-complete", "complete a word", on_complete);
    el_set(tty->el, EL_ADDFN, "imp-interrupt", "clear the line", on_interrupt);
    el_set(tty->el, EL_BIND, "^I", "imp-complete", NULL);
    /* the arrows look for entries that begin as the line does */
    el_set(tty->el, EL_BIND, "\033[A", "ed-search-prev-history", NULL);
    el_set(tty->el, EL_BIND, "\033OA", "ed-search-prev-history", NULL);
    el_set(tty->el, EL_BIND, "\033[B", "ed-search-next-history", NULL);
    el_set(tty->el, EL_BIND, "\033OB", "ed-search-next-history", NULL);
    el_set(tty->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(tty->el, EL_BIND, "^C", "imp-interrupt", NULL);
    /* at the prompt Ctrl-C is a key; while a command runs it is a signal */
    el_set(tty->el, EL_SETTY, "-d", "-isig", NULL);
    /* Ctrl-D typed while a command runs is kept for the prompt. Ctrl-C does not
     * drop what the command prints about it. */
    el_set(tty->el, EL_SETTY, "-x", "eof=", "noflsh", NULL);
    el_source(tty->el, NULL);
    return true;
}

static void
tty_close(struct tty *tty)
{
    HistEvent ev;

    if (tty->hist) {
        if (tty->file) {
            history(tty->hist, &ev, H_SAVE, tty->file);
            (void)chmod(tty->file, 0600);
        }
        history_end(tty->hist);
    }
    el_end(tty->el);
    free(tty->file);
    buf_free(&tty->entry);
}

/* Is there more input already? Then lines are pasted, and an empty one is a
 * line of theirs: one between others, or what is left of a line end of two
 * characters. Nobody who types is as fast. */
static bool
more_waits(struct tty *tty)
{
    el_set(tty->el, EL_PREP_TERM, 1);
    bool more = input_comes(50);
    el_set(tty->el, EL_PREP_TERM, 0);
    return more;
}

/* Are the lines so far an entry? An empty line that is typed ends one that is
 * not complete. Texts that are pasted wait for what they document. */
static bool
is_whole(struct tty *tty, bool blank)
{
    const char *s = tty->entry.s;
    size_t n = tty->entry.n;

    if (is_colon(s, n))
        return true;
    if (parse_is_documentation(s, n)) {
        if (!more_waits(tty))
            return true;
        tty->texts = n;
        return false;
    }
    if (is_blank(s + tty->texts, n - tty->texts))
        return !more_waits(tty);
    return (blank && !more_waits(tty)) || parse_probe(s, n) != PARSE_MORE;
}

/* Takes the first n bytes of the lines so far. */
static void
take_lines(struct tty *tty, size_t n)
{
    if (n == 0)
        return;
    char *text = mem_alloc(n + 1);
    memcpy(text, tty->entry.s, n);
    size_t rest = tty->entry.n - n;
    memmove(tty->entry.s, tty->entry.s + n, rest);
    tty->entry.n = rest;
    tty->texts = 0;
    remember(tty, text); /* the entry as a whole, however many lines */
    take_or_hold(tty->r, text, n, rest || input_comes(0));
    free(text);
}

/* Takes the texts that have waited for what they document, where no
 * declaration has come. */
static void
take_texts(struct tty *tty)
{
    const char *s = tty->entry.s;
    size_t n = tty->entry.n, texts = tty->texts;

    if (texts && texts < n && parse_probe(s, n) != PARSE_DONE)
        take_lines(tty, texts);
}

int
repl_lines_tty(struct repl *repl)
{
    struct tty tty = {.r = repl};
    int count;

    if (!tty_open(&tty))
        return repl_lines_pipe(repl);
    printf("Imp %s. :help lists commands, ?NAME explains a name.\n",
           version_of_imp());
    fflush(stdout);
    while (!repl->quit) {
        tty.cleared = false;
        /* Set the terminal before the prompt is seen: whoever answers the
         * prompt at once types keys, not signals. A signal that came before was
         * meant for the command, or for the lines so far. */
        el_set(tty.el, EL_PREP_TERM, 1);
        int stop = atomic_exchange(cli_stop_flag(), 0);
        if (stop == SIGTERM || stop == SIGHUP)
            break;
        if (stop) {
            buf_clear(&tty.entry);
            tty.texts = 0;
            tcflush(STDIN_FILENO, TCIFLUSH);
        }
        const char *line = el_gets(tty.el, &count);
        if (tty.cleared || (!line && count < 0 && errno == EINTR)) {
            buf_clear(&tty.entry);
            tty.texts = 0;
            el_reset(tty.el);
            fputc('\n', stdout);
            continue;
        }
        if (!line || count <= 0) {
            fputc('\n', stdout);
            break;
        }
        if (tty.entry.n == 0 && is_blank(line, (size_t)count))
            continue;
        char *copy = mem_alloc((size_t)count + 1);
        memcpy(copy, line, (size_t)count);
        buf_put(&tty.entry, copy, (size_t)count);
        free(copy);
        if (!is_whole(&tty, is_blank(line, (size_t)count)))
            continue;
        take_texts(&tty);
        if (tty.entry.n && !is_whole(&tty, is_blank(line, (size_t)count)))
            continue;
        take_lines(&tty, tty.entry.n);
        fflush(stdout);
    }
    take_lines(&tty, tty.texts);
    repl_flush(repl);
    tty_close(&tty);
    return IMP_EXIT_OK;
}
