/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for measuring implementations of frame statistics: a frame of
 * zeros. */

#include "momentsprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/sample.h"

guint64
gst_cl_moments_count_bytes (gconstpointer user_problem, guint n_candidates)
{
  const GstClMomentsProblem *problem = user_problem;

  return gst_cl_components_count_bytes (problem->components,
      problem->n_components);
}

gpointer
gst_cl_moments_io_new (GstClContext *context, gconstpointer user_problem,
    GError **error)
{
  const GstClMomentsProblem *problem = user_problem;
  cl_mem mem = gst_cl_buffer_new_zeroed (context,
      gst_cl_moments_count_bytes (problem, 1), error);
  GstClComponent *components;

  if (!mem)
    return NULL;

  components = g_new (GstClComponent, problem->n_components);
  for (guint c = 0; c < problem->n_components; c++) {
    components[c] = problem->components[c];
    components[c].mem = mem;
  }

  return components;
}

void
gst_cl_moments_io_free (gpointer io)
{
  GstClComponent *components = io;

  gst_cl_buffer_free (components[0].mem);
  g_free (components);
}
