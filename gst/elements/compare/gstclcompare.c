/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clcompare
 * @title: clcompare
 * @short_description: PSNR, SSIM and XPSNR of streams against a reference
 *
 * Compares the frames of each `sink_%u` with those of `reference`: PSNR, SSIM
 * and XPSNR as FFmpeg's filters define them, the largest difference and where
 * the first one is. Sums are integers; results are the same on every device.
 * Frames pair by running time; frames without a partner are counted and
 * reported.
 *
 * The frames of sink_0 pass, with the results as `GstClCompareMeta`, or with
 * `output=map` pictures of their differences leave. Results are also element
 * messages `clcompare`, `clcompare-event` and `clcompare-pooled`, and lines of
 * the file `location`.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m clcompare name=compare metrics=psnr+ssim ! fakesink \
 *     videotestsrc num-buffers=50 pattern=ball ! video/x-raw,format=I420 ! \
 *     tee name=original ! queue ! compare.reference \
 *     original. ! queue ! jpegenc quality=60 ! jpegdec ! compare.sink_0
 * ]|
 * prints what JPEG of this quality loses.
 *
 * Since: 0.3
 */

/* On GstAggregator, not GstClAggregator: GstVideoAggregator repeats frames and
 * drops early ones, so that a shift or a lost frame would not show. Each pair
 * is complete before the next one begins: frames leave with their results. */

#include "gstclcompare.h"

#include "cl/context/gstclprogram.h"
#include "cl/device/gstclerror.h"
#include "cl/memory/gstclmemory.h"
#include "cl/video/gstcldrm.h"
#include "cl/video/gstclformat.h"
#include "elements/base/gstclcaps.h"
#include "elements/base/gstclcontexthelper.h"
#include "elements/base/gstclfailure.h"
#include "elements/base/gstclpool.h"
#include "elements/base/gstclresultmeta.h"
#include "elements/base/gstclsnapshot.h"
#include "gstclcomparemap.h"
#include "gstclcomparestream.h"
#include "ops/tieredop.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_compare_debug);
#define GST_CAT_DEFAULT gst_cl_compare_debug

#define META_NAME "GstClCompareMeta"
#define REFERENCE "reference" /* the pad */

/* Frames of other rates are pairs up to half of this apart: containers round
 * times to milliseconds. */
#define SAME_TIME (2 * GST_MSECOND + 1)

/* The buffers of an input: the one that is compared, the one in the pad, the
 * one that upstream fills, and one that is downstream. */
#define N_BUFFERS 4

/* After how long live inputs without a frame are asked again. */
#define FRAME_OF_LIVE_INPUTS (40 * GST_MSECOND)

/* --- pads ----------------------------------------------------------------- */

struct _GstClComparePad {
  GstAggregatorPad parent;

  guint64 number;   /* of sink_%u; the reference is the last */
  gint has_refused; /* atomic: an error about the caps has been posted */

  /* streaming thread */
  GstCaps *caps; /* of the frame that is next; NULL: none yet */
  GstVideoInfo info;
  guint64 n_frames;           /* taken */
  GstClCompareStream *stream; /* NULL: of the reference */
};

G_DEFINE_TYPE (GstClComparePad, gst_cl_compare_pad, GST_TYPE_AGGREGATOR_PAD)

#define NUMBER_OF_REFERENCE G_MAXUINT64

static void
gst_cl_compare_pad_constructed (GObject *object)
{
  const gchar *name = GST_OBJECT_NAME (object);

  G_OBJECT_CLASS (gst_cl_compare_pad_parent_class)->constructed (object);

  GST_CL_COMPARE_PAD (object)->number = g_str_has_prefix (name, "sink_")
                                            ? g_ascii_strtoull (
                                                  name + strlen ("sink_"), NULL,
                                                  10)
                                            : NUMBER_OF_REFERENCE;
}

static void
gst_cl_compare_pad_finalize (GObject *object)
{
  GstClComparePad *self = GST_CL_COMPARE_PAD (object);

  gst_clear_caps (&self->caps);
  gst_cl_compare_stream_free (self->stream);

  G_OBJECT_CLASS (gst_cl_compare_pad_parent_class)->finalize (object);
}

static void
gst_cl_compare_pad_init (GstClComparePad *self)
{
}

static void
gst_cl_compare_pad_class_init (GstClComparePadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->constructed = gst_cl_compare_pad_constructed;
  object_class->finalize = gst_cl_compare_pad_finalize;
}

/* --- type ----------------------------------------------------------------- */

struct _GstClCompare {
  GstAggregator parent;

  GstClContextHelper context_helper;
  GstClCompareSettings settings; /* object lock */
  GstClFailure failure;
  gint n_flushing, is_seeking; /* atomic: pads, and a flushing seek */

  /* between start() and stop() */
  GstClContext *context;
  GstClComparePublisher publisher;
  GstClCompareSettings started; /* when the element started */

  /* streaming thread */
  GstClCompareSettings taken; /* of the next frames */
  GstClockTime next_time;     /* running time of the end of the last frames */
  guint64 first_number;       /* of the pad whose frames pass */
  GPtrArray *pads;            /* sink_%u in the order of their numbers; refs */
  GstClComparePad *reference; /* ref */
  GstClInFlight *in_flight;   /* NULL: not configured yet */
  GstClCompareMap map;
  guint n_inputs; /* of in_flight */
};

G_DEFINE_TYPE (GstClCompare, gst_cl_compare, GST_TYPE_AGGREGATOR)
GST_ELEMENT_REGISTER_DEFINE (clcompare, "clcompare", GST_RANK_NONE,
    GST_TYPE_CL_COMPARE)

/* The properties of GstClContextHelper have lower numbers. */
#define FIRST_PROPERTY 16

static GParamSpec *device_name_pspec;

static GstAggregatorClass *
parent_class (void)
{
  return GST_AGGREGATOR_CLASS (gst_cl_compare_parent_class);
}

static void
fail (GstClCompare *self, const GError *error)
{
  gst_cl_failure_post (&self->failure, GST_ELEMENT (self), self->context,
      error);
}

/* Returns the flow after a failure has been posted. */
static GstFlowReturn
failed_flow (GstClCompare *self)
{
  const GstFlowReturn flow = gst_cl_failure_flow (&self->failure,
      GST_ELEMENT (self), self->context);

  return flow == GST_FLOW_ERROR ? flow : GST_FLOW_OK;
}

