"""docs/explain/founding-documents.md: every statement has a place that exists, every difference a dated reason."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explain/founding-documents.md"
REASONS = ROOT / "docs/develop/decisions/founding-documents.md"
ROW = re.compile(r"\| (\d+) \| ([^|]+) \| ([^|]+) \|")
STATEMENTS = 204


def test_each_statement_has_a_number_and_a_place_that_exists() -> None:
    rows = ROW.findall(PAGE.read_text("utf-8"))
    assert [int(number) for number, *_ in rows] == list(range(1, STATEMENTS + 1))
    for number, statement, where in rows:
        places = re.findall(r"`([^`]+)`", where)
        assert places, f"{number}: {statement}"
        assert [place for place in places if not _exists(place)] == [], f"{number}: {statement}"


def test_each_difference_has_a_dated_reason_and_each_reason_a_difference() -> None:
    asked = set(
        re.findall(r"\[differs\]\(\.\./develop/decisions/founding-documents\.md#([a-z-]+)\)", PAGE.read_text("utf-8"))
    )
    reasons = re.findall(r"## ([a-z ]+)\n\n- \d{4}-\d\d-\d\d: ", REASONS.read_text("utf-8"))
    assert {reason.replace(" ", "-") for reason in reasons} == asked


def _exists(place: str) -> bool:
    if "/" in place:
        return (ROOT / place).is_file()
    path = ROOT.joinpath(*place.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()
