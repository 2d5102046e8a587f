# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the summary of all inputs: summary.html for people, summary.csv for
tables, junit.xml for CI systems."""
import csv
import os
from dataclasses import dataclass
from typing import Dict, Iterable, List, Optional
from urllib.parse import quote
from xml.etree import ElementTree

from clqc.common import files, printable
from clqc.reporting import assets
from clqc.results.result_files import Reason, Verdict

HTML = 'summary.html'
CSV = 'summary.csv'
JUNIT = 'junit.xml'

COLUMNS = ('file', 'status', 'policy', 'policy-hash', 'errors', 'warnings',
           'frames', 'seconds', 'report', 'reasons')


@dataclass
class SummaryRow:
    """An input. The status `unmeasured` has an error."""
    verdict: Verdict
    report: Optional[str] = None    # its path below the folder of the summary
    frames: Optional[int] = None
    duration: Optional[int] = None  # nanoseconds
    error: Optional[str] = None     # why it could not be measured

    def reasons(self, severity: str) -> List[Reason]:
        """Returns the reasons that are errors, or warnings."""
        return [reason for reason in self.verdict.reasons
                if reason.severity == severity]

    def why(self) -> List[str]:
        """Returns each reason as a sentence, errors first."""
        if self.error:
            return [printable.text(self.error)]
        return [printable.text(sentence(reason))
                for severity in ('error', 'warning')
                for reason in self.reasons(severity)]

    def link(self) -> Optional[str]:
        """Returns the address of the report, relative to the summary."""
        if self.report is None:
            return None
        return './' + quote(os.fsencode(self.report))


def sentence(reason: Reason) -> str:
    """Returns a reason with its time."""
    if reason.start is None:
        return reason.message
    return f'{printable.clock(reason.start)}: {reason.message}'


def write(folder: str, verdicts: List[SummaryRow]) -> None:
    """Writes the three files into the folder, each atomically."""
    for name, content in (HTML, _html(verdicts)), (JUNIT, _junit(verdicts)):
        with files.replacing(os.path.join(folder, name)) as file:
            file.write(content)
    with files.replacing(os.path.join(folder, CSV)) as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        table.writerows(map(_cells, verdicts))


def counts(rows: Iterable[SummaryRow]) -> Dict[str, int]:
    """Returns the number of inputs of each status."""
    number = {'pass': 0, 'fail': 0, 'unmeasured': 0}
    for row in rows:
        number[row.verdict.status] += 1
    return number


def _html(rows: List[SummaryRow]) -> str:
    script = assets.read('page/summary.js')
    page: str = assets.template('summary.html').render(
        rows=rows, counts=counts(rows),
        policies=sorted({row.verdict.policy for row in rows}),
        css=assets.read('page/base.css'), script=script,
        content_security=assets.content_security([script]))
    return page


def _cells(row: SummaryRow) -> List[object]:
    verdict = row.verdict
    seconds = None if row.duration is None else row.duration / 1e9
    return [_cell(verdict.file), verdict.status, _cell(verdict.policy),
            verdict.policy_hash, len(row.reasons('error')),
            len(row.reasons('warning')), row.frames, seconds,
            _cell(row.report or ''), _cell(' | '.join(row.why()))]


def _cell(value: str) -> str:
    """Returns a cell. Spreadsheets would evaluate texts that begin like a
    formula; an apostrophe prevents this."""
    value = printable.text(value)
    return "'" + value if value[:1] in tuple('=+-@\t\r') else value


def _junit(rows: List[SummaryRow]) -> str:
    number = counts(rows)
    suites = ElementTree.Element('testsuites', {'name': 'clqc'})
    suite = ElementTree.SubElement(suites, 'testsuite', {
        'name': 'clqc', 'tests': str(len(rows)),
        'failures': str(number['fail']), 'errors': str(number['unmeasured']),
        'skipped': '0'})
    for row in rows:
        _case(suite, row)
    ElementTree.indent(suites)
    text: str = ElementTree.tostring(suites, 'unicode', xml_declaration=False)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + text + '\n'


def _case(suite: ElementTree.Element, row: SummaryRow) -> None:
    verdict = row.verdict
    case = ElementTree.SubElement(suite, 'testcase', {
        'name': printable.text(verdict.file),
        'classname': printable.text('clqc.' + verdict.policy), 'time': '0'})
    if verdict.status == 'unmeasured':
        why = '\n'.join(row.why()) or 'The file could not be measured.'
        ElementTree.SubElement(case, 'error', {
            'type': 'unmeasured', 'message': why}).text = why
        return
    for reason in row.reasons('error'):
        line = printable.text(sentence(reason))
        ElementTree.SubElement(case, 'failure', {
            'type': printable.text(reason.rule), 'message': line}).text = line
    warnings = row.reasons('warning')
    if warnings:
        ElementTree.SubElement(case, 'system-out').text = '\n'.join(
            'warning: ' + printable.text(sentence(reason))
            for reason in warnings)
