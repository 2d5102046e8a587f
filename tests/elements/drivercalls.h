/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Calls of OpenCL so far, by this program and by the plugin in it. The program
 * must export its symbols. Any thread. */
typedef struct {
  gint flushes;      /* clFlush() */
  gint waits;        /* clWaitForEvents() */
  gint synchronized; /* clEnqueueMarkerWithWaitList(), and with a barrier */
  gint transfers;    /* clEnqueueReadBuffer(), and for a write */
  gint launches;     /* clEnqueueNDRangeKernel() */
  gint buffers;      /* clCreateBuffer() */
} DriverCalls;

DriverCalls driver_calls_get (void);
