/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Parameters of a user's kernels, and their values. Calls no OpenCL function;
 * any thread. */

/* The most numbers of a value. */
#define GST_CL_PARAMETER_MAX_NUMBERS (1u << 24)

/* The type of the numbers of a parameter. */
typedef enum {
  GST_CL_NUMBER_INT,   /* 32 bits */
  GST_CL_NUMBER_UINT,  /* 32 bits */
  GST_CL_NUMBER_FLOAT, /* 32 bits */
} GstClNumber;

/* Returns the name of the type in OpenCL C. */
const gchar *gst_cl_number_name (GstClNumber number);

typedef enum {
  GST_CL_PARAMETER_NUMBERS, /* a number, or a vector */
  GST_CL_PARAMETER_BOOL,
  GST_CL_PARAMETER_ENUM,  /* of names; the kernel gets the index */
  GST_CL_PARAMETER_ARRAY, /* of numbers, in memory */
  GST_CL_PARAMETER_FILE,  /* an array that a text file holds */
} GstClParameterKind;

/* A block that //!PARAM begins. */
typedef struct {
  gchar *name, *description; /* description: NULL: none */
  guint line;                /* of //!PARAM, from 1 */
  GstClParameterKind kind;
  GstClNumber number;
  guint n;              /* numbers of a value: 1 to 4; of an array: its length,
                            0: any */
  gboolean is_constant; /* DEFINE, CONSTANT: compiled into the program */
  gboolean is_define;   /* DEFINE: without a type */
  gdouble minimum, maximum; /* of each number, at most those of the type; of
                               an index of ENUM and BOOL */
  gboolean takes_regions;   /* //!REGIONS: the regions of interest of a frame
                             follow the numbers of the array */
  GStrv names;              /* of an enum; else NULL */
  gchar *initial;           /* the default, as text */
} GstClParameter;

/* A value of a parameter. A file is read into the numbers. */
typedef struct {
  guint n;
  gdouble *numbers; /* integers are exact */
} GstClParameterValue;

void gst_cl_parameter_value_clear (GstClParameterValue *value);

/* Returns TRUE if a kernel gets the value as GST_CL_ARRAY (type, name). */
gboolean gst_cl_parameter_is_array (const GstClParameter *parameter);

/* Returns TRUE if @number is of the type and within the range. */
gboolean gst_cl_parameter_contains (const GstClParameter *parameter,
    gdouble number);

/* Converts @text to a value of @parameter; a path is relative to @folder. FALSE
 * with GST_LIBRARY_ERROR_SETTINGS, whose message names the parameter and what
 * it takes; for a file that cannot be read, its error. */
gboolean gst_cl_parameter_parse (const GstClParameter *parameter,
    const gchar *text, const gchar *folder, GstClParameterValue *value,
    GError **error);

/* Does the same for @gvalue: a number, a boolean, a string as above, an array
 * or list of numbers. ENUM takes its index, too: properties of children are
 * numbers. */
gboolean gst_cl_parameter_convert (const GstClParameter *parameter,
    const GValue *gvalue, const gchar *folder, GstClParameterValue *value,
    GError **error);

/* Returns what values @parameter takes: "int, 0 to 64". transfer full */
gchar *gst_cl_parameter_describe (const GstClParameter *parameter);

/* Returns @value as source text of OpenCL C, whatever the locale is: a constant
 * expression, or, for an array, an initializer, "{ 1, 2 }", for "constant float
 * k[] = name;". transfer full */
gchar *gst_cl_parameter_literal (const GstClParameter *parameter,
    const GstClParameterValue *value);

G_END_DECLS
