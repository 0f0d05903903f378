"""Chance for faults that are made on purpose: seeded, so that a run that went wrong goes wrong again.

The only room of ``net`` that knows ``random``; keys and salts come from an injected entropy function instead.
"""

from random import Random

Dice = Random
"""What a fault draws from; the same seed draws the same, on every machine."""


def dice(seed: int | str) -> Dice:
    """Dice of a seed; words tell apart those of one seed that must not move each other."""
    return Dice(seed)