static GstClContext *
ref_context (GstClCompare *self)
{
  GstClContext *context;

  GST_OBJECT_LOCK (self);
  context = self->context_helper.context
                ? gst_object_ref (self->context_helper.context)
                : NULL;
  GST_OBJECT_UNLOCK (self);

  return context;
}

static gint
compare_pads (gconstpointer a, gconstpointer b)
{
  const guint64 x = (*(GstClComparePad *const *) a)->number,
                y = (*(GstClComparePad *const *) b)->number;

  return x < y ? -1 : x > y;
}

/* Publishes the pooled results of the pads of @before that are released. */
static void
end_released (GstClCompare *self, GPtrArray *before)
{
  for (guint i = 0; i < before->len; i++) {
    GstClComparePad *pad = g_ptr_array_index (before, i);

    if (pad->stream && !g_ptr_array_find (self->pads, pad, NULL))
      gst_cl_compare_stream_end (pad->stream, FALSE);
  }
}

/* Sets the pads of the next frames. */
static void
take_pads (GstClCompare *self)
{
  g_autoptr (GPtrArray) before = self->pads;

  self->pads = g_ptr_array_new_with_free_func (gst_object_unref);
  gst_clear_object (&self->reference);
  GST_OBJECT_LOCK (self);
  for (GList *i = GST_ELEMENT (self)->sinkpads; i; i = i->next) {
    GstClComparePad *pad = i->data;

    if (pad->number == NUMBER_OF_REFERENCE)
      self->reference = gst_object_ref (pad);
    else
      g_ptr_array_add (self->pads, gst_object_ref (pad));
  }
  GST_OBJECT_UNLOCK (self);
  g_ptr_array_sort (self->pads, compare_pads);
  end_released (self, before);
}

static GstClComparePad *
get_pad (GstClCompare *self, guint i)
{
  return g_ptr_array_index (self->pads, i);
}

/* Returns TRUE if @pad is the sink_%u whose frames pass. */
static gboolean
is_first (GstClCompare *self, const GstClComparePad *pad)
{
  gboolean is_least = pad->number != NUMBER_OF_REFERENCE;

  GST_OBJECT_LOCK (self);
  for (GList *i = GST_ELEMENT (self)->sinkpads; i && is_least; i = i->next)
    is_least = GST_CL_COMPARE_PAD (i->data)->number >= pad->number;
  GST_OBJECT_UNLOCK (self);

  return is_least;
}

/* Returns that of the start, while there is a context. */
static GstClCompareOutput
get_output (GstClCompare *self)
{
  GstClCompareOutput output;

  GST_OBJECT_LOCK (self);
  output = self->context_helper.context ? self->started.output
                                        : self->settings.output;
  GST_OBJECT_UNLOCK (self);

  return output;
}

/* GstAggregator names all pads sink_%u. */
static GstAggregatorPad *
create_new_pad (GstAggregator *agg, GstPadTemplate *template, const gchar *name,
    const GstCaps *caps)
{
  g_autoptr (GstPad) existing = NULL;

  if (!g_str_equal (GST_PAD_TEMPLATE_NAME_TEMPLATE (template), REFERENCE))
    return parent_class ()->create_new_pad (agg, template, name, caps);

  existing = gst_element_get_static_pad (GST_ELEMENT (agg), REFERENCE);
  if (existing) {
    GST_WARNING_OBJECT (agg, "there is one pad \"" REFERENCE "\" already");
    return NULL;
  }

  return g_object_new (GST_TYPE_CL_COMPARE_PAD, "name", REFERENCE, "direction",
      GST_PAD_SINK, "template", template, NULL);
}

/* --- caps ----------------------------------------------------------------- */

/* Returns the caps that @pad accepts; of the first one, if @is_whole, those
 * that downstream accepts, too. transfer full */
static GstCaps *
get_input_caps (GstClCompare *self, GstPad *pad, gboolean is_whole)
{
  g_autoptr (GstClContext) context = ref_context (self);
  GstCaps *caps = gst_pad_get_pad_template_caps (pad);

  if (is_whole && get_output (self) == GST_CL_COMPARE_OUTPUT_DISTORTED &&
      is_first (self, GST_CL_COMPARE_PAD (pad))) {
    GstCaps *accepted = gst_pad_peer_query_caps (GST_AGGREGATOR_SRC_PAD (self),
        caps);

    gst_caps_unref (caps);
    caps = accepted;
  }

  return gst_cl_caps_importable (caps, context);
}

static void
answer_caps (GstClCompare *self, GstPad *pad, GstQuery *query)
{
  g_autoptr (GstClContext) context = ref_context (self);
  g_autoptr (GstCaps) caps = NULL;
  GstCaps *filter;

  gst_query_parse_caps (query, &filter);
  caps = gst_cl_caps_admitted (get_input_caps (self, pad, TRUE), pad, filter);
  gst_query_set_caps_result (query, caps);
  gst_cl_caps_prefer_device (query, context);
}

static void
answer_accept_caps (GstClCompare *self, GstPad *pad, GstQuery *query)
{
  g_autoptr (GstCaps) accepted = get_input_caps (self, pad, FALSE);
  g_autoptr (GError) error = NULL;
  GstCaps *caps;

  gst_query_parse_accept_caps (query, &caps);
  gst_query_set_accept_caps_result (query,
      gst_caps_can_intersect (caps, accepted));
  error = gst_cl_caps_check_input (pad, query);
  if (error && g_atomic_int_compare_and_exchange (
                   &GST_CL_COMPARE_PAD (pad)->has_refused, FALSE, TRUE))
    gst_cl_post_error (self, error);
}

/* Takes the caps of the frames of @pad that are next. */
static gboolean
take_caps (GstClCompare *self, GstClComparePad *pad, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  gst_clear_caps (&pad->caps);
  pad->caps = gst_cl_drm_resolve (gst_caps_ref (caps));
  if (!gst_video_info_from_caps (&pad->info, pad->caps))
    return FALSE;
  g_atomic_int_set (&pad->has_refused, FALSE);
  if (is_first (self, pad))
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));

  return TRUE;
}

/* GstAggregator.update_src_caps: the frames of the first pad pass, or maps of
 * their size leave. */
