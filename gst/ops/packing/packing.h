/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclframe.h"
#include "cl/video/gstclpacking.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* Unpacks frames of a packed format (gstclpacking.h) into a plane for each
 * component, so that kernels read samples, and packs them again. */

typedef enum {
  GST_CL_PACKING_METHOD_AUTO,
  GST_CL_PACKING_METHOD_UNPACK,
  GST_CL_PACKING_METHOD_PACK,
} GstClPackingMethod;

/* The problem that an instance is built for. */
typedef struct {
  GstVideoFormat format;     /* a packed format */
  GstClPackingMethod method; /* UNPACK or PACK */
  guint component_mask; /* bit c: component c is unpacked; all are packed */
  gint width, height;   /* of the frame, or of its field */

  /* set by gst_cl_packing_problem_init() */
  const GstClPacking *packing;
  guint n_components;
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS]; /* unpacked */
  struct {
    gint row_bytes, n_rows;
  } planes[GST_VIDEO_MAX_PLANES];
} GstClPackingProblem;

/* Sets @problem for frames of @info, a packed format. */
void gst_cl_packing_problem_init (GstClPackingProblem *problem,
    const GstVideoInfo *info, GstClPackingMethod method, guint component_mask);

/* Returns the size of the memory for the components. */
gsize gst_cl_packing_problem_bytes (const GstClPackingProblem *problem);

/* The implementations; problems are GstClPackingProblem, io is GstClPackingIo.
 * Methods are those of GstClPackingMethod. */
extern const GstClOpTable gst_cl_packing_table;

/* A frame of the format: its planes in device memory, and the memory of its
 * components, as gst_cl_component_of_info() describes them. */
typedef struct {
  const GstClFrame *packed;
  cl_mem components;
} GstClPackingIo;

/* Creates an instance of the row that is chosen for @problem. FALSE with
 * @error. */
gboolean gst_cl_packing_instance_init (GstClInstance *instance,
    GstClContext *context, const GstClPackingProblem *problem, GError **error);

G_END_DECLS
