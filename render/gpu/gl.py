"""The few GL entry points that moderngl does not wrap, through ctypes.

Rules:
1. Every entry point is core in GL 3.3 (fences in 3.2), except copies between textures and the reset status, which are
   used if the context has them.
2. It works with each kind of context (standalone EGL, a window's): glcontext provides the addresses.
3. Calls through ctypes release the interpreter lock, which moderngl never does: ``Gpu.wait`` calls ``finish``, so
   workers run while the GPU draws.
"""

import ctypes as c
from collections.abc import Callable
from typing import Any, Final

TRIANGLES: Final = 0x0004
UNSIGNED_INT: Final = 0x1405
QUERY: Final = 0x82E3
TEXTURE: Final = 0x1702
TEXTURE0: Final = 0x84C0
TEXTURE_2D: Final = 0x0DE1
TEXTURE_BUFFER: Final = 0x8C2A
TEXTURE_2D_ARRAY: Final = 0x8C1A
TEXTURE_3D: Final = 0x806F
RGBA: Final = 0x1908
RGBA8: Final = 0x8058
UNSIGNED_BYTE: Final = 0x1401
R8UI: Final = 0x8232
RG32UI: Final = 0x823C
R32I: Final = 0x8235
RGBA32I: Final = 0x8D82
RGBA32UI: Final = 0x8D70
MAX_TEXTURE_BUFFER_SIZE: Final = 0x8C2B
MAX_3D_TEXTURE_SIZE: Final = 0x8073
MAX_ARRAY_TEXTURE_LAYERS: Final = 0x88FF
READ_FRAMEBUFFER: Final = 0x8CA8
COLOR_BUFFER_BIT: Final = 0x4000
LINEAR: Final = 0x2601
TIME_ELAPSED: Final = 0x88BF
QUERY_RESULT: Final = 0x8866
SYNC_GPU_COMMANDS_COMPLETE: Final = 0x9117
SYNC_FLUSH_COMMANDS_BIT: Final = 0x0001
ALREADY_SIGNALED: Final = 0x911A
CONDITION_SATISFIED: Final = 0x911C
COPY_VERSION: Final = 430
RESET_STATUS: Final = "glGetGraphicsResetStatus"
NO_RESET: Final = 0
RESETS: Final = {
    0x8253: "by commands of this program",
    0x8254: "by commands of another program",
    0x8255: "for an unknown reason",
}
"""What glGetGraphicsResetStatus says, beside ``NO_RESET``."""

Triple = tuple[int, int, int]

_UINT, _INT, _POINTER = c.c_uint, c.c_int, c.c_void_p
_ENTRIES: Final[dict[str, tuple[Any, ...]]] = {
    "glGenTextures": (_INT, _POINTER),
    "glDeleteTextures": (_INT, _POINTER),
    "glBindTexture": (_UINT, _UINT),
    "glActiveTexture": (_UINT,),
    "glTexImage3D": (_UINT, *[_INT] * 6, _UINT, _UINT, _POINTER),
    "glTexSubImage3D": (_UINT, *[_INT] * 7, _UINT, _UINT, _POINTER),
    "glTexBuffer": (_UINT, _UINT, _UINT),
    "glCopyTexSubImage2D": (_UINT, *[_INT] * 7),
    "glBindFramebuffer": (_UINT, _UINT),
    "glBlitFramebuffer": (*[_INT] * 8, _UINT, _UINT),
    "glUseProgram": (_UINT,),
    "glUniform1i": (_INT, _INT),
    "glBindVertexArray": (_UINT,),
    "glMultiDrawElementsBaseVertex": (_UINT, _POINTER, _UINT, _POINTER, _INT, _POINTER),
    "glGetIntegerv": (_UINT, _POINTER),
    "glFinish": (),
    "glGenQueries": (_INT, _POINTER),
    "glDeleteQueries": (_INT, _POINTER),
    "glBeginQuery": (_UINT, _UINT),
    "glEndQuery": (_UINT,),
    "glGetQueryObjectui64v": (_UINT, _UINT, _POINTER),
}


