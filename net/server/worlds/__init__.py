"""Worlds and how they are chosen: ``hills``, ``bench``, ``flat``, each with an optional seed, or one that was saved."""

from collections.abc import Callable

from net.server.worlds.bench import BenchWorld
from net.server.worlds.flat import FlatWorld
from net.server.worlds.hills import HillsWorld
from net.server.worlds.saved import SavedWorld
from net.server.worlds.world import GeneratedColumn, Spawn, SteppedWorld, World

__all__ = ["GeneratedColumn", "SavedWorld", "Spawn", "SteppedWorld", "UnknownWorld", "World", "open_world"]

WORLDS: dict[str, Callable[[int], World]] = {"hills": HillsWorld, "bench": BenchWorld, "flat": FlatWorld}


class UnknownWorld(ValueError):
    """A world's name or seed that does not exist; the text says which do."""


def open_world(choice: str) -> World:
    """The world of ``NAME[:SEED]``; the seed is 1 unless given.

    Raises:
        UnknownWorld: for a name that is none of ours or a seed that is no number.
    """
    name, _, seed = choice.partition(":")
    if name not in WORLDS:
        raise UnknownWorld(f"no world is called {name!r}; there are {', '.join(WORLDS)}")
    try:
        number = int(seed) if seed else 1
    except ValueError:
        raise UnknownWorld(f"the seed of a world is a whole number, not {seed!r}") from None
    return WORLDS[name](number)
