"""Which columns a message of the server was about, for whoever has to forget what left nothing behind."""

from typing import Final

import numpy as np

from net.bedrock import LevelChunk, LevelSoundEvent, Message, SubChunk, Text, Unknown
from net.blobs import changed_columns
from net.recording.thinning import Columns

NO_TRACE: Final = np.empty((0, 2), np.int32)


def traces_of(message: Message) -> Columns | None:
    """The columns that it was about, none where the world keeps nothing of it; None: it must never be forgotten.

    Of sounds and of what is said a session keeps the last ones; both may come many times a second for hours.
    """
    match message:
        case LevelChunk(column=column):
            return np.array([column], np.int32)
        case SubChunk(centre=centre, entries=entries):
            answered = {(centre.x + entry.dx, centre.z + entry.dz) for entry in entries}
            return np.array(sorted(answered), np.int32).reshape(-1, 2)
        case Unknown() | LevelSoundEvent() | Text():
            return NO_TRACE
    columns = changed_columns(message)
    return np.array(columns, np.int32) if columns else None
