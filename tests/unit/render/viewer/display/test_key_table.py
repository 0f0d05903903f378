"""F1: every command has a row with its keys, rows are found by words, Enter runs the selected one."""

import pytest

from render.settings import Action, Keyboard
from render.settings.actions import LOOKING_BACK, ActionGroup, actions_of
from render.settings.keys import PRESETS
from render.settings.overlays import OVERLAYS
from render.viewer.display.key_table import KeyTable, commands

QWERTY = Keyboard()


@pytest.mark.parametrize("preset", PRESETS)
def test_every_command_has_one_row(preset: str) -> None:
    time, look_outs = {*actions_of(ActionGroup.TIME)}, {*actions_of(ActionGroup.LOOK_OUTS)}
    for recording, left_out in ((False, time - {*LOOKING_BACK}), (True, look_outs)):
        rows = commands(Keyboard(preset), recording)
        assert len(rows) == len({action for action, _ in rows})
        assert {action for action, _ in rows} == set(Action) - left_out
        assert all(row.caps for _, row in rows)


def test_keys_that_do_the_same_have_or_between_them_and_overlays_their_letter() -> None:
    rows = dict(commands(Keyboard("azerty"), recording=False))
    assert rows[Action.FORWARD].caps == ("Z", "or", "↑")
    assert rows[Action("states")].caps == ("F6", "or", "O", "S")
    assert rows[OVERLAYS["age"].action].caps == ("O", "A")
    assert rows[OVERLAYS["age"].action].means.startswith("age: ")


def found(text: str, recording: bool = False) -> list[str]:
    table = KeyTable()
    table.turn()
    table.type(text)
    return [row.means for row in table.view(QWERTY, "qwerty", recording).rows]


def test_rows_are_found_by_all_words_in_any_order() -> None:
    assert found("PATH camera") == ["start or end a camera path", "play the last camera path"]
    assert found("full screen") == ["full screen"]
    assert found("f2") == ["take a picture"]
    assert found("no such thing") == []
    assert found("packet") == []
    assert len(found("packet", recording=True)) == 2


def take(table: KeyTable, *names: str) -> list[tuple[Action | None, str] | None]:
    return [table.take(name, QWERTY, False) for name in names]


def test_enter_runs_the_selected_command_and_closes() -> None:
    table = KeyTable()
    assert take(table, "ENTER") == [None], "it is closed"
    table.turn()
    table.type("camera path")
    assert take(table, "UP", "DOWN", "RETURN") == [(None, ""), (None, ""), (Action.PLAY_PATH, "")]
    assert not table.opened
    assert table.turn()
    assert table.view(QWERTY, "qwerty", False).text == ""


def test_what_lasts_while_a_key_is_held_is_told_instead() -> None:
    table = KeyTable()
    table.turn()
    assert take(table, "ENTER") == [(None, "Hold W or ↑: forward.")]


def test_nothing_found_runs_nothing() -> None:
    table = KeyTable()
    table.turn()
    table.type("no such thing")
    assert take(table, "DOWN", "ENTER") == [(None, ""), (None, "")]


def test_the_selection_stays_among_the_rows() -> None:
    table = KeyTable()
    table.turn()
    many = len(table.view(QWERTY, "qwerty", False).rows)
    take(table, "END", "DOWN", "PAGEDOWN")
    assert table.view(QWERTY, "qwerty", False).selected == many - 1
    take(table, "UP")
    assert table.view(QWERTY, "qwerty", False).selected == many - 2
    table.move(-1000)
    assert table.view(QWERTY, "qwerty", False).selected == 0


def test_escape_closes_and_function_keys_are_the_windows() -> None:
    table = KeyTable()
    table.turn()
    assert take(table, "F1") == [None]
    assert table.opened, "F1 closes it itself"
    assert take(table, "F2") == [None]
    assert not table.opened
    table.turn()
    table.type("ab")
    take(table, "BACKSPACE")
    assert table.view(QWERTY, "qwerty", False).text == "a"
    assert take(table, "ESCAPE") == [(None, "")]
    assert not table.opened
