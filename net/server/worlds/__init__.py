"""Worlds and how they are chosen: ``hills``, ``bench``, ``flat``, each with an optional seed, or a saved world.

    bench   The bench world: 17 x 17 columns round (0, 0)
    end     The End of a generated world: one island in the middle with pillars of obsidian
    hills/  The hills: endless, deterministic, made in regions of 4 x 4 columns, in any order
    kept    Worlds whose generated columns are cached on disk between runs
    nether  The Nether of a generated world
    noise   Hashes and noise that give the same numbers on every machine: splitmix64 over integer positions
    saved   Worlds saved by games, read through ``net.saved_world``
    world   The interface of worlds: columns of local block ids; the flat world

The hills have a Nether and an End; the others have only an overworld.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from net.server.worlds.bench import BenchWorld
from net.server.worlds.end import IslandsWorld
from net.server.worlds.hills import HillsWorld
from net.server.worlds.kept import KeptWorld, stamp_of
from net.server.worlds.nether import CavernsWorld
from net.server.worlds.saved import SavedWorld
from net.server.worlds.world import FlatWorld, GeneratedColumn, ServerWorld, Spawn, SteppedWorld
from net.space import by_number

__all__ = [
    "GeneratedColumn",
    "KeptWorld",
    "SavedWorld",
    "ServerWorld",
    "Spawn",
    "SteppedWorld",
    "UnknownWorld",
    "beginning_in",
    "open_worlds",
    "stamp_of",
]

WORLDS: dict[str, Callable[[int], ServerWorld]] = {"hills": HillsWorld, "bench": BenchWorld, "flat": FlatWorld}
BESIDE: dict[str, tuple[Callable[[str, int], ServerWorld], ...]] = {"hills": (CavernsWorld, IslandsWorld)}
"""Other dimensions, constructed from name and seed of the overworld."""


Held = TypeVar("Held", bound=ServerWorld)


class UnknownWorld(ValueError):
    """A world's name or seed that does not exist; the message says which do."""


def open_worlds(choice: str) -> tuple[ServerWorld, ...]:
    """All dimensions of ``NAME[:SEED]``, the overworld first; the default seed is 1.

    Raises UnknownWorld: the name is not a built-in world, or the seed is not a number.
    """
    name, _, text = choice.partition(":")
    if name not in WORLDS:
        raise UnknownWorld(f"unknown world {name!r}; choose from {', '.join(WORLDS)}")
    try:
        seed = int(text) if text else 1
    except ValueError:
        raise UnknownWorld(f"the seed of a world must be a whole number, not {text!r}") from None
    overworld = WORLDS[name](seed)
    return overworld, *(beside(overworld.name, seed) for beside in BESIDE.get(name, ()))


def beginning_in(worlds: Sequence[Held], number: int) -> list[Held]:
    """The worlds with one dimension moved to the front: players start there. Raises UnknownWorld: it is missing."""
    if number not in {world.dimension.number for world in worlds}:
        raise UnknownWorld(f"{worlds[0].name} has no dimension {by_number(number).name}")
    return sorted(worlds, key=lambda world: world.dimension.number != number)
