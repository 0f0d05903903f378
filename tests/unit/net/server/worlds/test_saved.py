"""Columns of saved worlds: sub-chunks of every version, biomes of two ages, and what becomes of blocks nobody knows."""

import struct
from collections.abc import Sequence

import numpy as np
import pytest

from net.bedrock import StartGame
from net.bedrock.codec import Codec
from net.nbt import DISK, NETWORK, Byte, Compound, Int, Short, encode_root
from net.palette import BlockState, Palette
from net.releases import ProtocolRange
from net.saved_world.columns import SavedColumn
from net.server import block_ids
from net.server.block_ids import BlockIdForm, LocalStates
from net.server.column_provider import ColumnProvider
from net.server.dimensions import ServerDimensions
from net.server.host import MOST_REPORTED, LostReport
from net.server.host_options import HostOptions, IdForm
from net.server.join_packets import greeting
from net.server.worlds import SavedWorld
from net.space import END, NETHER, OVERWORLD, BlockPos, ColumnPos, Dimension
from net.subchunk.biomes import read_biomes
from net.wire.fields import Profile
from tests.support.data.shared import form_of
from tests.support.reference.leveldb import MemoryFiles
from tests.support.reference.wire import read_roots
from tests.support.worlds.saved import level, named, old_subchunk, storage, subchunk, world

HERE = ColumnPos(0, 0)
AIR, STONE = named("air"), named("stone", stone_type="stone")
RNG = np.random.default_rng(3)


def one_of(palette: Sequence[Compound], bits: int | None = None) -> tuple[bytes, np.ndarray]:
    ids = RNG.integers(0, len(palette), 4096)
    return storage(palette, ids, bits), ids


def opened(sections: dict[int, bytes], dimension: Dimension = OVERWORLD, **more: object) -> SavedWorld:
    return SavedWorld(world({(dimension.number, 0, 0): sections}, **more), dimension)


def names(found: SavedWorld, ids: np.ndarray) -> list[str]:
    return [found.states[number].name.removeprefix("minecraft:") for number in ids.tolist()]


@pytest.mark.parametrize("version", [1, 8, 9])
@pytest.mark.parametrize("count", [1, 2, 3, 9, 17, 40, 70, 300])
def test_sub_chunks_with_names_are_read_as_they_were_written(version: int, count: int) -> None:
    palette = [AIR, *(named(f"custom:b{n}".replace("minecraft:", "")) for n in range(count - 1))]
    data, ids = one_of(palette)
    found = opened({4: subchunk(version, [data], 4)})
    blocks = found.column(HERE).layer0[4 - OVERWORLD.floor_section]
    wanted = [str(palette[index]["name"]).removeprefix("minecraft:") for index in ids.tolist()]
    assert names(found, blocks) == wanted
    assert not found.lost


def test_the_second_layer_is_the_second_and_more_are_left_out() -> None:
    stone, water = (
        storage([STONE], np.zeros(4096, int)),
        storage([named("water", liquid_depth=0)], np.zeros(4096, int), 0),
    )
    found = opened({-4: subchunk(9, [stone, water, stone], -4)})
    column = found.column(HERE)
    assert column.layer1 is not None
    assert {*names(found, column.layer0[0]), *names(found, column.layer1[0])} == {"stone", "water"}
    assert not column.layer1[1:].any()


@pytest.mark.parametrize("version", [0, 2, 3, 4, 5, 6, 7])
def test_numbers_and_data_values_of_old_are_blocks_of_486(version: int) -> None:
    numbers, values = np.zeros(4096, int), np.zeros(4096, int)
    numbers[:4], values[:4] = (1, 17, 53, 199), (5, 6, 6, 2)
    found = opened({0: old_subchunk(version, numbers, values, lights=version == 2)})
    blocks = found.column(HERE).layer0[4]
    assert [str(found.states[number]) for number in blocks[:5].tolist()] == [
        "minecraft:stone[stone_type=andesite]",
        "minecraft:log[old_log_type=birch,pillar_axis=x]",
        "minecraft:oak_stairs[upside_down_bit=true,weirdo_direction=2]",
        "minecraft:frame[facing_direction=3,item_frame_map_bit=false,item_frame_photo_bit=false]",
        "minecraft:air",
    ]


