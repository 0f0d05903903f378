"""The player: where it looks from, and how it follows the camera at a speed that servers accept.

movement  The player as the server believes it to be
view      What a viewer sees from: an eye, two angles and a field of view
"""

from client.player.movement import Player, PlayerConfig, Step
from client.player.view import Eye, View

__all__ = ["Eye", "Player", "PlayerConfig", "Step", "View"]
