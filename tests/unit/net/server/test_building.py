"""Players that build: what is done, what is refused and corrected, who is told, what a kill leaves."""

import re
from pathlib import Path

import pytest

from net.bedrock import (
    BlockAction,
    CommandOutput,
    CommandRequest,
    InventoryTransaction,
    ItemStack,
    ItemUse,
    LevelEvent,
    Message,
    PlayerAction,
    PlayerAuthInput,
    SetTime,
    Text,
    UpdateBlock,
    UpdateBlockSynced,
    UpdateSubChunkBlocks,
    UseItem,
)
from net.palette import BlockState, Palette
from net.server.building import BREAKS, MOST_CORRECTIONS, REPORT_EVERY_S, BuildRequest, Refusal, requests_in, turned
from net.server.commands import MOST_FILLED
from net.server.host import Host
from net.server.save.edit_log import LoggedEdit, edits_in, line_of
from net.server.worlds.world import FlatWorld
from net.space import BlockPos
from tests.support.servers.building import build_and_kill
from tests.support.session.plain_client import Talk, make_host

AIR = BlockState("minecraft:air")
GLASS = BlockState("minecraft:glass")
GRASS_Y = -61
EYE = (0.5, -60 + 1.62, 0.5)
HERE = BlockPos(2, GRASS_Y, 1)
UP = 1
PROTOCOLS = (486, 527, 712, 766, 944, 1001, 2168, 2193)


def joined(protocol: int = 486, host: Host | None = None, port: int = 50000) -> Talk:
    """A client that has the ground around it."""
    host = host or make_host(FlatWorld(), protocol=protocol)
    talk = Talk(host, protocol=protocol, port=port)
    talk.join(2)
    talk.ask_columns(range(-4, -2))
    talk.rest(0.5)
    talk.heard.clear()
    return talk


def glass(protocol: int) -> ItemStack:
    return ItemStack(20, 1, block=Palette.for_protocol(protocol).runtime_id_of(GLASS) or 0)


def placing(protocol: int, place: BlockPos = HERE, face: int = UP) -> InventoryTransaction:
    return InventoryTransaction(use=UseItem(0, place, face, glass(protocol), EYE))


def acting(**parts: object) -> PlayerAuthInput:
    return PlayerAuthInput(0.0, 0.0, EYE, (0.0, 0.0), 0.0, **parts)  # type: ignore[arg-type]


def say(talk: Talk, *messages: Message) -> None:
    for message in messages:
        talk.wire.send(message)
    talk.rest(0.3)


def changes(talk: Talk) -> list[tuple[BlockPos, int]]:
    """Where a client was told of which runtime id."""
    found = []
    for message in talk.heard:
        if isinstance(message, UpdateBlock | UpdateBlockSynced) and not message.layer:
            found.append((message.position, message.runtime_id))
        elif isinstance(message, UpdateSubChunkBlocks):
            found += [(change.position, change.runtime_id) for change in message.layer0]
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_client_of_any_release_places_and_breaks(protocol: int) -> None:
    talk = joined(protocol)
    above = HERE._replace(y=GRASS_Y + 1)
    say(talk, placing(protocol))
    assert talk.host.dimensions.start.block(above) == GLASS
    assert changes(talk) == [(above, glass(protocol).block)]
    talk.heard.clear()
    say(talk, acting(actions=(BlockAction(26, above, UP),)))
    assert talk.host.dimensions.start.block(above) == AIR
    assert changes(talk) == [(above, Palette.for_protocol(protocol).air)]
    say(talk, acting(use=ItemUse(UseItem(0, HERE, UP, glass(protocol), EYE))))
    assert talk.host.dimensions.start.block(above) == GLASS
    say(talk, InventoryTransaction(use=UseItem(2, above, UP)), PlayerAction(1, 13, HERE))
    assert talk.host.dimensions.start.block(above) == talk.host.dimensions.start.block(HERE) == AIR
    assert talk.of(Text) == []  # nothing was refused


