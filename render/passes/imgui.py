"""Draws the draw lists of dear imgui: panels over the picture, in our own GL context, without a second GL binding.

Rules:
1. Everything is in pixels of the framebuffer (``render.viewer.window.window``), so that HiDPI is decided in one
   place.
2. imgui requests its textures itself (1.92: create, update, destroy); ``_serve`` does it before the first triangle.
3. All lists of a frame are sent as one vertex buffer and one index buffer: two writes, however many panels. Indices
   count from the frame's first vertex, since moderngl has no base vertex in GL 3.3.
4. Neighbouring commands with one texture and one clip rectangle become one draw.
5. The sent lists stay until the next ones: ``draw_again`` draws them again if imgui made no new frame.

imgui takes 0.2 s to import: nothing without a window imports this.
"""

import ctypes
from typing import Any, Final

import moderngl
import numpy as np
from imgui_bundle import imgui

from net.arrays import U8
from render.errors import RenderError
from render.gpu.device import Gpu, Unit

VERTEX: Final = "2f4 2f4 4f1"
VERTEX_BYTES: Final = imgui.VERTEX_SIZE
INDEX: Final = np.dtype(f"u{imgui.INDEX_SIZE}")
FIRST_BYTES: Final = 256 << 10

Picture = U8
"""[height, width, 4] RGBA, row 0 at the top."""

Run = tuple[int, tuple[int, int, int, int], int, int]
"""A draw: texture, clip rectangle (left, top, right, bottom), first index, count."""


