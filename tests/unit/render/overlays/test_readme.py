"""README.md lists every overlay with its letter."""

from pathlib import Path

from render.settings.overlays import OVERLAY_TABLE

README = Path(__file__).parents[4] / "README.md"


def test_every_overlay_stands_in_the_readme_with_its_letter() -> None:
    text = README.read_text(encoding="utf-8")
    assert [overlay.name for overlay in OVERLAY_TABLE if f"| `{overlay.name}` | {overlay.letter} |" not in text] == []
