#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""On a host-unified device no byte of a frame is copied, whatever element
produces the frames."""
import filecmp
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock

import launch

PIPELINE = os.path.join(os.environ['BUILD_DIR'], 'tests/bench/pipeline')

LINES = [
    'videotestsrc num-buffers=20 ! cllocalmean ! fakesink',
    'videotestsrc num-buffers=20 ! video/x-raw,format=I420,width=641,'
    'height=359 ! clupload ! clintegral ! cllocalmean ! cldownload ! fakesink',
    'videotestsrc num-buffers=20 ! video/x-raw,format=RGB,width=333 ! '
    'tee name=t t. ! queue ! clframesum stats-meta=false ! fakesink '
    't. ! queue ! cllocalmean ! fakesink',
    f'filesrc location="{launch.CLIP}" ! decodebin ! clframesum ! fakesink',
    f'filesrc location="{launch.CLIP}" ! decodebin ! clframesum '
    'stats-meta=false ! fakesink',
    f'filesrc location="{launch.CLIP}" ! decodebin ! videoconvert ! '
    'cllocalmean ! clframesum ! fakesink',
]


class ZeroCopyTest(unittest.TestCase):
    def moved(self, line, **environment):
        result = json.loads(subprocess.run(
            [PIPELINE, line], text=True, timeout=60, check=True,
            stdout=subprocess.PIPE, env=os.environ | environment).stdout)
        self.assertGreaterEqual(result['frames'], 20)
        self.assertTrue(result['device'])
        return result['to_device'], result['from_device']

    def test_nothing_is_copied(self):
        for line in LINES:
            with self.subTest(line=line):
                self.assertEqual(self.moved(line), (0, 0))

    def test_device_memory_on_request(self):
        """clframesum passes frames unchanged, and uploads them if downstream
        accepts device memory only."""
        source = ('videotestsrc num-buffers=3 ! '
                  'video/x-raw,format=I420,width=32,height=18 ! ')
        device = '"video/x-raw(memory:OpenCLMemory)"'
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        before, after = f'{folder}/before.raw', f'{folder}/after.raw'
        launch.run(f'-q {source} filesink location={before}')
        for unified in '0', '1':
            variables = {'GST_OPENCL_HOST_UNIFIED': unified}
            with unittest.mock.patch.dict(os.environ, variables):
                launch.run(f'-q {source} clframesum ! {device} ! cldownload ! '
                           f'video/x-raw ! filesink location={after}')
            self.assertTrue(filecmp.cmp(before, after, shallow=False))

    def test_counter_of_copied_bytes(self):
        """The same lines in discrete mode transfer every frame."""
        for line in LINES:
            with self.subTest(line=line):
                moved = self.moved(line, GST_OPENCL_HOST_UNIFIED='0')
                self.assertGreater(moved[0], 20 * 320 * 240)


if __name__ == '__main__':
    launch.main()
