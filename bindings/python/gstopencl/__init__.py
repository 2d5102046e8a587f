# SPDX-License-Identifier: LGPL-2.1-or-later
"""Statistics of video frames as NumPy arrays, measured by clframesum.

    import gstopencl

    # zones: rows and columns
    for frame in gstopencl.statistics('clip.mp4', zones=(6, 8)):
        print(frame.number, frame.mean, frame.zones.mean.shape)

A process of gst-launch-1.0 plays the source and writes a line of JSON for each
frame; the generator reads them. It needs the plugin and GStreamer's tools, and
no Python bindings of GStreamer. When the generator ends or is closed, by
break, an exception or Ctrl-C, the process ends. While nobody asks for the next
frame, the process waits, after some hundred kilobytes of lines. (If Python is
killed, the process ends with the next frame that it writes.)

Names of statistics and their fields, with units and definitions, are in
docs/statistics.md of the plugin; `-` in a name is `_` here.
"""
from __future__ import annotations

import base64
import errno
import json
import os
import pathlib
import select
import shlex
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, IO

import numpy

__all__ = ['Error', 'Event', 'Frame', 'Pooled', 'Values', 'events',
           'from_structure', 'measure', 'read', 'statistics']

SCHEMA = 1  # version of the lines that this module reads
CELLS = 18, 32  # rows and columns of the field cell-means
MAX_ZONES = 1023  # of a frame
SCOPES = 'waveform', 'vectorscope'  # whose shape is in another field
UNKNOWN = 2**64 - 1  # a time or a border of a structure; null in lines
# Fields of floating point, which lines write without a fraction if there is
# none: of frames and the pooled result, and of events.
DOUBLES = frozenset((
    'blockiness entropy flash-luminance-area flash-luminance-difference '
    'flash-red-area flash-red-difference gamut gradient-energy '
    'hue-concentration hue-mean '
    'levels-b levels-g levels-r levels-y light-average light-left-out '
    'light-max light-max-rgb light-percentiles light-robust-max max-cll '
    'max-fall mean mean-difference noise outliers range-above range-below '
    'range-high-peak range-low-peak range-within repeated-per-minute '
    'repeated-share repetition robust-max-cll saturation-mean stddev '
    'variance').split())
EVENT_DOUBLES = frozenset((
    'above below blockiness bottom difference height left noise ratio result '
    'right score share sharpness top transitions width x y').split())
PREFIXES = {'zones': 'zone-', 'regions': 'roi-', 'fields': 'field-'}


class Error(Exception):
    """The source cannot be played or measured: GStreamer's message."""


class Values(Mapping[str, Any]):
    """Fields of a result by name: numbers, strings and arrays, as attributes
    or items. A field that was not measured raises AttributeError or KeyError.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[name.replace('_', '-')]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__['_values'][name.replace('_', '-')]
        except KeyError:
            raise AttributeError(
                f'no field {name!r}: its flag of `statistics` was not asked '
                'for, or these pictures do not have it') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f'<{type(self).__name__}: {", ".join(self)}>'

    def __dir__(self) -> list[str]:
        return [*super().__dir__(),
                *(name.replace('-', '_') for name in self._values)]


class Frame(Values):
    """A measured frame.

    Fields have a value for each of `components`, as arrays, or one for the
    frame. Times are nanoseconds, or None. A field with numbers of rows or
    columns is a tuple, if these are not the same for all components.

    zones    fields of the zones: arrays of shape (components, rows, columns)
             or (rows, columns)
    regions  fields of the regions of interest, shape (components, n) or (n,)
    fields   fields of the top and the bottom field, shape (components, 2) or
             (2,); only with fields=True
    """

    zones: Values
    regions: Values
    fields: Values

    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__({name: _convert(name, value)
                          for name, value in values.items()
                          if not _is_group(name, value)})
        _shape_scopes(self._values)
        for attribute, prefix in PREFIXES.items():
            self.__dict__[attribute] = Values(
                _read_group(values, prefix))

    @property
    def number(self) -> int:
        """Number of the frame in the stream, from 0."""
        number: int = self['frame']
        return number


class Event(Values):
    """The start, or the end, of an event: name, state, times, values."""

    @property
    def name(self) -> str:
        """black, freeze, ...: the nick of the flag of `events`."""
        name: str = self['event']
        return name


class Pooled(Values):
    """The statistics of all measured frames together."""


# --- values ------------------------------------------------------------------

def _is_packed(name: str) -> bool:
    """Returns whether integers of 32 bits are base64 in lines, and bytes in
    structures."""
    return name.endswith('-data') or name in SCOPES


def _join(items: list[Any]) -> Any:
    """Returns arrays as one array; as a tuple if their shapes differ."""
    return (tuple(items) if len({item.shape for item in items}) > 1
            else numpy.array(items))


def _numbers(value: Any, dtype: type | None) -> Any:
    """Returns lists as an array, of this type or of the one that fits."""
    if not isinstance(value, list):
        return float(value) if dtype is float and value is not None else value
    if value and all(isinstance(item, list) for item in value):
        return _join([_numbers(item, dtype) for item in value])
    return numpy.array(value, dtype)


def _unpack(value: Any) -> Any:
    """Returns packed integers, and lists of these, as an array."""
    if isinstance(value, list):
        return _join([_unpack(item) for item in value])
    if isinstance(value, str):
        value = base64.b64decode(value)
    return numpy.frombuffer(value, '<u4').copy()


def _convert(name: str, value: Any) -> Any:
    """Returns the value of a field as its attribute has it; that of a scope
    without its shape."""
    if name == 'components':
        return tuple(value)
    if _is_packed(name):
        return _unpack(value)
    array = _numbers(value, float if name in DOUBLES else None)
    if name.endswith('cell-means') and array.size:
        array = array.reshape(*array.shape[:-1], *CELLS)
    return array


def _is_group(name: str, value: Any) -> bool:
    """Returns whether a field is of zones, regions or fields. Fields of
    statistics=fields begin with field-, too: they have one value."""
    return (isinstance(value, list) and name.startswith(tuple(
        PREFIXES.values())) or name in ('zone-columns', 'zone-rows'))


def _read_group(values: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Returns the fields with a prefix, without it; zones in rows."""
    grid = ((values['zone-rows'], values['zone-columns'])
            if prefix == 'zone-' and 'zone-rows' in values else ())
    group = {}
    for name, value in values.items():
        if not name.startswith(prefix) or not isinstance(value, list):
            continue
        array = _convert(name.removeprefix(prefix), value)
        if grid and isinstance(array, numpy.ndarray):
            axis = int(array.ndim > 1)
            array = array.reshape(
                *array.shape[:axis], *grid, *array.shape[axis + 1:])
        group[name.removeprefix(prefix)] = array
    return group