class PanelsPass:
    """The pass; one imgui context must be current for every call."""

    def __init__(self, gpu: Gpu) -> None:
        if VERTEX_BYTES != 20:
            raise RenderError(f"imgui's vertices have {VERTEX_BYTES} bytes; 20 are known here")
        self._gpu = gpu
        self._program = gpu.program("panels.vert", "panels.frag")
        self._textures: dict[int, Any] = {}
        self._pictures: dict[str, int] = {}
        self._names = 0
        self._vertices: Any = None
        self._indices: Any = None
        self._array: Any = None
        self._runs: list[Run] = []
        self._hold(FIRST_BYTES, FIRST_BYTES)

    def picture(self, name: str, pixels: Picture) -> int:
        """Stores a picture for panels, without filtering, replaces one of the same name, returns imgui's id of it."""
        height, width = pixels.shape[:2]
        number = self._pictures.get(name)
        if number is None or self._textures[number].size != (width, height):
            if number is not None:
                self._textures.pop(number).release()
            number = self._pictures[name] = self._add((width, height), None)
            self._textures[number].filter = moderngl.NEAREST, moderngl.NEAREST
        self._textures[number].write(np.ascontiguousarray(pixels).tobytes())
        return number

    def draw(self, listed: Any, size_px: tuple[int, int]) -> int:
        """Draws to the current framebuffer, and resets scissor, enabled states and blending to defaults.

        ``listed``: imgui's ImDrawData of a frame.

        Returns:
            The number of draw calls.
        """
        self._serve(imgui.get_platform_io().textures)
        self._runs = self._upload(listed)
        return self.draw_again(size_px)

    def draw_again(self, size_px: tuple[int, int]) -> int:
        """Draws the last lists again, as ``draw`` does; the framebuffer must have the same size."""
        ctx = self._gpu.ctx
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA
        ctx.blend_equation = moderngl.FUNC_ADD
        self._program["size_px"] = size_px
        for texture, clip, first, count in self._runs:
            ctx.fbo.scissor = clip[0], size_px[1] - clip[3], clip[2] - clip[0], clip[3] - clip[1]
            self._textures[texture].use(Unit.PANELS)
            self._array.render(moderngl.TRIANGLES, vertices=count, first=first)
        ctx.fbo.scissor = None
        ctx.enable_only(moderngl.NOTHING)
        ctx.blend_func = moderngl.DEFAULT_BLENDING
        return len(self._runs)

    def release(self) -> None:
        """Frees its GL objects, and marks imgui's textures as destroyed."""
        for asked in imgui.get_platform_io().textures:
            asked.set_tex_id(0)
            asked.status = imgui.ImTextureStatus.destroyed
        for thing in (*self._textures.values(), self._array, self._vertices, self._indices):
            thing.release()
        self._textures.clear()

    # ------------------------------------------------------------ textures

    def _serve(self, asked_for: Any) -> None:
        """Creates, updates and frees textures that imgui requests."""
        status = imgui.ImTextureStatus
        for asked in asked_for:
            if asked.status == status.want_create:
                asked.set_tex_id(self._add((asked.width, asked.height), asked.get_pixels_array().tobytes()))
                asked.status = status.ok
            elif asked.status == status.want_updates:
                self._update(asked)
                asked.status = status.ok
            elif asked.status == status.want_destroy and asked.unused_frames > 0:
                self._textures.pop(asked.tex_id).release()
                asked.set_tex_id(0)
                asked.status = status.destroyed

    def _add(self, size: tuple[int, int], texels: bytes | None) -> int:
        self._names += 1
        texture = self._gpu.ctx.texture(size, 4, texels)
        texture.repeat_x = texture.repeat_y = False
        texture.label = f"panels {self._names}"
        self._textures[self._names] = texture
        return self._names

    def _update(self, asked: Any) -> None:
        texels = asked.get_pixels_array().reshape(asked.height, asked.width, 4)
        for box in asked.updates:
            part = texels[box.y : box.y + box.h, box.x : box.x + box.w]
            self._textures[asked.tex_id].write(part.tobytes(), viewport=(box.x, box.y, box.w, box.h))

    # ------------------------------------------------------------ triangles

    def _upload(self, listed: Any) -> list[Run]:
        vertices, indices = listed.total_vtx_count, listed.total_idx_count
        if not indices:
            return []
        self._hold(vertices * VERTEX_BYTES, indices * INDEX.itemsize)
        corners = np.empty(vertices * VERTEX_BYTES, np.uint8)
        order = np.empty(indices, INDEX)
        runs: list[Run] = []
        vertex = index = 0
        for part in listed.cmd_lists:
            count, used = part.idx_buffer.size(), part.vtx_buffer.size()
            if not count:
                continue
            corners[vertex * VERTEX_BYTES : (vertex + used) * VERTEX_BYTES] = _bytes(part.vtx_buffer, VERTEX_BYTES)
            order[index : index + count] = _bytes(part.idx_buffer, INDEX.itemsize).view(INDEX)
            order[index : index + count] += vertex
            for command in part.cmd_buffer:
                if command.vtx_offset:
                    order[index + command.idx_offset :][: command.elem_count] += command.vtx_offset
                _append(runs, command, index)
            vertex, index = vertex + used, index + count
        self._vertices.orphan()
        self._vertices.write(corners)
        self._indices.orphan()
        self._indices.write(order)
        return runs

    def _hold(self, vertex_bytes: int, index_bytes: int) -> None:
        """Ensures buffers of at least that size; they double."""
        if self._array is not None and self._vertices.size >= vertex_bytes and self._indices.size >= index_bytes:
            return
        for thing in (self._array, self._vertices, self._indices):
            if thing is not None:
                thing.release()
        ctx = self._gpu.ctx
        self._vertices = ctx.buffer(reserve=_space(vertex_bytes), dynamic=True)
        self._indices = ctx.buffer(reserve=_space(index_bytes), dynamic=True)
        layout = [(self._vertices, VERTEX, "in_at_px", "in_uv", "in_colour")]
        self._array = ctx.vertex_array(self._program, layout, self._indices, index_element_size=INDEX.itemsize)
        self._vertices.label, self._indices.label, self._array.label = "panel vertices", "panel indices", "panels"


def _append(runs: list[Run], command: Any, index: int) -> None:
    """Adds a command as a draw, joined to the previous one if only the indices differ."""
    x0, y0, x1, y1 = command.clip_rect.x, command.clip_rect.y, command.clip_rect.z, command.clip_rect.w
    clip = max(int(x0), 0), max(int(y0), 0), int(x1), int(y1)
    if clip[2] <= clip[0] or clip[3] <= clip[1] or not command.elem_count:
        return
    texture, first = int(command.get_tex_id()), index + command.idx_offset
    if runs and runs[-1][:2] == (texture, clip) and runs[-1][2] + runs[-1][3] == first:
        runs[-1] = texture, clip, runs[-1][2], runs[-1][3] + command.elem_count
    else:
        runs.append((texture, clip, first, command.elem_count))


def _bytes(listed: Any, each: int) -> U8:
    """A view of imgui's memory, not copied; valid until its next frame."""
    memory = (ctypes.c_uint8 * (listed.size() * each)).from_address(listed.data_address())
    return np.frombuffer(memory, np.uint8)


def _space(size: int) -> int:
    return max(FIRST_BYTES, 1 << (size - 1).bit_length())
