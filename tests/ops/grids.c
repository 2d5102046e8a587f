/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of the ops whose rows depend on nothing but the type of samples. */

#include "grid.h"

#include "statistics/blockiness/blocks.h"
#include "statistics/cells/cells.h"
#include "statistics/compare/errors.h"
#include "statistics/compare/ssim.h"
#include "statistics/compare/xpsnr.h"
#include "statistics/flash/flash.h"
#include "statistics/light/light.h"
#include "statistics/profiles/profiles.h"
#include "statistics/scopes/scopedraw.h"
#include "statistics/scopes/scopes.h"

static const gchar *const methods[] = { "auto", NULL };

/* Defines OP_grid, of the problems with these fields; @component is one of
 * op_grid_components. */
#define GRID(op, folder, Problem, ...)                                         \
  static gconstpointer get_##op##_problem (guint index)                        \
  {                                                                            \
    static Problem problem;                                                    \
    GstClComponent component;                                                  \
                                                                               \
    if (index >= N_OP_GRID_COMPONENTS)                                         \
      return NULL;                                                             \
                                                                               \
    component = op_grid_components[index];                                     \
    problem = (Problem){ __VA_ARGS__ };                                        \
                                                                               \
    return &problem;                                                           \
  }                                                                            \
                                                                               \
  const OpGrid op##_grid = {                                                   \
    .name = folder,                                                            \
    .table = &gst_cl_##op##_table,                                             \
    .methods = methods,                                                        \
    .get_problem = get_##op##_problem,                                         \
  };

#define SHAPE .n_components = 1, .shapes = { component }
#define GREY  .matrix.kind = GST_CL_RGB_GREY

GRID (blocks, "blocks", GstClPictureShape, SHAPE)
GRID (cells, "cells", GstClPictureShape, SHAPE)
GRID (errors, "errors", GstClErrorsProblem, .picture = { SHAPE })
GRID (flash, "flash", GstClFlashProblem, .picture = { SHAPE, GREY })
GRID (light, "light", GstClLightProblem, .picture = { SHAPE, GREY })
GRID (profiles, "profiles", GstClPictureShape, SHAPE)
GRID (scope_draw, "scopedraw", GstClScopeDrawProblem, .shape = { SHAPE },
    .width = 1920, .height = 1080, .out_width = 1920, .out_height = 1080)
GRID (scopes, "scopes", GstClScopesProblem, .picture = { SHAPE },
    .n_waveforms = 1, .waveform_bins = 256)
GRID (ssim, "ssim", GstClPictureShape, SHAPE)
GRID (xpsnr, "xpsnr", GstClXpsnrProblem, .picture = { SHAPE }, .order = 1)
