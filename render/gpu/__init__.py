"""GL in one place: context, programs, quad arena, paged volumes, targets, errors.

brick_volume          A sparse volume of uint16 values a block: a page table of sub-chunks over a brick atlas
capabilities          What one context can do: asked once, shown by ``doctor``, read where sizes are chosen
device                One GL context and what belongs to it
draw_command_kernels  Runs of quads as draw commands, in one pass
errors                The errors of drawing, one tree
gl                    The few GL entry points that moderngl does not wrap, through ctypes
light_compute         The light kernels' twin in compute shaders (GL 4.3)
page_table            Which place of a small table a position of an endless world has
programs              Programs: composed from the ``shaders`` package, compiled once per name and defines
quad_arena            The quad arena: every mesh in one buffer, drawn by multi-draw
targets               Where pictures are drawn: an own RGBA8 + DEPTH24 framebuffer, never the window's
textures              Block textures, tints, buffers that shaders read by index, and PNG files
timers                How long the owner thread is inside GL calls
"""

from render.gpu.capabilities import Capabilities
from render.gpu.device import Gpu, Unit
from render.gpu.errors import OutOfPages, RenderError, ShaderError, UnsupportedGpu
from render.gpu.targets import Target

__all__ = ["Capabilities", "Gpu", "OutOfPages", "RenderError", "ShaderError", "Target", "Unit", "UnsupportedGpu"]
