/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of `imp view` and `imp replay`, and the browser that shows a page. */
#ifndef IMP_CLI_SESSION_OPEN_PAGE_H
#define IMP_CLI_SESSION_OPEN_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The whole file, on the heap; 0 or errno. A folder is EISDIR. */
int page_read(const char *path, char **bytes, size_t *n);

/* Does the path end so, with something before it? */
bool page_ends(const char *path, const char *ending);
/* Times of a VTK collection or an HDF5 file if none are asked for: so many
 * steps from 0 to the end. */
#define PAGE_TIMES 200
/* What is to be written of a run: a page (.html), the run file itself
 * (.imprun), glTF (.glb), a VTK collection (.pvd), HDF5 (.h5). */
struct page_file {
    const char *path;
    bool open;    /* a page, on a terminal with a display */
    double every; /* s between times of .pvd and .h5; 0: PAGE_TIMES */
};
/* Is the file made from the run file, for other programs? */
bool page_is_other(const char *path);
/* Does it hold poses at times, which --every asks for? */
bool page_has_times(const char *path);
/* Writes the file and prints its path, or what went wrong. Returns an exit
 * status. */
int page_show(const struct page_file *file, const char *title, const void *run,
              size_t n);

/* Takes a picture of a page, at the place `hash` of it ("t=0.4"), without a
 * window: a browser does so, if there is one. Returns NULL, or what went wrong:
 * static text, or a text of errno. *missing: there is no browser. */
const char *page_picture(const char *page, size_t n, const char *hash,
                         const char *path, bool *missing);
/* Makes a moving picture of the whole run in the same way: a WebM where the
 * name ends so, else a GIF. */
const char *page_movie(const char *page, size_t n, const char *path,
                       bool *missing);

#endif
