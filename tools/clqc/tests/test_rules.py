# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts that rules are judged with."""
import json

import pytest

from folders import frame, frames
from folders import results as write

from clqc.judging.rules import frame_statistics, toml_lines, wording
from clqc.judging.rules.frame_columns import cut, lines
from clqc.judging.rules.time_spans import Span, union, without


@pytest.mark.parametrize('histogram', ([], [[1, 2], [3]], [[]]))
def test_cut(histogram):
    line = frame(3, histogram=histogram,
                 zone_histogram=[[[1, 2], [3, 4]], [[5], [6]]], last='x]]]')
    short, text = cut(json.dumps(line, separators=(',', ':')).encode())
    assert json.loads(text) == histogram
    left = json.loads(short)
    assert left.pop('histogram') is None
    assert left.pop('zone-histogram') is None
    assert left == {name: value for name, value in line.items()
                    if 'histogram' not in name}


def test_cut_without_histogram():
    assert cut(b'{"frame":1}') == (b'{"frame":1}', b'')


def test_lines(tmp_path):
    made = write(tmp_path, frames(2000))
    assert [json.loads(line)['frame'] for line in lines(made)] == list(
        range(2000))


def test_figures_of_signalstats():
    names = ('YMIN YLOW YAVG YHIGH YMAX UMIN ULOW UAVG UHIGH UMAX VMIN VLOW '
             'VAVG VHIGH VMAX SATMIN SATLOW SATAVG SATHIGH SATMAX HUEMED '
             'HUEAVG YDIF UDIF VDIF YBITDEPTH UBITDEPTH VBITDEPTH TOUT VREP '
             'BRNG')
    assert set(names.split()) <= frame_statistics.FRAME_STATISTICS.keys()


@pytest.mark.parametrize('low, high, share', (
    (0, float('inf'), 0), (1, 2, 0.4), (0.5, 2.5, 0.4), (4, 9, 1),
    (0, 0, 0.9)))
def test_outside(low, high, share):
    assert frame_statistics.outside(
        [10, 20, 40, 30], low, high) == pytest.approx(share)
    assert frame_statistics.outside([0, 0], low, high) == 0


def test_spans():
    assert union([Span(5, 7), Span(1, 3), Span(3, 4), Span(6, 9)]) == [
        Span(1, 4), Span(5, 9)]
    assert without([Span(0, 10)], [Span(2, 3), Span(5, 5), Span(9, 12)]) == [
        Span(0, 2), Span(3, 9)]
    assert without([Span(0, 10), Span(4, 6)], []) == [Span(0, 10),
                                                      Span(4, 6)]
    assert without([Span(2, 2), Span(7, 7)], [Span(1, 3)]) == [Span(7, 7)]
    assert without([Span(1, 3)], [Span(0, 4)]) == []


def test_time():
    assert wording.time(0) == '0:00:00.000'
    assert wording.time(3_723_004_600_000) == '1:02:03.005'
    assert wording.time(59_999_600_000) == '0:01:00.000'


def test_line_numbers():
    found = toml_lines.find(
        'a = 1\n[b."c.d"]\n\ne.f = 2 # x\ng = [\n 1,\n 2]\nh = """\n[x]\n'
        '"""\n[[i.j]]\nk = 1\n[[i.j]]\nk = {l = 3}\n[i.j.m]\nn = 1\n')
    assert found == {
        'a': 1, 'b': 2, 'b.c.d': 2, 'b.c.d.e': 4, 'b.c.d.e.f': 4,
        'b.c.d.g': 5, 'b.c.d.h': 8, 'i': 11, 'i.j': 11, 'i.j.0': 11,
        'i.j.k': 12, 'i.j.0.k': 12, 'i.j.1': 13, 'i.j.1.k': 14,
        'i.j.k.l': 14, 'i.j.1.k.l': 14, 'i.j.m': 15, 'i.j.m.n': 16}
