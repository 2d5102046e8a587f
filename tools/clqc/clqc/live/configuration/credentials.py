# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads addresses and passwords that are not in a command line: every user of
a machine can read command lines in its process list."""
import os
import re
from typing import Tuple
from urllib.parse import quote, urlencode

from clqc.common.errors import ClqcError

# In place of an address: env:VARIABLE, @FILE.
_ENVIRONMENT = 'env:'
_FILE = '@'

_LONGEST = 4096  # bytes of a file

# Keys of a URI's query with the password, for schemes without user names.
_KEYS = {'srt': 'passphrase'}


def _checked(text: str, where: str) -> str:
    """Returns the one line of a text. The text is in no error."""
    line = text.removesuffix('\n').removesuffix('\r')
    if not line:
        raise ClqcError(f'{where} is empty')
    if not line.isprintable():
        raise ClqcError(f'{where} has more than a line of text')
    return line


def from_environment(name: str) -> str:
    """Returns the value of a variable. Raises ClqcError."""
    value = os.environ.get(name) if name else None
    if value is None:
        raise ClqcError(f'the variable {name} is not set')
    return _checked(value, f'the variable {name}')


def from_file(path: str) -> str:
    """Returns the line in a file. Raises ClqcError."""
    try:
        with open(path, 'rb') as file:
            data = file.read(_LONGEST + 1)
        text = data.decode()
    except OSError as error:
        raise ClqcError(f'{path}: {error.strerror}') from error
    except ValueError as error:  # also a NUL character in the path
        raise ClqcError(f'{path}: not text in UTF-8') from error
    if len(data) > _LONGEST:
        raise ClqcError(f'{path}: more than {_LONGEST} bytes')
    return _checked(text, path)


def address(word: str) -> 'Tuple[str, str]':
    """Returns the address that a word of a command line names, and the name of
    the variable or file that it is from; that is empty if the word itself is
    the address. Raises ClqcError."""
    if word.startswith(_ENVIRONMENT):
        name = word.removeprefix(_ENVIRONMENT)
        return from_environment(name), name
    if word.startswith(_FILE):
        path = word.removeprefix(_FILE)
        return from_file(path), os.path.splitext(os.path.basename(path))[0]
    return word, ''


def with_login(uri: str, user: str, password: str) -> str:
    """Returns a URI with a user name and a password, each of which may be
    empty. Raises ClqcError, without the password."""
    if not user and not password:
        return uri
    scheme, mark, rest = uri.partition('://')
    if not mark or rest.startswith('/'):
        raise ClqcError('only a URI with a host has a user and a password')
    key = _KEYS.get(scheme.lower())
    if key:
        if user:
            raise ClqcError(f'{scheme}: has no user, only a password')
        if re.search(f'[?&]{key}=', rest):
            raise ClqcError('the address has a password already')
        sign = '&' if '?' in rest else '?'
        return f'{uri}{sign}{urlencode({key: password}, quote_via=quote)}'
    if '@' in re.split('[/?#]', rest, maxsplit=1)[0]:
        raise ClqcError('the address has a user already')
    if not user:
        raise ClqcError('a password needs a user')
    login = quote(user, safe='')
    if password:
        login += ':' + quote(password, safe='')
    return f'{scheme}://{login}@{rest}'
