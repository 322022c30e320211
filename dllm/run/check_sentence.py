"""What came of the checks of a run, in a sentence or two."""

from __future__ import annotations

from collections.abc import Iterable

NUMBERS = ("", "once", "twice", "three times", "four times", "five times", "six times")


def check_sentences(findings: Iterable[tuple[int, str, str, str]]) -> str:
    """How often something was reopened, what stays, and why it ended; `findings` are those of a `State`."""
    rows = list(findings)
    reopened = [row for row in rows if row[3] == "reopened"]
    stands, left = ({row[1:3] for row in rows if row[3] == outcome} for outcome in ("stands", "left"))
    failed = [why for *_, why, outcome in rows if outcome == "failed"]
    mended = {row[1:3] for row in reopened} - stands - left
    parts = ["The checks found nothing."] if not reopened and not stands and not left else []
    if reopened:
        many = len(reopened)
        often = NUMBERS[many] if many < len(NUMBERS) else f"{many} times"
        parts.append(f"Reopened {often}: {len(mended)} {'places are' if len(mended) != 1 else 'place is'} mended.")
    if stands:
        parts.append(f"Found again and again, or not the model's to change, so it stays: {_reasons(stands)}.")
    if left:
        parts.append(f"All rounds were used, so this stays: {_reasons(left)}.")
    elif reopened or stands:
        parts.append("Nothing else was found.")
    return " ".join([*parts, *(f"{why[:1].upper()}{why[1:]}; it was left out." for why in failed)])


def _reasons(found: Iterable[tuple[str, str]]) -> str:
    return "; ".join(sorted(why for _, why in found))
