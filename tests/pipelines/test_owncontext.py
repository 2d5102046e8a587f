#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example with its own kernel on integral images has the means that NumPy
computes from the frames, in its own context and in that of the elements.

usage: test_owncontext.py PATH-OF-THE-EXAMPLE
"""
import os
import subprocess
import sys

import numpy

import launch


class OwnContextTest(launch.PipelineTest):
    def expected(self):
        launch.run('-q videotestsrc pattern=ball num-buffers=5 ! '
                   'video/x-raw,format=GRAY8,width=64,height=48 ! '
                   f'filesink location={self.folder}/frames.raw')
        frames = numpy.fromfile(f'{self.folder}/frames.raw', numpy.uint8)
        middles = frames.reshape(-1, 48, 64)[:, 12:36, 16:48]
        return ''.join(f'frame {number}: {middle.mean():.4f}\n'
                       for number, middle in enumerate(middles))

    def test_means(self):
        expected = self.expected()
        for arguments in [], ['--theirs']:
            for unified in '1', '0':
                result = subprocess.run(
                    [EXAMPLE, *arguments], text=True, timeout=30, check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    env=os.environ | {'GST_OPENCL_HOST_UNIFIED': unified})
                self.assertEqual(result.returncode, 0, result.stdout)
                self.assertEqual(result.stdout, expected, arguments)


if __name__ == '__main__':
    EXAMPLE = sys.argv.pop(1)
    launch.main()
