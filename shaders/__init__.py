"""GLSL files, loaded by name, composed without a device.

Rules:
1. A program is named by its stage files: ``cube.vert``, ``terrain.frag``. Shared parts lie in ``include/`` and
   are taken by ``#include "name.glsl"`` on a line of its own, each once a stage however often it is asked for.
2. The ``#version`` stands here, not in the files; defines come right after it, sorted by name.
3. Every line of the composed text knows the file and line it came from. ``#line`` is not used: its meaning changed
   between GLSL versions and drivers disagree on it.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec

VERSION = 330
_INCLUDE = re.compile(r'\s*#include\s+"([^"]+)"\s*$')


class Composed(msgspec.Struct, frozen=True):
    """One stage's text and where each of its lines came from."""

    name: str  # the stage file, for example ``"terrain.frag"``
    text: str  # what the compiler gets
    # per line of ``text``, from 0: file name and line number from 1; ``("<defines>", n)`` for the head
    origins: tuple[tuple[str, int], ...]

    def origin(self, line: int) -> tuple[str, int]:
        """File and line of a line number (from 1) that a compiler named; the last line when it is past the end."""
        return self.origins[min(max(line, 1), len(self.origins)) - 1]


@cache
def read(name: str) -> str:
    """The text of one file of this package; raises FileNotFoundError with its name."""
    return resources.files(__name__).joinpath(*name.split("/")).read_text(encoding="utf-8")


def compose(name: str, defines: Mapping[str, int | float | str] | None = None, version: int = VERSION) -> Composed:
    """One stage with version, defines and includes.

    ``name``: stage file, for example ``"full_screen.vert"``. ``defines``: names and values, written as Python prints
    them. ``version``: GLSL version, core profile.
    """
    lines = [f"#version {version} core"]
    lines += [f"#define {key} {value}" for key, value in sorted((defines or {}).items())]
    origins = [("<defines>", number) for number in range(1, len(lines) + 1)]
    taken: set[str] = set()
    _append(name, lines, origins, taken)
    return Composed(name, "\n".join(lines) + "\n", tuple(origins))


def _append(name: str, lines: list[str], origins: list[tuple[str, int]], taken: set[str]) -> None:
    taken.add(name)
    for number, line in enumerate(read(name).splitlines(), start=1):
        match = _INCLUDE.match(line)
        if match is None:
            lines.append(line)
            origins.append((name, number))
            continue
        wanted = "include/" + match.group(1)
        if wanted not in taken:
            _append(wanted, lines, origins, taken)
