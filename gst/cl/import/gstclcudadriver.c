/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NVIDIA's driver, found at run time. */

#include "gstclcudadriver.h"

#include <dlfcn.h>

#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY (gst_cl_cuda_debug, "clcuda", "OpenCL import from CUDA");
#define GST_CAT_DEFAULT gst_cl_cuda_debug ()

#define OUT_OF_MEMORY 2 /* CUDA_ERROR_OUT_OF_MEMORY */

/* clang-format off */
static const struct {
  const gchar *name;
  gsize offset;
} functions[] = {
#define FUNCTION(name, field) { name, G_STRUCT_OFFSET (GstClCudaDriver, field) }
  FUNCTION ("cuInit", init),
  FUNCTION ("cuGetErrorName", get_error_name),
  FUNCTION ("cuDeviceGetCount", device_count),
  FUNCTION ("cuDeviceGet", device_get),
  FUNCTION ("cuDeviceGetUuid", device_uuid),
  FUNCTION ("cuCtxPushCurrent_v2", context_push),
  FUNCTION ("cuCtxPopCurrent_v2", context_pop),
  FUNCTION ("cuCtxGetDevice", context_device),
  FUNCTION ("cuCtxGetFlags", context_flags),
  FUNCTION ("cuMemGetAllocationGranularity", mem_granularity),
  FUNCTION ("cuMemCreate", mem_create),
  FUNCTION ("cuMemRelease", mem_release),
  FUNCTION ("cuMemAddressReserve", mem_reserve),
  FUNCTION ("cuMemAddressFree", mem_unreserve),
  FUNCTION ("cuMemMap", mem_map),
  FUNCTION ("cuMemUnmap", mem_unmap),
  FUNCTION ("cuMemSetAccess", mem_set_access),
  FUNCTION ("cuMemExportToShareableHandle", mem_export),
  FUNCTION ("cuMemAlloc_v2", alloc),
  FUNCTION ("cuMemFree_v2", free),
  FUNCTION ("cuMemcpyHtoD_v2", copy_from_host),
  FUNCTION ("cuMemcpyDtoH_v2", copy_to_host),
  FUNCTION ("cuMemcpyDtoDAsync_v2", copy),
  FUNCTION ("cuMemcpy2DAsync_v2", copy_rows),
  FUNCTION ("cuStreamCreate", stream_create),
  FUNCTION ("cuStreamSynchronize", stream_wait),
  FUNCTION ("cuStreamDestroy_v2", stream_destroy),
  FUNCTION ("cuEventCreate", event_create),
  FUNCTION ("cuEventRecord", event_record),
  FUNCTION ("cuEventSynchronize", event_wait),
  FUNCTION ("cuEventDestroy_v2", event_destroy),
#undef FUNCTION
};
/* clang-format on */

static gboolean
load (GstClCudaDriver *driver)
{
  gpointer library = dlopen ("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  gpointer uuid_of_instance;
  GstClCudaCode code;

  gst_cl_cuda_debug ();
  if (!library) {
    GST_INFO ("no CUDA: %s", dlerror ());
    return FALSE;
  }

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
    gpointer function = dlsym (library, functions[i].name);

    if (!function) {
      GST_INFO ("no CUDA: its driver has no %s", functions[i].name);
      return FALSE;
    }
    G_STRUCT_MEMBER (gpointer, driver, functions[i].offset) = function;
  }

  *(gpointer *) &driver->context_set_flags = dlsym (library, "cuCtxSetFlags");
  uuid_of_instance = dlsym (library, "cuDeviceGetUuid_v2");
  if (uuid_of_instance)
    *(gpointer *) &driver->device_uuid = uuid_of_instance;

  code = driver->init (0);
  if (code != 0)
    GST_INFO ("no CUDA: its driver does not start (%d)", code);

  return code == 0;
}

const GstClCudaDriver *
gst_cl_cuda_driver (void)
{
  static GstClCudaDriver driver;
  static gboolean is_there;
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    is_there = load (&driver);
    g_once_init_leave (&once, 1);
  }

  return is_there ? &driver : NULL;
}

gboolean
gst_cl_cuda_check (GstClCudaCode code, const gchar *what, GError **error)
{
  const char *name = NULL;

  if (code == 0)
    return TRUE;

  if (gst_cl_cuda_driver ()->get_error_name (code, &name) != 0 || !name)
    name = "an unknown error";
  g_set_error (error, GST_RESOURCE_ERROR,
      code == OUT_OF_MEMORY ? GST_RESOURCE_ERROR_NO_SPACE_LEFT
                            : GST_RESOURCE_ERROR_FAILED,
      "CUDA: %s: %s (%d)", what, name, code);

  return FALSE;
}
