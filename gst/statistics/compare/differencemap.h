/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"
#include "ops/picture.h"

G_BEGIN_DECLS

/* A picture of the differences between two pictures: the byte min (255, gain *
 * |a - b| >> (depth - 8)) for the codes a and b of each sample of the first
 * component. */

#define GST_CL_DIFFERENCE_MAP_MAX_GAIN    255
#define GST_CL_DIFFERENCE_MAP_ANSWER_GAIN 3 /* of the known answers */

typedef struct {
  GstClPictureInput input; /* the first component is read */
  GstClComponent map;      /* bytes, of the size of that component */
  guint gain;              /* 1 .. GST_CL_DIFFERENCE_MAP_MAX_GAIN */
} GstClDifferenceMapIo;

/* The implementations; problems are GstClComponent, whose type of samples is
 * that of the pictures, io is GstClDifferenceMapIo. There is only the method
 * AUTO. */
extern const GstClOpTable gst_cl_difference_map_table;

G_END_DECLS
