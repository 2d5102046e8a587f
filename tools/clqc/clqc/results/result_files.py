# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads and writes the results of a measured file: the folder of an input.

    frames.jsonl.gz     a line a frame, as clframesum writes it, but for the
                        name of the element, in the order of the stream;
                        docs/statistics.md explains the fields
    events.json         what happened in the picture and in the sound
    integrity.json      whether the file is whole: integrity.findings
    pooled.json         the statistics of all frames together, in the fields of
                        a clframesum line of the type `pooled`
    facts.json          what the container says, and how it was measured
    verdict.json        what a policy says to all that
    levels.json         how loud the sound is
    report.html         all that to look at

facts.json has the contents of the container, and how the file was measured.
Values that are not known are null.

    {"container": {"format": "Quicktime", "duration": NANOSECONDS,
                   "path": PATH, "bytes": N, "modified": NANOSECONDS,
                   "sha256": HEXADECIMAL,
                   "short-header": [SECONDS, SECONDS] of the video track, as
                                   its header and its table say, only where
                                   that would hide it},
     "video": {"codec": "H.264", "width": 1920, "height": 1080,
               "rate": [25, 1] as caps say, but of frames where that is of
               packets with a field each, "rate-mode": "constant",
               "variable" or null, "measured-rate": [1000000000, 40000000] by
               the times of the frames, only where that is constant,
               "range": "limited" or "full",
               "interlacing": "progressive", "interleaved" or "mixed",
               "format": "I420", "depth": 8, "colorimetry": "bt709",
               "pixel-aspect-ratio": [1, 1],
               "measured-format": what clframesum got, only where that is
                                  not the format of the decoder,
               "stream-depth": bits of the stream, only where the decoder
                               gives fewer,
               "added-alpha": true, only where the decoder adds an alpha that
                              the stream does not have,
               "sizes": ["1920 × 1080", ..], only where the size changes,
               "colours": the colorimetry in words,
               "stream-range": "limited" or "full", only where the container
                               names colours, or the codec is VP9 or AV1, and
                               the stream names a range,
               "contradictions": [{"what": "range", "matrix", "transfer" or
                                   "primaries", "container": .., "stream": ..},
                                  ..], only where there are some,
               "max-cll": N, "max-fall": N, "mastering-display": {
                   "points": [x and y of red, green, blue, white],
                   "min": cd/m2, "max": cd/m2}, of HDR10, only where the file
                   has them,
               "rotation": degrees clockwise to be upright, "mirrored": true,
                           both only where the picture is not upright,
               "tracks": N, without the "covers": N pictures of one frame,
               "track": which of several is measured, by GStreamer's name},
     "tracks": as in integrity.json,
     "audio": [{"codec": "AAC", "channels": 2, "rate": 48000}, ..],
     "sound-error": TEXT, only where the sound could not be measured,
     "qctools-error": TEXT, only where the file for QCTools is missing,
     "measured": {"frames": N, "missing-frames": N, "dropped-frames": N,
                  "decode-errors": N,
                  "decoder": "avdec_h264",
                  "gstreamer": "1.22.0", "plugin": "0.2.0", "parts": N,
                  "one-piece": null or why the file was not cut,
                  "device": "NVIDIA ..", "clqc": "0.3.0",
                  "settings": {property of clframesum: value, ..}}}
"""
import contextlib
import gzip
import json
import os
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, Iterator, List, Optional

from clqc.common import files
from clqc.common.errors import ClqcError
from clqc.results import fields

FRAMES = 'frames.jsonl.gz'
EVENTS = 'events.json'
POOLED = 'pooled.json'
FACTS = 'facts.json'
VERDICT = 'verdict.json'
LEVELS = 'levels.json'
INTEGRITY = 'integrity.json'
REPORT = 'report.html'
ALL = (FRAMES, EVENTS, POOLED, FACTS, VERDICT, LEVELS, INTEGRITY, REPORT)

# Keys without which a file is broken.
_KEYS = {EVENTS: ('settings', 'audio', 'events'),
         FACTS: ('container', 'video', 'audio', 'measured')}

Json = Dict[str, Any]


@dataclass
class Event:
    """An event with a start and an end. Times are nanoseconds from the start
    of the file; frames count from 0. The end is the time and number of the
    first frame after the event. Audio events have no frame numbers."""
    kind: str  # a row of rules.detectors.WORDS
    start: int
    end: int
    start_frame: Optional[int] = None
    end_frame: Optional[int] = None
    values: Dict[str, Any] = field(default_factory=dict)
    zone: Optional[int] = None  # row by row; None: of the whole picture

    @property
    def duration(self) -> int:
        """Returns the duration in nanoseconds; 0 for a cut."""
        return self.end - self.start


@dataclass
class Reason:
    """A violated limit of the policy."""
    rule: str      # the table of the policy: frames.YMAX, events.black
    severity: str  # error or warning
    message: str   # one sentence for a person
    start: Optional[int] = None  # nanoseconds; None: the file as a whole
    end: Optional[int] = None
    frame: Optional[int] = None  # the worst one
    value: Optional[float] = None
    limit: Optional[float] = None


@dataclass
class Verdict:
    """The verdict of a policy. A file with only warnings passes."""
    file: str         # path of the input below the checked folder
    status: str       # pass, fail or unmeasured
    policy: str       # its name
    policy_hash: str  # hash of the policy, in hexadecimal
    reasons: List[Reason] = field(default_factory=list)
    measured: Json = field(default_factory=dict)  # how: decoder, parts, ..

    def to_json(self) -> Json:
        """Returns the content of verdict.json."""
        return asdict(self)

    @staticmethod
    def from_json(data: Json) -> 'Verdict':
        """Returns the verdict from to_json()."""
        verdict = Verdict(**data)
        verdict.reasons = [Reason(**reason) for reason in data['reasons']]
        return verdict


@dataclass
class Results:
    """The results folder of one input."""
    folder: str

    def path(self, name: str) -> str:
        """Returns the path of one of its files."""
        return os.path.join(self.folder, name)

    def has(self, name: str) -> bool:
        """Returns whether one of its files exists."""
        return os.path.exists(self.path(name))

    def remove(self, name: str) -> None:
        """Removes one of its files, if it exists."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path(name))

    def frames(self) -> Iterator[Json]:
        """Yields every frame, in order."""
        with gzip.open(self.path(FRAMES), 'rt', encoding='utf-8') as file:
            for number, line in enumerate(file):
                if number == 0:
                    fields.check_first_line(line, self.path(FRAMES))
                yield json.loads(line)

    def events(self) -> List[Event]:
        """Returns the events of picture and sound, ordered by start."""
        return [Event(**event) for event in self.read(EVENTS)['events']]

    def zone_events(self) -> List[Event]:
        """Returns the events of zones, ordered by start."""
        return [Event(**event)
                for event in self.read(EVENTS).get('zone-events', [])]

    def pooled(self) -> Json:
        """Returns the fields of the line `pooled`."""
        return self.read(POOLED)

    def facts(self) -> Json:
        """Returns the facts, as above."""
        return self.read(FACTS)

    def verdict(self) -> Verdict:
        """Returns the last verdict."""
        return Verdict.from_json(self.read(VERDICT))

    def read(self, name: str) -> Json:
        """Reads a JSON file. Raises ClqcError if it is broken."""
        with open(self.path(name), encoding='utf-8') as file:
            try:
                data = json.load(file)
            except ValueError:
                data = None
        if not isinstance(data, dict) or any(
                key not in data for key in _KEYS.get(name, ())):
            raise ClqcError(f'{file.name}: broken; remove it to measure again')
        return data

    def write(self, name: str, data: Json) -> None:
        """Replaces a JSON file atomically."""
        with files.replacing(self.path(name)) as file:
            json.dump(data, file, indent=1)
            file.write('\n')
