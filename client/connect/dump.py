"""``dump``: everything a server says about a box, as one .npz file (interfaces.md, "dump").

Rules:
1. An anchor is pinned on the box plus one column, for light; every announced place in it is asked for, seen or not.
2. The player moves to the box's centre, so that the server announces the columns around it.
3. It ends when each place of the box is data, air or finally refused and its light is made, or at the timeout; then
   the file is written all the same, and the report says what is missing (exit code 4). What does not decode is missing
   too, though it is not waited for; columns of the box that are not announced are waited for to the end.
4. The file is written whole or not at all, and holds no pickles.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from enum import IntEnum
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.connect.archive import write_npz
from client.connect.box_arrays import box_arrays, box_subchunks
from client.connect.connection import Connection
from client.connect.errors import DONE, INCOMPLETE, UsageError
from client.connect.opening import open_connection
from client.connect.options import MOST_RADIUS, Box, Options
from client.connect.reports import Settled, Statistics
from client.connect.source import Source
from client.connect.what import LIT, USUAL, expect_known
from client.connect.wording import one_line, warning_lines
from client.player import View
from client.session.biome_names import name_of
from client.session.stats import SessionStats
from client.streaming.anchor import Anchor
from client.world.height_maps import HeightVerdict
from client.world.lifecycle import Knowledge
from net.frozen import frozen
from net.space.positions import SubChunkPos

ANCHOR: Final = "dump"
LIGHT_MARGIN_COLUMNS: Final = 1
COMPLETE_STATES: Final = frozenset(
    {
        Knowledge.KNOWN_AIR,
        Knowledge.DATA,
        Knowledge.ALL_AIR,
        Knowledge.REFUSED,
        Knowledge.OUTSIDE,
    }
)
LISTED_MISSING: Final = 20
MOST_BLOCKS: Final = 1 << 28
"""18 bytes each while the file is written (25 with every array): 4.5 GiB, all columns of radius 26 at full height."""

Progress = Callable[[float, str], None]


@frozen
class DumpReport:
    """What a dump did.

    Attributes:
        path: the file that was written.
        complete: whether every place of the box was data, air or finally refused.
        missing: places that were not, with their state's name.
        states: sub-chunks of the box by state's name.
        seconds: from the start to the file.
        faults: what the server sent that made no sense, the last few; packet, field and offset each.
        statistics: what the connection had counted by then; to people only what the server does that is not right.
    """

    path: Path
    complete: bool
    missing: tuple[tuple[SubChunkPos, str], ...]
    states: dict[str, int]
    seconds: float
    faults: tuple[str, ...] = ()
    statistics: Statistics | None = None

    @property
    def exit_code(self) -> int:
        """0, or 4 when something is missing."""
        return DONE if self.complete else INCOMPLETE

    def tell(self, as_json: bool = False) -> int:
        """Says it on stdout and returns the exit code."""
        sys.stdout.write((json.dumps(asdict(self), default=str) if as_json else self.text()) + "\n")
        return self.exit_code

    def text(self) -> str:
        """A few lines for a person."""
        counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(self.states.items()))
        lines = [f"{self.path}: {counts} in {self.seconds:.1f} s"]
        if not self.complete:
            lines.append(f"incomplete: {len(self.missing)} sub-chunks are missing:")
            lines += [f"  {at.x} {at.y} {at.z} {state}" for at, state in self.missing[:LISTED_MISSING]]
            more = len(self.missing) - LISTED_MISSING
            lines += [f"  and {more} more"] if more > 0 else []
        lines += [f"made no sense: {one_line(fault)}" for fault in self.faults]
        warnings = self.statistics.session.warnings if self.statistics else ()
        return "\n".join([*lines, *warning_lines(warnings)])


def dump(
    source: Source,
    box: Box,
    path: Path,
    options: Options,
    progress: Progress | None = None,
    what: tuple[str, ...] = USUAL,
) -> DumpReport:
    """Joins a source, waits for a box, writes it.

    Args:
        source: where the world comes from.
        box: which blocks.
        path: the .npz file.
        options: how to connect; ``timeout_s`` counts for joining and for the box, each.
        progress: told (share done 0..1, what is waited for) now and then.
        what: names of arrays (``client.connect.what``); no light is made where none is wished.

    Raises:
        UsageError: the box is wider than any radius, there is no folder for the file, or no array of a name.
        SourceError: the source cannot be joined, or ended the session.
        OSError: the file cannot be written.
    """
    if not path.absolute().parent.is_dir():
        raise UsageError(f"There is no folder {path.absolute().parent} to write {path.name} to.")
    expect_known(what)
    options = replace(options_for(options, box), light=options.light and bool(LIT & set(what)))
    start = time.monotonic()
    with open_connection(source, options, progress) as connection:
        collect(connection, box, options.timeout_s, progress)
        arrays = read_box(connection, box, what)
        write_npz(path, arrays)
        return report_on(connection, box, path, time.monotonic() - start)


def report_on(connection: Connection, box: Box, path: Path, seconds: float) -> DumpReport:
    """What became of a box that was collected and written."""
    missing = missing_places(connection, box)
    states = Counter(_state(connection, position).name.lower() for position in box_subchunks(box))
    statistics = connection.statistics()
    return DumpReport(
        path, not missing, missing, dict(states), round(seconds, 3), _faults(statistics.session), statistics
    )


def options_for(options: Options, box: Box) -> Options:
    """The same options, with a radius that reaches from the box's centre over its columns and those around them.

    Raises:
        UsageError: no radius does, or its arrays would not fit into memory.
    """
    blocks = prod(box.shape)
    if blocks > MOST_BLOCKS:
        raise UsageError(f"A box of {blocks} blocks is more than the {MOST_BLOCKS} that are dumped at once.")
    columns, centre = Anchor.around_box(box.low, box.high), box.centre.column
    low, high = columns.low, columns.high
    reach = max(centre.chebyshev(low), centre.chebyshev(high))  # what is around comes with the activity radius
    if reach > MOST_RADIUS:
        width = max(high.x - low.x, high.z - low.z) + 1
        raise UsageError(f"A box {width} columns wide is more than a radius of {MOST_RADIUS} columns reaches.")
    return replace(options, radius=max(options.radius, reach))


def collect(connection: Connection, box: Box, timeout_s: float, progress: Progress | None = None) -> Settled:
    """Asks for a box and waits for it; says how the wait ended."""
    columns = Anchor.around_box(box.low, box.high)
    if connection.replay:  # nothing is asked: what was recorded is what there is
        return connection.wait_settled(timeout_s, progress, within=columns)
    session = connection.session
    session.pin(ANCHOR, columns.grown(LIGHT_MARGIN_COLUMNS))
    connection.look(View(box.centre, session.view.yaw_deg, session.view.pitch_deg))
    return connection.wait_settled(timeout_s, progress, within=columns)


def read_box(connection: Connection, box: Box, what: tuple[str, ...] = USUAL) -> dict[str, npt.NDArray[Any]]:
    """All arrays of the file."""
    session, store = connection.session, connection.session.store
    arrays = box_arrays(store, session.light, box, what, session.started_at)
    for name, numbers in (("known", Knowledge), ("verdict", HeightVerdict)):
        if name in arrays:
            arrays[f"{name}_names"] = _names_of(numbers)
    if "biomes" in arrays:
        arrays |= _biomes_of(arrays["biomes"], session.biome_names)
    return {
        **arrays,
        "box": np.array([*box.low, *box.high], np.int64),
        "protocol": np.array(connection.protocol, np.int64),
        "dimension": np.array(store.dimension.number, np.int64),
    }


def _biomes_of(biomes: npt.NDArray[Any], own: Mapping[int, str]) -> dict[str, npt.NDArray[Any]]:
    """Biomes that occur, ascending, and their names; empty where nobody named one."""
    numbers = np.unique(biomes)
    names = [name_of(number, own) or "" for number in numbers.tolist()]
    return {"biome_numbers": numbers, "biome_names": np.array(names, np.str_)}


def _names_of(numbers: type[IntEnum]) -> npt.NDArray[np.str_]:
    """Names by number, lower case; empty where there is none."""
    names = [""] * (max(numbers) + 1)
    for number in numbers:
        names[number] = number.name.lower()
    return np.array(names, np.str_)


def missing_places(connection: Connection, box: Box) -> tuple[tuple[SubChunkPos, str], ...]:
    """Places of the box that are not data, air or finally refused."""
    states = ((position, _state(connection, position)) for position in box_subchunks(box))
    return tuple((position, state.name.lower()) for position, state in states if state not in COMPLETE_STATES)


def _faults(session: SessionStats) -> tuple[str, ...]:
    return (*((session.last_fault,) if session.last_fault else ()), *session.terrain.last_faults)


def _state(connection: Connection, position: SubChunkPos) -> Knowledge:
    store = connection.session.store
    if not store.dimension.holds_section(position.y):
        return Knowledge.OUTSIDE
    if position.column not in store.row_of:
        return Knowledge.UNKNOWN
    return Knowledge(int(store.state[store.place_of(position)]))
