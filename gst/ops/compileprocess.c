/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests of this process to processes that compile. */

#define _GNU_SOURCE /* dladdr(), realpath() */

#include "compileprocess.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cl/cache/gstclcache.h"
#include "common/gstcldebug.h"
#include "selftest.h"

GST_CL_DEBUG_CATEGORY (gst_cl_compile_debug, "clcompile",
    "Compiling in another process");
#define GST_CAT_DEFAULT gst_cl_compile_debug ()

#define PROGRAM "gst-opencl-compiler"

/* After this many crashes, single implementations are not the cause. */
#define MAX_CRASHES 20

/* A process. processes_lock protects all members but those that are constant.
 */
typedef struct {
  gint refs;
  guint serial;                  /* of its context; constant */
  GSubprocess *process;          /* constant */
  GSocketConnection *connection; /* constant */
  GDataInputStream *answers;     /* constant; one thread at a time reads */
  guint32 last_id;
  guint n_waiting;    /* threads */
  gboolean is_ready;  /* it has loaded the plugin */
  gboolean is_read;   /* a thread reads answers */
  gboolean has_ended; /* no more answers come */
  GHashTable *done;   /* guint32 id */
  GPtrArray *trials;  /* texts behind BEGIN whose END has not come */
} Process;

static GMutex processes_lock; /* all below, and members of processes */
static GCond answered;
static GList *processes;    /* Process that take requests */
static GHashTable *refused; /* gst_cl_cache_device_key() of devices that such
                                a process cannot open; NULL: none */

/* --- the program --------------------------------------------------------- */

/* Returns the file of the plugin; NULL if the plugin is a part of the running
 * program, which the other process cannot load. */
static gchar *
find_plugin (void)
{
  g_autofree gchar *running = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree gchar *path = NULL;
  Dl_info info;

  if (!dladdr ((gpointer) gst_cl_compile_process_run, &info))
    return NULL;
  path = realpath (info.dli_fname, NULL);

  return g_strcmp0 (path, running) == 0 ? NULL : g_steal_pointer (&path);
}

/* Returns the program; NULL if there is none. A plugin that is not installed
 * has it in its folder. */
static gchar *
find_program (const gchar *plugin)
{
  const gchar *named = g_getenv ("GST_OPENCL_COMPILER");
  g_autofree gchar *folder = g_path_get_dirname (plugin);
  g_autofree gchar *beside = g_build_filename (folder, PROGRAM, NULL);

  if (named)
    return named[0] ? g_strdup (named) : NULL;
  if (g_file_test (beside, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer (&beside);
  if (g_file_test (COMPILER_PATH, G_FILE_TEST_IS_EXECUTABLE))
    return g_strdup (COMPILER_PATH);

  return NULL;
}

/* Starts the program with @fd, which it takes, as its input and output. */
static GSubprocess *
spawn (const gchar *program, const gchar *plugin, gint fd, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);

  g_subprocess_launcher_take_stdin_fd (launcher, fd);
  /* it needs no registry, and must not write the log file of this process */
  g_subprocess_launcher_setenv (launcher, "GST_REGISTRY_DISABLE", "yes", TRUE);
  g_subprocess_launcher_setenv (launcher, "GST_OPENCL_COMPILER", "", TRUE);
  g_subprocess_launcher_unsetenv (launcher, "GST_DEBUG");
  g_subprocess_launcher_unsetenv (launcher, "GST_DEBUG_FILE");
  g_subprocess_launcher_unsetenv (launcher, "GST_TRACERS");

  return g_subprocess_launcher_spawn (launcher, error, program,
      G_STRINGIFY (GST_CL_COMPILE_MAX_SECONDS), plugin, NULL);
}

/* --- processes ----------------------------------------------------------- */

static void
unref (Process *self)
{
  if (--self->refs > 0)
    return;

  g_object_unref (self->answers);
  g_object_unref (self->connection);
  g_object_unref (self->process);
  g_hash_table_unref (self->done);
  g_ptr_array_unref (self->trials);
  g_free (self);
}

/* Returns the connection to a new process, and sets *@process; NULL with
 * @error. Transfer full. */
static GSocketConnection *
connect_new (GSubprocess **process, GError **error)
{
  g_autofree gchar *plugin = find_plugin ();
  g_autofree gchar *program = plugin ? find_program (plugin) : NULL;
  g_autoptr (GSocket) socket = NULL;
  gint fds[2];

  if (!program) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "there is no program " PROGRAM);
    return NULL;
  }
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "socketpair: %s", g_strerror (errno));
    return NULL;
  }
  socket = g_socket_new_from_fd (fds[0], error);
  if (!socket) {
    close (fds[0]);
    close (fds[1]);
    return NULL;
  }
  *process = spawn (program, plugin, fds[1], error);

  return *process ? g_socket_connection_factory_create_connection (socket)
                  : NULL;
}

