"""Look-outs from the options, the API and bad input; what they keep when the player leaves."""

import math
from pathlib import Path
from typing import Any

import pytest

from client import options
from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.errors import UsageError
from client.options import (
    FARTHEST_BLOCKS,
    MOST_LOOK_OUTS,
    Box,
    Moment,
    Options,
    PinnedAnchor,
    options_of,
    parse_at,
    parse_box,
    parse_look,
    parse_moment,
    parse_pin,
)
from client.player import Eye, View
from client.session.config import SessionConfig
from client.source import (
    Embedded,
    Remote,
    Source,
    WorldFile,
    absent,
    answer_sentence,
    is_there_already,
    not_let_in,
    one_line,
    other_version,
    parse_source,
    source_sentence,
)
from client.world.lifecycle import SubChunkState
from net.bedrock import Disconnect
from net.space import BlockPos, ColumnPos, SubChunkPos
from tests.support.session.virtual import SWIFT, VirtualSession

# ---------------------------------------------------------------- options

# ---------------------------------------------------------------- options


def test_a_box_excludes_its_upper_corner() -> None:
    box = parse_box("-16,-64,0,16,320,48")
    assert box == Box(BlockPos(-16, -64, 0), BlockPos(16, 320, 48))
    assert box.shape == (32, 48, 384)
    assert box.centre == Eye(0, 128, 24)


@pytest.mark.parametrize("text", ["", "1,2,3", "0,0,0,1,1,0", "0,0,0,1,1,x", "5,0,0,4,1,1", "0,0,0,1,1,1,1"])
def test_a_box_that_holds_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_box(text)


def test_positions_and_looks() -> None:
    assert parse_at("-5,64.5,3") == Eye(-5, 64.5, 3)
    assert parse_look("90,-30") == (90, -30)


@pytest.mark.parametrize("text", ["1,2", "a,b,c", "nan,0,0", "1e30,0,0"])
def test_a_position_must_be_three_numbers(text: str) -> None:
    with pytest.raises(UsageError):
        parse_at(text)


@pytest.mark.parametrize("text", ["1", "0,91", "0,nan"])
def test_a_look_must_be_possible(text: str) -> None:
    with pytest.raises(UsageError):
        parse_look(text)


@pytest.mark.parametrize(
    ("text", "moment", "said"),
    [
        ("12.5", Moment(12.5), "12.5 s"),
        ("0", Moment(0.0), "0 s"),
        ("2:05", Moment(125.0), "125 s"),
        ("1:02:05.5", Moment(3725.5), "3725.5 s"),
        ("#350", Moment(packet=350), "packet 350"),
        ("#0", Moment(packet=0), "packet 0"),
    ],
)
def test_a_place_in_a_recording_is_a_time_or_a_packet(text: str, moment: Moment, said: str) -> None:
    assert parse_moment(text) == moment
    assert str(moment) == said


@pytest.mark.parametrize("text", ["", "-1", "nan", "1e3", "#", "#-1", "#1.5", "1:2:3:4", ":5", "x:5", "5:", "\u0661"])
def test_other_places_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a moment of a recording"):
        parse_moment(text)


@pytest.mark.parametrize(
    "wrong",
    [{"radius": 0}, {"protocol": 1}, {"profile": "x"}, {"mode": "x"}, {"timeout_s": 0}],
    ids=lambda w: next(iter(w)),
)
def test_options_that_cannot_be_meant_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Options(**wrong)


# ---------------------------------------------------------------- look outs


def joined(world: str = "flat:1", **options: object) -> Connection:
    virtual = VirtualSession(world, config=SessionConfig(radius=2, player=SWIFT))
    return virtual.connection(Options(radius=2, **options))


def go(connection: Connection, x: float) -> None:
    eye = connection.session.movement.view.eye
    connection.look(View(Eye(x, eye.y, eye.z)))
    assert connection.wait_settled()


def test_a_place_is_blocks_and_a_radius_of_columns() -> None:
    assert parse_pin("-40.5,300") == PinnedAnchor(-40.5, 300.0)
    assert parse_pin("16,-1,2", everything=True) == PinnedAnchor(16.0, -1.0, 2, everything=True)
    anchor = parse_pin("16,-1,2").anchor
    assert (anchor.centre, anchor.size) == (ColumnPos(1, -1), (7, 7))  # one column more than is shown


