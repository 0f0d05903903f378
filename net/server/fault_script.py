"""Fault scripts: a ``Faults`` written as TOML (the form is documented in net/README.md).

Rules:
1. Whatever is wrong is one sentence that names the file, the line and the key, and for a key that does not exist the
   nearest one that does.
2. The tables below are the form: one row a key, with how its value is read. What a script does not say is no fault.
3. ``[wire]`` holds for both directions; ``[wire.up]`` and ``[wire.down]`` say what differs.
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from net.bedrock import SubChunkResult
from net.server.faults import ALWAYS, Every, Faults, Kick, Refusal, Silence
from net.transport.faulty import Faults as WireFaults

Values = Mapping[str, Any]  # what TOML holds may be of any of its types; each reader checks its own
Read = Callable[[Any], Any]


class BadFaultScript(Exception):
    """A script that cannot be used; the message is a sentence for its author."""


class _WrongValue(Exception):
    """What a value must be."""


def _number(low: float, high: float, what: str) -> Read:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise _WrongValue(what)
        return float(value)

    return read


def _whole(low: int, high: int) -> Read:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise _WrongValue(f"a whole number from {low} to {high}")
        return value

    return read


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _WrongValue("true or false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise _WrongValue("a text")
    return value


def _span_ms(value: Any) -> tuple[float, float]:
    """Seconds: the shortest delay, and what is added at most."""
    ends = value if isinstance(value, list) else [value, value]
    if len(ends) == 2:
        low, high = (_milliseconds(end) for end in ends)
        if low <= high:
            return low, high - low
    raise _WrongValue("milliseconds, or [least, most]")


def _times(value: Any) -> int:
    return ALWAYS if value == "always" else int(_whole(1, 1_000_000)(value))


def _code(value: Any) -> int:
    if isinstance(value, str):
        names = {result.name.lower(): int(result) for result in SubChunkResult}
        if value not in names:
            raise _WrongValue(f"a number from 0 to 255 or one of {', '.join(names)}")
        return names[value]
    return int(_whole(0, 255)(value))


_share: Final = _number(0.0, 1.0, "a number from 0 to 1")
_seconds: Final = _number(0.0, 1e6, "seconds, 0 or more")
_pause: Final = _number(0.05, 1e6, "seconds, 0.05 or more")


def _milliseconds(value: Any) -> float:
    return float(_number(0.0, 1e7, "milliseconds, or [least, most]")(value)) / 1000


_WIRE: Final[Mapping[str, Read]] = {
    "delay_ms": _span_ms,
    "loss": _share,
    "reordering": _share,
    "duplication": _share,
    "largest_bytes": _whole(0, 65535),
    "queue_datagrams": _whole(0, 1_000_000),
}
_ANSWERS: Final[Mapping[str, Read]] = {
    "delay_ms": _milliseconds,
    "reverse": _truth,
    "unanswered": _share,
    "partial": _share,
    "wrong_dimension": _share,
    "contradicting_heights": _share,
    "corrupted": _share,
}
_TABLES: Final[Mapping[str, Mapping[str, Read]]] = {
    "wire": {**_WIRE, "up": dict, "down": dict},
    "wire.up": _WIRE,
    "wire.down": _WIRE,
    "answers": _ANSWERS,
    "refusals": {"code": _code, "share": _share, "times": _times},
    "replacement": {"every_s": _pause, "columns": _whole(1, 10_000)},
    "updates": {"every_s": _pause, "blocks": _whole(1, 100_000)},
    "kick": {"after_s": _seconds, "reason": _text},
    "silence": {"after_s": _seconds, "for_s": _seconds},
}
_REQUIRED: Final = {
    "refusals": {"code"},
    "replacement": {"every_s", "columns"},
    "updates": {"every_s", "blocks"},
    "kick": {"after_s"},
    "silence": {"after_s"},
}
_ROOT: Final = ("seed", "wire", "answers", "refusals", "replacement", "updates", "kick", "silence")


def read_fault_script(text: str, name: str = "the fault script") -> Faults:
    """What a script says.

    Args:
        text: TOML.
        name: of the file, for messages.

    Raises:
        BadFaultScript: see the module.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFaultScript(f"{name} is no TOML: {error}.") from None
    except RecursionError:
        raise BadFaultScript(f"{name} is nested deeper than any fault script is.") from None
    return _Script(text, name, values).faults()


