# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows progress on standard error."""
import sys
from typing import Any, Dict, Optional

from rich.console import Console
from rich.progress import (BarColumn, Progress, TaskID, TextColumn,
                           TimeRemainingColumn)

from clqc.common import printable
from clqc.results.result_files import Verdict

_WORDS = {'pass': 'pass', 'fail': 'FAIL', 'unmeasured': 'not measured'}


class Reporter:
    """Shows a bar with the remaining time for each file that is being
    measured, and a line for each finished file. Without a terminal, only the
    lines. Any thread."""

    def __init__(self, n_files: int, is_quiet: bool) -> None:
        self.console = Console(stderr=True, highlight=False, markup=False,
                               soft_wrap=True)
        self.is_quiet = is_quiet
        self.n_files = n_files
        self.n_done = 0
        self.tasks: Dict[str, TaskID] = {}
        self.bars: Optional[Progress] = None
        if sys.stderr.isatty() and not is_quiet:
            self.bars = Progress(
                TextColumn('{task.description}', markup=False), BarColumn(),
                TextColumn('{task.percentage:3.0f} %'),
                TimeRemainingColumn(), console=self.console, transient=True)

    def __enter__(self) -> 'Reporter':
        if self.bars:
            self.bars.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.bars:
            self.bars.stop()

    def moved(self, name: str, position: int, duration: Optional[int]) -> None:
        """Shows that @position of @duration nanoseconds are measured."""
        if not self.bars:
            return
        if name not in self.tasks:
            self.tasks[name] = self.bars.add_task(printable.line(name),
                                                  total=None)
        self.bars.update(self.tasks[name], completed=position, total=duration)

    def refused(self, why: str) -> None:
        """Reports that a policy cannot be applied to the stored results of a
        file."""
        self.n_done += 1
        self.console.print(printable.line(f'not judged: {why}'))

    def done(self, verdict: Verdict) -> None:
        """Reports the verdict of a file."""
        self.n_done += 1
        if self.bars and verdict.file in self.tasks:
            self.bars.remove_task(self.tasks.pop(verdict.file))
        if self.is_quiet and verdict.status == 'pass':
            return
        reasons = [reason for reason in verdict.reasons
                   if reason.severity == 'error'] or verdict.reasons
        text = f'[{self.n_done}/{self.n_files}] ' if not self.is_quiet else ''
        text += f'{_WORDS[verdict.status]}: {verdict.file}'
        if reasons:
            text += f': {reasons[0].message}'
        if len(reasons) > 1:
            text += f' (and {len(reasons) - 1} more)'
        self.console.print(printable.line(text))
