/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency.cl: small launches, and a launch that receives jobs while it runs
 *
 * Math      Launches are counted, and marked with their number. The job of the
 *           batches is the sum of a frame; that of the resident loop is a chain
 *           of n_steps steps of xorshift, six instructions each.
 * Shape     latency_sum: frames of FRAME_BYTES samples of 8 bits.
 * Units     Words are modulo 2^32. Launches and rounds are counted from 1 on.
 * Memory    words: N_WORDS words that the host also reads and writes while the
 *           kernel runs; zero at first.
 * Launch    Local (1, 1, 1), one work-item; latency_job: any number of them.
 *           latency_sum: local (ITEMS, 1, 1), one work-group for each frame.
 * Range     Sums stay below 2^20.
 * Accuracy  Exact. The reference is tools/clbench/src/latency.c.
 * Source    The resident loop is that of persistent threads: Gupta, Stuart and
 *           Owens, "A study of persistent threads style GPU programming", 2012,
 *           bounded here.
 */

#include "cl_memory.clh"

#define FRAME_BYTES 4096
#define ITEMS       64

/* LatencyWord of tools/clbench/src/latency.h */
enum { FLAG, RESULT, ANSWER, ANSWER_SEEN, INPUT, GAVE_UP };

/* Orders all writes of this work-item before its later writes, for the host,
 * and its earlier reads before these writes. */
static inline void
system_fence (void)
{
#if defined(__NV_CL_C_VERSION)
  __asm__ volatile("membar.sys;" ::: "memory");
#else
  device_fence ();
#endif
}

/* Reads *@word until it is @value, max_polls times at most. Returns whether it
 * was @value. */
static inline bool
poll (volatile __global const uint *word, const uint value,
    const uint max_polls)
{
  for (uint i = 0; i < max_polls; i++) {
    if (*word == value) {
      system_fence ();
      return true;
    }
  }

  return false;
}

static inline uint
work (uint x, const uint n_steps)
{
  for (uint i = 0; i < n_steps; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }

  return x;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
latency_count (__global uint *count)
{
  count[0]++;
}

/* Writes its result, then sets the flag. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
latency_signal (volatile __global uint *words, const uint number)
{
  words[RESULT] = ~number;
  system_fence ();
  words[FLAG] = number;
}

/* Sets the flag, and reads the host's answer until it is @number, at most
 * @max_polls times. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
latency_handshake (volatile __global uint *words, const uint number,
    const uint max_polls)
{
  words[FLAG] = number;
  system_fence ();
  if (poll (words + ANSWER, number, max_polls))
    words[ANSWER_SEEN] = number;
}

/* Sums frames from number first on. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
latency_sum (__global const uchar *frames, const uint first,
    __global uint *sums)
{
  __local uint parts[ITEMS];
  const uint frame = first + (uint) get_group_id (0);
  const uint item = (uint) get_local_id (0);
  __global const uchar *samples = frames + frame * FRAME_BYTES;
  uint sum = 0;

  for (uint i = 0; i < FRAME_BYTES; i += 16 * ITEMS) {
    const ushort16 part = convert_ushort16 (
        vload16 (0, samples + i + 16 * item));
    const ushort8 part8 = part.lo + part.hi;
    const ushort4 part4 = part8.lo + part8.hi;

    sum += part4.x + part4.y + part4.z + part4.w;
  }
  parts[item] = sum;

  for (uint n = ITEMS / 2; n > 0; n /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (item < n)
      parts[item] += parts[item + n];
  }
  if (item == 0)
    sums[frame] = parts[0];
}

/* One job per launch, for each work-group. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
latency_job (__global uint *result, const uint input, const uint n_steps)
{
  result[get_group_id (0)] = work (input, n_steps);
}

/* Runs n_rounds jobs, each as soon as the host has set ANSWER to its number,
 * and sets FLAG to that number at its end. Gives up after max_polls reads
 * without a job. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
latency_resident (volatile __global uint *words, const uint n_rounds,
    const uint n_steps, const uint max_polls)
{
  for (uint round = 1; round <= n_rounds; round++) {
    if (!poll (words + ANSWER, round, max_polls)) {
      words[GAVE_UP] = round;
      return;
    }
    words[RESULT] = work (words[INPUT], n_steps);
    system_fence ();
    words[FLAG] = round;
  }
}
