/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Guard zones around the memory of a user's kernels. */

#include "guard.h"

#include <string.h>

#include "cl/memory/gstclbuffer.h"
#include "cl/video/gstclframe.h"

#define PATTERN       0xA5
#define GUARD_ROWS    16
#define GUARD_COLUMNS 128 /* bytes */
#define GUARD_BYTES   65536

/* Rows of bytes that kernels may write. */
typedef struct {
  gsize first; /* byte of the memory */
  gsize stride_bytes, row_bytes, n_rows;
} Area;

struct _GstClGuard {
  GstClContext *context;
  cl_mem whole, part; /* part: of memory alone, or NULL */
  gsize n_bytes;
  Area areas[GST_VIDEO_MAX_COMPONENTS]; /* planes, in the order of memory */
  guint n_areas;
};

void
gst_cl_guard_free (GstClGuard *self)
{
  if (!self)
    return;

  gst_cl_buffer_free (self->part);
  gst_cl_buffer_free (self->whole);
  gst_object_unref (self->context);
  g_free (self);
}

static GstClGuard *
new_guard (GstClContext *context)
{
  GstClGuard *self = g_new0 (GstClGuard, 1);

  self->context = gst_object_ref (context);

  return self;
}

/* Allocates self->n_bytes: the pattern, and zeros in the areas. */
static gboolean
allocate (GstClGuard *self, GError **error)
{
  g_autofree guint8 *bytes = g_malloc (self->n_bytes);

  memset (bytes, PATTERN, self->n_bytes);
  for (guint i = 0; i < self->n_areas; i++) {
    const Area *area = &self->areas[i];

    for (gsize y = 0; y < area->n_rows; y++)
      memset (bytes + area->first + y * area->stride_bytes, 0, area->row_bytes);
  }
  /* NVIDIA's driver does not see in a buffer what kernels have written to a
   * part of it, if CL_MEM_COPY_HOST_PTR has filled it */
  self->whole = gst_cl_buffer_new (self->context, self->n_bytes, error);

  return self->whole && gst_cl_buffer_write (self->context, self->whole, 0,
                            self->n_bytes, bytes, error);
}

/* Returns the number of the plane of component @c; those of packed formats have
 * a plane each when they are unpacked. */
static guint
plane_of (const GstVideoInfo *info, guint c)
{
  return gst_cl_frame_is_packed (info)
             ? c
             : (guint) GST_VIDEO_INFO_COMP_PLANE (info, c);
}

/* The last component need not be in the last plane: those of GBR. */
static guint
count_planes (const GstVideoInfo *info)
{
  return gst_cl_frame_is_packed (info) ? GST_VIDEO_INFO_N_COMPONENTS (info)
                                       : GST_VIDEO_INFO_N_PLANES (info);
}

/* Adds plane @plane behind the others, and places its components. */
static void
add_plane (GstClGuard *self, const GstVideoInfo *info, guint plane,
    GstClKernelFrame *frame)
{
  Area *area = &self->areas[self->n_areas++];
  gsize lowest = G_MAXSIZE;

  for (guint c = 0; c < frame->n_components; c++) {
    const GstClComponent *component = &frame->components[c];

    if (plane_of (info, c) != plane)
      continue;
    lowest = MIN (lowest, component->offset_bytes);
    area->n_rows = MAX (area->n_rows, (gsize) component->height);
    area->row_bytes = MAX (area->row_bytes,
        (gsize) component->pixel_stride_bytes * (gsize) component->width);
  }
  area->stride_bytes = (area->row_bytes + 3) / 4 * 4 + GUARD_COLUMNS;
  area->first = self->n_bytes + GUARD_ROWS * area->stride_bytes;
  self->n_bytes += (area->n_rows + 2 * GUARD_ROWS) * area->stride_bytes;
  for (guint c = 0; c < frame->n_components; c++) {
    GstClComponent *component = &frame->components[c];

    if (plane_of (info, c) != plane)
      continue;
    component->offset_bytes = area->first + component->offset_bytes - lowest;
    component->stride_bytes = (gint) area->stride_bytes;
  }
}

