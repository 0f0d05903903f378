"""The login of both ends: the whole dance, every refusal, and tokens that do not hold together."""

import base64
import json
import random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from net import bedrock
from net.bedrock import Message
from net.bedrock.login import ClientLogin, ClientPhase, Identity, LoginStep, ServerLogin, ServerPhase
from net.bedrock.login.client import CLIENT_TRANSITIONS
from net.bedrock.login.server import SERVER_TRANSITIONS
from net.bedrock.login.tokens import (
    Token,
    chain_text,
    check_login,
    client_claims,
    lenient_base64,
    new_key,
    public_text,
    read_public,
    session_key,
    sign,
)
from net.errors import DecodeError
from net.releases import RELEASES, Release, release_of

CODEC = bedrock.Codec()
ADA = Identity("Ada", "0d3b1f9c-3a83-4b41-9d60-0c6e6a1c5e11", "localhost:19132")
NOW = 1_700_000_000.0
START = bedrock.StartGame(entity_unique_id=1, runtime_id=1, position=(0.0, 0.0, 0.0))


def entropy(seed: int):
    return random.Random(seed).randbytes


def client(codec: bedrock.Codec = CODEC) -> ClientLogin:
    return ClientLogin(codec, ADA, NOW, entropy(1))


def server(codec: bedrock.Codec = CODEC, **options: Any) -> ServerLogin:
    return ServerLogin(codec, NOW, entropy(2), **options)


def login() -> bedrock.Login:
    (message,) = client().first()
    assert isinstance(message, bedrock.Login)
    return message


def dance(
    joining: ClientLogin, serving: ServerLogin, codec: bedrock.Codec = CODEC
) -> tuple[list[Message], list[LoginStep], list[LoginStep]]:
    """Runs a login; every message takes the wire. Returns what the client was sent and both ends' steps."""
    heard: list[Message] = []
    client_steps: list[LoginStep] = []
    server_steps: list[LoginStep] = []
    to_server = list(joining.first())
    while to_server:
        step = serving.handle(codec.decode(codec.encode(to_server.pop(0))))
        server_steps.append(step)
        for message in (*step.send, *((START,) if step.joined else ())):
            heard.append(message)
            answer = joining.handle(codec.decode(codec.encode(message)))
            client_steps.append(answer)
            to_server += answer.send
    return heard, client_steps, server_steps


def test_both_ends_join_and_share_a_key() -> None:
    joining, serving = client(), server()
    heard, client_steps, server_steps = dance(joining, serving)
    assert [type(message).__name__ for message in heard] == [
        "ServerToClientHandshake",
        "PlayStatus",
        "ResourcePacksInfo",
        "ResourcePackStack",
        "StartGame",
    ]
    (client_key,) = [step.key for step in client_steps if step.key]
    (server_key,) = [step.key for step in server_steps if step.key]
    assert client_key == server_key
    assert len(client_key) == 32
    assert (joining.phase, serving.phase) == (ClientPhase.JOINED, ServerPhase.JOINED)
    assert sum(step.joined for step in client_steps) == sum(step.joined for step in server_steps) == 1
    assert serving.identity == ADA
    assert serving.cache_supported is False


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_both_ends_join_at_every_release(release: Release) -> None:
    codec = bedrock.Codec(release.protocol)
    joining, serving = client(codec), server(codec)
    heard, client_steps, server_steps = dance(joining, serving, codec)
    settled = release.protocol >= 554
    assert isinstance(heard[0], bedrock.NetworkSettings) == settled
    assert [step.compress is not None for step in client_steps].count(True) == settled
    assert [step.compress is not None for step in server_steps].count(True) == settled
    assert (joining.phase, serving.phase) == (ClientPhase.JOINED, ServerPhase.JOINED)
    assert serving.identity == ADA
    assert {step.key for step in client_steps} == {step.key for step in server_steps}


def test_from_554_on_the_login_waits_for_the_settings() -> None:
    codec = bedrock.Codec(600)
    joining = client(codec)
    assert joining.first() == [bedrock.RequestNetworkSettings(600)]
    assert not joining.opened
    assert joining.handle(bedrock.PlayStatus(0)) == LoginStep()
    settings = bedrock.NetworkSettings(1, bedrock.Algorithm.SNAPPY)
    step = joining.handle(settings)
    assert step.compress == settings
    assert joining.opened
    assert isinstance(step.send[0], bedrock.Login)
    assert step.send[0].protocol == 600


def test_settings_by_an_algorithm_that_nobody_knows_are_a_refusal() -> None:
    joining = client(bedrock.Codec(554))
    joining.first()
    assert "algorithm 7" in str(joining.handle(bedrock.NetworkSettings(1, 7)).refused)


