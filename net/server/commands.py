"""Commands that change the world, from players and from the server's standard input.

| command | what it does |
|---|---|
| /setblock X Y Z BLOCK | one block |
| /fill X Y Z X Y Z BLOCK | a box of blocks, at most ``MOST_FILLED`` |
| /time set N, /time set day, noon, night or midnight, /time add N | the clock |
| /weather clear, rain or thunder | the sky |

BLOCK is a name, with or without ``minecraft:``, and properties as in ``log["old_log_type"="oak"]``. X, Y and Z may be
relative to the player's feet: ``~``, ``~-3``.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from net.palette import StateValue
from net.server.player import LONGEST, WrongCommand
from net.space import BlockPos

MOST_FILLED: Final = 32_768
DAY_TICKS: Final = 24_000
TIMES: Final = {"day": 1000, "noon": 6000, "night": 13_000, "midnight": 18_000}
WEATHERS: Final = ("clear", "rain", "thunder")
COMMANDS: Final = "/setblock, /fill, /time, /weather, and for players /dimension"
MOST_BLOCKS: Final = 30_000_000
_BLOCK: Final = re.compile(r"(?P<name>[a-z0-9_.:-]+)(\[(?P<values>[^\]]*)\])?")
_VALUE: Final = re.compile(r'\s*"?(?P<key>[^"=:]+)"?\s*[=:]\s*(?P<value>"[^"]*"|true|false|-?\d+|[a-z_]+)\s*')


class Fill(NamedTuple):
    """A box of blocks."""

    low: BlockPos
    high: BlockPos  # included
    name: str
    values: Mapping[str, StateValue]

    @property
    def blocks(self) -> int:
        (a, b, c), (d, e, f) = self.low, self.high
        return (d - a + 1) * (e - b + 1) * (f - c + 1)


class SetTimeTo(NamedTuple):
    """Sets the clock."""

    time: int
    relative: bool


class SetWeather(NamedTuple):
    """Sets the weather."""

    weather: str  # one of ``WEATHERS``


WorldCommand = Fill | SetTimeTo | SetWeather


def word_of(text: str) -> str:
    """The first word of a command, without its slash."""
    return (text[:LONGEST].removeprefix("/").split() or [""])[0]


def read_world_command(text: str, feet: tuple[float, float, float]) -> WorldCommand:
    """Parses a command. ``feet``: position of its sender. Raises WrongCommand: it is not valid."""
    if len(text) > LONGEST:
        raise WrongCommand(f"A command has at most {LONGEST} characters.")
    word, *rest = text.removeprefix("/").split() or [""]
    match word:
        case "setblock":
            place = _place(rest[:3], feet, "/setblock X Y Z BLOCK")
            return Fill(place, place, *_block(" ".join(rest[3:])))
        case "fill":
            one, other = (_place(rest[at : at + 3], feet, "/fill X Y Z X Y Z BLOCK") for at in (0, 3))
            low = BlockPos(*(min(pair) for pair in zip(one, other, strict=True)))
            high = BlockPos(*(max(pair) for pair in zip(one, other, strict=True)))
            fill = Fill(low, high, *_block(" ".join(rest[6:])))
            if fill.blocks > MOST_FILLED:
                raise WrongCommand(f"That is {fill.blocks:,} blocks; /fill changes at most {MOST_FILLED:,}.")
            return fill
        case "time":
            return _time(rest)
        case "weather":
            if len(rest) != 1 or rest[0] not in WEATHERS:
                raise WrongCommand(f"Write /weather {', '.join(WEATHERS)}.")
            return SetWeather(rest[0])
    raise WrongCommand(f"Unknown command '{word[:32]}'; there are {COMMANDS}.")


def _place(words: Sequence[str], feet: tuple[float, float, float], usage: str) -> BlockPos:
    if len(words) != len(feet):
        raise WrongCommand(f"Write {usage}.")
    found = []
    for word, foot in zip(words, feet, strict=True):
        base = foot if word.startswith("~") else 0.0
        try:
            number = base + float(word.removeprefix("~") or 0)
        except ValueError:
            raise WrongCommand(f"Write {usage}, with whole numbers for X Y Z.") from None
        if not abs(number) <= MOST_BLOCKS:
            raise WrongCommand("That position is too far out.")
        found.append(number)
    return BlockPos.containing(*found)


def _block(text: str) -> tuple[str, Mapping[str, StateValue]]:
    found = _BLOCK.fullmatch(text.strip())
    if found is None:
        raise WrongCommand('Name one block, for example stone or log["old_log_type"="oak"].')
    values: dict[str, StateValue] = {}
    for part in (found["values"] or "").split(",") if (found["values"] or "").strip() else ():
        said = _VALUE.fullmatch(part)
        if said is None:
            raise WrongCommand(f'Write properties as "name"=value, not {part.strip()[:32]}.')
        values[said["key"].strip()] = _value(said["value"])
    return found["name"], values


def _value(text: str) -> StateValue:
    try:
        value: StateValue = json.loads(text)
    except ValueError:
        return text
    return value


def _time(words: Sequence[str]) -> SetTimeTo:
    verb, word = (*words, "", "")[:2]
    relative = verb == "add"
    if verb == "set" and word in TIMES:
        return SetTimeTo(TIMES[word], relative=False)
    number = re.fullmatch(r"[0-9]{1,9}", word)
    if len(words) > len((verb, word)) or not (relative or verb == "set") or number is None:
        raise WrongCommand(f"Write /time set or /time add with a number, or /time set {', '.join(TIMES)}.")
    return SetTimeTo(int(word), relative)