def test_names_with_data_values_are_blocks_of_486() -> None:
    old: list[Compound] = [{"name": "minecraft:wool", "val": Short(14)}, {"name": "minecraft:mod", "val": Short(3)}]
    data, ids = one_of(old)
    found = opened({0: subchunk(8, [data])})
    first, second = (int(found.column(HERE).layer0[4][np.flatnonzero(ids == at)[0]]) for at in (0, 1))
    assert str(found.states[first]) == "minecraft:wool[color=red]"
    assert found.states[second] == BlockState("minecraft:mod", (("val", 3),))


@pytest.mark.parametrize(
    "broken",
    [b"", b"\x09", b"\x0b\1\0", b"\x08\1\x0e", subchunk(8, [b"\2" + bytes(512) + struct.pack("<i", -1)]), b"\0" * 100],
)
def test_a_sub_chunk_that_cannot_be_read_costs_itself_alone(broken: bytes) -> None:
    found = opened({0: broken, 1: subchunk(8, [storage([STONE], np.zeros(4096, int))])})
    column = found.column(HERE)
    assert not column.layer0[4].any()
    assert set(names(found, column.layer0[5])) == {"stone"}
    assert len(found.lost) == 1
    assert found.lost[0].startswith("sub-chunk 0,0,0.")


def test_a_third_layer_is_omitted_and_told_once() -> None:
    one = storage([STONE], np.zeros(4096, np.int64))
    found = opened({section: subchunk(9, [one] * 3, section) for section in (0, 1)})
    column = found.column(HERE)
    assert column.layer1 is not None
    assert found.lost == ["Third and later layers of blocks are omitted, first those of sub-chunk 0,0,0."]


@pytest.mark.parametrize(("dimension", "sections"), [(NETHER, 8), (END, 16)])
def test_nether_and_end_have_their_own_columns_and_range(dimension: Dimension, sections: int) -> None:
    stone = subchunk(8, [storage([STONE], np.zeros(4096, int))])
    found = opened({0: stone, 20: stone, -1: stone}, dimension)
    column = found.column(HERE)
    assert column.layer0.shape == (sections, 4096)
    assert column.layer0[0].all()
    assert not column.layer0[1:].any()
    assert found.lost == [f"Sub-chunks outside the {dimension.name}'s range are omitted."]
    assert set(column.biomes) == {8 if dimension is NETHER else 9}


def test_a_column_that_was_not_saved_is_air() -> None:
    column = opened({0: subchunk(8, [storage([STONE], np.zeros(4096, int))])}).column(ColumnPos(5, 5))
    assert not column.layer0.any()
    assert column.layer1 is None


def test_players_start_on_the_ground_of_the_saved_spawn_or_of_the_nearest_column() -> None:
    ids = np.zeros(4096, int)
    ids[BlockPos(8, 5, 8).in_subchunk] = 1
    files = world({(0, 0, 0): {2: subchunk(8, [storage([AIR, STONE], ids)])}})
    assert SavedWorld(files).spawn.feet == (8.5, 38.0, 8.5)
    moved = world({(0, 9, 9): {2: subchunk(8, [storage([AIR, STONE], ids)])}, (0, 30, 0): {}})
    assert SavedWorld(moved).spawn.feet == (152.5, 38.0, 152.5)
    empty = MemoryFiles({"level.dat": level(), "db/CURRENT": b""})
    assert SavedWorld(empty).spawn.feet == (8.5, -64.0, 8.5)


