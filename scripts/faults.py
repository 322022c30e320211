"""Writes `docs/faults.md`: every fault, the tests that inject it, and how they ended last. `make faults` runs them all.

`python -m scripts.faults --write` only writes the page anew, with the results that it knows."""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
import xml.etree.ElementTree as Xml  # nosec B405: pytest's own file, written a moment before
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "faults.md"


@dataclass(frozen=True)
class Row:
    """A fault: what happens, what must be seen, and the tests that see it."""

    number: str
    happens: str
    seen: str
    tests: tuple[str, ...]
    missing: str = ""


def row(number: str, happens: str, seen: str, tests: str, missing: str = "") -> Row:
    return Row(number, happens, seen, tuple(tests.split()), missing)


ROWS = (
    row("1", "text that is markup, a template, a link, bidi marks, NUL", "shown as text on the page and in a terminal",
        "test_hostile_text_is_only_text test_a_replay_in_a_terminal_shows_escapes_and_does_not_obey_them "
        "test_a_cell_that_a_spreadsheet_would_run_is_quoted test_any_text_is_only_text_on_the_page"),
    row("2", "a body of nonsense, without end, or of another type", "400, 413 or 415 in one shape",
        "test_a_body_of_nonsense_is_refused_in_one_shape test_a_body_without_end_is_cut_off test_only_json_is_read "
        "test_a_large_body_is_refused_before_it_is_read test_a_wrong_length_is_refused"),
    row("3", "numbers and lists beyond all measure", "refused by name before anything is allocated",
        "test_what_cannot_be_is_said_in_a_sentence test_a_long_text_is_refused_before_it_is_spelled "
        "test_a_small_file_that_would_fill_the_memory_is_refused test_cells_and_passes_are_bounded"),
    row("4", "an unknown model; a missing, wrong or URL-borne key", "404, 401; the key is in no log or answer",
        "test_an_unknown_model_is_404_and_nothing_is_opened test_a_key_opens_and_nothing_else_does "
        "test_keys_are_not_in_what_is_printed test_a_secret_cannot_be_printed_pickled_or_logged"),
    row("5", "any route without a key", "each route is declared public, keyed or off",
        "test_every_route_is_declared test_every_route_of_the_app_is_declared test_keys_bind_every_door_that_decodes "
        "test_what_decodes_is_off_for_visitors_where_there_is_no_key test_what_nobody_needs_is_off"),
    row("6", "a socket from another Origin, a rebound Host", "refused before it opens",
        "test_a_socket_from_elsewhere_is_refused_before_it_opens test_a_rebound_name_or_a_foreign_page_reaches_nothing"),
    row("7", "addresses that are not public, in every disguise", "refused before connecting, in one sentence",
        "test_only_public_https_hosts_are_reached test_addresses_of_protocols_are_not_public "
        "test_a_name_that_stands_for_a_private_address_is_refused_and_a_public_one_is_pinned"),
    row("8", "ids with .., absolute, encoded, very long", "ids are the server's own; 404",
        "test_a_stranger_on_the_socket_reaches_nobodys_session test_ids_are_secrets_and_deeds_are_few "
        "test_strange_addresses_and_methods_have_the_same_shape"),
    row("9", "a client gone in the middle of a run", "decoding stops within a pass",
        "test_a_caller_who_leaves_stops_the_decoding test_a_visitor_who_leaves_stops_the_decoding_within_a_pass"),
    row("10", "a viewer who reads nothing", "others feel nothing; one snapshot waits; dropped after 30 s",
        "test_a_slow_reader_finds_one_snapshot_and_costs_nobody test_who_reads_nothing_is_hung_up_on"),
    row("11", "1 MB messages, junk, floods, a thousand lines", "closed with the right code",
        "test_too_much_too_fast_or_junk_ends_the_line test_lines_of_one_address_are_counted "
        "test_a_line_on_which_nothing_is_asked_is_closed test_a_minute_of_visitors"),
    row("12", "the model raises, exits, says NaN or the wrong shape, runs out of memory", "its run ends with a sentence",
        "test_a_failing_model_ends_its_run_and_nobody_elses test_batch_mates_of_a_failure_finish_with_their_solo_tokens "
        "test_running_out_of_memory_is_a_sentence test_rows_of_a_wrong_width_are_refused "
        "test_after_an_exit_in_a_model_the_device_still_answers test_batch_mates_of_one_that_exits_end_as_alone "
        "test_a_run_whose_model_exits_is_told_and_others_go_on test_a_family_that_exits_while_it_opens_is_refused"),
    row("13", "SIGTERM during 30 runs, or while a model is read", "503, ten seconds, everybody told, exit 0",
        "test_told_to_stop_it_refuses_what_is_new_and_finishes_what_runs test_what_does_not_finish_in_time_is_told_so "
        "test_a_stop_while_a_model_is_read_ends_well test_a_stop_beside_runs_without_end_takes_ten_seconds"),
    row("14", "kill -9 in the middle of a run", "rebuilt from its head and edits, the same tokens",
        "test_a_killed_server_is_a_pause test_a_stop_and_a_start_are_a_pause_too "
        "test_a_run_comes_back_as_it_was_with_all_its_branches test_a_run_from_noise_comes_back_too",
        "the server starts again on the same machine; there are no other workers to go on elsewhere"),
    row("15", "a full disk, a read-only home, no folder for temporary files, no network", "it starts, and says so once",
        "test_a_read_only_home_or_a_cut_off_note_hinders_nothing test_where_nothing_can_be_written_it_goes_on_without "
        "test_without_a_folder_for_temporary_files_it_starts_in_memory_and_says_so "
        "test_where_there_is_no_folder_at_all_it_says_what_to_do test_without_a_network_what_is_in_the_cache_opens"),
    row("16", "a checkpoint that is cut off, a pickle, or carries code", "safetensors only; a canary proves nothing ran",
        "test_a_truncated_file_is_named test_a_pickle_is_refused_and_nothing_of_it_runs "
        "test_code_that_lies_in_a_repository_never_runs"),
    row("17", "a rival with errors, silence, split events, no end", "the racer says which; others go on",
        "test_a_lane_that_fails_says_which test_all_race_on_one_clock_and_a_failing_lane_stops_nobody "
        "test_it_is_tried_again_only_before_the_first_byte test_an_answer_without_done_or_usage_still_counts "
        "test_a_count_that_means_nothing_is_unknown"),
    row("18", "a rival's answer or price without end", "caps in bytes, tokens and money",
        "test_caps_in_tokens_and_money_hold test_an_error_without_end_is_read_no_further "
        "test_an_answer_without_end_is_read_no_further test_what_is_packed_is_not_opened "
        "test_the_owners_key_is_for_the_owner_or_shared_on_purpose"),
    row("19", "a trace that is cut off, huge, newer, foreign, or edited by hand", "refused, or under a banner",
        "test_python_refuses test_the_page_refuses_the_same test_an_edited_file_says_so "
        "test_a_trace_edited_by_hand_never_crashes test_a_file_that_cannot_be_shown_is_refused_in_a_sentence"),
    row("20", "thirty at once", "each session's tokens are those of its solo run",
        "test_thirty_at_once_get_their_own_tokens test_two_visitors_do_not_meet test_a_minute_of_visitors"),
    row("21", "the network drops for a while", "resumed from the last number; no edit lost or doubled",
        "test_who_comes_back_misses_nothing_and_hears_nothing_twice test_who_was_away_long_gets_a_snapshot "
        "test_a_lost_line_comes_back_and_catches_up"),
    row("22", "200 edits a second from a dragged slider", "the run advances; the last one wins",
        "test_a_dragged_slider_does_not_stop_the_run test_tunes_that_wait_together_count_once"),
    row("23", "pins beyond the canvas, on the prompt, contradictory, empty", "refused with a reason",
        "test_nonsense_is_a_sentence_and_the_run_goes_on test_a_command_that_cannot_be_done_is_refused_and_the_session_lives "
        "test_a_word_is_one_request_and_is_answered_once"),
    row("24", "a dozen large exports at once", "one of a run at a time, a bound on size, others go on",
        "test_a_dozen_files_are_written_turn_by_turn test_one_file_of_a_run_at_a_time_and_none_that_could_not_be_opened",
        "a trace file shows no progress of its own beside the browser's"),
    row("25", "random commands, messages and files", "prompts, pins and counts hold; replay and re-living agree",
        "TestSteering TestVisitors test_every_field_with_every_type_is_done_or_refused test_a_mutated_trace_is_read_or_refused"),
    row("F1", "a program's door opens any model", "the menu, keys and limits bind every door",
        "test_gradio_s_decode_obeys_the_menu test_keys_bind_every_door_that_decodes test_only_at_home_is_a_folder_or_an_id_opened"),
    row("F5", "one visitor with many runs, paced or waiting", "turns go round by visitor",
        "test_a_visitor_with_many_runs_delays_another_by_one_turn test_a_run_that_rests_is_in_nobodys_way "
        "test_turns_go_round_by_visitor_and_then_by_run test_a_visitor_has_a_share_of_runs_and_others_still_find_a_place"),
    row("F6", "a command that cannot be applied", "refused, and the session lives",
        "test_changes_that_cannot_be_applied_end_nothing"),
    row("F7", "a number type that a stopwatch chose", "the same text after a restart",
        "test_the_same_seed_writes_the_same_after_a_restart_beside_a_busy_core"),
    row("F8", "a race that is asked for nonsense", "refused, not silent", "test_a_race_refuses_settings_that_are_none"),
    row("F9", "a named origin, and any other", "the named one may call, no other may ask",
        "test_the_owners_friends_may_call_and_others_may_not_ask"),
    row("F10", "timelines that grow", "weighed while they grow", "test_timelines_are_weighed_while_they_grow"),
    row("F11", "texts of exceptions, with folders in them", "in the log, not with a visitor",
        "test_what_went_wrong_is_in_the_log_and_not_with_the_visitor test_a_failing_policy_ends_its_run_with_a_sentence"),
)  # fmt: skip


