"""A kernel that Numba compiled in this process or loaded from its cache, and what of it goes into an image.

Limits: three names of Numba's that it does not document are used here and nowhere else: a library's object, the name of
its machine function, and that function's address.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from pickle import UnpicklingError
from types import ModuleType
from typing import Any

import msgspec
from llvmlite import binding

from net.kernels.call import Callee, KernelSignature, parse
from net.kernels.call_ir import callers
from net.kernels.image import BadImage, MachineCode, target_machine, write_image


class Compiled(msgspec.Struct, frozen=True):
    """What goes into an image of one kernel."""

    symbol: str  # the machine function's name
    text: str  # the signature, as it was written
    machine_object: bytes  # the object that Numba made, with all inner functions


class Called(msgspec.Struct, frozen=True):
    """What a kernel's Python function keeps alive here."""

    # Numba's
    dispatcher: Any  # Numba has no types
    code: MachineCode  # the linked calling function
    text: str  # the signature, as it was written

    def raised(self) -> tuple[type[BaseException], str] | None:
        """What the kernel raised."""
        return self.code.raised()

    def compiled(self) -> Compiled:
        """What goes into an image.

        Raises BadImage: Numba's cache does not have it, or another Numba keeps it otherwise.
        """
        try:
            # Not what the cache holds by now: another process may have compiled the same, under other symbols.
            _name, _kind, (made, _bitcode) = _result(self.dispatcher).library.serialize_using_object_code()
        except RuntimeError:  # it came from the cache, and is let go of once it is linked
            found = _cached(self.dispatcher, self.text)
            if found is None:
                raise BadImage(f"Numba's cache lacks {self.dispatcher}") from None
            return found
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise BadImage(f"Numba does not cache {self.dispatcher}: {error!r}") from error
        return Compiled(_symbol(self.dispatcher), self.text, bytes(memoryview(made)))


class UncompiledKernel:
    """A kernel that is compiled when somebody asks, and cannot be called: in a process that leaves an image."""

    def __init__(self, dispatcher: Any, text: str) -> None:
        self.name = _name(dispatcher)  # module and name
        self._dispatcher = dispatcher
        self._text = text
        self._made: Compiled | None = None

    def compiled(self) -> Compiled:
        """Compiles it, or takes what another process left in Numba's cache, without linking it."""
        if self._made is None:
            self._made = _cached(self._dispatcher, self._text)
        if self._made is None:
            # What another process leaves there from now on Numba would link, and could give nobody.
            self._dispatcher._cache.load_overload = _nothing
            self._dispatcher.compile(self._text)
            _kind, made = _result(self._dispatcher).library.serialize_using_object_code()[1:]
            self._made = Compiled(_symbol(self._dispatcher), self._text, bytes(memoryview(made[0])))
        return self._made


def _cached(dispatcher: Any, text: str) -> Compiled | None:
    """What Numba's cache holds of a kernel; None where there is nothing, or nothing that can be read."""
    kept = dispatcher._cache
    try:
        found = kept._cache_file.load(kept._index_key(text, dispatcher.targetctx.codegen()))
        if found is not None:
            (_name_of_it, _kind, (made, _bitcode)), told = found[:2]
            return Compiled(told.llvm_func_name, text, bytes(memoryview(made)))
    except OSError:
        pass
    except (AttributeError, LookupError, TypeError, ValueError, EOFError, UnpicklingError):
        with suppress(OSError):
            kept.flush()  # Numba would stumble over a damaged index when it keeps what is compiled next
    return None


def _nothing(*_about: Any) -> None:
    """In the place of Numba's look into its cache."""


def called(dispatcher: Any, text: str) -> Any:
    """The Python function of a kernel that was compiled for one signature."""
    symbol, signature = _symbol(dispatcher), parse(text)
    binding.add_symbol(symbol, _result(dispatcher).library.get_pointer_to_function(symbol))
    name = _name(dispatcher)
    code = MachineCode([compile_callers({symbol: signature}, alone=False)], {name: (symbol, signature)})
    made = code.function(name, signature)
    made.__self__.code = Called(dispatcher, code, text)
    return made


def write_image_of(path: Path, modules: Iterable[ModuleType]) -> None:
    """Writes all kernels of some modules that are imported.

    Raises BadImage: it cannot be linked, or there are none: Numba's own functions call them (``jit``); OSError: it
    cannot be written.
    """
    found = {name: each.compiled() for module in modules for name, each in kernels_of(module).items()}
    if not found:
        raise BadImage("none of our functions calls a kernel")
    calling = compile_callers({each.symbol: parse(each.text) for each in found.values()}, alone=True)
    objects = [calling, *(each.machine_object for each in found.values())]
    write_image(path, objects, {name: (each.symbol, each.text) for name, each in found.items()})


def kernels_of(module: ModuleType) -> dict[str, Called | UncompiledKernel]:
    """Kernels by name that a module names, its own and others'."""
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
    """An object with the calling functions of machine functions, by symbol; ``alone`` for an image, done with care."""
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
    """What Numba made of the one signature."""
    (result,) = dispatcher.overloads.values()
    return result
