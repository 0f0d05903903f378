"""A keyframe is its moment, packed or not, and leaves nothing in memory that only a collection would find."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from client.recording.checkpoints import Copy, Keyframe, Stash
from client.session.session import Session
from net.palette import BlockState
from net.space.positions import BlockPos
from tests.support.session_facts import shown
from tests.support.virtual_session import VirtualSession


@pytest.fixture(scope="module")
def virtual() -> VirtualSession:
    """A world that is all there."""
    virtual = VirtualSession("hills:1")
    assert virtual.settle()
    return virtual


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nobody looks for cycles, as in a window."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def histories(session: Session) -> list[object]:
    store = session.store
    return [store.history.of(place) for place in range(len(store.state))]


@pytest.mark.parametrize("packed", [False, True])
def test_what_begins_from_it_is_the_session_of_then(virtual: VirtualSession, packed: bool) -> None:
    then, lived = shown(virtual.session), histories(virtual.session)
    keyframe = Keyframe(virtual.session)
    if packed:
        keyframe.pack()
    feet = BlockPos.containing(*virtual.world.spawn.feet)
    virtual.host.set_block(feet, BlockState("minecraft:glowstone"))
    for _ in range(30):
        virtual.turn()
    assert shown(virtual.session) != then
    for _ in range(2):
        begun = keyframe.begin()
        assert shown(begun) == then
        assert histories(begun) == lived
        begun.store.pools.blocks[:] = 0
    virtual.host.set_block(feet, BlockState("minecraft:air"))
    for _ in range(30):
        virtual.turn()


def test_packed_it_takes_a_fraction(virtual: VirtualSession) -> None:
    keyframe = Keyframe(virtual.session)
    assert keyframe.size_bytes == 0
    keyframe.pack()
    slots = virtual.session.store.pools.stats().slots
    assert 0 < keyframe.size_bytes < slots * 8192 // 4


@pytest.mark.usefixtures("uncollected")
def test_copies_go_as_soon_as_nobody_needs_them(virtual: VirtualSession) -> None:
    keyframe = Keyframe(virtual.session)
    content = keyframe._content
    tables = weakref.ref(content.copy.session.store._holdings.tables)  # type: ignore[union-attr]
    del content
    assert tables() is not None
    keyframe.pack()
    assert tables() is None
    stash = Stash(Copy(virtual.session))
    tables = weakref.ref(stash._copy.session.store._holdings.tables)
    assert tables() is not None
    stash.let_go()
    assert tables() is None
    packed = weakref.ref(keyframe._content._stash._copy.session.store._holdings.tables)  # type: ignore[union-attr]
    del keyframe
    assert packed() is None


def test_letting_a_copy_go_harms_nobody(virtual: VirtualSession) -> None:
    before = shown(virtual.session)
    Copy(virtual.session).let_go()
    Keyframe(virtual.session).begin()
    assert shown(virtual.session) == before
    virtual.turn()
