"""Servers of the LAN as they come, fall silent, and are gone; and looking where it cannot be done."""

import subprocess
import sys
import threading

from client.lan import GONE_S, Lan, Neighbourhood
from client.source import Remote
from net.raknet.handshake import Address
from net.raknet.ping import Pong
from net.transport.discovery import Sighting, everywhere

PATIENCE_S = 200.0
HERE: Address = ("192.168.0.7", 19132)


def sighting(name: str = "one", guid: int = 5, answers: int = 1, latency_s: float = 0.004) -> Sighting:
    return Sighting(HERE, Pong(name, 486, "1.18.12", 1, 10, guid, port_v4=19132), latency_s, answers)


def test_a_server_is_as_silent_as_its_last_answer_is_old_and_gone_after_a_while() -> None:
    known = Neighbourhood()
    known.begin_round()
    known.receive([sighting()], 100.0)
    known.receive([sighting()], 103.0)  # told again, but nothing new came
    (there,) = known.at(104.0)
    assert (there.source, there.name, there.silent_s) == (Remote(*HERE), "one", 4.0)
    known.receive([sighting(answers=2)], 105.0)
    assert known.at(105.0)[0].silent_s == 0.0
    known.begin_round()
    known.receive([sighting(answers=2, latency_s=0.009)], 106.0)
    assert (known.at(106.5)[0].silent_s, known.at(106.5)[0].latency_s) == (0.5, 0.009)
    assert known.at(106.0 + GONE_S) == ()


def test_rows_do_not_jump_when_round_trips_change_and_names_are_on_one_line() -> None:
    known = Neighbourhood()
    known.receive([sighting("b", 1, latency_s=0.001), sighting("\N{SECTION SIGN}cA\n\x1b[31m", 2, latency_s=0.9)], 0.0)
    assert [each.name for each in known.at(0.0)] == ["A [31m", "b"]


def test_what_the_system_refuses_is_one_sentence() -> None:
    known, targets = Neighbourhood(), everywhere((5,))
    known.refused(targets, {("ff02::1", 5): "No route"})
    assert known.trouble == ""
    beyond = {target: "Network is unreachable" for target in targets if target[0] not in ("127.0.0.1", "::1")}
    known.refused(targets, beyond)
    assert (
        known.trouble
        == "The network cannot be searched (Network is unreachable): only servers on this machine are listed."
    )
    known.refused(targets, dict.fromkeys(targets, "No buffer"))
    assert known.trouble == "Servers cannot be searched for: No buffer."
    known.refused(targets, {})
    assert known.trouble == ""


def test_looking_goes_on_round_after_round_and_ends_when_it_is_closed() -> None:
    rounds: list[int] = []
    two = threading.Event()

    def scan(targets: tuple[Address, ...], timeout_s: float, told, refused, hosts) -> tuple[Sighting, ...]:
        rounds.append(len(rounds))
        refused({})
        told((sighting("found"),))
        if len(rounds) >= 2:
            two.set()
        return ()

    lan = Lan((5,), scan)
    assert two.wait(PATIENCE_S)
    lan.close()
    assert lan.wait(PATIENCE_S)


def test_a_system_without_sockets_is_told() -> None:
    def scan(*_facts: object) -> tuple[Sighting, ...]:
        raise OSError(1, "Operation not permitted")

    lan = Lan((5,), scan)
    assert lan.wait(PATIENCE_S)
    assert lan.neighbours(0.0) == ((), "Servers cannot be searched for: Operation not permitted.")


def test_a_search_loads_nothing_that_joins_by_nethernet() -> None:
    code = "import sys, client.lan; print('net.nethernet.dtls' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n", "each window would load it before its first terrain"
