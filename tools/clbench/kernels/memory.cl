/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clbench/memory.cl: tests of the memory order that kernels rely on, and
 * kernels without the operation that guarantees it
 *
 * Math      Message value m of a work-item i is (64 m + i) ^ seed. Atomics:
 *           work-item i applies the value (i n_rounds + r) PRIME + seed of
 *           round r to its cell, or adds 1 and sums up the numbers that the
 *           atomic returns. A step of the chain of launches: x'(i) = 5 x(i + n
 *           / 2 + 1) + i, around a ring. Histogram: of the upper bytes of those
 *           values. Exchange: x'(i) = 3 x(i) + x(n - 1 - i) within a
 *           work-group.
 * Shape     Groups of one work-item (post), of ITEMS, or of EXCHANGE_ITEMS.
 * Units     All words are of 32 bits, modulo 2^32.
 * Memory    shared: words that work-items exchange. results: the results of the
 *           checks, and the contents of messages. memorylitmus.c has the
 *           layout. The host fills both before a run.
 * Launch    Local (1, 1, 1), (ITEMS, 1, 1), (EXCHANGE_ITEMS, 1, 1). Groups that
 *           wait for each other are pairs, and no more than compute units.
 * Range     Waits end after @limit reads; a work-item that gives up sets
 *           shared[0].
 * Accuracy  Integers are exact. The reference is
 *           tools/clbench/src/memoryreference.c.
 * Source    Message passing as in Alglave et al., "GPU concurrency: weak
 *           behaviours and programming assumptions", 2015; the other tests are
 *           patterns of the plugin's kernels.
 */

#include "cl_common.clh"
#include "cl_memory.clh"

#define ITEMS          64
#define EXCHANGE_ITEMS 256
#define LINE           32 /* words, of which two groups use at most one */
#define LOCAL_CELLS    8
#define PER_BARRIER    8 /* local atomics between two barriers */
#define N_BINS         256
#define PRIME          0x9E3779B1u

/* Constants that memoryreference.h shares. */
#define WITH_RESULT 1 /* the returned value of an atomic is used */
#define PLAIN       2 /* no atomic, but a read and a write */
#define ADD         4
#define MIN         8
#define MAX         16
#define PLAIN_COUNT 1
#define PLAIN_MERGE 2

#define NO_BARRIER(flags)

/* Arguments of every kernel: one host function launches them all. */
#define MAYBE_UNUSED __attribute__ ((unused))
#define NUMBERS                                                                \
  MAYBE_UNUSED const uint n_rounds, MAYBE_UNUSED const uint seed,              \
      MAYBE_UNUSED const uint operation, MAYBE_UNUSED const uint limit
#define ARGUMENTS                                                              \
  MAYBE_UNUSED volatile __global uint *shared,                                 \
      MAYBE_UNUSED __global uint *results, NUMBERS

/* ---- messages from one group of a pair to the other ---- */

enum { GAVE_UP = 0, SENT = LINE, SEEN = 2 * LINE, PAIR_WORDS = 2 * LINE };

static inline uint
message_value (const uint message, const uint item, const uint seed)
{
  return (message * ITEMS + item) ^ seed;
}

/* Polls *@word until it is @count or greater, or until any work-item has given
 * up. */
static inline bool
wait_acquire (volatile __global const uint *word, const uint count,
    volatile __global uint *shared, const uint limit)
{
  for (uint i = 0; i < limit; i++) {
    if ((int) (load_acquire_global (word) - count) >= 0)
      return true;
    if (load_global (shared + GAVE_UP))
      return false;
  }
  exchange_global (shared + GAVE_UP, 1);

  return false;
}

/* The even groups write words, the odd ones read them. results: the word of
 * each pair, then for each pair the number of wrong words and of words that
 * arrived. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
memory_post (ARGUMENTS)
{
  const uint pair = (uint) get_group_id (0) / 2;
  const uint n_pairs = (uint) get_num_groups (0) / 2;
  volatile __global uint *sent = shared + SENT + pair * PAIR_WORDS;
  volatile __global uint *seen = shared + SEEN + pair * PAIR_WORDS;
  __global uint *word = results + pair * LINE;
  __global uint *found = results + (n_pairs + pair) * LINE;
  uint n_wrong = 0, n_arrived = 0;

  if (get_group_id (0) % 2 == 0) {
    for (uint m = 1; m <= n_rounds; m++) {
      *word = message_value (m, pair, seed);
      store_release_global (sent, m);
      if (!wait_acquire (seen, m, shared, limit))
        break;
    }
  } else {
    for (uint m = 1; m <= n_rounds; m++) {
      if (!wait_acquire (sent, m, shared, limit))
        break;
      n_wrong += *word != message_value (m, pair, seed);
      n_arrived++;
      store_release_global (seen, m);
    }
    found[0] = n_wrong;
    found[1] = n_arrived;
  }
}

/* Broken: nothing orders word and flags. A group reads flags @limit times at
 * most; no group gives up. A flag that is not volatile is only detected without
 * a fence, after which it is read again. */
