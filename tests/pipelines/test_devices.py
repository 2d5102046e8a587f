#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Selection of devices: broken platforms are skipped, several devices work in
one process, and the environment selects one by default."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

import launch

BROKEN = (pathlib.Path(os.environ['BUILD_DIR'])
          / 'tests/faults/libbroken_icd.so')
PLAYLINE = str(pathlib.Path(os.environ['BUILD_DIR']) / 'tests/faults/playline')
PLUGIN = str(pathlib.Path(os.environ['BUILD_DIR']) / 'gst/libgstopencl.so')
NOBODY = 65534
POCL = pathlib.Path('/etc/OpenCL/vendors/pocl.icd')
# Without an ALLOCATION query: the broken device has no memory to offer.
LINE = ('videotestsrc num-buffers=3 pattern=ball ! '
        'identity drop-allocation=true ! '
        'video/x-raw,format=GRAY8,width=64,height=48 ! ')


class DevicesTest(launch.PipelineTest):
    def launch(self, line, **environment):
        result = subprocess.run(
            ['sh', '-c', f'gst-launch-1.0 {LINE} {line}'], text=True,
            timeout=60, check=False, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=os.environ | environment)
        return result.returncode, result.stdout

    def expect_one_error(self, output):
        """Errors of the plugin: a source may add that its stream has
        stopped."""
        errors = re.findall('ERROR: from element .*/GstCl', output)
        self.assertEqual(len(errors), 1, output)

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
    def test_broken_platforms_are_skipped(self):
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

    def test_crash(self):
        """The log says what the process was doing; the page says how to
        disable the driver."""
        status, output = self.launch(
            'clframesum ! fakesink', CL_BROKEN='crash',
            OCL_ICD_VENDORS=self.vendors('broken', 'pocl'),
            GST_DEBUG='cldevice:4', GST_DEBUG_NO_COLOR='1')
        self.assertNotEqual(status, 0)
        self.assertRegex(output, r'INFO +cldevice .*listing the OpenCL '
                                 r'platforms\s*(Aborted)?\s*\Z')
        status, output = self.launch(
            'clframesum ! fakesink', CL_BROKEN='crash',
            OCL_ICD_VENDORS=str(POCL))
        self.assertEqual(status, 0, output)

    def test_only_broken_platforms(self):
        status, output = self.launch(
            'clframesum ! fakesink', CL_BROKEN='unavailable',
            OCL_ICD_VENDORS=self.vendors('broken'))
        self.assertNotEqual(status, 0)
        self.assertEqual(output.count('ERROR: from element'), 1, output)
        self.assertIn('There is no OpenCL device at all', output)
        self.assertIn('pocl-opencl-icd', output)

    def test_reason_is_printed(self):
        """In the list, and if the device itself was requested."""
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
                    self.assertIn('Not usable: 0.0 "Broken GPU" (Broken): '
                                  f'{reason}.', output)

    def play(self, line, **environment):
        """With playline, which does not miss early errors as gst-launch-1.0
        does."""
        result = subprocess.run(
            [PLAYLINE, *shlex.split(f'{LINE} {line}')], text=True, timeout=60,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=os.environ | {'GST_DEBUG': 'clprobe:3',
                              'GST_DEBUG_NO_COLOR': '1'} | environment)
        return result.returncode, result.stdout

    def test_compiles_nothing(self):
        """auto selects the next device; all elements share it."""
        status, output = self.play(
            'tee name=t t. ! queue ! clintegral ! cllocalmean ! clframesum ! '
            'fakesink t. ! queue ! clupload ! clframesum ! cldownload ! '
            'fakesink', CL_BROKEN='build',
            OCL_ICD_VENDORS=self.vendors('broken', 'pocl'))
        self.assertEqual(status, 0, output)
        self.assertEqual(len(re.findall(r'WARN +clprobe', output)), 1, output)
        self.assertRegex(output, r'WARN .*ignores 0\.0 "Broken GPU".*'
                                 'words of the broken compiler')

    def test_only_device_compiles_nothing(self):
        status, output = self.play('clframesum ! fakesink', CL_BROKEN='build',
                                   OCL_ICD_VENDORS=self.vendors('broken'))
        self.assertEqual(status, 1, output)
        self.expect_one_error(output)
        self.assertRegex(
            output, r'Building .*moments/\w+.cl for Broken GPU: '
                    r'moments/\w+.cl:\d+:5: error: words of the broken '
                    r'compiler')
        self.assertNotIn('After a restart', output)
        self.assertIsNone(re.search('WARN +clprobe', output), output)

    def test_a_kernel_of_a_user_does_not_compile(self):
        """The device is not to blame, and the line is that of the text."""
        vendors = self.vendors('broken', 'pocl')
        kernel = pathlib.Path(vendors) / 'user.cl'
        kernel.write_text('\n__kernel void k (GST_CL_IN (in))\n{\n}\n')
        status, output = self.play(
            f'clkernel location={kernel} ! fakesink', CL_BROKEN='program',
            OCL_ICD_VENDORS=vendors)
        self.assertEqual(status, 1, output)
        self.expect_one_error(output)
        self.assertIn('Building user.cl for Broken GPU: user.cl:4:5: error: ',
                      output)
        self.assertNotIn('After a restart', output)

    def test_requested_device_compiles_nothing(self):
        vendors = self.vendors('broken', 'pocl')
        for wanted, environment in (('gpu', ''), ('auto', 'broken')):
            status, output = self.play(
                f'clframesum device={wanted} ! fakesink', CL_BROKEN='build',
                OCL_ICD_VENDORS=vendors, GST_OPENCL_DEVICE=environment)
            self.assertEqual(status, 1, output)
            self.assertRegex(output, 'Building .* for Broken GPU: ')
            self.assertNotIn('After a restart', output)
            self.assertIsNone(re.search('WARN +clprobe', output), output)

    def test_a_program_does_not_compile(self):
        """Known only after the stream has begun: an error, which says that the
        next start uses another device, and it does."""
        vendors = self.vendors('broken', 'pocl')
        status, output = self.play('clframesum ! fakesink',
                                   CL_BROKEN='program',
                                   OCL_ICD_VENDORS=vendors)
        self.assertEqual(status, 1, output)
        self.expect_one_error(output)
        self.assertRegex(output, 'Building .*moments/\w+.cl for Broken GPU: .* '
                                 'After a restart, .* chooses ')
        self.assertEqual(len(re.findall(r'WARN +clprobe', output)), 1, output)

        for state in 'null', 'ready':
            status, output = self.play('clframesum ! cllocalmean ! fakesink',
                                       CL_BROKEN='program', PLAY_AGAIN=state,
                                       OCL_ICD_VENDORS=vendors)
            self.assertEqual(status, 0, output)

    def test_lost_while_compiling(self):
        """This is no fault of the device's compiler."""
        status, output = self.play(
            'clframesum ! fakesink', CL_BROKEN='lost',
            OCL_ICD_VENDORS=self.vendors('broken', 'pocl'))
        self.assertEqual(status, 1, output)
        self.expect_one_error(output)
        self.assertIn('CL_DEVICE_NOT_AVAILABLE', output)
        self.assertNotIn('After a restart', output)
        self.assertIsNone(re.search('WARN +clprobe', output), output)

    def test_cannot_be_opened(self):
        """A GPU has priority; the error says what it does not support."""
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
class PoclCacheTest(DevicesTest):
    """PoCL compiles nothing without a writable cache; the error names the
    folder, unlike PoCL's own."""

    def expect_error(self, cache, text, **how):
        self.folder.chmod(0o755)
        result = subprocess.run(
            [PLAYLINE, *shlex.split(LINE), *'clframesum ! fakesink'.split()],
            text=True, timeout=60, check=False, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, **how,
            env=os.environ | {'POCL_CACHE_DIR': str(cache),
                              'OCL_ICD_VENDORS': str(POCL.parent),
                              'GST_REGISTRY_UPDATE': 'no'})
        self.assertEqual(result.returncode, 1, result.stdout)
        self.expect_one_error(result.stdout)
        self.assertIn(text, result.stdout)
        self.assertIn('POCL_CACHE_DIR', result.stdout)

    def as_another_user(self):
        """Arguments of subprocess.run() without access to the caller's
        folders: root becomes another user, for other users the mode is
        enough."""
        if os.geteuid() != 0:
            return {}
        how = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
        if subprocess.run(['test', '-r', PLUGIN], check=False,
                          **how).returncode:
            self.skipTest('others may not read the plugin')
        return how

    def closed(self, name):
        folder = self.folder / name
        folder.mkdir(mode=0o755 if os.geteuid() == 0 else 0o555)
        return folder

    def test_cannot_be_written(self):
        cache = self.closed('closed')
        self.expect_error(cache, str(cache), **self.as_another_user())

    def test_cannot_be_made(self):
        """PoCL then lists no device."""
        cache = self.closed('closed') / 'a' / 'b'
        self.expect_error(cache, str(cache), **self.as_another_user())

    def test_files_of_another_user(self):
        cache = self.folder / 'cache'
        self.expect_no_error(cache)
        how = self.as_another_user()
        cache.chmod(0o777)
        for part in cache.iterdir():
            if part.is_dir() and not how:
                part.chmod(0)
        try:
            self.expect_error(cache, f'{cache}/', **how)
        finally:
            for part in cache.iterdir():
                part.chmod(0o700)

    def expect_no_error(self, cache):
        status, output = self.launch('clframesum ! fakesink',
                                     OCL_ICD_VENDORS=str(POCL.parent),
                                     POCL_CACHE_DIR=str(cache))
        self.assertEqual(status, 0, output)

    def test_no_folder(self):
        cache = self.folder / 'file'
        cache.write_text('')
        self.expect_error(cache, f'{cache} is not a folder')

    def test_other_failures_do_not_name_it(self):
        status, output = self.launch('clframesum device=none ! fakesink')
        self.assertNotEqual(status, 0)
        self.assertNotIn('POCL_CACHE_DIR', output)


@unittest.skipUnless(POCL.exists(), 'PoCL is not installed')
class SeveralTest(DevicesTest):
    """PoCL can list the CPU twice."""

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
        # each has created a context, and posted it
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

    def test_listed_names(self):
        status, output = self.launch('clframesum device=none ! fakesink')
        self.assertNotEqual(status, 0)
        self.assertRegex(output, r'"none"\. Available: 0\.0 .*, 0\.1 ')


if __name__ == '__main__':
    launch.main()
