/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packed formats: the table of implementations, and their launches. */

#include "packing.h"
#include "packingprivate.h"

#include "cl/context/gstclkernel.h"
#include "cl/video/gstclformat.h"
#include "ops/choose.h"

#define BANDS_PER_UNIT 4  /* a late band costs a quarter of a unit's time */
#define CHUNK_BYTES    16 /* at most, as in kernels/packing/cl_packing.clh */
#define CHUNK_SAMPLES  8  /* at most, of a component */

/* --- problems ------------------------------------------------------------ */

void
gst_cl_packing_problem_init (GstClPackingProblem *problem,
    const GstVideoInfo *info, GstClPackingMethod method, guint component_mask)
{
  *problem = (GstClPackingProblem){
    .format = GST_VIDEO_INFO_FORMAT (info),
    .method = method,
    .component_mask = component_mask,
    .width = GST_VIDEO_INFO_WIDTH (info),
    .height = GST_VIDEO_INFO_FIELD_HEIGHT (info),
    .packing = gst_cl_format_packing (info->finfo),
    .n_components = GST_VIDEO_INFO_N_COMPONENTS (info),
  };
  for (guint c = 0; c < problem->n_components; c++)
    problem->components[c] = gst_cl_component_of_info (info, c);
  for (guint p = 0; p < problem->packing->n_planes; p++)
    gst_cl_frame_plane_extent (info, p, &problem->planes[p].row_bytes,
        &problem->planes[p].n_rows);
}

gsize
gst_cl_packing_problem_bytes (const GstClPackingProblem *problem)
{
  const GstClComponent *last = &problem->components[problem->n_components - 1];

  return last->offset_bytes + (gsize) last->stride_bytes * last->height;
}

/* Returns whether the instance copies component @c of @plane. */
static gboolean
copies (const GstClPackingProblem *problem, const GstClPackedPlane *plane,
    guint c)
{
  return gst_cl_packed_plane_count (plane, c) > 0 &&
         (problem->method == GST_CL_PACKING_METHOD_PACK ||
             problem->component_mask & (1u << c));
}

/* Sets @slots to the components of @plane that the instance copies, in the
 * order of their first samples, and returns their number. Kernels know a
 * component by its slot: formats that differ in the order of components share
 * programs. */
static guint
list_components (const GstClPackingProblem *problem,
    const GstClPackedPlane *plane, guint slots[GST_VIDEO_MAX_COMPONENTS])
{
  guint listed = 0, n = 0;

  for (guint i = 0; i < plane->n_samples; i++) {
    const guint c = plane->samples[i].component;

    if (listed & (1u << c) || !copies (problem, plane, c))
      continue;
    listed |= 1u << c;
    slots[n++] = c;
  }

  return n;
}

/* --- options of kernels --------------------------------------------------- */

/* Returns the number of groups in a chunk: as many as fit. */
static guint
count_groups (const GstClPackedPlane *plane)
{
  guint n_groups = CHUNK_BYTES / plane->group_bytes;

  for (guint c = 0; c < GST_VIDEO_MAX_COMPONENTS; c++) {
    const guint n = gst_cl_packed_plane_count (plane, c);

    if (n > 0)
      n_groups = MIN (n_groups, CHUNK_SAMPLES / n);
  }

  return n_groups;
}

/* The place of a code in a chunk: the bits above bit @shift of the word of 16
 * bits at byte @byte. */
typedef struct {
  guint byte, shift;
} Place;

static Place
find_place (const GstClPackedSample *sample, gboolean is_big_endian)
{
  const guint bit = sample->first_bit % 8;

  return (Place){ sample->first_bit / 8,
    is_big_endian ? 16 - bit - sample->n_bits : bit };
}

