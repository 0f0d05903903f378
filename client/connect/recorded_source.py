"""A recording as a SOURCE: told from other files, opened where its server let the player in.

Rules:
1. Its ``source`` is what was recorded, so that what is made of it bears the same labels.
2. What cannot be read is one sentence with the file and, where there is one, the offset (exit code 6).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from client.connect.connection import Connection
from client.connect.errors import SourceError, UnreadableFile, UsageError
from client.connect.options import Moment, Options
from client.connect.replay import Replay
from client.connect.source import Source, WorldFile, parse_source
from client.session.session import Session
from net.errors import DecodeError
from net.recording import Recording
from net.recording.header import MAGIC
from net.space.dimensions import by_number

SUFFIX: Final = ".cscope"
TELL_EVERY_S: Final = 0.05

Progress = Callable[[float, str], None]


def is_recording(path: Path) -> bool:
    """Whether a path that exists means a recording: by its name, or by its first bytes."""
    if not path.is_file():
        return False
    if path.suffix.lower() == SUFFIX:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def open_replay(path: Path, room_bytes: int = 0) -> Replay:
    """Opens a recording at its start.

    Args:
        path: of the file.
        room_bytes: as ``Replay`` takes it.

    Raises:
        UnreadableFile: it is none, of another version, or damaged where it begins; one sentence with file and offset.
    """
    try:
        recording = Recording.open(path)
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}.") from None
    except DecodeError as error:
        raise UnreadableFile(f"{path} at byte {error.offset}: {error.field} {error.reason}.") from None
    try:
        return Replay(recording, path, room_bytes=room_bytes)
    except BaseException:
        recording.close()
        raise


def open_recorded(source: WorldFile, options: Options, progress: Progress) -> Connection:
    """A connection that plays a recording from where its server let the player in, or from ``options.start``.

    One of which something was left out plays from where it is whole; one of which a dimension is wanted, from where
    that is shown first. A recording whose server never let the player in is at its end. With ``options.still`` it
    stands there and plays nothing.

    Raises:
        UnreadableFile: see ``open_replay``.
        UsageError: it shall be recorded, have look-outs of its own, or begin or stand behind its end.
        SourceError: it does not show the dimension that is expected, or not then.
    """
    if options.record:
        raise UsageError(f"{source} is a recording already: copy the file.")
    if options.pins:
        raise UsageError(f"{source} is a recording: its look-outs are those of then, and none can be pinned.")
    replay = open_replay(source.path, options.past.most_bytes // 2 if options.past else 0)
    try:
        replay.join()
        replay.leave_waypoint()  # who goes back to the first seconds need not join again
        chosen = options.start if options.still is None else options.still
        moment = Moment(replay.whole_from_s) if chosen is None and replay.whole_from_s else chosen
        if moment is not None:
            _go_to(replay, moment, source, progress)
        if options.dimension is not None:
            _expect_dimension(replay, options.dimension, chosen, source, progress)
    except BaseException:
        replay.close("it is not played")
        raise
    if options.still is None:
        replay.play(options.speed)
    return Connection(_recorded(replay, source), options, replay.session, replay)


def _go_to(replay: Replay, moment: Moment, source: WorldFile, progress: Progress) -> None:
    if moment.packet is None:
        if moment.time_s > replay.duration_s:
            raise _too_late(f"{source} has {replay.duration_s:.2f} s", moment, replay)
        if moment.time_s < replay.whole_from_s:
            raise UsageError(f"{source} is whole from {replay.whole_from_s:.2f} s on, so {moment} is not in it.")
        replay.seek(moment.time_s)
    else:
        replay.seek_packet(moment.packet)
    while (there := replay.on_the_way) is not None:
        progress(there.time_s / max(replay.duration_s, 1e-6), f"going to {moment} in {source}")
        replay.run(TELL_EVERY_S)
    if moment.packet is not None and replay.position.packets < moment.packet:
        raise _too_late(f"{source} has {replay.position.packets} packets", moment, replay)


def _expect_dimension(
    replay: Replay, dimension: int, chosen: Moment | None, source: WorldFile, progress: Progress
) -> None:
    """Goes on to where a dimension is shown first, unless one begins at a moment of one's own choice."""

    def shown(session: Session) -> bool:
        progress(replay.position.time_s / max(replay.duration_s, 1e-6), f"looking for {wanted} in {source}")
        return session.store.dimension.number == dimension

    wanted = by_number(dimension).name
    if chosen is None:
        replay.until(shown)
    actual = replay.session.store.dimension
    if actual.number != dimension:
        where = "never shows dimension" if chosen is None else f"shows dimension {actual.name} at {chosen}, not"
        raise SourceError(f"{source} {where} {wanted}.")


def _too_late(has: str, moment: Moment, replay: Replay) -> UsageError:
    """One sentence, with what of the file is lost, since that may be why."""
    lost = "".join(f"; {damage}" for damage in replay.damages)
    return UsageError(f"{has}, so there is no {moment} in it{lost}.")


def _recorded(replay: Replay, file: WorldFile) -> Source:
    """What was recorded, so that what is made of a recording is what was made of that; the file where it is unclear."""
    try:
        return parse_source(replay.source)
    except UsageError:
        return file
