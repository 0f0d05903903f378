"""Faults that the server injects on purpose, to test how clients react to them.

Rules:
1. All faults repeat with the seed. A fault of a sub-chunk follows from a hash of its position and the seed, so it does
   not depend on when the sub-chunk is requested. A fault of a packet or at a time is drawn from the client's own
   generator, seeded with the client's number.
2. By default there are no faults.

Three classes apply a ``ServerFaults``: ``Spoiler`` (answers of ``requests``), ``FaultSchedule`` (timed events of a
``client_session``) and ``FaultyHost`` (datagrams).

Fault script: a ``ServerFaults`` written as TOML (docs/reference/fault-scripts.md).
1. An error is one sentence that names file, line and key, and for an unknown key the nearest existing one.
2. The tables below define the format: one row for each key, with the function that reads its value. A key that is left
   out means no fault.
3. ``[wire]`` applies to both directions; ``[wire.up]`` and ``[wire.down]`` override it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from net.bedrock import SubChunkResult
from net.config import Form, TomlTables, WrongValue, is_whole, number, string, truth, whole
from net.raknet import Address
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.transport.faulty import PERFECT, Wire, WireFaults, dice
from net.transport.interface import ServerTransport

ALWAYS = 1 << 30
"""A number of times that means for ever."""
NO_VERSION = 0x7F
"""First byte of corrupted payloads; no sub-chunk has this version."""


class RefusalFault(msgspec.Struct, frozen=True):
    """Some sub-chunks are answered with a result code instead of their blocks."""

    code: int  # the result code, 0 to 255
    share: float = 1.0  # of all sub-chunks, 0..1
    times: int = 1  # refusals of each of them before it is sent


class SilenceFault(msgspec.Struct, frozen=True):
    """The server neither sends nor receives."""

    after_s: float  # since its first datagram
    for_s: float = float("inf")  # duration


class Every(msgspec.Struct, frozen=True):
    """An event that repeats for each client that plays."""

    every_s: float  # interval
    count: int  # columns or blocks each time


class Kick(msgspec.Struct, frozen=True):
    """Each client is disconnected."""

    after_s: float  # since it began to play
    reason: str = "kicked by the fault script"  # the message that the client gets


class ServerFaults(msgspec.Struct, frozen=True):
    """All injected faults. By default there are none."""

    delay_s: float = 0.0  # delay of every answer
    reverse: bool = False  # answers of one request are sent in reverse order
    seed: int = 0  # of all random choices
    refusals: tuple[RefusalFault, ...] = ()  # by result code; the first that applies to a sub-chunk is used
    unanswered: float = 0.0  # share of sub-chunks whose first requests get no answer
    unanswered_times: int = 1  # requests of each of them that get no answer
    partial: float = 0.0  # share of requests of which only the first half is answered
    # share of answer packets that name another dimension; their entries are not sent again
    wrong_dimension: float = 0.0
    contradicting_heights: float = 0.0  # share of sub-chunks whose height map says the opposite of their blocks
    # share of sub-chunks with blocks whose bytes are corrupted in every answer; clients cannot decode them
    corrupted: float = 0.0
    withheld: float = 0.0  # share of columns that are never announced
    columns_within: int | None = None  # columns farther than this from the player are never announced; None: all are
    unpublished: bool = False  # the publisher's area is never sent
    unspawned: bool = False  # no player ever spawns
    empty_dimensions: bool = False  # after a change of dimension no column is announced
    ids_shifted: int = 0  # added to every block id of the terrain
    replacement: Every | None = None  # columns announced again
    updates: Every | None = None  # bursts of changed blocks
    crossing_s: float | None = None  # interval at which a client is moved to the next dimension; None: never
    kick: Kick | None = None  # the disconnect
    silence: SilenceFault | None = None  # of the whole server
    up: WireFaults = PERFECT  # the wire to the server
    down: WireFaults = PERFECT  # the wire to the clients

    @property
    def spoil_the_wire(self) -> bool:
        return self.silence is not None or self.up != PERFECT or self.down != PERFECT

    @property
    def spoil_entries(self) -> bool:
        """Whether any answer to a sub-chunk may differ from the correct one."""
        return bool(self.refusals or self.unanswered or self.contradicting_heights or self.corrupted)

    def withholds(self, column: ColumnPos) -> bool:
        """Whether a column is never announced."""
        return bool(self.withheld) and _chance(SubChunkPos(column.x, 0, column.z), self.seed, -5) < self.withheld


class Spoiler:
    """Applies faults to the answers for one client. ``client``: its number, which seeds random choices."""

    def __init__(self, faults: ServerFaults, client: int = 0) -> None:
        self._faults = faults
        self._refused: Counter[tuple[int, SubChunkPos]] = Counter()
        self._left_out: Counter[SubChunkPos] = Counter()
        self._dice = dice(f"{faults.seed} answers {client}")

    def refusal(self, position: SubChunkPos) -> int | None:
        """The code to refuse this request with, or None; counts a refusal."""
        for index, refusal in enumerate(self._faults.refusals):
            if _chance(position, self._faults.seed, index) >= refusal.share:
                continue
            if self._refused[index, position] < refusal.times:
                self._refused[index, position] += 1
                return refusal.code
            return None
        return None

    def leave_out(self, position: SubChunkPos) -> bool:
        """Whether this request gets no answer; counts it if so."""
        if _chance(position, self._faults.seed, -1) >= self._faults.unanswered:
            return False
        self._left_out[position] += 1
        return self._left_out[position] <= self._faults.unanswered_times

    def contradict(self, position: SubChunkPos) -> bool:
        """Whether the height map of this sub-chunk is falsified."""
        return _chance(position, self._faults.seed, -2) < self._faults.contradicting_heights

    def corrupt(self, position: SubChunkPos, payload: bytes) -> bytes:
        """The payload of a success, or a corrupted one: cut short, or with a version that does not exist."""
        if not payload or _chance(position, self._faults.seed, -3) >= self._faults.corrupted:
            return payload
        if _chance(position, self._faults.seed, -4) < 0.5:
            return payload[: 1 + len(payload) // 3]
        return bytes([NO_VERSION]) + payload[1:]

    def answered_of(self, entries: int) -> int:
        """How many entries of a request are answered."""
        return entries // 2 if self._faults.partial and self._dice.random() < self._faults.partial else entries

    def dimension(self, honest: int) -> int:
        """The dimension that an answer packet names."""
        lies = self._faults.wrong_dimension and self._dice.random() < self._faults.wrong_dimension
        return honest + 1 if lies else honest


def _chance(position: SubChunkPos, seed: int, salt: int) -> float:
    """0 up to 1, spread over neighbouring positions (a multiply-shift mix of 64 bits)."""
    mixed = (position.x * 73856093) ^ (position.y * 19349663) ^ (position.z * 83492791)
    mixed = (mixed + seed * 0x9E3779B97F4A7C15 + salt * 0xC2B2AE3D27D4EB4F) & 0xFFFFFFFFFFFFFFFF
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return (mixed ^ mixed >> 31) / 2**64


class BadFaultScript(Exception):
    """A script that cannot be used; the message is a sentence for its author."""


def _integer(value: Any) -> int:
    if not is_whole(value):
        raise WrongValue("a whole number")
    return int(value)


def _subtable(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongValue("a table")
    return value


def _span_ms(value: Any) -> tuple[float, float]:
    """Reads seconds: the shortest delay, and the largest addition to it."""
    ends = value if isinstance(value, list) else [value, value]
    if len(ends) == 2:
        low, high = (_milliseconds(end) for end in ends)
        if low <= high:
            return low, high - low
    raise WrongValue("milliseconds, or [least, most]")


def _times(value: Any) -> int:
    return ALWAYS if value == "always" else int(whole(1, 1_000_000)(value))


def _code(value: Any) -> int:
    if isinstance(value, str):
        names = {result.name.lower(): int(result) for result in SubChunkResult}
        if value not in names:
            raise WrongValue(f"a number from 0 to 255 or one of {', '.join(names)}")
        return names[value]
    return int(whole(0, 255)(value))


_share: Final = number(0.0, 1.0, "a number from 0 to 1")
_seconds: Final = number(0.0, 1e6, "seconds, 0 or more")
_pause: Final = number(0.05, 1e6, "seconds, 0.05 or more")


def _milliseconds(value: Any) -> float:
    return float(number(0.0, 1e7, "milliseconds, or [least, most]")(value)) / 1000


_WIRE: Final[Form] = {
    "delay_ms": _span_ms,
    "loss": _share,
    "reordering": _share,
    "duplication": _share,
    "largest_bytes": whole(0, 65535),
    "queue_datagrams": whole(0, 1_000_000),
}
_ANSWERS: Final[Form] = {
    "delay_ms": _milliseconds,
    "reverse": truth,
    "unanswered": _share,
    "unanswered_times": _times,
    "partial": _share,
    "wrong_dimension": _share,
    "contradicting_heights": _share,
    "corrupted": _share,
}
_TABLES: Final[Mapping[str, Form]] = {
    "wire": {**_WIRE, "up": _subtable, "down": _subtable},
    "wire.up": _WIRE,
    "wire.down": _WIRE,
    "answers": _ANSWERS,
    "refusals": {"code": _code, "share": _share, "times": _times},
    "columns": {"withheld": _share, "within": whole(0, 96)},
    "join": {"unpublished": truth, "unspawned": truth, "empty_dimensions": truth},
    "palette": {"shifted": whole(1, 1 << 30)},
    "replacement": {"every_s": _pause, "columns": whole(1, 10_000)},
    "updates": {"every_s": _pause, "blocks": whole(1, 100_000)},
    "crossing": {"every_s": _pause},
    "kick": {"after_s": _seconds, "reason": string},
    "silence": {"after_s": _seconds, "for_s": _seconds},
}
_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "refusals": ("code",),
    "replacement": ("every_s", "columns"),
    "updates": ("every_s", "blocks"),
    "crossing": ("every_s",),
    "kick": ("after_s",),
    "silence": ("after_s",),
}
_ROOT: Final = tuple(name for name in _TABLES if "." not in name)


def read_fault_script(text: str, name: str = "the fault script") -> ServerFaults:
    """Parses a script. Raises BadFaultScript: it has an error (see the module)."""
    return _faults(TomlTables(name, text, BadFaultScript, "fault script"))


def _faults(script: TomlTables) -> ServerFaults:
    seed = script.root({"seed": _integer}, _ROOT).get("seed", 0)
    answers = _table(script, "answers")
    answers["delay_s"] = answers.pop("delay_ms", 0.0)
    both = _wire(script, "wire", WireFaults())
    columns = _table(script, "columns")
    refusals = script.rows("refusals", _TABLES["refusals"], _REQUIRED["refusals"])
    kick, silence = _table(script, "kick"), _table(script, "silence")
    return ServerFaults(
        seed=seed,
        refusals=tuple(RefusalFault(**each) for each in refusals),
        replacement=_every(script, "replacement", "columns"),
        updates=_every(script, "updates", "blocks"),
        crossing_s=_table(script, "crossing").get("every_s"),
        kick=Kick(**kick) if kick else None,
        silence=SilenceFault(**silence) if silence else None,
        up=_wire(script, "wire.up", both),
        down=_wire(script, "wire.down", both),
        withheld=columns.get("withheld", 0.0),
        columns_within=columns.get("within"),
        ids_shifted=_table(script, "palette").get("shifted", 0),
        **_table(script, "join"),
        **answers,
    )


def _table(script: TomlTables, name: str) -> dict[str, Any]:
    return script.table(name, _TABLES[name], _REQUIRED.get(name, ()))


def _every(script: TomlTables, table: str, counted: str) -> Every | None:
    found = _table(script, table)
    return Every(found["every_s"], found[counted]) if found else None


def _wire(script: TomlTables, table: str, base: WireFaults) -> WireFaults:
    said = _table(script, table)
    found = {key: value for key, value in said.items() if key not in ("up", "down")}
    if "delay_ms" in found:
        found["delay_s"], found["jitter_s"] = found.pop("delay_ms")
    if "duplication" in found:
        found["repetition"] = found.pop("duplication")
    if base == WireFaults():
        found.setdefault("reordering", 0.0)  # if a script gives no value, nothing is reordered
    return replace(base, **found) if said else base


EDIT_FLOOR_Y: Final = 40
EDIT_ROOF_Y: Final = 90
"""Bursts change blocks between these heights, where changes are visible."""


class FaultEvent(msgspec.Struct, frozen=True):
    """The events that are due at one tick."""

    replaced: Sequence[ColumnPos] = ()  # columns to be announced again
    edits: Sequence[BlockPos] = ()  # blocks to be changed
    cross: bool = False  # whether the client is moved to the next dimension
    kick: str | None = None  # reason of the disconnect


class FaultSchedule:
    """The timed faults of one client while it plays: repeated columns, bursts of edits, changes of dimension, a kick.

    1. Times count from when the client began to play and are checked once a tick (50 ms).
    2. Events that were missed because no tick ran are not made up for. One for which there is no column waits for one.
    3. The same seed and the same client number choose the same positions, as long as the client has the same columns.

    ``client``: its number on this server.
    """

    def __init__(self, faults: ServerFaults, client: int) -> None:
        self._faults = faults
        self._dice = dice(f"{faults.seed} troubles {client}")
        self._began_at: float | None = None
        self._due_at: dict[str, float] = {}  # when a repeated event is due next, by its name

    def due(self, columns: Collection[ColumnPos], now: float) -> FaultEvent:
        """The events at this tick for a client that plays. ``columns``: the columns that it has been sent."""
        faults = self._faults
        if self._began_at is None:
            self._began_at = now
        if faults.kick is not None and now - self._began_at >= faults.kick.after_s:
            return FaultEvent(kick=faults.kick.reason)
        there = any(not faults.withholds(column) for column in columns)
        replaces, updates = (self._due_count(name, now, there) for name in ("replacement", "updates"))
        ordered = sorted(column for column in columns if not faults.withholds(column)) if replaces or updates else []
        replaced = self._dice.sample(ordered, min(replaces, len(ordered)))
        edits = [self._place(self._dice.choice(ordered)) for _ in range(updates)]
        return FaultEvent(replaced, edits, self._is_due("crossing", faults.crossing_s, now))

    def _due_count(self, name: str, now: float, there: bool) -> int:
        """The count of a repeated event if it is due, else 0; ``there``: whether any column can take it."""
        event: Every | None = getattr(self._faults, name)
        return event.count if event is not None and self._is_due(name, event.every_s, now, there) else 0

    def _is_due(self, name: str, every_s: float | None, now: float, possible: bool = True) -> bool:
        """Whether a repeated event happens now; then again after its interval, else as soon as it is possible."""
        if every_s is None:
            return False
        due = self._due_at.setdefault(name, now + every_s)
        happens = possible and now >= due
        if happens:
            self._due_at[name] = max(due + every_s, now)
        return happens

    def _place(self, column: ColumnPos) -> BlockPos:
        x, z = self._dice.randrange(16), self._dice.randrange(16)
        y = self._dice.randrange(EDIT_FLOOR_Y, EDIT_ROOF_Y)
        return BlockPos(column.x * 16 + x, y, column.z * 16 + z)


_FORGOTTEN_S: Final = 60.0
_MOST_CLIENTS: Final = 1024
"""Addresses with wires of their own; datagrams of further ones are dropped."""


class _Path(msgspec.Struct):
    up: Wire
    down: Wire
    used_at: float


class FaultyHost:
    """``host`` behind faulty wires: each client has two wires of its own, and the server may fall silent for a while.

    1. It is a ``ServerTransport`` itself, so a socket's loop or a loopback drives it like a plain host.
    2. Wires are seeded with the script's seed and the client's number in order of appearance.
    3. During a silence no datagram enters or leaves, while the host goes on running.
    4. A client's wires are dropped when they carried nothing for ``_FORGOTTEN_S``.
    """

    def __init__(self, host: ServerTransport, faults: ServerFaults) -> None:
        self._host = host
        self._faults = faults
        self._paths: dict[Address, _Path] = {}
        self._seen = 0
        self._began_at: float | None = None

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        """Sends a datagram into the wire to the host."""
        if self._began_at is None:
            self._began_at = now
        if not self._silent(now) and (path := self._path(address, now)) is not None:
            path.up.push(datagram, now)

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """Passes arrived datagrams to the host; returns the datagrams that leave the wires to the clients."""
        silent = self._silent(now)
        for address, path in self._paths.items():
            for datagram in path.up.pop(now):
                self._host.receive(address, datagram, now)
        for address, datagram in self._host.datagrams(now):
            if not silent and (found := self._path(address, now)) is not None:
                found.down.push(datagram, now)
        out = [(address, datagram) for address, path in self._paths.items() for datagram in path.down.pop(now)]
        for address in [address for address, path in self._paths.items() if now - path.used_at > _FORGOTTEN_S]:
            del self._paths[address]
        return out

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest."""
        timers = [self._host.next_timer()]
        for path in self._paths.values():
            timers += [path.up.next_timer(), path.down.next_timer()]
        return min((timer for timer in timers if timer is not None), default=None)

    def _silent(self, now: float) -> bool:
        silence = self._faults.silence
        if silence is None or self._began_at is None:
            return False
        return silence.after_s <= now - self._began_at < silence.after_s + silence.for_s

    def _path(self, address: Address, now: float) -> _Path | None:
        path = self._paths.get(address)
        if path is None:
            if len(self._paths) >= _MOST_CLIENTS:
                return None
            seed = hash((self._faults.seed, self._seen))
            self._seen += 1
            path = self._paths[address] = _Path(Wire(self._faults.up, seed), Wire(self._faults.down, seed + 1), now)
        path.used_at = now
        return path
