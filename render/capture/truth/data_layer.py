"""The first layer: what was known and made, by digests; exact everywhere."""

from collections.abc import Mapping
from typing import Final

from render.capture.truth.data_truth import DataTruth
from render.capture.truth.digests import Positions
from render.capture.truth.verdict import DATA, Layer, Outcome

NAMED: Final = 5
"""Places of each part that a sentence names; the numbers say how many there are."""
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "storages": ("storages", "sub-chunk"),
    "light": ("light", "sub-chunk"),
    "meshes": ("meshes", "cell"),
    "requests": ("requests", "sub-chunk"),
}
"""How each part is called in a sentence, and what its places are."""


def compare_data(expected: DataTruth | None, actual: DataTruth | None) -> Layer:
    """Names the places of each part that differ."""
    if expected is None or actual is None:
        which = "were accepted yet" if expected is None else "were taken"
        return Layer(DATA, Outcome.SKIPPED, f"No digests of storages, light, meshes and requests {which}.", {})
    numbers: dict[str, float] = {}
    said = []
    for name, part in expected.parts.items():
        other = actual.parts[name]
        numbers[name] = len(other)
        numbers[f"{name}_differing"] = 0
        if part != other:
            places = part.differing(other)
            numbers[f"{name}_differing"] = len(places)
            said.append(_differ(name, places))
    if said:
        return Layer(DATA, Outcome.FAILED, f"{'; '.join(said)}.", numbers)
    counted = ", ".join(f"{int(numbers[name])} {name}" for name in ("storages", "light", "meshes"))
    return Layer(DATA, Outcome.PASSED, f"All digests are the same ({counted}).", numbers)


def _differ(name: str, places: Positions) -> str:
    words, kind = KINDS[name]
    if not len(places):  # a collision of the 32 bits that are kept of each place
        return f"{words} differ, it is not known where"
    named = ", ".join(" ".join(map(str, place)) for place in places[:NAMED].tolist())
    more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
    return f"{words} of {len(places)} {kind}{'s' if len(places) > 1 else ''} differ ({named}{more})"
