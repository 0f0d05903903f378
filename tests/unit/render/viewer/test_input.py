"""Who gets a key: the prompt, a panel, or what the key means. Names as pyglet's, and no window.

Mouse: The mouse's wheel: a speed cannot be seen before one flies, so it is said.

Picking: What the crosshair is on.
"""

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from client.player import Eye, View
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import HostOptions
from net.space import BlockPos, SubChunkPos
from render.camera import Camera
from render.settings import Action, Keyboard, Settings
from render.viewer.control.bookmarks import Bookmarks
from render.viewer.control.camera_control import FASTEST_BLOCKS_S, Controls
from render.viewer.control.travel import Travel
from render.viewer.display.key_table import KeyTable
from render.viewer.input import KeyEvents, Mouse
from render.viewer.picking import Hole, Sight, blocks_along, sight
from render.viewer.preferences import Preferences
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- input

# ---------------------------------------------------------------- key events

HERE = lambda: 0, lambda: Eye(0.0, 0.0, 0.0), lambda _dimension, line, _view: str(line)


class Typist:
    """Types on the keys of a window whose panels take all keys, or none."""

    def __init__(self, folder: Path, panels_take: bool = False, preset: str = "qwerty") -> None:
        self.obeyed: list[Action] = []
        self.told: list[str] = []
        self.renewals: list[None] = []  # one each time the captions are to show something new
        self.into_panels: list[str] = []
        self.letters: set[str] = set()
        self.chosen: list[str] = []
        self.controls = Controls(View(Eye(0.0, 0.0, 0.0), 0.0, 0.0, 70.0))
        self.travel = Travel(self.controls, Bookmarks(None, "here"), folder, *HERE)
        panels: Any = SimpleNamespace(key=lambda *_: panels_take, text=self.into_panels.append, keyboard=panels_take)
        self.preferences = Preferences(Settings(preset=preset), None)
        self.overlays = SimpleNamespace(take=self.choose, is_open=False)
        self.table = KeyTable()
        self.captions = SimpleNamespace(renew=lambda: self.renewals.append(None))
        world = SimpleNamespace(timeline=SimpleNamespace(recorded=False))
        session: Any = SimpleNamespace(travel=self.travel, panels=panels, world=world, look=lambda: None)
        self.keys = KeyEvents(cast(Any, self), session, self.run_action)

    def tell(self, _event: str, said: str) -> None:
        self.told.append(said)

    def run_action(self, action: Action) -> None:
        self.obeyed.append(action)
        if self.travel.run_action(action, 0.0) is None:
            self.controls.press(action)

    def choose(self, key: str) -> bool:
        if key in self.letters:
            self.chosen.append(key)
        return key in self.letters

    def type(self, name: str, text: str = "") -> None:
        self.keys.down(name)
        if text:
            self.keys.on_text(text)
        self.keys.up(name)


@pytest.fixture
def typist(tmp_path: Path) -> Typist:
    return Typist(tmp_path)


def test_a_key_does_what_it_means_until_it_goes_up(typist: Typist) -> None:
    typist.keys.down("W")
    assert typist.obeyed == [Action.FORWARD]
    assert typist.controls.flies
    typist.keys.up("W")
    assert not typist.controls.flies
    typist.type("NUM_9")
    assert typist.obeyed == [Action.FORWARD], "a key without a meaning"


def test_letters_of_an_open_chooser_are_its_own(typist: Typist) -> None:
    typist.letters = {"W"}
    typist.type("W")
    typist.type("S")
    assert typist.chosen == ["W"]
    assert typist.obeyed == [Action.BACK]


def test_a_prompt_has_all_keys_but_not_the_letter_that_asked(typist: Typist) -> None:
    typist.type("T", "t")
    for letter in "17 2 3w":
        typist.type(letter.upper(), letter)
    typist.type("BACKSPACE")
    assert typist.travel.prompt is not None
    assert " 17 2 3▏" in typist.travel.prompt.line
    typist.type("ENTER", "\r")
    assert typist.told[-1] == "At 17,2,3."
    assert typist.obeyed == [Action.TELEPORT]


def test_a_prompt_that_no_letter_asked_for_loses_none(typist: Typist) -> None:
    typist.run_action(Action.TELEPORT)  # a button of a panel
    typist.type("1", "1")
    assert typist.travel.prompt is not None
    assert " 1▏" in typist.travel.prompt.line


def test_escape_gives_the_prompt_up(typist: Typist) -> None:
    typist.type("T", "t")
    typist.type("ESCAPE")
    assert typist.travel.prompt is None
    assert typist.renewals
    assert not typist.told


