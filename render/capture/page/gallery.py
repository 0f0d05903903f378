"""Every picture of a report once, however often it is shown.

A picture's bytes stand in one hidden SVG, each with an id; where it is shown, another SVG names that id. So the slider,
the small pictures and the heat map of a case share two pictures, and cases that show the same share one.
"""

import hashlib

import numpy as np

from render.capture.page.markup import element, picture_uri
from render.capture.truth.tiles import Rgb


class Gallery:
    """The pictures of one report, as they are asked for."""

    def __init__(self) -> None:
        self._ids: dict[bytes, str] = {}
        self._images: list[str] = []

    def show(self, picture: Rgb, label: str, over: str = "") -> str:
        """Markup of a picture as wide as there is room; ``label`` is for those who do not see it.

        Args:
            picture: uint8[height, width, 3].
            label: what it is.
            over: markup of SVG that lies over it, in the picture's pixels.
        """
        height, width = picture.shape[:2]
        used = element("use", href=f"#{self._id_of(picture)}")
        return element(
            "svg", used + over, viewBox=f"0 0 {width} {height}", class_="picture", role="img", aria_label=label
        )

    def store(self) -> str:
        """Markup of all pictures that were asked for; it shows nothing by itself."""
        images = element("defs", "".join(self._images))
        return element("svg", images, class_="store", width=0, height=0, aria_hidden="true")

    def _id_of(self, picture: Rgb) -> str:
        whole = np.ascontiguousarray(picture)
        digest = hashlib.blake2b(whole.tobytes(), digest_size=16, salt=str(whole.shape).encode()[:16]).digest()
        known = self._ids.setdefault(digest, f"picture-{len(self._ids)}")
        if len(self._ids) > len(self._images):
            height, width = picture.shape[:2]
            self._images.append(element("image", id=known, width=width, height=height, href=picture_uri(whole)))
        return known
