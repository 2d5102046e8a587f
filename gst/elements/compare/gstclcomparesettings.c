/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of clcompare. */

#include "gstclcomparesettings.h"

#include "common/gstclenum.h"
#include "statistics/compare/differencemap.h"

static GstClEnum metrics_enum = {
  .name = "GstClCompareMetrics",
  .flags_values =
      (const GFlagsValue[]){
          { GST_CL_COMPARE_PSNR, "Peak signal-to-noise ratio", "psnr" },
          { GST_CL_COMPARE_SSIM, "Structural similarity", "ssim" },
          { GST_CL_COMPARE_XPSNR, "PSNR weighted by activity", "xpsnr" },
          { GST_CL_COMPARE_MAX_DIFFERENCE,
              "Largest difference, number and place of differences",
              "max-difference" },
          { GST_CL_COMPARE_HISTOGRAM, "Histogram of differences", "histogram" },
          { 0, NULL, NULL },
      },
};

static GstClEnum pair_enum = {
  .name = "GstClComparePair",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_PAIR_TIME, "By running time, within half a frame", "time" },
          { GST_CL_PAIR_ORDER, "The first with the first", "order" },
          { 0, NULL, NULL },
      },
};

static GstClEnum output_enum = {
  .name = "GstClCompareOutput",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_COMPARE_OUTPUT_DISTORTED, "The frames of the first sink_%u",
              "distorted" },
          { GST_CL_COMPARE_OUTPUT_NONE, "Empty buffers with results", "none" },
          { GST_CL_COMPARE_OUTPUT_MAP,
              "Pictures of the differences of the first sink_%u", "map" },
          { 0, NULL, NULL },
      },
};

static GstClEnum keys_enum = {
  .name = "GstClCompareKeyStyle",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_COMPARE_KEYS_GST, "The plugin's own names", "gst" },
          { GST_CL_COMPARE_KEYS_LAVFI,
              "Also the keys of FFmpeg's psnr, ssim and xpsnr", "lavfi" },
          { 0, NULL, NULL },
      },
};

#define FIELD(name) G_STRUCT_OFFSET (GstClCompareSettings, name)

