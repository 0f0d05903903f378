"""Tags as Python values.

A string is ``str``, a list ``list``, a compound ``dict``; numbers and arrays are subclasses of ``int``, ``float``,
``bytes`` and ``tuple`` that remember their width, so that they compare and compute as plain values and are written as
they were read.

Rules:
1. A list holds values of one type; what it holds decides how it is written, an empty one has no type.
2. Text that is no UTF-8 (it happens in old signs) is kept through surrogate escapes.
"""

from typing import Union


class Byte(int):
    """Tag 1: -128..127."""


class Short(int):
    """Tag 2: 16 bits."""


class Int(int):
    """Tag 3: 32 bits."""


class Long(int):
    """Tag 4: 64 bits."""


class Float(float):
    """Tag 5: single precision."""


class Double(float):
    """Tag 6: double precision."""


class ByteArray(bytes):
    """Tag 7."""


class IntArray(tuple[int, ...]):
    """Tag 11."""

    __slots__ = ()


Tag = Union[Byte, Short, Int, Long, Float, Double, ByteArray, str, "list[Tag]", "dict[str, Tag]", IntArray]
Compound = dict[str, Tag]

END_NUMBER = 0
BYTE_NUMBER = 1
SHORT_NUMBER = 2
INT_NUMBER = 3
LONG_NUMBER = 4
FLOAT_NUMBER = 5
DOUBLE_NUMBER = 6
BYTE_ARRAY_NUMBER = 7
STRING_NUMBER = 8
LIST_NUMBER = 9
COMPOUND_NUMBER = 10
INT_ARRAY_NUMBER = 11

NUMBERS: dict[type, int] = {
    Byte: BYTE_NUMBER,
    Short: SHORT_NUMBER,
    Int: INT_NUMBER,
    Long: LONG_NUMBER,
    Float: FLOAT_NUMBER,
    Double: DOUBLE_NUMBER,
    ByteArray: BYTE_ARRAY_NUMBER,
    str: STRING_NUMBER,
    list: LIST_NUMBER,
    dict: COMPOUND_NUMBER,
    IntArray: INT_ARRAY_NUMBER,
}
"""Tag number by Python type. Constant: nobody writes to it."""
