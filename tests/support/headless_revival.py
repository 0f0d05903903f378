"""A viewer's window without a display whose context is lost while it runs; a process of its own.

    python -m tests.support.headless_revival FOLDER

Writes FOLDER/events.jsonl, and FOLDER/told.json: digests of the picture before and after, what was found wrong in the
GPU's copy afterwards, GL objects left over, and what was said.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pyglet

from client.connect.options import Options
from client.player import Eye, View
from render.viewer.app import App
from render.viewer.events import EventLog
from render.viewer.options import ViewerOptions
from render.viewer.revival import renew_context, run_on
from render.viewer.window import open_window
from tests.support.virtual_session import VirtualSession

GUILTY = 0x8253  # GL_GUILTY_CONTEXT_RESET
EYE = Eye(0.5, -50.0, 0.5)
"""Over the flat world, looking down: nothing there moves with time."""


class Watched(App):
    """Ends, or loses its context, once all is drawn."""

    told: dict[str, Any]
    runs = 0

    def frame(self, now: float, elapsed_s: float) -> None:
        """A frame; the first settled one of the first run is the last of its context."""
        super().frame(now, elapsed_s)
        world, fittings = self.stay.world, self.fittings
        if not (world.scene.settled and world.known.settled and world.scene.stats().cells_drawn):
            return
        Watched.runs += 1
        pixels = fittings.screen.target.pixels()
        self.told["pictures"].append(hashlib.sha256(pixels.tobytes()).hexdigest())
        self.told["colours"].append(len(set(map(tuple, pixels.reshape(-1, 4).tolist()))))
        if Watched.runs == 1:
            fittings.gpu.raw.reset_status = lambda: GUILTY
            return
        self.told["wrong"] = world.scene.check_mirror().wrong
        self.told["overlays"] = sorted(fittings.overlays.on)
        self.told["said"] = list(fittings.settings.troubles)
        self.told["view"] = list(fittings.controls.view.eye)
        fittings.window.has_exit = True


def run(folder: Path) -> None:
    """One window, two contexts."""
    pyglet.options.headless = True
    window = open_window((160, 120), "headless")
    events = EventLog(folder / "events.jsonl")
    Watched.told = {"pictures": [], "colours": []}
    options = ViewerOptions((160, 120), pictures=folder, time=6000)
    with VirtualSession("flat:1").connection(Options(radius=2, light=False)) as connection:
        connection.wait_settled()
        connection.look(View(EYE, pitch_deg=90.0))
        connection.wait_settled()
        first = window.context
        code = run_on(
            lambda settings: Watched(window, connection, settings, events), options, lambda: renew_context(window)
        )
        Watched.told |= {"code": code, "another context": window.context is not first}
    events.close()
    window.close()
    (folder / "told.json").write_text(json.dumps(Watched.told))


if __name__ == "__main__":
    run(Path(sys.argv[1]))