def saved_storage(palette: Sequence[int], ids: np.ndarray, bits: int) -> bytes:
    if not bits:
        return b"\1" + struct.pack("<i", palette[0])
    each = 32 // bits
    words = (ids.reshape(-1, each).astype(np.uint64) << np.arange(each, dtype=np.uint64) * np.uint64(bits)).sum(axis=1)
    return (
        bytes((bits << 1 | 1,))
        + words.astype("<u4").tobytes()
        + struct.pack(f"<i{len(palette)}i", len(palette), *palette)
    )


def test_biomes_of_sections_are_told_as_they_were_saved() -> None:
    ids = RNG.integers(0, 2, 4096)
    data = bytes(512) + saved_storage([7], ids, 0) + b"\xff" + saved_storage([1, 186], ids, 1)
    files = world({(0, 0, 0): {0: b""}}, {(0, 0, 0, 43): data})
    found = SavedWorld(files)
    column = found.column(HERE)
    assert column.section_biomes is not None
    np.testing.assert_array_equal(column.section_biomes[:2], 7)
    np.testing.assert_array_equal(column.section_biomes[2], np.array([1, 186])[ids])
    np.testing.assert_array_equal(column.section_biomes[23], column.section_biomes[2])
    states = LocalStates(found.states)
    tail = ColumnProvider(found, states, 8).snapshot(HERE).skeleton(form_of(Palette.for_protocol(2193), states))
    sent = read_biomes(tail, 24)
    for index in range(24):
        np.testing.assert_array_equal(sent.section(index), column.section_biomes[index])


def test_biomes_of_old_lie_by_z_and_are_told_by_x() -> None:
    rows = np.arange(256, dtype=np.uint8)
    found = SavedWorld(world({(0, 0, 0): {}}, {(0, 0, 0, 45): bytes(512) + rows.tobytes()}))
    assert found.column(HERE).biomes[1 << 4 | 2] == 2 << 4 | 1


@pytest.mark.parametrize("data", [b"", bytes(512), bytes(512) + b"\xff", bytes(512) + b"\x0f", bytes(512) + b"\3"])
def test_biomes_that_cannot_be_read_are_plains(data: bytes) -> None:
    found = SavedWorld(world({(0, 0, 0): {}}, {(0, 0, 0, 43): data}))
    assert set(found.column(HERE).biomes) == {1}
    assert len(found.lost) == bool(data)


def test_saved_blocks_become_those_of_the_protocol() -> None:
    states = LocalStates((BlockState("minecraft:air"),))
    palettes = [Palette.for_protocol(486), Palette.for_protocol(2193)]
    old, new = (form_of(palette, states) for palette in palettes)

    def told(form: BlockIdForm, name: str, **said: int | str) -> str:
        number = states.local_id_of(BlockState(f"minecraft:{name}", tuple(sorted(said.items()))))
        return str(palettes[form is new].state_of(int(form.runtime_ids[number])))

    assert told(old, "oak_planks") == "minecraft:planks[wood_type=oak]"
    assert told(old, "grass_block") == "minecraft:grass"
    assert told(old, "chain") == "minecraft:chain[pillar_axis=y]"  # saved before it could lie
    assert told(old, "custom") == "minecraft:unknown"
    assert [state.name for state in old.unknown] == ["minecraft:custom"]
    assert told(new, "planks", wood_type="oak") == "minecraft:oak_planks"
    assert told(new, "skull", facing_direction=1, no_drop_bit=1).endswith("[facing_direction=1]")
    assert told(new, "cherry_log", pillar_axis="x") == "minecraft:cherry_log[pillar_axis=x]"
    assert [state.name for state in new.unknown] == ["minecraft:custom"]


