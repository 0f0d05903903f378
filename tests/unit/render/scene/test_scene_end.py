"""The end of a scene's jobs, waited for by whoever gives its store to another."""

from types import SimpleNamespace

import pytest

from render.gpu import RenderError
from render.scene.scene import FINISH_S, LOOK_S, Scene


def test_jobs_that_never_end_are_not_waited_for_for_ever() -> None:
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        assert len(waits) < 10 * FINISH_S / LOOK_S, "it waits for ever"
        return False

    attached = SimpleNamespace(collect=lambda _finished: None)
    runner = SimpleNamespace(busy=3, wait=wait, collect=list)
    with pytest.raises(RenderError, match="3 jobs of light and meshes did not end within 60 s"):
        Scene.finish(SimpleNamespace(_attached=attached, _runner=runner))  # type: ignore[arg-type] # a fake
