"""A mutation check in words: a table by class, and what was missed."""

from render.capture.mutation.check import CheckReport
from render.capture.mutation.defects import Trial

COLUMNS = ("planted", "visible", "caught", "hidden", "silent", "slight", "named")


def told_check(report: CheckReport) -> list[str]:
    """Lines for people: the table, then every visible defect that was not told, every hidden one that showed."""
    counts = {defect.value: row for defect, row in report.counts().items()}
    counts["all"] = {name: sum(row[name] for row in counts.values()) for name in COLUMNS}
    width = max(map(len, counts))
    lines = [" " * width + "".join(f"{name:>9}" for name in COLUMNS)]
    lines += [f"{name:<{width}}" + "".join(f"{row[column]:>9}" for column in COLUMNS) for name, row in counts.items()]
    lines += [f"MISSED {_told(trial)}" for trial in report.missed]
    lines += [f"HIDDEN, YET SHOWN {_told(trial)}" for trial in report.loud]
    lines += [f"NOT TAKEN {trouble}" for trouble in report.troubles]
    lines += [f"LEFT OUT {view}" for view in report.left_out]
    if report.unplanted:
        lines.append(f"{report.unplanted} wishes found no place in any scene.")
    return lines


def _told(trial: Trial) -> str:
    seen = f"{trial.pixels_seen} pixels for rays, {trial.pixels_changed} in the take"
    return f"{trial.scene}: {trial.words} ({seen})."
