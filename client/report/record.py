"""``record``: writes a session to a file from its first packet, until it is settled, for some time, or interrupted.

The file is written while the session runs: however this process ends, flushed data is readable. With a box, an anchor
is pinned on it as ``dump`` does, so that a dump of the recording equals a dump of the source.
"""

import time
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import Progress, open_connection
from client.errors import DONE, INCOMPLETE, UsageError
from client.options import Box, Options
from client.report.dump import options_for
from client.report.health import wait_known
from client.source import Source, warning_lines

SETTLED: Final = "settled"
INTERRUPTED: Final = "interrupted"


class RecordReport(msgspec.Struct, frozen=True):
    """The result of a recording."""

    path: Path  # the file
    seconds: float  # length of the recording, from its session's start; ``--moment`` counts as it does
    joined_s: float  # when in it the server let the player in; before, nothing is to be seen
    packets: int  # of the server
    size_bytes: int  # of the file
    ended: str  # why it ended: settled, seconds or interrupted; or what was missing when the time ran out
    complete: bool  # whether it ended as requested
    warnings: tuple[str, ...] = ()  # the server's protocol violations, one line a kind

    @property
    def exit_code(self) -> int:
        """0, or 4 if the time ran out first."""
        return DONE if self.complete else INCOMPLETE

    def text(self) -> str:
        size = f"{self.size_bytes / 1e6:.1f} MB"
        lasts = f"{self.seconds:.1f} s, joined after {self.joined_s:.1f} s"
        said = f"{self.path}: {lasts}, {self.packets} packets of the server, {size} (ended: {self.ended})"
        late = [] if self.complete else ["incomplete: the session did not settle"]
        return "\n".join([said, *late, *warning_lines(self.warnings)])


def record(
    source: Source,
    path: Path,
    options: Options,
    until: str = INTERRUPTED,
    seconds: float | None = None,
    box: Box | None = None,
    progress: Progress | None = None,
) -> RecordReport:
    """Joins a source and records the session; an interrupt is the usual end, not a failure.

    ``path``: created when the source has answered. ``options``: ``timeout_s`` limits joining, and settling if ``until``
    or ``box`` requires it. ``until``: "settled" or "interrupted". ``seconds``: ends it after this long.
    ``box``: requested, seen or not. Raises UsageError: there is no folder for the file, or ``until`` is neither;
    SourceError: the source cannot be joined, or ended the session (what was recorded stays); OSError: the file cannot
    be written.
    """
    if until not in (SETTLED, INTERRUPTED):
        raise UsageError(f"'{until}' cannot end a recording: write {SETTLED} or {INTERRUPTED}.")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"The folder {path.absolute().parent} does not exist, so {path.name} cannot be written.")
    options = replace(options_for(options, box) if box else options, light=False, record=path)
    with open_connection(source, options, progress) as connection:
        joined_s = time.monotonic() - connection.session.started_at
        try:
            ended, complete = _run(connection, until, seconds, box, progress)
        except KeyboardInterrupt:
            ended, complete = INTERRUPTED, True
        return finish(connection, path, joined_s, ended, complete)


def finish(connection: Connection, path: Path, joined_s: float, ended: str, complete: bool) -> RecordReport:
    """Closes a recording connection, and returns the report. Raises OSError: the file could not be written.

    ``joined_s``: when the server spawned the player, seconds from the session's start. ``complete``: whether it ends as
    requested.
    """
    seconds = connection.now - connection.session.started_at
    connection.close()
    recorder = connection.recorder
    assert recorder is not None, "a connection that was told to record does"
    if recorder.failure is not None:
        raise recorder.failure
    counted = connection.statistics()
    packets, size_bytes, warnings = counted.peer.packets_in, recorder.written_bytes, counted.session.warnings
    return RecordReport(path, round(seconds, 3), round(joined_s, 3), packets, size_bytes, ended, complete, warnings)


def _run(
    connection: Connection, until: str, seconds: float | None, box: Box | None, progress: Progress | None
) -> tuple[str, bool]:
    """Why it ended, and whether as requested."""
    options = connection.options
    if until == SETTLED or box:
        timeout_s = options.timeout_s if seconds is None else min(seconds, options.timeout_s)
        settled = connection.request(box, timeout_s, progress) if box else wait_known(connection, timeout_s, progress)
        if until == SETTLED:
            in_time = bool(settled) or (seconds is not None and settled.seconds >= seconds)
            return (SETTLED if settled else settled.waiting_for), in_time
    _pass_time(connection, seconds, progress)
    return "seconds", True


def _pass_time(connection: Connection, seconds: float | None, progress: Progress | None) -> None:
    """Pumps for so long, or until it is interrupted or the file cannot be written."""
    start, recorder = time.monotonic(), connection.recorder
    assert recorder is not None, "a connection that was told to record does"
    while recorder.failure is None and (seconds is None or time.monotonic() - start < seconds):
        busy = connection.pump()
        if progress:
            lasted_s = time.monotonic() - start
            told = f"{lasted_s:.1f} s, {recorder.written_bytes / 1e6:.1f} MB"
            progress(0.0 if seconds is None else lasted_s / seconds, told)
        if not busy:
            connection.rest()
