"""How far a measurement is: which leg of how many, and how long the others will take as those before them took."""

from typing import Final

WORTH_S: Final = 20.0
"""What takes less is not foretold."""


def told(leg: str, number: int, legs: int, elapsed_s: float) -> str:
    """What is said as a leg begins.

    Args:
        leg: what it measures.
        number: of it, from 0.
        legs: how many there are.
        elapsed_s: since the first began.
    """
    left_s = elapsed_s / number * (legs - number) if number else 0.0
    return f"{leg}, leg {number + 1} of {legs}{_left(left_s)}"


def _left(seconds: float) -> str:
    if seconds < WORTH_S:
        return ""
    return f", about {seconds:.0f} s left" if seconds < 90 else f", about {seconds / 60:.0f} min left"