@pytest.mark.parametrize(("protocol", "status"), [(553, 1), (555, 2)])
def test_another_version_is_refused_before_the_login(protocol: int, status: int) -> None:
    step = server(bedrock.Codec(554)).handle(bedrock.RequestNetworkSettings(protocol))
    assert step.send == (bedrock.PlayStatus(status),)
    assert step.refused


def test_a_late_handshake_still_gives_the_key() -> None:
    serving = server()
    joining = client()
    offered = serving.handle(joining.first()[0])
    assert joining.handle(bedrock.PlayStatus(0)).key is None
    assert joining.handle(bedrock.ResourcePacksInfo()).send
    step = joining.handle(offered.send[0])
    assert step.key == offered.key
    assert joining.phase is ClientPhase.PACKS


@pytest.mark.parametrize(
    ("protocol", "members"), [(486, {"chain"}), (818, {"Certificate", "AuthenticationType", "Token"})]
)
def test_the_chain_has_the_shape_of_its_protocol(protocol: int, members: set[str]) -> None:
    assert set(json.loads(chain_text(ADA, KEY, int(NOW), protocol))) == members


def test_from_944_on_either_of_two_proofs_is_enough() -> None:
    frame = json.loads(chain_text(ADA, KEY, int(NOW), 944))
    client_token = sign({"ServerAddress": ADA.server_address}, KEY)
    for kept in ({}, {"Certificate": '{"chain":[""]}'}, {"Certificate": ""}, {"Token": ""}):
        identity, key = check_login(bedrock.Login(944, json.dumps(frame | kept), client_token), NOW)
        assert identity == ADA
        assert public_text(key) == public_text(KEY.public_key())
    nothing = frame | {"Certificate": '{"chain":[""]}', "Token": ""}
    with pytest.raises(DecodeError):
        check_login(bedrock.Login(944, json.dumps(nothing), client_token), NOW)
    forged = frame["Token"][:-8] + "AAAAAAAA"
    with pytest.raises(DecodeError, match="signature"):
        check_login(bedrock.Login(944, json.dumps({"Token": forged}), client_token), NOW)


@pytest.mark.parametrize(
    ("protocol", "there", "absent"),
    [
        (486, {"ThirdPartyNameOnly"}, {"TrustedSkin", "OverrideSkin", "MaxViewDistance"}),
        (544, {"TrustedSkin"}, {"OverrideSkin"}),
        (582, {"OverrideSkin", "CompatibleWithClientSideChunkGen"}, {"MaxViewDistance"}),
        (748, {"MaxViewDistance", "MemoryTier", "PlatformType", "ThirdPartyNameOnly"}, {"GraphicsMode"}),
        (2193, {"GraphicsMode", "MaxViewDistance"}, {"ThirdPartyNameOnly"}),
    ],
)
def test_the_client_token_has_the_members_of_its_release(protocol: int, there: set[str], absent: set[str]) -> None:
    release = release_of(protocol)
    claims = client_claims(ADA, release, 7)
    assert there <= set(claims)
    assert not absent & set(claims)
    assert claims["GameVersion"] == release.name


def test_the_key_comes_with_the_handshake_and_the_first_encrypted_packet_answers_it() -> None:
    joining, serving = client(), server()
    offered = serving.handle(joining.first()[0])
    assert offered.key is not None
    step = joining.handle(offered.send[0])
    assert step.send == (bedrock.ClientToServerHandshake(),)
    assert step.key == offered.key


def test_a_server_that_does_not_encrypt_is_joined_in_the_clear() -> None:
    joining, serving = client(), server(encrypt=False)
    heard, client_steps, server_steps = dance(joining, serving)
    assert isinstance(heard[0], bedrock.PlayStatus)
    assert all(step.key is None for step in client_steps + server_steps)
    assert joining.phase is ClientPhase.JOINED


def test_the_same_entropy_gives_the_same_keys() -> None:
    keys = {public_text(new_key(entropy(seed)).public_key()) for seed in (1, 1, 2)}
    assert len(keys) == 2


def test_a_client_goes_on_to_the_game_without_packs() -> None:
    joining = client()
    joining.first()
    assert joining.handle(bedrock.PlayStatus(0)).refused is None
    assert joining.handle(START).joined


def test_messages_that_a_phase_does_not_name_change_nothing() -> None:
    joining = client()
    joining.first()
    strays = (
        bedrock.NetworkSettings(512),
        bedrock.SetPlayerGameType(1),
        bedrock.Unknown(700, 10),
        START,
        bedrock.ResourcePackStack(),
    )
    for stray in strays:
        assert joining.handle(stray) == LoginStep()
        assert joining.phase is ClientPhase.OFFERED
    serving = server()
    assert serving.handle(bedrock.ClientToServerHandshake()) == LoginStep()
    assert serving.phase is ServerPhase.NEW


