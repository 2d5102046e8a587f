/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "bytes.h"

G_BEGIN_DECLS

/* Properties by their GParamSpec: no property is named here, so that new ones
 * take part. */

#define FUZZ_N_VARIANTS 8

/* Sets all enum and flags properties of @element to combination @variant, 0 to
 * FUZZ_N_VARIANTS - 1; 0 keeps the current values. Their number is limited
 * because most combinations compile other kernels, which takes longer than
 * anything else. */
void fuzz_properties_set_variant (GstElement *element, guint variant);

/* Sets one property of another type; @bytes select the property and its value.
 * The selection of a property does not change when others are added. */
void fuzz_properties_set_one (GstElement *element, FuzzBytes *bytes);

/* Reads every property, and converts its value to text. */
void fuzz_properties_get_all (GstElement *element);

G_END_DECLS
