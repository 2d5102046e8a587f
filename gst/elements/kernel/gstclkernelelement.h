/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "common/gstclproperty.h"
#include "elements/base/gstclinflight.h"
#include "gstclkernelrunner.h"
#include "gstclkernelwatchdog.h"
#include "statistics/series/gstclframetime.h"

G_BEGIN_DECLS

/* What clkernel and clkernelmix have in common: the properties, the parameters
 * as children, the caps of the output, and the frames. */

/* The properties except `parameters`. Strings are interned, or NULL. */
typedef struct {
  GstClKernelSettings kernels;
  gboolean post_messages;
  guint timeout; /* in seconds */
} GstClKernelProperties;

/* A property of @element has changed, which needs @change. */
typedef void (*GstClKernelChangeFunc) (GstElement *element, GstClChange change);

/* Embedded in the element. */
typedef struct {
  /*< private >*/
  GstElement *element;       /* the owner */
  const gchar *message_name; /* of the statistics */
  GstClKernelChangeFunc mark_changed;

  /* the element's object lock */
  GstClKernelProperties settings; /* the properties */
  GstStructure *parameters;       /* the property, or NULL */
  guint serial;                   /* of both */
  GstClKernelProperties taken;    /* snapshot of the properties */
  GstClKernelRequest request;     /* snapshot */
  GstClKernelFile *file;          /* that the caps follow; NULL: none is read */
  GstClKernelSettings loaded;     /* that name it */
  GPtrArray *children;            /* GstClKernelParameter */

  gint has_warned; /* atomic: about the formats of upstream */

  /* streaming thread */
  GstClContext *context; /* of the kernels; borrowed */
  GstVideoInfo *in;      /* n_inputs */
  guint n_inputs;
  GstVideoInfo out;
  GstClKernelRunner *runner;
  GstClKernelWatchdog *watchdog;
  guint64 n_frames;
} GstClKernelElement;

/* @self: all zeros. @message_name is a constant. */
void gst_cl_kernel_element_init (GstClKernelElement *self, GstElement *element,
    const gchar *message_name, GstClKernelChangeFunc mark_changed);
void gst_cl_kernel_element_clear (GstClKernelElement *self);

/* Adds the properties to a class that has no others; the functions are
 * GObjectClass.set_property and get_property of that class. Any thread. */
void gst_cl_kernel_element_install (GObjectClass *object_class);
void gst_cl_kernel_element_set_property (GstClKernelElement *self, guint id,
    const GValue *value);
void gst_cl_kernel_element_get_property (GstClKernelElement *self, guint id,
    GValue *value);

/* Reads the file. FALSE with @error. */
gboolean gst_cl_kernel_element_start (GstClKernelElement *self, GError **error);
void gst_cl_kernel_element_stop (GstClKernelElement *self);

/* Copies the properties; the object lock is held. */
void gst_cl_kernel_element_take_settings (GstClKernelElement *self);

/* For GstChildProxy: the parameters of one number. Any thread. */
guint gst_cl_kernel_element_count_children (GstClKernelElement *self);
GObject *gst_cl_kernel_element_get_child (GstClKernelElement *self,
    guint index);

/* Sets the controlled children to their values at @time, a stream time. */
void gst_cl_kernel_element_sync_children (GstClKernelElement *self,
    GstClockTime time);

/* Returns the file that the caps follow; NULL: none is read. transfer full. Any
 * thread. */
GstClKernelFile *gst_cl_kernel_element_ref_file (GstClKernelElement *self);

/* Returns the caps of the output for @structure of the first input, or of the
 * input for that of the output (@direction: of @structure). transfer full. Any
 * thread. */
GstCaps *gst_cl_kernel_element_map_structure (GstClKernelElement *self,
    GstPadDirection direction, const GstStructure *structure);

/* Warns if upstream has only formats that the file does not list: upstream will
 * report that it cannot negotiate, and not why. @answered: a CAPS query of a
 * sink pad. Any thread. */
void gst_cl_kernel_element_check_formats (GstClKernelElement *self,
    GstQuery *answered);

/* Returns @caps (transfer full) of an input without formats that the file does
 * not name in //!FORMATS. transfer full. Any thread. */
GstCaps *gst_cl_kernel_element_restrict_input (GstClKernelElement *self,
    GstCaps *caps);

/* Builds the kernels for frames of these formats. Streaming thread, as what
 * follows. */
gboolean gst_cl_kernel_element_configure (GstClKernelElement *self,
    GstClContext *context, const GstVideoInfo *in, guint n_inputs,
    const GstVideoInfo *out, GError **error);

/* Enqueues the kernels for a frame, and publishes its statistics. @in: n_inputs
 * buffers. @running_times: of these. @segment: of @out, whose times are set. */
gboolean gst_cl_kernel_element_process (GstClKernelElement *self,
    GstClInFlight *frames, GstBuffer *const *in,
    const GstClockTime *running_times, GstBuffer *out,
    const GstSegment *segment, GError **error);

/* The next frame is the stream's first, for GST_CL_PREVIOUS, too. */
void gst_cl_kernel_element_reset (GstClKernelElement *self);

G_END_DECLS
