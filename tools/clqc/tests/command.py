# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command clqc, and what it leaves, for the tests."""
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Sequence


def clqc(*words: Any, before: Sequence[str] = (),
         **settings: str) -> 'subprocess.CompletedProcess[str]':
    """As a user runs it, started by the command @before; fails where it says
    more than clear lines. Tests measure one after the other, on any machine,
    where they ask for nothing else."""
    if words[0] == 'check' and not {
            '--jobs', '--cluster', '--scheduler'}.intersection(words):
        words = ('check', '--jobs', 1, *words[1:])
    done = subprocess.run(
        [*before, sys.executable, '-m', 'clqc', *map(str, words)], text=True,
        env={**os.environ, **settings}, check=False, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=240)
    assert 'Traceback' not in done.stdout, done.stdout
    return done


def read(*path: Any) -> Dict[str, Any]:
    with open(Path(*path), encoding='utf-8') as file:
        data: Dict[str, Any] = json.load(file)
    return data


def verdict(out: Path, name: str) -> Dict[str, Any]:
    return read(out, name, 'verdict.json')


def rules(out: Path, name: str) -> List[str]:
    return sorted({reason['rule'] for reason in verdict(out, name)['reasons']})