def test_nothing_leads_out_of_the_ends() -> None:
    for phase, _ in CLIENT_TRANSITIONS:
        assert phase not in {ClientPhase.NEW, ClientPhase.JOINED, ClientPhase.REFUSED}
    for serving, _ in SERVER_TRANSITIONS:
        assert serving not in {ServerPhase.JOINED, ServerPhase.REFUSED}


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (1, "newer version than protocol 486"),
        (2, "older version than protocol 486"),
        (7, "full"),
        (5, "education"),
        (99, "status 99"),
    ],
)
def test_a_refusing_status_is_one_sentence(status: int, words: str) -> None:
    joining = client()
    joining.first()
    step = joining.handle(bedrock.PlayStatus(status))
    assert step.refused is not None
    assert words in step.refused
    assert joining.phase is ClientPhase.REFUSED
    assert joining.handle(bedrock.PlayStatus(0)) == LoginStep()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("disconnectionScreen.notAuthenticated", "signed-in players"),
        ("disconnectionScreen.serverFull", "full"),
        ("go away", "go away"),
        ("", "gives no reason"),
    ],
)
def test_a_disconnect_is_one_sentence(message: str, words: str) -> None:
    assert words in bedrock.Disconnect(False, message).sentence()
    joining = client()
    joining.first()
    assert words in (joining.handle(bedrock.Disconnect(False, message)).refused or "")


@pytest.mark.parametrize("token", ["", "a.b", "a.b.c", "e30.e30.", "bnVsbA.e30.AAAA"])
def test_a_broken_handshake_is_refused(token: str) -> None:
    joining = client()
    joining.first()
    step = joining.handle(bedrock.ServerToClientHandshake(token))
    assert "handshake is invalid" in (step.refused or "")


def test_a_handshake_signed_by_another_key_is_refused() -> None:
    own, other = new_key(entropy(3)), new_key(entropy(4))
    head = sign({"salt": "AAAA"}, own).split(".")[0]
    _, body, signature = sign({"salt": "AAAA"}, other).split(".")
    joining = client()
    joining.first()
    assert "invalid signature" in (
        joining.handle(bedrock.ServerToClientHandshake(f"{head}.{body}.{signature}")).refused or ""
    )


@pytest.mark.parametrize("salt", ["8J+ngg==", "8J+ngg", "8J-ngg"])
def test_salts_of_any_length_and_alphabet_are_read(salt: str) -> None:
    own, joining = new_key(entropy(3)), client()
    joining.first()
    assert joining.handle(bedrock.ServerToClientHandshake(sign({"salt": salt}, own))).key is not None


@pytest.mark.parametrize("body", [{}, {"salt": 5}, {"salt": "?"}])
def test_a_handshake_without_a_salt_is_refused(body: dict[str, Any]) -> None:
    joining = client()
    joining.first()
    step = joining.handle(bedrock.ServerToClientHandshake(sign(body, new_key(entropy(3)))))
    assert "token.salt" in (step.refused or "")


@pytest.mark.parametrize(("protocol", "status"), [(475, 1), (503, 2)])
def test_a_client_of_another_version_is_told_which(protocol: int, status: int) -> None:
    serving = server()
    message = login()
    step = serving.handle(bedrock.Login(protocol, message.chain, message.client_token))
    assert step.send == (bedrock.PlayStatus(status),)
    assert "486" in (step.refused or "")


def test_a_client_that_refuses_packs_is_refused() -> None:
    serving = server(encrypt=False)
    serving.handle(login())
    assert serving.handle(bedrock.ResourcePackClientResponse(1)).refused is not None


def test_a_client_that_keeps_blobs_says_so() -> None:
    serving = server(encrypt=False)
    serving.handle(login())
    serving.handle(bedrock.ClientCacheStatus(True))
    assert serving.cache_supported


