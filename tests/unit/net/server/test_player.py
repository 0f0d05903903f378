"""Players that cross into other dimensions: what they are told, in which order, and what is forgotten.

Player priority: One player's priorities.

Occlusion: What a player is sent when the server decides, by real sessions in virtual time.
"""

import itertools
import math

import numpy as np
import pytest

from client.session.config import SessionConfig
from net.bedrock import (
    ChangeDimension,
    ChunkRadiusUpdated,
    CommandMessage,
    CommandOrigin,
    CommandOutput,
    CommandRequest,
    LevelChunk,
    Message,
    MoveMode,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    PlayerAction,
    PlayStatus,
    RequestChunkRadius,
    SubChunkResult,
    UpdateBlock,
)
from net.palette import BlockState
from net.releases import ProtocolRange
from net.server.block_ids import LocalStates
from net.server.column_provider import ColumnProvider
from net.server.commands import COMMANDS
from net.server.dimensions import FORGOTTEN_S
from net.server.host import Host
from net.server.host_options import ColumnMode, HostOptions
from net.server.player import ACKNOWLEDGE_S, DONE, WrongCommand, read_command
from net.server.player_priority import EVERY_S, PlayerPriority, PlayerVisibility, Priorities, weights_of
from net.server.worlds.world import FlatWorld
from net.space import NETHER, OVERWORLD, BlockPos, ColumnPos, SubChunkPos
from tests.support.session.plain_client import UNIX_TIME, Talk, entropy, go_to, make_host
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.worlds.server import CAVE, SHAFT, TOP_Y, CaveWorld, three_dimensions

# ---------------------------------------------------------------- player

GLASS = BlockState("minecraft:glass")
EYE_Y = 1.62
AREA = 25


def joined(protocol: int = 486, port: int = 50000, talk: Talk | None = None) -> Talk:
    """A client with a radius of two, on a host of three dimensions or on that of another client."""
    host = talk.host if talk else three_dimensions(protocol=protocol)
    new = Talk(host, protocol=protocol, port=port, now=talk.wire.now if talk else 0.0)
    new.join(2)
    return new


def cross(talk: Talk, dimension: int, feet: tuple[float, float, float] | None = None, *, says: bool = True) -> None:
    """The first player goes there, and says that it has arrived."""
    talk.heard.clear()
    talk.columns.clear()
    talk.entries.clear()
    go_to(talk.host, 1, dimension, feet)
    assert talk.run(lambda: bool(talk.of(PlayStatus)))
    if says:
        talk.wire.send(PlayerAction(1, DONE))
    talk.rest(0.3)


def order(talk: Talk, *kinds: type) -> list[type]:
    """Of the messages of these kinds, one behind the other alike counted once."""
    found: list[type] = []
    for message in talk.heard:
        if type(message) in kinds and found[-1:] != [type(message)]:
            found.append(type(message))
    return found


def only(found: list[Message]) -> Message:
    (message,) = found
    return message


def test_a_player_that_crosses_is_told_where_it_is_then_sent_columns_then_let_in() -> None:
    talk = joined()
    cross(talk, 1, (100.5, 5.0, -20.5))
    told = (ChangeDimension, NetworkChunkPublisherUpdate, LevelChunk, PlayStatus, PlayerAction, ChunkRadiusUpdated)
    assert order(talk, *told) == [ChangeDimension, NetworkChunkPublisherUpdate, LevelChunk, PlayStatus]
    assert only(talk.of(ChangeDimension)) == ChangeDimension(1, (100.5, pytest.approx(5 + EYE_Y), -20.5), False)
    assert only(talk.of(NetworkChunkPublisherUpdate)) == NetworkChunkPublisherUpdate(BlockPos(100, 5, -21), 80)
    assert set(talk.columns) == {ColumnPos(6 + x, -2 + z) for x in range(-2, 3) for z in range(-2, 3)}
    assert {column.dimension for column in talk.columns.values()} == {None}  # not on the wire before 649
    assert talk.host.sessions[0].served.dimension.number == 1
    assert talk.of(MovePlayer) == []  # it did not jump


