"""Whatever a server encodes, kernels and a plain decoder read alike; garbage is a fault and never a crash."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from net.arrays import BlockIds, Bytes
from net.errors import DecodeError
from net.kernels.jit import kernel, look_up
from net.subchunk import mask_kernels
from net.subchunk.biomes import read_biomes, write_tail
from net.subchunk.decode import NOT_UNIFORM, scan, scan_sequence, unpack
from net.subchunk.decode_kernels import SECTION
from net.subchunk.encode import SubChunkEncoder, subchunk
from net.subchunk.heights import HeightAnswer, column_surface, section_heights
from net.subchunk.legacy import indices_of
from net.subchunk.storage import SubChunkFault, words_of
from tests.support.reference import subchunk as twin

SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.sampled_from([1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 200, 256, 257, 1000, 4096])


def blocks_of(seed: int, count: int, highest: int) -> npt.NDArray[np.uint16]:
    """A sub-chunk of at most ``count`` distinct local ids, in runs."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(highest + 1)[:count].astype(np.uint16)
    return chosen[np.sort(rng.integers(0, len(chosen), 4096))] if seed % 2 else rng.choice(chosen, 4096)


def palette_of(seed: int, size: int) -> npt.NDArray[np.int64]:
    """Distinct runtime ids: small ones, and hashes of 32 bits."""
    rng = np.random.default_rng(seed)
    return rng.permutation(np.unique(rng.integers(0, 2**32, 2 * size, dtype=np.uint64))[:size]).astype(np.int64)


four_bits, three_bits, two_bits, one_bit = map(look_up, (4, 3, 2, 1))


@kernel("void(uint8[::1], int64, int64, int64, uint16[::1], uint16[::1], int64)")
def looked_up(buffer: Bytes, begin: int, bits: int, w: int, ids: BlockIds, out: BlockIds, o: int) -> None:
    words = buffer[begin : begin + 32].view(np.uint32)
    if bits == 4:
        four_bits(words, w, ids, out, o)
    elif bits == 3:
        three_bits(words, w, ids, out, o)
    elif bits == 2:
        two_bits(words, w, ids, out, o)
    else:
        one_bit(words, w, ids, out, o)


