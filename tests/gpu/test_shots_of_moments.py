"""Shots in the middle of loading, from a recording: exactly repeatable, whoever draws and whichever way led there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from client.connection.opening import open_connection
from client.options import Moment, Options
from client.player import Eye, View
from client.source import WorldFile
from net.recording.file import Recording, RecordingWriter
from net.server.faults import ServerFaults
from net.server.host_options import HostOptions
from render.capture import CHANNELS, NO_BLOCK, PictureOptions, Shot, Studio, photograph, shoot
from render.capture.picture import shot_of
from render.gpu import Gpu
from render.jobs.workers import Runner, SyncRunner, ThreadRunner
from tests.support.session.virtual import VirtualSession

pytestmark = pytest.mark.gpu

SIZE_PX = (160, 96)
PICTURE = PictureOptions(size_px=SIZE_PX, time=6000)
EYE, LOOK = Eye(8.5, 120.0, -10.5), (0.0, 75.0)
VIEW = View(EYE, *LOOK)
SLOW = HostOptions(faults=ServerFaults(delay_s=0.2), entries_a_packet=12)
SAME_VIEW = ["--size", "160x96", "--at", "8.5,140,-10.5", "--look", "0,62", "--time", "6000"]
COMMAND = [sys.executable, "-c", "from render.cli import main; main()"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hills, as they load: some packets bring twelve sub-chunks each."""
    path = tmp_path_factory.mktemp("moments") / "hills.cscope"
    with VirtualSession("hills:1", SLOW).connection(Options(radius=2, record=path, at=EYE, look_deg=LOOK)) as live:
        assert live.wait_settled()
    return path


@pytest.fixture(scope="module")
def packets(path: Path) -> int:
    """How many there are in it."""
    with open_connection(WorldFile(path), Options(light=False)) as connection:
        connection.wait_settled()
        assert connection.replay is not None
        return connection.replay.position.packets


@pytest.fixture(scope="module")
def middle(path: Path, packets: int) -> int:
    """The first packet behind which some sub-chunks are known and some are not answered yet."""
    for packet in range(10, packets):
        with open_connection(WorldFile(path), Options(light=False, still=Moment(packet=packet))) as connection:
            states = connection.states()
            if states.get("data", 0) > 20 and states.get("requested", 0) > 5:
                return packet
    raise AssertionError("the recording has no middle")


def still(path: Path, moment: Moment) -> Options:
    return Options(radius=2, light=False, still=moment, at=EYE, look_deg=LOOK)


def bytes_of(shot: Shot) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in shot.arrays.items()}


def test_ten_shots_of_one_moment_are_the_same_bytes_whoever_draws(gpu: Gpu, path: Path, middle: int) -> None:
    seen = []
    runners: list[Runner | None] = [SyncRunner(), *(ThreadRunner(workers) for workers in (1, 2, 3)), None] * 2
    for runner in runners:
        with open_connection(WorldFile(path), still(path, Moment(packet=middle))) as connection:
            seen.append(bytes_of(shot_of(gpu, connection, PICTURE, CHANNELS, runner).shot))
    for runner in runners[:4]:
        assert runner is not None
        runner.close()
    assert len(seen) == 10
    assert seen[0].keys() == set(CHANNELS)
    assert all(again == seen[0] for again in seen[1:])


def test_drawn_all_along_overlays_tell_when_and_the_same_whoever_draws(gpu: Gpu, path: Path, middle: int) -> None:
    seen = []
    for watched, runner in ((True, SyncRunner()), (True, ThreadRunner(2)), (False, SyncRunner())):
        picture = replace(PICTURE, overlays=("age",), watched=watched)
        with open_connection(WorldFile(path), still(path, Moment(packet=middle))) as connection:
            seen.append(shot_of(gpu, connection, picture, CHANNELS, runner).shot)
        runner.close()
    first, again, unwatched = map(bytes_of, seen)
    assert first == again
    assert first.pop("colour") != unwatched.pop("colour"), "labels say when each was drawn"
    assert first == unwatched


def test_drawn_all_along_a_shot_without_time_ends_as_any_other(
    gpu: Gpu, path: Path, middle: int, tmp_path: Path
) -> None:
    told = []
    for watched in (False, True):
        options = replace(still(path, Moment(packet=middle)), timeout_s=1e-6)
        with open_connection(WorldFile(path), options) as connection:
            report = photograph(
                gpu, connection, connection.wait_settled(), replace(PICTURE, watched=watched), tmp_path / "a.png"
            )
        told.append((report.exit_code, report.text().splitlines()[1]))
        assert [lack.count > 0 for lack in report.missing if lack.kind == "undrawn"] == [True] * watched
    assert told[0] == told[1]
    assert told[0][0] == 4


