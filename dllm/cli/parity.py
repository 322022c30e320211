"""`parity`: compare with what published decoders decided."""

from __future__ import annotations

import argparse

HELP = "compare with what published decoders decided"


def declare(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("file")


def run(options: argparse.Namespace) -> int:
    """The cases of a file, those that differ in full."""
    from unmask.inference.parity import check

    verdicts = check(options.file)
    for name in dict.fromkeys(v.name for v in verdicts):
        of = [v for v in verdicts if v.name == name]
        passed = sum(not v.differs for v in of)
        print(f"{name:24} {passed:3} of {len(of):3}  {of[0].rule}")
        for v in of:
            if v.differs:
                print(f"    {v.differs}")
    wrong = sum(bool(v.differs) for v in verdicts)
    print(f"{len(verdicts) - wrong} of {len(verdicts)} cases equal")
    return int(wrong > 0)
