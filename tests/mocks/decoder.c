/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source with a small number of surfaces. */

#include "mocks/decoder.h"

#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>
#include <string.h>

#include "mocks/gstcuda.h"

#define WIDTH            64
#define HEIGHT           48
#define N_EXTRA_SURFACES 2 /* surfaces in addition to the requested ones */
#define FORMAT           "format=GRAY8,width=64,height=48,framerate=25/1"

typedef struct {
  GstPushSrc parent;
  GstObject *context;
  guint64 n_frames; /* streaming thread */

  GMutex lock; /* for the members below */
  GCond changed;
  gboolean is_flushing;
  guint n_surfaces, n_in_use, max_in_use;
} MockDecoder;

typedef struct {
  GstPushSrcClass parent_class;
} MockDecoderClass;

GType mock_decoder_get_type (void);
G_DEFINE_TYPE (MockDecoder, mock_decoder, GST_TYPE_PUSH_SRC)

/* --- surfaces ------------------------------------------------------------ */

static gboolean
mock_decoder_decide_allocation (GstBaseSrc *source, GstQuery *query)
{
  MockDecoder *self = (MockDecoder *) source;
  guint min_buffers = 0;

  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min_buffers,
        NULL);
  g_mutex_lock (&self->lock);
  self->n_surfaces = min_buffers + N_EXTRA_SURFACES;
  g_mutex_unlock (&self->lock);

  return TRUE;
}

static void
set_flushing (MockDecoder *self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->is_flushing = flushing;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static gboolean
mock_decoder_unlock (GstBaseSrc *source)
{
  set_flushing ((MockDecoder *) source, TRUE);

  return TRUE;
}

static gboolean
mock_decoder_unlock_stop (GstBaseSrc *source)
{
  set_flushing ((MockDecoder *) source, FALSE);

  return TRUE;
}

static gboolean
acquire_surface (MockDecoder *self)
{
  gboolean is_acquired;

  g_mutex_lock (&self->lock);
  while (self->n_in_use >= self->n_surfaces && !self->is_flushing)
    g_cond_wait (&self->changed, &self->lock);
  is_acquired = !self->is_flushing;
  if (is_acquired) {
    self->n_in_use++;
    self->max_in_use = MAX (self->max_in_use, self->n_in_use);
  }
  g_mutex_unlock (&self->lock);

  return is_acquired;
}

static void
release_surface (gpointer data, GstMiniObject *memory)
{
  MockDecoder *self = data;

  g_mutex_lock (&self->lock);
  self->n_in_use--;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  gst_object_unref (self);
}

guint
mock_decoder_n_surfaces (GstElement *element)
{
  return ((MockDecoder *) element)->n_surfaces;
}

guint
mock_decoder_max_in_use (GstElement *element)
{
  return ((MockDecoder *) element)->max_in_use;
}

/* --- frames -------------------------------------------------------------- */

static gboolean
is_output_in_cuda_memory (MockDecoder *self)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (GST_BASE_SRC_PAD (self));

  return gst_caps_features_contains (gst_caps_get_features (caps, 0),
      "memory:CUDAMemory");
}

static GstFlowReturn
mock_decoder_create (GstPushSrc *source, GstBuffer **out)
{
  MockDecoder *self = (MockDecoder *) source;
  g_autoptr (GstBuffer) frame = NULL;

  if (!acquire_surface (self))
    return GST_FLOW_FLUSHING;

  frame = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);
  gst_buffer_memset (frame, 0, (guint8) self->n_frames, WIDTH * HEIGHT);
  GST_BUFFER_PTS (frame) = self->n_frames++ * 40 * GST_MSECOND;
  *out = is_output_in_cuda_memory (self)
             ? cuda_buffer_new (self->context, frame)
             : gst_buffer_ref (frame);
  gst_mini_object_weak_ref (
      GST_MINI_OBJECT_CAST (gst_buffer_peek_memory (*out, 0)), release_surface,
      gst_object_ref (self));

  return GST_FLOW_OK;
}

/* --- life cycle ---------------------------------------------------------- */

static void
mock_decoder_finalize (GObject *object)
{
  MockDecoder *self = (MockDecoder *) object;

  gst_clear_object (&self->context);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (mock_decoder_parent_class)->finalize (object);
}

static void
mock_decoder_init (MockDecoder *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->n_surfaces = N_EXTRA_SURFACES;
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

static void
mock_decoder_class_init (MockDecoderClass *klass)
{
  static GstStaticPadTemplate template = GST_STATIC_PAD_TEMPLATE ("src",
      GST_PAD_SRC, GST_PAD_ALWAYS,
      GST_STATIC_CAPS (
          "video/x-raw(memory:CUDAMemory)," FORMAT ";video/x-raw," FORMAT));
  GstBaseSrcClass *source_class = GST_BASE_SRC_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = mock_decoder_finalize;
  source_class->decide_allocation = mock_decoder_decide_allocation;
  source_class->unlock = mock_decoder_unlock;
  source_class->unlock_stop = mock_decoder_unlock_stop;
  GST_PUSH_SRC_CLASS (klass)->create = mock_decoder_create;
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass),
      &template);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Mock decoder", "Source/Video",
      "Mock of a decoder with a small number of surfaces",
      "The gst-opencl authors");
}

GstElement *
mock_decoder_new (GstObject *context, const gchar *name)
{
  MockDecoder *self = g_object_new (mock_decoder_get_type (), "name", name,
      NULL);

  self->context = gst_object_ref (context);

  return GST_ELEMENT (self);
}
