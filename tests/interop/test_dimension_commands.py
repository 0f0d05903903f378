"""Who asks to be taken into another dimension, of servers nobody here wrote, learns what came of it in one sentence.

Some say in the chat who joins, before or after one asks: that may be told, too, and changes nothing.
"""

import math
from contextlib import ExitStack
from pathlib import Path

import pytest

from client.connection.opening import open_connection
from client.options import Options
from client.source import Remote
from render.viewer.control.server_moves import ON_THE_WAY_S, PATIENCE_S, Following
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

UNKNOWN = "{} does not have this command, or does not let you use it."
IN_WORDS = (
    "{} replies: Unknown command: /dimension. "
    "Please check that the command exists and that you have permission to use it."
)
IN_THE_CHAT = '{} replies: Unknown command. Type "/help" for help.'
SILENT = f"{{}} has not answered for {PATIENCE_S:g} s; only the server can take you to dimension nether."


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

        assert connection.wait_for(told, PATIENCE_S + ON_THE_WAY_S)
        assert news == [said.format(source)]
        assert following.news(math.inf) is None
        assert not following.asks, "and nobody waits any more"
