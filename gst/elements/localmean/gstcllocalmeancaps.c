/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of both pads of cllocalmean. */

#include "gstcllocalmeancaps.h"

#include "cl/video/gstclformat.h"
#include "cl/video/gstclframe.h"
#include "cl/video/gstclintegralinfo.h"
#include "elements/base/gstclcaps.h"

/* What windows slide over, along one dimension of the size in caps. */
typedef enum {
  SIZE_OF_FRAMES, /* all of it */
  SIZE_OF_FIELDS, /* one field, in buffers of their own */
  SIZE_OF_PAIRS,  /* each of the two fields of a frame */
} SizeOf;

/* One dimension of the window; user_data of the two functions below. */
typedef struct {
  GstClBorder border;
  gint kernel, step;
  SizeOf size_of;
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

static gint
count_results (const Axis *axis, gint size)
{
  return gst_cl_window_results (axis->border, size, axis->kernel, axis->step);
}

/* For SIZE_OF_PAIRS; a frame of one row has no bottom field. */
static gint
results_of_pair (const Axis *axis, gint size)
{
  const gint top = count_results (axis,
      gst_cl_row_set_count (GST_CL_ROWS_TOP, size));
  gint bottom;

  if (size == 1)
    return top;
  bottom = count_results (axis,
      gst_cl_row_set_count (GST_CL_ROWS_BOTTOM, size));

  return bottom > 0 ? top + bottom : 0;
}

/* A frame whose fields keep their height keeps its own, which may be odd. */
static gint
results_of_size (gint size, gboolean upper, gpointer user_data)
{
  const Axis *axis = user_data;
  gint rows, results;

  switch (axis->size_of) {
    case SIZE_OF_FIELDS:
      rows = gst_cl_field_height (size);
      results = count_results (axis, rows);
      return results == rows ? size : 2 * results;
    case SIZE_OF_PAIRS:
      return results_of_pair (axis, size);
    default:
      return count_results (axis, size);
  }
}

/* Returns the smallest or largest size that gives @results. With VALID a frame
 * smaller than the window gives no result; its caps pass all the same, so that
 * configuring can name the property that is wrong. */
static gint
size_of_results (gint results, gboolean upper, gpointer user_data)
{
  const Axis *axis = user_data;
  const gint rows = axis->size_of == SIZE_OF_FRAMES
                        ? results
                        : gst_cl_field_height (results);
  const gint first = axis->border == GST_CL_BORDER_VALID ? axis->kernel : 1;
  const gint64 low = (gint64) (rows - 1) * axis->step + first;
  gint64 size = upper ? low + axis->step - 1 : rows == 1 ? 1 : low;

  if (axis->size_of == SIZE_OF_FIELDS)
    size = first == 1 && axis->step == 1 ? results : 2 * size - (upper ? 0 : 1);
  /* only the first row of a step gives the top field one result more */
  else if (axis->size_of == SIZE_OF_PAIRS && results > 1)
    size = results % 2 ? 2 * low - 1 : 2 * (upper ? size : low);
  else if (axis->size_of == SIZE_OF_PAIRS)
    size = upper ? 2 * low - 1 : 1;

  return (gint) MIN (size, G_MAXINT);
}

gint
gst_cl_local_mean_rows_of_fields (const GstClWindow *window, gint height)
{
  const Axis y = { window->border, window->kernel_height, window->step_y,
    SIZE_OF_PAIRS };

  return results_of_pair (&y, height);
}

static void
map_size (const GstStructure *in, GstStructure *out, const GstClWindow *window,
    SizeOf height_of, GstClDimensionFunc map)
{
  Axis x = { window->border, window->kernel_width, window->step_x,
    SIZE_OF_FRAMES };
  Axis y = { window->border, window->kernel_height, window->step_y, height_of };

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
map_frames (const GstStructure *in, const GstClWindow *window, SizeOf height_of,
    GstPadDirection direction)
{
  GstStructure *out = gst_structure_copy (in);

  if (direction == GST_PAD_SINK) {
    map_size (in, out, window, height_of, results_of_size);
    scale_pixel_aspect (out, window->step_x, window->step_y);
  } else {
    map_size (in, out, window, height_of, size_of_results);
    /* caps without the field accept any ratio: the source decides */
    if (gst_structure_has_field (out, "pixel-aspect-ratio"))
      scale_pixel_aspect (out, window->step_y, window->step_x);
  }

  return out;
}

#define INTERLEAVED "interleaved"

/* Returns TRUE if @structure admits interlace-mode=interleaved. Frames without
 * the field are progressive, but on the source pad it is downstream that does
 * not name a mode. */
static gboolean
admits_interleaved (const GstStructure *structure, GstPadDirection direction)
{
  const GValue *mode = gst_structure_get_value (structure, "interlace-mode");
  GValue interleaved = G_VALUE_INIT;
  gboolean admits;

  if (!mode)
    return direction == GST_PAD_SRC;

  g_value_init (&interleaved, G_TYPE_STRING);
  g_value_set_static_string (&interleaved, INTERLEAVED);
  admits = gst_value_intersect (NULL, mode, &interleaved);
  g_value_unset (&interleaved);

  return admits;
}

/* Removes interlace-mode=interleaved from @structure. Returns FALSE if no other
 * mode is left. */
static gboolean
remove_interleaved (GstStructure *structure)
{
  const GValue *mode = gst_structure_get_value (structure, "interlace-mode");
  GValue interleaved = G_VALUE_INIT, rest = G_VALUE_INIT;
  gboolean is_left;

  if (!mode)
    return TRUE;

  g_value_init (&interleaved, G_TYPE_STRING);
  g_value_set_static_string (&interleaved, INTERLEAVED);
  is_left = gst_value_subtract (&rest, mode, &interleaved);
  g_value_unset (&interleaved);
  if (is_left)
    gst_structure_take_value (structure, "interlace-mode", &rest);

  return is_left;
}

/* Returns one structure, or two if interleaved frames have other heights. */
static GstCaps *
map_raw (const GstStructure *in, const GstClWindow *window,
    gboolean split_fields, GstPadDirection direction)
{
  const gboolean keeps_rows = window->step_y == 1 &&
                              (window->border != GST_CL_BORDER_VALID ||
                                  window->kernel_height == 1);
  GstCaps *caps = gst_caps_new_empty ();
  g_autoptr (GstStructure) others = gst_structure_copy (in);
  g_autoptr (GstStructure) interleaved = NULL;

  if (gst_cl_structure_has_fields (in)) {
    gst_caps_append_structure (caps,
        map_frames (in, window, SIZE_OF_FIELDS, direction));
    return caps;
  }
  if (!split_fields || keeps_rows || !admits_interleaved (in, direction)) {
    gst_caps_append_structure (caps,
        map_frames (in, window, SIZE_OF_FRAMES, direction));
    return caps;
  }

  if (remove_interleaved (others))
    gst_caps_append_structure (caps,
        map_frames (others, window, SIZE_OF_FRAMES, direction));
  interleaved = gst_structure_copy (in);
  gst_structure_set (interleaved, "interlace-mode", G_TYPE_STRING, INTERLEAVED,
      NULL);
  gst_caps_append_structure (caps,
      map_frames (interleaved, window, SIZE_OF_PAIRS, direction));

  return caps;
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
      map_size (in, out, window, SIZE_OF_FRAMES, results_of_size);
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
      map_size (in, out, window, SIZE_OF_FRAMES, size_of_results);
      gst_caps_append_structure (caps, out);
      last = channel_rows[i].channels;
    }
  }

  return caps;
}