#define POST_BROKEN(name, FLAG)                                                \
  __kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void name (        \
      FLAG __global uint *restrict shared, __global uint *restrict results,    \
      NUMBERS)                                                                 \
  {                                                                            \
    const uint pair = (uint) get_group_id (0) / 2;                             \
    const uint n_pairs = (uint) get_num_groups (0) / 2;                        \
    FLAG __global uint *sent = shared + SENT + pair * PAIR_WORDS;              \
    FLAG __global uint *seen = shared + SEEN + pair * PAIR_WORDS;              \
    __global uint *word = results + pair * LINE;                               \
    __global uint *found = results + (n_pairs + pair) * LINE;                  \
    uint n_wrong = 0, n_arrived = 0, n_polls = 0;                              \
                                                                               \
    if (get_group_id (0) % 2 == 0) {                                           \
      for (uint m = 1; m <= n_rounds; m++) {                                   \
        *word = message_value (m, pair, seed);                                 \
        *sent = m;                                                             \
        while (n_polls < limit && *seen < m)                                   \
          n_polls++;                                                           \
      }                                                                        \
    } else {                                                                   \
      for (uint m = 1; m <= n_rounds; m++) {                                   \
        while (n_polls < limit && *sent < m)                                   \
          n_polls++;                                                           \
        const uint value = *word;                                              \
        const uint has_arrived = n_polls < limit;                              \
        n_wrong += has_arrived & (value != message_value (m, pair, seed));     \
        n_arrived += has_arrived;                                              \
        *seen = m;                                                             \
      }                                                                        \
      found[0] = n_wrong;                                                      \
      found[1] = n_arrived;                                                    \
    }                                                                          \
  }

POST_BROKEN (memory_post_no_fence, volatile)
POST_BROKEN (memory_post_not_volatile, )

/* Called by the leader of each group. Sets *@flag to message number @m if the
 * flag @is_own; otherwise waits until the other group has done so. Returns 1 if
 * the wait succeeded, otherwise 0. */
static inline uint
pass_flag (volatile __global uint *flag, const bool is_own, const uint m,
    volatile __global uint *shared, const uint limit)
{
  if (is_own) {
    exchange_global (flag, m);
    return 0;
  }
  if (wait_for (flag, m, shared + GAVE_UP, 1, limit))
    return 1;
  exchange_global (shared + GAVE_UP, 1);

  return 0;
}

/* Each work-item writes or reads one word; leaders exchange the flags. results:
 * the words of each pair, the number of wrong words of each work-item, and of
 * words that arrived. Both groups of a pair reach the same barriers. Only the
 * barrier is broken: words are volatile in all of these kernels. */
