"""``chunkscope doctor``: whether this machine can run chunkscope, and why not."""

from render.cli.options import Debug, Json

NAME = "doctor"
HELP = "Check this installation: import names, GL, display, kernels; says what to install where something is missing."
EXAMPLES = "Example: chunkscope doctor --json"


def run(json: Json = False, debug: Debug = False) -> int:
    """Prints one line a check; exit code 1 when one failed."""
    from dataclasses import asdict
    from json import dumps

    from rich.console import Console
    from rich.table import Table

    from render.cli.checkup import checkup

    findings = checkup()
    if json:
        print(dumps([asdict(finding) for finding in findings], indent=2))  # noqa: T201
    else:
        table = Table("", "check", "found", box=None)
        for finding in findings:
            table.add_row("[green]ok[/]" if finding.ok else "[red]no[/]", finding.check, finding.found)
        Console().print(table)
    return 0 if all(finding.ok or not finding.needed for finding in findings) else 1
