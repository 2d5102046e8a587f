/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "entrypoints.h"

G_BEGIN_DECLS

/* A layer between the plugin and the OpenCL loader in a program that links
 * layer.c and wrappers.c and exports its symbols. Counts calls, and makes some
 * of them fail. Any thread. */

typedef enum {
  WAY_CODE,   /* the call returns a code and does nothing */
  WAY_EVENT,  /* the command is accepted, but does nothing and ends negative:
               * its event has the status; without an event all later commands
               * of its queue end so, as with drivers that lose a context */
  WAY_NULL,   /* a map or an allocation returns NULL with CL_SUCCESS */
  WAY_SLOW,   /* a build takes layer_set_build_ms() longer */
  WAY_VANISH, /* this call and all later calls fail, except releases */
  N_WAYS
} FaultWay;

typedef enum {
  TIMES_ONCE, /* call number @at since the fault was armed */
  TIMES_EACH, /* each call whose number is a multiple of @at */
  TIMES_ON,   /* call number @at and all later calls of the function */
  N_TIMES
} FaultTimes;

typedef struct {
  EntryPoint entry;
  FaultWay way;
  cl_int code; /* also the status of the event, and the code of a lost device */
  FaultTimes times;
  guint at; /* from 1 */
} Fault;

void layer_set_build_ms (guint build_ms);

/* From now on calls fail as described by @fault (copied), until
 * layer_disarm(). */
void layer_arm (const Fault *fault);

/* Ends all failures. Returns how many calls have failed since layer_arm(). */
guint layer_disarm (void);

/* Returns TRUE if the last call of clFinish() has failed: it is unknown whether
 * the device is idle. */
gboolean layer_is_finish_failing (void);

/* A call of clFinish() returns @code. For wrappers.c. */
cl_int layer_note_finish (cl_int code);

/* Adds to @counts (N_ENTRY_POINTS) the calls since the last time. */
void layer_take_counts (guint *counts);

/* --- for wrappers.c ------------------------------------------------------ */

typedef struct {
  gboolean fails;
  FaultWay way; /* WAY_CODE for a lost device */
  cl_int code;
} Verdict;

/* Counts a call; returns the verdict on it. Sleeps for WAY_SLOW. */
Verdict layer_enter (EntryPoint entry);

/* --- commands that end negative ------------------------------------------ */

/* Registers a command of @queue that waits for @events and fails with @code;
 * CL_SUCCESS: not by itself. @event: its event, or NULL. */
void layer_take_command (cl_command_queue queue, cl_uint n_events,
    const cl_event *events, cl_int code, cl_event event);

/* Returns the final status of @event: CL_COMPLETE or negative. */
cl_int layer_event_status (cl_event event);

/* Returns CL_SUCCESS or, after a failed command without an event, its code. */
cl_int layer_queue_status (cl_command_queue queue);

void layer_forget_queue (cl_command_queue queue);

void layer_forget_event (cl_event event);

G_END_DECLS
