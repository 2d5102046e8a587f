/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Video buffers as planes and components in device memory. */

#include "gstclframe.h"

#include "gstclformat.h"
#include "cl/import/gstcldevicerange.h"
#include "cl/memory/gstclbuffer.h"

/* Returns the rows of plane @plane in the layout of the caps. */
static gint
count_layout_rows (const GstVideoInfo *info, guint plane)
{
  const gsize start = GST_VIDEO_INFO_PLANE_OFFSET (info, plane);
  gsize end = GST_VIDEO_INFO_SIZE (info);

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (GST_VIDEO_INFO_PLANE_OFFSET (info, p) > start)
      end = MIN (end, GST_VIDEO_INFO_PLANE_OFFSET (info, p));
  }

  return (gint) ((end - start) / GST_VIDEO_INFO_PLANE_STRIDE (info, plane));
}

/* Returns the rows of component @component of both fields; of the frame, unless
 * its caps are interleaved or mixed. Each field has as much chroma as a picture
 * of the height of a field: with 4:2:0 and a height that is 2 modulo 4, one row
 * more than the frame. The layout of some formats has no such row. */
static gint
count_field_rows (const GstVideoInfo *info, guint component)
{
  const gint height = GST_VIDEO_INFO_HEIGHT (info);
  const gint of_frame = GST_VIDEO_INFO_COMP_HEIGHT (info, component);
  gint of_fields = 0;

  if (!GST_VIDEO_INFO_IS_INTERLACED (info) ||
      GST_VIDEO_INFO_INTERLACE_MODE (info) ==
          GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    return of_frame;

  for (GstClRowSet rows = GST_CL_ROWS_TOP; rows <= GST_CL_ROWS_BOTTOM; rows++)
    of_fields += GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (info->finfo, component,
        gst_cl_row_set_count (rows, height));

  return of_fields > of_frame
             ? MIN (of_fields,
                   count_layout_rows (info,
                       (guint) GST_VIDEO_INFO_COMP_PLANE (info, component)))
             : of_frame;
}

void
gst_cl_frame_plane_extent (const GstVideoInfo *info, guint plane,
    gint *row_bytes, gint *n_rows)
{
  const GstClPacking *packing = gst_cl_format_packing (info->finfo);

  *row_bytes = packing ? gst_cl_packing_row_bytes (packing, info, plane) : 0;
  *n_rows = 0;

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    gint end;

    if (GST_VIDEO_INFO_COMP_PLANE (info, c) != plane)
      continue;

    *n_rows = MAX (*n_rows, GST_VIDEO_INFO_COMP_HEIGHT (info, c));
    if (packing)
      continue;
    end = (gint) gst_cl_format_component_offset (info->finfo, c) +
          (GST_VIDEO_INFO_COMP_WIDTH (info, c) - 1) *
              GST_VIDEO_INFO_COMP_PSTRIDE (info, c) +
          GST_ROUND_UP_8 (GST_VIDEO_INFO_COMP_DEPTH (info, c)) / 8;
    *row_bytes = MAX (*row_bytes, end);
  }

  if (gst_cl_format_padding_offset (info->finfo) >= 0)
    *row_bytes = GST_VIDEO_INFO_WIDTH (info) *
                 GST_VIDEO_INFO_COMP_PSTRIDE (info, 0);
}

/* @meta: NULL: the stride is GStreamer's, which is too small for some odd
 * widths. */
static gboolean
fail_geometry (const GstVideoMeta *meta, const GstVideoInfo *info, guint plane,
    gint stride, gint row_bytes, GError **error)
{
  g_autofree gchar *hint = meta ? g_strdup ("")
                                : g_strdup_printf (" %s needs an even width, "
                                                   "or a GstVideoMeta.",
                                      GST_VIDEO_INFO_NAME (info));

  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "Plane %u has a stride of %d bytes, its rows need %d.%s", plane, stride,
      row_bytes, hint);

  return FALSE;
}

/* Upstream may have set any value. For an invalid format, GStreamer's own
 * function prints a critical message. */
static const gchar *
format_name (GstVideoFormat format)
{
  g_autoptr (GEnumClass) formats = g_type_class_ref (GST_TYPE_VIDEO_FORMAT);

  return format != GST_VIDEO_FORMAT_UNKNOWN &&
                 g_enum_get_value (formats, format)
             ? gst_video_format_to_string (format)
             : "an unknown format,";
}

