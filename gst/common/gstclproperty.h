/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclenum.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* The properties of an object as rows of a table: each row is one property and
 * one field of a struct, the settings. The functions create the GParamSpecs,
 * set the defaults, and copy values between GValues and fields. They take no
 * lock. */

typedef enum {
  GST_CL_PROPERTY_BOOLEAN, /* the field is a gboolean */
  GST_CL_PROPERTY_INT,     /* gint */
  GST_CL_PROPERTY_UINT,    /* guint */
  GST_CL_PROPERTY_UINT64,  /* guint64 */
  GST_CL_PROPERTY_DOUBLE,  /* gdouble */
  GST_CL_PROPERTY_ENUM,    /* an enum, which has the size of a gint */
  GST_CL_PROPERTY_FLAGS,   /* guint */
  GST_CL_PROPERTY_STRING,  /* const gchar *, interned or NULL */
} GstClPropertyType;

/* The consequence of a new value of a property. Each includes those before it.
 */
typedef enum {
  GST_CL_CHANGE_NONE,
  GST_CL_CHANGE_FRAMES, /* the next frame uses it */
  GST_CL_CHANGE_OPS,    /* other ops; waits for the device */
  GST_CL_CHANGE_CAPS,   /* other caps, and ops for them */
} GstClChange;

typedef struct {
  const gchar *name, *blurb; /* static; the nick follows from the name */
  GstClPropertyType type;
  gsize offset;      /* of the field in the settings, in bytes */
  GParamFlags flags; /* in addition to READWRITE and STATIC_STRINGS */
  GstClChange change;
  union {
    gboolean boolean;
    struct {
      gint initial, minimum, maximum;
    } i;
    struct {
      guint initial, minimum, maximum;
    } u;
    struct {
      guint64 initial, minimum, maximum;
    } u64;
    struct {
      gdouble initial, minimum, maximum;
    } d;
    struct {
      gint initial;
      GstClEnum *type;
    } e;
    struct {
      const gchar *initial; /* static, or NULL */
    } s;
  } values;
} GstClProperty;

/* Sets every field of @settings that has a row in @rows to its default. */
void gst_cl_property_init_fields (const GstClProperty *rows, guint n_rows,
    gpointer settings);

/* Returns a new, floating GParamSpec of the property of @row. */
GParamSpec *gst_cl_property_spec (const GstClProperty *row);

/* Installs the property of row i of @rows with the id @first_id + i. */
void gst_cl_property_install (const GstClProperty *rows, guint n_rows,
    GObjectClass *klass, guint first_id);

/* Copies the field of @row to @value, which is of the property's type. */
void gst_cl_property_get (const GstClProperty *row, gconstpointer settings,
    GValue *value);

/* Copies @value, which is of the property's type, to the field of @row. Returns
 * the consequence: row->change, or GST_CL_CHANGE_NONE if the value is
 * unchanged. */
GstClChange gst_cl_property_set (const GstClProperty *row, gpointer settings,
    const GValue *value);

/* Returns TRUE if the field of @row is equal in both settings. */
gboolean gst_cl_property_is_equal (const GstClProperty *row, gconstpointer a,
    gconstpointer b);

G_END_DECLS
