#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clframesum location=FILE: the file has the results of the messages, at any
time, and its lines conform to docs/statistics.schema.json."""
import base64
import csv
import functools
import json
import operator
import re
import subprocess
import time

import launch
import messages
from messages import Gst

import numpy as np

try:
    import gi
    gi.require_version('GstVideo', '1.0')
    from gi.repository import GstVideo
except ValueError as error:
    launch.skip(str(error))
try:
    import jsonschema
except ImportError:  # the lines are compared all the same
    jsonschema = None

KINDS = {'clframesum': 'frame', 'clframesum-event': 'event',
         'clframesum-pooled': 'pooled'}
SPOILT = {
    'frame': ({'frame': '0'}, {'sum': [-1]}, {'min': [1.5]},
              {'components': ['X']}, {'type': None}),
    'event': ({'event': 'grey'}, {'state': 'begin'}, {'ratio': -1},
              {'zone': -1}, {'type': 'frame'}),
    'pooled': ({'frames': 0}, {'sum': ['-1']}, {'min': [1.5]},
               {'components': ['X']}),
}
SCHEMA = launch.ROOT / 'docs/statistics.schema.json'
VERSION = json.loads(SCHEMA.read_text(encoding='utf-8'))['properties'][
    'schema']['const']


def every_statistic():
    """All flags of the property, as a number."""
    element = Gst.ElementFactory.make('clframesum')
    flags = type(element.get_property('statistics')).__flags_values__
    return functools.reduce(operator.or_, flags)


def read_lines(text):
    """Returns the lines of a file. The first has the version of the schema,
    after its type; it is returned without."""
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line.pop('schema', None) for line in lines] == [
        VERSION, *[None] * (len(lines) - 1)], text[:200]
    assert text.startswith(f'{{"type":"{lines[0]["type"]}","schema":')
    return lines


def to_line(structure):
    """Returns the line of JSON for a message."""
    fields = messages.to_dict(structure)
    return {'type': KINDS[structure.get_name()]} | {
        name: None if value == Gst.CLOCK_TIME_NONE else value
        for name, value in fields.items()}


def is_packed(name):
    return name.endswith('-data') or name in ('waveform', 'vectorscope')


def from_base64(value, name='-data'):
    """Returns @value with numbers instead of text in fields of packed
    numbers."""
    if isinstance(value, dict):
        return {key: from_base64(entry, key) for key, entry in value.items()}
    if isinstance(value, list):
        return [from_base64(entry, name) for entry in value]
    if not is_packed(name):
        return value
    return np.frombuffer(base64.b64decode(value), '<u4').tolist()


def to_row(line):
    """Returns the row for a line of JSON: text under the names of columns."""
    row = {}
    for name, value in line.items():
        if isinstance(value, list) and name != 'components':
            row |= {f'{name}-{component}': f'{entry:.17g}'
                    if isinstance(entry, float) else str(entry)
                    for component, entry in zip(line['components'], value)}
        elif name not in ('type', 'components'):
            row[name] = '' if value is None else str(value)
    return row


class LocationTest(launch.PipelineTest):
    def play(self, source, options, name):
        """Plays @source through clframesum. Returns its messages as lines, and
        the path of the file."""
        path = self.folder / name
        pipeline = Gst.parse_launch(
            f'{source} ! clframesum location={path} {options} ! fakesink')
        try:
            lines = [to_line(structure)
                     for structure in messages.until_end(pipeline)
                     if structure.get_name() in KINDS]
            # at EOS the file is complete, though still open
            self.content = path.read_text(encoding='utf-8')
        finally:
            pipeline.set_state(Gst.State.NULL)
        self.assertEqual(path.read_text(encoding='utf-8'), self.content)
        return lines

    def written(self):
        return read_lines(self.path.read_text(encoding='utf-8'))

    def check_schema(self, lines):
        schema = json.loads(SCHEMA.read_text(encoding='utf-8'))
        for line in lines:
            kind = schema['$defs'][line['type']]
            for name in set(line) - set(kind['properties']):
                self.assertTrue([
                    pattern for pattern in kind.get('patternProperties', {})
                    if re.search(pattern, name)], name)
        if jsonschema is None:
            return
        validator = jsonschema.Draft202012Validator
        validator.check_schema(schema)
        for line in lines:
            validator(schema).validate(line)
        for line in lines:
            for spoilt in SPOILT[line['type']]:
                self.assertFalse(validator(schema).is_valid(line | spoilt))

    def test_lines_equal_the_messages(self):
        for source, options in (
                (launch.clip('I420', 322, 242, 4), ''),
                (launch.clip('I420', 322, 242, 4), 'async-depth=2'),
                (launch.clip('RGB', 321, 243, 4), 'stats-meta=false'),
                (launch.clip('GRAY16_LE', 321, 243, 2), 'statistics=moments'),
                (launch.clip('NV12', 17, 9, 2), 'planes=u statistics=range')):
            with self.subTest(source=source, options=options):
                expected = self.play(source, options, 'frames.jsonl')
                lines = read_lines(self.content)
                self.assertTrue(expected)
                self.assertEqual(lines, expected)
                self.assertEqual([list(line) for line in lines],
                                 [list(line) for line in expected], 'order')
                self.check_schema(lines)

    def test_events(self):
        """Each kind, and every field of one."""
        lines = self.play(
            'videotestsrc num-buffers=20 pattern=black ! video/x-raw,'
            'format=I420,width=48,height=32,framerate=10/1',
            'events=black+white+freeze+scene+single-color+defocus+range+'
            'signal-loss '
            'black-min-duration=500000000 statistics=moments+range+histogram '
            'grid-columns=2 zone-events=true post-messages=false',
            'events.jsonl')
        self.assertEqual(
            [json.loads(line) for line in self.content.splitlines()
             if '"frame"' not in line.split(',')[0]], lines)
        self.assertEqual([(line.get('event'), line.get('state'),
                           line.get('zone')) for line in lines],
                         [('black', 'start', None), ('black', 'start', 0),
                          ('black', 'start', 1), ('black', 'end', None),
                          ('black', 'end', 0), ('black', 'end', 1),
                          (None, None, None)])
        self.check_schema(lines)

    def test_every_statistic(self):
        """With zones and fields, and as rows, whose names are all
        different."""
        options = (f'statistics={every_statistic()} key-style=lavfi '
                   'grid-columns=3 grid-rows=2 width=200 histogram-bins=8 '
                   'fields=true packed-lines=true')
        source = (f'{launch.clip("I420", 322, 242, 2)} ! capssetter '
                  'replace=false caps=video/x-raw,interlace-mode=interleaved')
        expected = self.play(source, options, 'frames.jsonl')
        lines = read_lines(self.content)
        self.assertEqual([from_base64(line) for line in lines], expected)
        self.check_schema(lines)

        self.play(source, options, 'frames.csv')
        names, *rows = csv.reader(self.content.splitlines())
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([len(row) for row in rows], [len(names)] * 2)
        row = dict(zip(names, rows[1]))
        self.assertEqual(int(row['zone-histogram-U-5-3']),
                         lines[1]['zone-histogram'][1][5][3])
        self.assertEqual(float(row['zone-gamut-2']), lines[1]['zone-gamut'][2])
        self.assertEqual(int(row['field-sum-V-1']), lines[1]['field-sum'][2][1])
        self.assertEqual(int(row['field-row-min-U-1-59']),
                         lines[1]['field-row-min'][1][1][59])
        self.assertEqual(float(row['field-noise-1']),
                         lines[1]['field-noise'][1])
        self.assertEqual(row['waveform-V'], lines[1]['waveform'][2])
        self.assertEqual([row[f'waveform-shape-U-{i}'] for i in (0, 1)],
                         ['100', '8'])
        self.assertEqual(row['vectorscope-shape-1'], '8')

    def test_packed_lines(self):
        """Fields of packed numbers are missing, or are base64 text, which NumPy
        reads as the page says."""
        source = launch.clip('I420', 67, 33, 1)
        for properties, has_packed in ('', False), ('packed-lines=true', True):
            options = ('statistics=histogram+light-histogram+profiles+waveform '
                       f'histogram-format=packed grid-columns=2 {properties}')
            expected, _pooled = self.play(source, options, 'frames.jsonl')
            line, pooled = read_lines(self.content)
            self.check_schema([line, pooled])
            packed = [name for name in expected if is_packed(name)]
            self.assertEqual(sorted(packed), [
                'histogram-data', 'light-histogram-data', 'waveform',
                'zone-histogram-data'])
            self.assertEqual(from_base64(line), {
                name: value for name, value in expected.items()
                if has_packed or name not in packed})

            self.play(source, options, 'frames.csv')
            row, = csv.DictReader(self.content.splitlines())
            columns = [name for name in row if '-data' in name or
                       name.startswith('waveform-') and 'shape' not in name]
            self.assertEqual(columns, [
                *(f'histogram-data-{name}' for name in 'YUV'),
                *(f'waveform-{name}' for name in 'YUV'),
                'light-histogram-data',
                *(f'zone-histogram-data-{name}-{zone}' for name in 'YUV'
                  for zone in (0, 1))] if has_packed else [])
            for column in columns:
                name, = (name for name in packed if column.startswith(name))
                counts = expected[name]
                for index in column[len(name):].split('-')[1:]:
                    counts = counts['YUV'.find(index) if index in 'YUV'
                                    else int(index)]
                self.assertEqual(from_base64(row[column]), counts)

    def test_fields_of_two_components(self):
        """As many fields as components."""
        line, _pooled = self.play(
            'videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=NV12,'
            'width=34,height=18,interlace-mode=interleaved',
            'statistics=noise+moments planes=u+v fields=true', 'fields.csv')
        names, row = csv.reader(self.content.splitlines())
        row = dict(zip(names, row))
        self.assertEqual([float(row[f'field-noise-{i}']) for i in range(2)],
                         line['field-noise'])
        self.assertEqual([int(row[f'field-sum-V-{i}']) for i in range(2)],
                         line['field-sum'][1])

    def test_beyond_2_to_the_53(self):
        """Values that a parser of doubles rounds."""
        line, _pooled = self.play('videotestsrc num-buffers=1 pattern=white ! '
                          'video/x-raw,format=GRAY16_LE,width=2501,height=1501',
                          '', 'frames.jsonl')
        exact = 2501 * 1501 * line['min'][0] ** 2
        self.assertNotEqual(exact, int(float(exact)))
        self.assertIn(f'"sum-squares":[{exact}]', self.content)

    def test_no_time(self):
        source = (f'filesrc location={launch.decoded_clip()} num-buffers=2 '
                  'blocksize=442368 ! video/x-raw,format=GRAY8,width=768,'
                  'height=576,framerate=0/1')
        self.play(source, '', 'frames.jsonl')
        lines = read_lines(self.content)
        self.check_schema(lines)
        self.assertEqual([line['duration'] for line in lines],
                         [None] * 2 + [0])  # pooled

    def push(self, buffers, name, options='statistics=range'):
        """Pushes @buffers to clframesum. Returns its messages, as lines."""
        self.path = self.folder / name
        pipeline = Gst.parse_launch(
            'appsrc name=source format=time caps=video/x-raw,format=GRAY8,'
            'width=16,height=16,framerate=0/1 ! clframesum async-depth=0 '
            f'location={self.path} {options} ! fakesink')
        source = pipeline.get_by_name('source')
        first, *others = buffers
        source.emit('push-buffer', first)
        pipeline.set_state(Gst.State.PLAYING)
        try:
            # the sink plays first, and would pass the others before clframesum
            # has its clock
            self.assertEqual(
                pipeline.get_state(messages.PATIENCE * Gst.SECOND).state,
                Gst.State.PLAYING)
            for buffer in others:
                source.emit('push-buffer', buffer)
            source.emit('end-of-stream')
            return [to_line(structure)
                    for structure in messages.until_end(pipeline)]
        finally:
            pipeline.set_state(Gst.State.NULL)

    def test_types_of_regions(self):
        """A parser returns the values in the buffers."""
        types = ['"quoted", \\', '\x01\x1f\x7f', 'two\r\nlines', '\x85\u2028',
                 'caf\u00e9 \U0001f600', '']
        for name in 'frames.jsonl', 'frames.csv':
            buffer = Gst.Buffer.new_wrapped(bytes(256))
            for text in types:
                GstVideo.buffer_add_video_region_of_interest_meta(
                    buffer, text, 0, 0, 8, 8)
            expected = self.push([buffer], name)
            self.assertEqual(sorted(expected[0]['roi-type']), sorted(types))
            if name.endswith('.csv'):
                with open(self.path, encoding='utf-8', newline='') as file:
                    row, = csv.DictReader(file)
                self.assertEqual([row[f'roi-type-{i}']
                                  for i in range(len(types))],
                                 expected[0]['roi-type'])
            else:
                lines = self.written()
                self.assertEqual(lines, expected)
                self.check_schema(lines)

    def test_signal_loss(self):
        """Its own fields; null if they are unknown yet."""
        buffers = [Gst.Buffer.new_wrapped(bytes(256)) for _ in range(2)]
        for i, buffer in enumerate(buffers):
            buffer.pts, buffer.duration = 10 * i * Gst.SECOND, Gst.SECOND
        expected = self.push(buffers, 'events.jsonl', 'events=signal-loss')
        lines = self.written()
        self.check_schema(lines)
        start, end = [line for line in lines if line['type'] == 'event']
        self.assertEqual([start, end], [line for line in expected
                                        if line['type'] == 'event'])
        self.assertIsNone(start['silence'])
        self.assertEqual(end['duration'], 9 * Gst.SECOND)
        self.assertLess(end['silence'], 9 * Gst.SECOND)

    def test_times_of_64_bits(self):
        """Values that do not fit 64 bits are unknown."""
        early, late = (5, 2 ** 63), (2 ** 64 - 10, 8)
        beyond = 2 ** 64 - 5, 2 ** 63
        for times, end, duration in (
                ([early], 2 ** 63 + 5, 2 ** 63),
                ([early, late], 2 ** 64 - 2, 2 ** 63 + 8),
                ([beyond], None, 2 ** 63),
                ([early, beyond], 2 ** 63 + 5, None)):
            buffers = [Gst.Buffer.new_wrapped(bytes(256)) for _ in times]
            for buffer, time_and_duration in zip(buffers, times):
                buffer.pts, buffer.duration = time_and_duration
            expected = self.push(buffers, 'frames.jsonl')
            lines = self.written()
            self.assertEqual(lines, expected)
            self.check_schema(lines)
            *frames, pooled = lines
            self.assertEqual([(frame['timestamp'], frame['duration'])
                              for frame in frames], times)
            self.assertEqual((pooled['end-timestamp'], pooled['duration']),
                             (end, duration))

    def test_rows_equal_the_messages(self):
        for source, options in (
                (launch.clip('I420', 322, 242, 4), ''),
                (launch.clip('RGBA', 321, 243, 4), 'stats-meta=false'),
                (launch.clip('P010_10LE', 322, 242, 2), 'statistics=moments')):
            with self.subTest(source=source, options=options):
                expected = self.play(source, options, 'frames.csv')
                rows = list(csv.DictReader(self.content.splitlines()))
                self.assertEqual(rows, [to_row(line) for line in expected
                                        if line['type'] == 'frame'])

    # --- while it runs --------------------------------------------------------

    def start(self, line):
        process = subprocess.Popen(
            ['gst-launch-1.0', '-q', *line.split()],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def follow(self, process, path, n_lines):
        """Reads @path like tail -f until it has @n_lines."""
        text = ''
        end = time.monotonic() + messages.PATIENCE
        while not path.exists() and time.monotonic() < end:
            time.sleep(.01)
        with open(path, encoding='utf-8') as file:
            while text.count('\n') < n_lines and time.monotonic() < end:
                text += file.read()
                time.sleep(.005)
        self.assertIsNone(process.poll(), 'it runs no longer')
        self.assertGreaterEqual(text.count('\n'), n_lines)
        return text

    def check_numbers(self, text):
        """Frames from 0 on, each a whole line; and the other lines."""
        self.assertTrue(text.endswith('\n'), text[-200:])
        lines = [line for line in read_lines(text) if line['type'] == 'frame']
        self.assertEqual([line['frame'] for line in lines],
                         list(range(len(lines))))
        return lines

    def test_killed_while_a_reader_follows(self):
        for options in '', 'stats-meta=false':
            path = self.folder / f'live{options}.jsonl'
            process = self.start(
                'videotestsrc is-live=true ! video/x-raw,format=I420,width=64,'
                f'height=48,framerate=100/1 ! clframesum location={path} '
                f'{options} ! fakesink')
            seen = self.follow(process, path, 20)
            process.kill()
            process.wait()
            whole = path.read_text(encoding='utf-8')
            self.assertTrue(whole.startswith(seen))
            self.check_schema(self.check_numbers(whole))

    def test_error_of_a_later_element(self):
        """Another element fails: the measured frames are kept, and pooled."""
        path = self.folder / 'frames.jsonl'
        output = launch.run(
            'videotestsrc num-buffers=50 ! video/x-raw,width=64,height=48 ! '
            f'clframesum location={path} ! identity error-after=7 ! fakesink',
            check=False)
        self.assertIn('ERROR', output)
        text = path.read_text(encoding='utf-8')
        lines = self.check_numbers(text)
        self.assertGreaterEqual(len(lines), 7)
        last = json.loads(text.splitlines()[-1])
        self.assertEqual((last['type'], last['frames'], last['complete']),
                         ('pooled', len(lines), False))


if __name__ == '__main__':
    Gst.init(None)
    launch.main()
