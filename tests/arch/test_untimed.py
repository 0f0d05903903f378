"""No property test fails because the machine is busy."""

from hypothesis import HealthCheck, settings


def test_no_example_has_to_be_done_in_time() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
