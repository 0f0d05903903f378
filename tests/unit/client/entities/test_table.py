"""Entities are what the server last said of them, and nothing that it says of them costs more than that one packet.

Metadata: by name, as JSON; kept as bytes.
"""

import copy
import math
from typing import Any

import numpy as np
import pytest

from client.entities import GLIDE_US, EntityPicture
from client.entities import table as entities
from client.entities.metadata import FLAGS, HAS_BLOCK, KEYS, MORE_FLAGS, flags_of, named, packed, unpacked
from client.entities.table import Entities
from net.bedrock import (
    AddActor,
    AddItemActor,
    AddPainting,
    AddPlayer,
    ChangeDimension,
    EntityLink,
    EntityValue,
    ItemStack,
    ListedPlayer,
    Message,
    MoveActorAbsolute,
    MoveActorDelta,
    MoveMode,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    PlayerList,
    PlayerListEntry,
    PlayerLocation,
    RemoveActor,
    SetActorData,
    SetActorLink,
    SetActorMotion,
    TakeItemActor,
)
from net.bedrock.packets.entity_values import ValueType
from net.errors import DecodeError
from net.nbt import Float
from net.palette import Palette
from net.peer import Faulty
from net.space import BlockPos, ColumnPos
from tests.support.session.driven import Driven, skeleton

PLACE = (1.5, 64.0, -2.5)
UUID = "01234567-89ab-cdef-0123-456789abcdef"


def joined(**config: Any) -> Driven:
    driven = Driven(**config)
    driven.join()
    return driven


def pig(at: int = 7, **fields: Any) -> AddActor:
    return AddActor(**{"unique_id": -at, "runtime_id": at, "type": "minecraft:pig", "position": PLACE, **fields})


def player(at: int = 7, **fields: Any) -> AddPlayer:
    return AddPlayer(**{"uuid": UUID, "name": "Ada", "unique_id": -at, "runtime_id": at, "position": PLACE, **fields})


def said(key: int, kind: int, value: Any) -> EntityValue:
    return EntityValue(key, kind, value)


def table(*messages: Message) -> Driven:
    driven = joined()
    driven.receive(*messages)
    return driven


def picture(driven: Driven) -> EntityPicture:
    return driven.session.entities.picture()


# ---------------------------------------------------------------- what comes


def test_a_session_without_entities_has_an_empty_picture() -> None:
    drawn = joined().session.entities.picture()
    assert len(drawn.rows) == 0
    assert drawn.kinds == ()


def test_one_that_comes_stands_where_the_server_says() -> None:
    drawn = picture(table(pig(yaw=90.0, head_yaw=45.0, pitch=10.0)))
    assert drawn.kinds == ("minecraft:pig",)
    assert drawn.kind.tolist() == [0]
    assert drawn.position.tolist() == drawn.before.tolist() == [list(PLACE)]
    assert drawn.angles.tolist() == [[10.0, 90.0, 45.0]]
    assert drawn.teleported.tolist() == [True]
    assert drawn.size.tolist() == pytest.approx(np.array([[0.9, 0.9]]))
    assert (drawn.block.tolist(), drawn.item.tolist(), drawn.name, drawn.painting) == ([-1], [False], ("",), ("",))


def test_a_type_that_nobody_knows_is_an_entity_like_any_other() -> None:
    driven = table(pig(type="acme:robot"))
    drawn = picture(driven)
    assert drawn.kinds == ("acme:robot",)
    assert drawn.size.tolist() == pytest.approx(np.array([[0.6, 0.6]]))
    (facts,) = driven.session.entities.rows(0.0, 0.0)
    assert not facts.size_known


def test_the_players_own_ids_are_none_of_them() -> None:
    driven = table(player(1, unique_id=5), pig(9, unique_id=1), MoveActorAbsolute(1, PLACE), SetActorData(1, ()))
    assert len(driven.session.entities) == 0
    assert not driven.session.entities.faults


def test_a_player_has_its_name_above_it() -> None:
    drawn = picture(table(player()))
    assert (drawn.name, drawn.name_always.tolist()) == (("Ada",), [True])


def test_an_item_shows_the_block_that_it_places() -> None:
    driven = table(AddItemActor(-7, 7, ItemStack(5, 1, block=7), PLACE), AddItemActor(-8, 8, ItemStack(5, 1), PLACE))
    block = driven.session.dimension.table.find(7)
    drawn = picture(driven)
    assert (drawn.item.tolist(), drawn.block.tolist()) == ([True, True], [block, -1])


