"""Sessions with servers that are not ours, replayed: what was read out of them then is read out of them now."""

import json

import pytest

from client.options import Options
from client.report.why import why
from client.source import WorldFile
from net.bedrock import Login, StartGame
from net.bedrock.codec import Codec
from net.recording import LoginRecord, ReceivedRecord, Recording
from net.space.positions import BlockPos
from tests.recordings import MOST_BYTES, MOST_BYTES_TOGETHER, NAMES, box_of, digests, dumped, recording, said_of
from tests.recordings.servers import MAKERS, kind_of

WHOLE = ("serenity-975", "jsprismarine-748")
"""Servers without sub-chunk requests."""


@pytest.mark.parametrize("name", NAMES)
def test_a_dump_of_the_recording_has_the_digests_beside_it(name: str) -> None:
    assert digests(dumped(recording(name), box_of(name))) == said_of(name)["digests"]


@pytest.mark.parametrize("name", NAMES)
def test_why_tells_what_each_server_sent(name: str) -> None:
    path, options = WorldFile(recording(name)), Options(radius=3)
    sent = why(path, BlockPos(8, -60, 8), options)
    assert sent.sentence.startswith("Received: ")
    assert sent.exit_code == 0
    cause = "column_data" if name in WHOLE else "answer_data"
    assert [event.cause for event in sent.facts.history if event.after == "data"][-1] == cause
    assert sent.facts.column is not None
    assert sent.facts.column.whole == (name in WHOLE)
    assert (sent.facts.request is None) == (name in WHOLE)
    assert sent.facts.faults == ()
    assert sent.facts.light is not None
    assert sent.facts.light.final
    above = why(path, BlockPos(8, 300, 8), options)
    assert above.sentence.startswith(("All air: ", "Known air: "))
    away = why(path, BlockPos(3000, 64, 8), options)
    assert away.sentence.startswith("Never sent: its column was never announced; it is 187 columns from the player")
    assert all(json.loads(report.json())["sentence"] == report.sentence for report in (sent, above, away))


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_bears_its_servers_protocol_and_no_keys(name: str) -> None:
    with Recording.open(recording(name)) as opened:
        assert opened.header.protocol == int(name.removesuffix("-hashed").rpartition("-")[2])
        codec = Codec(opened.header.protocol)
        records = [entry.record for entry in opened.entries()]
        assert not opened.damages
    greetings = [codec.decode(record.packet) for record in records if isinstance(record, LoginRecord)]
    logins = [message for message in greetings if isinstance(message, Login)]
    assert logins
    assert all(not login.chain and not login.client_token for login in logins)
    heard = (record.packet for record in records if isinstance(record, ReceivedRecord))
    assert sum(isinstance(codec.decode(packet), StartGame) for packet in heard if packet[0] == 11) == 1


def test_they_are_small_and_each_has_a_server() -> None:
    sizes = [recording(name).stat().st_size for name in NAMES]
    assert max(sizes) <= MOST_BYTES
    assert sum(sizes) <= MOST_BYTES_TOGETHER
    assert {kind_of(name)[0] for name in NAMES} == set(MAKERS)
    assert {path.stem for path in recording(NAMES[0]).parent.glob("*.cscope")} == set(NAMES)
