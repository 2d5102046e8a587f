# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames that a GPU decodes are measured where they are."""
import re
import subprocess
from pathlib import Path

import clips
from command import clqc

N_FRAMES = 25


def test_decoded_frames_are_not_downloaded(tmp_path: Path) -> None:
    on_gpu = subprocess.run(['gst-inspect-1.0', '--exists', 'nvh264dec'],
                            check=False).returncode == 0
    clip = tmp_path / 'clip.mp4'
    clips.run('-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25',
              '-frames:v', str(N_FRAMES), '-c:v', 'libx264',
              '-pix_fmt', 'yuv420p', str(clip))
    clqc('check', clip, '--out', tmp_path / 'out', '--no-reports',
         GST_DEBUG='climport:6', GST_DEBUG_NO_COLOR='1',
         GST_DEBUG_FILE=str(tmp_path / 'log-%p'))
    paths = re.findall(r'log_path:.*? by ([\w ]+)', '\n'.join(
        log.read_text() for log in tmp_path.glob('log-*')))
    assert len(paths) >= N_FRAMES
    assert set(paths) <= ({'CUDA memory'} if on_gpu else
                          {'host memory in place', 'pinned host memory'})