def test_a_painting_has_its_motif_and_direction() -> None:
    drawn = picture(table(AddPainting(-7, 7, PLACE, 3, "Kebab")))
    assert (drawn.painting, drawn.direction.tolist()) == (("Kebab",), [3])


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("minecraft:falling_block", (said(2, ValueType.INT, 7),)),
        ("minecraft:minecart", (said(16, ValueType.INT, 7), said(18, ValueType.BYTE, 1))),
    ],
)
def test_a_falling_block_and_a_minecarts_block_are_the_real_state(kind: str, values: tuple[EntityValue, ...]) -> None:
    driven = table(pig(type=kind, metadata=values))
    assert picture(driven).block.tolist() == [driven.session.dimension.table.find(7)]


def test_a_falling_block_of_air_is_invisible_but_for_its_name() -> None:
    air = Palette.for_protocol(486).air
    for runtime_id in (air, 7):
        values = (said(2, ValueType.INT, runtime_id), said(4, ValueType.STRING, "A text"))
        drawn = picture(table(pig(type="minecraft:falling_block", metadata=values)))
        assert (drawn.invisible.tolist(), drawn.name) == ([runtime_id == air], ("A text",))


def test_a_minecart_that_shows_no_block_has_none() -> None:
    values = (said(16, ValueType.INT, 7), said(18, ValueType.BYTE, 0))
    assert picture(table(pig(type="minecraft:minecart", metadata=values))).block.tolist() == [-1]


# ---------------------------------------------------------------- what moves


def test_a_move_leads_from_where_it_is_drawn() -> None:
    driven = table(pig())
    driven.receive(MoveActorAbsolute(7, (4.5, 64.0, -2.5)))
    drawn = picture(driven)
    assert drawn.position.tolist() == [[4.5, 64.0, -2.5]]
    assert drawn.before.tolist() == [list(PLACE)]
    assert drawn.teleported.tolist() == [False]
    driven.receive(MoveActorAbsolute(7, (7.5, 64.0, -2.5)))  # a third of the way later
    third = 0.05 / (GLIDE_US / 1e6)
    assert picture(driven).before[0, 0] == pytest.approx(1.5 + 3.0 * third)


def test_a_teleport_is_at_once() -> None:
    driven = table(pig())
    driven.receive(MoveActorAbsolute(7, (4.5, 64.0, -2.5), flags=2))
    assert picture(driven).teleported.tolist() == [True]
    driven.receive(MoveActorAbsolute(7, (5.5, 64.0, -2.5)))
    assert picture(driven).before.tolist() == [[4.5, 64.0, -2.5]]


def test_what_a_delta_leaves_out_stays() -> None:
    driven = table(pig(yaw=90.0))
    driven.receive(MoveActorDelta(7, y=65.0), MoveActorDelta(7, head_yaw=180.0))
    drawn = picture(driven)
    assert drawn.position.tolist() == [[1.5, 65.0, -2.5]]
    assert drawn.angles.tolist() == [[0.0, 90.0, 180.0]]


def test_moves_of_players_are_eyes_and_positions_are_feet() -> None:
    driven = table(player())
    eye = (4.5, 65.62, -2.5)
    for message in (MovePlayer(7, eye, 0.0, 0.0, 0.0), MoveActorAbsolute(7, eye), MoveActorDelta(7, *eye)):
        driven.receive(MoveActorAbsolute(7, (0.0, 0.0, 0.0)), message)
        assert picture(driven).position[0].tolist() == pytest.approx([4.5, 64.0, -2.5])


def test_a_player_that_only_turns_stays_where_it_is() -> None:
    driven = table(player())
    driven.receive(MovePlayer(7, (9.0, 9.0, 9.0), 1.0, 2.0, 3.0, MoveMode.ROTATION))
    drawn = picture(driven)
    assert drawn.position.tolist() == [list(PLACE)]
    assert drawn.angles.tolist() == [[1.0, 2.0, 3.0]]


def test_who_rides_stands_on_its_vehicle() -> None:
    driven = table(
        pig(7, type="minecraft:boat"),
        pig(8, position=(90.0, 90.0, 90.0), metadata=(said(56, ValueType.VECTOR, (0.0, 0.5, 0.0)),)),
        SetActorLink(EntityLink(-7, -8, 1)),
    )
    driven.receive(MoveActorAbsolute(7, (4.5, 64.0, -2.5)))
    drawn = picture(driven)
    assert drawn.position.tolist() == [[4.5, 64.0, -2.5], [4.5, 64.5, -2.5]]
    assert drawn.moved_at[0] == drawn.moved_at[1]
    driven.receive(SetActorLink(EntityLink(-7, -8, 0)))
    assert picture(driven).position[1].tolist() == [90.0, 90.0, 90.0]


