# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds the plugin's schema of lines to the package; pyproject.toml has the
rest."""
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / 'docs' / 'statistics.schema.json'


class BuildWithSchema(build_py):
    def run(self) -> None:
        super().run()
        self.copy_file(str(SCHEMA), str(Path(self.build_lib) / 'clqc'))


setup(cmdclass={'build_py': BuildWithSchema})
