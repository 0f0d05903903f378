"""Every fuzz target bears its seeds, its findings, and a little of what hypothesis makes of the seeds.

What the fuzzer is for, it notices: faults planted in tiny targets fail the run, with an input that shows them.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from net.bedrock import Unknown, packets
from net.raknet import Limits
from net.raknet.connection import RaknetSession
from net.raknet.datagram import Fragment, Frame, Reliability, write_frame
from net.subchunk.decode import scan
from net.subchunk.storage import SubChunkFault
from net.wire.fields import Profile
from tests.fuzz import databases, datagrams, minimise
from tests.fuzz.packets import DIALECTS, codec
from tests.fuzz.recordings import recordings
from tests.fuzz.seeds import SEEDS, conversation
from tests.fuzz.targets import MODULES, load_target

FINDINGS = Path(__file__).parents[1] / "fuzz" / "findings"
CORPUS = FINDINGS.parent / "corpus"
FOUND = sorted(path for path in FINDINGS.glob("*/*") if path.is_file())


@pytest.fixture(scope="module")
def seeds() -> dict[str, list[bytes]]:
    """Made before hypothesis runs a test: it makes some of them itself."""
    return {target: make() for target, make in SEEDS.items()}


@pytest.mark.parametrize("target", MODULES)
def test_a_target_bears_its_seeds(seeds: dict[str, list[bytes]], target: str) -> None:
    for seed in seeds[target]:
        load_target(target)(seed)


def test_what_was_found_once_is_borne() -> None:
    for path in FOUND:
        load_target(path.parent.name)(path.read_bytes())


@pytest.mark.parametrize("target", MODULES)
def test_a_target_bears_what_earlier_runs_reached(target: str) -> None:
    kept = sorted((CORPUS / target).glob("*"))
    for path in kept:
        load_target(target)(path.read_bytes())
    assert sum(path.stat().st_size for path in kept) <= minimise.MOST_BYTES


def test_a_corpus_keeps_what_reaches_more_and_the_smallest_of_it() -> None:
    sound = databases.seeds()
    kept = minimise.chosen(databases.databases, sound[:1], [*sound, sound[0] + b"more", bytes(5000)])
    assert 0 < len(kept) < len(sound)
    assert set(kept) < set(sound)
    assert minimise.chosen(databases.databases, sound, sound) == []


def test_every_target_has_seeds() -> None:
    assert set(MODULES) == set(SEEDS)


@pytest.mark.parametrize("target", MODULES)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_target_bears_damaged_seeds(seeds: dict[str, list[bytes]], target: str, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(seeds[target]))
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 4)) if damaged else 0):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    load_target(target)(bytes(damaged))


def test_seeds_hold_every_packet_and_inputs_reach_every_dialect(seeds: dict[str, list[bytes]]) -> None:
    assert len(DIALECTS) <= 256, "one byte chooses"
    assert {profile for _, profile in DIALECTS} == set(Profile)
    told = {type(codec(seed[0]).decode(seed[1:])) for seed in seeds["packets"]}
    assert told - {Unknown} == set(packets())


@pytest.mark.parametrize("kind", datagrams.LISTENERS)
def test_seeds_of_datagrams_connect_and_are_heard(kind: int) -> None:
    _, down = conversation(kind)
    client = datagrams.new_client()
    for datagram, _, now in datagrams.steps(datagrams.story(1, down)):
        client.receive(datagram, now)
        client.datagrams(now)
    assert client.connected
    assert client.next_payload() is not None


def test_seeds_of_sub_chunks_are_sound(seeds: dict[str, list[bytes]]) -> None:
    statuses = {SubChunkFault(int(status)) for status in scan(seeds["subchunks"]).status}
    assert {SubChunkFault.NONE, SubChunkFault.NAMED_PALETTE} <= statuses


def frame(at: int, size: int, fragment: Fragment | None = None) -> Frame:
    return Frame(b"\xfe" * size, Reliability.RELIABLE_ORDERED, at, 0, at, 0, fragment)


BREAKING = {
    "a payload that never comes": lambda at: (at, frame(at + 1, 900)),
    "a payload of too many pieces": lambda at: (at, frame(at, 900, Fragment(16, 1, at % 15))),
    "too many payloads in pieces": lambda at: (at, frame(at, 1, Fragment(16, at, 0))),
    "payloads that were not collected": lambda at: (at, frame(at, 900)),
    "gaps": lambda at: (2 * at, frame(at, 1)),
}


@pytest.mark.parametrize("how", BREAKING)
def test_a_limit_that_does_not_hold_is_a_finding(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    said = [BREAKING[how](at) for at in range(datagrams.MOST_STEPS)]
    wire = [b"\x84" + number.to_bytes(3, "little") + write_frame(one) for number, one in said]
    story = datagrams.story(0, wire, datagrams.LEAVES)
    datagrams.datagrams(story)
    monkeypatch.setattr(datagrams, "new_session", lambda: RaknetSession(Limits(), 576, 0.0))
    with pytest.raises(AssertionError):
        datagrams.datagrams(story)


def test_a_header_that_says_infinity_is_no_recording() -> None:
    recordings(b'\1{"protocol": 1e999, "profile": "a", "source": "b"}')


# --------------------------------------------------------------------- test fuzz engine

pytest.importorskip("atheris", reason="atheris has no wheel for this Python or this machine", exc_type=ImportError)
ROOT = Path(__file__).parents[2]


def fuzz(target: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fuzz", target, *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("kind", "code", "said"),
    [
        ("crash", 77, "KeyError: 'planted'"),
        ("hang", 70, "libFuzzer: timeout"),
        pytest.param("hoard", 77, "MiB of memory", marks=pytest.mark.nightly),
        pytest.param("overrun", 77, "IndexError", marks=pytest.mark.nightly),
    ],
)
def test_a_planted_fault_fails_the_run_and_its_input_is_kept(tmp_path: Path, kind: str, code: int, said: str) -> None:
    target = f"planted-{kind}"
    hang_s = 1 if kind == "hang" else 60  # the first input of another may have a kernel to compile
    ended = fuzz(target, "--seconds=60", f"--hang-seconds={hang_s}", "--seed=1", f"--into={tmp_path}")
    assert ended.returncode == code, ended.stdout + ended.stderr
    (kept,) = (tmp_path / "findings" / target).iterdir()
    assert said in ended.stdout
    assert f"python -m tests.fuzz {target} --input {kept}" in ended.stdout
    assert json.loads((tmp_path / "total.json").read_text())[target]["findings"] == 1
    if kind == "crash":
        again = fuzz(target, f"--input={kept}")
        assert again.returncode == 1
        assert said in again.stderr


def test_runs_without_a_finding_are_counted_together(tmp_path: Path) -> None:
    for _ in range(2):
        ended = fuzz("planted-nothing", "--seconds=60", "--count=200", f"--into={tmp_path}")
        assert ended.returncode == 0, ended.stdout + ended.stderr
    counted = json.loads((tmp_path / "total.json").read_text())["planted-nothing"]
    assert counted == {"executions": 400, "findings": 0}
    assert "400 executions, 0 findings" in fuzz("total", f"--into={tmp_path}").stdout


def test_nothing_that_guides_the_fuzzer_is_imported_before_it_is_instrumented() -> None:
    checked = "import tests.fuzz.__main__; from tests.fuzz.engine import check_imports; check_imports()"
    for first, code, said in (("pass", 0, ""), ("import net.raknet", 1, "imported before it is instrumented: net.")):
        ended = subprocess.run(
            [sys.executable, "-c", f"{first}; {checked}"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert ended.returncode == code
        assert said in ended.stderr
