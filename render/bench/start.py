"""``chunkscope bench start``: where the time goes between the start of a process and its picture.

It starts a picture (``shot``) and a window (``view``) as a user does, under ``start_probe``, which records what each
thread did when. This module makes a table of that, and the critical path.

Critical path: what the main thread did from its start to the picture. While it waited for another thread or process,
the path contains what that one did; if that was idle too, an idle wait named after it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from client.errors import SourceError
from render.bench.start_probe import ALL, EVENT, IMPORTS, LAST_EVENT, PICTURE, PROGRAM, WAIT

INTERPRETER: Final = "interpreter"
IDLE: Final = "idle, waiting for "
OTHER: Final = "other"
MAIN: Final = "main"
SERVER: Final = "server"
LONGEST_S: Final = 600.0
CHILD_S: Final = 5.0
"""How long the server child may take to write its record after its client has gone."""
LEAST_S: Final = 0.0005
SHARE: Final = 0.9
MOMENTS: Final = {
    "window": "the window is open",
    "loading": "the first frame",
    "frame": "the first frame of the joined world",
    "world": "the first terrain",
    LAST_EVENT: "100 % of the picture",
}
"""Events of the viewer that end a row of the table, in words."""


class Span(msgspec.Struct, frozen=True):
    """Something that a thread did; seconds since the process was started."""

    stage: str  # what
    thread: str  # main, server, or a thread's own name
    began_s: float
    ended_s: float
    used_s: float  # processor time of the thread


class Piece(msgspec.Struct, frozen=True):
    """A part of a span in which the thread was in no other one inside it."""

    stage: str
    began_s: float
    ended_s: float


class StageTime(msgspec.Struct, frozen=True):
    """All that a thread did in one stage, spans inside it left out."""

    thread: str  # its name
    stage: str  # what was done
    began_s: float  # seconds from the start to its first moment
    ended_s: float  # to its last
    elapsed_s: float  # in all
    used_s: float  # processor time
    on_path_s: float  # of the elapsed time, what the picture had to wait for


class StartReport(msgspec.Struct, frozen=True):
    """One start."""

    program: str  # shot or view
    source: str  # the opened source
    radius: int  # in columns
    picture_s: float  # seconds to the picture's path, or until nothing was missing in the window
    used_s: float  # processor time of it and its children until they ended
    moments: tuple[tuple[str, float], ...]  # what was reached, and after how many seconds
    rows: tuple[StageTime, ...]  # by the moment each began
    path: tuple[tuple[str, float], ...]  # what the picture had to wait for, and how long; the longest first
    spans: tuple[Span, ...]

    def lines(self) -> list[str]:
        head = f"chunkscope {self.program} {self.source}, radius {self.radius}"
        lines = [f"{head}: {self.picture_s:.2f} s, {self.used_s:.2f} s of processor time"]
        lines += [f"  {after_s:6.2f} s  {what}" for what, after_s in self.moments]
        lines += ["", "  thread       stage               from      to  elapsed  processor  on the critical path"]
        for row in self.rows:
            name = f"  {row.thread[:12]:12} {row.stage[:17]:17}"
            times = f"{row.began_s:6.2f}  {row.ended_s:6.2f}   {row.elapsed_s:6.3f}     {row.used_s:6.3f}"
            lines.append(f"{name} {times}  {row.on_path_s:6.3f}" if row.on_path_s else f"{name} {times}")
        lines += ["", "  the critical path, the longest first"]
        lines += [f"  {seconds:6.3f} s  {what}" for what, seconds in self.path]
        return [*lines, ""]

    def as_json(self) -> object:
        """All of it but the spans."""
        return {name: value for name, value in msgspec.to_builtins(self).items() if name != "spans"}


def measure_start(program: str, source: str, radius: int, size: str) -> StartReport:
    """Starts ``shot`` or ``view``, waits for its picture.

    Raises SourceError: it took none, with its last line.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spans"
        options = ["--out", f"{folder}/picture.png"] if program == "shot" else ["--events", f"{folder}/events"]
        command = [sys.executable, "-m", "render.bench.start_probe", str(file), PROGRAM, program, source]
        command += [*options, "--radius", str(radius), "--size", size]
        before = _used_s()
        began = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            raise SourceError(f"chunkscope {program} showed no complete picture within {LONGEST_S:g} s.") from None
        ended_s = time.monotonic() - began
        if done.returncode or not file.exists():
            raise SourceError(
                next(iter(done.stderr.strip().splitlines()[-1:]), f"chunkscope {program} printed nothing.")
            )
        child = Path(f"{file}.server")
        written = read_spans(file, began)
        if any(span.stage == "child process" for span in written):
            end = time.monotonic() + CHILD_S
            while not child.exists() and time.monotonic() < end:
                time.sleep(0.01)
        used_s = _used_s() - before
        return _report(program, source, radius, used_s, ended_s, written, read_spans(child, began, SERVER))


