"""Removes each protection once, in a copy of the tree, and checks that its test fails: `python -m scripts.mutate`.

If the test passes without the protection, the protection is not tested. Writes the table of `docs/protections.md`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scripts.faults import where

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "protections.md"
MISSING = "not run yet"
KEPT = (
    "dllm",
    "unmask",
    "ui",
    "pair",
    "tests",
    "scripts",
    "assets",
    "bench",
    "docs",
    "examples",
    "app.py",
    "pyproject.toml",
)


@dataclass(frozen=True)
class Mutation:
    """A protection: its code, the code that replaces it, and the test that must then fail."""

    says: str
    file: str
    code: str
    without: str
    test: str


MUTATIONS = (
    Mutation("an exit inside a model does not stop the server", "dllm/live/device.py",
             "except BaseException as error:  # the model's own", "except Exception as error:  # the model's own",
             "test_after_an_exit_in_a_model_the_device_still_answers"),
    Mutation("logits of a wrong shape are refused", "dllm/inference/query.py",
             "if tuple(table.shape) != (wanted", "if False and tuple(table.shape) != (wanted",
             "test_rows_of_a_wrong_width_are_refused"),
    Mutation("an exit while a model opens does not stop the server", "dllm/live/loader.py",
             "made, error = None, as_exception(raised)", "made, error = None, raised",
             "test_a_family_that_exits_while_it_opens_is_refused"),
    Mutation("exception texts go to the log only", "dllm/live/loader.py",
             "cannot be opened here; the log of this server says why\"", "cannot be opened here: {error}\"",
             "test_what_went_wrong_is_in_the_log_and_not_with_the_visitor"),
    Mutation("a client that stops reading is disconnected", "dllm/serve/access.py",
             "asyncio.timeout(self.patience)", "asyncio.timeout(None)", "test_who_reads_nothing_is_hung_up_on"),
    Mutation("connections of an address are counted", "dllm/serve/access.py",
             "if self.open[who] >= share_limit()", "if self.open[who] >= 10**9",
             "test_lines_of_one_address_are_counted"),
    Mutation("a connection without a request is closed", "dllm/serve/connections.py",
             "self._deadline = self.loop.call_later(seconds, self.transport.abort)", "pass",
             "test_a_line_on_which_nothing_is_asked_is_closed"),
    Mutation("a later head has a deadline too", "dllm/serve/connections.py",
             "        super().data_received(data)\n        self._watch()", "        super().data_received(data)",
             "test_a_head_or_body_that_dribbles_ends_after_the_first_request_too"),
    Mutation("idle connections make room", "dllm/serve/connections.py",
             "    oldest.transport.abort()\n    return True", "    return True",
             "test_with_few_descriptors_a_newcomer_is_served"),
    Mutation("the last entry of a trusted proxy counts", "dllm/serve/admission.py",
             "passed[-proxies]", "passed[0]", "test_a_visitor_is_who_the_last_trusted_proxy_saw"),
    Mutation("nobody is near a server for others", "dllm/serve/admission.py",
             "return direct and not config().for_others", "return direct",
             "test_nobody_is_near_a_server_that_is_set_up_for_others"),
    Mutation("what fails in a message is answered", "dllm/serve/doors/socket.py",
             "except (TypeError, ValueError, KeyError, OverflowError, RecursionError) as error:",
             "except ZeroDivisionError as error:", "test_what_is_nested_deeply_is_answered_and_the_line_lives"),
    Mutation("an id that is nested is not returned", "dllm/serve/doors/messages.py",
             "return value if isinstance(value, int | float) or", "return value if True or",
             "test_what_is_nested_deeply_is_answered_and_the_line_lives"),
    Mutation("questions to the device take turns", "dllm/live/fair_queue.py",
             "if own := next((job for job in waiting.jobs if job.client is None), None):",
             "if own := next(iter(waiting.jobs), None):", "test_jobs_of_one_visitor_on_the_device_delay_another_by_one"),
    Mutation("work ends when its caller leaves", "dllm/live/work.py",
             "        if job.left:\n            raise Left\n        if time", "        if time",
             "test_a_visitor_who_floods_delays_another_by_little"),
    Mutation("work has a cost limit", "dllm/live/work.py",
             "        if job.spent > job.limit:\n", "        if False:\n", "test_what_costs_too_much_ends_with_a_sentence"),
    Mutation("the store tries again", "dllm/features/kept_runs/store.py",
             "            self._retry.start()\n", "", "test_a_lock_is_waited_for_and_nothing_is_lost"),
    Mutation("what waits to be stored is bounded", "dllm/features/kept_runs/store.py",
             "if self.trouble and self._batch.size > WAITING:", "if False:",
             "test_memory_is_bounded_while_nothing_can_be_stored_and_runs_are_stored_again_later"),
    Mutation("a damaged file is set aside", "dllm/features/kept_runs/store.py",
             "self._set_aside(error)", "pass", "test_a_damaged_file_is_set_aside"),
    Mutation("a connection has one seat", "dllm/features/classroom/attendance.py",
             'request.seat or self._seats.get(room.code, "")', "request.seat", "test_a_vote_costs_a_line"),
    Mutation("seats that nobody uses are few", "dllm/features/classroom/room.py",
             "unused[: max(0, len(unused) + 1 - max(SPARE, connected))]", "unused[:0]", "test_a_vote_costs_a_line"),
    Mutation("a body is counted before it is read", "dllm/serve/access.py",
             "if self.size > self.limit:", "if False:", "test_a_large_body_is_refused_before_it_is_read"),
    Mutation("Host and Origin are checked", "dllm/serve/access.py",
             'if not is_allowed(headers.get("origin"), headers.get("host", "")):', "if False:",
             "test_a_rebound_name_or_a_foreign_page_reaches_nothing"),
    Mutation("a route without a rule is off", "dllm/serve/access.py",
             "if rule is Access.OFF:", "if False:", "test_what_nobody_needs_is_off"),
    Mutation("a key is required", "dllm/serve/access.py",
             "if rule is Access.KEYED:", "if False:", "test_keys_bind_every_door_that_decodes"),
    Mutation("one part of a file is made at a time", "dllm/live/work.py",
             "if job.visitor not in served and", "if", "test_a_dozen_files_are_written_turn_by_turn"),
    Mutation("one file of a run at a time", "dllm/features/exports/routes.py",
             "if session.id in fetched:", "if False:",
             "test_one_file_of_a_run_at_a_time_and_none_that_could_not_be_opened"),
    Mutation("a stop cancels models that are opening", "dllm/serve/runtime.py",
             "        self.loader.stop()\n", "", "test_a_stop_while_a_model_is_read_ends_well"),
    Mutation("the process exits while a thread computes", "dllm/cli/serve.py",
             'exit_now(serve(options.host, options.port, models, options.cluster or ""))',
             'return serve(options.host, options.port, models, options.cluster or "")', "test_a_stop_while_a_model_is_read_ends_well"),
    Mutation("a terminal shows control characters as signs", "dllm/cli/screen.py",
             '"∎" if token in ends else printable(piece(token))', '"∎" if token in ends else piece(token)',
             "test_a_replay_in_a_terminal_shows_escapes_and_does_not_obey_them"),
    Mutation("an error message does too", "dllm/__main__.py",
             'print(printable(f"unmask: {refused}"), file=sys.stderr)', 'print(f"unmask: {refused}", file=sys.stderr)',
             "test_a_refusal_shows_escapes_too"),
    Mutation("a seal detects changes", "dllm/run/trace.py",
             "return Seal.WHOLE if same else Seal.EDITED", "return Seal.WHOLE", "test_an_edited_file_says_so"),
    Mutation("the page refuses what Python refuses", "assets/wire/strict.js",
             "if (!holds) throw new Error(why);", "void [holds, why];",
             "test_a_file_that_cannot_be_shown_is_refused_in_a_sentence"),
    Mutation("a run is saved", "dllm/serve/runtime.py",
             "if kept and self.keeper is not None:", "if False:", "test_a_killed_server_is_a_pause"),
    Mutation("a saved run requires its key", "dllm/features/kept_runs/store.py",
             "if not sum(compare_digest(given, ours.encode()) for ours in keys.values()):", "if False:",
             "test_nobody_else_gets_it_and_whoever_closes_it_ends_it"),
    Mutation("a run outlives a clock that jumps", "dllm/features/kept_runs/store.py",
             "return self._began + time.monotonic()", "return time.time()", "test_a_clock_that_jumps_forgets_no_run"),
    Mutation("a chat template takes so many steps", "dllm/models/hub/foreign.py",
             "        if left < 0:\n", "        if False:\n", "test_a_template_that_means_harm"),
    Mutation("a panic of a tokenizer is a refusal", "dllm/models/hub/foreign.py",
             "type(error).__name__ != PANIC:", "True:", "test_a_pattern_that_never_ends_is_given_up"),
    Mutation("an answer that outgrows the memory is cut", "dllm/serve/answer.py",
             "if self.listener.failed == TOO_LARGE:", "if False:", "test_an_answer_of_v1_that_outgrows_the_memory_is_cut"),
    Mutation("saved runs expire", "dllm/features/kept_runs/store.py",
             "self._now() - 3600 * self.hours", "0", "test_what_is_older_than_said_is_forgotten"),
    Mutation("nothing is saved on a public host", "dllm/config.py",
             "0.0 if self.public else 12.0", "12.0", "test_it_is_for_private_hosts_unless_its_owner_says_so"),
    Mutation("a word is one request", "dllm/live/steered_timeline.py",
             "self._edit(edit, at if i == 1 else None, ref if i == len(edits) else None)",
             "self._edit(edit, at if i == 1 else None, ref)", "test_a_word_is_one_request_and_is_answered_once"),
    Mutation("visitors take turns", "dllm/live/fair_queue.py",
             "return self._share(runner.visitor).credit, runner.credit", "return 0.0, runner.credit",
             "test_a_visitor_with_many_runs_delays_another_by_one_turn"),
    Mutation("memory of timelines is counted while they grow", "dllm/serve/sessions.py",
             "            self.trim()\n", "", "test_timelines_are_weighed_while_they_grow"),
    Mutation("a visitor has a limited share of runs", "dllm/serve/sessions.py",
             "while len(mine) + many > self.share or", "while",
             "test_a_visitor_has_a_share_of_runs_and_others_still_find_a_place"),
    Mutation("a long text is refused before it is tokenized", "dllm/serve/runtime.py",
             "if chars > (most := CHARS_PER_CELL * denoiser.card.longest):", "if (most := 0) > chars:",
             "test_a_long_text_is_refused_before_it_is_spelled"),
    Mutation("cells and passes are limited", "dllm/serve/runtime.py",
             "        self._bounded(state)\n", "", "test_cells_and_passes_are_bounded"),
    Mutation("a remote model's answer is counted", "dllm/features/race/providers/transport.py",
             "if self.left < 0:", "if False:", "test_an_answer_without_end_is_read_no_further"),
    Mutation("compressed answers are not decompressed", "dllm/features/race/providers/transport.py",
             'not in ("", "identity"):', 'not in ("", "identity", "gzip"):', "test_what_is_packed_is_not_opened"),
    Mutation("special-purpose addresses are not public", "dllm/features/race/providers/transport.py",
             "if any(ip in network for network in _SPECIAL if network.version == ip.version):", "if False:",
             "test_addresses_of_protocols_are_not_public"),
    Mutation("the page loads nothing from other servers", "dllm/serve/access.py",
             '"default-src \'self\'; script-src', '"script-src', "test_every_answer_says_what_it_may_load"),
    Mutation("temporary files go to memory if no folder is writable", "dllm/serve/process.py",
             "    tempfile.tempdir = MEMORY\n", "",
             "test_without_a_folder_for_temporary_files_it_starts_in_memory_and_says_so"),
)  # fmt: skip


def failing(mutation: Mutation, tree: Path) -> str:
    """The result of a protection's test without the protection."""
    file = tree / mutation.file
    source = file.read_text()
    if source.count(mutation.code) != 1:
        return f"OUT OF DATE: the code is there {source.count(mutation.code)} times"
    file.write_text(source.replace(mutation.code, mutation.without))
    try:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "--timeout=150",
            f"{where(mutation.test)}::{mutation.test}",
        ]
        done = subprocess.run(
            command, cwd=tree, capture_output=True, text=True, timeout=400, env=os.environ | {"PYTHONPATH": str(tree)}
        )
    except subprocess.TimeoutExpired:
        return "failed (it hung)"
    finally:
        file.write_text(source)
    return {0: "PASSED WITHOUT IT", 1: "failed"}.get(
        done.returncode, f"ended with {done.returncode}: {done.stdout[-300:]}"
    )


