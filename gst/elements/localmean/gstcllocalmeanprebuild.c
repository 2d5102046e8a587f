/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds programs in advance. */

#include "gstcllocalmeanprebuild.h"

#include <gio/gio.h>

#include "cl/cache/gstclcache.h"
#include "cl/context/gstclprogram.h"
#include "elements/base/gstclworker.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_local_mean_debug);
#define GST_CAT_DEFAULT gst_cl_local_mean_debug

/* Work for one runner. The worker owns it, except for the cancellable. */
typedef struct {
  GCancellable *cancellable;
  gint64 due_us; /* on the monotonic clock */
  GstClLocalMeanNeeds needs;
} Job;

struct _GstClLocalMeanPrebuild {
  GstClContext *context;
  GstClWorker *worker;       /* NULL: no job yet */
  GCancellable *cancellable; /* the latest job's; NULL: none yet */
  GstClLocalMeanNeeds needs; /* the latest job's */
};

static gboolean
is_on (void)
{
  const gchar *wish = g_getenv ("GST_OPENCL_PREPARE");

  return wish && wish[0] ? !g_str_equal (wish, "0") : gst_cl_cache_is_on ();
}

/* Returns FALSE if @job was cancelled. */
static gboolean
wait_until_due (const Job *job)
{
  GPollFD fd;

  if (!g_cancellable_make_pollfd (job->cancellable, &fd))
    return !g_cancellable_is_cancelled (job->cancellable);

  for (;;) {
    const gint64 rest_us = job->due_us - g_get_monotonic_time ();

    if (rest_us <= 0 || g_cancellable_is_cancelled (job->cancellable))
      break;
    g_poll (&fd, 1, (gint) (rest_us / 1000 + 1));
  }
  g_cancellable_release_fd (job->cancellable);

  return !g_cancellable_is_cancelled (job->cancellable);
}

/* Runs in the worker's thread. */
static void
build_programs (Job *job, GstClContext *context)
{
  const GstClLocalMeanNeeds *needs = &job->needs;
  const gint64 start = g_get_monotonic_time ();
  GstClBuildScope scope = { 0 };

  g_cancellable_push_current (job->cancellable);
  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_BESIDE);
  for (guint i = 0; i < needs->n_problems; i++)
    gst_cl_local_mean_prebuild (context, needs->method, &needs->problems[i]);
  gst_cl_build_scope_leave ();
  g_cancellable_pop_current (job->cancellable);

  GST_DEBUG_OBJECT (context, "%s in %" G_GINT64_FORMAT " us",
      g_cancellable_is_cancelled (job->cancellable) ? "cancelled" : "prepared",
      g_get_monotonic_time () - start);
}

static void
do_job (gpointer item, gpointer user_data)
{
  Job *job = item;

  if (wait_until_due (job))
    build_programs (job, user_data);
  g_object_unref (job->cancellable);
  g_free (job);
}

/* --- public functions ----------------------------------------------------- */

GstClLocalMeanPrebuild *
gst_cl_local_mean_prebuild_new (GstClContext *context)
{
  GstClLocalMeanPrebuild *self;

  if (!is_on ())
    return NULL;

  self = g_new0 (GstClLocalMeanPrebuild, 1);
  self->context = gst_object_ref (context);

  return self;
}

static void
cancel (GstClLocalMeanPrebuild *self)
{
  if (self->cancellable)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

void
gst_cl_local_mean_prebuild_free (GstClLocalMeanPrebuild *self)
{
  if (!self)
    return;

  cancel (self);
  gst_cl_worker_free (self->worker);
  gst_object_unref (self->context);
  g_free (self);
}

void
gst_cl_local_mean_prebuild_start (GstClLocalMeanPrebuild *self,
    const GstClLocalMeanRunner *runner)
{
  const GstClLocalMeanNeeds *needs = gst_cl_local_mean_runner_get_needs (
      runner);
  Job *job;

  if (!self)
    return;

  if (self->cancellable && gst_cl_local_mean_needs_equal (needs, &self->needs))
    return;

  cancel (self);
  self->cancellable = g_cancellable_new ();
  self->needs = *needs;
  job = g_new (Job, 1);
  job->cancellable = g_object_ref (self->cancellable);
  job->due_us = g_get_monotonic_time () + GST_CL_PREBUILD_DELAY_US;
  job->needs = *needs;
  if (!self->worker)
    self->worker = gst_cl_worker_new ("cl-prebuild", G_MAXUINT, do_job,
        self->context);
  gst_cl_worker_push (self->worker, job);
}
