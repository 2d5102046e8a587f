# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of docs/clqc.md: what is found in files of many codecs that are
damaged in the same ways.

usage: damage_table.py FOLDER    writes it; creates the files in FOLDER. Needs
the environment of the tests."""
import random
import sys
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

import clips
import damage
import docpages
from command import here, verdict

CODECS = {
    'H.264 in MP4': ('h264.mp4', '-c:v libx264'),
    'H.264, 10 bits, in MKV': ('h264.mkv', '-c:v libx264 -pix_fmt '
                               'yuv420p10le'),
    'H.265 in MP4': ('h265.mp4', '-c:v libx265 -x265-params log-level=none'),
    'H.265, 10 bits, in MKV': ('h265.mkv', '-c:v libx265 -x265-params '
                               'log-level=none -pix_fmt yuv420p10le'),
    'MPEG-2 in TS': ('mpeg2.ts', '-c:v mpeg2video -q:v 3'),
    'MPEG-2 in MXF': ('mpeg2.mxf', '-c:v mpeg2video -q:v 3'),
    'MPEG-1 in a program stream': ('mpeg1.mpg', '-c:v mpeg1video -q:v 3'),
    'MPEG-4 in AVI': ('mpeg4.avi', '-c:v mpeg4 -q:v 3'),
    'VP8 in WebM': ('vp8.webm', '-c:v libvpx -deadline realtime -b:v 2M'),
    'VP9 in WebM': ('vp9.webm', '-c:v libvpx-vp9 -deadline realtime '
                    '-cpu-used 8 -b:v 2M'),
    'AV1 in MKV': ('av1.mkv', f'-c:v {clips.AV1} -usage realtime -b:v 2M'),
    'Theora in Ogg': ('theora.ogv', '-c:v libtheora -q:v 8'),
    'WMV 2 in ASF': ('wmv2.wmv', '-c:v wmv2 -q:v 3'),
    'FLV 1 in FLV': ('flv1.flv', '-c:v flv -q:v 3'),
    'ProRes in MOV': ('prores.mov', '-c:v prores'),
    'DNxHR in MXF': ('dnxhr.mxf', '-c:v dnxhd -profile:v dnxhr_lb -pix_fmt '
                     'yuv422p'),
    'JPEG 2000 in MXF': ('jpeg2000.mxf', '-c:v jpeg2000 -pix_fmt yuv422p'),
    'Motion JPEG in AVI': ('mjpeg.avi', '-c:v mjpeg -q:v 3 -pix_fmt '
                           'yuvj420p'),
    'PNG in MOV': ('png.mov', '-c:v png'),
    'FFV1 with CRC in MKV': ('ffv1.mkv', '-c:v ffv1 -level 3 -slicecrc 1'),
    'HuffYUV in AVI': ('huffyuv.avi', '-c:v huffyuv'),
    'v210 in MOV': ('v210.mov', '-c:v v210'),
}

POLICY = damage.POLICY + '''[dropped]
frames = 0
'''

COLUMNS = ('good', '30 bytes changed', 'cut at 70 %', 'zeros, 50 to 54 %',
           '5 frames dropped')
NOTHING = '–'

# The index at the start: a file without it has no other finding.
_INDEX = dict.fromkeys(('.mp4', '.mov'), ('-movflags', '+faststart'))

_RATE, _SECONDS = 25, 4
_HEAD = '| codec |'


def _change(path: Path, data: bytes) -> bytes:
    """Changes 30 bytes in the middle of the 31st packet."""
    offset, size = clips.packets(path)[30]
    at = offset + size // 2
    return data[:at] + random.Random(0).randbytes(30) + data[at + 30:]


def make(folder: Path, name: str, options: str) -> List[Path]:
    """Creates the file of each column."""
    paths = [folder / f'{i}-{name}' for i in range(len(COLUMNS))]
    clips.run('-f', 'lavfi', '-i', f'testsrc2=s=256x144:r={_RATE}:'
              f'd={_SECONDS},noise=alls=8:allf=t', '-pix_fmt', 'yuv420p',
              '-g', '25', *options.split(), *_INDEX.get(paths[0].suffix, ()),
              str(paths[0]))
    data, chance = paths[0].read_bytes(), random.Random(0)
    paths[1].write_bytes(_change(paths[0], data))
    paths[2].write_bytes(damage.cut(0.7)(data, chance))
    paths[3].write_bytes(damage.zero(0.5, 0.54)(data, chance))
    clips.run('-i', str(paths[0]), '-c', 'copy', '-bsf:v',
              r'noise=drop=between(n\,60\,64)', str(paths[4]))
    return paths


def cell(out: Path, name: str) -> str:
    """Returns the rules that name the damage."""
    found = verdict(out, name)
    if found['status'] == 'unmeasured':
        return '`unmeasured`'
    rules = dict.fromkeys(reason['rule'] for reason in found['reasons']
                          if not reason['rule'].startswith('measure.'))
    return ', '.join(f'`{rule}`' for rule in rules) or NOTHING


def rows(folder: Path) -> Dict[str, List[str]]:
    """Creates all files and checks them."""
    names = [name for name in CODECS
             if 'AV1' not in name or clips.has_av1()]
    paths = {name: make(folder, *CODECS[name]) for name in names}
    (folder / 'policy.toml').write_text(POLICY)
    out = folder / 'out'
    here('check', *(path for row in paths.values() for path in row), '--out',
         out, '--policy', folder / 'policy.toml', '--no-reports', '--quiet')
    return {name: [cell(out, path.name) for path in row]
            for name, row in paths.items()}


def _line(cells: Sequence[str]) -> str:
    return '| ' + ' | '.join(cells) + ' |\n'


def _parts() -> Tuple[str, str, str]:
    """Returns the page before the table, the table, and the page after it."""
    before, head, rest = docpages.text_of('clqc.md').partition(_HEAD)
    table, end, after = rest.partition('\n\n')
    return before, head + table + '\n', end[1:] + after


def read() -> Dict[str, List[str]]:
    """Returns the rows of the page."""
    lines = [line.strip('| ').split(' | ')
             for line in _parts()[1].splitlines()[2:]]
    return {name: cells for name, *cells in lines}


def write(found: Dict[str, List[str]]) -> None:
    """Replaces the table of the page."""
    before, _, after = _parts()
    table = _line(['codec', *COLUMNS]) + '|' + '---|' * (
        len(COLUMNS) + 1) + '\n' + ''.join(
            _line([name, *cells]) for name, cells in found.items())
    (docpages.DOCS / 'clqc.md').write_text(before + table + after)


if __name__ == '__main__':
    where = Path(sys.argv[1])
    where.mkdir(parents=True, exist_ok=True)
    write(rows(where))
