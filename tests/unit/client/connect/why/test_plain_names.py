"""Numbers of the wire in words that the report and the inspector share."""

from client.report.why_facts import RequestFacts
from client.report.why_text import STANDING, told_asking, told_biome
from client.streaming.ledger import STATUSES


def test_a_biome_has_its_name_before_its_number_and_one_without_a_name_is_a_number() -> None:
    assert told_biome(4, "forest") == "forest (4)"
    assert told_biome(60_000, None) == "60000"


def test_a_strangers_name_stays_on_its_line_without_colours() -> None:
    assert told_biome(30_000, "a:\u00a7cglow\n\x1b[2Jing marsh") == "a:glow [2Jing marsh (30000)"


def test_of_a_request_only_what_happened_is_told() -> None:
    assert told_asking(RequestFacts("free", 1, 2.0, 0, 0, None)) == "asked once; no request is out"
    assert told_asking(RequestFacts("outstanding", 3, 2.0, 0, 2, 4.0)) == (
        "asked 3 times, not answered in time 2 times; a request is out"
    )
    assert told_asking(RequestFacts("waiting", 1, 2.0, 1, 0, 4.0)) == (
        "asked once, answered as not found once; to be asked again"
    )
    assert told_asking(RequestFacts("closed", 0, 0.0, 0, 0, None)) == "never asked; not asked any more"
    assert set(STANDING) == set(STATUSES)
