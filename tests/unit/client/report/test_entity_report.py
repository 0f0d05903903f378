"""What a server does with entities is told in words and numbers: who is there, and what should not be."""

import json

import msgspec
import pytest

from client.entities.table import Entities
from client.report.entities import LISTED, REMOVAL_DUE_S, SHOWN_TYPES, EntityReport, entity_report, standing_in
from client.report.why import facts_of
from client.report.why_text import lines
from net.bedrock import (
    AddActor,
    EntityValue,
    MoveActorDelta,
    NetworkChunkPublisherUpdate,
    RemoveActor,
    SetActorData,
)
from net.bedrock.packets.entity_values import ValueType
from net.space import BlockPos, ColumnPos, SubChunkPos
from tests.support.session.driven import Driven, skeleton

PLACE = (1.5, 64.0, 2.5)


def cow(at: int, x: float = 1.5, kind: str = "minecraft:cow") -> AddActor:
    return AddActor(-at, at, kind, (x, 64.0, 2.5), metadata=(EntityValue(38, ValueType.FLOAT, float("nan")),))


@pytest.fixture
def driven() -> Driven:
    driven = Driven()
    driven.join()
    driven.receive(skeleton(), cow(7), cow(8), cow(9, kind="minecraft:bat"))
    return driven


def report_of(driven: Driven) -> EntityReport:
    return entity_report(driven.session, driven.now)


def test_a_server_that_does_nothing_wrong_has_no_findings(driven: Driven) -> None:
    report = report_of(driven)
    assert report.findings == ()
    assert dict(report.types) == {"minecraft:cow": 2, "minecraft:bat": 1}
    assert (report.count, report.added, report.more) == (3, 3, 0)
    assert report.text().startswith("entities: 3 (2 cow, 1 bat)")


def test_only_the_most_frequent_types_are_named(driven: Driven) -> None:
    driven.receive(*(cow(at, kind=f"acme:{at}") for at in range(100, 100 + SHOWN_TYPES)))
    named = report_of(driven).type_counts().split(", ")
    assert named[0] == "2 cow"
    assert len(named) == SHOWN_TYPES + 1
    assert named[-1] == "2 further types"


def test_each_is_told_with_its_age_and_what_it_says_by_name(driven: Driven) -> None:
    driven.tick(1.0)
    driven.receive(SetActorData(7, (EntityValue(4, ValueType.STRING, "Bessie"),)))
    rows = {row.runtime_id: row for row in report_of(driven).entities}
    assert rows[7].metadata == {"scale": "nan", "name": "Bessie"}
    assert rows[7].age_s == pytest.approx(0.05)
    assert rows[8].age_s == pytest.approx(1.1)
    assert json.loads(json.dumps(msgspec.to_builtins(report_of(driven)), allow_nan=False))


def test_only_those_that_are_listed_are_read(driven: Driven, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thousand took a second of the frame that showed the panel, and 0.8 s of one with the inspector."""
    read: list[int] = []
    row = Entities._row
    monkeypatch.setattr(Entities, "_row", lambda self, at, *times: (read.append(at), row(self, at, *times))[1])
    driven.receive(*(cow(at, x=1000.0 + at) for at in range(100, 140)))
    report = entity_report(driven.session, driven.now, most=2)
    assert (len(report.entities), report.more) == (2, 41)
    assert [(finding.kind, finding.count, len(finding.last)) for finding in report.findings] == [
        ("outside the radius", 40, LISTED)
    ]
    assert len(read) == 2 + LISTED
    read.clear()
    standing = standing_in(driven.session, SubChunkPos(0, 4, 0), driven.now, most=2)
    assert [row.runtime_id for row in standing] == [7, 8]
    assert len(read) == 2


def test_a_reused_id_and_moves_without_an_add_are_found(driven: Driven) -> None:
    driven.receive(cow(7), MoveActorDelta(99, y=1.0), MoveActorDelta(99, y=1.0), RemoveActor(-98))
    found = {finding.kind: finding for finding in report_of(driven).findings}
    assert {kind: finding.count for kind, finding in found.items()} == {
        "id reused": 1,
        "move without add": 2,
        "remove without add": 1,
    }
    assert "runtime id 99" in found["move without add"].last[0]


def test_one_outside_the_radius_is_found(driven: Driven) -> None:
    driven.receive(cow(10, x=16 * 30.0))
    (finding,) = report_of(driven).findings
    assert (finding.kind, finding.count) == ("outside the radius", 1)
    assert "30 columns away" in finding.last[0]


def test_one_that_was_never_removed_is_found_after_some_time(driven: Driven) -> None:
    driven.receive(skeleton(ColumnPos(40, 0)), cow(10, x=16 * 40.0), cow(11, x=16 * 40.0))
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(8, 64, 8), 64))
    assert report_of(driven).findings == ()
    driven.receive(RemoveActor(-11))
    driven.tick(REMOVAL_DUE_S)
    (finding,) = report_of(driven).findings
    assert (finding.kind, finding.count) == ("never removed", 1)
    assert "unique id -10" in finding.last[0]


def test_what_stands_in_a_sub_chunk_is_told_where_one_asks_why(driven: Driven) -> None:
    facts = facts_of(driven.session, BlockPos(8, 70, 8), driven.now)
    assert [row.type for row in facts.standing] == ["minecraft:cow", "minecraft:cow", "minecraft:bat"]
    assert any(line.startswith("standing") and "minecraft:bat" in line for line in lines(facts))
    assert facts_of(driven.session, BlockPos(8, 100, 8), driven.now).standing == ()
