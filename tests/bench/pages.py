#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times local thresholds of a scanned page beside OpenCV-contrib, and prints a
table in Markdown: seconds for a page, and the peak memory of the process.

The page is GRAY8, as large as A0 at 600 dpi. Each time is of a separate
process: pipeline.c after the first pages, or OpenCV's niBlackThreshold on two
threads. OpenCV needs opencv-contrib-python-headless and up to 19 GB; if it
fails with a page, it gets half the rows.
"""
import argparse
import json
import os
import subprocess
import sys

WIDTH, HEIGHT = 19866, 28087
N_PAGES, N_WARM_UP = 6, 3
N_THREADS = 2

OPENCV = """
import sys, time
import cv2, numpy
width, height, window, n_threads = map(int, sys.argv[1:5])
cv2.setNumThreads(n_threads)
page = numpy.empty((height, width), numpy.uint8)
cv2.randu(page, 0, 256)
start = time.perf_counter()
cv2.ximgproc.niBlackThreshold(
    page, 255, cv2.THRESH_BINARY, window, .2,
    binarizationMethod=getattr(cv2.ximgproc, 'BINARIZATION_' + sys.argv[5]))
print(time.perf_counter() - start)
"""


def run(command, **environment):
    """Returns the output and the peak memory in bytes; the output is empty if
    the command fails."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                          env=os.environ | environment) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return (output if process.returncode == 0 else '', usage.ru_maxrss * 1024)


def plugin(build, operation, window, height):
    caps = (f'video/x-raw,format=GRAY8,width={WIDTH},height={height},'
            'framerate=1/1')
    line = (f'appsrc name=replay max-buffers=1 block=true caps={caps} ! '
            f'cllocalmean operation={operation} kernel-width={window} '
            f'kernel-height={window} ! fakesink sync=false')
    output, peak = run([os.path.join(build, 'tests', 'bench', 'pipeline'),
                        f'--frames={N_PAGES}', f'--warm-up={N_WARM_UP}', line],
                       GST_OPENCL_QUICK_START='0')
    return (1 / json.loads(output)['fps'] if output else None), peak


def opencv(operation, window, height):
    output, peak = run([sys.executable, '-c', OPENCV, str(WIDTH), str(height),
                        str(window), str(N_THREADS), operation.upper()])
    return (float(output) if output else None), peak


def measure(build, operation, window):
    """Returns a row of the table, for the largest page that OpenCV takes."""
    height = HEIGHT
    peer, peer_peak = opencv(operation, window, height)
    while peer is None and height > 1000:
        height //= 2
        peer, peer_peak = opencv(operation, window, height)
    ours, peak = plugin(build, operation, window, height)
    if peer is None or ours is None:
        sys.exit(f'{operation} {window}x{window}: '
                 f'{"OpenCV" if peer is None else "the pipeline"} failed')
    return [f'`{operation}` {window}x{window}', f'{WIDTH}x{height}',
            f'{ours:.2f}', f'{peak / 1e9:.1f}', f'{peer:.2f}',
            f'{peer_peak / 1e9:.1f}', f'{peer / ours:.1f}']


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('--build', default='build')
    parser.add_argument('--operations', default='sauvola,nick,wolf')
    parser.add_argument('--windows', default='401')
    arguments = parser.parse_args()
    print('| operation | page | cllocalmean, s | GB | niBlackThreshold, s | GB '
          '| ratio |\n|---|---|---|---|---|---|---|')
    for operation in arguments.operations.split(','):
        for window in arguments.windows.split(','):
            print('| ' + ' | '.join(measure(arguments.build, operation,
                                            int(window))) + ' |', flush=True)


if __name__ == '__main__':
    main()
