# SPDX-License-Identifier: LGPL-2.1-or-later
"""Loads the templates, styles and scripts of the pages."""
import base64
import hashlib
import importlib.util
import os
from typing import Iterable, Tuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from clqc.common import printable
from clqc.common.errors import ClqcError

FOLDER = os.path.dirname(os.path.abspath(__file__))

# Of a page with curves.
_SCRIPTS = ('unpack.js', 'data.js', 'charts.js', 'lanes.js', 'histogram.js',
            'commands.js', 'main.js')


def read(name: str) -> str:
    """Returns the text of a file of this package."""
    with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
        return file.read()


def uplot(name: str) -> str:
    """Returns a file of uPlot from the package uplot-python. The package
    itself is not imported because it needs IPython."""
    found = importlib.util.find_spec('uplot')
    for folder in (found and found.submodule_search_locations) or []:
        path = os.path.join(folder, 'static', name)
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                return file.read()
    raise ClqcError(f'{name} is missing, which draws the curves of reports:'
                    ' pip install --no-deps uplot-python')


def with_curves(*styles: str) -> Tuple[str, str]:
    """Returns the script of a page with curves, and its style: the files of
    that name after base.css."""
    return ('\n'.join([uplot('uPlot.iife.js'), *(
                read('page/' + name) for name in _SCRIPTS)]),
            '\n'.join([uplot('uPlot.min.css'), *(
                read('page/' + name) for name in ('base.css', *styles))]))


def template(name: str) -> Template:
    """Returns a template that escapes all its values."""
    environment = Environment(
        loader=FileSystemLoader(os.path.join(FOLDER, 'templates')),
        autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True)
    environment.filters['clock'] = printable.clock
    environment.filters['plain'] = printable.text
    return environment.get_template(name)


def content_security(scripts: Iterable[str]) -> str:
    """Returns a policy with which a browser runs only these scripts and loads
    nothing."""
    hashes = ' '.join(
        "'sha256-" + base64.b64encode(
            hashlib.sha256(script.encode('utf-8')).digest()).decode() + "'"
        for script in scripts)
    return (f"default-src 'none'; script-src {hashes};"
            " style-src 'unsafe-inline'; img-src data:")
