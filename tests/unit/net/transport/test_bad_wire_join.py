"""The worst wire that has to be borne delivers a radius-8 join of the bench world complete and in order."""

from net.space.positions import ColumnPos
from net.transport.faulty import Wire, WireFaults
from tests.support.session.plain_client import COLUMNS, BenchJoin, bench_host

BAD = WireFaults(loss=0.30, repetition=0.10, delay_s=0.050, jitter_s=0.250, reordering=0.20)


def test_a_join_over_a_bad_wire_is_complete_and_in_order() -> None:
    clean = BenchJoin(bench_host())
    assert clean.run()
    join = BenchJoin(bench_host(), Wire(BAD, seed=11), Wire(BAD, seed=12))
    assert join.run(limit_s=900.0), (join.closed, len(join.columns), len(join.entries))
    assert join.closed is None
    assert len(join.columns) == COLUMNS
    assert join.columns == clean.columns
    assert join.entries == clean.entries
    assert join.numbers == list(range(len(join.numbers)))
    announced: set[ColumnPos] = set()
    for place in join.order:
        if isinstance(place, ColumnPos):
            announced.add(place)
        else:
            assert place.column in announced
    stats = join.peer.stats()
    assert stats.decode_errors == 0
    assert stats.datagrams_repeated > 100
