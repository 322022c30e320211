"""`unmask lessons`: list the lessons, or play some and say what is not true."""

from __future__ import annotations

import argparse
from pathlib import Path

from unmask.extras import require

HELP = "list the lessons, or check that what they say is true"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--check", nargs="*", metavar="FILE", help="play these lessons, or all, and say what is not true of them"
    )
    parser.add_argument("--language", default="en", help="en or it")


def run(options: argparse.Namespace) -> int:
    require("app", "lessons")
    from unmask.errors import InvalidRequest
    from unmask.ui.lessons import languages, lessons, read
    from unmask.ui.lessons.check import ENOUGH, check, check_also

    if options.language not in languages():
        raise InvalidRequest(f"there are lessons in {' and '.join(languages())}, not in '{options.language}'")
    if options.check is None:
        for lesson in lessons(options.language):
            print(f"{lesson.name:28}{lesson.claim}")
        return 0
    chosen = [read(Path(file)) for file in options.check] or lessons(options.language)
    wrong = 0
    for lesson in chosen:
        own, others = check(lesson), check_also(lesson)
        shown = sum(not one for one in others)
        for missed in (*own, *(miss for one in others for miss in one)):
            print(f"{lesson.name}: {missed}")
        print(f"{lesson.name}: {'not true' if own else 'true'}; shown on {shown} of {len(others)} other prompts")
        wrong += bool(own) or shown < ENOUGH * len(others)
    return min(wrong, 1)