class _Script:
    """One script while it is read: knows the lines for messages."""

    def __init__(self, text: str, name: str, values: Values) -> None:
        self._lines = text.splitlines()
        self._name = name
        self._values = values

    def faults(self) -> Faults:
        for key in self._values:
            if key not in _ROOT:
                raise self._unknown("", key, _ROOT)
        seed = self._values.get("seed", 0)
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise self._wrong("", "seed", seed, "a whole number")
        answers = dict(self._table("answers"))
        answers["delay_s"] = answers.pop("delay_ms", 0.0)
        both = self._wire("wire", WireFaults())
        return Faults(
            seed=seed,
            refusals=tuple(Refusal(**each) for each in self._rows("refusals")),
            replacement=self._every("replacement", "columns"),
            updates=self._every("updates", "blocks"),
            kick=Kick(**self._table("kick")) if "kick" in self._values else None,
            silence=Silence(**self._table("silence")) if "silence" in self._values else None,
            up=self._wire("wire.up", both),
            down=self._wire("wire.down", both),
            **answers,
        )

    def _every(self, table: str, counted: str) -> Every | None:
        found = self._table(table)
        return Every(found["every_s"], found[counted]) if found else None

    def _wire(self, table: str, base: WireFaults) -> WireFaults:
        found = dict(self._table(table))
        found.pop("up", None), found.pop("down", None)
        if "delay_ms" in found:
            found["delay_s"], found["jitter_s"] = found.pop("delay_ms")
        if "duplication" in found:
            found["repetition"] = found.pop("duplication")
        if base == WireFaults():
            found.setdefault("reordering", 0.0)  # a script says what it wants out of order
        return replace(base, **found) if self._table(table) else base

    def _rows(self, table: str) -> list[Values]:
        rows = self._values.get(table, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadFaultScript(f"{self._where('', table)}: '{table}' must be written as [[{table}]].")
        return [self._read(table, row, count) for count, row in enumerate(rows)]

    def _table(self, table: str) -> Values:
        values: Any = self._values
        for part in table.split("."):
            values = values.get(part, {})
            if not isinstance(values, dict):
                raise BadFaultScript(f"{self._where('', part)}: '{table}' must be a table, [{table}].")
        return self._read(table, values, 0)

    def _read(self, table: str, values: Values, count: int) -> Values:
        keys = _TABLES[table]
        read = {}
        for key, value in values.items():
            if key not in keys:
                raise self._unknown(table, key, keys, count)
            try:
                read[key] = keys[key](value)
            except _WrongValue as error:
                raise self._wrong(table, key, value, str(error), count) from None
            except (TypeError, ValueError):
                raise self._wrong(table, key, value, "a table", count) from None
        missing = _REQUIRED.get(table, set()) - set(values)
        if missing and table in self._values:
            raise BadFaultScript(f"{self._where(table, '', count)}: [{table}] needs '{min(missing)}'.")
        return read

    # ---------------------------------------------------------------- messages

    def _unknown(
        self, table: str, key: str, keys: "Mapping[str, Read] | tuple[str, ...]", count: int = 0
    ) -> BadFaultScript:
        near = difflib.get_close_matches(key, list(keys), 1, 0.4)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(keys)}."
        where = f" in [{table}]" if table else ""
        return BadFaultScript(f"{self._where(table, key, count)}: there is no '{key}'{where}; {hint}")

    def _wrong(self, table: str, key: str, value: object, what: str, count: int = 0) -> BadFaultScript:
        where = f" in [{table}]" if table else ""
        return BadFaultScript(f"{self._where(table, key, count)}: '{key}'{where} is {value!r}; it must be {what}.")

    def _where(self, table: str, key: str, count: int = 0) -> str:
        """The file and, where it can be told, the line of a key in the table's ``count``-th appearance."""
        current, seen, header = "", -1, None
        for number, line in enumerate(self._lines, 1):
            opened = re.match(r"\s*\[\[?\s*([\w.\-\s]+?)\s*\]\]?", line)
            if opened:
                current = opened[1].replace(" ", "")
                seen += current == table
                if current == table and seen == count:
                    header = number
                if current == key and not table:
                    return f"{self._name}, line {number}"
                continue
            here = current == table and (not table or seen == count)
            if key and here and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
                return f"{self._name}, line {number}"
        return self._name if header is None else f"{self._name}, line {header}"
