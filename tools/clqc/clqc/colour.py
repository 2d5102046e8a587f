# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in a process of its own: what a container and the stream within it say
about colours, and whether they agree."""
from typing import Any, Dict, List, Optional

from .errors import ClqcError
from .gst import Gst, GstVideo, Line, source
from .videotrack import is_video, name_of

# By the nicks of GStreamer's enum.
_RANGES = {'0-255': 'full', '16-235': 'limited'}

# Values of these may have several names: they are compared by a function.
_ALIKE = {'matrix': lambda one, other: one == other,
          'transfer': lambda one, other:
          GstVideo.video_transfer_function_is_equivalent(one, 8, other, 8),
          'primaries': GstVideo.video_color_primaries_is_equivalent}


def _parsed(text: Optional[str]) -> Any:
    """The caps' colorimetry; one that names nothing where it cannot be
    read."""
    colorimetry = GstVideo.VideoColorimetry()
    if text:
        colorimetry.from_string(text)
    return colorimetry


def _range(colorimetry: Any) -> Optional[str]:
    return _RANGES.get(colorimetry.range.value_nick)


def words(text: str) -> str:
    """A colorimetry of caps for people."""
    read = _parsed(text)
    return ', '.join([f'{_range(read) or "unknown"} range', *(
        f'{name} {getattr(read, name).value_nick}' for name in _ALIKE)])


class _Claims:
    """The caps that come to the parser, to the decoder, and out of it, of the
    track. What the container says about colours is taken away on the way, so
    that parser and decoder tell what the stream says."""

    def __init__(self, line: Line, track: Optional[str]) -> None:
        self.line = line
        self.track = track
        self.told: Dict[str, Optional[str]] = {}
        line.pipeline.connect('deep-element-added', self._on_element)
        line.element('parse').connect('pad-added', self._on_pad)

    def _is_track(self, pad: Any) -> bool:
        return self.track in (None, name_of(pad.get_stream_id()))

    def _on_element(self, _: Any, __: Any, element: Any) -> None:
        factory = element.get_factory()
        if factory and 'Parser' in factory.get_metadata('klass'):
            self._strip(element.get_static_pad('sink'), 'parser')

    def _strip(self, pad: Any, where: str) -> None:
        def on_event(pad: Any, info: Any) -> Any:
            event = info.get_event()
            caps = (event.parse_caps() if event.type == Gst.EventType.CAPS
                    else None)
            if not is_video(caps) or not self._is_track(pad):
                return Gst.PadProbeReturn.OK
            row = caps[0].copy()
            text = row.get_string('colorimetry')
            self.told[where] = self.told.get(where) or text
            if text is None:
                return Gst.PadProbeReturn.OK
            row.remove_field('colorimetry')
            others = Gst.Caps.new_empty()
            others.append_structure(row)
            pad.send_event(Gst.Event.new_caps(others))
            return Gst.PadProbeReturn.DROP

        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, on_event)

    def _on_decoded(self, _: Any, info: Any) -> Any:
        event = info.get_event()
        if event.type == Gst.EventType.CAPS:
            self.told['decoded'] = event.parse_caps()[0].get_string(
                'colorimetry')
            self.line.bus.post(Gst.Message.new_eos(self.line.pipeline))
        return Gst.PadProbeReturn.OK

    def _on_pad(self, _: Any, pad: Any) -> None:
        caps = pad.get_current_caps() or pad.query_caps(None)
        if not is_video(caps) or not self._is_track(pad):
            return
        decoders = Gst.ElementFactory.list_filter(
            Gst.ElementFactory.list_get_elements(
                Gst.ELEMENT_FACTORY_TYPE_DECODER, Gst.Rank.MARGINAL),
            caps, Gst.PadDirection.SINK, False)
        for factory in decoders:
            # FFmpeg's tell what the stream says; others do not.
            if factory.get_name().startswith('avdec_'):
                self._decode(pad, factory.create(None))
                return

    def _decode(self, pad: Any, decoder: Any) -> None:
        if decoder.find_property('max-threads'):
            decoder.set_property('max-threads', 1)
        sink = Gst.ElementFactory.make('fakesink', None)
        for element in decoder, sink:
            self.line.pipeline.add(element)
        self._strip(decoder.get_static_pad('sink'), 'decoder')
        decoder.get_static_pad('src').add_probe(
            Gst.PadProbeType.EVENT_DOWNSTREAM, self._on_decoded)
        decoder.link(sink)
        pad.link(decoder.get_static_pad('sink'))
        sink.sync_state_with_parent()
        decoder.sync_state_with_parent()


def _range_of_stream(told: Dict[str, Optional[str]], has_range: bool
                     ) -> Optional[str]:
    """FFmpeg's decoders take a stream without a range for limited."""
    found = _range(_parsed(told.get('decoded')))
    has_range = has_range or bool('parser' in told and told.get('decoder'))
    return found if found == 'full' or has_range else None


def _contradictions(told: Dict[str, Optional[str]], stream_range: Optional[str]
                    ) -> List[Dict[str, str]]:
    container = _parsed(told.get('parser', told.get('decoder')))
    stream = _parsed(told.get('decoded'))
    found = []
    container_range = _range(container)
    if stream_range and container_range and stream_range != container_range:
        found.append({'what': 'range', 'container': container_range,
                      'stream': stream_range})
    for name, are_alike in _ALIKE.items():
        one, other = getattr(container, name), getattr(stream, name)
        if one and other and not are_alike(one, other):
            found.append({'what': name, 'container': one.value_nick,
                          'stream': other.value_nick})
    return found


def facts(path: str, track: Optional[str], caps: Any) -> Dict[str, Any]:
    """Of a video with these caps: `stream-range`, which the stream itself
    names, and `contradictions` of the container to it; each only where there
    is one."""
    is_vp9 = caps[0].get_name() == 'video/x-vp9'  # has a range in any case
    if not is_vp9 and not caps[0].has_field('colorimetry'):
        return {}
    line = Line(f'{source(path)} ! parsebin name=parse')
    claims = _Claims(line, track)
    try:
        line.play()
    except ClqcError:
        return {}  # whoever measures it tells
    finally:
        line.close()
    found: Dict[str, Any] = {}
    stream_range = _range_of_stream(claims.told, is_vp9)
    if stream_range:
        found['stream-range'] = stream_range
    contradictions = _contradictions(claims.told, stream_range)
    if contradictions:
        found['contradictions'] = contradictions
    return found
