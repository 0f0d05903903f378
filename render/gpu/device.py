"""One GL context with its programs, buffers and error checks.

Rules:
1. Only the thread that made the context uses it.
2. The code that makes a GL object releases it. ``gc_mode`` is ``'context_gc'``, so ``leaks()`` finds objects that were
   dropped without ``release``; the tests fail on any (``'auto'`` leaks silently when a worker's collection runs).
3. moderngl raises few GL errors and keeps the interpreter lock while it waits. ``check`` raises the others, and
   ``wait`` must come before every read.
4. ``Unit`` assigns all texture units, so no two passes use one unit for different textures.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any, TypeVar

import moderngl

from render.errors import ContextLost, OutOfMemory, RenderError, UnsupportedGpu
from render.gpu.capabilities import Capabilities, names_objects, probe
from render.gpu.gl import NO_RESET, RESETS, RawGl
from render.gpu.programs import Defines, Programs


class Unit(IntEnum):
    """Texture units; the sampler of a program with the lower-case name is set to it."""

    TILES = 0
    QUADS = 1
    PAGES = 2
    LIGHT_ATLAS = 3
    LIGHT_TABLE = 4
    BLOCK_ATLAS = 5
    BLOCK_TABLE = 6
    TINTS = 7
    BOXES = 8
    LIGHT_TRAITS = 9
    DEPTH = 10
    FALLING = 11
    CRACKS = 12
    STOPS = 13
    DRIFT = 14
    FALLS = 15
    BURSTS = 16
    LINES = 17
    LABELS = 18
    SURFACE_TRAITS = 19
    UNASKED = 20
    PANELS = 21
    ENTITIES = 22
    SIGHTED = 23
    CUT_FACES = 24
    SHADOW_MAP = 25  # GL 3.3 promises 48 to all stages together


ROBUST_VERSION = 450
ROBUST_EXTENSIONS = frozenset({"GL_KHR_robustness", "GL_ARB_robustness"})
NO_SUCH_CONTEXT = "eglCreateContext"
"""What glcontext says failed where EGL is there, and its driver has no context of the version asked for."""
CLIP_DISTANCES = (0x3000, 0x3001)
"""GL_CLIP_DISTANCE0 and 1."""
FRAME_BINDING = 1
"""Uniform block binding of the frame's constants; pyglet draws its labels with the matrices it keeps at 0."""


