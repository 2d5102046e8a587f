# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds the line of each key in the text of a TOML file, which tomllib does
not report."""
import tomllib
from typing import Any, Dict, Iterator, Tuple, Union

Path = Tuple[Union[str, int], ...]


def _statements(text: str) -> Iterator[Tuple[int, Dict[str, Any], bool, bool]]:
    """Yields for each statement the number of its first line, its content,
    whether it is a header, and whether it is a header of an array. A statement
    ends with the first line that makes it complete."""
    begin, open_lines = 0, ''
    for number, line in enumerate(text.splitlines(), 1):
        if not open_lines:
            begin = number
        open_lines += line + '\n'
        try:
            content = tomllib.loads(open_lines)
        except tomllib.TOMLDecodeError:
            continue
        start = open_lines.lstrip()
        open_lines = ''
        if content:
            yield begin, content, start.startswith('['), start.startswith('[[')


def _leaf(content: Dict[str, Any]) -> Path:
    """Returns the keys of a header, which names one table."""
    path: Tuple[Union[str, int], ...] = ()
    inner: Any = content
    while isinstance(inner, dict) and inner:
        key, inner = next(iter(inner.items()))
        path += (key,)
    return path


def _paths(content: Any) -> Iterator[Path]:
    if isinstance(content, dict):
        for key, inner in content.items():
            yield (key,)
            for path in _paths(inner):
                yield (key, *path)


def find(text: str) -> Dict[str, int]:
    """Returns the line number of each key of a text that tomllib accepts, with
    its tables: `frames.YMAX.max`. Tables of an array are numbered, as in
    `events.black.0.at`; the first is also included without a number."""
    lines: Dict[str, int] = {}
    n_tables: Dict[Path, int] = {}
    table: Path = ()

    def note(path: Path, number: int) -> None:
        for end in range(1, len(path) + 1):
            names = path[:end]
            lines.setdefault('.'.join(map(str, names)), number)
            lines.setdefault('.'.join(name for name in names
                                      if isinstance(name, str)), number)

    for number, content, is_header, is_array in _statements(text):
        if is_header:
            table = _leaf(content)
            if is_array:
                nth = n_tables.get(table, 0)
                n_tables[table] = nth + 1
                table += (nth,)
            note(table, number)
        else:
            for path in _paths(content):
                note(table + path, number)
    return lines
