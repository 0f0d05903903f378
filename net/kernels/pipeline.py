"""Numba's compiler reduced to what kernels need.

Rules:
1. Machine code is made for kernels only. An ``inner`` function stays unoptimised LLVM code until a kernel is optimised
   with all that it calls: otherwise each would be optimised and translated separately, and again in every caller.
2. Kernels have no closures, no ``with``, no array expressions, no ``literal_unroll``: those passes are left out.
3. A function on its own only gets its variables moved out of memory; the other optimisations run when a kernel is
   complete, and before that for functions that ``jit.refined`` marks.

Theory: Numba lets a dispatcher have its own compiler (``pipeline_class``), and a compiler its own passes; a library of
code may be linked into others before it is finished. The names used here are of 0.68, to which ``pyproject.toml`` pins
us; with another version, or if one is missing, ``jit`` uses Numba's own compiler.

Limits: kernels cannot catch exceptions (this does not compile); an exception ends the kernel with an error of ours.
"""

from typing import Any, Final

from llvmlite import binding
from llvmlite.binding.newpassmanagers import create_new_function_pass_manager
from numba import _dynfunc
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.errors import UnsupportedError
from numba.core.lowering import Lower
from numba.core.types.misc import unliteral

from net.kernels.jit import CHECKED, REFINED

SHARED: Final = "linkonce_odr"
"""Linkage of a function that several modules may contain."""


class KernelCode(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """Code of one function, combined with the functions it calls when either is needed."""

    refined = False
    _shared_module: Any = None
    _together = False

    def add_linking_library(self, library: Any) -> None:
        """Records a library that this function calls."""
        self._linking_libraries.append(library)

    def get_pointer_to_function(self, name: str) -> int:
        """Address of a function; 0 if there is none of that name, without compiling anything."""
        return super().get_pointer_to_function(name) if self._finalized or self._defines(name) else 0

    def finalize(self) -> None:
        """Optimises this function with all that it calls, and makes machine code."""
        self._link()
        self._linking_libraries.clear()  # Numba would link them now
        super().finalize()

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._link()
            module = self._final_module.clone()
            for function in list(module.functions):
                if not function.is_declaration and function.linkage == binding.Linkage.external:
                    module.get_function(function.name).linkage = SHARED
            self._shared_module = module
        return self._shared_module

    def _optimize_functions(self, ll_module: Any) -> None:
        """Moves variables out of memory before others copy the function; the kernels that call it do the rest."""
        if self.refined:
            super()._optimize_functions(ll_module)
            return
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = create_new_function_pass_manager(), self._codegen._pass_builder()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _link(self) -> None:
        if not self._together:
            self._together = True
            for library in dict.fromkeys(self._linking_libraries):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)

    def _defines(self, name: str) -> bool:
        try:
            return not self._final_module.get_function(name).is_declaration
        except NameError:
            return False


@register_pass(mutates_CFG=False, analysis_only=False)
class KernelLowering(typed_passes.NativeLowering):  # type: ignore[misc]  # as above
    """Lowers a function to LLVM's language, without compiling it."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> type[Any]:
        """The lowering class."""
        if CHECKED:
            from net.kernels.checked import CheckedLower  # noqa: PLC0415 - nobody else needs it

            return CheckedLower
        lower: type[Any] = Lower
        return lower

    def run_pass(self, state: Any) -> bool:
        """Stores what other functions need to call this one.

        Raises UnsupportedError: a ``try``, a ``with`` or a ``yield``, which would be compiled wrongly.
        """
        if state.func_id.code.co_exceptiontable or state.func_id.is_generator:
            raise UnsupportedError(f"{state.func_id.func_qualname}: kernels have no try, with or yield")
        state.library = KernelCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.refined = hasattr(state.func_id.func, REFINED)
        state.library.enable_object_caching()
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state.cr
        described = lowered.fndesc
        # A name for Numba's dispatcher: there is no machine code yet that it could call.
        stand_in = _dynfunc.make_function(
            described.lookup_module(), described.qualname, "", 0, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(stand_in, described, [state.library])
        state.cr = lowered._replace(cfunc=stand_in)
        return True


class KernelPasses(PassManager):  # type: ignore[misc]  # as above
    """Numba's pass manager, without events for each pass and without checks after it."""

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:  # noqa: N802 - Numba's
        pss.run_pass(internal_state)


PASSES: Final = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    KernelLowering,
    typed_passes.NoPythonBackend,
)


class KernelCompiler(CompilerBase):  # type: ignore[misc]  # as above
    """Numba's compiler of one function, for one signature."""

    def define_pipelines(self) -> list[Any]:
        """The passes above."""
        manager = KernelPasses("kernel")
        for one in PASSES:
            manager.add_pass(one, one.__name__)
        manager.finalize()
        return [manager]

    def _compile_core(self) -> Any:
        if not CHECKED:
            return super()._compile_core()
        from net.kernels.checked import checked_indices  # noqa: PLC0415 - as above

        with checked_indices():  # under Numba's lock: no other thread compiles
            return super()._compile_core()


def one_for_all_constants(dispatcher: Any) -> Any:
    """The same function, compiled once for a number type: Numba would compile it for each constant argument."""
    functions = dispatcher._compiler
    fold = functions.fold_argument_types

    def plain(args: Any, kws: Any) -> Any:
        signature, folded = fold(args, kws)
        return signature, tuple(map(unliteral, folded))

    functions.fold_argument_types = plain
    return dispatcher
