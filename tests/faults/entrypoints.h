/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl.h>
#include <glib.h>

G_BEGIN_DECLS

/* A row for each OpenCL function that the plugin calls: its name, and the error
 * codes that the specifications of OpenCL 1.2 to 3.0 name for it; 0 for a
 * function that returns no code. */

/* clang-format off */
#define OUT_OF_MEMORY CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY
#define TRANSFER_CODES                                                         \
  CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT,         \
  CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST,                                \
  CL_MISALIGNED_SUB_BUFFER_OFFSET,                                             \
  CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,                                \
  CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_OPERATION, OUT_OF_MEMORY

#define FAULT_ENTRY_POINTS(ROW)                                                \
  ROW (clBuildProgram, CL_INVALID_PROGRAM, CL_INVALID_VALUE,                   \
      CL_INVALID_DEVICE, CL_INVALID_BINARY, CL_INVALID_BUILD_OPTIONS,          \
      CL_COMPILER_NOT_AVAILABLE, CL_BUILD_PROGRAM_FAILURE,                     \
      CL_INVALID_OPERATION, OUT_OF_MEMORY)                                     \
  ROW (clCreateBuffer, CL_INVALID_CONTEXT, CL_INVALID_VALUE,                   \
      CL_INVALID_BUFFER_SIZE, CL_INVALID_HOST_PTR,                             \
      CL_MEM_OBJECT_ALLOCATION_FAILURE, OUT_OF_MEMORY)                         \
  ROW (clCreateBufferWithProperties, CL_INVALID_CONTEXT, CL_INVALID_PROPERTY,  \
      CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE, CL_INVALID_HOST_PTR,           \
      CL_MEM_OBJECT_ALLOCATION_FAILURE, OUT_OF_MEMORY)                         \
  ROW (clCreateCommandQueue, CL_INVALID_CONTEXT, CL_INVALID_DEVICE,            \
      CL_INVALID_VALUE, CL_INVALID_QUEUE_PROPERTIES, OUT_OF_MEMORY)            \
  ROW (clCreateContext, CL_INVALID_PLATFORM, CL_INVALID_PROPERTY,              \
      CL_INVALID_VALUE, CL_INVALID_DEVICE, CL_INVALID_OPERATION,               \
      CL_DEVICE_NOT_AVAILABLE, OUT_OF_MEMORY)                                  \
  ROW (clCreateKernel, CL_INVALID_PROGRAM, CL_INVALID_PROGRAM_EXECUTABLE,      \
      CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION, CL_INVALID_VALUE,  \
      OUT_OF_MEMORY)                                                           \
  ROW (clCreateProgramWithBinary, CL_INVALID_CONTEXT, CL_INVALID_VALUE,        \
      CL_INVALID_DEVICE, CL_INVALID_BINARY, OUT_OF_MEMORY)                     \
  ROW (clCreateProgramWithSource, CL_INVALID_CONTEXT, CL_INVALID_VALUE,        \
      OUT_OF_MEMORY)                                                           \
  ROW (clCreateSubBuffer, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE,             \
      CL_INVALID_BUFFER_SIZE, CL_MISALIGNED_SUB_BUFFER_OFFSET,                 \
      CL_MEM_OBJECT_ALLOCATION_FAILURE, OUT_OF_MEMORY)                         \
  ROW (clEnqueueBarrierWithWaitList, CL_INVALID_COMMAND_QUEUE,                 \
      CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST, OUT_OF_MEMORY)           \
  ROW (clEnqueueCopyBuffer, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,      \
      CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST,     \
      CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_MEM_COPY_OVERLAP,                    \
      CL_MEM_OBJECT_ALLOCATION_FAILURE, OUT_OF_MEMORY)                         \
  ROW (clEnqueueCopyBufferRect, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,  \
      CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST,     \
      CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_MEM_COPY_OVERLAP,                    \
      CL_MEM_OBJECT_ALLOCATION_FAILURE, OUT_OF_MEMORY)                         \
  ROW (clEnqueueFillBuffer, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,      \
      CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST,     \
      CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_MEM_OBJECT_ALLOCATION_FAILURE,       \
      OUT_OF_MEMORY)                                                           \
  ROW (clEnqueueMapBuffer, CL_MAP_FAILURE, TRANSFER_CODES)                     \
  ROW (clEnqueueMarkerWithWaitList, CL_INVALID_COMMAND_QUEUE,                  \
      CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST, OUT_OF_MEMORY)           \
  ROW (clEnqueueNDRangeKernel, CL_INVALID_PROGRAM_EXECUTABLE,                  \
      CL_INVALID_COMMAND_QUEUE, CL_INVALID_KERNEL, CL_INVALID_CONTEXT,         \
      CL_INVALID_KERNEL_ARGS, CL_INVALID_WORK_DIMENSION,                       \
      CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_GLOBAL_OFFSET,                   \
      CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE,                   \
      CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_INVALID_IMAGE_SIZE,                  \
      CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_OBJECT_ALLOCATION_FAILURE,         \
      CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_OPERATION, OUT_OF_MEMORY)         \
  ROW (clEnqueueReadBuffer, TRANSFER_CODES)                                    \
  ROW (clEnqueueUnmapMemObject, CL_INVALID_COMMAND_QUEUE,                      \
      CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST,     \
      CL_INVALID_CONTEXT, OUT_OF_MEMORY)                                       \
  ROW (clEnqueueWriteBuffer, TRANSFER_CODES)                                   \
  ROW (clEnqueueWriteBufferRect, TRANSFER_CODES)                               \
  ROW (clFinish, CL_INVALID_COMMAND_QUEUE, OUT_OF_MEMORY)                      \
  ROW (clFlush, CL_INVALID_COMMAND_QUEUE, OUT_OF_MEMORY)                       \
  ROW (clGetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE, CL_INVALID_VALUE,      \
      OUT_OF_MEMORY)                                                           \
  ROW (clGetContextInfo, CL_INVALID_CONTEXT, CL_INVALID_VALUE, OUT_OF_MEMORY)  \
  ROW (clGetDeviceIDs, CL_INVALID_PLATFORM, CL_INVALID_DEVICE_TYPE,            \
      CL_INVALID_VALUE, CL_DEVICE_NOT_FOUND, OUT_OF_MEMORY)                    \
  ROW (clGetDeviceInfo, CL_INVALID_DEVICE, CL_INVALID_VALUE, OUT_OF_MEMORY)    \
  ROW (clGetEventInfo, CL_INVALID_VALUE, CL_INVALID_EVENT, OUT_OF_MEMORY)      \
  ROW (clGetExtensionFunctionAddressForPlatform, 0)                            \
  ROW (clGetKernelInfo, CL_INVALID_VALUE, CL_INVALID_KERNEL, OUT_OF_MEMORY)    \
  ROW (clGetKernelWorkGroupInfo, CL_INVALID_DEVICE, CL_INVALID_VALUE,          \
      CL_INVALID_KERNEL, OUT_OF_MEMORY)                                        \
  ROW (clGetMemObjectInfo, CL_INVALID_VALUE, CL_INVALID_MEM_OBJECT,            \
      OUT_OF_MEMORY)                                                           \
  ROW (clGetPlatformIDs, CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY,              \
      -1001 /* CL_PLATFORM_NOT_FOUND_KHR */)                                   \
  ROW (clGetPlatformInfo, CL_INVALID_PLATFORM, CL_INVALID_VALUE,               \
      CL_OUT_OF_HOST_MEMORY)                                                   \
  ROW (clGetProgramBuildInfo, CL_INVALID_DEVICE, CL_INVALID_VALUE,             \
      CL_INVALID_PROGRAM, OUT_OF_MEMORY)                                       \
  ROW (clGetProgramInfo, CL_INVALID_VALUE, CL_INVALID_PROGRAM,                 \
      CL_INVALID_PROGRAM_EXECUTABLE, OUT_OF_MEMORY)                            \
  ROW (clReleaseCommandQueue, CL_INVALID_COMMAND_QUEUE, OUT_OF_MEMORY)         \
  ROW (clReleaseContext, CL_INVALID_CONTEXT, OUT_OF_MEMORY)                    \
  ROW (clReleaseEvent, CL_INVALID_EVENT, OUT_OF_MEMORY)                        \
  ROW (clReleaseKernel, CL_INVALID_KERNEL, OUT_OF_MEMORY)                      \
  ROW (clReleaseMemObject, CL_INVALID_MEM_OBJECT, OUT_OF_MEMORY)               \
  ROW (clReleaseProgram, CL_INVALID_PROGRAM, OUT_OF_MEMORY)                    \
  ROW (clRetainCommandQueue, CL_INVALID_COMMAND_QUEUE, OUT_OF_MEMORY)          \
  ROW (clRetainContext, CL_INVALID_CONTEXT, OUT_OF_MEMORY)                     \
  ROW (clRetainEvent, CL_INVALID_EVENT, OUT_OF_MEMORY)                         \
  ROW (clRetainMemObject, CL_INVALID_MEM_OBJECT, OUT_OF_MEMORY)                \
  ROW (clSetKernelArg, CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX,                \
      CL_INVALID_ARG_VALUE, CL_INVALID_MEM_OBJECT, CL_INVALID_SAMPLER,         \
      CL_INVALID_DEVICE_QUEUE, CL_INVALID_ARG_SIZE,                            \
      CL_MAX_SIZE_RESTRICTION_EXCEEDED, OUT_OF_MEMORY)                         \
  ROW (clWaitForEvents, CL_INVALID_VALUE, CL_INVALID_CONTEXT,                  \
      CL_INVALID_EVENT, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,          \
      OUT_OF_MEMORY)
/* clang-format on */

#define ENTRY_NUMBER(name, ...) ENTRY_##name,
typedef enum { FAULT_ENTRY_POINTS (ENTRY_NUMBER) N_ENTRY_POINTS } EntryPoint;
#undef ENTRY_NUMBER

typedef struct {
  const gchar *name;
  cl_int codes[24]; /* up to the first 0 */
} EntryPointRow;

/* By EntryPoint. */
extern const EntryPointRow entry_points[N_ENTRY_POINTS];

/* Returns the number of codes of @entry. */
guint entry_point_n_codes (EntryPoint entry);

/* Returns whether @entry enqueues a command. */
gboolean entry_point_is_command (EntryPoint entry);

G_END_DECLS