static GstFlowReturn
update_src_caps (GstAggregator *agg, GstCaps *downstream, GstCaps **result)
{
  GstClCompare *self = GST_CL_COMPARE (agg);
  g_autoptr (GError) error = NULL;
  GstClComparePad *first;

  take_pads (self);
  first = self->pads->len > 0 ? get_pad (self, 0) : self->reference;
  if (!first || !first->caps)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  if (get_output (self) != GST_CL_COMPARE_OUTPUT_MAP) {
    *result = gst_caps_ref (first->caps);
    return GST_FLOW_OK;
  }
  *result = gst_cl_compare_map_choose_caps (&self->map, &first->info,
      GST_AGGREGATOR_SRC_PAD (self), &error);
  if (error)
    gst_cl_post_error (self, error);

  return *result ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

/* Frames that pass are not allocated. */
static gboolean
decide_allocation (GstAggregator *agg, GstQuery *query)
{
  GstClCompare *self = GST_CL_COMPARE (agg);

  return get_output (self) != GST_CL_COMPARE_OUTPUT_MAP ||
         gst_cl_pool_decide (query, self->map.allocator);
}

static gboolean
propose_allocation (GstAggregator *agg, GstAggregatorPad *pad,
    GstQuery *decide_query, GstQuery *query)
{
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  return gst_cl_pool_propose (query, GST_CL_COMPARE (agg)->context, N_BUFFERS);
}

/* --- what can be compared ------------------------------------------------- */

/* Sets @error: @pad differs from the reference in @what, and @converter gives
 * it what the reference has. */
static gboolean
refuse (const GstClComparePad *pad, GError **error, const gchar *has,
    const gchar *reference_has, const gchar *converter)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      "%s has %s, reference has %s. Put \"%s\" before %s.",
      GST_OBJECT_NAME (pad), has, reference_has, converter,
      GST_OBJECT_NAME (pad));

  return FALSE;
}

static gboolean
check_size (const GstClComparePad *pad, const GstVideoInfo *reference,
    GError **error)
{
  const gint width = GST_VIDEO_INFO_WIDTH (&pad->info),
             height = GST_VIDEO_INFO_HEIGHT (&pad->info);
  g_autofree gchar *has = NULL, *wanted = NULL, *converter = NULL;

  if (width == GST_VIDEO_INFO_WIDTH (reference) &&
      height == GST_VIDEO_INFO_HEIGHT (reference))
    return TRUE;

  has = g_strdup_printf ("%dx%d", width, height);
  wanted = g_strdup_printf ("%dx%d", GST_VIDEO_INFO_WIDTH (reference),
      GST_VIDEO_INFO_HEIGHT (reference));
  converter = g_strdup_printf ("videoscale ! video/x-raw,width=%d,height=%d",
      GST_VIDEO_INFO_WIDTH (reference), GST_VIDEO_INFO_HEIGHT (reference));

  return refuse (pad, error, has, wanted, converter);
}

static gboolean
check_format (const GstClComparePad *pad, const GstVideoInfo *reference,
    GError **error)
{
  const gchar *wanted = GST_VIDEO_INFO_NAME (reference);
  g_autofree gchar *converter = NULL;

  if (GST_VIDEO_INFO_FORMAT (&pad->info) == GST_VIDEO_INFO_FORMAT (reference))
    return TRUE;
  converter = g_strdup_printf ("videoconvert ! video/x-raw,format=%s", wanted);

  return refuse (pad, error, GST_VIDEO_INFO_NAME (&pad->info), wanted,
      converter);
}

/* Returns the colorimetry in the caps of @pad; unknown if they have none.
 * GstVideoInfo has defaults instead of a range without a matrix. */
static GstVideoColorimetry
get_colorimetry (const GstClComparePad *pad)
{
  const gchar *text = gst_structure_get_string (
      gst_caps_get_structure (pad->caps, 0), "colorimetry");
  GstVideoColorimetry colorimetry = { 0 };

  if (text && !gst_video_colorimetry_from_string (&colorimetry, text))
    colorimetry = (GstVideoColorimetry){ 0 };

  return colorimetry;
}

/* Range and matrix; one that is unknown is that of the other input. */
static gboolean
check_colorimetry (GstClCompare *self, const GstClComparePad *pad,
    GError **error)
{
  const GstVideoColorimetry mine = get_colorimetry (pad),
                            other = get_colorimetry (self->reference);
  g_autofree gchar *has = NULL, *wanted = NULL, *converter = NULL;

  if ((mine.range == other.range ||
          mine.range == GST_VIDEO_COLOR_RANGE_UNKNOWN ||
          other.range == GST_VIDEO_COLOR_RANGE_UNKNOWN) &&
      (mine.matrix == other.matrix ||
          mine.matrix == GST_VIDEO_COLOR_MATRIX_UNKNOWN ||
          other.matrix == GST_VIDEO_COLOR_MATRIX_UNKNOWN))
    return TRUE;

  has = gst_video_colorimetry_to_string (&mine);
  wanted = gst_video_colorimetry_to_string (&other);
  converter = g_strdup_printf ("videoconvert ! video/x-raw,colorimetry=%s",
      wanted);

  return refuse (pad, error, has, wanted, converter);
}

/* Returns TRUE if both rates are known and differ by more than their usual
 * roundings, such as 2997/100 instead of 30000/1001. */
static gboolean
have_other_rates (const GstVideoInfo *a, const GstVideoInfo *b)
{
  gdouble x, y;

  if (GST_VIDEO_INFO_FPS_N (a) <= 0 || GST_VIDEO_INFO_FPS_N (b) <= 0)
    return FALSE;
  gst_util_fraction_to_double (GST_VIDEO_INFO_FPS_N (a),
      GST_VIDEO_INFO_FPS_D (a), &x);
  gst_util_fraction_to_double (GST_VIDEO_INFO_FPS_N (b),
      GST_VIDEO_INFO_FPS_D (b), &y);

  return ABS (x - y) > 1e-5 * x;
}

