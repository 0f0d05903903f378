"""A session with each foreign server of ``tests/interop``, recorded by ``chunkscope record``'s own code.

    python -m tests.recordings make NAME|all     joins the server anew, and writes NAME.cscope and NAME.json (if dumped)
    python -m tests.recordings digest NAME|all   writes NAME.json anew, from the recording that is there

What servers said that are not ours is so tested where none of them can run: each recording is lived through, and a dump
of its box must have the digests that stand in the .json beside it.

Rules:
1. ``make`` keeps nothing whose dump is not, block by block, what the server was given (or said that it sends).
2. Small: radius 3, a world of nine columns; at most ``MOST_BYTES`` each. Login keys are never in a recording.
3. A digest that changes is a change of what we read out of a server's bytes (or of our light): look before ``digest``.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.connection.opening import open_connection
from client.options import Box, Options
from client.report.dump import read_box
from client.source import WorldFile
from net.space import BlockPos

HERE: Final = Path(__file__).parent
MOST_BYTES: Final = 300_000
MOST_BYTES_TOGETHER: Final = 2_000_000
PATIENT_S: Final = 120.0
RADIUS: Final = 3

NAMES: Final = (
    "bedrock-protocol-486",
    "bedrock-protocol-582-hashed",
    "bedrock-protocol-1001",
    "bedrock-protocol-2193",
    "gophertunnel-486",
    "dragonfly-527",
    "dragonfly-2168",
    "serenity-975",
    "jsprismarine-748",
)
ENTITIES: Final = ("dragonfly-entities-2168", "serenity-entities-975")
"""Four seconds beside entities; nothing is dumped of them, so that no .json stands beside them."""

Arrays = dict[str, npt.NDArray[Any]]


def recording(name: str) -> Path:
    """The file of a recording."""
    return HERE / f"{name}.cscope"


def said_of(name: str) -> dict[str, Any]:
    """What stands beside it: ``box`` (six numbers, as ``dump`` takes them) and ``digests`` by array."""
    said: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text())
    return said


def box_of(name: str) -> Box:
    """The box that was asked for when it was recorded."""
    numbers = said_of(name)["box"]
    return Box(BlockPos(*numbers[:3]), BlockPos(*numbers[3:]))


def dumped(path: Path, box: Box) -> Arrays:
    """The arrays of a dump of a recording, which must be complete."""
    with open_connection(WorldFile(path), Options(radius=RADIUS, timeout_s=PATIENT_S)) as connection:
        settled = connection.request(box, PATIENT_S)
        assert settled, settled
        return read_box(connection, box)


def digests(arrays: Arrays) -> dict[str, str]:
    """One SHA-256 an array, over its kind, shape and content."""
    return {
        name: hashlib.sha256(
            f"{array.dtype.str}{array.shape}".encode() + np.ascontiguousarray(array).tobytes()
        ).hexdigest()
        for name, array in sorted(arrays.items())
    }
