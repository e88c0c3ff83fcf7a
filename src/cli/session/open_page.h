/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of `imp view` and `imp replay`, and the browser that shows a page. */
#ifndef IMP_CLI_SESSION_OPEN_PAGE_H
#define IMP_CLI_SESSION_OPEN_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The whole file, on the heap; 0 or errno. A folder is EISDIR. */
int page_read(const char *path, char **bytes, size_t *n);
/* Writes the file, whole or not at all; 0 or errno. */
int page_write(const char *path, const char *bytes, size_t n);
/* Opens a page in the user's browser, where the standard output is a terminal
 * and there is a display. */
void page_open(const char *path);

/* Does the path end so, with something before it? */
bool page_ends(const char *path, const char *ending);
/* Writes the page of a run as `path`, and opens it on a terminal with a
 * display where `open`; a name that ends in .imprun gets the run file alone.
 * Prints the path, or what went wrong. Returns an exit status. */
int page_show(const char *path, const char *title, const void *run, size_t n,
              bool open);

/* Takes a picture of a page, at the place `hash` of it ("t=0.4"), without a
 * window: a browser does so, if there is one. Returns NULL, or what went wrong:
 * static text, or a text of errno. *missing: there is no browser. */
const char *page_picture(const char *page, size_t n, const char *hash,
                         const char *path, bool *missing);
/* Makes a moving picture of the whole run in the same way: a WebM where the name ends so, else a
 * GIF. */
const char *page_movie(const char *page, size_t n, const char *path,
                       bool *missing);

#endif
