/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ring that tests device-wide barriers, on the device and on the host. */

#include "barriersring.h"

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "atomics.h"

#include <string.h>

#define RING_BYTES (BARRIERS_RING_LENGTH * sizeof (guint32))

/* Layout of the shared words, as in the kernel file: SHARED_WORDS words, the
 * first of which reports a wait that gave up, then SHARED_WORDS_PER_GROUP words
 * for each group. */
#define SHARED_WORDS           2
#define SHARED_WORDS_PER_GROUP 2

#define MAX_ITEMS 1024 /* of a work-group */

struct _BarriersRing {
  GstClContext *context;
  const BarriersKind *kind;
  GstClKernel *ring;
  GstClKernel *sum, *store; /* kernels of a round in two launches */
  gsize n_work_items;

  cl_mem elements;
  cl_mem sums;        /* between two launches */
  cl_mem shared;      /* flags of the work-groups */
  guint32 n_barriers; /* enqueued so far; wraps */
  guint64 n_rounds;   /* since the ring was filled */
};

/* ---- life cycle ---- */

static gboolean
check_size (const GstClDevice *device, guint n_items, GError **error)
{
  if (n_items > device->max_work_group_size) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_VALUE,
        "a work-group of %s has %" G_GSIZE_FORMAT " work-items at most",
        device->name, device->max_work_group_size);
    return FALSE;
  }

  return TRUE;
}

/* NULL with @error if the device does not support the kernels. */
static gchar *
build_options (const BarriersRing *ring, GError **error)
{
  const GstClDevice *device = ring->context->device;
  const gchar *language = "";

  if (ring->kind->needs_scoped_atomics) {
    language = atomics_option (device, error);
    if (!language)
      return NULL;
  }

  return g_strdup_printf ("-DBARRIER=%s -DMAX_ITEMS=%u %s", ring->kind->barrier,
      (guint) MIN (device->max_work_group_size, MAX_ITEMS), language);
}

static gboolean
build_kernels (BarriersRing *ring, guint n_items, GError **error)
{
  g_autofree gchar *options = build_options (ring, error);
  const struct {
    const gchar *name;
    GstClKernel **kernel;
    gboolean is_needed;
  } kernels[] = {
    { "ring", &ring->ring, !ring->kind->takes_several_launches },
    { "sum", &ring->sum, ring->kind->takes_several_launches },
    { "store", &ring->store, ring->kind->takes_several_launches },
  };

  for (guint i = 0; options && i < G_N_ELEMENTS (kernels); i++) {
    g_autofree gchar *name = g_strdup_printf ("barriers_%s_%u", kernels[i].name,
        n_items);

    if (!kernels[i].is_needed)
      continue;
    *kernels[i].kernel = gst_cl_kernel_new (ring->context,
        "clbench/barriers.cl", options, name, error);
    if (!*kernels[i].kernel)
      return FALSE;
  }

  return options != NULL;
}

BarriersRing *
barriers_ring_new (GstClContext *context, const BarriersKind *kind,
    guint n_items, guint n_groups, GError **error)
{
  g_autoptr (BarriersRing) ring = g_new0 (BarriersRing, 1);

  ring->context = gst_object_ref (context);
  ring->kind = kind;
  ring->n_work_items = (gsize) n_items * n_groups;
  if (!check_size (context->device, n_items, error) ||
      !build_kernels (ring, n_items, error))
    return NULL;

  ring->elements = gst_cl_buffer_new (context, RING_BYTES, error);
  if (!ring->elements)
    return NULL;
  ring->sums = gst_cl_buffer_new (context, RING_BYTES, error);
  if (!ring->sums)
    return NULL;
  ring->shared = gst_cl_buffer_new_zeroed (context,
      (SHARED_WORDS + SHARED_WORDS_PER_GROUP * n_groups) * sizeof (guint32),
      error);

  return ring->shared ? g_steal_pointer (&ring) : NULL;
}

void
barriers_ring_free (BarriersRing *ring)
{
  if (!ring)
    return;

  gst_cl_kernel_free (ring->ring);
  gst_cl_kernel_free (ring->sum);
  gst_cl_kernel_free (ring->store);
  gst_cl_buffer_free (ring->elements);
  gst_cl_buffer_free (ring->sums);
  gst_cl_buffer_free (ring->shared);
  gst_object_unref (ring->context);
  g_free (ring);
}

/* ---- rounds ---- */

gboolean
barriers_ring_fill (BarriersRing *ring, const guint32 *elements, GError **error)
{
  ring->n_rounds = 0;

  return gst_cl_buffer_write (ring->context, ring->elements, 0, RING_BYTES,
      elements, error);
}

static gboolean
run_several_launches (BarriersRing *ring, guint n_rounds, GError **error)
{
  const GstClArg args[] = { GST_CL_MEM (ring->elements),
    GST_CL_MEM (ring->sums) };

  for (guint i = 0; i < n_rounds; i++) {
    if (!gst_cl_kernel_launch (ring->sum, ring->n_work_items, 1, 1, args,
            G_N_ELEMENTS (args), error) ||
        !gst_cl_kernel_launch (ring->store, ring->n_work_items, 1, 1, args,
            G_N_ELEMENTS (args), error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
run_one_launch (BarriersRing *ring, guint n_rounds, GError **error)
{
  const GstClArg args[] = {
    GST_CL_MEM (ring->elements),
    GST_CL_UINT (n_rounds),
    GST_CL_MEM (ring->shared),
    GST_CL_UINT (ring->n_barriers),
    GST_CL_UINT (gst_cl_device_spin_limit (ring->context->device)),
  };

  ring->n_barriers += 2 * n_rounds;

  return gst_cl_kernel_launch (ring->ring, ring->n_work_items, 1, 1, args,
      G_N_ELEMENTS (args), error);
}

gboolean
barriers_ring_run (BarriersRing *ring, guint n_rounds, GError **error)
{
  ring->n_rounds += n_rounds;

  return ring->kind->takes_several_launches
             ? run_several_launches (ring, n_rounds, error)
             : run_one_launch (ring, n_rounds, error);
}

guint64
barriers_ring_n_rounds (const BarriersRing *ring)
{
  return ring->n_rounds;
}

gboolean
barriers_ring_read (BarriersRing *ring, guint32 *elements, gboolean *gave_up,
    GError **error)
{
  guint32 word;

  if (!gst_cl_buffer_read (ring->context, ring->elements, 0, RING_BYTES,
          elements, error) ||
      !gst_cl_buffer_read (ring->context, ring->shared, 0, sizeof word, &word,
          error))
    return FALSE;

  *gave_up = word != 0;

  return TRUE;
}

/* ---- the reference ---- */

void
barriers_reference_ring (guint32 *ring, guint n_rounds)
{
  /* the ring continues with its first two elements */
  guint32 before[BARRIERS_RING_LENGTH + 2];

  for (guint round = 0; round < n_rounds; round++) {
    memcpy (before, ring, BARRIERS_RING_LENGTH * sizeof *ring);
    memcpy (before + BARRIERS_RING_LENGTH, ring, 2 * sizeof *ring);
    for (guint i = 0; i < BARRIERS_RING_LENGTH; i++)
      ring[i] = before[i] + before[i + 1] + before[i + 2];
  }
}

guint32
barriers_reference_of_ones (guint64 n_rounds)
{
  guint32 power = 1;

  for (guint32 square = 3; n_rounds > 0; n_rounds >>= 1, square *= square) {
    if (n_rounds & 1)
      power *= square;
  }

  return power;
}
