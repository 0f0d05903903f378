"""How a kernel's function is written in LLVM's language: as Numba does, with less of it.

Rules:
1. A variable that is assigned once, where all that use it come after, is a value; others have a place in memory. Numba
   keeps all that live longer than a block in memory, and sets them to zero when nobody needs them any more.
2. One item of an array, and a part of it that lies at the front of its axes, are addressed here. Negative numbers count
   from the end, as everywhere in Python. Slices and all else are Numba's.
3. A ``range`` whose step is a number that stands there counts without looking whether that is 0.
4. Nothing is counted by reference (``_nrt=False``), so nothing is deleted; nothing is raised.

Theory: what is left out LLVM would remove, after Python has made it, written it down as text and read it again: most
of the time that a first start took. Types come from Numba, and results are the same to the last bit.
"""

import operator
from typing import Any, Final

from llvmlite import ir as llvm
from numba.core import cgutils, ir, lowering, types
from numba.core.types.containers import BaseTuple
from numba.core.types.iterators import RangeType
from numba.core.types.misc import Phantom
from numba.np.arrayobj import load_item, store_item

from net.kernels.ranges import iterator_of, next_of, range_of
from net.kernels.variables import values_of

DATA, SHAPE, STRIDES = 4, 5, 6
"""Members of Numba's struct of an array."""
PARENT, ITEMS, ITEM_SIZE = 1, 2, 3
NO_STATIC: Final = frozenset(
    {
        operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor, operator.lshift,
        operator.rshift, operator.floordiv, operator.mod, operator.truediv, operator.eq, operator.ne, operator.lt,
        operator.le, operator.gt, operator.ge,
    }
)  # fmt: skip
"""Operators of numbers for which Numba has nothing special where one side is a constant."""


