# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: reads all packets of a file without decoding them,
and finds its tracks with their start and end."""
from array import array
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Dict, List, Optional

from clqc.common.errors import ClqcError
from clqc.containers import readers
from clqc.decoding import hevc_slices
from clqc.decoding.gst import (Gst, GstPbutils, Pipeline, made_by, source,
                               stream_time)
from clqc.decoding.video_track import discard, name_of
from clqc.inputs.locations import is_http
from clqc.integrity import gaps, timestamp_jumps

_KINDS = {'video': 'video', 'image': 'video', 'audio': 'audio',
          'text': 'text', 'subpicture': 'text', 'closedcaption': 'text'}


class _MovedSound:
    """A track of sound of a transport stream, whose demuxer may have changed
    timestamps."""

    def __init__(self, own: 'array[int]') -> None:
        self.own = own                         # in the PES packets
        self.came: 'array[int]' = array('q')   # the same, from the demuxer
        self._rows: 'array[int]' = array('q')  # three numbers for each packet

    def add(self, stamp: int, time: int, duration: int) -> None:
        """Adds the next packet from the parser."""
        self._rows.extend((stamp, time, duration))

    def find(self) -> List[gaps.SoundGap]:
        """Finds gaps by the timestamps in the PES packets."""
        sound = gaps.SoundGaps()
        stamps = timestamp_jumps.unchanged(
            self.came, self.own, self._rows[::3])
        for stamp, time, duration in zip(stamps, self._rows[1::3],
                                         self._rows[2::3]):
            sound.add(stamp, duration, time)
        return sound.find()

    def is_moved(self) -> bool:
        """Returns whether the demuxer has changed timestamps."""
        return timestamp_jumps.find(self.came, self.own)[0] is not None


@dataclass
class Track:
    """The packets of a pad of the demuxer. @first, @last, @keys are
    nanoseconds of the stream; @stamps are the presentation timestamps of the
    buffers."""
    kind: str   # video, audio, text or other
    codec: str = ''
    is_measured: bool = False
    has_slices: bool = False
    packets: int = 0
    first: Optional[int] = None  # start of the first packet that has a time
    last: Optional[int] = None   # end of the last one
    # of the packets and the key frames, if it is the measured track
    stamps: 'array[int]' = field(default_factory=lambda: array('q'))
    keys: List[int] = field(default_factory=list)
    sound: gaps.SoundGaps = field(default_factory=gaps.SoundGaps)
    moved: Optional[_MovedSound] = None

    def add(self, pad: Any, buffer: Any) -> Optional[int]:
        """Adds the next packet; returns its time."""
        if self.packets == 0:
            self.codec = _codec(pad)
        self.packets += 1
        time = stream_time(pad, buffer.pts)
        if time is None:
            return None
        duration = buffer.duration
        end = time + (0 if duration == Gst.CLOCK_TIME_NONE else duration)
        self.first = time if self.first is None else min(self.first, time)
        self.last = end if self.last is None else max(self.last, end)
        if self.kind == 'audio':
            self.sound.add(time, end - time)
            if self.moved:
                self.moved.add(buffer.pts, time, end - time)
        if self.is_measured:
            self.stamps.append(buffer.pts)
            if not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT):
                self.keys.append(time)
        return time

    def sound_gaps(self) -> List[gaps.SoundGap]:
        """Returns the gaps of a track of sound."""
        if self.moved and self.moved.is_moved():
            return self.moved.find()
        return self.sound.find()

    def to_json(self) -> Dict[str, Any]:
        """Returns the track for facts.json."""
        return {'kind': self.kind, 'codec': self.codec,
                'measured': self.is_measured, 'packets': self.packets,
                'first': self.first, 'last': self.last}


def _codec(pad: Any) -> str:
    return str(GstPbutils.pb_utils_get_codec_description(
        pad.get_current_caps()))


def _track(pad: Any) -> Track:
    caps = pad.get_current_caps() or pad.query_caps(None)
    name = caps[0].get_name() if caps.get_size() else ''
    return Track(_KINDS.get(name.split('/')[0], 'other'))


def _pid(pad: Any) -> Optional[int]:
    """Returns the PID of a stream of a transport stream; the stream's
    identifier ends with it."""
    try:
        return int(name_of(pad.get_stream_id()).rpartition('/')[2], 16)
    except ValueError:
        return None


def _follow(line: Pipeline, sounds: Dict[int, _MovedSound]) -> None:
    """Collects the timestamps that the demuxer of transport streams outputs.
    """
    def on_pad(_: Any, pad: Any) -> None:
        sound = sounds.get(_pid(pad) or 0)
        if sound:
            pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer, sound.came)

    def on_buffer(_: Any, info: Any, came: 'array[int]') -> Any:
        stamp = info.get_buffer().pts
        if stamp != Gst.CLOCK_TIME_NONE:
            came.append(stamp)
        return Gst.PadProbeReturn.OK

    def on_element(_: Any, __: Any, element: Any) -> None:
        if made_by(element)[0] == 'tsdemux':
            element.connect('pad-added', on_pad)
    if sounds:
        line.pipeline.connect('deep-element-added', on_element)


def read(path: str, measured: Optional[str], on_tick: Any
         ) -> Dict[str, Any]:
    """Returns a dictionary with these keys:

    tracks      Track.to_json() of each track
    sound-gaps  for each gap of a track of sound: the number of the track,
                start, end and missing duration, as in gaps.SoundGap
    stamps      timestamps of all packets of the video, in file order
    keys        stream times of the key frames of the video, ascending
    structure   structure.Structure without `others`, or null
    error       why the file cannot be read to its end, or null
    has-slices  whether hevc_slices.check() can check the video

    The video is the track named @measured; None: the only video."""
    line = Pipeline(f'{source(path)} ! parsebin name=parse')
    line.on_tick = on_tick
    tracks: List[Track] = []

    def tick() -> None:
        on_tick(line.position)
    built = None if is_http(path) else readers.read(path, tick)
    sounds = {pid: _MovedSound(own) for pid, own in built.others.items()
              } if built else {}
    _follow(line, sounds)

    def on_pad(_: Any, pad: Any) -> None:
        discard(line, pad)
        track = _track(pad)
        if track.kind == 'audio':
            track.moved = sounds.get(_pid(pad) or 0)
        track.is_measured = track.kind == 'video' and (
            not any(other.is_measured for other in tracks)
            and measured in (None, name_of(pad.get_stream_id())))
        track.has_slices = track.is_measured and hevc_slices.can_check(
            pad.get_current_caps() or pad.query_caps(None))
        tracks.append(track)

        def on_buffer(pad: Any, info: Any) -> Any:
            time = track.add(pad, info.get_buffer())
            if time is not None:
                line.position = max(line.position, time)
            return Gst.PadProbeReturn.OK
        pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)

    line.element('parse').connect('pad-added', on_pad)
    error = None
    try:
        line.play()
    except ClqcError as reason:
        error = str(reason)
    finally:
        line.close()
    video = next((track for track in tracks if track.is_measured), None)
    return {'tracks': [track.to_json() for track in tracks],
            'sound-gaps': [[number, gap.start, gap.end, gap.missing]
                           for number, track in enumerate(tracks)
                           for gap in track.sound_gaps()],
            'stamps': video.stamps if video else array('q'),
            'keys': sorted(set(video.keys)) if video else [],
            'structure': built and asdict(replace(built, others={})),
            'error': error,
            'has-slices': not is_http(path) and any(
                track.has_slices for track in tracks)}
