/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Built programs to bytes and back. */

#include "gstclbinary.h"

/* Which of the @n_devices of @program is @device; @n_devices if none is. */
static cl_uint
find_device (cl_program program, cl_device_id device, cl_uint n_devices)
{
  g_autofree cl_device_id *devices = g_new0 (cl_device_id, n_devices);
  cl_uint i = 0;

  if (clGetProgramInfo (program, CL_PROGRAM_DEVICES,
          n_devices * sizeof *devices, devices, NULL) != CL_SUCCESS)
    return n_devices;
  while (i < n_devices && devices[i] != device)
    i++;

  return i;
}

/* The binaries for all of the @n_devices of @program, of @sizes bytes. All are
 * taken: PoCL 3.1 does not skip those for which there is no place. */
static cl_int
read_binaries (cl_program program, cl_uint n_devices, const gsize *sizes,
    GBytes **binaries)
{
  g_autofree guchar **data = g_new0 (guchar *, n_devices);
  cl_int code;

  for (cl_uint i = 0; i < n_devices; i++)
    data[i] = g_malloc0 (MAX (sizes[i], 1));
  code = clGetProgramInfo (program, CL_PROGRAM_BINARIES,
      n_devices * sizeof *data, data, NULL);
  for (cl_uint i = 0; i < n_devices; i++)
    binaries[i] = g_bytes_new_take (data[i], sizes[i]);

  return code;
}

GBytes *
gst_cl_binary_get (cl_program program, cl_device_id device, GError **error)
{
  g_autoptr (GPtrArray) binaries = g_ptr_array_new_with_free_func (
      (GDestroyNotify) g_bytes_unref);
  g_autofree gsize *sizes = NULL;
  cl_uint n_devices = 0, index = 0;
  cl_int code;

  code = clGetProgramInfo (program, CL_PROGRAM_NUM_DEVICES, sizeof n_devices,
      &n_devices, NULL);
  if (code == CL_SUCCESS) {
    index = find_device (program, device, n_devices);
    if (index == n_devices)
      code = CL_INVALID_DEVICE;
  }
  if (code == CL_SUCCESS) {
    sizes = g_new0 (gsize, n_devices);
    code = clGetProgramInfo (program, CL_PROGRAM_BINARY_SIZES,
        n_devices * sizeof *sizes, sizes, NULL);
  }
  if (code == CL_SUCCESS && sizes[index] == 0)
    code = CL_INVALID_PROGRAM_EXECUTABLE; /* the driver keeps it to itself */
  if (code == CL_SUCCESS) {
    g_ptr_array_set_size (binaries, (gint) n_devices);
    code = read_binaries (program, n_devices, sizes,
        (GBytes **) binaries->pdata);
  }

  if (!gst_cl_check (code, "get the program's binary", error))
    return NULL;

  return g_bytes_ref (g_ptr_array_index (binaries, index));
}

cl_program
gst_cl_binary_load (GstClContext *context, GBytes *binary, const gchar *options,
    GError **error)
{
  cl_device_id device = context->device->id;
  gsize n_bytes;
  const guchar *data = g_bytes_get_data (binary, &n_bytes);
  cl_int status = CL_SUCCESS, code;
  cl_program program;

  /* a binary that is refused is built from its source */
  gst_cl_context_set_trying (TRUE);
  program = clCreateProgramWithBinary (context->handle, 1, &device, &n_bytes,
      &data, &status, &code);
  if (code == CL_SUCCESS)
    code = status;
  if (code == CL_SUCCESS)
    code = clBuildProgram (program, 1, &device, options, NULL, NULL);
  gst_cl_context_set_trying (FALSE);

  if (gst_cl_check (code, "load the program's binary", error))
    return program;

  g_clear_pointer (&program, clReleaseProgram);

  return NULL;
}
