"""Which columns a message was about, as far as a past may forget it."""

import pytest

from net.bedrock import CommandOrigin, CommandOutput, LevelChunk, LevelSoundEvent, Message, SetTime, Text, Unknown
from net.space.positions import ColumnPos


@pytest.mark.parametrize(
    "message",
    [Text("tip", "10 coins"), Text("chat", "hi", source="Ada"), LevelSoundEvent(1, (0.5, 64.0, 0.5)), Unknown(77, 9)],
)
def test_what_changes_no_world_is_forgotten_however_often_it_comes(message: Message) -> None:
    assert message.columns() == ()


def test_what_may_change_anything_stays_and_a_column_as_long_as_it_is_known() -> None:
    assert SetTime(5).columns() is None
    assert CommandOutput(CommandOrigin(), ()).columns() is None
    assert LevelChunk(ColumnPos(3, -4), 0, 0, None, None, b"").columns() == (ColumnPos(3, -4),)
