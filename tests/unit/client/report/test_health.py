"""``health`` lists each kind of hole with its places and the sentence of ``why``; a whole world has none."""

import json
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from client.connection.opening import open_connection
from client.errors import UsageError
from client.options import Options, PinnedAnchor
from client.player import Eye
from client.report.health import HealthReport, Problem, Undrawn, find_problems, health
from client.report.why import facts_of, why
from client.report.why_facts import DrawDiagnosis
from client.report.why_text import verdict
from client.session.config import SessionConfig
from client.source import WorldFile
from net.bedrock import (
    BlockActorData,
    ChunkRadiusUpdated,
    LevelChunk,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    SubChunk,
    SubChunkEntry,
)
from net.server.faults import ALWAYS, RefusalFault, ServerFaults
from net.server.host_options import HostOptions
from net.space import BlockPos, ColumnPos, coordinates
from render.cli.report import write_report
from render.overlays.states import states_marks
from tests.support.servers.hostile import Besieged
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.worlds.overlay_facts import given_facts

AROUND = [ColumnPos(x, z) for x in (-1, 0, 1) for z in (-1, 0, 1)]
TAIL = b"\x01\x02" * 25 + b"\x00"  # 25 biome sections of one value, no border blocks
OPTIONS = Options(radius=2)
CIRCLE = NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 32)
"""Holds the columns of ``AROUND``."""
FAR = Eye(1608.0, 70.0, 8.0)


def checked(world: VirtualSession, timeout_s: float = 60.0, options: Options = OPTIONS) -> HealthReport:
    with world.connection(replace(options, timeout_s=timeout_s)) as connection:
        return health(connection)


def besieged(result: int, payload: bytes = b"", columns: Sequence[ColumnPos] = AROUND) -> Besieged:
    """A server of some columns that answers every request alike."""
    world = Besieged(CIRCLE, ChunkRadiusUpdated(2), *(LevelChunk(at, 0, None, 0, None, TAIL) for at in columns))
    world.server.answer = lambda offset: SubChunkEntry(*offset, result, payload)
    return world


def kinds(report: HealthReport) -> list[tuple[str, int]]:
    return [(problem.kind, problem.count) for problem in report.problems]


def test_a_world_that_is_whole_has_no_problems() -> None:
    report = checked(VirtualSession("hills:1"))
    assert (report.problems, report.exit_code, report.settled, report.warnings) == ((), 0, True, ())
    assert report.text().startswith("embedded:hills:1: no problems found\n49 columns announced. Sub-chunks: ")


def test_light_is_made_for_the_sentences_of_problems_alone() -> None:
    with VirtualSession("flat:1").connection(OPTIONS) as connection:
        assert not health(connection).problems
        assert [pending.kind for pending in connection.missing()] == ["unlit"]
        undrawn = Undrawn(np.array([(0, -4, 0)], np.int32), np.zeros((0, 3), np.int32))
        drawn = DrawDiagnosis(True, "drawn")
        (problem,) = health(connection, undrawn=lambda _: undrawn, foresee=lambda *_: drawn).problems
        assert not connection.missing()
        assert problem.sentence.startswith("Received: ")
        assert "light may be too dark" not in problem.sentence


def test_refusals_are_a_problem_for_each_code_with_places_and_the_sentence_of_why() -> None:
    code_3, code_5 = RefusalFault(3, 0.1, 1 << 30), RefusalFault(5, 0.1, 1 << 30)
    report = checked(VirtualSession("hills:1", HostOptions(faults=ServerFaults(refusals=(code_3, code_5)))))
    assert [problem.kind for problem in report.problems] == ["refused", "refused"]
    first, second = report.problems
    assert first.sentence == "Refused by the server: code 3, wrong dimension."
    assert second.sentence == "Refused by the server: code 5, y out of bounds."
    assert first.count == len(first.places) > 3
    assert not set(first.places) & set(second.places)
    assert first.first_seen_s is not None
    assert first.block is not None
    assert tuple(first.block.subchunk) == first.places[0]
    assert report.exit_code == 1
    told = report.text()
    assert (
        f"refused: {first.count} sub-chunks, first at {first.first_seen_s:.3f} s\n  {first.sentence}\n"
        f"  chunkscope why embedded:hills:1 --at={coordinates(first.block)}\n" in told
    )


