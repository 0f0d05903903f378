"""Block entities: NBT compounds behind a sub-chunk's terrain, one after the other to the end (wire.md 2.3)."""

from net.nbt import NETWORK, Compound, read_roots


def read_entities(data: bytes, packet: str = "SubChunk") -> list[Compound]:
    """All block entities in ``data``, which may be empty.

    Raises:
        DecodeError: bytes that are no compound.
        LimitExceeded: one that is too deep or too large.
    """
    return read_roots(data, NETWORK, packet, "entities")
