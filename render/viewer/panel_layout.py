"""Where panels lie and which are open, kept in a file beside the settings.

    # panels: pipeline graphs
    [Window][Pipeline]
    ...

Rules:
1. The first line is ours, the rest imgui's, which skips lines that it does not know.
2. A file that cannot be read is no layout; one that cannot be written is told once. Nobody loses more than a layout.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from net.files import whole
from net.frozen import frozen

HEAD: Final = "# panels:"
FILE_NAME: Final = "panels.ini"


@frozen
class PanelLayout:
    """What was kept.

    Attributes:
        opened: names of open panels; None where nothing was kept.
        arranged: imgui's text.
    """

    opened: tuple[str, ...] | None = None
    arranged: str = ""


def read_layout(path: Path | None) -> PanelLayout:
    """What the file holds."""
    try:
        text = path.read_text("utf-8") if path else ""
    except (OSError, UnicodeDecodeError):
        return PanelLayout()
    first, _, rest = text.partition("\n")
    if not first.startswith(HEAD):
        return PanelLayout()
    return PanelLayout(tuple(first.removeprefix(HEAD).split()), rest)


def write_layout(path: Path | None, opened: Iterable[str], arranged: str) -> None:
    """Keeps it; without a path, nowhere.

    Raises:
        OSError: the file cannot be written.
    """
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as temporary:
        temporary.write_text(f"{HEAD} {' '.join(opened)}\n{arranged}", "utf-8")
