"""Parses a SOURCE, which names where a world comes from (docs/reference/sources.md), and words errors about it.

Messages of servers are their own words, often a translation key (``disconnectionScreen.notAuthenticated``). The known
ones are replaced by a sentence that names the source and what to do; the others are quoted.
"""

import os
import re
import shlex
from collections.abc import Iterable
from difflib import get_close_matches
from ipaddress import IPv6Address
from pathlib import Path
from typing import Final, TypeGuard

import msgspec

from client.errors import UsageError
from net.errors import ENDED_BY_SERVER, NOTHING_LISTENS

DEFAULT_PORT: Final = 19132
DISCOVERY_PORT: Final = 7551
LAN: Final = "lan"
URL_PORTS: Final = {"http": 80, "https": 443, LAN: DISCOVERY_PORT}
EMBEDDED: Final = "embedded"
EMBEDDED_WORLDS: Final = ("hills", "bench", "flat")
DEFAULT_WORLD: Final = "hills"
DEFAULT_SEED: Final = 1
PACKED_SUFFIXES: Final = (".mcworld", ".zip")
RECORDING_SUFFIX: Final = ".cscope"
FILE_SUFFIXES: Final = (*PACKED_SUFFIXES, RECORDING_SUFFIX)
ZIP_MAGIC: Final = b"PK\x03\x04"
NEAR: Final = 0.8
"""Similarity (0 to 1) of a host to ``embedded``, with a word for its port, from which on ``embedded`` was meant."""


class Embedded(msgspec.Struct, frozen=True):
    """A world of our own server, started as a child process."""

    world: str = DEFAULT_WORLD
    seed: int = DEFAULT_SEED

    def __str__(self) -> str:
        return f"{EMBEDDED}:{self.world}:{self.seed}"


