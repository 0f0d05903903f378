"""When ticks are saved, and what happens when a storage does not do what it should."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from net.server.save.transactions import Generation, Row, SavePhase, SaveTriggers, Transactions

TRIGGERS = SaveTriggers(interval_s=30.0, dirty_bytes=1000, idle_s=5.0, timeout_s=10.0, retry_s=5.0)


@dataclass
class Task:
    """A storage, or the record, that is done when the test says so."""

    name: str
    tick: int = 0
    busy: bool = False
    failure: str | None = None
    waits: bool = True
    log: list[str] = field(default_factory=list)

    def begin(self, tick: int, rows: Generation | None = None) -> None:
        assert not self.busy
        self.busy, self.failure = True, None
        self.log.append(f"begin {tick} {sorted(rows()) if rows else ''}".strip())
        self.begun = tick

    def end(self, failure: str | None = None) -> None:
        self.busy, self.failure = False, failure
        if failure is None:
            self.tick = self.begun

    def complete(self, tick: int) -> None:
        assert not self.busy
        self.log.append(f"complete {tick}")

    def read(self, low: bytes, high: bytes) -> Sequence[Row]:
        raise AssertionError

    def wait(self, longest_s: float) -> bool:
        if self.busy and self.waits:
            self.end()
        return not self.busy

    def close(self) -> None:
        raise AssertionError


class Source:
    """What changes when the test says so."""

    def __init__(self, name: str) -> None:
        self.storage = Task(name)
        self.changes = 0
        self.newer: set[str] = set()
        self.taken: set[str] = set()

    def change(self, what: str) -> None:
        self.changes += 1
        self.newer.add(what)

    @property
    def dirty_bytes(self) -> int:
        return sum(map(len, self.newer))

    def take(self) -> Generation:
        self.taken, self.newer = self.newer, set()
        rows = [(what.encode(), b"") for what in self.taken]
        return lambda: rows

    def settle(self, *, stored: bool) -> None:
        if not stored:
            self.newer |= self.taken
        self.taken = set()


class Bench:
    """Two storages and a record, at tick 0 and time 0."""

    def __init__(self) -> None:
        self.terrain, self.players = Source("terrain"), Source("players")
        self.record = Task("record")
        self.warned: list[str] = []
        self.saved: list[int] = []
        sources = (self.terrain, self.players)
        self.made = Transactions(sources, self.record, TRIGGERS, self.warned.append, self.saved.append)
        self.tick = 0

    def at(self, now: float) -> SavePhase:
        self.tick += 1
        self.made.after_tick(self.tick, now)
        return self.made.phase

    def begun(self) -> "Bench":
        self.terrain.change("a")
        assert [self.at(0.0), self.at(5.0)] == [SavePhase.IDLE, SavePhase.WRITING]
        return self


def test_nothing_is_saved_while_nothing_changes() -> None:
    bench = Bench()
    assert {bench.at(now * 10.0) for now in range(20)} == {SavePhase.IDLE}


def test_idleness_begins_a_snapshot() -> None:
    bench = Bench()
    bench.at(0.0)
    bench.terrain.change("a")
    assert [bench.at(now) for now in (1.0, 5.9, 6.0)] == [SavePhase.IDLE, SavePhase.IDLE, SavePhase.WRITING]


def test_the_interval_begins_one_though_something_changes_all_the_time() -> None:
    bench = Bench()
    phases = []
    for now in range(31):
        bench.terrain.change("a")
        phases.append(bench.at(float(now)))
    assert phases == [SavePhase.IDLE] * 30 + [SavePhase.WRITING]


def test_many_changed_bytes_begin_one_at_once() -> None:
    bench = Bench()
    bench.terrain.change("a" * 500)
    assert bench.at(0.0) is SavePhase.IDLE
    bench.players.change("b" * 500)
    assert bench.at(0.1) is SavePhase.WRITING


def test_a_tick_counts_when_all_have_reported_and_the_record_names_it() -> None:
    bench = Bench().begun()
    bench.terrain.storage.end()
    assert bench.at(5.1) is SavePhase.WRITING
    bench.players.storage.end()
    assert bench.at(5.2) is SavePhase.COMMITTING
    assert (bench.saved, bench.terrain.taken) == ([], {"a"})
    assert bench.terrain.storage.log == ["begin 2 [(b'a', b'')]"]
    bench.record.end()
    assert bench.at(5.3) is SavePhase.IDLE
    assert bench.saved == [2]
    assert bench.terrain.storage.log[1:] == ["complete 2"]
    assert bench.record.log == ["begin 2"]
    assert bench.warned == []


def test_the_next_one_waits_for_the_one_under_way() -> None:
    bench = Bench().begun()
    bench.terrain.change("b" * 5000)
    assert {bench.at(5.0 + now) for now in range(100)} == {SavePhase.WRITING}
    bench.terrain.storage.end()
    bench.players.storage.end()
    bench.at(106.0)
    bench.record.end()
    assert bench.at(107.0) is SavePhase.WRITING  # the next, at once
    assert bench.saved == [2]


def test_a_failing_storage_is_told_in_one_line_and_everything_is_written_again() -> None:
    bench = Bench().begun()
    bench.terrain.change("b")
    bench.terrain.storage.end()
    bench.players.storage.end("database or disk is full")
    assert bench.at(6.0) is SavePhase.IDLE
    sentence = (
        "The world cannot be saved (players: database or disk is full); the game continues and chunkscope tries again."
    )
    assert bench.warned == [sentence]
    assert bench.at(10.9) is SavePhase.IDLE
    assert bench.at(11.0) is SavePhase.WRITING
    assert bench.terrain.storage.log[1] == "begin 5 [(b'a', b''), (b'b', b'')]"
    bench.terrain.storage.end()
    bench.players.storage.end("database or disk is full")
    bench.at(12.0)
    assert bench.warned == [sentence]  # not again
    bench.at(17.0)
    bench.terrain.storage.end()
    bench.players.storage.end()
    bench.at(18.0)
    bench.record.end()
    bench.at(19.0)
    assert bench.warned[1:] == ["The world is saved again; the save is complete up to tick 7."]
    assert bench.saved == [7]


def test_a_record_that_cannot_be_written_is_a_failure_too() -> None:
    bench = Bench().begun()
    bench.terrain.storage.end()
    bench.players.storage.end()
    bench.at(5.1)
    bench.record.end("No space left on device")
    assert bench.at(5.2) is SavePhase.IDLE
    assert "commit record: No space left on device" in bench.warned[0]
    assert bench.terrain.newer == {"a"}
    assert bench.terrain.storage.log[1:] == []


def test_a_storage_that_hangs_is_told_once_and_counts_when_it_comes() -> None:
    bench = Bench().begun()
    bench.players.storage.end()
    assert {bench.at(5.0 + now) for now in range(60)} == {SavePhase.WRITING}
    assert bench.warned == ["The world is not saved yet (terrain did not report within 10 s); the game continues."]
    bench.terrain.storage.end()
    bench.at(66.0)
    bench.record.end()
    bench.at(67.0)
    assert bench.saved == [2]
    assert len(bench.warned) == 2


def test_the_last_tick_is_waited_for() -> None:
    bench = Bench().begun()
    bench.players.change("b")
    bench.made.finish(3, 7.0)
    assert bench.saved == [2, 3]
    assert bench.made.phase is SavePhase.IDLE


def test_the_end_does_not_wait_for_ever() -> None:
    bench = Bench().begun()
    bench.terrain.storage.waits = False
    bench.made.finish(3, 7.0)
    assert bench.saved == []
    assert "terrain and players did not report" in bench.warned[0]
