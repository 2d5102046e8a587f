#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the seeds of the fuzz targets: inputs that reach deep code at once.

usage: makeseeds.py FOLDER

Each seed is the file seed-NAME in the folder of its target.
"""

import pathlib
import sys

# Indices of the tables in fuzz_elements.c and streamcaps.c.
CHAINS = ["clupload", "cldownload", "clintegral", "cllocalmean", "clframesum",
          "clupload-cldownload", "clupload-cllocalmean",
          "clintegral-cllocalmean", "clintegral-cldownload",
          "cllocalmean-clframesum", "clframesum-clintegral",
          "clframesum-cldownload", "clscope", "clscope-cldownload"]
GRAY8, I420, NV12, RGBA, BGRX, YUY2, GRAY16, I420_10 = range(8)
V210, NV12_10LE32, RGB16, I420_10BE = range(11, 15)

# Steps of fuzz_elements.c.
BUFFER = 0
CAPS, SEGMENT, FLUSH, EVENT, UPSTREAM, ASK, STATE, GET, FLOW, PROPERTY = (
    130 + i for i in range(10))


def place(name):
    """Returns the place of a property on the ring of properties.c, in two
    bytes."""
    number = 5381
    for byte in name.encode():
        number = (number * 33 + byte) & 0xFFFFFFFF
    return list((number % 65521).to_bytes(2, "little"))


def video(format_index, width, height, is_device=False):
    """Caps of a frame."""
    return [2 if is_device else 0, format_index, width - 1, height - 1, 0, 0, 0]


def fields(format_index, width, height, is_device=False):
    """Caps of a field: interlace-mode=alternate."""
    return (video(format_index, width, height, is_device)[:-2]
            + [255, 0, 0])


def integral(width, height, channels, arrays=0, is_device=False):
    """Caps of an integral image of 32-bit sums."""
    return [7 if is_device else 1, arrays, 0, width - 1, height - 1, channels]


def buffer(layout=(0,), size=(0,), memories=(0, 0), metas=(0,), times=(0,)):
    """A step; by default with the values of the caps, in one memory."""
    return [BUFFER, *layout, *size, *memories, *metas, *times, 0]


def stream(chain, caps, steps, is_discrete=False, downstream=1, variant=0,
           properties=()):
    """An input of fuzz_elements; properties are pairs of name and bytes."""
    settings = [len(properties)]
    for name, value in properties:
        settings += place(name) + list(value)
    return ([int(is_discrete), CHAINS.index(chain), downstream, variant]
            + settings + list(caps) + [b for step in steps for b in step])


def element_seeds():
    """Names and bytes for fuzz_elements."""
    two = [buffer(), buffer()]
    region = [128 | 1, 4, 99, 97, 114, 0, 0, 3, 2, 8, 9, 7]
    seeds = {}

    for i, chain in enumerate(CHAINS):
        is_device = chain.startswith("cldownload")
        caps = video([GRAY8, I420, NV12, RGBA][i % 4], 33, 17, is_device)
        seeds[chain] = stream(chain, caps, two)
        seeds[chain + "-discrete"] = stream(chain, caps, two, True)
        caps = fields([GRAY8, I420, NV12, RGBA][i % 4], 33, 17, is_device)
        seeds[chain + "-fields"] = stream(chain, caps, two)
    seeds["uploads-integral-image"] = stream(
        "clupload", integral(20, 9, 3, 3), two)
    seeds["means-of-sums"] = stream("cllocalmean", integral(20, 9, 1, 2), two)
    seeds["padded"] = stream("cllocalmean", video(I420, 24, 10), [
        buffer(layout=(130, 2, 1, 1, 2, 2, 0, 3))])
    seeds["padded-download"] = stream(
        "cldownload", video(NV12, 24, 10, True),
        [buffer(layout=(130, 2, 1, 1, 2, 2))], downstream=0)
    seeds["wrong-meta"] = stream("clupload", video(NV12, 24, 10), [
        buffer(layout=(193, 2, 1, 1, 2, 2, 4, 255))])
    seeds["split"] = stream("clframesum", video(I420, 24, 10), [
        buffer(memories=(163, 0, 30, 0, 0, 77, 0, 0, 9, 0, 0))])
    seeds["unaligned"] = stream("clintegral", video(GRAY16, 24, 10), [
        buffer(memories=(0, 131, 3))])
    seeds["too-short"] = stream("clframesum", video(NV12, 24, 10), [
        buffer(size=(201, 9)), buffer(size=(255,)), buffer()])
    seeds["regions"] = stream("clframesum", video(YUY2, 24, 10), [
        buffer(metas=region), buffer(metas=[130, *region[1:], *region[1:]])],
        properties=[("grid-columns", (0, 3)), ("roi-meta", (1,))])
    seeds["statistics"] = stream("clframesum", video(I420, 24, 10),
                                 two * 2, variant=3)
    seeds["held-back"] = stream(
        "clframesum", video(GRAY8, 24, 10), two * 3,
        properties=[("async-depth", (0, 2))])
    seeds["written"] = stream(
        "clframesum", video(GRAY8, 24, 10), two,
        properties=[("location", (3,))])
    seeds["full-disk"] = stream(
        "clframesum", video(GRAY8, 24, 10), two,
        properties=[("location", (4,))])
    seeds["operations"] = stream("cllocalmean", video(GRAY8, 24, 10), two,
                                 variant=5)
    seeds["large-window"] = stream(
        "cllocalmean", video(I420_10, 24, 10), two,
        properties=[("kernel-width", (1, 0)), ("kernel-height", (1, 0))])
    seeds["tilted"] = stream("clintegral", video(RGBA, 12, 40), two,
                             properties=[("tilted", (1,)), ("squares", (1,))])
    for name, video_format in {"v210": V210, "words": NV12_10LE32,
                               "rgb16": RGB16, "other-order": I420_10BE
                               }.items():
        seeds[name] = stream("cllocalmean-clframesum",
                             video(video_format, 25, 10), two)
    for name, step in {
            "caps-change": [CAPS, *video(NV12, 40, 8)],
            "flush": [FLUSH, 1, 0], "segment": [SEGMENT, 3, 9, 0, 0, 0, 99],
            "eos": [EVENT, 0], "gap": [EVENT, 1, 5, 0, 0, 0, 9],
            "reconfigure": [UPSTREAM, 0, 0, 0, 0], "drain": [ASK, 0],
            "allocation": [ASK, 1, *video(GRAY8, 9, 9), 1],
            "restart": [STATE, 1, *video(I420, 8, 8)],
            "properties": [GET], "flushing": [FLOW],
            "property-change": [PROPERTY, 255, 4]}.items():
        for chain in ("clframesum", "cllocalmean"):
            seeds[f"{name}-{chain}"] = stream(
                chain, video(GRAY8, 24, 10), [buffer(), step, buffer()])
    return seeds


def parser_seeds():
    """Names and bytes for fuzz_parsers."""
    header = b"GSTCLBIN\x02\x00\x00\x00"
    return {
        "integral-caps": [0, 0, 0, 0, 0, 9, 0, 9, 0, 1, 1, 0, 25, 255],
        "integral-caps-huge": [0, 0, 1, 1, 255, 254, 255, 255, 127, 255, 255,
                               255, 255, 127, 0, 4, 1, 1, 25, 0],
        "mapped-sink": [1, 0, 0, 5, 1, 3, 8, 9, 10, 0, 0, 3, 1, 1, 14, 0, 14,
                        0, 0, 0, 0, 0, 0, 1],
        "mapped-src": [1, 1, 1, 5, 2, 4, 7, 11, 14, 1, 1, 1, 0, 1, 30, 0, 1, 0,
                       1, 1, 1, 0, 1, 4],
        "cache-header": [2, 1, *header, *range(48)],
        "cache-flipped": [2, 0, 20, 0, 1, 0],
        "cache-cut": [2, 0, 0, 0, 0, 9],
        "cache-whole": [2, 0, 0, 0, 0, 0],
        "tuning": [3, 5, 4, 0, 1, 2, 3],
        "tuning-damaged": [3, 9, 0, 1, 2, 12, 5, 192, 255, 11, 8, 0, 13],
        "regions": [4, 1, 33, 17, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 2, 2, 97,
                    98, 0, 3, 0, 4, 0, 5, 0, 6],
        "regions-far": [4, 2, 33, 17, 0, 1, 0, 1, 0, 9, 0, 9, 2, 0, 2, 0, 1, 1,
                        255, 255, 255, 255, 255, 255, 0, 4, 255, 255, 255, 255,
                        127, 0, 6],
        "device-name": [5, 10, 3, 4, *b"eFor"],
        "device-uuid": [5, 8, 3, 0],
        "device-number": [5, 5, 3, 0],
        "record": [7, 0],
        "record-changed": [7, 3, 4, 1, 6, 3, 3, 0, 0, 5, 3, 1, 0],
        "verdict-passed": [6, 1, 4, 0, 1, 4, 2],
        "verdict-failed": [6, 0, 4, 0, 1, 4, 3],
        "verdict-of-other-kernels": [6, 0, 4, 0, 5, 4, 3],
        "verdict-behind-zero": [6, 1, 6, 0, 192, 0, 6, 2, 1, 3],
        "verdict-damaged": [6, 1, 7, 9, 0, 1, 2, 192, 255, 14, 10],
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for target, seeds in (("elements", element_seeds()),
                          ("parsers", parser_seeds())):
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, values in seeds.items():
            (folder / f"seed-{name}").write_bytes(bytes(values))


if __name__ == "__main__":
    main()