@pytest.mark.parametrize("text", ["", "1", "1,", "1,2,", "1,2,3,4", "1,2,0.5", "a,b", "1;2"])
def test_what_is_no_place_says_how_to_write_one(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a place to pin: write X,Z or X,Z,RADIUS"):
        parse_pin(text)


@pytest.mark.parametrize("text", [f"{FARTHEST_BLOCKS},0", "0,-1e12", "nan,0", "0,inf"])
def test_a_place_outside_any_world_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="lies outside every world"):
        parse_pin(text)
    with pytest.raises(UsageError, match="lies outside every world"):
        PinnedAnchor(0.0, 0.0, y=math.nan)


@pytest.mark.parametrize("radius", [-1, 65, 10**9])
def test_a_radius_that_no_look_out_has_is_refused(radius: int) -> None:
    with pytest.raises(UsageError, match=f"radius must be 0 to 64 columns, not {radius}"):
        parse_pin(f"0,0,{radius}")


def test_a_thousand_look_outs_are_refused_with_the_number_that_is_not() -> None:
    with pytest.raises(UsageError, match="1000 anchors are too many: at most 64"):
        Options(pins=(PinnedAnchor(0.0, 0.0),) * 1000)
    with joined() as connection:
        for number in range(MOST_LOOK_OUTS):
            connection.pin(f"{number}", PinnedAnchor(0.0, 0.0, 0))
        with pytest.raises(UsageError, match="64 anchors are already pinned"):
            connection.pin("one more", PinnedAnchor(0.0, 0.0))
        connection.pin("7", PinnedAnchor(64.0, 0.0, 1))  # a name that is there is moved
        assert len(connection.pins) == MOST_LOOK_OUTS
        assert connection.pins["7"].anchor.centre == ColumnPos(4, 0)


def test_names_that_are_none_or_unknown_are_told() -> None:
    with joined() as connection:
        connection.wait_settled()
        connection.pin("tower", PinnedAnchor(0.0, 0.0))
        with pytest.raises(UsageError, match="No anchor 'tover' is pinned; pinned: tower"):
            connection.unpin("tover")
        for name in ("", "x" * 65):
            with pytest.raises(UsageError, match="must have 1 to 64 characters"):
                connection.pin(name, PinnedAnchor(0.0, 0.0))
        for act in (lambda: connection.pin("player", PinnedAnchor(0.0, 0.0)), lambda: connection.unpin("player")):
            with pytest.raises(UsageError, match="'player'"):
                act()
        connection.unpin("tower")
        assert connection.pins == {}


def test_an_eye_stands_on_ground_that_is_known_and_over_the_roof_else() -> None:
    with joined() as connection:
        connection.wait_settled()
        eye, roof = connection.session.movement.view.eye, connection.session.dimension.store.dimension.roof_y_blocks
        connection.pin("here", PinnedAnchor(eye.x, eye.z))
        connection.pin("there", PinnedAnchor(eye.x + 4000.0, eye.z))
        connection.pin("given", PinnedAnchor(eye.x, eye.z, y=20.0))
        connection.pin("all", PinnedAnchor(eye.x, eye.z, everything=True))
        heights = {name: pin.eye and pin.eye.y for name, pin in connection.pins.items()}
        assert heights == {"here": pytest.approx(eye.y, abs=1.0), "there": roof + 1.62, "given": 20.0, "all": None}


@pytest.mark.parametrize("everything", [False, True])
def test_a_pinned_place_stays_loaded_and_stale_when_the_player_leaves(everything: bool) -> None:
    with joined("hills:1") as connection:
        connection.wait_settled()
        start = connection.session.movement.view.eye
        spot = Eye(start.x, 0.0, start.z).column
        connection.pin("home", PinnedAnchor(start.x, start.z, 0, everything=everything))
        connection.wait_settled()
        store = connection.session.dimension.store
        before = [store.block(start.block).name, store.state[store.place_of(SubChunkPos(spot.x, 3, spot.z))]]
        go(connection, start.x + 600.0)
        row = store.row_of[spot]
        assert connection.session.dimension.terrain.staleness.rows[row]
        assert [store.block(start.block).name, store.state[store.place_of(SubChunkPos(spot.x, 3, spot.z))]] == before
        kept = [column for column in store.row_of if column.chebyshev(spot) <= 3]
        assert len(kept) <= 49  # the place, the column around it, and the margin
        go(connection, start.x)
        assert not connection.session.dimension.terrain.staleness.rows[store.row_of[spot]]
        assert store.state[store.place_of(SubChunkPos(spot.x, 3, spot.z))] != SubChunkState.RESET
        connection.unpin("home")
        go(connection, start.x + 600.0)
        assert spot not in store.row_of