#define MESSAGES(name, BARRIER)                                                \
  __kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void name (    \
      ARGUMENTS)                                                               \
  {                                                                            \
    const uint item = (uint) get_local_id (0);                                 \
    const uint pair = (uint) get_group_id (0) / 2;                             \
    const uint n_pairs = (uint) get_num_groups (0) / 2;                        \
    const bool is_writer = get_group_id (0) % 2 == 0;                          \
    volatile __global uint *sent = shared + SENT + pair * PAIR_WORDS;          \
    volatile __global uint *seen = shared + SEEN + pair * PAIR_WORDS;          \
    volatile __global uint *word = results + pair * ITEMS + item;              \
    uint n_wrong = 0, n_arrived = 0;                                           \
                                                                               \
    for (uint m = 1; m <= n_rounds; m++) {                                     \
      if (is_writer)                                                           \
        *word = message_value (m, item, seed);                                 \
      BARRIER (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                    \
      if (item == 0)                                                           \
        n_arrived += pass_flag (sent, is_writer, m, shared, limit);            \
      BARRIER (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                    \
      if (!is_writer)                                                          \
        n_wrong += *word != message_value (m, item, seed);                     \
      BARRIER (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                    \
      if (item == 0)                                                           \
        pass_flag (seen, !is_writer, m, shared, limit);                        \
      BARRIER (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                    \
    }                                                                          \
                                                                               \
    if (!is_writer) {                                                          \
      results[(n_pairs + pair) * ITEMS + item] = n_wrong;                      \
      if (item == 0)                                                           \
        results[(2 * n_pairs + pair) * ITEMS] = n_arrived;                     \
    }                                                                          \
  }

MESSAGES (memory_message, barrier_device)
MESSAGES (memory_message_group, barrier_group)
MESSAGES (memory_message_no_barrier, NO_BARRIER)

/* ---- order of launches ---- */

/* results[i] of a step from shared; the host swaps the two. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
memory_launches (ARGUMENTS)
{
  const uint n = (uint) get_global_size (0);
  const uint i = (uint) get_global_id (0);

  results[i] = 5 * shared[(i + n / 2 + 1) % n] + i;
}

/* Broken: all steps in one launch, as if all groups ran in lockstep. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
memory_one_launch (ARGUMENTS)
{
  const uint n = (uint) get_global_size (0);
  const uint i = (uint) get_global_id (0);
  volatile __global uint *from = shared, *to = results;

  for (uint r = 0; r < n_rounds; r++) {
    volatile __global uint *last = from;

    to[i] = 5 * from[(i + n / 2 + 1) % n] + i;
    from = to;
    to = last;
    barrier (CLK_GLOBAL_MEM_FENCE);
  }
}

/* ---- atomics ---- */

static inline uint
round_value (const uint item, const uint round, const uint n_rounds,
    const uint seed)
{
  return (item * n_rounds + round) * PRIME + seed;
}

/* Returns the value of a cell after the operation with @value, from its value
 * @before. */
static inline uint
new_value (const uint before, const uint value, const uint operation)
{
  if (operation & MIN)
    return min (before, value);
  if (operation & MAX)
    return max (before, value);

  return before + value;
}

/* Returns the number that a work-item adds to its total when an atomic returns
 * @before: @before itself for a count; otherwise 1 if @before contradicts @own,
 * the least (or greatest) value that the work-item has written. */
static inline uint
total_term (const uint before, const uint own, const uint operation)
{
  if (operation & MIN)
    return before > own;
  if (operation & MAX)
    return before < own;

  return before;
}

/* The rounds of a work-item on *@cell, by the atomics of memory @space. With
 * the result, the next value depends on it, though it never changes: counts
 * stay below 2^31. */
#define ROUNDS_WITHOUT(space, function)                                        \
  for (uint r = first; r < last; r++)                                          \
  function##_##space (cell, round_value (item, r, n_rounds, seed))

#define ROUNDS_WITH(space, function)                                           \
  for (uint r = first; r < last; r++) {                                        \
    const uint value = operation & ADD                                         \
                           ? 1 + (before >> 31)                                \
                           : round_value (item, r, n_rounds, seed);            \
                                                                               \
    before = function##_##space (cell, value);                                 \
    total += total_term (before, own, operation);                              \
    own = operation & ADD ? own : new_value (own, value, operation);           \
  }

#define ROUNDS(space)                                                          \
  switch (operation) {                                                         \
    case ADD:                                                                  \
      ROUNDS_WITHOUT (space, add);                                             \
      break;                                                                   \
    case MIN:                                                                  \
      ROUNDS_WITHOUT (space, min);                                             \
      break;                                                                   \
    case MAX:                                                                  \
      ROUNDS_WITHOUT (space, max);                                             \
      break;                                                                   \
    case ADD | WITH_RESULT:                                                    \
      ROUNDS_WITH (space, add);                                                \
      break;                                                                   \
    case MIN | WITH_RESULT:                                                    \
      ROUNDS_WITH (space, min);                                                \
      break;                                                                   \
    case MAX | WITH_RESULT:                                                    \
      ROUNDS_WITH (space, max);                                                \
      break;                                                                   \
  }

/* The rounds of a work-item on @before, a private copy of the cell. */
#define PLAIN_ROUNDS                                                           \
  for (uint r = first; r < last; r++) {                                        \
    const uint value = (operation & ADD) && (operation & WITH_RESULT)          \
                           ? 1                                                 \
                           : round_value (item, r, n_rounds, seed);            \
                                                                               \
    total += total_term (before, own, operation);                              \
    before = new_value (before, value, operation);                             \
    own = operation & ADD ? own : new_value (own, value, operation);           \
  }

/* Both kernels are broken if the operation is PLAIN: other work-items run
 * between a read and the write that follows. A barrier between them makes sure
 * of it, also on devices that run one work-item after the other from barrier to
 * barrier. */

/* shared: a cell for each work-item of a group, used by all groups. results:
 * the total of each work-item. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
memory_global (ARGUMENTS)
{
  const uint item = (uint) get_global_id (0);
  const uint first = 0, last = n_rounds;
  const bool is_plain = operation & PLAIN;
  volatile __global uint *cell = shared + get_local_id (0);
  uint own = operation & MIN ? UINT_MAX : 0, before = 0, total = 0;

  if (is_plain)
    before = *cell;
  barrier_group (CLK_GLOBAL_MEM_FENCE);

  if (is_plain) {
    PLAIN_ROUNDS
    *cell = before;
  } else {
    ROUNDS (global)
  }
  results[item] = operation & WITH_RESULT ? total : 0;
}

/* shared: LOCAL_CELLS for each group, which are in local memory until the end.
 * results: the total of each work-item. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
memory_local (ARGUMENTS)
{
  __local uint cells[LOCAL_CELLS];
  const uint item = (uint) get_global_id (0);
  const uint place = (uint) get_local_id (0) % LOCAL_CELLS;
  const uint group_cells = (uint) get_group_id (0) * LOCAL_CELLS;
  const bool is_plain = operation & PLAIN;
  volatile __local uint *cell = &cells[place];
  uint own = operation & MIN ? UINT_MAX : 0, before = 0, total = 0;

  if (get_local_id (0) < LOCAL_CELLS)
    cells[place] = shared[group_cells + place];
  barrier_group (CLK_LOCAL_MEM_FENCE);

  for (uint first = 0; first < n_rounds; first += PER_BARRIER) {
    const uint last = first + PER_BARRIER;

    if (is_plain)
      before = *cell;
    barrier_group (CLK_LOCAL_MEM_FENCE);
    if (is_plain) {
      PLAIN_ROUNDS
      *cell = before;
    } else {
      ROUNDS (local)
    }
    barrier_group (CLK_LOCAL_MEM_FENCE);
  }

  if (get_local_id (0) < LOCAL_CELLS)
    shared[group_cells + place] = cells[place];
  results[item] = operation & WITH_RESULT ? total : 0;
}

/* ---- histogram ---- */

/* shared: the bins of all groups. Each group counts in bins of its own. */
#define HISTOGRAM(name, BARRIER)                                               \
  __kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void name (    \
      ARGUMENTS)                                                               \
  {                                                                            \
    __local uint bins[N_BINS];                                                 \
    const uint item = (uint) get_global_id (0);                                \
    const uint own = (uint) get_local_id (0);                                  \
    uint before[N_BINS / ITEMS] = { 0 };                                       \
                                                                               \
    for (uint k = 0; k < N_BINS / ITEMS; k++) {                                \
      bins[own + k * ITEMS] = 0;                                               \
      if (operation & PLAIN_MERGE)                                             \
        before[k] = shared[own + k * ITEMS];                                   \
    }                                                                          \
    BARRIER (CLK_LOCAL_MEM_FENCE);                                             \
                                                                               \
    for (uint r = 0; r < n_rounds; r++) {                                      \
      const uint bin = round_value (item, r, n_rounds, seed) >> 24;            \
                                                                               \
      if (operation & PLAIN_COUNT)                                             \
        bins[bin]++;                                                           \
      else                                                                     \
        count_local (&bins[bin]);                                              \
    }                                                                          \
    BARRIER (CLK_LOCAL_MEM_FENCE);                                             \
                                                                               \
    for (uint k = 0; k < N_BINS / ITEMS; k++) {                                \
      const uint bin = own + k * ITEMS;                                        \
                                                                               \
      if (operation & PLAIN_MERGE)                                             \
        shared[bin] = before[k] + bins[bin];                                   \
      else                                                                     \
        add_global (&shared[bin], bins[bin]);                                  \
    }                                                                          \
  }

HISTOGRAM (memory_histogram, barrier_group)
HISTOGRAM (memory_histogram_no_barrier, NO_BARRIER)

/* ---- barriers of a group ---- */

/* results: the final word of each work-item. */
#define EXCHANGE(name, LINE_OF_GROUP, BARRIER)                                 \
  __kernel __attribute__ ((reqd_work_group_size (EXCHANGE_ITEMS, 1, 1))) void  \
  name (ARGUMENTS)                                                             \
  {                                                                            \
    LINE_OF_GROUP;                                                             \
    const uint item = (uint) get_local_id (0);                                 \
    uint own = (uint) get_global_id (0) * PRIME + seed;                        \
                                                                               \
    for (uint r = 0; r < n_rounds; r++) {                                      \
      line[item] = own;                                                        \
      BARRIER;                                                                 \
      own = 3 * own + READ_ONCE (line[EXCHANGE_ITEMS - 1 - item]);             \
      BARRIER;                                                                 \
    }                                                                          \
    results[get_global_id (0)] = own;                                          \
  }

#define LOCAL_LINE __local uint line[EXCHANGE_ITEMS]
#define GLOBAL_LINE                                                            \
  volatile __global uint *line = shared + get_group_id (0) * EXCHANGE_ITEMS

EXCHANGE (memory_exchange_local, LOCAL_LINE,
    barrier_group (CLK_LOCAL_MEM_FENCE))
EXCHANGE (memory_exchange_local_no_barrier, LOCAL_LINE, NO_BARRIER (0))
EXCHANGE (memory_exchange_global, GLOBAL_LINE,
    barrier_group (CLK_GLOBAL_MEM_FENCE))
EXCHANGE (memory_exchange_global_no_barrier, GLOBAL_LINE, NO_BARRIER (0))
