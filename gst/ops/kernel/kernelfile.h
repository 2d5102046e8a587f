/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "parameter.h"

G_BEGIN_DECLS

/* A kernel file of a user: the lines of its head (//!PARAM and others), and the
 * parameters of its kernels. docs/clkernel.md has the format. Calls no OpenCL
 * function. A file is constant once it is read; any thread. */

typedef enum {
  GST_CL_ARGUMENT_IN,        /* GST_CL_IN (name): a frame */
  GST_CL_ARGUMENT_OUT,       /* GST_CL_OUT (name) */
  GST_CL_ARGUMENT_IN_OUT,    /* GST_CL_IN_OUT (name) */
  GST_CL_ARGUMENT_PREVIOUS,  /* GST_CL_PREVIOUS (name, n) */
  GST_CL_ARGUMENT_PARAMETER, /* of GstClKernelFile.parameters */
  GST_CL_ARGUMENT_BUFFER,    /* of GstClKernelFile.buffers */
  GST_CL_ARGUMENT_STATISTIC, /* of GstClKernelFile.statistics */
} GstClKernelArgumentKind;

typedef struct {
  GstClKernelArgumentKind kind;
  gchar *name;
  guint line;  /* from 1 */
  guint n;     /* PREVIOUS: frames back, from 1 */
  guint index; /* PARAMETER, BUFFER, STATISTIC: in the array of the file */
} GstClKernelArgument;

typedef struct {
  gchar *name;
  guint line;
  GArray *arguments; /* GstClKernelArgument */
} GstClKernelFunction;

/* Memory that a kernel writes: //!BUFFER, //!STATISTICS. */
typedef struct {
  gchar *name;
  GstClNumber number;
  gchar *count; /* an expression */
  guint line;
} GstClKernelMemory;

/* A launch: //!PASS. */
typedef struct {
  guint function; /* index in GstClKernelFile.functions */
  gchar *work;    /* NULL: that of the file */
} GstClKernelPass;

typedef struct {
  gchar *name;        /* for messages: the path's last part, or "source" */
  gchar *folder;      /* of the file; NULL: none */
  gchar *text;        /* for the compiler: the head's values are blank */
  GArray *parameters; /* GstClParameter */
  GArray *functions;  /* GstClKernelFunction, in the order of the text; not
                         those in "#if 0", but all of other conditions */
  GArray *buffers;    /* GstClKernelMemory */
  GArray *statistics; /* GstClKernelMemory */
  GArray *passes;     /* GstClKernelPass; one without //!PASS */
  GStrv formats;      /* //!FORMATS: of the input; NULL: any */
  gchar *format, *width, *height; /* of the output; NULL: as the input */
  gchar *work;                    /* //!WORK; NULL: pixels */
  GPtrArray *inputs;              /* names of GST_CL_IN, in the order of the
                                     passes; gchar * of the functions */
  guint n_previous;               /* the most frames back */
  gboolean is_in_place;           /* a kernel has GST_CL_IN_OUT */
} GstClKernelFile;

/* Reads @text, called @name in messages. @function: the kernel to launch; NULL:
 * those of //!PASS, else the only one. @statistics: more of them, as
 * NAME:TYPE:COUNT,...; NULL: none. NULL with GST_LIBRARY_ERROR_SETTINGS, whose
 * message begins with file and line. transfer full */
GstClKernelFile *gst_cl_kernel_file_new (const gchar *text, const gchar *name,
    const gchar *folder, const gchar *function, const gchar *statistics,
    GError **error);

/* Does the same for the file @location; GST_RESOURCE_ERROR if it cannot be
 * read. */
GstClKernelFile *gst_cl_kernel_file_load (const gchar *location,
    const gchar *function, const gchar *statistics, GError **error);

GstClKernelFile *gst_cl_kernel_file_ref (GstClKernelFile *self);
void gst_cl_kernel_file_unref (GstClKernelFile *self);

/* Returns the index of the frame @name in the inputs; 0: it is none. */
guint gst_cl_kernel_file_input (const GstClKernelFile *self, const gchar *name);

/* Returns the parameter @name; NULL: none. Borrowed. */
const GstClParameter *gst_cl_kernel_file_find (const GstClKernelFile *self,
    const gchar *name, guint *index);

/* Values of all parameters of a file, and the structure that has named them
 * (NULL: the defaults). */
typedef struct {
  const GstStructure *structure;
  const GstClParameterValue *values;
} GstClKernelValues;

/* Sets @values, one for each parameter, to the defaults, or to those that
 * @structure names (NULL: none). @before: values of the same file; a FILE of
 * the same path is not read again; NULL: none. FALSE with
 * GST_LIBRARY_ERROR_SETTINGS; also if @structure names a parameter that the
 * file does not have. The caller clears the values, also after a failure. */
gboolean gst_cl_kernel_file_values (const GstClKernelFile *self,
    const GstStructure *structure, const GstClKernelValues *before,
    GstClParameterValue *values, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClKernelFile, gst_cl_kernel_file_unref)

G_END_DECLS