/* Buffers with caps of DMA_DRM may have a meta of that format. */
static gboolean
is_format (GstVideoFormat format, const GstVideoInfo *info)
{
#if GST_CHECK_VERSION(1, 24, 0)
  if (format == GST_VIDEO_FORMAT_DMA_DRM)
    return TRUE;
#endif

  return format == GST_VIDEO_INFO_FORMAT (info);
}

static gboolean
check_meta (const GstVideoMeta *meta, const GstVideoInfo *info, GError **error)
{
  if (is_format (meta->format, info) &&
      meta->n_planes == GST_VIDEO_INFO_N_PLANES (info) &&
      meta->width >= (guint) GST_VIDEO_INFO_WIDTH (info) &&
      meta->height >= (guint) GST_VIDEO_INFO_FIELD_HEIGHT (info))
    return TRUE;

  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The buffer's video meta describes %s %ux%u, its caps %s %dx%d.",
      format_name (meta->format), meta->width, meta->height,
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (info)),
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_FIELD_HEIGHT (info));

  return FALSE;
}

gboolean
gst_cl_frame_plane_layout (GstBuffer *buffer, const GstVideoInfo *info,
    guint plane, gsize *offset_bytes, gint *stride_bytes, GError **error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  gint row_bytes, n_rows;

  if (meta && !check_meta (meta, info, error))
    return FALSE;

  *offset_bytes = meta ? meta->offset[plane]
                       : GST_VIDEO_INFO_PLANE_OFFSET (info, plane);
  *stride_bytes = meta ? meta->stride[plane]
                       : GST_VIDEO_INFO_PLANE_STRIDE (info, plane);

  gst_cl_frame_plane_extent (info, plane, &row_bytes, &n_rows);

  return *stride_bytes >= row_bytes ||
         fail_geometry (meta, info, plane, *stride_bytes, row_bytes, error);
}

/* Returns the rows of both fields in plane @plane, which begins at @start. If
 * @buffer lacks the last row of the bottom field, sets *@is_complete to FALSE
 * and returns the rows of the frame. */
static gint
count_buffer_rows (GstBuffer *buffer, const GstVideoInfo *info, guint plane,
    gsize start, gint stride_bytes, gboolean *is_complete)
{
  gint row_bytes, n_rows, n_field_rows = 0;
  gsize end;

  gst_cl_frame_plane_extent (info, plane, &row_bytes, &n_rows);
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    if (GST_VIDEO_INFO_COMP_PLANE (info, c) == plane)
      n_field_rows = MAX (n_field_rows, count_field_rows (info, c));
  }
  *is_complete = TRUE;
  if (n_field_rows <= n_rows)
    return n_rows;

  end = start + (gsize) (n_field_rows - 1) * stride_bytes + row_bytes;
  *is_complete = end <= gst_buffer_get_size (buffer);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gsize other;
    gint stride;

    if (gst_cl_frame_plane_layout (buffer, info, p, &other, &stride, NULL) &&
        other > start && other < end)
      *is_complete = FALSE;
  }

  return *is_complete ? n_field_rows : n_rows;
}

gint
gst_cl_frame_plane_rows (GstBuffer *buffer, const GstVideoInfo *info,
    guint plane)
{
  gint row_bytes, n_rows, stride_bytes;
  gboolean is_complete;
  gsize start;

  if (gst_cl_frame_plane_layout (buffer, info, plane, &start, &stride_bytes,
          NULL))
    return count_buffer_rows (buffer, info, plane, start, stride_bytes,
        &is_complete);
  gst_cl_frame_plane_extent (info, plane, &row_bytes, &n_rows);

  return n_rows;
}

gboolean
gst_cl_frame_has_field_rows (GstBuffer *buffer, const GstVideoInfo *info)
{
  gboolean is_complete = TRUE;

  for (guint p = 0; is_complete && p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gsize start;
    gint stride;

    if (gst_cl_frame_plane_layout (buffer, info, p, &start, &stride, NULL))
      count_buffer_rows (buffer, info, p, start, stride, &is_complete);
  }

  return is_complete;
}

/* Bytes @start .. @end - 1 of a buffer: planes @first .. @last and the bytes
 * between them. */
typedef struct {
  gsize start, end;
  guint first, last;
} Span;

/* The planes to take for a frame; arguments of gst_cl_frame_take(). */
typedef struct {
  GstClFrame *frame;
  GstClImporter *importer;
  GstBuffer *buffer;
  guint plane_mask;
  GstMapFlags flags;
  Span spans[GST_VIDEO_MAX_PLANES]; /* which contain the planes */
  guint n_spans;
} Planes;

