"""How a ``range`` in a kernel is written in LLVM's language: as Numba's, without what a known step makes needless.

Rules:
1. A step that is a number that stands there is not looked at: Numba asks whether it is 0 each time. Others are Numba's.
2. How often a loop goes round is known before it begins, as in Numba: LLVM makes more of it.

``writer`` is a ``KernelWriter``; each function gives None where Numba shall write.
"""

from typing import Any

from llvmlite import ir as llvm
from numba.core import cgutils
from numba.core.types.iterators import RangeIteratorType


def range_of(writer: Any, kind: Any, given: list[Any]) -> Any:
    """``range``: first, end, step."""
    zero, one = (writer.context.get_constant(kind.dtype, each) for each in (0, 1))
    first, end, step = [*([zero] if len(given) == 1 else []), *given, *([one] if len(given) < 3 else [])]
    made = llvm.Constant(writer.context.get_value_type(kind), llvm.Undefined)
    for at, value in enumerate((first, end, step)):
        made = writer.builder.insert_value(made, value, at)
    writer.parts[id(made)] = made, [first, end, step]
    return made


def iterator_of(writer: Any, resty: Any, expr: Any) -> Any:
    """Of a range with a step that is known; None of all else."""
    if not isinstance(resty, RangeIteratorType):
        return None
    found = writer.parts.get(id(writer.loadvar(expr.value.name)))
    if found is None or not isinstance(found[1][2], llvm.Constant) or found[1][2].constant <= 0:
        return None
    first, end, step = found[1]
    difference = writer.builder.sub(end, first)
    zero = first.type(0)
    # As Numba: an unsigned one too goes by the sign of the difference.
    more = writer.builder.icmp_signed(">", difference, zero)
    if step.constant != 1:
        rest = writer.builder.icmp_signed(">", writer.builder.srem(difference, step), zero)
        difference = writer.builder.add(writer.builder.sdiv(difference, step), writer.builder.zext(rest, zero.type))
    count = writer.builder.select(more, difference, zero)
    places = [cgutils.alloca_once(writer.builder, zero.type) for _ in range(2)]
    for value, place in zip((first, count), places, strict=True):
        writer.builder.store(value, place)
    made = llvm.Constant(writer.context.get_value_type(resty), llvm.Undefined)
    for at, value in enumerate((places[0], end, step, places[1])):
        made = writer.builder.insert_value(made, value, at)
    return made


def next_of(writer: Any, resty: Any, expr: Any) -> Any:
    """The next number of a range, and whether there is one; None of all else."""
    kind = writer.typeof(expr.value.name)
    if not isinstance(kind, RangeIteratorType):
        return None
    place, _end, step, counter = writer.parts_of(writer.loadvar(expr.value.name), 4)
    left, number = writer.builder.load(counter), writer.builder.load(place)
    more = writer.builder.icmp_signed(">", left, left.type(0))
    with writer.builder.if_then(more):
        writer.builder.store(writer.builder.sub(left, left.type(1), flags=["nsw"]), counter)
        writer.builder.store(writer.builder.add(number, step), place)
    made = llvm.Constant(writer.context.get_value_type(resty), llvm.Undefined)
    for at, value in enumerate((number, more)):
        made = writer.builder.insert_value(made, value, at)
    writer.parts[id(made)] = made, [number, more]
    return made
