from pathlib import Path

import pytest

from client.errors import UsageError
from client.source import (
    Embedded,
    Remote,
    Source,
    WorldFile,
    absent,
    answer_sentence,
    is_there_already,
    not_let_in,
    one_line,
    other_version,
    parse_source,
    source_sentence,
)

# ---------------------------------------------------------------- source


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("embedded", Embedded("hills", 1)),
        ("embedded:bench", Embedded("bench", 1)),
        ("embedded:hills:-7", Embedded("hills", -7)),
        ("worlds/mine", WorldFile(Path("worlds/mine"))),
        ("mine.mcworld", WorldFile(Path("mine.mcworld"))),
        ("Mine.ZIP", WorldFile(Path("Mine.ZIP"))),
        ("run.cscope", WorldFile(Path("run.cscope"))),
        ("localhost", Remote("localhost", 19132)),
        ("play.example.org:19133", Remote("play.example.org", 19133)),
        ("127.0.0.1:1", Remote("127.0.0.1", 1)),
        ("[::1]:19132", Remote("::1", 19132)),
        ("[::1]", Remote("::1", 19132)),
        ("embedded-server", Remote("embedded-server", 19132)),
    ],
)
def test_a_source_says_where_the_world_comes_from(text: str, source: Source) -> None:
    assert parse_source(text) == source


def test_a_misspelt_embedded_is_named_unless_it_may_be_a_host() -> None:
    for text in ("embeded:flat", "embbeded:flat:3"):
        with pytest.raises(UsageError, match=f"There is no '{text}'; did you mean 'embedded:{text.partition(':')[2]}'"):
            parse_source(text)
    assert parse_source("embeded:19132") == Remote("embeded", 19132)


@pytest.mark.parametrize("source", [Embedded("flat", 3), Remote("::1", 5), Remote("a.b", 7)])
def test_a_source_reads_back_what_it_prints(source: Source) -> None:
    assert parse_source(str(source)) == source


def test_a_name_that_exists_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("localhost").mkdir()
    assert parse_source("localhost") == WorldFile(Path("localhost"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "embedded:",
        "embedded:moon",
        "embedded:flat:x",
        "embedded:flat:1:2",
        "::1",
        "[::1",
        "[::1]x",
        "host:",
        "host:0",
        "host:65536",
        "host:-1",
        "host:port",
        "two words",
        ":19132",
    ],
)
def test_what_cannot_be_meant_is_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_source(text)
    assert str(caught.value).endswith(".")
    assert caught.value.exit_code == 2


# ---------------------------------------------------------------- wording

SOURCE = Remote("play.example.org")


@pytest.mark.parametrize(
    ("reason", "part"),
    [
        ("disconnectionScreen.serverFull", "is full"),
        ("disconnectionScreen.notAuthenticated", "signed-in"),
        ("You must sign in to Xbox", "signed-in"),
        ("disconnectionScreen.outdatedClient", "newer version"),
        ("Go away.\nNow", "Go away. Now"),
    ],
)
def test_a_reason_becomes_one_sentence_that_names_the_source(reason: str, part: str) -> None:
    sentence = source_sentence(SOURCE, reason)
    assert part in sentence
    assert sentence.startswith("play.example.org:19132")
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_versions_are_named_on_both_sides() -> None:
    sentence = other_version(SOURCE, 9622, "1.30.40", "486 to 2193")
    assert "1.30.40 (protocol 9622)" in sentence
    assert "486 to 2193" in sentence
    assert "protocol 9622" in other_version(SOURCE, 9622, "", "486 to 2193")


def test_nobody_there() -> None:
    assert absent(Embedded(), 2.5) == "Nobody answered at embedded:hills:1 within 2.5 s."


def test_what_a_terminal_would_obey_is_left_out() -> None:
    assert one_line("\N{SECTION SIGN}cRed\x1b[2J \u202eback\x07\n.") == "Red [2J back"
    assert len(one_line("x" * 10_000)) == 300
    assert "\x1b" not in other_version(SOURCE, 622, "1.20\x1b[31m", "486")


def test_a_login_that_never_ends_says_what_made_no_sense() -> None:
    fault = "StartGame.position at byte 9: (nan, 0.0, 0.0) is no place in a world"
    assert not_let_in(SOURCE, 60.0, "").endswith("within 60 s.")
    assert fault in not_let_in(SOURCE, 60.0, fault)


@pytest.mark.parametrize(
    "said",
    [
        "Already logged in.",
        "disconnectionScreen.loggedinOtherLocation",
        "Logged in from another location",
        "You are already online",
    ],
)
def test_a_player_that_is_there_already(said: str) -> None:
    assert is_there_already(source_sentence(SOURCE, said))
    assert not is_there_already(source_sentence(SOURCE, "disconnectionScreen.serverFull"))
    assert not is_there_already(source_sentence(SOURCE, "You are banned"))


def test_an_answer_to_a_command_is_one_sentence() -> None:
    sign = "\N{SECTION SIGN}"
    assert answer_sentence(SOURCE, f"{sign}r{sign}c%commands.generic.unknown{sign}r dimension") == (
        "play.example.org:19132 knows no such command, or does not let you give it."
    )
    assert answer_sentence(SOURCE, f"{sign}cNo.\nNever. ") == "play.example.org:19132 says: No. Never."
    assert answer_sentence(SOURCE, " ") == "play.example.org:19132 answers without a word."
