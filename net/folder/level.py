"""``level.dat``: what a world says of itself.

file = u32 version of the form | u32 length | a compound of the disk's NBT
"""

import struct
from typing import Final

from net.errors import DecodeError, FolderError, LimitExceeded
from net.frozen import frozen
from net.nbt import DISK, Compound, read_root
from net.wire.reader import Reader

HEADER: Final = struct.Struct("<II")
NOWHERE_Y: Final = 32767
"""Of a spawn whose height nobody has looked for yet."""
LEVEL_BYTES: Final = 16 << 20


@frozen
class Level:
    """What is shown, or needed to be shown.

    Attributes:
        name: of the world.
        spawn: block x, y, z; y None where nobody has looked for the ground.
        time: of day in ticks; it counts on.
        seed: of its generator.
        version: of the game that opened it last: 1, 21, 72, 1, 0; empty where it does not say.
    """

    name: str = ""
    spawn: tuple[int, int | None, int] = (0, None, 0)
    time: int = 6000
    seed: int = 0
    version: tuple[int, ...] = ()


def read_level(data: bytes) -> Level:
    """A level's facts; what it does not say is as in ``Level``.

    Raises:
        FolderError: it is none.
    """
    if len(data) < HEADER.size:
        raise FolderError(f"{len(data)} bytes are too few")
    try:
        root = read_root(Reader(data, "level.dat", HEADER.size), DISK)
    except (DecodeError, LimitExceeded) as error:
        raise FolderError(str(error)) from None
    x, y, z = (_whole(root, key, unsaid) for key, unsaid in (("SpawnX", 0), ("SpawnY", NOWHERE_Y), ("SpawnZ", 0)))
    name, version = root.get("LevelName"), root.get("lastOpenedWithVersion")
    return Level(
        name=name.encode(errors="replace").decode() if isinstance(name, str) else "",
        spawn=(x, None if y == NOWHERE_Y else y, z),
        time=_whole(root, "Time", 6000),
        seed=_whole(root, "RandomSeed", 0),
        version=tuple(n for n in version if isinstance(n, int)) if isinstance(version, list) else (),
    )


def _whole(root: Compound, key: str, unsaid: int) -> int:
    value = root.get(key)
    return int(value) if isinstance(value, int) else unsaid