GstCaps *
gst_cl_local_mean_map_structure (const GstClWindow *window,
    gboolean split_fields, GstPadDirection direction,
    const GstStructure *structure)
{
  GstCaps *mapped;

  if (gst_cl_integral_is_structure (structure))
    return map_integral (structure, window);

  mapped = map_raw (structure, window, split_fields, direction);
  if (direction == GST_PAD_SRC && !gst_cl_structure_has_fields (structure))
    gst_caps_append (mapped, integral_of_raw (structure, window));

  return mapped;
}

void
gst_cl_local_mean_get_view (const GstClWindow *window, gboolean has_fields,
    gint width, gint height, GstVideoRectangle *view)
{
  gint n_rows;

  *view = (GstVideoRectangle){ 0, 0, width, height };
  if (window->border != GST_CL_BORDER_VALID)
    return;

  view->x = window->anchor_x < 0 ? window->kernel_width / 2 : window->anchor_x;
  view->y = window->anchor_y < 0 ? window->kernel_height / 2 : window->anchor_y;
  view->w = window->step_x * gst_cl_window_results (window->border, width,
                                 window->kernel_width, window->step_x);
  n_rows = gst_cl_window_results (window->border, height, window->kernel_height,
      window->step_y);
  if (has_fields) {
    view->y *= 2;
    n_rows = gst_cl_local_mean_rows_of_fields (window, height);
  }
  view->h = window->step_y * n_rows;
}
