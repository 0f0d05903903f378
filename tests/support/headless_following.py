"""A window's camera while the server moves the player: a process of its own, as ``headless_window``.

    python -m tests.support.headless_following FOLDER

Writes FOLDER/told.json: where the camera is and what the numbers say after each word of the server, and each key.
"""

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import pyglet

from client.options import Options
from net.bedrock import ChangeDimension, CorrectPlayerMovePrediction, MoveMode, MovePlayer, PlayStatus, Respawn
from net.peer.events import Received
from render.panels.requests import Change
from render.settings import load
from render.viewer import commands
from render.viewer.app import App
from render.viewer.display.hud import hud_lines
from render.viewer.event_stream import EventStream
from render.viewer.options import ViewerOptions
from render.viewer.window.window import open_window
from tests.support.virtual_session import VirtualSession

BESIDE = (40.5, 90.0, 0.5)
BELOW = (5.5, 70.0, -8.5)
ABOVE = (40.5, 190.0, 0.5)
PLAYER_SPAWN = 3


def run(folder: Path) -> None:
    """Lets the server correct, teleport and respawn the player, and take it into other dimensions."""
    pyglet.options.headless = True
    key = importlib.import_module("pyglet.window.key")  # not sooner: its package looks for a display
    window, events = open_window((320, 200), "headless"), EventStream(folder / "events.jsonl")
    options = ViewerOptions((320, 200), pictures=folder, settings=load(folder / "config.toml", {}).settings)
    told: dict[str, Any] = {}
    with VirtualSession("flat:1").connection(Options(radius=2, light=False)) as connection:
        connection.wait_settled()
        session = connection.session
        app = App(window, connection, options, events)

        def note(name: str) -> None:
            app.frame(time.monotonic(), 1 / 60)
            world, view = app.session.world, app.state.controls.view
            lines = hud_lines(world.known, world.scene.stats(), app.state.pacer.pace(), view)
            held = [line for line in lines if line.startswith("server holds you at")]
            told[name] = {"camera": list(view.eye), "held": held, "dimension": world.upkeep.dimension}

        def hear(name: str, message: Any) -> None:  # Any: each packet has its own class
            session.handle(Received(message, session.now, 0, 0), session.now)
            note(name)

        def press(name: str, symbol: int, answer: str = "") -> None:
            typed = (("on_text", chr(symbol)), ("on_text", answer), ("on_key_press", key.ENTER, 0)) if answer else ()
            for event in (("on_key_press", symbol, 0), *typed):
                window.dispatch_event(*event)
                app.frame(time.monotonic(), 1 / 60)
            note(name)

        ours = session.movement._runtime_id
        note("start")
        hear("corrected", CorrectPlayerMovePrediction(BESIDE, (0.0, 0.0, 0.0), False, 1))
        session.set_view(app.state.controls.view)
        hear("teleported", MovePlayer(ours, BESIDE, 0.0, 0.0, 0.0, MoveMode.TELEPORT))
        hear("another", MovePlayer(ours + 1, (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, MoveMode.TELEPORT))
        hear("respawned", Respawn(BESIDE, 1, ours))
        press("back to the player", key.H)
        hear("taken to the nether", ChangeDimension(1, BELOW, False))
        hear("let in there", PlayStatus(PLAYER_SPAWN))
        press("in the nether, away", key.T, "1 100 1")
        hear("taken back", ChangeDimension(0, BESIDE, True))
        hear("teleported together", MovePlayer(ours, ABOVE, 0.0, 0.0, 0.0, MoveMode.TELEPORT))
        commands.grant(app.state, app.session, Change("follow", False))
        hear("teleported alone", MovePlayer(ours, BESIDE, 0.0, 0.0, 0.0, MoveMode.TELEPORT))
        hear("taken alone", ChangeDimension(1, BELOW, False))
        app.close()
    events.close()
    window.close()
    (folder / "told.json").write_text(json.dumps(told))


if __name__ == "__main__":
    run(Path(sys.argv[1]))
