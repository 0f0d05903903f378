"""How long a frame applies what came, what ends that, and when the scene is given the world anew."""

import gc
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from client.errors import SourceError
from client.player import Eye
from render.viewer.scene_updater import MOST_BRIDGED, SceneUpdater

EYE = Eye(1.0, 2.0, 3.0)


class Pumped:
    """A connection that notes its budgets, and is lost when it is told to."""

    def __init__(self, on_the_way: object = None) -> None:
        self.budgets_s: list[float] = []
        self.fails = False
        self.replay = SimpleNamespace(on_the_way=on_the_way)
        self.session = session()

    def pump(self, budget_s: float) -> None:
        self.budgets_s.append(budget_s)
        if self.fails:
            raise SourceError("the server has closed")


class Shown:
    """A scene that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.turned: list[object] = []
        self.settled = False
        self.owner_s = 0.0

    def attach(self, store: object, _light: object, _anchors: object) -> None:
        self.told.append(store)

    def switch(self, store: object, _light: object, _anchors: object) -> None:
        self.turned.append(store)

    def step(self, eye: tuple[float, float, float], owner_s: float = 0.0) -> None:
        self.told.append(eye)
        self.owner_s = owner_s


class Packs:
    """Packs whose files changed, or not."""

    stack: tuple[Path, ...] = ()
    said = "packs reloaded"

    def __init__(self, changed: bool, failed: bool = False) -> None:
        self.changed, self.failed = changed, failed

    def poll(self, _now: float) -> bool:
        return self.changed


def session(dimension: int = 0, between_drains: bool = True) -> Any:
    """Another world with each call."""
    store = SimpleNamespace(dimension=SimpleNamespace(number=dimension), between_drains=between_drains)
    return SimpleNamespace(dimension=SimpleNamespace(store=store, light=object()), anchors=object())


def upkeep(
    connection: Pumped, scene: Shown | None = None, packs: Packs | None = None, other: bool = True
) -> SceneUpdater:
    """``other``: whether the packs' pictures differ from those before."""
    parts: Any = connection, scene or Shown(), SimpleNamespace(reload=lambda _stack: other), packs
    return SceneUpdater(*parts)


@pytest.mark.parametrize(
    ("on_the_way", "elapsed_s", "budget_s"),
    [
        (None, 0.001, 0.002),  # a fast frame
        (None, 0.08, 0.01),  # a slow one: an eighth
        (7, 0.08, 0.04),  # on a way through a recording: half
        (7, 10.0, 0.25),  # but never so long that the window does not answer
    ],
)
def test_a_frame_applies_for_a_share_of_its_time(on_the_way: object, elapsed_s: float, budget_s: float) -> None:
    connection = Pumped(on_the_way)
    assert upkeep(connection).pump(elapsed_s) is None
    assert connection.budgets_s == [pytest.approx(budget_s)]


def test_a_connection_is_lost_once_and_asked_no_more() -> None:
    connection = Pumped()
    connection.fails, past, connection.replay = True, connection.replay, None
    kept = upkeep(connection)
    assert [kept.pump(0.01) for _ in range(3)] == ["the server has closed", None, None]
    assert len(connection.budgets_s) == 1
    connection.fails, connection.replay = False, past
    kept.pump(0.01)
    assert len(connection.budgets_s) == 2, "its past is lived through"


def test_a_scene_is_given_each_world_once() -> None:
    connection, scene = Pumped(), Shown()
    kept, first = upkeep(connection, scene), connection.session.dimension.store
    kept.step(EYE)
    kept.step(EYE)
    connection.session = session(dimension=1)
    kept.step(EYE)
    assert scene.told == [first, (1.0, 2.0, 3.0), (1.0, 2.0, 3.0), connection.session.dimension.store, (1.0, 2.0, 3.0)]


def test_a_scene_turns_to_another_time_of_its_world() -> None:
    connection, scene = Pumped(), Shown()
    kept = upkeep(connection, scene)
    kept.step(EYE)
    connection.session = session()
    kept.step(EYE)
    assert scene.turned == [connection.session.dimension.store]
    assert len(scene.told) == 3, "a world, and two steps"
    for later in (session(between_drains=False), session()):
        connection.session = later
        kept.step(EYE)
        assert scene.told[-2] is later.dimension.store, (
            "neither to a turn that is not over nor from one: it begins anew"
        )
    assert len(scene.turned) == 1


@pytest.mark.parametrize(
    ("packs", "other", "said", "worlds"),
    [
        (None, True, None, 1),
        (Packs(changed=False), True, None, 1),
        (Packs(changed=True), True, Packs.said, 2),
        (Packs(changed=True), False, Packs.said, 1),  # the same pictures as before
        (Packs(changed=True, failed=True), True, Packs.said, 1),
    ],
)
def test_packs_that_change_give_the_world_anew(packs: Packs | None, other: bool, said: str | None, worlds: int) -> None:
    connection, scene = Pumped(), Shown()
    kept = upkeep(connection, scene, packs, other)
    kept.step(EYE)
    assert kept.reload(1.0) == said
    kept.step(EYE)
    assert scene.told.count(connection.session.dimension.store) == worlds


def test_another_time_of_a_world_keeps_the_picture_until_it_is_there() -> None:
    connection, scene = Pumped(), Shown()
    kept = upkeep(connection, scene)
    kept.step(EYE)
    assert not kept.bridges, "there is nothing to keep at first"
    connection.session = session()
    kept.step(EYE)
    assert kept.bridges
    scene.settled = True
    kept.step(EYE)
    assert not kept.bridges
    scene.settled, connection.session = False, session()
    for _ in range(MOST_BRIDGED):
        kept.step(EYE)
    assert not kept.bridges, "a world that goes on coming is shown as it comes"
    connection.session = session(dimension=1)
    kept.step(EYE)
    assert not kept.bridges, "another dimension is another place"


@pytest.mark.parametrize(("dimension", "all_of_it"), [(0, False), (1, True)])
def test_a_world_that_is_left_is_freed_when_the_next_one_rests(
    dimension: int, all_of_it: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    for name in ("collect", "freeze", "unfreeze"):
        monkeypatch.setattr(gc, name, partial(done.append, name))
    connection, scene = Pumped(), Shown()
    connection.replay = None
    kept, scene.settled = upkeep(connection, scene), True
    kept.step(EYE)
    assert done == ["freeze"], "the present is looked at no more"
    connection.session, scene.settled = session(dimension), False
    kept.step(EYE)
    assert len(done) == 1
    scene.settled = True
    kept.step(EYE)
    assert done[1:] == [*(["unfreeze"] if all_of_it else []), "collect", "freeze"]


def test_after_a_slow_frame_the_scene_takes_as_much_more() -> None:
    scene = Shown()
    updater = upkeep(Pumped(), scene)
    for elapsed_s in (0.016, 0.4):
        updater.step(EYE, elapsed_s)
        assert scene.owner_s == elapsed_s / 8
