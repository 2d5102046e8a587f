/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <CL/cl.h>
#include <glib.h>

/* Results of launches that wait for an event, as in drivers that fail them. */

typedef enum {
  LAUNCHES_RUN, /* unless the event has failed, and the driver lets them fail */
  LAUNCHES_ARE_DROPPED, /* after a failed event, with a driver that continues
                         * with the next commands of the queue */
  LAUNCHES_ARE_REFUSED, /* with CL_OUT_OF_RESOURCES */
} LaunchFault;

/* From now on, sets the result of launches that wait for @event. Any thread. */
void launch_fault_set (LaunchFault fault, cl_event event);

/* The next @n launches that wait for any event are refused. Any thread. */
void launch_fault_refuse (guint n);
