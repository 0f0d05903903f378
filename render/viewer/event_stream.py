"""What the viewer does, one JSON line an event: ``view --events FILE``.

    {"event": "phase", "at_s": 8123.412, "what": "window"}        started, window, loaded, joined, scene;
                                                                  compiling and compiled, where kernels are missing
    {"event": "loading", "at_s": ..., "what": "waiting for ..."}  one frame of the progress line was shown
    {"event": "frame", "at_s": ..., "cells": 0}                   the first frame of the joined world was shown
    {"event": "world", "at_s": ..., "cells": 41}                  the first with terrain in it
    {"event": "settled", "at_s": ...}                             the first in which nothing was missing
    {"event": "rest", "at_s": ..., "time_s": 2.5}                 a recording stands still, all of it drawn
    {"event": "view" | "overlay" | "hud" | "help" | "preset" | "pins" | "travel" | "debug" | "picture" | "size", ...}
    {"event": "time", "said": "..."}                              a key of time: the past, the present, what was saved
    {"event": "said", "said": "Ada: hello"}                       the server or a player says something
    {"event": "taken" | "held" | "stopped", "said": "..."}        the server moves or holds the player; a hole stops one
    {"event": "panels" | "wish" | "packs", ...}                   open or closed; what one asked for; files changed
    {"event": "lost", "reason": "..."}                            the connection is over
    {"event": "connect", "on": true}                              the connect screen is shown, or no longer
    {"event": "listed", "servers": 2}                             so many servers of the LAN stand on it
    {"event": "joining" | "given up", "source": "..."}            of that screen, or of what was lost
    {"event": "failed", "reason": "..."}                          nothing came of it; else "phase", "joined"
    {"event": "stood still", "seconds": 7.3}                      a frame took so long
    {"event": "closed", "at_s": ..., "code": 0}                   the last one

Rules:
1. ``at_s`` is the system's monotonic clock, so that whoever started the viewer can subtract its own.
2. An event about the picture is written after the flip that shows it: a reader that takes a screenshot then sees it.
3. Lines are flushed one by one; a reader may follow the file.
"""

import json
import time
from pathlib import Path
from typing import IO


class EventStream:
    """Writes events; silent without a file."""

    def __init__(self, path: Path | None) -> None:
        """Opens the file anew. Raises OSError: it cannot be written."""
        self._file: IO[str] | None = path.open("w", encoding="utf-8", buffering=1) if path else None
        self._waiting: list[tuple[str, dict[str, object]]] = []

    def tell(self, event: str, **facts: object) -> None:
        """Something happened."""
        if self._file:
            self._file.write(json.dumps({"event": event, "at_s": round(time.monotonic(), 4), **facts}) + "\n")

    def tell_when_shown(self, event: str, **facts: object) -> None:
        """Something happened that the next flip will show."""
        if self._file:
            self._waiting.append((event, facts))

    def shown(self) -> None:
        for event, facts in self._waiting:
            self.tell(event, **facts)
        self._waiting.clear()

    def close(self) -> None:
        """Ends the file; may be called again."""
        if self._file:
            self._file.close()
            self._file = None
