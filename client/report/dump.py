"""``dump``: writes all known data of a box to an .npz file (docs/reference/arrays.md).

The anchor lies on the box and one column around, for light, and the player moves to its centre, so that the server
announces the columns. The file is written after the wait, whatever is missing, completely or not at all; the report
lists what is missing (exit code 4). Arrays are those of ``client.connection.boxes``; here ``blocks``, ``layer1`` and
``layers`` ([n, x, z, y]: third and later layers) are uint32: rows of ``names``, ``states`` and ``runtime_ids``.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.connection.boxes import box_subchunks, cell_arrays, expect_readable, overlap, reach_of
from client.connection.connection import Connection
from client.connection.opening import Progress, open_connection
from client.connection.stats import Statistics
from client.errors import DONE, INCOMPLETE, UsageError
from client.light.light_map import LightMap
from client.options import LIGHT_ARRAYS, MOST_RADIUS, USUAL_ARRAYS, Box, Options, expect_arrays
from client.session.stats import words_of_states
from client.session.weather import name_of
from client.source import Source, one_line, warning_lines
from client.streaming.anchors import Anchor
from client.world.height_maps import HeightVerdict
from client.world.lifecycle import SHOWN_STATES, SubChunkState
from client.world.store import Store
from net.files import whole
from net.space import ColumnPos, SubChunkPos, coordinates
from net.subchunk.height_kernels import UNKNOWN_TOP

LAYERS: Final = ("blocks", "layer1")  # arrays of ids of the session's block table
AIR: Final = np.zeros(1, np.uint16)
NOTHING: Final = np.zeros(0, np.uint32)


def box_arrays(
    store: Store, light: LightMap, box: Box, what: tuple[str, ...] = USUAL_ARRAYS, started_at: float = 0.0
) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a box, as the file has them; ``started_at``: when the session began, for ``since``."""
    arrays = cell_arrays(store, light, box, what, started_at)
    if "height" in what:
        arrays["height"] = _heights(store, box)
    further = _further_layers(store, box) if "layers" in what else {}
    if "layers" in what:
        arrays["layers"] = np.zeros((max(map(len, further.values()), default=0), *box.shape), np.uint32)
    dense = [name for name in LAYERS if name in arrays and arrays[name].size]
    if not dense and not further:
        return arrays
    ids = [np.unique(part) for part in (*(arrays[name] for name in dense), *further.values())]
    if sum(part.size for part in further.values()) < arrays.get("layers", NOTHING).size:
        ids.append(AIR)  # for sub-chunks with fewer layers than others
    rows, named = _named(store, np.unique(np.concatenate(ids)))
    for name in dense:
        arrays[name] = _rows_of(arrays[name], rows)
    if further:
        arrays["layers"][:] = rows[0]
    for position, layers in further.items():
        here, _ = overlap(box, position)
        arrays["layers"][(slice(len(layers)), *here)] = rows[layers]
    return {**arrays, **named}


def _heights(store: Store, box: Box) -> npt.NDArray[np.int16]:
    heights = np.full(box.shape[:2], UNKNOWN_TOP, np.int16)
    for position in box_subchunks(Box(box.low, box.high._replace(y=box.low.y + 1))):
        column = ColumnPos(position.x, position.z)
        if column in store.row_of:
            (x, z, _), (from_x, from_z, _) = overlap(box, position)
            heights[x, z] = store.height_map(column).reshape(16, 16).T[from_x, from_z]  # it is indexed by z << 4 | x
    return heights


def _further_layers(store: Store, box: Box) -> dict[SubChunkPos, npt.NDArray[np.uint16]]:
    """Third and later layers of the sub-chunks that have any: [n, x, z, y] dense ids of the part in the box."""
    found = {}
    for position in box_subchunks(box):
        if store.dimension.holds_section(position.y) and len(layers := store.further_layers_of(position)):
            _, cells = overlap(box, position)
            found[position] = layers.reshape(-1, 16, 16, 16)[(slice(None), *cells)]
    return found


