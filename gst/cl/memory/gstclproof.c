/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ways to the device are tried before they are used. */

#include "gstclproof.h"

#include <string.h>

#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY (gst_cl_proof_debug, "clproof",
    "OpenCL proofs of ways to the device");
#define GST_CAT_DEFAULT gst_cl_proof_debug ()

/* Several pages, and not a whole number of them. */
#define TRIAL_BYTES (3 * 4096 + GST_CL_PROOF_ROW_BYTES)

/* What came of a trial; lives as long as the context, or until the next one. */
typedef struct {
  GError *error;   /* NULL: the way is right */
  gint64 until_us; /* by g_get_monotonic_time(); 0: for good */
} Verdict;

typedef enum { UNTRIED, RIGHT, WRONG } State;

/* For one trial at a time, and for all verdicts; the latter is held for no
 * longer than a look. */
static GMutex trial_lock, verdict_lock;

static void
free_verdict (gpointer data)
{
  Verdict *verdict = data;

  g_clear_error (&verdict->error);
  g_free (verdict);
}

static GQuark
verdict_quark (const GstClProof *proof)
{
  return g_quark_from_static_string (proof->name);
}

/* A word of a sequence that repeats nowhere within a trial. */
static void
fill (guint8 *bytes, gsize size_bytes)
{
  guint32 word = 0x9e3779b9;

  for (gsize i = 0; i < size_bytes; i++) {
    word = word * 1664525 + 1013904223;
    bytes[i] = (guint8) (word >> 24);
  }
}

static gboolean
try_with_queue (const GstClProof *proof, GstClContext *context,
    cl_command_queue queue, gpointer data, GError **error)
{
  /* aligned as any driver wants a host pointer */
  g_autofree guint8 *memory = g_malloc (TRIAL_BYTES + 4096);
  g_autofree guint8 *back = g_malloc0 (TRIAL_BYTES);
  guint8 *bytes = (guint8 *) (((guintptr) memory + 4095) & ~(guintptr) 4095);

  fill (bytes, TRIAL_BYTES);
  if (!proof->try (context, queue, data, bytes, TRIAL_BYTES, back, error))
    return FALSE;
  if (memcmp (bytes, back, TRIAL_BYTES) == 0)
    return TRUE;

  g_set_error (error, GST_CL_ERROR, CL_INVALID_VALUE,
      "Bytes that come by %s are others on %s.", proof->name,
      context->device->name);

  return FALSE;
}

static gboolean
try_way (const GstClProof *proof, GstClContext *context, gpointer data,
    GError **error)
{
  const gchar *obstacle = proof->find_obstacle ? proof->find_obstacle (context)
                                               : NULL;
  cl_command_queue queue;
  gboolean holds;
  cl_int code;

  if (obstacle) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_OPERATION, "%s has %s.",
        context->device->name, obstacle);
    return FALSE;
  }

  gst_cl_context_set_trying (TRUE);
  queue = clCreateCommandQueue (context->handle, context->device->id, 0, &code);
  holds = gst_cl_check (code, "create a queue for a trial", error) &&
          try_with_queue (proof, context, queue, data, error);
  g_clear_pointer (&queue, clReleaseCommandQueue);
  gst_cl_context_set_trying (FALSE);

  return holds;
}

/* verdict_lock held */
static void
keep_verdict (const GstClProof *proof, GstClContext *context, Verdict *verdict)
{
  g_object_set_qdata_full (G_OBJECT (context), verdict_quark (proof), verdict,
      free_verdict);
}

static gboolean
is_over (const Verdict *verdict)
{
  return verdict->until_us > 0 && g_get_monotonic_time () >= verdict->until_us;
}

/* Sets @error where the way is wrong. */
static State
ask (const GstClProof *proof, GstClContext *context, GError **error)
{
  State state = UNTRIED;
  const Verdict *verdict;

  g_mutex_lock (&verdict_lock);
  verdict = g_object_get_qdata (G_OBJECT (context), verdict_quark (proof));
  if (verdict && !is_over (verdict))
    state = verdict->error ? WRONG : RIGHT;
  if (state == WRONG)
    g_propagate_error (error, g_error_copy (verdict->error));
  g_mutex_unlock (&verdict_lock);

  return state;
}

/* trial_lock held */
static void
hold_trial (const GstClProof *proof, GstClContext *context, gpointer data)
{
  Verdict *verdict = g_new0 (Verdict, 1);

  gst_cl_proof_debug ();
  if (try_way (proof, context, data, &verdict->error))
    GST_DEBUG_OBJECT (context, "bytes come right by %s", proof->name);
  else
    GST_INFO_OBJECT (context, "no frame goes by %s: %s", proof->name,
        verdict->error->message);
  if (verdict->error && gst_cl_error_is_shortage (verdict->error))
    verdict->until_us = g_get_monotonic_time () + GST_CL_SHORTAGE_US;

  g_mutex_lock (&verdict_lock);
  keep_verdict (proof, context, verdict);
  g_mutex_unlock (&verdict_lock);
}

gboolean
gst_cl_proof_holds (const GstClProof *proof, GstClContext *context,
    gpointer data, GError **error)
{
  State state = ask (proof, context, error);

  if (state == UNTRIED) {
    g_mutex_lock (&trial_lock);
    state = ask (proof, context, error);
    if (state == UNTRIED) {
      hold_trial (proof, context, data);
      state = ask (proof, context, error);
    }
    g_mutex_unlock (&trial_lock);
  }

  return state == RIGHT;
}

gboolean
gst_cl_proof_may_hold (const GstClProof *proof, GstClContext *context)
{
  const Verdict *verdict;
  gboolean is_known, may_hold;

  g_mutex_lock (&verdict_lock);
  verdict = g_object_get_qdata (G_OBJECT (context), verdict_quark (proof));
  is_known = verdict != NULL;
  may_hold = verdict && (!verdict->error || verdict->until_us > 0);
  g_mutex_unlock (&verdict_lock);

  return is_known ? may_hold
                  : !proof->find_obstacle || !proof->find_obstacle (context);
}
