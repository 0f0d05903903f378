"""The states of a sub-chunk, the events, and the table of transitions.

Rules (seeds 000 and 001, interfaces.md "States of a sub-chunk"):
1. A place needs a request while it is UNKNOWN, WANTED, REQUESTED, REFUSED, UNDECODABLE, RESET or EVICTED and its
   column is announced. Only then is a success used; a success for KNOWN_AIR is used, too.
2. After a success (DATA, ALL_AIR) further ones are ignored until the column is announced again.
3. The state alone decides what is shown. Older blocks are shown only in RESET: a refusal, or an answer that does not
   decode, shows that they are outdated, and leaves a placeholder.
4. RESET stays RESET while it is requested: readers must know what is shown, not whether an answer is pending.
5. The states are facts of the protocol. Lit, meshed, uploaded and drawn are another enum, in ``render``.

``LIFE`` defines all transitions; ``diagram`` prints it.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt


class SubChunkState(IntEnum):
    """State of one sub-chunk, as ``dump`` writes it and shaders see it."""

    UNKNOWN = 0  # its column is not announced, or it is not requested
    KNOWN_AIR = 1  # above the limit of its column's announcement: air, never requested
    WANTED = 2  # will be requested
    REQUESTED = 3  # requested, no answer
    DATA = 4  # blocks arrived
    ALL_AIR = 5  # the server answered: all air
    REFUSED = 6  # the server will not send it; the code is in ``Store.refusal``
    UNDECODABLE = 7  # the bytes of its answer are invalid
    RESET = 8  # announced again; its older blocks are still shown
    EVICTED = 9  # dropped to save memory, or there was no room for its blocks
    OUTSIDE = 255  # not in the dimension


STATE_WORDS: Final = {
    SubChunkState.UNKNOWN: "not requested (hidden)",
    SubChunkState.KNOWN_AIR: "known air (above the limit)",
    SubChunkState.WANTED: "not requested yet",
    SubChunkState.REQUESTED: "requested, no answer yet",
    SubChunkState.DATA: "received",
    SubChunkState.ALL_AIR: "air by answer",
    SubChunkState.REFUSED: "refused by the server",
    SubChunkState.UNDECODABLE: "undecodable",
    SubChunkState.RESET: "announced again, older blocks shown",
    SubChunkState.EVICTED: "evicted to save memory",
}
"""Texts for legends, the HUD and reports. OUTSIDE is never reported."""


class StateEvent(IntEnum):
    """Events of a sub-chunk, as its history keeps them."""

    ANNOUNCED = 0  # a skeleton; its section is at or below the limit
    ABOVE_LIMIT = 1  # a skeleton; its section is above the limit
    COLUMN_DATA = 2  # a whole column brought its blocks
    COLUMN_AIR = 3  # a whole column ended below it
    COLUMN_BROKEN = 4  # a whole column cannot be decoded from here on
    ANSWER_DATA = 5  # result 1
    ANSWER_AIR = 6  # result 6
    ANSWER_BROKEN = 7  # result 1 with undecodable bytes
    ANSWER_REFUSED = 8  # result 3, 5 or an unknown one
    ANSWER_IGNORED = 9  # a repeated success, or a failure that closes nothing
    GIVEN_UP = 10  # result 0 or 2, six times
    PLANNED = 11  # the planner includes it
    LEFT_PLAN = 12  # the planner leaves it out
    REQUESTED = 13  # a request named it
    EDITED = 14  # a block of it changed
    RELEASED = 15  # dropped to save memory, or the pools are full; its column stays


EVENT_WORDS: Final = {
    StateEvent.ANNOUNCED: "announced",
    StateEvent.ABOVE_LIMIT: "announced above limit",
    StateEvent.COLUMN_DATA: "sent whole",
    StateEvent.COLUMN_AIR: "sent whole: air",
    StateEvent.COLUMN_BROKEN: "sent whole: undecodable",
    StateEvent.ANSWER_DATA: "answered",
    StateEvent.ANSWER_AIR: "answered: air",
    StateEvent.ANSWER_BROKEN: "answered: undecodable",
    StateEvent.ANSWER_REFUSED: "refused",
    StateEvent.ANSWER_IGNORED: "answer ignored",
    StateEvent.GIVEN_UP: "given up",
    StateEvent.PLANNED: "planned",
    StateEvent.LEFT_PLAN: "no longer planned",
    StateEvent.REQUESTED: "requested",
    StateEvent.EDITED: "block changed",
    StateEvent.RELEASED: "evicted",
}
"""Texts for histories. JSON has the names."""

_K = SubChunkState
_ALL: Final = tuple(state for state in SubChunkState if state is not SubChunkState.OUTSIDE)

NEEDS_REQUEST: Final = (_K.UNKNOWN, _K.WANTED, _K.REQUESTED, _K.REFUSED, _K.UNDECODABLE, _K.RESET, _K.EVICTED)
"""States in which an answer is used."""

PLACEHOLDER_STATES: Final = tuple(state for state in NEEDS_REQUEST if state is not _K.RESET)
"""States that show a placeholder, which is not drawn and obstructs light, visibility and movement."""

SHOWN_STATES: Final = frozenset({_K.KNOWN_AIR, _K.DATA, _K.ALL_AIR})
"""States whose blocks, or air, are final unless the server changes them."""

OPEN_STATES: Final = (_K.WANTED, _K.REQUESTED, _K.RESET)
"""States in which a request is due, or its answer."""

AWAITED_STATES: Final = (_K.UNKNOWN, _K.WANTED, _K.REQUESTED, _K.RESET, _K.EVICTED)
"""States whose blocks may yet come, so that changes of them are kept; the others are not requested again."""

ROOMLESS_STATES: Final = (_K.UNKNOWN, _K.KNOWN_AIR, _K.WANTED, _K.REQUESTED, _K.ALL_AIR, _K.REFUSED, _K.UNDECODABLE)
"""States without blocks, which become EVICTED if the pools are full when blocks come."""


class Row(msgspec.Struct, frozen=True):
    """One line of the table."""

    cause: StateEvent  # the event
    before: tuple[SubChunkState, ...]  # the states in which it is possible
    after: SubChunkState | None  # the next state; None: the state stays, and the history records the event all the same
    told: str  # the event in words


LIFE: Final = (
    Row(StateEvent.ANNOUNCED, (_K.UNKNOWN,), None, "its column is announced, and it is not above the limit"),
    Row(
        StateEvent.ANNOUNCED,
        (_K.KNOWN_AIR, _K.DATA, _K.ALL_AIR),
        _K.RESET,
        "its column is announced again while blocks or air are shown",
    ),
    Row(StateEvent.ANNOUNCED, (_K.RESET,), None, "its column is announced once more"),
    Row(
        StateEvent.ANNOUNCED,
        (_K.WANTED, _K.REQUESTED),
        None,
        "its column is announced again: the answer that is due will be of the new one",
    ),
    Row(
        StateEvent.ANNOUNCED,
        (_K.REFUSED, _K.UNDECODABLE, _K.EVICTED),
        _K.UNKNOWN,
        "its column is announced again while nothing is shown",
    ),
    Row(StateEvent.ABOVE_LIMIT, _ALL, _K.KNOWN_AIR, "its column is announced, and it is above the limit"),
    Row(StateEvent.COLUMN_DATA, _ALL, _K.DATA, "its column is sent whole, with its blocks"),
    Row(StateEvent.COLUMN_AIR, _ALL, _K.ALL_AIR, "its column is sent whole and ends below it"),
    Row(
        StateEvent.COLUMN_BROKEN,
        _ALL,
        _K.UNDECODABLE,
        "its column is sent whole, and its bytes are invalid from here on",
    ),
    Row(
        StateEvent.PLANNED,
        (_K.UNKNOWN, _K.REQUESTED, _K.EVICTED),
        _K.WANTED,
        "chunkscope decides to request it, or to request it again",
    ),
    Row(
        StateEvent.LEFT_PLAN,
        (_K.WANTED, _K.REQUESTED),
        _K.UNKNOWN,
        "it is hidden or too far away by now, and no answer is due",
    ),
    Row(StateEvent.REQUESTED, (_K.UNKNOWN, _K.WANTED, _K.EVICTED), _K.REQUESTED, "a request for it is sent"),
    Row(
        StateEvent.REQUESTED,
        (_K.REQUESTED, _K.RESET),
        None,
        "a request for it is sent again, or while its older blocks are shown",
    ),
    Row(
        StateEvent.ANSWER_DATA,
        (*NEEDS_REQUEST, _K.KNOWN_AIR),
        _K.DATA,
        "the answer has code 1 and blocks (for known air it is also counted as unsolicited)",
    ),
    Row(
        StateEvent.ANSWER_AIR,
        (*NEEDS_REQUEST, _K.KNOWN_AIR),
        _K.ALL_AIR,
        "the answer has code 6, all air (for known air it is also counted as unsolicited)",
    ),
    Row(
        StateEvent.ANSWER_BROKEN,
        (*NEEDS_REQUEST, _K.KNOWN_AIR),
        _K.UNDECODABLE,
        "the answer has code 1, and its bytes are invalid",
    ),
    Row(StateEvent.ANSWER_REFUSED, NEEDS_REQUEST, _K.REFUSED, "the answer has code 3, 5 or an unknown one"),
    Row(StateEvent.GIVEN_UP, NEEDS_REQUEST, _K.REFUSED, "the sixth answer with code 0 or 2"),
    Row(
        StateEvent.ANSWER_IGNORED,
        _ALL,
        None,
        "an answer that changes nothing: blocks once more, code 0, 2 or 4, an unrequested error",
    ),
    Row(StateEvent.EDITED, (_K.KNOWN_AIR, _K.ALL_AIR), _K.DATA, "one of its blocks changes"),
    Row(StateEvent.EDITED, (_K.DATA, _K.RESET), None, "one of its blocks changes while blocks are shown"),
    Row(StateEvent.RELEASED, (_K.DATA, _K.RESET), _K.EVICTED, "its blocks are dropped to save memory"),
    Row(StateEvent.RELEASED, ROOMLESS_STATES, _K.EVICTED, "its blocks arrive while the memory for blocks is full"),
    Row(StateEvent.RELEASED, (_K.EVICTED,), None, "its blocks arrive, and the memory for blocks is still full"),
)
"""All transitions. Each (cause, before) occurs once, so a cause and a state determine the next state."""

STATES: Final = 256  # length of tables indexed by a state
ILLEGAL: Final = 254
"""In ``AFTER``: not possible. No state has this number."""


def table_of(members: Iterable[SubChunkState | StateEvent]) -> npt.NDArray[np.bool_]:
    """bool[256]: membership of states, or of events, by number, for whole arrays at once."""
    table = np.zeros(STATES, bool)
    table[list(members)] = True
    return table


def _after() -> npt.NDArray[np.uint8]:
    table = np.full((len(StateEvent), STATES), ILLEGAL, np.uint8)
    for row in LIFE:
        for before in row.before:
            table[row.cause, before] = before if row.after is None else row.after
    table.flags.writeable = False
    return table


AFTER: Final = _after()  # uint8[causes, 256]: ``LIFE`` as a table [cause, before], ILLEGAL for the rest


def shown_in(state: SubChunkState) -> str:
    """What a sub-chunk in this state shows, in words."""
    if state in PLACEHOLDER_STATES:
        return "placeholder"
    return {_K.DATA: "its blocks", _K.RESET: "its older blocks"}.get(state, "air")


def diagram() -> str:
    """``LIFE`` as a table in Markdown for docs/reference/states.md, a line for each row."""
    lines = ["| what happens | before | after | shown then |", "|---|---|---|---|"]
    for row in LIFE:
        before = "any" if row.before == _ALL else ", ".join(f"`{state.name.lower()}`" for state in row.before)
        after = "the same" if row.after is None else f"`{row.after.name.lower()}`"
        shown = "as before" if row.after is None else shown_in(row.after)
        lines.append(f"| {row.told} | {before} | {after} | {shown} |")
    return "\n".join(lines)