def test_the_login_holds_every_claim_a_strict_server_looks_at() -> None:
    message = login()
    claims = Token.parse(message.client_token, "client").body
    assert base64.b64decode(claims["SkinData"]) == bytes((94, 124, 152, 255)) * (64 * 32)
    geometry = json.loads(base64.b64decode(claims["SkinGeometryData"]))
    patch = json.loads(base64.b64decode(claims["SkinResourcePatch"]))
    assert geometry["minecraft:geometry"][0]["description"]["identifier"] == patch["geometry"]["default"]
    assert claims["ServerAddress"] == "localhost:19132"
    assert claims["ThirdPartyName"] == "Ada"
    named = """AnimatedImageData ArmSize CapeData CapeId CapeImageHeight CapeImageWidth CapeOnClassicSkin ClientRandomId
        CurrentInputMode DefaultInputMode DeviceId DeviceModel DeviceOS GameVersion GuiScale LanguageCode PersonaPieces
        PersonaSkin PieceTintColors PlatformOfflineId PlatformOnlineId PlayFabId PremiumSkin SelfSignedId ServerAddress
        SkinAnimationData SkinColor SkinData SkinGeometryData SkinGeometryDataEngineVersion SkinId SkinImageHeight
        SkinImageWidth SkinResourcePatch ThirdPartyName ThirdPartyNameOnly UIProfile"""
    assert sorted(claims) == sorted(named.split())


def test_the_chain_is_one_self_signed_token() -> None:
    (text,) = json.loads(login().chain)["chain"]
    token = Token.parse(text, "chain")
    token.verify(token.signer(), "chain")
    assert token.header["alg"] == "ES384"
    assert token.body["identityPublicKey"] == token.header["x5u"]
    assert token.body["extraData"] == {"displayName": "Ada", "identity": ADA.uuid, "XUID": ""}
    assert token.body["nbf"] <= NOW < token.body["exp"]


KEY, OTHER = new_key(entropy(5)), new_key(entropy(6))
CHAIN = chain_text(ADA, KEY, int(NOW), 486)
PUBLIC = public_text(KEY.public_key())


def chain_of(**claims: Any) -> str:
    body = {"identityPublicKey": PUBLIC, "extraData": {"displayName": "Ada"}} | claims
    return json.dumps({"chain": [sign(body, KEY)]})


@pytest.mark.parametrize(
    ("chain", "words"),
    [
        ("", "chain.json"),
        ("[" * 100_000, "chain.json"),
        ("[]", "not a list of 1 to 3 tokens"),
        ('{"chain": []}', "not a list of 1 to 3 tokens"),
        ('{"chain": [1]}', "not a list of 1 to 3 tokens"),
        ('{"chain": ["a.b"]}', "has 2 parts"),
        (chain_of(identityPublicKey=None), "not a public key"),
        (chain_of(identityPublicKey="AAAA"), "not a public key"),
        (chain_of(extraData=None), "does not name a player"),
        (chain_of(extraData={"displayName": ""}), "does not name a player"),
        (chain_of(exp="soon"), "has no validity dates"),
        (chain_of(exp=NOW - 3 * 86400), "is valid from"),
        (chain_of(nbf=NOW + 3 * 86400), "is valid from"),
    ],
)
def test_a_chain_that_does_not_hold_together_is_refused(chain: str, words: str) -> None:
    serving = server()
    step = serving.handle(bedrock.Login(486, chain, sign({}, KEY)))
    assert words in (step.refused or "")
    assert serving.phase is ServerPhase.REFUSED


def test_a_client_token_of_another_key_is_refused() -> None:
    with pytest.raises(DecodeError, match="client_token at byte 0: has an invalid signature"):
        check_login(bedrock.Login(486, CHAIN, sign({}, OTHER)), NOW)
    assert check_login(bedrock.Login(486, CHAIN, sign({}, KEY)), NOW)[0].display_name == "Ada"


def test_a_chain_without_dates_or_uuid_is_good_enough() -> None:
    identity, key = check_login(bedrock.Login(486, chain_of(), sign({}, KEY)), NOW)
    assert identity == Identity("Ada", "", "")
    assert public_text(key) == PUBLIC


def test_a_name_that_is_no_text_in_any_encoding_is_made_one() -> None:
    chain = chain_of(extraData={"displayName": "A\ud800da", "identity": 5})
    assert check_login(bedrock.Login(486, chain, sign({}, KEY)), NOW)[0] == Identity("A?da", "", "")


def test_keys_of_other_kinds_are_refused() -> None:
    for key in (ec.derive_private_key(5, ec.SECP256R1()), rsa.generate_private_key(65537, 1024)):
        der = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        with pytest.raises(DecodeError, match="not a key on P-384"):
            read_public(base64.b64encode(der).decode(), "x5u")


def test_both_ends_of_an_exchange_get_one_secret() -> None:
    assert session_key(KEY, OTHER.public_key(), b"salt") == session_key(OTHER, KEY.public_key(), b"salt")
    assert session_key(KEY, OTHER.public_key(), b"salt") != session_key(OTHER, KEY.public_key(), b"tlas")


@pytest.mark.parametrize("text", [None, 5, "a", "a b!", "\u00e4"])
def test_what_is_no_base64_is_a_value_error(text: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        lenient_base64(text)
