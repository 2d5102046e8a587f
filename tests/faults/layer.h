/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "entrypoints.h"

G_BEGIN_DECLS

/* A layer between the plugin and the OpenCL loader. It counts the calls of the
 * plugin, and makes some of them fail. A program that links it must export its
 * symbols; clfault.c loads it into another program. Any thread. */

typedef enum {
  FAULT_CODE,  /* the call returns an error code and does nothing */
  FAULT_EVENT, /* the command is enqueued, but does nothing and fails: its event
                * has a negative status; without an event all later commands of
                * its queue fail, as with drivers that lose a context */
  FAULT_NULL,  /* a map or an allocation returns NULL with CL_SUCCESS */
  FAULT_SLOW,  /* a build takes layer_set_build_ms() longer */
  FAULT_DEVICE_LOST, /* this call and all later calls fail, except releases */
  N_FAULT_KINDS
} FaultKind;

typedef enum {
  TIMES_ONCE, /* call number @at since the fault was armed */
  TIMES_EACH, /* each call whose number is a multiple of @at */
  TIMES_ON,   /* call number @at and all later calls of the function */
  N_TIMES
} FaultTimes;

typedef struct {
  EntryPoint entry;
  FaultKind kind;
  cl_int code; /* also the status of the event, and the code of a lost device */
  FaultTimes times;
  guint at; /* from 1 */
  EntryPoint after;
  guint n_after; /* calls count from call number @n_after of @after on */
} Fault;

/* Sets how much longer a build takes with FAULT_SLOW. */
void layer_set_build_ms (guint build_ms);

/* Makes calls fail as @fault (copied) describes, until layer_disarm(). */
void layer_arm (const Fault *fault);

/* Ends all failures. Returns how many calls have failed since layer_arm(). */
guint layer_disarm (void);

/* Lets all calls of @entry return @code and do nothing; CL_SUCCESS: they work
 * again. */
void layer_fail (EntryPoint entry, cl_int code);

/* layer_fail() for clWaitForEvents() and clFinish(), with
 * CL_DEVICE_NOT_AVAILABLE. */
void layer_fail_waits (gboolean fail);

/* Returns the number of calls of @entry since the last layer_take_counts(). */
guint layer_count (EntryPoint entry);

/* Returns TRUE if the last call of clFinish() has failed: it is unknown whether
 * the device is idle. */
gboolean layer_is_finish_failing (void);

/* Records that a call of clFinish() returns @code; returns @code. For
 * wrappers.c. */
cl_int layer_note_finish (cl_int code);

/* Adds the number of calls of each function since the last layer_take_counts()
 * to @counts (N_ENTRY_POINTS). */
void layer_take_counts (guint *counts);

/* --- for wrappers.c ------------------------------------------------------ */

typedef struct {
  gboolean fails;
  FaultKind kind; /* FAULT_CODE if the device is lost */
  cl_int code;
} Verdict;

/* Counts a call; returns the verdict on it. Sleeps for FAULT_SLOW. */
Verdict layer_enter (EntryPoint entry);

/* --- commands that fail --------------------------------------------------- */

/* Registers a command of @queue that waits for @events. It fails with @code;
 * CL_SUCCESS: it fails only if one of @events or an earlier command of the
 * queue has failed. @event: its event, or NULL. */
void layer_add_command (cl_command_queue queue, cl_uint n_events,
    const cl_event *events, cl_int code, cl_event event);

/* Returns the final status of @event: CL_COMPLETE or negative. */
cl_int layer_event_status (cl_event event);

/* Returns CL_SUCCESS or, after a failed command without an event, its code. */
cl_int layer_queue_status (cl_command_queue queue);

/* Call it when the queue or the event is released. */
void layer_forget_queue (cl_command_queue queue);
void layer_forget_event (cl_event event);

G_END_DECLS
