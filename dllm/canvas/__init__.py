"""The canvas: a row of cells that hold tokens, the text it is built from, and the card of its model."""

from unmask.canvas.canvas import NOTHING, Bools, Canvas, Floats, Ints, blank
from unmask.canvas.card import NO_VALUES, BaseTokenizer, Card
