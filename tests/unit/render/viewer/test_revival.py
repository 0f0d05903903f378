"""What runs when a context is lost: another on the next, unless it is lost again at once or there is none."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from render.gpu.errors import ContextLost
from render.viewer.errors import NoDisplay
from render.viewer.options import ViewerOptions
from render.viewer.revival import AGAIN_S, run_on

LOST = ContextLost("for a test")
GONE, BROKEN = -1, -2
"""Another error is raised, first: because the context is gone, or not."""


class Played:
    """Loses its context, or ends."""

    def __init__(self, told: list[str], settings: ViewerOptions, ends: int | None) -> None:
        self.told, self.settings, self.ends = told, settings, ends
        told.append(f"made {','.join(settings.overlays)}")

    def run(self) -> int:
        if self.ends is None:
            raise LOST
        if self.ends in {GONE, BROKEN}:
            raise ValueError("cannot map the buffer")
        return self.ends

    def lost(self) -> ContextLost | None:
        return LOST if self.ends == GONE else None

    def kept(self, lost: ContextLost) -> ViewerOptions:
        assert lost is LOST
        self.told.append("kept")
        return replace(self.settings, overlays=(*self.settings.overlays, "more"))

    def close(self) -> None:
        self.told.append("closed")


def played(
    *ends: int | None, renew: Callable[[], None] | None = None, apart_s: float = 2 * AGAIN_S
) -> tuple[list[str], int | None]:
    """What is told of windows that end so, one after another, and the exit code."""
    told: list[str] = []
    left = list(ends)
    times = iter(range(100))

    def renewed() -> None:
        told.append("renewed")

    try:
        code = run_on(
            lambda settings: Played(told, settings, left.pop(0)),
            ViewerOptions(),
            renew or renewed,
            lambda: next(times) * apart_s,
        )
    except ContextLost:
        return told, None
    return told, code


def test_what_loses_no_context_runs_once() -> None:
    assert played(0) == (["made ", "closed"], 0)


def test_the_next_begins_with_what_the_one_before_kept_once_that_is_closed() -> None:
    told, code = played(None, None, 0)
    assert told == [
        *("made ", "kept", "closed", "renewed"),
        *("made more", "kept", "closed", "renewed"),
        *("made more,more", "closed"),
    ]
    assert code == 0


def test_other_errors_of_a_lost_context_are_its_loss_and_others_end_it() -> None:
    assert played(GONE, 0) == (["made ", "kept", "closed", "renewed", "made more", "closed"], 0)
    with pytest.raises(ValueError, match="cannot map"):
        played(BROKEN, 0)


def test_contexts_that_are_lost_again_at_once_end_it() -> None:
    told, code = played(None, None, 0, apart_s=AGAIN_S / 2)
    assert told == ["made ", "kept", "closed", "renewed", "made more", "closed"]
    assert code is None


def test_without_another_context_the_sentence_of_the_lost_one_is_told() -> None:
    def none() -> None:
        raise NoDisplay("no more")

    with pytest.raises(ContextLost, match="for a test"):
        run_on(lambda settings: Played([], settings, None), ViewerOptions(), none, lambda: 0.0)
