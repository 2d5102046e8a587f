/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the words of the device property to devices. */

#include "gstcldevice.h"
#include "gstcldeviceverdict.h"
#include "common/gstcldebug.h"

#include <string.h>

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_device_debug);
#define GST_CAT_DEFAULT gst_cl_device_debug ()

/* --- words --------------------------------------------------------------- */

/* Words of the device property that stand for a type of device. */
static const struct {
  const gchar *word;
  cl_device_type type;
} type_words[] = {
  { "gpu", CL_DEVICE_TYPE_GPU },
  { "cpu", CL_DEVICE_TYPE_CPU },
  { "accelerator", CL_DEVICE_TYPE_ACCELERATOR },
};

static GstClDevice *
first_of_type (GPtrArray *devices, cl_device_type type)
{
  for (guint i = 0; i < devices->len; i++) {
    GstClDevice *device = g_ptr_array_index (devices, i);

    if (!device->unusable && device->type & type)
      return device;
  }

  return NULL;
}

static gboolean
contains (const gchar *text, const gchar *part)
{
  g_autofree gchar *folded_text = g_utf8_casefold (text, -1);
  g_autofree gchar *folded_part = g_utf8_casefold (part, -1);

  return strstr (folded_text, folded_part) != NULL;
}

/* clinfo prints UUIDs with dashes, nvidia-smi with "GPU-" before them. */
static gboolean
is_uuid (const gchar *uuid, const gchar *wanted)
{
  if (g_ascii_strncasecmp (wanted, "GPU-", 4) == 0)
    wanted += 4;
  for (; *wanted; wanted++) {
    if (*wanted == '-')
      continue;
    if (g_ascii_tolower (*wanted) != g_ascii_tolower (*uuid))
      return FALSE;
    uuid++;
  }

  return *uuid == '\0';
}

static gboolean
is_named (const GstClDevice *device, const gchar *wanted)
{
  g_autofree gchar *number = g_strdup_printf ("%u.%u", device->platform_index,
      device->device_index);

  return g_str_equal (number, wanted) ||
         (device->uuid && is_uuid (device->uuid, wanted));
}

/* The first one whose name or platform's name contains @wanted. */
static GstClDevice *
first_with_name (GPtrArray *devices, const gchar *wanted, gboolean is_usable)
{
  for (guint i = 0; i < devices->len && wanted[0]; i++) {
    GstClDevice *device = g_ptr_array_index (devices, i);

    if ((device->unusable == NULL) == is_usable &&
        (contains (device->name, wanted) ||
            contains (device->platform_name, wanted)))
      return device;
  }

  return NULL;
}

/* What a word other than "auto" names. One that cannot be used is found by its
 * number or UUID, and by its name where no other has it, so as to say why. */
static GstClDevice *
find_device (GPtrArray *devices, const gchar *wanted)
{
  GstClDevice *device;

  for (guint i = 0; i < G_N_ELEMENTS (type_words); i++) {
    if (g_ascii_strcasecmp (wanted, type_words[i].word) == 0)
      return first_of_type (devices, type_words[i].type);
  }

  /* A number or UUID names one device; only then look at parts of names, so
   * that "0.1" cannot match a name that happens to contain it. */
  for (guint i = 0; i < devices->len; i++) {
    if (is_named (g_ptr_array_index (devices, i), wanted))
      return g_ptr_array_index (devices, i);
  }
  device = first_with_name (devices, wanted, TRUE);

  return device ? device : first_with_name (devices, wanted, FALSE);
}

/* --- auto ---------------------------------------------------------------- */

/* Adds the usable devices that are GPUs, or that are not. */
static void
add_usable (GPtrArray *chosen, GPtrArray *devices, gboolean gpus,
    gboolean even_unable)
{
  for (guint i = 0; i < devices->len; i++) {
    GstClDevice *device = g_ptr_array_index (devices, i);

    if (!device->unusable &&
        ((device->type & CL_DEVICE_TYPE_GPU) != 0) == gpus &&
        (even_unable ||
            gst_cl_device_verdict_get (device) != GST_CL_DEVICE_VERDICT_UNABLE))
      g_ptr_array_add (chosen, gst_cl_device_ref (device));
  }
}

