"""The state list: equal to the vendor's, state by state, and its format."""

import gzip
import json

import pytest

from assets import states
from assets.derive_states import derive
from net.nbt import NETWORK, Byte, read_roots
from tests.support.shared_data import shared_data


def test_486_is_the_vendors_palette_state_by_state() -> None:
    data = gzip.decompress(shared_data("palettes/canonical_block_states-1.18.10.nbt.gz").read_bytes())
    expected = []
    for root in read_roots(data, NETWORK):
        properties = root["states"]
        assert isinstance(properties, dict)
        typed = {name: bool(tag) if isinstance(tag, Byte) else tag for name, tag in properties.items()}
        expected.append((root["name"], tuple(sorted(typed.items()))))
    found = states.load(486)
    assert list(found) == expected
    # True == 1: the comparison above does not see a byte that is taken for an int.
    kinds = [[type(value) is bool for _, value in row] for _, row in found]
    assert kinds == [[type(value) is bool for _, value in row] for _, row in expected]


def test_a_line_stands_for_all_combinations_the_first_property_slowest() -> None:
    rows = states.expand("stone\nlever open_bit:b=0,1 direction:s=up,down\n")
    assert rows == (
        ("minecraft:stone", ()),
        ("minecraft:lever", (("direction", "up"), ("open_bit", False))),
        ("minecraft:lever", (("direction", "down"), ("open_bit", False))),
        ("minecraft:lever", (("direction", "up"), ("open_bit", True))),
        ("minecraft:lever", (("direction", "down"), ("open_bit", True))),
    )


@pytest.mark.parametrize("line", ["a b", "a b=1", "a b:x=1", "a b:i=", "a b:i=x", "a b:b=2"])
def test_a_bad_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        states.expand(line)


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(KeyError):
        states.load(1)


def source(*blocks: tuple[str, dict[str, tuple[str, object]]]) -> str:
    return json.dumps(
        [{"name": n, "states": {k: {"type": t, "value": v} for k, (t, v) in s.items()}} for n, s in blocks]
    )


def test_deriving_finds_the_slowest_property() -> None:
    text = derive(source(*[("x", {"a": ("int", a), "b": ("byte", b)}) for b in (0, 1) for a in (0, 5)], ("y", {})))
    assert text == "x b:b=0,1 a:i=0,5\ny\n"


def test_deriving_refuses_what_the_format_cannot_say() -> None:
    irregular = [("x", {"a": ("int", a), "b": ("int", b)}) for a, b in ((0, 0), (1, 1))]
    with pytest.raises(ValueError, match="no product"):
        derive(source(*irregular))
    with pytest.raises(ValueError, match="does not expand"):
        derive(source(("x", {"a": ("string", "one,two")})))
