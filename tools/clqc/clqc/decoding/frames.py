# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: decodes a file or a part of it; clframesum writes a
line for each frame."""
import os
from typing import Any, Dict, List, Optional

from clqc.common.errors import ClqcError, MachineError
from clqc.decoding import colours
from clqc.decoding.colours import set_range
from clqc.decoding.diagnostics import DECODER, Diagnostics
from clqc.decoding.file_parts import Part, keeps
from clqc.decoding.gst import (Gst, GstVideo, Pipeline, escape, source,
                               stream_time)
from clqc.decoding.video_track import decode_alone, decoder
from clqc.results.fields import STATISTICS


# Kernels are compiled for the first frame; frames in flight follow it.
COMPILED_FRAMES = 4

# The maximum bits of a component of ProRes 4444 and 4444 XQ. The stream does
# not tell how many its encoder had.
_BITS_OF_4444 = 12


class _Gate:
    """Passes the frames of a part to clframesum and drops all others."""

    def __init__(self, part: Part, line: Pipeline, pad: Any,
                 found: Diagnostics) -> None:
        self.part = part
        self.line = line
        self.found = found
        self.n_passed = 0
        self.n_of_range = 0
        self.is_over = False
        self.is_open = False  # all further frames pass
        pad.add_probe(Gst.PadProbeType.BUFFER, self._on_buffer)

    def _end(self, pad: Any) -> None:
        self.is_over = True
        self.found.close()  # the decoder is stopped before the end of the file
        pad.send_event(Gst.Event.new_eos())

    def _is_of_range(self, time: Optional[int]) -> bool:
        return time is not None and time >= (self.part.start or 0)

    def _on_buffer(self, pad: Any, info: Any) -> Any:
        if self.is_open:
            self.line.is_compiling = True
            return Gst.PadProbeReturn.OK
        if self.is_over:
            return Gst.PadProbeReturn.DROP
        buffer = info.get_buffer()
        time = stream_time(pad, buffer.pts)
        if time is not None:
            self.line.position = time
            if self.part.stop is not None and time >= self.part.stop:
                self._end(pad)
                return Gst.PadProbeReturn.DROP
        if self._is_of_range(time):
            if self.n_of_range == self.part.limit:
                self._end(pad)
                return Gst.PadProbeReturn.DROP
            self.n_of_range += 1
        elif not keeps(self.part, time):
            return Gst.PadProbeReturn.DROP
        self.n_passed += 1
        self.line.is_compiling = self.n_passed < COMPILED_FRAMES
        if buffer.has_flags(Gst.BufferFlags.CORRUPTED):
            self.found.add_corrupted(time)
        return Gst.PadProbeReturn.OK


class _Caps:
    """Records the caps of a pad, each time they change."""

    def __init__(self, pad: Any) -> None:
        self.all: List[Any] = []
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self._on_event)

    def _on_event(self, _: Any, info: Any) -> Any:
        event = info.get_event()
        if event.type == Gst.EventType.CAPS:
            self.all.append(event.parse_caps()[0])
        return Gst.PadProbeReturn.OK

    def sizes(self) -> List[str]:
        """Returns the sizes in order."""
        sizes: List[str] = []
        for row in self.all:
            size = f'{row.get_value("width")} × {row.get_value("height")}'
            if sizes[-1:] != [size]:
                sizes.append(size)
        return sizes


def _launch_line(part: Part) -> str:
    settings = {
        'name': 'measure', 'key-style': 'lavfi',
        'statistics': '+'.join(STATISTICS),
        'location': escape(part.lines), 'post-messages': 'false',
        'stats-meta': 'false', **part.settings}
    measure = ' '.join(f'{name}={value}' for name, value in settings.items())
    return (f'{source(part.path)} ! '
            f'{decoder(part.track)} dither=none ! '
            'queue max-size-buffers=4 max-size-bytes=0 max-size-time=0 ! '
            f'clframesum {measure} ! fakesink name=sink sync=false')


def _decoded(line: Pipeline) -> Dict[str, Any]:
    """Returns the caps of the decoder's frames, if clframesum does not support
    their format."""
    formats = []
    for name in 'convert', 'measure':
        caps = line.element(name).get_static_pad('sink').get_current_caps()
        formats.append(caps[0].get_value('format'))
    if formats[0] == formats[1]:
        return {}
    info = GstVideo.VideoFormat.get_info(
        GstVideo.VideoFormat.from_string(formats[0]))
    return {'format': formats[0], 'measured-format': formats[1],
            'depth': info.depth[0]}


def _of_stream(line: Pipeline, depth: int, has_alpha: bool) -> Dict[str, Any]:
    """Returns how the decoder's frames differ from the stream. @depth,
    @has_alpha: of the frames."""
    for element in line.of('Decoder'):
        caps = element.get_static_pad('sink').get_current_caps()
        row = caps[0] if caps else Gst.Structure.new_empty('none')
        if (row.get_string('variant') or '').startswith('4444') and (
                depth < _BITS_OF_4444):
            return {'stream-depth': _BITS_OF_4444}
        if row.get_string('sampling') == 'RGB' and has_alpha:
            return {'added-alpha': True}
        if row.get_string('coded-picture-structure') == 'field':
            return {'may-have-fields': True}
    return {}


def _video_facts(line: Pipeline, sizes: List[str]) -> Dict[str, Any]:
    caps = line.element('measure').get_static_pad('sink').get_current_caps()
    if caps is None:
        return {}
    facts = colours.caps_facts(caps[0])
    facts.update(_decoded(line))
    form = GstVideo.VideoFormat.get_info(
        GstVideo.VideoFormat.from_string(facts['format']))
    facts.update(_of_stream(line, form.depth[0], bool(
        form.flags & GstVideo.VideoFormatFlags.ALPHA)))
    if len(sizes) > 1:
        facts['sizes'] = sizes
    return facts


def decoder_threads() -> int:
    """Returns the number of threads for FFmpeg's decoders. Their default is
    one per core, and these wait for each other and for the measuring threads;
    a few more keep few cores busy. 0: the decoder's default."""
    cores = len(os.sched_getaffinity(0))
    return cores + 3 if 1 < cores < 8 else 0


