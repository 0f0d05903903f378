"""A server that is joined over NetherNet on this machine, and each way that fails, in words and with RakNet tried."""

import math
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.connection import joining_nethernet, opening
from client.connection.connection import Connection, Spoken
from client.connection.joining_nethernet import FILE, key_folder, remember_key
from client.connection.opening import open_connection
from client.errors import NetherNetError, SourceError, UsageError
from client.options import Options
from client.report.join import join
from client.source import Remote, parse_source
from net.bedrock import Login, Message, RequestNetworkSettings
from net.bedrock.login import Identity, tokens
from net.bedrock.login import server as server_login
from net.errors import ConnectionClosed, DecodeError, NoGameServer
from net.nethernet import dtls, ice
from net.nethernet.dtls import MISSING
from net.nethernet.identity import write_identity
from net.nethernet.sdp import MOST_BYTES, SessionDescription, read_description, write_description
from net.peer import Transports
from net.peer.server import ServerPeer
from net.raknet.ping import Pong
from net.server.host_options import HostOptions
from net.server.worlds import open_worlds
from net.transport import http_server, http_signalling, udp
from net.transport.http_server import read_request
from net.transport.http_signalling import (
    RAKNET,
    FoundServer,
    find_server,
    get_status,
    post_offer,
    read_status,
)
from tests.support.servers.process import announced_server, threaded_server

RADIUS = 2
NO_STATUS = Pong("", 0, "", 0, 0)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of servers are remembered nowhere else."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def options(**more: object) -> Options:
    return Options(radius=RADIUS, light=False, **more)  # type: ignore[arg-type] - fields of any type


@contextmanager
def our_server(transports: Transports, at: str = "127.0.0.1") -> Iterator[int]:
    served = HostOptions(radius_max=RADIUS + 1, transports=transports)
    with threaded_server(open_worlds("flat:1")[0], 2193, served, at=at) as port:
        yield port


def joined_over_raknet(connection: Connection) -> bool:
    return connection.spoken is not None and connection.spoken.place == RAKNET


# ---------------------------------------------------------------- joins


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("127.0.0.1", "http://127.0.0.1:{}"),
        ("127.0.0.1", "127.0.0.1:{}"),
        ("::1", "http://[::1]:{}"),
        ("::1", "[::1]:{}"),
    ],
)
def test_a_world_over_nethernet_is_the_world_over_raknet(host: str, text: str) -> None:
    with our_server(Transports.BOTH, host) as port:
        worlds = []
        for transport, source in (("auto", text.format(port)), ("raknet", str(Remote(host, port)))):
            with open_connection(parse_source(source), options(transport=transport)) as connection:
                assert connection.wait_settled().settled
                worlds.append(connection.states())
                mtu = connection.peer_stats().mtu_bytes
                assert (mtu == 1228) is (transport == "auto")
    assert worlds[0] == worlds[1]


def test_a_server_at_an_ipv6_address_may_offer_only_an_ipv4_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "address_of_socket", lambda _name: ("127.0.0.1", 0))
    with (
        our_server(Transports.NETHERNET, "::") as port,
        open_connection(parse_source(f"http://[::1]:{port}"), options()) as connection,
    ):
        assert connection.wait_settled().settled


def test_a_world_by_lan_discovery_is_the_world_over_raknet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(udp, "_STATS_S", math.inf)  # what was joined is counted at once, not at the next interval
    served = HostOptions(radius_max=RADIUS + 1, transports=Transports.NETHERNET)
    worlds = []
    with announced_server(open_worlds("flat:1")[0], 2193, served) as game, our_server(Transports.RAKNET) as port:
        for source in (f"lan://127.0.0.1:{game}", f"127.0.0.1:{port}"):
            with open_connection(parse_source(source), options()) as connection:
                assert connection.wait_settled().settled
                worlds.append(connection.states())
                assert (connection.peer_stats().mtu_bytes == 1228) is source.startswith("lan")
    assert worlds[0] == worlds[1]


