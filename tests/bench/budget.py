#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares what a frame costs with the last release.

counts: OpenCL calls, allocations and, with valgrind, instructions of a frame,
and compiled programs of a start, on PoCL. They hardly depend on the machine and
its load, and are compared with budget.json: the exit status is 1 if one has
grown.
ratios: frames a second, divided by those of a peer in the same run, beside the
target; printed only, because they depend on the machine.

Run it before a release. A commit that needs more says why, and writes the file
with --save. Needs only Python's standard library.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import bench

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'budget.json')
ALL = 'clframesum statistics=' + '+'.join([
    'moments', 'range', 'percentiles', 'histogram', 'temporal', 'saturation',
    'hue', 'outliers', 'repetition', 'gamut', 'bit-depth', 'profiles',
    'active-area', 'blockiness', 'cells', 'waveform', 'vectorscope', 'flash',
    'light', 'levels'])

# Lines by name: format, whether the device does not share the host's memory,
# elements.
SOURCE = 'the source alone'
LINES = {
    SOURCE: ('I420', False, 'identity'),
    'clframesum': ('I420', False, 'clframesum'),
    'clframesum, discrete': ('I420', True, 'clframesum'),
    'clframesum, all of signalstats': ('I420', False, bench.SIGNALSTATS),
    'clframesum, all of signalstats, discrete':
        ('I420', True, bench.SIGNALSTATS),
    'clframesum, all statistics': ('I420', False, ALL),
    'clframesum, P010': ('P010_10LE', False, 'clframesum'),
    'clframesum, v210': ('v210', False, 'clframesum'),
    'cllocalmean': ('I420', False, 'cllocalmean'),
    'cllocalmean, discrete': ('I420', True, 'cllocalmean'),
    'clintegral': ('I420', False, 'clintegral'),
    'clscope': ('I420', False, 'clscope'),
}
SIZE = 'width=640,height=360'
N_FRAMES = 20, 120  # a frame costs the difference
N_INSTRUCTION_FRAMES = 10, 60

# Columns by name: calls that are added.
COLUMNS = {
    'kernels': ['clEnqueueNDRangeKernel', 'clEnqueueNativeKernel'],
    'transfers': ['clEnqueueReadBuffer', 'clEnqueueWriteBuffer',
                  'clEnqueueWriteBufferRect', 'clEnqueueCopyBuffer',
                  'clEnqueueMapBuffer'],
    'flushes': ['clFlush', 'clFinish'],
    'buffers': ['clCreateBuffer', 'clCreateSubBuffer'],
    'allocations': ['malloc'],
}
PROGRAMS, INSTRUCTIONS = 'programs', 'instructions'

# What may be more than in the file: threads allocate, and spin before they
# wait for each other, in another order in each run.
TOLERANCE = {'allocations': 1.1, INSTRUCTIONS: 1.25}

# Ratios by name: line, peer (a line, or a filter of FFmpeg), target.
TOUT = 'signalstats=stat=tout+vrep+brng'
RATIOS = [
    ('clframesum, all of signalstats', bench.SIGNALSTATS, TOUT, 8),
    ('clframesum, signalstats without stat=',
     bench.SIGNALSTATS.replace('+outliers+repetition+gamut', ''),
     'signalstats', 8),
    ('clframesum', 'clframesum', 'videoanalyse', 3),
    ('cllocalmean 15x15', 'cllocalmean', 'avgblur=7', 2),
    ('clcompare metrics=psnr+ssim', bench.COMPARISON, bench.FFMPEG_COMPARISON,
     1.5),
]


def play(build, name, n_frames, wrapper=(), **variables):
    """Plays the line with deterministic choices, and returns what it prints on
    standard error."""
    form, is_discrete, elements = LINES[name]
    environment = os.environ | {
        'GST_PLUGIN_PATH': os.path.join(build, 'gst'),
        'GST_OPENCL_TUNE': '0', 'GST_OPENCL_SELF_TEST': '0',
        'GST_OPENCL_QUICK_START': '0', 'GST_OPENCL_COMPILER': '',
        'GST_OPENCL_CACHE_DIR': '', 'G_SLICE': 'always-malloc'} | variables
    if is_discrete:
        environment['GST_OPENCL_HOST_UNIFIED'] = '0'
    source = ('videotestsrc num-buffers=1 pattern=ball ! '
              f'video/x-raw,format={form},{SIZE} ! '
              f'imagefreeze num-buffers={n_frames}')
    return subprocess.run(
        [*wrapper, 'gst-launch-1.0', '-q', *source.split(), '!',
         *elements.split(), '!', 'fakesink'], check=True, text=True,
        capture_output=True, timeout=600, env=environment).stderr


def count_calls(build, name, n_frames):
    """Returns the number of calls of each function in the process."""
    library = os.path.join(build, 'tests', 'faults', 'libclcounts.so')
    with tempfile.NamedTemporaryFile() as file:
        play(build, name, n_frames, LD_PRELOAD=library,
             CL_COUNTS_FILE=file.name)
        return json.load(file)


