"""Numbers of the wire in words that the report and the inspector share."""

from client.connect.why import told_biome


def test_a_biome_has_its_name_before_its_number_and_one_without_a_name_is_a_number() -> None:
    assert told_biome(4) == "forest (4)"
    assert told_biome(16) == "beach (16)"
    assert told_biome(60_000) == "60000"
