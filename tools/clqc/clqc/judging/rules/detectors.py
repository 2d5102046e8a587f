# SPDX-License-Identifier: LGPL-2.1-or-later
"""The events of policies, and the properties of clframesum that control their
detection (docs/events.md)."""
from dataclasses import dataclass
from typing import Dict, Tuple, Union

Number = Union[int, float]

NANOSECONDS = 1_000_000_000

# Times of more than 31 years are typing errors.
MOST_SECONDS = 1_000_000_000


@dataclass(frozen=True)
class Property:
    """A property of clframesum."""
    name: str
    event: str
    unit: str  # share, percent, ratio or seconds
    default: Number

    @property
    def greatest(self) -> int:
        """Returns the end of the range, which begins at 0."""
        return {'share': 1, 'percent': 100, 'ratio': 1000,
                'seconds': MOST_SECONDS}[self.unit]

    def text(self, value: Number) -> str:
        """Returns the value for clframesum, whose times are in nanoseconds."""
        if self.unit == 'seconds':
            return str(nanoseconds(value))
        return repr(float(value))


def nanoseconds(seconds: Number) -> int:
    """Converts the seconds of a policy to nanoseconds."""
    return round(seconds * NANOSECONDS)


PROPERTIES: Dict[str, Property] = {row.name: row for row in (
    Property('pixel-black-threshold', 'black', 'share', 0.10),
    Property('picture-black-ratio', 'black', 'share', 0.98),
    Property('black-min-duration', 'black', 'seconds', 2),
    Property('white-pixel-threshold', 'white', 'share', 0.10),
    Property('white-ratio', 'white', 'share', 0.98),
    Property('white-leave-ratio', 'white', 'share', 0.95),
    Property('white-min-duration', 'white', 'seconds', 2),
    Property('freeze-noise', 'freeze', 'share', 0.001),
    Property('freeze-duration', 'freeze', 'seconds', 2),
    Property('scene-threshold', 'scene', 'percent', 10),
    Property('single-color-spread', 'single-color', 'share', 0.0625),
    Property('single-color-ratio', 'single-color', 'share', 0.90),
    Property('single-color-leave-ratio', 'single-color', 'share', 0.85),
    Property('single-color-min-duration', 'single-color', 'seconds', 2),
    Property('defocus-ratio', 'defocus', 'share', 0.50),
    Property('defocus-leave-ratio', 'defocus', 'share', 0.70),
    Property('defocus-min-duration', 'defocus', 'seconds', 2),
    Property('defocus-average-time', 'defocus', 'seconds', 60),
    Property('range-min-duration', 'range', 'seconds', 2),
    Property('noisy-threshold', 'noisy', 'share', 0.03),
    Property('noisy-leave-threshold', 'noisy', 'share', 0.025),
    Property('noisy-min-duration', 'noisy', 'seconds', 2),
    Property('blocky-threshold', 'blocky', 'ratio', 5),
    Property('blocky-leave-threshold', 'blocky', 'ratio', 4),
    Property('blocky-min-duration', 'blocky', 'seconds', 2),
    Property('field-order-min-duration', 'field-order', 'seconds', 2),
    Property('card-min-duration', 'card', 'seconds', 0.5),
    Property('flash-area', 'flash', 'share', 0.25),
    Property('levels-area', 'levels', 'share', 0.01),
    Property('levels-min-duration', 'levels', 'seconds', 0),
    Property('border-min-duration', 'border', 'seconds', 0.5),
    Property('repeat-ratio', 'repeat', 'share', 0.3),
    Property('repeat-motion', 'repeat', 'share', 0.002))}

# Detected whatever the rules of a policy are, if it does not choose events.
USUAL = ('black', 'white', 'freeze', 'scene', 'single-color', 'defocus',
         'range')

# Of the picture, in the order of clframesum; signal-loss is for live sources.
PICTURE = (*USUAL, 'noisy', 'border', 'repeat', 'blocky', 'field-order',
           'card', 'flash', 'levels')

# Those that zones have, too; the first ones need histograms of the zones.
ZONES_WITH_HISTOGRAMS = ('black', 'white', 'single-color')
OF_ZONES = (*ZONES_WITH_HISTOGRAMS, 'freeze', 'defocus')