def test_the_picture_is_the_same_object_until_something_changes() -> None:
    driven = table(pig())
    before = picture(driven)
    driven.tick()
    assert picture(driven) is before
    driven.receive(MoveActorDelta(7, y=65.0))
    assert picture(driven).version != before.version
    assert before.position.tolist() == [list(PLACE)]
    with pytest.raises(ValueError, match="read-only"):
        before.position[0] = 0.0


def test_what_moves_leave_as_it_is_has_the_same_arrays() -> None:
    driven = table(pig(), pig(8))
    before = picture(driven)
    driven.receive(MoveActorAbsolute(7, (2.5, 64.0, -2.5)))
    moved = picture(driven)
    assert moved.position is not before.position
    assert all(getattr(moved, name) is getattr(before, name) for name in ("rows", "kind", "size", "block", "item"))
    driven.receive(SetActorData(7, (EntityValue(53, ValueType.FLOAT, 3.0),)))
    assert picture(driven).size[:, 0].tolist() == [3.0, before.size[1, 0]]
    assert before.size[0, 0] != 3.0
    driven.receive(RemoveActor(-8))
    assert len(picture(driven).size) == 1


# ---------------------------------------------------------------- what is said of one


def test_metadata_says_size_and_name_and_what_it_leaves_out_stays() -> None:
    sizes = (said(53, ValueType.FLOAT, 2.0), said(54, ValueType.FLOAT, 3.0), said(38, ValueType.FLOAT, 0.5))
    driven = table(pig(metadata=(*sizes, said(4, ValueType.STRING, "Bessie"))))
    drawn = picture(driven)
    assert (drawn.size.tolist(), drawn.name, drawn.name_always.tolist()) == ([[1.0, 1.5]], ("Bessie",), [False])
    driven.receive(SetActorData(7, (said(38, ValueType.FLOAT, 2.0), said(81, ValueType.BYTE, 1))))
    drawn = picture(driven)
    assert (drawn.size.tolist(), drawn.name, drawn.name_always.tolist()) == ([[4.0, 6.0]], ("Bessie",), [True])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, 0.0, 1e30])
def test_a_size_that_is_none_is_the_types(bad: float) -> None:
    values = tuple(said(key, ValueType.FLOAT, bad) for key in (38, 53, 54))
    assert picture(table(pig(metadata=values))).size.tolist() == pytest.approx(np.array([[0.9, 0.9]]))


@pytest.mark.parametrize("kind", [ValueType.INT, ValueType.STRING, ValueType.VECTOR])
def test_values_of_unexpected_types_are_shown_and_believed_as_far_as_they_go(kind: int) -> None:
    value = {ValueType.INT: -5, ValueType.STRING: "x", ValueType.VECTOR: (1.0, 2.0, 3.0)}[kind]
    driven = table(pig(metadata=tuple(said(key, kind, value) for key in (0, 2, 4, 38, 53, 54, 56, 81, 92))))
    assert len(driven.session.entities.rows(0.0, 0.0)) == 1


@pytest.mark.parametrize("kind", ["minecraft:cow", "minecraft:falling_block", "minecraft:minecart"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 3e38])
def test_numbers_that_are_none_end_no_session(kind: str, bad: float) -> None:
    """Flags and blocks that are floats without a value were made whole numbers, which ended the program."""
    keys = set(KEYS) - {FLAGS, MORE_FLAGS}
    driven = table(pig(type=kind, metadata=(said(HAS_BLOCK, ValueType.BYTE, 1),)))
    for key in sorted(KEYS):
        driven.receive(SetActorData(7, (said(key, ValueType.FLOAT, bad),)))
    (facts,) = driven.session.entities.rows(0.0, 0.0)
    assert {KEYS[key] for key in keys} <= set(facts.metadata)
    assert len(picture(driven).rows) == 1


def test_all_that_is_known_of_one_is_told() -> None:
    driven = table(pig(), SetActorMotion(7, (0.5, 0.0, 0.0)), SetActorData(7, (said(3, ValueType.BYTE, 6),)))
    number = int(picture(driven).rows[0])
    (facts,) = [one for one in driven.session.entities.rows(0.0, 0.0) if one.number == number]
    assert (facts.type, facts.unique_id, facts.runtime_id) == ("minecraft:pig", -7, 7)
    assert (facts.velocity, facts.metadata) == ((0.5, 0.0, 0.0), {"colour": 6})


