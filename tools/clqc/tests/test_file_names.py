# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names of files that are no words."""
import csv
import gzip
import html
import os
import shutil
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import quote
from xml.etree import ElementTree

import clips
import pytest
from command import here, rules, verdict

from clqc.common import printable

LONG = 'x' * 251 + '.avi'  # as long as a name can be

NAMES = ['new\nline.avi', '\'"<b>&amp;.avi', '-out.avi', '--out.avi',
         ' %41 #?\\.avi', 'a ! fakesink.avi', '$(id) *.avi',
         '{{7*7}}[red].avi', 'tab\t\x01\x1b[31m.avi', 'ünï 日本.avi', LONG]
NO_TEXT = b'a\xff\xfe.avi'


@pytest.fixture(scope='module', name='done')
def check_all(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    """All of them in one folder."""
    folder = tmp_path_factory.mktemp('names')
    clip = tmp_path_factory.mktemp('clip') / 'clip.avi'
    clips.run('-i', clips.SOURCE, '-t', '0.3', '-c', 'copy', str(clip))
    for name in NAMES:
        shutil.copy(clip, folder / name)
    shutil.copy(clip, os.fsencode(folder) + b'/' + NO_TEXT)
    out = tmp_path_factory.mktemp('out')
    done = here('check', folder, '--out', out)
    assert done.returncode == 2, done.stdout
    return {'out': out, 'output': done.stdout, 'clip': clip}


def test_one_line_per_file(done: Dict[str, Any]) -> None:
    lines: List[str] = done['output'].splitlines()
    assert len(lines) == 1 + len(NAMES) + 1
    for name in NAMES:
        shown = name.replace('\n', '\\n').replace('\t', '\\t').replace(
            '\x01', '\\x01').replace('\x1b', '\\x1b')
        assert [line for line in lines if f'] pass: {shown}' in line], name
    assert [line for line in lines if line.endswith(
        'not measured: a\\xff\\xfe.avi: its name is not UTF-8, which '
        'GStreamer needs')]


def test_one_folder_per_file(done: Dict[str, Any]) -> None:
    for name in NAMES:
        folder = done['out'] / name
        assert verdict(done['out'], name)['file'] == name
        page = (folder / 'report.html').read_text(encoding='utf-8')
        assert f'<title>pass: {shown_in_html(name)}</title>' in page
        if name == LONG:
            continue
        with gzip.open(folder / f'{name}.qctools.xml.gz') as file:
            tree = ElementTree.parse(file)
        assert tree.find('format').attrib['filename'] == (  # type: ignore
            printable.text(name))


def shown_in_html(name: str) -> str:
    return html.escape(printable.text(name)).replace(
        '&quot;', '&#34;').replace('&#x27;', '&#39;')


def test_the_summary(done: Dict[str, Any]) -> None:
    names = sorted([*map(printable.text, NAMES), 'a\ufffd\ufffd.avi'])
    tree = ElementTree.parse(done['out'] / 'junit.xml')
    assert sorted(case.attrib['name'] for case in tree.iter('testcase')
                  ) == names
    with open(done['out'] / 'summary.csv', encoding='utf-8',
              newline='') as file:
        rows = [row['file'] for row in csv.DictReader(file)]
    assert sorted(row.removeprefix("'") if row.startswith("'-") else row
                  for row in rows) == names
    page = (done['out'] / 'summary.html').read_text(encoding='utf-8')
    for name in NAMES:
        assert f'href="./{quote(name)}/report.html"' in page


def test_a_name_too_long_for_qctools(done: Dict[str, Any]) -> None:
    assert rules(done['out'], LONG) == ['measure.qctools']
    assert verdict(done['out'], LONG)['status'] == 'pass'


def test_a_name_that_looks_like_an_option(
        done: Dict[str, Any], tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(done['clip'], '--out.avi')
    result = here('check', '--out', 'out', '--quiet', '--', '--out.avi')
    assert (result.returncode, result.stdout) == (0, '')


def test_folder_name_that_is_not_utf8(done: Dict[str, Any],
                                      tmp_path: Path) -> None:
    out = os.fsdecode(os.fsencode(tmp_path) + b'/\xff')
    result = here('check', done['clip'], '--out', out)
    assert result.returncode == 2
    assert result.stdout == (f'clqc: {tmp_path}/\\xff: its name is not UTF-8, '
                             'which GStreamer needs\n')


def test_lines_for_terminals() -> None:
    assert printable.line('a\nb\x1b\x7f\udcff\u202e ü"\'\\') == (
        'a\\nb\\x1b\\x7f\\xff\\u202e ü"\'\\')
