/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes every OpenCL device report itself as a GPU, so that elements use other
 * kernels. These functions precede the loader's in symbol resolution: the
 * plugin calls them, the driver does not. Any thread. */

/* From now on no command is reported as complete, until it is released. */
void gpu_device_hold (gboolean hold);

G_END_DECLS
