"""NBT comes back as it was written, in both flavours; bad bytes are DecodeErrors or limits."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from net.errors import DecodeError, LimitExceeded
from net.nbt import DISK, NETWORK, Compound, Flavour, Tag, encode_root, read_root, read_roots
from net.wire import Reader
from tests.support.session.messages import COMPOUNDS

FLAVOURS = st.sampled_from([NETWORK, DISK])


def types(tag: Tag) -> object:
    """The tree of types: values compare equal across widths."""
    if isinstance(tag, dict):
        return {name: types(member) for name, member in tag.items()}
    return [types(element) for element in tag] if isinstance(tag, list) else type(tag)


@settings(max_examples=60, deadline=None)
@given(compound=COMPOUNDS, flavour=FLAVOURS)
def test_values_and_types_come_back(compound: Compound, flavour: Flavour) -> None:
    data = encode_root(compound, flavour)
    reader = Reader(data, "nbt")
    back = read_root(reader, flavour)
    assert back == compound
    assert types(back) == types(compound)
    assert reader.left == 0


@settings(max_examples=60, deadline=None)
@given(compounds=st.lists(COMPOUNDS, max_size=4), flavour=FLAVOURS)
def test_roots_follow_each_other(compounds: list[Compound], flavour: Flavour) -> None:
    assert read_roots(b"".join(encode_root(c, flavour) for c in compounds), flavour) == compounds


@settings(max_examples=60, deadline=None)
@given(compound=COMPOUNDS, flavour=FLAVOURS)
def test_a_root_cut_anywhere_is_a_decode_error(compound: Compound, flavour: Flavour) -> None:
    data = encode_root(compound, flavour)
    for size in range(len(data)):
        with pytest.raises(DecodeError):
            read_root(Reader(data[:size], "nbt"), flavour)


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=300), flavour=FLAVOURS)
def test_random_bytes_never_crash(data: bytes, flavour: Flavour) -> None:
    for start in (b"", b"\x0a\x00", b"\x0a\x00\x00"):
        with contextlib.suppress(DecodeError, LimitExceeded):
            read_roots(start + data, flavour)
