"""Textures of block states, as recipes for the painters of ``render.materials``: typed access to ``textures.toml``.

Rules:
1. Colours and choices are ours (docs/develop/assets.md).
2. Everything is expanded and checked when the file is loaded: one material for each ``{dye}``, ``{wood}`` and
   ``{element}``; references are replaced by their content. Painters are names here; ``render.materials`` checks that
   they exist.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec

ROLES: Final = ("all", "top", "bottom", "side", "end", "front", "back")
_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")


class Recipe(msgspec.Struct, frozen=True):
    """The recipe of one face."""

    painter: str  # its name
    colours: tuple[str, ...]  # ``#rrggbb`` each
    tint: str = ""  # "", "grass", "foliage" or "water"
    masked: bool = False  # alpha marks the tinted parts
    glows: bool = False  # drawn at full light
    rotates: bool = False  # turned and mirrored by the cube's position, as in the game


Faces = Mapping[str, Recipe]
"""Recipes by role."""


class TextureRules(msgspec.Struct, frozen=True):
    """The whole file, expanded."""

    names: Mapping[str, str]  # block name without prefix -> template of its material word
    same: Mapping[str, str]  # word -> word
    materials: Mapping[str, Faces]  # word -> recipes by role
    marks: re.Pattern[str]  # finds the mark of a shape in a block's name; the matching group is the mark
    fixed: Mapping[str, str]  # word -> ``#rrggbb`` for grey pictures of packs, if no biome colours them


@cache
def load() -> TextureRules:
    """Reads the file once. Raises ValueError: an invalid recipe, or an unknown reference."""
    text = resources.files("assets").joinpath("textures.toml").read_text("utf-8")
    content = tomllib.loads(text)
    plain: dict[str, dict[str, str]] = {}
    for word, value in content["materials"].items():
        roles = {"all": value} if isinstance(value, str) else value
        for name, words in _expansions(word, content):
            recipes = {role: _fill(recipe, words) for role, recipe in roles.items()}
            if "{" in word:
                plain.setdefault(name, recipes)
            else:
                plain[name] = recipes  # a full name overrides one made for each wood
    materials = {word: {role: _recipe(plain, word, role) for role in roles} for word, roles in plain.items()}
    marks = re.compile("|".join(f"(?P<{mark}>{shape})" for mark, shape in content["marks"].items()))
    return TextureRules(content["names"], content["same"], materials, marks, content["fixed"])


def _expansions(word: str, content: Mapping[str, Any]) -> list[tuple[str, dict[str, str]]]:
    if "{dye}" in word:
        return [(word.replace("{dye}", dye), {"dye": value}) for dye, value in content["dyes"].items()]
    if "{wood}" in word:
        return [(word.replace("{wood}", wood), dict(values)) for wood, values in content["woods"].items()]
    if "{element}" in word:
        families = content["elements"].items()
        return [
            (word.replace("{element}", str(number)), {"element": str(number), "family": family})
            for family, numbers in families
            for number in numbers
        ]
    return [(word, {})]


def _fill(recipe: str, words: Mapping[str, str]) -> str:
    """Replaces words by colours, in braces or not: ``planks {plank}``, ``cloth {dye}``."""
    for word, value in words.items():
        recipe = recipe.replace("{" + word + "}", value)
    return recipe


def _recipe(plain: Mapping[str, Mapping[str, str]], word: str, role: str) -> Recipe:
    text = plain[word][role]
    for _ in range(4):
        if not text.startswith("@"):
            break
        other = plain.get(text[1:])
        if other is None:
            raise ValueError(f"material {word!r} refers to {text!r}, which does not exist")
        text = other.get(role) or other.get("all") or other.get("side") or ""
    painter, *rest = text.split()
    colours = [part for part in rest if _COLOUR.fullmatch(part)]
    marks = [part for part in rest if not _COLOUR.fullmatch(part)]
    tints = [mark.split(":")[1] for mark in marks if mark.startswith(("tint:", "mask:"))]
    unknown = [mark for mark in marks if mark not in ("glows", "rotates") and not mark.startswith(("tint:", "mask:"))]
    if unknown or len(tints) > 1 or role not in ROLES:
        raise ValueError(f"material {word!r}, {role}: cannot read {text!r}")
    masked = any(mark.startswith("mask:") for mark in marks)
    return Recipe(painter, tuple(colours), tints[0] if tints else "", masked, "glows" in marks, "rotates" in marks)