/* Devices that were found unable are better than none: they say why. */
static void
add_for_auto (GPtrArray *chosen, GPtrArray *devices)
{
  for (gint even_unable = FALSE; even_unable <= TRUE; even_unable++) {
    add_usable (chosen, devices, TRUE, even_unable);
    add_usable (chosen, devices, FALSE, even_unable);
    if (chosen->len > 0)
      break;
  }
}

/* --- errors -------------------------------------------------------------- */

static void
append_device (GString *text, const GstClDevice *device)
{
  if (device->id || device->name[0])
    g_string_append_printf (text, "%u.%u \"%s\" (%s)", device->platform_index,
        device->device_index, device->name, device->platform_name);
  else
    g_string_append_printf (text, "platform %u (%s)", device->platform_index,
        device->platform_name);
}

/* Appends the devices that can be used, or those that cannot and why, after
 * @heading; nothing where there are none. FALSE if so. */
static gboolean
append_list (GString *text, const gchar *heading, GPtrArray *devices,
    gboolean is_usable)
{
  gboolean has_any = FALSE;

  for (guint i = 0; i < devices->len; i++) {
    const GstClDevice *device = g_ptr_array_index (devices, i);

    if ((device->unusable == NULL) != is_usable)
      continue;
    g_string_append (text, has_any ? ", " : heading);
    append_device (text, device);
    if (device->unusable)
      g_string_append_printf (text, ": %s", device->unusable);
    has_any = TRUE;
  }
  if (has_any && text->str[text->len - 1] != '.')
    g_string_append_c (text, '.');

  return has_any;
}

static gchar *
describe_list (GPtrArray *devices)
{
  GString *text = g_string_new (NULL);

  if (!append_list (text, "Available: ", devices, TRUE))
    g_string_append (text,
        "There is no OpenCL device at all that can be used; install the driver "
        "of your GPU, or PoCL (Debian: pocl-opencl-icd) to use the CPU, and "
        "check with `clinfo -l`.");
  append_list (text, " Passed over: ", devices, FALSE);

  return g_string_free (text, FALSE);
}

/* --- choosing ------------------------------------------------------------ */

GPtrArray *
gst_cl_device_choose_all (GPtrArray *devices, const gchar *wanted,
    GError **error)
{
  const gchar *environment = g_getenv ("GST_OPENCL_DEVICE");
  g_autoptr (GPtrArray) chosen = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_cl_device_unref);
  GstClDevice *device = NULL;

  gst_cl_device_debug ();

  if (!wanted || g_ascii_strcasecmp (wanted, "auto") == 0)
    wanted = environment && environment[0] ? environment : "auto";
  if (g_ascii_strcasecmp (wanted, "auto") == 0)
    add_for_auto (chosen, devices);
  else
    device = find_device (devices, wanted);
  if (device && !device->unusable)
    g_ptr_array_add (chosen, gst_cl_device_ref (device));

  if (chosen->len == 0) {
    g_autofree gchar *list = describe_list (devices);

    g_set_error (error, GST_CL_ERROR, CL_DEVICE_NOT_FOUND,
        "Looked for device \"%s\"%s%s. %s", wanted,
        device ? ", which cannot be used: " : "",
        device ? device->unusable : "", list);
    return NULL;
  }

  device = g_ptr_array_index (chosen, 0);
  GST_INFO ("device \"%s\" is %u.%u \"%s\" (%s, driver %s)", wanted,
      device->platform_index, device->device_index, device->name,
      device->platform_name, device->driver_version);

  return g_steal_pointer (&chosen);
}

GstClDevice *
gst_cl_device_choose_from (GPtrArray *devices, const gchar *wanted,
    GError **error)
{
  g_autoptr (GPtrArray)
      chosen = gst_cl_device_choose_all (devices, wanted, error);

  return chosen ? gst_cl_device_ref (g_ptr_array_index (chosen, 0)) : NULL;
}

GstClDevice *
gst_cl_device_choose (const gchar *wanted, GError **error)
{
  g_autoptr (GPtrArray) devices = gst_cl_device_list ();

  return gst_cl_device_choose_from (devices, wanted, error);
}