def test_whichever_way_led_there_the_shot_is_the_same(gpu: Gpu, path: Path, packets: int, middle: int) -> None:
    shots = []
    for way in ([], [packets], [5, packets, 3], [middle - 1, middle + 1]):
        with open_connection(WorldFile(path), still(path, Moment(packet=middle))) as connection:
            assert connection.replay is not None
            for stop in [*way, middle]:
                connection.replay.seek_packet(stop)
                while not connection.replay.resting:
                    connection.pump()
            connection.look(VIEW)
            shots.append(bytes_of(shot_of(gpu, connection, PICTURE, CHANNELS).shot))
    assert all(shot == shots[0] for shot in shots[1:])


def test_a_moment_shows_what_was_known_and_nothing_more(gpu: Gpu, path: Path, packets: int, middle: int) -> None:
    with open_connection(WorldFile(path), Options(light=False)) as connection:
        runner = SyncRunner()
        studio = Studio(gpu, connection.session.dimension.store.table, runner, 2)
    drawn = [
        shoot(str(path), VIEW, SIZE_PX, options=Options(radius=2, still=moment), picture=PICTURE, studio=studio)
        for moment in (Moment(packet=0), Moment(packet=middle), Moment(packet=packets))
    ]
    studio.release()
    shares = [float((shot.block != NO_BLOCK).mean()) for shot in drawn]  # type: ignore[operator]
    assert shares[0] == 0.0
    assert 0.05 < shares[1] < shares[2]
    requested = drawn[1].state == 3
    assert not requested.any(), "what is drawn is known"


def test_a_moment_is_code_0_and_told_with_what_it_lacks(gpu: Gpu, path: Path, middle: int, tmp_path: Path) -> None:
    with open_connection(WorldFile(path), still(path, Moment(packet=middle))) as connection:
        report = photograph(gpu, connection, connection.wait_settled(), PICTURE, tmp_path / "a.png")
        missing = connection.states()["requested"]
    assert (report.exit_code, report.complete) == (0, True)
    assert report.moment.startswith(f"packet {middle} at ")
    assert {lack.kind: lack.count for lack in report.missing}["outstanding"] == missing
    ages = [place.age_s for lack in report.missing if lack.kind == "outstanding" for place in lack.places]
    assert all(age is not None and 0.0 <= age < 10.0 for age in ages)
    assert report.text().splitlines()[1].startswith(f"as of packet {middle} at ")
    with Image.open(tmp_path / "a.png") as image:
        assert image.info["Moment"] == report.moment


def test_a_recording_cut_short_gives_what_there_is_and_code_4(
    gpu: Gpu, path: Path, middle: int, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.cscope"
    with Recording.open(path) as recording:
        everything, writer = list(recording.entries()), RecordingWriter(recording.header)
    raw = bytearray(writer.front)
    for start in range(0, len(everything), 20):
        for entry in everything[start : start + 20]:
            writer.add(entry)
        raw += writer.flush()
    cut.write_bytes(raw[: len(raw) * 3 // 5])
    with open_connection(WorldFile(cut), Options(radius=2, light=False, at=EYE, look_deg=LOOK)) as connection:
        report = photograph(gpu, connection, connection.wait_settled(), PICTURE, tmp_path / "cut.png")
    assert (report.exit_code, report.complete) == (4, False)
    kinds = [lack.kind for lack in report.missing]
    assert kinds[-1] == "lost"
    assert report.missing[-1].words.endswith(": the file ends inside a block")
    assert "outstanding" in kinds
    with Image.open(tmp_path / "cut.png") as image:
        assert len(np.unique(np.asarray(image).reshape(-1, 3), axis=0)) > 50, "what there is, is drawn"
    with open_connection(WorldFile(cut), still(cut, Moment(packet=5))) as connection:
        assert photograph(gpu, connection, connection.wait_settled(), PICTURE, tmp_path / "early.png").exit_code == 0, (
            "lost is what comes later"
        )


def test_the_command_line_shoots_a_moment_the_same_in_two_processes(path: Path, middle: int, tmp_path: Path) -> None:
    archives = []
    for threads, name in (("0", "a.npz"), ("2", "b.npz")):
        ended = subprocess.run(
            [
                *COMMAND,
                "shot",
                str(path),
                "--out",
                str(tmp_path / name),
                "--moment",
                f"#{middle}",
                "--json",
                *SAME_VIEW,
            ],
            env={**os.environ, "LP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        said = json.loads(ended.stdout)
        assert (said["complete"], said["moment"].split(" at ")[0]) == (True, f"packet {middle}")
        assert said["missing"]
        archives.append((tmp_path / name).read_bytes())
    assert archives[0] == archives[1]
