"""Where a stored block ends is found by its checksum, wherever it lies and whatever stands behind it."""

from hypothesis import given
from hypothesis import strategies as st

from net.saved_world.checksum_kernels import end_of_stored
from tests.support.reference import leveldb as twin

BYTES = st.binary(max_size=200)
FEW_VALUES = st.lists(st.sampled_from([0, 1, 2, 255]), max_size=200).map(bytes)


def plain_end(data: bytes, last_kind: int) -> int | None:
    for at in range(len(data) - 4):
        behind = int.from_bytes(data[at + 1 : at + 5], "little")
        if data[at] <= last_kind and twin.masked(data[: at + 1]) == behind:
            return at
    return None


@given(st.one_of(BYTES, FEW_VALUES), st.sampled_from([0, 1]), BYTES)
def test_the_end_of_a_block_is_found(content: bytes, kind: int, behind: bytes) -> None:
    stored = content + bytes((kind,))
    stored += twin.masked(stored).to_bytes(4, "little")
    assert end_of_stored(stored + behind, 1) == plain_end(stored, 1) == len(content)
    assert end_of_stored(stored[:-1], 1) is None


@given(FEW_VALUES, st.sampled_from([0, 1, 4]))
def test_bytes_without_a_checksum_end_nowhere(data: bytes, last_kind: int) -> None:
    assert end_of_stored(data, last_kind) == plain_end(data, last_kind)
