#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares clqc check with the decoder alone and with FFmpeg, alternating, on
1080p H.264, and prints a table in Markdown: frames a second of the best of
several rounds, from the start of each command to its end.

usage: bench.py [--build DIR] [--rounds N] [--seconds N] [CLIP]
  CLIP  default: a clip of --seconds, that FFmpeg makes from the clip of the
        tests
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict, List

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / 'tests' / 'data' / 'pedestrians.avi'
FILTERS = ('signalstats=stat=tout+vrep+brng,metadata=print:file=-,'
           'blackdetect,freezedetect,scdet')


def make_clip(path: str, seconds: int) -> None:
    subprocess.run(
        ['ffmpeg', '-v', 'error', '-y', '-stream_loop', '-1', '-i',
         str(SOURCE), '-t', str(seconds), '-vf', 'scale=1920:1080,fps=25',
         '-c:v', 'libx264', '-preset', 'fast', '-g', '50', '-pix_fmt',
         'yuv420p', path], check=True)


def count_frames(path: str) -> int:
    return int(subprocess.run(
        ['ffprobe', '-v', 'error', '-count_packets', '-select_streams', 'v:0',
         '-show_entries', 'stream=nb_read_packets', '-of', 'csv=p=0', path],
        check=True, stdout=subprocess.PIPE, text=True).stdout.strip(', \n'))


def seconds_of(command: List[str]) -> float:
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):  # 1: the policy
        sys.exit(f'{command[0]}: {done.stderr.decode()}')
    return time.monotonic() - start


def commands_of(clip: str, build: str, folder: str
                ) -> Dict[str, Callable[[], List[str]]]:
    clqc = os.path.join(build, 'clqc')
    n = iter(range(10 ** 6))

    def check(*options: str) -> Callable[[], List[str]]:
        return lambda: [clqc, 'check', clip, '--out',
                        os.path.join(folder, str(next(n))), '--quiet',
                        *options]
    return {
        'decoder into fakesink': lambda: [
            'gst-launch-1.0', '-q', 'filesrc', f'location={clip}', '!',
            'decodebin', '!', 'fakesink', 'sync=false'],
        'clqc check --no-reports': check('--no-reports'),
        'clqc check': check(),
        'FFmpeg': lambda: ['ffmpeg', '-v', 'error', '-i', clip, '-vf', FILTERS,
                           '-f', 'null', '-'],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('clip', nargs='?')
    parser.add_argument('--build', default=str(ROOT / 'build'))
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clip = options.clip
        if not clip:
            clip = os.path.join(folder, 'clip.mp4')
            make_clip(clip, options.seconds)
        n_frames = count_frames(clip)
        commands = commands_of(clip, options.build, folder)
        best = {name: float('inf') for name in commands}
        for _ in range(options.rounds):
            for name, command in commands.items():
                best[name] = min(best[name], seconds_of(command()))
        base = best['decoder into fakesink']
        print('| command | frames/s | of the decoder alone |')
        print('|---|---|---|')
        for name, seconds in best.items():
            print(f'| {name} | {n_frames / seconds:.1f} | '
                  f'{base / seconds:.2f} |')


if __name__ == '__main__':
    main()
