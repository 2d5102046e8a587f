/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: parsers of external input. */

#include "environment.h"
#include "parsers.h"

static void (*const parsers[]) (FuzzBytes *bytes) = { fuzz_parse_integral_caps,
  fuzz_parse_mapped_caps, fuzz_parse_cache_file, fuzz_parse_tuning_file,
  fuzz_parse_regions, fuzz_parse_device_choice, fuzz_parse_verdict_file,
  fuzz_parse_record };

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  fuzz_environment_init ();

  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes bytes;

  fuzz_bytes_init (&bytes, data, size);
  parsers[fuzz_bytes_below (&bytes, G_N_ELEMENTS (parsers))](&bytes);

  return 0;
}
