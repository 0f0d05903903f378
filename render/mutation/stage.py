"""One view of one scene, settled once, for any number of defects.

Rules:
1. A defect is planted, drawn, judged and taken back; the scene settles from it and back by what changed alone.
2. In the end nothing may be left of them: digests of what is known and made, and every pixel, are those of the
   beginning. If they are not, no verdict of the view counts.
3. A view without a place for a class of defects (no water, no lamp) takes one of another class, unless it may not.
4. Where light is not compared none is lowered: a lamp's level by day shows in no colour.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from client.player import View
from client.session.session import Session
from net.frozen import frozen
from render.bench.oracle.cast import Looks
from render.capture.channels import Shot
from render.capture.options import PictureOptions
from render.capture.studio import Studio
from render.mutation.choosing import Chooser
from render.mutation.defects import Defect, Sight, Trial, Wish
from render.mutation.light_levels import LightLevels
from render.mutation.planting import Hide, Plan, Planter, Shift
from render.mutation.prediction import Oracle, judge_sight
from render.scene_tests.compare import compare
from render.scene_tests.compare_data import DataTruth, Digests, light_levels, packed_quads, storages
from render.scene_tests.verdict import Tolerance, Verdict
from render.scene_tests.views import Renderer, Take

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

Judge = Callable[[Take, Take, Tolerance], Verdict]
"""The gate that is tried: expected, actual, limits."""


class NotRestored(Exception):
    """Something of a defect stayed; the text says what."""


@frozen
class Looked:
    """What is looked at.

    Attributes:
        name: scene and view, as reports call them.
        session: settled, not ticked meanwhile.
        view: where from.
        picture: how it is drawn.
        channels: that are compared.
        tolerance: of the comparison.
    """

    name: str
    session: Session
    view: View
    picture: PictureOptions
    channels: tuple[str, ...]
    tolerance: Tolerance


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
        store, light = session.store, session.light
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
        self._expected = Take(shot, None, renderer)  # digests tell every defect, in view or not
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
            looked = self._looked
            shot = self._studio.shoot_again(session, looked.view, looked.channels, looked.picture)
            relit = self._levels.changed(session.light, self._oracle.ground)
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

    def _digests(self, defect: Defect) -> Digests:
        """Of the part that such a defect spoils."""
        session = self._looked.session
        match PARTS[defect]:
            case "storages":
                return storages(session.store)
            case "light":
                return light_levels(session.store, session.light)
            case _:
                return packed_quads(session.store, self._studio.meshes())

    def _check_restored(self) -> None:
        looked = self._looked
        shot = self._studio.shoot_again(looked.session, looked.view, looked.channels, looked.picture)
        now, data = DataTruth.of(looked.session, looked.session.light, self._studio.meshes()), self._data
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
