#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which device: platforms that do not work are passed over, several devices
work in one process, and the environment chooses where nobody else does."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import launch

BROKEN = (pathlib.Path(os.environ['BUILD_DIR'])
          / 'tests/faults/libbroken_icd.so')
POCL = pathlib.Path('/etc/OpenCL/vendors/pocl.icd')
LINE = ('videotestsrc num-buffers=3 pattern=ball ! '
        'video/x-raw,format=GRAY8,width=64,height=48 ! ')


class DevicesTest(launch.PipelineTest):
    def launch(self, line, **environment):
        result = subprocess.run(
            ['sh', '-c', f'gst-launch-1.0 {LINE} {line}'], text=True,
            timeout=60, check=False, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=os.environ | environment)
        return result.returncode, result.stdout

    def vendors(self, *names):
        folder = self.folder / '-'.join(names)
        folder.mkdir()
        if 'broken' in names:
            (folder / 'broken.icd').write_text(f'{BROKEN}\n')
        if 'missing' in names:
            (folder / 'missing.icd').write_text('/nowhere/libnothing.so\n')
        if 'pocl' in names:
            shutil.copy(POCL, folder)
        return str(folder)


@unittest.skipUnless(POCL.exists(), 'PoCL is not installed')
class BrokenTest(DevicesTest):
    def test_passed_over(self):
        vendors = self.vendors('broken', 'missing', 'pocl')
        for broken, reason in (('platform', 'skipping platform'),
                               ('device', 'does not describe itself'),
                               ('unavailable', 'not available'),
                               ('compiler', 'no compiler'),
                               ('version', 'it has OpenCL 1.1 Broken, and '
                                           'OpenCL 1.2 is needed'),
                               ('language', 'it compiles OpenCL C 1.1, and '
                                            'OpenCL C 1.2 is needed')):
            with self.subTest(broken=broken):
                status, output = self.launch(
                    'clframesum ! fakesink', OCL_ICD_VENDORS=vendors,
                    CL_BROKEN=broken, GST_DEBUG='cl*:4',
                    GST_DEBUG_NO_COLOR='1')
                self.assertEqual(status, 0, output)
                self.assertRegex(output, rf'INFO .*{reason}')
                self.assertIsNone(re.search(r'(WARN|ERROR) +cl', output),
                                  output)

    def test_nothing_but_broken(self):
        status, output = self.launch(
            'clframesum ! fakesink', CL_BROKEN='unavailable',
            OCL_ICD_VENDORS=self.vendors('broken'))
        self.assertNotEqual(status, 0)
        self.assertEqual(output.count('ERROR: from element'), 1, output)
        self.assertIn('There is no OpenCL device at all', output)

    def test_the_reason_is_told(self):
        """In the list, and where the device itself was asked for."""
        vendors = self.vendors('broken', 'pocl')
        for broken, reason in (('unavailable', 'it is not available'),
                               ('language', 'it compiles OpenCL C 1.1, and '
                                            'OpenCL C 1.2 is needed')):
            with self.subTest(broken=broken):
                for wanted, head in (
                        ('gpu', 'device "gpu". Available: '),
                        ('0.0', f'device "0.0", which cannot be used: '
                                f'{reason}. Available: '),
                        ('broken', f'device "broken", which cannot be used: '
                                   f'{reason}. Available: ')):
                    status, output = self.launch(
                        f'clframesum device={wanted} ! fakesink',
                        OCL_ICD_VENDORS=vendors, CL_BROKEN=broken)
                    self.assertNotEqual(status, 0)
                    self.assertIn(f'Looked for {head}', output)
                    self.assertIn('Passed over: 0.0 "Broken GPU" (Broken): '
                                  f'{reason}.', output)

    def test_cannot_be_opened(self):
        """A GPU is chosen first; what it cannot do is said."""
        vendors = self.vendors('broken', 'pocl')
        status, output = self.launch('clframesum ! fakesink',
                                     CL_BROKEN='context',
                                     OCL_ICD_VENDORS=vendors)
        self.assertNotEqual(status, 0)
        self.assertEqual(output.count('ERROR: from element'), 1, output)
        self.assertRegex(output, 'open device Broken GPU.*'
                                 'CL_DEVICE_NOT_AVAILABLE')
        status, output = self.launch('clframesum device=cpu ! fakesink',
                                     CL_BROKEN='context',
                                     OCL_ICD_VENDORS=vendors)
        self.assertEqual(status, 0, output)


@unittest.skipUnless(POCL.exists(), 'PoCL is not installed')
class SeveralTest(DevicesTest):
    """PoCL offers the CPU twice if it is told to."""

    def launch(self, line, **environment):
        return super().launch(line, POCL_DEVICES='pthread pthread',
                              OCL_ICD_VENDORS=self.folder_of_pocl,
                              **environment)

    def setUp(self):
        super().setUp()
        self.folder_of_pocl = self.vendors('pocl')

    def test_one_pipeline(self):
        chains = ('clintegral device=0.0 ! cllocalmean device=0.0',
                  'clintegral device=0.1 ! cllocalmean device=0.0',
                  'clintegral device=0.0 ! queue ! cllocalmean device=0.1',
                  'clupload device=0.1 ! clintegral device=0.0 ! '
                  'cldownload device=0.1 ! cllocalmean device=0.1')
        results = []
        for number, chain in enumerate(chains):
            for unified in '1', '0':
                path = self.folder / f'{number}{unified}.raw'
                status, output = self.launch(
                    f'{chain} ! filesink location={path}',
                    GST_OPENCL_HOST_UNIFIED=unified)
                self.assertEqual(status, 0, output)
                results.append(path.read_bytes())
        self.assertEqual(len(results[0]), 3 * 64 * 48)
        for result in results:
            self.assertEqual(result, results[0])

    def test_two_branches(self):
        status, output = self.launch(
            'tee name=t t. ! queue ! clframesum device=0.0 ! fakesink '
            't. ! queue ! cllocalmean device=0.1 ! fakesink')
        self.assertEqual(status, 0, output)
        # each has made a context of its own, and told so
        self.assertEqual(output.count('Got context from element'), 2, output)

    def test_one_context_for_one_device(self):
        status, output = self.launch(
            'tee name=t t. ! queue ! clframesum device=0.1 ! fakesink '
            't. ! queue ! cllocalmean device=0.1 ! clintegral device=0.1 ! '
            'fakesink')
        self.assertEqual(status, 0, output)
        self.assertEqual(output.count('Got context from element'), 1, output)

    def test_environment_chooses(self):
        for device in '0.0', '0.1':
            status, output = self.launch(
                'clframesum ! fakesink', GST_OPENCL_DEVICE=device,
                GST_DEBUG='cldevice:4', GST_DEBUG_NO_COLOR='1')
            self.assertEqual(status, 0, output)
            self.assertIn(f'device "{device}" is {device} ', output)

    def test_names_on_offer(self):
        status, output = self.launch('clframesum device=none ! fakesink')
        self.assertNotEqual(status, 0)
        self.assertRegex(output, r'"none"\. Available: 0\.0 .*, 0\.1 ')


if __name__ == '__main__':
    launch.main()
