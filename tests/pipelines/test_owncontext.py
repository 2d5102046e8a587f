#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example with its own kernel on integral images has the means that NumPy
computes from the frames, in its own context and in that of the elements. Python
shares a context as docs/memory.md says.

usage: test_owncontext.py PATH-OF-THE-EXAMPLE
"""
import ctypes
import os
import subprocess
import sys

import numpy

import launch
import pagecommands
from messages import Gst

from gi.repository import GObject


class OwnContextTest(launch.PipelineTest):
    def expected(self):
        launch.run('-q videotestsrc pattern=ball num-buffers=5 ! '
                   'video/x-raw,format=GRAY8,width=64,height=48 ! '
                   f'filesink location={self.folder}/frames.raw')
        frames = numpy.fromfile(f'{self.folder}/frames.raw', numpy.uint8)
        middles = frames.reshape(-1, 48, 64)[:, 12:36, 16:48]
        return ''.join(f'frame {number}: {middle.mean():.4f}\n'
                       for number, middle in enumerate(middles))

    def test_means(self):
        expected = self.expected()
        for arguments in [], ['--theirs']:
            for unified in '1', '0':
                result = subprocess.run(
                    [EXAMPLE, *arguments], text=True, timeout=30, check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    env=os.environ | {'GST_OPENCL_HOST_UNIFIED': unified})
                self.assertEqual(result.returncode, 0, result.stdout)
                self.assertEqual(result.stdout, expected, arguments)

    @staticmethod
    def create_context():
        library = ctypes.CDLL('libOpenCL.so.1')
        library.clCreateContext.restype = ctypes.c_void_p
        platform, device = ctypes.c_void_p(), ctypes.c_void_p()
        library.clGetPlatformIDs(1, ctypes.byref(platform), None)
        library.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 1,
                               ctypes.byref(device), None)
        return library.clCreateContext(None, 1, ctypes.byref(device), None,
                                       None, None)

    def play(self, context):
        pipeline = Gst.parse_launch(
            'videotestsrc num-buffers=2 ! clframesum name=sum ! fakesink')
        bus = pipeline.get_bus()
        scope = {'ctypes': ctypes, 'GObject': GObject, 'Gst': Gst}
        (block,) = pagecommands.fenced(
            'docs/memory.md', 'python')
        exec(block, scope)  # pylint: disable=exec-used
        scope['share'](pipeline, context)
        pipeline.set_state(Gst.State.PLAYING)
        message = bus.timed_pop_filtered(
            60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        used = pipeline.get_by_name('sum').get_context('gst.cl.context')
        pipeline.set_state(Gst.State.NULL)
        return message, used.get_structure().get_value('cl-context')

    def test_python(self):
        context = self.create_context()
        message, used = self.play(context)
        self.assertEqual(message.type, Gst.MessageType.EOS)
        self.assertEqual(hash(used), context)

    def test_no_context_in_python(self):
        message, _ = self.play(None)
        self.assertEqual(message.type, Gst.MessageType.ERROR)
        self.assertEqual(
            message.parse_error().gerror.message,
            'The field cl-context of the GstContext gst.cl.context is NULL.')


if __name__ == '__main__':
    EXAMPLE = sys.argv.pop(1)
    Gst.init(None)
    launch.main()
