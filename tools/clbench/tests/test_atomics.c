/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Devices that compile atomics between work-groups: a mock OpenCL answers the
 * queries. */

#include <string.h>

#include "atomics.h"
#include "suite.h"

#define ATOMIC_MEMORY_CAPABILITIES 0x1063
#define OPENCL_C_ALL_VERSIONS      0x1066

typedef struct {
  cl_uint version;
  gchar name[64];
} NameVersion;

/* Answers of the mock device; a member that is 0 is an unsupported query. */
static struct {
  const gchar *version;
  cl_bitfield atomics;
  guint n_versions;
  NameVersion versions[4];
} answers;

static cl_int
answer (const void *value, gsize value_bytes, gsize size, void *to,
    gsize *bytes)
{
  if (value_bytes == 0 || (to && size < value_bytes))
    return CL_INVALID_VALUE;
  if (to)
    memcpy (to, value, value_bytes);
  if (bytes)
    *bytes = value_bytes;

  return CL_SUCCESS;
}

/* Mock of the loader's function. */
cl_int
clGetDeviceInfo (cl_device_id id, cl_device_info what, gsize size, void *to,
    gsize *bytes)
{
  switch (what) {
    case CL_DEVICE_VERSION:
      return answer (answers.version, strlen (answers.version) + 1, size, to,
          bytes);
    case ATOMIC_MEMORY_CAPABILITIES:
      return answer (&answers.atomics,
          answers.atomics ? sizeof answers.atomics : 0, size, to, bytes);
    case OPENCL_C_ALL_VERSIONS:
      return answer (answers.versions,
          answers.n_versions * sizeof *answers.versions, size, to, bytes);
    default:
      return CL_INVALID_VALUE;
  }
}

/* Sets up a device of @version whose compiler supports OpenCL C 1.2 and, if it
 * is not 0, @newest. */
static void
make_device (const gchar *version, cl_bitfield atomics, guint newest)
{
  answers.version = version;
  answers.atomics = atomics;
  answers.n_versions = newest ? 2 : 0;
  answers.versions[0] = (NameVersion){ 1 << 22 | 2 << 12, "OpenCL C" };
  answers.versions[1] = (NameVersion){ newest << 22, "OpenCL C" };
}

static void
expect_option (const gchar *expected)
{
  const GstClDevice device = { .name = (gchar *) "Device" };
  g_autoptr (GError) error = NULL;

  fail_unless_equals_string (atomics_option (&device, &error), expected);
  fail_unless (error == NULL);
}

static void
expect_refusal (const gchar *words)
{
  const GstClDevice device = { .name = (gchar *) "Device" };
  g_autoptr (GError) error = NULL;

  fail_unless (atomics_option (&device, &error) == NULL);
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_INVALID_DEVICE));
  fail_unless (strstr (error->message, words) != NULL, "no \"%s\" in: %s",
      words, error->message);
}

/* OpenCL 2 always has them, OpenCL 3 if its capabilities say so. */
TEST (test_devices_with_scoped_atomics)
{
  make_device ("OpenCL 2.0 vendor", 0, 0);
  expect_option ("-cl-std=CL2.0");
  make_device ("OpenCL 2.1 vendor", 0, 0);
  expect_option ("-cl-std=CL2.0");
  make_device ("OpenCL 3.0 vendor", 0x77, 3);
  expect_option ("-cl-std=CL3.0");
}

TEST (test_devices_without)
{
  make_device ("OpenCL 1.2 vendor", 0, 0);
  expect_refusal ("Device has OpenCL 1,");
  make_device ("OpenCL 3.0 vendor", 0x77, 1);
  expect_refusal ("does not compile OpenCL C 3.0");
  make_device ("OpenCL 3.0 vendor", 0x77, 0);
  expect_refusal ("does not compile OpenCL C 3.0");
  make_device ("OpenCL 3.0 vendor", 0x11, 3); /* relaxed, work-group scope */
  expect_refusal ("CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES 0x11");
  make_device ("OpenCL 3.0 vendor", 0x31, 3); /* relaxed only */
  expect_refusal ("do not acquire and release");
  make_device ("OpenCL 3.0 vendor", 0x13, 3); /* work-group scope only */
  expect_refusal ("in the scope of the device");
  make_device ("OpenCL 3.0 vendor", 0, 3);
  expect_refusal ("0x0)");
}
