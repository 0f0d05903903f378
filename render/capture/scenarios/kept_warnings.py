"""Warnings of ours while something is taken, kept beside the result instead of written to stderr.

A suite's output is its verdicts: a warning that a scene brings on purpose, as by a pack with a broken picture, would
stand there in every run. Reports and JUnit have all warnings; people are told those that the scene does not expect.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LOG: Final = logging.getLogger("chunkscope")
"""Above all of ours."""


class _Keeper(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.lines[record.getMessage()] = None


@contextmanager
def warnings_kept() -> Iterator[dict[str, None]]:
    """Warnings that are logged meanwhile, each once, in their order; nobody else hears them."""
    keeper, passed_on = _Keeper(), LOG.propagate
    LOG.addHandler(keeper)
    LOG.propagate = False
    try:
        yield keeper.lines
    finally:
        LOG.propagate = passed_on
        LOG.removeHandler(keeper)
