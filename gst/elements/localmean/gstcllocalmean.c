/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cllocalmean
 * @title: cllocalmean
 * @short_description: mean of a window around every pixel, thresholds and
 * corrections, on an OpenCL device
 *
 * Replaces each sample by the mean of the kernel-width x kernel-height samples
 * around it, rounded half up, at a cost that hardly depends on the window. With
 * operation, it computes the standard deviation, the difference of the sample
 * from the mean, the sample corrected for uneven light, or black or white by a
 * local threshold. With step-x and step-y, it gives one result per step;
 * `border-mode=valid` with a step as large as the window gives exact block
 * means. The window counts samples of each plane, as in FFmpeg's avgblur: in
 * 4:2:0 video it covers twice the width and height of the picture in chroma.
 *
 * The input can also be the integral image of clintegral; then several
 * cllocalmean after a tee share one integral image.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc ! \
 *     cllocalmean kernel-width=31 kernel-height=31 ! \
 *     videoconvert ! autovideosink
 * ]|
 * shows a strongly blurred test picture.
 * |[
 * gst-launch-1.0 videotestsrc ! video/x-raw,format=Y444 ! \
 *     cllocalmean kernel-width=16 kernel-height=16 step-x=16 step-y=16 \
 *     border-mode=valid ! videoconvert ! autovideosink
 * ]|
 * shows the exact mean of every block of 16 x 16 pixels.
 * |[
 * gst-launch-1.0 filesrc location=page.png ! pngdec ! \
 *     videoconvert ! video/x-raw,format=GRAY8 ! \
 *     cllocalmean operation=sauvola kernel-width=31 kernel-height=31 ! \
 *     pngenc ! filesink location=out.png
 * ]|
 * converts the page to black and white, in any light.
 *
 * Since: 0.1
 */

#include "gstcllocalmean.h"

#include "cl/video/gstclformat.h"
#include "cl/video/gstclintegralinfo.h"
#include "elements/base/gstclcaps.h"
#include "elements/base/gstclpool.h"
#include "common/gstclenum.h"
#include "gstcllocalmeanprebuild.h"
#include "gstcllocalmeanrunner.h"
#include "gstcllocalmeancaps.h"
#include "gstcllocalmeansettings.h"
#include "ops/localmean/localmean.h"

GST_DEBUG_CATEGORY (gst_cl_local_mean_debug);
#define GST_CAT_DEFAULT gst_cl_local_mean_debug

/* --- type ---------------------------------------------------------------- */

struct _GstClLocalMean {
  GstClBaseFilter parent;

  /* object lock */
  GstClLocalMeanSettings settings; /* the properties */
  GstClLocalMeanSettings taken;    /* snapshot of the properties */

  /* streaming thread */
  gboolean from_sums;
  GstVideoInfo in_video; /* unless from_sums */
  GstClIntegralInfo in_integral;
  GstVideoInfo out_video;
  GstClLocalMeanRunner *runner;
  GstClLocalMeanRunner *short_runner; /* for buffers without
                                         gst_cl_frame_has_field_rows(); NULL:
                                         there was none yet */
  gboolean has_warned;              /* warn_of_fields() has, since the start */
  gboolean has_settled;             /* gst_cl_local_mean_runner_is_settled() */
  GstClLocalMeanPrebuild *prebuild; /* may be NULL */
};

G_DEFINE_TYPE (GstClLocalMean, gst_cl_local_mean, GST_TYPE_CL_BASE_FILTER)
GST_ELEMENT_REGISTER_DEFINE (cllocalmean, "cllocalmean", GST_RANK_NONE,
    GST_TYPE_CL_LOCAL_MEAN)

#define FIRST_PROPERTY 1

static void
take_settings (GstClBaseFilter *filter)
{
  GstClLocalMean *self = GST_CL_LOCAL_MEAN (filter);

  self->taken = self->settings;
}

