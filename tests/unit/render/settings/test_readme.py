"""The README's table of settings is the table of settings."""

import json
from pathlib import Path

from render.settings.schema import SETTINGS

README = Path(__file__).parents[4] / "README.md"


def test_the_readme_lists_every_setting_as_it_is() -> None:
    text = README.read_text("utf-8")
    for row in SETTINGS:
        default = json.dumps(list(row.default) if isinstance(row.default, tuple) else row.default)
        option = f", `{row.option}`" if row.option else ""
        assert f"| `{row.table}.{row.key}` | `{default}` | {row.means} | `{row.variable}`{option} |\n" in text
    assert text.count("`CHUNKSCOPE_") == len(SETTINGS) + 1, "and nothing that is none"
