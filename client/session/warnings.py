"""What a server does that is not right, in words for a person: one line a kind, however often it happens."""

from client.session.terrain import TerrainStats
from client.streaming.ledger import LedgerStats
from net.bedrock import SubChunkResult


def warnings_of(terrain: TerrainStats, ledger: LedgerStats, faulty_packets: int, last_fault: str) -> tuple[str, ...]:
    """One line for each kind of misbehaviour seen so far, with its count; empty for an honest server.

    Args:
        terrain: what was counted of terrain messages.
        ledger: what became of requests.
        faulty_packets: packets that did not decode, or made no sense.
        last_fault: the text of the last one.
    """
    last_entry = terrain.last_faults[-1] if terrain.last_faults else ""
    kinds = (
        (faulty_packets, f"packets made no sense; the last one: {last_fault}"),
        (terrain.faults, f"parts of the terrain made no sense; the last one: {last_entry}"),
        (terrain.foreign, "answers were for another dimension, and ignored"),
        (terrain.outside, "answers were for places outside the announced columns, and ignored"),
        (ledger.unasked, "answers came twice, or nobody had asked for them"),
        (sum(terrain.refused.values()), f"sub-chunks were refused: {_refusals(terrain.refused)}"),
        (ledger.timed_out, "requests were not answered in time, and asked again"),
    )
    return tuple(f"{count} {what}" for count, what in kinds if count)


def _refusals(by_code: dict[int, int]) -> str:
    """The most frequent reasons, three at most."""
    first = sorted(by_code, key=lambda code: (-by_code[code], code))[:3]
    more = len(by_code) - len(first)
    return ", ".join(map(_reason, first)) + (f" and {more} more reasons" if more else "")


def _reason(code: int) -> str:
    known = code in SubChunkResult.__members__.values()
    return SubChunkResult(code).name.lower().replace("_", " ") if known else f"unknown code {code}"
