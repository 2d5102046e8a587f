#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which elements write their frames into the pinned memory that the plugin
offers, and for which elements the host copies frames there, as listed in
docs/memory.md. In discrete mode."""
import os
import re
import tempfile
import unittest

import launch

os.environ.update(GST_OPENCL_HOST_UNIFIED='0', GST_DEBUG='climport:5',
                  GST_DEBUG_NO_COLOR='1')

SMALL = 'video/x-raw,format=I420,width=642,height=482'
TEST = f'videotestsrc num-buffers=8 ! {SMALL}'
H264 = launch.ROOT / 'tests/data/testsrc.h264'

# The plugin's memory is used.
TAKERS = [
    TEST,
    f'{TEST} ! queue ! identity ! videorate ! '
    'video/x-raw,framerate=30/1',
    f'{TEST} ! videoconvert ! video/x-raw,format=NV12',
    f'{TEST} ! videoscale ! video/x-raw,width=322',
    f'{TEST} ! videoflip method=clockwise',
    f'{TEST} ! compositor',
    f'{TEST} ! jpegenc ! jpegdec',
    f'{TEST} ! rtpvrawpay ! rtpvrawdepay',
    f'filesrc location="{launch.CLIP}" ! decodebin',
    f'filesrc location="{H264}" ! h264parse ! avdec_h264',
    f'uridecodebin uri="file://{H264}" ! videoconvert ! queue',
    # an element of the plugin before a tee uses it for all branches
    f'{TEST} ! cldownload ! tee name=t t. ! queue ! fakesink t. ! queue',
]

LONG = f'videotestsrc num-buffers=60 ! {SMALL}'

# Foreign memory: each used once, or recurring buffers.
ONCE = 'filesrc location=FILE ! rawvideoparse width=642 height=482 format=i420'
AGAIN = [
    # few buffers wait, so that they recur, whichever thread is late
    f'{LONG} ! tee name=t t. ! queue max-size-buffers=3 ! fakesink '
    't. ! queue max-size-buffers=3',
    f'{TEST} ! imagefreeze num-buffers=8',
]

COPIED = 'pinned host memory, copied there by the CPU'
REGISTERED = 'registered host memory'


class SourcesTest(unittest.TestCase):
    def paths(self, source):
        """Returns the import path of the frames of @source."""
        # without a meta no buffer is copied, so that all return to their pool
        out = launch.run(f'-q {source} ! clframesum stats-meta=false ! '
                         'fakesink')
        return set(re.findall('frames are imported by (.*)', out))

    def test_elements_that_use_offered_memory(self):
        for source in TAKERS:
            with self.subTest(source=source):
                self.assertEqual(self.paths(source), {'pinned host memory'})

    def test_elements_with_other_memory(self):
        with tempfile.NamedTemporaryFile() as file:
            launch.run(f'{LONG} ! filesink location={file.name}')
            self.assertEqual(self.paths(ONCE.replace('FILE', file.name)),
                             {COPIED})

    def test_elements_with_recurring_memory(self):
        for source in AGAIN:
            with self.subTest(source=source):
                self.assertEqual(self.paths(source), {COPIED, REGISTERED})


if __name__ == '__main__':
    launch.main()
