"""The small functions between the interpreter and a kernel, in LLVM's language (``call`` has their rules).

Theory: NumPy's array and descriptor structs, and CPython's object head, are public and stable (numpy/ndarraytypes.h). A
kernel's own parameters follow Numba's convention: a place for the result, one for an exception, then each array as
(owner, parent, items, bytes an item, first byte, lengths, strides). One function reads any array; each kernel's own is
a row of calls to it, so that a module of them is written in microseconds and compiled in milliseconds.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from net.kernels.call import ARRAY_TYPE, CALLER, LINKED, TROUBLE, KernelSignature, Parameter, dtype_of

_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400
"""NumPy's flags."""
_WORDS: Final = 3
"""Words that ``take`` writes before lengths and strides: items, bytes an item, first byte."""

_HEAD: Final = f"""
@{ARRAY_TYPE} = global i8* null
@{TROUBLE} = global i8* null
@{LINKED} = global i8* bitcast (i8* ()* @PyEval_SaveThread to i8*)
@empty = internal constant [1 x i8] zeroinitializer
declare i64 @PyLong_AsLongLong(i8*)
declare double @PyFloat_AsDouble(i8*)
declare i32 @PyObject_IsTrue(i8*)
declare i8* @PyErr_Occurred()
declare i8* @PyEval_SaveThread()
declare void @PyEval_RestoreThread(i8*)
declare i8* @PyLong_FromLongLong(i64)
declare i8* @PyFloat_FromDouble(double)
declare i8* @PyBool_FromLong(i64)
declare i8* @PyObject_Vectorcall(i8*, i8**, i64, i8*)
declare i8* @Py_BuildValue(i8*)

; Whether an object is an array of so many axes, one of two types and all of some flags; then its words.
define internal i1 @take(i8* %item, i64 %axes, i32 %must, i32 %kind, i32 %other, i64 %size, i64* %words) {{
  %i.type = getelementptr i8, i8* %item, i64 8
  %p.type = bitcast i8* %i.type to i8**
  %type = load i8*, i8** %p.type
  %array = load i8*, i8** @{ARRAY_TYPE}
  %is.array = icmp eq i8* %type, %array
  br i1 %is.array, label %looks, label %no
looks:
  %i.axes = getelementptr i8, i8* %item, i64 24
  %p.axes = bitcast i8* %i.axes to i32*
  %has.axes = load i32, i32* %p.axes
  %wide.axes = zext i32 %has.axes to i64
  %same.axes = icmp eq i64 %wide.axes, %axes
  %i.flags = getelementptr i8, i8* %item, i64 64
  %p.flags = bitcast i8* %i.flags to i32*
  %has.flags = load i32, i32* %p.flags
  %of.flags = and i32 %has.flags, %must
  %same.flags = icmp eq i32 %of.flags, %must
  %i.descr = getelementptr i8, i8* %item, i64 56
  %p.descr = bitcast i8* %i.descr to i8**
  %descr = load i8*, i8** %p.descr
  %i.order = getelementptr i8, i8* %descr, i64 26
  %order = load i8, i8* %i.order
  %native = icmp ne i8 %order, 62
  %i.kind = getelementptr i8, i8* %descr, i64 28
  %p.kind = bitcast i8* %i.kind to i32*
  %has.kind = load i32, i32* %p.kind
  %is.kind = icmp eq i32 %has.kind, %kind
  %is.other = icmp eq i32 %has.kind, %other
  %any.kind = or i1 %is.kind, %is.other
  %fits.1 = and i1 %same.axes, %same.flags
  %fits.2 = and i1 %fits.1, %native
  %fits = and i1 %fits.2, %any.kind
  br i1 %fits, label %yes, label %no
yes:
  %i.lengths = getelementptr i8, i8* %item, i64 32
  %p.lengths = bitcast i8* %i.lengths to i64**
  %lengths = load i64*, i64** %p.lengths
  %i.strides = getelementptr i8, i8* %item, i64 40
  %p.strides = bitcast i8* %i.strides to i64**
  %strides = load i64*, i64** %p.strides
  %to.lengths = getelementptr i64, i64* %words, i64 {_WORDS}
  %to.strides = getelementptr i64, i64* %to.lengths, i64 %axes
  br label %axis
axis:
  %n = phi i64 [ 0, %yes ], [ %next, %axis ]
  %items = phi i64 [ 1, %yes ], [ %more, %axis ]
  %p.length = getelementptr i64, i64* %lengths, i64 %n
  %length = load i64, i64* %p.length
  %to.length = getelementptr i64, i64* %to.lengths, i64 %n
  store i64 %length, i64* %to.length
  %p.stride = getelementptr i64, i64* %strides, i64 %n
  %stride = load i64, i64* %p.stride
  %to.stride = getelementptr i64, i64* %to.strides, i64 %n
  store i64 %stride, i64* %to.stride
  %more = mul i64 %items, %length
  %next = add i64 %n, 1
  %last = icmp eq i64 %next, %axes
  br i1 %last, label %done, label %axis
done:
  store i64 %more, i64* %words
  %to.size = getelementptr i64, i64* %words, i64 1
  store i64 %size, i64* %to.size
  %i.first = getelementptr i8, i8* %item, i64 16
  %p.first = bitcast i8* %i.first to i64*
  %first = load i64, i64* %p.first
  %to.first = getelementptr i64, i64* %words, i64 2
  store i64 %first, i64* %to.first
  ret i1 1
no:
  ret i1 0
}}
"""

