/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source with a small number of surfaces. */

#include "mocks/lender.h"

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
  guint n_surfaces, n_out, max_out;
} Lender;

typedef struct {
  GstPushSrcClass parent_class;
} LenderClass;

GType lender_get_type (void);
G_DEFINE_TYPE (Lender, lender, GST_TYPE_PUSH_SRC)

/* --- surfaces ------------------------------------------------------------ */

static gboolean
lender_decide_allocation (GstBaseSrc *source, GstQuery *query)
{
  Lender *self = (Lender *) source;
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
set_flushing (Lender *self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->is_flushing = flushing;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static gboolean
lender_unlock (GstBaseSrc *source)
{
  set_flushing ((Lender *) source, TRUE);

  return TRUE;
}

static gboolean
lender_unlock_stop (GstBaseSrc *source)
{
  set_flushing ((Lender *) source, FALSE);

  return TRUE;
}

static gboolean
acquire_surface (Lender *self)
{
  gboolean is_taken;

  g_mutex_lock (&self->lock);
  while (self->n_out >= self->n_surfaces && !self->is_flushing)
    g_cond_wait (&self->changed, &self->lock);
  is_taken = !self->is_flushing;
  if (is_taken) {
    self->n_out++;
    self->max_out = MAX (self->max_out, self->n_out);
  }
  g_mutex_unlock (&self->lock);

  return is_taken;
}

static void
release_surface (gpointer data, GstMiniObject *memory)
{
  Lender *self = data;

  g_mutex_lock (&self->lock);
  self->n_out--;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  gst_object_unref (self);
}

guint
lender_n_surfaces (GstElement *element)
{
  return ((Lender *) element)->n_surfaces;
}

guint
lender_max_out (GstElement *element)
{
  return ((Lender *) element)->max_out;
}

/* --- frames -------------------------------------------------------------- */

static gboolean
is_output_in_cuda_memory (Lender *self)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (GST_BASE_SRC_PAD (self));

  return gst_caps_features_contains (gst_caps_get_features (caps, 0),
      "memory:CUDAMemory");
}

static GstFlowReturn
lender_create (GstPushSrc *source, GstBuffer **out)
{
  Lender *self = (Lender *) source;
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
lender_finalize (GObject *object)
{
  Lender *self = (Lender *) object;

  gst_clear_object (&self->context);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (lender_parent_class)->finalize (object);
}

static void
lender_init (Lender *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->n_surfaces = N_EXTRA_SURFACES;
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

static void
lender_class_init (LenderClass *klass)
{
  static GstStaticPadTemplate template = GST_STATIC_PAD_TEMPLATE ("src",
      GST_PAD_SRC, GST_PAD_ALWAYS,
      GST_STATIC_CAPS (
          "video/x-raw(memory:CUDAMemory)," FORMAT ";video/x-raw," FORMAT));
  GstBaseSrcClass *source_class = GST_BASE_SRC_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = lender_finalize;
  source_class->decide_allocation = lender_decide_allocation;
  source_class->unlock = lender_unlock;
  source_class->unlock_stop = lender_unlock_stop;
  GST_PUSH_SRC_CLASS (klass)->create = lender_create;
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass),
      &template);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Lender",
      "Source/Video", "Mock of a decoder with a small number of surfaces",
      "The gst-opencl authors");
}

GstElement *
lender_new (GstObject *context, const gchar *name)
{
  Lender *self = g_object_new (lender_get_type (), "name", name, NULL);

  self->context = gst_object_ref (context);

  return GST_ELEMENT (self);
}
