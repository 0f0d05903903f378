"""``join``: joins a source and prints the steps of the join, the missing or wrong one first.

Rules:
1. It ends when the world is settled, but not before the watch (``WATCH_S``), when no column and no answer has come for
   ``QUIET_S``, or at the time-out. A player that is to look from elsewhere first gets there.
2. A server that never spawns the player is a finding, not a failure: the steps until then are printed.
"""

from typing import Final

import msgspec

from client.connection.connection import Connection
from client.connection.opening import Progress, open_connection
from client.connection.settle import expect_time, held_elsewhere
from client.embedded_server import is_served
from client.errors import CHECK_FAILED, DONE, NotLetIn
from client.options import Options
from client.session.join_steps import LOGIN, SPAWN, JoinStep, filled_radius
from client.session.session import Session
from client.source import Source, one_line, warning_lines

QUIET_S: Final = 8.0  # the wait ends after this time without a column or an answer

COMPLETED: Final = "all steps of the join were completed (chunkscope health checks the terrain)"

WATCH_S: Final = 2.0
"""The session is watched for this time after the spawn, since a change of dimension often follows a join. A server that
was started for the join sends none: its sessions are not watched."""


class JoinReport(msgspec.Struct, frozen=True):
    """The result of a join."""

    source: str  # the opened source
    fault: str  # the step that is missing or wrong; empty if all are right
    steps: tuple[JoinStep, ...]  # those that came, in their order, then the missing ones
    dimension: str  # its name
    requested_columns: int  # the radius that the client requested
    granted_columns: int  # the radius that the server granted
    published_blocks: int | None  # the radius of the publisher's circle; None if none came
    filled_columns: int  # radius up to which all columns came, -1: not even the player's own
    columns: int  # announced
    warnings: tuple[str, ...]  # the server's protocol violations; also that NetherNet failed, or that its key changed

    @property
    def exit_code(self) -> int:
        """1 if a step is missing or wrong, else 0."""
        return CHECK_FAILED if self.fault else DONE

    def text(self) -> str:
        """The report as text; the first line names the missing or wrong step."""
        circle = (
            "none"
            if self.published_blocks is None
            else f"{self.published_blocks} blocks ({self.published_blocks / 16:g} columns)"
        )
        radii = f"radius in columns: requested {self.requested_columns}, granted {self.granted_columns}, "
        received = "none" if self.filled_columns < 0 else self.filled_columns
        radii += f"received {received}; published circle: {circle}"
        return "\n".join(
            [
                f"{self.source}: {one_line(self.fault) or COMPLETED}",
                f"{radii}; {self.columns} columns of the {self.dimension}",
                "",
                *map(_line, self.steps),
                *warning_lines(self.warnings),
            ]
        )


def _line(step: JoinStep) -> str:
    when = "  missing  " if step.at_s is None else f"{step.at_s:9.3f} s"
    often = f", {step.count} times" if step.count > 1 else ""
    return f"{when}  {step.name:<9}  {step.packet}{f': {step.text}' if step.text else ''}{often}"


def join(source: Source, options: Options, *, progress: Progress | None = None) -> JoinReport:
    """Joins a source and reports the steps.

    ``options``: ``timeout_s`` counts for joining and for the wait, each. Raises SourceError: the source cannot be
    reached, or refuses; UnreadableFile: it is a recording that cannot be read.
    """
    try:
        with open_connection(source, options, progress) as connection:
            watch_s = 0.0 if is_served(source) else WATCH_S
            return report_on(connection, options.timeout_s, watch_s, progress=progress)
    except NotLetIn as error:
        if not isinstance(error.session, Session) or not error.session.dispatcher.steps.has(LOGIN):
            raise
        session = error.session
        return _report(str(source), session, session.now, session.stats(session.now).warnings)


def report_on(
    connection: Connection, timeout_s: float, watch_s: float = WATCH_S, *, progress: Progress | None = None
) -> JoinReport:
    """Like ``join``, over an existing connection. ``watch_s``: how long it is watched after the spawn."""
    flew_at = 0.0  # when the player last flew by itself: the server may move it without end

    def missing(now: float) -> str | None:
        nonlocal flew_at
        steps = connection.session.dispatcher.steps
        if connection.session.movement.player.on_its_way:
            flew_at = now
            return connection.unsettled(now)
        if now - max(steps.progress_at, flew_at) >= QUIET_S:
            return None
        watched = now - (steps.made_at(SPAWN) or now) >= watch_s
        return connection.unsettled(now) or (None if watched else "checking whether the player stays in place")

    if connection.replay:
        connection.wait_settled(timeout_s, progress)
    else:
        expect_time(connection.session, timeout_s)
        connection.wait_for(missing, timeout_s, progress)
    warnings = connection.statistics().session.warnings
    return _report(str(connection.source), connection.session, connection.now, warnings)


def _report(source: str, session: Session, now: float, warnings: tuple[str, ...]) -> JoinReport:
    store, circle = session.dimension.store, session.dimension.terrain.staleness.publisher
    return JoinReport(
        source,
        held_elsewhere(session) or session.join_fault(now, complete=True),
        session.dispatcher.steps.steps(session.started_at),
        store.dimension.name,
        session.config.activity_radius,
        session.dispatcher.granted,
        None if circle is None else circle.radius_blocks,
        filled_radius(session),
        len(store.announced_rows),
        warnings,
    )
