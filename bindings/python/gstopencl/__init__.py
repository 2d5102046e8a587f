# SPDX-License-Identifier: LGPL-2.1-or-later
"""Statistics of video frames as NumPy arrays, measured by clframesum.

    import gstopencl

    for frame in gstopencl.statistics('clip.mp4', zones=(8, 8)):
        print(frame.number, frame.mean, frame.zones.mean.shape)

A process of gst-launch-1.0 plays the source and writes a line of JSON for each
frame; the generator reads them. It needs the plugin and GStreamer's tools, and
no Python bindings of GStreamer. When the generator ends or is closed, by
break, an exception or Ctrl-C, the process ends. While nobody asks for the next
frame, the process waits, after some hundred kilobytes of lines.

Names of statistics and their fields, with units and definitions, are in
docs/statistics.md of the plugin; `-` in a name is `_` here.
"""
from __future__ import annotations

import base64
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

import numpy

__all__ = ['Error', 'Event', 'Frame', 'Pooled', 'Values', 'events',
           'from_structure', 'measure', 'read', 'statistics']

SCHEMA = 1  # version of the lines that this module reads
CELLS = 18, 32  # rows and columns of the field cell-means
SCOPES = 'waveform', 'vectorscope'  # whose shape is in another field
PREFIXES = {'zones': 'zone-', 'regions': 'roi-', 'fields': 'field-'}


class Error(Exception):
    """The source cannot be played or measured; what GStreamer says of it."""


class Values:
    """Fields of a result by name: numbers, strings and arrays, as attributes
    or items. A field that was not measured raises AttributeError or KeyError."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__['_values'][name.replace('_', '-')]
        except KeyError:
            raise AttributeError(
                f'no field {name!r}: its flag of `statistics` was not asked '
                'for, or these pictures do not have it') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __contains__(self, name: object) -> bool:
        return name in self._values

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


def _numbers(value: Any) -> Any:
    """Returns lists as an array."""
    if not isinstance(value, list):
        return value
    if value and all(isinstance(item, list) for item in value):
        return _join([_numbers(item) for item in value])
    return numpy.array(value)


def _unpack(value: Any) -> Any:
    """Returns packed integers, and lists of these, as an array."""
    if isinstance(value, list):
        return _join([_unpack(item) for item in value])
    if isinstance(value, str):
        value = base64.b64decode(value)
    return numpy.frombuffer(value, '<u4')


def _convert(name: str, value: Any) -> Any:
    """Returns the value of a field as its attribute has it; that of a scope
    without its shape."""
    if name == 'components':
        return tuple(value)
    if _is_packed(name):
        return _unpack(value)
    array = _numbers(value)
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
        return Event(values)
    if kind == 'pooled':
        return Pooled({name: _numbers(value)
                       for name, value in values.items()})
    frame = Frame(values)
    _shape_scopes(frame._values)
    return frame


def _plain(value: Any) -> Any:
    """Returns a value of a GstStructure as a line has it."""
    if hasattr(value, 'get_data'):  # GBytes
        return value.get_data()
    if isinstance(value, (str, bytes)) or not hasattr(value, '__len__'):
        return value
    return [_plain(value[i]) for i in range(len(value))]


def _list(value: Any) -> Any:
    """Returns a value with its bytes as lists of integers."""
    if isinstance(value, list):
        return [_list(item) for item in value]
    return _unpack(value).tolist() if isinstance(value, bytes) else value


KINDS = {'clframesum': 'frame', 'clframesum-event': 'event',
         'clframesum-pooled': 'pooled'}


def from_structure(structure: Any) -> Frame | Event | Pooled:
    """Returns the object for a Gst.Structure: of a message of clframesum, of
    the meta GstClFrameSumMeta, or of the property `stats`."""
    values = {}
    for i in range(structure.n_fields()):
        name = structure.nth_field_name(i)
        value = _plain(structure.get_value(name))
        values[name] = value if _is_packed(name) else _list(value)
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
    if '!' in text:
        return shlex.split(text)
    if '://' not in text:
        text = pathlib.Path(text).resolve(strict=True).as_uri()
    return ['uridecodebin', f'uri={text}', 'expose-all-streams=false',
            'caps=video/x-raw(ANY)']


def _setting(value: Any) -> str:
    """Returns the value of a property as in a launch line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return '+'.join(map(str, value))
    return str(value)


def _explain(text: str) -> str:
    """Returns the errors and warnings of gst-launch-1.0; all it says if it
    names none."""
    lines = [line for line in text.splitlines()
             if line.startswith(('ERROR', 'WARNING'))]
    return '\n'.join(lines) or text.strip() or 'no error message'


def measure(source: str | os.PathLike[str], *,
            zones: tuple[int, int] | None = None,
            **properties: Any) -> Iterator[Frame | Event | Pooled]:
    """Yields the results of a source as they are measured.

    source      a file, a URI, or a pipeline description for gst-launch-1.0
                that ends with raw video and contains `!`:
                'v4l2src ! video/x-raw,framerate=30/1'
    zones       rows and columns of a grid whose zones are measured, too
    properties  of clframesum, `-` as `_`; flags also as a list of names

    Raises FileNotFoundError, or Error with GStreamer's message.
    """
    if zones:
        properties |= {'grid_rows': zones[0], 'grid_columns': zones[1]}
    head = _head(source)
    settings = [f'{name.replace("_", "-")}={_setting(value)}'
                for name, value in properties.items()]
    reader, writer = os.pipe()
    with (open(reader, encoding='utf-8') as lines,
          tempfile.TemporaryFile('w+', encoding='utf-8',
                                 errors='replace') as said):
        try:
            process = subprocess.Popen(
                ['gst-launch-1.0', '-q', *head, '!', 'clframesum',
                 'post-messages=false', 'stats-meta=false',
                 'packed-lines=true', *settings,
                 f'location=/dev/fd/{writer}', '!', 'fakesink'],
                stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                pass_fds=[writer])
        except FileNotFoundError:
            raise Error('gst-launch-1.0 is not installed: it is in '
                        "GStreamer's tools (gstreamer1.0-tools)") from None
        finally:
            os.close(writer)
        with process:
            has_ended = False
            try:
                yield from read(lines)
                has_ended = True
            finally:
                if not has_ended:
                    process.terminate()
        if process.returncode:
            said.seek(0)
            raise Error(_explain(said.read()))


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
