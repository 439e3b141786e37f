#!/usr/bin/env python3
"""Prints the advance widths that benchmarks/show/figure/text_width.cpp holds, in thousandths of the font's size.

Liberation Sans has the widths of Arial and Helvetica, which figures ask for. Needs fontTools (Debian: python3-fonttools).

Usage: text_widths.py FONT.ttf, such as /usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf
"""

import sys

from fontTools.ttLib import TTFont

font = TTFont(sys.argv[1])
glyphs, advances, units = font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm
widths = [round(advances[glyphs[code]][0] * 1000 / units) for code in range(0x20, 0x7F)]
for row in range(0, len(widths), 16):
    print("    " + " ".join(f"{width}," for width in widths[row:row + 16]))
