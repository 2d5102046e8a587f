#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""OpenCL calls that fail, one after the other, for this once and for good: the
pipeline ends by itself, with one clear error of ours or, where the call may
fail, with none.

environment:
  CL_FAULT_RUNS  calls that fail in turn for each line (default 10; 0: all)
  CL_FAULT_SEED  which ones (default: by the clock)
"""
import os
import pathlib
import random
import re
import subprocess
import time
import unittest

import launch

BUILD = pathlib.Path(os.environ['BUILD_DIR'])
LIBRARY = BUILD / 'tests/faults/libclfault.so'
PLAYLINE = BUILD / 'tests/faults/playline'
SEED = int(os.environ.get('CL_FAULT_SEED', '0')) or int(time.time())
RUNS = int(os.environ.get('CL_FAULT_RUNS', '10'))

SOURCE = ('videotestsrc num-buffers=6 ! '
          'video/x-raw,format=I420,width=64,height=48')
CHAINS = [
    'clintegral ! cllocalmean',
    'clframesum async-depth=2 ! cllocalmean ! video/x-raw',
    'clframesum stats-meta=false',
    'clupload ! queue ! cllocalmean ! queue ! cldownload ! videoconvert',
]


class FaultsTest(launch.PipelineTest):
    def launch(self, chain, unified, **faults):
        report = self.folder / 'report'
        environment = os.environ | {
            'LD_PRELOAD': str(LIBRARY), 'CL_FAULT_REPORT': str(report),
            'GST_OPENCL_HOST_UNIFIED': unified,
            'G_DEBUG': 'fatal-criticals'} | faults
        result = subprocess.run(
            [PLAYLINE, *f'{SOURCE} ! {chain} ! fakesink'.split()],
            text=True, env=environment, timeout=20, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        calls, _, name = report.read_text().strip().partition(' ')
        return result, int(calls), name

    def expect_clean_end(self, result, what):
        output = result.stdout
        self.assertGreaterEqual(result.returncode, 0, f'{what}\n{output}')
        self.assertNotIn('CRITICAL', output, what)
        self.assertNotRegex(output, r'\*\*.*WARNING', what)
        errors = [line for line in output.splitlines()
                  if line.startswith('ERROR: from element')
                  and 'videotestsrc' not in line and 'GstQueue' not in line]
        if result.returncode == 0:
            self.assertEqual(errors, [], what)
            return
        self.assertEqual(len(errors), 1, f'{what}\n{output}')
        self.assertRegex(errors[0], r'GstCl\w+:cl', what)
        self.assertRegex(output, r'CL_[A-Z_]+', what)

    def check_chain(self, chain, unified):
        result, n_calls, _ = self.launch(chain, unified)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertGreater(n_calls, 20)
        places = range(1, n_calls + 1)
        if RUNS:
            places = sorted({1, n_calls, *random.sample(places, RUNS - 2)})
        n_failed = 0
        for at in places:
            for sticky, code in ('0', '-5'), ('1', '-2'):
                result, _, name = self.launch(
                    chain, unified, CL_FAULT_AT=str(at), CL_FAULT_CODE=code,
                    CL_FAULT_STICKY=sticky)
                self.expect_clean_end(
                    result, f'{chain}, unified {unified}: call {at} of '
                    f'{n_calls}, {name}, code {code}, sticky {sticky} '
                    f'(seed {SEED})')
                n_failed += result.returncode != 0
        self.assertGreater(n_failed, len(places) // 2)

    def test_calls_that_fail(self):
        random.seed(SEED)
        for chain in CHAINS:
            for unified in '1', '0':
                with self.subTest(chain=chain, unified=unified):
                    self.check_chain(chain, unified)

    def test_builds_that_fail_are_told_once(self):
        """A build and all after it: what is tried again with the next buffer
        must not be told as another failure."""
        for at in '1', '2':
            result, _, name = self.launch(
                CHAINS[0], '0', CL_FAULT_NAME='clBuildProgram', CL_FAULT_AT=at,
                CL_FAULT_CODE='-2', CL_FAULT_STICKY='1')
            self.assertEqual(name, 'clBuildProgram')
            self.expect_clean_end(result, f'build {at}')
            self.assertIn('CL_DEVICE_NOT_AVAILABLE', result.stdout)

    def test_devices_that_cannot_be_opened(self):
        for at in '1', '2':
            result, _, name = self.launch('clframesum', '1', CL_FAULT_AT=at,
                                          CL_FAULT_CODE='-2')
            self.assertIn(name, ['clCreateContext', 'clCreateCommandQueue'])
            self.assertTrue(re.search(r'ERROR.*GstClFrameSum', result.stdout))
            self.assertIn('CL_DEVICE_NOT_AVAILABLE', result.stdout)


if __name__ == '__main__':
    launch.main()
