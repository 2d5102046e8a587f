#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A device that computes wrong results without an error: the self-test detects
it, another implementation replaces the failing one and has correct results;
without another one the pipeline ends with one clear error."""
import os
import pathlib
import re
import shlex
import subprocess

import launch

BUILD = pathlib.Path(os.environ['BUILD_DIR'])
LIBRARY = str(BUILD / 'tests/faults/libclwrong.so')
PLAYLINE = str(BUILD / 'tests/faults/playline')
SOURCE = ('videotestsrc num-buffers=2 pattern=smpte75 ! '
          'video/x-raw,format=GRAY8,width=167,height=131 ! ')
WARNING = r'WARN +clselftest .*: wrong result on '

# An element, its first implementation on CPUs, and the kernels that only this
# one uses.
FIRST = [
    ('clintegral', 'integral multi-pass-cpu, sums', 'integral_cpu_'),
    ('cllocalmean', 'localmean sliding-cpu, mean',
     'localmean_sliding_cpu_narrow'),
    ('clframesum', 'moments cpu, luma', 'moments_cpu_'),
    ('clframesum statistics=histogram', 'metrics cpu, luma', 'metrics_cpu_'),
]


class SelfTestTest(launch.PipelineTest):
    def play(self, element, **environment):
        """Returns exit status, output and the output bytes: results of
        clframesum, frames of others."""
        path = self.folder / 'out'
        path.unlink(missing_ok=True)
        end = (f'{element} location={path} ! fakesink'
               if element.startswith('clframesum')
               else f'{element} ! filesink location={path}')
        result = subprocess.run(
            [PLAYLINE, *shlex.split(SOURCE + end)], text=True, timeout=120,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=os.environ | {'LD_PRELOAD': LIBRARY,
                              'GST_OPENCL_SELF_TEST': '1',
                              'GST_DEBUG': 'clselftest:5,clprobe:3',
                              'GST_DEBUG_NO_COLOR': '1',
                              'G_DEBUG': 'fatal-criticals'} | environment)
        content = path.read_bytes() if path.exists() else b''
        return result.returncode, result.stdout, content

    def expect_right(self, element):
        status, output, right = self.play(element, CL_WRONG='nothing')
        self.assertEqual(status, 0, output)
        self.assertNotRegex(output, WARNING)
        self.assertTrue(right)
        return right

    def check_next_row(self, element, row, kernel, wrong):
        right = self.expect_right(element)

        status, output, out = self.play(
            element, CL_WRONG=wrong, CL_WRONG_KERNEL=kernel,
            GST_OPENCL_SELF_TEST='0')
        self.assertEqual(status, 0, output)
        self.assertNotEqual(out, right, 'the library does nothing')

        status, output, out = self.play(element, CL_WRONG=wrong,
                                        CL_WRONG_KERNEL=kernel)
        self.assertEqual(status, 0, output)
        self.assertEqual(out, right, output)
        self.assertEqual(len(re.findall(f'{row}: wrong result on ', output)),
                         1, output)

    def test_next_row_has_correct_results(self):
        for element, row, kernel in FIRST:
            for wrong in 'lane', 'launch':
                with self.subTest(element=element, wrong=wrong):
                    self.check_next_row(element, row, kernel, wrong)

    def expect_error(self, element, output):
        """One error of the plugin, which says what to do."""
        errors = re.findall('ERROR: from element .*/GstCl.*', output)
        self.assertEqual(len(errors), 1, output)
        self.assertRegex(output, r'\(.*, driver .*\) gives wrong results: no '
                                 r'implementation of op \w+ passes its '
                                 r'self-test there\. Choose another device by '
                                 r'property device')
        self.assertRegex(output, WARNING, element)

    def test_all_rows_fail(self):
        """Reads and maps return earlier contents, or no kernel runs."""
        for unified in '1', '0':
            for wrong in 'stale', 'launch':
                for element, _, _ in FIRST[:3]:
                    with self.subTest(element=element, wrong=wrong,
                                      unified=unified):
                        status, output, out = self.play(
                            element, CL_WRONG=wrong,
                            GST_OPENCL_HOST_UNIFIED=unified)
                        self.assertEqual(status, 1, output)
                        self.expect_error(element, output)
                        self.assertEqual(out, b'')

    def test_queues_ignore_events(self):
        """Queues of a discrete device do not wait for each other."""
        status, output, out = self.play('clintegral', CL_WRONG='early',
                                        GST_OPENCL_HOST_UNIFIED='0')
        self.assertEqual(status, 1, output)
        self.expect_error('clintegral', output)
        self.assertEqual(out, b'')

        right = self.expect_right('clintegral')
        status, output, out = self.play('clintegral', CL_WRONG='early',
                                        GST_OPENCL_HOST_UNIFIED='1')
        self.assertEqual(status, 0, output)
        self.assertEqual(out, right, 'one queue needs no events')

    def test_compiler_that_reloads_values(self):
        """PoCL 7.0 and 7.1 load a value from before a barrier again, unless a
        kernel prevents it by READ_ONCE() (docs/devices.md). Other drivers
        compile the kernel correctly without it."""
        element = 'clintegral method=single-pass'
        header = self.folder / 'kernels/common/cl_common.clh'
        header.parent.mkdir(parents=True)
        text, n = re.subn(r'(#define READ_ONCE\(x\)) \(\*.*', r'\1 (x)', (
            launch.ROOT / 'kernels/common/cl_common.clh').read_text())
        self.assertEqual(n, 1)
        header.write_text(text)
        overlay = {'CL_WRONG': 'nothing', 'G_RESOURCE_OVERLAYS':
                   '/org/freedesktop/gstreamer/opencl/kernels='
                   f'{header.parent.parent}'}

        right = self.expect_right(element)
        status, output, untested = self.play(
            element, GST_OPENCL_SELF_TEST='0', **overlay)
        self.assertEqual(status, 0, output)
        status, output, out = self.play(element, **overlay)
        self.assertEqual(status, 0, output)
        self.assertEqual(out, right)
        if untested != right:
            self.assertRegex(output, 'integral single-pass, sums: wrong')

    def test_auto_uses_next_device(self):
        """When the pipeline is started again: caps have been negotiated by
        then."""
        right = self.expect_right('clintegral')
        devices = {'POCL_DEVICES': 'pthread pthread', 'CL_WRONG': 'launch',
                   'CL_WRONG_FIRST': '1'}
        status, output, _ = self.play('clintegral', **devices)
        if output.count('Portable Computing Language') == 0:
            self.skipTest('another platform than PoCL has the CPU')
        self.assertEqual(status, 1, output)
        self.expect_error('clintegral', output)
        self.assertIn('After a restart, device=auto chooses ', output)
        self.assertRegex(output, r'WARN +clprobe .* ignores 0\.0 ')

        for state in 'null', 'ready':
            status, output, out = self.play('clintegral', PLAY_AGAIN=state,
                                            **devices)
            self.assertEqual(status, 0, output)
            self.assertEqual(out, right)

    def test_stored_verdicts_are_not_tested_again(self):
        element, row, kernel = FIRST[2]
        cache = str(self.folder / 'cache')
        outs = []
        for wrong in 'lane', 'nothing':
            status, output, out = self.play(
                element, CL_WRONG=wrong, CL_WRONG_KERNEL=kernel,
                GST_OPENCL_CACHE_DIR=cache)
            self.assertEqual(status, 0, output)
            self.assertEqual(len(re.findall(WARNING, output)), 1, output)
            self.assertRegex(output, f'{row}: wrong result')
            self.assertEqual('as stored' in output, wrong == 'nothing')
            self.assertEqual('passed in' in output, wrong == 'lane', output)
            outs.append(out)
        self.assertEqual(outs[0], outs[1])

        # another driver would have another file
        verdicts, = pathlib.Path(cache).glob('verdicts-*.ini')
        verdicts.unlink()
        status, output, out = self.play(element, CL_WRONG='nothing',
                                        GST_OPENCL_CACHE_DIR=cache)
        self.assertEqual(status, 0, output)
        self.assertNotRegex(output, WARNING)
        self.assertEqual(out, outs[0])


if __name__ == '__main__':
    launch.main()
