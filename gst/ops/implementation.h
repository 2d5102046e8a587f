/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* One way to do an op: a row of that op's table. Choosing, testing and
 * benchmarking walk the same rows. */
typedef struct {
  const gchar *name;     /* "multi-pass", "multi-pass-cpu" */
  gint method;           /* value of the element's method enum, never AUTO */
  const gchar *resource; /* kernel file below kernels/ */
  GstClFamily family;    /* devices that `auto` takes it for; right on all */
} GstClImplementation;

/* The row of @rows that serves @method (0: any) best on @device: the first one
 * written for the device's family, else the first one for any device. Rows
 * stand in order of preference. NULL if none serves @method. */
const GstClImplementation *gst_cl_implementation_choose (
    const GstClImplementation *rows, guint n_rows, gint method,
    const GstClDevice *device);

/* The row of that name, which there has to be. */
const GstClImplementation *gst_cl_implementation_find (
    const GstClImplementation *rows, guint n_rows, const gchar *name);

G_END_DECLS
