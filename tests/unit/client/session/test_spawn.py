"""What a session says and believes of the dimension it enters: announced ranges, loading screens, what was pinned.

Dimensions: Vertical ranges that a server announces, and what becomes of those that make no sense.
"""

from typing import Any

import pytest

from client.player import Eye, PlayerConfig, View
from client.session.config import SessionConfig
from client.session.movement import FLAG_UP, FLAG_WANT_DOWN, FLAG_WANT_UP, Motion
from client.session.session import Session
from client.session.spawn import Dimensions
from client.streaming.anchors import Anchor
from net.bedrock import (
    ChangeDimension,
    CorrectPlayerMovePrediction,
    DimensionData,
    DimensionDefinition,
    LevelChunk,
    Message,
    MoveMode,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    PlayerAuthInput,
    PlayStatus,
    ServerboundLoadingScreen,
)
from net.space import END, NETHER, OVERWORLD, BlockPos, ColumnPos, Dimension
from tests.support.session.driven import HERE, Driven, asked, received, skeleton, start_game
from tests.support.session.virtual import palette

# ---------------------------------------------------------------- spawn

# ---------------------------------------------------------------- entering

TALL = DimensionData((DimensionDefinition("minecraft:overworld", -128, 512),))


SPOT = Anchor.square(ColumnPos(1, 1), 0)
EYE = Eye(24.0, 90.0, 24.0)


def screens(messages: list[Message]) -> list[ServerboundLoadingScreen]:
    return [message for message in messages if isinstance(message, ServerboundLoadingScreen)]


# ------------------------------------------------------------ ranges


def test_a_range_told_before_the_game_starts_is_the_stores() -> None:
    driven = Driven()
    driven.receive(TALL)
    driven.join()
    assert (
        driven.session.dimension.store.dimension.floor_section,
        driven.session.dimension.store.dimension.sections,
    ) == (-8, 40)
    assert asked(driven.receive(skeleton(limit=None))) == {(0, y, 0) for y in range(-8, 32)}


def test_a_range_told_before_the_first_column_holds_at_once_and_keeps_the_circle() -> None:
    driven = Driven()
    driven.receive(start_game(), NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64), TALL, PlayStatus(3))
    assert driven.session.dimension.store.dimension.sections == 40
    assert len(asked(driven.receive(skeleton(limit=None)))) == 40
    driven.receive(skeleton(HERE._replace(x=20)))
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64))
    assert set(driven.session.dimension.store.row_of) == {HERE}


def test_a_range_told_after_columns_is_a_fault_and_holds_at_the_next_change() -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton(), TALL)
    assert driven.session.dimension.store.dimension.sections == 24
    assert HERE in driven.session.dimension.store.row_of
    stats = driven.session.stats(driven.now)
    assert stats.faulty_packets == 1
    assert "overworld" in stats.last_fault
    driven.receive(ChangeDimension(1, (8.0, 70.0, 8.0), False), ChangeDimension(0, (8.0, 70.0, 8.0), False))
    assert driven.session.dimension.store.dimension.sections == 40


def test_a_range_of_another_dimension_waits_for_it_in_peace() -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton(), DimensionData((DimensionDefinition("minecraft:nether", 0, 256, 3),)))
    assert HERE in driven.session.dimension.store.row_of
    driven.receive(ChangeDimension(1, (8.0, 70.0, 8.0), False), PlayStatus(3))
    assert driven.session.dimension.store.dimension.sections == 16
    assert len(asked(driven.receive(LevelChunk(HERE, 1, None, None, None, b"\x01\x02" * 16 + b"\x00")))) == 16


def test_a_custom_dimension_is_entered_by_its_number() -> None:
    driven = Driven()
    driven.receive(DimensionData((DimensionDefinition("acme:attic", 0, 64, kind=1000),)))
    driven.join(dimension=1000)
    store = driven.session.dimension.store
    assert (store.dimension.number, store.dimension.name, store.dimension.sections) == (1000, "acme:attic", 4)


def test_a_nonsense_range_is_counted_and_the_usual_one_stays() -> None:
    driven = Driven()
    driven.receive(DimensionData((DimensionDefinition("minecraft:overworld", 512, -128),)))
    driven.join()
    assert driven.session.dimension.store.dimension.sections == 24
    stats = driven.session.stats(driven.now)
    assert stats.faulty_packets == 1
    assert "reaches from 512 to -128" in stats.last_fault


# ------------------------------------------------------------ loading screens


def test_the_first_screen_has_no_id_and_ends_when_the_player_is_let_in() -> None:
    driven = Driven(protocol=712)
    assert screens(driven.receive(start_game())) == [ServerboundLoadingScreen(1)]
    assert screens(driven.receive(skeleton())) == []
    assert screens(driven.receive(PlayStatus(3))) == [ServerboundLoadingScreen(2)]
    assert screens(driven.receive(PlayStatus(3))) == []


