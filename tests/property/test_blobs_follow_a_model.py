"""Whatever a server announces, sends, leaves out, repeats or lies about, the blob cache keeps its promises.

What leaves is what a plain model lets leave, in the same order; an announced blob is told once and sent once.
"""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from net.bedrock import Blob, ClientCacheMissResponse, Message
from net.blobs import BlobWaiting, blob_id_of
from net.wire.fields import Profile
from tests.support.reference.blobs import BlobTwin, Remembered, answer, answers, change, flat, response, skeleton, whole

CONTENTS = [b"a", b"bb", b"ccc", b"dddd", b"eeeee", b"ffffff"]
content = st.sampled_from(CONTENTS)
near = st.integers(0, 1)

columns = st.one_of(st.builds(skeleton, near, near, content), st.builds(whole, near, near, content, content, content))
entry = st.builds(answer, near, st.integers(0, 2), near, st.one_of(st.none(), content), st.sampled_from([b"", b"nbt"]))
packets = st.lists(entry, min_size=1, max_size=8).map(lambda entries: answers(*entries))
changes = st.builds(change, st.integers(0, 31), st.integers(0, 40), st.integers(0, 31))
honest = st.lists(content, max_size=4).map(lambda contents: response(*contents))
lies = st.lists(st.tuples(content, content), max_size=3).map(
    lambda pairs: ClientCacheMissResponse(tuple(Blob(blob_id_of(one), other) for one, other in pairs))
)
messages = st.lists(st.one_of(columns, packets, packets, changes, honest, honest, lies), max_size=40)


@given(messages, st.sets(content))
def test_what_leaves_is_what_a_plain_model_lets_leave(said: list[Message], known: set[bytes]) -> None:
    before = {blob_id_of(each): each for each in known}
    machine: BlobWaiting[None] = BlobWaiting(Remembered(before), Profile.BEDROCK)
    twin = BlobTwin(dict(before))
    for message in [*said, response(*CONTENTS)]:
        left = [part for heard, _ in machine.receive(message, None, 0.0) for part in flat(heard)]
        assert left == twin.receive(message)
    stats = machine.stats()
    assert (stats.waiting, stats.waiting_bytes, stats.asked) == (0, 0, 0)
    assert not twin.waiting


@given(st.lists(st.one_of(columns, packets), max_size=20), st.sets(content), st.data())
def test_a_server_that_answers_each_status_is_asked_for_each_blob_once(
    said: list[Message], known: set[bytes], data: st.DataObject
) -> None:
    """As a real server does it: it holds open what it announces, and forgets it once it is acknowledged."""
    machine: BlobWaiting[None] = BlobWaiting(Remembered({blob_id_of(each): each for each in known}), Profile.BEDROCK)
    held: set[int] = set()
    sent: Counter[int] = Counter()
    for message in said:
        held.update(_announced(message))
        machine.receive(message, None, 0.0)
        if data.draw(st.booleans()):
            _serve(machine, held, sent)
    while held:
        _serve(machine, held, sent)
    assert machine.stats().waiting == 0
    assert all(count == 1 for count in sent.values())
    assert not sent.keys() & set(map(blob_id_of, known))


def _announced(message: Message) -> set[int]:
    ids = getattr(message, "blob_ids", None) or ()
    return {*ids, *(entry.blob_id for entry in getattr(message, "entries", ()) if entry.blob_id)}


def _serve(machine: BlobWaiting[None], held: set[int], sent: Counter[int]) -> None:
    by_id = {blob_id_of(each): each for each in CONTENTS}
    statuses = machine.statuses()
    assert statuses or not held, "what the server holds open is never acknowledged"
    for status in statuses:
        wanted = [blob_id for blob_id in status.misses if blob_id in held]
        held.difference_update(status.hits, status.misses)
        sent.update(wanted)
        machine.receive(response(*(by_id[blob_id] for blob_id in wanted)), None, 0.0)
