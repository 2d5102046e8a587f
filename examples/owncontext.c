/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* owncontext: the application's own kernel on integral images of the plugin.
 *
 * usage: owncontext [--theirs]
 *
 * Opens an OpenCL device, hands its context to a pipeline, and runs a kernel of
 * its own on each buffer that clintegral makes, in its memory: without a copy
 * or a wait. With --theirs it takes the context that the elements have opened
 * for themselves.
 *
 * Prints the mean of the middle of each frame (half its width, half its
 * height).
 */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gst/opencl/opencl.h>

#include <string.h>

#define LINE                                                                   \
  "videotestsrc pattern=ball num-buffers=5 ! "                                 \
  "video/x-raw,format=GRAY8,width=64,height=48 ! clintegral name=integral ! "  \
  "appsink name=sink sync=false "                                              \
  "caps=video/x-integral-image(memory:OpenCLMemory)"

/* The sum of the samples in columns x .. x + w - 1 of rows y .. y + h - 1 of an
 * inclusive integral image: four reads. x and y are at least 1. */
static const char *const source =
    "__kernel void box (__global const uint *sums, const int width,\n"
    "    const int x, const int y, const int w, const int h,\n"
    "    __global uint *result)\n"
    "{\n"
    "  __global const uint *above = sums + (y - 1) * width + x - 1;\n"
    "  __global const uint *below = above + h * width;\n"
    "  *result = below[w] - below[0] - above[w] + above[0];\n"
    "}\n";

/* A context that the elements use, too, with a queue of the application, and
 * what runs there. */
typedef struct {
  GstClContext *shared;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_kernel kernel;
  cl_mem result;
} Compute;

static void
check (cl_int code, const gchar *what)
{
  if (code != CL_SUCCESS) {
    g_printerr ("%s: OpenCL error %d\n", what, code);
    exit (1);
  }
}

/* Every element of @pipeline will use the context. */
static void
hand_in (GstElement *pipeline, Compute *compute)
{
  cl_platform_id platform;
  cl_device_id device;
  cl_context own;
  cl_int code;
  GError *error = NULL;
  GstContext *offer;

  check (clGetPlatformIDs (1, &platform, NULL), "platform");
  check (clGetDeviceIDs (platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
      "device");
  own = clCreateContext (NULL, 1, &device, NULL, NULL, &code);
  check (code, "context");

  compute->shared = gst_cl_context_new_wrapped (own, device, NULL, &error);
  clReleaseContext (own);
  if (!compute->shared) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  offer = gst_cl_context_to_gst_context (compute->shared);
  gst_element_set_context (pipeline, offer);
  gst_context_unref (offer);
}

/* What an element that has started uses. */
static void
take_theirs (GstElement *pipeline, Compute *compute)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "integral");
  GstContext *offer = gst_element_get_context (element, GST_CL_CONTEXT_TYPE);

  if (!offer) {
    g_printerr ("the element has no OpenCL context\n");
    exit (1);
  }
  gst_structure_get (gst_context_get_structure (offer), "context",
      GST_TYPE_CL_CONTEXT, &compute->shared, NULL);
  gst_context_unref (offer);
  gst_object_unref (element);
}

static void
create_queue (Compute *compute)
{
  cl_int code;

  compute->context = gst_cl_context_get_handle (compute->shared);
  compute->device = gst_cl_context_get_device (compute->shared);
  compute->queue = clCreateCommandQueue (compute->context, compute->device, 0,
      &code);
  check (code, "queue");
}

static void
build_kernel (Compute *compute)
{
  cl_int code;
  const char *text = source;
  cl_program program = clCreateProgramWithSource (compute->context, 1, &text,
      NULL, &code);

  check (code, "program");
  check (clBuildProgram (program, 1, &compute->device, "", NULL, NULL),
      "build");
  compute->kernel = clCreateKernel (program, "box", &code);
  check (code, "kernel");
  clReleaseProgram (program);
  compute->result = clCreateBuffer (compute->context, CL_MEM_READ_WRITE,
      sizeof (cl_uint), NULL, &code);
  check (code, "result");
}

