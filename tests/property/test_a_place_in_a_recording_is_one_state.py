"""Whatever way leads to a place of a recording, what is shown there is what a straight way shows."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.connection.opening import open_replay
from client.options import Options
from client.player import Eye, View
from client.recording import checkpoints
from client.recording.replay import Replay
from net.palette import BlockState
from net.space import BlockPos
from tests.support.session.driven import shown
from tests.support.session.virtual import VirtualSession

Move = Callable[[Replay], None]

counts = st.integers(-40, 40)
shares = st.floats(-0.1, 1.1)
moves = st.one_of(
    counts.map(lambda count: lambda replay: replay.step(count)),
    counts.map(lambda count: lambda replay: replay.step_ticks(count)),
    shares.map(lambda share: lambda replay: replay.skip((share - 0.5) * replay.duration_s)),
    shares.map(lambda share: lambda replay: replay.seek(share * replay.duration_s)),
    shares.map(lambda share: lambda replay: replay.seek(share * replay.duration_s, stay=False)),
    st.just(lambda replay: replay.play(None)),
    st.just(lambda replay: replay.pause()),
)
goals = st.one_of(
    st.integers(0, 120).map(lambda packets: lambda replay: replay.seek_packet(packets)),
    shares.map(lambda share: lambda replay: replay.seek(share * replay.duration_s)),
)
some_runs = st.integers(0, 25)
"""Of a record each: most ways are left before their end."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short session with a join, an edit and a look elsewhere."""
    path = tmp_path_factory.mktemp("recording") / "a.cscope"
    virtual = VirtualSession("hills:1")
    with virtual.connection(Options(radius=1, light=False, record=path)) as live:
        live.wait_settled()
        virtual.host.set_block(BlockPos.containing(*virtual.world.spawn.feet), BlockState("minecraft:glowstone"))
        for _ in range(10):
            live.pump()
        eye = live.session.movement.view.eye
        live.look(View(Eye(eye.x + 60.0, eye.y, eye.z), 90.0, 10.0))
        for _ in range(20):
            live.pump()
    return path


@pytest.fixture(autouse=True, scope="module")
def many_checkpoints() -> Iterator[None]:
    """Checkpoints as close to each other as a session of a second allows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "APART_US", 100_000)
        patch.setattr(checkpoints, "BEFORE_GOAL_US", (150_000, 50_000, 15_000))
        yield


@cache
def recording(path: Path, space_bytes: int) -> Replay:
    """One replay for all examples: where the last one left it is as good a beginning as any."""
    return open_replay(path, space_bytes)


def arrive(replay: Replay) -> None:
    while replay.on_the_way is not None:
        replay.run()


@pytest.mark.parametrize("space_bytes", [0, 8 << 20])
@given(way=st.lists(st.tuples(moves, some_runs), max_size=6), goal=goals)
@settings(deadline=None, max_examples=15)
def test_a_place_is_one_state(path: Path, space_bytes: int, way: list[tuple[Move, int]], goal: Move) -> None:
    replay = recording(path, space_bytes)
    for move, runs in way:
        move(replay)
        for _ in range(runs):
            replay.run(0.0)
    goal(replay)
    arrive(replay)
    straight = open_replay(path)
    goal(straight)
    arrive(straight)
    assert replay.position == straight.position
    assert shown(replay.session) == shown(straight.session)
    straight.close("compared")
