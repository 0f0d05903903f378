"""Numbers of the wire in words that the report and the inspector share.

Why: ``why`` tells a place that was never sent from one that was refused, late, undecodable, air, or seen by nobody.
"""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from client.connection.opening import open_connection
from client.errors import UsageError
from client.options import Moment, Options, parse_block
from client.report.packets import PacketFilter, write_packets
from client.report.why import ELSEWHERE, WhyReport, facts_of, why
from client.report.why_facts import DrawDiagnosis, PastEvent, RequestFacts, WhyFacts
from client.report.why_text import (
    SENTENCES,
    format_biome,
    format_history,
    format_request,
    lines,
    verdict,
)
from client.session.config import SessionConfig
from client.session.join_steps import STALLED_S
from client.source import WorldFile
from client.streaming.anchors import Anchor
from client.world.lifecycle import SubChunkState
from net.bedrock import ChunkRadiusUpdated, LevelChunk, Message, NetworkChunkPublisherUpdate, SubChunkEntry, UpdateBlock
from net.nbt import Compound, Int
from net.server.entities import FIRST_BOT
from net.server.faults import RefusalFault, ServerFaults, read_fault_script
from net.server.host_options import ColumnMode, HostOptions
from net.space import BlockPos, ColumnPos
from render.cli.report import json_of
from render.scene import diagnosis
from tests.recordings import recording
from tests.support.servers.hostile import Besieged
from tests.support.session.driven import Driven, skeleton
from tests.support.session.virtual import SWIFT, VirtualSession

DOCS = Path(__file__).parents[4] / "docs"

# ---------------------------------------------------------------- plain names


def test_a_biome_has_its_name_before_its_number_and_one_without_a_name_is_a_number() -> None:
    assert format_biome(4, "forest") == "forest (4)"
    assert format_biome(60_000, None) == "60000"


def test_a_strangers_name_stays_on_its_line_without_colours() -> None:
    assert format_biome(30_000, "a:\u00a7cglow\n\x1b[2Jing marsh") == "a:glow [2Jing marsh (30000)"


def test_of_a_request_only_what_happened_is_told() -> None:
    assert format_request(RequestFacts("free", 1, 2.0, 0, 0, None)) == "requested once, at 2.000 s"
    assert format_request(RequestFacts("outstanding", 3, 2.0, 0, 2, 4.0)) == (
        "requested 3 times, the latest at 2.000 s, not answered in time 2 times; next at 4.000 s, if no answer comes"
    )
    assert format_request(RequestFacts("waiting", 1, 2.0, 1, 0, 4.0)) == (
        "requested once, at 2.000 s, answered as not found once; next at 4.000 s"
    )
    refused = RequestFacts("closed", 1, 2.0, 0, 0, None)
    assert format_request(refused) == "requested once, at 2.000 s; will not be requested again"
    assert format_request(RequestFacts("closed", 0, 0.0, 0, 0, None)) == "never requested"


def test_a_history_counts_what_was_repeated_as_the_sentence_does() -> None:
    first = PastEvent(0.25, None, None, "requested", "unknown", "requested", None, None, 1)
    again = replace(first, at_s=15.0, before="requested", times=4)
    facts = cast("WhyFacts", SimpleNamespace(history=(first, again), history_lost=0))
    last = format_history(facts)[1]
    assert last == "     15.000 s  requested, the latest of 5  by chunkscope"
    lost = cast("WhyFacts", SimpleNamespace(history=(first, again), history_lost=3))
    assert "the latest of 4" in format_history(lost)[1], "older ones are not known any more"


# ---------------------------------------------------------------- why

AROUND = [ColumnPos(x, z) for x in (-1, 0, 1) for z in (-1, 0, 1)]
TAIL = b"\x01\x02" * 25 + b"\x00"  # 25 biome sections of one value, no border blocks
SPAWN = BlockPos(8, 70, 8)
CHEST: Compound = {"id": "Chest", "x": Int(3), "y": Int(-61), "z": Int(5)}


def besieged(result: int, payload: bytes = b"", limit: int | None = None, tail: bytes = TAIL) -> Besieged:
    """A server of nine columns that answers every request alike."""
    world = Besieged(
        NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64),
        ChunkRadiusUpdated(3),
        *(LevelChunk(at, 0, None, limit, None, tail) for at in AROUND),
    )
    world.server.answer = lambda offset: SubChunkEntry(*offset, result, payload)
    return world