def _used_s() -> float:
    times = os.times()
    return times.children_user + times.children_system


def read_spans(file: Path, began: float, process: str = "") -> list[Span]:
    """The spans of a file, none where it is not there; ``process``: what its main thread is called."""
    if not file.exists():
        return []
    spans = []
    for line in file.read_text(encoding="utf-8").splitlines():
        stage, *facts = json.loads(line)
        if stage == PICTURE:
            shown, share = facts
            spans.append(Span(PICTURE, MAIN, shown - began, shown - began, share))
            continue
        thread, from_, to, used_s = facts
        name = (process or MAIN) if thread == "MainThread" else f"{process} {thread}".strip()
        spans.append(Span(stage, name.removeprefix("chunkscope-"), from_ - began, to - began, used_s))
    return spans


def _report(
    program: str, source: str, radius: int, used_s: float, ended_s: float, ours: Sequence[Span], theirs: Sequence[Span]
) -> StartReport:
    events = [span for span in ours if span.stage.startswith(EVENT)]
    pictures = [(span.began_s, span.used_s) for span in ours if span.stage == PICTURE]
    spans = [span for span in (*ours, *theirs) if span.stage != PICTURE and not span.stage.startswith(EVENT)]
    moments = []
    for name, words in MOMENTS.items():
        if first := next((event.began_s for event in events if event.stage == EVENT + name), None):
            moments.append((words, first))
    if right := next((shown for shown, share in pictures if share >= SHARE), None):
        moments.append((f"{SHARE * 100:.0f} % of the picture", right))
    files = [span.ended_s for span in spans if span.stage == "file"]
    if files:
        moments.append(("the picture's file", max(files)))
    picture_s = max((after_s for _, after_s in moments), default=ended_s)
    begun = min((span.began_s for span in ours if span.stage == ALL or span.thread == MAIN), default=0.0)
    spans.append(Span(INTERPRETER, MAIN, 0.0, begun, 0.0))
    pieces = {thread: pieces_of([span for span in spans if span.thread == thread]) for thread in _threads(spans)}
    path = critical_path(pieces, picture_s)
    return StartReport(
        program=program,
        source=source,
        radius=radius,
        picture_s=picture_s,
        used_s=used_s,
        moments=tuple(sorted(moments, key=lambda moment: moment[1])),
        rows=tuple(_rows(spans, pieces, path)),
        path=tuple(sorted(path.items(), key=lambda each: -each[1])),
        spans=tuple(spans),
    )


def _threads(spans: Sequence[Span]) -> list[str]:
    return sorted({span.thread for span in spans}, key=lambda name: (name != MAIN, name != SERVER, name))


def pieces_of(spans: Sequence[Span]) -> list[Piece]:
    """The innermost span of one thread at each moment, in order; spans lie in one another or apart."""
    edges = sorted({edge for span in spans for edge in (span.began_s, span.ended_s)})
    opening = sorted(spans, key=lambda span: (span.began_s, -span.ended_s))
    pieces: list[Piece] = []
    inside: list[Span] = []
    next_one = 0
    for began, ended in pairwise(edges):
        while inside and inside[-1].ended_s <= began:
            inside.pop()
        while next_one < len(opening) and opening[next_one].began_s <= began:
            if opening[next_one].ended_s > began:
                inside.append(opening[next_one])
            next_one += 1
        inside = [span for span in inside if span.ended_s > began]
        stage = _named(inside[-1]) if inside else WAIT + "work"
        if pieces and pieces[-1].stage == stage and pieces[-1].ended_s == began:
            pieces[-1] = Piece(stage, pieces[-1].began_s, ended)
        else:
            pieces.append(Piece(stage, began, ended))
    return pieces


def critical_path(pieces: dict[str, list[Piece]], until_s: float) -> dict[str, float]:
    """What the picture waited for, by thread and stage, in seconds; see the module."""
    found = defaultdict[str, float](float)
    for piece in pieces.get(MAIN, ()):
        ended_s = min(piece.ended_s, until_s)
        if piece.began_s >= ended_s:
            continue
        if not piece.stage.startswith(WAIT):
            found[f"{MAIN}: {piece.stage}"] += ended_s - piece.began_s
            continue
        whom = piece.stage.removeprefix(WAIT)
        left_s = ended_s - piece.began_s
        for thread, part, seconds in _meanwhile(pieces, whom, piece.began_s, ended_s):
            found[f"{thread}: {part}"] += seconds
            left_s -= seconds
        if left_s > LEAST_S:
            found[IDLE + whom] += left_s
    return found