static GstClLocalMeanSettings
get_taken (GstClLocalMean *self)
{
  GstClLocalMeanSettings taken;

  GST_OBJECT_LOCK (self);
  taken = self->taken;
  GST_OBJECT_UNLOCK (self);

  return taken;
}

/* --- negotiation --------------------------------------------------------- */

static GstCaps *
gst_cl_local_mean_map (GstClBaseFilter *filter, GstPadDirection direction,
    const GstStructure *structure)
{
  const GstClLocalMeanSettings taken = get_taken (GST_CL_LOCAL_MEAN (filter));

  return gst_cl_local_mean_map_structure (&taken.window, taken.split_fields,
      direction, structure);
}

static gboolean
is_interlaced (GstBuffer *frame)
{
  return GST_BUFFER_FLAG_IS_SET (frame, GST_VIDEO_BUFFER_FLAG_INTERLACED);
}

static void
get_view (GstClBaseFilter *filter, GstBuffer *in, gint width, gint height,
    GstVideoRectangle *view)
{
  GstClLocalMean *self = GST_CL_LOCAL_MEAN (filter);
  const GstClLocalMeanSettings taken = get_taken (self);

  gst_cl_local_mean_get_view (&taken.window,
      gst_cl_local_mean_runner_has_fields (self->runner, is_interlaced (in)),
      width, height, view);
}

/* Posts one warning per start if fields are not filtered separately. */
static void
warn_of_fields (GstClLocalMean *self)
{
  if (self->has_warned || !gst_cl_local_mean_runner_lacks_fields (self->runner))
    return;

  self->has_warned = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The fields of interlaced frames are filtered together: with "
       "interlace-mode=mixed, interlaced and progressive frames must have "
       "results of the same height, which step-y or border-mode=valid "
       "prevents. Put deinterlace before the element, or set "
       "split-fields=false."),
      (NULL));
}

static GstClLocalMeanRunner *
make_runner (GstClLocalMean *self, gboolean has_field_rows, GError **error)
{
  GstClBaseFilter *filter = GST_CL_BASE_FILTER (self);
  const GstClLocalMeanSettings settings = get_taken (self);
  const GstClLocalMeanSetup setup = {
    .context = gst_cl_base_filter_context (filter),
    .settings = &settings,
    .video = self->from_sums ? NULL : &self->in_video,
    .integral = self->from_sums ? &self->in_integral : NULL,
    .out = &self->out_video,
    .has_field_rows = has_field_rows,
    .may_measure = gst_cl_base_filter_may_measure (filter),
  };

  return gst_cl_local_mean_runner_new (&setup, error);
}

static gboolean
gst_cl_local_mean_configure (GstClBaseFilter *filter, GstCaps *in, GstCaps *out,
    GError **error)
{
  GstClLocalMean *self = GST_CL_LOCAL_MEAN (filter);
  GstClContext *context = gst_cl_base_filter_context (filter);

  g_clear_pointer (&self->runner, gst_cl_local_mean_runner_free);
  g_clear_pointer (&self->short_runner, gst_cl_local_mean_runner_free);
  /* checked first, because gst_video_info_from_caps() accepts any video type */
  self->from_sums = gst_cl_integral_is_structure (
      gst_caps_get_structure (in, 0));
  if (!(self->from_sums
              ? gst_cl_integral_info_from_caps (&self->in_integral, in)
              : gst_video_info_from_caps (&self->in_video, in)) ||
      !gst_video_info_from_caps (&self->out_video, out)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe neither a video frame nor an integral image.");
    return FALSE;
  }
  if (!gst_cl_pool_check_size (context, GST_VIDEO_INFO_SIZE (&self->out_video),
          (guint) GST_VIDEO_INFO_HEIGHT (&self->out_video), error))
    return FALSE;

  self->runner = make_runner (self, TRUE, error);
  self->has_settled = FALSE;
  if (!self->runner)
    return FALSE;
  warn_of_fields (self);

  return TRUE;
}

/* --- processing ---------------------------------------------------------- */

