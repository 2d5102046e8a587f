/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libgstopencl-1.0: frames in the memory of OpenCL devices. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* OpenCL objects are of the type gpointer here, so that this header needs none
 * of OpenCL: a cl_context, cl_device_id, cl_command_queue, cl_mem or cl_event.
 *
 * A function that can fail returns FALSE or NULL, and sets its GError. Any
 * thread may call any function.
 *
 * In the library of one version, other functions are for the plugin alone: they
 * may change with each version. */

/**
 * GST_CL_ERROR:
 *
 * The domain of errors of OpenCL; their code is that of OpenCL (a cl_int).
 *
 * Since: 0.3
 */
#define GST_CL_ERROR (gst_cl_error_quark ())
#ifndef __GI_SCANNER__ /* which expects an enumeration of the codes */
GQuark gst_cl_error_quark (void);
#endif

/* --- contexts ------------------------------------------------------------- */

/**
 * GstClContext:
 *
 * A device with its cl_context and the queues of the plugin's elements, which
 * are in-order. A host-unified device, which shares the host's memory, has one
 * queue. The read-only properties `bytes-to-device`, `bytes-from-device` and
 * `bytes-within-device` count the bytes of frames that were copied.
 *
 * Since: 0.3
 */
#define GST_TYPE_CL_CONTEXT (gst_cl_context_get_type ())
G_DECLARE_FINAL_TYPE (GstClContext, gst_cl_context, GST, CL_CONTEXT, GstObject)

/**
 * GST_CL_CONTEXT_TYPE:
 *
 * The type of the #GstContext through which elements and applications share a
 * #GstClContext. The fields of its structure:
 *
 *   context      #GstClContext
 *   cl-platform  pointer, cl_platform_id
 *   cl-device    pointer, cl_device_id
 *   cl-context   pointer, cl_context
 *   cl-queue     pointer, cl_command_queue, in-order: that of
 *                gst_cl_context_get_queue()
 *   others       GstValueArray of #GstClContext of other devices; a bin keeps
 *                only the last #GstContext that it was offered
 *
 * An element offers all fields; others only if there are any. An application
 * uses gst_cl_context_to_gst_context(). Without this library, it sets
 * cl-context and, as it likes, cl-device and cl-queue, which are used as by
 * gst_cl_context_new_wrapped().
 *
 * Since: 0.3
 */
#define GST_CL_CONTEXT_TYPE "gst.cl.context"

/**
 * gst_cl_context_new_for_device:
 * @device: (nullable): a device, as for the property `device` of the plugin's
 *   elements; %NULL: auto
 * @error: the location of an error
 *
 * Opens a device.
 *
 * Returns: (transfer full) (nullable): the context
 *
 * Since: 0.3
 */
GstClContext *gst_cl_context_new_for_device (const gchar *device,
    GError **error);

/**
 * gst_cl_context_new_wrapped:
 * @context: a cl_context
 * @device: (nullable): a cl_device_id of @context; %NULL: its first device
 * @queue: (nullable): an in-order cl_command_queue of @context and @device,
 *   which becomes the queue of gst_cl_context_get_queue(); %NULL: a new one
 * @error: the location of an error
 *
 * Makes a #GstClContext of the objects of an application, which it retains. The
 * same objects give the same #GstClContext as long as it lives; those of a
 * #GstClContext that another function opened give a second one.
 *
 * Returns: (transfer full) (nullable): the context
 *
 * Since: 0.3
 */
GstClContext *gst_cl_context_new_wrapped (gpointer context, gpointer device,
    gpointer queue, GError **error);

/**
 * gst_cl_context_get_handle:
 * @context: a context
 *
 * Returns: (transfer none): the cl_context
 *
 * Since: 0.3
 */
gpointer gst_cl_context_get_handle (GstClContext *context);

/**
 * gst_cl_context_get_device:
 * @context: a context
 *
 * Returns: (transfer none): the cl_device_id
 *
 * Since: 0.3
 */
gpointer gst_cl_context_get_device (GstClContext *context);

/**
 * gst_cl_context_get_queue:
 * @context: a context
 *
 * Returns: (transfer none): the cl_command_queue of the elements' kernels. Any
 *   other queue of the cl_context can be used as well.
 *
 * Since: 0.3
 */
gpointer gst_cl_context_get_queue (GstClContext *context);

