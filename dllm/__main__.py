"""Command line: decode in the terminal, replay a trace, list models and policies, serve the API, check parity."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

from unmask.canvas.text import printable
from unmask.config import version
from unmask.errors import ConfigError, InvalidRequest, ModelError, OutOfMemory


class Command(Protocol):
    """The interface of a command's module."""

    HELP: str

    def declare(self, parser: argparse.ArgumentParser, /) -> None: ...

    def run(self, options: argparse.Namespace, /) -> int: ...


# each command with its module; commands of packages that are not installed are left out
COMMANDS: Mapping[str, str] = {
    "run": "unmask.ui.command",
    "lessons": "unmask.ui.lessons_command",
    "decode": "unmask.cli.decode",
    "replay": "unmask.cli.replay",
    "film": "unmask.ui.film",
    "policies": "unmask.cli.policies",
    "attach": "unmask.cli.attach",
    "check": "unmask.cli.check",
    "config": "unmask.cli.config",
    "models": "unmask.cli.models",
    "serve": "unmask.cli.serve",
    "eval": "unmask.pair.eval.command",
    "parity": "unmask.cli.parity",
}


OLD_NAMES = {"judge": "eval"}  # still read


def loaded() -> dict[str, Command]:
    """The commands whose packages are installed, and those of features: the file `command.py` of a feature's folder."""
    found = {name: module for name, module in COMMANDS.items() if find_spec(".".join(module.split(".")[:2]))}
    folders = sorted(file.parent.name for file in (Path(__file__).parent / "features").glob("*/command.py"))
    made = {name: cast(Command, import_module(module)) for name, module in found.items()}
    for folder in folders:
        module = import_module(f"unmask.features.{folder}.command")
        made[module.NAME] = cast(Command, module)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="unmask", description=__doc__)
    parser.add_argument("--version", action="version", version=f"unmask {version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    known = loaded()
    for name, command in known.items():
        names = [other for other, real in OLD_NAMES.items() if real == name]
        command.declare(commands.add_parser(name, help=command.HELP, aliases=names))
    options, rest = parser.parse_known_args(arguments)
    options.rest = rest
    try:
        if rest and options.command != "decode":  # for `decode` they are a policy's knobs
            raise InvalidRequest(f"unknown option {rest[0]}")
        status = known[OLD_NAMES.get(options.command, options.command)].run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the flush at exit must not fail again
        return 128 + signal.SIGPIPE
    except (InvalidRequest, ModelError, ConfigError, OutOfMemory) as refused:
        print(printable(f"unmask: {refused}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
