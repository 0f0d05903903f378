"""All cases to one HTML file that needs nothing besides itself.

Rules:
1. No address outside of the file: pictures are ``data:`` URIs, style and script stand in it, and a content security
   policy forbids everything else, whatever a text may smuggle in.
2. What needs a look comes first: errors, failures, what was compared in part, the rest; each by name.
3. Everything can be read without the script; it moves sliders and filters the list.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

from net.files import whole
from render.capture.page.card import anchor, card
from render.capture.page.case import Case, Standing
from render.capture.page.gallery import Gallery
from render.capture.page.markup import element, text

TITLE: Final = "chunkscope test"
LABELS: Final = {
    Standing.ERROR: "errors",
    Standing.FAILED: "failed",
    Standing.SKIPPED: "partly compared",
    Standing.PASSED: "passed",
}


def report_html(cases: Sequence[Case]) -> str:
    """The whole file as text."""
    order = list(Standing)
    told = sorted(cases, key=lambda case: (order.index(case.standing), case.name))
    style, script = (_resource(name) for name in ("report.css", "report.js"))
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<link rel="icon" href="data:,">'
        f"<title>{text(_headline(cases))} - {TITLE}</title><style>{style}</style>"
    )
    gallery = Gallery()
    cards = "".join(card(case, number, gallery) for number, case in enumerate(told))
    body = _header(told) + gallery.store() + element("main", cards) + f"<script>{script}</script>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def write_report(path: Path, cases: Sequence[Case]) -> None:
    """Writes the file, whole or not at all.

    Raises:
        OSError: the place cannot be written.
    """
    with whole(path) as temporary:
        temporary.write_text(report_html(cases), encoding="utf-8", newline="\n")


def _header(told: Sequence[Case]) -> str:
    renderers = sorted({case.actual.renderer.words for case in told if case.actual})
    seconds = sum(case.seconds for case in told)
    parts = (
        element("p", TITLE, class_="overline"),
        element("h1", text(_headline(told))),
        *(element("p", text(words), class_="by") for words in renderers or ["Nothing was drawn."]),
        element("p", text(f"{seconds:.1f} s of work"), class_="by"),
        element("nav", _filters(told), class_="filters", aria_label="which views to show"),
        element("div", "".join(_dot(case, number) for number, case in enumerate(told)), class_="dots"),
    )
    return element("header", "".join(parts))


def _headline(cases: Sequence[Case]) -> str:
    bad = sum(case.standing in (Standing.ERROR, Standing.FAILED) for case in cases)
    if not cases:
        return "No views"
    views = "view" if len(cases) == 1 else "views"
    return f"{bad} of {len(cases)} {views} failed" if bad else f"All {len(cases)} {views} passed"


def _filters(told: Sequence[Case]) -> str:
    counts = Counter(case.standing for case in told)
    buttons = [("all", "all", len(told))] + [
        (standing.value, LABELS[standing], counts[standing]) for standing in Standing if counts[standing]
    ]
    return "".join(
        element(
            "button",
            f"{text(label)} <b>{count}</b>",
            type="button",
            class_=value,
            data_show=value,
            aria_pressed="true" if value == "all" else "false",
        )
        for value, label, count in buttons
    )


def _dot(case: Case, number: int) -> str:
    standing = case.standing.value
    return element(
        "a", href=f"#{anchor(number)}", class_=standing, title=f"{case.name}: {standing}", data_standing=standing
    )


def _policy(style: str, script: str) -> str:
    """Only what stands in the file, by its hash."""
    return (
        f"default-src 'none'; img-src data:; style-src '{_sha256(style)}';"
        f" script-src '{_sha256(script)}'; base-uri 'none'; form-action 'none'"
    )


def _sha256(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


def _resource(name: str) -> str:
    return files("render.capture.page").joinpath(name).read_text(encoding="utf-8")
