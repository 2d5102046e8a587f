# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines and programs of another version of the schema are refused with one
error, which has both versions; those without a version have version 1."""
import gzip
import io
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict

import docpages
import pytest
from command import here
from folders import frames
from folders import results as write

from clqc.common.errors import ClqcError
from clqc.live.judging.judge import Rules
from clqc.live.judging.stream_results import StreamResults
from clqc.measuring import replay
from clqc.results import fields, frame_lines

OTHER = fields.VERSION + 1
LINE = ('{"type":"frame",%s"timestamp":1,"stream-time":2,"running-time":3,'
        '"duration":4,"frame":5,"depth":8}\n')
BOTH = (rf'version {OTHER} of the schema, and clqc [\d.]+ reads version '
        rf'{fields.VERSION}: install clqc and gst-opencl')


def of_version(version: Any) -> str:
    return LINE % ('' if version is None else f'"schema":{version},')


def test_readme() -> None:
    readme = (docpages.PACKAGE / 'README.md').read_text(encoding='utf-8')
    assert f'reads version {fields.VERSION} of the schema' in readme


def test_lines() -> None:
    for version in None, fields.VERSION:
        frame = frame_lines.parse(of_version(version))
        assert frame == frame_lines.Frame(1, 2, 4, 5, '"depth":8}\n')
        first = json.loads(frame.text(0))
        assert list(first)[:2] == ['type', 'schema']
        assert first['schema'] == fields.VERSION
        assert 'schema' not in json.loads(frame.text(1))
    with pytest.raises(ClqcError, match='^the plugin opencl: .*' + BOTH):
        frame_lines.parse(of_version(OTHER))


def rewrite(path: Path, version: int) -> None:
    """Sets the version in stored lines."""
    with gzip.open(path, 'rt', encoding='utf-8') as file:
        first, *others = file.readlines()
    line: Dict[str, Any] = json.loads(first)
    line.pop('schema', None)
    line = {'type': line.pop('type'), 'schema': version, **line}
    with gzip.open(path, 'wt', encoding='utf-8') as file:
        file.writelines([json.dumps(line, separators=(',', ':')) + '\n',
                         *others])


def test_stored_lines(tmp_path: Path) -> None:
    made = write(tmp_path / 'clip', frames(5))
    assert here('judge', tmp_path).returncode == 0
    rewrite(Path(made.path('frames.jsonl.gz')), fields.VERSION)
    assert here('judge', tmp_path).returncode == 0
    rewrite(Path(made.path('frames.jsonl.gz')), OTHER)
    done = here('judge', tmp_path)
    assert done.returncode == 2
    assert len(re.findall(BOTH, ' '.join(done.stdout.split()))) == 1
    with pytest.raises(ClqcError, match=BOTH):
        list(made.frames())


@pytest.mark.parametrize('said, error', (
    ('clqc-replay 0.3.0', None), ('clqc-replay 0.4, schema 1', None),
    (f'clqc-replay 9.9, schema {OTHER}', BOTH)))
def test_replay(said: str, error: Any, tmp_path: Path,
                monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / 'clqc-replay'
    program.write_text(f'#!/bin/sh\ncase $1 in --version) echo "{said}";; '
                       '*) echo \'{"type":"pooled","frames":0}\';; esac\n')
    program.chmod(0o755)
    monkeypatch.setenv('CLQC_REPLAY', str(program))
    if error:
        with pytest.raises(ClqcError, match=f'^{program}: .*{error}'):
            replay.replay(io.BytesIO(), {})
    else:
        with open(os.devnull, 'rb') as nothing:
            assert replay.replay(nothing, {})[1]['frames'] == 0


def test_live() -> None:
    results = StreamResults(Rules(), lambda _: None)
    results.line = SimpleNamespace(is_behind_gap=None, is_damaged=None)
    reader, writer = os.pipe()
    os.write(writer, of_version(OTHER).encode())
    os.close(writer)
    results.read(reader)
    with pytest.raises(ClqcError, match=BOTH):
        raise results.error
