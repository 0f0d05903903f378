"""Where panels lie until somebody moves them: a column on the right, a strip below; the world keeps the rest."""

from typing import Final

from imgui_bundle import imgui

RIGHT_SHARE: Final = 0.33
BELOW_SHARE: Final = 0.34
MOST_SHARE: Final = 0.5
RIGHT_EM, BELOW_EM = 22.0, 14.0
"""What panels need at least, in heights of the font, where that is no more than ``MOST_SHARE``."""
RIGHT: Final = ("Pipeline", "Inspector", "Settings", "Legend")
BELOW: Final = ("Slice map", "Graphs", "Events", "Invariants")


def arrange(space: int) -> None:
    """Splits an empty docking space.

    Args:
        space: imgui's number of it.
    """
    builder, room, em = imgui.internal, imgui.get_main_viewport().work_size, imgui.get_font_size()
    share = min(max(RIGHT_SHARE, RIGHT_EM * em / room.x), MOST_SHARE)
    right = builder.dock_builder_split_node(space, imgui.Dir.right, share)
    share = min(max(BELOW_SHARE, BELOW_EM * em / room.y), MOST_SHARE)
    below = builder.dock_builder_split_node(right.id_at_opposite_dir, imgui.Dir.down, share)
    for node, titles in ((right.id_at_dir, RIGHT), (below.id_at_dir, BELOW)):
        for title in titles:
            builder.dock_builder_dock_window(title, node)
    builder.dock_builder_finish(space)
