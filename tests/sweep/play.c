/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small stream in phases. */

#include "play.h"

#include "faults/objects.h"

#include <stdlib.h>
#include <string.h>

static const gchar *const phase_names[N_PHASES] = { "open", "first", "steady",
  "renegotiate", "flush", "seek", "stop" };

const gchar *
phase_name (Phase phase)
{
  return phase_names[phase];
}

/* --- log ------------------------------------------------------------------ */

static GMutex log_lock; /* all below */
static GString *criticals;
static gboolean keeps_memory;

static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields,
    gpointer user_data)
{
  if (level &
      (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) {
    g_autofree gchar *text = g_log_writer_format_fields (level, fields,
        n_fields, FALSE);

    g_mutex_lock (&log_lock);
    g_string_append (criticals, text);
    g_mutex_unlock (&log_lock);
  }

  return g_log_writer_default (level, fields, n_fields, user_data);
}

static void
note_quarantine (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  if (!g_str_equal (gst_debug_category_get_name (category), "clquarantine"))
    return;

  g_mutex_lock (&log_lock);
  keeps_memory = TRUE;
  g_mutex_unlock (&log_lock);
}

static gchar *
take_log (gboolean *kept)
{
  gchar *text = NULL;

  g_mutex_lock (&log_lock);
  if (criticals->len > 0)
    text = g_strdup (criticals->str);
  g_string_set_size (criticals, 0);
  *kept = keeps_memory;
  keeps_memory = FALSE;
  g_mutex_unlock (&log_lock);

  return text;
}

/* --- the watchdog -------------------------------------------------------- */

static GMutex watch_lock; /* all below */
static GCond watch_changed;
static const gchar *watched;    /* name of the stream; NULL: none plays */
static gint64 watched_until_us; /* end of its timeout */
static guint watch_seconds;

static gpointer
watch (gpointer user_data)
{
  g_mutex_lock (&watch_lock);
  for (;;) {
    if (!watched) {
      g_cond_wait (&watch_changed, &watch_lock);
    } else if (g_get_monotonic_time () < watched_until_us) {
      g_cond_wait_until (&watch_changed, &watch_lock, watched_until_us);
    } else {
      g_printerr ("%s: the stream has not ended after %u seconds\n", watched,
          watch_seconds);
      abort ();
    }
  }

  return NULL;
}

/* Starts the timeout of the stream @name; NULL: no stream plays. */
static void
set_watched (const gchar *name)
{
  g_mutex_lock (&watch_lock);
  watched = name;
  watched_until_us = g_get_monotonic_time () +
                     watch_seconds * G_TIME_SPAN_SECOND;
  g_cond_broadcast (&watch_changed);
  g_mutex_unlock (&watch_lock);
}

/* --- the environment ----------------------------------------------------- */

static const gchar *cache_folder;

void
play_init (guint seconds, const gchar *cache)
{
  criticals = g_string_new (NULL);
  cache_folder = cache;
  watch_seconds = seconds;
  g_log_set_writer_func (write_log, NULL, NULL);
  gst_debug_add_log_function (note_quarantine, NULL, NULL);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_for_name ("clquarantine", GST_LEVEL_DEBUG);
  g_thread_unref (g_thread_new ("watchdog", watch, NULL));
}

static void
use_cache (const Setting *setting)
{
  static guint n_folders;
  g_autofree gchar *folder = NULL;

  if (setting->is_empty_cache)
    folder = g_strdup_printf ("%s/%u", cache_folder, n_folders++);
  else if (setting->is_cached)
    folder = g_build_filename (cache_folder, "kept", NULL);
  g_setenv ("GST_OPENCL_CACHE_DIR", folder ? folder : "", TRUE);
}

void
play_use (const Setting *setting, gboolean is_unified)
{
  g_setenv ("GST_OPENCL_HOST_UNIFIED", is_unified ? "1" : "0", TRUE);
  g_setenv ("GST_OPENCL_PREPARE", setting->prepares ? "1" : "0", TRUE);
  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  g_setenv ("GST_OPENCL_SELF_TEST", "0", TRUE);
  g_setenv ("GST_OPENCL_QUICK_START", setting->starts_quickly ? "1" : "0",
      TRUE);
}

/* An application's own objects. */
typedef struct {
  cl_context context;
  cl_command_queue queue;
} OwnContext;

static OwnContext
create_own_context (void)
{
  cl_platform_id platforms[8];
  cl_device_id device = NULL;
  cl_uint n = 0;
  OwnContext own;

  clGetPlatformIDs (G_N_ELEMENTS (platforms), platforms, &n);
  for (cl_uint i = 0; i < n && !device; i++)
    clGetDeviceIDs (platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  own.context = clCreateContext (NULL, 1, &device, NULL, NULL, NULL);
  own.queue = clCreateCommandQueue (own.context, device, 0, NULL);

  return own;
}

static void
set_own_context (GstElement *element, const OwnContext *own)
{
  g_autoptr (GstContext) context = gst_context_new ("gst.cl.context", TRUE);

  gst_structure_set (gst_context_writable_structure (context), "cl-context",
      G_TYPE_POINTER, own->context, "cl-queue", G_TYPE_POINTER, own->queue,
      NULL);
  gst_element_set_context (element, context);
}

/* --- phases -------------------------------------------------------------- */

#define WIDTH        64
#define HEIGHT       48
#define OTHER_WIDTH  33
#define OTHER_HEIGHT 17

/* FALSE: a push or a state change has failed. */
static gboolean
play_phase (Line *line, Phase phase)
{
  GstFlowReturn flow = GST_FLOW_OK;

  switch (phase) {
    case PHASE_OPEN:
      return line_open (line);
    case PHASE_FIRST:
      line_set_size (line, WIDTH, HEIGHT);
      break;
    case PHASE_STEADY:
      for (guint i = 0; i < N_LAYOUTS && flow == GST_FLOW_OK; i++)
        flow = line_push (line, i);
      break;
    case PHASE_RENEGOTIATE:
      line_set_size (line, OTHER_WIDTH, OTHER_HEIGHT);
      flow = line_push (line, LAYOUT_PADDED);
      break;
    case PHASE_FLUSH:
      line_flush (line);
      break;
    case PHASE_SEEK:
      line_seek (line);
      break;
    default:
      line_push_eos (line);
      return TRUE;
  }
  if (flow == GST_FLOW_OK)
    flow = line_push (line, LAYOUT_PLAIN);
  line_drain (line);

  return flow == GST_FLOW_OK;
}

/* A stream that has been played. */
typedef struct {
  gchar *results[N_PHASES]; /* NULL: the phase was not played */
  gboolean has_ended_early;
  guint n_unreadable;
  guint n_failed;
  gboolean stops;
  GPtrArray *errors; /* GstMessage */
} Played;

static void
clear_played (Played *played)
{
  for (guint i = 0; i < N_PHASES; i++)
    g_free (played->results[i]);
  g_clear_pointer (&played->errors, g_ptr_array_unref);
}

/* Plays the phases up to @last, and PHASE_STOP. @fault (may be NULL) is armed
 * when @phase begins. @n_calls (may be NULL) receives the number of calls of
 * each phase. */
static void
play_line (const Setting *setting, Phase phase, const Fault *fault, Phase last,
    guint (*n_calls)[N_ENTRY_POINTS], Played *played)
{
  guint ignored[N_ENTRY_POINTS] = { 0 };
  OwnContext own = { 0 };
  Line *line;

  use_cache (setting);
  if (setting->in_application)
    own = create_own_context ();
  line = line_new (&setting->line);
  if (setting->in_application)
    set_own_context (line_element (line), &own);
  layer_take_counts (ignored);

  for (Phase i = 0; i < N_PHASES; i++) {
    if (i > last && i < PHASE_STOP)
      continue;
    if (fault && i == phase)
      layer_arm (fault);
    if (!played->has_ended_early || i == PHASE_STOP)
      played->has_ended_early |= !play_phase (line, i);
    if (i == PHASE_STOP)
      played->stops = line_stop (line);
    played->results[i] = line_take_results (line);
    if (n_calls)
      layer_take_counts (n_calls[i]);
  }

  played->n_unreadable = line_n_unreadable (line);
  played->errors = g_ptr_array_ref ((GPtrArray *) line_errors (line));
  line_free (line);
  /* the errors hold references to the elements */
  if (fault)
    played->n_failed = layer_disarm ();
  if (setting->in_application) {
    clReleaseCommandQueue (own.queue);
    clReleaseContext (own.context);
  }
}

/* --- checks --------------------------------------------------------------- */

/* Returns NULL if @message comes from an element of the plugin and names the
 * OpenCL code; otherwise a description of the failure, g_free(). */
static gchar *
check_error (GstMessage *message)
{
  const gchar *type = G_OBJECT_TYPE_NAME (GST_MESSAGE_SRC (message));
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  gst_message_parse_error (message, &error, &debug);
  if (!g_str_has_prefix (type, "GstCl"))
    return g_strdup_printf (
        "expected an error of an element of the plugin, found one of %s: %s",
        type, error->message);
  if (strstr (error->message, "unknown"))
    return g_strdup_printf ("the error does not name its cause: %s",
        error->message);
  if (strstr (error->message, "CL_") || (debug && strstr (debug, "CL_")) ||
      strstr (error->message, "does not describe itself") ||
      strstr (error->message, "no OpenCL device"))
    return NULL;

  return g_strdup_printf ("the error names no OpenCL code: %s (%s)",
      error->message, debug ? debug : "");
}

/* Compares the results of all phases. NULL: they are equal; otherwise a
 * description of the first difference, g_free(). */
static gchar *
compare_results (const Reference *reference, const Played *played)
{
  for (guint i = 0; i < N_PHASES; i++) {
    if (g_strcmp0 (reference->results[i], played->results[i]) != 0)
      return g_strdup_printf ("results of phase %s:\n%sexpected:\n%s",
          phase_name (i), played->results[i], reference->results[i]);
  }

  return NULL;
}

/* Returns NULL if @errors are one correct error of the plugin, and errors of
 * queue elements, which may follow it; otherwise a description of the failure,
 * g_free(). */
static gchar *
check_errors (const GPtrArray *errors)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_errors = 0;

  for (guint i = 0; i < errors->len; i++) {
    GstMessage *message = g_ptr_array_index (errors, i);
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    n_errors += i == 0 ||
                strcmp (G_OBJECT_TYPE_NAME (GST_MESSAGE_SRC (message)),
                    "GstQueue") != 0;
    g_string_append_printf (text, "\n%s: %s",
        GST_OBJECT_NAME (GST_MESSAGE_SRC (message)), error->message);
  }
  if (n_errors > 1)
    return g_strdup_printf ("expected one error, found %u:%s", n_errors,
        text->str);

  return check_error (g_ptr_array_index (errors, 0));
}

static gchar *
check_stream (const Reference *reference, const Played *played,
    Outcome *outcome)
{
  gchar *fault;

  *outcome = OUTCOME_WRONG;
  if (!played->stops)
    return g_strdup ("the change to NULL fails");
  if (played->errors->len > 0) {
    fault = check_errors (played->errors);
    *outcome = fault ? OUTCOME_WRONG : OUTCOME_ERROR;
    return fault;
  }
  if (played->has_ended_early)
    return g_strdup (
        "a push or a state change fails, but there is no error message");
  if (played->n_unreadable > 0) {
    *outcome = OUTCOME_UNREADABLE;
    return NULL;
  }
  fault = compare_results (reference, played);
  *outcome = fault ? OUTCOME_WRONG : OUTCOME_RIGHT;

  return fault;
}

/* Appends @what and @reason (transfer full; NULL: appends nothing) to
 * *fault. */
static void
append_failure (gchar **fault, const gchar *what, gchar *reason)
{
  gchar *before = *fault;

  if (!reason)
    return;
  *fault = before ? g_strdup_printf ("%s; %s%s", before, what, reason)
                  : g_strdup_printf ("%s%s", what, reason);
  g_free (before);
  g_free (reason);
}

gboolean
play_reference (const Setting *setting, Reference *reference, gchar **fault)
{
  Played played = { 0 };
  gboolean kept;
  Outcome outcome;

  set_watched (setting->name);
  memset (reference->n_calls, 0, sizeof reference->n_calls);
  play_line (setting, 0, NULL, N_PHASES, reference->n_calls, &played);
  for (guint i = 0; i < N_PHASES; i++) {
    g_free (reference->results[i]);
    reference->results[i] = g_strdup (played.results[i]);
  }
  *fault = check_stream (reference, &played, &outcome);
  clear_played (&played);
  append_failure (fault, "", objects_describe ());
  append_failure (fault, "", take_log (&kept));
  objects_forget ();
  set_watched (NULL);

  return *fault == NULL;
}

/* Plays the first frame of a new stream without a fault. NULL: the frame is
 * correct, and no OpenCL object is leaked; otherwise a description of the
 * failure, g_free(). */
static gchar *
check_next_stream (const Setting *setting, const Reference *reference)
{
  Played played = { 0 };
  gchar *fault = NULL;
  gboolean kept;

  play_line (setting, 0, NULL, PHASE_FIRST, NULL, &played);
  if (g_strcmp0 (reference->results[PHASE_FIRST],
          played.results[PHASE_FIRST]) != 0)
    fault = g_strdup ("the first frame of the next stream is wrong");
  clear_played (&played);
  append_failure (&fault, "the next stream: ", objects_describe ());
  append_failure (&fault, "the next stream: ", take_log (&kept));

  return fault;
}

PlayVerdict
play_with_fault (const Setting *setting, const Reference *reference,
    Phase phase, const Fault *fault, const gchar *name)
{
  PlayVerdict verdict = { 0 };
  Played played = { 0 };
  gchar *left;

  set_watched (name);
  play_line (setting, phase, fault, N_PHASES, NULL, &played);
  verdict.fault = check_stream (reference, &played, &verdict.outcome);
  verdict.n_failed = played.n_failed;
  clear_played (&played);

  left = objects_describe ();
  append_failure (&verdict.fault, "", take_log (&verdict.keeps_memory));
  /* the plugin never frees memory that a device may still use */
  verdict.keeps_memory &= left != NULL;
  if (verdict.keeps_memory && layer_is_finish_failing ())
    g_clear_pointer (&left, g_free);
  append_failure (&verdict.fault, "", left);
  objects_forget ();

  append_failure (&verdict.fault, "", check_next_stream (setting, reference));
  objects_forget ();
  set_watched (NULL);
  if (verdict.fault)
    verdict.outcome = OUTCOME_WRONG;

  return verdict;
}
