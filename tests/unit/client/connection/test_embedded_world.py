"""The real thing once: our server as a child process, joined over UDP on loopback."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import client
from client.connection import SourceError, UsageError, connect
from client.errors import UnreadableFile
from client.options import Options, parse_box
from client.report.dump import dump
from client.source import Embedded, Remote, WorldFile
from net.raknet.ping import Pong, pong_text, read_ping, write_pong
from tests.support.session.virtual import shared_world
from tests.support.worlds.server import generated_box

PATIENT_S = 280.0


def test_the_python_api_joins_a_child_process_over_udp() -> None:
    with client.connect("embedded:flat", radius=2, timeout_s=PATIENT_S) as world:
        assert world.wait_settled()
        assert world.states()["data"] == 49
        assert world.statistics().session.messages["LevelChunk"] == 49
        child = world._server
        assert child is not None
        assert child.failure is None
    assert child._child.poll() == 0


def test_a_dump_over_udp_is_the_generators_world(tmp_path: Path) -> None:
    box = parse_box("-8,-64,-8,24,128,8")
    told: list[str] = []
    report = dump(
        Embedded("hills", 1),
        box,
        tmp_path / "hills.npz",
        Options(radius=2, timeout_s=PATIENT_S),
        lambda _, w: told.append(w),
    )
    assert report.complete
    assert report.exit_code == 0
    truth = generated_box(shared_world("hills:1"), box)
    with np.load(tmp_path / "hills.npz", allow_pickle=False) as file:
        names = file["names"][file["blocks"]]
    assert (names == np.array([state.name for state in truth.states])[truth.layer0]).all()
    assert told


def test_a_dump_that_cannot_be_written_says_so_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        dump(Embedded("flat", 1), parse_box("0,0,0,1,1,1"), tmp_path / "nowhere" / "x.npz", Options())


def test_the_module_prints_statistics_as_json() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "client", "embedded:flat", "--radius", "1", "--timeout", str(PATIENT_S)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    statistics = json.loads(run.stdout)
    assert statistics["settled"]
    assert statistics["session"]["states"]["data"] == 25


def test_the_module_says_what_is_wrong_in_one_sentence_before_it_compiles_anything(tmp_path: Path) -> None:
    nothing_compiled = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "client", "embedded:moon"]
    run = subprocess.run(command, env=nothing_compiled, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr == "There is no embedded world 'moon'; there are hills, bench, flat.\n"
    assert not list(tmp_path.iterdir())


def test_nobody_there_is_one_sentence() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        with pytest.raises(SourceError, match=rf"^Nobody answered at 127\.0\.0\.1:{port} within 1 s\.$"):
            connect(Remote("127.0.0.1", port), timeout_s=1.0)


def test_a_path_without_a_world_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("no world")
    with pytest.raises(UnreadableFile, match=r"note\.txt is neither a recording \(\.cscope\) nor a saved world"):
        connect(WorldFile(tmp_path / "note.txt"))
    with pytest.raises(UnreadableFile, match=r"is no world: it holds neither level\.dat nor a folder 'db'\.$"):
        connect(WorldFile(tmp_path))
    (tmp_path / "cut.mcworld").write_bytes(b"PK\x03\x04")
    with pytest.raises(UnreadableFile, match=r"cut\.mcworld is no packed world: "):
        connect(WorldFile(tmp_path / "cut.mcworld"))
    with pytest.raises(SourceError, match=r"does not exist\.$"):
        connect(str(tmp_path / "nothing.mcworld"))


def test_a_server_of_another_version_is_named_before_anything_is_sent() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))

        def answer_one_ping() -> None:
            datagram, asker = other.recvfrom(2048)
            sent_ms = read_ping(datagram)
            text = pong_text(Pong("other", 9622, "1.30.40", 0, 10))
            other.sendto(write_pong(sent_ms or 0, 1, text), asker)

        thread = threading.Thread(target=answer_one_ping)
        thread.start()
        told = r"speaks 1\.30\.40 \(protocol 9622\); .* speaks protocols 486 .* to 2193"
        with pytest.raises(SourceError, match=told) as caught:
            connect(Remote("127.0.0.1", other.getsockname()[1]), timeout_s=30.0)
        thread.join()
    assert caught.value.exit_code == 3
