"""``join`` lists the steps of a join with their times, and names the missing or wrong one in its first line."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from client.connection import opening
from client.connection.connection import Connection
from client.errors import NotLetIn, SourceError
from client.options import Options
from client.player import Eye
from client.report import join as module
from client.report.join import COMPLETED, JoinReport, join, report_on
from client.report.why import facts_of
from client.report.why_text import verdict
from client.session.join_steps import RESPAWN, SPAWN, TELEPORT, JoinSteps
from client.session.stats import UNSENT_S
from client.source import Embedded, Remote, Source, WorldFile
from net.bedrock import (
    ChangeDimension,
    ChunkRadiusUpdated,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    PlayStatus,
    Respawn,
)
from net.bedrock.packets.movement import MoveMode
from net.server.faults import ServerFaults, read_fault_script
from net.server.host_options import HostOptions
from net.server.worlds.world import FlatWorld, Spawn
from net.space import BlockPos, ColumnPos
from render.cli.report import write_report
from tests.support.servers.hostile import Besieged
from tests.support.session.driven import Driven, skeleton, start_game
from tests.support.session.virtual import VirtualSession, VirtualTransport
from tests.support.worlds.server import three_worlds

FAULTS = Path(__file__).parents[4] / "docs" / "examples" / "faults"


def joined(world: VirtualSession, timeout_s: float = 60.0) -> JoinReport:
    with world.connection(Options(radius=2)) as connection:
        return report_on(connection, timeout_s)


BOTH = pytest.mark.parametrize("nethernet", [False, True], ids=["raknet", "nethernet"])


class _Apart(FlatWorld):
    """A flat world whose spawn lies in another column in each dimension, as in ``hills``."""

    @property
    def spawn(self) -> Spawn:
        there = super().spawn
        x, y, z = there.feet
        return replace(there, feet=(x + 160.0 * self.dimension.number, y, z))


def with_script(name: str, nethernet: bool = False) -> VirtualSession:
    """Our server with a fault file of the documentation."""
    faults = read_fault_script((FAULTS / f"{name}.toml").read_text("utf-8"))
    world, *beside = [_Apart(dimension=world.dimension) for world in three_worlds()]
    return VirtualSession(world, HostOptions(faults=faults), beside=beside, nethernet=nethernet)


def first_line(report: JoinReport) -> str:
    return report.text().splitlines()[0].split(": ", 1)[1]


@BOTH
def test_a_join_that_is_right_lists_its_steps_in_their_order(nethernet: bool) -> None:
    report = joined(VirtualSession("hills:1", nethernet=nethernet))
    assert (report.fault, report.exit_code) == ("", 0)
    assert first_line(report) == COMPLETED
    names = [step.name for step in report.steps]
    assert names[:6] == ["login", "packs", "stack", "game", "requested", "granted"]
    assert set(names[6:]) == {"circle", "column", "sub-chunk", "spawn"}
    times = [step.at_s for step in report.steps]
    assert times == sorted(time for time in times if time is not None)
    assert (report.requested_columns, report.granted_columns, report.filled_columns) == (3, 3, 3)
    assert report.columns == 49


@pytest.mark.parametrize(("source", "watched"), [(Remote("host"), True), (Embedded(), False)])
def test_a_change_of_dimension_after_the_spawn_is_awaited_except_of_a_server_started_for_the_join(
    source: Source, watched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = VirtualSession("hills:1")
    monkeypatch.setattr(module, "open_connection", lambda *_: world.connection(Options(radius=2)))
    report = join(source, Options(radius=2))
    spawned = next(step.at_s for step in report.steps if step.name == SPAWN)
    assert spawned is not None
    assert report.fault == ""
    assert (world.now - world.session.started_at - spawned >= module.WATCH_S) == watched


@BOTH
def test_never_published(nethernet: bool) -> None:
    report = joined(with_script("never-published", nethernet))
    assert first_line(report) == "never published: NetworkChunkPublisherUpdate did not arrive, though 49 columns did"
    assert report.exit_code == 1
    assert report.text().splitlines()[-1] == "  missing    circle     NetworkChunkPublisherUpdate"


@BOTH
def test_radius_smaller_than_granted(nethernet: bool) -> None:
    report = joined(VirtualSession("hills:1", HostOptions(faults=ServerFaults(columns_within=1)), nethernet=nethernet))
    assert first_line(report) == "radius smaller than granted: columns reach 1 of 3 columns"
    assert (report.granted_columns, report.filled_columns) == (3, 1)
    script = read_fault_script((FAULTS / "short-radius.toml").read_text("utf-8"))
    assert script.columns_within == 4


@pytest.mark.parametrize(
    ("seed", "column", "edge", "away"),
    [(27, ColumnPos(2, 0), "", 2), (19, ColumnPos(0, -3), " (1 of them at the edge)", 3)],
)
def test_single_columns_that_are_left_out_are_no_smaller_radius(
    seed: int, column: ColumnPos, edge: str, away: int
) -> None:
    faults = ServerFaults(withheld=0.03, seed=seed)
    square = [ColumnPos(x, z) for x in range(-3, 4) for z in range(-3, 4)]
    missing = sum(map(faults.withholds, square))
    assert faults.withholds(column)
    report = joined(VirtualSession("flat:1", HostOptions(faults=faults)))
    wanted = f"columns left out: {missing} of 49 within the granted radius{edge}, the nearest {away} columns away"
    assert (first_line(report), report.columns) == (wanted, 49 - missing)


def test_the_time_of_a_step_is_when_its_packet_arrived_though_packets_are_applied_together() -> None:
    steps = JoinSteps()
    for packet, at in ((PlayStatus(0), 0.5), (start_game(), 1.25), (ChunkRadiusUpdated(3), 2.0)):
        steps.receive(packet, 3.0, at)
    assert [step.at_s for step in steps.steps(1.0) if step.at_s is not None] == [0.0, 0.75, 1.5]
    assert steps.progress_at == 3.0


def test_a_server_that_sends_its_columns_and_then_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    world, options = with_script("no-spawn"), Options(radius=2, timeout_s=300.0)
    transport = VirtualTransport(world.link)
    connection = Connection(
        Embedded(), options, world.session, transport, clock=lambda: world.now, rest=lambda _seconds: None
    )
    monkeypatch.setattr(opening, "time", SimpleNamespace(monotonic=lambda: world.now))
    started, told = world.now, list[str]()
    with pytest.raises(NotLetIn, match="no spawn: PlayStatus 3 did not arrive, though 49 columns did"):
        opening._join(connection, started + 300.0, started + 300.0, lambda _, what: told.append(what))
    assert UNSENT_S <= world.now - started < UNSENT_S + 5.0
    assert told[-1].startswith("waiting for the spawn status")


@BOTH
def test_no_columns_after_a_change_of_dimension(nethernet: bool) -> None:
    report = joined(with_script("empty-dimension", nethernet))
    assert re.match(
        r"no columns since ChangeDimension to \d: LevelChunk did not arrive \(radius gran", first_line(report)
    )
    assert report.columns == 0
    assert "received none;" in report.text()


def test_a_player_who_is_sent_through_empty_dimensions_is_not_awaited_until_the_time_out() -> None:
    world = with_script("empty-dimension")
    began = world.now
    joined(world, timeout_s=300.0)
    assert world.now - began < 2 * module.QUIET_S


@BOTH
def test_wrong_palette(nethernet: bool) -> None:
    report = joined(with_script("wrong-palette", nethernet))
    assert re.fullmatch(
        r"wrong palette: \d+ block ids are not in the palette of protocol \d+ \(positions 0 to [\d,]+\), "
        r"but they are 1,0\d\d,\d+ to 1,0\d\d,\d+; StartGame says ids_are_hashes = no",
        first_line(report),
    )


@BOTH
def test_no_spawn_prints_the_steps_until_then(nethernet: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    world = with_script("no-spawn", nethernet)
    world.run(lambda: False, 3.0)

    def refuse(*_: object) -> None:
        raise NotLetIn("it did not let the player in", world.session)

    monkeypatch.setattr(module, "open_connection", refuse)
    report = join(Remote("host"), Options())
    assert first_line(report) == "no spawn: PlayStatus 3 did not arrive, though 49 columns did"
    assert (report.exit_code, report.columns) == (1, 49)
    assert "missing    spawn      PlayStatus 3" in report.text()


def test_a_server_that_never_got_as_far_as_the_login_is_the_sentence_of_all_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driven = Driven()

    def refuse(*_: object) -> None:
        raise NotLetIn("it did not let the player in", driven.session)

    monkeypatch.setattr(module, "open_connection", refuse)
    with pytest.raises(SourceError, match="did not let the player in"):
        join(Remote("host"), Options())


def test_a_server_without_columns_is_told_after_some_silence() -> None:
    world = Besieged()
    world.bear(ChunkRadiusUpdated(3))
    began = world.now
    report = joined(world, timeout_s=300.0)
    assert first_line(report) == "no columns: LevelChunk did not arrive (radius granted: 3 columns)"
    assert world.now - began < 60.0


def test_each_missing_step_is_named_and_a_change_of_dimension_begins_anew() -> None:
    driven = Driven()

    def fault() -> str:
        return driven.session.join_fault(driven.now, complete=True)

    assert fault() == "PlayStatus 0 did not arrive"
    driven.receive(PlayStatus(0))
    assert fault() == "ResourcePacksInfo did not arrive"
    driven.receive(start_game())
    assert fault() == "no radius granted: ChunkRadiusUpdated did not arrive"
    driven.receive(ChunkRadiusUpdated(3), skeleton())
    assert fault() == "no spawn: PlayStatus 3 did not arrive, though one column did"
    driven.receive(PlayStatus(3))
    assert fault().startswith("never published: ")
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(0, 0, 0), 16))
    assert fault() == "published circle smaller than granted: 16 blocks published, 3 columns, 48 blocks, granted"
    driven.receive(ChangeDimension(1, (0.0, 70.0, 0.0), respawn=False))
    assert fault() == "no columns since ChangeDimension to 1: LevelChunk did not arrive (radius granted: 3 columns)"


def test_a_circle_that_does_not_follow_a_teleport_is_left_behind() -> None:
    driven = Driven(radius=2)
    driven.join()
    driven.receive(ChunkRadiusUpdated(3), NetworkChunkPublisherUpdate(BlockPos(0, 0, 0), 64), skeleton(), PlayStatus(3))
    assert not driven.session.join_fault(driven.now, complete=False)
    player = start_game().runtime_id
    driven.receive(MovePlayer(player + 1, (999.0, 70.0, 8.0), 0.0, 0.0, 0.0, MoveMode.TELEPORT))
    assert TELEPORT not in told(driven)
    driven.receive(Respawn((8.0, 70.0, 8.0), 0, player))
    driven.receive(MovePlayer(player, (328.0, 70.0, 8.0), 0.0, 0.0, 0.0, MoveMode.TELEPORT))
    assert (told(driven)[RESPAWN], told(driven)[TELEPORT]) == ("state 0", "to 328, 70, 8")
    driven.tick(5.0)
    assert driven.session.join_fault(driven.now) == (
        "circle left behind: the player is 20 columns from the centre of the 64 blocks published"
    )
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(328, 0, 0), 64))
    driven.tick(5.0)
    assert not driven.session.join_fault(driven.now).startswith("circle left")


def told(driven: Driven) -> dict[str, str]:
    """The steps that were made, and what they said."""
    return {step.name: step.text for step in driven.session.dispatcher.steps.steps(0.0) if step.at_s is not None}


def test_a_place_far_from_the_spawn_that_is_never_published_is_told() -> None:
    def far(world: VirtualSession) -> JoinReport:
        with world.connection(Options(radius=2, at=Eye(1608.0, 70.0, 8.0))) as connection:
            return report_on(connection, 300.0)

    followed = far(VirtualSession("flat:1"))
    assert (followed.fault, followed.filled_columns) == ("", 3)
    world = Besieged(ChunkRadiusUpdated(3), NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 48), skeleton())
    began = world.now
    assert (
        far(world).fault == "circle left behind: the player is 100 columns from the centre of the 48 blocks published"
    )
    assert world.now - began < 30.0


def test_columns_outside_the_circle_are_counted() -> None:
    driven = Driven(radius=2)
    driven.join()
    driven.receive(ChunkRadiusUpdated(3), NetworkChunkPublisherUpdate(BlockPos(0, 0, 0), 64), PlayStatus(3))
    driven.receive(skeleton(), skeleton(ColumnPos(5, 0)))  # a column beyond the edge is how some round a circle
    driven.tick(5.0)
    assert not driven.session.join_fault(driven.now)
    driven.receive(skeleton(ColumnPos(6, 0)), skeleton(ColumnPos(0, 9)))
    driven.tick(5.0)
    assert driven.session.join_fault(driven.now) == (
        "columns outside the circle: 2 columns came from outside of the 64 blocks published"
    )


def test_what_is_missing_is_no_fault_before_the_join_has_stalled() -> None:
    driven = Driven()
    driven.receive(start_game())
    assert driven.session.join_fault(driven.now) == ""
    driven.tick(5.0)
    assert driven.session.join_fault(driven.now) == "no radius granted: ChunkRadiusUpdated did not arrive"
    assert driven.session.stats(driven.now).join_fault


def test_why_names_radius_circle_and_distance_of_a_column_outside() -> None:
    driven = Driven(radius=8)
    driven.join()
    driven.receive(ChunkRadiusUpdated(8), NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 96), skeleton())
    sentence = verdict(facts_of(driven.session, BlockPos(7 * 16, 70, 8), driven.now))
    assert sentence == (
        "Never sent: its column was never announced; the server granted radius 8; published circle: 96 blocks; "
        "this column is 112 blocks away."
    )


def test_a_recording_has_the_steps_of_its_session(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with VirtualSession("flat:1").connection(Options(radius=2, record=path)) as connection:
        live = report_on(connection, 60.0)
    again = join(WorldFile(path), Options(radius=2))
    assert [step.name for step in again.steps if step.at_s is not None][-4:] == [step.name for step in live.steps][-4:]
    assert again.fault == live.fault == ""


def test_json_holds_steps_and_radii(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_report(joined(VirtualSession("flat:1")), as_json=True) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["steps"][0] == {"name": "login", "packet": "PlayStatus 0", "at_s": said["steps"][0]["at_s"],
                                "count": 1, "text": ""}  # fmt: skip
    assert (said["granted_columns"], said["filled_columns"]) == (3, 3)