def test_what_was_refused_once_and_came_later_is_no_problem() -> None:
    report = checked(VirtualSession("hills:1", HostOptions(faults=ServerFaults(refusals=(RefusalFault(2, 0.2),)))))
    assert (report.problems, report.exit_code) == ((), 0)


def test_undecodable_sub_chunks_name_packet_field_and_offset() -> None:
    (problem,) = checked(besieged(1, b"\x08\x01\x0f")).problems
    assert (problem.kind, problem.count) == ("undecodable", 9)
    assert "(SubChunk.payload.header at byte 2: " in problem.sentence


def test_undecodable_sub_chunks_are_a_problem_for_each_cause_whatever_the_values_in_it() -> None:
    world = besieged(1)
    # two of three end too soon, after different numbers of bytes; a sub-chunk of version 127 does not exist
    payloads = cycle((b"\x7f\x01", b"\x08\x01\x09\x00", b"\x08\x01\x09\x00\x00"))
    world.server.answer = lambda offset: SubChunkEntry(*offset, 1, next(payloads))
    report = checked(world)
    assert kinds(report) == [("undecodable", 6), ("undecodable", 3)]
    cut, version = report.problems
    assert "payload.storage at byte 2: needs 2049 bytes, but " in cut.sentence
    assert "payload.version at byte 0: the sub-chunk version is 127" in version.sentence
    assert not set(cut.places) & set(version.places)


def test_what_is_asked_in_vain_ends_the_wait_early_and_is_late() -> None:
    world = Besieged(CIRCLE, ChunkRadiusUpdated(2), *(LevelChunk(at, 0, None, 0, None, TAIL) for at in AROUND))
    began = world.now
    report = checked(world, timeout_s=300.0)
    assert kinds(report) == [("late", 9)]
    assert report.problems[0].sentence.startswith("Late: requested ")
    assert world.now - began < 60.0
    assert (report.settled, report.exit_code) == (False, 1)
    assert report.waiting_for == "9 sub-chunks got no answer to 3 or more requests"
    assert replace(report.problems[0], first_seen_s=0.5).heading == "late: 9 sub-chunks, first requested at 0.500 s"


def test_health_and_why_agree_that_what_was_asked_in_vain_may_still_come() -> None:
    silent = Besieged(*(LevelChunk(at, 0, None, 0, None, TAIL) for at in AROUND))
    for world, settled in ((silent, False), (besieged(6), True)):
        with world.connection(replace(OPTIONS, timeout_s=300.0)) as connection:
            report = health(connection)
            place = why(connection, BlockPos(8, -60, 8))
        assert report.settled == place.complete == settled
        assert (report.waiting_for == "") == (place.waiting_for == "") == settled


def test_what_is_hidden_is_named_with_the_option_that_requests_it() -> None:
    def far_sighted() -> VirtualSession:
        return VirtualSession("hills:1", config=SessionConfig(radius=6, player=SWIFT))

    report = checked(far_sighted())
    assert report.states["unknown"] > 0
    hidden = f"{report.states['unknown']:,} sub-chunks are hidden from the player and were not requested."
    assert report.hint == f"{hidden} To check them, too: chunkscope health embedded:hills:1 --pin-all=0,-6,6"
    assert report.hint in report.text().splitlines()
    pinned = PinnedAnchor(0.0, 0.0, radius=1, everything=True)
    assert checked(far_sighted(), options=replace(OPTIONS, pins=(pinned,))).hint == ""


def test_columns_left_out_amid_others_were_never_sent() -> None:
    faults = ServerFaults(withheld=0.03, seed=27)
    assert faults.withholds(ColumnPos(2, 0))
    report = checked(VirtualSession("flat:1", HostOptions(faults=faults)))
    (problem,) = report.problems
    assert (problem.kind, problem.unit, problem.places) == ("never sent", "columns", ((2, 0),))
    assert problem.sentence.startswith("Never sent: its column was never announced, though it is within the radius")
    assert problem.sentence.endswith("; all 8 columns around it came.")
    assert "\nnever sent: 1 column\n" in report.text()


