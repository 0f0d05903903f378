"""Decides from the facts of ``why`` why a place is empty: one plain sentence with the reason, and the details.

The first words of the sentence name the kind of hole; README.md and docs/howto/missing-chunks.md explain each.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from client.connection.opening import counted
from client.report.why_facts import ChangeFacts, PastEvent, RequestFacts, WantFacts, WhyFacts, code_name
from client.session.stats import PAUSED
from client.source import bare_name, one_line
from client.world.lifecycle import EVENT_WORDS, STATE_WORDS, StateEvent, SubChunkState
from net.bedrock import SubChunkResult
from net.palette import text_of_values
from net.space import coordinates
from net.subchunk.heights import HEIGHT_WORDS, HeightVerdict

LABEL_WIDTH = 15


def lines(facts: WhyFacts) -> list[str]:
    """All details except the sentence."""
    place = f"block {coordinates(facts.block)}, in sub-chunk {coordinates(facts.subchunk)} of the {facts.dimension}"
    labelled = [("place", place), *_state(facts), *_column(facts), *_want(facts), *_blocks(facts), *_attached(facts)]
    told = [f"{label:<{LABEL_WIDTH}}{text}" for label, text in labelled]
    lost = f" ({facts.history_lost} older events were discarded)" if facts.history_lost else ""
    return [*told, f"history{lost}:" if facts.history else "history: no events", *format_history(facts)]


def _state(facts: WhyFacts) -> Iterator[tuple[str, str]]:
    since = "" if facts.since_s is None else f", since {facts.since_s:.3f} s (now {facts.now_s:.3f} s)"
    shown = "a placeholder" if facts.shown == "placeholder" else facts.shown
    yield "state", f"{format_state(facts)}{since}; chunkscope shows {shown}"
    if facts.code is not None and facts.code[0] == SubChunkResult.WRONG_DIMENSION:
        yield "refusal", f"the request named the {facts.dimension}"
    for fault in facts.faults:
        yield "fault", one_line(fault)
    if facts.outlook is not None and facts.block_facts is not None:
        yield "picture", facts.outlook.told


def _column(facts: WhyFacts) -> Iterator[tuple[str, str]]:
    column = facts.column
    if column is None:
        return
    said = ["announced" if column.announced_s is None else f"announced at {column.announced_s:.3f} s"]
    if column.whole:
        said.append("with all of its sub-chunks")
    elif column.limit is None:
        said.append("all of its sub-chunks can be requested")
    else:
        top = 16 * column.limit_section + 15 if column.limit_section is not None else 0
        said.append(f"blocks up to y {top} can be requested (limit {column.limit})")
    if column.excess_bytes:
        said.append(f"{column.excess_bytes} bytes after its border blocks were ignored")
    if column.missing_around:
        said.append(_missing_around(column.missing_around))
    yield "chunk column", "; ".join(said)
    if column.stale:
        until = "is announced again" if facts.want.in_circle else "enters that area and is announced again"
        yield "out of date", f"the server sends no updates of this column until it {until}"
    if column.biome is not None:
        more = f"; {column.biomes} biomes in the sub-chunk" if column.biomes > 1 else ""
        yield "biome", f"{format_biome(column.biome, column.biome_name)}{more}"
    if facts.block_facts is None:
        return
    asked = facts.request is not None and facts.request.requested
    if asked or facts.height_verdict != HeightVerdict.NONE_SAID.name.lower():
        yield "height map", format_heights(facts)
    if facts.surface_y is not None:
        x, _, z = facts.block
        yield "surface", f"y {facts.surface_y - 1}: at x {x}, z {z} no higher block dims light"


def _want(facts: WhyFacts) -> Iterator[tuple[str, str]]:
    request, want = facts.request, facts.want
    if request is not None:
        yield "request", format_request(request)
    away = f"{counted(want.away_columns, 'column')} away from this place, radius {want.radius_columns}"
    said = [f"at {coordinates(want.player, 1)}, {away}"]
    if want.ticking:
        said.append("in the ticking area" + (", so requested even if hidden" if facts.column is not None else ""))
    else:
        said.append("not in the ticking area")
    if want.in_circle is not None:
        said.append(
            f"this place is {'inside' if want.in_circle else 'outside'} the circle of NetworkChunkPublisherUpdate"
        )
    if pins := [name for name in want.anchors if name != "player"]:
        said.append(f"kept loaded by {', '.join(pins)}")
    yield "player", "; ".join(said)


def _blocks(facts: WhyFacts) -> Iterator[tuple[str, str]]:
    block = facts.block_facts
    if block is not None:
        number = "" if block.runtime_id is None else f", runtime id {block.runtime_id}"
        yield "block", f"{format_block(block.name, block.states)}{number}"
        if facts.layer1_states[0] > 1 or block.layer1_name != "minecraft:air":
            yield "second layer", format_block(block.layer1_name, block.layer1_states)
        if block.further:
            yield "further layers", further_layers(block.further)
    for label, (count, named) in (("sub-chunk", facts.states), ("its 2nd layer", facts.layer1_states)):
        if count > (label != "sub-chunk"):
            yield label, f"{count} block states, number of blocks each:" if count > 1 else "one block state"
            yield from (("", f"{blocks:4d} {name}") for name, blocks in named)
            if count > len(named):
                yield "", f"     and {count - len(named)} more"
    light = facts.light
    if light is not None and block is not None:
        final = "final" if light.final else f"not final: {format_missing_light(facts)}"
        levels = f"red {light.red}, green {light.green}, blue {light.blue}, daylight {light.daylight}"
        yield "light", f"{levels}, as computed by chunkscope ({final})"


def format_state(facts: WhyFacts) -> str:
    if facts.column is None:
        return "column not sent"
    late = facts.request is not None and facts.request.late
    return "requested, not answered in time" if late else STATE_WORDS.get(facts.knowledge, facts.state)


def format_request(request: RequestFacts) -> str:
    """When it was requested, the counts of failures without zeros, and when it is requested again."""
    if not request.requested:
        return "never requested"
    latest = f"requested {_times(request.requested)}, {'the latest ' if request.requested > 1 else ''}at"
    counted = (("answered as not found", request.tries), ("not answered in time", request.silences))
    failed = "".join(f", {what} {_times(count)}" for what, count in counted if count)
    again = "; will not be requested again" if request.status == "closed" else _next(request)
    return f"{latest} {request.last_requested_s:.3f} s{failed}{again}"


def format_heights(facts: WhyFacts) -> str:
    return HEIGHT_WORDS[HeightVerdict[facts.height_verdict.upper()]].removeprefix("the height map ")


def format_block(name: str, states: Mapping[str, int | str | bool]) -> str:
    """A block state as ``find`` takes it: ``stone[stone_type=granite]``."""
    return f"{bare_name(name)}{text_of_values(states.items())}"


def format_biome(number: int, name: str | None) -> str:
    """A biome's name with its number; only the number if the name is unknown."""
    return str(number) if name is None else f"{one_line(name)} ({number})"


