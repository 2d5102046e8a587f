/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selection among mock devices. */

#include "cl/device/gstcldevice.h"

#include "suite.h"

#include <string.h>

#define UUID "00112233445566778899aabbccddeeff"

static void
add_device (GPtrArray *devices, guint platform, guint device,
    cl_device_type type, const gchar *name, const gchar *platform_name,
    const gchar *uuid)
{
  GstClDevice *row = g_rc_box_new0 (GstClDevice);

  row->id = (cl_device_id) row; /* text that only this device has */
  row->platform_index = platform;
  row->device_index = device;
  row->type = type;
  row->name = g_strdup (name);
  row->platform_name = g_strdup (platform_name);
  row->driver_version = g_strdup ("1");
  row->uuid = g_strdup (uuid);
  g_ptr_array_add (devices, row);
}

static void
set_unusable (GPtrArray *devices, guint index, const gchar *reason)
{
  GstClDevice *device = g_ptr_array_index (devices, index);

  device->unusable = g_strdup (reason);
}

static GPtrArray *
make_no_devices (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) gst_cl_device_unref);
}

/* Two platforms: the first has the CPU, the second has two GPUs. The name of
 * the CPU contains the number of another device, and its platform has a word
 * that names a type. */
static GPtrArray *
make_devices (void)
{
  GPtrArray *devices = make_no_devices ();

  add_device (devices, 0, 0, CL_DEVICE_TYPE_CPU, "core 1.1 pthread",
      "Portable gpu-less", NULL);
  add_device (devices, 1, 0, CL_DEVICE_TYPE_GPU, "Graphics One", "Vendor",
      "ffeeddccbbaa99887766554433221100");
  add_device (devices, 1, 1, CL_DEVICE_TYPE_GPU, "Graphics Two", "Vendor",
      UUID);
  add_device (devices, 1, 2, CL_DEVICE_TYPE_ACCELERATOR, "Box", "Vendor", NULL);

  return devices;
}

/* Checks that @wanted selects device number @index of @devices. */
static void
expect (GPtrArray *devices, const gchar *wanted, guint index)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClDevice)
      device = gst_cl_device_choose_from (devices, wanted, &error);

  fail_unless (device != NULL, "device=\"%s\" finds no device: %s", wanted,
      error ? error->message : "no device and no error");
  fail_unless (device == g_ptr_array_index (devices, index),
      "device=\"%s\": expected device number %u, found \"%s\"", wanted, index,
      device->name);
  fail_unless (error == NULL);
}

/* Checks that @wanted selects no device. Returns the error message, transfer
 * full. */
static gchar *
expect_none (GPtrArray *devices, const gchar *wanted)
{
  g_autoptr (GError) error = NULL;

  fail_unless (gst_cl_device_choose_from (devices, wanted, &error) == NULL);
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_DEVICE_NOT_FOUND));

  return g_strdup (error->message);
}

static void
clear_environment (void)
{
  g_unsetenv ("GST_OPENCL_DEVICE");
}

TEST (test_auto_prefers_a_gpu)
{
  g_autoptr (GPtrArray) devices = make_devices ();

  expect (devices, "auto", 1);
  expect (devices, "AUTO", 1);
  expect (devices, NULL, 1);

  g_ptr_array_remove_range (devices, 1, 2);
  expect (devices, "auto", 0);
  g_ptr_array_remove_index (devices, 0);
  expect (devices, "auto", 0);
}

TEST (test_types)
{
  g_autoptr (GPtrArray) devices = make_devices ();

  expect (devices, "cpu", 0);
  expect (devices, "gpu", 1);
  expect (devices, "Accelerator", 3);

  /* types are not searched in names */
  g_ptr_array_remove_range (devices, 1, 3);
  g_free (expect_none (devices, "gpu"));
}

TEST (test_numbers)
{
  g_autoptr (GPtrArray) devices = make_devices ();

  expect (devices, "0.0", 0);
  expect (devices, "1.0", 1);
  expect (devices, "1.2", 3);

  /* the number has priority over a name that contains it */
  expect (devices, "1.1", 2);

  g_free (expect_none (devices, "2.0"));
}

TEST (test_uuid)
{
  g_autoptr (GPtrArray) devices = make_devices ();
  g_autofree gchar *upper = g_ascii_strup (UUID, -1);
  g_autofree gchar *dashed = g_strdup_printf ("GPU-%.8s-%.4s-%.4s-%.4s-%s",
      UUID, &UUID[8], &UUID[12], &UUID[16], &UUID[20]);

  expect (devices, UUID, 2);
  expect (devices, upper, 2);
  expect (devices, dashed, 2);
  expect (devices, dashed + strlen ("GPU-"), 2);
  g_free (expect_none (devices, "0123456789abcdef0123456789abcdef"));
}

TEST (test_names)
{
  g_autoptr (GPtrArray) devices = make_devices ();

  expect (devices, "Graphics Two", 2);
  expect (devices, "graphics", 1);
  expect (devices, "tHREAD", 0);
  expect (devices, "portable", 0);
  expect (devices, "vendor", 1);
  expect (devices, "box", 3);
  g_free (expect_none (devices, ""));
}

