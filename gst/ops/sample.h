/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/gstclcomponent.h"

G_BEGIN_DECLS

/* What kernels need to know of a sample's type. */

/* Compiler options of cl_pixel.clh; transfer full. */
gchar *gst_cl_sample_options (const GstClSampleType *sample);

/* The largest code that the stored bits can make, whatever the depth says: what
 * must not overflow if a frame is not as its caps say. */
guint gst_cl_sample_max_code (const GstClSampleType *sample);

G_END_DECLS
