/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <CL/cl.h>
#include <glib.h>

/* Makes launches that wait for an event fail, as some drivers do. */

typedef enum {
  LAUNCHES_RUN,         /* the driver decides */
  LAUNCHES_ARE_DROPPED, /* the call returns CL_SUCCESS, no kernel runs, and no
                         * event is created: as with drivers that skip a
                         * command after a failed event and run the next */
  LAUNCHES_ARE_REFUSED, /* with CL_OUT_OF_RESOURCES */
} LaunchFault;

/* Sets the fault of later launches that wait for @event. Any thread. */
void launch_fault_set (LaunchFault fault, cl_event event);

/* Refuses the next @n launches that wait for any event. Any thread. */
void launch_fault_refuse (guint n);