/**
 * gst_cl_ensure_element_context:
 * @element: an element without the object lock
 * @device: (nullable): the device that @element needs, as for
 *   gst_cl_context_new_for_device(); %NULL: auto, which accepts any device
 * @error: the location of an error
 *
 * Finds the context of @element when it starts. In this order: a context that
 * it has received and that is of @device; one of a neighbour (downstream,
 * upstream, then the application or bin by NEED_CONTEXT); one that a bin around
 * it has; a new one. HAVE_CONTEXT then offers that context, and also received
 * contexts of other devices. "auto" accepts any offered context; if there are
 * several, it prefers that of the device that "auto" opens. Elements of one
 * pipeline wait for each other. It is an error if objects of an application
 * cannot be used.
 *
 * @element needs no function for gst_element_set_context(): #GstElement stores
 * the context.
 *
 * Returns: (transfer full) (nullable): the context
 *
 * Since: 0.3
 */
GstClContext *gst_cl_ensure_element_context (GstElement *element,
    const gchar *device, GError **error);

/**
 * gst_cl_handle_context_query:
 * @query: a query of the type %GST_QUERY_CONTEXT
 * @context: (nullable): the context of the element; %NULL: it has none yet
 *
 * Answers the query of a neighbour.
 *
 * Returns: %FALSE if @query asks for a context of another type, or if there is
 *   no @context; the query then belongs to the base class
 *
 * Since: 0.3
 */
gboolean gst_cl_handle_context_query (GstQuery *query, GstClContext *context);

/**
 * gst_cl_context_to_gst_context:
 * @context: a context
 *
 * Makes what an application passes to gst_element_set_context(), so that a
 * pipeline uses @context.
 *
 * Returns: (transfer full): a persistent #GstContext of the type
 *   %GST_CL_CONTEXT_TYPE
 *
 * Since: 0.3
 */
GstContext *gst_cl_context_to_gst_context (GstClContext *context);

/* --- memory --------------------------------------------------------------- */

/**
 * GST_CL_MEMORY_TYPE:
 *
 * The name of the allocator of OpenCL memory (#GstAllocator.mem_type).
 *
 * Since: 0.3
 */
#define GST_CL_MEMORY_TYPE "OpenCLMemory"

/**
 * GST_CAPS_FEATURE_MEMORY_OPENCL_MEMORY:
 *
 * The caps feature of buffers in OpenCL memory.
 *
 * Since: 0.3
 */
#define GST_CAPS_FEATURE_MEMORY_OPENCL_MEMORY "memory:OpenCLMemory"

/**
 * GST_MAP_OPENCL: (skip)
 *
 * A flag of gst_memory_map() for use on the device, beside %GST_MAP_READ and
 * %GST_MAP_WRITE. Commands that the caller enqueues on the queue of
 * gst_cl_context_get_queue(), between map and unmap, run after all earlier
 * commands of the memory and before later ones, as between
 * gst_cl_memory_begin() and gst_cl_memory_end(). GstMapInfo.data is no address
 * and must not be used: gst_cl_memory_get_handle() has the cl_mem.
 *
 * Since: 0.3
 */
#define GST_MAP_OPENCL ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

/**
 * gst_is_cl_memory:
 * @memory: a memory
 *
 * Returns: whether @memory is OpenCL memory; the following functions accept no
 *   other
 *
 * Since: 0.3
 */
gboolean gst_is_cl_memory (GstMemory *memory);

/**
 * gst_cl_memory_get_handle:
 * @memory: OpenCL memory
 *
 * Returns: (transfer none): the cl_mem, which is valid as long as @memory. The
 *   bytes of @memory begin at its offset there (gst_memory_get_sizes()).
 *
 * Since: 0.3
 */
gpointer gst_cl_memory_get_handle (GstMemory *memory);

/**
 * gst_cl_memory_get_context:
 * @memory: OpenCL memory
 *
 * Returns: (transfer none): the context of @memory
 *
 * Since: 0.3
 */
GstClContext *gst_cl_memory_get_context (GstMemory *memory);