def count_instructions(build, name, n_frames):
    output = play(build, name, n_frames, wrapper=[
        'valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null'])
    return int(next(line.split(':')[1].replace(',', '')
                    for line in output.splitlines() if 'refs:' in line))


def count_line(build, name, has_instructions):
    """Returns the columns of a frame, and of a start."""
    play(build, name, 1)  # the registry, and the driver's cache
    first, last = (count_calls(build, name, n) for n in N_FRAMES)
    row = {column: round(sum(last.get(call, 0) - first.get(call, 0)
                             for call in calls)
                         / (N_FRAMES[1] - N_FRAMES[0]), 2)
           for column, calls in COLUMNS.items()}
    row[PROGRAMS] = first.get('clCreateProgramWithSource', 0)
    if has_instructions:
        play(build, name, 1, wrapper=['valgrind', '-q', '--tool=none'])
        few, many = (count_instructions(build, name, n)
                     for n in N_INSTRUCTION_FRAMES)
        row[INSTRUCTIONS] = round(
            (many - few) / (N_INSTRUCTION_FRAMES[1] - N_INSTRUCTION_FRAMES[0]))
    return row


def count(build, names, has_instructions):
    """Returns a row of columns for each line, without what the source does, of
    which @names has the first one."""
    rows = {name: count_line(build, name, has_instructions) for name in names}
    for column in ('allocations', INSTRUCTIONS):
        for name in rows:
            if column in rows[name] and name != SOURCE:
                rows[name][column] = round(
                    rows[name][column] - rows[SOURCE][column], 2)
    return rows


def find_growth(rows, budget):
    """Returns a sentence for each count that is more than in the budget."""
    return [f'{name}: {value} {column}, {budget[name][column]} in budget.json'
            for name, row in rows.items() for column, value in row.items()
            if column in budget.get(name, {}) and value >
            budget[name][column] * TOLERANCE.get(column, 1)]


def measure_counts(arguments):
    names = [SOURCE] + [name for name in arguments.line or LINES
                        if name != SOURCE]
    rows = count(arguments.build, names, shutil.which('valgrind'))
    columns = [*COLUMNS, PROGRAMS, INSTRUCTIONS]
    bench.print_table(f'A frame of {SIZE}; programs: of a start',
                      ['line', *columns],
                      [[name, *(f'{row[column]:g}' if column in row else ''
                                for column in columns)]
                       for name, row in rows.items()])
    if INSTRUCTIONS not in rows[SOURCE]:
        print('\nInstructions are left out: valgrind is not installed.')
    with open(FILE, encoding='utf-8') as file:
        growth = find_growth(rows, json.load(file))
    if arguments.save:
        with open(FILE, 'w', encoding='utf-8') as file:
            json.dump(rows, file, indent=1)
            file.write('\n')
        return 0
    print(''.join(f'\n{sentence}.' for sentence in growth))
    return 1 if growth else 0


def measure_ratios(arguments):
    os.environ['GST_PLUGIN_PATH'] = os.path.join(arguments.build, 'gst')
    lines = [('reading', 'identity')]
    filters = []
    for name, line, peer, _ in RATIOS:
        lines.append((name, line))
        if not peer.startswith('video'):
            filters.append(peer)
        else:
            lines.append((peer, peer))
    rates, device = bench.bench_pipelines(
        os.path.join(arguments.build, 'tests', 'bench', 'pipeline'),
        arguments.frames, arguments.rounds, lines, filters)

    table = []
    for name, _, peer, target in RATIOS:
        other = rates.get(peer) or rates.get(f'FFmpeg {peer}')
        if other:
            table.append([name, peer, f'{rates[name]["median"]:.0f}',
                          f'{other["median"]:.0f}',
                          f'{rates[name]["median"] / other["median"]:.1f}',
                          f'{target}'])
    print(f'\nDevice: {device}; reading alone '
          f'{rates["reading"]["median"]:.0f} frames a second.')
    bench.print_table('1920x1080 I420 from memory',
                      ['line', 'peer', 'frames a second', "the peer's",
                       'ratio', 'target'], table)
    return 0


PARTS = {'counts': measure_counts, 'ratios': measure_ratios}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build', help='build folder')
    parser.add_argument('--save', action='store_true',
                        help='write the counts to budget.json')
    parser.add_argument('--line', action='append', choices=LINES,
                        help='count this line; may be repeated')
    parser.add_argument('--frames', type=int, default=300)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('parts', nargs='*', metavar='PART',
                        help=f'of {", ".join(PARTS)}; default: all')
    arguments = parser.parse_args()
    if not set(arguments.parts) <= set(PARTS):
        parser.error(f'parts are {", ".join(PARTS)}')
    if arguments.save and arguments.line:
        parser.error('--save needs all lines')
    arguments.build = os.path.abspath(arguments.build)
    return max([PARTS[part](arguments) for part in arguments.parts or PARTS])


if __name__ == '__main__':
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failure:
        sys.exit(f'budget: {" ".join(failure.cmd)}\n{failure.stderr}')
