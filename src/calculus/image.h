/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the image of a compiled model (abi/image.h), one contiguous piece of
 * memory. Offsets stay valid, but the bytes move while the image grows: take
 * pointers only after image_finish. */
#ifndef IMP_CALCULUS_IMAGE_H
#define IMP_CALCULUS_IMAGE_H

#include "abi/image.h"

struct image_builder;
struct arena;

struct image_builder *image_new(struct arena *arena); /* owned by the arena */
imp_str image_text(struct image_builder *ib, const char *s); /* shared */
imp_str image_textn(struct image_builder *ib, const char *s, size_t len);
/* copies n items of `size` bytes, 16-aligned */
imp_ref image_array(struct image_builder *ib, const void *v, size_t n,
                    size_t size);
/* the same, or the array that holds these bytes already: code of tapes that are
 * alike stands once (alike tapes are known by it) */
imp_ref image_shared(struct image_builder *ib, const void *v, size_t n,
                     size_t size);
/* Tapes are collected; image_finish makes one array of them. */
uint32_t image_add_tape(struct image_builder *ib, const imp_tape *tape);
/* Puts the header in place and returns the image (16-aligned, in the arena).
 * head->tapes, size, magic and abi are filled in here. */
const imp_image *image_finish(struct image_builder *ib, imp_image *head);

#endif
