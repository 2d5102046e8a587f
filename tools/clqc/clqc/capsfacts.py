# SPDX-License-Identifier: LGPL-2.1-or-later
"""Facts about a picture in the caps of its frames."""
from typing import Any, Dict

from .colour import words


def caps_facts(row: Any) -> Dict[str, Any]:
    """Returns the facts in the structure of caps, as in facts.json."""
    facts = {name: row.get_value(name)
             for name in ('format', 'width', 'height', 'colorimetry')}
    if facts['colorimetry']:
        facts['colours'] = words(facts['colorimetry'])
    facts['interlacing'] = row.get_value('interlace-mode')
    for key, name in (('rate', 'framerate'),
                      ('pixel-aspect-ratio', 'pixel-aspect-ratio')):
        found, number, denominator = row.get_fraction(name)
        is_known = found and number >= 0 and denominator > 0
        facts[key] = [number, denominator] if is_known else None
    return facts
