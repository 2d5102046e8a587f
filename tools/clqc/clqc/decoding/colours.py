# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: finds what the container and the stream say about
colours, and whether they agree."""
from typing import Any, Dict, List, Optional

from clqc.common.errors import ClqcError
from clqc.containers import av1
from clqc.decoding.gst import Gst, GstVideo, Pipeline, made_by, source
from clqc.decoding.video_track import discard, is_video, name_of
from clqc.inputs.locations import is_http

# By nicks of GStreamer's enum.
_RANGES = {'0-255': 'full', '16-235': 'limited'}

# Streams of these codecs always name a range.
_WITH_RANGE = ('video/x-vp9', 'video/x-av1')

# Bytes at the start of AV1 that include the first sequence header.
_HEADERS = 1 << 16

# Values that may have several names are compared by a function.
_ALIKE = {'matrix': lambda one, other: one == other,
          'transfer': lambda one, other:
          GstVideo.video_transfer_function_is_equivalent(one, 8, other, 8),
          'primaries': GstVideo.video_color_primaries_is_equivalent}


def _parsed(text: Optional[str]) -> Any:
    """Returns the caps' colorimetry; an empty one if it cannot be parsed."""
    colorimetry = GstVideo.VideoColorimetry()
    if text:
        colorimetry.from_string(text)
    return colorimetry


def _range(colorimetry: Any) -> Optional[str]:
    return _RANGES.get(colorimetry.range.value_nick)


def words(text: str) -> str:
    """Returns a colorimetry in words."""
    read = _parsed(text)
    return ', '.join([f'{_range(read) or "unknown"} range', *(
        f'{name} {getattr(read, name).value_nick}' for name in _ALIKE)])


def _replace_caps(pad: Any, info: Any, row: Any) -> Any:
    """In a probe for a CAPS event: replaces its structure by @row."""
    caps = Gst.Caps.new_empty()
    features = info.get_event().parse_caps().get_features(0)
    caps.append_structure_full(row, features and features.copy())
    pad.send_event(Gst.Event.new_caps(caps))
    return Gst.PadProbeReturn.DROP


def set_range(pad: Any, name: str) -> None:
    """Sets the colour range of all caps at a sink pad to `full` or `limited`.
    """
    nick = next(nick for nick, of in _RANGES.items() if of == name)
    wanted = next(value for value in
                  GstVideo.VideoColorRange.__enum_values__.values()
                  if value.value_nick == nick)

    def on_event(pad: Any, info: Any) -> Any:
        event = info.get_event()
        if event.type != Gst.EventType.CAPS:
            return Gst.PadProbeReturn.OK
        caps = event.parse_caps()
        row = caps[0].copy()
        # Without a range GStreamer guesses by the size of the picture.
        colorimetry = (_parsed(row.get_string('colorimetry'))
                       if row.has_field('colorimetry') else
                       GstVideo.VideoInfo.new_from_caps(caps).colorimetry)
        if colorimetry.range == wanted:
            return Gst.PadProbeReturn.OK
        colorimetry.range = wanted
        row.set_value('colorimetry', colorimetry.to_string())
        return _replace_caps(pad, info, row)

    pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, on_event)


class _Claims:
    """Records the caps at the parser, at the decoder and after it. Removes the
    container's colours before the parser, so that parser and decoder report
    what the stream says."""

    def __init__(self, line: Pipeline, track: Optional[str]) -> None:
        self.line = line
        self.track = track
        self.found_in: Dict[str, Optional[str]] = {}
        self.range_of_av1: Optional[str] = None
        line.pipeline.connect('deep-element-added', self._on_element)
        line.element('parse').connect('pad-added', self._on_pad)

    def _is_track(self, pad: Any) -> bool:
        return self.track in (None, name_of(pad.get_stream_id()))

    def _on_element(self, _: Any, __: Any, element: Any) -> None:
        if 'Parser' in made_by(element)[1]:
            self._strip(element.get_static_pad('sink'), 'parser')

    def _strip(self, pad: Any, where: str) -> None:
        def on_event(pad: Any, info: Any) -> Any:
            event = info.get_event()
            caps = (event.parse_caps() if event.type == Gst.EventType.CAPS
                    else None)
            if not caps or not is_video(caps) or not self._is_track(pad):
                return Gst.PadProbeReturn.OK
            row = caps[0].copy()
            text = row.get_string('colorimetry')
            self.found_in[where] = self.found_in.get(where) or text
            if text is None:
                return Gst.PadProbeReturn.OK
            row.remove_field('colorimetry')
            return _replace_caps(pad, info, row)

        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, on_event)

    def _on_decoded(self, _: Any, info: Any) -> Any:
        event = info.get_event()
        if event.type == Gst.EventType.CAPS:
            self.found_in['decoded'] = event.parse_caps()[0].get_string(
                'colorimetry')
            self.line.bus.post(Gst.Message.new_eos(self.line.pipeline))
        return Gst.PadProbeReturn.OK

    def _on_av1(self, _: Any, info: Any) -> Any:
        """Reads the sequence header at the beginning of a stream."""
        buffer = info.get_buffer()
        self.range_of_av1 = self.range_of_av1 or av1.colour_range(
            buffer.extract_dup(0, min(buffer.get_size(), _HEADERS)))
        self.line.bus.post(Gst.Message.new_eos(self.line.pipeline))
        return Gst.PadProbeReturn.OK

    def _on_pad(self, _: Any, pad: Any) -> None:
        caps = pad.get_current_caps() or pad.query_caps(None)
        if not is_video(caps) or not self._is_track(pad):
            return
        if caps[0].get_name() == 'video/x-av1':
            pad.add_probe(Gst.PadProbeType.BUFFER, self._on_av1)
            discard(self.line, pad)
            return
        decoders = Gst.ElementFactory.list_filter(
            Gst.ElementFactory.list_get_elements(
                Gst.ELEMENT_FACTORY_TYPE_DECODER, Gst.Rank.MARGINAL),
            caps, Gst.PadDirection.SINK, False)
        for factory in decoders:
            # FFmpeg's decoders report what the stream says; others do not
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


