/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Compiling in a process of its own, gst-opencl-compiler (gst/compiler): it
 * fills the cache of programs, the database of choices and that of self-tests,
 * and this process loads what it needs. A stop does not wait for it, and a
 * compiler that crashes ends that process only. It lives as long as it has
 * requests, also after this process has ended: then with low priority, at most
 * one for a cache folder. It prints nothing.
 *
 * There is none if the cache folder is disabled, if the plugin is not a shared
 * library, or if the program cannot be started. Environment variable
 * GST_OPENCL_COMPILER: the path of the program; empty: there is none. */

/* A request, followed by the bytes of the problem. */
typedef struct {
  gchar version[64]; /* of the plugin and its kernels; another one is refused */
  guint32 id;
  gchar op[24];         /* as in GstClCompileJob */
  gchar device_key[65]; /* gst_cl_cache_device_key() */
  guint platform_index, device_index;
  gint method;
  gboolean may_measure;
  guint problem_bytes;
} GstClCompileRequest;

/* Lines of the answers; the first is READY. A crash between BEGIN and END is
 * one of the implementation whose trial (selftest.h) follows BEGIN. */
#define GST_CL_COMPILE_READY "ready"
#define GST_CL_COMPILE_BEGIN "begin "
#define GST_CL_COMPILE_END   "end"
#define GST_CL_COMPILE_DONE  "done " /* the request's id follows */

/* Sets @version to that of this plugin. */
void gst_cl_compile_request_set_version (GstClCompileRequest *request);

/* The maximum time of a process in seconds. */
#define GST_CL_COMPILE_MAX_SECONDS 120

typedef enum {
  GST_CL_COMPILED,           /* also if the implementation failed with an error,
                               which it does here, too */
  GST_CL_COMPILE_IMPOSSIBLE, /* there is no such process */
  GST_CL_COMPILE_GIVEN_UP,   /* cancelled, or the process ended: compiling in
                               this process has the same end */
} GstClCompileResult;

/* The op of a job that calls gst_cl_local_mean_prebuild(). */
#define GST_CL_COMPILE_PREBUILD "prebuild"

/* What is to be compiled: the preferred row of an op for a problem. */
typedef struct {
  GstClContext *context;
  const gchar *op; /* GstClOpTable.name, or PREBUILD */
  gint method;
  gboolean may_measure;
  gconstpointer problem;
  gsize problem_bytes;
} GstClCompileJob;

/* Compiles @job in the compile process of the context and waits; all threads of
 * the context share a process. If the process crashes, each thread tries again
 * alone, and an implementation that crashes alone, twice in a row, is recorded
 * as failed for the device, its driver and the current kernels, so that the
 * next one is tried. A line at WARNING says if the process has not ended the
 * job. Then the databases of the context are read again. @cancellable may be
 * NULL. Any thread. */
GstClCompileResult gst_cl_compile_process_run (const GstClCompileJob *job,
    GCancellable *cancellable);

/* Requests @job and does not wait. FALSE if there is no such process. Any
 * thread. */
gboolean gst_cl_compile_process_post (const GstClCompileJob *job);

/* Lets the compile process of @context end after its requests, unless threads
 * wait for it, of which the last one does so. Any thread. */
void gst_cl_compile_process_detach (GstClContext *context);

G_END_DECLS
