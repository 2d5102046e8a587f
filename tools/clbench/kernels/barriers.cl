/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clbench/barriers.cl: barriers across the work-groups of one launch, and a
 * ring that tests them
 *
 * Math      n_rounds times, all elements at once: ring[i] = ring[i] + ring[i +
 *           1] + ring[i + 2], around the ring.
 * Shape     RING elements, in one run for each work-group, interleaved over its
 *           work-items; work-items without an element only take part in
 *           barriers.
 * Units     Elements are modulo 2^32. Barriers are counted from 1 on.
 * Memory    ring, and sums between launches: RING elements each. shared:
 *           N_WORDS words, then for each work-group one word that reports its
 *           arrival and one that releases it; zero at first.
 * Launch    Local (32, 1, 1), (64, 1, 1), (256, 1, 1) or (1024, 1, 1), as in
 *           the kernel's name. barriers_ring: as many work-groups as can run at
 *           once, with two barriers a round. barriers_sum, then barriers_store,
 *           do a round in two launches.
 * Range     Counters wrap, their differences stay small.
 * Accuracy  The ring is exact if no work-item gave up, otherwise invalid. The
 *           reference is tools/clbench/src/barriersring.c.
 * Source    Xiao and Feng, "Inter-block GPU communication via fast barrier
 *           synchronization", 2010.
 */

#include "cl_memory.clh"

#define RING 2048

#define EVERY_ITEM 1 /* each work-item arrives and waits for all others */
#define LEADER     2 /* a work-item of each group arrives, the others wait */
#define FLAGS      3 /* no atomics: the first group polls the others */
#define ATOMICS    4 /* a leader with atomics of OpenCL C 2.0, device scope */
#define NO_BARRIER 5 /* the baseline: its cost and its errors */
#ifndef BARRIER
#define BARRIER LEADER
#endif

/* The device's limit: a kernel with more work-items may break the program. */
#ifndef MAX_ITEMS
#define MAX_ITEMS 1024
#endif

/* The words of `shared`: GAVE_UP is HAS_GIVEN_UP once a wait has given up;
 * later waits then read their word once. N_ARRIVED counts the arrivals at
 * barriers. */
enum { GAVE_UP, N_ARRIVED, N_WORDS };
#define HAS_GIVEN_UP 1

#if BARRIER == ATOMICS
/* Atomics order the accesses around them; no other memory is shared at that
 * time. */
typedef __global uint *ring_t;
typedef volatile __global atomic_uint *shared_t;
#else
typedef volatile __global uint *ring_t;
typedef volatile __global uint *shared_t;
#endif

#if BARRIER == NO_BARRIER
#define device_barrier(shared, count, spin_limit)                              \
  ((void) (shared), (void) (count), (void) (spin_limit))
#elif BARRIER == ATOMICS

/* Waits until *@word is @count. */
static inline void
wait_or_give_up (shared_t word, const uint count, shared_t shared,
    const uint spin_limit)
{
  for (uint i = 0; i < spin_limit; i++) {
    const uint arrived = atomic_load_explicit (word, memory_order_acquire,
        memory_scope_device);

    if ((int) (arrived - count) >= 0)
      return;
    if (atomic_load_explicit (shared + GAVE_UP, memory_order_relaxed,
            memory_scope_device) == HAS_GIVEN_UP)
      return;
  }

  atomic_store_explicit (shared + GAVE_UP, HAS_GIVEN_UP, memory_order_relaxed,
      memory_scope_device);
}

