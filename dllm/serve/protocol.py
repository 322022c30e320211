"""What a program may say on /ws and what it hears, written from the message types: `python -m dllm.serve.protocol`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from dllm.run.command import EDITS, TRANSPORT
from dllm.run.event import NAMES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"

# What only this door understands.
OPENING: Mapping[str, tuple[str, str]] = {
    "open": (
        "`sides` (1 to 4 of `{model, preset?, settings?, length?, edits?}`), `prompt`, `length` = 96, "
        "`seed` = 0, `play` = false, `slow`, `pace`, `entropy` = false, `id?`",
        "Start a session for each side, all on one prompt; its blanks (`___`, `[MASK:6]`), if any, are what is filled. "
        "`edits` are pairs of a moment and an edit that leads to it, made when the run comes there.",
    ),
    "resume": (
        "`session`, `key`, `after` = 0, `entropy` = false",
        "Follow a session, or take it up again after a lost line: what was missed since message `after`, or a "
        "snapshot. Answered by `allowed`: the key says whether you may watch, steer or own.",
    ),
    "close": ("`session`", "End a session for good; its owner may."),
    "followers": ("`session`", "Who follows a session now, and what each may do; its owner may ask."),
    "give": (
        "`session`, `to`, `right` (`watch` or `steer`)",
        "Let one of the `followers` steer, or no longer, while that connection lasts; its owner may. A steer key that "
        "is taken back opens nothing any more.",
    ),
    "plan": (
        "an order: `prompt`, `model`, `length`, `preset`, `changes`, `seed`, `suffix`; `id?`",
        "What an order would mean, answered by `planned` with its settings and the plan of its passes.",
    ),
    "history": (
        "`session`",
        "How the present branch came to be, answered by `history` with its events, for latecomers.",
    ),
    "compare": (
        "`session`, `one?`, `two?` (names of branches), `ref?`",
        "The tree of branches; and of two, what differs since when and the edits on each; answered by `compare`.",
    ),
    "script": ("`session`", "The present branch as a Python script that runs it again, answered by `script`."),
    "clash": (
        "`session`, `at` = -1, `cell?`, `beside` = 0, `ref?`",
        "How the words that the next pass would write suit each other, and so many of the other guesses `beside` them, "
        "each tried alone; with a `cell`, how its word suits every open one. Answered by `clash`, as the next four are "
        "by their own names; nothing is changed.",
    ),
    "paid": ("`session`, `ref?`", "Nats paid for writing words at once, pass by pass."),
    "why": (
        "`session`, `cell`, `at` = -1, `ref?`",
        "How much of a written word's likelihood each other written word gives it, every one opened again in turn.",
    ),
    "layers": (
        "`session`, `cell`, `at` = -1, `ref?`",
        "At which layer and after which pass the model knew the word in a cell; for the embedded pair.",
    ),
    "validity": (
        "`session`, `at` = -1, `ref?`",
        "How likely the text would be valid if everything were written now without the constraint, and the states "
        "alive before each cell.",
    ),
    "familiar": (
        "`prompt`, `models` (1 to 4 names); `id?`",
        "Whether the prompt is of a kind that the models know, answered by `familiar`; nothing is run.",
    ),
    "judge": (
        "`prompt`, `text` (the whole, prompt included); `id?`",
        "How many facts of a text agree, where the judge of our own worlds can read it; answered by `judged`.",
    ),
    "class": (
        "nothing; or `room`, `key` to take it up again",
        "Open a class, answered by `class` with its code, its `key`, and from then on who sits in it. What "
        "follows down to `dismiss` is for the one who presents it.",
    ),
    "show": ("`sessions` (at most two of your own)", "Whose runs the class sees from now on."),
    "view": (
        "`axis` (`clock` or `pass`), `place`, `playing`, `following`, `speed` = 0",
        "The moment you look at: everybody who follows looks there too.",
    ),
    "freeze": ("`on`", "While it is on, everybody looks at the presenter's moment, and nobody else steers."),
    "hand": ("`to` (a seat), `right` (`watch` or `steer`)", "The pins to one who follows, or back."),
    "question": (
        "`kind` (`cell` or `word`), `session`, `cell` = -1",
        "Ask which cell is written next, or which word comes into a cell. The tally is told when the pass comes.",
    ),
    "reveal": ("", "Tell the tally now."),
    "dismiss": ("", "End the class; nothing of it is kept."),
    "enter": (
        "`room`, `name` = , `seat` = ",
        "Follow a class by its code; with the key of a `seat`, as the same person as before. Answered by `entered`, "
        "`class` and the `history` of each of its runs, whose events follow.",
    ),
    "answer": ("`value` (a cell or a word)", "Answer what is asked; a later answer takes the place of the first."),
    "leave": ("", "Leave the class."),
}
# Words instead of token numbers, spelled as they would stand there.
WORDED = {"pin": "`at`, `text`", "ban": "`text`, `lift?`", "boost": "`text`, `amount?`"}
EXTRAS: Mapping[str, str] = {
    "session": "whose it is",
    "n": "its number in the session; say the last one seen on `resume`",
    "side": "which of the sides of `open`, from 0 (on `opened`)",
    "right": "what you may do: `watch`, `steer` or `own` (on `opened` and `allowed`)",
    "follower": "your own name among those who follow the session (on `opened` and `allowed`)",
    "keys": "the keys that you may pass on, by right; `resume` takes any of them (on `opened` and `allowed`)",
    "allowed": "the answer to `resume`, and told again when its owner changed what you may do",
    "followers": "the answer to `followers`: `rights`, by the followers' names",
    "id": "the `id` of the request it answers",
    "pieces": "how token numbers are spelled, each told once a session",
    "shared": "others had the device too, so the times are not the session's own",
    "beat": "a sign of life every 15 s",
    "planned": "the answer to `plan`: `settings`, and `plan` with `passes` at most, `quotas` and `blocks`",
    "familiar": "the answer to `familiar`: `known`, and where a limit was found for these weights `strange` and "
    "`limit`, in nats",
    "clash": "`cells` and `tokens` with their probabilities `sure`; the first `coming` of them the next pass writes, "
    "and `product` is the product of theirs; for each one `tried` "
    "`lift`: log p(word | it stands) − log p(word); and `nats`, what writing them all at once would cost",
    "paid": "`nats`: pairs of a moment and what its pass paid",
    "why": "`share`, what the word is given by all the others, and of the `others` in `nats` how much each gives it",
    "layers": "after the moments `at`, what each layer gives the word (`share`) and what it would say itself (`best`)",
    "validity": "`chance`; from the cell `begins` on, `live` states before each cell and behind the last, and words "
    "`allowed`",
    "compare": "the answer to `compare`: `branches` (`name`, `end`, the branch `left`, and the last moment shared with "
    "it, `since`); of two, the `changed` cells by lasting name with the passes after which each differs for good",
    "script": "the answer to `script`: `text`, with the authors' own call where the decoder is a published one",
    "judged": "the answer to `judge`: `facts`, how many of them `hold`, `strict`, and `reasons`",
    "history": "the answer to `history`: `events`, and `n`, the number of the last of them",
    "class": "how a class stands: `room`, `people`, `presented`, `sides`, `view`, `frozen`, `question` (with how many "
    "`answers`), and of the last one `revealed`: its `tally`, the `right` answers and how many are `correct`; for the "
    "one who presents also `presents`, `key` and `seats`",
    "entered": "a seat in a class: its key `seat`, your name there `you`, `name` and `right`",
    "view": "the moment that the presenter looks at",
    "answered": "your answer as it counts: `value`",
    "dismissed": "the class is over",
    "loading": "a model is being opened; how many bytes of a download are here",
}
FRAME: Mapping[str, str] = {
    "at": "the moment this pass leads to",
    "ms": "milliseconds: thinking, everything else, device time so far",
    "step": "passes before this one",
    "block": "the present block",
    "turn": "passes spent in this block before",
    "quota": "cells the schedule asked for",
    "cost": "forwards; guidance takes two",
    "open": "cells still open",
    "done": "nothing more will come",
    "w": "cells written",
    "t": "their tokens",
    "c": "their confidences",
    "why": "`[sentence, cells, numbers]`, where a number stands for `{}`",
    "was": "what stood there before, -1 where it was open; absent where nothing was rewritten",
    "x": "cells taken back",
    "noise": "tokens of every cell, packed, for models without a mask",
    "stale": "passes since an approximate cache saw each cell, packed",
    "g": "the guess in every cell, packed; absent where unchanged",
    "e": "the entropy in every cell in 32nds of a nat, packed; only where `entropy` was asked for",
    "s": "its probability in 255ths, packed; absent where unchanged",
}


def protocol() -> str:
    """The whole page."""
    return "\n".join(
        [
            "# The socket",
            "",
            "<!-- written by `python -m dllm.serve.protocol` from the message types; a test compares -->",
            "",
            "`ws://HOST/ws`, or `wss:`. Text messages, one JSON object each, 64 KB at the most. Programs send no",
            "`Origin`; pages must be of the same origin. `examples/watch.py` and `examples/watch.html` are whole",
            "clients of thirty lines. Close codes: 1008 nonsense or a flood, 1009 too large, 1013 too slow for 30 s.",
            "",
            "## What you say",
            "",
            "Every message has `do`; those about one run have `session`. `ref` (a number of yours) comes back with a",
            "refusal or an `edited`, and `at_moment` says at which moment of the timeline an edit was made: an edit",
            "of an earlier moment forks.",
            "",
            "Whoever may *watch* a session may `peek` and ask for its `history`; *steering* is everything else below;",
            "its *owner* alone may `close`, `rename`, `drop`, ask for `followers` and `give` them the right to steer.",
            "",
            "| do | with | what happens |",
            "|---|---|---|",
            *(f"| `{name}` | {arguments} | {says} |" for name, (arguments, says) in OPENING.items()),
            *(_command(name, kind) for name, kind in (EDITS | TRANSPORT).items()),
            "",
            "In words instead of token numbers: "
            + ", ".join(f"`{name}` with {arguments}" for name, arguments in WORDED.items())
            + ".",
            "",
            "## What you hear",
            "",
            "Every message has `did`.",
            "",
            "| did | with | what it means |",
            "|---|---|---|",
            *(_event(name, kind) for kind, name in NAMES.items()),
            f"| `loading` | `model`, `id`, `done?`, `total?`, `seconds_left?` | {_line(EXTRAS['loading'])} |",
            f"| `beat` | | {_line(EXTRAS['beat'])} |",
            "",
            "Beside these, where they apply: "
            + "; ".join(f"`{k}`: {v}" for k, v in EXTRAS.items() if k not in ("beat", "loading"))
            + ".",
            "",
            "A canvas is `{tokens, kinds, ids?}`: a token and a letter for each cell (`g` given, `o` open, `p` pinned,",
            "`w` written), and the cells' lasting names where they are not 0, 1, 2 and so on.",
            "",
            "## A frame",
            "",
            "The content of `stepped`. *Packed* is base64 of little-endian numbers, `width` bytes each (`head.width`),",
            "all ones for no token; probabilities take one byte.",
            "",
            "| key | what it is |",
            "|---|---|",
            *(f"| `{name}` | {says} |" for name, says in FRAME.items()),
            "",
        ]
    )


def _command(name: str, kind: type[Any]) -> str:
    arguments = ", ".join(
        f"`{f.name}`" + ("" if f.default is MISSING else f" = {str(f.default).lower()}") for f in fields(kind)
    )
    return f"| `{name}` | {arguments} | {_line(kind.__doc__)} |"


def _event(name: str, kind: type[Any]) -> str:
    if name == "stepped":
        arguments = "a frame, below"
    else:
        arguments = ", ".join(f"`{f.name}`" for f in fields(kind))
    says = (kind.__doc__ or "").split(" `thinking`")[0]
    return f"| `{name}` | {arguments} | {_line(says)} |"


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(protocol(), encoding="utf-8")
