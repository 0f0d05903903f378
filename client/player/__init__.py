"""The player: where it looks from, and how it follows the camera at a speed that servers accept."""

from client.player.movement import Player, PlayerConfig, Step
from client.player.view import Eye, View

__all__ = ["Eye", "Player", "PlayerConfig", "Step", "View"]
