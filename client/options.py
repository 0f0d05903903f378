"""The options of a connection, and the text forms of option values (interfaces.md, "Common options").

Positions are always option values: a positional ``-5,64,3`` would be read as an option. The module loads no kernel,
since the command line reads its options before kernels are compiled.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
import platformdirs

from client.errors import UsageError
from client.player import Eye
from client.streaming.limits import RequestLimits
from net.releases import SUPPORTED_RANGE, is_supported
from net.space import FARTHEST_COLUMN, BlockPos

if TYPE_CHECKING:
    from client.streaming.anchors import Anchor

MOST_LOOK_OUTS: Final = 64  # most pinned anchors at once: each may cost as many visibility walks as the player
MOST_RADIUS: Final = 64
USUAL_RADIUS: Final = 4
"""The size of a ticking area."""
ACTIVITY_MARGIN_COLUMNS: Final = 1  # columns around the shown ones of an anchor, for faces and light
LONGEST_NAME: Final = 64
FARTHEST_BLOCKS: Final = 16 * (FARTHEST_COLUMN - MOST_RADIUS - 4)
"""Beyond it an anchor would reach out of any world."""


class PinnedAnchor(msgspec.Struct, frozen=True):
    """A pinned anchor: a place that the user keeps loaded wherever the player goes (command line, API, viewer).

    By default the sub-chunks that its eye sees are requested, as for a player at that place; with ``everything`` each
    announced sub-chunk of its columns, seen or not, as ``dump`` does. Outside the publisher's circle its terrain is
    flagged stale. Servers announce columns only around the player, so an anchor far away gets nothing until a player
    comes near.
    """

    x: float  # of its eye, in blocks; likewise z
    z: float  # of its eye
    radius: int = USUAL_RADIUS  # columns around it that are shown (Chebyshev), 0..MOST_RADIUS; one more is kept
    # height of its eye in blocks; None: a head above the ground where the surface is known, else above the world's
    # roof, from where all sub-chunks under the open sky are seen
    y: float | None = None
    everything: bool = False  # whether all sub-chunks are requested, seen or not

    def __post_init__(self) -> None:
        if not 0 <= self.radius <= MOST_RADIUS:
            raise UsageError(f"A pinned anchor's radius must be 0 to {MOST_RADIUS} columns, not {self.radius}.")
        for axis in (self.x, self.z, 0.0 if self.y is None else self.y):
            if not abs(axis) < FARTHEST_BLOCKS:
                raise UsageError(f"A pinned anchor at {axis:g} blocks lies outside every world.")

    @property
    def anchor(self) -> "Anchor":
        from client.streaming.anchors import Anchor  # noqa: PLC0415 - loads NumPy, which reading options does without

        return Anchor.square(Eye(self.x, 0.0, self.z).column, self.radius + ACTIVITY_MARGIN_COLUMNS)


def parse_pin(text: str, everything: bool = False) -> PinnedAnchor:
    """Reads ``X,Z`` or ``X,Z,RADIUS``: blocks, and columns. Raises UsageError: neither, too far away or too large."""
    meaning = f"'{text}' is not a place to pin: write X,Z or X,Z,RADIUS, with X and Z in blocks and RADIUS in columns."
    parts = split_numbers(text)
    try:
        x, z, columns = float(parts[0]), float(parts[1]), int(parts[2]) if parts[2:] else USUAL_RADIUS
    except (ValueError, IndexError):
        parts = []
    if not 2 <= len(parts) <= 3:
        raise UsageError(meaning)
    return PinnedAnchor(x, z, radius=columns, everything=everything)


def expect_name(name: str, taken: bool, count: int) -> None:
    """Raises UsageError: the name of a new anchor is empty or too long, or there are too many (not if ``taken``)."""
    if not 0 < len(name) <= LONGEST_NAME:
        raise UsageError(f"The name of a pinned anchor must have 1 to {LONGEST_NAME} characters, not {len(name)}.")
    if not taken and count >= MOST_LOOK_OUTS:
        raise UsageError(f"{MOST_LOOK_OUTS} anchors are already pinned; release one first.")


NUMBERS_APART: Final = re.compile(r"\s*,\s*|\s+")
OWN: Final = "own"
"""The user's player, the same at each join."""
FRESH: Final = "fresh"  # a new player at each join
EXPECTED: Final = "own, fresh, or a name of your choice (a-z, 0-9, - and _)"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


