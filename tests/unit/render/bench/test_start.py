"""What ``chunkscope bench start`` makes of spans, and that all that it notes is there."""

import json
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from render.bench.start import OTHER, Piece, Span, critical_path, measure_start, pieces_of, plot, read_spans
from render.bench.start_probe import CHANGES, STAGES, WAIT, Spans, _final, wrap

SERVER_WAIT = WAIT + "server"


@pytest.mark.parametrize("name", STAGES)
def test_what_is_noted_is_there(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, spans = import_module(name), Spans(tmp_path / "spans")
    for path, stage in STAGES[name].items():
        holder = module
        *outside, last = path.split(".")
        for each in outside:
            holder = getattr(holder, each)
        monkeypatch.setattr(holder, last, vars(holder)[last])  # put back afterwards
        wrap(spans, module, path, stage)


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_changed_in_a_module_is_there(name: str, tmp_path: Path) -> None:
    copy = SimpleNamespace(**vars(import_module(name)))
    for each, value in vars(copy).items():
        if isinstance(value, type) and value.__module__ == name and not hasattr(value, "__struct_fields__"):
            setattr(copy, each, type(each, (value,), {}))  # so that the class of the module stays as it is
    CHANGES[name](copy, Spans(tmp_path / "spans"))


def test_the_innermost_span_counts_and_gaps_are_waits() -> None:
    spans = [Span("all", "main", 1, 10, 0), Span("join", "main", 2, 6, 0), Span("columns", "main", 3, 4, 0)]
    spans.append(Span("file", "main", 12, 13, 0))
    assert pieces_of(spans) == [
        Piece(OTHER, 1, 2), Piece("join", 2, 3), Piece("columns", 3, 4), Piece("join", 4, 6), Piece(OTHER, 6, 10),
        Piece(WAIT + "work", 10, 12), Piece("file", 12, 13),
    ]  # fmt: skip


def test_the_critical_path_goes_through_whom_the_main_thread_waits_for() -> None:
    pieces = {
        "main": [Piece("imports", 0, 2), Piece(SERVER_WAIT, 2, 8), Piece("draw", 8, 20)],
        "server": [Piece("imports", 1, 4), Piece(WAIT + "clients", 4, 5), Piece("columns", 5, 9)],
        "worker-0": [Piece("light", 2, 8)],
    }
    assert critical_path(pieces, 10) == {
        "main: imports": 2, "server: imports": 2, "server: columns": 3, "idle, waiting for server": 1, "main: draw": 2,
    }  # fmt: skip


def test_spans_are_noted_written_and_read(tmp_path: Path) -> None:
    def steps() -> object:
        yield 1
        return 2

    spans = Spans(tmp_path / "spans")
    given = spans.wrapped("columns", steps)()
    assert next(given) == 1
    with pytest.raises(StopIteration) as end:
        next(given)
    assert end.value.value == 2
    with pytest.raises(ZeroDivisionError):
        spans.wrapped("light", lambda: 1 / 0)()
    spans.write()
    assert [(span.stage, span.thread) for span in read_spans(tmp_path / "spans", 0.0, "server")] == [
        ("columns", "server"), ("columns", "server"), ("columns", "server"), ("light", "server"),
        ("all", "server"),
    ]  # fmt: skip


def test_a_pixel_is_final_from_when_on_it_stays() -> None:
    pictures = [np.full((1, 4, 3), 100, np.int16) for _ in range(4)]
    pictures[0][0, 1] = pictures[2][0, 1] = 0  # right for a moment
    pictures[0][0, 2] = pictures[1][0, 2] = 50
    assert _final(list(enumerate(pictures))) == [(0, 0.5), (1, 0.5), (2, 0.75), (3, 1.0)]


@pytest.mark.nightly
def test_a_start_is_measured_and_drawn(tmp_path: Path) -> None:
    report = measure_start("shot", "embedded:flat", 2, "64x48")
    stages = {(row.thread, row.stage) for row in report.rows}
    assert stages >= {("main", stage) for stage in ("imports", "columns", "requests", "answers", "draw", "file")}
    assert ("server", "columns") in stages
    assert sum(seconds for _, seconds in report.path) == pytest.approx(report.picture_s, rel=0.05)
    assert json.dumps(report.as_json())
    plot([report], tmp_path / "start.png")
    assert (tmp_path / "start.png").read_bytes().startswith(b"\x89PNG")
