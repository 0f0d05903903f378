"""How much has been executed, over many runs: a small JSON file beside the corpora."""

import json
from pathlib import Path


class Tally:
    """Executions and findings by target; ``add`` writes the file at once, so that a killed run has counted."""

    def __init__(self, path: Path) -> None:
        """Reads the file if there is one.

        Raises:
            ValueError: it is none of ours; the message names it.
        """
        self._path = path
        self._counts: dict[str, dict[str, int]] = {}
        if path.exists():
            try:
                self._counts = json.loads(path.read_text())
            except json.JSONDecodeError as error:
                raise ValueError(f"{path} does not hold totals: {error}") from None

    def add(self, target: str, executed: int, *, found: bool) -> None:
        """Counts one run of one target."""
        count = self._counts.setdefault(target, {"executions": 0, "findings": 0})
        count["executions"] += executed
        count["findings"] += found
        self._path.parent.mkdir(parents=True, exist_ok=True)
        whole = self._path.with_suffix(".new")
        whole.write_text(json.dumps(self._counts, indent=1, sort_keys=True) + "\n")
        whole.replace(self._path)

    def executions(self) -> int:
        """Of all targets."""
        return sum(count["executions"] for count in self._counts.values())

    def lines(self) -> list[str]:
        """A line a target and a last one for all, for people."""
        counts = sorted(self._counts.items())
        lines = [
            f"{name:<14}{count['executions']:>12,} executions, {count['findings']} findings" for name, count in counts
        ]
        findings = sum(count["findings"] for _, count in counts)
        return [*lines, f"{'total':<14}{self.executions():>12,} executions, {findings} findings"]
