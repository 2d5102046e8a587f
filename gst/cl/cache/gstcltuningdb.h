/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"

G_BEGIN_DECLS

/* Which of several ways to do the same was measured to be the fastest on a
 * device, by a key in words: in memory, and in one readable file for each
 * device and driver, beside the binaries of programs (gstclcache.h). Knows no
 * OpenCL call, and not what is measured. Any thread. */
typedef struct _GstClTuningDb GstClTuningDb;

/* Entries that the file holds; the oldest beyond this are dropped. */
#define GST_CL_TUNING_DB_MAX 256

/* Reads nothing yet. @device stays the caller's and must live as long. */
GstClTuningDb *gst_cl_tuning_db_new (const GstClDevice *device);

/* The like for which implementations give right results: a file of its own,
 * beside the other. The key is the implementation, the table is what its test
 * depends on, the name is the verdict. */
GstClTuningDb *gst_cl_tuning_db_new_for_verdicts (const GstClDevice *device);

void gst_cl_tuning_db_free (GstClTuningDb *db); /* accepts NULL */

/* The name chosen under @key from @table, which lists what there was to choose
 * from; NULL if there is none, or if it was chosen from another table. The file
 * is read at the first call, once: one that cannot be read is as none. Waits
 * for nobody who measures. */
gchar *gst_cl_tuning_db_find (GstClTuningDb *db, const gchar *key,
    const gchar *table);

/* Remembers @name, and on disk too if @is_final; @timings is for who reads the
 * file. What other processes have put there meanwhile stays. @key has no
 * brackets. FALSE if it could not be written: it is remembered in memory. */
gboolean gst_cl_tuning_db_remember (GstClTuningDb *db, const gchar *key,
    const gchar *table, const gchar *name, const gchar *timings,
    gboolean is_final, GError **error);

/* Only one thread at a time is between these two; others wait. Who measures
 * calls them around it, so that no measurement disturbs another, and looks
 * again once begun: the one before may have measured the same. */
void gst_cl_tuning_db_begin_measuring (GstClTuningDb *db);
void gst_cl_tuning_db_end_measuring (GstClTuningDb *db);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClTuningDb, gst_cl_tuning_db_free)

G_END_DECLS
