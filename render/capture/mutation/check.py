"""The mutation check: so many seeded defects over all scenes of a suite, in processes, and what came of each.

Rules:
1. Wishes are dealt out evenly: a fifth to each class of defects, half of them in view, scene by scene in the order of
   the seed. Those for which a scene has no place (no water, no lamp) go on to scenes that had one.
2. The same seed plants the same defects, whatever the number of processes.
3. A scene that cannot be taken, or is not what it was afterwards, is told; its verdicts do not count.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from render.capture.mutation.defects import Defect, Sight, Trial, Wish
from render.capture.mutation.work import Told, Work, run_work
from render.capture.scenarios.scene import Scene

MUTATIONS: Final = 200
ROUNDS: Final = 4


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What came of a check.

    Attributes:
        seed: of all choices.
        trials: defects that were planted.
        unplanted: wishes for which no scene had a place.
        troubles: scenes that could not be taken or restored, one sentence each.
    """

    seed: int
    trials: tuple[Trial, ...]
    unplanted: int
    troubles: tuple[str, ...]

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
    seed: int = 0,
    mutations: int = MUTATIONS,
    jobs: int = 1,
    told: Told | None = None,
    blind: bool = False,
) -> CheckReport:
    """Plants defects in scenes and says which were told.

    Args:
        scenes: of a suite.
        seed: of all choices.
        mutations: how many to plant.
        jobs: processes; 1 works in this one.
        told: (planted, wished, scene).
        blind: the gate lets everything pass: what the check itself must tell.
    """
    rng = random.Random(seed)
    order = list(scenes)
    rng.shuffle(order)
    open_wishes = wishes_of(seed, mutations)
    able = {defect: list(range(len(order))) for defect in Defect}
    trials: list[tuple[int, Trial]] = []
    troubles: list[str] = []
    for turn in range(ROUNDS):
        dealt = _deal(open_wishes, able, turn)
        if not dealt:
            break
        works = [Work(order[number], tuple(wishes), seed, blind) for number, wishes in sorted(dealt.items())]
        done = run_work(works, jobs, told)
        open_wishes = []
        unable: dict[Defect, set[int]] = {defect: set() for defect in Defect}
        for number, result in zip(sorted(dealt), done, strict=True):
            trials += [(number, trial) for trial in result.trials]
            open_wishes += result.left
            for wish in result.left:
                unable[wish.defect].add(number)
            if result.trouble:
                troubles.append(result.trouble)
                for defect in Defect:
                    unable[defect].add(number)
        able = {
            defect: [number for number in numbers if number not in unable[defect]] for defect, numbers in able.items()
        }
    by_wish = sorted(trials, key=lambda pair: pair[1].wish.seed)
    return CheckReport(seed, tuple(trial for _, trial in by_wish), len(open_wishes), tuple(troubles))


def wishes_of(seed: int, mutations: int) -> list[Wish]:
    """An equal share of each class, every other one in view; numbers of their own for each wish."""
    classes = list(Defect)
    return [
        Wish(classes[number % len(classes)], number // len(classes) % 2 == 0, seed * 1_000_003 + number)
        for number in range(mutations)
    ]


def _deal(wishes: Sequence[Wish], able: Mapping[Defect, Sequence[int]], turn: int) -> dict[int, list[Wish]]:
    """Wishes by number of a scene, in turn; those of a class that no scene can take are dropped."""
    dealt: dict[int, list[Wish]] = {}
    for at, wish in enumerate(wishes):
        scenes = able[wish.defect]
        if scenes:
            dealt.setdefault(scenes[(at + turn) % len(scenes)], []).append(wish)
    return dealt
