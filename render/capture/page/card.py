"""One case as a card: its verdict, layers with their numbers, pictures, where they come from, how to do it again."""

from typing import Final

from net.space.positions import SubChunkPos
from render.capture.page.case import Case, Standing
from render.capture.page.gallery import Gallery
from render.capture.page.markup import element, text
from render.capture.page.pictures import pictures
from render.capture.truth import Layer, Outcome

LISTED_SUBCHUNKS: Final = 24
"""Of those that changed; the others are counted."""
OPEN: Final = (Standing.ERROR, Standing.FAILED)
SIGNS: Final = {Outcome.PASSED: "✓", Outcome.FAILED: "✗", Outcome.SKIPPED: "○"}


def card(case: Case, number: int, gallery: Gallery) -> str:
    """Folded unless it failed; ``number`` is its place in the report, which links name; pictures go to the gallery."""
    standing = case.standing
    head = (
        element("span", text(standing.value), class_="chip"),
        element("h2", text(case.name)),
        element("span", f"{case.seconds:.1f} s", class_="seconds"),
        element("p", text(_words(case)), class_="words"),
    )
    body = (
        element("p", text(case.shows), class_="shows") if case.shows else "",
        pictures(case, gallery),
        _layers(case),
        _facts(case),
    )
    return element(
        "details",
        element("summary", "".join(head)) + element("div", "".join(body), class_="body"),
        id=anchor(number),
        class_=f"card {standing.value}",
        data_standing=standing.value,
        open=standing in OPEN,
    )


def anchor(number: int) -> str:
    """What a link to a card names."""
    return f"case-{number}"


def _words(case: Case) -> str:
    return case.error if case.verdict is None else case.verdict.words


def _layers(case: Case) -> str:
    if case.verdict is None:
        return ""
    rows = "".join(_layer(layer) for layer in case.verdict.layers)
    return element("div", rows, class_="layers")


def _layer(layer: Layer) -> str:
    numbers = "".join(
        element("div", element("dt", text(name.replace("_", " "))) + element("dd", _number(value)))
        for name, value in layer.numbers.items()
    )
    content = (
        element("h3", element("span", SIGNS[layer.outcome], class_="sign", aria_hidden="true") + text(layer.name))
        + element("p", text(layer.words))
        + (element("dl", numbers, class_="numbers") if numbers else "")
    )
    return element("section", content, class_=f"layer {layer.outcome.value}", aria_label=f"layer {layer.name}")


def _number(value: float) -> str:
    return f"{int(value):,}" if float(value).is_integer() else f"{value:.4f}"


def _facts(case: Case) -> str:
    changed = case.verdict.changed_subchunks if case.verdict else ()
    rows = [
        ("Sub-chunks whose buffers changed", _subchunks(changed) if changed else ""),
        ("View", _code(case.view)),
        ("Source", _code(case.source)),
        ("Its hash", _code(case.source_hash)),
        ("Drawn by", text(case.actual.renderer.words) if case.actual else ""),
        ("Accepted on", text(case.expected.renderer.words) if case.expected else ""),
        ("Warnings", "<br>".join(map(text, case.warnings))),
        ("Again", _code(case.command)),
    ]
    said = "".join(element("dt", name) + element("dd", value) for name, value in rows if value)
    return element("dl", said, class_="facts") if said else ""


def _subchunks(changed: tuple[SubChunkPos, ...]) -> str:
    listed = " ".join(element("code", f"{at.x} {at.y} {at.z}") for at in changed[:LISTED_SUBCHUNKS])
    more = len(changed) - LISTED_SUBCHUNKS
    return f"{listed} and {more} more" if more > 0 else listed


def _code(words: str) -> str:
    return element("code", text(words), class_="whole") if words else ""
