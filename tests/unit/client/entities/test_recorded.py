"""Entities of recordings, of the past and of checkpoints are those that were there then."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.entities.table import EntityRow
from client.options import Options
from client.recording.checkpoints import Checkpoint
from client.report.entities import entity_report
from client.session.session import Session
from client.source import WorldFile
from net.bedrock import AddActor, EntityValue, Message, MoveActorAbsolute, MoveActorDelta, RemoveActor, SetActorData
from net.bedrock.packets.entity_values import ValueType
from net.peer.packet_stream import Received
from tests.recordings import recording
from tests.support.session.past import arrive, remembering
from tests.support.session.virtual import VirtualSession

NAMED = (EntityValue(4, ValueType.STRING, "Bessie"),)
Tell = Callable[..., None]


@pytest.fixture
def virtual(monkeypatch: pytest.MonkeyPatch) -> tuple[VirtualSession, Tell]:
    """A session, and what makes its server say more."""
    virtual = VirtualSession("flat:1")
    heard, more = virtual.link.events, list[Message]()

    def events() -> list[object]:
        said = [Received(message, virtual.now, 0, 0) for message in more]
        more.clear()
        return [*heard(), *said]

    monkeypatch.setattr(virtual.link, "events", events)
    return virtual, lambda *messages: more.extend(messages)


def facts(session: Session) -> tuple[EntityRow, ...]:
    """All that is known but for the packet's number, which what is put in between here does not have."""
    known = (replace(one, packet=0) for one in session.entities.rows(0.0, 0.0))
    return tuple(sorted(known, key=lambda one: one.number))


def tell_a_story(live: Connection, tell: Tell) -> list[tuple[EntityRow, ...]]:
    """Ten pigs that walk; one is named, one is removed. What was known after each step."""
    x, y, z = live.session.movement.eye
    known = []
    tell(*(AddActor(-at, at, "minecraft:pig", (x + at, y, z)) for at in range(100, 110)))
    steps = (
        lambda step: MoveActorDelta(100 + step, x=x - step),
        lambda step: MoveActorAbsolute(105, (x, y + step, z), yaw=90.0),
        lambda step: SetActorData(102, NAMED),
        lambda step: RemoveActor(-109 + step % 2),
    )
    for step in range(8):
        tell(steps[step % 4](step))
        for _ in range(30):
            live.pump()
        known.append(facts(live.session))
    return known


def test_a_recording_shows_the_entities_of_each_moment(virtual: tuple[VirtualSession, Tell], tmp_path: Path) -> None:
    session, tell = virtual
    path = tmp_path / "a.cscope"
    with session.connection(Options(radius=2, light=False, record=path)) as live:
        live.wait_settled()
        known = tell_a_story(live, tell)
    with open_connection(WorldFile(path), Options(light=False)) as again:
        assert again.replay
        duration_s = again.replay.duration_s
        for _ in range(2):  # forward, then back and forward again
            again.replay.seek(0.0)
            again.replay.run()
            assert not facts(again.replay.session)
            again.replay.seek(duration_s)
            again.replay.run()
            assert facts(again.replay.session) == known[-1]
    assert len(known[0]) == 10
    assert len(known[-1]) == 9


def test_looking_back_shows_the_entities_of_then(virtual: tuple[VirtualSession, Tell]) -> None:
    session, tell = virtual
    live = remembering(session)
    assert live.past
    known = tell_a_story(live, tell)
    now = facts(live.session)
    live.past.look_back(2.0)
    arrive(live)
    assert facts(live.session) in known[:-1]
    live.past.to_present()
    assert facts(live.session) == now


def test_a_checkpoint_holds_them_packed_or_not(virtual: tuple[VirtualSession, Tell]) -> None:
    session, tell = virtual
    with session.connection(Options(radius=2, light=False)) as live:
        live.wait_settled()
        tell_a_story(live, tell)
        known = facts(live.session)
        checkpoint = Checkpoint(live.session)
        tell(RemoveActor(-100), MoveActorDelta(101, y=90.0))
        live.pump()
        assert facts(live.session) != known
        assert facts(checkpoint.begin()) == known
        checkpoint.pack()
        begun = checkpoint.begin()
        assert facts(begun) == known
        assert begun.entities is begun.dispatcher.entities


FALL_BLOCKS = 3.0
OF_DRAGONFLY = {
    ("falling_block 'A text'", "minecraft:air", 4.5),
    ("item", "minecraft:stone", 0.0),
    ("item", "", 0.0),
    ("tnt", "", 0.0),
    ("ender_crystal 'A crystal'", "", 4.5),
    ("player 'npc'", "", 0.0),
}
OF_SERENITY = {
    ("cow 'A cow'", "", 0.0),
    ("zombie", "", 0.0),
    ("item", "minecraft:stone", 0.0),
    ("item", "", 0.0),
}


@pytest.mark.parametrize(
    ("name", "standing", "fell", "findings"),
    [
        ("dragonfly-entities-2168", OF_DRAGONFLY, {"falling_block", "item", "player 'npc'", "tnt"}, set()),
        ("serenity-entities-975", OF_SERENITY, {"cow 'A cow'", "item"}, {"data without add", "move without add"}),
    ],
)
def test_entities_of_other_servers_fall_and_land(
    name: str, standing: set[tuple[str, str, float]], fell: set[str], findings: set[str]
) -> None:
    heights: dict[tuple[str, str], list[float]] = {}
    with open_connection(WorldFile(recording(name)), Options(light=False)) as again:
        assert again.replay
        for step in range(41):
            again.replay.seek(again.replay.duration_s * step / 40)
            again.replay.run()
            report = entity_report(again.replay.session, again.now)
            for row in report.entities:
                heights.setdefault((row.title, row.block), []).append(row.at[1])
    assert {(row.title, row.block, round(row.at[1], 1)) for row in report.entities} == standing
    assert fell <= {title for (title, _), seen in heights.items() if max(seen) - min(seen) > FALL_BLOCKS}
    assert {finding.kind for finding in report.findings} == findings
    assert ("falling_block", "minecraft:sand") in heights or "falling_block" not in fell
