/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "bytes.h"

G_BEGIN_DECLS

/* Properties by their GParamSpec: no property is named here, so that new ones
 * take part. */

/* Combinations of all enum and flags properties; 0 keeps the current values.
 * Most of them select the kernels to compile, which takes longer than anything
 * else: there are no more combinations than these. */
#define FUZZ_N_VARIANTS 8

void fuzz_properties_set_variant (GstElement *element, guint variant);

/* Sets one property of another type; @bytes select the property and its value.
 * The selection of a property does not change when others are added. */
void fuzz_properties_set_one (GstElement *element, FuzzBytes *bytes);

/* Reads every property, and converts its value to text. */
void fuzz_properties_get_all (GstElement *element);

G_END_DECLS
