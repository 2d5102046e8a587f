# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by all tests of clqc.

environment:
  CL_TEST_OPTIMIZED  1: PoCL optimizes its kernels, whatever the suite sets:
                     PoCL 7.1 compiles some of them wrong otherwise
"""
import os

import pytest

if os.environ.get('CL_TEST_OPTIMIZED') == '1':
    os.environ.pop('POCL_EXTRA_BUILD_FLAGS', None)


def pytest_configure(config: pytest.Config) -> None:
    """Tests that need a browser or a broker are marked as `complete`; meson
    runs them separately from the unit tests."""
    config.addinivalue_line('markers', 'complete: scripts/test.sh --all only')


@pytest.fixture(autouse=True)
def keep_off_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disables fsync: tests may lose their output, and do not wait for the
    disk."""
    monkeypatch.setattr(os, 'fsync', lambda _: None)
