"""The quad arena keeps what it is given, through growth and reuse.

Llvmpipe: it draws on our thread alone where it is told to.

Frame block: The frame's constants lie where the shaders look for them.

Gpu times: Passes are timed on the GPU a few frames late, without waiting, and queries are used again.

Pass clock: Passes are measured when asked, and GL is left as it was.

Programs: Shaders compile in every form that is drawn; a broken one names its file and line.

Target: Targets come and go.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType

import moderngl
import numpy as np
import pytest
from msgspec.structs import replace

import shaders
from client.weather import Weather
from render.camera import Camera
from render.draw_options import Cut
from render.gpu import Gpu, OutOfPages, ShaderError, Target
from render.gpu.gl import NO_RESET, RESET_STATUS
from render.gpu.programs import Programs
from render.gpu.quad_arena import PAGE_UNITS, QuadArena
from render.gpu.timers import DEPTH, METHODS, PROPERTIES, GlClock, GpuTimes, PassClock
from render.mesh import vertex_format
from render.passes.atmosphere import AIR, WATER, atmosphere_at
from render.passes.frame_settings import FrameSettings
from render.passes.frame_uniforms import FIELDS, Fog, LoadedArea, pack
from render.passes.overlay import boxes
from tests.support.data.failing_gl import without_memory

# ---------------------------------------------------------------- llvmpipe

ITS_THREADS = """
from pathlib import Path
from render.gpu import Gpu
gpu = Gpu.standalone()
gpu.ctx.simple_framebuffer((64, 64)).clear(1.0)
gpu.wait()
tasks = (file.read_text() for file in Path("/proc/self/task").glob("*/comm"))
print(gpu.capabilities.software, sum(name.startswith("llvmpipe") for name in tasks))
"""


@pytest.mark.parametrize("threads", [0, 1])
def test_llvmpipe_has_as_many_threads_as_it_is_told(threads: int) -> None:
    """Without one, none can write to a fence that is freed (docs/develop/hostile-input-and-busy-machines.md)."""
    environment = {**os.environ, "LP_NUM_THREADS": str(threads), "LIBGL_ALWAYS_SOFTWARE": "1"}
    command = [sys.executable, "-c", ITS_THREADS]
    said = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, timeout=200)
    assert said.stdout.split() == ["True", str(threads)]


# ---------------------------------------------------------------- arena

pytestmark = pytest.mark.gpu


ROOT = Path(__file__).parents[2]


def units(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.integers(0, 1 << 32, (count, 2), dtype=np.uint32)


def test_runs_survive_growth_and_the_freeing_of_others(gpu: Gpu) -> None:
    rng = np.random.default_rng(4)
    arena = QuadArena(gpu, first_pages=4)
    held = {}
    for step in range(120):
        content = units(rng, int(rng.integers(1, 400)))
        run = arena.put(content, (step, -step, 3))
        held[run] = content
        if step % 3 == 0:
            victim = list(held)[int(rng.integers(0, len(held)))]
            arena.free(victim)
            del held[victim]
    for run, content in held.items():
        assert np.array_equal(arena.read(run)[: len(content)], content)
    assert arena.stats().pages_used == sum(run.pages for run in held)
    assert arena.stats().pages > 4
    arena.release()


def test_a_run_takes_whole_pages(gpu: Gpu) -> None:
    arena = QuadArena(gpu, first_pages=8)
    run = arena.put(units(np.random.default_rng(1), PAGE_UNITS + 1), (0, 0, 0))
    assert run.pages == 2
    arena.free(run)
    assert arena.stats().pages_used == 0
    arena.release()


def test_the_limit_is_an_error_and_changes_nothing(gpu: Gpu) -> None:
    arena = QuadArena(gpu, first_pages=2, limit_pages=4)
    content = units(np.random.default_rng(2), 3 * PAGE_UNITS)
    run = arena.put(content, (0, 0, 0))
    with pytest.raises(OutOfPages, match="quad arena: 3 more do not fit into 4"):
        arena.put(content, (1, 0, 0))
    assert np.array_equal(arena.read(run)[: len(content)], content)
    arena.release()


def test_a_driver_without_memory_keeps_what_there_is(gpu: Gpu, caplog: pytest.LogCaptureFixture) -> None:
    rng = np.random.default_rng(5)
    arena = QuadArena(gpu, first_pages=4)
    content = units(rng, 3 * PAGE_UNITS)
    run = arena.put(content, (0, 0, 0))
    with without_memory(gpu):
        for _ in range(2):
            with pytest.raises(OutOfPages, match="quad arena: 2 more do not fit into 4"):
                arena.put(units(rng, 2 * PAGE_UNITS), (1, 0, 0))
    assert caplog.text.count("quad arena: no GPU memory") == 1
    assert arena.stats().pages == 4
    assert np.array_equal(arena.read(run)[: len(content)], content)
    arena.free(run)
    again = arena.put(units(rng, 4 * PAGE_UNITS), (1, 0, 0))
    assert again.pages == 4
    arena.release()


# ---------------------------------------------------------------- frame block

KINDS = {"mat4": ("<f4", (4, 4)), "vec4": ("<f4", (4,)), "ivec4": ("<i4", (4,))}


def test_names_kinds_and_order_are_those_of_the_shader() -> None:
    block = re.search(r"uniform Frame \{(.*?)\};", shaders.read("include/frame.glsl"), re.DOTALL)
    assert block is not None
    declared = re.findall(r"^\s*(\w+) (\w+);", block.group(1), re.MULTILINE)
    packed = [(name, FIELDS[name].base.str, FIELDS[name].shape) for name in FIELDS.names or ()]
    assert [(name, *KINDS[kind]) for kind, name in declared] == packed


def test_the_driver_sees_a_block_of_that_size(gpu: Gpu) -> None:
    assert gpu.program("full_screen.vert", "sky.frag")["Frame"].size == FIELDS.itemsize
    assert all(FIELDS.fields[name][1] % 16 == 0 for name in FIELDS.names or ())
    assert np.dtype(FIELDS).isalignedstruct is False


def test_what_is_packed_lies_in_the_field_it_is_meant_for() -> None:
    camera = Camera((-3.25, 64.75, 20.5), 33.0, 12.0, 70.0, 1.75)
    air = atmosphere_at(13000, True, weather=Weather(0.5, 0.25))
    loaded = (-96.0, -80.0, 96.0, 112.0)
    medium = replace(WATER, surface_y_blocks=70.5, clear_blocks=3.0)
    volume = LoadedArea(-64, 320, 0xF000, 7, Fog(90.0, 140.0, 30.0, loaded), (31, 15, 63), (1, 2, 3), 511, medium)
    look = FrameSettings(seconds=3603.5, gamma=2.0, weather=Weather(0.5, 0.25))
    record = np.frombuffer(pack(camera, air, volume, look, 240), FIELDS)[0]
    assert np.array_equal(record["view_projection"], camera.view_projection())
    expected = {
        "eye_block": (-4, 64, 20, 0),
        "eye_fraction": (0.75, 0.75, 0.5, 0.0),
        "ray_forward": (*camera.rays[0], camera.far_blocks),
        "ray_right": (*camera.rays[1], camera.near_blocks),
        "ray_up": (*camera.rays[2], 2 * np.tan(np.radians(35.0)) / 240),
        "sun": (*air.sun, air.day),
        "zenith": (*air.zenith, air.stars),
        "horizon": (*air.horizon, 1.0),
        "glow": (*air.glow, air.glow_strength),
        "daylight": (*air.daylight, air.drown),
        "fog": (90.0, 140.0, air.haze_per_block, 30.0),
        "loaded": (-92.0, -100.0, 100.0, 92.0),
        "bounds": (-64, 320, 0xF000, 7),
        "light_mask": (31, 15, 63, 511),
        "block_mask": (1, 2, 3, 0),
        "weather": (0.5, 0.25, 3.5, 0.5),
        "moon": (1.0, 0.0, air.clear, 6.5),
        "medium": (*WATER.colour, WATER.density_per_block),
        "direct": (*air.direct, 3.0),
        "least_light": (*air.least_light, 0.0),
        "cut": (Cut().low - 64, Cut().high - 64, 0.0, 0.0),
    }
    assert set(expected) | {"view_projection"} == set(FIELDS.names or ())
    for name, values in expected.items():
        assert record[name].tolist() == pytest.approx(list(values), rel=1e-6, abs=1e-7), name


def test_the_end_of_a_far_world_is_as_hazy_as_that_of_a_nearer_one() -> None:
    camera, air = Camera((0.5, 64.0, 0.5), 0.0, 0.0, 70.0, 1.5), atmosphere_at(6000, True)
    fog = Fog(100.0, 200.0, 30.0, (-96.0, -96.0, 96.0, 96.0))
    near = LoadedArea(-64, 320, 0xF000, 7, fog, (31, 15, 63), (1, 2, 3), 511, AIR)
    hazes = {}
    for end in (100.0, 200.0, 589.0):
        volume = replace(near, fog=replace(fog, end=end))
        hazes[end] = float(np.frombuffer(pack(camera, air, volume, FrameSettings(), 240), FIELDS)[0]["fog"][2])
    assert hazes[100.0] == hazes[200.0] == pytest.approx(air.haze_per_block)
    assert hazes[589.0] * 589.0 == pytest.approx(hazes[200.0] * 200.0)


# ---------------------------------------------------------------- gpu times


def test_each_pass_of_a_frame_is_told_some_frames_later(gpu: Gpu) -> None:
    clock, times, target = PassClock(gpu), GpuTimes(gpu), Target(gpu, (64, 64))
    clock.watch = times
    told = []
    for _ in range(3 * DEPTH):
        for name in ("solid", "sky", "sky"):
            with clock.during(name):
                target.begin()
        told.append(times.turn())
    assert told[:DEPTH] == [{}] * DEPTH
    assert all(frame.keys() == {"solid", "sky"} and min(frame.values()) >= 0 for frame in told[DEPTH:])
    assert len(times._free) + 3 * DEPTH == 3 * (DEPTH + 1), "no more queries than frames under way need"
    clock.watch = None
    with clock.during("sky"):
        pass
    assert not times._frame
    times.release()
    clock.release()
    target.release()
    gpu.check()


# ---------------------------------------------------------------- pass clock


def test_a_pass_has_our_time_gl_time_and_gpu_time(gpu: Gpu) -> None:
    clock = PassClock(gpu)
    buffer = gpu.ctx.buffer(reserve=1 << 20)
    with clock.measuring() as gl:
        with clock.during("upload"):
            buffer.write(bytes(1 << 20))
        with clock.during("nothing"):
            pass
        times = clock.take()
        assert list(times) == ["upload", "nothing"]
        assert times["upload"].gl_s > 0
        assert times["nothing"].gl_s < times["upload"].gl_s <= gl.seconds
        assert min(min(time.ours_s, time.gpu_s) for time in times.values()) >= 0
        assert clock.take() == {}
    buffer.release()
    clock.release()


def wrapped() -> list[object]:
    return [getattr(kind, name) for group in (METHODS, PROPERTIES) for kind, names in group.items() for name in names]


def test_properties_that_call_gl_are_its_time(gpu: Gpu) -> None:
    with GlClock(gpu) as gl:
        assert gpu.ctx.error == "GL_NO_ERROR"
        asked = gl.seconds
        gpu.ctx.depth_func = "<="
        gpu.ctx.depth_func = "<"
        told = gl.seconds
        assert 0 < asked < told
        assert gpu.raw.reset_status() == NO_RESET
        assert (gl.seconds > told) == (RESET_STATUS in gpu.raw.entries)


def test_what_measuring_costs_is_taken_off(gpu: Gpu) -> None:
    with GlClock(gpu) as gl:
        assert gl.seconds == gl.processor_s == 0
        gpu.ctx.enable_only(gpu.ctx.DEPTH_TEST)
        assert gl.processor_s > 0
    clock = PassClock(gpu)
    with clock.measuring() as gl:
        with clock.during("one"):
            pass
        assert gl.processor_s > 0
        assert list(clock.take()) == ["one"]
    clock.release()


def test_afterwards_every_call_is_what_it_was(gpu: Gpu) -> None:
    before = wrapped(), dict(gpu.raw.entries)
    clock = PassClock(gpu)
    with clock.measuring():
        assert moderngl.Buffer.write is not before[0][0]
    assert (wrapped(), dict(gpu.raw.entries)) == before
    with clock.during("unmeasured"):
        pass
    assert clock.take() == {}
    clock.release()


# ---------------------------------------------------------------- programs


@pytest.mark.parametrize("extra", [{}, {"CUTOUT": 1}, {"FLAT_LIGHT": 1}])
def test_terrain_programs_compile(gpu: Gpu, extra: dict[str, int]) -> None:
    defines = {**vertex_format.defines(), **extra}
    assert gpu.program("cube.vert", "terrain.frag", defines) is gpu.program("cube.vert", "terrain.frag", defines)
    gpu.program("model.vert", "terrain.frag", {**defines, "MODEL": 1})
    gpu.program("blend.vert", "terrain.frag", {**defines, "TRANSLUCENT": 1})


def test_sky_and_boxes_compile(gpu: Gpu) -> None:
    gpu.program("full_screen.vert", "sky.frag")
    gpu.program("boxes.vert", "boxes.frag", boxes.defines())


def test_a_broken_shader_names_file_and_line(gpu: Gpu) -> None:
    source = shaders.read("sky.frag").splitlines()
    line = next(number for number, text in enumerate(source, start=1) if "float shining" in text)
    with pytest.raises(ShaderError) as caught:
        gpu.program("full_screen.vert", "sky.frag", {"shining": "1 shining"})
    assert ("sky.frag", line) in [(message.file, message.line) for message in caught.value.messages]
    assert f"sky.frag:{line}:" in str(caught.value)


def test_a_broken_include_is_named_itself(gpu: Gpu) -> None:
    with pytest.raises(ShaderError) as caught:
        gpu.program("full_screen.vert", "sky.frag", {"veil": "1 veil"})
    assert caught.value.messages[0].file == "include/sky.glsl"


@pytest.mark.parametrize("member", ["make_attribute", "make_uniform"])
def test_a_ctrl_c_while_a_program_is_made_comes_when_it_is_made(gpu: Gpu, member: str) -> None:
    """The GL library calls these and never looks whether they raised: the process ended with a segmentation fault."""
    made = Programs(gpu.ctx)

    def interrupt(frame: FrameType, event: str, _value: object) -> None:
        if event == "call" and frame.f_code.co_name == member:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.setprofile(interrupt)
        with pytest.raises(KeyboardInterrupt):
            made.get("cube.vert", "terrain.frag", vertex_format.defines())
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        sys.setprofile(None)
        signal.signal(signal.SIGINT, before)
        made.release()


# ---------------------------------------------------------------- target


def test_a_target_can_be_replaced_while_it_is_drawn_to(gpu: Gpu) -> None:
    for size in ((32, 16), (48, 24)):
        target = Target(gpu, size)
        target.begin()
        pixels = target.pixels()
        assert pixels.shape == (size[1], size[0], 4)
        assert (pixels == (0, 0, 0, 255)).all()
        target.release()


def test_dropped_objects_are_found(context: Gpu) -> None:
    context.ctx.buffer(reserve=16)
    assert context.leaks() == 1
    assert context.leaks() == 0
