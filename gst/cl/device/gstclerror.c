/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of OpenCL status codes, and their messages on the bus. */

#include "gstclerror.h"

G_DEFINE_QUARK (gst_cl_error_quark, gst_cl_error)

/* clang-format off */
#define CL_NAME(code) { code, #code }
/* clang-format on */

/* Every code of OpenCL 1.2 by the name in its header; codes of later versions
 * and extensions by number. */
static const struct {
  cl_int code;
  const gchar *name;
} cl_names[] = {
  CL_NAME (CL_SUCCESS), CL_NAME (CL_DEVICE_NOT_FOUND),
  CL_NAME (CL_DEVICE_NOT_AVAILABLE), CL_NAME (CL_COMPILER_NOT_AVAILABLE),
  CL_NAME (CL_MEM_OBJECT_ALLOCATION_FAILURE), CL_NAME (CL_OUT_OF_RESOURCES),
  CL_NAME (CL_OUT_OF_HOST_MEMORY), CL_NAME (CL_PROFILING_INFO_NOT_AVAILABLE),
  CL_NAME (CL_MEM_COPY_OVERLAP), CL_NAME (CL_IMAGE_FORMAT_MISMATCH),
  CL_NAME (CL_IMAGE_FORMAT_NOT_SUPPORTED), CL_NAME (CL_BUILD_PROGRAM_FAILURE),
  CL_NAME (CL_MAP_FAILURE), CL_NAME (CL_MISALIGNED_SUB_BUFFER_OFFSET),
  CL_NAME (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
  CL_NAME (CL_COMPILE_PROGRAM_FAILURE), CL_NAME (CL_LINKER_NOT_AVAILABLE),
  CL_NAME (CL_LINK_PROGRAM_FAILURE), CL_NAME (CL_DEVICE_PARTITION_FAILED),
  CL_NAME (CL_KERNEL_ARG_INFO_NOT_AVAILABLE), CL_NAME (CL_INVALID_VALUE),
  CL_NAME (CL_INVALID_DEVICE_TYPE), CL_NAME (CL_INVALID_PLATFORM),
  CL_NAME (CL_INVALID_DEVICE), CL_NAME (CL_INVALID_CONTEXT),
  CL_NAME (CL_INVALID_QUEUE_PROPERTIES), CL_NAME (CL_INVALID_COMMAND_QUEUE),
  CL_NAME (CL_INVALID_HOST_PTR), CL_NAME (CL_INVALID_MEM_OBJECT),
  CL_NAME (CL_INVALID_IMAGE_FORMAT_DESCRIPTOR), CL_NAME (CL_INVALID_IMAGE_SIZE),
  CL_NAME (CL_INVALID_SAMPLER), CL_NAME (CL_INVALID_BINARY),
  CL_NAME (CL_INVALID_BUILD_OPTIONS), CL_NAME (CL_INVALID_PROGRAM),
  CL_NAME (CL_INVALID_PROGRAM_EXECUTABLE), CL_NAME (CL_INVALID_KERNEL_NAME),
  CL_NAME (CL_INVALID_KERNEL_DEFINITION), CL_NAME (CL_INVALID_KERNEL),
  CL_NAME (CL_INVALID_ARG_INDEX), CL_NAME (CL_INVALID_ARG_VALUE),
  CL_NAME (CL_INVALID_ARG_SIZE), CL_NAME (CL_INVALID_KERNEL_ARGS),
  CL_NAME (CL_INVALID_WORK_DIMENSION), CL_NAME (CL_INVALID_WORK_GROUP_SIZE),
  CL_NAME (CL_INVALID_WORK_ITEM_SIZE), CL_NAME (CL_INVALID_GLOBAL_OFFSET),
  CL_NAME (CL_INVALID_EVENT_WAIT_LIST), CL_NAME (CL_INVALID_EVENT),
  CL_NAME (CL_INVALID_OPERATION), CL_NAME (CL_INVALID_GL_OBJECT),
  CL_NAME (CL_INVALID_BUFFER_SIZE), CL_NAME (CL_INVALID_MIP_LEVEL),
  CL_NAME (CL_INVALID_GLOBAL_WORK_SIZE), CL_NAME (CL_INVALID_PROPERTY),
  CL_NAME (CL_INVALID_IMAGE_DESCRIPTOR), CL_NAME (CL_INVALID_COMPILER_OPTIONS),
  CL_NAME (CL_INVALID_LINKER_OPTIONS),
  CL_NAME (CL_INVALID_DEVICE_PARTITION_COUNT),
  /* OpenCL 2.0 to 2.2 */
  { -69, "CL_INVALID_PIPE_SIZE" }, { -70, "CL_INVALID_DEVICE_QUEUE" },
  { -71, "CL_INVALID_SPEC_ID" }, { -72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED" },
  { -1001, "CL_PLATFORM_NOT_FOUND_KHR" }, /* cl_khr_icd, cl_ext.h */
};

/* The message of a code for applications; the last row is for all other
 * codes. */
static const struct {
  cl_int code;
  GQuark (*domain) (void);
  gint gst_code;
  const gchar *text;
} bus_rows[] = {
  /* clang-format off */
  { CL_DEVICE_NOT_FOUND,
      gst_resource_error_quark, GST_RESOURCE_ERROR_NOT_FOUND,
      "No suitable OpenCL device was found." },
  { CL_MEM_OBJECT_ALLOCATION_FAILURE,
      gst_resource_error_quark, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "The OpenCL device has not enough memory for this frame." },
  { CL_OUT_OF_HOST_MEMORY,
      gst_resource_error_quark, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "The OpenCL driver has run out of host memory." },
  { CL_DEVICE_NOT_AVAILABLE,
      gst_resource_error_quark, GST_RESOURCE_ERROR_FAILED,
      "The OpenCL device is not available any more." },
  { CL_OUT_OF_RESOURCES,
      gst_resource_error_quark, GST_RESOURCE_ERROR_FAILED,
      "The OpenCL device has failed or run out of resources." },
  { CL_BUILD_PROGRAM_FAILURE,
      gst_library_error_quark, GST_LIBRARY_ERROR_INIT,
      "An OpenCL kernel could not be compiled." },
  { CL_SUCCESS,
      gst_library_error_quark, GST_LIBRARY_ERROR_FAILED,
      "An OpenCL call failed." },
  /* clang-format on */
};

const gchar *
gst_cl_error_name (cl_int code)
{
  for (guint i = 0; i < G_N_ELEMENTS (cl_names); i++) {
    if (cl_names[i].code == code)
      return cl_names[i].name;
  }

  return "unknown OpenCL error";
}

gboolean
gst_cl_check (cl_int code, const gchar *what, GError **error)
{
  if (code == CL_SUCCESS)
    return TRUE;

  g_set_error (error, GST_CL_ERROR, code, "%s: %s (%d)", what,
      gst_cl_error_name (code), code);

  return FALSE;
}

void
gst_cl_post_error_full (GstElement *element, const GError *error,
    const gchar *file, const gchar *function, gint line)
{
  if (error->domain != GST_CL_ERROR) {
    gst_element_message_full (element, GST_MESSAGE_ERROR, error->domain,
        error->code, g_strdup (error->message), NULL, file, function, line);
    return;
  }

  guint row = 0;
  while (row < G_N_ELEMENTS (bus_rows) - 1 && bus_rows[row].code != error->code)
    row++;

  /* The message has the sentence and the reason; the rest is debug
   * information. */
  gst_element_message_full (element, GST_MESSAGE_ERROR, bus_rows[row].domain (),
      bus_rows[row].gst_code,
      g_strdup_printf ("%s %s", bus_rows[row].text, error->message),
      g_strdup (gst_cl_error_name (error->code)), file, function, line);
}

gboolean
gst_cl_error_is_shortage (const GError *error)
{
  return g_error_matches (error, GST_CL_ERROR,
             CL_MEM_OBJECT_ALLOCATION_FAILURE) ||
         g_error_matches (error, GST_CL_ERROR, CL_OUT_OF_RESOURCES) ||
         g_error_matches (error, GST_CL_ERROR, CL_OUT_OF_HOST_MEMORY) ||
         g_error_matches (error, GST_RESOURCE_ERROR,
             GST_RESOURCE_ERROR_NO_SPACE_LEFT);
}

gboolean
gst_cl_error_is_compiler_failure (const GError *error)
{
  return g_error_matches (error, GST_CL_ERROR, CL_BUILD_PROGRAM_FAILURE) ||
         g_error_matches (error, GST_CL_ERROR, CL_COMPILER_NOT_AVAILABLE);
}