/* Adds the options of @slot, which has component @c. */
static void
add_component (GString *options, const GstClPackingProblem *problem,
    const GstClPackedPlane *plane, guint slot, guint c)
{
  const guint depth = problem->packing->depth, n_groups = count_groups (plane);
  guint n = 0, n_bits = depth, n_copies, factor = 0;
  guint32 bytes = 0, shifts = 0;

  for (guint g = 0; g < n_groups; g++) {
    for (guint i = 0; i < plane->n_samples; i++) {
      const Place place = find_place (&plane->samples[i],
          problem->packing->is_big_endian);

      if (plane->samples[i].component != c)
        continue;
      n_bits = plane->samples[i].n_bits;
      bytes |= (g * plane->group_bytes + place.byte) << 4 * n;
      shifts |= place.shift << 4 * n;
      n++;
    }
  }
  n_copies = (depth + n_bits - 1) / n_bits;
  for (guint i = 0; i < n_copies; i++)
    factor |= 1u << i * n_bits;

  g_string_append_printf (options,
      " -DN_%u=%u -DBYTES_%u=0x%x -DSHIFTS_%u=0x%x -DBITS_%u=%u"
      " -DFACTOR_%u=%u -DEXTRA_%u=%u",
      slot, n, slot, bytes, slot, shifts, slot, n_bits, slot, factor, slot,
      n_copies * n_bits - depth);
}

/* Returns the options for a plane; NULL if none of its components is copied.
 * Transfer full. */
static gchar *
make_options (const GstClPackingProblem *problem, const GstClPackedPlane *plane)
{
  static const gchar
      *const words[] = { [1] = "uchar", [2] = "ushort", [4] = "uint" };
  const GstClPacking *packing = problem->packing;
  guint slots[GST_VIDEO_MAX_COMPONENTS];
  const guint n_slots = list_components (problem, plane, slots);
  GString *options = g_string_new (NULL);

  g_string_printf (options,
      "-DSAMPLE_T=%s -DDEPTH=%u -DCHUNK_BYTES=%u -DWORD_T=%s "
      "-DIS_BIG_ENDIAN=%d",
      packing->depth > 8 ? "ushort" : "uchar", packing->depth,
      count_groups (plane) * plane->group_bytes,
      words[gst_cl_packing_word_bytes (packing)], packing->is_big_endian);
  for (guint i = 0; i < GST_VIDEO_MAX_COMPONENTS; i++) {
    if (i < n_slots)
      add_component (options, problem, plane, i, slots[i]);
    else
      g_string_append_printf (options, " -DN_%u=0", i);
  }

  return g_string_free (options, n_slots == 0);
}

/* --- instances ------------------------------------------------------------ */

typedef struct {
  GstClPackingProblem problem;
  GstClKernel *kernels[GST_VIDEO_MAX_PLANES]; /* NULL: nothing to copy */
  guint n_bands;                              /* 0: a work-item for a chunk */
} Packing;

static void
free_packing (gpointer packing)
{
  Packing *self = packing;

  if (!self)
    return;

  for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++)
    gst_cl_kernel_free (self->kernels[p]);
  g_free (self);
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer user_problem, GError **error)
{
  const GstClImplementation *row = candidate->implementation;
  const GstClPackingProblem *problem = user_problem;
  Packing *self = g_new0 (Packing, 1);

  self->problem = *problem;
  if (row->family == GST_CL_FAMILY_CPU)
    self->n_bands = context->device->compute_units * BANDS_PER_UNIT;
  for (guint p = 0; p < problem->packing->n_planes; p++) {
    g_autofree gchar *options = make_options (problem,
        &problem->packing->planes[p]);

    if (!options)
      continue;
    self->kernels[p] = gst_cl_kernel_new (context, row->resource, options,
        row->data, error);
    if (!self->kernels[p]) {
      free_packing (self);
      return NULL;
    }
  }

  return self;
}