/* Arguments for the work on one frame. */
typedef struct {
  GstClLocalMean *self;
  GstClLocalMeanRunner *runner;
  const GstClFrame *in; /* NULL: range */
  const GstClDeviceRange *range;
  const GstClFrame *out;
  gboolean is_interlaced;
} Work;

static gboolean
run (const Work *work, GError **error)
{
  GstClLocalMean *self = work->self;
  const GstClIntegralInfo *info = &self->in_integral;
  GstClSums sums, squares = { 0 };

  if (work->in)
    return gst_cl_local_mean_runner_run (work->runner, work->in, work->out,
        work->is_interlaced, error);

  sums = gst_cl_integral_info_sums (info, work->range->mem,
      work->range->offset_bytes);
  if (info->has_squares)
    squares = gst_cl_integral_info_squares (info, work->range->mem,
        work->range->offset_bytes);

  return gst_cl_local_mean_runner_run_sums (work->runner, &sums,
      info->has_squares ? &squares : NULL, work->out, error);
}

/* Returns the runner for the rows of @in and @out. NULL with @error. */
static GstClLocalMeanRunner *
find_runner (GstClLocalMean *self, GstBuffer *in, GstBuffer *out,
    GError **error)
{
  if (self->from_sums ||
      (gst_cl_frame_has_field_rows (in, &self->in_video) &&
          gst_cl_frame_has_field_rows (out, &self->out_video)))
    return self->runner;

  if (!self->short_runner)
    self->short_runner = make_runner (self, FALSE, error);

  return self->short_runner;
}

static gboolean
run_frame (GstClLocalMean *self, GstClLocalMeanRunner *runner,
    GstClInFlight *frames, GstBuffer *in, GstBuffer *out, GError **error)
{
  Work work = { .self = self,
    .runner = runner,
    .is_interlaced = is_interlaced (in) };

  work.out = gst_cl_in_flight_take_components (frames, out, &self->out_video,
      GST_CL_ALL_COMPONENTS, GST_MAP_WRITE, error);
  if (!work.out)
    return FALSE;
  if (self->from_sums)
    work.range = gst_cl_in_flight_take_bytes (frames, in,
        gst_cl_integral_info_size (&self->in_integral), GST_MAP_READ, error);
  else
    work.in = gst_cl_in_flight_take_components (frames, in, &self->in_video,
        GST_CL_ALL_COMPONENTS, GST_MAP_READ, error);

  return (work.range || work.in) &&
         gst_cl_in_flight_begin_kernels (frames, error) && run (&work, error) &&
         gst_cl_in_flight_end_kernels (frames, error);
}

static gboolean
gst_cl_local_mean_process (GstClBaseFilter *filter, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  GstClLocalMean *self = GST_CL_LOCAL_MEAN (filter);
  const GstClLocalMeanSettings settings = get_taken (self);
  GstClLocalMeanRunner *runner = find_runner (self, in, out, error);

  if (!runner)
    return FALSE;

  gst_cl_local_mean_runner_set_factors (runner, &settings);
  if (!run_frame (self, runner, frames, in, out, error))
    return FALSE;

  if (!self->has_settled && gst_cl_local_mean_runner_is_settled (runner)) {
    gst_cl_local_mean_prebuild_start (self->prebuild, runner);
    self->has_settled = TRUE;
  }

  return TRUE;
}

/* --- properties ---------------------------------------------------------- */

/* GObject calls this for installed properties only. */
static void
gst_cl_local_mean_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClLocalMean *self = GST_CL_LOCAL_MEAN (object);
  GstClChange change;

  GST_OBJECT_LOCK (self);
  change = gst_cl_property_set (
      &gst_cl_local_mean_properties[id - FIRST_PROPERTY], &self->settings,
      value);
  GST_OBJECT_UNLOCK (self);

  gst_cl_base_filter_mark_changed (GST_CL_BASE_FILTER (self), change);
}

