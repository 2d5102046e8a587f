# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: finds the versions that determine the bytes of
results, and whether this machine can measure."""
import os
import platform
import re
from typing import Any, Dict, List

from clqc.common.errors import ClqcError
from clqc.decoding.gst import Gst, Pipeline

_PLUGIN = 'opencl'


def _decoders() -> List[str]:
    """Returns the video decoders that decodebin may use, with their versions.
    """
    found = []
    factories = Gst.ElementFactory.list_get_elements(
        Gst.ELEMENT_FACTORY_TYPE_DECODER |
        Gst.ELEMENT_FACTORY_TYPE_MEDIA_VIDEO |
        Gst.ELEMENT_FACTORY_TYPE_MEDIA_IMAGE, Gst.Rank.MARGINAL)
    for factory in factories:
        plugin = factory.get_plugin()
        version = plugin.get_version() if plugin else 'static'
        found.append(f'{factory.get_name()} {version} '
                     f'{int(factory.get_rank())}')
    return sorted(found)


def _libraries() -> List[str]:
    """Returns FFmpeg's libraries, whose versions GStreamer does not report."""
    Gst.ElementFactory.make('avdec_h264', None)
    if not os.path.exists('/proc/self/maps'):
        return []
    with open('/proc/self/maps', encoding='utf-8') as file:
        return sorted(set(re.findall(r'/(libavcodec\.so\.[\d.]+)',
                                     file.read())))


def _device() -> str:
    """Returns the device that measures here, after measuring a frame. Raises
    ClqcError."""
    line = Pipeline('videotestsrc num-buffers=1 ! video/x-raw,format=I420,'
                    'width=64,height=64 ! clframesum name=measure '
                    'post-messages=false ! fakesink')
    try:
        line.play()
        return str(line.element('measure').get_property('device-name'))
    finally:
        line.close()


def versions() -> Dict[str, Any]:
    """Returns the versions. Machines with equal versions, `device` aside, give
    the same bytes."""
    plugin = Gst.Registry.get().find_plugin(_PLUGIN)
    if not plugin:
        raise ClqcError('GStreamer does not find the plugin opencl: is '
                        'GST_PLUGIN_PATH set?')
    return {'plugin': plugin.get_version(),
            'gstreamer': Gst.version_string().split()[-1],
            'machine': platform.machine(),
            'decoders': _decoders(), 'libraries': _libraries(),
            'device': _device()}
