# SPDX-License-Identifier: LGPL-2.1-or-later
"""Card files of policies (docs/events.md): whether they are right."""
import dataclasses
import hashlib
import os

from clqc.common.errors import ClqcError
from clqc.inputs import discovery
from clqc.judging import policy
from clqc.measuring import replay


def validate(path: str) -> None:
    """Raises ClqcError if @path is no card file."""
    with open(os.devnull, 'rb') as nothing:
        try:
            replay.replay(nothing, {'events': 'card', 'card-file': path})
        except ClqcError as error:
            raise ClqcError(str(error).removeprefix(f'{replay.NAME}: ')
                            ) from error


def load_policy(name_or_path: str) -> policy.Policy:
    """Loads a policy as policy.load() does. Its hash is another one if its
    card file has changed. Raises ClqcError also if this file is missing or
    wrong."""
    loaded = policy.load(name_or_path)
    path = loaded.measure.get('card-file')
    if path is None:
        return loaded
    try:
        validate(path)
        both = f'{loaded.hash} {discovery.digest(path)}'
    except ClqcError as error:
        raise ClqcError(f'{name_or_path}: measure.card-file: {error}'
                        ) from error
    return dataclasses.replace(
        loaded, hash=hashlib.sha256(both.encode()).hexdigest())