static gboolean
find_plane (GstBuffer *buffer, const GstVideoInfo *info, guint plane,
    Span *span, gint *stride_bytes, GError **error)
{
  gint row_bytes, n_rows;
  gboolean is_complete;

  *span = (Span){ .first = plane, .last = plane };
  gst_cl_frame_plane_extent (info, plane, &row_bytes, &n_rows);
  if (!gst_cl_frame_plane_layout (buffer, info, plane, &span->start,
          stride_bytes, error))
    return FALSE;
  n_rows = count_buffer_rows (buffer, info, plane, span->start, *stride_bytes,
      &is_complete);
  span->end = span->start + (gsize) (n_rows - 1) * *stride_bytes + row_bytes;

  return TRUE;
}

/* Returns TRUE if the span contains bytes of a plane that is not taken. */
static gboolean
holds_another_plane (const Planes *self, const Span *span)
{
  const GstVideoInfo *info = &self->frame->info;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    Span other;
    gint stride;

    if (!(self->plane_mask & (1u << p)) &&
        find_plane (self->buffer, info, p, &other, &stride, NULL) &&
        other.start < span->end && other.end > span->start)
      return TRUE;
  }

  return FALSE;
}

static gboolean
lies_in_one_memory (GstBuffer *buffer, const Span *span)
{
  guint index, n_memories;
  gsize skip;

  return span->end <= gst_buffer_get_size (buffer) &&
         gst_buffer_find_memory (buffer, span->start, span->end - span->start,
             &index, &n_memories, &skip) &&
         n_memories == 1;
}

gboolean
gst_cl_frame_check_plane (GstBuffer *buffer, const GstVideoInfo *info,
    guint plane, GError **error)
{
  GstClBufferRegion region;
  Span span;
  gint stride;

  return find_plane (buffer, info, plane, &span, &stride, error) &&
         gst_cl_buffer_region_find (&region, buffer, span.start,
             span.end - span.start, error);
}

gboolean
gst_cl_frame_plane_is_whole (GstBuffer *buffer, const GstVideoInfo *info,
    guint plane)
{
  Span span;
  gint stride;

  return find_plane (buffer, info, plane, &span, &stride, NULL) &&
         lies_in_one_memory (buffer, &span);
}

/* Kernels read whole samples, and words of packed formats: two-byte samples
 * must have even addresses. */
static guint
unit_bytes (const GstVideoInfo *info)
{
  const GstClPacking *packing = gst_cl_format_packing (info->finfo);

  return packing ? gst_cl_packing_word_bytes (packing)
                 : gst_cl_component_of_info (info, 0).sample.bytes;
}

/* Adds plane @plane to the last span if one transfer of both is faster than
 * two, contains no other plane's samples, keeps samples aligned, and fits into
 * one buffer of the device. */
static gboolean
join_last_span (Planes *self, const Span *plane)
{
  const GstClContext *context = gst_cl_importer_context (self->importer);
  Span *span = &self->spans[self->n_spans - 1];
  const Span both = { span->start, plane->end, span->first, plane->last };

  if (plane->start < span->end ||
      plane->start - span->end > GST_CL_MAX_GAP_BYTES ||
      both.end - both.start > context->device->max_alloc_bytes ||
      (plane->start - span->start) % unit_bytes (&self->frame->info) != 0 ||
      holds_another_plane (self, &both) ||
      !lies_in_one_memory (self->buffer, &both))
    return FALSE;
  *span = both;

  return TRUE;
}

/* Returns TRUE if some rows of the span's first plane begin at odd
 * addresses. */
static gboolean
has_odd_stride (const GstClFrame *frame, const Span *span)
{
  return frame->planes[span->first].stride_bytes % unit_bytes (&frame->info) !=
         0;
}

/* Sets the spans that contain the planes. */
static gboolean
find_spans (Planes *self, GError **error)
{
  GstClFrame *frame = self->frame;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&frame->info); p++) {
    Span span;

    if (!(self->plane_mask & (1u << p)))
      continue;

    if (!find_plane (self->buffer, &frame->info, p, &span,
            &frame->planes[p].stride_bytes, error))
      return FALSE;
    frame->planes[p].offset_bytes = span.start;
    if (self->n_spans == 0 ||
        has_odd_stride (frame, &self->spans[self->n_spans - 1]) ||
        has_odd_stride (frame, &span) || !join_last_span (self, &span))
      self->spans[self->n_spans++] = span;
  }

  return TRUE;
}

/* Returns the rows of a span that is one plane with unaligned samples, which
 * are copied to aligned addresses; sets the stride of the plane to the copy's.
 */
