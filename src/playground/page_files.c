/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of pages (view/page.h) in the playground: the page has them anyway
 * and puts them into its file system below /view. */
#include <stdio.h>
#include <stdlib.h>

#include "view/page.h"

/* The whole file as a text that stays; "" where it is not there. */
static const char *
text_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (!file)
        return "";
    if (fseek(file, 0, SEEK_END) == 0) {
        long n = ftell(file);
        rewind(file);
        text = n >= 0 ? calloc((size_t)n + 1, 1) : NULL;
        if (text && fread(text, 1, (size_t)n, file) != (size_t)n)
            text[0] = 0;
    }
    (void)fclose(file);
    return text ? text : "";
}

const struct out_page *
view_page(void)
{
    static struct out_page page;
    if (!page.style)
        page = (struct out_page){
            text_of("/view/style.css"), text_of("/view/body.html"),
            text_of("/view/viewer.min.js"), text_of("/view/plot.html"),
            text_of("/view/plot.min.js")};
    return &page;
}
