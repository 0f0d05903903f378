"""What options say, from text to what pictures take; each mistake is one sentence that names the value.

Nothing that draws is loaded to read a command line.
"""

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from client.player import View


def parse_size(text: str) -> tuple[int, int]:
    """Reads ``WxH`` in pixels.

    Raises:
        UsageError: when it is not two numbers from 16 to 8192.
    """
    from client.errors import UsageError

    width, cross, height = text.lower().partition("x")
    if not (cross and width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
        raise UsageError(f"'{text}' is not a size: write WxH, for example 1280x720.")
    size = int(width), int(height)
    if not all(16 <= side <= 8192 for side in size):
        raise UsageError(f"A picture of {text} pixels is not between 16 and 8192 on each side.")
    return size


class LightChoice(NamedTuple):
    """What ``--light`` says: whether faces get one value each, and whether compute shaders make the light."""

    flat: bool
    gpu: bool


def parse_light(text: str) -> LightChoice:
    """Reads ``cpu``, ``gpu`` or ``flat``.

    Raises:
        UsageError: when it is none of them.
    """
    from client.errors import UsageError

    if text not in {"cpu", "gpu", "flat"}:
        raise UsageError(f"There is no light '{text}'; there are cpu, gpu and flat.")
    return LightChoice(flat=text == "flat", gpu=text == "gpu")


def parse_freeze(at: str | None, look: str | None) -> "View | None":
    """Where the frozen camera stands and looks; None where none is.

    Raises:
        UsageError: one of them is no position or no look, or there is a look without a position.
    """
    from client.errors import UsageError
    from client.options import parse_at, parse_look
    from client.player import View

    if at is None:
        if look is not None:
            raise UsageError("--freeze-look needs --freeze-at: where the frozen eye is.")
        return None
    return View(parse_at(at), *(parse_look(look) if look is not None else (0.0, 0.0)))


def parse_budget(mib: float | None, light: LightChoice) -> int | None:
    """Bytes that ``--gpu-budget`` allows; None for what the driver bears.

    Raises:
        UsageError: light is made on the GPU, which needs all bricks there are.
    """
    from client.errors import UsageError

    if mib is not None and light.gpu:
        raise UsageError("--light gpu needs all block ids on the GPU: it goes with no --gpu-budget.")
    return None if mib is None else int(mib * (1 << 20))


def parse_overlays(names: Sequence[str] | None) -> tuple[str, ...]:
    """Names of overlays.

    Raises:
        UsageError: naming the first that is none.
    """
    from client.errors import UsageError
    from render.settings.overlays import OVERLAYS, unknown_overlay

    for name in names or ():
        if name not in OVERLAYS:
            raise UsageError(f"{unknown_overlay(name)}.")
    return tuple(names or ())


def parse_packs(paths: Sequence[Path] | None) -> tuple[Path, ...]:
    """Resource packs; whether they are any is seen when they are opened.

    Raises:
        UsageError: naming the first that is not there.
    """
    from client.errors import UsageError

    for path in paths or ():
        if not path.exists():
            raise UsageError(f"There is no resource pack {path}.")
    return tuple(paths or ())


def expect_writable(path: Path) -> None:
    """Says at once, not after a minute of loading, that a file cannot be written.

    Raises:
        UsageError: its folder is not there.
        OSError: it is a folder itself, or its folder may not be written to.
    """
    from client.errors import UsageError

    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} to write {path.name} to.")
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
