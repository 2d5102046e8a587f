/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether devices compile, found out by a small program. */

#include "gstclprobe.h"
#include "gstclprogram.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_probe_debug);
#define GST_CAT_DEFAULT gst_cl_probe_debug

typedef enum { UNKNOWN, ABLE, UNABLE } Verdict;

static GMutex lock;
static GHashTable *verdicts; /* cl_device_id -> Verdict; lock */

static void
init_debug (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_cl_probe_debug, "clprobe", 0,
        "OpenCL devices that compile");
    g_once_init_leave (&once, 1);
  }
}

/* What was known before. */
static Verdict
set_verdict (const GstClDevice *device, Verdict verdict)
{
  Verdict before;

  g_mutex_lock (&lock);
  if (!verdicts)
    verdicts = g_hash_table_new (NULL, NULL);
  before = GPOINTER_TO_INT (g_hash_table_lookup (verdicts, device->id));
  g_hash_table_insert (verdicts, device->id, GINT_TO_POINTER (verdict));
  g_mutex_unlock (&lock);

  return before;
}

static Verdict
get_verdict (const GstClDevice *device)
{
  Verdict verdict = UNKNOWN;

  g_mutex_lock (&lock);
  if (verdicts)
    verdict = GPOINTER_TO_INT (g_hash_table_lookup (verdicts, device->id));
  g_mutex_unlock (&lock);

  return verdict;
}

gboolean
gst_cl_probe_is_unable (const GstClDevice *device)
{
  return get_verdict (device) == UNABLE;
}

void
gst_cl_probe_set_unable (const GstClDevice *device, const gchar *reason)
{
  init_debug ();

  if (set_verdict (device, UNABLE) != UNABLE)
    GST_WARNING ("device=auto passes over %u.%u \"%s\" (%s) from now on: %s",
        device->platform_index, device->device_index, device->name,
        device->platform_name, reason);
}

gboolean
gst_cl_probe_is_compiler_failure (const GError *error)
{
  return g_error_matches (error, GST_CL_ERROR, CL_BUILD_PROGRAM_FAILURE) ||
         g_error_matches (error, GST_CL_ERROR, CL_COMPILER_NOT_AVAILABLE);
}

/* Anything may come from a compiler that does not do, but for these. */
static gboolean
is_gone_or_full (const GError *error)
{
  static const cl_int codes[] = { CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES,
    CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
    if (g_error_matches (error, GST_CL_ERROR, codes[i]))
      return TRUE;
  }

  return FALSE;
}

gboolean
gst_cl_probe_try (GstClContext *context, GError **error)
{
  g_autoptr (GError) reason = NULL;
  cl_kernel kernel;

  if (get_verdict (context->device) == ABLE)
    return TRUE;

  kernel = gst_cl_program_create_kernel (context, "probe/probe.cl", "",
      "probe_all", &reason);
  if (kernel) {
    clReleaseKernel (kernel);
    set_verdict (context->device, ABLE);
    return TRUE;
  }

  if (!is_gone_or_full (reason))
    gst_cl_probe_set_unable (context->device, reason->message);
  g_propagate_error (error, g_steal_pointer (&reason));

  return FALSE;
}
