"""A mutation check in words: a table by class, and what was missed."""

from render.mutation.check import CheckReport
from render.mutation.defects import Trial

COLUMNS = ("planted", "visible", "caught", "hidden", "silent", "slight", "named")
KEY = (
    "visible: rays see it in 4 pixels or more, so it must be caught; hidden: none sees it, so it must be silent, no",
    "pixel changed; slight: in between, nothing is demanded; named: digests differ.",
)


def told_check(report: CheckReport) -> list[str]:
    """Lines for people: the table, every visible defect not told, every hidden one that showed, the verdict."""
    counts = {defect.value: row for defect, row in report.counts().items()}
    counts["all"] = {name: sum(row[name] for row in counts.values()) for name in COLUMNS}
    width = max(map(len, counts))
    lines = [" " * width + "".join(f"{name:>9}" for name in COLUMNS)]
    lines += [f"{name:<{width}}" + "".join(f"{row[column]:>9}" for column in COLUMNS) for name, row in counts.items()]
    lines += KEY
    lines += [f"MISSED {_told(trial)}" for trial in report.missed]
    lines += [f"HIDDEN, YET SHOWN {_told(trial)}" for trial in report.loud]
    lines += [f"NOT TAKEN {trouble}" for trouble in report.troubles]
    lines += [f"LEFT OUT {view}" for view in report.left_out]
    if report.unplanted:
        lines.append(f"{report.unplanted} wishes found no place in any scene.")
    lines.append(_verdict(report))
    return lines


def _verdict(report: CheckReport) -> str:
    if report.passed:
        return f"Seed {report.seed}: every visible defect was caught, every hidden one silent."
    if not report.trials:
        return f"Seed {report.seed}: nothing was planted, so nothing is proven."
    failed = (
        (len(report.missed), "missed"),
        (len(report.loud), "hidden, yet shown"),
        (len(report.troubles), "not taken"),
    )
    return f"Seed {report.seed}: {', '.join(f'{count} {words}' for count, words in failed if count)}."


def _told(trial: Trial) -> str:
    seen = f"{trial.pixels_seen} pixels for rays, {trial.pixels_changed} in the take"
    return f"{trial.scene}: {trial.words} ({seen})."