def test_where_no_lan_game_is_the_step_is_named() -> None:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        with pytest.raises(
            SourceError, match=rf"accepts NetherNet offers over LAN discovery there \(UDP port {port}\)"
        ):
            open_connection(parse_source(f"lan://127.0.0.1:{port}"), options())


def test_the_nonce_of_a_lan_game_is_in_its_login(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Identity] = []
    check = tokens.check_login

    def checked(message: Login, unix_time: float) -> tuple[Identity, tokens.PublicKey]:
        identity, key = check(message, unix_time)
        told.append(identity)
        return identity, key

    monkeypatch.setattr(server_login, "check_login", checked)
    served = HostOptions(radius_max=RADIUS + 1, transports=Transports.NETHERNET)
    with announced_server(open_worlds("flat:1")[0], 2193, served) as game:
        open_connection(parse_source(f"lan://127.0.0.1:{game}"), options()).close()
    assert (told[0].nonce, told[0].server_address) == ("abc", f"127.0.0.1:{game}")


def test_a_key_that_changes_is_a_remark_or_a_refusal() -> None:
    with our_server(Transports.BOTH) as port:
        source = parse_source(f"http://127.0.0.1:{port}")
        with open_connection(source, options()) as connection:
            assert connection.remark == ""
        place = f"127.0.0.1:{port}"
        file = key_folder() / FILE
        file.write_text(file.read_text().replace(place, "elsewhere:1"))
        assert remember_key(place, "0" * 64) is None
        with open_connection(source, options()) as connection:
            assert "differs from the one it had on your first visit" in connection.remark
        for refused in (source, Remote("127.0.0.1", port)):  # RakNet, which proves nothing, is not tried
            with pytest.raises(SourceError, match=rf"^http://{place}: .*; --insist-on-key forbids joining it\.$"):
                open_connection(refused, options(insist_on_key=True))