def _range_of_stream(found_in: Dict[str, Optional[str]], has_range: bool
                     ) -> Optional[str]:
    """FFmpeg's decoders treat a stream without a range as limited."""
    found = _range(_parsed(found_in.get('decoded')))
    has_range = has_range or bool(
        'parser' in found_in and found_in.get('decoder'))
    return found if found == 'full' or has_range else None


def _contradictions(found_in: Dict[str, Optional[str]], ranges: Dict[str, Any]
                    ) -> List[Dict[str, str]]:
    container = _parsed(found_in.get('parser', found_in.get('decoder')))
    stream = _parsed(found_in.get('decoded'))
    found = []
    if None not in ranges.values() and len(set(ranges.values())) > 1:
        found.append({'what': 'range', **ranges})
    for name, are_alike in _ALIKE.items():
        one, other = getattr(container, name), getattr(stream, name)
        if one and other and not are_alike(one, other):
            found.append({'what': name, 'container': one.value_nick,
                          'stream': other.value_nick})
    return found


def facts(path: str, track: Optional[str], caps: Any) -> Dict[str, Any]:
    """Returns facts about a video with these caps, each only if it applies:
    `range`, the range to measure with if decoders may not report it;
    `stream-range`, the range in the stream; `contradictions` between container
    and stream."""
    # imports numpy, which the process that decodes does not need
    from clqc.containers import mp4_video

    boxed = None if is_http(path) else mp4_video.colour_range(path, track)
    has_range = caps[0].get_name() in _WITH_RANGE
    if not has_range and not boxed and not caps[0].has_field('colorimetry'):
        return {}  # decoders report what the stream says
    line = Pipeline(f'{source(path)} ! parsebin name=parse')
    claims = _Claims(line, track)
    try:
        line.play()
        is_mp4 = 'qtdemux' in line.elements('Demuxer')
    except ClqcError:
        return {'range': boxed} if boxed else {}  # reported when measuring
    finally:
        line.close()
    found_in = claims.found_in
    stream = claims.range_of_av1 or _range_of_stream(found_in, has_range)
    container_text = found_in.get('parser', found_in.get('decoder'))
    container = boxed if is_mp4 else _range(_parsed(container_text))
    is_lost = has_range or container_text  # decoders use that, not the stream
    found = {'range': container or (stream if is_lost else None),
             'stream-range': stream,
             'contradictions': _contradictions(
                 found_in, {'container': container, 'stream': stream})}
    return {name: value for name, value in found.items() if value}


def light_facts(row: Any) -> Dict[str, Any]:
    """Returns the facts of HDR10 in the structure of a parser's caps, which
    have them from the container or from SEI, in cd/m2; 0 is unknown."""
    light = row.get_string('content-light-level')
    display = row.get_string('mastering-display-info')
    found: Dict[str, Any] = {}
    if light:
        found['max-cll'], found['max-fall'] = map(int, light.split(':'))
    if display:
        *points, most, least = map(int, display.split(':'))
        found['mastering-display'] = {
            'points': [value / 50_000 for value in points],
            'min': least / 10_000, 'max': most / 10_000}
    return found


def caps_facts(row: Any) -> Dict[str, Any]:
    """Returns the facts in the structure of caps, as in facts.json."""
    facts = {name: row.get_value(name)
             for name in ('format', 'width', 'height', 'colorimetry')}
    if facts['colorimetry']:
        facts['colours'] = words(facts['colorimetry'])
    facts['interlacing'] = row.get_value('interlace-mode')
    for key, name in (('rate', 'framerate'),
                      ('pixel-aspect-ratio', 'pixel-aspect-ratio')):
        found, number, denominator = row.get_fraction(name)
        is_known = found and number >= 0 and denominator > 0
        facts[key] = [number, denominator] if is_known else None
    return facts
