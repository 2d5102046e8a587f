# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kernels are compiled in a process of their own: streams do not compile, a
stop does not wait, and a compiler that crashes costs one implementation."""
import os
import pathlib
import re
import shutil
import signal
import subprocess

import launch

BUILD = pathlib.Path(os.environ['BUILD_DIR'])
PROGRAM = BUILD / 'gst/gst-opencl-compiler'
LIBRARY = BUILD / 'tests/faults/libclwrong.so'
SOURCE = ('videotestsrc pattern=smpte75 num-buffers={} ! '
          'video/x-raw,format=GRAY8,width=167,height=131,framerate=100/1 ! ')
ENDLESS = -1

# An element and part of the names of the kernels that only its first
# implementation on CPUs uses, with the name of its self-test.
ELEMENTS = [
    ('clframesum', 'moments_cpu_', 'moments cpu, luma'),
    ('clintegral', 'integral_cpu_', 'integral multi-pass-cpu, sums'),
    ('cllocalmean', 'localmean_sliding_cpu_', 'localmean sliding-cpu, mean'),
]


class CompilerTest(launch.PipelineTest):
    def setUp(self):
        super().setUp()
        self.script = self.folder / 'compiler'
        self.ended = self.folder / 'ended'
        self.write_script('')

    def write_script(self, before):
        """Stands for the program: runs the shell line @before and then it."""
        self.script.write_text(f'#!/bin/sh\n{before}\nexec "{PROGRAM}" "$@"\n')
        self.script.chmod(0o755)

    def write_watched_script(self, before):
        """Stands for the program: runs the shell line @before and then it, and
        writes its exit status to a FIFO."""
        os.mkfifo(self.ended)
        self.script.write_text(f'#!/bin/sh\n{before}\n"{PROGRAM}" "$@"\n'
                               f'echo "$?" > {self.ended}\n')

    def start(self, element, frames, **environment):
        return subprocess.Popen(
            ['gst-launch-1.0', '-q', *SOURCE.format(frames).split(),
             *element.split(), '!', 'filesink', f'location={self.folder}/out'],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=os.environ | {
                'GST_OPENCL_CACHE_DIR': f'{self.folder}/programs',
                'POCL_CACHE_DIR': f'{self.folder}/pocl',
                'GST_OPENCL_COMPILER': str(self.script),
                'GST_OPENCL_QUICK_START': '1',
                'GST_OPENCL_SELF_TEST': '1',
                'GST_DEBUG': 'clop:4,clcompile:5,clprogram:5,clselftest:3',
                'GST_DEBUG_NO_COLOR': '1'} | environment)

    def play(self, element, frames, **environment):
        """Plays to the end; returns the output."""
        with self.start(element, frames, **environment) as process:
            output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, output)
        return output

    def play_until_changed(self, element, **environment):
        """Plays until the op has its preferred implementation; returns the
        output."""
        return self.play_until(r' after \d+ runs with ', element,
                               **environment)

    def play_until(self, pattern, element, **environment):
        """Plays until a line of the output has @pattern; returns the
        output."""
        with self.start(element, ENDLESS, **environment) as process:
            output = ''
            for line in process.stdout:
                output += line
                if re.search(pattern, line):
                    process.send_signal(signal.SIGINT)
            process.wait(timeout=120)
        self.assertRegex(output, pattern)
        return output

    def expect_right(self, element):
        """All frames are alike, and right."""
        out = (self.folder / 'out').read_bytes()
        self.play(element, 1, GST_OPENCL_CACHE_DIR='',
                  GST_OPENCL_QUICK_START='0')
        frame = (self.folder / 'out').read_bytes()
        self.assertTrue(out)
        self.assertEqual(out, frame * (len(out) // len(frame)))

    def test_stream_compiles_nothing_beside(self):
        for element, _, _ in ELEMENTS[1:]:
            with self.subTest(element=element):
                output = self.play_until_changed(element)
                before, after = re.split(r'process \d+ compiles', output)
                self.assertIn('built ', before)
                self.assertNotIn('built ', after)
                self.assertIn('loaded ', after)
                self.expect_right(element)

    def test_programs_made_ahead(self):
        output = self.play_until(
            'prepared in ', 'cllocalmean', GST_OPENCL_PREPARE='1',
            POCL_CACHE_DIR=os.environ['POCL_CACHE_DIR'],
            GST_DEBUG='cllocalmean:5,clcompile:5,clprogram:5')
        before, *after = re.split(r'process \d+ compiles', output)
        self.assertIn('built ', before)
        self.assertGreaterEqual(len(after), 2)  # the second: ahead
        self.assertNotIn('built ', ''.join(after))
        self.assertGreater(''.join(after[1:]).count('loaded '), 4, output)

    def test_stop_does_not_wait(self):
        """The compile process begins when the stream has ended."""
        begin = self.folder / 'begin'
        os.mkfifo(begin)
        self.write_watched_script(f'read line < {begin}')
        for element, frames in (('clframesum', 1), ('clintegral', 1),
                                ('cllocalmean', 30)):
            with self.subTest(element=element, frames=frames):
                output = self.play(element, frames)
                self.assertIn(': starts with ', output)
                begin.write_text('\n')
                self.assertEqual(self.ended.read_text(), '0\n')
                output = self.play(element, frames)
                self.assertNotIn('built ', output)
                self.assertNotIn(': starts with ', output)

    def test_implementation_whose_compiler_crashes_is_left_out(self):
        for (element, kernel, name), wrong in zip(
                ELEMENTS[::2], ('crash', 'crash-late')):
            with self.subTest(element=element, wrong=wrong):
                shutil.rmtree(self.folder / 'programs', True)
                self.write_script(f'export LD_PRELOAD={LIBRARY} '
                                  f'CL_WRONG={wrong} CL_WRONG_KERNEL={kernel}')
                self.check_next_row(element, name)

    def check_next_row(self, element, name):
        output = self.play_until_changed(element, GST_OPENCL_TUNE='1')
        self.assertEqual(len(re.findall(
            f'WARN .*{name}: the compiler of .* ends its process',
            output)), 1, output)
        self.expect_right(element)
        verdicts, = (self.folder / 'programs').glob('verdicts-*')
        self.assertRegex(verdicts.read_text(),
                         rf'\[{name}\]\n.*\n.*\nverdict=crashed')
        # the next start does not try it
        output = self.play(element, 1, GST_OPENCL_TUNE='1')
        self.assertNotRegex(output, r'process \d+ compiles')
        self.assertNotIn('built ', output)
        self.expect_right(element)

    def test_crash_of_every_implementation(self):
        self.write_script(f'export LD_PRELOAD={LIBRARY} CL_WRONG=crash '
                          'CL_WRONG_KERNEL=moments_')
        with self.start('clframesum', ENDLESS) as process:
            output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, output)
        self.assertRegex(output, 'no implementation of op moments passes its '
                                 'self-test there')

    def test_driver_known_to_crash(self):
        """The stream compiles nothing itself, not even at its start."""
        self.write_script('export CL_WRONG=crash CL_WRONG_KERNEL=moments_cpu_')
        output = self.play('clframesum', 1, LD_PRELOAD=str(LIBRARY),
                           CL_WRONG_PLATFORM='rusticl', GST_OPENCL_TUNE='1')
        self.assertRegex(output, r'WARN .*moments cpu, luma: the compiler of '
                                 r'.* \(rusticl, .* ends its process')
        self.assertNotIn('built ', output)
        self.expect_right('clframesum')

        self.write_script('export CL_WRONG=kill')
        with self.start('clintegral', 1, LD_PRELOAD=str(LIBRARY),
                        CL_WRONG_PLATFORM='rusticl') as process:
            output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, output)
        self.assertRegex(output, r'\(rusticl, driver .*\) crashes or does not '
                                 r'end with the kernels of op integral\.')
        self.assertNotIn('built ', output)

    def test_every_op(self):
        """The program knows all ops: each is compiled, which kills it."""
        self.write_watched_script(
            f'export LD_PRELOAD={LIBRARY} CL_WRONG=kill')
        for element in [
                'clframesum statistics=' + statistics for statistics in (
                    'moments', 'histogram', 'profiles', 'blockiness', 'cells',
                    'waveform', 'flash', 'light')] + [
                        'clintegral', 'cllocalmean', 'clscope']:
            with self.subTest(element=element):
                output = self.play(element, 1, POCL_CACHE_DIR=os.environ[
                    'POCL_CACHE_DIR'])
                for _ in re.findall(r'process \d+ compiles', output):
                    self.assertEqual(self.ended.read_text(),
                                     f'{128 + signal.SIGKILL}\n', output)

    def test_killed_process_costs_nothing_else(self):
        self.write_script(f'export LD_PRELOAD={LIBRARY} CL_WRONG=kill')
        output = self.play_until_changed('clframesum')
        self.assertEqual(len(re.findall('WARN .*the process that compiles has '
                                        'crashed, was killed', output)), 1)
        self.assertNotIn('built ', re.split(r'process \d+ compiles', output)[1])
        self.expect_right('clframesum')
        self.assertEqual(
            list((self.folder / 'programs').glob('verdicts-*')), [])

    def test_program_that_cannot_load_the_plugin(self):
        """The stream compiles itself, and says so once."""
        output = self.play_until_changed('clframesum',
                                         GST_OPENCL_COMPILER='/bin/false')
        self.assertEqual(len(re.findall(
            'WARN .*compiles in this process', output)), 1, output)
        self.assertIn('built ', re.split(r'process \S+ compiles', output)[1])
        self.expect_right('clframesum')

    def test_no_program(self):
        for program in '', '/nowhere/compiler':
            shutil.rmtree(self.folder / 'programs', True)
            output = self.play_until_changed('clframesum',
                                             GST_OPENCL_COMPILER=program)
            self.assertRegex(output, 'INFO .*compiles in this process: ')
            self.assertNotIn('WARN', output)
            self.expect_right('clframesum')


if __name__ == '__main__':
    launch.main()
