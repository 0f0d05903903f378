"""A step's budget ends with its time or its bytes; kinds of work share it; how much goes up at once is learnt.

Edit sets: An edit set is complete when its light and all its meshes are there.
"""

import numpy as np
import pytest

from render.scene.edit_sets import HeldEdits, Made
from render.scene.grid import Reach
from render.scene.uploads import MOST_AT_ONCE, SLICE, WAITING, Budget, Portion, step_clock
from render.scene.work_state import SceneConfig

# ---------------------------------------------------------------- uploads

PLACES = np.arange(3 * SLICE + 1, dtype=np.int32)
BRICK_S = 2e-6


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = 7.0

    def __call__(self) -> float:
        return self.now


def test_without_limits_everything_passes_at_once() -> None:
    left = Budget(None, None, Clock())
    assert [part.tolist() for part in left.slices(PLACES, Portion())] == [PLACES.tolist()]
    assert not left.over
    assert not left.timed


def test_places_pass_part_by_part_while_the_time_suffices_for_another() -> None:
    clock = Clock()
    left, passed = Budget(0.002, None, clock), []
    for part in left.slices(PLACES, Portion()):
        passed.append(len(part))
        clock.now += 0.0008
    assert passed == [SLICE, 2 * SLICE], "the second as quick as the first, the third would be late"
    clock.now += 0.0008
    assert left.over


def test_when_the_time_is_over_only_the_one_whose_turn_it_is_passes() -> None:
    clock = Clock()
    left = Budget(0.0, None, clock)
    large = Portion()
    large.size = 4 * SLICE
    assert [len(part) for part in left.slices(PLACES, large)] == [SLICE], "and little of it"
    assert list(left.slices(PLACES, large, must=False)) == []
    assert list(left.slices(PLACES[:0], large)) == []


def test_bytes_end_it_too() -> None:
    left, passed = Budget(1.0, 100, Clock()), 0
    for part in left.slices(PLACES, Portion()):
        passed += len(part)
        left.send(60)
    assert passed == 3 * SLICE, "the second is twice as long: the first took no time"
    assert left.bytes_left == -20


def test_a_step_sorts_as_many_places_as_its_time_may_send() -> None:
    assert Budget(None, None, Clock()).most(1e-6) is None
    assert Budget(0.002, None, Clock()).most(1e-6) == 2000
    assert Budget(0.02, None, Clock()).most(1e-6) == 20_000, "of a slow frame ten times as many"
    assert Budget(0.0, None, Clock()).most(1e-6) == SLICE, "the first part, which is sent however late it is"


def test_a_step_that_may_take_longer_may_send_more_bytes() -> None:
    config = SceneConfig(owner_s=0.001, upload_bytes=1000)
    assert config.extended(0.0005) == config
    longer = config.extended(0.01)
    assert (longer.owner_s, longer.upload_bytes) == (0.01, 10_000)
    assert SceneConfig(owner_s=0.001, upload_bytes=None).extended(0.01).upload_bytes is None
    unlimited = SceneConfig(owner_s=None, upload_bytes=1000)
    assert unlimited.extended(0.01) == unlimited
    assert SceneConfig(owner_s=0.0).extended(0.01) == SceneConfig(owner_s=0.01)


def sent(portion: Portion, seconds: float, brick_s: float) -> int:
    """How many bricks go up in one step of so many seconds."""
    clock, passed = Clock(), 0
    for part in Budget(seconds, None, clock).slices(np.arange(10_000, dtype=np.int32), portion):
        passed += len(part)
        clock.now += 3e-4 + len(part) * brick_s
    return passed


def test_what_a_step_learns_serves_the_next() -> None:
    portion = Portion()
    first, later = sent(portion, 0.002, BRICK_S), [sent(portion, 0.002, BRICK_S) for _ in range(4)][-1]
    assert later > first
    assert 3e-4 + later * BRICK_S <= 0.003
    assert sent(portion, 0.002, 20 * BRICK_S) <= portion.size * 2, "a part that is late"
    for _ in range(8):
        sent(portion, 0.002, 20 * BRICK_S)
    assert portion.size == SLICE
    for _ in range(8):
        sent(portion, 10.0, BRICK_S)
    assert portion.size == MOST_AT_ONCE