def is_identity(name: str) -> bool:
    """Whether a player may have that name, which is part of a file name on any system."""
    return _NAME.fullmatch(name) is not None


PROTOCOL: Final = 486  # the default protocol, of our own server and with a server that answers no ping
SAVED_PROTOCOL: Final = 2193
"""The default protocol of our server for saved worlds: the newest release, which has names for most blocks."""


Profile = Literal["bedrock", "documented"]
Mode = Literal["limited", "limitless", "full"]
Transport = Literal["auto", "raknet", "nethernet"]

LEAST_BYTES: Final = 1 << 20  # the least rewind history: more than one column and its neighbours take

PLAIN_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


class Moment(msgspec.Struct, frozen=True):
    """A moment of a recording."""

    time_s: float = 0.0  # seconds since its start; the last tick at that time
    packet: int | None = None  # after so many packets of the server; None: the time counts

    def __post_init__(self) -> None:
        if not self.time_s >= 0.0:
            raise UsageError(f"{self.time_s:g} s is not a time of a recording: times start at 0.")
        if self.packet is not None and self.packet < 0:
            raise UsageError(f"{self.packet} is not a packet number: numbers start at 0.")

    def __str__(self) -> str:
        return f"{self.time_s:g} s" if self.packet is None else f"packet {self.packet}"


class PastOptions(msgspec.Struct, frozen=True):
    """How much of a live session can be rewound."""

    kept_s: float = 300.0  # how far back
    most_bytes: int = 64 << 20  # memory limit; it may shorten the history

    def __post_init__(self) -> None:
        if not self.kept_s > 0 or self.most_bytes < LEAST_BYTES:
            raise UsageError(
                f"{self.kept_s:g} s in {self.most_bytes} bytes is too little to rewind: the minimum is 1 MiB."
            )


def cache_folder() -> Path:
    """The default folder of kept terrain, of servers and of our own worlds; not created here."""
    return Path(platformdirs.user_cache_dir("chunkscope", appauthor=False))


