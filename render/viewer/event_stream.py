"""Writes what the viewer does, one JSON line an event: ``view --events FILE``.

    {"event": "phase", "at_s": 8123.412, "what": "window"}        started, window, loaded, joined, scene;
                                                                  compiling and compiled, where kernels are missing
    {"event": "loading", "at_s": ..., "what": "waiting for ..."}  one frame of the progress line was shown
    {"event": "frame", "at_s": ..., "cells": 0}                   the first frame of the joined world was shown
    {"event": "world", "at_s": ..., "cells": 41}                  the first with terrain in it
    {"event": "settled", "at_s": ...}                             the first in which nothing was missing
    {"event": "rest", "at_s": ..., "time_s": 2.5}                 a recording is paused and completely drawn
    {"event": "view" | "overlay" | "hud" | "help" | "preset" | "pins" | "travel" | "debug" | "picture" | "size", ...}
    {"event": "time", "said": "..."}                              a time command: past, present, saving
    {"event": "said", "said": "Ada: hello"}                       a message of the server or a player
    {"event": "taken" | "held" | "stopped", "said": "..."}        the server moves or holds the player; a hole stops it
    {"event": "panels" | "wish" | "packs", ...}                   opened or closed; a request of one; files changed
    {"event": "lost", "reason": "..."}                            the connection is over
    {"event": "connect", "on": true}                              the connect screen is shown, or no longer
    {"event": "listed", "servers": 2}                             number of LAN servers on it
    {"event": "joining" | "given up", "source": "..."}            of that screen, or of a lost connection
    {"event": "failed", "reason": "..."}                          joining failed; otherwise "phase", "joined"
    {"event": "stood still", "seconds": 7.3}                      duration of a very long frame
    {"event": "closed", "at_s": ..., "code": 0}                   the last one

Rules:
1. ``at_s`` is the system's monotonic clock, so that the parent process can subtract its own.
2. An event about the picture is written after the flip that shows it: a reader that takes a screenshot then sees it.
3. Each line is flushed; a reader may follow the file.
"""

import json
import time
from pathlib import Path
from typing import IO


class EventStream:
    """Writes events; does nothing without a file."""

    def __init__(self, path: Path | None) -> None:
        """Overwrites the file. Raises OSError: it cannot be written."""
        self._file: IO[str] | None = path.open("w", encoding="utf-8", buffering=1) if path else None
        self._waiting: list[tuple[str, dict[str, object]]] = []

    def tell(self, event: str, **facts: object) -> None:
        if self._file:
            self._file.write(json.dumps({"event": event, "at_s": round(time.monotonic(), 4), **facts}) + "\n")

    def tell_when_shown(self, event: str, **facts: object) -> None:
        """Writes an event after the next flip."""
        if self._file:
            self._waiting.append((event, facts))

    def shown(self) -> None:
        for event, facts in self._waiting:
            self.tell(event, **facts)
        self._waiting.clear()

    def close(self) -> None:
        """Closes the file; may be called again."""
        if self._file:
            self._file.close()
            self._file = None