def known() -> dict[str, str]:
    """The last results by protection, read from docs/protections.md."""
    rows = (line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines())
    return {row[0]: row[3] for row in rows if len(row) == 4}


def write(results: dict[str, str]) -> None:
    """Write docs/protections.md."""
    head = ["# Protections", "", "<!-- written by `python -m scripts.mutate` -->", "",
            "Each protection was removed once, in a copy of the code, and its test was run: the test must fail.", "",
            "| protection | file | test | result without it |", "|---|---|---|---|"]  # fmt: skip
    rows = (f"| {m.says} | `{m.file}` | `{m.test}` | {results.get(m.says, MISSING)} |" for m in MUTATIONS)
    PAGE.write_text("\n".join([*head, *rows, ""]), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only protections whose name contains this")
    parser.add_argument("--missing", action="store_true", help="only protections that were not removed yet")
    arguments, results = parser.parse_args(), known()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        for name in KEPT:
            source = ROOT / name
            if source.is_symlink():
                (tree / name).symlink_to(source.readlink())
            else:
                # links stay links: the page's files are served through one
                (partial(shutil.copytree, symlinks=True) if source.is_dir() else shutil.copy)(source, tree / name)
        for mutation in MUTATIONS:
            if arguments.only in mutation.says and (
                not arguments.missing or results.get(mutation.says, MISSING) == MISSING
            ):
                results[mutation.says] = failing(mutation, tree)
                print(f"{mutation.says}: {results[mutation.says]}", flush=True)
                write(results)
    return int(any(not results.get(m.says, MISSING).startswith("failed") for m in MUTATIONS))


if __name__ == "__main__":
    sys.exit(main())
