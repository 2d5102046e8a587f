#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the glossary explains what users can ask for, each word once.

usage: glossary.py GLOSSARY PLUGIN-CACHE

GLOSSARY is docs/glossary.md. PLUGIN-CACHE, docs/gst_plugins_cache.json, has the
statistics, events and operations of the elements. Prints each of them that the
glossary does not name, each word of GStreamer's without an entry, each word
that it explains twice, and each of its entries that explains nothing; then the
exit status is 1.
"""
import json
import re
import sys
from typing import Dict, Iterator, List

# Properties whose values are words of the field.
ASKED_FOR = [('clframesum', 'statistics'), ('clframesum', 'events'),
             ('cllocalmean', 'operation')]
# The words of FFmpeg's signalstats and of those who use it.
FIELD = ['YMIN', 'YLOW', 'YAVG', 'YHIGH', 'YMAX', 'YDIF', 'TOUT', 'VREP',
         'BRNG', 'summed-area table', 'adaptive threshold', 'box filter',
         'PoCL', 'zero-copy', 'hysteresis']

# Words that pages use and a newcomer to GStreamer does not know.
ENTRIES = ['launch line', 'pipeline', 'element', 'pad', 'source', 'sink',
           'property', 'caps', 'buffer', 'EOS', 'FIFO', 'key frame',
           'discrete']


def values(cache: str, element: str, name: str) -> Iterator[str]:
    """The words that a property takes."""
    with open(cache, encoding='utf-8') as file:
        plugin = json.load(file)['opencl']
    kind = plugin['elements'][element]['properties'][name]['type']
    for value in plugin['other-types'][kind]['values']:
        yield value['name']


def findings(page: str, cache: str) -> Iterator[str]:
    with open(page, encoding='utf-8') as file:
        text = file.read()
    known = re.sub(r'[\s-]+', ' ', text).lower()
    wanted = FIELD + [word for element, name in ASKED_FOR
                      for word in values(cache, element, name)]
    for word in wanted:
        plain = re.escape(word.replace('-', ' ').lower())
        if not re.search(rf'(?<!\w){plain}(?!\w)', known):
            yield f'{page}: lacks {word}'

    entries: Dict[str, List[str]] = {}
    for entry in re.split(r'\n\n+', text):
        found = re.match(r'\*\*(.+?)\*\*\s*(.*)', entry, re.DOTALL)
        if not found:
            continue
        explained = re.sub(r'^\([^)]*\)\.\s*', '', found.group(2))
        if len(explained.split()) < 4:
            yield f'{page}: {found.group(1)} is not explained'
        for word in found.group(1).rstrip('.').split(', '):
            entries.setdefault(word.lower(), []).append(entry)
    for word in ENTRIES:
        if word.lower() not in entries:
            yield f'{page}: has no entry for {word}'
    for word, places in entries.items():
        if len(places) > 1:
            yield f'{page}: explains {word} twice'


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lacking = list(findings(*sys.argv[1:]))
    print('\n'.join(lacking), end='\n' if lacking else '')
    return 1 if lacking else 0


if __name__ == '__main__':
    sys.exit(main())
