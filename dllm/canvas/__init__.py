"""What is on the canvas: cells, the text they are made from, and what a canvas must know of its model."""

from unmask.canvas.canvas import NOTHING, Bools, Canvas, Floats, Ints, blank
from unmask.canvas.card import BaseTokenizer, Card
