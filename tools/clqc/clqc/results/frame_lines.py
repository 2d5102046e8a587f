# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines of frames as text: reads and sets times and numbers without parsing
the rest, which is long. clframesum writes these fields first."""
import re
from dataclasses import dataclass
from typing import Iterable, Iterator, Optional

from clqc.results.fields import VERSION, check_version

_HEAD = re.compile(
    r'\{"type":"frame",(?:"schema":(\d+),)?'
    r'"timestamp":(\d+|null),"stream-time":(\d+|null),'
    r'"running-time":(?:\d+|null),"duration":(\d+|null),"frame":(\d+),'
    r'(?:"element":"(?:[^"\\]|\\.)*",)?')

# Fields that depend on earlier frames, in any order.
_HISTORY = re.compile(
    r',"(?:(?:zone-)?(?:sum-differences|mean-difference|reference-[a-z-]*)|'
    r'[YUV]DIF|previous-[a-z-]*)":(?:\[[-+\d.e,\[\]]*\]|[^,}]*)')


@dataclass
class Frame:
    """A line of the type frame. Times are nanoseconds."""
    timestamp: Optional[int]
    stream_time: Optional[int]
    duration: Optional[int]
    number: int
    rest: str  # from the end of these fields to the end of the line

    def text(self, number: int) -> str:
        """Returns the line to store, as frame @number; the first has the
        version of the schema. The running time
        depends on where a pipeline began and is replaced by the stream time.
        The element's name says nothing about the file and is removed."""
        def known(value: Optional[int]) -> str:
            return 'null' if value is None else str(value)
        first = f'"schema":{VERSION},' if number == 0 else ''
        return (f'{{"type":"frame",{first}'
                f'"timestamp":{known(self.timestamp)},'
                f'"stream-time":{known(self.stream_time)},'
                f'"running-time":{known(self.stream_time)},'
                f'"duration":{known(self.duration)},"frame":{number},'
                f'{self.rest}')

    def integer(self, name: str) -> Optional[int]:
        """Returns a field with one integer; None if there is no such field."""
        match = re.search(f'"{name}":(\\d+)', self.rest)
        return int(match[1]) if match else None

    def alone(self) -> str:
        """Returns the part of the line that does not depend on earlier frames.
        """
        return _HISTORY.sub('', self.rest)

    def replaces_reference(self) -> bool:
        """Returns whether the event freeze compares the next frame with this
        one: if it differs from the one before, or if there is nothing to
        compare."""
        count = self.integer('reference-count')
        if not count:
            return True
        sad = self.integer('reference-difference')
        limit = self.integer('reference-limit')
        return sad is None or limit is None or sad > limit


def _number(text: str) -> Optional[int]:
    return None if text == 'null' else int(text)


def parse(line: str) -> Optional[Frame]:
    """Returns the frame in a line; None if the line has another type. Raises
    ClqcError if the line has another version."""
    match = _HEAD.match(line)
    if not match:
        return None
    if match[1]:
        check_version(int(match[1]), 'the plugin opencl')
    return Frame(_number(match[2]), _number(match[3]), _number(match[4]),
                 int(match[5]), line[match.end():])


def parse_all(lines: Iterable[str]) -> Iterator[Frame]:
    """Yields the frames among complete lines."""
    for line in lines:
        frame = parse(line) if line.endswith('\n') else None
        if frame:
            yield frame
