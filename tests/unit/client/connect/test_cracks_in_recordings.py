"""A recording's blocks crack on between its packets: what is broken of them follows from its time."""

from pathlib import Path

from client.connection.opening import open_connection
from client.options import Options
from client.source import parse_source

RECORDING = Path(__file__).parents[3] / "golden" / "scenes" / "broken_blocks.cscope"


def test_what_somebody_digs_at_is_broken_more_and_more_while_no_packet_comes() -> None:
    tenths, ages = [], []
    for moment_s in (1.5, 2.5, 3.9, 4.6):
        with open_connection(parse_source(str(RECORDING)), Options(light=False)) as connection:
            assert connection.replay is not None
            connection.replay.seek(moment_s)
            while connection.replay.on_the_way is not None:
                connection.pump()
            session = connection.session
            tenths.append(sorted(set(session.cracks[:, 3].tolist())))
            ages += [round(session.now - e.time_s, 2) for e in session.events.events() if e.what == "destroy_block"]
    assert [len(found) for found in tenths] == [1, 1, 1, 1]
    assert [found[0] for found in tenths] == sorted({found[0] for found in tenths})
    assert len(ages) == 6
    assert ages[3] - ages[0] > 0.5
