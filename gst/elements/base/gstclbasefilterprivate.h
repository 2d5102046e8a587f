/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclbasefilter.h"

G_BEGIN_DECLS

/* GstClBaseFilter has two files; nobody else includes this. */

/* For class_init: sets decide_allocation, propose_allocation,
 * prepare_output_buffer, transform_meta and get_unit_size. */
void gst_cl_base_filter_install_buffers (GstBaseTransformClass *klass);

G_END_DECLS
