# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in a process of its own: what a container says about itself."""
import os
from typing import Any, Dict, List

from .errors import ClqcError
from .gst import (
    Gst, GstPbutils, WithoutAFrame, ends_without_a_frame, uri)
from .locations import is_http

TIMEOUT = 30_000_000_000  # nanoseconds


def _codec(info: Any) -> str:
    return str(GstPbutils.pb_utils_get_codec_description(info.get_caps()))


def _why(result: Any, info: Any) -> str:
    if result == GstPbutils.DiscovererResult.MISSING_PLUGINS:
        missing = ', '.join(info.get_missing_elements_installer_details())
        return f'GStreamer has no plugin for it: {missing}'
    if result == GstPbutils.DiscovererResult.TIMEOUT:
        return 'no answer of the container within 30 seconds'
    return 'not a file that GStreamer can read'


def describe(path: str) -> Dict[str, Any]:
    """The parts `container`, `video` and `audio` of facts.json, as far as the
    container tells them."""
    if not is_http(path) and os.path.getsize(path) == 0:
        raise ClqcError('the file is empty')
    discoverer = GstPbutils.Discoverer.new(TIMEOUT)
    try:
        info = discoverer.discover_uri(uri(path))
    except Exception as error:  # GLib.Error has no type for mypy
        if ends_without_a_frame(path, error):
            raise WithoutAFrame() from error
        text = getattr(error, 'message', str(error))
        raise ClqcError(f'not a video that GStreamer can read: {text}'
                        ) from error
    result = info.get_result()
    videos = [video for video in info.get_video_streams()
              if not video.is_image()]
    if not videos:
        if result != GstPbutils.DiscovererResult.OK:
            raise ClqcError(_why(result, info))
        raise ClqcError('a still picture, and no video'
                        if info.get_video_streams()
                        else 'there is no video in it')

    stream = info.get_stream_info()
    video = videos[0]
    sounds: List[Dict[str, Any]] = [
        {'codec': _codec(sound), 'channels': sound.get_channels(),
         'rate': sound.get_sample_rate()}
        for sound in info.get_audio_streams()]
    duration = info.get_duration()
    return {
        'container': {
            'format': _codec(stream) if stream != video else None,
            'duration': None if duration == Gst.CLOCK_TIME_NONE else duration},
        'video': {
            'codec': _codec(video),
            'width': video.get_width(), 'height': video.get_height(),
            'rate': [video.get_framerate_num(), video.get_framerate_denom()]},
        'audio': sounds}
