"""What a proof says."""

import json
from dataclasses import replace

from client.errors import CHECK_FAILED, DONE, INCOMPLETE
from render.bench.streaming import Proof
from render.bench.streaming_report import RECORDED, StreamLegReport, StreamReport

LEG = StreamLegReport(
    name="spawn",
    terrain_px=1000,
    right_s={50: 0.1, 90: 0.2, 99: 0.3, 100: 0.4},
    settled_s=0.9,
    settled=True,
    holes=0,
    asked=30,
    received=29,
    in_vain=2,
    packets=3,
    bytes_in=1_500_000,
    bytes_out=12_300,
    places=200,
    places_below_limit=60,
    answered=30,
)
SIGHT = StreamReport("embedded:hills:1", "what can be seen", 4, 0.1, (LEG,))
ALL = replace(SIGHT, wanted="every sub-chunk in radius", legs=(replace(LEG, asked=60, bytes_in=3_000_000),))


def test_the_saving_is_told_against_the_baseline() -> None:
    proof = Proof(SIGHT, ALL)
    assert proof.asked_share == 0.5
    assert "30 of 200 sub-chunks had been asked for, 50% of those that may hold blocks" in proof.sentence()
    assert "50% of the baseline's entries and 50% fewer bytes" in proof.sentence()


def test_where_nothing_is_saved_that_is_said() -> None:
    assert "100% more bytes" in Proof(ALL, SIGHT).sentence()


def test_without_a_baseline_nothing_is_compared() -> None:
    proof = Proof(SIGHT, None)
    assert proof.asked_share is None
    assert "baseline" not in proof.sentence()


def test_the_exit_code_tells_holes_and_deadlines() -> None:
    assert Proof(SIGHT, ALL).exit_code == DONE
    assert Proof(replace(SIGHT, legs=(replace(LEG, holes=1),)), ALL).exit_code == CHECK_FAILED
    assert Proof(replace(SIGHT, legs=(replace(LEG, settled=False),)), ALL).exit_code == INCOMPLETE


def test_the_table_has_a_line_for_each_leg() -> None:
    lines = Proof(SIGHT, ALL).text().splitlines()
    assert sum("spawn" in line for line in lines[:3]) == 1
    assert any("asking for every sub-chunk in radius" in line for line in lines)
    assert lines[2].split() == [
        "spawn",
        "0.10",
        "0.20",
        "0.30",
        "0.40",
        "0.90",
        "0",
        "30",
        "29",
        "2",
        "3",
        "12.3",
        "1.50",
    ]
    assert "never" in Proof(replace(SIGHT, legs=(replace(LEG, settled=False),)), None).text()


def test_what_the_server_does_wrong_stands_below_its_table() -> None:
    spoilt = replace(SIGHT, warnings=("3 answers came twice", "7 packets made no sense"))
    lines = Proof(spoilt, ALL).text().split("\n\n")[0].splitlines()
    assert lines[-2:] == ["the server: 3 answers came twice", "the server: 7 packets made no sense"]
    assert "the server:" not in Proof(SIGHT, ALL).text()


def test_as_json_every_number_is_there() -> None:
    said = json.loads(json.dumps(Proof(SIGHT, ALL).as_json()))
    assert said["by_sight"]["legs"][0]["right_s"]["90"] == 0.2
    assert said["baseline"]["legs"][0]["asked"] == 60


def test_where_no_terrain_is_in_view_there_are_no_moments_and_that_is_said() -> None:
    blind = replace(LEG, terrain_px=0, right_s={})
    text = Proof(replace(SIGHT, legs=(blind,)), None).text()
    assert text.splitlines()[2].split()[:6] == ["spawn", "-", "-", "-", "-", "0.90"]
    assert "No terrain pixel is in view at the end of spawn: no moments." in text
    assert "No terrain pixel" not in Proof(SIGHT, None).text()


def test_a_recording_that_ends_early_is_measured_all_the_same() -> None:
    early = replace(LEG, name=RECORDED, settled=False, holes=19, asked=0)
    proof = Proof(replace(SIGHT, legs=(early,)), None)
    assert proof.exit_code == DONE
    assert "At its end 30 of 200 sub-chunks had come, without being asked for" in proof.sentence()
    assert proof.text().endswith("The recording ends before all that was wanted had come.")
    assert "recording" not in Proof(SIGHT, None).text()


def test_every_column_that_a_stranger_would_not_understand_is_explained() -> None:
    text = Proof(SIGHT, ALL).text()
    for name in ("settled", "holes", "asked", "in vain"):
        assert any(line.startswith(f"{name}  ") for line in text.splitlines()), name
