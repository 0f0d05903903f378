from pathlib import Path

import pytest

from client.errors import UsageError
from client.source import Embedded, Remote, Source, WorldFile, parse_source


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