static gboolean
check_rate (GstClCompare *self, const GstClComparePad *pad,
    const GstVideoInfo *reference, GError **error)
{
  const gint n = GST_VIDEO_INFO_FPS_N (reference),
             d = GST_VIDEO_INFO_FPS_D (reference);

  if (self->taken.accepts_other_rates ||
      !have_other_rates (&pad->info, reference))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      "%s has %d/%d frames a second, reference has %d/%d. Put \"videorate ! "
      "video/x-raw,framerate=%d/%d\" before %s, or set other-rates=true to "
      "compare the frames that have the same times.",
      GST_OBJECT_NAME (pad), GST_VIDEO_INFO_FPS_N (&pad->info),
      GST_VIDEO_INFO_FPS_D (&pad->info), n, d, n, d, GST_OBJECT_NAME (pad));

  return FALSE;
}

/* Creates the ops of @pad for frames of the reference. */
static gboolean
configure (GstClCompare *self, GstClComparePad *pad, GError **error)
{
  const GstVideoInfo *reference = &self->reference->info;
  GstVideoInfo info = *reference;

  if (!check_size (pad, reference, error) ||
      !check_format (pad, reference, error) ||
      !check_colorimetry (self, pad, error) ||
      !check_rate (self, pad, reference, error))
    return FALSE;
  if (GST_VIDEO_INFO_FPS_N (&info) == 0) {
    GST_VIDEO_INFO_FPS_N (&info) = GST_VIDEO_INFO_FPS_N (&pad->info);
    GST_VIDEO_INFO_FPS_D (&info) = GST_VIDEO_INFO_FPS_D (&pad->info);
  }
  if (!pad->stream)
    pad->stream = gst_cl_compare_stream_new (GST_OBJECT_NAME (pad),
        &self->publisher);

  return gst_cl_compare_stream_configure (pad->stream, self->context, &info,
      &self->taken, error);
}

/* --- frames --------------------------------------------------------------- */

/* A frame that has been taken. */
typedef struct {
  GstClComparePad *pad;
  GstBuffer *buffer; /* NULL: none */
  GstClFrameTime time;
} InputFrame;

static void
clear_frame (InputFrame *frame)
{
  gst_clear_buffer (&frame->buffer);
}

/* Returns the duration of the frames of @pad in running time. */
static GstClockTime
get_duration (const GstClComparePad *pad, const GstSegment *segment,
    GstBuffer *buffer)
{
  const gint n = GST_VIDEO_INFO_FPS_N (&pad->info);
  const GstClockTime duration = n > 0 ? gst_util_uint64_scale (GST_SECOND,
                                            (guint64) GST_VIDEO_INFO_FPS_D (
                                                &pad->info),
                                            (guint64) n)
                                      : GST_BUFFER_DURATION (buffer);

  return GST_CLOCK_TIME_IS_VALID (duration)
             ? (GstClockTime) ((gdouble) duration / ABS (segment->rate))
             : duration;
}

/* Takes the frame of @pad that is next. */
static InputFrame
take_frame (GstClCompare *self, GstClComparePad *pad)
{
  GstAggregatorPad *base = GST_AGGREGATOR_PAD (pad);
  InputFrame frame = { pad, gst_aggregator_pad_pop_buffer (base), { 0 } };
  GstClockTime end, duration;
  GstSegment segment;

  GST_OBJECT_LOCK (pad);
  segment = base->segment;
  GST_OBJECT_UNLOCK (pad);
  gst_cl_frame_time_init (&frame.time, &segment, frame.buffer, pad->n_frames++);
  duration = get_duration (pad, &segment, frame.buffer);
  end = gst_cl_time_add (frame.time.running_time,
      GST_CLOCK_TIME_IS_VALID (duration) ? duration : 0);
  if (GST_CLOCK_TIME_IS_VALID (end))
    self->next_time = MAX (self->next_time, end);

  return frame;
}

/* Sets @head to the next frame of @pad; drops gaps. FALSE with @error if a
 * frame has no time that is needed. */
static gboolean
get_head (GstClCompare *self, GstClComparePad *pad, GstClPairHead *head,
    GError **error)
{
  GstAggregatorPad *base = GST_AGGREGATOR_PAD (pad);
  g_autoptr (GstBuffer) buffer = gst_aggregator_pad_peek_buffer (base);
  GstSegment segment;

  while (buffer && gst_buffer_get_size (buffer) == 0) {
    gst_aggregator_pad_drop_buffer (base);
    gst_clear_buffer (&buffer);
    buffer = gst_aggregator_pad_peek_buffer (base);
  }
  *head = (GstClPairHead){ .has_frame = buffer != NULL,
    .has_ended = !buffer && gst_aggregator_pad_is_eos (base) };
  if (!buffer)
    return TRUE;

  GST_OBJECT_LOCK (pad);
  segment = base->segment;
  GST_OBJECT_UNLOCK (pad);
  head->time = gst_segment_to_running_time (&segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));
  head->duration = get_duration (pad, &segment, buffer);
  if (have_other_rates (&pad->info, &self->reference->info))
    head->duration = MIN (head->duration, SAME_TIME);
  if (GST_CLOCK_TIME_IS_VALID (head->time) ||
      self->taken.pairing == GST_CL_PAIR_ORDER)
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      "%s has frames without timestamps. Set pair=order to compare the first "
      "frame with the first.",
      GST_OBJECT_NAME (pad));

  return FALSE;
}

/* Enqueues all work of the pairs of @reference and @partners, of which some may
 * have no buffer, and of @map (NULL: none), that of the first one. */
static gboolean
measure (GstClCompare *self, const InputFrame *reference,
    const InputFrame *partners, GstBuffer *map, GError **error)
{
  const GstClFrame *frame = gst_cl_in_flight_take_components (self->in_flight,
      reference->buffer, &reference->pad->info, GST_CL_ALL_COMPONENTS,
      GST_MAP_READ, error);
  const GstClFrame **frames = g_newa0 (const GstClFrame *, self->pads->len);
  const GstClFrame *out = NULL;

  if (!frame)
    return FALSE;
  for (guint i = 0; i < self->pads->len; i++) {
    if (!partners[i].buffer)
      continue;
    frames[i] = gst_cl_in_flight_take_components (self->in_flight,
        partners[i].buffer, &partners[i].pad->info, GST_CL_ALL_COMPONENTS,
        GST_MAP_READ, error);
    if (!frames[i])
      return FALSE;
  }
  if (map) {
    out = gst_cl_in_flight_take_components (self->in_flight, map,
        &self->map.info, GST_CL_ALL_COMPONENTS, GST_MAP_WRITE, error);
    if (!out)
      return FALSE;
  }

  if (!gst_cl_in_flight_begin_kernels (self->in_flight, error))
    return FALSE;
  for (guint i = 0; i < self->pads->len; i++) {
    if (frames[i] &&
        !gst_cl_compare_stream_run (partners[i].pad->stream, frame, frames[i],
            self->taken.roi_meta ? reference->buffer : NULL, error))
      return FALSE;
  }
  if (out && !gst_cl_compare_map_run (&self->map, frame, frames[0], out,
                 self->taken.map_gain, error))
    return FALSE;
  if (!gst_cl_in_flight_end_kernels (self->in_flight, error))
    return FALSE;

  return gst_cl_context_flush (self->context, GST_CL_QUEUE_COMPUTE, error);
}