class RawGl:
    """Callable entry points of one context."""

    def __init__(
        self, load: Callable[[str], int], version: int = 330, robust: bool = False, named: bool = False
    ) -> None:
        """Loads the entries.

        Args:
            load: returns the address of an entry point by name, 0 if the context does not have it.
            version: of the context, 330 for GL 3.3 and so on.
            robust: whether it can report a reset: GL 4.5, KHR_robustness or ARB_robustness.
            named: whether objects have names: GL 4.3 or KHR_debug.
        """
        # The entry points by name; ``timers`` replaces them while it measures, and restores them.
        self.entries: dict[str, Callable[..., Any]] = {
            name: c.CFUNCTYPE(None, *arguments)(load(name)) for name, arguments in _ENTRIES.items()
        }
        address = load("glCopyImageSubData") if version >= COPY_VERSION else 0
        self._copy = c.CFUNCTYPE(None, *[_UINT, _UINT, *[_INT] * 4] * 2, *[_INT] * 3)(address) if address else None
        address = load("glGetGraphicsResetStatus") or load("glGetGraphicsResetStatusARB") if robust else 0
        if address:
            self.entries[RESET_STATUS] = c.CFUNCTYPE(_UINT)(address)
        address = load("glObjectLabel") if named else 0
        self._label = c.CFUNCTYPE(None, _UINT, _UINT, _INT, c.c_char_p)(address) if address else None
        self._fence = c.CFUNCTYPE(_POINTER, _UINT, _UINT)(load("glFenceSync"))
        self._wait_for_fence = c.CFUNCTYPE(_UINT, _POINTER, _UINT, c.c_uint64)(load("glClientWaitSync"))
        self._delete_fence = c.CFUNCTYPE(None, _POINTER)(load("glDeleteSync"))

    def integer(self, name: int) -> int:
        value = (c.c_int * 4)()
        self.entries["glGetIntegerv"](name, value)
        return value[0]

    @property
    def copies_images(self) -> bool:
        """Whether ``copy_3d`` is there: GL 4.3."""
        return self._copy is not None

    def copy_3d(self, old: int, corner: Triple, new: int, to: Triple, size: Triple) -> None:
        """Copies texels of one 3D texture to another of the same format, without the CPU.

        Args:
            old: GL name of the source.
            corner: x, y, z of the first texel there.
            new: GL name of the destination, another texture.
            to: x, y, z of the first texel there.
            size: texels along x, y, z.
        """
        assert self._copy is not None, "copies_images says that there is none"
        self._copy(old, TEXTURE_3D, 0, *corner, new, TEXTURE_3D, 0, *to, *size)

    def reset_status(self) -> int:
        """``NO_RESET`` or one of ``RESETS``: whether the context was ended; ``NO_RESET`` where none can say."""
        asked = self.entries.get(RESET_STATUS)
        return NO_RESET if asked is None else int(asked())

    def finish(self) -> None:
        """Returns when all submitted work is done; releases the interpreter lock meanwhile."""
        self.entries["glFinish"]()

    def make(self, kind: str) -> int:
        """The name of a new object; ``kind``: ``Queries`` or ``Textures``."""
        name = c.c_uint()
        self.entries[f"glGen{kind}"](1, c.byref(name))
        return name.value

    def delete(self, kind: str, name: int) -> None:
        self.entries[f"glDelete{kind}"](1, c.byref(c.c_uint(name)))

    def label(self, kind: int, name: int, label: str) -> None:
        """Names a query or texture that has been used before, for GL debuggers; ``kind``: QUERY or TEXTURE."""
        if self._label is not None:
            self._label(kind, name, -1, label.encode())

    def begin_timer(self, query: int) -> None:
        """What is submitted from here to ``end_timer`` is timed by the GPU; timers do not nest."""
        self.entries["glBeginQuery"](TIME_ELAPSED, query)

    def end_timer(self) -> None:
        self.entries["glEndQuery"](TIME_ELAPSED)

    def timed_ns(self, query: int) -> int:
        """What a timer took; waits for it."""
        value = c.c_uint64()
        self.entries["glGetQueryObjectui64v"](query, QUERY_RESULT, c.byref(value))
        return value.value

    def fence(self) -> int:
        """Inserts a fence after the submitted work; the caller deletes it."""
        return int(self._fence(SYNC_GPU_COMMANDS_COMPLETE, 0) or 0)

    def passed(self, fence: int) -> bool:
        """Whether everything submitted before a fence is done; does not wait."""
        return self._wait_for_fence(fence, SYNC_FLUSH_COMMANDS_BIT, 0) in (ALREADY_SIGNALED, CONDITION_SATISFIED)

    def delete_fence(self, fence: int) -> None:
        self._delete_fence(fence)

    def attach_buffer(self, unit: int, texture: int, internal_format: int, buffer: int) -> None:
        """Makes a texture show a buffer; leaves it bound to the unit."""
        self.bind_buffer_texture(unit, texture)
        self.entries["glTexBuffer"](TEXTURE_BUFFER, internal_format, buffer)

    def bind_buffer_texture(self, unit: int, texture: int) -> None:
        """Binds a buffer texture to a texture unit."""
        self.entries["glActiveTexture"](TEXTURE0 + unit)
        self.entries["glBindTexture"](TEXTURE_BUFFER, texture)

    def set_sampler(self, program: int, location: int, unit: int) -> None:
        """Points a sampler at a texture unit; moderngl knows no samplers of buffer textures."""
        self.entries["glUseProgram"](program)
        self.entries["glUniform1i"](location, unit)

    def copy_into_texture(self, unit: int, size: tuple[int, int]) -> None:
        """Copies what is drawn to, of that size, into the 2D texture of a unit: depth, where that is its format."""
        self.entries["glActiveTexture"](TEXTURE0 + unit)
        self.entries["glCopyTexSubImage2D"](TEXTURE_2D, 0, 0, 0, 0, 0, *size)

    def stretch_colour(
        self, old: int, old_size: tuple[int, int], new: int, new_size: tuple[int, int], corner: tuple[int, int] = (0, 0)
    ) -> None:
        """Scales one framebuffer's colour into a part of another; scissor and colour mask apply.

        Args:
            old: GL name of the source.
            old_size: its width and height.
            new: GL name of the destination, which stays bound for drawing.
            new_size: width and height of the part.
            corner: lower left corner of the part, in the destination.
        """
        part = *corner, corner[0] + new_size[0], corner[1] + new_size[1]
        self.entries["glBindFramebuffer"](READ_FRAMEBUFFER, old)
        self.entries["glBlitFramebuffer"](0, 0, *old_size, *part, COLOR_BUFFER_BIT, LINEAR)
        self.entries["glBindFramebuffer"](READ_FRAMEBUFFER, new)

    def allocate_array_level(self, unit: int, level: int, side: int, layers: int) -> None:
        """Allocates one mip level, with undefined content, of the RGBA8 array texture bound to a unit."""
        self.entries["glActiveTexture"](TEXTURE0 + unit)
        self.entries["glTexImage3D"](TEXTURE_2D_ARRAY, level, RGBA8, side, side, layers, 0, RGBA, UNSIGNED_BYTE, None)

    def write_array_layers(self, unit: int, level: int, first: int, shape: tuple[int, ...], texels: int) -> None:
        """Writes whole layers, ``texels`` at an address of uint8[shape], of an RGBA8 array texture's mip level."""
        layers, height, width, _ = shape
        self.entries["glActiveTexture"](TEXTURE0 + unit)
        self.entries["glTexSubImage3D"](
            TEXTURE_2D_ARRAY, level, 0, 0, first, width, height, layers, RGBA, UNSIGNED_BYTE, texels
        )

    def multi_draw(
        self, program: int, vertex_array: int, counts: int, offsets: int, base_vertices: int, draws: int
    ) -> None:
        """Triangles by 32-bit indices, ``draws`` times.

        Args:
            program: GL name.
            vertex_array: GL name; holds the index buffer.
            counts: address of int32[draws], indices of each draw.
            offsets: address of uint64[draws], byte offset of its first index.
            base_vertices: address of int32[draws], added to every index.
            draws: how many.
        """
        self.entries["glUseProgram"](program)
        self.entries["glBindVertexArray"](vertex_array)
        self.entries["glMultiDrawElementsBaseVertex"](TRIANGLES, counts, UNSIGNED_INT, offsets, draws, base_vertices)
