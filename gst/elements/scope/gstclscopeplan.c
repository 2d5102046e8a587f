/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From properties and caps to the problems of ops. */

#include "gstclscopeplan.h"

#include "cl/video/gstclformat.h"
#include "cl/video/gstclframe.h"
#include "elements/base/gstclcolour.h"
#include "elements/base/gstclgamut.h"

/* Colours like those of Okabe and Ito's palette, which the colour-blind can
 * tell apart. Their sum is grey: equal traces of R, G and B are, too. */
#define RED   0xff5000
#define GREEN 0x009e73
#define BLUE  0x5d6ee9
#define GREY  0xdcdcdc

/* --- kinds ---------------------------------------------------------------- */

/* What a panel shows. */
typedef struct {
  GstClPlotKind plot;
  guint counts;
  gboolean is_vectorscope;
  gboolean has_components; /* all of them; else luma alone */
  guint n_traces;
  gboolean is_parade; /* traces are side by side */
  guint32 colours[GST_CL_PIXEL_COMPONENTS];
} PanelRow;

static const PanelRow panel_rows[] = {
  [GST_CL_SCOPE_WAVEFORM] = { GST_CL_PLOT_TRACE, GST_CL_SCOPE_OWN, FALSE, FALSE,
      1, FALSE, { GREY } },
  [GST_CL_SCOPE_PARADE] = { GST_CL_PLOT_TRACE, GST_CL_SCOPE_OWN, FALSE, TRUE, 3,
      TRUE, { GREY, BLUE, RED } },
  [GST_CL_SCOPE_PARADE_RGB] = { GST_CL_PLOT_TRACE, GST_CL_SCOPE_RGB, FALSE,
      FALSE, 3, TRUE, { RED, GREEN, BLUE } },
  [GST_CL_SCOPE_OVERLAY_RGB] = { GST_CL_PLOT_TRACE, GST_CL_SCOPE_RGB, FALSE,
      FALSE, 3, FALSE, { RED, GREEN, BLUE } },
  [GST_CL_SCOPE_VECTORSCOPE] = { GST_CL_PLOT_TRACE, GST_CL_SCOPE_OWN, TRUE,
      FALSE, 1, FALSE, { GREY } },
  [GST_CL_SCOPE_HISTOGRAM] = { GST_CL_PLOT_BARS, GST_CL_SCOPE_RGB, FALSE, FALSE,
      3, FALSE, { RED, GREEN, BLUE } },
  [GST_CL_SCOPE_FALSE_COLOUR] = { GST_CL_PLOT_ZONES, GST_CL_SCOPE_OWN, FALSE,
      FALSE, 0, FALSE, { 0 } },
};

static const GstClScopeKind all_panels[GST_CL_SCOPE_MAX_PANELS] = {
  GST_CL_SCOPE_WAVEFORM, GST_CL_SCOPE_PARADE_RGB, GST_CL_SCOPE_VECTORSCOPE,
  GST_CL_SCOPE_HISTOGRAM
};

static void
set_panels (GstClScopePlan *plan, GstClScopeKind kind)
{
  const gint width = plan->draw.width, height = plan->draw.height;
  const gint left = (width + 1) / 2, top = (height + 1) / 2;

  if (kind != GST_CL_SCOPE_ALL) {
    plan->n_panels = 1;
    plan->panels[0] = (GstClScopePanel){ kind, { 0, 0, width, height } };
    return;
  }

  plan->n_panels = GST_CL_SCOPE_MAX_PANELS;
  for (gint i = 0; i < GST_CL_SCOPE_MAX_PANELS; i++) {
    const gint x = i % 2 * left, y = i / 2 * top;

    plan->panels[i] = (GstClScopePanel){ all_panels[i],
      { x, y, i % 2 ? width - left : left, i / 2 ? height - top : top } };
  }
}

/* --- plots ---------------------------------------------------------------- */

static gboolean
has_colour (const GstClScopePlan *plan)
{
  return plan->n_components > 1;
}

/* Returns the largest power of two up to @n and the number of codes. */
static guint
choose_bins (const GstClScopePlan *plan, gint n)
{
  const guint most = MIN (1u << plan->depth, GST_CL_SCOPES_MAX_BINS);
  guint n_bins = 1;

  while (2 * n_bins <= MIN ((guint) n, most))
    n_bins *= 2;

  return n_bins;
}