const GstClProperty gst_cl_compare_properties[] = {
  /**
   * GstClCompare:metrics:
   *
   * What is measured. Each flag adds fields, listed in
   * [docs/clcompare.md](docs/clcompare.md).
   *
   * Since: 0.3
   */
  { "metrics", "Metrics of each pair of frames", GST_CL_PROPERTY_FLAGS,
      FIELD (metrics), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_COMPARE_PSNR | GST_CL_COMPARE_SSIM,
          &metrics_enum } },

  /**
   * GstClCompare:grid-columns:
   *
   * Columns of zones, which have PSNR, SSIM and differences of their own. With
   * #GstClCompare:grid-rows at most 63 zones.
   *
   * Since: 0.3
   */
  { "grid-columns", "Columns of zones with results of their own",
      GST_CL_PROPERTY_INT, FIELD (regions.grid_columns),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.i = { 1, 1, GST_CL_COMPARE_MAX_REGIONS } },

  /**
   * GstClCompare:grid-rows:
   *
   * Rows of zones.
   *
   * Since: 0.3
   */
  { "grid-rows", "Rows of zones", GST_CL_PROPERTY_INT,
      FIELD (regions.grid_rows), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.i = { 1, 1, GST_CL_COMPARE_MAX_REGIONS } },

  /**
   * GstClCompare:roi-meta:
   *
   * Measures the regions of interest of the frames of the reference, too.
   *
   * Since: 0.3
   */
  { "roi-meta", "Measure regions of interest of the reference",
      GST_CL_PROPERTY_BOOLEAN, FIELD (roi_meta), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.boolean = TRUE },

  /**
   * GstClCompare:pair:
   *
   * Which frames are pairs. `time`: those whose running times differ by less
   * than half a frame; the others are counted and reported. `order`: the first
   * with the first, for streams without times.
   *
   * Since: 0.3
   */
  { "pair", "Which frames are pairs", GST_CL_PROPERTY_ENUM, FIELD (pairing),
      GST_PARAM_MUTABLE_READY, GST_CL_CHANGE_FRAMES,
      .values.e = { GST_CL_PAIR_TIME, &pair_enum } },

  /**
   * GstClCompare:other-rates:
   *
   * Accepts streams of another frame rate than the reference; frames without a
   * partner at their time are left out. By default another rate is an error.
   *
   * Since: 0.3
   */
  { "other-rates", "Accept other frame rates; compare pairs that match",
      GST_CL_PROPERTY_BOOLEAN, FIELD (accepts_other_rates),
      GST_PARAM_MUTABLE_READY, GST_CL_CHANGE_FRAMES, .values.boolean = FALSE },

  /**
   * GstClCompare:output:
   *
   * What leaves the element: the frames of the first `sink_%u`, unchanged, with
   * the results of all pads as metas, buffers without memory that have only
   * these metas, or with `map` pictures in GRAY8 of the differences between the
   * first component of these frames and that of the reference.
   *
   * Since: 0.3
   */
  { "output", "What leaves the element", GST_CL_PROPERTY_ENUM, FIELD (output),
      GST_PARAM_MUTABLE_READY, GST_CL_CHANGE_FRAMES,
      .values.e = { GST_CL_COMPARE_OUTPUT_DISTORTED, &output_enum } },

  /**
   * GstClCompare:map-gain:
   *
   * Factor of the differences, in codes of 8 bits, with
   * #GstClCompare:output=map.
   *
   * Since: 0.3
   */
  { "map-gain", "Factor of the differences of output=map", GST_CL_PROPERTY_UINT,
      FIELD (map_gain), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.u = { 1, 1, GST_CL_DIFFERENCE_MAP_MAX_GAIN } },

  /**
   * GstClCompare:key-style:
   *
   * Names of the fields.
   *
   * Since: 0.3
   */
  { "key-style", "Names of the fields", GST_CL_PROPERTY_ENUM, FIELD (keys),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_FRAMES,
      .values.e = { GST_CL_COMPARE_KEYS_GST, &keys_enum } },

  /**
   * GstClCompare:location:
   *
   * File for results: all of them as lines of JSON, or those of pairs as
   * comma-separated values if the name ends in `.csv`.
   *
   * Since: 0.3
   */
  { "location", "File for results; lines of JSON, or .csv for pairs",
      GST_CL_PROPERTY_STRING, FIELD (location), GST_PARAM_MUTABLE_READY,
      GST_CL_CHANGE_FRAMES, .values.s = { NULL } },

  /**
   * GstClCompare:post-messages:
   *
   * Posts the result of each pair as an element message. Events and pooled
   * results are posted in any case.
   *
   * Since: 0.3
   */
  { "post-messages", "Post an element message for each result",
      GST_CL_PROPERTY_BOOLEAN, FIELD (post_messages), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.boolean = TRUE },

  /**
   * GstClCompare:min-psnr:
   *
   * PSNR of all components together, in dB, below which the event `mismatch`
   * begins; 0: none.
   *
   * Since: 0.3
   */
  { "min-psnr", "PSNR below which the event mismatch begins, dB; 0: none",
      GST_CL_PROPERTY_DOUBLE, FIELD (min_psnr), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0, 0, 200 } },

  /**
   * GstClCompare:min-ssim:
   *
   * SSIM of all components together below which the event `mismatch` begins; 0:
   * none.
   *
   * Since: 0.3
   */
  { "min-ssim", "SSIM below which the event mismatch begins; 0: none",
      GST_CL_PROPERTY_DOUBLE, FIELD (min_ssim), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0, 0, 1 } },

  /**
   * GstClCompare:min-xpsnr:
   *
   * XPSNR of the first component, in dB, below which the event `mismatch`
   * begins; 0: none.
   *
   * Since: 0.3
   */
  { "min-xpsnr", "XPSNR below which the event mismatch begins, dB; 0: none",
      GST_CL_PROPERTY_DOUBLE, FIELD (min_xpsnr), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES, .values.d = { 0, 0, 200 } },

  /**
   * GstClCompare:max-difference:
   *
   * Difference of a sample, in codes, above which the event `mismatch` begins;
   * 65535: none.
   *
   * Since: 0.3
   */
  { "max-difference",
      "Difference above which the event mismatch begins; 65535: none",
      GST_CL_PROPERTY_UINT, FIELD (max_difference), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_FRAMES,
      .values.u = { GST_CL_COMPARE_NO_LIMIT, 0, GST_CL_COMPARE_NO_LIMIT } },
};

const guint gst_cl_compare_n_properties = G_N_ELEMENTS (
    gst_cl_compare_properties);
