"""Two worlds that the games saved (1.16.100 and 1.21.72): all that is known of them is read."""

import json
from collections import Counter
from typing import Any

import pytest

from net.palette import Palette
from net.saved_world.columns import Folder
from net.server.worlds import SavedWorld
from net.space.positions import BlockPos
from net.storage.world_files import open_world_files
from tests.support.data.shared import form_of, shared_data

NAMES = ["rbedrock-example1", "rbedrock-example2"]


def facts(name: str) -> dict[str, Any]:
    return json.loads(shared_data(f"worlds/{name}.json").read_text())


def folder(name: str) -> Folder:
    return Folder(open_world_files(shared_data(f"worlds/{name}.mcworld")))


@pytest.mark.parametrize("name", NAMES)
def test_keys_columns_and_sub_chunks_are_all_there(name: str) -> None:
    known, found = facts(name), folder(name)
    assert len(found._database.all_keys()) == known["keys"]
    columns = found.columns()
    assert len(columns) == known["columns"]["0"]
    saved = [column for position in columns if (column := found.column(0, position)) is not None]
    sections = [section for column in saved for section in column.subchunks]
    assert [min(sections), max(sections)] == known["y_range"]
    versions = Counter(str(data[0]) for column in saved for data in column.subchunks.values())
    assert versions == Counter(known["subchunks"])
    assert found.lost == []
    assert found.level.name == known["level_name"]
    assert list(found.level.version) == known["last_opened"]
    assert [found.level.spawn[0], 32767, found.level.spawn[2]] == known["spawn"]


@pytest.mark.parametrize("name", NAMES)
def test_sampled_blocks_equal_what_another_reader_found(name: str) -> None:
    world = SavedWorld(open_world_files(shared_data(f"worlds/{name}.mcworld")))
    columns = {}
    for x, y, z, block, states, _ in facts(name)["probe"]:
        place = BlockPos(x, y, z)
        column = columns.setdefault(place.column, world.column(place.column))
        section = place.subchunk.y - world.dimension.floor_section
        found = world.states[column.layer0[section, place.in_subchunk]]
        assert (found.name, dict(found.states)) == (block, states), place
    assert len(columns) > 30
    assert not world.lost


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("protocol", [486, 685, 2193])
def test_their_blocks_are_known_to_releases_that_are_not_older(name: str, protocol: int) -> None:
    world = SavedWorld(open_world_files(shared_data(f"worlds/{name}.mcworld")))
    for position in world._folder.columns():
        world.column(position)
    form = form_of(Palette.for_protocol(protocol), world.states)
    unknown = {state.name.removeprefix("minecraft:") for state in form.unknown}
    later = {"wildflowers", "bush", "leaf_litter"}  # 1.21.70
    trials = {"tuff_bricks", "chiseled_tuff_bricks", "polished_tuff", "vault", "trial_spawner", "waxed_chiseled_copper"}
    trials |= {"waxed_weathered_copper_bulb"}
    if name == NAMES[0] or protocol == 2193:
        assert unknown == set()
    else:
        assert unknown == (later if protocol == 685 else later | trials)
