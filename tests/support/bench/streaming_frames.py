"""Frames of the window while a world streams in, without a display; a process of its own (pyglet opens one kind only).

    python -m tests.support.bench.streaming_frames FOLDER [RADIUS [WIDTHxHEIGHT]]

Prints one line of JSON: frames a second from the first frame with terrain until nothing is missing, then at rest, with
the duration of both and the processor time of all threads of this process. The server is a process of its own; frames
follow each other without a pause.
"""

import json
import sys
import time
from pathlib import Path
from statistics import median

import pyglet

from client.connection.opening import open_connection
from client.options import Options
from client.source import parse_source
from render.settings import Settings
from render.viewer.app import App
from render.viewer.event_stream import EventStream
from render.viewer.window.window import open_window
from render.viewer.window_options import WindowOptions, past_of

AT_REST = 60
"""Frames."""
PATIENCE_S = 120.0


def run(folder: Path, radius: int = 6, size: tuple[int, int] = (320, 180)) -> dict[str, float]:
    """Measures one world from join to settled, and some time at rest."""
    pyglet.options.headless = True
    window = open_window(size, "headless")
    log = EventStream(folder / "events.jsonl")
    settings = Settings(radius=radius)
    options = Options(radius=radius, light=False, past=past_of(settings))
    with open_connection(parse_source("embedded:hills"), options) as connection:
        app = App(window, connection, WindowOptions(size, pictures=folder, settings=settings), log)
        last = time.monotonic()

        def frame() -> float:
            nonlocal last
            start = time.monotonic()
            app.frame(start, start - last)
            last = start
            return time.monotonic() - start

        def told(event: str) -> bool:
            return f'"event": "{event}"' in (folder / "events.jsonl").read_text("utf-8")

        deadline = time.monotonic() + PATIENCE_S
        while not told("world") and time.monotonic() < deadline:
            frame()
        streaming, spent_s = [], time.process_time()
        while not told("settled") and time.monotonic() < deadline:
            streaming.append(frame())
        spent_s = time.process_time() - spent_s
        resting = [frame() for _ in range(AT_REST)]
        app.close()
    log.close()
    window.close()
    return {
        "streaming_fps": len(streaming) / sum(streaming),
        "streaming_frames": len(streaming),
        "streaming_median_ms": 1e3 * median(streaming),
        "streaming_most_ms": 1e3 * max(streaming),
        "streaming_processor_ms": 1e3 * spent_s / len(streaming),
        "resting_fps": len(resting) / sum(resting),
        "resting_median_ms": 1e3 * median(resting),
    }


if __name__ == "__main__":
    SIZE = tuple(int(side) for side in sys.argv[3].split("x")) if len(sys.argv) > 3 else (320, 180)
    TAKEN = run(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 6, (SIZE[0], SIZE[1]))
    sys.stdout.write(json.dumps(TAKEN) + "\n")
