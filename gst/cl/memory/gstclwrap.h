/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclproof.h"

G_BEGIN_DECLS

/* Host memory that the device reads where it lies (CL_MEM_USE_HOST_PTR). */

extern const GstClProof gst_cl_wrap_proof;

/* A cl_mem over @size_bytes at @data, which are @memory's, for reading; NULL if
 * gst_cl_wrap_proof does not hold or the pointer is not aligned as the driver
 * asks. On a CPU device it is made at most once for as long as
 * @memory stays where it is. The caller owns a reference, and keeps @memory
 * mapped until the device is done. Any thread. */
cl_mem gst_cl_wrap_memory (GstClContext *context, GstMemory *memory,
    gpointer data, gsize size_bytes);

G_END_DECLS
