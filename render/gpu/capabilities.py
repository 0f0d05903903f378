"""The limits and features of one GL context, read once; ``doctor`` shows them."""

from typing import Any

import msgspec

from render.errors import UnsupportedGpu
from render.gpu import gl
from render.gpu.gl import RawGl

REQUIRED_VERSION = 330
COMPUTE_VERSION = 430  # also of draw commands in a buffer, and of names for debuggers


class Capabilities(msgspec.Struct, frozen=True):
    """Facts about a context."""

    version: int  # 330 for GL 3.3 and so on
    renderer: str  # the driver's name of the device
    vendor: str  # its maker
    driver: str  # its version text
    max_buffer_texels: int  # longest buffer texture
    max_texture_3d: int  # longest side of a 3D texture
    max_layers: int  # layers of an array texture
    labels: bool = False  # whether objects and passes have names in GL debuggers (KHR_debug)

    @property
    def software(self) -> bool:
        """Whether it is a CPU that draws: Mesa's llvmpipe or softpipe."""
        return "llvmpipe" in self.renderer or "softpipe" in self.renderer

    @property
    def draws_indirect(self) -> bool:
        """Whether draw commands may lie in a buffer: multi-draw-indirect of GL 4.3."""
        return self.version >= COMPUTE_VERSION

    @property
    def computes(self) -> bool:
        """Whether it has compute shaders: GL 4.3."""
        return self.version >= COMPUTE_VERSION


def format_features(found: Capabilities) -> str:
    """One line: the features beyond GL 3.3 that are used, and the replacement of each that is missing."""
    return "; ".join(
        (
            "multi-draw indirect" if found.draws_indirect else "multi-draw from memory (no indirect: OpenGL 4.3)",
            "compute shaders" if found.computes else "no compute shaders (OpenGL 4.3): light on the CPU",
            "names for debuggers" if found.labels else "no names for debuggers (KHR_debug)",
            "GPU timers",
            f"buffer textures of {found.max_buffer_texels:,}",
            f"3D textures of {found.max_texture_3d:,} a side",
            f"{found.max_layers:,} layers",
        )
    )


def no_compute(found: Capabilities) -> str:
    """Why light is not made on the GPU, in a sentence."""
    has = f"{found.renderer} has OpenGL {found.version / 100:.1f}"
    return f"light is computed on the CPU: the GPU needs compute shaders (OpenGL 4.3), and {has}"


def names_objects(ctx: Any) -> bool:
    """Whether objects and passes may have names: GL 4.3 or KHR_debug."""
    return ctx.version_code >= COMPUTE_VERSION or "GL_KHR_debug" in ctx.extensions


def probe(ctx: Any, raw: RawGl) -> Capabilities:
    """Asks a context; raises UnsupportedGpu below GL 3.3."""
    if ctx.version_code < REQUIRED_VERSION:
        found = f"{ctx.info['GL_RENDERER']} with OpenGL {ctx.version_code / 100:.1f}"
        raise UnsupportedGpu(f"OpenGL 3.3 is needed; found {found}")
    return Capabilities(
        version=ctx.version_code,
        renderer=ctx.info["GL_RENDERER"],
        vendor=ctx.info["GL_VENDOR"],
        driver=ctx.info["GL_VERSION"],
        max_buffer_texels=raw.integer(gl.MAX_TEXTURE_BUFFER_SIZE),
        max_texture_3d=raw.integer(gl.MAX_3D_TEXTURE_SIZE),
        max_layers=raw.integer(gl.MAX_ARRAY_TEXTURE_LAYERS),
        labels=names_objects(ctx),
    )