def test_states_learnt_late_and_blocks_set_between_are_told_apart() -> None:
    glass, dirt = named("glass"), named("dirt", dirt_type="normal")
    full = np.zeros(4096, int)
    found = SavedWorld(
        world(
            {
                (0, 0, 0): {0: subchunk(8, [storage([glass], full)])},
                (0, 1, 0): {0: subchunk(8, [storage([dirt], full)])},
            }
        )
    )
    states = LocalStates(found.states)
    provider = ColumnProvider(found, states, 8)
    assert provider.snapshot(HERE).local_id(4, 0, 0)
    sponge = states.local_id_of(BlockState("minecraft:sponge", (("sponge_type", "dry"),)))
    provider.set_block(BlockPos(0, 0, 0), 0, sponge)
    other = provider.snapshot(ColumnPos(1, 0)).local_id(4, 7, 0)
    first = provider.snapshot(HERE)
    blocks = [states.state_of(number).name for number in (first.local_id(4, 0, 0), first.local_id(4, 1, 0), other)]
    assert blocks == ["minecraft:sponge", "minecraft:glass", "minecraft:dirt"]


def chest(x: int, y: int, z: int, text: str) -> Compound:
    return {"id": "Chest", "x": Int(x), "y": Int(y), "z": Int(z), "CustomName": text}


def test_block_entities_come_with_their_section_and_end_with_their_block() -> None:
    ids = np.zeros(4096, int)
    ids[:2] = 1
    data = subchunk(8, [storage([AIR, named("chest", facing_direction=2)], ids)])
    entities = [
        chest(0, 16, 0, "first"),
        chest(0, 17, 0, "second"),
        chest(99, 0, 0, "astray"),
        chest(0, 999, 0, "high"),
    ]
    saved = b"".join(encode_root(one, DISK) for one in entities)
    found = SavedWorld(world({(0, 0, 0): {1: data}}, {(0, 0, 0, 49): saved}))
    states = LocalStates(found.states)
    provider = ColumnProvider(found, states, 8)

    def told() -> list[object]:
        snapshot = provider.snapshot(HERE)
        assert snapshot.all_entities() == snapshot.entities(5)
        return [one["CustomName"] for one in read_roots(snapshot.entities(5), NETWORK)]

    assert told() == ["first", "second"]
    assert found.lost == ["column 0,0: 1 of 4 block entities have no position in it and are omitted."]
    before = provider.snapshot(HERE)
    turned = states.local_id_of(BlockState("minecraft:chest", (("facing_direction", 3),)))
    provider.set_block(BlockPos(0, 16, 0), 0, turned)
    provider.set_block(BlockPos(0, 17, 0), 1, turned)
    assert told() == ["first", "second"], "a turned chest keeps what it holds"
    provider.set_block(BlockPos(0, 17, 0), 0, 0)
    assert told() == ["first"]
    assert len(read_roots(before.entities(5), NETWORK)) == 2, "a snapshot never changes"


def old_column(numbers: np.ndarray, values: np.ndarray) -> bytes:
    """Whole terrain, light, heights and biomes of a column 128 high; arrays by x, z, y."""
    flat = values.ravel()
    pairs = (flat[0::2] | flat[1::2] << 4).astype(np.uint8)
    biomes = np.zeros((256, 4), np.uint8)
    biomes[:, 0] = 5
    return numbers.astype(np.uint8).tobytes() + pairs.tobytes() + bytes(32768 + 256) + biomes.tobytes()


def test_whole_terrain_of_the_first_worlds_is_read() -> None:
    numbers, values = np.zeros((16, 16, 128), int), np.zeros((16, 16, 128), int)
    numbers[3, 4, 100], values[3, 4, 100] = 17, 2
    numbers[15, 0, 0] = 7
    extra = struct.pack("<IIH", 1, 3 << 11 | 4 << 7 | 101, 31 | 1 << 8)
    more = {(0, 0, 0, 118): b"\2", (0, 0, 0, 48): old_column(numbers, values), (0, 0, 0, 52): extra}
    found = SavedWorld(world({}, more))
    column = found.column(HERE)
    assert names(found, column.layer0[[10, 4], [BlockPos(3, 100, 4).in_subchunk, BlockPos(15, 0, 0).in_subchunk]]) == [
        "log",
        "bedrock",
    ]
    assert column.layer1 is not None
    assert names(found, column.layer1[10, [BlockPos(3, 101, 4).in_subchunk]]) == ["tallgrass"]
    assert int((column.layer0 != 0).sum()) == 2
    assert set(column.biomes) == {5}
    assert found.lost == []


