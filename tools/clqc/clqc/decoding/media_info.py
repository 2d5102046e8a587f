# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: reads what a container says about itself."""
import os
from typing import Any, Dict, List, Optional, Tuple

from clqc.common.errors import ClqcError
from clqc.decoding import colours, undecodable
from clqc.decoding.gst import (QUIET_SECONDS, GLib, Gst, GstPbutils, Pipeline,
                               Reads, WithoutAFrame, ends_without_a_frame,
                               made_by, prepare, source, uri)
from clqc.decoding.video_track import choose, orientation
from clqc.inputs.locations import is_http

TIMEOUT = 30_000_000_000  # nanoseconds
_QUIET = int(QUIET_SECONDS * 10 ** 9)

# A local file gets a short try before the long one, because errors may be
# lost: see _raise_lost_error().
_TRIES = (1_000_000_000, TIMEOUT)


def _codec(info: Any) -> str:
    return str(GstPbutils.pb_utils_get_codec_description(info.get_caps()))


def _why(result: Any, info: Any) -> str:
    if result == GstPbutils.DiscovererResult.MISSING_PLUGINS:
        missing = ', '.join(info.get_missing_elements_installer_details())
        return f'GStreamer has no plugin for it: {missing}'
    if result == GstPbutils.DiscovererResult.TIMEOUT:
        return 'the container could not be read within 30 seconds'
    return 'not a file that GStreamer can read'


def _play(path: str, demuxer: Any) -> Tuple[Any, Optional[int]]:
    """Plays a file up to the first frame behind its demuxer. Returns the
    message APPLICATION when it is there, ERROR or EOS, WARNING if the demuxer
    reads in a loop, or None, and the duration in nanoseconds if the demuxer
    knows it."""
    pipeline = Gst.Pipeline()
    reader = Gst.Element.make_from_uri(Gst.URIType.SRC, uri(path), None)
    bus = pipeline.get_bus()

    def post_begun(*_: Any) -> None:
        bus.post(Gst.Message.new_application(
            demuxer, Gst.Structure.new_empty('begun')))

    def add_sink(_: Any, pad: Any) -> None:
        sink = Gst.ElementFactory.make('fakesink')
        sink.props.signal_handoffs = True
        sink.connect('preroll-handoff', post_begun)
        pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad('sink'))

    pipeline.add(reader, demuxer)
    reader.link(demuxer)
    demuxer.connect('pad-added', add_sink)
    pipeline.set_state(Gst.State.PAUSED)
    is_known, duration = False, 0
    types = (Gst.MessageType.APPLICATION | Gst.MessageType.ERROR |
             Gst.MessageType.EOS)
    message = bus.timed_pop_filtered(_QUIET, types)
    if not message:
        Reads(demuxer)
        message = bus.timed_pop_filtered(
            TIMEOUT - _QUIET, types | Gst.MessageType.WARNING)
    if message and message.type == Gst.MessageType.APPLICATION:
        is_known, duration = demuxer.srcpads[0].query_duration(Gst.Format.TIME)
    pipeline.set_state(Gst.State.NULL)
    return message, int(duration) or None if is_known else None


def _duration_of_demuxer(path: str) -> Optional[int]:
    """Returns the duration of a program stream in nanoseconds. The format has
    no field for it; the demuxer finds it from the times at both ends. If there
    are no times, parsers would report an estimate from the data read so far,
    which changes each time and is ignored."""
    demuxer = Gst.ElementFactory.make('mpegpsdemux')
    duration: Optional[int] = demuxer and _play(path, demuxer)[1]
    return duration


