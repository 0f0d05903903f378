"""Blocks are told apart by their tiles: those that are not stand in a list, and all of them on a sheet to look at."""

from pathlib import Path

import numpy as np
import pytest

from client.world.block_table import BlockTable
from render.materials.face_recipes import MARKS
from render.materials.materials import Materials
from render.materials.paint_devices import GLYPHS, number_mask
from tests.support.data.shared import PlainTable, state
from tests.support.data.sheets import alias_text, aliases, first_states, sheets, tiles_of

ALIASES = Path(__file__).with_name("aliases-486.txt")


def test_at_least_600_of_the_708_names_have_tiles_of_their_own(materials: Materials, table: BlockTable) -> None:
    names = first_states(table, len(materials))
    assert len(names) == 708
    assert len({tiles_of(materials, dense) for dense in names.values()}) >= 600


def test_names_that_share_their_tiles_are_listed(materials: Materials, table: BlockTable) -> None:
    """The list is made anew by ``python -m tests.support.data.sheets palette --aliases FILE``."""
    assert alias_text(aliases(materials, table)) == ALIASES.read_text("utf-8")


def test_every_name_stands_on_a_sheet(materials: Materials, table: BlockTable, tmp_path: Path) -> None:
    pages = sheets(materials, table)
    assert len(pages) == 3
    for number, page in enumerate(pages):
        page.save(tmp_path / f"blocks-486-{number}.png")
        shown = np.asarray(page)
        assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 1000, "a page of blocks has many colours"


@pytest.mark.parametrize("mark", sorted(MARKS))
def test_a_mark_changes_a_picture_and_leaves_its_stuff_to_be_seen(mark: str) -> None:
    plain = np.full((16, 16, 4), 120.0)
    marked = MARKS[mark](plain.copy())
    changed = (marked != plain).any(axis=2)
    assert 0.05 < changed.mean() < 0.7


def test_a_double_slab_has_its_seam_at_its_sides_alone() -> None:
    slab, planks = state("double_wooden_slab", wood_type="oak"), state("planks", wood_type="oak")
    materials = Materials.build(PlainTable([slab, planks]))
    same = materials.tiles[0] == materials.tiles[1]
    assert same.tolist() == [False] * 4 + [True] * 2


def test_signs_of_devices_differ_from_each_other() -> None:
    assert len({glyph.tobytes() for glyph in GLYPHS.values()}) == len(GLYPHS)
    assert all(glyph.shape == (8, 8) for glyph in GLYPHS.values())


def test_numbers_of_elements_fit_their_tile_and_differ() -> None:
    masks = [number_mask(number) for number in range(119)]
    assert max(mask.shape[1] for mask in masks) <= 12
    assert len({(mask.shape, mask.tobytes()) for mask in masks}) == 119
