#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer's leaks tracer finds no object after a pipeline has stopped."""
import os
import subprocess
import unittest

import launch

SOURCE = ('videotestsrc num-buffers=20 ! '
          'video/x-raw,format=I420,width=65,height=48 ! ')
# without a space
KERNEL = ('source="__kernel/**/void/**/k(GST_CL_IN(a),GST_CL_IN(b),'
          'GST_CL_OUT(out)){}"')
LINES = [
    'clupload ! clintegral ! cllocalmean ! cldownload ! fakesink',
    'clframesum stats-meta=false ! cllocalmean ! fakesink',
    'clframesum async-depth=4 ! videoconvert ! fakesink',
    'tee name=t t. ! queue ! clupload ! clframesum ! cldownload ! fakesink '
    't. ! queue ! cllocalmean ! queue ! clintegral ! fakesink',
    'clscope kind=all peak-hold=1 ! fakesink',
    'clupload ! clscope kind=false-colour mode=side ! cldownload ! fakesink',
    'tee name=t t. ! queue ! mix. t. ! queue ! clupload ! mix. '
    f'clkernelmix name=mix {KERNEL} ! cldownload ! fakesink',
    'tee name=t ! queue ! clcompare name=c metrics=psnr+ssim+xpsnr '
    'grid-columns=2 ! fakesink t. ! queue ! clupload ! c.reference',
    'tee name=t ! queue ! clcompare name=c output=map ! cldownload ! fakesink '
    't. ! queue ! c.reference',
    'clframesum device=none ! fakesink',
]


class LeaksTest(unittest.TestCase):
    def alive(self, line, unified):
        result = subprocess.run(
            f'gst-launch-1.0 -q {line}'.split(), text=True, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env=os.environ | {'GST_TRACERS': 'leaks',
                              'GST_DEBUG': 'GST_TRACER:7',
                              'GST_DEBUG_NO_COLOR': '1',
                              'GST_OPENCL_HOST_UNIFIED': unified})
        return [text for text in result.stdout.splitlines()
                if 'object-alive, type-name=(string)' in text
                and 'format string' not in text]

    def test_nothing_is_alive(self):
        for line in LINES:
            for unified in '1', '0':
                with self.subTest(line=line, unified=unified):
                    self.assertEqual(self.alive(SOURCE + line, unified), [])


if __name__ == '__main__':
    launch.main()
