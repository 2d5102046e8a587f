# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clips of known truth, which FFmpeg makes and encodes, and the tables of
docs/events.md that have what clframesum finds in them."""
import json
import os
import re
import shutil
import subprocess

import formats
import launch

PAGE = launch.ROOT / 'docs/events.md'
WIDTH, HEIGHT, RATE = 192, 144, 25
N_FRAMES = 60  # of a clip: longer than the least duration of events
RAW = ('-f', 'rawvideo', '-pix_fmt', 'yuv420p')
# x264 reads memory that it has not written: its bytes are the same again only
# if malloc() gives it the same.
ENVIRONMENT = os.environ | {'MALLOC_PERTURB_': '0'}

TAGS = {'progressive': ('setfield=prog', (), 'prog', ''),
        'top first': ('setfield=tff', ('-flags', '+ildct+ilme', '-top', '1'),
                      'tff=1', 'interlaced=true top-field-first=true'),
        'bottom first': ('setfield=bff',
                         ('-flags', '+ildct+ilme', '-top', '0'), 'bff=1',
                         'interlaced=true top-field-first=false')}


def require_ffmpeg():
    """Skips the test without an FFmpeg that encodes H.264."""
    if not shutil.which('ffmpeg') or 'libx264' not in subprocess.run(
            ['ffmpeg', '-v', 'error', '-encoders'], check=True, text=True,
            stdout=subprocess.PIPE).stdout:
        launch.skip('there is no ffmpeg with libx264')


def ffmpeg(*words, **options):
    return subprocess.run(['ffmpeg', '-v', 'error', '-y', *map(str, words)],
                          env=ENVIRONMENT, check=True, stdout=subprocess.PIPE,
                          **options).stdout


def mpeg2(scale):
    return 'mpeg2video', ('-qscale:v', scale)


def h264(rate):
    return 'libx264', ('-crf', rate)


def encoding(coding, tag):
    """Words for an encoder, one thread of which gives the same bytes again."""
    codec, words = coding
    _, flags, parameters, _ = TAGS[tag]
    if codec == 'libx264':
        parameters = () if tag == 'progressive' else (
            '-flags', '+ildct', '-x264-params', parameters)
        return ('-c:v', codec, '-threads', 1, *parameters, *words)
    return ('-c:v', codec, '-threads', 1, *flags, *words)


def as_input(path):
    return *RAW, '-s', f'{WIDTH}x{HEIGHT}', '-r', RATE, '-i', path


def chosen(rows):
    """Returns those of the names of @rows that the seed chooses, one in three;
    all to write tables."""
    if os.environ.get('WRITE_TABLES'):
        return list(rows)
    return list(rows)[formats.SEED % 3::3]


class ClipTest(launch.PipelineTest):
    n_clips = 0

    def make(self, source, codings, filters='null', *, tag='progressive',
             is_full=False, n_frames=N_FRAMES):
        """Makes a clip of @source, which is words of lavfi or the bytes of
        frames, tagged as @tag and as full range. Returns the head of a launch
        line for each of @codings; None is uncompressed."""
        is_raw = isinstance(source, bytes)
        self.n_clips += 1
        pads = [f'[o{i}]' for i in range(len(codings))]
        heads, words = [], []
        for i, (coding, pad) in enumerate(zip(codings, pads)):
            path = self.folder / f'{self.n_clips}-{i}'
            container = 'matroska' if coding else 'rawvideo'
            more = encoding(coding, tag) if coding else ()
            words += ['-map', pad, *more, '-f', container, path]
            heads.append(f'filesrc location={path} ! ' + (
                'decodebin ! queue' if coding else 'rawvideoparse format=i420 '
                f'width={WIDTH} height={HEIGHT} framerate={RATE}/1 '
                f'colorimetry={int(is_full) or 2}:4:0:0 {TAGS[tag][3]}'))
        ffmpeg(*(as_input('-') if is_raw else ('-f', 'lavfi', '-i', source)),
               '-filter_complex',
               f'{filters},trim=end_frame={n_frames},format=yuv420p,'
               f'{TAGS[tag][0]},setparams=range={"pc" if is_full else "tv"},'
               f'settb=1/{RATE},setpts=N,fps={RATE},'
               f'split={len(pads)}{"".join(pads)}', *words,
               input=source if is_raw else None)
        return heads

    def find(self, heads, properties):
        """Returns the lines of each clip, measured in one process."""
        heads = list(heads)
        paths = [self.folder / f'{i}.jsonl' for i in range(len(heads))]
        launch.run('-q ' + ' '.join(
            f'{head} ! clframesum {properties} location={path} '
            'post-messages=false ! fakesink'
            for head, path in zip(heads, paths)))
        for path in paths:
            text = path.read_text(encoding='utf-8')
            yield [json.loads(line) for line in text.splitlines()]

    def expect_table(self, columns, rows, tolerance=0, names=None):
        """Compares @rows, a dict of lists of cells, with the table of the page
        that has @columns and rows of @names, by default of @rows: other
        versions of encoders may change a number by @tolerance. WRITE_TABLES=1
        writes the table instead."""
        head = f'| {" | ".join(columns)} |\n|{"---|" * len(columns)}\n'
        before, found, text = PAGE.read_text(encoding='utf-8').partition(head)
        self.assertTrue(found, head)
        table, _, after = text.partition('\n\n')
        if os.environ.get('WRITE_TABLES'):
            made = '\n'.join(f'| {name} | {" | ".join(row)} |'
                             for name, row in rows.items())
            PAGE.write_text(f'{before}{head}{made}\n\n{after}',
                            encoding='utf-8')
            return
        written = {cells[0]: cells[1:] for cells in (
            line.strip('| ').split(' | ') for line in table.splitlines())}
        self.assertEqual(list(written), list(names or rows))
        for name, row in rows.items():
            for there, here in zip(written[name], row, strict=True):
                with self.subTest(row=name):
                    self.compare_cells(there, here, tolerance)

    def compare_cells(self, there, here, tolerance):
        numbers = [re.findall(r'[\d.]+', cell) for cell in (there, here)]
        words = [re.sub(r'[\d.]+', '0', cell) for cell in (there, here)]
        self.assertEqual(*words)
        for a, b in zip(*numbers, strict=True):
            self.assertAlmostEqual(float(a), float(b), delta=tolerance,
                                   msg=f'{there}, {here}')