/* Adds @plot, unless it has no pixel, and the counts that it shows, of @n_bins
 * bins at most. */
static void
add_plot (GstClScopePlan *plan, const GstClPlot *plot, gint n_bins)
{
  GstClScopesProblem *counts = &plan->counts[plot->counts];
  guint *bins = plot->is_vectorscope ? &counts->vectorscope_bins
                                     : &counts->waveform_bins;

  if (plot->area.width <= 0 || plot->area.height <= 0)
    return;

  plan->draw.plots[plan->draw.n_plots++] = *plot;
  if (plot->kind == GST_CL_PLOT_ZONES)
    return;
  *bins = *bins == 0 ? choose_bins (plan, n_bins)
                     : MIN (*bins, choose_bins (plan, n_bins));
  if (!plot->is_vectorscope)
    counts->n_waveforms = MAX (counts->n_waveforms,
        plot->first_trace + plot->n_traces);
}

/* A vectorscope is square, in the middle of its panel. */
static void
add_vectorscope (GstClScopePlan *plan, const GstClDrawArea *area,
    GstClPlot *plot)
{
  const gint side = MIN (area->width, area->height);

  if (!has_colour (plan))
    return;
  plot->area = (GstClDrawArea){ area->x + (area->width - side) / 2,
    area->y + (area->height - side) / 2, side, side };
  add_plot (plan, plot, side);
}

static void
add_panel (GstClScopePlan *plan, const GstClScopePanel *panel)
{
  const PanelRow *row = &panel_rows[panel->kind];
  const GstClDrawArea *area = &panel->area;
  const gboolean is_grey = row->has_components && !has_colour (plan);
  const gint n_traces = is_grey ? 1 : (gint) row->n_traces;
  GstClPlot plot = { .kind = row->plot,
    .area = *area,
    .counts = row->counts,
    .is_vectorscope = row->is_vectorscope,
    .n_traces = (guint) n_traces };

  for (gint i = 0; i < n_traces; i++)
    plot.colours[i] = row->colours[i];
  /* the components of RGB are R, G and B */
  if (row->has_components && plan->draw.shape.matrix.kind == GST_CL_RGB_RGB) {
    plot.colours[0] = RED;
    plot.colours[1] = GREEN;
    plot.colours[2] = BLUE;
  }
  if (row->has_components)
    plan->counts[row->counts].source = GST_CL_SCOPES_COMPONENTS;

  if (row->is_vectorscope) {
    add_vectorscope (plan, area, &plot);
  } else if (!row->is_parade) {
    add_plot (plan, &plot,
        row->plot == GST_CL_PLOT_BARS ? area->width : area->height);
  } else {
    for (gint i = 0; i < n_traces; i++) {
      const gint left = area->width * i / n_traces;
      GstClPlot one = plot;

      one.area.x = area->x + left;
      one.area.width = area->width * (i + 1) / n_traces - left;
      one.first_trace = (guint) i;
      one.n_traces = 1;
      one.colours[0] = plot.colours[i];
      add_plot (plan, &one, area->height);
    }
  }
}

/* --- the picture ---------------------------------------------------------- */

static void
set_picture (GstClScopePlan *plan)
{
  const GstVideoInfo *in = &plan->in;
  GstClScopeDrawProblem *draw = &plan->draw;
  gdouble weights[3];

  draw->shape.n_components = plan->n_components;
  for (guint c = 0; c < plan->n_components; c++)
    draw->shape.shapes[c] = gst_cl_component_of_info (in, c);
  if (has_colour (plan)) {
    draw->shape.x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (in->finfo, 1);
    draw->shape.y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (in->finfo, 1);
  }
  gst_cl_colour_matrix (in, plan->depth, &draw->shape.matrix);
  gst_cl_colour_luma (in, weights);
  gst_cl_yuv_matrix_init (&draw->yuv, weights[0], weights[2], 1,
      plan->curve.is_full_range ? 1 : 224. / 219, 0, 1 << (plan->depth - 1));
  draw->white = (1 << plan->depth) - 1;
  if (!plan->curve.is_full_range) {
    draw->black = 16 << (plan->depth - 8);
    draw->white = 235 << (plan->depth - 8);
  }
}