/**
 * gst_cl_memory_begin:
 * @memory: OpenCL memory
 * @queue: a cl_command_queue of the cl_context of @memory
 * @flags: %GST_MAP_READ, %GST_MAP_WRITE or both: how the commands use @memory
 * @error: the location of an error
 *
 * Begins a use of @memory by commands on @queue. Commands that the caller
 * enqueues there from now on run after the commands that were enqueued for
 * @memory so far; reads do not wait for other reads. The host does not wait. If
 * this succeeds, gst_cl_memory_end() must follow, also if a command could not
 * be enqueued.
 *
 * To write, @memory must be writable (gst_memory_is_writable()) and not
 * read-only (GST_MEMORY_IS_READONLY()): else replace it by gst_memory_copy(),
 * which copies on the device. A memory that several buffers have is not
 * writable, as behind a `tee`, even if its buffer is. A read-only memory may
 * have the bytes of another element: on a host-unified device, `clupload` wraps
 * its input. Commands that write after %GST_MAP_READ are not detected.
 *
 * Returns: %FALSE if @queue is of another cl_context, if @flags have
 *   %GST_MAP_WRITE and the memory is not writable or is read-only, if an
 *   earlier command for @memory has failed, or if the queue cannot be made to
 *   wait
 *
 * Since: 0.3
 */
gboolean gst_cl_memory_begin (GstMemory *memory, gpointer queue,
    GstMapFlags flags, GError **error);

/**
 * gst_cl_memory_end:
 * @memory: OpenCL memory
 * @queue: the cl_command_queue of gst_cl_memory_begin()
 * @flags: the flags of gst_cl_memory_begin()
 * @event: (nullable): the cl_event of the last command that uses @memory, which
 *   is retained; %NULL: all commands on @queue so far
 * @error: the location of an error
 *
 * Ends a use: what depends on it waits for @event, other commands for @memory
 * as well as its maps for the CPU. Flushes @queue. The host does not wait,
 * unless the driver cannot record @event.
 *
 * A critical warning follows a use that has not ended when @memory is freed.
 *
 * Returns: %FALSE if the commands have failed
 *
 * Since: 0.3
 */
gboolean gst_cl_memory_end (GstMemory *memory, gpointer queue,
    GstMapFlags flags, gpointer event, GError **error);

/* --- allocation ----------------------------------------------------------- */

/**
 * GstClAllocator:
 *
 * An allocator of OpenCL memory. gst_allocator_alloc() gives memory that is
 * zero. A part of a memory is a copy: gst_memory_share() fails.
 *
 * Since: 0.3
 */
#define GST_TYPE_CL_ALLOCATOR (gst_cl_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstClAllocator, gst_cl_allocator, GST, CL_ALLOCATOR,
    GstAllocator)

/**
 * gst_cl_allocator_new:
 * @context: a context, which each memory references
 *
 * Returns: (transfer full): an allocator of memory in @context
 *
 * Since: 0.3
 */
GstAllocator *gst_cl_allocator_new (GstClContext *context);

/**
 * gst_cl_allocator_alloc_wrapped:
 * @allocator: an allocator
 * @handle: a cl_mem of the cl_context of @allocator, a buffer, which is
 *   retained
 * @user_data: for @notify
 * @notify: (nullable): called when the memory is freed and the commands that
 *   use it are complete
 * @error: the location of an error
 *
 * Makes a memory of an application's buffer, with all of its bytes. Commands of
 * the application that were enqueued before, and use the buffer, are to be
 * named by gst_cl_memory_end(), after gst_cl_memory_begin().
 *
 * Returns: (transfer full) (nullable): the memory
 *
 * Since: 0.3
 */
GstMemory *gst_cl_allocator_alloc_wrapped (GstClAllocator *allocator,
    gpointer handle, gpointer user_data, GDestroyNotify notify, GError **error);

/**
 * gst_cl_buffer_pool_new:
 * @allocator: the allocator of the buffers
 * @caps: raw video, or integral images
 * @min_buffers: the number of buffers that are allocated at the start
 * @max_buffers: the maximum number of buffers; 0: unlimited
 *
 * Makes a pool of frames in GStreamer's default layout, for example to answer
 * an ALLOCATION query. Its configuration is complete:
 * gst_buffer_pool_set_active() may follow. Buffers have at most 2^32 - 1 bytes,
 * also if a frame is larger.
 *
 * Returns: (transfer full) (nullable): the pool; %NULL if @caps are neither
 *
 * Since: 0.3
 */
GstBufferPool *gst_cl_buffer_pool_new (GstAllocator *allocator, GstCaps *caps,
    guint min_buffers, guint max_buffers);

G_END_DECLS
