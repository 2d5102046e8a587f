/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clbench/barriers.cl: barriers across the work-groups of one launch, and a
 * ring that shows whether they hold
 *
 * Math      n_rounds times, all elements at once: ring[i] = ring[i] + ring[i +
 *           1] + ring[i + 2], around the ring.
 * Shape     RING elements, a run for each work-group, dealt to its work-items
 *           in turn; those without one take part in barriers alone.
 * Units     Elements are modulo 2^32. Barriers are counted from 1 on.
 * Memory    ring, and sums between launches: RING elements each. shared:
 *           N_WORDS words, then for each work-group one word in which it says
 *           that it came and one in which it is told to go on; zero at first.
 * Launch    Local (32, 1, 1), (64, 1, 1), (256, 1, 1) or (1024, 1, 1), which
 *           stands in the kernel's name. barriers_ring: as many work-groups as
 *           can run at once, with two barriers a round. barriers_sum, then
 *           barriers_take, do a round in two launches.
 * Range     Counters wrap, their differences stay small.
 * Accuracy  The ring is exact if no work-item gave up, else it is of no use.
 *           The reference is tools/clbench/barriersreference.c.
 * Source    Xiao and Feng, "Inter-block GPU communication via fast barrier
 *           synchronization", 2010.
 */

#include "cl_memory.clh"

#define RING 2048

#define EVERY_ITEM 1 /* each work-item comes, each waits for all of them */
#define LEADER     2 /* one of each group does, the others wait for it */
#define FLAGS      3 /* no atomics: the first group looks after the others */
#define ATOMICS    4 /* a leader with atomics of OpenCL C 2.0, device scope */
#define NO_BARRIER 5 /* what all else costs, and what goes wrong without */
#ifndef BARRIER
#define BARRIER LEADER
#endif

/* The device's limit: a kernel of more work-items may break the program. */
#ifndef MAX_ITEMS
#define MAX_ITEMS 1024
#endif

/* The host reads GAVE_UP: whether a wait was in vain. It stays so, and whoever
 * waits afterwards looks once. */
enum { GAVE_UP, N_COME, N_WORDS };
#define HAS_GIVEN_UP 1

#if BARRIER == ATOMICS
/* Atomics order what lies around them; nothing else is shared at a time. */
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

/* *@word must come to @count. */
static inline void
wait_or_give_up (shared_t word, const uint count, shared_t shared,
    const uint spin_limit)
{
  for (uint i = 0; i < spin_limit; i++) {
    const uint come = atomic_load_explicit (word, memory_order_acquire,
        memory_scope_device);

    if ((int) (come - count) >= 0)
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
    atomic_fetch_add_explicit (shared + N_COME, 1, memory_order_acq_rel,
        memory_scope_device);
    wait_or_give_up (shared + N_COME, count * (uint) get_num_groups (0), shared,
        spin_limit);
  }
  work_group_barrier (CLK_GLOBAL_MEM_FENCE, memory_scope_device);
}
#else

/* *@word must come to @count. */
static inline void
wait_or_give_up (shared_t word, const uint count, shared_t shared,
    const uint spin_limit)
{
  if (!wait_for (word, count, shared + GAVE_UP, HAS_GIVEN_UP, spin_limit))
    shared[GAVE_UP] = HAS_GIVEN_UP;
}

/* Barrier number @count. What any work-item of the launch wrote before it, all
 * read after it, unless one gave up. Every work-item calls it, from one place,
 * in a loop or not. */
static inline void
device_barrier (shared_t shared, const uint count, const uint spin_limit)
{
  const uint n_groups = (uint) get_num_groups (0);
  const uint group = (uint) get_group_id (0);
  const uint item = (uint) get_local_id (0);
  const uint n_items = (uint) get_local_size (0);

  device_fence ();

#if BARRIER == EVERY_ITEM
  count_global (shared + N_COME);
  /* a CPU takes one work-item after the other from barrier to barrier: all must
   * come before one waits */
  barrier (CLK_LOCAL_MEM_FENCE);
  wait_or_give_up (shared + N_COME, count * n_groups * n_items, shared,
      spin_limit);
  (void) group, (void) item;
#elif BARRIER == LEADER
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    count_global (shared + N_COME);
    wait_or_give_up (shared + N_COME, count * n_groups, shared, spin_limit);
  }
  (void) group, (void) n_items;
#elif BARRIER == FLAGS
  shared_t come = shared + N_WORDS;
  shared_t go_on = come + n_groups;

  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0)
    come[group] = count;
  for (uint i = item; group == 0 && i < n_groups; i += n_items)
    wait_or_give_up (come + i, count, shared, spin_limit);
  device_fence ();

  /* of use to the first group alone, but no barrier stands under a condition */
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint i = item; group == 0 && i < n_groups; i += n_items)
    go_on[i] = count;
  if (item == 0 && group != 0)
    wait_or_give_up (go_on + group, count, shared, spin_limit);
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

/* Where the run of elements of @group starts. Each work-group has one, so that
 * a barrier that lets one group through shows, and groups write few lines of
 * memory together. */
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

/* The first element of this work-item; the next ones follow at the size of its
 * group, in one order in both halves of a round. */
static inline uint
first_own (void)
{
  return run_start ((uint) get_group_id (0)) + (uint) get_local_id (0);
}

static inline void
keep_sums (const ring_t ring, uint *sums)
{
  uint n = 0;

  for (uint i = first_own (); i < run_end (); i += (uint) get_local_size (0))
    sums[n++] = sum_of_three (ring, i);
}

static inline void
put_sums (ring_t ring, const uint *sums)
{
  uint n = 0;

  for (uint i = first_own (); i < run_end (); i += (uint) get_local_size (0))
    ring[i] = sums[n++];
}

/* n_barriers: those of all launches before. */
#define RING_KERNEL(items)                                                     \
  __kernel GROUPS_OF (items) void barriers_ring_##items (ring_t ring,          \
      const uint n_rounds, shared_t shared, const uint n_barriers,             \
      const uint spin_limit)                                                   \
  {                                                                            \
    uint sums[RING / items];                                                   \
                                                                               \
    for (uint i = 0; i < n_rounds; i++) {                                      \
      keep_sums (ring, sums);                                                  \
      device_barrier (shared, n_barriers + 2 * i + 1, spin_limit);             \
      put_sums (ring, sums);                                                   \
      device_barrier (shared, n_barriers + 2 * i + 2, spin_limit);             \
    }                                                                          \
  }

/* Between launches sums are in global memory. */
#define LAUNCH_KERNELS(items)                                                  \
  __kernel GROUPS_OF (items) void barriers_sum_##items (const ring_t ring,     \
      __global uint *sums)                                                     \
  {                                                                            \
    for (uint i = first_own (); i < run_end ();                                \
         i += (uint) get_local_size (0))                                       \
      sums[i] = sum_of_three (ring, i);                                        \
  }                                                                            \
  __kernel GROUPS_OF (items) void barriers_take_##items (ring_t ring,          \
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
