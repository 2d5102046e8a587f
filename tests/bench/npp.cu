/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NVIDIA's NPP, compared with the plugin's kernels: npp WIDTH HEIGHT [JOB...]
 *
 * Prints one JSON line a job: its name and the median time of a frame in
 * microseconds, frames in device memory, inputs taken in turn, 20 calls back to
 * back between two events. A job that NPP refuses is reported on stderr, with
 * its status, and left out. Not part of the plugin; tests/bench/bench.py
 * compiles it with nvcc, if available. */

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <nppi.h>

static const int n_frames = 8, n_calls = 20, most_samples = 50;
static std::vector<std::string> wanted; /* empty: all */
static const double most_seconds = 1; /* of a job; at least one sample */
static const int n_levels = 257; /* bounds of 256 bins */

static void
check (int status, const char *what)
{
  if (status == 0)
    return;
  std::fprintf (stderr, "%s: %d\n", what, status);
  std::exit (1);
}

static NppStreamContext
make_context ()
{
  NppStreamContext context = {};
  cudaDeviceProp properties;

  check (cudaGetDevice (&context.nCudaDeviceId), "device");
  check (cudaGetDeviceProperties (&properties, context.nCudaDeviceId), "properties");
  context.nMultiProcessorCount = properties.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
  context.nSharedMemPerBlock = properties.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = properties.major;
  context.nCudaDevAttrComputeCapabilityMinor = properties.minor;

  return context;
}

static void
bench (const char *name, int width, int height,
    const std::function<int (int)> &job)
{
  std::vector<float> samples;
  cudaEvent_t start, end;

  if (!wanted.empty () && std::find (wanted.begin (), wanted.end (), name) == wanted.end ())
    return;

  const int status = job (0);

  if (status != 0) {
    std::fprintf (stderr, "%s %dx%d: %d\n", name, width, height, status);
    return;
  }
  cudaEventCreate (&start);
  cudaEventCreate (&end);
  for (int i = 1; i < n_frames; i++)
    job (i);
  check (cudaDeviceSynchronize (), name);

  const auto begin = std::chrono::steady_clock::now ();
  std::chrono::duration<double> elapsed{};

  while (samples.size () < most_samples && (samples.empty () || elapsed.count () < most_seconds)) {
    float milliseconds;

    cudaEventRecord (start);
    for (int i = 0; i < n_calls; i++)
      job (i % n_frames);
    cudaEventRecord (end);
    cudaEventSynchronize (end);
    cudaEventElapsedTime (&milliseconds, start, end);
    samples.push_back (milliseconds * 1000 / n_calls);
    elapsed = std::chrono::steady_clock::now () - begin;
  }
  check (cudaGetLastError (), name);
  std::sort (samples.begin (), samples.end ());
  std::printf ("{\"name\": \"%s\", \"width\": %d, \"height\": %d, \"us\": %.1f}\n",
      name, width, height, samples[samples.size () / 2]);
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  wanted.assign (argv + 3, argv + argc);

  const int width = std::atoi (argv[1]), height = std::atoi (argv[2]);
  const NppiSize size = { width, height };
  const NppStreamContext context = make_context ();
  std::vector<Npp8u> host ((size_t) width * height);
  Npp8u *source[n_frames], *means, *scratch, *range;
  Npp32s *sums, *bins;
  Npp64f *moments;
  size_t moment_bytes, range_bytes, bins_bytes;

  for (size_t i = 0; i < host.size (); i++)
    host[i] = (Npp8u) (std::rand () >> 7);
  for (int i = 0; i < n_frames; i++) {
    check (cudaMalloc (&source[i], host.size ()), "memory");
    check (cudaMemcpy (source[i], host.data (), host.size (), cudaMemcpyHostToDevice), "copy");
  }
  check (nppiMeanStdDevGetBufferHostSize_8u_C1R_Ctx (size, &moment_bytes, context), "size");
  check (nppiMinMaxGetBufferHostSize_8u_C1R_Ctx (size, &range_bytes, context), "size");
  check (nppiHistogramEvenGetBufferSize_8u_C1R_Ctx (size, n_levels, &bins_bytes, context), "size");
  check (cudaMalloc (&bins, 256 * sizeof *bins), "memory");
  check (cudaMalloc (&sums, (size_t) (width + 1) * (height + 1) * 4), "memory");
  check (cudaMalloc (&means, host.size ()), "memory");
  check (cudaMalloc (&scratch, std::max ({ moment_bytes, range_bytes, bins_bytes })), "memory");
  check (cudaMalloc (&range, 2), "memory");
  check (cudaMalloc (&moments, 2 * sizeof *moments), "memory");

  bench ("integral", width, height, [&] (int i) {
    return nppiIntegral_8u32s_C1R_Ctx (source[i], width, sums, (width + 1) * 4, size, 0, context);
  });
  for (int mask : { 3, 15, 31, 101 }) {
    const std::string box = "box " + std::to_string (mask);
    const std::string threshold = "adaptive threshold " + std::to_string (mask);

    bench (box.c_str (), width, height, [&] (int i) {
      return nppiFilterBoxBorder_8u_C1R_Ctx (source[i], width, size, { 0, 0 }, means, width, size,
          { mask, mask }, { mask / 2, mask / 2 }, NPP_BORDER_REPLICATE, context);
    });
    bench (threshold.c_str (), width, height, [&] (int i) {
      return nppiFilterThresholdAdaptiveBoxBorder_8u_C1R_Ctx (source[i], width, size, { 0, 0 },
          means, width, size, { mask, mask }, 8, 255, 0, NPP_BORDER_REPLICATE, context);
    });
  }
  const auto moments_of = [&] (int i) {
    int status = nppiMean_StdDev_8u_C1R_Ctx (source[i], width, size, scratch, moments, moments + 1, context);

    return status ? status
                  : nppiMinMax_8u_C1R_Ctx (source[i], width, size, range, range + 1, scratch, context);
  };
  const auto histogram_of = [&] (int i) {
    return nppiHistogramEven_8u_C1R_Ctx (source[i], width, size, bins, n_levels, 0, 256, scratch, context);
  };

  bench ("mean and stddev, min and max", width, height, moments_of);
  bench ("histogram", width, height, histogram_of);
  bench ("mean, stddev, min, max and histogram", width, height, [&] (int i) {
    int status = moments_of (i);

    return status ? status : histogram_of (i);
  });

  return 0;
}
