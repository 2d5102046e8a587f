/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clsquare: a filter with a kernel of its own, on frames in OpenCL memory: it
 * squares each sample of GRAY8, modulo 256. Compile it outside of this
 * project:
 *
 *   cc -shared -fPIC -o libgstclsquare.so square.c \
 *     $(pkg-config --cflags --libs gst-opencl-1.0 gstreamer-base-1.0 OpenCL)
 *   GST_PLUGIN_PATH=$PWD:$GST_PLUGIN_PATH gst-launch-1.0 videotestsrc ! \
 *     clupload ! clsquare ! clframesum ! fakesink
 */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gst/base/gstbasetransform.h>
#include <gst/opencl/opencl.h>

#define CAPS                                                                   \
  "video/x-raw(" GST_CAPS_FEATURE_MEMORY_OPENCL_MEMORY "), format=GRAY8"

static const char
    *source = "__kernel void square (__global uchar *samples)\n"
              "{\n"
              "  samples[get_global_id (0)] *= samples[get_global_id (0)];\n"
              "}\n";

typedef struct {
  GstBaseTransform parent;
  GstClContext *context;
  cl_command_queue queue; /* of this element */
  cl_kernel kernel;
} GstClSquare;

typedef GstBaseTransformClass GstClSquareClass;

GType gst_cl_square_get_type (void);
G_DEFINE_TYPE (GstClSquare, gst_cl_square, GST_TYPE_BASE_TRANSFORM)

/* A failed call leaves the kernel NULL. */
static void
build_kernel (GstClSquare *self)
{
  cl_context context = gst_cl_context_get_handle (self->context);
  cl_device_id device = gst_cl_context_get_device (self->context);
  cl_program program = clCreateProgramWithSource (context, 1, &source, NULL,
      NULL);

  if (clBuildProgram (program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
    self->kernel = clCreateKernel (program, "square", NULL);
  clReleaseProgram (program);
  self->queue = clCreateCommandQueue (context, device, 0, NULL);
}

static gboolean
stop (GstBaseTransform *base)
{
  GstClSquare *self = (GstClSquare *) base;

  g_clear_pointer (&self->kernel, clReleaseKernel);
  g_clear_pointer (&self->queue, clReleaseCommandQueue);
  GST_OBJECT_LOCK (self);
  gst_clear_object (&self->context);
  GST_OBJECT_UNLOCK (self);

  return TRUE;
}

static gboolean
start (GstBaseTransform *base)
{
  GstClSquare *self = (GstClSquare *) base;
  g_autoptr (GError) error = NULL;
  GstClContext *context = gst_cl_ensure_element_context (GST_ELEMENT (self),
      NULL, &error);

  GST_OBJECT_LOCK (self);
  self->context = context;
  GST_OBJECT_UNLOCK (self);
  if (context)
    build_kernel (self);
  if (self->queue && self->kernel)
    return TRUE;

  GST_ELEMENT_ERROR (self, LIBRARY, INIT, (NULL),
      ("%s", error ? error->message : "the kernel cannot be built"));
  stop (base); /* the base class does not, after a failed start */

  return FALSE;
}

/* Any thread. */
static gboolean
answer (GstBaseTransform *base, GstPadDirection direction, GstQuery *query)
{
  GstClSquare *self = (GstClSquare *) base;
  g_autoptr (GstClContext) context = NULL;

  GST_OBJECT_LOCK (self);
  g_set_object (&context, self->context);
  GST_OBJECT_UNLOCK (self);

  return (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT &&
             gst_cl_handle_context_query (query, context)) ||
         GST_BASE_TRANSFORM_CLASS (gst_cl_square_parent_class)
             ->query (base, direction, query);
}

/* Returns the memory of @buffer, or a copy on the device if others use it, too:
 * other buffers, as behind a tee, or the element whose memory clupload has
 * wrapped, which is read-only. NULL: no memory is left. */
static GstMemory *
get_writable (GstBuffer *buffer)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);

  if (gst_memory_is_writable (memory) && !GST_MEMORY_IS_READONLY (memory))
    return memory;

  memory = gst_memory_copy (memory, 0, -1);
  if (memory)
    gst_buffer_replace_memory (buffer, 0, memory);

  return memory;
}

/* Enqueues the kernel, which runs after the commands of the elements before
 * this one, and before those of the elements after it. */
static GstFlowReturn
transform_ip (GstBaseTransform *base, GstBuffer *buffer)
{
  GstClSquare *self = (GstClSquare *) base;
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  g_autoptr (GError) error = NULL;
  gsize offset, size;
  gboolean is_enqueued;
  cl_mem samples;

  if (!gst_is_cl_memory (memory) ||
      gst_cl_memory_get_context (memory) != self->context) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT, (NULL),
        ("the frame is not in memory of this context"));
    return GST_FLOW_ERROR;
  }

  memory = get_writable (buffer);
  if (memory &&
      gst_cl_memory_begin (memory, self->queue, GST_MAP_READWRITE, &error)) {
    size = gst_memory_get_sizes (memory, &offset, NULL);
    samples = gst_cl_memory_get_handle (memory);
    clSetKernelArg (self->kernel, 0, sizeof samples, &samples);
    is_enqueued = clEnqueueNDRangeKernel (self->queue, self->kernel, 1, &offset,
                      &size, NULL, 0, NULL, NULL) == CL_SUCCESS;
    if (gst_cl_memory_end (memory, self->queue, GST_MAP_READWRITE, NULL,
            &error) &&
        is_enqueued)
      return GST_FLOW_OK;
  }

  GST_ELEMENT_ERROR (self, LIBRARY, FAILED, (NULL),
      ("%s", error ? error->message : "the kernel was not launched"));

  return GST_FLOW_ERROR;
}

static void
gst_cl_square_init (GstClSquare *self)
{
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

static void
gst_cl_square_class_init (GstClSquareClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);

  gst_element_class_set_static_metadata (element_class, "Squares",
      "Filter/Effect/Video", "Squares each sample", "The gst-opencl authors");
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  klass->start = start;
  klass->stop = stop;
  klass->query = answer;
  klass->transform_ip = transform_ip;
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  return gst_element_register (plugin, "clsquare", GST_RANK_NONE,
      gst_cl_square_get_type ());
}

#define PACKAGE "clsquare"
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, clsquare,
    "A filter with a kernel of its own", plugin_init, "1.0", "LGPL", PACKAGE,
    "https://example.org")
