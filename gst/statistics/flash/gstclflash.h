/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "gstclflashcounts.h"

G_BEGIN_DECLS

/* From the numbers of pictures to flashes: docs/light.md. */

/* The result of the last pictures, and the values of the field. */
typedef enum {
  GST_CL_FLASH_PASS,
  GST_CL_FLASH_WARNING,  /* two flashes in the last second */
  GST_CL_FLASH_EXTENDED, /* two or three flashes a second in four of the last
                            five seconds */
  GST_CL_FLASH_FAIL,     /* more than three flashes in the last second */
} GstClFlashResult;

/* Kinds of flashes. */
enum { GST_CL_FLASH_OF_LUMINANCE, GST_CL_FLASH_OF_RED, GST_CL_FLASH_N_KINDS };

/* The state after a picture. Integers are those of results; doubles follow from
 * the means of pictures. */
typedef struct {
  /* of the whole picture, by its mean, of each kind */
  gdouble area[GST_CL_FLASH_N_KINDS];       /* share of changed cells, 0 to 1 */
  gdouble difference[GST_CL_FLASH_N_KINDS]; /* accumulated, signed; a luminance
                                               of 1 is the reference, a redness
                                               of 320 pure red */
  guint64 transitions[GST_CL_FLASH_N_KINDS]; /* in the last second */
  guint64 result[GST_CL_FLASH_N_KINDS];      /* GstClFlashResult */

  /* of the worst region, by its cells */
  guint64 region_transitions[GST_CL_FLASH_N_KINDS]; /* at most 16 */
  guint64 region_result[GST_CL_FLASH_N_KINDS];
  guint64 x, y, width, height; /* of the region, pixels of the picture; all 0:
                                  no region has a transition */
} GstClFlashState;

/* The state of a stream. One caller at a time. */
typedef struct _GstClFlash GstClFlash;

GstClFlash *gst_cl_flash_new (void);
void gst_cl_flash_free (GstClFlash *self); /* accepts NULL */

/* Forgets all pictures. */
void gst_cl_flash_reset (GstClFlash *self);

/* Adds a picture of @counts at @time, in nanoseconds on a timeline; times
 * before that of the last picture count as that one. @area: the share of a
 * region that more cells must exceed.
 * @n_fields: 2 if the pictures are alternately the top and the bottom field of
 * frames, each with cells of its own; else 1. A picture of another size than
 * the last one is the first of a new stream; one of two fields may have a row
 * of cells more than the other. A picture without cells is ignored. */
void gst_cl_flash_add (GstClFlash *self, const GstClFlashCounts *counts,
    GstClockTime time, gdouble area, guint n_fields);

/* Returns the state after the last picture (borrowed). */
const GstClFlashState *gst_cl_flash_state (const GstClFlash *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClFlash, gst_cl_flash_free)

G_END_DECLS
