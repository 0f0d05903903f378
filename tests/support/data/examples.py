"""Hypothesis profiles of property tests: equal examples for equal commits, or new and more examples each time.

Rules:
1. With the profile ``repeatable`` a test's examples depend only on its own source and on Hypothesis's version (pinned),
   not on the tests that ran before in the same process or on their imports.
2. With ``random`` each run gets new examples; failed ones are kept in ``.hypothesis`` and tried first.
3. Neither has a time limit for an example.

Theory: one draw in twenty of Hypothesis is a constant that it read in the modules imported by then. Processes that
share tests import in the order in which they happen to run them, so rule 1 needs those constants left out. ``random``
has them.

Limits: Hypothesis has no public interface for that, nor for changing the settings of a test that has its own. Both use
its internal names; the exact version is pinned in pyproject.toml, and ``tests/unit/support`` tests them.
"""

import math
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants


def register_profiles() -> None:
    """``random``, loaded, and ``repeatable``; both print what repeats a failure anywhere."""
    settings.register_profile(
        "random",
        settings.get_profile("default"),  # not the current one: a variable CI in the environment would choose that
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
    settings.register_profile("repeatable", settings.get_profile("random"), derandomize=True)
    settings.load_profile("random")


def leave_out_constants_of_modules() -> None:
    """Nothing imported from now on changes an example.

    Raises:
        AttributeError: if Hypothesis keeps them elsewhere by now (it is another version than the pinned one).
    """
    _ = providers._get_local_constants
    providers._get_local_constants = Constants


def multiply_examples(items: Iterable[pytest.Item], factor: float) -> None:
    """Each property test tries ``factor`` times as many examples as it asks for, be it by settings of its own."""
    for test in {item.function for item in items if isinstance(item, pytest.Function) and _is_property(item)}:
        asked = test._hypothesis_internal_use_settings
        test._hypothesis_internal_use_settings = settings(asked, max_examples=math.ceil(asked.max_examples * factor))


def _is_property(item: pytest.Function) -> bool:
    return item.get_closest_marker("hypothesis") is not None
