/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A thread that calls a function when an element has been idle for 2 ms. It
 * sleeps while the element works. Environment variable GST_OPENCL_IDLE_TIME:
 * another time, in microseconds; 0: the function is never called. */
typedef struct _GstClIdle GstClIdle;

/* Returns TRUE to be called again after another interval, FALSE if nothing is
 * left to do until gst_cl_idle_begin(). */
typedef gboolean (*GstClIdleFunc) (gpointer user_data);

/* transfer full. The thread begins with the first idle time; if none can be
 * created, @func is not called. */
GstClIdle *gst_cl_idle_new (GstClIdleFunc func, gpointer user_data);

/* Waits until a running call of the function returns. Not from this function.
 * Accepts NULL. */
void gst_cl_idle_free (GstClIdle *self);

/* The element has become idle, or works again. A call of the function may still
 * run when gst_cl_idle_end() returns. Any thread. */
void gst_cl_idle_begin (GstClIdle *self);
void gst_cl_idle_end (GstClIdle *self);

G_END_DECLS