@given(SEEDS, st.integers(1, 4), st.integers(0, 8), st.integers(0, 4), st.integers(0, 40))
def test_a_vector_step_finds_the_id_of_each_index_and_writes_32(
    seed: int, bits: int, begin: int, w: int, o: int
) -> None:
    rng = np.random.default_rng(seed)
    buffer, ids = rng.integers(0, 256, 40, np.uint8), rng.integers(0, 65536, 1 << bits, np.uint16)
    out = rng.integers(0, 65536, 80, np.uint16)
    before = out.copy()
    looked_up(buffer, begin, bits, w, np.concatenate([ids, out[:16]]), out, o)
    words = buffer[begin : begin + 32].view(np.uint32).tolist()
    each = 32 // bits
    indices = [word >> k * bits & (1 << bits) - 1 for word in words[w:] for k in range(each)][: 32 // each * each]
    assert out[o : o + len(indices)].tolist() == ids[indices].tolist()
    np.testing.assert_array_equal(np.delete(out, np.s_[o : o + 32]), np.delete(before, np.s_[o : o + 32]))


@given(SEEDS, COUNTS, COUNTS, st.sampled_from([8, 9]))
@settings(max_examples=60, deadline=None)
def test_encoded_sub_chunks_are_read_as_they_were(seed: int, first: int, second: int, version: int) -> None:
    runtime_ids = palette_of(seed, 5000)
    layers = [blocks_of(seed, first, 4999), blocks_of(seed + 1, second, 4999)]
    data = subchunk(layers, runtime_ids, -4, version)
    read, end = twin.subchunk(data)
    assert end == len(data)
    if not layers[1].any():
        layers.pop()
    scanned = scan([data])
    assert scanned.status.tolist() == [SubChunkFault.NONE]
    assert scanned.ends.tolist() == [len(data)]
    assert scanned.rows[:, SECTION].tolist() == [-4 if version == 9 else -128]
    distinct, mapped = np.unique(scanned.palette, return_inverse=True)
    for layer, (ids, plain) in enumerate(zip(layers, read, strict=True)):
        np.testing.assert_array_equal(plain, runtime_ids[ids])
        out, flags = np.zeros((1, 4096), np.uint16), np.zeros(1, np.uint32)
        id_flags = np.arange(65536, dtype=np.uint32)
        uniform = unpack(
            scanned, np.array([0]), layer, np.zeros(1, np.int32), mapped.astype(np.uint16), id_flags, out, flags
        )
        np.testing.assert_array_equal(distinct[out[0]], runtime_ids[ids])
        assert (uniform[0] == NOT_UNIFORM) == (len(np.unique(ids)) > 1)
        assert flags[0] == np.bitwise_or.reduce(np.unique(out))


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_a_column_is_the_same_one_by_one_and_in_sequence(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layer0 = np.stack([blocks_of(seed + i, int(rng.integers(1, 40)), 99) for i in range(6)])
    layer0[rng.integers(0, 6)] = 0
    runtime_ids = palette_of(seed, 100)
    payloads = SubChunkEncoder(runtime_ids).encode(layer0, None, 0)
    assert [not payload for payload in payloads] == [not ids.any() for ids in layer0]
    sent = [payload for payload in payloads if payload]
    apart, together = scan(sent), scan_sequence(b"".join(sent), len(sent))
    np.testing.assert_array_equal(apart.ends, together.ends)
    np.testing.assert_array_equal(apart.palette, together.palette)
    for section, payload in enumerate(payloads):
        assert payload == (subchunk([layer0[section]], runtime_ids, section) if payload else b"")


@given(st.binary(max_size=600), st.integers(0, 20), SEEDS)
@settings(max_examples=200, deadline=None)
def test_garbage_is_a_fault_or_reads_within_its_bytes(noise: bytes, cut: int, seed: int) -> None:
    good = subchunk([blocks_of(seed, 5, 9)], np.arange(10, dtype=np.int64), 0)
    rng = np.random.default_rng(seed)
    broken = bytearray(good)
    for at in rng.integers(0, min(len(good), 40), 3):
        broken[at] = rng.integers(0, 256)
    entries = [b"\x09\x01\x00" + noise, bytes(broken), good[: len(good) - cut], good]
    scanned = scan(entries)
    assert scanned.status[3] == SubChunkFault.NONE
    assert ((scanned.ends >= scanned.starts) & (scanned.ends <= scanned.limits)).all()
    chosen = np.flatnonzero((scanned.layers > 0) & ~scanned.legacy())
    out, flags = np.zeros((4, 4096), np.uint16), np.zeros(4, np.uint32)
    mapped = np.minimum(scanned.palette, 9).astype(np.uint16)
    uniform = unpack(scanned, chosen, 0, chosen.astype(np.int32), mapped, np.zeros(65536, np.uint32), out, flags)
    assert (out[3] == blocks_of(seed, 5, 9)).all()
    sound = chosen[uniform >= NOT_UNIFORM]
    assert (out[sound] <= 9).all()


@given(SEEDS, st.sampled_from([0, 1, 2, 3, 4, 5, 6, 8, 16]))
@settings(max_examples=40, deadline=None)
def test_indices_by_numpy_are_those_by_the_definition(seed: int, bits: int) -> None:
    words = np.random.default_rng(seed).integers(0, 2**32, words_of(bits), dtype=np.uint64).astype("<u4")
    expected = [0] * 4096
    if bits:
        per_word = 32 // bits
        expected = [int(words[i // per_word]) >> i % per_word * bits & ((1 << bits) - 1) for i in range(4096)]
    assert indices_of(words, bits).tolist() == expected


@given(SEEDS, COUNTS)
@settings(max_examples=40, deadline=None)
def test_masks_and_kinds_are_those_of_the_definition(seed: int, count: int) -> None:
    liquid, placeholder, opaque = 20, 30, 31
    rng = np.random.default_rng(seed)
    blocks = np.zeros((3, 4096), np.uint16)
    low = int(rng.integers(0, 45))
    blocks[1] = low + blocks_of(seed, count, int(rng.integers(0, 45 - low)))
    masks = [np.full((3, 256), 0xABCD, np.uint16) for _ in range(3)]
    kinds = np.full(3, 0x55, np.uint8)
    slots = np.array([1, 0], np.int32)
    mask_kernels.derive(blocks, slots, liquid, placeholder, opaque, *masks, kinds)
    for slot in (0, 1):
        ids = blocks[slot]
        solid = ids >= placeholder
        np.testing.assert_array_equal(masks[0][slot], twin.column_masks(solid))
        np.testing.assert_array_equal(masks[1][slot], twin.column_masks((ids >= liquid) & ~solid))
        np.testing.assert_array_equal(masks[2][slot], twin.column_masks((ids > 0) & (ids < liquid)))
        assert kinds[slot] == twin.kinds(ids, liquid, placeholder, opaque)
    assert kinds[2] == 0x55
    assert (masks[0][2] == 0xABCD).all()


@given(SEEDS, COUNTS)
@settings(max_examples=20, deadline=None)
def test_wet_cells_of_second_layers_are_those_of_liquids(seed: int, count: int) -> None:
    layer1 = np.zeros((3, 4096), np.uint16)
    layer1[2] = blocks_of(seed, count, 45)
    wet = np.full((3, 256), 0xABCD, np.uint16)
    mask_kernels.derive_wet(layer1, np.array([2, 0], np.int32), 20, 30, wet)
    np.testing.assert_array_equal(wet[2], twin.column_masks((layer1[2] >= 20) & (layer1[2] < 30)))
    assert not wet[0].any()
    assert (wet[1] == 0xABCD).all()


@given(SEEDS, st.integers(1, 40), st.integers(1, 26))
@settings(max_examples=40, deadline=None)
def test_biomes_are_read_as_they_were_written(seed: int, count: int, sections: int) -> None:
    surface = np.random.default_rng(seed).integers(0, count, 256).astype(np.uint16)
    tail = write_tail(surface, sections)
    biomes = read_biomes(tail, 25)
    assert (len(biomes), biomes.end) == (sections, len(tail))
    for section in (0, sections - 1):
        np.testing.assert_array_equal(biomes.section(section), np.repeat(surface, 16))
    assert (biomes.section(sections) == 65535).all()
    assert biomes.sources(sections + 1).tolist() == [0] * sections + [-1]


@given(
    st.binary(max_size=300) | st.text("\0\x02\x04\x0a", max_size=130).map(str.encode), st.none() | st.integers(0, 30)
)
@settings(max_examples=300, deadline=None)
def test_garbage_for_biomes_is_an_error_with_its_place_or_is_read(noise: bytes, inline: int | None) -> None:
    try:
        biomes = read_biomes(noise, 24, inline_count=inline)
    except DecodeError as raised:
        error: DecodeError | None = raised
    else:
        error = None
        assert biomes.end <= len(noise)
        assert all(biomes.section(section).shape == (4096,) for section in range(-1, 26))
        for section, source in enumerate(biomes.sources(26).tolist()):
            assert (source < 0) == (section >= len(biomes))
            assert (biomes.section(section) == biomes.section(source)).all()
    assert error is None or 0 <= error.offset <= len(noise)


@given(SEEDS, st.floats(0, 0.02))
@settings(max_examples=30, deadline=None)
def test_surfaces_and_section_heights_follow_the_blocks(seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    layer0 = ((rng.random((4, 4096)) < density) * rng.integers(1, 4, (4, 4096))).astype(np.uint16)
    layer1 = ((rng.random((4, 4096)) < density / 4) * 3).astype(np.uint16)
    stops = np.array([False, True, False, True])
    tops = column_surface(layer0, layer1, stops)
    blocking = (stops[layer0] | stops[layer1]).reshape(4, 16, 16, 16)
    for x, z in rng.integers(0, 16, (8, 2)):
        ys = [16 * s + y for s in range(4) for y in range(16) if blocking[s, x, z, y]]
        assert tops[z << 4 | x] == max(ys, default=-1) + 1
    for section in range(4):
        kind, values = section_heights(tops, section)
        relative = tops - 16 * section
        if kind is HeightAnswer.DATA:
            assert values == np.clip(relative, -1, 16).astype(np.int8).tobytes()
        else:
            assert values is None
            assert ((relative < 0) if kind is HeightAnswer.ALL_TOO_LOW else (relative > 15)).all()


@pytest.mark.parametrize("layer", [0, 1])
def test_an_id_that_the_wire_has_no_number_of_is_refused_before_anything_is_written(layer: int) -> None:
    layers = [np.zeros((2, 4096), np.uint16), np.zeros((2, 4096), np.uint16)]
    layers[layer][1, 4095] = 3
    encoder = SubChunkEncoder(np.array([5, 6, 7], np.int64))
    with pytest.raises(ValueError, match="local id 3 is not one of the 3 known ids"):
        encoder.encode(*layers, 0)
    layers[layer][1, 4095] = 2
    assert encoder.encode(*layers, 0)[1] != b""