/* Measures the pairs as one frame in flight, and fills @map (NULL: none). */
static gboolean
measure_in_flight (GstClCompare *self, const InputFrame *reference,
    const InputFrame *partners, GstBuffer *map, GError **error)
{
  GstBuffer **buffers = g_newa (GstBuffer *, self->pads->len + 1);
  guint n = 0;
  gboolean done;

  buffers[n++] = reference->buffer;
  for (guint i = 0; i < self->pads->len; i++) {
    if (partners[i].buffer)
      buffers[n++] = partners[i].buffer;
  }
  if (!gst_cl_in_flight_begin (self->in_flight, error))
    return FALSE;
  done = measure (self, reference, partners, map, error);

  return gst_cl_in_flight_end (self->in_flight, buffers, n,
             done ? error : NULL) &&
         done &&
         (!map || !self->map.is_in_system ||
             gst_cl_memory_prefetch (map, error));
}

/* Creates the ops of the pads that have a partner. FALSE with @error. */
static gboolean
prepare (GstClCompare *self, const InputFrame *partners, GError **error)
{
  const guint n = self->pads->len + 1;
  GstClBuildScope scope = {
    .is_complete = self->context_helper.waits_for_kernels,
  };
  gboolean done = TRUE;

  if (!self->in_flight || self->n_inputs != n) {
    gst_cl_in_flight_free (self->in_flight);
    self->in_flight = gst_cl_in_flight_new (self->context, n);
    self->n_inputs = n;
  }
  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_CONFIGURE);
  for (guint i = 0; i < self->pads->len && done; i++) {
    if (partners[i].buffer)
      done = configure (self, partners[i].pad, error);
  }
  if (done && self->taken.output == GST_CL_COMPARE_OUTPUT_MAP)
    done = gst_cl_compare_map_configure (&self->map, &self->reference->info,
        error);
  gst_cl_build_scope_leave ();

  return done;
}

/* Pushes @buffer (transfer full), a frame of the first pad. */
static GstFlowReturn
push (GstClCompare *self, GstBuffer *buffer)
{
  if (self->taken.output == GST_CL_COMPARE_OUTPUT_NONE) {
    GstBuffer *empty = gst_buffer_new ();

    gst_buffer_copy_into (empty, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
    GST_BUFFER_FLAG_SET (empty, GST_BUFFER_FLAG_GAP);
    gst_buffer_unref (buffer);
    buffer = empty;
  }
  return gst_aggregator_finish_buffer (GST_AGGREGATOR (self), buffer);
}

/* Publishes the results of the pairs, as metas of *@first (NULL: no frame
 * passes), too. */
static GstFlowReturn
finish_pairs (GstClCompare *self, const InputFrame *reference,
    const InputFrame *partners, GstBuffer **first)
{
  for (guint i = 0; i < self->pads->len; i++) {
    g_autoptr (GstStructure) structure = NULL;
    g_autoptr (GError) error = NULL;

    if (!partners[i].buffer)
      continue;
    structure = gst_cl_compare_stream_finish (partners[i].pad->stream,
        &self->taken, &reference->time, &partners[i].time, &error);
    if (error)
      fail (self, error);
    if (!structure)
      return error ? failed_flow (self) : GST_FLOW_ERROR;
    if (*first) {
      *first = gst_buffer_make_writable (*first);
      gst_cl_result_meta_add (*first, META_NAME, structure);
    }
  }

  return GST_FLOW_OK;
}

/* Allocates the map of @compared. Without one, returns the flow after a failure
 * has been posted. */
static GstFlowReturn
allocate_map (GstClCompare *self, GstBuffer *compared, GstBuffer **map)
{
  g_autoptr (GError) error = NULL;
  const GstFlowReturn flow = gst_cl_compare_map_allocate (&self->map,
      GST_AGGREGATOR (self), compared, map, &error);

  if (!error)
    return flow;
  fail (self, error);

  return failed_flow (self);
}

/* Compares the frames that have been taken. Sets *@first to the frame of the
 * first pad, or to its map, with its results. */
static GstFlowReturn
compare (GstClCompare *self, const InputFrame *reference,
    const InputFrame *partners, GstBuffer **first)
{
  GstBuffer *compared = partners[0].buffer;
  const gboolean has_map = compared &&
                           self->taken.output == GST_CL_COMPARE_OUTPUT_MAP;
  g_autoptr (GstBuffer) map = NULL;
  g_autoptr (GError) error = NULL;

  if (has_map) {
    const GstFlowReturn flow = allocate_map (self, compared, &map);

    if (!map)
      return flow;
  }
  if (!prepare (self, partners, &error) ||
      !measure_in_flight (self, reference, partners, map, &error)) {
    fail (self, error);
    return failed_flow (self);
  }
  if (compared)
    *first = has_map ? g_steal_pointer (&map) : gst_buffer_ref (compared);

  return finish_pairs (self, reference, partners, first);
}

/* Counts the frames without a partner: @reference for the pads without one, or
 * (NULL) all of @taken. */
static GstFlowReturn
count_unpaired (GstClCompare *self, const InputFrame *reference,
    const InputFrame *taken)
{
  for (guint i = 0; i < self->pads->len; i++) {
    GstClComparePad *pad = get_pad (self, i);

    if (reference ? taken[i].buffer != NULL : taken[i].buffer == NULL)
      continue;
    if (!pad->stream)
      pad->stream = gst_cl_compare_stream_new (GST_OBJECT_NAME (pad),
          &self->publisher);
    if (!gst_cl_compare_stream_add_unpaired (pad->stream,
            reference ? &reference->time : &taken[i].time, reference != NULL))
      return GST_FLOW_ERROR;
  }

  return GST_FLOW_OK;
}

/* Takes the frames of @takes, and that of the reference if @has_reference, and
 * compares or counts them. */
static GstFlowReturn
process (GstClCompare *self, const gboolean *takes, gboolean has_reference)
{
  InputFrame reference = { 0 }, *taken = g_newa0 (InputFrame, self->pads->len);
  GstBuffer *first = NULL;
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean has_partner = FALSE;

  if (has_reference)
    reference = take_frame (self, self->reference);
  for (guint i = 0; i < self->pads->len; i++) {
    if (takes[i])
      taken[i] = take_frame (self, get_pad (self, i));
    has_partner = has_partner || takes[i];
  }

  if (has_reference && has_partner)
    flow = compare (self, &reference, taken, &first);
  if (flow == GST_FLOW_OK)
    flow = count_unpaired (self, has_reference ? &reference : NULL, taken);
  if (flow == GST_FLOW_OK && !first && taken[0].buffer &&
      self->taken.output != GST_CL_COMPARE_OUTPUT_MAP)
    first = gst_buffer_ref (taken[0].buffer);

  clear_frame (&reference);
  for (guint i = 0; i < self->pads->len; i++)
    clear_frame (&taken[i]);
  if (!first)
    return flow;
  if (flow != GST_FLOW_OK || gst_cl_failure_is_set (&self->failure)) {
    gst_buffer_unref (first);
    return flow;
  }

  return push (self, first);
}

/* Ends the streams: publishes the pooled results. */
static GstFlowReturn
end_streams (GstClCompare *self, gboolean is_complete)
{
  for (guint i = 0; i < self->pads->len; i++) {
    GstClComparePad *pad = get_pad (self, i);

    if (pad->stream && !gst_cl_compare_stream_end (pad->stream, is_complete))
      return GST_FLOW_ERROR;
  }

  return GST_FLOW_EOS;
}

/* --- aggregating ---------------------------------------------------------- */

static gboolean
check_pads (GstClCompare *self, GError **error)
{
  if (self->reference && self->pads->len > 0)
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      "Nothing is linked to the pad %s: clcompare compares each sink_%%u with "
      "reference.",
      self->reference ? "sink_0" : "reference");

  return FALSE;
}