def asked(world: VirtualSession, block: BlockPos = SPAWN, timeout_s: float = 20.0, *, ask: bool = False) -> WhyReport:
    with world.connection(Options(radius=2)) as connection:
        return why(connection, block, timeout_s, ask=ask, foresee=lambda _session, _block: DrawDiagnosis(True, "drawn"))


def of_recording(path: Path, block: BlockPos, start: Moment | None = None, *, ask: bool = False) -> WhyReport:
    with open_connection(WorldFile(path), Options(radius=2, start=start)) as played:
        return why(played, block, ask=ask)


def test_a_refused_place_names_the_code() -> None:
    report = asked(besieged(3))
    assert report.sentence == "Refused by the server: code 3, wrong dimension."
    assert (report.exit_code, report.facts.shown) == (0, "placeholder")
    last = report.facts.history[-1]
    assert (last.cause, last.code, last.packet_name) == ("answer_refused", 3, "SubChunk")
    assert f"code 3 (wrong dimension)  by packet {last.packet} (SubChunk)" in report.text()
    assert "refusal        the request named the overworld" in report.text().splitlines()


def test_what_the_server_does_wrong_elsewhere_is_in_json_and_the_last_line_says_where_to_read_it() -> None:
    report = asked(besieged(3))
    assert json.loads(json_of(report))["warnings"] == ["216 sub-chunks were refused: wrong dimension"]
    assert str(report) == report.text()
    assert report.text().splitlines()[-1].endswith("chunkscope health lists them")
    assert "chunkscope health" not in asked(VirtualSession("flat:1")).text()


def test_a_place_that_is_not_found_six_times_says_so() -> None:
    report = asked(besieged(2))
    assert report.sentence == "Refused by the server: code 2, chunk not found, 6 times."
    assert report.facts.request is not None
    assert (report.facts.request.status, report.facts.request.tries) == ("closed", 6)


def test_a_server_that_does_not_know_the_player_is_said_to_hold_all_requests_back() -> None:
    report = asked(besieged(4), timeout_s=5.0)
    held_back = "the server does not know the player (code 4), so requests wait until the player is spawned"
    assert re.fullmatch(
        rf"(Late: r|R)equested (once,|\S+ times, last) \S+ s ago: {re.escape(held_back)}\.", report.sentence
    )
    assert (report.exit_code, report.waiting_for) == (4, held_back)


def test_what_is_never_answered_is_not_waited_for_to_the_end() -> None:
    world = Besieged(*(LevelChunk(at, 0, None, None, None, TAIL) for at in AROUND))
    began = world.now
    late = asked(world, timeout_s=300.0)
    assert (late.sentence[:5], late.exit_code) == ("Late:", 4)
    assert world.now - began < 60.0


def test_an_undecodable_place_names_packet_field_and_offset() -> None:
    report = asked(besieged(1, b"\x08\x01\x0f"))
    assert report.sentence == (
        "Undecodable: the server's bytes for it are invalid (SubChunk.payload.header at byte 2: the bits per index "
        "are 7, not one of 0 1 2 3 4 5 6 8 16)."
    )
    assert report.exit_code == 0
    assert len(report.facts.faults) == 0, "of 216 faults the last ones are kept; this one is in the sentence"


@pytest.mark.parametrize(
    ("payload", "told"),
    [
        (b"\x7f", "SubChunk.payload.version at byte 0: the sub-chunk version is 127, not one of 0 to 9"),
        (b"\x08\x01\x03\x00", "SubChunk.payload.storage at byte 2: needs 513 bytes, but 2 are left"),
        (b"", "SubChunk.payload.storage at byte 0: needs 1 byte, but 0 are left"),
        (b"\x03" + bytes(9), "SubChunk.payload.storage at byte 0: needs 6145 bytes, but 10 are left"),
        (b"\x08\x01\x03" + bytes(512), "SubChunk.payload.storage at byte 515: needs 1 byte, but 0 are left"),
        (
            b"\x08\x01\x03" + bytes(512) + b"\x04\x02\x80",
            "SubChunk.payload.storage at byte 517: needs 2 bytes, but 1 are left",
        ),
    ],
)
def test_a_fault_says_what_was_read(payload: bytes, told: str) -> None:
    assert asked(besieged(1, payload)).facts.fault == told