_RESHAPE: Final = """
; What Numba calls for ``array.reshape``, of arrays that are contiguous in C order; 0 for others, as it does.
define i32 @numba_attempt_nocopy_reshape(i64 %axes, i64* %lengths, i64* %strides, i64 %new.axes, i64* %new.lengths,
                                         i64* %new.strides, i64 %size, i32 %fortran) {
  %c.order = icmp eq i32 %fortran, 0
  br i1 %c.order, label %begin, label %no
begin:
  br label %axis
axis:
  %n = phi i64 [ %axes, %begin ], [ %before, %same ]
  %step = phi i64 [ %size, %begin ], [ %wider, %same ]
  %more = icmp sgt i64 %n, 0
  br i1 %more, label %look, label %each
look:
  %before = sub i64 %n, 1
  %p.length = getelementptr i64, i64* %lengths, i64 %before
  %length = load i64, i64* %p.length
  %p.stride = getelementptr i64, i64* %strides, i64 %before
  %stride = load i64, i64* %p.stride
  %is.step = icmp eq i64 %stride, %step
  %is.one = icmp eq i64 %length, 1
  %fits = or i1 %is.step, %is.one
  br i1 %fits, label %same, label %no
same:
  %wider = mul i64 %step, %length
  br label %axis
each:
  %m = phi i64 [ %new.axes, %axis ], [ %under, %put ]
  %wide = phi i64 [ %size, %axis ], [ %wide.more, %put ]
  %left = icmp sgt i64 %m, 0
  br i1 %left, label %put, label %yes
put:
  %under = sub i64 %m, 1
  %to.stride = getelementptr i64, i64* %new.strides, i64 %under
  store i64 %wide, i64* %to.stride
  %p.side = getelementptr i64, i64* %new.lengths, i64 %under
  %side = load i64, i64* %p.side
  %wide.more = mul i64 %wide, %side
  br label %each
yes:
  ret i32 1
no:
  ret i32 0
}
"""

_NATIVE: Final = {
    "boolean": "i8", "int8": "i8", "uint8": "i8", "int16": "i16", "uint16": "i16", "int32": "i32", "uint32": "i32",
    "int64": "i64", "uint64": "i64", "float32": "float", "float64": "double",
}  # fmt: skip
_CONVERTED: Final = {
    "boolean": ("i32", "PyObject_IsTrue", "icmp eq", "trunc"),
    "float64": ("double", "PyFloat_AsDouble", "fcmp oeq", ""),
    "float32": ("double", "PyFloat_AsDouble", "fcmp oeq", "fptrunc"),
}
_WHOLE: Final = ("i64", "PyLong_AsLongLong", "icmp eq", "trunc")
"""The interpreter's type, its conversion function, the comparison with -1, and the conversion to the kernel's type."""


def callers(kernels: Mapping[str, KernelSignature], triple: str, alone: bool = False) -> str:
    """LLVM text of a module with one calling function for each machine function.

    ``kernels``: by name of the machine function. ``triple``: LLVM's name of this machine. ``alone``: include Numba's
    functions that kernels call, for a process without Numba.
    """
    functions = (_caller(symbol, signature) for symbol, signature in kernels.items())
    return f'target triple = "{triple}"\n{_HEAD}{_RESHAPE if alone else ""}\n' + "\n".join(functions)


