"""The command line: watch a canvas denoise in a terminal, replay a trace, see what there is, check parity."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Protocol

from unmask.canvas.text import printable
from unmask.cli import config, decode, models, parity, policies, replay, serve
from unmask.errors import Misconfigured, NoRoom, Refused, Unthinkable
from unmask.pair.evaluation import command as judge


class Command(Protocol):
    """A file of `dllm/cli`."""

    HELP: str

    def declare(self, parser: argparse.ArgumentParser, /) -> None: ...

    def run(self, options: argparse.Namespace, /) -> int: ...


COMMANDS: Mapping[str, Command] = {
    "decode": decode,
    "replay": replay,
    "policies": policies,
    "config": config,
    "models": models,
    "serve": serve,
    "judge": judge,
    "parity": parity,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m unmask", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        command.declare(commands.add_parser(name, help=command.HELP))
    options, rest = parser.parse_known_args(arguments)
    options.rest = rest
    try:
        if rest and options.command != "decode":  # there they are a policy's knobs
            raise Refused(f"unknown option {rest[0]}")
        return COMMANDS[options.command].run(options)
    except (Refused, Unthinkable, Misconfigured, NoRoom) as refused:
        print(printable(f"dllm: {refused}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
