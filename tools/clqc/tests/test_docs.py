# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/policies.md describes the policies."""
import os
import re

import pytest

from clqc import policy
from clqc.rules import figures
from clqc.rules.detectors import KINDS, PROPERTIES
from clqc.rules.schema import POLICY

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..',
                                    '..'))
with open(os.path.join(ROOT, 'docs', 'policies.md'), encoding='utf-8') as file:
    TEXT = file.read()


@pytest.mark.parametrize('text', re.findall(
    r'^```toml\n(.*?)^```', TEXT, re.MULTILINE | re.DOTALL))
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
    for figure in figures.FIGURES.values():
        first = re.sub('^[UVRGBA](?=(MIN|LOW|AVG|HIGH|MAX|DIF|BITDEPTH)$)',
                       'Y', figure.key)
        assert first.split('.')[0] in {name.split('.')[0] for name in named}


def test_defaults():
    for row in PROPERTIES.values():
        line = next(line for line in TEXT.split('\n')
                    if line.startswith('|') and f'`{row.name}`' in line)
        names = re.findall('`([a-z-]+)`', line.split('|')[1])
        values = line.split('|')[3].split(',')
        nth = names.index(row.name) if len(values) > 1 else 0
        assert float(values[nth]) == row.default
