/* SPDX-License-Identifier: MIT */
/* Everything that is printed goes through out_write. The first write that fails
 * is remembered, nothing is written after it, and out_check turns it into a
 * diagnostic at the end of the run (disk full, closed pipe). Programs ignore
 * SIGPIPE, so a closed pipe arrives here as EPIPE. Texts of a model may hold
 * control characters, \u{1b}; people see them as they are written there, so
 * that no model can send commands to a terminal. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/status.h"
#include "base/num.h"
#include "base/utf8.h"
#include "output/out_priv.h"

static void
write_bytes(struct output *output, const char *s, size_t n)
{
    if (output->error || n == 0)
        return;
    int e = output->write(output->ctx, s, n);
    if (e)
        output->error = e > 0 ? e : EIO;
}

/* the bytes of the character at s that a terminal could take as a command; 0:
 * the character is harmless */
static size_t
unsafe_bytes(const char *s, size_t n, uint32_t *code)
{
    unsigned char c = (unsigned char)*s;
    *code = c;
    if (c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f))
        return 0;
    size_t length = utf8_decode(s, n, code);
    return length == 0 ? 1 : utf8_unsafe(*code) ? length : 0;
}

void
out_write(struct output *output, const char *text, size_t n)
{
    assert(output->write && (text || n == 0));
    if (output->json) { /* JSON escapes control characters itself */
        write_bytes(output, text, n);
        return;
    }
    size_t from = 0;
    for (size_t i = 0; i < n;) {
        uint32_t code;
        size_t length = unsafe_bytes(text + i, n - i, &code);
        if (length) {
            char shown[16];
            int size = snprintf(shown, sizeof shown, "\\u{%x}", code);
            write_bytes(output, text + from, i - from);
            write_bytes(output, shown, (size_t)size);
            from = i + length;
        }
        /* a harmless character of several bytes ends at the next lead byte */
        i += length ? length : 1;
        while (!length && i < n && ((unsigned char)text[i] & 0xc0u) == 0x80u)
            i++;
    }
    write_bytes(output, text + from, n - from);
}

int
out_check(const struct output *output, struct diags *ds)
{
    if (!output->error)
        return IMP_OK;
    struct diag *diag = diag_add(ds, DIAG_E0855, IMP_NOWHERE,
                                 "the results could not be written: %s",
                                 strerror(output->error));
    const char *remedy = out_remedy(output->error);
    diag_help(ds, diag, "%s",
              remedy ? remedy
              : output->error == EPIPE
                  ? "the program that reads the output has ended early; let "
                    "it read to the end"
                  : "check where the output goes");
    return IMP_FAILED;
}

/* the number of significant digits of a decimal text */
static int
significant(const char *s)
{
    int count = 0, zeros = 0;
    for (; *s && *s != 'e'; s++) {
        if (*s < '0' || *s > '9')
            continue;
        if (*s == '0') {
            if (count)
                zeros++;
        } else {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

/* The sign of a zero comes from a product or from rounding and means nothing to
 * a reader, so it is not printed: -0 + 0 is +0, and no other number changes. */
char *
out_exact(char digits[NUM_TEXT], double x)
{
    return num_shortest(digits, x + 0.0);
}

char *
out_digits_17(char digits[NUM_TEXT], double x)
{
    return num_17(digits, x + 0.0);
}

char *
out_number(char digits[NUM_TEXT], double x)
{
    out_exact(digits, x);
    if (significant(digits) > OUT_DIGITS)
        num_digits(digits, x, OUT_DIGITS);
    return digits;
}

size_t
out_display_width(const char *s)
{
    assert(s != NULL);
    size_t n = 0;
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if ((c & 0xc0u) == 0x80u)
            continue;
        /* combining diacritical marks U+0300 .. U+036F */
        if (c == 0xccu || (c == 0xcdu && (unsigned char)s[1] < 0xb0u))
            continue;
        n++;
    }
    return n;
}
