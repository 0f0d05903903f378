"""The panel Problems lists what ``health`` finds, and a click leads to a place."""

from client.connection.connection import Connection
from client.options import Options
from client.report.health import Problem, find_problems
from net.server.faults import RefusalFault, ServerFaults
from net.server.options import HostOptions
from net.space import BlockPos
from render.panels import problems
from render.panels.panel import Go, Inspect, Wish
from render.panels.problems import ProblemsView
from tests.support.session.virtual import VirtualSession
from tests.support.window.panels import click_last, text_of


def refusing() -> Connection:
    faults = ServerFaults(refusals=(RefusalFault(3, 0.1, 1 << 30),))
    return VirtualSession("hills:1", HostOptions(faults=faults)).connection(Options(radius=2))


def test_nothing_wrong_says_so() -> None:
    assert "no problems found" in text_of(lambda: problems.draw(ProblemsView(())))


def test_each_problem_has_count_sentence_and_places() -> None:
    with refusing() as connection:
        assert connection.wait_settled()
        (problem,) = find_problems(connection.session, connection.now)
    text = text_of(lambda: problems.draw(ProblemsView((problem,))))
    assert f"{problem.count} refused" in text
    assert "Refused by the server: code 3, wrong dimension." in " ".join(text.split())
    x, y, z = problem.places[0]
    assert f"x {x}, y {y}" in text
    assert f"z {z}" in text


def test_a_click_on_a_place_leads_there() -> None:
    problem = Problem("refused", "sub-chunks", 1, "Refused.", None, BlockPos(24, 72, -24), ((1, 4, -2),))
    wishes: list[Wish] = []
    click_last(lambda: wishes.extend(problems.draw(ProblemsView((problem,)))))
    assert wishes == [Inspect(BlockPos(24, 72, -24)), Go(BlockPos(24, 72, -24))]


def test_columns_are_led_to_at_the_height_of_their_block() -> None:
    problem = Problem("never sent", "columns", 1, "Never sent.", None, BlockPos(56, 136, -24), ((3, -2),))
    assert "x 3, z -2" in text_of(lambda: problems.draw(ProblemsView((problem,))))