@pytest.mark.parametrize(("protocol", "screens"), [(554, [None, None]), (560, [None, None]), (975, [1, 2])])
def test_later_releases_are_told_a_screen_and_that_they_are_there(protocol: int, screens: list[int | None]) -> None:
    talk = joined(protocol)
    found = []
    for number in (2, 0):
        cross(talk, number)
        found.append(only(talk.of(ChangeDimension)).loading_screen_id)
        acted = [PlayerAction(1, DONE)] if protocol >= 560 else []
        assert talk.of(PlayerAction) == acted
        if protocol >= 649:
            assert {column.dimension for column in talk.columns.values()} == {number}
    assert found == screens


def test_answers_are_of_the_dimension_one_is_in() -> None:
    talk = joined()
    talk.host.set_block(BlockPos(3, 5, 4), GLASS, dimension=1)
    cross(talk, 1)
    talk.ask(SubChunkPos(0, 0, 0), [(0, 0, 0), (0, 7, 0), (0, 8, 0), (0, -1, 0), (9, 0, 0)], 1)
    talk.rest(0.3)
    codes = {(place.x, place.y): entry.result for place, entry in talk.entries.items()}
    out = SubChunkResult.Y_OUT_OF_BOUNDS
    assert codes == {
        (0, 0): SubChunkResult.SUCCESS,
        (0, 7): SubChunkResult.SUCCESS_ALL_AIR,
        (0, 8): out,
        (0, -1): out,
        (9, 0): SubChunkResult.CHUNK_NOT_FOUND,
    }
    talk.entries.clear()
    talk.ask(SubChunkPos(0, -4, 0), [(0, 0, 0)], 0)
    talk.rest(0.3)
    assert [entry.result for entry in talk.entries.values()] == [SubChunkResult.WRONG_DIMENSION]


def test_who_comes_back_is_where_it_was_and_is_sent_everything_again() -> None:
    talk = joined()
    talk.wire.send(MovePlayer(1, (40.5, -60 + EYE_Y, 8.5), 0.0, 0.0, 0.0))
    talk.rest(0.3)
    cross(talk, 1)
    cross(talk, 0)
    assert only(talk.of(ChangeDimension)).position == pytest.approx((40.5, -60 + EYE_Y, 8.5))
    assert len(talk.columns) == AREA
    talk.ask(SubChunkPos(2, -4, 0), [(0, 0, 0)])
    talk.rest(0.3)
    assert [entry.result for entry in talk.entries.values()] == [SubChunkResult.SUCCESS]


def test_an_edit_is_told_to_those_in_its_dimension_alone() -> None:
    above = joined()
    below = joined(port=50001, talk=above)
    place = BlockPos(3, 0, 4)
    go_to(above.host, 2, 1)
    assert below.run(lambda: len(below.of(PlayStatus)) == 3)
    below.rest(0.3)
    above.rest(1.0)
    for number in (0, 1):
        above.host.set_block(place, GLASS, dimension=number)
    for talk in (above, below):
        talk.rest(0.5)
    heard = [len(talk.of(UpdateBlock)) for talk in (above, below)]
    assert heard == [
        1,
        0,
    ]  # it has the air above its plain by the columns' limit, and did not ask for the Nether's floor
    below.ask(SubChunkPos(0, 0, 0), [(0, 0, 0)], 1)
    below.rest(0.3)
    above.host.set_block(place, GLASS, dimension=0)
    above.host.set_block(place._replace(x=5), GLASS, dimension=1)
    for talk in (above, below):
        talk.rest(0.5)
    assert [len(talk.of(UpdateBlock)) for talk in (above, below)] == [2, 1]


@pytest.mark.parametrize("x", [4000.5, 200.5])
def test_what_a_client_says_of_the_place_it_left_is_ignored_for_a_while(x: float) -> None:
    talk = joined()
    cross(talk, 1, (x, 5.0, 0.5), says=False)
    left = MovePlayer(1, (0.5, -60 + EYE_Y, 0.5), 0.0, 0.0, 0.0)
    talk.wire.send(left)
    talk.rest(0.3)
    assert talk.of(MovePlayer) == []
    assert len(talk.of(NetworkChunkPublisherUpdate)) == 1
    talk.wire.send(PlayerAction(1, DONE))
    talk.wire.send(MovePlayer(1, (x - 5000, 6.0, 0.5), 0.0, 0.0, 0.0))
    talk.rest(0.3)
    assert only(talk.of(MovePlayer)).position == pytest.approx((x, 5 + EYE_Y, 0.5))
    cross(talk, 0, says=False)
    talk.rest(ACKNOWLEDGE_S)
    talk.wire.send(MovePlayer(1, (x + 5000, 6.0, 0.5), 0.0, 0.0, 0.0))
    talk.rest(0.3)
    assert len(talk.of(MovePlayer)) == 1  # it never said that it was there, and is told where it is all the same