def test_a_join_without_a_circle_is_a_problem_though_all_terrain_came() -> None:
    report = checked(VirtualSession("flat:1", HostOptions(faults=ServerFaults(unpublished=True))))
    (problem,) = report.problems
    assert (problem.kind, problem.block, report.exit_code) == ("join", None, 1)
    assert problem.sentence.startswith("Never published: NetworkChunkPublisherUpdate did not arrive, though ")
    assert report.text().startswith("embedded:hills:1: a step of the join is missing or wrong\n")
    assert "\njoin: 1 step is missing or wrong\n" in report.text()
    assert "\n  chunkscope join embedded:hills:1" in report.text()


def test_a_column_that_is_missing_at_the_very_edge_is_named_but_not_counted() -> None:
    faults = ServerFaults(withheld=0.03, seed=19)
    assert faults.withholds(ColumnPos(0, -3)), "and none of the others within the radius"
    report = checked(VirtualSession("flat:1", HostOptions(faults=faults)))
    assert (report.problems, report.edge, report.exit_code) == ((), 1, 0)
    assert report.text().splitlines()[2].endswith("the edge and the corners of the radius: 1 column.")


def test_the_places_nearest_to_the_player_come_first() -> None:
    refused = RefusalFault(3, 0.1, 1 << 30)
    (problem,) = checked(VirtualSession("hills:1", HostOptions(faults=ServerFaults(refusals=(refused,))))).problems
    away = [x * x + (z + 1) ** 2 for x, _, z in problem.places]  # the player is in column 0,-1
    assert away == sorted(away)
    assert len(set(away)) > 3


def test_boxes_are_listed_by_their_place_nearest_to_the_player() -> None:
    around = [(x, z) for x in range(-5, 6) for z in range(-5, 6)]
    places = tuple(sorted([*around, (0, 7), (9, 9)], key=lambda at: at[0] ** 2 + at[1] ** 2))
    problem = Problem("never sent", "columns", len(places), "", places=places)
    assert problem.boxes == [((-5, -5), (5, 5)), ((0, 7), (0, 7)), ((9, 9), (9, 9))]
    apart = replace(problem, places=((3, -9), (3, -8), (0, 0)))
    assert apart.boxes == [((3, -9), (3, -8)), ((0, 0), (0, 0))]


def test_columns_left_out_at_the_edge_were_never_sent_but_for_the_rim_of_the_circle() -> None:
    short = checked(VirtualSession("flat:1", HostOptions(faults=ServerFaults(columns_within=1))))
    (problem,) = short.problems
    assert sorted(problem.places) == [(-2, 0), (0, -2), (0, 2), (2, 0)], (
        "3 columns are granted: those of radius 2 count"
    )
    assert short.exit_code == 1
    square = [(x, z) for x in range(-3, 4) for z in range(-3, 4)]
    round_ones = [ColumnPos(x, z) for x, z in square if x * x + z * z < 9]
    assert checked(besieged(6, columns=round_ones)).problems == ()


def test_in_flight_columns_at_the_edge_are_no_problem() -> None:
    world = VirtualSession("flat:1", HostOptions(faults=ServerFaults(columns_within=1)))
    with world.connection(OPTIONS) as connection:
        connection.wait_settled(20.0)
        assert find_problems(connection.session, connection.now) == ()
        assert len(find_problems(connection.session, connection.now, complete=True)) == 1


def test_a_place_far_from_the_spawn_is_checked_there() -> None:
    faults = ServerFaults(withheld=0.03, seed=27)
    world = VirtualSession("flat:1", HostOptions(faults=faults))
    report = checked(world, options=replace(OPTIONS, at=FAR))
    left_out = {(x, z) for x in range(98, 103) for z in range(-2, 3) if faults.withholds(ColumnPos(x, z))}
    assert {at for problem in report.problems for at in problem.places} == left_out
    assert {problem.kind for problem in report.problems} <= {"never sent"}, "nothing of the way there counts"
    assert report.settled


def test_places_that_the_player_passed_are_not_checked() -> None:
    world = besieged(3, columns=[ColumnPos(x, z) for x in range(-2, 9) for z in (-1, 0, 1)])
    with world.connection(replace(OPTIONS, at=Eye(72.0, 70.0, 8.0))) as connection:
        report = health(connection)
        stored = set(connection.session.dimension.store.row_of)
    around = {(x, z) for x in range(2, 7) for z in (-1, 0, 1)}  # the granted radius around column 4
    assert around < stored, "columns of the way are still there"
    assert {(at[0], at[2]) for problem in report.problems for at in problem.places if len(at) == 3} == around
    assert (report.columns, sum(report.states.values())) == (len(around), 24 * len(around))


