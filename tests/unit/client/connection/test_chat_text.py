"""Lines of the chat in words."""

import pytest

from client.connection.chat_text import said_in_words
from client.session.chat import ChatLine

CODE = "\N{SECTION SIGN}"


@pytest.mark.parametrize(
    ("kind", "message", "parameters", "source", "words"),
    [
        ("chat", "hello", (), "Ada", "Ada: hello"),
        ("chat", "hello", (), f"{CODE}cAda{CODE}r", "Ada: hello"),
        ("raw", f"{CODE}eWelcome,{CODE}l stranger", (), "", "Welcome, stranger"),
        ("raw", "two\nlines", (), "", "two lines"),
        ("raw", "100 % of 10%, %s", (), "", "100 % of 10%, %s"),
        ("raw", "", (), "", ""),
        ("chat", "", (), "Ada", ""),
        ("translation", f"{CODE}e%multiplayer.player.joined", ("Ada",), "", "Ada joins"),
        ("translation", "multiplayer.player.left", (f"{CODE}4Ada",), "", "Ada leaves"),
        ("translation", "multiplayer.player.left", (), "", "multiplayer.player.left"),
        ("translation", "multiplayer.player.left", ("",), "", "multiplayer.player.left"),
        ("translation", "chat.type.text", ("Ada", "{hi}"), "", "Ada: {hi}"),
        (
            "translation",
            "%death.attack.mob",
            ("Ada", "%entity.zombie.name"),
            "",
            "death.attack.mob Ada entity.zombie.name",
        ),
        (
            "json",
            '{"rawtext": [{"text": "a "}, {"translate": "%b.c", "with": ["d", 5]}, {"score": 1}, 7]}',
            (),
            "",
            "a b.c d",
        ),
        ("json_whisper", '{"rawtext": 5}', (), "", '{"rawtext": 5}'),
        ("json_announcement", '{"rawtext": [{"text', (), "", '{"rawtext": [{"text'),
        ("json", "[" * 2000, (), "", "[" * 300),
    ],
)
def test_a_line_is_said_in_plain_words(
    kind: str, message: str, parameters: tuple[str, ...], source: str, words: str
) -> None:
    assert said_in_words(ChatLine(0.0, 1, kind, message, parameters, source)) == words
