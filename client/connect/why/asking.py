"""Joins a source, or plays a recording, waits until one place is settled, and says what became of it.

Rules:
1. The player stays where the server put it and nothing is asked that a visitor would not ask, unless ``ask`` is given:
   then an anchor is pinned on the place's column and those around it, and the player goes there.
2. The wait ends when the place is data, air, refused or undecodable; or when nothing is wanted or outstanding any more,
   so that nothing will change; or at the time-out. What is around it may take ``AROUND_S`` more, for its light.
3. Of a recording the end is looked at, or the place in it that was named; nothing of it can be asked.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from client.connect.connection import Connection
from client.connect.errors import DONE, INCOMPLETE, UsageError
from client.connect.opening import open_connection
from client.connect.options import Options
from client.connect.source import Source
from client.connect.why.facts import Facts, Outlook
from client.connect.why.gathering import facts_of
from client.connect.why.verdict import verdict
from client.connect.why.words import lines
from client.connect.wording import warning_lines
from client.player import Eye, View
from client.session.session import Session
from client.streaming.anchor import Anchor
from client.world.lifecycle import Knowledge
from net.frozen import frozen
from net.space.positions import BlockPos

ANCHOR: Final = "why"
AROUND_S: Final = 5.0
MARGIN_COLUMNS: Final = 1
SETTLED_STATES: Final = frozenset(
    {Knowledge.KNOWN_AIR, Knowledge.DATA, Knowledge.ALL_AIR, Knowledge.REFUSED, Knowledge.UNDECODABLE}
)
UNDER_WAY: Final = frozenset({Knowledge.WANTED, Knowledge.REQUESTED, Knowledge.RESET})

Progress = Callable[[float, str], None]
Foreseer = Callable[[Session, BlockPos], Outlook]


@frozen
class WhyReport:
    """What became of a place.

    Attributes:
        sentence: its state now, and why.
        facts: all that is known of it.
        complete: whether that is final as far as one can tell.
        waiting_for: what was waited for when the time ran out; empty where it did not.
        warnings: what the server does that is not right, one line a kind.
    """

    sentence: str
    facts: Facts
    complete: bool
    waiting_for: str
    warnings: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0, or 4 where it may still change."""
        return DONE if self.complete else INCOMPLETE

    def tell(self, as_json: bool = False) -> int:
        """Says it on stdout and returns the exit code."""
        sys.stdout.write((self.json() if as_json else self.text()) + "\n")
        return self.exit_code

    def json(self) -> str:
        """The facts, with ``sentence``, ``complete``, ``waiting_for`` and ``warnings`` beside them."""
        return json.dumps(_plain(asdict(self)), indent=2)

    def text(self) -> str:
        """Some lines for a person, the sentence first."""
        waited = [] if self.complete else [f"not settled in time: {self.waiting_for}"]
        return "\n".join([self.sentence, *waited, "", *lines(self.facts), *warning_lines(self.warnings)])


def why(
    source: Source,
    block: BlockPos,
    options: Options,
    *,
    ask: bool = False,
    foresee: Foreseer | None = None,
    progress: Progress | None = None,
) -> WhyReport:
    """Joins a source and says why a block's sub-chunk looks as it does.

    Args:
        source: where the world comes from.
        block: which.
        options: how to connect; ``timeout_s`` counts for joining and for the wait, each; ``start`` says which place
            of a recording is meant.
        ask: whether it is asked for, seen or not.
        foresee: says what a picture would make of it.
        progress: told (share done 0..1, what is waited for) now and then.

    Raises:
        UsageError: the block lies outside the dimension, or a recording shall be asked.
        SourceError: the source cannot be joined, or ended the session.
        UnreadableFile: it is a recording that cannot be read.
    """
    with open_connection(source, options, progress) as connection:
        return report_on(connection, block, options.timeout_s, ask=ask, foresee=foresee, progress=progress)


def report_on(
    connection: Connection,
    block: BlockPos,
    timeout_s: float,
    *,
    ask: bool = False,
    foresee: Foreseer | None = None,
    progress: Progress | None = None,
) -> WhyReport:
    """As ``why``, over a connection that is there.

    Raises:
        UsageError: as ``why``.
    """
    expect_inside(connection, block)
    if ask:
        pin(connection, block)
    waiting_for = _wait(connection, block, timeout_s, Anchor.square(block.column, 0) if ask else None, progress)
    expect_inside(connection, block)  # the player may have changed dimension meanwhile
    session = connection.session
    facts = facts_of(session, block, connection.now, foresee(session, block) if foresee else None)
    rests = connection.replay is not None or not waiting_for  # nothing that is not under way will come
    complete = facts.knowledge in SETTLED_STATES or (rests and facts.knowledge not in UNDER_WAY)
    missing = "" if complete else waiting_for or "its answer"
    return WhyReport(verdict(facts), facts, complete, missing, session.stats(connection.now).warnings)


def expect_inside(connection: Connection, block: BlockPos) -> None:
    """Refuses a block above or below the world.

    Raises:
        UsageError: naming the range.
    """
    dimension = connection.session.store.dimension
    if not dimension.holds_section(block.subchunk.y):
        reach = f"{dimension.floor_y_blocks} to {dimension.roof_y_blocks - 1}"
        raise UsageError(f"Block {block.x},{block.y},{block.z} lies outside the {dimension.name}: y is {reach} there.")


def pin(connection: Connection, block: BlockPos) -> None:
    """Wants the block's column and those around it, seen or not, and sends the player there.

    Raises:
        UsageError: it is a recording.
    """
    if connection.replay:
        raise UsageError("Nothing of a recording can be asked for: leave out --ask.")
    view = connection.session.view
    connection.session.pin(ANCHOR, Anchor.square(block.column, MARGIN_COLUMNS))
    connection.look(View(Eye(block.x + 0.5, block.y + 0.5, block.z + 0.5), view.yaw_deg, view.pitch_deg))


def _wait(
    connection: Connection, block: BlockPos, timeout_s: float, within: Anchor | None, progress: Progress | None
) -> str:
    """Pumps until the place is settled; what is waited for where the time runs out first, else nothing."""
    replay = connection.replay
    if replay:
        if connection.options.start is not None:
            replay.pause()
        return connection.wait_settled(timeout_s, progress).waiting_for

    def missing(now: float) -> str | None:
        return None if _state(connection, block) in SETTLED_STATES else connection.unsettled(now, within)

    ended = connection.wait_for(missing, timeout_s, progress)
    if ended:
        left_s = min(AROUND_S, timeout_s - ended.seconds)
        connection.wait_for(lambda now: connection.unsettled(now, within), left_s, progress)
    connection.light_up()
    return ended.waiting_for


def _state(connection: Connection, block: BlockPos) -> Knowledge:
    store = connection.session.store
    if block.column not in store.row_of:
        return Knowledge.UNKNOWN
    return Knowledge(int(store.state[store.place_of(block.subchunk)]))


def _plain(value: Any) -> Any:  # Any: whatever JSON holds, NBT among it
    """Keys as text, byte arrays as numbers; tuples become lists by themselves."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return list(value) if isinstance(value, bytes) else value