static void
gst_cl_local_mean_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClLocalMean *self = GST_CL_LOCAL_MEAN (object);

  GST_OBJECT_LOCK (self);
  gst_cl_property_get (&gst_cl_local_mean_properties[id - FIRST_PROPERTY],
      &self->settings, value);
  GST_OBJECT_UNLOCK (self);
}

/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_local_mean_start (GstBaseTransform *trans)
{
  if (!GST_BASE_TRANSFORM_CLASS (gst_cl_local_mean_parent_class)->start (trans))
    return FALSE;

  GST_CL_LOCAL_MEAN (trans)->has_warned = FALSE;
  GST_CL_LOCAL_MEAN (trans)->prebuild = gst_cl_local_mean_prebuild_new (
      gst_cl_base_filter_context (GST_CL_BASE_FILTER (trans)));

  return TRUE;
}

static gboolean
gst_cl_local_mean_stop (GstBaseTransform *trans)
{
  GstClLocalMean *self = GST_CL_LOCAL_MEAN (trans);

  g_clear_pointer (&self->prebuild, gst_cl_local_mean_prebuild_free);
  g_clear_pointer (&self->runner, gst_cl_local_mean_runner_free);
  g_clear_pointer (&self->short_runner, gst_cl_local_mean_runner_free);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_local_mean_parent_class)
      ->stop (trans);
}

static void
gst_cl_local_mean_init (GstClLocalMean *self)
{
  gst_cl_property_init_fields (gst_cl_local_mean_properties,
      GST_CL_LOCAL_MEAN_N_PROPERTIES, &self->settings);
  self->taken = self->settings;
}

static void
gst_cl_local_mean_class_init (GstClLocalMeanClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstClBaseFilterClass *filter_class = GST_CL_BASE_FILTER_CLASS (klass);
  g_autoptr (GstCaps) sink_caps = gst_cl_local_mean_make_sink_caps ();
  g_autoptr (GstCaps) src_caps = gst_cl_local_mean_make_src_caps ();

  GST_DEBUG_CATEGORY_INIT (gst_cl_local_mean_debug, "cllocalmean", 0,
      "OpenCL local means");

  object_class->set_property = gst_cl_local_mean_set_property;
  object_class->get_property = gst_cl_local_mean_get_property;
  trans_class->start = GST_DEBUG_FUNCPTR (gst_cl_local_mean_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_local_mean_stop);
  filter_class->take_settings = GST_DEBUG_FUNCPTR (take_settings);
  filter_class->get_view = GST_DEBUG_FUNCPTR (get_view);
  filter_class->map_structure = GST_DEBUG_FUNCPTR (gst_cl_local_mean_map);
  filter_class->caps_properties =
      "kernel-width, kernel-height, step-x, step-y, border-mode, split-fields";
  filter_class->configure = GST_DEBUG_FUNCPTR (gst_cl_local_mean_configure);
  filter_class->splits_fields = TRUE;
  filter_class->process = GST_DEBUG_FUNCPTR (gst_cl_local_mean_process);

  gst_cl_property_install (gst_cl_local_mean_properties,
      GST_CL_LOCAL_MEAN_N_PROPERTIES, object_class, FIRST_PROPERTY);
  gst_cl_caps_add_templates (element_class, sink_caps, src_caps, FALSE, TRUE);
  gst_element_class_set_static_metadata (element_class, "OpenCL local means",
      "Filter/Effect/Video",
      "Computes the mean of a window around every pixel, or a threshold or "
      "correction from it, on an OpenCL device",
      "The gst-opencl authors");

  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_border_enum), 0);
  gst_type_mark_as_plugin_api (
      gst_cl_enum_get_type (&gst_cl_local_mean_operation_enum), 0);
  gst_type_mark_as_plugin_api (
      gst_cl_enum_get_type (&gst_cl_local_mean_method_enum), 0);
  gst_type_mark_as_plugin_api (gst_cl_enum_get_type (&gst_cl_planes_enum), 0);
}
