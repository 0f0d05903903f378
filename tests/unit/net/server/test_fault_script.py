"""Fault scripts: what they say is what happens, and what they say wrongly is told in a sentence."""

import pytest

from net.server.fault_script import BadFaultScript, read_fault_script
from net.server.faults import ALWAYS, Every, Faults, Kick, Refusal, Silence
from net.transport.faulty import Faults as WireFaults

WHOLE = """
seed = 7

[wire]
delay_ms = [50, 300]
loss = 0.3
reordering = 0.2
duplication = 0.1

[wire.down]
loss = 0
queue_datagrams = 45

[answers]
delay_ms = 200
reverse = true
unanswered = 0.1
unanswered_times = "always"
partial = 0.2
wrong_dimension = 0.05
contradicting_heights = 0.5
corrupted = 0.1

[[refusals]]
code = "chunk_not_found"
share = 0.25
times = 2

[[refusals]]
code = 3
times = "always"

[columns]
withheld = 0.05

[replacement]
every_s = 2.0
columns = 4

[updates]
every_s = 1
blocks = 500

[crossing]
every_s = 20

[kick]
after_s = 30
reason = "enough"

[silence]
after_s = 10
for_s = 3
"""


def test_everything_that_can_be_said_is_understood() -> None:
    up = WireFaults(loss=0.3, repetition=0.1, delay_s=0.05, jitter_s=0.25, reordering=0.2)
    assert read_fault_script(WHOLE) == Faults(
        delay_s=0.2,
        reverse=True,
        seed=7,
        refusals=(Refusal(2, 0.25, 2), Refusal(3, 1.0, ALWAYS)),
        unanswered=0.1,
        unanswered_times=ALWAYS,
        partial=0.2,
        wrong_dimension=0.05,
        contradicting_heights=0.5,
        corrupted=0.1,
        withheld=0.05,
        replacement=Every(2.0, 4),
        updates=Every(1.0, 500),
        crossing_s=20.0,
        kick=Kick(30.0, "enough"),
        silence=Silence(10.0, 3.0),
        up=up,
        down=WireFaults(loss=0.0, repetition=0.1, delay_s=0.05, jitter_s=0.25, reordering=0.2, queue_datagrams=45),
    )


def test_an_empty_script_is_no_fault() -> None:
    assert read_fault_script("") == Faults()
    assert not Faults().spoil_the_wire


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[wire]\nlos = 0.5\n", "bad.toml, line 2: there is no 'los' in [wire]; did you mean 'loss'?"),
        (
            "[wire]\ndelay_ms = 1\n\n[wire.up]\nreordring = 1\n",
            "bad.toml, line 5: there is no 'reordring' in [wire.up]",
        ),
        ("seed = 1\n[refusal]\ncode = 1\n", "bad.toml, line 2: there is no 'refusal'; did you mean 'refusals'?"),
        ("[wire]\nloss = 30\n", "bad.toml, line 2: 'loss' in [wire] is 30; it must be a number from 0 to 1."),
        (
            "[wire]\ndelay_ms = [300, 50]\n",
            "line 2: 'delay_ms' in [wire] is [300, 50]; it must be milliseconds, or [least",
        ),
        ("[[refusals]]\ncode = 1\n[[refusals]]\ncode = 'no'\n", "line 4: 'code' in [refusals] is 'no'; it must be a"),
        ("[[refusals]]\ncode = 1\n[[refusals]]\nshare = 1\n", "bad.toml, line 3: [refusals] needs 'code'."),
        ("[kick]\nreason = 'x'\n", "bad.toml, line 1: [kick] needs 'after_s'."),
        ("[kick]\n", "bad.toml, line 1: [kick] needs 'after_s'."),
        ("[answers]\nreverse = 1\n", "bad.toml, line 2: 'reverse' in [answers] is 1; it must be true or false."),
        ("seed = 'x'\n", "bad.toml, line 1: 'seed' is 'x'; it must be a whole number."),
        ("refusals = 3\n", "bad.toml, line 1: 'refusals' must be written as [[refusals]]."),
        ("wire = 3\n", "bad.toml, line 1: 'wire' must be a table, [wire]."),
        ("[wire]\nup = 3\n", "bad.toml, line 2: 'up' in [wire] is 3; it must be a table."),
        (
            "[updates]\nevery_s = 0\nblocks = 1\n",
            "line 2: 'every_s' in [updates] is 0; it must be seconds, 0.05 or more.",
        ),
        ("[wire]\nloss = = 1\n", "bad.toml is no TOML: Invalid value (at line 2, column 8)."),
        ("seed = " + "[" * 5000 + "]" * 5000, "bad.toml is nested deeper than any fault script is."),
        ("xyzzy = 1\n", "bad.toml, line 1: there is no 'xyzzy'; there are seed, wire, answers"),
    ],
)
def test_a_wrong_script_is_told_by_line_and_key(text: str, message: str) -> None:
    with pytest.raises(BadFaultScript) as caught:
        read_fault_script(text, "bad.toml")
    assert message in str(caught.value)
