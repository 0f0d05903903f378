"""``why``: the life of the sub-chunk that holds a block, and in one sentence why it looks as it does.

    asking     joins, or plays a recording; waits until the place is settled; the report and its exit code
    facts      everything that is known of one place, as plain values
    gathering  takes them from a session
    verdict    those facts in one sentence
    words      those facts in lines for a person

``client`` knows no pixels: what a picture would make of the place is told by whoever draws, as an ``Outlook``.
"""

from client.connect.why.asking import WhyReport, why
from client.connect.why.facts import Facts, Outlook
from client.connect.why.gathering import facts_of
from client.connect.why.verdict import verdict
from client.connect.why.words import told_asking, told_biome, told_missing_light

__all__ = [
    "Facts",
    "Outlook",
    "WhyReport",
    "facts_of",
    "told_asking",
    "told_biome",
    "told_missing_light",
    "verdict",
    "why",
]
