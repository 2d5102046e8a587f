# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs an oracle on the frames of clkernel-inspect, and compares its frames
with those of the kernel.

usage: oracle.py FOLDER ORACLE
FOLDER/job.json and the planes that it names are clkernel-inspect's. ORACLE
defines a function with the name of the kernel. It gets each input as a list of
arrays of codes, one for each component, the parameters by their names, and as
`largest` the largest code; it returns the list of arrays of the output, or one
array for all of a single component. Codes that are no integers are an error.
Exit status: 0 equal, 1 not, 2 the oracle failed.
"""
import importlib.util
import json
import pathlib
import sys

import numpy as np


def read_frame(folder, planes):
    return [np.fromfile(folder / name, np.uint16).reshape(height, width)
            for name, width, height in planes]


def describe(component, expected, found):
    different = np.argwhere(expected != found)
    row, column = different[0]
    largest = np.abs(expected.astype(np.int64) - found).max()
    return (f'component {component} differs at column {column}, row {row}: '
            f'{found[row, column]}, the oracle has {expected[row, column]}; '
            f'{len(different)} of {found.size} codes differ, by {largest} at '
            'most')


def compare(expected, found):
    """Returns the first difference; None: there is none."""
    if isinstance(expected, np.ndarray):
        expected = [expected]
    if len(expected) != len(found):
        raise ValueError(f'the oracle returns {len(expected)} components, the '
                         f'output has {len(found)}')
    for component, (wanted, got) in enumerate(zip(expected, found)):
        wanted = np.asarray(wanted)
        if wanted.shape != got.shape:
            raise ValueError(f'component {component} of the oracle has the '
                             f'shape {wanted.shape}, of the output {got.shape}')
        if not np.issubdtype(wanted.dtype, np.integer):
            raise ValueError(f'component {component} of the oracle has the '
                             f'type {wanted.dtype}, not integers')
        if not np.array_equal(wanted, got):
            return describe(component, wanted, got)
    return None


def main(folder, oracle):
    folder = pathlib.Path(folder)
    job = json.loads((folder / 'job.json').read_text())
    spec = importlib.util.spec_from_file_location('oracle', oracle)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    inputs = [read_frame(folder, planes) for planes in job['inputs']]
    parameters = {name: np.array(value) if isinstance(value, list) else value
                  for name, value in job['parameters'].items()}
    expected = getattr(module, job['function'])(
        *inputs, largest=job['largest'], **parameters)
    difference = compare(expected, read_frame(folder, job['output']))
    print(difference or 'equal')
    return 1 if difference else 0


if __name__ == '__main__':
    try:
        sys.exit(main(*sys.argv[1:]))
    except Exception as error:  # pylint: disable=broad-except # of the user's
        print(f'the oracle failed: {type(error).__name__}: {error}')
        sys.exit(2)
