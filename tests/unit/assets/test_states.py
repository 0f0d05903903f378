"""The state list: equal to the vendor's, state by state, and its format."""

import gzip
import json
from pathlib import Path

import pytest

from assets import states
from assets.derive_states import changes, lines_of, write_lists
from assets.states import order_of
from net.nbt import NETWORK, Byte
from tests.support.data.shared import shared_data
from tests.support.reference.wire import read_roots


@pytest.mark.parametrize(
    ("protocol", "version"),
    [
        (486, "1.18.10"),
        (503, "1.18.30"),
        (527, "1.19.0"),
        (582, "1.19.80"),
        (589, "1.20.0"),
        (685, "1.21.0"),
        (776, "1.21.60"),
    ],
)
def test_a_list_is_the_vendors_palette_state_by_state(protocol: int, version: str) -> None:
    data = gzip.decompress(shared_data(f"palettes/canonical_block_states-{version}.nbt.gz").read_bytes())
    expected = []
    for root in read_roots(data, NETWORK):
        properties = root["states"]
        assert isinstance(properties, dict)
        typed = {name: bool(tag) if isinstance(tag, Byte) else tag for name, tag in properties.items()}
        expected.append((root["name"], tuple(sorted(typed.items()))))
    found = states.load(protocol)
    assert list(found) == expected
    # True == 1: the comparison above does not see a byte that is taken for an int.
    kinds = [[type(value) is bool for _, value in row] for _, row in found]
    assert kinds == [[type(value) is bool for _, value in row] for _, row in expected]


def test_a_protocol_without_a_list_has_that_of_the_nearest_lower_one() -> None:
    assert states.load(502) == states.load(486)
    assert states.load(2193) == states.load(2168) != states.load(1001) == states.load(2167)


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
    lines = lines_of(source(*[("x", {"a": ("int", a), "b": ("byte", b)}) for b in (0, 1) for a in (0, 5)], ("y", {})))
    assert lines == {"x": "x b:b=0,1 a:i=0,5", "y": "y"}


def test_deriving_refuses_what_the_format_cannot_say() -> None:
    irregular = [("x", {"a": ("int", a), "b": ("int", b)}) for a, b in ((0, 0), (1, 1))]
    with pytest.raises(ValueError, match="not the product"):
        lines_of(source(*irregular))
    with pytest.raises(ValueError, match="does not expand"):
        lines_of(source(("x", {"a": ("string", "one,two")})))


def test_changes_name_what_went_and_say_what_is_new() -> None:
    before, after = {"a": "a", "b": "b", "c": "c x:i=0,1"}, {"a": "a", "c": "c x:i=0,1,2", "d": "d"}
    assert changes(before, after) == ["-b", "c x:i=0,1,2", "d"]


def test_both_files_are_written_from_the_folder_of_a_third_party(tmp_path: Path) -> None:
    versions = {}
    lists = {486: [("b", {}), ("C", {})], 503: [("C", {}), ("d", {})], 504: [("C", {}), ("d", {})]}
    for protocol, blocks in lists.items():
        folder = tmp_path / "bedrock" / f"v{protocol}"
        folder.mkdir(parents=True)
        (folder / "version.json").write_text(json.dumps({"version": protocol}))
        key = order_of(protocol)
        in_order = sorted(blocks, key=lambda block: key(f"minecraft:{block[0]}"))
        (folder / "blockStates.json").write_text(source(*in_order))
        versions[f"v{protocol}"] = {"version": f"bedrock/v{protocol}", "blockStates": f"bedrock/v{protocol}"}
    versions["borrows"] = {"version": "bedrock/v504", "blockStates": "bedrock/v504"}
    (tmp_path / "dataPaths.json").write_text(json.dumps({"bedrock": versions}))
    write_lists(tmp_path, tmp_path)
    assert (tmp_path / "states-486.txt").read_text() == "b\nC\n"
    assert (tmp_path / "states-changes.txt").read_text() == "@503\n-b\nd\n"
    (tmp_path / "505.json").write_text(source(("e", {})))
    write_lists(tmp_path, tmp_path, {505: tmp_path / "505.json"})
    assert (tmp_path / "states-changes.txt").read_text() == "@503\n-b\nd\n@505\n-C\n-d\ne\n"
    (tmp_path / "bedrock" / "v486" / "blockStates.json").write_text(source(("C", {}), ("b", {})))
    with pytest.raises(ValueError, match="are not in its order"):
        write_lists(tmp_path, tmp_path)
