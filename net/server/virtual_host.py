"""The server in the caller's process and on the caller's clock: no socket, no thread, the same result every time.

Each ``open`` makes a new host, so that nothing of earlier sessions is visible; generated columns are kept, since they
are pure functions of world and position.

The argument of ``open``: ``{"world": "hills:1", "folder": PATH, "number": dimension to start in, "protocol": 486,
"profile": "bedrock", "mode": "limited", "radius_max": 9, "time": 6000, "spawn": [x, y, z] or null, "edits": [{"low":
[x, y, z], "high": [x, y, z], "name": "minecraft:stone", "states": {}, "layer": 0, "dimension": 1}]}``. ``folder``, that
of a saved world, takes precedence over ``world`` and may be left out. Numbers of dimensions may be left out, too: edits
are then in the dimension where players start.
"""

import copy
import difflib
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from net.palette import BlockState, Palette, UnknownState
from net.releases import ProtocolRange
from net.server.column_provider import MOST_CHANGED, TooManyChanges
from net.server.host import Host
from net.server.host_options import ColumnMode, HostOptions
from net.server.worlds import SavedWorld, ServerWorld, Spawn, beginning_in, open_worlds
from net.space import BlockPos, Dimension
from net.storage.world_files import open_world_files
from net.wire.fields import Profile

HOST_SEED: Final = 1
UNIX_TIME: Final = 1_750_000_000.0
"""Start of every session, on the virtual clock."""
KEPT_COLUMNS: Final = 768
"""For each world; 200 KB each."""
AT_ONCE: Final = 1 << 10
"""Columns made and sent in one turn: there are no other clients that would have to wait."""


class RememberedWorld:
    """A world that keeps its last columns. ``world``: the generator."""

    def __init__(self, world: ServerWorld) -> None:
        self._world = world
        self.column = lru_cache(KEPT_COLUMNS)(world.column)
        self.name: str = world.name
        self.dimension: Dimension = world.dimension
        self.spawn: Spawn = world.spawn

    @property
    def states(self) -> tuple[BlockState, ...]:
        """See ``ServerWorld``; the states of a saved world grow."""
        return self._world.states

    def spawning_at(self, feet: Sequence[float] | None) -> "RememberedWorld":
        """The same columns with another spawn, so that a client need not fly to a distant position."""
        world = copy.copy(self)
        if feet is not None:
            x, y, z = feet
            world.spawn = Spawn((x, y, z), 0.0, 0.0)
        return world


class VirtualServer:
    """Makes hosts, one at a time, and keeps the worlds that were opened so far."""

    def __init__(self) -> None:
        self._worlds: dict[tuple[str, str | None], list[RememberedWorld]] = {}

    def _worlds_of(self, what: Mapping[str, Any]) -> list[RememberedWorld]:
        key = what["world"], what.get("folder")
        if key not in self._worlds:
            world, folder = key
            saved = None if folder is None else SavedWorld(open_world_files(Path(folder)))
            found = open_worlds(world) if saved is None else (saved, *saved.others())
            self._worlds[key] = [RememberedWorld(each) for each in found]
        return beginning_in(self._worlds[key], what.get("number", 0))

    def open(self, what: Mapping[str, Any]) -> Host:
        """A new host; see the module for ``what``.

        Raises NetError: a folder cannot be read, or a block is outside its dimension; ValueError: there is no such
        world, dimension or block state.
        """
        protocol = what["protocol"]
        first, *beside = self._worlds_of(what)
        served = first.spawning_at(what["spawn"])
        options = HostOptions(
            mode=ColumnMode(what["mode"]),
            radius_max=what["radius_max"],
            time=what["time"],
            columns_a_turn=AT_ONCE,
            generated_a_turn=AT_ONCE,
            level=0,
            bear_unknown=what.get("folder") is not None,
        )
        spoken = ProtocolRange.only(protocol, Profile(what["profile"]))
        host = Host(served, options, spoken, 0.0, UNIX_TIME, even_entropy(HOST_SEED), beside=beside)
        for edit in what["edits"]:
            _edit(host, Palette.for_protocol(protocol), edit)
        return host


def _edit(host: Host, palette: Palette, edit: Mapping[str, Any]) -> None:
    state = _state(palette, edit["name"], edit["states"])
    sides = (range(low, high + 1) for low, high in zip(edit["low"], edit["high"], strict=True))
    try:
        for x, y, z in itertools.product(*sides):
            host.set_block(BlockPos(x, y, z), state, edit["layer"], edit.get("dimension"))
    except TooManyChanges:
        raise TooManyChanges(f"the edits cover more than {MOST_CHANGED} columns, which is the maximum") from None


def even_entropy(seed: int) -> Callable[[int], bytes]:
    """Pseudo-random bytes, the same in every run; both ends use them as entropy where no eavesdropper exists."""
    numbers = itertools.count(seed * 1_000_003 + 1)

    def bytes_of(size: int) -> bytes:
        words = (next(numbers) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF for _ in range(size // 8 + 1))
        return b"".join(word.to_bytes(8, "big") for word in words)[:size]

    return bytes_of


def _state(palette: Palette, name: str, said: Mapping[str, Any]) -> BlockState:
    """The palette's first state with this name and all these properties.

    Raises UnknownState: the message names the existing ones.
    """
    named = [state for state in palette.states if state.name == name]
    if not named:
        near = difflib.get_close_matches(name, {state.name for state in palette.states}, 1)
        raise UnknownState(f"unknown block {name}" + (f" (did you mean {near[0]}?)" if near else ""))
    for state in named:
        if dict(said).items() <= dict(state.states).items():
            return state
    known = "; ".join(str(dict(state.states)) for state in named[:4])
    raise UnknownState(f"{name} has no state {dict(said)}; its first states are {known}")
