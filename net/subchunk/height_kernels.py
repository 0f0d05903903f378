"""Height maps: what an answer says about daylight, and what a server computes from blocks."""

from numba import int64

from net.space.jit import kernel
from net.space.layout import BlockIds, Bytes
from net.subchunk.arrays import HeightMaps, Numbers


@kernel("void(int8[:,::1], uint16[:,::1])")
def open_tops(heights: HeightMaps, sky_top: BlockIds) -> None:
    """Which top cells daylight reaches: a column whose surface value is at most 15 is open above it.

    Args:
        heights: int8[n, 256] by z << 4 | x.
        sky_top: uint16[n, 16], written: bit z of row x.
    """
    for i in range(heights.shape[0]):
        for x in range(16):
            bits = int64(0)
            for z in range(16):
                if heights[i, z << 4 | x] <= 15:
                    bits |= int64(1) << z
            sky_top[i, x] = bits


@kernel("void(uint16[:,::1], uint16[:,::1], uint8[::1], int64[::1])")
def surface(layer0: BlockIds, layer1: BlockIds, stops_light: Bytes, tops: Numbers) -> None:
    """Top light-blocking block of each block column + 1, in blocks from the floor; 0 where there is none.

    Args:
        layer0: uint16[sections, 4096] local ids.
        layer1: uint16[sections or 0, 4096] second layer.
        stops_light: uint8[local ids] 1 for blocks that count.
        tops: int64[256] by z << 4 | x, written.
    """
    two = layer1.shape[0] > 0
    for x in range(16):
        for z in range(16):
            top = int64(0)
            base = x << 8 | z << 4
            for section in range(layer0.shape[0] - 1, -1, -1):
                for y in range(15, -1, -1):
                    blocks = stops_light[layer0[section, base | y]] | (two and stops_light[layer1[section, base | y]])
                    if blocks:
                        top = section * 16 + y + 1
                        break
                if top:
                    break
            tops[z << 4 | x] = top
