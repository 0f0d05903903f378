"""What stands between libFuzzer and a target: memory that one input makes grow, and a safe way out.

libFuzzer looks at the resident size once a second and at a bound for the whole process; here each input is looked at,
against a bound for one. What is measured is the process's peak, so that memory given back at once counts too.
"""

import resource
import signal
from collections.abc import Callable
from typing import Final

MOST_GROWTH_KB: Final = 32 << 10
"""Inputs have at most 16 KiB, and the readers' limits are set low. Growth of the first inputs (caches, libraries that
load themselves) is some 5 MiB."""
OF_RECORDINGS_KB: Final = 96 << 10
"""A block of a recording may say that it inflates to 68 MiB (``recording.limits``)."""

OF_PACKS_KB: Final = 256 << 10
"""A picture of a pack has at most 4096 x 4096 pixels, which a few KiB can say; it is decoded, then converted."""
GROWTH_KB: Final = {"recordings": OF_RECORDINGS_KB, "packs": OF_PACKS_KB}


def watched(name: str, target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """The target, raising for an input that takes more memory than any may."""
    most_kb = GROWTH_KB.get(name, MOST_GROWTH_KB)

    def run(data: bytes) -> None:
        try:
            before_kb = peak_kb()
            target(data)
            grown_kb = peak_kb() - before_kb
            if grown_kb > most_kb:
                raise AssertionError(f"{len(data)} bytes of input took {grown_kb >> 10} MiB of memory")
        except BaseException:
            # libFuzzer writes the input down while the process exits, and its alarm for hangs goes on: one that came
            # after Python had given its handlers back ended the process before (seen as signal 14, nothing kept).
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise

    return run


def peak_kb() -> int:
    """The largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
