"""How Python calls machine code: signatures of kernels, and the Python functions that call them (``call_ir``).

Rules:
1. One function a kernel, in CPython's fast calling convention. It checks its arguments, takes what the kernel needs out
   of the arrays, releases the interpreter's lock, calls the kernel, and makes a Python object of the result. Measured
   with 14 arrays: 0.26 us, Numba's own caller 0.29.
2. An array is accepted only as declared: dtype in this machine's byte order, number of axes, contiguous in C order if
   declared so, aligned, writeable. A number is accepted where Python would accept it as an index, a float or a truth
   value. Any other argument goes to the function's ``self``, which reports what is wrong (``Callee``).
3. This module does not need Numba.

Limits: little-endian processors with 8-byte pointers; builds of CPython with one interpreter lock.
"""

import ctypes
import re
import sys
import sysconfig
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NoReturn

import msgspec
import numpy as np
from llvmlite import binding

if TYPE_CHECKING:
    from net.kernels.image import MachineCode

NOT_HERE: Final = ctypes.sizeof(ctypes.c_void_p) != 8 or sys.byteorder != "little" or bool(
    sysconfig.get_config_var("Py_GIL_DISABLED") or sysconfig.get_config_var("Py_TRACE_REFS")
)  # fmt: skip
"""Whether the layouts below do not apply to this machine."""

ARRAY_TYPE: Final = "chunkscope_array_type"
"""Name of the global variable with the address of ``numpy.ndarray``; set when the code is linked."""
LINKED: Final = "chunkscope_linked"
"""Name of the global variable that gets an address once all code is linked: a missing symbol leaves it unchanged."""
TROUBLE: Final = "chunkscope_trouble"
"""Name of the global variable with Numba's error of the kernel that failed last."""
CALLER: Final = "chunkscope_call."
"""Prefix of the names of these functions."""

FASTCALL: Final = 0x80

KINDS: Final = (
    "boolean",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
)
"""Names of dtypes, as in Numba."""
CALLED: Final = (
    "PyLong_AsLongLong", "PyFloat_AsDouble", "PyObject_IsTrue", "PyErr_Occurred", "PyEval_SaveThread",
    "PyEval_RestoreThread", "PyLong_FromLongLong", "PyFloat_FromDouble", "PyBool_FromLong", "PyObject_Vectorcall",
    "Py_BuildValue",
)  # fmt: skip
"""The interpreter's functions that calling functions use."""
_SIGNATURE: Final = re.compile(r"^(\w+)\((.*)\)$")
_PARAMETER: Final = re.compile(r"\s*(\w+)(?:\[([:,1 ]+)\])?\s*(?:,|$)")


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a kernel."""

    kind: str  # Numba's name of the dtype: ``boolean``, else as in NumPy
    axes: int = 0  # of an array; 0 of a number
    contiguous: bool = False  # whether the array must be contiguous, in C order

    def __str__(self) -> str:
        """Its text in a signature."""
        axes = [":"] * self.axes
        if self.contiguous:
            axes[-1] = "::1"
        return f"{self.kind}[{','.join(axes)}]" if axes else self.kind


class KernelSignature(msgspec.Struct, frozen=True):
    """Parameters and result of a kernel; ``gives`` is the name of a dtype, or ``void``."""

    gives: str
    takes: tuple[Parameter, ...]


def parse(text: str) -> KernelSignature:
    """Parses a signature such as ``"int64(uint16[:,::1], boolean)"``.

    Raises ValueError: it is not supported.
    """
    outer = _SIGNATURE.match(text.strip())
    takes, at = [], 0
    inside = outer.group(2) if outer else ""
    while at < len(inside):
        found = _PARAMETER.match(inside, at)
        if found is None or found.end() == at:
            break
        kind, axes = found.group(1), found.group(2) or ""
        takes.append(Parameter(kind, axes.count(",") + 1 if axes else 0, "::1" in axes))
        at = found.end()
    known = all(one.kind in KINDS and (one.axes or one.kind != "uint64") for one in takes)
    if outer is None or at < len(inside) or not known or outer.group(1) not in {"void", *KINDS}:
        raise ValueError(f"{text!r} is not a kernel signature")
    return KernelSignature(outer.group(1), tuple(takes))


def dtype_of(kind: str) -> np.dtype[Any]:
    """NumPy's dtype of a kind."""
    return np.dtype("bool" if kind == "boolean" else kind)


def name_interpreter() -> None:
    """Tells LLVM's linker the addresses of the interpreter's functions, which it cannot find on some systems."""
    for name in CALLED:
        address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        binding.add_symbol(name, address)


class Callee:
    """The ``__self__`` of a kernel's Python function; called with arguments that the kernel cannot take."""

    __slots__ = ("code", "definition", "name", "signature")

    def __init__(self, name: str, signature: KernelSignature, code: "MachineCode") -> None:
        self.name = name  # module and name
        self.signature = signature  # of the kernel
        self.code = code  # kept alive; it knows the kernel's error
        self.definition: ctypes.Structure | None = None  # CPython's; must live as long as the function

    def __call__(self, *given: object) -> NoReturn:
        """Raises TypeError for the wrong argument; IndexError if the kernel raised it (``checked``)."""
        takes = self.signature.takes
        if len(given) != len(takes):
            raise TypeError(f"{self.name} takes {len(takes)} arguments, {len(given)} were given")
        wrong = [
            f"argument {number} must be {wanted}, not {_described(value)}"
            for number, (wanted, value) in enumerate(zip(takes, given, strict=True), 1)
            if wanted.axes and not _fits(wanted, value)
        ]
        said = None if wrong else self.code.raised()
        if said is not None and said[0] is IndexError:
            raise IndexError(f"{self.name}: {said[1]}")
        raise TypeError(f"{self.name}: {'; '.join(wrong) or 'the kernel failed'}")


def _fits(wanted: Parameter, value: object) -> bool:
    if type(value) is not np.ndarray or value.dtype != dtype_of(wanted.kind) or value.ndim != wanted.axes:
        return False
    flags = value.flags
    return bool(flags.aligned and flags.writeable and (flags.c_contiguous or not wanted.contiguous))


def _described(value: object) -> str:
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    words = [f"{value.dtype}[{','.join(map(str, value.shape))}]"]
    words += [] if value.flags.writeable else ["that is read-only"]
    return " ".join([*words, *([] if value.flags.c_contiguous else ["that is not contiguous"])])


class _Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def bound(about: "Callee", address: int) -> Callable[..., Any]:
    """The Python function of the calling function at an address."""
    about.definition = _Definition(about.name.encode(), address, FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    made: Callable[..., Any] = make(ctypes.addressof(about.definition), about, None)
    return made
