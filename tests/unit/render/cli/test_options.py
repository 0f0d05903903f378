"""Groups of options become options of each command that takes them, with the defaults and the words said once."""

from inspect import signature

from msgspec.structs import fields

from render.cli import dump, record, shot, view
from render.cli.options import Debug, DrawArguments, EyeOptions, JoinOptions, spelled_out


def options_of(command: object) -> set[str]:
    return set(signature(command.run).parameters)


def test_a_command_has_the_options_of_its_groups_and_no_groups() -> None:
    names = {group: {option.name for option in fields(group)} for group in (JoinOptions, EyeOptions, DrawArguments)}
    for command, groups in (
        (view, (JoinOptions, EyeOptions, DrawArguments)),
        (shot, (JoinOptions, EyeOptions, DrawArguments)),
        (record, (JoinOptions, EyeOptions)),
        (dump, (JoinOptions,)),
    ):
        options = options_of(command)
        assert not options & {"joining", "looking", "drawing"}
        for group, members in names.items():
            assert options & members == (members if group in groups else set()), (command, group)


def test_what_is_said_reaches_the_group() -> None:
    seen: list[object] = []

    @spelled_out
    def command(source: str, *, looking: EyeOptions, joining: JoinOptions, debug: Debug = False) -> int:
        seen.extend([source, looking, joining, debug])
        return 7

    values = {option.name: option.default for group in (EyeOptions, JoinOptions) for option in fields(group)}
    assert command(source="embedded", debug=True, **(values | {"at": "1,2,3", "radius": 5})) == 7
    assert seen == ["embedded", EyeOptions(at="1,2,3"), JoinOptions(radius=5), True]