def test_the_pages_show_what_is_said_of_an_undecodable_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole output of ``why``, and the entries of a good and a bad answer as ``packets`` lists them."""
    faults, path = read_fault_script((DOCS / "examples/faults/undecodable.toml").read_text("utf-8")), tmp_path / "a"
    world = VirtualSession("hills:1", HostOptions(faults=faults))
    with world.connection(Options(radius=2, record=path)) as connection:
        connection.wait_settled(30.0)
        text = why(connection, BlockPos(-8, -8, -40), 60.0, foresee=diagnosis.outlook).text()
    page = (DOCS / "howto/missing-chunks.md").read_text("utf-8")
    assert _of_any_run(text) in _of_any_run(page), f"docs/howto/missing-chunks.md does not show this:\n{text}"
    wanted = PacketFilter(types=("SubChunk",), at=BlockPos(-8, -8, -40))
    write_packets(WorldFile(path), wanted, fields=True)
    listed = {_of_any_run(line.strip()) for line in capsys.readouterr().out.splitlines()}
    example = (DOCS / "howto/packets.md").read_text("utf-8").split("good answer beside a bad one")[1].split("```")[1]
    shown = [line.strip() for line in example.splitlines()[1:]]
    assert len(shown) > 10
    assert [line for line in shown if _of_any_run(line) not in listed] == []


def test_the_history_on_the_page_about_recordings_is_printed_like_that() -> None:
    with VirtualSession("hills:1").connection(Options(radius=2)) as connection:
        connection.wait_settled(30.0)
        text = why(connection, BlockPos(0, 64, 0), 60.0).text()
    shown = (DOCS / "howto/record-and-replay.md").read_text("utf-8").split("history:")[1].split("```")[0]
    assert _of_any_run(shown.strip()) in _of_any_run(text)


def _of_any_run(text: str) -> str:
    """Without what depends on how the server puts its answers into packets: numbers of packets, offsets, times."""
    text = re.sub(r"^\d+(?= )", "OFFSET", text, flags=re.MULTILINE)
    return re.sub(r"(packet |entries\[)\d+|\d+\.\d+(?= s\b)", r"\1N", text)


def test_a_place_out_of_sight_or_reach_has_the_option_that_requests_it_and_one_never_published_an_end() -> None:
    far = BlockPos(1608, 70, 8)
    with VirtualSession("flat:1").connection(Options(radius=2)) as connection:
        report = why(connection, far, 60.0)
        assert "beyond the 3 up to which the server sends columns" in report.sentence
        assert report.hint == "To move the player there and request it, seen or not, add --ask."
        assert report.hint in report.text().splitlines()
        assert why(connection, BlockPos(8, -60, 8), 60.0).hint == ""
        there = why(connection, far, 60.0, ask=True)
        assert (there.hint, there.complete) == ("", True)
    world = Besieged(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 32), skeleton())
    began = world.now
    with world.connection(Options(radius=2)) as connection:
        report = why(connection, far, 300.0, ask=True)
    assert report.sentence.startswith("Never sent: its column was never announced; the server granted radius ")
    assert world.now - began < 60.0


def test_a_place_that_is_asked_in_vain_says_how_often() -> None:
    world = Besieged(*(LevelChunk(at, 0, None, None, None, TAIL) for at in AROUND))
    report = asked(world, timeout_s=5.0)
    assert report.facts.request is not None
    assert report.facts.request.requested > 1
    assert report.sentence.startswith(f"Late: requested {report.facts.request.requested} times, last ")
    assert report.sentence.endswith(" s ago, no answer yet.")
    assert (report.exit_code, report.complete) == (4, False)
    assert "not final: its answer may still come" in report.text()
    assert "state          requested, not answered in time; chunkscope shows a placeholder" in report.text()


def test_a_column_that_never_came_says_why_it_should_or_should_not() -> None:
    near, far = BlockPos(40, 70, 8), BlockPos(4000, 70, 8)
    assert asked(besieged(6), near).sentence == (
        "Never sent: its column was never announced, though it is within the radius that the server granted; "
        "3 of the 8 columns around it came."
    )
    report = asked(besieged(6), far)
    why_not = "it is 250 columns from the player, beyond the 3 up to which the server sends columns"
    assert report.sentence == f"Never sent: its column was never announced; {why_not}."
    assert (report.exit_code, report.facts.column, report.facts.history) == (0, None, ())


def test_air_above_the_limit_names_the_limit() -> None:
    report = asked(besieged(6, limit=7))
    assert report.sentence == "Known air: above the limit 7 that its column announced."
    assert report.facts.column is not None
    assert (report.facts.column.limit, report.facts.column.limit_section) == (7, 3)


def test_what_was_never_requested_has_no_height_map_and_is_not_said_to_be_requested() -> None:
    assert "height map" not in asked(besieged(6, limit=7)).text()
    assert "height map     the server sent no height map" in asked(besieged(6)).text()
    never = asked(besieged(6), BlockPos(40, 70, 8)).text()
    assert "state          column not sent; " in never
    assert "; in the ticking area; " in never or never.endswith("; in the ticking area\nhistory: no events")
    assert "requested even if hidden" not in never


def test_air_that_was_told_names_the_code() -> None:
    assert asked(besieged(6)).sentence == "All air: the server answered so (code 6)."


def test_bytes_behind_the_border_blocks_are_told() -> None:
    report = asked(besieged(6, tail=TAIL + b"abc"))
    assert report.facts.column is not None
    assert report.facts.column.excess_bytes == 3
    assert "3 bytes after its border blocks were ignored" in report.text()


def test_an_air_column_that_comes_whole_says_so() -> None:
    report = asked(VirtualSession("flat:1", HostOptions(mode=ColumnMode.FULL)))
    assert report.sentence == "All air: its column was sent whole and ends below it."


def test_a_place_that_nobody_can_see_is_asked_by_nobody_unless_it_is_wished() -> None:
    options = HostOptions(mode=ColumnMode.LIMITLESS)
    buried = BlockPos(90, -60, 8)  # under the ground, outside the ticking area
    report = asked(far_sighted(options), buried)
    assert report.sentence == "Not requested: not visible from the player, and outside the player's ticking area."
    assert (report.exit_code, report.facts.request, report.facts.want.ticking) == (0, None, False)
    report = asked(far_sighted(options), buried, ask=True)
    assert report.sentence.startswith("Received: ")
    assert "why" in report.facts.want.anchors


def far_sighted(options: HostOptions) -> VirtualSession:
    return VirtualSession("hills:1", options, SessionConfig(radius=6, player=SWIFT))


def test_blocks_beside_a_column_that_was_never_sent_are_said_to_be_too_dark() -> None:
    faults = ServerFaults(withheld=0.03, seed=27)
    assert faults.withholds(ColumnPos(2, 0))
    missing, beside = (
        asked(VirtualSession("flat:1", HostOptions(faults=faults)), BlockPos(x, -60, 8)).sentence for x in (40, 24)
    )
    assert missing.startswith("Never sent: its column was never announced, though it is within the radius ")
    assert beside.startswith("Received: ")
    assert beside.endswith("; its light may be too dark: 1 of the 8 columns around is not announced.")
    below = asked(VirtualSession("flat:1", HostOptions(faults=faults)), BlockPos(24, -61, 8))
    assert "light" not in below.sentence, "no light enters an opaque block, whatever is missing"
    assert below.facts.light is not None
    assert below.facts.light.final


def test_a_world_that_was_never_published_says_that_the_game_draws_nothing_of_it() -> None:
    faults = HostOptions(faults=ServerFaults(unpublished=True))
    for block in (BlockPos(3, -61, 5), BlockPos(3, 100, 5)):
        world = VirtualSession("flat:1", faults)
        began = world.now
        report = asked(world, block)
        assert world.now - began < STALLED_S, "at once, not when nothing has come for long"
        fault = "never published: NetworkChunkPublisherUpdate did not arrive, though "
        assert report.hint.startswith(f"The game draws nothing here ({fault}")
        assert report.hint.endswith(" To see all steps of the join: chunkscope join embedded:hills:1")
        assert report.text().splitlines()[1] == report.hint
        assert report.facts.want.join_fault.startswith(fault)
    assert asked(VirtualSession("flat:1")).hint == ""


def test_of_a_recording_whose_session_is_over_no_step_of_the_join_is_blamed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("client.session.session.STALLED_S", 0.0)  # the recording is shorter
    block = BlockPos(8, -60, 8)
    with open_connection(WorldFile(recording("bedrock-protocol-486")), Options()) as played:
        assert why(played, block, 20.0).sentence.startswith("Received: ")
        played.session.dimension.terrain.staleness.publisher = None
        played.session.spawn.closed_reason = "kicked"
        assert played.session.join_fault(played.now, steps_only=True) == "the session is over: kicked"
        report = why(played, block, 20.0)
    assert report.facts.want.in_circle is None
    assert report.hint == ""


def test_unknown_blocks_are_no_received_ones_and_a_mistake_of_the_server() -> None:
    unknown = bytes([8, 1, 3]) + (0xAAAAAAAA).to_bytes(4, "little") * 128 + b"\x04" + b"\x02" + b"\xc8\xfd\xe0\x06"
    report = asked(besieged(1, unknown))
    assert report.sentence == (
        "Unknown blocks: received, but 1 of its 2 block ids are not in the palette of protocol 486."
    )
    assert report.text().splitlines()[-1] == f"the server     {ELSEWHERE}"


def test_blocks_that_are_not_in_the_picture_say_first_why_not() -> None:
    with VirtualSession("flat:1").connection(Options(radius=2)) as connection:
        assert connection.wait_settled(20.0)
        lacks = DrawDiagnosis(False, "failed", "Unmeshed: its mesh could not be made")
        sentence = verdict(facts_of(connection.session, BlockPos(3, -61, 5), connection.now, lacks))
    assert sentence.startswith(
        "Unmeshed: its mesh could not be made; its blocks have arrived: grass (its sub-chunk has 4 b"
    )


@pytest.mark.parametrize("page", ["../README.md", "howto/missing-chunks.md"])
def test_every_state_has_a_sentence_whose_first_words_are_explained(page: str) -> None:
    table = (DOCS / page).read_text("utf-8").partition("| begins with |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| ([^|-][^|]*) \|", table, re.MULTILINE)
    explained = [words for cell in cells for words in cell.split(", ")]
    facts = asked(VirtualSession("flat:1")).facts
    silent, late = (RequestFacts("outstanding", 1, 0.0, 0, int(late), None, late) for late in (False, True))
    full = PastEvent(0.0, None, None, "released", "requested", "evicted", None, None, 1)
    looks = [None, *(DrawDiagnosis(False, "", f"{lacks}: it failed") for lacks in ("Unmeshed", "Unlit"))]
    sentences = [verdict(replace(facts, column=None), goes_on) for goes_on in (False, True)]
    for state in SENTENCES:
        for request in (None, silent, late):
            for outlook in looks:
                changed = replace(facts, state=state.name.lower(), request=request, outlook=outlook, history=())
                sentences += [verdict(changed), verdict(replace(changed, history=(full,)))]
                sentences.append(verdict(replace(changed, unknown_ids=1)))
                sentences.append(verdict(replace(changed, want=replace(facts.want, in_plan=False, ticking=False))))
    begun = [max(filter(each.startswith, explained), key=len, default=each) for each in sentences]
    assert sorted(set(begun)) == sorted(explained)


def test_data_is_told_with_palette_block_light_and_surface() -> None:
    report = asked(VirtualSession("flat:1"), BlockPos(3, -61, 5))
    facts = report.facts
    assert report.sentence.startswith("Received: grass (its sub-chunk has 4 block states)")
    assert facts.block_facts is not None
    assert facts.block_facts.name == "minecraft:grass"
    assert facts.states[0] == 4
    assert sum(count for _, count in facts.states[1]) == 4096
    assert facts.surface_y == -60
    assert facts.height_verdict.startswith("agrees")
    assert facts.light is not None
    assert (facts.light.daylight, facts.light.final) == (0, True)
    assert facts.outlook == DrawDiagnosis(True, "drawn")
    assert [event.cause for event in facts.history][-1] == "answer_data"
    assert facts.revision > 0
    assert "picture        drawn" in report.text()


def test_what_is_attached_to_the_block_is_told() -> None:
    world = VirtualSession("flat:1")
    with world.connection(Options(radius=2)) as connection:
        assert connection.wait_settled(20.0)
        block = BlockPos(3, -61, 5)
        store = connection.session.dimension.store
        store.put_entity(block, CHEST)
        store.crack(block, 655, world.now)
        facts = why(connection, block, 20.0).facts
    assert facts.block_facts is not None
    assert facts.block_facts.entity == CHEST
    assert facts.block_facts.mined is not None
    assert facts.entities == 1


def test_changes_that_wait_are_told() -> None:
    world = Besieged(*(LevelChunk(at, 0, None, None, None, TAIL) for at in AROUND))
    world.bear(UpdateBlock(SPAWN, 1))
    report = asked(world, timeout_s=2.0)
    assert [change[:4] for change in report.facts.waiting] == [(*SPAWN, 0)]
    assert "1 changes are held until its blocks arrive: 8,70,8 layer 0 to " in report.text()


def test_a_column_announced_again_says_that_its_older_blocks_are_shown() -> None:
    world = besieged(6)
    world.rest(2.0)
    world.server.answer = None
    world.bear(LevelChunk(ColumnPos(0, 0), 0, None, None, None, TAIL))
    report = asked(world, timeout_s=3.0)
    assert report.sentence.startswith("Announced again ")
    assert "its older blocks are shown until the new answer arrives. " in report.sentence
    assert report.exit_code == 4


@pytest.mark.parametrize("y", [-65, 320])
def test_a_block_outside_the_dimension_is_refused_with_its_range(y: int) -> None:
    with pytest.raises(UsageError, match=rf"8,{y},8 lies outside the overworld: y must be -64 to 319"):
        asked(besieged(6), BlockPos(8, y, 8))


def test_a_stale_column_says_what_makes_it_fresh_again() -> None:
    """The session's flag is told, not the circle: a column back inside is stale until it is announced again."""
    far, driven = ColumnPos(12, 0), Driven(radius=2)
    driven.join()
    driven.session.pin("look-out", Anchor.square(far, 0))
    block, wide, narrow = BlockPos(192, 70, 0), 256, 64

    def told(*messages: Message) -> tuple[bool, bool | None, str]:
        driven.receive(*messages)
        facts = facts_of(driven.session, block, driven.now)
        assert facts.column is not None
        return facts.column.stale, facts.want.in_circle, "\n".join(lines(facts))

    def circle(radius_blocks: int) -> Message:
        return NetworkChunkPublisherUpdate(SPAWN, radius_blocks)

    assert told(circle(wide), skeleton(), skeleton(far))[:2] == (False, True)
    stale, inside, text = told(circle(narrow))
    assert (stale, inside) == (True, False)
    assert "the server sends no updates of this column until it enters that area and is announced again" in text
    stale, inside, text = told(circle(wide))
    assert (stale, inside) == (True, True)
    assert "the server sends no updates of this column until it is announced again" in text
    stale, inside, text = told(skeleton(far))
    assert (stale, inside) == (False, True)
    assert "no updates" not in text