def _shape_scopes(values: dict[str, Any]) -> None:
    if 'waveform' in values:
        values['waveform'] = _join([
            one.reshape(shape) for one, shape
            in zip(values['waveform'], values['waveform-shape'])])
    if 'vectorscope' in values:
        values['vectorscope'] = values['vectorscope'].reshape(
            values['vectorscope-shape'])


def _make(kind: str, values: dict[str, Any]) -> Frame | Event | Pooled:
    if kind == 'event':
        return Event({
            name: _numbers(value, float if name in EVENT_DOUBLES else None)
            for name, value in values.items()})
    if kind == 'pooled':
        return Pooled({name: _convert(name, value)
                       for name, value in values.items()})
    return Frame(values)


def _plain(value: Any, is_packed: bool) -> Any:
    """Returns a value of a GstStructure as a line has it, but for bytes that
    are packed."""
    if hasattr(value, 'get_data'):  # GBytes
        data = value.get_data()
        return data if is_packed else _unpack(data).tolist()
    if isinstance(value, str) or not hasattr(value, '__len__'):
        return None if value == UNKNOWN else value
    return [_plain(value[i], is_packed) for i in range(len(value))]


KINDS = {'clframesum': 'frame', 'clframesum-event': 'event',
         'clframesum-pooled': 'pooled'}


def from_structure(structure: Any) -> Frame | Event | Pooled:
    """Returns the object for a Gst.Structure: of a message of clframesum, of
    the meta GstClFrameSumMeta, or of the property `stats`."""
    values = {}
    for i in range(structure.n_fields()):
        name = structure.nth_field_name(i)
        values[name] = _plain(structure.get_value(name), _is_packed(name))
    return _make(KINDS.get(structure.get_name(), 'frame'), values)


def read(lines: Iterable[str]) -> Iterator[Frame | Event | Pooled]:
    """Yields the results in lines that clframesum location=FILE has written, or
    is writing: an open file, sys.stdin. A last line that is cut is left out."""
    for line in lines:
        if not line.endswith('\n'):
            return
        values = json.loads(line)
        if values.pop('schema', SCHEMA) != SCHEMA:
            raise Error('these are lines of another version than those that '
                        'this version of gst-opencl reads')
        yield _make(values.pop('type', 'frame'), values)


# --- measuring ---------------------------------------------------------------

def _head(source: str | os.PathLike[str]) -> list[str]:
    """Returns the beginning of the launch line of a source."""
    text = os.fspath(source)
    if isinstance(source, str) and ' ! ' in text:
        try:
            return shlex.split(text)
        except ValueError as error:
            raise Error(f'{text}: {error}') from None
    if '://' not in text:
        try:
            text = pathlib.Path(text).resolve(strict=True).as_uri()
        except FileNotFoundError:
            raise FileNotFoundError(
                errno.ENOENT, "no such file; a pipeline description is a str "
                "that contains ' ! ', as 'videotestsrc ! video/x-raw'",
                text) from None
    return ['uridecodebin', f'uri={text}', 'expose-all-streams=false',
            'caps=video/x-raw(ANY)']


def _setting(name: str, value: Any) -> str:
    """Returns a property as in a launch line."""
    if isinstance(value, bool):
        value = str(value).lower()
    elif isinstance(value, Iterable) and not isinstance(value, str):
        value = '+'.join(map(str, value)) or 0  # no flag
    return f'{name.replace("_", "-")}=' + (str(value) or '""')


