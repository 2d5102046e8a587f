/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the programs that another window, operation or factors may need. */

#include "localmean.h"

#include <gio/gio.h>

#include "ops/choose.h"
#include "ops/compileprocess.h"
#include "ops/selftest.h"
#include "ops/tune.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY (gst_cl_local_mean_prebuild_debug, "clprebuild",
    "Programs built ahead");
#define GST_CAT_DEFAULT gst_cl_local_mean_prebuild_debug ()

/* One operation for each group with the same kernels: it needs most of them. */
static const GstClLocalMeanOperation operations[] = {
  GST_CL_LOCAL_MEAN_OPERATION_MEAN,
  GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE,
  GST_CL_LOCAL_MEAN_OPERATION_BRADLEY,
  GST_CL_LOCAL_MEAN_OPERATION_WOLF,
};

/* Window sizes grow by powers of two up to this size in each direction, with
 * steps of one and of two rows. */
#define MAX_SIZE 16384

/* The smallest and the largest window of an implementation: its programs differ
 * in the size of sums and in the rows of a work-item, which grow with the
 * window. */
typedef struct {
  gboolean is_taken;
  GstClLocalMeanProblem smallest, largest;
} Neighbours;

static gboolean
is_cancelled (void)
{
  return g_cancellable_is_cancelled (g_cancellable_get_current ());
}

/* The context keeps the programs; the rest of the instance is freed. The row's
 * self-test also runs here, so that no frame waits for it. */
static void
build_programs (GstClContext *context, const GstClImplementation *row,
    const GstClLocalMeanProblem *problem)
{
  const GstClCandidate candidate = gst_cl_implementation_untuned (row, problem,
      context->device);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GstClLocalMeanOp) op = NULL;

  if (!gst_cl_self_test_passes (context, &gst_cl_local_mean_table, row,
          problem) ||
      is_cancelled ())
    return;
  gst_cl_trial_begin (context, &gst_cl_local_mean_table, row, problem);
  op = gst_cl_local_mean_op_new (context, &candidate, problem, &reason);
  gst_cl_trial_end ();
  if (!op && gst_cl_build_mode () != GST_CL_BUILD_NOTHING)
    GST_INFO_OBJECT (context, "%s is not built ahead: %s", row->name,
        reason->message);
}

/* Adds @problem to each row that @method may choose for it. */
static void
add_neighbour (Neighbours *neighbours, const GstClDevice *device, gint method,
    const GstClLocalMeanProblem *problem)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  guint n = 1;

  if (method == GST_CL_LOCAL_MEAN_METHOD_AUTO && gst_cl_tune_is_on ())
    n = gst_cl_op_table_candidates (table, problem, device, candidates);
  else
    candidates[0].implementation = gst_cl_op_table_first (table, method,
        problem, device);

  for (guint i = 0; i < n && candidates[i].implementation; i++) {
    Neighbours
        *of_row = &neighbours[candidates[i].implementation - table->rows];

    if (!of_row->is_taken)
      of_row->smallest = *problem;
    of_row->largest = *problem;
    of_row->is_taken = TRUE;
  }
}

static void
add_windows (Neighbours *neighbours, const GstClDevice *device, gint method,
    GstClLocalMeanProblem problem)
{
  GstClWindow *window = &problem.window;
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;
  const gint max_width = is_valid ? MIN (MAX_SIZE, problem.width) : MAX_SIZE;
  const gint max_height = is_valid ? MIN (MAX_SIZE, problem.height) : MAX_SIZE;

  for (window->step_y = 1; window->step_y <= 2; window->step_y++) {
    for (gint width = 1; width < 2 * max_width; width *= 2) {
      for (gint height = 1; height < 2 * max_height; height *= 2) {
        window->kernel_width = MIN (width, max_width);
        window->kernel_height = MIN (height, max_height);
        add_neighbour (neighbours, device, method, &problem);
      }
    }
  }
}

static void
build_neighbours (GstClContext *context, const Neighbours *neighbours)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;

  for (guint i = 0; i < table->n_rows && !is_cancelled (); i++) {
    if (!neighbours[i].is_taken)
      continue;
    build_programs (context, &table->rows[i], &neighbours[i].smallest);
    if (!is_cancelled ())
      build_programs (context, &table->rows[i], &neighbours[i].largest);
  }
}

/* In the build mode of the thread. */
static void
build_all (GstClContext *context, gint method,
    const GstClLocalMeanProblem *problem)
{
  const GstClDevice *device = context->device;
  const guint n_rows = gst_cl_local_mean_table.n_rows;
  GstClLocalMeanProblem other = *problem;

  other.repeat = 1;
  other.window = (GstClWindow){ .kernel_width = 1,
    .kernel_height = 1,
    .step_x = 1,
    .step_y = 1,
    .border = problem->window.border };
  if (problem->operation == GST_CL_LOCAL_MEAN_OPERATION_COPY) {
    g_autofree Neighbours *copies = g_new0 (Neighbours, n_rows);

    if (problem->from_sums) {
      other.operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
      other.window.border = GST_CL_BORDER_SHRINK;
    }
    add_neighbour (copies, device, method, &other);
    build_neighbours (context, copies);
    return;
  }

  for (guint i = 0; i < G_N_ELEMENTS (operations) && !is_cancelled (); i++) {
    g_autofree Neighbours *neighbours = g_new0 (Neighbours, n_rows);

    other.operation = operations[i];
    add_windows (neighbours, device, method, other);
    build_neighbours (context, neighbours);
  }
}

static gboolean
is_compiled (GstClContext *context, gint method,
    const GstClLocalMeanProblem *problem)
{
  GstClBuildScope scope = { 0 };

  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_NOTHING);
  build_all (context, method, problem);
  gst_cl_build_scope_leave ();

  return !scope.was_refused;
}

void
gst_cl_local_mean_prebuild (GstClContext *context, gint method,
    const GstClLocalMeanProblem *problem)
{
  const GstClCompileJob job = { .context = context,
    .op = GST_CL_COMPILE_PREBUILD,
    .method = method,
    .problem = problem,
    .problem_bytes = sizeof *problem };

  gst_cl_local_mean_prebuild_debug ();
  if (is_compiled (context, method, problem))
    return;
  /* another process compiles, and then this one loads */
  if (gst_cl_compile_process_run (&job, g_cancellable_get_current ()) !=
      GST_CL_COMPILE_GIVEN_UP)
    build_all (context, method, problem);
}
