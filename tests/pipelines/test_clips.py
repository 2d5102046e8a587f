#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the events find in clips of known truth, as they are and after codecs,
compared with the tables of docs/events.md; WRITE_TABLES=1 writes them."""
import itertools

import clips
import launch

try:
    import numpy as np
except ImportError as error:
    launch.skip(str(error))
clips.require_ffmpeg()

SIZE = f'size={clips.WIDTH}x{clips.HEIGHT}'
PEOPLE = (f"movie='{launch.CLIP}',scale={clips.WIDTH}:{clips.HEIGHT},"
          'settb=1/25,setpts=N')
# pictures that move, of 50 a second
MOVING = {
    'pattern': f'testsrc2={SIZE}:rate=50',
    'zoom': f'mandelbrot={SIZE}:rate=50:end_scale=0.01',
    'pan': f"movie='{launch.CLIP}',scale=384:288,settb=1/50,setpts=N,"
           f'loop=-1:1,crop={clips.WIDTH}:{clips.HEIGHT}:n:n/2',
    'rotation': f'mandelbrot={SIZE}:rate=50:start_scale=1,loop=-1:1,'
                'rotate=n/50'}
CODINGS = {'uncompressed': None, 'MPEG-2': clips.mpeg2(5),
           'H.264': clips.h264(23)}

PROGRESSIVE = 'framestep=2'
TOP, BOTTOM = ('tinterlace=interleave_top', 'tinterlace=interleave_bottom')
TELECINE = 'framestep=2,telecine,select=gte(n\\,{})'
TELECINE_BOTTOM = TELECINE.replace('telecine', 'telecine=first_field=bottom')
NOISE = 'loop=-1:1,noise=c0s=20:c0f=t'

# A row of the table: what is in the frames, the tag, the order of the event.
FIELD_ORDERS = {
    'top first, tagged as progressive': (TOP, 'progressive', 'top'),
    'bottom first, tagged as progressive': (BOTTOM, 'progressive', 'bottom'),
    'bottom first, tagged as top first': (BOTTOM, 'top first', 'bottom'),
    'top first, tagged as bottom first': (TOP, 'bottom first', 'top'),
    'telecined, tagged as progressive': (
        TELECINE.format(0), 'progressive', 'top'),
    'top first, tagged so': (TOP, 'top first', None),
    'bottom first, tagged so': (BOTTOM, 'bottom first', None),
    'progressive, tagged so': (PROGRESSIVE, 'progressive', None),
    'progressive, tagged as top first': (PROGRESSIVE, 'top first', None),
    'telecined, bottom first, tagged so': (
        TELECINE_BOTTOM.format(0), 'bottom first', None),
    'still, with noise': (NOISE, 'progressive', None)}


class FieldOrderTest(clips.ClipTest):
    def is_hit(self, lines, order):
        """At most ten frames are not part of the event."""
        events = [line for line in lines if line.get('state') == 'end']
        if not order:
            return not events
        return len(events) == 1 and events[0]['order'] == order and \
            events[0]['duration'] >= (clips.N_FRAMES - 10) * 1e9 / clips.RATE

    def test_page(self):
        rows = {}
        for name in clips.chosen(FIELD_ORDERS):
            made, tag, order = FIELD_ORDERS[name]
            heads = [head for source in MOVING.values()
                     for head in self.make(source, CODINGS.values(), made,
                                           tag=tag)]
            hits = [self.is_hit(lines, order) for lines in self.find(
                heads, 'events=field-order statistics=0')]
            rows[name] = [
                order or 'none',
                *(f'{sum(hits[i::len(CODINGS)])} of {len(MOVING)}'
                  for i in range(len(CODINGS)))]
        self.expect_table(('clips', 'event', *CODINGS), rows,
                          names=FIELD_ORDERS)


def dropped(first, n):
    return f',select=not(between(n\\,{first}\\,{first + n - 1}))'


# A row of the table: what is in the frames of each of its clips, the tag.
CADENCES = {
    'top first': ([TELECINE.format(n) for n in range(5)], 'top first'),
    'bottom first': ([TELECINE_BOTTOM.format(n) for n in range(5)],
                     'bottom first'),
    'tagged as progressive': ([TELECINE.format(n) for n in range(5)],
                              'progressive'),
    'cut, one to four frames less': (
        [TELECINE.format(0) + dropped(25, n) for n in range(1, 5)],
        'top first'),
    'cut, five frames less': ([TELECINE.format(0) + dropped(25, 5)],
                              'top first'),
    'interlaced': ([TOP], 'top first'),
    'progressive': ([PROGRESSIVE], 'progressive'),
    'progressive in interlaced video': ([PROGRESSIVE], 'top first'),
}


class CadenceTest(clips.ClipTest):
    PICTURES = 'pattern', 'pan', 'rotation'

    def repeats(self, head):
        """Frames since the one that repeats the top field of the frame before,
        of each frame of an uncompressed clip; None before the first one."""
        path = head.split('=')[1].split()[0]
        frames = np.fromfile(path, np.uint8).reshape(
            clips.N_FRAMES, -1)[:, :clips.WIDTH * clips.HEIGHT].reshape(
                clips.N_FRAMES, clips.HEIGHT, clips.WIDTH)
        same = (np.diff(frames[:, ::2].astype(np.int16), axis=0) == 0).all(
            axis=(1, 2))
        phases, phase = [None], None
        for is_repeated in same:
            phase = 0 if is_repeated else None if phase is None else phase + 1
            phases.append(phase)
        return phases

    def is_right(self, lines, phases, name):
        """A line has the cadence of the frame before."""
        frames = [line for line in lines if line['type'] == 'frame'][1:]
        found = [frame['cadence'] for frame in frames]
        expected = {'interlaced': 'none', 'progressive': 'none',
                    'progressive in interlaced video': '2:2'}.get(name, '2:3')
        settled = range(13, len(found))  # two cycles, and the first frames
        if 'less' in name and 'five' not in name:
            if 'broken' not in found[24:34]:
                return False
            settled = [*range(13, 24), *range(39, len(found))]
        return all(found[i] == expected for i in settled) and (
            expected != '2:3' or
            all(frames[i]['cadence-phase'] == phases[i] % 5 for i in settled))

    def test_page(self):
        rows = {}
        for name in clips.chosen(CADENCES):
            filters, tag = CADENCES[name]
            heads = [self.make(MOVING[picture], CODINGS.values(), made,
                               tag=tag)
                     for picture in self.PICTURES for made in filters]
            phases = [self.repeats(of_clip[0]) for of_clip in heads
                      for _ in CODINGS]
            found = self.find(itertools.chain(*heads), 'statistics=fields')
            right = [self.is_right(lines, phase, name)
                     for lines, phase in zip(found, phases)]
            rows[name] = [f'{sum(right[i::len(CODINGS)])} of {len(heads)}'
                          for i in range(len(CODINGS))]
        self.expect_table(('cadence', *CODINGS), rows, names=CADENCES)


NOISES = 0, 2, 4, 6, 8, 10, 15, 20


class ValueTest(clips.ClipTest):
    """Events that begin at a value of the frame."""

    def first_frames(self, source):
        raw = clips.ffmpeg('-f', 'lavfi', '-i', source, '-frames:v',
                           clips.N_FRAMES, *clips.RAW, '-')
        return np.frombuffer(raw, np.uint8).reshape(clips.N_FRAMES, -1)

    def cells(self, heads, event, value):
        """The mean value of each clip, bold if it has the event."""
        for lines in self.find(heads, f'events={event} statistics={value}'):
            kinds = [line['event'] for line in lines
                     if line.get('state') == 'start']
            self.assertIn(kinds, ([], [event]))
            text = f'{lines[-1][value]:.1f}'
            yield f'**{text}**' if kinds else text

    def test_noisy(self):
        """Normally distributed noise on luma."""
        n_luma = clips.WIDTH * clips.HEIGHT
        sources = {'flat grey': f'color=gray:{SIZE}', 'people': PEOPLE,
                   'zoom': MOVING['zoom']}
        rows = {}
        for name in clips.chosen(sources):
            frames = self.first_frames(sources[name])
            heads = []
            for deviation in NOISES:
                noisy = frames.astype(np.float64)
                noisy[:, :n_luma] += np.random.RandomState(deviation).normal(
                    0, deviation, (len(frames), n_luma))
                heads += self.make(
                    np.clip(np.rint(noisy), 0, 255).astype(np.uint8).tobytes(),
                    CODINGS.values())
            cells = [*self.cells(heads, 'noisy', 'noise')]
            for i, coding in enumerate(CODINGS):
                rows[f'{name}, {coding}'] = cells[i::len(CODINGS)]
        self.expect_table(('clip', *map(str, NOISES)), rows, 0.5, names=[
            f'{name}, {coding}' for name in sources for coding in CODINGS])

    def test_blocky(self):
        codings = {'uncompressed': None} | {
            f'MPEG-2, {scale}': clips.mpeg2(scale)
            for scale in (2, 8, 16, 31)} | {
                f'H.264, {rate}': clips.h264(rate) for rate in (23, 35, 45)}
        rows = {}
        for name, source in (('people', PEOPLE), ('pan', MOVING['pan']),
                             ('zoom', MOVING['zoom'])):
            heads = self.make(source, codings.values())
            rows[name] = [*self.cells(heads, 'blocky', 'blockiness')]
        self.expect_table(('clip', *codings), rows, 0.5)


class GapTest(clips.ClipTest):
    FORMS = {'MP4': ('libx264', 'mp4'), 'Matroska': ('libx264', 'matroska'),
             'MPEG-TS': ('mpeg2video', 'mpegts'), 'AVI': ('mpeg4', 'avi'),
             'FLV': ('libx264', 'flv')}
    KEPT = 'n+1', 'not(eq(n,30))', 'not(between(n,30,34))'

    def make_file(self, rate, codec, form, kept):
        self.n_clips += 1
        path = self.folder / str(self.n_clips)
        clips.ffmpeg('-f', 'lavfi', '-i', f'testsrc2=s=64x48:r={rate}:d=2.5',
                     '-vf', f"select='{kept}'", '-vsync', 'passthrough',
                     '-pix_fmt', 'yuv420p', '-c:v', codec, '-f', form, path)
        return f'filesrc location={path} ! decodebin ! queue'

    def test_containers(self):
        """The rate of the caps, and timestamps as demuxers give them."""
        rows = {}
        for rate in '24000/1001', '25', '60000/1001':
            heads = [self.make_file(rate, codec, form, kept)
                     for codec, form in self.FORMS.values()
                     for kept in self.KEPT]
            found = [str(sum(line['frames'] for line in lines
                             if line.get('state') == 'start'))
                     for lines in self.find(heads, 'events=gap statistics=0')]
            n = len(self.KEPT)
            rows[rate] = [', '.join(found[i:i + n])
                          for i in range(0, len(found), n)]
        self.expect_table(('frames a second', *self.FORMS), rows)


class RangeTest(clips.ClipTest):
    CODINGS = {'uncompressed': None, 'H.264, 23': clips.h264(23),
               'H.264, 35': clips.h264(35)}
    PICTURES = {
        'people': PEOPLE,
        'people, letterbox': f'{PEOPLE},drawbox=h=20:t=fill:c=black',
        'pattern': MOVING['pattern'], 'zoom': MOVING['zoom'],
        'rotation': MOVING['rotation'],
        'dark': f'{PEOPLE},lutyuv=y=16+(val-16)/4'}

    def test_page(self):
        rows = {}
        for shown in 'limited', 'full':
            for tagged in 'limited', 'full':
                filters = f'scale=in_range=limited:out_range={shown}'
                heads = [head for source in self.PICTURES.values()
                         for head in self.make(source, self.CODINGS.values(),
                                               filters,
                                               is_full=tagged == 'full')]
                found = [any(line.get('state') == 'start' for line in lines)
                           for lines in self.find(
                               heads, 'events=range statistics=0')]
                n = len(self.CODINGS)
                rows[f'{shown}, tagged as {tagged}'] = [
                    'no' if shown == tagged else 'yes',
                    *(f'{sum(found[i::n])} of {len(self.PICTURES)}'
                      for i in range(n))]
        self.expect_table(('clips', 'event', *self.CODINGS), rows)


if __name__ == '__main__':
    launch.main()