TEST (test_environment_replaces_auto)
{
  g_autoptr (GPtrArray) devices = make_devices ();
  g_autofree gchar *text = NULL;

  g_setenv ("GST_OPENCL_DEVICE", "cpu", TRUE);
  expect (devices, "auto", 0);
  expect (devices, NULL, 0);
  expect (devices, "gpu", 1);
  expect (devices, "box", 3);

  g_setenv ("GST_OPENCL_DEVICE", "Graphics Two", TRUE);
  expect (devices, "auto", 2);

  g_setenv ("GST_OPENCL_DEVICE", "", TRUE);
  expect (devices, "auto", 1);

  /* the error quotes the value of the environment variable */
  g_setenv ("GST_OPENCL_DEVICE", "quantum", TRUE);
  text = expect_none (devices, "auto");
  fail_unless (strstr (text, "\"quantum\"") != NULL, "no \"quantum\" in: %s",
      text);
}

TEST (test_no_match_lists_all)
{
  g_autoptr (GPtrArray) devices = make_devices ();
  g_autofree gchar *text = expect_none (devices, "nonsense");
  static const gchar *const parts[] = { "\"nonsense\"",
    "0.0 \"core 1.1 pthread\" (Portable gpu-less)",
    "1.0 \"Graphics One\" (Vendor)", "1.1 \"Graphics Two\" (Vendor)",
    "1.2 \"Box\" (Vendor)" };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    fail_unless (strstr (text, parts[i]) != NULL, "no %s in: %s", parts[i],
        text);
}

TEST (test_empty_list_names_what_to_install)
{
  g_autoptr (GPtrArray) devices = make_no_devices ();
  static const gchar *const wishes[] = { "auto", "gpu", "0.0", "nonsense" };

  for (guint i = 0; i < G_N_ELEMENTS (wishes); i++) {
    g_autofree gchar *text = expect_none (devices, wishes[i]);

    fail_unless (strstr (text, wishes[i]) != NULL, "no \"%s\" in: %s",
        wishes[i], text);
    fail_unless (strstr (text, "pocl-opencl-icd") != NULL,
        "no pocl-opencl-icd in: %s", text);
    fail_unless (strstr (text, "clinfo") != NULL, "no clinfo in: %s", text);
  }
}

/* --- unusable devices ---------------------------------------------------- */

TEST (test_names_skip_unusable_devices)
{
  g_autoptr (GPtrArray) devices = make_devices ();

  set_unusable (devices, 1, "it is broken");
  expect (devices, "auto", 2);
  expect (devices, "gpu", 2);
  expect (devices, "graphics", 2);
  expect (devices, "vendor", 2);

  set_unusable (devices, 2, "it is too");
  expect (devices, "auto", 0);
}

TEST (test_unusable_devices_have_a_reason)
{
  g_autoptr (GPtrArray) devices = make_devices ();
  static const gchar *const wishes[] = { "1.1", UUID, "graphics two" };
  g_autofree gchar *other = NULL;

  set_unusable (devices, 2, "it is broken");
  for (guint i = 0; i < G_N_ELEMENTS (wishes); i++) {
    g_autofree gchar *text = expect_none (devices, wishes[i]);

    fail_unless (strstr (text, "which cannot be used: it is broken.") != NULL,
        "no which cannot be used: it is broken. in: %s", text);
  }

  other = expect_none (devices, "nonsense");
  fail_unless (g_str_has_suffix (other, "Not usable: 1.1 \"Graphics Two\" "
                                        "(Vendor): it is broken."),
      "expected the reason of device 1.1 at the end of: %s", other);
  fail_unless (strstr (other, "\"Graphics One\" (Vendor), 1.2 \"Box\"") != NULL,
      "no \"Graphics One\" (Vendor), 1.2 \"Box\" in: %s", other);
}

/* Returns the names of the devices that match @wanted, in order. */
static void
expect_all (GPtrArray *devices, const gchar *wanted, const gchar *names)
{
  g_autoptr (GPtrArray)
      chosen = gst_cl_device_choose_all (devices, wanted, NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < chosen->len; i++) {
    const GstClDevice *device = g_ptr_array_index (chosen, i);

    g_string_append_printf (text, "%s%s", i ? ", " : "", device->name);
  }
  fail_unless_equals_string (text->str, names);
}

TEST (test_auto_has_alternatives)
{
  g_autoptr (GPtrArray) devices = make_devices ();

  expect_all (devices, "auto",
      "Graphics One, Graphics Two, core 1.1 pthread, Box");
  expect_all (devices, "gpu", "Graphics One");
  expect_all (devices, "1.0", "Graphics One");

  g_setenv ("GST_OPENCL_DEVICE", "auto", TRUE);
  expect_all (devices, NULL,
      "Graphics One, Graphics Two, core 1.1 pthread, Box");
  g_setenv ("GST_OPENCL_DEVICE", "vendor", TRUE);
  expect_all (devices, "auto", "Graphics One");
}

TEST (test_auto_skips_devices_without_compiler)
{
  g_autoptr (GPtrArray) devices = make_devices ();
  static const guint others[] = { 2, 0, 3 };

  gst_cl_device_verdict_set_unable (g_ptr_array_index (devices, 1), "test");
  expect_all (devices, "auto", "Graphics Two, core 1.1 pthread, Box");
  expect_all (devices, "gpu", "Graphics One");

  /* if none compiles, the error is that of the first */
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    gst_cl_device_verdict_set_unable (g_ptr_array_index (devices, others[i]),
        "test");
  expect_all (devices, "auto",
      "Graphics One, Graphics Two, core 1.1 pthread, Box");
}

SUITE (.setup = clear_environment, .teardown = clear_environment);
