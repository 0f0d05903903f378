"""What a picture lacks beyond knowledge: its own second stage, and what a recording lost, by kind and place."""

from typing import Final

from client.connection.connection import Connection
from client.connection.stats import Lack, lack_of
from render.scene.behind import Behind

NO_BRICKS: Final = "not mirrored"
"""The kind of sub-chunks whose bricks are not on the GPU."""


def lacks_of_scene(behind: Behind) -> tuple[Lack, ...]:
    """What a scene had not done when it was waited for no longer."""
    found = (
        lack_of("unlit", "columns", behind.unlit),
        lack_of("unmeshed", "render cells", behind.unmeshed),
        lack_of("not uploaded", "render cells", behind.not_uploaded),
        lack_of(NO_BRICKS, "sub-chunks", behind.not_mirrored),
    )
    return tuple(lack for lack in found if lack.count)


def lacks_of_file(connection: Connection) -> tuple[Lack, ...]:
    """What of a recording is unreadable before what is shown; nothing where it is whole, or this is none."""
    lost = connection.replay.lost if connection.replay else ()
    return tuple(
        Lack("lost", "bytes", damage.size, words=f"at byte {damage.offset}: {damage.reason}") for damage in lost
    )
