"""Runtime ids: the numbers that stand for block states on the wire (wire.md 6.1).

Rules:
1. Ids count from 0 through a list of states. At 486 blocks stand in the order of their names, upper and lower case
   alike; the states of one block are consecutive, in an order only the vendor knows, so the list is data
   (``assets.states``).
2. Blocks of a server's own are sorted in and shift the ids behind them.
3. A palette never changes; ``with_custom`` gives another.

Limit: what states a custom block has, and in which order, is taken from the ``properties`` of its StartGame entry, all
combinations with the last changing fastest; no capture of 486 with such a block is known.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from assets import states as assets_states
from net.errors import LocalProtocolError
from net.nbt import Byte
from net.palette.state import BlockState, StateValue

AIR: Final = BlockState("minecraft:air")
CUSTOM_STATES_LIMIT: Final = 4096
"""A custom block that announces more combinations is taken as one state."""


class CustomStates(Protocol):
    """What a palette wants to know of a custom block; StartGame's entries are such."""

    @property
    def name(self) -> str:
        """With its namespace."""

    @property
    def nbt(self) -> Mapping[str, Any]:
        """Its properties and components, as they came."""


class Palette:
    """States by runtime id and back, of one protocol.

    Attributes:
        states: by runtime id.
        air: the id of air.
    """

    __slots__ = ("_ids", "air", "states")

    def __init__(self, states: Sequence[BlockState]) -> None:
        """Takes states in the order of their ids.

        Raises:
            LocalProtocolError: a state stands there twice, or air is missing.
        """
        self.states: Final = tuple(states)
        self._ids: Final = {state: runtime_id for runtime_id, state in enumerate(self.states)}
        if len(self._ids) != len(self.states):
            raise LocalProtocolError("a block state stands in the palette twice")
        if AIR not in self._ids:
            raise LocalProtocolError("the palette holds no air")
        self.air: Final = self._ids[AIR]

    @classmethod
    def for_protocol(cls, protocol: int) -> "Palette":
        """The vanilla palette.

        Raises:
            LocalProtocolError: that protocol's list is not here.
        """
        try:
            rows = assets_states.load(protocol)
        except KeyError as error:
            raise LocalProtocolError(str(error.args[0])) from None
        return cls([BlockState(*row) for row in rows])

    def __len__(self) -> int:
        return len(self.states)

    def state_of(self, runtime_id: int) -> BlockState | None:
        """The state of an id, None for one the palette does not hold."""
        return self.states[runtime_id] if 0 <= runtime_id < len(self.states) else None

    def runtime_id_of(self, state: BlockState) -> int | None:
        """The id of a state, None for one the palette does not hold. ``state.states`` must be sorted by property."""
        return self._ids.get(state)

    def with_custom(self, blocks: Iterable[CustomStates]) -> "Palette":
        """This palette with a server's own blocks sorted in.

        A block whose name is already there is left out: it only changes what the game does with the block.
        """
        names = {state.name for state in self.states}
        added: list[BlockState] = []
        for block in blocks:
            if block.name not in names:
                names.add(block.name)
                added.extend(_custom_states(block))
        if not added:
            return self
        # Sorting is stable: states of one block keep their order.
        return Palette(sorted([*self.states, *added], key=lambda state: state.name.lower()))


def _custom_states(block: CustomStates) -> Iterator[BlockState]:
    properties = dict(_properties(block.nbt.get("properties")))
    count = 1
    for values in properties.values():
        count *= len(values)
    if count > CUSTOM_STATES_LIMIT:
        yield BlockState(block.name)
        return
    for combination in itertools.product(*properties.values()):
        yield BlockState(block.name, tuple(sorted(zip(properties, combination, strict=True))))


def _properties(listed: object) -> Iterator[tuple[str, list[StateValue]]]:
    """(name, values) of each entry that says both: ``{name: string, enum: [values]}``."""
    for entry in listed if isinstance(listed, list) else []:
        if not isinstance(entry, Mapping):
            continue
        name, values = entry.get("name"), entry.get("enum")
        if not isinstance(name, str) or not isinstance(values, list):
            continue
        plain = list(dict.fromkeys(_plain(value) for value in values if isinstance(value, int | str)))
        if plain:
            yield name, plain


def _plain(value: int | str) -> StateValue:
    """A tag as a state's value: tags are subclasses of int and str, a Byte a yes or no."""
    if isinstance(value, str):
        return value
    return bool(value) if isinstance(value, Byte) and value in {0, 1} else int(value)
