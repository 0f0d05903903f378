"""What a target raises for a finding."""


def check(holds: bool, what: str) -> None:
    """A limit or a promise; raises what no reader raises."""
    if not holds:
        raise AssertionError(what)
