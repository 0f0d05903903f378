"""Lists the entities, and the server's faults in packets about them.

Rules:
1. A finding is counted in full; only some of its cases are listed.
2. "Outside the radius" is an entity whose column is farther from the player's than the granted radius. Players are
   excepted: the list shows them wherever they are.
3. "Never removed" is an entity whose column was dropped ``REMOVAL_DUE_S`` ago, and which the server has not removed.
4. Times are seconds since the session was made, as in ``why``.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
import numpy as np

from client.entities.table import FAULTS, PLAYER, EntityRow, KnownPlayer
from client.session.session import Session
from client.source import bare_name
from net.space import SubChunkPos

REMOVAL_DUE_S: Final = 5.0  # time after a dropped column by which the server should have removed its entities
USUAL_MOST: Final = 256  # entities that are listed by default
SHOWN_TYPES: Final = 20  # types that the text and the panel name


class EntityFinding(msgspec.Struct, frozen=True):
    """One kind of mistake of the server."""

    kind: str  # "never removed", "outside the radius", or a word of ``client.entities.table.FAULTS``
    count: int
    text: str  # in a sentence
    last: tuple[str, ...]  # some cases, in words


class EntityReport(msgspec.Struct, frozen=True):
    """Entities at one moment, and mistakes of the server."""

    count: int  # of entities now
    types: Mapping[str, int]  # by type, most first
    entities: tuple[EntityRow, ...]  # the first ones
    more: int  # number of those that are not listed
    findings: tuple[EntityFinding, ...]  # empty if there are none
    players: tuple[KnownPlayer, ...]  # the player list
    far_players: Mapping[int, tuple[float, float, float]]  # by unique id
    added: int  # so far
    removed: int  # so far, by the server
    went: int  # so far, with their column or dimension
    moves: int  # so far
    size_bytes: int  # memory

    def text(self) -> str:
        totals = (
            f"{self.added:,} added, {self.removed:,} removed, {self.went:,} with their column, {self.moves:,} moves"
        )
        lines = [f"entities: {self.count:,} ({self.type_counts()})", f"so far: {totals}"]
        for finding in self.findings:
            lines += [f"{finding.kind}: {finding.text}", *(f"  {one}" for one in finding.last)]
        return "\n".join(lines)

    def type_counts(self) -> str:
        some = list(self.types.items())[:SHOWN_TYPES]
        more = len(self.types) - len(some)
        words = [f"{count:,} {bare_name(name)}" for name, count in some]
        return ", ".join(words + ([f"{more:,} further types"] if more else [])) or "none"


def entity_report(session: Session, now: float, most: int = USUAL_MOST) -> EntityReport:
    """The present entities and findings; it only reads, but applies queued moves."""
    entities = session.entities
    listed = min(len(entities), most)
    return EntityReport(
        count=len(entities),
        types=entities.kinds(),
        entities=entities.rows(now, session.started_at, range(listed)),
        more=len(entities) - listed,
        findings=(*_never_removed(session, now), *_outside(session, now), *_faults(session)),
        players=tuple(entities.players.values()),
        far_players=dict(entities.far),
        added=entities.added,
        removed=entities.removed,
        went=entities.went,
        moves=entities.moves,
        size_bytes=entities.size_bytes,
    )


def standing_in(session: Session, place: SubChunkPos, now: float, most: int = 16) -> tuple[EntityRow, ...]:
    """The entities whose feet are in one sub-chunk, the first ones."""
    inside = np.flatnonzero((session.entities.places() == place).all(axis=1))
    return session.entities.rows(now, session.started_at, inside[:most].tolist())


LISTED: Final = 8  # listed cases of each finding


def _never_removed(session: Session, now: float) -> Iterator[EntityFinding]:
    gone = [one for one in session.entities.gone() if now - one.gone_s >= REMOVAL_DUE_S]
    last = tuple(
        f"{one.type}, unique id {one.unique_id}, {now - one.gone_s:.1f} s after its column" for one in gone[-LISTED:]
    )
    what = f"{_entities(len(gone))} left with a column, and the server has not removed them"
    if gone:
        yield EntityFinding("never removed", len(gone), what, last)


def _outside(session: Session, now: float) -> Iterator[EntityFinding]:
    entities, centre, most = session.entities, session.movement.eye.column, session.dispatcher.granted
    away = np.abs(entities.places()[:, ::2] - np.array(centre)).max(axis=1)
    outside = np.flatnonzero((away > most) & ~entities.are(PLAYER))
    some = outside[-LISTED:].tolist()
    last = tuple(
        f"{row.type}, unique id {row.unique_id}, {away[at]} columns away"
        for at, row in zip(some, entities.rows(now, session.started_at, some), strict=True)
    )
    what = f"{_entities(len(outside))} stand beyond the {most} columns that the server let the player see"
    if len(outside):
        yield EntityFinding("outside the radius", len(outside), what, last)


def _faults(session: Session) -> Iterator[EntityFinding]:
    for kind, words in FAULTS.items():
        count = session.entities.faults[kind]
        if count:
            some = [fault for fault in session.entities.last_faults() if fault.what == kind][-LISTED:]
            last = tuple(
                f"packet {fault.packet} at {fault.time_s - session.started_at:.3f} s: {fault.type or 'an entity'}"
                f"{'' if fault.unique_id is None else f', unique id {fault.unique_id}'}"
                f"{'' if fault.runtime_id is None else f', runtime id {fault.runtime_id}'}"
                for fault in some
            )
            what = f"{count:,} {'time' if count == 1 else 'times'} an entity {words}"
            yield EntityFinding(kind.replace("_", " "), count, what, last)


def _entities(count: int) -> str:
    return f"{count:,} {'entity' if count == 1 else 'entities'}"
