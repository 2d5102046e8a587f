/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclbasefilter.h"

G_BEGIN_DECLS

/* What the files of GstClBaseFilter share; nobody else includes it. */

/* Sets decide_allocation, propose_allocation, prepare_output_buffer,
 * transform_meta and get_unit_size of the class, which gstclbasefilterbuffers.c
 * has. */
void gst_cl_base_filter_install_buffers (GstBaseTransformClass *klass);

/* Sets transform_caps, which gstclbasefiltercaps.c has. */
void gst_cl_base_filter_install_caps (GstBaseTransformClass *klass);

G_END_DECLS
