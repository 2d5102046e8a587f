/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of clframesum's properties: what is measured and detected, and where
 * results go. */

#include "gstclframesumsettings.h"

#include "common/gstclenum.h"
#include "common/gstcltransfer.h"
#include "statistics/metrics/metrics.h"
#include "statistics/series/gstclevents.h"

#define FLAG(statistic, nick, metrics, of, where, description)                 \
  { GST_CL_STATISTIC (statistic), description, nick },
GstClEnum gst_cl_statistics_enum = {
  .name = "GstClFrameSumStatistics",
  .flags_values =
      (const GFlagsValue[]){
          GST_CL_STATISTIC_TABLE (FLAG){ 0, NULL, NULL },
      },
};
#undef FLAG

GstClEnum gst_cl_histogram_format_enum = {
  .name = "GstClFrameSumHistogramFormat",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_HISTOGRAM_FORMAT_ARRAY, "An array of uint64", "array" },
          { GST_CL_HISTOGRAM_FORMAT_PACKED,
              "Bytes: uint32, little-endian, in fields with -data", "packed" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_key_style_enum = {
  .name = "GstClFrameSumKeyStyle",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_KEY_STYLE_GST, "The plugin's own names", "gst" },
          { GST_CL_KEY_STYLE_LAVFI, "Also the keys of FFmpeg's signalstats",
              "lavfi" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_reduction_enum = {
  .name = "GstClFrameSumReduction",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_REDUCTION_AUTO, "The fastest on the device, as measured",
              "auto" },
          { GST_CL_REDUCTION_INNER, "Work-groups halve blocks in local memory",
              "inner" },
          { GST_CL_REDUCTION_OUTER, "Each work-item sums a whole block",
              "outer" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_light_transfer_enum = {
  .name = "GstClFrameSumLightTransfer",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_LIGHT_TRANSFER_AUTO, "That of the caps", "auto" },
          { GST_CL_TRANSFER_SRGB, "sRGB, as WCAG has it", "srgb" },
          { GST_CL_TRANSFER_BT1886, "BT.1886, a power of 2.4", "bt1886" },
          { GST_CL_TRANSFER_PQ, "PQ (SMPTE ST 2084)", "pq" },
          { GST_CL_TRANSFER_HLG, "HLG (ARIB STD-B67)", "hlg" },
          { GST_CL_TRANSFER_LINEAR, "Linear light", "linear" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_light_area_enum = {
  .name = "GstClFrameSumLightArea",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_LIGHT_AREA_FRAME, "All pixels", "frame" },
          { GST_CL_LIGHT_AREA_ACTIVE, "The active area, without borders",
              "active" },
          { 0, NULL, NULL },
      },
};

#define FIELD(name) G_STRUCT_OFFSET (GstClFrameSumSettings, name)

/* Properties about where to measure: changes need no other kernel. */
#define CONTROLLED (GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE)

const GstClProperty gst_cl_frame_sum_properties[] = {
  /**
   * GstClFrameSum:statistics:
   *
   * Statistics in each result. Each flag adds fields, listed in
   * [docs/statistics.md](docs/statistics.md).
   *
   * Since: 0.3
   */
  { "statistics", "Statistics to report for each component",
      GST_CL_PROPERTY_FLAGS, FIELD (statistics), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_STATISTIC (MOMENTS) | GST_CL_STATISTIC (RANGE),
          &gst_cl_statistics_enum } },

  /**
   * GstClFrameSum:planes:
   *
   * Components to measure. Planes without any of them are not sent to the
   * device.
   *
   * Since: 0.1
   */
  { "planes", "Components to measure", GST_CL_PROPERTY_FLAGS, FIELD (planes),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_PLANES_ALL, &gst_cl_planes_enum } },

  /**
   * GstClFrameSum:reduction:
   *
   * How the device computes moments and range of whole frames; all values give
   * the same results. `auto` measures once per device and caps, and stores the
   * fastest.
   *
   * Since: 0.1
   */
  { "reduction", "How the device reduces a frame to moments and range",
      GST_CL_PROPERTY_ENUM, FIELD (reduction), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_REDUCTION_AUTO, &gst_cl_reduction_enum } },

  /**
   * GstClFrameSum:histogram-bins:
   *
   * Number of bins of a histogram and, up to 1024, of a code in waveform and
   * vectorscope. 0, or more bins than codes, gives one bin per code.
   *
   * Since: 0.3
   */
  { "histogram-bins", "Number of histogram bins (0: one per code)",
      GST_CL_PROPERTY_INT, FIELD (histogram_bins), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.i = { 0, 0, 65536 } },

  /**
   * GstClFrameSum:histogram-format:
   *
   * `packed` replaces the fields `histogram` and `light-histogram` by
   * `histogram-data` and `light-histogram-data`, whose values are bytes, which
   * take less time and memory.
   *
   * Since: 0.3
   */
  { "histogram-format", "Type of the fields of histograms",
      GST_CL_PROPERTY_ENUM, FIELD (histogram_format), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_HISTOGRAM_FORMAT_ARRAY,
          &gst_cl_histogram_format_enum } },

  /**
   * GstClFrameSum:significant-bits:
   *
   * Bits of a sample, 9 to 16, if samples fill only the low bits of the words
   * of the format, such as the 12 bits of a camera in GRAY16_LE. Determines the
   * codes of histograms, percentiles, thresholds, colour ranges and events. 0,
   * or more bits than the format has, is the depth of the format.
   *
   * Since: 0.3
   */
  { "significant-bits",
      "Bits of a sample, if fewer than the format has, at least 9 (0: all)",
      GST_CL_PROPERTY_UINT, FIELD (significant_bits), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.u = { 0, 0, 16 } },

  /**
   * GstClFrameSum:key-style:
   *
   * `lavfi` adds the keys of FFmpeg's signalstats to every result.
   *
   * Since: 0.3
   */
  { "key-style", "Names of the fields", GST_CL_PROPERTY_ENUM, FIELD (key_style),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_KEY_STYLE_GST, &gst_cl_key_style_enum } },

  /**
   * GstClFrameSum:position-x:
   *
   * Left edge of the rectangle that is measured instead of the frame.
   *
   * Since: 0.3
   */
  { "position-x", "Left edge of the rectangle to measure, pixels",
      GST_CL_PROPERTY_INT, FIELD (regions.position_x), CONTROLLED,
      GST_CL_CHANGE_OPS, .values.i = { 0, 0, G_MAXINT } },

  /**
   * GstClFrameSum:position-y:
   *
   * Top edge of the rectangle that is measured instead of the frame.
   *
   * Since: 0.3
   */
  { "position-y", "Top edge of the rectangle to measure, pixels",
      GST_CL_PROPERTY_INT, FIELD (regions.position_y), CONTROLLED,
      GST_CL_CHANGE_OPS, .values.i = { 0, 0, G_MAXINT } },

  /**
   * GstClFrameSum:width:
   *
   * Width of the rectangle that is measured instead of the frame.
   *
   * Since: 0.3
   */
  { "width",
      "Width of the rectangle to measure, pixels (0: up to the right edge)",
      GST_CL_PROPERTY_INT, FIELD (regions.width), CONTROLLED, GST_CL_CHANGE_OPS,
      .values.i = { 0, 0, G_MAXINT } },

  /**
   * GstClFrameSum:height:
   *
   * Height of the rectangle that is measured instead of the frame.
   *
   * Since: 0.3
   */
  { "height",
      "Height of the rectangle to measure, pixels (0: up to the bottom)",
      GST_CL_PROPERTY_INT, FIELD (regions.height), CONTROLLED,
      GST_CL_CHANGE_OPS, .values.i = { 0, 0, G_MAXINT } },

  /**
   * GstClFrameSum:grid-columns:
   *
   * Columns of a grid of zones on the frame or the rectangle. If there is more
   * than one zone, each zone is also measured.
   *
   * Since: 0.3
   */
  { "grid-columns", "Number of columns of zones", GST_CL_PROPERTY_INT,
      FIELD (regions.grid_columns), CONTROLLED, GST_CL_CHANGE_OPS,
      .values.i = { 1, 1, GST_CL_METRICS_MAX_REGIONS - 1 } },

  /**
   * GstClFrameSum:grid-rows:
   *
   * Rows of a grid of zones on the frame or the rectangle. If there is more
   * than one zone, each zone is also measured.
   *
   * Since: 0.3
   */
  { "grid-rows", "Number of rows of zones", GST_CL_PROPERTY_INT,
      FIELD (regions.grid_rows), CONTROLLED, GST_CL_CHANGE_OPS,
      .values.i = { 1, 1, GST_CL_METRICS_MAX_REGIONS - 1 } },

  /**
   * GstClFrameSum:roi-meta:
   *
   * Also measures the rectangles of GstVideoRegionOfInterestMeta, and the boxes
   * of object detectors if the plugin is built with GStreamer's analytics
   * library.
   *
   * Since: 0.3
   */
  { "roi-meta", "Also measure the regions of interest on the buffers",
      GST_CL_PROPERTY_BOOLEAN, FIELD (roi_meta), CONTROLLED, GST_CL_CHANGE_OPS,
      .values.boolean = TRUE },

  /**
   * GstClFrameSum:region-histograms:
   *
   * If true, results contain the histogram of each zone and region of interest;
   * if false, only the histogram of the frame or the rectangle.
   *
   * Since: 0.3
   */
  { "region-histograms",
      "Also report the histogram of zones and regions of interest",
      GST_CL_PROPERTY_BOOLEAN, FIELD (region_histograms), CONTROLLED,
      GST_CL_CHANGE_OPS, .values.boolean = TRUE },

  /**
   * GstClFrameSum:fields:
   *
   * Also measures both fields of each frame of interlaced video whose frames
   * have two fields (interlace-mode `interleaved` or `mixed`): each statistic
   * appears a second time with the prefix `field-`, the top field first. Each
   * field is compared with the field of the same parity of the previous frame.
   * With other caps it has no effect: progressive video has no fields, and with
   * `alternate` each buffer, and so each result, is a field.
   *
   * Since: 0.3
   */
  { "fields", "Also measure each field of interlaced frames",
      GST_CL_PROPERTY_BOOLEAN, FIELD (fields), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.boolean = FALSE },

  /**
   * GstClFrameSum:light-transfer:
   *
   * Transfer function from codes to light, for the statistics `light` and
   * `flash` and for the event `flash`. `auto` is that of the caps; see
   * [docs/light.md](docs/light.md).
   *
   * Since: 0.3
   */
  { "light-transfer",
      "Transfer function from codes to light, for light and flash",
      GST_CL_PROPERTY_ENUM, FIELD (light_transfer), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_LIGHT_TRANSFER_AUTO, &gst_cl_light_transfer_enum } },

  /**
   * GstClFrameSum:display-peak:
   *
   * Luminance of white on the display, in cd/m2, for video that is not PQ. 0 is
   * 200 for standard dynamic range, and 1000 for HLG, whose system gamma
   * depends on it.
   *
   * Since: 0.3
   */
  { "display-peak",
      "Luminance of white on the display, in cd/m2 (0: 200, of HLG 1000)",
      GST_CL_PROPERTY_DOUBLE, FIELD (display_peak), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.d = { 0.0, 0.0, 10000.0 } },

  /**
   * GstClFrameSum:light-area:
   *
   * Pixels of the statistic `light`. `active` leaves out as many of the darkest
   * pixels as there are outside the active area.
   *
   * Since: 0.3
   */
  { "light-area", "Pixels of the statistic light", GST_CL_PROPERTY_ENUM,
      FIELD (light_area), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_LIGHT_AREA_FRAME, &gst_cl_light_area_enum } },

  /**
   * GstClFrameSum:events:
   *
   * Events to detect. Each posts a message at its start and one at its end.
   * [docs/events.md](docs/events.md) defines them.
   *
   * Since: 0.3
   */
  { "events", "Events to detect and post", GST_CL_PROPERTY_FLAGS,
      FIELD (events), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { 0, &gst_cl_events_enum } },

  /**
   * GstClFrameSum:zone-events:
   *
   * If true, the events that zones have are also detected in each zone of the
   * grid; their messages name the zone.
   *
   * Since: 0.3
   */
  { "zone-events", "Also detect events in each zone of the grid",
      GST_CL_PROPERTY_BOOLEAN, FIELD (zone_events), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.boolean = FALSE },
};

