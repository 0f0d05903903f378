"""One view of one scene, settled once, for any number of defects.

Rules:
1. A defect is planted, drawn, judged and taken back; the scene settles from it and back by what changed alone.
2. In the end nothing may be left of them: digests of what is known and made, and every pixel, are those of the
   beginning. If they are not, no verdict of the view counts.
3. A view without a place for a class of defects (no water, no lamp) takes one of another class, unless it may not.
4. Where light is not compared none is lowered: a lamp's level by day shows in no colour.

Choosing: Where defects are planted: weighted by the view for those to be seen, out of its sight for the others.

Every choice follows from the wish's seed and from what rays see without any defect. ``None``: this view has no such
place.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.light.light_map import LightMap
from client.light.slots import SHARED_SLOTS
from client.player import View
from client.session.session import Session
from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT
from client.world.store import Store
from net.arrays import Places
from render.capture.channels import Shot, checked
from render.capture.studio import PictureOptions, Studio
from render.mesh.vertex_format import Group
from render.scene import Scene
from render.scene_tests.compare import compare
from render.scene_tests.compare_data import DataTruth, Digests, light_levels, packed_quads, storages
from render.scene_tests.verdict import Tolerance, Verdict
from render.scene_tests.views import CapturedView, Renderer
from tests.mutation.defects import Defect, Sight, Trial, Wish
from tests.mutation.planting import Darken, Drop, Hide, Plan, Planter, Shift, Swap
from tests.mutation.prediction import STEPS, Blocks, Ground, LightLevels, Oracle, Seen, codes, judge_sight
from tests.oracle.cast import Looks

# ---------------------------------------------------------------- choosing

CLEAR: Final = (Group.TRANSLUCENT, Group.LIQUID)
FEW_PX: Final = 8
"""Blocks that take fewer pixels are not chosen to be seen: the least that counts as visible is four."""


class Chooser:
    """Chooses in one view.

    Args:
        store: settled.
        light: its light, made.
        scene: that shows both.
        planter: asked for the places of render cells.
        ground: of the store.
        seen: by rays, without defects.
        eye: where they begin.
    """

    def __init__(
        self,
        store: Store,
        light: LightMap,
        scene: Scene,
        planter: Planter,
        ground: Ground,
        seen: Seen,
        eye: tuple[float, float, float],
    ) -> None:
        self._store, self._light, self._scene, self._planter = store, light, scene, planter
        self._ground, self._seen = ground, seen
        hits = seen.hits
        some = np.flatnonzero(hits.on_terrain & seen.sure)
        keys = hits.places[some].astype(np.int64) << 12 | hits.cells[some]
        _, first, count = np.unique(keys, return_index=True, return_counts=True)
        self._pixels = some[first[count >= FEW_PX]]
        """A pixel of each block that is well in view."""
        self._weights = count[count >= FEW_PX]
        behind = seen.behind.places[seen.behind.on_terrain]
        filled = np.arange(seen.passed.keys.shape[1]) < seen.passed.counts[:, None]
        through = np.unique(seen.passed.keys[filled] >> 15)
        met = np.unique(hits.places[hits.on_terrain])
        self._places_seen = np.union1d(np.union1d(met, np.unique(behind)), through)
        attached = scene.attached
        rows = np.flatnonzero(attached.residency.shown)
        places = store.places_of_rows(rows)
        slots = store.slot[places]
        self._places: Places = places[(slots != AIR_SLOT) & (slots != PLACEHOLDER_SLOT)]
        """Sub-chunks that are drawn and hold something."""
        self._own_place = int(ground.places(np.floor(np.array([eye])).astype(np.int64))[0][0])
        self._cells = attached.state.cells.with_quads()
        self._cells = self._cells[[(self._planter.places_of_cell(cell) > 0).all() for cell in self._cells.tolist()]]
        states = np.unique(store.pools.blocks[np.unique(store.slot[self._places])])
        first_ids = store.table.first
        self._states = states[(states > 0) & (states != first_ids.placeholder)]

    def choose(self, wish: Wish, attempt: int) -> Plan | None:
        """A place for a wish, another one at each attempt."""
        rng = np.random.default_rng((wish.seed, attempt))
        if wish.seen and not len(self._pixels):
            return None
        chosen: dict[Defect, Callable[[np.random.Generator, bool], Plan | None]] = {
            Defect.DROP: self._drop,
            Defect.SWAP: self._swap,
            Defect.DARKEN: self._darken,
            Defect.SHIFT: self._shift,
            Defect.HIDE: self._hide,
        }
        return chosen[wish.defect](rng, wish.seen)

    def _pixel(self, rng: np.random.Generator) -> int:
        return int(rng.choice(self._pixels, p=self._weights / self._weights.sum()))

    def _unseen(self, rng: np.random.Generator, places: Places) -> int | None:
        """A place of which no ray meets anything."""
        hidden = places[~np.isin(places, self._places_seen)]
        return int(rng.choice(hidden)) if len(hidden) else None

    def _drop(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        place = int(self._seen.hits.places[self._pixel(rng)]) if seen else self._unseen(rng, self._places)
        return None if place is None or place == self._own_place else Drop(place)

    def _swap(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        store = self._store
        if seen:
            pixel = self._pixel(rng)
            place, cell = int(self._seen.hits.places[pixel]), int(self._seen.hits.cells[pixel])
        else:
            hidden = self._unseen(rng, self._places)
            if hidden is None:
                return None
            place = hidden
            cell = int(rng.choice(np.flatnonzero(store.pools.blocks[store.slot[place]])))
        was = store.pools.blocks[store.slot[place], cell]
        others = self._states[self._states != was]
        return Swap(place, cell, int(rng.choice(others))) if len(others) else None

    def _darken(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        if seen:
            pixel = self._pixel(rng)
            face = int(self._seen.hits.faces[pixel])
            place, cell = self._place_of(self._seen.cells[pixel] + STEPS[face])
        else:
            found = self._unlit(rng)
            if found is None:
                return None
            place, cell = found
        slot = int(self._light.slots_of(np.array([place], np.int32))[0])
        if not place or slot < SHARED_SLOTS:
            return None
        value = int(self._light.values[slot, cell])
        bright = [channel for channel in range(4) if value >> 4 * channel & 15]
        return Darken(place, cell, int(rng.choice(bright))) if bright else None

    def _unlit(self, rng: np.random.Generator) -> tuple[int, int] | None:
        """A block with some light that no surface in view takes."""
        lit = self._places[self._light.slots_of(self._places) >= SHARED_SLOTS]
        if not len(lit):
            return None
        place = int(rng.choice(lit))
        levels = self._light.values[self._light.slots_of(np.array([place], np.int32))[0]]
        cells = np.flatnonzero(levels)
        if not len(cells):
            return None
        blocks: Blocks = self._ground.positions(np.full(len(cells), place), cells)
        cells = cells[~np.isin(codes(blocks), self._seen.lit)]
        return (place, int(rng.choice(cells))) if len(cells) else None

    def _place_of(self, block: npt.NDArray[np.int64]) -> tuple[int, int]:
        places, cells = self._ground.places(block[None])
        return int(places[0]), int(cells[0])

    def _shift(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        cell = self._cell(rng, seen, self._cells)
        return None if cell is None else Shift(cell, int(rng.integers(3)), int(rng.choice([-1, 1])))

    def _hide(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        """In view: what clear surface a pixel shows first; else whatever clear group a cell out of view has."""
        if seen:
            first = self._store.table.first
            shown = self._seen.hits.shown[self._pixels]
            clear = (shown >= first.translucent) & (shown < first.placeholder)
            if not clear.any():
                return None
            weights = self._weights[clear]
            pixel = int(rng.choice(self._pixels[clear], p=weights / weights.sum()))
            cell = int(self._scene.attached.state.grid.cells_of(self._seen.hits.places[[pixel]])[0])
            group = Group.TRANSLUCENT if self._seen.hits.shown[pixel] < first.liquid else Group.LIQUID
            return Hide(cell, group) if cell in self._cells and group in self._clear_groups(cell) else None
        groups = {cell: self._clear_groups(cell) for cell in self._cells.tolist()}
        hidden = self._cell(rng, False, np.array([cell for cell, found in groups.items() if found], np.int64))
        return None if hidden is None else Hide(hidden, Group(int(rng.choice(groups[hidden]))))

    def _clear_groups(self, cell: int) -> list[Group]:
        """Which layers that one sees through a render cell has."""
        count = self._scene.attached.state.cells.mesh_of(cell)[1]
        return [group for group in CLEAR if count[group] or (group is Group.LIQUID and count[Group.SLOPE])]

    def _cell(self, rng: np.random.Generator, seen: bool, cells: npt.NDArray[np.int64]) -> int | None:
        """A render cell in view, by the pixels it takes; or one of which no ray meets anything."""
        if not len(cells):
            return None
        if not seen:
            hidden = [cell for cell in cells.tolist() if not self.in_view(cell)]
            return int(rng.choice(hidden)) if hidden else None
        places = self._seen.hits.places[self._pixels]
        of = self._scene.attached.state.grid.cells_of(places)
        chosen = np.isin(of, cells)
        if not chosen.any():
            return int(rng.choice(cells))
        weights = self._weights[chosen]
        return int(rng.choice(of[chosen], p=weights / weights.sum()))

    def in_view(self, cell: int) -> bool:
        """Whether rays meet anything of a render cell."""
        return bool(np.isin(self._planter.places_of_cell(cell), self._places_seen).any())


# ---------------------------------------------------------------- stage

ATTEMPTS: Final = 6
LIGHT: Final = "light"
"""The channel (``render.capture.channels``)."""

PARTS: Final[Mapping[Defect, str]] = {
    Defect.DROP: "storages",
    Defect.SWAP: "storages",
    Defect.DARKEN: "light",
    Defect.SHIFT: "meshes",
    Defect.HIDE: "meshes",
}
"""The part of ``DataTruth`` that a class of defects spoils first."""

Judge = Callable[[CapturedView, CapturedView, Tolerance], Verdict]
"""The gate that is tried: expected, actual, limits."""


class NotRestored(Exception):
    """Something of a defect stayed; the text says what."""


class Looked(msgspec.Struct, frozen=True):
    """What is looked at."""

    name: str  # scene and view, as reports call them
    session: Session  # settled, not ticked meanwhile
    view: View  # where from
    picture: PictureOptions  # how it is drawn
    channels: tuple[str, ...]  # that are compared
    tolerance: Tolerance  # of the comparison


class Stage:
    """Plants defects in a view.

    Args:
        looked: what is looked at; it is drawn anew here, with its own light.
        studio: where; for the session's radius and light.
        looks: of the session's blocks, for rays.
        renderer: what draws.
        judge: the gate.
    """

    def __init__(
        self, looked: Looked, studio: Studio, looks: Looks, renderer: Renderer, judge: Judge = compare
    ) -> None:
        self._looked, self._studio, self._judge = looked, studio, judge
        session = looked.session
        store, light = session.dimension.store, session.dimension.light
        light.reset(store)
        shot = studio.shoot(session, looked.view, looked.channels, looked.picture)
        shown = studio.scene.attached.residency.shown
        self._oracle = Oracle(store, light, looks, looked.view, looked.picture.size_px, shown)
        self._seen = self._oracle.see()
        self._levels = LightLevels(store, light)
        self._planter = Planter(store, light, studio.scene)
        eye = (looked.view.eye.x, looked.view.eye.y, looked.view.eye.z)
        self._chooser = Chooser(store, light, studio.scene, self._planter, self._oracle.ground, self._seen, eye)
        self._data = DataTruth.of(session, light, studio.meshes())
        self._expected = CapturedView(shot, None, renderer)  # digests tell every defect, in view or not
        self._spared = frozenset() if LIGHT in looked.channels else frozenset({Defect.DARKEN})
        self.unable: set[Defect] = set(self._spared)
        """Classes for which a wish found no place."""

    @property
    def blind(self) -> bool:
        """Whether the eye is in an opaque block: pictures see out of it, rays do not."""
        return self._oracle.blind

    def run(self, wishes: Sequence[Wish]) -> tuple[list[Trial], list[Wish]]:
        """Trials, and wishes for which this view has no place.

        Raises:
            NotRestored: the view is not what it was.
        """
        trials, left = [], []
        for wish in wishes:
            found = (self._try(other) for other in _in_turn(wish))
            trial = next((trial for trial in found if trial is not None), None)
            if trial is None:
                left.append(wish)
            else:
                trials.append(trial)
        self._check_restored()
        return trials, left

    def _try(self, wish: Wish) -> Trial | None:
        """The first attempt that is as wished; else the last one that is seen or hidden at all."""
        if wish.defect in self._spared:
            return None
        second_best = None
        for attempt in range(ATTEMPTS):
            self._studio.rest(self._looked.view)  # from the defect before: light is planted where it lies now
            plan = self._chooser.choose(wish, attempt)
            if plan is None:
                continue
            trial = self._plant(wish, plan)
            if trial.sight is (Sight.VISIBLE if wish.seen else Sight.HIDDEN) or trial.missed or trial.loud:
                return trial
            if second_best is None or trial.sight is not Sight.SLIGHT:
                second_best = trial
        if second_best is None:
            self.unable.add(wish.defect)
        return second_best

    def _plant(self, wish: Wish, plan: Plan) -> Trial:
        """The scene is settled when this begins, not when it ends."""
        session, words = self._looked.session, self._planter.words(plan)
        with self._planter.planted(plan):
            shot = self._shoot_again()
            relit = self._levels.changed(session.dimension.light, self._oracle.ground)
            with self._planter.truth(plan):
                after = self._oracle.see_again(self._seen, self._planter.box(plan))
            named = self._digests(wish.defect) != self._data.parts[PARTS[wish.defect]]
        sight, pixels = judge_sight(self._seen, after, relit)
        if sight is Sight.HIDDEN and isinstance(plan, Shift | Hide) and self._chooser.in_view(plan.cell):
            sight = Sight.SLIGHT  # even ground, say: it looks the same one block on, but for the last bit of a colour
        verdict = self._judge(self._expected, replace(self._expected, shot=shot), self._looked.tolerance)
        return Trial(
            wish=wish,
            scene=self._looked.name,
            words=words,
            sight=sight,
            pixels_seen=pixels,
            pixels_changed=_changed(self._expected.shot, shot),
            caught=not verdict.passed,
            named=named,
            layers={layer.name: layer.outcome.value for layer in verdict.layers},
        )

    def _shoot_again(self) -> Shot:
        """Of the session that was settled last: only what changed since is made anew."""
        looked = self._looked
        self._studio.rest(looked.view)
        return self._studio._shot(looked.session, looked.view, checked(looked.channels), looked.picture)

    def _digests(self, defect: Defect) -> Digests:
        """Of the part that such a defect spoils."""
        session = self._looked.session
        match PARTS[defect]:
            case "storages":
                return storages(session.dimension.store)
            case "light":
                return light_levels(session.dimension.store, session.dimension.light)
            case _:
                return packed_quads(session.dimension.store, self._studio.meshes())

    def _check_restored(self) -> None:
        looked = self._looked
        shot = self._shoot_again()
        now, data = DataTruth.of(looked.session, looked.session.dimension.light, self._studio.meshes()), self._data
        if pixels := _changed(self._expected.shot, shot):
            raise NotRestored(f"{looked.name}: {pixels} pixels are not what they were before defects were planted")
        if now != data:
            parts = [name for name, part in data.parts.items() if part != now.parts[name]]
            raise NotRestored(f"{looked.name}: {', '.join(parts)} are not what they were before defects were planted")


def _in_turn(wish: Wish) -> list[Wish]:
    """A wish, and the same of other classes in an order of its own where it may be another."""
    others = [defect for defect in Defect if defect is not wish.defect]
    first = wish.seed % len(others)
    return [wish, *(replace(wish, defect=other) for other in others[first:] + others[:first] if wish.instead)]


def _changed(one: Shot, other: Shot) -> int:
    """Pixels that differ in any channel, colours included."""
    differs = np.zeros(one.size_px[::-1], np.bool_)
    for name, array in one.arrays.items():
        apart = array != other.arrays[name]
        differs |= apart.any(axis=2) if apart.ndim == 3 else apart
    return int(differs.sum())