def format_missing_light(facts: WhyFacts) -> str:
    """What light that is not final waits for, the nearest reason."""
    if facts.column is not None and facts.column.missing_around:
        return _missing_around(facts.column.missing_around)
    if facts.block_facts is None:
        return "the blocks of the sub-chunk are unknown"
    if facts.placeholders_beside:
        return f"the blocks of {facts.placeholders_beside} of the 6 sub-chunks beside it are unknown"
    return "blocks or light of a sub-chunk above it, or in the 3 x 3 columns around it, are unknown"


def _missing_around(count: int) -> str:
    return f"{count} of the 8 columns around {'is' if count == 1 else 'are'} not announced"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _next(request: RequestFacts) -> str:
    unless = ", if no answer comes" if request.status == "outstanding" else ""
    return "" if request.due_s is None else f"; next at {request.due_s:.3f} s{unless}"


def _attached(facts: WhyFacts) -> Iterator[tuple[str, str]]:
    block = facts.block_facts
    if block is not None and block.entity is not None:
        yield "block entity", one_line(json.dumps(block.entity, default=list, sort_keys=True))
    if facts.entities:
        yield "block entities", f"{facts.entities} in the column"
    for entity in facts.standing:
        said = f"{entity.type}, unique id {entity.unique_id}, last packet {entity.packet}, {entity.age_s:.3f} s ago"
        yield "standing here", said
    if block is not None and block.small_value:
        yield "data value", str(block.small_value)
    if block is not None and block.mined is not None:
        yield "being broken", f"{block.mined:.0%} done"
    for change in block.changes if block is not None else ():
        yield format_change(change)
    for at_s, packet, what, times in block.events if block is not None else ():
        yield "event", f"{at_s:.3f} s  packet {packet}  {what}{f', {_times(times)}' if times > 1 else ''}"
    if facts.waiting:
        shown = ", ".join(
            f"{coordinates((x, y, z))} layer {layer} to {name}" for x, y, z, layer, name in facts.waiting[:4]
        )
        more = ", ..." if len(facts.waiting) > 4 else ""
        yield "waiting", f"{len(facts.waiting)} changes are held until its blocks arrive: {shown}{more}"


