# SPDX-License-Identifier: LGPL-2.1-or-later
"""One input on a farm, without Dask's processes: what the command itself does
with what comes back."""
from pathlib import Path
from typing import Any

import pytest
from clqc import __version__, check, inputs, policy, results

pytest.importorskip('distributed')
from clqc.farm import checking  # noqa: E402


class Farm:
    """Nothing is sent."""
    topic = 'topic'
    limit = 60.0
    versions = {'clqc': __version__}


def checking_of(path: Path, out: Path) -> checking.Checking:
    options = check.Options(str(out), policy.load('default'))
    farm: Any = Farm()
    return checking.Checking(farm, inputs.Input(str(path), path.name),
                             options, None)


def test_results_of_an_earlier_measurement_go(tmp_path: Path) -> None:
    path = tmp_path / 'clip.mp4'
    path.write_bytes(b'x')
    folder = tmp_path / 'out' / 'clip.mp4'
    folder.mkdir(parents=True)
    for name in (*results.ALL, 'clip.mp4.qctools.xml.gz', 'clqc.log'):
        (folder / name).write_text('of an earlier one')
    new = {results.FACTS: b'{}', results.FRAMES: b'', results.EVENTS: b''}
    checking_of(path, tmp_path / 'out')._write(new)
    assert {one.name for one in folder.iterdir()} == {*new, 'clqc.log'}
    assert (folder / results.FACTS).read_bytes() == b'{}'
