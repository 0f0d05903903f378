"""Stores that are left are freed when the next one rests, and not looked at sooner than somebody has a picture."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from render.viewer.scene_updater import FreedStores, collect_all


class Knot:
    """Only a collection frees it."""

    def __init__(self) -> None:
        self._itself = self


@pytest.fixture(autouse=True)
def by_hand() -> Iterator[None]:
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


def grown_old() -> "weakref.ref[Knot]":
    """A knot that nobody holds any more, and that collecting what is young does not find."""
    knot = Knot()
    gc.collect(0)
    return weakref.ref(knot)


def test_what_was_left_is_freed_when_the_next_store_rests() -> None:
    leavings = FreedStores()
    leavings.another(left=False, present_left=False)
    leavings.rest(present=True)
    past = grown_old()
    gc.collect(0)
    leavings.another(left=True, present_left=False)
    assert past() is not None, "somebody waits for a picture"
    leavings.rest(present=False)
    assert past() is None


def test_stores_that_follow_each_other_without_a_rest_do_not_pile_up() -> None:
    leavings = FreedStores()
    leavings.another(left=True, present_left=False)
    first = grown_old()
    leavings.another(left=True, present_left=False)
    assert first() is None


def test_the_present_is_laid_aside_and_the_past_is_not() -> None:
    leavings = FreedStores()
    aside = gc.get_freeze_count()
    leavings.another(left=False, present_left=False)
    leavings.rest(present=False)
    assert gc.get_freeze_count() == aside
    leavings.another(left=True, present_left=False)
    leavings.rest(present=True)
    assert gc.get_freeze_count() > aside


def test_a_present_that_was_left_for_good_is_freed_although_it_was_laid_aside() -> None:
    leavings, knot = FreedStores(), Knot()
    present = weakref.ref(knot)
    leavings.another(left=False, present_left=False)
    leavings.rest(present=True)
    del knot
    leavings.another(left=True, present_left=False)
    leavings.rest(present=False)
    assert present() is not None, "laid aside: ways through the past do not look at it"
    leavings.another(left=True, present_left=True)
    leavings.rest(present=True)
    assert present() is None


def test_a_rest_that_goes_on_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    leavings = FreedStores()
    leavings.another(left=True, present_left=True)
    leavings.rest(present=True)
    for name in ("collect", "freeze", "unfreeze"):
        monkeypatch.setattr(gc, name, lambda: pytest.fail("once a store"))
    for _ in range(3):
        leavings.rest(present=True)
    monkeypatch.undo()


def test_leaving_a_world_frees_all_of_it() -> None:
    knot = Knot()
    left = weakref.ref(knot)
    gc.freeze()
    del knot
    collect_all()
    assert left() is None
