"""Groups of options become options of each command that takes them, with the defaults and the words said once."""

from inspect import signature

from msgspec.structs import fields

from render.cli import dump, record, shot, view
from render.cli.options import Debug, Drawing, Joining, Looking, spelled_out


def options_of(command: object) -> set[str]:
    return set(signature(command.run).parameters)


def test_a_command_has_the_options_of_its_groups_and_no_groups() -> None:
    names = {group: {option.name for option in fields(group)} for group in (Joining, Looking, Drawing)}
    for command, groups in (
        (view, (Joining, Looking, Drawing)),
        (shot, (Joining, Looking, Drawing)),
        (record, (Joining, Looking)),
        (dump, (Joining,)),
    ):
        options = options_of(command)
        assert not options & {"joining", "looking", "drawing"}
        for group, members in names.items():
            assert options & members == (members if group in groups else set()), (command, group)


def test_what_is_said_reaches_the_group() -> None:
    seen: list[object] = []

    @spelled_out
    def command(source: str, *, looking: Looking, joining: Joining, debug: Debug = False) -> int:
        seen.extend([source, looking, joining, debug])
        return 7

    values = {option.name: option.default for group in (Looking, Joining) for option in fields(group)}
    assert command(source="embedded", debug=True, **(values | {"at": "1,2,3", "radius": 5})) == 7
    assert seen == ["embedded", Looking(at="1,2,3"), Joining(radius=5), True]