def _caller(symbol: str, signature: KernelSignature) -> str:
    """One calling function, and the declaration of the machine function."""
    lines: list[str] = []
    given: list[tuple[str, str]] = []
    for number, one in enumerate(signature.takes):
        lines += [
            f"  %p{number} = getelementptr i8*, i8** %given, i64 {number}",
            f"  %a{number} = load i8*, i8** %p{number}",
        ]
        code, words = _array(number, one) if one.axes else _number(number, one.kind)
        lines += code
        given += words
    gives = "i8*" if signature.gives == "void" else _NATIVE[signature.gives]
    kinds = "".join(f", {kind}" for kind, _ in given)
    words_given = "".join(f", {kind} {value}" for kind, value in given)
    space = _WORDS + 2 * max((one.axes for one in signature.takes), default=0)
    body = "\n".join(lines)
    return f"""
declare i32 @"{symbol}"({gives}*, i8**{kinds})
define i8* @"{CALLER}{symbol}"(i8* %self, i8** %given, i64 %count) {{
  %result = alloca {gives}
  %trouble = alloca i8*
{_allocations(signature, space)}
  %all = icmp eq i64 %count, {len(signature.takes)}
  br i1 %all, label %taking, label %refuse
taking:
{body}
  %thread = call i8* @PyEval_SaveThread()
  %status = call i32 @"{symbol}"({gives}* %result, i8** %trouble{words_given})
  call void @PyEval_RestoreThread(i8* %thread)
  %well = icmp eq i32 %status, 0
  br i1 %well, label %over, label %failed
failed:
  %said = icmp sgt i32 %status, 0
  %about = load i8*, i8** %trouble
  %told = select i1 %said, i8* %about, i8* null
  store i8* %told, i8** @{TROUBLE}
  br label %refuse
over:
{_given_back(signature.gives)}
refuse:
  %blame = call i8* @PyObject_Vectorcall(i8* %self, i8** %given, i64 %count, i8* null)
  ret i8* %blame
raised:
  ret i8* null
}}"""


def _allocations(signature: KernelSignature, words: int) -> str:
    """Memory for the words of each array."""
    return "\n".join(
        f"  %w{number} = alloca i64, i64 {words}" for number, one in enumerate(signature.takes) if one.axes
    )


def _array(number: int, wanted: Parameter) -> tuple[list[str], list[tuple[str, str]]]:
    """Code that takes argument ``number`` as an array, and the values for the kernel."""
    must = _ALIGNED | _WRITEABLE | (_CONTIGUOUS if wanted.contiguous else 0)
    kind, other = _type_numbers(wanted.kind)
    size = dtype_of(wanted.kind).itemsize
    lines = [
        f"  %t{number} = call i1 @take(i8* %a{number}, i64 {wanted.axes}, i32 {must}, i32 {kind}, i32 {other}, "
        f"i64 {size}, i64* %w{number})",
        f"  br i1 %t{number}, label %taken{number}, label %refuse",
        f"taken{number}:",
    ]
    words = [("i8*", "null"), ("i8*", f"%a{number}")]
    for at in range(_WORDS + 2 * wanted.axes):
        name = f"%v{number}.{at}"
        lines += [f"  {name}.p = getelementptr i64, i64* %w{number}, i64 {at}", f"  {name} = load i64, i64* {name}.p"]
        words.append(("i64", name))
    return lines, words


def _number(number: int, kind: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Code that takes argument ``number`` as a number; an unsuitable one has raised."""
    wide, convert, equal, narrow = _CONVERTED.get(kind, _WHOLE)
    native, name = _NATIVE[kind], f"%n{number}"
    minus_one = "-1.0" if wide == "double" else "-1"
    lines = [
        f"  {name} = call {wide} @{convert}(i8* %a{number})",
        f"  %s{number} = {equal} {wide} {name}, {minus_one}",
        f"  br i1 %s{number}, label %suspect{number}, label %taken{number}",
        f"suspect{number}:",
        f"  %e{number} = call i8* @PyErr_Occurred()",
        f"  %o{number} = icmp eq i8* %e{number}, null",
        f"  br i1 %o{number}, label %taken{number}, label %raised",
        f"taken{number}:",
    ]
    if native == wide:
        return lines, [(native, name)]
    return [*lines, f"  %k{number} = {narrow} {wide} {name} to {native}"], [(native, f"%k{number}")]


def _given_back(gives: str) -> str:
    """Code that makes an object of the kernel's result."""
    if gives == "void":
        return (
            "  %nothing = call i8* @Py_BuildValue(i8* getelementptr ([1 x i8], [1 x i8]* @empty, i64 0, i64 0))\n"
            + ("  ret i8* %nothing")
        )
    native = _NATIVE[gives]
    wide, make = ("double", "PyFloat_FromDouble") if gives.startswith("float") else ("i64", "PyLong_FromLongLong")
    make = "PyBool_FromLong" if gives == "boolean" else make
    widen = "fpext" if wide == "double" else "zext" if gives[0] in "ub" else "sext"
    wider = f"  %wide = {widen} {native} %value to {wide}\n" if native != wide else ""
    return (
        f"  %value = load {native}, {native}* %result\n{wider}"
        f"  %object = call i8* @{make}({wide} {'%wide' if wider else '%value'})\n  ret i8* %object"
    )


def _type_numbers(kind: str) -> tuple[int, int]:
    """NumPy's numbers of a dtype: two if two C types have the same size."""
    wanted = dtype_of(kind)
    found = sorted({np.dtype(code).num for code in "?bBhHiIlLqQfd" if np.dtype(code) == wanted})
    return found[0], found[-1]
