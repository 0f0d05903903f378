"""Columns made ahead while nobody is there, so that the first client waits for less."""

from collections.abc import Iterator

from net.server.provider import Provider
from net.space.positions import ColumnPos


def warm_up(provider: Provider, centre: ColumnPos, radius: int) -> Iterator[bool]:
    """Makes the columns of a square, ring by ring from its middle, a step of some milliseconds each; always True."""
    for column in _around(centre, radius):
        for _ in provider.steps(column):
            yield True
        provider.snapshot(column)
        yield True


def _around(centre: ColumnPos, radius: int) -> Iterator[ColumnPos]:
    """The columns of a square, ring by ring from its middle."""
    for ring in range(radius + 1):
        for dx in range(-ring, ring + 1):
            step = 1 if abs(dx) == ring else max(2 * ring, 1)
            for dz in range(-ring, ring + 1, step):
                yield ColumnPos(centre.x + dx, centre.z + dz)