class Gpu:
    """A context, its programs and its limits."""

    def __init__(self, ctx: Any) -> None:
        """Takes a moderngl context that is current on this thread. Raises UnsupportedGpu: it is older than GL 3.3."""
        self.ctx = ctx  # the moderngl context
        ctx.gc_mode = "context_gc"
        # entry points that moderngl lacks
        self.raw = RawGl(_loader(ctx), ctx.version_code, _robust(ctx), names_objects(ctx))
        self.capabilities: Capabilities = probe(ctx, self.raw)  # what the context can do
        self._programs = Programs(ctx)
        self._parking: Any = None

    @classmethod
    def standalone(cls) -> "Gpu":
        """A context without a window or display, through EGL. Raises UnsupportedGpu: EGL or GL 3.3 is missing."""
        try:
            ctx = _through_egl(330)
        except Exception as error:  # glcontext raises plain Exception for a missing library or display
            if NO_SUCH_CONTEXT in str(error):
                raise UnsupportedGpu(_too_old(_older_version()), too_old=True) from error
            raise UnsupportedGpu(f"OpenGL 3.3 is not available through EGL: {error}") from error
        return cls(ctx)

    def program(self, vertex: str, fragment: str, defines: Defines | None = None) -> Any:
        """A program of two stage files, its samplers set to their units and its frame block bound."""
        program = self._programs.get(vertex, fragment, defines)
        self._set_samplers(program)
        if "Frame" in program:
            program["Frame"].binding = FRAME_BINDING
        return program

    def compute(self, name: str) -> Any:
        """A compute program of one file, its samplers set to their units; where ``capabilities.computes``."""
        program = self._programs.compute(name)
        self._set_samplers(program)
        return program

    def _set_samplers(self, program: Any) -> None:
        for unit in Unit:
            if unit.name.lower() in program:
                self.raw.set_sampler(program.glo, program[unit.name.lower()].location, int(unit))

    def vertices(self, vertex: str, fragment: str, defines: Defines | None = None) -> Any:
        """A vertex array without attributes of a ``program``, labelled as it; shaders use ``gl_VertexID``."""
        program = self.program(vertex, fragment, defines)
        made = self.ctx.vertex_array(program, [])
        made.label = program.label
        return made

    @contextmanager
    def clipping(self, on: bool) -> Iterator[None]:
        """Enables both clip distances inside the block if ``on``; the vertex shaders must write ``gl_ClipDistance``."""
        for distance in CLIP_DISTANCES if on else ():
            self.ctx.enable_direct(distance)
        try:
            yield
        finally:
            for distance in CLIP_DISTANCES if on else ():
                self.ctx.disable_direct(distance)

    def wait(self) -> None:
        """Returns when the GPU has finished; releases the interpreter lock meanwhile."""
        self.raw.finish()

    def park(self) -> None:
        """Makes a pixel's framebuffer the current one, before one goes: moderngl binds the last used one again."""
        if self._parking is None:
            self._parking = self.ctx.simple_framebuffer((1, 1))
            for part in (self._parking, *self._parking.color_attachments, self._parking.depth_attachment):
                part.label = "parking"
        self._parking.use()

    def check(self) -> None:
        """Raises RenderError when a GL call failed since the last check.

        Raises:
            ContextLost: the driver ended the context; takes precedence over other errors.
            OutOfMemory: the driver had no memory for a texture or buffer.
            RenderError: anything else, a bug of ours.
        """
        reset = self.raw.reset_status()
        if reset != NO_RESET:
            raise ContextLost(RESETS.get(reset, f"status {reset:#x}"))
        error = self.ctx.error
        if error == "GL_OUT_OF_MEMORY":
            raise OutOfMemory("the graphics driver is out of memory")
        if error != "GL_NO_ERROR":
            raise RenderError(f"OpenGL reports {error}")

    def leaks(self) -> int:
        """Frees GL objects that were dropped without release; how many there were. 0 unless there is a bug.

        Not ``ctx.gc()``: moderngl 5.13 queues released objects too, as ``InvalidObject``, and fails on them.
        """
        dropped = self.ctx.objects
        found = 0
        while dropped:
            thing = dropped.popleft()
            if not isinstance(thing, moderngl.InvalidObject):
                thing.release()
                found += 1
        return found

    def release(self) -> None:
        """Frees the programs and the context."""
        self.wait()  # llvmpipe 22.3 crashed now and then in freeing programs; its own thread may still use them
        self._programs.release()
        if self._parking is not None:
            for attachment in (*self._parking.color_attachments, self._parking.depth_attachment, self._parking):
                attachment.release()
        self.ctx.release()


Made = TypeVar("Made", bound=Any)


class GlOwner:
    """A class whose GL objects are released together, the last one made first."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._owned: list[Any] = []

    def _own(self, made: Made) -> Made:
        self._owned.append(made)
        return made

    def release(self) -> None:
        if any(isinstance(made, moderngl.Framebuffer) for made in self._owned):
            self._gpu.park()
        while self._owned:
            self._owned.pop().release()


def _robust(ctx: Any) -> bool:
    return ctx.version_code >= ROBUST_VERSION or not ROBUST_EXTENSIONS.isdisjoint(ctx.extensions)


def _through_egl(version: int) -> Any:
    """A context of at least this version, without a window or display; raises plain Exception."""
    options: dict[str, Any] = {"standalone": True, "backend": "egl", "require": version}
    return moderngl.create_context(**options)


def _too_old(version: int) -> str:
    """The error sentence for a driver of this version (320 for 3.2; 0 if unknown), with a remedy."""
    has = f"this driver has only OpenGL {version / 100:.1f}" if version else "this driver does not have OpenGL 3.3"
    return f"{has}, but 3.3 is required: update the driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw on the CPU"


def _older_version() -> int:
    """The newest version below 3.3 that EGL gives a context of, 0 where it gives none."""
    for version in (320, 310, 300, 210):
        try:
            ctx = _through_egl(version)
        except Exception:  # the answer is "not this one"
            continue
        found = int(ctx.version_code)
        ctx.release()
        return found
    return 0


def _loader(ctx: Any) -> Any:
    context = ctx.mglo._context
    return getattr(context, "load_opengl_function", None) or context.load
