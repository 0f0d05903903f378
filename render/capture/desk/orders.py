"""The protocol of ``chunkscope studio``: JSON, one object a line, UTF-8, on stdin and stdout. Version 1.

First the process says, once:

    {"chunkscope": "0.1.0", "protocol": 1, "channels": ["colour", ...]}

Then each order, in the order of orders, gets one answer with its id: ``done``, or ``error``.

    {"id": 1, "order": "shot", "source": "embedded:hills", "out": "/tmp/a.png", "at": [8, 90, 8], "look": [30, 20]}
    {"id": 1, "done": {"files": ["/tmp/a.png"], "renderer": "...", "seconds": 0.8}}

    {"id": 2, "order": "scene", "path": "/home/me/lamp.toml", "artefacts": "/home/me/failed"}
    {"id": 2, "done": {"passed": false, "seconds": 1.2, "files": ["/home/me/failed/lamp.near.actual.png", ...],
        "unwritten": "",
        "views": [{"view": "near", "passed": false, "words": "...", "accepted": [],
                   "layers": [{"layer": "data", "outcome": "failed", "words": "...", "numbers": {...}}]}]}}

    {"id": 3, "order": "shot", "source": "nowhere.cscope", "out": "/tmp/a.png"}
    {"id": 3, "error": {"words": "nowhere.cscope does not exist.", "exit_code": 3}}

A shot may say ``at``, ``look``, ``fov``, ``ortho``, ``size``, ``channels``, ``radius``, ``dimension``, ``time``,
``mode``, ``light``, ``overlays``, ``timeout``, as a scene file does; ``out`` ends in .png or .npz. A
scene with "accept": true is taken twice and becomes what is expected, where both times are the same. Exit codes are
those of the command line. Stdin's end is the process's.

Rules:
1. A line that is no order gets an error with the id it has, or null; nothing else is lost.
2. Paths are absolute: the process stands anywhere.
3. Another version of the protocol has another number; keys may be added to answers without one.
"""

import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from client.errors import UsageError
from client.options import MOST_RADIUS
from client.player.view import HIGHEST_ORTHO_BLOCKS, LOWEST_ORTHO_BLOCKS
from client.source import parse_source
from net.config import Form, WrongValue
from net.frozen import frozen
from render.capture.scenarios import Scene, SceneView, values
from render.settings.overlays import OVERLAYS

PROTOCOL: Final = 1
LONGEST_ORDER: Final = 1 << 20
"""Characters of a line; no order needs as many."""


def _path(value: Any) -> Path:  # Any: what JSON holds
    if not isinstance(value, str) or not Path(value).is_absolute():
        raise WrongValue("an absolute path")
    return Path(value)


def _flag(value: Any) -> bool:  # Any: what JSON holds
    if not isinstance(value, bool):
        raise WrongValue("true or false")
    return value


VIEW: Final[Form] = {
    "at": values.numbers(3, "[x, y, z] of the eye in blocks"),
    "look": values.look,
    "fov": values.number(10, 150, "degrees from 10 to 150"),
    "ortho": values.number(LOWEST_ORTHO_BLOCKS, HIGHEST_ORTHO_BLOCKS, "a height in blocks from 1 to 4096"),
    "size": values.size,
}
WORLD: Final[Form] = {
    "radius": values.whole(1, MOST_RADIUS),
    "dimension": values.dimension,
    "time": values.whole(0, 23999),
    "mode": values.one_of(("limited", "limitless", "full")),
    "light": values.one_of(("smooth", "flat")),
    "overlays": values.several_of(OVERLAYS),
    "channels": values.channels,
    "timeout": values.number(0.001, 3600, "seconds, more than 0"),
}
SHOT: Final[Form] = {"source": values.text, "out": _path, **VIEW, **WORLD}
SCENE: Final[Form] = {"path": _path, "accept": _flag, "artefacts": _path}
FORMS: Final[Mapping[str, Form]] = {"shot": SHOT, "scene": SCENE}
RENAMED: Final = {
    "fov": "fov_deg",
    "ortho": "ortho_blocks",
    "look": "look_deg",
    "size": "size_px",
    "timeout": "timeout_s",
}


class BadOrder(UsageError):
    """A line that is no order; ``id`` is the one it has, or None."""

    def __init__(self, words: str, order_id: object = None) -> None:
        super().__init__(words)
        self.id = order_id


@frozen
class ShotOrder:
    """A picture of a source: a scene of one view, and where to write it."""

    id: object
    scene: Scene
    out: Path


@frozen
class SceneOrder:
    """A scene file against what was accepted of it.

    Attributes:
        id: of the order.
        path: of the file.
        accept: whether it becomes what is expected.
        artefacts: folder for pictures of what failed, or None.
    """

    id: object
    path: Path
    accept: bool = False
    artefacts: Path | None = None


Order = ShotOrder | SceneOrder


def read_order(line: str) -> Order:
    """Reads one line.

    Raises:
        BadOrder: it is none; the text says why.
    """
    if len(line) > LONGEST_ORDER:
        raise BadOrder(f"An order of {len(line)} characters is longer than {LONGEST_ORDER}.")
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise BadOrder(f"{line.strip()[:60]!r} is no JSON.") from None
    if not isinstance(said, dict):
        raise BadOrder(f"{line.strip()[:60]!r} is no JSON object.")
    order_id, name = said.pop("id", None), said.pop("order", None)
    if not isinstance(name, str) or name not in FORMS:
        raise BadOrder(f"There is no order {name!r}; there are {', '.join(FORMS)}.", order_id)
    try:
        read = _read(said, FORMS[name], name)
        return _shot(order_id, read) if name == "shot" else _scene(order_id, read)
    except UsageError as error:
        raise BadOrder(str(error), order_id) from None


def _read(said: Mapping[str, Any], form: Form, name: str) -> dict[str, Any]:  # Any: what JSON holds
    read = {}
    for key, value in said.items():
        if key not in form:
            near = difflib.get_close_matches(key, form, 1, 0.0)[0]
            raise UsageError(f"A {name} has no '{key}' (nearest: {near}).")
        if value is None:
            continue  # as if it were not said
        try:
            read[key] = form[key](value)
        except WrongValue as error:
            raise UsageError(f"A {name}'s '{key}' is {value!r}; it must be {error}.") from None
    return read


def _shot(order_id: object, read: dict[str, Any]) -> ShotOrder:
    for key in ("source", "out"):
        if key not in read:
            raise UsageError(f"A shot needs '{key}'.")
    out: Path = read["out"]
    if out.suffix not in (".png", ".npz"):
        raise UsageError(f"A shot's 'out' ends in .png or .npz, not as {out.name!r}.")
    view = {RENAMED.get(key, key): read[key] for key in VIEW if key in read}
    world = {RENAMED.get(key, key): read[key] for key in WORLD if key in read and key != "light"}
    scene = Scene(
        path=out.with_suffix(".toml"),
        name="shot",
        source=parse_source(read["source"]),
        views=(SceneView("shot", **view),),
        flat_light=read.get("light") == "flat",
        **{"channels": ("colour",), **world},
    )
    return ShotOrder(order_id, scene, out)


def _scene(order_id: object, read: dict[str, Any]) -> SceneOrder:
    if "path" not in read:
        raise UsageError("A scene needs 'path'.")
    return SceneOrder(order_id, **read)
