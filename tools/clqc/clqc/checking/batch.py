# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks all inputs of a run, several at a time, and writes their summary."""
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from typing import Callable, Iterator, List, Optional, Sequence, Tuple

from clqc.checking import check
from clqc.checking.progress import Reporter
from clqc.common import files, processes
from clqc.common.errors import ClqcError, one_line
from clqc.decoding import jobs
from clqc.inputs.discovery import Input
from clqc.judging.policy import Policy
from clqc.reporting import summary
from clqc.reporting.summary import SummaryRow
from clqc.results.result_files import FACTS, REPORT, VERDICT, Results, Verdict

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


def _prepare(out: str) -> None:
    """Creates the output folder. Raises OSError if results cannot be written,
    before anything is measured."""
    os.makedirs(out, exist_ok=True)
    try:
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        error.filename = out
        raise


def _check_each(items: Sequence[Input], options: check.Options,
                is_quiet: bool) -> List[Verdict]:
    verdicts: List[Verdict] = []
    farm = options.farm
    n_at_once = min(farm.n_inputs() if farm else options.n_jobs, len(items))
    with Reporter(len(items), is_quiet) as reporter, \
            processes.run_elsewhere() as run, \
            ThreadPoolExecutor(n_at_once) as pool:
        if n_at_once > 1 and not farm:
            options = replace(options, run=run)

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
            if farm:
                farm.cancel()
            pool.shutdown(cancel_futures=True)
            raise
    return verdicts


def check_all(items: Sequence[Input], options: check.Options,
              is_quiet: bool) -> int:
    """Checks all inputs; returns the exit status."""
    _prepare(options.out)
    jobs.set_limit(options.n_jobs)
    with files.alone_in(options.out), jobs.kept():
        return _summarize(options.out, _check_each(items, options, is_quiet))


def _raise(error: OSError) -> None:
    raise error


def measured(out: str, on_error: Callable[[OSError], None] = _raise
             ) -> Iterator[Tuple[str, Results]]:
    """Yields the name and the results of each input that was measured or could
    not be measured. @on_error is called for folders that cannot be read."""
    if not os.path.isdir(out):
        raise ClqcError(f'{out}: no such folder')
    for where, folders, names in os.walk(out, onerror=on_error):
        folders.sort()
        if FACTS in names or VERDICT in names:
            yield os.path.relpath(where, out), Results(where)


def _judge_each(out: str, policy: Policy, is_quiet: bool) -> int:
    closed: List[OSError] = []
    found = list(measured(out, closed.append))
    if not found:
        for error in closed:
            raise error
        raise ClqcError(f'{out}: no results of clqc check')
    verdicts: List[Verdict] = []
    n_refused = len(closed)
    with Reporter(len(found) + len(closed), is_quiet) as reporter:
        for error in closed:
            reporter.refused(one_line(error))
        for name, results in found:
            try:
                if results.has(FACTS):
                    verdicts.append(check.judge_again(name, results, policy))
                else:
                    verdicts.append(results.verdict())
                reporter.done(verdicts[-1])
            except (ClqcError, OSError) as reason:
                n_refused += 1
                reporter.refused(one_line(reason))
    status = _summarize(out, verdicts) if verdicts else 0
    return 2 if n_refused > 0 else status


def judge_all(out: str, policy: Policy, is_quiet: bool) -> int:
    """Applies a policy to measured files, and rewrites existing reports.
    Returns the exit status. If the stored statistics do not allow the policy,
    a file keeps its last verdict."""
    if not os.path.isdir(out):
        raise ClqcError(f'{out}: no such folder')
    with files.alone_in(out):
        return _judge_each(out, policy, is_quiet)
