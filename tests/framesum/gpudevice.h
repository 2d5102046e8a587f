/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes every OpenCL device report itself as a GPU, so that elements use other
 * kernels, and observes these. These functions precede the loader's in symbol
 * resolution: the plugin calls them, the driver does not. Any thread. */

/* Returns the number of kernels that were launched. */
gint gpu_device_n_launches (void);

/* From now on no command is reported as complete, until it is released. */
void gpu_device_hold (gboolean hold);

/* From now on launches fail with CL_OUT_OF_RESOURCES. */
void gpu_device_refuse_launches (gboolean refuse);

G_END_DECLS
