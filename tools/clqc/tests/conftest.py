# SPDX-License-Identifier: LGPL-2.1-or-later
"""What all tests of clqc share.

environment:
  CL_TEST_OPTIMIZED  1: PoCL optimizes its kernels, whatever the suite says:
                     PoCL 7.1 gets some wrong that it does not
"""
import os

if os.environ.get('CL_TEST_OPTIMIZED') == '1':
    os.environ.pop('POCL_EXTRA_BUILD_FLAGS', None)
