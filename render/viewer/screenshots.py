"""Pictures of what is shown, without the numbers, with their view in the file's labels."""

import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from client.source import Source
from render.gpu.targets import Pixels
from render.gpu.textures import write_png
from render.view_line import ViewLine


def keep_picture(folder: Path, pixels: Pixels, labels: Mapping[str, str]) -> Path:
    """Writes a picture under a name of its own.

    Args:
        folder: made where it is not there.
        labels: for the file.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = unused(folder, time.strftime("%Y%m%d-%H%M%S"))
    write_png(path, pixels, dict(labels))
    return path


def unused(folder: Path, name: str) -> Path:
    """A path for a PNG in a folder that no earlier picture has."""
    path = folder / f"{name}.png"
    for number in count(2):
        if not path.exists():
            break
        path = folder / f"{name}-{number}.png"
    return path


def kept_picture(folder: Path, pixels: Pixels, labels: Mapping[str, str]) -> tuple[str, dict[str, str | None]]:
    """The same: what there is to say, and the facts of its event; a full disk is no reason to close a window."""
    try:
        path = keep_picture(folder, pixels, labels)
    except OSError as error:
        return f"no picture: {error.filename or folder}: {error.strerror}", {"path": None, "reason": str(error)}
    return f"picture: {path}", {"path": str(path.absolute())}


def labels_of(source: Source, line: ViewLine, place: str | None) -> dict[str, str]:
    """What is written into a picture's file: its source, its view, and where in a recording it is."""
    labels = {"Software": "chunkscope", "Source": str(source), "View": str(line)}
    return labels | ({"Recording": place} if place else {})
