"""The window finds what has no light and no mesh by itself."""

import pytest

from net.space import ColumnPos
from render.gpu import Gpu
from render.panels.problems import ProblemsView
from render.viewer.display.panel_data import PanelFrame, PanelViews
from tests.support.window.panels import MeasuredPanels

pytestmark = pytest.mark.gpu


def test_the_window_finds_nothing_wrong_in_a_world_that_is_whole_and_names_meshes_that_failed() -> None:
    gpu = Gpu.standalone()
    try:
        panels = MeasuredPanels(gpu, (320, 200), radius=2)
        panels.room.opened = {"problems"}
        panels.frame()
        views = PanelViews(panels.sources)
        moment = PanelFrame(panels.known, 1.0, lambda _name, _picture: 0)
        assert views.snapshot("problems", moment, None) == ProblemsView(())
        undrawn = panels.scene.undrawn_places()
        assert undrawn is not None
        assert not len(undrawn.unmeshed)
        assert not len(undrawn.unlit)
        attached = panels.scene._attached
        assert attached is not None
        row = attached.world.row_of[ColumnPos(0, 0)]
        attached.state.lighting._given_up[row] = True
        (problem,) = PanelViews(panels.sources).snapshot("problems", moment, None).problems
        assert problem.kind == "unlit"
        assert problem.sentence.startswith("Unlit: ")
    finally:
        gpu.release()