/* Sets the heads. FALSE with @error. */
static gboolean
get_heads (GstClCompare *self, GstClPairHead *reference, GstClPairHead *heads,
    GError **error)
{
  if (!check_pads (self, error) ||
      !get_head (self, self->reference, reference, error))
    return FALSE;
  for (guint i = 0; i < self->pads->len; i++) {
    if (!get_head (self, get_pad (self, i), &heads[i], error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
have_ended (const GstClPairHead *reference, const GstClPairHead *heads, guint n)
{
  gboolean ended = reference->has_ended;

  for (guint i = 0; i < n; i++)
    ended = ended && heads[i].has_ended;

  return ended;
}

/* Drops the next frame of each pad. */
static void
drop_frames (GstClCompare *self)
{
  for (guint i = 0; i < self->pads->len; i++)
    gst_aggregator_pad_drop_buffer (GST_AGGREGATOR_PAD (get_pad (self, i)));
  if (self->reference)
    gst_aggregator_pad_drop_buffer (GST_AGGREGATOR_PAD (self->reference));
}

/* Some properties do not change until the next start. */
static void
take_settings (GstClCompare *self)
{
  GST_OBJECT_LOCK (self);
  self->taken = self->settings;
  GST_OBJECT_UNLOCK (self);
  self->taken.pairing = self->started.pairing;
  self->taken.accepts_other_rates = self->started.accepts_other_rates;
  self->taken.output = self->started.output;
}

/* The caps and the segment of the output are those of the first pad, which is
 * another one after a release. */
static void
follow_first (GstClCompare *self)
{
  GstClComparePad *first = self->pads->len > 0 ? get_pad (self, 0) : NULL;
  GstSegment segment;

  if (!first || first->number == self->first_number)
    return;
  if (self->first_number != NUMBER_OF_REFERENCE) {
    GST_OBJECT_LOCK (first);
    segment = GST_AGGREGATOR_PAD (first)->segment;
    GST_OBJECT_UNLOCK (first);
    if (segment.format == GST_FORMAT_TIME)
      gst_aggregator_update_segment (GST_AGGREGATOR (self), &segment);
    if (first->caps && self->taken.output != GST_CL_COMPARE_OUTPUT_MAP)
      gst_aggregator_set_src_caps (GST_AGGREGATOR (self), first->caps);
  }
  self->first_number = first->number;
}

/* The deadline of live inputs: the end of the last frames. */
static GstClockTime
get_next_time (GstAggregator *agg)
{
  return GST_CL_COMPARE (agg)->next_time;
}

static GstFlowReturn
aggregate (GstAggregator *agg, gboolean timeout)
{
  GstClCompare *self = GST_CL_COMPARE (agg);
  g_autoptr (GError) error = NULL;
  GstClPairHead reference, *heads;
  gboolean *takes, has_reference;

  take_settings (self);
  take_pads (self);
  follow_first (self);
  if (gst_cl_failure_is_set (&self->failure)) {
    drop_frames (self);
    return failed_flow (self);
  }
  heads = g_newa0 (GstClPairHead, self->pads->len);
  takes = g_newa0 (gboolean, self->pads->len);
  if (!get_heads (self, &reference, heads, &error)) {
    fail (self, error);
    return GST_FLOW_ERROR;
  }
  if (have_ended (&reference, heads, self->pads->len))
    return end_streams (self, TRUE);

  has_reference = gst_cl_pair_choose (self->taken.pairing, &reference, heads,
      self->pads->len, timeout, takes);
  for (guint i = 0; i < self->pads->len; i++) {
    if (takes[i] || has_reference)
      return process (self, takes, has_reference);
  }
  if (timeout)
    self->next_time += FRAME_OF_LIVE_INPUTS;

  return GST_AGGREGATOR_FLOW_NEED_DATA;
}

/* Drops frames outside the segment; a frame that is partly in it has the times
 * of this part. */
static GstBuffer *
clip (GstAggregator *agg, GstAggregatorPad *pad, GstBuffer *buffer)
{
  guint64 start = GST_BUFFER_PTS (buffer), end;

  if (!GST_CLOCK_TIME_IS_VALID (start) ||
      pad->segment.format != GST_FORMAT_TIME)
    return buffer;
  end = GST_BUFFER_DURATION_IS_VALID (buffer)
            ? start + GST_BUFFER_DURATION (buffer)
            : start;
  if (!gst_segment_clip (&pad->segment, GST_FORMAT_TIME, start, end, &start,
          &end)) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  if (start == GST_BUFFER_PTS (buffer))
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_PTS (buffer) = start;
  GST_BUFFER_DURATION (buffer) = end - start;

  return buffer;
}

/* --- events and queries --------------------------------------------------- */

static void
drain (GstClCompare *self)
{
  g_autoptr (GError) error = NULL;

  if (self->in_flight && !gst_cl_in_flight_drain (self->in_flight, &error))
    fail (self, error);
}

/* The output has the segment of the first pad. */
static void
take_segment (GstClCompare *self, GstAggregatorPad *pad, GstEvent *event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  if (is_first (self, GST_CL_COMPARE_PAD (pad)) &&
      segment->format == GST_FORMAT_TIME)
    gst_aggregator_update_segment (GST_AGGREGATOR (self), segment);
}

/* Serialized events run in the streaming thread of the output. */
static gboolean
gst_cl_compare_sink_event (GstAggregator *agg, GstAggregatorPad *pad,
    GstEvent *event)
{
  GstClCompare *self = GST_CL_COMPARE (agg);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      if (!take_caps (self, GST_CL_COMPARE_PAD (pad), event)) {
        gst_event_unref (event);
        return FALSE;
      }
      break;
    case GST_EVENT_SEGMENT:
      take_segment (self, pad, event);
      break;
    default:
      break;
  }

  return parent_class ()->sink_event (agg, pad, event);
}

/* While a pad or the element flushes, no line waits for the reader of the file.
 */
static void
update_flushing (GstClCompare *self)
{
  gst_cl_compare_publisher_set_flushing (&self->publisher,
      g_atomic_int_get (&self->n_flushing) > 0 ||
          g_atomic_int_get (&self->is_seeking));
}

static GstFlowReturn
gst_cl_compare_sink_event_pre_queue (GstAggregator *agg, GstAggregatorPad *pad,
    GstEvent *event)
{
  GstClCompare *self = GST_CL_COMPARE (agg);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START) {
    g_atomic_int_inc (&self->n_flushing);
    update_flushing (self);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    g_atomic_int_add (&self->n_flushing, -1);
    update_flushing (self);
  }

  return parent_class ()->sink_event_pre_queue (agg, pad, event);
}

/* GstAggregator stops its thread before the inputs flush. */
static gboolean
gst_cl_compare_src_event (GstAggregator *agg, GstEvent *event)
{
  GstClCompare *self = GST_CL_COMPARE (agg);
  GstSeekFlags flags = GST_SEEK_FLAG_NONE;
  gboolean is_done;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  if (flags & GST_SEEK_FLAG_FLUSH) {
    g_atomic_int_set (&self->is_seeking, TRUE);
    update_flushing (self);
  }
  is_done = parent_class ()->src_event (agg, event);
  if (flags & GST_SEEK_FLAG_FLUSH) {
    g_atomic_int_set (&self->is_seeking, FALSE);
    update_flushing (self);
  }

  return is_done;
}

static gboolean
gst_cl_compare_sink_query (GstAggregator *agg, GstAggregatorPad *pad,
    GstQuery *query)
{
  GstClCompare *self = GST_CL_COMPARE (agg);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONTEXT:
      if (gst_cl_context_helper_answer (&self->context_helper,
              GST_ELEMENT (self), query))
        return TRUE;
      break;
    case GST_QUERY_CAPS:
      answer_caps (self, GST_PAD (pad), query);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      answer_accept_caps (self, GST_PAD (pad), query);
      return TRUE;
    case GST_QUERY_ALLOCATION:
    case GST_QUERY_DRAIN:
      /* both run in the streaming thread; upstream needs its buffers back */
      drain (self);
      break;
    default:
      break;
  }

  return parent_class ()->sink_query (agg, pad, query);
}

static gboolean
gst_cl_compare_src_query (GstAggregator *agg, GstQuery *query)
{
  return (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT &&
             gst_cl_context_helper_answer (
                 &GST_CL_COMPARE (agg)->context_helper, GST_ELEMENT (agg),
                 query)) ||
         parent_class ()->src_query (agg, query);
}

/* All inputs are flushed; the streaming thread has ended. */
static GstFlowReturn
gst_cl_compare_flush (GstAggregator *agg)
{
  GstClCompare *self = GST_CL_COMPARE (agg);

  drain (self);
  take_pads (self);
  self->next_time = 0;
  for (guint i = 0; i < self->pads->len; i++) {
    if (get_pad (self, i)->stream)
      gst_cl_compare_stream_reset (get_pad (self, i)->stream);
  }

  return GST_FLOW_OK;
}

/* --- properties ----------------------------------------------------------- */

static void
gst_cl_compare_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstClCompare *self = GST_CL_COMPARE (object);

  if (id < FIRST_PROPERTY) {
    gst_cl_context_helper_set_property (&self->context_helper, object, id,
        value, pspec);
    return;
  }
  GST_OBJECT_LOCK (self);
  gst_cl_property_set (&gst_cl_compare_properties[id - FIRST_PROPERTY],
      &self->settings, value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cl_compare_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClCompare *self = GST_CL_COMPARE (object);

  if (id < FIRST_PROPERTY) {
    gst_cl_context_helper_get_property (&self->context_helper, object, id,
        value, pspec);
    return;
  }
  GST_OBJECT_LOCK (self);
  gst_cl_property_get (&gst_cl_compare_properties[id - FIRST_PROPERTY],
      &self->settings, value);
  GST_OBJECT_UNLOCK (self);
}

/* --- life cycle ----------------------------------------------------------- */

static gboolean
gst_cl_compare_start (GstAggregator *agg)
{
  GstClCompare *self = GST_CL_COMPARE (agg);

  GST_OBJECT_LOCK (self);
  self->started = self->settings;
  GST_OBJECT_UNLOCK (self);
  if (!gst_cl_context_helper_open (&self->context_helper, GST_ELEMENT (agg)))
    return FALSE;
  self->next_time = 0;
  self->first_number = NUMBER_OF_REFERENCE;
  g_atomic_int_set (&self->n_flushing, 0);
  if (!gst_cl_compare_publisher_open (&self->publisher,
          self->started.location)) {
    gst_cl_context_helper_close (&self->context_helper, GST_ELEMENT (agg));
    return FALSE;
  }

  gst_cl_failure_clear (&self->failure);
  self->context = gst_object_ref (self->context_helper.context);
  gst_cl_compare_map_open (&self->map, self->context);
  GST_INFO_OBJECT (agg, "runs on %s (%s)", self->context->device->name,
      self->context->device->platform_name);
  g_object_notify_by_pspec (G_OBJECT (agg), device_name_pspec);

  return TRUE;
}

static void
reset_pad (GstClComparePad *pad)
{
  g_clear_pointer (&pad->stream, gst_cl_compare_stream_free);
  gst_clear_caps (&pad->caps);
  gst_video_info_init (&pad->info);
  pad->n_frames = 0;
  g_atomic_int_set (&pad->has_refused, FALSE);
}

static gboolean
gst_cl_compare_stop (GstAggregator *agg)
{
  GstClCompare *self = GST_CL_COMPARE (agg);

  g_clear_pointer (&self->in_flight, gst_cl_in_flight_free);
  take_pads (self);
  end_streams (self, FALSE);
  for (guint i = 0; i < self->pads->len; i++)
    reset_pad (get_pad (self, i));
  if (self->reference)
    reset_pad (self->reference);
  g_ptr_array_set_size (self->pads, 0);
  gst_clear_object (&self->reference);
  gst_cl_compare_publisher_close (&self->publisher);
  gst_cl_compare_map_close (&self->map);
  gst_cl_tiered_ops_wait (self->context);
  gst_clear_object (&self->context);
  gst_cl_context_helper_close (&self->context_helper, GST_ELEMENT (agg));

  return TRUE;
}

static GstStateChangeReturn
gst_cl_compare_change_state (GstElement *element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_cl_compare_publisher_cancel (&GST_CL_COMPARE (element)->publisher);

  return GST_ELEMENT_CLASS (gst_cl_compare_parent_class)
      ->change_state (element, transition);
}

static void
gst_cl_compare_finalize (GObject *object)
{
  GstClCompare *self = GST_CL_COMPARE (object);

  gst_cl_context_helper_clear (&self->context_helper);
  gst_cl_compare_publisher_clear (&self->publisher);
  g_ptr_array_unref (self->pads);

  G_OBJECT_CLASS (gst_cl_compare_parent_class)->finalize (object);
}

static void
gst_cl_compare_init (GstClCompare *self)
{
  gst_cl_context_helper_init (&self->context_helper);
  gst_cl_property_init_fields (gst_cl_compare_properties,
      gst_cl_compare_n_properties, &self->settings);
  gst_cl_compare_publisher_init (&self->publisher, GST_ELEMENT (self));
  self->pads = g_ptr_array_new_with_free_func (gst_object_unref);
}

static void
add_templates (GstElementClass *klass)
{
  g_autoptr (GstCaps) formats = gst_cl_format_make_caps ();
  g_autoptr (GstCaps) caps = gst_cl_caps_in_all (formats);

  gst_element_class_add_pad_template (klass,
      gst_pad_template_new_with_gtype ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
          caps, GST_TYPE_CL_COMPARE_PAD));
  gst_element_class_add_pad_template (klass,
      gst_pad_template_new_with_gtype (REFERENCE, GST_PAD_SINK, GST_PAD_REQUEST,
          caps, GST_TYPE_CL_COMPARE_PAD));
  gst_element_class_add_pad_template (klass,
      gst_pad_template_new_with_gtype ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps,
          GST_TYPE_AGGREGATOR_PAD));
}

