"""Rewinds a live session: replays its last minutes from memory, while the live session goes on.

The live session gets all packets meanwhile; only the shown session pauses, seeks and plays. It is never before
``Replay.whole_from_s``: of earlier times only the packets that made the world are kept. The live world stays shown
until the replay has reached its target. Owner thread only.
"""

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from client.errors import UsageError
from client.options import PastOptions
from client.recording.checkpoints import Checkpoint, ReplayCheckpoint, SeekPlace, Traffic
from client.recording.recorder import header_of
from client.recording.replay import Replay
from client.session.session import Session
from client.source import one_line
from net.bedrock import Codec
from net.files import whole
from net.recording.file import Recording
from net.storage import HistoryBuffer, Start

NAMED: Final = Path("the last minutes")


class SessionHistory:
    """The last minutes of one session, and their replay."""

    def __init__(self, live: Session, source: str, codec: Codec, options: PastOptions) -> None:
        """The live session is shown; it has not begun."""
        self.live = live  # the session that gets the packets
        header = header_of(source, live, codec)
        self.buffer = HistoryBuffer(header, codec.encode, options.kept_s, options.most_bytes)  # the last minutes
        self.replay: Replay | None = None  # shows the past; None while the live session is shown
        self._arrived = False

    @property
    def trouble(self) -> str | None:
        """Why the history failed, in words; None while it works."""
        failure = self.buffer.failure
        if failure is None:
            return None
        return one_line(failure.strerror if isinstance(failure, OSError) and failure.strerror else str(failure))

    def look_back(self, seconds: float = 0.0) -> None:
        """Shows the world as it was so long ago, by ``replay``. Raises UsageError: the history failed or lags."""
        if self.replay is not None:
            self.replay.skip(-seconds)
            return
        recording, starts = self._recording_with_starts()
        then_s = max(recording.duration_us / 1e6 - seconds, recording.header.whole_from_us / 1e6)
        space_bytes = self.buffer.most_bytes // 2
        replay = Replay(
            recording, NAMED, checkpoints=_checkpoints(recording, starts), space_bytes=space_bytes, towards_s=then_s
        )
        replay.join()
        replay.play(1.0)  # for playing on after the seek, which stays at its target
        replay.seek(max(then_s, replay.joined_s))
        replay.watch(self.live.movement.view)
        self.replay, self._arrived = replay, False

    def to_present(self) -> None:
        if self.replay is not None:
            self.replay.close("the live session is shown")
            self.replay = None

    def shown(self) -> Session:
        """The session to show: the live one until the replay has reached its target."""
        if self.replay is None:
            return self.live
        self._arrived = self._arrived or self.replay.on_the_way is None
        return self.replay.session if self._arrived else self.live

    def recording(self) -> Recording:
        """The last minutes as of now. Raises UsageError: as ``look_back``."""
        return self._recording_with_starts()[0]

    def _recording_with_starts(self) -> tuple[Recording, tuple[Start, ...]]:
        try:
            tape, starts = self.buffer.tape_with_starts()
            return Recording(tape), starts
        except TimeoutError:
            raise UsageError("The history is still being written; try again in a moment.") from None
        except Exception as error:  # any failure of the buffer
            raise UsageError(f"Rewinding is not possible: {self.trouble or error}.") from None

    def save(self, path: Path) -> int:
        """Writes the last minutes to a recording, completely or not at all; returns its size in bytes.

        Raises UsageError: the history failed; OSError: the file cannot be written.
        """
        if self.trouble is not None:
            raise UsageError(f"Rewinding is not possible: {self.trouble}.")
        with whole(path) as temporary:
            return temporary.write_bytes(self.buffer.tape().read())


def _checkpoints(recording: Recording, starts: Sequence[Start]) -> tuple[ReplayCheckpoint, ...]:
    offsets = [block.offset for block in recording.blocks]
    return tuple(
        ReplayCheckpoint(
            SeekPlace(bisect_left(offsets, start.offset), 0, start.time_us, start.packets, start.ticks),
            start.checkpoint,
            Traffic(),
        )
        for start in starts
        if isinstance(start.checkpoint, Checkpoint)
    )