static GstClRows
repack_rows (GstClFrame *frame, const Span *span)
{
  gint *stride_bytes = &frame->planes[span->first].stride_bytes;
  gint row_bytes, n_rows;
  GstClRows rows;

  gst_cl_frame_plane_extent (&frame->info, span->first, &row_bytes, &n_rows);
  n_rows = (gint) ((span->end - span->start - (gsize) row_bytes) /
                   (gsize) *stride_bytes) +
           1;
  rows = (GstClRows){ row_bytes, n_rows, *stride_bytes, row_bytes };
  *stride_bytes = row_bytes;

  return rows;
}

static gboolean
take_span (const Planes *self, const Span *span, GError **error)
{
  GstClFrame *frame = self->frame;
  GstClDeviceRange *range = &frame->ranges[frame->n_ranges];
  const gsize size_bytes = span->end - span->start;
  GstClImportRequest request = { .buffer = self->buffer,
    .offset_bytes = span->start,
    .slot = frame->n_ranges };
  g_autoptr (GError) failure = NULL;

  if (has_odd_stride (frame, span)) {
    request.rows = repack_rows (frame, span);
  } else {
    request.rows = gst_cl_rows_block (size_bytes);
    request.align_bytes = unit_bytes (&frame->info);
    request.flags = self->flags;
  }
  if (!gst_cl_importer_import (self->importer, &request, range, &failure)) {
    /* whichever call failed, the size is why */
    if (gst_cl_buffer_check_rows (gst_cl_importer_context (self->importer),
            size_bytes, (guint) GST_VIDEO_INFO_HEIGHT (&frame->info), error))
      g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
  }
  frame->n_ranges++;

  for (guint p = span->first; p <= span->last; p++) {
    if (!(self->plane_mask & (1u << p)))
      continue;
    frame->planes[p].mem = range->mem;
    frame->planes[p].offset_bytes += range->offset_bytes - span->start;
  }

  return TRUE;
}

gboolean
gst_cl_frame_take (GstClFrame *frame, GstClImporter *importer,
    GstBuffer *buffer, const GstVideoInfo *info, guint plane_mask,
    GstMapFlags flags, GError **error)
{
  Planes planes = { .frame = frame,
    .importer = importer,
    .buffer = buffer,
    .plane_mask = plane_mask,
    .flags = flags };
  gboolean taken;

  *frame = (GstClFrame){ .info = *info };

  taken = find_spans (&planes, error);
  /* the first transfer begins while the CPU copies the other spans */
  if (taken && planes.n_spans > 1)
    planes.flags &= ~GST_CL_MAP_LATE;
  for (guint i = 0; taken && i < planes.n_spans; i++)
    taken = take_span (&planes, &planes.spans[i], error);
  while (!taken && frame->n_ranges > 0)
    gst_cl_importer_abandon (importer, &frame->ranges[--frame->n_ranges]);

  return taken;
}

gboolean
gst_cl_frame_pending_upload (const GstClFrame *frame,
    GstClPendingUpload *pending)
{
  *pending = frame->ranges[0].pending;

  return frame->n_ranges == 1 &&
         (pending->write.data || pending->upload || pending->is_external);
}

void
gst_cl_frame_hand_over_upload (GstClFrame *frame)
{
  frame->ranges[0].pending = (GstClPendingUpload){ .is_external = FALSE };
}

gboolean
gst_cl_frame_begin_reads (GstClFrame *frame, GstClContext *context,
    GError **error)
{
  for (guint i = 0; i < frame->n_ranges; i++) {
    if (!gst_cl_device_range_begin_reads (&frame->ranges[i], context, error))
      return FALSE;
  }

  return TRUE;
}

void
gst_cl_frame_end_reads (GstClFrame *frame)
{
  for (guint i = 0; i < frame->n_ranges; i++)
    gst_cl_device_range_end_reads (&frame->ranges[i]);
}

void
gst_cl_frame_submitted (GstClFrame *frame, GstClAccess *accesses,
    guint *n_accesses)
{
  for (guint i = 0; i < frame->n_ranges; i++)
    gst_cl_device_range_submitted (&frame->ranges[i], accesses, n_accesses);
}

gboolean
gst_cl_frame_wait_for_uploads (GstClFrame *frame, GstClContext *context,
    GError **error)
{
  gboolean done = TRUE;

  for (guint i = 0; i < frame->n_ranges; i++)
    done &= gst_cl_device_range_wait_for_upload (&frame->ranges[i], context,
        done ? error : NULL);

  return done;
}

void
gst_cl_frame_release (GstClFrame *frame)
{
  while (frame->n_ranges > 0)
    gst_cl_device_range_release (&frame->ranges[--frame->n_ranges]);
}