def test_a_changed_block_says_when_and_by_whom_as_far_as_the_packet_names_somebody() -> None:
    virtual, block = VirtualSession("flat:1", HostOptions(bots=1)), BlockPos(2, -61, 2)
    stone, glass = (virtual.host.dimensions.start.forms.home.named(name, {}) for name in ("stone", "glass"))
    with virtual.connection(Options(radius=2, light=False)) as connection:
        assert connection.wait_settled()
        for state, builder in ((stone, 0), (glass, FIRST_BOT), (stone, 1), (glass, 12345)):
            virtual.host.set_block(block, state, builder=builder)
            for _ in range(20):
                connection.pump()
        text = lines(facts_of(connection.session, block, connection.now))
    said = [re.sub(r" +[0-9.]+ s  packet [0-9]+  ", " ", line) for line in text if line.startswith("changed")]
    assert "UpdateBlock" not in "\n".join(text), "UpdateBlockSynced changed it, too"
    assert said == [
        "changed to stone, by unknown: the packet names no entity",
        f"changed to glass, by bot 1 (unique id {FIRST_BOT})",
        "changed to stone, by this player (unique id 1)",
        "changed to glass, by an unknown entity (unique id 12345)",
    ]


def test_a_refused_build_is_not_called_a_change() -> None:
    virtual = VirtualSession("flat:1")
    with virtual.connection(Options(radius=2, light=False)) as connection:
        assert connection.wait_settled()
        x, y, z = virtual.host.dimensions.start.world.spawn.feet
        ground = BlockPos.containing(x, y - 2, z)  # a block stands above it
        connection.build(ground, "glass")
        for _ in range(50):
            connection.pump()
        text = lines(facts_of(connection.session, ground._replace(y=ground.y + 1), connection.now))
    assert [line for line in text if line.startswith("changed")] == []
    said = [re.sub(r" +[0-9.]+ s  packet [0-9]+  ", " ", line) for line in text if line.startswith("unchanged")]
    assert said == [
        "unchanged still grass; a server that refuses a build sends the old block",
        "unchanged still air in the second layer; a server that refuses a build sends the old block",
    ]