@cache
def where(test: str) -> str:
    """The file that holds a test."""
    pattern = re.compile(rf"^((async )?def|class) {test}\b|^{test} = ", re.M)
    files = [
        str(f.relative_to(ROOT)) for f in sorted((ROOT / "tests").rglob("test_*.py")) if pattern.search(f.read_text())
    ]
    if len(files) != 1:
        raise LookupError(f"{test} is in {files or 'no file'}")
    return files[0]


def known() -> dict[str, str]:
    """The last results, by test, as the page has them."""
    if not PAGE.exists():
        return {}
    return dict(re.findall(r"`(\w+)` in `[^`]+` \(([^)]*)\)", PAGE.read_text()))


def page(results: dict[str, str]) -> str:
    """The page."""
    return "\n".join([*_head(), *(_line(one, results) for one in ROWS), ""])


def _head() -> Iterator[str]:
    yield "# Faults"
    yield ""
    yield "<!-- written by `make faults`, which runs every test named here; a test compares rows and tests -->"
    yield ""
    yield "What may go wrong, what must be seen then, and the tests that really make it happen, with how each ended last."
    yield "F1 to F11 are what an attack on the running app found, where no row says it already."
    yield ""
    yield "| | what happens | what must be seen | tests, and how they ended last |"
    yield "|---|---|---|---|"


