"""Where panels lie until somebody moves them: a column on the right, a strip below; the world keeps the rest."""

from typing import Final

from imgui_bundle import imgui

RIGHT_SHARE: Final = 0.33
BELOW_SHARE: Final = 0.34
RIGHT: Final = ("Pipeline", "Inspector", "Settings", "Legend")
BELOW: Final = ("Slice map", "Graphs", "Events", "Invariants")


def arrange(space: int) -> None:
    """Splits an empty docking space.

    Args:
        space: imgui's number of it.
    """
    builder = imgui.internal
    right = builder.dock_builder_split_node(space, imgui.Dir.right, RIGHT_SHARE)
    below = builder.dock_builder_split_node(right.id_at_opposite_dir, imgui.Dir.down, BELOW_SHARE)
    for node, titles in ((right.id_at_dir, RIGHT), (below.id_at_dir, BELOW)):
        for title in titles:
            builder.dock_builder_dock_window(title, node)
    builder.dock_builder_finish(space)