def test_what_no_sight_reaches_is_held_back_there_too() -> None:
    options = HostOptions(mode=ColumnMode.FULL, occlusion=True, columns_a_turn=200)
    nether, spoken = FlatWorld(dimension=NETHER), ProtocolRange.only(486)
    talk = Talk(Host(nether, options, spoken, 0.0, UNIX_TIME, entropy("server"), beside=[CaveWorld()]))
    talk.join(6)
    for x, z in itertools.product(range(-6, 7), repeat=2):
        talk.host.dimensions.of(0).provider.snapshot(ColumnPos(x, z))  # at hand, so that nothing else holds them up
    cross(talk, 0)
    talk.rest(1.0)
    assert len(talk.columns) == 81  # the area that a client ticks, of 169


def test_within_its_dimension_a_player_is_moved() -> None:
    talk = joined()
    talk.heard.clear()
    go_to(talk.host, 1, 0, (500.5, -60.0, 0.5))
    talk.rest(1.0)
    assert talk.of(ChangeDimension) == []
    put = only(talk.of(MovePlayer))
    assert isinstance(put, MovePlayer)
    assert put.position == pytest.approx((500.5, -60 + EYE_Y, 0.5))
    assert put.mode == MoveMode.TELEPORT, "not held for a jump of its own: a client looks from there now"
    assert ColumnPos(31, 0) in talk.columns


def test_of_wishes_for_one_that_does_not_play_yet_the_last_counts() -> None:
    host = three_dimensions()
    talk = Talk(host)
    assert talk.run(lambda: len(host.sessions) == 1)
    go_to(host, 1, 1)
    go_to(host, 1, 2)
    talk.join(2)
    assert talk.run(lambda: len(talk.of(PlayStatus)) == 3)
    assert [message.dimension for message in talk.of(ChangeDimension)] == [2]


def test_nobody_is_sent_where_nothing_is() -> None:
    talk = joined()
    with pytest.raises(ValueError, match=r"^flat:1 has no dimension 7$"):
        talk.host.dimensions.of(7)
    with pytest.raises(WrongCommand, match="too far out"):
        read_command("/dimension nether nan 0 0", talk.host.dimensions)


def test_a_dimension_that_was_left_wishes_for_nothing_and_forgets() -> None:
    options = HostOptions(generated_a_turn=1)
    talk = Talk(three_dimensions(options))
    talk.join(2)
    cross(talk, 1)
    nether = talk.host.dimensions.of(1)
    assert nether.provider.holds(ColumnPos(0, 0))
    talk.host.set_block(BlockPos(0, 5, 0), GLASS, dimension=1)
    cross(talk, 0)
    assert not nether.provision.wanted
    talk.rest(FORGOTTEN_S + 1.0)
    assert not nether.provider.holds(ColumnPos(1, 0))
    assert nether.provider.holds(ColumnPos(0, 0))  # changed, and nothing else has it
    assert talk.host.dimensions.of(1).block(BlockPos(0, 5, 0)) == GLASS
    assert talk.host.dimensions.start.provider.holds(ColumnPos(1, 0))


def test_two_dimensions_are_made_in_turns() -> None:
    host = three_dimensions(HostOptions(generated_a_turn=1))
    first = Talk(host)
    first.join(1)
    second = Talk(host, port=50001, now=first.wire.now)
    second.join(1)
    go_to(host, 1, 1, (1000.5, 5.0, 0.5))
    go_to(host, 2, 2, (1000.5, 5.0, 0.5))
    made = [host.dimensions.of(number).provision for number in (1, 2)]
    gaps = []

    def both_done() -> bool:
        gaps.append(abs(made[0].made - made[1].made))
        return min(provision.made for provision in made) >= 9

    assert first.run(both_done)
    assert max(gaps) <= 1