def test_a_change_of_dimension_is_told_with_the_servers_id() -> None:
    driven = Driven(protocol=2193)
    driven.join()
    assert screens(driven.receive(ChangeDimension(1, (8.0, 70.0, 8.0), False, 41))) == [ServerboundLoadingScreen(1, 41)]
    assert screens(driven.receive(PlayStatus(3))) == [ServerboundLoadingScreen(2, 41)]


def test_a_screen_that_another_one_replaces_is_not_ended() -> None:
    driven = Driven(protocol=712)
    driven.join()
    said = driven.receive(
        ChangeDimension(1, (8.0, 70.0, 8.0), False, 41), ChangeDimension(0, (8.0, 70.0, 8.0), False, 42), PlayStatus(3)
    )
    assert screens(said) == [
        ServerboundLoadingScreen(1, 41),
        ServerboundLoadingScreen(1, 42),
        ServerboundLoadingScreen(2, 42),
    ]


def test_before_712_nobody_speaks_of_screens() -> None:
    driven = Driven(protocol=686)
    assert screens(driven.join()) == []
    assert screens(driven.receive(ChangeDimension(1, (8.0, 70.0, 8.0), False), PlayStatus(3))) == []


# ------------------------------------------------------------ what was pinned


@pytest.mark.parametrize("hashes", [False, True])
def test_what_is_pinned_before_the_game_starts_stays_pinned(hashes: bool) -> None:
    """Hashed ids give a session another realm, since blocks are others."""
    session = Session(SessionConfig(radius=2, protocol=582), palette(582), 0.0)
    session.pin("tower", SPOT, EYE)
    session.pin("whole", SPOT)
    session.pin("given up", SPOT)
    session.unpin("given up")
    realm = session.dimension
    session.handle(received(start_game(ids_are_hashes=hashes)), 0.0)
    assert (session.dimension is not realm) == hashes
    assert {name: (pin.anchor, pin.eye) for name, pin in session.anchors.pins.items()} == {
        "tower": (SPOT, EYE),
        "whole": (SPOT, None),
    }
    for message in (PlayStatus(3), skeleton(ColumnPos(1, 1), limit=None)):
        session.handle(received(message, 1.0), 1.0)
    session.tick(1.0)
    assert {(1, y, 1) for y in range(-4, 20)} <= asked(session.outbox.take())
    assert session.stats(1.0).pins == 2
    session.unpin("whole")
    assert "whole" not in session.anchors.pins


def test_what_is_pinned_is_kept_in_the_dimension_that_one_comes_to() -> None:
    driven = Driven(radius=2)
    driven.join()
    driven.session.pin("whole", SPOT)
    assert {(1, y, 1) for y in range(-4, 20)} <= asked(driven.receive(skeleton(ColumnPos(1, 1), limit=None)))
    driven.receive(ChangeDimension(1, (8.0, 70.0, 8.0), False), PlayStatus(3))
    column = LevelChunk(ColumnPos(1, 1), 1, None, None, None, b"\x01\x02" * 8 + b"\x00")
    assert {(1, y, 1) for y in range(8)} <= asked(driven.receive(column))


# ---------------------------------------------------------------- dimensions


def heard(*definitions: DimensionDefinition) -> tuple[Dimensions, list[str]]:
    dimensions = Dimensions()
    return dimensions, dimensions.receive(DimensionData(definitions))


@pytest.mark.parametrize(
    ("identifier", "usual"),
    [("minecraft:overworld", OVERWORLD), ("minecraft:nether", NETHER), ("minecraft:the_end", END)],
)
def test_a_usual_dimension_gets_the_announced_range_and_keeps_its_sky(identifier: str, usual: Dimension) -> None:
    dimensions, faults = heard(DimensionDefinition(identifier, -128, 512, generator=5, kind=77))
    assert not faults
    assert dimensions.of(usual.number) == Dimension(usual.number, usual.name, -8, 40, usual.has_sky)
    others = {OVERWORLD, NETHER, END} - {usual}
    assert {dimensions.of(other.number) for other in others} == others


@pytest.mark.parametrize(("generator", "has_sky"), [(1, True), (2, True), (3, False), (4, False), (5, True)])
def test_a_dimension_of_the_servers_own_has_the_number_and_the_sky_it_says(generator: int, has_sky: bool) -> None:
    dimensions, faults = heard(DimensionDefinition("acme:attic", 0, 256, generator, kind=1000))
    assert not faults
    assert dimensions.of(1000) == Dimension(1000, "acme:attic", 0, 16, has_sky)


def test_a_range_that_cuts_a_sub_chunk_is_widened() -> None:
    dimensions, faults = heard(DimensionDefinition("minecraft:overworld", -65, 321))
    assert not faults
    overworld = dimensions.of(0)
    assert (overworld.floor_y_blocks, overworld.roof_y_blocks) == (-80, 336)


