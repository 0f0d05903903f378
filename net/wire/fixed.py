"""Numbers of a fixed size, as both cursors say them; names are the wire's."""

from struct import Struct
from typing import Final

I8: Final = Struct("<b")
U16LE: Final = Struct("<H")
I16LE: Final = Struct("<h")
U32LE: Final = Struct("<I")
I32LE: Final = Struct("<i")
I32BE: Final = Struct(">i")
U64LE: Final = Struct("<Q")
I64LE: Final = Struct("<q")
F32LE: Final = Struct("<f")
F64LE: Final = Struct("<d")

Buffer = bytes | memoryview
"""Where they stand."""
