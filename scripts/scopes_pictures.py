#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the pictures of docs/scopes.md: test clips, each with its scopes.

usage: scopes_pictures.py PLUGINS [FOLDER]
PLUGINS is the folder of libgstopencl.so, FOLDER that of the pictures
(docs/pictures). Needs gst-launch-1.0 with the base and good plugins. Pictures
of a clip are JPEG files, which are smaller.
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE = 320, 180        # of test clips
LARGE_SIZE = 640, 360  # of clips on which scopes are drawn
PEDESTRIANS = (f'filesrc location={ROOT}/tests/data/pedestrians.avi ! '
               'decodebin ! videoconvert ! imagefreeze num-buffers=1')


def face_pixel(x, y):
    """Returns R, G and B: a patch with the colours of skin, lit from the left,
    on grey."""
    width, height = SIZE
    across = (x - width / 2) / (height * .3)
    down = (y - height / 2) / (height * .42)
    if across ** 2 + down ** 2 > 1:
        return 90, 90, 90
    light = .55 + .35 * (1 - across) / 2 + .1 * math.cos(3 * down)
    return tuple(round(light * part) for part in (232, 172, 142))


def ramp_pixel(x, y):
    """Returns R, G and B: a ramp from black to white, which has 16 steps in
    the lower half."""
    width, height = SIZE
    share = x / (width - 1)
    if y >= height // 2:
        share = (x * 16 // width) / 15
    return (round(255 * share),) * 3


def write_pixels(path, pixel):
    """Writes the picture of the function @pixel."""
    width, height = SIZE
    rows = (pixel(x, y) for y in range(height) for x in range(width))
    path.write_bytes(b'P6\n%d %d\n255\n' % SIZE
                     + b''.join(bytes(values) for values in rows))


def describe_pictures(face, ramp):
    """Returns the source, its size and the scope of each picture."""
    test = 'videotestsrc num-buffers=1 pattern='
    beside = f'mode=side width={2 * SIZE[0]} height={2 * SIZE[1]}'
    return {
        'scope-bars.png': (f'{test}smpte75', SIZE,
                           f'kind=all {beside}'),
        'scope-ramp.png': (f'filesrc location={ramp} ! pnmdec', SIZE,
                           f'kind=all {beside}'),
        'scope-parade.png': (f'{test}smpte75', SIZE,
                             f'kind=parade mode=side width={2 * SIZE[0]}'),
        'scope-overlay-rgb.jpg': (
            PEDESTRIANS, SIZE,
            f'kind=overlay-rgb mode=side width={2 * SIZE[0]}'),
        'scope-face.png': (
            f'filesrc location={face} ! pnmdec', SIZE,
            f'kind=vectorscope intensity=1 mode=side width={SIZE[1]}'),
        'scope-overexposed.jpg': (
            f'{PEDESTRIANS} ! videobalance brightness=0.3', SIZE,
            f'kind=all {beside}'),
        'scope-false-colour.jpg': (
            PEDESTRIANS, LARGE_SIZE, 'kind=false-colour legend=true'),
        'scope-overlay.jpg': (PEDESTRIANS, LARGE_SIZE,
                              'kind=waveform mode=overlay'),
    }


def draw(source, size, scope, path):
    width, height = size
    # viewers take the codes of JPEG files for full range
    encoder = ('video/x-raw,format=I420,colorimetry=1:4:0:0 ! '
               'jpegenc snapshot=true quality=80' if path.suffix == '.jpg'
               else 'video/x-raw,format=RGB ! pngenc snapshot=true')
    line = (f'{source} ! videoconvert ! videoscale add-borders=false ! '
            'video/x-raw,format=I420,'
            f'width={width},height={height},pixel-aspect-ratio=1/1,'
            f'colorimetry=bt709 ! clscope {scope} ! video/x-raw,format=RGBA ! '
            f'videoconvert ! {encoder} ! filesink location={path}')
    subprocess.run(['gst-launch-1.0', '-q', *line.split()], check=True)


def main():
    os.environ['GST_PLUGIN_PATH'] = sys.argv[1]
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2
                          else ROOT / 'docs/pictures')
    with tempfile.TemporaryDirectory() as temporary:
        face = pathlib.Path(temporary) / 'face.ppm'
        ramp = pathlib.Path(temporary) / 'ramp.ppm'
        write_pixels(face, face_pixel)
        write_pixels(ramp, ramp_pixel)
        for name, row in describe_pictures(face, ramp).items():
            draw(*row, folder / name)


if __name__ == '__main__':
    main()
