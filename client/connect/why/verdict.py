"""The facts of a sub-chunk in one plain sentence: its state now, and why.

The first words say the kind of hole, for people who look for one: never sent, not asked for, late, refused,
undecodable, unmeshed, unlit. What is received and in the picture begins with "Received".
"""

from collections.abc import Callable
from typing import Final

from client.connect.why.facts import Facts, Happening, WantFacts, code_name
from client.connect.why.words import told_missing_light
from client.connect.wording import one_line
from client.session.waiting import PAUSED
from client.world.lifecycle import Cause, Knowledge


def verdict(facts: Facts) -> str:
    """One sentence, with a full stop."""
    if facts.column is None:
        return f"Never sent: its column was never announced{_why_no_column(facts.want)}."
    return f"{SENTENCES[facts.knowledge](facts)}."


def _why_no_column(want: WantFacts) -> str:
    away, reach = want.away_columns, want.radius_columns
    if want.closed is not None:
        return f"; the session is over ({one_line(want.closed)})"
    if want.phase != "playing":
        return f"; the server has not let the player in yet ({want.phase})"
    if away > reach:
        return f"; it is {away} columns from the player, and the server sends those up to {reach} away"
    if want.in_circle is False:
        return "; it lies outside the circle that the server keeps up to date"
    return ", though it lies within the radius that the server granted"


def _unknown(facts: Facts) -> str:
    want = facts.want
    if want.closed is not None:
        return f"Not asked for: the session is over ({one_line(want.closed)})"
    if want.paused:
        return f"Not asked for: {PAUSED}"
    if facts.request is not None and facts.request.status != "free":
        return _requested(facts)
    if want.away_columns > want.radius_columns:
        reach = f"requests end at the {want.radius_columns} that the server granted"
        return f"Nobody asks for it: it is {want.away_columns} columns from the player, and {reach}"
    if want.in_plan or want.ticking:
        return "Not asked for yet, though it is wanted"
    return "Nobody asks for it: not in the ticking area and not visible from the player"


def _wanted(facts: Facts) -> str:
    asked, paused = facts.request is not None and facts.request.asked, facts.want.paused
    if asked:
        return _requested(facts) + ("" if paused else "; it is about to be asked again")
    return "Wanted and not asked yet: " + (
        PAUSED if paused else "the limits on requests hold it back, or others come first"
    )


def _requested(facts: Facts) -> str:
    request = facts.request
    if request is None:
        return "Asked, no answer"
    ago_s = facts.now_s - request.last_asked_s
    times = "once" if request.asked == 1 else f"{request.asked} times"
    late = "Late: asked" if request.silences else "Asked"
    asked = f"{late} {times}, last {ago_s:.1f} s ago"
    if facts.want.paused and request.status == "free":
        return f"{asked}: {PAUSED}"
    if request.status != "waiting" or facts.code is None:
        return f"{asked}, no answer yet"
    again_s = max((request.due_s or facts.now_s) - facts.now_s, 0.0)
    return f"{asked}: the server said {_coded(facts.code)} ({request.tries} so far), asked again in {again_s:.1f} s"


def _refused(facts: Facts) -> str:
    by_us = any(event.cause == Cause.GIVEN_UP.name.lower() for event in facts.history[-1:])
    told = _coded(facts.code) if facts.code else "no code"
    tries = f", {facts.request.tries} times" if by_us and facts.request and facts.request.tries else ""
    return f"Refused by the server: {told}{tries}"


def _undecodable(facts: Facts) -> str:
    fault = one_line(facts.fault) if facts.fault else "what was wrong with them is not known any more"
    return f"Undecodable: the server sent bytes for it that make no sense ({fault})"


def _reset(facts: Facts) -> str:
    ago = "" if facts.since_s is None else f" {facts.now_s - facts.since_s:.1f} s ago"
    asked = _requested(facts) if facts.request and facts.request.asked else "Not asked for since"
    return f"Its column was announced again{ago}, so its older blocks are shown until the answer. {asked}"


def _evicted(facts: Facts) -> str:
    ago = "" if facts.since_s is None else f" {facts.now_s - facts.since_s:.1f} s ago"
    if _last(facts, "released", lambda event: event.before not in ("data", "reset")):
        return f"Without room: its blocks came{ago}, and the pool was full; it is asked again when there is room"
    return f"Dropped by us{ago} to save memory, since no anchor held its column; it is asked again when it is wanted"


def _data(facts: Facts) -> str:
    count, named = facts.states
    most = f", most of all {named[0][0]} ({named[0][1] * 100 // 4096} %)" if named else ""
    changed = _last(facts, "edited", lambda event: event.before in ("known_air", "all_air"))
    how = "; it was air until a block of it was changed" if changed else ""
    held = f"{count} block state{'s' if count != 1 else ''}{most}{how}"
    if facts.outlook is not None and facts.outlook.lacks:
        return f"{facts.outlook.lacks}; its blocks are received: {held}"
    unsure = facts.light is not None and not facts.light.final
    light = f"; its light may be too dark, for {told_missing_light(facts)}" if unsure else ""
    return f"Received: {held}{light}"


def _all_air(facts: Facts) -> str:
    whole = _last(facts, "column_air", lambda _: True)
    return "All air: its column came whole and ends below it" if whole else "All air: the server said so (code 6)"


def _known_air(facts: Facts) -> str:
    limit = facts.column.limit if facts.column else None
    return f"Known air: above the limit {limit} of its column's skeleton"


def _last(facts: Facts, cause: str, fits: Callable[[Happening], bool]) -> bool:
    """Whether what led to the state was that."""
    led = [event for event in facts.history if event.after == facts.state and event.before != event.after]
    return bool(led) and led[-1].cause == cause and fits(led[-1])


def _coded(code: tuple[int, str]) -> str:
    return f"code {code[0]}, {code_name(code[0])}"


SENTENCES: Final[dict[Knowledge, Callable[[Facts], str]]] = {
    Knowledge.UNKNOWN: _unknown,
    Knowledge.KNOWN_AIR: _known_air,
    Knowledge.WANTED: _wanted,
    Knowledge.REQUESTED: _requested,
    Knowledge.DATA: _data,
    Knowledge.ALL_AIR: _all_air,
    Knowledge.REFUSED: _refused,
    Knowledge.UNDECODABLE: _undecodable,
    Knowledge.RESET: _reset,
    Knowledge.EVICTED: _evicted,
}
"""Of places of announced columns, by state."""
