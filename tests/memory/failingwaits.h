/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* From now on, makes clWaitForEvents() and clFinish() of this program and of
 * the plugin in it fail without a wait, or work again. The program must export
 * its symbols. */
void set_waits_fail (gboolean fail);

/* Makes clGetEventInfo() fail, too, so that the completion of commands is
 * unknown. */
void set_questions_fail (gboolean fail);
