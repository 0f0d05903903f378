"""GL in one place: context, programs, quad arena, paged volumes, targets, errors.

brick_volume          A sparse volume of uint16 values a block: a page table of sub-chunks over a brick atlas
capabilities          The limits and features of one GL context, read once
device                One GL context with its programs, buffers and error checks
draw_command_kernels  Makes draw commands of runs of quads, in one pass
gl                    The few GL entry points that moderngl does not wrap, through ctypes
light_compute         The light kernels' twin in compute shaders (GL 4.3)
page_table            Maps positions of an unbounded world to entries of a small table
programs              Composes programs from the ``shaders`` package; compiles each once per name and defines
quad_arena            The quad arena: every mesh in one buffer, drawn by multi-draw
targets               Framebuffers for pictures: our own RGBA8 + DEPTH24, never the window's
textures              Block textures, tints, buffers that shaders read by index, and PNG files
timers                Measures the time that the owner thread spends in GL calls
"""

from render.errors import OutOfPages, RenderError, ShaderError, UnsupportedGpu
from render.gpu.capabilities import Capabilities
from render.gpu.device import Gpu, Unit
from render.gpu.targets import Target

__all__ = ["Capabilities", "Gpu", "OutOfPages", "RenderError", "ShaderError", "Target", "Unit", "UnsupportedGpu"]
