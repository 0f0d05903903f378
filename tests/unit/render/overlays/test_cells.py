"""Cells: a box by each picture's state, a flash where a mesh is new, and what the mesh costs."""

import numpy as np

from render.overlays.facts import Meshes
from render.overlays.geometry import FLASH, FLASH_S, STYLES, cells_marks, told
from render.scene.cells import Picture
from tests.support.overlay_facts import given_facts

WORDS = {
    Picture.DIRTY: "first mesh on its way",
    Picture.READY: "first mesh on its way",
    Picture.SHOWN: "up to date",
    Picture.STALE: "drawn as it was, newer mesh on its way",
    Picture.FAILED: "mesh failed",
}


def meshes(pictures: list[int], age_s: float = float("nan")) -> Meshes:
    many = len(pictures)
    return Meshes(
        np.stack([np.arange(many), np.full(many, -1), np.zeros(many)], axis=1).astype(np.int32),
        np.array(pictures, np.uint8),
        np.full(many, 3, np.int64),
        np.full(many, age_s),
        np.full(many, 10, np.int64),
        np.full(many, 42, np.int64),
    )


def test_each_state_has_its_box_and_what_is_empty_or_absent_none() -> None:
    made = cells_marks(given_facts([[0, 0, 0]]).but(meshes=meshes([int(state) for state in Picture])))
    boxes = zip(made.boxes.lows, made.boxes.chosen, strict=True)
    found = {Picture(int(low[0]) // 16): STYLES[kind].label for low, kind in boxes}
    assert found == WORDS
    assert (made.boxes.lows[:, 1] == -32).all()
    assert set(map(tuple, made.boxes.sizes.tolist())) == {(16, 32, 16)}


def test_a_new_mesh_flashes_and_fades() -> None:
    shown = [int(Picture.SHOWN)]
    young, old = (cells_marks(given_facts([[0, 0, 0]]).but(meshes=meshes(shown, age))) for age in (0.1, FLASH_S + 0.1))
    assert young.boxes.chosen.tolist() == [FLASH]
    assert 0.3 < young.boxes.shares[0] < 1.0
    assert old.boxes.chosen.tolist() != [FLASH]


def test_labels_say_generation_vertices_and_merging() -> None:
    assert told(3, 10, 42) == "#3 40 vert\n4.2 faces/quad"
    assert told(1, 0, 0) == "#1"
