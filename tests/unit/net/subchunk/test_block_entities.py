"""Block entities of a column as a world folder keeps them: what is found, and what is told of the rest."""

from hypothesis import example, given
from hypothesis import strategies as st

from net.nbt import DISK, NETWORK, Byte, Compound, Int, Short, encode_root, read_roots
from net.space.positions import BlockPos, ColumnPos
from net.subchunk.block_entities import position_of, read_saved_entities

HERE = ColumnPos(-2, 3)


def sign(x: int, y: int, z: int, text: str = "") -> Compound:
    return {"id": "Sign", "x": Int(x), "y": Int(y), "z": Int(z), "Text": text, "small": Short(-3), "list": [Byte(1)]}


def saved(*entities: Compound) -> bytes:
    return b"".join(encode_root(one, DISK) for one in entities)


def test_they_are_told_in_the_networks_nbt_with_all_their_tags() -> None:
    told: list[str] = []
    first, second = sign(-32, -60, 48, "ä"), sign(-17, 300, 63)
    found = read_saved_entities(saved(first, second), HERE, told.append)
    assert list(found) == [BlockPos(-32, -60, 48), BlockPos(-17, 300, 63)]
    assert read_roots(b"".join(found.values()), NETWORK) == [first, second]
    assert [type(tag) for tag in read_roots(found[BlockPos(-32, -60, 48)], NETWORK)[0].values()] == [
        type(tag) for tag in first.values()
    ]
    assert told == []


def test_the_later_of_two_at_a_place_is_told() -> None:
    found = read_saved_entities(saved(sign(-32, 1, 48, "old"), sign(-32, 1, 48, "new")), HERE, [].append)
    assert [one["Text"] for one in read_roots(b"".join(found.values()), NETWORK)] == ["new"]


def test_those_astray_are_counted_and_the_others_there() -> None:
    told: list[str] = []
    found = read_saved_entities(saved({"id": "Chest"}, sign(0, 0, 0), sign(-32, 1, 48)), HERE, told.append)
    assert list(found) == [BlockPos(-32, 1, 48)]
    assert told == ["column -2 3: 2 of 3 block entities say no place in it and are left out."]


@given(st.integers(0, 200), st.integers(0, 255))
@example(45, 98)  # a name's length: the name takes in the second and half of the third, and all of it makes sense
def test_damage_costs_what_lies_behind_it(at: int, value: int) -> None:
    whole = saved(sign(-32, 1, 48), sign(-31, 1, 48), sign(-30, 1, 48))
    data = bytearray(whole)
    data[at % len(data)] = value
    told: list[str] = []
    found = read_saved_entities(bytes(data), HERE, told.append)
    sound = at % len(data) * 3 // len(data)
    assert len(found) >= sound
    assert len(told) <= 2
    assert all(place.column == HERE for place in found)
    if not told:
        assert set(found) == {position_of(one) for one in read_roots(bytes(data), DISK)}, "nothing was lost in silence"
