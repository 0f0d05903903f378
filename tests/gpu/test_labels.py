"""Whatever is made on the GPU has a name, and every pass is a group of it: what one sees in a GL debugger."""

from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from msgspec.structs import replace

from client.weather import Weather
from net.space import BlockPos
from render.camera import Camera
from render.draw_options import Cut
from render.gpu import Gpu, gl
from render.gpu.device import Unit
from render.gpu.targets import Presenter, SemanticTarget
from render.gpu.textures import BufferTexture
from render.gpu.timers import GpuTimes, PassClock
from render.passes.overlay.surface_channels import XRAYS
from render.passes.semantic import SOLID
from render.scene import FrameSettings, SceneConfig
from tests.gpu.test_looks import CONFIG, EYE, SIZE, Stage, staged
from tests.support.worlds import painted as paint

pytestmark = pytest.mark.gpu

MAKERS = (
    "buffer",
    "compute_shader",
    "depth_renderbuffer",
    "depth_texture",
    "framebuffer",
    "program",
    "simple_framebuffer",
    "texture",
    "texture3d",
    "texture_array",
    "vertex_array",
)
CAMERA = Camera(EYE, -10.0, 25.0, 70.0, SIZE[0] / SIZE[1])
CRACKS = np.array([(30, 43, 9, 5), (28, 42, 10, 5)], np.int32)
STRUCK = np.array([(30, 43, 9, 0, 300, 5, paint.DIRT)], np.int32)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What is made from now on, and how."""
    found: list[tuple[str, Any]] = []

    def kept(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
        def making(*args: Any, **kwargs: Any) -> Any:
            found.append((name, make(*args, **kwargs)))
            return found[-1][1]

        return making

    for name in MAKERS:
        monkeypatch.setattr(moderngl.Context, name, kept(name, getattr(moderngl.Context, name)))
    return found


@pytest.fixture
def gpu(made: list[tuple[str, Any]]) -> Iterator[Gpu]:
    gpu = Gpu.standalone()
    yield gpu
    gpu.check()
    assert gpu.leaks() == 0
    gpu.release()


def draw_everything(gpu: Gpu, stage: Stage) -> None:
    """All passes once, into both kinds of targets."""
    overlays = frozenset({"states=all", "cells", "borders", "mirror", *XRAYS})
    stage.store.edit(BlockPos(30, 43, 9), paint.STONE)
    stage.picture(FrameSettings(weather=Weather(1.0, 0.5), cracks=CRACKS, struck=STRUCK, overlays=overlays))
    shown = SemanticTarget(gpu, SIZE)
    stage.scene.draw_semantic(CAMERA, shown)
    stage.scene.draw_picks(CAMERA, shown, SOLID, 50.0)
    shown.release()
    presenter = Presenter(gpu, stage.target)
    presenter.release()
    gpu.park()


@pytest.mark.parametrize("config", [CONFIG, replace(CONFIG, gpu_light=True)])
def test_whatever_is_made_has_a_name(gpu: Gpu, made: list[tuple[str, Any]], config: SceneConfig) -> None:
    stage = staged(gpu, config)
    draw_everything(gpu, stage)
    there = [(name, thing) for name, thing in made if not isinstance(thing.mglo, moderngl.InvalidObject)]
    assert {name for name, _ in there} >= {"buffer", "framebuffer", "program", "texture", "texture3d", "vertex_array"}
    assert not sorted(name for name, thing in there if not thing.label)
    stage.close()


def test_a_texture_over_a_buffer_has_its_name(gpu: Gpu) -> None:
    lines = BufferTexture(gpu, "lines", Unit.LINES, gl.RGBA32I, 64)
    assert gpu.ctx.mglo.get_label(gl.TEXTURE, lines._texture) == "lines"
    lines.release()


def test_timers_have_names(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    queries: list[int] = []
    make = gl.RawGl.make
    monkeypatch.setattr(gl.RawGl, "make", lambda raw, kind: queries.append(make(raw, kind)) or queries[-1])
    watch = GpuTimes(gpu)
    for name in ("solid", "sky"):
        watch.begin(name)
        watch.end()
    clock = PassClock(gpu)
    with clock.measuring(), clock.during("solid"):
        pass
    assert [gpu.ctx.mglo.get_label(gl.QUERY, query) for query in queries] == [
        "pass timer 1", "pass timer 2", "timer solid",
    ]  # fmt: skip
    watch.release()
    clock.release()


def test_without_names_in_the_driver_nothing_is_called(gpu: Gpu) -> None:
    raw = gl.RawGl(lambda name: 0 if name == "glObjectLabel" else gpu.ctx.mglo._context.load(name))
    raw.label(gl.QUERY, 1, "none")


def test_every_pass_is_a_group(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    groups: list[str] = []
    scope = moderngl.Context.debug_scope
    monkeypatch.setattr(moderngl.Context, "debug_scope", lambda ctx, name: groups.append(name) or scope(ctx, name))
    stage = staged(gpu)
    draw_everything(gpu, stage)
    stage.picture(FrameSettings(shadows=True))
    stage.close()
    assert {"prepare", "shadows", "solid", "sky", "translucent", "overlays"} <= set(groups)


@pytest.mark.parametrize("overlay", ["light-r", "states=all"])
def test_a_cut_under_an_overlay_of_surfaces_is_timed_though_timers_cannot_be_nested(gpu: Gpu, overlay: str) -> None:
    stage = staged(gpu)
    look = FrameSettings(cut=Cut(high=44), overlays=frozenset({overlay}))
    plain = stage.picture(look)
    stage.scene.clock.watch = watch = GpuTimes(gpu)
    watched = stage.picture(look)
    stage.scene.clock.watch = None
    with stage.scene.clock.measuring():
        stage.picture(look)
        assert {"cut", "overlays"} <= stage.scene.clock.take().keys()
    assert (plain == watched).all()
    watch.release()
    stage.close()