GstClGuard *
gst_cl_guard_new_frame (GstClContext *context, const GstVideoInfo *info,
    GstClKernelFrame *frame, GError **error)
{
  GstClGuard *self = new_guard (context);

  frame->n_components = GST_VIDEO_INFO_N_COMPONENTS (info);
  for (guint c = 0; c < frame->n_components; c++)
    frame->components[c] = gst_cl_component_of_info (info, c);
  for (guint plane = 0; plane < count_planes (info); plane++)
    add_plane (self, info, plane, frame);
  if (!allocate (self, error)) {
    gst_cl_guard_free (self);
    return NULL;
  }
  for (guint c = 0; c < frame->n_components; c++)
    frame->components[c].mem = self->whole;

  return self;
}

GstClGuard *
gst_cl_guard_new_memory (GstClContext *context, gsize n_bytes, cl_mem *mem,
    GError **error)
{
  GstClGuard *self = new_guard (context);

  self->n_areas = 1;
  self->areas[0] = (Area){ GUARD_BYTES, n_bytes, n_bytes, 1 };
  self->n_bytes = n_bytes + 2 * GUARD_BYTES;
  if (allocate (self, error))
    self->part = gst_cl_buffer_new_part (self->whole, GUARD_BYTES, n_bytes,
        error);
  if (!self->part) {
    gst_cl_guard_free (self);
    return NULL;
  }
  *mem = self->part;

  return self;
}

/* --- checking ------------------------------------------------------------- */

/* Returns the first byte from @from to @end - 1 that has changed; else @end. */
static gsize
find_change (const guint8 *bytes, gsize from, gsize end)
{
  while (from < end && bytes[from] == PATTERN)
    from++;

  return from;
}

/* Returns the first byte outside the areas that has changed; self->n_bytes:
 * none. */
static gsize
find_written (const GstClGuard *self, const guint8 *bytes)
{
  gsize from = 0;

  for (guint i = 0; i < self->n_areas; i++) {
    const Area *area = &self->areas[i];

    for (gsize y = 0; y < area->n_rows; y++) {
      const gsize row = area->first + y * area->stride_bytes;
      const gsize found = find_change (bytes, from, row);

      if (found < row)
        return found;
      from = row + area->row_bytes;
    }
  }

  return find_change (bytes, from, self->n_bytes);
}

/* Returns the area that byte @at is nearest to. */
static guint
nearest_area (const GstClGuard *self, gsize at)
{
  guint i = 0;

  while (i + 1 < self->n_areas &&
         at >= self->areas[i + 1].first -
                   GUARD_ROWS * self->areas[i + 1].stride_bytes)
    i++;

  return i;
}

static void
set_error (const GstClGuard *self, gsize at, const gchar *kernel,
    const gchar *name, GError **error)
{
  const guint plane = nearest_area (self, at);
  const Area *area = &self->areas[plane];
  const gint64 offset = (gint64) at - (gint64) area->first;
  const gint64 stride = (gint64) area->stride_bytes;
  /* a byte left of a row belongs to that row */
  const gint64 row = (offset + GUARD_COLUMNS / 2 + GUARD_ROWS * stride) /
                         stride -
                     GUARD_ROWS;

  if (self->part)
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        "Kernel %s has written outside %s: at byte %" G_GINT64_FORMAT
        ", it has %" G_GSIZE_FORMAT " bytes.",
        kernel, name, offset, area->row_bytes);
  else
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        "Kernel %s has written outside plane %u of frame %s: at byte "
        "%" G_GINT64_FORMAT " of row %" G_GINT64_FORMAT
        ", it has %" G_GSIZE_FORMAT " rows of %" G_GSIZE_FORMAT " bytes.",
        kernel, plane, name, offset - row * stride, row, area->n_rows,
        area->row_bytes);
}

gboolean
gst_cl_guard_check (GstClGuard *self, const gchar *kernel, const gchar *name,
    GError **error)
{
  g_autofree guint8 *bytes = g_malloc (self->n_bytes);
  gsize at;

  if (!gst_cl_buffer_read (self->context, self->whole, 0, self->n_bytes, bytes,
          error))
    return FALSE;

  at = find_written (self, bytes);
  if (at == self->n_bytes)
    return TRUE;
  set_error (self, at, kernel, name, error);

  return FALSE;
}
