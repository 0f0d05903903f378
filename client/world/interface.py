"""The store as those above it read it: plain arrays of the store, its pools and its block table, and nothing else.

Light, sight and the scene take a ``World``; a ``Store`` is one, and so is a test's double with arrays set by hand. Who
reads a part of it says ``World`` as well: a contract apiece would describe the same arrays again. Streaming reads other
tables (``client.streaming.planner.PlannedWorld``).

Readers never write, but for ``Pools.connectivity``, which ``client.visibility`` derives.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from net.space import BlockIds, ColumnMasks, ColumnPos, ColumnPositions, Dimension, Slots


class Thresholds(Protocol):
    """First dense ids of the classes that are told apart here."""

    @property
    def model(self) -> int:
        """First model: what follows air."""
        ...

    @property
    def cutout(self) -> int:
        """First cut-out block."""
        ...

    @property
    def opaque(self) -> int:
        """First opaque block: what follows the placeholder."""
        ...

    @property
    def translucent(self) -> int:
        """First translucent block: from it on all fill their cells."""
        ...

    @property
    def liquid(self) -> int:
        """First liquid."""
        ...

    @property
    def placeholder(self) -> int:
        """First id that stops all light: the placeholder, then every opaque block."""
        ...


class State(Protocol):
    """A block state."""

    @property
    def name(self) -> str:
        """With its namespace."""
        ...

    @property
    def states(self) -> Sequence[tuple[str, int | str | bool]]:
        """Names and values, by name."""
        ...


class Table(Protocol):
    """The block table; arrays are indexed by dense id and may be longer than the table."""

    @property
    def states(self) -> Sequence[State]:
        """[n] by dense id."""
        ...

    @property
    def appended(self) -> int:
        """How many of these the palette does not know, the last ones."""
        ...

    @property
    def first(self) -> Thresholds:
        """Where the classes begin."""
        ...

    @property
    def emission(self) -> npt.NDArray[np.uint16]:
        """[n] R | G << 4 | B << 8."""
        ...

    @property
    def opacity(self) -> npt.NDArray[np.uint8]:
        """[4, n] 0..15 in R, G, B, D."""
        ...

    @property
    def obstructs(self) -> npt.NDArray[np.bool_]:
        """[n] whether a body cannot pass."""
        ...


class Pools(Protocol):
    """Block slots and what is derived from them."""

    @property
    def blocks(self) -> BlockIds:
        """[slots, 4096]."""
        ...

    @property
    def opaque(self) -> ColumnMasks:
        """[slots, 256]."""
        ...

    @property
    def liquid(self) -> ColumnMasks:
        """[slots, 256]."""
        ...

    @property
    def other(self) -> ColumnMasks:
        """[slots, 256]."""
        ...

    @property
    def kinds(self) -> npt.NDArray[np.uint8]:
        """[slots] 0 for nothing but air."""
        ...

    @property
    def layer1(self) -> BlockIds:
        """[second-layer slots, 4096]; slot 0 is all air."""
        ...

    @property
    def wet(self) -> ColumnMasks:
        """[second-layer slots, 256] liquid in them."""
        ...

    @property
    def flags(self) -> npt.NDArray[np.uint32]:
        """[slots] of some of its ids, as ``block_table.SHINES`` says, and maybe of some that were there before."""
        ...

    @property
    def connectivity(self) -> npt.NDArray[np.uint64]:
        """[slots] bit ``from * 8 + to``: which face sees which."""
        ...


class World(Protocol):
    """The store. Its tables may be replaced when they grow: take them from here anew at each step."""

    @property
    def table(self) -> Table:
        """Block table."""
        ...

    @property
    def pools(self) -> Pools:
        """Block slots."""
        ...

    @property
    def dimension(self) -> Dimension:
        """Vertical range and sky."""
        ...

    @property
    def slot(self) -> Slots:
        """[places] block slot that each place shows."""
        ...

    @property
    def layer1_slot(self) -> Slots:
        """[places] second-layer slot that each place shows, 0 for none."""
        ...

    @property
    def revision(self) -> npt.NDArray[np.int64]:
        """[places] unique in the session for each content."""
        ...

    @property
    def sky_top(self) -> npt.NDArray[np.uint16]:
        """[places, 16] bit z of row x: daylight enters below a placeholder."""
        ...

    @property
    def neighbours(self) -> npt.NDArray[np.int32]:
        """[places, 6] place beside, by direction."""
        ...

    @property
    def column_neighbours(self) -> npt.NDArray[np.int32]:
        """[rows, 9] by (dx + 1) * 3 + dz + 1; 0 = missing; the middle one is the row itself while it is in use."""
        ...

    @property
    def row_of(self) -> dict[ColumnPos, int]:
        """Rows in use by position."""
        ...

    @property
    def columns(self) -> ColumnPositions:
        """[rows, 2] position of each row in use."""
        ...