def test_the_options_look_outs_are_pinned_when_the_player_is_in() -> None:
    with joined(pins=(PinnedAnchor(0.0, 0.0), PinnedAnchor(96.0, 0.0, 1, everything=True))) as connection:
        connection.wait_settled()
        assert {name: pin.eye is None for name, pin in connection.pins.items()} == {
            "--pin 1": False,
            "--pin 2": True,
        }


def test_a_recording_has_the_look_outs_of_then(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with joined(record=path, pins=(PinnedAnchor(0.0, 0.0),)) as connection:
        connection.wait_settled()
        pins = connection.pins
    with pytest.raises(UsageError, match="its anchors were pinned at that time"):
        open_connection(WorldFile(path), Options(pins=(PinnedAnchor(0.0, 0.0),)))
    with open_connection(WorldFile(path), Options()) as again:
        again.wait_settled()
        assert again.pins == pins
        for act in (lambda: again.pin("x", PinnedAnchor(0.0, 0.0)), lambda: again.unpin("--pin 1")):
            with pytest.raises(UsageError, match="recording"):
                act()


# ---------------------------------------------------------------- source

# ---------------------------------------------------------------- source


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("embedded", Embedded("hills", 1)),
        ("embedded:bench", Embedded("bench", 1)),
        ("embedded:hills:-7", Embedded("hills", -7)),
        ("worlds/mine", WorldFile(Path("worlds/mine"))),
        ("mine.mcworld", WorldFile(Path("mine.mcworld"))),
        ("Mine.ZIP", WorldFile(Path("Mine.ZIP"))),
        ("run.cscope", WorldFile(Path("run.cscope"))),
        ("localhost", Remote("localhost", 19132)),
        ("play.example.org:19133", Remote("play.example.org", 19133)),
        ("127.0.0.1:1", Remote("127.0.0.1", 1)),
        ("[::1]:19132", Remote("::1", 19132)),
        ("[::1]", Remote("::1", 19132)),
        ("embedded-server", Remote("embedded-server", 19132)),
    ],
)
def test_a_source_says_where_the_world_comes_from(text: str, source: Source) -> None:
    assert parse_source(text) == source


def test_a_misspelt_embedded_is_named_unless_it_may_be_a_host() -> None:
    for text in ("embeded:flat", "embbeded:flat:3"):
        with pytest.raises(
            UsageError, match=f"'{text}' does not exist; did you mean 'embedded:{text.partition(':')[2]}'"
        ):
            parse_source(text)
    assert parse_source("embeded:19132") == Remote("embeded", 19132)


@pytest.mark.parametrize("source", [Embedded("flat", 3), Remote("::1", 5), Remote("a.b", 7)])
def test_a_source_reads_back_what_it_prints(source: Source) -> None:
    assert parse_source(str(source)) == source


def test_a_name_that_exists_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("localhost").mkdir()
    assert parse_source("localhost") == WorldFile(Path("localhost"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "embedded:",
        "embedded:moon",
        "embedded:flat:x",
        "embedded:flat:1:2",
        "::1",
        "[::1",
        "[::1]x",
        "host:",
        "host:0",
        "host:65536",
        "host:-1",
        "host:port",
        "two words",
        ":19132",
    ],
)
def test_what_cannot_be_meant_is_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_source(text)
    assert str(caught.value).endswith(".")
    assert caught.value.exit_code == 2


# ---------------------------------------------------------------- wording

SOURCE = Remote("play.example.org")


@pytest.mark.parametrize(
    ("reason", "part"),
    [
        ("disconnectionScreen.serverFull", "is full"),
        ("disconnectionScreen.notAuthenticated", "signed-in"),
        ("You must sign in to Xbox", "signed-in"),
        ("disconnectionScreen.outdatedClient", "newer version"),
        ("Go away.\nNow", "Go away. Now"),
    ],
)
def test_a_reason_becomes_one_sentence_that_names_the_source(reason: str, part: str) -> None:
    sentence = source_sentence(SOURCE, reason)
    assert part in sentence
    assert sentence.startswith("play.example.org:19132")
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_what_the_server_said_is_quoted_without_the_words_around_it() -> None:
    reason = Disconnect(False, "disconnectionScreen.outdatedClient").sentence()
    assert source_sentence(SOURCE, reason) == (
        "play.example.org:19132 speaks a newer version (its message: disconnectionScreen.outdatedClient)."
    )


