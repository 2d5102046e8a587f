# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a comparison decodes, for both sides of the pipe to its process."""
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional


@dataclass
class Source:
    """A file to decode."""
    path: str
    track: Optional[str] = None  # the video, if there are several
    range: Optional[str] = None  # colour range; None: as decoded


@dataclass
class Comparison:
    """Files that are compared with a reference, and how."""
    reference: Source
    files: List[Source]
    lines: str                # the file to write
    settings: Dict[str, str]  # properties of clcompare
    finds_shifts: bool = True
    scales: bool = False      # to the size of the reference
    converts: bool = False    # to its format and its colours

    @staticmethod
    def from_json(data: Dict[str, Any]) -> 'Comparison':
        """Returns the comparison from asdict()."""
        return Comparison(**{
            **data, 'reference': Source(**data['reference']),
            'files': [Source(**file) for file in data['files']]})


@dataclass
class Pictures:
    """Frames to show: each file at its own times, in nanoseconds of stream
    time, the reference first."""
    sources: List[Source]
    times: List[List[int]] = field(default_factory=list)
    width: int = 0   # of the reference
    height: int = 0

    @staticmethod
    def from_json(data: Dict[str, Any]) -> 'Pictures':
        """Returns the pictures from asdict()."""
        return Pictures(**{**data, 'sources': [
            Source(**source) for source in data['sources']]})
