"""All dimensions of what is served, and whose turn it is to be made.

Rule: a turn of work is one dimension's; the next one is another's where players want something there, too.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from net.bedrock.spoken import Spoken
from net.palette import BlockState, Palette
from net.server.greeting import check_speakable
from net.server.options import HostOptions, IdForm
from net.server.persistence.saving import Saving
from net.server.provision import ProvisionStats
from net.server.realm import Realm
from net.server.wire_forms import WordLists
from net.server.worlds import World
from net.space.dimensions import by_number


class Realms:
    """See the module.

    Args:
        worlds: one a dimension; players start in the first.
        options: of the host.
        spoken: protocols of clients.
        saving: what outlives the process, None for nothing.
        palette_of: the palette of a protocol, by order.

    Raises:
        UnknownState: a world holds a block that the protocol does not.
        LocalProtocolError: a protocol cannot say what ids mean here, or how tall a world is.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        options: HostOptions,
        spoken: Spoken,
        saving: Saving | None = None,
        palette_of: Callable[[int], Palette] = Palette.for_protocol,
    ) -> None:
        words = WordLists(hashed=options.ids is IdForm.HASH, palette_of=palette_of)
        self._realms: dict[int, Realm] = {}
        for world in worlds:
            check_speakable(world, options.ids, spoken.lowest)
            stored = None if saving is None else saving.terrain.of(world.dimension)
            realm = self._realms[world.dimension.number] = Realm(world, options, spoken, words, stored)
            if saving is not None:
                saving.attach(realm.dimension, realm.provider, realm.states)
        self.start = self._realms[worlds[0].dimension.number]
        """Where players begin."""
        self._turns = deque(self)

    def __iter__(self) -> Iterator[Realm]:
        return iter(self._realms.values())

    def of(self, number: int | None) -> Realm:
        """The one of a dimension's number, or where players begin.

        Raises:
            ValueError: it is not served.
        """
        realm = self.start if number is None else self._realms.get(number)
        if realm is None:
            raise ValueError(f"{self.start.world.name} has no dimension {by_number(number or 0).name}")
        return realm

    def find(self, number: int) -> Realm | None:
        """The one of a dimension's number, None where it is not served."""
        return self._realms.get(number)

    def work(self, most: int, now: float) -> bool:
        """Makes the columns that are needed most, ``most`` of them or up to one step; True when more may be made."""
        for _ in self._realms:
            provision = self._turns[0].provision
            self._turns.rotate(-1)
            made = provision.made
            if provision.work(most, now):
                return True
            if provision.made > made:
                return any(realm.provision.wanted for realm in self if realm.provision is not provision)
        return False

    def forget(self) -> None:
        """Drops all columns that can be had again."""
        for realm in self:
            realm.provider.forget()

    @property
    def unknown_states(self) -> Sequence[BlockState]:
        """What was found so far that the highest protocol has no block for."""
        return [state for realm in self for state in realm.forms.home.unknown]

    def stats(self) -> ProvisionStats:
        """A snapshot of what was made for whom, of all together."""
        each = [realm.provision.stats() for realm in self]
        return ProvisionStats(
            sum(one.made for one in each), sum(one.shared for one in each), sum(one.wished for one in each)
        )
