"""Python files that change generated columns and react to edits (seed 003).

A mod may define one or both of two functions:

    def generated(column):    a column was generated; the blocks set here become part of it
    def edited(edit):         a block was changed; the blocks set here are ordinary edits

Rules:
1. ``generated`` must depend on the column alone: columns are dropped and made again at any time. ``column.random`` is
   the same each time for the same column.
2. A mod that raises, or takes longer than ``LIMIT_S``, is reported by name and disabled; the changes of that call are
   dropped. So a mod that never returns costs one late tick: it runs in a thread of its own (``LimitedCaller``), in
   which an exception is raised then. A call that holds the interpreter lock or waits in C cannot be ended this way; it
   keeps its thread, and the server does not wait for it.
3. Edits made by mods are not passed to mods. One call makes at most ``MOST_EDITS``.
4. Block entities of a world stay where a mod sets another block; mods cannot make block entities.
5. Mods run in the server's process with all its rights: they are trusted code of the server's owner.
"""

import ctypes
import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from net.arrays import BlockIds
from net.palette import StateValue
from net.server.building import BlockReplacement
from net.server.dimensions import ServerDimension
from net.server.worlds import GeneratedColumn
from net.space import BlockPos, ColumnPos, coordinates

LIMIT_S: Final = 0.25
MOST_EDITS: Final = 64


class TookTooLong(Exception):
    """A call exceeded its time limit; make no more calls on this ``LimitedCaller``."""


class _Ended(BaseException):
    """Raised inside a call that exceeded its limit."""


class LimitedCaller:
    """A thread named ``name`` that runs one call at a time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._results: SimpleQueue[BaseException | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def call(self, job: Callable[[], None], limit_s: float) -> None:
        """Runs a job and waits for it. Raises TookTooLong, or whatever the job raises."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._jobs.put(job)
        try:
            raised = self._results.get(timeout=limit_s)
        except Empty:
            assert self._thread.ident is not None
            thread_id = ctypes.c_ulong(self._thread.ident)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread_id, ctypes.py_object(_Ended))
            raise TookTooLong from None
        if raised is not None:
            raise raised

    def _run(self) -> None:
        try:
            while True:
                job, raised = self._jobs.get(), None
                try:
                    job()
                except _Ended:
                    return
                except BaseException as error:  # passed on to the caller
                    raised = error
                self._results.put(raised)
        except _Ended:
            return


class ModColumn:
    """A column as passed to a mod: blocks by absolute positions inside it.

    ``served``: the dimension. ``position``: of the column. ``layer0``: its blocks, modified in place.
    """

    def __init__(self, served: ServerDimension, position: ColumnPos, layer0: BlockIds) -> None:
        self.x = position.x  # of the column: its blocks start at 16 times this
        self.z = position.z
        self.dimension = served.dimension.name  # ``overworld``, ``nether`` or another
        self.low_y = served.dimension.floor_y_blocks
        self.high_y = served.dimension.roof_y_blocks  # not included
        self._served = served
        self._layer0 = layer0

    @property
    def random(self) -> "np.random.Generator":
        """A random generator that is the same each time for this column; starts anew at each access."""
        text = f"{self._served.world.name} {self.dimension} {self.x} {self.z}"
        return np.random.default_rng(list(hashlib.blake2b(text.encode(), digest_size=8).digest()))

    def block(self, x: int, y: int, z: int) -> str:
        """Name of the block at a position inside the column. Raises ValueError: it is outside."""
        return self._served.states.state_of(int(self._layer0[self._at(x, y, z)])).name

    def ground(self, x: int, z: int) -> int:
        """The y of the highest block that stops sight; ``low_y`` - 1 if there is none."""
        self._at(x, self.low_y, z)
        stops = self._served.states.stops_sight
        for y in range(self.high_y - 1, self.low_y - 1, -1):
            if stops[self._layer0[self._at(x, y, z)]]:
                return y
        return self.low_y - 1

    def set_block(self, x: int, y: int, z: int, name: str, **states: StateValue) -> None:
        """Sets a block. Raises ValueError: the position is outside the column, or the block is unknown."""
        at = self._at(x, y, z)
        self._layer0[at] = self._served.states.local_id_of(self._served.forms.home.named(name, states))

    def _at(self, x: int, y: int, z: int) -> tuple[int, int]:
        place = BlockPos(int(x), int(y), int(z))
        if place.column != (self.x, self.z) or not self.low_y <= place.y < self.high_y:
            raise ValueError(f"block {coordinates(place)} is outside column {self.x},{self.z}")
        return (place.y >> 4) - self._served.dimension.floor_section, place.in_subchunk