def test_a_file_of_keys_that_nobody_can_read_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[nonsense")
    assert remember_key("a:1", "x", tmp_path) is None
    assert remember_key("a:1", "x", tmp_path) is None
    assert remember_key("a:1", "y", tmp_path) == "x"


# ---------------------------------------------------------------- what fails


@contextmanager
def answering(respond: Callable[[bytes], bytes]) -> Iterator[int]:
    """Something that listens on TCP and answers what it reads first; gives its port."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:

        def serve() -> None:
            while True:
                try:
                    sock, _ = listener.accept()
                except OSError:
                    return
                with sock:
                    read = sock.recv(65536)
                    sock.sendall(respond(read))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@contextmanager
def dripping(head: bytes) -> Iterator[int]:
    """Something that begins an answer by HTTP and goes on with a line of its head now and then; gives its port."""
    over = threading.Event()
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:

        def serve() -> None:
            sock, _ = listener.accept()
            with sock, suppress(OSError):
                sock.sendall(head)
                while not over.wait(0.05):
                    sock.sendall(b"X-More: to come\r\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            thread.join()


def responding(body: bytes, status: str = "200 OK", get: bytes = b"") -> Callable[[bytes], bytes]:
    """A server that answers GET with ``get`` and POST with the rest."""

    def respond(read: bytes) -> bytes:
        said, line = (get, "200 OK") if read.startswith(b"GET") else (body, status)
        return f"HTTP/1.1 {line}\r\nContent-Length: {len(said)}\r\nConnection: close\r\n\r\n".encode() + said

    return respond


REFUSALS = [
    (responding(b"37"), "code 37"),
    (responding(b"2"), "took too long"),
    (responding(b"<html>"), "not a session description"),
    (responding(b"x" * (MOST_BYTES + 1)), "more than"),
    (responding(b"", "302 Found"), "redirects an offer"),
    (responding(b"why", "400 Bad Request"), "HTTP status 400: why"),
    (responding(b"", "503 Service Unavailable"), "the server is full"),
    (responding(b"\xff\xfe"), "is not text"),
]
"""Answers to an offer, and the words for them."""
NO_SERVERS = [
    (responding(b"", get=b"[]"), "not a JSON object"),
    (lambda _: b"SSH-2.0-x\r\n", "is not an HTTP server: BadStatusLine"),
    (lambda _: b"", "is not an HTTP server: RemoteDisconnected"),
    (
        lambda _: b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        "redirects are not followed",
    ),
    (lambda _: b"HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\n<html>", r"join answers with HTTP status 404\.?$"),
]
"""Answers to the question for the status, likewise."""


@pytest.mark.parametrize(("respond", "words"), [*REFUSALS, *NO_SERVERS])
def test_each_step_that_fails_has_a_sentence_and_the_exit_code(respond: Callable[[bytes], bytes], words: str) -> None:
    with answering(respond) as port, pytest.raises(SourceError, match=words) as raised:
        open_connection(parse_source(f"http://127.0.0.1:{port}"), options())
    assert raised.value.exit_code == 3
    assert str(raised.value).count("\n") == 0
    assert not str(raised.value).startswith("Http")


@pytest.mark.parametrize(("respond", "words"), NO_SERVERS)
def test_what_listens_there_instead_of_a_game_server_is_said(respond: Callable[[bytes], bytes], words: str) -> None:
    """An http server may wait for the rest of a TLS handshake: that https does not answer is not worth a word."""
    with answering(lambda read: b"" if read[:1] == b"\x16" else respond(read)) as port:
        source = Remote("127.0.0.1", port)
        with pytest.raises(SourceError, match=words) as raised:
            open_connection(source, options(timeout_s=5.0))
        assert str(raised.value).startswith(f"Nothing listens at {source} over RakNet; ")
        assert (raised.value.exit_code, str(raised.value).count("\n")) == (3, 0)
        with pytest.raises(NoGameServer, match=words):
            find_server((source.host, port), source.places, 1.0)
        with pytest.raises(SourceError, match=words) as raised:
            open_connection(source, options(transport="nethernet"))
        assert not str(raised.value).startswith("Http")


def test_a_server_that_accepts_tcp_and_says_nothing_is_said() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        source = Remote("127.0.0.1", silent.getsockname()[1])
        with pytest.raises(NoGameServer, match=f"^http://{source} did not answer over HTTP within 0.1 s$"):
            find_server((source.host, source.port), source.places, 0.1)


def test_a_server_of_https_that_is_none_names_tls() -> None:
    with answering(responding(b"")) as port, pytest.raises(SourceError, match=r"fails \(TLS") as raised:
        open_connection(parse_source(f"https://127.0.0.1:{port}"), options())
    assert raised.value.exit_code == 3


@pytest.mark.parametrize(("respond", "words"), [*REFUSALS, *((respond, "") for respond, _ in NO_SERVERS)])
def test_raknet_is_tried_where_nethernet_fails(
    respond: Callable[[bytes], bytes], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What answers by HTTP refuses, redirects, or is no server of the game; what answers pings lets in."""
    with our_server(Transports.RAKNET) as port, answering(respond) as other:
        for scheme in ("http", "https"):
            monkeypatch.setattr(Remote, "places", (f"{scheme}://127.0.0.1:{other}",))
            with open_connection(Remote("127.0.0.1", port), options()) as connection:
                assert joined_over_raknet(connection)
                assert (words if scheme == "http" else "") in connection.remark


def test_join_says_that_nethernet_failed_before_raknet(monkeypatch: pytest.MonkeyPatch) -> None:
    with our_server(Transports.RAKNET) as port, answering(responding(b"37")) as other:
        monkeypatch.setattr(Remote, "places", (f"http://127.0.0.1:{other}",))
        report = join(Remote("127.0.0.1", port), options())
    assert report.fault == ""
    assert re.match(r"the server: joined over RakNet: .* \(code 37\)$", report.text().splitlines()[-1])


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"])
def test_an_answer_that_never_ends_is_given_up_at_the_deadline(head: bytes) -> None:
    with dripping(head) as port, pytest.raises(ConnectionClosed, match=r"did not answer over HTTP within 0\.3 s"):
        get_status(f"http://127.0.0.1:{port}", 0.3)


def test_an_offer_that_is_not_answered_before_the_joins_deadline_is_said_as_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with answering(responding(b"")) as port:
        source = parse_source(f"http://127.0.0.1:{port}")
        gate = threading.Event()
        monkeypatch.setattr(joining_nethernet, "post_offer", lambda *_: str(gate.wait(60.0)))
        words = re.escape(f"http://127.0.0.1:{port} did not answer a session offer in time (--timeout gives it more).")
        with pytest.raises(SourceError, match=f"^{words}$"):
            open_connection(source, options(timeout_s=0.5))
        gate.set()


@pytest.mark.parametrize("protocol", ["auto", 2193])
def test_a_short_time_leaves_raknet_its_share_where_an_offer_is_not_answered(
    protocol: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    monkeypatch.setattr(joining_nethernet, "post_offer", lambda *_: str(gate.wait(60.0)))
    with our_server(Transports.BOTH) as port:
        source = Remote("127.0.0.1", port)
        with open_connection(source, options(timeout_s=4.0, protocol=protocol)) as connection:
            assert joined_over_raknet(connection)
            assert f"http://127.0.0.1:{port} did not answer a session offer in time" in connection.remark
        gate.set()


def test_a_short_time_leaves_raknet_its_share_where_no_address_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[str] = []

    def kept(base: str, network_id: int, offer: str) -> str:
        answers.append(post_offer(base, network_id, offer))
        return answers[0]

    def changed(*_offer: object) -> str:  # without the server, whose answer may take longer than the time below
        return write_description(silent_address(read_description(answers[0])), 1)

    words = "did not connect over NetherNet within {} s: waiting for a reachable address of the other side (ICE)"
    with our_server(Transports.BOTH) as port:
        monkeypatch.setattr(joining_nethernet, "post_offer", kept)
        with open_connection(parse_source(f"http://127.0.0.1:{port}"), options()):
            monkeypatch.setattr(joining_nethernet, "post_offer", changed)
        with open_connection(Remote("127.0.0.1", port), options(timeout_s=4.0)) as connection:
            assert joined_over_raknet(connection)
            assert words.format("2.4") in connection.remark
        with pytest.raises(NetherNetError, match=re.escape(words.format("1"))):
            open_connection(parse_source(f"http://127.0.0.1:{port}"), options(timeout_s=1.0))


def test_another_protocol_than_the_servers_is_said_where_a_join_fails() -> None:
    with our_server(Transports.RAKNET) as port, pytest.raises(SourceError) as raised:
        open_connection(Remote("127.0.0.1", port), options(protocol=486))
    assert str(raised.value).endswith("; it speaks protocol 2193, but --protocol is 486.")


def test_where_raknet_does_not_answer_either_the_step_of_nethernet_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as silent, answering(responding(b"37")) as other:
        silent.bind(("127.0.0.1", 0))
        monkeypatch.setattr(Remote, "places", (f"http://127.0.0.1:{other}",))
        with pytest.raises(NetherNetError, match="code 37") as raised:
            open_connection(Remote("127.0.0.1", silent.getsockname()[1]), options())
        assert raised.value.exit_code == 3


# ---------------------------------------------------------------- answers that were changed on their way

FOREIGN = (("sha-256", ":".join(["AB"] * 32)),)


def signed_by_somebody(answer: SessionDescription, life_s: int = 60) -> str:
    return write_identity(tokens.new_key(os.urandom), answer.fingerprints, time.time() - 120 + life_s, life_s=life_s)


def wrong_fingerprint(answer: SessionDescription) -> SessionDescription:
    changed = replace(answer, fingerprints=FOREIGN)
    return replace(changed, identity=signed_by_somebody(changed, 3600))


def silent_address(answer: SessionDescription) -> SessionDescription:
    return replace(answer, candidates=(("127.0.0.1", 9),))


CHANGES = pytest.mark.parametrize(
    ("change", "words"),
    [
        (wrong_fingerprint, "does not match its description (DTLS fingerprint)"),
        (
            lambda answer: replace(answer, fingerprints=FOREIGN),
            "(identity): token.fingerprints at byte 0: has an invalid signature",
        ),
        (
            lambda answer: replace(answer, identity=signed_by_somebody(answer, 1)),
            "(identity): identity.exp at byte 0: expired",
        ),
        (
            lambda answer: replace(answer, identity=signed_by_somebody(replace(answer, fingerprints=FOREIGN), 3600)),
            "(identity): token.fingerprints at byte 0: has an invalid signature",
        ),
        (lambda answer: replace(answer, identity=None), "does not name its author (identity)"),
        (silent_address, "no address in the server's answer responds (ICE; tried: 127.0.0.1 port 9)"),
    ],
    ids=["wrong fingerprint", "unsigned fingerprint", "expired", "foreign", "anonymous", "half-open ICE"],
)


@CHANGES
def test_a_changed_answer_is_a_sentence_with_its_step_and_raknet_is_tried(
    change: Callable[[SessionDescription], SessionDescription], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(base: str, network_id: int, offer: str) -> str:
        return write_description(change(read_description(post_offer(base, network_id, offer))), 1)

    monkeypatch.setattr(joining_nethernet, "post_offer", changed)
    monkeypatch.setattr(ice, "FAILED_S", 0.5)
    with our_server(Transports.BOTH) as port:
        with pytest.raises(SourceError, match=re.escape(words)) as raised:
            open_connection(parse_source(f"http://127.0.0.1:{port}"), options())
        assert raised.value.exit_code == 3
        assert str(raised.value).count("\n") == 0
        with open_connection(Remote("127.0.0.1", port), options()) as connection:
            assert joined_over_raknet(connection)
            assert connection.remark.startswith("joined over RakNet: ")
            assert words in connection.remark


def test_a_login_by_another_key_than_the_offers_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    made = joining_nethernet.ClientPeer

    def another(*given: object, key: object, **more: object) -> object:
        return made(*given, key=tokens.new_key(os.urandom), **more)  # type: ignore[arg-type]

    monkeypatch.setattr(joining_nethernet, "ClientPeer", another)
    words = "the login and the offer are signed with different keys (identity)"
    with our_server(Transports.BOTH) as port:
        with pytest.raises(NetherNetError, match=re.escape(words)) as raised:
            open_connection(parse_source(f"http://127.0.0.1:{port}"), options())
        assert raised.value.exit_code == 3
        with open_connection(Remote("127.0.0.1", port), options()) as connection:
            assert joined_over_raknet(connection)
            assert words in connection.remark


def test_a_server_that_ends_the_session_without_a_word_is_a_sentence_with_the_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As gophertunnel does towards another version: its PlayStatus is lost with the connection."""
    monkeypatch.setattr(ServerPeer, "_handle", lambda peer, _message, now: peer._link.close("", now))
    words = "the other side closed the connection before NetworkSettings"
    guessed = "; it does not say its version; tried: protocol 2193, 2169, 2168 (--protocol N tries another)"
    with our_server(Transports.NETHERNET) as port:
        source = parse_source(f"http://127.0.0.1:{port}")
        with pytest.raises(NetherNetError, match=f"{words}\\.$"):
            open_connection(source, options())
        monkeypatch.setattr(http_signalling, "get_status", lambda *_: NO_STATUS)
        with pytest.raises(NetherNetError, match=re.escape(words + guessed)):
            open_connection(source, options())


@pytest.mark.parametrize("says_why", [True, False])
def test_a_server_that_does_not_say_its_version_is_joined_by_the_guess_that_it_takes(
    says_why: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As most servers that use go-nethernet; gophertunnel's PlayStatus is lost with the connection besides."""
    handle = ServerPeer._handle

    def closing_without_a_word(peer: ServerPeer, message: Message, now: float) -> None:
        if isinstance(message, RequestNetworkSettings) and message.protocol != 2168:
            peer._link.close("", now)
        else:
            handle(peer, message, now)

    if not says_why:
        monkeypatch.setattr(ServerPeer, "_handle", closing_without_a_word)
    monkeypatch.setattr(http_signalling, "get_status", lambda *_: NO_STATUS)
    served = HostOptions(radius_max=RADIUS + 1, transports=Transports.NETHERNET)
    with threaded_server(open_worlds("flat:1")[0], 2168, served) as port:
        source = parse_source(f"http://127.0.0.1:{port}")
        with open_connection(source, options()) as connection:
            assert connection.spoken is not None
            assert connection.spoken.protocol == 2168
        with pytest.raises(NetherNetError, match=r"--protocol is 2193, and it may speak another \(auto finds out\)"):
            open_connection(source, options(protocol=2193))


def test_a_version_that_is_said_over_raknet_alone_is_no_guess() -> None:
    found = FoundServer("http://a", NO_STATUS, raknet=Pong("", 2169, "", 0, 0))
    assert opening._protocol(Remote("a"), found, options()) == 2169


def test_a_url_is_not_joined_over_raknet() -> None:
    with pytest.raises(UsageError, match="joined over NetherNet only"):
        open_connection(parse_source("http://127.0.0.1:1"), options(transport="raknet"))


def test_encryption_that_fails_names_tls() -> None:
    with answering(lambda _: b"no") as port, pytest.raises(ConnectionClosed, match=r"\(TLS"):
        get_status(f"https://127.0.0.1:{port}", 1.0)


def test_nobody_there_and_nobody_who_answers() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(ConnectionClosed, match="did not answer over HTTP within"):
            get_status(f"http://127.0.0.1:{port}", 0.05)
    with pytest.raises(ConnectionClosed, match="cannot be reached over HTTP"):
        get_status(f"http://127.0.0.1:{port}", 1.0)
    with pytest.raises(SourceError, match="accepts NetherNet offers"):
        open_connection(Remote("127.0.0.1", port), options(transport="nethernet"))


def test_without_the_extra_one_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with our_server(Transports.NETHERNET) as port:
        monkeypatch.setattr(dtls, "find_spec", lambda _name: None)
        with pytest.raises(NetherNetError) as raised:
            open_connection(parse_source(f"http://127.0.0.1:{port}"), options())
    assert MISSING in str(raised.value)
    assert "-m pip install pyOpenSSL" in MISSING


def test_no_socket_is_left_where_an_offer_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[socket.socket] = []
    bound = joining_nethernet.bound_socket

    def watched(address: tuple[str, int]) -> tuple[socket.socket, tuple[tuple[str, int], ...]]:
        found = bound(address)
        opened.append(found[0])
        return found

    monkeypatch.setattr(joining_nethernet, "bound_socket", watched)
    with answering(responding(b"37")) as port, pytest.raises(NetherNetError):
        open_connection(parse_source(f"http://127.0.0.1:{port}"), options())
    assert [sock.fileno() for sock in opened] == [-1]


# ---------------------------------------------------------------- sources, places, statuses


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("http://a:19132", Remote("a", 19132, "http")),
        ("http://a:19132/", Remote("a", 19132, "http")),
        ("HTTPS://a", Remote("a", 443, "https")),
        ("http://[::1]:5", Remote("::1", 5, "http")),
        ("http://[::1]", Remote("::1", 80, "http")),
    ],
)
def test_an_address_by_url(text: str, source: Remote) -> None:
    assert parse_source(text) == source
    assert parse_source(str(source)) == source


@pytest.mark.parametrize(
    "text",
    ["http://[foo]:5", "lan://[1.2.3.4]", "http://", "http://a/b", "http://a:0", "http://u@a:5", "https://a:5?x"],
)
def test_urls_that_are_none(text: str) -> None:
    with pytest.raises(UsageError):
        parse_source(text)


def test_places_of_an_address() -> None:
    assert Remote("a", 5).places == ("https://a:5", "http://a:5")
    assert Remote("a", 5, "http").places == ("http://a:5",)
    assert Remote("::1").places == ("https://[::1]:19132", "https://[::1]", "http://[::1]:19132", "http://[::1]")


def test_a_status_may_be_anything() -> None:
    assert read_status("", b"") == NO_STATUS
    assert read_status("", b'{"name":5,"protocol":true,"players":-1,"version":"\\ud800"}') == Pong("", 0, "?", 0, 0)
    for body in (b"[]", b"<html>", b"\xff", b"[" * 100_000):
        with pytest.raises(ConnectionClosed):
            read_status("", body)


def test_what_an_address_speaks_is_found_in_the_order_of_preference() -> None:
    with our_server(Transports.BOTH) as port:
        address = "127.0.0.1", port
        found = find_server(address, Remote(*address).places, 1.0)
        assert found is not None
        assert found.base == f"http://127.0.0.1:{port}"
        assert found.pong is not None
        assert (found.pong.motd, found.pong.protocol) == ("chunkscope", 2193)
        only = find_server(address, (), 1.0)
        assert only is not None
        assert (only.base, only.place) == (None, "raknet")


def test_what_an_address_spoke_before_is_preferred() -> None:
    with our_server(Transports.BOTH) as port, closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address, slow = ("127.0.0.1", port), f"http://127.0.0.1:{silent.getsockname()[1]}"
        bases = (slow, f"http://127.0.0.1:{port}")
        for before in ("raknet", bases[1]):
            found = find_server(address, bases, 30.0, before=before)
            assert found is not None
            assert found.place == before
        found = find_server(address, bases[1:], 5.0, before="https://nobody")
        assert found is not None
        assert found.place == bases[1]


def test_what_a_server_spoke_is_known_afterwards_and_chosen_the_next_time() -> None:
    with our_server(Transports.BOTH) as port:
        source = Remote("127.0.0.1", port)
        with open_connection(source, options()) as connection:
            assert connection.spoken is not None
            assert (connection.spoken.place, connection.spoken.protocol) == (f"http://127.0.0.1:{port}", 2193)
            version = connection.spoken.version
            assert version.startswith("1.")
        with open_connection(source, options(joined_at="raknet")) as connection:
            assert connection.spoken == Spoken("raknet", 2193, version)


def test_the_http_server_takes_offers_alone() -> None:
    with our_server(Transports.NETHERNET) as port:
        base = f"http://127.0.0.1:{port}"
        assert get_status(base, 1.0).motd == "chunkscope"
        with pytest.raises(ConnectionClosed, match="HTTP status 400"):
            post_offer(base, 5, "nonsense")
        with socket.create_connection(("127.0.0.1", port)) as sock:
            sock.sendall(b"\x16\x03\x01nonsense")
            assert sock.recv(100).startswith(b"HTTP/1.1 400")
        with socket.create_connection(("127.0.0.1", port)) as sock:
            sock.sendall(b"GET /else HTTP/1.1\r\n\r\n")
            assert sock.recv(100).startswith(b"HTTP/1.1 404")
        with socket.create_connection(("127.0.0.1", port)) as sock:
            sock.sendall(b"POST /v1/join/5 HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n")
            assert sock.recv(100).startswith(b"HTTP/1.1 413")


def test_requests_that_are_none() -> None:
    assert read_request(b"GET /") is None
    assert read_request(b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab") is None
    for text in (
        b"\0",
        b"a" * 9000,
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ):
        with pytest.raises(DecodeError):
            read_request(text)
