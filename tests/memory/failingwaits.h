/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Makes clWaitForEvents() and clFinish() of this program and of the plugin in
 * it fail from now on, without a wait, or work again. The program must export
 * its symbols. */
void set_waits_fail (gboolean fail);

/* Makes clGetEventInfo() fail in the same way: nobody learns then that a
 * command has ended that has. */
void set_questions_fail (gboolean fail);
