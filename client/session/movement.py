"""Sends the player's position 20 times a second, in the form that the server's movement mode needs.

StartGame's movement mode decides (wire.md 2.6). Mode 0: the client is authoritative and sends MovePlayer when the
player moved or turned. Modes 1 and 2: the server is, and gets PlayerAuthInput each tick, with a rising tick number.
Breaking a block goes the same way: by InventoryTransaction in mode 0, else by block actions in the next
PlayerAuthInput. Placing one always goes by InventoryTransaction. Positions are those of the eye.
"""

from typing import Final

from msgspec.structs import replace

from client.player import Eye, Player, PlayerConfig, Step, View
from net import bedrock
from net.bedrock.packets.inventory import BREAK_BLOCK, CLICK_BLOCK
from net.bedrock.packets.movement import MoveMode
from net.space import BlockPos

CLIENT_RULES: Final = 0
TOGETHER_BLOCKS: Final = 4.0
"""Player and view count as together up to this distance: a fast camera is this far ahead of a player that follows."""

FLAG_UP: Final = 1 << 10
FLAG_WANT_UP: Final = 1 << 16
FLAG_WANT_DOWN: Final = 1 << 17
INPUT_MODE_MOUSE: Final = 1
UP_FACE: Final = 1
BEGINS_TO_BREAK, HAS_BROKEN = 0, 26
ANY_ITEM: Final = 1
"""An item id for every block: our server looks only at the block."""


class Motion:
    """The player and its movement messages; owned by the session."""

    def __init__(self, config: PlayerConfig, tick_s: float, now: float) -> None:
        """The player is at the origin until StartGame."""
        self.player = Player(Eye(0.0, 0.0, 0.0), now, config)
        self._tick_s = tick_s
        self._next_tick = now
        self.ticks = 0  # movement ticks so far
        self._client_rules = False
        self._actions: list[bedrock.BlockAction] = []  # for the next PlayerAuthInput
        self._runtime_id = 0
        self._looked: tuple[float, float] = (0.0, 0.0)  # pitch, yaw
        self._told: tuple[float, float] = (0.0, 0.0)
        self.view = View(self.player.position)  # the camera's last view; StartGame's at first
        self._column = self.player.position.column
        # when a tick first found the player in its present column; what the server sends for it comes later
        self.column_entered_at = now

    @property
    def eye(self) -> Eye:
        return self.player.position

    def start(self, message: bedrock.StartGame) -> None:
        """Takes position, look and movement mode from StartGame."""
        self._runtime_id = message.runtime_id
        self._client_rules = message.movement_mode == CLIENT_RULES
        self._looked = (message.pitch, message.yaw)
        self.player.place(Eye(*message.position))
        self.view = View(self.player.position, message.yaw, message.pitch)

    def enter(self, position: Eye) -> None:
        """Moves the player and the view at once, by a teleport or a change of dimension; the look stays."""
        self.player.place(position)
        self.view = replace(self.view, eye=self.player.position)

    def watch(self, view: View) -> None:
        self.view = view

    def look(self, view: View) -> None:
        """Sets the camera's view; the player follows it and looks the same way."""
        self.view = view
        self.player.follow(view.eye)
        self._looked = (view.pitch_deg, view.yaw_deg)

    def moved_by_server(self, message: bedrock.MovePlayer) -> bool:
        """Applies a teleport of our own player and ignores other moves; returns whether it was one."""
        if message.runtime_id != self._runtime_id or message.mode not in (MoveMode.RESET, MoveMode.TELEPORT):
            return False
        together = self.player.position.distance_blocks(self.view.eye) <= TOGETHER_BLOCKS
        self.player.correct(Eye(*message.position))
        if together and message.mode == MoveMode.TELEPORT:  # else the camera flew ahead of the player, and stays
            self.enter(self.player.position)
        return True

    def corrected(self, message: bedrock.CorrectPlayerMovePrediction) -> None:
        self.player.correct(Eye(*message.position))

    def break_block(self, position: BlockPos) -> list[bedrock.Message]:
        """Breaks a block; returns the messages to send now."""
        if self._client_rules:
            return [
                bedrock.InventoryTransaction(
                    use=bedrock.UseItem(BREAK_BLOCK, position, UP_FACE, player=self.player.position)
                )
            ]
        self._actions += [bedrock.BlockAction(action, position, UP_FACE) for action in (BEGINS_TO_BREAK, HAS_BROKEN)]
        return []

    def place_block(self, against: BlockPos, face: int, runtime_id: int) -> list[bedrock.Message]:
        """Places a block at a face of another; returns the messages to send now."""
        signed = runtime_id - (1 << 32) if runtime_id >> 31 else runtime_id
        use = bedrock.UseItem(
            CLICK_BLOCK, against, face, bedrock.ItemStack(ANY_ITEM, 1, block=signed), self.player.position
        )
        return [bedrock.InventoryTransaction(use=use)]

    def tick(self, now: float) -> list[bedrock.Message]:
        """Moves the player if a tick is due; returns the messages to send."""
        if now < self._next_tick:
            return []
        self._next_tick = max(self._next_tick + self._tick_s, now)
        step = self.player.step(now)
        self.ticks += 1
        if step.position.column != self._column:
            self._column, self.column_entered_at = step.position.column, now
        if not self._client_rules:
            return [self._input(step)]
        if not step.moved and self._looked == self._told:
            return []
        self._told = self._looked
        return [self._move(step)]

    def _input(self, step: Step) -> bedrock.PlayerAuthInput:
        pitch, yaw = self._looked
        level = step.delta.x != 0.0 or step.delta.z != 0.0
        flags = FLAG_UP if level else 0
        actions, self._actions = tuple(self._actions), []
        flags |= FLAG_WANT_UP if step.delta.y > 0.0 else FLAG_WANT_DOWN if step.delta.y < 0.0 else 0
        return bedrock.PlayerAuthInput(
            pitch=pitch,
            yaw=yaw,
            position=step.position,
            move=(0.0, 1.0 if level else 0.0),
            head_yaw=yaw,
            flags=flags,
            input_mode=INPUT_MODE_MOUSE,
            play_mode=0,
            tick=self.ticks,
            delta=step.delta,
            actions=actions,
        )

    def _move(self, step: Step) -> bedrock.MovePlayer:
        pitch, yaw = self._looked
        return bedrock.MovePlayer(
            runtime_id=self._runtime_id,
            position=step.position,
            pitch=pitch,
            yaw=yaw,
            head_yaw=yaw,
            mode=MoveMode.NORMAL,
            on_ground=False,
            ridden_id=0,
            tick=self.ticks,
        )