def test_whole_terrain_alone_is_a_column_and_what_is_cut_of_it_is_told() -> None:
    files = world({}, {(0, 2, 1, 48): bytes(100), (0, 2, 1, 52): b"\5"})
    found = SavedWorld(files)
    assert found._folder.columns() == [ColumnPos(2, 1)]
    assert found._folder.dimensions() == [0]
    for _ in range(2):
        assert not found.column(ColumnPos(2, 1)).layer0.any()
    assert [sentence.partition(" at ")[0] for sentence in found.lost] == [
        "column 2,1.terrain",
        "column 2,1.extra blocks",
    ], "once each, however often the column is made"


def test_biomes_with_colours_are_told() -> None:
    coloured = np.zeros((256, 4), np.uint8)
    coloured[:, 0] = 21
    found = SavedWorld(world({(0, 0, 0): {}}, {(0, 0, 0, 46): bytes(512) + coloured.tobytes()}))
    assert set(found.column(HERE).biomes) == {21}


def test_a_world_that_a_newer_game_opened_is_told_once() -> None:
    body = {"LevelName": "New", "lastOpenedWithVersion": [Int(9), Int(1), Int(2), Int(3), Int(0)]}
    data = encode_root(body, DISK)
    files = world({(0, 0, 0): {}}, level_dat=struct.pack("<II", 10, len(data)) + data)
    (told,) = SavedWorld(files).lost
    assert told.startswith("The world was last opened by 9.1.2.3.0, newer than ")


def test_a_dimension_of_which_nothing_was_saved_is_told() -> None:
    found = SavedWorld(world({(0, 0, 0): {}}), NETHER)
    assert found.spawn.feet == (1.5, 0.0, 1.5)
    assert found.lost == ["The saved world has no columns of the nether: it is all air."]


class _World:
    def __init__(self) -> None:
        self.lost: list[str] = []


def test_what_is_lost_is_told_once_and_a_name_once() -> None:
    unknown, saved, told = list[BlockState](), _World(), list[str]()
    report = LostReport([saved], 486, told.append)
    saved.lost.append("a block.")
    unknown += [BlockState("a:b"), BlockState("a:b", (("x", 1),))]
    report.update(unknown)
    report.update(unknown)
    unknown.append(BlockState("a:b", (("x", 2),)))
    report.update(unknown)
    assert told == ["a block.", "Protocol 486 does not have the block a:b: it is sent as an unknown block."]
    saved.lost += [f"{count}." for count in range(MOST_REPORTED + 50)]
    report.update(unknown)
    saved.lost.append("one more")
    report.update(unknown)
    assert len(told) == MOST_REPORTED + 1
    assert told[-1] == "More warnings of this kind are not shown."


def test_a_folder_holds_all_its_dimensions_at_once_and_what_is_lost_is_told_once() -> None:
    layers = {
        dimension.number: storage([named(name)], np.zeros(4096, int), 0)
        for dimension, name in ((OVERWORLD, "stone"), (NETHER, "netherrack"), (END, "end_stone"))
    }
    columns = {(number, 0, 0): {1: subchunk(9, [layer], 1)} for number, layer in layers.items()}
    first = SavedWorld(world({**columns, (1, 1, 0): {1: b"\x09"}, (0, 1, 0): {1: b"\x09"}}), NETHER)
    assert first.spawn.feet == (1.5, 32.0, 1.5)
    worlds = {each.dimension.number: each for each in (first, *first.others())}
    for number, name in ((0, "stone"), (1, "netherrack"), (2, "end_stone")):
        found = worlds[number]
        index = 1 - found.dimension.floor_section
        assert names(found, np.unique(found.column(HERE).layer0[index])) == [name]
        assert found.column(HERE).layer0.shape == (found.dimension.sections, 4096)
    assert worlds[0].spawn.feet == (8.5, 32.0, 8.5)
    for number in (0, 1, 0):
        worlds[number].column(ColumnPos(1, 0))
    broken = "sub-chunk 1,1,0.subchunk.version at byte 1: needs 1 byte, but 0 are left."
    assert worlds[2].lost == [broken, f"In the nether: {broken}"]
    assert worlds[0].lost is worlds[1].lost


