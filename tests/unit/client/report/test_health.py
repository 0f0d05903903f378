"""``health`` lists each kind of hole with its places and the sentence of ``why``; a whole world has none."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from client.errors import SourceError
from client.options import Options, PinnedAnchor
from client.report.health import HealthReport, Problem, Undrawn, find_problems, health, report_on
from client.report.why import report_on as why_report_on
from client.report.why_facts import DrawDiagnosis
from client.session.config import SessionConfig
from client.source import Remote, WorldFile
from net.bedrock import BlockActorData, LevelChunk, SubChunkEntry
from net.server.faults import RefusalFault, ServerFaults
from net.server.options import HostOptions
from net.space import BlockPos, ColumnPos
from render.cli.report import write_report
from tests.support.servers.hostile import Besieged
from tests.support.session.virtual import SWIFT, VirtualSession

AROUND = [ColumnPos(x, z) for x in (-1, 0, 1) for z in (-1, 0, 1)]
TAIL = b"\x01\x02" * 25 + b"\x00"  # 25 biome sections of one value, no border blocks
OPTIONS = Options(radius=2)


def checked(world: VirtualSession, timeout_s: float = 60.0, options: Options = OPTIONS) -> HealthReport:
    with world.connection(options) as connection:
        return report_on(connection, timeout_s)


def besieged(result: int, payload: bytes = b"", columns: Sequence[ColumnPos] = AROUND) -> Besieged:
    """A server of some columns that answers every request alike."""
    world = Besieged(*(LevelChunk(at, 0, None, 0, None, TAIL) for at in columns))
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
        assert not report_on(connection, 60.0).problems
        assert [pending.kind for pending in connection.missing()] == ["unlit"]
        undrawn = Undrawn(np.array([(0, -4, 0)], np.int32), np.zeros((0, 3), np.int32))
        drawn = DrawDiagnosis(True, "drawn")
        (problem,) = report_on(connection, 60.0, undrawn=lambda _: undrawn, foresee=lambda *_: drawn).problems
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
        f"refused: {first.count} sub-chunks, first at {first.first_seen_s:.3f} s\n  {first.sentence} (at block" in told
    )


def test_what_was_refused_once_and_came_later_is_no_problem() -> None:
    report = checked(VirtualSession("hills:1", HostOptions(faults=ServerFaults(refuse_percent=20))))
    assert (report.problems, report.exit_code) == ((), 0)


def test_undecodable_sub_chunks_name_packet_field_and_offset() -> None:
    (problem,) = checked(besieged(1, b"\x08\x01\x0f")).problems
    assert (problem.kind, problem.count) == ("undecodable", 9)
    assert "(SubChunk.payload.header at byte 2: " in problem.sentence


def test_what_is_asked_in_vain_ends_the_wait_early_and_is_late() -> None:
    world = Besieged(*(LevelChunk(at, 0, None, 0, None, TAIL) for at in AROUND))
    began = world.now
    report = checked(world, timeout_s=300.0)
    assert kinds(report) == [("late", 9)]
    assert report.problems[0].sentence.startswith("Late: requested ")
    assert world.now - began < 60.0
    assert (report.settled, report.exit_code) == (False, 1)
    assert report.waiting_for == "9 sub-chunks are requested and not answered yet"


def test_health_and_why_agree_that_what_was_asked_in_vain_may_still_come() -> None:
    silent = Besieged(*(LevelChunk(at, 0, None, 0, None, TAIL) for at in AROUND))
    for world, settled in ((silent, False), (besieged(6), True)):
        with world.connection(OPTIONS) as connection:
            report = report_on(connection, 300.0)
            place = why_report_on(connection, BlockPos(8, -60, 8), 300.0)
        assert report.settled == place.complete == settled
        assert (report.waiting_for == "") == (place.waiting_for == "") == settled


def test_what_is_hidden_is_named_with_the_option_that_requests_it() -> None:
    def far_sighted() -> VirtualSession:
        return VirtualSession("hills:1", config=SessionConfig(radius=6, player=SWIFT))

    report = checked(far_sighted())
    assert report.states["unknown"] > 0
    hidden = f"{report.states['unknown']} sub-chunks are hidden from the player and were not requested."
    assert report.hint.startswith(f"{hidden} To check them, too, add --pin-all ")
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
    assert problem.first_seen_s is not None, "when the first column beside it came"
    assert 0.0 <= problem.first_seen_s < 5.0
    assert f"never sent: 1 column, first at {problem.first_seen_s:.3f} s\n" in report.text()


def test_a_server_without_any_terrain_is_told_within_the_time() -> None:
    report = checked(Besieged(), timeout_s=5.0)
    assert kinds(report) == [("never sent", 25)]
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
    assert "its height map contradicts this" in lying.problems[0].sentence
    unknown = bytes([8, 1, 3]) + (0xAAAAAAAA).to_bytes(4, "little") * 128 + b"\x04" + b"\x02" + b"\xc8\xfd\xe0\x06"
    strange = checked(besieged(1, unknown))
    assert kinds(strange) == [("unknown block", 9)]
    assert "the palette of this protocol lacks one block id" in strange.problems[0].sentence


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
    assert "not final yet: its answer" in report.text()


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
        live = report_on(connection, 60.0)
    assert _plain(health(WorldFile(path), OPTIONS).problems) == _plain(live.problems)


def _plain(problems: Sequence[Problem]) -> list[tuple[str, int, str, tuple[tuple[int, ...], ...]]]:
    return [(each.kind, each.count, each.sentence, each.places) for each in problems]


def test_nobody_there_is_a_sentence() -> None:
    with pytest.raises(SourceError, match=r"127.0.0.1:9"):
        health(Remote("127.0.0.1", 9), Options(timeout_s=0.01))
