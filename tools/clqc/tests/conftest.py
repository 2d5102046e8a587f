# SPDX-License-Identifier: LGPL-2.1-or-later
"""What all tests of clqc share.

environment:
  CL_TEST_OPTIMIZED  1: PoCL optimizes its kernels, whatever the suite says:
                     PoCL 7.1 gets some wrong that it does not
"""
import os

import pytest

if os.environ.get('CL_TEST_OPTIMIZED') == '1':
    os.environ.pop('POCL_EXTRA_BUILD_FLAGS', None)


def pytest_configure(config: pytest.Config) -> None:
    """Tests that need a browser or a broker are marked as `complete`;
    meson runs them apart from the arithmetic beside them."""
    config.addinivalue_line('markers', 'complete: scripts/test.sh --all only')


@pytest.fixture(autouse=True)
def keep_off_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests write may be lost; no test waits for the disk."""
    monkeypatch.setattr(os, 'fsync', lambda _: None)
