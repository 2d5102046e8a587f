/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* An enum or flags type of properties: a static object that registers its GType
 * at the first use. Exactly one of the three is set; each table ends with
 * zeros, and its value_name is the description that gst-inspect-1.0 prints. */
typedef struct {
  const gchar *name; /* of the GType */
  const GEnumValue *enum_values;
  const GFlagsValue *flags_values;
  const GFlagsValue *(*make_flags) (void); /* called once; static */
  /*< private >*/
  gsize type;
} GstClEnum;

/* Returns the GType, the same at every call. Any thread. */
GType gst_cl_enum_get_type (GstClEnum *self);

/* Flags that name components: bit c is component c in the order of GStreamer.
 * The nicks y, u, v, a and r, g, b name the same bits. */
extern GstClEnum gst_cl_planes_enum;

#define GST_CL_PLANES_ALL 0xf

G_END_DECLS
