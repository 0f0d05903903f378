"""NBT, the games' tagged binary format, in the two flavours a viewer meets (wire.md 1)."""

from net.nbt.flavours import DISK, NETWORK, Flavour
from net.nbt.reading import read_root, read_roots
from net.nbt.tags import Byte, ByteArray, Compound, Double, Float, Int, IntArray, Long, Short, Tag
from net.nbt.writing import ROOT, encode_root, write_root

__all__ = [
    "DISK",
    "NETWORK",
    "ROOT",
    "Byte",
    "ByteArray",
    "Compound",
    "Double",
    "Flavour",
    "Float",
    "Int",
    "IntArray",
    "Long",
    "Short",
    "Tag",
    "encode_root",
    "read_root",
    "read_roots",
    "write_root",
]
