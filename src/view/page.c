/* SPDX-License-Identifier: MIT */
/* The files of this folder as bytes of the program, by the assembler. */
#include "view/page.h"

#define TEXT(name, file)                                                       \
    __asm__(".pushsection .rodata\n" #name ":\n.incbin \"" VIEW_FOLDER         \
            "/" file "\"\n.byte 0\n.popsection\n");                            \
    extern const char name[] __attribute__((visibility("hidden")))

TEXT(imp_view_style, "style.css");
TEXT(imp_view_body, "body.html");
TEXT(imp_view_script, "viewer.min.js");
TEXT(imp_view_plot_body, "plot.html");
TEXT(imp_view_plot_script, "plot.min.js");

const struct out_page *
view_page(void)
{
    static const struct out_page page = {imp_view_style, imp_view_body,
                                         imp_view_script,
                                         imp_view_plot_body,
                                         imp_view_plot_script};
    return &page;
}
