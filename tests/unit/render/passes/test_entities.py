"""How entities look before any of it is on the GPU: colours, sizes, packed rows, who is in sight, texts of names."""

import numpy as np
import pytest
from msgspec.structs import replace

from client.entities import GLIDE_US, Entities
from render.camera import Camera
from render.passes.entities import (
    COLOURS,
    ROW_TEXELS,
    EntityPacker,
    EntityShape,
    NameTags,
    PackedEntities,
    colour_of,
    looked_at,
    painting_blocks,
    positions_at,
    shown_name,
)
from tests.support.worlds.entities import snapshot

LOOKS = np.arange(1, 61, dtype=np.uint64).reshape(10, 6)
CAMERA = Camera((0.5, 65.0, 0.5), 0.0, 0.0, 70.0, 1.5)


def packed(*entities: dict[str, object]) -> PackedEntities:
    return EntityPacker().pack(snapshot(entities), LOOKS)


def shapes(found: PackedEntities) -> list[EntityShape]:
    words = found.words[: len(found.radii) * ROW_TEXELS].reshape(-1, 4 * ROW_TEXELS)
    return [EntityShape(shape) for shape in (words[:, 14] >> 24).tolist()]


def test_colours_are_the_types_own() -> None:
    assert colour_of("minecraft:pig") == COLOURS["pig"]
    assert colour_of("minecraft:cushion") == colour_of("minecraft:cushion") != colour_of("minecraft:iceball")
    hashed = np.array([colour_of(f"some:{number}") for number in range(500)])
    assert hashed.max() <= 255
    assert hashed.max(axis=1).min() > 140, "dark on dark ground"
    assert (hashed.max(axis=1) - hashed.min(axis=1)).min() > 40, "grey as stone"
    assert len({tuple(row) for row in hashed.tolist()}) > 400


def test_paintings_have_their_sizes() -> None:
    assert painting_blocks("Kebab") == (1, 1)
    assert painting_blocks("minecraft:burning_skull") == painting_blocks("BurningSkull") == (4, 4)
    assert painting_blocks("nobody's") == (1, 1)


def test_each_is_the_shape_of_what_it_is() -> None:
    found = packed(
        {"kind": "minecraft:cow"},
        {"kind": "minecraft:arrow"},
        {"kind": "minecraft:minecart"},
        {"kind": "minecraft:minecart", "block": 4},
        {"kind": "minecraft:falling_block", "block": 4},
        {"kind": "minecraft:item", "item": True},
        {"kind": "minecraft:item", "item": True, "block": 9},
        {"kind": "minecraft:painting", "painting": "Pool"},
        {"kind": "some:thing", "block": 10},
    )
    assert [shape.name for shape in shapes(found)] == [
        "HEADED", "BARE", "BARE", "CARRIER", "BLOCK", "BARE", "BLOCK", "PAINTING", "HEADED",
    ]  # fmt: skip
    assert found.has_two.tolist() == [True, False, False, True, False, False, False, False, True]
    assert found.sizes[5:8].tolist() == [[0.25, 0.25], [0.25, 0.25], [2.0, 1.0]]


def test_faces_of_blocks_stand_behind_the_rows_each_once() -> None:
    found = packed(*({"kind": "minecraft:falling_block", "block": block} for block in (7, 2, 7)), {})
    first = 4 * ROW_TEXELS
    assert len(found.words) == first + 2 * 3
    rows = found.words[:first].reshape(4, -1)
    assert rows[:3, 15].tolist() == [first + 3, first, first + 3]
    faces = np.ascontiguousarray(found.words[first:]).reshape(2, -1).view(np.uint64)
    assert faces.tolist() == LOOKS[[2, 7]].tolist()


def test_a_row_is_read_back_as_it_was() -> None:
    far = (-29_999_999.25, -12.5, 17.875)
    found = packed({
        "row": 4_000_000_000, "at": far, "before": (-29_999_998.25, -12.0, 17.875), "moved_at": 10**15,
        "angles": (-30.0, 5.0, 350.0), "angles_before": (10.0, 0.0, 370.0), "size": (0.6, 1.8),
    })  # fmt: skip
    row = found.words[:ROW_TEXELS].reshape(-1)
    floats = row.view(np.float32)
    assert (row[0:3] + floats[4:7].astype(np.float64)).tolist() == list(far)
    assert row.view(np.uint32)[7] == 4_000_000_000
    assert floats[8:11].tolist() == [1.0, 0.5, 0.0]
    assert (found.since_us, row[3]) == (10**15, 0)
    halves = row[[15, 11]].view(np.uint32)
    turns = [(int(word) & 0xFFFF, int(word) >> 16) for word in halves.tolist()]
    assert turns[0] == pytest.approx((330 / 360 * 65536, 350 / 360 * 65536), abs=1)
    assert turns[1] == pytest.approx((10 / 360 * 65536, 10 / 360 * 65536), abs=1)
    assert floats[12:14].tolist() == pytest.approx([0.6, 1.8])


def test_who_teleported_has_no_way_back() -> None:
    row = packed({"before": (5.0, 5.0, 5.0), "angles_before": (9.0, 9.0, 9.0), "teleported": True}).words.reshape(-1)
    assert row.view(np.float32)[8:11].tolist() == [0.0, 0.0, 0.0]
    assert row[11] == row[15] == 0