@pytest.mark.parametrize(
    ("low", "high", "why"),
    [
        (64, 64, "which is empty"),
        (320, -64, "which is empty"),
        (0, 32, "fewer than 3 sub-chunks"),
        (-2049, 0, "beyond the possible sub-chunks"),
        (0, 2049, "beyond the possible sub-chunks"),
        (-(1 << 31), (1 << 31) - 1, "beyond the possible sub-chunks"),
    ],
)
def test_nonsense_is_told_and_costs_only_itself(low: int, high: int, why: str) -> None:
    dimensions, faults = heard(
        DimensionDefinition("minecraft:overworld", low, high), DimensionDefinition("minecraft:nether", 0, 256)
    )
    (fault,) = faults
    assert fault.startswith(f"DimensionData.definitions[0]: 'minecraft:overworld' reaches from {low} to {high}")
    assert why in fault
    assert dimensions.of(0) == OVERWORLD
    assert dimensions.of(1).sections == 16


def test_all_that_a_signed_byte_can_number_is_held() -> None:
    dimensions, faults = heard(DimensionDefinition("minecraft:overworld", -2048, 2048))
    assert not faults
    assert dimensions.of(0).sections == 256


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_a_name_without_a_number_is_told(kind: int) -> None:
    dimensions, (fault,) = heard(DimensionDefinition("acme:attic", 0, 256, kind=kind))
    assert fault == "DimensionData.definitions[0]: 'acme:attic' has no dimension number"
    assert dimensions.of(kind).name != "acme:attic"


def test_the_last_announcement_holds() -> None:
    dimensions, _ = heard(DimensionDefinition("minecraft:overworld", -128, 512))
    assert not dimensions.receive(DimensionData((DimensionDefinition("minecraft:overworld", 0, 128),)))
    assert dimensions.of(0).sections == 8


# ---------------------------------------------------------------- movement


def motion(movement_mode: int = 2, **start: Any) -> Motion:
    made = Motion(PlayerConfig(), 0.05, 0.0)
    made.start(start_game(movement_mode=movement_mode, runtime_id=7, position=(8.0, 70.0, 8.0), **start))
    return made


def test_a_ruling_server_hears_every_tick_with_a_rising_number() -> None:
    made = motion()
    sent = [message for step in range(11) for message in made.tick(step * 0.025)]
    assert [type(m) for m in sent] == [PlayerAuthInput] * 6
    assert [m.tick for m in sent if isinstance(m, PlayerAuthInput)] == [1, 2, 3, 4, 5, 6]


def test_where_the_client_rules_only_changes_are_told() -> None:
    made = motion(movement_mode=0)
    first = made.tick(0.0)
    assert first == []
    made.look(View(Eye(8.0, 70.0, 9.0), 90.0, 10.0))
    made.tick(0.05)
    (told,) = made.tick(0.10)
    assert isinstance(told, MovePlayer)
    assert (told.runtime_id, told.yaw, told.pitch) == (7, 90.0, 10.0)
    assert told.position[2] > 8.0


@pytest.mark.parametrize(
    ("target", "flags"),
    [
        (Eye(8, 70, 8), 0),
        (Eye(8, 70, 20), FLAG_UP),
        (Eye(8, 90, 8), FLAG_WANT_UP),
        (Eye(20, 50, 8), FLAG_UP | FLAG_WANT_DOWN),
    ],
)
def test_flags_say_which_keys_would_do_this(target: Eye, flags: int) -> None:
    made = motion()
    made.look(View(target))
    made.tick(0.0)
    (told,) = made.tick(0.05)
    assert isinstance(told, PlayerAuthInput)
    assert told.flags == flags
    assert told.delta == pytest.approx([a - b for a, b in zip(told.position, (8, 70, 8), strict=True)])


def test_teleports_of_ours_are_obeyed_and_moves_of_others_are_not() -> None:
    made = motion()
    assert not made.moved_by_server(MovePlayer(9, (0, 0, 0), 0, 0, 0, MoveMode.TELEPORT))
    assert not made.moved_by_server(MovePlayer(7, (0, 0, 0), 0, 0, 0, MoveMode.NORMAL))
    assert made.moved_by_server(MovePlayer(7, (100, 80, 100), 0, 0, 0, MoveMode.TELEPORT))
    assert made.player.position == Eye(100, 80, 100)


@pytest.mark.parametrize(
    ("mode", "camera", "seen"),
    [
        (MoveMode.TELEPORT, Eye(8, 70, 8), Eye(100, 80, 100)),
        (MoveMode.TELEPORT, Eye(8, 70, 13), Eye(8, 70, 13)),  # the player is still on its way there
        (MoveMode.RESET, Eye(8, 70, 8), Eye(8, 70, 8)),
    ],
)
def test_a_teleport_takes_the_view_along_that_was_with_the_player(mode: MoveMode, camera: Eye, seen: Eye) -> None:
    made = motion()
    made.look(View(camera, 90.0, 10.0))
    assert made.moved_by_server(MovePlayer(7, (100, 80, 100), 0, 0, 0, mode))
    assert made.view == View(seen, 90.0, 10.0)
    assert made.player.position == Eye(100, 80, 100)


def test_a_correction_holds_the_player() -> None:
    made = motion()
    made.look(View(Eye(50, 70, 8)))
    made.corrected(CorrectPlayerMovePrediction((8, 70, 8), (0, 0, 0), on_ground=False, tick=3))
    made.tick(0.05)
    assert made.player.held_at == Eye(8, 70, 8)
