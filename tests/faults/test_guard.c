/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libclguard detects a kernel that leaves its buffer. Each case is a process of
 * its own, since most of them end with a signal. Runs with the library in
 * LD_PRELOAD. */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_BYTES 4000 /* not a multiple of clguard's alignment */

static const char source[] =
    "__kernel void touch (__global uchar *data, int at, int writes)\n"
    "{\n"
    "  const uchar value = data[at];\n"
    "  data[0] = value;\n"
    "  if (writes)\n"
    "    data[at] = (uchar) ~value;\n"
    "}\n";

static const struct {
  const char *name;
  int at, writes;
  int signal; /* 0: the process ends normally */
} cases[] = {
  { "the last byte", N_BYTES - 1, 1, 0 },
  { "a write behind the last byte", N_BYTES, 1, SIGABRT },
  { "a write in front of the first byte", -1, 1, SIGABRT },
  { "a read in the page behind", N_BYTES + 64, 0, SIGSEGV },
  { "a write in the page behind", N_BYTES + 64, 1, SIGSEGV },
};

/* Runs the kernel on a new buffer and frees it. Returns 0 if the fresh memory
 * was not zeroed, as expected. */
static int
touch (int at, int writes)
{
  const char *text = source;
  const size_t one = 1;
  unsigned char value = 0;
  cl_platform_id platform = NULL;
  cl_device_id device = NULL;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem mem;

  clGetPlatformIDs (1, &platform, NULL);
  if (clGetDeviceIDs (platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL) != 0)
    return 77;
  context = clCreateContext (NULL, 1, &device, NULL, NULL, NULL);
  queue = clCreateCommandQueue (context, device, 0, NULL);
  mem = clCreateBuffer (context, CL_MEM_READ_WRITE, N_BYTES, NULL, NULL);
  program = clCreateProgramWithSource (context, 1, &text, NULL, NULL);
  if (clBuildProgram (program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
    return 1;
  kernel = clCreateKernel (program, "touch", NULL);
  clSetKernelArg (kernel, 0, sizeof mem, &mem);
  clSetKernelArg (kernel, 1, sizeof at, &at);
  clSetKernelArg (kernel, 2, sizeof writes, &writes);
  clEnqueueNDRangeKernel (queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL);
  clEnqueueReadBuffer (queue, mem, CL_TRUE, 0, 1, &value, 0, NULL, NULL);
  clReleaseKernel (kernel);
  clReleaseProgram (program);
  clReleaseMemObject (mem);
  clReleaseCommandQueue (queue);
  clReleaseContext (context);

  return value == 0;
}

int
main (void)
{
  int n_failed = 0;

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const pid_t child = fork ();
    int status = 0;

    if (child == 0)
      _exit (touch (cases[i].at, cases[i].writes));
    waitpid (child, &status, 0);
    if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
      return 77; /* no device that runs in the process */
    if (cases[i].signal
            ? !WIFSIGNALED (status) || WTERMSIG (status) != cases[i].signal
            : status != 0) {
      fprintf (stderr, "%s: status %#x\n", cases[i].name, status);
      n_failed++;
    }
  }

  return n_failed != 0;
}