def _raise_lost_error(path: str) -> None:
    """Raises the error of the demuxer, if it has one. decodebin drops the
    errors of an element until it has added it, while the demuxer of a file
    already reads it in another thread; the discoverer then waits until its
    time-out."""
    line = Pipeline(f'{source(path)} ! typefind name=type ! fakesink')
    try:
        line.pause()
        caps = line.element('type').props.caps
    except ClqcError:
        return
    finally:
        line.close()
    demuxers = Gst.ElementFactory.list_filter(
        Gst.ElementFactory.list_get_elements(
            Gst.ELEMENT_FACTORY_TYPE_DEMUXER, Gst.Rank.MARGINAL),
        caps, Gst.PadDirection.SINK, False)
    if demuxers:
        best = max(demuxers, key=lambda factory: factory.get_rank())
        message, _ = _play(path, best.create(None))
        if message and message.type == Gst.MessageType.ERROR:
            raise message.parse_error()[0]
        if message and message.type == Gst.MessageType.WARNING:
            raise message.parse_warning()[0]


def _is_of_plugin(error: Any) -> bool:
    return isinstance(error, GLib.Error) and bool(error.matches(
        Gst.CoreError.quark(), Gst.CoreError.MISSING_PLUGIN))


def _raise_if_undecodable(path: str, track: Optional[str]) -> None:
    reason = undecodable.why(path, track)
    if reason:
        raise ClqcError(reason)


def _duration(path: str, info: Any) -> Optional[int]:
    caps = info.get_stream_info().get_caps()
    if 'systemstream=(boolean)true' in caps.to_string():
        return _duration_of_demuxer(path)
    duration = info.get_duration()
    return None if duration == Gst.CLOCK_TIME_NONE else int(duration)


def _discover(path: str, timeout: int) -> Any:
    discoverer = GstPbutils.Discoverer.new(timeout)

    def on_element(_: Any, __: Any, element: Any) -> None:
        if 'Demuxer' in made_by(element)[1]:
            Reads(element)

    def on_source(_: Any, reader: Any) -> None:
        line = reader
        while line.get_parent():
            line = line.get_parent()
        prepare(line)
        if timeout == TIMEOUT:
            line.connect('deep-element-added', on_element)
    discoverer.connect('source-setup', on_source)
    return discoverer.discover_uri(uri(path))


def describe(path: str) -> Dict[str, Any]:
    """Returns the parts `container`, `video` and `audio` of facts.json, as far
    as the container has them."""
    if not is_http(path) and os.path.getsize(path) == 0:
        raise ClqcError('the file is empty')
    try:
        for timeout in _TRIES[-1:] if is_http(path) else _TRIES:
            info = _discover(path, timeout)
            if info.get_result() != GstPbutils.DiscovererResult.TIMEOUT:
                break
            if timeout != TIMEOUT:
                _raise_lost_error(path)
    except Exception as error:  # GLib.Error has no type for mypy
        if ends_without_a_frame(path, error):
            raise WithoutAFrame() from error
        if _is_of_plugin(error):
            _raise_if_undecodable(path, None)
        text = getattr(error, 'message', str(error))
        raise ClqcError(f'not a video that GStreamer can read: {text}'
                        ) from error
    result = info.get_result()
    choice = choose(path, info)
    if result == GstPbutils.DiscovererResult.MISSING_PLUGINS:
        _raise_if_undecodable(path, choice.track if choice else None)
    if not choice:
        if result != GstPbutils.DiscovererResult.OK:
            raise ClqcError(_why(result, info))
        raise ClqcError('a still picture, not a video'
                        if info.get_video_streams()
                        else 'it contains no video')

    stream = info.get_stream_info()
    if stream.get_caps().to_string().startswith('image/gif'):
        raise ClqcError(undecodable.GIF)
    video = choice.video
    sounds: List[Dict[str, Any]] = [
        {'codec': _codec(sound), 'channels': sound.get_channels(),
         'rate': sound.get_sample_rate()}
        for sound in info.get_audio_streams()]
    return {
        'container': {
            'format': _codec(stream) if stream != video else None,
            'duration': _duration(path, info)},
        'video': {
            'codec': _codec(video),
            'width': video.get_width(), 'height': video.get_height(),
            'rate': [video.get_framerate_num(), video.get_framerate_denom()],
            'track': choice.track, 'tracks': choice.n_videos,
            'covers': choice.n_covers,
            **orientation(path, choice.track, video),
            **colours.light_facts(video.get_caps()[0]),
            **colours.facts(path, choice.track, video.get_caps())},
        'audio': sounds}