def told(talk: Talk, command: str) -> CommandMessage:
    """What came of a command."""
    talk.heard.clear()
    origin = CommandOrigin(request_id=command[:8])
    talk.wire.send(CommandRequest(command, origin))
    assert talk.run(lambda: bool(talk.of(CommandOutput)))
    output = only(talk.of(CommandOutput))
    assert isinstance(output, CommandOutput)
    assert output.origin == origin
    (message,) = output.messages
    assert output.successes == int(message.success)
    return message


@pytest.mark.parametrize("protocol", [486, 567, 975])
def test_a_player_crosses_by_a_command(protocol: int) -> None:
    talk = joined(protocol)
    for name, number in (("the_end", 2), ("Nether", 1), ("minecraft:overworld", 0)):
        assert told(talk, f"/dimension {name} 100 20 -4.5").success
        assert talk.run(lambda: bool(talk.of(PlayStatus)))
        change = only(talk.of(ChangeDimension))
        assert isinstance(change, ChangeDimension)
        assert (change.dimension, change.position) == (number, pytest.approx((100.0, 21.62, -4.5)))


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("/fly", f"Unknown command 'fly'; there are {COMMANDS}."),
        ("/", f"Unknown command ''; there are {COMMANDS}."),
        ("/dimension", "Write /dimension NAME [X Y Z]; NAME is one of overworld, nether, end."),
        ("/dimension end 1 2", "Write /dimension NAME [X Y Z]; NAME is one of overworld, nether, end."),
        ("/dimension aether", "flat:1 has no dimension 'aether'; it has overworld, nether, end."),
        ("/dimension 1 a b c", "Write /dimension NAME [X Y Z], with numbers for X Y Z."),
        ("/dimension 1 nan 0 0", "That position is too far out."),
        ("/dimension 1 0 0 1e30", "That position is too far out."),
    ],
)
def test_a_command_that_cannot_be_done_is_answered_in_a_sentence(command: str, sentence: str) -> None:
    talk = joined()
    assert told(talk, command) == CommandMessage(False, sentence)
    talk.rest(0.3)
    assert talk.of(ChangeDimension) == []


def test_nobody_crosses_without_end() -> None:
    talk = joined()
    found = [told(talk, f"/dimension {at % 3}") for at in range(8)]
    assert [message.success for message in found[:4]] == [True] * 4
    assert found[-1] == CommandMessage(False, "That is too soon after the last dimension change.")
    talk.rest(2.5)
    assert told(talk, "/dimension 1").success


# ---------------------------------------------------------------- player priority

# ---------------------------------------------------------------- player

HERE = ColumnPos(0, 0)
RADIUS = 6
SOUTH = 0.0  # yaw: +z
IN_CAVE = (0.5, 3.0, 0.5)
ABOVE = (8.0, TOP_Y + 2.0, 8.0)


def provider_of(world: CaveWorld, kept_columns: int = 4096) -> ColumnProvider:
    return ColumnProvider(world, LocalStates(world.states), kept_columns)


def provided(radius: int = RADIUS) -> ColumnProvider:
    provider = provider_of(CaveWorld())
    for x in range(-radius, radius + 1):
        for z in range(-radius, radius + 1):
            provider.snapshot(ColumnPos(x, z))
    return provider


def looking(provider: ColumnProvider, eye: tuple[float, float, float], yaw: float = math.nan) -> PlayerPriority:
    interest = PlayerPriority(provider, OVERWORLD, weights_of(70.0, 16 / 9))
    interest.place(eye)
    if not math.isnan(yaw):
        interest.observe(0.0, eye, yaw, 0.0)
    return interest


def priorities(interest: PlayerPriority, now: float = 0.0, *, occlusion: bool = False) -> Priorities:
    assert interest.step(now, HERE, RADIUS, occlusion=occlusion)
    return interest.now


def test_the_cone_of_sight_goes_through_the_corners_of_the_picture() -> None:
    assert weights_of(90.0, 1.0).cone == pytest.approx(1 / math.sqrt(3))
    assert weights_of(70.0, 16 / 9).cone < weights_of(70.0, 1.0).cone