# ---------------------------------------------------------------- what goes


def test_one_that_is_removed_is_gone_and_the_others_keep_their_numbers() -> None:
    driven = table(pig(7), pig(8), pig(9))
    numbers = dict(zip((7, 8, 9), picture(driven).rows.tolist(), strict=True))
    driven.receive(RemoveActor(-7))
    left = {facts.runtime_id: facts.number for facts in driven.session.entities.rows(0.0, 0.0)}
    assert left == {8: numbers[8], 9: numbers[9]}
    driven.receive(MoveActorAbsolute(9, (0.0, 1.0, 2.0)), pig(7))
    facts = {one.runtime_id: one for one in driven.session.entities.rows(0.0, 0.0)}
    assert facts[9].at == (0.0, 1.0, 2.0)
    assert facts[7].number not in numbers.values()


def test_another_dimension_drops_all_and_ids_begin_anew() -> None:
    driven = table(pig(7), player(8))
    driven.receive(ChangeDimension(1, PLACE, False))
    assert len(driven.session.entities) == 0
    driven.receive(pig(7))
    assert not driven.session.entities.faults


def test_one_goes_with_its_column() -> None:
    driven = joined()
    far = (16 * 40 + 8.0, 64.0, 8.0)
    driven.receive(skeleton(), skeleton(ColumnPos(40, 0)), pig(7), pig(8, position=far))
    driven.session.set_view(driven.session.movement.view)
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(8, 64, 8), 64))
    entities_ = driven.session.entities
    assert [facts.runtime_id for facts in entities_.rows(0.0, 0.0)] == [7]
    assert [(gone.unique_id, gone.type) for gone in entities_.gone()] == [(-8, "minecraft:pig")]
    driven.receive(MoveActorAbsolute(8, far))
    assert entities_.faults == {"said_after_gone": 1}
    driven.receive(RemoveActor(-8))
    assert entities_.gone() == ()
    assert "remove_without_add" not in entities_.faults


# ---------------------------------------------------------------- bad input


def test_ids_that_come_again_stand_for_the_new_one_and_are_counted() -> None:
    driven = table(pig(7), pig(7, type="minecraft:cow"))
    driven.receive(AddActor(-7, 70, "minecraft:bat", PLACE), RemoveActor(-7))
    assert len(driven.session.entities) == 0
    assert driven.session.entities.faults == {"id_reused": 2}


def test_what_is_said_of_nobody_is_counted_and_kept_for_whoever_asks() -> None:
    driven = table(MoveActorDelta(5, y=1.0), MovePlayer(6, PLACE, 0.0, 0.0, 0.0), SetActorData(7, ()), RemoveActor(-9))
    faults = driven.session.entities.faults
    assert faults == {"move_without_add": 2, "data_without_add": 1, "remove_without_add": 1}
    last = driven.session.entities.last_faults()
    assert [(fault.what, fault.runtime_id, fault.unique_id) for fault in last][-1] == ("remove_without_add", None, -9)


def test_taking_an_item_and_motion_of_nobody_cost_nothing_else() -> None:
    driven = table(pig(), TakeItemActor(99, 7), SetActorMotion(98, PLACE), SetActorLink(EntityLink(-97, -96, 1)))
    assert len(driven.session.entities) == 1


def test_more_than_are_tracked_are_counted_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entities, "MOST_ENTITIES", 3)
    driven = table(*(pig(at) for at in range(10, 15)))
    assert len(driven.session.entities) == 3
    assert driven.session.entities.refused == 2
    assert driven.session.stats(driven.now).warnings[-1].startswith("2 entities were left out")
    driven.receive(RemoveActor(-10), pig(20))
    assert len(driven.session.entities) == 3


def test_a_million_adds_of_one_id_take_one_row() -> None:
    """A thousand of them: each replaces the one before."""
    driven = table(*(pig(7, type=f"acme:{at}") for at in range(1000)))
    assert len(driven.session.entities) == 1
    assert driven.session.entities.faults["id_reused"] == 999
    assert len(driven.session.entities.last_faults()) == entities.KEPT_FAULTS


