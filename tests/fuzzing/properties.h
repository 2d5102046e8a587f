/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "bytes.h"

G_BEGIN_DECLS

/* Properties by what GObject tells of them: no name of one stands here, and a
 * new one takes part. */

/* Settings of all enum and flags properties together; with 0 these keep what
 * they have. Most of them say which kernels are compiled, which takes longer
 * than all else: there are no more settings than these. */
#define FUZZ_N_VARIANTS 8

void fuzz_properties_set_variant (GstElement *element, guint variant);

/* Sets one property of another type, which @bytes pick, as well as its value.
 * A property stays where it is when others are added. */
void fuzz_properties_set_one (GstElement *element, FuzzBytes *bytes);

/* Reads every property, and makes a text of its value. */
void fuzz_properties_get_all (GstElement *element);

G_END_DECLS
