# SPDX-License-Identifier: LGPL-2.1-or-later
"""The summary of all inputs."""
import csv
from html.parser import HTMLParser
from pathlib import Path
from typing import Dict, List, Optional, Tuple
from xml.etree import ElementTree

import pytest

import browser
from clqc.reporting import summary
from clqc.reporting.summary import SummaryRow
from clqc.results.result_files import Reason, Verdict

HOSTILE = '=<script>alert(1)</script>&"\udc80\x01\'.avi'


def rows() -> List[SummaryRow]:
    """Returns rows for a file that passes, one that fails, and one that is not
    a video."""
    reasons = [Reason('frames.YMAX', 'warning', 'Somewhat bright.'),
               Reason('events.black', 'error', 'Black for 3 s.',
                      65_432_000_000, 68_432_000_000),
               Reason('frames.TOUT', 'error', '<b>Dropouts</b>.', 0)]
    return [
        SummaryRow(Verdict('a/good.avi', 'pass', 'web', 'ab'),
                   'a/good.avi/report.html', 60, 6_000_000_000),
        SummaryRow(Verdict(HOSTILE, 'fail', 'web', 'ab', reasons),
                   HOSTILE + '/report.html', 60, 6_000_000_000),
        SummaryRow(Verdict('none.txt', 'unmeasured', 'web', 'ab', [
            Reason('measure', 'error', 'none.txt: not a video')]),
                   error='none.txt: not a video')]


def test_csv(tmp_path: Path) -> None:
    summary.write(str(tmp_path), rows())
    with open(tmp_path / 'summary.csv', newline='',
              encoding='utf-8') as file:
        good, bad, none = csv.DictReader(file)
    assert good['file'] == 'a/good.avi' and good['status'] == 'pass'
    assert good['seconds'] == '6.0' and good['frames'] == '60'
    assert bad['errors'] == '2' and bad['warnings'] == '1'
    # Not a formula.
    assert bad['file'].startswith("'=<script>")
    assert bad['reasons'] == ('0:01:05.432: Black for 3 s. | 0:00:00.000:'
                              ' <b>Dropouts</b>. | Somewhat bright.')
    assert none['reasons'] == 'none.txt: not a video'
    assert none['seconds'] == '' and none['report'] == ''


def test_junit(tmp_path: Path) -> None:
    summary.write(str(tmp_path), rows())
    suite = ElementTree.parse(tmp_path / 'junit.xml').getroot()[0]
    assert suite.attrib['tests'] == '3'
    assert suite.attrib['failures'] == '1'
    assert suite.attrib['errors'] == '1'
    good, bad, none = suite.iter('testcase')
    assert list(good) == []
    failures = bad.findall('failure')
    assert [failure.attrib['type'] for failure in failures] == [
        'events.black', 'frames.TOUT']
    assert failures[0].attrib['message'] == '0:01:05.432: Black for 3 s.'
    assert bad.findtext('system-out') == 'warning: Somewhat bright.'
    assert '\ufffd' in bad.attrib['name']
    error = none.find('error')
    assert error is not None
    assert error.attrib['message'] == 'none.txt: not a video'


class Page(HTMLParser):
    """Counts elements and keeps the links and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Dict[str, int] = {}
        self.links: List[Optional[str]] = []
        self.text = ''

    def handle_starttag(self, tag: str,
                        attrs: List[Tuple[str, Optional[str]]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag == 'a':
            self.links.append(dict(attrs)['href'])

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html(tmp_path: Path) -> None:
    summary.write(str(tmp_path), rows())
    page = Page()
    page.feed((tmp_path / 'summary.html').read_text(encoding='utf-8'))
    assert page.tags['script'] == 1 and 'b' not in page.tags
    assert '<b>Dropouts</b>' in page.text
    assert page.links == [
        './a/good.avi/report.html',
        './%3D%3Cscript%3Ealert%281%29%3C/script%3E%26%22%80%01%27.avi'
        '/report.html']
    for word in ('✓ pass', '✗ fail', '? unmeasured', 'none.txt: not a video'):
        assert word in page.text


SORT = """
const files = () => [...document.querySelectorAll('tbody tr')].map(
  row => row.cells[0].textContent.trim());
const heading = [...document.querySelectorAll('th')];
const sort = column => {
  heading[column].querySelector('button').click();
  return [heading[column].getAttribute('aria-sort'), files()];
};
return [sort(1), sort(3), sort(3), sort(0)];
"""


@pytest.mark.complete
@pytest.mark.skipif(browser.CHROMIUM is None, reason='needs Chromium')
def test_sorting(tmp_path: Path) -> None:
    summary.write(str(tmp_path), rows())
    page = tmp_path / 'summary.html'
    dom, console = browser.load(page, tmp_path)
    assert console == [] and browser.attributes(dom)['ready'] == 'yes'
    orders = browser.drive(page, tmp_path, SORT)
    assert [order for order, _ in orders] == [
        'ascending', 'ascending', 'descending', 'ascending']
    # By verdict: first files that could not be measured, then failures.
    assert [name[:4] for name in orders[0][1]] == ['none', '=<sc', 'a/go']
    assert orders[1][1][2] == orders[2][1][0]
    assert orders[2][1][0].startswith('=<sc')
    assert sorted(orders[3][1][1:]) == orders[3][1][1:]


def test_no_input_at_all(tmp_path: Path) -> None:
    summary.write(str(tmp_path), [])
    suite = ElementTree.parse(tmp_path / 'junit.xml').getroot()[0]
    assert suite.attrib['tests'] == '0'
    assert (tmp_path / 'summary.html').exists()