def test_moves_of_one_turn_do_not_wait_without_end() -> None:
    driven = table(pig())
    entities_ = driven.session.entities
    for step in range(entities.MOST_WAITING + 5):
        entities_.receive(MoveActorDelta(7, x=float(step)), 1, driven.now)
    assert entities_.moves == entities.MOST_WAITING
    assert picture(driven).position[0, 0] == entities.MOST_WAITING + 4
    assert entities_.moves == entities.MOST_WAITING + 5


def test_types_names_and_metadata_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entities, "MOST_TYPES", 2)
    long = "x" * 5000
    much = (said(200, ValueType.STRING, "y" * (entities.METADATA_BYTES + 1)),)
    driven = table(
        pig(7, type=long), pig(8), pig(9, type="minecraft:cow"), player(10, name=long), pig(11, metadata=much)
    )
    kinds = driven.session.entities.kinds()
    assert set(kinds) == {"x" * entities.LONGEST_TYPE, "minecraft:pig", entities.OTHER_TYPES}
    assert max(map(len, picture(driven).name)) == entities.LONGEST_NAME
    faults = driven.session.entities.faults
    assert (faults["too_many_types"], faults["too_much_metadata"]) == (2, 1)


def test_values_that_come_in_many_packets_are_bounded_and_can_be_read() -> None:
    """More than a packet may hold were kept, and could not be read again: that ended the session."""
    driven = table(pig())
    for first in range(1000, 4000, 200):
        driven.receive(SetActorData(7, tuple(said(first + key, ValueType.BYTE, 1) for key in range(200))))
    driven.receive(SetActorData(7, (said(4, ValueType.STRING, "Bessie"),)))
    (facts,) = driven.session.entities.rows(0.0, 0.0)
    assert len(facts.metadata) == 201
    assert facts.name == "Bessie"
    assert driven.session.entities.faults == {"too_much_metadata": 14}


def test_velocities_and_seats_that_are_no_numbers_are_nought_and_counted() -> None:
    nowhere = (math.nan, math.inf, 0.0)
    driven = table(pig(velocity=nowhere, metadata=(said(56, ValueType.VECTOR, nowhere),)), SetActorMotion(7, nowhere))
    (facts,) = driven.session.entities.rows(0.0, 0.0)
    assert facts.velocity == (0.0, 0.0, 0.0)
    assert driven.session.entities.faults == {"no_number": 3}


def test_a_packet_that_does_not_decode_costs_only_itself() -> None:
    driven = table(pig())
    driven.session.handle(Faulty(DecodeError("AddActor", "position", 5, "is not a position"), 9), driven.now)
    driven.receive(pig(8))
    assert len(driven.session.entities) == 2
    assert driven.session.stats(driven.now).faulty_packets == 1


def test_nothing_is_taken_before_the_game_starts() -> None:
    driven = Driven()
    driven.receive(pig())
    assert len(driven.session.entities) == 0


# ---------------------------------------------------------------- who is on the server


def test_the_list_of_players_and_those_far_away_are_kept() -> None:
    driven = table(
        PlayerList((PlayerListEntry(UUID, ListedPlayer(-7, "Ada", colour=-1)),)),
        PlayerLocation(-7, PLACE),
    )
    (listed,) = driven.session.entities.players.values()
    assert (listed.name, listed.unique_id, listed.colour) == ("Ada", -7, -1)
    assert driven.session.entities.far == {-7: PLACE}
    driven.receive(PlayerList((PlayerListEntry(UUID),)), PlayerLocation(-7))
    assert not driven.session.entities.players
    assert not driven.session.entities.far
    assert driven.session.entities.title_of(-7) == "Ada", "what she built is still hers"


def test_titles_of_removed_ones_are_known_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entities, "MOST_REMOVED", 2)
    driven = table(player(7), pig(8), RemoveActor(-7), RemoveActor(-8))
    assert [driven.session.entities.title_of(at) for at in (-7, -8)] == ["Ada", "minecraft:pig"]
    driven.receive(pig(9), RemoveActor(-9))
    assert [driven.session.entities.title_of(at) for at in (-7, -8, -9)] == ["", "minecraft:pig", "minecraft:pig"]


# ---------------------------------------------------------------- copies


def test_a_copy_is_its_own() -> None:
    driven = table(pig(7), pig(8), MoveActorDelta(7, y=70.0))
    original: Entities = driven.session.entities
    made = copy.deepcopy(original)
    driven.receive(RemoveActor(-7), pig(9))
    assert [facts.runtime_id for facts in made.rows(0.0, 0.0)] == [7, 8]
    assert [facts.runtime_id for facts in original.rows(0.0, 0.0)] == [8, 9]
    assert made.picture().position[0, 1] == 70.0


