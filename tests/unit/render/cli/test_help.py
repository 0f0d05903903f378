"""What ``--help`` prints of each command is what is written in its file."""

import re
from collections.abc import Iterator

import click
import pytest
import typer
from rich.text import Text

from render.cli import app


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