# What lines of frames need for an event, beyond the statistics of all files: a
# statistic, and a field that lines have with it.
STATISTICS: Dict[str, Tuple[str, str]] = {
    'noisy': ('noise', 'noise-sum'),
    'border': ('active-area', 'border-left'),
    'blocky': ('blockiness', 'blockiness-units'),
    'field-order': ('fields', 'field-tag'),
    'card': ('cells', 'cell-means'),
    'flash': ('flash', 'flash-region-luminance-result'),
    'levels': ('levels', 'levels-y')}

# Statistics that depend on more frames before than parts of a file overlap.
OF_FRAMES_BEFORE = ('flash',)

# Fields of an event that are reported.
VALUES = ('ratio', 'difference', 'score', 'sharpness', 'below', 'above',
          'noise', 'blockiness', 'order', 'card', 'share', 'kind', 'left',
          'right', 'top', 'bottom', 'period', 'frames', 'evidence', 'result',
          'transitions', 'x', 'y', 'width', 'height', 'component')

FREEZE, REPEAT, CARD = 'freeze', 'repeat', 'card'
FLASH, LEVELS = 'flash', 'levels'

# The event of the sound, and its settings.
SILENCE = 'silence'
SILENCE_LEVEL = -60.0  # dB of full scale
SILENCE_DURATION = 2   # seconds

# Of the file or stream, whatever the picture shows.
DECODE_ERROR, GAP = 'decode-error', 'gap'

# Only of streams.
TRANSPORT_ERROR = 'transport-error'

# Combined from two others: the time in the first and not in the second.
COMBINED: Dict[str, Tuple[str, str]] = {
    'black-with-sound': ('black', SILENCE),
    'picture-without-sound': (SILENCE, 'black')}

KINDS = (*PICTURE, SILENCE, DECODE_ERROR, GAP, TRANSPORT_ERROR, *COMBINED)

# Singular and plural for people.
WORDS: Dict[str, Tuple[str, str]] = {
    'black': ('black picture', 'black pictures'),
    'white': ('white picture', 'white pictures'),
    'freeze': ('frozen picture', 'frozen pictures'),
    'scene': ('cut', 'cuts'),
    'single-color': ('picture of a single colour',
                     'pictures of a single colour'),
    'defocus': ('blurred picture', 'blurred pictures'),
    'range': ('picture of another colour range',
              'pictures of another colour range'),
    'noisy': ('noisy picture', 'noisy pictures'),
    'blocky': ('blocky picture', 'blocky pictures'),
    'field-order': ('picture of another field order',
                    'pictures of another field order'),
    'card': ('known picture', 'known pictures'),
    'flash': ('series of flashes', 'series of flashes'),
    'levels': ('picture beyond the preferred range of EBU R 103',
               'pictures beyond the preferred range of EBU R 103'),
    'border': ('picture with borders', 'pictures with borders'),
    'repeat': ('series of repeated frames', 'series of repeated frames'),
    'silence': ('silence', 'silences'),
    'decode-error': ('decode error', 'decode errors'),
    'gap': ('gap', 'gaps'),
    'transport-error': ('transport error', 'transport errors'),
    'black-with-sound': ('black picture with sound',
                         'black pictures with sound'),
    'picture-without-sound': ('picture without sound',
                              'pictures without sound')}


def parts(kind: str) -> Tuple[str, ...]:
    """Returns the kinds that are detected for @kind."""
    return COMBINED.get(kind, (kind,))


# The setting for the minimum duration of an event; other kinds have none.
LEAST = {'black': 'black-min-duration', 'white': 'white-min-duration',
         'freeze': 'freeze-duration',
         'single-color': 'single-color-min-duration',
         'defocus': 'defocus-min-duration', 'range': 'range-min-duration',
         'blocky': 'blocky-min-duration',
         'field-order': 'field-order-min-duration',
         'card': 'card-min-duration',
         'levels': 'levels-min-duration',
         'noisy': 'noisy-min-duration', 'border': 'border-min-duration',
         SILENCE: 'silence-duration'}