def test_without_a_look_the_nearest_come_first_and_each_is_a_float32() -> None:
    found = priorities(looking(provided(), ABOVE))
    assert len(found) == (2 * RADIUS + 1) ** 2
    assert min(found, key=lambda column: found[column]) == HERE
    assert found[ColumnPos(1, 0)] < found[ColumnPos(3, 0)] < found[ColumnPos(6, 6)]
    assert all(np.float32(number) == number for number in found.values())


def test_what_lies_behind_comes_after_what_lies_ahead() -> None:
    found = priorities(looking(provided(), ABOVE, SOUTH))
    assert found[ColumnPos(0, 4)] < found[ColumnPos(0, -4)]


def test_what_no_line_of_sight_reaches_comes_later_and_is_left_out_where_occlusion_counts() -> None:
    everything = priorities(looking(provided(), IN_CAVE))
    seen = priorities(looking(provided(), IN_CAVE), occlusion=True)
    assert seen.keys() < everything.keys()
    hidden = everything.keys() - seen.keys()
    assert max(everything[column] for column in seen) < min(everything[column] for column in hidden)


def test_who_rises_towards_the_open_needs_soon_what_it_is_about_to_see() -> None:
    interest = looking(provided(), (0.5, 20.0, 0.5))
    for tick in range(5):
        interest.observe(tick * 0.05, (0.5, 20.0 + 1.5 * tick, 0.5), SOUTH, 0.0)
    found = priorities(interest, 0.2, occlusion=True)
    assert interest.soon
    assert not interest.soon.keys() & found.keys()
    assert min(interest.soon.values()) > max(found.values())


def test_who_stands_still_needs_nothing_soon() -> None:
    interest = looking(provided(), IN_CAVE, SOUTH)
    priorities(interest, occlusion=True)
    assert interest.soon == {}


def test_a_step_without_news_does_nothing_and_with_news_waits_its_time() -> None:
    provider = provider_of(CaveWorld())
    interest = looking(provider, IN_CAVE)
    assert interest.step(0.0, HERE, RADIUS, occlusion=False)
    assert not interest.step(10.0, HERE, RADIUS, occlusion=False)
    provider.snapshot(HERE)
    assert interest.step(10.0, HERE, RADIUS, occlusion=False)
    provider.snapshot(ColumnPos(1, 0))
    assert not interest.step(10.0 + EVERY_S / 2, HERE, RADIUS, occlusion=False)
    assert interest.step(10.0 + EVERY_S, HERE, RADIUS, occlusion=False)


@pytest.mark.parametrize("yaw", [math.inf, math.nan, 1e30])
def test_nonsense_is_borne(yaw: float) -> None:
    interest = looking(provided(1), (2e7, -2e7, 2e7))
    interest.observe(0.0, (2e7, 2e7, -2e7), yaw, -yaw)
    found = priorities(interest)
    assert all(math.isfinite(number) for number in found.values())


def test_looking_makes_no_column() -> None:
    world = CaveWorld()
    priorities(looking(provider_of(world), IN_CAVE))
    assert world.made == []


def test_sight_keeps_what_it_learnt_when_the_provider_forgets() -> None:
    provider = provided()
    sight = PlayerVisibility(provider, OVERWORLD)
    sight.listen(HERE, RADIUS)
    before = sight.reached(IN_CAVE)
    provider.forget()
    sight.listen(HERE, RADIUS)
    assert np.array_equal(sight.reached(IN_CAVE), before)
    reach = (CAVE.high[0] >> 4) + 1  # the rock around the cave is reached, not passed
    inside = before[RADIUS - reach - 1 : RADIUS + reach + 1, RADIUS - reach - 1 : RADIUS + reach + 1]
    assert inside.sum() == before.sum()


def test_each_sub_chunk_has_a_need_of_its_own() -> None:
    interest = looking(provided(), IN_CAVE, SOUTH)
    priorities(interest)
    places = [(0, 0, 1), (0, 0, -2), (0, 0, 3), (0, 2, 1), (0, 0, RADIUS + 2)]
    near, behind, rock, above, outside = interest.needs(np.array(places, np.int32)).tolist()
    assert near < behind
    assert near + 32.0 < rock  # nothing leads there but stone
    assert near + 32.0 < above
    assert near < outside


