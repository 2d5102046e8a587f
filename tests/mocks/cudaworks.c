/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams, in which work completes in the order of its submission. */

#include "mocks/cudaworks.h"

#include "mocks/cudaorder.h"

typedef struct {
  void (*run) (gpointer data);
  gpointer data;
} Work;

typedef struct {
  CudaMockContext *context;
  GArray *works; /* of Work: started, not complete */
} Stream;

void
cuda_stream_complete (gpointer data)
{
  Stream *stream = data;

  for (guint i = 0; i < stream->works->len; i++) {
    const Work *work = &g_array_index (stream->works, Work, i);

    work->run (work->data);
  }
  g_array_set_size (stream->works, 0);
}

static gint n_waits; /* atomic; waits of the host */

gint
cuda_n_waits (void)
{
  return g_atomic_int_get (&n_waits);
}

CudaMockContext *
cuda_stream_context (gpointer stream)
{
  return ((Stream *) stream)->context;
}

gpointer
cuda_stream_new (CudaMockContext *context)
{
  Stream *stream = g_new (Stream, 1);

  stream->context = context;
  stream->works = g_array_new (FALSE, FALSE, sizeof (Work));

  return stream;
}

void
cuda_stream_free (gpointer stream)
{
  cuda_order_waited (stream);
  g_array_unref (((Stream *) stream)->works);
  g_free (stream);
}

void
cuda_stream_start (gpointer stream, void (*work) (gpointer), gpointer data)
{
  const Work started = { work, data };

  g_array_append_val (((Stream *) stream)->works, started);
}

void
cuda_stream_finish (gpointer stream)
{
  g_atomic_int_inc (&n_waits);
  cuda_stream_complete (stream);
  cuda_order_waited (stream);
}
