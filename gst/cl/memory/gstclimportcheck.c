/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks import paths before they are used. */

#include "gstclimportcheck.h"

#include <string.h>

#include "common/gstcldebug.h"
#include "gstclquarantine.h"

GST_CL_DEBUG_CATEGORY (gst_cl_import_check_debug, "climportcheck",
    "OpenCL import checks");
#define GST_CAT_DEFAULT gst_cl_import_check_debug ()

/* Several pages, plus a part of a page. */
#define CHECK_BYTES (3 * 4096 + GST_CL_IMPORT_CHECK_ROW_BYTES)

/* The result of a check. It is valid as long as the context or until the check
 * is repeated. */
typedef struct {
  GError *error;   /* NULL: passed */
  gint64 until_us; /* by g_get_monotonic_time(); 0: no expiry */
} Verdict;

typedef enum { UNTRIED, RIGHT, WRONG } State;

/* run_lock: one check runs at a time. verdict_lock: all verdicts; held only
 * while reading or writing one. */
static GMutex run_lock, verdict_lock;

static void
free_verdict (gpointer data)
{
  Verdict *verdict = data;

  g_clear_error (&verdict->error);
  g_free (verdict);
}

static GQuark
verdict_quark (const GstClImportCheck *check)
{
  return g_quark_from_static_string (check->name);
}

/* Fills @bytes with a sequence that does not repeat within a check. */
static void
fill_known_bytes (guint8 *bytes, gsize size_bytes)
{
  guint32 word = 0x9e3779b9;

  for (gsize i = 0; i < size_bytes; i++) {
    word = word * 1664525 + 1013904223;
    bytes[i] = (guint8) (word >> 24);
  }
}

/* Takes ownership of @queue. */
static GstClImportCheckRun *
new_run (cl_command_queue queue)
{
  GstClImportCheckRun *run = g_new (GstClImportCheckRun, 1);
  guint8 *memory = g_malloc (CHECK_BYTES + 4096);
  /* aligned for any driver that uses host pointers */
  guint8 *bytes = (guint8 *) (((guintptr) memory + 4095) & ~(guintptr) 4095);

  fill_known_bytes (bytes, CHECK_BYTES);
  *run = (GstClImportCheckRun){ .queue = queue,
    .bytes = bytes,
    .back = g_malloc0 (CHECK_BYTES),
    .size_bytes = CHECK_BYTES,
    .lent = g_ptr_array_new_with_free_func (g_free) };
  g_ptr_array_add (run->lent, memory);
  g_ptr_array_add (run->lent, run->back);

  return run;
}

static void
free_run (gpointer data)
{
  GstClImportCheckRun *run = data;

  gst_cl_context_release_queue (run->queue);
  g_ptr_array_unref (run->lent);
  g_free (run);
}

static gboolean
try_run (const GstClImportCheck *check, GstClContext *context,
    const GstClImportCheckRun *run, gpointer data, GError **error)
{
  if (!check->try (context, run, data, error))
    return FALSE;
  if (memcmp (run->bytes, run->back, run->size_bytes) == 0)
    return TRUE;

  g_set_error (error, GST_CL_ERROR, CL_INVALID_VALUE,
      "Bytes transferred by %s are wrong on %s.", check->name,
      context->device->name);

  return FALSE;
}

static gboolean
try_path (const GstClImportCheck *check, GstClContext *context, gpointer data,
    GError **error)
{
  const gchar *obstacle = check->find_obstacle ? check->find_obstacle (context)
                                               : NULL;
  cl_command_queue queue;
  gboolean holds = FALSE;
  cl_int code;

  if (obstacle) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_OPERATION, "%s has %s.",
        context->device->name, obstacle);
    return FALSE;
  }

  gst_cl_context_set_trying (TRUE);
  queue = clCreateCommandQueue (context->handle, context->device->id, 0, &code);
  if (gst_cl_check (code, "create a queue for a check", error)) {
    GstClImportCheckRun *run = new_run (queue);

    holds = try_run (check, context, run, data, error);
    if (gst_cl_finish (queue) == CL_SUCCESS)
      free_run (run);
    else
      gst_cl_quarantine_add (context, CHECK_BYTES, run, free_run);
  }
  gst_cl_context_set_trying (FALSE);

  return holds;
}

