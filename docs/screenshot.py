#!/usr/bin/python3
"""Draw a terminal's screen as a picture: reads `tmux capture-pane -e -p`, writes a PNG.

usage: docs/screenshot.py COLUMNS ROWS FILE.png <screen
"""
import sys

from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

FONTS = "DejaVuSansMono{}.ttf"
SIZE, CELL_W, CELL_H = 20, 12, 23  # the font: 12.04 × 23.3 pixels at this size
MARGIN = 16
PAPER, INK = (24, 26, 31), (208, 211, 216)
HUES = [(224, 108, 117), (152, 195, 121), (229, 192, 123), (97, 160, 239), (198, 120, 221),
        (86, 182, 194)]  # red, green, yellow, blue, magenta, cyan
THEME = TerminalTheme(PAPER, INK, [PAPER, *HUES, INK], [(132, 139, 152), *HUES, INK])
BLOCK_H = CELL_H - 2
BRAILLE = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]  # by bit
EIGHTHS_UP, EIGHTHS_LEFT = "▁▂▃▄▅▆▇█", "▏▎▍▌▋▊▉"


def colours(style):
    """The ink and the paper of a piece of text."""
    ink = style.color.get_truecolor(THEME) if style.color else INK
    paper = style.bgcolor.get_truecolor(THEME, foreground=False) if style.bgcolor else PAPER
    if style.reverse:
        ink, paper = paper, ink
    if style.dim:
        ink = tuple((3 * a + 2 * b) // 5 for a, b in zip(ink, paper))
    return tuple(ink), tuple(paper)


def draw_character(draw, x, y, character, ink, font):
    """Blocks and dots touch their neighbours to the left and right, which no font promises."""
    if character == "█":
        draw.rectangle((x, y, x + CELL_W - 1, y + CELL_H - 1), fill=ink)
    elif character in EIGHTHS_UP:
        top = y + CELL_H - BLOCK_H * (EIGHTHS_UP.index(character) + 1) // 8
        draw.rectangle((x, top, x + CELL_W - 1, y + CELL_H - 1), fill=ink)
    elif character in EIGHTHS_LEFT:
        right = x + round(CELL_W * (EIGHTHS_LEFT.index(character) + 1) / 8)
        draw.rectangle((x, y + CELL_H - BLOCK_H, right - 1, y + CELL_H - 1), fill=ink)
    elif "\u2800" <= character <= "\u28ff":
        for bit, (column, row) in enumerate(BRAILLE):
            if (ord(character) >> bit) & 1:
                dot_x, dot_y = x + column * CELL_W // 2 + 1, y + row * CELL_H // 4 + 1
                draw.ellipse((dot_x, dot_y, dot_x + 3, dot_y + 3), fill=ink)
    elif character != " ":
        draw.text((x, y), character, fill=ink, font=font)


def draw_row(draw, fonts, y, segments):
    x = MARGIN
    for segment in segments:
        style = segment.style or Style.null()
        ink, paper = colours(style)
        width = len(segment.text) * CELL_W
        draw.rectangle((x, y, x + width - 1, y + CELL_H - 1), fill=paper)
        for character in segment.text:
            draw_character(draw, x, y, character, ink, fonts[bool(style.bold)])
            x += CELL_W


def main():
    columns, rows, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    picture = Image.new("RGB", (columns * CELL_W + 2 * MARGIN, rows * CELL_H + 2 * MARGIN), PAPER)
    draw = ImageDraw.Draw(picture)
    fonts = [ImageFont.truetype(FONTS.format(kind), SIZE) for kind in ("", "-Bold")]
    console = Console(color_system="truecolor", force_terminal=True)
    for row, line in enumerate(sys.stdin.read().split("\n")[:rows]):
        text = Text.from_ansi(line)
        segments = [s for s in text.render(console) if s.text != "\n"]
        draw_row(draw, fonts, MARGIN + row * CELL_H, segments)
    picture.quantize(64).save(path, optimize=True)


main()