def set_threads(line: Pipeline, threads: int) -> None:
    """Sets the threads of decoders. Called before the pipeline starts."""
    def on_added(_: Any, __: Any, element: Any) -> None:
        if element.find_property('max-threads'):
            element.set_property('max-threads', threads)
    line.pipeline.connect('deep-element-added', on_added)


def _play(line: Pipeline) -> None:
    try:
        line.play()
    except ClqcError as error:
        if 'smaller than its caps say' in str(error):
            raise ClqcError('its frames do not have the size that GStreamer '
                            f'expects of its container: {error}') from error
        raise


def need_plugin(element: str) -> None:
    """Raises MachineError if GStreamer does not find an element of the plugin.
    """
    if not Gst.ElementFactory.find(element):
        raise MachineError('GStreamer does not find the plugin opencl: is '
                           'GST_PLUGIN_PATH set?')


class Damaged(Exception):
    """A decoder with several threads has reported errors. Its output of
    damaged data then depends on the order of its threads."""


def measure(part: Part, on_tick: Any) -> Dict[str, Any]:
    """Writes the lines; returns facts. @on_tick receives nanoseconds. A
    damaged file is decoded by one thread, so that its frames are reproducible;
    a part of one is not, because the file will be measured again in one piece.
    """
    need_plugin('clframesum')
    try:
        return _measure(part, on_tick, decoder_threads())
    except Damaged:
        return _measure(part, on_tick, 1)


def _errors(part: Part, found: Diagnostics) -> List[Any]:
    """Returns the errors within the part: decoders that start in the middle of
    a file may lack earlier frames."""
    return [row for row in found.places() if keeps(part, row[0]) and (
        part.stop is None or row[0] is None or row[0] < part.stop)]


def _measure(part: Part, on_tick: Any, threads: int) -> Dict[str, Any]:
    line = Pipeline(_launch_line(part))
    decode_alone(line.pipeline, part.track)
    found = Diagnostics(line, track=part.track)
    is_whole = part.start is None and part.stop is None

    def tick(position: int) -> None:
        on_tick(position)
        check_threads()

    def check_threads() -> None:
        if is_whole and threads != 1 and found.count_of(DECODER) > 0:
            raise Damaged
    set_threads(line, threads)
    line.on_tick = tick
    pad = line.element('measure').get_static_pad('sink')
    gate = _Gate(part, line, pad, found)
    caps = _Caps(pad)
    if part.range:
        set_range(pad, part.range)
    try:
        if part.enter > 0:
            # One frame of the beginning is measured, and its line is not of
            # this part: keeps() decides.
            gate.is_open = True
            line.pause()
            gate.is_open = False
            line.seek(part.enter)
        _play(line)
        if found.failure and not gate.n_passed:
            raise ClqcError(found.failure)
        check_threads()
        element = line.element('measure')
        return {'frames': gate.n_passed,
                'decoder': '+'.join(line.elements('Decoder/Video') or
                                    line.elements('Decoder')),
                'device': element.get_property('device-name'),
                'plugin': element.get_factory().get_plugin().get_version(),
                'gstreamer': Gst.version_string().split()[-1],
                'errors': _errors(part, found),
                'repeats': found.repeats,
                'video': _video_facts(line, caps.sizes())}
    finally:
        line.close()
        found.close()