def test_an_address_where_nothing_listens_is_named_once() -> None:
    assert source_sentence(Remote("127.0.0.1", 1), "nothing listens at 127.0.0.1 port 1") == (
        "Nothing listens at 127.0.0.1:1."
    )


def test_versions_are_named_on_both_sides() -> None:
    sentence = other_version(SOURCE, 9622, "1.30.40", "486 to 2193")
    assert "1.30.40 (protocol 9622)" in sentence
    assert "486 to 2193" in sentence
    assert "protocol 9622" in other_version(SOURCE, 9622, "", "486 to 2193")


def test_nobody_there() -> None:
    assert absent(Embedded(), 2.5) == "embedded:hills:1 did not answer within 2.5 s."


def test_what_a_terminal_would_obey_is_left_out() -> None:
    assert one_line("\N{SECTION SIGN}cRed\x1b[2J \u202eback\x07\n.") == "Red [2J back"
    assert len(one_line("x" * 10_000)) == 300
    assert "\x1b" not in other_version(SOURCE, 622, "1.20\x1b[31m", "486")


def test_a_login_that_never_ends_says_what_made_no_sense() -> None:
    fault = "StartGame.position at byte 9: (nan, 0.0, 0.0) is not a position in a world"
    steps = "chunkscope join play.example.org:19132 lists the steps of the join."
    assert not_let_in(SOURCE, 60.0, "", "").endswith(f"within 60 s. {steps}")
    assert fault in not_let_in(SOURCE, 60.0, "", fault)
    assert "within 60 s: no spawn; the last packet" in not_let_in(SOURCE, 60.0, "no spawn", fault)


@pytest.mark.parametrize(
    "said",
    [
        "Already logged in.",
        "disconnectionScreen.loggedinOtherLocation",
        "Logged in from another location",
        "You are already online",
    ],
)
def test_a_player_that_is_there_already(said: str) -> None:
    assert is_there_already(source_sentence(SOURCE, said))
    assert not is_there_already(source_sentence(SOURCE, "disconnectionScreen.serverFull"))
    assert not is_there_already(source_sentence(SOURCE, "You are banned"))


def test_an_answer_to_a_command_is_one_sentence() -> None:
    sign = "\N{SECTION SIGN}"
    assert answer_sentence(SOURCE, f"{sign}r{sign}c%commands.generic.unknown{sign}r dimension") == (
        "play.example.org:19132 does not have this command, or does not let you use it."
    )
    assert answer_sentence(SOURCE, f"{sign}cNo.\nNever. ") == "play.example.org:19132 replies: No. Never."
    assert answer_sentence(SOURCE, " ") == "play.example.org:19132 refuses without giving a reason."


# ---------------------------------------------------------------- options by name


def test_options_are_given_by_name_with_plain_values() -> None:
    given = options_of({"radius": 2, "at": (1, 2, 3), "record": "a.cscope", "cache_dir": None})
    assert given == Options(radius=2, at=Eye(1, 2, 3), record=Path("a.cscope"))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"raduis": 3}, r"no option 'raduis' \(nearest: radius\)"),
        ({"radius": 0}, "must be 1 to 64 columns, not 0"),
        ({"radius": "4"}, "'<=' not supported"),
        ({"at": (1, 2)}, "impossible value: .*'z'"),
        ({"record": 7}, "impossible value"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        options_of(given)


@pytest.mark.parametrize("between", [",", " ", ", ", "  ,  "])
def test_spaces_do_as_commas_in_every_place(between: str) -> None:
    def written(*numbers: int) -> str:
        return between.join(map(str, numbers))

    assert options.parse_block(written(8, -64, 8)) == (8, -64, 8)
    assert options.parse_at(written(8, -64, 8)) == (8.0, -64.0, 8.0)
    assert options.parse_look(written(180, -90)) == (180.0, -90.0)
    assert str(options.parse_box(written(0, -64, 0, 16, 0, 16))) == "0,-64,0,16,0,16"
    pin = options.parse_pin(written(-8, 24, 3))
    assert (pin.x, pin.z, pin.radius) == (-8.0, 24.0, 3)
