"""Whatever a model or a file spells is text on the page: letters of every plane, and markup by chance."""

import random
import unicodedata
from pathlib import Path

from tests.browser.recorded import pair
from tests.browser.steps import side, stop_at
from tests.browser.visit import Visitor

ALPHABET = "<>&\"'`${}()/\\=;:!-" + "".join(
    map(chr, (0x00, 0x07, 0x1B, 0x7F, 0x9B, 0xAD, 0x200B, 0x200D, 0x202E, 0x2066, 0xFEFF))
)
MARKUP = (
    "<script>",
    "</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "{{7*7}}",
    "<!--",
    "]]>",
    "&lt;",
)


def words(seed: int, many: int) -> list[str]:
    """Letters of every plane, and now and then something that would be markup."""
    rng, made = random.Random(seed), []
    while len(made) < many:
        letters = [chr(rng.choice((rng.randrange(0x110000), rng.randrange(0x3000)))) for _ in range(rng.randint(1, 6))]
        letters += rng.choices(ALPHABET, k=rng.randint(0, 3)) + rng.choices(MARKUP, k=rng.randint(0, 1))
        rng.shuffle(letters)
        made.append("".join(c for c in "".join(letters) if unicodedata.category(c) != "Cs"))
    return made


def test_any_text_is_only_text_on_the_page(visitor: Visitor, rerecorded: Path) -> None:
    """No script, dialog, element or request comes of it: whoever visits notes each, and the test then fails."""
    pair(rerecorded, words=words(7, 50))
    page = visitor.open(reduced_motion="reduce")
    stop_at(page, 3)
    page.get_by_role("button", name="To the end").click()
    for cell in (6, 9):
        side(page).locator(".cell").nth(cell).click()
        assert page.locator(".inspector").is_visible()
    assert page.title() == "Unmask"
    assert page.locator("unmask-stage :is(script, img, iframe, object, embed, b, a[href^='javascript'])").count() == 0
    assert len(side(page).locator(".cell > span").all_text_contents()) > 10
