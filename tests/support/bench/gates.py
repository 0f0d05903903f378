"""Gates of benchmarks on machines that others share.

One missed gate proves little: another process may have filled the caches. A benchmark marked ``gated`` is
measured again, up to ``TRIES`` times, and fails only if it misses its gates every time. Whatever else a benchmark
asserts (equal results, counts) fails at once.
"""

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

TRIES = 3

P = ParamSpec("P")


class MissedGate(AssertionError):
    """A measured figure is beyond what its benchmark allows."""


def gate(what: str, measured: float, at_most: float) -> None:
    """Raises MissedGate with both figures if ``measured`` exceeds the gate; ``what`` names quantity and unit."""
    if not measured <= at_most:
        raise MissedGate(f"{what}: measured {measured:.3f}, at most {at_most:.3f} is allowed")


def gated(benchmark: Callable[P, None]) -> Callable[P, None]:
    """Decorates a benchmark: it is measured again if it misses a gate."""

    @wraps(benchmark)
    def measured(*args: P.args, **kwargs: P.kwargs) -> None:
        for left in reversed(range(TRIES)):
            try:
                return benchmark(*args, **kwargs)
            except MissedGate as missed:
                if not left:
                    raise
                sys.stdout.write(f"  {missed}; measured again\n")

    return measured
