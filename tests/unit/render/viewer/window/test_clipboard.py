"""Wishes of panels: the way to a block, and the clipboard, which may not be there."""

from client.player import Eye, View
from net.space.positions import BlockPos
from render.viewer.picking import aimed_at
from render.viewer.window.clipboard import copied, near, pasted


class Clipboard:
    """A window with one."""

    def __init__(self) -> None:
        self.text = ""

    def set_clipboard_text(self, text: str) -> None:
        self.text = text

    def get_clipboard_text(self) -> str:
        return self.text


def test_one_is_taken_to_where_the_block_lies_under_the_crosshair() -> None:
    view = near(BlockPos(100, 60, -40), View(Eye(0.0, 0.0, 0.0), 33.0, 41.0))
    assert aimed_at(view, lambda block: block != BlockPos(100, 60, -40)) == BlockPos(100, 60, -40)
    assert (view.yaw_deg, view.pitch_deg) == (33.0, 41.0)


def test_what_is_copied_can_be_pasted() -> None:
    window = Clipboard()
    assert copied(window, "twelve chars") == "12 characters are on the clipboard."
    assert pasted(window) == "twelve chars"


def test_a_window_without_a_clipboard_says_so() -> None:
    assert copied(object(), "x").startswith("Nothing was copied: ")
    assert pasted(object()) == ""
