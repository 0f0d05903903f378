"""Which inputs of a corpus to commit: the few small ones that reach what the seeds do not.

What an input reaches are the pairs of lines that follow each other in the readers (``engine.FUZZED``), as
``sys.settrace`` tells them. Inputs are taken smallest first, each that reaches a pair nobody before did, up to so many
bytes a target. libFuzzer's own ``-merge`` starts the program again by its name, which a Python module has none of.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from tests.fuzz.engine import FUZZED

ROOT: Final = Path(__file__).parents[2]
MOST_BYTES: Final = 24 << 10
LONGEST_BYTES: Final = 2 << 10
"""Of one input; longer ones are mostly a part that matters in a lot that does not."""
Pair = tuple[CodeType, int, int]


class Reach:
    """What inputs reach."""

    def __init__(self, target: Callable[[bytes], None]) -> None:
        self._target = target
        self._files: dict[str, bool] = {}
        self._places = tuple(str(ROOT / Path(*name.split("."))) for name in FUZZED)

    def of(self, data: bytes) -> set[Pair]:
        """The pairs of lines of one input."""
        found: set[Pair] = set()
        last: dict[FrameType, int] = {}

        def within(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                found.add((frame.f_code, last.get(frame, 0), frame.f_lineno))
                last[frame] = frame.f_lineno
            elif event == "return":
                last.pop(frame, None)
            return within

        def called(frame: FrameType, _event: str, _: Any) -> Any:
            name = frame.f_code.co_filename
            if name not in self._files:
                self._files[name] = name.startswith(self._places)
            return within if self._files[name] else None

        before = sys.gettrace()
        sys.settrace(called)
        try:
            self._target(data)
        finally:
            sys.settrace(before)
        return found


def chosen(target: Callable[[bytes], None], seeds: Iterable[bytes], corpus: Iterable[bytes]) -> list[bytes]:
    """The inputs of a corpus that are worth keeping."""
    reach = Reach(target)
    known: set[Pair] = set()
    for seed in seeds:
        known |= reach.of(seed)
    kept: list[bytes] = []
    size = 0
    for data in sorted({each for each in corpus if len(each) <= LONGEST_BYTES}, key=lambda each: (len(each), each)):
        new = reach.of(data) - known
        if new and size + len(data) <= MOST_BYTES:
            known |= new
            kept.append(data)
            size += len(data)
    return kept