static void
set_counts (GstClScopePlan *plan)
{
  const GstClScopeDrawProblem *draw = &plan->draw;

  for (guint i = 0; i < GST_CL_SCOPE_DRAW_MAX_COUNTS; i++) {
    GstClScopesProblem *counts = &plan->counts[i];

    counts->picture = draw->shape;
    counts->yuv = draw->yuv;
    counts->source = i == GST_CL_SCOPE_RGB ? GST_CL_SCOPES_RGB
                                           : GST_CL_SCOPES_LUMA;
    counts->has_rows_of_bins = TRUE;
  }
}

/* Enlarges @region to whole chroma samples, of each field if there are two. */
static void
align_region (const GstClScopePlan *plan, GstVideoRectangle *region)
{
  const gint x_step = 1 << plan->draw.shape.x_shift;
  const gint y_step = plan->draw.shape.y_shift > 0 &&
                              GST_VIDEO_INFO_IS_INTERLACED (&plan->in)
                          ? 2 << plan->draw.shape.y_shift
                          : 1 << plan->draw.shape.y_shift;
  const gint right = GST_ROUND_UP_N (region->x + region->w, x_step);
  const gint bottom = GST_ROUND_UP_N (region->y + region->h, y_step);

  region->x -= region->x % x_step;
  region->y -= region->y % y_step;
  region->w = MIN (right, GST_VIDEO_INFO_WIDTH (&plan->in)) - region->x;
  region->h = MIN (bottom, GST_VIDEO_INFO_FIELD_HEIGHT (&plan->in)) - region->y;
}

/* --- the output ----------------------------------------------------------- */

static const struct {
  GstVideoFormat format;
  GstClDrawFormat draw;
} formats[] = {
  { GST_VIDEO_FORMAT_RGBA, GST_CL_DRAW_RGBA },
  { GST_VIDEO_FORMAT_RGBx, GST_CL_DRAW_RGBA },
  { GST_VIDEO_FORMAT_BGRA, GST_CL_DRAW_BGRA },
  { GST_VIDEO_FORMAT_BGRx, GST_CL_DRAW_BGRA },
  { GST_VIDEO_FORMAT_NV12, GST_CL_DRAW_NV12 },
  { GST_VIDEO_FORMAT_I420, GST_CL_DRAW_I420 },
};

static gboolean
set_output (GstClScopePlan *plan, const GstVideoInfo *out, GError **error)
{
  const gdouble y_scale = gst_cl_gamut_is_full (out) ? 1 : 219. / 255;
  const gdouble uv_scale = gst_cl_gamut_is_full (out) ? 1 : 224. / 255;
  gdouble weights[3];

  plan->draw.out_width = GST_VIDEO_INFO_WIDTH (out);
  plan->draw.out_height = GST_VIDEO_INFO_HEIGHT (out);
  gst_cl_colour_luma (out, weights);
  gst_cl_yuv_matrix_init (&plan->draw.out_yuv, weights[0], weights[2], y_scale,
      uv_scale, gst_cl_gamut_is_full (out) ? 0 : 16, 128);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (formats[i].format == GST_VIDEO_INFO_FORMAT (out)) {
      plan->draw.format = formats[i].draw;
      return TRUE;
    }
  }

  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "Scopes cannot be drawn in frames of %s.", GST_VIDEO_INFO_NAME (out));

  return FALSE;
}

void
gst_cl_scope_plan_size (const GstClScopeSettings *settings, gint width,
    gint height, gint *scope_width, gint *scope_height)
{
  const gint divisor = settings->mode == GST_CL_SCOPE_OVERLAY ? 3 : 1;

  *scope_width = settings->width > 0 ? settings->width : width / divisor;
  *scope_height = settings->height > 0 ? settings->height : height / divisor;
  if (settings->mode == GST_CL_SCOPE_OVERLAY) {
    if (settings->kind == GST_CL_SCOPE_VECTORSCOPE && settings->width == 0)
      *scope_width = *scope_height;
    *scope_width = MIN (*scope_width, width);
    *scope_height = MIN (*scope_height, height);
  }
  *scope_width = MAX (*scope_width, 1);
  *scope_height = MAX (*scope_height, 1);
}

