/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Lets every OpenCL device pass for a GPU, for which elements take other
 * kernels, and tells what becomes of these. The functions of OpenCL stand
 * before the loader's: the plugin calls them, the driver does not. Any
 * thread. */

/* Kernels that were launched so far. */
gint gpu_device_n_launches (void);

/* From now on no command is told to have ended, until nobody holds it. */
void gpu_device_hold (gboolean hold);

/* From now on launches fail with CL_OUT_OF_RESOURCES. */
void gpu_device_refuse_launches (gboolean refuse);

G_END_DECLS
