"""Digests of many things by place: enough to say that two runs are the same, and if not, where they differ.

Rules:
1. ``whole`` decides: 128 bits over all positions and the full 64-bit digest of each. The 32 bits that are kept of each
   place only serve to name the places that differ.
2. Order of arrival does not matter: positions stand sorted by x, y, z.

As JSON it is ``{"digest": hex, "count": n, "places": text}``, text being base64 of deflated int32 positions (by
difference from the one before) and uint32 digests: four bytes a place, since the positions are a grid.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from net.frozen import frozen

Positions = npt.NDArray[np.int32]
"""[n, 3] of x, y, z in sub-chunks or render cells."""

MOST_PLACES: Final = 1 << 22
"""What is read of a file: more than any world that is shown holds."""


@frozen
class Digests:
    """Digests by place.

    Attributes:
        whole: 32 hexadecimal digits.
        positions: int32[n, 3], sorted, each once.
        short: uint32[n] of each.
    """

    whole: str
    positions: Positions
    short: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, positions: npt.NDArray[np.integer[Any]], full: npt.NDArray[np.uint64]) -> "Digests":
        """Digests of n places in any order.

        Args:
            positions: [n, 3], each once.
            full: uint64[n] a digest each.
        """
        order = np.lexsort((positions[:, 2], positions[:, 1], positions[:, 0]))
        placed = np.ascontiguousarray(positions[order].astype("<i4").reshape(-1, 3))
        digests = np.ascontiguousarray(full[order].astype("<u8"))
        whole = xxhash.xxh3_128(placed.tobytes())
        whole.update(digests.tobytes())
        return cls(whole.hexdigest(), placed, (digests & np.uint64(0xFFFFFFFF)).astype(np.uint32))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digests) and self.whole == other.whole

    def __hash__(self) -> int:
        return hash(self.whole)

    def __len__(self) -> int:
        return len(self.positions)

    def differing(self, other: "Digests") -> Positions:
        """Places that one of both alone has, or that have other digests: int32[n, 3], sorted."""
        if self == other:
            return np.empty((0, 3), np.int32)
        rows = np.concatenate([_rows(self), _rows(other)])
        found, times = np.unique(rows, axis=0, return_counts=True)
        places: Positions = np.unique(found[times == 1, :3], axis=0).astype(np.int32)
        return places

    def as_json(self) -> dict[str, Any]:
        """As the module says."""
        steps = np.diff(self.positions, axis=0, prepend=np.zeros((1, 3), np.int32)).astype("<i4")
        packed = zlib.compress(steps.T.tobytes() + self.short.astype("<u4").tobytes(), 9)
        return {"digest": self.whole, "count": len(self), "places": base64.b64encode(packed).decode()}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "Digests":
        """What ``as_json`` said.

        Raises:
            ValueError: it is something else; names what.
        """
        try:
            whole, count, text = str(said["digest"]), int(said["count"]), str(said["places"])
            if not 0 <= count <= MOST_PLACES:
                raise ValueError(f"digests of {count} places, at most {MOST_PLACES} are read")
            raw = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), 16 * count + 1)
        except (KeyError, TypeError, OverflowError, binascii.Error, zlib.error) as error:
            raise ValueError(f"no digests by place: {error!r}") from None
        if len(raw) != 16 * count:
            raise ValueError(f"digests of {count} places have {len(raw)} bytes, not {16 * count}")
        steps = np.frombuffer(raw, "<i4", 3 * count).reshape(3, count).T
        positions = np.cumsum(steps, axis=0, dtype=np.int32)
        return cls(whole, positions, np.frombuffer(raw, "<u4", count, 12 * count).astype(np.uint32))


def _rows(digests: Digests) -> npt.NDArray[np.int64]:
    return np.column_stack([digests.positions.astype(np.int64), digests.short.astype(np.int64)])
