"""``chunkscope doctor --mirror``: compares the GPU's copy with the CPU's data after edits, moves and a lost context.

A source is joined and settled once. Then random edits are applied to our own copy as if a server had sent them, while
an anchor moves, so that columns are uploaded and removed. At intervals and at the end the scene is settled and every
brick is read back (``render.scene.gpu_copy.verify``); at the end also on a new context. The seed determines all random
values.
"""

from typing import Final

import msgspec
import numpy as np

from client.connection.connection import Connection
from client.connection.opening import Progress
from client.kernel_cache import cache_directory
from client.session.session import Session
from client.streaming.anchors import Anchor, Anchors
from client.visibility import derive_connectivity
from net.space import ColumnPos
from render.camera import Camera
from render.gpu import Gpu, RenderError, Target
from render.jobs.workers import ThreadRunner
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.gpu_copy.verify import MirrorCheck

MOST_EDITS_AT_ONCE: Final = 200
"""Of one drain: more than the 64 that a change log names."""
CHECKS: Final = 4
"""How often bricks are read back during edits and moves."""
ANCHOR: Final = "doctor"


class MirrorTrial(msgspec.Struct, frozen=True):
    """What is done to the world."""

    edits: int = 0  # blocks changed
    moves: int = 0  # how often the anchor goes elsewhere
    seed: int = 0  # of both
    budget_bytes: int | None = None  # what bricks may take; None: as much as the driver bears


class MirrorComparison(msgspec.Struct, frozen=True):
    """One comparison: when, and what was found."""

    when: str
    check: MirrorCheck


class MirrorDoctor:
    """Tests the GPU's copy of a settled connection. Owner thread only."""

    def __init__(self, session: Session, trial: MirrorTrial) -> None:
        """Makes a context and shows what the session knows. Raises UnsupportedGpu: there is no OpenGL 3.3."""
        self._session, self._trial = session, trial
        self._rng = np.random.default_rng(trial.seed)
        self._gpu = Gpu.standalone()
        self._runner = ThreadRunner()
        self._target = Target(self._gpu, (64, 36))
        config = SceneConfig(upload_bytes=None, radius_columns=session.radius, gpu_budget_bytes=trial.budget_bytes)
        looks = BlockAppearance(session.dimension.store.table, cache_directory())
        self._scene = Scene(self._gpu, looks, self._runner, config)
        self._anchors = Anchors()
        self._columns = np.array(sorted(session.dimension.store.row_of), np.int32)
        self._go(session.movement.eye.column, session.radius)
        self._scene.attach(session.dimension.store, session.dimension.light, self._anchors)

    def examine(self, progress: Progress | None = None) -> list[MirrorComparison]:
        trial = self._trial
        stages = [MirrorComparison("as received", self._compare())]
        rounds = max(-(-trial.edits // (MOST_EDITS_AT_ONCE // 2)), trial.moves)
        edits = self._portions(trial.edits, rounds)
        moves = self._portions(trial.moves, rounds)
        for number in range(rounds):
            if progress is not None:
                progress(number / rounds, "changing blocks and moving")
            for _ in range(moves[number]):
                self._wander()
            if edits[number]:
                self._change_blocks(edits[number])
            self._frame()
            if (number + 1) * CHECKS // rounds > number * CHECKS // rounds:
                done = f"after {sum(edits[: number + 1]):,} edits and {sum(moves[: number + 1]):,} moves"
                stages.append(MirrorComparison(done, self._compare()))
        self._lose_context()
        stages.append(MirrorComparison("after the context was lost", self._compare()))
        return stages

    def release(self) -> None:
        self._runner.close()
        self._scene.release()
        self._target.release()
        self._gpu.release()

    def _compare(self) -> MirrorCheck:
        if not self._scene.settle(self._eye):
            raise RenderError("the scene did not settle")
        return self._scene.check_mirror()

    def _frame(self) -> None:
        """What a window does between two frames."""
        self._scene.step(self._eye)
        self._scene.draw(Camera(self._eye, 0.0, 10.0, 70.0, self._target.aspect), self._target)

    def _portions(self, total: int, rounds: int) -> list[int]:
        """A random number for each round, ``total`` together."""
        if rounds == 0:
            return []
        portions: list[int] = self._rng.multinomial(total, np.full(rounds, 1 / rounds)).tolist()
        return portions

    def _go(self, column: ColumnPos, radius_columns: int) -> None:
        dimension = self._session.dimension.store.dimension
        middle = dimension.floor_y_blocks + dimension.sections * 8
        self._eye = (column.x * 16 + 8.5, middle + 0.5, column.z * 16 + 8.5)
        self._anchors.pin(ANCHOR, Anchor.square(column, radius_columns + 1))

    def _wander(self) -> None:
        """To a column that is there, or a step beyond the last."""
        x, z = self._rng.choice(self._columns).tolist()
        self._go(ColumnPos(x, z), int(self._rng.integers(1, max(self._session.radius, 2))))

    def _change_blocks(self, count: int) -> None:
        """One drain of edits, half of them near each other."""
        store, rng = self._session.dimension.store, self._rng
        columns = self._columns[rng.integers(0, len(self._columns), count)]
        columns[: count // 2] = columns[0]
        inside = rng.integers(0, 16, (count, 2))
        dimension = store.dimension
        heights = rng.integers(dimension.floor_y_blocks, dimension.roof_y_blocks, count)
        around = heights[0] + rng.integers(-8, 8, count // 2)
        heights[: count // 2] = np.clip(around, dimension.floor_y_blocks, dimension.roof_y_blocks - 1)
        blocks = np.column_stack([columns[:, 0] * 16 + inside[:, 0], heights, columns[:, 1] * 16 + inside[:, 1]])
        known = store.table.runtime_ids[: len(store.table)]
        ids = rng.choice(known[known >= 0], count)
        ids[rng.random(count) < 0.4] = known[0]  # air: what is dug away lets light in
        store.update_blocks(blocks.astype(np.int32), np.zeros(count, np.int64), ids)
        derive_connectivity(store.pools, store.finish_drain())

    def _lose_context(self) -> None:
        """Everything on another context, from nothing."""
        self._target.release()
        self._scene = self._scene.rebuilt(self._other_context)
        self._target = Target(self._gpu, (64, 36))

    def _other_context(self) -> Gpu:
        self._gpu.release()
        self._gpu = Gpu.standalone()
        return self._gpu


def examine_mirror(
    connection: Connection, trial: MirrorTrial, progress: Progress | None = None
) -> list[MirrorComparison]:
    """Tests the GPU's copy of a connection's world, without pumping it. Raises UnsupportedGpu: no OpenGL 3.3."""
    doctor = MirrorDoctor(connection.session, trial)
    try:
        return doctor.examine(progress)
    finally:
        doctor.release()
