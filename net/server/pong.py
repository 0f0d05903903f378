"""What a ping is told of a host."""

from net.bedrock.releases import release_of
from net.raknet.ping import Pong, pong_text

MOST_PLAYERS = 64


def pong_of(name: str, world: str, protocol: int, players: int) -> str:
    """The text.

    Args:
        name: of the host.
        world: where players start.
        protocol: the highest that is spoken.
        players: that are there.
    """
    return pong_text(
        Pong(
            motd=name,
            protocol=protocol,
            version=release_of(protocol).name,
            players=players,
            max_players=MOST_PLAYERS,
            level_name=world,
            game_mode="Creative",
        )
    )
