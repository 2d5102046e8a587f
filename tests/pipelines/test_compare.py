#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clcompare compared with FFmpeg's psnr, ssim and xpsnr: encodings of a real
clip by several coders, in several formats, and what is not a pair. The lines
conform to docs/clcompare.schema.json.

usage: test_compare.py [--table]
  --table  prints the tables of docs/clcompare.md instead
"""
import csv
import json
import math
import re
import shutil
import subprocess
import sys

import launch

try:
    import jsonschema
except ImportError:  # the names of fields are compared all the same
    jsonschema = None

if not shutil.which('ffmpeg'):
    launch.skip('there is no ffmpeg')

FRAMES = 8
X264 = '-c:v libx264 -preset veryfast -crf {}'
X265 = '-c:v libx265 -preset ultrafast -x265-params log-level=none -crf {}'
AV1 = '-c:v libsvtav1 -preset 8 -qp {}'
MPEG2 = '-c:v mpeg2video -qscale:v {}'
FFV1 = '-c:v ffv1'
X264RGB = '-c:v libx264rgb'
# What is encoded: pixel format, size, coder.
CASES = {
    **{f'x264 {q}': ('yuv420p', '320x240', X264.format(q))
       for q in (18, 30, 42)},
    **{f'x265 {q}, 10 bits': ('yuv420p10le', '320x240', X265.format(q))
       for q in (18, 30, 42)},
    **{f'AV1 {q}': ('yuv420p', '320x240', AV1.format(q))
       for q in (20, 40, 60)},
    **{f'MPEG-2 {q}': ('yuv420p', '320x240', MPEG2.format(q))
       for q in (3, 9, 27)},
    'x264 4:2:2': ('yuv422p', '320x240', X264.format(30)),
    'x264 4:4:4': ('yuv444p', '320x240', X264.format(30)),
    'x264 4:2:2, 10 bits': ('yuv422p10le', '320x240', X264.format(30)),
    'x265 4:2:0, 12 bits': ('yuv420p12le', '320x240', X265.format(34)),
    'x264 R G B': ('gbrp', '320x240', f'{X264RGB} -crf 30'),
    'grey': ('gray', '320x240', f'-vf noise=alls=20 -color_range tv {FFV1}'),
    'odd size': ('yuv420p', '173x99', MPEG2.format(9)),
    'small': ('yuv420p', '48x32', MPEG2.format(9)),
    'large': ('yuv420p', '1280x720', X264.format(30)),
    'equal': ('yuv420p', '320x240', FFV1),
}

# What is changed in an encoding of 40 frames by x264.
CHANGED = {
    'nothing': '',
    'the first frame is dropped': '-vf trim=start_frame=1,'
                                  'setpts=PTS-STARTPTS -r 25',
    'a frame in the middle is dropped': r'-vf select=not(eq(n\,20)) '
                                        '-fps_mode passthrough',
    'the last ten frames are missing': '-frames:v 30',
    'full range': '-vf scale=out_range=full -color_range pc',
}
# What is made of FFmpeg's testsrc2.
GENERATED = {'black': 'lutyuv=y=16:u=128:v=128', 'negative': 'negate',
             'blurred': 'gblur=sigma=1.5',
             'noise': 'noise=alls=10:all_seed=1',
             'one sample': 'drawbox=3:5:1:1:white:fill'}

SCHEMA = json.loads(
    (launch.ROOT / 'docs/clcompare.schema.json').read_text(encoding='utf-8'))
# Fields that spoil a line of a type.
SPOILT = {
    'frame': ({'frame': '0'}, {'pad': 'reference'}, {'components': ['X']},
              {'squared-error': [-1]}, {'ssim-all': 1.5}, {'width': None},
              {'first-difference-x': -2}, {'zone-mse': [1]}),
    'event': ({'event': 'black'}, {'state': 'begin'}, {'side': 'left'},
              {'offset-frames': 1.5}, {'metric': 'vmaf'}),
    'pooled': ({'frames': -1}, {'span': 'hour'}, {'ssim-units': [0.5]},
               {'psnr-all-p1': '40'}, {'complete': 1}),
}

# The letters of XPSNR in FFmpeg's lines: of R, G and B, those of the planes.
LETTERS = {'Y': 'y', 'U': 'u', 'V': 'v', 'G': 'r', 'B': 'g', 'R': 'b'}


def ffmpeg(*words):
    result = subprocess.run(
        ['ffmpeg', '-hide_banner', '-nostdin', '-y', *map(str, words)],
        check=False, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise AssertionError(f'ffmpeg {words}\n{result.stdout}')
    return result.stdout


def has_xpsnr():
    return ' xpsnr ' in ffmpeg('-filters')


def numbers(text):
    """The names and values of a line of statistics, such as "Y:0.98 U:inf";
    decibels in parentheses are left out."""
    return {name.strip().lower(): float(value) for name, value in
            re.findall(r'([A-Za-z_ ]+): *(-?[0-9.]+|inf)', text)}


def printed(value, digits):
    """@value as FFmpeg prints it."""
    if value is None or math.isinf(value):
        return 'inf'
    return f'{value:.{digits}f}'


class CompareTest(launch.PipelineTest):
    def make(self, pixels, size, coder):
        """Writes the reference and an encoding of it."""
        reference, encoded = (self.folder / name
                              for name in ('reference.mkv', 'encoded.mkv'))
        filters = f'scale={size.replace("x", ":")}:flags=bicubic+bitexact'
        # FFV1 has other formats of R, G and B
        lossless = f'{X264RGB} -crf 0' if pixels == 'gbrp' else FFV1
        ffmpeg('-i', launch.CLIP, '-frames:v', FRAMES, '-r', 25, '-vf', filters,
               '-sws_flags', 'bitexact', '-pix_fmt', pixels, '-color_range',
               'pc' if pixels == 'gbrp' else 'tv', *lossless.split(), reference)
        ffmpeg('-i', reference, *coder.split(), '-pix_fmt', pixels, encoded)
        return reference, encoded

    def theirs(self, reference, encoded, small, is_first=False):
        """What FFmpeg says: lines of each frame, and the output. @is_first:
        the reference is the first input."""
        inputs = ((reference, encoded) if is_first else (encoded, reference))
        files = [self.folder / f'{name}.txt' for name in ('psnr', 'ssim')]
        # with vectors, ssim reads beyond narrow pictures (FFmpeg 5.1)
        output = ffmpeg(
            *('-cpuflags 0'.split() if small else ()), '-i', inputs[0],
            '-i', inputs[1], '-filter_complex',
            '[0:v]split[a][b];[1:v]split[c][d];'
            f'[a][c]psnr=stats_file={files[0]}[p];'
            f'[b][d]ssim=stats_file={files[1]}[s]',
            '-map', '[p]', '-f', 'null', '-', '-map', '[s]', '-f', 'null', '-')
        return [[numbers(line) for line in path.read_text().splitlines()]
                for path in files], output

    def their_xpsnr(self, reference, encoded):
        path = self.folder / 'xpsnr.txt'
        ffmpeg('-i', reference, '-i', encoded, '-lavfi',
               f'xpsnr=stats_file={path}', '-f', 'null', '-')
        lines = path.read_text().splitlines()
        return ([numbers(line) for line in lines if line.startswith('n:')],
                numbers(next(line for line in lines if 'average' in line)
                        .split('frames')[1]))

    def ours(self, reference, encoded, properties='',
             metrics='psnr+ssim+xpsnr+max-difference'):
        """The lines of frames, and the pooled one."""
        path = self.folder / 'lines.jsonl'
        launch.run(
            f'-q clcompare name=c metrics={metrics} '
            f'key-style=lavfi post-messages=false location={path} {properties} '
            f'! fakesink filesrc location={reference} ! decodebin ! queue ! '
            f'c.reference filesrc location={encoded} ! decodebin ! queue ! '
            'c.sink_0')
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return ([line for line in lines if line['type'] == 'frame'],
                next(line for line in lines if line['type'] == 'pooled'
                     and line['span'] == 'stream'),
                [line for line in lines if line['type'] == 'event'])

    def check_schema(self, lines):
        for line in lines:
            kind = SCHEMA['$defs'][line['type']]
            for name in set(line) - set(kind['properties']):
                self.assertTrue([
                    pattern for pattern in kind.get('patternProperties', {})
                    if re.search(pattern, name)], name)
        if jsonschema is None:
            return
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        validator = jsonschema.Draft202012Validator(SCHEMA)
        for line in lines:
            validator.validate(line)
            for spoilt in SPOILT[line['type']]:
                self.assertFalse(validator.is_valid(line | spoilt), spoilt)
            for name in SCHEMA['$defs'][line['type']]['required']:
                self.assertFalse(validator.is_valid(
                    {key: line[key] for key in line if key != name}), name)

    def check_frame(self, line, psnr, ssim):
        for i, name in enumerate(map(str.lower, line['components'])):
            self.assertEqual(printed(line['mse'][i], 2),
                             printed(psnr[f'mse_{name}'], 2))
            self.assertEqual(printed(line['psnr'][i], 2),
                             printed(psnr[f'psnr_{name}'], 2))
            # FFmpeg's floats are rounded in another order
            self.assertAlmostEqual(line['ssim'][i], ssim[name], delta=1.1e-6)
        self.assertEqual(printed(line['psnr-all'], 2),
                         printed(psnr['psnr_avg'], 2))
        self.assertAlmostEqual(line['ssim-all'], ssim['all'], delta=1.1e-6)

    def check_pooled(self, pooled, output):
        psnr = numbers(re.search(r'PSNR (.*)', output)[1])
        ssim = numbers(re.search(r'SSIM (.*)', output)[1])
        self.assertEqual(printed(pooled['psnr-all'], 4)[:-4],
                         printed(psnr['average'], 4)[:-4])
        self.assertAlmostEqual(pooled['psnr-all'] or math.inf, psnr['average'],
                               delta=5.1e-3 if pooled['psnr-all'] else None)
        self.assertAlmostEqual(pooled['ssim-all-mean'], ssim['all'],
                               delta=1.1e-6)
        for name, value in zip(pooled['components'], pooled['ssim']):
            self.assertAlmostEqual(value, ssim[name.lower()], delta=1.1e-6)

    def test_encodings(self):
        with_xpsnr = has_xpsnr()
        for name, case in CASES.items():
            with self.subTest(encoding=name):
                reference, encoded = self.make(*case)
                (psnr, ssim), output = self.theirs(reference, encoded,
                                                      name == 'small')
                lines, pooled, events = self.ours(reference, encoded)
                self.assertEqual(len(lines), FRAMES)
                self.assertEqual(len(psnr), FRAMES)
                self.assertEqual([e['event'] for e in events], [])
                for line, *values in zip(lines, psnr, ssim):
                    self.check_frame(line, *values)
                self.check_pooled(pooled, output)
                self.assertEqual(pooled['different-frames'],
                                 0 if name == 'equal' else FRAMES)
                # FFmpeg divides by zero for pictures without blocks
                if with_xpsnr and name != 'small':
                    self.check_xpsnr(reference, encoded, lines, pooled)

    def test_negative_ssim(self):
        """Of a negative picture; the means count it, too."""
        reference, negative = self.make('yuv420p', '320x240',
                                        f'-vf negate {FFV1}')
        (psnr, ssim), output = self.theirs(reference, negative, False)
        lines, pooled, _ = self.ours(reference, negative)
        for line, *values in zip(lines, psnr, ssim):
            self.check_frame(line, *values)
        self.assertLess(min(pooled['ssim']), 0)
        self.check_pooled(pooled, output)

    def check_xpsnr(self, reference, encoded, lines, pooled):
        frames, average = self.their_xpsnr(reference, encoded)
        for line, frame in zip(lines, frames):
            for name, value in zip(line['components'], line['xpsnr']):
                self.assertEqual(printed(value, 4),
                                 printed(frame[f'xpsnr {LETTERS[name]}'], 4))
        for name, value in zip(pooled['components'], pooled['xpsnr']):
            self.assertEqual(printed(value, 4),
                             printed(average[LETTERS[name]], 4))

    def test_what_is_no_pair(self):
        """A dropped frame, a shift by one frame, another range."""
        reference, _ = self.make('yuv420p', '320x240', FFV1)
        other = self.folder / 'other.mkv'

        ffmpeg('-i', reference, '-vf', r'select=not(eq(n\,3))', '-fps_mode',
               'passthrough', *FFV1.split(), other)
        lines, pooled, events = self.ours(reference, other)
        self.assertEqual(len(lines), FRAMES - 1)
        self.assertEqual(pooled['different-frames'], 0)
        self.assertEqual(pooled['unpaired-reference-frames'], 1)
        self.assertEqual([(e['event'], e['state']) for e in events],
                         [('unpaired', 'start'), ('unpaired', 'end')])
        self.check_schema([pooled, *events])

        # the page says how to convert a range
        ffmpeg('-i', reference, '-vf', 'scale=out_range=full', '-color_range',
               'pc', *FFV1.split(), other)
        with self.assertRaisesRegex(AssertionError, 'sink_0 has .*reference '
                                    'has .*videoconvert ! video/x-raw,color'):
            self.ours(reference, other)

    def test_no_threshold(self):
        """XPSNR and SSIM of other pictures are less than 0, and no mismatch."""
        paths = [self.folder / f'{name}.mkv' for name in ('a', 'b')]
        for path, source in zip(paths, ('testsrc2', 'color=black')):
            separator = ':' if '=' in source else '='
            ffmpeg('-f', 'lavfi', '-i',
                   f'{source}{separator}size=320x240:rate=25', '-frames:v', 4,
                   *FFV1.split(), '-pix_fmt', 'yuv420p', path)
        lines, _, events = self.ours(*paths)
        self.assertLess(min(line['xpsnr'][0] for line in lines), 0)
        self.assertEqual(events, [])

    def test_rows(self):
        """Equal frames and others have the same columns."""
        reference, other = (self.folder / f'{name}.mkv' for name in 'ab')
        rows = self.folder / 'rows.csv'
        ffmpeg('-f', 'lavfi', '-i', 'testsrc2=size=64x48:rate=25',
               '-frames:v', 4, *FFV1.split(), '-pix_fmt', 'yuv420p', reference)
        # the fourth sample of the sixth row of one frame
        ffmpeg('-i', reference, '-vf', 'drawbox=3:5:1:1:pink:fill:'
               r'enable=eq(n\,2)', *FFV1.split(), other)
        launch.run(
            f'-q clcompare name=c metrics=psnr+ssim+max-difference '
            f'post-messages=false location={rows} ! fakesink '
            f'filesrc location={reference} ! decodebin ! queue ! c.reference '
            f'filesrc location={other} ! decodebin ! queue ! c.sink_0')
        with rows.open(encoding='utf-8', newline='') as file:
            found = list(csv.DictReader(file))
        self.assertEqual(
            [[row[f'first-difference-{name}'] for name in
              ('component', 'x', 'y')] for row in found],
            [['', '-1', '-1']] * 2 + [['Y', '3', '5'], ['', '-1', '-1']])
        # infinity
        self.assertEqual([row['psnr-Y'] == '' for row in found],
                         [True, True, False, True])

    def test_shift(self):
        """A stream that is a frame late, of 40 frames."""
        paths = [self.folder / f'{name}.mkv' for name in ('a', 'b')]
        for path, start in zip(paths, (1, 0)):
            ffmpeg('-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25',
                   '-vf', f'trim=start_frame={start},setpts=PTS-STARTPTS',
                   '-frames:v', 40, '-r', 25, *FFV1.split(), '-pix_fmt',
                   'yuv420p', path)
        _, _, events = self.ours(*paths)
        self.assertEqual([(e['event'], e['state']) for e in events],
                         [('offset', 'start'), ('offset', 'end')])
        self.assertEqual(events[0]['offset-frames'], 1)
        self.check_schema(events)

    def test_schema(self):
        """Lines with all fields, of frames that have zones and SSIM, and of
        some that have neither."""
        for size, coder, properties in (
                ('320x240', MPEG2.format(27), 'grid-columns=2 min-psnr=60'),
                ('7x6', FFV1, '')):
            reference, encoded = self.make('yuv420p', size, coder)
            lines, pooled, events = self.ours(
                reference, encoded, properties,
                'psnr+ssim+xpsnr+max-difference+histogram')
            self.assertEqual(len(events), 2 if properties else 0)
            self.assertEqual('zone-ssim' in lines[0], bool(properties))
            self.check_schema([*lines, pooled, *events])


def print_table():
    """The pooled results of each encoding, ours and FFmpeg's."""
    print('| encoding | format | PSNR | FFmpeg | SSIM | FFmpeg | XPSNR | '
          'FFmpeg |')
    print('|---|---|---:|---:|---:|---:|---:|---:|')
    test = CompareTest()
    for name, case in CASES.items():
        test.setUp()
        files = test.make(*case)
        (_, _), output = test.theirs(*files, name == 'small')
        _, pooled, _ = test.ours(*files)
        psnr = numbers(re.search(r'PSNR (.*)', output)[1])['average']
        ssim = numbers(re.search(r'SSIM (.*)', output)[1])['all']
        first = 'G' if 'G' in pooled['components'] else pooled['components'][0]
        xpsnr = pooled['xpsnr'][pooled['components'].index(first)]
        theirs = '-'
        if has_xpsnr() and name != 'small':
            average = test.their_xpsnr(*files)[1]
            theirs = printed(average[LETTERS[first]], 4)
        print(f'| {name} | {case[0]} {case[1]} | '
              f'{printed(pooled["psnr-all"], 6)} | {printed(psnr, 6)} | '
              f'{pooled["ssim-all-mean"]:.6f} | {ssim:.6f} | '
              f'{printed(xpsnr, 4)} | {theirs} |')
        test.tearDown()


