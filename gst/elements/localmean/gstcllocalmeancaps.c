/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of both pads of cllocalmean. */

#include "gstcllocalmeancaps.h"

#include "cl/video/gstclformat.h"
#include "cl/video/gstclintegralinfo.h"
#include "elements/base/gstclcaps.h"

/* One dimension of the window; user_data of the two functions below. */
typedef struct {
  GstClBorder border;
  gint kernel, step;
  gboolean is_field_height; /* sizes are those of frames, windows those of
                               fields */
} Axis;

/* Output formats of an integral image by its number of channels, preferred
 * format first. */
static const struct {
  gint channels;
  const gchar *format;
} channel_rows[] = {
  { 1, "GRAY8" },
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  { 1, "GRAY16_LE" },
#endif
  { 3, "RGB" },
  { 4, "RGBA" },
};

GstCaps *
gst_cl_local_mean_make_sink_caps (void)
{
  GstCaps *caps = gst_cl_format_make_caps ();

  /* includes float sums, which configure() rejects: an error is not possible
   * here */
  gst_caps_append (caps, gst_caps_from_string (GST_CL_INTEGRAL_CAPS));

  return caps;
}

GstCaps *
gst_cl_local_mean_make_src_caps (void)
{
  return gst_cl_format_make_caps ();
}

/* --- sizes --------------------------------------------------------------- */

/* A frame whose fields keep their height keeps its own, which may be odd. */
static gint
results_of_size (gint size, gboolean upper, gpointer user_data)
{
  const Axis *axis = user_data;
  const gint rows = axis->is_field_height ? gst_cl_field_height (size) : size;
  const gint results = gst_cl_window_results (axis->border, rows, axis->kernel,
      axis->step);

  if (!axis->is_field_height)
    return results;

  return results == rows ? size : 2 * results;
}

/* Returns the smallest or largest size that gives @results. With VALID a frame
 * smaller than the window gives no result; its caps pass all the same, so that
 * configuring can name the property that is wrong. */
static gint
size_of_results (gint results, gboolean upper, gpointer user_data)
{
  const Axis *axis = user_data;
  const gint rows = axis->is_field_height ? gst_cl_field_height (results)
                                          : results;
  const gint first = axis->border == GST_CL_BORDER_VALID ? axis->kernel : 1;
  const gint64 low = (gint64) (rows - 1) * axis->step + first;
  const gint64 size = upper ? low + axis->step - 1 : rows == 1 ? 1 : low;

  if (!axis->is_field_height)
    return (gint) MIN (size, G_MAXINT);
  if (first == 1 && axis->step == 1)
    return results;

  return (gint) MIN (2 * size - (upper ? 0 : 1), G_MAXINT);
}

static void
map_size (const GstStructure *in, GstStructure *out, const GstClWindow *window,
    GstClDimensionFunc map)
{
  Axis x = { window->border, window->kernel_width, window->step_x, FALSE };
  Axis y = { window->border, window->kernel_height, window->step_y,
    gst_cl_structure_has_fields (in) };

  gst_structure_remove_fields (out, "width", "height", NULL);
  gst_cl_dimension_map (in, out, "width", map, &x);
  gst_cl_dimension_map (in, out, "height", map, &y);
}

/* Unequal steps squeeze the picture; the pixel aspect ratio compensates. */
static void
scale_pixel_aspect (GstStructure *structure, gint num, gint den)
{
  gint n, d;

  if (num == den)
    return;

  if (!gst_structure_has_field (structure, "pixel-aspect-ratio"))
    n = d = 1;
  else if (!gst_structure_get_fraction (structure, "pixel-aspect-ratio", &n,
               &d)) {
    gst_structure_remove_field (structure, "pixel-aspect-ratio");
    return;
  }

  if (gst_util_fraction_multiply (n, d, num, den, &n, &d))
    gst_structure_set (structure, "pixel-aspect-ratio", GST_TYPE_FRACTION, n, d,
        NULL);
  else
    gst_structure_remove_field (structure, "pixel-aspect-ratio");
}

/* --- structures ---------------------------------------------------------- */

