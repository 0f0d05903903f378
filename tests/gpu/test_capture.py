"""Settled pictures of connections, in virtual time."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image
from PIL.PngImagePlugin import PngImageFile

from client.connection.connection import Connection
from client.options import Options
from client.session.config import SessionConfig
from client.world.lifecycle import SubChunkState
from net.server.faults import ServerFaults
from net.server.host_options import HostOptions
from net.space import SubChunkPos
from render.capture import NO_BLOCK, PictureOptions, Studio, photograph, shot_of
from render.gpu import Gpu, RenderError, textures
from render.gpu.textures import write_png
from render.jobs.workers import JobResult, Runner, SyncRunner, ThreadRunner
from tests.support.session.virtual import SWIFT, VirtualSession

pytestmark = pytest.mark.gpu

SMALL = PictureOptions(size_px=(160, 90), time=6000)
NEVER_S = 1e9
SILENT = HostOptions(faults=ServerFaults(delay_s=NEVER_S))
RADIUS = 2
CONFIG = SessionConfig(radius=RADIUS, player=SWIFT)
OPTIONS = Options(radius=RADIUS, light=False, timeout_s=30.0)


def grey(width: int = 4, height: int = 3) -> np.ndarray:
    return np.full((height, width, 4), 128, np.uint8)


def colour_of(gpu: Gpu, connection: Connection, picture: PictureOptions, runner: Runner) -> np.ndarray:
    colour = shot_of(gpu, connection, picture, ("colour",), runner).shot.colour
    assert colour is not None
    return colour


def test_a_server_that_never_answers_gives_a_picture_code_4_and_a_list(gpu: Gpu, tmp_path: Path) -> None:
    connection = VirtualSession("flat:1", SILENT, CONFIG).connection(replace(OPTIONS, timeout_s=3.0))
    report = photograph(gpu, connection, connection.wait_settled(), SMALL, tmp_path / "nothing.png")
    assert (report.exit_code, report.complete) == (4, False)
    assert "requested and not answered" in report.waiting_for
    (out,) = report.missing
    assert out.count == len(out.places) == connection.states()["requested"] > 0
    store = connection.session.dimension.store
    assert all(store.state[store.place_of(SubChunkPos(*place.at))] == SubChunkState.REQUESTED for place in out.places)
    with Image.open(report.path) as image:
        assert image.size == SMALL.size_px


def test_workers_and_the_owner_alone_make_the_same_picture(gpu: Gpu) -> None:
    connection = VirtualSession("hills:1", config=CONFIG).connection(OPTIONS)
    assert connection.wait_settled()
    alone = colour_of(gpu, connection, SMALL, SyncRunner())
    for workers in (1, 3):
        runner = ThreadRunner(workers)
        assert np.array_equal(colour_of(gpu, connection, SMALL, runner), alone)
        runner.close()
    assert len(np.unique(alone.reshape(-1, 4), axis=0)) > 50


class Stalled(SyncRunner):
    """Workers that hang: nothing is ever finished, and a wait takes all of its time."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def collect(self) -> list[JobResult]:
        return []

    def wait(self, timeout_s: float) -> bool:
        self.now += timeout_s
        return False


def test_light_and_meshes_that_are_never_made_end_at_the_time_out(gpu: Gpu) -> None:
    connection = VirtualSession("hills:1", config=CONFIG).connection(OPTIONS)
    assert connection.wait_settled()
    session, runner = connection.session, Stalled()
    studio = Studio(gpu, session.dimension.store.table, runner, RADIUS, clock=lambda: runner.now)
    shot = studio.shoot(session, session.movement.view, ("colour", "block"), SMALL, timeout_s=7.5)
    assert runner.now == 7.5
    missing = {lack.kind: lack for lack in studio.missing}
    assert missing["unlit"].count == len(session.dimension.store.row_of) == 7 * 7
    centre = session.movement.eye.column
    away = {max(abs(x - centre.x), abs(z - centre.z)) for x, _, z in (place.at for place in missing["unmeshed"].places)}
    assert away == set(range(RADIUS + 1)), "what is drawn, and no column more"
    assert "not uploaded" not in missing, "nothing is made"
    assert shot.block is not None
    assert (shot.block == NO_BLOCK).all()
    with pytest.raises(RenderError, match="did not finish"):
        studio.shoot(session, session.movement.view, ("colour",), SMALL)
    studio.release()


