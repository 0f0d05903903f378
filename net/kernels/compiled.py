"""A kernel that Numba compiled in this process or loaded from its cache, and its parts for an image.

Limits: only this module uses three undocumented names of Numba: a library's object, the name of its machine function,
and that function's address.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from pickle import UnpicklingError
from types import ModuleType
from typing import Any

import msgspec
from llvmlite import binding
from numba.core.compiler_lock import global_compiler_lock

from net.kernels.call import Callee, KernelSignature, parse
from net.kernels.call_ir import callers
from net.kernels.image import BadImage, MachineCode, target_machine, write_image


class Compiled(msgspec.Struct, frozen=True):
    """The parts of one kernel in an image."""

    symbol: str  # name of the machine function
    text: str  # the signature as written
    machine_object: bytes  # Numba's object, with all inner functions


class Called(msgspec.Struct, frozen=True):
    """The objects that a kernel's Python function keeps alive."""

    # Numba's
    dispatcher: Any  # Numba has no types
    code: MachineCode  # the linked calling function
    text: str  # the signature as written

    def raised(self) -> tuple[type[BaseException], str] | None:
        """What the kernel raised."""
        return self.code.raised()

    def compiled(self) -> Compiled:
        """The parts for an image.

        Raises BadImage: Numba's cache lacks them, or another Numba stores them otherwise.
        """
        try:
            # Not from the cache: another process may have compiled the same kernel meanwhile, with other symbols.
            _name, _kind, (made, _bitcode) = _result(self.dispatcher).library.serialize_using_object_code()
        except RuntimeError:  # it was loaded from the cache, and its object is freed once it is linked
            found = _cached(self.dispatcher, self.text)
            if found is None:
                raise BadImage(f"Numba's cache lacks {self.dispatcher}") from None
            return found
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise BadImage(f"Numba does not cache {self.dispatcher}: {error!r}") from error
        return Compiled(_symbol(self.dispatcher), self.text, bytes(memoryview(made)))


class UncompiledKernel:
    """A kernel that is compiled only on request and cannot be called, in a process that writes an image."""

    def __init__(self, dispatcher: Any, text: str) -> None:
        self.name = _name(dispatcher)  # module and name
        self._dispatcher = dispatcher
        self._text = text
        self._made: Compiled | None = None

    def compiled(self) -> Compiled:
        """Compiles it, or reads another process's result from Numba's cache, without linking it."""
        if self._made is None:
            self._made = _cached(self._dispatcher, self._text)
        if self._made is None:
            # If another process stored it now, Numba would link it and could not return its object.
            self._dispatcher._cache.load_overload = _nothing
            self._dispatcher.compile(self._text)
            _kind, made = _result(self._dispatcher).library.serialize_using_object_code()[1:]
            self._made = Compiled(_symbol(self._dispatcher), self._text, bytes(memoryview(made[0])))
        return self._made


def _cached(dispatcher: Any, text: str) -> Compiled | None:
    """The kernel in Numba's cache; None if there is none, or it is not readable."""
    kept = dispatcher._cache
    try:
        found = kept._cache_file.load(kept._index_key(text, dispatcher.targetctx.codegen()))
        if found is not None:
            (_name_of_it, _kind, (made, _bitcode)), described = found[:2]
            return Compiled(described.llvm_func_name, text, bytes(memoryview(made)))
    except OSError:
        pass
    except (AttributeError, LookupError, TypeError, ValueError, EOFError, UnpicklingError):
        with suppress(OSError):
            kept.flush()  # Numba would fail on a damaged index when it stores the compiled code
    return None


def _nothing(*_about: Any) -> None:
    """Replaces Numba's look-up in its cache."""


def called(dispatcher: Any, text: str) -> Any:
    """The Python function of a kernel compiled for one signature."""
    symbol, signature = _symbol(dispatcher), parse(text)
    with global_compiler_lock:  # without a cache, the kernel's machine code is only made here
        address = _result(dispatcher).library.get_pointer_to_function(symbol)
    binding.add_symbol(symbol, address)
    name = _name(dispatcher)
    code = MachineCode([compile_callers({symbol: signature}, alone=False)], {name: (symbol, signature)})
    made = code.function(name, signature)
    made.__self__.code = Called(dispatcher, code, text)
    return made


def write_image_of(path: Path, modules: Iterable[ModuleType]) -> None:
    """Writes an image of all kernels of some imported modules.

    Raises BadImage: it cannot be linked, or there are no such kernels: Numba's own functions call them (``jit``);
    OSError: it cannot be written.
    """
    found = {name: each.compiled() for module in modules for name, each in kernels_of(module).items()}
    if not found:
        raise BadImage("none of our functions calls a kernel")
    calling = compile_callers({each.symbol: parse(each.text) for each in found.values()}, alone=True)
    objects = [calling, *(each.machine_object for each in found.values())]
    write_image(path, objects, {name: (each.symbol, each.text) for name, each in found.items()})


def kernels_of(module: ModuleType) -> dict[str, Called | UncompiledKernel]:
    """All kernels in a module's namespace, its own and imported ones, by name."""
    found: dict[str, Called | UncompiledKernel] = {}
    for value in vars(module).values():
        if isinstance(value, UncompiledKernel):
            found[value.name] = value
            continue
        about = getattr(value, "__self__", None)
        if isinstance(about, Callee) and isinstance(about.code, Called):
            found[about.name] = about.code
    return found


def compile_callers(kernels: Mapping[str, KernelSignature], alone: bool) -> bytes:
    """An object with the calling functions of machine functions, by symbol; ``alone``: for an image, optimised more."""
    module = binding.parse_assembly(callers(kernels, binding.get_process_triple(), alone))
    module.verify()
    compiled: bytes = target_machine(opt=2 if alone else 0).emit_object(module)
    return compiled


def _name(dispatcher: Any) -> str:
    return f"{dispatcher.py_func.__module__}.{dispatcher.py_func.__qualname__}"


def _symbol(dispatcher: Any) -> str:
    name: str = _result(dispatcher).fndesc.llvm_func_name
    return name


def _result(dispatcher: Any) -> Any:
    """Numba's compile result of the only signature."""
    (result,) = dispatcher.overloads.values()
    return result