class WorldFile(msgspec.Struct, frozen=True):
    """A saved world, as a folder or packed, or a recording (``is_recording``)."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)


class Remote(msgspec.Struct, frozen=True):
    """A server reached over UDP."""

    host: str
    port: int = DEFAULT_PORT
    scheme: str = ""  # http, https or lan: session offers (NetherNet) go only to this address; empty: detected

    @property
    def lan_port(self) -> int | None:
        """The port for session offers by LAN discovery; None: not by LAN discovery."""
        if self.scheme == LAN:
            return self.port
        return DISCOVERY_PORT if not self.scheme and self.port == DEFAULT_PORT else None

    @property
    def places(self) -> tuple[str, ...]:
        """URLs for session offers by HTTP, the preferred first; the default port also stands for none given."""
        if self.scheme == LAN:
            return ()
        if self.scheme:
            return (str(self),)
        host = f"[{self.host}]" if ":" in self.host else self.host
        named = tuple((f"{scheme}://{host}:{self.port}", f"{scheme}://{host}") for scheme in ("https", "http"))
        return tuple(place for both in named for place in both[: 2 if self.port == DEFAULT_PORT else 1])

    def __str__(self) -> str:
        if self.scheme:
            return f"{self.scheme}://{Remote(self.host, self.port)}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


Source = Embedded | WorldFile | Remote


class OtherSource(msgspec.Struct, frozen=True):
    """A second world that a window or a picture is compared with."""

    source: Source
    what: tuple[str, ...]  # names of the compared arrays (``DIFF_ARRAYS``)


def is_saved_world(source: Source) -> TypeGuard[WorldFile]:
    """Whether a source is an existing world that a game saved: a folder, or one packed into a zip file."""
    if not isinstance(source, WorldFile):
        return False
    path = source.path
    if path.is_dir():
        return True
    if not path.is_file():
        return False
    return path.suffix.lower() in PACKED_SUFFIXES or _begins_with(path, ZIP_MAGIC)


def is_recording(source: Source) -> TypeGuard[WorldFile]:
    """Whether a source is an existing recording, by its name or its first bytes. Loads no kernels."""
    if not isinstance(source, WorldFile) or not source.path.is_file():
        return False
    if source.path.suffix.lower() == RECORDING_SUFFIX:
        return True
    from net.recording.header import MAGIC  # noqa: PLC0415 - loads all record types, which most starts do not need

    return _begins_with(source.path, MAGIC)


def _begins_with(path: Path, magic: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False


def parse_source(text: str) -> Source:
    """Reads a SOURCE. Raises UsageError: it is invalid, in one sentence."""
    if text == EMBEDDED or text.startswith(EMBEDDED + ":"):
        return _embedded(text)
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() in URL_PORTS:
        return _url(scheme.lower(), rest.removesuffix("/"), text)
    try:
        is_there = bool(text) and Path(text).exists()
    except OSError as error:  # an impossible file name, or no permission
        raise UsageError(f"'{one_line(text)}' cannot be opened: {error.strerror or error}.") from None
    if is_there or _means_a_path(text):
        return WorldFile(Path(text))
    name, _, world = text.partition(":")
    if world[:1].isalpha() and get_close_matches(name, (EMBEDDED,), 1, NEAR):
        raise UsageError(f"'{text}' does not exist; did you mean '{EMBEDDED}:{world}'?")
    return _remote(text)


def _embedded(text: str) -> Embedded:
    parts = text.split(":")[1:]
    if len(parts) > 2 or not all(parts):
        raise UsageError(f"'{text}' is not an embedded world: write embedded[:WORLD[:SEED]].")
    world = parts[0] if parts else DEFAULT_WORLD
    if world not in EMBEDDED_WORLDS:
        raise UsageError(f"Unknown embedded world '{world}': choose from {', '.join(EMBEDDED_WORLDS)}.")
    try:
        seed = int(parts[1]) if len(parts) == 2 else DEFAULT_SEED
    except ValueError:
        raise UsageError(f"The seed '{parts[1]}' of '{text}' is not a whole number.") from None
    return Embedded(world, seed)


def _url(scheme: str, rest: str, text: str) -> Remote:
    if "/" in rest or "@" in rest or "?" in rest or "#" in rest:
        raise UsageError(f"'{text}' is not an address: write {scheme}://HOST[:PORT].")
    remote = _remote(rest)
    is_given = rest.rpartition("]")[2].startswith(":") if rest.startswith("[") else ":" in rest
    return Remote(remote.host, remote.port if is_given else URL_PORTS[scheme], scheme)


def _means_a_path(text: str) -> bool:
    separators = {"/", os.sep, os.altsep or "/"}
    return any(s in text for s in separators) or text.lower().endswith(FILE_SUFFIXES)


def _remote(text: str) -> Remote:
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or (rest and not rest.startswith(":")):
            raise UsageError(f"'{text}' is not an address: write [IPV6]:PORT.")
        try:
            IPv6Address(host)
        except ValueError:
            raise UsageError(
                f"'{one_line(host)}' in '{one_line(text)}' is not an IPv6 address: brackets are for those alone, as in "
                f"[::1]:{DEFAULT_PORT}."
            ) from None
        return Remote(_host(host, text), _port(rest[1:], text) if rest else DEFAULT_PORT)
    if text.count(":") > 1:
        raise UsageError(f"Put the IPv6 address of '{text}' in brackets, as in [::1]:{DEFAULT_PORT}.")
    host, colon, port = text.partition(":")
    return Remote(_host(host, text), _port(port, text) if colon else DEFAULT_PORT)


def _host(host: str, text: str) -> str:
    if not host or any(c.isspace() or c in "[]?*" for c in host):
        raise UsageError(
            f"'{one_line(text)}' does not name a host: write HOST[:PORT], a path, or embedded[:WORLD[:SEED]]."
        )
    return host


def _port(port: str, text: str) -> int:
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise UsageError(f"The port '{port}' of '{text}' must be a number from 1 to 65535.")
    return int(port)


NO_ACCOUNT: Final = "requires signed-in players, and chunkscope joins without an account"
KNOWN_REASONS: Final = (
    ("disconnectionscreen.serverfull", "is full"),
    ("server is full", "is full"),
    ("disconnectionscreen.notauthenticated", NO_ACCOUNT),
    ("disconnectionscreen.notallowed", "does not let this player in (allow list)"),
    ("disconnectionscreen.outdatedclient", "speaks a newer version"),
    ("disconnectionscreen.outdatedserver", "speaks an older version"),
    ("disconnectionscreen.", "ended the session"),
    ("sign in", NO_ACCOUNT),
    ("not authenticated", NO_ACCOUNT),
    ("authentication error", NO_ACCOUNT),  # bedrock-protocol 3.59.0
    ("xbox", NO_ACCOUNT),
)

KNOWN_ANSWERS: Final = (
    ("commands.generic.unknown", "does not have this command, or does not let you use it"),
    ("commands.generic.permission", "does not let you use this command"),
    ("commands.generic.syntax", "expects other arguments for this command"),
    ("commands.generic.usage", "expects other arguments for this command"),
    ("commands.generic.disabled", "does not accept commands from players"),
)
"""Translation keys of answers to commands (dragonfly uses the first, too)."""
THERE_ALREADY: Final = re.compile(r"already (logged|online|connected|joined|playing|on )|other ?location")
"""How servers say that this player is already on them: dragonfly, the game itself."""
COLOUR_CODE: Final = re.compile("\N{SECTION SIGN}.")
LONGEST: Final = 300


def source_sentence(source: Source, reason: str) -> str:
    """Why a session with a source ended: one sentence, with a full stop, that names the source once."""
    if isinstance(source, Remote):
        where = f"{source.host} port {source.port}"
        if reason == f"{NOTHING_LISTENS} {where}":
            return f"Nothing listens at {source}."
        if reason == f"{where} does not answer":
            return f"{source} does not answer."
    lowered, words = reason.lower(), one_line(reason)
    if words.startswith(str(source)):
        return f"{words}."
    if str(source) in words:
        return f"{words}." if words.startswith("http") else f"{words[0].upper()}{words[1:]}."
    for key, meaning in KNOWN_REASONS:
        if key in lowered:
            return f"{source} {meaning} (its message: {words.removeprefix(ENDED_BY_SERVER)})."
    return f"{source}: {words}."


def answer_sentence(source: Source, text: str) -> str:
    """A server's answer to a command: our own sentence for a known translation key, else quoted."""
    said = one_line(text)
    for key, meaning in KNOWN_ANSWERS:
        if key in said:
            return f"{source} {meaning}."
    return f"{source} replies: {said}." if said else f"{source} refuses without giving a reason."