class ModEdit:
    """An edit as passed to a mod. ``served``: the dimension. ``edit``: the edit that was made."""

    def __init__(self, served: ServerDimension, edit: BlockReplacement) -> None:
        self.x, self.y, self.z = edit.position
        self.name = edit.state.name  # of the new block
        self.states: Mapping[str, StateValue] = dict(edit.state.states)
        self.dimension = served.dimension.name
        self._served = served
        self.wanted: list[BlockReplacement] = []  # edits that the mod requests

    def block(self, x: int, y: int, z: int) -> str:
        """Name of a block; ``minecraft:air`` if its column is not in memory."""
        place = BlockPos(int(x), int(y), int(z))
        held = self._served.dimension.holds_section(place.y >> 4) and self._served.provider.holds(place.column)
        return self._served.block(place, 0).name if held else "minecraft:air"

    def set_block(self, x: int, y: int, z: int, name: str, **states: StateValue) -> None:
        """Requests an edit. Raises ValueError: too many, outside the dimension, or an unknown block."""
        place = BlockPos(int(x), int(y), int(z))
        if len(self.wanted) >= MOST_EDITS:
            raise ValueError(f"an edit may make at most {MOST_EDITS} others")
        if not self._served.dimension.holds_section(place.y >> 4):
            raise ValueError(f"block {coordinates(place)} is outside the {self.dimension}")
        self.wanted.append(BlockReplacement(place, 0, self._served.forms.home.named(name, states)))


class Mod:
    """One mod file.

    ``functions``: those that it defines, by name. ``report``: called with a sentence when the mod is disabled.
    """

    def __init__(
        self, name: str, functions: Mapping[str, Any], caller: LimitedCaller, report: Callable[[str], None]
    ) -> None:
        self.name = name
        self.left_out = False
        self._generated = functions.get("generated")
        self._edited = functions.get("edited")
        self._caller = caller
        self._report = report

    def generated(self, served: ServerDimension, position: ColumnPos, column: GeneratedColumn) -> GeneratedColumn:
        """The column with the mod's changes."""
        function = self._generated
        if self.left_out or function is None:
            return column
        layer0 = np.array(column.layer0)
        seen = ModColumn(served, position, layer0)
        where = f"generated of column {position.x}, {position.z}"
        if not self._call(lambda: function(seen), where) or np.array_equal(layer0, column.layer0):
            return column
        return replace(column, layer0=layer0)

    def edited(self, served: ServerDimension, edit: BlockReplacement) -> Sequence[BlockReplacement]:
        """The edits that the mod requests after an edit."""
        function = self._edited
        if self.left_out or function is None:
            return ()
        seen = ModEdit(served, edit)
        return seen.wanted if self._call(lambda: function(seen), f"edited at {coordinates(edit.position)}") else ()

    def _call(self, job: Callable[[], None], where: str) -> bool:
        try:
            self._caller.call(job, LIMIT_S)
        except BaseException as error:  # any error in the mod's code disables it
            said = " ".join(str(error).split())[:200]
            late = isinstance(error, TookTooLong)
            what = f"took longer than {LIMIT_S:g} s" if late else f"raised {type(error).__name__}: {said}"
            self.left_out = True
            self._report(f"The mod {self.name} is left out: {where} {what}.")
            return False
        return True


class Mods:
    """All mods of a host, in the order in which they were named."""

    def __init__(self, mods: Sequence[Mod]) -> None:
        self._mods = mods

    def generated(self, served: ServerDimension, position: ColumnPos, column: GeneratedColumn) -> GeneratedColumn:
        """The column with the changes of all mods, in order."""
        for mod in self._mods:
            column = mod.generated(served, position, column)
        return column

    def edited(self, served: ServerDimension, edit: BlockReplacement) -> Sequence[BlockReplacement]:
        """The edits that all mods request after an edit."""
        return [wanted for mod in self._mods for wanted in mod.edited(served, edit)]