static GstStructure *
map_raw (const GstStructure *in, const GstClWindow *window,
    GstPadDirection direction)
{
  GstStructure *out = gst_structure_copy (in);

  if (direction == GST_PAD_SINK) {
    map_size (in, out, window, results_of_size);
    scale_pixel_aspect (out, window->step_x, window->step_y);
  } else {
    map_size (in, out, window, size_of_results);
    /* caps without the field accept any ratio: the source decides */
    if (gst_structure_has_field (out, "pixel-aspect-ratio"))
      scale_pixel_aspect (out, window->step_y, window->step_x);
  }

  return out;
}

static void
copy_framerate (const GstStructure *in, GstStructure *out)
{
  const GValue *framerate = gst_structure_get_value (in, "framerate");

  if (framerate)
    gst_structure_set_value (out, "framerate", framerate);
}

/* Returns one structure per row of channel_rows that @in admits. */
static GstCaps *
map_integral (const GstStructure *in, const GstClWindow *window)
{
  const GValue *channels = gst_structure_get_value (in, "channels");
  GstCaps *caps = gst_caps_new_empty ();

  for (guint i = 0; i < G_N_ELEMENTS (channel_rows); i++) {
    GValue n = G_VALUE_INIT;
    gboolean admits;

    g_value_init (&n, G_TYPE_INT);
    g_value_set_int (&n, channel_rows[i].channels);
    admits = !channels || gst_value_intersect (NULL, channels, &n);
    g_value_unset (&n);

    if (admits) {
      GstStructure *out = gst_structure_new ("video/x-raw", "format",
          G_TYPE_STRING, channel_rows[i].format, NULL);

      copy_framerate (in, out);
      map_size (in, out, window, results_of_size);
      gst_caps_append_structure (caps, out);
    }
  }

  return caps;
}

static GstCaps *
integral_of_raw (const GstStructure *in, const GstClWindow *window)
{
  const GValue *format = gst_structure_get_value (in, "format");
  GstCaps *caps = gst_caps_new_empty ();
  gint last = 0; /* channels that the caps already have */

  for (guint i = 0; i < G_N_ELEMENTS (channel_rows); i++) {
    GValue name = G_VALUE_INIT;
    gboolean admits;

    g_value_init (&name, G_TYPE_STRING);
    g_value_set_static_string (&name, channel_rows[i].format);
    admits = !format || gst_value_intersect (NULL, format, &name);
    g_value_unset (&name);

    if (admits && channel_rows[i].channels != last) {
      GstStructure *out = gst_structure_new (GST_CL_INTEGRAL_MEDIA_TYPE,
          "channels", G_TYPE_INT, channel_rows[i].channels, NULL);

      copy_framerate (in, out);
      map_size (in, out, window, size_of_results);
      gst_caps_append_structure (caps, out);
      last = channel_rows[i].channels;
    }
  }

  return caps;
}

GstCaps *
gst_cl_local_mean_map_structure (const GstClWindow *window,
    GstPadDirection direction, const GstStructure *structure)
{
  GstCaps *mapped;

  if (gst_cl_integral_is_structure (structure))
    return map_integral (structure, window);

  mapped = gst_caps_new_empty ();
  gst_caps_append_structure (mapped, map_raw (structure, window, direction));
  if (direction == GST_PAD_SRC && !gst_cl_structure_has_fields (structure))
    gst_caps_append (mapped, integral_of_raw (structure, window));

  return mapped;
}

void
gst_cl_local_mean_get_view (const GstClWindow *window, gint width, gint height,
    GstVideoRectangle *view)
{
  *view = (GstVideoRectangle){ 0, 0, width, height };
  if (window->border != GST_CL_BORDER_VALID)
    return;

  view->x = window->anchor_x < 0 ? window->kernel_width / 2 : window->anchor_x;
  view->y = window->anchor_y < 0 ? window->kernel_height / 2 : window->anchor_y;
  view->w = window->step_x * gst_cl_window_results (window->border, width,
                                 window->kernel_width, window->step_x);
  view->h = window->step_y * gst_cl_window_results (window->border, height,
                                 window->kernel_height, window->step_y);
}