def test_columns_that_an_earlier_way_left_change_no_pixel(gpu: Gpu) -> None:
    spawn = VirtualSession("hills:1", config=CONFIG).connection(OPTIONS)
    assert spawn.wait_settled()
    wanderer = VirtualSession("hills:1", config=CONFIG).connection(OPTIONS)
    view = wanderer.session.movement.view
    there = replace(view, eye=view.eye._replace(x=view.eye.x + 32.0))
    for place in (there, view):
        wanderer.look(place)
        assert wanderer.wait_settled()
    assert len(wanderer.session.dimension.store.row_of) > len(spawn.session.dimension.store.row_of)
    expected = colour_of(gpu, spawn, SMALL, SyncRunner())
    assert np.array_equal(colour_of(gpu, wanderer, SMALL, SyncRunner()), expected)


def test_the_servers_hour_is_shown_unless_another_is_asked_for(gpu: Gpu) -> None:
    connection = VirtualSession("flat:1", HostOptions(time=18000), CONFIG).connection(OPTIONS)
    assert connection.wait_settled()
    night = colour_of(gpu, connection, replace(SMALL, time=None), SyncRunner())
    assert np.array_equal(night, colour_of(gpu, connection, replace(SMALL, time=18000), SyncRunner()))
    noon = colour_of(gpu, connection, SMALL, SyncRunner())
    assert noon[..., :3].mean() > 2 * night[..., :3].mean()


def test_twenty_pictures_leave_nothing_behind(gpu: Gpu) -> None:
    connection = VirtualSession("flat:1", config=CONFIG).connection(OPTIONS)
    assert connection.wait_settled()
    first = colour_of(gpu, connection, SMALL, SyncRunner())
    for number in range(19):
        overlays = ("states",) if number % 3 == 0 else ()
        again = colour_of(gpu, connection, replace(SMALL, overlays=overlays, flat_light=number % 5 == 1), SyncRunner())
        assert number % 3 == 0 or number % 5 == 1 or np.array_equal(again, first)
        assert gpu.leaks() == 0


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.png"
    write_png(path, grey(), {"Title": "old"})
    before = path.read_bytes()

    def broken(*_args: object, **_options: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(textures, "_png", broken)
    with pytest.raises(OSError, match="No space"):
        write_png(path, grey(), {"Title": "new"})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, 5), (67, 41)])
def test_any_reader_of_png_files_finds_pixels_and_labels(tmp_path: Path, size: tuple[int, int]) -> None:
    pixels = np.random.default_rng(5).integers(0, 256, (*size, 4), np.uint8)
    labels = {"Source": "embedded:hills", "Comment": "caf\u00e9, \u6771\u4eac"}
    write_png(tmp_path / "a.png", pixels, labels)
    with Image.open(tmp_path / "a.png") as picture:
        assert isinstance(picture, PngImageFile)
        assert picture.mode == "RGB"
        assert np.array_equal(np.array(picture), pixels[..., :3])
        assert picture.text == labels


def test_a_kept_file_is_smaller_and_shows_the_same(tmp_path: Path) -> None:
    pixels = (np.add.outer(np.arange(64), np.arange(64) ** 2)[..., None] % 97 * [1, 2, 1, 1]).astype(np.uint8)
    plain, kept = tmp_path / "plain.png", tmp_path / "kept.png"
    write_png(plain, pixels, {"Title": "same"})
    write_png(kept, pixels, {"Title": "same"}, kept=True)
    assert kept.stat().st_size < plain.stat().st_size
    with Image.open(kept) as picture:
        assert np.array_equal(np.array(picture), pixels[..., :3])


def test_a_folder_that_is_not_there_is_an_error_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_png(tmp_path / "no" / "where.png", grey(), {})