static inline void
device_barrier (shared_t shared, const uint count, const uint spin_limit)
{
  work_group_barrier (CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  if (get_local_id (0) == 0) {
    atomic_fetch_add_explicit (shared + N_ARRIVED, 1, memory_order_acq_rel,
        memory_scope_device);
    wait_or_give_up (shared + N_ARRIVED, count * (uint) get_num_groups (0),
        shared, spin_limit);
  }
  work_group_barrier (CLK_GLOBAL_MEM_FENCE, memory_scope_device);
}
#else

/* Waits until *@word is @count. */
static inline void
wait_or_give_up (shared_t word, const uint count, shared_t shared,
    const uint spin_limit)
{
  if (!wait_for (word, count, shared + GAVE_UP, HAS_GIVEN_UP, spin_limit))
    shared[GAVE_UP] = HAS_GIVEN_UP;
}

/* Barrier number @count. Writes of any work-item of the launch before it are
 * visible to all work-items after it, unless one gave up. Every work-item must
 * call it, from the same call site, in a loop or not. */
static inline void
device_barrier (shared_t shared, const uint count, const uint spin_limit)
{
  const uint n_groups = (uint) get_num_groups (0);
  const uint group = (uint) get_group_id (0);
  const uint item = (uint) get_local_id (0);
  const uint n_items = (uint) get_local_size (0);

  device_fence ();

#if BARRIER == EVERY_ITEM
  count_global (shared + N_ARRIVED);
  /* a CPU runs one work-item after the other from barrier to barrier: all must
   * arrive before one waits */
  barrier (CLK_LOCAL_MEM_FENCE);
  wait_or_give_up (shared + N_ARRIVED, count * n_groups * n_items, shared,
      spin_limit);
  (void) group, (void) item;
#elif BARRIER == LEADER
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    count_global (shared + N_ARRIVED);
    wait_or_give_up (shared + N_ARRIVED, count * n_groups, shared, spin_limit);
  }
  (void) group, (void) n_items;
#elif BARRIER == FLAGS
  shared_t arrived = shared + N_WORDS;
  shared_t released = arrived + n_groups;

  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0)
    arrived[group] = count;
  for (uint i = item; group == 0 && i < n_groups; i += n_items)
    wait_or_give_up (arrived + i, count, shared, spin_limit);
  device_fence ();

  /* needed by the first group only, but a barrier must not be in a branch */
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint i = item; group == 0 && i < n_groups; i += n_items)
    released[i] = count;
  if (item == 0 && group != 0)
    wait_or_give_up (released + group, count, shared, spin_limit);
#endif

  device_fence ();
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#endif

/* ---- kernels ---- */

#define GROUPS_OF(items) __attribute__ ((reqd_work_group_size (items, 1, 1)))

static inline uint
sum_of_three (const ring_t ring, const uint i)
{
  return ring[i] + ring[(i + 1) % RING] + ring[(i + 2) % RING];
}

/* First element of the run of @group. Each work-group has its own run, so that
 * a barrier that lets one group through is detected, and groups write to few
 * common lines of memory. */
static inline uint
run_start (const uint group)
{
  return group * RING / (uint) get_num_groups (0);
}

static inline uint
run_end (void)
{
  return run_start ((uint) get_group_id (0) + 1);
}

/* First element of this work-item; the next ones are at the distance of its
 * group's size, in the same order in both halves of a round. */
static inline uint
first_own (void)
{
  return run_start ((uint) get_group_id (0)) + (uint) get_local_id (0);
}

static inline void
load_sums (const ring_t ring, uint *sums)
{
  uint n = 0;

  for (uint i = first_own (); i < run_end (); i += (uint) get_local_size (0))
    sums[n++] = sum_of_three (ring, i);
}

static inline void
store_sums (ring_t ring, const uint *sums)
{
  uint n = 0;

  for (uint i = first_own (); i < run_end (); i += (uint) get_local_size (0))
    ring[i] = sums[n++];
}

/* n_barriers: number of barriers of all earlier launches. */
#define RING_KERNEL(items)                                                     \
  __kernel GROUPS_OF (items) void barriers_ring_##items (ring_t ring,          \
      const uint n_rounds, shared_t shared, const uint n_barriers,             \
      const uint spin_limit)                                                   \
  {                                                                            \
    uint sums[RING / items];                                                   \
                                                                               \
    for (uint i = 0; i < n_rounds; i++) {                                      \
      load_sums (ring, sums);                                                  \
      device_barrier (shared, n_barriers + 2 * i + 1, spin_limit);             \
      store_sums (ring, sums);                                                 \
      device_barrier (shared, n_barriers + 2 * i + 2, spin_limit);             \
    }                                                                          \
  }

/* Between launches, sums are in global memory. */
#define LAUNCH_KERNELS(items)                                                  \
  __kernel GROUPS_OF (items) void barriers_sum_##items (const ring_t ring,     \
      __global uint *sums)                                                     \
  {                                                                            \
    for (uint i = first_own (); i < run_end ();                                \
         i += (uint) get_local_size (0))                                       \
      sums[i] = sum_of_three (ring, i);                                        \
  }                                                                            \
  __kernel GROUPS_OF (items) void barriers_store_##items (ring_t ring,         \
      __global const uint *sums)                                               \
  {                                                                            \
    for (uint i = first_own (); i < run_end ();                                \
         i += (uint) get_local_size (0))                                       \
      ring[i] = sums[i];                                                       \
  }

#if BARRIER == NO_BARRIER
#define KERNELS(items) RING_KERNEL (items) LAUNCH_KERNELS (items)
#else
#define KERNELS(items) RING_KERNEL (items)
#endif

#if MAX_ITEMS >= 32
KERNELS (32)
#endif
#if MAX_ITEMS >= 64
KERNELS (64)
#endif
#if MAX_ITEMS >= 256
KERNELS (256)
#endif
#if MAX_ITEMS >= 1024
KERNELS (1024)
#endif