def _meanwhile(
    pieces: dict[str, list[Piece]], whom: str, began_s: float, ended_s: float
) -> Iterator[tuple[str, str, float]]:
    """What the awaited thread did between two moments; of several workers, the first that did something."""
    prefix = {SERVER: SERVER, IMPORTS: "loading", "workers": "worker-"}.get(whom, whom)
    covered = began_s
    threads = [thread for thread in pieces if thread.startswith(prefix)]
    working = sorted(
        (piece.began_s, piece.ended_s, thread, piece.stage)
        for thread in threads
        for piece in pieces[thread]
        if piece.ended_s > began_s and piece.began_s < ended_s and not piece.stage.startswith(WAIT)
    )
    for began, ended, thread, stage in working:
        from_, to = max(began, covered), min(ended, ended_s)
        if to > from_:
            yield thread, stage, to - from_
            covered = to


def _rows(spans: Sequence[Span], pieces: dict[str, list[Piece]], path: dict[str, float]) -> list[StageTime]:
    rows = []
    for thread, parts in pieces.items():
        used = _used_inside([span for span in spans if span.thread == thread])
        for stage in dict.fromkeys(part.stage for part in parts):
            mine = [part for part in parts if part.stage == stage]
            elapsed_s = sum(part.ended_s - part.began_s for part in mine)
            if elapsed_s >= LEAST_S:
                on_path_s = path.get(f"{thread}: {stage}", 0.0)
                began_s, ended_s = mine[0].began_s, mine[-1].ended_s
                rows.append(StageTime(thread, stage, began_s, ended_s, elapsed_s, used.get(stage, 0.0), on_path_s))
    return sorted(rows, key=lambda row: (row.thread != MAIN, row.thread != SERVER, row.thread, row.began_s))


def _used_inside(spans: Sequence[Span]) -> dict[str, float]:
    """Processor seconds of one thread by stage, those of spans inside left out."""
    used = defaultdict[str, float](float)
    inside: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.began_s, -span.ended_s)):
        while inside and inside[-1].ended_s <= span.began_s:
            inside.pop()
        if inside:
            used[_named(inside[-1])] -= span.used_s
        used[_named(span)] += span.used_s
        inside.append(span)
    return used


def _named(span: Span) -> str:
    return OTHER if span.stage == ALL else span.stage


def plot(reports: Sequence[StartReport], path: Path) -> None:
    """Draws what each thread did when, a line a thread, and writes it.

    Raises:
        ImportError: there is no matplotlib.
        OSError: the file cannot be written.
    """
    from matplotlib import colormaps  # noqa: PLC0415 - an extra, and slow to load
    from matplotlib.figure import Figure  # noqa: PLC0415 - as above

    figure = Figure(figsize=(12, 4 * len(reports)), layout="constrained")
    colours = [colormaps[name](number) for name in ("tab20", "tab20b") for number in range(20)]
    numbers: dict[str, int] = {}
    for report, axes in zip(reports, figure.subplots(len(reports), 1, squeeze=False)[:, 0], strict=True):
        threads = _threads(report.spans)
        for number, thread in enumerate(threads):
            for stage, parts in _by_stage(pieces_of([span for span in report.spans if span.thread == thread])):
                bars = [(part.began_s, part.ended_s - part.began_s) for part in parts]
                colour = colours[numbers.setdefault(stage, len(numbers)) % len(colours)]
                axes.broken_barh(bars, (number - 0.4, 0.8), color=colour, linewidth=0, label=stage)
        for words, after_s in report.moments:
            axes.axvline(after_s, color="black", linewidth=0.8)
            axes.text(after_s, len(threads) - 0.5, words, rotation=90, fontsize=7, ha="right", va="bottom")
        axes.set_yticks(range(len(threads)), threads)
        axes.invert_yaxis()
        axes.set_xlabel("seconds since the process was started")
        axes.set_title(f"chunkscope {report.program} {report.source}, radius {report.radius}")
        known = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        axes.legend(known.values(), known.keys(), fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, format="png", dpi=100)


def _by_stage(pieces: Sequence[Piece]) -> Iterator[tuple[str, list[Piece]]]:
    for stage in dict.fromkeys(piece.stage for piece in pieces):
        if not stage.startswith(WAIT):
            yield stage, [piece for piece in pieces if piece.stage == stage]