def _line(one: Row, results: dict[str, str]) -> str:
    tests = "<br>".join(f"`{t}` in `{where(t)}` ({results.get(t, 'not run yet')})" for t in one.tests)
    missing = f"<br>*missing: {one.missing}*" if one.missing else ""
    return f"| {one.number} | {one.happens} | {one.seen} | {tests}{missing} |"


def run() -> dict[str, str]:
    """Run every test that a row names; how each ended, and when."""
    today, ended = datetime.date.today().isoformat(), dict[str, str]()
    names = sorted({test for one in ROWS for test in one.tests})
    with TemporaryDirectory() as folder:
        file = Path(folder) / "results.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            f"--junitxml={file}",
            *sorted(f"{where(t)}::{t}" for t in names),
        ]
        subprocess.run(command, cwd=ROOT)
        for case in Xml.parse(file).iter("testcase"):  # nosec B314
            kinds = {child.tag for child in case}
            how = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            base = str(case.get("name")).split("[")[0]
            name = base if base in names else str(case.get("classname")).rsplit(".", 1)[-1]
            worst = {"failed": 2, "skipped": 1, "passed": 0}
            if name not in ended or worst[how] > worst[ended[name].split()[0]]:
                ended[name] = f"{how} {today}"
    return ended


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="run nothing")
    ended = {} if parser.parse_args().write else run()
    PAGE.write_text(page(known() | ended), encoding="utf-8")
    bad = sorted(test for test, how in ended.items() if not how.startswith("passed"))
    print("not passed:", ", ".join(bad) or "none")
    sys.exit(bool(bad))
