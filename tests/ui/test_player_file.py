"""The run as one file holds scripts alone: declarations of types are made by setup, and an installation has none."""

from unmask.ui.player import ENTRY, modules


def test_the_file_holds_no_declarations_of_types() -> None:
    found = modules(ENTRY)
    assert ENTRY in found and len(found) > 20
    assert [path for path in found if not path.endswith(".js")] == []
