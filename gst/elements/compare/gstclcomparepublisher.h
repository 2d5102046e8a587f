/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "output/gstclrecord.h"

G_BEGIN_DECLS

/* Publishes results as element messages and as lines of a file. Embedded in the
 * element; streaming thread, unless a function says otherwise. */
typedef struct {
  GstElement *element; /* borrowed */
  GMutex lock;         /* protects record */
  GstClRecord *record; /* NULL: no file */
  gboolean has_failed; /* the failure to write has been posted */
} GstClComparePublisher;

void gst_cl_compare_publisher_init (GstClComparePublisher *self,
    GstElement *element);
void gst_cl_compare_publisher_clear (GstClComparePublisher *self);

/* Opens the file @location (NULL or empty: none). Returns FALSE after it has
 * posted an error. */
gboolean gst_cl_compare_publisher_open (GstClComparePublisher *self,
    const gchar *location);
/* Closes the file; posts a failure. */
void gst_cl_compare_publisher_close (GstClComparePublisher *self);

/* While @is_flushing, and after cancel(), no call waits for the reader of the
 * file. Any thread. */
void gst_cl_compare_publisher_set_flushing (GstClComparePublisher *self,
    gboolean is_flushing);
void gst_cl_compare_publisher_cancel (GstClComparePublisher *self);

/* Writes a line of @structure (transfer full), and posts it if @is_posted.
 * Returns FALSE after it has posted an error of the file. */
gboolean gst_cl_compare_publisher_publish (GstClComparePublisher *self,
    GstClRecordKind kind, GstStructure *structure, gboolean is_posted);

G_END_DECLS