# ---------------------------------------------------------------- metadata


def test_metadata_by_name() -> None:
    values = {
        value.key: value
        for value in (
            said(0, ValueType.LONG, 1 << 5 | 1 << 47),
            said(92, ValueType.LONG, 1 << 11),
            said(38, ValueType.FLOAT, math.nan),
            said(28, ValueType.BLOCK, BlockPos(1, 2, 3)),
            said(118, ValueType.COMPOUND, {"boxes": [{"MinX": Float(0.5)}]}),
            said(999, ValueType.STRING, "?"),
        )
    }
    assert named(values, 486) == {
        "flags": ["invisible", "has_collision", "sleeping"],
        "scale": "nan",
        "bed_position": [1, 2, 3],
        "hit_boxes": {"boxes": [{"MinX": 0.5}]},
        "999": "?",
    }
    assert list(unpacked(packed(values))) == list(values)


def test_later_flags_are_one_up_from_560_on() -> None:
    assert flags_of(1 << 46, 560) == ["can_dash"]
    assert flags_of(1 << 47, 557) == flags_of(1 << 48, 560) == ["has_collision"]
    assert flags_of(1 << 75, 557) == flags_of(1 << 76, 560) == ["sleeping"]


# ---------------------------------------------------------------- tracks


def test_tracks_are_the_moves_of_the_last_seconds_by_entity_and_time() -> None:
    driven = table(pig(7), player(8))
    for step in range(3):
        driven.now += 1.0
        x = float(step)
        driven.receive(MoveActorAbsolute(7, (x, 64.0, 0.0)), MovePlayer(8, (x, 65.62, 4.0), 0.0, 0.0, 0.0))
    tracks = driven.session.tracks()
    assert tracks.numbers.tolist() == [0, 0, 0, 1, 1, 1]
    assert tracks.positions.round(5).tolist() == [[x, 64.0, z] for z in (0.0, 4.0) for x in (0.0, 1.0, 2.0)]
    assert not tracks.teleported.any()
    driven.now += 3.5
    driven.session.now = driven.now
    assert len(driven.session.tracks().numbers) == 4, "the first are older than five seconds"
    driven.session.now += 5.0
    assert not len(driven.session.tracks().numbers)


def test_more_moves_than_are_kept_leave_the_last_ones() -> None:
    driven = table(pig(7))
    for many in (entities.KEPT_TRACK - 1, 3, entities.KEPT_TRACK + 5):
        driven.receive(*(MoveActorAbsolute(7, (0.001 * step, 64.0, 0.0)) for step in range(many)))
        driven.session.entities.apply()
    found = driven.session.tracks().positions[:, 0]
    assert len(found) == entities.KEPT_TRACK
    assert {round(x, 3) for x in found.tolist()} == {round(0.001 * step, 3) for step in range(5, many)}


def test_who_is_far_away_or_invisible_is_among_them() -> None:
    listed = PlayerListEntry(UUID, ListedPlayer(-9, "Ada"))
    hidden = pig(7, metadata=(said(0, ValueType.LONG, 1 << 5),))
    driven = table(PlayerList((listed,)), PlayerLocation(-9, (5000.0, 70.0, 0.0)), hidden, pig(8))
    tracks = driven.session.tracks()
    assert tracks.far == (("Ada", (5000.0, 70.0, 0.0)),)
    assert tracks.entities.invisible.tolist() == [True, False]
    driven.receive(PlayerList((PlayerListEntry(UUID, ListedPlayer(-9, "Eve")),)))
    assert driven.session.tracks().far == (("Eve", (5000.0, 70.0, 0.0)),)


def test_the_list_is_read_once_however_many_players_are_far_away() -> None:
    class Counted(dict[str, entities.KnownPlayer]):
        read = 0

        def values(self) -> Any:
            self.read += 1
            return super().values()

    many = range(entities.MOST_PLAYERS)
    driven = table(
        PlayerList(tuple(PlayerListEntry(UUID[:-4] + f"{at:04x}", ListedPlayer(at + 9, f"P{at}")) for at in many)),
        *(PlayerLocation(at + 9, PLACE) for at in many),
    )
    known = driven.session.entities
    known.players = counted = Counted(known.players)
    assert [name for name, _ in driven.session.tracks().far] == [f"P{at}" for at in many]
    driven.session.tracks()
    assert counted.read == 1
