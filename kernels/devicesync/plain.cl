/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* devicesync/plain.cl: barriers across the work-groups of one launch, and a
 * ring that shows whether they hold
 *
 * Math      n_rounds times, all elements at once: ring[i] = ring[i] + ring[i +
 *           1] + ring[i + 2], around the ring.
 * Shape     One element for each work-item.
 * Units     Elements are modulo 2^32. Barriers and launches are counted from 1
 *           on.
 * Memory    shared: N_WORDS words, then for each work-group one word in which
 *           it says that it came and one in which it is told to go on; zero at
 *           first, and never again.
 * Launch    Local (ITEMS, 1, 1). devicesync_ring: as many work-groups as can
 *           run at once, with two barriers a round. devicesync_read, then
 *           devicesync_write, do a round in two launches.
 * Range     Counters wrap, their differences stay small.
 * Accuracy  The ring is exact if no work-item gave up, else it is of no use.
 *           The reference is tests/devicesync/devicesyncreference.c.
 * Source    Xiao and Feng, "Inter-block GPU communication via fast barrier
 *           synchronization", 2010. Timings are in docs/performance.md.
 */

#include "cl_sync.clh"

#ifndef ITEMS
#define ITEMS 64 /* work-items of a work-group */
#endif

#define EVERY_ITEM 1 /* each work-item comes, each waits for all of them */
#define LEADER     2 /* one of each group does, the others wait for it */
#define FLAGS      3 /* no atomics: the first group looks after the others */
#define NO_BARRIER 4 /* what all else costs */
#ifndef BARRIER
#define BARRIER LEADER
#endif

/* The host reads GAVE_UP: the last launch in which a wait was in vain. */
enum { GAVE_UP, N_COME, N_WORDS };

#if BARRIER == NO_BARRIER
#define device_barrier(shared, count, launch, spin_limit)                      \
  ((void) (shared), (void) (count), (void) (launch), (void) (spin_limit))
#else

/* *@word must come to @count. */
static inline void
wait_or_give_up (volatile __global const uint *word, const uint count,
    volatile __global uint *shared, const uint launch, const uint spin_limit)
{
  if (!wait_for (word, count, shared + GAVE_UP, launch, spin_limit))
    shared[GAVE_UP] = launch;
}

/* Barrier number @count. What any work-item of the launch wrote before it, all
 * read after it, unless one gave up. Every work-item calls it, from one place,
 * in a loop or not. */
static inline void
device_barrier (volatile __global uint *shared, const uint count,
    const uint launch, const uint spin_limit)
{
  const uint n_groups = (uint) get_num_groups (0);
  const uint group = (uint) get_group_id (0);
  const uint item = (uint) get_local_id (0);

  device_fence ();

#if BARRIER == EVERY_ITEM
  atomic_inc (shared + N_COME);
  /* a CPU takes one work-item after the other from barrier to barrier: all must
   * come before one waits */
  barrier (CLK_LOCAL_MEM_FENCE);
  wait_or_give_up (shared + N_COME, count * n_groups * ITEMS, shared, launch,
      spin_limit);
  (void) group, (void) item;
#elif BARRIER == LEADER
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    atomic_inc (shared + N_COME);
    wait_or_give_up (shared + N_COME, count * n_groups, shared, launch,
        spin_limit);
  }
  (void) group;
#elif BARRIER == FLAGS
  volatile __global uint *come = shared + N_WORDS;
  volatile __global uint *go_on = come + n_groups;

  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0)
    come[group] = count;
  for (uint i = item; group == 0 && i < n_groups; i += ITEMS)
    wait_or_give_up (come + i, count, shared, launch, spin_limit);
  device_fence ();

  /* of use to the first group alone, but no barrier stands under a condition */
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint i = item; group == 0 && i < n_groups; i += ITEMS)
    go_on[i] = count;
  if (item == 0 && group != 0)
    wait_or_give_up (go_on + group, count, shared, launch, spin_limit);
#endif

  device_fence ();
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#endif

static inline uint
sum_of_three (volatile __global const uint *ring)
{
  const size_t i = get_global_id (0);
  const size_t n = get_global_size (0);

  return ring[i] + ring[(i + 1) % n] + ring[(i + 2) % n];
}

/* @n_barriers: those of all launches before. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
devicesync_ring (volatile __global uint *ring, const uint n_rounds,
    volatile __global uint *shared, const uint n_barriers, const uint launch,
    const uint spin_limit)
{
  uint sum = 0;

  for (uint i = 0; i < 2 * n_rounds; i++) {
    if (i % 2 == 0)
      sum = sum_of_three (ring);
    else
      ring[get_global_id (0)] = sum;

    device_barrier (shared, n_barriers + i + 1, launch, spin_limit);
  }
}

/* ---- several launches ---- */

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
devicesync_read (__global const uint *ring, __global uint *sums)
{
  sums[get_global_id (0)] = sum_of_three (ring);
}

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
devicesync_write (__global uint *ring, __global const uint *sums)
{
  ring[get_global_id (0)] = sums[get_global_id (0)];
}
