# SPDX-License-Identifier: LGPL-2.1-or-later
"""Metrics of a frame, compared with those of peers: histogram, mean,
deviation, least and greatest sample. The plugin needs one call, peers
three."""
import json
import os
import statistics
import subprocess

import peers

SIZES = [(1920, 1080), (3840, 2160), (7680, 4320)]
OURS = 'ours, one call'
PEERS = {'OpenCV': peers.opencv, 'OpenCV OpenCL': peers.opencv_opencl,
         'NPP': peers.npp}
GROWN = [('histogram+moments', 'GRAY8'), ('moments', 'GRAY8'),
         ('signalstats', 'I420')]


def ours(build):
    """Returns the microseconds of a frame in consecutive calls, by size."""
    program = os.path.join(build, 'tests', 'test_metrics')
    output = subprocess.run([program, '--bench', '--json', '--test',
                             'metrics/beside-peers'], check=True,
                            text=True, capture_output=True, timeout=300).stdout
    rows = [json.loads(line) for line in output.splitlines()
            if line.startswith('{')]
    return {(row['width'], row['height']): row['host_us']
            for row in rows if 'host_us' in row}


def measure(build, n_rounds, contenders):
    """Runs all once per round, alternating; returns medians. Rows are {name,
    width, height, us}, with the name of each peer."""
    samples, notes = {}, {}
    for _ in range(n_rounds):
        for size, us in ours(build).items():
            samples.setdefault((OURS, *size), []).append(us)
        for name in contenders:
            rows, note = PEERS[name](SIZES, peers.STATISTICS)
            notes[name] = note
            for row in rows:
                samples.setdefault((row['name'], row['width'], row['height']),
                                   []).append(row['us'])
    return [{'name': name, 'width': width, 'height': height,
             'us': statistics.median(values)}
            for (name, width, height), values in samples.items()], [
                note for note in notes.values() if note]


def table(rows):
    """Times, and their ratio to that of the plugin."""
    times = {}
    for row in rows:
        times.setdefault(row['name'], {})[row['width'],
                                          row['height']] = row['us']
    sizes = list(times[OURS])

    def cell(name, size):
        us = times[name].get(size)
        return '' if us is None else f'{us:.1f} ({us / times[OURS][size]:.2f})'

    return (['job', *(f'{width}x{height}, us (of ours)'
                      for width, height in sizes)],
            [[name, *(cell(name, size) for size in sizes)] for name in times])


# --- growth -----------------------------------------------------------------

def find(rows, name, height=1080):
    """Returns the microseconds per call of the plugin's row with that suffix,
    or None."""
    return next((row['host_us'] for row in rows
                 if row['name'].startswith('metrics/') and
                 row['name'].split('/')[-1] == name and
                 row['height'] == height), None)


def growth_by_regions(rows):
    return (['job', 'frame alone, us', 'and 16 zones', 'and 256 zones'],
            [[f'{shape} {job}',
              *('' if us is None else f'{us:.1f}' for us in (
                  find(rows, f'{shape} {job}{suffix}')
                  for suffix in ('', ', 16 regions', ', 256 regions')))]
             for job, shape in GROWN])


def growth_by_metrics(rows):
    """The time of each metric alone, and of all together."""
    names = list(dict.fromkeys(
        row['name'] for row in rows
        if row['name'].startswith('metrics/') and
        row['height'] == 1080 and ',' not in row['name']))
    return (['asked for', 'us'],
            [[name.split('/')[-1], f'{find(rows, name.split("/")[-1]):.1f}']
             for name in names])
