"""The page that a frame shows, compressed, and the script that makes the frame."""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256

from unmask.paths import ASSETS
from unmask.ui.player import player

EXPORT = re.compile(r"^export ", re.MULTILINE)


@cache
def packed_page() -> str:
    """The player as base64 of gzip: 250 KB, which `assets/hosts/page.js` unpacks."""
    return b64encode(gzip.compress(player().encode(), 9, mtime=0)).decode()


@cache
def version() -> str:
    """A name for this very page: pages of two versions are kept apart in a browser."""
    return sha256(packed_page().encode()).hexdigest()[:12]


def script(*names: str, exports: bool = False) -> str:
    """Scripts of `assets` as one, which imports nothing; without `exports`, as the body of a function."""
    text = "\n".join((ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return text if exports else EXPORT.sub("", text)
