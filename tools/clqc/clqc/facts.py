# SPDX-License-Identifier: LGPL-2.1-or-later
"""The content of facts.json: the contents of the container, and how the file
was measured. Values that are not known are null.

    {"container": {"format": "Quicktime", "duration": NANOSECONDS,
                   "path": PATH, "bytes": N, "modified": NANOSECONDS,
                   "sha256": HEXADECIMAL,
                   "short-header": [SECONDS, SECONDS] of the video track, as
                                   its header and its table say, only where
                                   that would hide it},
     "video": {"codec": "H.264", "width": 1920, "height": 1080,
               "rate": [25, 1], "rate-mode": "constant", "variable" or null,
               "range": "limited" or "full",
               "interlacing": "progressive", "interleaved" or "mixed",
               "format": "I420", "depth": 8, "colorimetry": "bt709",
               "pixel-aspect-ratio": [1, 1],
               "measured-format": what clframesum got, only where that is
                                  not the format of the decoder,
               "sizes": ["1920 × 1080", ..], only where the size changes,
               "colours": the colorimetry in words,
               "stream-range": "limited" or "full", only where the container
                               names colours, or the codec is VP9 or AV1, and
                               the stream names a range,
               "contradictions": [{"what": "range", "matrix", "transfer" or
                                   "primaries", "container": .., "stream": ..},
                                  ..], only where there are some,
               "rotation": degrees clockwise to be upright, "mirrored": true,
                           both only where the picture is not upright,
               "tracks": N, without the "covers": N pictures of one frame,
               "track": which of several is measured, by GStreamer's name},
     "tracks": as in integrity.json,
     "audio": [{"codec": "AAC", "channels": 2, "rate": 48000}, ..],
     "sound-error": TEXT, only where the sound could not be measured,
     "qctools-error": TEXT, only where the file for QCTools is missing,
     "measured": {"frames": N, "missing-frames": N, "decode-errors": N,
                  "decoder": "avdec_h264",
                  "gstreamer": "1.22.0", "plugin": "0.2.0", "parts": N,
                  "one-piece": null or why the file was not cut,
                  "device": "NVIDIA ..", "clqc": "0.3.0",
                  "settings": {property of clframesum: value, ..}}}
"""
