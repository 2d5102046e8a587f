/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The compile process (ops/compileprocess.h): gst-opencl-compiler (main.c)
 * loads the plugin and calls the function of this file. */

#define _GNU_SOURCE /* O_NOFOLLOW, setpriority() */

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cl/cache/gstclcache.h"
#include "cl/cache/gstclfolder.h"
#include "cl/context/gstclprogram.h"
#include "ops/compileprocess.h"
#include "ops/integral/integral.h"
#include "ops/localmean/localmean.h"
#include "ops/selftest.h"
#include "ops/tieredop.h"
#include "statistics/blockiness/blocks.h"
#include "statistics/cells/cells.h"
#include "statistics/compare/errors.h"
#include "statistics/compare/ssim.h"
#include "statistics/compare/xpsnr.h"
#include "statistics/flash/flash.h"
#include "statistics/light/light.h"
#include "statistics/metrics/metrics.h"
#include "statistics/moments/moments.h"
#include "statistics/profiles/profiles.h"
#include "statistics/scopes/scopedraw.h"
#include "statistics/scopes/scopes.h"

static const GstClTieredFuncs *const ops[] = {
  &gst_cl_blocks_tiered,
  &gst_cl_cells_tiered,
  &gst_cl_errors_tiered,
  &gst_cl_flash_tiered,
  &gst_cl_integral_tiered,
  &gst_cl_light_tiered,
  &gst_cl_local_mean_tiered,
  &gst_cl_metrics_tiered,
  &gst_cl_moments_tiered,
  &gst_cl_profiles_tiered,
  &gst_cl_scope_draw_tiered,
  &gst_cl_scopes_tiered,
  &gst_cl_ssim_tiered,
  &gst_cl_xpsnr_tiered,
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

static void send_line (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* Nobody may read it any more. */
static void
send_line (const gchar *format, ...)
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
    send_line (GST_CL_COMPILE_BEGIN "%s\n", trial);
  else
    send_line (GST_CL_COMPILE_END "\n");
}

/* --- requests ------------------------------------------------------------ */

static gboolean
receive_bytes (gint fd, gpointer data, gsize n_bytes)
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
  send_line (GST_CL_COMPILE_DONE "%u\n", work->request.id);
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

/* Returns when no other process without a reader is at work; the lock lasts
 * until this process ends. @waits: FALSE: returns at once. */
static void
lock_folder (gboolean waits)
{
  g_autofree gchar *folder = gst_cl_cache_folder ();
  g_autofree gchar *path = NULL;
  gint fd;

  if (!folder || g_mkdir_with_parents (folder, 0700) != 0 ||
      !gst_cl_folder_check (folder, NULL))
    return;
  path = g_build_filename (folder, LOCK_FILE, NULL);
  fd = open (path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0)
    flock (fd, waits ? LOCK_EX : LOCK_EX | LOCK_NB);
}

/* --- serving -------------------------------------------------------------- */

typedef struct {
  GstClContext *context; /* never freed: threads use it until the process ends;
                            NULL: not needed yet */
  GQueue pending;        /* Work that no thread has begun */
  GPtrArray *threads;
} Server;

/* Reads a request. Returns FALSE if there are no more, or it is not one of this
 * version of the plugin. */
static gboolean
read_request (Server *self)
{
  g_autofree Work *work = g_new0 (Work, 1);
  GstClCompileRequest own = { 0 };

  gst_cl_compile_request_set_version (&own);
  if (!receive_bytes (answers, &work->request, sizeof work->request) ||
      strcmp (work->request.version, own.version) != 0 ||
      !find_op (&work->request, &work->funcs))
    return FALSE;
  work->problem = g_malloc (work->request.problem_bytes);
  if (!receive_bytes (answers, work->problem, work->request.problem_bytes))
    return FALSE;
  g_queue_push_tail (&self->pending, g_steal_pointer (&work));

  return TRUE;
}

/* Begins the pending work. Returns FALSE if the device is another one here. */
static gboolean
start_pending (Server *self)
{
  Work *work;

  while ((work = g_queue_pop_head (&self->pending))) {
    if (!self->context)
      self->context = open_context (&work->request);
    if (!self->context)
      return FALSE;
    if (self->threads->len == 0)
      send_line (GST_CL_COMPILE_READY "\n");
    work->context = self->context;
    g_ptr_array_add (self->threads, g_thread_new ("cl-compile", serve, work));
  }

  return TRUE;
}

/* Returns TRUE if someone may wait for answers: the socket is open, and has no
 * more requests. */
static gboolean
is_waited_for (void)
{
  gchar byte;

  return recv (answers, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Serves the requests that come on @fd, a socket, in threads of their own, and
 * answers there. Returns the exit status when @fd has ended and all requests
 * are served. Once @fd has ended, the process has low priority, and what it has
 * not begun waits until another one like it for the same cache folder has
 * ended. */
G_MODULE_EXPORT gint gst_opencl_compile (gint fd);

gint
gst_opencl_compile (gint fd)
{
  Server self = { .pending = G_QUEUE_INIT };

  setpgid (0, 0); /* Ctrl-C at a terminal is for the application */
  if (!gst_init_check (NULL, NULL, NULL))
    return 1;
  answers = fd;
  self.threads = g_ptr_array_new ();
  gst_cl_self_test_set_reporter (report_trial);
  while (read_request (&self)) {
    if (is_waited_for () && !start_pending (&self))
      return 1;
  }
  if (self.threads->len == 0 && self.pending.length == 0)
    return 1;

  lower_priority ();
  lock_folder (self.threads->len == 0);
  if (!start_pending (&self))
    return 1;
  for (guint i = 0; i < self.threads->len; i++)
    g_thread_join (g_ptr_array_index (self.threads, i));

  return 0;
}