def test_a_place_that_is_never_published_is_never_sent_and_not_waited_for_for_ever() -> None:
    world = besieged(6)
    began = world.now
    report = checked(world, 300.0, replace(OPTIONS, at=FAR))
    circle, problem = report.problems
    assert (
        circle.sentence == "Circle left behind: the player is 100 columns from the centre of the 32 blocks published."
    )
    assert (problem.kind, problem.count, report.exit_code) == ("never sent", 9, 1)
    assert problem.block is not None
    assert problem.block.column == FAR.column
    assert "published circle: 32 blocks; this column is 1600 blocks away" in problem.sentence
    assert world.now - began < 60.0


def test_a_player_whom_the_server_holds_did_not_get_there() -> None:
    world = besieged(6)
    with world.connection(replace(OPTIONS, at=FAR)) as connection:
        connection.pump()
        world.server.say(MovePlayer(1, (8.0, 70.0, 8.0), 0.0, 0.0, 0.0, 1, True, 0, 0))
        report = health(connection)
    held = "the server holds the player at 8,70,8 and does not let it fly to 1608,70,8"
    assert (report.settled, report.waiting_for, report.exit_code) == (False, held, 4)


def test_a_flight_that_takes_too_long_is_refused_with_the_time_that_it_needs() -> None:
    world = VirtualSession("flat:1", config=SessionConfig(radius=2))
    with (
        world.connection(replace(OPTIONS, at=Eye(10928.0, 70.0, 8.0))) as connection,
        pytest.raises(UsageError, match=r"cannot fly to 10928,70,8 in 60 s: .* takes 100\d s. Give it --timeout 10"),
    ):
        health(connection)


def test_answers_for_columns_that_the_client_left_are_no_problem() -> None:
    world = besieged(6)
    with world.connection(OPTIONS) as connection:
        connection.wait_settled(20.0)
        world.server.say(NetworkChunkPublisherUpdate(BlockPos(3200, 70, 8), 32))
        entries = tuple(SubChunkEntry(0, y, 0, 6, b"") for y in range(3))
        world.server.say(*(SubChunk(False, 0, centre, entries) for centre in ((0, 0, 0), (50, 0, 50))))
        connection.wait_for(lambda _now: "time", 1.0)
        told = [each for each in find_problems(connection.session, connection.now) if each.kind == "messages"]
        assert [each.count for each in told if "outside" in each.sentence] == [3]


