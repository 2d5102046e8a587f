#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows how the plugin in GStreamer's registry differs from the file that the
pages are made of, and fails then.

usage: checkcache.py [--write] PLUGINCACHE FILE [ELEMENT ...]
  --write      writes FILE instead, and keeps the elements that this build does
               not have
  PLUGINCACHE  the program that asks the registry
  FILE         docs/gst_plugins_cache.json
  ELEMENT      is in FILE, and not in this build
"""
import difflib
import json
import pathlib
import re
import subprocess
import sys


def as_text(cache):
    """As json-glib writes it, which indents the ends of empty objects."""
    text = json.dumps(cache, indent=2, separators=(',', ' : '),
                      ensure_ascii=False)
    return re.sub(r'(?m)^( *)(".*" : )\{\}', r'\1\2{\1}', text) + '\n'


def main():
    arguments = sys.argv[1:]
    is_write = arguments[:1] == ['--write']
    program, path, *absent = arguments[is_write:]
    path = pathlib.Path(path)
    known = json.loads(path.read_text(encoding='utf-8'))
    done = subprocess.run([program, 'opencl', 'GstCl'], check=True, text=True,
                          stdout=subprocess.PIPE)
    found = json.loads(done.stdout)

    elements = found['opencl']['elements']
    for element in absent:
        print(f'{element} is not compared: this build does not have it')
        elements[element] = known['opencl']['elements'][element]
    found['opencl']['elements'] = dict(sorted(elements.items()))
    if is_write:
        path.write_text(as_text(found), encoding='utf-8')
        return 0
    differences = list(difflib.unified_diff(
        as_text(known).splitlines(), as_text(found).splitlines(), str(path),
        'the plugin', lineterm=''))
    print('\n'.join(differences))
    return 1 if differences else 0


if __name__ == '__main__':
    sys.exit(main())