/* Returns TRUE if a process may open the device of @context. processes_lock
 * held */
static gboolean
is_possible (const GstClContext *context)
{
  g_autofree gchar *key = gst_cl_cache_device_key (context->device);

  /* sub-devices have no index */
  return context->device->platform_index != G_MAXUINT &&
         gst_cl_cache_is_on () &&
         !(refused && g_hash_table_contains (refused, key));
}

/* Returns a process without requests; NULL if there is none. Transfer full. */
static Process *
start_process (GstClContext *context)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GSubprocess) process = NULL;
  GSocketConnection *connection;
  Process *self;

  if (!is_possible (context))
    return NULL;
  connection = connect_new (&process, &reason);
  if (!connection) {
    GST_INFO_OBJECT (context, "compiles in this process: %s", reason->message);
    return NULL;
  }

  self = g_new0 (Process, 1);
  self->refs = 1;
  self->serial = context->serial;
  self->process = g_steal_pointer (&process);
  self->connection = connection;
  self->answers = g_data_input_stream_new (
      g_io_stream_get_input_stream (G_IO_STREAM (connection)));
  self->done = g_hash_table_new (NULL, NULL);
  self->trials = g_ptr_array_new_with_free_func (g_free);
  GST_DEBUG_OBJECT (context, "process %s compiles",
      g_subprocess_get_identifier (self->process));

  return self;
}

/* Returns the process that all threads of @context share; NULL if there is
 * none. Transfer none. processes_lock held */
static Process *
find_or_start (GstClContext *context)
{
  Process *self;

  for (GList *i = processes; i; i = i->next) {
    self = i->data;
    if (self->serial == context->serial && !self->has_ended)
      return self;
  }

  self = start_process (context);
  if (self)
    processes = g_list_prepend (processes, self);

  return self;
}

/* No request follows: the process ends after those that it has. processes_lock
 * held */
static void
close_shared (Process *self)
{
  GList *link = g_list_find (processes, self);

  if (!link)
    return;

  processes = g_list_delete_link (processes, link);
  unref (self);
}

/* --- requests ------------------------------------------------------------ */

void
gst_cl_compile_request_set_version (GstClCompileRequest *request)
{
  g_snprintf (request->version, sizeof request->version, "%s %s",
      PACKAGE_VERSION, gst_cl_self_test_kernels ());
}

/* Sends @job and returns the id of the request. A process that has ended is
 * found by the thread that reads its answers. processes_lock held */
static guint32
send_job (Process *self, const GstClCompileJob *job)
{
  const GstClDevice *device = job->context->device;
  GOutputStream *requests = g_io_stream_get_output_stream (
      G_IO_STREAM (self->connection));
  g_autofree gchar *key = gst_cl_cache_device_key (device);
  GstClCompileRequest request = { .id = self->last_id + 1,
    .platform_index = device->platform_index,
    .device_index = device->device_index,
    .method = job->method,
    .may_measure = job->may_measure,
    .problem_bytes = (guint) job->problem_bytes };

  gst_cl_compile_request_set_version (&request);
  g_strlcpy (request.op, job->op, sizeof request.op);
  g_strlcpy (request.device_key, key, sizeof request.device_key);
  if (g_output_stream_write_all (requests, &request, sizeof request, NULL, NULL,
          NULL))
    g_output_stream_write_all (requests, job->problem, job->problem_bytes, NULL,
        NULL, NULL);

  return self->last_id = request.id;
}

