/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No free memory to share with CUDA, or no free file descriptor: frames are
 * copied through the host, and the plugin tries to allocate again some seconds
 * later, whatever the number of frames. CUDA's driver, GStreamer's CUDA
 * library, the import of CUDA memory and the clock are mocks. */

#include "elements/common.h"
#include "elements/frames.h"
#include "memory/cudafixture.h"
#include "memory/cudastream.h"
#include "memory/importcontext.h"
#include "mocks/clock.h"
#include "mocks/cuda.h"
#include "mocks/gstcuda.h"
#include "suite.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define N_FRAMES    300
#define N_IN_FLIGHT 3
#define LATER_US    (11 * G_USEC_PER_SEC)

static guint64
bytes_within (GstHarness *h)
{
  return import_context_bytes (h, "bytes-within-device");
}

/* Measures @frame, and checks whether it used the import path of CUDA memory
 * (@imports) or was copied through the host. */
static void
expect_import (GstHarness *h, GstBuffer *frame, gboolean imports)
{
  const guint64 n_bytes = bytes_within (h);

  g_free (cuda_measure (h, frame, cuda));
  fail_unless_equals_int (bytes_within (h) > n_bytes, imports);
}

/* There is no free memory for the import check, or later for larger frames. */
LOOP_TEST (memory_is_allocated_again_later, 2)
{
  const gboolean is_for_check = __i__ == 0;
  GstVideoInfo info;
  GstHarness *h = cuda_harness_new ("clframesum", CUDA_FEATURE, &info,
      GST_VIDEO_FORMAT_GRAY8, 64, 48);
  g_autoptr (GstBuffer) small = frame_new (&info, 0);
  g_autoptr (GstBuffer) large = NULL;
  const gint n_refused = cuda_n_refused ();

  clock_hold (); /* frames of a slow machine are not later either */
  if (!is_for_check)
    expect_import (h, small, TRUE);
  cuda_set_fault (CUDA_HAS_NO_MEMORY);
  cuda_set_caps (h, CUDA_FEATURE, &info, GST_VIDEO_FORMAT_GRAY8, 640, 480);
  large = frame_new (&info, 0);
  for (guint i = 0; i < N_FRAMES; i++)
    expect_import (h, large, FALSE);
  fail_unless_equals_int (cuda_n_refused () - n_refused,
      is_for_check ? 1 : N_IN_FLIGHT);
  fail_unless (cuda_is_offered (h));

  cuda_set_fault (CUDA_WORKS);
  expect_import (h, large, FALSE);
  clock_advance (LATER_US);
  for (guint i = 0; i < N_IN_FLIGHT; i++)
    expect_import (h, large, TRUE);
  harness_free (h);
}

/* --- file descriptors ---------------------------------------------------- */

#define MAX_DESCRIPTORS 512

typedef struct {
  struct rlimit before;
  int taken[MAX_DESCRIPTORS];
  guint n_taken;
} Descriptors;

/* Opens files until the process can open only @n_left more. */
static void
use_up_descriptors (Descriptors *self, guint n_left)
{
  struct rlimit limit;

  fail_unless (getrlimit (RLIMIT_NOFILE, &self->before) == 0);
  limit = self->before;
  limit.rlim_cur = MAX_DESCRIPTORS;
  fail_unless (setrlimit (RLIMIT_NOFILE, &limit) == 0);
  for (self->n_taken = 0; self->n_taken < MAX_DESCRIPTORS; self->n_taken++) {
    self->taken[self->n_taken] = open ("/dev/null", O_RDONLY);
    if (self->taken[self->n_taken] < 0)
      break;
  }
  fail_unless (self->n_taken > n_left && self->n_taken < MAX_DESCRIPTORS);
  while (n_left-- > 0)
    close (self->taken[--self->n_taken]);
}

static void
release_descriptors (Descriptors *self)
{
  while (self->n_taken > 0)
    close (self->taken[--self->n_taken]);
  fail_unless (setrlimit (RLIMIT_NOFILE, &self->before) == 0);
}

/* There is no file descriptor for the memory, or none for its export. */
LOOP_TEST (descriptors_are_used_again_later, 2)
{
  GstObject *other = cuda_context_new (1);
  Descriptors descriptors;
  GstVideoInfo info;
  GstHarness *h = cuda_harness_new ("clframesum", CUDA_FEATURE, &info,
      GST_VIDEO_FORMAT_GRAY8, 64, 48);
  g_autoptr (GstBuffer) frame = frame_new (&info, 0);

  /* loads the kernels, which needs descriptors */
  g_free (cuda_measure (h, frame, other));
  use_up_descriptors (&descriptors, (guint) __i__);
  for (guint i = 0; i < 2 * N_IN_FLIGHT; i++)
    expect_import (h, frame, FALSE);
  fail_unless (cuda_is_offered (h));
  release_descriptors (&descriptors);

  expect_import (h, frame, FALSE);
  clock_advance (LATER_US);
  expect_import (h, frame, TRUE);
  harness_free (h);
  gst_object_unref (other);
}

SUITE (CUDA_SUITE);
