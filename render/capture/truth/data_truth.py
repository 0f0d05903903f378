"""What was known at one moment and what was made of it, as digests: the layer that is exact on every machine.

| part     | of each           | digest of                                                                    |
|----------|-------------------|------------------------------------------------------------------------------|
| storages | sub-chunk         | its blocks and its second layer's, by name and state values                  |
| light    | sub-chunk         | its light levels, R G B D                                                    |
| meshes   | render cell       | its packed quads as they lie on the GPU, blocks by name and state values     |
| requests | sub-chunk         | its state, whether it was asked for, the last code that refused it           |

``gathering`` says how, and which places have none.

Nothing of it depends on the order in which things came, on dense ids or slots, or on how often a lost answer made
somebody ask again.
"""

from collections.abc import Mapping
from typing import Any, Final

from client.light.light_map import LightMap
from client.session.session import Session
from net.frozen import frozen
from render.capture.truth import gathering
from render.capture.truth.digests import Digests
from render.scene.shown_meshes import ShownMeshes

PARTS: Final = ("storages", "light", "meshes", "requests")
"""Names of the parts, in the order in which they depend on each other."""


@frozen
class DataTruth:
    """Digests of one moment.

    Attributes:
        storages: by sub-chunk.
        light: by sub-chunk.
        meshes: by render cell.
        requests: by sub-chunk.
    """

    storages: Digests
    light: Digests
    meshes: Digests
    requests: Digests

    @classmethod
    def of(cls, session: Session, light: LightMap, meshes: ShownMeshes) -> "DataTruth":
        """The truth of this moment: 80 ms for thirteen by thirteen columns.

        Args:
            session: not ticked meanwhile.
            light: as its picture was lit.
            meshes: as its picture was drawn.
        """
        store = session.store
        return cls(
            gathering.storages(store),
            gathering.light_levels(store, light),
            gathering.packed_quads(store, meshes),
            gathering.requests(session),
        )

    @property
    def parts(self) -> dict[str, Digests]:
        """Each part by its name, in the order of ``PARTS``."""
        return {name: getattr(self, name) for name in PARTS}

    def as_json(self) -> dict[str, Any]:
        """Fit for ``json.dumps``; the same text for the same truth."""
        return {name: digests.as_json() for name, digests in self.parts.items()}

    @classmethod
    def from_json(cls, said: object) -> "DataTruth":
        """What ``as_json`` said.

        Raises:
            ValueError: it is something else; names the part.
        """
        if not isinstance(said, Mapping):
            raise ValueError("a data truth is a table of parts")
        parts = {}
        for name in PARTS:
            if not isinstance(part := said.get(name), Mapping):
                raise ValueError(f"a data truth has a part '{name}'")
            try:
                parts[name] = Digests.from_json(part)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return cls(**parts)
