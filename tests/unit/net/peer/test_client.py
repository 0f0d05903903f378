from net.bedrock import Codec
from net.peer import ClientPeer
from net.raknet.handshake import OpenReply1, OpenRequest2, read_offline, write_offline
from tests.support.session.wires import ADA, SERVER, UNIX_TIME


def test_the_raknet_id_is_negative_whatever_the_entropy() -> None:
    """go-raknet 1.15 does not answer any other: "vanilla clients always provide a negative ClientGUID"."""
    for byte in (b"\0", b"\x7f", b"\xff"):
        peer = ClientPeer(SERVER, Codec(2169), ADA, 0.0, UNIX_TIME, lambda count, byte=byte: byte * count)
        peer.datagrams(0.0)
        peer.receive(write_offline(OpenReply1(1, None, 1492)), 0.1)
        (datagram,) = peer.datagrams(0.1)
        request = read_offline(datagram)
        assert isinstance(request, OpenRequest2)
        assert request.guid >> 63 == 1
