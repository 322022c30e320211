"""Where a text that is being written is in a text that was predicted for it, also after words that differ."""

from __future__ import annotations

from collections.abc import Sequence

FIRST, MOST = 16, 64  # predicted tokens that are read at once: at the beginning, and at most
TRIED = 4  # where it is not sure that the text goes on as predicted
PATIENCE = 4  # differences in a row after which only a word of the prediction is a reason to go on
SURE = 3  # tokens in a row that agree: what is before them in the prediction is not searched again
NEAR = 16  # a single word is a reason to go on at it if it is so near
COMPARED = 8  # tokens before a place that are compared, to choose among places


class Follower:
    """Follows a text, token by token. `text` is what was predicted; the first token may have another form `first`,
    with a space before it."""

    def __init__(self, text: Sequence[int], otherwise: Sequence[int] = ()) -> None:
        self.forms = tuple(text), tuple(otherwise)
        self.restart()

    def restart(self) -> None:
        """Begin anew, with an empty answer."""
        self._use(self.forms[0])
        self.answer: list[int] = []
        self.at = self.settled = 0  # the predicted token that comes next; those before `settled` are not searched
        self.run = self.missed = 0  # tokens in a row that agreed, or differed
        self.matched = SURE  # tokens before the place that agree, where the text was found again
        self.agreed: set[int] = set()  # the places of all that agreed

    def _use(self, text: Sequence[int]) -> None:
        self.text = text
        self.places: dict[int, list[int]] = {}
        for place, token in enumerate(text):
            self.places.setdefault(token, []).append(place)

    def follow(self, tokens: Sequence[int]) -> None:
        """The answer up to now; nothing is computed again for the tokens that were there the last time."""
        known = len(self.answer)
        if list(tokens[:known]) != self.answer:
            self.restart()
            known = 0
        for token in tokens[known:]:
            self._next(int(token))

    def _next(self, token: int) -> None:
        other = self.forms[1]
        if not self.answer and other and token == other[0] and token != self.text[0]:
            self._use(other)
        self.answer.append(token)
        if self.at < len(self.text) and self.text[self.at] == token:
            self.agreed.add(self.at)
            self.at, self.run = self.at + 1, self.run + 1
            if self.run > 1:
                self.missed = 0
            if self.run >= SURE:
                self.settled = self.at
            return
        self.run, self.missed, self.matched = 0, self.missed + 1, 0
        found = [(-self._alike(place), abs(place - self.at), place) for place in self._later(token)]
        alike, far, place = min(found, default=(0, 0, -1))
        if alike <= -2 or (place >= 0 and far <= NEAR):
            self.agreed.add(place)
            self.at, self.matched, self.run = place + 1, -alike - 1, 1
        else:  # perhaps one word is another
            self.at = min(self.at + 1, len(self.text))

    def _later(self, token: int) -> list[int]:
        return [place for place in self.places.get(token, ()) if place >= self.settled][:MOST]

    def _alike(self, place: int) -> int:
        """How many tokens up to a place agree with the last ones of the answer."""
        count = 0
        while count < min(COMPARED, place + 1, len(self.answer)) and (
            self.text[place - count] == self.answer[-1 - count]
        ):
            count += 1
        return count

    @property
    def sure(self) -> bool:
        """Whether the text goes on as predicted, as far as one can tell."""
        return self.run + self.matched >= SURE

    def ahead(self) -> Sequence[int]:
        """The predicted tokens to read along now."""
        if self.sure:
            many = min(max(FIRST, 2 * self.run), MOST)
        else:
            many = TRIED if self.run + self.matched > 1 or self.missed <= PATIENCE else 0
        return self.text[self.at : self.at + many]