class Options(msgspec.Struct, frozen=True):
    """How to connect."""

    at: Eye | None = None  # eye position in blocks, or None for the server's spawn
    # (yaw, pitch), yaw 0 = +Z, 90 = -X, positive pitch = down; None for the server's
    look_deg: tuple[float, float] | None = None
    radius: int = 8  # visibility radius in columns, a square; the server is asked for one more
    # the protocol number to use, or "auto" for the one that the server names in its answer to a ping
    protocol: Literal["auto"] | int = "auto"
    transport: Transport = "auto"  # how a server is joined; "auto" asks which one its address speaks
    # how this address was joined before ("raknet", "lan", or a URL), which "auto" prefers; empty: never
    joined_at: str = ""
    # whether a server whose key differs from the remembered one is refused (NetherNet by http)
    insist_on_key: bool = False
    profile: Profile = "bedrock"  # which wire layout of the three terrain packets
    timeout_s: float = 60.0  # limit for connecting, and for waiting for a settled world
    dimension: int | None = None  # the expected dimension, or None for any
    time: int | None = None  # time of the embedded server's day in ticks, 0..23999, or None for its own
    mode: Mode = "limited"  # which columns the embedded server sends
    bots: int = 0  # players of the embedded server that walk and build
    player_name: str = "chunkscope"  # name that the server sees
    # player of the join: "own" is the user's, "fresh" a new one (``connection.identity``)
    identity: str = FRESH
    # whether light maps are computed by the connection itself (a scene does it with its own workers)
    light: bool = True
    limits: RequestLimits = msgspec.field(default_factory=RequestLimits)  # of requests
    attention: bool = True  # whether look and movement count for the order of requests and for prediction
    record: Path | None = None  # where the session is recorded from its first packet, or None
    speed: float | None = None  # speed factor of a recording; None: as fast as possible
    start: Moment | None = None  # where a recording starts to play; None: where the server spawned the player
    still: Moment | None = None  # the one moment of a recording to show, without playing; None: it plays
    delay_s: float = 0.0  # added to every round trip of messages, for measurements
    # whether terrain is kept between visits: of servers and of our own worlds. None: both, but nothing received while
    # recording
    cache: bool | None = None
    cache_dir: Path | None = None  # folder of kept terrain, None for the user's cache folder
    # how much of a live session can be rewound; None: not at all
    past: PastOptions | None = None
    # anchors that are pinned once the server spawns the player, named "--pin 1" and on
    pins: tuple[PinnedAnchor, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.radius <= MOST_RADIUS:
            raise UsageError(f"The radius must be 1 to {MOST_RADIUS} columns, not {self.radius}.")
        if self.protocol != "auto" and not is_supported(self.protocol):
            raise UsageError(f"Protocol {self.protocol} is not supported; supported are {SUPPORTED_RANGE}.")
        if self.profile not in ("bedrock", "documented"):
            raise UsageError(f"Unknown wire profile '{self.profile}': choose bedrock or documented.")
        if self.transport not in ("auto", "raknet", "nethernet"):
            raise UsageError(f"Unknown transport '{self.transport}': choose auto, raknet or nethernet.")
        if self.mode not in ("limited", "limitless", "full"):
            raise UsageError(f"Unknown mode '{self.mode}': choose limited, limitless or full.")
        if not is_identity(self.identity):
            raise UsageError(f"'{self.identity}' is not a player: write {EXPECTED}.")
        if self.speed is not None and not 0 < self.speed < 1e6:
            raise UsageError(f"A recording cannot be played at {self.speed:g} times its speed.")
        if self.still is not None and (self.start is not None or self.speed is not None):
            raise UsageError(f"A recording shown at {self.still} cannot also start elsewhere or be played.")
        if self.cache and self.record:
            raise UsageError("A recording must be complete: it cannot be made with a blob cache.")
        if len(self.pins) > MOST_LOOK_OUTS:
            raise UsageError(f"{len(self.pins)} anchors are too many: at most {MOST_LOOK_OUTS} can be pinned.")
        if self.timeout_s <= 0:
            raise UsageError(f"The timeout must be longer than {self.timeout_s} s.")


def options_of(given: Mapping[str, Any]) -> Options:  # Any: a value of each field
    """Options from names and plain values: an eye as (X, Y, Z), a path as text.

    Raises UsageError: naming the first unknown option and the nearest known one, or an invalid value.
    """
    plain: dict[str, Callable[[Any], Any]] = {"at": lambda at: Eye(*at), "record": Path, "cache_dir": Path}
    for name in given:
        if name not in Options.__struct_fields__:
            nearest = get_close_matches(name, Options.__struct_fields__, 1, 0.0)[0]
            raise UsageError(f"There is no option '{name}' (nearest: {nearest}).")
    try:
        read = {name: plain[name](value) if name in plain and value else value for name, value in given.items()}
        return Options(**read)
    except TypeError as error:
        raise UsageError(f"An option has an impossible value: {error}.") from None


class Box(msgspec.Struct, frozen=True):
    """A box of blocks; upper corners exclusive."""

    low: BlockPos
    high: BlockPos

    @property
    def shape(self) -> tuple[int, int, int]:
        """Array shape in the order [x, z, y]."""
        return self.high.x - self.low.x, self.high.z - self.low.z, self.high.y - self.low.y

    @property
    def centre(self) -> Eye:
        return Eye(*((low + high) / 2 for low, high in zip(self.low, self.high, strict=True)))

    def holds(self, block: BlockPos) -> bool:
        return all(low <= axis < high for low, axis, high in zip(self.low, block, self.high, strict=True))

    def __str__(self) -> str:
        return ",".join(map(str, (*self.low, *self.high)))


def parse_box(text: str) -> Box:
    """Reads ``X0,Y0,Z0,X1,Y1,Z1``. Raises UsageError: it is not six whole numbers, or encloses nothing."""
    try:
        numbers = [int(part) for part in split_numbers(text)]
    except ValueError:
        numbers = []
    if len(numbers) != 6:
        raise UsageError(f"'{text}' is not a box: write X0,Y0,Z0,X1,Y1,Z1 in whole blocks.")
    return box_of(numbers)


def box_of(corners: Box | Sequence[int]) -> Box:
    """The box of six whole numbers. Raises UsageError: they are not, or the box is empty."""
    if isinstance(corners, Box):
        box = corners
    else:
        try:
            x0, y0, z0, x1, y1, z1 = map(index, corners)
        except (TypeError, ValueError):
            raise UsageError(f"{corners!r} is not a box: write (X0, Y0, Z0, X1, Y1, Z1) in whole blocks.") from None
        box = Box(BlockPos(x0, y0, z0), BlockPos(x1, y1, z1))
    for axis, low, high in zip("xyz", box.low, box.high, strict=True):
        if high <= low:
            raise UsageError(
                f"The box {box} is empty along {axis}, from {low} to {high}: each upper corner must be larger than the "
                "lower one, and does not belong to the box."
            )
    return box


def parse_at(text: str) -> Eye:
    """Reads ``X,Y,Z`` of an eye. Raises UsageError: it is not three numbers."""
    return Eye(*_floats(text, 3, "a position (write X,Y,Z in blocks)"))


def parse_block(text: str) -> BlockPos:
    """Reads ``X,Y,Z`` of a block; fractions give the block that contains the point. Raises UsageError."""
    return BlockPos.containing(*_floats(text, 3, "a block (write X,Y,Z)"))


def parse_look(text: str) -> tuple[float, float]:
    """Reads ``YAW,PITCH`` in degrees. Raises UsageError: it is not two numbers, or the pitch is out of -90..90."""
    yaw, pitch = _floats(text, 2, "a direction (write YAW,PITCH in degrees)")
    if not -90 <= pitch <= 90:
        raise UsageError(f"The pitch must be -90 to 90 degrees, not {pitch}.")
    return yaw, pitch


def parse_moment(text: str) -> Moment:
    """Reads ``12.5`` seconds, ``2:05`` or ``1:02:05``, or ``#350`` packets. Raises UsageError: none of these."""
    if text.startswith("#") and text[1:].isascii() and text[1:].isdigit() and len(text) < 16:
        return Moment(packet=int(text[1:]))
    *larger, seconds = text.split(":")
    units = [int(part) for part in larger if part.isascii() and part.isdigit() and len(part) < 9]
    if len(units) != len(larger) or len(larger) > 2 or not PLAIN_SECONDS.fullmatch(seconds):
        raise UsageError(f"'{text}' is not a moment of a recording: write seconds, M:SS, or '#' and a packet number.")
    minutes = sum(unit * 60**power for power, unit in enumerate(reversed(units)))
    return Moment(60 * minutes + float(seconds))


def split_numbers(text: str) -> list[str]:
    """The numbers of a place, box or direction as texts: ``8,64,8``, ``8 64 8`` and ``8, 64, 8`` are alike."""
    return NUMBERS_APART.split(text.strip())


def _floats(text: str, count: int, meaning: str) -> list[float]:
    try:
        numbers = [float(part) for part in split_numbers(text)]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(abs(n) < 1e9 for n in numbers):
        raise UsageError(f"'{text}' is not {meaning}.")
    return numbers


STATE_ARRAYS: Final = ("names", "states", "runtime_ids")
"""Included with ``blocks`` and ``layer1``, whose numbers are rows of these."""
USUAL_ARRAYS: Final = ("blocks", "layer1", "light", "lit", "biomes", "known")  # the default arrays of a dump
MORE_ARRAYS: Final = ("height", "verdict", "refusal", "since", "small_values", "layers")  # arrays of a dump on request
ARRAYS: Final = (*USUAL_ARRAYS, *MORE_ARRAYS)
LIGHT_ARRAYS: Final = frozenset({"light", "lit"})
"""Arrays that need computed light."""
DIFF_ARRAYS: Final = ("blocks", "layer1", "biomes", "light", "states")  # arrays by which two worlds can be compared
USUAL_DIFF_ARRAYS: Final = ("blocks", "layer1", "biomes")  # the default for that: what servers send
DRAWN_DIFF_ARRAYS: Final = ("blocks", "layer1")  # the default for a picture: what is drawn of blocks


def parse_what(
    texts: Sequence[str] | None, arrays: Sequence[str] = ARRAYS, usual: tuple[str, ...] = USUAL_ARRAYS
) -> tuple[str, ...]:
    """Reads ``NAME[,NAME]``, any number of times; ``usual`` for no texts. Each name once, in the order of ``arrays``.

    Raises UsageError: naming the first unknown one and the nearest known one.
    """
    if not texts:
        return usual
    wished = {name.strip() for text in texts for name in text.split(",")}
    implied = wished if arrays is not ARRAYS else {"blocks" if name in STATE_ARRAYS else name for name in wished}
    expect_arrays(sorted(implied), arrays)
    return tuple(name for name in arrays if name in implied)


def expect_arrays(names: Iterable[str], arrays: Sequence[str] = ARRAYS) -> None:
    """Checks names of arrays. Raises UsageError: naming the first unknown one and the nearest known one."""
    for name in names:
        if name not in arrays:
            nearest = get_close_matches(name, arrays, 1, 0.0)[0] if name else arrays[0]
            raise UsageError(f"Unknown array '{name}' (nearest: {nearest}); choose from {', '.join(arrays)}.")
