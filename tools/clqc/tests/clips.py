# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clips that the tests create with FFmpeg."""
import json
import os
import struct
import subprocess
from pathlib import Path
from typing import List, Tuple

SOURCE = os.path.join(os.path.dirname(__file__), '..', '..', '..', 'tests',
                      'data', 'pedestrians.avi')

# Four seconds each: moving, frozen, moving, black.
STILL = (f'movie={SOURCE},scale=320:240,fps=25,trim=0:4,setpts=PTS-STARTPTS,'
         'split=3[a][b][c];'
         '[b]select=eq(n\\,0),loop=99:1,setpts=N/25/TB[still];'
         '[c]lutyuv=y=16:u=128:v=128[black];'
         '[a]split[a1][a2];'
         '[a1][still][a2][black]concat=n=4,setpts=N/25/TB')

CODECS = {
    'mp4': ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '20', '-bf', '2'],
    'ts': ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '20', '-bf', '2'],
    'mkv': ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8',
            '-g', '25'],
    'mpg': ['-c:v', 'mpeg2video', '-q:v', '3', '-g', '15', '-bf', '2'],
    'avi': ['-c:v', 'mjpeg', '-q:v', '5'],
}

COLOURS = ('-color_range tv -color_primaries bt709 -color_trc bt709 '
           '-colorspace bt709').split()

AV1 = 'libaom-av1 -cpu-used 8'


def has_av1() -> bool:
    """Returns whether there are an encoder and a decoder of AV1."""
    encoders = subprocess.run(['ffmpeg', '-v', 'quiet', '-encoders'],
                              stdout=subprocess.PIPE, check=True).stdout
    return b'libaom-av1' in encoders and any(
        subprocess.run(['gst-inspect-1.0', '--exists', name],
                       check=False).returncode == 0
        for name in ('av1dec', 'dav1ddec'))


def packets(path: Path) -> List[Tuple[int, int]]:
    """Returns the offset and the size of each packet of the video whose offset
    is known."""
    rows = json.loads(subprocess.run(
        ['ffprobe', '-v', 'error', '-select_streams', 'v', '-show_entries',
         'packet=pos,size', '-of', 'json', str(path)], check=True,
        stdout=subprocess.PIPE).stdout)['packets']
    return [(int(row['pos']), int(row['size'])) for row in rows
            if 'pos' in row]


def run(*arguments: str) -> None:
    """Runs ffmpeg, which overwrites files and prints errors only."""
    subprocess.run(['ffmpeg', '-v', 'error', '-y', *arguments], check=True)


def make(path: str, source: str = STILL, sound: str = '') -> str:
    """Creates a clip of a source filter (and of one of sound), with the codec
    in CODECS for the extension. Returns the path."""
    inputs = ['-f', 'lavfi', '-i', source]
    if sound:
        inputs += ['-f', 'lavfi', '-i', sound, '-shortest']
    codec = CODECS[os.path.splitext(path)[1][1:]]
    run(*inputs, *codec, '-pix_fmt', 'yuvj420p' if path.endswith('.avi')
        else 'yuv420p', path)
    return path


def turn(path: Path, is_mirrored: bool = False) -> None:
    """Sets the rotation in an MPEG-4 file to 90 degrees clockwise, as
    telephones do; the picture may be mirrored before."""
    data = path.read_bytes()
    upright = struct.pack('>9i', 1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30)
    right = -1 if is_mirrored else 1
    turned = struct.pack('>9i', 0, right << 16, 0, -1 << 16, 0, 0, 0, 0,
                         1 << 30)
    start = data.index(upright, data.index(b'tkhd'))
    path.write_bytes(data[:start] + turned + data[start + len(turned):])


def pose(path: Path, yaw: float, roll: float) -> None:
    """Writes a projection in place of the colours in a Matroska file, which
    has four of them."""
    data = path.read_bytes()
    start = data.index(b'\x55\xb0\x90')
    angles = b''.join(struct.pack('>HBf', kind, 0x84, angle)
                      for kind, angle in ((0x7673, yaw), (0x7675, roll)))
    path.write_bytes(data[:start] + b'\x76\x70\x8e' + angles + b'\xec\x80'
                     + data[start + 19:])