def print_pairs():
    """The pooled results of streams that differ in other things than their
    encoding, ours and FFmpeg's, whose first input is the reference."""
    print('| change | pairs | PSNR | FFmpeg | SSIM | FFmpeg | events |')
    print('|---|---:|---:|---:|---:|---:|---|')
    test = CompareTest()
    test.setUp()
    reference, coded, source, other = (
        test.folder / f'{name}.mkv'
        for name in ('reference', 'coded', 'source', 'other'))
    common = ['-frames:v', 40, '-pix_fmt', 'yuv420p', '-color_range', 'tv',
              *FFV1.split()]
    ffmpeg('-r', 25, '-i', launch.CLIP, '-vf',
           'scale=320:240:flags=bicubic+bitexact', *common, reference)
    ffmpeg('-i', reference, *X264.format(30).split(), coded)
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25', *common,
           source)
    cases = [(name, reference, coded, change.split())
             for name, change in CHANGED.items()] + [
        (f'testsrc2: {name}', source, source, ['-vf', change])
        for name, change in GENERATED.items()]
    for name, first, original, change in cases:
        ffmpeg('-i', original, *change, *FFV1.split(), other)
        _, output = test.theirs(first, other, False, True)
        psnr = numbers(re.search(r'PSNR (.*)', output)[1])['average']
        ssim = numbers(re.search(r'SSIM (.*)', output)[1])['all']
        try:
            _, pooled, events = test.ours(first, other)
            words = ', '.join(event['event'] for event in events
                              if event['state'] == 'start')
            found = (pooled['frames'], printed(pooled['psnr-all'], 4),
                     printed(pooled['ssim-all-mean'], 6), words)
        except AssertionError as error:
            found = (0, '-', '-', re.search('sink_0 has[^.]*', str(error))[0])
        print(f'| {name} | {found[0]} | {found[1]} | {printed(psnr, 4)} | '
              f'{found[2]} | {printed(ssim, 6)} | {found[3]} |')
    test.tearDown()


if __name__ == '__main__':
    if sys.argv[1:] == ['--table']:
        print_table()
        print()
        print_pairs()
    else:
        launch.main()
