/* SPDX-License-Identifier: MIT */
/* The page that shows a run: its style, its body and its script, as
 * they stand in this folder. They lie in the program as bytes that nobody reads
 * before a page is written. */
#ifndef IMP_VIEW_PAGE_H
#define IMP_VIEW_PAGE_H

#include "output/out.h"

const struct out_page *view_page(void);

#endif
