"""Fault scripts: a ``Faults`` written as TOML (the form is documented in net/README.md).

Rules:
1. Whatever is wrong is one sentence that names the file, the line and the key, and for a key that does not exist the
   nearest one that does.
2. The tables below are the form: one row a key, with how its value is read. What a script does not say is no fault.
3. ``[wire]`` holds for both directions; ``[wire.up]`` and ``[wire.down]`` say what differs.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from net.bedrock import SubChunkResult
from net.config import Form, Read, TomlTables, WrongValue
from net.server.faults import ALWAYS, Every, Faults, Kick, Refusal, Silence
from net.transport.faulty import Faults as WireFaults


class BadFaultScript(Exception):
    """A script that cannot be used; the message is a sentence for its author."""


def _number(low: float, high: float, what: str) -> Read:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise WrongValue(what)
        return float(value)

    return read


def _whole(low: int, high: int) -> Read:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise WrongValue(f"a whole number from {low} to {high}")
        return value

    return read


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise WrongValue("true or false")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongValue("a whole number")
    return value


def _subtable(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongValue("a table")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise WrongValue("a text")
    return value


def _span_ms(value: Any) -> tuple[float, float]:
    """Seconds: the shortest delay, and what is added at most."""
    ends = value if isinstance(value, list) else [value, value]
    if len(ends) == 2:
        low, high = (_milliseconds(end) for end in ends)
        if low <= high:
            return low, high - low
    raise WrongValue("milliseconds, or [least, most]")


def _times(value: Any) -> int:
    return ALWAYS if value == "always" else int(_whole(1, 1_000_000)(value))


def _code(value: Any) -> int:
    if isinstance(value, str):
        names = {result.name.lower(): int(result) for result in SubChunkResult}
        if value not in names:
            raise WrongValue(f"a number from 0 to 255 or one of {', '.join(names)}")
        return names[value]
    return int(_whole(0, 255)(value))


_share: Final = _number(0.0, 1.0, "a number from 0 to 1")
_seconds: Final = _number(0.0, 1e6, "seconds, 0 or more")
_pause: Final = _number(0.05, 1e6, "seconds, 0.05 or more")


def _milliseconds(value: Any) -> float:
    return float(_number(0.0, 1e7, "milliseconds, or [least, most]")(value)) / 1000


_WIRE: Final[Form] = {
    "delay_ms": _span_ms,
    "loss": _share,
    "reordering": _share,
    "duplication": _share,
    "largest_bytes": _whole(0, 65535),
    "queue_datagrams": _whole(0, 1_000_000),
}
_ANSWERS: Final[Form] = {
    "delay_ms": _milliseconds,
    "reverse": _truth,
    "unanswered": _share,
    "unanswered_times": _times,
    "partial": _share,
    "wrong_dimension": _share,
    "contradicting_heights": _share,
    "corrupted": _share,
}
_TABLES: Final[Mapping[str, Form]] = {
    "wire": {**_WIRE, "up": _subtable, "down": _subtable},
    "wire.up": _WIRE,
    "wire.down": _WIRE,
    "answers": _ANSWERS,
    "refusals": {"code": _code, "share": _share, "times": _times},
    "columns": {"withheld": _share},
    "replacement": {"every_s": _pause, "columns": _whole(1, 10_000)},
    "updates": {"every_s": _pause, "blocks": _whole(1, 100_000)},
    "crossing": {"every_s": _pause},
    "kick": {"after_s": _seconds, "reason": _text},
    "silence": {"after_s": _seconds, "for_s": _seconds},
}
_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "refusals": ("code",),
    "replacement": ("every_s", "columns"),
    "updates": ("every_s", "blocks"),
    "crossing": ("every_s",),
    "kick": ("after_s",),
    "silence": ("after_s",),
}
_ROOT: Final = ("wire", "answers", "refusals", "columns", "replacement", "updates", "crossing", "kick", "silence")


def read_fault_script(text: str, name: str = "the fault script") -> Faults:
    """What a script says.

    Args:
        text: TOML.
        name: of the file, for messages.

    Raises:
        BadFaultScript: see the module.
    """
    return _faults(TomlTables(name, text, BadFaultScript, "fault script"))


def _faults(script: TomlTables) -> Faults:
    seed = script.root({"seed": _integer}, _ROOT).get("seed", 0)
    answers = _table(script, "answers")
    answers["delay_s"] = answers.pop("delay_ms", 0.0)
    both = _wire(script, "wire", WireFaults())
    refusals = script.rows("refusals", _TABLES["refusals"], _REQUIRED["refusals"])
    kick, silence = _table(script, "kick"), _table(script, "silence")
    return Faults(
        seed=seed,
        refusals=tuple(Refusal(**each) for each in refusals),
        replacement=_every(script, "replacement", "columns"),
        updates=_every(script, "updates", "blocks"),
        crossing_s=_table(script, "crossing").get("every_s"),
        kick=Kick(**kick) if kick else None,
        silence=Silence(**silence) if silence else None,
        up=_wire(script, "wire.up", both),
        down=_wire(script, "wire.down", both),
        **_table(script, "columns"),
        **answers,
    )


def _table(script: TomlTables, name: str) -> dict[str, Any]:
    return script.table(name, _TABLES[name], _REQUIRED.get(name, ()))


def _every(script: TomlTables, table: str, counted: str) -> Every | None:
    found = _table(script, table)
    return Every(found["every_s"], found[counted]) if found else None


def _wire(script: TomlTables, table: str, base: WireFaults) -> WireFaults:
    said = _table(script, table)
    found = {key: value for key, value in said.items() if key not in ("up", "down")}
    if "delay_ms" in found:
        found["delay_s"], found["jitter_s"] = found.pop("delay_ms")
    if "duplication" in found:
        found["repetition"] = found.pop("duplication")
    if base == WireFaults():
        found.setdefault("reordering", 0.0)  # a script says what it wants out of order
    return replace(base, **found) if said else base
