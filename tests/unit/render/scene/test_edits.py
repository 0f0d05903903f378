"""An edit set is complete when its light and all its meshes are there."""

import numpy as np

from render.scene.edits import EditSet, Made


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
