/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of clscope. */

#include "gstclscopesettings.h"

#include <stdio.h>

#include "common/gstclenum.h"

GstClEnum gst_cl_scope_kind_enum = {
  .name = "GstClScopeKind",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_SCOPE_WAVEFORM, "Codes of luma in each column", "waveform" },
          { GST_CL_SCOPE_PARADE,
              "Waveforms of the components, side by side: Y, U, V or R, G, B",
              "parade" },
          { GST_CL_SCOPE_PARADE_RGB,
              "Waveforms of R, G and B, side by side, by the matrix of the "
              "caps",
              "parade-rgb" },
          { GST_CL_SCOPE_OVERLAY_RGB,
              "Waveforms of R, G and B, one over the other", "overlay-rgb" },
          { GST_CL_SCOPE_VECTORSCOPE, "Pairs of U and V", "vectorscope" },
          { GST_CL_SCOPE_HISTOGRAM, "Histograms of R, G and B", "histogram" },
          { GST_CL_SCOPE_FALSE_COLOUR, "The picture in zones of exposure",
              "false-colour" },
          { GST_CL_SCOPE_ALL, "Waveform, RGB parade, vectorscope and histogram",
              "all" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_scope_mode_enum = {
  .name = "GstClScopeMode",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_SCOPE_REPLACE, "The scope alone", "replace" },
          { GST_CL_SCOPE_SIDE, "The scope on the right of the picture",
              "side" },
          { GST_CL_SCOPE_OVERLAY, "The scope over the picture", "overlay" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_scope_position_enum = {
  .name = "GstClScopePosition",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_SCOPE_TOP_LEFT, "Top left", "top-left" },
          { GST_CL_SCOPE_TOP_RIGHT, "Top right", "top-right" },
          { GST_CL_SCOPE_BOTTOM_LEFT, "Bottom left", "bottom-left" },
          { GST_CL_SCOPE_BOTTOM_RIGHT, "Bottom right", "bottom-right" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_graticule_unit_enum = {
  .name = "GstClGraticuleUnit",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_GRATICULE_AUTO, "cd/m2 for PQ and HLG, else IRE", "auto" },
          { GST_CL_GRATICULE_NONE, "No graticule", "none" },
          { GST_CL_GRATICULE_IRE, "Percent of the range from black to white",
              "ire" },
          { GST_CL_GRATICULE_CODES, "Codes of 10 bits", "codes" },
          { GST_CL_GRATICULE_NITS, "Light in cd/m2", "nits" },
          { 0, NULL, NULL },
      },
};

#define MAX_SIZE    16384
#define FIELD(name) G_STRUCT_OFFSET (GstClScopeSettings, name)
#define CONTROLLED  (GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE)

const GstClProperty gst_cl_scope_properties[] = {
  /**
   * GstClScope:kind:
   *
   * What is drawn. `all` has a waveform, an RGB parade, a vectorscope and a
   * histogram. Grey video has no vectorscope; its place has the graticule only.
   *
   * Since: 0.3
   */
  { "kind", "What is drawn", GST_CL_PROPERTY_ENUM, FIELD (kind),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_SCOPE_WAVEFORM, &gst_cl_scope_kind_enum } },

  /**
   * GstClScope:mode:
   *
   * Where the scope is drawn: alone, on the right of the picture, or over the
   * picture.
   *
   * Since: 0.3
   */
  { "mode", "Where the scope is drawn", GST_CL_PROPERTY_ENUM, FIELD (mode),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS,
      .values.e = { GST_CL_SCOPE_REPLACE, &gst_cl_scope_mode_enum } },

  /**
   * GstClScope:position:
   *
   * The corner of the picture that the scope is in, with mode=overlay.
   *
   * Since: 0.3
   */
  { "position", "Corner of the scope with mode=overlay", GST_CL_PROPERTY_ENUM,
      FIELD (position), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_SCOPE_BOTTOM_RIGHT, &gst_cl_scope_position_enum } },

  /**
   * GstClScope:width:
   *
   * Width of the scope. 0 is the width in the caps of the output with
   * mode=replace, which is the width of the input if downstream accepts it; the
   * width of the picture with mode=side, and a third of it with mode=overlay,
   * in which a vectorscope is square.
   *
   * Since: 0.3
   */
  { "width", "Width of the scope, pixels (0: automatic)", GST_CL_PROPERTY_INT,
      FIELD (width), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS,
      .values.i = { 0, 0, MAX_SIZE } },

  /**
   * GstClScope:height:
   *
   * Height of the scope. 0 is automatic, as with #GstClScope:width.
   *
   * Since: 0.3
   */
  { "height", "Height of the scope, pixels (0: automatic)", GST_CL_PROPERTY_INT,
      FIELD (height), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_CAPS,
      .values.i = { 0, 0, MAX_SIZE } },

  /**
   * GstClScope:intensity:
   *
   * Brightness of traces. With 0.25, a code that as many samples of a column
   * have as if all codes were equally frequent is drawn at half of the full
   * brightness; likewise a pair of U and V.
   *
   * Since: 0.3
   */
  { "intensity", "Brightness of traces", GST_CL_PROPERTY_DOUBLE,
      FIELD (intensity), CONTROLLED, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.25, 0, 1 } },

  /**
   * GstClScope:opacity:
   *
   * Opacity of the scope over the picture, with mode=overlay.
   *
   * Since: 0.3
   */
  { "opacity", "Opacity of the scope with mode=overlay", GST_CL_PROPERTY_DOUBLE,
      FIELD (opacity), CONTROLLED, GST_CL_CHANGE_FRAMES,
      .values.d = { 0.8, 0, 1 } },

  /**
   * GstClScope:peak-hold:
   *
   * Keeps the greatest brightness of each point of a trace: full brightness
   * fades to black in this time. A change of another property than
   * #GstClScope:intensity and #GstClScope:opacity ends held traces.
   *
   * Since: 0.3
   */
  { "peak-hold", "Time in which traces fade, seconds (0: at once)",
      GST_CL_PROPERTY_DOUBLE, FIELD (peak_hold), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.d = { 0, 0, 3600 } },

  /**
   * GstClScope:graticule:
   *
   * The unit of the lines and labels.
   *
   * Since: 0.3
   */
  { "graticule", "Unit of the lines and labels", GST_CL_PROPERTY_ENUM,
      FIELD (graticule), GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS,
      .values.e = { GST_CL_GRATICULE_AUTO, &gst_cl_graticule_unit_enum } },

  /**
   * GstClScope:legend:
   *
   * Draws the colours of kind=false-colour with their ranges.
   *
   * Since: 0.3
   */
  { "legend", "Draw the colours of kind=false-colour and their ranges",
      GST_CL_PROPERTY_BOOLEAN, FIELD (legend), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.boolean = FALSE },

  /**
   * GstClScope:rectangle:
   *
   * The pixels that are counted, as `x,y,width,height`; a width or height of 0
   * is up to the edge. The picture and its false colours stay whole. R, G and B
   * of subsampled video are counted in all pixels of the chroma samples that
   * the rectangle touches.
   *
   * Since: 0.3
   */
  { "rectangle",
      "Pixels that are counted: \"x,y,width,height\" (unset: the frame)",
      GST_CL_PROPERTY_STRING, FIELD (rectangle), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.s = { NULL } },

  /**
   * GstClScope:lines:
   *
   * The rows of the frame that are counted, from 0 on, as `row` or
   * `first-last`. With #GstClScope:rectangle, those in both are. A frame with
   * none is an error: unset one of them before both change.
   *
   * Since: 0.3
   */
  { "lines",
      "Rows that are counted: \"row\" or \"first-last\", from 0 on (unset: "
      "all)",
      GST_CL_PROPERTY_STRING, FIELD (lines), GST_PARAM_MUTABLE_PLAYING,
      GST_CL_CHANGE_OPS, .values.s = { NULL } },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_scope_properties) == GST_CL_SCOPE_N_PROPERTIES);

