"""What a server does that is not right, in words for a person: one line a kind, however often it happens.

A server that is merely slow does nothing that is not right: what it answered late counts for nothing here
(``streaming.ledger`` rule 10).
"""

from client.session.terrain import TerrainStats
from client.streaming.reports import LedgerStats
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
    kinds = (  # count; of one; of several; what both go on with
        (faulty_packets, "packet", "packets", f" made no sense; the last one: {last_fault}"),
        (terrain.faults, "part", "parts", f" of the terrain made no sense; the last one: {last_entry}"),
        (terrain.foreign_columns, "column was", "columns were", " of another dimension, and ignored"),
        (terrain.foreign, "answer was", "answers were", " for another dimension, and ignored"),
        (
            terrain.outside,
            "answer was for a place",
            "answers were for places",
            " outside the announced columns, and ignored",
        ),
        (
            ledger.unasked,
            "answer came twice, or nobody had asked for it",
            "answers came twice, or nobody had asked for them",
            "",
        ),
        (sum(terrain.refused.values()), "sub-chunk was", "sub-chunks were", f" refused: {_refusals(terrain.refused)}"),
        (ledger.timed_out - ledger.late, "request was", "requests were", " not answered in time, and asked again"),
    )
    return tuple(f"{count} {one if count == 1 else several}{end}" for count, one, several, end in kinds if count)


def _refusals(by_code: dict[int, int]) -> str:
    """The most frequent reasons, three at most."""
    first = sorted(by_code, key=lambda code: (-by_code[code], code))[:3]
    more = len(by_code) - len(first)
    return ", ".join(map(_reason, first)) + (f" and {more} more reason{'s' if more > 1 else ''}" if more else "")


def _reason(code: int) -> str:
    known = code in SubChunkResult.__members__.values()
    return SubChunkResult(code).name.lower().replace("_", " ") if known else f"unknown code {code}"