static gdouble
middle_mean (Compute *compute, GstBuffer *buffer, cl_int width, cl_int height)
{
  const cl_int x = width / 4, y = height / 4, w = width / 2, h = height / 2;
  const gsize one = 1;
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  cl_mem sums; /* at offset 0, as clintegral allocates it */
  cl_uint sum;

  if (gst_buffer_n_memory (buffer) != 1 || !gst_is_cl_memory (memory) ||
      gst_cl_memory_get_context (memory) != compute->shared) {
    g_printerr ("the buffer is not in memory of the context\n");
    exit (1);
  }
  sums = gst_cl_memory_get_handle (memory);
  check (clSetKernelArg (compute->kernel, 0, sizeof sums, &sums), "sums");
  check (clSetKernelArg (compute->kernel, 1, sizeof width, &width), "width");
  check (clSetKernelArg (compute->kernel, 2, sizeof x, &x), "x");
  check (clSetKernelArg (compute->kernel, 3, sizeof y, &y), "y");
  check (clSetKernelArg (compute->kernel, 4, sizeof w, &w), "w");
  check (clSetKernelArg (compute->kernel, 5, sizeof h, &h), "h");
  check (clSetKernelArg (compute->kernel, 6, sizeof compute->result,
             &compute->result),
      "result");
  /* after the plugin's commands for the memory, and before its next ones */
  if (!gst_cl_memory_begin (memory, compute->queue, GST_MAP_READ, NULL)) {
    g_printerr ("the buffer cannot be read\n");
    exit (1);
  }
  check (clEnqueueNDRangeKernel (compute->queue, compute->kernel, 1, NULL, &one,
             NULL, 0, NULL, NULL),
      "launch");
  if (!gst_cl_memory_end (memory, compute->queue, GST_MAP_READ, NULL, NULL)) {
    g_printerr ("the use of the buffer has failed\n");
    exit (1);
  }

  check (clEnqueueReadBuffer (compute->queue, compute->result, CL_TRUE, 0,
             sizeof sum, &sum, 0, NULL, NULL),
      "read");

  return sum / (gdouble) (w * h);
}

static void
print_frames (GstElement *pipeline, Compute *compute)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample = NULL;
  guint n = 0;

  for (g_signal_emit_by_name (sink, "pull-sample", &sample); sample;
       g_signal_emit_by_name (sink, "pull-sample", &sample)) {
    const GstStructure *structure = gst_caps_get_structure (
        gst_sample_get_caps (sample), 0);
    gint width = 0, height = 0;

    gst_structure_get_int (structure, "width", &width);
    gst_structure_get_int (structure, "height", &height);
    g_print ("frame %u: %.4f\n", n++,
        middle_mean (compute, gst_sample_get_buffer (sample), width, height));
    gst_sample_unref (sample);
  }
  gst_object_unref (sink);
}

/* 0 if the end was reached without an error. */
static int
report_error (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  gst_object_unref (bus);
  if (!message)
    return 0;

  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s\n", error->message);
  g_error_free (error);
  gst_message_unref (message);

  return 1;
}

int
main (int argc, char **argv)
{
  Compute compute = { 0 };
  GstElement *pipeline;
  GError *error = NULL;
  gboolean theirs;
  int status;

  gst_init (&argc, &argv);
  theirs = argc == 2 && strcmp (argv[1], "--theirs") == 0;
  if (argc > 1 && !theirs) {
    g_printerr ("usage: owncontext [--theirs]\n");
    return 2;
  }
  pipeline = gst_parse_launch (LINE, &error);
  if (error) {
    g_printerr ("%s\n", error->message);
    return 1;
  }

  if (!theirs)
    hand_in (pipeline, &compute);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND);
  if (theirs)
    take_theirs (pipeline, &compute);

  create_queue (&compute);
  build_kernel (&compute);
  print_frames (pipeline, &compute);
  status = report_error (pipeline);

  clReleaseMemObject (compute.result);
  clReleaseKernel (compute.kernel);
  clReleaseCommandQueue (compute.queue);
  gst_object_unref (compute.shared);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);

  return status;
}
