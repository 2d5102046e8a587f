/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Makes later calls of clWaitForEvents() and clFinish() by this program and the
 * plugin fail at once, or work again. The program must export its symbols. */
void set_waits_fail (gboolean fail);

/* Makes later calls of clGetEventInfo() fail, so that the completion of
 * commands is unknown, or work again. */
void set_event_queries_fail (gboolean fail);