#undef FIELD
#define FIELD(name) G_STRUCT_OFFSET (GstClFrameSumDelivery, name)

const GstClProperty gst_cl_frame_sum_delivery_properties[] = {
  /**
   * GstClFrameSum:post-messages:
   *
   * Posts each result on the bus as an element message named `clframesum`.
   *
   * Since: 0.1
   */
  { "post-messages", "Post an element message for each result",
      GST_CL_PROPERTY_BOOLEAN, FIELD (post_messages), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.boolean = TRUE },

  /**
   * GstClFrameSum:stats-meta:
   *
   * Attaches each result to its buffer. If false, buffers pass unchanged and do
   * not wait for results.
   *
   * Since: 0.1
   */
  { "stats-meta", "Attach each result to its buffer as GstClFrameSumMeta",
      GST_CL_PROPERTY_BOOLEAN, FIELD (stats_meta), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.boolean = TRUE },

  /**
   * GstClFrameSum:analytics-meta:
   *
   * Adds each result to its buffer as metas of GstAnalytics: events as classes,
   * from GStreamer 1.24 on; zones, histograms, profiles and scopes as tensors,
   * from 1.26 on; the numbers of each box of a detector as tensors that relate
   * to it, from 1.28 on. [docs/statistics.md](docs/statistics.md) lists them.
   * An error if the plugin is built without GStreamer's analytics library.
   *
   * Since: 0.3
   */
  { "analytics-meta",
      "Add events and statistics to the buffer as metas of GstAnalytics",
      GST_CL_PROPERTY_BOOLEAN, FIELD (analytics_meta),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS, .values.boolean = FALSE },

  /**
   * GstClFrameSum:interval:
   *
   * Minimum running time between two measured frames. 0 sets no limit.
   *
   * Since: 0.1
   */
  { "interval", "Minimum time between two measured frames, in nanoseconds",
      GST_CL_PROPERTY_UINT64, FIELD (interval), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.u64 = { 0, 0, G_MAXUINT64 } },

  /**
   * GstClFrameSum:frame-interval:
   *
   * Measures one frame in every N.
   *
   * Since: 0.1
   */
  { "frame-interval", "Measure one frame in every N", GST_CL_PROPERTY_UINT,
      FIELD (frame_interval), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u = { 1, 1, G_MAXUINT } },

  /**
   * GstClFrameSum:light-caps:
   *
   * Writes the greatest light so far to the caps of the source pad, as
   * `content-light-level`: MaxCLL and MaxFALL of the frames up to the one that
   * follows the caps. Needs statistics=light and stats-meta=true.
   *
   * Since: 0.3
   */
  { "light-caps",
      "Write MaxCLL and MaxFALL so far to the caps, as content-light-level "
      "(needs statistics=light and stats-meta=true)",
      GST_CL_PROPERTY_BOOLEAN, FIELD (light_caps), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.boolean = FALSE },

  /**
   * GstClFrameSum:packed-lines:
   *
   * If true, lines of the file `location` have the fields of packed numbers,
   * as base64 text; if false, they leave these fields out.
   *
   * Since: 0.3
   */
  { "packed-lines",
      "Write fields of packed numbers to the file, too, as base64 text",
      GST_CL_PROPERTY_BOOLEAN, FIELD (packed_lines), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.boolean = FALSE },

  /**
   * GstClFrameSum:async-depth:
   *
   * Number of frames that may wait for their meta while the device works on
   * later frames. Adds as many frames to the latency; 0 waits for each result.
   * -1 is automatic: 2 if upstream answers the LATENCY query and is not live,
   * else 0.
   *
   * Since: 0.2
   */
  { "async-depth",
      "Number of frames to delay for their meta while the device works; adds "
      "to the latency (-1: 2, or 0 if upstream is live or does not answer the "
      "LATENCY query)",
      GST_CL_PROPERTY_INT, FIELD (async_depth), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES,
      .values.i = { GST_CL_FRAME_SUM_AUTO_DEPTH, GST_CL_FRAME_SUM_AUTO_DEPTH,
          GST_CL_FRAME_SUM_MAX_DEPTH } },
};

gboolean
gst_cl_frame_sum_delivery_has_meta (const GstClFrameSumDelivery *delivery)
{
  return delivery->stats_meta || delivery->analytics_meta;
}

void
gst_cl_frame_sum_settings_init (GstClFrameSumSettings *settings)
{
  gst_cl_property_init_fields (gst_cl_frame_sum_properties,
      GST_CL_FRAME_SUM_N_PROPERTIES, settings);
  gst_cl_event_settings_init (&settings->event_settings);
  gst_cl_property_init_fields (gst_cl_frame_sum_delivery_properties,
      GST_CL_FRAME_SUM_N_DELIVERY_PROPERTIES, &settings->delivery);
}
