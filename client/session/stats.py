"""What a session has counted so far: one frozen snapshot, read alike by panels, tests, benchmarks and JSON."""

from collections.abc import Mapping

import numpy as np

from client.player import Eye
from client.session.requests import RequestStats
from client.session.terrain import TerrainStats
from client.streaming.reports import LedgerStats
from client.world.lifecycle import STATES, Knowledge
from client.world.store import Store
from net.frozen import frozen


@frozen
class SessionStats:
    """A snapshot of one session.

    Attributes:
        phase: where it stands.
        dimension: number of the dimension.
        world_name: as the server calls it.
        player: the player's eye, in blocks.
        held_at: where the server holds the player, or None.
        time: the world's time of day in ticks, 0..23999.
        radius: granted visibility radius in columns.
        columns: columns announced and kept.
        states: sub-chunks of those columns by state's name.
        messages: received messages by name.
        faulty_packets: packets that did not decode.
        last_fault: the text of the last one.
        messages_out: messages sent by name.
        terrain: counts of terrain messages.
        requests: counts of requests.
        ledger: what became of them.
        connectivity: block slots whose connectivity was derived.
        pins: anchors besides the player's own.
        warnings: what the server does that is not right, one line a kind.
    """

    phase: str
    dimension: int
    world_name: str
    player: Eye
    held_at: Eye | None
    time: int
    radius: int
    columns: int
    states: Mapping[str, int]
    messages: Mapping[str, int]
    faulty_packets: int
    last_fault: str
    messages_out: Mapping[str, int]
    terrain: TerrainStats
    requests: RequestStats
    ledger: LedgerStats
    connectivity: int
    pins: int
    warnings: tuple[str, ...]


def states_of(store: Store) -> dict[str, int]:
    """How many sub-chunks of announced columns are in each state, by its name; states of none are left out."""
    counts = np.bincount(store.state[store.places_of_rows(store.announced_rows)], minlength=STATES)
    return {knowledge.name.lower(): int(counts[knowledge]) for knowledge in Knowledge if counts[knowledge]}
