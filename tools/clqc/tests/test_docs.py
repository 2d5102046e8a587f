# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/policies.md describes the policies."""
import re

import docpages
import pytest

from clqc.judging import policy
from clqc.judging.rules import frame_statistics
from clqc.judging.rules.detectors import KINDS, PROPERTIES
from clqc.judging.rules.schema import POLICY

TEXT = docpages.text_of('policies.md')


@pytest.mark.parametrize('text', docpages.fenced('policies.md', 'toml'))
def test_examples(text):
    assert policy.parse(text, 'example')


def keys(schema):
    for name, inner in schema.get('properties', {}).items():
        yield name
        yield from keys(inner)
    for inner in (schema.get('additionalProperties'), schema.get('items'),
                  schema.get('then')):
        if isinstance(inner, dict):
            yield from keys(inner)


@pytest.mark.parametrize('name', sorted(
    {*keys(POLICY), *KINDS, *policy.shipped()}))
def test_names_every_key(name):
    assert re.search(rf'[`\[.]{re.escape(name)}[`\].]', TEXT)


def test_names_every_statistic():
    named = set(re.findall(r'`([A-Za-z.-]+)`', TEXT))
    for statistic in frame_statistics.FRAME_STATISTICS.values():
        first = re.sub('^[UVRGBA](?=(MIN|LOW|AVG|HIGH|MAX|DIF|BITDEPTH)$)',
                       'Y', statistic.key)
        assert first.split('.')[0] in {name.split('.')[0] for name in named}


def test_defaults():
    for row in PROPERTIES.values():
        line = next(line for line in TEXT.split('\n')
                    if line.startswith('|') and f'`{row.name}`' in line)
        names = re.findall('`([a-z-]+)`', line.split('|')[1])
        values = line.split('|')[3].split(',')
        nth = names.index(row.name) if len(values) > 1 else 0
        assert float(values[nth]) == row.default
