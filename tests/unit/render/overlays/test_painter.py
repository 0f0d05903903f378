"""When marks are made anew: at once the first time, then one overlay's a frame, and seldom where nothing moves."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from render.overlays import painter as module
from render.overlays.overlay import REGISTRY, MarkOverlay, OverlayMarks
from render.overlays.painter import STILL_LASTS_S, OverlayPainter
from render.passes.overlay.labels import Labels
from tests.support.worlds.overlay_facts import GivenFacts, given_facts

FACTS = given_facts([[0, 0, 0]])


class Watched:
    """A painter without GL, whose three overlays count how often they are made."""

    def __init__(self, patch: pytest.MonkeyPatch, moves: bool = True) -> None:
        self.made: Counter[str] = Counter()
        self.moves = moves
        names = "states", "age", "waves"
        patch.setattr(module, "REGISTRY", {name: self._counting(name) for name in names})
        for each in ("BoxesPass", "LinesPass"):
            patch.setattr(module, each, lambda _gpu: None)
        gpu: Any = None
        self.painter = OverlayPainter(gpu)

    def _counting(self, name: str) -> MarkOverlay:
        def make(_facts: object) -> OverlayMarks:
            self.made[name] += 1
            return OverlayMarks(moves=self.moves)

        return replace(REGISTRY[name], make=make)

    def made_by(self, *names: str, facts: GivenFacts = FACTS, at: float = 0.0, most: int | None = 1) -> list[str]:
        """What one call makes; checks that the rest is told."""
        before = self.made.copy()
        self.put_off = self.painter.make(frozenset(names), facts, at, most)
        return sorted((self.made - before).elements())


def test_first_marks_are_made_at_once_and_others_one_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    assert watched.made_by("states", "age") == ["age", "states"]
    assert not watched.put_off
    changed = FACTS.but(version=1)
    assert watched.made_by("states", "age", "waves", facts=changed, at=0.1) == ["states", "waves"]
    assert watched.put_off == {"states", "age"}
    assert watched.made_by("states", "age", facts=changed, at=0.1) == []  # shows the one, and makes none
    assert watched.put_off == {"age"}
    assert watched.made_by("age", facts=changed, at=0.1) == ["age"]
    assert watched.made_by(*watched.put_off, facts=changed, at=0.1) == []
    assert not watched.put_off
    assert watched.made_by("states", "age", "waves", facts=changed, at=0.1) == []
    assert watched.made_by("states", "age", "waves", facts=FACTS.but(version=2), most=None) == [
        "age",
        "states",
        "waves",
    ]


def test_what_time_alone_changes_is_made_often_only_while_it_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    lasts_s = REGISTRY["age"].lasts_s
    assert lasts_s is not None
    moving = Watched(monkeypatch)
    assert [moving.made_by("age", at=at) for at in (0.0, 1.5 * lasts_s)] == [["age"]] * 2
    assert moving.made_by("age", at=3.0 * lasts_s) == []  # shown now
    still = Watched(monkeypatch, moves=False)
    assert [still.made_by("age", at=at) for at in (0.0, 1.5 * lasts_s, STILL_LASTS_S)] == [["age"], [], ["age"]]
    assert still.made_by("age", at=STILL_LASTS_S + 1.5 * lasts_s, most=None) == ["age"]  # a picture is exact


def test_the_oldest_marks_are_made_first_so_that_none_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    watched.made_by("states", "age", "waves")
    made = [watched.made_by("states", "age", "waves", facts=FACTS.but(version=turn), at=turn) for turn in range(1, 13)]
    assert [names for names in made if names] == [["states"], ["age"], ["waves"]] * 2


def test_labels_that_say_the_same_stay_the_same_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    said = iter(["one", "one", "two"])
    made = replace(REGISTRY["states"], make=lambda _: OverlayMarks(labels=Labels.of(np.zeros((1, 3)), [next(said)])))
    monkeypatch.setattr(module, "REGISTRY", {"states": made})
    shown = []
    for version in range(3):
        for _ in range(2):  # made, then shown
            watched.made_by("states", facts=FACTS.but(version=version), at=float(version))
        marks = watched.painter._kept["states"].marks
        assert marks is not None
        shown.append(marks)
    assert shown[0] is not shown[1]
    assert shown[0].labels is shown[1].labels is not shown[2].labels
    assert shown[2].labels.texts == ("two",)


def test_new_marks_are_shown_by_the_next_call_and_forgotten_with_their_store(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    shown: list[OverlayMarks | None] = []
    for turn in range(3):
        watched.made_by("states", facts=FACTS.but(version=min(turn, 1)), at=turn)
        shown.append(watched.painter._kept["states"].marks)
    assert shown[0] is shown[1] is not shown[2]
    watched.made_by("states", facts=FACTS.but(version=2), at=3.0)
    watched.painter.forget()
    kept = watched.painter._kept["states"]
    assert kept.marks is kept.coming is None