/* processes_lock held */
static void
take_answer (Process *self, const gchar *line)
{
  if (g_str_equal (line, GST_CL_COMPILE_READY))
    self->is_ready = TRUE;
  else if (g_str_has_prefix (line, GST_CL_COMPILE_DONE))
    g_hash_table_add (self->done,
        GUINT_TO_POINTER (atoi (line + strlen (GST_CL_COMPILE_DONE))));
  else if (g_str_has_prefix (line, GST_CL_COMPILE_BEGIN))
    g_ptr_array_add (self->trials,
        g_strdup (line + strlen (GST_CL_COMPILE_BEGIN)));
  else if (self->trials->len > 0)
    g_ptr_array_set_size (self->trials, (gint) self->trials->len - 1);
}

/* Reads one answer for all threads. processes_lock held; it is released
 * meanwhile */
static void
read_answer (Process *self, GCancellable *cancellable)
{
  g_autofree gchar *line = NULL;
  g_autoptr (GError) reason = NULL;

  self->is_read = TRUE;
  g_mutex_unlock (&processes_lock);
  line = g_data_input_stream_read_line (self->answers, NULL, cancellable,
      &reason);
  g_mutex_lock (&processes_lock);
  self->is_read = FALSE;
  if (line)
    take_answer (self, line);
  else if (!g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    self->has_ended = TRUE;
  g_cond_broadcast (&answered);
}

/* Waits for the request @id. processes_lock held */
static gboolean
wait_until_done (Process *self, guint32 id, GCancellable *cancellable)
{
  while (!g_hash_table_contains (self->done, GUINT_TO_POINTER (id))) {
    if (self->has_ended || g_cancellable_is_cancelled (cancellable))
      return FALSE;
    if (self->is_read)
      g_cond_wait (&answered, &processes_lock);
    else
      read_answer (self, cancellable);
  }

  return TRUE;
}

static void
wake (GCancellable *cancellable, gpointer user_data)
{
  g_mutex_lock (&processes_lock);
  g_cond_broadcast (&answered);
  g_mutex_unlock (&processes_lock);
}

/* --- the end of a process ------------------------------------------------- */

/* Returns TRUE if the process, which has ended without the answer READY, could
 * not open the device or load the plugin; remembers that. */
static gboolean
has_refused (Process *self, GstClContext *context, GCancellable *cancellable)
{
  g_subprocess_wait (self->process, cancellable, NULL);
  if (g_cancellable_is_cancelled (cancellable) ||
      !g_subprocess_get_if_exited (self->process))
    return FALSE;

  g_mutex_lock (&processes_lock);
  if (!refused)
    refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (g_hash_table_add (refused, gst_cl_cache_device_key (context->device)))
    GST_WARNING_OBJECT (context,
        "compiles in this process: %s does not "
        "load this version of the plugin, or does not find the device",
        PROGRAM);
  g_mutex_unlock (&processes_lock);

  return TRUE;
}

/* Returns TRUE if the process ended by itself, and not by a signal of a user,
 * of a limit or of its alarm. */
static gboolean
has_crashed (Process *self, GCancellable *cancellable)
{
  g_subprocess_wait (self->process, cancellable, NULL);
  if (g_cancellable_is_cancelled (cancellable))
    return FALSE;
  if (g_subprocess_get_if_exited (self->process))
    return g_subprocess_get_exit_status (self->process) != 0;

  switch (g_subprocess_get_term_sig (self->process)) {
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGSEGV:
    case SIGTRAP:
      return TRUE;
    default:
      return FALSE;
  }
}

/* Compiles @job in a process without other requests. Sets *@trial to the
 * innermost implementation with which the process has crashed, or to NULL. */
static GstClCompileResult
try_alone (const GstClCompileJob *job, GCancellable *cancellable, gchar **trial)
{
  gboolean is_done;
  Process *self;

  *trial = NULL;
  g_mutex_lock (&processes_lock);
  self = start_process (job->context);
  is_done = self && wait_until_done (self, send_job (self, job), cancellable);
  g_mutex_unlock (&processes_lock);
  if (!is_done && self && self->trials->len > 0 &&
      has_crashed (self, cancellable))
    *trial = g_strdup (g_ptr_array_index (self->trials, self->trials->len - 1));
  g_clear_pointer (&self, unref);

  return is_done ? GST_CL_COMPILED : GST_CL_COMPILE_GIVEN_UP;
}

/* After a crash of the process of all threads. */
static GstClCompileResult
run_alone (const GstClCompileJob *job, GCancellable *cancellable)
{
  g_autofree gchar *last = NULL;

  for (guint i = 0; i < MAX_CRASHES; i++) {
    g_autofree gchar *trial = NULL;

    if (try_alone (job, cancellable, &trial) == GST_CL_COMPILED)
      return GST_CL_COMPILED;
    if (!trial)
      break;
    if (g_strcmp0 (trial, last) == 0 &&
        !gst_cl_self_test_record_crash (job->context, trial))
      break;
    g_free (last);
    last = g_steal_pointer (&trial);
  }

  return GST_CL_COMPILE_GIVEN_UP;
}

/* --- public functions ---------------------------------------------------- */

static GstClCompileResult
run_shared (const GstClCompileJob *job, GCancellable *cancellable)
{
  GstClCompileResult result = GST_CL_COMPILE_GIVEN_UP;
  Process *self;

  g_mutex_lock (&processes_lock);
  self = find_or_start (job->context);
  if (!self) {
    g_mutex_unlock (&processes_lock);
    return GST_CL_COMPILE_IMPOSSIBLE;
  }
  self->refs++;
  self->n_waiting++;
  if (wait_until_done (self, send_job (self, job), cancellable))
    result = GST_CL_COMPILED;
  if (--self->n_waiting == 0)
    close_shared (self);
  g_mutex_unlock (&processes_lock);

  if (result != GST_CL_COMPILED && !g_cancellable_is_cancelled (cancellable)) {
    if (self->is_ready)
      result = run_alone (job, cancellable);
    else if (has_refused (self, job->context, cancellable))
      result = GST_CL_COMPILE_IMPOSSIBLE;
  }
  g_mutex_lock (&processes_lock);
  unref (self);
  g_mutex_unlock (&processes_lock);

  return result;
}

GstClCompileResult
gst_cl_compile_process_run (const GstClCompileJob *job,
    GCancellable *cancellable)
{
  GstClCompileResult result;
  gulong handler = 0;

  gst_cl_compile_debug ();
  if (cancellable)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (wake), NULL,
        NULL);
  result = run_shared (job, cancellable);
  g_cancellable_disconnect (cancellable, handler);

  if (result == GST_CL_COMPILED) {
    gst_cl_tuning_db_reload (job->context->tuning_db);
    gst_cl_tuning_db_reload (job->context->verdicts);
  } else if (result == GST_CL_COMPILE_GIVEN_UP &&
             !g_cancellable_is_cancelled (cancellable)) {
    GST_WARNING_OBJECT (job->context,
        "%s for %s (%s, driver %s): the process that compiles has crashed, was "
        "killed, or took longer than %d s",
        job->op, job->context->device->name,
        job->context->device->platform_name,
        job->context->device->driver_version, GST_CL_COMPILE_MAX_SECONDS);
  }

  return result;
}

gboolean
gst_cl_compile_process_post (const GstClCompileJob *job)
{
  Process *self;

  gst_cl_compile_debug ();
  g_mutex_lock (&processes_lock);
  self = find_or_start (job->context);
  if (self)
    send_job (self, job);
  g_mutex_unlock (&processes_lock);

  return self != NULL;
}

void
gst_cl_compile_process_detach (GstClContext *context)
{
  g_mutex_lock (&processes_lock);
  for (GList *i = processes, *next; i; i = next) {
    Process *self = i->data;

    next = i->next;
    if (self->serial == context->serial && self->n_waiting == 0)
      close_shared (self);
  }
  g_mutex_unlock (&processes_lock);
}
