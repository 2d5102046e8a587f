# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: lists the OpenCL devices of this machine that the
plugin supports, so that each can have a worker."""
import ctypes
import ctypes.util
import re
from typing import Any, Dict, Iterator, List

from clqc.common.errors import ClqcError
from clqc.decoding.gst import Pipeline

_TYPES = {'gpu': 1 << 2, 'cpu': 1 << 1, 'accelerator': 1 << 3}
_TYPE, _NAME, _UUID, _UUID_BYTES = 0x1000, 0x102B, 0x106A, 16

# The plugin lists its devices in the error for an unknown name.
_LISTED = re.compile(r'(\d+\.\d+) "')


def _usable() -> List[str]:
    """Returns their numbers, such as `0.0`."""
    line = Pipeline('videotestsrc num-buffers=1 ! clframesum '
                    'device="a device that nobody has" ! fakesink')
    try:
        line.play()
    except ClqcError as error:
        return _LISTED.findall(str(error).partition('Available: ')[2])
    finally:
        line.close()
    return []


def _list(function: Any, *first: Any) -> List[ctypes.c_void_p]:
    count = ctypes.c_uint(0)
    if function(*first, 0, None, ctypes.byref(count)) != 0:
        return []
    ids = (ctypes.c_void_p * count.value)()
    function(*first, count, ids, None)
    return [ctypes.c_void_p(one) for one in ids]


def _info(library: Any, device: Any, what: int, size: int) -> bytes:
    data = ctypes.create_string_buffer(size)
    ask = library['clGetDeviceInfo']
    status = ask(device, what, ctypes.c_size_t(size), data, None)
    return b'' if status != 0 else data.raw


def _all() -> Iterator[Dict[str, Any]]:
    name = ctypes.util.find_library('OpenCL')
    if not name:
        return
    library = ctypes.CDLL(name)
    everything = ctypes.c_ulong(0xFFFFFFFF)
    for p, platform in enumerate(_list(library.clGetPlatformIDs)):
        found = _list(library.clGetDeviceIDs, platform, everything)
        for d, device in enumerate(found):
            kind = int.from_bytes(_info(library, device, _TYPE, 8), 'little')
            uuid = _info(library, device, _UUID, _UUID_BYTES).hex()
            yield {'number': f'{p}.{d}', 'uuid': uuid or None,
                   'name': _info(library, device, _NAME, 1024).rstrip(
                       b'\0').decode(errors='replace'),
                   'kinds': [key for key, bit in _TYPES.items()
                             if kind & bit]}


def devices(kind: str) -> List[Dict[str, Any]]:
    """Returns the devices of a kind: `gpu`, `cpu` or `accelerator`. Each has a
    number, a name, and a UUID or None; GST_OPENCL_DEVICE accepts number and
    UUID."""
    usable = set(_usable())
    return [device for device in _all()
            if kind in device['kinds'] and device['number'] in usable]