def test_work_counts_as_long_as_it_takes_and_waiting_an_eighth() -> None:
    used, elapsed = Clock(), Clock()
    clock = step_clock(used, elapsed)
    assert clock() == 0.0, "whatever both said before"
    used.now += 0.001
    elapsed.now += 0.001
    assert clock() == pytest.approx(0.001), "a machine of our own: work, and no time but that"
    elapsed.now += 0.006
    assert clock() == pytest.approx(0.001), "the core was taken away, for six times as long as we worked"
    elapsed.now += 0.009
    assert clock() == pytest.approx(0.016 * WAITING), "now the wait is what counts"
    used.now += 0.004
    assert clock() == pytest.approx(0.005)


def test_a_step_that_does_nothing_but_wait_ends_at_eight_times_its_budget() -> None:
    used, elapsed = Clock(), Clock()
    left = Budget(0.00125, None, step_clock(used, elapsed))
    elapsed.now += 0.0099
    assert not left.over
    elapsed.now += 0.0002
    assert left.over, "10 ms, so that a frame of a 60th of a second is still shown"


# ---------------------------------------------------------------- edit sets


def mesh(cell: int, revision: int) -> Made:
    return Made(cell, revision, np.zeros((1, 2), np.uint32), np.zeros(10, np.int32))


def reach(place: int) -> Reach:
    none, at = np.zeros(0, np.int64), np.array([place], np.int32)
    return Reach(none, np.zeros((0, 3), np.int32), none, at[:0], at, at, np.array([9], np.uint16))


def begun(*cells: int) -> HeldEdits:
    """A set of revision 7 that waits for the meshes of these cells."""
    held = HeldEdits()
    held.begin(reach(40), 7, np.array(cells))
    return held


def test_it_waits_for_light_and_every_mesh_of_its_revision() -> None:
    held = begun(3, 4)
    assert not held.take(mesh(3, 6)), "made before the edit"
    assert not held.take(mesh(9, 7)), "another cell's"
    assert held.take(mesh(3, 7))
    held.light_came()
    assert held.complete() is None
    assert held.take(mesh(4, 8))
    assert held.complete() is not None


def test_a_newer_mesh_replaces_the_one_that_waits() -> None:
    held = begun(3)
    held.take(mesh(3, 7))
    assert held.take(mesh(3, 9))
    held.light_came()
    edit = held.complete()
    assert edit is not None
    assert edit.made[3].revision == 9


def test_cells_that_went_are_not_waited_for() -> None:
    held = begun(3, 4)
    held.take(mesh(3, 7))
    held.forget(np.array([3, 4]))
    held.light_came()
    edit = held.complete()
    assert edit is not None
    assert not edit.made


def test_the_next_set_begins_when_the_one_before_is_complete() -> None:
    held = HeldEdits()
    held.later.extend([reach(40), reach(41)])
    first = held.next()
    assert first is not None
    held.begin(first, 7, np.array([3]))
    assert held.next() is None, "while a set is under way"
    assert held.complete() is None, "neither light nor mesh"
    assert held.light_came(np.array([40], np.int32))
    assert held.dark_places.tolist() == [40], "its light waits for the mesh"
    assert held.take(mesh(3, 7))
    shown = held.complete()
    assert shown is not None
    assert shown.blocks[0].tolist() == [40]
    assert not len(held.dark_places)
    second = held.next()
    assert second is not None
    assert second.edited.tolist() == [41]


def test_a_cell_belongs_to_the_set_before_and_after_its_mesh_came() -> None:
    held = HeldEdits()
    assert not held.holds(np.array([3, 4, 5])).any()
    held.begin(reach(40), 7, np.array([3, 4]))
    held.take(mesh(3, 7))
    assert held.holds(np.array([3, 4, 5])).tolist() == [True, True, False]
    held.miss(4, 6)
    assert held.holds(np.array([4])).all(), "what failed was made before the edit"
    held.miss(4, 7)
    assert not held.holds(np.array([4])).any()
    held.forget(np.array([3]))
    assert not held.cells_made


def test_without_a_set_nothing_is_kept() -> None:
    held = HeldEdits()
    assert not held.take(mesh(3, 7))
    assert not held.light_came()
    held.miss(3, 7)
    held.later.append(reach(40))
    assert held.some
    held.clear()
    assert not held.some