static gboolean
run_plane (const Packing *self, guint p, const GstClPackingIo *io,
    GError **error)
{
  const GstClPackingProblem *problem = &self->problem;
  const GstClComponent *components = problem->components;
  const guint chunk_bytes = count_groups (&problem->packing->planes[p]) *
                            problem->packing->planes[p].group_bytes;
  const gint row_bytes = problem->planes[p].row_bytes;
  const gint n_rows = problem->planes[p].n_rows;
  cl_int4 strides = { { 0 } }, widths = { { 0 } };
  cl_ulong offsets[GST_VIDEO_MAX_COMPONENTS] = { 0 };
  guint slots[GST_VIDEO_MAX_COMPONENTS];
  const guint n_slots = list_components (problem, &problem->packing->planes[p],
      slots);

  for (guint i = 0; i < n_slots; i++) {
    offsets[i] = components[slots[i]].offset_bytes;
    strides.s[i] = components[slots[i]].stride_bytes;
    widths.s[i] = components[slots[i]].width;
  }

  {
    const GstClArg args[] = {
      GST_CL_MEM (io->packed->planes[p].mem),
      GST_CL_ULONG (io->packed->planes[p].offset_bytes),
      GST_CL_INT (io->packed->planes[p].stride_bytes), GST_CL_INT (row_bytes),
      GST_CL_INT (n_rows), GST_CL_MEM (io->components),
      GST_CL_ULONG (offsets[0]), GST_CL_ULONG (offsets[1]),
      GST_CL_ULONG (offsets[2]), GST_CL_ULONG (offsets[3]),
      GST_CL_INT4 (strides), GST_CL_INT4 (widths),
      GST_CL_INT (self->n_bands), /* with bands */
    };

    if (self->n_bands > 0)
      return gst_cl_kernel_launch (self->kernels[p], self->n_bands, 1, 1, args,
          G_N_ELEMENTS (args), error);

    return gst_cl_kernel_launch (self->kernels[p],
        (row_bytes + chunk_bytes - 1) / chunk_bytes, n_rows, 1, args,
        G_N_ELEMENTS (args) - 1, error);
  }
}

static gboolean
run (gpointer packing, gconstpointer io, GError **error)
{
  const Packing *self = packing;

  for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if (self->kernels[p] && !run_plane (self, p, io, error))
      return FALSE;
  }

  return TRUE;
}

/* --- table --------------------------------------------------------------- */

static gboolean
unpacks (const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device)
{
  return ((const GstClPackingProblem *) problem)->method ==
         GST_CL_PACKING_METHOD_UNPACK;
}

static gboolean
packs (const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device)
{
  return ((const GstClPackingProblem *) problem)->method ==
         GST_CL_PACKING_METHOD_PACK;
}

static const GstClInstanceFuncs funcs = {
  .create = create,
  .run = run,
  .free = free_packing,
};

static const GstClImplementation rows[] = {
  {
      .name = "unpack-cpu",
      .method = GST_CL_PACKING_METHOD_UNPACK,
      .resource = "packing/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .supports = unpacks,
      .funcs = &funcs,
      .data = "packing_unpack_bands",
  },
  {
      .name = "unpack",
      .method = GST_CL_PACKING_METHOD_UNPACK,
      .resource = "packing/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .supports = unpacks,
      .funcs = &funcs,
      .data = "packing_unpack",
  },
  {
      .name = "pack-cpu",
      .method = GST_CL_PACKING_METHOD_PACK,
      .resource = "packing/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .supports = packs,
      .funcs = &funcs,
      .data = "packing_pack_bands",
  },
  {
      .name = "pack",
      .method = GST_CL_PACKING_METHOD_PACK,
      .resource = "packing/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .supports = packs,
      .funcs = &funcs,
      .data = "packing_pack",
  },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClPackingProblem *problem = user_problem;

  return g_strdup_printf ("%s %s of %dx%d, components %#x",
      problem->method == GST_CL_PACKING_METHOD_PACK ? "pack" : "unpack",
      gst_video_format_to_string (problem->format), problem->width,
      problem->height, problem->component_mask);
}

const GstClOpTable gst_cl_packing_table = {
  .name = "packing",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .answers = gst_cl_packing_answers,
  .n_answers = GST_CL_PACKING_N_ANSWERS,
  .is_alike = gst_cl_packing_is_alike,
  .compute_answer = gst_cl_packing_compute_answer,
};

gboolean
gst_cl_packing_instance_init (GstClInstance *instance, GstClContext *context,
    const GstClPackingProblem *problem, GError **error)
{
  g_autoptr (GError) reason = NULL;
  const GstClCandidate candidate = gst_cl_op_table_choose (
      &gst_cl_packing_table, context, GST_CL_PACKING_METHOD_AUTO, problem,
      FALSE, &reason);

  if (reason) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return FALSE;
  }

  return gst_cl_instance_init (instance, context, &candidate, problem, error);
}
