/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "bytes.h"

G_BEGIN_DECLS

/* Fuzz targets of the parsers of external input. No target compiles kernels.
 * Each aborts at a wrong result. */

/* Caps of integral images, and caps that elements derive from others:
 * parsecaps.c.
 */
void fuzz_parse_integral_caps (FuzzBytes *bytes);
void fuzz_parse_mapped_caps (FuzzBytes *bytes);

/* Files of the program cache, of the tuning database and of self-tests:
 * parsefiles.c. */
void fuzz_parse_cache_file (FuzzBytes *bytes);
void fuzz_parse_tuning_file (FuzzBytes *bytes);
void fuzz_parse_verdict_file (FuzzBytes *bytes);

/* Regions of a frame, from properties and from metas: parseregions.c. */
void fuzz_parse_regions (FuzzBytes *bytes);

/* The property `device`, and structures that become lines of a file:
 * parsetexts.c. */
void fuzz_parse_device_choice (FuzzBytes *bytes);
void fuzz_parse_record (FuzzBytes *bytes);

G_END_DECLS