@pytest.mark.parametrize("protocol", [486, PROTOCOLS[-1]])
@pytest.mark.parametrize(
    ("name", "face", "click_y", "look", "wanted"),
    [
        ("oak_stairs", 1, 1.0, (0.0, 0.0), {"weirdo_direction": 2, "upside_down_bit": False}),  # it looks south
        ("oak_stairs", 3, 0.8, (-90.0, 0.0), {"weirdo_direction": 0, "upside_down_bit": True}),
        ("bone_block", 5, 0.5, (0.0, 0.0), {"pillar_axis": "x"}),
        ("torch", 2, 0.5, (0.0, 0.0), {"torch_facing_direction": "south"}),
        ("torch", 1, 0.5, (0.0, 0.0), {"torch_facing_direction": "top"}),
        ("furnace", 1, 0.5, (170.0, 0.0), {"facing_direction": 3, "minecraft:cardinal_direction": "south"}),
        ("loom", 1, 0.5, (95.0, 0.0), {"direction": 3}),
        ("ladder", 4, 0.5, (0.0, 0.0), {"facing_direction": 4}),
        ("barrel", 1, 0.5, (0.0, 60.0), {"facing_direction": 1}),
        ("barrel", 1, 0.5, (0.0, 10.0), {"facing_direction": 2}),
        ("wooden_door", 1, 0.5, (0.0, 0.0), {"direction": 1, "minecraft:cardinal_direction": "west"}),
        ("trapdoor", 1, 0.5, (90.0, 0.0), {"direction": 0, "upside_down_bit": False}),
        ("bed", 1, 0.5, (90.0, 0.0), {"direction": 1}),
        ("glass", 1, 0.5, (0.0, 0.0), {}),
    ],
)
def test_directional_blocks_turn_to_who_places_them_or_to_the_face(
    protocol: int, name: str, face: int, click_y: float, look: tuple[float, float], wanted: dict[str, object]
) -> None:
    palette = Palette.for_protocol(protocol)
    first = next(state for state in palette.states if state.name == f"minecraft:{name}")
    found = turned(first, face, click_y, look)
    assert palette.runtime_id_of(found) is not None
    own = {key: value for key, value in dict(first.states).items() if key not in wanted}
    assert dict(found.states) == own | {key: value for key, value in wanted.items() if key in dict(first.states)}


@pytest.mark.parametrize("protocol", [486, PROTOCOLS[-1]])
@pytest.mark.parametrize(
    ("name", "bit", "second"),
    [
        ("wooden_door", "upper_block_bit", HERE._replace(y=HERE.y + 2)),
        ("bed", "head_piece_bit", BlockPos(HERE.x, HERE.y + 1, HERE.z + 1)),  # the player looks south
    ],
)
def test_a_door_or_bed_comes_and_goes_with_its_other_half(protocol: int, name: str, bit: str, second: BlockPos) -> None:
    talk, first = joined(protocol), HERE._replace(y=HERE.y + 1)
    palette = Palette.for_protocol(protocol)
    state = next(state for state in palette.states if state.name == f"minecraft:{name}" and not dict(state.states)[bit])
    place = InventoryTransaction(
        use=UseItem(0, HERE, UP, ItemStack(20, 1, block=palette.runtime_id_of(state) or 0), EYE)
    )
    talk.host.set_block(second, GLASS)
    say(talk, place)
    block = talk.host.dimensions.start.block
    assert (block(first), block(second)) == (AIR, GLASS)  # there is no room for it
    talk.host.set_block(second, AIR)
    for broken in (first, second):
        say(talk, place)
        halves = [talk.host.dimensions.start.block(at) for at in (first, second)]
        assert [(half.name, dict(half.states)[bit]) for half in halves] == [(state.name, False), (state.name, True)]
        say(talk, InventoryTransaction(use=UseItem(2, broken, UP)))
        assert talk.host.dimensions.start.block(first) == talk.host.dimensions.start.block(second) == AIR


def test_no_block_turns_into_one_that_its_release_does_not_have() -> None:
    for protocol in (486, PROTOCOLS[-1]):
        palette = Palette.for_protocol(protocol)
        firsts = {state.name: state for state in reversed(palette.states)}.values()
        made = {turned(first, face, 0.8, (yaw, 60.0)) for first in firsts for face in range(6) for yaw in (0.0, 90.0)}
        assert [state for state in made if palette.runtime_id_of(state) is None] == []


def test_who_has_the_place_is_told_and_nobody_else() -> None:
    near = joined()
    far = joined(host=near.host, port=50001)
    blind = Talk(near.host, port=50002, now=near.wire.now)
    blind.join(2)
    for talk in (near, far, blind):
        talk.heard.clear()
    say(near, placing(486))
    far.rest(0.2)
    blind.rest(0.2)
    assert len(changes(near)) == len(changes(far)) == 1
    assert changes(blind) == []  # it never asked for that sub-chunk


