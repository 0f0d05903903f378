"""GL in one place: context, programs, quad arena, paged volumes, targets, errors."""

from render.gpu.capabilities import Capabilities
from render.gpu.device import Gpu, Unit
from render.gpu.errors import OutOfPages, RenderError, ShaderError, UnsupportedGpu
from render.gpu.target import Target

__all__ = ["Capabilities", "Gpu", "OutOfPages", "RenderError", "ShaderError", "Target", "Unit", "UnsupportedGpu"]