def test_late_is_the_same_for_health_why_and_the_overlay() -> None:
    faults = ServerFaults(unanswered=0.2, unanswered_times=ALWAYS, refusals=(RefusalFault(2, 0.2, 5),))
    with VirtualSession("flat:1", HostOptions(faults=faults)).connection(OPTIONS) as connection:
        session = connection.session
        connection.wait_for(lambda _now: None if session.ledger.stats().timed_out else "a time-out", 20.0)
        store = session.dimension.store
        places = store.places_of_rows(store.announced_rows)
        trail = session.trail(places)
        facts = given_facts(store.positions_of(places), store.state[places]).but(trail=trail)
        drawn = {tuple((low // 16).tolist()) for low in states_marks(facts).boxes.lows}
        (problem,) = find_problems(session, connection.now)
        explained = {
            tuple(at)
            for at in store.positions_of(places).tolist()
            if verdict(facts_of(session, BlockPos(*(16 * axis for axis in at)), connection.now)).startswith("Late")
        }
    assert problem.kind == "late"
    answered = trail.awaited & ~trail.late
    assert (trail.asked[answered] > 1).any(), "what is answered as not found, and requested again, is not late"
    assert set(problem.places) == drawn == explained


def test_a_server_without_any_terrain_is_told_within_the_time() -> None:
    report = checked(Besieged(), timeout_s=5.0)
    assert kinds(report) == [("join", 1), ("never sent", 25)]
    assert report.problems[0].sentence == "No radius granted: ChunkRadiusUpdated did not arrive."
    assert (report.exit_code, report.settled, report.waiting_for) == (1, False, "no column has arrived yet")


def test_a_server_that_sends_nothing_but_nonsense_is_told_kind_by_kind() -> None:
    world = besieged(1, b"\xff")
    world.bear(BlockActorData(BlockPos(0, 0, 0), {}), b"\x3a\xff\xff\xff")
    report = checked(world)
    assert [kind for kind, _ in kinds(report)] == ["undecodable", "messages"]
    assert report.problems[-1].sentence.startswith("1 packet could not be decoded; the latest: ")
    assert report.problems[-1].block is None


def test_ids_that_no_palette_knows_and_height_maps_that_lie_are_told() -> None:
    lying = checked(VirtualSession("hills:1", HostOptions(faults=ServerFaults(contradicting_heights=0.2))))
    assert [problem.kind for problem in lying.problems] == ["height map"]
    assert "its height map contradicts its blocks" in lying.problems[0].sentence
    unknown = bytes([8, 1, 3]) + (0xAAAAAAAA).to_bytes(4, "little") * 128 + b"\x04" + b"\x02" + b"\xc8\xfd\xe0\x06"
    strange = checked(besieged(1, unknown))
    assert kinds(strange) == [("unknown block", 9)]
    assert (
        strange.problems[0].sentence
        == "Unknown blocks: received, but 1 of its 2 block ids are not in the palette of protocol 486."
    )


def test_what_cannot_be_drawn_is_told_by_whoever_draws() -> None:
    with VirtualSession("flat:1").connection(OPTIONS) as connection:
        connection.wait_settled(20.0)
        undrawn = Undrawn(np.array([(0, -4, 0)], np.int32), np.zeros((0, 3), np.int32))
        lacks = DrawDiagnosis(False, "failed", "Unmeshed: its mesh could not be made")
        (problem,) = find_problems(connection.session, connection.now, undrawn, lambda _session, _block: lacks)
    assert (problem.kind, problem.places) == ("unmeshed", ((0, -4, 0),))
    assert problem.sentence.startswith("Unmeshed: its mesh could not be made; its blocks have arrived: ")


def test_a_session_that_is_not_settled_is_incomplete() -> None:
    report = HealthReport("x", (), False, "its answer", 0, {}, "", ())
    assert report.exit_code == 4
    assert "not complete: its answer" in report.text()


def test_json_holds_all_places(capsys: pytest.CaptureFixture[str]) -> None:
    report = checked(besieged(3))
    assert write_report(report, as_json=True) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["problems"][0]["places"] == [list(at) for at in report.problems[0].places]
    assert said["problems"][0]["kind"] == "refused"
    assert said["settled"] is True


def test_a_recording_has_the_problems_of_its_session(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    faults = ServerFaults(refusals=(RefusalFault(3, 0.1, 1 << 30),))
    with VirtualSession("hills:1", HostOptions(faults=faults)).connection(Options(radius=2, record=path)) as connection:
        live = health(connection)
    with open_connection(WorldFile(path), OPTIONS) as played:
        again = health(played)
    assert _plain(again.problems) == _plain(live.problems)
    assert again.text().startswith(f"{path} (of embedded:hills:1): ")
    assert f"\n  chunkscope why {path} --at=" in again.text()


def test_a_recording_says_what_was_requested_in_vain_as_its_session_did(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    silent = HostOptions(faults=ServerFaults(delay_s=1e9))
    with VirtualSession("flat:1", silent).connection(Options(radius=2, record=path, timeout_s=300.0)) as connection:
        live = health(connection)
    assert live.waiting_for.endswith(" sub-chunks got no answer to 3 or more requests")
    (late,) = live.problems
    assert late.block is not None
    with open_connection(WorldFile(path), OPTIONS) as played:
        assert health(played).waiting_for == live.waiting_for
        report = why(played, late.block)
    assert report.facts.request is not None
    assert (report.exit_code, report.facts.request.due_s) == (4, None)
    end = f"{report.facts.now_s:.3f} s"
    assert f"\nnot final: not answered when the recording ended ({end})\n" in report.text()
    assert "if no answer comes" not in report.text()


def _plain(problems: Sequence[Problem]) -> list[tuple[str, int, str, tuple[tuple[int, ...], ...]]]:
    return [(each.kind, each.count, each.sentence, each.places) for each in problems]
