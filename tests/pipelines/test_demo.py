#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts/demo.sh: its files and its output, and invalid input."""
import json
import os
import re
import shutil
import subprocess

import launch

try:
    import gi  # noqa: F401, used by the demo
    import matplotlib.image
except ImportError as error:
    launch.skip(str(error))

# Seconds of the demo's clip. An event without duration has no end.
EVENTS = [('scene', 2, None), ('scene', 3.5, None), ('black', 6.9, 8.5),
          ('scene', 8.5, None), ('freeze', 10.5, 13.5)]
BLACK_COLOUR, FREEZE_COLOUR = (0, 114, 178), (230, 159, 0)  # of these times


class DemoTest(launch.PipelineTest):
    def demo(self, *arguments, **environment):
        """Runs the demo from an empty folder. Returns its exit status and its
        output."""
        result = subprocess.run(
            [launch.ROOT / 'scripts/demo.sh', *arguments], cwd=self.folder,
            env={**os.environ, 'OUT_DIR': str(self.folder / 'results'),
                 'SKIP_PACKAGES': '1', **environment}, text=True, timeout=240,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return result.returncode, result.stdout

    def check_results(self, frames, size):
        out = self.folder / 'results'
        with open(out / 'frames.jsonl', encoding='utf-8') as lines:
            *results, pooled = [line for line in map(json.loads, lines)
                                if line['type'] != 'event']
        self.assertEqual(pooled['frames'], frames)
        self.assertEqual([result['frame'] for result in results],
                         list(range(frames)))
        for result in results:
            self.assertEqual((result['width'], result['height']), size)
            self.assertEqual(result['count'][0], size[0] * size[1])
            self.assertTrue(result['min'][0] <= result['mean'][0]
                            <= result['max'][0])
        for name in ('statistics.png', 'timeline.png', 'contact-sheet.png',
                     'page.png'):
            picture = matplotlib.image.imread(out / name)
            self.assertGreater(min(picture.shape[:2]), 200, name)
            self.assertGreater(picture.std(), .05, name)

    def test_default_clip(self):
        status, text = self.demo()
        self.assertEqual(status, 0, text)
        self.check_results(60, (768, 576))
        self.assertIn('frames per second', text)
        self.assertRegex(text, r'Device: +\S')
        self.assertRegex(text, r'Events: +none\n')
        self.check_events(text)
        self.assertRegex(text, r'Borders: +768x576 at 0,48 of 768x672, ')
        # 2:3: two frames of five
        self.assertRegex(text, r'Telecine: 70 of 177 frames repeat a field')
        self.check_timeline()
        self.repeat_by_hand(text)

    def check_events(self, text):
        """The events of the second clip, and the contents of its lines."""
        self.assertEqual(re.findall(
            r'^ {10}(\w+) (?:at )?([\d.]+)(?: to ([\d.]+))? s$', text, re.M),
            [(name, f'{start:.2f}', f'{end:.2f}' if end else '')
             for name, start, end in EVENTS])
        with open(self.folder / 'results/changed.jsonl',
                  encoding='utf-8') as file:
            frames = [line for line in map(json.loads, file)
                      if line['type'] == 'frame']
        self.assertEqual(len(frames), 145)
        still = [frame['frame'] for frame in frames
                 if frame['mean-difference'][0] == 0]
        self.assertEqual(still, [0, *range(71, 85), *range(106, 135)])

    def columns(self, picture, colour):
        """Returns the first column of @picture with @colour, and the one after
        the last."""
        holds = (picture == colour).all(axis=2).any(axis=0).nonzero()[0]
        self.assertGreater(len(holds), 20)
        self.assertEqual(len(holds), holds[-1] + 1 - holds[0], 'one span')
        return holds[0], holds[-1] + 1

    def check_timeline(self):
        """The lane of black has the time scale; freeze has to be at its
        position, and the histogram below does not change there."""
        picture = matplotlib.image.imread(self.folder / 'results/timeline.png')
        picture = (picture[:, :, :3] * 255).round().astype(int)
        (_, start, end), (_, freeze_start, freeze_end) = EVENTS[2], EVENTS[4]
        left, right = self.columns(picture, BLACK_COLOUR)
        scale = (right - left) / (end - start)

        def column(seconds):
            return round(left + (seconds - start) * scale)

        for found, seconds in zip(self.columns(picture, FREEZE_COLOUR),
                                  (freeze_start, freeze_end)):
            self.assertLess(abs(found - column(seconds)), 3)

        height = len(picture)
        histogram = picture[height * 3 // 4:height * 9 // 10]

        def part(start, end):  # without the lines at both ends
            return histogram[:, column(start) + 3:column(end) - 3]

        frozen, moving, black = part(10.5, 13.5), part(8.5, 10.5), part(7, 8.5)
        self.assertTrue((frozen == frozen[:, :1]).all())
        self.assertGreater(frozen.std(axis=0).max(), 5)
        self.assertFalse((moving == moving[:, :1]).all())
        self.assertTrue((black == black[0, 0]).all(), 'no light there')
        self.assertLess(black.sum(axis=2).max(), frozen.sum(axis=2).min() + 1)

    def repeat_by_hand(self, text):
        """Pastes the printed lines into a shell."""
        lines = text[text.index('To repeat it by hand'):].splitlines()[1:]
        self.assertEqual(sum('gst-launch' in line for line in lines), 5)
        result = subprocess.run(['sh', '-e'], input='\n'.join(lines), text=True,
                                stdout=subprocess.PIPE, timeout=240,
                                stderr=subprocess.STDOUT, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(result.stdout.count('clframesum, timestamp='), 60)
        out = self.folder / 'results'
        picture = matplotlib.image.imread(out / 'local-mean.png')
        self.assertEqual(picture.shape[:2], (576, 768))
        page = matplotlib.image.imread(out / 'page-sauvola.png')
        self.assertEqual(page.shape[:2], (563, 558))
        self.assertEqual(sorted(set(page.flat)), [0, 1])
        self.assertTrue(.05 < 1 - page.mean() < .3, 'share of ink')
        again, changed = (
            re.sub('"element":"[^"]*"', '', (out / name).read_text())
            for name in ('again.jsonl', 'changed.jsonl'))
        self.assertEqual(again, changed)
        self.assertEqual((out / 'integral.u32').stat().st_size, 576 * 768 * 4)

    def test_other_codec_odd_size_and_sound(self):
        clip = self.folder / "it's a clip, 100% [odd].webm"
        plain = self.folder / 'plain.webm'
        launch.run('-q webmmux name=mux ! '
                   f'filesink location={plain} '
                   'videotestsrc pattern=ball num-buffers=12 ! '
                   'video/x-raw,width=323,height=241,framerate=25/1 ! '
                   'vp8enc deadline=1 ! queue ! mux. '
                   'audiotestsrc num-buffers=20 ! vorbisenc ! queue ! mux.')
        plain.rename(clip)
        status, text = self.demo(str(clip))
        self.assertEqual(status, 0, text)
        self.check_results(12, (323, 241))
        lines = text[text.index('To repeat it by hand'):].splitlines()[1:]
        subprocess.run(['sh', '-e'], input='\n'.join(lines), text=True,
                       stdout=subprocess.DEVNULL, timeout=240, check=True)

    def test_still_picture_and_relative_name(self):
        launch.run('-q videotestsrc num-buffers=1 ! video/x-raw,width=64,'
                   'height=33,format=RGB ! pngenc ! '
                   f'filesink location={self.folder}/still.png')
        status, text = self.demo('still.png')
        self.assertEqual(status, 0, text)
        self.check_results(1, (64, 33))

    def check_failure(self, expected, *arguments, **environment):
        status, text = self.demo(*arguments, **environment)
        self.assertNotEqual(status, 0, text)
        self.assertNotIn('Traceback', text)
        messages = [line for line in text.splitlines()
                    if line.startswith('demo: ')]
        self.assertEqual(len(messages), 1, text)
        self.assertRegex(messages[0], expected)

    def test_bad_files(self):
        (self.folder / 'empty.avi').write_bytes(b'')
        (self.folder / 'text.avi').write_text('This is no video.\n' * 50)
        with open(launch.CLIP, 'rb') as clip:
            (self.folder / 'cut.avi').write_bytes(clip.read(3000))
        launch.run('-q audiotestsrc num-buffers=20 ! wavenc ! '
                   f'filesink location={self.folder}/sound.wav')
        self.check_failure('no file', 'nowhere.avi')
        self.check_failure('cannot read', str(self.folder))
        self.check_failure('empty.avi: .', 'empty.avi')
        self.check_failure('text.avi: .', 'text.avi')
        self.check_failure('cut.avi: .', 'cut.avi')
        self.check_failure('no video', 'sound.wav')
        self.check_failure('one file', 'a.avi', 'b.avi')

    def test_no_device(self):
        self.check_failure('[Dd]evice', GST_OPENCL_DEVICE='no such device')
        self.check_failure('[Dd]evice', OCL_ICD_VENDORS='/nonexistent',
                           OPENCL_VENDOR_PATH='/nonexistent')

    def test_unwritable_results(self):
        (self.folder / 'file').touch()
        self.check_failure('cannot write',
                           OUT_DIR=str(self.folder / 'file/results'))


if __name__ == '__main__':
    if shutil.which('meson') is None:
        launch.skip('no meson, which the demo builds with')
    launch.main()
