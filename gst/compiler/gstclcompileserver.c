/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The compile process (ops/compileprocess.h): gst-opencl-compiler (main.c)
 * loads the plugin and calls the function of this file. */

#define _GNU_SOURCE /* O_NOFOLLOW, setpriority() */

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cl/cache/gstclcache.h"
#include "cl/context/gstclprogram.h"
#include "ops/blocks/blocks.h"
#include "ops/cells/cells.h"
#include "ops/compileprocess.h"
#include "ops/flash/flash.h"
#include "ops/integral/integral.h"
#include "ops/light/light.h"
#include "ops/localmean/localmean.h"
#include "ops/metrics/metrics.h"
#include "ops/moments/moments.h"
#include "ops/profiles/profiles.h"
#include "ops/scopedraw/scopedraw.h"
#include "ops/scopes/scopes.h"
#include "ops/selftest.h"
#include "ops/tieredop.h"

static const GstClTieredFuncs *const ops[] = {
  &gst_cl_blocks_tiered,
  &gst_cl_cells_tiered,
  &gst_cl_flash_tiered,
  &gst_cl_integral_tiered,
  &gst_cl_light_tiered,
  &gst_cl_local_mean_tiered,
  &gst_cl_metrics_tiered,
  &gst_cl_moments_tiered,
  &gst_cl_profiles_tiered,
  &gst_cl_scope_draw_tiered,
  &gst_cl_scopes_tiered,
};

#define BACKGROUND_NICE 10
#define LOCK_FILE       "compiling.lock"

typedef struct {
  const GstClTieredFuncs *funcs; /* NULL: programs are built ahead */
  GstClContext *context;         /* borrowed */
  GstClCompileRequest request;
  gpointer problem;
} Work;

static gint answers; /* the file descriptor; a line is one call */

/* --- answers ------------------------------------------------------------- */

static void answer (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* Nobody may read it any more. */
static void
answer (const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (send (answers, text, strlen (text), MSG_NOSIGNAL) < 0)
    return;
}

static void
report_trial (const gchar *trial)
{
  if (trial)
    answer (GST_CL_COMPILE_BEGIN "%s\n", trial);
  else
    answer (GST_CL_COMPILE_END "\n");
}

/* --- requests ------------------------------------------------------------ */

static gboolean
receive (gint fd, gpointer data, gsize n_bytes)
{
  guint8 *at = data;

  while (n_bytes > 0) {
    const gssize n = read (fd, at, n_bytes);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FALSE;
    at += n;
    n_bytes -= (gsize) n;
  }

  return TRUE;
}

/* Sets *@funcs to NULL for GST_CL_COMPILE_PREBUILD. Returns FALSE if there is
 * no such op. */
static gboolean
find_op (const GstClCompileRequest *request, const GstClTieredFuncs **funcs)
{
  *funcs = NULL;
  if (strcmp (request->op, GST_CL_COMPILE_PREBUILD) == 0)
    return request->problem_bytes == sizeof (GstClLocalMeanProblem);

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++) {
    if (strcmp (ops[i]->table->name, request->op) == 0 &&
        ops[i]->problem_bytes == request->problem_bytes) {
      *funcs = ops[i];
      return TRUE;
    }
  }

  return FALSE;
}

/* Returns the context of the requested device; NULL if there is no such device
 * in this process. */
static GstClContext *
open_context (const GstClCompileRequest *request)
{
  g_autoptr (GPtrArray) devices = gst_cl_device_list ();

  for (guint i = 0; i < devices->len; i++) {
    GstClDevice *device = g_ptr_array_index (devices, i);
    g_autofree gchar *key = NULL;

    if (device->unusable || !device->id ||
        device->platform_index != request->platform_index ||
        device->device_index != request->device_index)
      continue;
    key = gst_cl_cache_device_key (device);

    return g_str_equal (key, request->device_key)
               ? gst_cl_context_new (device, FALSE, NULL)
               : NULL;
  }

  return NULL;
}

static gpointer
serve (gpointer user_data)
{
  Work *work = user_data;
  GstClBuildScope scope = { 0 };

  if (work->funcs) {
    gst_cl_tiered_op_prepare (work->funcs, work->context, work->request.method,
        work->problem, work->request.may_measure);
  } else {
    gst_cl_build_scope_enter (&scope, GST_CL_BUILD_BESIDE);
    gst_cl_local_mean_prebuild (work->context, work->request.method,
        work->problem);
    gst_cl_build_scope_leave ();
  }
  answer (GST_CL_COMPILE_DONE "%u\n", work->request.id);
  g_free (work->problem);
  g_free (work);

  return NULL;
}

/* --- low priority -------------------------------------------------------- */

/* setpriority() changes one thread. */
static void
lower_priority (void)
{
  g_autoptr (GDir) threads = g_dir_open ("/proc/self/task", 0, NULL);
  const gchar *name;

  setpriority (PRIO_PROCESS, 0, BACKGROUND_NICE);
  while (threads && (name = g_dir_read_name (threads)))
    setpriority (PRIO_PROCESS, (id_t) atoi (name), BACKGROUND_NICE);
}

/* Returns FALSE if another process without a reader is at work; the lock lasts
 * until this process ends. */
static gboolean
become_background (void)
{
  g_autofree gchar *folder = gst_cl_cache_folder ();
  g_autofree gchar *path = NULL;
  gint fd;

  lower_priority ();
  if (!folder)
    return TRUE;
  path = g_build_filename (folder, LOCK_FILE, NULL);
  fd = open (path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);

  return fd < 0 || flock (fd, LOCK_EX | LOCK_NB) == 0;
}

/* --- public function ----------------------------------------------------- */

/* Serves the requests that come on @fd, a socket, in threads of their own, and
 * answers there. Returns the exit status when @fd has ended and all requests
 * are served. Once @fd has ended, the process has low priority, and ends at
 * once if another one like it is at work in the same cache folder. */
G_MODULE_EXPORT gint gst_opencl_compile (gint fd);

gint
gst_opencl_compile (gint fd)
{
  g_autoptr (GstClContext) context = NULL;
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();
  GstClCompileRequest request;

  setpgid (0, 0); /* Ctrl-C at a terminal is for the application */
  if (!gst_init_check (NULL, NULL, NULL))
    return 1;
  answers = fd;
  gst_cl_self_test_set_reporter (report_trial);
  while (receive (fd, &request, sizeof request)) {
    const GstClTieredFuncs *funcs;
    Work *work;

    if (!context)
      context = open_context (&request);
    if (!find_op (&request, &funcs) || !context)
      return 1;
    if (threads->len == 0)
      answer (GST_CL_COMPILE_READY "\n");
    alarm (GST_CL_COMPILE_MAX_SECONDS);
    work = g_new0 (Work, 1);
    work->funcs = funcs;
    work->context = context;
    work->request = request;
    work->problem = g_malloc (request.problem_bytes);
    if (!receive (fd, work->problem, request.problem_bytes))
      return 1;
    g_ptr_array_add (threads, g_thread_new ("cl-compile", serve, work));
  }

  if (!become_background ())
    return 0;
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (g_ptr_array_index (threads, i));

  return 0;
}
