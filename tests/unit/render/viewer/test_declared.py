"""An overlay, a panel and a command are known everywhere once they are declared, here in a test, in one place each."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from render.overlays.facts import OverlayFacts
from render.overlays.legend import sections_of
from render.overlays.overlay import REGISTRY, LegendRow, OverlayMarks, overlay
from render.panels import legend
from render.panels.hud import KeyRow
from render.panels.legend import LegendState, LegendView
from render.panels.panel import PANELS, Dock, PanelRequest, all_panels, panel
from render.passes.overlay.boxes import Hatch, Outline, Style
from render.settings import Keyboard, Settings, load
from render.settings.actions import ACTIONS, Action, ActionGroup
from render.settings.file import default_file
from render.settings.overlays import OVERLAYS, declared_in, unknown_overlay
from render.viewer.commands import COMMANDS, command, run_action
from render.viewer.display.key_table import commands
from render.viewer.display.overlay_switches import listed
from render.viewer.display.panel_data import SNAPSHOTS
from render.viewer.display.panel_host import PanelHost, menu_labels
from tests.support.window.panels import frame, hosted, text_of
from tests.support.worlds.overlay_facts import given_facts

KNOWN: Any = SimpleNamespace(pins=0, terrain=SimpleNamespace(stale_columns=0))
STYLE = Style("a mark of the test", (1.0, 1.0, 1.0), Outline.THIN, Hatch.NONE, 0.0)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    kept = [(each, each.copy()) for each in (OVERLAYS, REGISTRY, ACTIONS, COMMANDS)]
    panels = all_panels().copy()  # not those of the modules that happen to be loaded: none is loaded again
    yield
    for registry, before in kept:
        registry.clear()  # type: ignore[attr-defined]  # dictionaries of several types
        registry.update(before)  # type: ignore[attr-defined]
    PANELS[:] = panels


def test_an_overlay(tmp_path: Path) -> None:
    @overlay("slime-chunks", letter="B", title="where slimes appear", keys=("F13",))
    def slime_chunks(_facts: OverlayFacts) -> OverlayMarks:
        return OverlayMarks(legend=(LegendRow(STYLE, 3),))

    assert listed(set(), "O")[-1].endswith("slime-chunks: where slimes appear")
    marks = REGISTRY["slime-chunks"].make(given_facts(np.zeros((0, 3))))
    (section,) = sections_of({"slime-chunks"}, lambda _name: marks.legend)
    assert (section.title, section.rows[0].count) == ("slime-chunks: where slimes appear", 3)
    view = LegendView("", (section,), {"slime-chunks"}, "O", lambda _style: 1)
    text = text_of(lambda: legend.draw(view, LegendState()))
    assert "[x] slime-chunks" in text
    assert "a mark of the test" in text
    (row,) = [row for _, row in commands(Keyboard(), recording=False) if "slime-chunks" in row.means]
    assert row == KeyRow("Overlays", ("F13", "or", "O", "B"), "slime-chunks: where slimes appear")
    assert "slime-chunks" in default_file()
    assert '# slime_chunks = ["F13"]  # where slimes appear' in default_file()
    file = tmp_path / "settings.toml"
    file.write_text('[world]\noverlays = ["slime-chunks"]\n[keys]\nslime_chunks = "F14"\n')
    loaded = load(file, {})
    assert (loaded.troubles, loaded.settings.overlays) == ((), ("slime-chunks",))
    action = Keyboard("qwerty", loaded.settings.keys).action("F14")
    switched: list[str] = []
    state: Any = SimpleNamespace(
        overlays=SimpleNamespace(press=switched.append),
        captions=SimpleNamespace(renew=lambda: None, used=lambda *_: None),
    )
    world: Any = None
    assert action is not None
    run_action(state, world, action)
    assert switched == ["slime-chunks"]


def test_a_letter_belongs_to_one_overlay() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        overlay("other", letter="S", title="nothing")(lambda _facts: OverlayMarks())


def test_names_are_read_from_the_text_as_they_are_declared_when_it_runs() -> None:
    text = '@overlay("a-b", letter="B", title="two, and (three)", place=4, layer=7)\ndef marks(facts: Facts) -> Marks:'
    assert [tuple(each) for each in declared_in(text)] == [("a-b", "B", "two, and (three)", 4, (), "")]
    assert REGISTRY.keys() == OVERLAYS.keys()
    assert unknown_overlay("stats").startswith("Unknown overlay 'stats' (did you mean 'states'?)")


def test_a_panel() -> None:
    drawn: list[object] = []

    @panel("memory", title="Memory", place=8, dock=Dock.BELOW)
    def memory(view: object, _state: object) -> list[PanelRequest]:
        drawn.append(view)
        return []

    labels: list[str] = []
    with hosted() as host:
        frame(host, lambda: labels.extend(menu_labels(2000.0)))
    assert labels[8] == "9 Memory"
    room = PanelHost.__new__(PanelHost)  # without a GPU: nothing is drawn
    room.opened = set()
    assert room.switch_by_key("_9")
    assert room.opened == {"memory"}
    assert "memory" not in SNAPSHOTS, "so that it is shown what is known of the connection"


def test_a_command(tmp_path: Path) -> None:
    action = Action.declare("turn_around", ActionGroup.LOOK, "look behind you", ("F15",))
    done: list[object] = []

    @command(action)
    def turn_around(state: object, session: object, _action: Action) -> None:
        done.append((state, session))

    state: Any = SimpleNamespace(captions=SimpleNamespace(used=lambda *_: None))
    world: Any = "world"
    pressed = Keyboard().action("F15")
    assert pressed is action is Action("turn_around")
    run_action(state, world, pressed)
    assert done == [(state, "world")]
    assert (action, KeyRow("Look", ("F15",), "look behind you")) in commands(Keyboard(), recording=False)
    assert '# turn_around = ["F15"]  # look behind you' in default_file()
    file = tmp_path / "settings.toml"
    file.write_text('[keys]\nturn_around = "E"\n')
    assert load(file, {}).settings == Settings(keys={action: ("E",)})


def test_every_action_has_a_command() -> None:
    assert {action for action in Action if not action.overlay} == COMMANDS.keys()
