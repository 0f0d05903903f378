"""What a process holds, after its warm-up and at last: a table, and sentences about what did not return."""

from collections.abc import Sequence

Held = dict[str, float]
"""What was held at the end of a lap, by name; ``lap`` and ``at_s`` say when."""

WARM_LAPS = 2
"""Caches fill, and what is made once is made."""
RESIDENT = "resident MiB"
MOST_RESIDENT = 1.02
"""Of what was held after the warm-up."""
NAMES = ("lap", "at_s")


def ends(held: Sequence[Held]) -> tuple[Held, Held]:
    """After the warm-up, and at last."""
    return held[min(WARM_LAPS, len(held)) - 1], held[-1]


def table(held: Sequence[Held]) -> str:
    """A row a quantity: start, end, ratio."""
    if not held:
        return "no lap was flown to its end"
    start, end = ends(held)
    rows = [f"{'':<20}{'start':>10}{'end':>10}{'ratio':>8}"]
    for name in (name for name in start if name not in NAMES):
        ratio = f"{end[name] / start[name]:8.3f}" if start[name] else ""
        rows.append(f"{name:<20}{start[name]:>10.6g}{end[name]:>10.6g}{ratio}")
    return "\n".join(rows)


def troubles(held: Sequence[Held]) -> list[str]:
    """What did not return, in sentences."""
    if len(held) <= WARM_LAPS:
        return [f"{len(held)} laps were flown to their end: {WARM_LAPS} are the warm-up, nothing can be compared."]
    start, end = ends(held)
    return [
        f"{name} did not return: {start[name]:.6g} after the warm-up, {end[name]:.6g} at last."
        for name in start
        if name not in NAMES and end[name] > start[name] * (MOST_RESIDENT if name == RESIDENT else 1.0)
    ]