def test_keys_and_text_of_panels_do_nothing_else(tmp_path: Path) -> None:
    typist = Typist(tmp_path, panels_take=True)
    typist.type("W", "w")
    assert not typist.obeyed
    assert typist.into_panels == ["w"]


def test_a_key_is_left_to_others_while_nothing_is_asked_and_no_panel_has_the_keyboard(tmp_path: Path) -> None:
    typist = Typist(tmp_path)
    assert typist.keys.leaves("R")
    assert typist.keys.leaves("ENTER")
    assert not typist.keys.leaves("W"), "it flies"
    typist.type("T", "t")
    assert not typist.keys.leaves("R"), "a position is asked"
    assert not Typist(tmp_path, panels_take=True).keys.leaves("R")


def test_escape_is_left_to_who_joins_unless_a_prompt_or_a_list_is_open(tmp_path: Path) -> None:
    typist = Typist(tmp_path)
    assert typist.keys.leaves("ESCAPE"), "that it frees the mouse can wait"
    typist.type("T", "t")
    assert not typist.keys.leaves("ESCAPE")
    typist.type("ESCAPE")
    assert typist.keys.leaves("ESCAPE")
    typist.overlays.is_open = True
    assert not typist.keys.leaves("ESCAPE")
    assert not typist.keys.leaves("R"), "letters are the list's"
    assert Typist(tmp_path, panels_take=True).keys.leaves("ESCAPE"), "as the line over the world says"


def test_a_french_row_of_digits_chooses_overlays_and_does_what_it_does_elsewhere(tmp_path: Path) -> None:
    typist = Typist(tmp_path, preset="azerty")
    typist.letters = {"_6"}
    typist.type("MINUS")
    assert (typist.chosen, typist.obeyed) == (["_6"], [])
    typist.letters = set()
    typist.type("MINUS")
    assert typist.obeyed == [Action.SLOWER]


def test_letters_of_the_open_table_search_and_enter_runs_what_is_found(typist: Typist) -> None:
    typist.table.turn()
    for letter in "camera path":
        typist.type(letter.upper(), letter)
    typist.type("DOWN")
    assert typist.obeyed == []
    assert not typist.keys.leaves("R")
    typist.type("ENTER", "\r")
    assert typist.obeyed == [Action.PLAY_PATH]
    assert typist.keys.leaves("R"), "it is closed"


def test_the_letter_that_opens_the_table_is_not_searched(typist: Typist) -> None:
    typist.preferences.ask("help")
    typist.preferences.answer("G")
    typist.keys._run_action = lambda _action: typist.table.turn() and None
    typist.type("G", "g")
    typist.type("Q", "q")
    assert typist.table.view(Keyboard(), "qwerty", recording=False).text == "q"


def test_answers_are_kept_for_the_next_question_of_the_same_kind(typist: Typist) -> None:
    for place in ("1 2 3", "4 5 6", "4 5 6"):
        typist.type("T", "t")
        typist.type("1", place)
        typist.type("ENTER")
    typist.type("T", "t")
    for key, text in (("UP", "4 5 6"), ("UP", "1 2 3"), ("UP", "1 2 3"), ("DOWN", "4 5 6"), ("DOWN", "")):
        typist.type(key)
        assert typist.travel.prompt is not None
        assert f": {text}▏" in typist.travel.prompt.line
    typist.type("ESCAPE")
    typist.type("B", "b")
    typist.type("UP")
    assert typist.travel.prompt is not None
    assert ": ▏" in typist.travel.prompt.line, "another question"


# ---------------------------------------------------------------- mouse


class FakePanels:
    """Takes the wheel, or leaves it to the world."""

    def __init__(self) -> None:
        self.takes = False

    def wheel(self, _across: float, _up: float) -> bool:
        return self.takes


class Hand:
    """A mouse over a world, and what it told."""

    def __init__(self) -> None:
        self.panels, self.said, self.turns = FakePanels(), list[str](), 0
        self.controls = Controls(View(Eye(0.0, 64.0, 0.0)))
        self.say, self.table = self.said.append, KeyTable()
        self.mouse = Mouse(cast(Any, self), cast(Any, self))  # both the window's state and the session

    def look(self) -> None:
        self.turns += 1


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_the_wheel_says_how_fast_one_flies_now(hand: Hand) -> None:
    hand.controls.speed_blocks_s = 12.0
    hand.mouse.on_mouse_scroll(0, 0, 0.0, 1.0)
    hand.mouse.on_mouse_scroll(0, 0, 0.0, 1000.0)
    assert hand.said == [f"Flying speed: {speed:g} blocks per second." for speed in (15, FASTEST_BLOCKS_S)]
    assert hand.turns == 0


