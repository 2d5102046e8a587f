# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/policies.md says what policies are, and its commands run."""
import os
import re
import subprocess

import pytest

from clqc import policy
from clqc.rules import figures
from clqc.rules.detectors import KINDS, PROPERTIES
from clqc.rules.schema import POLICY

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..',
                                    '..'))
with open(os.path.join(ROOT, 'docs', 'policies.md'), encoding='utf-8') as file:
    TEXT = file.read()
BUILT = os.environ.get('CLQC_BUILT', '')


def blocks(language):
    return re.findall(rf'^```{language}\n(.*?)^```', TEXT,
                      re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize('text', blocks('toml'))
def test_examples(text):
    assert policy.parse(text, 'example')


@pytest.mark.skipif(not os.path.exists(BUILT), reason='there is no build')
@pytest.mark.parametrize('block, outcomes', zip(blocks('sh'), (
    [(0, 'broadcast-range'), (1, '(outside.Y) is above 1 %'),
     (1, 'allowed is FFV1* or Apple ProRes*')],
    [(0, '[1/1] pass'), (0, ''), (0, '[1/1] pass')]), strict=True))
def test_commands(block, outcomes, tmp_path):
    """In a folder with what the page speaks of; my.toml is its first policy.
    Each line has its status and what it says."""
    (tmp_path / 'tests').symlink_to(os.path.join(ROOT, 'tests'))
    (tmp_path / 'clqc').symlink_to(BUILT)
    (tmp_path / 'my.toml').write_text(blocks('toml')[0], encoding='utf-8')
    path = f'{tmp_path}:{os.environ["PATH"]}'
    for line, (status, said) in zip(block.splitlines(), outcomes, strict=True):
        done = subprocess.run(
            ['sh', '-c', line], cwd=tmp_path, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
            env={**os.environ, 'PATH': path})
        assert done.returncode == status, done.stdout
        assert said in done.stdout


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
