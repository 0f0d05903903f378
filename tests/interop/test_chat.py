"""What servers nobody here wrote say in the chat is read in the layout of each release, and put into words."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from client.connection.chat_text import said_in_words
from client.connection.opening import open_connection
from client.options import Options
from client.source import Remote
from tests.support.servers.foreign import (
    ForeignProcess,
    ForeignServer,
    GoServer,
    JsPrismarineServer,
    random_world,
    states_as_settings,
)

pytestmark = pytest.mark.interop

PATIENCE_S = 200.0
VERSIONS = {"1.18.11": 486, "1.19.30": 554, "1.21.0": 685, "1.21.130": 898, "1.26.0": 924, "1.26.51": 2193}
"""The first of each layout that minecraft-data knows, and the last."""
SAYS = (
    ("chat", {"source_name": "Ada", "message": "hello"}, "authored", "Ada: hello"),
    ("system", {"message": "\N{SECTION SIGN}eWelcome"}, "message_only", "Welcome"),
    ("translation", {"message": "%multiplayer.player.joined", "parameters": ["Bob"]}, "parameters", "Bob joins"),
    ("json", {"message": '{"rawtext": [{"text": "Mind the gap"}]}'}, "message_only", "Mind the gap"),
)
"""Kind, its fields, its category from 898 on, what is shown."""
NAMES_OF_898 = (
    "raw", "tip", "system_message", "text_object_whisper", "text_object_announcement", "text_object",
    "chat", "whisper", "announcement", "translate", "popup", "jukebox_popup",
)  # fmt: skip


def heard(server: ForeignProcess, lines: int) -> list[tuple[str, str]]:
    """Kinds and words of the first lines that are said to somebody who joins."""
    source = Remote("127.0.0.1", server.port)
    with open_connection(source, Options(radius=2, light=False, cache=False)) as connection:
        chat = connection.session.chat
        assert connection.wait_for(lambda _now: None if len(chat.lines) >= lines else "words", PATIENCE_S)
        assert connection.session.stats(connection.session.now).faulty_packets == 0
        return [(line.kind, said_in_words(line)) for line in chat.lines[:lines]]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_line_of_each_layout_is_read(tmp_path: Path, version: str) -> None:
    common = {"needs_translation": True, "xuid": "", "platform_chat_id": "", "filtered_message": ""}
    names = dict.fromkeys(NAMES_OF_898, "") | {"has_filtered_message": False}
    says = [{"type": kind, "category": sort, **common, **names, **fields} for kind, fields, sort, _ in SAYS]
    world = random_world(1, seed=5, protocol=VERSIONS[version])
    with ForeignServer(world, tmp_path, version=version, says=says) as server:
        assert heard(server, len(SAYS)) == [(kind, words) for kind, _, _, words in SAYS]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dragonfly527", ("raw", "chunkscope has joined the game")),
        ("jsprismarine", ("translation", "multiplayer.player.joined")),  # it names a player without a name
    ],
)
def test_whole_servers_say_who_joins(tmp_path: Path, name: str, said: tuple[str, str]) -> None:
    with ExitStack() as undo:
        if name == "jsprismarine":
            server: ForeignProcess = JsPrismarineServer(tmp_path, layers=[["minecraft:stone", 4]])
        else:
            world = random_world(1, seed=5, protocol=527)
            server = GoServer(name, tmp_path, world=world.as_settings(), states=states_as_settings(527))
        undo.enter_context(server)
        assert heard(server, 1) == [said]
