"""An edit set is complete when its light and all its meshes are there."""

import numpy as np

from render.scene.change_reach import Reach
from render.scene.edit_sets import EditSet, HeldEdits, Made


def mesh(cell: int, revision: int) -> Made:
    return Made(cell, revision, np.zeros((1, 2), np.uint32), np.zeros(10, np.int32))


def test_it_waits_for_light_and_every_mesh_of_its_revision() -> None:
    edit = EditSet.of(7, np.array([3, 4]), np.array([40], np.int32))
    assert not edit.takes(mesh(3, 6)), "made before the edit"
    assert not edit.takes(mesh(9, 7)), "another cell's"
    assert edit.takes(mesh(3, 7))
    edit.lit = True
    assert not edit.complete
    assert edit.takes(mesh(4, 8))
    assert edit.complete


def test_a_newer_mesh_replaces_the_one_that_waits() -> None:
    edit = EditSet.of(7, np.array([3]), np.array([40], np.int32))
    edit.takes(mesh(3, 7))
    assert edit.takes(mesh(3, 9))
    assert edit.made[3].revision == 9


def test_cells_that_went_are_not_waited_for() -> None:
    edit = EditSet.of(7, np.array([3, 4]), np.array([40], np.int32))
    edit.takes(mesh(3, 7))
    edit.forget(np.array([3, 4]))
    edit.lit = True
    assert edit.complete
    assert not edit.made


def reach(place: int) -> Reach:
    none, at = np.zeros(0, np.int64), np.array([place], np.int32)
    return Reach(none, np.zeros((0, 3), np.int32), none, at[:0], at, at, np.array([9], np.uint16))


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