def _read_output(output: IO[str]) -> str:
    output.seek(0)
    return output.read()


def _explain(text: str, status: int) -> str:
    """Returns the errors and warnings in the output of gst-launch-1.0, and
    which decoder is missing; all of it if there are none. Of a stream of raw
    audio, GStreamer says that a decoder to video is missing."""
    if status < 0:
        return (f'gst-launch-1.0 was ended by {signal.Signals(-status).name}. '
                f'{text.strip()}')
    lines = dict.fromkeys(
        line for line in text.splitlines()
        if line.startswith(('ERROR', 'WARNING', 'Missing'))
        and 'preroll' not in line)
    missing = [line for line in lines if line.startswith('Missing')]
    raw = [line for line in missing if '/x-raw' in line]
    if raw and raw == missing:
        return 'the source has no video that can be decoded'
    for line in raw:
        del lines[line]
    return '\n'.join(lines) or text.strip() or f'exit status {status}'


def _read_lines(reader: int, output: IO[str]) -> Iterator[str]:
    """Yields the lines of a pipe. gst-launch-1.0 does not always end after an
    error: then the error is raised."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([reader], [], [], 1.0)
        if not ready:
            text = _read_output(output)
            if '\nERROR' in f'\n{text}':
                raise Error(_explain(text, 1))
            continue
        data = os.read(reader, 1 << 16)
        if not data:
            return
        *whole, rest = data.split(b'\n')
        if whole:
            whole[0] = b''.join((*parts, whole[0]))
            parts.clear()
        parts.append(rest)
        for line in whole:
            yield line.decode() + '\n'


def measure(source: str | os.PathLike[str], *,
            zones: tuple[int, int] | None = None,
            **properties: Any) -> Iterator[Frame | Event | Pooled]:
    """Yields the results of a source as they are measured.

    source      a file, a URI, or a pipeline description for gst-launch-1.0
                that ends with raw video and contains ` ! `, as a str:
                'v4l2src ! video/x-raw,framerate=30/1'
    zones       rows and columns of a grid whose zones are measured, too; 1 x 1
                is no grid; 1023 zones at most
    properties  of clframesum but location, `-` as `_`; flags also as a list of
                names; None: the default

    A source without a frame, as a file that is cut in its head may be, gives
    none. Raises FileNotFoundError, ValueError, or Error with GStreamer's
    message; warns of the warnings of a process that has succeeded.
    """
    if 'location' in properties:
        raise TypeError('location is used by this function')
    if zones is not None:
        try:
            rows, columns = map(int, zones)
        except (TypeError, ValueError):
            raise ValueError(f'zones={zones!r}: two numbers, (rows, columns), '
                             'as (6, 8)') from None
        if min(rows, columns) < 1 or rows * columns > MAX_ZONES:
            raise ValueError(f'zones={zones}: at least 1 row and 1 column, and '
                             f'at most {MAX_ZONES} zones')
        properties |= {'grid_rows': rows, 'grid_columns': columns}
    head = _head(source)
    settings = [_setting(name, value) for name, value in properties.items()
                if value is not None]
    reader, writer = os.pipe()
    with (open(reader, 'rb', buffering=0),
          tempfile.TemporaryFile('w+', encoding='utf-8',
                                 errors='replace') as output):
        try:
            # not in the process group, so that Ctrl-C ends it by an exception
            # here, not as a source that has ended
            process = subprocess.Popen(
                ['gst-launch-1.0', '-q', '-f', *head, '!', 'clframesum',
                 'post-messages=false', 'stats-meta=false',
                 'packed-lines=true', *settings,
                 f'location=/dev/fd/{writer}', '!', 'fakesink'],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                pass_fds=[writer], process_group=0,
                env=os.environ | {'LC_ALL': 'C.UTF-8'})
        except FileNotFoundError:
            raise Error('gst-launch-1.0 is not installed: it is in '
                        "GStreamer's tools (gstreamer1.0-tools)") from None
        finally:
            os.close(writer)
        with process:
            has_ended = False
            try:
                for i, result in enumerate(read(_read_lines(reader, output))):
                    if i == 0 and 'out of range' in _read_output(output):
                        raise Error(_read_output(output).strip())
                    yield result
                has_ended = True
            finally:
                if not has_ended:
                    process.terminate()
        text = _read_output(output)
        if process.returncode:
            raise Error(_explain(text, process.returncode))
        if text.strip():
            warnings.warn(text.strip(), stacklevel=2)


def statistics(source: str | os.PathLike[str],
               statistics: str | Iterable[str] = 'moments+range', *,
               zones: tuple[int, int] | None = None,
               **properties: Any) -> Iterator[Frame]:
    """Yields the frames of a source, with the flags of `statistics`: see
    measure()."""
    for result in measure(source, zones=zones, statistics=statistics,
                          **properties):
        if isinstance(result, Frame):
            yield result


def events(source: str | os.PathLike[str], events: str | Iterable[str],
           **properties: Any) -> Iterator[Event]:
    """Yields the starts and ends of events of a source, with the flags of
    `events`: see measure()."""
    for result in measure(source, events=events, **properties):
        if isinstance(result, Event):
            yield result