/* Sets the places of the scope and of the picture. */
static void
set_places (GstClScopePlan *plan, const GstClScopeSettings *settings)
{
  GstClScopeDrawProblem *draw = &plan->draw;
  const gint width = GST_VIDEO_INFO_WIDTH (&plan->in);
  const gint height = GST_VIDEO_INFO_FIELD_HEIGHT (&plan->in);
  const gboolean is_right = settings->position == GST_CL_SCOPE_TOP_RIGHT ||
                            settings->position == GST_CL_SCOPE_BOTTOM_RIGHT;
  const gboolean is_low = settings->position == GST_CL_SCOPE_BOTTOM_LEFT ||
                          settings->position == GST_CL_SCOPE_BOTTOM_RIGHT;
  gint margin;

  if (settings->mode == GST_CL_SCOPE_REPLACE) {
    draw->width = draw->out_width;
    draw->height = draw->out_height;
    return;
  }

  draw->picture = (GstClDrawArea){ 0, 0, width, height };
  gst_cl_scope_plan_size (settings, width, height, &draw->width, &draw->height);
  if (settings->mode == GST_CL_SCOPE_SIDE) {
    draw->scope_x = width;
    return;
  }

  margin = MIN (height / 36, MIN (width - draw->width, height - draw->height));
  draw->scope_x = is_right ? width - draw->width - margin : margin;
  draw->scope_y = is_low ? height - draw->height - margin : margin;
}

/* --- plans ---------------------------------------------------------------- */

static void
set_unit (GstClScopePlan *plan, GstClGraticuleUnit unit)
{
  const gboolean is_hdr = plan->curve.transfer == GST_CL_TRANSFER_PQ ||
                          plan->curve.transfer == GST_CL_TRANSFER_HLG;

  plan->unit = unit;
  if (unit == GST_CL_GRATICULE_AUTO)
    plan->unit = is_hdr ? GST_CL_GRATICULE_NITS : GST_CL_GRATICULE_IRE;
  plan->has_light_zones = plan->unit == GST_CL_GRATICULE_NITS ||
                          (plan->unit == GST_CL_GRATICULE_NONE && is_hdr);
}

gboolean
gst_cl_scope_plan_init (GstClScopePlan *plan,
    const GstClScopeSettings *settings, const GstVideoInfo *in,
    const GstVideoInfo *out, GError **error)
{
  GstVideoRectangle region;

  *plan = (GstClScopePlan){ .in = *in,
    .depth = gst_cl_format_component_depth (in->finfo, 0),
    .n_components = GST_VIDEO_INFO_IS_GRAY (in) ? 1 : 3 };
  if (!gst_cl_scope_settings_region (settings, in, &region, error) ||
      !set_output (plan, out, error))
    return FALSE;

  plan->curve = gst_cl_colour_curve (in, plan->depth, -1, 0);
  set_unit (plan, settings->graticule);
  set_picture (plan);
  set_counts (plan);
  plan->regions[GST_CL_SCOPE_OWN] = plan->regions[GST_CL_SCOPE_RGB] = region;
  align_region (plan, &plan->regions[GST_CL_SCOPE_RGB]);
  set_places (plan, settings);
  set_panels (plan, settings->kind);
  for (guint i = 0; i < plan->n_panels; i++)
    add_panel (plan, &plan->panels[i]);
  plan->draw.holds_peaks = settings->peak_hold > 0;
  for (guint i = 0; i < GST_CL_SCOPE_DRAW_MAX_COUNTS; i++)
    plan->draw.n_bins[i] = plan->counts[i].waveform_bins;
  plan->draw.n_uv_bins = plan->counts[GST_CL_SCOPE_OWN].vectorscope_bins;

  return TRUE;
}

gboolean
gst_cl_scope_plan_needs (const GstClScopePlan *plan, guint index)
{
  return plan->counts[index].n_waveforms > 0 ||
         plan->counts[index].vectorscope_bins > 0;
}