def test_who_walks_needs_soon_what_will_lie_in_its_area_and_nothing_behind() -> None:
    interest = looking(provided(), ABOVE, SOUTH)
    for step in range(1, 5):
        interest.observe(0.1 * step, (ABOVE[0], ABOVE[1], ABOVE[2] + 3.0 * step), SOUTH, 0.0)
    assert interest.step(1.0, HERE, RADIUS, occlusion=False, sight=False)
    ahead = min(column.z for column in interest.soon)
    assert ahead == RADIUS + 1
    assert {column.x for column in interest.soon} == set(range(-RADIUS, RADIUS + 1))
    assert max(column.z for column in interest.soon) <= RADIUS + 7  # three seconds at 30 blocks a second
    middle, corner = interest.soon[ColumnPos(0, ahead)], interest.soon[ColumnPos(RADIUS, ahead)]
    assert middle < corner


# ---------------------------------------------------------------- occlusion

OCCLUSION_RADIUS = 8
WHOLE = (2 * OCCLUSION_RADIUS + 1) ** 2


def joined_player_priority(world: CaveWorld, *, occlusion: bool) -> tuple[VirtualSession, int]:
    """A session that had four seconds to get all it is sent; the number of columns sent."""
    options = HostOptions(mode=ColumnMode.FULL, occlusion=occlusion)
    config = SessionConfig(radius=OCCLUSION_RADIUS - 1, player=SWIFT)
    session = VirtualSession(world, options, config)
    session.run(lambda: False, 4.0)
    return session, session.host.sessions[0].flow.columns_sent


def test_a_player_in_a_closed_cave_is_sent_81_of_289_columns_and_no_others_are_generated() -> None:
    """The figure of docs/develop/net.md."""
    open_handed, closed = CaveWorld(), CaveWorld()
    _, everything = joined_player_priority(open_handed, occlusion=False)
    session, sent = joined_player_priority(closed, occlusion=True)
    assert (sent, len(set(closed.made))) == (81, 81)
    assert (everything, len(set(open_handed.made))) == (WHOLE, WHOLE) == (289, 289)
    assert session.session.spawn.phase.name == "PLAYING"


def test_what_the_player_sees_is_all_there() -> None:
    session, _ = joined_player_priority(CaveWorld(), occlusion=True)
    for x in range(CAVE.low[0] >> 4, (CAVE.high[0] >> 4) + 1):
        for z in range(CAVE.low[2] >> 4, (CAVE.high[2] >> 4) + 1):
            assert ColumnPos(x, z) in session.session.dimension.store.row_of


def test_on_the_surface_everything_is_sent() -> None:
    _, sent = joined_player_priority(CaveWorld(feet=(0.5, TOP_Y + 2.0, 0.5)), occlusion=True)
    assert sent == WHOLE


def talk_in(world: CaveWorld) -> Talk:
    talk = Talk(make_host(world, HostOptions(mode=ColumnMode.FULL, occlusion=True)))
    assert talk.run(lambda: talk.host.sessions != [] and talk.host.sessions[0].phase.value != "joining")
    talk.wire.send(RequestChunkRadius(OCCLUSION_RADIUS))
    talk.rest(4.0)
    return talk


def test_who_leaves_the_cave_is_sent_what_comes_into_sight() -> None:
    talk = talk_in(CaveWorld())
    assert len(talk.columns) < 0.4 * WHOLE
    talk.wire.send(MovePlayer(1, (1.5, TOP_Y + 3.0, 1.5), 0.0, 0.0, 0.0))
    talk.rest(4.0)
    assert len(talk.columns) == WHOLE


def test_a_lid_that_is_broken_lets_sight_out() -> None:
    talk = talk_in(CaveWorld(CAVE, SHAFT))
    assert len(talk.columns) < 0.4 * WHOLE
    for y in range(SHAFT.high[1] + 1, TOP_Y):
        talk.host.set_block(BlockPos(1, y, 1), BlockState("minecraft:air"))
    talk.rest(4.0)
    assert len(talk.columns) == WHOLE