/* --- the counted region --------------------------------------------------- */

static gboolean
refuse (const gchar *name, const gchar *value, const gchar *reason,
    const GstVideoInfo *info, GError **error)
{
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "%dx%d frame of %s: property %s is \"%s\", %s.",
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_FIELD_HEIGHT (info),
      GST_VIDEO_INFO_NAME (info), name, value, reason);

  return FALSE;
}

/* Returns TRUE if @size pixels from @start are within @n; 0: up to the end. */
static gboolean
fit_side (gint start, gint n, gint *size)
{
  if (start < 0 || *size < 0 || start >= n || *size > n - start)
    return FALSE;
  if (*size == 0)
    *size = n - start;

  return TRUE;
}

static gboolean
apply_rectangle (const gchar *text, const GstVideoInfo *info,
    GstVideoRectangle *region, GError **error)
{
  gchar rest;

  if (!text || !text[0])
    return TRUE;
  if (sscanf (text, "%d,%d,%d,%d%c", &region->x, &region->y, &region->w,
          &region->h, &rest) != 4)
    return refuse ("rectangle", text, "not \"x,y,width,height\"", info, error);
  if (!fit_side (region->x, GST_VIDEO_INFO_WIDTH (info), &region->w) ||
      !fit_side (region->y, GST_VIDEO_INFO_FIELD_HEIGHT (info), &region->h))
    return refuse ("rectangle", text, "which exceeds it", info, error);

  return TRUE;
}

static gboolean
apply_lines (const gchar *text, const GstVideoInfo *info,
    GstVideoRectangle *region, GError **error)
{
  gint first, last, end, n;
  gchar rest;

  if (!text || !text[0])
    return TRUE;
  n = sscanf (text, "%d-%d%c", &first, &last, &rest);
  if (n == 1 && sscanf (text, "%d%c", &last, &rest) != 1)
    n = 0;
  if (n != 1 && n != 2)
    return refuse ("lines", text, "not \"row\" or \"first-last\"", info, error);
  if (first < 0 || last < first || last >= GST_VIDEO_INFO_FIELD_HEIGHT (info))
    return refuse ("lines", text, "which it does not have", info, error);

  end = MIN (region->y + region->h, last + 1);
  region->y = MAX (region->y, first);
  region->h = end - region->y;
  if (region->h <= 0)
    return refuse ("lines", text, "of which none is in the rectangle", info,
        error);

  return TRUE;
}

gboolean
gst_cl_scope_settings_region (const GstClScopeSettings *settings,
    const GstVideoInfo *info, GstVideoRectangle *region, GError **error)
{
  *region = (GstVideoRectangle){ 0, 0, GST_VIDEO_INFO_WIDTH (info),
    GST_VIDEO_INFO_FIELD_HEIGHT (info) };

  return apply_rectangle (settings->rectangle, info, region, error) &&
         apply_lines (settings->lines, info, region, error);
}
