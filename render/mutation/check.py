"""The mutation check: so many seeded defects over all scenes of a suite, in processes, and what came of each.

Rules:
1. Wishes are dealt out evenly: a fifth to each class of defects, half of them in view, scene by scene in the order of
   the seed. A scene that has no place for a class (no water, no lamp) plants another: so most are opened once.
2. A class that comes to less than half its share, or shows less often than that, is asked for again, of scenes that
   have places for it and, to be seen, of those in which nothing of the class stayed out of sight against the wish.
3. The same seed plants the same defects, whatever the number of processes.
4. A scene that cannot be taken, or is not what it was afterwards, is told; its verdicts do not count. A view whose
   eye is in an opaque block is left out, and so is one that is orthographic, whose culling camera is frozen or whose
   overlay counts meshes; that is told.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from net.frozen import frozen
from render.mutation.defects import Defect, Sight, Trial, Wish
from render.mutation.work import Crew, Work
from render.scene_tests.scene import Scene

MUTATIONS: Final = 200
ROUNDS: Final = 4
SEEDS_APART: Final = 1_000_003

Told = Callable[[int, int, str], None]
"""(defects planted, wished, the last scene)."""


@frozen
class CheckReport:
    """What came of a check.

    Attributes:
        seed: of all choices.
        trials: defects that were planted.
        unplanted: wishes for which no scene had a place.
        troubles: scenes that could not be taken or restored, one sentence each.
        left_out: views in which nothing was planted, one sentence each.
    """

    seed: int
    trials: tuple[Trial, ...]
    unplanted: int
    troubles: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def missed(self) -> tuple[Trial, ...]:
        """Visible defects that were not told."""
        return tuple(trial for trial in self.trials if trial.missed)

    @property
    def loud(self) -> tuple[Trial, ...]:
        """Hidden defects that changed a pixel."""
        return tuple(trial for trial in self.trials if trial.loud)

    @property
    def passed(self) -> bool:
        """Whether every visible defect was told, no hidden one showed, and no scene failed."""
        return bool(self.trials) and not (self.missed or self.loud or self.troubles)

    def counts(self) -> Mapping[Defect, Mapping[str, int]]:
        """By class: planted, visible, caught, hidden, silent, slight, named by the layer of data."""
        return {defect: _counts([t for t in self.trials if t.wish.defect is defect]) for defect in Defect}

    def as_json(self) -> dict[str, Any]:
        """Fit for ``json.dumps``."""
        return {
            "seed": self.seed,
            "passed": self.passed,
            "classes": {defect.value: dict(counts) for defect, counts in self.counts().items()},
            "unplanted": self.unplanted,
            "troubles": list(self.troubles),
            "left_out": list(self.left_out),
            "trials": [
                {
                    "defect": trial.wish.defect.value,
                    "scene": trial.scene,
                    "words": trial.words,
                    "sight": trial.sight.value,
                    "pixels_seen": trial.pixels_seen,
                    "pixels_changed": trial.pixels_changed,
                    "caught": trial.caught,
                    "named_by_data": trial.named,
                    "layers": dict(trial.layers),
                }
                for trial in self.trials
            ],
        }


def _counts(trials: Sequence[Trial]) -> dict[str, int]:
    visible = [trial for trial in trials if trial.sight is Sight.VISIBLE]
    hidden = [trial for trial in trials if trial.sight is Sight.HIDDEN]
    return {
        "planted": len(trials),
        "visible": len(visible),
        "caught": sum(trial.caught for trial in visible),
        "hidden": len(hidden),
        "silent": sum(not trial.loud for trial in hidden),
        "slight": len(trials) - len(visible) - len(hidden),
        "named": sum(trial.named for trial in trials),
    }


def check_suite(
    scenes: Sequence[Scene],
    crew: Crew,
    seed: int = 0,
    mutations: int = MUTATIONS,
    told: Told | None = None,
    blind: bool = False,
) -> CheckReport:
    """Plants defects in scenes and says which were told.

    Args:
        scenes: of a suite.
        crew: who works.
        seed: of all choices.
        mutations: how many to plant.
        told: told after each scene.
        blind: the gate lets everything pass: what the check itself must tell.

    Raises:
        UnsupportedGpu: there is no OpenGL 3.3.
    """
    order = list(scenes)
    random.Random(seed).shuffle(order)
    check = _Check(order, crew, seed, mutations, told, blind)
    wishes = wishes_of(seed, mutations)
    for turn in range(ROUNDS):
        wishes = check.round(wishes, turn)
        if not wishes:
            break
    trials = sorted(check.trials, key=lambda trial: trial.wish.seed)
    unplanted = check.unplanted + len(wishes)
    return CheckReport(seed, tuple(trials), unplanted, tuple(check.troubles), tuple(check.left_out))


class _Check:
    """A check under way."""

    def __init__(
        self, scenes: Sequence[Scene], crew: Crew, seed: int, mutations: int, told: Told | None, blind: bool
    ) -> None:
        self.trials: list[Trial] = []
        self.troubles: list[str] = []
        self.left_out: list[str] = []
        self.unplanted = 0
        self._scenes, self._crew, self._seed, self._told, self._blind = scenes, crew, seed, told, blind
        self._mutations = mutations
        self._able = {(defect, seen): list(range(len(scenes))) for defect in Defect for seen in (False, True)}

    def round(self, wishes: Sequence[Wish], turn: int) -> list[Wish]:
        """Plants wishes; gives what is still to be planted."""
        dealt = _deal(wishes, self._able, turn)
        numbers = sorted(dealt)
        works = [Work(self._scenes[number], tuple(dealt[number]), self._seed, self._blind) for number in numbers]
        left: list[Wish] = []
        for number, work, done in zip(numbers, works, self._crew.do(works), strict=True):
            self.trials += done.trials
            left += done.left
            self.left_out += [words for words in done.left_out if words not in self.left_out]
            self.troubles += [done.trouble] if done.trouble else []
            dull = {trial.wish.defect for trial in done.trials if trial.wish.seen and trial.sight is not Sight.VISIBLE}
            for kind in [
                *((defect, seen) for defect in done.unable for seen in (False, True)),
                *((d, True) for d in dull),
            ]:
                self._able[kind] = [other for other in self._able[kind] if other != number]
            if self._told is not None:
                self._told(len(self.trials), max(self._mutations, len(self.trials)), work.scene.name)
        self.unplanted += len(wishes) - sum(map(len, dealt.values()))
        return [*left, *self._short(turn, left)]

    def _short(self, turn: int, left: Sequence[Wish]) -> list[Wish]:
        """More wishes of the classes that come to less than half their share, or show less often."""
        planted = Counter(trial.wish.defect for trial in self.trials)
        planted.update(wish.defect for wish in left)
        visible = Counter(trial.wish.defect for trial in self.trials if trial.sight is Sight.VISIBLE)
        visible.update(wish.defect for wish in left if wish.seen)
        least = self._mutations // len(Defect) // 2
        first = self._seed * SEEDS_APART + self._mutations * (turn + 1)
        lacking = []
        for defect in Defect:
            seen = max(0, least - visible[defect]) if self._able[defect, True] else 0
            more = max(0, least - planted[defect] - seen) if self._able[defect, False] else 0
            lacking += [(defect, True)] * seen + [(defect, False)] * more
        return [Wish(defect, seen, first + number, False) for number, (defect, seen) in enumerate(lacking)]


def wishes_of(seed: int, mutations: int) -> list[Wish]:
    """An equal share of each class, every other one in view; numbers of their own for each wish."""
    classes = list(Defect)
    return [
        Wish(classes[number % len(classes)], number // len(classes) % 2 == 0, seed * SEEDS_APART + number)
        for number in range(mutations)
    ]


def _deal(
    wishes: Sequence[Wish], able: Mapping[tuple[Defect, bool], Sequence[int]], turn: int
) -> dict[int, list[Wish]]:
    """Wishes by number of a scene, in turn; those of a class that no scene can take are dropped."""
    dealt: dict[int, list[Wish]] = {}
    for at, wish in enumerate(wishes):
        scenes = able[wish.defect, wish.seen] or able[wish.defect, False]
        if scenes:
            dealt.setdefault(scenes[(at + turn) % len(scenes)], []).append(wish)
    return dealt