def test_what_shows_more_is_seen_and_not_said(hand: Hand) -> None:
    hand.controls.switch_ortho()
    hand.mouse.on_mouse_scroll(0, 0, 0.0, 1.0)
    assert (hand.said, hand.turns) == ([], 1)


def test_over_a_panel_and_sideways_it_says_nothing(hand: Hand) -> None:
    before = hand.controls.speed_blocks_s
    hand.mouse.on_mouse_scroll(0, 0, 1.0, 0.0)
    hand.panels.takes = True
    hand.mouse.on_mouse_scroll(0, 0, 0.0, 1.0)
    assert (hand.said, hand.controls.speed_blocks_s) == ([], before)


# ---------------------------------------------------------------- picking


def test_blocks_follow_each_other_by_their_sides() -> None:
    blocks = list(blocks_along(View(Eye(0.5, 0.5, 0.5), 33.0, 21.0)))
    assert len(blocks) > 256
    assert all(sum(abs(a - b) for a, b in zip(one, two, strict=True)) == 1 for one, two in pairwise(blocks))


def camera_of(eye: Eye, yaw_deg: float, pitch_deg: float) -> Camera:
    return Camera.of(View(eye, yaw_deg, pitch_deg), 1.5)


def looked_at(faults: ServerFaults, eye: Eye, yaw_deg: float, pitch_deg: float) -> Sight:
    """What a look into a flat world with faults meets."""
    virtual = VirtualSession("flat:1", HostOptions(faults=faults))
    assert virtual.settle()
    return sight(virtual.session, camera_of(eye, yaw_deg, pitch_deg))


def test_a_look_ends_at_the_first_block_and_names_the_one_before_its_face() -> None:
    seen = looked_at(ServerFaults(), Eye(3.5, -56.0, 2.5), 0.0, 90.0)
    assert (seen.block, seen.before) == (BlockPos(3, -61, 2), BlockPos(3, -60, 2))
    assert (seen.distance_blocks, seen.hole, seen.around) == (4.0, None, None)
    within = looked_at(ServerFaults(), Eye(3.5, -61.5, 2.5), 0.0, 90.0)
    assert (within.block, within.before) == (BlockPos(3, -62, 2), None), "from within a block no face is seen"
    assert looked_at(ServerFaults(), Eye(3.5, -56.0, 2.5), 0.0, -90.0).subject is None, "into the sky"


def test_from_within_a_missing_sub_chunk_the_look_ends_at_what_is_seen_and_the_hole_is_kept() -> None:
    refused = ServerFaults(refusals=(RefusalFault(3, share=0.5, times=1000),))
    virtual = VirtualSession("flat:1", HostOptions(faults=refused))
    assert virtual.settle()
    store = virtual.session.dimension.store

    def missing(x: int, z: int) -> bool:
        return bool(store.is_placeholder(np.array([store.place_of(SubChunkPos(x, -4, z))]))[0])

    x, z = next((x, z) for x in range(-2, 2) for z in range(-2, 2) if missing(x, z) and not missing(x, z + 1))
    eye = Eye(16 * x + 3.5, -58.0, 16 * z + 14.5)
    out = sight(virtual.session, camera_of(eye, 0.0, 30.0))
    assert out.around == Hole(eye.block, 0.0)
    assert out.block is not None
    assert out.block.subchunk == SubChunkPos(x, -4, z + 1)
    assert out.subject == out.block
    assert sight(virtual.session, camera_of(eye, 0.0, -90.0)).subject == eye.block, "nothing else is seen"


def test_a_column_that_was_left_out_is_a_hole_before_what_is_seen_behind_it() -> None:
    withheld = ServerFaults(withheld=0.15)  # -1 0 among others
    seen = looked_at(withheld, Eye(-4.5, -50.0, -4.0), 0.0, 24.0)
    assert seen.hole is not None
    assert (seen.hole.block, round(seen.hole.distance_blocks, 1)) == (BlockPos(-5, -52, 0), 4.4)
    assert seen.block == BlockPos(-5, -61, 18)
    assert seen.subject == seen.hole.block
    over = looked_at(withheld, Eye(-4.5, 330.0, 8.5), 0.0, 90.0)
    assert over.hole is not None
    assert (over.hole.block, over.hole.distance_blocks) == (BlockPos(-5, 319, 8), 10.0), "it ends at the roof"
