"""Another key for an action: what else that changes, and what there is to say. Writes nothing (``writing``).

Rules:
1. A key does one thing: whoever gets it takes it from who had it, and that is told.
2. Own bindings are whole: who loses one of two keys keeps the other as an own binding.
"""

from collections.abc import Mapping, Sequence

from net.frozen import frozen
from render.settings.actions import Action
from render.settings.key_names import shown
from render.settings.keyboard import Keyboard

Own = Mapping[Action, tuple[str, ...]]


@frozen
class Rebound:
    """What a binding comes to.

    Attributes:
        own: all own bindings from then on.
        changed: those that are to be written.
        said: a sentence for the person.
    """

    own: Own
    changed: Own
    said: str


def rebound(preset: str, own: Own, action: Action, keys: Sequence[str]) -> Rebound:
    """An action gets these keys, none or several, and no others.

    Args:
        preset: name of the layout beneath.
        own: bindings over it.
        action: that is bound.
        keys: names that are there (``key_names``).
    """
    before = Keyboard(preset, own)
    changed: dict[Action, tuple[str, ...]] = {action: tuple(dict.fromkeys(keys))}
    for key in changed[action]:
        loser = before.action(key)
        if loser is not None and loser is not action:
            left = changed.get(loser, before.keys(loser))
            changed[loser] = tuple(name for name in left if name != key)
    words = [f"{action.value}: {_names(changed[action])}"]
    for loser, left in changed.items():
        if loser is not action:
            words.append(f"taken from {loser.value}, which has {_names(left)}")
    return Rebound({**own, **changed}, changed, "; ".join(words) + ".")


def _names(keys: Sequence[str]) -> str:
    return ", ".join(map(shown, keys)) or "no key"