def is_there_already(sentence: str) -> bool:
    """Whether a server refuses because this player is still on it, as after a lost connection for some seconds."""
    return THERE_ALREADY.search(sentence.lower()) is not None


def other_version(source: Source, protocol: int, version: str, ours: str) -> str:
    """The sentence for a server of an unsupported protocol; ``ours`` names the supported ones."""
    named = f"{one_line(version)} (protocol {protocol})" if version else f"protocol {protocol}"
    return f"{source} speaks {named}; this version of chunkscope speaks protocols {ours}."


def absent(source: Source, timeout_s: float) -> str:
    return f"{source} did not answer within {timeout_s:g} s."


def not_connected(source: Source, within_s: float, what: str) -> str:
    """The sentence for a server that takes an offer over NetherNet, and with which no connection comes about."""
    return f"{source} did not connect over NetherNet within {within_s:.3g} s: waiting for {what}."


def not_let_in(source: Source, within_s: float, step: str, last_fault: str) -> str:
    """The sentence for a server that answers and does not spawn the player; ``step``: the missing one of the join."""
    why = f"; the last packet that could not be decoded: {one_line(last_fault)}" if last_fault else ""
    missing = f": {one_line(step)}" if step else ""
    steps = f"chunkscope join {shlex.quote(str(source))} lists the steps of the join"
    return f"{source} did not spawn the player within {within_s:.3g} s{missing}{why}. {steps}."


def warning_lines(warnings: Iterable[str]) -> list[str]:
    """The server's protocol violations (``SessionStats.warnings``), a line each, for the end of a report."""
    return [f"the server: {one_line(warning)}" for warning in warnings]


def one_line(text: str) -> str:
    """A received text on one line: without colour codes and control characters, at most ``LONGEST`` characters."""
    plain = "".join(letter if letter.isprintable() else " " for letter in COLOUR_CODE.sub("", text))
    return " ".join(plain.split()).rstrip(". ")[:LONGEST]


def bare_name(name: str) -> str:
    """A received name of a block, an entity or a biome on one line, without the game's prefix: as ``find`` takes it."""
    return one_line(name).removeprefix("minecraft:")
