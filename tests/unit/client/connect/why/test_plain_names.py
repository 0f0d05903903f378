"""Numbers of the wire in words that the report and the inspector share."""

from client.connect.why import told_biome


def test_a_biome_has_its_name_before_its_number_and_one_without_a_name_is_a_number() -> None:
    assert told_biome(4, "forest") == "forest (4)"
    assert told_biome(60_000, None) == "60000"


def test_a_strangers_name_stays_on_its_line_without_colours() -> None:
    assert told_biome(30_000, "a:\u00a7cglow\n\x1b[2Jing marsh") == "a:glow [2Jing marsh (30000)"
