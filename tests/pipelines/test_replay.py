#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc-replay: from the lines of frames that clframesum has written, the same
lines of events and pooled results, byte for byte."""
import json
import re
import subprocess
import sys

import launch

STATISTICS = ('moments+range+histogram+range-evidence+noise+active-area+'
              'blockiness+cells+detection')
EVENTS = ('black+white+freeze+scene+single-color+defocus+range+noisy+border'
          '+repeat+gap+blocky+card')
SHORT = {f'{event}-min-duration': 300000000
         for event in ('black', 'white', 'single-color', 'defocus',
                       'range', 'noisy', 'border', 'blocky', 'card')} | {
             'freeze-duration': 400000000}
LETTERBOX = 'video/x-raw,width=128,height=32 ! videoscale add-borders=true !'
SCENES = ('black', 'snow', 'smpte', 'white', 'ball', 'red')


def scenes(*caps, n_frames=12):
    """Returns the head of a launch line: that many frames of each of SCENES,
    and of a letterbox, in all of @caps, one after the other."""
    branches = ' '.join(
        f'videotestsrc pattern={pattern} num-buffers={n_frames} ! '
        f'{more} videoconvert ! video/x-raw,framerate=25/1,'
        f'pixel-aspect-ratio=1/1,{fixed} ! c.'
        for fixed in caps for pattern, more in (
            *((pattern, '') for pattern in SCENES), ('smpte', LETTERBOX)))
    return f'{branches} concat name=c'


def still_clip():
    """The real clip, with frozen frames."""
    return f'{launch.clip("I420", 192, 144, 60)} ! videorate ! ' \
        'video/x-raw,framerate=25/1'


def as_options(settings):
    return [f'--{name}={value}' for name, value in settings.items()]


def kinds(lines):
    """Returns the kinds of events and results."""
    return {line.get('event', line['type'])
            for line in map(json.loads, lines.splitlines())}


def without_version(lines):
    """Returns lines without the version of the schema, which the first line of
    a file has."""
    head, version, rest = lines.partition(b',"schema":1')
    assert b'\n' not in head and (version or not lines), lines[:100]
    return head + rest


class ReplayTest(launch.PipelineTest):
    def measure(self, source, settings, more=f'statistics={STATISTICS}'):
        """Returns the lines of frames, and all others, as bytes."""
        path = self.folder / 'lines.jsonl'
        properties = ' '.join(f'{name}={value}'
                              for name, value in settings.items())
        launch.run(f'-q {source} ! clframesum {more} {properties} '
                   f'location={path} post-messages=false stats-meta=false ! '
                   'fakesink')
        parts = {True: [], False: []}
        for line in without_version(
                path.read_bytes()).splitlines(keepends=True):
            parts[line.startswith(b'{"type":"frame"')].append(line)
        return b''.join(parts[True]), b''.join(parts[False])

    def replay(self, lines, settings=(), *more):
        result = subprocess.run(
            [PROGRAM, *as_options(dict(settings)), *more], input=lines,
            capture_output=True, timeout=60, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b''))
        return without_version(result.stdout)

    def refuse(self, lines, *options):
        """Returns its output for @lines, with @options."""
        result = subprocess.run([PROGRAM, *options], input=lines,
                                capture_output=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 2)
        text = result.stderr.decode()
        self.assertRegex(text, r'\Aclqc-replay: .*\n\Z')
        return text.removeprefix('clqc-replay: ').strip()

    def compare(self, source, settings,
                more=f'statistics={STATISTICS}'):
        """Returns the kinds of results."""
        frames, results = self.measure(source, settings, more)
        self.assertEqual(self.replay(frames, settings), results)
        return kinds(results)

    def test_formats(self):
        """Every event, in formats of every kind."""
        found = set()
        for caps in ('format=I420,width=64,height=48',
                     'format=NV12,width=64,height=48,colorimetry=1:3:5:1',
                     'format=I420_10LE,width=64,height=48',
                     'format=RGB,width=50,height=40',
                     'format=RGBA,width=50,height=40',
                     'format=GRAY8,width=33,height=31'):
            with self.subTest(caps=caps):
                found |= self.compare(scenes(caps),
                                      SHORT | {'events': EVENTS})
        # test_real_clip has repeated frames, test_gap has a gap, test_card
        # has colour bars
        self.assertEqual(found | {'repeat', 'gap', 'card'},
                         {'pooled', *EVENTS.split('+')})

    def test_16_bits(self):
        self.compare(scenes('format=GRAY16_LE,width=32,height=24', n_frames=4),
                     SHORT | {'events': EVENTS})

    def test_real_clip(self):
        """With other thresholds, replayed from lines without events."""
        source = still_clip()
        frames, results = self.measure(source, {})
        self.assertEqual(self.replay(frames), results)
        for settings in (
                {}, SHORT | {'scene-threshold': 0.5},
                {'defocus-ratio': 0.999, 'defocus-leave-ratio': 1,
                 'defocus-min-duration': 0, 'defocus-average-time': 10 ** 9},
                {'pixel-black-threshold': 0.45, 'picture-black-ratio': 0.5,
                 'black-min-duration': 80000000,
                 'white-pixel-threshold': 0.6, 'white-ratio': 0.52,
                 'white-leave-ratio': 0.51, 'white-min-duration': 0},
                {'single-color-spread': 0.3, 'single-color-ratio': 0.5,
                 'single-color-leave-ratio': 0.45,
                 'single-color-min-duration': 120000000},
                {'freeze-duration': 40000000}):
            with self.subTest(settings=settings):
                settings = {'events': EVENTS} | settings
                measured, results = self.measure(source, settings)
                self.assertEqual(measured, frames)
                self.assertEqual(self.replay(frames, settings), results)
                self.assertIn('repeat', kinds(results))
                self.assertGreater(len(kinds(results)), 2 if len(
                    settings) > 1 else 0, results)

    def test_gap(self):
        """Five frames are missing between two sources."""
        source = ' '.join(
            f'videotestsrc num-buffers=20 timestamp-offset={offset} ! '
            'video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1 ! c.'
            for offset in (0, 1000000000)
        ) + ' concat name=c adjust-base=false'
        self.assertIn('gap', self.compare(source, {'events': EVENTS}))

    def test_fields(self):
        """Values of each field are not used; decisions on frames, whose names
        begin alike, are."""
        source = (f'{launch.clip("I420", 192, 144, 60)} ! '
                  'interlace field-pattern=1:1 ! '
                  'video/x-raw,interlace-mode=interleaved')
        flags = f'statistics={STATISTICS}+fields'
        settings = {'events': EVENTS + '+field-order'}
        without = self.measure(source, settings, flags)
        frames, results = self.measure(source, settings,
                                       f'{flags} fields=true')
        self.assertEqual(results, without[1])
        self.assertIn(b'"field-mean":[[', frames)
        self.assertNotIn(b'"field-mean":[[', without[0])
        self.assertEqual(self.replay(frames, settings), results)

    def test_card(self):
        """A built-in card, and one of a file."""
        path = self.folder / 'cards'
        levels = ';'.join(['1000'] * 288 + ['0'] * 288)
        path.write_text('[half]\ngrid=32x18\ncomponents=Y\n'
                        f'levels={levels}\n', encoding='utf-8')
        for video_format in 'I420_10LE', 'RGB', 'NV12':
            with self.subTest(format=video_format):
                branches = ' '.join(
                    f'videotestsrc pattern={pattern} num-buffers=12 ! '
                    f'video/x-raw,format=I420,width=192,height={height},'
                    f'framerate=25/1 ! videobox bottom={height - 108} ! '
                    f'videoconvert ! video/x-raw,format={video_format} ! c.'
                    for pattern, height in (
                        ('smpte-rp-219', 108), ('white', 54), ('ball', 108)))
                settings = SHORT | {'events': 'card', 'card-file': path}
                frames, results = self.measure(
                    f'{branches} concat name=c', settings)
                self.assertEqual(re.findall(rb'"card":"(.*?)"', results),
                                 [b'smpte-rp-219'] * 2 + [b'half'] * 2)
                self.assertEqual(self.replay(frames, settings), results)

    def test_light(self):
        """Flashes, light and levels beyond the range, in frames and fields,
        whatever events were detected before."""
        settings = {'events': 'flash+levels', 'levels-min-duration': 80000000}
        more = 'statistics=moments+flash+light+light-histogram+levels'
        for caps, interlacing in (
                ('format=I420', ''), ('format=I420_10LE', ''),
                ('format=RGB', ''),
                ('format=NV12', 'interlace field-pattern=2:2 !')):
            is_rgb = 'RGB' in caps  # in which no code is beyond the range
            caps = f'video/x-raw,{caps},width=96,height=54,framerate=25/1'
            branches = ' '.join(
                f'videotestsrc {pattern} num-buffers=20 ! video/x-raw,'
                f'format=I420 ! {filters} videoconvert ! {caps} ! '
                f'{interlacing} c.' for pattern, filters in (
                    ('pattern=blink', ''),
                    ('pattern=blink foreground-color=0xffff0000', ''),
                    ('pattern=white', 'videobalance brightness=0.3 !'),
                    ('pattern=ball', '')))
            source = f'{branches} concat name=c'
            with self.subTest(caps=caps):
                frames, results = self.measure(source, settings, more)
                self.assertEqual(self.replay(frames, settings), results)
                self.assertEqual(
                    kinds(results) | ({'levels'} if is_rgb else set()),
                    {'flash', 'levels', 'pooled'})
                pooled = json.loads(results.splitlines()[-1])
                for name in 'max-cll', 'max-fall', 'robust-max-cll':
                    self.assertGreater(pooled[name], 0)
                self.assertEqual(pooled['levels-y'] > 0, not is_rgb)
                self.assertEqual(self.measure(source, {}, more)[0], frames)

    def test_wrong_light(self):
        """Numbers that JSON has not, or that are beyond their limits."""
        frames, _ = self.measure(
            scenes('format=I420,width=64,height=48', n_frames=1), {},
            'statistics=moments+light+levels')

        def change(name, value):
            return re.sub(f'"{name}":[^,]*,'.encode(), value.encode(), frames)

        for name in 'light-max', 'light-average', 'levels-r', 'levels-y':
            self.assertEqual(self.refuse(change(name, '')),
                             f"line 1: the field '{name}' is missing")
            for right in '0', '1', '1.0', '1E-2', '0.25e+0', '-0':
                self.replay(change(name, f'"{name}":{right},'))
            for wrong in ('-0.5', 'null', '1e999', '.5', '1.', '1e', '+1',
                          'nan', '"1"', '01', '0x1', '1.5.5'):
                self.assertRegex(
                    self.refuse(change(name, f'"{name}":{wrong},')),
                    f"line 1: .* the field '{name}'|"
                    f"line 1: the field '{name}' is wrong")
        self.replay(change('light-max', '"light-max":1.5,'))
        self.assertEqual(self.refuse(change('levels-g', '"levels-g":1.5,')),
                         "line 1: the field 'levels-g' is wrong")

    def test_noise(self):
        """The setting of the lines is used, with and without the option."""
        settings = SHORT | {'events': 'freeze', 'freeze-noise': 0.02}
        frames, results = self.measure(still_clip(), settings)
        self.assertIn('freeze', kinds(results))
        self.assertEqual(self.replay(frames, settings), results)
        del settings['freeze-noise']
        self.assertEqual(self.replay(frames, settings), results)
        self.assertRegex(
            self.refuse(frames, '--events=freeze', '--freeze-noise=0.021'),
            r"line 2: the field 'reference-limit' is \d+: .*freeze-noise")
        self.replay(frames, {'events': 'scene', 'freeze-noise': 0.021})

    def test_new_caps(self):
        """A new size continues; other components or depths begin a new
        result."""
        source = scenes('format=I420,width=64,height=48',
                        'format=Y444,width=96,height=48',
                        'format=RGB,width=96,height=48',
                        'format=I420_10LE,width=32,height=48',
                        'format=GRAY8,width=32,height=48', n_frames=11)
        frames, results = self.measure(source, SHORT | {'events': EVENTS})
        self.assertEqual(results.count(b'"type":"pooled"'), 4)
        self.assertEqual(
            self.replay(frames, SHORT | {'events': EVENTS}), results)

    def test_settings(self):
        """Planes, statistics, rectangles and zones."""
        yuv = 'format=I420,width=64,height=48'
        for more, events in (
                (f'statistics={STATISTICS} planes=y+v', EVENTS),
                (f'statistics={STATISTICS} planes=u+v', EVENTS),
                (f'statistics={STATISTICS} planes=0', EVENTS),
                ('statistics=detection planes=v', EVENTS),
                ('statistics=moments+detection', 'freeze+scene+defocus'),
                ('statistics=moments+range+histogram+detection '
                 'histogram-bins=9', 'freeze+scene+defocus'),
                ('statistics=moments+histogram', '0'),
                (f'statistics={STATISTICS}+percentiles+entropy+temporal+hue+'
                 'saturation+outliers key-style=lavfi position-x=7 width=31 '
                 'grid-columns=3 frame-interval=2', EVENTS),
                (f'statistics={STATISTICS} position-x=7 width=1', EVENTS)):
            with self.subTest(more=more):
                self.compare(scenes(yuv), SHORT | {'events': events}, more)

    def test_zones(self):
        """Zones have events if the option asks for them. Lines have their
        input whatever the value of events."""
        grid = 'zone-events=true grid-columns=3 grid-rows=2'
        zones = 'black+white+freeze+single-color+defocus'
        settings = SHORT | {'events': f'{zones}+scene', 'defocus-ratio': 0.99,
                            'defocus-leave-ratio': 1,
                            'defocus-min-duration': 0}
        more = f'statistics=moments+histogram+detection {grid}'
        for caps in ('format=I420,width=64,height=48',
                     'format=GRAY16_LE,width=33,height=25',
                     'format=BGRA,width=50,height=40'):
            with self.subTest(caps=caps):
                source = scenes(caps)
                frames, results = self.measure(source, settings, more)
                found = [json.loads(line) for line in results.splitlines()]
                self.assertEqual(
                    {event['event'] for event in found if 'zone' in event},
                    set(zones.split('+')))
                self.assertEqual(
                    self.replay(frames, settings, f'--zone-events={zones}'),
                    results)
                self.assertEqual(
                    [json.loads(line)
                     for line in self.replay(frames, settings).splitlines()],
                    [event for event in found if 'zone' not in event])
                self.assertEqual(self.measure(source, {}, more)[0], frames)

    def test_wrong_zones(self):
        """A member of zones is missing, or has not a value for each."""
        frames, _ = self.measure(
            scenes('format=I420,width=64,height=48', n_frames=1), {},
            'statistics=moments+histogram+detection zone-events=true '
            'grid-columns=2')
        line = json.loads(frames.splitlines()[0])
        options = ('--events=black+freeze+defocus',
                   '--zone-events=black+freeze+defocus')
        for name in ('x y width height count sum sum-squares histogram '
                     'reference-difference reference-count reference-limit '
                     'gradient-sum gradient-count').split():
            name = f'zone-{name}'
            value = line[name]
            wrong = [[], value + value[:1], value[:-1], -1]
            if name in ('zone-x', 'zone-count'):
                wrong.append(json.loads(re.sub(
                    r'\d+', '4294967296', json.dumps(value), count=1)))
            if isinstance(value[0], list):
                wrong += [[value[0], *value[1:-1], value[-1][:-1]],
                          [part[:-1] for part in value]]
            for other in wrong:
                text = json.dumps(line | {name: other}).encode()
                self.assertRegex(self.refuse(text, *options),
                                 "the field 'zone-[a-z-]*' is wrong")
                self.replay(text, {'events': 'black'})
            rest = {key: entry for key, entry in line.items() if key != name}
            if name != 'zone-x':  # without it, there are no zones
                self.assertIn(f"the field '{name}' is missing", self.refuse(
                    json.dumps(rest).encode(), *options))

    def test_lines(self):
        """Fields in any order and with spaces; other lines; seeks; an end that
        was none."""
        settings = SHORT | {'events': EVENTS}
        frames, results = self.measure(
            scenes('format=I420,width=64,height=48'), settings)
        lines = [json.loads(line) for line in frames.splitlines()]
        spaced = ''.join(
            json.dumps({'type': 'frame'} | dict(reversed(line.items())),
                       indent=None, separators=(' ,\t', ' : ')) + '\r\n'
            for line in lines)
        self.assertEqual(self.replay(spaced.encode(), settings), results)
        self.assertEqual(self.replay(
            results + frames.replace(b'\n', b'\n{"type":"other",}\n')[:-1],
            settings), results)
        self.assertEqual(
            self.replay(frames, settings, '--incomplete'),
            results.replace(b'"complete":true', b'"complete":false'))
        self.assertEqual(self.replay(b''), b'')
        twice = self.replay(frames + frames, settings)
        self.assertEqual(twice[-len(results):], results)
        self.assertEqual(twice.count(b'"type":"pooled"'), 1)

    def test_broken(self):
        """The error names the missing field, and the number of the line."""
        frames, _ = self.measure(
            scenes('format=I420,width=64,height=48', n_frames=1), {})
        first, second = frames.splitlines(keepends=True)[:2]

        def refuse(change, expected, events=EVENTS):
            text = self.refuse(first + change, f'--events={events}')
            self.assertRegex(text, f'^line 2: {expected}')

        fields = json.loads(second)
        needed = ('timestamp stream-time running-time duration frame depth '
                  'components count sum sum-squares min max histogram '
                  'full-range nominal-duration buffer-flags '
                  'previous-difference previous-count '
                  'reference-difference reference-count reference-limit '
                  'gradient-sum gradient-count').split()
        for name in needed:
            without = {key: value for key, value in fields.items()
                       if key != name}
            rest = json.dumps(without).encode()
            refuse(rest, f"the field '{name}' is missing")
            for wrong in ('-1', '1.5', '"1"', '18446744073709551616', '[1,]',
                          '[[1],[1,2],[1]]', '[1,2,3,4,5]', '["X"]', 'nul'):
                line = rest[:-1] + f',"{name}":{wrong}}}'.encode()
                refuse(line, f"the field '{name}' is wrong")
        refuse(re.sub(rb'"range-evidence":"\w+"', b'"range-evidence":"wide"',
                      second), "the field 'range-evidence' is wrong")
        refuse(second.replace(b'"depth":8', b'"depth":4'),
               "the field 'depth' is wrong")
        refuse(re.sub(rb'"count":\[\d+', b'"count":[4294967296', second),
               "the field 'count' is wrong")
        refuse(re.sub(rb'"histogram":\[.*?\]\]',
                      b'"histogram":[[1,2],[1,2],[3,4]]', second),
               "the field 'histogram' has 2 bins")
        self.assertIn("line 3: the field 'frame' is 1 after 1",
                      self.refuse(first + second + second))
        for length in range(1, len(second) - 2, 7):
            refuse(second[:length], '.*')
        for text in (b'\n', b'{}\n', b'frame', b'[]', b'\0\n', b'{"type"',
                     b'{"frame":1,"type":"frame"}', second[:-1] + b'}\n'):
            refuse(text, '(this is no line of JSON|the first field|there is)')

    def test_versions(self):
        """Lines of another version are refused, whatever their type."""
        frames, results = self.measure(
            scenes('format=I420,width=64,height=48', n_frames=1), {})
        said = subprocess.run([PROGRAM, '--version'], text=True, check=True,
                              capture_output=True, timeout=60).stdout
        self.assertRegex(said, r'\Aclqc-replay [\d.]+, schema 1\n\Z')
        for kind in b'frame', b'event':
            first = b'{"type":"%s","schema":%%d,' % kind
            lines = frames if kind == b'frame' else b'{"type":"event",\n'
            for version, reads in (1, True), (2, False), (0, False):
                text = lines.replace(first[:len(kind) + 11], first % version,
                                     1)
                if reads:
                    self.replay(text)
                    continue
                said = self.refuse(text)
                self.assertIn(f'version {version} of the schema', said)
                self.assertIn('reads version 1', said)
        self.assertIn("'schema' is wrong", self.refuse(
            b'{"type":"frame","schema":"1",'))
        self.assertEqual(self.replay(frames), results)

    def test_options(self):
        for option, expected in (
                ('--events=grey', "--events cannot be 'grey'"),
                ('--events=black+signal-loss', 'signal-loss'),
                ('--zone-events=black+scene', "cannot be 'black+scene'"),
                ('--scene-threshold=101', "cannot be '101'"),
                ('--black-min-duration=-1', "cannot be '-1'"),
                ('--black-ratio=1', 'Unknown option'), ('file', 'file')):
            with self.subTest(option=option):
                self.assertIn(expected, self.refuse(b'', option))

    def test_full_device(self):
        with open('/dev/full', 'wb') as full:
            frames, _ = self.measure(
                scenes('format=I420,width=64,height=48', n_frames=1), {})
            result = subprocess.run([PROGRAM], input=frames, stdout=full,
                                    stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, b'cannot write: No space')


if __name__ == '__main__':
    PROGRAM = sys.argv.pop(1)
    launch.main()