static void
gst_cl_compare_class_init (GstClCompareClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *agg_class = GST_AGGREGATOR_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_cl_compare_debug, "clcompare", 0,
      "OpenCL comparison of streams");

  object_class->set_property = gst_cl_compare_set_property;
  object_class->get_property = gst_cl_compare_get_property;
  object_class->finalize = gst_cl_compare_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_cl_compare_change_state);
  agg_class->start = GST_DEBUG_FUNCPTR (gst_cl_compare_start);
  agg_class->stop = GST_DEBUG_FUNCPTR (gst_cl_compare_stop);
  agg_class->flush = GST_DEBUG_FUNCPTR (gst_cl_compare_flush);
  agg_class->sink_event = GST_DEBUG_FUNCPTR (gst_cl_compare_sink_event);
  agg_class->sink_event_pre_queue = GST_DEBUG_FUNCPTR (
      gst_cl_compare_sink_event_pre_queue);
  agg_class->src_event = GST_DEBUG_FUNCPTR (gst_cl_compare_src_event);
  agg_class->sink_query = GST_DEBUG_FUNCPTR (gst_cl_compare_sink_query);
  agg_class->src_query = GST_DEBUG_FUNCPTR (gst_cl_compare_src_query);
  agg_class->create_new_pad = GST_DEBUG_FUNCPTR (create_new_pad);
  agg_class->aggregate = GST_DEBUG_FUNCPTR (aggregate);
  agg_class->clip = GST_DEBUG_FUNCPTR (clip);
  agg_class->get_next_time = GST_DEBUG_FUNCPTR (get_next_time);
  agg_class->update_src_caps = GST_DEBUG_FUNCPTR (update_src_caps);
  agg_class->decide_allocation = GST_DEBUG_FUNCPTR (decide_allocation);
  agg_class->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);

  device_name_pspec = gst_cl_context_helper_install (object_class);
  gst_cl_property_install (gst_cl_compare_properties,
      gst_cl_compare_n_properties, object_class, FIRST_PROPERTY);
  add_templates (element_class);
  gst_cl_result_meta_register (META_NAME);
  gst_type_mark_as_plugin_api (GST_TYPE_CL_COMPARE_PAD, 0);
  gst_element_class_set_static_metadata (element_class, "OpenCL comparison",
      "Filter/Analyzer/Video",
      "PSNR, SSIM and XPSNR of streams against a reference",
      "The gst-opencl authors");
}
