"""What a process holds, in its warm-up and at last: a table, and sentences about what did not return.

What is held varies from lap to lap, by how much came how soon; a leak adds to every lap. So the most of the warm-up's
laps is compared with the least of the last ones.
"""

from collections.abc import Sequence

Held = dict[str, float]
"""What was held at the end of a lap, by name; ``lap`` and ``at_s`` say when."""

WARM_LAPS = 2
"""Caches fill, and what is made once is made."""
LAST_LAPS = 2
"""A leak is in each of them; a flight of three laps has one."""
RESIDENT, ALLOCATED = "resident MiB", "allocated MiB"
"""What is allocated and not freed tells a leak from free memory that the allocator could not give back."""
MEMORY = (RESIDENT, ALLOCATED)
MOST_MEMORY = 1.02
"""Of what was held in the warm-up."""
MEMORY_LAPS = 12
"""From so many on memory is judged: laps 4 to 6 of a short flight held up to 20 MiB more or less by how much
came how soon. Each lap's line says what it held in any case."""
NAMES = ("lap", "at_s")


def ends(held: Sequence[Held]) -> tuple[Held, Held]:
    """The most of each quantity in the warm-up, and the least in the last laps."""
    warm, last = held[:WARM_LAPS], held[max(WARM_LAPS, len(held) - LAST_LAPS) :] or held
    names = [name for name in held[0] if name not in NAMES]
    most = {name: max(lap[name] for lap in warm) for name in names}
    return most, {name: min(lap[name] for lap in last) for name in names}


def table(held: Sequence[Held]) -> str:
    """A row a quantity: start, end, ratio."""
    if not held:
        return "no lap was flown to its end"
    start, end = ends(held)
    rows = [f"{'':<20}{'start':>10}{'end':>10}{'ratio':>8}"]
    for name in start:
        ratio = f"{end[name] / start[name]:8.3f}" if start[name] else ""
        rows.append(f"{name:<20}{start[name]:>10.6g}{end[name]:>10.6g}{ratio}")
    return "\n".join(rows)


def troubles(held: Sequence[Held]) -> list[str]:
    """What did not return, in sentences."""
    if len(held) <= WARM_LAPS:
        return [f"{len(held)} laps were flown to their end: {WARM_LAPS} of warm-up and one after it are compared."]
    start, end = ends(held)
    judged = [name for name in start if name not in MEMORY or len(held) >= MEMORY_LAPS]
    return [
        f"{name} did not return: at most {start[name]:.6g} in the warm-up, at least {end[name]:.6g} at last."
        for name in judged
        if end[name] > start[name] * (MOST_MEMORY if name in MEMORY else 1.0)
    ]