def test_a_pinned_place_beyond_the_radius_says_that_requests_end_before_it() -> None:
    far, driven = ColumnPos(12, 0), Driven(radius=2)
    driven.join()
    driven.session.pin("look-out", Anchor.square(far, 0))
    driven.receive(skeleton(), skeleton(far))
    facts = facts_of(driven.session, BlockPos(192, -60, 0), driven.now)
    assert facts.want.anchors == ("look-out",)
    assert verdict(facts) == ("Not requested: it is 12 columns from the player; the server granted requests up to 3.")


def test_json_holds_the_same_facts() -> None:
    report = asked(besieged(3))
    said = json.loads(json_of(report))
    assert said["sentence"] == report.sentence
    assert said["complete"] is True
    assert said["facts"]["block"] == [8, 70, 8]
    assert said["facts"]["history"][-1]["code_name"] == "wrong dimension"


def test_every_state_has_a_sentence() -> None:
    assert set(SENTENCES) == set(SubChunkState) - {SubChunkState.OUTSIDE}


@pytest.mark.parametrize(
    "faults", [ServerFaults(), ServerFaults(refusals=(RefusalFault(2, times=100),))], ids=["sent", "refused"]
)
def test_a_recording_tells_what_the_session_told(tmp_path: Path, faults: ServerFaults) -> None:
    block, path = BlockPos(8, 40, 8), tmp_path / "a.cscope"
    with VirtualSession("hills:1", HostOptions(faults=faults)).connection(Options(radius=2, record=path)) as connection:
        live = why(connection, block, 60.0)
    again = of_recording(path, block)
    assert again.sentence == live.sentence
    assert again.facts.history == live.facts.history
    assert again.facts.states == live.facts.states
    assert (again.facts.code, again.facts.request, again.exit_code) == (live.facts.code, live.facts.request, 0)