gboolean
gst_cl_frame_is_host (const GstClFrame *frame)
{
  for (guint i = 0; i < frame->n_ranges; i++) {
    if (frame->ranges[i].is_host)
      return TRUE;
  }

  return FALSE;
}

gboolean
gst_cl_frame_is_packed (const GstVideoInfo *info)
{
  return gst_cl_format_packing (info->finfo) != NULL;
}

/* Rows of unpacked components begin at multiples of this. */
#define UNPACKED_ALIGN 64

/* Returns the geometry of a component of a packed format: a plane of its own,
 * after the planes of the components before it. */
static GstClComponent
unpacked_component (const GstVideoInfo *info, guint component,
    const GstClPacking *packing)
{
  const gint bytes = packing->depth > 8 ? 2 : 1;
  GstClComponent view = { .pixel_stride_bytes = bytes,
    .sample = { bytes, packing->depth, 0 } };

  for (guint c = 0; c <= component; c++) {
    view.offset_bytes += (gsize) view.stride_bytes * view.height;
    view.width = GST_VIDEO_INFO_COMP_WIDTH (info, c);
    view.height = GST_VIDEO_INFO_COMP_HEIGHT (info, c);
    view.stride_bytes = GST_ROUND_UP_N (view.width * bytes, UNPACKED_ALIGN);
  }

  return view;
}

GstClComponent
gst_cl_component_of_info (const GstVideoInfo *info, guint component)
{
  const GstClPacking *packing = gst_cl_format_packing (info->finfo);

  if (packing)
    return unpacked_component (info, component, packing);

  return (GstClComponent){
    .offset_bytes = GST_VIDEO_INFO_PLANE_OFFSET (info,
                        GST_VIDEO_INFO_COMP_PLANE (info, component)) +
                    gst_cl_format_component_offset (info->finfo, component),
    .stride_bytes = GST_VIDEO_INFO_COMP_STRIDE (info, component),
    .pixel_stride_bytes = GST_VIDEO_INFO_COMP_PSTRIDE (info, component),
    .width = GST_VIDEO_INFO_COMP_WIDTH (info, component),
    .height = GST_VIDEO_INFO_COMP_HEIGHT (info, component),
    .sample = {
        .bytes = (GST_VIDEO_INFO_COMP_DEPTH (info, component) + 7) / 8,
        .depth = GST_VIDEO_INFO_COMP_DEPTH (info, component),
        .shift = gst_cl_format_component_shift (info->finfo, component),
    },
  };
}

GstClComponent
gst_cl_frame_component (const GstClFrame *frame, guint component)
{
  GstClComponent view = gst_cl_component_of_info (&frame->info, component);
  const guint plane = GST_VIDEO_INFO_COMP_PLANE (&frame->info, component);

  if (frame->unpacked) {
    view.mem = frame->unpacked;
    return view;
  }
  g_return_val_if_fail (!gst_cl_frame_is_packed (&frame->info), view);

  view.mem = frame->planes[plane].mem;
  view.offset_bytes = frame->planes[plane].offset_bytes +
                      gst_cl_format_component_offset (frame->info.finfo,
                          component);
  view.stride_bytes = frame->planes[plane].stride_bytes;

  return view;
}

GstClComponent
gst_cl_frame_padding (const GstClFrame *frame, guint offset_bytes)
{
  GstClComponent view = gst_cl_frame_component (frame, 0);

  view.offset_bytes = frame->planes[0].offset_bytes + offset_bytes;

  return view;
}

gint
gst_cl_row_set_count (GstClRowSet rows, gint n_rows)
{
  switch (rows) {
    case GST_CL_ROWS_TOP:
      return n_rows / 2 + n_rows % 2;
    case GST_CL_ROWS_BOTTOM:
      return n_rows / 2;
    default:
      return n_rows;
  }
}

GstClComponent
gst_cl_component_of_field (GstClComponent view, const GstVideoInfo *info,
    guint component, GstClRowSet rows)
{
  if (rows != GST_CL_ROWS_ALL)
    view.height = count_field_rows (info, component);

  return gst_cl_component_rows (view, rows);
}

GstClComponent
gst_cl_component_rows (GstClComponent component, GstClRowSet rows)
{
  component.height = gst_cl_row_set_count (rows, component.height);
  if (rows == GST_CL_ROWS_ALL)
    return component;

  if (rows == GST_CL_ROWS_BOTTOM)
    component.offset_bytes += component.stride_bytes;
  component.stride_bytes *= 2;

  return component;
}
