"""A recording is measured as it was, and what earlier visits kept is no part of a measurement."""

from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from client.connection.connection import Connection
from client.errors import SourceError, UsageError
from client.options import Options
from client.player import View
from client.session.config import SessionConfig
from client.source import Remote, Source, WorldFile
from render.bench import streaming
from render.bench.streaming import ALL_ROUND, prove, right_since
from tests.support.virtual_session import SWIFT, VirtualSession


def recorded(path: Path) -> Connection:
    """A visit to the hills, closed when nothing was missing; what it knew can still be asked."""
    virtual = VirtualSession("hills:1", config=SessionConfig(radius=2, player=SWIFT))
    connection = virtual.connection(Options(radius=2, light=False, record=path))
    while connection.unsettled() is not None:
        connection.pump()
    connection.close()
    return connection


def test_a_recording_is_one_leg_dated_by_its_own_time(tmp_path: Path) -> None:
    path = tmp_path / "visit.cscope"
    session = recorded(path).session
    told: list[float] = []
    found = prove(WorldFile(path), Options(radius=2), progress=lambda share, _: told.append(share))
    assert found.baseline is None
    (leg,) = found.by_sight.legs
    counted = session.stats(0.0).requests
    assert (leg.asked, leg.packets) == (counted.entries, counted.packets)
    assert leg.asked == leg.received == leg.answered > 100
    assert leg.settled
    assert leg.holes == leg.in_vain == 0
    assert 0 < leg.bytes_out < leg.bytes_in
    assert session.first_asked_at is not None
    view = View(session.player, session.view.yaw_deg, session.view.pitch_deg)
    since = right_since(session.store, view, ALL_ROUND) - session.first_asked_at
    assert leg.terrain_px == len(since) > 10_000
    assert leg.right_s[50] == pytest.approx(float(np.quantile(since, 0.5)), abs=0.02)
    assert leg.right_s[100] == pytest.approx(float(since[-1]), abs=0.001)
    assert 0 < leg.right_s[100] <= leg.settled_s
    assert f"At its end {leg.answered} of {leg.places} sub-chunks had been asked for" in found.sentence()
    assert told
    assert max(told) <= 1.0


def test_a_recording_cannot_be_delayed(tmp_path: Path) -> None:
    path = tmp_path / "visit.cscope"
    recorded(path)
    with pytest.raises(UsageError, match="--delay adds none"):
        prove(WorldFile(path), Options(radius=2, delay_s=0.1))


@pytest.mark.parametrize(("said", "used"), [(None, False), (False, False), (True, True)])
def test_what_earlier_visits_kept_is_used_only_where_that_is_said(
    said: bool | None, used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the baseline would find what the first measurement fetched, and a second run all of it."""
    opened = []

    def refused(_source: Source, options: Options, *_: Any) -> NoReturn:
        opened.append(options.cache)
        raise SourceError("enough")

    monkeypatch.setattr(streaming, "open_connection", refused)
    with pytest.raises(SourceError):
        prove(Remote("127.0.0.1", 1), Options(cache=said))
    assert opened == [used]
