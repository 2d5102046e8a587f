#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures how long after its start a process has its first frame, with and
without compiled kernels from an earlier start, and how long the first start
takes in all, and prints a table in Markdown.

Two caches may have them: the plugin's own and the driver's (PoCL's, NVIDIA's).
The device is the one that GST_OPENCL_DEVICE names. Needs nothing but Python's
standard library.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 1920, 1080
# Lines by name: format, element.
LINES = {
    'clframesum': ('I420', 'clframesum'),
    'clframesum, all of signalstats, three events': (
        'I420', 'clframesum key-style=lavfi statistics=moments+range+histogram+'
        'percentiles+temporal+saturation+hue+gamut+outliers+repetition+'
        'bit-depth events=black+freeze+scene'),
    'clintegral': ('I420', 'clintegral'),
    'cllocalmean 15x15': ('I420', 'cllocalmean kernel-width=15 '
                          'kernel-height=15'),
    'cllocalmean 15x15, P010': ('P010_10LE', 'cllocalmean kernel-width=15 '
                                'kernel-height=15'),
    'cllocalmean Sauvola 31x31': (
        'I420', 'cllocalmean operation=sauvola kernel-width=31 '
        'kernel-height=31')}
WITHOUT = 'identity'  # the same line without the plugin

# Cache folders of drivers.
DRIVER_VARIABLES = ['POCL_CACHE_DIR', 'CUDA_CACHE_PATH']

# Caches from an earlier start: the plugin's, and the driver's.
STATES = ['nothing', 'both', "the driver's", 'ours']
WHOLE = 'nothing, whole process'


def has_process(session):
    """A process of the session runs: one that compiles, which the session's
    leader has started and not waited for."""
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                if os.getsid(int(name)) == session:
                    return True
            except OSError:
                pass  # it has ended
    return False


def start_ms(timer, form, element, ours, driver):
    """Times from before the process starts until the frame can be read at the
    sink, and until the process has ended. Returns when the process that
    compiles has ended, too. ours: folder, '' for off; driver: folder."""
    line = (f'videotestsrc num-buffers=1 ! video/x-raw,format={form},'
            f'width={WIDTH},height={HEIGHT} ! {element} ! fakesink')
    environment = os.environ | {'GST_OPENCL_CACHE_DIR': ours}
    environment |= {name: driver for name in DRIVER_VARIABLES}
    start = time.clock_gettime(time.CLOCK_MONOTONIC)
    with subprocess.Popen([timer, '--first', line], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True, env=environment) as process:
        output, errors = process.communicate(timeout=120)
    end = time.clock_gettime(time.CLOCK_MONOTONIC)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, process.args,
                                            output, errors)
    while has_process(process.pid):
        time.sleep(0.05)
    return (json.loads(output)['first_us'] / 1000 - start * 1000,
            (end - start) * 1000)


def measure_line(timer, form, element):
    """One start in each state, the first of which fills the caches."""
    with tempfile.TemporaryDirectory() as folder:
        ours, driver, empty = (os.path.join(folder, name)
                               for name in ('ours', 'driver', 'empty'))
        os.mkdir(driver)
        os.mkdir(empty)
        caches = {'nothing': (ours, driver), 'both': (ours, driver),
                  "the driver's": ('', driver), 'ours': (ours, empty)}
        times = {state: start_ms(timer, form, element, *caches[state])
                 for state in STATES}
    return {state: first for state, (first, _) in times.items()} | {
        WHOLE: times['nothing'][1]}


def measure(timer, n_rounds):
    """Medians in milliseconds, all contenders once a round: {element: {state:
    ms}}; WITHOUT has one state, 'nothing'."""
    samples = {WITHOUT: {'nothing': []}}
    with tempfile.TemporaryDirectory() as folder:
        start_ms(timer, 'I420', WITHOUT, '', folder)  # registry
        for _ in range(n_rounds):
            samples[WITHOUT]['nothing'].append(
                start_ms(timer, 'I420', WITHOUT, '', folder)[0])
            for name, line in LINES.items():
                for state, ms in measure_line(timer, *line).items():
                    samples.setdefault(name, {}).setdefault(
                        state, []).append(ms)
    return {name: {state: statistics.median(values)
                      for state, values in states.items()}
            for name, states in samples.items()}


def table(results):
    """Head and rows of strings."""
    without = results[WITHOUT]['nothing']
    rows = [[name] + [f'{results[name][state]:.0f}'
                      for state in [*STATES, WHOLE]]
            + [f'{results[name]["both"] - without:.0f}']
            for name in LINES]
    rows.append([f'{WITHOUT}, none of ours', f'{without:.0f}', '-', '-', '-',
                 '-', '-'])
    return (['line', *STATES, WHOLE, 'both, more than without'], rows)


TITLE = 'Start-up: milliseconds to the first frame, by what is cached'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build', help='build folder')
    parser.add_argument('--rounds', type=int, default=5)
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    os.environ['GST_PLUGIN_PATH'] = os.path.join(build, 'gst')
    head, rows = table(measure(os.path.join(build, 'tests', 'bench',
                                            'pipeline'), arguments.rounds))
    print(f'{TITLE}\n\n| ' + ' | '.join(head) + ' |')
    print('|' + '---|' * len(head))
    for row in rows:
        print('| ' + ' | '.join(row) + ' |')


if __name__ == '__main__':
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f'startup: {" ".join(failure.cmd)}\n{failure.stderr}')