def test_a_recording_is_looked_at_where_one_says_and_asked_for_nothing(tmp_path: Path) -> None:
    block, path = BlockPos(8, 40, 8), tmp_path / "a.cscope"
    with VirtualSession("hills:1").connection(Options(radius=2, record=path)) as connection:
        live = why(connection, block, 60.0)
    (asked_s,) = (event.at_s for event in live.facts.history if event.cause == "requested")
    before = of_recording(path, block, start=Moment(asked_s))
    assert before.sentence.startswith("Requested once, ")
    assert (before.exit_code, before.waiting_for[-16:]) == (4, "not answered yet")
    with pytest.raises(UsageError, match="recording"):
        of_recording(path, block, ask=True)


def test_the_packet_that_the_history_names_is_where_a_recording_shows_the_change(tmp_path: Path) -> None:
    block, path = BlockPos(8, 40, 8), tmp_path / "a.cscope"
    with VirtualSession("hills:1").connection(Options(radius=2, record=path)) as connection:
        live = why(connection, block, 60.0)
    (packet,) = (event.packet for event in live.facts.history if event.cause == "answer_data")
    assert packet is not None
    there, before = (of_recording(path, block, start=Moment(packet=n)) for n in (packet, packet - 1))
    assert there.facts.state == "data" != before.facts.state
    announced = next(event.packet for event in live.facts.history if event.packet is not None)
    sooner = of_recording(path, block, start=Moment(packet=announced - 1))
    assert sooner.sentence.startswith("Not sent so far: ")


def test_blocks_are_read_from_numbers() -> None:
    assert parse_block("8,-60.5,-0.5") == BlockPos(8, -61, -1)
    for bad in ("1,2", "a,b,c", "nan,0,0", "1e12,0,0"):
        with pytest.raises(UsageError, match="is not a block"):
            parse_block(bad)
