/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The programs that another window, operation or numbers may need. */

#include "localmean.h"

#include <gio/gio.h>

#include "ops/tune.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_local_mean_prebuild_debug);
#define GST_CAT_DEFAULT gst_cl_local_mean_prebuild_debug

/* One operation of each kind that has kernels of its own; of each kind the one
 * that needs most of them. */
static const GstClLocalMeanOperation operations[] = {
  GST_CL_LOCAL_MEAN_OPERATION_MEAN,
  GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE,
  GST_CL_LOCAL_MEAN_OPERATION_BRADLEY,
  GST_CL_LOCAL_MEAN_OPERATION_WOLF,
};

/* Likewise of windows: one that slides at any rate; a sparse one; so tall that
 * cores had better not slide; too wide for the tile of a GPU; of more samples than
 * running sums of squares take; with sums beyond 2^32. */
static const struct {
  gint width, height, step_y;
} windows[] = {
  { 1, 1, 1 },
  { 1, 1, 2 },
  { 1, 16384, 1 },
  { 256, 1, 1 },
  { 512, 512, 1 },
  { 16384, 16384, 1 },
};

static void
init_debug (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_cl_local_mean_prebuild_debug, "clprepare", 0,
        "Programs made ahead");
    g_once_init_leave (&once, 1);
  }
}

static gboolean
is_cancelled (void)
{
  return g_cancellable_is_cancelled (g_cancellable_get_current ());
}

/* What an op of @spec has beside its programs comes and goes with it. */
static void
make_programs (GstClContext *context, const GstClImplementation *variant,
    const GstClLocalMeanSpec *spec)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GstClLocalMeanOp)
      op = gst_cl_local_mean_op_new (context, variant, spec, &reason);

  if (!op)
    GST_INFO_OBJECT (context, "%s is not prepared: %s", variant->name,
        reason->message);
}

/* The variants that @method may come to for @spec. */
static void
prepare_spec (GstClContext *context, gint method,
    const GstClLocalMeanSpec *spec)
{
  GstClLocalMeanWay ways[GST_CL_LOCAL_MEAN_MAX_WAYS] = { { .variant = NULL } };
  guint n = 1;

  if (method == GST_CL_LOCAL_MEAN_METHOD_AUTO && gst_cl_tune_is_on ())
    n = gst_cl_local_mean_ways (context->device, spec, ways);
  else
    ways[0].variant = gst_cl_local_mean_choose (method, spec, context->device);

  for (guint i = 0; i < n && ways[i].variant && !is_cancelled (); i++)
    make_programs (context, ways[i].variant, spec);
}

static void
prepare_copy (GstClContext *context, gint method, GstClLocalMeanSpec spec)
{
  if (spec.from_sums) {
    spec.operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
    spec.window.border = GST_CL_BORDER_SHRINK;
  }

  prepare_spec (context, method, &spec);
}

/* Row @index of the windows, or the nearest that goes with the border. */
static void
set_window (GstClLocalMeanSpec *spec, guint index)
{
  GstClWindow *window = &spec->window;
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;

  window->kernel_width = MIN (windows[index].width,
      is_valid ? spec->width : G_MAXINT);
  window->kernel_height = MIN (windows[index].height,
      is_valid ? spec->height : G_MAXINT);
  window->step_y = windows[index].step_y;
}

void
gst_cl_local_mean_prebuild (GstClContext *context, gint method,
    const GstClLocalMeanSpec *spec)
{
  GstClLocalMeanSpec other = *spec;

  init_debug ();
  other.repeat = 1;
  other.window = (GstClWindow){ .kernel_width = 1,
    .kernel_height = 1,
    .step_x = 1,
    .step_y = 1,
    .border = spec->window.border };
  if (spec->operation == GST_CL_LOCAL_MEAN_OPERATION_COPY) {
    prepare_copy (context, method, other);
    return;
  }

  for (guint w = 0; w < G_N_ELEMENTS (windows); w++) {
    set_window (&other, w);
    for (guint i = 0; i < G_N_ELEMENTS (operations) && !is_cancelled (); i++) {
      other.operation = operations[i];
      prepare_spec (context, method, &other);
    }
  }
}
