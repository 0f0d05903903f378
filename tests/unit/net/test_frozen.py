"""``frozen`` beside the standard library's: what it makes is a dataclass in all that anybody can ask of one."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import Any, ClassVar

import pytest

from net.frozen import frozen

THEIRS = dataclass(frozen=True, slots=True)
BOTH = pytest.mark.parametrize("made", [frozen, THEIRS], ids=["ours", "theirs"])
Maker = Callable[[type[Any]], type[Any]]


@frozen
class Place:
    """One that ``pickle`` finds by its name."""

    x: int
    names: tuple[str, ...] = ()


@frozen(eq=False)
class Alone:
    x: int


def rich(made: Maker) -> type[Any]:
    """A class with everything that fields may have."""

    class Rich:
        kind: ClassVar[str] = "rich"
        x: int
        other: str = "o"
        made: list[int] = field(default_factory=list)
        hidden: bytes = field(default=b"", repr=False, compare=False)
        unhashed: Any = field(default=None, hash=False)  # Any: whatever cannot be hashed

    return made(Rich)


@BOTH
def test_values_come_by_place_by_name_by_default_and_from_factories(made: Maker) -> None:
    of = rich(made)
    assert dataclasses.astuple(of(1)) == (1, "o", [], b"", None)
    assert dataclasses.astuple(of(1, "p", hidden=b"h", made=[2])) == (1, "p", [2], b"h", None)
    assert of(1).made is not of(1).made
    assert of.kind == "rich"


@BOTH
def test_what_is_missing_or_too_much_is_named(made: Maker) -> None:
    of = rich(made)
    with pytest.raises(TypeError, match=r"Rich.__init__\(\) missing 1 required positional argument: 'x'"):
        of()
    with pytest.raises(TypeError, match=r"Rich.__init__\(\) got an unexpected keyword argument 'z'"):
        of(1, z=2)


@BOTH
def test_nothing_can_be_written(made: Maker) -> None:
    one = rich(made)(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        one.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del one.x
    with pytest.raises((FrozenInstanceError, TypeError)):  # theirs trips over its own class
        one.new = 1
    assert not hasattr(one, "__dict__")


@BOTH
def test_it_is_equal_by_the_fields_that_count(made: Maker) -> None:
    of = rich(made)
    assert of(1, hidden=b"h") == of(1)
    assert of(1) != of(2)
    assert of(1) != of(1, unhashed=3)
    assert of(1) != rich(made)(1)
    unlike_itself = float("nan")
    assert of(unlike_itself) == of(unlike_itself)


@BOTH
def test_its_hash_is_of_the_fields_that_count_in_it(made: Maker) -> None:
    of = rich(made)
    assert hash(of(1, made=(), unhashed=[])) == hash(of(1, made=(), hidden=b"h"))
    assert len({of(1, made=()), of(2, made=()), of(1, made=())}) == 2
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(of(1))


def test_it_looks_like_the_standard_librarys() -> None:
    ours, theirs = rich(frozen), rich(THEIRS)
    assert repr(ours(1, hidden=b"h")) == repr(theirs(1, hidden=b"h"))
    assert ours.__match_args__ == theirs.__match_args__
    assert inspect.signature(ours.__init__).parameters.keys() == inspect.signature(theirs.__init__).parameters.keys()
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    assert ours.__init__.__qualname__ == theirs.__init__.__qualname__
    assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    assert hash(ours(1, made=())) == hash(theirs(1, made=()))


def test_one_that_holds_itself_is_shown() -> None:
    one = rich(frozen)(1)
    one.made.append(one)
    assert repr(one).endswith("made=[...], unhashed=None)")


def test_it_is_copied_kept_and_replaced() -> None:
    one = Place(1, ("a",))
    assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == copy.deepcopy(one) == one
    assert dataclasses.replace(one, x=2) == Place(2, ("a",))
    assert dataclasses.asdict(one) == {"x": 1, "names": ("a",)}
    match one:
        case Place(x, names):
            assert (x, names) == (1, ("a",))


def test_without_equality_each_is_itself() -> None:
    one = Alone(1)
    assert one in [one]
    assert one != Alone(1)
    assert len({one, Alone(1)}) == 2


@BOTH
def test_methods_of_its_own_stay(made: Maker) -> None:
    class Own:
        """As its own methods say."""

        x: int

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("below 0")

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self))

        __hash__ = None  # as without this line; the fields' takes its place

        def __repr__(self) -> str:
            return "own"

    of = made(Own)
    assert of(1) == of(2)
    assert repr(of(1)) == "own"
    assert of(1).__doc__ == "As its own methods say."
    assert hash(of(1)) == hash(of(1))
    with pytest.raises(ValueError, match="below 0"):
        of(-1)


@BOTH
def test_fields_are_inherited(made: Maker) -> None:
    class Base:
        x: int

    class More(made(Base)):
        y: int = 2

    assert dataclasses.astuple(made(More)(1)) == (1, 2)


@BOTH
def test_a_class_may_have_no_fields(made: Maker) -> None:
    class Nothing:
        pass

    of = made(Nothing)
    assert of() == of()
    assert hash(of()) == hash(of())


@pytest.mark.parametrize("made", [frozen(kw_only=True), dataclass(frozen=True, slots=True, kw_only=True)])
def test_fields_may_be_given_by_their_names_alone(made: Maker) -> None:
    class Named:
        x: int = 1
        y: int
        z: list[int] = field(default_factory=list)

    of = made(Named)
    assert dataclasses.astuple(of(y=2)) == (1, 2, [])
    assert of(y=2).z is not of(y=2).z
    assert dataclasses.replace(of(y=2), x=3) == of(x=3, y=2)
    with pytest.raises(TypeError, match=r"takes 1 positional argument but"):
        of(1, y=2)
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'y'"):
        of()


def test_fields_that_it_cannot_take_are_refused() -> None:
    class Keyword:
        x: int = field(kw_only=True)

    class Unset:
        x: int = field(default=1, init=False)

    for given in (Keyword, Unset):
        with pytest.raises(TypeError, match="frozen takes all fields, and all by their places or all by their names"):
            frozen(given)
