"""What ``--help`` prints of each command is what is written in its file."""

import re
from collections.abc import Iterator
from importlib.metadata import version

import click
import pytest
import typer
from rich.text import Text

from render.cli import app
from render.cli.failures import reported


def commands(group: click.Command, name: str = "chunkscope") -> Iterator[tuple[str, click.Command]]:
    """All of them, by what one types."""
    yield name, group
    for word, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{name} {word}")


@pytest.mark.parametrize(("name", "command"), list(commands(typer.main.get_command(app))))
def test_brackets_in_help_are_text_and_no_markup(name: str, command: click.Command) -> None:
    options = [getattr(parameter, "help", None) for parameter in command.params]
    texts = [text for text in (command.help, command.epilog, *options) if text]
    assert texts, name
    for text in texts:
        assert Text.from_markup(text).plain == re.sub(r"\\\[", "[", text)


def test_the_version_is_one_line_that_a_report_can_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["--version"]) == 0
    assert capsys.readouterr().out == f"chunkscope {version('chunkscope')}\n"


def test_the_help_of_joining_says_who_joins_when_nobody_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["view", "--help"]) == 0
    words = capsys.readouterr().out.replace("│", " ").split()
    assert "[default: (fresh; of view: own)]" in " ".join(words)
