#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clframesum statistics=fields compared with FFmpeg's idet on the same frames:
the decisions on each frame, and how many frames had each of them."""
import collections
import json
import shutil
import subprocess
import sys

import launch

if not shutil.which('ffmpeg'):
    launch.skip('there is no ffmpeg')

REPLAY = sys.argv.pop(1)
KEYS = ('single', 'multiple', 'repeated')
VALUES = {'single': ('tff', 'bff', 'progressive', 'undetermined'),
          'multiple': ('tff', 'bff', 'progressive', 'undetermined'),
          'repeated': ('neither', 'top', 'bottom')}
ORDERS = {'tff': 'top', 'bff': 'bottom', 'progressive': 'progressive'}
MOVING = 'testsrc2=size={size}:rate=50:duration=1'
WIDTH, HEIGHT = 192, 144

# What FFmpeg makes of a progressive clip, and the decision that most frames
# get.
CLIPS = {
    'progressive': ('gblur=sigma=4', ('multiple', 'progressive')),
    'top first': ('tinterlace=interleave_top', ('multiple', 'tff')),
    'bottom first': ('tinterlace=interleave_bottom', ('multiple', 'bff')),
    'telecined': ('telecine', ('repeated', 'neither')),
    'telecined, bottom first': ('telecine=first_field=bottom',
                                ('repeated', 'neither')),
    'still': ('loop=loop=-1:size=1,trim=end_frame=9',
              ('single', 'undetermined')),
    'one frame': ('trim=end_frame=1', ('single', 'undetermined')),
}
# FFmpeg's name of a format, and its size in bytes
FORMATS = {'I420': ('yuv420p', 3 / 2), 'Y42B': ('yuv422p', 2),
           'Y444': ('yuv444p', 3), 'GRAY8': ('gray', 1),
           'I420_10LE': ('yuv420p10le', 3)}


def ffmpeg(*words):
    return subprocess.run(['ffmpeg', '-v', 'error', '-y', *map(str, words)],
                          check=True, stdout=subprocess.PIPE, text=True).stdout


def as_input(path, video_format, height):
    return ('-f', 'rawvideo', '-pix_fmt', FORMATS[video_format][0], '-s',
            f'{WIDTH}x{height}', '-i', path)


class IdetTest(launch.PipelineTest):
    def make(self, source, made, video_format, height):
        path = self.folder / 'clip.raw'
        ffmpeg('-f', 'lavfi', '-i', source.format(size=f'{WIDTH}x{height}'),
               '-vf', f'{made},format={FORMATS[video_format][0]}', '-f',
               'rawvideo', path)
        return path

    def theirs(self, path, video_format, height):
        """A dict of the decisions on each frame."""
        text = ffmpeg(*as_input(path, video_format, height), '-vf',
                      'idet,metadata=print:file=-', '-f', 'null', '-')
        frames = []
        for line in text.splitlines():
            key, _, value = line.partition('=')
            if line.startswith('frame:'):
                frames.append({})
            elif key.endswith('.current_frame'):
                frames[-1][key.split('.')[2]] = value
        return frames

    def ours(self, path, video_format, height, more='', before=''):
        """The lines of frames as bytes, and all lines."""
        lines = self.folder / 'lines.jsonl'
        size = int(WIDTH * height * FORMATS[video_format][1])
        launch.run(
            f'-q filesrc location={path} blocksize={size} ! rawvideoparse '
            f'format={video_format.lower().replace("_", "-")} width={WIDTH} '
            f'height={height} ! {before} clframesum statistics=moments+fields '
            f'{more} location={lines} post-messages=false ! fakesink')
        written = lines.read_bytes().splitlines(keepends=True)
        return (b''.join(line for line in written if b'"frame",' in line[:16]),
                [json.loads(line) for line in written])

    def compare(self, path, video_format='I420', height=HEIGHT):
        """Returns the decisions."""
        expected = self.theirs(path, video_format, height)
        frames, lines = self.ours(path, video_format, height,
                                  'key-style=lavfi')
        *measured, pooled = lines
        self.assertEqual(len(measured), len(expected))
        self.assertEqual(pooled['type'], 'pooled')

        # a line has the decisions on the frame before
        self.assertEqual(
            [{key: line[f'idet.{key}.current_frame'] for key in KEYS}
             for line in measured[1:]], expected[:-1])
        for line in measured:
            self.assertEqual(
                [line[f'field-{key}'] for key in KEYS],
                [line[f'idet.{key}.current_frame'] for key in KEYS])
        self.assertEqual(measured[0]['field-order'], 'unknown')

        # the last one is in the pooled result alone
        for key in KEYS:
            counts = collections.Counter(frame[key] for frame in expected)
            self.assertEqual(
                {value: pooled[f'field-{key}-{value}']
                 for value in VALUES[key]},
                {value: counts[value] for value in VALUES[key]}, key)

        replayed = subprocess.run([REPLAY], input=frames, check=True,
                                  capture_output=True, timeout=60).stdout
        self.assertEqual(json.loads(replayed), {'schema': 1} | pooled)
        return expected, measured

    def test_clips(self):
        for name, (made, (key, value)) in CLIPS.items():
            with self.subTest(clip=name):
                path = self.make(MOVING, made, 'I420', HEIGHT)
                expected, measured = self.compare(path)
                found = collections.Counter(frame[key] for frame in expected)
                self.assertEqual(found.most_common(1)[0][0], value)
                self.assertEqual(measured[-1]['field-order'],
                                 ORDERS.get(expected[-1]['multiple'],
                                            'unknown'))

    def test_cadence(self):
        """From the third cycle of five frames on; a cut breaks it."""
        path = self.make(MOVING, 'telecine', 'I420', HEIGHT)
        _, lines = self.ours(path, 'I420', HEIGHT)
        frames = [line for line in lines if line['type'] == 'frame']
        self.assertEqual({line['cadence'] for line in frames[14:]}, {'2:3'})
        phases = [line['cadence-phase'] for line in frames[14:]]
        self.assertEqual(phases, [(phases[0] + i) % 5
                                  for i in range(len(phases))])

        cut = self.make(MOVING, "telecine,select='not(between(n,25,26))'",
                        'I420', HEIGHT)
        _, lines = self.ours(cut, 'I420', HEIGHT)
        cadences = [line['cadence'] for line in lines
                    if line['type'] == 'frame']
        self.assertEqual(cadences[20], '2:3')
        self.assertEqual(cadences[30], 'broken')
        self.assertEqual(cadences[45], '2:3')

        _, lines = self.ours(self.make(MOVING, CLIPS['top first'][0], 'I420',
                                       HEIGHT), 'I420', HEIGHT)
        self.assertEqual({line['cadence'] for line in lines[10:-1]}, {'none'})

        _, lines = self.ours(
            self.make(MOVING, CLIPS['progressive'][0], 'I420', HEIGHT), 'I420',
            HEIGHT, '', 'capssetter replace=false caps=video/x-raw,'
            'interlace-mode=interleaved,field-order=top-field-first !')
        self.assertEqual({line['cadence'] for line in lines[10:-1]}, {'2:2'})

    def test_field_order_event(self):
        """Interlaced frames in other caps."""
        for made, caps, order in (
                ('top first', 'progressive', 'top'),
                ('bottom first', 'progressive', 'bottom'),
                ('bottom first', 'interleaved,field-order=top-field-first',
                 'bottom'),
                ('top first', 'interleaved,field-order=top-field-first', None),
                ('progressive', 'progressive', None),
                ('still', 'progressive', None)):
            with self.subTest(clip=made, caps=caps):
                path = self.make(MOVING, CLIPS[made][0], 'I420', HEIGHT)
                frames, lines = self.ours(
                    path, 'I420', HEIGHT, 'events=field-order '
                    'field-order-min-duration=200000000',
                    'capssetter replace=false '
                    f'caps=video/x-raw,interlace-mode={caps} !')
                results = [line for line in lines if line['type'] != 'frame']
                self.assertEqual(
                    [(event['state'], event['order'])
                     for event in results[:-1]],
                    [('start', order), ('end', order)] if order else [])
                replayed = subprocess.run(
                    [REPLAY, '--events=field-order',
                     '--field-order-min-duration=200000000'], input=frames,
                    check=True, capture_output=True, timeout=60).stdout
                self.assertEqual(
                    [json.loads(line) for line in replayed.splitlines()],
                    [{'schema': 1} | results[0], *results[1:]])

    def test_formats(self):
        """Odd numbers of rows, noise near the thresholds."""
        for video_format in FORMATS:
            for height in HEIGHT, 91:
                with self.subTest(format=video_format, height=height):
                    if video_format != 'Y444' and height % 4:
                        continue  # FFmpeg packs planes, GStreamer pads rows
                    self.compare(self.make(
                        MOVING, 'tinterlace=merge,scale=h=ih/2,'
                        'noise=alls=40:allf=t', video_format, height),
                        video_format, height)

    def test_real_clip(self):
        path = self.folder / 'clip.raw'
        launch.run(f'-q {launch.clip("I420", WIDTH, HEIGHT, 40)} ! '
                   f'filesink location={path}')
        self.compare(path)

    def test_repeated(self):
        """One field of every third frame repeats that of the frame before."""
        path = self.make(MOVING, 'null', 'I420', HEIGHT)
        size = WIDTH * HEIGHT * 3 // 2
        data = bytearray(path.read_bytes())
        for number in range(2, len(data) // size, 3):
            parity = number // 3 % 2
            for row in range(parity, HEIGHT * 2, 2):
                # rows of chroma have half the width
                is_luma = row < HEIGHT
                width = WIDTH if is_luma else WIDTH // 2
                begin = row * WIDTH if is_luma else (
                    WIDTH * HEIGHT + (row - HEIGHT) * width)
                at = number * size + begin
                data[at:at + width] = data[at - size:at - size + width]
        path.write_bytes(data)
        expected, _ = self.compare(path)
        self.assertEqual({frame['repeated'] for frame in expected},
                         {'neither', 'top', 'bottom'})

    def test_still(self):
        """Where nothing moves any more, the order is unknown again."""
        path = self.make(MOVING, 'tpad=stop=8:stop_mode=clone', 'I420', HEIGHT)
        _, measured = self.compare(path)
        self.assertNotEqual(measured[-1]['field-multiple'], 'undetermined')
        self.assertEqual(measured[-1]['field-order'], 'unknown')


if __name__ == '__main__':
    launch.main()
