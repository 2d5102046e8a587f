# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: decodes files and their reference; clcompare writes
a line for each pair of frames."""
import math
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from clqc.decoding import colours
from clqc.decoding.colours import set_range
from clqc.decoding.compared_files import Comparison, Source
from clqc.decoding.diagnostics import DECODER, Diagnostics
from clqc.decoding.frames import (COMPILED_FRAMES, Damaged, decoder_threads,
                                  need_plugin, set_threads)
from clqc.decoding.gst import Gst, Pipeline, escape, source, stream_time
from clqc.decoding.video_track import decode_alone, decoder

# A shift is looked for in so many nanoseconds from the beginning, at most so
# many times.
_TRIAL = 10 * 10 ** 9
_TRIALS = 4

# clcompare finds a shift of at most half a second.
_REACH = 5 * 10 ** 8

# A shift counts if the PSNR increases by more than this, in dB.
_GAIN = 1.0

# Below this PSNR in dB, frames may be those of other pictures.
_POOR = 25.0


@dataclass
class _Stream:
    """The stream at a pad of clcompare, as a run has found it."""
    name: str
    source: Source
    delay: int = 0              # nanoseconds added to its running times
    caps: Any = None            # structure of those of the first frame
    first: Optional[int] = None  # running time of that, without the delay
    ahead: int = 0              # its stream time less that
    length: int = 0             # stream time of the end; 0: unknown
    end: Optional[int] = None   # stream time where a trial ends
    is_over: bool = False
    # events `offset`: frames that the stream is late, and pairs of the event
    shifts: List[List[int]] = field(default_factory=list)
    n_pairs: int = 0
    psnr: float = -math.inf     # infinite: equal

    @property
    def number(self) -> str:
        """Returns the end of the names of its elements."""
        return '-' + self.name

    def again(self, delay: int) -> '_Stream':
        """Returns the stream for the next run."""
        return _Stream(self.name, self.source, delay)

    def gap(self, reference: '_Stream') -> int:
        """Returns by how much its first frame is late."""
        return (self.first or 0) + self.delay - (reference.first or 0)

    def gap_of_ends(self, reference: '_Stream') -> int:
        """Returns by how much its end is late, 0 if that is unknown."""
        return (self.length - self.ahead + self.delay - reference.length
                + reference.ahead) if self.length and reference.length else 0


def _streams(plan: Comparison) -> List[_Stream]:
    """Returns the streams, the reference first."""
    return [_Stream('reference', plan.reference), *(
        _Stream(f'sink_{i}', file) for i, file in enumerate(plan.files))]


def _caps_of(file: Source) -> Any:
    """Returns the structure of the caps of the first frame."""
    line = Pipeline(f'{source(file.path)} ! {decoder(file.track)} '
                    'dither=none ! fakesink name=sink')
    decode_alone(line.pipeline, file.track)
    if file.range:
        set_range(line.element('convert').get_static_pad('sink'), file.range)
    try:
        line.pause()
        pad = line.element('sink').get_static_pad('sink')
        return pad.get_current_caps()[0].copy()
    finally:
        line.close()


def _converted(plan: Comparison) -> str:
    """Returns the part of a launch line that gives frames what those of the
    reference have."""
    if not (plan.scales or plan.converts):
        return ''
    wanted = _caps_of(plan.reference)
    names = ['width', 'height'] * plan.scales + [
        'format', 'colorimetry'] * plan.converts
    fields = ','.join(f'{name}={wanted.get_value(name)}' for name in names
                      if wanted.has_field(name))
    return ('videoscale ! ' * plan.scales
            + 'videoconvert dither=none ! ' * plan.converts
            + f'video/x-raw,{fields} ! ')


def _launch_line(streams: List[_Stream], settings: Dict[str, str],
                 converted: str) -> str:
    properties = ' '.join(f'{name}={value}'
                          for name, value in settings.items())
    line = ('clcompare name=compare post-messages=false output=none '
            f'{properties} ! fakesink name=sink sync=false')
    for stream in streams:
        line += (f' {source(stream.source.path)} ! '
                 f'{decoder(stream.source.track, stream.number)} dither=none '
                 f'! {converted if stream is not streams[0] else ""}'
                 'queue max-size-buffers=4 max-size-bytes=0 max-size-time=0 '
                 f'! compare.{stream.name}')
    return line


class _Run:
    """Compares the streams once, from their beginning."""

    def __init__(self, streams: List[_Stream], settings: Dict[str, str],
                 converted: str, threads: int, is_trial: bool) -> None:
        self.streams = {stream.name: stream for stream in streams}
        self.threads = threads
        self.is_trial = is_trial
        self.n_passed = 0
        # no running time becomes negative
        self.base = -min(stream.delay for stream in streams)
        self.line = Pipeline(_launch_line(streams, settings, converted),
                             self._on_message)
        self.found = Diagnostics(self.line, [DECODER])
        set_threads(self.line, threads)
        for stream in streams:
            self._prepare(stream)

    def _prepare(self, stream: _Stream) -> None:
        decode_alone(self.line.pipeline, stream.source.track, stream.number)
        if stream.source.range:
            set_range(self.line.element(
                f'convert{stream.number}').get_static_pad('sink'),
                stream.source.range)
        pad = self.line.element('compare').get_static_pad(stream.name)
        pad.set_offset(self.base + stream.delay)
        pad.add_probe(Gst.PadProbeType.BUFFER, self._on_buffer, stream)

    def _on_buffer(self, pad: Any, info: Any, stream: _Stream) -> Any:
        time = stream_time(pad, info.get_buffer().pts)
        if stream.caps is None:
            self._begin(pad, info.get_buffer(), stream)
        if stream.name == 'reference':
            self.n_passed += 1
            self.line.is_compiling = self.n_passed < COMPILED_FRAMES
        # of any stream: one may be longer than the reference
        self.line.position = max(self.line.position, time or 0)
        if not stream.is_over and stream.end is not None and (
                time is not None and time >= stream.end):
            stream.is_over = True
            pad.send_event(Gst.Event.new_eos())
        return (Gst.PadProbeReturn.DROP if stream.is_over
                else Gst.PadProbeReturn.OK)

    def _begin(self, pad: Any, buffer: Any, stream: _Stream) -> None:
        """Handles the first frame of a stream."""
        stream.caps = pad.get_current_caps()[0].copy()
        event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
        time = stream_time(pad, buffer.pts)
        if time is None:
            return
        stream.first = event.parse_segment().to_running_time(
            Gst.Format.TIME, buffer.pts) - self.base - stream.delay
        stream.ahead = time - stream.first
        found, length = pad.peer_query_duration(Gst.Format.TIME)
        stream.length = length if found else 0
        if self.is_trial:
            stream.end = time + _TRIAL

    def _on_message(self, message: Any) -> None:
        row = message.get_structure()
        if row is None or not row.has_field('pad'):
            return
        stream = self.streams[row.get_string('pad')]
        if row.get_string('span') == 'stream':
            stream.n_pairs = row.get_value('frames')
            stream.psnr = row.get_value('psnr-all')
        elif row.get_string('event') == 'offset':
            if row.get_string('state') == 'start':
                stream.shifts.append([row.get_value('offset-frames'), 0])
            elif stream.shifts:
                stream.shifts[-1][1] = row.get_value('frames')

    def _check_threads(self) -> None:
        if not self.is_trial and self.threads != 1 and (
                self.found.count_of(DECODER) > 0):
            raise Damaged

    def play(self, on_tick: Any) -> Dict[str, Any]:
        """Plays to the end; returns facts."""
        def tick(position: int) -> None:
            on_tick(0 if self.is_trial else position)
            self._check_threads()
        self.line.on_tick = tick
        try:
            self.line.play()
            self._check_threads()
            element = self.line.element('compare')
            return {
                'decoder': '+'.join(self.line.elements('Decoder/Video') or
                                    self.line.elements('Decoder')),
                'device': element.get_property('device-name'),
                'plugin': element.get_factory().get_plugin().get_version(),
                'gstreamer': Gst.version_string().split()[-1],
                'decode-errors': self.found.count_of(DECODER)}
        finally:
            self.line.close()
            self.found.close()


def _frame_duration(reference: _Stream) -> int:
    """Returns nanoseconds, 0 if the rate is unknown."""
    found, rate, base = reference.caps.get_fraction(
        'framerate') if reference.caps else (False, 0, 1)
    return base * Gst.SECOND // rate if found and rate > 0 else 0


def _better_delay(stream: _Stream, reference: _Stream, duration: int) -> int:
    """Returns a delay with which the frames may be pairs, by what a run has
    found: its present one, if nothing speaks for another."""
    shift, _ = max(stream.shifts, key=lambda row: row[1], default=(0, 0))
    gap = stream.gap(reference)
    if not shift and (not stream.n_pairs or abs(gap) > _REACH):
        return stream.delay - gap
    ends = stream.gap_of_ends(reference)
    if not shift and stream.psnr < _POOR and abs(ends) > _REACH:
        shift = round(ends / duration)
    rest = gap - round(gap / duration) * duration
    if abs(rest) <= duration / 8:  # containers round their times
        rest = 0
    return stream.delay - shift * duration - rest


def _is_better(new: _Stream, old: _Stream, duration: int) -> bool:
    """Returns whether frames are more alike with the delay of a new trial, or,
    if it moves them by less than a frame, whether more of them are pairs."""
    return new.psnr > old.psnr + _GAIN or (
        abs(new.delay - old.delay) < duration and new.n_pairs > old.n_pairs)


def _align(streams: List[_Stream], converted: str, threads: int,
           settings: Dict[str, str], on_tick: Any) -> List[_Stream]:
    """Returns the streams with delays. A delay is kept if the frames at the
    beginning are more alike with it than without."""
    settings = {**settings, 'metrics': 'psnr'}
    kept: List[_Stream] = []
    for _ in range(_TRIALS):
        trial = [stream.again(stream.delay) for stream in streams]
        _Run(trial, settings, converted, threads, True).play(on_tick)
        duration = _frame_duration(trial[0])
        kept = [new if _is_better(new, old, duration) else old
                for new, old in zip(trial, kept or trial)]
        streams = [trial[0], *(
            # nothing better is known where the trial has failed
            stream.again(_better_delay(stream, trial[0], duration)
                         if stream is new and duration else stream.delay)
            for stream, new in zip(kept[1:], trial[1:]))]
        if [stream.delay for stream in streams[1:]] == [
                stream.delay for stream in kept[1:]]:
            break
    return kept


def _time_from(stream: _Stream, reference: _Stream, is_in_order: bool) -> int:
    """Returns the stream time of a frame less that of its partner."""
    offset = (stream.first or 0) - (reference.first or 0) if is_in_order else (
        -stream.delay)
    return stream.ahead - reference.ahead + offset


def _compare(plan: Comparison, on_tick: Any, threads: int) -> Dict[str, Any]:
    streams = _streams(plan)
    converted = _converted(plan)
    is_in_order = plan.settings.get('pair') == 'order'
    if plan.finds_shifts and not is_in_order:
        streams = _align(streams, converted, threads, {
            name: value for name, value in plan.settings.items()
            if name == 'other-rates'}, on_tick)
    streams = [stream.again(stream.delay) for stream in streams]
    settings = {**plan.settings, 'location': escape(plan.lines)}
    facts = _Run(streams, settings, converted, threads, False).play(on_tick)
    reference = streams[0]
    facts['frame-duration'] = _frame_duration(reference)
    facts['reference'] = (colours.caps_facts(reference.caps)
                          if reference.caps else {})
    facts['files'] = [{
        'shift': -stream.delay,
        'time-from': _time_from(stream, reference, is_in_order),
        'starts-late': stream.gap(reference)} for stream in streams[1:]]
    return facts


def compare(plan: Comparison, on_tick: Any) -> Dict[str, Any]:
    """Writes the lines; returns facts: of each file `shift`, by how many
    nanoseconds it was late, and `time-from`, what to add to the stream time of
    a frame of the reference for that of its partner. @on_tick receives
    nanoseconds. Damaged files are decoded by one thread, so that their frames
    are reproducible."""
    need_plugin('clcompare')
    try:
        return _compare(plan, on_tick, decoder_threads())
    except Damaged:
        return _compare(plan, on_tick, 1)
