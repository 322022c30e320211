"""What is on the canvas: cells, the text they are made from, and what a canvas must know of its model."""

from dllm.canvas.canvas import NOTHING, Bools, Canvas, Floats, Ints, blank
from dllm.canvas.card import Card, Speller
from dllm.canvas.refused import Refused
