"""Renders a canvas in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unmask.canvas import Canvas
from unmask.canvas.text import printable


class Screen:
    """Live display of a canvas: tokens coloured by their confidence when written, guesses dim."""

    def __init__(self, piece: Callable[[int], str], ends: Sequence[int], quiet: bool) -> None:
        self.piece: Callable[[int], str] = lambda token: "∎" if token in ends else printable(piece(token))
        self.quiet, self.sure, self.ends = quiet, dict[int, float](), {*ends}

    def __enter__(self) -> Screen:
        if not self.quiet:
            from rich.console import Console
            from rich.live import Live

            self.live = Live(console=Console(highlight=False), auto_refresh=False, vertical_overflow="visible")
            self.live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if not self.quiet:
            self.live.__exit__(*error)
            if not self.live.console.is_terminal:  # otherwise rich leaves the last line without a line break
                self.live.console.print()

    def show(self, canvas: Canvas, frame: Any) -> None:
        """Show a canvas, and the pass that led to it."""
        if self.quiet:
            return
        from rich.text import Text

        if frame is not None:
            self.sure |= dict(zip(frame.cells.tolist(), frame.confidence.tolist(), strict=True))
        text, before = Text(), -1
        finished = not canvas.open.any()
        for cell in range(len(canvas)):
            token = int(canvas.tokens[cell])
            if finished and token in self.ends and not canvas.given[cell:].any():
                break  # what stands after the end is not part of the text
            # one sign for the end of text, not one for each cell after it
            if token in self.ends and before in self.ends:
                continue
            before = token
            if canvas.given[cell]:
                text.append(self.piece(token))
            elif canvas.open[cell] and token < 0:
                guess = int(frame.guess[cell]) if frame is not None else -1
                text.append(self.piece(guess).replace("\n", "⏎") if guess >= 0 else " ░", style="dim")
            elif canvas.pinned[cell]:
                text.append(self.piece(token), style="bold magenta")
            else:
                sure = self.sure.get(cell, 0)
                style = "green" if sure >= 0.9 else "cyan" if sure >= 0.6 else "yellow"
                text.append(self.piece(token), style=f"dim {style}" if canvas.open[cell] else style)
        if frame is not None:
            total = max(int(canvas.answer.sum()), 1)
            share = 1 - frame.open / total
            bar = "━" * round(30 * share) + "─" * (30 - round(30 * share))
            text.append(f"\n{bar} pass {frame.step + 1}, wrote {len(frame.cells)}, open {frame.open}", style="dim")
        self.live.update(text, refresh=True)