@pytest.mark.parametrize(
    ("message", "why", "corrected"),
    [
        (placing(486, HERE._replace(x=30)), Refusal.REACH, True),
        (placing(486, BlockPos(2, GRASS_Y - 1, 1)), Refusal.TAKEN, True),
        (InventoryTransaction(use=UseItem(2, BlockPos(400, -61, 0), UP)), Refusal.REACH, False),
        (InventoryTransaction(use=UseItem(2, BlockPos(2, -65, 1), UP)), Refusal.UNLOADED, False),
        (
            InventoryTransaction(use=UseItem(0, HERE, UP, ItemStack(20, 1, block=10**6))),
            Refusal.UNKNOWN,
            True,
        ),
    ],
)
def test_what_may_not_be_is_refused_counted_said_and_corrected(
    message: InventoryTransaction, why: Refusal, corrected: bool
) -> None:
    talk = joined()
    say(talk, message)
    assert bool(changes(talk)) == corrected
    (said,) = talk.of(Text)
    assert said.message == f"Your builds were refused: 1 {why.value}."  # type: ignore[attr-defined]


def test_start_and_finish_of_one_break_are_one_build() -> None:
    """Our own client sends both: it could break only half as many blocks a second as the server allows."""
    at_once = [BlockAction(action, HERE._replace(x=x), UP) for x in (2, 3) for action in BREAKS]
    assert requests_in(acting(actions=tuple(at_once))) == [BuildRequest(HERE), BuildRequest(HERE._replace(x=3))]


def test_a_thousand_builds_a_second_are_bounded_counted_and_said() -> None:
    talk = joined()
    for _ in range(1000):
        talk.wire.send(acting(actions=(BlockAction(26, HERE, UP), BlockAction(26, HERE._replace(x=3), UP))))
        talk.rest(0.001)
    talk.rest(REPORT_EVERY_S)
    assert [talk.host.dimensions.start.block(place) for place in (HERE, HERE._replace(x=3))] == [AIR, AIR]
    counts = [re.findall(rf"(\d+) {Refusal.RATE.value}", said.message) for said in talk.of(Text)]  # type: ignore[attr-defined]
    assert sum(int(count) for counted in counts for count in counted) > 1500
    assert 0 < len(talk.of(UpdateBlock)) < MOST_CORRECTIONS
    assert talk.closed is None


def test_an_edit_of_many_blocks_goes_in_few_packets() -> None:
    talk = joined()
    say(talk, CommandRequest("/fill 0 -60 0 7 -57 7 glass"))
    talk.rest(1.0)
    places = {place for place, _ in changes(talk)}
    assert len(places) == 8 * 4 * 8
    assert len(talk.of(UpdateSubChunkBlocks)) <= 4
    assert talk.host.dimensions.start.block(BlockPos(7, -57, 7)) == GLASS


def test_commands_change_the_world_and_answer() -> None:
    talk = joined()
    say(talk, CommandRequest("/setblock ~2 ~ ~ glass"), CommandRequest("/time set noon"))
    say(talk, CommandRequest("/weather rain"))
    assert talk.host.dimensions.start.block(BlockPos(2, -60, 0)) == GLASS
    assert talk.host.time == 6000
    assert talk.of(SetTime)
    assert talk.of(LevelEvent)
    outputs = [message for message in talk.heard if isinstance(message, CommandOutput)]
    assert [output.successes for output in outputs] == [1, 1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "/setblock 1 2 glass",
        "/setblock 0 -60 0 unobtainium",
        "/setblock 0 9999 0 glass",
        "/setblock nan 0 0 glass",
        "/setblock 0 0 0 glass[",
        f"/fill 0 -60 0 {MOST_FILLED} -60 0 glass",
        "/fill 0 0 0",
        "/time set never",
        "/weather",
        "/time " + "x" * 1000,
    ],
)
def test_commands_that_make_no_sense_are_refused_in_a_sentence(text: str) -> None:
    talk = joined()
    say(talk, CommandRequest(text))
    (output,) = [message for message in talk.heard if isinstance(message, CommandOutput)]
    assert output.successes == 0
    assert output.messages[0].text.endswith(".")


def test_lines_of_the_log_are_read_as_they_were_written() -> None:
    edits = [LoggedEdit(7, 0, BlockPos(1, -2, 3), 0, GLASS), LoggedEdit(7, 1, BlockPos(4, 5, 6), 1, AIR)]
    line = line_of(edits)
    assert edits_in(line.rstrip(b"\n")) == edits
    with pytest.raises(ValueError, match="checksum"):
        edits_in(line.replace(b"glass", b"grass").rstrip(b"\n"))


def test_kills_lose_no_build_that_a_client_was_told_of(tmp_path: Path) -> None:
    assert build_and_kill(tmp_path, kills=6, seed=1) > 0
