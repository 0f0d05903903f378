"""A kernel that Numba compiled in this process or loaded from its cache, and what of it goes into an image.

Limits: three names of Numba's that it does not document are used here and nowhere else: a library's object, the name of
its machine function, and that function's address.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from llvmlite import binding

from net.kernels.calling import Callee, Signature, parse
from net.kernels.calling_code import callers
from net.kernels.machine_code import BadImage, MachineCode, target_machine, write_image


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a kernel's Python function keeps alive here.

    Attributes:
        dispatcher: Numba's.
        code: the linked calling function.
        text: the signature, as it was written.
    """

    dispatcher: Any  # Numba has no types
    code: MachineCode
    text: str

    @property
    def symbol(self) -> str:
        """The machine function's name."""
        return _symbol(self.dispatcher)

    @property
    def machine_object(self) -> bytes:
        """The object that Numba made, with all inner functions.

        Raises:
            BadImage: Numba's cache does not have it, or another Numba keeps it otherwise.
        """
        library = _result(self.dispatcher).library
        try:
            # Not what the cache holds by now: another process may have compiled the same, under other symbols.
            _name, _kind, (made, _bitcode) = library.serialize_using_object_code()
        except RuntimeError:  # it came from the cache, and is let go of once it is linked
            made = self._cached_object(library)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise BadImage(f"Numba keeps no object of {self.dispatcher}: {error!r}") from error
        return bytes(memoryview(made))

    def _cached_object(self, library: Any) -> Any:
        try:
            kept = self.dispatcher._cache
            key = kept._index_key(self.text, library.codegen)
            _name, _kind, (made, _bitcode) = kept._cache_file.load(key)[0]
        except (AttributeError, LookupError, TypeError, ValueError, OSError) as error:
            raise BadImage(f"Numba's cache lacks {self.dispatcher}: {error!r}") from error
        return made


def called(dispatcher: Any, text: str) -> Any:
    """The Python function of a kernel that was compiled for one signature."""
    symbol, signature = _symbol(dispatcher), parse(text)
    binding.add_symbol(symbol, _result(dispatcher).library.get_pointer_to_function(symbol))
    name = f"{dispatcher.py_func.__module__}.{dispatcher.py_func.__qualname__}"
    code = MachineCode([compile_callers({symbol: signature}, alone=False)], {name: (symbol, signature)})
    made = code.function(name, signature)
    made.__self__.code = Compiled(dispatcher, code, text)
    return made


def write_image_of(path: Path, modules: Iterable[ModuleType]) -> None:
    """Writes all kernels of some modules that are imported.

    Raises:
        BadImage: it cannot be linked, or there are none: Numba's own functions call them (``jit``).
        OSError: it cannot be written.
    """
    found: dict[str, Compiled] = {}
    for module in modules:
        for value in vars(module).values():
            about = getattr(value, "__self__", None)
            if isinstance(about, Callee) and isinstance(about.code, Compiled):
                found[about.name] = about.code
    if not found:
        raise BadImage("no kernel is called by functions of our own")
    calling = compile_callers({each.symbol: parse(each.text) for each in found.values()}, alone=True)
    objects = [calling, *(each.machine_object for each in found.values())]
    write_image(path, objects, {name: (each.symbol, each.text) for name, each in found.items()})


def compile_callers(kernels: Mapping[str, Signature], alone: bool) -> bytes:
    """An object with the calling functions of machine functions, by symbol; ``alone`` for an image, done with care."""
    module = binding.parse_assembly(callers(kernels, binding.get_process_triple(), alone))
    module.verify()
    compiled: bytes = target_machine(opt=2 if alone else 0).emit_object(module)
    return compiled


def _symbol(dispatcher: Any) -> str:
    name: str = _result(dispatcher).fndesc.llvm_func_name
    return name


def _result(dispatcher: Any) -> Any:
    """What Numba made of the one signature."""
    (result,) = dispatcher.overloads.values()
    return result
