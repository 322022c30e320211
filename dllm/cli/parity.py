"""`parity`: compare our decoders with recorded decisions of the published implementations."""

from __future__ import annotations

import argparse

HELP = "compare with recorded decisions of published decoders"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file")


def run(options: argparse.Namespace) -> int:
    """Print how many cases of a file agree, and each difference."""
    from unmask.inference.parity import check

    verdicts = check(options.file)
    for name in dict.fromkeys(v.name for v in verdicts):
        cases = [v for v in verdicts if v.name == name]
        passed = sum(not v.differs for v in cases)
        print(f"{name:24} {passed:3} of {len(cases):3}  {cases[0].rule}")
        for v in cases:
            if v.differs:
                print(f"    {v.differs}")
    wrong = sum(bool(v.differs) for v in verdicts)
    print(f"{len(verdicts) - wrong} of {len(verdicts)} cases equal")
    return int(wrong > 0)
