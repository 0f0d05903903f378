"""Machine code of kernels in one file, loaded without Numba.

Rules:
1. An image holds the objects that Numba compiled, and one with their calling functions (``call``). It is written whole
   or not at all, for one version of the sources, of Numba, of the processor and of Python; the code that names the file
   ensures that it fits. Writing tests it in a separate process.
2. LLVM's linker loads it at once, before the first kernel is called. Nothing is compiled then.

Why: all modules with kernels, and their imports, take 0.17 s of processor time with it, 0.95 s with Numba and its cache
(measured, side by side); so all our processes use it.

Format: ``MAGIC``, the length of a JSON header and a CRC-32 of all that follows, little-endian u32 each; the header:
``{"kernels": {name: [symbol, signature]}, "sizes": [bytes of each object]}``; the objects.
"""

import json
import os
import pickle
import struct
import sys
import zlib
from collections.abc import Mapping, Sequence
from ctypes import c_int32, c_void_p, string_at
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from llvmlite import binding

from net.kernels.call import (
    ARRAY_TYPE,
    CALLER,
    LINKED,
    TROUBLE,
    Callee,
    KernelSignature,
    bound,
    name_interpreter,
    parse,
)

LINK_S: Final = 120.0
"""Time limit of the process that tests linking: it takes a second."""
MAGIC: Final = b"chunkscope kernels 1\n"
_HEAD: Final = struct.Struct("<II")


class BadImage(Exception):
    """The file is not an image, or is damaged."""


class MachineCode:
    """Objects linked into this process; it must live as long as any of its functions."""

    def __init__(self, objects: Sequence[bytes], kernels: Mapping[str, tuple[str, KernelSignature]]) -> None:
        """Links the objects.

        ``objects``: in one processor's format, the calling functions included. ``kernels``: by module and name, each
        kernel's symbol and signature. Raises BadImage: a symbol is missing.
        """
        self._kernels = dict(kernels)
        name_interpreter()
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine())
        for each in objects:
            self._engine.add_object_file(binding.ObjectFileRef.from_data(each))
        self._engine.finalize_object()
        if not self._variable(LINKED).value:  # LLVM does not report it
            raise BadImage("the machine code calls an unknown symbol")
        self._variable(ARRAY_TYPE).value = id(np.ndarray)

    def raised(self) -> tuple[type[BaseException], str] | None:
        """The error of the kernel that failed last, once: Numba leaves the address and length of its pickle."""
        trouble = self._variable(TROUBLE)
        at, trouble.value = trouble.value, None
        if not at:
            return None
        pickled = string_at(c_void_p.from_address(at).value or 0, c_int32.from_address(at + 8).value)
        kind, words, _where = pickle.loads(pickled)
        return kind, " ".join(map(str, words))

    def _variable(self, name: str) -> c_void_p:
        return c_void_p.from_address(self._engine.get_global_value_address(name))

    def function(self, name: str, wanted: KernelSignature) -> Any:
        """The Python function of a kernel.

        Raises ImportError: there is none of that name, or it takes other arguments.
        """
        if name not in self._kernels:
            raise ImportError(f"{name} is not one of the compiled kernels")
        symbol, signature = self._kernels[name]
        if signature != wanted:
            raise ImportError(f"{name} changed after the kernels were compiled: start again")
        address = self._engine.get_function_address(CALLER + symbol)
        return bound(Callee(name, signature, self), address)


def write_image(path: Path, objects: Sequence[bytes], kernels: Mapping[str, tuple[str, str]]) -> None:
    """Writes an image.

    ``path``: replaced when all is written. ``objects``: the kernels' own, and one with their calling functions.
    ``kernels``: by module and name, each kernel's symbol and signature as text. Raises BadImage: the test process could
    not link it; no file is left; OSError: it cannot be written.
    """
    import subprocess  # noqa: PLC0415 - processes that load an image start none

    header = json.dumps({"kernels": kernels, "sizes": [len(each) for each in objects]}).encode()
    body = header + b"".join(objects)
    for left in path.parent.glob(f"{path.name}.*"):  # left by a killed process; one that is still writing then fails
        left.unlink(missing_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(MAGIC + _HEAD.pack(len(header), zlib.crc32(body)) + body)
        command = [sys.executable, "-m", __name__, str(unfinished)]
        try:
            tried = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LINK_S, check=False)
        except subprocess.TimeoutExpired:
            raise BadImage(f"the compiled kernels could not be linked within {LINK_S:g} s") from None
        if tried.returncode != 0:
            raise BadImage(f"the compiled kernels cannot be linked: exit code {tried.returncode}")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def load_image(path: Path) -> MachineCode:
    """Loads an image. Raises BadImage: it is not one, or damaged; OSError: it cannot be read."""
    held = path.read_bytes()
    start = len(MAGIC) + _HEAD.size
    if len(held) < start or not held.startswith(MAGIC):
        raise BadImage(f"{path} does not contain kernels")
    length, checksum = _HEAD.unpack_from(held, len(MAGIC))
    if zlib.crc32(memoryview(held)[start:]) != checksum:
        raise BadImage(f"{path} is damaged")
    try:
        header = json.loads(held[start : start + length])
        ends = list(accumulate(header["sizes"], initial=start + length))
        kernels = {name: (symbol, parse(text)) for name, (symbol, text) in header["kernels"].items()}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadImage(f"{path} was written by another version: {error!r}") from error
    if ends[-1] != len(held) or ends != sorted(ends):
        raise BadImage(f"{path} is shorter or longer than its header says")
    return MachineCode([held[at:end] for at, end in pairwise(ends)], kernels)


def target_machine(opt: int = 2) -> Any:
    """This processor's target machine, for code linked into this process; a new one, as an engine takes it over.

    ``opt``: optimisation of machine code; 0 takes a third of the time.
    """
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())
    return target.create_target_machine(opt=opt, jit=True, codemodel="jitdefault")


if __name__ == "__main__":  # the test process of write_image: a missing symbol ends it
    load_image(Path(sys.argv[1]))