def format_change(change: ChangeFacts) -> tuple[str, str]:
    """Label and text of a change: time, packet, new block and author."""
    block = bare_name(change.block) or "an unknown block"
    layer = " in the second layer" if change.layer else ""
    when = f"{change.at_s:.3f} s  packet {change.packet}"
    if change.unchanged:
        return "unchanged", f"{when}  still {block}{layer}; a server that refuses a build sends the old block"
    known = one_line(change.actor) or "an unknown entity"
    by = f"{known} (unique id {change.actor_id})" if change.actor_id else "unknown: the packet names no entity"
    return "changed", f"{when}  to {block}{layer}, by {by}"


def format_history(facts: WhyFacts) -> list[str]:
    """Events, oldest first; the latest of a repeated one has their count, which the sentence uses too."""
    happened: Counter[str] = Counter()
    lines = []
    for event in facts.history:
        happened[event.cause] += event.times
        lines.append(f"  {_event_line(event, event.times if facts.history_lost else happened[event.cause])}")
    return lines


def event_words(event: PastEvent) -> str:
    return EVENT_WORDS[StateEvent[event.cause.upper()]]


def _event_line(event: PastEvent, so_far: int) -> str:
    name = f" ({event.packet_name})" if event.packet_name else ""
    who = f"packet {event.packet}{name}" if event.packet is not None else "chunkscope"
    code = "" if event.code is None else f", code {event.code} ({event.code_name})"
    times = f", the latest of {so_far}" if event.times > 1 else ""
    return f"{event.at_s:9.3f} s  {event_words(event)}{code}{times}  by {who}"


def verdict(facts: WhyFacts, goes_on: bool = False) -> str:
    """The sentence, with a full stop. ``goes_on``: the facts are of a moment of a recording before its end."""
    if facts.column is None and goes_on:
        return "Not sent so far: the server had not announced its column at this moment; the recording goes on."
    if facts.column is None:
        return f"Never sent: its column was never announced{_why_no_column(facts.want)}."
    return f"{SENTENCES[facts.knowledge](facts)}."


def _why_no_column(want: WantFacts) -> str:
    away, reach = want.away_columns, want.radius_columns
    if want.closed is not None:
        return f"; the session is over ({one_line(want.closed)})"
    if want.phase != "playing":
        return f"; the server has not spawned the player yet ({want.phase})"
    if away > reach:
        return f"; it is {away} columns from the player, beyond the {reach} up to which the server sends columns"
    if want.in_circle is False:
        circle = (
            f"published circle: {want.published_blocks} blocks; this column is {want.away_blocks or 0:.0f} blocks away"
        )
        return f"; the server granted radius {want.radius_columns}; {circle}"
    around = f"{ {0: 'none of the', 8: 'all'}.get(want.around, f'{want.around} of the') } 8 columns around it came"
    if want.join_fault:
        return f"; {one_line(want.join_fault)}; {around}"
    return f", though it is within the radius that the server granted; {around}"


def _unknown(facts: WhyFacts) -> str:
    want = facts.want
    if want.closed is not None:
        return f"Not requested: the session is over ({one_line(want.closed)})"
    if want.paused:
        return f"Not requested: {PAUSED}"
    if facts.request is not None and facts.request.status != "free":
        return _requested(facts)
    if want.away_columns > want.radius_columns:
        reach = f"the server granted requests up to {want.radius_columns}"
        return f"Not requested: it is {want.away_columns} columns from the player; {reach}"
    if want.in_plan or want.ticking:
        if facts.request is not None and facts.request.requested:
            return f"{_requested(facts)}; it will be requested again"
        return "Not requested yet: chunkscope is about to request it"
    return "Not requested: not visible from the player, and outside the player's ticking area"


def _wanted(facts: WhyFacts) -> str:
    asked, paused = facts.request is not None and facts.request.requested, facts.want.paused
    if asked:
        return _requested(facts) + ("" if paused else "; it will be requested again")
    return "Not requested yet: " + (PAUSED if paused else "request limits delay it, or other sub-chunks come first")


def _requested(facts: WhyFacts) -> str:
    request = facts.request
    if request is None:
        return "Requested, no answer"
    ago_s = facts.now_s - request.last_requested_s
    times = "once," if request.requested == 1 else f"{request.requested} times, last"
    late = "Late: requested" if request.late else "Requested"
    asked = f"{late} {times} {ago_s:.1f} s ago"
    if facts.want.paused and request.status == "free":
        return f"{asked}: {PAUSED}"
    if request.status != "waiting" or facts.code is None:
        return f"{asked}, no answer yet"
    answered = f"{asked}: the server answered {_coded(facts.code)} ({request.tries} so far)"
    if request.due_s is None:
        return answered
    return f"{answered}; the next request is in {max(request.due_s - facts.now_s, 0.0):.1f} s"