def test_moves_of_long_ago_count_as_long_ago() -> None:
    rows = packed({"moved_at": 0}, {"moved_at": 10**16}).words.reshape(2, -1)
    assert rows[:, 3].tolist() == [-(1 << 30), 0]


def test_nothing_gives_nothing() -> None:
    found = EntityPacker().pack(Entities(486).picture(), LOOKS)
    assert (len(found.words), len(found.in_sight(CAMERA)), looked_at(found, CAMERA, 0, np.arange(0))) == (0, 0, -1)


@pytest.mark.parametrize("seed", range(4))
def test_nobody_whose_corner_is_in_the_picture_is_left_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = rng.uniform(-40, 40, (300, 3)) + np.array([0, 65, 0])
    entities = snapshot([
        {
            "at": tuple(place),
            "before": tuple(place + rng.uniform(-4, 4, 3)),
            "moved_at": int(rng.integers(0, GLIDE_US)),
            "size": tuple(rng.uniform(0.2, 5, 2)),
        }
        for place in places
    ])  # fmt: skip
    found = EntityPacker().pack(entities, LOOKS)
    camera = replace(CAMERA, yaw_deg=float(rng.uniform(-180, 180)), pitch_deg=float(rng.uniform(-60, 60)))
    feet = positions_at(entities, np.arange(300), GLIDE_US // 2)
    planes, seen = camera.planes(), np.zeros(300, np.bool_)
    for x, y, z in np.ndindex(2, 2, 2):
        corner = feet + np.array([x - 0.5, y, z - 0.5]) * entities.size[:, [0, 1, 0]]
        seen |= ((corner - camera.eye) @ planes[:, :3].T + planes[:, 3] >= 0).all(axis=1)
    there = found.in_sight(camera)
    assert set(np.flatnonzero(seen).tolist()) <= set(there.tolist())
    assert len(there) < 200, "all of them is no choice"


def test_names_are_plain_text() -> None:
    assert shown_name("§cRed §lKnight§r") == "Red Knight"
    assert shown_name("a\n\n  b  \nc\nd") == "a\nb\nc"
    assert shown_name("x" * 500) == "x" * 37 + "..."
    assert shown_name("§") == shown_name("\n") == ""


def test_labels_stay_the_same_object_while_they_say_the_same() -> None:
    tags, camera = NameTags(), replace(CAMERA, pitch_deg=-80.0)
    ada = {"at": (0.5, 64.0, 8.0), "name": "Ada", "name_always": True}
    first = tags.labels(packed(ada), camera, 0)
    assert first is not None
    assert tuple(first.texts) == ("Ada",)
    assert first.points[0] == pytest.approx([0.5, 64.0 + 1.4 + 0.3, 8.0])
    assert tags.labels(packed(ada), camera, 10**9) is first
    assert tags.labels(packed({**ada, "at": (0.5, 64.5, 8.0)}), camera, 0) is not first
    assert tags.labels(packed({**ada, "name_always": False}), camera, 0) is None
    assert tags.labels(packed({**ada, "name": "§"}), camera, 0) is None


def test_the_nearest_box_in_the_middle_is_looked_at() -> None:
    found = packed(
        {"at": (0.5, 64.0, 20.0)}, {"at": (0.5, 64.0, 9.0)}, {"at": (3.5, 64.0, 5.0)}, {"at": (0.5, 64.0, -5.0)}
    )
    every = np.arange(4)
    assert looked_at(found, CAMERA, 0, every) == 1
    assert looked_at(found, CAMERA, 0, every[:1]) == -1, "another stands before it"
    assert looked_at(found, replace(CAMERA, pitch_deg=-60.0), 0, every) == -1
    assert looked_at(found, replace(CAMERA, yaw_deg=180.0), 0, every) == 3
    assert looked_at(found, replace(CAMERA, ortho_blocks=10.0), 0, every) == -1


def test_what_is_kept_of_one_snapshot_is_right_for_the_next() -> None:
    """Each field that changes between two is another one in what is packed, whatever was kept."""
    before = snapshot([{"block": 3}, {"kind": "minecraft:pig", "at": (1.0, 2.0, 3.0)}, {"painting": "Pool"}])
    changes: list[dict[str, object]] = [
        {"rows": before.rows + np.uint32(5)}, {"kind": before.kind[::-1]}, {"size": before.size * 2},
        {"block": before.block[::-1]}, {"item": ~before.item}, {"painting": ("Pool", "", "")},
        {"direction": before.direction + np.int8(1)}, {"position": before.position + 1}, {"before": before.before + 1},
        {"angles": before.angles + 45}, {"angles_before": before.angles_before + 45}, {"kinds": ("a", "b")},
        {"moved_at": before.moved_at + np.arange(3)}, {"teleported": ~before.teleported},
    ]  # fmt: skip
    packer = EntityPacker()
    for change in changes:
        packer.pack(before, LOOKS)
        kept, new = packer.pack(replace(before, **change), LOOKS), EntityPacker().pack(replace(before, **change), LOOKS)
        assert np.array_equal(kept.words, new.words), change
        assert np.array_equal(kept.radii, new.radii)
        assert np.array_equal(kept.middles, new.middles)
        assert np.array_equal(kept.has_two, new.has_two)
    assert not np.array_equal(packer.pack(before, LOOKS).words, packer.pack(before, LOOKS[::-1].copy()).words)