def _rows_of(dense: npt.NDArray[np.uint16], rows: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """``rows[dense]`` in parts: NumPy converts all given indices to eight bytes."""
    found = np.empty(dense.shape, np.uint32)
    for at in range(len(dense)):
        found[at] = rows[dense[at]]
    return found


def _named(store: Store, used: npt.NDArray[np.uint16]) -> tuple[npt.NDArray[np.uint32], dict[str, npt.NDArray[Any]]]:
    """Rows of block states by dense id, and their arrays: by runtime id, so that equal worlds give equal files."""
    runtime_ids = np.array([store.table.runtime_id_of(int(one)) for one in used], np.uint32)
    by_runtime_id = np.argsort(runtime_ids, kind="stable")
    row_of = np.zeros(int(used[-1]) + 1, np.uint32)
    row_of[used[by_runtime_id]] = np.arange(len(used), dtype=np.uint32)
    states = [store.table.states[int(one)] for one in used[by_runtime_id]]
    return row_of, {
        "names": np.array([state.name for state in states], np.str_),
        "states": np.array([json.dumps(dict(state.states), sort_keys=True) for state in states], np.str_),
        "runtime_ids": runtime_ids[by_runtime_id],
    }


def write_npz(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Writes all arrays under their names. Raises OSError; TypeError: an array of objects would need a pickle."""
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise TypeError(f"array '{name}' holds Python objects")
    contents: dict[str, Any] = dict(arrays)  # the stubs know a keyword of that function, not names of arrays
    with whole(path) as temporary, temporary.open("xb") as file:
        np.savez_compressed(file, **contents)
        file.flush()
        os.fsync(file.fileno())


COMPLETE_STATES: Final = SHOWN_STATES | {SubChunkState.REFUSED, SubChunkState.OUTSIDE}
LISTED_MISSING: Final = 20


class DumpReport(msgspec.Struct, frozen=True):
    """The result of a dump."""

    path: Path  # the written file
    complete: bool  # whether every place of the box was data, air or finally refused
    missing: tuple[tuple[SubChunkPos, str], ...]  # the other places, with their state's name
    states: dict[str, int]  # sub-chunks of the box by state's name
    seconds: float  # from the start to the file
    faults: tuple[str, ...] = ()  # what did not decode, the last few; packet, field and offset each
    # of the connection; the text shows only the server's protocol violations
    statistics: Statistics | None = None

    @property
    def exit_code(self) -> int:
        """0, or 4 if something is missing."""
        return DONE if self.complete else INCOMPLETE

    def text(self) -> str:
        lines = [f"{self.path} ({self.seconds:.1f} s): {words_of_states(self.states)}."]
        if not self.complete:
            lines.append(f"incomplete: {len(self.missing)} sub-chunks are missing:")
            lines += [f"  sub-chunk {coordinates(at)}: {state}" for at, state in self.missing[:LISTED_MISSING]]
            more = len(self.missing) - LISTED_MISSING
            lines += [f"  and {more} more"] if more > 0 else []
        lines += [f"could not be decoded: {one_line(fault)}" for fault in self.faults]
        warnings = self.statistics.session.warnings if self.statistics else ()
        return "\n".join([*lines, *warning_lines(warnings)])


def dump(
    source: Source,
    box: Box,
    path: Path,
    options: Options,
    progress: Progress | None = None,
    what: tuple[str, ...] = USUAL_ARRAYS,
) -> DumpReport:
    """Joins a source, waits for a box, writes it.

    ``options``: ``timeout_s`` counts for joining and for the box, each; light is computed only if an array of ``what``
    needs it. Raises UsageError: the box is wider than any radius, there is no folder for the file, or no array of a
    name; SourceError: the source cannot be joined, or ended the session; OSError: the file cannot be written.
    """
    if not path.absolute().parent.is_dir():
        raise UsageError(f"The folder {path.absolute().parent} does not exist, so {path.name} cannot be written.")
    expect_arrays(what)
    options = replace(options_for(options, box), light=options.light and bool(LIGHT_ARRAYS & set(what)))
    start = time.monotonic()
    with open_connection(source, options, progress) as connection:
        connection.request(box, options.timeout_s, progress)
        arrays = read_box(connection, box, what)
        write_npz(path, arrays)
        return report_on(connection, box, path, time.monotonic() - start)


def report_on(connection: Connection, box: Box, path: Path, seconds: float) -> DumpReport:
    missing, statistics = missing_places(connection, box), connection.statistics()
    store = connection.session.dimension.store
    states = Counter(store.state_of(position).name.lower() for position in box_subchunks(box))
    last_fault = statistics.session.last_fault
    faults = (*((last_fault,) if last_fault else ()), *statistics.session.terrain.last_faults)
    return DumpReport(path, not missing, missing, dict(states), round(seconds, 3), faults, statistics)


def options_for(options: Options, box: Box) -> Options:
    """The options with a radius that reaches over all columns of a box. Raises UsageError: no radius does."""
    expect_readable(box)
    reach = reach_of(box)
    if reach > MOST_RADIUS:
        width = max(Anchor.around_box(box.low, box.high).size)
        raise UsageError(f"A box {width} columns wide is too large: a radius reaches at most {MOST_RADIUS} columns.")
    return replace(options, radius=max(options.radius, reach))


def read_box(connection: Connection, box: Box, what: tuple[str, ...] = USUAL_ARRAYS) -> dict[str, npt.NDArray[Any]]:
    session, store = connection.session, connection.session.dimension.store
    arrays = box_arrays(store, session.dimension.light, box, what, session.started_at)
    kinds: tuple[tuple[str, type[IntEnum]], ...] = (("known", SubChunkState), ("verdict", HeightVerdict))
    for name, numbers in kinds:
        if name in arrays:  # names by number, lower case; empty for unused numbers
            known = {number.value: number.name.lower() for number in numbers}
            in_order = [known.get(number, "") for number in range(max(numbers) + 1)]
            arrays[f"{name}_names"] = np.array(in_order, np.str_)
    if "biomes" in arrays:
        occurring = np.unique(arrays["biomes"])
        names = [name_of(number, session.environment.biome_names) or "" for number in occurring.tolist()]
        arrays |= {"biome_numbers": occurring, "biome_names": np.array(names, np.str_)}
    return {
        **arrays,
        "box": np.array([*box.low, *box.high], np.int64),
        "protocol": np.array(connection.protocol, np.int64),
        "dimension": np.array(store.dimension.number, np.int64),
    }


def missing_places(connection: Connection, box: Box) -> tuple[tuple[SubChunkPos, str], ...]:
    """Places of the box that are not data, air or finally refused."""
    store = connection.session.dimension.store
    states = ((position, store.state_of(position)) for position in box_subchunks(box))
    return tuple((position, state.name.lower()) for position, state in states if state not in COMPLETE_STATES)
