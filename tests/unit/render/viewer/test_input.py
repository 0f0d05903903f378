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
from net.space import OVERWORLD, BlockPos
from render.settings import Action, Keyboard, Settings
from render.viewer.control.bookmarks import Bookmarks
from render.viewer.control.camera_control import FASTEST_BLOCKS_S, Controls
from render.viewer.control.travel import Travel, TravelFacts
from render.viewer.display.key_table import KeyTable
from render.viewer.input import KeyEvents, Mouse
from render.viewer.key_layout import KeyLayout
from render.viewer.picking import aimed_at, blocks_along, column_ahead, faced

# ---------------------------------------------------------------- input

# ---------------------------------------------------------------- key events

HERE = TravelFacts(lambda: 0, lambda: Eye(0.0, 0.0, 0.0), lambda line, _view: str(line))


class Typist:
    """Types on the keys of a window whose panels take all keys, or none."""

    def __init__(self, folder: Path, panels_take: bool = False, preset: str = "qwerty") -> None:
        self.obeyed: list[Action] = []
        self.told: list[str | None] = []
        self.into_panels: list[str] = []
        self.letters: set[str] = set()
        self.chosen: list[str] = []
        self.controls = Controls(View(Eye(0.0, 0.0, 0.0), 0.0, 0.0, 70.0))
        self.travel = Travel(self.controls, Bookmarks(None, "here"), folder, HERE)
        panels: Any = SimpleNamespace(key=lambda *_: panels_take, text=self.into_panels.append, keyboard=panels_take)
        layout = KeyLayout(Settings(preset=preset), None)
        self.overlays = SimpleNamespace(take=self.choose, is_open=False)
        rooms: Any = layout, self.controls, self.travel, panels, self.overlays
        self.table = KeyTable()
        self.keys = KeyEvents(*rooms, self.table, lambda: False, self.obey, self.told.append)

    def obey(self, action: Action) -> None:
        self.obeyed.append(action)
        if self.travel.obey(action, 0.0) is None:
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
    assert typist.told[-1] == "At 17 2 3."
    assert typist.obeyed == [Action.TELEPORT]


def test_a_prompt_that_no_letter_asked_for_loses_none(typist: Typist) -> None:
    typist.obey(Action.TELEPORT)  # a button of a panel
    typist.type("1", "1")
    assert typist.travel.prompt is not None
    assert " 1▏" in typist.travel.prompt.line


def test_escape_gives_the_prompt_up(typist: Typist) -> None:
    typist.type("T", "t")
    typist.type("ESCAPE")
    assert typist.travel.prompt is None
    assert typist.told == [None]


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
    typist.keys._layout.bind(Action.HELP, ("G",))
    typist.keys._obey = lambda _action: typist.table.turn() and None
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
        self.mouse = Mouse(None, self.controls, cast(Any, self.panels), self._turned, self.said.append, KeyTable())

    def _turned(self) -> None:
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


def test_the_first_block_in_the_way_is_aimed_at() -> None:
    view = View(Eye(0.5, 10.5, 0.5), 0.0, 90.0)
    assert aimed_at(view, lambda block: block.y > 3) == BlockPos(0, 3, 0)
    assert aimed_at(view, lambda _block: True) is None


def test_the_block_before_the_face_that_is_seen_is_the_last_free_one() -> None:
    view = View(Eye(0.5, 10.5, 0.5), 0.0, 90.0)
    assert faced(view, lambda block: block.y > 3) == (BlockPos(0, 3, 0), BlockPos(0, 4, 0))
    assert faced(view, lambda _block: False) == (BlockPos(0, 10, 0), None), "from within a block no face is seen"
    assert faced(view, lambda _block: True) is None


def test_blocks_follow_each_other_by_their_sides() -> None:
    blocks = list(blocks_along(View(Eye(0.5, 0.5, 0.5), 33.0, 21.0)))
    assert len(blocks) > 256
    assert all(sum(abs(a - b) for a, b in zip(one, two, strict=True)) == 1 for one, two in pairwise(blocks))


def test_the_first_of_some_columns_that_a_look_comes_into_is_ahead() -> None:
    columns = np.array([(3, 0), (2, 0), (-1, 0)], np.int32)
    east, down = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)
    assert column_ahead((4.5, 70.5, 8.5), east, columns, OVERWORLD) == (BlockPos(32, 70, 8), 27.5)
    assert column_ahead((40.5, 70.5, 8.5), east, columns, OVERWORLD) == (BlockPos(40, 70, 8), 0.0), "it is in one"
    assert column_ahead((70.5, 70.5, 8.5), east, columns, OVERWORLD) is None, "all lie behind"
    assert column_ahead((4.5, 70.5, 24.5), east, columns, OVERWORLD) is None, "beside all of them"
    assert column_ahead((4.5, 330.5, 8.5), east, columns, OVERWORLD) is None, "over their roof"
    assert column_ahead((40.5, 330.0, 8.5), down, columns, OVERWORLD) == (BlockPos(40, 319, 8), 10.0)
    assert column_ahead((4.5, 70.5, 8.5), east, columns[:0], OVERWORLD) is None
