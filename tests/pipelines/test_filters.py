#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every filter of the plugin on every format: what the caps of an element
accept, its kernels read and write."""
import re
import subprocess

import formats
import launch

import numpy as np

AMOUNT = 20  # in codes of 8 bits


def same(_format, _name, samples):
    return samples


def shifted(video_format, name, samples):
    depth = formats.depth(video_format)
    codes = np.minimum(samples.astype(np.uint32) + (AMOUNT << depth - 8),
                       (1 << depth) - 1)
    return formats.store(video_format, name, codes)


# Adds the amount to every sample.
KERNEL = ('__kernel void k (GST_CL_IN (in), GST_CL_OUT (out)) '
          '{ const int x = get_global_id (0), y = get_global_id (1); '
          'for (int c = 0; c < gst_cl_components (in); c++) '
          'gst_cl_store (out, c, x, y, gst_cl_load (in, c, x, y) + '
          f'({AMOUNT} << gst_cl_depth (in) - 8)); }}')

# A launch line for each filter, and what it does to the codes of a component.
FILTERS = {
    'clupload': ('clupload ! cldownload', same),
    'cldownload': ('clupload ! cldownload', same),
    'clframesum': ('clframesum statistics=moments post-messages=false', same),
    'clkernel': (f'clkernel source="{KERNEL}"', shifted),
    'cllocalmean': ('cllocalmean kernel-width=1 kernel-height=1', same),
}
# These output no frame of the format of their input, or have several inputs.
OTHERS = {'clcompare', 'clintegral', 'clkernelmix', 'clscope'}


class FilterTest(launch.PipelineTest):
    def test_each_has_a_row(self):
        plugin = subprocess.run(['gst-inspect-1.0', 'opencl'], check=True,
                                text=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(set(re.findall(r'^  (\w+): ', plugin, re.M)),
                         FILTERS.keys() | OTHERS)

    def test_filters(self):
        self.check(dict.fromkeys(FILTERS.values()))

    def check(self, filters):
        jobs = [(line, expected, video_format, size)
                for line, expected in filters
                for video_format, size in formats.CASES]
        played = self.filter_clips([(line, video_format, *size, 1)
                                    for line, _, video_format, size in jobs])
        for (line, expected, video_format, size), (frames, data) in zip(
                jobs, played):
            with self.subTest(line=line, format=video_format, size=size):
                results = formats.read_frames(data, video_format, *size)
                for (name, samples), (_, actual) in zip(frames[0], results[0]):
                    self.assert_equal_arrays(
                        actual, expected(video_format, name, samples), name)


if __name__ == '__main__':
    launch.main()