def _refused(facts: WhyFacts) -> str:
    by_us = any(event.cause == StateEvent.GIVEN_UP.name.lower() for event in facts.history[-1:])
    told = _coded(facts.code) if facts.code else "no code"
    tries = f", {facts.request.tries} times" if by_us and facts.request and facts.request.tries else ""
    return f"Refused by the server: {told}{tries}"


def _undecodable(facts: WhyFacts) -> str:
    fault = one_line(facts.fault) if facts.fault else "the error was discarded"
    return f"Undecodable: the server's bytes for it are invalid ({fault})"


def _reset(facts: WhyFacts) -> str:
    ago = "" if facts.since_s is None else f" {facts.now_s - facts.since_s:.1f} s ago"
    asked = _requested(facts) if facts.request and facts.request.requested else "Not requested since"
    return f"Announced again{ago}; its older blocks are shown until the new answer arrives. {asked}"


def _evicted(facts: WhyFacts) -> str:
    ago = "" if facts.since_s is None else f" {facts.now_s - facts.since_s:.1f} s ago"
    if _last(facts, "released", lambda event: event.before not in ("data", "reset")):
        return f"Not stored: its blocks arrived{ago} while the pool was full; it is requested again when there is space"
    return f"Evicted{ago} to save memory, since no player or pinned place is near; it is requested again when needed"


def _data(facts: WhyFacts) -> str:
    count, block = facts.states[0], facts.block_facts
    name = "" if block is None else format_block(block.name, block.states)
    changed = _last(facts, "edited", lambda event: event.before in ("known_air", "all_air"))
    how = "; the sub-chunk was air until one of its blocks changed" if changed else ""
    held = f"{name} (its sub-chunk has {count} block state{'s' if count != 1 else ''}){how}{_contradiction(facts)}"
    if facts.unknown_ids:  # what contradicts them, and their light, follows from that
        held = f"{facts.unknown_ids} of its {count} block ids are not in the palette of protocol {facts.protocol}"
    if facts.outlook is not None and facts.outlook.lacks:
        return f"{facts.outlook.lacks}; its blocks have arrived: {held}"
    if facts.unknown_ids:
        return f"Unknown blocks: received, but {held}"
    unsure = facts.light is not None and not facts.light.final
    light = f"; its light may be too dark: {format_missing_light(facts)}" if unsure else ""
    return f"Received: {held}{light}"


def _contradiction(facts: WhyFacts) -> str:
    said = facts.height_verdict == HeightVerdict.CONTRADICTS.name.lower()
    return "; its height map contradicts its blocks" if said else ""


def _all_air(facts: WhyFacts) -> str:
    whole = _last(facts, "column_air", lambda _: True)
    said = (
        "its column was sent whole and ends below it"
        if whole
        else f"the server answered so (code 6){_contradiction(facts)}"
    )
    return f"All air: {said}"


def _known_air(facts: WhyFacts) -> str:
    limit = facts.column.limit if facts.column else None
    return f"Known air: above the limit {limit} that its column announced"


def _last(facts: WhyFacts, cause: str, fits: Callable[[PastEvent], bool]) -> bool:
    """Whether this event, with this condition, led to the present state."""
    led = [event for event in facts.history if event.after == facts.state and event.before != event.after]
    return bool(led) and led[-1].cause == cause and fits(led[-1])


def _coded(code: tuple[int, str]) -> str:
    return f"code {code[0]}, {code_name(code[0])}"


SENTENCES: Final[dict[SubChunkState, Callable[[WhyFacts], str]]] = {
    SubChunkState.UNKNOWN: _unknown,
    SubChunkState.KNOWN_AIR: _known_air,
    SubChunkState.WANTED: _wanted,
    SubChunkState.REQUESTED: _requested,
    SubChunkState.DATA: _data,
    SubChunkState.ALL_AIR: _all_air,
    SubChunkState.REFUSED: _refused,
    SubChunkState.UNDECODABLE: _undecodable,
    SubChunkState.RESET: _reset,
    SubChunkState.EVICTED: _evicted,
}
"""The sentence for places of announced columns, by state."""


LISTED_LAYERS: Final = 4


def further_layers(states: Sequence[str]) -> str:
    """A block's states in the third and later layers."""
    more = f" and {len(states) - LISTED_LAYERS} more" if len(states) > LISTED_LAYERS else ""
    return f"{', '.join(states[:LISTED_LAYERS])}{more} (never drawn)" if states else ""
