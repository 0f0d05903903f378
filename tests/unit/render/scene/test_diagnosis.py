"""What ``why`` says of a picture that nobody draws: the scene's own rules, asked without GL."""

import pytest

from client.options import Options
from net.server.faults import ServerFaults
from net.server.options import HostOptions
from net.space.positions import BlockPos
from render.mesh import mesher
from render.scene.diagnosis import outlook
from tests.support.session.virtual import VirtualSession

RIM = "too far out, at the rim of what the anchors hold or beyond"


@pytest.mark.parametrize(
    ("block", "faults", "meshed", "told"),
    [
        ((8, -61, 8), ServerFaults(), True, "render cell 0 -2 0 gets a mesh, shown once its column is lit"),
        ((8, 100, 8), ServerFaults(), False, "nothing: there is only air"),
        (
            (8, -40, 8),
            ServerFaults(),
            False,
            "nothing: there is only air; render cell 0 -2 0 gets a mesh for its other half",
        ),
        ((8, -61, 8), ServerFaults(100, 100), False, "nothing: a placeholder is not drawn"),
        ((56, -61, 8), ServerFaults(), False, f"nothing: render cell 3 -2 0 lies {RIM}"),
        ((40, -61, 8), ServerFaults(), True, "render cell 2 -2 0 gets a mesh, shown once its column is lit"),
        ((800, -61, 8), ServerFaults(), False, "render cell 50 -2 0 is not there: its column is not announced"),
    ],
    ids=["blocks", "air", "air over blocks", "refused", "at the rim", "before it", "never sent"],
)
def test_a_cell_is_meshed_when_it_holds_something_that_is_known(
    block: tuple[int, int, int], faults: ServerFaults, meshed: bool, told: str
) -> None:
    with VirtualSession("flat:1", HostOptions(faults=faults)).connection(Options(radius=2)) as connection:
        connection.wait_settled(60.0)
        assert outlook(connection.session, BlockPos(*block)) == (meshed, told, "")


def test_a_cell_that_cannot_be_meshed_is_said_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def impossible(batch: object, scratch: object) -> None:
        raise ValueError("an impossible block")

    with VirtualSession("flat:1", HostOptions()).connection(Options(radius=2)) as connection:
        connection.wait_settled(60.0)
        monkeypatch.setattr(mesher, "run", impossible)
        found = outlook(connection.session, BlockPos(8, -61, 8))
    why = "render cell 0 -2 0 cannot be meshed (ValueError: an impossible block)"
    assert found == (False, f"failed: {why}", f"Unmeshed: its {why}")
