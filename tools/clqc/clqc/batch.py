# SPDX-License-Identifier: LGPL-2.1-or-later
"""All inputs of a start, some of them at a time, and their summary."""
import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Iterator, List, Optional, Sequence, Tuple

from . import check, jobs, summary
from .errors import ClqcError
from .inputs import Input
from .policy import Policy
from .progress import Reporter
from .results import FACTS, REPORT, VERDICT, Results, Verdict
from .summary import SummaryRow

_STATUS = {'pass': 0, 'fail': 1, 'unmeasured': 2}


def _row(out: str, verdict: Verdict) -> SummaryRow:
    if verdict.status == 'unmeasured':
        return SummaryRow(verdict, error=verdict.reasons[0].message)
    results = Results(os.path.join(out, verdict.file))
    facts = results.facts()
    return SummaryRow(
        verdict, os.path.join(verdict.file, REPORT)
        if results.has(REPORT) else None,
        facts['measured']['frames'], facts['container']['duration'])


def _summarize(out: str, verdicts: Sequence[Verdict]) -> int:
    """Writes the summary; returns the exit status."""
    rows = [_row(out, verdict) for verdict in
            sorted(verdicts, key=lambda verdict: verdict.file)]
    summary.write(out, rows)
    return max(_STATUS[verdict.status] for verdict in verdicts)


def check_all(items: Sequence[Input], options: check.Options,
              is_quiet: bool) -> int:
    """Checks all; returns the exit status."""
    os.makedirs(options.out, exist_ok=True)
    jobs.set_limit(options.n_jobs)
    verdicts: List[Verdict] = []
    n_at_once = min(options.n_jobs, len(items))
    with Reporter(len(items), is_quiet) as reporter, \
            ThreadPoolExecutor(n_at_once) as pool:
        def one(item: Input) -> Verdict:
            def moved(position: int, duration: Optional[int]) -> None:
                reporter.moved(item.name, position, duration)
            return check.check(item, options, moved)
        futures = [pool.submit(one, item) for item in items]
        try:
            for future in as_completed(futures):
                verdicts.append(future.result())
                reporter.done(verdicts[-1])
        except BaseException:
            jobs.cancel()
            pool.shutdown(cancel_futures=True)
            raise
    return _summarize(options.out, verdicts)


def measured(out: str) -> Iterator[Tuple[str, Results]]:
    """Every input that is measured, or could not be, by its name."""
    if not os.path.isdir(out):
        raise ClqcError(f'{out}: no such folder')
    for where, folders, files in os.walk(out):
        folders.sort()
        if FACTS in files or VERDICT in files:
            yield os.path.relpath(where, out), Results(where)


def judge_all(out: str, policy: Policy, is_quiet: bool) -> int:
    """Applies a policy to what was measured, and writes the reports anew
    that are there. Returns the exit status; where the figures that were kept
    do not allow the policy, the last verdict of the file stays."""
    found = list(measured(out))
    if not found:
        raise ClqcError(f'{out}: nothing that clqc check has measured')
    verdicts: List[Verdict] = []
    n_refused = 0
    with Reporter(len(found), is_quiet) as reporter:
        for name, results in found:
            try:
                if results.has(FACTS):
                    verdicts.append(check.judge_again(name, results, policy))
                else:
                    verdicts.append(results.verdict())
                reporter.done(verdicts[-1])
            except ClqcError as error:
                n_refused += 1
                reporter.refused(str(error))
    status = _summarize(out, verdicts) if verdicts else 0
    return 2 if n_refused > 0 else status
