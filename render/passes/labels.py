"""Short texts in space, in our bitmap font (``materials.font``): as large on the screen at any distance.

``labels`` what there is to say, ``label_layout`` which of it has room, ``label_pass`` drawn.

Rules:
1. A texel of the font is a square of whole pixels, on a dark ground: legible on snow, in caves, over boxes.
2. A text hangs with its middle on a point. What hides the point hides the text, or leaves a share of it.
3. A text that would lie on one nearer to the eye is left out, so that what is shown can be read; of equal distances
   the one with the lower position stays. Texts of one point stand below each other, first come on top: two overlays
   that speak of one place are both read. Beyond ``MOST_LABELS`` the farthest are left out.
4. Depth is tested, never written; texts are drawn far to near.
5. Of many texts few have room: one is made (``Texts``) when it is known that the least it takes is free.

Limits: texts of up to 255 characters a row; no line is broken here; a line feed breaks it.
"""

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from net.frozen import frozen


class Texts(Sequence[str]):
    """Texts that are made when they are asked for, each once."""

    def __init__(self, many: int, say: Callable[[int], str]) -> None:
        """Makes none.

        Args:
            many: how many there are.
            say: the text of a number below that.
        """
        self._many, self._say = many, say
        self._said: dict[int, str] = {}

    def __len__(self) -> int:
        return self._many

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[str]: ...

    def __getitem__(self, number: int | slice) -> str | Sequence[str]:
        """One of them, or some."""
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(self._many))]
        if not -self._many <= number < self._many:
            raise IndexError(number)
        number %= self._many
        if number not in self._said:
            self._said[number] = self._say(number)
        return self._said[number]


@frozen(eq=False)
class Labels:
    """Texts.

    Attributes:
        points: float64[n, 3] in blocks, the middle of each.
        texts: what each says, small letters as capitals.
        tones: uint8[n, 3] its colour.
        least: characters a row and rows that each has at least.
    """

    points: npt.NDArray[np.float64]
    texts: Sequence[str]
    tones: npt.NDArray[np.uint8]
    least: tuple[int, int] = (1, 1)

    @classmethod
    def of(
        cls,
        points: npt.NDArray[Any],
        texts: Sequence[str],
        tones: npt.ArrayLike = (255, 255, 255),
        least: tuple[int, int] = (1, 1),
    ) -> "Labels":
        """Texts of which all, or each, have a colour of 0..255."""
        many = len(texts)
        at = np.asarray(points, np.float64).reshape(many, 3)
        return cls(
            at,
            texts if isinstance(texts, Texts) else tuple(texts),
            np.broadcast_to(np.asarray(tones, np.uint8), (many, 3)),
            least,
        )

    def __len__(self) -> int:
        return len(self.texts)

    def same(self, other: "Labels") -> bool:
        """Whether they are known to say what others do, there and in those colours; of ``Texts`` nobody knows."""
        return (
            isinstance(self.texts, tuple)
            and self.texts == other.texts
            and self.least == other.least
            and np.array_equal(self.points, other.points)
            and np.array_equal(self.tones, other.tones)
        )


def no_labels() -> Labels:
    """None at all."""
    return Labels.of(np.zeros((0, 3)), ())
