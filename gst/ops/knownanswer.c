/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers: samples, memory and digests of results. */

#include "knownanswer.h"

#include <string.h>

#include "cl/device/gstclerror.h"
#include "cl/memory/gstclmemory.h"

/* --- samples -------------------------------------------------------------- */

#define RUN_BITS 6 /* extremes come in runs of 64 samples */
#define PERIOD   5 /* runs: one of the greatest code, one of the smallest */

G_STATIC_ASSERT (GST_CL_ANSWER_COMPARED_SEED (0) % PERIOD == 0);

/* Returns the bits of @x mixed, so that neighbours are not correlated. */
static guint32
mix (guint32 x)
{
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;

  return x ^ (x >> 16);
}

guint8 *
gst_cl_answer_samples (guint seed)
{
  guint8 *samples = g_malloc (GST_CL_ANSWER_SAMPLES);

  for (guint i = 0; i < GST_CL_ANSWER_SAMPLES; i++) {
    const guint run = ((i >> RUN_BITS) + seed) % PERIOD;

    samples[i] = run == 0   ? G_MAXUINT8
                 : run == 1 ? 0
                            : mix (i + seed * 0x9e3779b9u) >> 24;
  }

  return samples;
}

/* --- digests -------------------------------------------------------------- */

guint64
gst_cl_answer_digest (guint64 digest, gconstpointer values, gsize n,
    guint value_bytes)
{
  const guint64 factor = G_GUINT64_CONSTANT (0x9e3779b97f4a7c15); /* odd */
  const guint8 *at = values;

  for (gsize i = 0; i < n; i++, at += value_bytes) {
    guint64 value;

    switch (value_bytes) {
      case 1:
        value = *at;
        break;
      case 2:
        value = *(const guint16 *) at;
        break;
      case 4:
        value = *(const guint32 *) at;
        break;
      default:
        memcpy (&value, at, sizeof value);
        break;
    }
    digest = (digest ^ value) * factor;
    digest ^= digest >> 32;
  }

  return digest;
}

guint64
gst_cl_answer_moments (guint64 digest, const GstClMoments *moments)
{
  const guint64 values[] = { moments->sum, moments->sum_squares, moments->count,
    moments->min, moments->max };

  return gst_cl_answer_digest (digest, values, G_N_ELEMENTS (values),
      sizeof values[0]);
}

/* --- memory --------------------------------------------------------------- */

#define NO_RESULT 0xA5

static gboolean
map_memory (GstMemory *memory, GstMapInfo *info, GstMapFlags flags,
    GError **error)
{
  GError *reason;

  if (gst_memory_map (memory, info, flags))
    return TRUE;

  reason = gst_cl_memory_take_error (memory);
  if (reason)
    g_propagate_error (error, reason);
  else
    gst_cl_check (CL_MAP_FAILURE, "map a memory", error);

  return FALSE;
}

GstMemory *
gst_cl_answer_memory_new (GstClContext *context, gsize n_bytes,
    gconstpointer bytes, GError **error)
{
  g_autoptr (GstAllocator) allocator = gst_cl_allocator_new (context);
  GstMemory *memory = gst_allocator_alloc (allocator, n_bytes, NULL);
  GstMapInfo info;

  if (!memory) {
    g_propagate_error (error,
        gst_cl_allocator_take_error (GST_CL_ALLOCATOR (allocator)));
    return NULL;
  }
  if (!map_memory (memory, &info, GST_MAP_WRITE, error)) {
    gst_memory_unref (memory);
    return NULL;
  }
  if (bytes)
    memcpy (info.data, bytes, n_bytes);
  else
    memset (info.data, NO_RESULT, n_bytes);
  gst_memory_unmap (memory, &info);

  return memory;
}

gboolean
gst_cl_answer_components (GstClContext *context, const GstClComponent *shapes,
    guint n, guint seed, GstClComponent *components, GstMemory **memories,
    GError **error)
{
  for (guint c = 0; c < n; c++) {
    g_autofree guint8 *bytes = gst_cl_answer_samples (seed + c);

    memories[c] = gst_cl_answer_memory_new (context, GST_CL_ANSWER_SAMPLES,
        bytes, error);
    if (!memories[c])
      return FALSE;
    components[c] = shapes[c];
    components[c].mem = gst_cl_memory_get_handle (memories[c]);
  }

  return TRUE;
}

gboolean
gst_cl_answer_memory_digest (GstMemory *memory, guint value_bytes,
    guint64 *digest, GError **error)
{
  GstMapInfo info;

  if (!map_memory (memory, &info, GST_MAP_READ, error))
    return FALSE;

  *digest = gst_cl_answer_digest (*digest, info.data, info.size / value_bytes,
      value_bytes);
  gst_memory_unmap (memory, &info);

  return TRUE;
}

/* --- running -------------------------------------------------------------- */

#define MAX_MEMORIES 8

gboolean
gst_cl_answer_run (GstClAnswerRun run, gpointer instance, gconstpointer io,
    GstMemory *const *memories, GError **error)
{
  GstMapInfo infos[MAX_MEMORIES];
  gboolean is_done = TRUE;
  guint n_mapped = 0;

  while (is_done && memories[n_mapped]) {
    is_done = map_memory (memories[n_mapped], &infos[n_mapped],
        GST_MAP_READWRITE | GST_MAP_OPENCL, error);
    n_mapped += is_done;
  }
  is_done = is_done && run (instance, io, error);
  while (n_mapped-- > 0)
    gst_memory_unmap (memories[n_mapped], &infos[n_mapped]);

  return is_done;
}
