"""What a fault script asks for happens to a client of a real host, the same way every time.

Fault scripts: What they say is what happens, and what they say wrongly is told in a sentence.
"""

import pytest

from net.bedrock import ChangeDimension, HeightKind, LevelChunk, UpdateBlock, UpdateSubChunkBlocks
from net.server.faults import (
    ALWAYS,
    BadFaultScript,
    Every,
    FaultEvent,
    FaultSchedule,
    FaultyHost,
    Kick,
    RefusalFault,
    ServerFaults,
    SilenceFault,
    read_fault_script,
)
from net.server.host_options import HostOptions
from net.server.worlds.world import FlatWorld
from net.space import ColumnPos, SubChunkPos
from net.subchunk.decode import scan
from net.subchunk.storage import SubChunkFault
from net.transport.faulty import WireFaults
from tests.support.session.plain_client import COLUMNS, BenchJoin, Talk, bench_host, make_host
from tests.support.worlds.server import three_dimensions

AROUND = {ColumnPos(x, z) for x in range(-2, 3) for z in range(-2, 3)}
GROUND = [(0, 0, 0), (0, 4, 0), (0, 5, 0)]


def talk(faults: ServerFaults, radius: int = 2) -> Talk:
    joined = Talk(make_host(FlatWorld(), HostOptions(faults=faults)))
    joined.join(radius)
    return joined


def ask(joined: Talk) -> dict[SubChunkPos, int]:
    """Results of one round of requests, places that stay unanswered missing."""
    joined.entries.clear()
    for column in joined.columns:
        joined.ask(SubChunkPos(column.x, -4, column.z), GROUND)
    joined.rest(1.0)
    return {place: entry.result for place, entry in joined.entries.items()}


def test_refusals_come_with_their_code_so_often_as_they_should() -> None:
    joined = talk(ServerFaults(refusals=(RefusalFault(4, 0.5, 2),)))
    rounds = [ask(joined) for _ in range(3)]
    refused = {place for place, result in rounds[0].items() if result == 4}
    assert 20 < len(refused) < 55
    assert {place for place, result in rounds[1].items() if result == 4} == refused
    assert all(result != 4 for result in rounds[2].values())


def test_a_code_nobody_knows_can_be_refused_for_ever() -> None:
    joined = talk(ServerFaults(refusals=(RefusalFault(200, 1.0, ALWAYS),)))
    assert all(set(ask(joined).values()) == {200} for _ in range(3))


def test_unanswered_places_are_answered_when_asked_again() -> None:
    joined = talk(ServerFaults(unanswered=0.3))
    first, second = ask(joined), ask(joined)
    assert 40 < len(first) < 75
    assert len(second) == 75


def test_places_may_stay_unanswered_more_than_once_and_for_ever() -> None:
    twice = talk(ServerFaults(unanswered=0.3, unanswered_times=2))
    first, second, third = (set(ask(twice)) for _ in range(3))
    assert first == second < third
    never = talk(ServerFaults(unanswered=0.3, unanswered_times=ALWAYS))
    assert all(set(ask(never)) == first for _ in range(3))


def test_columns_that_are_withheld_are_never_announced() -> None:
    faults = ServerFaults(withheld=0.3, replacement=Every(0.5, 25), seed=1)
    withheld = {column for column in AROUND if faults.withholds(column)}
    assert 3 < len(withheld) < 13
    joined = Talk(make_host(FlatWorld(), HostOptions(faults=faults)))
    joined.join(2, len(withheld))
    joined.rest(2.0)
    assert set(joined.columns) == AROUND - withheld


def test_partial_answers_leave_out_the_rest_of_a_request() -> None:
    assert len(ask(talk(ServerFaults(partial=1.0)))) == 25


def test_answers_may_name_another_dimension() -> None:
    joined = talk(ServerFaults(wrong_dimension=0.4))
    ask(joined)
    named = [packet.dimension for packet in joined.packets]
    assert set(named) == {0, 1}
    assert 3 < named.count(1) < 18


def test_height_maps_may_say_the_opposite_of_the_blocks() -> None:
    joined = talk(ServerFaults(contradicting_heights=1.0))
    ask(joined)
    by_section = {place.y: entry.height_kind for place, entry in joined.entries.items()}
    assert by_section == {-4: HeightKind.ALL_TOO_LOW, 0: HeightKind.ALL_TOO_HIGH, 1: HeightKind.ALL_TOO_HIGH}


