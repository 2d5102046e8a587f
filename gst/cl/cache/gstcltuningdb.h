/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"

G_BEGIN_DECLS

/* The fastest of several implementations on a device, as measured, by a text
 * key. Entries are in memory, and in one readable file per device and driver,
 * in the folder of the program binaries (gstclcache.h). Calls no OpenCL
 * function, and does not know what is measured. Any thread. */
typedef struct _GstClTuningDb GstClTuningDb;

/* The maximum number of entries in the file; the oldest ones beyond it are
 * dropped. */
#define GST_CL_TUNING_DB_MAX 256

/* Creates the database; reads no file yet. @device is borrowed and must outlive
 * the database. */
GstClTuningDb *gst_cl_tuning_db_new (const GstClDevice *device);

/* Creates the database of the implementations that passed or failed their
 * self-tests; it has a file of its own. The key is the implementation, the
 * table is what its test depends on, and the name is the verdict. */
GstClTuningDb *gst_cl_tuning_db_new_for_verdicts (const GstClDevice *device);

void gst_cl_tuning_db_free (GstClTuningDb *db); /* accepts NULL */

/* Returns the name chosen under @key from @table, the list of candidates; NULL
 * if there is none, or if it was chosen from another table. The first call
 * reads the file, and after gst_cl_tuning_db_reload() the next one; an
 * unreadable file counts as empty. Does not wait for measurements. */
gchar *gst_cl_tuning_db_find (GstClTuningDb *db, const gchar *key,
    const gchar *table);

/* Stores @name, also on disk with @timings, a comment for readers of the file;
 * NULL: only in memory, since the choice may change. Entries that other
 * processes have added to the file are kept. @key must not contain brackets.
 * Returns FALSE if the file could not be written; the entry is then in memory
 * only. */
gboolean gst_cl_tuning_db_remember (GstClTuningDb *db, const gchar *key,
    const gchar *table, const gchar *name, const gchar *timings,
    GError **error);

/* Lets the next call read the file again, which another process has changed.
 * Entries in memory that are not in the file are kept. */
void gst_cl_tuning_db_reload (GstClTuningDb *db);

/* Begin and end a measurement; one thread at a time measures, other threads
 * wait. The caller calls gst_cl_tuning_db_find() again after beginning, because
 * the previous thread may have measured the same key. */
void gst_cl_tuning_db_begin_measuring (GstClTuningDb *db);
void gst_cl_tuning_db_end_measuring (GstClTuningDb *db);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClTuningDb, gst_cl_tuning_db_free)

G_END_DECLS