def test_a_block_named_like_one_of_ours_is_a_block_of_its_own() -> None:
    own = {**named("x"), "name": "some:blue_stained_glass2"}
    found = opened({0: subchunk(9, [storage([STONE, own], np.arange(4096) % 2)], 0)})
    provider = ColumnProvider(found, LocalStates(found.states), 4)
    provider.snapshot(HERE)
    assert BlockState("some:blue_stained_glass2") in found.states
    assert not found.lost


def test_blocks_of_its_own_are_announced_and_keep_names_and_states() -> None:
    own = [
        Compound(name="some:lamp", states=Compound(**{"some:lit": Byte(lit), "some:way": way}))
        for lit, way in ((0, "up"), (1, "up"), (1, "down"))
    ]
    found = opened({0: subchunk(9, [storage([STONE, *own, Compound(name="some:plain")], np.arange(4096) % 5)], 0)})
    codec = Codec(2193, Profile.BEDROCK)
    sent = greeting(found, IdForm.ORDER, 1, 0, 2193)
    (told,) = [codec.decode(codec.encode(message)) for message in sent if isinstance(message, StartGame)]
    assert [block.name for block in told.custom_blocks] == ["some:lamp", "some:plain"]
    for hashed in (False, True):
        options = HostOptions(ids=IdForm.HASH if hashed else IdForm.ORDER, bear_unknown=True)
        served = ServerDimensions([found], options, ProtocolRange.only(2193, Profile.BEDROCK)).start
        palette = Palette.for_protocol(2193)
        palette = (palette.hashed() if hashed else palette).with_custom(told.custom_blocks)
        served.provider.snapshot(HERE)
        read = [palette.state_of(int(number)) for number in served.forms.home.runtime_ids[-4:]]
        assert [str(state) for state in read] == [
            "some:lamp[some:lit=false,some:way=up]",
            "some:lamp[some:lit=true,some:way=up]",
            "some:lamp[some:lit=true,some:way=down]",
            "some:plain",
        ]
        assert served.forms.home.unknown == []


def test_a_bug_over_one_column_costs_that_column_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    files = world({(0, x, 0): {0: subchunk(9, [storage([STONE], np.zeros(4096, int), 0)], 0)} for x in (0, 1)})
    found = SavedWorld(files)
    read = found._blocks.layers

    def broken(position: ColumnPos, saved: SavedColumn) -> tuple[np.ndarray, np.ndarray]:
        if position.x == 1 and saved.subchunks:
            raise ValueError("two\nlines")
        return read(position, saved)

    monkeypatch.setattr(found._blocks, "layers", broken)
    assert found.column(HERE).layer0.any()
    assert not found.column(ColumnPos(1, 0)).layer0.any()
    assert found.lost == ["column 1,0 is omitted because of a bug in the server: ValueError: two lines."]


def test_local_ids_have_an_end() -> None:
    states = LocalStates([BlockState("minecraft:air"), BlockState("minecraft:stone")])
    many = [BlockState(f"some:block{number}") for number in range(block_ids.MOST_STATES + 5)]
    numbers = states.local_ids_of(many)
    assert len(states) == block_ids.MOST_STATES
    assert set(numbers[-7:].tolist()) == {block_ids.OVERFLOW}
    assert states.state_of(int(numbers[-8])) == many[-8]
