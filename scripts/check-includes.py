#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints each include of gst/ against the arrows, each circle of includes, and
each folder of gst/ and kernels/ that holds too many files, and then fails;
silent when all is well.

Two circles are looked for: between files, where a.c, a.h and aprivate.h are
one, and between rooms, which are the folders. A file that lies in gst/ itself
is a room of its own. The measurement of clframesum has arrows within its room
too: it returns numbers, and knows nothing about what becomes of them.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_FILES = 20
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# What the floors may include, beside themselves.
ARROWS = {
    'common': [],
    'series': ['common'],
    'output': ['common'],
    'cl': ['common'],
    'ops': ['cl', 'common'],
    'elements': ['ops', 'cl', 'series', 'output', 'common'],
    'plugin.c': ['elements'],
}

# An element that is made of another.
MADE_OF = {
    'gst/elements/framesumbatch': 'gst/elements/framesum',
}

# The measurement, and what it may know, itself or by a header that it includes,
# of its room and of the floors that results go to: neither events nor pooled
# results, messages or files.
MEASUREMENT = 'gst/elements/framesum/gstclmeasurement'
ROOMS_OF_RESULTS = ('gst/elements/framesum', 'gst/series', 'gst/output')
KNOWN_TO_MEASUREMENT = {
    'gst/elements/framesum/gstcldistribution',
    'gst/elements/framesum/gstclframesumsettings',
    'gst/elements/framesum/gstclgamut',
    'gst/elements/framesum/gstclregions',
    'gst/elements/framesum/gstclstatistics',
    'gst/elements/framesum/gstclstatistictable',
    'gst/elements/framesum/gstclsummary',
    'gst/series/gstcleventsettings',
    'gst/series/gstclframetime',
    'gst/series/gstclthresholds',
}


def find_included(path, name):
    """The file of gst/ that `name` in `path` is, or None."""
    for folder in (path.parent, ROOT / 'gst'):
        candidate = (folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(ROOT / 'gst'):
            return candidate
    return None


def stem(path):
    """What a file and its headers share: folder and name."""
    name = path.stem.removesuffix('private')
    return str((path.parent / name).relative_to(ROOT))


def room(path):
    """The folder of a file, or a file of gst/ itself."""
    if path.parent == ROOT / 'gst':
        return stem(path)
    return str(path.parent.relative_to(ROOT))


def read_includes():
    """Each file of gst/ with each file of gst/ that it includes."""
    for path in sorted((ROOT / 'gst').rglob('*.[ch]')):
        for name in INCLUDE.findall(path.read_text(encoding='utf-8')):
            included = find_included(path, name)
            if included is not None:
                yield path, included


def read_graphs():
    """Who includes whom, by stem and by room."""
    files, rooms = {}, {}
    for path, included in read_includes():
        for graph, node in ((files, stem), (rooms, room)):
            if node(path) != node(included):
                graph.setdefault(node(path), set()).add(node(included))
    return files, rooms


def floor(path):
    """The floor of the house that a file lies on: a folder of gst/."""
    return path.relative_to(ROOT / 'gst').parts[0]


def check_arrows():
    """Includes of a floor that the file's own may not include, or of another
    element, of which only the base is for all."""
    findings = []
    for path, included in read_includes():
        own, other = floor(path), floor(included)
        if own != other:
            is_allowed = other in ARROWS.get(own, ())
        elif own == 'elements':
            is_allowed = (included.parent in (path.parent,
                                              ROOT / 'gst/elements/base')
                          or MADE_OF.get(room(path)) == room(included))
        else:
            is_allowed = True
        if not is_allowed:
            findings.append(f'{path.relative_to(ROOT)} includes '
                            f'{included.relative_to(ROOT)}: against the '
                            'arrows')
    return findings


def check_measurement():
    """What the measurement must not know: each file with the includes that lead
    there."""
    graph = {}
    for path, included in read_includes():
        graph.setdefault(path, []).append(included)

    findings = []
    ways = [[path] for path in graph if stem(path) == MEASUREMENT]
    if not ways:
        findings.append(f'{MEASUREMENT}.c is not there')
    seen = set()
    for way in ways:
        for included in graph.get(way[-1], ()):
            if included in seen or stem(included) == MEASUREMENT:
                continue
            seen.add(included)
            ways.append(way + [included])
            if (room(included) in ROOMS_OF_RESULTS
                    and stem(included) not in KNOWN_TO_MEASUREMENT):
                names = [str(file.relative_to(ROOT)) for file in ways[-1]]
                findings.append(f'{" -> ".join(names)}: the measurement knows '
                                'what becomes of its numbers')
    return findings


def find_path(graph, start, end):
    """The shortest way from start to end, both named, or None."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        for following in sorted(graph.get(way[-1], ())):
            if following == end:
                return way + [end]
            if following not in seen:
                seen.add(following)
                ways.append(way + [following])
    return None


def check_circles(what, graph):
    """What is wrong with the graph: a line each."""
    findings = []
    reported = set()
    for node in sorted(graph):
        if node in reported:
            continue
        circle = find_path(graph, node, node)
        if circle:
            reported.update(circle)
            findings.append(f'circle of {what}: {" -> ".join(circle)}')
    return findings


def check_folders():
    """Folders with more files than a reader takes in."""
    findings = []
    for top, endings in (('gst', {'.c'}), ('kernels', {'.cl', '.clh'})):
        folders = [ROOT / top]
        folders += [p for p in (ROOT / top).rglob('*') if p.is_dir()]
        for folder in sorted(folders):
            n = sum(1 for p in folder.iterdir() if p.suffix in endings)
            if n > MAX_FILES:
                findings.append(f'{folder.relative_to(ROOT)}: {n} files, more '
                                f'than {MAX_FILES}')
    return findings


def main():
    files, rooms = read_graphs()
    findings = check_arrows()
    findings += check_measurement()
    findings += check_circles('files', files)
    findings += check_circles('rooms', rooms)
    findings += check_folders()
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