/* verdict_lock held */
static void
keep_verdict (const GstClImportCheck *check, GstClContext *context,
    Verdict *verdict)
{
  g_object_set_qdata_full (G_OBJECT (context), verdict_quark (check), verdict,
      free_verdict);
}

static gboolean
is_over (const Verdict *verdict)
{
  return verdict->until_us > 0 && g_get_monotonic_time () >= verdict->until_us;
}

/* Sets @error if the check has failed. */
static State
find_state (const GstClImportCheck *check, GstClContext *context,
    GError **error)
{
  State state = UNTRIED;
  const Verdict *verdict;

  g_mutex_lock (&verdict_lock);
  verdict = g_object_get_qdata (G_OBJECT (context), verdict_quark (check));
  if (verdict && !is_over (verdict))
    state = verdict->error ? WRONG : RIGHT;
  if (state == WRONG)
    g_propagate_error (error, g_error_copy (verdict->error));
  g_mutex_unlock (&verdict_lock);

  return state;
}

/* run_lock held */
static void
run_check (const GstClImportCheck *check, GstClContext *context, gpointer data)
{
  Verdict *verdict = g_new0 (Verdict, 1);

  gst_cl_import_check_debug ();
  if (try_path (check, context, data, &verdict->error))
    GST_DEBUG_OBJECT (context, "import check passed: %s", check->name);
  else
    GST_INFO_OBJECT (context, "no frame uses %s: %s", check->name,
        verdict->error->message);
  if (verdict->error && (gst_cl_error_is_shortage (verdict->error) ||
                            g_error_matches (verdict->error, GST_RESOURCE_ERROR,
                                GST_RESOURCE_ERROR_BUSY)))
    verdict->until_us = g_get_monotonic_time () + GST_CL_SHORTAGE_US;

  g_mutex_lock (&verdict_lock);
  keep_verdict (check, context, verdict);
  g_mutex_unlock (&verdict_lock);
}

gboolean
gst_cl_import_check_passes (const GstClImportCheck *check,
    GstClContext *context, gpointer data, GError **error)
{
  State state = find_state (check, context, error);

  if (state == UNTRIED) {
    g_mutex_lock (&run_lock);
    state = find_state (check, context, error);
    if (state == UNTRIED) {
      run_check (check, context, data);
      state = find_state (check, context, error);
    }
    g_mutex_unlock (&run_lock);
  }

  return state == RIGHT;
}

gboolean
gst_cl_import_check_compare (GstMemory *memory, const guint8 *read,
    const GstClImportCheckRun *run, GError **error)
{
  gboolean is_uniform, is_same;
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_READ)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "A buffer's memory could not be mapped.");
    return FALSE;
  }
  is_same = memcmp (map.data, read, map.size) == 0;
  /* each byte equals the one before */
  is_uniform = memcmp (map.data, map.data + 1, map.size - 1) == 0;
  gst_memory_unmap (memory, &map);

  memcpy (run->back, run->bytes, run->size_bytes);
  if (!is_same)
    run->back[0] ^= 1;
  else if (is_uniform)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY,
        "All bytes of the frame are the same, which shows nothing; a later "
        "frame is checked.");

  return !is_same || !is_uniform;
}

gboolean
gst_cl_import_check_may_pass (const GstClImportCheck *check,
    GstClContext *context)
{
  const Verdict *verdict;
  gboolean is_known, may_hold;

  g_mutex_lock (&verdict_lock);
  verdict = g_object_get_qdata (G_OBJECT (context), verdict_quark (check));
  is_known = verdict != NULL;
  may_hold = verdict && (!verdict->error || verdict->until_us > 0);
  g_mutex_unlock (&verdict_lock);

  return is_known ? may_hold
                  : !check->find_obstacle || !check->find_obstacle (context);
}
