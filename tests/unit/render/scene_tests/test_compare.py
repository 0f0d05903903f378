"""Two takes to a verdict: what passes, what fails, what is skipped and says so.

Compare colour: Tiles of a difference.

Verdict: What counts as passed.

Views: The key under which colours are accepted.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from client.player import Eye, View
from net.space import SubChunkPos
from render.capture.channels import NO_BLOCK, NO_CELL, NO_FACE, Shot, ShotPalette
from render.gpu.capabilities import Capabilities
from render.scene_tests.compare import CHANNEL_NAMES, compare, flip_errors, tile_means, tile_starts, worst_tile
from render.scene_tests.compare_data import DRAWN_OTHERWISE, PARTS, DataTruth, Digests, missing_subchunks
from render.scene_tests.verdict import COLOUR, DATA, SEMANTIC, Layer, LayerOutcome, Tolerance, Verdict
from render.scene_tests.views import CapturedView, Renderer, uses_avx2

# ---------------------------------------------------------------- compare

EXACT = Renderer("llvmpipe-avx2", 22, "llvmpipe (LLVM 15.0.6, 256 bits); Mesa; 4.5 Mesa 22.3.6")
GPU = Renderer("nvidia", 550, "NVIDIA; NVIDIA; 4.6.0 NVIDIA 550.54")
SIZE_PX = WIDTH, HEIGHT = 96, 64
NAMES = ("minecraft:air", "minecraft:stone", "minecraft:dirt")
PALETTE = ShotPalette(np.array(NAMES), np.array(["{}"] * 3), np.zeros(3, np.uint32), np.arange(3, dtype=np.uint32))


def shot(**channels: object) -> Shot:
    """Stone on the left, dirt on the right, sky above; each block 8 x 8 pixels."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    sky = y < 16
    cell = np.stack([x // 8, 60 - y // 8, np.zeros_like(x)], axis=2).astype(np.int32)
    cell[sky] = NO_CELL
    made: dict[str, object] = {
        "colour": np.dstack([x * 2, y * 3, np.where(sky, 200, 90), np.full_like(x, 255)]).astype(np.uint8),
        "depth": np.where(sky, np.inf, 10 + y / 8).astype(np.float32),
        "block": np.where(sky, NO_BLOCK, np.where(x < 48, 1, 2)).astype(np.uint32),
        "face": np.where(sky, NO_FACE, 3).astype(np.uint8),
        "light": np.where(sky, 0, 0xF000).astype(np.uint16),
        "state": np.where(sky, 255, 4).astype(np.uint8),
        "cell": cell,
        "mirror": np.where(sky, NO_BLOCK, np.where(x < 48, 1, 2)).astype(np.uint32),
        "palette": PALETTE,
    }
    return Shot(View(Eye(0.0, 64.0, 0.0)), SIZE_PX, **{**made, **channels})


def truth(**values: dict[tuple[int, int, int], int]) -> DataTruth:
    parts = {}
    for name in PARTS:
        by_place = values.get(name, {(x, 4, 0): x + 1 for x in range(8)})
        positions = np.array(list(by_place), np.int32).reshape(-1, 3)
        parts[name] = Digests.of(positions, np.array(list(by_place.values()), np.uint64))
    return DataTruth(**parts)


def take(renderer: Renderer = EXACT, data: DataTruth | None = None, **channels: object) -> CapturedView:
    return CapturedView(shot(**channels), truth() if data is None else data, renderer)


def changed(name: str, where: object, value: object) -> dict[str, object]:
    array = getattr(shot(), name).copy()
    array[where] = value
    return {name: array}


def test_the_same_passes_in_every_layer() -> None:
    verdict = compare(take(), take())
    assert verdict.passed
    assert [layer.outcome for layer in verdict.layers] == [LayerOutcome.PASSED] * 3
    assert verdict.changed_subchunks == ()


def test_data_counts_the_places_that_differ() -> None:
    light = {(x, 4, 0): x + 1 for x in range(8)}
    layer = compare(take(), take(data=truth(light={**light, (2, 4, 0): 99, (9, 4, 0): 9}))).layer(DATA)
    assert layer.outcome is LayerOutcome.FAILED
    assert layer.words == "different light in 2 of 9 sub-chunks."
    assert layer.numbers["light_differing"] == 2
    assert layer.numbers["light"] == 9, "those of both sides together: never less than differ"
    assert layer.numbers["storages_differing"] == 0


def test_requests_that_differ_name_the_states_before_and_now() -> None:
    data, refused, asked = 4, 6 | 2 << 8 | 1 << 16, 3 | 1 << 16  # states in the lowest byte
    before = {(x, 4, 0): data for x in range(4)}
    after = {(0, 4, 0): refused, (1, 4, 0): refused, (2, 4, 0): asked, (3, 4, 0): data}
    verdict = compare(take(data=truth(requests=before)), take(data=truth(requests=after)))
    assert verdict.layer(DATA).words == "different states in 3 of 4 sub-chunks."
    assert verdict.cause == '2 sub-chunks went from "received" to "refused by the server"; the first: sub-chunk 0,4,0'
    missing = missing_subchunks(truth(requests=after).requests)
    assert missing == {"refused by the server": 2, "requested, no answer yet": 1}


def test_blocks_that_changed_are_named_with_a_place() -> None:
    stone = np.s_[24:32, 8:16]
    words = compare(take(), take(**changed("block", stone, 2))).layer(SEMANTIC).words
    assert words.endswith(" Most of them: 64 stone became dirt (at block 1,57,0).")
    hole = {**changed("block", stone, NO_BLOCK), **changed("cell", stone, NO_CELL), **changed("face", stone, NO_FACE)}
    words = compare(take(), take(**hole)).layer(SEMANTIC).words
    assert words.endswith(" Most of them: 64 from stone to sky (at block 1,57,0).")
    assert "became" not in compare(take(), take(**changed("light", stone, 0))).layer(SEMANTIC).words


STONE_AND_LIGHT = {
    "storages": ({(1, 2, 3): 7}, "the server sent other blocks in 1 of {} sub-chunks; the first: sub-chunk 1,2,3"),
    "light": (
        {(1, 2, 3): 7},
        "the blocks are the same, but their light differs in 1 of {} sub-chunks; the first: sub-chunk 1,2,3",
    ),
    "meshes": (
        {(1, 2, 3): 7},
        "blocks and light are the same, but this version of chunkscope builds other meshes in 1 of {} render cells; "
        "the first: render cell 1,2,3",
    ),
}


@pytest.mark.parametrize("part", STONE_AND_LIGHT)
def test_the_cause_is_the_first_part_that_differs_with_its_first_place(part: str) -> None:
    more, cause = STONE_AND_LIGHT[part]
    places = {(x, 4, 0): x + 1 for x in range(8)}
    later = {key: {**places, **more} for key in list(STONE_AND_LIGHT)[list(STONE_AND_LIGHT).index(part) :]}
    parts = dict.fromkeys(STONE_AND_LIGHT, places)
    found = compare(take(data=truth(**parts)), take(data=truth(**{**parts, **later})))
    assert found.cause == cause.format(9)
    assert f"likely cause: {found.cause}." in found.words.splitlines()


def test_a_picture_of_the_same_world_that_differs_was_drawn_in_another_way() -> None:
    colour = shot().colour
    assert colour is not None
    found = compare(take(), take(colour=255 - colour))
    assert found.cause == DRAWN_OTHERWISE
    assert compare(take(), take()).cause == ""
    unknown = replace(take(), data=None)
    assert compare(unknown, take(colour=255 - colour)).cause == "", "nothing is known of the world"


def test_one_step_of_one_channel_of_one_pixel_fails_on_the_exact_renderer() -> None:
    colour = shot().colour
    assert colour is not None
    one = colour.copy()
    one[40, 50, 1] += 1
    layer = compare(take(), take(colour=one)).layer(COLOUR)
    assert layer.outcome is LayerOutcome.FAILED
    assert layer.words == (
        "1 of 6,144 pixels (0.0163 %) differ, by at most 1 of 255, most in the 32 x 32 pixels from x 32, y 32."
    )


def test_alpha_is_no_colour() -> None:
    assert compare(take(), take(**changed("colour", (..., 3), 0))).passed


def test_another_renderer_may_round_and_may_not_lose_a_block() -> None:
    colour = shot().colour
    assert colour is not None
    rounded = colour.copy()
    rounded[::2, ::2, :3] += 1
    expected = take(GPU)
    assert compare(expected, take(GPU, colour=rounded)).passed
    lost = colour.copy()
    lost[20:36, 10:26, :3] = 0
    layer = compare(expected, take(GPU, colour=lost)).layer(COLOUR)
    assert layer.outcome is LayerOutcome.FAILED
    assert layer.numbers["worst_tile"] > layer.numbers["worst_tile_most"]
    assert compare(expected, take(GPU, colour=lost), Tolerance(tile_flip=1.0)).passed


def test_without_flip_colours_of_unlike_renderers_are_skipped_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flip_evaluator", None)
    verdict = compare(take(GPU), take(GPU, **changed("colour", (0, 0), 0)))
    assert verdict.layer(COLOUR).outcome is LayerOutcome.SKIPPED
    assert "flip-evaluator is not installed" in verdict.layer(COLOUR).words
    assert verdict.passed, "the other layers still gate"
    assert compare(take(), take()).layer(COLOUR).outcome is LayerOutcome.PASSED, "exact ones need no package"


def test_no_picture_of_this_renderer_skips_colour_and_names_the_key() -> None:
    verdict = compare(take(colour=None), take(GPU))
    assert verdict.layer(COLOUR).outcome is LayerOutcome.SKIPPED
    assert "nvidia-550" in verdict.layer(COLOUR).words
    assert verdict.passed


@pytest.mark.parametrize(
    ("name", "value"), [("block", 2), ("face", 1), ("light", 0xE000), ("state", 8), ("mirror", 2), ("depth", 99.0)]
)
def test_off_edges_every_channel_is_exact_on_every_renderer(name: str, value: object) -> None:
    inside = np.s_[26:30, 2:6]
    verdict = compare(take(), take(GPU, **changed(name, inside, value)))
    layer = verdict.layer(SEMANTIC)
    if name in ("block", "face"):  # of the patch itself 2 x 2 pixels are off edges in both pictures
        assert layer.numbers[f"{name}_differing"] == 4
    else:
        assert layer.numbers[f"{name}_differing"] == 16
    assert layer.outcome is LayerOutcome.FAILED
    assert CHANNEL_NAMES.get(name, name) in layer.words
    assert verdict.changed_subchunks == (SubChunkPos(0, 3, 0),)


def test_sub_chunks_that_changed_come_by_their_pixels_then_by_x_y_z() -> None:
    """Blocks stand sixteen apart here; four pixels of each of three differ, and more of a fourth."""
    light, cell = shot().light, shot().cell
    assert light is not None
    assert cell is not None
    apart, spoilt = np.where(cell == NO_CELL, NO_CELL, cell * 16), light.copy()
    for patch in (np.s_[34:36, 34:36], np.s_[42:46, 50:54], np.s_[50:52, 2:4], np.s_[26:28, 2:4]):
        spoilt[patch] = 0x1000
    found = compare(take(cell=apart), take(cell=apart, light=spoilt)).changed_subchunks
    assert found == tuple(SubChunkPos(*at) for at in ((6, 55, 0), (0, 54, 0), (0, 57, 0), (4, 56, 0)))


def test_pixels_at_edges_are_counted_and_bounded() -> None:
    few, many = np.s_[30:40, 47:49], np.s_[16:64, 47:49]
    alike = compare(take(), take(GPU, **changed("block", few, 0)), Tolerance(edge_share=0.005))
    assert alike.layer(SEMANTIC).outcome is LayerOutcome.PASSED
    assert alike.layer(SEMANTIC).numbers["edges_differing"] == 20
    assert alike.changed_subchunks == ()
    other = compare(take(), take(GPU, **changed("block", many, 0)), Tolerance(edge_share=0.005))
    assert other.layer(SEMANTIC).outcome is LayerOutcome.FAILED
    assert "96 of them at edges of blocks, where 30 may (edge_share)" in other.layer(SEMANTIC).words


def test_a_border_of_two_like_blocks_is_an_edge_to_what_depends_on_the_cell() -> None:
    column = np.s_[20:40, 8]
    verdict = compare(take(), take(GPU, **changed("light", column, 0x1000)))
    assert verdict.layer(SEMANTIC).outcome is LayerOutcome.PASSED
    assert verdict.layer(SEMANTIC).numbers["edges_differing"] == 20
    for name, value in (("depth", 99.0), ("block", 2), ("face", 1)):  # of one block as of many
        patch = np.s_[20:40, 5:12]
        layer = compare(take(), take(GPU, **changed(name, patch, value))).layer(SEMANTIC)
        assert layer.numbers[f"{name}_differing"] == (20 * 7 if name == "depth" else 18 * 5)


def test_on_the_exact_renderer_a_change_at_an_edge_names_its_subchunk() -> None:
    assert compare(take(), take(**changed("block", (30, 48), 0))).changed_subchunks == (SubChunkPos(0, 3, 0),)


def test_on_the_exact_renderer_no_pixel_at_an_edge_may_differ() -> None:
    """A level of red light by day changes no colour: only the buffer of light tells it."""
    verdict = compare(take(), take(**changed("light", (30, 48), 0x1000)))
    assert verdict.layer(COLOUR).outcome is not LayerOutcome.FAILED
    assert verdict.layer(SEMANTIC).outcome is LayerOutcome.FAILED
    assert compare(take(), take(GPU, **changed("light", (30, 48), 0x1000))).passed


def test_depth_may_move_by_a_little() -> None:
    depth = shot().depth
    assert depth is not None
    assert compare(take(), take(GPU, depth=depth * np.float32(1.001))).passed
    assert not compare(take(), take(GPU, depth=depth * np.float32(1.1))).passed
    for scale in (np.float32(0.01), np.float32(50)):  # it is a share, near and far
        expected = take(GPU, depth=depth * scale)
        assert compare(expected, take(GPU, depth=depth * scale * np.float32(1.001))).passed
        assert not compare(expected, take(GPU, depth=depth * scale * np.float32(1.1))).passed


def test_depths_behind_the_eye_are_compared_as_those_before_it() -> None:
    """An orthographic picture has them, and some of nothing at all."""
    depth = shot().depth
    assert depth is not None
    behind = take(GPU, depth=-depth)
    assert compare(behind, take(GPU, depth=-depth * np.float32(1.001))).passed
    assert not compare(behind, take(GPU, depth=-depth * np.float32(1.1))).passed
    level = np.where(np.isfinite(depth), np.float32(0), depth)
    assert compare(take(GPU, depth=level), take(GPU, depth=level + np.float32(1e-3))).passed


def test_a_surface_where_there_was_none_is_no_little() -> None:
    for expected, actual in ((np.inf, 12.0), (12.0, np.inf)):
        verdict = compare(
            take(GPU, **changed("depth", np.s_[26:30, 2:6], expected)),
            take(GPU, **changed("depth", np.s_[26:30, 2:6], actual)),
        )
        assert verdict.layer(SEMANTIC).numbers["depth_differing"] == 16


def test_blocks_are_compared_by_what_they_are_not_by_their_rows() -> None:
    order = np.array([2, 0, 1])
    renamed = replace(PALETTE, names=np.array(NAMES)[np.argsort(order)])
    block = shot().block
    assert block is not None
    rows = np.where(block == NO_BLOCK, np.uint32(NO_BLOCK), order[np.minimum(block, 2)].astype(np.uint32))
    assert compare(take(), take(block=rows, mirror=rows, palette=renamed)).passed


def test_another_size_is_a_verdict_and_the_data_layer_still_judges() -> None:
    small = {name: array[:32] for name, array in shot().arrays.items()}
    verdict = compare(CapturedView(replace(shot(), size_px=(WIDTH, 32), **small), truth(), EXACT), take())
    assert [layer.outcome for layer in verdict.layers] == [
        LayerOutcome.PASSED,
        LayerOutcome.FAILED,
        LayerOutcome.FAILED,
    ]
    assert "96x32" in verdict.layer(COLOUR).words
    assert "96x64" in verdict.layer(SEMANTIC).words


def test_what_was_not_accepted_or_taken_is_skipped_and_said() -> None:
    nothing = CapturedView(Shot(shot().view, SIZE_PX), None, EXACT)
    for pair in ((nothing, take()), (take(), nothing)):
        verdict = compare(*pair)
        assert [layer.outcome for layer in verdict.layers] == [LayerOutcome.SKIPPED] * 3
        assert all(layer.words.endswith(".") for layer in verdict.layers)
        assert not verdict.passed, "nothing was compared"


def test_digests_stand_sorted_by_x_then_y_then_z() -> None:
    """Files hold steps from place to place, so another order would be another file."""
    places = [(2, 0, 0), (0, 5, 1), (0, 1, 9), (0, 1, 2)]
    assert Digests.of(np.array(places), np.arange(4, dtype=np.uint64)).positions.tolist() == sorted(map(list, places))


# ---------------------------------------------------------------- compare colour


@pytest.mark.parametrize(
    ("side", "starts"), [(1, [0]), (32, [0]), (33, [0, 1]), (64, [0, 32]), (90, [0, 32, 58]), (96, [0, 32, 64])]
)
def test_the_last_tile_is_moved_inward_not_cut(side: int, starts: list[int]) -> None:
    assert tile_starts(side) == starts


def test_the_worst_tile_is_found_where_it_is() -> None:
    errors = np.zeros((90, 70), np.float32)
    errors[70:74, 40:44] = 1.0
    tiles = tile_means(errors)
    assert tiles.shape == (3, 3)
    assert worst_tile(tiles, (70, 90)) == (pytest.approx(16 / 1024), 32, 58)


def test_a_picture_smaller_than_a_tile_is_one() -> None:
    assert tile_means(np.full((5, 7), 0.5, np.float32)).tolist() == [[0.5]]


def test_flip_errors_are_none_for_the_same_and_grow_with_the_difference() -> None:
    rng = np.random.default_rng(1)
    picture = rng.integers(0, 200, (40, 50, 3)).astype(np.uint8)
    assert not flip_errors(picture, picture).any()
    near, far = (flip_errors(picture, picture + np.uint8(step)).mean() for step in (2, 50))
    assert 0 < near < far <= 1


# ---------------------------------------------------------------- verdict

PASSED, FAILED, SKIPPED = LayerOutcome.PASSED, LayerOutcome.FAILED, LayerOutcome.SKIPPED


def verdict(*outcomes: LayerOutcome) -> Verdict:
    return Verdict(
        tuple(
            Layer(name, outcome, f"{name} {outcome.value}.", {})
            for name, outcome in zip((DATA, SEMANTIC, COLOUR), outcomes, strict=True)
        )
    )


@pytest.mark.parametrize(
    ("outcomes", "passed"),
    [
        ((PASSED, PASSED, PASSED), True),
        ((PASSED, PASSED, SKIPPED), True),
        ((PASSED, FAILED, PASSED), False),
        ((SKIPPED, SKIPPED, FAILED), False),
        ((SKIPPED, SKIPPED, SKIPPED), False),
    ],
)
def test_nothing_failed_and_something_was_compared(outcomes: tuple[LayerOutcome, ...], passed: bool) -> None:
    assert verdict(*outcomes).passed is passed


def test_the_words_are_of_what_failed_before_what_was_skipped() -> None:
    assert verdict(PASSED, FAILED, SKIPPED).words == "blocks in the picture: semantic failed."
    assert verdict(PASSED, PASSED, SKIPPED).words == "colours: colour skipped."
    assert verdict(PASSED, PASSED, PASSED).words == "All layers match."


def test_a_layer_is_found_by_its_name() -> None:
    assert verdict(PASSED, FAILED, SKIPPED).layer(SEMANTIC).outcome is FAILED
    with pytest.raises(KeyError):
        verdict(PASSED, FAILED, SKIPPED).layer("smell")


# ---------------------------------------------------------------- views

SEEN = {
    ("llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa/X.org", "4.5 (Core Profile) Mesa 22.3.6"): "llvmpipe-avx2-22",
    ("llvmpipe (LLVM 19.1.7, 256 bits)", "Mesa", "4.5 (Core Profile) Mesa 25.0.7-2"): "llvmpipe-avx2-25",
    ("softpipe", "Mesa/X.org", "3.3 (Core Profile) Mesa 22.3.6"): "softpipe-22",
    ("NVIDIA H100/PCIe/SSE2", "NVIDIA Corporation", "4.6.0 NVIDIA 550.54.15"): "nvidia-550",
    ("NVE7", "nouveau", "4.3 (Core Profile) Mesa 24.2.1"): "nouveau-24",
    ("AMD Radeon RX 6600 (radeonsi, navi23)", "AMD", "4.6 (Core Profile) Mesa 24.0.3"): "radeonsi-24",
    ("AMD Radeon RX 6600", "ATI Technologies Inc.", "4.6.0 Core Profile Context 23.10.2"): "amd-23",
    ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "Intel", "4.6 (Core Profile) Mesa 23.1.0"): "intel-23",
    ("Apple M1", "Apple", "4.1 Metal - 88"): "apple-88",
    ("zink Vulkan 1.3(NVIDIA A10)", "Collabora Ltd", "4.6 (Core Profile) Mesa 24.1.0"): "zink-24",
    ("Mystery-9000!", "", "4.1"): "mystery-0",
    ("", "", ""): "unknown-0",
}


@pytest.mark.parametrize(("strings", "key"), list(SEEN.items()))
def test_the_key_is_family_and_major_version(strings: tuple[str, str, str], key: str) -> None:
    renderer, vendor, driver = strings
    assert Renderer.of(Capabilities(330, renderer, vendor, driver, 0, 0, 0), avx2=True).key == key


def test_llvmpipe_without_avx2_is_another_family_and_never_exact() -> None:
    capabilities = Capabilities(450, "llvmpipe (LLVM 15.0.6, 128 bits)", "Mesa", "4.5 Mesa 22.3.6", 0, 0, 0)
    with_avx2, without = (Renderer.of(capabilities, avx2=avx2) for avx2 in (True, False))
    assert without.key == "llvmpipe-22"
    assert with_avx2.draws_exactly_as(with_avx2)
    assert not without.draws_exactly_as(without)
    assert not with_avx2.draws_exactly_as(without)


@pytest.mark.parametrize(
    ("flags", "capped", "expected"),
    [
        ("flags\t\t: fpu sse4_1 avx avx2 bmi2", None, True),
        ("flags\t\t: fpu sse4_1 avx avx2", "avx", True),
        ("flags\t\t: fpu sse4_1 avx avx2", "sse4.1", False),
        ("flags\t\t: fpu sse4_1 avx", None, False),
        ("flags\t\t: fpu avx2_of_another_kind", None, False),
        ("model name\t: avx2 in name only\nflags\t\t: fpu", None, False),
    ],
)
def test_avx2_is_what_the_cpu_has_and_mesa_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, capped: str | None, expected: bool
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    listed = tmp_path / "cpuinfo"
    listed.write_text(f"processor\t: 0\n{flags}\n")
    environment = {} if capped is None else {"GALLIUM_OVERRIDE_CPU_CAPS": capped}
    assert uses_avx2(environment, listed) is expected


def test_a_system_that_lists_no_flags_has_no_avx2(tmp_path: Path) -> None:
    assert not uses_avx2({}, tmp_path / "nothing")
