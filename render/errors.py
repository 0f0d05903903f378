"""The exceptions of drawing.

RenderError
├── ShaderError       a GLSL file does not compile or link: a bug of ours, named by file and line
├── OutOfMemory       the driver has no more memory: exit code 5
├── OutOfPages        an arena or atlas has reached the size the GPU or the configuration allows
├── ContextLost       the driver reset the GPU and lost its data: exit code 5
└── UnsupportedGpu    no context, or one below GL 3.3: exit code 5
"""

import msgspec


class RenderError(Exception):
    """Root of everything that drawing raises on purpose."""


class ShaderMessage(msgspec.Struct, frozen=True):
    """One line of a compiler's report: where in our files, and its words."""

    file: str
    line: int
    text: str


class ShaderError(RenderError):
    """A shader did not compile or link."""

    def __init__(self, program: str, messages: tuple[ShaderMessage, ...], report: str) -> None:
        shown = "\n".join(f"{m.file}:{m.line}: {m.text}" for m in messages) or report.strip()
        super().__init__(f"program {program!r}:\n{shown}")
        self.program = program  # name of the program
        self.messages = messages  # the compiler's lines, mapped to files; empty when linking failed
        self.report = report  # the driver's whole report


class OutOfPages(RenderError):
    """A pool of the GPU is full."""

    def __init__(self, pool: str, wanted: int, limit: int) -> None:
        super().__init__(f"{pool}: {wanted} more do not fit into {limit}")
        self.pool = pool  # which one
        self.wanted = wanted  # pages or bricks asked for at once
        self.limit = limit  # how many it may hold in all


class OutOfMemory(RenderError):
    """The graphics driver has no more memory."""

    exit_code = 5


class ContextLost(RenderError):
    """The driver ended the context with all its data; ``Scene.rebuilt`` fills another one."""

    exit_code = 5

    def __init__(self, why: str) -> None:
        self.cause = f"the graphics driver was reset ({why})"  # what happened, for a sentence
        super().__init__(f"{self.cause}: all GPU data is lost; start again")


class UnsupportedGpu(RenderError):
    """No usable OpenGL; the message says what was found and what is needed."""

    def __init__(self, message: str, too_old: bool = False) -> None:
        super().__init__(message)
        self.too_old = too_old  # the driver is installed but older than GL 3.3, so installing a library does not help
