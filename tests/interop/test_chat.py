"""What servers nobody here wrote say in the chat is read in the layout of each release, and put into words.

Who asks to be taken into another dimension, of servers nobody here wrote, learns what came of it in one sentence.

Some say in the chat who joins, before or after one asks: that may be told, too, and changes nothing.
"""

import math
from contextlib import ExitStack
from pathlib import Path

import pytest

from client.connection.chat_text import said_in_words
from client.connection.opening import open_connection
from client.options import Options
from client.source import Remote
from render.viewer.control.server_moves import ANSWER_TIMEOUT_S, ON_THE_WAY_S, Following
from tests.support.servers.foreign import (
    ForeignProcess,
    ForeignServer,
    GoServer,
    JsPrismarineServer,
    SerenityServer,
    random_world,
    states_as_settings,
)

pytestmark = pytest.mark.interop

ANSWER_S = 200.0
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
        assert connection.wait_for(lambda _now: None if len(chat.lines) >= lines else "words", ANSWER_S)
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


# --------------------------------------------------------------------- test dimension commands


UNKNOWN = "{} does not have this command, or does not let you use it."
IN_WORDS = (
    "{} replies: Unknown command: /dimension. "
    "Please check that the command exists and that you have permission to use it."
)
IN_THE_CHAT = '{} replies: Unknown command. Type "/help" for help.'
SILENT = f"{{}} has not answered for {ANSWER_TIMEOUT_S:g} s; only the server can take you to dimension nether."


def started(name: str, folder: Path) -> ForeignProcess:
    """One of them, not entered yet."""
    if name.startswith("dragonfly"):
        protocol = int(name.removeprefix("dragonfly"))
        world = random_world(1, seed=5, protocol=protocol)
        return GoServer(name, folder, world=world.as_settings(), states=states_as_settings(protocol))
    if name == "bedrock_protocol":
        return ForeignServer(random_world(1, seed=5), folder)
    if name == "serenity":
        world = random_world(1, seed=5, protocol=975)
        return SerenityServer(folder, world=world.as_settings(), states=states_as_settings(975))
    return JsPrismarineServer(folder, layers=[["minecraft:stone", 4]])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dragonfly2168", UNKNOWN),
        ("dragonfly527", IN_WORDS),
        ("bedrock_protocol", SILENT),
        ("serenity", SILENT),
        ("jsprismarine", IN_THE_CHAT),
    ],
)
def test_what_came_of_asking_is_one_sentence(tmp_path: Path, name: str, said: str) -> None:
    with ExitStack() as undo:
        server = undo.enter_context(started(name, tmp_path))
        source = Remote("127.0.0.1", server.port)
        connection = undo.enter_context(open_connection(source, Options(radius=2, light=False, cache=False)))
        following, news = Following(connection), list[str]()
        assert following.ask(1, None) == f"Requested dimension nether from {source}."

        def told(now: float) -> str | None:
            line = following.news(now)
            news.extend([line] if line and "joined" not in line else [])
            return None if news else "news"

        assert connection.wait_for(told, ANSWER_TIMEOUT_S + ON_THE_WAY_S)
        assert news == [said.format(source)]
        assert following.news(math.inf) is None
        assert not following.asks, "and nobody waits any more"
