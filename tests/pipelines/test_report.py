#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts/report.sh prints what the issue form requires: for a pipeline that
ends normally, one that fails, one with much output, and without the plugin."""
import os
import re
import shutil
import subprocess

import launch

REPORT = launch.ROOT / 'scripts/report.sh'
FORM = launch.ROOT / '.gitlab/issue_templates/bug.md'
SECTIONS = ['versions', 'environment', 'OpenCL devices (clinfo)', 'the plugin']


def sections(*arguments, **changes):
    """From title to text; the last one is that of the pipeline."""
    result = subprocess.run([REPORT, *arguments], text=True, timeout=120,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            check=False, env=os.environ | changes)
    parts = re.split(r'^== (.*)\n', result.stdout, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


class ReportTest(launch.PipelineTest):
    def test_successful_pipeline(self):
        found = sections()
        title = 'gst-launch-1.0 videotestsrc num-buffers=3 ! clframesum ! ' \
            'fakesink'
        self.assertEqual(list(found), SECTIONS + [title])
        self.assertRegex(found['versions'], r'(?m)^GStreamer 1\.')
        self.assertIn('GST_PLUGIN_PATH_1_0=', found['environment'])
        self.assertRegex(found['the plugin'], r'Version +\d+\.\d+\.\d+\n')
        devices = found['OpenCL devices (clinfo)']
        if shutil.which('clinfo'):
            self.assertIn('Number of platforms', devices)
        else:
            self.assertIn('there is no clinfo', devices)
        # GST_DEBUG=cl*:5 prints the device
        self.assertRegex(found[title], r'INFO +cldevice .* device "auto" is')
        self.assertNotIn('\x1b[', found[title])
        self.assertTrue(found[title].endswith(
            'gst-launch-1.0 ended well\n'), found[title])

    def test_failing_pipeline(self):
        line = 'videotestsrc num-buffers=3 ! clframesum device=nowhere ! ' \
            'fakesink'
        text = sections(line)['gst-launch-1.0 ' + line]
        self.assertIn('ERROR: from element', text)
        self.assertIn('No suitable OpenCL device was found.', text)
        self.assertRegex(text, r'gst-launch-1\.0 ended with status [1-9]')

    def test_beginning_and_end_of_a_long_log(self):
        line = 'videotestsrc num-buffers=400 ! clframesum ! fakesink'
        text = sections(line, GST_DEBUG='cl*:6')['gst-launch-1.0 ' + line]
        self.assertLess(len(text.splitlines()), 310)
        self.assertIn('device "auto" is', text)
        self.assertIn('\n[...]\n', text)
        self.assertIn('Got EOS', text)

    def test_secrets_are_removed(self):
        line = 'videotestsrc num-buffers=1 ! fakesink ' \
            'name=rtsp://me:hidden@camera/1'
        found = sections(line, CLQC_MQTT_PASSWORD='hidden one',
                         GST_API_TOKEN='hidden', CLQC_PROXY='http://hidden@h/',
                         GST_SOURCE='rtspsrc user-pw=hidden user-id=me')
        for text in [*found, *found.values()]:
            self.assertNotIn('hidden', text)
        for text in ('CLQC_MQTT_PASSWORD=***\n', 'GST_API_TOKEN=***\n',
                     'CLQC_PROXY=http://***@h/\n', 'user-pw=*** user-id=me'):
            self.assertIn(text, found['environment'])
        self.assertIn('fakesink name=rtsp://***@camera/1', list(found)[-1])

    def test_without_the_plugin(self):
        found = sections(GST_PLUGIN_PATH_1_0='', GST_PLUGIN_PATH='',
                         GST_REGISTRY=str(self.folder / 'registry'))
        if 'Filename' in found['the plugin']:
            self.skipTest('the plugin is installed on this system')
        self.assertIn("No such element or plugin 'opencl'",
                      found['the plugin'])
        self.assertIn('no element "clframesum"',
                      list(found.values())[-1])

    def test_form_requests_the_script(self):
        form = FORM.read_text()
        for word in ("scripts/report.sh 'PIPELINE'", 'clinfo',
                     'GST_DEBUG=cl*:5', 'SECURITY.md'):
            self.assertIn(word, form)


if __name__ == '__main__':
    launch.main()
