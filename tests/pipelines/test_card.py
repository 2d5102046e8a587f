#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Known pictures that clframesum events=card finds in clips of known truth,
and clips where it must find none, compared with the table of docs/events.md;
WRITE_TABLES=1 writes the table."""
import json

import clips
import launch
import messages

try:
    import numpy
except ImportError as error:
    launch.skip(str(error))
clips.require_ffmpeg()

N_FRAMES = 20
SIZE = 720, 576

# The name of each card, and a source filter of FFmpeg.
CARDS = {'`smptehdbars`': ('smpte-rp-219', 'smptehdbars'),
         '`smptebars`': ('smpte-170m', 'smptebars'),
         '`pal75bars`': ('ebu-100-0-75-0', 'pal75bars'),
         '`pal100bars`': ('ebu-100-0-100-0', 'pal100bars'),
         '`smpte-rp-219` of videotestsrc': ('smpte-rp-219', None),
         'a learnt frame of `testsrc`': ('slate', 'testsrc'),
         'learnt words on black': ('words', None)}
OTHERS = {'people': None, '`testsrc2`': 'testsrc2', '`mandelbrot`':
          'mandelbrot', '`rgbtestsrc`': 'rgbtestsrc', 'black': 'color=black',
          'grey': 'color=gray', '`smptebars`, mirrored': 'smptebars',
          **{f'`{pattern}` of videotestsrc': None
             for pattern in ('smpte', 'smpte75', 'smpte100', 'gradient')},
          'other words on black': None}

# A size, filters, and formats of FFmpeg and of rawvideoparse.
I420 = 'yuv420p', 'i420'
CLOCK = '[a];testsrc=size=144x58:rate=25[b];[a][b]overlay=W-w-36:36'
CONDITIONS = {
    '720 x 576': (SIZE, '', I420), '1920 x 1080': ((1920, 1080), '', I420),
    '353 x 289': ((353, 289), '', I420),
    '10 bits': (SIZE, '', ('yuv420p10le', 'i420-10le')),
    'RGB': (SIZE, '', ('rgb24', 'rgb')), 'luma alone': (SIZE, '', I420),
    'noise': (SIZE, ',noise=alls=60:allf=t', I420),
    'H.264': (SIZE, '', I420),
    'from 160 x 120': (SIZE, ',scale=160:120,scale=720:576', I420),
    'clock': (SIZE, CLOCK, I420)}


def layout(width, height):
    """Returns properties of rawvideoparse: FFmpeg pads no rows of I420."""
    chroma = (width + 1) // 2
    sizes = [width * height, *[chroma * ((height + 1) // 2)] * 2]
    return (f'plane-strides="<{width},{chroma},{chroma}>" '
            f'plane-offsets="<0,{sizes[0]},{sizes[0] + sizes[1]}>" '
            f'frame-size={sum(sizes)}')


def write_words(path, seed):
    """Writes raw I420 of black with a line of a fifteenth of the height,
    whose strokes are as those of words."""
    width, height = SIZE
    frame = numpy.full(width * height * 3 // 2, 128, numpy.uint8)
    luma = frame[:width * height].reshape(height, width)
    luma[:] = 16
    strokes = numpy.random.default_rng(seed).random((8, 80)) < .2
    luma[268:308, 120:600] = 16 + 219 * strokes.repeat(5, 0).repeat(6, 1)
    path.write_bytes(frame.tobytes() * N_FRAMES)


class CardTest(clips.ClipTest):
    def source(self, name, filter_name, size):
        """Returns FFmpeg's options of an input, and the filters after it."""
        width, height = size
        scale = f'scale={width}:{height}'
        if filter_name:
            separator = ':' if '=' in filter_name else '='
            more = 'hflip' if 'mirrored' in name else 'null'
            if filter_name == 'testsrc':  # as learnt
                width, height = SIZE
                more = f'loop=-1:1,{scale}'
            return (['-f', 'lavfi', '-i',
                     f'{filter_name}{separator}size={width}x{height}:rate=25'],
                    more)
        if name == 'people':
            return ['-i', launch.CLIP], scale
        raw = self.folder / 'pattern.raw'
        if 'words' in name:
            write_words(raw, len(name))
        else:
            launch.run(f'-q videotestsrc pattern={name.split("`")[1]} '
                       f'num-buffers={N_FRAMES} ! video/x-raw,format=I420,'
                       f'width={SIZE[0]},height={SIZE[1]} ! '
                       f'filesink location={raw}')
        return (['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s',
                 f'{SIZE[0]}x{SIZE[1]}', '-r', 25, '-i', raw], scale)

    def make_line(self, path, name, filter_name, condition):
        """Writes a clip; returns the launch line that measures it."""
        (width, height), filters, (pixels, parsed) = CONDITIONS[condition]
        options, first = self.source(name, filter_name, (width, height))
        coded = self.folder / 'clip.mkv'
        made = [*options, '-filter_complex', f'[0]{first}{filters}',
                '-frames:v', N_FRAMES]
        if condition == 'H.264':
            clips.ffmpeg(*made, '-pix_fmt', 'yuv420p', '-c:v', 'libx264',
                         '-crf', 35, coded)
            made = ['-i', coded]
        clips.ffmpeg(*made, '-f', 'rawvideo', '-pix_fmt', pixels, path)
        planes = 'planes=y' if condition == 'luma alone' else ''
        return (f'filesrc location={path} ! rawvideoparse format={parsed} '
                f'width={width} height={height} framerate=25/1 '
                f'{layout(width, height) if width % 4 else ""} ! clframesum '
                f'events=card statistics=0 card-min-duration=200000000 '
                f'card-file={self.cards} {planes} location={path}.jsonl '
                'post-messages=false ! fakesink')

    def learn(self):
        """Writes the card file, from the measured cells of two frames."""
        self.cards = self.folder / 'cards'
        slate, words = self.folder / 'slate.raw', self.folder / 'words.raw'
        clips.ffmpeg('-f', 'lavfi', '-i', f'testsrc=size={SIZE[0]}x{SIZE[1]}',
                     '-frames:v', 1, '-f', 'rawvideo', '-pix_fmt', 'yuv420p',
                     slate)
        write_words(words, len('learnt words on black'))
        self.cards.write_text(self.group('slate', slate)
                              + self.group('words', words), encoding='utf-8')

    def group(self, name, raw):
        """Returns the group of a card file."""
        launch.run(f'-q filesrc location={raw} ! rawvideoparse format=i420 '
                   f'width={SIZE[0]} height={SIZE[1]} ! clframesum '
                   f'statistics=cells+detection location={raw}.jsonl ! '
                   'fakesink')
        with open(f'{raw}.jsonl', encoding='utf-8') as lines:
            means = json.loads(lines.readline())['cell-means']
        luma, blue, red = numpy.array(means) / 16  # in codes of 8 bits
        luma = (luma - 16) / 219
        red = luma + 1.402 * (red - 128) / 224  # BT.601
        blue = luma + 1.772 * (blue - 128) / 224
        green = (luma - .299 * red - .114 * blue) / .587
        levels = 1000 * numpy.stack([red, green, blue], 1)
        numbers = ';'.join(map(str, numpy.rint(levels).astype(int).ravel()))
        return (f'[{name}]\ngrid=32x18\ncomponents=RGB\n'
                f'levels={numbers}\n')

    def cell(self, truth, path):
        events = [line for line in map(
            json.loads, path.read_text(encoding='utf-8').splitlines())
            if line.get('state') == 'end']
        if not events:
            return 'none'
        found = [(event['card'], event['start-frame'], event['frame'])
                 for event in events]
        if found == [(truth, 0, N_FRAMES)]:
            return 'yes'
        return ', '.join(f'{name} {start}-{end}' for name, start, end in found)

    def row(self, name, truth, filter_name):
        paths = [self.folder / f'{i}.raw' for i in range(len(CONDITIONS))]
        lines = [self.make_line(path, name, filter_name, condition)
                 for path, condition in zip(paths, CONDITIONS)]
        launch.run('-q ' + ' '.join(lines))
        return [self.cell(truth, self.folder / f'{path.name}.jsonl')
                for path in paths]

    def error_of(self, line):
        """Returns the text of the first error; empty at EOS. gst-launch-1.0
        sometimes waits for ever after an error before the first frame."""
        pipeline = messages.Gst.parse_launch(line)
        try:
            for _ in messages.until_end(pipeline):
                pass
        except AssertionError as failure:
            return failure.args[0][0].message
        finally:
            pipeline.set_state(messages.Gst.State.NULL)
        return ''

    def test_wrong_files(self):
        """The error names the file; there is none without the event."""
        path = self.folder / 'cards'
        for text, message in (
                (None, 'No such file'), ('x', 'Key file'),
                ('[x]\ngrid=1x1\n', "card 'x': grid is not 32x18")):
            if text:
                path.write_text(text, encoding='utf-8')
            for events, n_paths in ('card', 1), ('black', 0):
                error = self.error_of(
                    'videotestsrc num-buffers=5 ! clframesum '
                    f'card-file={path} events={events} ! fakesink')
                self.assertEqual(error.count(str(path)), n_paths, error)
                self.assertEqual(message in error, n_paths == 1, error)

    def test_page(self):
        self.learn()
        truths = {**CARDS, **{name: (None, source)
                              for name, source in OTHERS.items()}}
        rows = {name: self.row(name, *truths[name])
                for name in clips.chosen(truths)}
        self.expect_table(('clip', *CONDITIONS), rows, names=truths)

    def compare_cells(self, there, here, _tolerance):
        self.assertEqual(there, here)


if __name__ == '__main__':
    messages.Gst.init(None)
    launch.main()