def test_payloads_may_be_spoiled_the_same_way_every_time() -> None:
    honest, joined, again = talk(ServerFaults()), talk(ServerFaults(corrupted=0.5)), talk(ServerFaults(corrupted=0.5))
    for each in (honest, joined, again):
        ask(each)
    spoilt = {place: entry.payload for place, entry in joined.entries.items()}
    assert spoilt == {place: entry.payload for place, entry in again.entries.items()}
    broken = {place for place, payload in spoilt.items() if payload != honest.entries[place].payload}
    assert 5 < len(broken) < 20  # of 25 sub-chunks with blocks
    assert all(scan([spoilt[place]]).status[0] != SubChunkFault.NONE for place in broken)
    assert {len(spoilt[place]) == len(honest.entries[place].payload) for place in broken} == {True, False}
    assert not any(spoilt[place] for place, entry in joined.entries.items() if entry.result == 6)


def test_columns_are_announced_again() -> None:
    joined = talk(ServerFaults(replacement=Every(0.5, 3)))
    before = len(joined.of(LevelChunk))
    joined.rest(2.2)
    assert 9 <= len(joined.of(LevelChunk)) - before <= 15


def test_blocks_change_in_bursts() -> None:
    joined = talk(ServerFaults(updates=Every(0.5, 40)))
    joined.rest(2.2)
    many = [message for message in joined.heard if isinstance(message, UpdateSubChunkBlocks)]
    changed = len(joined.of(UpdateBlock)) + sum(len(message.layer0) for message in many)
    assert 100 <= changed <= 200  # 40 a burst; two at one place within a tick are one


def test_what_is_due_while_a_client_has_no_column_waits_for_one() -> None:
    columns = [ColumnPos(0, 0)]
    schedule = FaultSchedule(ServerFaults(replacement=Every(10.0, 1), updates=Every(10.0, 1)), 0)
    schedule.due([], 0.0)
    assert schedule.due([], 10.0) == FaultEvent([], [])
    late = schedule.due(columns, 10.05)
    assert (late.replaced, len(late.edits)) == (columns, 1)
    assert schedule.due(columns, 19.95) == FaultEvent([], [])
    assert schedule.due(columns, 20.0).replaced == columns


def test_players_are_taken_through_all_dimensions() -> None:
    joined = Talk(three_dimensions(HostOptions(faults=ServerFaults(crossing_s=1.0))))
    joined.join(1)
    assert joined.run(lambda: len(joined.of(ChangeDimension)) == 4)
    assert [change.dimension for change in joined.of(ChangeDimension)] == [1, 2, 0, 1]
    assert 3.0 < joined.wire.now < 7.0
    alone = Talk(make_host(FlatWorld(), HostOptions(faults=ServerFaults(crossing_s=1.0))))
    alone.join(1)
    alone.rest(2.5)
    assert alone.of(ChangeDimension) == []


def test_a_kick_says_why() -> None:
    joined = talk(ServerFaults(kick=Kick(1.0, "enough")))
    assert joined.run(lambda: joined.closed is not None)
    assert "enough" in str(joined.closed)


def test_troubles_repeat_with_the_seed() -> None:
    def story(seed: int) -> list[object]:
        joined = talk(ServerFaults(seed=seed, updates=Every(0.3, 5), replacement=Every(0.4, 2)))
        joined.rest(2.0)
        return [message.position for message in joined.heard if isinstance(message, UpdateBlock)]

    assert story(1) == story(1) != story(2)


@pytest.mark.parametrize("for_s", [3.0, float("inf")])
def test_a_silent_server_comes_back_or_is_given_up(for_s: float) -> None:
    faults = ServerFaults(silence=SilenceFault(0.3, for_s), up=WireFaults(delay_s=0.02), down=WireFaults(delay_s=0.02))
    join = BenchJoin(FaultyHost(bench_host(), faults))
    assert join.run(30.0)
    if for_s < 10:
        assert len(join.columns) == COLUMNS
    else:
        assert join.closed == "the other side has been silent for 10 s"


def test_each_client_has_wires_of_its_own_and_they_repeat() -> None:
    wire = WireFaults(loss=0.1, delay_s=0.02, jitter_s=0.05, reordering=0.1)

    def order(seed: int) -> tuple[float, list[object]]:
        join = BenchJoin(FaultyHost(bench_host(), ServerFaults(seed=seed, up=wire, down=wire)))
        assert join.run(120.0)
        return join.link.now, list(join.order)

    first, again, other = order(1), order(1), order(2)
    assert first[0] == pytest.approx(again[0], abs=2.0)  # signatures differ in size from run to run
    assert len(first[1]) == len(again[1]) == len(other[1])


# ---------------------------------------------------------------- fault script

