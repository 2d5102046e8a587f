/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <CL/cl.h>
#include <glib.h>

/* Launches that wait for an event, as drivers treat them that fail. */

typedef enum {
  LAUNCHES_RUN, /* unless the event has failed, and the driver lets them fail */
  LAUNCHES_ARE_DROPPED, /* as after a failed event, by a driver that lets what
                           follows in the queue run */
  LAUNCHES_ARE_REFUSED, /* with CL_OUT_OF_RESOURCES */
} LaunchFault;

/* From now on, what becomes of launches that wait for @event. Any thread. */
void launch_fault_set (LaunchFault fault, cl_event event);

/* The next @n launches that wait for anything are refused. Any thread. */
void launch_fault_refuse (guint n);
