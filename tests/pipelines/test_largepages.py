#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cllocalmean on a page as large as A0 at 600 dpi: at most 2 GiB beyond the
frames, and with strips of an integral image the same bytes as without. Runs one
page at a time; needs 5 GB."""
import hashlib
import os
import subprocess
import unittest

import launch  # skips without a device

WIDTH, HEIGHT = 19866, 28087
MOST_BYTES = 2 << 30
SOURCE = ('videotestsrc num-buffers=1 pattern=zone-plate kx2=8 ky2=8 ! '
          f'video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT},'
          'framerate=1/1')


def play(element):
    """Returns a digest of the page after @element, and the peak memory of the
    process in bytes."""
    line = f'gst-launch-1.0 -q {SOURCE} ! {element} ! fdsink fd=1'
    digest = hashlib.blake2b()
    with subprocess.Popen(line.split(), stdout=subprocess.PIPE) as process:
        while data := process.stdout.read(1 << 20):
            digest.update(data)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(f'{line}: exit status {process.returncode}')
    return digest.hexdigest(), usage.ru_maxrss * 1024


class LargePagesTest(unittest.TestCase):
    def test_memory_and_bytes(self):
        window = 'kernel-width=401 kernel-height=401'
        # neither an integral image nor other memory as large as a frame
        sliding, peak = play(f'cllocalmean {window} method=sliding')
        limit = peak + MOST_BYTES

        strips, peak = play(f'cllocalmean {window} method=direct')
        self.assertEqual(strips, sliding)
        self.assertLess(peak, limit)

        _, peak = play(f'cllocalmean {window} operation=sauvola')
        self.assertLess(peak, limit)


if __name__ == '__main__':
    launch.main()