WHOLE = """
seed = 7

[wire]
delay_ms = [50, 300]
loss = 0.3
reordering = 0.2
duplication = 0.1

[wire.down]
loss = 0
queue_datagrams = 45

[answers]
delay_ms = 200
reverse = true
unanswered = 0.1
unanswered_times = "always"
partial = 0.2
wrong_dimension = 0.05
contradicting_heights = 0.5
corrupted = 0.1

[[refusals]]
code = "chunk_not_found"
share = 0.25
times = 2

[[refusals]]
code = 3
times = "always"

[columns]
withheld = 0.05

[replacement]
every_s = 2.0
columns = 4

[updates]
every_s = 1
blocks = 500

[crossing]
every_s = 20

[kick]
after_s = 30
reason = "enough"

[silence]
after_s = 10
for_s = 3
"""


def test_everything_that_can_be_said_is_understood() -> None:
    up = WireFaults(loss=0.3, repetition=0.1, delay_s=0.05, jitter_s=0.25, reordering=0.2)
    assert read_fault_script(WHOLE) == ServerFaults(
        delay_s=0.2,
        reverse=True,
        seed=7,
        refusals=(RefusalFault(2, 0.25, 2), RefusalFault(3, 1.0, ALWAYS)),
        unanswered=0.1,
        unanswered_times=ALWAYS,
        partial=0.2,
        wrong_dimension=0.05,
        contradicting_heights=0.5,
        corrupted=0.1,
        withheld=0.05,
        replacement=Every(2.0, 4),
        updates=Every(1.0, 500),
        crossing_s=20.0,
        kick=Kick(30.0, "enough"),
        silence=SilenceFault(10.0, 3.0),
        up=up,
        down=WireFaults(loss=0.0, repetition=0.1, delay_s=0.05, jitter_s=0.25, reordering=0.2, queue_datagrams=45),
    )


def test_an_empty_script_is_no_fault() -> None:
    assert read_fault_script("") == ServerFaults()
    assert not ServerFaults().spoil_the_wire


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[wire]\nlos = 0.5\n", "bad.toml, line 2: unknown key 'los' in [wire]; did you mean 'loss'?"),
        (
            "[wire]\ndelay_ms = 1\n\n[wire.up]\nreordring = 1\n",
            "bad.toml, line 5: unknown key 'reordring' in [wire.up]",
        ),
        (
            "seed = 1\n[refusal]\ncode = 1\n",
            "bad.toml, line 2: unknown key 'refusal'; did you mean 'refusals'?",
        ),
        ("[wire]\nloss = 30\n", "bad.toml, line 2: 'loss' in [wire] is 30; it must be a number from 0 to 1."),
        (
            "[wire]\ndelay_ms = [300, 50]\n",
            "line 2: 'delay_ms' in [wire] is [300, 50]; it must be milliseconds, or [least",
        ),
        ("[[refusals]]\ncode = 1\n[[refusals]]\ncode = 'no'\n", "line 4: 'code' in [refusals] is 'no'; it must be a"),
        ("[[refusals]]\ncode = 1\n[[refusals]]\nshare = 1\n", "bad.toml, line 3: [refusals] needs 'code'."),
        ("[kick]\nreason = 'x'\n", "bad.toml, line 1: [kick] needs 'after_s'."),
        ("[kick]\n", "bad.toml, line 1: [kick] needs 'after_s'."),
        ("[answers]\nreverse = 1\n", "bad.toml, line 2: 'reverse' in [answers] is 1; it must be true or false."),
        ("seed = 'x'\n", "bad.toml, line 1: 'seed' is 'x'; it must be a whole number."),
        ("refusals = 3\n", "bad.toml, line 1: 'refusals' must be written as [[refusals]]."),
        ("wire = 3\n", "bad.toml, line 1: 'wire' must be a table, [wire]."),
        ("[wire]\nup = 3\n", "bad.toml, line 2: 'up' in [wire] is 3; it must be a table."),
        (
            "[updates]\nevery_s = 0\nblocks = 1\n",
            "line 2: 'every_s' in [updates] is 0; it must be seconds, 0.05 or more.",
        ),
        ("[wire]\nloss = = 1\n", "bad.toml is not valid TOML: Invalid value (at line 2, column 8)."),
        ("seed = " + "[" * 5000 + "]" * 5000, "bad.toml is nested too deeply for any fault script."),
        ("xyzzy = 1\n", "bad.toml, line 1: unknown key 'xyzzy'; choose from seed, wire, answers"),
    ],
)
def test_a_wrong_script_is_told_by_line_and_key(text: str, message: str) -> None:
    with pytest.raises(BadFaultScript) as caught:
        read_fault_script(text, "bad.toml")
    assert message in str(caught.value)