class KernelWriter(lowering.Lower):  # type: ignore[misc]  # Numba has no types
    """Writes one function.

    Attributes:
        parts: of tuples, ranges and what comes out of loops that were written here, by identity; kept with them.
    """

    def init(self) -> None:
        """Begins one."""
        self.parts: dict[int, tuple[Any, list[Any]]] = {}
        super().init()

    # -- variables

    def _find_singly_assigned_variable(self) -> None:
        self._singly_assigned_vars = values_of(self.func_ir)
        self._blk_local_varmap: dict[str, Any] = {}

    def pre_block(self, block: Any) -> None:
        """Nothing: places are made when they are needed, and nothing is tried."""

    def lower_block(self, block: Any) -> None:
        """Writes one block."""
        for inst in block.body:
            self.loc = inst.loc
            self.lower_inst(inst)

    def lower_inst(self, inst: Any) -> None:
        """Writes one statement."""
        if isinstance(inst, ir.Assign):
            name = inst.target.name
            self.storevar(self.lower_assign(self.typeof(name), inst), name)
        elif isinstance(inst, ir.StaticSetItem) and isinstance(self.typeof(inst.target.name), types.Array):
            self.lower_setitem(inst.target, inst.index_var, inst.value, self.fndesc.calltypes[inst])
        else:
            super().lower_inst(inst)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Gives a variable its value; what it held is not looked at."""
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """Room for a variable; its size, for debuggers, is a module of its own that LLVM would have to read."""
        return cgutils.alloca_once(self.builder, lltype, name=name, zfill=False)

    # -- expressions

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Writes one expression."""
        write = _WRITERS.get(expr.op)
        written = write(self, resty, expr) if write else None
        return super().lower_expr(resty, expr) if written is None else written

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """An operator of two values."""
        signature = self.fndesc.calltypes[expr]
        if op not in NO_STATIC or not all(isinstance(each, types.Number | types.Boolean) for each in signature.args):
            return super().lower_binop(resty, expr, op)
        given = [self._cast_var(each, kind) for each, kind in zip((expr.lhs, expr.rhs), signature.args, strict=True)]
        function = self.context.typing_context.resolve_value_type(op)
        signature = function.get_call_type(self.context.typing_context, signature.args, {})
        result = self.context.get_function(function, signature)(self.builder, given)
        return self.context.cast(self.builder, result, signature.return_type, resty)

    def lower_call(self, resty: Any, expr: Any) -> Any:
        """A call."""
        function = self.typeof(expr.func.name)
        signature = self.fndesc.calltypes[expr]
        if isinstance(signature.return_type, Phantom):
            return self.context.get_dummy_value()
        result = self._lower_call_normal(function, expr, signature)
        if result is None:
            result = self.context.get_dummy_value()
        return self.context.cast(self.builder, result, signature.return_type, resty)

    def _lower_call_normal(self, fnty: Any, expr: Any, signature: Any) -> Any:
        if getattr(fnty, "typing_key", None) == "array.view" and signature.recvr.layout == "C" and signature.recvr.ndim:
            return self._seen_as(signature.recvr, signature.return_type, self.loadvar(expr.func.name))
        given = self.fold_call_args(fnty, signature, expr.args, expr.vararg, expr.kws)
        if isinstance(signature.return_type, RangeType):
            return range_of(self, signature.return_type, given)
        if signature.recvr:
            given = [self.loadvar(expr.func.name), *given]
        return self.context.get_function(fnty, signature)(self.builder, given, self.loc)

    def _seen_as(self, before: Any, after: Any, value: Any) -> Any:
        """``array.view(dtype)`` of an array in C order; Numba's brings four functions along for what cannot fit."""
        sizes = [self.context.get_abi_sizeof(self.context.get_data_type(each.dtype)) for each in (before, after)]
        lengths, strides = self._members(value, SHAPE), self._members(value, STRIDES)
        lengths[-1] = self._counted(lengths[-1], *sizes)
        strides[-1] = self.context.get_constant(types.intp, sizes[1])
        return self._array(after, value, self.builder.extract_value(value, DATA), lengths, strides)

    def _counted(self, items: Any, size: int, new_size: int) -> Any:
        """How many of a new size as many items are; both are powers of two."""
        if size > new_size:
            return self.builder.mul(items, self.context.get_constant(types.intp, size // new_size))
        return self.builder.lshr(items, self.context.get_constant(types.intp, (new_size // size).bit_length() - 1))

    # -- tuples

    def _tuple(self, resty: Any, expr: Any) -> Any:
        """A tuple, whose parts are remembered."""
        parts = [self._cast_var(each, kind) for each, kind in zip(expr.items, resty, strict=True)]
        made = self.context.make_tuple(self.builder, resty, parts)
        self.parts[id(made)] = made, parts
        return made

    def parts_of(self, value: Any, count: int) -> list[Any]:
        """The parts of a tuple or the like."""
        found = self.parts.get(id(value))
        return found[1] if found else [self.builder.extract_value(value, at) for at in range(count)]

    def _first(self, resty: Any, expr: Any) -> Any:
        return self.parts_of(self.loadvar(expr.value.name), 2)[0]

    def _second(self, resty: Any, expr: Any) -> Any:
        return self.parts_of(self.loadvar(expr.value.name), 2)[1]

    # -- arrays

    def _attribute(self, resty: Any, expr: Any) -> Any:
        """An array's shape; None of all else."""
        if expr.attr == "shape" and isinstance(self.typeof(expr.value.name), types.Array):
            return self.builder.extract_value(self.loadvar(expr.value.name), SHAPE)
        return None

    def _static_item(self, resty: Any, expr: Any) -> Any:
        """What a number that stands there picks out of a tuple or an array."""
        of = self.typeof(expr.value.name)
        if isinstance(of, BaseTuple) and isinstance(expr.index, int) and of.types[expr.index] == resty:
            parts = self.parts_of(self.loadvar(expr.value.name), len(of))
            return parts[expr.index]
        if isinstance(of, types.Array) and expr.index_var is not None:
            return self._picked(resty, expr.value, expr.index_var, self.fndesc.calltypes[expr])
        return None

    def _item(self, resty: Any, expr: Any) -> Any:
        return self._picked(resty, expr.value, expr.index, self.fndesc.calltypes[expr])

    def _picked(self, resty: Any, of: Any, index: Any, signature: Any) -> Any:
        kind, gives = signature.args[0], signature.return_type
        at = self._indices(kind, index, signature.args[1])
        if at is None:
            return None
        array = self.loadvar(of.name)
        pointer = self._pointer(kind, array, at)
        if len(at) == kind.ndim:
            item = load_item(self.context, self.builder, kind, pointer)
            return self.context.cast(self.builder, item, gives, resty)
        rest = [self._members(array, which)[len(at) :] for which in (SHAPE, STRIDES)]
        return self._array(gives, array, pointer, *rest)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> None:
        """Writes one item of an array; parts of it are Numba's."""
        kind = signature.args[0]
        at = self._indices(kind, index_var, signature.args[1])
        if at is None or len(at) < kind.ndim:
            super().lower_setitem(target_var, index_var, value_var, signature)
            return
        value = self._cast_var(value_var, signature.args[2])
        value = self.context.cast(self.builder, value, signature.args[2], kind.dtype)
        pointer = self._pointer(kind, self.loadvar(target_var.name), at)
        store_item(self.context, self.builder, kind, value, pointer)

    def _indices(self, kind: Any, index: Any, wanted: Any) -> list[tuple[Any, Any]] | None:
        """Types and values of whole numbers that pick something at the front of an array's axes."""
        kinds = wanted.types if isinstance(wanted, BaseTuple) else (wanted,)
        plain = isinstance(kind, types.Array) and kind.layout in "CA" and len(kinds) <= kind.ndim
        if not plain or not kinds or not all(isinstance(each, types.Integer) for each in kinds):
            return None
        value = self._cast_var(index, wanted)
        values = self.parts_of(value, len(kinds)) if isinstance(wanted, BaseTuple) else [value]
        return list(zip(kinds, values, strict=True))

    def _pointer(self, kind: Any, array: Any, at: list[tuple[Any, Any]]) -> Any:
        """Where something picked begins."""
        lengths = self._members(array, SHAPE)
        numbers = [self._from_front(*each, length) for each, length in zip(at, lengths, strict=False)]
        data = self.builder.extract_value(array, DATA)
        if kind.layout == "A":
            strides = self._members(array, STRIDES)
            steps = [self.builder.mul(step, number) for step, number in zip(strides, numbers, strict=False)]
            return cgutils.pointer_add(self.builder, data, self._sum(steps))
        steps = []
        for axis, number in enumerate(numbers):
            step = number
            for length in lengths[axis + 1 :]:
                step = self.builder.mul(step, length)
            steps.append(step)
        return self.builder.gep(data, [self._sum(steps)])

    def _sum(self, values: list[Any]) -> Any:
        total, *rest = values
        for each in rest:
            total = self.builder.add(total, each)
        return total

    def _from_front(self, kind: Any, number: Any, length: Any) -> Any:
        """A number of an item, where it may be counted from the end."""
        if not kind.signed:
            return self.context.cast(self.builder, number, kind, types.uintp)
        number = self.context.cast(self.builder, number, kind, types.intp)
        if isinstance(number, llvm.Constant) and number.constant >= 0:
            return number
        negative = self.builder.icmp_signed("<", number, number.type(0))
        return self.builder.select(negative, self.builder.add(number, length), number)

    def _members(self, array: Any, which: int) -> list[Any]:
        axes = array.type.elements[which].count
        return [self.builder.extract_value(array, [which, axis]) for axis in range(axes)]

    def _array(self, kind: Any, of: Any, data: Any, lengths: list[Any], strides: list[Any]) -> Any:
        """An array that shows part of another."""
        items = lengths[0]
        for length in lengths[1:]:
            items = self.builder.mul(items, length)
        size = self.context.get_abi_sizeof(self.context.get_data_type(kind.dtype))
        made = llvm.Constant(self.context.get_value_type(kind), llvm.Undefined)
        pointer = self.builder.bitcast(data, made.type.elements[DATA])
        for which in (0, PARENT):
            made = self.builder.insert_value(made, self.builder.extract_value(of, which), which)
        members = ((ITEMS, items), (ITEM_SIZE, self.context.get_constant(types.intp, size)), (DATA, pointer))
        for which, value in members:
            made = self.builder.insert_value(made, value, which)
        for which, values in ((SHAPE, lengths), (STRIDES, strides)):
            for axis, value in enumerate(values):
                made = self.builder.insert_value(made, value, [which, axis])
        return made


_WRITERS: Final = {
    "build_tuple": KernelWriter._tuple,
    "getattr": KernelWriter._attribute,
    "getitem": KernelWriter._item,
    "getiter": iterator_of,
    "iternext": next_of,
    "pair_first": KernelWriter._first,
    "pair_second": KernelWriter._second,
    "static_getitem": KernelWriter._static_item,
}
"""By Numba's name of the expression; each may give None, then Numba writes it."""
